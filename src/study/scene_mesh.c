/* The mesh of a body for pictures: its cells and its surface, with displacements and stresses at the nodes. */
#include "internal.h"

#include "continuum/continuum.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Values of displacements and stresses: of more than this a body gives its surface alone, then the corners of it. */
enum { MOST_VALUES = 1 << 22, MOST_OF_ALL = 1 << 25 }; /* of a body, of a mechanism */

static const int vtk[PHX_CELL_TYPES] = {
    [PHX_CELL_LINE2] = 3,   [PHX_CELL_LINE3] = 21,   [PHX_CELL_TRI3] = 5,   [PHX_CELL_TRI6] = 22, [PHX_CELL_QUAD4] = 9,
    [PHX_CELL_QUAD8] = 23,  [PHX_CELL_TET4] = 10,    [PHX_CELL_TET10] = 24, [PHX_CELL_HEX8] = 12, [PHX_CELL_HEX20] = 25,
    [PHX_CELL_WEDGE6] = 13, [PHX_CELL_WEDGE15] = 26, [PHX_CELL_QUAD9] = 28, [PHX_CELL_HEX27] = 29};

/* A cell that is drawn: nodes of the mesh. */
typedef struct drawn_cell {
    phx_cell_type type;
    int node[PHX_CELL_MOST_NODES];
} drawn_cell;

/* A side of a solid cell with its corners in ascending order, or a surface cell (side -1). */
typedef struct face {
    int corner[4];
    int cell, side;
} face;

typedef struct mesh_maker {
    phx_context *context;
    const phx_mesh *mesh;
    int dimension; /* of its cells that are drawn: 3, else 2 */
    int n_faces;
    face *faces; /* of the surface */
    bool whole;  /* all cells, not the faces */
    bool linear; /* faces without the nodes in the middles of their edges */
    int *number; /* mesh nodes: as they are drawn, -1: not */
    int n_nodes;
} mesh_maker;

/* ---- the surface ---- */
static int compare_integers(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

static int compare_faces(const void *a, const void *b)
{
    const face *f = a, *g = b;
    const int order = memcmp(f->corner, g->corner, sizeof f->corner);
    return order ? order : (f->cell > g->cell) - (f->cell < g->cell);
}

static face make_face(const phx_mesh *mesh, int cell, int side)
{
    const phx_cell_info *info = phx_cell_info_of(mesh->type[cell]);
    const int *node = mesh->node + mesh->first[cell];
    const int corners = phx_cell_info_of(info->side_type[side])->corners;
    face facet = {.corner = {-1, -1, -1, -1}, .cell = cell, .side = side};

    for (int k = 0; k < corners; k++)
        facet.corner[k] = node[info->side[side][k]];
    qsort(facet.corner, (size_t)corners, sizeof facet.corner[0], compare_integers);
    return facet;
}

/* Sides that one solid cell has alone, or the surface cells of a mesh without solid ones. */
static phx_status find_surface(mesh_maker *made)
{
    const phx_mesh *mesh = made->mesh;
    size_t room = 0;
    int n = 0, kept = 0;

    made->dimension = phx_mesh_count(mesh, 3) > 0 ? 3 : 2;
    for (int c = 0; c < mesh->n_cells; c++)
        room += (size_t)phx_cell_info_of(mesh->type[c])->sides;
    made->faces = phx_calloc(made->context, room + 1, sizeof *made->faces);
    if (!made->faces)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < mesh->n_cells; c++) {
        const phx_cell_info *info = phx_cell_info_of(mesh->type[c]);
        if (info->dimension != made->dimension)
            continue;
        for (int s = 0; s < info->sides && made->dimension == 3; s++)
            made->faces[n++] = make_face(mesh, c, s);
        if (made->dimension == 2)
            made->faces[n++] = (face){.cell = c, .side = -1};
    }
    if (made->dimension == 3)
        qsort(made->faces, (size_t)n, sizeof *made->faces, compare_faces);
    for (int k = 0; k < n; k++) {
        const bool before =
            k > 0 && !memcmp(made->faces[k].corner, made->faces[k - 1].corner, sizeof made->faces[k].corner);
        const bool behind =
            k + 1 < n && !memcmp(made->faces[k].corner, made->faces[k + 1].corner, sizeof made->faces[k].corner);
        if (made->dimension == 2 || (!before && !behind))
            made->faces[kept++] = made->faces[k];
    }
    made->n_faces = kept;
    return PHX_OK;
}

