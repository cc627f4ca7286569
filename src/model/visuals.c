/* `shape` and `page`: the appearance of bodies and the ground in pictures, and how a page opens. */
#include "mesh/mesh.h"
#include "schema_parts.h"

#include <ctype.h>
#include <string.h>

/* ---- types ---- */
/* An end of a shape: the name of a port, or a place. */
static phx_status read_end(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    phx_model_visual_end *end = field;

    end->given = true;
    end->point.port = -1;
    if (node->kind == PHX_NODE_LIST)
        return phx_type_place.read(reader, key, node, end->place, owner);
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node))
        return phx_reader_expected(reader, node, "the name of a port, or a list of 2 or 3 numbers");
    return phx_type_own_port.read(reader, key, node, &end->point, owner);
}

/* A colour by its name, stored as "#rrggbb", or "#rrggbb" itself. */
static phx_status read_colour(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    static const char *const words[][2] = {
        {"white", "#f5f5f5"},  {"silver", "#b8bfc6"}, {"steel", "#8a949e"},  {"grey", "#767d84"},
        {"black", "#23272b"},  {"red", "#c8372d"},    {"orange", "#e8862a"}, {"yellow", "#f0c72c"},
        {"gold", "#d4a72c"},   {"brown", "#7f5a3a"},  {"green", "#3f8f4f"},  {"teal", "#2f8f8b"},
        {"blue", "#2f6fb5"},   {"navy", "#223a66"},   {"purple", "#7a4fa3"}, {"pink", "#d87aa5"},
        {"copper", "#b87040"}, {"glass", "#a9d3e8"},  {"solar", "#1f2f6b"},  {"rubber", "#3a3d40"}};
    const char *text = NULL;
    phx_nearest nearest;
    (void)key, (void)owner;
    phx_status status = phx_read_text(reader, node, "a colour", &text);

    if (status)
        return status;
    nearest = phx_nearest_to(text);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        phx_nearest_offer(&nearest, words[k][0]);
        if (!strcmp(text, words[k][0])) {
            memcpy(field, &words[k][1], sizeof words[k][1]);
            return PHX_OK;
        }
    }
    memcpy(field, &text, sizeof text);
    if (text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6)
        return PHX_OK;
    return phx_reader_fail(reader, node, "expected a colour as \"#rrggbb\" or by its name, found %s%s",
                           phx_shown_text(text).text, phx_nearest_hint(&nearest).text);
}

static const phx_type type_end = {"port, or 2 or 3 numbers",
                                  "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 2, "
                                  "\"maxItems\": 3, \"items\": {\"$ref\": \"#/$defs/number\"}}]}",
                                  read_end, NULL};
static const phx_type type_colour = {"colour", "{\"type\": \"string\"}", read_colour, NULL};

/* ---- keys ---- */
#define VISUAL(field) AT(phx_model_visual, field)
#define OF(NAME)      BIT(PHX_MODEL_VISUAL_##NAME)
#define WITH_LENGTH   (OF(CYLINDER) | OF(CAPSULE) | OF(CONE) | OF(TUBE) | OF(GEAR) | OF(EXTRUSION))

#define VISUAL_WORD(NAME, name) WORD(#name, PHX_BOTH),
static const phx_word words_visual[] = {PHX_MODEL_VISUAL_LIST(VISUAL_WORD) WORD(NULL, 0)};
#undef VISUAL_WORD

static const phx_range share = {"a number in (0, 1]", .high = 1.0, .above_low = true};

static const phx_range teeth_range = {"an integer from 6 to 500", 6.0, 500.0, .integer = true};

