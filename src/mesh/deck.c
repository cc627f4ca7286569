/* Input decks of Abaqus and CalculiX: nodes, elements, parts and instances. */
#include "deck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- nodes and elements ---- */
/* A file named by INPUT= stands in front of the data lines. */
static phx_status open_input(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *name = phx_keyword_value(k, "INPUT");
    return name ? phx_deck_open(r, *name, k->place) : PHX_OK;
}

/* x -> origin + rot (x + shift - origin) */
static void move_to_instance(const phx_instance *instance, double x[3])
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = x[i] + instance->shift[i] - instance->origin[i];
    for (int i = 0; i < 3; i++)
        x[i] = instance->origin[i] + instance->rot[3 * i] * d[0] + instance->rot[3 * i + 1] * d[1] +
               instance->rot[3 * i + 2] * d[2];
}

/* A whole number that must be there. */
static phx_status read_whole(phx_deck_reader *r, phx_slice field, size_t place, const char *what, long long *value)
{
    if (!phx_scan_integer(field.text, field.length, value))
        return DECK_FAIL(r, place, "%s is expected, a whole number; found %s", what,
                         phx_shown_part(field.text, field.length).text);
    return PHX_OK;
}

/* The set that NSET= or ELSET= of a keyword names, -1: none. */
static phx_status set_of(phx_deck_reader *r, const phx_keyword *k, const char *key, int *set)
{
    const phx_slice *name = phx_keyword_value(k, key);
    *set = -1;
    return name && name->length ? phx_deck_set(r, key[0] == 'E', *name, set) : PHX_OK;
}

static phx_status add_to_set(phx_deck_reader *r, int set, long long label, size_t place)
{
    const phx_range range = {
        .scope = phx_deck_scope(r), .elements = -1, .from = label, .to = label, .step = 1, .place = place};
    return set < 0 ? PHX_OK : phx_set_add(r, set, &range);
}

/* `keyword`: its place, one for all of the set, whose labels exist. */
static phx_status read_node(phx_deck_reader *r, const phx_deck_line *line, int set, size_t keyword)
{
    phx_slice rest = line->text, field = {NULL, 0};
    const size_t place = line->place;
    long long label;
    double x[3] = {0.0, 0.0, 0.0};
    phx_next_field(&rest, &field);
    phx_status status = read_whole(r, field, place, "the number of a node", &label);
    for (int i = 0; i < 3 && !status && phx_next_field(&rest, &field); i++)
        status = field.length && !phx_scan_number(field.text, field.length, &x[i])
                     ? DECK_FAIL(r, place, "a coordinate is expected, a number; found %s",
                                 phx_shown_part(field.text, field.length).text)
                     : PHX_OK;
    if (!status && r->assembly.instance >= 0)
        move_to_instance(&r->assembly.instances[r->assembly.instance], x);
    if (!status)
        status = phx_builder_node(r->b, phx_deck_scope(r), label, place, x);
    return status ? status : add_to_set(r, set, label, keyword);
}

static phx_status read_nodes(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *system = phx_keyword_value(k, "SYSTEM");
    int set;
    if (system && !phx_slice_is(*system, "R"))
        return DECK_FAIL(r, k->place, "nodes in cylindrical or spherical coordinates are not supported");
    phx_status status = open_input(r, k);
    if (!status)
        status = set_of(r, k, "NSET", &set);
    const phx_deck_line *line;
    while (!status && (line = phx_deck_data(r)))
        status = read_node(r, line, set, k->place);
    return status;
}

