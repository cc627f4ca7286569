/* Phlexor, layer joint: the kinds of joint. Positive coordinates: B moves relative to A. */
#ifndef PHLEXOR_JOINT_H
#define PHLEXOR_JOINT_H

#include <phlexor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PHX_JOINT_MAX_ROWS = 6, PHX_JOINT_MAX_COORDINATES = 6, PHX_JOINT_MAX_SOLIDS = 3 };

/* The kinds of joint, the one list of them: X(NAME, name) is the kind PHX_JOINT_NAME that src/joint/name.c describes in
 * phx_joint_name. New kinds come last, so that the values stay what they are. */
#define PHX_JOINT_LIST(X)                                                                                              \
    X(WELD, weld)                                                                                                      \
    X(REVOLUTE, revolute)                                                                                              \
    X(PRISMATIC, prismatic)                                                                                            \
    X(SLIDER, slider)                                                                                                  \
    X(SPHERICAL, spherical)                                                                                            \
    X(UNIVERSAL, universal)                                                                                            \
    X(CYLINDRICAL, cylindrical)                                                                                        \
    X(PLANAR, planar)                                                                                                  \
    X(POINT_ON_PLANE, point_on_plane)                                                                                  \
    X(CARTESIAN, cartesian)                                                                                            \
    X(PARALLEL, parallel)                                                                                              \
    X(PERPENDICULAR, perpendicular)                                                                                    \
    X(FREE, free)                                                                                                      \
    X(POINT_ON, point_on)                                                                                              \
    X(PRISMATIC_ON, prismatic_on)                                                                                      \
    X(CYLINDRICAL_ON, cylindrical_on)

/* The kind of a joint: PHX_JOINT_LIST, then the number of kinds. */
typedef enum phx_joint_kind {
#define PHX_JOINT_ENUM(NAME, name) PHX_JOINT_##NAME,
    PHX_JOINT_LIST(PHX_JOINT_ENUM)
#undef PHX_JOINT_ENUM
        PHX_JOINT_KINDS
} phx_joint_kind;

/* The use that a kind has for a direction of A; it says in which dimensions the kind has one and which key of a model
 * file gives it. */
typedef enum phx_joint_axis {
    PHX_AXIS_NONE,
    PHX_AXIS_LINE,     /* of a displacement, plane and space: `axis` */
    PHX_AXIS_ROTATION, /* of a rotation, space: `axis` */
    PHX_AXIS_NORMAL,   /* of a plane, space: `normal` */
    PHX_AXIS_PAIR      /* one of A and one of B, space: `axes` */
} phx_joint_axis;

/* A free coordinate of a kind. */
typedef struct phx_joint_coordinate {
    const char *name; /* NULL: there is none */
    const char *zero; /* where it is zero */
    bool angular;     /* rad, else m */
} phx_joint_coordinate;

/* Solids that a joint is drawn with. Its own axes: z along the joint's axis (without one along port A's z), the origin
 * at the port. Sizes are multiples of what fits the bodies. */
typedef enum phx_solid {
    PHX_SOLID_NONE,
    PHX_SOLID_BOX,      /* size: along x, y, z */
    PHX_SOLID_CYLINDER, /* along z: radius, length */
    PHX_SOLID_ACROSS,   /* a cylinder along y: radius, length */
    PHX_SOLID_BALL,     /* radius */
    PHX_SOLID_RING,     /* about z: radius of the ring, of its section */
    PHX_SOLIDS
} phx_solid;

/* One of the solids of a kind. */
typedef struct phx_joint_solid {
    phx_solid shape;
    double size[3];
} phx_joint_solid;

/* Description of a kind for the others: the model file with its messages, schema and key tables, the report,
 * the Python package and the documentation have it from here. */
typedef struct phx_joint_info {
    const char *name;  /* in model files */
    const char *holds; /* one line: what of A and B it keeps together */
    bool plane, space; /* where it exists */
    phx_joint_axis axis;
    bool axis_b;          /* a line of B lies on the axis; model files may give it (`axis_b`) */
    bool relative;        /* holds the relative rotation; model files may give it (`angle`, `rotation`) */
    bool holds_points;    /* the points of A and B coincide; else it is drawn where B is */
    bool slides;          /* A is the point of a flexible body at a place along it, which is the first coordinate */
    int n_coordinates[2]; /* plane, space */
    phx_joint_coordinate coordinates[PHX_JOINT_MAX_COORDINATES];
    const phx_joint_coordinate *in_plane; /* those of the plane, where they are others; else NULL: they come first */
    phx_joint_solid solids[PHX_JOINT_MAX_SOLIDS];
} phx_joint_info;

/* The kinds are 0 to PHX_JOINT_KINDS - 1; their number as the library was built: */
int phx_joint_kind_count(void);
const phx_joint_info *phx_joint_kind_info(phx_joint_kind kind); /* NULL for what is no kind */

#ifdef __cplusplus
}
#endif
#endif
