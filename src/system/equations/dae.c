/* The table of operations over a system. */
#include "system/recursive/ode.h"
#include "system/system_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static workspace *dae_of(phx_dae *dae)
{
    return (workspace *)dae;
}

const phx_system *phx_system_of(const phx_dae *dae)
{
    return ((const workspace *)dae)->system;
}

static void op_rates(phx_dae *dae, const double *x, const double *v, double *x_dot)
{
    const phx_system *system = dae_of(dae)->system;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_rates(slot->body, x + slot->x, v + slot->v, x_dot + slot->x);
    }
    phx_sys_angle_rates(system, x, v, x_dot);
}

/* res = [ M v_dot - f - G^T lambda ; G v - w ], theory 3 (6) */
static phx_status op_residual(phx_dae *dae, double t, const double *x, const double *v, const double *v_dot,
                              const double *lambda, double *res)
{
    workspace *ws = dae_of(dae);
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    phx_sys_set_instant(ws, x, v);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_residual(slot->body, system->gravity, x + slot->x, v + slot->v, v_dot + slot->v, res + slot->v);
    }
    phx_sys_rubbing_take(ws, lambda, false);
    status = phx_sys_forces(ws, t, false, res);
    if (status)
        return status;
    ws->by->rows_residual(ws, t, 0.0, lambda, res);
    return PHX_OK;
}

/* Power at an instant, W: supplied by loads and by drives (lambda w), and dissipated. Also books the power of each part
 * in the ledger. */
static phx_status op_power(phx_dae *dae, double t, const double *x, const double *v, const double *lambda,
                           double *supplied, double *dissipated)
{
    workspace *ws = dae_of(dae);
    phx_status status = PHX_OK;

    phx_sys_set_instant(ws, x, v);
    ws->by->rows(ws, t, 0.0);
    memset(ws->scratch.vector[3], 0, (size_t)ws->kkt.n * sizeof(double));
    phx_sys_rubbing_take(ws, lambda, false);
    status = phx_sys_forces(ws, t, false, ws->scratch.vector[3]);
    *supplied = ws->forces.power.supplied;
    *dissipated = ws->forces.power.dissipated;
    for (int k = 0; k < ws->rows.n; k++)
        *supplied += lambda[k] * ws->rows.w[k];
    phx_sys_ledger_work(ws, 1.0, lambda);
    return status;
}

/* Angles of frames in the plane follow the direction cosines. */
static void unwrap_planar(const phx_system *system, double *x)
{
    for (int b = 0; b < system->n_bodies && system->dim == 2; b++) {
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(system->bodies[b].body, &frames);
        for (int f = 0; f < n_frames; f++) {
            double *attitude = x + system->bodies[b].x + frames[f].x + 2;
            attitude[2] += remainder(atan2(attitude[1], attitude[0]) - attitude[2], 2.0 * acos(-1.0));
        }
    }
}

static void op_unwrap(phx_dae *dae, double *x)
{
    workspace *ws = dae_of(dae);

    unwrap_planar(ws->system, x);
    if (ws->system->control.first_x > ws->system->n_body_x) {
        phx_sys_set_instant(ws, x, ws->step.vm);
        phx_sys_unwrap_angles(ws, x);
    }
}

static void op_normalise(phx_dae *dae, double *x, bool count)
{
    const phx_system *system = dae_of(dae)->system;

    unwrap_planar(system, x);
    for (int b = 0; b < system->n_bodies; b++)
        phx_body_normalise(system->bodies[b].body, x + system->bodies[b].x);
    if (count && system->dim == 3)
        op_unwrap(dae, x);
}

static void op_tangent(phx_dae *dae, const double *x, const double *dx, double *dxi)
{
    const phx_system *system = dae_of(dae)->system;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_tangent(slot->body, x + slot->x, dx + slot->x, dxi + slot->v);
    }
}

