/* Two floating beams as descriptor systems, interconnected to a revolute joint in both ways of the paper (42), (44):
 * the same system entry by entry, the same accelerations and reactions as the joint of the system layer, no power lost.
 */
#include "support.h"
#include "dae/dae.h"
#include "body/body.h"
#include "statespace/internal.h"
#include "system/system.h"

#include <phlexor/system.h>

enum {
    BEAMS = 2,
    ENDS = 2,
    MAX_V = 24,
    MAX_X = 32,
    MAX_N = 40,
    SIZE = 4,
    STATES = 200,
    INPUTS = 8,
    WIDE = 2 * MAX_N + 2
};

static const double gravity[3] = {0.7, -9.81, 0.0};

/* A double pendulum without ground: beams, their ends as ports, the same beams in a system with a joint. */
typedef struct pendulum {
    phx_beam *beam[BEAMS];
    phx_body *body[BEAMS];
    phx_body_port port[BEAMS][ENDS]; /* P, C */
    int n_v[BEAMS], n_x[BEAMS], n_e[BEAMS];
    phx_system *system;
    phx_dae *dae;
    int at_x[BEAMS], at_v[BEAMS];
} pendulum;

static phx_body *make_body(phx_context *context, int k, phx_beam **beam)
{
    const phx_reference references[] = {PHX_REFERENCE_CANTILEVER, PHX_REFERENCE_SIMPLY_SUPPORTED};
    const char *names[] = {"crank", "coupler"};
    phx_beam_def def = phx_beam_def_default();
    phx_body_def body_def = phx_body_def_default();
    phx_body *body = NULL;

    def.dim = 2;
    def.length = 1.3 - 0.2 * k;
    def.mass_per_length = 0.7 + 0.3 * k;
    def.axial_stiffness = 50.0;
    def.bending_stiffness[0] = 3.0;
    def.elements = 2;
    def.reference = references[k];
    CHECK_STATUS(context, phx_beam_create(context, &def, beam), PHX_OK);
    body_def.name = names[k];
    body_def.dim = 2;
    body_def.flex = phx_flex_source_flex(*beam);
    CHECK_STATUS(context, phx_body_create(context, &body_def, &body), PHX_OK);
    return body;
}

static void make_system(phx_context *context, pendulum *it)
{
    phx_joint_def joint = phx_joint_def_default();
    phx_joint_id id = -1;

    CHECK_STATUS(context, phx_system_create(context, 2, gravity, &it->system), PHX_OK);
    for (int k = 0; k < BEAMS; k++) {
        phx_beam *beam = NULL;
        phx_body *body = make_body(context, k, &beam);
        phx_pose pose = phx_pose_default();
        phx_body_id at = -1;
        pose.position[0] = 1.3 * k;
        CHECK_STATUS(context, phx_system_add_body(it->system, body, beam, &pose, &at), PHX_OK);
        CHECK_STATUS(context, phx_system_add_beam_port(it->system, at, k ? 0.0 : 1.0, k ? &joint.b : &joint.a), PHX_OK);
    }
    joint.name = "hinge";
    joint.kind = PHX_JOINT_REVOLUTE;
    CHECK_STATUS(context, phx_system_add_joint(it->system, &joint, &id), PHX_OK);
    CHECK_STATUS(context, phx_system_finalise(it->system), PHX_OK);
    CHECK_STATUS(context, phx_system_dae(it->system, context, &it->dae), PHX_OK);
    assert_int_equal(it->dae->n_l, 2);
    for (int k = 0; k < BEAMS; k++)
        phx_system_offsets(it->system, k, &it->at_x[k], &it->at_v[k]);
}

static void make_pendulum(phx_context *context, pendulum *it)
{
    memset(it, 0, sizeof *it);
    for (int k = 0; k < BEAMS; k++) {
        it->body[k] = make_body(context, k, &it->beam[k]);
        it->n_v[k] = phx_body_n_v(it->body[k]);
        it->n_x[k] = phx_body_n_x(it->body[k]);
        it->n_e[k] = phx_body_structure_size(it->body[k]);
        assert_in_range(it->n_v[k], 1, MAX_V);
        assert_in_range(it->n_e[k], 1, MAX_N);
        for (int p = 0; p < ENDS; p++) {
            it->port[k][p].rotation[0] = it->port[k][p].rotation[3] = 1.0;
            CHECK_STATUS(context, phx_beam_point(it->beam[k], context, p, &it->port[k][p].point), PHX_OK);
        }
    }
    make_system(context, it);
}

