/* The bodies of a result as points with data, one instant after the other. */
#include "frames_mesh.h"
#include "results/store/layout.h"

#include <string.h>

enum { DISPLACEMENT, VELOCITY, AXIS_X }; /* places among the arrays; the axes one after the other */

static const struct {
    const char *name;
    int components;
} arrays[PHX_FRAME_ARRAYS] = {{"displacement", 3},     {"velocity", 3},         {"axis_x", 3},
                              {"axis_y", 3},           {"axis_z", 3},           {"axial_force", 1},
                              {"bending_moment_y", 1}, {"bending_moment_z", 1}, {"torsion", 1}};

enum { MOST_FRAMES = 1000000 };

/* ---- one instant ---- */
void phx_frames_see(const phx_frames *frames, int index, phx_seen_body *body)
{
    const phx_record_body *record = phx_result_body(frames->result, index);
    const int dim = phx_result_dimension(frames->result);
    const double *x = frames->x + record->x_start, *v = frames->v + record->v_start, *attitude = x + dim;
    *body = (phx_seen_body){.record = record, .dim = dim, .n_q = phx_layout_deformations(dim, record)};
    memcpy(body->origin, x, (size_t)dim * sizeof *x);
    memcpy(body->linear, v, (size_t)dim * sizeof *v);
    if (body->n_q < 0) { /* a place alone */
        body->rotation[0] = body->rotation[4] = body->rotation[8] = 1.0;
        return;
    }
    if (dim == 2) {
        const double planar[9] = {attitude[0], -attitude[1], 0.0, attitude[1], attitude[0], 0.0, 0.0, 0.0, 1.0};
        memcpy(body->rotation, planar, sizeof planar);
        body->angular[2] = v[2];
    } else {
        memcpy(body->rotation, attitude, sizeof body->rotation);
        memcpy(body->angular, v + 3, 3 * sizeof *v);
    }
    body->q = attitude + (dim == 2 ? 3 : 9);
    body->q_dot = v + (dim == 2 ? 3 : 6);
}

void phx_frames_to_inertial(const double *rotation, const double *a, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = rotation[3 * i] * a[0] + rotation[3 * i + 1] * a[1] + rotation[3 * i + 2] * a[2];
}

/* Point i of the polyline, -1: the origin of the frame. */
static void frames_put_point(const phx_frames *frames, const phx_seen_body *body, int i, int at)
{
    const double *w = body->angular;
    double *place = frames->place + 3 * at;
    double b[3] = {0.0}, u[3] = {0.0}, rate[3] = {0.0}, velocity[3];
    for (int d = 0; d < body->dim && i >= 0; d++) {
        const int row = i * body->dim + d;
        const double *shape = body->record->shapes ? body->record->shapes + (size_t)row * (size_t)body->n_q : NULL;
        for (int k = 0; shape && k < body->n_q; k++) {
            u[d] += shape[k] * body->q[k];
            rate[d] += shape[k] * body->q_dot[k];
        }
        b[d] = body->record->points[row] + u[d];
    }
    velocity[0] = body->linear[0] + w[1] * b[2] - w[2] * b[1] + rate[0];
    velocity[1] = body->linear[1] + w[2] * b[0] - w[0] * b[2] + rate[1];
    velocity[2] = body->linear[2] + w[0] * b[1] - w[1] * b[0] + rate[2];
    phx_frames_to_inertial(body->rotation, b, place);
    phx_frames_to_inertial(body->rotation, u, frames->arrays[DISPLACEMENT].values + 3 * at);
    phx_frames_to_inertial(body->rotation, velocity, frames->arrays[VELOCITY].values + 3 * at);
    for (int d = 0; d < 3; d++) {
        place[d] += body->origin[d];
        for (int axis = 0; axis < 3; axis++)
            frames->arrays[AXIS_X + axis].values[3 * at + d] = body->rotation[3 * d + axis];
    }
}

/* The array of this name; NULL: there is none. */
static const phx_frame_array *find_array(const phx_frames *frames, const char *name)
{
    for (int k = 0; k < frames->n_arrays; k++)
        if (!strcmp(frames->arrays[k].name, name))
            return &frames->arrays[k];
    return NULL;
}

/* Section forces at the points of the polylines: map q. */
static void put_sections(const phx_frames *frames)
{
    const phx_scene *scene = phx_result_scene(frames->result);
    const double *map = scene ? scene->maps : NULL;
    for (int s = 0; scene && s < scene->n_sections; s++) {
        const phx_frame_array *array = find_array(frames, scene->section_name[s]);
        phx_seen_body body;
        int first = 0;
        const int n = phx_frames_line(frames, scene->section_body[s], &first);
        phx_frames_see(frames, scene->section_body[s], &body);
        for (int i = 0; i < n && array; i++) {
            double *value = &array->values[first + i];
            *value = 0.0;
            for (int k = 0; k < body.n_q; k++)
                *value += map[i * body.n_q + k] * body.q[k];
        }
        map += n * body.n_q;
    }
}

/* Reads frame k, of `count` equally spaced rows of the result with the last one included: state, columns, and places,
 * vectors and section forces at all points. */
