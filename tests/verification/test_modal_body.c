/* A body of kind modal is the beam whose modal data it has: the same TITOP model, the same modes, the same motion. */
#include "mechanism.h"
#include "statespace/statespace.h"

#include <phlexor/linear.h>

enum { MODES = 4, TEXT = 20000 };

/* A beam in its lowest modes on a sprung hinge, driven by a force at its tip; then the same body by data. */
static const char FRAME[] = "phlexor: 1\ndimension: 2\nparameters: {push: 1}\n"
                            "materials: {m: {density: 1000, young: 2e8}}\n"
                            "joints: {hinge: {kind: revolute, ports: [ground.O, arm.P], stiffness: 3}}\n"
                            "loads: {push: {force: ['0', 'push*sin(9*t)'], at: arm.C}}\n"
                            "outputs: {tip: {position: arm.C}, slope: {angle: arm.C}, bend: {deformation: arm.M}}\n"
                            "bodies:\n";
static const char BEAM[] = "{kind: beam, material: m, length: 1.2, section: {kind: rectangle, width: 0.02, height: "
                           "0.01}, elements: 5, reference: cantilever, modes: 4, ports: {M: {at: 0.4}}";

static void beam_text(bool with_mass, char *text)
{
    snprintf(text, TEXT, "%s  arm: %s%s}\n", FRAME, BEAM,
             with_mass ? ", point_masses: [{at: C, mass: 0.05, inertia: 1e-4}]" : "");
}

static size_t put(char *text, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static size_t put(char *text, size_t at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text + at, TEXT - at, format, list);
    va_end(list);
    assert_true(n > 0 && at + (size_t)n < TEXT);
    return at + (size_t)n;
}

/* Shapes of a port of the beam. */
static size_t put_shapes(phx_context *context, const phx_beam *beam, double s, const char *name, char *text, size_t at)
{
    phx_flex_point point;
    CHECK_OK(context, phx_beam_point(beam, context, s, &point));
    at = put(text, at, "      %s: {position: [%.17g, 0], shapes: [", name, point.x[0]);
    for (int k = 0; k < MODES; k++)
        at = put(text, at, "%s{translation: [%.17g, %.17g], rotation: %.17g}", k ? ", " : "", point.phi[k],
                 point.phi[point.n + k], point.theta[k]);
    phx_flex_point_free(&point);
    return put(text, at, "]}\n");
}

/* The model with the arm by its modal data, as they come from a beam without the mass at the tip. */
static void modal_text(phx_context *context, const phx_beam *beam, bool second_order, bool with_mass, char *text)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    const double centre = flex->s0[0] / flex->mass;
    size_t at = put(text, 0, "%s  arm:\n    kind: modal\n    mass: %.17g\n    inertia: %.17g\n", FRAME, flex->mass,
                    flex->J0[0] - flex->mass * centre * centre);
    assert_int_equal(flex->n, MODES);
    at = put(text, at, "    centre_of_mass: [%.17g, 0]\n    modes:\n", centre);
    for (int k = 0; k < MODES; k++) {
        at = put(text, at, "      - {frequency: \"sqrt(%.17g)/(2*pi)\", translation: [%.17g, %.17g], rotation: %.17g",
                 flex->K[k * MODES + k], flex->S[k], flex->S[MODES + k], flex->C[k]);
        at = put(text, at, second_order ? ", inertia: %.17g}\n" : "}\n", flex->j[k]);
    }
    for (int pass = 0; pass < 2 && second_order; pass++) {
        at = put(text, at, pass ? "      inertia: [[" : "    second_order:\n      gyroscopic: [[");
        for (int i = 0; i < MODES * MODES; i++)
            at = put(text, at, "%s%.17g", i % MODES ? ", " : i ? "], [" : "[", pass ? flex->Q[0][i] : flex->A[0][i]);
        at = put(text, at, "]]]\n");
    }
    at = put(text, at, "    ports:\n");
    at = put_shapes(context, beam, 1.0, "C", text, at);
    at = put_shapes(context, beam, 0.4, "M", text, at);
    if (with_mass)
        put(text, at, "    point_masses: [{at: C, mass: 0.05, inertia: 1e-4}]\n");
}

typedef struct pair {
    mechanism beam, modal;
    char text[TEXT];
} pair;

static void open_pair(pair *it, bool second_order, bool with_mass, double push)
{
    const phx_model_override set = {"push", NULL, push};
    mechanism bare;
    beam_text(false, it->text);
    mechanism_open(&bare, it->text, 0, NULL);
    modal_text(bare.context, phx_system_beam(bare.system, 0), second_order, with_mass, it->text);
    mechanism_open(&it->modal, it->text, 1, &set);
    mechanism_close(&bare);
    beam_text(with_mass, it->text);
    mechanism_open(&it->beam, it->text, 1, &set);
}

