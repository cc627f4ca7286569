/* Placing the panels of a chart on its page: one below the other, in two columns when there are many. */
#include "chart_draw.h"

#include <math.h>

enum {
    PLOT_WIDTH = 560, /* without a given width */
    LEAST_PLOT = 40,  /* pixels at letters of 12 pixels */
    NARROW_PLOT = 230,
    CHART_TOP = 52, /* with a title */
    NO_TITLE_TOP = 2,
    CHART_BOTTOM = 8,
    MOST_COLUMNS = 3
};

typedef struct page {
    phx_drawing drawing;
    const phx_chart *chart;
    const char *title; /* "": none */
    int columns;
    double width, height, plot_width;
    double left[MOST_COLUMNS], right[MOST_COLUMNS]; /* margins of each column of panels */
    phx_area *areas;
    double *heads; /* of each panel: height above its plot, the same in a row of panels */
} page;

static double points(double value)
{
    return value * 96.0 / 72.0;
}

static bool is_print(const phx_chart *chart)
{
    return chart->page.width > 0.0;
}

/* ---- sizes ---- */
static phx_status check_number(phx_context *context, const char *what, double value, double low, double high,
                               const char *unit)
{
    if (value == 0.0 || (value >= low && value <= high)) /* 0: not given */
        return PHX_OK;
    return phx_fail(context, PHX_ERR_INPUT, "%s of a picture: expected %g to %g %s, found %g", what, low, high, unit,
                    value);
}

static phx_status check_page(phx_context *context, const phx_page *given)
{
    phx_status status = check_number(context, "the width", given->width, 10.0, 2000.0, "mm");
    if (!status)
        status = check_number(context, "the height", given->height, 10.0, 5000.0, "mm");
    if (!status)
        status = check_number(context, "the size of letters", given->font_size, 3.0, 72.0, "pt");
    return status ? status
                  : check_number(context, "the resolution", given->resolution, 30.0, 2400.0, "pixels in an inch");
}

static double row_count(const page *p)
{
    return ceil((double)p->chart->n_panels / p->columns);
}

/* Panels side by side: lines in two columns when there are many, patterns as soon as there are two; fewer where the
 * page is narrow. */
static int column_count(const page *p)
{
    const int n = p->chart->n_panels;
    const bool pattern = n > 0 && p->chart->panels[0].pattern;
    int columns = pattern ? (n > 4 ? 3 : n > 1 ? 2 : 1) : n > 3 ? 2 : 1;
    const double least = (pattern ? 150.0 : NARROW_PLOT) * p->drawing.scale;
    while (columns > 1 && is_print(p->chart) && p->width < columns * least)
        columns--;
    return columns;
}

/* Height of a plot that may choose it. */
static double natural_height(const page *p, const phx_panel *panel)
{
    const double scale = p->drawing.scale, aspect = phx_draw_aspect(panel);
    if (panel->pattern)
        return p->plot_width * fmin(aspect, 1.0);
    if (aspect > 0.0)
        return p->plot_width * fmin(fmax(1.06 * aspect, 0.25), is_print(p->chart) ? 1.0 : 0.75);
    if (!is_print(p->chart))
        return (p->chart->n_panels == 1 ? 340.0 : 170.0) * scale;
    return fmax((p->chart->n_panels == 1 ? 0.62 : 0.36) * p->plot_width, 80.0 * scale);
}

static double foot(const phx_drawing *drawing, const phx_panel *panel)
{
    return (panel->pattern ? 12.0 : PHX_AXIS_HEIGHT) * drawing->scale;
}

static double fmax_of_row(const page *p, int first, double (*of)(const page *p, int panel))
{
    double most = 0.0;
    for (int k = first; k < first + p->columns && k < p->chart->n_panels; k++)
        most = fmax(most, of(p, k));
    return most;
}

static double head_of(const page *p, int k)
{
    const phx_panel *panel = &p->chart->panels[k];
    const int rows = phx_draw_legend_rows(&p->drawing, panel, p->plot_width);
    return (PHX_TITLE_HEIGHT + PHX_LEGEND_HEIGHT * rows) * p->drawing.scale + phx_draw_head(&p->drawing, panel);
}

static double foot_of(const page *p, int k)
{
    return foot(&p->drawing, &p->chart->panels[k]);
}

static double height_of(const page *p, int k)
{
    return natural_height(p, &p->chart->panels[k]);
}

/* ---- placing ---- */

