/* Fewer states: parts that inputs do not reach, outputs do not see or constraints hold are split off by orthonormal
 * bases, built like the staircase form: block after block, each with a rank decision. Bases are stored by rows. */
#include <math.h>
#include <string.h>

#include "ss.h"

/* A, B, C on balanced states; x = V^T z for each restriction. */
typedef struct dynamics {
    int n, m, p;
    double *A, *B, *C;
} dynamics;

static void dynamics_free(dynamics *model)
{
    phx_free(model->A);
    phx_free(model->B);
    phx_free(model->C);
    *model = (dynamics){0};
}

static phx_status dynamics_new(phx_context *context, int n, int m, int p, dynamics *model)
{
    *model = (dynamics){.n = n, .m = m, .p = p};
    model->A = phx_calloc(context, (size_t)n * (size_t)n, sizeof *model->A);
    model->B = phx_calloc(context, (size_t)n * (size_t)m, sizeof *model->B);
    model->C = phx_calloc(context, (size_t)p * (size_t)n, sizeof *model->C);
    return model->A && model->B && model->C ? PHX_OK : PHX_ERR_MEMORY;
}

/* Copies A, B and C of a system with states scaled to balance their rows and columns. */
static phx_status dynamics_balanced(phx_context *context, const phx_ss *s, dynamics *model)
{
    double *scale = phx_calloc(context, (size_t)s->n, sizeof *scale);
    phx_status status = scale ? dynamics_new(context, s->n, s->n_inputs, s->n_outputs, model) : PHX_ERR_MEMORY;

    if (!status) {
        phx_ss_balance(s, true, scale);
        for (int i = 0; i < s->n; i++) {
            for (int j = 0; j < s->n; j++)
                model->A[i * s->n + j] = s->A[i * s->n + j] * scale[j] / scale[i];
            for (int j = 0; j < s->n_inputs; j++)
                model->B[i * s->n_inputs + j] = s->B[i * s->n_inputs + j] / scale[i];
            for (int j = 0; j < s->n_outputs; j++)
                model->C[j * s->n + i] = s->C[j * s->n + i] * scale[i];
        }
    }
    phx_free(scale);
    return status;
}

/* The dynamics of the dual system, A^T, C^T, B^T. */
static phx_status dual(phx_context *context, const dynamics *of, dynamics *model)
{
    phx_status status = dynamics_new(context, of->n, of->p, of->m, model);

    for (int i = 0; i < of->n && !status; i++) {
        for (int j = 0; j < of->n; j++)
            model->A[i * of->n + j] = of->A[j * of->n + i];
        for (int j = 0; j < of->p; j++)
            model->B[i * of->p + j] = of->C[j * of->n + i];
        for (int j = 0; j < of->m; j++)
            model->C[j * of->n + i] = of->B[i * of->m + j];
    }
    return status;
}

/* V A V^T, V B, C V^T for k rows V; replaces `it`. */
static phx_status restrict_to(phx_context *context, int k, const double *V, dynamics *model)
{
    const int n = model->n;
    dynamics made = {0};
    double *AV = phx_calloc(context, (size_t)n * (size_t)k, sizeof *AV);
    phx_status status = AV ? dynamics_new(context, k, model->m, model->p, &made) : PHX_ERR_MEMORY;

    if (!status && k > 0) {
        phx_dense_multiply(false, true, n, k, n, 1.0, model->A, n, V, n, 0.0, AV, k);
        phx_dense_multiply(false, false, k, k, n, 1.0, V, n, AV, k, 0.0, made.A, k);
        if (model->m > 0)
            phx_dense_multiply(false, false, k, model->m, n, 1.0, V, n, model->B, model->m, 0.0, made.B, model->m);
        if (model->p > 0)
            phx_dense_multiply(false, true, model->p, k, n, 1.0, model->C, n, V, n, 0.0, made.C, k);
    }
    phx_free(AV);
    if (status) {
        dynamics_free(&made);
        return status;
    }
    dynamics_free(model);
    *model = made;
    return PHX_OK;
}

