/* Mass and stiffness matrices are symmetric and positive semidefinite; their files store one triangle, or both with the
 * round-off of their program. */
#include "imported.h"

#include <math.h>

/* Differences between the triangles that count as round-off: of sqrt(r_i r_j), r the largest entries of row and column,
 * and one unit in the last printed digit of the entry. */
static const double round_off = 1e-10;
/* a_ij^2 <= a_ii a_jj (1 + minor_tolerance) but for round-off: the printed digits of single precision. */
static const double minor_tolerance = 1e-5;

/* ---- entries ---- */
static phx_status refuse_repeated(const phx_import *import, const import_matrix *m, const phx_csr *a)
{
    const size_t entries = (size_t)a->ptr[a->rows];
    char *seen = phx_calloc(import->context, entries, 1);
    phx_status status = seen ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t k = 0; k < m->count && !status; k++) {
        const int place = phx_csr_find(a, m->row[k], m->col[k]);
        if (seen[place])
            status = phx_fail(import->context, PHX_ERR_INPUT,
                              "%s: the entry of %s and %s stands there twice; each entry is written once", m->path,
                              import_place_of(import, m->row[k]).text, import_place_of(import, m->col[k]).text);
        seen[place] = 1;
    }
    phx_free(seen);
    return status;
}

/* Compressed rows of the entries read, which are freed; repeated entries are added if the format says so, otherwise an
 * error. */
static phx_status symmetry_gather(phx_import *import, import_matrix *m, int n, phx_csr *a)
{
    phx_status status = phx_csr_from_triplets(import->context, n, n, m->count, m->row, m->col, m->value, a);
    if (!status && !m->sums && (size_t)a->ptr[n] < m->count)
        status = refuse_repeated(import, m, a);
    for (int k = 0; !status && k < a->ptr[n]; k++)
        if (!isfinite(a->val[k]))
            status = phx_fail(import->context, PHX_ERR_INPUT, "%s: the sum of repeated entries is not finite", m->path);
    phx_free(m->row);
    phx_free(m->col);
    phx_free(m->value);
    m->row = m->col = NULL;
    m->value = NULL;
    return status;
}

/* ---- the two triangles ---- */
/* The same place in both triangles, row <= col. */
typedef struct symmetric_pair {
    int row, col;
    bool has[2]; /* entries (row, col) and (col, row) */
    double value[2];
} symmetric_pair;

typedef void pair_fn(void *user, const symmetric_pair *pair);

/* All places of the upper triangle that A or A^T has. */
static void each_pair(const phx_csr *a, const phx_csr *transpose, pair_fn *visit, void *user)
{
    for (int i = 0; i < a->rows; i++) {
        int k = a->ptr[i], l = transpose->ptr[i];
        while (k < a->ptr[i + 1] || l < transpose->ptr[i + 1]) {
            const int col = k < a->ptr[i + 1] ? a->idx[k] : a->cols;
            const int other = l < transpose->ptr[i + 1] ? transpose->idx[l] : a->cols;
            symmetric_pair pair = {.row = i, .col = col < other ? col : other};
            pair.has[0] = col == pair.col;
            pair.has[1] = other == pair.col;
            if (pair.has[0])
                pair.value[0] = a->val[k++];
            if (pair.has[1])
                pair.value[1] = transpose->val[l++];
            if (pair.col >= i)
                visit(user, &pair);
        }
    }
}

typedef struct triangle_count {
    long both, one; /* places off the diagonal */
} triangle_count;

static void count_triangles(void *user, const symmetric_pair *pair)
{
    triangle_count *count = user;
    if (pair->row == pair->col)
        return;
    if (pair->has[0] && pair->has[1])
        count->both++;
    else
        count->one += pair->value[0] != 0.0 || pair->value[1] != 0.0;
}

typedef struct symmetry_check {
    const double *largest; /* of each row and column */
    double last_digit;     /* two units of it, relative */
    double relative;       /* largest difference over sqrt(r_i r_j) */
    double excess;         /* the same in tolerances, of what is refused */
    long count;            /* of places that differ by more than that */
    symmetric_pair worst;
} symmetry_check;

