/* Free bodies in space: the torque-free top against Jacobi's solution, invariants over long runs, orders. */
#include "mechanism.h"

/* ---- Jacobi's solution of J w' = J w x w, J1 < J2 < J3, |J w|^2 > 2 T J2 ---- */
/* Carlson's integral R_F(x, y, z) by duplication. */
static double carlson(double x, double y, double z)
{
    for (int i = 0; i < 40; i++) {
        const double root = sqrt(x * y) + sqrt(y * z) + sqrt(z * x);
        x = 0.25 * (x + root);
        y = 0.25 * (y + root);
        z = 0.25 * (z + root);
    }
    return 1.0 / sqrt(x);
}

/* sn, cn, dn at u by the arithmetic-geometric mean. */
static void jacobi(double u, double k2, double *sn, double *cn, double *dn)
{
    double a[40] = {1.0}, c[40] = {sqrt(k2)}, b = sqrt(1.0 - k2);
    int n = 0;
    while (fabs(c[n]) > 1e-16 && n < 38) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n), before = phi;
    for (; n > 0; n--) {
        before = phi;
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    }
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = fabs(cos(before - phi)) > 0.1 ? *cn / cos(before - phi) : sqrt(1.0 - k2 * *sn * *sn);
}

typedef struct top {
    double J[3], size[3], rate, k2, start, flip;
} top;

static void make_top(const double *J, const double *w, top *t)
{
    double energy2 = 0.0, momentum2 = 0.0;
    for (int i = 0; i < 3; i++) {
        t->J[i] = J[i];
        energy2 += J[i] * w[i] * w[i];
        momentum2 += J[i] * J[i] * w[i] * w[i];
    }
    assert_true(J[0] < J[1] && J[1] < J[2] && momentum2 > energy2 * J[1]);
    const double low = energy2 * J[2] - momentum2, high = momentum2 - energy2 * J[0];
    t->size[0] = sqrt(low / (J[0] * (J[2] - J[0])));
    t->size[1] = sqrt(low / (J[1] * (J[2] - J[1])));
    t->size[2] = sqrt(high / (J[2] * (J[2] - J[0])));
    t->rate = sqrt((J[2] - J[1]) * high / (J[0] * J[1] * J[2]));
    t->k2 = (J[1] - J[0]) * low / ((J[2] - J[1]) * high);
    /* w1 = cn, w2 = sn, w3 = dn; the phase at t = 0 from w2, cn > 0 */
    const double sn = w[1] / t->size[1];
    assert_true(w[0] > 0.0 && w[2] > 0.0);
    t->start = sn * carlson(1.0 - sn * sn, 1.0 - t->k2 * sn * sn, 1.0);
    t->flip = 2.0 * carlson(0.0, 1.0 - t->k2, 1.0) / t->rate;
}

static void angular_velocity(const top *t, double time, double *w)
{
    double value[3];
    jacobi(t->start + t->rate * time, t->k2, &value[1], &value[0], &value[2]);
    for (int i = 0; i < 3; i++)
        w[i] = t->size[i] * value[i];
}

/* R' = R [w]x from R(0) = I by Simpson's fourth-order Runge-Kutta steps. */
static void attitude(const top *t, double time, int steps, double *R)
{
    const double h = time / steps;
    for (int i = 0; i < 9; i++)
        R[i] = i % 4 == 0;
    for (int s = 0; s < steps; s++) {
        double w[3][3], sum[9] = {0.0}, stage[9];
        for (int k = 0; k < 3; k++)
            angular_velocity(t, h * (s + 0.5 * k), w[k]);
        memcpy(stage, R, sizeof stage);
        for (int k = 0; k < 4; k++) {
            const double *u = w[(k + 1) / 2], weight = k == 0 || k == 3 ? h / 6.0 : h / 3.0;
            double slope[9];
            for (int i = 0; i < 3; i++) {
                const double *r = stage + 3 * i;
                slope[3 * i] = r[1] * u[2] - r[2] * u[1];
                slope[3 * i + 1] = r[2] * u[0] - r[0] * u[2];
                slope[3 * i + 2] = r[0] * u[1] - r[1] * u[0];
            }
            for (int i = 0; i < 9; i++) {
                sum[i] += weight * slope[i];
                stage[i] = R[i] + (k < 2 ? 0.5 * h : h) * slope[i];
            }
        }
        for (int i = 0; i < 9; i++)
            R[i] += sum[i];
    }
}

static const double inertia[3] = {1.0, 2.0, 3.0}, start[3] = {0.1, 2.0, 0.1};

