/* The falling double pendulum of beams, L = 1 m, rho A = 1 kg/m, released horizontal at rest. */
#include "mechanism.h"

static const char PENDULUM[] = "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                               "parameters: {EA: 1e6, EI: 400, n: 2}\n"
                               "materials: {m: {density: 1000, young: EA/1e-3}}\n"
                               "bodies:\n"
                               "  one: {kind: beam, material: m, length: 1, section: {kind: general, area: 1e-3, "
                               "inertia: EI*1e-3/EA}, elements: n,\n"
                               "    reference: cantilever}\n"
                               "  two: {kind: beam, material: m, length: 1, section: {kind: general, area: 1e-3, "
                               "inertia: EI*1e-3/EA}, elements: n,\n"
                               "    reference: cantilever, pose: {position: [1, 0]}}\n"
                               "joints:\n"
                               "  A: {kind: revolute, ports: [ground.O, one.P]}\n"
                               "  B: {kind: revolute, ports: [one.C, two.P]}\n";

static void run_long(double ea, double ei, double step)
{
    const phx_model_override set[2] = {{"EA", NULL, ea}, {"EI", NULL, ei}};
    mechanism m;
    mechanism_open(&m, PENDULUM, 2, set);
    phx_integrate_options options = phx_integrate_options_default();
    options.step = step;
    options.end = 1e5 * step;
    mechanism_run(&m, &options);
    print_message("EA = %g, EI = %g, 1e5 steps of %g s: energy %.2g of the largest kinetic, drift %.2g m, %.2g m/s, "
                  "%ld halvings\n",
                  ea, ei, step, m.largest_residual / m.largest_kinetic, m.largest_drift, m.largest_drift_rate,
                  m.stats.halvings);
    assert_true(m.instants == 100001);
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-10 * m.largest_kinetic, "energy");
    CHECK_CLOSE(m.largest_drift, 0.0, 1e-12, "drift");
    CHECK_CLOSE(m.largest_drift_rate, 0.0, 1e-11, "drift rate");
    assert_true(m.largest_kinetic > 10.0);
    mechanism_close(&m);
}

static void stiff_pendulum_over_100000_steps(void **state)
{
    (void)state;
    run_long(1e6, 400.0, 0.01);
}

static void soft_pendulum_over_100000_steps(void **state)
{
    (void)state;
    run_long(1e5, 50.0, 0.005);
}

/* State after 0.5 s with n steps: places, then velocities. */
static double *final_state(mechanism *m, phx_integrator integrator, int n, double rtol)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = integrator;
    options.end = 0.5;
    options.step = 0.5 / n;
    options.every = 0.5;
    options.rtol = options.atol = rtol;
    mechanism_reset(m);
    mechanism_run(m, &options);
    double *all = calloc((size_t)(m->dae->n_x + m->dae->n_v), sizeof *all);
    assert_non_null(all);
    memcpy(all, m->x, (size_t)m->dae->n_x * sizeof *all);
    memcpy(all + m->dae->n_x, m->v, (size_t)m->dae->n_v * sizeof *all);
    return all;
}

static double distance(const double *a, const double *b, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Steps that resolve every mode (highest: 60 rad/s): orders 2, 4, 4, 6, 5 in places and velocities. */
static void orders_of_the_integrators(void **state)
{
    static const struct {
        phx_integrator integrator;
        int steps;
        double order, tolerance;
    } cases[] = {{PHX_MIDPOINT, 4000, 2.0, 0.1},
                 {PHX_MIDPOINT4, 400, 4.0, 0.1},
                 {PHX_GAUSS4, 400, 4.0, 0.1},
                 {PHX_GAUSS6, 400, 6.0, 0.1},
                 {PHX_RADAU5, 400, 5.0, 0.15}};
    const phx_model_override set[2] = {{"EA", NULL, 100.0}, {"EI", NULL, 2.0}};
    mechanism m;
    (void)state;
    mechanism_open(&m, PENDULUM, 2, set);
    double *exact = final_state(&m, PHX_GAUSS6, 3200, 0.0);
    const int nx = m.dae->n_x, nv = m.dae->n_v;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double *coarse = final_state(&m, cases[k].integrator, cases[k].steps, 0.0);
        double *fine = final_state(&m, cases[k].integrator, 2 * cases[k].steps, 0.0);
        const double places = log2(distance(coarse, exact, nx) / distance(fine, exact, nx));
        const double rates = log2(distance(coarse + nx, exact + nx, nv) / distance(fine + nx, exact + nx, nv));
        print_message("%-9s order %.3f in places, %.3f in velocities\n", phx_integrator_name(cases[k].integrator),
                      places, rates);
        CHECK_CLOSE(places, cases[k].order, cases[k].tolerance, "order of %s in places",
                    phx_integrator_name(cases[k].integrator));
        CHECK_CLOSE(rates, cases[k].order, cases[k].tolerance, "order of %s in velocities",
                    phx_integrator_name(cases[k].integrator));
        free(coarse);
        free(fine);
    }
    /* the two that choose their steps agree to their tolerance */
    for (phx_integrator integrator = PHX_RADAU5; integrator <= PHX_IDA; integrator++) {
        double *adaptive = final_state(&m, integrator, 400, 1e-9);
        CHECK_CLOSE(distance(adaptive, exact, nx), 0.0, 1e-7, "places of %s at 1e-9", phx_integrator_name(integrator));
        CHECK_CLOSE(distance(adaptive + nx, exact + nx, nv), 0.0, 1e-5, "velocities of %s at 1e-9",
                    phx_integrator_name(integrator));
        free(adaptive);
    }
    free(exact);
    mechanism_close(&m);
}