/* Compares a pair of entries (i, j) and (j, i) within round-off and the digits of the file, and keeps the worst
 * pair. */
static void check_pair(void *user, const symmetric_pair *pair)
{
    symmetry_check *check = user;
    const double *v = pair->value;
    const double size = fmax(fabs(v[0]), fabs(v[1]));
    const double scale = sqrt(check->largest[pair->row]) * sqrt(check->largest[pair->col]);
    const double tolerance = round_off * scale + check->last_digit * size;
    const double difference = fabs(v[0] - v[1]);
    if (difference > check->relative * scale)
        check->relative = difference / scale;
    if (difference <= tolerance)
        return;
    check->count++;
    if (difference / tolerance > check->excess) {
        check->excess = difference / tolerance;
        check->worst = *pair;
    }
}

/* Fewer than five digits are no rounding: somebody wrote the numbers as they are. */
double import_rounding(const import_matrix *matrix)
{
    return matrix->digits < 5 ? 0.0 : 0.5 * pow(10.0, 1 - matrix->digits);
}

static phx_status refuse_asymmetry(const phx_import *import, const import_matrix *m, const symmetry_check *check,
                                   bool one_triangle)
{
    const symmetric_pair *worst = &check->worst;
    return phx_fail(import->context, PHX_ERR_INPUT,
                    "%s: the matrix is not symmetric: the entries of %s with %s and the other way round are %.10g and "
                    "%.10g, %ld such pair%s. %s",
                    m->path, import_place_of(import, worst->row).text, import_place_of(import, worst->col).text,
                    worst->value[0], worst->value[1], check->count, check->count == 1 ? "" : "s",
                    one_triangle ? "Only one triangle is there: say that the matrix is symmetric in its file"
                                 : "Follower loads, friction, gyroscopic terms and damping must not be in it");
}

static phx_status check_symmetry(const phx_import *import, import_role role, const phx_csr *a, const phx_csr *transpose,
                                 const double *largest, bool one_triangle)
{
    const import_matrix *m = &import->matrix[role];
    symmetry_check check = {.largest = largest, .last_digit = 4.0 * import_rounding(m)};
    each_pair(a, transpose, check_pair, &check);
    if (check.count > 0)
        return refuse_asymmetry(import, m, &check, one_triangle);
    phx_log(import->context, PHX_LOG_INFO,
            "%s: %s matrix, both triangles; they differ by %.1e of the largest entries of row and column at most",
            m->path, import_role_names[role], check.relative);
    return PHX_OK;
}

/* The largest entry of each row and column. */
static void find_largest(const phx_csr *a, double *largest)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const double size = fabs(a->val[k]);
            largest[i] = fmax(largest[i], size);
            largest[a->idx[k]] = fmax(largest[a->idx[k]], size);
        }
}

/* ---- semidefinite ---- */
static phx_status refuse_minor(const phx_import *import, import_role role, int i, int j, double entry,
                               const double *diagonal)
{
    return phx_fail(import->context, PHX_ERR_INPUT,
                    "%s: the matrix is not positive semidefinite: %s and %s have %g between them, and %g and %g on the "
                    "diagonal (Lagrange multipliers and loads that soften must not be in it)",
                    import->matrix[role].path, import_place_of(import, i).text, import_place_of(import, j).text, entry,
                    diagonal[i], diagonal[j]);
}

