/* Maps of a study or of modes over two parameters: each point of the sweep is a cell whose shade is the value. */
#include "plot.h"
#include "results/store/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BRANCHES = 6, MAP_BANDS = 8 };

/* The points of a map. */
typedef struct map_points {
    const char *path, *x_name, *y_name;
    size_t count;
    double *x, *y, *z; /* z: NAN is left blank */
    double *xs, *ys;   /* the values of x and y, ascending */
    size_t nx, ny;
} map_points;

static int map_ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static int map_pair_ascending(const void *a, const void *b)
{
    const int by_x = map_ascending(a, b);
    return by_x ? by_x : map_ascending((const double *)a + 1, (const double *)b + 1);
}

static size_t map_distinct(size_t count, const double *values, double *sorted)
{
    size_t n = 0;
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, map_ascending);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[n - 1])
            sorted[n++] = sorted[i];
    return n;
}

/* The edge below value k of n, halfway to its neighbour. */
static double map_edge(const double *values, size_t n, size_t k)
{
    if (k == 0)
        return values[0] - 0.5 * (values[1] - values[0]);
    return k == n ? values[n - 1] + 0.5 * (values[n - 1] - values[n - 2]) : 0.5 * (values[k - 1] + values[k]);
}

/* Finds the grid; every cell has one point at most. */
static phx_status map_grid(phx_context *context, map_points *points)
{
    points->nx = map_distinct(points->count, points->x, points->xs);
    points->ny = map_distinct(points->count, points->y, points->ys);
    if (points->nx < 2 || points->ny < 2)
        return phx_fail(context, PHX_ERR_INPUT,
                        "%s: '%s' has %zu values and '%s' %zu; a map needs two of each, from a sweep over both",
                        points->path, points->x_name, points->nx, points->y_name, points->ny);
    double *pairs = phx_calloc(context, 2 * points->count, sizeof *pairs);
    phx_status status = pairs ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t i = 0; i < points->count && !status; i++) {
        pairs[2 * i] = points->x[i];
        pairs[2 * i + 1] = points->y[i];
    }
    if (!status)
        qsort(pairs, points->count, 2 * sizeof *pairs, map_pair_ascending);
    for (size_t i = 1; i < points->count && !status; i++)
        if (map_pair_ascending(pairs + 2 * i, pairs + 2 * (i - 1)) == 0)
            status = phx_fail(context, PHX_ERR_INPUT,
                              "%s: two points have %s = %g and %s = %g; make the table of a sweep over these two",
                              points->path, points->x_name, pairs[2 * i], points->y_name, pairs[2 * i + 1]);
    phx_free(pairs);
    return status;
}

/* Adds the cells with values from `low` to `high` as one line of closed boxes. */
static phx_status map_add_band(phx_chart *chart, phx_panel *panel, const map_points *p, double low, double high,
                               int shade)
{
    static const int corners[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    char label[64];
    snprintf(label, sizeof label, "%g to %g", low, high);
    phx_line *line = phx_panel_add_line(chart, panel, label, 6 * p->count);
    if (!line)
        return PHX_ERR_MEMORY;
    line->filled = true;
    line->shade = shade;
    line->count = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!(p->z[i] >= low && p->z[i] < high))
            continue;
        const double *column = bsearch(&p->x[i], p->xs, p->nx, sizeof *p->xs, map_ascending),
                     *row = bsearch(&p->y[i], p->ys, p->ny, sizeof *p->ys, map_ascending);
        for (int c = 0; c < 5; c++) {
            line->x[line->count] = map_edge(p->xs, p->nx, (size_t)(column - p->xs + corners[c][0]));
            line->y[line->count++] = map_edge(p->ys, p->ny, (size_t)(row - p->ys + corners[c][1]));
        }
        line->x[line->count] = line->y[line->count] = NAN;
        line->count++;
    }
    return PHX_OK;
}

/* A panel: bands of values between round numbers, from light to dark. */
static phx_status map_add_panel(phx_chart *chart, map_points *points, const char *name)
{
    char title[PHX_PLOT_TEXT];
    phx_range range = phx_range_none();
    phx_status status = map_grid(chart->context, points);
    for (size_t i = 0; i < points->count; i++)
        if (isfinite(points->z[i]))
            phx_range_add(&range, points->z[i]);
    if (status)
        return status;
    snprintf(title, sizeof title, "%s, upward: %s", name, points->y_name);
    phx_panel *panel = phx_chart_add_panel(chart, title, points->x_name);
    const phx_axis axis = phx_axis_linear(range, MAP_BANDS, true, false);
    for (int b = 0; b + 1 < axis.n_ticks && panel && !status; b++)
        status = map_add_band(chart, panel, points, axis.ticks[b],
                              b + 2 < axis.n_ticks ? axis.ticks[b + 1] : nextafter(axis.ticks[b + 1], INFINITY),
                              256 * (b + 1) / (axis.n_ticks - 1));
    return panel ? status : PHX_ERR_MEMORY;
}

