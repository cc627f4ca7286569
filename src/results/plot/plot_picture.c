/* Shared by all pictures of results: columns over time, or over each other, as lines. */
#include "results/compare/timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FINENESS = 2000 }; /* points of a curve closer than the axes' lengths over this are left out */

/* Opens a result or table and begins a chart with its titles; an unfinished result is warned of. */
phx_status phx_result_picture_open(phx_context *context, const char *path, const phx_plot_options *options,
                                   phx_result_picture *picture)
{
    char title[PHX_PLOT_TEXT], subtitle[PHX_PLOT_TEXT];
    *picture = (phx_result_picture){.path = path, .difference = options->difference};
    phx_status status = phx_plot_source_open(context, path, options, &picture->source);
    if (status)
        return status;
    phx_plot_source_titles(&picture->source, path, title, subtitle, sizeof title);
    status = phx_plot_others_open(context, options, &picture->others);
    if (picture->others.count)
        snprintf(subtitle, sizeof subtitle, "%s%s", picture->difference ? "differences to " : "", path);
    if (!status)
        status = phx_chart_create(context, title, subtitle, &picture->chart);
    picture->chart.page = options->page;
    picture->x = phx_calloc(context, PHX_PLOT_BLOCK, sizeof(double));
    picture->y = phx_calloc(context, PHX_PLOT_BLOCK, sizeof(double));
    if (!picture->x || !picture->y)
        status = PHX_ERR_MEMORY;
    if (status)
        phx_result_picture_close(picture);
    return status;
}

void phx_result_picture_close(phx_result_picture *picture)
{
    phx_free(picture->x);
    phx_free(picture->y);
    phx_chart_free(&picture->chart);
    phx_plot_others_close(&picture->others);
    phx_plot_source_close(&picture->source);
    *picture = (phx_result_picture){.x = NULL};
}

size_t phx_plot_stem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] ? (size_t)(dot - name) : strlen(name);
}

void phx_plot_with_unit(char *text, size_t size, const char *name, const char *unit)
{
    static const char *const powers[] = {"\xC2\xB2", "\xC2\xB3"}; /* of m^2 and m^3 */
    int used = snprintf(text, size, unit[0] ? "%s (" : "%s", name);
    while (unit[0] && used >= 0 && (size_t)used < size) {
        const bool power = unit[0] == '^' && (unit[1] == '2' || unit[1] == '3') && !(unit[2] >= '0' && unit[2] <= '9');
        used += power ? snprintf(text + used, size - (size_t)used, "%s", powers[unit[1] - '2'])
                      : snprintf(text + used, size - (size_t)used, "%c", unit[0]);
        unit += power ? 2 : 1;
        if (!unit[0] && (size_t)used < size)
            snprintf(text + used, size - (size_t)used, ")");
    }
}

/* ---- columns become lines ---- */

/* A function that takes the points of a column one after the other. */
typedef struct taker {
    void (*take)(struct taker *reader, double x, double y);
    phx_thinner thinner;
    phx_range x, y;
    phx_line *line;
} taker;

/* A column of a source over another one, 0 being time. */
typedef struct drawn_column {
    const phx_plot_source *source;
    int column, against;
} drawn_column;

/* Gives all rows of a column to the reader, in blocks. */
static phx_status each_row(const phx_result_picture *picture, drawn_column drawn, taker *reader)
{
    const phx_plot_source *source = drawn.source;
    for (size_t first = 0; first < source->rows; first += PHX_PLOT_BLOCK) {
        const size_t rest = source->rows - first, count = rest < PHX_PLOT_BLOCK ? rest : PHX_PLOT_BLOCK;
        phx_status status = phx_plot_source_read(source, drawn.against, first, count, picture->x);
        if (!status)
            status = phx_plot_source_read(source, drawn.column, first, count, picture->y);
        if (status)
            return status;
        for (size_t i = 0; i < count; i++)
            reader->take(reader, picture->x[i], picture->y[i]);
    }
    return PHX_OK;
}

static void thin(taker *reader, double x, double y)
{
    phx_thinner_add(&reader->thinner, x, y);
}

static phx_status add_over_time(phx_result_picture *picture, phx_panel *panel, drawn_column drawn, const char *label)
{
    const size_t rows = drawn.source->rows;
    phx_line *line = phx_panel_add_line(&picture->chart, panel, label, phx_thinner_room(rows, PHX_PLOT_BUCKETS));
    if (!line)
        return PHX_ERR_MEMORY;
    taker reader = {.take = thin, .thinner = phx_thinner_start(line, rows, PHX_PLOT_BUCKETS)};
    const phx_status status = each_row(picture, drawn, &reader);
    if (!status)
        phx_thinner_end(&reader.thinner);
    return status;
}

static void picture_measure(taker *reader, double x, double y)
{
    phx_range_add(&reader->x, x);
    phx_range_add(&reader->y, y);
}

/* Keep a point that is far enough from the last one kept, or not a number, which breaks the line. */
static void keep_apart(taker *reader, double x, double y)
{
    phx_line *line = reader->line;
    const size_t n = line->count;
    const double wide = reader->x.high - reader->x.low, high = reader->y.high - reader->y.low;
    if (n > 0 && fabs(x - line->x[n - 1]) * FINENESS <= wide && fabs(y - line->y[n - 1]) * FINENESS <= high)
        return;
    line->x[n] = x;
    line->y[n] = y;
    line->count++;
}

