/* Parameters from measurements: coverage of the intervals, what cannot be determined, each kind of measurement, bounds,
 * weights, errors. Measurements are values of the model itself with known parameters, with reproducible noise. */
#include "base/base.h"
#include "sensitivity/identify.h"
#include "support/testing.h"

enum { SAMPLES = 50 };

/* A body on a hinge with spring and damper, let go at 0.3 rad; %s: parameters; the key identify. */
static const char hinge[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "parameters: {%s}\n"
    "bodies: {arm: {kind: rigid, mass: 1, inertia: 0.2, pose: {angle: 0.3}}}\n"
    "joints: {pin: {kind: revolute, ports: [ground.O, arm.P], angle: 0.3, stiffness: k + 2*k2,\n"
    "  damping: c, effort: 0}}\n"
    "outputs: {angle: {coordinate: pin}, rate: {rate: pin}}\n"
    "simulate: {end: 1, step: 0.02}\n"
    "identify: {%s}\n";
/* Two masses on springs along a line. */
static const char chain[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "parameters: {%s}\n"
    "bodies: {a: {kind: rigid, mass: 1, inertia: 1}, b: {kind: rigid, mass: 2, inertia: 1}}\n"
    "joints:\n"
    "  one: {kind: prismatic, ports: [ground.O, a.P], axis: [1, 0], stiffness: k1, damping: 0.1, effort: 0}\n"
    "  two: {kind: prismatic, ports: [a.P, b.P], axis: [1, 0], stiffness: k2, damping: 0.1}\n"
    "outputs: {x: {coordinate: one}}\n"
    "identify: {%s}\n";

static phx_model *read_model(phx_context *context, const char *form, const char *parameters, const char *identify)
{
    char text[4000];
    phx_model *model = NULL;

    snprintf(text, sizeof text, form, parameters, identify);
    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* A sample of the normal distribution. */
static double normal(uint64_t *seed)
{
    const double u = 0.5 * (1.0 + random_value(seed)), v = random_value(seed);
    return sqrt(-2.0 * log(fmax(u, 1e-300))) * cos(TEST_PI * v);
}

/* SAMPLES values of an expression of the model at even times from `from` to 1 s, seen `delay` later. */
static void sample(phx_context *context, const phx_model *model, const char *expression, double from, double delay,
                   double *t, double *value)
{
    char texts[SAMPLES][100];
    const char *objectives[SAMPLES];

    for (int k = 0; k < SAMPLES; k++) {
        t[k] = from + (1.0 - from) * k / (SAMPLES - 1);
        snprintf(texts[k], sizeof texts[k], "simulate.at(%.17g,%s)", t[k] - delay, expression);
        objectives[k] = texts[k];
    }
    CHECK_OK(context, phx_objectives_evaluate(context, model, SAMPLES, objectives, value));
}

/* Two columns with noise. */
static void write_table(const char *path, const double *t, double gain, const double *a, double noise_a,
                        const double *b, double noise_b, uint64_t *seed)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("t,a,b\n", file);
    for (int k = 0; k < SAMPLES; k++)
        fprintf(file, "%.17g,%.17g,%.17g\n", t[k], gain * a[k] + noise_a * normal(seed), b[k] + noise_b * normal(seed));
    fclose(file);
}

static phx_identification identify(phx_context *context, const phx_model *model)
{
    const phx_identify_options options = phx_identify_options_default();
    phx_identification found;

    CHECK_OK(context, phx_identify(context, model, &options, &found));
    return found;
}

static void quantiles_of_student(void **state)
{
    static const struct {
        int freedom;
        double t;
    } known[] = {{1, 12.706204736}, {2, 4.302652730}, {5, 2.570581836}, {30, 2.042272456}, {1000, 1.962339081}};

    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        CHECK_RELATIVE(phx_student_quantile(known[k].freedom, 0.95), known[k].t, 1e-9, "%d", known[k].freedom);
}

/* The intervals hold the truth in 95 % of repetitions, and the deviations are those of the estimates. Two series with
 * noise of different size, of which one is given and one estimated. */
static void intervals_cover(void **state)
{
    enum { REPETITIONS = TEST_LONG(200), PARAMETERS = 2 };
    static const double truth[PARAMETERS] = {2.0, 0.1};
    phx_context *context = *state;
    phx_model *exact = read_model(context, hinge, "k: 2, k2: 0, c: 0.1", "parameters: {k: {}}");
    phx_model *model = read_model(context, hinge, "k: 1.7, k2: 0, c: 0.07",
                                  "parameters: {k: {min: 0}, c: {}}, time_series: [{file: cover.csv, column: a, model: "
                                  "angle, deviation: 0.01}, {file: cover.csv, column: b, model: rate}]");
    double t[SAMPLES], a[SAMPLES], b[SAMPLES], squares[PARAMETERS] = {0}, variances[PARAMETERS] = {0};
    int inside[PARAMETERS] = {0};
    uint64_t seed = 1;

    sample(context, exact, "angle", 0.0, 0.0, t, a);
    sample(context, exact, "rate", 0.0, 0.0, t, b);
    for (int r = 0; r < REPETITIONS; r++) {
        write_table("cover.csv", t, 1.0, a, 0.01, b, 0.1, &seed);
        phx_identification found = identify(context, model);
        for (int p = 0; p < PARAMETERS; p++) {
            const phx_identified_parameter *parameter = &found.parameters[p];
            inside[p] += parameter->low <= truth[p] && truth[p] <= parameter->high;
            squares[p] += pow(parameter->value - truth[p], 2) / REPETITIONS;
            variances[p] += pow(parameter->deviation, 2) / REPETITIONS;
        }
        assert_int_equal(found.freedom, 2 * SAMPLES - PARAMETERS);
        phx_identification_free(&found);
    }
    for (int p = 0; p < PARAMETERS; p++) {
        printf("parameter %d: %d of %d intervals hold the truth, scatter over deviation %.3f\n", p, inside[p],
               REPETITIONS, sqrt(squares[p] / variances[p]));
        CHECK_BETWEEN((double)inside[p] / REPETITIONS, TEST_SHORTER(0.9, 0.7), TEST_SHORTER(0.99, 1.0), "coverage %d",
                      p);
        CHECK_BETWEEN(sqrt(squares[p] / variances[p]), TEST_SHORTER(0.9, 0.5), TEST_SHORTER(1.1, 1.5), "scatter %d", p);
    }
    remove("cover.csv");
    phx_model_destroy(exact);
    phx_model_destroy(model);
}

/* Of springs in parallel only the sum is found; damping has its interval. A parameter without influence is named. */
static void undetermined_is_named(void **state)
{
    phx_context *context = *state;
    phx_model *exact = read_model(context, hinge, "k: 1, k2: 0.5, c: 0.1", "parameters: {k: {}}");
    phx_model *model =
        read_model(context, hinge, "k: 0.8, k2: 0.3, c: 0.05, unused: 3",
                   "parameters: {k: {}, k2: {}, c: {}, unused: {}}, time_series: {file: sum.csv, column: a, "
                   "model: y(angle)}");
    double t[SAMPLES], a[SAMPLES];
    uint64_t seed = 2;

    sample(context, exact, "angle", 0.0, 0.0, t, a);
    write_table("sum.csv", t, 1.0, a, 1e-3, a, 0.0, &seed);
    phx_identification found = identify(context, model);
    assert_int_equal(found.n_undetermined, 2);
    CHECK_TEXT(found.undetermined[0], "unused");
    assert_string_equal(found.undetermined[1], "k - 2*k2");
    assert_int_equal(found.parameters[0].state, PHX_UNIDENTIFIED);
    assert_int_equal(found.parameters[1].state, PHX_UNIDENTIFIED);
    assert_int_equal(found.parameters[2].state, PHX_IDENTIFIED);
    assert_int_equal(found.parameters[3].state, PHX_UNIDENTIFIED);
    assert_true(isnan(found.parameters[0].deviation) && isnan(found.parameters[1].low));
    CHECK_CLOSE(found.parameters[0].value + 2.0 * found.parameters[1].value, 2.0, 0.01, "the sum");
    CHECK_BETWEEN(0.1, found.parameters[2].low, found.parameters[2].high, "damping");
    assert_int_equal(found.freedom, SAMPLES - 2);
    phx_identification_free(&found);
    remove("sum.csv");
    phx_model_destroy(exact);
    phx_model_destroy(model);
}

/* The stiffnesses of a chain from its two frequencies, the first measured twice with errors of opposite sign. */
static void frequencies_alone(void **state)
{
    static const char *const objectives[] = {"modes.frequency.1", "modes.frequency.2"};
    phx_context *context = *state;
    phx_model *exact = read_model(context, chain, "k1: 30, k2: 50", "parameters: {k1: {}}");
    double f[2];
    char text[500];

    CHECK_OK(context, phx_objectives_evaluate(context, exact, 2, objectives, f));
    snprintf(
        text, sizeof text,
        "parameters: {k1: {min: 1}, k2: {min: 1}}, frequencies: [{mode: 1, value: %.17g, deviation: 0.01}, {mode: 1, "
        "value: %.17g, deviation: 0.01}, {mode: 2, value: %.17g, deviation: 0.02}]",
        f[0] + 0.01, f[0] - 0.01, f[1]);
    phx_model *model = read_model(context, chain, "k1: 40, k2: 40", text);
    phx_identification found = identify(context, model);
    CHECK_RELATIVE(found.parameters[0].value, 30.0, 1e-7, "k1");
    CHECK_RELATIVE(found.parameters[1].value, 50.0, 1e-7, "k2");
    assert_int_equal(found.freedom, 1);
    CHECK_CLOSE(found.variance, 2.0, 1e-6, "two residuals of one deviation");
    phx_identification_free(&found);
    phx_model_destroy(exact);
    phx_model_destroy(model);
}

/* Frequency responses as real and imaginary part, and as gain and phase. */
static void responses(void **state)
{
    enum { POINTS = 12 };
    phx_context *context = *state;
    phx_model *exact = read_model(context, chain, "k1: 30, k2: 50", "parameters: {k1: {}}");
    FILE *first = fopen("re.csv", "w"), *second = fopen("gain.csv", "w");

    assert_true(first && second);
    fputs("omega,re,im\n", first);
    fputs("omega [rad/s],gain,phase\n", second);
    for (int k = 0; k < POINTS; k++) {
        char texts[2][80];
        const char *objectives[] = {texts[0], texts[1]};
        double g[2];
        snprintf(texts[0], sizeof texts[0], "linearize.re.%.17g.1.1", 1.0 + k);
        snprintf(texts[1], sizeof texts[1], "linearize.im.%.17g.1.1", 1.0 + k);
        CHECK_OK(context, phx_objectives_evaluate(context, exact, 2, objectives, g));
        fprintf(first, "%.17g,%.17g,%.17g\n", 1.0 + k, g[0], g[1]);
        fprintf(second, "%.17g,%.17g,%.17g\n", 1.0 + k, hypot(g[0], g[1]), atan2(g[1], g[0]));
    }
    fclose(first);
    fclose(second);
    for (int form = 0; form < 2; form++) {
        phx_model *model = read_model(context, chain, "k1: 28, k2: 47",
                                      form ? "parameters: {k1: {}, k2: {}}, responses: {file: gain.csv}"
                                           : "parameters: {k1: {}, k2: {}}, responses: {file: re.csv}");
        phx_identification found = identify(context, model);
        assert_int_equal(found.n_rows, 2 * POINTS);
        CHECK_RELATIVE(found.parameters[0].value, 30.0, 1e-7, "k1 of form %d", form);
        CHECK_RELATIVE(found.parameters[1].value, 50.0, 1e-7, "k2 of form %d", form);
        phx_identification_free(&found);
        phx_model_destroy(model);
    }
    remove("re.csv");
    remove("gain.csv");
    phx_model_destroy(exact);
}

/* Delay, gain and offset of a sensor, with the stiffness; a second run validates. */
static void sensor(void **state)
{
    phx_context *context = *state;
    const phx_identify_options options = {.data = "sensor.csv", .validate = "other.csv", .iterations = 30};
    phx_model *exact = read_model(context, hinge, "k: 2, k2: 0, c: 0.1", "parameters: {k: {}}");
    phx_model *model = read_model(context, hinge, "k: 1.8, k2: 0, c: 0.1, tau: 0.01, g: 1, o: 0",
                                  "parameters: {k: {}, tau: {min: 0}, g: {}, o: {}}, time_series: {column: a, model: "
                                  "g*y(angle) + o + 0.02, delay: tau, from: 0.1}");
    double t[SAMPLES], a[SAMPLES];
    phx_identification found;
    uint64_t seed = 3;

    sample(context, exact, "angle", 0.1, 0.03, t, a);
    write_table("sensor.csv", t, 1.1, a, 0.0, a, 0.0, &seed);
    write_table("other.csv", t, 1.1, a, 1e-3, a, 0.0, &seed);
    CHECK_OK(context, phx_identify(context, model, &options, &found));
    CHECK_RELATIVE(found.parameters[0].value, 2.0, 1e-7, "k");
    CHECK_RELATIVE(found.parameters[1].value, 0.03, 1e-6, "delay");
    CHECK_RELATIVE(found.parameters[2].value, 1.1, 1e-7, "gain");
    CHECK_CLOSE(found.parameters[3].value, -0.02, 1e-8, "offset");
    assert_int_equal(found.series[0].validated, SAMPLES);
    CHECK_BETWEEN(found.series[0].validated_rms, 0.8e-3, 1.2e-3, "noise of the second run");
    CHECK_OK(context, phx_identification_save(context, &found, "rows.csv"));
    FILE *printed = tmpfile();
    assert_non_null(printed);
    CHECK_OK(context, phx_identification_print(context, &found, printed));
    assert_true(ftell(printed) > 0);
    fclose(printed);
    phx_identification_free(&found);
    remove("rows.csv");
    remove("sensor.csv");
    remove("other.csv");
    phx_model_destroy(exact);
    phx_model_destroy(model);
}

/* A parameter at its bound is named and fixed; steps that the model refuses are tried again shorter. */
static void bounds(void **state)
{
    phx_context *context = *state;
    phx_model *exact = read_model(context, hinge, "k: 2, k2: 0, c: 0.1", "parameters: {k: {}}");
    phx_model *model = read_model(context, hinge, "k: 1.5, k2: 0, c: 0.05, tau: 0.01",
                                  "parameters: {k: {max: 1.9}, c: {min: 0}}, time_series: {file: bound.csv, column: a, "
                                  "model: angle}");
    phx_model *refused = read_model(context, hinge, "k: 1.5, k2: 0, c: 0.1, tau: 0.01",
                                    "parameters: {k: {max: 1.6}, tau: {}}, time_series: {file: bound.csv, column: a, "
                                    "model: angle, delay: tau, from: 0.1}");
    double t[SAMPLES], a[SAMPLES];
    uint64_t seed = 4;

    sample(context, exact, "angle", 0.0, 0.0, t, a);
    write_table("bound.csv", t, 1.0, a, 1e-3, a, 0.0, &seed);
    phx_identification found = identify(context, model);
    assert_int_equal(found.parameters[0].state, PHX_IDENTIFIED_AT_MAX);
    assert_true(found.parameters[0].value == 1.9);
    assert_int_equal(found.parameters[1].state, PHX_IDENTIFIED);
    assert_int_equal(found.freedom, SAMPLES - 1);
    phx_identification_free(&found);
    found = identify(context, refused);
    assert_int_equal(found.end, PHX_IDENTIFY_REFUSED);
    CHECK_BETWEEN(found.parameters[1].value, -1e-6, 1e-3, "the delay that the run allows");
    phx_identification_free(&found);
    remove("bound.csv");
    phx_model_destroy(exact);
    phx_model_destroy(model);
    phx_model_destroy(refused);
}

/* The message of an identification that cannot be made. */
static void wrong(phx_context *context, const char *key, const char *data, const char *message)
{
    const phx_identify_options options = {.data = data, .iterations = 5};
    phx_model *model = read_model(context, hinge, "k: 2, k2: 0, c: 0.1", key);
    phx_identification found;

    CHECK_STATUS(context, phx_identify(context, model, &options, &found), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, message);
    phx_model_destroy(model);
}

static void errors(void **state)
{
    phx_context *context = *state;
    phx_model *none = NULL;
    phx_identify_options options = phx_identify_options_default();
    phx_identification found;
    FILE *file = fopen("wrong.csv", "w");
    static const char bare[] = "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1}}\n";

    fputs("t,angle\n0,0.3\n0.5,0.1\n2,0\n", file);
    fclose(file);
    wrong(context, "parameters: {k: {}}, time_series: {file: wrong.csv, column: angel}", NULL,
          "text.yaml:9:53: wrong.csv:1: no column 'angel'; did you mean 'angle'?");
    wrong(context, "parameters: {k: {}}, time_series: {file: missing.csv, column: angle}", NULL, "missing.csv");
    wrong(context, "parameters: {k: {}}, time_series: {column: angle}", "missing.csv", "missing.csv");
    wrong(context, "parameters: {k: {}}, time_series: {column: angle}", NULL, "give 'file', or --data FILE");
    wrong(context, "parameters: {k: {}}, time_series: {file: wrong.csv, column: angle}", NULL,
          "the sample at 2 s shows the motion at 2 s, outside the run from 0 to 1 s");
    wrong(context, "parameters: {k: {}}, time_series: {file: wrong.csv, column: angle, from: 3}", NULL,
          "no sample lies between");
    wrong(context, "parameters: {k: {}}, time_series: {file: wrong.csv, column: angle, model: y(angel), to: 1}", NULL,
          "there is no column 'angel'; did you mean 'angle'?");
    wrong(context, "parameters: {k: {max: 1}}, time_series: {file: wrong.csv, column: angle, to: 1}", NULL,
          "the start k = 2 is outside the bounds");
    wrong(context, "parameters: {k: {}, c: {}, k2: {}}, time_series: {file: wrong.csv, column: angle, to: 1}", NULL,
          "2 measurements for 3 parameters");
    wrong(context, "parameters: {k: {}}, responses: {file: wrong.csv}", NULL, "wrong.csv has no column 'omega'");
    wrong(context, "parameters: {k: {}}, frequencies: {mode: 1, value: 1}", "wrong.csv", "needs 'time_series'");
    CHECK_OK(context, phx_model_read_text(context, "bare.yaml", bare, strlen(bare), 0, NULL, &none));
    CHECK_STATUS(context, phx_identify(context, none, &options, &found), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "the model has no key 'identify'");
    phx_model_destroy(none);
    remove("wrong.csv");
}

/* A lack of memory anywhere ends with PHX_ERR_MEMORY. */
static void lack_of_memory(void **state)
{
    phx_context *context = *state;
    const phx_identify_options options = {.validate = "memory.csv", .iterations = 2};
    phx_model *model =
        read_model(context, hinge, "k: 1.9, k2: 0, c: 0.1, tau: 0.01",
                   "parameters: {k: {}, tau: {min: 0}}, time_series: {file: memory.csv, column: a, model: "
                   "angle, delay: tau, from: 0.5}");
    double t[SAMPLES], a[SAMPLES];
    phx_identification found;
    phx_status status = PHX_ERR_MEMORY;
    uint64_t seed = 5;
    long trials = 0;

    sample(context, model, "angle", 0.0, 0.0, t, a);
    write_table("memory.csv", t, 1.0, a, 1e-3, a, 0.0, &seed);
    for (long n = 0; status; n += 1 + n / TEST_SHORTER(20, 5), trials++) {
        phx_context_fail_allocation(context, n);
        status = phx_identify(context, model, &options, &found);
        phx_context_fail_allocation(context, -1);
        if (status)
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
    }
    assert_true(trials > 20);
    phx_identification_free(&found);
    remove("memory.csv");
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(quantiles_of_student, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(intervals_cover, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(undetermined_is_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(frequencies_alone, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(responses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(sensor, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bounds, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(errors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(lack_of_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