/* M v_dot = f + G^T lambda, G v_dot = w_dot - G_dot v. */
static phx_status find_accelerations(phx_dae *dae, double t, const double *x, const double *v, double *v_dot,
                                     double *lambda)
{
    workspace *ws = dae_of(dae);
    const phx_system *system = ws->system;
    const int n_v = system->n_v;
    double *rhs = ws->scratch.vector[1];
    phx_status status = PHX_OK;

    memset(ws->scratch.vector[2], 0, (size_t)ws->kkt.n * sizeof(double));
    status = op_residual(dae, t, x, v, ws->scratch.vector[2], ws->scratch.vector[2] + n_v, rhs);
    if (status)
        return status;
    for (int i = 0; i < n_v; i++)
        rhs[i] = -rhs[i];
    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &system->rows.slot[ws->rows.index[k]];
        const coordinate_slot *coordinate = &system->joints[slot->joint].coordinates[slot->coordinate];
        rhs[n_v + k] = slot->role == ROW_DRIVEN ? phx_signal_rate(coordinate->def.speed, t) : 0.0;
        rhs[n_v + k] -= phx_sys_row_acceleration(ws, k);
    }
    status = ws->by->factor_mass(ws, x);
    if (!status)
        status = ws->by->solve_mass(ws, rhs);
    for (int i = 0; i < ws->kkt.n && !status; i++)
        if (!isfinite(rhs[i]))
            return phx_sys_blame_equation(ws, i, false);
    if (status)
        return status;
    memcpy(v_dot, rhs, (size_t)n_v * sizeof *v_dot);
    memcpy(lambda, rhs + n_v, (size_t)ws->rows.n * sizeof *lambda);
    return PHX_OK;
}

/* With friction by reactions, which accelerations and friction make together, by repetition. */
phx_status phx_sys_op_accelerations(phx_dae *dae, double t, const double *x, const double *v, double *v_dot,
                                    double *lambda)
{
    enum { MOST = 60 };
    workspace *ws = dae_of(dae);
    ws->rubbing.count = 0;
    ws->rubbing.settled = true;
    phx_status status = find_accelerations(dae, t, x, v, v_dot, lambda);

    for (int k = 0; k < MOST && ws->rubbing.lambda && !status; k++) {
        if (phx_sys_rubbing_settles(ws, x, v, lambda))
            break;
        ws->rubbing.held = true;
        status = find_accelerations(dae, t, x, v, v_dot, lambda);
        ws->rubbing.held = false;
    }
    return status;
}

/* ---- the midpoint rule on averages ---- */
void phx_system_last_interval(const phx_dae *dae, const double **vm, const double **lambda)
{
    const workspace *ws = (const workspace *)dae;

    *vm = ws->step.vm;
    *lambda = ws->step.lambda;
}

phx_status phx_sys_interval_create(phx_context *context, const phx_system *system, int n_l, step_interval *step)
{
    const size_t n_x = (size_t)system->n_x, n_v = (size_t)system->n_v;
    const phx_array arrays[] = {{&step->x0, n_x},   {&step->x1, n_x},   {&step->xm, n_x},
                                {&step->low0, n_x}, {&step->low1, n_x}, {&step->v0, n_v},
                                {&step->v1, n_v},   {&step->vm, n_v},   {&step->lambda, (size_t)n_l}};
    const phx_status status = phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);

    for (int b = 0; b < system->n_bodies && !status; b++)
        phx_body_rest(system->bodies[b].body, step->x1 + system->bodies[b].x);
    return status;
}

