/* Polynomials of several parameters through matrices on a grid. The terms are all products of powers, so that a fit by
 * least squares is one along each parameter after the other. */
#include "lft.h"

#include <math.h>
#include <string.h>

size_t phx_fit_points(const phx_fit_grid *grid)
{
    size_t points = 1;
    for (int k = 0; k < grid->n; k++)
        points *= (size_t)grid->counts[k];
    return points;
}

size_t phx_polynomial_terms(int n, const int *degrees)
{
    size_t terms = 1;
    for (int k = 0; k < n; k++)
        terms *= (size_t)(degrees[k] + 1);
    return terms;
}

/* ---- along one parameter ---- */
/* T_0 .. T_degree at x. */
static void chebyshev(int degree, double x, double *T)
{
    T[0] = 1.0;
    if (degree > 0)
        T[1] = x;
    for (int j = 2; j <= degree; j++)
        T[j] = 2.0 * x * T[j - 1] - T[j - 2];
}

/* C ((d+1) x (d+1)): T_j = sum of C_ij x^i */
static void to_powers(int degree, double *C)
{
    const int size = degree + 1;
    memset(C, 0, (size_t)size * (size_t)size * sizeof *C);
    C[0] = 1.0;
    if (degree > 0)
        C[size + 1] = 1.0;
    for (int j = 2; j <= degree; j++)
        for (int i = 0; i <= j; i++)
            C[i * size + j] = (i > 0 ? 2.0 * C[(i - 1) * size + j - 1] : 0.0) - C[i * size + j - 2];
}

/* Values at the nodes to coefficients of powers: (degree+1) x count; node `without` (-1: none) does not count. */
static phx_status fitting(phx_context *context, int count, const double *nodes, int degree, int without, double *out)
{
    static const double RANK = 1e-13; /* relative to the largest singular value */
    const int size = degree + 1, used = without < 0 ? count : count - 1;
    const size_t cells = (size_t)size * (size_t)used;
    double *V = phx_calloc(context, 2 * cells + (size_t)used * (size_t)used + (size_t)size * (size_t)size + 1,
                           sizeof *V),
           *inverse = phx_behind(V, cells), *identity = phx_behind(inverse, cells),
           *C = phx_behind(identity, (size_t)used * (size_t)used);
    phx_status status = V ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0, row = 0; i < count && !status; i++) {
        if (i == without)
            continue;
        chebyshev(degree, nodes[i], V + (size_t)row * (size_t)size);
        identity[(size_t)row * (size_t)used + (size_t)row] = 1.0;
        row++;
    }
    if (!status)
        status = phx_dense_least_norm(context, used, size, V, used, identity, RANK, inverse, NULL);
    if (!status) {
        to_powers(degree, C);
        phx_dense_multiply(false, false, size, used, size, 1.0, C, size, inverse, used, 0.0, V, used);
        for (int i = 0; i < size; i++)
            for (int j = 0, col = 0; j < count; j++)
                out[i * count + j] = j == without ? 0.0 : V[i * used + col++];
    }
    phx_free(V);
    return status;
}

/* 1, x, .., x^degree times a fitting (degree+1) x count: what it finds at x from the values. */
static void finding(int count, int degree, const double *F, double x, double *row)
{
    for (int j = 0; j < count; j++) {
        row[j] = 0.0;
        for (int i = degree; i >= 0; i--)
            row[j] = row[j] * x + F[i * count + j];
    }
}

/* count x count: what the fit has at the nodes (held_out false), or what it finds at each inner node from the others;
 * at the first and the last value, beyond which nothing is known, the value itself. */
