/* A motion as glTF 2.0 in one binary file (GLB), for programs that draw.
 *
 *   node "motion"            turns z upwards, as Phlexor has it in space, into y upwards, as glTF has it
 *     node of each body      translation and rotation at each instant
 *       node of a surface    a mesh that one body carries; one that several carry stands beside "motion" and has a
 * skin, with the bodies' nodes as joints and weights 1
 *
 * A mesh has a morph target for each deformation coordinate q of the bodies that carry it. The mesh has the least value
 * of each q over the motion, its target the range, so that all weights w = (q - low)/range are in [0, 1]: Blender cuts
 * off others. Displacements are linear in q, so the targets hold at every instant; between instants glTF interpolates.
 */
#include "export.h"
#include "frames.h"
#include "results/store/layout.h"
#include "results/store/output.h"
#include "results/store/scene.h"

#include "algebra/algebra.h"

#include <math.h>
#include <string.h>

enum { FLOAT = 5126, UNSIGNED_INT = 5125, UNSIGNED_SHORT = 5123, VERTICES = 34962, INDICES = 34963 };
static const unsigned MAGIC = 0x46546C67, JSON_CHUNK = 0x4E4F534A, BINARY_CHUNK = 0x004E4942;

static const char *const palette[] = {"#2f6fb7", "#c9651b", "#2b8a6b", "#a8477f", "#7b6ac0",
                                      "#8a7a1e", "#3f9ab8", "#b04444", "#5f6f80", "#4f8f2f"};
enum { COLOURS = sizeof palette / sizeof *palette };
static const char GROUND_COLOUR[] = "#9aa5b3";

/* A list of JSON objects in the making. */
typedef struct gltf_list {
    phx_output text;
    int count;
} gltf_list;

enum { VIEWS, ACCESSORS, MATERIALS, MESHES, SKINS, NODES, SAMPLERS, CHANNELS, LISTS };
static const char *const list_names[LISTS] = {"bufferViews", "accessors", "materials", "meshes",
                                              "skins",       "nodes",     "samplers",  "channels"};

typedef struct gltf {
    phx_context *context;
    phx_frames *frames;
    const phx_scene *scene;
    const phx_record_body *bodies;
    int dim, n_bodies;
    phx_output binary;
    gltf_list lists[LISTS];
    int time;       /* accessor of the instants */
    int *q_of_body; /* n_bodies + 1: index of its first coordinate among all bodies' coordinates; the last entry is n_q
                     */
    int n_q;
    const double **turns; /* n_bodies: of the points of its line, n_rot x n_q each; NULL: it does not bend */
    float *pose;          /* frames x bodies x 7: place, quaternion x y z w */
    float *q;             /* frames x n_q: weights w of the targets */
    double *low, *range;  /* n_q: q = low + range w */
    int *parent;          /* of each surface: the body that carries it; GROUND, SKINNED */
} gltf;
enum { GROUND = -1, SKINNED = -2 };

/* One surface: nodes [first, first + n) of the scene's visuals, or the nodes of mesh `mesh`. */
typedef struct gltf_part {
    const char *name, *colour;
    double opacity;
    int body, n, n_triangles, first, mesh; /* mesh -1: a visual */
    const int *triangles;
    phx_scene_mesh of;
    int n_carriers, *carrier; /* bodies that carry its nodes, each once */
} gltf_part;

/* Begins an object of a list; its number. */
static int gltf_begin(gltf *made, int list)
{
    phx_output_text(&made->lists[list].text, made->lists[list].text.used > 0 ? ",{" : "{");
    return made->lists[list].count++;
}

static phx_output *text_of(gltf *made, int list)
{
    return &made->lists[list].text;
}

