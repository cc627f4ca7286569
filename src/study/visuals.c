/* Surfaces of bodies and the ground for pictures: the shapes of the model file, or surfaces derived from the physics.
 * Each node of a surface is carried by a frame of its body, a point of its line or a node of its mesh. */
#include "visuals.h"

#include "algebra/algebra.h"

#include <math.h>
#include <string.h>

enum {
    AROUND_STRUT = 8,    /* points of the circle of a strut */
    PIECES = 16,         /* of the length of a body that bends */
    MOST_CARRIERS = 4000 /* of a body */
};
static const double PI = 3.14159265358979323846;

/* A frame that carries nodes: of which body of the recorder, by which of its points, where at rest in the axes of the
 * body of the model. */
typedef struct carrier {
    int body, point;
    double place[3], axes[9];
} carrier;

typedef struct contact_side contact_side;

typedef struct visual_maker {
    phx_context *context;
    const phx_model *model;
    const phx_made_body *made;
    const phx_drawing *drawing;
    phx_scene *scene;
    int dim;
    int n_sides;
    contact_side *sides; /* of contacts */
    int n_carriers;
    carrier carriers[MOST_CARRIERS];
} visual_maker;

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* A rotation of the plane or of space (NULL: none) as one of space. */
static void widen_rotation(int dim, const double *R, double axes[9])
{
    memcpy(axes, identity, sizeof identity);
    for (int k = 0; k < dim * dim && R; k++)
        axes[3 * (k / dim) + k % dim] = R[k];
}

/* ---- carriers ---- */
static void add_carrier(visual_maker *maker, int body, int point, const double *place, double along)
{
    if (maker->n_carriers == MOST_CARRIERS)
        return;
    carrier *made = &maker->carriers[maker->n_carriers++];
    *made = (carrier){.body = body, .point = point};
    memcpy(made->axes, identity, sizeof made->axes);
    for (int a = 0; a < maker->dim && place; a++)
        made->place[a] = place[a];
    made->place[0] += along;
}

/* The frames of a body that has several, as they stand at rest. */
static phx_status add_frames(visual_maker *maker, int b)
{
    const phx_body *body = maker->made[b].body;
    const phx_body_frame *frames;
    const int n = phx_body_frames(body, &frames), dim = maker->dim;
    double *x = phx_calloc(maker->context, (size_t)phx_body_n_x(body), sizeof *x);

    if (!x)
        return PHX_ERR_MEMORY;
    phx_body_rest(body, x);
    for (int f = 0; f < n; f++) {
        const double *at = x + frames[f].x, *attitude = at + dim;
        add_carrier(maker, maker->drawing->first[b] + f, -1, at, 0.0);
        double *axes = maker->carriers[maker->n_carriers - 1].axes;
        if (dim == 3)
            memcpy(axes, attitude, 9 * sizeof *axes);
        else
            axes[0] = axes[4] = attitude[0], axes[1] = -attitude[1], axes[3] = attitude[1];
    }
    phx_free(x);
    return PHX_OK;
}

/* Nodes on the surface of the mesh that the body has in the scene, evenly left out where they are many. */
static bool add_mesh_nodes(visual_maker *maker, int b)
{
    const phx_scene *scene = maker->scene;
    const int record = maker->drawing->first[b];
    int node = 0, triangle = 0;

    for (int m = 0; m < scene->n_meshes; m++) {
        if (scene->mesh_body[m] == record) {
            const int n = 3 * scene->mesh_triangles[m], step = n / MOST_CARRIERS + 1;
            for (int k = 0; k < n; k += step) {
                const int i = scene->triangle_nodes[triangle + k];
                add_carrier(maker, record, maker->drawing->bodies[record].n_points + i,
                            scene->mesh_x + 3 * (size_t)(node + i), 0.0);
            }
            return true;
        }
        node += scene->mesh_nodes[m];
        triangle += 3 * scene->mesh_triangles[m];
    }
    return false;
}

/* The carriers of body b of the model; for a body cut into segments, the carriers of all segments. */
static phx_status find_carriers(visual_maker *maker, int b)
{
    const phx_model_body *body = &maker->model->bodies[b];
    double along = 0.0;

    maker->n_carriers = 0;
    if (!phx_body_floats(maker->made[b].body))
        return add_frames(maker, b);
    if (maker->made[b].source && add_mesh_nodes(maker, b))
        return PHX_OK;
    for (int k = b;
         k == b || (k < maker->model->n_bodies && body->whole && maker->model->bodies[k].whole == body->whole);
         along += maker->model->bodies[k++].length) {
        const int record = maker->drawing->first[k];
        const phx_record_body *line = &maker->drawing->bodies[record];
        for (int i = 0; i < line->n_points && maker->made[k].source; i++)
            add_carrier(maker, record, i, line->points + i * maker->dim, along);
        if (!maker->made[k].source)
            add_carrier(maker, record, -1, NULL, along);
    }
    if (maker->n_carriers == 0) /* it bends, but neither line nor mesh of it is drawn */
        add_carrier(maker, maker->drawing->first[b], -1, NULL, 0.0);
    return PHX_OK;
}

