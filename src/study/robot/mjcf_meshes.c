/* Meshes of MJCF: their files, frames and masses. */
#include "mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The name of an asset may be that of its file without folder and ending. */
const phx_xml *mjcf_asset(const mjcf_reader *reader, const char *kind, const char *name)
{
    const phx_xml *asset;

    for (int n = 0; name && (asset = mjcf_entry(reader, "asset", n)) != NULL; n++) {
        const char *named = robot_attribute(asset, "name"), *file = robot_attribute(asset, "file");
        const char *slash = file ? strrchr(file, '/') : NULL, *stem = named ? named : slash ? slash + 1 : file;
        const char *dot = stem && !named ? strrchr(stem, '.') : NULL;
        const size_t length = dot ? (size_t)(dot - stem) : stem ? strlen(stem) : 0;
        if (!strcmp(asset->name, kind) && stem && strlen(name) == length && !strncmp(stem, name, length))
            return asset;
    }
    return NULL;
}

phx_status mjcf_mesh_of(const mjcf_item *geom, mjcf_item *mesh)
{
    const char *name = mjcf_text(geom, "mesh");

    *mesh = (mjcf_item){.reader = geom->reader, .element = mjcf_asset(geom->reader, "mesh", name)};
    return mesh->element ? PHX_OK : mjcf_refuse(geom, "there is no mesh ", name ? name : "");
}

/* The file of a mesh: below the folder that <compiler> names, relative to the file of the robot. */
phx_status mjcf_mesh_path(const mjcf_item *mesh, int size, char *path)
{
    const mjcf_reader *reader = mesh->reader;
    const char *file = robot_attribute(mesh->element, "file"), *slash = strrchr(reader->robot->path, '/');
    const char *inner = file && file[0] == '/' ? "" : reader->mesh_folder;
    const bool absolute = file && (file[0] == '/' || inner[0] == '/');

    path[0] = '\0';
    if (!file)
        return PHX_OK;
    snprintf(path, (size_t)size, "%.*s%s%s%s%s",
             absolute ? 0
             : slash  ? (int)(slash - reader->robot->path)
                      : 1,
             slash ? reader->robot->path : ".", absolute ? "" : "/", inner, file[0] == '/' ? "" : "/", file);
    return access(path, R_OK) == 0 ? PHX_OK : mjcf_refuse(mesh, "there is no such file: ", path);
}

/* A point x of the file is at S R(refquat)^T (x - refpos) in the mesh, S the scales. */
phx_status mjcf_mesh_frame(const mjcf_item *mesh, robot_pose *frame, double scale[3])
{
    double place[3] = {0}, quaternion[4] = {1.0, 0.0, 0.0, 0.0}, R[9];
    scale[0] = scale[1] = scale[2] = 1.0;
    const mjcf_value values[] = {
        {"scale", NULL, 3, scale}, {"refpos", NULL, 3, place}, {"refquat", NULL, 4, quaternion}, {0}};
    const phx_status status = mjcf_values(mesh, values);

    if (status)
        return status;
    if (phx_dot(4, quaternion, quaternion) <= 0.0)
        return mjcf_refuse(mesh, "no rotation has the values ", mjcf_text(mesh, "refquat"));
    phx_rot_from_quaternion(quaternion, R);
    for (int a = 0; a < 3; a++) {
        frame->x[a] = 0.0;
        for (int b = 0; b < 3; b++) {
            frame->R[3 * a + b] = R[3 * b + a];
            frame->x[a] -= scale[a] * R[3 * b + a] * place[b];
        }
    }
    return PHX_OK;
}

