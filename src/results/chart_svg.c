/* Drawing charts as SVG, in pixels with one decimal. */
#include "chart.h"

#include <math.h>
#include <string.h>

enum {
    PLOT_WIDTH = 560,
    MARGIN_LEFT = 64,
    MARGIN_RIGHT = 26,
    TITLE_HEIGHT = 30, /* of a panel */
    LEGEND_HEIGHT = 17,
    AXIS_HEIGHT = 44, /* tick labels and name of the x axis */
    CHART_TOP = 52,
    CHART_BOTTOM = 8,
    LEGEND_MARK = 20,
    LEGEND_GAP = 14,
    CHARACTER = 7, /* a generous width of a character of 12 pixels */
    MOST_MARKERS = 120
};

/* Okabe and Ito's palette without its yellow, which a white page swallows: told apart by all kinds of colour vision. */
static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
enum { PALETTE = sizeof palette / sizeof *palette };
static const char *const dashes[] = {"", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\"",
                                     " stroke-dasharray=\"7 3 2 3\""};
enum { DASHES = sizeof dashes / sizeof *dashes };

/* A panel on the page: the corner of its plot and its axes. */
typedef struct plot_area {
    double left, top, width, height;
    phx_axis x, y;
} plot_area;

/* ---- small pieces ---- */

static void put_coordinate(phx_output *out, double value)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_fixed(fmin(fmax(value, -1e7), 1e7), 1, text);
    phx_output_text(out, strcmp(text, "-0.0") == 0 ? "0.0" : text);
}

static void put_attribute(phx_output *out, const char *name, double value)
{
    phx_output_format(out, " %s=\"", name);
    put_coordinate(out, value);
    phx_output_text(out, "\"");
}

static void put_segment(phx_output *out, double x1, double y1, double x2, double y2, const char *style)
{
    phx_output_text(out, "<line");
    put_attribute(out, "x1", x1);
    put_attribute(out, "y1", y1);
    put_attribute(out, "x2", x2);
    put_attribute(out, "y2", y2);
    phx_output_format(out, " %s/>", style);
    phx_output_line(out);
}

/* Starts a text; what is in it and put_text_end must follow. */
static void put_text_start(phx_output *out, double x, double y, const char *style)
{
    phx_output_text(out, "<text");
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    phx_output_format(out, "%s%s>", style[0] ? " " : "", style);
}

static void put_text_end(phx_output *out)
{
    phx_output_text(out, "</text>");
    phx_output_line(out);
}

static void put_text(phx_output *out, double x, double y, const char *style, const char *text)
{
    put_text_start(out, x, y, style);
    phx_output_xml(out, text);
    put_text_end(out);
}

/* A number in the text of a label, with a minus sign that is as wide as a plus. */
static void put_number(phx_output *out, const char *number)
{
    if (*number == '-') {
        phx_output_text(out, "\xE2\x88\x92");
        number++;
    }
    phx_output_text(out, number);
}

static void put_power_of_ten(phx_output *out, int exponent)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_fixed(exponent, 0, text);
    phx_output_text(out, "10<tspan dy=\"-5\" font-size=\"9\">");
    put_number(out, text);
    phx_output_text(out, "</tspan>");
}

static double text_width(const char *text)
{
    double width = 0.0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80 ? CHARACTER : 0;
    return width;
}

static void put_stroke(phx_output *out, const phx_line *line, double width)
{
    char text[PHX_NUMBER_SIZE];
    if (line->guide) {
        phx_output_text(out, "stroke=\"#A0A0A0\" stroke-dasharray=\"5 3\"");
    } else if (line->shade) {
        const double dark = line->shade / 256.0;
        phx_output_format(out, "stroke=\"#%02X%02X%02X\"", (unsigned)(200.0 - 192.0 * dark),
                          (unsigned)(216.0 - 168.0 * dark), (unsigned)(232.0 - 125.0 * dark));
    } else {
        phx_output_format(out, "stroke=\"%s\"%s", palette[line->colour % PALETTE],
                          dashes[line->colour / PALETTE % DASHES]);
    }
    phx_number_fixed(width, 1, text);
    phx_output_format(out, " stroke-width=\"%s\" stroke-linejoin=\"round\"", text);
}

/* ---- axes ---- */

