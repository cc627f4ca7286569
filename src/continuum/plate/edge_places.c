/* Places on the boundary of a plate, and what acts there by rows along its edges, whoever has made these. */
#include "continuum/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEGREE = PHX_PLATE_EDGE_DEGREE };
static const double ON_EDGE = 1e-6; /* parts of its length: off an edge, before its end */

void phx_plate_edge_lagrange(int degree, int first, int last, double s, double value[MOST_DEGREE + 1])
{
    for (int j = 0; j <= degree; j++) {
        value[j] = j >= first && j <= last ? 1.0 : 0.0;
        for (int i = first; i <= last && value[j] != 0.0; i++)
            if (i != j)
                value[j] *= (degree * s - i) / (j - i);
    }
}

void phx_plate_edges_free(phx_plate_edges *edges)
{
    if (!edges)
        return;
    phx_free(edges->end);
    phx_free(edges->begin);
    phx_free(edges->in);
    phx_free(edges->out);
    phx_free(edges->V);
    phx_free(edges->M);
    phx_free(edges->R);
    memset(edges, 0, sizeof *edges);
}

/* Finds the edge that enters and the one that leaves each node of the boundary, -1 if there is none. */
phx_status phx_plate_edges_join(phx_context *context, phx_plate_edges *edges)
{
    const size_t n = (size_t)edges->nodes;

    edges->in = phx_calloc(context, n + 1, sizeof *edges->in);
    edges->out = phx_calloc(context, n + 1, sizeof *edges->out);
    if (!edges->in || !edges->out)
        return PHX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        edges->in[i] = edges->out[i] = -1;
    for (int k = 0; k < edges->n; k++) {
        edges->out[edges->end[2 * k]] = k;
        edges->in[edges->end[2 * k + 1]] = k;
    }
    return PHX_OK;
}

/* ---- places ---- */
phx_status continuum_edge_spot(phx_context *context, const phx_elastic_model *model, const phx_location *location,
                               const unsigned char *port, char text[PHX_SPOT_TEXT], phx_plate_spot *spot)
{
    *spot = (phx_plate_spot){.text = text, .node = -1};
    if (location->sort == PHX_LOCATION_PLACE) {
        memcpy(spot->place, location->place, sizeof spot->place);
        snprintf(text, PHX_SPOT_TEXT, "the place [%g, %g]", location->place[0], location->place[1]);
        return PHX_OK;
    }
    if (location->sort == PHX_LOCATION_NODE) {
        spot->node = continuum_node_labelled(model, location->node);
        snprintf(text, PHX_SPOT_TEXT, "node %d", location->node);
        return spot->node >= 0 && spot->node < model->mesh.n_nodes
                   ? PHX_OK
                   : phx_fail(context, PHX_ERR_ARGUMENT, "its mesh has no node %d", location->node);
    }
    spot->nodes = port;
    snprintf(text, PHX_SPOT_TEXT, "the port %s", phx_shown_text(location->name).text);
    return port ? PHX_OK
                : phx_fail(context, PHX_ERR_ARGUMENT, "it has no point %s", phx_shown_text(location->name).text);
}

static double length_of(const phx_plate_edges *edges, const double *x, int edge)
{
    const double *a = x + 3 * edges->end[2 * edge], *b = x + 3 * edges->end[2 * edge + 1];
    return hypot(b[0] - a[0], b[1] - a[1]);
}

/* The edge through a place, and where along it. */
static int edge_at(const phx_plate_edges *edges, const double *x, const double place[2], double *s)
{
    for (int edge = 0; edge < edges->n; edge++) {
        const double *a = x + 3 * edges->end[2 * edge], *b = x + 3 * edges->end[2 * edge + 1];
        const double length = length_of(edges, x, edge), off = ON_EDGE * length;
        const double t[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length};
        const double along = (place[0] - a[0]) * t[0] + (place[1] - a[1]) * t[1];
        const double across = (place[0] - a[0]) * t[1] - (place[1] - a[1]) * t[0];
        if (fabs(across) > off || along < -off || along > length + off)
            continue;
        *s = fmin(fmax(along / length, 0.0), 1.0);
        return edge;
    }
    return -1;
}

