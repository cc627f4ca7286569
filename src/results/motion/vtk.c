/* A motion as VTK files: FOLDER/motion.pvd, a collection over time of FOLDER/frame_000000.vtp ... (PolyData, ascii),
 * with the points, cells and arrays of frames.h and the columns of the result as field data; bodies on a mesh in
 * FOLDER/mesh_000000.vtu ... (UnstructuredGrid), part 1 of the collection. */
#include "export.h"
#include "folder.h"
#include "frames_mesh.h"
#include "results/store/output.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS = 9 };

/* ---- one frame ---- */
static void vtk_put_number(phx_output *out, double value)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_format(value, DIGITS, text);
    phx_output_text(out, text);
}

/* Writes an array of vectors or scalars as VTK XML text. */
static void put_array(phx_output *out, const char *name, int components, int count, const double *values)
{
    phx_output_format(out, "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">", name,
                      components);
    phx_output_line(out);
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < components; d++) {
            if (d > 0)
                phx_output_text(out, " ");
            vtk_put_number(out, values[components * i + d]);
        }
        phx_output_line(out);
    }
    phx_output_text(out, "</DataArray>");
    phx_output_line(out);
}

/* Number of the body of every point. */
static void put_bodies(int n, const int *body, phx_output *out)
{
    phx_output_text(out, "<DataArray type=\"Int32\" Name=\"body\" format=\"ascii\">");
    phx_output_line(out);
    for (int i = 0; i < n; i++) {
        phx_output_format(out, "%d ", body[i]);
        if (i + 1 == n || body[i + 1] != body[i])
            phx_output_line(out);
    }
    phx_output_text(out, "</DataArray>");
    phx_output_line(out);
}

