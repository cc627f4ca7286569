/* Scales: equations whose unknowns have units of their own, solved with a rank decision that does not see the units. */
#include <math.h>
#include <string.h>

#include "ss.h"

enum { ROUNDS = 12 };
static const double dependence = 1e-12; /* pivots below this, of entries scaled to 1, are rounding */

/* Largest |entry| of row i (or column) in the scales given. */
static double ss_scale_largest(int count, const double *a, int stride, double own, const double *scale)
{
    double top = 0.0;

    for (int k = 0; k < count; k++)
        top = fmax(top, fabs(a[(size_t)k * (size_t)stride]) * scale[k]);
    return top * own;
}

static double root_scale(double value)
{
    return value > 0.0 ? exp2(-rint(0.5 * log2(value))) : 1.0;
}

void phx_ss_equilibrate(int rows, int cols, const double *a, double *row, double *col)
{
    for (int i = 0; i < rows; i++)
        row[i] = 1.0;
    for (int j = 0; j < cols; j++)
        col[j] = 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < rows; i++)
            row[i] *= root_scale(ss_scale_largest(cols, a + (size_t)i * (size_t)cols, 1, row[i], col));
        for (int j = 0; j < cols; j++)
            col[j] *= root_scale(ss_scale_largest(rows, a + j, cols, col[j], row));
    }
}

static void swap_entries(int *list, int i, int j)
{
    const int entry = list[i];

    list[i] = list[j];
    list[j] = entry;
}

/* Gauss elimination with complete pivoting; false when no pivot is left, with a row and a column that have none.
 * `rows`, `cols`: room for n. */
static bool independent(int n, double *a, int *rows, int *cols, int dependent[2])
{
    for (int i = 0; i < n; i++)
        rows[i] = cols[i] = i;
    for (int k = 0; k < n; k++) {
        int p = k, q = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i * n + j]) > fabs(a[p * n + q])) {
                    p = i;
                    q = j;
                }
        if (!(fabs(a[p * n + q]) > dependence)) {
            dependent[0] = rows[k];
            dependent[1] = cols[k];
            return false;
        }
        for (int j = 0; j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        for (int i = 0; i < n; i++) {
            const double swap = a[i * n + k];
            a[i * n + k] = a[i * n + q];
            a[i * n + q] = swap;
        }
        swap_entries(rows, k, p);
        swap_entries(cols, k, q);
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return true;
}

/* x = col (row a col)^-1 row b */
phx_status phx_ss_solve(phx_context *context, int n, const double *a, const double *row, const double *col, int nrhs,
                        double *b, int dependent[2])
{
    const size_t size = (size_t)n * (size_t)n;
    double *scaled = phx_calloc(context, 2 * size, sizeof *scaled);
    int *rows = phx_calloc(context, 2 * (size_t)n, sizeof *rows);
    phx_status status = scaled && rows ? PHX_OK : PHX_ERR_MEMORY;

    dependent[0] = dependent[1] = -1;
    if (!status && n > 0) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                scaled[i * n + j] = row[i] * a[i * n + j] * col[j];
        memcpy(scaled + size, scaled, size * sizeof *scaled);
        if (!independent(n, scaled + size, rows, rows + n, dependent))
            status = PHX_SINGULAR;
    }
    if (!status && n > 0 && nrhs > 0) {
        for (size_t k = 0; k < (size_t)n * (size_t)nrhs; k++)
            b[k] *= row[k / (size_t)nrhs];
        status = phx_dense_solve(context, n, scaled, nrhs, b);
        for (size_t k = 0; !status && k < (size_t)n * (size_t)nrhs; k++)
            b[k] *= col[k / (size_t)nrhs];
    }
    phx_free(scaled);
    phx_free(rows);
    return status;
}

/* Sums of |row k| and |column k| of the scaled system, the diagonal left out. */
static void sums(const phx_ss *s, bool all, const double *scale, int k, double *row, double *col)
{
    const int n = s->n;

    *row = *col = 0.0;
    for (int j = 0; j < n; j++) {
        if (j == k)
            continue;
        *row += fabs(s->A[k * n + j]) * scale[j] / scale[k];
        *col += fabs(s->A[j * n + k]) * scale[k] / scale[j];
    }
    for (int j = 0; all && j < s->n_inputs; j++)
        *row += fabs(s->B[k * s->n_inputs + j]) / scale[k];
    for (int i = 0; all && i < s->n_outputs; i++)
        *col += fabs(s->C[i * n + k]) * scale[k];
}

/* Finds powers of two as scales of the states that balance rows and columns of A, and with `all` of B and C too. */
void phx_ss_balance(const phx_ss *system, bool all, double *scale)
{
    bool changed = true;

    for (int k = 0; k < system->n; k++)
        scale[k] = 1.0;
    for (int round = 0; round < 8 * ROUNDS && changed; round++) {
        changed = false;
        for (int k = 0; k < system->n; k++) {
            double row, col;
            sums(system, all, scale, k, &row, &col);
            if (!(row > 0.0) || !(col > 0.0))
                continue;
            const double factor = exp2(rint(0.5 * log2(row / col)));
            if (row / factor + col * factor < 0.95 * (row + col)) {
                scale[k] *= factor;
                changed = true;
            }
        }
    }
}
