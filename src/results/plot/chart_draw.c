/* Drawing the panels of a chart: axes, lines, legends. */
#include "chart_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CROSS = 3.5; /* half its width */
enum {
    LEGEND_MARK = 24,
    LEGEND_GAP = 14,
    MOST_MARKERS = 120,
    X_TICK_SPACE = 56, /* pixels that a tick takes, about */
    Y_TICK_SPACE = 28,
    LABEL_SIZE = 64
};
#define COLOUR_AXIS  0x555555u
#define COLOUR_GRID  0xE4E4E4u
#define COLOUR_ZERO  0xC4C4C4u
#define COLOUR_MINOR 0xF1F1F1u
#define COLOUR_GUIDE 0xA0A0A0u

/* Okabe and Ito's palette without its yellow, which is invisible on a white page: distinguishable with all kinds of
 * colour vision. */
static const unsigned palette[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000};
enum { PALETTE = sizeof palette / sizeof *palette };
static const unsigned greys[] = {0x000000, 0x7F7F7F, 0x404040, 0xA6A6A6};
enum { GREYS = sizeof greys / sizeof *greys };

/* The text, cut at a whole character with an ellipsis if it is wider than `width`. */
phx_fitted phx_draw_fit(const phx_drawing *drawing, const char *text, double size, bool bold, double width)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    phx_fitted fitted;
    size_t length = strlen(text);
    bool cut = length >= sizeof fitted.text;
    snprintf(fitted.text, sizeof fitted.text, "%s", text);
    length = strlen(fitted.text);
    while (length > 0 && (cut || phx_ruler_width(drawing->ruler, fitted.text, NULL, size, bold) > width)) {
        cut = false;
        length = length + sizeof ellipsis > sizeof fitted.text ? sizeof fitted.text - sizeof ellipsis : length;
        do /* a whole character */
            length--;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80);
        memcpy(fitted.text + length, ellipsis, sizeof ellipsis);
    }
    return fitted;
}

/* ---- what is shown ---- */
static bool is_shown(const phx_line *line, size_t i)
{
    return isfinite(line->x[i]) && isfinite(line->y[i]);
}

static double place_x(const phx_area *area, double x)
{
    return area->left + area->width * phx_axis_place(&area->x, x);
}

static double place_y(const phx_area *area, double y)
{
    return area->top + area->height * (1.0 - phx_axis_place(&area->y, y));
}

static void find_ranges(const phx_panel *panel, phx_range *x, phx_range *y)
{
    *x = *y = phx_range_none();
    for (int k = 0; k < panel->n_lines; k++)
        for (size_t i = 0; i < panel->lines[k].count; i++)
            if (is_shown(&panel->lines[k], i)) {
                phx_range_add(x, panel->lines[k].x[i]);
                phx_range_add(y, panel->lines[k].y[i]);
            }
}

/* ---- axes ---- */

