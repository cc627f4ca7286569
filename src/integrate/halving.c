/* A step of a method with fixed steps. When it fails it is done in two halves, these in halves again where needed; with
 * a fixed number of corrections it is not.
 *
 *   level 0   |-------------------------------|   fails
 *   level 1   |---------------|                   fails
 *   level 2   |-------|-------|                   two quarters succeed and merge:
 *   level 1                   |---------------|   the second half is tried in one piece
 *
 * The times are t0 + k h/2^level, never sums. */
#include "run.h"

static int most_halvings(const phx_run *run)
{
    return run->options.iterations > 0 ? 0 : run->options.max_halvings;
}

static bool can_halve(const phx_run *run, phx_status status, int level)
{
    return (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR || status == PHX_REJECTED) &&
           level < most_halvings(run);
}

/* Advances from t0 to t1 = t0 + h with a fixed-step method and halves the step where it fails, at most most_halvings
 * times. Every accepted piece is reported to the run. */
phx_status phx_halving_step(phx_run *run, phx_method *method, double t0, double t1, double h)
{
    int level = 0;
    long long k = 0, count = 1; /* piece k of count = 2^level */
    while (k < count) {
        double piece = h / (double)count;
        double from = t0 + (double)k * piece, to = k + 1 == count ? t1 : t0 + (double)(k + 1) * piece;
        run->failure.reason = NULL;
        phx_status status = method->ops->step(method, from, to, piece, level == most_halvings(run));
        if (status == PHX_OK) {
            status = phx_run_accept(run, to, piece);
            if (status != PHX_OK)
                return status;
            k++;
            while (level > 0 && k % 2 == 0) {
                level--;
                count /= 2;
                k /= 2;
            }
        } else if (can_halve(run, status, level)) {
            run->stats->rejected++;
            run->stats->halvings++;
            level++;
            count *= 2;
            k *= 2;
            phx_context_clear(run->context);
        } else {
            return phx_run_stop(run, status);
        }
    }
    return PHX_OK;
}
