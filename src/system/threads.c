/* Threads inside the time step of one mechanism: a crew of the workspace goes over bodies, ports and joints, and over
 * branches of the elimination. Every number is made by the same operations in the same order whatever their number. */
#include "system_internal.h"

phx_status phx_sys_lu_create(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu)
{
    phx_lu *created = NULL;
    phx_status status =
        phx_lu_create(ws->base.context, kkt->n, kkt->ptr, kkt->idx, kkt->order, complex_values, &created);

    if (!status && ws->crew)
        status = phx_lu_use(created, ws->crew);
    if (status)
        phx_lu_destroy(created);
    else
        *lu = created;
    return status;
}

/* All factorisations that there are already. */
static phx_status hand_on(workspace *ws)
{
    const condensation *it = ws->condensation;
    phx_lu *lu[3 * PHX_FACTOR_SLOTS + 2] = {ws->lu_mass, it ? it->mass.lu : NULL};
    phx_status status = PHX_OK;
    int count = 2;

    for (int s = 0; s < PHX_FACTOR_SLOTS; s++) {
        lu[count++] = ws->lu[s];
        lu[count++] = ws->lu_complex[s];
        lu[count++] = it ? it->slot[s].lu : NULL;
    }
    for (int k = 0; k < count && !status; k++)
        if (lu[k])
            status = phx_lu_use(lu[k], ws->crew);
    return status;
}

phx_status phx_system_threads(phx_dae *dae, int threads)
{
    workspace *ws = (workspace *)dae;
    phx_crew *before = ws->crew;
    phx_status status = PHX_OK;

    ws->crew = NULL;
    if (threads > 1)
        status = phx_crew_create(dae->context, threads, &ws->crew);
    else if (threads < 1)
        status = phx_fail(dae->context, PHX_ERR_ARGUMENT, "%d threads; their number must be at least 1", threads);
    if (!status)
        status = hand_on(ws);
    phx_crew_destroy(before);
    return status;
}
