/* Hot spots: nodes of meshes whose largest von Mises stress over all instants exceeds that of their neighbours. */
#include "frames_mesh.h"
#include "results/store/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest von Mises stress of a point over the instants. */
typedef struct hot_spot {
    int point;           /* of all meshes */
    double value, time;  /* Pa, s */
    const char *surface; /* "top", "bottom" of a plate, else "" */
    bool beaten;         /* a node of one of its cells has more; of equal ones the first counts */
} hot_spot;

/* States of stress at the nodes of a mesh: one, of a plate those of both surfaces; 0: none is there (with stiffening).
 */
static int states_of(const phx_scene *scene, int m)
{
    const phx_stress_set set = phx_stress_set_named(scene->mesh_stresses[m]);

    return set == PHX_STRESSES_SOLID ? 1 : set == PHX_STRESSES_PLATE ? 2 : 0;
}

/* Replaces the values that the present instant exceeds. */
static void keep_peaks(const phx_frames *frames, hot_spot *spots)
{
    static const char *const surfaces[] = {"top", "bottom"};
    const phx_scene *scene = phx_result_scene(frames->result);

    for (int m = 0, at = 0; m < scene->n_meshes; m++) {
        const phx_stress_set set = phx_stress_set_named(scene->mesh_stresses[m]);
        const int components = phx_stress_components(set);
        const int states = states_of(scene, m);
        const phx_frame_array *array = frames->mesh.arrays + frames->mesh.first_of_set[set] + components;
        for (int i = 0; i < scene->mesh_nodes[m]; i++, at++)
            for (int s = 0; s < states; s++)
                if (array[s].values[at] > spots[at].value)
                    spots[at] = (hot_spot){.point = at,
                                           .value = array[s].values[at],
                                           .time = frames->values[0],
                                           .surface = states == 2 ? surfaces[s] : ""};
    }
}

/* All nodes of a cell but its largest are beaten. */
static void beat_cell(void *user, const phx_cell_shape *shape, const int *node, int first)
{
    hot_spot *spots = (hot_spot *)user + first;
    int most = node[0];

    for (int a = 1; a < shape->nodes; a++)
        if (spots[node[a]].value > spots[most].value || (spots[node[a]].value == spots[most].value && node[a] < most))
            most = node[a];
    for (int a = 0; a < shape->nodes; a++)
        spots[node[a]].beaten |= node[a] != most;
}

static int compare_spots(const void *a, const void *b)
{
    const hot_spot *s = a, *t = b;
    return s->value != t->value ? (s->value < t->value) - (s->value > t->value)
                                : (s->point > t->point) - (s->point < t->point);
}

/* Nodes outside of a set are beaten. PHX_ERR_INPUT where no mesh has it. */
static phx_status beat_others(phx_context *context, const char *path, const phx_frames *frames, const char *body,
                              const char *set, hot_spot *spots)
{
    const phx_scene *scene = phx_result_scene(frames->result);
    unsigned char *inside = phx_calloc(context, (size_t)frames->mesh.n_points + 1, 1);
    phx_nearest nearest = phx_nearest_to(set);
    bool found = false;

    if (!inside)
        return PHX_ERR_MEMORY;
    for (int s = 0, at = 0; s < scene->n_mesh_sets; at += scene->set_nodes[s++]) {
        const char *of = phx_result_body(frames->result, scene->mesh_body[scene->set_mesh[s]])->name;
        int first = 0;
        if (states_of(scene, scene->set_mesh[s]) == 0 || (body && strcmp(body, of) != 0))
            continue;
        phx_nearest_offer(&nearest, scene->set_name[s]);
        if (strcmp(scene->set_name[s], set) != 0)
            continue;
        for (int m = 0; m < scene->set_mesh[s]; m++)
            first += scene->mesh_nodes[m];
        for (int i = 0; i < scene->set_nodes[s]; i++)
            inside[first + scene->set_node[at + i]] = 1;
        found = true;
    }
    for (int i = 0; i < frames->mesh.n_points; i++)
        spots[i].beaten = !inside[i];
    phx_free(inside);
    return found ? PHX_OK
                 : phx_fail(context, PHX_ERR_INPUT,
                            "%s: no mesh with stresses has a set of nodes %s, beside that of all its nodes%s", path,
                            phx_shown_text(set).text, phx_nearest_hint(&nearest).text);
}

/* ---- the table ---- */
typedef struct spot_line {
    const char *body, *surface;
    int node;
    double values[5]; /* x, y, z, t, von Mises stress */
} spot_line;

static const char *const value_keys[] = {"x", "y", "z", "t", "von_mises"};
enum { SPOT_VALUES = sizeof value_keys / sizeof *value_keys, SPOT_DIGITS = 6 };

static void put_table_line(const spot_line *line, phx_output *out)
{
    phx_output_format(out, "%-16s  %8d", line->body, line->node);
    for (int k = 0; k < SPOT_VALUES; k++) {
        char number[PHX_NUMBER_SIZE];
        phx_number_format(line->values[k], SPOT_DIGITS, number);
        phx_output_format(out, "  %12s", number);
    }
    phx_output_format(out, "%s%s", line->surface[0] ? "  " : "", line->surface);
    phx_output_line(out);
}

