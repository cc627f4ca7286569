/* A motion as XDMF: FOLDER/motion.xmf, a collection over time that ParaView opens, and beside it FOLDER/motion.h5 with
 * the numbers of n points:
 *
 *   /frame_000000/place          n x 3, m
 *   /frame_000000/displacement,
 *     velocity, axis_x ...       n x components, or n: the arrays of frames.h
 *   /body                        n, number of the body of each point
 *   /cells                       for each cell what it is (1: vertices, 2: a line), how many points, and which
 *
 *   /frame_000000/mesh/place ... and /mesh_body, /mesh_cells    the same of the bodies on a mesh, a grid of its own
 *
 * The columns of the result stand in motion.xmf, as data of the grid. Parts of datasets (HyperSlab) are for some
 * readers only, so each instant has datasets of its own. */
#include "export.h"
#include "folder.h"
#include "frames_mesh.h"
#include "file/file.h"
#include "results/store/output.h"

#include <stdio.h>
#include <string.h>

enum { POLYVERTEX = 1, POLYLINE = 2 }; /* cells of XDMF */

/* ---- the numbers ---- */
static void frame_name(size_t frame, char name[32])
{
    snprintf(name, 32, "/frame_%06zu", frame % 1000000);
}

static phx_status put_array(phx_h5 *file, const char *group, const char *name, size_t n, int components,
                            const double *values)
{
    char *path = phx_h5_link(phx_h5_context(file), group, name);
    if (!path)
        return PHX_ERR_MEMORY;
    phx_h5_make_rows(file, path, n, components > 1 ? (size_t)components : 0);
    phx_h5_put_rows(file, path, 0, n, values);
    phx_free(path);
    return PHX_OK;
}

static phx_status xdmf_put_points(phx_h5 *file, const char *group, size_t n, const double *place, int n_arrays,
                                  const phx_frame_array *arrays)
{
    phx_h5_make_group(file, group);
    phx_status status = put_array(file, group, "place", n, 3, place);
    for (int a = 0; a < n_arrays && !status; a++)
        status = put_array(file, group, arrays[a].name, n, arrays[a].components, arrays[a].values);
    return status;
}

static phx_status put_frame(phx_h5 *file, const phx_frames *frames, size_t k)
{
    const phx_frames_mesh *mesh = &frames->mesh;
    char group[32], below[40];
    frame_name(k, group);
    snprintf(below, sizeof below, "%s/mesh", group);
    phx_status status =
        xdmf_put_points(file, group, (size_t)frames->n_points, frames->place, frames->n_arrays, frames->arrays);
    if (!status && mesh->n_points > 0)
        status = xdmf_put_points(file, below, (size_t)mesh->n_points, mesh->place, mesh->n_arrays, mesh->arrays);
    return status;
}

/* ---- cells of the meshes ---- */
typedef struct mesh_cells {
    int size, *list; /* list NULL: they are counted */
} mesh_cells;

/* Counts the entries of a mesh cell in an XDMF topology and, if there is a list, writes them. */
static void xdmf_add_cell(void *user, const phx_cell_shape *shape, const int *node, int first)
{
    mesh_cells *cells = user;
    const bool line = shape->nodes == 2; /* a polyline, the only one that says how many points it has */

    if (cells->list) {
        int *at = cells->list + cells->size;
        *at++ = shape->xdmf;
        if (line)
            *at++ = 2;
        for (int i = 0; i < shape->nodes; i++)
            *at++ = first + node[i];
    }
    cells->size += 1 + line + shape->nodes;
}

static int mesh_cells_size(const phx_frames *frames)
{
    mesh_cells cells = {0};
    phx_frames_mesh_cells(frames, xdmf_add_cell, &cells);
    return cells.size;
}

static phx_status put_mesh_cells(phx_h5 *file, const phx_frames *frames)
{
    const int size = mesh_cells_size(frames);
    mesh_cells cells = {.list = phx_calloc(frames->context, (size_t)size + 1, sizeof *cells.list)};

    if (!cells.list)
        return PHX_ERR_MEMORY;
    phx_frames_mesh_cells(frames, xdmf_add_cell, &cells);
    phx_h5_put_integers(file, "/mesh_cells", size, cells.list);
    phx_h5_put_integers(file, "/mesh_body", frames->mesh.n_points, frames->mesh.body);
    phx_free(cells.list);
    return PHX_OK;
}

