/* A motion as VTK files: FOLDER/motion.pvd, a collection over time of FOLDER/frame_000000.vtp ... (PolyData, ascii).
 * A frame has for each body its frame's origin as a vertex and its polyline; at every point
 *
 *   displacement  R Phi q                        m, inertial: what the deformation adds
 *   velocity      R (v + w x b + Phi q_dot)      m/s, inertial, b = x + Phi q
 *   axis_x, axis_y, axis_z                       the body's axes in inertial components (columns of R)
 *   body                                         number of the body, from 0
 *
 * and the columns of the result as field data. The folder is built as FOLDER.partial. */
#define _XOPEN_SOURCE 700
#include "files.h"
#include "layout.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 9 };

typedef struct vtk_export {
    phx_context *context;
    const phx_result *result;
    char *folder, *path; /* being built; room for a name in it */
    size_t path_size;
    int n_points; /* origins and polylines */
    double *x, *v;
    double *place, *displacement, *velocity, *axes; /* n_points x 3; axes n_points x 9, one axis after the other */
} vtk_export;

/* ---- one frame: the numbers ---- */
/* A body as it is drawn: its parts of the state. */
typedef struct vtk_body {
    const phx_record_body *record;
    int dim, n_q;
    double rotation[9]; /* 3 x 3, body to inertial */
    double origin[3], linear[3], angular[3];
    const double *q, *q_dot;
} vtk_body;

static void see_body(const vtk_export *job, const phx_record_body *record, vtk_body *body)
{
    const int dim = phx_result_dimension(job->result);
    const double *x = job->x + record->x_start, *v = job->v + record->v_start, *attitude = x + dim;
    *body = (vtk_body){.record = record, .dim = dim, .n_q = phx_layout_deformations(dim, record)};
    memcpy(body->origin, x, (size_t)dim * sizeof *x);
    memcpy(body->linear, v, (size_t)dim * sizeof *v);
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

static void to_inertial(const double *rotation, const double *a, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = rotation[3 * i] * a[0] + rotation[3 * i + 1] * a[1] + rotation[3 * i + 2] * a[2];
}

/* Point i of the polyline, -1: the origin of the frame. */
static void put_point(const vtk_export *job, const vtk_body *body, int i, int at)
{
    const double *w = body->angular;
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
    to_inertial(body->rotation, b, job->place + 3 * at);
    to_inertial(body->rotation, u, job->displacement + 3 * at);
    to_inertial(body->rotation, velocity, job->velocity + 3 * at);
    for (int d = 0; d < 3; d++) {
        job->place[3 * at + d] += body->origin[d];
        for (int axis = 0; axis < 3; axis++)
            job->axes[(axis * job->n_points + at) * 3 + d] = body->rotation[3 * d + axis];
    }
}

/* The origins of all bodies first, then their polylines. */
static void make_frame(const vtk_export *job)
{
    const int bodies = phx_result_bodies(job->result);
    for (int b = 0, at = bodies; b < bodies; b++) {
        vtk_body body;
        see_body(job, phx_result_body(job->result, b), &body);
        put_point(job, &body, -1, b);
        for (int i = 0; i < body.record->n_points; i++)
            put_point(job, &body, i, at++);
    }
}

/* ---- one frame: the file ---- */
static void put_number(phx_output *out, double value)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_format(value, DIGITS, text);
    phx_output_text(out, text);
}

static void put_vectors(phx_output *out, const char *name, int count, const double *values)
{
    phx_output_format(out, "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"3\" format=\"ascii\">", name);
    phx_output_line(out);
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < 3; d++) {
            if (d > 0)
                phx_output_text(out, " ");
            put_number(out, values[3 * i + d]);
        }
        phx_output_line(out);
    }
    phx_output_text(out, "</DataArray>");
    phx_output_line(out);
}

/* Number of the body of every point. */
static void put_bodies(const vtk_export *job, phx_output *out)
{
    const int bodies = phx_result_bodies(job->result);
    phx_output_text(out, "<DataArray type=\"Int32\" Name=\"body\" format=\"ascii\">");
    phx_output_line(out);
    for (int b = 0; b < bodies; b++)
        phx_output_format(out, "%d ", b);
    phx_output_line(out);
    for (int b = 0; b < bodies; b++) {
        for (int i = 0; i < phx_result_body(job->result, b)->n_points; i++)
            phx_output_format(out, "%d ", b);
        phx_output_line(out);
    }
    phx_output_text(out, "</DataArray>");
    phx_output_line(out);
}

