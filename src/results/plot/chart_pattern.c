/* Drawing the pattern of a matrix: a square for each entry, and the names of its blocks. */
#include "chart_draw.h"

#include <math.h>
#include <string.h>

unsigned phx_pattern_colour(bool grey, bool negative)
{
    return grey ? (negative ? 0xA0A0A0 : 0x000000) : negative ? 0xE69F00 : 0x004C86;
}

/* ---- names ---- */
static const phx_band *bands_of(const phx_pattern *pattern, bool of_rows, int *count)
{
    *count = of_rows ? pattern->n_row_bands : pattern->n_col_bands;
    return of_rows ? pattern->row_bands : pattern->col_bands;
}

double phx_pattern_margin(const phx_drawing *drawing, const phx_pattern *pattern, bool of_rows)
{
    int count;
    double widest = 0.0;
    const phx_band *bands = bands_of(pattern, of_rows, &count);
    for (int k = 0; k < count; k++)
        widest = fmax(widest, phx_ruler_width(drawing->ruler, bands[k].label, NULL, 10.0 * drawing->scale, false));
    return widest + (widest > 0.0 ? 10.0 : 4.0) * drawing->scale;
}

/* Lines between the blocks and their names, those that have room: rows at the left, columns above, upward. */
static void put_bands(phx_drawing *drawing, const phx_pattern *pattern, const phx_area *area, bool of_rows)
{
    const double scale = drawing->scale, cell = area->width / (pattern->cols ? pattern->cols : 1);
    const phx_stroke stroke = {.colour = 0xB8B8B8, .width = 0.8 * scale};
    const phx_letters letters = {
        .size = 10.0 * scale, .anchor = of_rows ? PHX_ANCHOR_END : PHX_ANCHOR_START, .upward = !of_rows};
    const double right = area->left + area->width, bottom = area->top + area->height;
    int count, start = 0;
    double free_from = -HUGE_VAL;
    const phx_band *bands = bands_of(pattern, of_rows, &count);
    for (int k = 0; k < count; start = bands[k++].end) {
        const double end = cell * bands[k].end, middle = 0.5 * cell * (start + bands[k].end);
        if (of_rows && k + 1 < count)
            phx_pen_segment(&drawing->pen, area->left, area->top + end, right, area->top + end, &stroke);
        else if (k + 1 < count)
            phx_pen_segment(&drawing->pen, area->left + end, area->top, area->left + end, bottom, &stroke);
        if (middle < free_from)
            continue;
        const double x = of_rows ? area->left - 6.0 * scale : area->left + middle + 3.5 * scale;
        const double y = of_rows ? area->top + middle + 3.5 * scale : area->top - 6.0 * scale;
        phx_pen_text(&drawing->pen, x, y, &letters, bands[k].label, NULL);
        free_from = middle + 11.0 * scale;
    }
}

/* ---- entries ---- */

/* Squares of one sign; entries that share a square are drawn once. */
static void chart_pattern_put_cells(phx_drawing *drawing, const phx_pattern *pattern, const phx_area *area,
                                    bool negative)
{
    const int larger = pattern->rows > pattern->cols ? pattern->rows : pattern->cols;
    const int shared = (larger + PHX_PATTERN_CELLS - 1) / PHX_PATTERN_CELLS;
    const double entry = area->width / (pattern->cols ? pattern->cols : 1), cell = entry * shared;
    const double size = fmax(cell > 3.0 * drawing->scale ? 0.86 * cell : cell, 0.9 * drawing->scale);
    const phx_stroke stroke = {.colour = phx_pattern_colour(drawing->grey, negative), .fill = true};
    unsigned char *seen = drawing->seen;
    memset(seen, 0, (size_t)PHX_PATTERN_CELLS * PHX_PATTERN_CELLS);
    phx_pen_begin(&drawing->pen, &stroke);
    for (size_t k = 0; k < pattern->count; k++) {
        const int row = pattern->row[k] / shared, col = pattern->col[k] / shared;
        if (!(negative ? pattern->value[k] < 0.0 : pattern->value[k] > 0.0) || seen[row * PHX_PATTERN_CELLS + col])
            continue;
        seen[row * PHX_PATTERN_CELLS + col] = 1;
        phx_pen_box(&drawing->pen, area->left + cell * (col + 0.5) - 0.5 * size,
                    area->top + cell * (row + 0.5) - 0.5 * size, size, size);
    }
    phx_pen_end(&drawing->pen);
}

void phx_draw_pattern(phx_drawing *drawing, const phx_pattern *pattern, const phx_area *area)
{
    const phx_stroke frame = {.colour = 0x555555, .width = drawing->scale};
    put_bands(drawing, pattern, area, true);
    put_bands(drawing, pattern, area, false);
    chart_pattern_put_cells(drawing, pattern, area, false);
    chart_pattern_put_cells(drawing, pattern, area, true);
    phx_pen_begin(&drawing->pen, &frame);
    phx_pen_box(&drawing->pen, area->left, area->top, area->width, area->height);
    phx_pen_move(&drawing->pen, area->left, area->top, true);
    phx_pen_end(&drawing->pen);
}
