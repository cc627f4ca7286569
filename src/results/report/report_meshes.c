/* The meshes of the bodies in a report: the surface, what moves it and what is known of its stresses. Shapes and maps
 * are integers of 16 bits times a scale for each coordinate: a part in 65 000 of the largest value. Maps with factors
 * are floats: stresses of heated bodies are small differences of what the strains and the temperatures make. */
#include "report.h"
#include "results/store/scene.h"

#include <math.h>
#include <string.h>

enum { MOST_INTEGER = 32767 };

/* ---- the surface ---- */
typedef struct surface {
    phx_scene_mesh mesh;
    int n;     /* nodes that a triangle has */
    int *node; /* n: in the mesh */
} surface;

bool phx_report_mesh_of(const phx_report *report, int body, int *mesh)
{
    for (int m = 0; report->scene && m < report->scene->n_meshes; m++)
        if (report->scene->mesh_body[m] == body) {
            *mesh = m;
            return true;
        }
    return false;
}

static phx_scene_mesh mesh_at(const phx_report *report, int mesh)
{
    return phx_scene_mesh_at(report->scene, mesh, report->bodies, report->dimension);
}

int phx_report_factors(const phx_report *report, int body)
{
    /* of a sweep those of the first point, which the frames are made with */
    const phx_scene *scene = report->source.modes ? report->source.modes->scene : report->scene;

    for (int m = 0; scene && report->shown.with_maps && m < scene->n_meshes; m++)
        if (scene->mesh_body[m] == body)
            return scene->mesh_factors[m];
    return 0;
}

/* number: of each node of the mesh among those of the surface, -1: inside. */
static phx_status number_nodes(const phx_report *report, const phx_scene_mesh *mesh, int **number, int *count)
{
    *number = phx_calloc(report->context, (size_t)mesh->n_nodes + 1, sizeof **number);
    *count = 0;
    if (!*number)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < mesh->n_nodes; i++)
        (*number)[i] = -1;
    for (int k = 0; k < 3 * mesh->n_triangles; k++)
        (*number)[mesh->triangles[k]] = 0;
    for (int i = 0; i < mesh->n_nodes; i++)
        if ((*number)[i] == 0)
            (*number)[i] = (*count)++;
    return PHX_OK;
}

static phx_status open_surface(const phx_report *report, int mesh, surface *skin)
{
    int *number = NULL;

    *skin = (surface){.mesh = mesh_at(report, mesh)};
    phx_status status = number_nodes(report, &skin->mesh, &number, &skin->n);
    if (!status && !(skin->node = phx_calloc(report->context, (size_t)skin->n + 1, sizeof *skin->node)))
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < skin->mesh.n_nodes && !status; i++)
        if (number[i] >= 0)
            skin->node[number[i]] = i;
    phx_free(number);
    return status;
}

phx_status phx_report_mesh_size(const phx_report *report, int mesh, int *nodes)
{
    const phx_scene_mesh scene_mesh = mesh_at(report, mesh);
    int *number = NULL;
    const phx_status status = number_nodes(report, &scene_mesh, &number, nodes);

    phx_free(number);
    return status;
}

phx_status phx_report_mesh_points(phx_report *report, int index, phx_payload *payload)
{
    surface skin;
    const phx_status status = open_surface(report, index, &skin);

    for (int i = 0; i < skin.n && !status; i++)
        for (int a = 0; a < 3; a++)
            phx_payload_f32(payload, skin.mesh.x[3 * skin.node[i] + a]);
    phx_free(skin.node);
    return status;
}

phx_status phx_report_mesh_thickness(phx_report *report, int index, phx_payload *payload)
{
    surface skin;
    const phx_status status = open_surface(report, index, &skin);

    for (int i = 0; i < skin.n && !status; i++)
        phx_payload_f32(payload, skin.mesh.thickness[skin.node[i]]);
    phx_free(skin.node);
    return status;
}