static void free_pendulum(pendulum *it)
{
    phx_system_dae_destroy(it->dae);
    phx_system_destroy(it->system);
    for (int k = 0; k < BEAMS; k++) {
        for (int p = 0; p < ENDS; p++)
            phx_body_port_free(&it->port[k][p]);
        phx_body_destroy(it->body[k]);
        phx_flex_source_destroy(it->beam[k]);
    }
}

/* A state of each beam: any attitude, deformations of about 0.1 L, and its rotation. */
typedef struct beam_state {
    double x[MAX_X], v[MAX_V], R[4];
} beam_state;

static phx_body_view instant(const beam_state *s)
{
    return (phx_body_view){.h = 0.0, .x0 = s->x, .x1 = s->x, .xm = s->x, .v0 = s->v, .v1 = s->v, .vm = s->v};
}

static void random_state(const pendulum *it, int k, uint64_t *seed, beam_state *s)
{
    const int n_q = phx_body_n_q(it->body[k]);
    memset(s, 0, sizeof *s);
    random_vector(seed, 2, 2.0, s->x);
    phx_attitude_set(2, NULL, 3.0 * random_value(seed), s->x + 2);
    random_vector(seed, n_q, 0.1, s->x + 5);
    random_vector(seed, it->n_v[k], 1.0, s->v);
    phx_attitude_rotation(2, s->x + 2, s->R);
}

/* B of a port in body axes, (37): force rows turned from inertial axes, u = R u_b. Rows of the velocities of e. */
static void port_columns(const pendulum *it, int k, int p, const beam_state *s, int width, int first, double *B)
{
    const phx_body_view view = instant(s);
    int cols[MAX_V];
    double P[SIZE * MAX_V];
    const int count = phx_body_port_jacobian(it->body[k], &it->port[k][p], &view, cols, P);
    const int at = it->n_e[k] - it->n_v[k];

    for (int c = 0; c < count; c++) {
        for (int a = 0; a < 2; a++) /* rate in body axes: R^T u_dot */
            B[(at + cols[c]) * width + first + a] = s->R[a] * P[c] + s->R[2 + a] * P[count + c];
        B[(at + cols[c]) * width + first + 2] = P[2 * count + c] + P[3 * count + c]; /* rate of the section's angle */
    }
}

/* The beam as (37) in the paper's modified form: E = (I, M(q)), J from the structure operator; ports P (force),
 * P_torque, C, C_torque, in body axes. */
static phx_descriptor *describe(phx_context *context, const pendulum *it, int k, const beam_state *s)
{
    static const phx_descriptor_port ports[] = {{"P", 2}, {"P_torque", 1}, {"C", 2}, {"C_torque", 1}};
    static double E[MAX_N * MAX_N], J[MAX_N * MAX_N], B[MAX_N * 6], M[MAX_V * MAX_V];
    const int n = it->n_e[k], n_v = it->n_v[k], at = n - n_v;
    phx_csr csr[3] = {{0}, {0}, {0}};
    phx_descriptor *made = NULL;
    phx_descriptor_def def = phx_descriptor_def_default();

    memset(E, 0, sizeof E);
    memset(B, 0, sizeof B);
    phx_body_mass_matrix(it->body[k], s->x, M);
    phx_body_structure(it->body[k], PHX_STRUCTURE_MODIFIED, s->x, s->v, J);
    for (int i = 0; i < at; i++)
        E[i * n + i] = 1.0;
    for (int i = 0; i < n_v; i++)
        for (int j = 0; j < n_v; j++)
            E[(at + i) * n + at + j] = M[i * n_v + j];
    for (int p = 0; p < ENDS; p++)
        port_columns(it, k, p, s, 6, 3 * p, B);
    CHECK_STATUS(context, phx_csr_from_dense(context, n, n, E, 0.0, &csr[0]), PHX_OK);
    CHECK_STATUS(context, phx_csr_from_dense(context, n, n, J, 0.0, &csr[1]), PHX_OK);
    CHECK_STATUS(context, phx_csr_from_dense(context, n, 6, B, 0.0, &csr[2]), PHX_OK);
    def.name = phx_body_name(it->body[k]);
    def.n = n;
    def.E = &csr[0];
    def.J = &csr[1];
    def.B = &csr[2];
    def.n_ports = 4;
    def.ports = ports;
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &made), PHX_OK);
    for (int m = 0; m < 3; m++)
        phx_csr_free(&csr[m]);
    return made;
}

