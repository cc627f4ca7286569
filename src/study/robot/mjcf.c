/* Reads MJCF: included files, defaults, bodies, joints, geoms, sites, the first keyframe. */
#include "robot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;
static const double SAME = 1e-9; /* directions and places of joints, relative to 1 and to 1 m: printed digits */

typedef struct mjcf_class {
    const char *name; /* NULL: the root */
    int parent;       /* -1: the root classes */
    const phx_xml *element;
} mjcf_class;

/* Where the values of a joint stand in qpos; of its coordinates: the value at zero and the sign of the last one. */
typedef struct mjcf_start {
    int address;
    double reference[3], sign;
} mjcf_start;

typedef struct mjcf_item mjcf_item;

typedef struct mjcf_reader {
    phx_context *context;
    const phx_robot_options *options;
    const phx_xml *root;
    phx_robot *robot;
    int n_classes, n_sites, n_qpos, n_touching;
    mjcf_class *classes;
    mjcf_start *starts; /* of each joint */
    mjcf_item *sites;
    const phx_xml *touching;
    double degree; /* rad */
    const char *sequence, *mesh_folder;
    int degrees, limits, from_geoms, balance;
    double total, groups[2];
} mjcf_reader;

/* An element with the class that its parents give it, and the frame it is in: the pose in its link. */
struct mjcf_item {
    mjcf_reader *reader;
    const phx_xml *element;
    const char *childclass;
    int link;
    robot_pose frame;
};

static const char *const MJCF_BOOLEAN[] = {"false", "true", NULL};
static const char *const MJCF_AUTO[] = {"false", "auto", "true", NULL};

/* ---- included files ---- */
static phx_status mjcf_include(phx_context *context, phx_robot *robot, phx_xml *element, int k);

/* Replaces each <include> in an element by the children of the root of its file. */
static phx_status mjcf_expand(phx_context *context, phx_robot *robot, phx_xml *element, int depth)
{
    enum { DEEPEST = 500 };
    phx_status status = PHX_OK;

    if (depth > DEEPEST)
        return phx_fail(context, PHX_ERR_INPUT, "%s:%d: <%s>: elements are nested more than %d times", element->path,
                        element->line, element->name, DEEPEST);
    for (int k = 0; k < element->n_children && !status; k++)
        if (strcmp(element->children[k].name, "include") != 0)
            status = mjcf_expand(context, robot, &element->children[k], depth + 1);
        else if (!(status = mjcf_include(context, robot, element, k)))
            k--; /* the first of the new children */
    return status;
}

/* The real path of an included file, which must lie in the folder of the robot's file and be read once. */
static phx_status mjcf_include_path(phx_context *context, phx_robot *robot, const phx_xml *include, char **path)
{
    enum { SIZE = 4096 };
    const char *file = robot_attribute(include, "file"), *slash = strrchr(robot->path, '/');
    char joined[SIZE];

    *path = NULL;
    if (!file || snprintf(joined, SIZE, "%.*s/%s", slash ? (int)(slash - robot->path) : 1, slash ? robot->path : ".",
                          file) >= SIZE)
        return phx_fail(context, PHX_ERR_INPUT, "%s:%d: <include>: file is missing or too long", include->path,
                        include->line);
    char *main = phx_files_resolve(context, robot->path), *real = phx_files_resolve(context, joined);
    const char *end = main ? strrchr(main, '/') : NULL;
    const bool inside = file[0] != '/' && end && real && !strncmp(main, real, (size_t)(end - main) + 1);
    bool again = main && real && !strcmp(main, real);
    for (int k = 0; k < robot->n_files && real; k++)
        again = again || !strcmp(robot->files[k], real);
    phx_free(main);
    if (real && inside && !again && access(real, R_OK) == 0) {
        *path = real;
        return PHX_OK;
    }
    phx_free(real);
    return phx_fail(context, PHX_ERR_INPUT, "%s:%d: <include>: the file %s %s", include->path, include->line,
                    phx_shown_text(file).text,
                    !inside ? "is not in the folder of the robot's file; copy it there"
                    : again ? "is included already"
                            : "cannot be read");
}

/* The children of the file of child k, with its own <include> elements, in the place of that child. */
static phx_status mjcf_include(phx_context *context, phx_robot *robot, phx_xml *element, int k)
{
    char *path = NULL, **files;
    phx_xml root = {0}, *children;
    phx_status status = mjcf_include_path(context, robot, &element->children[k], &path);

    if (status)
        return status;
    files = phx_realloc(context, robot->files, (size_t)robot->n_files + 1, sizeof *files);
    if (!files) {
        phx_free(path);
        return PHX_ERR_MEMORY;
    }
    robot->files = files;
    robot->files[robot->n_files++] = path;
    status = phx_xml_read(context, path, &root);
    if (status)
        return status;
    const int more = root.n_children, n = element->n_children;
    if (strcmp(root.name, "mujoco") != 0 && strcmp(root.name, "mujocoinclude") != 0)
        status = phx_fail(context, PHX_ERR_INPUT, "%s:%d: expected <mujoco> or <mujocoinclude>, found <%s>", path,
                          root.line, root.name);
    children = status ? NULL : phx_calloc(context, (size_t)(n + more), sizeof *children);
    if (children) {
        memcpy(children, element->children, (size_t)k * sizeof *children);
        if (more)
            memcpy(children + k, root.children, (size_t)more * sizeof *children);
        memcpy(children + k + more, element->children + k + 1, (size_t)(n - k - 1) * sizeof *children);
        phx_xml_free(&element->children[k]);
        phx_free(element->children);
        element->children = children;
        element->n_children = n + more - 1;
        root.n_children = 0;
    } else if (!status) {
        status = PHX_ERR_MEMORY;
    }
    phx_xml_free(&root);
    return status;
}

/* ---- defaults and attributes ---- */
static int mjcf_class_of(const mjcf_reader *reader, const char *name)
{
    for (int c = 0; name && c < reader->n_classes; c++)
        if (reader->classes[c].name && !strcmp(reader->classes[c].name, name))
            return c;
    return -1;
}

static const char *mjcf_default(const mjcf_class *class, const phx_xml *element, const char *key)
{
    return robot_attribute(robot_child(class->element, element->name), key);
}

