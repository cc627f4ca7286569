/* Every allocation fails in turn: the call says so, nothing is lost (address sanitizer), what existed stays as it was.
 */
#include "support.h"
#include "model/build.h"

typedef struct call {
    const char *text;
    phx_model *model;
    const phx_signal *signal;
} call;

typedef phx_status call_fn(phx_context *context, call *c);

static phx_status read_model(phx_context *context, call *c)
{
    phx_model *model = NULL;
    const phx_model_override overrides[] = {{"n", "3", 0.0}, {"half", NULL, 0.25}};
    phx_status status = phx_model_read_text(context, PHX_SOURCE_DIR "/tests/model/data/x.yaml", c->text,
                                            strlen(c->text), 2, overrides, &model);
    phx_model_destroy(model);
    return status;
}

static phx_status read_from_file(phx_context *context, call *c)
{
    (void)c;
    phx_model *model = NULL;
    phx_status status = phx_model_read(context, PHX_SOURCE_DIR "/examples/crank_slider.yaml", 0, NULL, &model);
    phx_model_destroy(model);
    return status;
}

static phx_status set_parameters(phx_context *context, call *c)
{
    const phx_model_override override = {"half", NULL, 2.0};
    phx_status status = phx_model_set_parameters(context, c->model, 1, &override);
    CHECK_NEAR(c->model->bodies[1].length, status ? 1.0 : 4.0, 0.0);
    CHECK_NEAR(phx_signal_value(c->model->joints[1].coordinates[0].effort, 0.5), 0.5, 0.0);
    assert_int_equal(phx_model_where(c->model, &c->model->bodies[1].length).line, 38);
    return status;
}

static phx_status copy_model(phx_context *context, call *c)
{
    phx_model *copy = NULL;
    phx_status status = phx_model_copy(context, c->model, &copy);
    phx_model_destroy(copy);
    return status;
}

static phx_status copy_signal(phx_context *context, call *c)
{
    phx_signal *copy = NULL;
    phx_status status = phx_model_copy_signal(context, c->model, c->signal, &copy);
    phx_signal_destroy(copy);
    return status;
}

static phx_status evaluate(phx_context *context, call *c)
{
    double value;
    return phx_model_evaluate(context, c->model, "x", "2*L", &value);
}

static phx_status write_schemas(phx_context *context, call *c)
{
    (void)c;
    char *table = NULL, *json = NULL;
    phx_status status = phx_model_schema_markdown(context, &table);
    if (!status)
        status = phx_model_schema_json(context, &json);
    phx_free(table);
    phx_free(json);
    return status;
}

/* Let the first, second, ... allocation fail until the call succeeds. */
static void fail_in_turn(phx_context *context, call_fn *function, call *c, int least)
{
    for (int n = 0; n < 10000; n++) {
        phx_context_clear(context);
        phx_context_fail_allocation(context, n);
        phx_status status = function(context, c);
        phx_context_fail_allocation(context, -1);
        if (status == PHX_OK) {
            if (n < least)
                fail_msg("only %d allocations were seen, expected at least %d", n, least);
            return;
        }
        if (status != PHX_ERR_MEMORY || !*phx_context_message(context))
            fail_msg("allocation %d: status %d, message '%s'", n, status, phx_context_message(context));
    }
    fail_msg("the call never succeeds");
}

static void every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    char *plane = load_text(context, "tests/model/data/plane.yaml");
    fail_in_turn(context, read_model, &(call){.text = plane}, 30);
    fail_in_turn(context, read_from_file, &(call){.text = NULL}, 10);
    call c = {.model = read_file(context, "tests/model/data/plane.yaml")};
    fail_in_turn(context, set_parameters, &c, 10);
    CHECK_OK(context, phx_model_set_parameters(context, c.model, 0, NULL));
    fail_in_turn(context, copy_model, &c, 30);
    c.signal = c.model->joints[1].coordinates[0].speed;
    fail_in_turn(context, copy_signal, &c, 3);
    c.signal = c.model->joints[2].coordinates[0].speed;
    fail_in_turn(context, copy_signal, &c, 3);
    fail_in_turn(context, evaluate, &c, 1);
    fail_in_turn(context, write_schemas, &c, 3);
    phx_model_destroy(c.model);
    phx_free(plane);
}

/* Bad files, too, may run out of memory on the way. */
static void bad_models_may_run_out_of_memory(void **state)
{
    static const char *const texts[] = {
        "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1, x: 2}}\n",
        "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: [1, 2}}\n",
        "phlexor: 1\ndimension: 2\na: {b: 'x'\n",
        "phlexor: 1\ndimension: 2\nparameters: {a: b, b: a}\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        phx_status status = PHX_ERR_MEMORY;
        for (int n = 0; status == PHX_ERR_MEMORY && n < 1000; n++) {
            phx_model *model = NULL;
            phx_context_fail_allocation(*state, n);
            status = phx_model_read_text(*state, "x", texts[k], strlen(texts[k]), 0, NULL, &model);
            phx_context_fail_allocation(*state, -1);
            assert_null(model);
        }
        assert_int_equal(status, PHX_ERR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bad_models_may_run_out_of_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("model_memory", tests, NULL, NULL);
}
