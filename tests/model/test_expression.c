/* Expressions: values, messages with their place, signals with their breaks, no allocation while a signal is evaluated,
 * and independence of the locale. */
#include "model/expression.h"
#include "support.h"

#include <locale.h>

static const double pi = 3.14159265358979323846;

typedef struct fixture {
    phx_context *context;
    phx_evaluator *evaluator;
    phx_model_parameter parameters[3];
    phx_names names;
    phx_arena arena;
} fixture;

static int create(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (phx_context_create(&f->context) || phx_evaluator_create(f->context, &f->evaluator))
        return 1;
    f->parameters[0] = (phx_model_parameter){.name = "a", .value = 3.0};
    f->parameters[1] = (phx_model_parameter){.name = "step", .value = 1e-3}; /* the name of a function too */
    f->parameters[2] = (phx_model_parameter){.name = "theta1", .value = 0.5};
    if (phx_names_build(f->context, &f->arena, f->parameters, sizeof f->parameters[0], 3, &f->names))
        return 1;
    phx_evaluator_set_parameters(f->evaluator, f->parameters, &f->names, NULL);
    return 0;
}

static int destroy(void **state)
{
    fixture *f = *state;
    phx_evaluator_destroy(f->evaluator);
    phx_arena_free(&f->arena);
    phx_context_destroy(f->context);
    free(f);
    return 0;
}

static void expressions_have_values(void **state)
{
    fixture *f = *state;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"2", 2.0},
        {" 2 ", 2.0},
        {"-.5e1", -5.0},
        {"+3.", 3.0},
        {"11.472/7.1e10", 11.472 / 7.1e10},
        {"2*pi/3", 2.0 * pi / 3.0},
        {"sqrt(2)", sqrt(2.0)},
        {"2^3", 8.0},
        {"2^3^2", 512.0},
        {"-2^2", -4.0},
        {"2^-1", 0.5},
        {"2*-3", -6.0},
        {"1 - -1", 2.0},
        {"1--1", 2.0},
        {"60*deg", pi / 3.0},
        {"a*step", 3e-3},
        {"step(a) + step", 1.001},
        {"theta1", 0.5},
        {"sin (1)", sin(1.0)},
        {"cos(1)+tan(1)", cos(1.0) + tan(1.0)},
        {"asin(.5)*acos(.5)*atan(.5)", asin(0.5) * acos(0.5) * atan(0.5)},
        {"atan2(1, -1)", 0.75 * pi},
        {"exp(1)", exp(1.0)},
        {"log(exp(2))", 2.0},
        {"abs(-a)", 3.0},
        {"min(3, 1, 2)", 1.0},
        {"max(3, 1, 2)", 3.0},
        {"sign(-2) + sign(0) + sign(5)", 0.0},
        {"step(-1e-300)", 0.0},
        {"step(0)", 1.0},
        {"ramp(-1, 0, 1)", 0.0},
        {"ramp(2, 0, 1)", 1.0},
        {"ramp(0.5, 0, 1)", 0.5},
        {"ramp(1, 1, 1)", 1.0},
        {"3 > 2", 1.0},
        {"3 <= 2", 0.0},
        {"(3 == 3)*(3 != 4)*(2 < 3)*(3 >= 3)", 1.0},
        {"1 > 2 || 2 > 1 && 3 > 2", 1.0},
        {"sinh(1)/cosh(1) - tanh(1)", 0.0},
        {"1e-310", 1e-310},
        {"((((1))))", 1.0},
        {"max(1,\n 2)", 2.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double value = NAN;
        phx_status status = phx_evaluator_value(f->evaluator, cases[k].text, &value);
        if (status || !(fabs(value - cases[k].value) <= 4e-16 * fabs(cases[k].value)))
            fail_msg("'%s' is %.17g, expected %.17g (%s)", cases[k].text, value, cases[k].value,
                     status ? phx_evaluator_expression(f->evaluator)->error : "");
    }
}

