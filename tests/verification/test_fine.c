/* Fine meshes: a beam that swings from its quasi-static shape, of 10 and of many elements. Newton's iteration must come
 * down to its tolerance without halving, though K q and the damping beta K q_dot cancel by (L/h)^4, and the tip move as
 * on the coarse mesh. */
#include "mechanism.h"

enum { TEXT = 4000, STEPS = 60 };

typedef struct beam_case {
    const char *name, *reference;
    int dim, order, elements;
    bool stiffening;
    const char *more; /* keys of the beam */
    int copies;       /* equal beams besides, that a step evaluates together with it */
    bool lossy;       /* kinetics that do not conserve energy */
} beam_case;
static const beam_case kinds[] = {{"plane, cubic", "cantilever", 2, 3, 200, false, "", 0, false},
                                  {"plane, quintic", "simply_supported", 2, 5, 100, false, "", 0, false},
                                  {"plane, mean axes", "free", 2, 3, 30, false, "", 0, false},
                                  {"plane, stiffening", "cantilever", 2, 3, 100, true, "", 0, false},
                                  {"space, cubic", "cantilever", 3, 3, 60, false, "", 0, false}};
static const beam_case damped[] = {
    {"plane, beta", "cantilever", 2, 3, 400, false, ", damping: {stiffness: 1e-4}", 0, false},
    {"plane, large beta", "simply_supported", 2, 3, 400, false, ", damping: {stiffness: 1e-2}", 0, false},
    {"plane, alpha and beta", "cantilever", 2, 3, 300, false, ", damping: {mass: 3, stiffness: 1e-3}", 0, false},
    {"plane, quintic, beta", "simply_supported", 2, 5, 150, false, ", damping: {stiffness: 1e-3}", 0, false},
    {"plane, stiffening, beta", "cantilever", 2, 3, 300, true, ", damping: {stiffness: 1e-3}", 0, false},
    {"plane, modal", "cantilever", 2, 3, 60, false, ", damping: {modal: 0.05}", 0, false},
    {"plane, five beams, beta", "cantilever", 2, 3, 250, false, ", damping: {stiffness: 1e-3}", 4, false},
    {"plane, five beams, modal", "cantilever", 2, 3, 40, false, ", damping: {modal: 0.05}", 4, false},
    {"plane, simplified, beta", "cantilever", 2, 3, 300, false, ", kinetics: simplified, damping: {stiffness: 1e-3}", 0,
     true},
    {"space, beta", "cantilever", 3, 3, 150, false, ", damping: {stiffness: 2e-3}", 0, false},
    {"space, three beams, beta", "simply_supported", 3, 3, 100, false, ", damping: {stiffness: 2e-3}", 2, false}};

static void beam(char *text, const beam_case *kind, int elements)
{
    int at = snprintf(text, TEXT,
                      "phlexor: 1\ndimension: %d\ngravity: [0, -9.81%s]\n"
                      "materials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\nbodies:\n",
                      kind->dim, kind->dim == 3 ? ", 2" : "");
    for (int k = 0; k <= kind->copies; k++)
        at +=
            snprintf(text + at, (size_t)(TEXT - at),
                     "  %c: {kind: beam, material: m, length: 1, section: {kind: tube, outer: 0.02, inner: 0.019},\n"
                     "    elements: %d, order: %d, reference: %s, stiffening: %s, point_masses: [{at: C, mass: "
                     "0.5}]%s}\n",
                     'a' + k, elements, kind->order, kind->reference, kind->stiffening ? "true" : "false", kind->more);
    at += snprintf(text + at, (size_t)(TEXT - at), "joints:\n");
    for (int k = 0; k <= kind->copies; k++)
        at += snprintf(text + at, (size_t)(TEXT - at), "  j%d: {kind: revolute, ports: [ground.O, %c.P]%s}\n", k,
                       'a' + k, kind->dim == 3 ? ", axis: [0, 0, 1]" : "");
    at += snprintf(text + at, (size_t)(TEXT - at), "outputs: {x: {position: %c.C}}\n", 'a' + kind->copies);
    assert_in_range(at, 1, TEXT - 1);
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
    if (!kind->lossy)
        CHECK_CLOSE(m.largest_residual, 0.0, (integrator == PHX_MIDPOINT ? 1e-13 : 1e-11) * m.largest_kinetic,
                    "%s, %d elements: balance", kind->name, elements);
    CHECK_OK(m.context, phx_system_outputs(m.dae, m.t, m.x, m.v, m.columns));
    memcpy(tip, m.columns, (size_t)kind->dim * sizeof *tip);
    mechanism_close(&m);
}

static void compare(const beam_case *kind, phx_integrator integrator)
{
    double coarse[3], fine[3];
    tip_of(kind, 10, integrator, coarse);
    tip_of(kind, kind->elements, integrator, fine);
    for (int a = 0; a < kind->dim; a++) {
        print_message("%s, integrator %d: %.1e m\n", kind->name, (int)integrator, fine[a] - coarse[a]);
        CHECK_CLOSE(fine[a], coarse[a], 1e-8, "%s: place of the tip, component %d", kind->name, a);
    }
}

static void fine_meshes_swing_like_coarse_ones(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        compare(&kinds[k], PHX_MIDPOINT);
        compare(&kinds[k], PHX_GAUSS6);
    }
}

/* The loss is booked as sums of squares, so the balance is as sharp as without damping. */
static void damped_ones_do_so_too(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof damped / sizeof *damped; k++) {
        compare(&damped[k], PHX_MIDPOINT);
        if (!damped[k].lossy && damped[k].copies == 0 && damped[k].dim == 2)
            compare(&damped[k], PHX_GAUSS6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fine_meshes_swing_like_coarse_ones),
                                       cmocka_unit_test(damped_ones_do_so_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