static void close_pair(pair *it)
{
    mechanism_close(&it->beam);
    mechanism_close(&it->modal);
}

/* ---- TITOP ---- */
static phx_ss *titop_of(const mechanism *m, const phx_flex_point *tip)
{
    phx_body_port port[2] = {{.rotation = {1, 0, 0, 1}}, {.rotation = {1, 0, 0, 1}}};
    const phx_titop_port children[1] = {{"C", &port[0]}};
    phx_titop_def def = phx_titop_def_default();
    phx_ss *ss = NULL;
    port[0].point = *tip;
    def.body = phx_system_body(m->system, 0);
    def.parent = (phx_titop_port){"P", &port[1]};
    def.n_children = 1;
    def.children = children;
    CHECK_OK(m->context, phx_titop_create(m->context, &def, &ss));
    return ss;
}

/* Entries of two matrices whose columns and rows have very different units: each against the larger of the two. */
static void check_entries(int n, const double *got, const double *want, double scale, const char *what)
{
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(got[i], want[i], 1e-12 * fmax(fabs(want[i]), scale), "%s, entry %d", what, i);
}

static void titop_is_the_same(void **state)
{
    pair *it = malloc(sizeof *it);
    phx_flex_point tip;
    (void)state;
    assert_non_null(it);
    open_pair(it, false, false, 0.0);
    CHECK_OK(it->beam.context, phx_beam_point(phx_system_beam(it->beam.system, 0), it->beam.context, 1.0, &tip));
    phx_ss *beam = titop_of(&it->beam, &tip), *modal = titop_of(&it->modal, &tip);
    const int n = phx_ss_n(beam), m = phx_ss_inputs(beam), p = phx_ss_outputs(beam);
    assert_int_equal(n, 2 * MODES);
    assert_int_equal(phx_ss_n(modal), n);
    const double stiff = max_abs(n * n, phx_ss_A(beam));
    check_entries(n * n, phx_ss_A(modal), phx_ss_A(beam), stiff, "A");
    check_entries(n * m, phx_ss_B(modal), phx_ss_B(beam), max_abs(n * m, phx_ss_B(beam)), "B");
    check_entries(p * n, phx_ss_C(modal), phx_ss_C(beam), max_abs(p * n, phx_ss_C(beam)), "C");
    check_entries(p * m, phx_ss_D(modal), phx_ss_D(beam), max_abs(p * m, phx_ss_D(beam)), "D");
    phx_ss_destroy(beam);
    phx_ss_destroy(modal);
    phx_flex_point_free(&tip);
    close_pair(it);
    free(it);
}

/* ---- modes ---- */
static void modes_of(const mechanism *m, phx_mode_set *set)
{
    phx_modes_options options = phx_modes_options_default();
    phx_modal *solver = NULL;
    phx_linear linear = {0};
    CHECK_OK(m->context, phx_system_linear(m->dae, 0.0, m->x, m->lambda, &linear));
    CHECK_OK(m->context, phx_modal_create(m->context, &solver));
    CHECK_OK(m->context, phx_modal_solve(solver, &linear, &options, set));
    phx_modal_destroy(solver);
    phx_linear_free(&linear);
}

static void modes_are_the_same(void **state)
{
    pair *it = malloc(sizeof *it);
    phx_mode_set set[2] = {{0}};
    (void)state;
    assert_non_null(it);
    open_pair(it, true, false, 0.0);
    modes_of(&it->beam, &set[0]);
    modes_of(&it->modal, &set[1]);
    assert_int_equal(set[0].count, MODES + 1);
    assert_int_equal(set[1].count, MODES + 1);
    for (int k = 0; k < set[0].count; k++)
        CHECK_RELATIVE(set[1].omega[k], set[0].omega[k], 1e-11, "mode %d", k + 1);
    phx_mode_set_free(&set[0]);
    phx_mode_set_free(&set[1]);
    close_pair(it);
    free(it);
}

/* ---- motion ---- */
/* Largest difference of the outputs of both over a second of motion, which is found to be of size `*size`. */
typedef struct watcher {
    double *values;
    int n;
} watcher;

static void watch(mechanism *m, double t, const double *x, const double *v)
{
    watcher *w = m->looker;
    (void)t, (void)v;
    w->values[w->n++] = x[4]; /* angle of the frame */
    for (int k = 0; k < MODES; k++)
        w->values[w->n++] = x[5 + k];
}

