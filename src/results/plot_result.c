/* The picture of a simulation: energies, residual, drift, outputs over time. */
#include "plot.h"

#include <stdio.h>
#include <string.h>

enum { PANEL_COLUMNS = 4 };

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

static phx_status is_zero(phx_result_picture *picture, int column, bool *zero)
{
    *zero = true;
    for (size_t first = 0; first < picture->source.rows && *zero; first += PHX_PLOT_BLOCK) {
        const size_t rest = picture->source.rows - first, count = rest < PHX_PLOT_BLOCK ? rest : PHX_PLOT_BLOCK;
        const phx_status status = phx_plot_source_read(&picture->source, column, first, count, picture->y);
        if (status)
            return status;
        for (size_t i = 0; i < count; i++)
            *zero = *zero && picture->y[i] == 0.0;
    }
    return PHX_OK;
}

static phx_status add_fixed_panel(phx_result_picture *picture, int which)
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
    return phx_result_picture_add(picture, fixed_panels[which].title, count, columns, labels,
                                  fixed_panels[which].logarithmic);
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

/* Columns one after the other are of one vector: the same output and unit. */
static bool same_vector(const phx_plot_source *source, int a, int b)
{
    const char *name_a = phx_plot_source_name(source, a), *name_b = phx_plot_source_name(source, b);
    const size_t length = phx_plot_stem(name_a);
    return phx_plot_stem(name_b) == length && name_a[length] && name_b[length] &&
           strncmp(name_a, name_b, length) == 0 &&
           strcmp(phx_plot_source_unit(source, a), phx_plot_source_unit(source, b)) == 0;
}

static phx_status add_outputs(phx_result_picture *picture)
{
    enum { MOST = 9 }; /* components of one vector */
    const phx_plot_source *source = &picture->source;
    phx_status status = PHX_OK;
    for (int i = 1, next; i < source->n_columns && !status; i = next) {
        const char *name = phx_plot_source_name(source, i);
        int columns[MOST], count = 0;
        const char *labels[MOST];
        char title[PHX_PLOT_TEXT];
        next = i + 1;
        if (is_fixed(name))
            continue;
        while (next < source->n_columns && next - i < MOST && same_vector(source, i, next))
            next++;
        const size_t length = next > i + 1 ? phx_plot_stem(name) : strlen(name);
        snprintf(title, sizeof title, "%.*s", (int)length, name);
        for (int k = i; k < next; k++) {
            labels[count] = phx_plot_source_name(source, k) + (next > i + 1 ? length + 1 : 0);
            columns[count++] = k;
        }
        status = phx_result_picture_add(picture, title, count, columns, labels, false);
    }
    return status;
}

phx_status phx_plot_result(phx_context *context, const char *path, const char *picture_path,
                           const phx_plot_options *options)
{
    phx_result_picture picture;
    phx_status status = phx_result_picture_open(context, path, options, &picture);
    for (int i = 0; i < FIXED_PANELS && !status; i++)
        status = add_fixed_panel(&picture, i);
    if (!status)
        status = add_outputs(&picture);
    if (!status)
        status = phx_chart_write(&picture.chart, picture_path);
    phx_result_picture_close(&picture);
    return status;
}
