/* A motion as VTK files: FOLDER/motion.pvd, a collection over time of FOLDER/frame_000000.vtp ... (PolyData, ascii),
 * with the points, cells and arrays of frames.h and the columns of the result as field data. */
#include "export.h"
#include "folder.h"
#include "frames.h"
#include "results/store/output.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS = 9 };

/* ---- one frame ---- */
static void put_number(phx_output *out, double value)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_format(value, DIGITS, text);
    phx_output_text(out, text);
}

static void put_array(phx_output *out, const char *name, int components, int count, const double *values)
{
    phx_output_format(out, "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">", name,
                      components);
    phx_output_line(out);
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < components; d++) {
            if (d > 0)
                phx_output_text(out, " ");
            put_number(out, values[components * i + d]);
        }
        phx_output_line(out);
    }
    phx_output_text(out, "</DataArray>");
    phx_output_line(out);
}

/* Number of the body of every point. */
static void put_bodies(const phx_frames *frames, phx_output *out)
{
    phx_output_text(out, "<DataArray type=\"Int32\" Name=\"body\" format=\"ascii\">");
    phx_output_line(out);
    for (int i = 0; i < frames->n_points; i++) {
        phx_output_format(out, "%d ", frames->body[i]);
        if (i + 1 == frames->n_points || frames->body[i + 1] != frames->body[i])
            phx_output_line(out);
    }
    phx_output_text(out, "</DataArray>");
    phx_output_line(out);
}

/* Cells from points: a vertex for each origin, or a line through the points of each body that has two at least. */
static void put_cells(const phx_frames *frames, phx_output *out, bool lines)
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

static void put_head(phx_output *out, const char *type)
{
    phx_output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    phx_output_line(out);
    phx_output_format(out, "<VTKFile type=\"%s\" version=\"0.1\" byte_order=\"LittleEndian\">", type);
    phx_output_line(out);
}

static void frame_name(size_t frame, char name[32])
{
    snprintf(name, 32, "frame_%06zu.vtp", frame % 1000000);
}

static phx_status write_frame(const phx_frames *frames, phx_folder *folder, size_t k)
{
    const int n = frames->n_points;
    phx_output out;
    char name[32];
    frame_name(k, name);
    const phx_status status = phx_output_open_in_folder(frames->context, phx_folder_path(folder, name), &out);
    if (status)
        return status;
    put_head(&out, "PolyData");
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
    put_bodies(frames, &out);
    phx_output_text(&out, "</PointData>");
    phx_output_line(&out);
    put_cells(frames, &out, false);
    put_cells(frames, &out, true);
    phx_output_text(&out, "</Piece></PolyData></VTKFile>");
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
    put_head(&out, "Collection");
    phx_output_text(&out, "<Collection>");
    phx_output_line(&out);
    for (size_t k = 0; k < frames->count; k++) {
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
