/* State-space systems out of state-space systems: side by side, parts, interconnection by names, series, feedback. */
#include <math.h>
#include <string.h>

#include "ss.h"

/* ---- side by side ---- */
static void ss_connect_put_block(int rows, int cols, const double *from, int row, int col, int ld, double *to)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            to[(size_t)(row + i) * (size_t)ld + (size_t)(col + j)] = from[(size_t)i * (size_t)cols + (size_t)j];
}

/* Copies a system into the blocks of a larger one that begin at the given state, input and output. */
static phx_status put_part(phx_context *context, const phx_ss *part, int state, int input, int output, phx_ss *to)
{
    phx_status status;

    ss_connect_put_block(part->n, part->n, part->A, state, state, to->n, to->A);
    ss_connect_put_block(part->n, part->n_inputs, part->B, state, input, to->n_inputs, to->B);
    ss_connect_put_block(part->n_outputs, part->n, part->C, output, state, to->n, to->C);
    ss_connect_put_block(part->n_outputs, part->n_inputs, part->D, output, input, to->n_inputs, to->D);
    status = phx_ss_put_names(context, part->n, (const char *const *)part->states, NULL, 0, "", to->states + state);
    if (!status)
        status = phx_ss_put_names(context, part->n_inputs, (const char *const *)part->inputs, NULL, 0, "",
                                  to->inputs + input);
    if (!status)
        status = phx_ss_put_names(context, part->n_outputs, (const char *const *)part->outputs, NULL, 0, "",
                                  to->outputs + output);
    return status;
}

/* Creates the block-diagonal system of several; *made must be freed also after a failure. */
static phx_status side_by_side(phx_context *context, const char *name, int count, const phx_ss *const *systems,
                               phx_ss **made)
{
    int n = 0, inputs = 0, outputs = 0;

    for (int s = 0; s < count; s++) {
        n += systems[s]->n;
        inputs += systems[s]->n_inputs;
        outputs += systems[s]->n_outputs;
    }
    phx_status status = phx_ss_new(context, name, n, inputs, outputs, made);
    n = inputs = outputs = 0;
    for (int s = 0; s < count && !status; s++) {
        status = put_part(context, systems[s], n, inputs, outputs, *made);
        n += systems[s]->n;
        inputs += systems[s]->n_inputs;
        outputs += systems[s]->n_outputs;
    }
    return status;
}

/* Places at least one system side by side in one without connections; names must be distinct. */
phx_status phx_ss_append(phx_context *context, const char *name, int count, const phx_ss *const *systems,
                         phx_ss **appended)
{
    if (!appended || (count > 0 && !systems))
        return phx_fail_null(context, __func__, "systems or appended");
    phx_ss *made = NULL;

    *appended = NULL;
    if (count < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': %d parts; there must be at least one",
                        name ? name : "system", count);
    for (int k = 0; k < count; k++)
        if (!systems[k])
            return phx_fail_null(context, __func__, "one of systems");
    phx_status status = side_by_side(context, name, count, systems, &made);
    return phx_conclude(context, phx_ss_finish(context, status, made, appended));
}

