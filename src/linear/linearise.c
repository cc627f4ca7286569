/* Linear models of mechanisms: the pHDAE about a configuration at rest with its channels, and its forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linearised.h"

phx_linearise_options phx_linearise_options_default(void)
{
    return (phx_linearise_options){0};
}

static void linearise_free_names(int count, char **names)
{
    for (int k = 0; names && k < count; k++)
        phx_free(names[k]);
    phx_free(names);
}

static void reduced_free(phx_reduced *it)
{
    double *const arrays[] = {it->basis, it->omega, it->D, it->K, it->F, it->Y_q, it->Y_v, it->Y_a, it->Y_u};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    linearise_free_names(it->count, it->names);
    linearise_free_names(it->count, it->rates);
}

void phx_linearised_destroy(phx_linearised *it)
{
    if (!it)
        return;
    reduced_free(&it->reduced);
    linearise_free_names(it->linear.n, it->coordinates);
    phx_linear_free(&it->linear);
    phx_channels_free(&it->channels);
    phx_feedback_free(&it->feedback);
    phx_free(it->identity);
    phx_free(it->factor);
    phx_free(it->name);
    phx_free(it);
}

/* Copies the names of all coordinates of the system. */
static phx_status linearise_name_coordinates(phx_context *context, const phx_system *system, phx_linearised *it)
{
    char name[256];

    it->coordinates = phx_calloc(context, (size_t)it->linear.n, sizeof *it->coordinates);
    if (!it->coordinates)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < it->linear.n; k++) {
        phx_system_coordinate_name(system, k, name, sizeof name);
        it->coordinates[k] = phx_strdup(context, name);
        if (!it->coordinates[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status factor_mass(phx_context *context, phx_linearised *it)
{
    const size_t n = (size_t)it->linear.n;
    phx_status status = PHX_OK;

    it->factor = phx_calloc(context, n * n, sizeof *it->factor);
    if (!it->factor)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(&it->linear.M, it->factor);
    status = phx_dense_cholesky(context, it->linear.n, it->factor);
    if (status == PHX_SINGULAR)
        status = phx_fail_prefix(context, PHX_ERR_ANALYSIS, "the mass matrix is not positive definite: ");
    return status;
}

/* The same without the factor. */
static phx_status linearise_check_mass(phx_context *context, const phx_linearised *it)
{
    phx_cholesky *cholesky = NULL;
    phx_status status = phx_cholesky_create(context, &it->linear.M, &cholesky);

    if (status == PHX_SINGULAR)
        status = phx_fail(context, PHX_ERR_ANALYSIS, "the mass matrix is not positive definite");
    phx_cholesky_destroy(cholesky);
    return status;
}

phx_status phx_linearised_refuse_sparse(phx_context *context, const phx_linearised *it)
{
    return it->sparse
               ? phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "'%s' was linearised for the descriptor form alone; linearise without 'sparse'", it->name)
               : PHX_OK;
}

/* Completes `it` from its matrices. Destroys `it` unless `status` stays PHX_OK; hands it out else. */
static phx_status linearise_complete(phx_context *context, phx_status status, double rank_rtol, phx_linearised *it,
                                     phx_linearised **linearised)
{
    if (!status)
        status = it->sparse ? linearise_check_mass(context, it) : factor_mass(context, it);
    if (!status)
        status = it->sparse ? phx_linearised_check_motions(context, rank_rtol, it)
                            : phx_linearised_reduce(context, rank_rtol, it);
    if (status)
        phx_linearised_destroy(it);
    else
        *linearised = it;
    return status;
}

/* Creates a linearised mechanism from given matrices, channels and names, all of which it takes over, also after an
 * error, and computes its reduced form. */
phx_status phx_linearised_of(phx_context *context, const char *name, phx_linear *linear, phx_channels *channels,
                             char **coordinates, double rank_rtol, phx_linearised **linearised)
{
    phx_linearised *it = phx_calloc(context, 1, sizeof *it);

    *linearised = NULL;
    if (!it) {
        linearise_free_names(linear->n, coordinates);
        phx_linear_free(linear);
        phx_channels_free(channels);
        return PHX_ERR_MEMORY;
    }
    it->linear = *linear;
    it->channels = *channels;
    it->coordinates = coordinates;
    *linear = (phx_linear){0};
    *channels = (phx_channels){0};
    it->name = phx_strdup(context, name);
    return linearise_complete(context, it->name ? PHX_OK : PHX_ERR_MEMORY, rank_rtol, it, linearised);
}

/* Linearises a mechanism about options->x at rest, or about a steady rotation if options->axes is set, with channels,
 * controllers and reduced form. *linearised is NULL after an error. */
phx_status phx_linearise(phx_context *context, phx_dae *dae, const phx_linearise_options *options,
                         phx_linearised **linearised)
{
    if (!dae || !linearised)
        return phx_fail_null(context, __func__, "dae or linearised");
    phx_linearised *it = phx_calloc(context, 1, sizeof *it);
    phx_status status = it ? PHX_OK : PHX_ERR_MEMORY;

    *linearised = NULL;
    if (!status && !options->x)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "linearisation needs a configuration x");
    if (!status) {
        it->sparse = options->sparse;
        it->name = phx_strdup(context, options->name ? options->name : "system");
        status = it->name ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_system_channels(dae, options->t, options->x, options->lambda, &options->channels, &it->channels);
    if (!status && options->channels.controllers)
        status = phx_system_feedback(dae, options->t, options->x, &it->feedback);
    if (!status)
        status = options->axes ? phx_system_linear_steady(dae, options->t, options->x, options->v, options->axes,
                                                          options->lambda, &it->linear)
                               : phx_system_linear(dae, options->t, options->x, options->lambda, &it->linear);
    if (!status)
        status = linearise_name_coordinates(context, phx_system_of(dae), it);
    return phx_conclude(context, it ? linearise_complete(context, status, options->rank_rtol, it, linearised) : status);
}

/* ---- asking ---- */
const phx_linear *phx_linearised_matrices(const phx_linearised *it)
{
    return &it->linear;
}

const phx_channels *phx_linearised_channels(const phx_linearised *it)
{
    return &it->channels;
}

const phx_reduced *phx_linearised_reduced(const phx_linearised *it)
{
    return &it->reduced;
}

bool phx_linearised_is_sparse(const phx_linearised *it)
{
    return it->sparse;
}

const char *phx_linearised_coordinate(const phx_linearised *it, int k)
{
    return it->coordinates[k];
}

/* ---- second order ---- */
phx_status phx_linearised_second_order(phx_context *context, const phx_linearised *it, phx_ss_second_order_def *def)
{
    if (!it || !def)
        return phx_fail_null(context, __func__, "linearised or def");
    const phx_reduced *r = &it->reduced;

    phx_status status = phx_linearised_refuse_feedback(context, it, "a second-order form");
    if (!status)
        status = phx_linearised_refuse_sparse(context, it);
    if (status)
        return status;
    for (int k = 0; k < r->n_inputs; k++)
        if (it->channels.kind[k] == PHX_CHANNEL_RATE)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "the input '%s' is a rate, which a second-order form cannot have; give the acceleration "
                            "of the motion",
                            it->channels.inputs[k]);
    *def = phx_ss_second_order_def_default();
    def->name = it->name;
    def->n = r->count;
    def->n_inputs = r->n_inputs;
    def->n_outputs = r->n_outputs;
    def->M = it->identity;
    def->D = r->D;
    def->K = r->K;
    def->F = r->F;
    def->Y_q = r->Y_q;
    def->Y_v = r->Y_v;
    def->Y_a = r->Y_a;
    def->Y_u = r->Y_u;
    def->coordinates = (const char *const *)r->names;
    def->inputs = (const char *const *)it->channels.inputs;
    def->outputs = (const char *const *)it->channels.outputs;
    return phx_conclude(context, PHX_OK);
}

/* ---- state space ---- */
/* First-order matrices over x = (q, q'), all inputs as in F. */
typedef struct first_order {
    int n, m, p;
    double *A, *B, *C, *D;
    const char **names;
    bool *improper; /* per output: whether it follows the derivative of a rate; NULL: such an output is an error */
} first_order;

static void first_order_free(first_order *it)
{
    phx_free(it->A);
    phx_free(it->B);
    phx_free(it->C);
    phx_free(it->D);
    phx_free(it->names);
    phx_free(it->improper);
}

/* q'' = -K q - D q' + F u:
 *
 *   A = | 0   I |   B = | 0 |   C = | Y_q - Y_a K   Y_v - Y_a D |   D = Y_u + Y_a F
 *       | -K -D |       | F |                                                          */
static phx_status fill_first_order(phx_context *context, const phx_reduced *r, first_order *it)
{
    const int c = r->count, n = 2 * c, m = r->n_inputs, p = r->n_outputs;
    const size_t half = (size_t)c, states = (size_t)n;

    *it = (first_order){.n = n, .m = m, .p = p};
    it->A = phx_calloc(context, states * states, sizeof *it->A);
    it->B = phx_calloc(context, states * (size_t)m, sizeof *it->B);
    it->C = phx_calloc(context, (size_t)p * states, sizeof *it->C);
    it->D = phx_calloc(context, (size_t)p * (size_t)m, sizeof *it->D);
    it->names = phx_calloc(context, states, sizeof *it->names);
    if (!it->A || !it->B || !it->C || !it->D || !it->names)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < c; i++) {
        double *row = it->A + (half + (size_t)i) * states;
        it->A[(size_t)i * states + half + (size_t)i] = 1.0;
        for (int j = 0; j < c; j++) {
            row[j] = -r->K[i * c + j];
            row[c + j] = -r->D[i * c + j];
        }
        memcpy(it->B + (half + (size_t)i) * (size_t)m, r->F + i * m, (size_t)m * sizeof *it->B);
        it->names[i] = r->names[i];
        it->names[c + i] = r->rates[i];
    }
    for (int i = 0; i < p; i++) {
        memcpy(it->C + (size_t)i * states, r->Y_q + i * c, half * sizeof *it->C);
        memcpy(it->C + (size_t)i * states + half, r->Y_v + i * c, half * sizeof *it->C);
    }
    memcpy(it->D, r->Y_u, (size_t)p * (size_t)m * sizeof *it->D);
    phx_dense_multiply(false, false, p, c, c, -1.0, r->Y_a, c, r->K, c, 1.0, it->C, n);
    phx_dense_multiply(false, false, p, c, c, -1.0, r->Y_a, c, r->D, c, 1.0, it->C + c, n);
    phx_dense_multiply(false, false, p, m, c, 1.0, r->Y_a, c, r->F, m, 1.0, it->D, m);
    return PHX_OK;
}