/* The element type of a keyword, and its name in capitals. *skipped: its elements are no cells. */
static phx_status read_type(phx_deck_reader *r, const phx_keyword *k, phx_built_cell *cell, const int **order,
                            bool *skipped)
{
    const phx_slice *type = phx_keyword_value(k, "TYPE");
    char name[PHX_DECK_NAME] = "";
    if (!type || !type->length || type->length >= sizeof name)
        return DECK_FAIL(r, k->place, "*ELEMENT without a type; TYPE=C3D10, say, is expected");
    for (size_t i = 0; i < type->length; i++) {
        const char c = type->text[i];
        name[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    const size_t before = r->b->n_variants;
    phx_status status = phx_builder_variant(r->b, name, &cell->variant);
    *skipped = !status && phx_deck_skips(name);
    if (status || *skipped)
        return status;
    return phx_deck_cell_type(r, name, r->b->n_variants > before, k->place, cell, order);
}

/* The nodes of an element, on as many lines as they need: `rest` is left of the first one. */
static phx_status read_element_nodes(phx_deck_reader *r, const phx_built_cell *cell, phx_slice rest, int *nodes)
{
    const phx_cell_info *info = phx_cell_info_of(cell->type);
    const int count = info->nodes + cell->beyond;
    size_t place = cell->place;
    phx_slice field;
    long long label;
    int n = 0;
    for (;;) {
        while (phx_next_field(&rest, &field)) {
            if (field.length == 0 && n == count)
                continue;
            if (n == count)
                return DECK_FAIL(r, place, "element %d (%s) has more than %d nodes%s", cell->label, info->name, n,
                                 cell->type == PHX_CELL_WEDGE6 ? "; in Gmsh set Mesh.SecondOrderIncomplete = 1" : "");
            phx_status status = read_whole(r, field, place, "a node of an element", &label);
            if (!status)
                status = phx_builder_label(r->b, "an element with the node", label, place, &nodes[n++]);
            if (status)
                return status;
        }
        if (n == count)
            return PHX_OK;
        const phx_deck_line *line = phx_deck_data(r);
        if (!line)
            return DECK_FAIL(r, place, "element %d (%s) has %d of %d nodes", cell->label, info->name, n, count);
        rest = line->text;
        place = line->place;
    }
}

/* Reads one element of a deck: label and nodes, in the deck's order if one is given, and adds it to its set. */
static phx_status read_element(phx_deck_reader *r, const phx_deck_line *line, phx_built_cell cell, const int *order,
                               int set, size_t keyword)
{
    phx_slice rest = line->text, field = {NULL, 0};
    long long label;
    int read[PHX_CELL_MOST_WRITTEN], nodes[PHX_CELL_MOST_NODES];
    cell.place = line->place;
    phx_next_field(&rest, &field);
    phx_status status = read_whole(r, field, cell.place, "the number of an element", &label);
    if (!status)
        status = phx_builder_label(r->b, "element", label, cell.place, &cell.label);
    if (!status)
        status = read_element_nodes(r, &cell, rest, read);
    if (status)
        return status;
    for (int k = 0; k < phx_cell_info_of(cell.type)->nodes; k++)
        nodes[k] = read[order ? order[k] : k];
    status = phx_builder_cell(r->b, &cell, nodes);
    return status ? status : add_to_set(r, set, label, keyword);
}

/* Reads the data lines of *ELEMENT; elements of a type that is skipped are read over. */
static phx_status read_elements(phx_deck_reader *r, const phx_keyword *k)
{
    phx_built_cell cell = {.scope = phx_deck_scope(r)};
    const int *order;
    int set;
    bool skipped = false;
    phx_status status = read_type(r, k, &cell, &order, &skipped);
    if (!status)
        status = open_input(r, k);
    if (!status)
        status = set_of(r, k, "ELSET", &set);
    const phx_deck_line *line;
    while (!status && (line = phx_deck_data(r)))
        status = skipped ? PHX_OK : read_element(r, line, cell, order, set, k->place);
    return status;
}

static phx_status read_node_set(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_status status = open_input(r, k);
    return status ? status : phx_deck_read_set(r, k, false);
}

static phx_status read_element_set(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_status status = open_input(r, k);
    return status ? status : phx_deck_read_set(r, k, true);
}

/* ---- parts and instances ---- */
/* Keeps the text up to *END PART, which is read for each instance. */
static phx_status read_part(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *name = phx_keyword_value(k, "NAME");
    if (!name || !name->length)
        return DECK_FAIL(r, k->place, "*PART without a name; NAME=NAME is expected");
    if (r->lines.base)
        return DECK_FAIL(r, k->place, "a *PART inside of another");
    const int depth = r->lines.depth;
    if (depth == 0)
        return DECK_FAIL(r, k->place, "*PART without *END PART");
    phx_part part = {.name = *name, .text = r->lines.text[depth - 1]};
    const phx_deck_line *line;
    if (r->lines.has_line) /* its data were looked at */
        part.text.at = r->lines.line.begin;
    while ((line = phx_deck_peek(r)) && r->lines.depth == depth) {
        phx_keyword end = {.n_keys = 0};
        phx_status status = PHX_OK;
        part.text.end = line->begin;
        if (*line->text.text == '*')
            status = phx_deck_keyword(r, &end);
        else
            r->lines.has_line = false;
        if (status)
            return status;
        if (strcmp(end.name, "ENDPART") != 0)
            continue;
        status = phx_grow(r->context, &r->assembly.parts, &r->assembly.parts_room, r->assembly.n_parts + 1,
                          sizeof *r->assembly.parts);
        if (!status)
            r->assembly.parts[r->assembly.n_parts++] = part;
        return status;
    }
    return DECK_FAIL(r, k->place, "*PART without *END PART in the same file");
}

static const phx_part *part_named(const phx_deck_reader *r, phx_slice name)
{
    for (size_t k = 0; k < r->assembly.n_parts; k++)
        if (phx_slice_same(r->assembly.parts[k].name, name))
            return &r->assembly.parts[k];
    return NULL;
}

static phx_status read_line_of_numbers(phx_deck_reader *r, int count, double *values, int *n)
{
    const phx_deck_line *line = phx_deck_data(r);
    *n = 0;
    if (!line)
        return PHX_OK;
    phx_slice rest = line->text, field;
    const size_t place = line->place;
    phx_status status = PHX_OK;
    while (*n < count && !status && phx_next_field(&rest, &field))
        status = phx_deck_number(r, field, place, "the place of an instance", &values[(*n)++]);
    return status;
}

/* Rodrigues: rot = I + sin(angle) N + (1 - cos(angle)) N N, N = [n x]. */
static void rotation_about(const double n[3], double angle, double rot[9])
{
    const double N[9] = {0.0, -n[2], n[1], n[2], 0.0, -n[0], -n[1], n[0], 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double square = 0.0;
            for (int k = 0; k < 3; k++)
                square += N[3 * i + k] * N[3 * k + j];
            rot[3 * i + j] = (i == j) + sin(angle) * N[3 * i + j] + (1.0 - cos(angle)) * square;
        }
}

/* A line with a shift, then one with a turn: points a and b of the axis, the angle in degrees. */
static phx_status read_placement(phx_deck_reader *r, const phx_keyword *k, phx_instance *instance)
{
    double turn[7] = {0.0}, axis[3], length = 0.0;
    int n;
    for (int i = 0; i < 3; i++)
        instance->rot[4 * i] = 1.0;
    phx_status status = read_line_of_numbers(r, 3, instance->shift, &n);
    if (!status && n)
        status = read_line_of_numbers(r, 7, turn, &n);
    if (status || n < 7)
        return status || n == 0 || n == 3
                   ? status
                   : DECK_FAIL(r, k->place, "an instance is turned by two points and an angle, seven numbers");
    for (int i = 0; i < 3; i++) {
        axis[i] = turn[3 + i] - turn[i];
        length = hypot(length, axis[i]);
        instance->origin[i] = turn[i];
    }
    if (!(length > 0.0))
        return DECK_FAIL(r, k->place, "an instance is turned about an axis of two equal points");
    for (int i = 0; i < 3; i++)
        axis[i] /= length;
    rotation_about(axis, turn[6] * (3.14159265358979323846 / 180.0), instance->rot);
    return PHX_OK;
}

static phx_status read_all(phx_deck_reader *r);

/* The text of a part, as if it stood here. */
static phx_status read_part_text(phx_deck_reader *r, const phx_part *part, size_t place)
{
    const phx_deck_line next = r->lines.line;
    const bool has_line = r->lines.has_line;
    const int base = r->lines.base;
    r->lines.has_line = false;
    phx_status status = phx_deck_push(r, part->text, place);
    if (status)
        return status;
    r->lines.base = r->lines.depth - 1;
    status = read_all(r);
    r->lines.base = base;
    r->lines.line = next;
    r->lines.has_line = has_line;
    return status;
}

/* Reads *INSTANCE: places a part that was defined before, in a scope of labels of its own. */
static phx_status read_instance(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *name = phx_keyword_value(k, "NAME"), *of = phx_keyword_value(k, "PART");
    if (!name || !name->length || !of)
        return DECK_FAIL(r, k->place, "*INSTANCE without NAME=NAME and PART=NAME");
    if (r->assembly.instance >= 0)
        return DECK_FAIL(r, k->place, "an *INSTANCE inside of another");
    if (phx_deck_find_instance(r, *name) >= 0)
        return DECK_FAIL(r, k->place, "the instance %s is there twice", phx_shown_part(name->text, name->length).text);
    const phx_part *part = part_named(r, *of);
    if (!part)
        return DECK_FAIL(r, k->place, "there is no part %s before this line",
                         phx_shown_part(of->text, of->length).text);
    phx_instance instance = {.name = *name};
    phx_status status = read_placement(r, k, &instance);
    if (!status)
        status = phx_grow(r->context, &r->assembly.instances, &r->assembly.instances_room, r->assembly.n_instances + 1,
                          sizeof instance);
    if (!status)
        status = phx_builder_scope(r->b, &instance.scope);
    if (status)
        return status;
    r->assembly.instance = (int)r->assembly.n_instances;
    r->assembly.instances[r->assembly.n_instances++] = instance;
    return read_part_text(r, part, k->place);
}

static phx_status end_instance(phx_deck_reader *r, const phx_keyword *k)
{
    (void)k;
    r->assembly.instance = -1;
    return PHX_OK;
}

/* ---- keywords ---- */
static phx_status include(phx_deck_reader *r, const phx_keyword *k)
{
    if (!phx_keyword_value(k, "INPUT"))
        return DECK_FAIL(r, k->place, "*INCLUDE without a file; INPUT=NAME is expected");
    return open_input(r, k);
}

static phx_status deck_refuse(phx_deck_reader *r, const phx_keyword *k)
{
    return DECK_FAIL(r, k->place,
                     "*%s makes or moves nodes or elements by rule, which is not supported; write them "
                     "out",
                     k->name);
}

static phx_status remark(phx_deck_reader *r, const phx_keyword *k, phx_mesh_remark_kind kind, const char *what)
{
    char text[400];

    snprintf(text, sizeof text, "*%s %s", k->name, what);
    return phx_builder_remark(r->b, kind, 0, k->place, text);
}

static phx_status join(phx_deck_reader *r, const phx_keyword *k)
{
    return remark(
        r, k, PHX_MESH_FAULT,
        "joins parts or nodes of a body, which is not read; let the parts share nodes, or make a body of each "
        "and join them");
}

static phx_status stiffen(phx_deck_reader *r, const phx_keyword *k)
{
    return remark(
        r, k, PHX_MESH_FAULT,
        "ties nodes to a point, which is not read; take it out and give the body a port on these nodes, which "
        "is rigid, or with 'attach: average'");
}

static phx_status read_shell_section(phx_deck_reader *r, const phx_keyword *k)
{
    const phx_slice *offset = phx_keyword_value(k, "OFFSET");
    double value = 1.0; /* a word, or a name */
    phx_status status = PHX_OK;

    if (offset && !(phx_scan_number(offset->text, offset->length, &value) && value == 0.0))
        status = remark(r, k, PHX_MESH_FAULT,
                        "with an OFFSET of the surface, which is not read; put the nodes on the middle of the shell");
    return status || !r->deck ? status : phx_deck_read_section(r, k);
}

typedef struct keyword_entry {
    const char *name;
    bool material; /* of the materials, which are read when they are asked for */
    phx_status (*read)(phx_deck_reader *r, const phx_keyword *k);
} keyword_entry;

static const keyword_entry keywords[] = {
    {"NODE", false, read_nodes},
    {"ELEMENT", false, read_elements},
    {"NSET", false, read_node_set},
    {"ELSET", false, read_element_set},
    {"SURFACE", false, phx_deck_read_surface},
    {"INCLUDE", false, include},
    {"PART", false, read_part},
    {"INSTANCE", false, read_instance},
    {"ENDINSTANCE", false, end_instance},
    {"MATERIAL", true, phx_deck_read_material},
    {"ELASTIC", true, phx_deck_read_elastic},
    {"DENSITY", true, phx_deck_read_density},
    {"EXPANSION", true, phx_deck_read_expansion},
    {"SOLIDSECTION", true, phx_deck_read_section},
    {"SHELLSECTION", false, read_shell_section},
    {"TIE", false, join},
    {"EQUATION", false, join},
    {"MPC", false, join},
    {"EMBEDDEDELEMENT", false, join},
    {"SHELLTOSOLIDCOUPLING", false, join},
    {"FASTENER", false, join},
    {"CYCLICSYMMETRYMODEL", false, join},
    {"COUPLING", false, stiffen},
    {"KINEMATICCOUPLING", false, stiffen},
    {"DISTRIBUTINGCOUPLING", false, stiffen},
    {"RIGIDBODY", false, stiffen},
    {"NGEN", false, deck_refuse},
    {"NFILL", false, deck_refuse},
    {"NCOPY", false, deck_refuse},
    {"NMAP", false, deck_refuse},
    {"ELGEN", false, deck_refuse},
    {"ELCOPY", false, deck_refuse},
    {"SYSTEM", false, deck_refuse},
};

/* Keywords of the analysis, of its output, and of materials, which are those of the model. */
static bool is_silent(const char *name)
{
    static const char *const words[] = {"HEADING",
                                        "PREPRINT",
                                        "ASSEMBLY",
                                        "ENDASSEMBLY",
                                        "ENDPART",
                                        "STEP",
                                        "ENDSTEP",
                                        "STATIC",
                                        "FREQUENCY",
                                        "DYNAMIC",
                                        "BUCKLE",
                                        "NODEPRINT",
                                        "ELPRINT",
                                        "NODEFILE",
                                        "ELFILE",
                                        "CONTACTFILE",
                                        "CONTACTPRINT",
                                        "NODEOUTPUT",
                                        "ELEMENTOUTPUT",
                                        "OUTPUT",
                                        "CONTACTOUTPUT",
                                        "RESTART",
                                        "MONITOR",
                                        "ORIENTATION",
                                        "TRANSFORM",
                                        "CONDUCTIVITY",
                                        "SPECIFICHEAT",
                                        "AMPLITUDE",
                                        "MATERIAL",
                                        "ELASTIC",
                                        "DENSITY",
                                        "EXPANSION",
                                        "SOLIDSECTION",
                                        "TIMEPOINTS",
                                        "CONTROLS",
                                        "PHYSICALCONSTANTS",
                                        "SURFACEINTERACTION",
                                        "KINEMATIC",
                                        "DISTRIBUTING",
                                        "PARAMETER",
                                        "MEMBRANESECTION",
                                        "BEAMSECTION",
                                        "SURFACESECTION",
                                        "MASS",
                                        "SPRING",
                                        "DASHPOT",
                                        "FIELDOUTPUT",
                                        "HISTORYOUTPUT"};

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(name, words[k]))
            return true;
    return false;
}

/* Reads one keyword with its data lines. Unknown ones are skipped; the first that might matter is remarked. */
static phx_status read_keyword(phx_deck_reader *r)
{
    phx_keyword k;
    bool known = false;
    phx_status status = phx_deck_keyword(r, &k);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords && !status && !known; i++)
        if (!strcmp(k.name, keywords[i].name)) {
            known = true;
            status = r->deck || !keywords[i].material ? keywords[i].read(r, &k) : PHX_OK;
        }
    if (!status && !known && !r->is_noted && !is_silent(k.name)) {
        r->is_noted = true;
        status = remark(r, &k, PHX_MESH_NOTE,
                        "and others like it are not used: supports, loads, contacts and laws of materials are those of "
                        "the model");
    }
    while (!status && phx_deck_data(r)) /* of a keyword without meaning for a mesh */
        continue;
    return status;
}

