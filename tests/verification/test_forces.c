/* Force elements of model files against closed forms: periods of nonlinear oscillators, losses, and the balance. */
#include "mechanism.h"

#define SLIDER                                                                                                         \
    "phlexor: 1\ndimension: 2\nbodies: {m: {kind: rigid, mass: 1, inertia: 1}}\n"                                      \
    "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [1, 0], position: 0.1, rate: 0"
#define OUTPUT "}}\noutputs: {x: {coordinate: j}, v: {rate: j}}\n"

static phx_integrate_options every(double step, double end)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.step = step;
    options.every = step;
    options.end = end;
    return options;
}

/* Instants at which the rate passes zero upwards, by linear interpolation; what the run loses. */
typedef struct passages {
    double t, v, first, last;
    int count;
} passages;

static void look(mechanism *m, double t, const double *x, const double *v)
{
    passages *p = m->looker;
    (void)x;
    if (p->v < 0.0 && v[0] >= 0.0) {
        p->last = p->t + (t - p->t) * p->v / (p->v - v[0]);
        if (p->count++ == 0)
            p->first = p->last;
    }
    p->t = t;
    p->v = v[0];
}

static double period_of(phx_context *context, const char *text, double step, double end)
{
    mechanism m = {.context = context};
    passages p = {0};
    mechanism_open(&m, text, 0, NULL);
    m.look = look;
    m.looker = &p;
    const phx_integrate_options options = every(step, end);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-13 * (1.0 + m.largest_energy), "balance");
    mechanism_close(&m);
    assert_true(p.count > 1);
    return (p.last - p.first) / (p.count - 1);
}

/* T(h) = T + c h^2: the error falls by four, and its extrapolation is the exact period. */
static void check_period(phx_context *context, const char *text, double step, double exact, double tolerance)
{
    const double coarse = period_of(context, text, step, 3.0), fine = period_of(context, text, 0.5 * step, 3.0);
    CHECK_CLOSE((4.0 * fine - coarse) / 3.0, exact, tolerance, "period %.12g and %.12g", coarse, fine);
    CHECK_BETWEEN((coarse - exact) / (fine - exact), 3.5, 4.5, "order of the period");
}

/* k1 x + k3 x^3, amplitude 0.1: 4 K(m)/sqrt(k1 + k3 A^2) with m = k3 A^2/(2 (k1 + k3 A^2)), by the arithmetic-geometric
 * mean K(m) = pi/(2 agm(1, sqrt(1 - m))) */
static void duffing_has_its_period(void **state)
{
    const double k1 = 100.0, k3 = 5e4, A = 0.1, w2 = k1 + k3 * A * A, m = 0.5 * k3 * A * A / w2;
    double a = 1.0, b = sqrt(1.0 - m);
    for (int k = 0; k < 8; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    const double exact = 4.0 * TEST_PI / (2.0 * a) / sqrt(w2);
    check_period(*state, SLIDER ", law: {expression: 100*x + 5e4*x^3, range: [-0.2, 0.2]}" OUTPUT, 2e-3, exact, 2e-6);
}

/* A spring behind a clearance of 0.05 on both sides: half a turn of the oscillator on each side, and the clearance. */
static void free_play_has_its_period(void **state)
{
    const double k = 400.0, clearance = 0.05, A = 0.1, w = sqrt(k);
    const double exact = 2.0 * TEST_PI / w + 4.0 * clearance / (w * (A - clearance));
    check_period(*state, SLIDER ", law: {x: [-1, -0.05, 0.05, 1], f: [-380, 0, 0, 380]}" OUTPUT, 1e-3, exact, 2e-6);
}

/* The same as end stops without losses. */
static void stops_have_the_same_period(void **state)
{
    const double w = sqrt(400.0), exact = 2.0 * TEST_PI / w + 4.0 * 0.05 / (w * 0.05);
    check_period(*state, SLIDER ", stops: {lower: -0.05, upper: 0.05, stiffness: 400}" OUTPUT, 1e-3, exact, 2e-6);
}

/* One half period under Coulomb's friction takes 2 F/k from the amplitude; the regularised law almost the same. */
static void friction_takes_its_share(void **state)
{
    static const char text[] = SLIDER ", stiffness: 100, friction: {force: 0.5, regularised: 1e-5}" OUTPUT;
    mechanism m = {.context = *state};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(1e-3, TEST_PI / 10.0);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.x[0], -(0.1 - 2.0 * 0.5 / 100.0), 1e-6, "amplitude after half a period");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-13, "balance");
    mechanism_close(&m);
}

/* A gas spring held in by a weight: at rest where F (L/(L + x))^n = m g. */
static void gas_carries_its_weight(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: {m: {kind: rigid, mass: 100, inertia: 1,"
        " pose: {position: [0, 0.4]}}}\n"
        "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [0, 1], damping: 3000}}\n"
        "springs: {s: {ports: [ground.O, m.P], length: 0.5, law: {gas: 500, length: 0.3, exponent: 1.3}}}\n"
        "outputs: {x: {coordinate: j}}\n";
    mechanism m = {.context = *state};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(5e-3, 20.0);
    mechanism_run(&m, &options);
    const double stroke = 0.3 * (pow(500.0 / 981.0, 1.0 / 1.3) - 1.0);
    CHECK_CLOSE(m.x[1] - 0.5, stroke, 1e-9, "stroke at rest");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-11, "balance");
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(duffing_has_its_period, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(free_play_has_its_period, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stops_have_the_same_period, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(friction_takes_its_share, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(gas_carries_its_weight, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
