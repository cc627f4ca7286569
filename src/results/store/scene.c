/* Scenes: one table of their lists; copying, checking and the HDF5 file go through it. */
#include "scene.h"
#include "layout.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef enum list_width { ONE, DIM, SPACE, SQUARE, SECTION } list_width; /* values of an entry */

/* A list, and the field that counts its entries. Lists with the same count stand together. */
static const struct scene_list {
    const char *path;
    phx_scene_kind kind;
    list_width width;
    size_t list, count;
} lists[] = {
#define LIST(kind, list, path, width, count)                                                                           \
    {path, PHX_SCENE_LIST_##kind, width, offsetof(phx_scene, list), offsetof(phx_scene, count)},
    PHX_SCENE_LISTS(LIST)
#undef LIST
};
enum { LISTS = sizeof lists / sizeof *lists };

static int width_of(int list, int dimension)
{
    static const int widths[][2] = {
        [ONE] = {1, 1}, [DIM] = {2, 3}, [SPACE] = {3, 3}, [SQUARE] = {4, 9}, [SECTION] = {5, 5}};
    return widths[lists[list].width][dimension == 3];
}

static int count_of(const phx_scene *scene, int list)
{
    return *(const int *)(const void *)((const char *)scene + lists[list].count);
}

static void set_count(phx_scene *scene, int list, int count)
{
    *(int *)(void *)((char *)scene + lists[list].count) = count;
}

static char ***names_of(phx_scene *scene, int list)
{
    return (char ***)(void *)((char *)scene + lists[list].list);
}

static int **integers_of(phx_scene *scene, int list)
{
    return (int **)(void *)((char *)scene + lists[list].list);
}

static double **numbers_of(phx_scene *scene, int list)
{
    return (double **)(void *)((char *)scene + lists[list].list);
}

/* ---- cells ---- */
static const phx_cell_shape cell_shapes[] = {{3, 2, 2},   {5, 3, 4},    {9, 4, 5},    {10, 4, 6},
                                             {12, 8, 9},  {13, 6, 8},   {21, 3, 34},  {22, 6, 36},
                                             {23, 8, 37}, {24, 10, 38}, {25, 20, 48}, {26, 15, 40}};

const phx_cell_shape *phx_cell_shape_of(int vtk)
{
    for (size_t k = 0; k < sizeof cell_shapes / sizeof *cell_shapes; k++)
        if (cell_shapes[k].vtk == vtk)
            return &cell_shapes[k];
    return NULL;
}

void phx_scene_free(phx_scene *scene)
{
    for (int k = 0; scene && k < LISTS; k++) {
        if (lists[k].kind == PHX_SCENE_LIST_NAMES)
            phx_h5_free_names(*names_of(scene, k) ? count_of(scene, k) : 0, *names_of(scene, k));
        else if (lists[k].kind == PHX_SCENE_LIST_INTEGERS)
            phx_free(*integers_of(scene, k));
        else
            phx_free(*numbers_of(scene, k));
    }
    if (scene)
        *scene = (phx_scene){0};
}

/* ---- copying ---- */
static bool copy_list(phx_context *context, int dimension, int k, phx_scene *from, phx_scene *to)
{
    const size_t count = (size_t)count_of(from, k), values = count * (size_t)width_of(k, dimension);

    if (lists[k].kind == PHX_SCENE_LIST_NAMES) {
        char **names = *names_of(to, k) = phx_calloc(context, count, sizeof *names);
        bool all = names != NULL;
        for (size_t i = 0; i < count && all; i++)
            all = (names[i] = phx_strdup(context, (*names_of(from, k))[i])) != NULL;
        return all;
    }
    if (lists[k].kind == PHX_SCENE_LIST_INTEGERS) {
        int *copy = *integers_of(to, k) = phx_calloc(context, values, sizeof *copy);
        if (copy && values > 0)
            memcpy(copy, *integers_of(from, k), values * sizeof *copy);
        return copy != NULL;
    }
    double *copy = *numbers_of(to, k) = phx_calloc(context, values, sizeof *copy);
    if (copy && values > 0)
        memcpy(copy, *numbers_of(from, k), values * sizeof *copy);
    return copy != NULL;
}

/* Copies all lists of a scene; the copy is empty after a failure. */
phx_status phx_scene_copy(phx_context *context, int dimension, const phx_scene *scene, phx_scene *copy)
{
    if (!scene || !copy)
        return phx_fail_null(context, __func__, "scene or copy");
    phx_scene from = *scene;

    *copy = (phx_scene){0};
    for (int k = 0; k < LISTS; k++)
        set_count(copy, k, count_of(scene, k));
    for (int k = 0; k < LISTS; k++)
        if (!copy_list(context, dimension, k, &from, copy)) {
            phx_scene_free(copy);
            return PHX_ERR_MEMORY;
        }
    return PHX_OK;
}

/* ---- checking ---- */
static phx_status check_values(phx_context *context, int dimension, phx_scene *scene)
{
    for (int k = 0; k < LISTS; k++) {
        const int count = count_of(scene, k), width = width_of(k, dimension);
        const void *list = *(void **)(void *)((char *)scene + lists[k].list);
        if (count < 0 || (count > 0 && !list))
            return phx_fail(context, PHX_ERR_ARGUMENT, "%s has %d entries", lists[k].path, count);
        for (int i = 0; i < count && lists[k].kind == PHX_SCENE_LIST_NAMES; i++)
            if (!(*names_of(scene, k))[i])
                return phx_fail(context, PHX_ERR_ARGUMENT, "%s: text %d is missing", lists[k].path, i + 1);
        for (size_t i = 0; i < (size_t)count * (size_t)width && lists[k].kind == PHX_SCENE_LIST_NUMBERS; i++)
            if (!isfinite((*numbers_of(scene, k))[i]))
                return phx_fail(context, PHX_ERR_ARGUMENT, "%s: entry %zu is not finite", lists[k].path,
                                i / (size_t)width + 1);
    }
    return PHX_OK;
}

static phx_status check_indices(phx_context *context, const char *path, int count, const int *values, int least,
                                int end)
{
    for (int i = 0; i < count; i++)
        if (values[i] < least || values[i] >= end)
            return phx_fail(context, PHX_ERR_ARGUMENT, "%s: entry %d is %d, outside %d to %d", path, i + 1, values[i],
                            least, end - 1);
    return PHX_OK;
}

/* ---- meshes ---- */
bool phx_scene_list(const phx_scene *scene, int dimension, const char *group, int k, phx_scene_view *view)
{
    const size_t length = strlen(group);
    int found = 0;

    for (int i = 0; i < LISTS; i++) {
        if (strncmp(lists[i].path, group, length) != 0 || found++ < k)
            continue;
        *view = (phx_scene_view){.name = lists[i].path + length,
                                 .kind = lists[i].kind,
                                 .count = count_of(scene, i),
                                 .width = width_of(i, dimension),
                                 .values = *(void *const *)(const void *)((const char *)scene + lists[i].list)};
        return true;
    }
    return false;
}

int phx_scene_factors(const phx_scene *scene)
{
    int count = 0;

    for (int m = 0; scene && m < scene->n_meshes; m++)
        count += scene->mesh_factors[m];
    return count;
}

/* Returns the parts of the scene's arrays that belong to one mesh, found by adding up the sizes of the meshes before.
 */
phx_scene_mesh phx_scene_mesh_at(const phx_scene *scene, int mesh, const phx_record_body *bodies, int dimension)
{
    phx_scene_mesh scene_mesh = {.x = scene->mesh_x,
                                 .thickness = scene->mesh_thickness,
                                 .cell_type = scene->cell_type,
                                 .cell_nodes = scene->cell_nodes,
                                 .triangles = scene->triangle_nodes,
                                 .shapes = scene->mesh_shapes,
                                 .maps = scene->mesh_maps};

    for (int m = 0; m <= mesh; m++) {
        if (m > 0) { /* behind the one before */
            scene_mesh.x += 3 * scene_mesh.n_nodes;
            scene_mesh.thickness += scene_mesh.n_nodes;
            for (int c = 0; c < scene_mesh.n_cells; c++)
                scene_mesh.cell_nodes += phx_cell_shape_of(scene_mesh.cell_type[c])->nodes;
            scene_mesh.cell_type += scene_mesh.n_cells;
            scene_mesh.triangles += 3 * scene_mesh.n_triangles;
            scene_mesh.shapes += (size_t)scene_mesh.n_nodes * 3 * (size_t)scene_mesh.n_q;
            scene_mesh.maps += (size_t)scene_mesh.n_nodes * (size_t)phx_stress_components(scene_mesh.stresses) *
                               (size_t)(scene_mesh.n_q + scene_mesh.n_factors);
            scene_mesh.first_factor += scene_mesh.n_factors;
        }
        scene_mesh.body = scene->mesh_body[m];
        scene_mesh.n_nodes = scene->mesh_nodes[m];
        scene_mesh.n_cells = scene->mesh_cells[m];
        scene_mesh.n_triangles = scene->mesh_triangles[m];
        scene_mesh.stresses = phx_stress_set_named(scene->mesh_stresses[m]);
        scene_mesh.n_factors = scene->mesh_factors[m];
        scene_mesh.n_q = (int)fmax(phx_layout_deformations(dimension, &bodies[scene_mesh.body]), 0);
    }
    return scene_mesh;
}

static phx_status misfit(phx_context *context, const char *path, double found, double wanted)
{
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s has %.0f values instead of %.0f", path, found, wanted);
}

/* The nodes of the cells, whose number is that of their types, and of the triangles lie in their meshes. */
static phx_status check_mesh_cells(phx_context *context, const phx_scene *scene)
{
    phx_status status = PHX_OK;
    int cell = 0, node = 0, corner = 0;

    for (int m = 0; m < scene->n_meshes && !status; m++) {
        for (int c = 0; c < scene->mesh_cells[m] && !status; c++, cell++) {
            const phx_cell_shape *shape = phx_cell_shape_of(scene->cell_type[cell]);
            if (!shape || shape->nodes > scene->n_cell_nodes - node)
                return phx_fail(context, PHX_ERR_ARGUMENT, "/meshes/cell_type: entry %d is %d", cell + 1,
                                scene->cell_type[cell]);
            status = check_indices(context, "/meshes/cell_nodes", shape->nodes, scene->cell_nodes + node, 0,
                                   scene->mesh_nodes[m]);
            node += shape->nodes;
        }
        if (!status)
            status = check_indices(context, "/meshes/triangle_nodes", 3 * scene->mesh_triangles[m],
                                   scene->triangle_nodes + corner, 0, scene->mesh_nodes[m]);
        corner += 3 * scene->mesh_triangles[m];
    }
    return !status && node != scene->n_cell_nodes ? misfit(context, "/meshes/cell_nodes", scene->n_cell_nodes, node)
                                                  : status;
}

/* Sets belong to a mesh, and their nodes lie in it. */
static phx_status check_mesh_sets(phx_context *context, const phx_scene *scene)
{
    phx_status status = check_indices(context, "/sets/mesh", scene->n_mesh_sets, scene->set_mesh, 0, scene->n_meshes);
    int at = 0;

    for (int s = 0; s < scene->n_mesh_sets && !status; s++) {
        if (scene->set_nodes[s] < 0 || scene->set_nodes[s] > scene->n_set_nodes - at)
            return misfit(context, "/sets/node", scene->n_set_nodes, at + (double)scene->set_nodes[s]);
        status = check_indices(context, "/sets/node", scene->set_nodes[s], scene->set_node + at, 0,
                               scene->mesh_nodes[scene->set_mesh[s]]);
        at += scene->set_nodes[s];
    }
    return !status && at != scene->n_set_nodes ? misfit(context, "/sets/node", scene->n_set_nodes, at) : status;
}

/* Checks meshes of a scene: body indices, sizes, and that nodes, cells, triangles, shapes and stress maps add up to
 * the lists. */
static phx_status check_meshes(phx_context *context, int dimension, int n_bodies, const phx_record_body *bodies,
                               const phx_scene *scene)
{
    double nodes = 0.0, cells = 0.0, triangles = 0.0, shapes = 0.0, maps = 0.0;
    phx_status status = check_indices(context, "/meshes/body", scene->n_meshes, scene->mesh_body, 0, n_bodies);

    for (int m = 0; m < scene->n_meshes && !status; m++) {
        const int components = phx_stress_components(phx_stress_set_named(scene->mesh_stresses[m]));
        const double n_q = fmax(phx_layout_deformations(dimension, &bodies[scene->mesh_body[m]]), 0);
        if (scene->mesh_nodes[m] < 0 || scene->mesh_cells[m] < 0 || scene->mesh_triangles[m] < 0 ||
            scene->mesh_factors[m] < 0 || dimension != 3)
            return phx_fail(context, PHX_ERR_ARGUMENT, "/meshes: mesh %d has negative numbers, or is in the plane",
                            m + 1);
        if (scene->mesh_factors[m] > 0 && (components == 0 || scene->mesh_nodes[m] == 0))
            return phx_fail(context, PHX_ERR_ARGUMENT, "/meshes/factors: mesh %d has factors, but no stresses", m + 1);
        nodes += scene->mesh_nodes[m];
        cells += scene->mesh_cells[m];
        triangles += 3.0 * scene->mesh_triangles[m];
        shapes += 3.0 * scene->mesh_nodes[m] * n_q;
        maps += (double)components * scene->mesh_nodes[m] * (n_q + scene->mesh_factors[m]);
    }
    if (!status && nodes != scene->n_mesh_nodes)
        status = misfit(context, "/meshes/x", scene->n_mesh_nodes, nodes);
    if (!status && cells != scene->n_mesh_cells)
        status = misfit(context, "/meshes/cell_type", scene->n_mesh_cells, cells);
    if (!status && triangles != scene->n_triangle_nodes)
        status = misfit(context, "/meshes/triangle_nodes", scene->n_triangle_nodes, triangles);
    if (!status && shapes != scene->n_mesh_shapes)
        status = misfit(context, "/meshes/shapes", scene->n_mesh_shapes, shapes);
    if (!status && maps != scene->n_mesh_maps)
        status = misfit(context, "/meshes/maps", scene->n_mesh_maps, maps);
    if (!status)
        status = check_mesh_cells(context, scene);
    return status ? status : check_mesh_sets(context, scene);
}

/* Bodies, points and triangles of the visuals lie in their lists, and their sizes add up to them. */
static phx_status check_visuals(phx_context *context, int dimension, int n_bodies, const phx_record_body *bodies,
                                const phx_scene *scene)
{
    double nodes = 0.0, triangles = 0.0, turns = 0.0;
    phx_status status = check_indices(context, "/visuals/body", scene->n_visuals, scene->visual_body, -1, n_bodies);

    if (!status)
        status = check_indices(context, "/visuals/node_body", scene->n_visual_nodes, scene->node_body, -1, n_bodies);
    for (int k = 0; k < scene->n_visual_nodes && !status; k++) {
        int end = scene->node_body[k] < 0 ? 0 : bodies[scene->node_body[k]].n_points;
        for (int m = 0; m < scene->n_meshes; m++)
            if (scene->mesh_body[m] == scene->node_body[k])
                end += scene->mesh_nodes[m];
        status = check_indices(context, "/visuals/node_point", 1, scene->node_point + k, -1, end);
    }
    for (int v = 0; v < scene->n_visuals && !status; v++) {
        if (scene->visual_nodes[v] < 0 || scene->visual_triangles[v] < 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "/visuals: visual %d has negative numbers", v + 1);
        const double end = triangles + 3.0 * scene->visual_triangles[v];
        if (end <= scene->n_visual_triangle_nodes)
            status = check_indices(context, "/visuals/triangle_nodes", 3 * scene->visual_triangles[v],
                                   scene->visual_triangle_nodes + (size_t)triangles, 0, scene->visual_nodes[v]);
        nodes += scene->visual_nodes[v];
        triangles = end;
    }
    for (int b = 0; b < n_bodies && scene->n_point_turns > 0; b++)
        if (bodies[b].shapes)
            turns += (double)bodies[b].n_points * (dimension == 3 ? 3.0 : 1.0) *
                     fmax(phx_layout_deformations(dimension, &bodies[b]), 0);
    if (!status && nodes != scene->n_visual_nodes)
        status = misfit(context, "/visuals/node_arm", scene->n_visual_nodes, nodes);
    if (!status && triangles != scene->n_visual_triangle_nodes)
        status = misfit(context, "/visuals/triangle_nodes", scene->n_visual_triangle_nodes, triangles);
    if (!status && turns != scene->n_point_turns)
        status = misfit(context, "/visuals/point_turns", scene->n_point_turns, turns);
    return status;
}

/* Checks that a scene fits its bodies: list lengths, indices of bodies and ports, shapes, maps and meshes. */
phx_status phx_scene_check(phx_context *context, int dimension, int n_bodies, const phx_record_body *bodies,
                           const phx_scene *given)
{
    phx_scene copy = *given, *scene = &copy;
    phx_status status = check_values(context, dimension, scene);
    double shapes = 0.0, maps = 0.0;

    if (!status && scene->n_bodies != n_bodies)
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "/bodies/mass has %d entries for %d bodies", scene->n_bodies, n_bodies);
    if (!status && scene->n_gravity != dimension && scene->n_gravity != 0)
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "/gravity has %d entries instead of %d", scene->n_gravity, dimension);
    if (!status)
        status = check_indices(context, "/ports/body", scene->n_ports, scene->port_body, -1, n_bodies);
    if (!status)
        status = check_indices(context, "/sections/body", scene->n_sections, scene->section_body, 0, n_bodies);
    for (int k = 0; k < LISTS && !status; k++)
        if (strstr(lists[k].path, "/port") && strncmp(lists[k].path, "/ports", 6) != 0)
            status =
                check_indices(context, lists[k].path, count_of(scene, k), *integers_of(scene, k), 0, scene->n_ports);
        else if (!strcmp(lists[k].path, "/arrows/directions"))
            status =
                check_indices(context, lists[k].path, scene->n_arrows, scene->arrow_directions, 0, scene->n_ports + 1);
        else if (strstr(lists[k].path, "/wheel")) /* 0 where there is none, with or without joints */
            status = check_indices(context, lists[k].path, count_of(scene, k), *integers_of(scene, k), 0,
                                   scene->n_joints > 1 ? scene->n_joints : 1);
    if (status)
        return status;
    for (int p = 0; p < scene->n_ports; p++)
        if (scene->port_body[p] >= 0)
            shapes += (double)dimension * fmax(phx_layout_deformations(dimension, &bodies[scene->port_body[p]]), 0);
    for (int k = 0; k < scene->n_sections; k++) {
        const phx_record_body *body = &bodies[scene->section_body[k]];
        maps += (double)body->n_points * fmax(phx_layout_deformations(dimension, body), 0);
    }
    if (shapes != scene->n_port_shapes || maps != scene->n_maps)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s has %d values instead of %.0f",
                        shapes != scene->n_port_shapes ? "/ports/shapes" : "/sections/maps",
                        shapes != scene->n_port_shapes ? scene->n_port_shapes : scene->n_maps,
                        shapes != scene->n_port_shapes ? shapes : maps);
    status = check_meshes(context, dimension, n_bodies, bodies, scene);
    return status ? status : check_visuals(context, dimension, n_bodies, bodies, scene);
}