static void wrong_expressions_are_refused(void **state)
{
    fixture *f = *state;
    const struct {
        const char *text;
        int at;
        const char *fragment;
    } cases[] = {
        {"", 0, "empty"},
        {"1 +", 3, "ends where a value is expected"},
        {"(1", 0, "not closed"},
        {"1)", 1, "without an opening one"},
        {"2 pi", 2, "where an operator is expected"},
        {"2pi", 1, "where an operator is expected"},
        {"--1", 1, "where a value is expected"},
        {"1,5", 1, "decimals have a point"},
        {"a = 3", 2, "where an operator is expected"},
        {"sin", 0, "without its arguments"},
        {"sin()", 4, "where a value is expected"},
        {"sin(1, 2)", 3, "takes 1 argument, found 2"},
        {"atan2(1)", 5, "takes 2 arguments, found 1"},
        {"min(1)", 3, "takes 2 or more arguments"},
        {"ramp(1, 2)", 4, "takes 3 arguments"},
        {"sine(1)", 0, "did you mean 'sin'?"},
        {"2*thta1", 2, "did you mean 'theta1'?"},
        {"2*deg2", 2, "did you mean 'deg'?"},
        {"1 + t", 4, "allowed only in a signal"},
        {"s", 0, "only in a distributed load"},
        {"1/0", 0, "not finite"},
        {"log(-1)", 0, "not finite"},
        {"1e999", 0, "not finite"},
        {"2*1e999", 2, "not finite"},
        {".nan", 0, "not finite"},
        {"nan", 0, "not finite"},
        {"-.inf", 1, "not finite"},
        {"1 < 2 < 3", 6, "comparison of a comparison"},
        {"1 ? 2 : 3", 2, "where an operator is expected"},
        {"\"x\"", 0, "where a value is expected"},
        {"1 & 2", 2, "where an operator is expected"},
        {"1 ! 2", 2, "where an operator is expected"},
        {"0x10", 1, "where an operator is expected"},
        {"1..2", 2, "where an operator is expected"},
        {"_pi", 0, "unknown name"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double value = NAN;
        const phx_expression *x = phx_evaluator_expression(f->evaluator);
        phx_status status = phx_evaluator_value(f->evaluator, cases[k].text, &value);
        if (status != PHX_ERR_INPUT || x->error_at != cases[k].at || !strstr(x->error, cases[k].fragment))
            fail_msg("'%s' gives %d, at %d: %s; expected at %d: ...%s...", cases[k].text, status, x->error_at, x->error,
                     cases[k].at, cases[k].fragment);
    }
}

static void long_expressions_are_refused(void **state)
{
    fixture *f = *state;
    static char text[5000];
    double value;
    memset(text, '(', 65);
    strcpy(text + 65, "1");
    memset(text + 66, ')', 65);
    assert_int_equal(phx_evaluator_value(f->evaluator, text, &value), PHX_ERR_INPUT);
    assert_non_null(strstr(phx_evaluator_expression(f->evaluator)->error, "nested too deeply"));
    memset(text, 0, sizeof text);
    for (int i = 0; i < 1000; i++)
        memcpy(text + 2 * i, "1+", 2);
    strcpy(text + 1998, "+");
    assert_int_equal(phx_evaluator_value(f->evaluator, text, &value), PHX_ERR_INPUT);
    strcpy(text + 1998, "+1");
    CHECK_OK(f->context, phx_evaluator_value(f->evaluator, text, &value));
    CHECK_NEAR(value, 1000.0, 0.0);
    strcpy(text + 2000, "1");
    assert_int_equal(phx_evaluator_value(f->evaluator, text, &value), PHX_ERR_INPUT);
    assert_non_null(strstr(phx_evaluator_expression(f->evaluator)->error, "more than 2000"));
    /* as many digits as anyone writes */
    CHECK_OK(f->context,
             phx_evaluator_value(f->evaluator, "3.14159265358979323846264338327950288419716939937510", &value));
    CHECK_NEAR(value, pi, 0.0);
}

/* The C2 ramp: value and two derivatives against the polynomial, and continuity at the ends. */
static void ramp_is_smooth(void **state)
{
    fixture *f = *state;
    phx_signal *signal = NULL;
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "a*ramp(t, 1, 3)", PHX_USE_TIME, &signal));
    const double h = 1e-4;
    for (int k = 0; k <= 40; k++) {
        double t = 1.0 + 0.05 * k, x = 0.5 * (t - 1.0);
        double second =
            (phx_signal_value(signal, t + h) - 2.0 * phx_signal_value(signal, t) + phx_signal_value(signal, t - h)) /
            (h * h);
        CHECK_NEAR(phx_signal_value(signal, t), 3.0 * x * x * x * (10.0 + x * (6.0 * x - 15.0)), 1e-15);
        CHECK_NEAR(second, 3.0 * (60.0 * x - 180.0 * x * x + 120.0 * x * x * x) / 4.0, 2e-2 * h / 1e-4);
    }
    phx_signal_destroy(signal);
}