static phx_status off_edge(phx_context *context, const phx_plate_spot *spot)
{
    return phx_fail(context, PHX_ERR_ARGUMENT,
                    "%s lies on no edge of the plate; edge forces and moments are those of its boundary, at a node, a "
                    "place or a port there",
                    spot->text);
}

static phx_status make_terms(phx_context *context, int count, phx_edge_terms *terms)
{
    terms->term = phx_calloc(context, (size_t)count + 1, sizeof *terms->term);
    return terms->term ? PHX_OK : PHX_ERR_MEMORY;
}

static void add_term(phx_edge_terms *terms, int edge, double s, double factor)
{
    terms->term[terms->n++] = (phx_edge_term){.edge = edge, .s = s, .factor = factor};
}

/* 0: no corner */
static int corner_of(const phx_plate_edges *edges, int node)
{
    return edges->out[node] >= 0 ? edges->begin[edges->out[node]] : 0;
}

/* A node of the boundary as the end of an edge: 1, of two of them; of a corner that is no answer. */
static phx_status at_node(phx_context *context, const phx_plate_edges *edges, const phx_plate_spot *spot, int node,
                          phx_edge_terms *terms)
{
    if (node >= edges->nodes || edges->out[node] < 0)
        return off_edge(context, spot);
    if (corner_of(edges, node))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "%s is a corner of the plate, where two edges end; name a place on one of them, or take "
                        "'corner_force'",
                        spot->text);
    const phx_status status = make_terms(context, 2, terms);
    if (status)
        return status;
    add_term(terms, edges->in[node], 1.0, 0.5);
    add_term(terms, edges->out[node], 0.0, 0.5);
    return PHX_OK;
}

/* Edge terms at a place on the boundary: one edge with its parameter, or those of a node if the place is at an end.
 * Fails off the boundary. */
static phx_status at_place(phx_context *context, const phx_plate_edges *edges, const double *x,
                           const phx_plate_spot *spot, phx_edge_terms *terms)
{
    double s = 0.0;
    const int edge = edge_at(edges, x, spot->place, &s);

    if (edge < 0)
        return off_edge(context, spot);
    if (s < ON_EDGE || s > 1.0 - ON_EDGE)
        return at_node(context, edges, spot, edges->end[2 * edge + (s > 0.5)], terms);
    const phx_status status = make_terms(context, 1, terms);
    if (!status)
        add_term(terms, edge, s, 1.0);
    return status;
}

/* The mean over the edges both ends of which are among the nodes; of one node alone what is there. */
static phx_status over_nodes(phx_context *context, const phx_plate_edges *edges, const double *x,
                             const phx_plate_spot *spot, phx_edge_terms *terms)
{
    const int points = edges->shear > edges->moment ? edges->shear : edges->moment;
    double at[MOST_DEGREE + 1], weight[MOST_DEGREE + 1], length = 0.0;
    int count = 0, last = -1, ends = 0;

    for (int edge = 0; edge < edges->n; edge++)
        if (spot->nodes[edges->end[2 * edge]] && spot->nodes[edges->end[2 * edge + 1]]) {
            length += length_of(edges, x, edge);
            count++;
        }
    for (int i = 0; i < edges->nodes; i++)
        if (spot->nodes[i]) {
            last = i;
            ends++;
        }
    if (count == 0)
        return ends == 1 ? at_node(context, edges, spot, last, terms) : off_edge(context, spot);
    phx_gauss(points, at, weight);
    const phx_status status = make_terms(context, points * count, terms);
    for (int edge = 0; edge < edges->n && !status; edge++)
        for (int g = 0; g < points; g++)
            if (spot->nodes[edges->end[2 * edge]] && spot->nodes[edges->end[2 * edge + 1]])
                add_term(terms, edge, at[g], weight[g] * length_of(edges, x, edge) / length);
    return status;
}