/* The carrier nearest to x. */
static const carrier *nearest_carrier(const visual_maker *maker, const double x[3])
{
    const carrier *nearest = maker->carriers;
    double least = HUGE_VAL;

    for (int k = 0; k < maker->n_carriers; k++) {
        const double *at = maker->carriers[k].place;
        const double square = pow(x[0] - at[0], 2.0) + pow(x[1] - at[1], 2.0) + pow(x[2] - at[2], 2.0);
        if (square < least) {
            least = square;
            nearest = &maker->carriers[k];
        }
    }
    return nearest;
}

/* ---- into the lists of the scene ---- */
/* Room for a surface in all lists, and its entries in those that have one for each surface and triangle. */
static phx_status begin_visual(visual_maker *maker, int record, const char *kind, const char *colour, double opacity,
                               const phx_surface *surface)
{
    phx_scene *scene = maker->scene;
    phx_context *context = maker->context;
    const int v = scene->n_visuals, node = scene->n_visual_nodes, corner = scene->n_visual_triangle_nodes;
    const size_t nodes = (size_t)surface->n_points, corners = 3 * (size_t)surface->n_triangles;
    const struct {
        void *list;
        int count;
        size_t more, size;
    } lists[] = {{&scene->visual_body, v, 1, sizeof(int)},
                 {&scene->visual_kind, v, 1, sizeof(char *)},
                 {&scene->visual_colour, v, 1, sizeof(char *)},
                 {&scene->visual_opacity, v, 1, sizeof(double)},
                 {&scene->visual_nodes, v, 1, sizeof(int)},
                 {&scene->visual_triangles, v, 1, sizeof(int)},
                 {&scene->node_body, node, nodes, sizeof(int)},
                 {&scene->node_point, node, nodes, sizeof(int)},
                 {&scene->node_arm, 3 * node, 3 * nodes, sizeof(double)},
                 {&scene->visual_triangle_nodes, corner, corners, sizeof(int)}};

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (phx_scene_grow(context, lists[k].list, lists[k].count, lists[k].more, lists[k].size))
            return PHX_ERR_MEMORY;
    scene->visual_body[v] = record;
    scene->visual_nodes[v] = surface->n_points;
    scene->visual_triangles[v] = surface->n_triangles;
    scene->visual_opacity[v] = opacity;
    memcpy(scene->visual_triangle_nodes + corner, surface->triangle, corners * sizeof(int));
    scene->n_visual_triangle_nodes += (int)corners;
    scene->visual_kind[v] = phx_strdup(context, kind);
    scene->visual_colour[v] = phx_strdup(context, colour);
    scene->n_visuals++;
    return scene->visual_kind[v] && scene->visual_colour[v] ? PHX_OK : PHX_ERR_MEMORY;
}

static void add_node(phx_scene *scene, const carrier *by, const double x[3])
{
    const int n = scene->n_visual_nodes++;
    const double d[3] = {x[0] - by->place[0], x[1] - by->place[1], x[2] - by->place[2]};

    scene->node_body[n] = by->body;
    scene->node_point[n] = by->point;
    for (int a = 0; a < 3; a++)
        scene->node_arm[3 * n + a] = by->axes[a] * d[0] + by->axes[3 + a] * d[1] + by->axes[6 + a] * d[2];
}