static void put_tick_label(phx_output *out, const phx_axis *axis, double tick)
{
    if (axis->logarithmic) {
        put_power_of_ten(out, (int)lround(tick));
    } else {
        char text[PHX_NUMBER_SIZE];
        phx_number_fixed(tick / pow(10.0, axis->exponent), axis->decimals, text);
        put_number(out, text);
    }
}

static void put_x_axis(phx_output *out, const plot_area *area, const char *label)
{
    const double bottom = area->top + area->height, right = area->left + area->width;
    for (int i = 0; i < area->x.n_ticks; i++) {
        const double x = area->left + area->width * (area->x.ticks[i] - area->x.low) / (area->x.high - area->x.low);
        put_segment(out, x, area->top, x, bottom, "stroke=\"#E4E4E4\"");
        put_text_start(out, x, bottom + 17.0, "text-anchor=\"middle\"");
        put_tick_label(out, &area->x, area->x.ticks[i]);
        put_text_end(out);
    }
    put_segment(out, area->left, bottom, right, bottom, "stroke=\"#555555\"");
    put_text_start(out, area->left + 0.5 * area->width, bottom + 34.0, "text-anchor=\"middle\"");
    phx_output_xml(out, label);
    if (area->x.exponent) {
        phx_output_text(out, " \xC3\x97 ");
        put_power_of_ten(out, area->x.exponent);
    }
    put_text_end(out);
}

static void put_y_axis(phx_output *out, const plot_area *area)
{
    const double bottom = area->top + area->height, right = area->left + area->width;
    for (int i = 0; i < area->y.n_ticks; i++) {
        const double y = bottom - area->height * (area->y.ticks[i] - area->y.low) / (area->y.high - area->y.low);
        put_segment(out, area->left, y, right, y, "stroke=\"#E4E4E4\"");
        put_text_start(out, area->left - 7.0, y + 4.0, "text-anchor=\"end\"");
        put_tick_label(out, &area->y, area->y.ticks[i]);
        put_text_end(out);
    }
    put_segment(out, area->left, area->top, area->left, bottom, "stroke=\"#555555\"");
    if (area->y.exponent) {
        put_text_start(out, area->left + 4.0, area->top + 12.0, "fill=\"#555555\"");
        phx_output_text(out, "\xC3\x97 ");
        put_power_of_ten(out, area->y.exponent);
        put_text_end(out);
    }
}

/* ---- lines ---- */

static bool is_shown(const phx_line *line, size_t i)
{
    return isfinite(line->x[i]) && isfinite(line->y[i]);
}

static double place_x(const plot_area *area, double x)
{
    return area->left + area->width * phx_axis_place(&area->x, x);
}

static double place_y(const plot_area *area, double y)
{
    return area->top + area->height * (1.0 - phx_axis_place(&area->y, y));
}

static void put_line(phx_output *out, const plot_area *area, const phx_line *line)
{
    bool open = false;
    long last_x = 0, last_y = 0;
    int in_text = 0;
    phx_output_text(out, "<path fill=\"none\" ");
    put_stroke(out, line, line->guide ? 0.8 : 1.6);
    phx_output_text(out, " d=\"");
    for (size_t i = 0; i < line->count; i++) {
        if (!is_shown(line, i)) {
            open = false;
            continue;
        }
        const double x = place_x(area, line->x[i]), y = place_y(area, line->y[i]);
        const long x10 = lround(10.0 * x), y10 = lround(10.0 * y);
        if (open && x10 == last_x && y10 == last_y)
            continue;
        phx_output_text(out, open ? "L" : "M");
        put_coordinate(out, x);
        phx_output_text(out, " ");
        put_coordinate(out, y);
        if (++in_text % 16 == 0)
            phx_output_line(out);
        open = true;
        last_x = x10;
        last_y = y10;
    }
    phx_output_text(out, "\"/>");
    phx_output_line(out);
}

/* The label of a guide, at its last point. */
static void put_guide_label(phx_output *out, const plot_area *area, const phx_line *line)
{
    size_t last = line->count;
    while (last > 0 && !is_shown(line, last - 1))
        last--;
    if (last > 0 && line->label)
        put_text(out, fmin(place_x(area, line->x[last - 1]) + 3.0, area->left + area->width + 3.0),
                 place_y(area, line->y[last - 1]) + 4.0, "font-size=\"10\" fill=\"#808080\"", line->label);
}

