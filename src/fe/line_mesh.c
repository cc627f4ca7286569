/* The mesh of the beam axis: fields, raw coordinates, points, pattern. */
#include "line_mesh.h"
#include "source.h"

#include <math.h>

/* Fields of a beam (axial, bending in one or two planes, torsion) with their stiffness and their place in displacement
 * and rotation; returns their number. */
int phx_beam_fields(const phx_beam_def *def, phx_field field[PHX_FIELD_MAX])
{
    const bool space = def->dim == 3;
    int count = 0;
    field[count++] =
        (phx_field){.role = PHX_ROLE_AXIAL, .stiffness = def->axial_stiffness, .translation = 0, .rotation = -1};
    /* theta = w' in the plane, (twist, -w', v') in space */
    field[count++] = (phx_field){.role = PHX_ROLE_BENDING,
                                 .stiffness = def->bending_stiffness[space ? 1 : 0],
                                 .translation = 1,
                                 .rotation = space ? 2 : 0,
                                 .rotation_derivative = 1,
                                 .rotation_sign = 1.0};
    if (space)
        field[count++] = (phx_field){.role = PHX_ROLE_BENDING,
                                     .stiffness = def->bending_stiffness[0],
                                     .translation = 2,
                                     .rotation = 1,
                                     .rotation_derivative = 1,
                                     .rotation_sign = -1.0};
    if (space && !isinf(def->torsion_stiffness))
        field[count++] = (phx_field){.role = PHX_ROLE_TORSION,
                                     .stiffness = def->torsion_stiffness,
                                     .translation = -1,
                                     .rotation = 0,
                                     .rotation_sign = 1.0,
                                     .gyration = def->section_inertia[0] + def->section_inertia[1] > 0.0
                                                     ? def->polar_inertia / def->mass_per_length
                                                     : 0.0};
    return count;
}

/* Element, and place among the coordinates and stresses, of a field. */
static phx_status place_field(phx_context *context, const phx_beam_def *def, phx_line_mesh *mesh, phx_field *field)
{
    field->element = phx_element_find(field->role, def->element, def->order);
    if (!field->element)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "beam: there is no element of order %d for element kind %s; use order 3, or the mixed kind",
                        def->order, def->element == PHX_ELEMENT_PAPER ? "paper" : "mixed");
    field->first = mesh->n;
    field->count = phx_shape_total(&field->element->displacement, mesh->elements);
    field->stress_first = mesh->n_stress;
    field->stress_count = phx_shape_total(&field->element->stress, mesh->elements);
    mesh->n += field->count;
    mesh->n_stress += field->stress_count;
    return PHX_OK;
}

phx_status phx_line_mesh_build(phx_context *context, const phx_beam_def *def, phx_line_mesh *mesh)
{
    *mesh = (phx_line_mesh){.dim = def->dim,
                            .n_rot = def->dim == 2 ? 1 : 3,
                            .elements = def->elements,
                            .length = def->length,
                            .h = def->length / def->elements};
    phx_status status = PHX_OK;
    mesh->n_fields = phx_beam_fields(def, mesh->field);
    for (int f = 0; f < mesh->n_fields && status == PHX_OK; f++)
        status = place_field(context, def, mesh, &mesh->field[f]);
    return status;
}

/* Shape functions of all fields in an element at xi in [0, 1], with their raw coordinates. */
void phx_line_mesh_local(const phx_line_mesh *mesh, int element, double xi, phx_local *local)
{
    *local = (phx_local){.n = 0};
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        const phx_shape *shape = &field->element->displacement;
        double value[PHX_SHAPE_MAX], rotation[PHX_SHAPE_MAX];
        phx_shape_evaluate(shape, mesh->h, xi, 0, value);
        phx_shape_evaluate(shape, mesh->h, xi, field->rotation_derivative, rotation);
        for (int k = 0; k < shape->count; k++) {
            int i = local->n++;
            local->dof[i] = field->first + element * shape->stride + k;
            if (field->translation >= 0)
                local->phi[field->translation][i] = value[k];
            if (field->rotation >= 0)
                local->theta[field->rotation][i] = field->rotation_sign * rotation[k];
        }
    }
}

