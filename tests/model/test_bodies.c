/* The kinds of body: what a row says of its kind is true of every body of that kind; places behind '@' as a kind has
 * them. */
#include "model/reader.h"
#include "arm.h"

static const phx_model_port *port_of(const phx_model_body *body, const char *name)
{
    for (int k = 0; k < body->n_ports; k++)
        if (!strcmp(body->ports[k].name, name))
            return &body->ports[k];
    return NULL;
}

/* Every port lies where its location says, on the body as it was built. */
static void check_ports(const phx_model *model, const phx_model_body *body, const phx_system *system)
{
    const phx_flex_source *source = phx_system_source(system, 0);
    for (int k = 0; k < body->n_ports; k++) {
        const phx_model_port *port = &body->ports[k];
        const phx_body_port *found = phx_system_find_point(system, 0, port->name);
        assert_non_null(found);
        if (!port->attach && !port->group && !port->node) /* not on a part of a mesh, whose place is not in the file */
            CHECK_VECTOR(model->dimension, found->point.x, port->position, 1e-15, "%s.%s", body->name, port->name);
        CHECK_VECTOR(model->dimension * model->dimension, found->rotation, port->rotation.matrix, 0.0,
                     "directions of %s.%s", body->name, port->name);
        const unsigned own = phx_body_location_sorts(phx_system_body(system, 0));
        assert_true(own      ? (own & phx_location_bit(port->location.sort)) != 0
                    : source ? phx_flex_source_offers(source, port->location.sort)
                             : port->location.sort == PHX_LOCATION_PLACE);
    }
}

static void check_sections(const phx_model *model, const phx_model_body *body, const phx_model_body_info *info,
                           const phx_body *made, const phx_flex_source *source)
{
    phx_model_sections sections = {0};
    const int n_moments = model->dimension == 2 ? 1 : 2;
    assert_int_equal(phx_model_body_sections(model, body, &sections), info->sections);
    assert_int_equal(phx_body_has_sections(made) || (source && phx_flex_source_has_sections(source)), info->sections);
    assert_true(!info->sections || sections.segments >= 1);
    if (!source || !info->sections) /* sections of its own are not bound to small deformation */
        return;
    assert_true(sections.segments >= 1 && sections.watched >= 2);
    assert_true(sections.strain_per_force > 0.0 && sections.euler_load > 0.0 && sections.bending_frequency > 0.0);
    for (int m = 0; m < n_moments; m++)
        assert_true(sections.strain_per_moment[m] > 0.0);
    assert_true(!sections.torsion || model->dimension == 3);
    assert_int_equal(sections.stiffening, phx_flex_source_flex(source)->stiffening != NULL);
}

static void check_bodies(phx_context *context, phx_model *model, bool *seen)
{
    for (int b = 0; b < model->n_bodies; b++) {
        const phx_model_body *body = &model->bodies[b];
        const phx_model_body_info *info = phx_model_body_info_of(body);
        phx_system *system = NULL;
        seen[body->kind] = true;
        assert_true(model->dimension == 2 ? info->plane : info->space);
        for (int k = 0; k < PHX_MODEL_MAX_OWN_PORTS && info->ports[k]; k++)
            assert_non_null(port_of(body, info->ports[k]));
        CHECK_OK(context, phx_model_build_body(context, model, b, &system));
        const phx_body *made = phx_system_body(system, 0);
        const phx_flex_source *source = phx_system_source(system, 0);
        assert_int_equal(phx_body_deforms(made), info->deforms);
        assert_int_equal(source || !phx_body_floats(made), info->deforms);
        check_ports(model, body, system);
        check_sections(model, body, info, made, source);
        for (int s = 0; s < PHX_LOCATION_SORTS; s++) /* what the file can say the body can answer */
            if (info->locations & phx_location_bit((phx_location_sort)s))
                assert_true(source ? phx_flex_source_offers(source, (phx_location_sort)s)
                                   : (phx_body_location_sorts(made) & phx_location_bit((phx_location_sort)s)) != 0);
        phx_system_destroy(system);
    }
    phx_model_destroy(model);
}