static void put_markers(phx_output *out, const plot_area *area, const phx_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        if (!is_shown(line, i))
            continue;
        phx_output_text(out, "<circle");
        put_attribute(out, "cx", place_x(area, line->x[i]));
        put_attribute(out, "cy", place_y(area, line->y[i]));
        phx_output_format(out, " r=\"2.2\" fill=\"%s\"/>", palette[line->colour % PALETTE]);
        phx_output_line(out);
    }
}

static void put_crosses(phx_output *out, const plot_area *area, const phx_line *line)
{
    phx_output_text(out, "<path fill=\"none\" ");
    put_stroke(out, line, 1.6);
    phx_output_text(out, " d=\"");
    for (size_t i = 0; i < line->count; i++) {
        if (!is_shown(line, i))
            continue;
        phx_output_text(out, "M");
        put_coordinate(out, place_x(area, line->x[i]) - 3.5);
        phx_output_text(out, " ");
        put_coordinate(out, place_y(area, line->y[i]) - 3.5);
        phx_output_text(out, "l7 7m-7 0l7 -7");
        phx_output_line(out);
    }
    phx_output_text(out, "\"/>");
    phx_output_line(out);
}

/* ---- legend ---- */

static double legend_width(const char *label)
{
    return LEGEND_MARK + 6 + text_width(label) + LEGEND_GAP;
}

/* Draws the legend under `top`, or only counts its rows when `out` is NULL. */
static int put_legend(phx_output *out, const phx_panel *panel, double left, double top)
{
    int rows = 0;
    double at = PLOT_WIDTH;
    for (int k = 0; k < panel->n_lines; k++) {
        const phx_line *line = &panel->lines[k];
        if (!line->label || line->guide)
            continue;
        const double width = legend_width(line->label);
        if (rows == 0 || at + width > PLOT_WIDTH) {
            rows++;
            at = 0.0;
        }
        if (out) {
            const double y = top + LEGEND_HEIGHT * rows - 8.0;
            phx_output_text(out, "<path fill=\"none\" ");
            put_stroke(out, line, 2.4);
            phx_output_text(out, " d=\"M");
            put_coordinate(out, left + at);
            phx_output_text(out, " ");
            put_coordinate(out, y);
            if (line->points)
                phx_output_text(out, "m6.5 -3.5l7 7m-7 0l7 -7\"/>");
            else
                phx_output_format(out, "h%d\"/>", LEGEND_MARK);
            phx_output_line(out);
            put_text(out, left + at + LEGEND_MARK + 6.0, y + 4.0, "", line->label);
        }
        at += width;
    }
    return rows;
}

/* ---- panels ---- */

static double plot_height(const phx_chart *chart, const phx_panel *panel)
{
    return panel->equal ? 420.0 : chart->n_panels == 1 ? 340.0 : 170.0;
}

/* The same scale on both axes: the one with room to spare shows more. */
static void equalise(phx_range *x, phx_range *y, double aspect)
{
    if (x->low > x->high)
        return;
    double width = fmax(x->high - x->low, 1e-12), height = fmax(y->high - y->low, 1e-12);
    width *= 1.08;
    height *= 1.08;
    if (width < aspect * height)
        width = aspect * height;
    else
        height = width / aspect;
    const double x_middle = 0.5 * (x->low + x->high), y_middle = 0.5 * (y->low + y->high);
    *x = (phx_range){x_middle - 0.5 * width, x_middle + 0.5 * width, 0.0};
    *y = (phx_range){y_middle - 0.5 * height, y_middle + 0.5 * height, 0.0};
}

static void make_axes(const phx_panel *panel, plot_area *area)
{
    phx_range x = phx_range_none(), y = phx_range_none();
    for (int k = 0; k < panel->n_lines; k++)
        for (size_t i = 0; i < panel->lines[k].count; i++)
            if (is_shown(&panel->lines[k], i)) {
                phx_range_add(&x, panel->lines[k].x[i]);
                phx_range_add(&y, panel->lines[k].y[i]);
            }
    if (panel->equal)
        equalise(&x, &y, area->width / area->height);
    area->x =
        panel->x_logarithmic ? phx_axis_logarithmic(x, 8) : phx_axis_linear(x, 8, panel->scattered, panel->integers);
    area->y = panel->logarithmic ? phx_axis_logarithmic(y, 6) : phx_axis_linear(y, 5, !panel->equal, false);
}

