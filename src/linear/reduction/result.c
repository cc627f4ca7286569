/* The forms of a reduced model. */
#include <string.h>

#include "result.h"

static void result_free_names(int count, char **names)
{
    for (int k = 0; names && k < count; k++)
        phx_free(names[k]);
    phx_free(names);
}

phx_status phx_copy_names(phx_context *context, int count, char *const *names, char ***copies)
{
    *copies = phx_calloc(context, (size_t)count + 1, sizeof **copies);
    if (!*copies)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        (*copies)[k] = phx_strdup(context, names[k]);
        if (!(*copies)[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Frees a reduction; NULL is allowed. */
void phx_reduction_destroy(phx_reduction *spec)
{
    if (!spec)
        return;
    double *const arrays[] = {spec->basis, spec->J, spec->R, spec->Q,     spec->B,   spec->P,      spec->S,
                              spec->N,     spec->C, spec->D, spec->D_dot, spec->Y_h, spec->inertia};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(spec->curves.omega);
    phx_free(spec->kind);
    phx_free(spec->row);
    result_free_names(spec->states, spec->states_names);
    result_free_names(spec->held, spec->rates);
    result_free_names(spec->m, spec->inputs);
    result_free_names(spec->p, spec->outputs);
    phx_linearised_destroy(spec->second);
    phx_free(spec->name);
    phx_free(spec);
}

const phx_reduction_report *phx_reduction_about(const phx_reduction *spec)
{
    return &spec->report;
}

const phx_reduction_curves *phx_reduction_bode(const phx_reduction *spec)
{
    return &spec->curves;
}

const double *phx_reduction_basis(const phx_reduction *spec, int *n, int *count)
{
    if (n)
        *n = spec->n;
    if (count)
        *count = spec->count;
    return spec->basis;
}

phx_status phx_reduction_ss(phx_context *context, const phx_reduction *spec, bool proper, phx_ss **ss)
{
    if (!spec || !ss)
        return phx_fail_null(context, __func__, "reduction or ss");
    if (spec->second)
        return proper ? phx_linearised_proper_ss(context, spec->second, ss)
                      : phx_linearised_ss(context, spec->second, ss);
    return phx_conclude(context, phx_reduction_first_ss(context, spec, proper, ss));
}

phx_status phx_reduction_descriptor(phx_context *context, const phx_reduction *spec, phx_descriptor **descriptor,
                                    phx_measured *measured)
{
    if (!spec || !descriptor)
        return phx_fail_null(context, __func__, "reduction or descriptor");
    if (spec->second)
        return phx_linearised_descriptor(context, spec->second, descriptor, measured);
    return phx_conclude(context, phx_reduction_first_descriptor(context, spec, descriptor, measured));
}

phx_status phx_reduction_second_order(phx_context *context, const phx_reduction *spec, phx_ss_second_order_def *def)
{
    if (!spec || !def)
        return phx_fail_null(context, __func__, "reduction or def");
    if (!spec->second)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "a model reduced by '%s' is of first order; take the state-space or the descriptor form, or "
                        "reduce by 'modal' or 'krylov'",
                        phx_reduction_method_name(spec->report.method));
    return phx_linearised_second_order(context, spec->second, def);
}
