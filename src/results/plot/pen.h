/* Pens, with which charts are drawn: paths, discs and texts on a page, as SVG, PDF or PNG; private to the layer
 * results.
 *
 * Lengths are in pixels of 1/96 inch, y downward. The page is a file that gets its name when the pen is closed. */
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
/* Lengths of the parts of a dash, on and off in turn, at scale 1; returns how many. */
int phx_dash(int dash, double parts[PHX_DASH_PARTS]);

typedef enum phx_anchor { PHX_ANCHOR_START, PHX_ANCHOR_MIDDLE, PHX_ANCHOR_END } phx_anchor;

typedef struct phx_letters {
    double size;
    phx_anchor anchor;
    bool bold;
    bool upward; /* turned by a quarter, read from below */
    unsigned colour;
} phx_letters;

/* ---- measuring ---- */
typedef struct phx_ruler phx_ruler;
phx_status phx_ruler_create(phx_context *context, phx_ruler **ruler);
void phx_ruler_destroy(phx_ruler *ruler); /* NULL is allowed */
/* Width of a text of this size, `raised` (NULL: none) small and high behind it. */
double phx_ruler_width(phx_ruler *ruler, const char *text, const char *raised, double size, bool bold);
/* Raised text is this much smaller and higher, relative to the size of the text. */
#define PHX_RAISED_SIZE 0.75
#define PHX_RAISED_BY   0.42

/* ---- drawing ---- */
typedef struct phx_sheet {
    double width, height;
    double letters;    /* the usual size of letters */
    bool print;        /* the size is given in millimetres */
    double resolution; /* of PNG, pixels in an inch */
    const char *title;
} phx_sheet;

typedef struct phx_pen phx_pen;

/* One output format. */
typedef struct phx_pen_type {
    phx_status (*open)(phx_pen *pen, const phx_sheet *sheet);
    void (*group)(phx_pen *pen, bool start);
    void (*begin)(phx_pen *pen, const phx_stroke *stroke);
    void (*move)(phx_pen *pen, double x, double y, bool draw); /* draw: a line from where the path is */
    void (*end)(phx_pen *pen);
    void (*segment)(phx_pen *pen, double x1, double y1, double x2, double y2, const phx_stroke *stroke); /* solid */
    void (*disc)(phx_pen *pen, double x, double y, double radius, unsigned colour);
    void (*text)(phx_pen *pen, double x, double y, const phx_letters *letters, const char *text, const char *raised);
    phx_status (*finish)(phx_pen *pen); /* the rest goes to the output */
    void (*destroy)(phx_pen *pen);
} phx_pen_type;
extern const phx_pen_type phx_pen_svg, phx_pen_pdf, phx_pen_png;

struct phx_pen {
    phx_context *context;
    const phx_pen_type *type;
    phx_output *out; /* the file, or the page that contains the picture */
    phx_output file;
    phx_sheet sheet;
    phx_ruler *ruler;          /* borrowed */
    struct phx_canvas *canvas; /* of PDF and PNG */
    phx_stroke stroke;
    int in_line;      /* points on the line of the SVG file */
    size_t n_written; /* bytes of the PNG file */
};

/* The output format that `format` names ("svg", "pdf", "png"), or the ending of the path when it is NULL.
 * PHX_ERR_INPUT for another. */
phx_status phx_pen_choose(phx_context *context, const char *path, const char *format, const phx_pen_type **type);
phx_status phx_pen_open(phx_context *context, const char *path, const phx_pen_type *type, const phx_sheet *sheet,
                        phx_ruler *ruler, phx_pen *pen);
/* An SVG element in an output that is open; closing the pen leaves the output open. */
phx_status phx_pen_embed(phx_output *out, const phx_sheet *sheet, phx_ruler *ruler, phx_pen *pen);
/* Finish the picture and give its file its name; returns the first failure, after which there is no file. */
phx_status phx_pen_close(phx_pen *pen);

/* A rectangle as a part of a path. */
void phx_pen_box(phx_pen *pen, double x, double y, double width, double height);

#endif