/* ---- cells and triangles ---- */
static phx_cell_type linear_type(phx_cell_type type)
{
    return type == PHX_CELL_TRI6 ? PHX_CELL_TRI3 : type == PHX_CELL_QUAD8 ? PHX_CELL_QUAD4 : type;
}

static drawn_cell cell_of_face(const mesh_maker *mesh, int k)
{
    const face *from = &mesh->faces[k];
    const phx_cell_info *info = phx_cell_info_of(mesh->mesh->type[from->cell]);
    const int *node = mesh->mesh->node + mesh->mesh->first[from->cell];
    drawn_cell cell = {.type = from->side < 0 ? mesh->mesh->type[from->cell] : info->side_type[from->side]};

    for (int i = 0; i < phx_cell_info_of(cell.type)->nodes; i++)
        cell.node[i] = node[from->side < 0 ? i : info->side[from->side][i]];
    if (mesh->linear)
        cell.type = linear_type(cell.type);
    return cell;
}

static int count_cells(const mesh_maker *mesh)
{
    return mesh->whole ? mesh->mesh->n_cells : mesh->n_faces;
}

/* False: a cell of another dimension, which is not drawn. */
static bool cell_at(const mesh_maker *mesh, int k, drawn_cell *cell)
{
    if (!mesh->whole) {
        *cell = cell_of_face(mesh, k);
        return true;
    }
    cell->type = mesh->mesh->type[k];
    memcpy(cell->node, mesh->mesh->node + mesh->mesh->first[k],
           (size_t)phx_cell_info_of(cell->type)->nodes * sizeof *cell->node);
    return phx_cell_info_of(cell->type)->dimension == mesh->dimension;
}

/* Flat triangles of a surface cell: places among its nodes; their number. */
static int split(phx_cell_type type, const int (**corners)[3])
{
    static const int tri3[][3] = {{0, 1, 2}}, quad4[][3] = {{0, 1, 2}, {0, 2, 3}},
                     tri6[][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}},
                     quad8[][3] = {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}};
    switch (type) {
    case PHX_CELL_TRI3:
        *corners = tri3;
        return 1;
    case PHX_CELL_QUAD4:
        *corners = quad4;
        return 2;
    case PHX_CELL_TRI6:
        *corners = tri6;
        return 4;
    default:
        *corners = quad8;
        return 6;
    }
}

/* Number the nodes of the cells that are drawn, in the order of the mesh. */
static void number_nodes(mesh_maker *mesh)
{
    drawn_cell cell;

    for (int i = 0; i < mesh->mesh->n_nodes; i++)
        mesh->number[i] = -1;
    for (int k = 0; k < count_cells(mesh); k++)
        if (cell_at(mesh, k, &cell))
            for (int i = 0; i < phx_cell_info_of(cell.type)->nodes; i++)
                mesh->number[cell.node[i]] = 0;
    mesh->n_nodes = 0;
    for (int i = 0; i < mesh->mesh->n_nodes; i++)
        if (mesh->number[i] == 0)
            mesh->number[i] = mesh->n_nodes++;
}

/* The most that is not too large; false: all of it is, beside `others`, the values of other bodies. */
static bool choose_part(mesh_maker *mesh, double values_of_node, double others)
{
    for (int part = 0; part < 3; part++) {
        mesh->whole = part == 0;
        mesh->linear = part == 2;
        number_nodes(mesh);
        const double values = mesh->n_nodes * values_of_node;
        if (values <= MOST_VALUES && others + values <= MOST_OF_ALL)
            return true;
    }
    return false;
}

/* ---- into the lists of the scene ---- */
phx_status phx_scene_grow(phx_context *context, void *list, int count, size_t more, size_t size)
{
    void **at = list;
    void *bigger = (size_t)count + more <= INT_MAX ? phx_realloc(context, *at, (size_t)count + more + 1, size) : NULL;

    if (!bigger)
        return PHX_ERR_MEMORY;
    *at = bigger;
    return PHX_OK;
}

/* Appends the drawn cells of a mesh and the triangles of its surface to the scene; nodes are renumbered to those
 * drawn. */