static const phx_key keys[] = {
    {"box", &phx_type_place, VISUAL(size), .required = true, .kinds = OF(BOX), .unit = "m", .range = &not_negative,
     .doc = "lengths along its axes"},
    {"cylinder", &phx_type_number, VISUAL(size), .required = true, .kinds = OF(CYLINDER), .unit = "m",
     .range = &positive, .doc = "diameter"},
    {"sphere", &phx_type_number, VISUAL(size), .required = true, .kinds = OF(SPHERE), .unit = "m", .range = &positive,
     .doc = "diameter"},
    {"ellipsoid", &phx_type_three, VISUAL(size), .required = true, .kinds = OF(ELLIPSOID), .unit = "m",
     .range = &positive, .doc = "diameters along its axes"},
    {"capsule", &phx_type_number, VISUAL(size), .required = true, .kinds = OF(CAPSULE), .unit = "m", .range = &positive,
     .doc = "diameter; a half ball at each end"},
    {"cone", &phx_type_pair, VISUAL(size), .required = true, .kinds = OF(CONE), .unit = "m", .range = &not_negative,
     .doc = "diameters at its first and last end"},
    {"tube", &phx_type_pair, VISUAL(size), .required = true, .kinds = OF(TUBE), .unit = "m", .range = &positive,
     .doc = "outer and inner diameter"},
    {"gear", &phx_type_number, VISUAL(size), .required = true, .kinds = OF(GEAR), .unit = "m", .range = &positive,
     .doc = "pitch diameter"},
    {"extrusion", &phx_type_array, VISUAL(outline), .required = true, .kinds = OF(EXTRUSION), .unit = "m",
     .doc = "corners of the section, rows of two numbers across its direction"},
    {"mesh", &phx_type_path, VISUAL(file), .required = true, .kinds = OF(MESH),
     .doc = "STL, OBJ, glTF, GLB, DAE or PLY file, relative to the model file"},
    {"teeth", &phx_type_integer, VISUAL(teeth), .kinds = OF(GEAR), .range = &teeth_range, .fallback = "24",
     .doc = "of a gear"},
    {"length", &phx_type_number, VISUAL(length), .kinds = WITH_LENGTH, .unit = "m", .range = &positive,
     .fallback = "by from and to", .doc = "along z of the shape, half of it on either side"},
    {"from", &type_end, VISUAL(from), .kinds = WITH_LENGTH, .unit = "m", .fallback = "by length",
     .doc = "first end: a port of the body, or a place in body axes"},
    {"to", &type_end, VISUAL(to), .kinds = WITH_LENGTH, .unit = "m", .fallback = "by length", .doc = "last end"},
    {"along", &phx_type_array, VISUAL(along), .kinds = OF(EXTRUSION), .unit = "m", .fallback = "straight",
     .doc = "places of the line that the section follows, in place of length, from and to"},
    {"scale", &phx_type_number, VISUAL(scale), .kinds = OF(MESH), .unit = "m", .range = &positive, .fallback = "1",
     .doc = "of a unit of the file: 0.001 for millimetres"},
    {"position", &phx_type_place, VISUAL(position), .unit = "m", .fallback = "at the origin",
     .doc = "of the centre of the shape (origin of the file), body axes"},
    {"rotation", &phx_type_rotation, VISUAL(rotation), .object = &phx_schema_rotation, .fallback = "none",
     .doc = "takes the shape's axes to body axes"},
    {"colour", &type_colour, VISUAL(colour), .fallback = "colour of the body",
     .doc = "\"#rrggbb\" or a name: white, silver, steel, grey, black, red, orange, yellow, gold, brown, green, teal, "
            "blue, navy, purple, pink, copper, glass, solar, rubber"},
    {"opacity", &phx_type_number, VISUAL(opacity), .range = &share, .fallback = "1",
     .doc = "less than 1: seen through"},
};

/* ---- checks ---- */
/* The surface of the file, read once for a document; empty, with a warning, without the library. */
static phx_status find_surface(phx_reader *reader, const phx_node *node, phx_model_visual *visual)
{
    struct phx_model_store *store = reader->model->store;
    phx_file_surface *surface = store->surfaces;

    while (surface && (strcmp(surface->path, visual->file) != 0 || surface->scale != visual->scale))
        surface = surface->next;
    if (!surface) {
        surface = phx_arena_calloc(reader->context, &store->document, 1, sizeof *surface);
        const char *path =
            surface ? phx_arena_text(reader->context, &store->document, visual->file, strlen(visual->file)) : NULL;
        if (!path ||
            !(surface->surface = phx_arena_calloc(reader->context, &store->document, 1, sizeof *surface->surface)))
            return PHX_ERR_MEMORY;
        const phx_status status = phx_surface_read(reader->context, path, visual->scale, surface->surface);
        if (status && status != PHX_ERR_LIBRARY)
            return phx_reader_fail_again(reader, phx_node_find(node, "mesh"), status);
        if (status && reader->doubts)
            phx_log(reader->context, PHX_LOG_WARNING, "shapes from files are not drawn: %s",
                    phx_context_message(reader->context));
        surface->path = path;
        surface->scale = visual->scale;
        surface->next = store->surfaces;
        store->surfaces = surface;
    }
    visual->surface = surface->surface;
    return PHX_OK;
}

