/* The picture of a table of modes: frequencies over the sweep, one line for each branch; about a steady rotation (a
 * Campbell diagram) with the multiples of its angular speed. */
#include "file/file.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PANELS = 24, MOST_RAYS = 8 };

static double parameter(const phx_modes_table *table, int point, int k)
{
    return table->values[(size_t)point * (size_t)table->n_parameters + (size_t)k];
}

/* The last parameter that changes, which is the fastest; -1: none does. */
static int sweep_parameter(const phx_modes_table *table)
{
    for (int k = table->n_parameters - 1; k >= 0; k--)
        for (int p = 1; p < table->n_points; p++)
            if (parameter(table, p, k) != parameter(table, 0, k))
                return k;
    return -1;
}

/* All parameters but `swept` are equal at two points. */
static bool same_others(const phx_modes_table *table, int a, int b, int swept)
{
    for (int k = 0; k < table->n_parameters; k++)
        if (k != swept && parameter(table, a, k) != parameter(table, b, k))
            return false;
    return true;
}

static int largest_branch(const phx_modes_table *table)
{
    int largest = 0;
    for (int i = 0; i < table->n_rows; i++)
        largest = table->rows[i].branch > largest ? table->rows[i].branch : largest;
    return largest;
}

/* The line of a branch over the points of the panel of point `first`: a point that lacks the branch breaks it. */
static phx_status add_branch(phx_chart *chart, phx_panel *panel, const phx_modes_table *table, int branch, int first,
                             int swept)
{
    char label[64];
    snprintf(label, sizeof label, "branch %d", branch);
    phx_line *line = phx_panel_add_line(chart, panel, label, (size_t)table->n_points);
    if (!line)
        return PHX_ERR_MEMORY;
    size_t count = 0;
    bool any = false;
    for (int p = first, row = 0; p < table->n_points; p++) {
        while (row < table->n_rows && table->rows[row].point < p)
            row++;
        if (!same_others(table, first, p, swept))
            continue;
        line->x[count] = parameter(table, p, swept);
        line->y[count] = NAN;
        for (int i = row; i < table->n_rows && table->rows[i].point == p; i++)
            if (table->rows[i].branch == branch)
                line->y[count] = table->rows[i].frequency;
        any = any || isfinite(line->y[count]);
        count++;
    }
    line->count = count;
    line->colour = branch > 0 ? branch - 1 : 0;
    if (!any) { /* not in this panel */
        phx_free(line->label);
        line->label = NULL;
    }
    return PHX_OK;
}

/* ---- rays: k times the revolutions in a second ---- */
static double revolutions(const phx_modes_table *table, int point)
{
    return table->spin[point] / 6.283185307179586476925286766559;
}

/* Ray k over the points of a panel, cut off at the highest frequency shown. */
static phx_status add_ray(phx_chart *chart, phx_panel *panel, const phx_modes_table *table, int k, int first, int swept,
                          double highest)
{
    char label[16];
    snprintf(label, sizeof label, "%dP", k);
    phx_line *line = phx_panel_add_line(chart, panel, label, 2 * (size_t)table->n_points);
    double last_x = 0.0, last_y = NAN;
    if (!line)
        return PHX_ERR_MEMORY;
    line->guide = true;
    line->count = 0;
    for (int p = first; p < table->n_points; p++) {
        if (!same_others(table, first, p, swept))
            continue;
        const double x = parameter(table, p, swept), y = k * revolutions(table, p);
        if (isfinite(last_y) && (y > highest) != (last_y > highest)) { /* where it passes the highest */
            line->x[line->count] = last_x + (x - last_x) * (highest - last_y) / (y - last_y);
            line->y[line->count++] = highest;
        }
        line->x[line->count] = x;
        line->y[line->count++] = y > highest ? NAN : y;
        last_x = x;
        last_y = y;
    }
    return PHX_OK;
}

/* The rays that cross a good part of the panel. */
static phx_status add_rays(phx_chart *chart, phx_panel *panel, const phx_modes_table *table, int first, int swept)
{
    double highest = 0.0, fastest = 0.0;
    phx_status status = PHX_OK;
    for (int i = 0; i < table->n_rows; i++)
        if (same_others(table, first, table->rows[i].point, swept))
            highest = fmax(highest, table->rows[i].frequency);
    for (int p = first; p < table->n_points; p++)
        if (same_others(table, first, p, swept))
            fastest = fmax(fastest, revolutions(table, p));
    for (int k = 1; k <= MOST_RAYS && fastest > 0.0 && (k == 1 || 0.2 * k * fastest <= highest) && !status; k++)
        status = add_ray(chart, panel, table, k, first, swept, highest);
    return status;
}

