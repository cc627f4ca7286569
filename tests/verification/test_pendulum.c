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

static void run_long(double ea, double ei, double step, int steps)
{
    const phx_model_override set[2] = {{"EA", NULL, ea}, {"EI", NULL, ei}};
    mechanism m;
    mechanism_open(&m, PENDULUM, 2, set);
    phx_integrate_options options = phx_integrate_options_default();
    options.step = step;
    options.end = steps * step;
    mechanism_run(&m, &options);
    print_message("EA = %g, EI = %g, %d steps of %g s: energy %.2g of the largest kinetic, drift %.2g m, %.2g m/s, "
                  "%ld halvings\n",
                  ea, ei, steps, step, m.largest_residual / m.largest_kinetic, m.largest_drift, m.largest_drift_rate,
                  m.stats.halvings);
    assert_true(m.instants == steps + 1);
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-10 * m.largest_kinetic, "energy");
    CHECK_CLOSE(m.largest_drift, 0.0, 1e-12, "drift");
    CHECK_CLOSE(m.largest_drift_rate, 0.0, 1e-11, "drift rate");
    assert_true(m.largest_kinetic > 10.0);
    mechanism_close(&m);
}

static void stiff_pendulum_over_100000_steps(void **state)
{
    (void)state;
    run_long(1e6, 400.0, 0.01, 100000);
}

static void soft_pendulum_over_20000_steps(void **state)
{
    (void)state;
    run_long(1e5, 50.0, 0.005, 20000);
}

/* Steps that resolve every mode (highest: 60 rad/s). */
static void orders_of_the_integrators(void **state)
{
    const phx_model_override set[2] = {{"EA", NULL, 100.0}, {"EI", NULL, 2.0}};
    mechanism m;
    (void)state;
    mechanism_open(&m, PENDULUM, 2, set);
    mechanism_check_orders(&m, 0.5, 400, 0.15);
    mechanism_close(&m);
}

/* Rigid links: midpoint keeps energy and joints over 1e5 steps, Gauss over 2e4, which cost as much. */
static void rigid_pendulum_over_many_steps(void **state)
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
        options.end = integrators[k] == PHX_MIDPOINT ? 1000.0 : 200.0;
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
        cmocka_unit_test(stiff_pendulum_over_100000_steps), cmocka_unit_test(soft_pendulum_over_20000_steps),
        cmocka_unit_test(orders_of_the_integrators),        cmocka_unit_test(rigid_pendulum_over_many_steps),
        cmocka_unit_test(free_pair_keeps_its_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
