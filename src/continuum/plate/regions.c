/* Regions of a plate: the sections of its regions, and the triangles in them. */
#include "plate.h"

#include <math.h>
#include <string.h>

/* ---- sections ---- */
/* inverse (n x n, rows `stride` apart) of a matrix that must be symmetric and positive definite */
static phx_status regions_invert(phx_context *context, int region, const char *what, int n, const double *a, int stride,
                                 double *inverse)
{
    static const double SYMMETRIC = 1e-9; /* relative to the diagonal */
    double copy[9], factor[9];

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!isfinite(a[i * n + j]) ||
                fabs(a[i * n + j] - a[j * n + i]) > SYMMETRIC * fabs(a[i * n + i] + a[j * n + j]))
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "plate: region %d: the %s stiffness must be finite and symmetric; entries %d,%d and "
                                "%d,%d are %g and %g",
                                region + 1, what, i + 1, j + 1, j + 1, i + 1, a[i * n + j], a[j * n + i]);
    memcpy(copy, a, (size_t)(n * n) * sizeof *a);
    memcpy(factor, a, (size_t)(n * n) * sizeof *a);
    if (phx_dense_cholesky(context, n, factor) || phx_dense_inverse(context, n, copy))
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: region %d: the %s stiffness is not positive definite",
                        region + 1, what);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inverse[i * stride + j] = 0.5 * (copy[i * n + j] + copy[j * n + i]);
    return PHX_OK;
}

/* Takes over the section of region r and inverts its stiffnesses; fails if mass, inertia or stiffness is not
 * positive. */
static phx_status add_section(phx_context *context, const phx_plate_def *def, int r, phx_plate *plate)
{
    const phx_plate_section *section = &def->regions[r].section;
    const bool mindlin = def->theory == PHX_PLATE_MINDLIN;
    const int block = phx_plate_bending_block(plate);
    double *bending = plate->bending_compliance[r];
    phx_status status;

    plate->sections[r] = *section;
    if (!(section->mass > 0.0 && isfinite(section->mass)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: region %d: the mass is %g kg/m^2, must be finite and > 0",
                        r + 1, section->mass);
    if (mindlin && !(section->rotary >= 0.0 && isfinite(section->rotary)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: region %d: the rotary inertia is %g kg, must be >= 0", r + 1,
                        section->rotary);
    status = regions_invert(context, r, "bending", 3, section->bending, block, bending);
    if (!status && mindlin)
        status = regions_invert(context, r, "shear", 2, section->shear, block, bending + 3 * block + 3);
    if (!status && def->membrane)
        status = regions_invert(context, r, "membrane", 3, section->membrane, 3, plate->membrane_compliance[r]);
    return status;
}

/* Allocates and fills the sections of all regions. */
phx_status phx_plate_add_sections(phx_context *context, const phx_plate_def *def, phx_plate *plate)
{
    const size_t count = (size_t)def->n_regions;
    phx_status status = PHX_OK;

    plate->n_sections = def->n_regions;
    plate->sections = phx_calloc(context, count, sizeof *plate->sections);
    plate->membrane_compliance = phx_calloc(context, count, sizeof *plate->membrane_compliance);
    plate->bending_compliance = phx_calloc(context, count, sizeof *plate->bending_compliance);
    if (!plate->sections || !plate->membrane_compliance || !plate->bending_compliance)
        return PHX_ERR_MEMORY;
    for (int r = 0; r < def->n_regions && !status; r++)
        status = add_section(context, def, r, plate);
    return status;
}

/* ---- triangles ---- */
static phx_status check_cell(phx_context *context, const phx_mesh *mesh, int cell)
{
    const phx_cell_info *info = phx_cell_info_of(mesh->type[cell]);

    if (info->dimension >= 2 && mesh->type[cell] != PHX_CELL_TRI3)
        return phx_fail(
            context, PHX_ERR_ARGUMENT,
            "plate: cell %d is a %s; plates are made of triangles with 3 nodes (in Gmsh: first order, without "
            "recombination)",
            phx_plate_label(mesh->cell_label, cell), info->name);
    return PHX_OK;
}

/* The plane z = constant, and triangles that are not flat. */
static phx_status check_triangle(phx_context *context, const phx_mesh *mesh, int cell)
{
    static const double FLAT = 1e-9; /* of the longest edge and of its square */
    const double *x[3], *x0 = mesh->x + 3 * mesh->node[mesh->first[cell]];
    double longest = 0.0;

    for (int c = 0; c < 3; c++)
        x[c] = mesh->x + 3 * mesh->node[mesh->first[cell] + c];
    for (int c = 0; c < 3; c++) {
        const double *p = x[c], *q = x[(c + 1) % 3];
        longest = fmax(longest, hypot(q[0] - p[0], q[1] - p[1]));
    }
    for (int c = 1; c < 3; c++)
        if (!(fabs(x[c][2] - x0[2]) <= FLAT * longest))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "plate: cell %d does not lie in a plane z = constant: z is %g and %g m; turn the mesh",
                            phx_plate_label(mesh->cell_label, cell), x0[2], x[c][2]);
    const double twice = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]);
    if (!(fabs(twice) > FLAT * longest * longest))
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: cell %d is flat: its area is %g m^2, its longest edge %g m",
                        phx_plate_label(mesh->cell_label, cell), 0.5 * fabs(twice), longest);
    return PHX_OK;
}

