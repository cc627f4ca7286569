#include "support.h"

/* ---- builders ---- */
void model_open(phx_context *context, double gravity_x, double gravity_y, model *m)
{
    const double gravity[2] = {gravity_x, gravity_y};
    *m = (model){.context = context, .dim = 2};
    CHECK_OK(context, phx_system_create(context, 2, gravity, &m->system));
}

void model_open_space(phx_context *context, const double gravity[3], model *m)
{
    *m = (model){.context = context, .dim = 3};
    CHECK_OK(context, phx_system_create(context, 3, gravity, &m->system));
}

static double *array(int n)
{
    double *a = calloc((size_t)n + 1, sizeof *a);
    assert_non_null(a);
    return a;
}

void model_finalise(model *m)
{
    CHECK_OK(m->context, phx_system_finalise(m->system));
    CHECK_OK(m->context, phx_system_dae(m->system, m->context, &m->dae));
    m->n_x = phx_system_n_x(m->system);
    m->n_v = phx_system_n_v(m->system);
    m->n_l = phx_system_n_l(m->system);
    m->x = array(m->n_x);
    m->v = array(m->n_v);
    m->lambda = array(m->n_l);
}

void model_start(model *m, bool quasi_static)
{
    const phx_start_options options = {.quasi_static = quasi_static};
    CHECK_OK(m->context, phx_system_start(m->system, &options, m->x, m->v, m->lambda));
}

void model_ready(model *m)
{
    model_finalise(m);
    model_start(m, false);
}

void model_close(model *m)
{
    phx_system_dae_destroy(m->dae);
    phx_system_destroy(m->system);
    free(m->x);
    free(m->v);
    free(m->lambda);
    *m = (model){0};
}

phx_pose pose_at(double x, double y, double angle)
{
    phx_pose pose = phx_pose_default();
    pose.position[0] = x;
    pose.position[1] = y;
    pose.angle = angle;
    return pose;
}

phx_body_id add_rigid(model *m, const char *name, double mass, double inertia, double cx, double cy, phx_pose pose)
{
    const phx_rigid_def rigid = {.mass = mass, .inertia = {inertia}, .centre = {cx, cy}};
    phx_body_def def = phx_body_def_default();
    phx_body *body = NULL;
    phx_body_id id = -2;

    def.name = name;
    def.dim = 2;
    def.rigid = &rigid;
    CHECK_OK(m->context, phx_body_create(m->context, &def, &body));
    CHECK_OK(m->context, phx_system_add_body(m->system, body, NULL, &pose, &id));
    return id;
}

phx_pose pose_turned(double x, double y, double z, double ax, double ay, double az, double angle)
{
    const double axis[3] = {ax, ay, az};
    phx_pose pose = pose_at(x, y, 0.0);
    pose.position[2] = z;
    phx_rot_axis_angle(3, axis, angle, pose.rotation);
    return pose;
}

phx_body_id add_rigid_space(model *m, const char *name, phx_pose pose)
{
    const phx_rigid_def rigid = {.mass = 2.0, .inertia = {0.3, 0, 0, 0, 0.4, 0, 0, 0, 0.5}, .centre = {0.4, 0.1, -0.2}};
    phx_body_def def = phx_body_def_default();
    phx_body *body = NULL;
    phx_body_id id = -2;

    def.name = name;
    def.dim = 3;
    def.rigid = &rigid;
    CHECK_OK(m->context, phx_body_create(m->context, &def, &body));
    CHECK_OK(m->context, phx_system_add_body(m->system, body, NULL, &pose, &id));
    return id;
}

beam_kind beam_default(void)
{
    return (beam_kind){.length = 1.0,
                       .mass = 1.0,
                       .axial = 1e4,
                       .bending = 40.0,
                       .elements = 2,
                       .reference = PHX_REFERENCE_SIMPLY_SUPPORTED,
                       .kinetics = PHX_KINETICS_FULL};
}

