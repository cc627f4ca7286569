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

static void reduced_free(phx_reduced *low)
{
    double *const arrays[] = {low->basis, low->omega, low->D, low->K, low->F, low->Y_q, low->Y_v, low->Y_a, low->Y_u};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    linearise_free_names(low->count, low->names);
    linearise_free_names(low->count, low->rates);
}

void phx_linearised_destroy(phx_linearised *linear)
{
    if (!linear)
        return;
    reduced_free(&linear->reduced);
    linearise_free_names(linear->linear.n, linear->coordinates);
    phx_linear_free(&linear->linear);
    phx_channels_free(&linear->channels);
    phx_feedback_free(&linear->feedback);
    phx_free(linear->identity);
    phx_free(linear->factor);
    phx_free(linear->name);
    phx_free(linear);
}

/* Copies the names of all coordinates of the system. */
static phx_status linearise_name_coordinates(phx_context *context, const phx_system *system, phx_linearised *linear)
{
    char name[256];

    linear->coordinates = phx_calloc(context, (size_t)linear->linear.n, sizeof *linear->coordinates);
    if (!linear->coordinates)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < linear->linear.n; k++) {
        phx_system_coordinate_name(system, k, name, sizeof name);
        linear->coordinates[k] = phx_strdup(context, name);
        if (!linear->coordinates[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status factor_mass(phx_context *context, phx_linearised *linear)
{
    const size_t n = (size_t)linear->linear.n;
    phx_status status = PHX_OK;

    linear->factor = phx_calloc(context, n * n, sizeof *linear->factor);
    if (!linear->factor)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(&linear->linear.M, linear->factor);
    status = phx_dense_cholesky(context, linear->linear.n, linear->factor);
    if (status == PHX_SINGULAR)
        status = phx_fail_prefix(context, PHX_ERR_ANALYSIS, "the mass matrix is not positive definite: ");
    return status;
}

/* The same without the factor. */
static phx_status linearise_check_mass(phx_context *context, const phx_linearised *linear)
{
    phx_cholesky *cholesky = NULL;
    phx_status status = phx_cholesky_create(context, &linear->linear.M, &cholesky);

    if (status == PHX_SINGULAR)
        status = phx_fail(context, PHX_ERR_ANALYSIS, "the mass matrix is not positive definite");
    phx_cholesky_destroy(cholesky);
    return status;
}

phx_status phx_linearised_refuse_sparse(phx_context *context, const phx_linearised *linear)
{
    return linear->sparse
               ? phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "'%s' was linearised for the descriptor form alone; linearise without 'sparse'", linear->name)
               : PHX_OK;
}

/* Completes `it` from its matrices. Destroys `it` unless `status` stays PHX_OK; hands it out else. */
static phx_status linearise_complete(phx_context *context, phx_status status, double rank_rtol, phx_linearised *linear,
                                     phx_linearised **linearised)
{
    if (!status)
        status = linear->sparse ? linearise_check_mass(context, linear) : factor_mass(context, linear);
    if (!status)
        status = linear->sparse ? phx_linearised_check_motions(context, rank_rtol, linear)
                                : phx_linearised_reduce(context, rank_rtol, linear);
    if (status)
        phx_linearised_destroy(linear);
    else
        *linearised = linear;
    return status;
}

/* Creates a linearised mechanism from given matrices, channels and names, all of which it takes over, also after an
 * error, and computes its reduced form. */
phx_status phx_linearised_of(phx_context *context, const char *name, phx_linear *linear, phx_channels *channels,
                             char **coordinates, double rank_rtol, phx_linearised **linearised)
{
    phx_linearised *plant = phx_calloc(context, 1, sizeof *plant);

    *linearised = NULL;
    if (!plant) {
        linearise_free_names(linear->n, coordinates);
        phx_linear_free(linear);
        phx_channels_free(channels);
        return PHX_ERR_MEMORY;
    }
    plant->linear = *linear;
    plant->channels = *channels;
    plant->coordinates = coordinates;
    *linear = (phx_linear){0};
    *channels = (phx_channels){0};
    plant->name = phx_strdup(context, name);
    return linearise_complete(context, plant->name ? PHX_OK : PHX_ERR_MEMORY, rank_rtol, plant, linearised);
}

/* Linearises a mechanism about options->x at rest, or about a steady rotation if options->axes is set, with channels,
 * controllers and reduced form. *linearised is NULL after an error. */
phx_status phx_linearise(phx_context *context, phx_dae *dae, const phx_linearise_options *options,
                         phx_linearised **linearised)
{
    if (!dae || !linearised)
        return phx_fail_null(context, __func__, "dae or linearised");
    phx_linearised *linear = phx_calloc(context, 1, sizeof *linear);
    phx_status status = linear ? PHX_OK : PHX_ERR_MEMORY;

    *linearised = NULL;
    if (!status && !options->x)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "linearisation needs a configuration x");
    if (!status) {
        linear->sparse = options->sparse;
        linear->name = phx_strdup(context, options->name ? options->name : "system");
        status = linear->name ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status)
        status =
            phx_system_channels(dae, options->t, options->x, options->lambda, &options->channels, &linear->channels);
    if (!status && options->channels.controllers)
        status = phx_system_feedback(dae, options->t, options->x, &linear->feedback);
    if (!status)
        status = options->axes ? phx_system_linear_steady(dae, options->t, options->x, options->v, options->axes,
                                                          options->lambda, &linear->linear)
                               : phx_system_linear(dae, options->t, options->x, options->lambda, &linear->linear);
    if (!status)
        status = linearise_name_coordinates(context, phx_system_of(dae), linear);
    return phx_conclude(context,
                        linear ? linearise_complete(context, status, options->rank_rtol, linear, linearised) : status);
}

/* ---- asking ---- */
const phx_linear *phx_linearised_matrices(const phx_linearised *linear)
{
    return &linear->linear;
}

const phx_channels *phx_linearised_channels(const phx_linearised *linear)
{
    return &linear->channels;
}

const phx_reduced *phx_linearised_reduced(const phx_linearised *linear)
{
    return &linear->reduced;
}

bool phx_linearised_is_sparse(const phx_linearised *linear)
{
    return linear->sparse;
}

const char *phx_linearised_coordinate(const phx_linearised *linear, int k)
{
    return linear->coordinates[k];
}

/* ---- second order ---- */
phx_status phx_linearised_second_order(phx_context *context, const phx_linearised *linear, phx_ss_second_order_def *def)
{
    if (!linear || !def)
        return phx_fail_null(context, __func__, "linearised or def");
    const phx_reduced *r = &linear->reduced;

    phx_status status = phx_linearised_refuse_feedback(context, linear, "a second-order form");
    if (!status)
        status = phx_linearised_refuse_sparse(context, linear);
    if (status)
        return status;
    for (int k = 0; k < r->n_inputs; k++)
        if (linear->channels.kind[k] == PHX_CHANNEL_RATE)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "the input '%s' is a rate, which a second-order form cannot have; give the acceleration "
                            "of the motion",
                            linear->channels.inputs[k]);
    *def = phx_ss_second_order_def_default();
    def->name = linear->name;
    def->n = r->count;
    def->n_inputs = r->n_inputs;
    def->n_outputs = r->n_outputs;
    def->M = linear->identity;
    def->D = r->D;
    def->K = r->K;
    def->F = r->F;
    def->Y_q = r->Y_q;
    def->Y_v = r->Y_v;
    def->Y_a = r->Y_a;
    def->Y_u = r->Y_u;
    def->coordinates = (const char *const *)r->names;
    def->inputs = (const char *const *)linear->channels.inputs;
    def->outputs = (const char *const *)linear->channels.outputs;
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

static void first_order_free(first_order *order)
{
    phx_free(order->A);
    phx_free(order->B);
    phx_free(order->C);
    phx_free(order->D);
    phx_free(order->names);
    phx_free(order->improper);
}

/* q'' = -K q - D q' + F u:
 *
 *   A = | 0   I |   B = | 0 |   C = | Y_q - Y_a K   Y_v - Y_a D |   D = Y_u + Y_a F
 *       | -K -D |       | F |                                                          */
static phx_status fill_first_order(phx_context *context, const phx_reduced *r, first_order *order)
{
    const int c = r->count, n = 2 * c, m = r->n_inputs, p = r->n_outputs;
    const size_t half = (size_t)c, states = (size_t)n;

    *order = (first_order){.n = n, .m = m, .p = p};
    order->A = phx_calloc(context, states * states, sizeof *order->A);
    order->B = phx_calloc(context, states * (size_t)m, sizeof *order->B);
    order->C = phx_calloc(context, (size_t)p * states, sizeof *order->C);
    order->D = phx_calloc(context, (size_t)p * (size_t)m, sizeof *order->D);
    order->names = phx_calloc(context, states, sizeof *order->names);
    if (!order->A || !order->B || !order->C || !order->D || !order->names)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < c; i++) {
        double *row = order->A + (half + (size_t)i) * states;
        order->A[(size_t)i * states + half + (size_t)i] = 1.0;
        for (int j = 0; j < c; j++) {
            row[j] = -r->K[i * c + j];
            row[c + j] = -r->D[i * c + j];
        }
        memcpy(order->B + (half + (size_t)i) * (size_t)m, r->F + i * m, (size_t)m * sizeof *order->B);
        order->names[i] = r->names[i];
        order->names[c + i] = r->rates[i];
    }
    for (int i = 0; i < p; i++) {
        memcpy(order->C + (size_t)i * states, r->Y_q + i * c, half * sizeof *order->C);
        memcpy(order->C + (size_t)i * states + half, r->Y_v + i * c, half * sizeof *order->C);
    }
    memcpy(order->D, r->Y_u, (size_t)p * (size_t)m * sizeof *order->D);
    phx_dense_multiply(false, false, p, c, c, -1.0, r->Y_a, c, r->K, c, 1.0, order->C, n);
    phx_dense_multiply(false, false, p, c, c, -1.0, r->Y_a, c, r->D, c, 1.0, order->C + c, n);
    phx_dense_multiply(false, false, p, m, c, 1.0, r->Y_a, c, r->F, m, 1.0, order->D, m);
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
static phx_status take_rate(phx_context *context, const phx_linearised *linearised, int k, first_order *order)
{
    static const double IMPROPER = 1e-9; /* feedthrough, relative to its terms */
    const phx_reduced *r = &linearised->reduced;
    const phx_channels *channels = &linearised->channels;
    const int n = order->n, m = order->m;
    double *b = phx_calloc(context, (size_t)n, sizeof *b);

    if (!b)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        b[i] = order->B[i * m + k];
    for (int i = 0; i < order->p; i++) {
        double scale = fabs(r->Y_u[i * m + k]);
        for (int j = 0; j < r->count; j++)
            scale = fmax(scale, fabs(r->Y_a[i * r->count + j]));
        const bool improper = !(fabs(order->D[i * m + k]) <= IMPROPER * scale);
        if (improper && order->improper) {
            order->improper[i] = true;
        } else if (improper) {
            phx_free(b);
            return phx_linearised_refuse_improper(context, channels->outputs[i], channels->inputs[k],
                                                  order->D[i * m + k]);
        }
        order->D[i * m + k] = 0.0;
        for (int j = 0; j < n; j++)
            order->D[i * m + k] += order->C[(size_t)i * (size_t)n + (size_t)j] * b[j];
    }
    for (int i = 0; i < n; i++) {
        order->B[i * m + k] = 0.0;
        for (int j = 0; j < n; j++)
            order->B[i * m + k] += order->A[(size_t)i * (size_t)n + (size_t)j] * b[j];
    }
    phx_free(b);
    return PHX_OK;
}

/* Leaves state s out. */
static void drop_state(first_order *order, int s)
{
    const int n = order->n, left = n - 1;

    for (int i = 0, row = 0; i < n; i++) {
        if (i == s)
            continue;
        for (int j = 0, col = 0; j < n; j++)
            if (j != s)
                order->A[row * left + col++] = order->A[i * n + j];
        memmove(order->B + row * order->m, order->B + i * order->m, (size_t)order->m * sizeof *order->B);
        order->names[row++] = order->names[i];
    }
    for (int i = 0; i < order->p; i++)
        for (int j = 0, col = 0; j < n; j++)
            if (j != s)
                order->C[i * left + col++] = order->C[i * n + j];
    order->n = left;
}

/* Creates the state-space system from its first-order matrices after rates among the inputs have replaced the states of
 * their motions. */
static phx_status create_ss(phx_context *context, const phx_linearised *linearised, first_order *order, phx_ss **ss)
{
    const phx_channels *channels = &linearised->channels;
    const phx_reduced *r = &linearised->reduced;
    phx_status status = PHX_OK;

    for (int k = 0; k < order->m && !status; k++)
        if (channels->kind[k] == PHX_CHANNEL_RATE)
            status = take_rate(context, linearised, k, order);
    if (status)
        return status;
    for (int h = r->held - 1; h >= 0; h--)
        for (int k = 0; k < order->m; k++)
            if (channels->held[k] == h && channels->kind[k] == PHX_CHANNEL_RATE)
                drop_state(order, r->count + r->rigid + r->modes + h);
    const phx_ss_def def = {.name = linearised->name,
                            .n = order->n,
                            .n_inputs = order->m,
                            .n_outputs = order->p,
                            .A = order->A,
                            .B = order->B,
                            .C = order->C,
                            .D = order->D,
                            .states = order->names,
                            .inputs = (const char *const *)channels->inputs,
                            .outputs = (const char *const *)channels->outputs};
    return phx_ss_create(context, &def, ss);
}

/* State-space form of a linearised mechanism over the reduced coordinates and their rates, controllers closed. */
phx_status phx_linearised_ss(phx_context *context, const phx_linearised *linearised, phx_ss **ss)
{
    if (!linearised || !ss)
        return phx_fail_null(context, __func__, "linearised or ss");
    return phx_linearised_opened_ss(context, linearised, -1, ss);
}

phx_status phx_linearised_opened_ss(phx_context *context, const phx_linearised *linearised, int opened, phx_ss **ss)
{
    first_order order = {0};
    phx_status status = phx_linearised_refuse_sparse(context, linearised);

    *ss = NULL;
    if (!status)
        status = fill_first_order(context, &linearised->reduced, &order);
    if (!status)
        status = create_ss(context, linearised, &order, ss);
    if (!status)
        status = phx_linearised_close(context, linearised, opened, ss);
    if (status) {
        phx_ss_destroy(*ss);
        *ss = NULL;
    }
    first_order_free(&order);
    return phx_conclude(context, status);
}

/* State-space form with only the outputs that have no feedthrough from the derivative of a rate. Controllers are not
 * closed. */
phx_status phx_linearised_proper_ss(phx_context *context, const phx_linearised *linearised, phx_ss **ss)
{
    if (!linearised || !ss)
        return phx_fail_null(context, __func__, "linearised or ss");
    first_order order = {0};
    phx_ss *all = NULL;
    const char **proper = NULL;
    int count = 0;
    phx_status status = phx_linearised_refuse_sparse(context, linearised);

    *ss = NULL;
    if (!status)
        status = fill_first_order(context, &linearised->reduced, &order);
    if (!status) {
        order.improper = phx_calloc(context, (size_t)order.p, sizeof *order.improper);
        proper = phx_calloc(context, (size_t)order.p, sizeof *proper);
        status = order.improper && proper ? create_ss(context, linearised, &order, &all) : PHX_ERR_MEMORY;
    }
    for (int i = 0; i < order.p && !status; i++)
        if (!order.improper[i])
            proper[count++] = linearised->channels.outputs[i];
    if (!status)
        status = phx_ss_sub(context, all, count, proper, 0, NULL, ss);
    phx_ss_destroy(all);
    phx_free(proper);
    first_order_free(&order);
    return phx_conclude(context, status);
}
