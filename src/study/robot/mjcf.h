/* Reader of MJCF: what its files share; private to the robots. */
#ifndef PHX_STUDY_ROBOT_MJCF_H
#define PHX_STUDY_ROBOT_MJCF_H

#include "mesh/mesh.h"
#include "robot.h"

typedef struct mjcf_class {
    const char *name; /* NULL: the root */
    int parent;       /* -1: the root classes */
    const phx_xml *element;
} mjcf_class;

/* Where the values of a joint stand in qpos; of its coordinates: the name in the file, the value at zero, and the sign
 * of the last one. */
typedef struct mjcf_start {
    int address;
    const char *names[ROBOT_COORDINATES];
    double reference[ROBOT_COORDINATES], sign;
    double counted; /* of the only joint of a body: its coordinate at the place in the file */
} mjcf_start;

/* Of a link: the name of its body in the file, that body in the link, and the link in the world at zero. */
typedef struct mjcf_place {
    const char *name;
    robot_pose body, world;
} mjcf_place;

typedef struct mjcf_item mjcf_item;

/* A mesh with its moments: of the solid in its surface or of the surface. */
typedef struct mjcf_mesh {
    const phx_xml *element;
    bool shell;
    phx_surface_moments moments;
} mjcf_mesh;

typedef struct mjcf_reader {
    phx_context *context;
    const phx_robot_options *options;
    const phx_xml *root;
    phx_robot *robot;
    int n_classes, n_sites, n_qpos, n_touching, n_meshes;
    mjcf_class *classes;
    mjcf_start *starts; /* of each joint */
    mjcf_place *places; /* of each link */
    mjcf_item *sites;
    mjcf_mesh *meshes; /* that have masses, each once */
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
    bool plain;      /* attributes of the element alone, without defaults */
    const char *tag; /* of its defaults; NULL: its name */
};

/* An attribute: `count` numbers, or one of some words. */
typedef struct mjcf_value {
    const char *key;
    const char *const *words; /* NULL: numbers */
    int count;
    void *value; /* double, or int: the number of the word */
} mjcf_value;

extern const char *const MJCF_BOOLEAN[], *const MJCF_AUTO[];

/* Replaces each <include> in an element by the children of the root of its file. */
phx_status mjcf_expand(phx_context *context, phx_robot *robot, phx_xml *element, int depth);

/* ---- defaults and attributes ---- */
/* The value of an attribute: its own, that of its class or of the nearest class around it. */
const char *mjcf_text(const mjcf_item *item, const char *key);
/* Refuses an element; its line goes ahead of the text. */
phx_status mjcf_refuse(const mjcf_item *item, const char *text, const char *value);
void mjcf_warn(const mjcf_item *item, const char *name, const char *text);
phx_status mjcf_numbers(const mjcf_item *item, const char *key, int least, int most, double *values);
/* The number of an attribute's word in a list that ends with NULL; absent: `value` stays. */
phx_status mjcf_choice(const mjcf_item *item, const char *key, const char *const *words, int *value);
/* Reads attributes up to the one without key; what is absent stays. */
phx_status mjcf_values(const mjcf_item *item, const mjcf_value *value);
/* Enters <default> elements, which are classes, and those in them. */
phx_status mjcf_classes(mjcf_reader *reader, const phx_xml *element, int parent, bool top);
int mjcf_class_of(const mjcf_reader *reader, const char *name); /* -1: there is none */
/* The nth element in the sections of a name; NULL at the end. */
const phx_xml *mjcf_entry(const mjcf_reader *reader, const char *section, int n);
/* The number of a word in a list that ends with NULL; the length of the list if absent. */
int mjcf_word(const char *const *words, const char *text);
/* An element that holds bodies and has no counterpart: an error, with --lossy a warning. */
phx_status mjcf_drop(const mjcf_item *item, const char *name, const char *reason);
/* Every class that an element names is there. */
phx_status mjcf_check_classes(mjcf_reader *reader, const phx_xml *element);

/* ---- frames and names ---- */
/* R with the columns x, y, x cross y; y need not be perpendicular to x. Returns false if they have one direction. */
bool mjcf_axes(const double x[3], const double y[3], double R[9]);
/* The pose of an element in its link. */
phx_status mjcf_pose(const mjcf_item *item, robot_pose *pose);
/* A name that a model can have and that is not taken: NAME, NAME_2, ... Of a motor if neither links nor joints count.
 */
phx_status mjcf_name(const mjcf_item *item, const char *text, bool in_links, bool in_joints, char **name);
/* A name that another element of the same kind has is an error. */
phx_status mjcf_twice(const mjcf_item *item, const char *named);

/* ---- motors and joints that close loops ---- */
/* The coordinate of a joint of the file; joint -1: it has none, for a ball or free joint. PHX_ERR_INPUT: no such joint.
 */
phx_status mjcf_find_joint(const mjcf_item *item, const char *key, int *joint, int *coordinate);
/* Elements of <actuator> become motors; their controls are those of the first key. */
phx_status mjcf_actuators(mjcf_reader *reader);
/* Elements of <equality> become joints that close loops, or joints that follow others. */
phx_status mjcf_equalities(mjcf_reader *reader);
/* Tendons without spring, damper, friction and limit are left out; others hold bodies. */
phx_status mjcf_tendons(mjcf_reader *reader);

/* ---- masses and shapes ---- */
/* The <mesh> that a geom names. */
phx_status mjcf_mesh_of(const mjcf_item *geom, mjcf_item *mesh);
/* Path of its file; empty: it has its points in the element. PHX_ERR_INPUT: there is no such file. */
phx_status mjcf_mesh_path(const mjcf_item *mesh, int size, char *path);
/* Frame of the file, scaled, in that of the mesh, and the scales along the axes of the mesh. */
phx_status mjcf_mesh_frame(const mjcf_item *mesh, robot_pose *frame, double scale[3]);
/* Volume, or area of a shell, with centre and inertia, of the mesh of a geom; `shell` is set if the mesh is one. */
phx_status mjcf_mesh_moments(const mjcf_item *geom, int *shell, phx_surface_moments *moments);
/* The asset of a kind and a name; NULL if absent. */
const phx_xml *mjcf_asset(const mjcf_reader *reader, const char *kind, const char *name);
phx_status mjcf_inertial(const mjcf_item *item, robot_link *link);
/* A geom: its shape, and its mass if the link has its mass from geoms. */
phx_status mjcf_geom(const mjcf_item *item, bool with_mass);

#endif
