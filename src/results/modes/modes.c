/* Tables of modes: checking, dispatch to the formats, ownership. */
#include "modes.h"
#include "results/store/layout.h"

#include <limits.h>
#include <math.h>

static phx_status not_finite(phx_context *context, const char *what, const char *name, int point, double value)
{
    return phx_fail(context, PHX_ERR_ANALYSIS,
                    "%s '%s' is %g at point %d of the sweep and cannot be written; check the model there", what, name,
                    value, point);
}

/* Checks the rows of a table of modes: points in ascending order and in range, all numbers and shapes finite. */
static phx_status check_rows(phx_context *context, const phx_modes_table *table)
{
    int last = 0;
    for (int i = 0; i < table->n_rows; i++) {
        const phx_mode_row *row = &table->rows[i];
        if (row->point < last || row->point >= table->n_points)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "row %d of a table of modes is of point %d; points go from %d, not descending, to %d", i,
                            row->point, last, table->n_points - 1);
        last = row->point;
        if (!isfinite(row->omega))
            return not_finite(context, "column", "omega", row->point, row->omega);
        if (!isfinite(row->frequency))
            return not_finite(context, "column", "frequency", row->point, row->frequency);
        if (!isfinite(row->damping))
            return not_finite(context, "column", "damping", row->point, row->damping);
        for (int k = 0; k < table->n_coordinates; k++) {
            const size_t at = (size_t)i * (size_t)table->n_coordinates + (size_t)k;
            if (!isfinite(table->shapes[at]) || (table->shapes_imaginary && !isfinite(table->shapes_imaginary[at])))
                return not_finite(context, "a mode shape in", table->coordinates[k], row->point, table->shapes[at]);
        }
    }
    return PHX_OK;
}

int phx_modes_rates(const phx_modes_table *table)
{
    return table->n_coordinates > 0 ? table->n_coordinates : INT_MAX / 8;
}

/* Checks states and bodies of a table of modes for a drawing: one state for all points or one for each, all finite. */
static phx_status check_drawing(phx_context *context, const phx_modes_table *table)
{
    const phx_recorder_def def = {.dimension = table->dimension,
                                  .n_x = table->n_x,
                                  .n_v = phx_modes_rates(table),
                                  .n_bodies = table->n_bodies,
                                  .bodies = table->bodies,
                                  .scene = table->scene};

    if (table->n_states != table->n_points && table->n_states != 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a table of modes has %d points and %d states; as many, or one",
                        table->n_points, table->n_states);
    for (size_t i = 0; i < (size_t)table->n_states * (size_t)table->n_x; i++)
        if (!isfinite(table->states[i]))
            return not_finite(context, "the state", "x", (int)(i / (size_t)table->n_x), table->states[i]);
    return phx_layout_check_bodies(context, &def);
}

/* Checks a table of modes before writing: arrays and sizes, finite parameters and speeds, rows, and the drawing if
 * there is one. */
static phx_status modes_check(phx_context *context, const phx_modes_table *table)
{
    if (table->n_parameters < 0 || table->n_points < 0 || table->n_rows < 0 || table->n_coordinates < 0 ||
        (table->n_parameters > 0 && (!table->parameters || (table->n_points > 0 && !table->values))) ||
        (table->n_rows > 0 && !table->rows) ||
        (table->n_coordinates > 0 && (!table->coordinates || (table->n_rows > 0 && !table->shapes))))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a table of modes lacks an array or has a negative size");
    for (int p = 0; p < table->n_points && table->spin; p++)
        if (!isfinite(table->spin[p]))
            return not_finite(context, "the angular speed", "spin", p, table->spin[p]);
    for (int p = 0; p < table->n_points; p++)
        for (int k = 0; k < table->n_parameters; k++) {
            const double value = table->values[(size_t)p * (size_t)table->n_parameters + (size_t)k];
            if (!isfinite(value))
                return not_finite(context, "the parameter", table->parameters[k], p, value);
        }
    const phx_status status = check_rows(context, table);
    return !status && table->dimension > 0 ? check_drawing(context, table) : status;
}

static void modes_put(phx_output *output, const phx_modes_table *table, phx_modes_format format)
{
    if (format == PHX_MODES_CSV)
        phx_modes_put_csv(output, table);
    else if (format == PHX_MODES_JSON)
        phx_modes_put_json(output, table);
    else
        phx_modes_put_text(output, table);
}