/* Bodies on meshes and from files. */
static phx_model *elastic_model(phx_context *context)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nmaterials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}\nbodies:\n"
        "  wing: {kind: plate, material: steel, thickness: 0.01, mesh: {size: [1, 1], elements: [2, 2]},\n"
        "    ports: {root: {on: x0}, tip: {on: x1, attach: average}, corner: {node: 1}}}\n"
        "  block: {kind: solid, material: steel, mesh: {size: [1, 1, 1], elements: [1, 1, 1]}, ports: {P: {on: x0}}}\n"
        "  frame: {kind: imported, files: [frame.csv, frame_K.mtx, frame_M.mtx], ports: {P: {node: 1}},\n"
        "    basis: {kind: free, modes: 2}}\n"
        "  arm: {kind: reduced, file: arm.h5}\n"
        "  sail: {kind: shell, material: steel, thickness: 0.01, mesh: {size: [1, 1], elements: [2, 2]},\n"
        "    ports: {root: {set: x0}, tip: {set: x1}, corner: {node: 3}}}\n";
    write_frame();
    write_reduced_arm(context);
    return read_text(context, text);
}

static void remove_elastic_files(void)
{
    static const char *const files[] = {"frame.csv", "frame_K.mtx", "frame_M.mtx", "arm.h5"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        remove(files[k]);
}

static void rows_are_true(void **state)
{
    static const char *const files[] = {"examples/crank_slider.yaml",    "examples/spin_up.yaml",
                                        "examples/modal_appendage.yaml", "examples/rotor_blade.yaml",
                                        "examples/manipulator.yaml",     "examples/composite_blade.yaml"};
    bool seen[PHX_MODEL_BODY_KINDS] = {false};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        check_bodies(*state, read_file(*state, files[k]), seen);
    check_bodies(*state, elastic_model(*state), seen);
    remove_elastic_files();
    for (int kind = 0; kind < PHX_MODEL_BODY_KINDS; kind++)
        if (!seen[kind])
            fail_msg("no model has a body of kind '%s'", phx_model_body_kind_name((phx_model_body_kind)kind));
}

/* Between two points of a body that deforms a spring makes sense, between those of one that does not none. */
static void springs_inside_a_body(void **state)
{
    phx_context *context = *state;
    static const char text[] = "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1, young: 1}}\nbodies:\n"
                               "  a: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 1}, "
                               "reference: free}\n"
                               "  b: {kind: modal, mass: 1, inertia: 1, modes: [{frequency: 1}], ports: {Q: {}}}\n"
                               "springs: {s: {ports: [a.P, a.C]}, t: {ports: [b.P, b.Q]}}\n";
    phx_model_destroy(read_text(context, text));
}

/* The section at a place, of beams and rods: linear between stations, of a step what is behind it; without known fibres
 * where a station has none. */
static void sections_vary_along_a_body(void **state)
{
    phx_context *context = *state;
    static const char text[] =
        "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1, young: 1, poisson: 0.3}}\nbodies:\n"
        "  a: {kind: beam, material: m, length: 1, reference: free, sections: [\n"
        "    {at: 0, section: {kind: rectangle, width: 1, height: 0.2}},\n"
        "    {at: 0.5, section: {kind: rectangle, width: 1, height: 0.1}},\n"
        "    {at: 0.5, section: {kind: rectangle, width: 2, height: 0.1}},\n"
        "    {at: 1, section: {kind: general, area: 0.3, inertia: 1e-4}}]}\n"
        "  b: {kind: rod, material: m, length: 1, sections: [\n"
        "    {at: 0, section: {kind: rectangle, width: 1, height: 0.2}},\n"
        "    {at: 1, section: {kind: rectangle, width: 1, height: 0.1}},\n"
        "    {at: 1, section: {kind: rectangle, width: 3, height: 0.1}}]}\n";
    phx_model *model = read_text(context, text);
    phx_model_section section;

    assert_true(phx_model_section_at(model, &model->bodies[0], 0.25, &section));
    CHECK_CLOSE(section.area, 0.15, 1e-16, "area");
    CHECK_CLOSE(section.inertia[1], 0.5 * (8e-3 + 1e-3) / 12.0, 1e-18, "second moment");
    CHECK_CLOSE(section.fibre[0], 0.075, 1e-16, "fibre");
    assert_int_equal(section.kind, PHX_MODEL_RECTANGLE);
    assert_true(phx_model_section_at(model, &model->bodies[0], 0.5, &section));
    CHECK_CLOSE(section.area, 0.2, 1e-16, "area behind the step");
    assert_int_equal(section.kind, PHX_MODEL_GENERAL);
    assert_true(phx_model_section_at(model, &model->bodies[1], 0.5, &section));
    CHECK_CLOSE(section.area, 0.15, 1e-16, "area of the rod");
    CHECK_CLOSE(section.fibre[0], 0.075, 1e-16, "fibre of the rod");
    assert_true(phx_model_section_at(model, &model->bodies[1], 1.0, &section));
    CHECK_CLOSE(section.area, 0.3, 1e-16, "area behind a step at the end");
    phx_model_destroy(model);
}

static void rows_are_complete(void **state)
{
    (void)state;
    for (int kind = 0; kind < PHX_MODEL_BODY_KINDS; kind++) {
        const phx_model_body_info *info = phx_model_body_kind_info((phx_model_body_kind)kind);
        assert_string_equal(info->name, phx_model_body_kind_name((phx_model_body_kind)kind));
        assert_true(*info->noun && *info->is && *info->doc && (info->plane || info->space));
        assert_true(info->ports[0] || info->locations); /* there is a point on it */
        assert_true(info->deforms || !info->sections);
        for (int other = 0; other < kind; other++)
            assert_string_not_equal(info->name, phx_model_body_kind_name((phx_model_body_kind)other));
    }
    assert_null(phx_model_body_kind_info((phx_model_body_kind)-1));
    assert_null(phx_model_body_kind_info(PHX_MODEL_BODY_KINDS));
    assert_string_equal(phx_model_body_kind_name(PHX_MODEL_BODY_KINDS), "");
    assert_false(phx_model_body_sections(NULL, NULL, NULL));
}

/* ---- keys of a kind in a table of its own, for a struct of its own ---- */
typedef struct wheel {
    double radius;
    int spokes;
} wheel;
typedef struct part {
    const char *name;
    int kind;
    double mass, width;
    wheel *own;
} part;

static const phx_key wheel_keys[] = {
    {"radius", &phx_type_number, offsetof(wheel, radius), .required = true, .kinds = 2, .own = true, .doc = ""},
    {"spokes", &phx_type_integer, offsetof(wheel, spokes), .kinds = 2, .own = true, .fallback = "8", .doc = ""}};
static const phx_key plank_keys[] = {
    {"width", &phx_type_number, offsetof(part, width), .required = true, .kinds = 1, .doc = ""}};

static phx_key_table keys_of_part(int kind)
{
    return kind == 0 ? (phx_key_table){plank_keys, 1} : (phx_key_table){wheel_keys, 2};
}

static wheel the_wheel;
static phx_status begin_part(phx_reader *reader, const phx_node *node, void *object)
{
    (void)reader, (void)node;
    ((part *)object)->own = &the_wheel;
    return PHX_OK;
}

static phx_status read_part(phx_context *context, const char *text, part *found)
{
    static const phx_word words[] = {
        {.word = "plank", .dims = PHX_BOTH}, {.word = "wheel", .dims = PHX_BOTH}, {.word = NULL}};
    const phx_key keys[] = {{"kind", &phx_type_kind, offsetof(part, kind), .required = true, .words = words, .doc = ""},
                            {.name = NULL},
                            {"mass", &phx_type_number, offsetof(part, mass), .required = true, .doc = ""}};
    const phx_object object = {.title = "part",
                               .doc = "",
                               .size = sizeof(part),
                               .keys = keys,
                               .n_keys = 3,
                               .of_kind = keys_of_part,
                               .kind_rule = PHX_KIND_KEY,
                               .kinds = words,
                               .kind_offset = offsetof(part, kind),
                               .own_offset = offsetof(part, own),
                               .begin = begin_part};
    phx_model model = {.path = "part.yaml", .dimension = 2};
    const phx_names none = {0, NULL};
    phx_content content = {.n_places = 0};
    phx_reader reader = {.context = context, .model = &model, .content = &content};
    phx_arena arena = {NULL};
    const phx_node *root = NULL;
    *found = (part){.name = "p"};
    the_wheel = (wheel){0.0, 0};
    CHECK_OK(context, phx_evaluator_create(context, &reader.evaluator));
    phx_evaluator_set_parameters(reader.evaluator, NULL, &none, NULL);
    CHECK_OK(context, phx_yaml_parse(context, &arena, &arena, model.path, text, strlen(text), &root));
    const phx_status status = phx_read_object(&reader, &object, root, found);
    phx_evaluator_destroy(reader.evaluator);
    phx_content_free(&content);
    phx_arena_free(&arena);
    return status;
}

static void a_kind_has_keys_of_its_own(void **state)
{
    phx_context *context = *state;
    part found;
    CHECK_OK(context, read_part(context, "{kind: wheel, mass: 2, radius: 0.5}", &found));
    CHECK_NEAR(found.mass, 2.0, 0.0);
    CHECK_NEAR(the_wheel.radius, 0.5, 0.0);
    assert_int_equal(the_wheel.spokes, 8);
    CHECK_OK(context, read_part(context, "{kind: wheel, mass: 2, radius: 0.5, spokes: 3}", &found));
    assert_int_equal(the_wheel.spokes, 3);
    CHECK_OK(context, read_part(context, "{kind: plank, width: 3, mass: 1}", &found));
    CHECK_NEAR(found.width, 3.0, 0.0);
    CHECK_NEAR(the_wheel.radius, 0.0, 0.0);
    CHECK_STATUS(context, read_part(context, "{kind: plank, width: 3, mass: 1, radius: 1}", &found), PHX_ERR_INPUT);
    CHECK_MESSAGE(context,
                  "'radius' does not apply to a part with 'plank', only with: wheel (keys: kind, width, mass)");
    CHECK_STATUS(context, read_part(context, "{kind: wheel, mass: 1}", &found), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "key 'radius' of a part is missing");
    CHECK_STATUS(context, read_part(context, "{kind: wheel, mass: 1, radios: 1}", &found), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "did you mean 'radius'");
}

/* ---- places behind '@' ---- */
static phx_status read_place(phx_context *context, const char *text, unsigned sorts, phx_location *location)
{
    phx_model model = {.path = "place.yaml", .dimension = 2};
    const phx_names none = {0, NULL};
    const phx_node node = {.kind = PHX_NODE_SCALAR, .plain = true, .text = text};
    phx_reader reader = {.context = context, .model = &model};
    CHECK_OK(context, phx_evaluator_create(context, &reader.evaluator));
    phx_evaluator_set_parameters(reader.evaluator, NULL, &none, NULL);
    const phx_status status = phx_read_location(&reader, &node, text, sorts, location);
    phx_evaluator_destroy(reader.evaluator);
    return status;
}

static void places_are_read_by_what_a_kind_has(void **state)
{
    enum { FRACTION = 1 << PHX_LOCATION_FRACTION, NODE = 1 << PHX_LOCATION_NODE, NAME = 1 << PHX_LOCATION_NAME };
    static const struct {
        const char *text;
        unsigned sorts;
        phx_location wanted;
    } good[] = {{"1/4", FRACTION | NAME, {.sort = PHX_LOCATION_FRACTION, .fraction = 0.25}},
                {"sqrt(0.25)", FRACTION, {.sort = PHX_LOCATION_FRACTION, .fraction = 0.5}},
                {"3*5+2", NODE | NAME, {.sort = PHX_LOCATION_NODE, .node = 17}},
                {"bore", NODE | NAME, {.sort = PHX_LOCATION_NAME, .name = "bore"}},
                {"left edge", NAME, {.sort = PHX_LOCATION_NAME, .name = "left edge"}}};
    static const struct {
        const char *text;
        unsigned sorts;
        const char *why;
    } bad[] = {{"3/2", FRACTION, "expected a fraction of the length in [0, 1] after '@', found '3/2' = 1.5"},
               {"0/0", FRACTION, "place.yaml"},
               {"1.5", NODE | NAME, "expected a number of a node, name after '@', found '1.5' = 1.5"},
               {"1e10", NODE, "expected a number of a node after '@'"},
               {"2", NAME, "expected a name after '@', found '2' = 2"},
               {"bore", NODE, "bore"}};
    phx_location found;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        CHECK_OK(*state, read_place(*state, good[k].text, good[k].sorts, &found));
        assert_true(phx_location_same(&found, &good[k].wanted));
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK_STATUS(*state, read_place(*state, bad[k].text, bad[k].sorts, &found), PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, bad[k].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sections_vary_along_a_body, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rows_are_complete, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rows_are_true, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(springs_inside_a_body, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_kind_has_keys_of_its_own, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(places_are_read_by_what_a_kind_has, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("model_bodies", tests, NULL, NULL);
}