/* Integers in the list of cells. */
static int cells_size(const phx_frames *frames)
{
    const int bodies = phx_result_bodies(frames->result);
    int size = 3 * bodies;
    for (int b = 0; b < bodies; b++) {
        int first = 0;
        const int n = phx_frames_line(frames, b, &first);
        size += n > 1 ? 2 + n : 0;
    }
    return size;
}

/* Writes the XDMF topology of the lines, a vertex for each body and a polyline for each that has points, and the body
 * of each point. */
static phx_status xdmf_put_cells(phx_h5 *file, const phx_frames *frames)
{
    const int bodies = phx_result_bodies(frames->result), size = cells_size(frames);
    int *cells = phx_calloc(frames->context, (size_t)size, sizeof *cells), *at = cells;
    if (!cells)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < bodies; b++) {
        *at++ = POLYVERTEX;
        *at++ = 1;
        *at++ = b;
    }
    for (int b = 0; b < bodies; b++) {
        int first = 0;
        const int n = phx_frames_line(frames, b, &first);
        if (n < 2)
            continue;
        *at++ = POLYLINE;
        *at++ = n;
        for (int i = 0; i < n; i++)
            *at++ = first + i;
    }
    phx_h5_put_integers(file, "/cells", size, cells);
    phx_h5_put_integers(file, "/body", frames->n_points, frames->body);
    phx_free(cells);
    return PHX_OK;
}

/* ---- what they mean ---- */
static void put_line(phx_output *out, const char *text)
{
    phx_output_text(out, text);
    phx_output_line(out);
}

static void put_integers(phx_output *out, const char *name, int count)
{
    phx_output_format(out,
                      "<DataItem Dimensions=\"%d\" NumberType=\"Int\" Precision=\"4\" Format=\"HDF\">motion.h5:/%s",
                      count, name);
    put_line(out, "</DataItem>");
}

