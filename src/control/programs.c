/* Controllers whose outputs are compiled expressions. */
#include "control/control.h"

#include <string.h>

/* Allocates the expressions of a controller with its measurements and time as variables; NULL after a failure. */
phx_status phx_controller_programs_create(phx_context *context, int n_inputs, int n_outputs,
                                          phx_controller_programs **made)
{
    phx_controller_programs *it = phx_calloc(context, 1, sizeof *it);

    *made = NULL;
    if (!it)
        return PHX_ERR_MEMORY;
    it->n_inputs = n_inputs;
    it->n_outputs = n_outputs;
    it->programs = phx_calloc(context, (size_t)n_outputs, sizeof *it->programs);
    it->variables = phx_calloc(context, 1 + (size_t)n_inputs, sizeof *it->variables);
    if (!it->programs || !it->variables) {
        phx_controller_programs_free(it);
        return PHX_ERR_MEMORY;
    }
    *made = it;
    return PHX_OK;
}

void phx_controller_programs_evaluate(const void *data, double t, const double *y, double *u)
{
    const phx_controller_programs *it = data;

    it->variables[0] = t;
    memcpy(it->variables + 1, y, (size_t)it->n_inputs * sizeof *y);
    for (int k = 0; k < it->n_outputs; k++)
        u[k] = phx_program_value(it->programs[k], it->variables);
}

void phx_controller_programs_free(void *data)
{
    phx_controller_programs *it = data;

    if (!it)
        return;
    for (int k = 0; k < it->n_outputs && it->programs; k++)
        phx_program_destroy(it->programs[k]);
    phx_free(it->programs);
    phx_free(it->variables);
    phx_free(it);
}