/* The value of an attribute: its own, that of its class or of the nearest class around it. */
static const char *mjcf_text(const mjcf_item *item, const char *key)
{
    const mjcf_reader *reader = item->reader;
    const char *text = robot_attribute(item->element, key), *class = robot_attribute(item->element, "class");

    for (int c = mjcf_class_of(reader, class ? class : item->childclass); c >= 0 && !text;
         c = reader->classes[c].parent)
        text = mjcf_default(&reader->classes[c], item->element, key);
    for (int c = reader->n_classes - 1; c >= 0 && !text; c--)
        if (reader->classes[c].parent < 0)
            text = mjcf_default(&reader->classes[c], item->element, key);
    return text;
}

/* Refuses an element; its line goes ahead of the text. */
static phx_status mjcf_refuse(const mjcf_item *item, const char *text, const char *value)
{
    return phx_fail(item->reader->context, PHX_ERR_INPUT, "%s:%d: <%s>: %s%s", item->element->path, item->element->line,
                    item->element->name, text, value ? phx_shown_text(value).text : "");
}

static void mjcf_warn(const mjcf_item *item, const char *name, const char *text)
{
    phx_log(item->reader->context, PHX_LOG_WARNING, "%s:%d: <%s> '%s': %s", item->element->path, item->element->line,
            item->element->name, name ? name : "", text);
}

static phx_status mjcf_numbers(const mjcf_item *item, const char *key, int least, int most, double *values)
{
    return robot_numbers(item->reader->context, item->element, key, mjcf_text(item, key), least, most, values);
}

/* The number of an attribute's word in a list that ends with NULL; absent: `value` stays. */
static phx_status mjcf_choice(const mjcf_item *item, const char *key, const char *const *words, int *value)
{
    const char *text = mjcf_text(item, key);
    char list[256] = "";

    for (int k = 0; text && words[k]; k++) {
        if (!strcmp(text, words[k])) {
            *value = k;
            return PHX_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", words[k]);
    }
    return text ? phx_fail(item->reader->context, PHX_ERR_INPUT, "%s:%d: %s of <%s>: expected one of %s, found %s",
                           item->element->path, item->element->line, key, item->element->name, list,
                           phx_shown_text(text).text)
                : PHX_OK;
}

/* An attribute: `count` numbers, or one of some words. */
typedef struct mjcf_value {
    const char *key;
    const char *const *words; /* NULL: numbers */
    int count;
    void *value; /* double, or int: the number of the word */
} mjcf_value;

/* Reads attributes up to the one without key; what is absent stays. */
static phx_status mjcf_values(const mjcf_item *item, const mjcf_value *value)
{
    phx_status status = PHX_OK;

    for (; value->key && !status; value++)
        status = value->words ? mjcf_choice(item, value->key, value->words, value->value)
                              : mjcf_numbers(item, value->key, value->count, value->count, value->value);
    return status;
}

/* Enters <default> elements, which are classes, and those in them. */
static phx_status mjcf_classes(mjcf_reader *reader, const phx_xml *element, int parent, bool top)
{
    const mjcf_item item = {.reader = reader, .element = element};
    const char *name = robot_attribute(element, "class");
    const int own = reader->n_classes;
    phx_status status = PHX_OK;

    if (!top && !name)
        return mjcf_refuse(&item, "a default in another one needs a class", NULL);
    if (name && mjcf_class_of(reader, name) >= 0 && !top)
        return mjcf_refuse(&item, "there is already the class ", name);
    mjcf_class *classes = phx_realloc(reader->context, reader->classes, (size_t)own + 1, sizeof *classes);
    if (!classes)
        return PHX_ERR_MEMORY;
    reader->classes = classes;
    reader->classes[reader->n_classes++] = (mjcf_class){name ? name : "main", parent, element};
    for (int k = 0; k < element->n_children && !status; k++)
        if (!strcmp(element->children[k].name, "default"))
            status = mjcf_classes(reader, &element->children[k], own, false);
    return status;
}

/* Every class that an element names is there. */
static phx_status mjcf_check_classes(mjcf_reader *reader, const phx_xml *element)
{
    static const char *const keys[] = {"class", "childclass"};
    const mjcf_item item = {.reader = reader, .element = element};
    phx_status status = PHX_OK;

    for (int k = 0; k < 2; k++) {
        const char *name = robot_attribute(element, keys[k]);
        if (name && strcmp(name, "main") != 0 && mjcf_class_of(reader, name) < 0)
            return mjcf_refuse(&item, "there is no default class ", name);
    }
    for (int k = 0; k < element->n_children && !status; k++)
        status = mjcf_check_classes(reader, &element->children[k]);
    return status;
}

/* ---- settings ---- */
static phx_status mjcf_compiler(mjcf_reader *reader, const phx_xml *element)
{
    static const char *const angles[] = {"radian", "degree", NULL}, *const coordinates[] = {"local", NULL};
    const mjcf_item item = {.reader = reader, .element = element};
    const char *sequence = robot_attribute(element, "eulerseq"), *assets = robot_attribute(element, "assetdir"),
               *meshes = robot_attribute(element, "meshdir");
    double bounds[2] = {0};
    int local = 0;
    const mjcf_value values[] = {{"angle", angles, 0, &reader->degrees},
                                 {"coordinate", coordinates, 0, &local},
                                 {"autolimits", MJCF_BOOLEAN, 0, &reader->limits},
                                 {"inertiafromgeom", MJCF_AUTO, 0, &reader->from_geoms},
                                 {"balanceinertia", MJCF_BOOLEAN, 0, &reader->balance},
                                 {"settotalmass", NULL, 1, &reader->total},
                                 {"inertiagrouprange", NULL, 2, reader->groups},
                                 {"boundmass", NULL, 1, &bounds[0]},
                                 {"boundinertia", NULL, 1, &bounds[1]},
                                 {0}};
    phx_status status = mjcf_values(&item, values);

    if (!status && sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3))
        status = mjcf_refuse(&item, "eulerseq: expected three letters of x, y, z, X, Y, Z, found ", sequence);
    if (bounds[0] > 0.0 || bounds[1] > 0.0)
        mjcf_warn(&item, "boundmass, boundinertia", "left out");
    reader->sequence = sequence ? sequence : reader->sequence;
    reader->mesh_folder = meshes ? meshes : assets ? assets : reader->mesh_folder;
    reader->degree = reader->degrees ? PI / 180.0 : 1.0;
    return status;
}

