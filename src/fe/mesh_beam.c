/* The beam of elements: its deformation built on a mesh, its points and stresses. */
#include "line_mesh.h"
#include "source.h"

#include <math.h>

typedef struct mesh_beam {
    phx_flex_source source;
    phx_beam_def def;
    phx_line_mesh mesh;
    phx_reference_basis basis;
    int cubic_pieces;
    int n_quadrature;
    double *s, *weight;
} mesh_beam;

enum { LOAD_POINTS = 6 }; /* of each element */

static const mesh_beam *mesh_beam_beam_of(const phx_flex_source *source)
{
    return (const mesh_beam *)source;
}

/* Drop the raw coordinates that do not move the point. */
static void drop_zeros(phx_local *local)
{
    int kept = 0;
    for (int i = 0; i < local->n; i++) {
        bool zero = true;
        for (int a = 0; a < 3; a++)
            zero = zero && local->phi[a][i] == 0.0 && local->theta[a][i] == 0.0;
        if (zero)
            continue;
        local->dof[kept] = local->dof[i];
        for (int a = 0; a < 3; a++) {
            local->phi[a][kept] = local->phi[a][i];
            local->theta[a][kept] = local->theta[a][i];
        }
        kept++;
    }
    local->n = kept;
}

/* Point of the beam at a fraction of its length, its shape functions over q. */
static phx_status mesh_beam_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                                  phx_flex_point *point)
{
    const mesh_beam *beam = mesh_beam_beam_of(source);
    const double s = phx_beam_fraction(location);
    const phx_line_mesh *mesh = &beam->mesh;
    int element;
    double xi;
    phx_local local;
    phx_line_mesh_locate(mesh, s, &element, &xi, NULL);
    phx_line_mesh_local(mesh, element, xi, &local);
    drop_zeros(&local);

    const int capacity = phx_reference_basis_row_capacity(&beam->basis, false, local.n);
    phx_status status = phx_flex_point_allocate(context, mesh->dim, capacity, point);
    if (status != PHX_OK)
        return status;
    point->x[0] = s * mesh->length;
    /* the first row tells the number of columns, which the place of the others depends on */
    int n = phx_reference_basis_row(&beam->basis, false, local.n, local.dof, local.phi[0], point->dof, point->phi);
    for (int a = 1; a < mesh->dim; a++)
        phx_reference_basis_row(&beam->basis, false, local.n, local.dof, local.phi[a], point->dof, point->phi + a * n);
    for (int k = 0; k < mesh->n_rot; k++)
        phx_reference_basis_row(&beam->basis, false, local.n, local.dof, local.theta[k], point->dof,
                                point->theta + k * n);
    point->n = n;
    return PHX_OK;
}

/* row += factor psi(xi) of the field in an element */
static void add_stress(const phx_line_mesh *mesh, const phx_field *field, int element, double xi, double factor,
                       double *row)
{
    const phx_shape *psi = &field->element->stress;
    double value[PHX_SHAPE_MAX];
    phx_shape_evaluate(psi, mesh->h, xi, 0, value);
    for (int k = 0; k < psi->count; k++)
        row[field->stress_first + element * psi->stride + k] += factor * value[k];
}

/* Rows of section forces at a place over the element stresses; on the border of two elements both contribute half. */
static void mesh_beam_section_rows(const phx_flex_source *source, const phx_location *location, double *axial,
                                   double *moment, double *torsion)
{
    const phx_line_mesh *mesh = &mesh_beam_beam_of(source)->mesh;
    const int n = mesh->n_stress;
    int element;
    double xi;
    bool interface;
    phx_line_mesh_locate(mesh, phx_beam_fraction(location), &element, &xi, &interface);
    for (int i = 0; i < n; i++) {
        if (axial)
            axial[i] = 0.0;
        for (int plane = 0; moment && plane < mesh->dim - 1; plane++)
            moment[plane * n + i] = 0.0;
        if (torsion)
            torsion[i] = 0.0;
    }
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        double *row = axial;
        if (field->rotation_derivative == 1) /* m_y = EIy w'', m_z = EIz v'': rows 0 and 1 in space */
            row = moment ? moment + (mesh->dim == 3 && field->translation == 1 ? n : 0) : NULL;
        else if (field->translation < 0)
            row = torsion;
        if (!row)
            continue;
        add_stress(mesh, field, element, xi, interface ? 0.5 : 1.0, row);
        if (interface)
            add_stress(mesh, field, element - 1, 1.0, 0.5, row);
    }
}

static void mesh_beam_quadrature(const phx_flex_source *source, int *count, const double **s, const double **weight)
{
    const mesh_beam *beam = mesh_beam_beam_of(source);
    *count = beam->n_quadrature;
    *s = beam->s;
    *weight = beam->weight;
}

static int mesh_beam_pieces(const phx_flex_source *source)
{
    return mesh_beam_beam_of(source)->cubic_pieces;
}

static void mesh_beam_destroy(phx_flex_source *source)
{
    mesh_beam *beam = (mesh_beam *)source;
    phx_reference_basis_free(&beam->basis);
    phx_free(beam->s);
    phx_free(beam->weight);
    phx_beam_def_free(&beam->def);
    phx_free(beam);
}

static const phx_beam_def *mesh_beam_definition(const phx_flex_source *source)
{
    return &mesh_beam_beam_of(source)->def;
}

static const phx_source_operations operations = {.name = "beam",
                                                 .destroy = mesh_beam_destroy,
                                                 .sorts = PHX_BEAM_SORTS,
                                                 .point = mesh_beam_point,
                                                 .section_rows = mesh_beam_section_rows,
                                                 .quadrature = mesh_beam_quadrature,
                                                 .cubic_pieces = mesh_beam_pieces,
                                                 .definition = mesh_beam_definition};

/* Creates the beam of elements: mesh, masses, reference condition, elasticity and optional stiffening. */
phx_status phx_mesh_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam)
{
    phx_flex raw = {.n = 0};
    mesh_beam *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    phx_flex *flex = &made->source.flex;
    made->source.operations = &operations;
    made->cubic_pieces = def->order == 3 ? def->elements : 0;
    phx_status status = phx_beam_def_copy(context, def, &made->def);
    if (status == PHX_OK)
        status = phx_line_mesh_build(context, def, &made->mesh);
    if (status == PHX_OK)
        status = phx_mass_assemble(context, &made->mesh, def, &raw);
    if (status == PHX_OK)
        status = phx_reference_basis_build(context, &made->mesh, def->reference, &raw, &made->basis);
    if (status == PHX_OK)
        status = phx_reference_basis_apply(context, &made->basis, &raw, def->element == PHX_ELEMENT_PAPER, flex);
    if (status == PHX_OK)
        status = phx_line_elastic_assemble(context, &made->mesh, def, &made->basis, flex);
    if (status == PHX_OK && def->stiffening)
        status = phx_stiffening_assemble(context, &made->mesh, def, &made->basis, flex);
    if (status == PHX_OK)
        status = phx_panel_quadrature(context, def->length, def->elements, LOAD_POINTS, &made->n_quadrature, &made->s,
                                      &made->weight);
    if (status == PHX_OK)
        status = phx_flex_make_compact(context, flex);

    phx_flex_free(&raw);
    if (status != PHX_OK)
        phx_flex_source_destroy(&made->source);
    else
        *beam = &made->source;
    return status;
}
