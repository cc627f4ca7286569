/* Shapes for geometric stiffening beside those of a basis. A deflection shortens a body along its middle surface, and
 * loads in that surface stretch it; a basis that cannot do this would make it far too stiff, or carry no centrifugal
 * force. With the interfaces held as the modes have them, and R for "the displacement by", there are added
 *
 *   1. R(M (a + A x)), A any matrix: inertia loads of spins, of their changes, on hubs of any radius;
 *   2. R(K_g phi) for the lowest modes phi in the frame, K_g the geometric stiffness by the stresses of 1: how the
 * modes change when the body turns. They join the basis as shapes like its own;
 *   3. R(D^T M2^-1 N_ab), static modal derivatives: what the strains of second order of pairs of shapes make of it.
 *
 * Those of 1 and 3 follow the others: no strains of second order are taken of them. They are orthogonal to the basis,
 * and to each other, in K. */
#include "basis.h"
#include "stiffening.h"

#include <math.h>
#include <string.h>

enum {
    LOADS_MOST = 12, /* inertia loads: 3 directions, constant or along x, y or z */
    PRESTRESSED = 4, /* the lowest shapes that are followed as they change with the stresses */
    PRESTRESSED_MOST = 8,
    FOLLOWED = 20, /* the lowest shapes whose pairs have derivatives */
    DERIVATIVES_MOST = 40
};
static const double dependent = 1e-10, /* energy of a shape, of 1, that others have already */
    negligible = 1e-12;                /* energy of a derivative beside the largest of them */

static double *column(const shapes *it, int k)
{
    return it->y + (size_t)k * (size_t)it->n;
}

static phx_status allocate(phx_context *context, int n, int most, shapes *it)
{
    *it = (shapes){.n = n};
    it->y = phx_calloc(context, (size_t)n * (size_t)most + 1, sizeof *it->y);
    return it->y ? PHX_OK : PHX_ERR_MEMORY;
}

static void scale_by(shapes *it, int k, double factor)
{
    for (int i = 0; i < it->n; i++)
        column(it, k)[i] *= factor;
}

/* f (model->n) -> the displacement y in the space without rigid motions; work: n of the space. */
static phx_status respond(flexibility *with, const elastic_space *space, const double *f, double *y)
{
    memset(y, 0, (size_t)space->n * sizeof *y);
    phx_csr_apply_transposed(&space->T, 1.0, f, y);
    const phx_status status = flexibility_apply(with, y, y);
    if (!status)
        elastic_space_remove_rigid(space, y);
    return status;
}

/* ---- the shapes ---- */
/* The lowest modes of the body with its frame at rest, made of its shapes Phi in the frame (model->n numbers each):
 * what bends most easily. `count` of them, as large as steady loads make them beside each other, energies 1/omega^2. */
static phx_status lowest_in_frame(phx_context *context, const elastic_space *space, const shapes *basis,
                                  const double *Phi, int count, double **lowest)
{
    const size_t n = (size_t)space->model->n, m = (size_t)basis->count;
    double *M_Phi = phx_calloc(context, n * m + 1, sizeof *M_Phi), *M = phx_calloc(context, m * m + 1, sizeof *M);
    double *K = phx_calloc(context, m * m + 1, sizeof *K), *V = phx_calloc(context, m * m + 1, sizeof *V);
    double *values = phx_calloc(context, m + 1, sizeof *values);
    phx_status status = M_Phi && M && K && V && values ? PHX_OK : PHX_ERR_MEMORY;

    *lowest = phx_calloc(context, (size_t)count * n + 1, sizeof **lowest);
    if (!*lowest)
        status = PHX_ERR_MEMORY;
    for (size_t k = 0; k < m && !status; k++) {
        phx_csr_apply(&space->model->M, 1.0, Phi + k * n, M_Phi + k * n);
        K[k * m + k] = basis->omega[k] * basis->omega[k];
    }
    if (!status) {
        phx_dense_multiply(false, true, (int)m, (int)m, (int)n, 1.0, Phi, (int)n, M_Phi, (int)n, 0.0, M, (int)m);
        status = phx_dense_eigen_symmetric(context, (int)m, M, K, values, V); /* 1/omega^2, ascending; V^T K V = I */
    }
    for (size_t k = 0; k < (size_t)count && !status; k++)
        for (size_t s = 0; s < m; s++)
            for (size_t j = 0; j < n; j++)
                (*lowest)[k * n + j] += sqrt(values[m - 1 - k]) * V[s * m + m - 1 - k] * Phi[s * n + j];
    phx_free(M_Phi);
    phx_free(M);
    phx_free(K);
    phx_free(V);
    phx_free(values);
    return status;
}