/* The same scale on both axes: the one with room to spare shows more. */
static void equalise(phx_range *x, phx_range *y, double aspect)
{
    static const double NARROWEST = 1e-12; /* range that is shown */

    if (x->low > x->high)
        return;
    double width = fmax(x->high - x->low, NARROWEST), height = fmax(y->high - y->low, NARROWEST);
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

static void minus(char *label, size_t size, const char *number)
{
    snprintf(label, size, "%s%s", *number == '-' ? "\xE2\x88\x92" : "", number + (*number == '-'));
}

static void integer_label(char *label, size_t size, int value)
{
    char number[PHX_NUMBER_SIZE];
    phx_number_fixed(value, 0, number);
    minus(label, size, number);
}

/* The text at a tick; its raised exponent is empty on linear axes. */
static const char *tick_label(const phx_axis *axis, double tick, char label[LABEL_SIZE], char raised[LABEL_SIZE])
{
    char number[PHX_NUMBER_SIZE];
    if (axis->logarithmic) {
        snprintf(label, LABEL_SIZE, "10");
        integer_label(raised, LABEL_SIZE, (int)lround(tick));
        return raised;
    }
    phx_number_fixed(tick / pow(10.0, axis->exponent), axis->decimals, number);
    minus(label, LABEL_SIZE, strtod(number, NULL) == 0.0 && *number == '-' ? number + 1 : number);
    return NULL;
}

static double widest_label(const phx_drawing *drawing, const phx_axis *axis)
{
    double widest = 0.0;
    for (int i = 0; i < axis->n_ticks; i++) {
        char label[LABEL_SIZE], raised[LABEL_SIZE];
        const char *behind = tick_label(axis, axis->ticks[i], label, raised);
        widest = fmax(widest, phx_ruler_width(drawing->ruler, label, behind, 12.0 * drawing->scale, false));
    }
    return widest;
}

static int between(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* Both axes of a panel from the ranges of its lines, with as many ticks as their labels leave room for. */
void phx_draw_make_axes(const phx_drawing *drawing, const phx_panel *panel, phx_area *area)
{
    phx_range x, y;
    int wanted_x = between(area->width / (X_TICK_SPACE * drawing->scale), 2, 10);
    const int wanted_y = between(area->height / (Y_TICK_SPACE * drawing->scale), 2, 8);
    if (panel->pattern)
        return;
    find_ranges(panel, &x, &y);
    if (panel->decades)
        y.smallest = fmax(y.smallest, fmax(fabs(y.low), fabs(y.high)) * pow(10.0, -panel->decades));
    if (panel->equal)
        equalise(&x, &y, area->width / area->height);
    area->y = panel->logarithmic ? phx_axis_logarithmic(y, wanted_y, true)
              : panel->degrees   ? phx_axis_degrees(y, wanted_y)
                                 : phx_axis_linear(y, wanted_y, !panel->equal, false);
    do /* as many ticks as their labels leave room for */
        area->x = panel->x_logarithmic ? phx_axis_logarithmic(x, wanted_x, false)
                                       : phx_axis_linear(x, wanted_x, panel->scattered, panel->integers);
    while (wanted_x-- > 1 &&
           area->x.n_ticks * (widest_label(drawing, &area->x) + 8.0 * drawing->scale) > 1.1 * area->width);
}

double phx_draw_aspect(const phx_panel *panel)
{
    phx_range x, y;
    if (panel->pattern)
        return panel->pattern->cols > 0 ? (double)panel->pattern->rows / panel->pattern->cols : 1.0;
    if (!panel->equal)
        return 0.0;
    find_ranges(panel, &x, &y);
    if (!(x.high > x.low))
        return 1.0;
    return (y.high - y.low) / (x.high - x.low);
}

double phx_draw_margin(const phx_drawing *drawing, const phx_panel *panel, const phx_area *area, bool left)
{
    const double scale = drawing->scale;
    double room = 0.0;
    if (panel->pattern)
        return left ? phx_pattern_margin(drawing, panel->pattern, true) : 10.0 * scale;
    if (left)
        return widest_label(drawing, &area->y) + 14.0 * scale;
    for (int k = 0; k < panel->n_lines; k++)
        if (panel->lines[k].guide && panel->lines[k].label)
            room = fmax(room, phx_ruler_width(drawing->ruler, panel->lines[k].label, NULL, 10.0 * scale, false));
    return fmax(room + 3.0 * scale, 0.5 * widest_label(drawing, &area->x)) + 4.0 * scale;
}

double phx_draw_head(const phx_drawing *drawing, const phx_panel *panel)
{
    return panel->pattern ? phx_pattern_margin(drawing, panel->pattern, false) : 0.0;
}

static void put_grid_line(phx_drawing *drawing, const phx_area *area, double share, bool of_x, unsigned colour)
{
    const phx_stroke stroke = {.colour = colour, .width = drawing->scale};
    const double bottom = area->top + area->height, right = area->left + area->width;
    const double x = area->left + area->width * share, y = bottom - area->height * share;
    if (of_x)
        phx_pen_segment(&drawing->pen, x, area->top, x, bottom, &stroke);
    else
        phx_pen_segment(&drawing->pen, area->left, y, right, y, &stroke);
}

/* The grid lines of an axis; between decades also those at 2 to 9 times a power of ten where there is room. */
static void put_grid(phx_drawing *drawing, const phx_area *area, const phx_axis *axis, bool of_x)
{
    const double length = axis->high - axis->low, room = (of_x ? area->width : area->height) / length;
    const double first = floor(axis->low);
    const int minor = axis->logarithmic && room > 60.0 * drawing->scale ? 8 * (int)ceil(axis->high - first) : 0;
    for (int i = 0; i < minor; i++) {
        const double share = (first + i / 8 + log10(2.0 + i % 8) - axis->low) / length;
        if (share > 0.0 && share < 1.0)
            put_grid_line(drawing, area, share, of_x, COLOUR_MINOR);
    }
    for (int i = 0; i < axis->n_ticks; i++)
        put_grid_line(drawing, area, (axis->ticks[i] - axis->low) / length, of_x,
                      axis->ticks[i] == 0.0 && !axis->logarithmic ? COLOUR_ZERO : COLOUR_GRID);
}

static void chart_draw_put_text(phx_drawing *drawing, double x, double y, const phx_letters *letters, const char *text,
                                const char *raised)
{
    phx_pen_text(&drawing->pen, x, y, letters, text, raised);
}

/* Draws the horizontal axis: line, tick labels, and its label with a common power of ten. */
static void put_x_axis(phx_drawing *drawing, const phx_area *area, const char *label)
{
    const double scale = drawing->scale, bottom = area->top + area->height, right = area->left + area->width;
    const phx_letters letters = {.size = 12.0 * scale, .anchor = PHX_ANCHOR_MIDDLE};
    const phx_stroke stroke = {.colour = COLOUR_AXIS, .width = scale};
    char text[512], raised[LABEL_SIZE];
    for (int i = 0; i < area->x.n_ticks; i++) {
        const double x = area->left + area->width * (area->x.ticks[i] - area->x.low) / (area->x.high - area->x.low);
        const char *behind = tick_label(&area->x, area->x.ticks[i], text, raised);
        chart_draw_put_text(drawing, x, bottom + 17.0 * scale, &letters, text, behind);
    }
    phx_pen_segment(&drawing->pen, area->left, bottom, right, bottom, &stroke);
    snprintf(text, sizeof text, "%s%s", label, area->x.exponent ? " \xC3\x97 10" : "");
    integer_label(raised, sizeof raised, area->x.exponent);
    const phx_fitted name = phx_draw_fit(drawing, text, letters.size, false, area->width);
    chart_draw_put_text(drawing, area->left + 0.5 * area->width, bottom + 34.0 * scale, &letters, name.text,
                        area->x.exponent ? raised : NULL);
}

static void put_y_axis(phx_drawing *drawing, const phx_area *area)
{
    const double scale = drawing->scale, bottom = area->top + area->height;
    const phx_letters letters = {.size = 12.0 * scale, .anchor = PHX_ANCHOR_END};
    const phx_stroke stroke = {.colour = COLOUR_AXIS, .width = scale};
    char text[LABEL_SIZE], raised[LABEL_SIZE];
    for (int i = 0; i < area->y.n_ticks; i++) {
        const double y = bottom - area->height * (area->y.ticks[i] - area->y.low) / (area->y.high - area->y.low);
        const char *behind = tick_label(&area->y, area->y.ticks[i], text, raised);
        chart_draw_put_text(drawing, area->left - 7.0 * scale, y + 4.0 * scale, &letters, text, behind);
    }
    phx_pen_segment(&drawing->pen, area->left, area->top, area->left, bottom, &stroke);
}

/* ---- lines ---- */
static phx_stroke stroke_of(const phx_drawing *drawing, const phx_line *line, double width)
{
    const double scale = drawing->scale;
    phx_stroke stroke = {
        .colour = COLOUR_GUIDE, .width = width * scale, .dash = 1, .scale = 0.7 * scale, .fill = line->filled};
    if (line->guide)
        return stroke;
    if (line->shade) {
        const double dark = line->shade / 256.0;
        const unsigned red = (unsigned)(200.0 - 192.0 * dark), green = (unsigned)(216.0 - 168.0 * dark),
                       blue = (unsigned)(232.0 - 125.0 * dark);
        stroke.colour = drawing->grey ? (unsigned)(208.0 - 208.0 * dark) * 0x010101u : red << 16 | green << 8 | blue;
        stroke.scale = 0.0;
        return stroke;
    }
    stroke.colour = drawing->grey ? greys[line->colour % GREYS] : palette[line->colour % PALETTE];
    stroke.dash = (line->dash ? line->dash - 1 : line->colour) % PHX_DASHES;
    stroke.scale = scale;
    return stroke;
}

/* Draws a line as one path, broken at points that are not shown; points closer than 0.1 pixel are left out. */
static void put_line(phx_drawing *drawing, const phx_area *area, const phx_line *line)
{
    const phx_stroke stroke = stroke_of(drawing, line, line->guide ? 0.8 : 1.6);
    bool open = false;
    long last_x = 0, last_y = 0;
    phx_pen_begin(&drawing->pen, &stroke);
    for (size_t i = 0; i < line->count; i++) {
        if (!is_shown(line, i)) {
            open = false;
            continue;
        }
        const double x = place_x(area, line->x[i]), y = place_y(area, line->y[i]);
        const long x10 = lround(10.0 * x), y10 = lround(10.0 * y);
        if (open && x10 == last_x && y10 == last_y)
            continue;
        phx_pen_move(&drawing->pen, x, y, open);
        open = true;
        last_x = x10;
        last_y = y10;
    }
    phx_pen_end(&drawing->pen);
}

/* The label of a guide, at its last point. */
static void put_guide_label(phx_drawing *drawing, const phx_area *area, const phx_line *line)
{
    const double scale = drawing->scale;
    const phx_letters letters = {.size = 10.0 * scale, .colour = 0x808080};
    size_t last = line->count;
    while (last > 0 && !is_shown(line, last - 1))
        last--;
    if (last > 0 && line->label)
        chart_draw_put_text(drawing, fmin(place_x(area, line->x[last - 1]), area->left + area->width) + 3.0 * scale,
                            place_y(area, line->y[last - 1]) + 4.0 * scale, &letters, line->label, NULL);
}

static void put_markers(phx_drawing *drawing, const phx_area *area, const phx_line *line)
{
    const phx_stroke stroke = stroke_of(drawing, line, 1.0);
    for (size_t i = 0; i < line->count; i++)
        if (is_shown(line, i))
            phx_pen_disc(&drawing->pen, place_x(area, line->x[i]), place_y(area, line->y[i]), 2.2 * drawing->scale,
                         stroke.colour);
}

static void put_cross(phx_pen *pen, double x, double y, double arm)
{
    for (int side = -1; side < 2; side += 2) {
        phx_pen_move(pen, x - arm, y - side * arm, false);
        phx_pen_move(pen, x + arm, y + side * arm, true);
    }
}

static void put_crosses(phx_drawing *drawing, const phx_area *area, const phx_line *line)
{
    phx_stroke stroke = stroke_of(drawing, line, 1.6);
    stroke.scale = 0.0;
    phx_pen_begin(&drawing->pen, &stroke);
    for (size_t i = 0; i < line->count; i++)
        if (is_shown(line, i))
            put_cross(&drawing->pen, place_x(area, line->x[i]), place_y(area, line->y[i]), CROSS * drawing->scale);
    phx_pen_end(&drawing->pen);
}

/* ---- legend ---- */

/* A piece of the line, or the cross of its points. */
static void put_mark(const phx_drawing *drawing, phx_pen *pen, const phx_line *line, double x, double y)
{
    phx_stroke stroke = stroke_of(drawing, line, line->points ? 1.6 : 2.0);
    stroke.scale = line->points ? 0.0 : stroke.scale;
    stroke.width = line->filled ? 9.0 * drawing->scale : stroke.width; /* a bar in the legend */
    stroke.fill = false;
    phx_pen_begin(pen, &stroke);
    if (line->points) {
        put_cross(pen, x + 0.5 * LEGEND_MARK * drawing->scale, y, CROSS * drawing->scale);
    } else {
        phx_pen_move(pen, x, y, false);
        phx_pen_move(pen, x + LEGEND_MARK * drawing->scale, y, true);
    }
    phx_pen_end(pen);
}

/* Draws the legend under `top`, or only counts its rows when `pen` is NULL. */
static int put_legend(const phx_drawing *drawing, const phx_panel *panel, double width, phx_pen *pen, double left,
                      double top)
{
    const double scale = drawing->scale;
    const phx_letters letters = {.size = 12.0 * scale};
    double at = width;
    int rows = 0;
    for (int k = 0; k < panel->n_lines; k++) {
        const phx_line *line = &panel->lines[k];
        if (!line->label || line->guide || panel->once)
            continue;
        const phx_fitted label =
            phx_draw_fit(drawing, line->label, letters.size, false, width - (LEGEND_MARK + 6) * scale);
        const double text = phx_ruler_width(drawing->ruler, label.text, NULL, letters.size, false);
        if (rows == 0 || at + (LEGEND_MARK + 6) * scale + text > width) {
            rows++;
            at = 0.0;
        }
        if (pen) {
            const double y = top + (PHX_LEGEND_HEIGHT * rows - 8.0) * scale;
            put_mark(drawing, pen, line, left + at, y);
            phx_pen_text(pen, left + at + (LEGEND_MARK + 6) * scale, y + 4.0 * scale, &letters, label.text, NULL);
        }
        at += text + (LEGEND_MARK + 6 + LEGEND_GAP) * scale;
    }
    return rows;
}

int phx_draw_legend_rows(const phx_drawing *drawing, const phx_panel *panel, double width)
{
    return put_legend(drawing, panel, width, NULL, 0.0, 0.0);
}

/* ---- panels ---- */
static void put_title(phx_drawing *drawing, const phx_panel *panel, const phx_area *area, double y)
{
    const phx_letters letters = {.size = 12.0 * drawing->scale, .bold = true};
    char text[512], raised[LABEL_SIZE];
    const bool power = !panel->pattern && area->y.exponent;
    snprintf(text, sizeof text, "%s%s", panel->title, power ? " \xC3\x97 10" : "");
    integer_label(raised, sizeof raised, area->y.exponent);
    const phx_fitted title = phx_draw_fit(drawing, text, letters.size, true, area->width + 10.0 * drawing->scale);
    chart_draw_put_text(drawing, area->left, y, &letters, title.text, power ? raised : NULL);
}

/* Draws the lines of a panel, or crosses for scattered points, with markers and labels of guides. */
static void put_content(phx_drawing *drawing, const phx_panel *panel, const phx_area *area)
{
    for (int k = 0; k < panel->n_lines; k++) {
        const phx_line *line = &panel->lines[k];
        if ((panel->scattered || line->points) && !line->guide) {
            put_crosses(drawing, area, line);
            continue;
        }
        put_line(drawing, area, line);
        if (line->guide)
            put_guide_label(drawing, area, line);
        else if (panel->markers && line->count <= MOST_MARKERS)
            put_markers(drawing, area, line);
    }
}

/* Draws title, legend, grid, axes and content of a panel, or its matrix pattern, as one group. */
void phx_draw_panel(phx_drawing *drawing, const phx_panel *panel, const phx_area *area, double head)
{
    const double top = area->top - head, scale = drawing->scale;
    phx_pen_group(&drawing->pen, true);
    put_title(drawing, panel, area, top + 20.0 * scale);
    put_legend(drawing, panel, area->width, &drawing->pen, area->left, top + (PHX_TITLE_HEIGHT - 4.0) * scale);
    if (panel->pattern) {
        phx_draw_pattern(drawing, panel->pattern, area);
    } else {
        put_grid(drawing, area, &area->x, true);
        put_grid(drawing, area, &area->y, false);
        put_x_axis(drawing, area, panel->x_label);
        put_y_axis(drawing, area);
        put_content(drawing, panel, area);
    }
    phx_pen_group(&drawing->pen, false);
}
