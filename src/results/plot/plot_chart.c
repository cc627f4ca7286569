/* A chart of lines that a caller describes, as an SVG element. */
#include "chart.h"

#include <string.h>

/* Copies the lines and scales of the description to one panel of a chart. */
static phx_status chart_fill(const phx_chart_def *def, phx_chart *chart)
{
    phx_panel *panel = phx_chart_add_panel(chart, def->y_label ? def->y_label : "", def->x_label ? def->x_label : "");
    int drawn = 0; /* lines before, which have the colours before */

    if (!panel)
        return PHX_ERR_MEMORY;
    panel->logarithmic = def->logarithmic;
    panel->x_logarithmic = def->x_logarithmic;
    panel->equal = def->equal;
    for (int k = 0; k < def->n_lines; k++) {
        const phx_chart_line *given = &def->lines[k];
        phx_line *line = phx_panel_add_line(chart, panel, given->label, given->count);
        if (!line)
            return PHX_ERR_MEMORY;
        line->points = given->points;
        line->colour = given->points ? PHX_CHART_BLACK : drawn++;
        memcpy(line->x, given->x, given->count * sizeof *line->x);
        memcpy(line->y, given->y, given->count * sizeof *line->y);
    }
    return PHX_OK;
}

/* Draws a described chart into a new SVG text; *svg is NULL after a failure. */
phx_status phx_chart_svg(phx_context *context, const phx_chart_def *def, char **svg)
{
    if (!def || !svg)
        return phx_fail_null(context, __func__, "def or svg");
    phx_chart chart = {0};
    phx_output out = {0};
    phx_status status = phx_chart_create(context, def->title ? def->title : "", def->remark ? def->remark : "", &chart);

    *svg = NULL;
    if (!status)
        status = chart_fill(def, &chart);
    if (!status)
        status = phx_output_open_memory(context, &out);
    if (!status) {
        phx_chart_put(&out, &chart);
        phx_output_bytes(&out, "", 1);
        status = out.status;
        *svg = status ? NULL : phx_strdup(context, out.buffer);
        status = status || *svg ? status : PHX_ERR_MEMORY;
        phx_output_close(&out, false);
    }
    phx_chart_free(&chart);
    return phx_conclude(context, status);
}