static phx_status add_cells(const mesh_maker *mesh, phx_scene *scene)
{
    phx_context *context = mesh->context;
    int cells = 0, nodes = 0, triangles = 0;
    const int(*corners)[3] = NULL;
    drawn_cell cell;

    for (int k = 0; k < count_cells(mesh); k++)
        if (cell_at(mesh, k, &cell)) {
            cells++;
            nodes += phx_cell_info_of(cell.type)->nodes;
        }
    for (int k = 0; k < mesh->n_faces; k++)
        triangles += split(cell_of_face(mesh, k).type, &corners);
    phx_status status = phx_scene_grow(context, &scene->cell_type, scene->n_mesh_cells, (size_t)cells, sizeof(int));
    if (!status)
        status = phx_scene_grow(context, &scene->cell_nodes, scene->n_cell_nodes, (size_t)nodes, sizeof(int));
    if (!status)
        status = phx_scene_grow(context, &scene->triangle_nodes, scene->n_triangle_nodes, 3 * (size_t)triangles,
                                sizeof(int));
    for (int k = 0; k < count_cells(mesh) && !status; k++) {
        if (!cell_at(mesh, k, &cell))
            continue;
        scene->cell_type[scene->n_mesh_cells++] = vtk[cell.type];
        for (int i = 0; i < phx_cell_info_of(cell.type)->nodes; i++)
            scene->cell_nodes[scene->n_cell_nodes++] = mesh->number[cell.node[i]];
    }
    for (int k = 0; k < mesh->n_faces && !status; k++) {
        cell = cell_of_face(mesh, k);
        const int count = split(cell.type, &corners);
        for (int t = 0; t < count; t++)
            for (int c = 0; c < 3; c++)
                scene->triangle_nodes[scene->n_triangle_nodes++] = mesh->number[cell.node[corners[t][c]]];
    }
    if (!status) {
        scene->mesh_cells[scene->n_meshes] = cells;
        scene->mesh_triangles[scene->n_meshes] = triangles;
    }
    return status;
}

/* Rows of the nodes that are drawn, `width` each, behind *count values; none where the width is 0. */
static phx_status add_rows(const mesh_maker *mesh, size_t width, const double *rows, double **list, int *count)
{
    if (width == 0)
        return PHX_OK;
    const phx_status status = phx_scene_grow(mesh->context, list, *count, (size_t)mesh->n_nodes * width, sizeof **list);

    for (int i = 0; i < mesh->mesh->n_nodes && !status; i++)
        if (mesh->number[i] >= 0)
            memcpy(*list + (size_t)*count + (size_t)mesh->number[i] * width, rows + (size_t)i * width,
                   width * sizeof **list);
    if (!status)
        *count += mesh->n_nodes * (int)width;
    return status;
}

/* Numbers of the nodes that are drawn, as the mesh file has them, behind those of the meshes before. */
static phx_status add_labels(const mesh_maker *mesh, phx_scene *scene)
{
    const phx_status status =
        phx_scene_grow(mesh->context, &scene->mesh_label, scene->n_mesh_nodes, (size_t)mesh->n_nodes, sizeof(int));

    for (int i = 0; i < mesh->mesh->n_nodes && !status; i++)
        if (mesh->number[i] >= 0)
            scene->mesh_label[scene->n_mesh_nodes + mesh->number[i]] = mesh->mesh->label ? mesh->mesh->label[i] : i + 1;
    return status;
}

/* Appends the groups of the mesh that have some of the drawn nodes, but not all of them; one of a name. */
static phx_status add_sets(const mesh_maker *mesh, phx_scene *scene)
{
    phx_context *context = mesh->context;
    const int groups = mesh->mesh->n_groups, before = scene->n_mesh_sets;
    int **const lists[] = {&scene->set_mesh, &scene->set_nodes};
    phx_status status = phx_scene_grow(context, &scene->set_name, before, (size_t)groups, sizeof *scene->set_name);

    for (size_t k = 0; k < 2 && !status; k++)
        status = phx_scene_grow(context, lists[k], before, (size_t)groups, sizeof(int));
    for (int g = 0; g < groups && !status; g++) {
        const phx_mesh_group *group = &mesh->mesh->groups[g];
        int count = 0;
        if (group != phx_mesh_group_named(mesh->mesh, group->name))
            continue;
        status = phx_scene_grow(context, &scene->set_node, scene->n_set_nodes, (size_t)group->n_nodes, sizeof(int));
        for (int i = 0; i < group->n_nodes && !status; i++)
            if (mesh->number[group->nodes[i]] >= 0)
                scene->set_node[scene->n_set_nodes + count++] = mesh->number[group->nodes[i]];
        if (status || count == 0 || count == mesh->n_nodes)
            continue;
        char *name = phx_strdup(context, group->name);
        if (!name)
            return PHX_ERR_MEMORY;
        scene->set_name[scene->n_mesh_sets] = name;
        scene->set_mesh[scene->n_mesh_sets] = scene->n_meshes;
        scene->set_nodes[scene->n_mesh_sets++] = count;
        scene->n_set_nodes += count;
    }
    return status;
}

