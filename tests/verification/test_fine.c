/* Fine meshes: a beam that swings from its quasi-static shape, of 10 and of many elements. Newton's iteration must come
 * down to its tolerance without halving, though K q cancels by (L/h)^4, and the tip move as on the coarse mesh. */
#include "mechanism.h"

enum { TEXT = 2000, STEPS = 60 };

typedef struct beam_case {
    const char *name, *reference;
    int dim, order, elements;
    bool stiffening;
} beam_case;
static const beam_case kinds[] = {{"plane, cubic", "cantilever", 2, 3, 200, false},
                                  {"plane, quintic", "simply_supported", 2, 5, 100, false},
                                  {"plane, mean axes", "free", 2, 3, 30, false},
                                  {"plane, stiffening", "cantilever", 2, 3, 100, true},
                                  {"space, cubic", "cantilever", 3, 3, 60, false}};

static void beam(char *text, const beam_case *kind, int elements)
{
    const int written =
        snprintf(text, TEXT,
                 "phlexor: 1\ndimension: %d\ngravity: [0, -9.81%s]\n"
                 "materials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\nbodies:\n"
                 "  a: {kind: beam, material: m, length: 1, section: {kind: tube, outer: 0.02, inner: 0.019},\n"
                 "    elements: %d, order: %d, reference: %s, stiffening: %s, point_masses: [{at: C, mass: 0.5}]}\n"
                 "joints: {j: {kind: revolute, ports: [ground.O, a.P]%s}}\noutputs: {x: {position: a.C}}\n",
                 kind->dim, kind->dim == 3 ? ", 2" : "", elements, kind->order, kind->reference,
                 kind->stiffening ? "true" : "false", kind->dim == 3 ? ", axis: [0, 0, 1]" : "");
    assert_in_range(written, 1, TEXT - 1);
}

/* Place of the tip after STEPS steps of 1 ms without halving. */
static void tip_of(const beam_case *kind, int elements, phx_integrator integrator, double *tip)
{
    const phx_start_options start = {.quasi_static = true};
    const phx_integrate_options options = {
        .integrator = integrator, .end = 1e-3 * STEPS, .step = 1e-3, .max_halvings = 0};
    char text[TEXT];
    mechanism m;

    beam(text, kind, elements);
    mechanism_open(&m, text, 0, NULL);
    CHECK_OK(m.context, phx_system_start(m.system, &start, m.x, m.v, m.lambda));
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.largest_residual, 0.0, (integrator == PHX_MIDPOINT ? 1e-13 : 1e-11) * m.largest_kinetic,
                "%s, %d elements: balance", kind->name, elements);
    CHECK_OK(m.context, phx_system_outputs(m.dae, m.t, m.x, m.v, m.columns));
    memcpy(tip, m.columns, (size_t)kind->dim * sizeof *tip);
    mechanism_close(&m);
}

static void fine_meshes_swing_like_coarse_ones(void **state)
{
    const phx_integrator integrators[] = {PHX_MIDPOINT, PHX_GAUSS6};

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < 2; i++) {
            double coarse[3], fine[3];
            tip_of(&kinds[k], 10, integrators[i], coarse);
            tip_of(&kinds[k], kinds[k].elements, integrators[i], fine);
            for (int a = 0; a < kinds[k].dim; a++) {
                print_message("%s, integrator %d: %.1e m\n", kinds[k].name, (int)integrators[i], fine[a] - coarse[a]);
                CHECK_CLOSE(fine[a], coarse[a], 1e-8, "%s: place of the tip, component %d", kinds[k].name, a);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fine_meshes_swing_like_coarse_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
