/* The picture of a simulation: energies, residual, drift, outputs over time. */
#include "chart.h"
#include "plot.h"

#include <stdio.h>
#include <string.h>

enum { PANEL_COLUMNS = 4, TITLE_SIZE = 512 };

/* The panels of the columns that every simulation has. */
static const struct {
    const char *title;
    const char *columns[PANEL_COLUMNS];
    bool logarithmic;
    bool only_if_nonzero;
} fixed_panels[] = {
    {"Energy", {"kinetic", "elastic", "potential", "energy"}, false, false},
    {"Work since the start", {"supplied", "dissipated"}, false, true},
    {"Residual of the energy balance", {"residual"}, true, false},
    {"Gaps of the joints", {"drift", "drift_rate"}, true, false},
};
enum { FIXED_PANELS = sizeof fixed_panels / sizeof *fixed_panels };

/* The picture being made: two blocks of rows on their way from the source to the lines. */
typedef struct result_picture {
    phx_plot_source source;
    phx_chart chart;
    double *t, *y; /* PHX_PLOT_BLOCK each */
} result_picture;

static size_t block_size(const result_picture *picture, size_t first)
{
    const size_t rest = picture->source.rows - first;
    return rest < PHX_PLOT_BLOCK ? rest : PHX_PLOT_BLOCK;
}

static phx_status add_column(result_picture *picture, phx_panel *panel, int column, const char *label)
{
    const size_t rows = picture->source.rows;
    phx_line *line = phx_panel_add_line(&picture->chart, panel, label, phx_thinner_room(rows, PHX_PLOT_BUCKETS));
    if (!line)
        return PHX_ERR_MEMORY;
    phx_thinner thinner = phx_thinner_start(line, rows, PHX_PLOT_BUCKETS);
    for (size_t first = 0; first < rows; first += PHX_PLOT_BLOCK) {
        const size_t count = block_size(picture, first);
        phx_status status = phx_plot_source_read(&picture->source, 0, first, count, picture->t);
        if (!status)
            status = phx_plot_source_read(&picture->source, column, first, count, picture->y);
        if (status)
            return status;
        for (size_t i = 0; i < count; i++)
            phx_thinner_add(&thinner, picture->t[i], picture->y[i]);
    }
    phx_thinner_end(&thinner);
    return PHX_OK;
}

static phx_status is_zero(result_picture *picture, int column, bool *zero)
{
    *zero = true;
    for (size_t first = 0; first < picture->source.rows && *zero; first += PHX_PLOT_BLOCK) {
        const size_t count = block_size(picture, first);
        const phx_status status = phx_plot_source_read(&picture->source, column, first, count, picture->y);
        if (status)
            return status;
        for (size_t i = 0; i < count; i++)
            *zero = *zero && picture->y[i] == 0.0;
    }
    return PHX_OK;
}

static void with_unit(char *text, size_t size, const char *name, const char *unit)
{
    snprintf(text, size, unit[0] ? "%s (%s)" : "%s", name, unit);
}

/* A panel of the given columns. The unit stands in the title, or with each line where they differ. */
static phx_status add_panel(result_picture *picture, const char *title, int count, const int *columns,
                            const char *const *labels, bool logarithmic)
{
    const char *unit = phx_plot_source_unit(&picture->source, columns[0]);
    bool same = true;
    char text[TITLE_SIZE];
    for (int i = 1; i < count; i++)
        same = same && strcmp(unit, phx_plot_source_unit(&picture->source, columns[i])) == 0;
    with_unit(text, sizeof text, title, same ? unit : "");
    phx_panel *panel = phx_chart_add_panel(&picture->chart, text, "t (s)");
    if (!panel)
        return PHX_ERR_MEMORY;
    panel->logarithmic = logarithmic;
    for (int i = 0; i < count; i++) {
        with_unit(text, sizeof text, labels[i], same ? "" : phx_plot_source_unit(&picture->source, columns[i]));
        const phx_status status = add_column(picture, panel, columns[i], count > 1 ? text : NULL);
        if (status)
            return status;
    }
    return PHX_OK;
}

