/* Pictures as PDF and PNG, and the measuring of texts, with Cairo. */
#include "pen.h"

#include <loaded/cairo.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

/* Letters as wide as Helvetica's, which SVG asks for, and a font with most of what they lack. */
static const char *const families[] = {"Liberation Sans", "DejaVu Sans"};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct phx_canvas {
    cairo_surface_t *surface;
    cairo_t *cairo;
} phx_canvas;

struct phx_ruler {
    phx_canvas canvas;
};

/* ---- canvases ---- */
static phx_status cairo_failed(phx_context *context, cairo_status_t error)
{
    if (error == CAIRO_STATUS_SUCCESS)
        return PHX_OK;
    if (error == CAIRO_STATUS_NO_MEMORY)
        return phx_fail(context, PHX_ERR_MEMORY, "out of memory while drawing");
    if (error == CAIRO_STATUS_INVALID_SIZE)
        return phx_fail(context, PHX_ERR_INPUT,
                        "the picture has too many pixels; give a smaller size or resolution, or another format");
    return phx_fail(context, PHX_ERR_FILE, "the picture cannot be drawn: %s", cairo_status_to_string(error));
}

static phx_status canvas_open(phx_context *context, cairo_surface_t *surface, phx_canvas *canvas)
{
    *canvas = (phx_canvas){.surface = surface, .cairo = cairo_create(surface)};
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas->cairo, options);
    cairo_font_options_destroy(options);
    return cairo_failed(context, cairo_status(canvas->cairo));
}

static void canvas_close(phx_canvas *canvas)
{
    if (canvas->cairo)
        cairo_destroy(canvas->cairo);
    if (canvas->surface)
        cairo_surface_destroy(canvas->surface);
    *canvas = (phx_canvas){0};
}

/* ---- texts ---- */
static void choose_font(cairo_t *cairo, int family, double size, bool bold)
{
    cairo_select_font_face(cairo, families[family], CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

/* The chosen font has every character of the text. */
static bool has_glyphs(cairo_t *cairo, const char *text)
{
    cairo_glyph_t *glyphs = NULL;
    int count = 0;
    bool all = true;
    if (cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(cairo), 0.0, 0.0, text, -1, &glyphs, &count, NULL, NULL,
                                         NULL) != CAIRO_STATUS_SUCCESS)
        return false;
    for (int k = 0; k < count; k++)
        all = all && glyphs[k].index != 0;
    cairo_glyph_free(glyphs);
    return all;
}

/* The next piece of a text that one font has: at best all of it, else a character. Returns what follows. */
static const char *next_piece(cairo_t *cairo, const char *text, double size, bool bold, char piece[PHX_UTF8_SIZE],
                              const char **shown)
{
    choose_font(cairo, 0, size, bold);
    *shown = text;
    if (phx_utf8_is_plain(text) && has_glyphs(cairo, text))
        return text + strlen(text);
    const char *next = phx_utf8_next(text, piece);
    int family = 0;
    while (family + 1 < FAMILIES && !has_glyphs(cairo, piece))
        choose_font(cairo, ++family, size, bold);
    *shown = piece;
    return next;
}

/* Shows the text from the current point, which moves behind it, or only adds up its width. */
static double run_text(cairo_t *cairo, const char *text, double size, bool bold, bool show)
{
    double width = 0.0;
    while (*text) {
        char piece[PHX_UTF8_SIZE];
        const char *shown = NULL;
        cairo_text_extents_t extents;
        text = next_piece(cairo, text, size, bold, piece, &shown);
        cairo_text_extents(cairo, shown, &extents);
        width += extents.x_advance;
        if (show)
            cairo_show_text(cairo, shown);
    }
    return width;
}

phx_status phx_ruler_create(phx_context *context, phx_ruler **ruler)
{
    if (phx_load_cairo(context)) /* the pens too draw with a ruler only */
        return PHX_ERR_LIBRARY;
    phx_ruler *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    const phx_status status = canvas_open(context, cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), &made->canvas);
    if (status)
        phx_ruler_destroy(made);
    else
        *ruler = made;
    return status;
}

void phx_ruler_destroy(phx_ruler *ruler)
{
    if (ruler)
        canvas_close(&ruler->canvas);
    phx_free(ruler);
}

