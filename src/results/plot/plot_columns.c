/* Chosen columns of a result, over time or over another column. */
#include "plot.h"

#include <math.h>
#include <string.h>

/* Trajectories keep their shape unless one direction all but vanishes. */
static bool is_trajectory(const phx_result_picture *picture, const phx_panel *panel, int column)
{
    const double most = 20.0; /* times as long as wide */
    const char *unit = phx_plot_source_unit(&picture->source, column);
    phx_range x = phx_range_none(), y = phx_range_none();
    if (!picture->against || strcmp(unit, "m") != 0 ||
        strcmp(unit, phx_plot_source_unit(&picture->source, picture->against)) != 0)
        return false;
    for (int k = 0; k < panel->n_lines; k++)
        for (size_t i = 0; i < panel->lines[k].count; i++) {
            phx_range_add(&x, panel->lines[k].x[i]);
            phx_range_add(&y, panel->lines[k].y[i]);
        }
    const double wide = x.high - x.low, high = y.high - y.low;
    return wide > 0.0 && high > 0.0 && wide < most * high && high < most * wide;
}

/* Adds a panel for each group of selected columns; a trajectory gets axes of equal scale. */
static phx_status add_panels(phx_result_picture *picture, const phx_selection *selection,
                             const phx_plot_options *options)
{
    phx_context *context = picture->source.context;
    int *columns = phx_calloc(context, (size_t)selection->count, sizeof *columns);
    const char **labels = phx_calloc(context, (size_t)selection->count, sizeof *labels);
    phx_status status = columns && labels ? PHX_OK : PHX_ERR_MEMORY;
    for (int p = 0; p < selection->n_panels && !status; p++) {
        char title[PHX_PLOT_TEXT];
        const int before = picture->chart.n_panels;
        const int count = phx_selection_panel(selection, &picture->source, p, title, sizeof title, columns, labels);
        status =
            phx_result_picture_add(picture, title, count, columns, labels, options->y_scale == PHX_SCALE_LOGARITHMIC);
        if (status || picture->chart.n_panels == before)
            continue;
        phx_panel *panel = &picture->chart.panels[picture->chart.n_panels - 1];
        panel->x_logarithmic = options->x_scale == PHX_SCALE_LOGARITHMIC;
        panel->equal = !panel->logarithmic && !panel->x_logarithmic && is_trajectory(picture, panel, columns[0]);
    }
    phx_free(columns);
    phx_free((void *)labels);
    return status;
}

/* Draws chosen columns of a result or table over time or over another column. */
phx_status phx_plot_columns(phx_context *context, const char *path, const char *picture_path,
                            const phx_plot_options *options)
{
    phx_result_picture picture;
    phx_selection selection = {0};
    phx_status status = phx_result_picture_open(context, path, options, &picture);
    if (!status)
        status = phx_selection_make(&picture.source, options, path, &selection);
    if (!status && options->against)
        status = phx_selection_find(&picture.source, path, options->against, &picture.against);
    if (!status)
        status = add_panels(&picture, &selection, options);
    if (!status)
        status = phx_result_picture_write(&picture, picture_path);
    phx_selection_free(&selection);
    phx_result_picture_close(&picture);
    return status;
}