/* The joint (41): C = R1^T R2 between port C of the crank and port P of the coupler, in both ways. */
typedef struct hinge {
    phx_descriptor *part[BEAMS], *direct, *indirect;
    double C[4];
} hinge;

static phx_descriptor *side_by_side(phx_context *context, const phx_descriptor *a, const phx_descriptor *b)
{
    const phx_descriptor *parts[2] = {a, b};
    phx_descriptor *out = NULL;
    CHECK_STATUS(context, phx_descriptor_append(context, "mechanism", 2, parts, &out), PHX_OK);
    return out;
}

static void make_hinge(phx_context *context, const pendulum *it, const beam_state *s, hinge *joint)
{
    phx_descriptor *pair = NULL, *changed = NULL;
    const double *R1 = s[0].R, *R2 = s[1].R;

    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            joint->C[2 * a + b] = R1[a] * R2[b] + R1[2 + a] * R2[2 + b];
    for (int k = 0; k < BEAMS; k++)
        joint->part[k] = describe(context, it, k, &s[k]);
    pair = side_by_side(context, joint->part[0], joint->part[1]);
    CHECK_STATUS(context, phx_descriptor_transformer(context, pair, "crank.C", "coupler.P", joint->C, &joint->direct),
                 PHX_OK);
    phx_descriptor_destroy(pair);
    CHECK_STATUS(context, phx_descriptor_exchange(context, joint->part[1], "P", &changed), PHX_OK);
    pair = side_by_side(context, joint->part[0], changed);
    CHECK_STATUS(context, phx_descriptor_gyrator(context, pair, "crank.C", "coupler.P", joint->C, &joint->indirect),
                 PHX_OK);
    phx_descriptor_destroy(pair);
    phx_descriptor_destroy(changed);
}

static void free_hinge(hinge *joint)
{
    phx_descriptor *all[] = {joint->part[0], joint->part[1], joint->direct, joint->indirect};
    for (int k = 0; k < 4; k++)
        phx_descriptor_destroy(all[k]);
}

static void efforts(const pendulum *it, const beam_state *s, double *z)
{
    for (int k = 0; k < BEAMS; k++)
        phx_body_efforts(it->body[k], PHX_STRUCTURE_MODIFIED, gravity, s[k].x, s[k].v, z + (k ? it->n_e[0] : 0));
}

/* Random states that the joint allows: the coupler's frame moves so that C^T y1 = y2. */
static void random_mechanism(phx_context *context, const pendulum *it, uint64_t *seed, beam_state *s, hinge *joint)
{
    double z[2 * MAX_N], y[BEAMS][6];

    for (int k = 0; k < BEAMS; k++)
        random_state(it, k, seed, &s[k]);
    make_hinge(context, it, s, joint);
    efforts(it, s, z);
    for (int k = 0; k < BEAMS; k++)
        phx_descriptor_outputs(joint->part[k], z + (k ? it->n_e[0] : 0), NULL, y[k]);
    for (int b = 0; b < 2; b++)
        s[1].v[b] += joint->C[b] * y[0][3] + joint->C[2 + b] * y[0][4] - y[1][b];
    free_hinge(joint);
    make_hinge(context, it, s, joint);
}