/* A surface of body b (-1: the ground), each node carried by the nearest carrier. */
static phx_status add_surface(visual_maker *maker, int b, const char *kind, const char *colour, double opacity,
                              const phx_surface *surface)
{
    static const carrier ground = {.body = -1, .point = -1, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const phx_status status =
        begin_visual(maker, b < 0 ? -1 : maker->drawing->first[b], kind, colour, opacity, surface);

    for (int i = 0; i < surface->n_points && !status; i++) {
        const double *x = surface->x + 3 * i;
        add_node(maker->scene, b < 0 ? &ground : nearest_carrier(maker, x), x);
    }
    return status;
}

/* ---- shapes of the model file ---- */
/* The frame that is nearest to a fraction of the length of a body with several, which are the carriers. */
static const carrier *frame_at(const visual_maker *maker, int b, double fraction)
{
    const phx_length_point *along;
    const int n = phx_body_length_points(maker->made[b].body, &along);
    int nearest = 0;

    for (int k = 1; k < n && k < maker->n_carriers; k++)
        if (fabs(along[k].fraction - fraction) < fabs(along[nearest].fraction - fraction))
            nearest = k;
    return &maker->carriers[nearest];
}

/* The place of an end of a shape at rest, body axes: of a port, or as written. */
static phx_status end_place(const visual_maker *maker, int b, const phx_model_visual_end *end, double place[3])
{
    const phx_model_port *ports = b < 0 ? maker->model->ground_ports : maker->model->bodies[b].ports;
    phx_flex_point point = {0};
    phx_status status = PHX_OK;

    memcpy(place, end->place, 3 * sizeof *place);
    if (end->point.text && b >= 0 && maker->model->bodies[b].whole) { /* cut into segments, straight */
        place[0] = end->point.location.fraction * maker->model->bodies[b].segments * maker->model->bodies[b].length;
    } else if (end->point.text && b >= 0 && !phx_body_floats(maker->made[b].body)) {
        memcpy(place, frame_at(maker, b, end->point.location.fraction)->place, 3 * sizeof *place);
    } else if (end->point.text && b >= 0 && maker->made[b].source) {
        status = phx_flex_source_point(maker->made[b].source, maker->context, &end->point.location, &point);
        memcpy(place, point.x, (size_t)maker->dim * sizeof *place);
        phx_flex_point_free(&point);
    } else if (end->point.text && end->point.port >= 0) {
        memcpy(place, ports[end->point.port].position, (size_t)maker->dim * sizeof *place);
    }
    return status;
}

/* The surface in the axes of the shape: along z from -length/2 to length/2. */
static phx_status make_solid(phx_context *context, const phx_model_visual *visual, double length, phx_surface *surface)
{
    const double *size = visual->size, line[6] = {0.0, 0.0, -0.5 * length, 0.0, 0.0, 0.5 * length};
    const double cone[2] = {0.5 * size[0], 0.5 * size[1]}, ends[2] = {-0.5 * length, 0.5 * length};
    const double tube[4] = {0.5 * size[0], 0.5 * size[0], 0.5 * size[1], 0.5 * size[1]},
                 rims[4] = {ends[0], ends[1], ends[1], ends[0]};
    const double stretched[9] = {size[0], 0, 0, 0, size[1], 0, 0, 0, size[2]}, middle[3] = {0};
    phx_status status = PHX_OK;

    switch (visual->kind) {
    case PHX_MODEL_VISUAL_ELLIPSOID:
        status = phx_solid_capsule(context, 1.0, 0.0, true, surface);
        if (!status)
            phx_solid_move(surface, middle, stretched);
        return status;
    case PHX_MODEL_VISUAL_BOX: {
        const double box[3] = {size[0], size[1], size[2] > 0.0 ? size[2] : fmin(size[0], size[1])};
        return phx_solid_box(context, box, surface);
    }
    case PHX_MODEL_VISUAL_SPHERE:
        return phx_solid_capsule(context, size[0], 0.0, true, surface);
    case PHX_MODEL_VISUAL_CYLINDER:
    case PHX_MODEL_VISUAL_CAPSULE:
        return phx_solid_capsule(context, size[0], length, visual->kind == PHX_MODEL_VISUAL_CAPSULE, surface);
    case PHX_MODEL_VISUAL_CONE:
        return phx_solid_revolve(context, PHX_SOLID_AROUND, 2, cone, ends, false, surface);
    case PHX_MODEL_VISUAL_TUBE:
        return phx_solid_revolve(context, PHX_SOLID_AROUND, 4, tube, rims, true, surface);
    case PHX_MODEL_VISUAL_GEAR:
        return phx_solid_gear(context, size[0], visual->teeth, length, surface);
    case PHX_MODEL_VISUAL_EXTRUSION:
        return phx_solid_extrude(context, &visual->outline, 2, line, surface);
    default: /* a file: nothing where it could not be read */
        return visual->surface ? phx_surface_append(context, surface, visual->surface) : PHX_OK;
    }
}

/* The surface in body axes. */
static phx_status place_solid(const visual_maker *maker, int b, const phx_model_visual *visual, phx_surface *surface)
{
    double axes[9], place[3] = {visual->position[0], visual->position[1], visual->position[2]}, length = visual->length;
    phx_status status = PHX_OK;

    widen_rotation(maker->dim, visual->rotation.given ? visual->rotation.matrix : NULL, axes);
    if (visual->from.given) {
        double ends[2][3];
        status = end_place(maker, b, &visual->from, ends[0]);
        if (!status)
            status = end_place(maker, b, &visual->to, ends[1]);
        if (status)
            return status;
        length = phx_solid_between(ends[0], ends[1], place, axes);
        if (length == 0.0)
            return PHX_OK;
    }
    if (visual->along.rows > 0) {
        double *line = phx_calloc(maker->context, 3 * (size_t)visual->along.rows, sizeof *line);
        for (int k = 0; k < visual->along.rows && line; k++)
            for (int a = 0; a < visual->along.cols; a++)
                line[3 * k + a] = visual->along.values[visual->along.cols * k + a];
        status = line ? phx_solid_extrude(maker->context, &visual->outline, visual->along.rows, line, surface)
                      : PHX_ERR_MEMORY;
        phx_free(line);
        return status;
    }
    status = make_solid(maker->context, visual, length, surface);
    if (!status)
        phx_solid_move(surface, place, axes);
    return status;
}

/* The largest distance between carriers along an axis; 0 of a body with one. */
static double carriers_extent(const visual_maker *maker)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, extent = 0.0;

    for (int k = 0; k < maker->n_carriers; k++)
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], maker->carriers[k].place[a]);
            high[a] = fmax(high[a], maker->carriers[k].place[a]);
        }
    for (int a = 0; a < 3; a++)
        extent = fmax(extent, high[a] - low[a]);
    return extent;
}

