/* Pictures as PDF and PNG: the SVG drawn by librsvg on a surface of Cairo. */
#include "pen.h"

#include <loaded/cairo.h>
#include <loaded/rsvg.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

/* The format by its name, or by the ending of the path, in letters of any case. */
phx_status phx_picture_choose(phx_context *context, const char *path, const char *format, phx_picture *picture)
{
    static const char *const names[] = {"svg", "pdf", "png"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *word = format ? format : dot ? dot + 1 : "";
    for (int k = 0; k < (int)(sizeof names / sizeof *names); k++)
        if (!strcasecmp(names[k], word)) {
            *picture = (phx_picture)k;
            return PHX_OK;
        }
    if (format)
        return phx_fail(context, PHX_ERR_INPUT, "a picture is svg, pdf or png, not %s", phx_shown_text(format).text);
    return phx_fail(context, PHX_ERR_INPUT,
                    "%s: the ending of a picture's name is .svg, .pdf or .png; else say which format it has", path);
}

phx_status phx_picture_failed(phx_context *context, int error)
{
    if (error == CAIRO_STATUS_SUCCESS)
        return PHX_OK;
    if (error == CAIRO_STATUS_NO_MEMORY)
        return phx_fail(context, PHX_ERR_MEMORY, "out of memory while drawing");
    if (error == CAIRO_STATUS_INVALID_SIZE)
        return phx_fail(context, PHX_ERR_INPUT,
                        "the picture has too many pixels; give a smaller size or resolution, or another format");
    return phx_fail(context, PHX_ERR_FILE, "the picture cannot be drawn: %s",
                    cairo_status_to_string((cairo_status_t)error));
}

/* The picture on a white surface, a pixel of it `scale` units of the surface. */
static phx_status draw_picture(phx_context *context, const phx_output *svg, const phx_sheet *sheet,
                               cairo_surface_t *surface, double scale)
{
    const RsvgRectangle page = {0.0, 0.0, sheet->width, sheet->height};
    cairo_t *cairo = cairo_create(surface);
    void *bytes = g_memory_input_stream_new_from_data(svg->buffer, (ptrdiff_t)svg->used, NULL);
    RsvgHandle *picture = rsvg_handle_new_from_stream_sync(bytes, NULL, PHX_RSVG_UNLIMITED, NULL, NULL);
    phx_status status = PHX_OK;

    cairo_scale(cairo, scale, scale);
    cairo_set_source_rgb(cairo, 1.0, 1.0, 1.0);
    cairo_paint(cairo);
    if (!picture || !rsvg_handle_render_document(picture, cairo, &page, NULL))
        status = phx_fail(context, PHX_ERR_LIBRARY, "librsvg cannot draw the picture; take svg");
    cairo_show_page(cairo);
    const phx_status drawn = phx_picture_failed(context, cairo_status(cairo));
    if (picture)
        g_object_unref(picture);
    g_object_unref(bytes);
    cairo_destroy(cairo);
    return drawn ? drawn : status;
}

/* ---- PDF ---- */
static cairo_status_t write_pdf(void *closure, const unsigned char *bytes, unsigned count)
{
    phx_output_bytes(closure, (const char *)bytes, count);
    return CAIRO_STATUS_SUCCESS; /* the output keeps its failure */
}

/* The SVG as one page of PDF, three quarters of a point for each pixel, without a date. */
static phx_status make_pdf(phx_context *context, const phx_output *svg, const phx_sheet *sheet, phx_output *out)
{
    const double points = 0.75; /* in a pixel */
    char *title = phx_utf8_cleaned(context, sheet->title);
    if (!title)
        return PHX_ERR_MEMORY;
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(write_pdf, out, points * sheet->width, points * sheet->height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, ""); /* equal pictures are equal files */
    phx_free(title);
    phx_status status = draw_picture(context, svg, sheet, surface, points);
    cairo_surface_finish(surface);
    if (!status)
        status = phx_picture_failed(context, cairo_surface_status(surface));
    cairo_surface_destroy(surface);
    return status;
}

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

typedef struct png_file {
    phx_output *out;
    double resolution;
    size_t written;
} png_file;

/* Cairo's bytes, with the size of a pixel behind the head. */
static cairo_status_t write_png(void *closure, const unsigned char *bytes, unsigned count)
{
    png_file *file = closure;
    const size_t head = file->written < PNG_HEAD ? PNG_HEAD - file->written : 0;
    const unsigned before = head < count ? (unsigned)head : count;
    phx_output_bytes(file->out, (const char *)bytes, before);
    file->written += count;
    if (head > 0 && file->written >= PNG_HEAD) {
        unsigned char chunk[CHUNK];
        make_size_chunk(file->resolution, chunk);
        phx_output_bytes(file->out, (const char *)chunk, CHUNK);
    }
    phx_output_bytes(file->out, (const char *)bytes + before, count - before);
    return CAIRO_STATUS_SUCCESS;
}

/* The SVG as PNG in the resolution of the sheet; PHX_ERR_INPUT if it exceeds the size that Cairo can address. */
static phx_status make_png(phx_context *context, const phx_output *svg, const phx_sheet *sheet, phx_output *out)
{
    const double scale = sheet->resolution / 96.0;
    const double width = ceil(scale * sheet->width - 0.01), height = ceil(scale * sheet->height - 0.01);
    png_file file = {.out = out, .resolution = sheet->resolution};

    if (!(width <= 32767.0 && height <= 32767.0)) /* Cairo's coordinates */
        return phx_fail(context, PHX_ERR_INPUT,
                        "the picture would have %.0f x %.0f pixels, 32767 is the most each way; give a smaller "
                        "resolution or size, or take svg or pdf",
                        width, height);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    phx_status status = draw_picture(context, svg, sheet, surface, scale);
    if (!status)
        status = phx_picture_failed(context, cairo_surface_write_to_png_stream(surface, write_png, &file));
    cairo_surface_destroy(surface);
    return status;
}

phx_status phx_picture_render(phx_context *context, const phx_output *svg, const phx_sheet *sheet, phx_picture picture,
                              phx_output *out)
{
    if (phx_load_cairo(context) || phx_load_rsvg(context))
        return PHX_ERR_LIBRARY;
    return picture == PHX_PICTURE_PDF ? make_pdf(context, svg, sheet, out) : make_png(context, svg, sheet, out);
}
