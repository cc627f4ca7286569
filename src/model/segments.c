/* Beams cut in segments: bodies, welds, and what acts along the whole length. */
#include "segments.h"

#include "algebra/algebra.h"
#include "body_kinds.h"
#include "force_kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a length: places nearer than this to an end of a segment are at it. */
static const double NEAR = 1e-9;

/* ---- questions ---- */
const phx_segmented *phx_segments_find(const phx_reader *reader, const char *name)
{
    const int k = phx_names_find(&reader->content->segmented_names, name);
    return k >= 0 ? &reader->content->segmented[k] : NULL;
}

const phx_segmented *phx_segments_of_point(const phx_reader *reader, const phx_model_point *point)
{
    const char *whole = point->body == PHX_MODEL_GROUND ? NULL : reader->model->bodies[point->body].whole;
    const size_t length = whole ? strlen(whole) : 0;
    const bool named = whole && !strncmp(point->text, whole, length) && strchr(".@", point->text[length]);
    return named ? phx_segments_find(reader, whole) : NULL;
}

void phx_segments_offer(const phx_reader *reader, phx_nearest *nearest)
{
    phx_names_offer(&reader->content->segmented_names, nearest);
}

/* Segment, from 0, and place in it at a fraction of the whole; at a weld the end of the one before. */
static int segment_at(int count, double fraction, double *inside)
{
    const double place =
        fabs(fraction * count - round(fraction * count)) < NEAR * count ? round(fraction * count) : fraction * count;
    const int k = place > 0.0 ? (int)ceil(place) - 1 : 0;
    *inside = place - k;
    return k;
}

void phx_segments_locate(const phx_segmented *whole, double fraction, phx_model_point *point)
{
    double inside;
    point->body = whole->first + segment_at(whole->count, fraction, &inside);
    point->location = phx_location_at_fraction(inside);
}

/* Finds a port of a body that is cut in segments: P of the first, C of the last, or a port of its own on any;
 * point->port is -1 if there is none. */
void phx_segments_port(const phx_reader *reader, const phx_segmented *whole, const char *name, phx_model_point *point)
{
    enum { P, C };
    point->port = -1;
    for (int k = 0; k < whole->count && point->port < 0; k++) {
        const phx_model_body *segment = &reader->model->bodies[whole->first + k];
        for (int p = 0; p < segment->n_ports; p++) {
            const bool end = (p == P && k == 0) || (p == C && k == whole->count - 1);
            if ((p > C || end) && !strcmp(segment->ports[p].name, name)) {
                point->body = whole->first + k;
                point->port = p;
            }
        }
    }
}

int phx_segments_number(const phx_reader *reader, const phx_segmented *whole)
{
    return PHX_MODEL_GROUND - 1 - (int)(whole - reader->content->segmented);
}

static const phx_segmented *of_number(const phx_reader *reader, int number)
{
    return number < PHX_MODEL_GROUND ? &reader->content->segmented[PHX_MODEL_GROUND - 1 - number] : NULL;
}

/* ---- memory ---- */
/* "NAME/k", from 1. */
static const char *numbered(phx_reader *reader, const char *name, int k)
{
    const size_t room = strlen(name) + 12;
    char *text = phx_reader_calloc(reader, room, 1);
    if (text)
        snprintf(text, room, "%s/%d", name, k + 1);
    return text;
}

/* Where an item was written. */
static phx_model_source source_of(const phx_reader *reader, const void *item)
{
    const phx_content *content = reader->content;
    for (int k = 0; k < content->n_places; k++)
        if (content->places[k].address == (const char *)item)
            return content->places[k].source;
    return (phx_model_source){0, 0};
}

/* The places in the file of the items of an array, for those of another: item i became first[i] .. first[i+1]-1. */
static phx_status copy_places(phx_reader *reader, const void *items, size_t size, int count, void *copies,
                              const int *first)
{
    const char *from = items;
    const phx_content *content = reader->content;
    const int n = content->n_places;
    phx_status status = PHX_OK;

    for (int k = 0; k < n; k++) {
        const phx_place place = content->places[k];
        if (place.address < from || place.address >= from + (size_t)count * size)
            continue;
        const size_t at = (size_t)(place.address - from), inside = at % size;
        for (int i = first[at / size]; i < first[at / size + 1] && !status; i++)
            status = phx_reader_place(reader, (char *)copies + (size_t)i * size + inside, place.size, place.source);
    }
    return status;
}