/* Appends positions, shapes, thicknesses and, if the body has stresses, the stress maps of the drawn nodes to the
 * scene. */
static phx_status add_nodes(const mesh_maker *mesh, const phx_flex_source *source, phx_scene *scene)
{
    const size_t n = (size_t)phx_flex_source_flex(source)->n;
    phx_stress_map stresses = {.set = PHX_STRESSES_NONE};
    int places = 3 * scene->n_mesh_nodes;
    double *u = NULL, *thickness = NULL;
    phx_status status = phx_continuum_displacements(mesh->context, source, &u, &thickness);

    if (!status && phx_flex_source_stresses(source) != PHX_STRESSES_NONE)
        status = phx_flex_source_nodal_stresses(source, mesh->context, &stresses);
    if (!status)
        status = add_rows(mesh, 3, mesh->mesh->x, &scene->mesh_x, &places);
    if (!status)
        status = add_labels(mesh, scene);
    if (!status)
        status = add_rows(mesh, 1, thickness, &scene->mesh_thickness, &scene->n_mesh_nodes);
    if (!status)
        status = add_rows(mesh, 3 * n, u, &scene->mesh_shapes, &scene->n_mesh_shapes);
    if (!status)
        status = add_rows(mesh, (size_t)phx_stress_components(stresses.set) * (size_t)phx_stress_map_columns(&stresses),
                          stresses.rows, &scene->mesh_maps, &scene->n_mesh_maps);
    phx_free(u);
    phx_free(thickness);
    phx_stress_map_free(&stresses);
    return status;
}

/* Appends a mesh with its cells and nodes to the scene, which counts it only if everything succeeded. */
static phx_status add_mesh(const mesh_maker *mesh, const phx_flex_source *source, int body, phx_scene *scene)
{
    phx_context *context = mesh->context;
    const int m = scene->n_meshes;
    const phx_stress_set set = phx_flex_source_stresses(source);
    int **const lists[] = {&scene->mesh_body, &scene->mesh_nodes, &scene->mesh_cells, &scene->mesh_triangles,
                           &scene->mesh_factors};
    phx_status status = phx_scene_grow(context, &scene->mesh_stresses, m, 1, sizeof *scene->mesh_stresses);

    for (size_t k = 0; k < sizeof lists / sizeof *lists && !status; k++)
        status = phx_scene_grow(context, lists[k], m, 1, sizeof(int));
    if (!status)
        status = add_cells(mesh, scene);
    if (!status)
        status = add_nodes(mesh, source, scene);
    if (!status)
        status = add_sets(mesh, scene);
    if (status)
        return status;
    scene->mesh_body[m] = body;
    scene->mesh_nodes[m] = mesh->n_nodes;
    scene->mesh_factors[m] = set == PHX_STRESSES_NONE ? 0 : phx_flex_source_strains(source);
    scene->mesh_stresses[m] = phx_strdup(context, phx_stress_set_name(set));
    if (!scene->mesh_stresses[m])
        return PHX_ERR_MEMORY;
    scene->n_meshes++;
    return PHX_OK;
}

/* Adds the mesh of a flexible body to the scene, reduced to a part of it if too large. A body without mesh or
 * coordinates adds nothing; one that is still too large is logged and left out. */
phx_status phx_scene_add_mesh(phx_context *context, const phx_flex_source *source, const char *name, int body,
                              phx_scene *scene)
{
    const phx_elastic_model *model = phx_continuum_model(source);
    const int n = phx_flex_source_flex(source)->n;
    mesh_maker mesh = {.context = context, .mesh = model ? &model->mesh : NULL};

    if (!model || model->mesh.n_cells == 0 || n == 0)
        return PHX_OK;
    mesh.number = phx_calloc(context, (size_t)model->mesh.n_nodes + 1, sizeof *mesh.number);
    phx_status status = mesh.number ? find_surface(&mesh) : PHX_ERR_MEMORY;
    if (!status && mesh.n_faces > 0) {
        const int components = phx_stress_components(phx_flex_source_stresses(source));
        const double others = (double)scene->n_mesh_shapes + scene->n_mesh_maps;
        if (choose_part(&mesh, 3.0 * n + components * (double)(n + phx_flex_source_strains(source)), others))
            status = add_mesh(&mesh, source, body, scene);
        else
            phx_log(context, PHX_LOG_INFO,
                    "'%s' is drawn without its mesh, which is too large: %d surface nodes with %d coordinates", name,
                    mesh.n_nodes, n);
    }
    phx_free(mesh.number);
    phx_free(mesh.faces);
    return status;
}
