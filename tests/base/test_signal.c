/* Signals: values, means that are exact on each smooth piece, rates against the derivative on paper. */
#include "base/base.h"

#include "support/testing.h"

#include <float.h>

static phx_signal *make_function(phx_context *context, phx_signal_fn *function, const void *data, int n_breaks,
                                 const double *breaks)
{
    phx_signal *signal = NULL;
    assert_int_equal(
        phx_signal_create_function(context, function, (void *)(uintptr_t)data, NULL, n_breaks, breaks, &signal),
        PHX_OK);
    return signal;
}

static void test_constant(void **state)
{
    phx_signal *signal = NULL;
    assert_int_equal(phx_signal_create_constant(*state, 150.0, &signal), PHX_OK);
    assert_true(phx_signal_value(signal, -3.0) == 150.0);
    assert_true(phx_signal_value_at(signal, 1.0, 0.5) == 150.0);
    assert_true(phx_signal_mean(signal, 0.1, 0.7) == 150.0);
    assert_true(phx_signal_rate(signal, 2.0) == 0.0);
    assert_true(phx_signal_is_constant(signal));
    phx_signal_destroy(signal);
}

static void test_null_is_zero(void **state)
{
    (void)state;
    assert_true(phx_signal_value(NULL, 1.0) == 0.0);
    assert_true(phx_signal_value_at(NULL, 1.0, 1.0) == 0.0);
    assert_true(phx_signal_mean(NULL, 0.0, 1.0) == 0.0);
    assert_true(phx_signal_rate(NULL, 1.0) == 0.0);
    assert_true(phx_signal_is_constant(NULL));
    phx_signal_destroy(NULL);
}