phx_body_id add_beam(model *m, const char *name, const beam_kind *kind, phx_pose pose)
{
    phx_beam_def beam_def = phx_beam_def_default();
    phx_body_def def = phx_body_def_default();
    phx_beam *beam = NULL;
    phx_body *body = NULL;
    phx_body_id id = -2;

    beam_def.dim = m->dim;
    beam_def.length = kind->length;
    beam_def.mass_per_length = kind->mass;
    beam_def.axial_stiffness = kind->axial;
    beam_def.bending_stiffness[0] = kind->bending;
    if (m->dim == 3) {
        beam_def.bending_stiffness[1] = 1.5 * kind->bending;
        beam_def.torsion_stiffness = 0.75 * kind->bending;
        beam_def.polar_inertia = 0.01;
    }
    beam_def.elements = kind->elements;
    beam_def.reference = kind->reference;
    beam_def.stiffening = kind->stiffening;
    beam_def.modes = kind->modes;
    CHECK_OK(m->context, phx_beam_create(m->context, &beam_def, &beam));
    def.name = name;
    def.dim = m->dim;
    def.flex = phx_flex_source_flex(beam);
    def.kinetics = kind->kinetics;
    def.damping_mass = kind->damping_mass;
    def.damping_stiffness = kind->damping_stiffness;
    CHECK_OK(m->context, phx_body_create(m->context, &def, &body));
    CHECK_OK(m->context, phx_system_add_body(m->system, body, beam, &pose, &id));
    return id;
}

phx_port_id at_place(model *m, phx_body_id body, double x, double y)
{
    return at_turned(m, body, x, y, 0.0);
}

phx_port_id at_turned(model *m, phx_body_id body, double x, double y, double angle)
{
    const double place[2] = {x, y}, rotation[4] = {cos(angle), -sin(angle), sin(angle), cos(angle)};
    phx_port_id id = -1;
    CHECK_OK(m->context, phx_system_add_port(m->system, body, place, rotation, &id));
    return id;
}

phx_port_id at_space(model *m, phx_body_id body, double x, double y, double z, double ax, double ay, double az,
                     double angle)
{
    const phx_pose pose = pose_turned(x, y, z, ax, ay, az, angle);
    phx_port_id id = -1;
    CHECK_OK(m->context, phx_system_add_port(m->system, body, pose.position, pose.rotation, &id));
    return id;
}

phx_port_id at_beam(model *m, phx_body_id body, double s)
{
    phx_port_id id = -1;
    CHECK_OK(m->context, phx_system_add_beam_port(m->system, body, s, &id));
    return id;
}

phx_signal *constant(model *m, double value)
{
    phx_signal *signal = NULL;
    CHECK_OK(m->context, phx_signal_create_constant(m->context, value, &signal));
    return signal;
}

typedef struct wave {
    double offset, amplitude, frequency;
} wave;

static double wave_value(const void *data, double t, double s)
{
    const wave *w = data;
    return w->offset + w->amplitude * sin(w->frequency * t + s);
}

phx_signal *sine(model *m, double offset, double amplitude, double frequency)
{
    wave *w = malloc(sizeof *w);
    phx_signal *signal = NULL;

    assert_non_null(w);
    *w = (wave){offset, amplitude, frequency};
    CHECK_OK(m->context, phx_signal_create_function(m->context, wave_value, w, free, 0, NULL, &signal));
    return signal;
}

phx_joint_def joint_def(const char *name, phx_joint_kind kind, phx_port_id a, phx_port_id b)
{
    phx_joint_def def = phx_joint_def_default();
    def.name = name;
    def.kind = kind;
    def.a = a;
    def.b = b;
    return def;
}

phx_joint_id add_joint_def(model *m, const phx_joint_def *def)
{
    phx_joint_id id = -1;
    CHECK_OK(m->context, phx_system_add_joint(m->system, def, &id));
    return id;
}

phx_joint_id add_joint(model *m, const char *name, phx_joint_kind kind, phx_port_id a, phx_port_id b)
{
    const phx_joint_def def = joint_def(name, kind, a, b);
    return add_joint_def(m, &def);
}