/* Cells from points: a vertex for each origin, a line through the points of each body that has two at least. */
static void put_cells(const vtk_export *job, phx_output *out, bool lines)
{
    const int bodies = phx_result_bodies(job->result);
    phx_output_format(out, "<%s>", lines ? "Lines" : "Verts");
    phx_output_line(out);
    for (int offsets = 0; offsets < 2; offsets++) {
        phx_output_format(out, "<DataArray type=\"Int32\" Name=\"%s\" format=\"ascii\">",
                          offsets ? "offsets" : "connectivity");
        phx_output_line(out);
        for (int b = 0, at = bodies, end = 0; b < bodies; b++) {
            const int n = phx_result_body(job->result, b)->n_points, first = lines ? at : b;
            const int size = !lines ? 1 : n > 1 ? n : 0;
            at += n;
            end += size;
            for (int i = 0; i < size && !offsets; i++)
                phx_output_format(out, "%d ", first + i);
            if (size > 0 && offsets)
                phx_output_format(out, "%d", end);
            if (size > 0)
                phx_output_line(out);
        }
        phx_output_text(out, "</DataArray>");
        phx_output_line(out);
    }
    phx_output_format(out, "</%s>", lines ? "Lines" : "Verts");
    phx_output_line(out);
}

static phx_status put_columns(const vtk_export *job, size_t row, phx_output *out)
{
    phx_status status = PHX_OK;
    phx_output_text(out, "<FieldData>");
    phx_output_line(out);
    for (int c = 0; c < phx_result_columns(job->result) && !status; c++) {
        double value = 0.0;
        status = phx_result_column(job->result, c, row, 1, &value);
        phx_output_text(out, "<DataArray type=\"Float64\" Name=\"");
        phx_output_xml(out, c == 0 ? "TimeValue" : phx_result_column_name(job->result, c));
        phx_output_text(out, "\" NumberOfTuples=\"1\" format=\"ascii\">");
        phx_output_number(out, value);
        phx_output_text(out, "</DataArray>");
        phx_output_line(out);
    }
    phx_output_text(out, "</FieldData>");
    phx_output_line(out);
    return status;
}

static void put_head(phx_output *out, const char *type)
{
    phx_output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    phx_output_line(out);
    phx_output_format(out, "<VTKFile type=\"%s\" version=\"0.1\" byte_order=\"LittleEndian\">", type);
    phx_output_line(out);
}

static const char *path_in(const vtk_export *job, const char *name)
{
    snprintf(job->path, job->path_size, "%s/%s", job->folder, name);
    return job->path;
}

static void frame_name(size_t frame, char name[32])
{
    snprintf(name, 32, "frame_%06zu.vtp", frame % 1000000);
}

static phx_status write_frame(const vtk_export *job, size_t frame, size_t row)
{
    static const char *const axes[] = {"axis_x", "axis_y", "axis_z"};
    const int n = job->n_points, bodies = phx_result_bodies(job->result);
    phx_output out;
    char name[32];
    int lines = 0;
    phx_status status = phx_result_state(job->result, row, job->x, job->v);

    frame_name(frame, name);
    if (!status)
        status = phx_output_open(job->context, path_in(job, name), &out);
    if (status)
        return status;
    make_frame(job);
    for (int b = 0; b < bodies; b++)
        lines += phx_result_body(job->result, b)->n_points > 1;
    put_head(&out, "PolyData");
    phx_output_text(&out, "<PolyData>");
    phx_output_line(&out);
    status = put_columns(job, row, &out);
    phx_output_format(&out, "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" ", n, bodies,
                      lines);
    phx_output_text(&out, "NumberOfStrips=\"0\" NumberOfPolys=\"0\"><Points>");
    phx_output_line(&out);
    put_vectors(&out, "place", n, job->place);
    phx_output_text(&out, "</Points><PointData>");
    phx_output_line(&out);
    put_vectors(&out, "displacement", n, job->displacement);
    put_vectors(&out, "velocity", n, job->velocity);
    for (int axis = 0; axis < 3; axis++)
        put_vectors(&out, axes[axis], n, job->axes + (size_t)axis * (size_t)n * 3);
    put_bodies(job, &out);
    phx_output_text(&out, "</PointData>");
    phx_output_line(&out);
    put_cells(job, &out, false);
    put_cells(job, &out, true);
    phx_output_text(&out, "</Piece></PolyData></VTKFile>");
    phx_output_line(&out);
    if (!status)
        return phx_output_commit(&out);
    phx_output_close(&out, false);
    return status;
}

