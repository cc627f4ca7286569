/* Reductions by each method, with a number of elastic coordinates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

void phx_candidate_free(phx_candidate *candidate)
{
    phx_projected_free(&candidate->projected);
    phx_free(candidate->Z);
    phx_free(candidate->inner);
    phx_ph_free(&candidate->ph);
    *candidate = (phx_candidate){0};
}

/* ---- methods of second order ---- */
/* The elastic columns of a space, by rows. */
static phx_status take_space(phx_reduction_work *work, const phx_space *space, phx_candidate *out)
{
    const int rigid = work->full.rigid, count = space->count - rigid, n = space->n;
    double *basis = phx_calloc(work->context, (size_t)n * (size_t)count + 1, sizeof *basis);
    phx_status status = basis ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < count && !status; k++)
        for (int i = 0; i < n; i++)
            basis[(size_t)i * (size_t)count + (size_t)k] = space->columns[(size_t)(rigid + k) * (size_t)n + (size_t)i];
    if (!status)
        status = phx_project(&work->full, count, basis, NULL, &out->projected);
    phx_free(basis);
    return status;
}

/* Directions that prescribed rates need at infinity, and, where there is room, the bending by their inertia at
 * frequency zero. */
static phx_status begin_with_rates(phx_reduction_work *work, phx_space *space)
{
    const phx_full *full = &work->full;
    double *direction = phx_calloc(work->context, (size_t)full->m + 1, sizeof *direction);
    phx_status status = direction ? phx_reduce_begin(full, space) : PHX_ERR_MEMORY;

    for (int k = 0; k < full->m && !status && full->rigid == full->free; k++) {
        const phx_reduction_point zero = {.direction = direction};
        const phx_reduction_options at_zero = {.method = PHX_REDUCE_KRYLOV, .points = &zero, .n_points = 1};
        if (full->plant->channels.held[k] < 0 || space->count + 1 >= space->room)
            continue;
        direction[k] = 1.0;
        status = phx_reduce_krylov(full, &at_zero, space);
        direction[k] = 0.0;
    }
    phx_free(direction);
    return status;
}

/* With prescribed rates: what they need at both ends, then modes by their dominance. */
static phx_status modal_with_rates(phx_reduction_work *work, int order, phx_candidate *out)
{
    const int n = work->full.n, stride = work->full.f + work->full.held;
    phx_space space = {0};
    double *x = phx_calloc(work->context, (size_t)n + 1, sizeof *x);
    bool added = false;
    phx_status status = x ? phx_space_create(&work->full, work->full.rigid + order, &space) : PHX_ERR_MEMORY;
    if (!status)
        status = begin_with_rates(work, &space);
    for (int k = 0; k < work->dominance.count && !status; k++) {
        for (int i = 0; i < n; i++)
            x[i] = work->full.modes[(size_t)i * (size_t)stride + (size_t)(work->full.rigid + work->dominance.order[k])];
        status = phx_space_add(&space, x, &added);
    }
    if (!status)
        status = take_space(work, &space, out);
    phx_space_free(&space);
    phx_free(x);
    return status;
}

static int compare_modes(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static phx_status modal(phx_reduction_work *work, int order, phx_candidate *out)
{
    int *chosen = phx_calloc(work->context, (size_t)order + 1, sizeof *chosen);
    phx_status status = chosen ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(chosen, work->dominance.order, (size_t)order * sizeof *chosen);
        qsort(chosen, (size_t)order, sizeof *chosen, compare_modes);
        status = phx_project(&work->full, order, NULL, chosen, &out->projected);
    }
    phx_free(chosen);
    return status;
}

/* Candidate by tangential interpolation of the given order, 0 for all that the points give. */
static phx_status krylov(phx_reduction_work *work, int order, phx_candidate *out)
{
    const phx_reduction_options *o = work->options;
    const int most = phx_elastic_modes(work), wanted = order > 0 ? order : most;
    phx_space space = {0};
    phx_status status = phx_space_create(&work->full, work->full.rigid + wanted, &space);

    if (!status)
        status = phx_reduce_krylov(&work->full, o, &space);
    if (!status && order > 0 && space.count < work->full.rigid + order)
        status = phx_fail(work->context, PHX_ERR_ARGUMENT,
                          "the points give %d independent directions, less than the order %d: give more points",
                          space.count - work->full.rigid, order);
    if (!status && space.count == work->full.rigid)
        status = phx_fail(work->context, PHX_ERR_ARGUMENT, "the points give no direction beside the rigid motions");
    if (!status)
        status = take_space(work, &space, out);
    phx_space_free(&space);
    return status;
}

/* ---- one order ---- */
/* The error system of modes left out, where damping couples none of them. */
static phx_status left_out(phx_reduction_work *work, int order, phx_ph *part)
{
    const int count = work->dominance.count - order;
    int *rest = phx_calloc(work->context, (size_t)count + 1, sizeof *rest);
    phx_projected projected = {0};
    phx_status status = rest ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(rest, work->dominance.order + order, (size_t)count * sizeof *rest);
        status = phx_project(&work->full, count, NULL, rest, &projected);
    }
    if (!status)
        projected.free = projected.rigid; /* the rigid motions are the same on both sides */
    if (!status)
        status = phx_ph_of(&work->full, &projected, work->nominal, work->dominance.scale, part);
    phx_projected_free(&projected);
    phx_free(rest);
    return status;
}

/* Builds the candidate of a given order by the method of the options and fills its error, norms and a-priori bounds in
 * the report. */
phx_status phx_reduction_try(phx_reduction_work *work, int order, phx_candidate *out, phx_reduction_report *report)
{
    const phx_reduction_method method = work->options->method;
    const bool plain = method == PHX_REDUCE_MODAL && work->full.held == 0;
    phx_ph part = {0};
    phx_status status = PHX_OK;

    phx_candidate_free(out);
    if (phx_first_order(work))
        status = phx_reduction_build_first(work, order, out, report);
    else if (plain)
        status = modal(work, order, out);
    else
        status = method == PHX_REDUCE_MODAL ? modal_with_rates(work, order, out) : krylov(work, order, out);
    if (!status && !phx_first_order(work))
        status = phx_ph_of(&work->full, &out->projected, work->nominal, work->dominance.scale, &out->ph);
    report->order = phx_first_order(work) ? order : out->projected.r - work->full.rigid;
    const bool separate = plain && work->dominance.proportional;
    if (!status && separate)
        status = left_out(work, order, &part);
    if (!status)
        status = phx_error_of(&work->measure, &out->ph, separate ? &part : NULL, report);
    report->bound = report->bound_sum = NAN;
    if (!status && plain && work->dominance.bounded)
        status =
            phx_dominance_bound(&work->full, &work->all, &work->dominance, order, work->measure.norm.lower, report);
    phx_ph_free(&part);
    return status;
}