double phx_ruler_width(phx_ruler *ruler, const char *text, const char *raised, double size, bool bold)
{
    return run_text(ruler->canvas.cairo, text, size, bold, false) +
           (raised ? run_text(ruler->canvas.cairo, raised, PHX_RAISED_SIZE * size, bold, false) : 0.0);
}

/* ---- drawing ---- */
static void set_colour(cairo_t *cairo, unsigned colour)
{
    cairo_set_source_rgb(cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
}

static phx_status open_page(phx_pen *pen, cairo_surface_t *surface, double scale)
{
    pen->canvas = phx_calloc(pen->context, 1, sizeof *pen->canvas);
    if (!pen->canvas) {
        cairo_surface_destroy(surface);
        return PHX_ERR_MEMORY;
    }
    const phx_status status = canvas_open(pen->context, surface, pen->canvas);
    cairo_scale(pen->canvas->cairo, scale, scale);
    set_colour(pen->canvas->cairo, 0xFFFFFF);
    cairo_paint(pen->canvas->cairo);
    return status;
}

static void canvas_group(phx_pen *pen, bool start)
{
    (void)pen;
    (void)start;
}

static void canvas_begin(phx_pen *pen, const phx_stroke *stroke)
{
    cairo_t *cairo = pen->canvas->cairo;
    double parts[PHX_DASH_PARTS];
    const int count = stroke->scale > 0.0 ? phx_dash(stroke->dash, parts) : 0;
    for (int k = 0; k < count; k++)
        parts[k] *= stroke->scale;
    pen->stroke = *stroke;
    set_colour(cairo, stroke->colour);
    cairo_set_line_width(cairo, stroke->width);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(cairo, parts, count, 0.0);
    cairo_new_path(cairo);
}

static void canvas_move(phx_pen *pen, double x, double y, bool draw)
{
    (draw ? cairo_line_to : cairo_move_to)(pen->canvas->cairo, x, y);
}

static void canvas_end(phx_pen *pen)
{
    (pen->stroke.fill ? cairo_fill : cairo_stroke)(pen->canvas->cairo);
}

static void canvas_segment(phx_pen *pen, double x1, double y1, double x2, double y2, const phx_stroke *stroke)
{
    canvas_begin(pen, stroke);
    canvas_move(pen, x1, y1, false);
    canvas_move(pen, x2, y2, true);
    canvas_end(pen);
}

static void canvas_disc(phx_pen *pen, double x, double y, double radius, unsigned colour)
{
    const double turn = 6.283185307179586476925286766559;
    set_colour(pen->canvas->cairo, colour);
    cairo_new_path(pen->canvas->cairo);
    cairo_arc(pen->canvas->cairo, x, y, radius, 0.0, turn);
    cairo_fill(pen->canvas->cairo);
}

static void canvas_text(phx_pen *pen, double x, double y, const phx_letters *letters, const char *text,
                        const char *raised)
{
    static const double before[] = {0.0, 0.5, 1.0}; /* share of the width before the point */
    const double quarter = 1.5707963267948966192313216916398;
    cairo_t *cairo = pen->canvas->cairo;
    const double width = phx_ruler_width(pen->ruler, text, raised, letters->size, letters->bold);
    cairo_save(cairo);
    set_colour(cairo, letters->colour ? letters->colour : 0x222222);
    cairo_translate(cairo, x, y);
    if (letters->upward)
        cairo_rotate(cairo, -quarter);
    cairo_move_to(cairo, -before[letters->anchor] * width, 0.0);
    run_text(cairo, text, letters->size, letters->bold, true);
    if (raised) {
        cairo_rel_move_to(cairo, 0.0, -PHX_RAISED_BY * letters->size);
        run_text(cairo, raised, PHX_RAISED_SIZE * letters->size, letters->bold, true);
    }
    cairo_restore(cairo);
}

static void canvas_destroy(phx_pen *pen)
{
    if (pen->canvas)
        canvas_close(pen->canvas);
    phx_free(pen->canvas);
    pen->canvas = NULL;
}

/* ---- PDF ---- */
static cairo_status_t write_pdf(void *closure, const unsigned char *bytes, unsigned count)
{
    phx_pen *pen = closure;
    phx_output_bytes(pen->out, (const char *)bytes, count);
    return CAIRO_STATUS_SUCCESS; /* the output keeps its failure */
}

static phx_status pdf_open(phx_pen *pen, const phx_sheet *sheet)
{
    const double points = 0.75; /* in a pixel */
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(write_pdf, pen, points * sheet->width, points * sheet->height);
    char *title = phx_utf8_cleaned(pen->context, sheet->title);
    if (!title) {
        cairo_surface_destroy(surface);
        return PHX_ERR_MEMORY;
    }
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, ""); /* equal pictures are equal files */
    phx_free(title);
    return open_page(pen, surface, points);
}