/* ---- the folder ---- */
static phx_status write_collection(const vtk_export *job, size_t frames, const double *times)
{
    phx_output out;
    phx_status status = phx_output_open(job->context, path_in(job, "motion.pvd"), &out);
    if (status)
        return status;
    put_head(&out, "Collection");
    phx_output_text(&out, "<Collection>");
    phx_output_line(&out);
    for (size_t k = 0; k < frames; k++) {
        char name[32];
        frame_name(k, name);
        phx_output_text(&out, "<DataSet timestep=\"");
        phx_output_number(&out, times[k]);
        phx_output_format(&out, "\" part=\"0\" file=\"%s\"/>", name);
        phx_output_line(&out);
    }
    phx_output_text(&out, "</Collection></VTKFile>");
    phx_output_line(&out);
    return phx_output_commit(&out);
}

static bool is_ours(const char *name)
{
    return !strncmp(name, "frame_", 6) || !strncmp(name, "motion.pvd", 10);
}

/* The folder to build in, without what an earlier try left there. */
static phx_status make_folder(const vtk_export *job)
{
    if (mkdir(job->folder, 0777) == 0)
        return PHX_OK;
    if (errno != EEXIST)
        return phx_file_fail(job->context, job->folder, "create", errno);
    DIR *directory = opendir(job->folder);
    if (!directory)
        return phx_file_fail(job->context, job->folder, "read", errno);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (is_ours(entry->d_name))
            (void)unlink(path_in(job, entry->d_name));
    closedir(directory);
    return PHX_OK;
}

static phx_status allocate(phx_context *context, const char *folder, vtk_export *job)
{
    const phx_result *result = job->result;
    job->n_points = phx_result_bodies(result);
    for (int b = 0; b < phx_result_bodies(result); b++)
        job->n_points += phx_result_body(result, b)->n_points;
    const size_t n = (size_t)job->n_points;
    job->folder = phx_file_suffixed(context, folder, ".partial");
    job->path_size = strlen(folder) + 300;
    job->path = phx_calloc(context, job->path_size, 1);
    job->x = phx_calloc(context, (size_t)phx_result_n_x(result), sizeof *job->x);
    job->v = phx_calloc(context, (size_t)phx_result_n_v(result), sizeof *job->v);
    job->place = phx_calloc(context, 3 * n, sizeof *job->place);
    job->displacement = phx_calloc(context, 3 * n, sizeof *job->displacement);
    job->velocity = phx_calloc(context, 3 * n, sizeof *job->velocity);
    job->axes = phx_calloc(context, 9 * n, sizeof *job->axes);
    return job->folder && job->path && job->x && job->v && job->place && job->displacement && job->velocity && job->axes
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

static void release(vtk_export *job)
{
    double *arrays[] = {job->x, job->v, job->place, job->displacement, job->velocity, job->axes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
    phx_free(job->folder);
    phx_free(job->path);
}

static phx_status write_all(vtk_export *job, size_t frames, size_t rows)
{
    double *times = phx_calloc(job->context, frames, sizeof *times);
    phx_status status = times ? make_folder(job) : PHX_ERR_MEMORY;
    for (size_t k = 0; k < frames && !status; k++) {
        const size_t row = frames > 1 ? k * (rows - 1) / (frames - 1) : rows - 1;
        status = phx_progress(job->context, "frames", (double)k, (double)frames);
        if (!status)
            status = phx_result_column(job->result, 0, row, 1, &times[k]);
        if (!status)
            status = write_frame(job, k, row);
    }
    if (!status)
        status = write_collection(job, frames, times);
    phx_free(times);
    return status;
}

/* Nothing is there, or an empty folder, which renaming replaces. */
static bool is_free(const char *folder)
{
    struct stat info;
    if (lstat(folder, &info) != 0)
        return true;
    DIR *directory = S_ISDIR(info.st_mode) ? opendir(folder) : NULL;
    bool empty = directory != NULL;
    for (struct dirent *entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory))
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    if (directory)
        closedir(directory);
    return empty;
}

phx_status phx_export_vtk(phx_context *context, const char *result_path, const char *folder, int most_frames)
{
    vtk_export job = {.context = context};
    phx_result *result = NULL;
    phx_status status = phx_result_read(context, result_path, &result);
    if (status)
        return status;
    job.result = result;
    const size_t rows = phx_result_rows(result),
                 most = most_frames > 0 && most_frames < 1000000 ? most_frames : 1000000;
    if (rows == 0 || phx_result_bodies(result) == 0)
        status = phx_fail(context, PHX_ERR_FILE, "%s: it has no %s to export", result_path, rows ? "bodies" : "rows");
    else if (!is_free(folder))
        status = phx_fail(context, PHX_ERR_FILE,
                          "%s: it exists and is not an empty folder; remove it or choose another name", folder);
    if (!status)
        status = allocate(context, folder, &job);
    if (!status)
        status = write_all(&job, rows < most ? rows : most, rows);
    if (!status)
        status = phx_file_publish(context, job.folder, folder);
    release(&job);
    phx_result_destroy(result);
    return status;
}
