/* Channel inversion ([2] (27), (28)): inputs and outputs trade places. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ss.h"

/* Checks that the channels to invert are numbers of pairs of an input and an output, each at most once. */
static phx_status check_channels(phx_context *context, const phx_ss *system, int count, const int *channels)
{
    const int pairs = system->n_inputs < system->n_outputs ? system->n_inputs : system->n_outputs;

    if (count < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': the list of channels to invert is empty",
                        system->name);
    for (int k = 0; k < count; k++) {
        if (channels[k] < 0 || channels[k] >= pairs)
            return phx_fail(
                context, PHX_ERR_ARGUMENT,
                "system '%s': channel %d cannot be inverted; channels, an input with an output, are 0 to %d",
                system->name, channels[k], pairs - 1);
        for (int j = 0; j < k; j++)
            if (channels[j] == channels[k])
                return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': channel %d ('%s') is to be inverted twice",
                                system->name, channels[k], system->inputs[channels[k]]);
    }
    return PHX_OK;
}

/* The set I: u_I = F y_I - F C_I x - F D_Ij u_j, F = D_II^-1. */
typedef struct exchange {
    int count, wide;
    const int *channels;
    double *D;         /* D_II */
    double *row, *col; /* its scales */
    double *X;         /* F | C_I  D_I: (I where the input is in I) |, count x (n + inputs) */
    double *scale;     /* of all of D */
} exchange;

static void exchange_free(exchange *states)
{
    phx_free(states->D);
    phx_free(states->row);
    phx_free(states->X);
    phx_free(states->scale);
}

/* Fills the equations of the exchange of inputs and outputs: the feedthrough of the chosen channels, equilibrated, and
 * its right-hand sides. */
static phx_status exchange_begin(phx_context *context, const phx_ss *s, exchange *states)
{
    const size_t k = (size_t)states->count;

    states->wide = s->n + s->n_inputs;
    states->D = phx_calloc(context, k * k, sizeof *states->D);
    states->row = phx_calloc(context, 2 * k, sizeof *states->row);
    states->X = phx_calloc(context, k * (size_t)states->wide, sizeof *states->X);
    states->scale = phx_calloc(context, (size_t)(s->n_inputs + s->n_outputs), sizeof *states->scale);
    if (!states->D || !states->row || !states->X || !states->scale)
        return PHX_ERR_MEMORY;
    states->col = states->row + k;
    phx_ss_equilibrate(s->n_outputs, s->n_inputs, s->D, states->scale, states->scale + s->n_outputs);
    for (int i = 0; i < states->count; i++) {
        const int at = states->channels[i];
        states->row[i] = states->scale[at];
        states->col[i] = states->scale[s->n_outputs + at];
        for (int j = 0; j < states->count; j++)
            states->D[i * states->count + j] = s->D[at * s->n_inputs + states->channels[j]];
        double *X = states->X + (size_t)i * (size_t)states->wide;
        memcpy(X, s->C + (size_t)at * (size_t)s->n, (size_t)s->n * sizeof *X);
        memcpy(X + s->n, s->D + (size_t)at * (size_t)s->n_inputs, (size_t)s->n_inputs * sizeof *X);
        for (int j = 0; j < states->count; j++)
            X[s->n + states->channels[j]] = i == j ? 1.0 : 0.0;
    }
    return PHX_OK;
}

/* start - sum_k from_k X_kj; what cancels up to rounding is zero, so that boundary conditions leave rows that vanish.
 */
static double exchanged(const exchange *states, const double *from, int j, double start)
{
    double sum = start, size = fabs(start);

    for (int k = 0; k < states->count; k++) {
        const double part = from[states->channels[k]] * states->X[(size_t)k * (size_t)states->wide + (size_t)j];
        sum -= part;
        size += fabs(part);
    }
    return fabs(sum) > 256.0 * DBL_EPSILON * size ? sum : 0.0;
}

/*        state             inputs j           inputs I
 *   A - B_I F C_I     B_j - B_I F D_Ij        B_I F
 *   C_i - D_iI F C_I  D_ij - D_iI F D_Ij      D_iI F        other outputs i
 *   -F C_I            -F D_Ij                 F             outputs I            */