/* By the inertia loads -M u, u = e_c or x_a e_c. */
static phx_status add_inertia_responses(phx_context *context, const elastic_space *space, flexibility *with, shapes *to)
{
    const phx_elastic_model *model = space->model;
    const size_t n = (size_t)model->n;
    const int directions = model->ops->edges ? 2 : 3; /* loads across a plate bend it, as its modes do */
    double *u = phx_calloc(context, 2 * n + 1, sizeof *u), *f = u ? u + n : NULL;
    phx_status status = u ? allocate(context, space->n, LOADS_MOST, to) : PHX_ERR_MEMORY;

    for (int c = 0; c < directions && !status; c++)
        for (int a = -1; a < 3 && !status; a++) {
            for (size_t j = 0; j < n; j++) {
                const double x = a < 0 ? 1.0 : model->node[j] < 0 ? 0.0 : model->x[3 * model->node[j] + a];
                u[j] = x * model->rigid[(size_t)c * n + j];
            }
            memset(f, 0, n * sizeof *f);
            phx_csr_apply(&model->M, 1.0, u, f);
            status = respond(with, space, f, column(to, to->count++));
        }
    phx_free(u);
    return status;
}

/* By the strains of second order of the pairs of `count` shapes, given in the frame (model->n numbers each). */
static phx_status add_derivatives(phx_context *context, const elastic_space *space, flexibility *with, int count,
                                  const double *Phi, shapes *to)
{
    const size_t n = (size_t)space->model->n;
    const int pairs = count * (count + 1) / 2;
    double *force = phx_calloc(context, (size_t)pairs * n + 1, sizeof *force);
    phx_status status = force ? allocate(context, space->n, pairs, to) : PHX_ERR_MEMORY;

    if (!status)
        status = continuum_second_order_forces(context, space->model, count, Phi, force);
    for (int p = 0; p < pairs && !status; p++)
        status = respond(with, space, force + (size_t)p * n, column(to, to->count++));
    phx_free(force);
    return status;
}