/* The solution itself: flip interval and w(60) as computed elsewhere, Euler's equations. */
static void jacobi_solves_eulers_equations(void **state)
{
    (void)state;
    static const double want[3] = {-1.980034, -0.29910759, 1.14608532};
    double w[3], before[3], after[3];
    top t;
    make_top(inertia, start, &t);
    CHECK_CLOSE(t.flip, 6.9765159, 5e-8, "flip interval");
    angular_velocity(&t, 60.0, w);
    CHECK_VECTOR(3, w, want, 5e-9, "angular velocity after 60 s");
    for (double time = 0.0; time < 20.0; time += 0.73) {
        const double h = 1e-4;
        angular_velocity(&t, time - h, before);
        angular_velocity(&t, time, w);
        angular_velocity(&t, time + h, after);
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const double rate = (inertia[j] - inertia[k]) * w[j] * w[k] / inertia[i];
            CHECK_CLOSE((after[i] - before[i]) / (2.0 * h), rate, 1e-7, "component %d at %g s", i, time);
        }
    }
}

static const char *const body = "phlexor: 1\n"
                                "dimension: 3\n"
                                "parameters: {V: 0}\n"
                                "bodies:\n"
                                "  body: {kind: rigid, mass: 1.7, inertia: [1, 2, 3], pose: {position: [3, 1, -2]},\n"
                                "         velocity: {linear: [V, -2*V, V], angular: [0.1, 2, 0.1]}}\n";

/* Angular velocity and attitude after 60 s, eight flips. */
static void body_follows_jacobi(void **state)
{
    (void)state;
    static const struct {
        phx_integrator integrator;
        double step, rtol, tolerance;
    } cases[] = {{PHX_MIDPOINT, 1e-3, 0.0, 1e-4}, {PHX_MIDPOINT4, 5e-3, 0.0, 1e-9}, {PHX_GAUSS4, 5e-3, 0.0, 1e-8},
                 {PHX_GAUSS6, 1e-2, 0.0, 1e-9},   {PHX_RADAU5, 5e-3, 0.0, 1e-9},    {PHX_RADAU5, 1e-2, 1e-11, 1e-8},
                 {PHX_IDA, 1e-2, 1e-11, 1e-6}};
    const double place[3] = {3.0 + 60.0 * 0.1, 1.0 - 60.0 * 0.2, -2.0 + 60.0 * 0.1};
    const phx_model_override moving = {"V", NULL, 0.1};
    double w[3], R[9];
    mechanism m;
    top t;
    make_top(inertia, start, &t);
    angular_velocity(&t, 60.0, w);
    attitude(&t, 60.0, 30000, R);
    mechanism_open(&m, body, 1, &moving);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *name = phx_integrator_name(cases[k].integrator);
        phx_integrate_options options = phx_integrate_options_default();
        options.integrator = cases[k].integrator;
        options.step = cases[k].step;
        options.rtol = options.atol = cases[k].rtol;
        options.end = options.every = 60.0;
        double *end = mechanism_final_state(&m, &options);
        print_message("%-9s after 60 s: %.2g rad/s, attitude %.2g\n", name,
                      mechanism_distance(end + m.dae->n_x + 3, w, 3), mechanism_distance(end + 3, R, 9));
        CHECK_SMALL(mechanism_distance(end + m.dae->n_x + 3, w, 3), cases[k].tolerance, "angular velocity by %s", name);
        CHECK_SMALL(mechanism_distance(end + 3, R, 9), cases[k].tolerance, "attitude by %s", name);
        CHECK_SMALL(mechanism_distance(end, place, 3), cases[k].tolerance, "place by %s", name);
        free(end);
    }
    mechanism_close(&m);
}

/* ---- invariants ---- */
static double norm(const double *a)
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Largest change of |L| about the centre of mass */
static double first_norm, norm_change;
static void watch_norm(mechanism *m, double time, const double *x, const double *v)
{
    double linear[3], angular[3], L[3];
    (void)time;
    phx_body_inertial_momentum(phx_system_body(m->system, 0), x, v, linear, angular);
    for (int i = 0; i < 3; i++)
        L[i] = angular[i] - (x[(i + 1) % 3] * linear[(i + 2) % 3] - x[(i + 2) % 3] * linear[(i + 1) % 3]);
    if (m->instants == 1)
        first_norm = norm(L);
    norm_change = fmax(norm_change, fabs(norm(L) - first_norm));
}

