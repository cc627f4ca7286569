/* Modal bodies of the model: mass data, modes, ports. */
#include "build.h"

#include <string.h>

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
        const phx_model_mode *mode = &body->modes[k];
        frequency[k] = mode->frequency;
        memcpy(translation + k * dim, mode->participation.translation, (size_t)dim * sizeof *values);
        memcpy(rotation + k * n_rot, mode->participation.rotation, (size_t)n_rot * sizeof *values);
        memcpy(first + k * n_pair, mode->inertia, (size_t)n_pair * sizeof *values);
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

/* What modal data are made of, beside the numbers of the modes: a point for each port, by name, and masses there. */
typedef struct modal_parts {
    int n_points;
    phx_flex_point *points;
    phx_modal_named *named;
    phx_modal_mass *masses;
} modal_parts;

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

static void free_parts(modal_parts *parts)
{
    for (int k = 0; k < parts->n_points; k++)
        phx_flex_point_free(&parts->points[k]);
    phx_free(parts->points);
    phx_free(parts->named);
    phx_free(parts->masses);
}

phx_status phx_builder_modal(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
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
    free_parts(&parts);
    return status;
}