static phx_status pdf_finish(phx_pen *pen)
{
    cairo_show_page(pen->canvas->cairo);
    cairo_surface_finish(pen->canvas->surface);
    const cairo_status_t error = cairo_status(pen->canvas->cairo);
    return cairo_failed(pen->context, error ? error : cairo_surface_status(pen->canvas->surface));
}

const phx_pen_type phx_pen_pdf = {pdf_open,       canvas_group, canvas_begin, canvas_move, canvas_end,
                                  canvas_segment, canvas_disc,  canvas_text,  pdf_finish,  canvas_destroy};

/* ---- PNG ---- */
enum { PNG_HEAD = 33, CHUNK = 21 }; /* signature and IHDR; pHYs */

static void put_big_endian(unsigned char *bytes, unsigned long value)
{
    for (int k = 0; k < 4; k++)
        bytes[k] = (unsigned char)(value >> (24 - 8 * k) & 255);
}

/* The chunk that tells the size of a pixel: pixels in a metre along x and y, and 1 for the metre. */
static void make_size_chunk(double resolution, unsigned char chunk[CHUNK])
{
    const unsigned long pixels = (unsigned long)lround(resolution / 0.0254);
    put_big_endian(chunk, 9);
    memcpy(chunk + 4, "pHYs", 4);
    put_big_endian(chunk + 8, pixels);
    put_big_endian(chunk + 12, pixels);
    chunk[16] = 1;
    put_big_endian(chunk + 17, crc32(0, chunk + 4, 13));
}

/* Cairo's bytes, with the size of a pixel behind the head. */
static cairo_status_t write_png(void *closure, const unsigned char *bytes, unsigned count)
{
    phx_pen *pen = closure;
    const size_t head = pen->n_written < PNG_HEAD ? PNG_HEAD - pen->n_written : 0;
    const unsigned before = head < count ? (unsigned)head : count;
    phx_output_bytes(pen->out, (const char *)bytes, before);
    pen->n_written += count;
    if (head > 0 && pen->n_written >= PNG_HEAD) {
        unsigned char chunk[CHUNK];
        make_size_chunk(pen->sheet.resolution, chunk);
        phx_output_bytes(pen->out, (const char *)chunk, CHUNK);
    }
    phx_output_bytes(pen->out, (const char *)bytes + before, count - before);
    return CAIRO_STATUS_SUCCESS;
}

static phx_status png_open(phx_pen *pen, const phx_sheet *sheet)
{
    const double scale = sheet->resolution / 96.0;
    const double width = ceil(scale * sheet->width - 0.01), height = ceil(scale * sheet->height - 0.01);
    if (!(width <= 32767.0 && height <= 32767.0)) /* Cairo's coordinates */
        return phx_fail(pen->context, PHX_ERR_INPUT,
                        "the picture would have %.0f x %.0f pixels, 32767 is the most each way; give a smaller "
                        "resolution or size, or take svg or pdf",
                        width, height);
    return open_page(pen, cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height), scale);
}

static phx_status png_finish(phx_pen *pen)
{
    cairo_status_t error = cairo_status(pen->canvas->cairo);
    cairo_surface_flush(pen->canvas->surface);
    if (!error)
        error = cairo_surface_write_to_png_stream(pen->canvas->surface, write_png, pen);
    return cairo_failed(pen->context, error);
}

const phx_pen_type phx_pen_png = {png_open,       canvas_group, canvas_begin, canvas_move, canvas_end,
                                  canvas_segment, canvas_disc,  canvas_text,  png_finish,  canvas_destroy};
