/* Joints, springs and loads. */
#include "body_kinds.h"
#include "segments.h"

#include <stdio.h>
#include <string.h>

/* ---- kinds ---- */
static unsigned traits_of(const phx_joint_info *info)
{
    static const unsigned of_axis[] = {[PHX_AXIS_NONE] = 0,
                                       [PHX_AXIS_LINE] = PHX_JOINT_TRANSLATION_AXIS,
                                       [PHX_AXIS_ROTATION] = PHX_JOINT_ROTATION_AXIS,
                                       [PHX_AXIS_NORMAL] = PHX_JOINT_NORMAL,
                                       [PHX_AXIS_PAIR] = PHX_JOINT_AXES};
    unsigned traits = of_axis[info->axis];
    if (info->axis_b)
        traits |= info->axis == PHX_AXIS_LINE ? PHX_JOINT_TRANSLATION_AXIS_B : PHX_JOINT_ROTATION_AXIS_B;
    if (info->relative)
        traits |= PHX_JOINT_RELATIVE;
    for (int c = 0; c < PHX_JOINT_MAX_COORDINATES && info->coordinates[c].name; c++)
        traits |= info->coordinates[c].angular ? PHX_JOINT_FREE_ANGLES : PHX_JOINT_FREE_DISPLACEMENTS;
    return traits;
}

static phx_word joint_word(int kind)
{
    const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)kind);
    if (!info)
        return (phx_word){.word = NULL};
    return (phx_word){.word = info->name,
                      .dims = (info->plane ? PHX_PLANE : 0u) | (info->space ? PHX_SPACE : 0u),
                      .traits = traits_of(info)};
}

const phx_word phx_words_joint[] = {{.at = joint_word}};

/* Allocates the coordinates of a joint by its kind before its keys are read. */
phx_status phx_begin_joint(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_joint *joint = object;
    const phx_joint_info *info = phx_joint_kind_info(joint->kind);
    const int n = info->n_coordinates[reader->model->dimension - 2];
    const phx_joint_coordinate *coordinates = phx_joint_kind_coordinates(info, reader->model->dimension);
    joint->coordinates = phx_reader_calloc(reader, (size_t)n, sizeof *joint->coordinates);
    if (!joint->coordinates)
        return PHX_ERR_MEMORY;
    joint->n_coordinates = n;
    for (int k = 0; k < n; k++)
        joint->coordinates[k] = (phx_model_coordinate){.angular = coordinates[k].angular, .gear_ratio = 1.0};
    reader->joint = joint;
    return phx_reader_place(reader, joint->coordinates, (size_t)n * sizeof *joint->coordinates,
                            reader->item ? reader->item->source : node->source);
}

/* Checks a joint: a prescribed motion excludes start and rate, nothing slides across segments, and its ports belong to
 * different bodies. */
phx_status phx_finish_joint(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_joint *joint = object;
    for (int k = 0; k < joint->n_coordinates; k++) {
        const phx_model_coordinate *one = &joint->coordinates[k];
        const char *other = one->speed          ? "speed"
                            : one->rate.given   ? "rate"
                            : !one->start.given ? NULL
                            : one->angular      ? "angle"
                                                : "position";
        if (one->motion && other)
            return phx_reader_fail(reader, phx_node_find(node, other),
                                   "'motion' prescribes this coordinate, its start and its rate; leave out '%s'",
                                   other);
    }
    const phx_segmented *whole = phx_segments_of_point(reader, &joint->ports[0]);
    if (whole && phx_joint_kind_info(joint->kind)->slides)
        return phx_reader_fail(reader, phx_node_find(node, "ports"),
                               "'%s' is cut in segments, across whose welds nothing slides; make it a rod (kind: rod), "
                               "or name one segment, '%s/1.P'",
                               whole->name, whole->name);
    if (joint->ports[0].body == joint->ports[1].body)
        return phx_reader_fail(reader, phx_node_find(node, "ports"),
                               "both ports belong to '%s'; a joint connects two bodies, or a body and the ground",
                               phx_point_owner(reader, &joint->ports[0]));
    return PHX_OK;
}

phx_status phx_finish_spring(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_point *p = ((const phx_model_spring *)object)->ports;
    bool held = p[0].body == p[1].body; /* the two points, against each other */
    if (held && p[0].body != PHX_MODEL_GROUND)
        held = !phx_model_body_info_of(&reader->model->bodies[p[0].body])->deforms ||
               phx_location_same(&p[0].location, &p[1].location);
    if (held)
        return phx_reader_fail(reader, phx_node_find(node, "ports"),
                               "the distance of '%s' and '%s' never changes; a spring "
                               "needs two points that move",
                               p[0].text, p[1].text);
    return PHX_OK;
}

phx_status phx_finish_load(phx_reader *reader, const phx_node *node, void *object)
{
    (void)node;
    phx_model_load *load = object;
    const bool scalar = load->kind == PHX_MODEL_PRESSURE || load->kind == PHX_MODEL_TEMPERATURE;
    if (load->kind != PHX_MODEL_DISTRIBUTED && load->kind != PHX_MODEL_TRACTION && !scalar)
        load->on = -1;
    load->n_components = reader->model->dimension;
    if ((load->kind == PHX_MODEL_TORQUE && reader->model->dimension == 2) || scalar)
        load->n_components = 1;
    return PHX_OK;
}

