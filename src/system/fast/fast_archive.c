/* The memory of the fast evaluator between intervals: condensed matrices and their factors. */
#include "fast.h"

/* As if nothing had been factored yet. */
static void forget(condensed_lu *factors)
{
    factors->cj = 0.0;
    factors->corrections = factors->asked = 0;
    if (factors->lu)
        phx_lu_forget(factors->lu);
}

/* Writes or reads the condensed factors of one slot; in reading the factors of the body types are recomputed from the
 * archived cj. */
static void archive_slot(phx_archive *archive, workspace *ws, condensation *condensed, condensed_lu *factors)
{
    bool there = factors->arrow != NULL;

    phx_archive_bool(archive, &there);
    if (!there) {
        forget(factors);
        return;
    }
    if (!factors->arrow)
        phx_archive_fail(archive, phx_sys_condensed_lu_create(ws, factors));
    if (phx_archive_status(archive))
        return;
    const double cj = factors->cj;
    double given = cj;
    phx_archive_double(archive, &given); /* the factors of the types of bodies follow from it */
    for (int k = 0; k < condensed->n_types && phx_archive_reads(archive) && given != 0.0 && given != cj; k++)
        phx_archive_fail(archive, phx_condenser_factor(factors->type[k], given, 1.0 / given, 1.0));
    factors->cj = given;
    phx_archive_int(archive, &factors->corrections);
    phx_archive_int(archive, &factors->asked);
    phx_archive_doubles(archive, condensed->layout.arrow_size, factors->arrow);
    phx_archive_doubles(archive, condensed->layout.influence_size, factors->influence);
    phx_archive_doubles(archive, condensed->layout.rates_size, factors->rates);
    phx_sys_archive_lu(archive, ws, &condensed->kkt, phx_fast_create_lu, &factors->lu);
}

/* The matrix whose rows alone will be made anew, and its factors. */
static void archive_reuse(phx_archive *archive, workspace *ws)
{
    block_reuse *reuse = &ws->fast->reuse;

    if (!reuse->able)
        return;
    reuse->left = ws->values.summed || phx_archive_reads(archive) ? reuse->left : 0;
    phx_archive_int(archive, &reuse->left);
    phx_archive_double(archive, &reuse->h);
    phx_archive_double(archive, &reuse->t0);
    if (reuse->left != 0) {
        phx_archive_doubles(archive, (size_t)ws->kkt.ptr[ws->kkt.n], ws->values.val);
        ws->values.summed = true;
    }
    if (ws->fast->schur)
        phx_sys_schur_archive(archive, ws->fast->schur);
}

/* Writes or reads everything that the fast evaluator carries from one interval to the next. */
void phx_fast_archive(phx_archive *archive, workspace *ws)
{
    condensation *condensed = ws->fast->condensation;

    if (phx_archive_reads(archive))
        ws->fast->ports.start_viewed = ws->fast->ports.end_viewed = ws->fast->signals_set = false;
    archive_reuse(archive, ws);
    if (!condensed)
        return;
    phx_archive_int(archive, &condensed->wait);
    for (int slot = 0; slot < PHX_FACTOR_SLOTS; slot++) {
        phx_archive_bool(archive, &condensed->in_slot[slot]);
        archive_slot(archive, ws, condensed, &condensed->slot[slot]);
    }
    phx_sys_archive_lu(archive, ws, &condensed->kkt, phx_fast_create_lu, &condensed->mass.lu);
    condensed->values.holder = NULL;
}