phx_status phx_linearised_refuse_improper(phx_context *context, const char *output, const char *input, double factor)
{
    return phx_fail(context, PHX_ERR_INPUT,
                    "the output '%s' follows the derivative of the input '%s' (factor %.3g); take the acceleration of "
                    "that motion as input, or leave the output out",
                    output, input, factor);
}

/* The rate w = s' of a prescribed motion as input in place of the acceleration w', column k: with x_bar = x - B_k w
 *
 *     x_bar' = A x_bar + A B_k w,   y = C x_bar + C B_k w + D_k w'       D_k must vanish
 *
 * and s' itself does not occur in x_bar. */
static phx_status take_rate(phx_context *context, const phx_linearised *linearised, int k, first_order *it)
{
    const phx_reduced *r = &linearised->reduced;
    const phx_channels *channels = &linearised->channels;
    const int n = it->n, m = it->m;
    double *b = phx_calloc(context, (size_t)n, sizeof *b);

    if (!b)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        b[i] = it->B[i * m + k];
    for (int i = 0; i < it->p; i++) {
        double scale = fabs(r->Y_u[i * m + k]);
        for (int j = 0; j < r->count; j++)
            scale = fmax(scale, fabs(r->Y_a[i * r->count + j]));
        const bool improper = !(fabs(it->D[i * m + k]) <= 1e-9 * scale);
        if (improper && it->improper) {
            it->improper[i] = true;
        } else if (improper) {
            phx_free(b);
            return phx_linearised_refuse_improper(context, channels->outputs[i], channels->inputs[k], it->D[i * m + k]);
        }
        it->D[i * m + k] = 0.0;
        for (int j = 0; j < n; j++)
            it->D[i * m + k] += it->C[(size_t)i * (size_t)n + (size_t)j] * b[j];
    }
    for (int i = 0; i < n; i++) {
        it->B[i * m + k] = 0.0;
        for (int j = 0; j < n; j++)
            it->B[i * m + k] += it->A[(size_t)i * (size_t)n + (size_t)j] * b[j];
    }
    phx_free(b);
    return PHX_OK;
}