void add_spring(model *m, const char *name, phx_port_id a, phx_port_id b, double k, double c, double length,
                phx_signal *force)
{
    const phx_spring_def def = {
        .name = name, .a = a, .b = b, .stiffness = k, .damping = c, .length = length, .force = force};
    CHECK_OK(m->context, phx_system_add_spring(m->system, &def));
}

void add_force(model *m, const char *name, phx_port_id at, bool follower, phx_signal *fx, phx_signal *fy)
{
    const phx_load_def def = {
        .name = name, .kind = PHX_LOAD_FORCE, .port = at, .follower = follower, .component = {fx, fy, NULL}};
    CHECK_OK(m->context, phx_system_add_load(m->system, &def));
}

void add_torque(model *m, const char *name, phx_port_id at, phx_signal *torque)
{
    const phx_load_def def = {.name = name, .kind = PHX_LOAD_TORQUE, .port = at, .component = {torque, NULL, NULL}};
    CHECK_OK(m->context, phx_system_add_load(m->system, &def));
}

void add_output(model *m, const char *name, phx_quantity quantity, int target)
{
    const phx_output_def def = {.name = name, .quantity = quantity, .port = target, .joint = target};
    CHECK_OK(m->context, phx_system_add_output(m->system, &def));
}

/* ---- states ---- */
/* A body of several frames at rest where its first frame is, bent a little. */
static void place_frames(const phx_body *body, uint64_t *seed, double *x)
{
    const int dim = phx_body_dim(body), n_v = phx_body_n_v(body);
    double place[3] = {0}, R[9], *xi = test_calloc((size_t)n_v, sizeof *xi);

    if (phx_body_frames(body, NULL) > 1) {
        memcpy(place, x, (size_t)dim * sizeof *x);
        phx_attitude_rotation(dim, x + dim, R);
        const double angle = dim == 2 ? x[4] : 0.0;
        phx_body_rest(body, x);
        phx_body_place(body, place, R, angle, x);
        random_vector(seed, n_v, 0.05, xi);
        phx_body_displace(body, 1.0, xi, x);
    }
    test_free(xi);
}

void random_state(const model *m, uint64_t *seed, double *x, double *v)
{
    const int dim = m->dim, na = phx_attitude_size(dim);
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        int at = 0, at_v = 0;
        double axis[3], R[9];
        phx_system_offsets(m->system, b, &at, &at_v);
        random_vector(seed, dim, 2.0, x + at);
        if (dim == 3) {
            random_vector(seed, 3, 1.0, axis);
            phx_rot_axis_angle(3, axis, 3.0 * random_value(seed), R);
            phx_attitude_set(3, R, 0.0, x + at + 3);
        } else {
            phx_attitude_set(2, NULL, 3.0 * random_value(seed), x + at + 2);
        }
        random_vector(seed, phx_body_n_q(phx_system_body(m->system, b)), 0.05, x + at + dim + na);
        place_frames(phx_system_body(m->system, b), seed, x + at);
    }
    random_vector(seed, m->n_v, 1.0, v);
    const int n_bodies = phx_system_bodies(m->system);
    int at = 0, at_v = 0;
    phx_system_offsets(m->system, n_bodies - 1, &at, &at_v);
    for (int i = at + phx_body_n_x(phx_system_body(m->system, n_bodies - 1)); i < m->n_x; i++)
        x[i] = 0.0;
    m->dae->ops->normalise(m->dae, x, true); /* coordinates that count turns follow the bodies */
}

