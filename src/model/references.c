/* Names that stand for something else in the file: materials, bodies, joints, points. */
#include "body_kinds.h"
#include "segments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Index of a name in an array of the model. */
static phx_status find_item(phx_reader *reader, const phx_node *node, phx_names *names, const void *items, size_t size,
                            int count, const char *what, int *index)
{
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node))
        return phx_reader_expected(reader, node, what);
    phx_status status = phx_reader_names(reader, names, items, size, count);
    if (status)
        return status;
    *index = phx_names_find(names, node->text);
    if (*index >= 0)
        return PHX_OK;
    phx_nearest nearest = phx_nearest_to(node->text);
    phx_names_offer(names, &nearest);
    return phx_reader_fail(reader, node, "expected %s, found %s%s", what, phx_shown_text(node->text).text,
                           phx_nearest_hint(&nearest).text);
}

static phx_status read_material(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    const phx_model *m = reader->model;
    return find_item(reader, node, &reader->content->materials, m->materials, sizeof *m->materials, m->n_materials,
                     "the name of a material", field);
}

/* A body that has something: `has` of its kind, `kinds` the nouns of those. */
static phx_status read_body_with(phx_reader *reader, const phx_node *node, phx_shown kinds,
                                 bool (*has)(const phx_model_body_info *info), int *index)
{
    const phx_model *m = reader->model;
    char expected[120];
    snprintf(expected, sizeof expected, "the name of %s %s", phx_article(kinds.text), kinds.text);
    const phx_segmented *whole = node->kind == PHX_NODE_SCALAR ? phx_segments_find(reader, node->text) : NULL;
    if (whole && has(phx_model_body_info_of(&m->bodies[whole->first]))) {
        *index = phx_segments_number(reader, whole);
        return PHX_OK;
    }
    phx_status status =
        find_item(reader, node, &reader->content->bodies, m->bodies, sizeof *m->bodies, m->n_bodies, expected, index);
    const phx_model_body_info *info = status ? NULL : phx_model_body_info_of(&m->bodies[*index]);
    if (info && !has(info))
        return phx_reader_fail(reader, node, "expected %s, body '%s' is %s", expected, m->bodies[*index].name,
                               info->is);
    return status;
}

static bool has_sections(const phx_model_body_info *info)
{
    return info->sections;
}

static bool has_mesh(const phx_model_body_info *info)
{
    return info->mesh;
}

static phx_status read_long_body(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    return read_body_with(reader, node, phx_body_kinds_with_sections(), has_sections, field);
}

static phx_status read_meshed_body(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                   void *owner)
{
    (void)key, (void)owner;
    return read_body_with(reader, node, phx_body_kinds_with_mesh(), has_mesh, field);
}

static phx_status read_joint(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    const phx_model *m = reader->model;
    return find_item(reader, node, &reader->content->joints, m->joints, sizeof *m->joints, m->n_joints,
                     "the name of a joint", field);
}

static phx_status read_free_joint(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                  void *owner)
{
    const int *index = field;
    phx_status status = read_joint(reader, key, node, field, owner);
    if (!status && reader->model->joints[*index].n_coordinates == 0)
        return phx_reader_fail(reader, node, "joint '%s' is a %s and has no free coordinate", node->text,
                               phx_joint_kind_name(reader->model->joints[*index].kind));
    return status;
}

/* The name of a spring or force that acts at ports, for an output, which gets the last of these. */
static phx_status read_acting(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    const phx_model *m = reader->model;
    const char *text = node->kind == PHX_NODE_SCALAR ? node->text : "", **name = field;
    phx_nearest nearest = phx_nearest_to(text);
    const phx_model_force *force = NULL;
    phx_model_output *output = owner;
    phx_contact_def contact;

    (void)key;
    *name = NULL;
    for (int k = 0; k < m->n_springs; k++) {
        phx_nearest_offer(&nearest, m->springs[k].name);
        if (strcmp(m->springs[k].name, text) != 0)
            continue;
        *name = m->springs[k].name;
        output->point = m->springs[k].ports[1];
    }
    for (int k = 0; k < m->n_forces; k++) {
        phx_nearest_offer(&nearest, m->forces[k].name);
        if (!strcmp(m->forces[k].name, text))
            force = &m->forces[k];
    }
    if (!*name && !force)
        return phx_reader_fail(reader, node, "expected the name of a spring or force, found %s%s",
                               *text ? phx_shown_text(text).text : "no name", phx_nearest_hint(&nearest).text);
    if (!force)
        return PHX_OK;
    if (force->n_ports == 0)
        return phx_reader_fail(reader, node, "'%s' is a %s and acts at no port", force->name,
                               phx_model_force_kind_info(force->kind)->name);
    if (phx_model_force_contact(force, &contact) && contact.rigid)
        return phx_reader_fail(reader, node,
                               "'%s' is a rigid contact, which acts by impulses; give it a stiffness to have its force",
                               force->name);
    *name = force->name;
    output->point = force->ports[force->n_ports - 1];
    return PHX_OK;
}

