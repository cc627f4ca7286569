/* Operations of the dae that fail, at every call of a run in turn, and allocations that fail: the run goes on with
 * smaller steps where the failure can be retried, else it ends with the status and a message; nothing leaks (sanitizers
 * look). */
#include "check.h"

enum { MOST_CALLS = 4000 };

static phx_integrate_options short_run(phx_integrator integrator, bool adaptive)
{
    phx_integrate_options options = swing_options(integrator, 0.02, 0.1);
    options.every = 0.05;
    if (adaptive)
        options.rtol = 1e-5;
    return options;
}

static bool can_adapt(int integrator)
{
    return integrator == PHX_RADAU5 || integrator == PHX_IDA;
}

/* The run with the operations failing from call `at` on, `count` times. */
static phx_status run_with_fault(swing *s, const phx_integrate_options *options, phx_status fault, long at, long count)
{
    pendulum_def def = driven_def(false);
    swing_start(s, &def);
    s->p.calls = 0;
    s->p.fail_at = at;
    s->p.fail_count = count;
    s->p.fail_with = fault;
    phx_status status = swing_run(s, options);
    for (int i = 0; i < s->p.dae.n_x; i++)
        assert_true(isfinite(s->x[i]));
    for (int i = 0; i < s->p.dae.n_v; i++)
        assert_true(isfinite(s->v[i]));
    assert_true(s->t >= 0.0 && s->t <= options->end);
    return status;
}

static void every_call(swing *s, int integrator, bool adaptive, phx_status fault, long count)
{
    const char *name = phx_integrator_name(integrator);
    phx_integrate_options options = short_run((phx_integrator)integrator, adaptive);
    long at, stopped = 0, survived = 0;
    for (at = 0; at < MOST_CALLS; at++) {
        phx_status status = run_with_fault(s, &options, fault, at, count);
        if (s->p.calls <= at)
            break;
        if (status == PHX_OK) {
            survived++;
            assert_string_equal(phx_context_message(s->context), "");
            CHECK_SMALL(s->gap, 1e-4, "gap after a failure at call %ld of %s", at, name);
            continue;
        }
        stopped++;
        if (fault < 0 || status < 0)
            assert_int_equal(status, fault);
        const char *message = phx_context_message(s->context);
        if (s->samples > 0) {
            CHECK_TEXT(message, name);
            CHECK_TEXT(message, "stopped at t = ");
        }
    }
    print_message("%-9s %-8s status %2d: %ld calls, %ld runs stopped, %ld went on\n", name,
                  adaptive ? "adaptive" : "fixed", fault, at, stopped, survived);
    assert_true(at < MOST_CALLS);
    if (fault < 0)
        assert_int_equal(survived, 0);
    else if (count == 1)
        assert_true(survived > 9 * stopped);
    else
        assert_true(stopped > 0);
}

static void test_fatal_failures(void **state)
{
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        every_call(*state, k, false, PHX_ERR_ANALYSIS, 1);
        if (can_adapt(k))
            every_call(*state, k, true, PHX_ERR_ANALYSIS, 1);
    }
}

static void test_failures_that_pass(void **state)
{
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        every_call(*state, k, false, PHX_SINGULAR, 1);
        every_call(*state, k, false, PHX_NOT_CONVERGED, 1);
        if (can_adapt(k)) {
            every_call(*state, k, true, PHX_SINGULAR, 1);
            every_call(*state, k, true, PHX_NOT_CONVERGED, 1);
        }
    }
}

static void test_failures_that_stay(void **state)
{
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        every_call(*state, k, false, PHX_SINGULAR, 1000000);
        if (can_adapt(k))
            every_call(*state, k, true, PHX_NOT_CONVERGED, 1000000);
    }
}

/* A run in which allocation n fails ends with PHX_ERR_MEMORY, for every n */
static void test_failing_allocations(void **state)
{
    swing *s = *state;
    pendulum_def def = pendulum_def_default();
    for (int k = 0; k < SWING_INTEGRATORS; k++) {
        phx_integrate_options options = short_run((phx_integrator)k, can_adapt(k));
        long n;
        for (n = 0; n < 100; n++) {
            swing_start(s, &def);
            phx_context_fail_allocation(s->context, n);
            phx_status status = swing_run(s, &options);
            phx_context_fail_allocation(s->context, -1);
            if (status == PHX_OK)
                break;
            CHECK_STATUS(s->context, status, PHX_ERR_MEMORY);
            assert_string_not_equal(phx_context_message(s->context), "");
            assert_int_equal(s->samples, 0);
        }
        assert_true(n > 5 && n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fatal_failures),
        cmocka_unit_test(test_failures_that_pass),
        cmocka_unit_test(test_failures_that_stay),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