static double ss_reduce_norm(size_t count, const double *x)
{
    double sum = 0.0;

    for (size_t k = 0; k < count; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/* w less its part in the k rows of V, twice: once is not enough next to V. */
static void orthogonalise(int n, int k, const double *V, double *w)
{
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < k; i++) {
            const double *v = V + (size_t)i * (size_t)n;
            double along = 0.0;
            for (int j = 0; j < n; j++)
                along += v[j] * w[j];
            for (int j = 0; j < n; j++)
                w[j] -= along * v[j];
        }
}

/* Appends to the k rows of V what `count` rows of W add to their span, largest first, down to `tolerance`. */
static void extend_basis(int n, int count, double *W, double tolerance, int *k, double *V)
{
    for (int i = 0; i < count; i++)
        orthogonalise(n, *k, V, W + (size_t)i * (size_t)n);
    while (*k < n) {
        double *top = NULL, size = tolerance;
        for (int i = 0; i < count; i++) {
            double *w = W + (size_t)i * (size_t)n;
            const double length = ss_reduce_norm((size_t)n, w);
            if (length > size) {
                size = length;
                top = w;
            }
        }
        if (!top)
            return;
        double *v = V + (size_t)*k * (size_t)n;
        for (int j = 0; j < n; j++)
            v[j] = top[j] / size;
        ++*k;
        for (int i = 0; i < count; i++)
            orthogonalise(n, 1, v, W + (size_t)i * (size_t)n);
        memset(top, 0, (size_t)n * sizeof *top);
    }
}

/* Span of B, A B, A^2 B, ...: V has room for n x n, k rows are used. */
static phx_status controllable(phx_context *context, const dynamics *model, double rtol, int *k, double *V)
{
    const int n = model->n, room = model->m > n ? model->m : n;
    const double size_A = ss_reduce_norm((size_t)n * (size_t)n, model->A),
                 size_B = ss_reduce_norm((size_t)n * (size_t)model->m, model->B);
    double *W = phx_calloc(context, (size_t)room * (size_t)n, sizeof *W);
    int first = 0;

    *k = 0;
    if (!W)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < model->m; j++)
        for (int i = 0; i < n; i++)
            W[(size_t)j * (size_t)n + (size_t)i] = model->B[i * model->m + j];
    extend_basis(n, model->m, W, rtol * size_B, k, V);
    while (*k > first && *k < n) {
        const int count = *k - first;
        phx_dense_multiply(false, true, count, n, n, 1.0, V + (size_t)first * (size_t)n, n, model->A, n, 0.0, W, n);
        first = *k;
        extend_basis(n, count, W, rtol * size_A, k, V);
    }
    phx_free(W);
    return PHX_OK;
}

/* Rows that span what the `rows` orthonormal rows of V leave of n dimensions: n - rows of them. */
static phx_status complement(phx_context *context, int n, int rows, const double *V, double *rest)
{
    double *both = phx_calloc(context, (size_t)n * (size_t)n, sizeof *both);
    double *unit = phx_calloc(context, (size_t)n * (size_t)n, sizeof *unit);
    int k = rows;

    if (both && unit) {
        memcpy(both, V, (size_t)rows * (size_t)n * sizeof *both);
        for (int i = 0; i < n; i++)
            unit[i * n + i] = 1.0;
        extend_basis(n, n, unit, 0.0, &k, both);
        memcpy(rest, both + (size_t)rows * (size_t)n, (size_t)(n - rows) * (size_t)n * sizeof *rest);
    }
    const phx_status status = both && unit ? PHX_OK : PHX_ERR_MEMORY;
    phx_free(both);
    phx_free(unit);
    return status;
}

/* Rows l with l A = 0; *k of them. */
static phx_status left_null(phx_context *context, int n, const double *A, double rtol, int *k, double *rows)
{
    double *transposed = phx_calloc(context, (size_t)n * (size_t)n, sizeof *transposed), *basis = NULL;
    int rank = 0;
    phx_status status = transposed ? PHX_OK : PHX_ERR_MEMORY;

    *k = 0;
    if (!status) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                transposed[j * n + i] = A[i * n + j];
        status = phx_dense_nullspace(context, n, n, transposed, rtol, &rank, &basis);
    }
    if (!status) {
        *k = n - rank;
        for (int i = 0; i < *k; i++)
            for (int j = 0; j < n; j++)
                rows[(size_t)i * (size_t)n + (size_t)j] = basis[j * *k + i];
    }
    phx_free(transposed);
    phx_free(basis);
    return status;
}

/* Rows L, orthonormal, with L A = (nilpotent) L: level after level, l A = 0 and then l A in the levels before. */
static phx_status zero_space(phx_context *context, const dynamics *model, double rtol, int *k, double *L)
{
    const int n = model->n;
    const size_t cells = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 3 * cells, sizeof *work);

    *k = 0;
    if (!work)
        return PHX_ERR_MEMORY;
    double *rest = work, *rows = work + cells, *inner = work + 2 * cells;
    dynamics left = {0};
    int found = 1;
    phx_status status = PHX_OK;
    while (!status && found > 0 && *k < n) {
        const int m = n - *k;
        status = complement(context, n, *k, L, rest);
        if (!status)
            status = dynamics_new(context, n, 0, 0, &left);
        if (!status) {
            memcpy(left.A, model->A, cells * sizeof *left.A);
            status = restrict_to(context, m, rest, &left);
        }
        if (!status)
            status = left_null(context, m, left.A, rtol, &found, inner);
        if (!status && found > 0) {
            phx_dense_multiply(false, false, found, n, m, 1.0, inner, m, rest, n, 0.0, rows, n);
            memcpy(L + (size_t)*k * (size_t)n, rows, (size_t)found * (size_t)n * sizeof *rows);
            *k += found;
        }
        dynamics_free(&left);
    }
    phx_free(work);
    return status;
}

