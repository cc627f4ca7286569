/* The measuring of texts, with Cairo. */
#include "pen.h"

#include <loaded/cairo.h>
#include <string.h>

/* Letters as wide as Helvetica's, which SVG asks for, and a font with most of what they lack. */
static const char *const families[] = {"Liberation Sans", "DejaVu Sans"};
enum { FAMILIES = sizeof families / sizeof *families };

struct phx_ruler {
    cairo_surface_t *surface;
    cairo_t *cairo;
};

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

static double text_width(cairo_t *cairo, const char *text, double size, bool bold)
{
    double width = 0.0;
    while (*text) {
        char piece[PHX_UTF8_SIZE];
        const char *shown = NULL;
        cairo_text_extents_t extents;
        text = next_piece(cairo, text, size, bold, piece, &shown);
        cairo_text_extents(cairo, shown, &extents);
        width += extents.x_advance;
    }
    return width;
}

/* Prepares Cairo to measure texts without hinting; PHX_ERR_LIBRARY if Cairo is not installed. */
phx_status phx_ruler_create(phx_context *context, phx_ruler **ruler)
{
    if (phx_load_cairo(context))
        return PHX_ERR_LIBRARY;
    phx_ruler *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    made->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    made->cairo = cairo_create(made->surface);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(made->cairo, options);
    cairo_font_options_destroy(options);
    const phx_status status = phx_picture_failed(context, cairo_status(made->cairo));
    if (status)
        phx_ruler_destroy(made);
    else
        *ruler = made;
    return status;
}

void phx_ruler_destroy(phx_ruler *ruler)
{
    if (ruler) {
        cairo_destroy(ruler->cairo);
        cairo_surface_destroy(ruler->surface);
    }
    phx_free(ruler);
}

double phx_ruler_width(phx_ruler *ruler, const char *text, const char *raised, double size, bool bold)
{
    return text_width(ruler->cairo, text, size, bold) +
           (raised ? text_width(ruler->cairo, raised, PHX_RAISED_SIZE * size, bold) : 0.0);
}
