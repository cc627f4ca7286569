/* Bases of an elastic body: which shapes, made orthonormal; and how well they hold it. */
#include "basis.h"

#include <math.h>
#include <string.h>

enum {
    ALL_MOST = 3000, /* unknowns of a body in all its unknowns */
    COMPARED = 2     /* frequencies by which bases are judged */
};

void shapes_free(shapes *fields)
{
    phx_free(fields->y);
    phx_free(fields->omega);
    phx_free(fields->own);
    phx_free(fields->own_M);
    phx_free(fields->own_K);
    memset(fields, 0, sizeof *fields);
}

/* Room for so many more. */
static phx_status basis_grow(phx_context *context, int more, shapes *fields)
{
    double *y = phx_calloc(context, (size_t)(fields->count + more) * (size_t)fields->n + 1, sizeof *y);

    if (!y)
        return PHX_ERR_MEMORY;
    if (fields->count > 0)
        memcpy(y, fields->y, (size_t)fields->count * (size_t)fields->n * sizeof *y);
    phx_free(fields->y);
    fields->y = y;
    return PHX_OK;
}

static double *next(shapes *fields)
{
    return fields->y + (size_t)fields->count++ * (size_t)fields->n;
}

static bool is_joined(const phx_continuum_def *def, int i)
{
    return !def->joined || def->joined[i];
}

/* ---- families of shapes ---- */
/* 1 at the coordinates of interface i. */
static void hold_interface(const elastic_space *space, int i, unsigned char *held)
{
    for (int c = 0; c < space->ties[i]; c++)
        held[space->tie[i] + c] = 1;
}

void basis_hold(const phx_continuum_def *def, const elastic_space *space, unsigned char *held)
{
    for (int i = 0; i < space->n_interfaces; i++)
        if (def->basis == PHX_BASIS_CRAIG_BAMPTON || (def->basis == PHX_BASIS_HELD && i == def->hold))
            hold_interface(space, i, held);
}

/* The lowest modes with these coordinates held: *count of them, of which `modes` are to stay. A pair of one
 * frequency (a square bar bends alike in two planes) stays together: one of them alone would be any combination of
 * both, another one for each processor. */
static phx_status add_modes(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                            flexibility *with, int *count, shapes *basis)
{
    static const double ONE_FREQUENCY = 1e-6; /* relative difference of two frequencies that count as one */
    const int most = flexibility_most_modes(with);

    *count = def->modes;
    if (def->basis == PHX_BASIS_CRAIG_BAMPTON && def->modes > 0 && def->among > def->modes)
        *count = def->among < most ? def->among : most;
    const int found = *count > 0 && *count < most ? *count + 1 : *count;
    double *omega = phx_calloc(context, (size_t)found + 1, sizeof *omega);
    phx_status status = omega ? basis_grow(context, found, basis) : PHX_ERR_MEMORY;

    if (!status && def->modes > most)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "'%s': modes is %d, the body has %d at most", def->name,
                          def->modes, most);
    if (!status && found > 0)
        status = flexibility_modes(with, found, omega, basis->y + (size_t)basis->count * (size_t)space->n);
    if (!status && found > *count && omega[found - 1] < (1.0 + ONE_FREQUENCY) * omega[found - 2])
        *count = found;
    if (!status)
        basis->count += *count;
    phx_free(omega);
    return status;
}

/* Displacements of the body under a unit force or moment at each joined interface. */
static phx_status add_statics(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                              flexibility *with, shapes *basis)
{
    phx_status status = basis_grow(context, 6 * space->n_interfaces, basis);

    for (int i = 0; i < space->n_interfaces && !status; i++) {
        if (def->basis == PHX_BASIS_CRAIG_BAMPTON && space->ties[i] > 0)
            continue; /* its unit motions are in the basis */
        for (int c = 0; c < 6 && is_joined(def, i) && !status; c++) {
            const phx_csr *rows = &space->rows[i];
            double *f;
            if (!space->moves[6 * i + c])
                continue;
            f = next(basis);
            for (int e = rows->ptr[c]; e < rows->ptr[c + 1]; e++)
                f[rows->idx[e]] += rows->val[e];
            status = flexibility_apply(with, f, f);
        }
    }
    return status;
}

