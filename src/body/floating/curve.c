/* The curve of a floating beam along which points slide (docs/theory-sliding.md): with shapes phi and rotations theta
 * that are cubic, or of lower degree, on each element,
 *
 *     u = r + R (s e1 + sum_j phi_j(s) q_j) ,   d1 = R (e1 + sum_j w_j'(s) q_j) ,   d2 = R (e2 + theta x e2) ,
 *
 * w: the displacements across the beam. */
#include "body/sliding/curve.h"
#include "floating.h"

#include <string.h>

/* A coordinate at the ends of the elements: displacements and rotations of the section, 6 x (pieces + 1). */
typedef struct nodal {
    int pieces;
    double *value; /* of (ux uy uz tx ty tz) of coordinate j at node k: value[(j * (pieces + 1) + k) * 6 + component] */
} nodal;

static const double *at_node(const nodal *all, int j, int k)
{
    return all->value + ((size_t)j * ((size_t)all->pieces + 1) + (size_t)k) * 6;
}

/* Displacements and rotations of all shapes at node k of the beam (fraction k / pieces), written to the table `all`, 6
 * numbers for each. */
static phx_status read_node(phx_context *context, const phx_flex_source *source, int dim, int k, const nodal *all)
{
    const phx_location location = phx_location_at_fraction((double)k / all->pieces);
    phx_flex_point point = {.n = 0};
    const phx_status status = phx_flex_source_point(source, context, &location, &point);

    for (int i = 0; i < point.n && !status; i++) {
        double *to = all->value + ((size_t)point.dof[i] * ((size_t)all->pieces + 1) + (size_t)k) * 6;
        for (int a = 0; a < dim; a++)
            to[a] = point.phi[a * point.n + i];
        for (int a = 0; a < (dim == 2 ? 1 : 3); a++)
            to[dim == 2 ? 5 : 3 + a] = point.theta[a * point.n + i];
    }
    phx_flex_point_free(&point);
    return status;
}

/* The elements that the component moves, with the slope that belongs to it (-1: none). */
static bool moves(const nodal *all, int j, int component, int slope, int *first, int *count)
{
    int low = all->pieces, high = -1;

    for (int k = 0; k <= all->pieces; k++)
        if (at_node(all, j, k)[component] != 0.0 || (slope >= 0 && at_node(all, j, k)[slope] != 0.0)) {
            low = k < low ? k : low;
            high = k;
        }
    *first = low > 0 ? low - 1 : 0;
    *count = (high < all->pieces ? high : all->pieces - 1) - *first + 1;
    return high >= 0;
}

/* One component of a coordinate along a body axis: straight between the nodes, with a slope (its rotation times `sign`)
 * a Hermite cubic whose slope turns the axis d1 and, back, d2. */
static phx_status add_component(phx_context *context, const nodal *all, phx_body_frame frame, int j,
                                phx_curve_part part, int axis, int component, int slope, double sign, phx_curve *out)
{
    phx_curve_term term = {.part = part, .frame = frame, .coordinate = j};

    if (!moves(all, j, component, slope, &term.first, &term.count))
        return PHX_OK;
    term.direction[axis] = 1.0;
    phx_status status = phx_curve_add(context, out, &term);
    for (int k = term.first; k < term.first + term.count && !status; k++) {
        const double *a = at_node(all, j, k), *b = at_node(all, j, k + 1);
        if (slope >= 0)
            phx_curve_set_hermite(out, k, a[component], sign * a[slope], b[component], sign * b[slope]);
        else
            phx_curve_set_linear(out, k, a[component], b[component]);
    }
    if (status || slope < 0)
        return status;
    status = phx_curve_add_slope(context, out);
    if (status || slope != 5)
        return status;
    phx_curve_term back = out->terms[out->n_terms - 1]; /* theta_z x e2 = -theta_z e1 */
    const double *from = back.cubic;
    back.part = PHX_CURVE_ACROSS;
    memset(back.direction, 0, sizeof back.direction);
    back.direction[0] = -1.0;
    status = phx_curve_add(context, out, &back);
    if (!status)
        memcpy(out->terms[out->n_terms - 1].cubic, from, 4 * (size_t)back.count * sizeof *from);
    return status;
}

