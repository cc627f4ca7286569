/* The builder: mass properties, shared beams, ports and outputs, joints of space, memory that runs out. */
#include "support.h"
#include "equilibrium/equilibrium.h"
#include "model/model.h"

#define HEAD "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1000, young: 2e9}}\n"

static phx_system *build(phx_context *context, const phx_model *model)
{
    phx_system *system = NULL;
    CHECK_OK(context, phx_model_build(context, model, NULL, &system));
    return system;
}

/* Two masses at the ends of a bar: mass, first moment and inertia about the origin are sums. */
static void folds_point_masses(void **state)
{
    phx_context *context = *state;
    phx_model *model =
        read_text(context, HEAD "bodies:\n"
                                "  bar:\n"
                                "    kind: rigid\n"
                                "    mass: 2\n"
                                "    inertia: 0.3\n"
                                "    centre_of_mass: [0.5, 0.1]\n"
                                "    ports: {A: {position: [0, 0.2]}, B: {position: [1, -0.4]}}\n"
                                "    point_masses: [{at: A, mass: 3}, {at: B, mass: 5, inertia: 0.7}]\n");
    phx_system *system = build(context, model);
    const phx_flex *flex = phx_body_flex(phx_system_body(system, 0));

    CHECK_NEAR(flex->mass, 10.0, 1e-14);
    CHECK_NEAR(flex->s0[0], 2.0 * 0.5 + 5.0 * 1.0, 1e-14);
    CHECK_NEAR(flex->s0[1], 2.0 * 0.1 + 3.0 * 0.2 - 5.0 * 0.4, 1e-14);
    CHECK_NEAR(flex->J0[0], 0.3 + 2.0 * (0.25 + 0.01) + 3.0 * 0.04 + 0.7 + 5.0 * (1.0 + 0.16), 1e-13);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

static const char two_beams[] = HEAD "parameters: {d: 0.02}\n"
                                     "gravity: [0, -9.81]\n"
                                     "bodies:\n"
                                     "  one: {kind: beam, material: m, length: 1.5, section: {kind: circle, diameter: "
                                     "0.02}, elements: 3, reference: cantilever}\n"
                                     "  two:\n"
                                     "    kind: beam\n"
                                     "    material: m\n"
                                     "    length: 1.5\n"
                                     "    section: {kind: circle, diameter: d}\n"
                                     "    elements: 3\n"
                                     "    reference: cantilever\n"
                                     "    pose: {position: [1.5, 0]}\n"
                                     "joints:\n"
                                     "  A: {kind: revolute, ports: [ground.O, one.P], speed: '2*t'}\n"
                                     "  B: {kind: revolute, ports: [one.C, two.P], stiffness: 3, rest: 0.1}\n"
                                     "loads:\n"
                                     "  push: {force: ['t', '0'], at: two.C}\n"
                                     "  wind: {distributed: ['0', 's'], on: two}\n"
                                     "springs:\n"
                                     "  S: {ports: [ground.O, two@0.5], stiffness: 10, length: 2}\n"
                                     "outputs:\n"
                                     "  tip: {position: two.C}\n"
                                     "  fibre: {stress: one@0.5}\n"
                                     "  drive: {effort: A}\n"
                                     "simulate: {end: 1, step: 0.01}\n";

/* EA, EI and the masses are those of the section; equal definitions share one beam. */
static void makes_beams_once(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, two_beams);
    phx_system *system = build(context, model);
    phx_beam_def def = phx_beam_def_default();
    phx_beam *beam = NULL;
    const double pi = acos(-1.0), area = pi * 1e-4;

    def.length = 1.5;
    def.mass_per_length = 1000.0 * area;
    def.axial_stiffness = 2e9 * area;
    def.bending_stiffness[0] = 2e9 * pi * pow(0.02, 4) / 64.0;
    def.elements = 3;
    CHECK_OK(context, phx_beam_create(context, &def, &beam));
    const phx_flex *flex = phx_body_flex(phx_system_body(system, 0)), *plain = phx_flex_source_flex(beam);
    assert_int_equal(flex->n, plain->n);
    double stiffness = 0.0, mass = 0.0;
    for (int k = 0; k < plain->ptr[plain->n]; k++) {
        stiffness = fmax(stiffness, fabs(plain->K[k]));
        mass = fmax(mass, fabs(plain->M[k]));
    }
    for (int k = 0; k < plain->ptr[plain->n]; k++) {
        CHECK_NEAR(flex->K[k], plain->K[k], 1e-14 * stiffness);
        CHECK_NEAR(flex->M[k], plain->M[k], 1e-14 * mass);
    }
    assert_ptr_equal(phx_system_beam(system, 0), phx_system_beam(system, 1));
    phx_flex_source_destroy(beam);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

/* Over other parameters only the beam that changes is made anew; the cache may go first, the model too. */
static void reuses_beams(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, two_beams);
    phx_build_options options = phx_build_options_default();
    phx_system *system[3] = {NULL};
    const double diameter[3] = {0.02, 0.03, 0.02};

    CHECK_OK(context, phx_beam_cache_create(context, &options.cache));
    for (int k = 0; k < 3; k++) {
        const phx_model_override d = {.name = "d", .value = diameter[k]};
        CHECK_OK(context, phx_model_set_parameters(context, model, 1, &d));
        CHECK_OK(context, phx_model_build(context, model, &options, &system[k]));
    }
    const phx_beam_cache_stats stats = phx_beam_cache_statistics(options.cache);
    assert_int_equal(stats.made, 2);
    assert_int_equal(stats.reused, 4);
    phx_beam_cache_destroy(options.cache);
    phx_model_destroy(model);

    assert_ptr_equal(phx_system_beam(system[0], 0), phx_system_beam(system[2], 1));
    assert_ptr_not_equal(phx_system_beam(system[1], 0), phx_system_beam(system[1], 1));
    double x[100], v[100], lambda[20];
    assert_true(phx_system_n_x(system[1]) <= 100 && phx_system_n_l(system[1]) <= 20);
    CHECK_OK(context, phx_system_start(system[1], NULL, x, v, lambda));
    for (int k = 0; k < 3; k++)
        phx_system_destroy(system[k]);
}