/* ---- arrays ---- */
/* `count` entries of `width` numbers into the binary chunk, with least and greatest values; target 0: not drawn. */
static int put_accessor(gltf *made, const void *values, int component, int width, size_t count, int target)
{
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    const size_t size = component == UNSIGNED_SHORT ? 2 : 4, bytes = count * (size_t)width * size;
    const int view = gltf_begin(made, VIEWS);
    phx_output *text = text_of(made, VIEWS);

    phx_output_format(text, "\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", made->binary.used, bytes);
    if (target)
        phx_output_format(text, ",\"target\":%d", target);
    phx_output_text(text, "}");
    phx_output_bytes(&made->binary, values, bytes);
    while (made->binary.used % 4 != 0)
        phx_output_bytes(&made->binary, "", 1);
    const int accessor = gltf_begin(made, ACCESSORS);
    text = text_of(made, ACCESSORS);
    phx_output_format(text, "\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"", view, component,
                      count, types[width]);
    for (int greatest = 0; greatest < 2 && component == FLOAT; greatest++) {
        phx_output_text(text, greatest ? "],\"max\":[" : ",\"min\":[");
        for (int c = 0; c < width; c++) {
            float bound = ((const float *)values)[c];
            for (size_t i = 1; i < count; i++) {
                const float value = ((const float *)values)[i * (size_t)width + (size_t)c];
                bound = greatest ? fmaxf(bound, value) : fminf(bound, value);
            }
            phx_output_text(text, c ? "," : "");
            phx_output_number(text, (double)bound);
        }
    }
    phx_output_text(text, component == FLOAT ? "]}" : "}");
    return accessor;
}

/* ---- the motion ---- */
/* Poses and coordinates of all instants; the sign of a quaternion is that which is nearest to the one before. */
static phx_status read_motion(gltf *made)
{
    const size_t n = made->frames->count;
    float *times = phx_calloc(made->context, n, sizeof *times);
    phx_status status = times ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t k = 0; k < n && !status; k++) {
        status = phx_frames_read(made->frames, k);
        times[k] = (float)made->frames->values[0];
        for (int b = 0; b < made->n_bodies && !status; b++) {
            float *pose = made->pose + (k * (size_t)made->n_bodies + (size_t)b) * 7;
            phx_seen_body seen;
            double wxyz[4];
            phx_frames_see(made->frames, b, &seen);
            phx_rot_to_quaternion(seen.rotation, wxyz);
            for (int a = 0; a < 3; a++)
                pose[a] = (float)seen.origin[a];
            for (int a = 0; a < 4; a++)
                pose[3 + a] = (float)wxyz[(a + 1) % 4];
            float dot = 0.0F;
            for (int a = 3; a < 7 && k > 0; a++)
                dot += pose[a] * (pose - 7 * made->n_bodies)[a];
            for (int a = 3; a < 7 && dot < 0.0F; a++)
                pose[a] = -pose[a];
            for (int j = 0; j < seen.n_q; j++)
                made->q[k * (size_t)made->n_q + (size_t)(made->q_of_body[b] + j)] = (float)seen.q[j];
            for (int a = 0; a < 7; a++)
                if (!isfinite(pose[a])) /* not there at this instant */
                    pose[a] = k > 0 ? (pose - 7 * made->n_bodies)[a] : (float)(a == 6);
        }
    }
    if (!status)
        made->time = put_accessor(made, times, FLOAT, 1, n, 0);
    phx_free(times);
    return status;
}

static void put_channel(gltf *made, int node, const char *path, int values)
{
    const int sampler = gltf_begin(made, SAMPLERS);

    phx_output_format(text_of(made, SAMPLERS), "\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", made->time,
                      values);
    gltf_begin(made, CHANNELS);
    phx_output_format(text_of(made, CHANNELS), "\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", sampler,
                      node, path);
}

/* What moves node 1 + b of body b. */
static phx_status put_poses(gltf *made)
{
    const size_t n = made->frames->count;
    float *values = phx_calloc(made->context, 4 * n, sizeof *values);

    if (!values)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < made->n_bodies; b++)
        for (int rotation = 0; rotation < 2; rotation++) {
            const int width = 3 + rotation;
            for (size_t k = 0; k < n; k++)
                memcpy(values + k * (size_t)width,
                       made->pose + (k * (size_t)made->n_bodies + (size_t)b) * 7 + 3 * rotation,
                       (size_t)width * sizeof *values);
            put_channel(made, 1 + b, rotation ? "rotation" : "translation",
                        put_accessor(made, values, FLOAT, width, n, 0));
        }
    phx_free(values);
    return PHX_OK;
}

