/* The port-Hamiltonian form: skew structure matrices, both forms give the same motion, power balance of every kind. */
#include "support.h"

enum { MAX_N = MAX_V + MAX_X, STATES = 1000 };

/* Motion of a body under random efforts at both ends, and the power they supply. */
typedef struct motion {
    double x[MAX_X], v[MAX_V], v_dot[MAX_V], force[MAX_V];
    double supplied, supplied_scale;
} motion;

typedef struct ends {
    phx_body_port port[2];
} ends;

static void make_ends(phx_context *context, const subject *it, ends *at)
{
    for (int k = 0; k < 2; k++)
        subject_port(context, it, k ? 1.0 : 0.0, &at->port[k]);
}

static void free_ends(ends *at)
{
    for (int k = 0; k < 2; k++)
        phx_body_port_free(&at->port[k]);
}

static void random_motion(phx_context *context, const subject *it, const ends *at, uint64_t *seed, motion *m)
{
    const int n_port = phx_port_size(it->dim);
    random_configuration(seed, it, m->x);
    random_velocity(seed, it, m->v);
    memset(m->force, 0, sizeof m->force);
    m->supplied = m->supplied_scale = 0.0;
    const phx_body_view view = instant(m->x, m->v);
    for (int k = 0; k < 2; k++) {
        double effort[PHX_PORT_MAX];
        phx_port_view port;
        random_vector(seed, n_port, 1.0, effort);
        phx_body_port_apply(it->body, &at->port[k], &view, 1.0, effort, m->force);
        phx_body_port_view(it->body, &at->port[k], &view, &port);
        m->supplied += dot_product(n_port, effort, port.rate);
        for (int i = 0; i < n_port; i++)
            m->supplied_scale += fabs(effort[i] * port.rate[i]);
    }
    accelerations(context, it, test_gravity, m->x, m->v, m->force, m->v_dot);
}

/* Friction R q_dot as a force on the body: what its twin without damping lacks. */
static void subtract_friction(const subject *it, const subject *twin, motion *m)
{
    double with[MAX_V], without[MAX_V];
    const double still[MAX_V] = {0};
    phx_body_residual(it->body, test_gravity, m->x, m->v, still, with);
    phx_body_residual(twin->body, test_gravity, m->x, m->v, still, without);
    for (int i = 0; i < it->n_v; i++)
        m->force[i] -= with[i] - without[i];
}

/* Rates along q + t q_dot, nu + t nu_dot: the momenta are cubic and the energies quartic in t, so differences of order
 * four are exact. Gravity's power is the weight times the velocity of the centre of mass. */
typedef struct rates {
    double p[MAX_V], p_scale, H, H_scale;
} rates;

static void exact_rates(const subject *it, const motion *m, rates *out)
{
    const double step = 1.0 / (1.0 + max_abs(it->n_v, m->v_dot)), weight[4] = {1.0, -8.0, 8.0, -1.0};
    const int side[4] = {-2, -1, 1, 2};
    double x1[MAX_X], v1[MAX_V], p[MAX_V], mass[MAX_V * MAX_V], linear[3], angular[3];

    memset(out, 0, sizeof *out);
    memcpy(x1, m->x, sizeof x1);
    for (int k = 0; k < 4; k++) {
        const double factor = weight[k] / (12.0 * step);
        for (int i = 0; i < it->n_v; i++)
            v1[i] = m->v[i] + step * side[k] * m->v_dot[i];
        for (int i = 0; i < it->n_q; i++)
            x1[at_q(it) + i] = m->x[at_q(it) + i] + step * side[k] * m->v[it->n_rigid + i];
        phx_body_momenta(it->body, x1, v1, p);
        for (int i = 0; i < it->n_v; i++)
            out->p[i] += factor * p[i];
        out->H += factor * (phx_body_kinetic(it->body, x1, v1) + phx_body_elastic(it->body, x1));
    }
    phx_body_inertial_momentum(it->body, m->x, m->v, linear, angular);
    for (int a = 0; a < it->dim; a++) {
        out->H -= test_gravity[a] * linear[a];
        out->H_scale += fabs(test_gravity[a] * linear[a]);
    }
    phx_body_mass_matrix(it->body, m->x, mass);
    for (int i = 0; i < it->n_v; i++) { /* sizes of what is summed: light coordinates have large accelerations */
        double sum = 1.0;
        for (int j = 0; j < it->n_v; j++)
            sum += fabs(mass[i * it->n_v + j] * m->v_dot[j]);
        out->p_scale = fmax(out->p_scale, sum);
        out->H_scale += fabs(m->v[i]) * sum;
    }
}

