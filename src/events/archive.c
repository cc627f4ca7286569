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
static phx_status take_structure(events_run *it, size_t size, const void *bytes)
{
    bool same = false;
    phx_status status = is_structure(it->context, it->def.system, size, bytes, &same);

    if (status || (same && *it->def.dae && *it->def.reader))
        return status;
    phx_events_forget(it);
    status = phx_events_restructure(it->context, &it->def, size, bytes);
    if (!status)
        return phx_events_take_daes(it);
    it->s->dae = it->s->reader = NULL;
    return status;
}

/* Writes or reads the structure of the system as a block; in reading the run switches to it. */
static void archive_structure(phx_archive *archive, events_run *it)
{
    phx_archive *now = NULL;
    size_t size = 0;
    phx_status status = phx_events_structure(it->context, it->def.system, &now);
    const void *bytes = status ? NULL : phx_archive_bytes(now, &size);
    int count = (int)size;

    phx_archive_count(archive, &count);
    unsigned char *block = status ? NULL : phx_calloc(it->context, (size_t)count, 1);
    if (!status && !block)
        status = PHX_ERR_MEMORY;
    phx_archive_fail(archive, status);
    if (block && !phx_archive_reads(archive) && count > 0)
        memcpy(block, bytes, (size_t)count);
    if (block)
        phx_archive_block(archive, (size_t)count, block);
    if (block && phx_archive_reads(archive) && !phx_archive_status(archive))
        phx_archive_fail(archive, take_structure(it, (size_t)count, block));
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
static void archive_state(phx_archive *archive, events_run *it)
{
    const mechanism *s = it->s;
    double *const numbers[] = {
        &it->t,     &it->speed,      &it->slack,  &it->done.work.supplied, &it->done.work.dissipated,
        &it->own.t, &it->clock.base, &it->clock.h};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_archive_long(archive, &it->clock.count);
    phx_archive_int(archive, &it->stalled);
    phx_archive_doubles(archive, (size_t)s->dae->n_x, it->before.x);
    phx_archive_doubles(archive, (size_t)s->dae->n_v, it->before.v);
    phx_archive_doubles(archive, (size_t)s->dae->n_l, it->before.lambda);
    phx_archive_doubles(archive, (size_t)s->dae->n_l, s->lambda);
    phx_archive_doubles(archive, (size_t)it->done.n_ledger, it->done.ledger);
    for (int k = 0; k < it->n; k++)
        archive_condition(archive, &it->event[k]);
    for (int k = 0; k < it->frictions.n; k++)
        archive_heading(archive, &it->frictions.heading[k]);
    archive_counts(archive, &it->counts);
}

/* The integrator, if it is at work, with the workspace of the steps; else that alone. */
static void archive_steps(phx_archive *archive, events_run *it)
{
    phx_dae *dae = it->s->dae;
    bool at_work = it->integration != NULL;

    phx_archive_bool(archive, &at_work);
    if (phx_archive_status(archive))
        return;
    if (!at_work && it->integration)
        phx_events_forget(it);
    if (at_work && !it->integration)
        phx_archive_fail(archive, phx_integration_create(dae, &it->def.options, it->t, it->before.x, it->before.v,
                                                         it->before.lambda, &it->integration));
    if (it->integration)
        phx_integration_archive(archive, it->integration);
    else if (dae->ops->archive)
        dae->ops->archive(dae, archive);
    if (phx_archive_reads(archive) && it->integration)
        it->counted = *phx_integration_stats(it->integration);
}

/* Writes or reads a whole run with events: structure, state, integration and both daes. Reading needs a run that was
 * created from the same definition. */
void phx_events_archive(phx_archive *archive, phx_events *it)
{
    archive_structure(archive, it);
    if (phx_archive_status(archive))
        return;
    archive_state(archive, it);
    if (phx_archive_reads(archive) && !phx_archive_status(archive)) {
        it->half_done = false;
        memcpy(it->s->x, it->before.x, (size_t)it->s->dae->n_x * sizeof *it->s->x);
        memcpy(it->s->v, it->before.v, (size_t)it->s->dae->n_v * sizeof *it->s->v);
    }
    archive_steps(archive, it);
    if (phx_archive_reads(archive) && !phx_archive_status(archive))
        phx_events_keep_memory(it);
    if (!phx_archive_status(archive) && it->s->reader->ops->archive)
        it->s->reader->ops->archive(it->s->reader, archive);
}