/* Displacements of the body under the loads of the definition. */
static phx_status add_loads(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                            flexibility *with, shapes *basis)
{
    phx_status status = basis_grow(context, def->n_loads, basis);

    for (int k = 0; k < def->n_loads && !status; k++) {
        double *f = next(basis);
        status = elastic_space_load(context, space, def->loads + (size_t)k * (size_t)space->model->n, f);
        if (!status)
            status = flexibility_apply(with, f, f);
    }
    return status;
}

/* Unit motions of the rigid interfaces, the others of them held: y = e_b - A K e_b. */
static phx_status add_constraint_modes(phx_context *context, const elastic_space *space, flexibility *with,
                                       shapes *basis)
{
    const size_t n = (size_t)space->n;
    double *f = phx_calloc(context, 2 * n + 1, sizeof *f), *unit = f ? f + n : NULL;
    phx_status status = f ? basis_grow(context, 6 * space->n_interfaces, basis) : PHX_ERR_MEMORY;

    for (int i = 0; i < space->n_interfaces && !status; i++)
        for (int c = 0; c < space->ties[i] && !status; c++) {
            const int b = space->tie[i] + c, own = b - space->first;
            const bool here = own >= 0 && own < space->n;
            double *y;
            if (space->empty[b])
                continue;
            y = next(basis);
            if (here)
                unit[own] = -1.0;
            status = elastic_space_stiffness(space, 1, unit, f);
            if (here)
                unit[own] = 0.0;
            if (!status)
                status = flexibility_apply(with, f, y);
            if (here)
                y[own] = 1.0;
        }
    phx_free(f);
    return status;
}

static phx_status basis_add_all(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                shapes *basis)
{
    if (space->n > ALL_MOST)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "'%s': it has %d unknowns; a body in all of them may have %d: take modes", def->name, space->n,
                        ALL_MOST);
    phx_status status = basis_grow(context, space->n, basis);
    for (int j = 0; j < space->n && !status; j++)
        if (!space->empty[j])
            next(basis)[j] = 1.0;
    return status;
}

/* ---- orthonormal ---- */
/* *rows <- V *rows, V count x before, rows of n numbers. */
static phx_status combine_rows(phx_context *context, int count, int before, const double *V, int n, double **rows)
{
    double *made = phx_calloc(context, (size_t)count * (size_t)n + 1, sizeof *made);

    if (!made)
        return PHX_ERR_MEMORY;
    phx_dense_multiply(false, false, count, n, before, 1.0, V, before, *rows, n, 0.0, made, n);
    phx_free(*rows);
    *rows = made;
    return PHX_OK;
}

/* Y <- V Y: combinations, `count` of them, V count x basis->count. */
static phx_status basis_combine(phx_context *context, int count, const double *V, shapes *basis)
{
    phx_status status = combine_rows(context, count, basis->count, V, basis->n, &basis->y);

    if (!status && basis->own)
        status = combine_rows(context, count, basis->count, V, basis->n_own, &basis->own);
    if (!status)
        basis->count = count;
    return status;
}

typedef phx_status product_fn(const elastic_space *space, int rows, const double *x, double *y);

/* Y A Y^T, symmetric. `modal`: A of the shapes' own modes, where they have such. */
static phx_status gram(phx_context *context, const elastic_space *space, product_fn *multiply, const double *modal,
                       const shapes *basis, double *out)
{
    if (modal)
        return basis_own_gram(context, basis, modal, out);

    const size_t n = (size_t)basis->n, m = (size_t)basis->count;
    double *product = phx_calloc(context, n * m + 1, sizeof *product);
    phx_status status = product ? multiply(space, basis->count, basis->y, product) : PHX_ERR_MEMORY;

    if (status) {
        phx_free(product);
        return status;
    }
    phx_dense_multiply(false, true, basis->count, basis->count, basis->n, 1.0, basis->y, basis->n, product, basis->n,
                       0.0, out, basis->count);
    elastic_space_sum(space, m * m, out);
    phx_dense_symmetrise(basis->count, 1.0, out);
    phx_free(product);
    return PHX_OK;
}

/* Processors of several kinds may find other vectors for the same numbers: those of rank 0 count. */
static void share_pairs(const elastic_space *space, size_t m, double *values, double *V)
{
    phx_ranks_share(space->part.ranks, 0, m * sizeof *values, values);
    phx_ranks_share(space->part.ranks, 0, m * m * sizeof *V, V);
}