static phx_status add_coordinate(phx_context *context, const nodal *all, phx_body_frame frame, int dim, int j,
                                 phx_curve *out)
{
    phx_status status = add_component(context, all, frame, j, PHX_CURVE_PLACE, 0, 0, -1, 0.0, out);

    if (!status)
        status = add_component(context, all, frame, j, PHX_CURVE_PLACE, 1, 1, 5, 1.0, out); /* uy' = theta_z */
    if (!status && dim == 3)
        status = add_component(context, all, frame, j, PHX_CURVE_PLACE, 2, 2, 4, -1.0, out); /* uz' = -theta_y */
    if (!status && dim == 3)
        status = add_component(context, all, frame, j, PHX_CURVE_ACROSS, 2, 3, -1, 0.0, out); /* theta_x x e2 */
    return status;
}

/* The undeformed part: r, R s e1 of the place; R e1, R e2. */
static phx_status add_rigid(phx_context *context, phx_body_frame frame, phx_curve *out)
{
    static const phx_curve_part part[] = {PHX_CURVE_PLACE, PHX_CURVE_PLACE, PHX_CURVE_ALONG, PHX_CURVE_ACROSS};
    static const int axis[] = {-1, 0, 0, 1};
    phx_status status = PHX_OK;

    for (int t = 0; t < 4 && !status; t++) {
        phx_curve_term term = {
            .part = part[t], .frame = frame, .origin = t == 0, .coordinate = -1, .count = out->n_pieces};
        if (axis[t] >= 0)
            term.direction[axis[t]] = 1.0;
        status = phx_curve_add(context, out, &term);
        for (int k = 0; k < out->n_pieces && !status; k++)
            phx_curve_set_linear(out, k, t == 1 ? out->knot[k] : 1.0, t == 1 ? out->knot[k + 1] : 1.0);
    }
    return status;
}

/* Creates a curve with equally spaced knots along the beam, from 0 to its length. */
static phx_status make_knots(phx_context *context, const phx_flex_source *source, int pieces, phx_curve *out)
{
    const phx_location end = phx_location_at_fraction(1.0);
    double *knot = phx_calloc(context, (size_t)pieces + 1, sizeof *knot);
    phx_flex_point point = {.n = 0};
    phx_status status = knot ? phx_flex_source_point(source, context, &end, &point) : PHX_ERR_MEMORY;

    for (int k = 0; k <= pieces && !status; k++)
        knot[k] = k == pieces ? point.x[0] : point.x[0] * k / pieces;
    if (!status)
        status = phx_curve_create(context, pieces, knot, out);
    phx_flex_point_free(&point);
    phx_free(knot);
    return status;
}

/* Creates the curve of a floating beam along which ports slide: rigid terms and for each coordinate a piecewise cubic.
 * Fails for other bodies and for simplified kinetics. */
phx_status phx_floating_curve(const phx_body *body, phx_context *context, const phx_flex_source *source,
                              phx_curve *curve)
{
    const int pieces = source ? phx_flex_source_cubic_pieces(source) : 0, n = body->n_q;

    if (pieces == 0)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "nothing can slide along '%s': it takes a beam of cubic elements (order: 3, not element: "
                        "assumed) or a rod",
                        body->name);
    if (body->kinetics != PHX_KINETICS_FULL)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "nothing can slide along '%s' with kinetics: simplified",
                        body->name);
    nodal all = {.pieces = pieces};
    all.value = phx_calloc(context, (size_t)n * ((size_t)pieces + 1) * 6, sizeof *all.value);
    phx_status status = all.value ? make_knots(context, source, pieces, curve) : PHX_ERR_MEMORY;
    for (int k = 0; k <= pieces && !status; k++)
        status = read_node(context, source, body->dim, k, &all);
    if (!status)
        status = add_rigid(context, body->frames[0], curve);
    for (int j = 0; j < n && !status; j++)
        status = add_coordinate(context, &all, body->frames[0], body->dim, j, curve);
    phx_free(all.value);
    return status;
}
