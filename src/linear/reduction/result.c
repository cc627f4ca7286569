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
void phx_reduction_destroy(phx_reduction *it)
{
    if (!it)
        return;
    double *const arrays[] = {it->basis, it->J, it->R, it->Q,     it->B,   it->P,      it->S,
                              it->N,     it->C, it->D, it->D_dot, it->Y_h, it->inertia};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(it->curves.omega);
    phx_free(it->kind);
    phx_free(it->row);
    result_free_names(it->states, it->states_names);
    result_free_names(it->held, it->rates);
    result_free_names(it->m, it->inputs);
    result_free_names(it->p, it->outputs);
    phx_linearised_destroy(it->second);
    phx_free(it->name);
    phx_free(it);
}

const phx_reduction_report *phx_reduction_about(const phx_reduction *it)
{
    return &it->report;
}

const phx_reduction_curves *phx_reduction_bode(const phx_reduction *it)
{
    return &it->curves;
}

const double *phx_reduction_basis(const phx_reduction *it, int *n, int *count)
{
    if (n)
        *n = it->n;
    if (count)
        *count = it->count;
    return it->basis;
}

phx_status phx_reduction_ss(phx_context *context, const phx_reduction *it, bool proper, phx_ss **ss)
{
    if (!it || !ss)
        return phx_fail_null(context, __func__, "reduction or ss");
    if (it->second)
        return proper ? phx_linearised_proper_ss(context, it->second, ss) : phx_linearised_ss(context, it->second, ss);
    return phx_conclude(context, phx_reduction_first_ss(context, it, proper, ss));
}

phx_status phx_reduction_descriptor(phx_context *context, const phx_reduction *it, phx_descriptor **descriptor,
                                    phx_measured *measured)
{
    if (!it || !descriptor)
        return phx_fail_null(context, __func__, "reduction or descriptor");
    if (it->second)
        return phx_linearised_descriptor(context, it->second, descriptor, measured);
    return phx_conclude(context, phx_reduction_first_descriptor(context, it, descriptor, measured));
}

phx_status phx_reduction_second_order(phx_context *context, const phx_reduction *it, phx_ss_second_order_def *def)
{
    if (!it || !def)
        return phx_fail_null(context, __func__, "reduction or def");
    if (!it->second)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "a model reduced by '%s' is of first order; take the state-space or the descriptor form, or "
                        "reduce by 'modal' or 'krylov'",
                        phx_reduction_method_name(it->report.method));
    return phx_linearised_second_order(context, it->second, def);
}