/* ---- shapes without mass ---- */
/* 6 x m: motion of interface i by the shapes. */
static void motion_of(const elastic_space *space, int i, const shapes *basis, double *out)
{
    for (int k = 0; k < basis->count; k++) {
        double motion[6];
        elastic_space_motion(space, i, basis->y + (size_t)k * (size_t)basis->n, motion);
        for (int c = 0; c < 6; c++)
            out[(size_t)c * (size_t)basis->count + (size_t)k] = motion[c];
    }
}

/* An interface can move without mass: a straight edge of a Kirchhoff plate that turns about itself, a node that a mass
 * matrix leaves out. Such a motion is statics alone, K^-1 of the force there, but whoever holds it changes the others:
 * so it stays among the shapes, with a small mass of its own, that of a frequency far above the others. */
typedef struct massless_shapes {
    int n, rows; /* shapes without mass, orthonormal in K; motions of the joined interfaces */
    double *R;   /* rows x n, over the static flexibility there */
} massless_shapes;

/* omega^2 of what is massless by that of the others: large enough not to be seen, not more than that. */
static double massless_frequency(const shapes *basis, int count)
{
    return count > 0 ? fmax(1e4 * basis->omega[0], 10.0 * basis->omega[count - 1]) : 0.0;
}

/* Motions of the joined interfaces by all m shapes V Y, orthonormal in K, of which those without mass stand first; each
 * over the root of the flexibility, the displacements and the rotations of an interface together. */
static phx_status massless_motions(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                   const shapes *basis, int m, const double *V, massless_shapes *massless)
{
    const size_t all = (size_t)m;
    double *own = phx_calloc(context, 6 * all + 1, sizeof *own),
           *motion = phx_calloc(context, 6 * all + 1, sizeof *own);

    massless->R = phx_calloc(context, 6 * (size_t)space->n_interfaces * (size_t)massless->n + 1, sizeof *massless->R);
    for (int i = 0; own && motion && massless->R && i < space->n_interfaces; i++) {
        if (!is_joined(def, i))
            continue;
        motion_of(space, i, basis, own);
        phx_dense_multiply(false, false, 6, m, m, 1.0, own, m, V, m, 0.0, motion, m);
        for (int c = 0; c < 6; c++) {
            double total = 0.0;
            for (size_t k = 0; k < 3 * all; k++)
                total += motion[(size_t)(c / 3) * 3 * all + k] * motion[(size_t)(c / 3) * 3 * all + k];
            for (int k = 0; k < massless->n && total > 0.0; k++)
                massless->R[(size_t)massless->rows * (size_t)massless->n + (size_t)k] =
                    motion[(size_t)c * all + (size_t)k] / sqrt(total);
            massless->rows++;
        }
    }
    const bool made = own && motion && massless->R;
    phx_free(own);
    phx_free(motion);
    return made ? PHX_OK : PHX_ERR_MEMORY;
}

/* Appends to the rows U (of m numbers, by the shapes of the basis) after `count` of them what of the shapes without
 * mass moves the joined interfaces: R^T v of the eigenvectors v of R R^T, of unit energy; times omega. Their number. */
static phx_status add_massless(phx_context *context, const massless_shapes *massless, size_t m, const double *V,
                               double omega, int count, double *U, int *added)
{
    static const double least = 1e-9; /* of the static flexibility */
    const size_t rows = (size_t)massless->rows, n = (size_t)massless->n;
    double *A = phx_calloc(context, rows * rows + 1, sizeof *A), *vectors = phx_calloc(context, rows * rows + 1, 8);
    double *values = phx_calloc(context, rows + 1, sizeof *values);
    phx_status status = A && vectors && values ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_dense_multiply(false, true, massless->rows, massless->rows, massless->n, 1.0, massless->R, massless->n,
                           massless->R, massless->n, 0.0, A, massless->rows);
        status = phx_dense_eigen_symmetric(context, massless->rows, A, NULL, values, vectors);
    }
    for (size_t r = 0; r < rows && !status; r++) {
        if (!(values[r] > least))
            continue;
        double *row = U + (size_t)(count + (*added)++) * m;
        memset(row, 0, m * sizeof *row);
        for (size_t k = 0; k < n; k++) {
            double part = 0.0;
            for (size_t i = 0; i < rows; i++)
                part += massless->R[i * n + k] * vectors[i * rows + r];
            for (size_t i = 0; i < m; i++)
                row[i] += omega * part / sqrt(values[r]) * V[i * m + k];
        }
    }
    phx_free(A);
    phx_free(vectors);
    phx_free(values);
    return status;
}

