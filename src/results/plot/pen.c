/* The writer of pictures: SVG in pixels with one decimal; texts stay texts. */
#include "pen.h"

#include <math.h>
#include <string.h>

enum { POINTS_OF_LINE = 16 };

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

/* As short as it can be. */
static void put_length(phx_output *out, double value)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_format(0.01 * rint(100.0 * value), 6, text);
    phx_output_text(out, text);
}

static void put_length_attribute(phx_output *out, const char *name, double value)
{
    phx_output_format(out, " %s=\"", name);
    put_length(out, value);
    phx_output_text(out, "\"");
}

/* Lengths of the parts of a dash, on and off in turn, at scale 1; returns how many. */
static int dash_parts(int dash, double parts[PHX_DASH_PARTS])
{
    static const struct {
        int count;
        double parts[PHX_DASH_PARTS];
    } dashes[PHX_DASHES] = {
        {0}, {2, {7, 3}}, {4, {8, 2.5, 1.8, 2.5}}, {2, {1.7, 2.6}}, {6, {8, 2.5, 1.8, 2.5, 1.8, 2.5}}};
    memcpy(parts, dashes[dash].parts, sizeof dashes[dash].parts);
    return dashes[dash].count;
}

/* Begins an SVG: size in pixels or for print in mm, fonts, title and a white background. */
void phx_pen_start(phx_output *out, const phx_sheet *sheet, phx_pen *pen)
{
    const double to_unit = sheet->print ? 1.0 / PHX_PIXELS_OF_MM : 1.0;
    const char *unit = sheet->print ? "mm\"" : "\"";

    *pen = (phx_pen){.out = out, .letters = sheet->letters};
    phx_output_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    put_length(out, to_unit * sheet->width);
    phx_output_format(out, "%s height=\"", unit);
    put_length(out, to_unit * sheet->height);
    phx_output_format(out, "%s viewBox=\"0 0 ", unit);
    put_length(out, sheet->width);
    phx_output_text(out, " ");
    put_length(out, sheet->height);
    phx_output_text(out, "\"");
    phx_output_format(out, " font-family=\"%s\"", sheet->fonts);
    put_length_attribute(out, "font-size", sheet->letters);
    phx_output_text(out, " fill=\"#222222\">");
    phx_output_line(out);
    phx_output_text(out, "<title>");
    phx_output_xml(out, sheet->title);
    phx_output_text(out, "</title>");
    phx_output_line(out);
    phx_output_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>");
    phx_output_line(out);
}

void phx_pen_group(phx_pen *pen, bool start)
{
    phx_output_text(pen->out, start ? "<g>" : "</g>");
    phx_output_line(pen->out);
}

/* Begins a path with fill or with colour, width and dashes of the stroke. */
void phx_pen_begin(phx_pen *pen, const phx_stroke *stroke)
{
    phx_output *out = pen->out;
    double parts[PHX_DASH_PARTS];
    const int count = stroke->scale > 0.0 ? dash_parts(stroke->dash, parts) : 0;
    if (stroke->fill) {
        phx_output_format(out, "<path fill=\"#%06X\"", stroke->colour);
    } else {
        phx_output_format(out, "<path fill=\"none\" stroke=\"#%06X\"", stroke->colour);
        put_length_attribute(out, "stroke-width", stroke->width);
        phx_output_text(out, " stroke-linejoin=\"round\"");
    }
    for (int k = 0; k < count; k++) {
        phx_output_text(out, k ? " " : " stroke-dasharray=\"");
        put_length(out, stroke->scale * parts[k]);
    }
    phx_output_text(out, count ? "\" d=\"" : " d=\"");
    pen->in_line = 0;
}

void phx_pen_move(phx_pen *pen, double x, double y, bool draw)
{
    if (pen->in_line == POINTS_OF_LINE) {
        phx_output_line(pen->out);
        pen->in_line = 0;
    }
    pen->in_line++;
    phx_output_text(pen->out, draw ? "L" : "M");
    put_coordinate(pen->out, x);
    phx_output_text(pen->out, " ");
    put_coordinate(pen->out, y);
}

void phx_pen_end(phx_pen *pen)
{
    phx_output_text(pen->out, "\"/>");
    phx_output_line(pen->out);
}

void phx_pen_segment(phx_pen *pen, double x1, double y1, double x2, double y2, const phx_stroke *stroke)
{
    phx_output_text(pen->out, "<line");
    put_attribute(pen->out, "x1", x1);
    put_attribute(pen->out, "y1", y1);
    put_attribute(pen->out, "x2", x2);
    put_attribute(pen->out, "y2", y2);
    phx_output_format(pen->out, " stroke=\"#%06X\"", stroke->colour);
    if (stroke->width != 1.0)
        put_length_attribute(pen->out, "stroke-width", stroke->width);
    phx_output_text(pen->out, "/>");
    phx_output_line(pen->out);
}

void phx_pen_disc(phx_pen *pen, double x, double y, double radius, unsigned colour)
{
    phx_output_text(pen->out, "<circle");
    put_attribute(pen->out, "cx", x);
    put_attribute(pen->out, "cy", y);
    put_length_attribute(pen->out, "r", radius);
    phx_output_format(pen->out, " fill=\"#%06X\"/>", colour);
    phx_output_line(pen->out);
}

/* Writes text at (x, y), upright or turned by 90 degrees, with an optional raised part. */
void phx_pen_text(phx_pen *pen, double x, double y, const phx_letters *letters, const char *text, const char *raised)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    phx_output *out = pen->out;
    phx_output_text(out, "<text");
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    phx_output_text(out, anchors[letters->anchor]);
    if (letters->size != pen->letters)
        put_length_attribute(out, "font-size", letters->size);
    if (letters->bold)
        phx_output_text(out, " font-weight=\"bold\"");
    if (letters->colour)
        phx_output_format(out, " fill=\"#%06X\"", letters->colour);
    if (letters->upward) {
        phx_output_text(out, " transform=\"rotate(-90 ");
        put_coordinate(out, x);
        phx_output_text(out, " ");
        put_coordinate(out, y);
        phx_output_text(out, ")\"");
    }
    phx_output_text(out, ">");
    phx_output_xml(out, text);
    if (raised) {
        phx_output_text(out, "<tspan");
        put_length_attribute(out, "dy", -PHX_RAISED_BY * letters->size);
        put_length_attribute(out, "font-size", PHX_RAISED_SIZE * letters->size);
        phx_output_text(out, ">");
        phx_output_xml(out, raised);
        phx_output_text(out, "</tspan>");
    }
    phx_output_text(out, "</text>");
    phx_output_line(out);
}

void phx_pen_finish(phx_pen *pen)
{
    phx_output_text(pen->out, "</svg>");
    phx_output_line(pen->out);
}

void phx_pen_box(phx_pen *pen, double x, double y, double width, double height)
{
    phx_pen_move(pen, x, y, false);
    phx_pen_move(pen, x + width, y, true);
    phx_pen_move(pen, x + width, y + height, true);
    phx_pen_move(pen, x, y + height, true);
}