phx_status phx_modes_protect(phx_context *context, const phx_modes_table *table)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < table->n_files && !status; k++)
        status = phx_files_read(context, table->files[k]);
    return status;
}

/* Writes a table of modes in the given format to a file, which must not be one that the table was made from. */
static phx_status write_table(phx_context *context, const phx_modes_table *table, phx_modes_format format,
                              const char *path)
{
    if (!table || !path)
        return phx_fail_null(context, __func__, "table or path");
    phx_output output;
    phx_status status = phx_modes_protect(context, table);
    if (status)
        return status;
    if (format == PHX_MODES_HDF5)
        return phx_modes_write_h5(context, table, path);
    if (format == PHX_MODES_XLSX)
        return phx_modes_write_styled(context, table, &(phx_table_style){.units = true, .workbook = true}, path);
    status = phx_output_open(context, path, &output);
    if (status)
        return status;
    modes_put(&output, table, format);
    return phx_output_commit(&output);
}

phx_status phx_modes_write(phx_context *context, const phx_modes_table *table, phx_modes_format format,
                           const char *path)
{
    if (!table || !path)
        return phx_fail_null(context, __func__, "table or path");
    phx_status status = modes_check(context, table);
    if (status)
        return status;
    phx_files_begin(context);
    status = write_table(context, table, format, path);
    phx_files_end(context);
    return status;
}

/* Prints a table of modes on a stream in a text format; HDF5 is refused. */
phx_status phx_modes_print(phx_context *context, const phx_modes_table *table, phx_modes_format format, FILE *stream,
                           const char *name)
{
    if (!table || !stream)
        return phx_fail_null(context, __func__, "table or stream");
    phx_output output;
    if (format == PHX_MODES_HDF5 || format == PHX_MODES_XLSX)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s cannot be printed; give the name of a file",
                        format == PHX_MODES_HDF5 ? "HDF5" : "a workbook");
    phx_status status = modes_check(context, table);
    if (!status)
        status = phx_output_open_stream(context, stream, name, &output);
    if (status)
        return status;
    modes_put(&output, table, format);
    return phx_output_commit(&output);
}

phx_status phx_modes_read(phx_context *context, const char *path, phx_modes_table *table)
{
    if (!path || !table)
        return phx_fail_null(context, __func__, "path or table");
    *table = (phx_modes_table){0};
    const phx_status status =
        phx_h5_is_hdf5(path) ? phx_modes_read_h5(context, path, table) : phx_modes_read_csv(context, path, table);
    if (status)
        phx_modes_free(table);
    return phx_conclude(context, status);
}

/* Copies bodies and scene into the table for a drawing of the modes; the table owns the copies. */
phx_status phx_modes_set_drawing(phx_context *context, int dimension, int n_bodies, const phx_record_body *bodies,
                                 const phx_scene *scene, phx_modes_table *table)
{
    if (!table)
        return phx_fail_null(context, __func__, "table");
    const phx_recorder_def def = {.dimension = dimension, .n_bodies = n_bodies, .bodies = bodies, .scene = scene};
    phx_layout drawing;
    const phx_status status = phx_layout_copy_bodies(context, &def, &drawing);
    if (!status) {
        table->dimension = dimension;
        table->n_bodies = drawing.n_bodies;
        table->bodies = drawing.bodies;
        table->scene = drawing.scene;
    }
    return status;
}

/* Frees the arrays of a table that was read or filled by copies and leaves it empty. */
void phx_modes_free(phx_modes_table *table)
{
    phx_layout drawing = {
        .n_bodies = table->n_bodies, .bodies = (phx_record_body *)table->bodies, .scene = (phx_scene *)table->scene};
    phx_free((void *)table->model_name);
    phx_free((void *)table->model_text);
    phx_free((void *)table->program_version);
    phx_h5_free_names(table->parameters ? table->n_parameters : 0, (char **)(void *)table->parameters);
    phx_free((void *)table->values);
    phx_free((void *)table->rigid_modes);
    phx_free((void *)table->spin);
    phx_free((void *)table->rows);
    phx_h5_free_names(table->coordinates ? table->n_coordinates : 0, (char **)(void *)table->coordinates);
    phx_free((void *)table->shapes);
    phx_free((void *)table->shapes_imaginary);
    phx_free((void *)table->states);
    phx_free((void *)table->factors);
    phx_h5_free_names(table->files ? table->n_files : 0, (char **)(void *)table->files);
    phx_layout_free(&drawing);
    *table = (phx_modes_table){0};
}