/* ---- surfaces ---- */
static int node_body(const gltf *made, const gltf_part *part, int i)
{
    return part->mesh >= 0 ? part->body : made->scene->node_body[part->first + i];
}

static int coordinates_of(const gltf *made, int body)
{
    return made->q_of_body[body + 1] - made->q_of_body[body];
}

/* The place of node i in axes of its body: at rest (j < 0), or what coordinate j of that body adds. */
static void node_at(const gltf *made, const gltf_part *part, int i, int j, double out[3])
{
    const phx_scene *scene = made->scene;
    const int b = node_body(made, part, i), dim = made->dim, n_rot = dim == 2 ? 1 : 3;
    static const double nowhere[3] = {0};

    memset(out, 0, 3 * sizeof *out);
    const double *arm = part->mesh >= 0 ? nowhere : scene->node_arm + 3 * (size_t)(part->first + i);
    const int point = part->mesh >= 0 ? -1 : scene->node_point[part->first + i];
    if (part->mesh >= 0) {
        for (int a = 0; a < 3; a++)
            out[a] =
                j < 0 ? part->of.x[3 * i + a] : part->of.shapes[(size_t)(3 * i + a) * (size_t)part->of.n_q + (size_t)j];
        return;
    }
    if (b < 0 || point < 0) {
        for (int a = 0; a < 3 && j < 0; a++)
            out[a] = arm[a];
        return;
    }
    const phx_record_body *body = &made->bodies[b];
    const int n_q = coordinates_of(made, b);
    if (point >= body->n_points) { /* a node of its mesh */
        for (int a = 0; a < 3; a++) {
            const size_t row = (size_t)(3 * (point - body->n_points) + a);
            out[a] = j < 0 ? part->of.x[row] + arm[a] : part->of.shapes[row * (size_t)n_q + (size_t)j];
        }
        return;
    }
    for (int a = 0; a < dim; a++)
        out[a] =
            j < 0 ? body->points[point * dim + a] : body->shapes[(size_t)(point * dim + a) * (size_t)n_q + (size_t)j];
    if (j < 0) {
        for (int a = 0; a < 3; a++)
            out[a] += arm[a];
        return;
    }
    double turn[3] = {0}, moved[3];
    for (int a = 0; a < n_rot; a++)
        turn[dim == 2 ? 2 : a] = made->turns[b][(size_t)(point * n_rot + a) * (size_t)n_q + (size_t)j];
    phx_rot_x_vec(3, turn, arm, moved);
    for (int a = 0; a < 3; a++)
        out[a] += moved[a];
}

/* The bodies that carry the nodes of a surface, each once. */
static phx_status find_bodies(const gltf *made, gltf_part *part)
{
    part->carrier = phx_calloc(made->context, (size_t)made->n_bodies + 1, sizeof *part->carrier);
    if (!part->carrier)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < part->n; i++) {
        const int b = node_body(made, part, i);
        int k = 0;
        while (k < part->n_carriers && part->carrier[k] != b)
            k++;
        if (k == part->n_carriers && b >= 0)
            part->carrier[part->n_carriers++] = b;
    }
    return PHX_OK;
}

/* A material in the colour of the shape or body; returns its index. */
static int put_material(gltf *made, const gltf_part *part)
{
    const char *colour = part->colour[0] == '#' ? part->colour
                         : part->body < 0       ? GROUND_COLOUR
                                                : palette[part->body % COLOURS];
    const int material = gltf_begin(made, MATERIALS);
    phx_output *text = text_of(made, MATERIALS);
    unsigned rgb[3] = {0};

    sscanf(colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]);
    phx_output_text(text, "\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.6,"
                          "\"baseColorFactor\":[");
    for (int c = 0; c < 3; c++) { /* linear, as glTF has it */
        const double s = rgb[c] / 255.0;
        phx_output_number(text, s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
        phx_output_text(text, ",");
    }
    phx_output_number(text, part->opacity);
    phx_output_format(text, "]}%s}", part->opacity < 1.0 ? ",\"alphaMode\":\"BLEND\"" : "");
    return material;
}

