/* The body given by its modes. */
#include "body_kinds.h"
#include "schema_parts.h"

#include <string.h>

/* ---- keys ---- */
#define MODAL BIT(PHX_MODEL_MODAL)
static const phx_key shape_keys[] = {
    {"translation", &phx_type_vector, AT(phx_model_shape, translation), .unit = "kg^-1/2", .fallback = "zero",
     .doc = "displacement of the port in the mode, body components"},
    {"rotation", &phx_type_turn, AT(phx_model_shape, rotation), .unit = "kg^-1/2/m", .fallback = "zero",
     .doc = "small rotation of the port in the mode, body components"},
};
static const phx_object port_shape = {"shape at a port", "How a mass-normalised mode moves the port.",
                                      TABLE(phx_model_shape, shape_keys)};

static const phx_key modal_port_keys[] = {
    {"position", &phx_type_vector, AT(phx_model_port, position), .unit = "m", .fallback = "zero",
     .doc = "place, in body components"},
    {"rotation", &phx_type_rotation, AT(phx_model_port, rotation), .fallback = "none", .object = &phx_schema_rotation,
     .doc = "takes port components to body components"},
    {"angle", &phx_type_angle, AT(phx_model_port, rotation), .dims = PHX_PLANE, .unit = "rad", .fallback = "0",
     .doc = "the same as rotation, in the plane"},
    {"shapes", &phx_type_list, AT(phx_model_port, shapes), .object = &port_shape, .fallback = "not moved",
     .count_offset = AT(phx_model_port, n_shapes), .doc = "one for each mode of the body, in their order"},
};
static const phx_object modal_port = {"port of a modal body", "Its directions turn with the shapes.",
                                      TABLE(phx_model_port, modal_port_keys), .finish = phx_finish_port};

static const phx_key mode_keys[] = {
    {"frequency", &phx_type_number, AT(phx_model_mode, frequency), .required = true, .unit = "Hz", .range = &positive,
     .doc = "natural frequency of the body held by its frame"},
    {"damping", &phx_type_number, AT(phx_model_mode, damping), .range = &not_negative, .fallback = "0",
     .doc = "ratio of critical damping"},
    {"translation", &phx_type_vector, AT(phx_model_mode, participation.translation), .unit = "kg^1/2",
     .fallback = "zero", .doc = "participation factors of translation, body components"},
    {"rotation", &phx_type_turn, AT(phx_model_mode, participation.rotation), .unit = "kg^1/2 m", .fallback = "zero",
     .doc = "participation factors of rotation about the body's origin"},
    {"inertia", &phx_type_pairs, AT(phx_model_mode, inertia), .unit = "kg^1/2 m", .fallback = "0",
     .doc = "change of the inertia about the origin with the mode"},
};
static const phx_object mode = {"mode", "Mass-normalised.", TABLE(phx_model_mode, mode_keys)};

static const phx_key second_order_keys[] = {
    {"gyroscopic", &phx_type_gyroscopic, AT(phx_model_second_order, gyroscopic), .fallback = "0",
     .doc = "int rho (Phi_a^T Phi_b - Phi_b^T Phi_a) about each axis, antisymmetric"},
    {"inertia", &phx_type_second, AT(phx_model_second_order, inertia), .unit = "1", .fallback = "0",
     .doc = "second derivative of the inertia, symmetric; pairs 11 22 33 12 13 23"},
};
static const phx_object second_order = {"second_order",
                                        "Integrals of second order in the deformation, matrices over the modes: one "
                                        "for each axis (plane: one) or pair of axes.",
                                        TABLE(phx_model_second_order, second_order_keys)};

static const phx_key keys[] = {
    {"modes", &phx_type_list, AT(phx_model_body, modes), .required = true, .kinds = MODAL, .object = &mode,
     .count_offset = AT(phx_model_body, n_modes), .doc = "modes of the body, mass-normalised"},
    {"second_order", &phx_type_object, AT(phx_model_body, second_order), .kinds = MODAL, .object = &second_order,
     .fallback = "zero", .doc = "shape integrals of second order"},
    {"ports", &phx_type_ports, AT(phx_model_body, ports), .kinds = MODAL, .object = &modal_port, .fallback = "P",
     .count_offset = AT(phx_model_body, n_ports),
     .doc = "named ports; P, the origin, exists without being named, and no mode moves it then"},
};