/* An array of the model, each of whose items becomes `parts` of them, which `cut` makes at `made` from number `first`
 * on. */
typedef struct cutting {
    size_t size;
    int (*parts)(const phx_reader *reader, int item);
    phx_status (*cut)(phx_reader *reader, int item, int first, void *made);
} cutting;

/* Replaces an array of objects by one in which each is cut into its parts, with their places in the file. Does nothing
 * if no object is cut. */
static phx_status cut_all(phx_reader *reader, const cutting *how, int *count, void *field)
{
    const int n = *count;
    int *first = phx_reader_calloc(reader, (size_t)n + 1, sizeof *first);
    const void *items;
    char *made;

    memcpy(&items, field, sizeof items);
    for (int i = 0; first && i < n; i++)
        first[i + 1] = first[i] + how->parts(reader, i);
    if (first && first[n] == n)
        return PHX_OK;
    made = first ? phx_reader_calloc(reader, (size_t)first[n], how->size) : NULL;
    phx_status status = made ? PHX_OK : PHX_ERR_MEMORY;
    for (int i = 0; i < n && !status; i++)
        status = how->cut(reader, i, first[i], made + (size_t)first[i] * how->size);
    if (!status)
        status = copy_places(reader, items, how->size, n, made, first);
    if (status)
        return status;
    memcpy(field, &made, sizeof made);
    *count = first[n];
    return PHX_OK;
}

/* ---- bodies ---- */
static int segments_of_body(const phx_reader *reader, int item)
{
    return reader->model->bodies[item].segments;
}

/* Ports P and C, and those of the whole that lie on segment k. */
static phx_status cut_ports(phx_reader *reader, const phx_model_body *whole, int k, phx_model_body *segment)
{
    enum { ENDS = 2 };
    double inside;
    segment->ports = phx_reader_calloc(reader, (size_t)whole->n_ports, sizeof *segment->ports);
    if (!segment->ports)
        return PHX_ERR_MEMORY;
    segment->n_ports = 0;
    for (int p = 0; p < whole->n_ports; p++) {
        phx_model_port port = whole->ports[p];
        if (p >= ENDS && segment_at(whole->segments, port.location.fraction, &inside) != k)
            continue;
        if (p >= ENDS)
            port.location.fraction = inside;
        phx_body_row_of(segment)->place_port(segment, &port);
        segment->ports[segment->n_ports++] = port;
    }
    return PHX_OK;
}

/* Masses of the whole that lie on segment k, which is body `index`. */
static phx_status cut_masses(phx_reader *reader, const phx_model_body *whole, int k, int index, phx_model_body *segment)
{
    double inside;
    segment->point_masses = phx_reader_calloc(reader, (size_t)whole->n_point_masses, sizeof *segment->point_masses);
    if (!segment->point_masses)
        return PHX_ERR_MEMORY;
    segment->n_point_masses = 0;
    for (int m = 0; m < whole->n_point_masses; m++) {
        phx_model_point_mass mass = whole->point_masses[m];
        if (segment_at(whole->segments, mass.at.location.fraction, &inside) != k)
            continue;
        mass.at.body = index;
        mass.at.port = -1;
        mass.at.location = phx_location_at_fraction(inside);
        segment->point_masses[segment->n_point_masses++] = mass;
    }
    return PHX_OK;
}

/* Frame and velocity of a segment that begins at x along the whole, which moves as a rigid body. */
static void move_frame(int dim, double x, phx_model_body *segment)
{
    double arm[3] = {0.0, 0.0, 0.0}, turning[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < dim; a++) {
        arm[a] = x * segment->pose.rotation.matrix[a * dim];
        segment->pose.position[a] += arm[a];
    }
    phx_rot_x_vec(dim, segment->velocity.angular, arm, turning);
    for (int a = 0; a < dim; a++)
        segment->velocity.linear[a] += turning[a];
}

