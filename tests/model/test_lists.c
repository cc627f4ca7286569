/* Parameters that are lists: their entries, values from outside, and the places that accept a list. */
#include "base/signal.h"
#include "model/memory.h"
#include "model/model.h"
#include "support.h"

#include <stdio.h>

#define HEAD "phlexor: 1\ndimension: 2\n"
#define BODY "bodies: {c: {kind: rigid, mass: 1, inertia: 1}}\n"

static double value_of(const phx_model *model, const char *name)
{
    const int k = phx_model_find_parameter(model, name);

    if (k < 0)
        fail_msg("there is no '%s'", name);
    return model->parameters[k].value;
}

static void entries_have_values(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, HEAD "parameters:\n  h: {count: 3, value: 2*a}\n  u: [0.1, 'h[3] + a', "
                                               "'u[2]^2']\n  a: 3\n  one: [7]\n" BODY);
    int first;

    assert_int_equal(model->n_parameters, 8);
    CHECK_NEAR(value_of(model, "h[1]"), 6.0, 0.0);
    CHECK_NEAR(value_of(model, "h[3]"), 6.0, 0.0);
    CHECK_NEAR(value_of(model, "u[1]"), 0.1, 0.0);
    CHECK_NEAR(value_of(model, "u[3]"), 81.0, 1e-13);
    CHECK_NEAR(value_of(model, "one[1]"), 7.0, 0.0);
    assert_int_equal(phx_model_find_parameters(model, "h", &first), 3);
    assert_int_equal(first, 0);
    assert_int_equal(phx_model_find_parameters(model, "u", &first), 3);
    assert_int_equal(first, 3);
    assert_int_equal(phx_model_find_parameters(model, "a", &first), 1);
    assert_int_equal(phx_model_find_parameters(model, "u[3]", &first), 1);
    assert_int_equal(first, 5);
    assert_int_equal(phx_model_find_parameters(model, "u[4]", &first), 0);
    assert_int_equal(phx_model_find_parameters(model, "x", &first), 0);
    assert_int_equal(phx_model_find_parameter(model, "h"), -1);
    phx_model_destroy(model);
}

/* The last of several values counts, of a list or of its entry; those derived from it follow. */
static void values_are_set(void **state)
{
    static const phx_model_override all[] = {
        {.name = "h[2]", .value = 9.0}, {.name = "h", .value = 4.0}, {.name = "h[3]", .expression = "h[1]*a"}};
    phx_context *context = *state;
    phx_model *model = read_text(context, HEAD "parameters: {h: {count: 3, value: 2}, u: ['h[2] + 1'], a: 3}\n" BODY);

    for (int n = 1; n <= 3; n++) {
        CHECK_OK(context, phx_model_set_parameters(context, model, n, all));
        CHECK_NEAR(value_of(model, "h[1]"), n == 1 ? 2.0 : 4.0, 0.0);
        CHECK_NEAR(value_of(model, "h[2]"), n == 1 ? 9.0 : 4.0, 0.0);
        CHECK_NEAR(value_of(model, "h[3]"), n == 1 ? 2.0 : n == 2 ? 4.0 : 12.0, 0.0);
        CHECK_NEAR(value_of(model, "u[1]"), n == 1 ? 10.0 : 5.0, 0.0);
    }
    assert_int_equal(phx_model_set_parameters(context, model, 1, &(phx_model_override){.name = "h[4]"}), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "there is no parameter 'h[4]' to set; the indices of the list 'h' are 1 to 3");
    assert_int_equal(phx_model_set_parameters(context, model, 1, &(phx_model_override){.name = "a[1]"}), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "'a' is not a list, leave out the index");
    CHECK_NEAR(value_of(model, "u[1]"), 5.0, 0.0);
    phx_model_destroy(model);
}

/* The name of a list where a list of numbers or signals is expected, and in maps by parameters. */
static void names_stand_for_lists(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(
        context,
        HEAD "parameters: {g: [0, -9.81], p: [1, 3, 2], d: 5}\n"
             "gravity: g\n"
             "bodies: {c: {kind: rigid, mass: 'p[3]', inertia: 1}}\n"
             "loads: {push: {at: c.P, force: [{times: {from: 1, to: 2}, values: p}, 0]}, lift: {at: c.P, force: g}}\n"
             "outputs: {x: {position: c.P}}\n"
             "sweep: {p: {values: p}}\n"
             "optimize: {variables: {d: {min: 0, max: 9}, p: {min: -1, max: 4}}, minimize: simulate.final(x.x)}\n"
             "identify: {parameters: {'p[2]': {min: 0}, d: {}}, frequencies: {mode: 1, value: 1}}\n");

    CHECK_NEAR(model->gravity[1], -9.81, 0.0);
    CHECK_NEAR(model->bodies[0].mass, 2.0, 0.0);
    for (int k = 0; k < 5; k++) {
        static const double want[] = {1.0, 2.0, 3.0, 2.5, 2.0};
        CHECK_NEAR(phx_signal_value(model->loads[0].component[0], 1.0 + 0.25 * k), want[k], 1e-14);
    }
    CHECK_NEAR(phx_signal_value(model->loads[1].component[1], 0.0), -9.81, 0.0);
    assert_int_equal(model->sweeps[0].count, 3);
    assert_int_equal(model->optimize.n_variables, 4);
    for (int k = 0; k < 4; k++) {
        static const char *const names[] = {"d", "p[1]", "p[2]", "p[3]"};
        const phx_model_variable *variable = &model->optimize.variables[k];
        assert_string_equal(variable->name, names[k]);
        assert_string_equal(model->parameters[variable->parameter].name, names[k]);
        CHECK_NEAR(variable->max, k ? 4.0 : 9.0, 0.0);
    }
    assert_int_equal(model->identify.n_parameters, 2);
    assert_string_equal(model->identify.parameters[0].name, "p[2]");
    phx_model_destroy(model);
}