void phx_sys_interval_free(step_interval *step)
{
    double *arrays[] = {step->x0, step->x1, step->xm, step->low0,  step->low1,
                        step->v0, step->v1, step->vm, step->lambda};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

/* The start of the interval; whether it begins where the last one ended. What rounding took from x0 and the momenta of
 * free components are known then; they stay when the last one is tried again. */
static bool carry_over(workspace *ws, const double *x0, const double *v0)
{
    const phx_system *system = ws->system;
    const size_t bytes_x = (size_t)system->control.first_x * sizeof *x0, bytes_v = (size_t)system->n_v * sizeof *v0;
    const size_t bytes_z = (size_t)(system->n_x - system->control.first_x) * sizeof *x0;
    const int per = system->dim + system->n_rot;
    const bool goes_on = memcmp(x0, ws->step.x1, bytes_x) == 0;

    if (!goes_on && memcmp(x0, ws->step.x0, bytes_x) == 0 && memcmp(v0, ws->step.v0, bytes_v) == 0) {
        memcpy(ws->step.x0 + system->control.first_x, x0 + system->control.first_x, bytes_z);
        return false;
    }
    if (goes_on) {
        phx_sys_exchange(&ws->step.x0, &ws->step.x1);
        phx_sys_exchange(&ws->step.low0, &ws->step.low1);
    } else {
        memcpy(ws->step.x0, x0, bytes_x);
        memset(ws->step.low0, 0, bytes_x);
    }
    memcpy(ws->step.x0 + system->control.first_x, x0 + system->control.first_x, bytes_z);
    memcpy(ws->step.v0, v0, bytes_v);
    if (!system->components.any_free)
        return goes_on;
    phx_sys_momenta(ws, x0, v0, ws->projection.momentum0);
    for (int c = 0; c < system->components.n && goes_on && memcmp(v0, ws->step.v1, bytes_v) == 0; c++)
        if (ws->projection.kept[c])
            memcpy(ws->projection.momentum0 + c * per, ws->projection.momentum1 + c * per,
                   (size_t)per * sizeof(double));
    return goes_on;
}

/* Unwrapped angles start from those of x0. */
void phx_sys_begin_angles(workspace *ws)
{
    const phx_system *system = ws->system;

    ws->angles.x0 = ws->step.x0;
    ws->angles.x1 = ws->step.x1;
    memcpy(ws->step.x1 + system->n_body_x, ws->step.x0 + system->n_body_x,
           (size_t)(system->n_x - system->n_body_x) * sizeof *ws->step.x1);
}

/* Starts an interval of length h at (x0, v0): finds out whether it continues the previous one, samples the controllers
 * and prepares the evaluator. */
static phx_status op_interval_begin(phx_dae *dae, double t0, double h, const double *x0, const double *v0)
{
    workspace *ws = dae_of(dae);

    ws->step.t0 = t0;
    const bool again = memcmp(x0, ws->step.x0, (size_t)ws->system->control.first_x * sizeof *x0) == 0;
    ws->step.goes_on = carry_over(ws, x0, v0);
    phx_sys_rubbing_begin(ws, ws->step.goes_on, again);
    const phx_status sampled = phx_system_take_samples(&ws->base, t0, ws->step.x0, ws->step.v0);
    if (sampled)
        return sampled;
    ws->view = (phx_body_view){.h = h,
                               .x0 = ws->step.x0,
                               .x1 = ws->step.x1,
                               .xm = ws->step.xm,
                               .v0 = ws->step.v0,
                               .v1 = ws->step.v1,
                               .vm = ws->step.vm};
    ws->by->interval_begin(ws);
    return PHX_OK;
}

static phx_status op_interval_residual(phx_dae *dae, const double *v1, const double *lambda, double *x1, double *res)
{
    workspace *ws = dae_of(dae);
    phx_sys_rubbing_take(ws, lambda, true);
    const phx_status status = ws->by->interval_residual(ws, v1, lambda, res);

    if (status)
        return status;
    memcpy(ws->step.lambda, lambda, (size_t)ws->rows.n * sizeof *lambda);
    if (x1)
        memcpy(x1, ws->step.x1, (size_t)ws->system->n_x * sizeof *x1);
    return PHX_OK;
}

static bool op_interval_reactions(phx_dae *dae, const double *lambda)
{
    return phx_sys_rubbing_retake(dae_of(dae), lambda);
}

static phx_status op_interval_work(phx_dae *dae, phx_work *work)
{
    workspace *ws = dae_of(dae);

    work->supplied = ws->view.h * ws->forces.power.supplied;
    work->dissipated = ws->view.h * ws->forces.power.dissipated;
    for (int k = 0; k < ws->rows.n; k++)
        work->supplied += ws->view.h * ws->step.lambda[k] * ws->rows.w[k];
    phx_sys_ledger_work(ws, ws->view.h, ws->step.lambda);
    return phx_sys_input_work(ws, ws->view.h, ws->step.lambda);
}

/* sqrt(dv^T M dv), M of the undeformed bodies */
static double op_norm(phx_dae *dae, const double *dv)
{
    workspace *ws = dae_of(dae);
    double sum = 0.0;

    ws->by->kinetic_energies(ws, NULL, dv);
    for (int b = 0; b < ws->system->n_bodies; b++)
        sum += ws->bodies.energy[b];
    return sqrt(sum > 0.0 ? 2.0 * sum : 0.0);
}

/* Of the bodies of several frames or vectors, between which there are forces. */
static double op_place_speed(phx_dae *dae, double h, const double *x)
{
    workspace *ws = dae_of(dae);
    const phx_system *system = ws->system;
    double *v = ws->scratch.vector[2], sum = 0.0;

    memset(v, 0, (size_t)system->n_v * sizeof *v);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(slot->body, &frames);
        if (phx_body_floats(slot->body))
            continue;
        for (int f = 0; f < n_frames; f++)
            for (int a = 0; a < system->dim; a++)
                v[slot->v + frames[f].v + a] = x[slot->x + frames[f].x + a] / h;
        int q_x, q_v, n_q = phx_body_coordinates(slot->body, &q_x, &q_v);
        for (int i = 0; i < n_q && phx_body_vectors(slot->body); i++)
            v[slot->v + q_v + i] = x[slot->x + q_x + i] / h;
        sum += 2.0 * phx_body_kinetic_undeformed(slot->body, v + slot->v);
    }
    return sqrt(sum);
}