/* ---- orthogonal ---- */
/* K y of each. */
static phx_status apply(phx_context *context, const phx_csr *A, const shapes *it, double **product)
{
    *product = phx_calloc(context, (size_t)it->n * (size_t)it->count + 1, sizeof **product);
    for (int k = 0; k < it->count && *product; k++)
        phx_csr_apply(A, 1.0, column(it, k), *product + (size_t)k * (size_t)it->n);
    return *product ? PHX_OK : PHX_ERR_MEMORY;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes out of `more` what is in `of`, whose shapes have y^T K y = size (NULL: 1) and are orthogonal; twice, for
 * rounding. */
static phx_status take_out(phx_context *context, const elastic_space *space, const shapes *of, const double *omega,
                           shapes *more)
{
    double *K_of = NULL;
    phx_status status = apply(context, &space->K, of, &K_of);

    for (int m = 0; m < 2 * more->count && !status; m++) {
        double *y = column(more, m / 2);
        for (int k = 0; k < of->count; k++) {
            const double size = omega ? omega[k] * omega[k] : 1.0;
            const double part = dot(of->n, K_of + (size_t)k * (size_t)of->n, y) / size;
            for (int i = 0; i < of->n; i++)
                y[i] -= part * column(of, k)[i];
        }
    }
    phx_free(K_of);
    return status;
}

/* sqrt(y^T K y) of each shape. */
static phx_status sizes_of(phx_context *context, const elastic_space *space, const shapes *it, double *size)
{
    double *Ky = NULL;
    const phx_status status = apply(context, &space->K, it, &Ky);

    for (int k = 0; k < it->count && !status; k++)
        size[k] = sqrt(fmax(dot(it->n, column(it, k), Ky + (size_t)k * (size_t)it->n), 0.0));
    phx_free(Ky);
    return status;
}

/* Appends to `to` the `count` combinations V^T (m x m, in the order of `values`, from the last) of `from`, each over
 * scale. */
static void append_combinations(const shapes *from, int count, const double *values, const double *V, shapes *to)
{
    const int m = from->count;

    for (int k = m - 1; k >= m - count; k--) {
        double *y = column(to, to->count++);
        memset(y, 0, (size_t)to->n * sizeof *y);
        for (int s = 0; s < m; s++)
            for (int i = 0; i < to->n; i++)
                y[i] += V[s * m + k] / sqrt(values[k]) * column(from, s)[i];
    }
}

/* Y^T A Y and its eigenvectors. */
static phx_status principal(phx_context *context, const phx_csr *A, const shapes *it, double *values, double *V)
{
    const size_t m = (size_t)it->count;
    double *AY = NULL, *G = phx_calloc(context, m * m + 1, sizeof *G);
    phx_status status = G ? apply(context, A, it, &AY) : PHX_ERR_MEMORY;

    if (!status) {
        phx_dense_multiply(false, true, it->count, it->count, it->n, 1.0, it->y, it->n, AY, it->n, 0.0, G, it->count);
        status = phx_dense_eigen_symmetric(context, it->count, G, NULL, values, V);
    }
    phx_free(AY);
    phx_free(G);
    return status;
}

/* Appends what `more` has beside `basis` and `to`, orthonormal in K, the most energetic first, at most so many. */
static phx_status join(phx_context *context, const elastic_space *space, const shapes *basis, double least, int most,
                       shapes *more, shapes *to)
{
    const size_t m = (size_t)more->count;
    double *values = phx_calloc(context, m + m * m + 1, sizeof *values);
    phx_status status = values ? take_out(context, space, basis, basis->omega, more) : PHX_ERR_MEMORY;
    int count = 0;

    if (!status)
        status = take_out(context, space, to, NULL, more);
    if (!status && m > 0)
        status = principal(context, &space->K, more, values, values + m);
    while (!status && count < most && count < more->count && values[more->count - 1 - count] > least)
        count++;
    if (!status)
        append_combinations(more, count, values, values + m, to);
    phx_free(values);
    return status;
}

/* To energies of 1, those of nothing stay. */
static phx_status normalise_each(phx_context *context, const elastic_space *space, shapes *it)
{
    double *size = phx_calloc(context, (size_t)it->count + 1, sizeof *size), most = 0.0;
    const phx_status status = size ? sizes_of(context, space, it, size) : PHX_ERR_MEMORY;

    for (int k = 0; k < it->count && !status; k++)
        most = fmax(most, size[k]);
    for (int k = 0; k < it->count && !status; k++)
        scale_by(it, k, size[k] > 1e-10 * most ? 1.0 / size[k] : 0.0);
    phx_free(size);
    return status;
}

/* All by one factor: the largest energy to 1. */
static phx_status largest_to_one(phx_context *context, const elastic_space *space, shapes *it)
{
    double *size = phx_calloc(context, (size_t)it->count + 1, sizeof *size), most = 0.0;
    const phx_status status = size ? sizes_of(context, space, it, size) : PHX_ERR_MEMORY;

    for (int k = 0; k < it->count && !status; k++)
        most = fmax(most, size[k]);
    for (int k = 0; k < it->count && !status && most > 0.0; k++)
        scale_by(it, k, 1.0 / most);
    phx_free(size);
    return status;
}

/* Behind the shapes of the basis: those of `added` as they are orthonormal in M too, with their omega. */
static phx_status append(phx_context *context, const elastic_space *space, const shapes *added, shapes *basis)
{
    const size_t m = (size_t)added->count, n = (size_t)basis->n, before = (size_t)basis->count;
    double *values = phx_calloc(context, m + m * m + 1, sizeof *values);
    double *y = phx_calloc(context, (before + m) * n + 1, sizeof *y);
    double *omega = phx_calloc(context, before + m + 1, sizeof *omega);
    phx_status status = values && y && omega ? PHX_OK : PHX_ERR_MEMORY;
    shapes all = {.n = basis->n, .count = basis->count, .y = y, .omega = omega};

    if (!status && m > 0)
        status = principal(context, &space->M, added, values, values + m);
    if (status) {
        phx_free(y);
        phx_free(omega);
    } else {
        memcpy(y, basis->y, before * n * sizeof *y);
        memcpy(omega, basis->omega, before * sizeof *omega);
        append_combinations(added, added->count, values, values + m, &all);
        for (size_t k = 0; k < m; k++)
            omega[before + k] = 1.0 / sqrt(values[m - 1 - k]);
        shapes_free(basis);
        *basis = all;
    }
    phx_free(values);
    return status;
}

/* The body held as for its modes, and what the inertia loads make of it, each of unit energy. */
static phx_status hold_and_load(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                flexibility **with, shapes *loads)
{
    unsigned char *held = phx_calloc(context, (size_t)space->n_all + 1, sizeof *held);
    phx_status status = held ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        basis_hold(def, space, held);
        status = flexibility_create(context, space, held, with);
    }
    if (!status)
        status = add_inertia_responses(context, space, *with, loads);
    if (!status)
        status = normalise_each(context, space, loads);
    phx_free(held);
    return status;
}

