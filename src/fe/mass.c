/* Shape integrals of a beam's masses in raw coordinates: the section's through Gauss points, and point masses. */
#include "point_inertia.h"
#include "line_mesh.h"

/* A point inertia that moves with a point of an element. */
static phx_point_inertia point_inertia_of(const phx_local *local, double x, double mass)
{
    return (phx_point_inertia){.x = {x},
                               .mass = mass,
                               .n = local->n,
                               .stride = PHX_LOCAL_MAX,
                               .dof = local->dof,
                               .phi = local->phi[0],
                               .theta = local->theta[0]};
}

/* The section's masses: rho A along the axis and, in space, the polar inertia about it and that of the section
 * across. They are linear along a piece of an element, or constant. */
static void add_section(const phx_line_mesh *mesh, const phx_beam_def *def, phx_flex *raw,
                        phx_point_inertia_block *block)
{
    int degree = 0;
    for (int f = 0; f < mesh->n_fields; f++)
        if (mesh->field[f].element->displacement.degree > degree)
            degree = mesh->field[f].element->displacement.degree;
    const bool varies = def->n_stations > 0;
    phx_section_walk walk = phx_section_begin(mesh, def, phx_gauss_count(2 * degree + varies));
    phx_local local;

    for (int e = 0; e < mesh->elements; e++) {
        if (varies)
            phx_point_inertia_block_clear(mesh->dim, block);
        for (phx_section_enter(&walk, e); phx_section_next(&walk);) {
            const double dx = mesh->h * walk.weight;
            const phx_beam_def here = phx_section_here(&walk);
            phx_line_mesh_local(mesh, e, walk.xi, &local);
            phx_point_inertia point = point_inertia_of(&local, (e + walk.xi) * mesh->h, here.mass_per_length * dx);
            if (mesh->dim == 3)
                point.inertia[0][0] = here.polar_inertia * dx;
            for (int k = 0; k < 2; k++)
                point.across[k] = here.section_inertia[k] * dx;
            phx_point_inertia_add_vectors(&point, raw);
            if (e == 0 || varies) /* else the same in every element */
                phx_point_inertia_add_matrices(mesh->dim, &point, block);
        }
        phx_point_inertia_scatter(block, local.dof, raw);
    }
}

/* Adds a point mass with rotary inertia to the raw integrals. */
static void add_point_mass(const phx_line_mesh *mesh, const phx_beam_mass *mass, phx_flex *raw,
                           phx_point_inertia_block *block)
{
    int element;
    double xi;
    phx_local local;
    phx_line_mesh_locate(mesh, mass->at, &element, &xi, NULL);
    phx_line_mesh_local(mesh, element, xi, &local);
    phx_point_inertia point = point_inertia_of(&local, mass->at * mesh->length, mass->mass);
    phx_point_inertia_set_tensor(mesh->n_rot, mass->inertia, &point);
    phx_point_inertia_block_clear(mesh->dim, block);
    phx_point_inertia_add_vectors(&point, raw);
    phx_point_inertia_add_matrices(mesh->dim, &point, block);
    phx_point_inertia_scatter(block, local.dof, raw);
}

/* Integrals of the beam's mass and its point masses over the raw coordinates; raw is empty after an error. */
phx_status phx_mass_assemble(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def, phx_flex *raw)
{
    phx_point_inertia_block block = {.n = 0};
    int n_local = 0;
    for (int f = 0; f < mesh->n_fields; f++)
        n_local += mesh->field[f].element->displacement.count;
    *raw = (phx_flex){.dim = mesh->dim, .n = mesh->n};
    phx_status status = phx_point_inertia_block_create(context, mesh->dim, n_local, &block);
    if (status == PHX_OK)
        status = phx_flex_allocate_vectors(context, raw);
    if (status == PHX_OK)
        status = phx_line_mesh_pattern(context, mesh, &raw->ptr, &raw->idx);
    if (status == PHX_OK)
        status = phx_flex_allocate_matrices(context, raw, false);
    if (status == PHX_OK) {
        add_section(mesh, def, raw, &block);
        for (int k = 0; k < def->n_masses; k++)
            add_point_mass(mesh, &def->masses[k], raw, &block);
    }
    phx_point_inertia_block_free(&block);
    if (status != PHX_OK)
        phx_flex_free(raw);
    return status;
}