/* The shapes of body b in the model file (-1: the ground), divided into small pieces if the body bends. */
static phx_status draw_shapes(visual_maker *maker, int b)
{
    const phx_model *model = maker->model;
    const phx_model_visual *visuals = b < 0 ? model->ground_visuals : model->bodies[b].visuals;
    const int n = b < 0 ? model->n_ground_visuals : model->bodies[b].n_visuals;
#define VISUAL_NAME(NAME, name) #name,
    static const char *const names[] = {PHX_MODEL_VISUAL_LIST(VISUAL_NAME)};
#undef VISUAL_NAME
    const double piece = b >= 0 && n > 0 ? carriers_extent(maker) / PIECES : 0.0;
    phx_status status = PHX_OK;

    for (int k = 0; k < n && !status; k++) {
        phx_surface surface = {0};
        status = place_solid(maker, b, &visuals[k], &surface);
        if (!status && piece > 0.0)
            status = phx_surface_refine(maker->context, piece, &surface);
        if (!status && surface.n_triangles > 0)
            status = add_surface(maker, b, names[visuals[k].kind], visuals[k].colour ? visuals[k].colour : "",
                                 visuals[k].opacity, &surface);
        phx_surface_free(&surface);
    }
    return status;
}

/* ---- surfaces derived from the physics ---- */
/* The section along its line, as it is at each of the carriers, which stand in their order. */
static phx_status draw_section(visual_maker *maker, int b)
{
    const phx_model_body *body = &maker->model->bodies[b];
    const phx_length_point *along;
    const int frames = phx_body_frames(maker->made[b].body, NULL), n = maker->n_carriers;
    phx_model_outline outline;

    if (n < 2 || !phx_model_body_outline(maker->model, body, 0.0, &outline))
        return PHX_OK;
    const int around = outline.round ? PHX_SOLID_AROUND : 4;
    if (frames > 1)
        phx_body_length_points(maker->made[b].body, &along);
    double *rings = phx_calloc(maker->context, 3 * (size_t)n * (size_t)around, sizeof *rings);
    phx_surface surface = {0};
    if (!rings)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        const carrier *by = &maker->carriers[k];
        phx_model_body_outline(maker->model, body, frames > 1 ? along[k].fraction : (double)k / (n - 1), &outline);
        for (int i = 0; i < around; i++) {
            const double angle = 2.0 * PI * (i + (around == 4 ? 0.5 : 0.0)) / around,
                         corner = around == 4 ? sqrt(2.0) : 1.0;
            const double y = corner * outline.half[0] * cos(angle), z = corner * outline.half[1] * sin(angle);
            for (int a = 0; a < 3; a++)
                rings[3 * (k * around + i) + a] = by->place[a] + by->axes[3 * a + 1] * y + by->axes[3 * a + 2] * z;
        }
    }
    phx_status status = phx_surface_loft(maker->context, around, n, rings, false, &surface);
    if (!status)
        status = begin_visual(maker, maker->drawing->first[b], "section", "", 1.0, &surface);
    for (int i = 0; i < surface.n_points && !status; i++)
        add_node(maker->scene, &maker->carriers[i / around], surface.x + 3 * i);
    phx_surface_free(&surface);
    phx_free(rings);
    return status;
}

/* The surface of a body of vectors through its places: free ones are bodies of the recorder, tied ones points of their
 * frames. */
