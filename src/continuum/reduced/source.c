/* A reduced body as a source of deformation: its points, masses at its ports. */
#include "reduced.h"

#include <math.h>
#include <string.h>

/* Frees a reduced body; parts shared with a base belong to the base. */
static void source_destroy(phx_flex_source *source)
{
    reduced_source *projected_source = (reduced_source *)source;

    phx_flex_source_destroy(projected_source->beam);
    if (projected_source->base) {
        phx_flex_source_destroy(projected_source->base);
    } else {
        for (int p = 0; p < projected_source->n_ports; p++) {
            if (projected_source->names)
                phx_free(projected_source->names[p]);
            if (projected_source->points)
                phx_flex_point_free(&projected_source->points[p]);
        }
        phx_free(projected_source->names);
        phx_free(projected_source->points);
        phx_free(projected_source->rotation);
        phx_elastic_destroy(projected_source->shape.model);
        phx_free(projected_source->shape.Phi);
        phx_free(projected_source->shape.omega);
        phx_free(projected_source->shape.nodal);
        phx_free(projected_source->shape.thickness);
        phx_free(projected_source->port_stress);
        phx_free(projected_source->section);
        phx_free(projected_source->pair);
        phx_plate_edges_free(&projected_source->edges);
        phx_free(projected_source->port_first);
        phx_free(projected_source->port_node);
    }
    phx_free(projected_source);
}

static int port_named(const reduced_source *source, const char *name)
{
    for (int p = 0; p < source->n_ports; p++)
        if (!strcmp(source->names[p], name))
            return p;
    return -1;
}

static phx_status named_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                              phx_flex_point *point)
{
    const reduced_source *projected_source = reduced_of(source);
    phx_nearest nearest = phx_nearest_to(location->name);
    for (int p = 0; p < projected_source->n_ports; p++) {
        if (!strcmp(projected_source->names[p], location->name))
            return phx_flex_point_copy(context, source->flex.dim, &projected_source->points[p], point);
        phx_nearest_offer(&nearest, projected_source->names[p]);
    }
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no point %s%s", source->operations->name,
                    phx_shown_text(location->name).text, phx_nearest_hint(&nearest).text);
}

static phx_status point_at(const phx_flex_source *source, phx_context *context, const phx_location *location,
                           phx_flex_point *point)
{
    return location->sort == PHX_LOCATION_NODE
               ? continuum_node_point(context, &reduced_of(source)->shape, location->node, point)
               : named_point(source, context, location, point);
}

static phx_stress_set source_stresses_of(const phx_flex_source *source)
{
    return reduced_of(source)->stresses;
}

/* rows <- the first n + pairs columns of `count` rows of n + all. */
static void source_take_columns(const reduced_source *source, size_t count, int pairs, int all, const double *from,
                                double *rows)
{
    const size_t kept = (size_t)(source->shape.source.flex.n + pairs),
                 width = (size_t)(source->shape.source.flex.n + all);

    for (size_t r = 0; r < count; r++)
        memcpy(rows + r * kept, from + r * width, kept * sizeof *rows);
}

/* With `pairs` products, all or none. */
static phx_status rows_at(const reduced_source *source, phx_context *context, const phx_location *location, int pairs,
                          double *rows)
{
    const size_t components = (size_t)phx_stress_components(source->stresses);
    const stress_columns columns = {.n = source->shape.source.flex.n + source->node_pairs};
    const bool at_nodes = !location || location->sort != PHX_LOCATION_NAME;

    if (at_nodes && pairs > source->node_pairs)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "%s: its file has the stresses at its ports alone, since with stiffening so many nodes and "
                        "coordinates make too many numbers; take a port, or reduce the body to fewer modes",
                        source->shape.source.operations->name);
    if (!location) {
        source_take_columns(source, (size_t)source->shape.model->mesh.n_nodes * components, pairs, source->node_pairs,
                            source->shape.nodal, rows);
        return PHX_OK;
    }
    if (at_nodes) {
        double *whole = phx_calloc(context, components * (size_t)columns.n + 1, sizeof *whole);
        const phx_status status =
            whole ? continuum_stress_at(context, &source->shape, &columns, location, whole) : PHX_ERR_MEMORY;
        if (!status)
            source_take_columns(source, components, pairs, source->node_pairs, whole, rows);
        phx_free(whole);
        return status;
    }
    for (int p = 0; p < source->n_ports; p++)
        if (!strcmp(source->names[p], location->name)) {
            const size_t width = (size_t)(source->shape.source.flex.n + source->n_pairs);
            source_take_columns(source, components, pairs, source->n_pairs,
                                source->port_stress + (size_t)p * components * width, rows);
            return PHX_OK;
        }
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no point %s", source->shape.source.operations->name,
                    phx_shown_text(location->name).text);
}