/* ---- the HDF5 file ---- */
/* The groups of the lists beside /bodies; files of earlier versions lack those from LATER on. */
static const char *const groups[] = {"/ports",      "/joints", "/springs", "/loads",  "/sections",
                                     "/parameters", "/meshes", "/visuals", "/arrows", "/sets"};
enum { GROUPS = sizeof groups / sizeof *groups, LATER = 6 };

static bool is_of_later_version(phx_h5 *file, const char *path)
{
    for (int k = LATER; k < GROUPS; k++) {
        const size_t length = strlen(groups[k]);
        if (!strncmp(path, groups[k], length) && path[length] == '/')
            return !phx_h5_has(file, groups[k]);
    }
    return false;
}

void phx_scene_write(phx_h5 *file, int dimension, const phx_scene *given)
{
    phx_scene scene = *given;

    for (int k = 0; k < GROUPS; k++)
        phx_h5_make_group(file, groups[k]);
    for (int k = 0; k < LISTS; k++) {
        const int count = count_of(&scene, k), width = width_of(k, dimension);
        if (lists[k].kind == PHX_SCENE_LIST_NAMES) {
            phx_h5_put_names(file, lists[k].path, count, (const char *const *)*names_of(&scene, k));
        } else if (lists[k].kind == PHX_SCENE_LIST_INTEGERS) {
            phx_h5_put_integers(file, lists[k].path, count, *integers_of(&scene, k));
        } else {
            phx_h5_make_rows(file, lists[k].path, (size_t)count, width > 1 ? (size_t)width : 0);
            phx_h5_put_rows(file, lists[k].path, 0, (size_t)count, *numbers_of(&scene, k));
        }
    }
}