static phx_status draw_vectors(visual_maker *maker, int b)
{
    const phx_surface *surface = &maker->drawing->surfaces[b];
    const phx_body *body = maker->made[b].body;
    const phx_body_frame *frames;
    const int first = maker->drawing->first[b], n = phx_body_frames(body, &frames);
    phx_scene *scene = maker->scene;
    phx_status status = surface->n_points > 0 ? begin_visual(maker, first, "section", "", 1.0, surface) : PHX_OK;

    for (int i = 0, place = n; i < surface->n_points && !status; i++) {
        phx_body_port port;
        const int node = scene->n_visual_nodes++;
        int record = first + place;
        if (phx_drawing_place(body, i, &port))
            place++;
        else
            for (record = first; record < first + n - 1 && frames[record - first].x != port.frame.x;)
                record++;
        scene->node_body[node] = record;
        scene->node_point[node] = -1;
        memcpy(scene->node_arm + 3 * (size_t)node, port.point.x, 3 * sizeof(double));
    }
    return status;
}

/* Half axes of a body of that mass by its principal moments of inertia: a disc, a rod, a box; 0 where it is thinner
 * than any. In the plane a disc about z. */
typedef struct alike {
    bool is_round;  /* about the third of its axes */
    double size[3]; /* along its axes */
    double axes[9]; /* columns */
} alike;

/* sides of a box: a_i^2 = 6 (I_j + I_k - I_i)/m; of a disc or rod about its third axis 2 r = sqrt(8 I_3/m),
 * h^2 = 12 I_1/m - 3 r^2. */
static phx_status find_alike(const visual_maker *maker, const phx_body *body, const double centre[3], alike *found)
{
    const double EQUAL = 0.02; /* relative difference of two moments below which the body is round */
    double mass[36], J[9], moments[3];
    const int n = maker->dim == 3 ? 6 : 3;
    phx_status status = phx_mass_at_rest(maker->context, body, mass);

    if (status)
        return status;
    *found = (alike){0};
    memcpy(found->axes, identity, sizeof found->axes);
    const double m = mass[0];
    if (maker->dim == 2) {
        const double about = mass[(n + 1) * (n - 1)] - m * (centre[0] * centre[0] + centre[1] * centre[1]);
        const double diameter = sqrt(fmax(8.0 * about / m, 0.0));
        *found = (alike){.is_round = true, .size = {diameter, diameter, 0.15 * diameter}};
        memcpy(found->axes, identity, sizeof found->axes);
        return PHX_OK;
    }
    const double square = centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] = mass[6 * (3 + i) + 3 + j] - m * ((i == j ? square : 0.0) - centre[i] * centre[j]);
    if (fabs(J[1]) + fabs(J[2]) + fabs(J[5]) < EQUAL * EQUAL * (J[0] + J[4] + J[8])) { /* keep the body's axes */
        moments[0] = J[0], moments[1] = J[4], moments[2] = J[8];
    } else {
        status = phx_dense_eigen_symmetric(maker->context, 3, J, NULL, moments, found->axes);
        if (status)
            return status;
        double third[3]; /* right-handed */
        const double *A = found->axes, first[3] = {A[0], A[3], A[6]}, second[3] = {A[1], A[4], A[7]};
        phx_rot_x_vec(3, first, second, third);
        for (int a = 0; a < 3; a++)
            found->axes[3 * a + 2] = third[a];
    }
    for (int i = 0; i < 3; i++)
        found->size[i] = sqrt(fmax(6.0 / m * (moments[(i + 1) % 3] + moments[(i + 2) % 3] - moments[i]), 0.0));
    for (int i = 0; i < 3 && !found->is_round; i++) {
        const double a = moments[(i + 1) % 3], b = moments[(i + 2) % 3], c = moments[i];
        const double diameter = sqrt(8.0 * c / m), height = sqrt(fmax(12.0 * a / m - 0.75 * diameter * diameter, 0.0));
        if (!(fabs(a - b) <= EQUAL * (a + b)) || (c > 0.2 * a && height > 0.8 * diameter))
            continue; /* neither a slender rod nor a disc */
        alike turned = {.is_round = true, .size = {diameter, diameter, height}};
        for (int k = 0; k < 9; k++)
            turned.axes[k] = found->axes[3 * (k / 3) + (i + 1 + k % 3) % 3];
        *found = turned;
    }
    return PHX_OK;
}

/* A strut behind the surface. */
static phx_status append_strut(phx_context *context, double diameter, const double from[3], const double to[3],
                               phx_surface *surface)
{
    double middle[3], axes[9];
    const double length = phx_solid_between(from, to, middle, axes);
    const double radius[2] = {0.5 * diameter, 0.5 * diameter}, ends[2] = {-0.5 * length, 0.5 * length};
    phx_surface strut = {0};
    phx_status status = phx_solid_revolve(context, AROUND_STRUT, 2, radius, ends, false, &strut);
    if (!status) {
        phx_solid_move(&strut, middle, axes);
        status = phx_surface_append(context, surface, &strut);
    }
    phx_surface_free(&strut);
    return status;
}