/* ---- breaks ---- */
static void breaks_are_found(void **state)
{
    fixture *f = *state;
    const struct {
        const char *text;
        int n;
        double breaks[4];
    } cases[] = {
        {"100*(t >= 15)*(t < 15.01)", 2, {15.0, 15.01}},
        {"(0.3 > t)", 1, {0.3}},
        {"step(t - a)", 1, {3.0}},
        {"step(2*t - 1)", 1, {0.5}},
        {"ramp(t, 1, 2)", 2, {1.0, 2.0}},
        {"ramp(t - 1, 1, 2)*sin(t)", 2, {2.0, 3.0}},
        {"abs(t - 0.1) + sign(3 - t)", 2, {0.1, 3.0}},
        {"min(t, 2, 1)", 2, {1.0, 2.0}},
        {"t >= 1 && t < 2", 2, {1.0, 2.0}},
        {"step(t-1) + step(t-1)", 1, {1.0}},
        {"sin(t) > 0", 0, {0.0}},
        {"t^2 > 4", 0, {0.0}},
        {"s > 0.5", 0, {0.0}},
        {"(t - s > 0.5) + (t > 10.2e-3)", 1, {10.2e-3}},
        {"sin(2*pi*t)", 0, {0.0}},
        {"step(step(t - 1) - 0.5)", 1, {1.0}},
        {"max(-t, t)", 1, {0.0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        phx_signal *signal = NULL;
        double t = -1.0;
        CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, cases[k].text, PHX_USE_TIME_AND_PLACE, &signal));
        for (int i = 0; i < cases[k].n; i++) {
            t = phx_signal_next_break(signal, t);
            CHECK_CLOSE(t, cases[k].breaks[i], 0.0, "break %d of %s", i, cases[k].text);
        }
        t = phx_signal_next_break(signal, t);
        CHECK_BETWEEN(t, HUGE_VAL, HUGE_VAL, "what is behind the last break of %s", cases[k].text);
        phx_signal_destroy(signal);
    }
}