/* The largest distance from the origin, along an axis, of a frame or of a port on the ground. */
static double extent_of(const workspace *ws, const double *x)
{
    const phx_system *system = ws->system;
    double extent = 0.0;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(slot->body, &frames);
        for (int f = 0; f < n_frames; f++)
            for (int a = 0; a < system->dim; a++)
                extent = fmax(extent, fabs(x[slot->x + frames[f].x + a]));
        int q_x, n_q = phx_body_coordinates(slot->body, &q_x, NULL);
        for (int i = 0; i < n_q && phx_body_vectors(slot->body); i++)
            extent = fmax(extent, fabs(x[slot->x + q_x + i]));
    }
    for (int i = 0; i < system->n_ports; i++)
        for (int a = 0; a < system->dim && system->ports[i].body < 0; a++)
            extent = fmax(extent, fabs(system->ports[i].port.point.x[a]));
    return extent;
}

static double op_balance_speed(phx_dae *dae, double h, const double *x)
{
    const workspace *ws = dae_of(dae);
    const phx_system *system = ws->system;
    const double fall = h * sqrt(phx_dot(system->dim, system->gravity, system->gravity));
    const double speed = fmax(fall, system->n_forces > 0 ? extent_of(ws, x) / h : 0.0);
    double mass = 0.0;

    for (int b = 0; b < system->n_bodies; b++)
        mass += phx_body_at_rest(system->bodies[b].body)->mass;
    return sqrt(mass) * speed;
}

static void put_length(int n, const double *vector, double *size)
{
    const double length = sqrt(phx_dot(n, vector, vector));
    for (int i = 0; i < n; i++)
        size[i] = length;
}

/* |v| and |omega| of each frame, |q_dot| of each coordinate */
static void op_velocity_sizes(phx_dae *dae, const double *v, double *size)
{
    const phx_system *system = dae_of(dae)->system;

    for (int k = 0; k < system->n_v; k++)
        size[k] = fabs(v[k]);
    for (int b = 0; b < system->n_bodies; b++) {
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(system->bodies[b].body, &frames);
        for (int f = 0; f < n_frames; f++) {
            const int at = system->bodies[b].v + frames[f].v, spin = at + system->dim;
            put_length(system->dim, v + at, size + at);
            put_length(system->n_rot, v + spin, size + spin);
        }
    }
}

