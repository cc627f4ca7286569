/* The states of an independent program with a joint: a beam in such a state pinned by either end to a rigid body that
 * moves with it, both accelerations and the force in the joint against Newton's and Euler's equations with the forces
 * on the beam that its published accelerations tell. */
#include "support/vectors.h"

#include "support.h"

enum { VECTORS = 3, MOST_Q = 6, MOST_V = 12, MOST_ALL = 2 * 6 + MOST_Q + 3 };

static const double MASS = 0.8, PORT[3] = {0.2, -0.1, 0.3};
static const double INERTIA[3] = {0.02, 0.03, 0.04}; /* plane: the last */

/* A vector of the file: beam, state, accelerations, forces at its ends in body axes. */
typedef struct vector {
    int dim, n_rot, rigid, n_q, n_v;
    phx_reference reference;
    double x[24], v[MOST_V], v_dot[MOST_V], gravity[3], input[12];
} vector;

static void read_state(const char *object, vector *at)
{
    const int r = at->rigid, q = at->dim + phx_attitude_size(at->dim);

    vectors_numbers(object, "gravity", at->dim, at->gravity);
    vectors_numbers(object, "position", at->dim, at->x);
    vectors_numbers(object, "v_P", at->dim, at->v);
    vectors_numbers(object, "omega", at->n_rot, at->v + at->dim);
    vectors_numbers(object, "v_P_dot", at->dim, at->v_dot);
    vectors_numbers(object, "omega_dot", at->n_rot, at->v_dot + at->dim);
    if (at->dim == 2) {
        phx_attitude_set(2, NULL, vectors_number(object, "angle"), at->x + 2);
        vectors_numbers(object, "ux", 2, at->x + q);
        vectors_numbers(object, "uy", 4, at->x + q + 2);
        vectors_numbers(object, "ux_rate", 2, at->v + r);
        vectors_numbers(object, "uy_rate", 4, at->v + r + 2);
        vectors_numbers(object, "ux_ddot", 2, at->v_dot + r);
        vectors_numbers(object, "uy_ddot", 4, at->v_dot + r + 2);
        vectors_numbers(object, "u", 6, at->input);
    } else {
        vectors_numbers(object, "rotation_rows", 9, at->x + 3);
        vectors_numbers(object, "u", 5, at->x + q);
        vectors_numbers(object, "u_rate", 5, at->v + r);
        vectors_numbers(object, "u_ddot", 5, at->v_dot + r);
        vectors_numbers(object, "input", 12, at->input);
    }
}

static phx_body_id make_beam(model *m, const char *object, vector *at)
{
    phx_beam_def def = phx_beam_def_default();
    phx_body_def body = phx_body_def_default();
    phx_pose pose = phx_pose_default();
    phx_beam *beam = NULL;
    phx_body *made = NULL;
    phx_body_id id = -1;

    def.dim = body.dim = at->dim;
    def.length = vectors_number(object, "length");
    def.mass_per_length = vectors_number(object, "mass_per_length");
    def.axial_stiffness = vectors_number(object, "axial_stiffness");
    def.elements = (int)vectors_number(object, "elements");
    def.reference = at->reference;
    if (at->dim == 2) {
        def.bending_stiffness[0] = vectors_number(object, "bending_stiffness");
    } else {
        def.bending_stiffness[0] = vectors_number(object, "EIy");
        def.bending_stiffness[1] = vectors_number(object, "EIz");
        def.torsion_stiffness = INFINITY;
        def.polar_inertia = vectors_number(object, "section_inertia_about_axis") / def.length;
    }
    CHECK_OK(m->context, phx_beam_create(m->context, &def, &beam));
    body.name = "beam";
    body.flex = phx_flex_source_flex(beam);
    CHECK_OK(m->context, phx_body_create(m->context, &body, &made));
    CHECK_OK(m->context, phx_system_add_body(m->system, made, beam, &pose, &id));
    return id;
}

/* A point of the beam by its end: place in body axes, and what the deformation adds to its velocity (phi, dim x n_q)
 * and to the angular velocity of its section (theta, n_rot x n_q). The nodal values are those of the end. */
typedef struct beam_end {
    double r[3], r_dot[3], phi[3 * MOST_Q], theta[3 * MOST_Q];
} beam_end;