/* Gravity; forces of a medium are left out. */
static phx_status mjcf_option(mjcf_reader *reader, const phx_xml *element)
{
    static const char *const flags[] = {"disable", "enable", NULL};
    const mjcf_item item = {.reader = reader, .element = element},
                    flag = {.reader = reader, .element = robot_child(element, "flag")};
    double medium[2] = {0};
    int gravity = 1;
    const mjcf_value values[] = {{"gravity", NULL, 3, reader->robot->gravity},
                                 {"density", NULL, 1, &medium[0]},
                                 {"viscosity", NULL, 1, &medium[1]},
                                 {0}};
    phx_status status = mjcf_values(&item, values);

    if (!status && flag.element)
        status = mjcf_choice(&flag, "gravity", flags, &gravity);
    if (!gravity)
        memset(reader->robot->gravity, 0, sizeof reader->robot->gravity);
    if (medium[0] > 0.0 || medium[1] > 0.0)
        mjcf_warn(&item, "density, viscosity", "forces of the medium are left out");
    return status;
}

/* The settings of all sections; those that are left out are reported with their number of elements. What holds bodies
 * is left out only if that is asked for, and a section that MJCF does not have is an error. */
static phx_status mjcf_sections(mjcf_reader *reader)
{
    static const char *const sections[] = {"actuator",   "equality", "tendon", "contact",   "sensor", "extension",
                                           "deformable", "compiler", "option", "default",   "asset",  "worldbody",
                                           "keyframe",   "size",     "visual", "statistic", "custom"};
    enum { N = sizeof sections / sizeof *sections, HOLDS = 1, HOLDS_END = 3, LEFT_OUT = 7 }; /* equality, tendon hold */
    const phx_xml *root = reader->root;
    phx_status status = PHX_OK;
    int count[N] = {0}, line[N] = {0};
    const char *path[N] = {0};

    for (int k = 0; k < root->n_children && !status; k++) {
        const phx_xml *element = &root->children[k];
        const mjcf_item item = {.reader = reader, .element = element};
        int s = 0;
        while (s < N && strcmp(sections[s], element->name) != 0)
            s++;
        if (s == N)
            return mjcf_refuse(&item, "MJCF has no section of this name", NULL);
        line[s] = count[s] ? line[s] : element->line;
        path[s] = count[s] ? path[s] : element->path;
        count[s] += element->n_children;
        if (!strcmp(element->name, "compiler"))
            status = mjcf_compiler(reader, element);
        else if (!strcmp(element->name, "option"))
            status = mjcf_option(reader, element);
        else if (!strcmp(element->name, "default"))
            status = mjcf_classes(reader, element, -1, true);
    }
    for (int s = 0; s < LEFT_OUT && !status; s++)
        if (count[s] && s >= HOLDS && s < HOLDS_END && !reader->options->lossy)
            status = phx_fail(reader->context, PHX_ERR_INPUT,
                              "%s:%d: <%s>: %d element%s no counterpart, and without %s the mechanism moves otherwise; "
                              "leave %s out by --lossy and join the bodies in the model file",
                              path[s], line[s], sections[s], count[s], count[s] > 1 ? "s have" : " has",
                              count[s] > 1 ? "them" : "it", count[s] > 1 ? "them" : "it");
        else if (count[s])
            phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <%s>: %d element%s left out", path[s], line[s],
                    sections[s], count[s], count[s] > 1 ? "s are" : " is");
    return status;
}

/* ---- frames ---- */
/* R with the columns x, y, x cross y; y need not be perpendicular to x. Returns false if they have one direction. */
static bool mjcf_axes(const double x[3], const double y[3], double R[9])
{
    const double length = sqrt(phx_dot(3, x, x));
    double e[3], f[3], square = 0.0;

    if (length <= 0.0)
        return false;
    for (int a = 0; a < 3; a++)
        e[a] = x[a] / length;
    for (int a = 0; a < 3; a++) {
        f[a] = y[a] - phx_dot(3, e, y) * e[a];
        square += f[a] * f[a];
    }
    if (square <= SAME * SAME * phx_dot(3, y, y))
        return false;
    for (int a = 0; a < 3; a++)
        f[a] /= sqrt(square);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        R[3 * a] = e[a];
        R[3 * a + 1] = f[a];
        R[3 * a + 2] = e[b] * f[c] - e[c] * f[b];
    }
    return true;
}

/* Successive rotations: letters in lower case about the axes that move, in upper case about the fixed ones. */
static void mjcf_euler(const mjcf_reader *reader, const double angles[3], double R[9])
{
    memcpy(R, robot_pose_identity().R, 9 * sizeof *R);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0}, turn[9], product[9];
        const bool fixed = isupper((unsigned char)reader->sequence[k]);
        axis[tolower((unsigned char)reader->sequence[k]) - 'x'] = 1.0;
        robot_turn(axis, angles[k] * reader->degree, turn);
        phx_dense_multiply(false, false, 3, 3, 3, 1.0, fixed ? turn : R, 3, fixed ? R : turn, 3, 0.0, product, 3);
        memcpy(R, product, sizeof product);
    }
}

