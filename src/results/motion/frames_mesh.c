/* The meshes of the bodies at an instant: places, displacements, and what their stresses are there. */
#include "frames_mesh.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */
static phx_status add_array(phx_frames *frames, const char *name, const char *component, size_t length, int components)
{
    phx_frames_mesh *mesh = &frames->mesh;
    const size_t room = strlen(name) + length + 2;
    char *full = phx_calloc(frames->context, room, 1);
    double *values = phx_calloc(frames->context, (size_t)mesh->n_points * (size_t)components + 1, sizeof *values);

    if (!full || !values) {
        phx_free(full);
        phx_free(values);
        return PHX_ERR_MEMORY;
    }
    snprintf(full, room, "%s%s%.*s", name, length > 0 ? "_" : "", (int)length, component);
    mesh->arrays[mesh->n_arrays++] = (phx_frame_array){.name = full, .components = components, .values = values};
    return PHX_OK;
}

/* One array for each component of each field of a set, then the von Mises stresses. */
static phx_status add_set(phx_frames *frames, phx_stress_set set)
{
    int count = 0;
    const phx_stress_field *fields = phx_stress_fields(set, &count);
    phx_status status = PHX_OK;

    frames->mesh.first_of_set[set] = frames->mesh.n_arrays;
    for (int f = 0; f < count; f++)
        for (const char *at = fields[f].components; *at && !status;) {
            const size_t length = strcspn(at, "|");
            status = add_array(frames, fields[f].name, at, length, 1);
            at += length + (at[length] == '|');
        }
    if (!status && set == PHX_STRESSES_SOLID)
        status = add_array(frames, "von_mises", "", 0, 1);
    if (!status && set == PHX_STRESSES_PLATE)
        status = add_array(frames, "von_mises", "top", 3, 1);
    if (!status && set == PHX_STRESSES_PLATE)
        status = add_array(frames, "von_mises", "bottom", 6, 1);
    return status;
}

/* ---- all of them ---- */
static phx_scene_mesh mesh_at(const phx_frames *frames, int m)
{
    return phx_scene_mesh_at(phx_result_scene(frames->result), m, phx_result_body(frames->result, 0), 3);
}

static phx_status fill_constants(phx_frames *frames, const phx_scene *scene)
{
    phx_frames_mesh *mesh = &frames->mesh;
    double *thickness = mesh->arrays[PHX_MESH_THICKNESS].values;

    for (int m = 0, at = 0; m < scene->n_meshes; m++)
        for (int i = 0; i < scene->mesh_nodes[m]; i++, at++) {
            mesh->body[at] = scene->mesh_body[m];
            thickness[at] = scene->mesh_thickness[at];
        }
    return PHX_OK;
}

/* Prepares the meshes of a frame: places, displacements, thickness and the stress arrays of all sets that occur.
 * Nothing to do without meshes. */
phx_status phx_frames_mesh_open(phx_frames *frames)
{
    const phx_scene *scene = phx_result_scene(frames->result);
    phx_frames_mesh *mesh = &frames->mesh;
    bool has[PHX_STRESS_SETS] = {false};

    if (!scene || scene->n_meshes == 0)
        return PHX_OK;
    mesh->n_points = scene->n_mesh_nodes;
    mesh->body = phx_calloc(frames->context, (size_t)mesh->n_points + 1, sizeof *mesh->body);
    mesh->place = phx_calloc(frames->context, 3 * (size_t)mesh->n_points + 1, sizeof *mesh->place);
    if (!mesh->body || !mesh->place)
        return PHX_ERR_MEMORY;
    for (int m = 0; m < scene->n_meshes; m++)
        has[phx_stress_set_named(scene->mesh_stresses[m])] = true;
    phx_status status = add_array(frames, "displacement", "", 0, 3);
    if (!status)
        status = add_array(frames, "thickness", "", 0, 1);
    for (int k = PHX_STRESSES_NONE + 1; k < PHX_STRESS_SETS && !status; k++)
        if (has[k])
            status = add_set(frames, (phx_stress_set)k);
    return status ? status : fill_constants(frames, scene);
}