/* The corner of the plate at a spot; -1: there is none, or more than one. */
static int corner_at(const phx_plate_edges *edges, const double *x, const phx_plate_spot *spot)
{
    int found = -1;

    if (spot->node >= 0)
        return spot->node < edges->nodes && corner_of(edges, spot->node) == 1 ? spot->node : -1;
    if (!spot->nodes) {
        double s = 0.0;
        const int edge = edge_at(edges, x, spot->place, &s);
        if (edge < 0 || (s > ON_EDGE && s < 1.0 - ON_EDGE))
            return -1;
        const int end = edges->end[2 * edge + (s > 0.5)];
        return corner_of(edges, end) == 1 ? end : -1;
    }
    for (int i = 0; i < edges->nodes; i++)
        if (spot->nodes[i] && corner_of(edges, i) == 1) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

/* The force on a corner stands at the edge that begins there; the edge that ends there, with the factor 0, adds nothing
 * to it, but its line has a share in it and has to be evaluated. */
static phx_status find_corner(phx_context *context, const phx_plate_edges *edges, const double *x,
                              const phx_plate_spot *spot, phx_edge_terms *terms)
{
    const int corner = corner_at(edges, x, spot);

    if (corner < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "%s is no corner of the plate, a node where its boundary turns by more than 30 degrees",
                        spot->text);
    const phx_status status = make_terms(context, 2, terms);
    if (status)
        return status;
    add_term(terms, edges->out[corner], 0.0, 1.0);
    add_term(terms, edges->in[corner], 1.0, 0.0);
    return PHX_OK;
}

void phx_edge_terms_free(phx_edge_terms *terms)
{
    phx_free(terms->term);
    *terms = (phx_edge_terms){.n = 0};
}

phx_status phx_plate_edges_find(phx_context *context, const phx_plate_edges *edges, const double *x, phx_stress_set set,
                                const phx_plate_spot *spot, phx_edge_terms *terms)
{
    *terms = (phx_edge_terms){.n = 0};
    return set == PHX_STRESSES_CORNER ? find_corner(context, edges, x, spot, terms)
           : spot->nodes              ? over_nodes(context, edges, x, spot, terms)
           : spot->node >= 0          ? at_node(context, edges, spot, spot->node, terms)
                                      : at_place(context, edges, x, spot, terms);
}

/* ---- rows ---- */
/* rows += factor sum_j L_j(s) values_j, `stride` from one to the next */
static void add_polynomial(int degree, double s, double factor, const double *values, size_t stride, size_t cols,
                           double *rows)
{
    double L[MOST_DEGREE + 1];

    phx_plate_edge_lagrange(degree, 0, degree, s, L);
    for (int j = 0; j <= degree; j++)
        for (size_t c = 0; c < cols; c++)
            rows[c] += factor * L[j] * values[(size_t)j * stride + c];
}

/* Rows of the edge resultants for a sum of terms: force R of a corner, or V, M_nn and M_nt from the polynomials along
 * the edges. */
void phx_plate_edges_rows(const phx_plate_edges *edges, phx_stress_set set, const phx_edge_terms *terms, double *rows)
{
    const size_t cols = (size_t)edges->cols, of_shear = (size_t)(edges->shear + 1) * cols,
                 of_moment = 2 * (size_t)(edges->moment + 1) * cols;

    memset(rows, 0, (size_t)phx_stress_components(set) * cols * sizeof *rows);
    for (int k = 0; k < terms->n; k++) {
        const phx_edge_term *term = &terms->term[k];
        const size_t edge = (size_t)term->edge;
        if (set == PHX_STRESSES_CORNER) {
            add_polynomial(0, 0.0, term->factor, edges->R + edge * cols, cols, cols, rows);
            continue;
        }
        add_polynomial(edges->shear, term->s, term->factor, edges->V + edge * of_shear, cols, cols, rows);
        for (size_t m = 0; m < 2; m++)
            add_polynomial(edges->moment, term->s, term->factor, edges->M + edge * of_moment + m * cols, 2 * cols, cols,
                           rows + (1 + m) * cols);
    }
}