/* Leaves out the rows of the zero space that no input moves. */
static phx_status leave_constrained(phx_context *context, double rtol, dynamics *model)
{
    const int n = model->n;
    const size_t cells = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 5 * cells, sizeof *work);

    if (!work)
        return PHX_ERR_MEMORY;
    double *L = work, *V = work + cells, *idle = work + 2 * cells, *U = work + 3 * cells, *keep = work + 4 * cells;
    dynamics zero = {0};
    int k = 0, moved = 0;
    phx_status status = zero_space(context, model, rtol, &k, L);
    if (!status && k > 0) {
        status = dynamics_new(context, n, model->m, 0, &zero);
        if (!status) {
            memcpy(zero.A, model->A, cells * sizeof *zero.A);
            memcpy(zero.B, model->B, (size_t)n * (size_t)model->m * sizeof *zero.B);
            status = restrict_to(context, k, L, &zero);
        }
        for (int i = 0; i < k * k && !status; i++) /* what is left of directions held is rounding of the whole */
            if (fabs(zero.A[i]) <= rtol * ss_reduce_norm(cells, model->A))
                zero.A[i] = 0.0;
        const double size_B = ss_reduce_norm((size_t)n * (size_t)model->m, model->B);
        for (int i = 0; i < k * model->m && !status; i++)
            if (fabs(zero.B[i]) <= rtol * size_B)
                zero.B[i] = 0.0;
        if (!status)
            status = controllable(context, &zero, rtol, &moved, V);
        if (!status)
            status = complement(context, k, moved, V, idle);
        if (!status && k > moved) {
            phx_dense_multiply(false, false, k - moved, n, k, 1.0, idle, k, L, n, 0.0, U, n);
            status = complement(context, n, k - moved, U, keep);
            if (!status)
                status = restrict_to(context, n - (k - moved), keep, model);
        }
    }
    dynamics_free(&zero);
    phx_free(work);
    return status;
}

/* Keeps what inputs reach, or in the dual what outputs see. */
static phx_status keep_controllable(phx_context *context, bool of_dual, double rtol, dynamics *model)
{
    double *V = phx_calloc(context, (size_t)model->n * (size_t)model->n, sizeof *V);
    dynamics mirror = {0};
    int k = 0;
    phx_status status = V ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && of_dual)
        status = dual(context, model, &mirror);
    if (!status)
        status = controllable(context, of_dual ? &mirror : model, rtol, &k, V);
    if (!status && k < model->n)
        status = restrict_to(context, k, V, model);
    dynamics_free(&mirror);
    phx_free(V);
    return status;
}

/* Creates the reduced system with states z1, z2, ..., and feedthrough and channel names of the original. */
static phx_status make_reduced(phx_context *context, const phx_ss *s, const dynamics *model, phx_ss **reduced)
{
    phx_ss *made = NULL;
    const size_t n = (size_t)model->n, m = (size_t)model->m, p = (size_t)model->p;
    phx_status status = phx_ss_new(context, s->name, model->n, model->m, model->p, &made);

    if (!status) {
        memcpy(made->A, model->A, n * n * sizeof(double));
        memcpy(made->B, model->B, n * m * sizeof(double));
        memcpy(made->C, model->C, p * n * sizeof(double));
        memcpy(made->D, s->D, p * m * sizeof(double));
        status = phx_ss_put_names(context, model->n, NULL, NULL, 'z', "", made->states);
    }
    if (!status)
        status = phx_ss_put_names(context, model->m, (const char *const *)s->inputs, NULL, 0, "", made->inputs);
    if (!status)
        status = phx_ss_put_names(context, model->p, (const char *const *)s->outputs, NULL, 0, "", made->outputs);
    return phx_ss_finish(context, status, made, reduced);
}

/* Leaves out the parts of a system that are asked for: constrained, uncontrollable or unobservable states, ranks by
 * the relative tolerance (1e-10 by default). Without any to leave out the result is a copy. */
phx_status phx_ss_reduce(phx_context *context, const phx_ss *system, unsigned parts, double rtol, phx_ss **reduced)
{
    static const double DEFAULT_RTOL = 1e-10; /* of ranks */

    if (!system || !reduced)
        return phx_fail_null(context, __func__, "system or reduced");
    const unsigned known = PHX_SS_CONSTRAINED | PHX_SS_MINIMAL;
    const double tolerance = rtol > 0.0 ? rtol : DEFAULT_RTOL;
    dynamics model = {0};

    *reduced = NULL;
    if ((parts & ~known) || !(rtol >= 0.0 && rtol < 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "reduction of '%s': parts %u, rtol %g; parts are values of phx_ss_part, 0 <= rtol < 1",
                        system->name, parts, rtol);
    phx_status status = dynamics_balanced(context, system, &model);
    if (!status && (parts & PHX_SS_CONSTRAINED))
        status = leave_constrained(context, tolerance, &model);
    if (!status && (parts & PHX_SS_UNCONTROLLABLE))
        status = keep_controllable(context, false, tolerance, &model);
    if (!status && (parts & PHX_SS_UNOBSERVABLE))
        status = keep_controllable(context, true, tolerance, &model);
    if (!status)
        status = model.n == system->n ? phx_ss_copy(context, system, NULL, NULL, reduced)
                                      : make_reduced(context, system, &model, reduced);
    dynamics_free(&model);
    return phx_conclude(context, status);
}