static phx_status add_fixed_panel(result_picture *picture, int which)
{
    int columns[PANEL_COLUMNS], count = 0;
    const char *labels[PANEL_COLUMNS];
    bool zero = fixed_panels[which].only_if_nonzero;
    for (int k = 0; k < PANEL_COLUMNS && fixed_panels[which].columns[k]; k++) {
        const int column = phx_plot_source_find(&picture->source, fixed_panels[which].columns[k]);
        if (column < 0)
            continue;
        bool column_is_zero = false;
        const phx_status status = zero ? is_zero(picture, column, &column_is_zero) : PHX_OK;
        if (status)
            return status;
        zero = zero && column_is_zero;
        labels[count] = fixed_panels[which].columns[k];
        columns[count++] = column;
    }
    if (count == 0 || zero)
        return PHX_OK;
    return add_panel(picture, fixed_panels[which].title, count, columns, labels, fixed_panels[which].logarithmic);
}

static bool is_fixed(const char *name)
{
    if (strcmp(name, "t") == 0)
        return true;
    for (int i = 0; i < FIXED_PANELS; i++)
        for (int k = 0; k < PANEL_COLUMNS && fixed_panels[i].columns[k]; k++)
            if (strcmp(fixed_panels[i].columns[k], name) == 0)
                return true;
    return false;
}

/* Length of an output's name in the name of its column, "NAME.x". */
static size_t stem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] ? (size_t)(dot - name) : strlen(name);
}

/* Columns one after the other are of one vector: the same output and unit. */
static bool same_vector(const phx_plot_source *source, int a, int b)
{
    const char *name_a = phx_plot_source_name(source, a), *name_b = phx_plot_source_name(source, b);
    const size_t length = stem(name_a);
    return stem(name_b) == length && name_a[length] && name_b[length] && strncmp(name_a, name_b, length) == 0 &&
           strcmp(phx_plot_source_unit(source, a), phx_plot_source_unit(source, b)) == 0;
}

static phx_status add_outputs(result_picture *picture)
{
    enum { MOST = 9 }; /* components of one vector */
    const phx_plot_source *source = &picture->source;
    phx_status status = PHX_OK;
    for (int i = 1, next; i < source->n_columns && !status; i = next) {
        const char *name = phx_plot_source_name(source, i);
        int columns[MOST], count = 0;
        const char *labels[MOST];
        char title[TITLE_SIZE];
        next = i + 1;
        if (is_fixed(name))
            continue;
        while (next < source->n_columns && next - i < MOST && same_vector(source, i, next))
            next++;
        const size_t length = next > i + 1 ? stem(name) : strlen(name);
        snprintf(title, sizeof title, "%.*s", (int)length, name);
        for (int k = i; k < next; k++) {
            labels[count] = phx_plot_source_name(source, k) + (next > i + 1 ? length + 1 : 0);
            columns[count++] = k;
        }
        status = add_panel(picture, title, count, columns, labels, false);
    }
    return status;
}

phx_status phx_plot_result(phx_context *context, const char *result_path, const char *svg_path)
{
    result_picture picture = {.t = NULL};
    char title[TITLE_SIZE], subtitle[TITLE_SIZE];
    phx_status status = phx_plot_source_open(context, result_path, &picture.source);
    if (status)
        return status;
    phx_plot_source_titles(&picture.source, result_path, title, subtitle, TITLE_SIZE);
    status = phx_chart_create(context, title, subtitle, &picture.chart);
    picture.t = phx_calloc(context, PHX_PLOT_BLOCK, sizeof(double));
    picture.y = phx_calloc(context, PHX_PLOT_BLOCK, sizeof(double));
    if (!picture.t || !picture.y)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < FIXED_PANELS && !status; i++)
        status = add_fixed_panel(&picture, i);
    if (!status)
        status = add_outputs(&picture);
    if (!status)
        status = phx_chart_write(&picture.chart, svg_path);
    phx_free(picture.t);
    phx_free(picture.y);
    phx_chart_free(&picture.chart);
    phx_plot_source_close(&picture.source);
    return status;
}