static void names_stand_for_lists_in_space(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(
        context, "phlexor: 1\ndimension: 3\nparameters: {I: [1, 2, 1.5], w: [3, 4, 5], k: {count: 6, value: 7}}\n"
                 "bodies: {c: {kind: rigid, mass: 1, inertia: I, pose: {position: w}, ports: {Q: {position: I}}}}\n"
                 "joints: {j: {kind: spherical, ports: [ground.O, c.P], rate: w, damping: I}}\n"
                 "forces: {b: {kind: bushing, ports: [ground.O, c.Q], stiffness: k}}\n");

    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(model->bodies[0].inertia[4 * i], model->parameters[i].value, 0.0);
        CHECK_NEAR(model->bodies[0].pose.position[i], 3.0 + i, 0.0);
        CHECK_NEAR(model->joints[0].coordinates[i].damping, model->parameters[i].value, 0.0);
    }
    phx_model_destroy(model);
}

/* The text of a model with other values, as phx_model_save writes it. */
static void check_saved(phx_context *context, const char *text, int n, const phx_model_override *overrides,
                        const char *expected)
{
    char found[2000] = "";
    phx_model *model = read_text(context, text);

    CHECK_OK(context, phx_model_set_parameters(context, model, n, overrides));
    CHECK_OK(context, phx_model_save(context, model, "lists.yaml"));
    FILE *file = fopen("lists.yaml", "rb");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    remove("lists.yaml");
    assert_string_equal(found, expected);
    phx_model_destroy(model);
}

static void lists_are_saved(void **state)
{
    static const phx_model_override two[] = {{.name = "h[2]", .value = 0.5}, {.name = "u[1]", .value = 8.0}};
    static const phx_model_override all = {.name = "h", .value = 0.25};
    phx_context *context = *state;

    check_saved(
        context,
        HEAD "parameters:\n  h: {value: 2*a, count: 3}  # m\n  a: 3\n  u:\n    - 1   # first\n    - '2'\n" BODY, 2, two,
        HEAD "parameters:\n  h: [\"2*a\", 0.5, \"2*a\"]  # m\n  a: 3\n  u:\n    - 8   # first\n    - '2'\n" BODY);
    check_saved(context, HEAD "parameters:\n  h:\n    count: 9\n    value: 1 # m\n  u: [1, 2] # N\n" BODY, 2, two,
                HEAD "parameters:\n  h:\n    [1, 0.5, 1, 1, 1, 1, 1, 1,\n     1] # m\n  u: [8, 2] # N\n" BODY);
    check_saved(context, HEAD "parameters: {h: {count: 3, value: '2' }}\n" BODY, 1, &all,
                HEAD "parameters: {h: {count: 3, value: 0.25 }}\n" BODY);
    check_saved(context, HEAD "parameters: {h: {value: 2, count: 2 }, b: 1}\n" BODY, 1, two,
                HEAD "parameters: {h: [2, 0.5], b: 1}\n" BODY);
}

static void an_alias_is_not_saved(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, HEAD "parameters: {h: &h {count: 3, value: 2}, k: *h}\n" BODY);

    CHECK_OK(context, phx_model_set_parameters(context, model, 1, &(phx_model_override){.name = "k[1]", .value = 1.0}));
    assert_int_equal(phx_model_save(context, model, "lists.yaml"), PHX_ERR_UNSUPPORTED);
    phx_model_destroy(model);
}

/* 10000 entries that depend on one another, read and set by name in a time that one sees if it were their square. */
static void long_lists_are_fast(void **state)
{
    enum { N = 10000 };
    phx_context *context = *state;
    phx_text text = {.context = context};
    phx_model_override *overrides = phx_calloc(context, N, sizeof *overrides);
    char(*names)[20] = phx_calloc(context, N, sizeof *names);

    assert_true(overrides && names);
    phx_text_add(&text, HEAD "parameters:\n  h: {count: %d, value: 1}\n  u:\n", N);
    for (int k = 0; k < N; k++) {
        phx_text_add(&text, k ? "    - u[%d] + h[%d]\n" : "    - 0\n", k, k + 1);
        snprintf(names[k], sizeof names[k], "h[%d]", k + 1);
        overrides[k] = (phx_model_override){.name = names[k], .value = 2.0};
    }
    phx_text_add(&text, BODY);
    phx_model *model = read_text(context, text.text);
    CHECK_NEAR(value_of(model, "u[10000]"), N - 1.0, 0.0);
    CHECK_OK(context, phx_model_set_parameters(context, model, N, overrides));
    CHECK_NEAR(value_of(model, "u[10000]"), 2.0 * (N - 1.0), 0.0);
    phx_model_destroy(model);
    phx_free(text.text);
    phx_free(overrides);
    phx_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries_have_values, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(values_are_set, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(names_stand_for_lists, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(names_stand_for_lists_in_space, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(lists_are_saved, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(an_alias_is_not_saved, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(long_lists_are_fast, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("model_lists", tests, NULL, NULL);
}