/* The rotation of an element, in one of its five forms; absent: R stays. */
static phx_status mjcf_rotation(const mjcf_item *item, double R[9])
{
    static const char *const keys[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const int counts[] = {4, 4, 6, 3, 3};
    static const double z[3] = {0.0, 0.0, 1.0};
    double v[6] = {0};
    int form = -1;
    bool ok = true;

    for (int k = 0; k < 5; k++)
        if (robot_attribute(item->element, keys[k]))
            form = k;
    for (int k = 0; k < 5 && form < 0; k++)
        if (mjcf_text(item, keys[k]))
            form = k;
    const phx_status status = form < 0 ? PHX_OK : mjcf_numbers(item, keys[form], counts[form], counts[form], v);
    if (status || form < 0)
        return status;
    const double square = phx_dot(form == 0 ? 4 : 3, v, v);
    ok = square > 0.0 || form == 4;
    if (ok && form == 0)
        phx_rot_from_quaternion(v, R);
    else if (ok && form == 1)
        robot_turn(v, v[3] * item->reader->degree, R);
    else if (ok && form == 2)
        ok = mjcf_axes(v, v + 3, R);
    else if (ok && form == 3)
        phx_rot_shortest(z, (const double[]){v[0] / sqrt(square), v[1] / sqrt(square), v[2] / sqrt(square)}, R);
    else if (ok)
        mjcf_euler(item->reader, v, R);
    return ok ? PHX_OK : mjcf_refuse(item, "no rotation has the values ", mjcf_text(item, keys[form]));
}

/* The pose of an element in its link. */
static phx_status mjcf_pose(const mjcf_item *item, robot_pose *pose)
{
    robot_pose local = robot_pose_identity();
    phx_status status = mjcf_numbers(item, "pos", 3, 3, local.x);

    if (!status)
        status = mjcf_rotation(item, local.R);
    *pose = robot_pose_product(&item->frame, &local);
    return status;
}

/* ---- names ---- */
/* A name that a model can have and that is not taken: NAME, NAME_2, ... */
static phx_status mjcf_name(const mjcf_item *item, const char *text, bool in_links, bool in_joints, char **name)
{
    const phx_robot *robot = item->reader->robot;
    enum { LONGEST = 200 };
    char plain[LONGEST + 20];
    bool taken = true;

    if (strlen(text) > LONGEST - 1)
        return mjcf_refuse(item, "a name may have 199 signs", NULL);
    snprintf(plain, sizeof plain, "%s%s", isalpha((unsigned char)text[0]) || text[0] == '_' ? "" : "_", text);
    for (char *sign = plain; *sign; sign++)
        *sign = isalnum((unsigned char)*sign) || *sign == '-' || *sign == '_' ? *sign : '_';
    const size_t length = strlen(plain);
    for (int n = 2; taken; n++) {
        taken = !strcmp(plain, "ground") || !strcmp(plain, "P");
        for (int k = 0; in_links && k < robot->n_links && !taken; k++)
            taken = robot->links[k].name && !strcmp(robot->links[k].name, plain);
        for (int k = 0; in_joints && k < robot->n_joints && !taken; k++)
            taken = robot->joints[k].name && !strcmp(robot->joints[k].name, plain);
        if (taken)
            snprintf(plain + length, sizeof plain - length, "_%d", n);
    }
    if (robot_attribute(item->element, "name") == text && strcmp(text, plain) != 0)
        phx_log(item->reader->context, PHX_LOG_WARNING, "%s:%d: <%s> %s becomes '%s'", item->element->path,
                item->element->line, item->element->name, phx_shown_text(text).text, plain);
    *name = phx_strdup(item->reader->context, plain);
    return *name ? PHX_OK : PHX_ERR_MEMORY;
}

/* A name that another element of the same kind has is an error. */
static phx_status mjcf_twice(const mjcf_item *item, const char *named)
{
    const phx_robot *robot = item->reader->robot;
    const bool body = !strcmp(item->element->name, "body");

    for (int k = 0; named && k < (body ? robot->n_links : robot->n_joints); k++) {
        const char *other = body ? robot->links[k].name : robot->joints[k].name;
        if (other && !strcmp(other, named) && (body || robot->joints[k].kind != ROBOT_FIXED))
            return mjcf_refuse(item, "there is already one of the name ", named);
    }
    return PHX_OK;
}

/* ---- masses ---- */
static phx_status mjcf_inertial(const mjcf_item *item, robot_link *link)
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
    double density = 1000.0, moments[3], mass = -1.0;
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
    if (kind >= MJCF_MESH || mjcf_text(item, "mesh") || shell)
        return mjcf_refuse(
            item, "the mass of a mesh or shell is not computed: give the body <inertial>, or the geom mass=\"0\"",
            NULL);
    const double volume = mjcf_moments(kind, size, moments);
    part.mass = mass > 0.0 ? mass : density * volume;
    for (int a = 0; a < 3; a++)
        part.inertia[4 * a] = part.mass * moments[a];
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

/* The asset of a kind and a name, which may be its file's without folder and ending; NULL if absent. */
static const phx_xml *mjcf_asset(const mjcf_reader *reader, const char *kind, const char *name)
{
    for (int k = 0; name && k < reader->root->n_children; k++)
        for (int m = 0; !strcmp(reader->root->children[k].name, "asset") && m < reader->root->children[k].n_children;
             m++) {
            const phx_xml *asset = &reader->root->children[k].children[m];
            const char *named = robot_attribute(asset, "name"), *file = robot_attribute(asset, "file");
            const char *slash = file ? strrchr(file, '/') : NULL, *stem = named ? named : slash ? slash + 1 : file;
            const char *dot = stem && !named ? strrchr(stem, '.') : NULL;
            const size_t length = dot ? (size_t)(dot - stem) : stem ? strlen(stem) : 0;
            if (!strcmp(asset->name, kind) && stem && strlen(name) == length && !strncmp(stem, name, length))
                return asset;
        }
    return NULL;
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
static phx_status mjcf_mesh(const mjcf_item *item, robot_shape *shape)
{
    enum { SIZE = 4096 };
    const mjcf_reader *reader = item->reader;
    const char *name = mjcf_text(item, "mesh"), *slash = strrchr(reader->robot->path, '/');
    const mjcf_item mesh = {.reader = item->reader, .element = mjcf_asset(reader, "mesh", name)};
    const char *file = robot_attribute(mesh.element, "file"), *dot = file ? strrchr(file, '.') : NULL;
    char path[SIZE];

    if (!mesh.element)
        return mjcf_refuse(item, "there is no mesh ", name ? name : "");
    shape->kind = ROBOT_MESH;
    shape->size[0] = shape->size[1] = shape->size[2] = 1.0;
    const phx_status status = mjcf_numbers(&mesh, "scale", 3, 3, shape->size);
    if (status || !file)
        return status;
    if (!dot || (strcasecmp(dot, ".stl") != 0 && strcasecmp(dot, ".obj") != 0)) {
        mjcf_warn(&mesh, name, "pictures need STL or OBJ: left out");
        return PHX_OK;
    }
    const bool absolute = file[0] == '/' || reader->mesh_folder[0] == '/';
    snprintf(path, SIZE, "%.*s%s%s%s%s",
             absolute ? 0
             : slash  ? (int)(slash - reader->robot->path)
                      : 1,
             slash ? reader->robot->path : ".", absolute ? "" : "/", file[0] == '/' ? "" : reader->mesh_folder,
             file[0] == '/' ? "" : "/", file);
    if (access(path, R_OK) != 0)
        return mjcf_refuse(&mesh, "there is no such file; --no-shapes leaves pictures out: ", path);
    if (shape->size[0] <= 0.0 || shape->size[0] != shape->size[1] || shape->size[0] != shape->size[2]) {
        mjcf_warn(&mesh, name, "its scales differ or are negative; the first is taken for all");
        shape->size[0] = fabs(shape->size[0]);
    }
    shape->file = phx_strdup(reader->context, path);
    return shape->file ? PHX_OK : PHX_ERR_MEMORY;
}

/* The shape of a geom; geoms of the groups that viewers hide, and planes, have none. */
static phx_status mjcf_shape(const mjcf_item *item, mjcf_kind kind, const double size[3], const robot_pose *pose)
{
    static const robot_shape_kind kinds[] = {ROBOT_SHAPES,   ROBOT_SHAPES, ROBOT_SPHERE, ROBOT_CAPSULE, ROBOT_ELLIPSOID,
                                             ROBOT_CYLINDER, ROBOT_BOX,    ROBOT_MESH,   ROBOT_SHAPES};
    enum { HIDDEN = 3 };
    robot_link *link = &item->reader->robot->links[item->link];
    robot_shape shape = {.kind = mjcf_text(item, "mesh") ? ROBOT_MESH : kinds[kind], .pose = *pose};
    const bool tube = kind == MJCF_CAPSULE || kind == MJCF_CYLINDER;
    double group = 0.0;
    phx_status status = mjcf_numbers(item, "group", 1, 1, &group);

    for (int k = 0; k < 3; k++)
        shape.size[k] = (kind == MJCF_BOX || (tube && k == 1) ? 2.0 : 1.0) * size[k];
    if (!status)
        status = mjcf_colour(item, shape.colour);
    if (status || group >= HIDDEN || shape.colour[3] <= 0.0 || shape.kind == ROBOT_SHAPES ||
        item->reader->options->no_shapes)
        return status;
    if (shape.kind == ROBOT_MESH)
        status = mjcf_mesh(item, &shape);
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
static phx_status mjcf_geom(const mjcf_item *item, bool with_mass)
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
    if (touches[0] != 0.0 || touches[1] != 0.0) {
        reader->touching = reader->touching ? reader->touching : item->element;
        reader->n_touching++;
    }
    if (with_mass && group >= reader->groups[0] && group <= reader->groups[1])
        status = mjcf_geom_mass(item, (mjcf_kind)kind, size, &pose);
    return status ? status : mjcf_shape(item, (mjcf_kind)kind, size, &pose);
}

/* ---- joints ---- */
typedef enum mjcf_joint_kind { MJCF_HINGE, MJCF_SLIDE, MJCF_BALL, MJCF_FREE } mjcf_joint_kind;
enum { MOST_JOINTS = 3 };

/* The joints of a body, in its axes. */
typedef struct mjcf_joints {
    int count;
    mjcf_item items[MOST_JOINTS];
    int kinds[MOST_JOINTS];
    double places[MOST_JOINTS][3], axes[MOST_JOINTS][3], references[MOST_JOINTS];
    robot_coordinate coordinates[MOST_JOINTS];
} mjcf_joints;

/* Range, damping, spring and friction of a joint, counted from its reference. */
static phx_status mjcf_coordinate(const mjcf_item *item, int kind, robot_coordinate *coordinate, double *reference)
{
    const double unit = kind == MJCF_SLIDE ? 1.0 : item->reader->degree;
    int limited = 1;
    double range[2] = {0};
    const mjcf_value values[] = {{"limited", MJCF_AUTO, 0, &limited},
                                 {"range", NULL, 2, range},
                                 {"damping", NULL, 1, &coordinate->damping},
                                 {"stiffness", NULL, 1, &coordinate->stiffness},
                                 {"frictionloss", NULL, 1, &coordinate->friction},
                                 {"springref", NULL, 1, &coordinate->rest},
                                 {"ref", NULL, 1, reference},
                                 {"armature", NULL, 1, &coordinate->rotor},
                                 {0}};
    const char *name = robot_attribute(item->element, "name");
    phx_status status = mjcf_values(item, values);

    if (status)
        return status;
    if (coordinate->damping < 0.0 || coordinate->stiffness < 0.0 || coordinate->friction < 0.0 ||
        coordinate->rotor < 0.0)
        return mjcf_refuse(item, "damping, stiffness, frictionloss and armature must not be negative", NULL);
    coordinate->limited = limited == 2 || (limited == 1 && item->reader->limits && range[0] < range[1]);
    if (kind < MJCF_BALL && coordinate->limited && range[0] >= range[1])
        return mjcf_refuse(item, "the lower limit must be below the upper one, range ",
                           mjcf_text(item, "range") ? mjcf_text(item, "range") : "");
    *reference *= unit;
    coordinate->lower = range[0] * unit - *reference;
    coordinate->upper = range[1] * unit - *reference;
    coordinate->rest = coordinate->stiffness > 0.0 ? coordinate->rest * unit - *reference : 0.0;
    if (kind >= MJCF_BALL) {
        if (coordinate->damping > 0.0 || coordinate->stiffness > 0.0 || coordinate->friction > 0.0 ||
            coordinate->rotor > 0.0 || (coordinate->limited && kind == MJCF_BALL))
            mjcf_warn(item, name,
                      "range, damping, stiffness, friction and armature of a ball or free joint are left out");
        *coordinate = (robot_coordinate){0};
    }
    return PHX_OK;
}

/* Enters a joint of a body; its frame is in the axes of the body. */
static phx_status mjcf_joint(const mjcf_item *item, mjcf_joints *joints)
{
    static const char *const kinds[] = {"hinge", "slide", "ball", "free", NULL};
    const int k = joints->count;
    double place[3] = {0}, axis[3] = {0.0, 0.0, 1.0};

    if (k == MOST_JOINTS)
        return mjcf_refuse(
            item, "a body with more than three joints is not read; give each joint a body with a small mass", NULL);
    joints->count++;
    joints->items[k] = *item;
    if (!strcmp(item->element->name, "freejoint")) {
        joints->kinds[k] = MJCF_FREE;
        return PHX_OK;
    }
    const mjcf_value values[] = {
        {"type", kinds, 0, &joints->kinds[k]}, {"pos", NULL, 3, place}, {"axis", NULL, 3, axis}, {0}};
    phx_status status = mjcf_values(item, values);
    if (!status)
        status = mjcf_coordinate(item, joints->kinds[k], &joints->coordinates[k], &joints->references[k]);
    const double length = sqrt(phx_dot(3, axis, axis));
    if (!status && length == 0.0)
        status = mjcf_refuse(item, "the axis is zero", NULL);
    if (status)
        return status;
    for (int a = 0; a < 3; a++)
        axis[a] /= length;
    phx_rot_apply(3, item->frame.R, axis, joints->axes[k]);
    phx_rot_apply(3, item->frame.R, place, joints->places[k]);
    for (int a = 0; a < 3; a++)
        joints->places[k][a] += item->frame.x[a];
    return PHX_OK;
}

/* Whether hinges have one place, and all axes are perpendicular. */
static bool mjcf_perpendicular(const mjcf_joints *joints)
{
    const double *last = joints->places[joints->count - 1];

    for (int k = 0; k < joints->count; k++) {
        for (int m = 0; m < k; m++)
            if (fabs(phx_dot(3, joints->axes[k], joints->axes[m])) > SAME)
                return false;
        for (int a = 0; a < 3 && joints->kinds[k] == MJCF_HINGE; a++)
            if (fabs(joints->places[k][a] - last[a]) > SAME)
                return false;
    }
    return true;
}

/* The joint of a model that is the joints of a body, and the frame of the link in that of the body: at the joint, of
 * three joints with their axes. */
static phx_status mjcf_combine(const mjcf_joints *joints, robot_joint *joint, mjcf_start *start, robot_pose *frame)
{
    static const struct {
        int count, kinds[MOST_JOINTS], kind;
    } known[] = {{0, {0}, ROBOT_FIXED},
                 {1, {MJCF_HINGE}, ROBOT_REVOLUTE},
                 {1, {MJCF_SLIDE}, ROBOT_PRISMATIC},
                 {1, {MJCF_BALL}, ROBOT_SPHERICAL},
                 {1, {MJCF_FREE}, ROBOT_FLOATING},
                 {2, {MJCF_HINGE, MJCF_HINGE}, ROBOT_UNIVERSAL},
                 {3, {MJCF_HINGE, MJCF_HINGE, MJCF_HINGE}, ROBOT_SPHERICAL},
                 {3, {MJCF_SLIDE, MJCF_SLIDE, MJCF_HINGE}, ROBOT_PLANAR}};
    enum { N = sizeof known / sizeof *known };
    const int count = joints->count;
    int k = 0;

    while (k < N && (known[k].count != count || memcmp(known[k].kinds, joints->kinds, sizeof known[k].kinds) != 0))
        k++;
    if (k == N || (count > 1 && !mjcf_perpendicular(joints)))
        return mjcf_refuse(
            &joints->items[count - 1],
            "the joints of this body are no joint of a model, which are two or three hinges at one point "
            "or two slides and a hinge, all perpendicular; give each joint a body with a small mass",
            NULL);
    *frame = robot_pose_identity();
    joint->kind = known[k].kind;
    joint->n_coordinates = joint->kind == ROBOT_FLOATING || (count == 1 && joint->kind == ROBOT_SPHERICAL) ? 0 : count;
    memcpy(joint->coordinates, joints->coordinates, sizeof joint->coordinates);
    memcpy(start->reference, joints->references, sizeof start->reference);
    memcpy(joint->axis, joints->axes[0], sizeof joint->axis);
    memcpy(joint->axis_b, joints->axes[1], sizeof joint->axis_b);
    start->sign = 1.0;
    if (count && joint->kind != ROBOT_FLOATING)
        memcpy(frame->x, joints->places[count - 1], sizeof frame->x);
    if (count < 3)
        return PHX_OK;
    mjcf_axes(joints->axes[0], joints->axes[1], frame->R);
    const double z[3] = {frame->R[2], frame->R[5], frame->R[8]};
    robot_coordinate *last = &joint->coordinates[2];
    if (phx_dot(3, z, joints->axes[2]) < 0.0) {
        const double lower = last->lower;
        start->sign = -1.0;
        last->lower = -last->upper;
        last->upper = -lower;
        last->rest = -last->rest;
    }
    memcpy(joint->axis, (const double[]){0.0, 0.0, 1.0}, sizeof joint->axis);
    return PHX_OK;
}

/* ---- bodies ---- */
static phx_status mjcf_body(const mjcf_item *item);

/* Goes through a body and the frames in it: first its joints into `joints`, then, with NULL, all else. */
static phx_status mjcf_content(const mjcf_item *parent, mjcf_joints *joints, bool with_mass)
{
    static const char *const refused[] = {"composite", "flexcomp", "replicate", "attach", "plugin", NULL},
                             *const known[] = {"camera", "light", "inertial", "joint", "freejoint", NULL};
    phx_status status = PHX_OK;

    for (int k = 0; k < parent->element->n_children && !status; k++) {
        mjcf_item item = *parent;
        item.element = &parent->element->children[k];
        const char *name = item.element->name, *inner = robot_attribute(item.element, "childclass");
        int r = 0, o = 0;
        while (refused[r] && strcmp(refused[r], name) != 0)
            r++;
        while (known[o] && strcmp(known[o], name) != 0)
            o++;
        if (!strcmp(name, "frame")) {
            status = mjcf_pose(&item, &item.frame);
            item.childclass = inner ? inner : item.childclass;
            if (!status)
                status = mjcf_content(&item, joints, with_mass);
        } else if (joints) {
            if (o == 3 || o == 4)
                status = mjcf_joint(&item, joints);
        } else if (!strcmp(name, "geom")) {
            status = mjcf_geom(&item, with_mass);
        } else if (!strcmp(name, "body")) {
            status = mjcf_body(&item);
        } else if (refused[r]) {
            status = mjcf_refuse(&item, "this element is not read; write out what it makes", NULL);
        } else if (!strcmp(name, "site")) {
            item.reader->sites[item.reader->n_sites++] = item;
        } else if (!known[o]) {
            status = mjcf_refuse(&item, "a body has no such element", NULL);
        }
    }
    return status;
}

/* Masses: of the body's <inertial>, or of its geoms. */
static phx_status mjcf_masses(const mjcf_item *body, bool *from_geoms)
{
    mjcf_item inertial = *body;

    inertial.element = robot_child(body->element, "inertial");
    *from_geoms = body->reader->from_geoms == 2 || (body->reader->from_geoms == 1 && !inertial.element);
    return *from_geoms || !inertial.element ? PHX_OK
                                            : mjcf_inertial(&inertial, &body->reader->robot->links[body->link]);
}

/* Principal moments that no body has are made equal if the file wants that. */
static phx_status mjcf_balance(const mjcf_reader *reader, robot_link *link)
{
    double values[3], vectors[9];
    const phx_status status =
        reader->balance ? phx_dense_eigen_symmetric(reader->context, 3, link->inertia, NULL, values, vectors) : PHX_OK;

    if (!status && reader->balance && values[0] + values[1] < values[2])
        for (int a = 0; a < 9; a++)
            link->inertia[a] = a % 4 ? 0.0 : (values[0] + values[1] + values[2]) / 3.0;
    return status;
}

/* A body in its parent; the item is in the frame of the parent. */
static phx_status mjcf_body(const mjcf_item *item)
{
    mjcf_reader *reader = item->reader;
    phx_robot *robot = reader->robot;
    mjcf_item body = *item;
    mjcf_joints joints = {0};
    const char *named = robot_attribute(item->element, "name"), *inner = robot_attribute(item->element, "childclass");
    robot_link *link = &robot->links[robot->n_links];
    robot_joint *joint = &robot->joints[robot->n_joints];
    mjcf_start *start = &reader->starts[robot->n_joints];
    robot_pose pose, frame, outer;
    char fallback[32];
    bool from_geoms = false;

    body.childclass = inner ? inner : item->childclass;
    body.frame = robot_pose_identity();
    phx_status status = mjcf_pose(item, &pose);
    if (!status)
        status = mjcf_content(&body, &joints, false);
    if (!status)
        status = mjcf_combine(&joints, joint, start, &frame);
    if (!status && joint->kind == ROBOT_FLOATING && item->link != 0)
        status = mjcf_refuse(&joints.items[0], "a free joint must be in a body of the world", NULL);
    if (!status)
        status = mjcf_twice(item, named);
    snprintf(fallback, sizeof fallback, "body_%d", robot->n_links);
    if (!status)
        status = mjcf_name(item, named ? named : fallback, true, joint->kind == ROBOT_FIXED, &link->name);
    for (int k = 0; k < joints.count && !status; k++)
        status = mjcf_twice(&joints.items[k], robot_attribute(joints.items[k].element, "name"));
    if (status) {
        phx_free(link->name);
        link->name = NULL;
        return status;
    }
    body.link = robot->n_links++;
    link->path = item->element->path;
    link->line = item->element->line;
    link->joint = -1;
    const mjcf_item *first = joints.count ? &joints.items[0] : item;
    const char *own = robot_attribute(first->element, "name");
    char text[300];
    snprintf(text, sizeof text, "%.200s_joint", link->name);
    status = mjcf_name(first, !joints.count ? link->name : own ? own : text, false, true, &joint->name);
    if (status)
        return status;
    robot->n_joints++;
    joint->path = first->element->path;
    joint->line = first->element->line;
    joint->mimic = -1;
    joint->parent = item->link;
    joint->child = body.link;
    joint->pose = robot_pose_product(&pose, &frame);
    joint->has_zero = joint->kind >= ROBOT_FLOATING && joint->n_coordinates == 0;
    joint->zero = joint->kind == ROBOT_FLOATING ? robot_pose_identity() : joint->pose;
    start->address = reader->n_qpos;
    for (int k = 0; k < joints.count; k++)
        reader->n_qpos += joints.kinds[k] == MJCF_FREE ? 7 : joints.kinds[k] == MJCF_BALL ? 4 : 1;
    for (int a = 0; a < 3; a++) /* the body in its link */
        for (int b = 0; b < 3; b++)
            body.frame.R[3 * a + b] = frame.R[3 * b + a];
    phx_rot_apply(3, body.frame.R, frame.x, outer.x);
    for (int a = 0; a < 3; a++)
        body.frame.x[a] = -outer.x[a];
    if (robot_attribute(item->element, "gravcomp"))
        mjcf_warn(item, named, "gravcomp is left out");
    status = mjcf_masses(&body, &from_geoms);
    if (!status)
        status = mjcf_content(&body, NULL, from_geoms);
    return status ? status : mjcf_balance(reader, &robot->links[body.link]);
}

/* A site with a name becomes a link without mass, that is a port of its body. */
static phx_status mjcf_site(const mjcf_item *item)
{
    phx_robot *robot = item->reader->robot;
    robot_link *link = &robot->links[robot->n_links];
    robot_joint *joint = &robot->joints[robot->n_joints];
    const char *named = robot_attribute(item->element, "name");

    if (!named)
        return PHX_OK;
    *link = (robot_link){.path = item->element->path, .line = item->element->line, .joint = -1};
    *joint = (robot_joint){.path = link->path, .line = link->line, .mimic = -1, .parent = item->link};
    phx_status status = mjcf_pose(item, &joint->pose);
    if (!status)
        status = mjcf_name(item, named, true, true, &link->name);
    if (status)
        return status;
    joint->child = robot->n_links++;
    joint->name = phx_strdup(item->reader->context, link->name);
    if (!joint->name)
        return PHX_ERR_MEMORY;
    robot->n_joints++;
    return PHX_OK;
}

/* ---- the whole ---- */
/* The start by qpos of a key: coordinates, and poses of free joints and balls. */
static phx_status mjcf_key(const mjcf_reader *reader, const phx_xml *key)
{
    double *q = phx_calloc(reader->context, (size_t)reader->n_qpos + 1, sizeof *q);
    const char *text = robot_attribute(key, "qpos");
    phx_status status =
        q ? robot_numbers(reader->context, key, "qpos", text, reader->n_qpos, reader->n_qpos, q) : PHX_ERR_MEMORY;

    for (int j = 0; j < reader->robot->n_joints && !status && text; j++) {
        robot_joint *joint = &reader->robot->joints[j];
        const mjcf_start *start = &reader->starts[j];
        const double *values = q + start->address;
        double R[9], product[9];
        for (int k = 0; k < joint->n_coordinates; k++)
            joint->coordinates[k].start = (k == 2 ? start->sign : 1.0) * (values[k] - start->reference[k]);
        if (joint->kind == ROBOT_FLOATING) {
            memcpy(joint->pose.x, values, sizeof joint->pose.x);
            phx_rot_from_quaternion(values + 3, joint->pose.R);
        } else if (joint->kind == ROBOT_SPHERICAL && joint->n_coordinates == 0) {
            phx_rot_from_quaternion(values, R);
            phx_dense_multiply(false, false, 3, 3, 3, 1.0, joint->pose.R, 3, R, 3, 0.0, product, 3);
            memcpy(joint->pose.R, product, sizeof product);
        }
    }
    if (!status && (robot_attribute(key, "qvel") || robot_attribute(key, "act")))
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <key>: qvel and act are left out", key->path, key->line);
    phx_free(q);
    return status;
}

/* The first key is the start; ranges that do not contain it are reported. */
static phx_status mjcf_keys(const mjcf_reader *reader)
{
    const phx_robot *robot = reader->robot;
    phx_status status = PHX_OK;
    int count = 0;

    for (int k = 0; k < reader->root->n_children; k++) {
        const phx_xml *section = &reader->root->children[k];
        for (int m = 0; m < section->n_children && !status && !strcmp(section->name, "keyframe"); m++)
            if (count++ == 0)
                status = mjcf_key(reader, &section->children[m]);
            else if (count == 2)
                phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <key>: only the first one is the start",
                        section->children[m].path, section->children[m].line);
    }
    for (int j = 0; j < robot->n_joints && !status; j++)
        for (int k = 0; k < robot->joints[j].n_coordinates; k++) {
            const robot_coordinate *coordinate = &robot->joints[j].coordinates[k];
            if (coordinate->limited && (coordinate->lower > coordinate->start || coordinate->upper < coordinate->start))
                phx_log(reader->context, PHX_LOG_WARNING,
                        "%s:%d: the range of the joint '%s' does not contain its start: it becomes a comment",
                        robot->joints[j].path, robot->joints[j].line, robot->joints[j].name);
        }
    return status;
}

static int mjcf_count(const phx_xml *element)
{
    int count = !strcmp(element->name, "body") || !strcmp(element->name, "site");

    for (int k = 0; k < element->n_children; k++)
        count += mjcf_count(&element->children[k]);
    return count;
}

/* The world, all bodies and sites in it. */
static phx_status mjcf_worlds(mjcf_reader *reader)
{
    phx_robot *robot = reader->robot;
    phx_status status = PHX_OK;
    int worlds = 0;
    double sum = 0.0;

    for (int k = 0; k < reader->root->n_children && !status; k++) {
        const phx_xml *element = &reader->root->children[k];
        if (strcmp(element->name, "worldbody") != 0)
            continue;
        const mjcf_item world = {reader, element, robot_attribute(element, "childclass"), 0, robot_pose_identity()};
        robot->links[0].line = worlds++ ? robot->links[0].line : element->line;
        status = mjcf_check_classes(reader, element);
        if (!status)
            status = mjcf_content(&world, NULL, false);
    }
    for (int k = 0; k < reader->n_sites && !status; k++)
        status = mjcf_site(&reader->sites[k]);
    for (int k = 1; k < robot->n_links; k++)
        sum += robot->links[k].mass;
    for (int k = 1; k < robot->n_links && reader->total > 0.0 && sum > 0.0; k++) {
        robot->links[k].mass *= reader->total / sum;
        for (int a = 0; a < 9; a++)
            robot->links[k].inertia[a] *= reader->total / sum;
    }
    if (!status && reader->touching)
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <geom>: contacts of %d geoms are left out",
                reader->touching->path, reader->touching->line, reader->n_touching);
    return status;
}