static void test_table(void **state)
{
    double times[] = {1.0, 2.0, 4.0}, values[] = {10.0, 30.0, -10.0};
    phx_signal *signal = NULL;
    assert_int_equal(phx_signal_create_table(*state, 3, times, values, &signal), PHX_OK);
    times[1] = 9.0; /* the table was copied */
    values[1] = 9.0;
    static const struct {
        double t, value, rate;
    } expected[] = {{0.0, 10.0, 0.0},  {1.0, 10.0, 20.0}, {1.25, 15.0, 20.0}, {2.0, 30.0, -20.0},
                    {3.5, 0.0, -20.0}, {4.0, -10.0, 0.0}, {99.0, -10.0, 0.0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        CHECK_CLOSE(phx_signal_value(signal, expected[i].t), expected[i].value, 1e-14, "value at %g", expected[i].t);
        CHECK_CLOSE(phx_signal_rate(signal, expected[i].t), expected[i].rate, 1e-13, "rate at %g", expected[i].t);
    }
    /* integral over [0, 5]: 10 + 20 + 20 - 10 */
    CHECK_CLOSE(phx_signal_mean(signal, 0.0, 5.0), 8.0, 1e-14, "mean over all");
    /* integral over [1.5, 2.5]: 12.5 + 12.5 */
    CHECK_CLOSE(phx_signal_mean(signal, 1.5, 2.5), 25.0, 1e-13, "mean across a point");
    CHECK_CLOSE(phx_signal_mean(signal, 2.5, 1.5), 25.0, 1e-13, "mean backwards");
    CHECK_CLOSE(phx_signal_mean(signal, 3.0, 3.0), 10.0, 1e-14, "mean over nothing");
    assert_false(phx_signal_is_constant(signal));
    phx_signal_destroy(signal);
    assert_int_equal(phx_signal_create_table(*state, 1, times, values, &signal), PHX_OK);
    assert_true(phx_signal_is_constant(signal));
    assert_true(phx_signal_value(signal, -5.0) == 10.0 && phx_signal_value(signal, 5.0) == 10.0);
    phx_signal_destroy(signal);
}

static double power_nine(const void *data, double t, double s)
{
    (void)data;
    return (1.0 + s) * pow(t, 9.0);
}

static void test_function_sees_place_and_data(void **state)
{
    phx_signal *signal = make_function(*state, power_nine, NULL, 0, NULL);
    CHECK_CLOSE(phx_signal_value(signal, 2.0), 512.0, 0.0, "value");
    CHECK_CLOSE(phx_signal_value_at(signal, 2.0, 0.5), 768.0, 0.0, "value at a place");
    assert_false(phx_signal_is_constant(signal));
    /* five Gauss points are exact up to degree nine: the mean over [0, 2] is 2^10/10/2 */
    CHECK_CLOSE(phx_signal_mean(signal, 0.0, 2.0), 51.2, 1e-13, "mean of t^9");
    phx_signal_destroy(signal);
}

/* A pulse between the times data[0] and data[1], as a model file writes it. */
static double pulse(const void *data, double t, double s)
{
    (void)s;
    const double *at = data;
    return 100.0 * (t >= at[0]) * (t < at[1]);
}

static void test_mean_splits_at_breaks(void **state)
{
    static const double at[] = {0.3, 0.301};
    phx_signal *with = make_function(*state, pulse, at, 2, at);
    phx_signal *without = make_function(*state, pulse, at, 0, NULL);
    /* a step much longer than the pulse: its impulse is exact with breaks and missed without */
    CHECK_CLOSE(phx_signal_mean(with, 0.0, 1.0), 0.1, 1e-13, "mean with breaks");
    CHECK_CLOSE(phx_signal_mean(without, 0.0, 1.0), 0.0, 0.0, "mean without breaks");
    CHECK_CLOSE(phx_signal_mean(with, 0.3005, 0.7), 0.05 / 0.3995, 1e-12, "mean from inside the pulse");
    CHECK_CLOSE(phx_signal_mean(with, at[0], at[1]), 100.0, 1e-12, "mean over the pulse");
    CHECK_CLOSE(phx_signal_mean(with, at[1], 1.0), 0.0, 0.0, "mean after the pulse");
    phx_signal_destroy(with);
    phx_signal_destroy(without);
}

static double sine(const void *data, double t, double s)
{
    (void)s;
    return sin(*(const double *)data * t);
}

static void test_rate_of_oscillations(void **state)
{
    static const double omegas[] = {1e-3, 1.0, 150.0, 1e4};
    for (size_t k = 0; k < sizeof omegas / sizeof omegas[0]; k++) {
        const double omega = omegas[k];
        phx_signal *signal = make_function(*state, sine, &omega, 0, NULL);
        for (int i = 0; i <= 40; i++) {
            const double t = 0.037 * i;
            /* sin(omega t) carries the rounding of its argument, eps omega t, and the steps are near 0.01/omega */
            const double tolerance = 1e-11 * (1.0 + omega) + 2e-13 * omega * omega * t;
            CHECK_CLOSE(phx_signal_rate(signal, t), omega * cos(omega * t), tolerance, "rate of sin(%g t) at %g", omega,
                        t);
        }
        phx_signal_destroy(signal);
    }
}

static double narrow_bell(const void *data, double t, double s)
{
    (void)data;
    (void)s;
    return exp(-pow((t - 5.0) / 1e-3, 2.0));
}

/* Steps that start large see nothing of a narrow bell; the rate must. */
static void test_rate_of_a_narrow_bell(void **state)
{
    phx_signal *signal = make_function(*state, narrow_bell, NULL, 0, NULL);
    for (int i = -30; i <= 30; i++) {
        const double t = 5.0 + 1e-4 * i;
        const double exact = -2.0 * (t - 5.0) / 1e-6 * narrow_bell(NULL, t, 0.0);
        CHECK_CLOSE(phx_signal_rate(signal, t), exact, 3e-6, "rate of the bell at %.5f", t);
    }
    CHECK_CLOSE(phx_signal_rate(signal, 0.0), 0.0, 0.0, "rate far from the bell");
    phx_signal_destroy(signal);
}

/* Zero, then (t - 1)^2 + 3 (t - 1) + 5, then 7 - t, with jumps at 1 and 2. */
static double pieces(const void *data, double t, double s)
{
    (void)data;
    (void)s;
    if (t < 1.0)
        return 0.0;
    return t < 2.0 ? (t - 1.0) * (t - 1.0) + 3.0 * (t - 1.0) + 5.0 : 7.0 - t;
}

static double pieces_rate(double t)
{
    if (t < 1.0)
        return 0.0;
    return t < 2.0 ? 2.0 * (t - 1.0) + 3.0 : -1.0;
}

static void test_rate_stays_between_breaks(void **state)
{
    static const double breaks[] = {1.0, 2.0};
    phx_signal *signal = make_function(*state, pieces, NULL, 2, breaks);
    static const double away[] = {0.0, 1e-12, 1e-8, 1e-6, 2e-5, 1e-3, 0.2, 0.5};
    for (size_t i = 0; i < sizeof away / sizeof away[0]; i++)
        for (int k = 0; k < 2; k++)
            for (int side = -1; side <= 1; side += 2) {
                const double t = breaks[k] + side * away[i];
                CHECK_CLOSE(phx_signal_rate(signal, t), pieces_rate(t), 2e-8, "rate at break %d %+d * %g", k, side,
                            away[i]);
            }
    phx_signal_destroy(signal);
}

/* 0.1 + 0.2 is not 0.3: the function jumps a little later than its declared break. */
static void test_rate_survives_a_break_off_by_rounding(void **state)
{
    static const double at[] = {0.1 + 0.2, 0.7}, declared[] = {0.3, 0.7};
    phx_signal *signal = make_function(*state, pulse, at, 2, declared);
    CHECK_CLOSE(phx_signal_rate(signal, 0.3), 0.0, 0.0, "rate on the break");
    CHECK_CLOSE(phx_signal_rate(signal, nextafter(0.3, 0.0)), 0.0, 0.0, "rate before the break");
    CHECK_CLOSE(phx_signal_rate(signal, at[0]), 0.0, 0.0, "rate on the jump");
    phx_signal_destroy(signal);
}

static void count_free(void *data)
{
    ++*(int *)data;
}

static void test_data_is_freed_once_in_every_case(void **state)
{
    phx_context *context = *state;
    static const double breaks[] = {2.0, 1.0}, infinite[] = {INFINITY};
    int freed = 0;
    phx_signal *signal = NULL;
    assert_int_equal(phx_signal_create_function(context, pieces, &freed, count_free, 0, NULL, &signal), PHX_OK);
    assert_int_equal(freed, 0);
    phx_signal_destroy(signal);
    assert_int_equal(freed, 1);
    assert_int_equal(phx_signal_create_function(context, NULL, &freed, count_free, 0, NULL, &signal), PHX_ERR_ARGUMENT);
    assert_int_equal(freed, 2);
    assert_int_equal(phx_signal_create_function(context, pieces, &freed, count_free, 2, breaks, &signal),
                     PHX_ERR_ARGUMENT);
    assert_int_equal(freed, 3);
    assert_int_equal(phx_signal_create_function(context, pieces, &freed, count_free, 1, infinite, &signal),
                     PHX_ERR_ARGUMENT);
    assert_int_equal(freed, 4);
    assert_int_equal(phx_signal_create_function(context, pieces, &freed, count_free, -1, NULL, &signal),
                     PHX_ERR_ARGUMENT);
    assert_int_equal(freed, 5);
    for (long n = 0; n < 2; n++) {
        phx_context_fail_allocation(context, n);
        assert_int_equal(phx_signal_create_function(context, pieces, &freed, count_free, 1, breaks, &signal),
                         PHX_ERR_MEMORY);
        assert_int_equal(freed, 6 + n);
    }
}

static void test_wrong_tables_are_refused(void **state)
{
    phx_context *context = *state;
    static const double times[] = {0.0, 1.0, 1.0}, values[] = {1.0, NAN, 2.0};
    phx_signal *signal = NULL;
    assert_int_equal(phx_signal_create_table(context, 0, times, values, &signal), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "0 points"));
    assert_int_equal(phx_signal_create_table(context, 3, times, times, &signal), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "point 3"));
    assert_int_equal(phx_signal_create_table(context, 2, times, values, &signal), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "point 2"));
    assert_int_equal(phx_signal_create_constant(context, INFINITY, &signal), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "inf"));
    assert_null(signal);
    for (long n = 0; n < 3; n++) {
        phx_context_fail_allocation(context, n);
        assert_int_equal(phx_signal_create_table(context, 2, times, times, &signal), PHX_ERR_MEMORY);
    }
    assert_null(signal);
}

