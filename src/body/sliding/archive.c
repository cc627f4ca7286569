/* Bodies along which points slide in an archive: the body inside, its curve as it was made, the number of places
 * and their inertias. */
#include "sliding.h"

#include <math.h>

/* A new field changes the size: it is written here, or follows from what is. */
_Static_assert(sizeof(void *) != 8 || sizeof(phx_curve_term) == 64, "write the new field here");

static void archive_refuse(phx_archive *archive)
{
    if (!phx_archive_status(archive))
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "the archive is damaged: a curve is none of its body"));
}

static void archive_knots(phx_archive *archive, phx_curve *curve)
{
    phx_archive_count(archive, &curve->n_pieces);
    phx_archive_double_array(archive, (size_t)curve->n_pieces + 1, &curve->knot);
    if (curve->n_pieces < 1 || !curve->knot || curve->knot[0] != 0.0)
        archive_refuse(archive);
    for (int k = 0; k < curve->n_pieces && !phx_archive_status(archive); k++)
        if (!(curve->knot[k + 1] > curve->knot[k] && curve->knot[k + 1] < HUGE_VAL))
            archive_refuse(archive);
}

static int frame_of(const phx_body *body, const phx_curve_term *term)
{
    int f = 0;

    while (f < body->n_frames - 1 && (body->frames[f].x != term->frame.x || body->frames[f].v != term->frame.v))
        f++;
    return f;
}

/* All of a term but its cubics. */
static void archive_term(phx_archive *archive, const phx_body *body, int n_pieces, phx_curve_term *term)
{
    int part = (int)term->part, coordinate = term->coordinate + 1, frame = frame_of(body, term);

    phx_archive_choice(archive, PHX_CURVE_PARTS - 1, &part);
    phx_archive_choice(archive, body->n_frames - 1, &frame);
    phx_archive_bool(archive, &term->origin);
    phx_archive_doubles(archive, 3, term->direction);
    phx_archive_choice(archive, term->origin ? 0 : body->n_q, &coordinate);
    phx_archive_choice(archive, n_pieces - 1, &term->first);
    phx_archive_choice(archive, n_pieces - term->first, &term->count);
    term->part = (phx_curve_part)part;
    term->frame = body->frames[frame];
    term->coordinate = coordinate - 1;
}

/* Writes or reads a curve: knots, terms and their cubics. After a failed read the curve is freed. */
void phx_curve_archive(phx_archive *archive, const phx_body *body, phx_curve *curve)
{
    const bool reads = phx_archive_reads(archive);
    int n_terms = curve->n_terms;

    archive_knots(archive, curve);
    phx_archive_count(archive, &n_terms);
    for (int t = 0; t < n_terms && !phx_archive_status(archive); t++) {
        phx_curve_term term = reads ? (phx_curve_term){0} : curve->terms[t];
        archive_term(archive, body, curve->n_pieces, &term);
        if (reads && !phx_archive_status(archive))
            phx_archive_fail(archive, phx_curve_add(phx_archive_context(archive), curve, &term));
        if (!phx_archive_status(archive))
            phx_archive_doubles(archive, 4 * (size_t)term.count, curve->terms[t].cubic);
    }
    if (reads && phx_archive_status(archive))
        phx_curve_free(curve);
}

static void archive_place(phx_archive *archive, phx_sliding_place *place)
{
    phx_archive_bool(archive, &place->wheel);
    phx_archive_double(archive, &place->inertia);
    phx_archive_double(archive, &place->gear);
}

/* Reads the curve of a sliding body and builds it around `inner`, which is destroyed if this fails before *made
 * exists. */
static phx_status archive_make(phx_archive *archive, phx_body *inner, int n_places, bool curved, phx_sliding **made)
{
    phx_context *context = phx_archive_context(archive);
    phx_curve curve = {0};

    if (curved)
        phx_curve_archive(archive, inner, &curve);
    phx_status status = phx_archive_status(archive);
    if (!status)
        status = phx_sliding_create(context, inner, &curve, made);
    if (status) {
        phx_body_destroy(inner);
        return status;
    }
    for (int k = 0; k < n_places && !status; k++) {
        phx_sliding_place place = {0};
        archive_place(archive, &place);
        status = phx_archive_status(archive);
        if (!status && !(place.inertia >= 0.0 && place.inertia < HUGE_VAL &&
                         (place.wheel ? isfinite(place.gear) && place.gear != 0.0 : curved)))
            status = phx_fail(context, PHX_ERR_INPUT, "the archive is damaged: a body has no such wheel or curve");
        if (!status)
            status = phx_sliding_add_place(context, place, *made);
    }
    return status;
}

/* Writes or reads the sliding part of a body: number of places, curve, inertias. In reading `inner` becomes part of
 * *body. */
void phx_sliding_archive(phx_archive *archive, phx_body *inner, phx_body **body)
{
    int n_places = inner->n_places;
    phx_sliding *made = phx_archive_reads(archive) ? NULL : (phx_sliding *)phx_as_sliding(*body);
    bool curved = made && made->curve.n_pieces > 0;

    if (made)
        n_places = (*body)->n_places;
    phx_archive_count(archive, &n_places);
    phx_archive_bool(archive, &curved);
    if (made) {
        if (curved)
            phx_curve_archive(archive, inner, &made->curve);
        for (int k = 0; k < n_places; k++)
            archive_place(archive, &made->places[k]);
        return;
    }
    const phx_status status = archive_make(archive, inner, n_places, curved, &made);
    if (status && made)
        phx_body_destroy(&made->base);
    else if (!status)
        *body = &made->base;
    phx_archive_fail(archive, status);
}
