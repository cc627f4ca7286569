/* When Newton's iteration stops: sequences of corrections as they come from steps. */
#include "support/testing.h"

#include "integrate/newton.h"

static phx_newton iteration(double noise)
{
    const phx_run run = {.sizes.noise = noise};
    return phx_newton_to_rounding(&run, 1.0);
}

/* The verdicts on corrections of these sizes are `goes_on`, then `last` on the last one. */
static void check_verdicts(double noise, int n, const double *sizes, phx_newton_verdict last)
{
    phx_newton newton = iteration(noise);

    newton.remembers = true;
    for (int k = 0; k < n; k++) {
        const phx_newton_verdict verdict = phx_newton_judge(&newton, sizes[k], true);
        if (verdict != (k + 1 < n ? PHX_NEWTON_GOES_ON : last))
            fail_msg("noise %g: verdict %d on correction %d of %g", noise, (int)verdict, k + 1, sizes[k]);
    }
}

static void fast_iterations_end_with_little_left(void **state)
{
    (void)state;
    check_verdicts(0.0, 3, (double[]){1e-3, 1e-8, 1e-14}, PHX_NEWTON_LAST);
    check_verdicts(0.0, 4, (double[]){1e-3, 1e-8, 4e-13, 4e-15}, PHX_NEWTON_LAST);
}

/* Corrections that have been rounding before: what is no larger and came fast is the last. */
static void rounding_is_remembered(void **state)
{
    (void)state;
    check_verdicts(1e-12, 3, (double[]){1e-3, 1e-8, 4e-13}, PHX_NEWTON_LAST);
    /* the rate of the corrections before it tells how fast they come when rounding hides that */
    check_verdicts(1e-12, 3, (double[]){1e-3, 4e-12, 8e-13}, PHX_NEWTON_LAST);
    /* slower than what leaves rounding alone, or larger than rounding has been */
    check_verdicts(1e-10, 3, (double[]){1e-8, 1.9e-10, 3e-11}, PHX_NEWTON_SLOW);
    check_verdicts(1e-13, 3, (double[]){1e-3, 1e-8, 4e-13}, PHX_NEWTON_GOES_ON);
    /* what does not shrink is not applied */
    check_verdicts(1e-12, 3, (double[]){1e-3, 1.5e-12, 9e-13}, PHX_NEWTON_ROUNDING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_iterations_end_with_little_left),
        cmocka_unit_test(rounding_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
