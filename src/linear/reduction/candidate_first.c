/* Reductions of first order: an orthonormal basis of the states in energy coordinates. */
#include <string.h>

#include "work.h"

/* States of a reduction: two for each coordinate, and the rigid velocities that are damped. */
static int count_states(const phx_reduction_work *work, int order)
{
    return 2 * order + work->full.rigid - work->full.free;
}

/* ---- what prescribed rates need ---- */
/* The system whose answers at frequency zero shall be exact: the one that the result is made of. */
static const phx_ph *system_at_zero(const phx_reduction_work *work)
{
    return work->T ? &work->stored : work->nominal > 0.0 ? &work->own : &work->measure.full;
}

/* Z (n x k) <- `count` columns (n each, orthonormal), the columns of `rest` (n x (k - count)) made orthonormal to them,
 * and in place of those that depend on others, states of the most dominant modes. */
static phx_status candidate_first_gather(const phx_reduction_work *work, int k, int count, double *columns,
                                         const double *rest, double *Z)
{
    const int n = work->measure.full.n, elastic = phx_elastic_modes(work), more = k - count;
    double *x = phx_calloc(work->context, (size_t)n + 1, sizeof *x);

    if (!x)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < more; j++) {
        for (int i = 0; i < n; i++)
            x[i] = rest[i * more + j];
        count += phx_append(n, count, columns, x, DEPENDENT);
    }
    for (int j = 0; j < n && count < k; j++) { /* velocities first, then strains; damped rigid motions come last */
        const int mode = j % elastic, of_velocity = n - elastic;
        memset(x, 0, (size_t)n * sizeof *x);
        x[j < elastic       ? of_velocity + work->dominance.order[mode]
          : j < 2 * elastic ? work->dominance.order[mode]
                            : j - elastic] = 1.0;
        count += phx_append(n, count, columns, x, DEPENDENT);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            Z[i * k + j] = columns[(size_t)j * (size_t)n + (size_t)i];
    phx_free(x);
    return PHX_OK;
}

/* ---- irka, xmin ---- */
/* k unit columns: damped rigid motions, strain and velocity of the most dominant modes. */
static void start_by_dominance(const phx_reduction_work *work, int k, double *Z)
{
    const int elastic = phx_elastic_modes(work), rigid = work->full.rigid - work->full.free,
              damped = rigid < k ? rigid : k, pairs = (k - damped) / 2;

    for (int j = 0; j < damped; j++)
        Z[(elastic + j) * k + k - damped + j] = 1.0;
    for (int j = 0; 2 * j < k - damped; j++) {
        const int mode = work->dominance.order[j];
        Z[(elastic + rigid + mode) * k + 2 * j + (j < pairs)] = 1.0;
        if (j < pairs)
            Z[mode * k + 2 * j] = 1.0;
    }
}

/* Z (n x k): of the system in energy coordinates, or in those of the least storage function. */
static phx_status irka(phx_reduction_work *work, int k, double *Z, phx_reduction_report *report)
{
    const phx_ph *ph = work->T ? &work->stored : &work->measure.full;
    const int n = ph->n;
    double *start = phx_calloc(work->context, (size_t)n * (size_t)k + 1, sizeof *start);
    phx_status status = start ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        start_by_dominance(work, k, work->T ? start : Z);
        if (work->T) { /* an orthonormal basis of T start */
            phx_dense_multiply(false, false, n, k, n, 1.0, work->T, n, start, k, 0.0, Z, k);
            status = phx_orthonormal(work->context, n, k, Z);
        }
    }
    if (!status)
        status = phx_irka(work->context, ph, k, Z, &report->iterations);
    phx_free(start);
    return status;
}

static phx_status storage(phx_reduction_work *work)
{
    const size_t n = (size_t)work->measure.full.n;

    if (work->T)
        return PHX_OK;
    work->T = phx_calloc(work->context, n * n + 1, sizeof *work->T);
    return work->T ? phx_least_storage(work->context, &work->measure.full, work->measure.norm.upper, &work->stored,
                                       work->T, &work->shift)
                   : PHX_ERR_MEMORY;
}

