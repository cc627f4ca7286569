/* State-space systems from second-order and from descriptor form. */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "ss.h"

phx_ss_second_order_def phx_ss_second_order_def_default(void)
{
    return (phx_ss_second_order_def){0};
}

/* | -M^-1 K   -M^-1 D   M^-1 F |, n x (2 n + inputs) */
static phx_status accelerations(phx_context *context, const phx_ss_second_order_def *def, double *a)
{
    const int n = def->n, m = def->n_inputs, wide = 2 * n + m;
    double *L = phx_calloc(context, (size_t)n * (size_t)n, sizeof *L);
    phx_status status = L ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(L, def->M, (size_t)n * (size_t)n * sizeof *L);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i * wide + j] = -def->K[i * n + j];
                a[i * wide + n + j] = def->D ? -def->D[i * n + j] : 0.0;
            }
            for (int j = 0; j < m; j++)
                a[i * wide + 2 * n + j] = def->F ? def->F[i * m + j] : 0.0;
        }
        status = phx_dense_cholesky(context, n, L);
        if (status == PHX_SINGULAR)
            status =
                phx_fail_prefix(context, status, "system '%s': the mass matrix: ", def->name ? def->name : "system");
    }
    if (!status) {
        phx_dense_triangle_solve(false, n, L, wide, a);
        phx_dense_triangle_solve(true, n, L, wide, a);
    }
    phx_free(L);
    return status;
}

/* C = | Y_q  Y_v | + Y_a | -M^-1 K  -M^-1 D |,  D = Y_u + Y_a M^-1 F */
static void second_order_outputs(const phx_ss_second_order_def *def, const double *a, phx_ss *to)
{
    const int n = def->n, m = def->n_inputs, p = def->n_outputs, wide = 2 * n + m;

    for (int i = 0; i < p; i++) {
        for (int j = 0; j < n; j++) {
            to->C[i * 2 * n + j] = def->Y_q ? def->Y_q[i * n + j] : 0.0;
            to->C[i * 2 * n + n + j] = def->Y_v ? def->Y_v[i * n + j] : 0.0;
        }
        for (int j = 0; j < m; j++)
            to->D[i * m + j] = def->Y_u ? def->Y_u[i * m + j] : 0.0;
    }
    if (!def->Y_a || n == 0)
        return;
    phx_dense_multiply(false, false, p, 2 * n, n, 1.0, def->Y_a, n, a, wide, 1.0, to->C, 2 * n);
    phx_dense_multiply(false, false, p, m, n, 1.0, def->Y_a, n, a + 2 * n, wide, 1.0, to->D, m);
}

/* Creates the state space with x = (q, q') of M q'' + D q' + K q = F u with outputs of q, q', q'' and u; M must be
 * regular. */
phx_status phx_ss_from_second_order(phx_context *context, const phx_ss_second_order_def *def, phx_ss **system)
{
    if (!def || !system)
        return phx_fail_null(context, __func__, "def or system");
    const int n = def->n, m = def->n_inputs, wide = 2 * n + m;
    phx_ss *made = NULL;
    double *a = NULL;
    phx_status status = PHX_OK;

    *system = NULL;
    if (n < 0 || m < 0 || def->n_outputs < 0 || (n > 0 && (!def->M || !def->K)))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "system '%s': %d coordinates, %d inputs, %d outputs; none may be negative, and M and K must be "
                        "given",
                        def->name ? def->name : "system", n, m, def->n_outputs);
    a = phx_calloc(context, (size_t)n * (size_t)wide, sizeof *a);
    status = a ? phx_ss_new(context, def->name, 2 * n, m, def->n_outputs, &made) : PHX_ERR_MEMORY;
    if (!status && n > 0)
        status = accelerations(context, def, a);
    if (!status) {
        for (int i = 0; i < n; i++) {
            made->A[i * 2 * n + n + i] = 1.0;
            memcpy(made->A + (size_t)(n + i) * 2 * (size_t)n, a + (size_t)i * (size_t)wide, 2 * (size_t)n * sizeof *a);
            for (int j = 0; j < m; j++)
                made->B[(n + i) * m + j] = a[i * wide + 2 * n + j];
        }
        second_order_outputs(def, a, made);
        status = phx_ss_put_names(context, n, def->coordinates, NULL, 'q', "", made->states);
    }
    if (!status)
        status = phx_ss_put_names(context, n, def->coordinates, NULL, 'q', "_dot", made->states + n);
    if (!status)
        status = phx_ss_put_names(context, m, def->inputs, NULL, 'u', "", made->inputs);
    if (!status)
        status = phx_ss_put_names(context, def->n_outputs, def->outputs, NULL, 'y', "", made->outputs);
    phx_free(a);
    return phx_conclude(context, phx_ss_finish(context, status, made, system));
}

/* ---- descriptor systems ---- */
static bool has_multipliers(const phx_csr *E)
{
    for (int i = 0; i < E->rows; i++) {
        bool zero = true;
        for (int k = E->ptr[i]; k < E->ptr[i + 1]; k++)
            zero = zero && E->val[k] == 0.0;
        if (zero)
            return true;
    }
    return false;
}

