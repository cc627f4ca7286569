/* The layout of a row of a result: checking, copying, and its form in an HDF5 file. */
#include "layout.h"
#include "scene.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int phx_layout_deformations(int dimension, const phx_record_body *body)
{
    return body->x_count - dimension - (dimension == 2 ? 3 : 9);
}

/* ---- checking ---- */

static int layout_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `names` is sorted by this. */
static phx_status check_unique(phx_context *context, const char *what, int count, const char **names)
{
    qsort(names, (size_t)count, sizeof *names, layout_compare_names);
    for (int i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "two %s are called '%s'; rename one of them", what, names[i]);
    return PHX_OK;
}

/* Checks that a recorder has columns, all with names that differ. */
static phx_status check_columns(phx_context *context, const phx_recorder_def *def)
{
    if (def->n_columns < 1 || !def->columns)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a recorder has %d columns; it needs at least the time",
                        def->n_columns);
    const char **names = phx_calloc(context, (size_t)def->n_columns, sizeof *names);
    phx_status status = names ? PHX_OK : PHX_ERR_MEMORY;
    for (int i = 0; i < def->n_columns && !status; i++) {
        names[i] = def->columns[i].name;
        if (!names[i] || !names[i][0])
            status = phx_fail(context, PHX_ERR_ARGUMENT, "column %d of a recorder has no name; give it one", i + 1);
    }
    if (!status)
        status = check_unique(context, "columns", def->n_columns, names);
    phx_free(names);
    return status;
}

/* Those that supply come first; their names differ, and those of the others. */
static phx_status check_ledger(phx_context *context, const phx_recorder_def *def)
{
    const char **names = phx_calloc(context, (size_t)def->n_ledger, sizeof *names);
    phx_status status = names ? PHX_OK : PHX_ERR_MEMORY;
    int supplying = 0;
    for (int i = 0; i < def->n_ledger && !status; i++) {
        const phx_record_entry *entry = &def->ledger[i];
        names[i] = entry->name;
        supplying += !entry->dissipates;
        if (!entry->name || !entry->name[0] || supplying <= (entry->dissipates ? -1 : i))
            status = phx_fail(context, PHX_ERR_ARGUMENT,
                              "entry %d of a ledger has no name, or supplies behind one that takes", i + 1);
    }
    if (!status)
        status = check_unique(context, "entries of a ledger that supply", supplying, names);
    if (!status)
        status = check_unique(context, "entries of a ledger that take", def->n_ledger - supplying, names + supplying);
    phx_free(names);
    return status;
}

static bool in_range(int start, int count, int size)
{
    return start >= 0 && count >= 0 && start <= size && count <= size - start;
}

