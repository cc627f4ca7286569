/* The state of a run as bytes: the structure of the system, conditions, work, the integrator, both workspaces. */
#include "run.h"

#include <string.h>

/* ---- the structure ---- */
phx_status phx_events_structure(phx_context *context, phx_system *system, phx_archive **structure)
{
    phx_status status = phx_archive_create(context, structure);

    if (status)
        return status;
    phx_system_archive_structure(*structure, system);
    return phx_archive_status(*structure);
}

/* Determines whether the archived structure (active joints, drives and forces) is the present one of the system. A
 * different size means another mechanism and is an error. */
static phx_status is_structure(phx_context *context, phx_system *system, size_t size, const void *bytes, bool *is)
{
    phx_archive *now = NULL;
    size_t own = 0;
    phx_status status = phx_events_structure(context, system, &now);

    *is = false;
    if (!status) {
        const void *from = phx_archive_bytes(now, &own);
        if (own != size)
            status = phx_fail(context, PHX_ERR_INPUT, "the structure of the system is that of another mechanism");
        else
            *is = own == 0 || memcmp(from, bytes, own) == 0;
    }
    phx_archive_destroy(now);
    return status;
}

/* Sets the system to the archived structure and creates its daes anew if the structure differs or they are absent. */
phx_status phx_events_restructure(phx_context *context, const phx_events_def *def, size_t size, const void *bytes)
{
    phx_archive *archive = NULL;
    bool same = false;
    phx_status status = is_structure(context, def->system, size, bytes, &same);

    if (status || (same && *def->dae && *def->reader))
        return status;
    phx_events_destroy_daes(def);
    status = phx_archive_open(context, size, bytes, &archive);
    if (!status) {
        phx_system_archive_structure(archive, def->system);
        status = phx_archive_status(archive);
    }
    phx_archive_destroy(archive);
    return status ? status : phx_events_renew_daes(context, def);
}

/* The structure that is read, with workspaces of it. */
static phx_status take_structure(events_run *run, size_t size, const void *bytes)
{
    bool same = false;
    phx_status status = is_structure(run->context, run->def.system, size, bytes, &same);

    if (status || (same && *run->def.dae && *run->def.reader))
        return status;
    phx_events_forget(run);
    status = phx_events_restructure(run->context, &run->def, size, bytes);
    if (!status)
        return phx_events_take_daes(run);
    run->s->dae = run->s->reader = NULL;
    return status;
}

/* Writes or reads the structure of the system as a block; in reading the run switches to it. */
static void archive_structure(phx_archive *archive, events_run *run)
{
    phx_archive *now = NULL;
    size_t size = 0;
    phx_status status = phx_events_structure(run->context, run->def.system, &now);
    const void *bytes = status ? NULL : phx_archive_bytes(now, &size);
    int count = (int)size;

    phx_archive_count(archive, &count);
    unsigned char *block = status ? NULL : phx_calloc(run->context, (size_t)count, 1);
    if (!status && !block)
        status = PHX_ERR_MEMORY;
    phx_archive_fail(archive, status);
    if (block && !phx_archive_reads(archive) && count > 0)
        memcpy(block, bytes, (size_t)count);
    if (block)
        phx_archive_block(archive, (size_t)count, block);
    if (block && phx_archive_reads(archive) && !phx_archive_status(archive))
        phx_archive_fail(archive, take_structure(run, (size_t)count, block));
    phx_free(block);
    phx_archive_destroy(now);
}

/* ---- the run ---- */
static void archive_condition(phx_archive *archive, event_state *event)
{
    phx_archive_double(archive, &event->value);
    phx_archive_double(archive, &event->largest);
    phx_archive_double(archive, &event->slack);
    phx_archive_bool(archive, &event->done);
    phx_archive_bool(archive, &event->spare);
}

static void archive_heading(phx_archive *archive, slip_heading *heading)
{
    phx_archive_bool(archive, &heading->in_space);
    phx_archive_double(archive, &heading->angle);
    phx_archive_double(archive, &heading->turn);
    phx_archive_double(archive, &heading->stiffness);
}

static void archive_counts(phx_archive *archive, phx_events_counts *counts)
{
    phx_archive_int(archive, &counts->events);
    phx_archive_int(archive, &counts->impacts);
    phx_archive_int(archive, &counts->transitions);
    phx_archive_double(archive, &counts->event_loss);
    phx_archive_double(archive, &counts->impact_loss);
    phx_archive_double(archive, &counts->stats.largest_kinetic);
}

/* Writes or reads time, accepted state, work, conditions and counters of a run with events. */
static void archive_state(phx_archive *archive, events_run *run)
{
    const mechanism *s = run->s;
    double *const numbers[] = {
        &run->t,     &run->speed,      &run->slack,  &run->done.work.supplied, &run->done.work.dissipated,
        &run->own.t, &run->clock.base, &run->clock.h};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_archive_long(archive, &run->clock.count);
    phx_archive_int(archive, &run->stalled);
    phx_archive_doubles(archive, (size_t)s->dae->n_x, run->before.x);
    phx_archive_doubles(archive, (size_t)s->dae->n_v, run->before.v);
    phx_archive_doubles(archive, (size_t)s->dae->n_l, run->before.lambda);
    phx_archive_doubles(archive, (size_t)s->dae->n_l, s->lambda);
    phx_archive_doubles(archive, (size_t)run->done.n_ledger, run->done.ledger);
    for (int k = 0; k < run->n; k++)
        archive_condition(archive, &run->event[k]);
    for (int k = 0; k < run->frictions.n; k++)
        archive_heading(archive, &run->frictions.heading[k]);
    archive_counts(archive, &run->counts);
}

/* The integrator, if it is at work, with the workspace of the steps; else that alone. */
static void archive_steps(phx_archive *archive, events_run *run)
{
    phx_dae *dae = run->s->dae;
    bool at_work = run->integration != NULL;

    phx_archive_bool(archive, &at_work);
    if (phx_archive_status(archive))
        return;
    if (!at_work && run->integration)
        phx_events_forget(run);
    if (at_work && !run->integration)
        phx_archive_fail(archive, phx_integration_create(dae, &run->def.options, run->t, run->before.x, run->before.v,
                                                         run->before.lambda, &run->integration));
    if (run->integration)
        phx_integration_archive(archive, run->integration);
    else if (dae->ops->archive)
        dae->ops->archive(dae, archive);
    if (phx_archive_reads(archive) && run->integration)
        run->counted = *phx_integration_stats(run->integration);
}

/* Writes or reads a whole run with events: structure, state, integration and both daes. Reading needs a run that was
 * created from the same definition. */
void phx_events_archive(phx_archive *archive, phx_events *run)
{
    archive_structure(archive, run);
    if (phx_archive_status(archive))
        return;
    archive_state(archive, run);
    if (phx_archive_reads(archive) && !phx_archive_status(archive)) {
        run->half_done = false;
        memcpy(run->s->x, run->before.x, (size_t)run->s->dae->n_x * sizeof *run->s->x);
        memcpy(run->s->v, run->before.v, (size_t)run->s->dae->n_v * sizeof *run->s->v);
    }
    archive_steps(archive, run);
    if (phx_archive_reads(archive) && !phx_archive_status(archive))
        phx_events_keep_memory(run);
    if (!phx_archive_status(archive) && run->s->reader->ops->archive)
        run->s->reader->ops->archive(run->s->reader, archive);
}