/* ---- modes as they change with the stresses ---- */
/* u (model->n) of the shapes in a space. */
static phx_status to_unknowns(phx_context *context, const elastic_space *space, const shapes *it, double **u)
{
    const size_t n = (size_t)space->model->n;

    *u = phx_calloc(context, (size_t)it->count * n + 1, sizeof **u);
    for (int k = 0; k < it->count && *u; k++)
        phx_csr_apply(&space->T, 1.0, column(it, k), *u + (size_t)k * n);
    return *u ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status basis_add_prestressed(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                 const double *Phi, shapes *basis)
{
    const size_t n = (size_t)space->model->n;
    const int followed = basis->count < PRESTRESSED ? basis->count : PRESTRESSED;
    shapes loads = {0}, changed = {0}, added = {0};
    double *u = NULL, *lowest = NULL, *force = phx_calloc(context, (size_t)followed * n + 1, sizeof *force);
    flexibility *with = NULL;
    phx_status status = force ? hold_and_load(context, def, space, &with, &loads) : PHX_ERR_MEMORY;

    if (!status)
        status = lowest_in_frame(context, space, basis, Phi, followed, &lowest);
    if (!status)
        status = to_unknowns(context, space, &loads, &u);
    if (!status)
        status = allocate(context, space->n, loads.count * followed, &changed);
    if (!status)
        status = allocate(context, space->n, PRESTRESSED_MOST, &added);
    for (int l = 0; l < loads.count && !status; l++) {
        status = continuum_prestress_forces(context, space->model, u + (size_t)l * n, followed, lowest, force);
        for (int a = 0; a < followed && !status; a++)
            status = respond(with, space, force + (size_t)a * n, column(&changed, changed.count++));
    }
    if (!status)
        status = largest_to_one(context, space, &changed);
    if (!status)
        status = join(context, space, basis, dependent, PRESTRESSED_MOST, &changed, &added);
    if (!status)
        status = append(context, space, &added, basis);
    if (!status)
        status = basis_diagonalise(context, def, space, basis);
    flexibility_destroy(with);
    shapes_free(&loads);
    shapes_free(&changed);
    shapes_free(&added);
    phx_free(u);
    phx_free(lowest);
    phx_free(force);
    return status;
}

/* ---- followers ---- */
phx_status basis_add_followers(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                               const double *Phi, shapes *basis)
{
    const int followed = basis->count < FOLLOWED ? basis->count : FOLLOWED;
    shapes loads = {0}, derivatives = {0}, added = {0};
    double *lowest = NULL;
    flexibility *with = NULL;
    phx_status status = hold_and_load(context, def, space, &with, &loads);

    if (!status)
        status = allocate(context, space->n, LOADS_MOST + DERIVATIVES_MOST, &added);
    if (!status)
        status = join(context, space, basis, dependent, loads.count, &loads, &added);
    if (!status)
        status = lowest_in_frame(context, space, basis, Phi, followed, &lowest);
    if (!status)
        status = add_derivatives(context, space, with, followed, lowest, &derivatives);
    if (!status)
        status = largest_to_one(context, space, &derivatives);
    if (!status)
        status = join(context, space, basis, negligible, DERIVATIVES_MOST, &derivatives, &added);
    if (!status)
        status = append(context, space, &added, basis);
    flexibility_destroy(with);
    shapes_free(&loads);
    shapes_free(&derivatives);
    shapes_free(&added);
    phx_free(lowest);
    return status;
}
