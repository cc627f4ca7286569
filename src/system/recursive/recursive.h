/* Forward dynamics of a tree of rigid bodies in the coordinates of its joints, by the articulated-body recursion
 * (Featherstone, Rigid Body Dynamics Algorithms, chapter 7), private to this room.
 *
 * Every joint is a sequence of elementary motions: slides along lines, hinges, a ball. Each is a node with axes and a
 * point of its own; the last node of a joint carries the body, those before it have no mass. Parents come before their
 * children. All vectors of the recursion are in inertial components, those of a node are taken at its point:
 *
 *     w, v        angular velocity, velocity of the material point at the node's point
 *     n, f        torque about the point, force
 *     [n]   [J   H] [w']   [p_n]       articulated inertia: what the node and all that hangs on it
 *     [f] = [H^T M] [v'] + [p_f]       resist with when it accelerates
 *
 * In the plane w and n have one component, space and plane are one code (n_rot = 1 or 3). */
#ifndef PHX_SYSTEM_RECURSIVE_H
#define PHX_SYSTEM_RECURSIVE_H

#include "system/parts.h"

typedef enum node_motion { NODE_FIXED, NODE_HINGE, NODE_SLIDE, NODE_BALL } node_motion;
static inline int phx_node_rates(node_motion motion)
{
    return motion == NODE_FIXED ? 0 : motion == NODE_BALL ? 3 : 1;
}

/* How the axis of a node is given: in the axes of its parent, or of the body behind the joint. */
typedef enum node_side { SIDE_PARENT, SIDE_CHILD } node_side;

/* The axis of a hinge or slide as the joint gives it. */
typedef struct node_axes {
    node_side side;
    bool turns_over;    /* its axes are those of the body behind the joint, its parent's are not: it has R0 */
    double given[3];    /* axis, on its `side`; length 1 */
    double matching[3]; /* the same of a hinge that is the only one of its joint, on the other side */
    bool matched;       /* there is such */
} node_axes;

/* Where the node is. */
typedef struct node_points {
    int from, to;                /* bodies that its joint connects: the parent's (PHX_GROUND), the child */
    double at_from[3], at_to[3]; /* the points of the joint in their axes */
    double at_parent[3];         /* from the parent's point to the node's at q = 0, parent's axes */
    double reference[3];         /* the node's point from the frame of its body, body axes */
} node_points;

/* Set with the state from which the coordinates count (phx_tree_begin). */
typedef struct node_start {
    double axis[3];                        /* node axes */
    double R0[9];                          /* node axes to the parent's at q = 0 */
    double along[9], across[9], turned[9]; /* of a hinge R0 Rot(q) = along + cos q across + sin q turned */
    double angle0;                         /* plane: angle of R0, unwrapped */
    double value0;                         /* of the coordinate that x keeps unwrapped, at q = 0 */
} node_start;

/* Of the body about the node's point, node axes. */
typedef struct node_inertia {
    double mass, centre[3], inertia[9];
} node_inertia;

/* A wheel that a coordinate turns, coordinate = gear x its turn: an entry of x and one of v. */
typedef struct tree_wheel {
    int node, x, v;
    double gear, q0, turn0; /* q and the turn at the state from which the coordinates count */
} tree_wheel;

/* The drive of its coordinate. */
typedef struct node_drive {
    const phx_signal *speed; /* the rate of the coordinate; NULL: it is not driven */
    int row;                 /* number of its multiplier */
} node_drive;

/* A node of the tree. */
typedef struct tree_node {
    node_motion motion;
    int parent;            /* node, -1: the ground */
    int body;              /* -1: none, a frame without mass between two motions of a joint */
    int joint, coordinate; /* that its motion is, counted alike; -1: none */
    int angle;             /* where x keeps that coordinate unwrapped; -1: nowhere */
    int q, u;              /* first entry in the coordinates, in the rates; u = -1: fixed or driven */
    int n_q;               /* 0, 1, of a ball 4 (a quaternion) */
    node_axes axes;
    node_points points;
    node_start start;
    node_inertia rigid;
    double rotor; /* inertia of its wheels, against its rate */
    node_drive drive;
} tree_node;

