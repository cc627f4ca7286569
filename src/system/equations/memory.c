/* The memory of steps in a workspace: where the last interval began and ended, with what rounding took, momenta that
 * the last projection kept, what it added to the reactions, factors. */
#include "system/system_internal.h"

static void archive_bools(phx_archive *archive, int count, bool *values)
{
    for (int k = 0; k < count; k++)
        phx_archive_bool(archive, &values[k]);
}

/* Writes or reads a factorisation that may be absent; in reading it is created by `by` if necessary. */
void phx_sys_archive_lu(phx_archive *archive, const workspace *ws, const kkt_matrix *kkt, phx_sys_create_lu_fn *by,
                        phx_lu **lu)
{
    bool there = *lu != NULL;

    phx_archive_bool(archive, &there);
    if (!there && *lu)
        phx_lu_forget(*lu);
    if (!there)
        return;
    if (!*lu)
        phx_archive_fail(archive, by(ws, kkt, false, lu));
    if (*lu)
        phx_lu_archive(archive, *lu);
}

static void archive_interval(phx_archive *archive, const phx_system *system, step_interval *step)
{
    const size_t n_x = (size_t)system->n_x, n_v = (size_t)system->n_v;
    double *const of_x[] = {step->x0, step->x1, step->xm, step->low0, step->low1};
    double *const of_v[] = {step->v0, step->v1, step->vm};

    for (size_t k = 0; k < sizeof of_x / sizeof *of_x; k++)
        phx_archive_doubles(archive, n_x, of_x[k]);
    for (size_t k = 0; k < sizeof of_v / sizeof *of_v; k++)
        phx_archive_doubles(archive, n_v, of_v[k]);
}

/* The reactions that friction goes on from, with what the last projection adds to them. */
static void archive_rubbing(phx_archive *archive, const workspace *ws, reaction_forces *rubbing)
{
    const size_t n = rubbing->lambda ? (size_t)ws->rows.n : 0;

    phx_archive_doubles(archive, n, rubbing->lambda);
    phx_archive_doubles(archive, n, rubbing->added);
    phx_archive_doubles(archive, n, rubbing->next);
    phx_archive_bool(archive, &rubbing->taken);
}

/* Writes or reads everything that a workspace carries from step to step, so that a continued run is bitwise
 * identical. */
void phx_sys_op_archive(phx_dae *dae, phx_archive *archive)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    const size_t momenta = (size_t)(system->components.n * (system->dim + system->n_rot));

    archive_interval(archive, system, &ws->step);
    phx_archive_doubles(archive, momenta, ws->projection.momentum0);
    phx_archive_doubles(archive, momenta, ws->projection.momentum1);
    archive_bools(archive, system->components.n, ws->projection.kept);
    archive_rubbing(archive, ws, &ws->rubbing);
    for (int slot = 0; slot < PHX_FACTOR_SLOTS; slot++)
        phx_sys_archive_lu(archive, ws, &ws->kkt, ws->by->create_lu, &ws->values.lu[slot]);
    phx_sys_archive_lu(archive, ws, &ws->kkt, ws->by->create_lu, &ws->mass.lu);
    for (int b = 0; b < system->n_bodies && ws->damping.filters; b++)
        if (ws->damping.filters[b])
            phx_filter_archive(archive, ws->damping.filters[b]);
    if (ws->by->archive)
        ws->by->archive(archive, ws);
}