static phx_status cut_body(phx_reader *reader, const phx_model_body *whole, int k, int index, phx_model_body *segment)
{
    *segment = *whole;
    segment->whole = whole->name;
    segment->n_visuals = k == 0 ? whole->n_visuals : 0; /* the picture carries them along all segments */
    segment->name = numbered(reader, whole->name, k);
    segment->length = whole->length / whole->segments;
    move_frame(reader->model->dimension, k * segment->length, segment);
    phx_status status = segment->name ? cut_ports(reader, whole, k, segment) : PHX_ERR_MEMORY;
    return status ? status : cut_masses(reader, whole, k, index, segment);
}

/* A body that is not cut changes its number. */
static phx_status cut_or_copy(phx_reader *reader, int item, int first, void *made)
{
    const phx_model_body *whole = &reader->model->bodies[item];
    phx_content *content = reader->content;
    phx_model_body *bodies = made;
    phx_status status = PHX_OK;

    if (whole->segments == 1) {
        bodies[0] = *whole;
        for (int m = 0; m < whole->n_point_masses; m++)
            bodies[0].point_masses[m].at.body = first;
        return PHX_OK;
    }
    content->segmented[content->n_segmented++] =
        (phx_segmented){whole->name, first, whole->segments, source_of(reader, whole)};
    for (int k = 0; k < whole->segments && !status; k++)
        status = cut_body(reader, whole, k, first + k, &bodies[k]);
    return status;
}

/* Cuts all bodies with several segments and registers the names of the whole ones; bounds the number of all bodies. */
phx_status phx_segments_cut(phx_reader *reader, const phx_node *node)
{
    static const cutting bodies = {sizeof(phx_model_body), segments_of_body, cut_or_copy};
    phx_model *model = reader->model;
    phx_content *content = reader->content;
    double all = 0.0;

    for (int i = 0; i < model->n_bodies; i++)
        all += segments_of_body(reader, i);
    if (all > PHX_MODEL_MAX_ELEMENTS && all > model->n_bodies)
        return phx_reader_fail(reader, node, "expected at most %d bodies with all segments, found %.10g",
                               PHX_MODEL_MAX_ELEMENTS, all);
    content->segmented = phx_reader_calloc(reader, (size_t)model->n_bodies, sizeof *content->segmented);
    phx_status status = content->segmented ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = cut_all(reader, &bodies, &model->n_bodies, &model->bodies);
    return status ? status
                  : phx_reader_names(reader, &content->segmented_names, content->segmented, sizeof *content->segmented,
                                     content->n_segmented);
}

/* ---- welds ---- */
/* Port p of a body or the ground. */
static phx_status set_end(phx_reader *reader, int body, int p, phx_model_point *point)
{
    const phx_model *model = reader->model;
    const char *name = body == PHX_MODEL_GROUND ? "ground" : model->bodies[body].name;
    const phx_model_port *port = body == PHX_MODEL_GROUND ? &model->ground_ports[p] : &model->bodies[body].ports[p];
    const size_t room = strlen(name) + strlen(port->name) + 2;
    char *text = phx_reader_calloc(reader, room, 1);
    if (!text)
        return PHX_ERR_MEMORY;
    snprintf(text, room, "%s.%s", name, port->name);
    *point = (phx_model_point){.text = text, .body = body, .port = p, .location = port->location};
    return PHX_OK;
}

/* The weld of a held port to the origin of the ground, in the attitude that the poses have. */
static phx_status weld_held(phx_reader *reader, int body, int p, phx_model_joint *weld)
{
    const phx_model_body *held = &reader->model->bodies[body];
    const size_t room = strlen(held->name) + strlen(held->ports[p].name) + 2;
    char *name = phx_reader_calloc(reader, room, 1);
    if (!name)
        return PHX_ERR_MEMORY;
    snprintf(name, room, "%s/%s", held->name, held->ports[p].name);
    *weld = (phx_model_joint){.name = name, .kind = PHX_JOINT_WELD, .active = true};
    phx_status status = set_end(reader, PHX_MODEL_GROUND, 0, &weld->ports[0]);
    if (!status)
        status = set_end(reader, body, p, &weld->ports[1]);
    return status ? status : phx_reader_place(reader, weld, sizeof *weld, source_of(reader, held));
}

