/* Tables of modes in HDF5 files:
 *   /sweep/parameters, values (points x parameters, absent without any), rigid_modes (absent when not known),
 *          spin (rad/s; absent for modes at rest)
 *   /modes/point, mode, branch, omega, frequency, damping   one entry for each row
 *   /shapes/coordinates, real, imaginary (rows x coordinates, absent without shapes)
 *   /states/x, factors   the configuration at each point, or at the first, and the factors of the scene; with it
 *          dimension, /bodies and the scene (layout.h)
 *   /model   the model text;  attributes format, format_version, points, program_version, model_name */
#include "modes.h"
#include "file/file.h"
#include "results/store/layout.h"

#include <limits.h>
#include <stddef.h>

/* The entries of a row, one list for each. */
static const struct {
    const char *path;
    size_t offset;
} integer_lists[] = {{"/modes/point", offsetof(phx_mode_row, point)},
                     {"/modes/mode", offsetof(phx_mode_row, mode)},
                     {"/modes/branch", offsetof(phx_mode_row, branch)}},
  number_lists[] = {{"/modes/omega", offsetof(phx_mode_row, omega)},
                    {"/modes/frequency", offsetof(phx_mode_row, frequency)},
                    {"/modes/damping", offsetof(phx_mode_row, damping)}};
enum { LISTS = 3 };

static int *integer_entry(phx_mode_row *row, int list)
{
    return (int *)(void *)((char *)row + integer_lists[list].offset);
}

static double *number_entry(phx_mode_row *row, int list)
{
    return (double *)(void *)((char *)row + number_lists[list].offset);
}

/* ---- writing ---- */

static void h5_put_matrix(phx_h5 *file, const char *path, int rows, int cols, const double *values)
{
    if (rows == 0 || cols == 0 || !values)
        return;
    phx_h5_make_rows(file, path, (size_t)rows, (size_t)cols);
    phx_h5_put_rows(file, path, 0, (size_t)rows, values);
}

/* Writes point, mode and branch numbers and the frequencies and dampings of all rows. */
static phx_status put_lists(phx_h5 *file, const phx_modes_table *table)
{
    phx_context *context = phx_h5_context(file);
    int *integers = phx_calloc(context, (size_t)table->n_rows, sizeof *integers);
    double *numbers = phx_calloc(context, (size_t)table->n_rows, sizeof *numbers);
    phx_status status = integers && numbers ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < LISTS && !status; k++) {
        for (int i = 0; i < table->n_rows; i++) {
            phx_mode_row row = table->rows[i];
            integers[i] = *integer_entry(&row, k);
            numbers[i] = *number_entry(&row, k);
        }
        phx_h5_put_integers(file, integer_lists[k].path, table->n_rows, integers);
        phx_h5_make_rows(file, number_lists[k].path, (size_t)table->n_rows, 0);
        phx_h5_put_rows(file, number_lists[k].path, 0, (size_t)table->n_rows, numbers);
    }
    phx_free(integers);
    phx_free(numbers);
    return status;
}

static phx_status put_drawing(phx_h5 *file, const phx_modes_table *table)
{
    const phx_layout drawing = {.dimension = table->dimension,
                                .n_bodies = table->n_bodies,
                                .bodies = (phx_record_body *)table->bodies,
                                .scene = (phx_scene *)table->scene};
    if (table->dimension == 0)
        return PHX_OK;
    phx_h5_make_group(file, "/states");
    h5_put_matrix(file, PHX_PATH_X, table->n_states, table->n_x, table->states);
    h5_put_matrix(file, PHX_PATH_FACTORS, table->n_states, phx_scene_factors(table->scene), table->factors);
    return phx_layout_write_bodies(file, &drawing);
}

/* Writes a table of modes to an HDF5 file: attributes, sweep, rows, shapes and drawing. */
static phx_status put_table(phx_h5 *file, const phx_modes_table *table)
{
    phx_h5_set_text(file, "/", "format", PHX_FORMAT_MODES);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    phx_h5_set_integer(file, "/", "points", table->n_points);
    phx_h5_set_text(file, "/", "program_version", table->program_version);
    phx_h5_set_text(file, "/", "model_name", table->model_name);
    phx_h5_put_text(file, "/model", table->model_text);
    phx_h5_make_group(file, "/sweep");
    phx_h5_put_names(file, "/sweep/parameters", table->n_parameters, table->parameters);
    h5_put_matrix(file, "/sweep/values", table->n_points, table->n_parameters, table->values);
    if (table->rigid_modes)
        phx_h5_put_integers(file, "/sweep/rigid_modes", table->n_points, table->rigid_modes);
    if (table->spin && table->n_points > 0) {
        phx_h5_make_rows(file, "/sweep/spin", (size_t)table->n_points, 0);
        phx_h5_put_rows(file, "/sweep/spin", 0, (size_t)table->n_points, table->spin);
    }
    phx_h5_make_group(file, "/modes");
    phx_status status = put_lists(file, table);
    phx_h5_make_group(file, "/shapes");
    phx_h5_put_names(file, "/shapes/coordinates", table->n_coordinates, table->coordinates);
    h5_put_matrix(file, "/shapes/real", table->n_rows, table->n_coordinates, table->shapes);
    h5_put_matrix(file, "/shapes/imaginary", table->n_rows, table->n_coordinates, table->shapes_imaginary);
    if (!status)
        status = put_drawing(file, table);
    return status;
}