static void names_columns(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, two_beams);
    phx_system *system = build(context, model);
    static const char *const names[] = {"tip.x", "tip.y", "fibre.top", "fibre.bottom", "drive"};
    static const char *const units[] = {"m", "m", "Pa", "Pa", "N m"};
    char name[100];

    assert_int_equal(phx_system_columns(system), 5);
    for (int k = 0; k < 5; k++) {
        phx_system_column_name(system, k, name, sizeof name);
        assert_string_equal(name, names[k]);
        assert_string_equal(phx_system_column_unit(system, k), units[k]);
    }
    assert_string_equal(phx_system_joint_name(system, 1), "B");
    phx_system_destroy(system);
    phx_model_destroy(model);
}

/* ---- refusals ---- */
static void refuses(phx_context *context, const char *text, phx_status expected, const char *position, const char *word)
{
    phx_model *model = read_text(context, text);
    phx_system *system = NULL;
    const phx_status status = phx_model_build(context, model, NULL, &system);
    const char *message = phx_context_message(context);

    if (status != expected || system || strncmp(message, position, strlen(position)) != 0 || !strstr(message, word))
        fail_msg("status %d, expected %d with '%s' and '%s': %s", (int)status, (int)expected, position, word, message);
    phx_model_destroy(model);
}

#define SPACE                                                                                                          \
    "phlexor: 1\ndimension: 3\nbodies:\n"                                                                              \
    "  a: {kind: rigid, mass: 1, inertia: [1, 1, 1]}\n"

/* Every kind of joint of space with the freedom it leaves and the columns of its coordinates; what is held or given
 * comes out of the start again. */