/* Checks points and shapes of a drawn body: place and attitude in x, all numbers finite. */
static phx_status layout_check_points(phx_context *context, int dimension, const phx_record_body *body)
{
    const int n_q = phx_layout_deformations(dimension, body);
    if (body->n_points < 0 || (body->n_points > 0 && (!body->points || n_q < 0)))
        return phx_fail(
            context, PHX_ERR_ARGUMENT,
            "body '%s' cannot be drawn: %d points, %d entries of x; it needs points, and place and attitude in x",
            body->name, body->n_points, body->x_count);
    const size_t n_points = (size_t)body->n_points * (size_t)dimension;
    for (size_t i = 0; i < n_points; i++)
        if (!isfinite(body->points[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "point %zu of body '%s' is not finite",
                            i / (size_t)dimension + 1, body->name);
    for (size_t i = 0; body->shapes && i < n_points * (size_t)(n_q > 0 ? n_q : 0); i++)
        if (!isfinite(body->shapes[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "a shape of body '%s' is not finite", body->name);
    return PHX_OK;
}

static phx_status check_body(phx_context *context, const phx_recorder_def *def, int i)
{
    const phx_record_body *body = &def->bodies[i];
    if (!body->name || !body->name[0])
        return phx_fail(context, PHX_ERR_ARGUMENT, "body %d of a recorder has no name; give it one", i + 1);
    if (!in_range(body->x_start, body->x_count, def->n_x) || !in_range(body->v_start, body->v_count, def->n_v))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "body '%s' has x %d + %d and v %d + %d, outside the sizes %d and %d of the state", body->name,
                        body->x_start, body->x_count, body->v_start, body->v_count, def->n_x, def->n_v);
    return layout_check_points(context, def->dimension, body);
}

/* Checks dimension, sizes, bodies with distinct names, and the scene of a recorder. */
phx_status phx_layout_check_bodies(phx_context *context, const phx_recorder_def *def)
{
    if (def->dimension != 2 && def->dimension != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the dimension of a recorder is %d; it is 2 or 3", def->dimension);
    if (def->n_x < 0 || def->n_v < 0 || def->n_bodies < 0 || (def->n_bodies > 0 && !def->bodies))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a recorder has %d x, %d v, %d bodies; the numbers start at 0",
                        def->n_x, def->n_v, def->n_bodies);
    const char **names = phx_calloc(context, (size_t)def->n_bodies, sizeof *names);
    phx_status status = names ? PHX_OK : PHX_ERR_MEMORY;
    for (int i = 0; i < def->n_bodies && !status; i++) {
        names[i] = def->bodies[i].name;
        status = check_body(context, def, i);
    }
    if (!status)
        status = check_unique(context, "bodies", def->n_bodies, names);
    phx_free(names);
    if (!status && def->scene)
        status = phx_scene_check(context, def->dimension, def->n_bodies, def->bodies, def->scene);
    return status;
}

/* ---- copying ---- */

static double *copy_doubles(phx_context *context, size_t count, const double *values)
{
    double *copy = phx_calloc(context, count, sizeof *copy);
    if (copy && count > 0)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

/* Copies names and units of the columns and makes their paths in the file. */
static phx_status copy_columns(phx_context *context, const phx_recorder_def *def, phx_layout *layout)
{
    layout->columns = phx_calloc(context, (size_t)def->n_columns, sizeof *layout->columns);
    layout->column_paths = phx_calloc(context, (size_t)def->n_columns, sizeof *layout->column_paths);
    if (!layout->columns || !layout->column_paths)
        return PHX_ERR_MEMORY;
    layout->n_columns = def->n_columns;
    for (int i = 0; i < def->n_columns; i++) {
        const phx_record_column *from = &def->columns[i];
        layout->columns[i].name = phx_strdup(context, from->name);
        layout->columns[i].unit = phx_strdup(context, from->unit ? from->unit : "");
        layout->column_paths[i] = phx_h5_link(context, "/columns", from->name);
        if (!layout->columns[i].name || !layout->columns[i].unit || !layout->column_paths[i])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static const char *ledger_group(bool dissipates)
{
    return dissipates ? "/ledger/dissipated" : "/ledger/supplied";
}

/* Copies the energy ledger and makes the paths of its entries in the file. */
static phx_status copy_ledger(phx_context *context, const phx_recorder_def *def, phx_layout *layout)
{
    layout->ledger = phx_calloc(context, (size_t)def->n_ledger, sizeof *layout->ledger);
    layout->ledger_paths = phx_calloc(context, (size_t)def->n_ledger, sizeof *layout->ledger_paths);
    if (!layout->ledger || !layout->ledger_paths)
        return PHX_ERR_MEMORY;
    layout->n_ledger = def->n_ledger;
    for (int i = 0; i < def->n_ledger; i++) {
        const phx_record_entry *from = &def->ledger[i];
        layout->ledger[i] = (phx_record_entry){phx_strdup(context, from->name), from->dissipates};
        layout->ledger_paths[i] = phx_h5_link(context, ledger_group(from->dissipates), from->name);
        if (!layout->ledger[i].name || !layout->ledger_paths[i])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Copies the bodies with points and shapes; after a failure n_bodies counts those to be freed. */
static phx_status copy_bodies(phx_context *context, const phx_recorder_def *def, phx_layout *layout)
{
    layout->bodies = phx_calloc(context, (size_t)def->n_bodies, sizeof *layout->bodies);
    if (!layout->bodies)
        return PHX_ERR_MEMORY;
    layout->n_bodies = def->n_bodies;
    for (int i = 0; i < def->n_bodies; i++) {
        const phx_record_body *from = &def->bodies[i];
        phx_record_body *to = &layout->bodies[i];
        const int n_q = phx_layout_deformations(def->dimension, from);
        const size_t n_points = (size_t)from->n_points * (size_t)def->dimension;
        *to = *from;
        to->name = phx_strdup(context, from->name);
        to->kind = phx_strdup(context, from->kind ? from->kind : "");
        to->points = copy_doubles(context, n_points, from->points);
        to->shapes = NULL;
        if (from->shapes && n_points > 0 && n_q > 0)
            to->shapes = copy_doubles(context, n_points * (size_t)n_q, from->shapes);
        if (!to->name || !to->kind || !to->points || (from->shapes && n_points > 0 && n_q > 0 && !to->shapes)) {
            layout->n_bodies = i + 1;
            return PHX_ERR_MEMORY;
        }
    }
    return PHX_OK;
}

static phx_status copy_scene(phx_context *context, const phx_recorder_def *def, phx_layout *layout)
{
    if (!def->scene)
        return PHX_OK;
    layout->scene = phx_calloc(context, 1, sizeof *layout->scene);
    if (!layout->scene)
        return PHX_ERR_MEMORY;
    layout->n_factors = phx_scene_factors(def->scene);
    return phx_scene_copy(context, def->dimension, def->scene, layout->scene);
}

phx_status phx_layout_copy_bodies(phx_context *context, const phx_recorder_def *def, phx_layout *layout)
{
    *layout = (phx_layout){.dimension = def->dimension};
    phx_status status = copy_bodies(context, def, layout);
    if (!status)
        status = copy_scene(context, def, layout);
    if (status)
        phx_layout_free(layout);
    return status;
}

/* Checks the definition of a recorder and copies it into a layout; empty after a failure. */
phx_status phx_layout_create(phx_context *context, const phx_recorder_def *def, phx_layout *layout)
{
    *layout = (phx_layout){.dimension = def->dimension, .n_x = def->n_x, .n_v = def->n_v};
    phx_status status = check_columns(context, def);
    if (!status)
        status = check_ledger(context, def);
    if (!status)
        status = phx_layout_check_bodies(context, def);
    if (!status)
        status = copy_columns(context, def, layout);
    if (!status)
        status = copy_ledger(context, def, layout);
    if (!status)
        status = copy_bodies(context, def, layout);
    if (!status)
        status = copy_scene(context, def, layout);
    if (status)
        phx_layout_free(layout);
    return status;
}

/* Frees a layout, also an incomplete one, and leaves it empty. */
void phx_layout_free(phx_layout *layout)
{
    for (int i = 0; i < layout->n_columns; i++) {
        phx_free((void *)layout->columns[i].name);
        phx_free((void *)layout->columns[i].unit);
    }
    phx_h5_free_names(layout->n_columns, layout->column_paths);
    phx_free(layout->columns);
    for (int i = 0; i < layout->n_ledger; i++)
        phx_free((void *)layout->ledger[i].name);
    phx_h5_free_names(layout->n_ledger, layout->ledger_paths);
    phx_free(layout->ledger);
    for (int i = 0; i < layout->n_bodies; i++) {
        phx_free((void *)layout->bodies[i].name);
        phx_free((void *)layout->bodies[i].kind);
        phx_free((void *)layout->bodies[i].points);
        phx_free((void *)layout->bodies[i].shapes);
    }
    phx_free(layout->bodies);
    phx_scene_free(layout->scene);
    phx_free(layout->scene);
    *layout = (phx_layout){0};
}

/* ---- writing ---- */

/* The entries of a body that are integers, one list of all bodies for each. */
static const struct {
    const char *path;
    size_t offset;
} integer_lists[] = {
    {"/bodies/x_start", offsetof(phx_record_body, x_start)},   {"/bodies/x_count", offsetof(phx_record_body, x_count)},
    {"/bodies/v_start", offsetof(phx_record_body, v_start)},   {"/bodies/v_count", offsetof(phx_record_body, v_count)},
    {"/bodies/n_points", offsetof(phx_record_body, n_points)},
};
enum { INTEGER_LISTS = sizeof integer_lists / sizeof *integer_lists };

static int *integer_entry(phx_record_body *body, int list)
{
    return (int *)(void *)((char *)body + integer_lists[list].offset);
}

static size_t point_values(const phx_layout *layout, const phx_record_body *body)
{
    return (size_t)body->n_points * (size_t)layout->dimension;
}

static size_t shape_values(const phx_layout *layout, const phx_record_body *body)
{
    return body->shapes ? point_values(layout, body) * (size_t)phx_layout_deformations(layout->dimension, body) : 0;
}

static phx_status write_names(phx_h5 *file, const phx_layout *layout)
{
    const char **names = phx_calloc(phx_h5_context(file), (size_t)layout->n_bodies, sizeof *names);
    if (!names)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < layout->n_bodies; i++)
        names[i] = layout->bodies[i].name;
    phx_h5_put_names(file, "/bodies/name", layout->n_bodies, names);
    for (int i = 0; i < layout->n_bodies; i++)
        names[i] = layout->bodies[i].kind;
    phx_h5_put_names(file, "/bodies/kind", layout->n_bodies, names);
    phx_free(names);
    return PHX_OK;
}

/* Writes the integers of all bodies, a list for each kind, and whether they deform. */
static phx_status write_integers(phx_h5 *file, const phx_layout *layout)
{
    int *list = phx_calloc(phx_h5_context(file), (size_t)layout->n_bodies, sizeof *list);
    if (!list)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < INTEGER_LISTS; k++) {
        for (int i = 0; i < layout->n_bodies; i++)
            list[i] = *integer_entry(&layout->bodies[i], k);
        phx_h5_put_integers(file, integer_lists[k].path, layout->n_bodies, list);
    }
    for (int i = 0; i < layout->n_bodies; i++)
        list[i] = layout->bodies[i].shapes != NULL;
    phx_h5_put_integers(file, "/bodies/deforms", layout->n_bodies, list);
    phx_free(list);
    return PHX_OK;
}

/* Writes points and shapes of all bodies, one after the other. */
static phx_status write_drawing(phx_h5 *file, const phx_layout *layout)
{
    size_t n_points = 0, n_shapes = 0;
    for (int i = 0; i < layout->n_bodies; i++) {
        n_points += point_values(layout, &layout->bodies[i]);
        n_shapes += shape_values(layout, &layout->bodies[i]);
    }
    double *flat = phx_calloc(phx_h5_context(file), n_points + n_shapes, sizeof *flat);
    if (!flat)
        return PHX_ERR_MEMORY;
    double *points = flat, *shapes = flat + n_points;
    for (int i = 0; i < layout->n_bodies; i++) {
        const phx_record_body *body = &layout->bodies[i];
        for (size_t k = 0; k < point_values(layout, body); k++)
            *points++ = body->points[k];
        for (size_t k = 0; k < shape_values(layout, body); k++)
            *shapes++ = body->shapes[k];
    }
    phx_h5_make_rows(file, "/bodies/points", n_points, 0);
    phx_h5_put_rows(file, "/bodies/points", 0, n_points, flat);
    phx_h5_make_rows(file, "/bodies/shapes", n_shapes, 0);
    phx_h5_put_rows(file, "/bodies/shapes", 0, n_shapes, flat + n_points);
    phx_free(flat);
    return PHX_OK;
}

phx_status phx_layout_write_bodies(phx_h5 *file, const phx_layout *layout)
{
    phx_h5_set_integer(file, "/", "dimension", layout->dimension);
    phx_h5_make_group(file, "/bodies");
    phx_status status = write_names(file, layout);
    if (!status)
        status = write_integers(file, layout);
    if (!status)
        status = write_drawing(file, layout);
    if (!status && layout->scene)
        phx_scene_write(file, layout->dimension, layout->scene);
    return status;
}

int phx_layout_parts(const phx_layout *layout)
{
    return layout->n_columns + (layout->n_x > 0) + (layout->n_v > 0) + layout->n_ledger + (layout->n_factors > 0);
}

/* Writes the layout of a result for a number of rows and places its datasets; places[] gets their addresses in the
 * file, in the order of the values of a row. */
phx_status phx_layout_write(phx_h5 *file, const phx_layout *layout, size_t rows, unsigned long long *places)
{
    unsigned long long *ledger = places + layout->n_columns + (layout->n_x > 0) + (layout->n_v > 0);

    phx_h5_make_group(file, "/columns");
    for (int i = 0; i < layout->n_columns; i++) {
        *places++ = phx_h5_place_rows(file, layout->column_paths[i], rows, 0);
        phx_h5_set_text(file, layout->column_paths[i], "name", layout->columns[i].name);
        phx_h5_set_text(file, layout->column_paths[i], "unit", layout->columns[i].unit);
    }
    if (layout->n_ledger > 0) {
        phx_h5_make_group(file, "/ledger");
        phx_h5_make_group(file, ledger_group(false));
        phx_h5_make_group(file, ledger_group(true));
    }
    for (int i = 0; i < layout->n_ledger; i++) {
        ledger[i] = phx_h5_place_rows(file, layout->ledger_paths[i], rows, 0);
        phx_h5_set_text(file, layout->ledger_paths[i], "name", layout->ledger[i].name);
        phx_h5_set_text(file, layout->ledger_paths[i], "unit", "J");
    }
    phx_h5_make_group(file, "/states");
    if (layout->n_x > 0)
        *places++ = phx_h5_place_rows(file, PHX_PATH_X, rows, (size_t)layout->n_x);
    if (layout->n_v > 0)
        *places++ = phx_h5_place_rows(file, PHX_PATH_V, rows, (size_t)layout->n_v);
    if (layout->n_factors > 0)
        ledger[layout->n_ledger] = phx_h5_place_rows(file, PHX_PATH_FACTORS, rows, (size_t)layout->n_factors);
    return phx_layout_write_bodies(file, layout);
}

/* ---- reading ---- */

static phx_status layout_damaged(phx_h5 *file, const char *what)
{
    return phx_fail(phx_h5_context(file), PHX_ERR_FILE, "%s: %s do not fit together; the file is damaged",
                    phx_h5_path(file), what);
}

/* Reads names, units and common length of the columns; at least one is required. */
static phx_status read_columns(phx_h5 *file, phx_layout *layout, size_t *rows)
{
    int count = 0;
    phx_status status = phx_h5_list(file, "/columns", &count, &layout->column_paths);
    if (status)
        return status;
    layout->n_columns = count;
    layout->columns = phx_calloc(phx_h5_context(file), (size_t)count, sizeof *layout->columns);
    if (!layout->columns) {
        phx_h5_free_names(count, layout->column_paths);
        layout->column_paths = NULL;
        layout->n_columns = 0;
        return PHX_ERR_MEMORY;
    }
    if (count < 1)
        return layout_damaged(file, "the columns");
    for (int i = 0; i < count && !status; i++) {
        size_t extent, cols;
        const char *path = layout->column_paths[i];
        status = phx_h5_extent(file, path, &extent, &cols);
        if (!status && (cols != 0 || (i > 0 && extent != *rows)))
            status = layout_damaged(file, "the columns");
        *rows = extent;
        if (!status)
            status = phx_h5_get_text(file, path, "name", (char **)(void *)&layout->columns[i].name);
        if (!status)
            status = phx_h5_get_text(file, path, "unit", (char **)(void *)&layout->columns[i].unit);
    }
    return status;
}

static phx_status layout_read_entry(phx_h5 *file, const char *path, size_t rows, phx_record_entry *entry)
{
    size_t extent, cols;
    phx_status status = phx_h5_extent(file, path, &extent, &cols);
    if (!status && (cols != 0 || extent != rows))
        status = layout_damaged(file, "the ledger");
    return status ? status : phx_h5_get_text(file, path, "name", (char **)(void *)&entry->name);
}

/* Reads the entries of the energy ledger, supplied work before dissipated; files without a ledger have none. */
static phx_status read_ledger(phx_h5 *file, phx_layout *layout, size_t rows)
{
    if (!phx_h5_has(file, "/ledger"))
        return PHX_OK;
    for (int dissipates = 0; dissipates < 2; dissipates++) {
        const int before = layout->n_ledger;
        char **paths = NULL;
        int count = 0;
        phx_status status = phx_h5_list(file, ledger_group(dissipates), &count, &paths);
        if (status)
            return status;
        const size_t total = (size_t)(before + count) + 1;
        void *ledger = phx_realloc(phx_h5_context(file), layout->ledger, total, sizeof *layout->ledger);
        layout->ledger = ledger ? ledger : layout->ledger;
        void *all = phx_realloc(phx_h5_context(file), layout->ledger_paths, total, sizeof *layout->ledger_paths);
        layout->ledger_paths = all ? all : layout->ledger_paths;
        if (!ledger || !all) {
            phx_h5_free_names(count, paths);
            return PHX_ERR_MEMORY;
        }
        for (int i = 0; i < count; i++) {
            layout->ledger[before + i] = (phx_record_entry){NULL, dissipates};
            layout->ledger_paths[before + i] = paths[i];
        }
        phx_free(paths);
        layout->n_ledger += count;
        for (int i = before; i < layout->n_ledger && !status; i++)
            status = layout_read_entry(file, layout->ledger_paths[i], rows, &layout->ledger[i]);
        if (status)
            return status;
    }
    return PHX_OK;
}

static phx_status read_state_size(phx_h5 *file, const char *path, size_t rows, int *size)
{
    size_t extent, cols;
    *size = 0;
    if (!phx_h5_has(file, path))
        return PHX_OK;
    phx_status status = phx_h5_extent(file, path, &extent, &cols);
    if (!status && (extent != rows || cols < 1 || cols > INT_MAX / 8))
        status = layout_damaged(file, "states and columns");
    if (!status)
        *size = (int)cols;
    return status;
}

/* Names and kinds of the bodies; makes layout->bodies. */
static phx_status layout_read_names(phx_h5 *file, phx_layout *layout)
{
    int n_names = 0, n_kinds = 0;
    char **names = NULL, **kinds = NULL;
    phx_status status = phx_h5_read_names(file, "/bodies/name", &n_names, &names);
    if (!status)
        status = phx_h5_read_names(file, "/bodies/kind", &n_kinds, &kinds);
    if (!status && n_names != n_kinds)
        status = layout_damaged(file, "the bodies");
    if (!status && !(layout->bodies = phx_calloc(phx_h5_context(file), (size_t)n_names, sizeof *layout->bodies)))
        status = PHX_ERR_MEMORY;
    if (status) {
        phx_h5_free_names(n_names, names);
        phx_h5_free_names(n_kinds, kinds);
        return status;
    }
    layout->n_bodies = n_names;
    for (int i = 0; i < n_names; i++) {
        layout->bodies[i].name = names[i];
        layout->bodies[i].kind = kinds[i];
    }
    phx_free(names);
    phx_free(kinds);
    return PHX_OK;
}

static phx_status read_list(phx_h5 *file, const char *path, int count, int *list)
{
    size_t extent, cols;
    phx_status status = phx_h5_extent(file, path, &extent, &cols);
    if (!status && (extent != (size_t)count || cols != 0))
        status = layout_damaged(file, "the bodies");
    return status ? status : phx_h5_read_integers(file, path, count, list);
}

static bool layout_fits(const phx_layout *layout, const phx_record_body *body, int deforms)
{
    return in_range(body->x_start, body->x_count, layout->n_x) && in_range(body->v_start, body->v_count, layout->n_v) &&
           body->n_points >= 0 && (deforms == 0 || deforms == 1) &&
           ((body->n_points == 0 && !deforms) || phx_layout_deformations(layout->dimension, body) >= deforms);
}

/* Ranges and numbers of points; `deforms` (n_bodies) tells which bodies have shapes. */
static phx_status read_integers(phx_h5 *file, phx_layout *layout, int *deforms)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < INTEGER_LISTS && !status; k++) {
        status = read_list(file, integer_lists[k].path, layout->n_bodies, deforms);
        for (int i = 0; i < layout->n_bodies && !status; i++)
            *integer_entry(&layout->bodies[i], k) = deforms[i];
    }
    if (!status)
        status = read_list(file, "/bodies/deforms", layout->n_bodies, deforms);
    for (int i = 0; i < layout->n_bodies && !status; i++)
        if (!layout_fits(layout, &layout->bodies[i], deforms[i]))
            status = layout_damaged(file, "bodies and states");
    return status;
}

/* Give every body its points or, when `deforms` is not NULL, its shapes from a flat dataset. */
static phx_status read_flat(phx_h5 *file, phx_layout *layout, const char *path, const int *deforms)
{
    size_t extent, cols, first = 0;
    phx_status status = phx_h5_extent(file, path, &extent, &cols);
    if (status || cols != 0)
        return status ? status : layout_damaged(file, "the bodies");
    double *flat = phx_calloc(phx_h5_context(file), extent, sizeof *flat);
    if (!flat)
        return PHX_ERR_MEMORY;
    status = phx_h5_read_rows(file, path, 0, extent, flat);
    for (int i = 0; i < layout->n_bodies && !status; i++) {
        phx_record_body *body = &layout->bodies[i];
        size_t count = point_values(layout, body);
        if (deforms && !deforms[i])
            continue;
        if (deforms)
            count *= (size_t)phx_layout_deformations(layout->dimension, body);
        const double **target = deforms ? &body->shapes : &body->points;
        if (count > extent - first)
            status = layout_damaged(file, "bodies and their drawings");
        else if (!(*target = copy_doubles(phx_h5_context(file), count, flat + first)))
            status = PHX_ERR_MEMORY;
        first += count;
    }
    phx_free(flat);
    return status;
}

/* Reads the scene if the file has one and checks that it fits the bodies. */
static phx_status read_scene(phx_h5 *file, phx_layout *layout)
{
    phx_context *context = phx_h5_context(file);

    if (!phx_scene_is_in(file))
        return PHX_OK;
    layout->scene = phx_calloc(context, 1, sizeof *layout->scene);
    if (!layout->scene)
        return PHX_ERR_MEMORY;
    phx_status status = phx_scene_read(file, layout->dimension, layout->scene);
    if (!status && phx_scene_check(context, layout->dimension, layout->n_bodies, layout->bodies, layout->scene))
        status = layout_damaged(file, "bodies, ports and sections");
    if (!status)
        layout->n_factors = phx_scene_factors(layout->scene);
    return status;
}

/* Reads dimension, bodies, points, shapes and scene; the caller frees the layout after a failure. */
phx_status phx_layout_read_bodies(phx_h5 *file, phx_layout *layout)
{
    phx_status status = phx_h5_get_integer(file, "/", "dimension", &layout->dimension);
    if (!status && layout->dimension != 2 && layout->dimension != 3)
        status = layout_damaged(file, "dimension and states");
    if (!status)
        status = layout_read_names(file, layout);
    if (status)
        return status;
    int *deforms = phx_calloc(phx_h5_context(file), (size_t)layout->n_bodies, sizeof *deforms);
    if (!deforms)
        return PHX_ERR_MEMORY;
    status = read_integers(file, layout, deforms);
    if (!status)
        status = read_flat(file, layout, "/bodies/points", NULL);
    if (!status)
        status = read_flat(file, layout, "/bodies/shapes", deforms);
    phx_free(deforms);
    if (!status)
        status = read_scene(file, layout);
    return status;
}

/* Reads the layout of a result and its number of rows; empty after a failure. */
phx_status phx_layout_read(phx_h5 *file, phx_layout *layout, size_t *rows)
{
    *layout = (phx_layout){0};
    phx_status status = read_columns(file, layout, rows);
    if (!status)
        status = read_ledger(file, layout, *rows);
    if (!status)
        status = read_state_size(file, PHX_PATH_X, *rows, &layout->n_x);
    if (!status)
        status = read_state_size(file, PHX_PATH_V, *rows, &layout->n_v);
    if (!status)
        status = phx_layout_read_bodies(file, layout);
    int n_factors = 0;
    if (!status)
        status = read_state_size(file, PHX_PATH_FACTORS, *rows, &n_factors);
    if (!status && n_factors != layout->n_factors)
        status = layout_damaged(file, "meshes and their factors");
    if (status)
        phx_layout_free(layout);
    return status;
}