bool phx_scene_is_in(phx_h5 *file)
{
    return phx_h5_has(file, "/ports") && phx_h5_has(file, "/ports/name");
}

static phx_status scene_damaged(phx_h5 *file, const char *path)
{
    return phx_fail(phx_h5_context(file), PHX_ERR_FILE, "%s: %s does not fit; the file is damaged", phx_h5_path(file),
                    path);
}

/* Integers or numbers into a list of their own. */
static phx_status scene_read_values(phx_h5 *file, int dimension, int k, phx_scene *scene, int *count)
{
    const int width = width_of(k, dimension);
    size_t rows, cols;
    phx_status status = phx_h5_extent(file, lists[k].path, &rows, &cols);

    if (!status && (cols != (width > 1 ? (size_t)width : 0) || rows > INT_MAX / 9))
        status = scene_damaged(file, lists[k].path);
    if (status)
        return status;
    *count = (int)rows;
    if (lists[k].kind == PHX_SCENE_LIST_INTEGERS) {
        int *values = *integers_of(scene, k) = phx_calloc(phx_h5_context(file), rows, sizeof *values);
        return values ? phx_h5_read_integers(file, lists[k].path, *count, values) : PHX_ERR_MEMORY;
    }
    double *values = *numbers_of(scene, k) = phx_calloc(phx_h5_context(file), rows * (size_t)width, sizeof *values);
    return values ? phx_h5_read_rows(file, lists[k].path, 0, rows, values) : PHX_ERR_MEMORY;
}