static void find_end(const vector *at, double length, int end, beam_end *it)
{
    const double *q = at->x + at->dim + phx_attitude_size(at->dim), *q_dot = at->v + at->rigid;
    const bool held = at->reference == PHX_REFERENCE_CANTILEVER;

    memset(it, 0, sizeof *it);
    if (at->dim == 3 && end == 1) { /* ux, uy, uy', uz, uz' */
        it->phi[0] = it->phi[at->n_q + 1] = it->phi[2 * at->n_q + 3] = 1.0;
        it->theta[at->n_q + 4] = -1.0;
        it->theta[2 * at->n_q + 2] = 1.0;
    } else if (at->dim == 2) { /* ux of two nodes, then uy, uy': cantilever of nodes 1, 2; else uy'0, uy1, uy'1, uy'2 */
        if (end == 1)
            it->phi[1] = it->theta[5] = 1.0;
        if (end == 1 && held)
            it->phi[at->n_q + 4] = 1.0;
        if (end == 0 && !held)
            it->theta[2] = 1.0;
    }
    it->r[0] = end * length;
    for (int a = 0; a < at->dim; a++)
        for (int i = 0; i < at->n_q; i++) {
            it->r[a] += it->phi[a * at->n_q + i] * q[i];
            it->r_dot[a] += it->phi[a * at->n_q + i] * q_dot[i];
        }
}

/* w x a with w a number in the plane. */
static void cross(int dim, const double *w, const double *a, double *y)
{
    phx_rot_x_vec(dim, w, a, y);
}

/* The velocity of the point is B nu in body axes; B: dim x n columns, rigid ones and then phi. */
static void velocity_columns(int dim, int n_rot, int n, int n_q, const double *r, const double *phi, double *B)
{
    for (int a = 0; a < dim; a++) {
        B[a * n + a] = 1.0;
        for (int i = 0; i < n_q; i++)
            B[a * n + dim + n_rot + i] = phi[a * n_q + i];
    }
    for (int k = 0; k < n_rot; k++) {
        double w[3] = {0}, turned[3];
        w[k] = 1.0;
        cross(dim, w, r, turned);
        for (int a = 0; a < dim; a++)
            B[a * n + dim + k] = turned[a];
    }
}

/* The part of the point's acceleration that is not linear in nu_dot, body axes: w x (v + w x r + 2 r_dot). */
static void convective(const vector *at, const double *v, const double *w, const beam_end *it, double *out)
{
    double inner[3];
    cross(at->dim, w, it->r, inner);
    for (int a = 0; a < at->dim; a++)
        inner[a] += v[a] + 2.0 * it->r_dot[a];
    cross(at->dim, w, inner, out);
}

/* Force on the beam's velocities with the joint open: M v_dot less what the input does. */
static void open_force(const vector *at, const phx_body *body, double length, double *M, double *force)
{
    phx_body_mass_matrix(body, at->x, M);
    for (int i = 0; i < at->n_v; i++)
        force[i] = dot_product(at->n_v, M + i * at->n_v, at->v_dot);
    for (int end = 0; end < 2; end++) {
        const double *u = at->input + end * at->rigid;
        double B[3 * MOST_V] = {0};
        beam_end it;
        find_end(at, length, end, &it);
        velocity_columns(at->dim, at->n_rot, at->n_v, at->n_q, it.r, it.phi, B);
        for (int i = 0; i < at->n_v; i++)
            for (int a = 0; a < at->dim; a++)
                force[i] -= B[a * at->n_v + i] * u[a];
        for (int k = 0; k < at->n_rot; k++) { /* a torque works on w + theta_dot */
            force[at->dim + k] -= u[at->dim + k];
            for (int i = 0; i < at->n_q; i++)
                force[at->rigid + i] -= it.theta[k * at->n_q + i] * u[at->dim + k];
        }
    }
}

/* The rigid body: its centre is its frame's origin. Attitude and velocities such that its port goes with the beam's
 * end.
 */
typedef struct carrier {
    double x[12], v[6], R[9];
} carrier;