/* Leaves state s out. */
static void drop_state(first_order *it, int s)
{
    const int n = it->n, left = n - 1;

    for (int i = 0, row = 0; i < n; i++) {
        if (i == s)
            continue;
        for (int j = 0, col = 0; j < n; j++)
            if (j != s)
                it->A[row * left + col++] = it->A[i * n + j];
        memmove(it->B + row * it->m, it->B + i * it->m, (size_t)it->m * sizeof *it->B);
        it->names[row++] = it->names[i];
    }
    for (int i = 0; i < it->p; i++)
        for (int j = 0, col = 0; j < n; j++)
            if (j != s)
                it->C[i * left + col++] = it->C[i * n + j];
    it->n = left;
}

/* Creates the state-space system from its first-order matrices after rates among the inputs have replaced the states of
 * their motions. */
static phx_status create_ss(phx_context *context, const phx_linearised *linearised, first_order *it, phx_ss **ss)
{
    const phx_channels *channels = &linearised->channels;
    const phx_reduced *r = &linearised->reduced;
    phx_status status = PHX_OK;

    for (int k = 0; k < it->m && !status; k++)
        if (channels->kind[k] == PHX_CHANNEL_RATE)
            status = take_rate(context, linearised, k, it);
    if (status)
        return status;
    for (int h = r->held - 1; h >= 0; h--)
        for (int k = 0; k < it->m; k++)
            if (channels->held[k] == h && channels->kind[k] == PHX_CHANNEL_RATE)
                drop_state(it, r->count + r->rigid + r->modes + h);
    const phx_ss_def def = {.name = linearised->name,
                            .n = it->n,
                            .n_inputs = it->m,
                            .n_outputs = it->p,
                            .A = it->A,
                            .B = it->B,
                            .C = it->C,
                            .D = it->D,
                            .states = it->names,
                            .inputs = (const char *const *)channels->inputs,
                            .outputs = (const char *const *)channels->outputs};
    return phx_ss_create(context, &def, ss);
}