/* Marks the cells of a region in section_of_cell (-1: none yet). */
static phx_status take_region(phx_context *context, const phx_mesh *mesh, const phx_plate_def *def, int r,
                              int *section_of_cell)
{
    const char *name = def->regions[r].group;
    const phx_mesh_group *group = name ? phx_mesh_group_named(mesh, name) : NULL;

    if (name && (!group || group->dimension != 2))
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: region %d: the mesh has no group %s of triangles", r + 1,
                        phx_shown_text(name).text);
    const bool few = !group && def->regions[r].count > 0;
    const int first = few ? def->regions[r].first : 0;
    const int end = group ? group->n_cells : few ? first + def->regions[r].count : mesh->n_cells;

    if (first < 0 || end > (group ? group->n_cells : mesh->n_cells))
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: region %d: cells %d to %d of a mesh that has %d", r + 1,
                        first, end - 1, mesh->n_cells);
    for (int k = first; k < end; k++) {
        const int cell = group ? group->cells[k] : k;
        if (mesh->type[cell] != PHX_CELL_TRI3 || (!group && section_of_cell[cell] >= 0))
            continue;
        if (section_of_cell[cell] >= 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "plate: cell %d lies in the regions %d and %d",
                            phx_plate_label(mesh->cell_label, cell), section_of_cell[cell] + 1, r + 1);
        section_of_cell[cell] = r;
    }
    return PHX_OK;
}

static phx_status add_triangle(phx_context *context, const phx_mesh *mesh, int cell, int section, phx_plate *plate)
{
    const int t = plate->n_triangles++;

    if (section < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: cell %d lies in no region",
                        phx_plate_label(mesh->cell_label, cell));
    plate->cell[t] = cell;
    plate->section[t] = section;
    memcpy(plate->corner + 3 * t, mesh->node + mesh->first[cell], 3 * sizeof *plate->corner);
    return check_triangle(context, mesh, cell);
}

/* Lists the triangles of a mesh with their sections; fails for cells that are not plane triangles or are in no
 * region. */
phx_status phx_plate_add_triangles(phx_context *context, const phx_mesh *mesh, const phx_plate_def *def,
                                   phx_plate *plate)
{
    const size_t most = (size_t)phx_mesh_count(mesh, 2);
    int *section_of_cell = phx_calloc(context, (size_t)mesh->n_cells, sizeof *section_of_cell);
    phx_status status = PHX_OK;

    plate->cell = phx_calloc(context, most, sizeof *plate->cell);
    plate->section = phx_calloc(context, most, sizeof *plate->section);
    plate->corner = phx_calloc(context, 3 * most, sizeof *plate->corner);
    if (!section_of_cell || !plate->cell || !plate->section || !plate->corner)
        status = PHX_ERR_MEMORY;
    else if (most == 0)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "plate: the mesh has no triangles");
    for (int cell = 0; cell < mesh->n_cells && !status; cell++) {
        section_of_cell[cell] = -1;
        status = check_cell(context, mesh, cell);
    }
    for (int r = 0; r < def->n_regions && !status; r++)
        status = take_region(context, mesh, def, r, section_of_cell);
    for (int cell = 0; cell < mesh->n_cells && !status; cell++)
        if (mesh->type[cell] == PHX_CELL_TRI3)
            status = add_triangle(context, mesh, cell, section_of_cell[cell], plate);
    phx_free(section_of_cell);
    return status;
}
