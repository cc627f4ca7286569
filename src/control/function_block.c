/* Static feedback by a function of time and the measurements. */
#include "block.h"

#include <float.h>
#include <math.h>
#include <string.h>

static phx_status function_block_begin(phx_context *context, const phx_controller_def *def, phx_block *block)
{
    if (!def->function)
        return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': its function is missing", block->name);
    block->n = 0;
    return PHX_OK;
}

static size_t room_of(const phx_block *block)
{
    return (size_t)(block->n_inputs + 2 * block->n_outputs);
}

/* The derivative: of expressions the exact one, of other functions by central differences, to 1e-10. */
static void differentiate(const phx_block *block, double t, const double *y, double *room, double *S)
{
    const int in = block->n_inputs, out = block->n_outputs;
    double *moved = room, *up = moved + in, *down = up + out;

    if (block->def.function == phx_controller_programs_evaluate) {
        phx_controller_programs_slopes(block->def.data, t, y, S);
        return;
    }
    for (int j = 0; j < in; j++) {
        const double step = cbrt(DBL_EPSILON) * fmax(1.0, fabs(y[j]));
        memcpy(moved, y, (size_t)in * sizeof *moved);
        moved[j] = y[j] + step;
        const double high = moved[j];
        block->def.function(block->def.data, t, moved, up);
        moved[j] = y[j] - step;
        block->def.function(block->def.data, t, moved, down);
        for (int k = 0; k < out; k++)
            S[k * in + j] = (up[k] - down[k]) / (high - moved[j]);
    }
}

static phx_status interval(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                           const double *e, const double *f, double *room, phx_block_result *result)
{
    (void)context, (void)h, (void)z0;
    block->def.function(block->def.data, t, e, result->u);
    for (int k = 0; k < block->n_outputs; k++)
        result->u[k] += f[k];
    if (result->S)
        differentiate(block, t, e, room, result->S);
    return PHX_OK;
}

static phx_status function_block_sample(const phx_block *block, phx_context *context, double t, double *z,
                                        const double *e, const double *f, double *room, double *u)
{
    phx_block_result result = {.u = u};
    return interval(block, context, t, 0.0, z, e, f, room, &result);
}

static void function_block_discrete(const phx_block *block, double t, const double *e, bool limited, double *room,
                                    double *A, double *B, double *C, double *D)
{
    (void)limited, (void)A, (void)B, (void)C;
    differentiate(block, t, e, room, D);
}

const phx_block_ops phx_block_function = {.name = "function",
                                          .begin = function_block_begin,
                                          .interval = interval,
                                          .sample = function_block_sample,
                                          .discrete = function_block_discrete,
                                          .room = room_of,
                                          .limits = true};