phx_status phx_report_mesh_triangles(phx_report *report, int index, phx_payload *payload)
{
    const phx_scene_mesh mesh = mesh_at(report, index);
    int *number = NULL, count = 0;
    const phx_status status = number_nodes(report, &mesh, &number, &count);

    for (int k = 0; k < 3 * mesh.n_triangles && !status; k++)
        phx_payload_u32(payload, (unsigned)number[mesh.triangles[k]]);
    phx_free(number);
    return status;
}

/* ---- shapes and maps ---- */
/* Rows of the surface over `width` coordinates: `rows` of each node from its row `first` on, of `stride` rows a node.
 */
typedef struct rows_of_nodes {
    const double *values;
    int first, rows, stride, width;
} rows_of_nodes;

static rows_of_nodes shapes_of(const surface *skin)
{
    return (rows_of_nodes){skin->mesh.shapes, 0, 3, 3, skin->mesh.n_q};
}

static rows_of_nodes component_of(const surface *skin, int component)
{
    return (rows_of_nodes){skin->mesh.maps, component, 1, phx_stress_components(skin->mesh.stresses),
                           skin->mesh.n_q + skin->mesh.n_factors};
}

static const double *row_at(const surface *skin, const rows_of_nodes *rows, int i, int r)
{
    return rows->values +
           ((size_t)skin->node[i] * (size_t)rows->stride + (size_t)(rows->first + r)) * (size_t)rows->width;
}

/* Of a coordinate: what 1 stands for. */
static double meshes_scale_of(const surface *skin, const rows_of_nodes *rows, int k)
{
    double most = 0.0;

    for (int i = 0; i < skin->n; i++)
        for (int r = 0; r < rows->rows; r++)
            most = fmax(most, fabs(row_at(skin, rows, i, r)[k]));
    return (float)(most / MOST_INTEGER); /* as it stands in the page */
}

static void put_scales(const surface *skin, const rows_of_nodes *rows, phx_payload *payload)
{
    for (int k = 0; k < rows->width; k++)
        phx_payload_f32(payload, meshes_scale_of(skin, rows, k));
}

/* Coordinate by coordinate: neighbours are alike, which compresses well. */
static void put_integers(const surface *skin, const rows_of_nodes *rows, phx_payload *payload)
{
    for (int k = 0; k < rows->width; k++) {
        const double scale = meshes_scale_of(skin, rows, k);
        for (int i = 0; i < skin->n; i++)
            for (int r = 0; r < rows->rows; r++) {
                const double value = scale > 0.0 ? row_at(skin, rows, i, r)[k] / scale : 0.0;
                phx_payload_i16(payload, (int)lround(fmax(-MOST_INTEGER, fmin(MOST_INTEGER, value))));
            }
    }
}

/* Node by node. */
static void put_floats(const surface *skin, const rows_of_nodes *rows, phx_payload *payload)
{
    for (int i = 0; i < skin->n; i++)
        for (int r = 0; r < rows->rows; r++)
            for (int k = 0; k < rows->width; k++)
                phx_payload_f32(payload, row_at(skin, rows, i, r)[k]);
}

typedef void rows_writer(const surface *skin, const rows_of_nodes *rows, phx_payload *payload);

static phx_status meshes_put_rows(phx_report *report, int mesh, int component, rows_writer *write, phx_payload *payload)
{
    surface skin;
    const phx_status status = open_surface(report, mesh, &skin);

    if (!status) {
        const rows_of_nodes rows = component < 0 ? shapes_of(&skin) : component_of(&skin, component);
        write(&skin, &rows, payload);
    }
    phx_free(skin.node);
    return status;
}

phx_status phx_report_mesh_shapes(phx_report *report, int index, phx_payload *payload)
{
    return meshes_put_rows(report, index, -1, put_integers, payload);
}

phx_status phx_report_mesh_shape_scales(phx_report *report, int index, phx_payload *payload)
{
    return meshes_put_rows(report, index, -1, put_scales, payload);
}

phx_status phx_report_mesh_map(phx_report *report, int index, phx_payload *payload)
{
    return meshes_put_rows(report, index / PHX_STRESSES_MOST, index % PHX_STRESSES_MOST, put_integers, payload);
}