/* ---- points ---- */
const char *phx_point_owner(const phx_reader *reader, const phx_model_point *point)
{
    return point->body == PHX_MODEL_GROUND ? "ground" : reader->model->bodies[point->body].name;
}

/* Index of the ports of a body or the ground: of the body being read in the reader, of all others in the content. */
static phx_status port_names(phx_reader *reader, const phx_model_point *point, const phx_model_port *ports, int n_ports,
                             phx_names **names)
{
    phx_content *content = reader->content;
    int n_bodies = reader->model->n_bodies; /* 0 until all are read */
    *names = &reader->own_ports;
    if (n_bodies) {
        if (!content->ports)
            content->ports = phx_reader_calloc(reader, (size_t)n_bodies + 1, sizeof *content->ports);
        if (!content->ports)
            return PHX_ERR_MEMORY;
        *names = &content->ports[point->body == PHX_MODEL_GROUND ? n_bodies : point->body];
    }
    return phx_reader_names(reader, *names, ports, sizeof *ports, n_ports);
}

/* The port `name` of a beam that is cut in segments. */
static phx_status find_port_of_whole(phx_reader *reader, const phx_node *node, const phx_segmented *whole,
                                     const char *name, phx_model_point *point)
{
    const phx_model *m = reader->model;
    phx_nearest nearest = phx_nearest_to(name);
    phx_segments_port(reader, whole, name, point);
    if (point->port >= 0) {
        point->location = m->bodies[point->body].ports[point->port].location;
        return PHX_OK;
    }
    for (int k = 0; k < whole->count; k++)
        for (int p = 0; p < m->bodies[whole->first + k].n_ports; p++)
            phx_nearest_offer(&nearest, m->bodies[whole->first + k].ports[p].name);
    return phx_reader_fail(reader, node, "%s has no port %s%s", whole->name, phx_shown_text(name).text,
                           phx_nearest_hint(&nearest).text);
}

/* The port `name` of the body or ground that `point` has. */
static phx_status references_find_port(phx_reader *reader, const phx_node *node, const char *name,
                                       phx_model_point *point)
{
    const phx_model *m = reader->model;
    const phx_model_body *body = point->body == PHX_MODEL_GROUND ? NULL : &m->bodies[point->body];
    const phx_model_port *ports = body ? body->ports : m->ground_ports;
    int n_ports = body ? body->n_ports : m->n_ground_ports;
    phx_names *names = NULL;
    phx_status status = port_names(reader, point, ports, n_ports, &names);
    if (status)
        return status;
    point->port = phx_names_find(names, name);
    if (point->port < 0) {
        phx_nearest nearest = phx_nearest_to(name);
        phx_names_offer(names, &nearest);
        return phx_reader_fail(reader, node, "%s has no port %s%s", body ? body->name : "the ground",
                               phx_shown_text(name).text, phx_nearest_hint(&nearest).text);
    }
    point->location = ports[point->port].location;
    return PHX_OK;
}

static phx_status fail_no_locations(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const phx_shown kinds = phx_body_kinds_with_locations();
    const phx_model_body_info *info = body ? phx_model_body_info_of(body) : NULL;
    const char *name = body ? body->name : "ground";
    return phx_reader_fail(reader, node, "'@' names a point of %s %s, %s is %s; use one of its ports, '%s.%s'",
                           phx_article(kinds.text), kinds.text, name, info ? info->is : "no body", name,
                           info ? info->ports[0] : "O");
}

/* The number behind '@', an expression. */
static phx_status read_behind(phx_reader *reader, const phx_node *node, const char *text, double *value)
{
    phx_status status = phx_evaluator_value(reader->evaluator, text, value);
    if (status == PHX_ERR_INPUT) {
        phx_model_source at = node->source;
        const phx_expression *expression = phx_evaluator_expression(reader->evaluator);
        if (node->inside)
            at.column += (int)(text - node->text) + expression->error_at + !node->plain;
        return phx_reader_fail_at(reader, at, "%s", expression->error);
    }
    return status;
}