/* ---- keys of the free coordinates ---- */
typedef phx_status one_fn(phx_reader *reader, const phx_key *key, const phx_node *node, void *field);
typedef enum selection { ALL_COORDINATES, ANGLES, DISPLACEMENTS } selection;

static bool selects(selection which, const phx_model_coordinate *coordinate)
{
    return which == ALL_COORDINATES || coordinate->angular == (which == ANGLES);
}

/* One value, or a list of one for each selected coordinate (null: not given). `field` lies in coordinate 0. */
static phx_status read_coordinates(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                   selection which, one_fn *one)
{
    const phx_model_joint *joint = reader->joint;
    int wanted = 0, next = 0;
    for (int k = 0; k < joint->n_coordinates; k++)
        wanted += selects(which, &joint->coordinates[k]);
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    bool list = node->kind == PHX_NODE_LIST;
    if (list ? node->count != wanted : wanted != 1) {
        char expected[80];
        snprintf(expected, sizeof expected,
                 wanted == 1 ? "one value" : "a list of %d values, one for each free coordinate", wanted);
        return phx_reader_expected(reader, node, expected);
    }
    for (int k = 0; k < joint->n_coordinates; k++) {
        if (!selects(which, &joint->coordinates[k]))
            continue;
        const phx_node *value = list ? node->items[next++] : node;
        char *at = (char *)field + (size_t)k * sizeof(phx_model_coordinate);
        if (list && phx_node_is_null(value))
            continue;
        phx_status status = phx_reader_place(reader, at, 1, value->source);
        if (!status)
            status = one(reader, key, value, at);
        if (status)
            return status;
    }
    return PHX_OK;
}

static phx_status one_number(phx_reader *reader, const phx_key *key, const phx_node *node, void *field)
{
    return phx_read_number(reader, node, key->range, field);
}

static phx_status one_optional(phx_reader *reader, const phx_key *key, const phx_node *node, void *field)
{
    phx_model_optional *optional = field;
    optional->given = true;
    return phx_read_number(reader, node, key->range, &optional->value);
}

static phx_status one_signal(phx_reader *reader, const phx_key *key, const phx_node *node, void *field)
{
    phx_signal *signal = NULL;
    (void)key;
    const phx_status status = phx_read_signal(reader, node, PHX_USE_TIME, &signal);
    memcpy(field, &signal, sizeof signal);
    return status;
}

static phx_status one_object(phx_reader *reader, const phx_key *key, const phx_node *node, void *field)
{
    const bool given = true;
    memcpy(field, &given, sizeof given);
    return phx_read_object(reader, key->object, node, field);
}

static phx_status read_coordinate_object(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                         void *owner)
{
    (void)owner;
    return read_coordinates(reader, key, node, field, ALL_COORDINATES, one_object);
}

static phx_status read_start_angle(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                   void *owner)
{
    (void)owner;
    return read_coordinates(reader, key, node, field, ANGLES, one_optional);
}

static phx_status read_start_position(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                      void *owner)
{
    (void)owner;
    return read_coordinates(reader, key, node, field, DISPLACEMENTS, one_optional);
}

static phx_status read_coordinate_rate(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                       void *owner)
{
    (void)owner;
    return read_coordinates(reader, key, node, field, ALL_COORDINATES, one_optional);
}

static phx_status read_coordinate_number(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                         void *owner)
{
    (void)owner;
    return read_coordinates(reader, key, node, field, ALL_COORDINATES, one_number);
}

static phx_status read_coordinate_signal(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                         void *owner)
{
    (void)owner;
    return read_coordinates(reader, key, node, field, ALL_COORDINATES, one_signal);
}

#define VALUES_JSON(item)                                                                                              \
    "{\"anyOf\": [" item ", {\"type\": \"array\", \"items\": {\"anyOf\": [" item ", {\"type\": \"null\"}]}}]}"
#define NUMBERS_JSON VALUES_JSON("{\"$ref\": \"#/$defs/number\"}")
#define SIGNALS_JSON VALUES_JSON("{\"$ref\": \"#/$defs/signal\"}")

const phx_type phx_type_start_angle = {"number, or list", NUMBERS_JSON, read_start_angle, NULL};
const phx_type phx_type_start_position = {"number, or list", NUMBERS_JSON, read_start_position, NULL};
const phx_type phx_type_coordinate_rate = {"number, or list", NUMBERS_JSON, read_coordinate_rate, NULL};
const phx_type phx_type_coordinate_number = {"number, or list", NUMBERS_JSON, read_coordinate_number, NULL};
const phx_type phx_type_coordinate_object = {"map of keys, or list", NULL, read_coordinate_object, NULL};
const phx_type phx_type_coordinate_signal = {"signal, or list", SIGNALS_JSON, read_coordinate_signal, NULL};