static phx_status predicting(phx_context *context, int count, const double *nodes, int degree, bool held_out,
                             double *out)
{
    double *F = phx_calloc(context, (size_t)(degree + 1) * (size_t)count, sizeof *F);
    phx_status status = F ? PHX_OK : PHX_ERR_MEMORY;
    double least = HUGE_VAL, most = -HUGE_VAL;

    for (int i = 0; i < count; i++) {
        least = fmin(least, nodes[i]);
        most = fmax(most, nodes[i]);
    }
    if (!status && !held_out)
        status = fitting(context, count, nodes, degree, -1, F);
    for (int i = 0; i < count && !status; i++) {
        const bool end = nodes[i] == least || nodes[i] == most;
        double *row = out + (size_t)i * (size_t)count;
        if (held_out && !end)
            status = fitting(context, count, nodes, degree, i, F);
        if (!status)
            finding(count, degree, F, nodes[i], row);
        for (int j = 0; j < count && held_out && end; j++)
            row[j] = j == i;
    }
    phx_free(F);
    return status;
}

/* out (before x rows x behind) = `op` (rows x size) along the middle index of in (before x size x behind). */
static void polynomial_along(size_t before, int size, int rows, size_t behind, const double *op, const double *in,
                             double *out)
{
    for (size_t b = 0; b < before; b++)
        phx_dense_multiply(false, false, rows, (int)behind, size, 1.0, op, size, in + b * (size_t)size * behind,
                           (int)behind, 0.0, out + b * (size_t)rows * behind, (int)behind);
}

/* The extent of the indices before and behind parameter k of an array whose parameters have `sizes`. */
static void extents(int n, const int *sizes, int k, size_t *before, size_t *behind)
{
    *before = *behind = 1;
    for (int l = 0; l < n; l++)
        *(l < k ? before : behind) *= l == k ? 1 : (size_t)sizes[l];
}

static double worst(const phx_fit_data *data, size_t points, const double *found)
{
    double error = 0.0;
    for (size_t p = 0; p < points; p++)
        for (size_t c = 0; c < data->cells; c++)
            error = fmax(error, fabs(found[p * data->cells + c] - data->values[p * data->cells + c]) * data->weight[c]);
    return error;
}

/* ---- the degree along one parameter ---- */
phx_status phx_polynomial_degree(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data, int k,
                                 int most, double aim, int *degree)
{
    const int count = grid->counts[k];
    const size_t points = phx_fit_points(grid);
    double *op = phx_calloc(context, (size_t)count * (size_t)count, sizeof *op);
    double *found = phx_calloc(context, points * data->cells + 1, sizeof *found), least = HUGE_VAL;
    size_t before, behind;
    phx_status status = op && found ? PHX_OK : PHX_ERR_MEMORY;

    *degree = most < count - 1 ? most : count - 1; /* there is no inner node to leave out */
    extents(grid->n, grid->counts, k, &before, &behind);
    for (int d = 0; d <= most && d <= count - 2 && count > 2 && !status && least > aim; d++) {
        double error = 0.0; /* also at the nodes: a constant meets what lies in the middle of a line */
        for (int held_out = 0; held_out < 2 && !status; held_out++) {
            status = predicting(context, count, grid->nodes[k], d, held_out, op);
            if (!status)
                polynomial_along(before, count, count, behind * data->cells, op, data->values, found);
            error = fmax(error, worst(data, points, found));
        }
        if (!status && error < least) {
            least = error;
            *degree = d;
        }
    }
    phx_free(op);
    phx_free(found);
    return status;
}

/* ---- all parameters ---- */
/* values along every parameter by its operator, ops[k] of rows[k] x counts[k]; allocated. */
static phx_status along_all(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data, double **ops,
                            const int *rows, double **out)
{
    size_t largest = 1;
    int *sizes = phx_calloc(context, (size_t)grid->n + 1, sizeof *sizes);
    for (int k = 0; k < grid->n; k++)
        largest *= (size_t)(grid->counts[k] > rows[k] ? grid->counts[k] : rows[k]);
    double *a = phx_calloc(context, largest * data->cells + 1, sizeof *a);
    double *b = phx_calloc(context, largest * data->cells + 1, sizeof *b);
    const phx_status status = sizes && a && b ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(sizes, grid->counts, (size_t)grid->n * sizeof *sizes);
        memcpy(a, data->values, phx_fit_points(grid) * data->cells * sizeof *a);
    }
    for (int k = 0; k < grid->n && !status; k++) {
        size_t before, behind;
        double *other = a;
        extents(grid->n, sizes, k, &before, &behind);
        polynomial_along(before, sizes[k], rows[k], behind * data->cells, ops[k], a, b);
        sizes[k] = rows[k];
        a = b;
        b = other;
    }
    *out = status ? NULL : a;
    if (status)
        phx_free(a);
    phx_free(b);
    phx_free(sizes);
    return status;
}