/* Those of conditions, between two times. */
static void changes_of_conditions_are_found(void **state)
{
    enum { MANY = 1000 };
    fixture *f = *state;
    const struct {
        const char *text;
        double to;
        int n;
        double breaks[4];
    } cases[] = {
        {"sin(t) > 0", 10.0, 3, {pi, 2.0 * pi, 3.0 * pi}},
        {"t^2 > 4", 10.0, 1, {2.0}},
        {"max(0, cos(t))", 5.0, 2, {0.5 * pi, 1.5 * pi}},
        {"3*abs(sin(2*t))", 4.0, 2, {0.5 * pi, pi}},
        {"(t >= 1.1)*(sin(t) >= 0.5)", 3.0, 3, {pi / 6.0, 1.1, 5.0 * pi / 6.0}},
        {"ramp(t^2, 1, 4)", 3.0, 2, {1.0, 2.0}},
        {"step(max(0, t - 1) - 0)", 3.0, 1, {1.0}},
        {"-sin(-t) != 0", 7.0, 2, {pi, 2.0 * pi}},
        {"sin(t*s) > 0", 10.0, 0, {0.0}},
        {"sin(2*pi*t)", 10.0, 0, {0.0}},
        {"sin(1e9*t) > 0", 10.0, 0, {0.0}}, /* none rather than some */
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        phx_signal *signal = NULL;
        CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, cases[k].text, PHX_USE_TIME_AND_PLACE, &signal));
        for (int again = 0; again < 2; again++) { /* what is known is not found again */
            double t = 0.0;
            CHECK_OK(f->context, phx_signal_find_breaks(f->context, signal, 1e-9, cases[k].to));
            for (int i = 0; i < cases[k].n; i++) {
                t = phx_signal_next_break(signal, t);
                CHECK_CLOSE(t, cases[k].breaks[i], 1e-12, "break %d of %s", i, cases[k].text);
            }
            t = phx_signal_next_break(signal, t + 1e-12);
            CHECK_BETWEEN(t, HUGE_VAL, HUGE_VAL, "what is behind the last break of %s", cases[k].text);
        }
        phx_signal_destroy(signal);
    }

    phx_signal *square = NULL; /* a square wave of 1 N, half of the time, with a mean of one half */
    int n = 0;
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "sin(2*pi*1000*t) > 0", PHX_USE_TIME, &square));
    CHECK_OK(f->context, phx_signal_find_breaks(f->context, square, 0.0, 1.0));
    for (double t = 0.0; phx_signal_next_break(square, t) <= 1.0; n++)
        t = phx_signal_next_break(square, t);
    CHECK_BETWEEN((double)n, 2.0 * MANY - 1.0, 2.0 * MANY + 1.0, "jumps of a square wave");
    CHECK_NEAR(phx_signal_mean(square, 0.0, 1.0), 0.5, 1e-10);
    phx_signal_destroy(square);
}

/* ---- parameters that stay open ---- */
static phx_signal *read_again(fixture *f, phx_signal *signal, int n_parameters, const double *values,
                              phx_status *status)
{
    phx_archive *written = NULL, *read = NULL;
    phx_signal *made = NULL;
    size_t size = 0;

    CHECK_OK(f->context, phx_archive_create(f->context, &written));
    phx_signal_archive(written, &signal);
    CHECK_OK(f->context, phx_archive_status(written));
    const void *bytes = phx_archive_bytes(written, &size);
    CHECK_OK(f->context, phx_archive_open(f->context, size, bytes, &read));
    phx_archive_take_parameters(read, n_parameters, values);
    phx_signal_archive(read, &made);
    *status = phx_archive_status(read);
    phx_archive_destroy(read);
    phx_archive_destroy(written);
    return made;
}