/* Cells from points: a vertex for each origin, or a line through the points of each body that has two at least. */
static void vtk_put_cells(const phx_frames *frames, phx_output *out, bool lines)
{
    const int bodies = phx_result_bodies(frames->result);
    phx_output_format(out, "<%s>", lines ? "Lines" : "Verts");
    phx_output_line(out);
    for (int offsets = 0; offsets < 2; offsets++) {
        phx_output_format(out, "<DataArray type=\"Int32\" Name=\"%s\" format=\"ascii\">",
                          offsets ? "offsets" : "connectivity");
        phx_output_line(out);
        for (int b = 0, end = 0; b < bodies; b++) {
            int first = b;
            const int n = lines ? phx_frames_line(frames, b, &first) : 1, size = lines && n < 2 ? 0 : n;
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

/* Writes the columns of the result at this frame as VTK field data; the first becomes TimeValue. */
static void put_columns(const phx_frames *frames, phx_output *out)
{
    phx_output_text(out, "<FieldData>");
    phx_output_line(out);
    for (int c = 0; c < phx_result_columns(frames->result); c++) {
        phx_output_text(out, "<DataArray type=\"Float64\" Name=\"");
        phx_output_xml(out, c == 0 ? "TimeValue" : phx_result_column_name(frames->result, c));
        phx_output_text(out, "\" NumberOfTuples=\"1\" format=\"ascii\">");
        phx_output_number(out, frames->values[c]);
        phx_output_text(out, "</DataArray>");
        phx_output_line(out);
    }
    phx_output_text(out, "</FieldData>");
    phx_output_line(out);
}

static void vtk_put_head(phx_output *out, const char *type)
{
    phx_output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    phx_output_line(out);
    phx_output_format(out, "<VTKFile type=\"%s\" version=\"0.1\" byte_order=\"LittleEndian\">", type);
    phx_output_line(out);
}

static void frame_name(size_t frame, bool mesh, char name[32])
{
    snprintf(name, 32, mesh ? "mesh_%06zu.vtu" : "frame_%06zu.vtp", frame % 1000000);
}

/* Writes the points and lines of frame k to a VTK PolyData file. */
static phx_status write_frame(const phx_frames *frames, phx_folder *folder, size_t k)
{
    const int n = frames->n_points;
    phx_output out;
    char name[32];
    frame_name(k, false, name);
    const phx_status status = phx_output_open_in_folder(frames->context, phx_folder_path(folder, name), &out);
    if (status)
        return status;
    vtk_put_head(&out, "PolyData");
    phx_output_text(&out, "<PolyData>");
    phx_output_line(&out);
    put_columns(frames, &out);
    phx_output_format(&out, "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" ", n,
                      phx_result_bodies(frames->result), frames->n_lines);
    phx_output_text(&out, "NumberOfStrips=\"0\" NumberOfPolys=\"0\"><Points>");
    phx_output_line(&out);
    put_array(&out, "place", 3, n, frames->place);
    phx_output_text(&out, "</Points><PointData>");
    phx_output_line(&out);
    for (int a = 0; a < frames->n_arrays; a++)
        put_array(&out, frames->arrays[a].name, frames->arrays[a].components, n, frames->arrays[a].values);
    put_bodies(n, frames->body, &out);
    phx_output_text(&out, "</PointData>");
    phx_output_line(&out);
    vtk_put_cells(frames, &out, false);
    vtk_put_cells(frames, &out, true);
    phx_output_text(&out, "</Piece></PolyData></VTKFile>");
    phx_output_line(&out);
    return phx_output_commit(&out);
}

/* ---- the meshes of one frame ---- */
typedef struct cell_list {
    phx_output *out;
    enum { CONNECTIVITY, OFFSETS, TYPES } what;
    int end;
} cell_list;

static void put_cell(void *user, const phx_cell_shape *shape, const int *node, int first)
{
    cell_list *list = user;

    list->end += shape->nodes;
    for (int i = 0; i < shape->nodes && list->what == CONNECTIVITY; i++)
        phx_output_format(list->out, "%d ", first + node[i]);
    if (list->what != CONNECTIVITY)
        phx_output_format(list->out, "%d", list->what == OFFSETS ? list->end : shape->vtk);
    phx_output_line(list->out);
}

/* Writes connectivity, offsets and types of all mesh cells for VTK. */
static void put_mesh_cells(const phx_frames *frames, phx_output *out)
{
    static const char *const arrays[][2] = {{"Int32", "connectivity"}, {"Int32", "offsets"}, {"UInt8", "types"}};

    phx_output_text(out, "<Cells>");
    phx_output_line(out);
    for (int what = CONNECTIVITY; what <= TYPES; what++) {
        cell_list list = {.out = out, .what = what};
        phx_output_format(out, "<DataArray type=\"%s\" Name=\"%s\" format=\"ascii\">", arrays[what][0],
                          arrays[what][1]);
        phx_output_line(out);
        phx_frames_mesh_cells(frames, put_cell, &list);
        phx_output_text(out, "</DataArray>");
        phx_output_line(out);
    }
    phx_output_text(out, "</Cells>");
    phx_output_line(out);
}

/* Writes the meshes of frame k to a VTK UnstructuredGrid file. */
static phx_status write_mesh(const phx_frames *frames, phx_folder *folder, size_t k)
{
    const phx_frames_mesh *mesh = &frames->mesh;
    phx_output out;
    char name[32];
    frame_name(k, true, name);
    const phx_status status = phx_output_open_in_folder(frames->context, phx_folder_path(folder, name), &out);
    if (status)
        return status;
    vtk_put_head(&out, "UnstructuredGrid");
    phx_output_text(&out, "<UnstructuredGrid>");
    phx_output_line(&out);
    put_columns(frames, &out);
    phx_output_format(&out, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\"><Points>", mesh->n_points,
                      phx_frames_mesh_cells(frames, NULL, NULL));
    phx_output_line(&out);
    put_array(&out, "place", 3, mesh->n_points, mesh->place);
    phx_output_text(&out, "</Points><PointData>");
    phx_output_line(&out);
    for (int a = 0; a < mesh->n_arrays; a++)
        put_array(&out, mesh->arrays[a].name, mesh->arrays[a].components, mesh->n_points, mesh->arrays[a].values);
    put_bodies(mesh->n_points, mesh->body, &out);
    phx_output_text(&out, "</PointData>");
    phx_output_line(&out);
    put_mesh_cells(frames, &out);
    phx_output_text(&out, "</Piece></UnstructuredGrid></VTKFile>");
    phx_output_line(&out);
    return phx_output_commit(&out);
}

/* ---- the folder ---- */
static phx_status write_collection(const phx_frames *frames, phx_folder *folder, const double *times)
{
    phx_output out;
    const phx_status status = phx_output_open_in_folder(frames->context, phx_folder_path(folder, "motion.pvd"), &out);
    if (status)
        return status;
    vtk_put_head(&out, "Collection");
    phx_output_text(&out, "<Collection>");
    phx_output_line(&out);
    for (size_t k = 0; k < frames->count; k++)
        for (int part = 0; part < (frames->mesh.n_points > 0 ? 2 : 1); part++) {
            char name[32];
            frame_name(k, part == 1, name);
            phx_output_text(&out, "<DataSet timestep=\"");
            phx_output_number(&out, times[k]);
            phx_output_format(&out, "\" part=\"%d\" file=\"%s\"/>", part, name);
            phx_output_line(&out);
        }
    phx_output_text(&out, "</Collection></VTKFile>");
    phx_output_line(&out);
    return phx_output_commit(&out);
}

static bool is_ours(const char *name)
{
    return !strncmp(name, "frame_", 6) || !strncmp(name, "mesh_", 5) || !strncmp(name, "motion.pvd", 10);
}

/* Writes all frames as VTK files and the collection with their times. */
static phx_status write_all(phx_frames *frames, phx_folder *folder)
{
    double *times = phx_calloc(frames->context, frames->count, sizeof *times);
    phx_status status = times ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t k = 0; k < frames->count && !status; k++) {
        status = phx_progress(frames->context, "frames", (double)k, (double)frames->count);
        if (!status)
            status = phx_frames_read(frames, k);
        if (!status)
            status = write_frame(frames, folder, k);
        if (!status && frames->mesh.n_points > 0)
            status = write_mesh(frames, folder, k);
        times[k] = frames->values[0];
    }
    if (!status)
        status = write_collection(frames, folder, times);
    phx_free(times);
    return status;
}

phx_status phx_export_vtk(phx_context *context, const char *result_path, const char *name, int most_frames)
{
    if (!result_path || !name)
        return phx_fail_null(context, __func__, "result_path or folder");
    return phx_conclude(context, phx_frames_export(context, result_path, name, most_frames, is_ours, write_all));
}