/* Which body carries each node: its place among the joints of the skin. */
static phx_status put_skin(gltf *made, const gltf_part *part, int accessors[2])
{
    const size_t n = (size_t)part->n;
    unsigned short *joints = phx_calloc(made->context, 4 * n, sizeof *joints);
    float *weights = phx_calloc(made->context, 4 * n, sizeof *weights);
    const phx_status status = joints && weights ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < part->n && !status; i++) {
        const int b = node_body(made, part, i);
        for (int k = 0; k < part->n_carriers; k++)
            if (part->carrier[k] == b)
                joints[4 * i] = (unsigned short)k;
        weights[4 * i] = 1.0F;
    }
    if (!status) {
        accessors[0] = put_accessor(made, joints, UNSIGNED_SHORT, 4, n, VERTICES);
        accessors[1] = put_accessor(made, weights, FLOAT, 4, n, VERTICES);
        gltf_begin(made, SKINS);
        phx_output_text(text_of(made, SKINS), "\"joints\":[");
        for (int k = 0; k < part->n_carriers; k++)
            phx_output_format(text_of(made, SKINS), k ? ",%d" : "%d", 1 + part->carrier[k]);
        phx_output_text(text_of(made, SKINS), "]}");
    }
    phx_free(joints);
    phx_free(weights);
    return status;
}

/* Replaces the coordinates by their weights, which are in [0, 1]. */
static void scale_coordinates(gltf *made)
{
    const size_t n = made->frames->count, n_q = (size_t)made->n_q;

    for (size_t j = 0; j < n_q; j++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t k = 0; k < n; k++) {
            low = fmin(low, made->q[k * n_q + j]);
            high = fmax(high, made->q[k * n_q + j]);
        }
        made->low[j] = high >= low ? low : 0.0;
        made->range[j] = high > low ? high - low : 0.0;
        for (size_t k = 0; k < n; k++)
            made->q[k * n_q + j] = high > low ? (float)((made->q[k * n_q + j] - low) / (high - low)) : 0.0F;
    }
}

/* Place of node i in the mesh: undeformed, and the least values of the coordinates of the body that carries it. */
static void base_at(const gltf *made, const gltf_part *part, int i, double out[3])
{
    const int b = node_body(made, part, i);

    node_at(made, part, i, -1, out);
    for (int j = 0; b >= 0 && j < coordinates_of(made, b); j++) {
        double at[3] = {0};
        node_at(made, part, i, j, at);
        for (int a = 0; a < 3; a++)
            out[a] += made->low[made->q_of_body[b] + j] * at[a];
    }
}

/* The morph targets into the mesh, which ends its primitive, and their weights: of the first instant into the mesh, of
 * all for `node`. */
static phx_status put_targets(gltf *made, const gltf_part *part, float *places, int node)
{
    const size_t n = made->frames->count;
    phx_output *text = text_of(made, MESHES);
    double at[3];
    int count = 0;

    for (int c = 0; c < part->n_carriers; c++)
        for (int j = 0; j < coordinates_of(made, part->carrier[c]); j++) {
            const double range = made->range[made->q_of_body[part->carrier[c]] + j];
            for (int i = 0; i < part->n; i++) {
                memset(at, 0, sizeof at);
                if (node_body(made, part, i) == part->carrier[c])
                    node_at(made, part, i, j, at);
                for (int a = 0; a < 3; a++)
                    places[3 * i + a] = (float)(range * at[a]);
            }
            phx_output_format(text, "%s{\"POSITION\":%d}", count++ ? "," : ",\"targets\":[",
                              put_accessor(made, places, FLOAT, 3, (size_t)part->n, VERTICES));
        }
    phx_output_text(text, count ? "]}]" : "}]");
    if (count == 0)
        return PHX_OK;
    float *weights = phx_calloc(made->context, n * (size_t)count, sizeof *weights), *to = weights;
    if (!weights)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < n; k++)
        for (int c = 0; c < part->n_carriers; c++)
            for (int j = 0; j < coordinates_of(made, part->carrier[c]); j++)
                *to++ = made->q[k * (size_t)made->n_q + (size_t)(made->q_of_body[part->carrier[c]] + j)];
    for (int k = 0; k < count; k++) {
        phx_output_text(text, k ? "," : ",\"weights\":[");
        phx_output_number(text, (double)weights[k]);
    }
    phx_output_text(text, "]");
    put_channel(made, node, "weights", put_accessor(made, weights, FLOAT, 1, n * (size_t)count, 0));
    phx_free(weights);
    return PHX_OK;
}