/* State-space form of a linearised mechanism over the reduced coordinates and their rates, controllers closed. */
phx_status phx_linearised_ss(phx_context *context, const phx_linearised *linearised, phx_ss **ss)
{
    if (!linearised || !ss)
        return phx_fail_null(context, __func__, "linearised or ss");
    first_order it = {0};
    phx_status status = phx_linearised_refuse_sparse(context, linearised);

    *ss = NULL;
    if (!status)
        status = fill_first_order(context, &linearised->reduced, &it);
    if (!status)
        status = create_ss(context, linearised, &it, ss);
    if (!status)
        status = phx_linearised_close(context, linearised, ss);
    if (status) {
        phx_ss_destroy(*ss);
        *ss = NULL;
    }
    first_order_free(&it);
    return phx_conclude(context, status);
}

/* State-space form with only the outputs that have no feedthrough from the derivative of a rate. Controllers are not
 * closed. */
phx_status phx_linearised_proper_ss(phx_context *context, const phx_linearised *linearised, phx_ss **ss)
{
    if (!linearised || !ss)
        return phx_fail_null(context, __func__, "linearised or ss");
    first_order it = {0};
    phx_ss *all = NULL;
    const char **proper = NULL;
    int count = 0;
    phx_status status = phx_linearised_refuse_sparse(context, linearised);

    *ss = NULL;
    if (!status)
        status = fill_first_order(context, &linearised->reduced, &it);
    if (!status) {
        it.improper = phx_calloc(context, (size_t)it.p, sizeof *it.improper);
        proper = phx_calloc(context, (size_t)it.p, sizeof *proper);
        status = it.improper && proper ? create_ss(context, linearised, &it, &all) : PHX_ERR_MEMORY;
    }
    for (int i = 0; i < it.p && !status; i++)
        if (!it.improper[i])
            proper[count++] = linearised->channels.outputs[i];
    if (!status)
        status = phx_ss_sub(context, all, count, proper, 0, NULL, ss);
    phx_ss_destroy(all);
    phx_free(proper);
    first_order_free(&it);
    return phx_conclude(context, status);
}
