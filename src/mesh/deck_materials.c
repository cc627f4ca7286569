/* Materials and sections of a deck. */
#include "deck.h"

#include <string.h>

void phx_deck_free(phx_deck *deck)
{
    if (!deck)
        return;
    for (int k = 0; k < deck->n_materials; k++)
        phx_free(deck->materials[k].name);
    for (int k = 0; k < deck->n_sections; k++)
        phx_free(deck->sections[k].group);
    phx_free(deck->materials);
    phx_free(deck->sections);
    *deck = (phx_deck){0};
}

static int find_material(const phx_deck *deck, phx_slice name)
{
    for (int k = 0; k < deck->n_materials; k++)
        if (phx_slice_same((phx_slice){deck->materials[k].name, strlen(deck->materials[k].name)}, name))
            return k;
    return -1;
}

/* Begins a material of the deck; names must be distinct. */
phx_status phx_deck_read_material(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *name = phx_keyword_value(k, "NAME");
    phx_deck *deck = r->deck;
    if (!name || !name->length)
        return DECK_FAIL(r, k->place, "*MATERIAL without a name; NAME=NAME is expected");
    if (find_material(deck, *name) >= 0)
        return DECK_FAIL(r, k->place, "the material %s is there twice", phx_shown_part(name->text, name->length).text);
    const phx_status status = phx_grow(r->context, &deck->materials, &r->properties.materials_room,
                                       (size_t)deck->n_materials + 1, sizeof *deck->materials);
    char *copy = status ? NULL : phx_slice_copy(r->context, *name);
    if (!copy)
        return PHX_ERR_MEMORY;
    r->properties.material = deck->n_materials;
    deck->materials[deck->n_materials++] = (phx_deck_material){.name = copy};
    return PHX_OK;
}

/* The material that a keyword belongs to. */
static phx_status current(phx_deck_reader *r, const phx_keyword *k, phx_deck_material **material)
{
    if (r->properties.material < 0)
        return DECK_FAIL(r, k->place, "*%s without a *MATERIAL before it", k->name);
    *material = &r->deck->materials[r->properties.material];
    return PHX_OK;
}

/* `count` numbers of the first temperature, on one or more data lines of up to eight; missing ones are 0. More lines
 * tell of more temperatures. */
static phx_status read_constants(phx_deck_reader *r, const phx_keyword *k, int count, double *values, bool *more)
{
    const phx_deck_line *line;
    int n = 0;
    *more = false;
    while ((line = phx_deck_data(r))) {
        if (n >= count) {
            *more = true;
            continue;
        }
        phx_slice rest = line->text, field;
        const size_t place = line->place;
        for (int i = 0; i < 8 && n < count && phx_next_field(&rest, &field); i++) {
            const phx_status status = phx_deck_number(r, field, place, "a constant of the material", &values[n++]);
            if (status)
                return status;
        }
        n = count <= 8 ? count : n;
    }
    return n ? PHX_OK : DECK_FAIL(r, k->place, "*%s without data", k->name);
}

/* Reads the constants of *ELASTIC by its type into the present material; unknown types are marked as other, tables
 * over temperature are noted. */
phx_status phx_deck_read_elastic(phx_deck_reader *r, const phx_keyword *k)
{
    static const struct {
        const char *word;
        phx_deck_elastic elastic;
        int count;
    } types[] = {
        {"ISOTROPIC", PHX_DECK_ELASTIC_ISOTROPIC, 2},
        {"ISO", PHX_DECK_ELASTIC_ISOTROPIC, 2},
        {"ENGINEERINGCONSTANTS", PHX_DECK_ELASTIC_ENGINEERING_CONSTANTS, 9},
        {"ORTHOTROPIC", PHX_DECK_ELASTIC_ORTHOTROPIC, 9},
        {"ORTHO", PHX_DECK_ELASTIC_ORTHOTROPIC, 9},
        {"ANISOTROPIC", PHX_DECK_ELASTIC_ANISOTROPIC, 21},
        {"ANISO", PHX_DECK_ELASTIC_ANISOTROPIC, 21},
        {"LAMINA", PHX_DECK_ELASTIC_LAMINA, 6},
    };
    const phx_slice *type = phx_keyword_value(k, "TYPE");
    phx_deck_material *material = NULL;
    bool more;
    phx_status status = current(r, k, &material);
    if (status)
        return status;
    material->elastic = PHX_DECK_ELASTIC_OTHER;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type ? phx_slice_is(*type, types[i].word) : i == 0) {
            material->elastic = types[i].elastic;
            status = read_constants(r, k, types[i].count, material->constants, &more);
            material->temperatures = material->temperatures || more;
            break;
        }
    return status;
}