static double difference(bool second_order, double push, double *size)
{
    static double values[2][(MODES + 1) * 1001];
    pair *it = malloc(sizeof *it);
    watcher watchers[2] = {{values[0], 0}, {values[1], 0}};
    phx_integrate_options options = phx_integrate_options_default();
    double largest = 0.0;
    assert_non_null(it);
    open_pair(it, second_order, false, push);
    options.step = 2e-3;
    options.end = 1.0;
    for (int k = 0; k < 2; k++) {
        mechanism *m = k ? &it->modal : &it->beam;
        m->look = watch;
        m->looker = &watchers[k];
        mechanism_run(m, &options);
        CHECK_SMALL(m->largest_residual, 1e-12 * m->largest_kinetic, "energy balance, %s", k ? "modal" : "beam");
        assert_true(m->largest_kinetic > 0.0);
    }
    assert_int_equal(watchers[0].n, watchers[1].n);
    *size = max_abs(watchers[0].n, values[0]);
    for (int i = 0; i < watchers[0].n; i++)
        largest = fmax(largest, fabs(values[0][i] - values[1][i]));
    close_pair(it);
    free(it);
    return largest;
}

/* With all integrals the motion is the same, however large. Without j, A and Q small motions differ by what their
 * forces are: products of two amplitudes. */
static void motion_is_the_same(void **state)
{
    double size[3];
    (void)state;
    const double complete = difference(true, 4.0, &size[0]);
    const double whole = difference(false, 0.04, &size[1]), half = difference(false, 0.02, &size[2]);
    print_message("all integrals: %.2g of %.2g; without second order: %.2g of %.2g, half the force: %.2g of %.2g\n",
                  complete, size[0], whole, size[1], half, size[2]);
    assert_true(size[0] > 0.5); /* an angle of more than half a radian */
    CHECK_SMALL(complete, 1e-9 * size[0], "motion with all integrals");
    CHECK_BELOW(half, 1e-3 * size[2], "small motion without second order");
    CHECK_BETWEEN(whole / half, 3.5, 5.0, "second order in the amplitude");
}

/* A mass at the tip of the modal data: the low modes of the beam with that mass, from above. */
static void point_mass_at_the_tip(void **state)
{
    pair *it = malloc(sizeof *it);
    phx_mode_set set[2] = {{0}};
    (void)state;
    assert_non_null(it);
    open_pair(it, true, true, 0.0);
    modes_of(&it->beam, &set[0]);
    modes_of(&it->modal, &set[1]);
    for (int k = 0; k < 2; k++) {
        const double excess = set[1].omega[k] / set[0].omega[k] - 1.0;
        CHECK_BETWEEN(excess, -1e-6, 2e-3, "mode %d", k + 1);
    }
    phx_mode_set_free(&set[0]);
    phx_mode_set_free(&set[1]);
    close_pair(it);
    free(it);
}

/* A torque that acts on a free body leaves its rigid-body modes and its frequencies what they are: the stiffness that
 * the forces of the weld make adds up to rounding. */
static void a_constant_load_leaves_the_rigid_modes(void **state)
{
    const phx_model_override set_zeta = {"zeta", NULL, 0.0};
    phx_modes_options options = phx_modes_options_default();
    phx_modal *solver = NULL;
    phx_mode_set set[2] = {{0}};
    mechanism m;

    (void)state;
    mechanism_open(&m, "modal_appendage.yaml", 1, &set_zeta);
    CHECK_OK(m.context, phx_modal_create(m.context, &solver));
    for (int k = 0; k < 2; k++) { /* the torque acts from 2 s on */
        phx_linear linear = {0};
        CHECK_OK(m.context, phx_system_linear(m.dae, 3.0 * k, m.x, NULL, &linear));
        CHECK_OK(m.context, phx_modal_solve(solver, &linear, &options, &set[k]));
        phx_linear_free(&linear);
        assert_int_equal(set[k].rigid, 3);
        assert_int_equal(set[k].count, 2);
        CHECK_CLOSE(set[k].asymmetry, 0.0, 1e-300, "asymmetry, %d", k);
    }
    for (int i = 0; i < 2; i++)
        CHECK_RELATIVE(set[1].omega[i], set[0].omega[i], 1e-11, "mode %d", i + 1);
    phx_mode_set_free(&set[0]);
    phx_mode_set_free(&set[1]);
    phx_modal_destroy(solver);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(titop_is_the_same), cmocka_unit_test(modes_are_the_same),
                                       cmocka_unit_test(motion_is_the_same), cmocka_unit_test(point_mass_at_the_tip),
                                       cmocka_unit_test(a_constant_load_leaves_the_rigid_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