/* `legend_rows`: of the row of panels this one stands in, so that their plots are level. */
static void put_panel(phx_output *out, const phx_chart *chart, const phx_panel *panel, int legend_rows, double left,
                      double top)
{
    plot_area area = {.left = left + MARGIN_LEFT, .width = PLOT_WIDTH, .height = plot_height(chart, panel)};
    make_axes(panel, &area);
    phx_output_text(out, "<g>");
    phx_output_line(out);
    put_text(out, area.left, top + 20.0, "font-weight=\"bold\"", panel->title);
    put_legend(out, panel, area.left, top + TITLE_HEIGHT - 4.0);
    area.top = top + TITLE_HEIGHT + LEGEND_HEIGHT * legend_rows;
    put_x_axis(out, &area, panel->x_label);
    put_y_axis(out, &area);
    for (int k = 0; k < panel->n_lines; k++) {
        if ((panel->scattered || panel->lines[k].points) && !panel->lines[k].guide) {
            put_crosses(out, &area, &panel->lines[k]);
            continue;
        }
        put_line(out, &area, &panel->lines[k]);
        if (panel->lines[k].guide)
            put_guide_label(out, &area, &panel->lines[k]);
        else if (panel->markers && panel->lines[k].count <= MOST_MARKERS)
            put_markers(out, &area, &panel->lines[k]);
    }
    phx_output_text(out, "</g>");
    phx_output_line(out);
}

/* ---- the page: panels one below the other, in two columns when there are many ---- */

static int column_count(const phx_chart *chart)
{
    return chart->n_panels > 3 ? 2 : 1;
}

/* The rows of panels start with the panels 0, columns, 2 columns, ...; the most rows that a legend takes in one. */
static int legend_rows(const phx_chart *chart, int first)
{
    int most = 0;
    for (int k = first; k < first + column_count(chart) && k < chart->n_panels; k++) {
        const int rows = put_legend(NULL, &chart->panels[k], 0.0, 0.0);
        most = rows > most ? rows : most;
    }
    return most;
}

static double row_height(const phx_chart *chart, int first)
{
    double height = 0.0;
    for (int k = first; k < first + column_count(chart) && k < chart->n_panels; k++)
        height = fmax(height, plot_height(chart, &chart->panels[k]));
    return TITLE_HEIGHT + LEGEND_HEIGHT * legend_rows(chart, first) + height + AXIS_HEIGHT;
}

static void put_head(phx_output *out, const phx_chart *chart, int width, int height)
{
    phx_output_format(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
                      width, height, width, height);
    phx_output_text(out, "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222222\">");
    phx_output_line(out);
    phx_output_text(out, "<title>");
    phx_output_xml(out, chart->title);
    phx_output_text(out, "</title>");
    phx_output_line(out);
    phx_output_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>");
    phx_output_line(out);
    put_text(out, MARGIN_LEFT, 24.0, "font-size=\"16\" font-weight=\"bold\"", chart->title);
    put_text(out, MARGIN_LEFT, 42.0, "fill=\"#555555\"", chart->subtitle);
}

void phx_chart_put(phx_output *out, const phx_chart *chart)
{
    const int columns = column_count(chart), panel_width = MARGIN_LEFT + PLOT_WIDTH + MARGIN_RIGHT;
    double height = CHART_TOP + CHART_BOTTOM, top = CHART_TOP;
    for (int i = 0; i < chart->n_panels; i += columns)
        height += row_height(chart, i);
    put_head(out, chart, columns * panel_width, (int)ceil(height));
    for (int i = 0; i < chart->n_panels; i++) {
        const int column = i % columns;
        put_panel(out, chart, &chart->panels[i], legend_rows(chart, i - column), (double)column * panel_width, top);
        if (column == columns - 1)
            top += row_height(chart, i - column);
    }
    phx_output_text(out, "</svg>");
    phx_output_line(out);
}

phx_status phx_chart_write(const phx_chart *chart, const char *path)
{
    phx_output out;
    const phx_status status = phx_output_open(chart->context, path, &out);
    if (status)
        return status;
    phx_output_text(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    phx_output_line(&out);
    phx_chart_put(&out, chart);
    return phx_output_commit(&out);
}
