/* The bodies, and the parts of them, that are made with a parameter. */
#include "reader.h"
#include "fe/fe.h"

#include <stdio.h>
#include <string.h>

/* ---- while the file is read ---- */
/* "bodies.crank" of "bodies.crank.sections[2].section.width"; 0: neither a body nor a material. */
static size_t owner_length(const char *path)
{
    const size_t group = strcspn(path, ".[");

    if (path[group] != '.' || (strncmp(path, "bodies", group) != 0 && strncmp(path, "materials", group) != 0))
        return 0;
    return group + 1 + strcspn(path + group + 1, ".[");
}

/* One more entry of the list, unless it is there; NULL: it is, or memory is out. The keys of an owner are read in
 * sequence, so its entries are the last ones. */
static phx_parameter_owner *add_owner(phx_reader *reader, int parameter, int station)
{
    phx_content *content = reader->content;
    const size_t length = owner_length(reader->key_path);
    const phx_parameter_owner *own = length > 0 ? content->owners : NULL;

    for (; own && !strncmp(own->name, reader->key_path, length) && !own->name[length]; own = own->before)
        if (own->parameter == parameter && own->station == station)
            return NULL;
    phx_parameter_owner *added = length > 0 ? phx_reader_calloc(reader, 1, sizeof *added) : NULL;
    char *name = added ? phx_arena_text(reader->context, &content->memory, reader->key_path, length) : NULL;
    content->owners_lost = content->owners_lost || (length > 0 && !name);
    if (!name)
        return NULL;
    *added = (phx_parameter_owner){.before = content->owners, .parameter = parameter, .station = station, .name = name};
    return content->owners = added;
}

void phx_note_owner(phx_reader *reader, int parameter)
{
    const char *rest = reader->key_path + owner_length(reader->key_path);
    int station = -1;

    if (rest > reader->key_path && sscanf(rest, ".sections[%d]", &station) == 1)
        station--; /* key paths count from 1 */
    add_owner(reader, parameter, station);
}

phx_status phx_note_stations(phx_reader *reader, int count, const void *stations, size_t size)
{
    phx_parameter_owner *added = add_owner(reader, -1, -1);

    if (added) {
        added->stations = stations;
        added->count = count;
        added->size = size;
    }
    return reader->content->owners_lost ? PHX_ERR_MEMORY : PHX_OK;
}

/* ---- of a model ---- */
/* Whether parameter `of` is parameter `on` or an expression of it, through any number of others. plain: per parameter,
 * whether it is a number and so depends on no other. */
static bool depends(const phx_model *model, const bool *plain, int of, int on)
{
    const char *text = model->store->content.parameter_texts[of];
    bool found = of == on;

    for (int k = 0; k < model->n_parameters && !found && !plain[of]; k++)
        found = k != of && phx_mentions(text, model->parameters[k].name) && depends(model, plain, k, on);
    return found;
}

/* Whether "bodies.NAME" or "materials.NAME" is this body or its material. */
static bool is_owner(const phx_model *model, const char *owner, const phx_model_body *body)
{
    const char *name = strchr(owner, '.') + 1;

    if (owner[0] == 'b')
        return !strcmp(name, body->whole ? body->whole : body->name);
    return body->material >= 0 && !strcmp(name, model->materials[body->material].name);
}

/* The fractions of the length between the neighbours of the station of a use. */
static void use_range(const phx_content *content, const phx_parameter_owner *use, phx_parameter_place *place)
{
    const phx_parameter_owner *of = content->owners;

    while (of && (of->parameter >= 0 || strcmp(of->name, use->name) != 0))
        of = of->before;
    place->from = 0.0;
    place->to = 1.0;
    if (!of || use->station < 0)
        return;
    place->from = use->station > 0 ? phx_station_place(of->stations, of->size, use->station - 1) : 0.0;
    place->to = use->station + 1 < of->count ? phx_station_place(of->stations, of->size, use->station + 1) : 1.0;
}

/* Adds a place unless it is there. */
static phx_status add_use(phx_context *context, const phx_parameter_place *place, int *count,
                          phx_parameter_place **places)
{
    for (int k = *count - 1; k >= 0 && (*places)[k].parameter == place->parameter; k--)
        if ((*places)[k].body == place->body && (*places)[k].from == place->from && (*places)[k].to == place->to)
            return PHX_OK;
    phx_parameter_place *longer = phx_realloc(context, *places, (size_t)*count + 1, sizeof *longer);
    if (!longer)
        return PHX_ERR_MEMORY;
    longer[(*count)++] = *place;
    *places = longer;
    return PHX_OK;
}

/* Parameter by parameter, the bodies of every use that depends on it. */
phx_status phx_model_uses(phx_context *context, const phx_model *model, int *count, phx_parameter_place **places)
{
    const phx_content *content = &model->store->content;
    bool *plain = phx_calloc(context, (size_t)model->n_parameters, sizeof *plain);
    phx_status status = plain ? PHX_OK : PHX_ERR_MEMORY;

    *count = 0;
    *places = NULL;
    for (int p = 0; p < model->n_parameters && plain; p++) {
        const char *text = content->parameter_texts[p];
        double value;
        plain[p] = !text || phx_number_from_text(text, &value);
    }
    for (int p = 0; p < model->n_parameters && plain; p++)
        for (const phx_parameter_owner *use = content->owners; use; use = use->before) {
            phx_parameter_place place = {.parameter = p};
            if (use->parameter < 0 || !depends(model, plain, use->parameter, p))
                continue;
            use_range(content, use, &place);
            for (; place.body < model->n_bodies && !status; place.body++)
                if (place.to > place.from && is_owner(model, use->name, &model->bodies[place.body]))
                    status = add_use(context, &place, count, places);
        }
    phx_free(plain);
    return status;
}