/* Mesh, material, skin and node of a surface. */
static phx_status put_part(gltf *made, gltf_part *part)
{
    float *places = phx_calloc(made->context, 3 * (size_t)part->n, sizeof *places);
    const int node = made->lists[NODES].count, mesh = made->lists[MESHES].count;
    phx_status status = places ? find_bodies(made, part) : PHX_ERR_MEMORY;
    int skin[2] = {-1, -1};

    if (!status && part->n_carriers > 1)
        status = put_skin(made, part, skin);
    for (int i = 0; i < part->n && !status; i++) {
        double at[3];
        base_at(made, part, i, at);
        for (int a = 0; a < 3; a++)
            places[3 * i + a] = (float)at[a];
    }
    if (!status) {
        const int position = put_accessor(made, places, FLOAT, 3, (size_t)part->n, VERTICES);
        const int indices =
            put_accessor(made, part->triangles, UNSIGNED_INT, 1, 3 * (size_t)part->n_triangles, INDICES);
        gltf_begin(made, MESHES);
        phx_output *text = text_of(made, MESHES);
        phx_output_format(text, "\"primitives\":[{\"attributes\":{\"POSITION\":%d", position);
        if (skin[0] >= 0)
            phx_output_format(text, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", skin[0], skin[1]);
        phx_output_format(text, "},\"indices\":%d,\"material\":%d", indices, put_material(made, part));
        status = put_targets(made, part, places, node);
        phx_output_text(text, "}");
    }
    if (!status) {
        gltf_begin(made, NODES);
        phx_output *text = text_of(made, NODES);
        phx_output_text(text, "\"name\":");
        phx_output_json(text, part->name);
        phx_output_format(text, ",\"mesh\":%d", mesh);
        if (part->n_carriers > 1)
            phx_output_format(text, ",\"skin\":%d", made->lists[SKINS].count - 1);
        phx_output_text(text, "}");
        made->parent[node - 1 - made->n_bodies] = part->n_carriers > 1    ? SKINNED
                                                  : part->n_carriers == 1 ? part->carrier[0]
                                                                          : GROUND;
    }
    phx_free(places);
    phx_free(part->carrier);
    part->carrier = NULL;
    return status;
}

static const char *part_name(const gltf *made, int body)
{
    return body < 0 ? "ground" : made->bodies[body].name;
}

/* The visuals of the scene, and the meshes of bodies that have no other. */
static phx_status put_surfaces(gltf *made)
{
    const phx_scene *scene = made->scene;
    phx_status status = PHX_OK;
    int first = 0;
    const int *triangles = scene->visual_triangle_nodes;

    for (int v = 0; v < scene->n_visuals && !status; v++) {
        gltf_part part = {.name = part_name(made, scene->visual_body[v]),
                          .colour = scene->visual_colour[v],
                          .opacity = scene->visual_opacity[v],
                          .body = scene->visual_body[v],
                          .n = scene->visual_nodes[v],
                          .n_triangles = scene->visual_triangles[v],
                          .first = first,
                          .mesh = -1,
                          .triangles = triangles};
        for (int m = 0; m < scene->n_meshes; m++)
            if (scene->mesh_body[m] == part.body)
                part.of = phx_scene_mesh_at(scene, m, made->bodies, made->dim);
        status = put_part(made, &part);
        first += part.n;
        triangles += 3 * part.n_triangles;
    }
    for (int m = 0; m < scene->n_meshes && !status; m++) {
        gltf_part part = {.name = part_name(made, scene->mesh_body[m]), .colour = "", .opacity = 1.0, .mesh = m};
        bool shown = false;
        part.of = phx_scene_mesh_at(scene, m, made->bodies, made->dim);
        part.body = part.of.body;
        part.n = part.of.n_nodes;
        part.n_triangles = part.of.n_triangles;
        part.triangles = part.of.triangles;
        for (int v = 0; v < scene->n_visuals; v++)
            shown = shown || scene->visual_body[v] == part.body;
        if (!shown)
            status = put_part(made, &part);
    }
    return status;
}

/* ---- the file ---- */
/* "children" of a node: the surfaces of this parent, behind the bodies when it is the root. */
static void put_children(gltf *made, int parent, phx_output *text)
{
    const char *separator = ",\"children\":[";

    for (int b = 0; b < made->n_bodies && parent == GROUND; b++, separator = ",")
        phx_output_format(text, "%s%d", separator, 1 + b);
    for (int node = 1 + made->n_bodies; node < made->lists[NODES].count; node++)
        if (made->parent[node - 1 - made->n_bodies] == parent) {
            phx_output_format(text, "%s%d", separator, node);
            separator = ",";
        }
    phx_output_text(text, strcmp(separator, ",") == 0 ? "]}" : "}");
}

/* The root and the bodies. */
static void put_frames(gltf *made, phx_output *text)
{
    const char *turned = made->dim == 3 ? ",\"rotation\":[-0.70710678118654757,0,0,0.70710678118654757]" : "";

    phx_output_format(text, "{\"name\":\"motion\"%s", turned);
    put_children(made, GROUND, text);
    for (int b = 0; b < made->n_bodies; b++) {
        phx_output_text(text, ",{\"name\":");
        phx_output_json(text, made->bodies[b].name);
        put_children(made, b, text);
    }
    if (made->lists[NODES].text.used > 0)
        phx_output_text(text, ",");
}

/* All lists in one object of JSON, padded to a multiple of four bytes. */
static phx_status join_lists(gltf *made, phx_output *json)
{
    phx_status status = PHX_OK;

    phx_output_text(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Phlexor\"},\"scene\":0,"
                          "\"scenes\":[{\"nodes\":[0");
    for (int node = 1 + made->n_bodies; node < made->lists[NODES].count; node++)
        if (made->parent[node - 1 - made->n_bodies] == SKINNED)
            phx_output_format(json, ",%d", node);
    phx_output_format(json, "]}],\"buffers\":[{\"byteLength\":%zu}]", made->binary.used);
    for (int k = 0; k < SAMPLERS; k++) {
        if (made->lists[k].count == 0)
            continue;
        phx_output_format(json, ",\"%s\":[", list_names[k]);
        if (k == NODES)
            put_frames(made, json);
        phx_output_bytes(json, made->lists[k].text.buffer, made->lists[k].text.used);
        phx_output_text(json, "]");
    }
    phx_output_text(json, ",\"animations\":[{\"name\":\"motion\"");
    for (int k = SAMPLERS; k < LISTS; k++) {
        phx_output_format(json, ",\"%s\":[", list_names[k]);
        phx_output_bytes(json, made->lists[k].text.buffer, made->lists[k].text.used);
        phx_output_text(json, "]");
    }
    phx_output_text(json, "}]}");
    while (json->used % 4 != 0)
        phx_output_text(json, " ");
    for (int k = 0; k < LISTS && !status; k++)
        status = made->lists[k].text.status;
    return status ? status : json->status;
}

static void put_word(phx_output *out, size_t word)
{
    const unsigned value = (unsigned)word;
    phx_output_bytes(out, (const char *)&value, sizeof value);
}

/* Header, the chunk of JSON, the chunk of arrays. */
static phx_status write_file(gltf *made, const char *path)
{
    phx_output json, out;
    phx_status status = phx_output_open_memory(made->context, &json);

    if (status)
        return status;
    status = join_lists(made, &json);
    if (!status)
        status = made->binary.status;
    if (!status)
        status = phx_output_open(made->context, path, &out);
    if (!status) {
        put_word(&out, MAGIC);
        put_word(&out, 2);
        put_word(&out, 12 + 8 + json.used + 8 + made->binary.used);
        put_word(&out, json.used);
        put_word(&out, JSON_CHUNK);
        phx_output_bytes(&out, json.buffer, json.used);
        put_word(&out, made->binary.used);
        put_word(&out, BINARY_CHUNK);
        phx_output_bytes(&out, made->binary.buffer, made->binary.used);
        status = phx_output_commit(&out);
    }
    phx_output_close(&json, false);
    return status;
}

/* Room for the motion, and where coordinates and turns of each body begin. */
static phx_status open_gltf(gltf *made, phx_frames *frames)
{
    const size_t n = frames->count;
    const phx_result_info about = phx_result_about(frames->result);
    phx_status status = phx_output_open_memory(frames->context, &made->binary);

    made->context = frames->context;
    made->frames = frames;
    made->scene = about.scene;
    made->bodies = about.bodies;
    made->dim = about.dimension;
    made->n_bodies = about.n_bodies;
    for (int k = 0; k < LISTS && !status; k++)
        status = phx_output_open_memory(frames->context, &made->lists[k].text);
    made->q_of_body = phx_calloc(made->context, (size_t)made->n_bodies + 1, sizeof *made->q_of_body);
    made->turns = phx_calloc(made->context, (size_t)made->n_bodies + 1, sizeof *made->turns);
    if (status || !made->q_of_body || !made->turns)
        return PHX_ERR_MEMORY;
    const double *turns = made->scene ? made->scene->point_turns : NULL;
    for (int b = 0; b < made->n_bodies; b++) {
        const int n_q = phx_layout_deformations(made->dim, &about.bodies[b]);
        made->n_q = made->q_of_body[b + 1] = made->q_of_body[b] + (n_q > 0 ? n_q : 0);
        if (about.bodies[b].shapes && turns) {
            made->turns[b] = turns;
            turns += (size_t)(about.bodies[b].n_points * (made->dim == 2 ? 1 : 3)) * (size_t)coordinates_of(made, b);
        }
    }
    made->lists[NODES].count = 1 + made->n_bodies; /* the root and the bodies are written last */
    made->parent =
        phx_calloc(made->context, (size_t)(made->scene ? made->scene->n_visuals + made->scene->n_meshes : 0) + 1,
                   sizeof *made->parent);
    made->pose = phx_calloc(made->context, 7 * n * (size_t)made->n_bodies, sizeof *made->pose);
    made->q = phx_calloc(made->context, n * (size_t)made->n_q + 1, sizeof *made->q);
    made->low = phx_calloc(made->context, (size_t)made->n_q + 1, sizeof *made->low);
    made->range = phx_calloc(made->context, (size_t)made->n_q + 1, sizeof *made->range);
    return made->pose && made->q && made->low && made->range && made->parent ? PHX_OK : PHX_ERR_MEMORY;
}

/* Reads the motion, then writes poses, surfaces and, last, the nodes that hold them together. */
phx_status phx_export_glb(phx_context *context, const char *result_path, const char *path, int most_frames)
{
    phx_frames frames;
    gltf made = {.time = -1};
    phx_status status = phx_frames_open(context, result_path, most_frames, &frames);

    if (!status)
        status = open_gltf(&made, &frames);
    if (!status && (!made.scene || made.scene->n_visuals + made.scene->n_meshes == 0))
        status = phx_fail(context, PHX_ERR_FILE,
                          "%s: it does not say what its bodies look like; simulate the model again", result_path);
    if (!status)
        status = read_motion(&made);
    if (!status) {
        scale_coordinates(&made);
        status = put_poses(&made);
    }
    if (!status)
        status = put_surfaces(&made);
    if (!status)
        status = write_file(&made, path);
    for (int k = 0; k < LISTS; k++)
        phx_output_close(&made.lists[k].text, false);
    phx_output_close(&made.binary, false);
    phx_free(made.q_of_body);
    phx_free((void *)made.turns);
    phx_free(made.parent);
    phx_free(made.pose);
    phx_free(made.q);
    phx_free(made.low);
    phx_free(made.range);
    phx_frames_close(&frames);
    return status;
}