/* Names inputs and outputs of a state space by the ports of a descriptor system and a number. */
static phx_status port_names(phx_context *context, const phx_descriptor *from, phx_ss *to)
{
    phx_status status = PHX_OK;

    for (int p = 0; p < phx_descriptor_ports(from) && !status; p++) {
        const char *port = phx_descriptor_port_name(from, p);
        const bool full = from->full_names;
        const size_t room = strlen(phx_descriptor_name(from)) + strlen(port) + 2;
        char *name = phx_calloc(context, room, 1);
        int size = 0;
        const int first = phx_descriptor_port_columns(from, p, &size);
        if (!name)
            return PHX_ERR_MEMORY;
        snprintf(name, room, "%s%s%s", full ? "" : phx_descriptor_name(from), full ? "" : ".", port);
        status = phx_ss_put_names(context, size, NULL, name, 'u', "", to->inputs + first);
        if (!status)
            status = phx_ss_put_names(context, size, NULL, name, 'y', "", to->outputs + first);
        phx_free(name);
    }
    return status;
}

/* | A  B | = E^-1 | (J - R) Q   B - P |,   C = (B + P)^T Q,   D = S + N */
static phx_status fill_from_descriptor(phx_context *context, const phx_descriptor *from, phx_ss *to)
{
    const int n = to->n, m = to->n_inputs, wide = n + m;
    const size_t cells = (size_t)n * (size_t)n;
    double *dense = phx_calloc(context, 3 * cells, sizeof *dense);
    double *right = phx_calloc(context, (size_t)n * (size_t)wide, sizeof *right);
    double *scale = phx_calloc(context, 2 * (size_t)n, sizeof *scale);
    phx_csr difference = {0}, in = {0}, out = {0}, through = {0};
    int dependent[2] = {-1, -1};
    phx_status status = dense && right && scale ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_csr_add(context, 1.0, phx_descriptor_J(from), -1.0, phx_descriptor_R(from), &difference);
    if (!status)
        status = phx_csr_add(context, 1.0, phx_descriptor_B(from), -1.0, phx_descriptor_P(from), &in);
    if (!status)
        status = phx_csr_add(context, 1.0, phx_descriptor_B(from), 1.0, phx_descriptor_P(from), &out);
    if (!status)
        status = phx_csr_add(context, 1.0, phx_descriptor_S(from), 1.0, phx_descriptor_N(from), &through);
    if (!status) {
        double *E = dense, *L = dense + cells, *Q = dense + 2 * cells;
        phx_csr_to_dense(phx_descriptor_E(from), E);
        phx_csr_to_dense(&difference, L);
        phx_csr_to_dense(phx_descriptor_Q(from), Q);
        phx_csr_to_dense(&through, to->D);
        phx_csr_to_dense(&out, to->B);
        phx_dense_multiply(true, false, m, n, n, 1.0, to->B, m, Q, n, 0.0, to->C, n);
        phx_csr_to_dense(&in, to->B);
        phx_dense_multiply(false, false, n, n, n, 1.0, L, n, Q, n, 0.0, right, wide);
        for (int i = 0; i < n; i++)
            memcpy(right + (size_t)i * (size_t)wide + n, to->B + (size_t)i * (size_t)m, (size_t)m * sizeof *right);
        phx_ss_equilibrate(n, n, E, scale, scale + n);
        status = phx_ss_solve(context, n, E, scale, scale + n, wide, right, dependent);
    }
    if (dependent[0] >= 0)
        status = phx_fail(context, PHX_SINGULAR,
                          "descriptor system '%s': E is singular in row %d, which is not a row of zeros; write "
                          "constraints with rows of zeros",
                          phx_descriptor_name(from), dependent[0]);
    for (int i = 0; i < n && !status; i++) {
        memcpy(to->A + (size_t)i * (size_t)n, right + (size_t)i * (size_t)wide, (size_t)n * sizeof *right);
        memcpy(to->B + (size_t)i * (size_t)m, right + (size_t)i * (size_t)wide + n, (size_t)m * sizeof *right);
    }
    phx_csr_free(&difference);
    phx_csr_free(&in);
    phx_csr_free(&out);
    phx_csr_free(&through);
    phx_free(dense);
    phx_free(right);
    phx_free(scale);
    return status;
}

/* Converts a linear descriptor system into state space; multipliers are eliminated first if it has any. */
phx_status phx_ss_from_descriptor(phx_context *context, const phx_descriptor *descriptor, phx_ss **system)
{
    if (!descriptor || !system)
        return phx_fail_null(context, __func__, "descriptor or system");
    phx_descriptor *reduced = NULL;
    const phx_descriptor *from = descriptor;
    phx_ss *made = NULL;
    phx_status status = PHX_OK;

    *system = NULL;
    if (!phx_descriptor_Q(descriptor))
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "descriptor system '%s' is a nonlinear one at a state; it has no state-space form",
                        phx_descriptor_name(descriptor));
    if (has_multipliers(phx_descriptor_E(descriptor))) {
        status = phx_descriptor_eliminate(context, descriptor, 0.0, NULL, &reduced);
        from = reduced;
    }
    if (!status) {
        const int m = phx_descriptor_inputs(from);
        status = phx_ss_new(context, phx_descriptor_name(from), phx_descriptor_n(from), m, m, &made);
    }
    if (!status)
        status = fill_from_descriptor(context, from, made);
    if (!status)
        status = port_names(context, from, made);
    if (!status)
        status = phx_ss_put_names(context, made->n, NULL, NULL, 'e', "", made->states);
    phx_descriptor_destroy(reduced);
    return phx_conclude(context, phx_ss_finish(context, status, made, system));
}
