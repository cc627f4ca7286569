/* Charts of lines: their data. chart_page.c and chart_draw.c draw them. */
#include "chart.h"

phx_status phx_chart_create(phx_context *context, const char *title, const char *subtitle, phx_chart *chart)
{
    *chart = (phx_chart){.context = context};
    chart->title = phx_strdup(context, title);
    chart->subtitle = phx_strdup(context, subtitle);
    return chart->title && chart->subtitle ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_bands(int count, phx_band *bands)
{
    for (int k = 0; k < count; k++)
        phx_free(bands[k].label);
    phx_free(bands);
}

static void free_pattern(phx_pattern *pattern)
{
    if (!pattern)
        return;
    free_bands(pattern->n_row_bands, pattern->row_bands);
    free_bands(pattern->n_col_bands, pattern->col_bands);
    phx_free(pattern->row);
    phx_free(pattern->col);
    phx_free(pattern->value);
    phx_free(pattern);
}

/* Frees panels, lines, patterns and texts of a chart, and clears it. */
void phx_chart_free(phx_chart *chart)
{
    for (int i = 0; i < chart->n_panels; i++) {
        phx_panel *panel = &chart->panels[i];
        for (int k = 0; k < panel->n_lines; k++) {
            phx_free(panel->lines[k].label);
            phx_free(panel->lines[k].x);
            phx_free(panel->lines[k].y);
        }
        phx_free(panel->lines);
        free_pattern(panel->pattern);
        phx_free(panel->title);
        phx_free(panel->x_label);
    }
    phx_free(chart->panels);
    phx_free(chart->title);
    phx_free(chart->subtitle);
    *chart = (phx_chart){0};
}

phx_panel *phx_chart_add_panel(phx_chart *chart, const char *title, const char *x_label)
{
    phx_panel *grown = phx_realloc(chart->context, chart->panels, (size_t)chart->n_panels + 1, sizeof *grown);
    if (!grown)
        return NULL;
    chart->panels = grown;
    phx_panel *panel = &grown[chart->n_panels++];
    *panel = (phx_panel){0};
    panel->title = phx_strdup(chart->context, title);
    panel->x_label = phx_strdup(chart->context, x_label);
    return panel->title && panel->x_label ? panel : NULL;
}

phx_line *phx_panel_add_line(phx_chart *chart, phx_panel *panel, const char *label, size_t count)
{
    phx_line *grown = phx_realloc(chart->context, panel->lines, (size_t)panel->n_lines + 1, sizeof *grown);
    if (!grown)
        return NULL;
    panel->lines = grown;
    phx_line *line = &grown[panel->n_lines];
    *line = (phx_line){.colour = panel->n_lines++, .count = count};
    line->x = phx_calloc(chart->context, count, sizeof *line->x);
    line->y = phx_calloc(chart->context, count, sizeof *line->y);
    line->label = label ? phx_strdup(chart->context, label) : NULL;
    return line->x && line->y && (line->label || !label) ? line : NULL;
}

phx_pattern *phx_chart_add_pattern(phx_chart *chart, const char *title, int rows, int cols, size_t count)
{
    phx_panel *panel = phx_chart_add_panel(chart, title, "");
    if (!panel)
        return NULL;
    phx_pattern *pattern = panel->pattern = phx_calloc(chart->context, 1, sizeof *pattern);
    if (!pattern)
        return NULL;
    *pattern = (phx_pattern){.rows = rows, .cols = cols, .count = count};
    pattern->row = phx_calloc(chart->context, count, sizeof *pattern->row);
    pattern->col = phx_calloc(chart->context, count, sizeof *pattern->col);
    pattern->value = phx_calloc(chart->context, count, sizeof *pattern->value);
    return pattern->row && pattern->col && pattern->value ? pattern : NULL;
}

phx_status phx_pattern_add_band(phx_chart *chart, phx_pattern *pattern, bool of_rows, const char *label, int end)
{
    phx_band **bands = of_rows ? &pattern->row_bands : &pattern->col_bands;
    int *count = of_rows ? &pattern->n_row_bands : &pattern->n_col_bands;
    phx_band *grown = phx_realloc(chart->context, *bands, (size_t)*count + 1, sizeof *grown);
    if (!grown)
        return PHX_ERR_MEMORY;
    *bands = grown;
    grown[*count] = (phx_band){.label = phx_strdup(chart->context, label), .end = end};
    return grown[(*count)++].label ? PHX_OK : PHX_ERR_MEMORY;
}