/* Of `kept` shapes, orthonormal in K, with the modes V of the mass, those without mass first: what is kept of these. */
static phx_status keep_massless(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                int kept, int count, const double *V, double *U, shapes *basis)
{
    const double omega = massless_frequency(basis, count);
    massless_shapes without = {.n = kept - count};
    phx_status status = massless_motions(context, def, space, basis, kept, V, &without);

    if (!status && without.rows > 0 && count > 0)
        status = add_massless(context, &without, (size_t)kept, V, omega, count, U, &basis->n_massless);
    for (int k = 0; k < basis->n_massless && !status; k++)
        basis->omega[count + k] = omega;
    phx_free(without.R);
    return status;
}

/* First orthonormal in K, where dependent shapes show, K <- I; then the modes of M in them, whose eigenvalues
 * 1 / omega^2 are largest, and best known, for the lowest frequencies. */
static phx_status basis_orthonormalise(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                       shapes *basis)
{
    static const double DEPENDENT = 1e-12; /* energy of a combination, relative to the largest */
    static const double NO_MASS = 1e-14;   /* 1/omega^2, relative to the largest */
    const size_t m = (size_t)basis->count;
    double *A = phx_calloc(context, m * m + 1, sizeof *A), *V = phx_calloc(context, m * m + 1, sizeof *V);
    double *U = phx_calloc(context, m * m + 1, sizeof *U), *values = phx_calloc(context, m + 1, sizeof *values);
    phx_status status =
        A && V && U && values ? gram(context, space, elastic_space_stiffness, basis->own_K, basis, A) : PHX_ERR_MEMORY;
    int kept = 0;

    basis->n_massless = 0;
    for (size_t k = 0; k < m && !status; k++) { /* to one size */
        const double scale = A[k * m + k] > 0.0 ? 1.0 / sqrt(A[k * m + k]) : 0.0;
        for (size_t i = 0; i < (size_t)basis->n; i++)
            basis->y[k * (size_t)basis->n + i] *= scale;
        for (size_t i = 0; i < (size_t)basis->n_own; i++)
            basis->own[k * (size_t)basis->n_own + i] *= scale;
    }
    if (!status)
        status = gram(context, space, elastic_space_stiffness, basis->own_K, basis, A);
    if (!status)
        status = phx_dense_eigen_symmetric(context, basis->count, A, NULL, values, V);
    share_pairs(space, m, values, V);
    for (size_t k = 0; k < m && !status; k++) {
        if (!(values[k] > DEPENDENT * values[m - 1]))
            continue; /* it depends on the others */
        for (size_t i = 0; i < m; i++)
            U[(size_t)kept * m + i] = V[i * m + k] / sqrt(values[k]);
        kept++;
    }
    if (!status)
        status = basis_combine(context, kept, U, basis);
    if (!status)
        status = gram(context, space, elastic_space_mass, basis->own_M, basis, A);
    if (!status && kept > 0)
        status = phx_dense_eigen_symmetric(context, kept, A, NULL, values, V);
    share_pairs(space, (size_t)kept, values, V);
    phx_free(basis->omega);
    basis->omega = phx_calloc(context, (size_t)kept + 1, sizeof *basis->omega);
    if (!basis->omega)
        status = PHX_ERR_MEMORY;
    int count = 0;
    for (int k = kept - 1; k >= 0 && !status; k--) {
        if (!(values[k] > NO_MASS * values[kept - 1]))
            continue; /* no mass to speak of */
        basis->omega[count] = 1.0 / sqrt(values[k]);
        for (int i = 0; i < kept; i++)
            U[(size_t)count * (size_t)kept + (size_t)i] = V[(size_t)i * (size_t)kept + (size_t)k] * basis->omega[count];
        count++;
    }
    if (!status && count < kept && !basis->own)
        status = keep_massless(context, def, space, kept, count, V, U, basis);
    if (!status)
        status = basis_combine(context, count + basis->n_massless, U, basis);
    if (!status && count == 0)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "'%s': its basis has no shape; ask for modes", def->name);
    phx_free(A);
    phx_free(V);
    phx_free(U);
    phx_free(values);
    return status;
}