/* a_ii >= 0 and a_ij^2 <= a_ii a_jj, to rounding. */
static phx_status check_minors(const phx_import *import, import_role role, const phx_csr *a, const double *largest)
{
    double *diagonal = phx_calloc(import->context, (size_t)a->rows, sizeof *diagonal);
    phx_status status = diagonal ? PHX_OK : PHX_ERR_MEMORY;
    for (int i = 0; i < a->rows && !status; i++) {
        const int at = phx_csr_find(a, i, i);
        diagonal[i] = at >= 0 ? a->val[at] : 0.0;
        if (diagonal[i] < -round_off * largest[i])
            status = phx_fail(import->context, PHX_ERR_INPUT,
                              "%s: %s has the %s %g on the diagonal; it must not be "
                              "negative",
                              import->matrix[role].path, import_place_of(import, i).text, import_role_names[role],
                              diagonal[i]);
    }
    for (int i = 0; i < a->rows && !status; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1] && !status; k++) {
            const int j = a->idx[k];
            const double bound = sqrt(fmax(diagonal[i], 0.0)) * sqrt(fmax(diagonal[j], 0.0));
            const double rounding = round_off * sqrt(largest[i]) * sqrt(largest[j]);
            if (fabs(a->val[k]) > (1.0 + minor_tolerance) * bound + rounding)
                status = refuse_minor(import, role, i, j, a->val[k], diagonal);
        }
    phx_free(diagonal);
    return status;
}

/* ---- both together ---- */
/* One triangle: A + A^T with the diagonal once. Both: (A + A^T)/2. */
static phx_status unite(phx_import *import, const phx_csr *a, const phx_csr *transpose, bool mirror, phx_csr *full)
{
    const double weight = mirror ? 1.0 : 0.5;
    const phx_status status = phx_csr_add(import->context, weight, a, weight, transpose, full);
    for (int i = 0; i < full->rows && mirror; i++) {
        const int k = phx_csr_find(full, i, i);
        if (k >= 0)
            full->val[k] *= 0.5;
    }
    return status;
}

/* Symmetric matrix of n rows from the entries of a file: one triangle is mirrored, both are compared and averaged.
 * Fails if it is not symmetric or a 2 x 2 minor is negative. */
phx_status import_symmetric(phx_import *import, import_role role, int n, phx_csr *matrix)
{
    import_matrix *m = &import->matrix[role];
    phx_csr a = {0}, transpose = {0};
    triangle_count count = {0};
    *matrix = (phx_csr){0};
    double *largest = phx_calloc(import->context, (size_t)n, sizeof *largest);
    phx_status status = largest ? symmetry_gather(import, m, n, &a) : PHX_ERR_MEMORY;
    if (!status)
        status = phx_csr_transpose(import->context, &a, &transpose);
    if (!status) {
        each_pair(&a, &transpose, count_triangles, &count);
        find_largest(&a, largest);
    }
    const bool mirror = !m->whole && count.both == 0;
    if (!status && !mirror)
        status = check_symmetry(import, role, &a, &transpose, largest, count.both == 0);
    if (!status)
        status = unite(import, &a, &transpose, mirror, matrix);
    phx_csr_free(&a);
    phx_csr_free(&transpose);
    if (!status)
        status = check_minors(import, role, matrix, largest);
    phx_free(largest);
    if (status)
        phx_csr_free(matrix);
    return status;
}

/* Makes a dense modal matrix exactly symmetric; fails if it is not so to round-off or has a negative diagonal entry. */
phx_status import_symmetric_dense(phx_import *import, const char *what, int n, double *a)
{
    const size_t size = (size_t)n;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            double *lower = &a[i * size + j], *upper = &a[j * size + i];
            const double scale = sqrt(fabs(a[i * size + i])) * sqrt(fabs(a[j * size + j]));
            if (a[i * size + i] < 0.0)
                return phx_fail(import->context, PHX_ERR_INPUT, "%s: the %s of mode %zu is %g; it must not be negative",
                                import->matrix[IMPORT_MASS].path, what, i + 1, a[i * size + i]);
            if (fabs(*lower - *upper) >
                round_off * scale + 4.0 * import_rounding(&import->matrix[IMPORT_MASS]) * fabs(*lower))
                return phx_fail(import->context, PHX_ERR_INPUT,
                                "%s: the %s is not symmetric: %.10g of modes %zu and %zu, %.10g the other way round",
                                import->matrix[IMPORT_MASS].path, what, *lower, i + 1, j + 1, *upper);
            *lower = *upper = 0.5 * (*lower + *upper);
        }
    return PHX_OK;
}
