/* Masses and shapes of MJCF: <inertial> and geoms. */
#include "mjcf.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const double PI = 3.14159265358979323846;

/* ---- masses ---- */
/* Adds mass, centre and inertia of <inertial> to the link; diagonal xx yy zz, or xx yy zz xy xz yz. */
phx_status mjcf_inertial(const mjcf_item *item, robot_link *link)
{
    robot_link part = {0};
    double full[6] = {0};
    const mjcf_value values[] = {
        {"mass", NULL, 1, &part.mass}, {"diaginertia", NULL, 3, full}, {"fullinertia", NULL, 6, full}, {0}};
    phx_status status = mjcf_pose(item, &part.pose);

    if (!status && !mjcf_text(item, "mass"))
        status = mjcf_refuse(item, "mass is missing", NULL);
    if (!status)
        status = mjcf_values(item, values);
    if (status)
        return status;
    if (part.mass < 0.0)
        return mjcf_refuse(item, "the mass is negative: ", mjcf_text(item, "mass"));
    const double own[9] = {full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2]};
    memcpy(part.inertia, own, sizeof own);
    robot_merge(link, &part);
    return PHX_OK;
}

typedef enum mjcf_kind {
    MJCF_PLANE,
    MJCF_FIELD,
    MJCF_SPHERE,
    MJCF_CAPSULE,
    MJCF_ELLIPSOID,
    MJCF_CYLINDER,
    MJCF_BOX,
    MJCF_MESH,
    MJCF_SDF
} mjcf_kind;

/* Volume of a geom, and its principal moments for a mass of 1 kg. */
static double mjcf_moments(mjcf_kind kind, const double size[3], double moments[3])
{
    const double r = size[0], h = size[1], square = r * r;

    if (kind == MJCF_CAPSULE) {
        const double tube = 2.0 * h / (2.0 * h + 4.0 / 3.0 * r), balls = 1.0 - tube;
        moments[2] = tube * square / 2.0 + balls * 0.4 * square;
        moments[0] = moments[1] = tube * (square / 4.0 + h * h / 3.0) + balls * (0.4 * square + 0.75 * r * h + h * h);
        return PI * square * (2.0 * h + 4.0 / 3.0 * r);
    }
    if (kind == MJCF_CYLINDER) {
        moments[2] = square / 2.0;
        moments[0] = moments[1] = square / 4.0 + h * h / 3.0;
        return 2.0 * PI * square * h;
    }
    const double factor = kind == MJCF_BOX ? 1.0 / 3.0 : 0.2;
    const double a = r, b = kind == MJCF_SPHERE ? r : size[1], c = kind == MJCF_SPHERE ? r : size[2];
    moments[0] = factor * (b * b + c * c);
    moments[1] = factor * (a * a + c * c);
    moments[2] = factor * (a * a + b * b);
    return (kind == MJCF_BOX ? 8.0 : 4.0 / 3.0 * PI) * a * b * c;
}

/* Adds the mass of a geom to its link. */
static phx_status mjcf_geom_mass(const mjcf_item *item, mjcf_kind kind, const double size[3], const robot_pose *pose)
{
    robot_link part = {.pose = *pose};
    double density = 1000.0, moments[3], mass = -1.0, volume;
    int shell = 0;
    const mjcf_value values[] = {
        {"density", NULL, 1, &density}, {"mass", NULL, 1, &mass}, {"shellinertia", MJCF_BOOLEAN, 0, &shell}, {0}};
    phx_status status = mjcf_values(item, values);

    if (status)
        return status;
    if (density < 0.0 || (mjcf_text(item, "mass") && mass < 0.0))
        return mjcf_refuse(item, "mass and density must not be negative", NULL);
    if (kind == MJCF_PLANE || kind == MJCF_FIELD || mass == 0.0 || (mass < 0.0 && density == 0.0))
        return PHX_OK;
    if (kind > MJCF_MESH || (kind < MJCF_MESH && (mjcf_text(item, "mesh") || shell)))
        return mjcf_refuse(item,
                           "the mass of a fitted shape, of a shell or sdf is not computed: give the body <inertial>, "
                           "or the geom mass=\"0\"",
                           NULL);
    if (kind == MJCF_MESH) {
        phx_surface_moments mesh;
        status = mjcf_mesh_moments(item, &shell, &mesh);
        volume = shell ? mesh.area : mesh.volume;
        memcpy(part.com, mesh.centre, sizeof part.com);
        memcpy(part.inertia, mesh.inertia, sizeof part.inertia);
    } else {
        volume = mjcf_moments(kind, size, moments);
        for (int a = 0; a < 3; a++)
            part.inertia[4 * a] = moments[a];
    }
    if (status)
        return status;
    part.mass = mass > 0.0 ? mass : density * volume;
    for (int a = 0; a < 9; a++)
        part.inertia[a] *= part.mass;
    robot_merge(&item->reader->robot->links[item->link], &part);
    return PHX_OK;
}

