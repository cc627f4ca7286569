/* The bodies for a recorder: ranges of the state and a polyline each. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

enum { FEWEST_POINTS = 9, MOST_POINTS = 65, MOST_PLACES = 4000 }; /* along a length; of a body of vectors */

/* A polyline in the making: n_points x dim, n_points x dim x n_q, n_points x n_rot x n_q. */
typedef struct polyline {
    int n;
    double *points, *shapes, *turns; /* the last two NULL where the points do not deform */
} polyline;

/* Point k of a polyline: its position and, with a source, what displaces and what turns it. */
static phx_status draw_point(phx_context *context, int dim, const phx_flex_source *source, const phx_location *location,
                             int k, polyline *line)
{
    const int n_q = phx_flex_source_flex(source)->n, n_rot = phx_rotations(dim);
    phx_flex_point point = {0};
    phx_status status = phx_flex_source_point(source, context, location, &point);

    for (int a = 0; a < dim && !status; a++) {
        line->points[k * dim + a] = point.x[a];
        for (int j = 0; j < point.n; j++)
            line->shapes[(size_t)(k * dim + a) * (size_t)n_q + (size_t)point.dof[j]] = point.phi[a * point.n + j];
    }
    for (int a = 0; a < n_rot && !status && point.theta && !point.without_directions; a++)
        for (int j = 0; j < point.n; j++)
            line->turns[(size_t)(k * n_rot + a) * (size_t)n_q + (size_t)point.dof[j]] = point.theta[a * point.n + j];
    phx_flex_point_free(&point);
    return status;
}

static phx_status drawing_make_room(phx_context *context, int dim, const phx_flex_source *source, polyline *line)
{
    const size_t n = (size_t)line->n, n_q = source ? (size_t)phx_flex_source_flex(source)->n : 0;

    line->points = phx_calloc(context, n * (size_t)dim, sizeof *line->points);
    line->shapes = source ? phx_calloc(context, n * (size_t)dim * n_q, sizeof *line->shapes) : NULL;
    line->turns = source ? phx_calloc(context, n * (size_t)phx_rotations(dim) * n_q, sizeof *line->turns) : NULL;
    return line->points && ((line->shapes && line->turns) || !source) ? PHX_OK : PHX_ERR_MEMORY;
}

/* A polyline through the ports, in file order; of a body that deforms with the shapes at each. */
static phx_status draw_ports(phx_context *context, int dim, const phx_model_body *body, const phx_flex_source *source,
                             polyline *line)
{
    line->n = body->n_ports;
    phx_status status = drawing_make_room(context, dim, source, line);

    for (int k = 0; k < body->n_ports && !status; k++) {
        const phx_model_port *port = &body->ports[k];
        memcpy(line->points + k * dim, port->position, (size_t)dim * sizeof(double));
        if (source)
            status = draw_point(context, dim, source, &port->location, k, line);
    }
    return status;
}

/* A polyline of points equally spaced along the length, with the shapes at each. */
static phx_status draw_length(phx_context *context, int dim, int segments, const phx_flex_source *source,
                              polyline *line)
{
    const int wanted = 2 * segments + 1;
    line->n = wanted < FEWEST_POINTS ? FEWEST_POINTS : wanted > MOST_POINTS ? MOST_POINTS : wanted;
    phx_status status = drawing_make_room(context, dim, source, line);

    for (int k = 0; k < line->n && !status; k++) {
        const phx_location location = phx_location_at_fraction((double)k / (line->n - 1));
        status = draw_point(context, dim, source, &location, k, line);
    }
    return status;
}

/* Frame f of a body as one of the recorder: its piece of the line reaches half way to its neighbours. */
static phx_status draw_frame(phx_context *context, int dim, const phx_model_body *body, const phx_body *made, int f,
                             phx_record_body *record, double **points, char **name)
{
    enum { PIECE = 3 };
    const phx_length_point *along;
    const int count = phx_body_length_points(made, &along);
    double length = 0.0;
    char text[300];

    for (int k = 0; k < count; k++)
        length += along[k].weight;
    *points = phx_calloc(context, (size_t)(PIECE * dim), sizeof **points);
    snprintf(text, sizeof text, "%.200s@%.6g", body->name, f < count ? along[f].fraction : f);
    *name = f > 0 ? phx_strdup(context, text) : NULL;
    if (!*points || (f > 0 && !*name))
        return PHX_ERR_MEMORY;
    if (f > 0 && f < count)
        (*points)[0] = -0.5 * length * (along[f].fraction - along[f - 1].fraction);
    if (f + 1 < count)
        (*points)[2 * dim] = 0.5 * length * (along[f + 1].fraction - along[f].fraction);
    record->n_points = PIECE;
    record->points = *points;
    if (f > 0)
        record->name = *name;
    return PHX_OK;
}