/* ---- the basis ---- */
static phx_status add_shapes(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                             shapes *basis)
{
    unsigned char *held = phx_calloc(context, (size_t)space->n_all + 1, sizeof *held);
    flexibility *with = NULL, *free_body = NULL;
    int modes = 0;
    phx_status status = held ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && def->basis == PHX_BASIS_ALL) {
        phx_free(held);
        return basis_add_all(context, def, space, basis);
    }
    if (!status && def->basis == PHX_BASIS_OWN) {
        phx_free(held);
        return basis_add_own(context, def, space, basis);
    }
    if (!status) {
        basis_hold(def, space, held);
        status = flexibility_create(context, space, held, &with);
    }
    if (!status)
        status = add_modes(context, def, space, with, &modes, basis);
    if (!status && def->n_loads > 0)
        status = add_loads(context, def, space, with, basis);
    const int before = basis->count;
    if (!status && def->basis == PHX_BASIS_CRAIG_BAMPTON)
        status = add_constraint_modes(context, space, with, basis);
    if (!status && def->basis == PHX_BASIS_CRAIG_BAMPTON)
        status = basis_choose_modes(context, space, 0, modes, def->among > def->modes ? def->modes : modes,
                                    basis->count - before, basis);
    if (!status && def->statics && def->basis != PHX_BASIS_FREE)
        status = flexibility_create(context, space, NULL, &free_body);
    if (!status && def->statics)
        status = add_statics(context, def, space, free_body ? free_body : with, basis);
    flexibility_destroy(with);
    flexibility_destroy(free_body);
    phx_free(held);
    return status;
}

/* Rigid motions taken out of the shapes. What is left of a rigid one, as the unit motions of an interface that is alone
 * are, is rounding: 0. */
static phx_status take_out_rigid(phx_context *context, const elastic_space *space, shapes *basis)
{
    static const double rounding = 1e-7;
    const size_t n = (size_t)space->n;
    double *product = phx_calloc(context, n + 1, sizeof *product);
    phx_status status = PHX_OK;

    if (!product)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < (size_t)basis->count && !status; k++) {
        double *y = basis->y + k * n, size[2] = {0.0, 0.0};
        for (int pass = 0; pass < 2; pass++) {
            if (pass == 1)
                elastic_space_remove_rigid(space, y);
            status = status ? status : elastic_space_mass(space, 1, y, product);
            for (size_t i = 0; i < n; i++)
                size[pass] += y[i] * product[i];
        }
        elastic_space_sum(space, 2, size);
        if (size[0] > 0.0 && size[1] <= rounding * rounding * size[0])
            memset(y, 0, n * sizeof *y);
    }
    phx_free(product);
    return status;
}

/* Refuses the cases that only one process can compute, or only with a factorisation. */
static phx_status refuse_alone(phx_context *context, const phx_continuum_def *def, const elastic_space *space)
{
    const phx_ranks *ranks = space->part.ranks;
    bool massless = false;

    for (int j = 0; j < space->model->n; j++)
        massless = massless || space->model->component[j] == PHX_UNKNOWN_OTHER;
    if (ranks && massless && phx_ranks_get_method(ranks) == PHX_RANKS_GAMG)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "'%s': it has unknowns without mass, slopes of a plate, which multigrid does not solve: take "
                        "the solver 'mumps'",
                        def->name);
    const char *what = def->stiffening               ? "stiffening"
                       : def->basis == PHX_BASIS_ALL ? "a basis of all unknowns"
                       : def->basis == PHX_BASIS_OWN ? "a basis of its own modes"
                                                     : NULL;
    if (!ranks || !what)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_UNSUPPORTED, "'%s': %s is made by one process: take the solver 'serial'",
                    def->name, what);
}

/* Creates the basis of the definition, K-orthogonal and diagonal in M; basis is empty after an error. */
phx_status basis_create(phx_context *context, const phx_continuum_def *def, const elastic_space *space, shapes *basis)
{
    memset(basis, 0, sizeof *basis);
    basis->n = space->n;
    if (space->model->modal_K && def->basis != PHX_BASIS_OWN)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "'%s': its stiffness is known for its own modes alone; take them as its basis, kind 'own'",
                        def->name);
    phx_status status = refuse_alone(context, def, space);
    if (!status)
        status = add_shapes(context, def, space, basis);
    if (!status)
        status = basis_diagonalise(context, def, space, basis);
    if (status)
        shapes_free(basis);
    return status;
}

