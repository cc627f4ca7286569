/* Bodies in an archive: a row for each kind that can be written. */
#include "body/floating/floating.h"
#include "body/rod/rod.h"
#include "body/sliding/sliding.h"
#include "body/vectors/vectors.h"

/* A kind: its table of operations, by whose name it is found, and what writes and reads one; `flex` is its deformation,
 * which is written elsewhere (NULL: none). */
typedef struct body_archive {
    const phx_body_ops *ops;
    void (*archive)(phx_archive *archive, const phx_flex *flex, phx_body **body);
} body_archive;

static const body_archive kinds[] = {
    {&phx_floating_ops, phx_floating_archive},
    {&phx_rod_ops, phx_rod_archive},
    {&phx_vector_ops, phx_vectors_archive},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Writes or reads a body without places: its kind by its number in the table, then its data. Fails for a kind that
 * cannot be archived. */
static void archive_plain(phx_archive *archive, const phx_flex *flex, phx_body **body)
{
    int kind = 0;

    while (!phx_archive_reads(archive) && kind < N_KINDS && kinds[kind].ops != (*body)->ops)
        kind++;
    if (kind == N_KINDS) {
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_UNSUPPORTED,
                                           "body '%s': a %s cannot be written to a snapshot yet", phx_body_name(*body),
                                           phx_body_kind(*body)));
        return;
    }
    phx_archive_choice(archive, N_KINDS - 1, &kind);
    if (!phx_archive_status(archive))
        kinds[kind].archive(archive, flex, body);
}

/* Writes or reads a body of any kind; places of sliding ports wrap the body inside. In reading *body is the new body,
 * NULL after an error. */
void phx_body_archive(phx_archive *archive, const phx_flex *flex, phx_body **body)
{
    const bool reads = phx_archive_reads(archive);
    const phx_sliding *with_places = reads ? NULL : phx_as_sliding(*body);
    bool places = with_places != NULL;
    phx_body *plain = reads ? NULL : places ? with_places->inner : *body;

    if (reads)
        *body = NULL;
    phx_archive_bool(archive, &places);
    archive_plain(archive, flex, &plain);
    if (places && !phx_archive_status(archive))
        phx_sliding_archive(archive, plain, body);
    else if (reads)
        *body = plain;
}

phx_status phx_body_sum(phx_context *context, int n, const phx_body *const *bodies, const double *weight,
                        phx_body **sum, bool *residual)
{
    *sum = NULL;
    *residual = false;
    for (int k = 0; k < n; k++)
        if (!phx_as_floating(bodies[k]))
            return PHX_OK;
    /* not what is averaged at the centre of mass, moment over mass, nor stiffening, whose numbers are multiplied */
    *residual = !phx_body_finishes(bodies[0]) && !phx_body_flex(bodies[0])->stiffening;
    return phx_floating_sum(context, n, bodies, weight, sum);
}