/* ---- gaps ---- */
enum { PLACE, WIDTH, OFFSET, POWER };

/* offset + width/|t - place|^power, with the sign of t - place where the power is odd */
static double pole(const void *data, double t, double s)
{
    const double *it = data, d = t - it[PLACE];
    const double size = it[WIDTH] * pow(fabs(d), -it[POWER]);
    (void)s;
    return it[OFFSET] + (fmod(it[POWER], 2.0) == 1.0 && d < 0.0 ? -size : size);
}

/* Wherever in a step, on its ends and off them by the last digit. */
static void test_poles_are_found(void **state)
{
    static const double h = 0.01, powers[] = {0.5, 1.0, 2.0, 3.0, 4.0};
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
        for (int k = 0; k <= 200; k++) {
            double place = 0.5 + h * k / 200.0;
            for (int off = -1; off <= 1; off++) {
                const double data[] = {place + off * 1.2e-16, pow(h, powers[p]), off * 0.3, powers[p]};
                phx_signal *signal = make_function(*state, pole, data, 0, NULL);
                phx_signal_singularity singularity = {0};
                double found = NAN;
                for (int step = 48; step <= 51; step++)
                    if (phx_signal_is_singular(signal, step * h, (step + 1) * h, 0.0, &singularity) && isnan(found))
                        found = singularity.t;
                if (!(fabs(found - place) <= 1e-14))
                    fail_msg("1/|t - %.17g|^%g: found at %.17g", place, powers[p], found);
                assert_true(!isfinite(singularity.value) || fabs(singularity.value) > 1e5);
                phx_signal_destroy(signal);
            }
        }
    }
}

