/* Tangential interpolation, theory 14 (2): solutions of the saddle-point system at points of the complex plane,
 *
 *     | z^2 M + z D + K   A^T | |  x |   | F b |
 *     | A                 0   | | -. | = |  0  |
 *
 * lie in null A, so a projection on them has no multipliers, and interpolates with the derivative, since the system is
 * symmetric. A prescribed rate w drives the motions about the static lifting X by (z M + D) X; for it the solution at
 * infinity, what the lifting at infinite frequency has beside the static one, always belongs to the basis. */
#include <math.h>
#include <string.h>

#include "reduction.h"

static const double negligible = 1e-12;

typedef struct krylov {
    const phx_full *full;
    phx_space *space;
    double *x, *re, *im; /* 2 (n + rows); n each */
    phx_csr A;           /* with the rigid motions at z = 0 */
} krylov;

static bool enough(const krylov *space)
{
    return space->space->count == space->space->room;
}

/* re + i im = the force of the inputs in the direction b (NULL: input k alone) at z; of a prescribed rate its inertia
 * where that is the leading part, at infinity and at zero. */
static void force(const krylov *space, int k, const double *b, double complex z, bool infinite)
{
    const phx_full *full = space->full;
    const phx_csr *F = &full->plant->channels.F;
    const int stride = full->f + full->held;

    memset(space->re, 0, (size_t)full->n * sizeof *space->re);
    memset(space->im, 0, (size_t)full->n * sizeof *space->im);
    for (int i = 0; i < full->n; i++)
        for (int e = F->ptr[i]; e < F->ptr[i + 1]; e++)
            space->re[i] += F->val[e] * (b ? b[F->idx[e]] : F->idx[e] == k ? 1.0 : 0.0);
    for (int l = 0; l < full->m; l++) {
        const double weight = b ? b[l] : l == k ? 1.0 : 0.0;
        const int s = full->plant->channels.held[l];
        if (s < 0 || weight == 0.0)
            continue;
        double *X = space->x;
        for (int i = 0; i < full->n; i++)
            X[i] = full->modes[(size_t)i * (size_t)stride + (size_t)(full->f + s)];
        const bool inertia = infinite || z == 0.0;
        phx_csr_apply(&full->plant->linear.M, weight * (inertia ? 1.0 : creal(z)), X, space->re);
        if (inertia)
            continue;
        phx_csr_apply(&full->plant->linear.M, weight * cimag(z), X, space->im);
        phx_csr_apply(&full->D, weight, X, space->re);
    }
}

static double krylov_points_size_of(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The solution for re + i im, its parts added to the basis, the larger first: there may be room for one only, and at a
 * resonance the smaller is what the mode is not. */
static phx_status add_solution(krylov *space, phx_saddle *saddle, bool is_complex)
{
    const int n = space->full->n, width = is_complex ? 2 : 1;
    const size_t size = (size_t)n + (size_t)saddle->A.rows;
    bool added = false;

    memset(space->x, 0, (size_t)width * size * sizeof *space->x);
    for (int i = 0; i < n; i++) {
        space->x[width * i] = space->re[i];
        if (is_complex)
            space->x[2 * i + 1] = space->im[i];
    }
    phx_status status = phx_saddle_solve(saddle, space->x);
    for (int i = 0; i < n && !status; i++) {
        space->re[i] = space->x[width * i];
        space->im[i] = is_complex ? space->x[2 * i + 1] : 0.0;
    }
    const double re = krylov_points_size_of(n, space->re), im = krylov_points_size_of(n, space->im);
    const double *first = re >= im ? space->re : space->im, *second = re >= im ? space->im : space->re;
    if (!status && fmax(re, im) > 0.0)
        status = phx_space_add(space->space, first, &added);
    if (!status && fmin(re, im) > negligible * fmax(re, im))
        status = phx_space_add(space->space, second, &added);
    return status;
}

static phx_status add_directions(krylov *space, phx_saddle *saddle, const phx_reduction_point *point, double complex z,
                                 bool is_complex)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < space->full->m && !status && !enough(space); k++) {
        force(space, k, point->direction, z, point->infinite);
        status = add_solution(space, saddle, is_complex);
        if (point->direction)
            break;
    }
    return status;
}

static int all_rigid(const phx_full *full)
{
    return full->rigid + full->unmoved;
}

/* (A; Phi^T M) with the rigid motions Phi: static answers are those of forces in equilibrium with inertia. */
static phx_status add_rigid_rows(krylov *space)
{
    const phx_full *full = space->full;
    const int rows = full->A.rows, n = full->n, all = all_rigid(full), stride = full->f + full->held;
    double *dense = phx_calloc(full->context, (size_t)(rows + all) * (size_t)n + 1, sizeof *dense);
    double *column = phx_calloc(full->context, (size_t)n + 1, sizeof *column);
    phx_status status = dense && column ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        phx_csr_to_dense(&full->A, dense);
    for (int k = 0; k < all && !status; k++) {
        for (int i = 0; i < n; i++)
            column[i] = k < full->rigid ? full->modes[(size_t)i * (size_t)stride + (size_t)k]
                                        : full->still[(size_t)(k - full->rigid) * (size_t)n + (size_t)i];
        phx_csr_apply(&full->plant->linear.M, 1.0, column, dense + (size_t)(rows + k) * (size_t)n);
    }
    if (!status)
        status = phx_csr_from_dense(full->context, rows + all, n, dense, 0.0, &space->A);
    phx_free(dense);
    phx_free(column);
    return status;
}