/* Includes files, then reads settings, the world and the start. */
phx_status robot_read_mjcf(phx_context *context, const phx_robot_options *options, phx_xml *root, phx_robot *robot)
{
    mjcf_reader reader = {.context = context,
                          .options = options,
                          .root = root,
                          .robot = robot,
                          .degree = PI / 180.0,
                          .sequence = "xyz",
                          .mesh_folder = ".",
                          .degrees = 1,
                          .limits = 1,
                          .from_geoms = 1,
                          .groups = {0.0, 5.0}};
    const char *name = robot_attribute(root, "model");
    phx_status status = mjcf_expand(context, robot, root, 0);

    if (!status && options->free_base)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: --free-base is not for MJCF, whose root is the world; give the body a <freejoint/>",
                          robot->path);
    const size_t count = status ? 1 : (size_t)mjcf_count(root) + 1;
    if (!status) {
        robot->name = phx_strdup(context, name ? name : "robot");
        robot->links = phx_calloc(context, count, sizeof *robot->links);
        robot->joints = phx_calloc(context, count, sizeof *robot->joints);
        reader.starts = phx_calloc(context, count, sizeof *reader.starts);
        reader.sites = phx_calloc(context, count, sizeof *reader.sites);
        if (!robot->name || !robot->links || !robot->joints || !reader.starts || !reader.sites)
            status = PHX_ERR_MEMORY;
    }
    if (!status) {
        robot->links[0] =
            (robot_link){.name = phx_strdup(context, "world"), .path = root->path, .line = root->line, .joint = -1};
        robot->n_links = 1;
        status = robot->links[0].name ? mjcf_sections(&reader) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = mjcf_worlds(&reader);
    if (!status)
        status = mjcf_keys(&reader);
    phx_free(reader.classes);
    phx_free(reader.starts);
    phx_free(reader.sites);
    return status;
}