/* How many ports of all bodies are held. */
static int count_held(const phx_model *model)
{
    int count = 0;
    for (int b = 0; b < model->n_bodies; b++)
        for (int p = 0; p < model->bodies[b].n_ports; p++)
            count += model->bodies[b].ports[p].held;
    return count;
}

/* The weld of the end C of a segment with the end P of the next. */
static phx_status weld_ends(phx_reader *reader, const phx_segmented *whole, int k, phx_model_joint *weld)
{
    enum { P, C };
    const int dim = reader->model->dimension, body = whole->first + k;
    const size_t room = strlen(whole->name) + 24;
    char *name = phx_reader_calloc(reader, room, 1);
    if (!name)
        return PHX_ERR_MEMORY;
    snprintf(name, room, "%s/%d-%d", whole->name, k + 1, k + 2);
    *weld = (phx_model_joint){.name = name, .kind = PHX_JOINT_WELD, .active = true, .relative = {.given = true}};
    for (int a = 0; a < dim; a++)
        weld->relative.matrix[a * (dim + 1)] = 1.0;
    phx_status status = set_end(reader, body, C, &weld->ports[0]);
    if (!status)
        status = set_end(reader, body + 1, P, &weld->ports[1]);
    return status ? status : phx_reader_place(reader, weld, sizeof *weld, whole->source);
}

/* Behind the joints of the file. */
static phx_status add_welds(phx_reader *reader)
{
    phx_model *model = reader->model;
    const phx_content *content = reader->content;
    const phx_model_joint *before = model->joints;
    const int n = model->n_joints;
    int all = n + count_held(model), *first = phx_reader_calloc(reader, (size_t)n + 1, sizeof *first);

    for (int g = 0; g < content->n_segmented; g++)
        all += content->segmented[g].count - 1;
    phx_model_joint *joints = phx_reader_calloc(reader, (size_t)all, sizeof *joints);
    if (!first || !joints)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        joints[j] = before[j];
        first[j + 1] = j + 1;
    }
    phx_status status = n > 0 ? copy_places(reader, before, sizeof *joints, n, joints, first) : PHX_OK;
    model->joints = joints;
    for (int g = 0; g < content->n_segmented && !status; g++)
        for (int k = 0; k + 1 < content->segmented[g].count && !status; k++)
            status = weld_ends(reader, &content->segmented[g], k, &joints[model->n_joints++]);
    for (int b = 0; b < model->n_bodies; b++)
        for (int p = 0; p < model->bodies[b].n_ports && !status; p++)
            if (model->bodies[b].ports[p].held)
                status = weld_held(reader, b, p, &joints[model->n_joints++]);
    return status;
}

/* ---- loads along the length ---- */
static int segments_of_load(const phx_reader *reader, int item)
{
    const phx_segmented *whole = of_number(reader, reader->model->loads[item].on);
    return whole ? whole->count : 1;
}

/* An expression of s, the place along the whole, as one of the place along segment k. */
static phx_status shift_text(phx_reader *reader, const char *text, int k, int count, const char **shifted)
{
    phx_status status = phx_evaluator_scan(reader->evaluator, text, PHX_USE_TIME_AND_PLACE);
    const phx_expression *expression = phx_evaluator_expression(reader->evaluator);
    phx_text made = {.context = reader->context};
    int done = 0;

    for (int i = 0; i < expression->n_tokens && !status; i++) {
        const phx_token *token = &expression->tokens[i];
        if (token->kind != PHX_TOKEN_NAME || !phx_token_is(expression, token, "s"))
            continue;
        phx_text_add(&made, "%.*s((s + %d)/%d)", token->start - done, text + done, k, count);
        done = token->start + token->length;
    }
    phx_text_add(&made, "%s", text + done);
    *shifted = made.failed ? NULL : phx_arena_text(reader->context, &reader->content->memory, made.text, made.length);
    phx_free(made.text);
    return status || *shifted ? status : PHX_ERR_MEMORY;
}

