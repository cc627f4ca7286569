/* Shared by all pictures of results: columns over time, or over each other, as lines. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FINENESS = 2000 }; /* points of a curve closer than the axes' lengths over this are left out */

/* Opens a result or table and begins a chart with its titles; an unfinished result is warned of. */
phx_status phx_result_picture_open(phx_context *context, const char *path, const phx_plot_options *options,
                                   phx_result_picture *picture)
{
    char title[PHX_PLOT_TEXT], subtitle[PHX_PLOT_TEXT];
    *picture = (phx_result_picture){.x = NULL};
    phx_status status = phx_plot_source_open(context, path, options, &picture->source);
    if (status)
        return status;
    phx_plot_source_titles(&picture->source, path, title, subtitle, sizeof title);
    status = phx_chart_create(context, title, subtitle, &picture->chart);
    picture->chart.page = options->page;
    if (picture->source.result &&
        !phx_result_is_complete(picture->source.result)) { /* a print has no title to say so */
        const char *reason = phx_result_text(picture->source.result, "reason");
        phx_log(context, PHX_LOG_WARNING, "%s is unfinished%s%s", path, reason ? ": " : "", reason ? reason : "");
    }
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

static phx_status each_row(const phx_result_picture *picture, int column, taker *reader)
{
    for (size_t first = 0; first < picture->source.rows; first += PHX_PLOT_BLOCK) {
        const size_t rest = picture->source.rows - first, count = rest < PHX_PLOT_BLOCK ? rest : PHX_PLOT_BLOCK;
        phx_status status = phx_plot_source_read(&picture->source, picture->against, first, count, picture->x);
        if (!status)
            status = phx_plot_source_read(&picture->source, column, first, count, picture->y);
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

static phx_status add_over_time(phx_result_picture *picture, phx_panel *panel, int column, const char *label)
{
    const size_t rows = picture->source.rows;
    phx_line *line = phx_panel_add_line(&picture->chart, panel, label, phx_thinner_room(rows, PHX_PLOT_BUCKETS));
    if (!line)
        return PHX_ERR_MEMORY;
    taker reader = {.take = thin, .thinner = phx_thinner_start(line, rows, PHX_PLOT_BUCKETS)};
    const phx_status status = each_row(picture, column, &reader);
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

static phx_status add_over_column(phx_result_picture *picture, phx_panel *panel, int column, const char *label)
{
    phx_line *line = phx_panel_add_line(&picture->chart, panel, label, picture->source.rows);
    if (!line)
        return PHX_ERR_MEMORY;
    taker reader = {.take = picture_measure, .x = phx_range_none(), .y = phx_range_none(), .line = line};
    line->count = 0;
    phx_status status = each_row(picture, column, &reader);
    reader.take = keep_apart;
    return status ? status : each_row(picture, column, &reader);
}

/* Adds a panel with lines of the columns; a common unit goes to the title, others to the labels. */
phx_status phx_result_picture_add(phx_result_picture *picture, const char *title, int count, const int *columns,
                                  const char *const *labels, bool logarithmic)
{
    const phx_plot_source *source = &picture->source;
    const char *unit = phx_plot_source_unit(source, columns[0]);
    const int against = picture->against;
    bool same = true;
    char text[PHX_PLOT_TEXT], over[PHX_PLOT_TEXT];
    phx_plot_with_unit(over, sizeof over, phx_plot_source_name(source, against), phx_plot_source_unit(source, against));
    for (int i = 1; i < count; i++)
        same = same && strcmp(unit, phx_plot_source_unit(source, columns[i])) == 0;
    phx_plot_with_unit(text, sizeof text, title, same ? unit : "");
    phx_panel *panel = phx_chart_add_panel(&picture->chart, text, over);
    if (!panel)
        return PHX_ERR_MEMORY;
    panel->logarithmic = logarithmic;
    for (int i = 0; i < count; i++) {
        phx_plot_with_unit(text, sizeof text, labels[i], same ? "" : phx_plot_source_unit(source, columns[i]));
        const char *label = count > 1 ? text : NULL;
        const phx_status status = against ? add_over_column(picture, panel, columns[i], label)
                                          : add_over_time(picture, panel, columns[i], label);
        if (status)
            return status;
    }
    return PHX_OK;
}