/* ---- parts ---- */
static phx_status take_names(phx_context *context, int count, char *const *names, const int *which, char **to)
{
    for (int k = 0; k < count; k++) {
        to[k] = phx_strdup(context, names[which[k]]);
        if (!to[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Restricts a system to outputs and inputs given by their numbers; all states remain. */
phx_status phx_ss_restrict(phx_context *context, const phx_ss *system, int n_outputs, const int *outputs, int n_inputs,
                           const int *inputs, phx_ss **sub)
{
    const int n = system->n;
    phx_ss *made = NULL;
    phx_status status = phx_ss_new(context, system->name, n, n_inputs, n_outputs, &made);

    if (!status) {
        memcpy(made->A, system->A, (size_t)n * (size_t)n * sizeof *made->A);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n_inputs; j++)
                made->B[i * n_inputs + j] = system->B[i * system->n_inputs + inputs[j]];
        for (int i = 0; i < n_outputs; i++) {
            for (int j = 0; j < n; j++)
                made->C[i * n + j] = system->C[outputs[i] * n + j];
            for (int j = 0; j < n_inputs; j++)
                made->D[i * n_inputs + j] = system->D[outputs[i] * system->n_inputs + inputs[j]];
        }
        status = phx_ss_put_names(context, n, (const char *const *)system->states, NULL, 0, "", made->states);
    }
    if (!status)
        status = take_names(context, n_inputs, system->inputs, inputs, made->inputs);
    if (!status)
        status = take_names(context, n_outputs, system->outputs, outputs, made->outputs);
    return phx_ss_finish(context, status, made, sub);
}

/* Restricts a system to named outputs and inputs, or to all where there is no list; all states remain. */
phx_status phx_ss_sub(phx_context *context, const phx_ss *system, int n_outputs, const char *const *outputs,
                      int n_inputs, const char *const *inputs, phx_ss **sub)
{
    if (!system || !sub)
        return phx_fail_null(context, __func__, "system or sub");
    int *in = NULL, *out = NULL;
    phx_status status = phx_ss_pick(context, system, true, &n_inputs, inputs, &in);

    *sub = NULL;
    if (!status)
        status = phx_ss_pick(context, system, false, &n_outputs, outputs, &out);
    if (!status)
        status = phx_ss_restrict(context, system, n_outputs, out, n_inputs, in, sub);
    phx_free(in);
    phx_free(out);
    return phx_conclude(context, status);
}

/* ---- interconnection ---- */
/* | X_x  X_e | = W^-1 | K C  I |,  W = I - K D:  u = X_x x + X_e u_external. X: inputs x (n + inputs). */
static phx_status solve_loops(phx_context *context, const phx_ss *s, const double *K, double *X)
{
    const int m = s->n_inputs, wide = s->n + m;
    double *W = phx_calloc(context, (size_t)m * (size_t)m, sizeof *W);
    double *scale = phx_calloc(context, 2 * (size_t)m, sizeof *scale);
    phx_status status = W && scale ? PHX_OK : PHX_ERR_MEMORY;
    int dependent[2] = {-1, -1};

    if (!status) {
        phx_dense_multiply(false, false, m, m, s->n_outputs, -1.0, K, s->n_outputs, s->D, m, 0.0, W, m);
        phx_dense_multiply(false, false, m, s->n, s->n_outputs, 1.0, K, s->n_outputs, s->C, s->n, 0.0, X, wide);
        for (int i = 0; i < m; i++) {
            W[i * m + i] += 1.0;
            X[(size_t)i * (size_t)wide + (size_t)(s->n + i)] = 1.0;
        }
        phx_ss_equilibrate(m, m, W, scale, scale + m);
        status = phx_ss_solve(context, m, W, scale, scale + m, wide, X, dependent);
    }
    if (dependent[1] >= 0)
        status = phx_fail(
            context, PHX_SINGULAR,
            "system '%s': the algebraic loop through the input '%s' has no unique solution, its gain is 1. Leave a "
            "link out, or put a state into the loop",
            s->name, s->inputs[dependent[1]]);
    phx_free(W);
    phx_free(scale);
    return status;
}

/* A + B X_x, B X_e, C + D X_x, D X_e with all inputs and outputs. */
static void substitute(const phx_ss *s, const double *X, phx_ss *to)
{
    const int n = s->n, m = s->n_inputs, p = s->n_outputs, wide = n + m;

    memcpy(to->A, s->A, (size_t)n * (size_t)n * sizeof *to->A);
    memcpy(to->C, s->C, (size_t)p * (size_t)n * sizeof *to->C);
    phx_dense_multiply(false, false, n, n, m, 1.0, s->B, m, X, wide, 1.0, to->A, n);
    phx_dense_multiply(false, false, n, m, m, 1.0, s->B, m, X + n, wide, 0.0, to->B, m);
    phx_dense_multiply(false, false, p, n, m, 1.0, s->D, m, X, wide, 1.0, to->C, n);
    phx_dense_multiply(false, false, p, m, m, 1.0, s->D, m, X + n, wide, 0.0, to->D, m);
}

/* Closes the loops u = K y + u_outside, also through the feedthrough, and restricts the result to the given channels.
 * Fails if the algebraic loop is singular. */
phx_status phx_ss_close(phx_context *context, const phx_ss *system, const double *K, int n_outputs, const int *outputs,
                        int n_inputs, const int *inputs, phx_ss **closed)
{
    const size_t wide = (size_t)(system->n + system->n_inputs);
    double *X = phx_calloc(context, (size_t)system->n_inputs * wide, sizeof *X);
    phx_ss *whole = NULL;
    phx_status status = X ? phx_ss_duplicate(context, system, NULL, NULL, &whole) : PHX_ERR_MEMORY;

    *closed = NULL;
    if (!status)
        status = solve_loops(context, system, K, X);
    if (!status) {
        substitute(system, X, whole);
        status = phx_ss_restrict(context, whole, n_outputs, outputs, n_inputs, inputs, closed);
    }
    phx_ss_destroy(whole);
    phx_free(X);
    return status;
}

/* Adds the gains of all links, each from an output to an input, to the matrix K. */
static phx_status read_links(phx_context *context, const phx_ss *system, int count, const phx_ss_link *links, double *K)
{
    for (int k = 0; k < count; k++) {
        const phx_ss_link *link = &links[k];
        const int input = phx_ss_find_input(system, link->input), output = phx_ss_find_output(system, link->output);
        if (input < 0 || output < 0)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "system '%s': the link from output '%s' to input '%s' has no such %s", system->name,
                            link->output, link->input, input < 0 ? "input" : "output");
        if (!isfinite(link->gain))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "system '%s': the link from output '%s' to input '%s' has the gain %g; it must be finite",
                            system->name, link->output, link->input, link->gain);
        K[input * system->n_outputs + output] += link->gain;
    }
    return PHX_OK;
}

/* Connects outputs of a system with its own inputs by the given links and restricts it to named channels. */
phx_status phx_ss_connect(phx_context *context, const phx_ss *system, int n_links, const phx_ss_link *links,
                          int n_outputs, const char *const *outputs, int n_inputs, const char *const *inputs,
                          phx_ss **connected)
{
    if (!system || !connected)
        return phx_fail_null(context, __func__, "system or connected");
    double *K = phx_calloc(context, (size_t)system->n_inputs * (size_t)system->n_outputs, sizeof *K);
    int *in = NULL, *out = NULL;
    phx_status status = K ? read_links(context, system, n_links, links, K) : PHX_ERR_MEMORY;

    *connected = NULL;
    if (!status)
        status = phx_ss_pick(context, system, true, &n_inputs, inputs, &in);
    if (!status)
        status = phx_ss_pick(context, system, false, &n_outputs, outputs, &out);
    if (!status)
        status = phx_ss_close(context, system, K, n_outputs, out, n_inputs, in, connected);
    phx_free(K);
    phx_free(in);
    phx_free(out);
    return phx_conclude(context, status);
}

/* ---- two systems ---- */
static phx_status check_fit(phx_context *context, const phx_ss *from, const phx_ss *to)
{
    if (from->n_outputs == to->n_inputs)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s' has %d outputs, system '%s' has %d inputs; they must fit",
                    from->name, from->n_outputs, to->name, to->n_inputs);
}