/* A rigid body: the solid with its mass and inertia, with struts to its ports; a steel ball for a point mass. */
static phx_status draw_inertia(visual_maker *maker, int b)
{
    const double SLENDER = 0.08, LEAST = 0.03; /* of a strut: diameter over length, at most and at least */
    const double SEEN_THROUGH = 0.35;          /* opacity of what would hide its ports */
    const phx_model_body *body = &maker->model->bodies[b];
    const phx_mass_properties *rest = phx_body_at_rest(maker->made[b].body);
    double centre[3] = {0}, reach = 0.0;
    phx_surface surface = {0};
    alike like;

    for (int a = 0; a < maker->dim; a++)
        centre[a] = rest->s0[a] / rest->mass;
    phx_status status = find_alike(maker, maker->made[b].body, centre, &like);
    if (status)
        return status;
    for (int p = 0; p < body->n_ports; p++) {
        double square = 0.0;
        for (int a = 0; a < maker->dim; a++)
            square += pow(body->ports[p].position[a] - centre[a], 2.0);
        reach = fmax(reach, sqrt(square));
    }
    const double ball = phx_solid_steel_ball(rest->mass),
                 largest = fmax(like.size[0], fmax(like.size[1], like.size[2]));
    const bool is_point = largest < ball;
    const bool hides = reach > 0.0 && reach < 0.4 * largest; /* its ports */
    const double least = is_point ? ball : 0.02 * largest;   /* a sheet or wire can be seen */
    for (int i = 0; i < 3; i++)
        like.size[i] = fmax(like.size[i], least);
    if (maker->dim == 2 && !is_point && reach > 0.45 * like.size[0]) { /* a link, not a disc */
        for (int i = 0; i < 3; i++)
            like.size[i] = fmax(fmin(ball, 0.3 * reach), 0.02 * reach);
        like.is_round = false;
    }
    if (is_point)
        status = phx_solid_capsule(maker->context, ball, 0.0, true, &surface);
    else if (like.is_round)
        status = phx_solid_capsule(maker->context, like.size[0], like.size[2], false, &surface);
    else
        status = phx_solid_box(maker->context, like.size, &surface);
    if (!status)
        phx_solid_move(&surface, centre, like.axes);
    const double thin = fmin(like.size[0], fmin(like.size[1], like.size[2]));
    for (int p = 0; p < body->n_ports && !status; p++) {
        double to[3] = {0}, inside = 0.0, length = 0.0;
        memcpy(to, body->ports[p].position, (size_t)maker->dim * sizeof *to);
        for (int i = 0; i < 3; i++) {
            double along = 0.0;
            for (int a = 0; a < 3; a++)
                along += like.axes[3 * a + i] * (to[a] - centre[a]);
            inside = fmax(inside, fabs(along) / (0.5 * like.size[i]));
            length += along * along;
        }
        length = sqrt(length);
        if (inside > 1.0)
            status = append_strut(maker->context, fmax(fmin(0.5 * thin, SLENDER * length), LEAST * length), centre, to,
                                  &surface);
    }
    if (!status)
        status = add_surface(maker, b, is_point ? "mass" : "inertia", "", hides ? SEEN_THROUGH : 1.0, &surface);
    phx_surface_free(&surface);
    return status;
}

/* ---- contacts ---- */
/* A surface of a contact, at one of its two ports. */
struct contact_side {
    int body; /* of the model, PHX_MODEL_GROUND */
    phx_contact_kind kind;
    bool hollow;
    double place[3], axes[9], half[3]; /* body axes; the third axis is that of a cylinder, the normal of a plane */
    double least;                      /* half the length of a cylinder, a plate, at least */
};

/* The side of force i at port `end`; not `found`: it is no contact, or a point touches there. */
static phx_status find_side(const visual_maker *maker, int i, int end, contact_side *side, bool *found)
{
    const phx_model_force *force = &maker->model->forces[i];
    phx_contact_def def;

    *found = phx_model_force_contact(force, &def);
    if (!*found)
        return PHX_OK;
    const phx_model_visual_end at = {.given = true, .point = force->ports[end]};
    const int b = at.point.body, dim = maker->dim;
    *side =
        (contact_side){.body = b, .kind = end == 0 ? def.kind : PHX_CONTACT_SPHERE, .hollow = end == 0 && def.inside};
    const double radius = end == 0 ? def.radius_a : def.radius_b;
    const bool pointed = end == 1 && radius == 0.0 && def.semi_axes[0] == 0.0;
    for (int a = 0; a < 3; a++)
        side->half[a] = end == 1 && def.semi_axes[0] > 0.0 ? def.semi_axes[a < dim ? a : 0] : radius;
    const phx_model_port *ports = b < 0 ? maker->model->ground_ports : maker->model->bodies[b].ports;
    const double *R = at.point.port >= 0 ? ports[at.point.port].rotation.matrix : NULL;
    double direction[3] = {0};
    widen_rotation(dim, R, side->axes);
    for (int a = 0; a < 3 && end == 0; a++)
        for (int k = 0; k < dim; k++)
            direction[a] += side->axes[3 * a + k] * def.axis[k];
    if (end == 0)
        side->least = 4.0 * (def.semi_axes[0] > 0.0 ? fmax(def.semi_axes[0], def.semi_axes[1]) : def.radius_b);
    if (end == 0 && side->kind != PHX_CONTACT_SPHERE)
        phx_solid_axes(direction, side->axes);
    *found = !pointed;
    return pointed ? PHX_OK : end_place(maker, b, &at, side->place);
}

