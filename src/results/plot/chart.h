/* Charts of lines and of the patterns of matrices; private to the layer results. */
#ifndef PHX_RESULTS_CHART_H
#define PHX_RESULTS_CHART_H

#include "results/store/output.h"
#include "results/results.h"

enum { PHX_CHART_BLACK = 6 }; /* the palette's black */

typedef struct phx_line {
    char *label; /* NULL: not in the legend */
    int colour;  /* index into the palette and the dashes, from 0 */
    int dash;    /* 0: the dashes of the colour; k: dashes k - 1 */
    int shade;   /* 0: the palette; 1 to 256: from light to dark grey instead */
    bool guide;  /* thin and grey, without markers, its label at its end */
    bool filled; /* closed polygons, filled in its shade */
    bool points; /* only the points are drawn, as crosses */
    size_t count;
    double *x, *y; /* a y that is not finite breaks the line */
} phx_line;

/* A range of rows or columns with a common name. */
typedef struct phx_band {
    char *label;
    int end; /* its last row or column and one; it begins where the one before ends */
} phx_band;

/* The pattern of a matrix: rows downward, columns to the right; each entry that is not zero is a square. */
typedef struct phx_pattern {
    int rows, cols;
    size_t count; /* entries */
    int *row, *col;
    double *value;
    int n_row_bands, n_col_bands;
    phx_band *row_bands, *col_bands;
} phx_pattern;

typedef struct phx_panel {
    char *title; /* with the unit */
    char *x_label;
    bool logarithmic;   /* |y| on a logarithmic scale; zeros lie on the lower edge */
    bool equal;         /* one scale for both axes */
    bool x_logarithmic; /* the same of x */
    bool markers;       /* points are marked */
    bool degrees;       /* y are degrees */
    bool scattered;     /* only the points are drawn, as crosses */
    bool integers;      /* ticks of x at integers only */
    bool once;          /* without a legend: the panel before has the same lines */
    int decades;        /* the most that a logarithmic scale of y shows; 0: as many as an axis can */
    int n_lines;
    phx_line *lines;
    phx_pattern *pattern; /* instead of lines */
} phx_panel;

typedef struct phx_chart {
    phx_context *context;
    char *title, *subtitle;
    int n_panels;
    phx_panel *panels;
    phx_page page; /* zero: as the contents need it */
} phx_chart;

phx_status phx_chart_create(phx_context *context, const char *title, const char *subtitle, phx_chart *chart);
void phx_chart_free(phx_chart *chart);
/* A panel at the end; valid until the next is added. NULL when memory is out. */
phx_panel *phx_chart_add_panel(phx_chart *chart, const char *title, const char *x_label);
/* A line with room for `count` points. NULL when memory is out. */
phx_line *phx_panel_add_line(phx_chart *chart, phx_panel *panel, const char *label, size_t count);
/* A panel with the pattern of a matrix; the entries are for the caller to fill. */
phx_pattern *phx_chart_add_pattern(phx_chart *chart, const char *title, int rows, int cols, size_t count);
/* The next band of the rows or of the columns. */
phx_status phx_pattern_add_band(phx_chart *chart, phx_pattern *pattern, bool of_rows, const char *label, int end);
/* Draw the chart. The ending of the path says whether as SVG, PDF or PNG, unless the page does. */
phx_status phx_chart_write(const phx_chart *chart, const char *path);
/* The <svg> element alone, as part of a page; a failure sticks to the output. */
void phx_chart_put(phx_output *out, const phx_chart *chart);

/* ---- axes ---- */
enum { PHX_TICKS = 16 };
typedef struct phx_axis {
    bool logarithmic;
    double low, high; /* shown range; logarithmic: exponents of ten */
    int n_ticks;
    double ticks[PHX_TICKS]; /* within the range; logarithmic: exponents of ten */
    int exponent;            /* labels are ticks / 10^exponent */
    int decimals;
} phx_axis;

/* The values that an axis has to show. */
typedef struct phx_range {
    double low, high; /* low > high: there are none */
    double smallest;  /* of |values| that are not zero; 0: none */
} phx_range;
phx_range phx_range_none(void);
void phx_range_add(phx_range *range, double value);
/* Ticks at 1, 2, 5 times powers of ten, about `wanted` of them; the range grows to the outer ticks when `grow` is set.
 */
phx_axis phx_axis_linear(phx_range range, int wanted, bool grow, bool integers);
/* The same at multiples of 15, 45, 90, 180 ... degrees; the range grows. */
phx_axis phx_axis_degrees(phx_range range, int wanted);
/* Ticks at powers of ten, `wanted` at most; the range grows to powers of ten when `grow` is set or it has not two. */
phx_axis phx_axis_logarithmic(phx_range range, int wanted, bool grow);
/* Place of a value on the axis, 0 at the lower and 1 at the upper end. */
double phx_axis_place(const phx_axis *axis, double value);

/* ---- thinning ---- */
/* Thins rows that come in blocks to at most 4 points for each of `buckets` groups of rows: first, smallest, largest,
 * last. */
typedef struct phx_thinner {
    size_t group; /* rows in a bucket */
    size_t seen;  /* rows in the bucket that is open */
    size_t row;
    double x[4], y[4];
    size_t at[4]; /* rows of first, smallest, largest, last */
    phx_line *line;
} phx_thinner;
size_t phx_thinner_room(size_t rows, size_t buckets); /* points the line must have room for */
phx_thinner phx_thinner_start(phx_line *line, size_t rows, size_t buckets);
void phx_thinner_add(phx_thinner *thinner, double x, double y);
void phx_thinner_end(phx_thinner *thinner);

#endif