/* The signal of a load on the whole for segment k. Tables do not depend on the place. */
static phx_status shift_signal(phx_reader *reader, int k, int count, phx_signal **signal)
{
    const phx_content *content = reader->content;
    int found = 0;
    while (found < content->n_signals && content->signals[found].signal != *signal)
        found++;
    if (found == content->n_signals || !content->signals[found].text)
        return PHX_OK;
    phx_owned_signal made = {.use = content->signals[found].use};
    phx_status status = shift_text(reader, content->signals[found].text, k, count, &made.text);
    if (!status)
        status = phx_evaluator_signal(reader->evaluator, made.text, made.use, &made.signal);
    if (!status)
        status = phx_reader_own_signal(reader, &made);
    *signal = made.signal;
    return status;
}

/* Copies a load, or cuts a distributed one into a load for each segment with the coordinate along the body shifted to
 * match. */
static phx_status cut_load(phx_reader *reader, int item, int first, void *made)
{
    const phx_model_load *load = &reader->model->loads[item];
    const phx_segmented *whole = of_number(reader, load->on);
    phx_model_load *loads = made;
    phx_status status = PHX_OK;
    (void)first;

    loads[0] = *load;
    for (int k = 0; whole && k < whole->count && !status; k++) {
        loads[k] = *load;
        loads[k].on = whole->first + k;
        loads[k].name = numbered(reader, load->name, k);
        status = loads[k].name ? PHX_OK : PHX_ERR_MEMORY;
        for (int c = 0; c < load->n_components && !status; c++)
            status = shift_signal(reader, k, whole->count, &loads[k].component[c]);
    }
    if (status == PHX_ERR_INPUT)
        return phx_reader_fail_at(reader, source_of(reader, load), "load '%s' on the segments of '%s': %s", load->name,
                                  whole->name, phx_evaluator_expression(reader->evaluator)->error);
    return status;
}

/* ---- forces along the length ---- */
/* The body along which a force acts, NULL: it acts between points. */
static int *segments_along(const phx_model_force *force)
{
    const phx_force_row *row = phx_force_row_of(force);
    return row->along ? row->along(force->own) : NULL;
}

static int segments_of_force(const phx_reader *reader, int item)
{
    const int *body = segments_along(&reader->model->forces[item]);
    const phx_segmented *whole = body ? of_number(reader, *body) : NULL;
    return whole ? whole->count : 1;
}

/* Copies a force, or cuts one along a segmented body into a force for each segment. */
static phx_status cut_force(phx_reader *reader, int item, int first, void *made)
{
    const phx_model_force *force = &reader->model->forces[item];
    const int *body = segments_along(force);
    const phx_segmented *whole = body ? of_number(reader, *body) : NULL;
    const size_t size = phx_force_row_of(force)->own_size;
    phx_model_force *forces = made;
    (void)first;

    forces[0] = *force;
    for (int k = 0; whole && k < whole->count; k++) {
        forces[k] = *force;
        forces[k].name = numbered(reader, force->name, k);
        forces[k].own = phx_reader_calloc(reader, 1, size);
        if (!forces[k].name || !forces[k].own)
            return PHX_ERR_MEMORY;
        memcpy(forces[k].own, force->own, size);
        *segments_along(&forces[k]) = whole->first + k;
    }
    return PHX_OK;
}

/* After joints, loads and forces are read, adds the welds between segments and of held ports, and cuts loads and forces
 * on segmented bodies. */
phx_status phx_segments_finish(phx_reader *reader)
{
    static const cutting loads = {sizeof(phx_model_load), segments_of_load, cut_load};
    static const cutting forces = {sizeof(phx_model_force), segments_of_force, cut_force};
    phx_model *model = reader->model;

    if (reader->content->n_segmented == 0 && count_held(model) == 0)
        return PHX_OK;
    phx_status status = add_welds(reader);
    if (!status)
        status = cut_all(reader, &loads, &model->n_loads, &model->loads);
    if (!status)
        status = cut_all(reader, &forces, &model->n_forces, &model->forces);
    reader->content->joints = (phx_names){0, NULL}; /* there are more of them now */
    return status;
}