/* a is open, `step` is made of it, theta1 is a number; a change is seen by all, and by what is read from an archive. */
static void parameters_stay_open(void **state)
{
    fixture *f = *state;
    double values[] = {3.0}, other[] = {1.0};
    int number[] = {0, PHX_TUNABLE_MADE, PHX_TUNABLE_NONE};
    const char *const texts[] = {NULL, "a/2 + theta1", NULL};
    const phx_tunables open = {.count = 1, .values = values, .number = number, .texts = texts};
    phx_signal *steady = NULL, *pulse = NULL, *wave = NULL, *fixed = NULL;
    phx_status status;

    phx_evaluator_keep_open(f->evaluator, &open);
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "a*step - theta1", PHX_USE_TIME, &steady));
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "2*(t >= a)*(t < step + 2)", PHX_USE_TIME, &pulse));
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "a*(sin(t) > 0.1*a)", PHX_USE_TIME, &wave));
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "2*theta1", PHX_USE_TIME, &fixed));
    phx_evaluator_keep_open(f->evaluator, NULL);
    assert_true(phx_signal_is_constant(fixed));
    assert_true(phx_signal_is_steady(steady) && !phx_signal_is_constant(steady));
    assert_false(phx_signal_is_steady(pulse));
    CHECK_NEAR(phx_signal_value(steady, 1.0), 5.5, 0.0);
    CHECK_NEAR(phx_signal_mean(steady, 0.3, 0.7), 5.5, 0.0); /* no rounding of a rule */
    CHECK_NEAR(phx_signal_rate(steady, 0.3), 0.0, 0.0);
    CHECK_NEAR(phx_signal_derivative(steady, 0.3, 2), 0.0, 0.0);
    CHECK_NEAR(phx_signal_next_break(pulse, 0.0), 3.0, 0.0);
    CHECK_NEAR(phx_signal_next_break(pulse, 3.0), 4.0, 0.0);
    CHECK_NEAR(phx_signal_derivative(wave, 1.0, 1), 0.0, 0.0);

    values[0] = 1.0;
    CHECK_NEAR(phx_signal_value(steady, 1.0), 0.5, 0.0);
    CHECK_OK(f->context, phx_signal_renew_breaks(f->context, pulse, 0.0, 10.0));
    CHECK_OK(f->context, phx_signal_renew_breaks(f->context, wave, 0.0, 3.0));
    CHECK_NEAR(phx_signal_next_break(pulse, 0.0), 1.0, 0.0);
    CHECK_NEAR(phx_signal_next_break(pulse, 1.0), 3.0, 0.0);
    CHECK_NEAR(phx_signal_next_break(wave, 0.0), asin(0.1), 1e-15);

    phx_signal *copy = read_again(f, steady, 1, other, &status);
    CHECK_OK(f->context, status);
    CHECK_NEAR(phx_signal_value(copy, 0.0), 0.5, 0.0);
    other[0] = 3.0;
    CHECK_NEAR(phx_signal_value(copy, 0.0), 5.5, 0.0);
    CHECK_NEAR(phx_signal_value(steady, 0.0), 0.5, 0.0);
    assert_null(read_again(f, steady, 0, NULL, &status)); /* a parameter that is not there */
    CHECK_STATUS(f->context, status, PHX_ERR_INPUT);
    phx_signal *const all[] = {steady, pulse, wave, fixed, copy};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        phx_signal_destroy(all[k]);
}

/* The mean over an interval that contains the pulse is exact because the breaks are known. */
static void means_use_the_breaks(void **state)
{
    fixture *f = *state;
    phx_signal *signal = NULL;
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "100*(t >= 15)*(t < 15.01)", PHX_USE_TIME, &signal));
    CHECK_NEAR(phx_signal_mean(signal, 14.0, 16.0), 0.5, 1e-12);
    CHECK_NEAR(phx_signal_value(signal, 15.0), 100.0, 0.0);
    CHECK_NEAR(phx_signal_value(signal, 15.01), 0.0, 0.0);
    phx_signal_destroy(signal);
}

/* ---- signals ---- */
static void signals_know_time_and_place(void **state)
{
    fixture *f = *state;
    phx_signal *signal = NULL;
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "a*t + s^2", PHX_USE_TIME_AND_PLACE, &signal));
    CHECK_NEAR(phx_signal_value_at(signal, 2.0, 0.5), 6.25, 0.0);
    phx_signal_destroy(signal);
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "2*a", PHX_USE_TIME, &signal));
    assert_true(phx_signal_is_constant(signal));
    CHECK_NEAR(phx_signal_value(signal, 9.0), 6.0, 0.0);
    phx_signal_destroy(signal);
    assert_int_equal(phx_evaluator_signal(f->evaluator, "t*s", PHX_USE_TIME, &signal), PHX_ERR_INPUT);
    assert_int_equal(phx_evaluator_signal(f->evaluator, "1/t", PHX_USE_TIME, &signal), PHX_ERR_INPUT);
    assert_non_null(strstr(phx_evaluator_expression(f->evaluator)->error, "not finite at t = 0"));
}

/* The derivatives of an expression: its value is that of the parser, the first derivative is the change of the value,
 * the second that of the first, by central differences whose error falls with the fourth power of the step. */
