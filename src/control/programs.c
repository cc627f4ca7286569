/* Controllers whose outputs are compiled expressions. */
#include "control/control.h"

#include <string.h>

/* Allocates the expressions of a controller with its measurements and time as variables; NULL after a failure. */
phx_status phx_controller_programs_create(phx_context *context, int n_inputs, int n_outputs,
                                          phx_controller_programs **made)
{
    phx_controller_programs *programs = phx_calloc(context, 1, sizeof *programs);

    *made = NULL;
    if (!programs)
        return PHX_ERR_MEMORY;
    programs->n_inputs = n_inputs;
    programs->n_outputs = n_outputs;
    programs->programs = phx_calloc(context, (size_t)n_outputs, sizeof *programs->programs);
    programs->variables = phx_calloc(context, 1 + (size_t)n_inputs, sizeof *programs->variables);
    if (!programs->programs || !programs->variables) {
        phx_controller_programs_free(programs);
        return PHX_ERR_MEMORY;
    }
    *made = programs;
    return PHX_OK;
}

void phx_controller_programs_evaluate(const void *data, double t, const double *y, double *u)
{
    const phx_controller_programs *programs = data;

    programs->variables[0] = t;
    memcpy(programs->variables + 1, y, (size_t)programs->n_inputs * sizeof *y);
    for (int k = 0; k < programs->n_outputs; k++)
        u[k] = phx_program_value(programs->programs[k], programs->variables);
}

void phx_controller_programs_slopes(const void *data, double t, const double *y, double *S)
{
    const phx_controller_programs *programs = data;
    double jet[3];

    programs->variables[0] = t;
    memcpy(programs->variables + 1, y, (size_t)programs->n_inputs * sizeof *y);
    for (int k = 0; k < programs->n_outputs; k++)
        for (int j = 0; j < programs->n_inputs; j++) {
            phx_program_partial(programs->programs[k], 1 + j, programs->variables, jet);
            S[k * programs->n_inputs + j] = jet[1];
        }
}

void phx_controller_programs_free(void *data)
{
    phx_controller_programs *programs = data;

    if (!programs)
        return;
    for (int k = 0; k < programs->n_outputs && programs->programs; k++)
        phx_program_destroy(programs->programs[k]);
    phx_free(programs->programs);
    phx_free(programs->variables);
    phx_free(programs);
}