/* x' of the state (r, direction cosines, q): in the plane the cosines are all four entries of R. */
static int state_rates(const subject *it, const motion *m, double *rate)
{
    const int d = it->dim;
    double R[9], x_dot[MAX_X];

    phx_attitude_rotation(d, m->x + d, R);
    phx_body_rates(it->body, m->x, m->v, x_dot);
    memcpy(rate, x_dot, (size_t)d * sizeof *rate);
    for (int i = 0; i < d; i++) /* row i of R: R_i' = R_i x w */
        phx_vec_x_rot(d, R + i * d, m->v + d, rate + d + i * d);
    memcpy(rate + d + d * d, m->v + it->n_rigid, (size_t)it->n_q * sizeof *rate);
    return d + d * d + it->n_q;
}

static void structure_times(const subject *it, phx_structure_form form, const motion *m, double *z, double *Jz)
{
    static double J[MAX_N * MAX_N];
    const int n = phx_body_structure_size(it->body);
    assert_in_range(n, 1, MAX_N);
    phx_body_structure(it->body, form, m->x, m->v, J);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (J[i * n + j] + J[j * n + i] != 0.0) {
                print_error("%s, form %d: J(%d,%d) = %.17g, J(%d,%d) = %.17g\n", it->name, (int)form, i, j,
                            J[i * n + j], j, i, J[j * n + i]);
                fail();
            }
    phx_body_efforts(it->body, form, test_gravity, m->x, m->v, z);
    for (int i = 0; i < n; i++)
        Jz[i] = dot_product(n, J + i * n, z);
}

static void check_forces(const subject *it, const double *got, const double *want, double scale, const char *form)
{
    for (int i = 0; i < it->n_v; i++)
        CHECK_CLOSE((got[i] - want[i]) / scale, 0.0, 1e-13, "%s: %s form, row %d", it->name, form, i);
}

/* Both forms reproduce the motion: x' = J z in the state, momenta or M nu_dot with the forces in the rest. */
static void check_forms(const subject *it, const motion *m, const rates *rate)
{
    double z[MAX_N], Jz[MAX_N], want[MAX_N], mass[MAX_V * MAX_V];
    const int n = state_rates(it, m, want);

    structure_times(it, PHX_STRUCTURE_CANONICAL, m, z, Jz);
    if (it->kinetics == PHX_KINETICS_FULL) {
        for (int i = 0; i < it->n_v; i++)
            want[n + i] = rate->p[i] - m->force[i];
        CHECK_VECTOR(n, Jz, want, 1e-14, "%s: canonical form, state", it->name);
        check_forces(it, Jz + n, want + n, rate->p_scale, "canonical");
    }
    structure_times(it, PHX_STRUCTURE_MODIFIED, m, z, Jz);
    phx_body_mass_matrix(it->body, m->x, mass);
    for (int i = 0; i < it->n_v; i++)
        want[n + i] = dot_product(it->n_v, mass + i * it->n_v, m->v_dot) - m->force[i];
    CHECK_VECTOR(n, Jz, want, 1e-14, "%s: modified form, state", it->name);
    check_forces(it, Jz + n, want + n, rate->p_scale, "modified");
}