static void rigid_body_over_100000_steps(void **state)
{
    (void)state;
    mechanism m;
    phx_integrate_options options = phx_integrate_options_default();
    mechanism_open(&m, body, 0, NULL);
    options.step = 0.01;
    options.end = 1000.0;
    m.look = watch_norm;
    norm_change = 0.0;
    mechanism_run(&m, &options);
    print_message("1e5 steps: energy %.2g, |L| %.2g, momenta %.2g, |R'R - I| %.2g\n",
                  m.largest_residual / m.largest_kinetic, norm_change / first_norm, m.momentum_change,
                  m.largest_skewness);
    assert_int_equal(m.instants, 100001);
    CHECK_CLOSE(first_norm, sqrt(16.1), 1e-12, "|L|");
    CHECK_SMALL(m.largest_residual / m.largest_kinetic, 1e-11, "energy");
    CHECK_SMALL(norm_change / first_norm, 1e-11, "norm of the angular momentum");
    CHECK_SMALL(m.largest_skewness, 1e-13, "R^T R - I");
    mechanism_close(&m);
}

/* A soft beam adrift, turning about a skew axis. */
static const char *const beam = "phlexor: 1\n"
                                "dimension: 3\n"
                                "parameters: {stiff: 1}\n"
                                "materials: {m: {density: 1000, young: 4e4*stiff, poisson: 0.3}}\n"
                                "bodies:\n"
                                "  beam:\n"
                                "    kind: beam\n"
                                "    material: m\n"
                                "    length: 1\n"
                                "    section: {kind: general, area: 1e-3, inertia: [2e-5, 4e-5], torsion: 6e-5}\n"
                                "    elements: 2\n"
                                "    reference: free\n"
                                "    pose: {position: [0.2, 0.3, -0.4], rotation: {axis: [1, 2, 3], angle: 0.7}}\n"
                                "    point_masses: [{at: C, mass: 0.3}]\n"
                                "    velocity: {linear: [0.3, -0.2, 0.1], angular: [1.5, 2, -1]}\n";

static void flexible_body_keeps_its_momenta(void **state)
{
    (void)state;
    static const double stiffness[] = {1.0, 10.0};
    for (int k = 0; k < 2; k++) {
        const phx_model_override set = {"stiff", NULL, stiffness[k]};
        phx_integrate_options options = phx_integrate_options_default();
        mechanism m;
        mechanism_open(&m, beam, 1, &set);
        options.step = 5e-3;
        options.end = 50.0;
        mechanism_run(&m, &options);
        print_message("stiffness %g: momenta %.2g, energy %.2g, |R'R - I| %.2g, %ld halvings\n", stiffness[k],
                      m.momentum_change, m.largest_residual / m.largest_kinetic, m.largest_skewness, m.stats.halvings);
        assert_true(norm(m.momentum) > 0.1 && norm(m.momentum + 3) > 0.1);
        CHECK_SMALL(m.momentum_change, 1e-12, "momenta");
        CHECK_SMALL(m.largest_residual / m.largest_kinetic, 1e-11, "energy");
        CHECK_SMALL(m.largest_skewness, 1e-13, "R^T R - I");
        mechanism_close(&m);
    }
}

/* The example that floats in the plane: its momenta are those of the README, and stay. */
static void hinged_pair_keeps_its_momenta(void **state)
{
    (void)state;
    phx_integrate_options options = phx_integrate_options_default();
    mechanism m;
    mechanism_open(&m, "hinged_pair.yaml", 0, NULL);
    options.step = 1e-3;
    options.end = 5.0;
    mechanism_run(&m, &options);
    print_message("hinged pair: momenta %.2g, %ld steps\n", m.momentum_change, m.stats.steps);
    CHECK_CLOSE(hypot(m.momentum[0], m.momentum[1]), 0.756, 5e-4, "linear momentum");
    CHECK_CLOSE(fabs(m.momentum[2]), 0.432, 5e-4, "angular momentum");
    CHECK_SMALL(m.momentum_change, 1e-14, "momenta");
    mechanism_close(&m);
}

/* So soft that the steps resolve every mode. */
static void orders_of_the_integrators(void **state)
{
    (void)state;
    const phx_model_override set = {"stiff", NULL, 0.1};
    mechanism m;
    mechanism_open(&m, beam, 1, &set);
    mechanism_check_orders(&m, 1.2, 70, 0.2);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_solves_eulers_equations), cmocka_unit_test(body_follows_jacobi),
        cmocka_unit_test(rigid_body_over_100000_steps),   cmocka_unit_test(flexible_body_keeps_its_momenta),
        cmocka_unit_test(hinged_pair_keeps_its_momenta),  cmocka_unit_test(orders_of_the_integrators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