static phx_status add_over_column(phx_result_picture *picture, phx_panel *panel, drawn_column drawn, const char *label)
{
    phx_line *line = phx_panel_add_line(&picture->chart, panel, label, drawn.source->rows);
    if (!line)
        return PHX_ERR_MEMORY;
    taker reader = {.take = picture_measure, .x = phx_range_none(), .y = phx_range_none(), .line = line};
    line->count = 0;
    phx_status status = each_row(picture, drawn, &reader);
    reader.take = keep_apart;
    return status ? status : each_row(picture, drawn, &reader);
}

/* The difference of a column of another source to the same of the first, thinned. */
static phx_status add_difference(phx_result_picture *picture, phx_panel *panel, int column, const phx_plot_other *other,
                                 int theirs, const char *label)
{
    phx_timeline first = {0}, second = {0}, difference = {0};
    phx_norms norms;
    phx_line *line = NULL;
    phx_status status = phx_timeline_read(&picture->source, picture->path, column, &first);
    if (!status)
        status = phx_timeline_read(&other->source, other->path, theirs, &second);
    if (!status)
        status = phx_timeline_subtract(picture->source.context, &second, &first, &norms, &difference);
    if (!status) {
        line = phx_panel_add_line(&picture->chart, panel, label, phx_thinner_room(difference.rows, PHX_PLOT_BUCKETS));
        status = line ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status) {
        phx_thinner thinner = phx_thinner_start(line, difference.rows, PHX_PLOT_BUCKETS);
        for (size_t i = 0; i < difference.rows; i++)
            phx_thinner_add(&thinner, difference.t[i], difference.y[i]);
        phx_thinner_end(&thinner);
    }
    phx_timeline_free(&first);
    phx_timeline_free(&second);
    phx_timeline_free(&difference);
    return status;
}

/* ---- lines of several files ---- */

/* The column of another source with the name of one of the first; -1: it has none. */
static int find_same(const phx_result_picture *picture, const phx_plot_other *other, int column)
{
    return phx_plot_source_find(&other->source, phx_plot_source_name(&picture->source, column));
}

/* Adds the line of a column in file k of the others, -1 being the first; nothing if the file lacks it. */
static phx_status add_line(phx_result_picture *picture, phx_panel *panel, int column, int k, const char *label)
{
    const phx_plot_other *other = k < 0 ? NULL : &picture->others.items[k];
    drawn_column drawn = {&picture->source, column, picture->against};
    phx_status status = PHX_OK;

    if (other) {
        drawn = (drawn_column){&other->source, find_same(picture, other, column),
                               picture->against ? find_same(picture, other, picture->against) : 0};
        if (drawn.column < 0 || drawn.against < 0)
            return PHX_OK;
        status = phx_plot_others_check_unit(&picture->source, column, picture->path, other, drawn.column);
    }
    if (status)
        return status;
    if (picture->difference)
        return add_difference(picture, panel, column, other, drawn.column, label);
    return drawn.against ? add_over_column(picture, panel, drawn, label) : add_over_time(picture, panel, drawn, label);
}

/* Adds the lines of a column in all files: one colour, and dashes for each file. */
static phx_status add_lines(phx_result_picture *picture, phx_panel *panel, int column, int colour, const char *label)
{
    char text[2 * PHX_PLOT_TEXT];
    phx_status status = PHX_OK;
    for (int k = picture->difference ? 0 : -1; k < picture->others.count && !status; k++) {
        const int before = panel->n_lines;
        snprintf(text, sizeof text, "%s%s%s", label ? label : "", label ? ", " : "",
                 k < 0 ? picture->path : picture->others.items[k].path);
        status = add_line(picture, panel, column, k, picture->others.count ? text : label);
        for (int i = before; i < panel->n_lines && picture->others.count; i++) {
            panel->lines[i].colour = colour;
            panel->lines[i].dash = k + 2 - picture->difference;
        }
    }
    return status;
}

/* Adds a panel with lines of the columns; a common unit goes to the title, others to the labels. */
phx_status phx_result_picture_add(phx_result_picture *picture, const char *title, int count, const int *columns,
                                  const char *const *labels, bool logarithmic)
{
    const phx_plot_source *source = &picture->source;
    const char *unit = phx_plot_source_unit(source, columns[0]);
    const int against = picture->against;
    bool same = true, common = !picture->difference;
    char text[PHX_PLOT_TEXT], over[PHX_PLOT_TEXT], name[PHX_PLOT_TEXT];
    phx_plot_with_unit(over, sizeof over, phx_plot_source_name(source, against), phx_plot_source_unit(source, against));
    for (int i = 0; i < count; i++) {
        same = same && strcmp(unit, phx_plot_source_unit(source, columns[i])) == 0;
        for (int k = 0; k < picture->others.count; k++)
            common = common || find_same(picture, &picture->others.items[k], columns[i]) >= 0;
    }
    if (!common)
        return PHX_OK;
    snprintf(name, sizeof name, picture->difference ? "%s, difference" : "%s", title);
    phx_plot_with_unit(text, sizeof text, name, same ? unit : "");
    phx_panel *panel = phx_chart_add_panel(&picture->chart, text, over);
    if (!panel)
        return PHX_ERR_MEMORY;
    panel->logarithmic = logarithmic;
    for (int i = 0; i < count; i++) {
        phx_plot_with_unit(text, sizeof text, labels[i], same ? "" : phx_plot_source_unit(source, columns[i]));
        const phx_status status = add_lines(picture, panel, columns[i], i, count > 1 ? text : NULL);
        if (status)
            return status;
    }
    return PHX_OK;
}

phx_status phx_result_picture_write(const phx_result_picture *picture, const char *path)
{
    if (picture->difference && picture->chart.n_panels == 0)
        return phx_fail(picture->source.context, PHX_ERR_INPUT, "%s and the others have no common columns to draw",
                        picture->path);
    return phx_chart_write(&picture->chart, path);
}