static void signals_have_exact_derivatives(void **state)
{
    static const char *const texts[] = {"a*t^3 - t/2 + 1",
                                        "-t^2",
                                        "2^3^(t/4)",
                                        "-2^2*t",
                                        "t - 2 - 3*t - 1",
                                        "6/2/(1 + t)",
                                        "sin(3*t)*exp(-t/5)",
                                        "cos(t)/tan(1 + t/9)",
                                        "asin(t/9) + acos(t/9)",
                                        "atan(2*t) - sinh(t/3)*cosh(t/4)",
                                        "tanh(t)*log(1 + t)",
                                        "sqrt(1 + t*t)",
                                        "abs(t - 5)*t",
                                        "sign(t - 5)*t^2",
                                        "step(t - 0.2)*t^2",
                                        "atan2(sin(t), 2 + cos(t))",
                                        "ramp(t, 0.1, 2)",
                                        "ramp(t, 0, 1.1*a)*t",
                                        "min(t, t^2, 5)",
                                        "max(-t, t^3)",
                                        "(1 + t)^(1 + t/2)",
                                        "t*(t < 3) + 9*(t >= 3)",
                                        "t*(t > 0.1 && t < 5 || t == 9)",
                                        "+(t) - -t",
                                        "t^0 + t^1 + t^2",
                                        "pi*deg*theta1*t",
                                        "1e-3*t*(1 != 2)",
                                        "t*(2 <= 2)"};
    const double h = 1e-3;
    fixture *f = *state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (double t = 0.3; t < 0.9; t += 0.35) {
            phx_signal *signal = NULL;
            double value[5], rate[5];
            CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, texts[k], PHX_USE_TIME, &signal));
            for (int i = 0; i < 5; i++) {
                value[i] = phx_signal_value(signal, t + (i - 2) * h);
                rate[i] = phx_signal_derivative(signal, t + (i - 2) * h, 1);
            }
            const double first = (value[0] - 8.0 * value[1] + 8.0 * value[3] - value[4]) / (12.0 * h);
            const double second = (rate[0] - 8.0 * rate[1] + 8.0 * rate[3] - rate[4]) / (12.0 * h);
            CHECK_CLOSE(phx_signal_derivative(signal, t, 0), value[2], 0.0, "'%s' at %g", texts[k], t);
            CHECK_CLOSE(rate[2], first, 1e-9 * (1.0 + fabs(first)), "rate of '%s' at %g", texts[k], t);
            CHECK_CLOSE(phx_signal_derivative(signal, t, 2), second, 1e-9 * (1.0 + fabs(second)),
                        "second derivative of '%s' at %g", texts[k], t);
            phx_signal_destroy(signal);
        }
}

/* Two signals of one evaluator do not disturb each other, nor does evaluating further constants. */
static void signals_are_independent(void **state)
{
    fixture *f = *state;
    phx_signal *one = NULL, *two = NULL;
    double value;
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "a*t", PHX_USE_TIME, &one));
    f->parameters[0].value = 4.0;
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "a*t", PHX_USE_TIME, &two));
    CHECK_OK(f->context, phx_evaluator_value(f->evaluator, "a + 1", &value));
    CHECK_NEAR(phx_signal_value(one, 2.0), 6.0, 0.0);
    CHECK_NEAR(phx_signal_value(two, 2.0), 8.0, 0.0);
    CHECK_NEAR(phx_signal_value(one, 1.0), 3.0, 0.0);
    phx_signal_destroy(one);
    phx_signal_destroy(two);
}

static void evaluating_allocates_nothing(void **state)
{
    fixture *f = *state;
    phx_signal *signal = NULL;
    const size_t before_creation = phx_context_allocations(f->context);
    CHECK_OK(f->context, phx_evaluator_signal(f->evaluator, "min(a, t)*ramp(t, 1, 2) + sin(t)*(t > 1)*atan2(t, a)",
                                              PHX_USE_TIME, &signal));
    assert_true(phx_context_allocations(f->context) > before_creation); /* the counter works */
    size_t ours = phx_context_allocations(f->context);
    double sum = 0.0;
    for (int k = 0; k < 1000; k++)
        sum += phx_signal_value(signal, 0.01 * k) + phx_signal_mean(signal, 0.01 * k, 0.01 * k + 0.01);
    assert_true(isfinite(sum));
    assert_int_equal(phx_context_allocations(f->context) - ours, 0);
    phx_signal_destroy(signal);
}