/* The point is the first of its combination of the other parameters. */
static bool starts_panel(const phx_modes_table *table, int point, int swept)
{
    for (int p = 0; p < point; p++)
        if (same_others(table, p, point, swept))
            return false;
    return true;
}

static void panel_title(const phx_modes_table *table, int point, int swept, char *title, size_t size)
{
    size_t used = (size_t)snprintf(title, size, "Frequency (Hz)");
    for (int k = 0; k < table->n_parameters && used < size; k++) {
        char number[PHX_NUMBER_SIZE];
        if (k == swept)
            continue;
        phx_number_format(parameter(table, point, k), 6, number);
        used += (size_t)snprintf(title + used, size - used, ", %s = %s", table->parameters[k], number);
    }
}

/* Adds a panel for each combination of the other parameters, with all branches over the swept one. */
static phx_status add_sweep(phx_chart *chart, const phx_modes_table *table, int swept)
{
    const int branches = largest_branch(table);
    phx_status status = PHX_OK;
    for (int p = 0; p < table->n_points && chart->n_panels < MOST_PANELS && !status; p++) {
        char title[PHX_PLOT_TEXT];
        if (!starts_panel(table, p, swept))
            continue;
        panel_title(table, p, swept, title, sizeof title);
        phx_panel *panel = phx_chart_add_panel(chart, title, table->parameters[swept]);
        if (!panel)
            return PHX_ERR_MEMORY;
        panel->markers = true;
        for (int branch = 0; branch <= branches && !status; branch++) {
            bool there = false;
            for (int i = 0; i < table->n_rows; i++)
                there = there || table->rows[i].branch == branch;
            if (there)
                status = add_branch(chart, panel, table, branch, p, swept);
        }
        if (table->spin && !status)
            status = add_rays(chart, panel, table, p, swept);
    }
    return status;
}

/* Without a sweep: one frequency for each mode. */
static phx_status add_spectrum(phx_chart *chart, const phx_modes_table *table)
{
    phx_panel *panel = phx_chart_add_panel(chart, "Frequency (Hz)", "mode");
    phx_line *line = panel ? phx_panel_add_line(chart, panel, NULL, (size_t)table->n_rows) : NULL;
    if (!line)
        return PHX_ERR_MEMORY;
    panel->markers = panel->integers = true;
    for (int i = 0; i < table->n_rows; i++) {
        line->x[i] = table->rows[i].mode;
        line->y[i] = table->rows[i].frequency;
    }
    return PHX_OK;
}

/* Only points of the sweep within the range stay. */
static phx_status limit(phx_chart *chart, const char *path, double from, double to)
{
    size_t left = 0;
    for (int p = 0; p < chart->n_panels; p++)
        for (int k = 0; k < chart->panels[p].n_lines; k++) {
            phx_line *line = &chart->panels[p].lines[k];
            size_t count = 0;
            for (size_t i = 0; i < line->count; i++)
                if (line->x[i] >= from && line->x[i] <= to) {
                    line->x[count] = line->x[i];
                    line->y[count++] = line->y[i];
                }
            line->count = count;
            left += line->guide ? 0 : count;
        }
    return left > 0 ? PHX_OK
                    : phx_fail(chart->context, PHX_ERR_INPUT, "%s: it has no points from %s = %g to %g", path,
                               chart->n_panels ? chart->panels[0].x_label : "x", from, to);
}

/* Draws a table of modes: a spectrum for one point, else frequencies over the swept parameter. */
phx_status phx_plot_modes(phx_context *context, const char *path, const char *picture_path,
                          const phx_plot_options *options)
{
    phx_modes_table table;
    phx_chart chart = {0};
    char subtitle[PHX_PLOT_TEXT];
    phx_status status = phx_modes_read(context, path, &table);
    if (status)
        return status;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    snprintf(subtitle, sizeof subtitle, "eigenfrequencies, %d point%s, %d rows", table.n_points,
             table.n_points == 1 ? "" : "s", table.n_rows);
    status =
        phx_chart_create(context, table.model_name && table.model_name[0] ? table.model_name : file, subtitle, &chart);
    chart.page = options->page;
    const int swept = sweep_parameter(&table);
    if (!status)
        status = swept < 0 ? add_spectrum(&chart, &table) : add_sweep(&chart, &table, swept);
    if (!status && (options->from > -HUGE_VAL || options->to < HUGE_VAL))
        status = limit(&chart, path, options->from, options->to);
    if (!status)
        status = phx_chart_write(&chart, picture_path);
    phx_chart_free(&chart);
    phx_modes_free(&table);
    return status;
}