static void test_same_joint(void **state)
{
    phx_context *context = *state;
    pendulum it;
    uint64_t seed = 1;

    make_pendulum(context, &it);
    for (int trial = 0; trial < STATES; trial++) {
        beam_state s[BEAMS];
        hinge joint;
        phx_descriptor_structure found;
        random_mechanism(context, &it, &seed, s, &joint);
        CHECK_SAME(phx_descriptor_E(joint.direct), phx_descriptor_E(joint.indirect), "E");
        CHECK_SAME(phx_descriptor_J(joint.direct), phx_descriptor_J(joint.indirect), "J");
        CHECK_SAME(phx_descriptor_R(joint.direct), phx_descriptor_R(joint.indirect), "R");
        CHECK_SAME(phx_descriptor_B(joint.direct), phx_descriptor_B(joint.indirect), "B");
        if (trial < 5) {
            CHECK_STATUS(context, phx_descriptor_check(context, joint.direct, &found), PHX_OK);
            CHECK_CLOSE(found.skew, 0.0, 0.0, "state %d: J + J^T", trial);
            CHECK_CLOSE(found.descriptor, 0.0, 1e-15, "state %d: E - E^T", trial);
            CHECK_CLOSE(found.E_least, 0.0, 1e-15, "state %d: least eigenvalue of E", trial);
            assert_int_equal(found.algebraic, 2);
        }
        free_hinge(&joint);
    }
    free_pendulum(&it);
}

/* [w]x y in the plane */
static void turn(double w, const double *y, double *out)
{
    out[0] = -w * y[1];
    out[1] = w * y[0];
}

/* Derivative of C^T y1 - y2 at fixed velocities: C^T (w1 x y1 + w1 x Phi q1_dot) - w2 x C^T y1 - w2 x Phi q2_dot, y the
 * port's velocity in body axes. */
static void joint_drift(const pendulum *it, const beam_state *s, const double *C, const double *const y[2], double *out)
{
    double sum[2][2], carried[2], spun[2];

    for (int k = 0; k < BEAMS; k++) {
        const phx_flex_point *point = &it->port[k][k ? 0 : 1].point;
        double phi_q[2] = {0.0, 0.0};
        for (int a = 0; a < 2; a++)
            for (int j = 0; j < point->n; j++)
                phi_q[a] += point->phi[a * point->n + j] * s[k].v[3 + point->dof[j]];
        turn(s[k].v[2], phi_q, sum[k]);
    }
    turn(s[0].v[2], y[0], spun);
    for (int b = 0; b < 2; b++) {
        carried[b] = C[b] * y[0][0] + C[2 + b] * y[0][1];
        out[b] = C[b] * (spun[0] + sum[0][0]) + C[2 + b] * (spun[1] + sum[0][1]) - sum[1][b];
    }
    turn(s[1].v[2], carried, spun);
    for (int b = 0; b < 2; b++)
        out[b] -= spun[b];
}

/* Accelerations of the descriptor system of index 2, whose constraint is differentiated once:
 *   | E   -J_l | | e_dot  |   | J_dd z_d + B u |
 *   | G     0  | | lambda | = |    -drift      |    G = J_ad on the velocities */
static void accelerate(phx_context *context, const pendulum *it, const beam_state *s, const hinge *joint,
                       const double *u, double *e_dot, double *lambda)
{
    static double A[WIDE * WIDE], dense[WIDE * WIDE];
    const int n_d = it->n_e[0] + it->n_e[1], n = n_d + 2;
    const phx_csr *E = phx_descriptor_E(joint->direct), *J = phx_descriptor_J(joint->direct);
    double z[2 * MAX_N + 2] = {0}, rhs[2 * MAX_N + 2], outputs[BEAMS][6];
    const double *y[2] = {outputs[0] + 3, outputs[1]};

    efforts(it, s, z);
    for (int k = 0; k < BEAMS; k++)
        phx_descriptor_outputs(joint->part[k], z + (k ? it->n_e[0] : 0), NULL, outputs[k]);
    phx_descriptor_rates(joint->direct, z, u, rhs); /* multipliers at zero */
    joint_drift(it, s, joint->C, y, rhs + n_d);
    phx_csr_to_dense(E, A);
    phx_csr_to_dense(J, dense);
    for (int i = 0; i < n_d; i++)
        for (int l = 0; l < 2; l++) {
            A[i * n + n_d + l] = -dense[i * n + n_d + l];
            A[(n_d + l) * n + i] = dense[(n_d + l) * n + i];
        }
    for (int l = 0; l < 2; l++)
        rhs[n_d + l] = -rhs[n_d + l];
    CHECK_STATUS(context, phx_dense_solve(context, n, A, 1, rhs), PHX_OK);
    memcpy(e_dot, rhs, (size_t)n_d * sizeof *rhs);
    memcpy(lambda, rhs + n_d, 2 * sizeof *rhs);
}