phx_status phx_frames_read(phx_frames *frames, size_t k)
{
    const size_t row = frames->count > 1 ? k * (frames->rows - 1) / (frames->count - 1) : frames->rows - 1;
    const int bodies = phx_result_bodies(frames->result);
    phx_status status = phx_result_state(frames->result, row, frames->x, frames->v);
    if (!status)
        status = phx_result_factors(frames->result, row, 1, frames->factors);
    for (int c = 0; c < phx_result_columns(frames->result) && !status; c++)
        status = phx_result_column(frames->result, c, row, 1, &frames->values[c]);
    for (int b = 0, at = bodies; b < bodies && !status; b++) {
        phx_seen_body body;
        phx_frames_see(frames, b, &body);
        frames_put_point(frames, &body, -1, b);
        for (int i = 0; i < body.record->n_points; i++)
            frames_put_point(frames, &body, i, at++);
    }
    if (status)
        return status;
    put_sections(frames);
    phx_frames_mesh_read(frames);
    return PHX_OK;
}

int phx_frames_line(const phx_frames *frames, int body, int *first)
{
    *first = phx_result_bodies(frames->result);
    for (int b = 0; b < body; b++)
        *first += phx_result_body(frames->result, b)->n_points;
    return phx_result_body(frames->result, body)->n_points;
}

/* ---- all of them ---- */
static void number_bodies(phx_frames *frames)
{
    const int bodies = phx_result_bodies(frames->result);
    for (int b = 0, at = bodies; b < bodies; b++) {
        frames->body[b] = b;
        for (int i = 0; i < phx_result_body(frames->result, b)->n_points; i++)
            frames->body[at++] = b;
    }
}

static bool has_section(const phx_result *result, const char *name)
{
    const phx_scene *scene = phx_result_scene(result);
    for (int s = 0; scene && s < scene->n_sections; s++)
        if (!strcmp(scene->section_name[s], name))
            return true;
    return false;
}

/* Counts points and lines of the bodies and allocates the arrays of one frame, with section forces only if the result
 * has them. */
static phx_status frames_allocate(phx_frames *frames)
{
    const phx_result *result = frames->result;
    phx_context *context = frames->context;
    frames->n_points = phx_result_bodies(result);
    for (int b = 0; b < phx_result_bodies(result); b++) {
        frames->n_points += phx_result_body(result, b)->n_points;
        frames->n_lines += phx_result_body(result, b)->n_points > 1;
    }
    const size_t n = (size_t)frames->n_points;
    frames->x = phx_calloc(context, (size_t)phx_result_n_x(result), sizeof *frames->x);
    frames->v = phx_calloc(context, (size_t)phx_result_n_v(result), sizeof *frames->v);
    frames->factors = phx_calloc(context, (size_t)phx_scene_factors(phx_result_scene(result)), sizeof *frames->factors);
    frames->values = phx_calloc(context, (size_t)phx_result_columns(result), sizeof *frames->values);
    frames->body = phx_calloc(context, n, sizeof *frames->body);
    frames->place = phx_calloc(context, 3 * n, sizeof *frames->place);
    if (!frames->x || !frames->v || !frames->factors || !frames->values || !frames->body || !frames->place)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < PHX_FRAME_ARRAYS; k++) {
        if (k >= PHX_FRAME_VECTORS && !has_section(result, arrays[k].name))
            continue;
        phx_frame_array *array = &frames->arrays[frames->n_arrays++];
        array->name = arrays[k].name;
        array->components = arrays[k].components;
        array->values = phx_calloc(context, (size_t)array->components * n, sizeof *array->values);
        if (!array->values)
            return PHX_ERR_MEMORY;
    }
    number_bodies(frames);
    return phx_frames_mesh_open(frames);
}

phx_status phx_frames_open(phx_context *context, const char *path, int most, phx_frames *frames)
{
    *frames = (phx_frames){.context = context};
    const phx_status status = phx_result_read(context, path, &frames->result);
    if (status)
        return status;
    const size_t limit = most > 0 && most < MOST_FRAMES ? (size_t)most : MOST_FRAMES;
    frames->rows = phx_result_rows(frames->result);
    frames->count = frames->rows < limit ? frames->rows : limit;
    if (frames->rows == 0 || phx_result_bodies(frames->result) == 0)
        return phx_fail(context, PHX_ERR_FILE, "%s: it has no %s to export", path, frames->rows ? "bodies" : "rows");
    return frames_allocate(frames);
}

void phx_frames_close(phx_frames *frames)
{
    for (int k = 0; k < PHX_FRAME_ARRAYS; k++)
        phx_free(frames->arrays[k].values);
    phx_frames_mesh_close(frames);
    phx_free(frames->x);
    phx_free(frames->v);
    phx_free(frames->factors);
    phx_free(frames->values);
    phx_free(frames->body);
    phx_free(frames->place);
    phx_result_destroy(frames->result);
    *frames = (phx_frames){0};
}

/* Exports frames of a result by the writer of a format into a new folder, which appears only when complete. */
phx_status phx_frames_export(phx_context *context, const char *result_path, const char *name, int most,
                             phx_folder_owner *is_ours, phx_status (*write)(phx_frames *frames, phx_folder *folder))
{
    phx_frames frames;
    phx_folder folder = {0};
    phx_files_begin(context);
    phx_status status = phx_frames_open(context, result_path, most, &frames);
    if (!status)
        status = phx_folder_create(context, name, is_ours, &folder);
    if (!status)
        status = write(&frames, &folder);
    if (!status)
        status = phx_folder_publish(&folder);
    phx_folder_free(&folder);
    phx_frames_close(&frames);
    phx_files_end(context);
    return status;
}
