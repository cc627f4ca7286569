/* A robot as a file describes it: links, joints, shapes; private to the layer study. */
#ifndef PHX_STUDY_ROBOT_H
#define PHX_STUDY_ROBOT_H

#include "importer/importer.h"
#include "study/internal.h"

/* Place x and attitude R (row-major, to the components of the frame it is given in) of a frame. */
typedef struct robot_pose {
    double x[3], R[9];
} robot_pose;

typedef enum robot_shape_kind {
    ROBOT_BOX,
    ROBOT_CYLINDER,
    ROBOT_CAPSULE,
    ROBOT_SPHERE,
    ROBOT_ELLIPSOID,
    ROBOT_MESH,
    ROBOT_SHAPES
} robot_shape_kind;

typedef struct robot_shape {
    robot_shape_kind kind;
    double size[3]; /* box: lengths; cylinder, capsule: radius, length; sphere: radius; ellipsoid: radii; mesh: scale
                       (m) */
    char *file;     /* mesh: relative to the robot's file or absolute */
    robot_pose pose;
    double colour[4]; /* red, green, blue, opacity; opacity 0: none given */
    double friction;  /* of a collision shape: coefficient */
} robot_shape;

typedef struct robot_link {
    char *name;
    const char *path; /* of the file that line is in, borrowed */
    int line;
    double mass, com[3], inertia[9]; /* kg, m, kg m^2 about com; axes of the link */
    int n_shapes, n_collisions;
    robot_shape *shapes, *collisions; /* collisions: that touch the ground, without files */
    int joint;                        /* to its parent; -1: the root */
    int body;        /* the link whose body it is part of after fixed joints are merged; itself if it is a body */
    robot_pose pose; /* in that body; of a body in the world at the start */
} robot_link;

typedef enum robot_joint_kind {
    ROBOT_FIXED,
    ROBOT_REVOLUTE,
    ROBOT_CONTINUOUS,
    ROBOT_PRISMATIC,
    ROBOT_PLANAR,
    ROBOT_FLOATING,
    ROBOT_SPHERICAL,
    ROBOT_UNIVERSAL,
    ROBOT_JOINTS
} robot_joint_kind;

enum { ROBOT_COORDINATES = 6 }; /* most of a joint */
/* A free coordinate of a joint. */
typedef struct robot_coordinate {
    bool limited;
    double lower, upper, damping, friction, stiffness, rest, start;
    double rotor, gear; /* inertia of a rotor; its turn over the coordinate, 0: 1 */
} robot_coordinate;

typedef struct robot_joint {
    char *name;
    const char *path;              /* of the file that line is in, borrowed */
    int line, kind, parent, child; /* links */
    robot_pose pose;               /* of the child's frame in the parent's: at zero, or where it turns freely at the
                                      start */
    bool has_zero;                 /* it turns freely, and its zero is there: */
    robot_pose zero;               /* in the parent's frame */
    double axis[3], axis_b[3];     /* in the child's frame; axis_b: the second one of a universal joint */
    int n_coordinates;             /* that have values; of joints with one the first always */
    robot_coordinate coordinates[ROBOT_COORDINATES];
    double effort, velocity; /* 0 if not limited */
    int mimic;               /* joint: coordinate = multiplier * its coordinate + offset; -1 */
    double multiplier, offset;
} robot_joint;

/* Effort along a coordinate q of a joint, within its limits: stiffness (reference - q) - damping q_dot + force. */
typedef struct robot_motor {
    char *name;
    const char *path; /* of the file that line is in, borrowed */
    int line, joint, coordinate;
    double stiffness, damping, reference, force;
    double ratio; /* of the critical damping of what the joint carries, in place of `damping`; 0: none */
    bool limited;
    double lower, upper;
} robot_motor;

/* A joint in addition to those of the tree: frames in two links that coincide (ROBOT_FIXED) or have one origin
 * (ROBOT_SPHERICAL). */
typedef struct robot_loop {
    char *name;
    const char *path; /* of the file that line is in, borrowed */
    int line, kind, links[2];
    robot_pose poses[2];
} robot_loop;

typedef struct phx_robot {
    const char *path; /* borrowed */
    char *name;
    double gravity[3];
    robot_pose floor; /* the plane of the ground, z upwards */
    int n_links, n_joints, root, n_files, n_motors, n_loops;
    char **files; /* that are included, real paths */
    robot_link *links;
    robot_joint *joints;
    robot_motor *motors;
    robot_loop *loops;
} phx_robot;

void robot_free(phx_robot *robot);
robot_pose robot_pose_identity(void);
/* Rotation about an axis of any length. */
void robot_turn(const double axis[3], double angle, double R[9]);
/* The frame `inner`, given in `outer`, in the frame of `outer`. */
robot_pose robot_pose_product(const robot_pose *outer, const robot_pose *inner);
/* The frame `inner` in the frame `outer`, both given in the same frame. */
robot_pose robot_pose_relative(const robot_pose *outer, const robot_pose *inner);
robot_pose robot_pose_inverse(const robot_pose *pose);