static double **make_operators(phx_context *context, const phx_fit_grid *grid, const int *degrees)
{
    double **ops = phx_calloc(context, (size_t)grid->n + 1, sizeof *ops);
    for (int k = 0; k < grid->n && ops; k++) {
        const size_t count = (size_t)grid->counts[k], size = (size_t)degrees[k] + 1;
        ops[k] = phx_calloc(context, count * (count > size ? count : size), sizeof **ops);
    }
    return ops;
}

static void free_operators(int n, double **ops)
{
    for (int k = 0; ops && k < n; k++)
        phx_free(ops[k]);
    phx_free(ops);
}

static bool have_all(int n, double **ops)
{
    for (int k = 0; ops && k < n; k++)
        if (!ops[k])
            return false;
    return ops != NULL;
}

/* Coefficients of the least-squares polynomial of given degrees through matrices on a grid, allocated for the
 * caller. */
phx_status phx_polynomial_fit(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data,
                              const int *degrees, double **coefficients)
{
    double **ops = make_operators(context, grid, degrees);
    int *rows = phx_calloc(context, (size_t)grid->n + 1, sizeof *rows);
    phx_status status = have_all(grid->n, ops) && rows ? PHX_OK : PHX_ERR_MEMORY;

    *coefficients = NULL;
    for (int k = 0; k < grid->n && !status; k++) {
        rows[k] = degrees[k] + 1;
        status = fitting(context, grid->counts[k], grid->nodes[k], degrees[k], -1, ops[k]);
    }
    if (!status)
        status = along_all(context, grid, data, ops, rows, coefficients);
    free_operators(grid->n, ops);
    phx_free(rows);
    return status;
}

/* The error of the fit; with `without` >= 0 at the inner nodes of that parameter, each left out. */
static phx_status find_error(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data,
                             const int *degrees, int without, double *error)
{
    double **ops = make_operators(context, grid, degrees), *found = NULL;
    phx_status status = have_all(grid->n, ops) ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < grid->n && !status; k++)
        status = predicting(context, grid->counts[k], grid->nodes[k], degrees[k], k == without, ops[k]);
    if (!status)
        status = along_all(context, grid, data, ops, grid->counts, &found);
    if (!status)
        *error = worst(data, phx_fit_points(grid), found);
    free_operators(grid->n, ops);
    phx_free(found);
    return status;
}

phx_status phx_polynomial_errors(phx_context *context, const phx_fit_grid *grid, const phx_fit_data *data,
                                 const int *degrees, double *at_points, double *held_out)
{
    phx_status status = find_error(context, grid, data, degrees, -1, at_points);

    *held_out = 0.0;
    for (int k = 0; k < grid->n && !status; k++) {
        double error = NAN;
        if (grid->counts[k] > 2 && degrees[k] <= grid->counts[k] - 2)
            status = find_error(context, grid, data, degrees, k, &error);
        *held_out = isnan(error) || isnan(*held_out) ? NAN : fmax(*held_out, error);
    }
    return status;
}

/* Value of a matrix polynomial at the scaled parameters delta; the coefficients have the last parameter's power running
 * fastest. */
void phx_polynomial_at(int n, const int *degrees, size_t cells, const double *coefficients, const double *delta,
                       double *value)
{
    const size_t terms = phx_polynomial_terms(n, degrees);
    memset(value, 0, cells * sizeof *value);
    for (size_t t = 0; t < terms; t++) {
        size_t left = t;
        double power = 1.0;
        for (int k = n - 1; k >= 0; k--) {
            const int i = (int)(left % (size_t)(degrees[k] + 1));
            left /= (size_t)(degrees[k] + 1);
            for (int j = 0; j < i; j++)
                power *= delta[k];
        }
        for (size_t c = 0; c < cells; c++)
            value[c] += power * coefficients[t * cells + c];
    }
}