static phx_status stress_rows(const phx_flex_source *source, phx_context *context, const phx_location *location,
                              double *rows)
{
    return rows_at(reduced_of(source), context, location, 0, rows);
}

static phx_status describe_columns(const phx_flex_source *source, phx_context *context, phx_stress_map *map)
{
    const reduced_source *projected_source = reduced_of(source);

    map->n_pairs = projected_source->n_pairs;
    map->pair = phx_calloc(context, 2 * (size_t)projected_source->n_pairs + 1, sizeof *map->pair);
    if (!map->pair)
        return PHX_ERR_MEMORY;
    if (projected_source->n_pairs > 0)
        memcpy(map->pair, projected_source->pair, 2 * (size_t)projected_source->n_pairs * sizeof *map->pair);
    return PHX_OK;
}

void reduced_port_nodes(const phx_flex_source *source, const char *port, unsigned char *nodes)
{
    const reduced_source *projected_source = reduced_of(source);
    const int p = port_named(projected_source, port);

    for (int k = p < 0 ? 0 : projected_source->port_first[p]; p >= 0 && k < projected_source->port_first[p + 1]; k++)
        nodes[projected_source->port_node[k]] = 1;
}

/* On the boundary of a plate, zero of products. */
static phx_status edge_rows(const reduced_source *source, phx_context *context, phx_stress_set set,
                            const phx_location *location, double *rows)
{
    const phx_elastic_model *model = source->shape.model;
    const size_t n = (size_t)source->shape.source.flex.n, all = n + (size_t)source->n_pairs;
    const size_t components = (size_t)phx_stress_components(set);
    const int port = location->sort == PHX_LOCATION_NAME ? port_named(source, location->name) : -1;
    unsigned char *nodes = phx_calloc(context, (size_t)model->mesh.n_nodes + 1, 1);
    double *own = phx_calloc(context, components * n + 1, sizeof *own);
    phx_edge_terms terms = {.n = 0};
    phx_plate_spot spot;
    char text[PHX_SPOT_TEXT];
    phx_status status = nodes && own ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && port >= 0)
        reduced_port_nodes(&source->shape.source, location->name, nodes);
    if (!status)
        status = continuum_edge_spot(context, model, location, port >= 0 ? nodes : NULL, text, &spot);
    if (!status)
        status = phx_plate_edges_find(context, &source->edges, model->mesh.x, set, &spot, &terms);
    if (!status) {
        phx_plate_edges_rows(&source->edges, set, &terms, own);
        memset(rows, 0, components * all * sizeof *rows);
        for (size_t c = 0; c < components; c++)
            memcpy(rows + c * all, own + c * n, n * sizeof *rows);
    }
    phx_edge_terms_free(&terms);
    phx_free(nodes);
    phx_free(own);
    return status;
}

static phx_status stress_map_rows(const phx_flex_source *source, phx_context *context, phx_stress_set set,
                                  const phx_location *location, double *rows)
{
    const reduced_source *projected_source = reduced_of(source);

    if (set == projected_source->stresses)
        return rows_at(projected_source, context, location, projected_source->n_pairs, rows);
    if (projected_source->edges.n > 0)
        return edge_rows(projected_source, context, set, location, rows);
    return phx_fail(context, PHX_ERR_ARGUMENT,
                    "%s: its file is of an earlier version and has nothing of the edges of the plate; write it again "
                    "with 'phlexor reduce'",
                    source->operations->name);
}

enum { SORTS = 1 << PHX_LOCATION_NAME | 1 << PHX_LOCATION_NODE };
const phx_source_operations reduced_operations = {.name = "reduced body",
                                                  .destroy = source_destroy,
                                                  .sorts = SORTS,
                                                  .point = point_at,
                                                  .stresses = source_stresses_of,
                                                  .stress_rows = stress_rows,
                                                  .stress_nodes = continuum_stress_nodes,
                                                  .stress_columns = describe_columns,
                                                  .stress_map_rows = stress_map_rows};

/* ---- beams: the length, besides the ports ---- */
static phx_status beam_point_at(const phx_flex_source *source, phx_context *context, const phx_location *location,
                                phx_flex_point *point)
{
    return location->sort == PHX_LOCATION_NAME
               ? named_point(source, context, location, point)
               : phx_flex_source_point(reduced_of(source)->beam, context, location, point);
}