/* x = T^-1 Z z */
static phx_status back_from_storage(const phx_reduction_work *work, phx_candidate *out)
{
    const int n = work->measure.full.n;
    double *T = phx_calloc(work->context, (size_t)n * (size_t)n + 1, sizeof *T);
    phx_status status = T ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(T, work->T, (size_t)n * (size_t)n * sizeof *T);
        memcpy(out->Z, out->inner, (size_t)n * (size_t)out->k * sizeof *out->Z);
        status = phx_dense_solve(work->context, n, T, out->k, out->Z);
    }
    phx_free(T);
    return status;
}

/* ---- lqg ---- */
static phx_status lqg(phx_reduction_work *work, int k, double *Z)
{
    static const double one = 0.999;
    const int n = work->measure.full.n;
    phx_status status = PHX_OK;

    if (!work->balanced) {
        work->balanced = phx_calloc(work->context, (size_t)n * (size_t)n + 1, sizeof *work->balanced);
        work->values = phx_calloc(work->context, (size_t)n + 1, sizeof *work->values);
        status = work->balanced && work->values
                     ? phx_lqg_balance(work->context, &work->measure.full, n, work->balanced, work->values)
                     : PHX_ERR_MEMORY;
    }
    if (!status && k < n && work->values[k] > one && work->values[0] < 1.0 / one)
        status = phx_fail(work->context, PHX_ERR_ANALYSIS,
                          "the characteristic values of 'lqg' are all one (from %.6f to %.6f for what would be left "
                          "out): they carry no order; take 'modal' or 'krylov'",
                          work->values[0], work->values[k]);
    for (int i = 0; i < n && !status; i++)
        memcpy(Z + (size_t)i * (size_t)k, work->balanced + (size_t)i * (size_t)n, (size_t)k * sizeof *Z);
    return status;
}

/* ---- the whole ---- */
/* Z (n x k): with prescribed rates what they need at frequency zero, then what the method finds. */
static phx_status find_basis(phx_reduction_work *work, int k, double *Z, phx_reduction_report *report)
{
    const size_t cells = (size_t)work->measure.full.n * (size_t)k;
    double *columns = phx_calloc(work->context, 2 * cells + 1, sizeof *columns), *rest = phx_behind(columns, cells);
    const int least =
        2 * work->full.held < k ? 2 * work->full.held : k; /* beyond it half of the states stay for the method */
    int count = 0;
    phx_status status = columns ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && work->full.held > 0)
        status = phx_ph_at_zero(work->context, system_at_zero(work), work->full.plant->channels.held,
                                k / 2 > least ? k / 2 : least, columns, &count);
    double *found = count > 0 ? rest : Z;
    const bool everything = count > 0 && k == work->measure.full.n; /* any orthonormal basis: `rest` stays zero */
    if (!status && count < k && !everything)
        status = work->options->method == PHX_REDUCE_LQG ? lqg(work, k - count, found)
                                                         : irka(work, k - count, found, report);
    if (!status && count > 0)
        status = candidate_first_gather(work, k, count, columns, rest, Z);
    phx_free(columns);
    return status;
}

/* Builds a first-order candidate (IRKA, LQG or least storage) with the states that `order` gives. */
phx_status phx_reduction_build_first(phx_reduction_work *work, int order, phx_candidate *out,
                                     phx_reduction_report *report)
{
    const size_t cells = (size_t)work->measure.full.n * (size_t)count_states(work, order);
    const bool stored = work->options->method == PHX_REDUCE_XMIN;
    phx_status status = stored ? storage(work) : PHX_OK;

    out->k = count_states(work, order);
    out->Z = phx_calloc(work->context, cells + 1, sizeof *out->Z);
    out->inner = stored ? phx_calloc(work->context, cells + 1, sizeof *out->inner) : NULL;
    if (!out->Z || (stored && !out->inner))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = find_basis(work, out->k, stored ? out->inner : out->Z, report);
    if (!status && stored)
        status = back_from_storage(work, out);
    if (!status)
        status = phx_ph_project(work->context, stored ? &work->stored : &work->measure.full, out->k,
                                stored ? out->inner : out->Z, &out->ph);
    return status;
}