static void put_csv_line(const spot_line *line, phx_output *out)
{
    phx_output_csv(out, line->body);
    phx_output_format(out, ",%d", line->node);
    for (int k = 0; k < SPOT_VALUES; k++) {
        phx_output_text(out, ",");
        phx_output_number(out, line->values[k]);
    }
    phx_output_format(out, ",%s", line->surface);
    phx_output_line(out);
}

static void put_json_line(const spot_line *line, bool first, phx_output *out)
{
    phx_output_format(out, "%s\n    {\"body\": ", first ? "" : ",");
    phx_output_json(out, line->body);
    phx_output_format(out, ", \"node\": %d", line->node);
    for (int k = 0; k < SPOT_VALUES; k++) {
        phx_output_format(out, ", \"%s\": ", value_keys[k]);
        phx_output_number(out, line->values[k]);
    }
    phx_output_format(out, ", \"surface\": \"%s\"}", line->surface);
}

/* Writes the first `count` hot spots of each wanted body in the order of their stress. */
static void put_spots(const phx_frames *frames, const phx_hot_spot_options *options, hot_spot *spots, phx_output *out)
{
    const phx_scene *scene = phx_result_scene(frames->result);
    const bool csv = !strcmp(options->format, "csv"), json = !strcmp(options->format, "json");
    bool first = true;

    phx_output_text(out, csv    ? "body,node,x,y,z,t,von_mises,surface"
                         : json ? "{\n  \"format\": \"phlexor stress\",\n  \"format_version\": 1,\n  \"hot_spots\": ["
                                : "body                  node         x (m)         y (m)         z (m)         t (s)  "
                                  "von Mises (Pa)  surface");
    if (!json)
        phx_output_line(out);
    for (int m = 0, at = 0; m < scene->n_meshes; at += scene->mesh_nodes[m++]) {
        const phx_record_body *body = phx_result_body(frames->result, scene->mesh_body[m]);
        if (states_of(scene, m) == 0 || (options->body && strcmp(options->body, body->name) != 0))
            continue;
        qsort(spots + at, (size_t)scene->mesh_nodes[m], sizeof *spots, compare_spots);
        for (int i = 0, shown = 0; i < scene->mesh_nodes[m] && shown < options->count; i++) {
            const hot_spot *spot = &spots[at + i];
            if (spot->beaten)
                continue;
            const double *x = scene->mesh_x + 3 * (size_t)spot->point;
            const int label = scene->mesh_label[spot->point];
            const spot_line line = {body->name,
                                    spot->surface,
                                    label > 0 ? label : spot->point - at + 1,
                                    {x[0], x[1], x[2], spot->time, spot->value}};
            if (csv)
                put_csv_line(&line, out);
            else if (json)
                put_json_line(&line, first, out);
            else
                put_table_line(&line, out);
            first = false;
            shown++;
        }
    }
    if (json) {
        phx_output_text(out, "\n  ]\n}");
        phx_output_line(out);
    }
}

/* PHX_ERR_INPUT unless the body, or one at least, has stresses at the nodes of a mesh. */
static phx_status check_stressed(phx_context *context, const char *path, const phx_frames *frames, const char *body)
{
    const phx_scene *scene = phx_result_scene(frames->result);
    phx_nearest nearest = phx_nearest_to(body ? body : "");

    for (int m = 0; scene && m < scene->n_meshes; m++) {
        const char *name = phx_result_body(frames->result, scene->mesh_body[m])->name;
        if (states_of(scene, m) == 0)
            continue;
        if (!body || !strcmp(body, name))
            return PHX_OK;
        phx_nearest_offer(&nearest, name);
    }
    return phx_fail(
        context, PHX_ERR_INPUT,
        "%s: no body%s%s has stresses at the nodes of a mesh; solids and plates have, and bodies reduced from "
        "them%s",
        path, body ? " " : "", body ? phx_shown_text(body).text : "", body ? phx_nearest_hint(&nearest).text : "");
}

/* The spots of all points (phx_free) of a result with stresses, over its instants; the frames are closed by the caller.
 */
static phx_status find_spots(phx_context *context, const char *path, const char *body, const char *set,
                             phx_frames *frames, hot_spot **found)
{
    phx_status status = phx_frames_open(context, path, 0, frames);
    hot_spot *spots = NULL;

    if (!status)
        status = check_stressed(context, path, frames, body);
    if (!status && !(spots = phx_calloc(context, (size_t)frames->mesh.n_points, sizeof *spots)))
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < frames->mesh.n_points && !status; i++)
        spots[i] = (hot_spot){.point = i, .value = -1.0, .surface = ""};
    for (size_t k = 0; k < frames->count && !status; k++) {
        status = phx_progress(context, "instants", (double)k, (double)frames->count);
        if (!status)
            status = phx_frames_read(frames, k);
        if (!status)
            keep_peaks(frames, spots);
    }
    if (!status && set) /* every node of it, also next to a larger one */
        status = beat_others(context, path, frames, body, set, spots);
    else if (!status)
        phx_frames_mesh_cells(frames, beat_cell, spots);
    *found = spots;
    return status;
}