/* ---- the points ---- */
/* Room for n points; on failure they may be freed. */
static phx_status map_allocate(phx_context *context, const char *path, const phx_plot_options *options, size_t n,
                               map_points *points)
{
    double *all = phx_calloc(context, 5 * n, sizeof *all);
    *points = (map_points){.path = path, .x_name = options->over[0], .y_name = options->over[1], .x = all};
    if (!all)
        return PHX_ERR_MEMORY;
    points->y = all + n;
    points->z = all + 2 * n;
    points->xs = all + 3 * n;
    points->ys = all + 4 * n;
    return PHX_OK;
}

static phx_status map_no_column(phx_context *context, const char *path, const char *name, int count,
                                const char *const *names)
{
    phx_nearest nearest = phx_nearest_to(name);
    for (int k = 0; k < count; k++)
        phx_nearest_offer(&nearest, names[k]);
    return phx_fail(context, PHX_ERR_INPUT, "%s: no column or parameter %s%s", path, phx_shown_text(name).text,
                    phx_nearest_hint(&nearest).text);
}

/* A panel for each of the columns of a study's list. */
static phx_status map_study(phx_context *context, const char *path, const phx_plot_options *options, phx_chart *chart)
{
    phx_csv csv = {0};
    map_points points = {0};
    phx_status status = phx_csv_read(context, path, NULL, &csv);
    if (!status && options->n_columns < 1)
        status = phx_fail(context, PHX_ERR_INPUT, "%s: --over needs the columns to draw: --columns LIST", path);
    if (!status)
        status = map_allocate(context, path, options, csv.n_rows, &points);
    points.count = csv.n_rows;
    for (int k = 0; k < options->n_columns && !status; k++) {
        const char *const names[] = {points.x_name, points.y_name, options->columns[k]};
        double *const to[] = {points.x, points.y, points.z};
        for (int v = 0; v < 3 && !status; v++) {
            const int column = phx_csv_find(&csv, names[v]);
            if (column < 0)
                status = map_no_column(context, path, names[v], csv.n_columns, (const char *const *)csv.names);
            for (size_t i = 0; i < csv.n_rows && !status; i++)
                to[v][i] = csv.values[i * (size_t)csv.n_columns + (size_t)column];
        }
        if (!status)
            status = map_add_panel(chart, &points, options->columns[k]);
    }
    phx_free(points.x);
    phx_csv_free(&csv);
    return status;
}

/* A panel for each branch of modes. */
static phx_status map_modes(phx_context *context, const char *path, const phx_plot_options *options, phx_chart *chart)
{
    phx_modes_table table = {0};
    map_points points = {0};
    int place[2] = {-1, -1};
    phx_status status = phx_modes_read(context, path, &table);
    for (int v = 0; v < 2 && !status; v++) {
        for (int k = 0; k < table.n_parameters; k++)
            place[v] = strcmp(table.parameters[k], options->over[v]) ? place[v] : k;
        if (place[v] < 0)
            status = map_no_column(context, path, options->over[v], table.n_parameters, table.parameters);
    }
    if (!status)
        status = map_allocate(context, path, options, (size_t)table.n_rows, &points);
    for (int branch = 1; branch <= MAP_BRANCHES && !status; branch++) {
        char name[64];
        points.count = 0;
        for (int i = 0; i < table.n_rows; i++) {
            const double *at = table.values + (size_t)table.rows[i].point * (size_t)table.n_parameters;
            if (table.rows[i].branch != branch)
                continue;
            points.x[points.count] = at[place[0]];
            points.y[points.count] = at[place[1]];
            points.z[points.count++] = table.rows[i].frequency;
        }
        snprintf(name, sizeof name, "branch %d (Hz)", branch);
        if (points.count > 0 || branch == 1)
            status = map_add_panel(chart, &points, name);
    }
    phx_free(points.x);
    phx_modes_free(&table);
    return status;
}

/* Draws a map over two parameters. */
phx_status phx_plot_map(phx_context *context, const char *path, const char *picture_path,
                        const phx_plot_options *options)
{
    const char *slash = strrchr(path, '/');
    phx_chart chart = {0};
    phx_file_kind kind;
    phx_status status = phx_file_find_kind(context, path, &kind);
    if (!status && (options->n_over != 2 || kind == PHX_FILE_LINEAR))
        status = phx_fail(context, PHX_ERR_INPUT, "%s: a map is drawn of a sweep, over two parameters", path);
    if (!status)
        status = phx_chart_create(context, slash ? slash + 1 : path, "map over two parameters of a sweep", &chart);
    chart.page = options->page;
    if (!status)
        status = (kind == PHX_FILE_MODES ? map_modes : map_study)(context, path, options, &chart);
    if (!status)
        status = phx_chart_write(&chart, picture_path);
    phx_chart_free(&chart);
    return status;
}
