/* A four-bar cut at a joint into two FMUs that a stiff spring in the master holds together: the energy that the
 * coupling makes, as the flows of the FMUs tell it, is the change of all energies; it falls with the communication
 * step. */
#include "fmu/importer.h"

#include <phlexor/fmu.h>

#define HEAD "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nsimulate: {step: 2.5e-4}\n"
static const char *const halves[2] = {
    HEAD "bodies:\n"
         "  crank: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}},\n"
         "    pose: {angle: pi/2}}\n"
         "  coupler: {kind: rigid, mass: 2, inertia: 0.7, centre_of_mass: [1, 0], ports: {C: {position: [2, 0]}},\n"
         "    pose: {position: [0, 1]}}\n"
         "joints:\n"
         "  pin: {kind: revolute, ports: [ground.O, crank.P], rate: 1}\n"
         "  knee: {kind: revolute, ports: [crank.C, coupler.P]}\n"
         "loads: {cut: {force: [0*t, 0*t], at: coupler.C}}\n"
         "outputs: {tip: {position: coupler.C}}\n",
    HEAD "ground: {ports: {B: {position: [2.5, 0]}}}\n"
         "bodies:\n"
         "  rocker: {kind: rigid, mass: 1.5, inertia: 0.2, centre_of_mass: [0.5, 0],\n"
         "    ports: {C: {position: [sqrt(1.25), 0]}}, pose: {position: [2.5, 0], angle: pi - atan(2)}}\n"
         "joints: {pin: {kind: revolute, ports: [ground.B, rocker.P]}}\n"
         "loads: {cut: {force: [0*t, 0*t], at: rocker.C}}\n"
         "outputs: {tip: {position: rocker.C}}\n",
};
static const double stiffness = 200.0;

/* Variables of a half that the master reads. */
enum { TIP_X, TIP_Y, FLOW_X, FLOW_Y, ENERGY, READ };
typedef struct half {
    importer it;
    unsigned input[2], variables[READ];
    fmi2Component c;
} half;

static void open_half(phx_context *context, int k, half *h)
{
    static const char *const names[READ] = {"tip.x", "tip.y", "cut.fx.flow", "cut.fy.flow", "energy"};
    phx_fmu_options options = phx_fmu_options_default();
    phx_model *model = NULL;
    char path[40];

    options.version = 2;
    snprintf(path, sizeof path, "half%d.fmu", k);
    CHECK_OK(context, phx_model_read_text(context, "half.yaml", halves[k], strlen(halves[k]), 0, NULL, &model));
    CHECK_OK(context, phx_fmu_export(context, model, &options, path, NULL));
    phx_model_destroy(model);
    importer_open(&h->it, path, "linux64");
    remove(path);
    h->input[0] = importer_variable(&h->it, "cut.fx");
    h->input[1] = importer_variable(&h->it, "cut.fy");
    for (int i = 0; i < READ; i++)
        h->variables[i] = importer_variable(&h->it, names[i]);
}

static void read_half(half *h, double *values)
{
    assert_int_equal(h->it.fmi2GetReal(h->c, h->variables, READ, values), fmi2OK);
}

static void act(half *h, const double *force, const double *slope)
{
    static const int order[2] = {1, 1};
    assert_int_equal(h->it.fmi2SetReal(h->c, h->input, 2, force), fmi2OK);
    if (slope)
        assert_int_equal(h->it.fmi2SetRealInputDerivatives(h->c, h->input, 2, order, slope), fmi2OK);
}

typedef struct errors {
    double told, true_one, exchanged;
} errors;

/* A run with communication steps of size H, with slopes of the force from its last two values or without. */
static errors couple(half *halves_, double H, double end, bool slopes)
{
    double a[READ], b[READ], before[2] = {0.0, 0.0}, work = 0.0, exchanged = 0.0;
    const int steps = (int)lround(end / H);
    double energy0 = 0.0, spring = 0.0;

    for (int k = 0; k < 2; k++)
        halves_[k].c = importer_start2(&halves_[k].it, "half");
    for (int k = 0; k <= steps; k++) {
        read_half(&halves_[0], a);
        read_half(&halves_[1], b);
        const double gap[2] = {a[TIP_X] - b[TIP_X], a[TIP_Y] - b[TIP_Y]};
        spring = 0.5 * stiffness * (gap[0] * gap[0] + gap[1] * gap[1]);
        if (k == 0)
            energy0 = a[ENERGY] + b[ENERGY] + spring;
        if (k == steps)
            break;
        double on_a[2], on_b[2], slope_a[2], slope_b[2], mean[2];
        for (int i = 0; i < 2; i++) {
            on_a[i] = -stiffness * gap[i];
            on_b[i] = -on_a[i];
            slope_a[i] = k > 0 ? (on_a[i] - before[i]) / H : 0.0;
            slope_b[i] = -slope_a[i];
            mean[i] = on_a[i] + (slopes ? 0.5 * H * slope_a[i] : 0.0);
            before[i] = on_a[i];
        }
        act(&halves_[0], on_a, slopes ? slope_a : NULL);
        act(&halves_[1], on_b, slopes ? slope_b : NULL);
        for (int j = 0; j < 2; j++)
            assert_int_equal(halves_[j].it.fmi2DoStep(halves_[j].c, k * H, H, 1), fmi2OK);
        read_half(&halves_[0], a);
        read_half(&halves_[1], b);
        for (int i = 0; i < 2; i++) {
            const double power = mean[i] * (a[FLOW_X + i] - b[FLOW_X + i]);
            work += H * power;
            exchanged += H * fabs(mean[i] * a[FLOW_X + i]);
        }
    }
    const errors found = {
        .told = work + spring, .true_one = a[ENERGY] + b[ENERGY] + spring - energy0, .exchanged = exchanged};
    for (int k = 0; k < 2; k++)
        halves_[k].it.fmi2FreeInstance(halves_[k].c);
    return found;
}

static void energy_of_the_coupling(void **state)
{
    half both[2];
    double error[3];

    for (int k = 0; k < 2; k++)
        open_half(*state, k, &both[k]);
    for (int k = 0; k < 3; k++) {
        const errors found = couple(both, 1e-3 / (1 << k), 0.3, false);
        if (!(fabs(found.told - found.true_one) <= 1e-10 * found.exchanged))
            fail_msg("the flows tell %.12g J, all energies %.12g J", found.told, found.true_one);
        error[k] = found.true_one;
    }
    for (int k = 0; k < 2; k++) /* held forces: order 1 */
        if (!(error[k] / error[k + 1] > 1.7 && error[k] / error[k + 1] < 2.3))
            fail_msg("errors %.6g, %.6g and %.6g J", error[0], error[1], error[2]);
    for (int k = 0; k < 3; k++)
        error[k] = couple(both, 1e-3 / (1 << k), 0.3, true).true_one;
    for (int k = 0; k < 2; k++) /* slopes: order 2 */
        if (!(error[k] / error[k + 1] > 3.4 && error[k] / error[k + 1] < 4.7))
            fail_msg("with slopes errors %.6g, %.6g and %.6g J", error[0], error[1], error[2]);
    importer_close(&both[0].it);
    importer_close(&both[1].it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_of_the_coupling)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