static double root(const void *data, double t, double s)
{
    (void)data;
    return sqrt(0.5 - t) + s;
}

static void test_values_that_are_none_are_found(void **state)
{
    static const double here = 0.5;
    phx_signal_singularity singularity;
    phx_signal *signal = make_function(*state, root, NULL, 0, NULL);
    assert_false(phx_signal_is_singular(signal, 0.0, 0.5, 0.0, &singularity));
    assert_true(phx_signal_is_singular(signal, 0.6, 0.4, 0.0, &singularity));
    assert_true(singularity.t > 0.5 && singularity.t < 0.6 && isnan(singularity.value));
    assert_true(phx_signal_is_singular(signal, 0.5, 0.7, 0.0, NULL));
    phx_signal_destroy(signal);
    signal = make_function(*state, root, NULL, 1, &here); /* the piece before the break is sound */
    assert_true(phx_signal_is_singular(signal, 0.0, 0.7, 0.0, &singularity));
    assert_true(singularity.t > 0.5 && singularity.t < 0.7);
    phx_signal_destroy(signal);
}

/* Functions that change fast, change sign, jump, or are zero nearly everywhere. */
static double sound(const void *data, double t, double s)
{
    const double x = t - 0.503;
    (void)s;
    switch (*(const int *)data) {
    case 0:
        return sin(2000.0 * t);
    case 1:
        return sin(2000.0 * t) < 0.0 ? -1.0 : 1.0;
    case 2:
        return tanh(1e7 * x);
    case 3:
        return exp(-x * x / (2.0 * 1e-6 * 1e-6));
    case 4:
        return 1e-30 / (x * x + 1e-20);
    case 5:
        return x * x * x;
    case 6:
        return cbrt(x);
    case 7:
        return exp(50.0 * t);
    case 8:
        return fabs(x) < 1e-3 ? 1.0 : 0.0;
    case 9:
        return 1.0 / (1.0 + 1e12 * x * x) - 0.5;
    case 10:
        return x == 0.0 ? 0.0 : log(fabs(x));
    default:
        return 0.0;
    }
}

static void test_sound_functions_have_no_gap(void **state)
{
    for (int which = 0; which <= 11; which++) {
        phx_signal *signal = make_function(*state, sound, &which, 0, NULL);
        for (double h = 1e-5; h < 1.1; h *= 10.0)
            for (int step = 0; step < 100 && step * h < 1.0; step++) {
                phx_signal_singularity singularity = {0};
                const double from = h < 5e-3 ? 0.503 - 50.3 * h : 0.0;
                if (phx_signal_is_singular(signal, from + step * h, from + (step + 1) * h, 0.0, &singularity))
                    fail_msg("function %d: a singularity at %.17g, where it is %g", which, singularity.t,
                             singularity.value);
            }
        phx_signal_destroy(signal);
    }
    assert_false(phx_signal_is_singular(NULL, 0.0, 1.0, 0.0, NULL));
}