/* A port by its place. */
static void beam_section_rows(const phx_flex_source *source, const phx_location *location, double *axial,
                              double *moment, double *torsion)
{
    const reduced_source *projected_source = reduced_of(source);
    phx_location at = *location;

    for (int p = 0; p < projected_source->n_ports && location->sort == PHX_LOCATION_NAME; p++)
        if (!strcmp(projected_source->names[p], location->name))
            at = phx_location_at_fraction(
                fmin(fmax(projected_source->points[p].x[0] / phx_beam_definition(source)->length, 0.0), 1.0));
    projected_source->beam->operations->section_rows(projected_source->beam, &at, axial, moment, torsion);
}

static void beam_quadrature(const phx_flex_source *source, int *count, const double **s, const double **weight)
{
    const phx_flex_source *beam = reduced_of(source)->beam;
    beam->operations->quadrature(beam, count, s, weight);
}

static int beam_pieces(const phx_flex_source *source)
{
    return phx_flex_source_cubic_pieces(reduced_of(source)->beam);
}

static const phx_flex_source *source_beam_of(const phx_flex_source *source)
{
    return reduced_of(source)->beam;
}

enum { BEAM_SORTS = 1 << PHX_LOCATION_NAME | 1 << PHX_LOCATION_FRACTION | 1 << PHX_LOCATION_ORIGIN };
const phx_source_operations reduced_beam_operations = {.name = "reduced beam",
                                                       .destroy = source_destroy,
                                                       .sorts = BEAM_SORTS,
                                                       .point = beam_point_at,
                                                       .section_rows = beam_section_rows,
                                                       .quadrature = beam_quadrature,
                                                       .cubic_pieces = beam_pieces,
                                                       .beam = source_beam_of};

const double *phx_reduced_section(const phx_flex_source *source)
{
    return reduced_of(source)->section;
}

int phx_reduced_ports(const phx_flex_source *source)
{
    return reduced_of(source)->n_ports;
}

const char *phx_reduced_port_name(const phx_flex_source *source, int port)
{
    return reduced_of(source)->names[port];
}

const double *phx_reduced_port_rotation(const phx_flex_source *source, int port)
{
    const size_t dim = (size_t)source->flex.dim;
    return reduced_of(source)->rotation + dim * dim * (size_t)port;
}

const double *phx_reduced_port_position(const phx_flex_source *source, int port)
{
    return reduced_of(source)->points[port].x;
}

/* A copy of everything in a flex on a full pattern. */
static phx_status copy_flex(phx_context *context, const phx_flex *from, phx_flex *flex)
{
    const size_t n = (size_t)from->n;
    double *unit = phx_calloc(context, n * n, sizeof *unit);
    phx_flex linear = *from; /* what can be projected */
    phx_status status = unit ? PHX_OK : PHX_ERR_MEMORY;

    linear.stiffening = NULL;
    for (size_t i = 0; i < n && !status; i++)
        unit[i * (n + 1)] = 1.0;
    if (!status)
        status = phx_flex_project(context, &linear, from->n, unit, flex);
    if (!status && from->stiffening)
        status = phx_stiffening_copy(context, from->stiffening, &flex->stiffening);
    phx_free(unit);
    return status;
}

/* Source with point masses added at ports of a reduced body, with which it shares everything but the matrices. *source
 * is set on success only. */
phx_status phx_reduced_with_masses(phx_context *context, phx_flex_source *base, int n_masses,
                                   const phx_continuum_mass *masses, phx_flex_source **source)
{
    reduced_source *made = phx_calloc(context, 1, sizeof *made);
    phx_status status = made ? copy_flex(context, &base->flex, &made->shape.source.flex) : PHX_ERR_MEMORY;
    phx_flex *flex = made ? &made->shape.source.flex : NULL;

    for (int k = 0; k < n_masses && !status; k++)
        status = phx_flex_add_mass(context, &reduced_of(base)->points[masses[k].interface], masses[k].mass,
                                   masses[k].inertia, flex);
    if (!status) {
        phx_flex_free_compact(flex->compact);
        flex->compact = NULL;
        status = phx_flex_make_compact(context, flex);
    }
    if (status) {
        phx_flex_free(flex);
        phx_free(made);
        return status;
    }
    const phx_flex own = *flex;
    *made = *reduced_of(base);
    made->shape.source = (phx_flex_source){.operations = base->operations, .flex = own};
    made->base = phx_flex_source_share(base);
    phx_flex_source_share(made->beam);
    *source = &made->shape.source;
    return PHX_OK;
}