/* Finds the spots of a result and writes them as a table. */
phx_status phx_hot_spots(phx_context *context, const char *path, const phx_hot_spot_options *options,
                         const char *output)
{
    if (!path || !options || !output)
        return phx_fail_null(context, __func__, "path, options or output");
    phx_frames frames = {0};
    hot_spot *spots = NULL;
    phx_output out;

    phx_files_begin(context);
    phx_status status = find_spots(context, path, options->body, options->set, &frames, &spots);
    if (!status)
        status = phx_output_open(context, output, &out);
    if (!status) {
        put_spots(&frames, options, spots, &out);
        status = phx_output_commit(&out);
    }
    phx_free(spots);
    phx_frames_close(&frames);
    phx_files_end(context);
    return phx_conclude(context, status);
}

/* Times of the spots of one body in the order of their stress, each once. */
phx_status phx_hot_instants(phx_context *context, const char *path, const char *body, int count, double *times,
                            int *found)
{
    phx_frames frames = {0};
    hot_spot *spots = NULL;
    phx_status status = find_spots(context, path, body, NULL, &frames, &spots);
    const phx_scene *scene = status ? NULL : phx_result_scene(frames.result);

    *found = 0;
    for (int m = 0, at = 0; scene && m < scene->n_meshes; at += scene->mesh_nodes[m++]) {
        if (strcmp(body, phx_result_body(frames.result, scene->mesh_body[m])->name) != 0)
            continue;
        qsort(spots + at, (size_t)scene->mesh_nodes[m], sizeof *spots, compare_spots);
        for (int i = 0; i < scene->mesh_nodes[m] && *found < count; i++) {
            bool known = spots[at + i].beaten;
            for (int k = 0; k < *found; k++)
                known = known || times[k] == spots[at + i].time;
            if (!known)
                times[(*found)++] = spots[at + i].time;
        }
    }
    phx_free(spots);
    phx_frames_close(&frames);
    return phx_conclude(context, status);
}

/* The row in which the column, or one of its surfaces, is largest. */
static phx_status find_peak(phx_context *context, const phx_result *result, const char *column, size_t *row,
                            bool *known)
{
    static const char *const surfaces[] = {"", ".top", ".bottom"};
    const size_t rows = phx_result_rows(result);
    double *values = phx_calloc(context, rows + 1, sizeof *values), most = -1.0;
    phx_status status = values ? PHX_OK : PHX_ERR_MEMORY;

    *known = false;
    for (int s = 0; s < 3 && !status; s++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", column, surfaces[s]);
        const int c = phx_result_column_find(result, name);
        if (c < 0)
            continue;
        status = phx_result_column(result, c, 0, rows, values);
        for (size_t k = 0; k < rows && !status; k++)
            if (values[k] > most) {
                most = values[k];
                *row = k;
                *known = true;
            }
    }
    phx_free(values);
    return status;
}

/* Reads the instant of the peak alone and finds its node. */
phx_status phx_hot_node_text(phx_context *context, const char *path, const char *body, const char *column, FILE *stream)
{
    phx_frames frames = {0};
    size_t row = 0;
    bool known = false;
    phx_status status = phx_frames_open(context, path, 0, &frames);
    const phx_scene *scene = status ? NULL : phx_result_scene(frames.result);
    hot_spot *spots = NULL;

    if (!status)
        status = find_peak(context, frames.result, column, &row, &known);
    if (!status && known && row < frames.count)
        status = phx_frames_read(&frames, row);
    if (!status && !(spots = phx_calloc(context, (size_t)frames.mesh.n_points + 1, sizeof *spots)))
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < frames.mesh.n_points && !status; i++)
        spots[i].value = -1.0;
    if (!status && known)
        keep_peaks(&frames, spots);
    for (int m = 0, at = 0; scene && !status && known && m < scene->n_meshes; at += scene->mesh_nodes[m++]) {
        if (states_of(scene, m) == 0 || strcmp(body, phx_result_body(frames.result, scene->mesh_body[m])->name) != 0)
            continue;
        int most = at;
        for (int i = at; i < at + scene->mesh_nodes[m]; i++)
            most = spots[i].value > spots[most].value ? i : most;
        const double *x = scene->mesh_x + 3 * (size_t)most;
        fprintf(stream, "    %s is largest, %.6g Pa at t = %.6g s, at node %d of '%s', [%.6g, %.6g, %.6g] m\n", column,
                spots[most].value, spots[most].time,
                scene->mesh_label[most] > 0 ? scene->mesh_label[most] : most - at + 1, body, x[0], x[1], x[2]);
    }
    phx_free(spots);
    phx_frames_close(&frames);
    return phx_conclude(context, status);
}