/* Creates the drawn records of a body with several frames, one for each frame; positions and velocities start at the
 * offsets of the frame. */
static phx_status draw_frames(phx_context *context, int dim, const phx_model_body *body, const phx_body *made,
                              phx_drawing *drawing, int first)
{
    const phx_body_frame *frames;
    const int n = phx_body_frames(made, &frames);
    const phx_record_body whole = drawing->bodies[first];
    phx_status status = PHX_OK;

    for (int f = 0; f < n && !status; f++) {
        phx_record_body *record = &drawing->bodies[first + f];
        *record = whole;
        record->x_start += frames[f].x;
        record->v_start += frames[f].v;
        record->x_count = dim + phx_attitude_size(dim);
        record->v_count = dim + phx_rotations(dim);
        status =
            draw_frame(context, dim, body, made, f, record, &drawing->points[first + f], &drawing->names[first + f]);
    }
    return status;
}

/* Whether place i of a body of vectors is free, and where it is: a vector of x and v, else a point of a frame. */
bool phx_drawing_place(const phx_body *made, int i, phx_body_port *port)
{
    const phx_location location = {.sort = PHX_LOCATION_NODE, .node = i + 1};

    *port = (phx_body_port){.slides = 0};
    return !phx_body_locate(made, NULL, &location, port) && port->point.without_directions;
}

/* The free places of a body of vectors as bodies of the recorder, which have a place and no attitude. The first has the
 * name of the body if there is no frame. */
static phx_status draw_places(phx_context *context, int dim, const phx_model_body *body, const phx_body *made,
                              const phx_record_body *whole, phx_drawing *drawing, int at, int n_places)
{
    char text[300];

    for (int i = 0; i < n_places; i++) {
        phx_body_port port;
        if (!phx_drawing_place(made, i, &port))
            continue;
        phx_record_body *record = &drawing->bodies[at];
        *record = *whole;
        record->x_start += port.frame.x;
        record->v_start += port.frame.v;
        record->x_count = record->v_count = dim;
        if (i > 0 || phx_body_frames(made, NULL) > 0) {
            snprintf(text, sizeof text, "%.200s@%d", body->name, i + 1);
            drawing->names[at] = phx_strdup(context, text);
            if (!drawing->names[at])
                return PHX_ERR_MEMORY;
            record->name = drawing->names[at];
        }
        at++;
    }
    return PHX_OK;
}

/* Creates the drawn record of body b with its points and shapes: sampled along the length for beams, else at the
 * ports. x and v are the offsets of the body in the vectors of the system. */
static phx_status draw_body(phx_context *context, const phx_model *model, const phx_made_body *made, int b, int x,
                            int v, phx_drawing *drawing)
{
    const phx_model_body *body = &model->bodies[b];
    const int first = drawing->first[b];
    phx_record_body *record = &drawing->bodies[first];
    phx_model_sections sections;
    polyline line = {0};
    phx_status status;

    *record =
        (phx_record_body){.name = body->name, .kind = phx_model_body_kind_name(body->kind), .x_start = x, .v_start = v};
    record->x_count = phx_body_n_x(made->body) - phx_body_places(made->body, NULL, NULL);
    record->v_count = phx_body_n_v(made->body);
    if (!phx_body_floats(made->body)) {
        const phx_record_body whole = *record;
        const int frames = phx_body_frames(made->body, NULL);
        record->x_count = record->v_count = 0; /* unless there is a frame or a place */
        status = frames > 0 ? draw_frames(context, model->dimension, body, made->body, drawing, first) : PHX_OK;
        return status ? status
                      : draw_places(context, model->dimension, body, made->body, &whole, drawing, first + frames,
                                    drawing->surfaces[b].n_points);
    }
    if (phx_model_body_sections(model, body, &sections) && made->source)
        status = draw_length(context, model->dimension, sections.segments, made->source, &line);
    else
        status = draw_ports(context, model->dimension, body, made->source, &line);
    drawing->points[first] = line.points;
    drawing->shapes[first] = line.shapes;
    drawing->turns[first] = line.turns;
    record->n_points = line.n;
    record->points = line.points;
    record->shapes = line.shapes;
    return status;
}