/* Margins depend on the labels of ticks, ticks on the size of the plots: an estimate first, then the result. */
static phx_status find_margins(page *p)
{
    const double scale = p->drawing.scale;
    for (int pass = 0; pass < 2; pass++) {
        double margins = 0.0;
        for (int c = 0; c < p->columns; c++) {
            p->left[c] = pass ? 0.0 : 50.0 * scale;
            p->right[c] = pass ? 0.0 : 16.0 * scale;
        }
        for (int k = 0; k < p->chart->n_panels && pass; k++) {
            const int c = k % p->columns;
            phx_area area = {.width = p->plot_width, .height = height_of(p, k)};
            phx_draw_make_axes(&p->drawing, &p->chart->panels[k], &area);
            p->left[c] = fmax(p->left[c], phx_draw_margin(&p->drawing, &p->chart->panels[k], &area, true));
            p->right[c] = fmax(p->right[c], phx_draw_margin(&p->drawing, &p->chart->panels[k], &area, false));
        }
        for (int c = 0; c < p->columns; c++)
            margins += p->left[c] + p->right[c];
        if (is_print(p->chart))
            p->plot_width = (p->width - margins) / p->columns;
        else
            p->width = margins + p->columns * p->plot_width;
        if (p->plot_width < LEAST_PLOT * scale)
            return phx_fail(p->chart->context, PHX_ERR_INPUT,
                            "a picture %.4g mm wide has no room for its panels: %.4g mm at least with letters of this "
                            "size, or smaller letters",
                            p->width / PHX_PIXELS_OF_MM,
                            ceil((margins + p->columns * LEAST_PLOT * scale) / PHX_PIXELS_OF_MM));
    }
    return PHX_OK;
}

/* The heights of the plots: their own, or even shares of what the given height leaves. */
static phx_status find_heights(page *p)
{
    const double scale = p->drawing.scale, top = (p->title[0] ? CHART_TOP : NO_TITLE_TOP) * scale;
    double taken = top + CHART_BOTTOM * scale, share = 0.0;
    for (int i = 0; i < p->chart->n_panels; i += p->columns)
        taken += fmax_of_row(p, i, head_of) + fmax_of_row(p, i, foot_of);
    if (p->chart->page.height > 0.0) {
        p->height = p->chart->page.height * PHX_PIXELS_OF_MM;
        share = (p->height - taken) / row_count(p);
        if (share < LEAST_PLOT * scale)
            return phx_fail(p->chart->context, PHX_ERR_INPUT,
                            "a picture %.4g mm high has no room for its panels: %.4g mm at least with letters of this "
                            "size, or smaller letters or fewer panels",
                            p->chart->page.height,
                            ceil((taken + row_count(p) * LEAST_PLOT * scale) / PHX_PIXELS_OF_MM));
    }
    double y = top;
    for (int i = 0; i < p->chart->n_panels; i += p->columns) {
        const double head = fmax_of_row(p, i, head_of), height = share > 0.0 ? share : fmax_of_row(p, i, height_of);
        for (int k = i; k < i + p->columns && k < p->chart->n_panels; k++) {
            p->heads[k] = head;
            p->areas[k].top = y + head;
            p->areas[k].height = height;
        }
        y += head + height + fmax_of_row(p, i, foot_of);
    }
    if (share == 0.0)
        p->height = y + CHART_BOTTOM * scale;
    return PHX_OK;
}

/* A pattern keeps its shape, at the upper left of its place. */
static void fit_pattern(const phx_panel *panel, phx_area *area)
{
    const double aspect = panel->pattern ? phx_draw_aspect(panel) : 0.0;
    if (aspect > 0.0 && area->height > aspect * area->width)
        area->height = aspect * area->width;
    else if (aspect > 0.0)
        area->width = area->height / aspect;
}

/* Places all panels on the page, with equal plot widths and margins by column, and makes their axes. */
static phx_status place(page *p)
{
    phx_status status = find_margins(p);
    if (!status)
        status = find_heights(p);
    for (int k = 0; k < p->chart->n_panels && !status; k++) {
        double left = p->left[0];
        for (int c = 1; c <= k % p->columns; c++)
            left += p->plot_width + p->right[c - 1] + p->left[c];
        p->areas[k].left = left;
        p->areas[k].width = p->plot_width;
        fit_pattern(&p->chart->panels[k], &p->areas[k]);
        phx_draw_make_axes(&p->drawing, &p->chart->panels[k], &p->areas[k]);
    }
    return status;
}