/* The element at the fraction s of the length, the place xi in it from 0 to 1, and whether this is a node between two
 * elements; each pointer may be NULL. */
void phx_line_mesh_locate(const phx_line_mesh *mesh, double s, int *element, double *xi, bool *interface)
{
    static const double AT_NODE = 1e-13; /* relative to the length */
    double place = s * mesh->elements;
    double node = round(place);
    if (fabs(place - node) <= AT_NODE * mesh->elements)
        place = node;
    double below = fmin(fmax(floor(place), 0.0), mesh->elements - 1.0);
    if (element)
        *element = (int)below;
    if (xi)
        *xi = fmin(fmax(place - below, 0.0), 1.0);
    if (interface)
        *interface = place == node && node > 0.0 && node < mesh->elements;
}

/* Columns of row (field, node): all values of the nodes node-1 .. node+1, in all fields; returns their number. */
static int row_columns(const phx_line_mesh *mesh, int node, int *idx)
{
    const int from = node > 0 ? node - 1 : 0;
    const int to = node < mesh->elements ? node + 1 : node;
    int count = 0;
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        const int stride = field->element->displacement.stride;
        for (int k = from * stride; k < (to + 1) * stride; k++, count++)
            if (idx)
                idx[count] = field->first + k;
    }
    return count;
}

/* Common sparsity pattern of the raw matrices in compressed rows, allocated for the caller. */
phx_status phx_line_mesh_pattern(phx_context *context, const phx_line_mesh *mesh, int **ptr, int **idx)
{
    *ptr = phx_calloc(context, (size_t)mesh->n + 1, sizeof **ptr);
    *idx = NULL;
    if (!*ptr)
        return PHX_ERR_MEMORY;
    int row = 0;
    for (int pass = 0; pass < 2; pass++) {
        row = 0;
        for (int f = 0; f < mesh->n_fields; f++) {
            const int stride = mesh->field[f].element->displacement.stride;
            for (int k = 0; k < mesh->field[f].count; k++, row++)
                (*ptr)[row + 1] = (*ptr)[row] + row_columns(mesh, k / stride, pass ? *idx + (*ptr)[row] : NULL);
        }
        if (pass == 0) {
            *idx = phx_calloc(context, (size_t)(*ptr)[row], sizeof **idx);
            if (!*idx) {
                phx_free(*ptr);
                *ptr = NULL;
                return PHX_ERR_MEMORY;
            }
        }
    }
    return PHX_OK;
}

/* ---- the section along an element ---- */
phx_section_walk phx_section_begin(const phx_line_mesh *mesh, const phx_beam_def *def, int points)
{
    phx_section_walk walk = {.mesh = mesh, .def = def, .points = points};
    phx_gauss(points, walk.point, walk.gauss);
    return walk;
}

/* The piece that begins behind the one before: it ends at the next station, or where the element does. */
static void begin_piece(phx_section_walk *walk, double from)
{
    walk->g = 0;
    walk->from = from;
    walk->to = 1.0;
    for (int k = 0; k < walk->def->n_stations; k++) {
        const double at = walk->def->stations[k].at * walk->mesh->elements - walk->element;
        if (at > from && at < walk->to)
            walk->to = at;
    }
}

void phx_section_enter(phx_section_walk *walk, int element)
{
    walk->element = element;
    begin_piece(walk, 0.0);
}

bool phx_section_next(phx_section_walk *walk)
{
    if (walk->g == walk->points && walk->to < 1.0)
        begin_piece(walk, walk->to);
    if (walk->g == walk->points)
        return false;
    walk->xi = walk->from + (walk->to - walk->from) * walk->point[walk->g];
    walk->weight = (walk->to - walk->from) * walk->gauss[walk->g++];
    return true;
}

phx_beam_def phx_section_here(const phx_section_walk *walk)
{
    return phx_beam_def_at(walk->def, (walk->element + walk->xi) / walk->mesh->elements);
}