/* How many bodies there are to a recorder. */
static phx_status count_bodies(phx_context *context, const phx_model *model, const phx_made_body *made,
                               phx_drawing *drawing)
{
    *drawing = (phx_drawing){0};
    drawing->first = phx_calloc(context, (size_t)model->n_bodies + 1, sizeof *drawing->first);
    drawing->surfaces = phx_calloc(context, (size_t)model->n_bodies + 1, sizeof *drawing->surfaces);
    if (!drawing->first || !drawing->surfaces)
        return PHX_ERR_MEMORY;
    drawing->n_surfaces = model->n_bodies;
    for (int b = 0; b < model->n_bodies; b++) {
        int frames = phx_body_frames(made[b].body, NULL);
        const phx_status status = phx_model_body_surface(context, &model->bodies[b], &drawing->surfaces[b]);
        phx_body_port port;
        if (status)
            return status;
        if (drawing->surfaces[b].n_points > MOST_PLACES) {
            phx_log(context, PHX_LOG_INFO, "'%s' is drawn without its surface, which has %d nodes, more than %d",
                    model->bodies[b].name, drawing->surfaces[b].n_points, MOST_PLACES);
            phx_surface_free(&drawing->surfaces[b]);
        }
        for (int i = 0; i < drawing->surfaces[b].n_points; i++)
            frames += phx_drawing_place(made[b].body, i, &port);
        drawing->first[b + 1] = drawing->first[b] + (frames > 0 ? frames : 1);
    }
    drawing->n_bodies = drawing->first[model->n_bodies];
    return PHX_OK;
}

/* Creates what a viewer needs of all bodies (records, points, shapes and scene) from made bodies; empty after a
 * failure. */
phx_status phx_drawing_of_bodies(phx_context *context, const phx_model *model, const phx_made_body *made,
                                 phx_drawing *drawing)
{
    phx_status status = count_bodies(context, model, made, drawing);
    const size_t n = (size_t)drawing->n_bodies;
    int x = 0, v = 0;

    if (status) {
        phx_drawing_free(drawing);
        return status;
    }
    drawing->bodies = phx_calloc(context, n, sizeof *drawing->bodies);
    drawing->points = phx_calloc(context, n, sizeof *drawing->points);
    drawing->shapes = phx_calloc(context, n, sizeof *drawing->shapes);
    drawing->turns = phx_calloc(context, n, sizeof *drawing->turns);
    drawing->names = phx_calloc(context, n, sizeof *drawing->names);
    if (!drawing->bodies || !drawing->points || !drawing->shapes || !drawing->turns || !drawing->names)
        status = PHX_ERR_MEMORY;
    for (int b = 0; b < model->n_bodies && !status; b++) {
        status = draw_body(context, model, &made[b], b, x, v, drawing);
        x += phx_body_n_x(made[b].body);
        v += phx_body_n_v(made[b].body);
    }
    if (!status)
        status = phx_scene_of(context, model, made, drawing, &drawing->scene);
    if (status)
        phx_drawing_free(drawing);
    return status;
}

phx_status phx_drawing_create(phx_context *context, const phx_model *model, const phx_system *system,
                              phx_drawing *drawing)
{
    phx_made_body *made = phx_calloc(context, (size_t)model->n_bodies, sizeof *made);

    *drawing = (phx_drawing){0};
    if (!made)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < model->n_bodies; b++)
        made[b] = (phx_made_body){phx_system_body(system, b), phx_system_source(system, b)};
    const phx_status status = phx_drawing_of_bodies(context, model, made, drawing);
    phx_free(made);
    return status;
}

int phx_drawing_body(const phx_drawing *drawing, int body)
{
    int b = 0;

    while (drawing->first[b + 1] <= body)
        b++;
    return b;
}

void phx_drawing_factors(const phx_drawing *drawing, const phx_dae *dae, double t, double *factors)
{
    const phx_scene *scene = &drawing->scene;

    for (int m = 0; m < scene->n_meshes; factors += scene->mesh_factors[m++])
        if (scene->mesh_factors[m] > 0)
            phx_system_strain_factors(dae, phx_drawing_body(drawing, scene->mesh_body[m]), t, scene->mesh_factors[m],
                                      factors);
}

/* Frees a drawing, also an incomplete one, and leaves it empty. */
void phx_drawing_free(phx_drawing *drawing)
{
    for (int b = 0; b < drawing->n_bodies; b++) {
        phx_free(drawing->points ? drawing->points[b] : NULL);
        phx_free(drawing->shapes ? drawing->shapes[b] : NULL);
        phx_free(drawing->turns ? drawing->turns[b] : NULL);
        phx_free(drawing->names ? drawing->names[b] : NULL);
    }
    for (int b = 0; b < drawing->n_surfaces; b++)
        phx_surface_free(&drawing->surfaces[b]);
    phx_free(drawing->surfaces);
    phx_scene_free(&drawing->scene);
    phx_free(drawing->bodies);
    phx_free(drawing->points);
    phx_free(drawing->shapes);
    phx_free(drawing->turns);
    phx_free(drawing->names);
    phx_free(drawing->first);
    *drawing = (phx_drawing){0};
}