/* ---- locale ---- */
static const char *decimal_point = ".";
struct lconv *__wrap_localeconv(void);
struct lconv *__real_localeconv(void);
double __wrap_strtod(const char *text, char **end);
double __real_strtod(const char *text, char **end);

struct lconv *__wrap_localeconv(void)
{
    static struct lconv conventions;
    conventions = *__real_localeconv();
    conventions.decimal_point = (char *)decimal_point;
    return &conventions;
}

/* strtod of a locale with another decimal point, which need not be installed: that sign counts, '.' does not. */
double __wrap_strtod(const char *text, char **end)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    if (*decimal_point == '.')
        return __real_strtod(text, end);
    for (char *c = copy; *c; c++)
        *c = *c == '.' ? '?' : *c == *decimal_point ? '.' : *c;
    char *copy_end;
    double value = __real_strtod(copy, &copy_end);
    *end = (char *)text + (copy_end - copy);
    return value;
}

static void locale_does_not_matter(void **state)
{
    fixture *f = *state;
    double value;
    phx_signal *signal = NULL;
    decimal_point = ",";
    bool plain = phx_number_from_text("2.5e-1", &value);
    decimal_point = ".";
    assert_true(plain);
    CHECK_NEAR(value, 0.25, 0.0);
    decimal_point = ",";
    phx_status status = phx_evaluator_value(f->evaluator, "2.5*1.5", &value);
    phx_status created = phx_evaluator_signal(f->evaluator, "2.5*t", PHX_USE_TIME, &signal);
    decimal_point = ".";
    CHECK_OK(f->context, status);
    CHECK_OK(f->context, created);
    CHECK_NEAR(value, 3.75, 0.0);
    CHECK_NEAR(phx_signal_value(signal, 2.0), 5.0, 0.0);
    phx_signal_destroy(signal);
    /* the real thing where it is installed */
    if (setlocale(LC_ALL, "de_DE.UTF-8")) {
        CHECK_OK(f->context, phx_evaluator_value(f->evaluator, "2.5*1.5", &value));
        CHECK_NEAR(value, 3.75, 0.0);
        setlocale(LC_ALL, "C");
    }
}

/* A value is found again only while the parameters that it names stay. */
static void values_follow_the_parameters(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {"0.1*cos(theta1) + a", "a^2 - theta1", "pi/7 + sqrt(2)",
                                        "a+a+a+a+a+a+a+a+a + theta1" /* too many to be kept */};
    static const double thetas[] = {0.5, 0.5, -2.0, 0.5, 0.0, -0.0};
    for (size_t k = 0; k < sizeof thetas / sizeof *thetas; k++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            phx_evaluator *fresh = NULL;
            double value = 0.0, plain = 1.0;
            f->parameters[2].value = thetas[k];
            assert_int_equal(phx_evaluator_create(f->context, &fresh), PHX_OK);
            phx_evaluator_set_parameters(fresh, f->parameters, &f->names, NULL);
            assert_int_equal(phx_evaluator_value(fresh, texts[i], &plain), PHX_OK);
            assert_int_equal(phx_evaluator_value(f->evaluator, texts[i], &value), PHX_OK);
            if (memcmp(&value, &plain, sizeof value))
                fail_msg("%s with theta1 = %g: %.17g, expected %.17g", texts[i], thetas[k], value, plain);
            phx_evaluator_destroy(fresh);
        }

    double value = 0.0;
    assert_int_equal(phx_evaluator_value(f->evaluator, texts[0], &value), PHX_OK);
    const size_t before = phx_context_allocations(f->context);
    assert_int_equal(phx_evaluator_value(f->evaluator, texts[0], &value), PHX_OK);
    assert_int_equal(phx_context_allocations(f->context), before);

    const bool known[3] = {true, true, false}; /* what is made of a parameter without a value yet is not kept */
    phx_evaluator_set_parameters(f->evaluator, f->parameters, &f->names, known);
    f->parameters[2].value = 0.25;
    (void)phx_evaluator_value(f->evaluator, "2*theta1 + 1", &value);
    phx_evaluator_set_parameters(f->evaluator, f->parameters, &f->names, NULL);
    assert_int_equal(phx_evaluator_value(f->evaluator, "2*theta1 + 1", &value), PHX_OK);
    assert_true(value == 1.5);
    phx_evaluator_begin(f->evaluator, f->context); /* no parameters */
    assert_int_equal(phx_evaluator_value(f->evaluator, texts[0], &value), PHX_ERR_INPUT);
}