/* ---- profiles and derivatives ---- */
/* Polynomials of degree three are splines with smooth ends, whatever the points; a parabola of three, a line of two. */
static void test_splines_reproduce_cubics(void **state)
{
    static const double times[] = {-1.0, -0.3, 0.4, 0.5, 2.0, 3.1};
    for (int count = 2; count <= 6; count++) {
        double values[6], jet[3];
        phx_signal *spline = NULL;
        const double c3 = count > 3 ? 0.7 : 0.0, c2 = count > 2 ? -1.1 : 0.0;
        for (int i = 0; i < count; i++)
            values[i] = 0.5 + 2.0 * times[i] + c2 * times[i] * times[i] + c3 * times[i] * times[i] * times[i];
        CHECK_OK(*state, phx_signal_create_spline(*state, count, times, values, false, &spline));
        for (double t = times[0]; t < times[count - 1]; t += 0.17) {
            jet[0] = 0.5 + t * (2.0 + t * (c2 + t * c3));
            jet[1] = 2.0 + t * (2.0 * c2 + 3.0 * t * c3);
            jet[2] = 2.0 * c2 + 6.0 * t * c3;
            for (int k = 0; k < 3; k++)
                CHECK_CLOSE(phx_signal_derivative(spline, t, k), jet[k], 1e-13 * (1.0 + fabs(jet[k])) * 20.0,
                            "%d points, derivative %d at %g", count, k, t);
        }
        assert_true(phx_signal_value(spline, 9.0) == phx_signal_value(spline, times[count - 1]));
        assert_true(phx_signal_value(spline, -9.0) == phx_signal_value(spline, times[0]));
        assert_true(phx_signal_rate(spline, 9.0) == 0.0 && phx_signal_rate(spline, -9.0) == 0.0);
        phx_signal_destroy(spline);
    }
}

/* Value, rate and second derivative do not jump at the points; at rest the rate is zero at the ends. */
static void test_splines_are_smooth(void **state)
{
    static const double times[] = {0.0, 0.3, 0.5, 1.0, 1.7}, values[] = {0.1, 0.4, -1.0, 2.0, 0.0};
    for (int rest = 0; rest < 2; rest++) {
        phx_signal *spline = NULL;
        CHECK_OK(*state, phx_signal_create_spline(*state, 5, times, values, rest != 0, &spline));
        for (int i = 0; i < 5; i++)
            CHECK_CLOSE(phx_signal_value(spline, times[i]), values[i], 4e-15, "point %d", i);
        for (int i = 1; i < 4; i++)
            for (int k = 0; k < 3; k++)
                CHECK_CLOSE(phx_signal_derivative(spline, times[i] - 1e-12, k),
                            phx_signal_derivative(spline, times[i], k), 1e-9, "derivative %d at point %d", k, i);
        if (rest) {
            CHECK_SMALL(phx_signal_rate(spline, 0.0), 1e-14, "rate at the begin");
            CHECK_SMALL(phx_signal_rate(spline, 1.7), 1e-13, "rate at the end");
        }
        phx_signal_destroy(spline);
    }
}

/* A ramp has neither rate nor acceleration at its ends; a trapezoidal profile has the rate that covers the way. */
static void test_profiles(void **state)
{
    phx_signal *signal = NULL;
    CHECK_OK(*state, phx_signal_create_ramp(*state, 1.0, 3.0, -1.0, 2.0, &signal));
    CHECK_CLOSE(phx_signal_value(signal, 2.0), 0.5, 1e-15, "middle of a ramp");
    CHECK_CLOSE(phx_signal_rate(signal, 2.0), 3.0 / 2.0 * 30.0 / 16.0, 1e-14, "rate there");
    for (double t = 0.5; t < 4.0; t += 2.5)
        CHECK_CLOSE(phx_signal_value(signal, t), t < 1.0 ? -1.0 : 2.0, 0.0, "outside, at %g", t);
    for (int k = 1; k < 3; k++) {
        CHECK_SMALL(phx_signal_derivative(signal, 1.0, k), 1e-13, "begin, derivative %d", k);
        CHECK_SMALL(phx_signal_derivative(signal, 3.0, k), 1e-13, "end, derivative %d", k);
    }
    phx_signal_destroy(signal);
    for (double fall = 0.25; fall < 1.5; fall += 0.5) { /* the last one holds nothing */
        const double v = 3.0 / (2.0 - 0.5 * 0.75 - 0.5 * fall);
        CHECK_OK(*state, phx_signal_create_trapezoidal(*state, 1.0, 3.0, -1.0, 2.0, 0.75, fall, &signal));
        CHECK_CLOSE(phx_signal_rate(signal, 1.375), 0.5 * v, 1e-14, "half of the rise");
        CHECK_CLOSE(phx_signal_rate(signal, 1.75), v, 1e-14, "rate that is held");
        CHECK_CLOSE(phx_signal_value(signal, 1.75), -1.0 + 0.375 * v, 1e-14, "where it is held first");
        CHECK_CLOSE(phx_signal_value(signal, 3.0 - fall), 2.0 - 0.5 * fall * v, 1e-14, "where it falls");
        CHECK_CLOSE(phx_signal_value(signal, 3.0), 2.0, 1e-14, "end");
        CHECK_SMALL(phx_signal_rate(signal, 3.0), 1e-14, "rate at the end");
        phx_signal_destroy(signal);
    }
    CHECK_STATUS(*state, phx_signal_create_trapezoidal(*state, 0.0, 1.0, 0.0, 1.0, 0.7, 0.4, &signal),
                 PHX_ERR_ARGUMENT);
    CHECK_STATUS(*state, phx_signal_create_ramp(*state, 1.0, 1.0, 0.0, 1.0, &signal), PHX_ERR_ARGUMENT);
    CHECK_STATUS(*state, phx_signal_create_spline(*state, 1, (double[]){0.0}, (double[]){0.0}, false, &signal),
                 PHX_ERR_ARGUMENT);
}