static void exchange_apply(const phx_ss *s, const exchange *states, phx_ss *to)
{
    const int n = s->n, m = s->n_inputs;

    for (int r = 0; r < n + s->n_outputs; r++) {
        const double *from = r < n ? s->B + (size_t)r * (size_t)m : s->D + (size_t)(r - n) * (size_t)m;
        double *left = r < n ? to->A + (size_t)r * (size_t)n : to->C + (size_t)(r - n) * (size_t)n;
        double *right = r < n ? to->B + (size_t)r * (size_t)m : to->D + (size_t)(r - n) * (size_t)m;
        for (int k = 0; k < states->count; k++)
            right[states->channels[k]] = 0.0;
        for (int j = 0; j < n; j++)
            left[j] = exchanged(states, from, j, left[j]);
        for (int j = 0; j < m; j++)
            right[j] = exchanged(states, from, n + j, right[j]);
        for (int k = 0; k < states->count; k++)
            right[states->channels[k]] = -right[states->channels[k]];
    }
    for (int k = 0; k < states->count; k++) {
        const int at = states->channels[k];
        const double *X = states->X + (size_t)k * (size_t)states->wide;
        for (int j = 0; j < n; j++)
            to->C[(size_t)at * (size_t)n + (size_t)j] = -X[j];
        for (int j = 0; j < m; j++)
            to->D[(size_t)at * (size_t)m + (size_t)j] = -X[n + j];
        for (int j = 0; j < states->count; j++)
            to->D[(size_t)at * (size_t)m + (size_t)states->channels[j]] = X[n + states->channels[j]];
        char *name = to->inputs[at];
        to->inputs[at] = to->outputs[at];
        to->outputs[at] = name;
    }
}

/* Exchanges input and output of the chosen channels. PHX_SINGULAR if an input does not act on its output at once,
 * independently of the others. */
phx_status phx_ss_invert(phx_context *context, const phx_ss *system, int count, const int *channels, phx_ss **inverted)
{
    if (!system || !inverted || (count > 0 && !channels))
        return phx_fail_null(context, __func__, "system, channels or inverted");
    exchange states = {.count = count, .channels = channels};
    phx_ss *made = NULL;
    int dependent[2] = {-1, -1};
    phx_status status = check_channels(context, system, count, channels);

    *inverted = NULL;
    if (!status)
        status = exchange_begin(context, system, &states);
    if (!status)
        status = phx_ss_solve(context, count, states.D, states.row, states.col, states.wide, states.X, dependent);
    if (dependent[0] >= 0) {
        const int at = channels[dependent[0]];
        status = phx_fail(
            context, PHX_SINGULAR,
            "system '%s': the channel '%s' -> '%s' cannot be inverted%s. Invert another set of channels, or give "
            "the point a mass",
            system->name, system->inputs[at], system->outputs[at],
            count > 1 ? " together with the others, which fix that output already"
                      : ": the input does not act on the output at once");
    }
    if (!status)
        status = phx_ss_duplicate(context, system, NULL, NULL, &made);
    if (!status)
        exchange_apply(system, &states, made);
    exchange_free(&states);
    if (status)
        return status;
    return phx_conclude(context, phx_ss_finish(context, status, made, inverted));
}

phx_status phx_ss_invert_channel(phx_context *context, const phx_ss *system, int channel, phx_ss **inverted)
{
    if (!system || !inverted)
        return phx_fail_null(context, __func__, "system or inverted");
    return phx_conclude(context, phx_ss_invert(context, system, 1, &channel, inverted));
}

/* Exchanges input and output of channels named by either. */
phx_status phx_ss_invert_names(phx_context *context, const phx_ss *system, int count, const char *const *channels,
                               phx_ss **inverted)
{
    if (!system || !inverted || (count > 0 && !channels))
        return phx_fail_null(context, __func__, "system, channels or inverted");
    int *indices = count > 0 ? phx_calloc(context, (size_t)count, sizeof *indices) : NULL;
    phx_status status = count > 0 && !indices ? PHX_ERR_MEMORY : PHX_OK;

    *inverted = NULL;
    for (int k = 0; k < count && !status; k++) {
        indices[k] = phx_ss_find_channel(system, channels[k]);
        if (indices[k] < 0)
            status = phx_fail(context, PHX_ERR_ARGUMENT,
                              "system '%s' has no channel '%s'; a channel is named by its input or its output, e.g. "
                              "'%s'",
                              system->name, channels[k], system->n_inputs ? system->inputs[0] : "(there is none)");
    }
    if (!status)
        status = phx_ss_invert(context, system, count, indices, inverted);
    phx_free(indices);
    return phx_conclude(context, status);
}