/* Value of an attribute, first child of a name; NULL if absent. */
const char *robot_attribute(const phx_xml *element, const char *key);
const phx_xml *robot_child(const phx_xml *element, const char *name);
/* From `least` to `most` finite numbers of the text of an attribute; NULL leaves `values`. */
phx_status robot_numbers(phx_context *context, const phx_xml *element, const char *key, const char *text, int least,
                         int most, double *values);
/* Read the elements of a file. PHX_ERR_INPUT with file, line and remedy; the caller frees the robot also then. */
phx_status robot_read_urdf(phx_context *context, const phx_robot_options *options, const phx_xml *root,
                           phx_robot *robot);
/* Replaces elements <include> by those of their files. */
phx_status robot_read_mjcf(phx_context *context, const phx_robot_options *options, phx_xml *root, phx_robot *robot);
/* The joints of a model by robot_joint_kind. */
extern const char *const robot_joint_words[ROBOT_JOINTS];
/* Direction of coordinate k, in the child's frame. */
const double *robot_coordinate_axis(const robot_joint *joint, int k, bool *slides);
/* The pose of the child of a joint in its frame at zero, by the coordinates at the start. */
robot_pose robot_joint_motion(const robot_joint *joint);
/* A frame of a link in the body that the link is part of; that of joint j, where its coordinates
 * are zero, in the body that it is on. */
robot_pose robot_frame_in_body(const phx_robot *robot, int link, const robot_pose *frame);
robot_pose robot_joint_frame(const phx_robot *robot, int j);
/* I += m (|d|^2 - d d^T): what a mass adds to the moments of inertia about a point at the distance d; a mass below zero
 * takes it away. */
void robot_add_offset(double mass, const double d[3], double inertia[9]);
/* Mass, centre and inertia of a part, which has a pose in the body, added to those of the body. */
void robot_merge(robot_link *body, const robot_link *part);
/* One joint that moves as `count` hinges and slides do in their order, with axes (of length 1) and places in the frame
 * of what they move: its kind, axes, number of coordinates, whose values are there, and its frame. sign: of the third
 * axis of three, whose stops and rest are turned. Returns whether there is one. */
bool robot_combine(int count, const bool *slides, double axes[][3], double places[][3], robot_joint *joint,
                   robot_pose *frame, double *sign);
/* Chains of joints with nothing on the links in between become one joint, where there is one; with a warning. */
void robot_combine_massless(phx_context *context, phx_robot *robot);
/* Orders the tree, merges links on fixed joints, checks inertias, finds all poses. */
phx_status robot_assemble(phx_context *context, const phx_robot_options *options, phx_robot *robot);
/* The inertia raised to one that a body can have, with a warning. */
phx_status robot_check_inertia(phx_context *context, robot_link *link);

/* ---- the ground ---- */
/* A place of a body that touches first, in its axes: the centre of a sphere (radius 0: a point), or of an ellipsoid. */
typedef struct robot_touch {
    robot_pose pose;
    double radius;
    const double *axes; /* of an ellipsoid, borrowed; else NULL */
    double friction;
} robot_touch;
/* Number `number` of a body, from 0; false behind the last one. */
bool robot_touch_of(const phx_robot *robot, int body, int number, robot_touch *touch);
/* One more collision shape, copied. */
phx_status robot_add_collision(phx_context *context, robot_link *link, const robot_shape *shape);

/* ---- links that bend ---- */
typedef struct robot_material {
    const char *name;
    double density, young, poisson; /* kg/m^3, N/m^2 */
} robot_material;
extern const robot_material robot_materials[3]; /* aluminium, steel, titanium */
/* A link along the line from its frame to the next joint: a rigid root, a tube, a rigid end. */
typedef struct robot_bend {
    const robot_material *material;
    bool given;           /* outer and inner are asked for; else a first guess */
    int joint;            /* at the end */
    double length;        /* m */
    robot_pose beam, tip; /* frames of tube and end in that of the link */
    double mass[3];       /* root, tube, end */
    double com[3];        /* of the root */
    double inertia[9];    /* of the root, about com */
    double tip_inertia;   /* about any axis */
    double outer, inner;  /* diameters of the tube */
} robot_bend;
/* Whether what is asked for exists. */
phx_status robot_check_bends(phx_context *context, const phx_robot_options *options, const phx_robot *robot);
/* Whether a body is wanted to bend and has a joint at some distance. */
bool robot_bends(const phx_robot_options *options, const phx_robot *robot, int body);
robot_bend robot_bend_of(const phx_robot_options *options, const phx_robot *robot, int body);

/* The model file, which is in `folder` (with its slash; NULL: the current one). */
phx_status robot_write(phx_context *context, const phx_robot_options *options, const phx_robot *robot,
                       const char *folder, FILE *stream);

/* ---- files ---- */
void robot_write_xml(FILE *stream, phx_robot_format format, const phx_robot *robot);
/* A function that writes a file whose folder, with its slash, is given; NULL: the current one. */
typedef phx_status robot_writer(phx_context *context, const void *data, const char *folder, FILE *stream);
/* The file, complete or not at all. */
phx_status robot_save(phx_context *context, const char *path, robot_writer *write, const void *data);

#endif