static void test_same_motion(void **state)
{
    phx_context *context = *state;
    pendulum it;
    uint64_t seed = 2;

    make_pendulum(context, &it);
    for (int trial = 0; trial < STATES; trial++) {
        beam_state s[BEAMS];
        hinge joint;
        double e_dot[2 * MAX_N], lambda[2], x[2 * MAX_X], v[2 * MAX_V], v_dot[2 * MAX_V], reaction[2], scale = 1.0;
        random_mechanism(context, &it, &seed, s, &joint);
        for (int k = 0; k < BEAMS; k++) {
            memcpy(x + it.at_x[k], s[k].x, (size_t)it.n_x[k] * sizeof *x);
            memcpy(v + it.at_v[k], s[k].v, (size_t)it.n_v[k] * sizeof *v);
        }
        accelerate(context, &it, s, &joint, NULL, e_dot, lambda);
        CHECK_STATUS(context, it.dae->ops->accelerations(it.dae, 0.0, x, v, v_dot, reaction), PHX_OK);
        for (int k = 0; k < BEAMS; k++) {
            const double *got = e_dot + (k ? it.n_e[0] : 0) + it.n_e[k] - it.n_v[k], *want = v_dot + it.at_v[k];
            for (int i = 0; i < it.n_v[k]; i++)
                scale = fmax(scale, fabs(want[i]));
            for (int i = 0; i < it.n_v[k]; i++)
                CHECK_CLOSE(got[i], want[i], 1e-12 * scale, "state %d: acceleration %d of beam %d", trial, i, k);
        }
        for (int a = 0; a < 2; a++) /* lambda acts on the coupler in its own axes */
            CHECK_CLOSE(s[1].R[2 * a] * lambda[0] + s[1].R[2 * a + 1] * lambda[1], reaction[a], 1e-11 * scale,
                        "state %d: reaction %d", trial, a);
        free_hinge(&joint);
    }
    free_pendulum(&it);
}

/* H_dot of both beams, from the accelerations, equals what the free ports supply. */
static void test_power(void **state)
{
    phx_context *context = *state;
    pendulum it;
    uint64_t seed = 3;

    make_pendulum(context, &it);
    for (int trial = 0; trial < STATES; trial++) {
        beam_state s[BEAMS];
        hinge joint;
        double z[2 * MAX_N + 2] = {0}, u[INPUTS], y[INPUTS], e_dot[2 * MAX_N], lambda[2], Ee[2 * MAX_N] = {0};
        const int n_d = it.n_e[0] + it.n_e[1];
        double H_dot = 0.0, scale = 0.0;
        random_mechanism(context, &it, &seed, s, &joint);
        efforts(&it, s, z);
        assert_int_equal(phx_descriptor_inputs(joint.direct), INPUTS);
        random_vector(&seed, INPUTS, 1.0, u);
        accelerate(context, &it, s, &joint, u, e_dot, lambda);
        phx_csr_apply(phx_descriptor_E(joint.direct), 1.0, e_dot, Ee);
        phx_descriptor_outputs(joint.direct, z, NULL, y);
        for (int i = 0; i < n_d; i++) {
            H_dot += z[i] * Ee[i];
            scale += fabs(z[i] * Ee[i]);
        }
        CHECK_CLOSE(H_dot - dot_product(INPUTS, u, y), 0.0, 1e-12 * scale, "state %d: H_dot - y^T u", trial);
        free_hinge(&joint);
    }
    free_pendulum(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_joint), cmocka_unit_test(test_same_motion),
                                       cmocka_unit_test(test_power)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