static phx_status check_lines(phx_reader *reader, const phx_node *node, const phx_model_visual *visual)
{
    const phx_model_matrix *outline = &visual->outline, *along = &visual->along;

    if (outline->rows < 3 || outline->cols != 2)
        return phx_reader_fail(reader, phx_node_find(node, "extrusion"),
                               "expected three or more corners of two numbers, found %d of %d", outline->rows,
                               outline->cols);
    if (along->rows > 0 && (along->rows < 2 || (along->cols != 2 && along->cols != 3)))
        return phx_reader_fail(reader, phx_node_find(node, "along"),
                               "expected two or more places of 2 or 3 numbers, found %d of %d", along->rows,
                               along->cols);
    return PHX_OK;
}

/* How long the shape is and where: by exactly one of `length`, `from` with `to`, and `along`. */
static phx_status visual_check_ends(phx_reader *reader, const phx_node *node, const phx_model_visual *visual)
{
    const int given = (visual->length > 0.0) + (visual->from.given || visual->to.given) + (visual->along.rows > 0);

    if (given != 1 || visual->from.given != visual->to.given)
        return phx_reader_fail(reader, node, "expected either 'length', or 'from' and 'to'%s",
                               visual->kind == PHX_MODEL_VISUAL_EXTRUSION ? ", or 'along'" : "");
    if (visual->length == 0.0 && (phx_node_find(node, "position") || phx_node_find(node, "rotation")))
        return phx_reader_fail(reader, node, "'position' and 'rotation' go with 'length'; the ends say where it is");
    return PHX_OK;
}

/* Reads the file of a mesh; checks ends, lines and diameters. */
static phx_status finish_visual(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_visual *visual = object;
    const bool ends = (BIT(visual->kind) & WITH_LENGTH) != 0;
    phx_status status = PHX_OK;

    if (visual->kind == PHX_MODEL_VISUAL_MESH)
        status = find_surface(reader, node, visual);
    else if (visual->kind == PHX_MODEL_VISUAL_EXTRUSION)
        status = check_lines(reader, node, visual);
    if (!status && ends)
        status = visual_check_ends(reader, node, visual);
    if (!status && visual->kind == PHX_MODEL_VISUAL_TUBE && !(visual->size[1] < visual->size[0]))
        status = phx_reader_fail(reader, phx_node_find(node, "tube"),
                                 "expected an inner diameter below the outer one, %.10g, found %.10g", visual->size[0],
                                 visual->size[1]);
    if (!status && visual->kind == PHX_MODEL_VISUAL_CONE && visual->size[0] == 0.0 && visual->size[1] == 0.0)
        status = phx_reader_fail(reader, phx_node_find(node, "cone"), "expected a diameter that is not 0");
    return status;
}

const phx_object phx_schema_visual = {
    "shape", "Appearance of a body, in one of these forms. Pictures only: no result depends on it.",
    TABLE(phx_model_visual, keys), KINDS(PHX_KIND_PRESENT, words_visual, phx_model_visual), .finish = finish_visual};

/* ---- how a page opens ---- */
/* Plots are outputs, or components of them behind a point. */
phx_status phx_finish_page(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_page *page = object;
    const phx_node *names = phx_node_find(node, "plots");

    for (int k = 0; k < page->n_plots; k++) {
        const size_t stem = strcspn(page->plots[k], ".");
        phx_nearest nearest = phx_nearest_to(page->plots[k]);
        bool found = false;
        for (int i = 0; i < reader->model->n_outputs && !found; i++) {
            const char *name = reader->model->outputs[i].name;
            found = strcmp(name, page->plots[k]) == 0 || (strlen(name) == stem && !strncmp(name, page->plots[k], stem));
            phx_nearest_offer(&nearest, name);
        }
        if (!found)
            return phx_reader_fail(reader, names->kind == PHX_NODE_LIST ? names->items[k] : names,
                                   "there is no output %s%s", phx_shown_text(page->plots[k]).text,
                                   phx_nearest_hint(&nearest).text);
    }
    return PHX_OK;
}