/* Whether two sides are the same surface of one body: planes have one normal and one distance from the origin. */
static bool is_same_side(const contact_side *a, const contact_side *b)
{
    const double SAME = 1e-9; /* relative difference of lengths and directions */
    double apart = 0.0, size = 0.0, turned = 0.0, along = 0.0;

    if (a->body != b->body || a->kind != b->kind || memcmp(a->half, b->half, sizeof a->half) || a->hollow != b->hollow)
        return false;
    for (int k = 0; k < 3; k++) {
        const double d = a->place[k] - b->place[k];
        apart += d * d;
        size += pow(a->place[k], 2.0) + pow(b->place[k], 2.0) + pow(a->half[k], 2.0);
        turned += pow(a->axes[3 * k + 2] - b->axes[3 * k + 2], 2.0);
        along += d * a->axes[3 * k + 2];
    }
    const bool parallel = a->kind == PHX_CONTACT_SPHERE || turned <= SAME * SAME;
    const double distance = a->kind == PHX_CONTACT_PLANE ? along * along : apart;
    return parallel && distance <= SAME * SAME * size;
}

/* How far from a place of the ground, or of a body, what a plane carries is: the ground carries the mechanism as it
 * stands in the model file. `least` of the side where that is less. */
static double reach_of_plane(const visual_maker *maker, const contact_side *side)
{
    double farthest = side->least;

    for (int b = 0; b < maker->model->n_bodies; b++) {
        const phx_model_body *body = &maker->model->bodies[b];
        double square = 0.0, own = 0.0;
        for (int a = 0; a < maker->dim && side->body < 0; a++)
            square += pow(body->pose.position[a] - side->place[a], 2.0);
        for (int p = 0; p < body->n_ports; p++) {
            double arm = 0.0;
            for (int a = 0; a < maker->dim; a++)
                arm += pow(body->ports[p].position[a], 2.0);
            own = fmax(own, sqrt(arm));
        }
        if (side->body < 0 || side->body == b)
            farthest = fmax(farthest, sqrt(square) + own);
    }
    return farthest > 0.0 ? farthest : 1.0;
}

/* The surface of a side in body axes: a ball, an ellipsoid, a cylinder, or a plate below a plane. */
static phx_status make_side(const visual_maker *maker, const contact_side *side, phx_surface *surface)
{
    const double THIN = 0.01; /* of a plate and its strip in the plane: thickness and half width over its half length */
    const double STRIP = 0.25;
    double place[3], stretched[9];
    phx_status status;

    memcpy(place, side->place, sizeof place);
    if (side->kind == PHX_CONTACT_SPHERE) {
        status = phx_solid_capsule(maker->context, 2.0, 0.0, true, surface);
        for (int k = 0; k < 9; k++)
            stretched[k] = side->axes[k] * side->half[k % 3];
        if (!status)
            phx_solid_move(surface, place, stretched);
        return status;
    }
    const double reach = (side->body < 0 ? 1.3 : 1.0) * reach_of_plane(maker, side);
    double size[3] = {2.0 * reach, 2.0 * reach, THIN * reach};
    if (side->kind == PHX_CONTACT_CYLINDER) {
        status = phx_solid_capsule(maker->context, 2.0 * side->half[0], 2.0 * reach, false, surface);
    } else {
        for (int k = 0; k < 3; k++)
            place[k] -= 0.5 * size[2] * side->axes[3 * k + 2];
        for (int k = 0; k < 2 && maker->dim == 2; k++)
            if (fabs(side->axes[6 + k]) > 0.5)
                size[k] *= STRIP;
        status = phx_solid_box(maker->context, size, surface);
    }
    if (!status)
        phx_solid_move(surface, place, side->axes);
    return status;
}

