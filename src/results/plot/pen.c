/* Pens: functions shared by the output formats. */
#include "pen.h"

#include <ctype.h>
#include <string.h>

int phx_dash(int dash, double parts[PHX_DASH_PARTS])
{
    static const struct {
        int count;
        double parts[PHX_DASH_PARTS];
    } dashes[PHX_DASHES] = {
        {0}, {2, {7, 3}}, {4, {8, 2.5, 1.8, 2.5}}, {2, {1.7, 2.6}}, {6, {8, 2.5, 1.8, 2.5, 1.8, 2.5}}};
    memcpy(parts, dashes[dash].parts, sizeof dashes[dash].parts);
    return dashes[dash].count;
}

static bool same_word(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

phx_status phx_pen_choose(phx_context *context, const char *path, const char *format, const phx_pen_type **type)
{
    static const struct {
        const char *name;
        const phx_pen_type *type;
    } types[] = {{"svg", &phx_pen_svg}, {"pdf", &phx_pen_pdf}, {"png", &phx_pen_png}};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *word = format ? format : dot ? dot + 1 : "";
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (same_word(types[k].name, word)) {
            *type = types[k].type;
            return PHX_OK;
        }
    if (format)
        return phx_fail(context, PHX_ERR_INPUT, "a picture is svg, pdf or png, not %s", phx_shown_text(format).text);
    return phx_fail(context, PHX_ERR_INPUT,
                    "%s: the ending of a picture's name is .svg, .pdf or .png; else say which format it has", path);
}

phx_status phx_pen_open(phx_context *context, const char *path, const phx_pen_type *type, const phx_sheet *sheet,
                        phx_ruler *ruler, phx_pen *pen)
{
    *pen = (phx_pen){.context = context, .type = type, .sheet = *sheet, .ruler = ruler};
    phx_status status = phx_output_open(context, path, &pen->file);
    if (status)
        return status;
    pen->out = &pen->file;
    status = type->open(pen, sheet);
    if (status) {
        type->destroy(pen);
        phx_output_close(&pen->file, false);
    }
    return status;
}

phx_status phx_pen_embed(phx_output *out, const phx_sheet *sheet, phx_ruler *ruler, phx_pen *pen)
{
    *pen = (phx_pen){.context = out->context, .type = &phx_pen_svg, .out = out, .sheet = *sheet, .ruler = ruler};
    return pen->type->open(pen, sheet);
}

phx_status phx_pen_close(phx_pen *pen)
{
    const phx_status status = pen->type->finish(pen);
    pen->type->destroy(pen);
    if (pen->out != &pen->file)
        return status;
    if (!status)
        return phx_output_commit(&pen->file);
    phx_output_close(&pen->file, false);
    return status;
}

void phx_pen_box(phx_pen *pen, double x, double y, double width, double height)
{
    pen->type->move(pen, x, y, false);
    pen->type->move(pen, x + width, y, true);
    pen->type->move(pen, x + width, y + height, true);
    pen->type->move(pen, x, y + height, true);
}