void displaced(const model *m, const double *x, double step, const double *xi, double *x1)
{
    const int dim = m->dim, na = phx_attitude_size(dim), rigid = dim == 2 ? 3 : 6;
    memmove(x1, x, (size_t)m->n_x * sizeof *x);
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        int at = 0, at_v = 0;
        double R[9], shift[3], turn[3] = {0.0, 0.0, 0.0};
        phx_system_offsets(m->system, b, &at, &at_v);
        const double *d = xi + at_v;
        phx_attitude_rotation(dim, x + at + dim, R);
        phx_rot_apply(dim, R, d, shift);
        for (int a = 0; a < dim; a++)
            x1[at + a] = x[at + a] + step * shift[a];
        for (int k = dim; k < rigid; k++)
            turn[k - dim] = step * d[k];
        if (dim == 2) {
            phx_attitude_set(2, NULL, x[at + 4] + turn[0], x1 + at + 2);
        } else {
            phx_rot_cayley(3, R, turn, R);
            phx_attitude_set(3, R, 0.0, x1 + at + 3);
        }
        const phx_body *body = phx_system_body(m->system, b);
        for (int i = 0; i < phx_body_n_q(body) + phx_body_places(body, NULL, NULL); i++)
            x1[at + dim + na + i] = x[at + dim + na + i] + step * d[rigid + i];
    }
}

double total_energy(const model *m, const double *x, const double *v)
{
    phx_energies e;
    phx_system_energies(m->system, x, v, &e);
    return e.kinetic + e.elastic + e.potential;
}

/* ---- the midpoint step ---- */
phx_status solve_interval(model *m, double t, double h, const double *x, const double *v, double *x1, double *v1,
                          double *lambda, step_result *result)
{
    const phx_dae_ops *ops = m->dae->ops;
    const int n = m->n_v + m->n_l;
    double *res = array(n), last = HUGE_VAL;
    phx_status status = ops->interval_begin(m->dae, t, h, x, v);

    *result = (step_result){0};
    for (int k = 0; k < 60 && !status; k++) {
        double size = 0.0;
        status = ops->interval_residual(m->dae, v1, lambda, x1, res);
        result->residual = max_abs(n, res);
        if (!status)
            status = ops->interval_linearise(m->dae);
        if (!status)
            status = ops->factor(m->dae, 0, 2.0 / h);
        if (!status)
            status = ops->solve(m->dae, 0, res);
        if (status)
            break;
        size = ops->norm(m->dae, res) / (ops->norm(m->dae, v1) + 1e-30);
        if (!isfinite(size) || (k > 50 && size > 1e-9))
            status = PHX_NOT_CONVERGED;
        if (size >= last && size < 1e-13)
            break;
        last = size;
        result->iterations++;
        for (int i = 0; i < m->n_v; i++)
            v1[i] -= 2.0 * res[i];
        for (int i = 0; i < m->n_l; i++)
            lambda[i] -= res[m->n_v + i];
    }
    if (!status)
        status = ops->interval_residual(m->dae, v1, lambda, x1, res);
    result->residual = max_abs(n, res);
    if (!status)
        status = ops->interval_residual(m->dae, v1, lambda, x1, NULL);
    if (!status)
        status = ops->interval_work(m->dae, &result->work);
    if (!status)
        status = ops->interval_finish(m->dae, v1, &result->work);
    free(res);
    return status;
}

void run_midpoint(model *m, double t0, double h, long steps, phx_work *work)
{
    double *x1 = array(m->n_x), *v1 = array(m->n_v);

    *work = (phx_work){0.0, 0.0};
    for (long k = 0; k < steps; k++) {
        const double t = t0 + (double)k * h;
        phx_work projected = {0.0, 0.0};
        step_result result;
        memcpy(v1, m->v, (size_t)m->n_v * sizeof *v1);
        CHECK_OK(m->context, solve_interval(m, t, h, m->x, m->v, x1, v1, m->lambda, &result));
        CHECK_OK(m->context,
                 m->dae->ops->project(m->dae, t0 + (double)(k + 1) * h, h, true, false, x1, v1, m->lambda, &projected));
        work->supplied += result.work.supplied + projected.supplied;
        work->dissipated += result.work.dissipated + projected.dissipated;
        memcpy(m->x, x1, (size_t)m->n_x * sizeof *x1);
        memcpy(m->v, v1, (size_t)m->n_v * sizeof *v1);
    }
    free(x1);
    free(v1);
}