/* ---- reading ---- */
static void body_modal_place_port(const phx_model_body *body, phx_model_port *port)
{
    (void)body;
    port->location = phx_location_of_name(port->name);
}

static phx_status finish_port(phx_reader *reader, const phx_node *node, const phx_model_port *port)
{
    const phx_node *shapes = phx_node_find(node, "shapes");
    if (shapes && port->n_shapes != reader->body->n_modes)
        return phx_reader_fail(reader, shapes, "expected one shape for each of the %d modes of the body, found %d",
                               reader->body->n_modes, port->n_shapes);
    const double *x = port->position;
    if (!strcmp(port->name, "P") && (x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0))
        return phx_reader_fail(reader, phx_node_find(node, "position"),
                               "port P is the origin of the body; leave its position out, or choose another name");
    return PHX_OK;
}

static phx_status body_modal_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    if (body->n_modes < 1)
        return phx_reader_fail(reader, phx_node_find(node, "modes"),
                               "expected at least one mode; a body without modes is 'rigid'");
    return phx_check_inertia_of(reader, node, body);
}

/* ---- building ---- */
static const double two_pi = 6.28318530717958647693;

/* How the modes move a port. */
static phx_status make_point(phx_builder *builder, const phx_model_body *body, const phx_model_port *port,
                             phx_flex_point *point)
{
    const int dim = builder->model->dimension, n_rot = dim == 2 ? 1 : 3, n = body->n_modes;
    double *shapes = phx_calloc(builder->context, (size_t)((dim + n_rot) * n), sizeof *shapes);

    if (!shapes)
        return PHX_ERR_MEMORY;
    double *translation = shapes, *rotation = shapes + dim * n;
    for (int k = 0; k < port->n_shapes; k++) {
        memcpy(translation + k * dim, port->shapes[k].translation, (size_t)dim * sizeof *shapes);
        memcpy(rotation + k * n_rot, port->shapes[k].rotation, (size_t)n_rot * sizeof *shapes);
    }
    phx_status status = phx_modal_point(builder->context, dim, n, port->position, translation, rotation, point);
    phx_free(shapes);
    return status;
}

/* The arrays that phx_modal_data wants, in one piece of memory. */
static void fill_data(int dim, const phx_model_body *body, double *values, phx_modal_data *data)
{
    const int n = body->n_modes, n_rot = dim == 2 ? 1 : 3, n_pair = dim == 2 ? 1 : 6;
    double *frequency = values, *translation = frequency + n, *rotation = translation + n * dim,
           *first = rotation + n * n_rot;

    for (int k = 0; k < n; k++) {
        const phx_model_mode *shape = &body->modes[k];
        frequency[k] = shape->frequency;
        memcpy(translation + k * dim, shape->participation.translation, (size_t)dim * sizeof *values);
        memcpy(rotation + k * n_rot, shape->participation.rotation, (size_t)n_rot * sizeof *values);
        memcpy(first + k * n_pair, shape->inertia, (size_t)n_pair * sizeof *values);
    }
    *data = (phx_modal_data){.dim = dim,
                             .mass = body->mass,
                             .modes = n,
                             .frequency = frequency,
                             .translation = translation,
                             .rotation = rotation,
                             .inertia_first = first,
                             .gyroscopic = body->second_order.gyroscopic,
                             .inertia_second = body->second_order.inertia};
    memcpy(data->inertia, body->inertia, sizeof data->inertia);
    memcpy(data->centre, body->centre_of_mass, sizeof data->centre);
}

/* Modal data beside the numbers of the modes: a point for each port, by name, and masses there. */
typedef struct modal_parts {
    int n_points;
    phx_flex_point *points;
    phx_modal_named *named;
    phx_modal_mass *masses;
} modal_parts;