phx_status phx_report_mesh_map_scales(phx_report *report, int index, phx_payload *payload)
{
    return meshes_put_rows(report, index / PHX_STRESSES_MOST, index % PHX_STRESSES_MOST, put_scales, payload);
}

phx_status phx_report_mesh_float_map(phx_report *report, int index, phx_payload *payload)
{
    return meshes_put_rows(report, index / PHX_STRESSES_MOST, index % PHX_STRESSES_MOST, put_floats, payload);
}

/* ---- along a sweep ---- */
static bool same_values(size_t count, const void *a, const void *b, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

/* Whether the meshes of a body in two scenes agree in nodes, triangles, shapes and stress maps. */
bool phx_report_same_mesh(const phx_report *report, int body, const phx_scene *their)
{
    const phx_scene *scene = report->scene;

    for (int m = 0; m < scene->n_meshes || m < their->n_meshes; m++) {
        if (scene->n_meshes != their->n_meshes || scene->mesh_body[m] != their->mesh_body[m] ||
            scene->mesh_nodes[m] != their->mesh_nodes[m] || scene->mesh_triangles[m] != their->mesh_triangles[m] ||
            scene->mesh_factors[m] != their->mesh_factors[m])
            return false;
        if (scene->mesh_body[m] != body)
            continue;
        const phx_scene_mesh a = mesh_at(report, m), b = phx_scene_mesh_at(their, m, report->bodies, report->dimension);
        const size_t n = (size_t)a.n_nodes, values = n * (size_t)a.n_q, all = values + n * (size_t)a.n_factors;
        return a.stresses == b.stresses && same_values(3 * n, a.x, b.x, sizeof *a.x) &&
               same_values(n, a.thickness, b.thickness, sizeof *a.x) &&
               same_values(3 * (size_t)a.n_triangles, a.triangles, b.triangles, sizeof *a.triangles) &&
               same_values(3 * values, a.shapes, b.shapes, sizeof *a.shapes) &&
               same_values((size_t)phx_stress_components(a.stresses) * all, a.maps, b.maps, sizeof *a.maps);
    }
    return true;
}

/* ---- visuals ---- */
/* Points of nodes on meshes, which the page numbers anew, as it has only those on the surface. */
static phx_status put_node_points(phx_report *report, const phx_scene_view *view, phx_payload *payload)
{
    const phx_scene *scene = report->scene;
    int *number = NULL, numbered = -1, count = 0, mesh = 0;
    phx_status status = PHX_OK;

    for (int i = 0; i < view->count && !status; i++) {
        const int body = scene->node_body[i], point = scene->node_point[i];
        const int inside = point - (body < 0 ? 0 : report->bodies[body].n_points);
        if (point < 0 || inside < 0 || !phx_report_mesh_of(report, body, &mesh)) {
            phx_payload_u32(payload, (unsigned)point);
            continue;
        }
        if (mesh != numbered) {
            const phx_scene_mesh of = mesh_at(report, mesh);
            phx_free(number);
            status = number_nodes(report, &of, &number, &count);
            numbered = mesh;
        }
        if (!status)
            phx_payload_u32(payload, (unsigned)(number[inside] + report->bodies[body].n_points));
    }
    phx_free(number);
    return status;
}

/* A list under /visuals as it is, but for the numbers of nodes on meshes. */
phx_status phx_report_visual_list(phx_report *report, int index, phx_payload *payload)
{
    phx_scene_view view;

    if (!phx_scene_list(report->scene, report->dimension, REPORT_VISUALS, index, &view))
        return PHX_OK;
    if (strcmp(view.name, "node_point") == 0)
        return put_node_points(report, &view, payload);
    for (int i = 0; i < view.count * view.width; i++)
        if (view.kind == PHX_SCENE_LIST_INTEGERS)
            phx_payload_u32(payload, (unsigned)((const int *)view.values)[i]);
        else
            phx_payload_f32(payload, ((const double *)view.values)[i]);
    return PHX_OK;
}
