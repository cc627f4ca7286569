/* Drawing the panels of a chart; private to the charts. */
#ifndef PHX_RESULTS_CHART_DRAW_H
#define PHX_RESULTS_CHART_DRAW_H

#include "chart.h"
#include "pen.h"

/* Settings shared by the panels. Lengths are given for letters of 12 pixels and drawn `scale` times as large. */
typedef struct phx_drawing {
    phx_ruler *ruler;
    phx_pen pen;
    double scale;
    bool grey;
    unsigned char *seen; /* PHX_PATTERN_CELLS squared: squares of a pattern that are drawn */
} phx_drawing;
enum { PHX_PATTERN_CELLS = 400 }; /* squares each way: entries of larger matrices share them */

/* A panel on the page: the corner of its plot and its axes. */
typedef struct phx_area {
    double left, top, width, height;
    phx_axis x, y;
} phx_area;

enum {
    PHX_TITLE_HEIGHT = 30, /* of a panel */
    PHX_LEGEND_HEIGHT = 17,
    PHX_AXIS_HEIGHT = 44 /* tick labels and name of the x axis */
};

/* The axes of a panel for the width and height of its area; patterns have none. */
void phx_draw_make_axes(const phx_drawing *drawing, const phx_panel *panel, phx_area *area);
/* Ratio of height to width of the contents when both axes have one scale; 0: any ratio. */
double phx_draw_aspect(const phx_panel *panel);
/* Room that labels need beside the plot, left or right, and above it (names of columns). */
double phx_draw_margin(const phx_drawing *drawing, const phx_panel *panel, const phx_area *area, bool left);
double phx_draw_head(const phx_drawing *drawing, const phx_panel *panel);
/* A text at most `width` wide: a longer one ends in an ellipsis. */
typedef struct phx_fitted {
    char text[512];
} phx_fitted;
phx_fitted phx_draw_fit(const phx_drawing *drawing, const char *text, double size, bool bold, double width);
/* Rows of the legend for a plot of this width. */
int phx_draw_legend_rows(const phx_drawing *drawing, const phx_panel *panel, double width);
/* Title and legend stand above the plot, in `head` pixels of which the legend may take all but the title. */
void phx_draw_panel(phx_drawing *drawing, const phx_panel *panel, const phx_area *area, double head);

/* chart_pattern.c */
void phx_draw_pattern(phx_drawing *drawing, const phx_pattern *pattern, const phx_area *area);
double phx_pattern_margin(const phx_drawing *drawing, const phx_pattern *pattern, bool of_rows);
/* Colour of entries above and below zero. */
unsigned phx_pattern_colour(bool grey, bool negative);

#endif