static void builds_joints_of_space(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *joint, *column;
        int freedom, coordinates;
        double last; /* the last coordinate at the start */
    } cases[] = {
        {"{kind: revolute, ports: [ground.O, a.P], axis: [0, 1, 0], axis_b: [1, 0, 0], angle: 7}", "q", 1, 1, 7.0},
        {"{kind: prismatic, ports: [ground.O, a.P], axis: [0, 1, 0], axis_b: [1, 0, 0], position: 2}", "q", 1, 1, 2.0},
        {"{kind: slider, ports: [ground.O, a.P], axis: [0, 1, 0], position: 2}", "q", 4, 1, 2.0},
        {"{kind: spherical, ports: [ground.O, a.P], angle: [0.5, 0.6, 4]}", "q.3", 3, 3, 4.0},
        {"{kind: universal, ports: [ground.O, a.P], axes: [[1, 0, 0], [0, 1, 0]], angle: [0.3, -2]}", "q.2", 2, 2,
         -2.0},
        {"{kind: universal, ports: [ground.O, a.P], axes: [[1, 0, 0], [1, 1, 0]], angle: [0.3, -2]}", "q.2", 2, 2,
         -2.0},
        {"{kind: cylindrical, ports: [ground.O, a.P], axis: [1, 2, 3], angle: 1, position: -3}", "q.2", 2, 2, -3.0},
        {"{kind: planar, ports: [ground.O, a.P], normal: [0, 0, 1], position: [1, 2], angle: 3}", "q.3", 3, 3, 3.0},
        {"{kind: planar, ports: [ground.O, a.P], normal: [0, 1, 1], position: [1, null], angle: 3}", "q.3", 3, 3, 3.0},
    };
    char text[400], name[20];

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(text, sizeof text, SPACE "joints:\n  J: %s\noutputs:\n  q: {coordinate: J}\n", cases[k].joint);
        phx_model *model = read_text(context, text);
        phx_system *system = NULL;
        phx_dae *dae = NULL;
        double x[20], v[6], lambda[6], columns[3];
        CHECK_OK(context, phx_model_build(context, model, NULL, &system));
        assert_int_equal(phx_system_n_v(system) - phx_system_n_l(system), cases[k].freedom);
        assert_int_equal(phx_system_columns(system), cases[k].coordinates);
        phx_system_column_name(system, cases[k].coordinates - 1, name, sizeof name);
        assert_string_equal(name, cases[k].column);
        CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
        CHECK_OK(context, phx_system_dae(system, context, &dae));
        CHECK_OK(context, phx_system_outputs(dae, 0.0, x, v, columns));
        CHECK_SMALL(columns[cases[k].coordinates - 1] - cases[k].last, 1e-12, "case %zu: %s", k, cases[k].joint);
        phx_system_dae_destroy(dae);
        phx_system_destroy(system);
        phx_model_destroy(model);
    }
    refuses(context, SPACE "joints:\n  J: {kind: universal, ports: [ground.O, a.P], axes: [[1, 0, 0], [1, 0, 0]]}\n",
            PHX_ERR_INPUT, "text:6:", "parallel in the poses");
}

/* Errors that the reader cannot know of come with the place of the entry that is to blame. */
static void blames_the_joint(void **state)
{
    phx_context *context = *state;
    refuses(context,
            HEAD "bodies:\n"
                 "  a: {kind: rigid, mass: 1, inertia: 1, ports: {C: {position: [1, 0]}}}\n"
                 "joints:\n"
                 "  left: {kind: revolute, ports: [ground.O, a.P]}\n"
                 "  right: {kind: revolute, ports: [ground.far, a.C]}\n"
                 "ground: {ports: {far: {position: [3, 0]}}}\n",
            PHX_ERR_ASSEMBLY, "text:7:", "'left'");
    refuses(context,
            HEAD "bodies:\n"
                 "  soft:\n"
                 "    kind: beam\n"
                 "    material: m\n"
                 "    length: 1\n"
                 "    section: {kind: circle, diameter: 0.1}\n"
                 "    reference: cantilever\n"
                 "    element: paper\n"
                 "    order: 5\n",
            PHX_ERR_UNSUPPORTED, "text:5:", "'soft'");
    refuses(context,
            HEAD "bodies:\n"
                 "  panel:\n"
                 "    kind: modal\n"
                 "    mass: 4\n"
                 "    inertia: 2\n"
                 "    modes: [{frequency: 1, translation: [0, 2]}, {frequency: 2, translation: [0, 0.5]}]\n",
            PHX_ERR_INPUT, "text:5:", "'panel'");
    CHECK_MESSAGE(context, "effective mass of the modes along y, the sum of their squared participation factors, is "
                           "4.25 kg, 0.25 kg more than the 4 kg of the body");
    refuses(context,
            HEAD "bodies:\n"
                 "  rod: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.1},\n"
                 "    reference: cantilever, elements: 1, modes: 4}\n",
            PHX_ERR_INPUT, "text:5:", "modes is 4, must be between 1 and 3");
}

static const char modal_body[] = HEAD "bodies:\n"
                                      "  panel:\n"
                                      "    kind: modal\n"
                                      "    mass: 4\n"
                                      "    inertia: 2\n"
                                      "    modes: [{frequency: 1, damping: 0.02, translation: [0, 1], rotation: 0.5}]\n"
                                      "    ports: {E: {position: [1, 0], angle: 0.5, shapes: [{translation: [0, 0.5], "
                                      "rotation: 0.8}]}}\n"
                                      "    point_masses: [{at: E, mass: 2, inertia: 0.1}]\n"
                                      "joints: {J: {kind: weld, ports: [ground.O, panel.P]}}\n"
                                      "outputs: {tip: {position: panel.E}}\n";