static void each_kind(void **state, bool power)
{
    uint64_t seed = 5;
    for (int k = 0; k < n_body_kinds; k++) {
        body_kind kind = body_kinds[k];
        subject it, twin;
        ends at;
        subject_create(*state, &kind, &it);
        kind.damping_mass = kind.damping_stiffness = kind.damping_modal = 0.0;
        subject_create(*state, &kind, &twin);
        make_ends(*state, &it, &at);
        for (int n = 0; n < (power ? STATES : STATES / 20); n++) {
            motion m;
            rates rate;
            random_motion(*state, &it, &at, &seed, &m);
            exact_rates(&it, &m, &rate);
            if (!power) {
                subtract_friction(&it, &twin, &m);
                check_forms(&it, &m, &rate);
            } else if (it.kinetics == PHX_KINETICS_FULL) {
                const double residual = rate.H + phx_body_dissipation(it.body, m.v) - m.supplied;
                CHECK_CLOSE(residual / (rate.H_scale + m.supplied_scale), 0.0, 1e-12, "%s, state %d: power balance",
                            it.name, n);
            }
        }
        free_ends(&at);
        subject_destroy(&twin);
        subject_destroy(&it);
    }
}

static void test_forms(void **state)
{
    each_kind(state, false);
}

static void test_power_balance(void **state)
{
    each_kind(state, true);
}

/* H as a function of the configuration at fixed momenta. */
static double hamiltonian(phx_context *context, const subject *it, const double *x, const double *p)
{
    double mass[MAX_V * MAX_V], v[MAX_V];
    phx_body_mass_matrix(it->body, x, mass);
    memcpy(v, p, (size_t)it->n_v * sizeof *v);
    CHECK_STATUS(context, phx_dense_solve(context, it->n_v, mass, 1, v), PHX_OK);
    return 0.5 * dot_product(it->n_v, p, v) + phx_body_elastic(it->body, x) +
           phx_body_potential(it->body, test_gravity, x);
}

/* z of the canonical form is dH: differences along r, along turns (R' is R [w]x) and along q. */
static void check_efforts(phx_context *context, const subject *it, uint64_t *seed)
{
    const int d = it->dim, q = d + d * d;
    const double step = 2e-4, weight[4] = {1.0, -8.0, 8.0, -1.0};
    const int side[4] = {-2, -1, 1, 2};
    double x[MAX_X], v[MAX_V], p[MAX_V], z[MAX_N], got[MAX_V] = {0}, want[MAX_V] = {0}, R[9];

    random_configuration(seed, it, x);
    random_velocity(seed, it, v);
    phx_body_momenta(it->body, x, v, p);
    phx_body_efforts(it->body, PHX_STRUCTURE_CANONICAL, test_gravity, x, v, z);
    phx_attitude_rotation(d, x + d, R);
    phx_rot_apply_transposed(d, R, z, got);
    for (int i = 0; i < d; i++) { /* dV = z_Ri . (R_i x dphi) = dphi . (z_Ri x R_i) */
        double torque[3];
        phx_vec_x_vec(d, z + d + i * d, R + i * d, torque);
        for (int k = 0; k < it->n_rot; k++)
            got[d + k] += torque[k];
    }
    memcpy(got + it->n_rigid, z + q, (size_t)it->n_q * sizeof *z);
    for (int i = 0; i < it->n_v; i++) {
        double xi[MAX_V] = {0}, x1[MAX_X];
        xi[i] = 1.0;
        for (int k = 0; k < 4; k++) {
            displaced(it, x, step * side[k], xi, x1);
            want[i] += weight[k] / (12.0 * step) * hamiltonian(context, it, x1, p);
        }
    }
    CHECK_VECTOR(it->n_v, got, want, 1e-8, "%s: efforts", it->name);
    CHECK_VECTOR(it->n_v, z + q + it->n_q, v, 0.0, "%s: efforts of momenta", it->name);
}

static void test_efforts(void **state)
{
    uint64_t seed = 6;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(*state, &body_kinds[k], &it);
        for (int n = 0; n < 10 && it.kinetics == PHX_KINETICS_FULL; n++)
            check_efforts(*state, &it, &seed);
        subject_destroy(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_power_balance),
                                       cmocka_unit_test(test_efforts)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