/* A joint of the body along whose three angles something acts and whose second angle is near a quarter turn, where they
 * are not defined; NULL: there is none. */
static const joint_slot *singular_angles(const workspace *ws, int body)
{
    static const double NEAR = 1.3; /* rad */
    const phx_system *system = ws->system;

    for (int j = 0; j < system->n_joints; j++) {
        const joint_slot *joint = &system->joints[j];
        bool acts = false, near = false;
        for (int c = 0; c < joint->n_coordinates; c++) {
            const coordinate_slot *slot = &joint->coordinates[c];
            acts = acts || phx_scalar_force_is_there(&slot->along) || slot->driven_row >= 0;
            if (slot->row.kind == PHX_ROW_TILT)
                near = fabs(phx_row_value(&slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], 1) +
                            slot->row.target) > NEAR;
        }
        if (acts && near && (system->ports[joint->a].body == body || system->ports[joint->b].body == body))
            return joint;
    }
    return NULL;
}

/* Name of the body with the largest entry of a residual over the velocities (NaN counts as infinite), with the reason
 * in parentheses if one is known. The text is valid until the next call. */
static const char *op_worst_residual(phx_dae *dae, const double *res)
{
    workspace *ws = dae_of(dae);
    const phx_system *system = ws->system;
    const char *name = system->n_bodies ? phx_body_name(system->bodies[0].body) : "";
    double largest = -1.0;
    int worst = -1;

    for (int b = 0; b < system->n_bodies; b++) {
        for (int i = 0; i < phx_body_n_v(system->bodies[b].body); i++) {
            const double size = fabs(res[system->bodies[b].v + i]);
            if (size > largest || isnan(size)) {
                largest = isnan(size) ? HUGE_VAL : size;
                name = phx_body_name(system->bodies[b].body);
                worst = b;
            }
            if (isnan(size) && phx_body_beyond(system->bodies[b].body)) {
                snprintf(ws->blame, sizeof ws->blame, "%.100s (%s)", name, phx_body_beyond(system->bodies[b].body));
                return ws->blame;
            }
        }
    }
    const joint_slot *joint = worst >= 0 ? singular_angles(ws, worst) : NULL;
    if (!joint)
        return name;
    snprintf(ws->blame, sizeof ws->blame,
             "%.60s (joint '%.60s' is near 90 deg of its second angle, where its three angles are not defined and what "
             "acts along them grows without bound; a bushing does not)",
             name, joint->name);
    return ws->blame;
}

/* Enlarges `position` and `velocity` to the largest violation of `count` rows of one joint from `first` on: values of
 * constraint rows, and rates of the active rows less the prescribed rate at time t. */
void phx_sys_rows_drift(const phx_system *system, int first, int count, const phx_port_view *a, const phx_port_view *b,
                        double t, double *position, double *velocity)
{
    const row_slot *slot = &system->rows.slot[first];
    const phx_row *rows[PHX_JOINT_MAX_ROWS] = {NULL};
    double values[PHX_JOINT_MAX_ROWS], rates[PHX_JOINT_MAX_ROWS];

    for (int k = 0; k < count; k++)
        rows[k] = slot[k].row;
    phx_rows_at(count, rows, a, b, values, rates);
    for (int k = 0; k < count; k++) {
        if (slot[k].role == ROW_DRIVEN) {
            const joint_slot *joint = &system->joints[slot[k].joint];
            rates[k] -= phx_signal_value(joint->coordinates[slot[k].coordinate].def.speed, t);
        }
        if (slot[k].role == ROW_CONSTRAINT)
            phx_sys_enlarge(position, values[k]);
        if (phx_sys_acts(&slot[k]))
            phx_sys_enlarge(velocity, rates[k]);
    }
}

void phx_sys_drift(const workspace *ws, double t, double *position, double *velocity)
{
    *position = *velocity = 0.0;
    if (ws->by->drift) {
        ws->by->drift(ws, t, position, velocity);
        return;
    }
    for (int r = 0; r < ws->system->rows.n; r++) {
        const row_slot *slot = &ws->system->rows.slot[r];
        if (phx_sys_acts(slot))
            phx_sys_rows_drift(ws->system, r, 1, &ws->ports.view[slot->a], &ws->ports.view[slot->b], t, position,
                               velocity);
    }
}

