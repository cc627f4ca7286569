/* Scenes: one table of their lists; copying, checking and the HDF5 file go through it. */
#include "scene.h"
#include "layout.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef enum list_kind { NAMES, INTEGERS, NUMBERS } list_kind;
typedef enum list_width { ONE, DIM, SQUARE, SECTION } list_width; /* values of an entry */

/* A list, and the field that counts its entries. Lists with the same count stand together. */
static const struct scene_list {
    const char *path;
    list_kind kind;
    list_width width;
    size_t list, count;
} lists[] = {
#define LIST(path, kind, width, list, count)                                                                           \
    {                                                                                                                  \
        path, kind, width, offsetof(phx_scene, list), offsetof(phx_scene, count)                                       \
    }
    LIST("/bodies/radius", NUMBERS, ONE, radius, n_bodies),
    LIST("/bodies/mass", NUMBERS, ONE, mass, n_bodies),
    LIST("/bodies/centre", NUMBERS, DIM, centre, n_bodies),
    LIST("/bodies/section", NUMBERS, SECTION, section, n_bodies),
    LIST("/ports/name", NAMES, ONE, port_name, n_ports),
    LIST("/ports/body", INTEGERS, ONE, port_body, n_ports),
    LIST("/ports/position", NUMBERS, DIM, port_position, n_ports),
    LIST("/ports/rotation", NUMBERS, SQUARE, port_rotation, n_ports),
    LIST("/ports/shapes", NUMBERS, ONE, port_shapes, n_port_shapes),
    LIST("/joints/name", NAMES, ONE, joint_name, n_joints),
    LIST("/joints/kind", NAMES, ONE, joint_kind, n_joints),
    LIST("/joints/port_a", INTEGERS, ONE, joint_a, n_joints),
    LIST("/joints/port_b", INTEGERS, ONE, joint_b, n_joints),
    LIST("/joints/axis", NUMBERS, DIM, joint_axis, n_joints),
    LIST("/springs/name", NAMES, ONE, spring_name, n_springs),
    LIST("/springs/port_a", INTEGERS, ONE, spring_a, n_springs),
    LIST("/springs/port_b", INTEGERS, ONE, spring_b, n_springs),
    LIST("/loads/name", NAMES, ONE, load_name, n_loads),
    LIST("/loads/kind", NAMES, ONE, load_kind, n_loads),
    LIST("/loads/port", INTEGERS, ONE, load_port, n_loads),
    LIST("/sections/body", INTEGERS, ONE, section_body, n_sections),
    LIST("/sections/name", NAMES, ONE, section_name, n_sections),
    LIST("/sections/unit", NAMES, ONE, section_unit, n_sections),
    LIST("/sections/maps", NUMBERS, ONE, maps, n_maps),
    LIST("/parameters/name", NAMES, ONE, parameter_name, n_parameters),
    LIST("/parameters/value", NUMBERS, ONE, parameter_value, n_parameters),
    LIST("/gravity", NUMBERS, ONE, gravity, n_gravity),
#undef LIST
};
enum { LISTS = sizeof lists / sizeof *lists };

static int width_of(int list, int dimension)
{
    static const int widths[][2] = {[ONE] = {1, 1}, [DIM] = {2, 3}, [SQUARE] = {4, 9}, [SECTION] = {5, 5}};
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

void phx_scene_free(phx_scene *scene)
{
    for (int k = 0; scene && k < LISTS; k++) {
        if (lists[k].kind == NAMES)
            phx_h5_free_names(*names_of(scene, k) ? count_of(scene, k) : 0, *names_of(scene, k));
        else if (lists[k].kind == INTEGERS)
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

    if (lists[k].kind == NAMES) {
        char **names = *names_of(to, k) = phx_calloc(context, count, sizeof *names);
        bool all = names != NULL;
        for (size_t i = 0; i < count && all; i++)
            all = (names[i] = phx_strdup(context, (*names_of(from, k))[i])) != NULL;
        return all;
    }
    if (lists[k].kind == INTEGERS) {
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
        for (int i = 0; i < count && lists[k].kind == NAMES; i++)
            if (!(*names_of(scene, k))[i])
                return phx_fail(context, PHX_ERR_ARGUMENT, "%s: text %d is missing", lists[k].path, i + 1);
        for (size_t i = 0; i < (size_t)count * (size_t)width && lists[k].kind == NUMBERS; i++)
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
    return PHX_OK;
}

/* ---- the HDF5 file ---- */
void phx_scene_write(phx_h5 *file, int dimension, const phx_scene *given)
{
    static const char *const groups[] = {"/ports", "/joints", "/springs", "/loads", "/sections", "/parameters"};
    phx_scene scene = *given;

    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        phx_h5_make_group(file, groups[k]);
    for (int k = 0; k < LISTS; k++) {
        const int count = count_of(&scene, k), width = width_of(k, dimension);
        if (lists[k].kind == NAMES) {
            phx_h5_put_names(file, lists[k].path, count, (const char *const *)*names_of(&scene, k));
        } else if (lists[k].kind == INTEGERS) {
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

static phx_status damaged(phx_h5 *file, const char *path)
{
    return phx_fail(phx_h5_context(file), PHX_ERR_FILE, "%s: %s does not fit; the file is damaged", phx_h5_path(file),
                    path);
}

/* Integers or numbers into a list of their own. */
static phx_status read_values(phx_h5 *file, int dimension, int k, phx_scene *scene, int *count)
{
    const int width = width_of(k, dimension);
    size_t rows, cols;
    phx_status status = phx_h5_extent(file, lists[k].path, &rows, &cols);

    if (!status && (cols != (width > 1 ? (size_t)width : 0) || rows > INT_MAX / 9))
        status = damaged(file, lists[k].path);
    if (status)
        return status;
    *count = (int)rows;
    if (lists[k].kind == INTEGERS) {
        int *values = *integers_of(scene, k) = phx_calloc(phx_h5_context(file), rows, sizeof *values);
        return values ? phx_h5_read_integers(file, lists[k].path, *count, values) : PHX_ERR_MEMORY;
    }
    double *values = *numbers_of(scene, k) = phx_calloc(phx_h5_context(file), rows * (size_t)width, sizeof *values);
    return values ? phx_h5_read_rows(file, lists[k].path, 0, rows, values) : PHX_ERR_MEMORY;
}

phx_status phx_scene_read(phx_h5 *file, int dimension, phx_scene *scene)
{
    phx_status status = PHX_OK;

    *scene = (phx_scene){0};
    for (int k = 0; k < LISTS && !status; k++) {
        const bool first = k == 0 || lists[k - 1].count != lists[k].count;
        int count = 0;
        if (lists[k].kind == NAMES)
            status = phx_h5_read_names(file, lists[k].path, &count, names_of(scene, k));
        else
            status = read_values(file, dimension, k, scene, &count);
        if (!status && !first && count != count_of(scene, k)) {
            status = damaged(file, lists[k].path);
            if (lists[k].kind == NAMES) { /* freed by its own count */
                phx_h5_free_names(count, *names_of(scene, k));
                *names_of(scene, k) = NULL;
            }
        } else if (!status) {
            set_count(scene, k, count);
        }
    }
    return status;
}
