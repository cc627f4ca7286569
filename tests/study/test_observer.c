/* A run records an instant through a workspace of its own, which looks at ports and rows only as far as it
 * must: outputs, openings of joints and energies are those of the plain evaluator bit by bit, at states off the joints
 * too. */
#include "support.h"
#include "body/body.h"
#include "system/system_internal.h"

#include <stdlib.h>

static const char *const examples[] = {
    "double_pendulum.yaml", "four_bar.yaml",    "hinged_pair.yaml",
    "double_wishbone.yaml", "torque_free.yaml", "deploying_array.yaml",
};
/* Joints of all kinds of rows between rigid bodies, and with a beam; nothing is output, or coordinates of joints alone.
 */
static const char *const models[] = {
    "phlexor: 1\ndimension: 3\n"
    "bodies:\n"
    "  a: {kind: rigid, mass: 1, inertia: [1, 2, 2.5], ports: {C: {position: [1, 0.2, 0]}}}\n"
    "  b: {kind: rigid, mass: 2, inertia: [1, 1, 1.5], centre_of_mass: [0.1, 0.2, 0.3], pose: {position: [1, 0.2, "
    "0]},\n"
    "      ports: {C: {position: [0, 0.3, 1]}}}\n"
    "  c: {kind: rigid, mass: 1, inertia: [1, 1, 1], pose: {position: [1, 0.5, 1]}}\n"
    "joints:\n"
    "  j0: {kind: revolute, ports: [ground.O, a.P], axis: [0, 1, 0]}\n"
    "  j1: {kind: cylindrical, ports: [a.C, b.P], axis: [1, 0, 0]}\n"
    "  j2: {kind: prismatic, ports: [b.C, c.P], axis: [0, 0, 1]}\n",
    "phlexor: 1\ndimension: 2\n"
    "materials: {m: {density: 7800, young: 2e11}}\n"
    "bodies:\n"
    "  a: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0.2]}}}\n"
    "  b: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.02}, elements: 2,\n"
    "      reference: cantilever, pose: {position: [1, 0.2]}}\n"
    "joints:\n"
    "  j0: {kind: revolute, ports: [ground.O, a.P], angle: 0, speed: sin(t)}\n"
    "  j1: {kind: weld, ports: [a.C, b.P]}\n",
    "phlexor: 1\ndimension: 2\n"
    "bodies:\n"
    "  a: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], velocity: {angular: 2},\n"
    "      ports: {C: {position: [1, 0.2]}}}\n"
    "  b: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], pose: {position: [1, 0.2], angle: 0.3}}\n"
    "joints: {j0: {kind: revolute, ports: [ground.O, a.P]}, j1: {kind: revolute, ports: [a.C, b.P]}}\n"
    "outputs: {turn: {coordinate: j1}, rate: {rate: j1}}\n",
};

static void compare(phx_context *context, const char *name, phx_system *system)
{
    phx_dae *seeing = NULL, *plain = NULL;
    const int n_x = phx_system_n_x(system), n_v = phx_system_n_v(system), n = phx_system_columns(system);
    double *x = calloc((size_t)(n_x + n_v + phx_system_n_l(system) + 2 * n) + 1, sizeof *x);
    double *v = x + n_x, *lambda = v + n_v, *one = lambda + phx_system_n_l(system), *other = one + n;
    const phx_start_options start = {0};
    unsigned number = 7;

    CHECK_OK(context, phx_system_observer(system, context, &seeing));
    CHECK_OK(context, phx_system_dae_with(system, context, PHX_BACKEND_PLAIN, &plain));
    CHECK_OK(context, phx_system_start(system, &start, x, v, lambda));
    for (int trial = 0; trial < 3; trial++) {
        double open[2], of_plain[2];
        phx_energies energies;
        phx_body_energies sum = {0};
        CHECK_OK(context, phx_system_observe(seeing, 0.3, x, v, open, one));
        CHECK_OK(context, phx_system_observe(plain, 0.3, x, v, of_plain, other));
        for (int k = 0; k < n; k++)
            assert_true(one[k] == other[k] || (one[k] != one[k] && other[k] != other[k]));
        CHECK_CLOSE(open[0], of_plain[0], 0.0, "%s: openings, trial %d", name, trial);
        CHECK_CLOSE(open[1], of_plain[1], 0.0, "%s: their rates, trial %d", name, trial);
        phx_system_energies(system, x, v, &energies);
        for (int b = 0; b < system->n_bodies; b++) {
            const body_slot *slot = &system->bodies[b];
            sum.kinetic += phx_body_kinetic(slot->body, x + slot->x, v + slot->v);
            sum.elastic += phx_body_elastic(slot->body, x + slot->x);
        }
        CHECK_CLOSE(energies.kinetic, sum.kinetic, 0.0, "%s: kinetic energy, trial %d", name, trial);
        CHECK_CLOSE(energies.elastic, sum.elastic, 0.0, "%s: elastic energy, trial %d", name, trial);
        for (int i = 0; i < n_x + n_v; i++) {
            number = number * 1664525u + 1013904223u;
            x[i] += 1e-3 * ((double)(number >> 8) / 16777216.0 - 0.5);
        }
    }
    phx_system_dae_destroy(plain);
    phx_system_dae_destroy(seeing);
    free(x);
}

static void compare_model(phx_context *context, const char *name, phx_model *model)
{
    phx_system *system = NULL;
    CHECK_OK(context, phx_model_build(context, model, NULL, &system));
    assert_false(phx_sys_outputs_accelerate(system)); /* they would have a whole workspace */
    compare(context, name, system);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

static void it_sees_as_the_plain_evaluator(void **state)
{
    phx_context *context = *state;

    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
        compare_model(context, examples[k], read_example(context, examples[k]));
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        compare_model(context, "a chain", read_text(context, models[k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_sees_as_the_plain_evaluator, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