phx_status phx_deck_read_density(phx_deck_reader *r, const phx_keyword *k)
{
    phx_deck_material *material = NULL;
    bool more = false;
    phx_status status = current(r, k, &material);
    if (!status)
        status = read_constants(r, k, 1, &material->density, &more);
    if (!status) {
        material->has_density = true;
        material->temperatures = material->temperatures || more;
    }
    return status;
}

/* Reads isotropic thermal expansion into the present material; other types are passed over. */
phx_status phx_deck_read_expansion(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *type = phx_keyword_value(k, "TYPE");
    phx_deck_material *material = NULL;
    bool more = false;
    phx_status status = current(r, k, &material);
    if (status || (type && !phx_slice_is(*type, "ISO") && !phx_slice_is(*type, "ISOTROPIC")))
        return status;
    status = read_constants(r, k, 1, &material->expansion, &more);
    if (!status) {
        material->has_expansion = true;
        material->temperatures = material->temperatures || more;
    }
    return status;
}

/* ---- sections ---- */
phx_status phx_deck_read_section(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *elset = phx_keyword_value(k, "ELSET"), *material = phx_keyword_value(k, "MATERIAL");
    phx_deck *deck = r->deck;
    phx_deck_section section = {.material = -1, .shell = k->name[1] == 'H'};
    if (!elset)
        return DECK_FAIL(r, k->place, "*%s without an element set; ELSET=NAME is expected", k->name);
    const int set = phx_deck_find_set(r, true, *elset, r->assembly.instance);
    if (set < 0)
        return DECK_FAIL(r, k->place, "there is no element set %s before this line",
                         phx_shown_part(elset->text, elset->length).text);
    const phx_section_line line = {.material = material ? *material : (phx_slice){NULL, 0}, .place = k->place};
    phx_status status = PHX_OK;
    const phx_deck_line *data = section.shell && material ? phx_deck_data(r) : NULL;
    if (data) {
        phx_slice rest = data->text, field = {NULL, 0};
        const size_t place = data->place;
        phx_next_field(&rest, &field);
        status = phx_deck_number(r, field, place, "the thickness of a shell", &section.thickness);
    }
    if (!status)
        status = phx_grow(r->context, &r->properties.line, &r->properties.room, r->properties.n_lines + 1, sizeof line);
    if (!status)
        status = phx_grow(r->context, &deck->sections, &r->properties.sections_room, (size_t)deck->n_sections + 1,
                          sizeof *deck->sections);
    if (status)
        return status;
    section.group = phx_strdup(r->context, r->names.set[set].name);
    if (!section.group)
        return PHX_ERR_MEMORY;
    r->properties.line[r->properties.n_lines++] = line;
    deck->sections[deck->n_sections++] = section;
    return PHX_OK;
}

phx_status phx_deck_join_sections(phx_deck_reader *r)
{
    for (int k = 0; k < r->deck->n_sections; k++) {
        const phx_section_line *line = &r->properties.line[k];
        r->deck->sections[k].material = line->material.text ? find_material(r->deck, line->material) : -1;
        if (line->material.text && r->deck->sections[k].material < 0)
            return DECK_FAIL(r, line->place, "there is no material %s in this deck",
                             phx_shown_part(line->material.text, line->material.length).text);
    }
    return PHX_OK;
}