/* PHX_SINGULAR: the model has a pole there. */
static phx_status try_point(krylov *space, const phx_reduction_point *point)
{
    const phx_full *full = space->full;
    const double complex z = point->re + I * point->im;
    const bool is_complex = point->im != 0.0, bordered = z == 0.0 && all_rigid(full) > 0;
    phx_saddle saddle = {0};
    phx_status status = PHX_OK;

    if (point->infinite)
        return add_directions(space, (phx_saddle *)&full->projection, point, 0.0, false);
    if (bordered && full->rigid > full->free)
        return phx_fail(full->context, PHX_ERR_ANALYSIS,
                        "at s = 0 the stiffness is singular and its rigid motions are damped; take a point beside 0");
    if (bordered && !space->A.ptr)
        status = add_rigid_rows(space);
    if (!status)
        status = phx_saddle_create(full->context, &full->plant->linear.M, &full->D, &full->K,
                                   bordered ? &space->A : &full->A, is_complex, &saddle);
    if (!status)
        status = phx_saddle_factor(&saddle, z);
    if (!status)
        status = add_directions(space, &saddle, point, z, is_complex);
    phx_saddle_free(&saddle);
    return status;
}

static phx_status at_point(krylov *space, const phx_reduction_point *point)
{
    const phx_status status = try_point(space, point);

    return status != PHX_SINGULAR ? status
                                  : phx_fail(space->full->context, PHX_ERR_ANALYSIS,
                                             "the model has a pole at the point %g + %g i, it cannot be interpolated "
                                             "there",
                                             point->re, point->im);
}

/* Near i omega, where the model may have a pole. */
static phx_status beside(krylov *space, double omega)
{
    static const double aside[] = {1.0, 1.001, 1.003};
    phx_status status = PHX_SINGULAR;

    for (size_t k = 0; k < sizeof aside / sizeof *aside && status == PHX_SINGULAR; k++) {
        const phx_reduction_point point = {.im = aside[k] * omega};
        if (k > 0)
            phx_context_clear(space->full->context);
        status = try_point(space, &point);
    }
    return status;
}

/* The rigid motions, and what prescribed rates need at infinity. */
phx_status phx_reduce_begin(const phx_full *full, phx_space *space)
{
    const int stride = full->f + full->held;
    double *x = phx_calloc(full->context, 2 * ((size_t)full->n + (size_t)full->A.rows) + 1, sizeof *x);
    bool added = false;
    phx_status status = x ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < full->rigid && !status; k++) {
        for (int i = 0; i < full->n; i++)
            x[i] = full->modes[(size_t)i * (size_t)stride + (size_t)k];
        status = phx_space_add(space, x, &added);
    }
    for (int s = 0; s < full->held && !status; s++) { /* V of M V = A^T ., A V = 0 beside the static lifting */
        for (int i = 0; i < full->n; i++)
            x[i] = full->modes[(size_t)i * (size_t)stride + (size_t)(full->f + s)];
        status = phx_space_add(space, x, &added); /* its projection on null A */
    }
    phx_free(x);
    return status;
}

/* Points on the imaginary axis over the band, or over the lowest frequencies, between which poles lie; with prescribed
 * rates zero is one as well. */
static phx_status default_points(krylov *space, const phx_reduction_options *options)
{
    const phx_full *full = space->full;
    const int elastic = full->f - full->rigid, order = space->space->room - full->rigid;
    const int per_point = full->m * (full->plant->linear.damped ? 2 : 1), count = (order + per_point - 1) / per_point;
    double low = full->omega[full->rigid], high = full->omega[full->rigid + (order < elastic ? order : elastic) - 1];
    phx_status status = PHX_OK;

    if (options->band[1] > 0.0 && isfinite(options->band[1])) {
        high = options->band[1];
        low = options->band[0] > 0.0 ? options->band[0] : 0.1 * fmin(low, high);
    }
    const phx_reduction_point zero = {0};
    if (full->held > 0 && full->rigid == full->free && !(options->band[0] > 0.0))
        status = at_point(space, &zero);
    for (int k = 0; k < 4 * count && !status && !enough(space); k++) {
        /* at first in the middles of `count` intervals, then of halves of them */
        const double at = k < count ? (k + 0.5) / count : (k - count + 0.25) / (3.0 * count);
        status = beside(space, low * pow(high / low, at));
    }
    return status;
}

/* Fills a space with the directions of tangential interpolation at the given points, or at default points, until it is
 * full. */
phx_status phx_reduce_krylov(const phx_full *full, const phx_reduction_options *options, phx_space *space)
{
    const size_t n = (size_t)full->n, size = n + (size_t)full->A.rows + (size_t)all_rigid(full);
    krylov vectors = {.full = full, .space = space};
    phx_status status = PHX_OK;

    vectors.x = phx_calloc(full->context, 2 * size + 1, sizeof *vectors.x);
    vectors.re = phx_calloc(full->context, 2 * n + 1, sizeof *vectors.re);
    vectors.im = phx_behind(vectors.re, (size_t)n);
    if (!vectors.x || !vectors.re)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_reduce_begin(full, space);
    for (int k = 0; k < options->n_points && !status && !enough(&vectors); k++)
        status = at_point(&vectors, &options->points[k]);
    if (!status && options->n_points == 0 && full->m > 0)
        status = default_points(&vectors, options);
    phx_csr_free(&vectors.A);
    phx_free(vectors.x);
    phx_free(vectors.re);
    return status;
}