phx_status basis_diagonalise(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                             shapes *basis)
{
    phx_status status = take_out_rigid(context, space, basis);

    if (!status)
        status = basis_orthonormalise(context, def, space, basis);
    for (int k = 0; k < basis->count && !status; k++) /* what rounding brought back */
        elastic_space_remove_rigid(space, basis->y + (size_t)k * (size_t)space->n);
    return status;
}

/* ---- quality ---- */
/* Static flexibility at an interface: exact, F = C A C^T, and of the basis, C Y diag(1/omega^2) Y^T C^T, which is
 * smaller. *lacks: the largest part that is missing, of displacements by forces and of rotations by moments, each over
 * the largest there: what is stiff need not be known as well as what is soft. */
static phx_status lacking_flexibility(phx_context *context, const elastic_space *space, flexibility *body, int i,
                                      const shapes *basis, double *lacks)
{
    const size_t n = (size_t)space->n, m = (size_t)basis->count;
    const phx_csr *rows = &space->rows[i];
    double *f = phx_calloc(context, n + 6 * m + 1, sizeof *f), *motion;
    phx_status status = f ? PHX_OK : PHX_ERR_MEMORY;

    double missing[2] = {0}, largest[2] = {0};
    *lacks = 0.0;
    motion = f ? f + n : NULL;
    if (!status)
        motion_of(space, i, basis, motion);
    for (int c = 0; c < 6 && !status; c++) {
        double exact[6], own = 0.0;
        if (!space->moves[6 * i + c])
            continue;
        memset(f, 0, n * sizeof *f);
        for (int e = rows->ptr[c]; e < rows->ptr[c + 1]; e++)
            f[rows->idx[e]] = rows->val[e];
        status = flexibility_apply(body, f, f);
        elastic_space_motion(space, i, f, exact);
        for (size_t k = 0; k < m; k++)
            own += motion[(size_t)c * m + k] * motion[(size_t)c * m + k] / (basis->omega[k] * basis->omega[k]);
        missing[c / 3] = fmax(missing[c / 3], exact[c] - own);
        largest[c / 3] = fmax(largest[c / 3], exact[c]);
    }
    for (int k = 0; k < 2; k++)
        if (largest[k] > 0.0)
            *lacks = fmax(*lacks, missing[k] / largest[k]);
    phx_free(f);
    return status;
}

/* Frequencies of the body in its shapes and rigid motions with the joined rigid interfaces held: omega ascending;
 * *count of them. */
static phx_status held_frequencies(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                   const shapes *basis, double **omega, int *count)
{
    static const double RANK = 1e-10; /* of rows of length 1 */
    const int m = basis->count + space->n_rigid;
    double *G = phx_calloc(context, 6 * (size_t)space->n_interfaces * (size_t)m + 1, sizeof *G), *null_space = NULL;
    double *A = NULL, *B = NULL;
    int rows = 0, rank = 0;
    phx_status status = G ? PHX_OK : PHX_ERR_MEMORY;
    const shapes rigid = {.n = space->n, .count = space->n_rigid, .y = space->rigid};

    *omega = NULL;
    *count = 0;
    for (int i = 0; i < space->n_interfaces && !status; i++) {
        if (!is_joined(def, i) || space->tie[i] < 0)
            continue;
        double *elastic = phx_calloc(context, 6 * (size_t)m + 1, sizeof *elastic), *stiff;
        if (!elastic) {
            status = PHX_ERR_MEMORY;
            break;
        }
        stiff = elastic + 6 * (size_t)basis->count;
        motion_of(space, i, basis, elastic);
        motion_of(space, i, &rigid, stiff);
        for (int c = 0; c < 6; c++) {
            double *row = G + (size_t)(rows + c) * (size_t)m, size = 0.0;
            for (int k = 0; k < m; k++) {
                row[k] =
                    k < basis->count ? elastic[c * basis->count + k] : stiff[c * space->n_rigid + k - basis->count];
                size = fmax(size, fabs(row[k]));
            }
            for (int k = 0; k < m && size > 0.0; k++)
                row[k] /= size;
        }
        rows += 6;
        phx_free(elastic);
    }
    if (!status && rows > 0)
        status = phx_dense_nullspace(context, rows, m, G, RANK, &rank, &null_space);
    const int f = m - rank;
    if (!status && rows > 0 && f > 0) { /* null_space: m x f */
        A = phx_calloc(context, (size_t)f * (size_t)f, sizeof *A);
        B = phx_calloc(context, (size_t)f * (size_t)f, sizeof *B);
        *omega = phx_calloc(context, (size_t)f, sizeof **omega);
        status = A && B && *omega ? PHX_OK : PHX_ERR_MEMORY;
        for (int i = 0; i < f && !status; i++)
            for (int j = 0; j < f; j++)
                for (int k = 0; k < m; k++) {
                    const double product =
                        null_space[(size_t)k * (size_t)f + (size_t)i] * null_space[(size_t)k * (size_t)f + (size_t)j];
                    B[i * f + j] += product;
                    A[i * f + j] += k < basis->count ? product * basis->omega[k] * basis->omega[k] : 0.0;
                }
        if (!status)
            status = phx_dense_eigen_symmetric(context, f, A, B, *omega, NULL);
        for (int k = 0; k < f && !status; k++)
            (*omega)[k] = sqrt(fmax((*omega)[k], 0.0));
        *count = status ? 0 : f;
    }
    phx_free(A);
    phx_free(B);
    phx_free(G);
    phx_free(null_space);
    return status;
}