/* ---- geoms ---- */
/* Size and pose of a geom. Its length may come from two ends. */
static phx_status mjcf_size(const mjcf_item *item, mjcf_kind kind, double size[3], robot_pose *pose)
{
    static const int counts[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};
    static const double z[3] = {0.0, 0.0, 1.0};
    const bool ends = mjcf_text(item, "fromto") && kind >= MJCF_CAPSULE && kind <= MJCF_BOX;
    double v[6] = {0}, axis[3];
    phx_status status = mjcf_pose(item, pose);

    if (!status)
        status = mjcf_numbers(item, "size", 1, 3, size);
    if (!status && ends)
        status = mjcf_numbers(item, "fromto", 6, 6, v);
    if (!status && ends) {
        robot_pose local = robot_pose_identity();
        for (int a = 0; a < 3; a++) {
            axis[a] = v[a] - v[3 + a];
            local.x[a] = 0.5 * (v[a] + v[3 + a]);
        }
        const double length = sqrt(phx_dot(3, axis, axis));
        for (int a = 0; a < 3; a++)
            axis[a] /= length > 0.0 ? length : 1.0;
        if (length > 0.0)
            phx_rot_shortest(z, axis, local.R);
        *pose = robot_pose_product(&item->frame, &local);
        size[1] = kind == MJCF_CAPSULE || kind == MJCF_CYLINDER ? 0.5 * length : size[0];
        size[2] = 0.5 * length;
    }
    for (int k = 0; k < counts[kind] && !status && !mjcf_text(item, "mesh"); k++)
        if (size[k] <= 0.0)
            status = mjcf_refuse(item, "its sizes must be above zero: size ", mjcf_text(item, "size"));
    return status;
}

/* The colour of a geom: its own, else that of its material. */
static phx_status mjcf_colour(const mjcf_item *item, double colour[4])
{
    const mjcf_item material = {.reader = item->reader,
                                .element = mjcf_asset(item->reader, "material", mjcf_text(item, "material"))};

    colour[0] = colour[1] = colour[2] = 0.5;
    colour[3] = 1.0;
    return mjcf_numbers(material.element && !mjcf_text(item, "rgba") ? &material : item, "rgba", 4, 4, colour);
}

/* A mesh as a shape; file NULL if pictures cannot have it. */
static phx_status mjcf_mesh_shape(const mjcf_item *item, robot_shape *shape)
{
    enum { SIZE = 4096 };
    char path[SIZE];
    mjcf_item mesh;
    robot_pose frame;
    phx_status status = mjcf_mesh_of(item, &mesh);

    if (!status)
        status = mjcf_mesh_path(&mesh, SIZE, path);
    if (!status)
        status = mjcf_mesh_frame(&mesh, &frame, shape->size);
    if (status || !*path)
        return status;
    const char *dot = strrchr(path, '.'), *name = mjcf_text(item, "mesh");
    if (!dot || (strcasecmp(dot, ".stl") != 0 && strcasecmp(dot, ".obj") != 0)) {
        mjcf_warn(&mesh, name, "pictures need STL or OBJ: left out");
        return PHX_OK;
    }
    if (shape->size[0] <= 0.0 || shape->size[0] != shape->size[1] || shape->size[0] != shape->size[2]) {
        mjcf_warn(&mesh, name, "its scales differ or are negative; the first is taken for all in pictures");
        shape->size[0] = fabs(shape->size[0]);
    }
    shape->pose = robot_pose_product(&shape->pose, &frame);
    shape->file = phx_strdup(item->reader->context, path);
    return shape->file ? PHX_OK : PHX_ERR_MEMORY;
}

