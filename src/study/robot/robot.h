/* A robot as a file describes it: links, joints, shapes; private to the layer study. */
#ifndef PHX_STUDY_ROBOT_H
#define PHX_STUDY_ROBOT_H

#include "importer/importer.h"
#include "study/internal.h"

/* Place x and attitude R (row-major, to the components of the frame it is given in) of a frame. */
typedef struct robot_pose {
    double x[3], R[9];
} robot_pose;

typedef enum robot_shape_kind { ROBOT_BOX, ROBOT_CYLINDER, ROBOT_SPHERE, ROBOT_MESH, ROBOT_SHAPES } robot_shape_kind;

typedef struct robot_shape {
    robot_shape_kind kind;
    double size[3]; /* box: lengths; cylinder: radius, length; sphere: radius; mesh: scale (m) */
    char *file;     /* mesh: relative to the robot's file or absolute */
    robot_pose pose;
    double colour[4]; /* red, green, blue, opacity; opacity 0: none given */
} robot_shape;

typedef struct robot_link {
    char *name;
    int line;
    double mass, com[3], inertia[9]; /* kg, m, kg m^2 about com; axes of the link */
    int n_shapes;
    robot_shape *shapes;
    int joint;       /* to its parent; -1: the root */
    int body;        /* the link whose body it is part of after fixed joints are merged; itself if it is a body */
    robot_pose pose; /* in that body; of a body in the world at zero coordinates */
} robot_link;

typedef enum robot_joint_kind {
    ROBOT_FIXED,
    ROBOT_REVOLUTE,
    ROBOT_CONTINUOUS,
    ROBOT_PRISMATIC,
    ROBOT_PLANAR,
    ROBOT_FLOATING,
    ROBOT_SPHERICAL,
    ROBOT_JOINTS
} robot_joint_kind;

typedef struct robot_joint {
    char *name;
    int line, kind, parent, child; /* links */
    robot_pose pose;               /* of the child's frame in the parent's, at zero */
    double axis[3];                /* in the child's frame */
    bool limited;
    double lower, upper, effort, velocity; /* effort, velocity: 0 if not limited */
    double damping, friction;
    int mimic; /* joint: coordinate = multiplier * its coordinate + offset; -1 */
    double multiplier, offset;
} robot_joint;

typedef struct phx_robot {
    const char *path; /* borrowed */
    char *name;
    int n_links, n_joints, root;
    robot_link *links;
    robot_joint *joints;
} phx_robot;

void robot_free(phx_robot *robot);
robot_pose robot_pose_identity(void);
/* The frame `inner`, given in `outer`, in the frame of `outer`. */
robot_pose robot_pose_product(const robot_pose *outer, const robot_pose *inner);

/* Reads a URDF file. PHX_ERR_INPUT with file, line and remedy. */
phx_status robot_read_urdf(phx_context *context, const phx_robot_options *options, phx_robot *robot);
/* Orders the tree, merges links on fixed joints, checks inertias, finds all poses. */
phx_status robot_assemble(phx_context *context, const phx_robot_options *options, phx_robot *robot);
/* The inertia raised to one that a body can have, with a warning. */
phx_status robot_check_inertia(phx_context *context, const phx_robot *robot, robot_link *link);

/* ---- links that bend ---- */
typedef struct robot_material {
    const char *name;
    double density, young, poisson; /* kg/m^3, N/m^2 */
} robot_material;
/* A link along the line from its frame to the next joint: a rigid root, a tube, a rigid end. */
typedef struct robot_bend {
    int joint;            /* at the end */
    double length;        /* m */
    robot_pose beam, tip; /* frames of tube and end in that of the link */
    double mass[3];       /* root, tube, end */
    double com[3];        /* of the root */
    double inertia[9];    /* of the root, about com */
    double tip_inertia;   /* about any axis */
    double outer, inner;  /* diameters of the tube */
} robot_bend;
const robot_material *robot_material_of(const phx_robot_options *options);
/* Whether a body is wanted to bend and has a joint at some distance. */
bool robot_bends(const phx_robot_options *options, const phx_robot *robot, int body);
robot_bend robot_bend_of(const phx_robot_options *options, const phx_robot *robot, int body);

/* The model file, which is in `folder` (with its slash; NULL: the current one). */
phx_status robot_write(phx_context *context, const phx_robot_options *options, const phx_robot *robot,
                       const char *folder, FILE *stream);

#endif