/* The first frequencies with the joined rigid interfaces held, in the basis and of the body. */
static phx_status compare_frequencies(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                      const shapes *basis, double *error)
{
    double exact[COMPARED], *own = NULL;
    double *shape = phx_calloc(context, COMPARED * (size_t)space->n + 1, sizeof *shape);
    unsigned char *held = phx_calloc(context, (size_t)space->n_all + 1, sizeof *held);
    flexibility *with = NULL;
    int count = 0, compared = COMPARED, ties = 0;
    phx_status status = shape && held ? PHX_OK : PHX_ERR_MEMORY;

    *error = 0.0;
    for (int i = 0; i < space->n_interfaces && !status; i++)
        if (is_joined(def, i) && space->tie[i] >= 0) {
            hold_interface(space, i, held);
            ties++;
        }
    if (!status && ties > 0)
        status = flexibility_create(context, space, held, &with);
    if (with && !status) {
        if (compared > flexibility_most_modes(with))
            compared = flexibility_most_modes(with);
        if (compared > 0)
            status = flexibility_modes(with, compared, exact, shape);
        if (!status)
            status = held_frequencies(context, def, space, basis, &own, &count);
        if (!status && count == 0)
            *error = HUGE_VAL; /* nothing is left that could move */
        for (int k = 0; k < compared && k < count && !status; k++)
            *error = fmax(*error, fabs(own[k] - exact[k]) / exact[k]);
    }
    flexibility_destroy(with);
    phx_free(own);
    phx_free(shape);
    phx_free(held);
    return status;
}

/* Measures how well the basis holds the body: largest error of low frequencies and of the flexibility at joined
 * interfaces. -1 or zero where nothing is compared. */
phx_status basis_quality(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                         const phx_interface *interfaces, const shapes *basis, phx_basis_quality *quality)
{
    flexibility *body = NULL;
    phx_status status;
    bool joined = false;

    memset(quality, 0, sizeof *quality);
    quality->effective = basis->effective;
    if (def->basis == PHX_BASIS_CRAIG_BAMPTON && def->among > def->modes)
        quality->frequency = -1.0; /* low modes are left out on purpose */
    if (def->basis == PHX_BASIS_ALL || (def->basis == PHX_BASIS_CRAIG_BAMPTON && def->modes >= COMPARED) ||
        space->model->modal_K)
        return PHX_OK; /* it has what is compared, or nothing is known to compare with */
    status = quality->frequency < 0.0 ? PHX_OK : compare_frequencies(context, def, space, basis, &quality->frequency);
    for (int i = 0; i < space->n_interfaces; i++)
        joined = joined || is_joined(def, i);
    if (!status && joined)
        status = flexibility_create(context, space, NULL, &body);
    for (int i = 0; i < space->n_interfaces && !status; i++) {
        double lacks = 0.0;
        if (!is_joined(def, i))
            continue;
        status = lacking_flexibility(context, space, body, i, basis, &lacks);
        if (lacks > quality->flexibility) {
            quality->flexibility = lacks;
            quality->where = interfaces[i].name;
        }
    }
    flexibility_destroy(body);
    return status;
}