/* Mass and dampers of a modal body, and the mass at its port: M = 1 + m phi^2 + J theta^2. */
static void makes_modal_bodies(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, modal_body);
    phx_system *system = build(context, model);
    const phx_body *body = phx_system_body(system, 0);
    const phx_flex *flex = phx_body_flex(body);
    const double v[4] = {0.0, 0.0, 0.0, 2.0};

    assert_null(phx_system_beam(system, 0));
    assert_int_equal(flex->n, 1);
    CHECK_NEAR(flex->mass, 6.0, 1e-15);
    CHECK_NEAR(flex->M[0], 1.0 + 2.0 * 0.25 + 0.1 * 0.64, 1e-14);
    CHECK_NEAR(flex->S[1], 1.0 + 2.0 * 0.5, 1e-14);
    CHECK_NEAR(flex->C[0], 0.5 + 2.0 * 1.0 * 0.5 + 0.1 * 0.8, 1e-14);
    CHECK_NEAR(flex->K[0], 4.0 * TEST_PI * TEST_PI, 1e-12);
    CHECK_NEAR(phx_body_dissipation(body, v), 2.0 * 0.02 * 2.0 * TEST_PI * 4.0, 1e-13);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

static void places_beyond_a_beam_are_refused(void **state)
{
#define BEAD(start)                                                                                                    \
    HEAD "bodies:\n"                                                                                                   \
         "  wire: {kind: beam, material: m, length: 0.8, section: {kind: circle, diameter: 0.1}, reference: "          \
         "cantilever}\n"                                                                                               \
         "  pearl: {kind: rigid, mass: 1, inertia: 1}\n"                                                               \
         "joints:\n"                                                                                                   \
         "  clamp: {kind: weld, ports: [ground.O, wire.P]}\n"                                                          \
         "  bead: {kind: point_on, ports: [wire.P, pearl.P], " start "}\n"
    refuses(*state, BEAD("position: 0.9"), PHX_ERR_INPUT,
            "text:9:62: joints.bead.position: 0.9 m lies beyond the end C", "expected a place from 0 to 0.8 m");
    refuses(*state, BEAD("position: -0.1"), PHX_ERR_INPUT, "text:9:62: ", "beyond the end P of body 'wire'");
    refuses(*state, BEAD("motion: 1.2 - 0.1*t"), PHX_ERR_INPUT, "text:9:3: joint 'bead'", "along body 'wire'");
#undef BEAD
}

/* Every allocation fails in turn: the status says so and nothing is left behind (the sanitizers see that). */
static int refusals(phx_context *context, const char *text)
{
    phx_model *model = read_text(context, text);
    phx_system *system = NULL;
    phx_status status = PHX_ERR_MEMORY;
    int refused = 0;

    for (long n = 0; status == PHX_ERR_MEMORY && n < 100000; n++) {
        phx_context_fail_allocation(context, n);
        status = phx_model_build(context, model, NULL, &system);
        phx_context_fail_allocation(context, -1);
        refused += status == PHX_ERR_MEMORY;
        if (status)
            assert_null(system);
    }
    CHECK_OK(context, status);
    phx_system_destroy(system);
    phx_model_destroy(model);
    return refused;
}

static void survives_lack_of_memory(void **state)
{
    assert_true(refusals(*state, HEAD
                         "bodies:\n"
                         "  a: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.1},\n"
                         "    segments: 2, elements: 1, ports: {Q: {at: 0.3}}}\n"
                         "  b: {kind: rod, length: 1, elements: 3, section: {kind: general, stiffness: [[9, 0, 0], "
                         "[0, 9, 0], [0, 0, 9]], mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, ports: {Q: {at: "
                         "0.4}}, point_masses: [{at: '@0.7', mass: 1}]}\n"
                         "outputs: {o: {strain: b@0.2}}\n") > 60);
    assert_true(refusals(*state, two_beams) > 50);
    assert_true(refusals(*state, modal_body) > 30);
    assert_true(refusals(*state,
                         HEAD "bodies:\n"
                              "  a: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.1},\n"
                              "    reference: cantilever, elements: 2, modes: 2}\n"
                              "  b: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.1},\n"
                              "    reference: cantilever, element: assumed, modes: 2}\n") > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(folds_point_masses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(makes_beams_once, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(reuses_beams, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(names_columns, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(builds_joints_of_space, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(makes_modal_bodies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(blames_the_joint, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(places_beyond_a_beam_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(survives_lack_of_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