/* Zeros, or empty texts, of a list that files of earlier versions lack, as many as the list before has entries. */
static phx_status put_zeros(phx_h5 *file, int dimension, int k, phx_scene *scene)
{
    phx_context *context = phx_h5_context(file);
    const size_t count = (size_t)count_of(scene, k);

    if (lists[k].kind == PHX_SCENE_LIST_INTEGERS)
        return (*integers_of(scene, k) = phx_calloc(context, count, sizeof(int))) ? PHX_OK : PHX_ERR_MEMORY;
    if (lists[k].kind == PHX_SCENE_LIST_NUMBERS)
        return (*numbers_of(scene, k) = phx_calloc(context, count * (size_t)width_of(k, dimension), sizeof(double)))
                   ? PHX_OK
                   : PHX_ERR_MEMORY;
    char **texts = *names_of(scene, k) = phx_calloc(context, count, sizeof *texts);
    for (size_t i = 0; i < count && texts; i++)
        if (!(texts[i] = phx_strdup(context, "")))
            return PHX_ERR_MEMORY;
    return texts ? PHX_OK : PHX_ERR_MEMORY;
}

/* Reads all lists of a scene; lists of meshes may be missing in files of earlier versions. The caller frees the scene,
 * also after a failure. */
phx_status phx_scene_read(phx_h5 *file, int dimension, phx_scene *scene)
{
    phx_status status = PHX_OK;

    *scene = (phx_scene){0};
    for (int k = 0; k < LISTS && !status; k++) {
        const bool first = k == 0 || lists[k - 1].count != lists[k].count;
        int count = 0;
        if (is_of_later_version(file, lists[k].path))
            continue;
        if (!first && !phx_h5_has(file, lists[k].path)) {
            status = put_zeros(file, dimension, k, scene);
            continue;
        }
        if (lists[k].kind == PHX_SCENE_LIST_NAMES)
            status = phx_h5_read_names(file, lists[k].path, &count, names_of(scene, k));
        else
            status = scene_read_values(file, dimension, k, scene, &count);
        if (!status && !first && count != count_of(scene, k)) {
            status = scene_damaged(file, lists[k].path);
            if (lists[k].kind == PHX_SCENE_LIST_NAMES) { /* freed by its own count */
                phx_h5_free_names(count, *names_of(scene, k));
                *names_of(scene, k) = NULL;
            }
        } else if (!status) {
            set_count(scene, k, count);
        }
    }
    return status;
}