void phx_system_drift(phx_dae *dae, double t, const double *x, const double *v, double *position, double *velocity)
{
    phx_sys_set_instant(dae_of(dae), x, v);
    phx_sys_drift(dae_of(dae), t, position, velocity);
}

static void op_stiffness_apply(phx_dae *dae, const double *dxi, double *out)
{
    const workspace *ws = dae_of(dae);
    const kkt_matrix *kkt = &ws->kkt;
    for (int i = 0; i < kkt->n; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1] && kkt->idx[k] < kkt->n_v; k++)
            out[i] += ws->values.K[k] * dxi[kkt->idx[k]];
}

static void op_mass_apply(phx_dae *dae, const double *dv, double *out)
{
    const workspace *ws = dae_of(dae);
    const kkt_matrix *kkt = &ws->kkt;
    for (int i = 0; i < kkt->n_v; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1] && kkt->idx[k] < kkt->n_v; k++)
            out[i] += ws->values.M[k] * dv[kkt->idx[k]];
}

static phx_status op_solve(phx_dae *dae, int slot, double *b)
{
    return dae_of(dae)->by->solve(dae_of(dae), slot, b);
}

static phx_status op_solve_complex(phx_dae *dae, int slot, double *b)
{
    return phx_lu_solve(dae_of(dae)->values.lu_complex[slot], 1, b);
}

/* Creates an independent evaluation of the same system on the same backend with the same numerical damping. *twin is
 * NULL after an error. */
static phx_status op_twin(phx_dae *dae, phx_dae **twin)
{
    const workspace *ws = dae_of(dae);
    const phx_backend backend = ws->by == &phx_plain_evaluator ? PHX_BACKEND_PLAIN : PHX_BACKEND_FAST;
    const phx_status status = phx_system_dae_with(ws->system, dae->context, backend, twin);

    if (!status && ws->by->imitate)
        ws->by->imitate(dae_of(*twin), ws);
    if (status || !ws->damping.filters)
        return status;
    const phx_status filtered = phx_system_spectral_radius(*twin, ws->damping.radius);
    if (filtered) {
        phx_system_dae_destroy(*twin);
        *twin = NULL;
    }
    return filtered;
}

const phx_dae_ops phx_sys_ops = {
    .rates = op_rates,
    .residual = op_residual,
    .power = op_power,
    .accelerations = phx_sys_op_accelerations,
    .normalise = op_normalise,
    .count = op_unwrap,
    .tangent = op_tangent,
    .linearise = phx_sys_op_linearise,
    .stiffness_apply = op_stiffness_apply,
    .mass_apply = op_mass_apply,
    .factor = phx_sys_op_factor,
    .factor_complex = phx_sys_op_factor_complex,
    .solve = op_solve,
    .solve_complex = op_solve_complex,
    .interval_begin = op_interval_begin,
    .interval_residual = op_interval_residual,
    .interval_reactions = op_interval_reactions,
    .interval_linearise = phx_sys_op_interval_linearise,
    .interval_work = op_interval_work,
    .interval_finish = phx_sys_op_interval_finish,
    .keep = phx_sys_op_keep,
    .take_memory = phx_sys_op_take_memory,
    .project = phx_sys_op_project,
    .norm = op_norm,
    .place_speed = op_place_speed,
    .balance_speed = op_balance_speed,
    .velocity_sizes = op_velocity_sizes,
    .worst_residual = op_worst_residual,
    .check_signals = phx_sys_op_check_signals,
    .regularity = phx_sys_op_regularity,
    .dependent = phx_sys_op_dependent,
    .next_break = phx_sys_op_next_break,
    .next_sample = phx_sys_op_next_sample,
    .ode = phx_sys_op_ode,
    .twin = op_twin,
    .twin_destroy = phx_system_dae_destroy,
    .drift = phx_system_drift,
    .archive = phx_sys_op_archive,
};