/* ---- drawing ---- */
static void put_titles(page *p)
{
    const double scale = p->drawing.scale;
    const phx_letters large = {.size = 16.0 * scale, .bold = true}, small = {.size = 12.0 * scale, .colour = 0x555555};
    phx_pen *pen = &p->drawing.pen;
    if (!p->title[0])
        return;
    const double room = p->width - p->left[0] - 4.0 * scale;
    const phx_fitted title = phx_draw_fit(&p->drawing, p->title, large.size, true, room);
    const phx_fitted subtitle = phx_draw_fit(&p->drawing, p->chart->subtitle, small.size, false, room);
    phx_pen_text(pen, p->left[0], 24.0 * scale, &large, title.text, NULL);
    phx_pen_text(pen, p->left[0], 42.0 * scale, &small, subtitle.text, NULL);
}

static void chart_page_draw(page *p, const phx_sheet *sheet, phx_output *out)
{
    phx_pen_start(out, sheet, &p->drawing.pen);
    put_titles(p);
    for (int k = 0; k < p->chart->n_panels; k++)
        phx_draw_panel(&p->drawing, &p->chart->panels[k], &p->areas[k], p->heads[k]);
    phx_pen_finish(&p->drawing.pen);
}

/* The chart as an SVG element; the sheet has fonts and takes the size. */
static phx_status chart_page_make(const phx_chart *chart, phx_sheet *sheet, phx_output *out)
{
    const phx_page *given = &chart->page;
    const double font = given->font_size > 0.0 ? given->font_size : is_print(chart) ? 8.0 : 9.0;
    page p = {.chart = chart};
    phx_status status = check_page(chart->context, given);
    if (!status)
        status = phx_ruler_create(chart->context, &p.drawing.ruler);
    if (status)
        return status;
    p.drawing.scale = points(font) / 12.0;
    p.drawing.grey = given->grey;
    p.title = given->title ? given->title : is_print(chart) ? "" : chart->title;
    p.width = given->width * PHX_PIXELS_OF_MM;
    p.plot_width = PLOT_WIDTH * p.drawing.scale;
    p.columns = column_count(&p);
    p.areas = phx_calloc(chart->context, (size_t)chart->n_panels, sizeof *p.areas);
    p.heads = phx_calloc(chart->context, (size_t)chart->n_panels, sizeof *p.heads);
    p.drawing.seen = phx_calloc(chart->context, (size_t)PHX_PATTERN_CELLS * PHX_PATTERN_CELLS, 1);
    status = p.areas && p.heads && p.drawing.seen ? place(&p) : PHX_ERR_MEMORY;
    sheet->width = p.width;
    sheet->height = p.height;
    sheet->letters = 12.0 * p.drawing.scale;
    sheet->print = is_print(chart);
    sheet->resolution = given->resolution > 0.0 ? given->resolution : 300.0;
    sheet->title = chart->title;
    if (!status)
        chart_page_draw(&p, sheet, out);
    phx_free(p.areas);
    phx_free(p.heads);
    phx_free(p.drawing.seen);
    phx_ruler_destroy(p.drawing.ruler);
    return status;
}

/* What viewers have; what the letters are measured with, embedded in PDF and drawn in PNG. */
static const char *const viewer_fonts = "Helvetica, Arial, 'Liberation Sans', sans-serif";
static const char *const own_fonts = "Liberation Sans, DejaVu Sans";

/* Writes the chart as SVG, PDF or PNG; the file appears only when it is complete. */
phx_status phx_chart_write(const phx_chart *chart, const char *path)
{
    phx_output svg, out;
    phx_picture picture = PHX_PICTURE_SVG;
    phx_status status = phx_picture_choose(chart->context, path, chart->page.format, &picture);
    phx_sheet sheet = {.fonts = picture == PHX_PICTURE_SVG ? viewer_fonts : own_fonts};

    if (!status)
        status = phx_output_open_memory(chart->context, &svg);
    if (status)
        return status;
    if (picture == PHX_PICTURE_SVG) {
        phx_output_text(&svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        phx_output_line(&svg);
    }
    status = chart_page_make(chart, &sheet, &svg);
    status = status ? status : svg.status;
    const bool opened = !status && (status = phx_output_open(chart->context, path, &out)) == PHX_OK;
    if (opened && picture == PHX_PICTURE_SVG)
        phx_output_bytes(&out, svg.buffer, svg.used);
    else if (opened)
        status = phx_picture_render(chart->context, &svg, &sheet, picture, &out);
    if (opened && !status)
        status = phx_output_commit(&out);
    else if (opened)
        phx_output_close(&out, false);
    phx_output_close(&svg, false);
    return status;
}

void phx_chart_put(phx_output *out, const phx_chart *chart)
{
    phx_sheet sheet = {.fonts = viewer_fonts};
    const phx_status status = chart_page_make(chart, &sheet, out);
    if (!out->status)
        out->status = status;
}