/* Reads the text after '@' as one of the allowed sorts of location: fraction of the length, node, or name. */
phx_status phx_read_location(phx_reader *reader, const phx_node *node, const char *text, unsigned sorts,
                             phx_location *location)
{
    const bool fraction = sorts & phx_location_bit(PHX_LOCATION_FRACTION);
    double value = 0.0;
    if ((sorts & phx_location_bit(PHX_LOCATION_NAME)) && !strchr("0123456789.+-(", *text)) {
        *location = phx_location_of_name(text);
        return PHX_OK;
    }
    phx_status status = read_behind(reader, node, text, &value);
    if (status)
        return status;
    const bool whole = (sorts & phx_location_bit(PHX_LOCATION_NODE)) && fabs(value) < 1e9 && value == floor(value);
    if (fraction ? !(value >= 0.0 && value <= 1.0) : !whole)
        return phx_reader_fail(reader, node, "expected a %s after '@', found %s = %.10g",
                               fraction ? "fraction of the length in [0, 1]" : phx_location_sorts_text(sorts).text,
                               phx_shown_text(text).text, value);
    *location =
        fraction ? phx_location_at_fraction(value) : (phx_location){.sort = PHX_LOCATION_NODE, .node = (int)value};
    return PHX_OK;
}

/* `body@text`. */
static phx_status find_location(phx_reader *reader, const phx_node *node, const char *text, phx_model_point *point)
{
    const phx_model_body *body = point->body == PHX_MODEL_GROUND ? NULL : &reader->model->bodies[point->body];
    const unsigned sorts = body ? phx_model_body_info_of(body)->locations : 0;
    point->port = -1;
    return sorts ? phx_read_location(reader, node, text, sorts, &point->location)
                 : fail_no_locations(reader, node, body);
}

/* `whole`: of a beam that is cut in segments, whose first is the body then. */
static phx_status find_owner(phx_reader *reader, const phx_node *node, const char *name, phx_model_point *point,
                             const phx_segmented **whole)
{
    const phx_model *m = reader->model;
    point->body = PHX_MODEL_GROUND;
    *whole = phx_segments_find(reader, name);
    if (*whole)
        point->body = (*whole)->first;
    if (*whole || !strcmp(name, "ground"))
        return PHX_OK;
    phx_names *names = &reader->content->bodies;
    phx_status status = phx_reader_names(reader, names, m->bodies, sizeof *m->bodies, m->n_bodies);
    if (status)
        return status;
    point->body = phx_names_find(names, name);
    if (point->body >= 0)
        return PHX_OK;
    phx_nearest nearest = phx_nearest_to(name);
    phx_names_offer(names, &nearest);
    phx_segments_offer(reader, &nearest);
    phx_nearest_offer(&nearest, "ground");
    return phx_reader_fail(reader, node, "expected the name of a body or ground before the port, found %s%s",
                           phx_shown_text(name).text, phx_nearest_hint(&nearest).text);
}

/* A word without port: when it is a body, its port P is meant more likely than not. */
static phx_status fail_without_port(phx_reader *reader, const phx_node *node)
{
    const phx_model *m = reader->model;
    phx_names *names = &reader->content->bodies;
    phx_status status = phx_reader_names(reader, names, m->bodies, sizeof *m->bodies, m->n_bodies);
    if (status)
        return status;
    bool ground = !strcmp(node->text, "ground");
    bool known = ground || phx_names_find(names, node->text) >= 0 || phx_segments_find(reader, node->text);
    return phx_reader_fail(reader, node, "expected a port like body.PORT, ground.PORT or body@0.25, found %s%s%s%s",
                           phx_shown_text(node->text).text, known ? "; did you mean '" : "", known ? node->text : "",
                           !known   ? ""
                           : ground ? ".O'?"
                                    : ".P'?");
}

/* Reads a point as body.PORT or body@LOCATION; for a body cut in segments it is resolved to the segment. */
phx_status phx_read_point(phx_reader *reader, const phx_node *node, phx_model_point *point)
{
    const char *text = node->text;
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node))
        return phx_reader_expected(reader, node, "a port like body.PORT, ground.PORT or body@0.25");
    size_t length = strcspn(text, ".@");
    if (!text[length])
        return fail_without_port(reader, node);
    char *owner = phx_reader_calloc(reader, length + 1, 1);
    if (!owner)
        return PHX_ERR_MEMORY;
    memcpy(owner, text, length);
    point->text = text;
    const phx_segmented *whole;
    phx_status status = find_owner(reader, node, owner, point, &whole);
    if (status)
        return status;
    if (text[length] == '@') {
        status = find_location(reader, node, text + length + 1, point);
        if (!status && whole)
            phx_segments_locate(whole, point->location.fraction, point);
        return status;
    }
    return whole ? find_port_of_whole(reader, node, whole, text + length + 1, point)
                 : references_find_port(reader, node, text + length + 1, point);
}

static phx_status read_port(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    return phx_read_point(reader, node, field);
}

