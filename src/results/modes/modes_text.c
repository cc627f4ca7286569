/* Tables of modes as text for reading, csv and json. */
#include "modes.h"

#include <string.h>

/* ---- aligned text ---- */

enum { CELL = 18, CELL_DIGITS = 10 };

/* Characters of UTF-8. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void put_cell(phx_output *output, const char *text, int width)
{
    for (int i = text_width(text); i < width; i++)
        phx_output_text(output, " ");
    phx_output_text(output, text);
}

static void put_number_cell(phx_output *output, double value)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_format(value, CELL_DIGITS, text);
    put_cell(output, text, CELL);
}

static bool same_rigid_modes(const phx_modes_table *table)
{
    for (int p = 1; p < table->n_points; p++)
        if (table->rigid_modes[p] != table->rigid_modes[0])
            return false;
    return true;
}

static void put_rigid_modes(phx_output *output, const phx_modes_table *table)
{
    if (!table->rigid_modes || table->n_points == 0)
        return;
    if (same_rigid_modes(table)) {
        phx_output_format(output, "rigid-body modes left out: %d", table->rigid_modes[0]);
        phx_output_line(output);
        return;
    }
    phx_output_text(output, "rigid-body modes left out, point by point:");
    for (int p = 0; p < table->n_points; p++)
        phx_output_format(output, " %d", table->rigid_modes[p]);
    phx_output_line(output);
}

/* Writes a table of modes as aligned text, then the rigid modes. */
void phx_modes_put_text(phx_output *output, const phx_modes_table *table)
{
    for (int k = 0; k < table->n_parameters; k++)
        put_cell(output, table->parameters[k], CELL);
    phx_output_text(output, "  mode  branch");
    put_cell(output, "omega (rad/s)", CELL);
    put_cell(output, "frequency (Hz)", CELL);
    put_cell(output, "damping", CELL);
    phx_output_line(output);
    for (int i = 0; i < table->n_rows; i++) {
        const phx_mode_row *row = &table->rows[i];
        for (int k = 0; k < table->n_parameters; k++)
            put_number_cell(output, table->values[(size_t)row->point * (size_t)table->n_parameters + (size_t)k]);
        phx_output_format(output, "%6d%8d", row->mode, row->branch);
        put_number_cell(output, row->omega);
        put_number_cell(output, row->frequency);
        put_number_cell(output, row->damping);
        phx_output_line(output);
    }
    put_rigid_modes(output, table);
}

/* ---- csv ---- */

/* Writes a table of modes as CSV with full precision; shapes are left out. */
void phx_modes_put_csv(phx_output *output, const phx_modes_table *table)
{
    for (int k = 0; k < table->n_parameters; k++) {
        phx_output_csv(output, table->parameters[k]);
        phx_output_text(output, ",");
    }
    phx_output_text(output, "mode,branch,omega,frequency,damping");
    phx_output_line(output);
    for (int i = 0; i < table->n_rows; i++) {
        const phx_mode_row *row = &table->rows[i];
        for (int k = 0; k < table->n_parameters; k++) {
            phx_output_number(output, table->values[(size_t)row->point * (size_t)table->n_parameters + (size_t)k]);
            phx_output_text(output, ",");
        }
        phx_output_format(output, "%d,%d,", row->mode, row->branch);
        phx_output_number(output, row->omega);
        phx_output_text(output, ",");
        phx_output_number(output, row->frequency);
        phx_output_text(output, ",");
        phx_output_number(output, row->damping);
        phx_output_line(output);
    }
}

/* ---- json ---- */

static void put_text_member(phx_output *output, const char *name, const char *text)
{
    phx_output_format(output, "  \"%s\": ", name);
    phx_output_json(output, text ? text : "");
    phx_output_text(output, ",");
    phx_output_line(output);
}

static void put_names_member(phx_output *output, const char *name, int count, const char *const *names)
{
    phx_output_format(output, "  \"%s\": [", name);
    for (int k = 0; k < count; k++) {
        phx_output_text(output, k ? ", " : "");
        phx_output_json(output, names[k]);
    }
    phx_output_text(output, "],");
    phx_output_line(output);
}

static void put_shape(phx_output *output, const char *name, int count, const double *values)
{
    phx_output_format(output, ", \"%s\": [", name);
    for (int k = 0; k < count; k++) {
        phx_output_text(output, k ? ", " : "");
        phx_output_number(output, values[k]);
    }
    phx_output_text(output, "]");
}

/* Writes one mode with its shape as a JSON object. */
static void put_mode(phx_output *output, const phx_modes_table *table, int i)
{
    const phx_mode_row *row = &table->rows[i];
    const size_t shape = (size_t)i * (size_t)table->n_coordinates;
    phx_output_format(output, "      {\"mode\": %d, \"branch\": %d, \"omega\": ", row->mode, row->branch);
    phx_output_number(output, row->omega);
    phx_output_text(output, ", \"frequency\": ");
    phx_output_number(output, row->frequency);
    phx_output_text(output, ", \"damping\": ");
    phx_output_number(output, row->damping);
    if (table->n_coordinates > 0)
        put_shape(output, "shape", table->n_coordinates, table->shapes + shape);
    if (table->n_coordinates > 0 && table->shapes_imaginary)
        put_shape(output, "shape_imaginary", table->n_coordinates, table->shapes_imaginary + shape);
    phx_output_text(output, "}");
}

/* The point's rows start at `first`; returns the row behind them. */
static int text_put_point(phx_output *output, const phx_modes_table *table, int point, int first)
{
    phx_output_text(output, "    {\"parameters\": {");
    for (int k = 0; k < table->n_parameters; k++) {
        phx_output_text(output, k ? ", " : "");
        phx_output_json(output, table->parameters[k]);
        phx_output_text(output, ": ");
        phx_output_number(output, table->values[(size_t)point * (size_t)table->n_parameters + (size_t)k]);
    }
    phx_output_text(output, "}, ");
    if (table->rigid_modes)
        phx_output_format(output, "\"rigid_modes\": %d, ", table->rigid_modes[point]);
    phx_output_text(output, "\"modes\": [");
    int i = first;
    for (; i < table->n_rows && table->rows[i].point == point; i++) {
        phx_output_text(output, i > first ? "," : "");
        phx_output_line(output);
        put_mode(output, table, i);
    }
    phx_output_text(output, "]}");
    return i;
}

/* Writes a table of modes as JSON, a list of points with their modes. */
void phx_modes_put_json(phx_output *output, const phx_modes_table *table)
{
    int row = 0;
    phx_output_text(output, "{");
    phx_output_line(output);
    put_text_member(output, "format", "phlexor modes");
    put_text_member(output, "program_version", table->program_version);
    put_text_member(output, "model_name", table->model_name);
    put_names_member(output, "parameters", table->n_parameters, table->parameters);
    put_names_member(output, "coordinates", table->n_coordinates, table->coordinates);
    phx_output_text(output, "  \"points\": [");
    for (int point = 0; point < table->n_points; point++) {
        phx_output_text(output, point ? "," : "");
        phx_output_line(output);
        row = text_put_point(output, table, point, row);
    }
    phx_output_text(output, "]");
    phx_output_line(output);
    phx_output_text(output, "}");
    phx_output_line(output);
}
