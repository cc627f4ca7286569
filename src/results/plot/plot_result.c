/* The picture of a simulation: energies, residual, drift, outputs over time. */
#include "results/report/column_groups.h"

static phx_status result_is_zero(phx_result_picture *picture, int column, bool *zero)
{
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

/* A panel for each group; none of the work where it is zero. */
static phx_status result_add_groups(phx_result_picture *picture)
{
    phx_column_group group = {0};
    phx_status status = PHX_OK;
    while (!status && phx_column_group_next(&picture->source, &group)) {
        bool zero = group.work;
        for (int k = 0; k < group.count && !status; k++)
            status = result_is_zero(picture, group.columns[k], &zero);
        if (!status && !zero && !(picture->difference && group.logarithmic)) /* differences of what is at rounding */
            status = phx_result_picture_add(picture, group.title, group.count, group.columns, group.labels,
                                            group.logarithmic);
    }
    return status;
}

phx_status phx_plot_result(phx_context *context, const char *path, const char *picture_path,
                           const phx_plot_options *options)
{
    phx_result_picture picture;
    phx_status status = phx_result_picture_open(context, path, options, &picture);
    if (!status)
        status = result_add_groups(&picture);
    if (!status)
        status = phx_result_picture_write(&picture, picture_path);
    phx_result_picture_close(&picture);
    return status;
}