/* Creates port points and point masses of a body given by modes; n_points counts the points to be freed. */
static phx_status make_parts(phx_builder *builder, const phx_model_body *body, modal_parts *parts)
{
    phx_context *context = builder->context;
    phx_status status = PHX_OK;

    parts->points = phx_calloc(context, (size_t)body->n_ports, sizeof *parts->points);
    parts->named = phx_calloc(context, (size_t)body->n_ports, sizeof *parts->named);
    parts->masses = phx_calloc(context, (size_t)body->n_point_masses, sizeof *parts->masses);
    if (!parts->points || !parts->named || !parts->masses)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < body->n_ports && !status; k++) {
        status = make_point(builder, body, &body->ports[k], &parts->points[k]);
        parts->named[k] = (phx_modal_named){body->ports[k].name, &parts->points[k]};
        parts->n_points += !status;
    }
    for (int k = 0; k < body->n_point_masses && !status; k++) {
        const phx_model_point_mass *mass = &body->point_masses[k];
        parts->masses[k] = (phx_modal_mass){.point = &parts->points[mass->at.port], .mass = mass->mass};
        memcpy(parts->masses[k].inertia, mass->inertia, sizeof mass->inertia);
    }
    return status;
}

static void body_modal_free_parts(modal_parts *parts)
{
    for (int k = 0; k < parts->n_points; k++)
        phx_flex_point_free(&parts->points[k]);
    phx_free(parts->points);
    phx_free(parts->named);
    phx_free(parts->masses);
}

/* The source, and the damper on each of its modes (n; the caller frees it). */
static phx_status make_source(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                              double **damping)
{
    const int dim = builder->model->dimension, n = body->n_modes;
    phx_context *context = builder->context;
    double *values = phx_calloc(context, (size_t)n * (size_t)(dim == 2 ? 5 : 13), sizeof *values);
    modal_parts parts = {0};
    phx_modal_data data;
    phx_status status = PHX_ERR_MEMORY;

    *damping = phx_calloc(context, (size_t)n, sizeof **damping);
    if (values && *damping)
        status = make_parts(builder, body, &parts);
    if (!status) {
        fill_data(dim, body, values, &data);
        data.n_masses = body->n_point_masses;
        data.masses = parts.masses;
        data.n_points = parts.n_points;
        data.points = parts.named;
        status = phx_modal_source_create(context, &data, source);
    }
    if (status && status != PHX_ERR_MEMORY)
        phx_fail_prefix(context, status, "body '%s': ", body->name);
    for (int k = 0; k < n && !status; k++) /* r_k = 2 zeta_k omega_k */
        (*damping)[k] = 2.0 * body->modes[k].damping * two_pi * body->modes[k].frequency;
    phx_free(values);
    body_modal_free_parts(&parts);
    return status;
}

/* Creates source and body with the modes and the diagonal damping that are given. The source belongs to the caller
 * also after a failure. */
static phx_status body_modal_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                   phx_body **made)
{
    phx_body_def def = phx_builder_body_def(builder, body);
    double *damping = NULL;
    phx_status status = make_source(builder, body, source, &damping);

    if (!status) {
        def.flex = phx_flex_source_flex(*source);
        def.damping_diagonal = damping;
        status = phx_body_create(builder->context, &def, made);
    }
    phx_free(damping);
    return status;
}

static void body_modal_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    (void)model;
    phx_offer_mass(body, worst);
}

const phx_body_row phx_body_row_modal = {
    .info = {.name = "modal",
             .noun = "modal body",
             .is = "given by its modes",
             .doc = "an elastic body by its mass-normalised modes, as a finite-element program delivers them",
             .plane = true,
             .space = true,
             .deforms = true,
             .ports_in_file = true,
             .ports = {"P"}},
    .traits = PHX_BODY_MASS | PHX_BODY_HELD,
    .keys = KEYS(keys),
    .place_port = body_modal_place_port,
    .finish_port = finish_port,
    .finish = body_modal_finish,
    .build = body_modal_build,
    .offer_numbers = body_modal_offer_numbers};