/* The node at the current instant. */
typedef struct node_state {
    double R[9];                 /* node axes to inertial */
    double w[3], v[3], r[3];     /* v and r where the places are asked for */
    double turn;                 /* plane: its angle, unwrapped */
    double q, value;             /* its coordinate; that of `angle` */
    double lever[3];             /* from the parent's point to the node's */
    double axis[3];              /* of a hinge or slide */
    double rate, drive;          /* u, and u' where that is prescribed */
    double bias_w[3], bias_v[3]; /* accelerations relative to the parent that are there without u' */
    double J[9], H[9], M[9], p_n[3], p_f[3];
    double U_w[3], U_v[3], D; /* of a hinge or slide: inertia times motion; motion times that; of a ball det J */
    double J_inverse[9];      /* of a ball */
    double acc_w[3], acc_v[3];
} node_state;

typedef struct tree {
    int dim, n_rot, n_nodes, n_q, n_u;
    double gravity[3];
    tree_node *nodes;
    node_state *state; /* per node */
    int *node_of_body;
    int n_wheels;
    tree_wheel *wheels;
    int ball_with_rotor; /* a joint with a wheel at one of three angles, which is not in `wheels`; -1: none */
    bool driven;
    int unwrapped_balls; /* balls with angles that x keeps unwrapped */
} tree;

/* tree.c: see phx_system_check_tree. dae: whose multipliers those of the drives are; NULL: not asked for. `moves`: it
 * is to be integrated; else its inertia is asked for, whatever acts on it. After a failure, too, phx_tree_free frees
 * what there is. */
phx_status phx_tree_create(phx_context *context, const phx_system *system, const phx_dae *dae, bool moves, tree *made);
void phx_tree_free(tree *made);

/* motion.c */
/* Coordinates q and rates u of a state on the joints, from which they count. */
void phx_tree_begin(const phx_system *system, tree *of, const double *x, const double *v, double *q, double *u);
/* Attitudes, velocities, biases of all nodes at q, u and t; with `places` r and v too. */
void phx_tree_move(tree *of, double t, const double *q, const double *u, bool places);
/* States of the bodies, and unwrapped angles of hinges, after phx_tree_move with `places`. */
void phx_tree_put_state(const phx_system *system, const tree *of, double *x, double *v);
/* q' after phx_tree_move. */
void phx_tree_rates(const tree *of, const double *q, const double *u, double *q_dot);

/* ode.c: the wrenches (n_v, of an array as long as a residual) of all forces but gravity, after phx_tree_move with
 * `places`; x, v: room for a state, with unwrapped angles near those of the last. */
phx_status phx_tree_find_forces(phx_dae *dae, const tree *of, double t, double *x, double *v, double *res);

/* recursion.c */
/* u' after phx_tree_move. wrench (n_v of the system): forces and torques at the bodies' frames in their axes; NULL:
 * none but gravity. A node with no inertia against its motion: its number, else -1. */
int phx_tree_accelerations(tree *of, const phx_system *system, const double *wrench, double *u_dot);
/* Impulses at rest, after phx_tree_move: changes du of the rates u when the rates of drives change by `drive`. */
int phx_tree_impulses(tree *of, const phx_system *system, double *du);
/* After phx_tree_move of a tree without drives: M (n_u x n_u; NULL: not asked for) and c of M(q) u' + c(q, u) = efforts
 * along the rates; c has gravity, and the wrenches (as above) taken away. */
void phx_tree_joint_space(tree *of, const phx_system *system, const double *wrench, double *M, double *bias);
/* Effort of the drive of a node, along its coordinate; its impulse after phx_tree_impulses. */
double phx_tree_drive_effort(const tree *of, int node);

#endif