/* A geom as a shape, without colour and file. */
static robot_shape mjcf_shape_of(const mjcf_item *item, mjcf_kind kind, const double size[3], const robot_pose *pose)
{
    static const robot_shape_kind kinds[] = {ROBOT_SHAPES,   ROBOT_SHAPES, ROBOT_SPHERE, ROBOT_CAPSULE, ROBOT_ELLIPSOID,
                                             ROBOT_CYLINDER, ROBOT_BOX,    ROBOT_MESH,   ROBOT_SHAPES};
    robot_shape shape = {.kind = mjcf_text(item, "mesh") ? ROBOT_MESH : kinds[kind], .pose = *pose};
    const bool tube = kind == MJCF_CAPSULE || kind == MJCF_CYLINDER;

    for (int k = 0; k < 3; k++)
        shape.size[k] = (kind == MJCF_BOX || (tube && k == 1) ? 2.0 : 1.0) * size[k];
    return shape;
}

/* A geom that touches others: a plane of the world is the ground, and with --ground what moves touches it; of other
 * contacts, and those of meshes, their number is told. */
static phx_status mjcf_collision(const mjcf_item *item, mjcf_kind kind, const double size[3], const robot_pose *pose)
{
    mjcf_reader *reader = item->reader;
    robot_shape shape = mjcf_shape_of(item, kind, size, pose);

    shape.friction = 1.0;
    if (reader->options->ground && kind == MJCF_PLANE && item->link == 0) {
        reader->robot->floor = *pose;
        return PHX_OK;
    }
    if (reader->options->ground && item->link != 0 && shape.kind < ROBOT_MESH) {
        double friction[3] = {1.0};
        const phx_status status = mjcf_numbers(item, "friction", 1, 3, friction);
        shape.friction = friction[0];
        return status ? status : robot_add_collision(reader->context, &reader->robot->links[item->link], &shape);
    }
    reader->touching = reader->touching ? reader->touching : item->element;
    reader->n_touching++;
    return PHX_OK;
}

/* The shape of a geom; geoms of the groups that viewers hide, and planes, have none. */
static phx_status mjcf_shape(const mjcf_item *item, mjcf_kind kind, const double size[3], const robot_pose *pose)
{
    enum { HIDDEN = 3 };
    robot_link *link = &item->reader->robot->links[item->link];
    robot_shape shape = mjcf_shape_of(item, kind, size, pose);
    double group = 0.0;
    phx_status status = mjcf_numbers(item, "group", 1, 1, &group);

    if (!status)
        status = mjcf_colour(item, shape.colour);
    if (status || group >= HIDDEN || shape.colour[3] <= 0.0 || shape.kind == ROBOT_SHAPES ||
        item->reader->options->no_shapes)
        return status;
    if (shape.kind == ROBOT_MESH)
        status = mjcf_mesh_shape(item, &shape);
    if (status || (shape.kind == ROBOT_MESH && !shape.file))
        return status;
    robot_shape *shapes = phx_realloc(item->reader->context, link->shapes, (size_t)link->n_shapes + 1, sizeof *shapes);
    if (!shapes) {
        phx_free(shape.file);
        return PHX_ERR_MEMORY;
    }
    link->shapes = shapes;
    link->shapes[link->n_shapes++] = shape;
    return PHX_OK;
}

/* A geom: its shape, and its mass if the link has its mass from geoms. */
phx_status mjcf_geom(const mjcf_item *item, bool with_mass)
{
    static const char *const kinds[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                        "cylinder", "box",    "mesh",   "sdf",     NULL};
    mjcf_reader *reader = item->reader;
    int kind = MJCF_SPHERE;
    double size[3] = {0}, group = 0.0, touches[2] = {1.0, 1.0};
    robot_pose pose;
    const mjcf_value values[] = {{"type", kinds, 0, &kind},
                                 {"group", NULL, 1, &group},
                                 {"contype", NULL, 1, &touches[0]},
                                 {"conaffinity", NULL, 1, &touches[1]},
                                 {0}};
    phx_status status = mjcf_values(item, values);

    if (!status)
        status = mjcf_size(item, (mjcf_kind)kind, size, &pose);
    if (status)
        return status;
    if (touches[0] != 0.0 || touches[1] != 0.0)
        status = mjcf_collision(item, (mjcf_kind)kind, size, &pose);
    if (status)
        return status;
    if (with_mass && group >= reader->groups[0] && group <= reader->groups[1])
        status = mjcf_geom_mass(item, (mjcf_kind)kind, size, &pose);
    return status ? status : mjcf_shape(item, (mjcf_kind)kind, size, &pose);
}