static phx_status write_file(phx_context *context, const char *path, const void *table)
{
    phx_h5 *file = NULL;
    phx_status status = phx_h5_create(context, path, &file);
    if (status)
        return status;
    status = put_table(file, table);
    if (!status)
        return phx_h5_finish(file);
    phx_h5_close(file);
    return status;
}

phx_status phx_modes_write_h5(phx_context *context, const phx_modes_table *table, const char *path)
{
    return phx_file_replace(context, path, write_file, table);
}

/* ---- reading ---- */

static phx_status h5_damaged(phx_h5 *file)
{
    return phx_fail(phx_h5_context(file), PHX_ERR_FILE, "%s: its tables do not fit together; the file is damaged",
                    phx_h5_path(file));
}

/* A matrix of the given size, or NULL when there is none in the file. */
static phx_status h5_read_matrix(phx_h5 *file, const char *path, int rows, int cols, const double **values)
{
    size_t n_rows, n_cols;
    *values = NULL;
    if (rows == 0 || cols == 0 || !phx_h5_has(file, path))
        return PHX_OK;
    phx_status status = phx_h5_extent(file, path, &n_rows, &n_cols);
    if (status)
        return status;
    if (n_rows != (size_t)rows || n_cols != (size_t)cols)
        return h5_damaged(file);
    double *matrix = phx_calloc(phx_h5_context(file), n_rows * n_cols, sizeof *matrix);
    if (!matrix)
        return PHX_ERR_MEMORY;
    *values = matrix;
    return phx_h5_read_rows(file, path, 0, n_rows, matrix);
}

static phx_status check_extent(phx_h5 *file, const char *path, int count)
{
    size_t rows, cols;
    const phx_status status = phx_h5_extent(file, path, &rows, &cols);
    if (!status && (rows != (size_t)count || cols != 0))
        return h5_damaged(file);
    return status;
}

/* Reads the rows of a table of modes; lists must have equal length and points ascend within their range. */
static phx_status read_lists(phx_h5 *file, phx_modes_table *table)
{
    phx_context *context = phx_h5_context(file);
    size_t rows, cols;
    phx_status status = phx_h5_extent(file, "/modes/omega", &rows, &cols);
    if (!status && (cols != 0 || rows > INT_MAX / 8))
        status = h5_damaged(file);
    if (status)
        return status;
    const int n_rows = (int)rows;
    int *integers = phx_calloc(context, rows, sizeof *integers);
    double *numbers = phx_calloc(context, rows, sizeof *numbers);
    phx_mode_row *entries = phx_calloc(context, rows, sizeof *entries);
    table->rows = entries;
    table->n_rows = n_rows;
    status = integers && numbers && entries ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < LISTS && !status; k++) {
        status = check_extent(file, integer_lists[k].path, n_rows);
        if (!status)
            status = check_extent(file, number_lists[k].path, n_rows);
        if (!status)
            status = phx_h5_read_integers(file, integer_lists[k].path, n_rows, integers);
        if (!status)
            status = phx_h5_read_rows(file, number_lists[k].path, 0, rows, numbers);
        for (int i = 0; i < n_rows && !status; i++) {
            *integer_entry(&entries[i], k) = integers[i];
            *number_entry(&entries[i], k) = numbers[i];
        }
    }
    for (int i = 0, last = 0; i < n_rows && !status; last = entries[i++].point)
        if (entries[i].point < last || entries[i].point >= table->n_points)
            status = h5_damaged(file);
    phx_free(integers);
    phx_free(numbers);
    return status;
}

static phx_status read_spin(phx_h5 *file, phx_modes_table *table)
{
    const phx_status status = check_extent(file, "/sweep/spin", table->n_points);
    double *spin = status ? NULL : phx_calloc(phx_h5_context(file), (size_t)table->n_points, sizeof *spin);
    table->spin = spin;
    if (!status && !spin)
        return PHX_ERR_MEMORY;
    return status ? status : phx_h5_read_rows(file, "/sweep/spin", 0, (size_t)table->n_points, spin);
}