static double motion(const void *data, double t, double s)
{
    (void)data;
    (void)s;
    return 10.0 + sin(40.0 * t);
}

/* The mean of a derivative times the length of the interval is the increment, to rounding, also over many periods. */
static void test_means_of_derivatives_are_increments(void **state)
{
    phx_signal *of = NULL, *rate = NULL;
    CHECK_OK(*state, phx_signal_create_function(*state, motion, NULL, NULL, 0, NULL, &of));
    CHECK_OK(*state, phx_signal_create_derivative(*state, of, &rate));
    assert_ptr_equal(phx_signal_primitive(rate), of);
    assert_null(phx_signal_primitive(of));
    for (double h = 1e-4; h < 2.0; h *= 3.0)
        CHECK_CLOSE(h * phx_signal_mean(rate, 0.7, 0.7 + h), phx_signal_value(of, 0.7 + h) - phx_signal_value(of, 0.7),
                    10.0 * DBL_EPSILON, "h = %g", h);
    CHECK_CLOSE(phx_signal_value(rate, 0.7), 40.0 * cos(28.0), 1e-7, "rate of a function without derivatives");
    CHECK_CLOSE(phx_signal_rate(rate, 0.7), -1600.0 * sin(28.0), 2.0, "and its derivative, by quotients of quotients");
    phx_signal_destroy(rate);
}

/* Half a ramp now, half of it later: values, means, derivatives and breaks are those of the copies; r(0) before. */
static void test_shaped_signals_are_delayed_copies(void **state)
{
    const phx_shaper shaper = {.kind = PHX_SHAPER_ZV, .frequency = 0.5}, wrong = {.frequency = 0.0};
    const double times[] = {0.0, 1.0, 2.0}, values[] = {3.0, 5.0, 4.0};
    phx_signal *table = NULL, *same = NULL, *shaped = NULL, *unshaped = NULL;

    CHECK_OK(*state, phx_signal_create_table(*state, 3, times, values, &table));
    CHECK_OK(*state, phx_signal_create_table(*state, 3, times, values, &same));
    CHECK_OK(*state, phx_signal_create_shaped(*state, table, &shaper, &shaped));
    for (double t = 0.0; t < 4.0; t += 0.125) {
        const double then = fmax(t - 1.0, 0.0);
        CHECK_CLOSE(phx_signal_value(shaped, t), 0.5 * phx_signal_value(same, t) + 0.5 * phx_signal_value(same, then),
                    1e-14, "value at %g", t);
        if (t != floor(t))
            CHECK_CLOSE(phx_signal_rate(shaped, t),
                        0.5 * phx_signal_rate(same, t) + (t > 1.0 ? 0.5 * phx_signal_rate(same, then) : 0.0), 1e-14,
                        "rate at %g", t);
    }
    double mean = 0.0;
    for (int k = 0; k < 2000; k++)
        mean += phx_signal_value(shaped, 0.5 + (k + 0.5) / 1000.0) / 2000.0;
    CHECK_CLOSE(phx_signal_mean(shaped, 0.5, 2.5), mean, 1e-6, "mean");
    phx_signal_destroy(shaped);
    CHECK_STATUS(*state, phx_signal_create_shaped(*state, same, &wrong, &unshaped), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "frequency 0 Hz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_constant, context_setup, context_teardown),
        cmocka_unit_test(test_null_is_zero),
        cmocka_unit_test_setup_teardown(test_table, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_function_sees_place_and_data, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_mean_splits_at_breaks, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rate_of_oscillations, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rate_of_a_narrow_bell, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rate_stays_between_breaks, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rate_survives_a_break_off_by_rounding, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_data_is_freed_once_in_every_case, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_tables_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_poles_are_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_values_that_are_none_are_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_sound_functions_have_no_gap, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_splines_reproduce_cubics, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_splines_are_smooth, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_profiles, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_means_of_derivatives_are_increments, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_shaped_signals_are_delayed_copies, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