/* ---- memory ---- */
/* With each allocation failing in turn, a call gives its result or PHX_ERR_MEMORY with a message. */
static void there_may_be_no_memory(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {"a + 2*theta1", "max(a, 1, 2)/step", "sin(t)*(t >= 1.5) + ramp(t, a, 4)"};
    long failed = 0, n = 0;
    for (bool whole = false; !whole; n++) {
        phx_evaluator *evaluator = NULL;
        phx_signal *signal = NULL;
        double values[2] = {0.0, 0.0};
        phx_context_clear(f->context);
        phx_context_fail_allocation(f->context, n);
        phx_status status = phx_evaluator_create(f->context, &evaluator);
        for (int k = 0; k < 2 && !status; k++) {
            phx_evaluator_set_parameters(evaluator, f->parameters, &f->names, NULL);
            status = phx_evaluator_value(evaluator, texts[k], &values[k]);
        }
        if (!status)
            status = phx_evaluator_signal(evaluator, texts[2], PHX_USE_TIME, &signal);
        whole = !status;
        phx_context_fail_allocation(f->context, -1);
        if (status) {
            failed++;
            CHECK_STATUS(f->context, status, PHX_ERR_MEMORY);
            CHECK_MESSAGE(f->context, "out of memory");
        } else {
            CHECK_NEAR(values[0], 4.0, 0.0);
            CHECK_NEAR(values[1], 3000.0, 1e-12);
            CHECK_NEAR(phx_signal_mean(signal, 0.0, 2.0), (cos(1.5) - cos(2.0)) / 2.0, 1e-9);
        }
        phx_signal_destroy(signal);
        phx_evaluator_destroy(evaluator);
    }
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(expressions_have_values, create, destroy),
        cmocka_unit_test_setup_teardown(wrong_expressions_are_refused, create, destroy),
        cmocka_unit_test_setup_teardown(long_expressions_are_refused, create, destroy),
        cmocka_unit_test_setup_teardown(ramp_is_smooth, create, destroy),
        cmocka_unit_test_setup_teardown(breaks_are_found, create, destroy),
        cmocka_unit_test_setup_teardown(changes_of_conditions_are_found, create, destroy),
        cmocka_unit_test_setup_teardown(means_use_the_breaks, create, destroy),
        cmocka_unit_test_setup_teardown(parameters_stay_open, create, destroy),
        cmocka_unit_test_setup_teardown(signals_know_time_and_place, create, destroy),
        cmocka_unit_test_setup_teardown(signals_are_independent, create, destroy),
        cmocka_unit_test_setup_teardown(evaluating_allocates_nothing, create, destroy),
        cmocka_unit_test_setup_teardown(locale_does_not_matter, create, destroy),
        cmocka_unit_test_setup_teardown(signals_have_exact_derivatives, create, destroy),
        cmocka_unit_test_setup_teardown(values_follow_the_parameters, create, destroy),
        cmocka_unit_test_setup_teardown(there_may_be_no_memory, create, destroy),
    };
    return cmocka_run_group_tests_name("model_expression", tests, NULL, NULL);
}