/* Reads points, parameters and their values, and rigid modes and speeds if the file has them. */
static phx_status read_sweep(phx_h5 *file, phx_modes_table *table)
{
    char **names = NULL;
    phx_status status = phx_h5_get_integer(file, "/", "points", &table->n_points);
    if (!status && table->n_points < 0)
        status = h5_damaged(file);
    if (!status)
        status = phx_h5_read_names(file, "/sweep/parameters", &table->n_parameters, &names);
    table->parameters = (const char *const *)names;
    if (!status)
        status = h5_read_matrix(file, "/sweep/values", table->n_points, table->n_parameters, &table->values);
    if (!status && table->n_points > 0 && table->n_parameters > 0 && !table->values)
        status = h5_damaged(file);
    if (!status && phx_h5_has(file, "/sweep/spin"))
        status = read_spin(file, table);
    if (status || !phx_h5_has(file, "/sweep/rigid_modes"))
        return status;
    status = check_extent(file, "/sweep/rigid_modes", table->n_points);
    int *rigid_modes = status ? NULL : phx_calloc(phx_h5_context(file), (size_t)table->n_points, sizeof *rigid_modes);
    table->rigid_modes = rigid_modes;
    if (!status && !rigid_modes)
        status = PHX_ERR_MEMORY;
    return status ? status : phx_h5_read_integers(file, "/sweep/rigid_modes", table->n_points, rigid_modes);
}

static phx_status read_shapes(phx_h5 *file, phx_modes_table *table)
{
    char **names = NULL;
    phx_status status = phx_h5_read_names(file, "/shapes/coordinates", &table->n_coordinates, &names);
    table->coordinates = (const char *const *)names;
    if (!status)
        status = h5_read_matrix(file, "/shapes/real", table->n_rows, table->n_coordinates, &table->shapes);
    if (!status && table->n_rows > 0 && table->n_coordinates > 0 && !table->shapes)
        status = h5_damaged(file);
    if (!status)
        status =
            h5_read_matrix(file, "/shapes/imaginary", table->n_rows, table->n_coordinates, &table->shapes_imaginary);
    return status;
}

/* The bodies and the scene, of files that have them. */
static phx_status read_drawing(phx_h5 *file, phx_modes_table *table)
{
    phx_layout drawing = {.n_v = phx_modes_rates(table)};
    size_t rows, cols;

    if (!phx_h5_has(file, "/bodies") || !phx_h5_has(file, "/states") || !phx_h5_has(file, PHX_PATH_X))
        return PHX_OK;
    phx_status status = phx_h5_extent(file, PHX_PATH_X, &rows, &cols);
    if (!status && ((rows != 1 && rows != (size_t)table->n_points) || cols < 1 || cols > INT_MAX / 8))
        status = h5_damaged(file);
    if (status)
        return status;
    table->n_states = (int)rows;
    table->n_x = drawing.n_x = (int)cols;
    status = h5_read_matrix(file, PHX_PATH_X, table->n_states, table->n_x, &table->states);
    if (!status)
        status = phx_layout_read_bodies(file, &drawing);
    table->dimension = drawing.dimension;
    table->n_bodies = drawing.n_bodies;
    table->bodies = drawing.bodies;
    table->scene = drawing.scene;
    if (!status)
        status = h5_read_matrix(file, PHX_PATH_FACTORS, table->n_states, drawing.n_factors, &table->factors);
    return status;
}

/* Reads a table of modes from an HDF5 file; the caller frees it also after a failure. */
phx_status phx_modes_read_h5(phx_context *context, const char *path, phx_modes_table *table)
{
    phx_h5 *file = NULL;
    phx_status status = phx_h5_open(context, path, &file);
    if (!status)
        status = phx_h5_expect(file, PHX_FORMAT_MODES);
    if (!status)
        status = phx_h5_get_text(file, "/", "program_version", (char **)(void *)&table->program_version);
    if (!status)
        status = phx_h5_get_text(file, "/", "model_name", (char **)(void *)&table->model_name);
    if (!status)
        status = phx_h5_read_text(file, "/model", (char **)(void *)&table->model_text);
    if (!status)
        status = read_sweep(file, table);
    if (!status)
        status = read_lists(file, table);
    if (!status)
        status = read_shapes(file, table);
    if (!status)
        status = read_drawing(file, table);
    phx_h5_close(file);
    return status;
}