static phx_status read_all(phx_deck_reader *r)
{
    const phx_deck_line *line;
    phx_status status = PHX_OK;
    while (!status && (line = phx_deck_peek(r))) {
        if (*line->text.text != '*')
            return DECK_FAIL(r, line->place, "a keyword, a line that begins with *, is expected; found %s",
                             phx_shown_part(line->text.text, line->text.length).text);
        status = read_keyword(r);
    }
    return status;
}

/* ---- the deck ---- */
static void free_sets(phx_deck_sets *sets)
{
    for (size_t k = 0; k < sets->n; k++) {
        phx_free(sets->set[k].name);
        phx_free(sets->set[k].ranges);
    }
    phx_free(sets->set);
    phx_table_free(&sets->table);
}

static void free_surfaces(phx_deck_surfaces *surfaces)
{
    for (size_t k = 0; k < surfaces->n; k++)
        phx_free(surfaces->line[k].surface);
    phx_free(surfaces->line);
    phx_free(surfaces->is_shared);
}

static void free_reader(phx_deck_reader *r)
{
    phx_free(r->properties.line);
    free_surfaces(&r->surfaces);
    phx_free(r->assembly.parts);
    phx_free(r->assembly.instances);
    free_sets(&r->names);
}

/* Reads a deck in Abaqus format with its parts, sets and, if deck is given, materials and sections into the builder. */
phx_status phx_read_inp(phx_builder *builder, phx_deck *deck)
{
    phx_deck_reader r = {
        .b = builder, .context = builder->context, .deck = deck, .assembly.instance = -1, .properties.material = -1};
    phx_status status = phx_deck_push_file(&r, 0, 0);
    if (!status)
        status = read_all(&r);
    if (!status)
        status = phx_builder_index(builder);
    if (!status)
        status = phx_deck_make_groups(&r);
    if (!status && deck)
        status = phx_deck_join_sections(&r);
    free_reader(&r);
    return status;
}