/* `group` below that of the frame: "" or "mesh/". */
static void put_numbers(phx_output *out, const char *group, const char *name, int n, int components, size_t k)
{
    char frame[32];
    frame_name(k, frame);
    phx_output_format(out, "<DataItem Dimensions=\"%d", n);
    if (components > 1)
        phx_output_format(out, " %d", components);
    phx_output_format(out, "\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">motion.h5:%s/%s", frame, group);
    phx_output_xml(out, name);
    put_line(out, "</DataItem>");
}

static void put_values(phx_output *out, const phx_frames *frames)
{
    for (int c = 1; c < phx_result_columns(frames->result); c++) {
        phx_output_text(out, "<Attribute Name=\"");
        phx_output_xml(out, phx_result_column_name(frames->result, c));
        phx_output_text(out,
                        "\" AttributeType=\"Scalar\" Center=\"Grid\"><DataItem Dimensions=\"1\" NumberType=\"Float\" "
                        "Precision=\"8\" Format=\"XML\">");
        phx_output_number(out, frames->values[c]);
        put_line(out, "</DataItem></Attribute>");
    }
}

/* One of the two grids of a frame. */
typedef struct grid {
    const char *prefix, *group; /* of the integers and of the numbers in motion.h5 */
    int n_points, n_cells, cells_size, n_arrays;
    const phx_frame_array *arrays;
} grid;

/* Writes topology, geometry and attributes of frame k of a grid as XDMF references into the HDF5 file. */
static void put_points_of(phx_output *out, const grid *mesh, size_t k)
{
    char name[32];
    phx_output_format(out, "<Topology TopologyType=\"Mixed\" NumberOfElements=\"%d\">", mesh->n_cells);
    snprintf(name, sizeof name, "%scells", mesh->prefix);
    put_integers(out, name, mesh->cells_size);
    put_line(out, "</Topology>");
    phx_output_text(out, "<Geometry GeometryType=\"XYZ\">");
    put_numbers(out, mesh->group, "place", mesh->n_points, 3, k);
    put_line(out, "</Geometry>");
    for (int a = 0; a < mesh->n_arrays; a++) {
        const phx_frame_array *array = &mesh->arrays[a];
        phx_output_text(out, "<Attribute Name=\"");
        phx_output_xml(out, array->name);
        phx_output_format(out, "\" AttributeType=\"%s\" Center=\"Node\">", array->components > 1 ? "Vector" : "Scalar");
        put_numbers(out, mesh->group, array->name, mesh->n_points, array->components, k);
        put_line(out, "</Attribute>");
    }
    phx_output_text(out, "<Attribute Name=\"body\" AttributeType=\"Scalar\" Center=\"Node\">");
    snprintf(name, sizeof name, "%sbody", mesh->prefix);
    put_integers(out, name, mesh->n_points);
    put_line(out, "</Attribute>");
}

static void put_time(phx_output *out, const phx_frames *frames, const char *name, size_t k, const char *type)
{
    phx_output_format(out, "<Grid Name=\"%s %zu\" GridType=\"%s><Time Value=\"", name, k, type);
    phx_output_number(out, frames->values[0]);
    put_line(out, "\"/>");
}

/* Writes frame k as an XDMF grid; with meshes a collection of lines and meshes. */
static void put_grid(phx_output *out, const phx_frames *frames, size_t k)
{
    const phx_frames_mesh *mesh = &frames->mesh;
    const grid lines = {"",
                        "",
                        frames->n_points,
                        phx_result_bodies(frames->result) + frames->n_lines,
                        cells_size(frames),
                        frames->n_arrays,
                        frames->arrays};

    if (mesh->n_points > 0)
        put_time(out, frames, "frame", k, "Collection\" CollectionType=\"Spatial\"");
    put_time(out, frames, mesh->n_points > 0 ? "lines" : "frame", k, "Uniform\"");
    put_points_of(out, &lines, k);
    put_values(out, frames);
    put_line(out, "</Grid>");
    if (mesh->n_points == 0)
        return;
    const grid cells = {
        "mesh_",        "mesh/",     mesh->n_points, phx_frames_mesh_cells(frames, NULL, NULL), mesh_cells_size(frames),
        mesh->n_arrays, mesh->arrays};
    put_time(out, frames, "mesh", k, "Uniform\"");
    put_points_of(out, &cells, k);
    put_line(out, "</Grid></Grid>");
}

/* ---- the folder ---- */
static bool is_ours(const char *name)
{
    return !strncmp(name, "motion.h5", 9) || !strncmp(name, "motion.xmf", 10);
}

/* Writes cells once, then the numbers of every frame to the HDF5 file and its grid to the XDMF file. */
static phx_status write_frames(phx_frames *frames, phx_h5 *file, phx_output *out)
{
    phx_status status = xdmf_put_cells(file, frames);
    if (!status && frames->mesh.n_points > 0)
        status = put_mesh_cells(file, frames);
    for (size_t k = 0; k < frames->count && !status; k++) {
        status = phx_progress(frames->context, "frames", (double)k, (double)frames->count);
        if (!status)
            status = phx_frames_read(frames, k);
        if (!status)
            status = put_frame(file, frames, k);
        if (!status)
            put_grid(out, frames, k);
    }
    return status;
}

/* Writes motion.xmf and motion.h5 of all frames; both are completed only after success. */
static phx_status write_all(phx_frames *frames, phx_folder *folder)
{
    phx_output out;
    phx_h5 *file = NULL;
    phx_status status = phx_output_open_in_folder(frames->context, phx_folder_path(folder, "motion.xmf"), &out);
    if (status)
        return status;
    status = phx_h5_create(frames->context, phx_folder_path(folder, "motion.h5"), &file);
    if (!status) {
        put_line(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        put_line(&out, "<Xdmf Version=\"2.0\"><Domain><Grid Name=\"motion\" GridType=\"Collection\" "
                       "CollectionType=\"Temporal\">");
        status = write_frames(frames, file, &out);
        put_line(&out, "</Grid></Domain></Xdmf>");
    }
    if (file && status)
        phx_h5_close(file);
    else if (file)
        status = phx_h5_finish(file);
    if (!status)
        return phx_output_commit(&out);
    phx_output_close(&out, false);
    return status;
}

phx_status phx_export_xdmf(phx_context *context, const char *result_path, const char *name, int most_frames)
{
    if (!result_path || !name)
        return phx_fail_null(context, __func__, "result_path or folder");
    return phx_conclude(context, phx_frames_export(context, result_path, name, most_frames, is_ours, write_all));
}
