/* The pen, with which charts are drawn as SVG: paths, discs and texts; the measuring of texts; pictures as PDF and PNG
 * from SVG. Private to the layer results. Lengths are in pixels of 1/96 inch, y downward. */
#ifndef PHX_RESULTS_PEN_H
#define PHX_RESULTS_PEN_H

#include "results/store/output.h"
#include "results/results.h"

#define PHX_PIXELS_OF_MM 3.7795275590551181 /* 96/25.4 */

typedef struct phx_stroke {
    unsigned colour; /* 0xRRGGBB */
    double width;
    int dash;     /* 0: solid; up to PHX_DASHES - 1 */
    double scale; /* of the dashes; 0: solid */
    bool fill;    /* the inside, without a line */
} phx_stroke;
enum { PHX_DASHES = 5, PHX_DASH_PARTS = 6 };

typedef enum phx_anchor { PHX_ANCHOR_START, PHX_ANCHOR_MIDDLE, PHX_ANCHOR_END } phx_anchor;

typedef struct phx_letters {
    double size;
    phx_anchor anchor;
    bool bold;
    bool upward; /* turned by a quarter, read from below */
    unsigned colour;
} phx_letters;

/* ---- measuring (ruler.c) ---- */
typedef struct phx_ruler phx_ruler;
phx_status phx_ruler_create(phx_context *context, phx_ruler **ruler);
void phx_ruler_destroy(phx_ruler *ruler); /* NULL is allowed */
/* Width of a text of this size, `raised` (NULL: none) small and high behind it. */
double phx_ruler_width(phx_ruler *ruler, const char *text, const char *raised, double size, bool bold);
/* Raised text is this much smaller and higher, relative to the size of the text. */
#define PHX_RAISED_SIZE 0.75
#define PHX_RAISED_BY   0.42

/* ---- drawing (pen.c) ---- */
typedef struct phx_sheet {
    double width, height;
    double letters;    /* the usual size of letters */
    const char *fonts; /* families, the first that is there counts */
    bool print;        /* the size is given in millimetres */
    double resolution; /* of PNG, pixels in an inch */
    const char *title;
} phx_sheet;

typedef struct phx_pen {
    phx_output *out; /* keeps the first failure */
    double letters;
    int in_line; /* points on the line of the file */
} phx_pen;

/* The <svg> element, from its start to its end. */
void phx_pen_start(phx_output *out, const phx_sheet *sheet, phx_pen *pen);
void phx_pen_finish(phx_pen *pen);
void phx_pen_group(phx_pen *pen, bool start);
/* A path: begin, move, end. draw: a line from where the path is. */
void phx_pen_begin(phx_pen *pen, const phx_stroke *stroke);
void phx_pen_move(phx_pen *pen, double x, double y, bool draw);
void phx_pen_end(phx_pen *pen);
/* A rectangle as a part of a path. */
void phx_pen_box(phx_pen *pen, double x, double y, double width, double height);
void phx_pen_segment(phx_pen *pen, double x1, double y1, double x2, double y2, const phx_stroke *stroke); /* solid */
void phx_pen_disc(phx_pen *pen, double x, double y, double radius, unsigned colour);
void phx_pen_text(phx_pen *pen, double x, double y, const phx_letters *letters, const char *text, const char *raised);

/* ---- pictures (picture.c) ---- */
typedef enum phx_picture { PHX_PICTURE_SVG, PHX_PICTURE_PDF, PHX_PICTURE_PNG } phx_picture;
/* The format that `format` names ("svg", "pdf", "png"), or the ending of the path when it is NULL. PHX_ERR_INPUT for
 * another. */
phx_status phx_picture_choose(phx_context *context, const char *path, const char *format, phx_picture *picture);
/* An SVG element as PDF or PNG. */
phx_status phx_picture_render(phx_context *context, const phx_output *svg, const phx_sheet *sheet, phx_picture picture,
                              phx_output *out);
/* Cairo's report as a status. */
phx_status phx_picture_failed(phx_context *context, int error);

#endif