static phx_status read_moving_port(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                   void *owner)
{
    (void)key, (void)owner;
    phx_model_point *point = field;
    phx_status status = phx_read_point(reader, node, point);
    if (!status && point->body == PHX_MODEL_GROUND)
        return phx_reader_fail(reader, node, "expected a port of a body, found %s; the ground does not move",
                               phx_shown_text(node->text).text);
    return status;
}

/* Reads a point and requires a body that has section forces. */
static phx_status read_section(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_model_point *point = field;
    phx_status status = phx_read_point(reader, node, point);
    if (status)
        return status;
    const phx_model_body_info *info =
        point->body == PHX_MODEL_GROUND ? NULL : phx_model_body_info_of(&reader->model->bodies[point->body]);
    const phx_shown kinds = phx_body_kinds_with_sections();
    if (!info || !info->sections)
        return phx_reader_fail(reader, node, "expected a point of %s %s like body@0.5, %s is %s",
                               phx_article(kinds.text), kinds.text, phx_point_owner(reader, point),
                               info ? info->is : "no body");
    return PHX_OK;
}

/* A point of a body, or a body: what is known of its stresses is checked with the quantity. */
static phx_status read_stressed(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_model_point *point = field;
    const phx_model *m = reader->model;

    if (node->kind == PHX_NODE_SCALAR && !phx_node_is_null(node) && !strpbrk(node->text, ".@") &&
        strcmp(node->text, "ground") != 0) {
        point->text = node->text;
        point->port = -1;
        point->location = (phx_location){.sort = PHX_LOCATION_SORTS};
        return find_item(reader, node, &reader->content->bodies, m->bodies, sizeof *m->bodies, m->n_bodies,
                         "a point like body.PORT or body@12, or the name of a body", &point->body);
    }
    const phx_status status = phx_read_point(reader, node, point);
    if (!status && point->body == PHX_MODEL_GROUND)
        return phx_reader_fail(reader, node, "expected a point of a body that deforms, found %s; the ground does not",
                               phx_shown_text(node->text).text);
    return status;
}

/* The name of a port of the body being read; `body.PORT` and `body@s` too. */
static phx_status read_own_port(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_model_point *point = field;
    const phx_model_body *body = reader->body; /* NULL: the ground */
    const char *text = node->text, *name = body ? body->name : "ground";
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node))
        return phx_reader_expected(reader, node, "the name of a port of this body");
    size_t length = strcspn(text, ".@");
    bool local = !text[length] || !strncmp(text, "@", 1);
    if (!local && (strncmp(text, name, length) || name[length]))
        return phx_reader_fail(reader, node, "expected a port of '%s' itself, found %s", name,
                               phx_shown_text(text).text);
    point->text = text;
    point->body = body ? (int)(body - reader->model->bodies) : PHX_MODEL_GROUND;
    if (text[length] == '@')
        return find_location(reader, node, text + length + 1, point);
    return references_find_port(reader, node, text[length] ? text + length + 1 : text, point);
}

static phx_status read_port_pair(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_model_point *points = field;
    if (node->kind != PHX_NODE_LIST || node->count != 2)
        return phx_reader_expected(reader, node, "two ports [A, B]");
    phx_status status = PHX_OK;
    for (int i = 0; i < 2 && !status; i++) {
        status = phx_reader_place(reader, &points[i], sizeof points[i], node->items[i]->source);
        if (!status)
            status = phx_read_point(reader, node->items[i], &points[i]);
    }
    return status;
}

#define NAME_JSON  "{\"type\": [\"string\", \"number\"]}"
#define POINT_JSON "{\"$ref\": \"#/$defs/point\"}"

const phx_type phx_type_material = {"name of a material", NAME_JSON, read_material, NULL};
const phx_type phx_type_long_body = {"name of a body", NAME_JSON, read_long_body, NULL};
const phx_type phx_type_meshed_body = {"name of a body", NAME_JSON, read_meshed_body, NULL};
const phx_type phx_type_joint = {"name of a joint", NAME_JSON, read_joint, NULL};
const phx_type phx_type_free_joint = {"name of a joint", NAME_JSON, read_free_joint, NULL};
const phx_type phx_type_acting = {"name of a spring or force", NAME_JSON, read_acting, NULL};
const phx_type phx_type_port = {"port", POINT_JSON, read_port, NULL};
const phx_type phx_type_moving_port = {"port", POINT_JSON, read_moving_port, NULL};
const phx_type phx_type_stressed = {"point of a body, or a body", NAME_JSON, read_stressed, NULL};
const phx_type phx_type_section = {"point of a body", POINT_JSON, read_section, NULL};
const phx_type phx_type_own_port = {"port of this body", NAME_JSON, read_own_port, NULL};
const phx_type phx_type_port_pair = {
    "[A, B]", "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": " POINT_JSON "}", read_port_pair,
    NULL};