/* Rigid links: midpoint and Gauss keep energy and joints over 1e5 steps. */
static void rigid_pendulum_over_100000_steps(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  one: {kind: rigid, mass: 1, inertia: 1/12, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}}}\n"
        "  two: {kind: rigid, mass: 1, inertia: 1/12, centre_of_mass: [0.5, 0], pose: {position: [1, 0]}}\n"
        "joints:\n"
        "  A: {kind: revolute, ports: [ground.O, one.P]}\n"
        "  B: {kind: revolute, ports: [one.C, two.P]}\n";
    const phx_integrator integrators[] = {PHX_MIDPOINT, PHX_GAUSS4, PHX_GAUSS6};
    mechanism m;
    (void)state;
    mechanism_open(&m, text, 0, NULL);
    for (int k = 0; k < 3; k++) {
        phx_integrate_options options = phx_integrate_options_default();
        options.integrator = integrators[k];
        options.step = 0.01;
        options.end = 1000.0;
        mechanism_reset(&m);
        mechanism_run(&m, &options);
        print_message("rigid, %s: energy %.2g of the largest kinetic, drift %.2g m, %.2g m/s\n",
                      phx_integrator_name(integrators[k]), m.largest_residual / m.largest_kinetic, m.largest_drift,
                      m.largest_drift_rate);
        CHECK_CLOSE(m.largest_residual, 0.0, 1e-10 * m.largest_kinetic, "energy of %s",
                    phx_integrator_name(integrators[k]));
        CHECK_CLOSE(m.largest_drift, 0.0, 1e-12, "drift of %s", phx_integrator_name(integrators[k]));
        CHECK_CLOSE(m.largest_drift_rate, 0.0, 1e-11, "drift rate of %s", phx_integrator_name(integrators[k]));
    }
    mechanism_close(&m);
}

/* Two hinged beams adrift keep linear and angular momentum. */
static void free_pair_keeps_its_momenta(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\n"
        "materials: {m: {density: 1000, young: 1e9}}\n"
        "bodies:\n"
        "  one: {kind: beam, material: m, length: 1, section: {kind: general, area: 1e-3, inertia: 4e-7}, elements: "
        "2,\n"
        "    reference: free, velocity: {linear: [0.3, -0.2], angular: 4}}\n"
        "  two: {kind: beam, material: m, length: 1, section: {kind: general, area: 1e-3, inertia: 4e-7}, elements: "
        "2,\n"
        "    reference: cantilever, pose: {position: [1, 0], angle: 0.5}, velocity: {angular: -7}}\n"
        "joints: {B: {kind: revolute, ports: [one.C, two.P]}}\n";
    mechanism m;
    (void)state;
    mechanism_open(&m, text, 0, NULL);
    phx_integrate_options options = phx_integrate_options_default();
    options.step = 0.005;
    options.end = 50.0;
    mechanism_run(&m, &options);
    print_message("free pair: momenta change by %.2g, energy by %.2g\n", m.momentum_change, m.largest_residual);
    assert_true(fabs(m.momentum[0]) + fabs(m.momentum[1]) > 0.1 && m.largest_kinetic > 1.0);
    CHECK_CLOSE(m.momentum_change, 0.0, 1e-12, "momenta");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-10 * m.largest_kinetic, "energy");
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_pendulum_over_100000_steps), cmocka_unit_test(soft_pendulum_over_100000_steps),
        cmocka_unit_test(orders_of_the_integrators),        cmocka_unit_test(rigid_pendulum_over_100000_steps),
        cmocka_unit_test(free_pair_keeps_its_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