void phx_frames_mesh_close(phx_frames *frames)
{
    phx_frames_mesh *mesh = &frames->mesh;

    for (int k = 0; k < mesh->n_arrays; k++) {
        phx_free((void *)(uintptr_t)mesh->arrays[k].name);
        phx_free(mesh->arrays[k].values);
    }
    phx_free(mesh->body);
    phx_free(mesh->place);
}

/* ---- one instant ---- */
static double row_times(const double *row, int n, const double *q)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += row[k] * q[k];
    return sum;
}

/* Node i of a mesh, point `at` of all: x + u in inertial components, and u. */
static void put_place(phx_frames *frames, const phx_scene_mesh *mesh, const phx_seen_body *body, int i, int at)
{
    double u[3], b[3];
    double *place = frames->mesh.place + 3 * at;

    for (int d = 0; d < 3; d++) {
        u[d] = row_times(mesh->shapes + (size_t)(3 * i + d) * (size_t)mesh->n_q, mesh->n_q, body->q);
        b[d] = mesh->x[3 * i + d] + u[d];
    }
    phx_frames_to_inertial(body->rotation, b, place);
    phx_frames_to_inertial(body->rotation, u, frames->mesh.arrays[PHX_MESH_DISPLACEMENT].values + 3 * at);
    for (int d = 0; d < 3; d++)
        place[d] += body->origin[d];
}

/* Stresses at node i of a mesh from deformations q and load factors, and the von Mises stress of each surface. */
static void put_stresses(phx_frames *frames, const phx_scene_mesh *mesh, const phx_seen_body *body, int i, int at)
{
    const int components = phx_stress_components(mesh->stresses), width = mesh->n_q + mesh->n_factors;
    const double *map = mesh->maps + (size_t)i * (size_t)components * (size_t)width;
    const double *factors = frames->factors + mesh->first_factor;
    phx_frame_array *array = frames->mesh.arrays + frames->mesh.first_of_set[mesh->stresses];
    double stress[PHX_STRESSES_MOST], state[2][6];

    if (components == 0)
        return;
    for (int c = 0; c < components; c++, map += width) {
        stress[c] = row_times(map, mesh->n_q, body->q) + row_times(map + mesh->n_q, mesh->n_factors, factors);
        array[c].values[at] = stress[c];
    }
    const int states = phx_stress_states(mesh->stresses, stress, state);
    for (int s = 0; s < states; s++)
        array[components + s].values[at] = phx_von_mises(state[s]);
}

void phx_frames_mesh_read(phx_frames *frames)
{
    const phx_scene *scene = phx_result_scene(frames->result);

    for (int m = 0, at = 0; scene && m < scene->n_meshes; m++) {
        const phx_scene_mesh mesh = mesh_at(frames, m);
        phx_seen_body body;
        phx_frames_see(frames, mesh.body, &body);
        for (int i = 0; i < mesh.n_nodes; i++, at++) {
            put_place(frames, &mesh, &body, i, at);
            put_stresses(frames, &mesh, &body, i, at);
        }
    }
}

/* ---- cells ---- */
int phx_frames_mesh_cells(const phx_frames *frames, phx_frames_cell_fn *visit, void *user)
{
    const phx_scene *scene = phx_result_scene(frames->result);
    int count = 0, first = 0;

    for (int m = 0; scene && m < scene->n_meshes; m++) {
        const phx_scene_mesh mesh = mesh_at(frames, m);
        const int *node = mesh.cell_nodes;
        for (int c = 0; c < mesh.n_cells; c++) {
            const phx_cell_shape *shape = phx_cell_shape_of(mesh.cell_type[c]);
            if (visit)
                visit(user, shape, node, first);
            node += shape->nodes;
            count++;
        }
        first += mesh.n_nodes;
    }
    return count;
}
