/* Models as FMUs for model exchange: each is written once; their simulations; saved states. */
#define _POSIX_C_SOURCE 200809L
#include "fmu/exchange_models.h"

#include <math.h>
#include <phlexor/fmu.h>
#include <unistd.h>

phx_model *exchange_read(phx_context *context, const char *name)
{
    char path[512];
    phx_model *model = NULL;

    if (!strchr(name, '\n')) {
        snprintf(path, sizeof path, "%s/examples/%s", PHX_SOURCE_DIR, name);
        CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    } else {
        CHECK_OK(context, phx_model_read_text(context, "text.yaml", name, strlen(name), 0, NULL, &model));
    }
    return model;
}

/* FMUs that several tests use: each is written once. */
enum { MADE = 16 };
static struct {
    const char *model;
    int version;
    importer it;
} made[MADE];

importer *exchange_export(phx_context *context, const char *name, int version)
{
    phx_fmu_options options = phx_fmu_options_default();
    char file[60];
    int k = 0;

    while (k < MADE && made[k].model && (made[k].model != name || made[k].version != version))
        k++;
    assert_true(k < MADE);
    made[k].it.log[0] = '\0';
    if (made[k].model)
        return &made[k].it;
    phx_model *model = exchange_read(context, name);
    options.version = version;
    options.kind = PHX_FMU_BOTH;
    snprintf(file, sizeof file, "exchange_%ld_%d.fmu", (long)getpid(), k);
    CHECK_OK(context, phx_fmu_export(context, model, &options, file, NULL));
    importer_open(&made[k].it, file, version == 2 ? "linux64" : "x86_64-linux");
    remove(file);
    made[k].model = name;
    made[k].version = version;
    phx_model_destroy(model);
    return &made[k].it;
}

static void listen_to(void *user, phx_log_level level, const char *message)
{
    exchange_log *it = user;
    const size_t length = strlen(it->log);
    (void)level;
    snprintf(it->log + length, sizeof it->log - length, "%s\n", message);
}

phx_result *exchange_simulate(phx_context *context, const phx_model *model, double end, double step,
                              phx_integrator integrator, exchange_log *log)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;

    options.end = (phx_model_optional){.given = true, .value = end};
    options.every = (phx_model_optional){.given = true, .value = end};
    options.step = (phx_model_optional){.given = true, .value = step};
    options.rtol = (phx_model_optional){.given = true, .value = integrator == PHX_RADAU5 ? 1e-11 : 0.0};
    options.has_integrator = true;
    options.integrator = integrator;
    phx_context_set_log(context, listen_to, log);
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    phx_context_set_log(context, NULL, NULL);
    return result;
}

double exchange_difference(phx_context *context, exchange *e, const phx_result *result, char *where, size_t size)
{
    const size_t last = phx_result_rows(result) - 1;
    double worst = 0.0, expected;
    int count = 0;

    for (int c = 0; c < phx_result_columns(result); c++) {
        const char *name = phx_result_column_name(result, c);
        char mark[400];
        snprintf(mark, sizeof mark, "name=\"%s\" valueReference", name);
        if (!strstr(e->it->description, mark) || !strcmp(name, "residual"))
            continue;
        CHECK_OK(context, phx_result_column(result, c, last, 1, &expected));
        const double off = fabs(exchange_value(e, name) - expected) / (1.0 + fabs(expected));
        count++;
        if (off > worst) {
            worst = off;
            snprintf(where, size, "%s", name);
        }
    }
    assert_true(count >= 7);
    return worst;
}

void exchange_look(exchange *e, double *values)
{
    exchange_get_states(e, values);
    exchange_get_rates(e, values + e->states);
    exchange_get_indicators(e, values + 2 * e->states);
    values[2 * e->states + e->indicators] = exchange_value(e, "energy");
}

static void run_from(exchange *e, fmi3FMUState saved, const exchange *then, double t, double *values)
{
    fmi3Instance own = e->c;
    assert_int_equal(e->it->fmi3SetFMUState(own, saved), fmi3OK);
    *e = *then;
    e->c = own;
    exchange_run(e, t);
    exchange_look(e, values);
}

void exchange_over_events(phx_context *context, const char *model, const double until[3], double end)
{
    double expected[3][EXCHANGE_LOOK], found[EXCHANGE_LOOK];
    fmi3FMUState saved[3] = {NULL};
    exchange then[3];

    importer *it = exchange_export(context, model, 3);
    exchange one = exchange_start(it, 3, 1e-7);
    for (int k = 0; k < 3; k++) {
        exchange_run(&one, until[k]);
        assert_int_equal(it->fmi3GetFMUState(one.c, &saved[k]), fmi3OK);
        then[k] = one;
    }
    for (int k = 0; k < 3; k++)
        run_from(&one, saved[k], &then[k], end, expected[k]);
    const size_t bytes = (size_t)(2 * one.states + one.indicators + 1) * sizeof *found;
    assert_true(bytes <= sizeof found);
    for (int k = 2; k >= 0; k--) {
        exchange two = exchange_start(it, 3, 1e-7);
        fmi3FMUState read = NULL;
        size_t size = 0;
        assert_int_equal(it->fmi3SerializedFMUStateSize(one.c, saved[k], &size), fmi3OK);
        fmi3Byte *block = malloc(size);
        assert_int_equal(it->fmi3SerializeFMUState(one.c, saved[k], block, size), fmi3OK);
        assert_int_equal(it->fmi3DeserializeFMUState(two.c, block, size, &read), fmi3OK);
        run_from(&two, read, &then[k], end, found);
        assert_memory_equal(found, expected[k], bytes);
        run_from(&one, saved[k], &then[k], end, found);
        assert_memory_equal(found, expected[k], bytes);
        assert_int_equal(it->fmi3FreeFMUState(two.c, &read), fmi3OK);
        free(block);
        exchange_free(&two);
    }
    for (int k = 0; k < 3; k++)
        assert_int_equal(it->fmi3FreeFMUState(one.c, &saved[k]), fmi3OK);
    exchange_free(&one);
}

void exchange_close_all(void)
{
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (made[k].model)
            importer_close(&made[k].it);
}

void exchange_over_an_event(phx_context *context, const char *model, double until, double end)
{
    double expected[EXCHANGE_LOOK], found[EXCHANGE_LOOK];
    fmi3FMUState saved = NULL;

    importer *it = exchange_export(context, model, 3);
    exchange e = exchange_start(it, 3, 1e-8);
    assert_true(exchange_to_event(&e, until));
    assert_int_equal(it->fmi3GetFMUState(e.c, &saved), fmi3OK);
    const exchange then = e;
    (void)exchange_event(&e);
    exchange_look(&e, expected);
    exchange_run(&e, end);
    assert_int_equal(it->fmi3SetFMUState(e.c, saved), fmi3OK);
    e = then;
    (void)exchange_event(&e);
    exchange_look(&e, found);
    assert_memory_equal(found, expected, (size_t)(2 * e.states + e.indicators + 1) * sizeof *found);
    assert_int_equal(it->fmi3FreeFMUState(e.c, &saved), fmi3OK);
    exchange_free(&e);
}