static void place_carrier(const vector *at, const beam_end *it, carrier *c)
{
    const double axis[3] = {1.0, 2.0, -0.5}, spin[3] = {0.9, -1.4, 0.6};
    const int dim = at->dim;
    double R[9], point[3], rate[3], arm[3], turned[3];

    memset(c, 0, sizeof *c);
    if (dim == 2) {
        phx_attitude_set(2, NULL, -0.8, c->x + 2);
    } else {
        phx_rot_axis_angle(3, axis, 0.9, c->R);
        phx_attitude_set(3, c->R, 0.0, c->x + 3);
    }
    phx_attitude_rotation(dim, c->x + dim, c->R);
    phx_attitude_rotation(dim, at->x + dim, R);
    cross(dim, at->v + dim, it->r, rate);
    for (int a = 0; a < dim; a++)
        rate[a] += at->v[a] + it->r_dot[a];
    phx_rot_apply(dim, R, it->r, point);
    phx_rot_apply(dim, c->R, PORT, arm);
    phx_rot_apply(dim, R, rate, turned); /* inertial velocity of the end */
    for (int a = 0; a < dim; a++)
        c->x[a] = at->x[a] + point[a] - arm[a];
    for (int k = 0; k < at->n_rot; k++)
        c->v[dim + k] = spin[k];
    phx_rot_apply_transposed(dim, c->R, turned, c->v);
    cross(dim, spin, PORT, turned);
    for (int a = 0; a < dim; a++)
        c->v[a] -= turned[a];
}

/* want: accelerations of the carrier and of the beam, force of the carrier on the beam (inertial).
 *   | M_c  .    J_c^T | | nu_c' |   | f_c |
 *   | .    M_b -J_b^T | | nu_b' | = | f_b |
 *   | J_c -J_b   .    | | F     |   | b   | */
static void solve_pinned(phx_context *context, const vector *at, const phx_body *body, double length, int end,
                         const carrier *c, double *want)
{
    const int dim = at->dim, r = at->rigid, n = r + at->n_v + dim;
    double A[MOST_ALL * MOST_ALL] = {0}, M[MOST_V * MOST_V], force[MOST_V], B[2][3 * MOST_V] = {{0}}, R[9], g[3];
    double gamma[2][3] = {{0}}, pull[2][3], Iw[3], gyro[3];
    beam_end tip, port = {.r = {PORT[0], PORT[1], PORT[2]}};

    find_end(at, length, end, &tip);
    open_force(at, body, length, M, force);
    phx_attitude_rotation(dim, at->x + dim, R);
    velocity_columns(dim, at->n_rot, r, 0, port.r, NULL, B[0]);
    velocity_columns(dim, at->n_rot, at->n_v, at->n_q, tip.r, tip.phi, B[1]);
    convective(at, c->v, c->v + dim, &port, gamma[0]);
    convective(at, at->v, at->v + dim, &tip, gamma[1]);
    phx_rot_apply(dim, c->R, gamma[0], pull[0]);
    phx_rot_apply(dim, R, gamma[1], pull[1]);
    for (int i = 0; i < at->n_v; i++) {
        want[r + i] = force[i];
        for (int j = 0; j < at->n_v; j++)
            A[(r + i) * n + r + j] = M[i * at->n_v + j];
    }
    /* m (v' + w x v) = m g,  I w' + w x I w = 0 */
    phx_rot_apply_transposed(dim, c->R, at->gravity, g);
    cross(dim, c->v + dim, c->v, gyro);
    for (int a = 0; a < dim; a++) {
        A[a * n + a] = MASS;
        want[a] = MASS * (g[a] - gyro[a]);
    }
    for (int k = 0; k < at->n_rot; k++) {
        A[(dim + k) * n + dim + k] = INERTIA[dim == 2 ? 2 : k];
        Iw[k] = INERTIA[dim == 2 ? 2 : k] * c->v[dim + k];
    }
    if (dim == 3) {
        phx_vec_x_vec(3, Iw, c->v + 3, gyro);
        memcpy(want + 3, gyro, sizeof gyro);
    } else {
        want[2] = 0.0;
    }
    for (int side = 0; side < 2; side++) /* J = R B */
        for (int i = 0; i < (side ? at->n_v : r); i++)
            for (int a = 0; a < dim; a++) {
                const int col = (side ? r : 0) + i, row = r + at->n_v + a;
                double sum = 0.0;
                for (int b = 0; b < dim; b++)
                    sum += (side ? R : c->R)[a * dim + b] * B[side][b * (side ? at->n_v : r) + i];
                A[row * n + col] = side ? -sum : sum;
                A[col * n + row] = side ? -sum : sum;
            }
    for (int a = 0; a < dim; a++)
        want[r + at->n_v + a] = pull[1][a] - pull[0][a];
    CHECK_OK(context, phx_dense_solve(context, n, A, 1, want));
}