/* The surface of a mesh in its own frame: that of its file, scaled; mirrored, its triangles have the other sense. */
static phx_status mjcf_surface(const mjcf_item *mesh, phx_surface *surface)
{
    enum { SIZE = 4096, MESSAGE = 400 };
    phx_context *context = mesh->reader->context;
    char path[SIZE], message[MESSAGE];
    double scale[3], x[3];
    robot_pose frame;
    phx_status status = mjcf_mesh_path(mesh, SIZE, path);

    if (!status)
        status = mjcf_mesh_frame(mesh, &frame, scale);
    if (!status && !*path)
        status = mjcf_refuse(mesh, "points in the file have no mass: give the body <inertial>, or the geom mass=\"0\"",
                             NULL);
    else if (!status && (status = phx_surface_read_all(context, path, 1.0, surface)) != PHX_OK) {
        snprintf(message, MESSAGE, "%s", phx_context_message(context));
        return status == PHX_ERR_MEMORY
                   ? status
                   : phx_fail(context, PHX_ERR_INPUT,
                              "%s:%d: <mesh>: %s; give the body <inertial>, or the geom mass=\"0\"",
                              mesh->element->path, mesh->element->line, message);
    }
    for (int p = 0; p < surface->n_points && !status; p++) {
        memcpy(x, surface->x + 3 * p, sizeof x);
        phx_rot_apply(3, frame.R, x, surface->x + 3 * p);
        for (int a = 0; a < 3; a++)
            surface->x[3 * p + a] = scale[a] * surface->x[3 * p + a] + frame.x[a];
    }
    for (int t = 0; t < surface->n_triangles && !status && scale[0] * scale[1] * scale[2] < 0.0; t++) {
        int *corner = surface->triangle + 3 * t;
        const int last = corner[2];
        corner[2] = corner[1];
        corner[1] = last;
    }
    return status;
}

/* Integrates over a surface; what is not closed or is seen from inside is reported. */
static phx_status mjcf_integrate(const mjcf_item *mesh, const phx_surface *surface, bool shell,
                                 phx_surface_moments *moments)
{
    static const double FLAT = 1e-12; /* square of the volume over the cube of the area: it encloses nothing */
    enum { SIZE = 200 };
    char text[SIZE];
    const char *name = robot_attribute(mesh->element, "name");
    const phx_status status = phx_surface_integrate(mesh->reader->context, surface, shell, moments);

    name = name ? name : robot_attribute(mesh->element, "file");
    if (status || (shell && moments->area > 0.0))
        return status;
    if (moments->volume * moments->volume <= FLAT * pow(moments->area, 3.0))
        return mjcf_refuse(mesh,
                           "its surface encloses no volume: give the body <inertial>, the geom mass=\"0\", or the mesh "
                           "inertia=\"shell\"",
                           NULL);
    snprintf(text, SIZE, "its surface is not closed, %d sides of triangles have no neighbour: its volume is uncertain",
             moments->open_edges);
    if (moments->open_edges > 0)
        mjcf_warn(mesh, name, text);
    if (moments->volume < 0.0)
        mjcf_warn(mesh, name, "its triangles are inside out: its volume is taken as positive");
    moments->volume = fabs(moments->volume);
    return PHX_OK;
}

/* The surface of a mesh is read and integrated once for all geoms that have it. */
phx_status mjcf_mesh_moments(const mjcf_item *geom, int *shell, phx_surface_moments *moments)
{
    static const char *const kinds[] = {"convex", "exact", "legacy", "shell", NULL};
    mjcf_reader *reader = geom->reader;
    int kind = 1;
    mjcf_item mesh;
    phx_surface surface = {0};
    phx_status status = mjcf_mesh_of(geom, &mesh);

    if (!status)
        status = mjcf_choice(&mesh, "inertia", kinds, &kind);
    if (status)
        return status;
    *shell = *shell || kind == 3;
    for (int k = 0; k < reader->n_meshes; k++)
        if (reader->meshes[k].element == mesh.element && reader->meshes[k].shell == *shell) {
            *moments = reader->meshes[k].moments;
            return PHX_OK;
        }
    mjcf_mesh *meshes = phx_realloc(reader->context, reader->meshes, (size_t)reader->n_meshes + 1, sizeof *meshes);
    if (!meshes)
        return PHX_ERR_MEMORY;
    reader->meshes = meshes;
    if (kind == 0)
        mjcf_warn(&mesh, robot_attribute(mesh.element, "name"),
                  "inertia=\"convex\": the mass of the surface itself is taken");
    status = mjcf_surface(&mesh, &surface);
    if (!status)
        status = mjcf_integrate(&mesh, &surface, *shell, moments);
    if (!status)
        meshes[reader->n_meshes++] = (mjcf_mesh){mesh.element, *shell, *moments};
    phx_surface_free(&surface);
    return status;
}
