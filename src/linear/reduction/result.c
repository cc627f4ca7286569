/* The forms of a reduced model. */
#include <string.h>

#include "result.h"

static void free_names(int count, char **names)
{
    for (int k = 0; names && k < count; k++)
        phx_free(names[k]);
    phx_free(names);
}

void phx_reduction_destroy(phx_reduction *it)
{
    if (!it)
        return;
    double *const arrays[] = {it->basis, it->J, it->R, it->Q, it->B, it->P, it->S, it->N, it->C, it->D};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(it->curves.omega);
    free_names(it->states, it->states_names);
    free_names(it->m, it->inputs);
    free_names(it->p, it->outputs);
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
    const size_t n = (size_t)it->states, m = (size_t)it->m;
    double *A = phx_calloc(context, n * (n + m) + 1, sizeof *A), *B = phx_behind(A, n * n);
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    *ss = NULL;
    for (size_t i = 0; i < n && !status; i++) {
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = (it->J[i * n + j] - it->R[i * n + j]) * it->Q[j * n + j];
        for (size_t j = 0; j < m; j++)
            B[i * m + j] = it->B[i * m + j] - it->P[i * m + j];
    }
    if (!status) {
        const phx_ss_def def = {.name = it->name,
                                .n = it->states,
                                .n_inputs = it->m,
                                .n_outputs = it->p,
                                .A = A,
                                .B = B,
                                .C = it->C,
                                .D = it->D,
                                .states = (const char *const *)it->states_names,
                                .inputs = (const char *const *)it->inputs,
                                .outputs = (const char *const *)it->outputs};
        status = phx_ss_create(context, &def, ss);
    }
    phx_free(A);
    return phx_conclude(context, status);
}

static phx_status make_ports(phx_context *context, const phx_reduction *it, phx_descriptor_port **ports)
{
    *ports = phx_calloc(context, (size_t)it->m + 1, sizeof **ports);
    if (!*ports)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < it->m; k++) {
        char *name = phx_strdup(context, it->inputs[k]);
        (*ports)[k] = (phx_descriptor_port){name, 1};
        if (!name)
            return PHX_ERR_MEMORY;
        for (char *c = name; *c; c++)
            if (*c == '.')
                *c = '_';
    }
    return PHX_OK;
}

static phx_status first_order_descriptor(phx_context *context, const phx_reduction *it, phx_descriptor **descriptor)
{
    const int n = it->states, m = it->m;
    const double *const dense[] = {it->J, it->R, it->Q, it->B, it->P, it->S, it->N};
    const int rows[] = {n, n, n, n, n, m, m}, cols[] = {n, n, n, m, m, m, m};
    phx_csr parts[7] = {0};
    phx_descriptor_port *ports = NULL;
    phx_status status = make_ports(context, it, &ports);

    for (int k = 0; k < 7 && !status; k++)
        status = phx_csr_from_dense(context, rows[k], cols[k], dense[k], 0.0, &parts[k]);
    if (!status) {
        phx_descriptor_def def = phx_descriptor_def_default();
        def.name = it->name;
        def.n = n;
        def.J = &parts[0];
        def.R = &parts[1];
        def.Q = &parts[2];
        def.B = &parts[3];
        def.P = &parts[4];
        def.S = &parts[5];
        def.N = &parts[6];
        def.n_ports = m;
        def.ports = ports;
        status = phx_descriptor_create(context, &def, descriptor);
    }
    for (int k = 0; k < 7; k++)
        phx_csr_free(&parts[k]);
    for (int k = 0; ports && k < m; k++)
        phx_free((void *)ports[k].name);
    phx_free(ports);
    return status;
}

phx_status phx_reduction_descriptor(phx_context *context, const phx_reduction *it, phx_descriptor **descriptor,
                                    phx_measured *measured)
{
    if (!it || !descriptor)
        return phx_fail_null(context, __func__, "reduction or descriptor");
    if (it->second)
        return phx_linearised_descriptor(context, it->second, descriptor, measured);
    phx_measured outputs = {0};
    *descriptor = NULL;
    phx_status status = first_order_descriptor(context, it, descriptor);
    if (!status && measured)
        status = phx_csr_from_dense(context, it->p, it->states, it->C, 0.0, &outputs.C);
    if (!status && measured)
        status = phx_csr_from_dense(context, it->p, it->m, it->D, 0.0, &outputs.D);
    if (!status && measured)
        *measured = outputs;
    else
        phx_measured_free(&outputs);
    if (status) {
        phx_descriptor_destroy(*descriptor);
        *descriptor = NULL;
    }
    return phx_conclude(context, status);
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