/* Lists the surfaces of all contacts in the order of the forces, equal ones once. */
static phx_status list_sides(visual_maker *maker)
{
    const int n = maker->model->n_forces;
    phx_status status = PHX_OK;

    maker->sides = phx_calloc(maker->context, 2 * (size_t)n, sizeof *maker->sides);
    if (!maker->sides)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < 2 * n && !status; k++) {
        contact_side side;
        bool found, before = false;
        status = find_side(maker, k / 2, k % 2, &side, &found);
        for (int s = 0; s < maker->n_sides && found && !before; s++)
            before = is_same_side(&side, &maker->sides[s]);
        if (!status && found && !before)
            maker->sides[maker->n_sides++] = side;
    }
    return status;
}

/* Whether a ball or ellipsoid that touches is all that is to be seen of a rigid body: it holds its ports. */
static bool is_ball(const visual_maker *maker, int b)
{
    const phx_model_body *body = &maker->model->bodies[b];
    bool is = false;

    for (int s = 0; s < maker->n_sides && !is; s++) {
        const contact_side *side = &maker->sides[s];
        is = side->body == b && side->kind == PHX_CONTACT_SPHERE && !side->hollow;
        for (int p = 0; p < body->n_ports && is; p++) {
            double square = 0.0;
            for (int a = 0; a < maker->dim; a++)
                square += pow((body->ports[p].position[a] - side->place[a]) / side->half[a], 2.0);
            is = square <= 1.0;
        }
    }
    return is;
}

/* A side where no shape of the model file stands for its body. */
static phx_status draw_side(visual_maker *maker, const contact_side *side)
{
    const double SEEN_THROUGH = 0.3; /* opacity of a surface that may hide the other one */
    const int b = side->body;
    phx_surface surface = {0};

    if (b < 0 ? maker->model->n_ground_visuals : maker->model->bodies[b].n_visuals)
        return PHX_OK;
    phx_status status = b < 0 ? PHX_OK : find_carriers(maker, b);
    if (!status)
        status = make_side(maker, side, &surface);
    if (!status)
        status = add_surface(maker, b, "contact", "",
                             side->hollow || side->kind == PHX_CONTACT_PLANE ? SEEN_THROUGH : 1.0, &surface);
    phx_surface_free(&surface);
    return status;
}

/* Rotations of the line points of all flexible bodies. */
static phx_status list_turns(visual_maker *maker)
{
    const int n_rot = phx_rotations(maker->dim);
    phx_scene *scene = maker->scene;
    phx_status status = PHX_OK;

    for (int b = 0; b < maker->model->n_bodies && !status; b++) {
        const int record = maker->drawing->first[b];
        if (!maker->drawing->turns[record])
            continue;
        const size_t count = (size_t)(maker->drawing->bodies[record].n_points * n_rot) *
                             (size_t)phx_flex_source_flex(maker->made[b].source)->n;
        status = phx_scene_grow(maker->context, &scene->point_turns, scene->n_point_turns, count, sizeof(double));
        if (!status) {
            memcpy(scene->point_turns + scene->n_point_turns, maker->drawing->turns[record], count * sizeof(double));
            scene->n_point_turns += (int)count;
        }
    }
    return status;
}

/* Draws the shapes of each body, otherwise its inertia or section, and the surfaces of contacts. A segmented body
 * is drawn with its first segment. */
phx_status phx_scene_add_visuals(phx_context *context, const phx_model *model, const phx_made_body *made,
                                 const phx_drawing *drawing, phx_scene *scene)
{
    visual_maker *maker = phx_calloc(context, 1, sizeof *maker);

    if (!maker)
        return PHX_ERR_MEMORY;
    *maker = (visual_maker){
        .context = context, .model = model, .made = made, .drawing = drawing, .scene = scene, .dim = model->dimension};
    phx_status status = list_turns(maker);
    if (!status)
        status = list_sides(maker);
    if (!status)
        status = draw_shapes(maker, -1);
    for (int b = 0; b < model->n_bodies && !status; b++) {
        const bool first = !model->bodies[b].whole || b == 0 || model->bodies[b - 1].whole != model->bodies[b].whole;
        if (first)
            status = find_carriers(maker, b);
        if (status || !first)
            continue;
        if (model->bodies[b].n_visuals > 0)
            status = draw_shapes(maker, b);
        else if (phx_body_vectors(made[b].body))
            status = draw_vectors(maker, b);
        else if (!made[b].source && phx_body_floats(made[b].body))
            status = is_ball(maker, b) ? PHX_OK : draw_inertia(maker, b);
        else
            status = draw_section(maker, b);
    }
    for (int k = 0; k < maker->n_sides && !status; k++)
        status = draw_side(maker, &maker->sides[k]);
    phx_free(maker->sides);
    phx_free(maker);
    return status;
}