/* `a` and `b` side by side, a's outputs on b's inputs and gain times b's outputs on a's inputs (0: not); inputs of a
 * and outputs of `last`, a or b, stay. */
static phx_status close_two(phx_context *context, const phx_ss *a, const phx_ss *b, double gain, const phx_ss *last,
                            phx_ss **out)
{
    const phx_ss *const both[] = {a, b};
    const int m = a->n_inputs, p = a->n_outputs, outputs = p + b->n_outputs;
    const int first = last == a ? 0 : p;
    double *K = phx_calloc(context, (size_t)(m + b->n_inputs) * (size_t)outputs, sizeof *K);
    int *stay = phx_calloc(context, (size_t)m + (size_t)last->n_outputs, sizeof *stay);
    phx_ss *pair = NULL;
    phx_status status = K && stay ? side_by_side(context, a->name, 2, both, &pair) : PHX_ERR_MEMORY;

    *out = NULL;
    if (!status) {
        for (int k = 0; k < p; k++)
            K[(m + k) * outputs + k] = 1.0;
        for (int k = 0; k < m && gain != 0.0; k++)
            K[k * outputs + p + k] = gain;
        for (int k = 0; k < m; k++)
            stay[k] = k;
        for (int k = 0; k < last->n_outputs; k++)
            stay[m + k] = first + k;
        status = phx_ss_close(context, pair, K, last->n_outputs, stay + m, m, stay, out);
    }
    phx_free(K);
    phx_free(stay);
    phx_ss_destroy(pair);
    return status;
}

phx_status phx_ss_series(phx_context *context, const phx_ss *first, const phx_ss *second, phx_ss **series)
{
    if (!first || !second || !series)
        return phx_fail_null(context, __func__, "first, second or series");
    phx_status status = check_fit(context, first, second);

    *series = NULL;
    if (!status)
        status = close_two(context, first, second, 0.0, second, series);
    return phx_conclude(context, status);
}

/* Closes the loop of `forward` with sign times the outputs of `back` added to its inputs; inputs and outputs are those
 * of `forward`. */
phx_status phx_ss_feedback(phx_context *context, const phx_ss *forward, const phx_ss *back, double sign,
                           phx_ss **closed)
{
    if (!forward || !back || !closed)
        return phx_fail_null(context, __func__, "forward, back or closed");
    phx_status status = check_fit(context, forward, back);

    *closed = NULL;
    if (!status)
        status = check_fit(context, back, forward);
    if (!status && !isfinite(sign))
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "feedback of '%s': the sign %g must be finite", forward->name, sign);
    if (!status)
        status = close_two(context, forward, back, sign, forward, closed);
    return phx_conclude(context, status);
}