static void check_pinned(phx_context *context, const char *object, int number, int end)
{
    vector at = {.dim = vectors_value_is(object, "kind", "planar") ? 2 : 3};
    const double length = vectors_number(object, "length");
    const double plane[1] = {INERTIA[2]}, space[9] = {[0] = INERTIA[0], [4] = INERTIA[1], [8] = INERTIA[2]};
    phx_rigid_def rigid = {.mass = MASS};
    phx_body_def def = phx_body_def_default();
    phx_pose pose = phx_pose_default();
    phx_body *made = NULL;
    phx_body_id ids[2];
    phx_port_id port = -1;
    carrier c;
    beam_end tip;
    double want[MOST_ALL], columns[6];
    model m;

    at.n_rot = at.dim == 2 ? 1 : 3;
    at.rigid = at.dim + at.n_rot;
    at.n_q = at.dim == 2 ? 6 : 5;
    at.n_v = at.rigid + at.n_q;
    at.reference =
        vectors_value_is(object, "reference", "cantilever") ? PHX_REFERENCE_CANTILEVER : PHX_REFERENCE_SIMPLY_SUPPORTED;
    read_state(object, &at);
    if (at.dim == 2)
        model_open(context, at.gravity[0], at.gravity[1], &m);
    else
        model_open_space(context, at.gravity, &m);
    memcpy(rigid.inertia, at.dim == 2 ? plane : space, at.dim == 2 ? sizeof plane : sizeof space);
    def.name = "carrier";
    def.dim = at.dim;
    def.rigid = &rigid;
    CHECK_OK(context, phx_body_create(context, &def, &made));
    CHECK_OK(context, phx_system_add_body(m.system, made, NULL, &pose, &ids[0]));
    CHECK_OK(context, phx_system_add_port(m.system, ids[0], PORT, NULL, &port));
    ids[1] = make_beam(&m, object, &at);
    const phx_joint_id pin =
        add_joint(&m, "pin", at.dim == 2 ? PHX_JOINT_REVOLUTE : PHX_JOINT_SPHERICAL, port, at_beam(&m, ids[1], end));
    const phx_output_def reaction = {
        .name = "pin", .quantity = PHX_QUANTITY_REACTION, .port = -1, .joint = pin, .inertial = true};
    CHECK_OK(context, phx_system_add_output(m.system, &reaction));
    model_ready(&m);

    find_end(&at, length, end, &tip);
    place_carrier(&at, &tip, &c);
    solve_pinned(context, &at, phx_system_body(m.system, ids[1]), length, end, &c, want);
    const int n_x = at.dim + phx_attitude_size(at.dim);
    memcpy(m.x, c.x, (size_t)n_x * sizeof *m.x);
    memcpy(m.x + n_x, at.x, (size_t)(n_x + at.n_q) * sizeof *m.x);
    memcpy(m.v, c.v, (size_t)at.rigid * sizeof *m.v);
    memcpy(m.v + at.rigid, at.v, (size_t)at.n_v * sizeof *m.v);
    double *v_dot = test_calloc((size_t)m.n_v, sizeof *v_dot);
    CHECK_OK(context, m.dae->ops->accelerations(m.dae, 0.0, m.x, m.v, v_dot, m.lambda));
    CHECK_VECTOR(m.n_v, v_dot, want, 1e-10, "vector %d, end %d: accelerations", number, end);
    CHECK_OK(context, phx_system_outputs(m.dae, 0.0, m.x, m.v, columns));
    CHECK_VECTOR(at.dim, columns, want + m.n_v, 1e-10, "vector %d, end %d: force in the joint", number, end);
    test_free(v_dot);
    model_close(&m);
}

static void beams_in_the_states_of_the_file_are_pinned(void **state)
{
    char *text = vectors_read(), *at = text, *object;
    int count = 0;

    for (int number = 1; (object = vectors_next(&at)); number++) {
        if (vectors_value_is(object, "kinetics", "simplified"))
            continue; /* its accelerations tell no forces: its mass matrix is another */
        for (int end = 0; end < 2; end++)
            check_pinned(*state, object, number, end);
        count++;
    }
    assert_int_equal(count, VECTORS);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(beams_in_the_states_of_the_file_are_pinned, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
