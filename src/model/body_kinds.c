/* The kinds of body: the list, and what is asked of all of them. */
#include "body_kinds.h"

#include "continuum/continuum.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

#define ROW(NAME, name) &phx_body_row_##name,
static const phx_body_row *const rows[PHX_MODEL_BODY_KINDS] = {PHX_MODEL_BODY_LIST(ROW)};

static const phx_body_row *row_of_kind(int kind)
{
    return kind >= 0 && kind < PHX_MODEL_BODY_KINDS ? rows[kind] : NULL;
}

const phx_body_row *phx_body_row_of(const phx_model_body *body)
{
    return row_of_kind((int)body->kind);
}

const phx_model_body_info *phx_model_body_kind_info(phx_model_body_kind kind)
{
    const phx_body_row *row = row_of_kind((int)kind);
    return row ? &row->info : NULL;
}

const char *phx_model_body_kind_name(phx_model_body_kind kind)
{
    const phx_body_row *row = row_of_kind((int)kind);
    return row ? row->info.name : "";
}

bool phx_model_body_sections(const phx_model *model, const phx_model_body *body, phx_model_sections *sections)
{
    const phx_body_row *row = model && body && sections ? phx_body_row_of(body) : NULL;
    if (!row || !row->sections || !phx_model_body_info_of(body)->sections)
        return false;
    *sections = (phx_model_sections){0};
    row->sections(model, body, sections);
    return true;
}

phx_model_outline phx_outline_of(const phx_model_section *section)
{
    const double of_gyration = 3.0; /* I = A h^2/3 of a box with half its height h */
    phx_model_outline outline = {.round = section->kind == PHX_MODEL_CIRCLE || section->kind == PHX_MODEL_TUBE};

    for (int a = 0; a < 2; a++)
        outline.half[a] = section->kind == PHX_MODEL_GENERAL
                              ? sqrt(of_gyration * section->inertia[1 - a] / section->area)
                              : section->fibre[a];
    for (int a = 0; a < 2; a++)
        if (!(outline.half[a] > 0.0)) /* plane: Iy is not known */
            outline.half[a] = outline.half[1 - a];
    return outline;
}

phx_status phx_model_body_surface(phx_context *context, const phx_model_body *body, phx_surface *surface)
{
    const phx_body_row *row = phx_body_row_of(body);
    *surface = (phx_surface){0};
    return row->surface ? row->surface(context, body, surface) : PHX_OK;
}

bool phx_model_body_outline(const phx_model *model, const phx_model_body *body, double s, phx_model_outline *outline)
{
    phx_model_sections sections;

    if (!phx_model_body_sections(model, body, &sections))
        return false;
    if (phx_body_row_of(body)->outline)
        return phx_body_row_of(body)->outline(model, body, s, outline);
    phx_model_section section;
    const bool known = phx_model_section_at(model, body, s, &section);
    if (known)
        *outline = phx_outline_of(&section);
    return known;
}

const phx_model_body_info *phx_model_body_info_of(const phx_model_body *body)
{
    const phx_body_row *row = phx_body_row_of(body);
    return row->info_of ? row->info_of(body) : &row->info;
}

bool phx_model_section_at(const phx_model *model, const phx_model_body *body, double s, phx_model_section *section)
{
    phx_model_sections sections;
    const bool known = phx_model_body_sections(model, body, &sections) && sections.section;
    if (known)
        *section = sections.varies ? phx_body_row_of(body)->section_at(body, s) : *sections.section;
    return known;
}

bool phx_model_write_section(const phx_model *model, const phx_model_body *body, double *numbers)
{
    phx_model_sections sections;
    if (!phx_model_body_sections(model, body, &sections) || !sections.section || sections.varies)
        return false;
    const phx_model_section *s = sections.section;
    const double all[PHX_REDUCED_SECTION] = {(double)s->kind, s->diameter, s->outer,    s->inner,
                                             s->width,        s->height,   s->area,     s->inertia[0],
                                             s->inertia[1],   s->torsion,  s->fibre[0], s->fibre[1]};
    memcpy(numbers, all, sizeof all);
    return true;
}

/* ---- the schema ---- */
static phx_word body_word(int kind)
{
    const phx_body_row *row = row_of_kind(kind);
    if (!row)
        return (phx_word){.word = NULL};
    return (phx_word){.word = row->info.name,
                      .dims = (row->info.plane ? PHX_PLANE : 0u) | (row->info.space ? PHX_SPACE : 0u),
                      .traits = row->traits};
}

const phx_word phx_words_body[] = {{.at = body_word}};

phx_key_table phx_body_keys(int kind)
{
    return rows[kind]->keys;
}

/* Writes the table of body kinds with dimensions, description, ports and locations in Markdown. */
phx_status phx_body_tables(phx_text *text)
{
    phx_text_add(text, "\nThe kinds:\n\n| kind | where | what it is | ports that always exist | points behind `@` |\n"
                       "|---|---|---|---|---|\n");
    for (int k = 0; k < PHX_MODEL_BODY_KINDS; k++) {
        const phx_model_body_info *info = &rows[k]->info;
        phx_text_add(text, "| `%s` | %s | %s | ", info->name,
                     !info->plane   ? "space"
                     : !info->space ? "plane"
                                    : "plane, space",
                     info->doc);
        for (int p = 0; p < PHX_MODEL_MAX_OWN_PORTS && info->ports[p]; p++)
            phx_text_add(text, "%s%s", p ? ", " : "", info->ports[p]);
        phx_text_add(text, " | %s |\n", phx_location_sorts_text(info->locations).text);
    }
    return PHX_OK;
}

phx_stress_set phx_body_stresses(const phx_model_body *body)
{
    const phx_body_row *row = phx_body_row_of(body);
    return row->stresses ? row->stresses(body) : PHX_STRESSES_NONE;
}

void phx_model_file_units(const phx_model_body *body, double *length, double *force)
{
    const phx_body_row *row = phx_body_row_of(body);

    *length = *force = 1.0;
    if (row->file_units)
        row->file_units(body, length, force);
}

/* ---- messages ---- */
static phx_shown kinds_with(bool (*has)(const phx_body_row *row))
{
    phx_shown shown = {.text = ""};
    size_t n = 0;
    int left = 0;
    for (int k = 0; k < PHX_MODEL_BODY_KINDS; k++)
        left += has(rows[k]);
    for (int k = 0; k < PHX_MODEL_BODY_KINDS && n < sizeof shown.text; k++)
        if (has(rows[k])) {
            left--;
            n += (size_t)snprintf(shown.text + n, sizeof shown.text - n, "%s%s",
                                  n == 0 ? ""
                                  : left ? ", "
                                         : " or ",
                                  rows[k]->info.noun);
        }
    return shown;
}

static bool has_sections(const phx_body_row *row)
{
    return row->info.sections;
}

static bool has_locations(const phx_body_row *row)
{
    return row->info.locations != 0;
}

phx_shown phx_body_kinds_with_sections(void)
{
    return kinds_with(has_sections);
}

static bool has_mesh(const phx_body_row *row)
{
    return row->info.mesh;
}

phx_shown phx_body_kinds_with_mesh(void)
{
    return kinds_with(has_mesh);
}

phx_shown phx_body_kinds_with_locations(void)
{
    return kinds_with(has_locations);
}
