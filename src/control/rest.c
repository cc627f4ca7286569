/* A block at rest: where its states end when its measurements y stay as they are, by one implicit Euler step over a
 * time `span` that is long for it,
 *
 *     z = z0 + span f(z, y),      dz/dy = span F B,   dz/dz0 = F = (I - span A)^-1
 *     u = C z + D y,              S = du/dy = D + C dz/dy
 *
 * f the rate of the states; of a sampled state_space what a sample adds to them, over span/T samples. States that come
 * to rest forget z0; the integral of an error becomes a stiff spring, span ki, that brings the error to zero when z0
 * follows z. A sampled pid rests where the continuous one does. */
#include "block.h"

#include <math.h>
#include <string.h>

static bool steps(const phx_block *block)
{
    return block->def.sample > 0.0 && block->def.kind == PHX_CONTROLLER_STATE_SPACE;
}

bool phx_block_rests(const phx_block *block)
{
    return block->n == 0 || block->ops->flow != NULL;
}

/* f at z, and A = df/dz, B = df/dy; phx_block_flow leaves the errors and the feed-forward in `room`. */
static void rate_of_states(const phx_block *block, double t, const double *z, const double *y, double *room, double *f,
                           double *A, double *B)
{
    const int n = block->n;
    double *e = room, *feedforward = e + block->n_inputs;

    phx_block_flow(block, t, z, y, room, f);
    block->ops->rates(block, feedforward, z, e, A, B);
    for (int i = 0; i < n && steps(block); i++) {
        f[i] -= z[i];
        A[i * n + i] -= 1.0;
    }
}

/* F <- (I - span A)^-1 */
static phx_status rest_invert(const phx_block *block, phx_context *context, double span, const double *A, double *F)
{
    const int n = block->n;

    for (int i = 0; i < n * n; i++)
        F[i] = (double)(i % (n + 1) == 0) - span * A[i];
    return phx_dense_inverse(context, n, F);
}

/* Scratch: f, A, B at z, F, a step of z. */
typedef struct rest_room {
    double *f, *A, *B, *F, *step;
} rest_room;

/* Newton's iteration for z; f is linear but for limits, between which it may have to change sides. */
static phx_status find_states(const phx_block *block, phx_context *context, double t, double span, const double *z0,
                              const double *y, double *room, double *z, const rest_room *rest)
{
    static const double SETTLED = 1e-10; /* change, relative, after three corrections: a stiff step rounds */
    static const double EXACT = 1e-14;   /* the same before */
    enum { LIMIT = 30 };
    const int n = block->n;

    memcpy(z, z0, (size_t)n * sizeof *z);
    for (int k = 0; k < LIMIT; k++) {
        double change = 0.0, size = 0.0;
        rate_of_states(block, t, z, y, room, rest->f, rest->A, rest->B);
        const phx_status status = rest_invert(block, context, span, rest->A, rest->F);
        if (status)
            return status == PHX_SINGULAR ? PHX_NOT_CONVERGED : status;
        for (int i = 0; i < n; i++) {
            rest->step[i] = 0.0;
            for (int j = 0; j < n; j++)
                rest->step[i] += rest->F[i * n + j] * (z0[j] - z[j] + span * rest->f[j]);
            change = fmax(change, fabs(rest->step[i]));
            size = fmax(size, fabs(z[i]) + fabs(rest->step[i]));
        }
        for (int i = 0; i < n; i++)
            z[i] += rest->step[i];
        if (change <= (k > 2 ? SETTLED : EXACT) * size) /* a stiff step rounds */
            return PHX_OK;
    }
    return PHX_NOT_CONVERGED;
}

/* State and output of a controller that holds its measurements at y for a time `span`, with derivatives by y; A
 * sampled block counts as continuous; PHX_NOT_CONVERGED if no such state is found. */
phx_status phx_block_rest(const phx_block *block, phx_context *context, double t, double span, const double *z0,
                          const double *y, double *room, phx_block_at_rest *result)
{
    const int n = block->n, in = block->n_inputs, out = block->n_outputs;
    const size_t states = (size_t)n, inputs = (size_t)in;
    const double length = steps(block) ? span / block->def.sample : span;
    double *A = phx_calloc(context, 2 * states * states + states * (inputs + 2) + (size_t)out * states, sizeof *A);
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    double *F = A + n * n, *B = F + n * n, *C = B + n * in, *f = C + out * n;
    const rest_room own = {.f = f, .A = A, .B = B, .F = F, .step = f + n};
    if (n > 0)
        status = find_states(block, context, t, length, z0, y, room, result->z, &own);
    phx_block_result at = {.u = result->u};
    if (!status)
        status = phx_block_evaluate(block, context, t, 0.0, result->z, y, room, &at);
    if (!status)
        status = phx_block_linearise(block, context, t, result->z, y, room, NULL, NULL, C, result->S);
    if (!status && n > 0 && in > 0) {
        phx_dense_multiply(false, false, n, in, n, length, F, n, B, in, 0.0, result->by_y, in);
        phx_dense_multiply(false, false, out, in, n, 1.0, C, n, result->by_y, in, 1.0, result->S, in);
    }
    phx_free(A);
    return status;
}
