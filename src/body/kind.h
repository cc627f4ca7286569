/* A kind of bodies: what every body has, and the table of operations that tells one kind from another.
 *
 * The configuration of a body is one or several moving frames and coordinates beside them,
 *
 *     frame f:       x: r (dim), attitude                 v: v (dim), w (n_rot), body components of that frame
 *     coordinates:   x: q (n_q)                           v: q_dot
 *
 * each at a place in x and v that the kind chooses; the first frame leads both. Coordinates may be vectors of the
 * inertial space, three numbers each: places and directions (shells, solids of large displacement). Rigid motions move
 * them. A body of vectors alone has no frame: its first vector, a place, and the axes that its kind derives from its
 * vectors (`axes`) stand for the first frame in poses and twists. What follows from this layout
 * alone, the motion of the state, rigid motions, ports, is the same for all kinds (motion.c, ports.c). The kind answers
 * for inertia, forces, energies and stresses. A floating body has one frame and its deformation for coordinates. */
#ifndef PHX_BODY_KIND_H
#define PHX_BODY_KIND_H

#include "body/body.h"

struct phx_curve; /* sliding/curve.h */

/* Every function gets x and v of one body. Those that may be NULL say so. */
typedef struct phx_body_ops {
    const char *kind; /* "floating body": for messages */
    /* Why forces of it are no numbers, and the remedy. NULL: there is no other reason than overflow. */
    const char *beyond;
    /* Frees what the body owns beside struct phx_body, and the body itself. */
    void (*destroy)(phx_body *body);
    /* The axes of a body of vectors without frames, a rotation; the identity at rest. NULL: it has frames. */
    void (*axes)(const phx_body *body, const double *x, double *R);
    /* The undeformed configuration with the first frame at the origin. NULL: one frame, q = 0. */
    void (*rest)(const phx_body *body, double *x);

    /* ---- places ---- */
    /* The sorts of location that give a point of the body (phx_location_bit), and the frame and the point of one of
     * them; the port is empty before. Errors: as phx_flex_source_point. NULL: places of the only frame, or what the
     * body's source says. */
    unsigned location_sorts;
    phx_status (*locate)(const phx_body *body, phx_context *context, const phx_location *location, phx_body_port *port);
    /* The curve along which points slide (sliding/curve.h), empty before; of a body that deforms by `source`.
     * PHX_ERR_UNSUPPORTED, with the reason. NULL: it has none. */
    phx_status (*curve)(const phx_body *body, phx_context *context, const phx_flex_source *source,
                        struct phx_curve *curve);

    /* ---- inertia ---- */
    /* p = M nu */
    void (*momenta)(const phx_body *body, const double *x, const double *v, double *p);
    /* See phx_body_put_mass. */
    void (*put_mass)(const phx_body *body, const double *x, bool all, const int *at, double *val);
    /* First moment in inertial components, mass * (place of the centre of mass). */
    void (*moment)(const phx_body *body, const double *x, double *moment);
    /* T^T M T with the rigid motions T (phx_body_rigid_motion), NULL: from the momenta; M dense; momenta about the
     * inertial origin. */
    void (*rigid_mass)(const phx_body *body, const double *x, double *mass);
    void (*mass_matrix)(const phx_body *body, const double *x, double *mass);
    void (*inertial_momentum)(const phx_body *body, const double *x, const double *v, double *linear, double *angular);

    /* ---- equations of motion, at an instant and over an interval (see the functions of body.h) ---- */
    void (*residual)(const phx_body *body, const double *gravity, const double *x, const double *v, const double *v_dot,
                     double *res);
    void (*linearise)(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                      double *D, double *K);
    /* Numbers of scratch, and what an interval keeps of its start. */
    size_t (*room)(const phx_body *body);
    phx_products *(*products_create)(phx_context *context, const phx_body *body, double *room);
    void (*products_destroy)(const phx_body *body, phx_products *products); /* NULL: they are one piece of memory */
    void (*products_share)(const phx_body *body, phx_products *products, double *room);
    void (*interval_begin)(const phx_body *body, double h, const double *x0, const double *v0, phx_products *products);
    void (*interval_residual)(const phx_body *body, const double *gravity, const phx_body_view *view, double *res);
    void (*interval_linearise)(const phx_body *body, const double *gravity, const phx_body_view *view, double *room,
                               double *A);

    /* The interval is solved: v1 = 2 v_m - v0 becomes the velocity at its end. NULL: it is that velocity. */
    void (*interval_finish)(const phx_body *body, double h, const double *v0, double *v1);

    /* Whether the velocity of frame f is averaged in inertial axes, theory 4 (6), at the arm from its origin (3
     * numbers, zero before). NULL: none is. */
    bool (*averages)(const phx_body *body, int f, double *arm);
    /* slope += d/dq (a^T M(q) b), over the velocities. NULL: M is constant. */
    void (*mass_slope)(const phx_body *body, const double *x, const double *a, const double *b, double *slope);

    /* ---- energies ---- */
    double (*kinetic)(const phx_body *body, const double *x, const double *v);
    double (*kinetic_undeformed)(const phx_body *body, const double *v);
    double (*elastic)(const phx_body *body, const double *x);
    /* All energies at once, the same numbers; NULL: one after the other. */
    void (*energies)(const phx_body *body, const double *gravity, const double *x, const double *v,
                     phx_body_energies *energies);
    /* NULL: none is lost. Over an interval: what is lost in it by its length; NULL: that of the mean velocity. */
    double (*dissipation)(const phx_body *body, const double *v);
    double (*interval_dissipation)(const phx_body *body, const phx_body_view *view);

    /* ---- an independent stress in the derivatives; NULL: there is none (see body.h) ---- */
    void (*free_stress)(const phx_body *body, const double *x, const double *xi, double *sigma);
    void (*free_linearise)(const phx_body *body, const double *gravity, const double *x, const double *sigma,
                           double *K);

    /* ---- stresses; NULL: there are none ---- */
    void (*stress)(const phx_body *body, const double *x, double *sigma);
    void (*stress_derivative)(const phx_body *body, const double *x, const double *row, double *out);
    /* ---- sections along a length, of a body that has no source; NULL: there are none (see body.h) ---- */
    void (*section_rows)(const phx_body *body, const phx_location *location, phx_section_part part, double *row);
    int (*length_points)(const phx_body *body, const phx_length_point **points);

    /* The largest turn of the ends of an element against each other, rad, and its number from 0; NULL: there are none.
     */
    double (*element_turn)(const phx_body *body, const double *x, int *element);

    /* ---- the structure as dense matrices; NULL: not offered ---- */
    int (*structure_size)(const phx_body *body);
    void (*structure)(const phx_body *body, phx_structure_form form, const double *x, const double *v, double *J);
    void (*efforts)(const phx_body *body, phx_structure_form form, const double *gravity, const double *x,
                    const double *v, double *z);
} phx_body_ops;

/* The first member of every body. */
struct phx_body {
    const phx_body_ops *ops;
    char *name;
    int dim, n_rot, n_rigid; /* n_rigid = dim + n_rot */
    int n_attitude;          /* entries of an attitude in x */
    int n_frames;
    const phx_body_frame *frames; /* the first at 0, 0; none: the first coordinates are a place */
    phx_body **nodes;             /* rigid bodies at all frames (nodes.h), owned; NULL if absent */
    const bool *directions;       /* coordinates that are inertial vectors: whether each is a direction, not a place */
    int n_q, q_x, q_v;            /* coordinates, where they are in x, their rates in v */
    int n_places;                 /* along its curve: the last entries of x and of v, behind the coordinates */
    int n_v, n_x;
    int n_stress, n_free_stress;
    phx_kinetics kinetics;
    bool lossless;
    bool pivots; /* its origin is held to the ground: a rigid body translates in its own axes, theory 4 (6) */
    phx_mass_properties rest; /* of the undeformed body about its first frame */
    int *ptr, *idx;           /* n_v x n_v pattern: structurally symmetric, ascending columns, the diagonal in it */
};

/* Fills what every body has for `n_frames` frames one after the other with the coordinates behind them; a kind may
 * arrange them otherwise afterwards. The name is copied, `frames` is the caller's array of so many, filled here.
 * PHX_ERR_MEMORY. */
phx_status phx_body_lay_out(phx_context *context, const phx_body_ops *ops, const char *name, int dim, int n_frames,
                            phx_body_frame *frames, int n_q, phx_body *body);
/* Mass properties of the body at rest, x, from its rigid mass. */
void phx_body_sum_rest(phx_body *body, const double *x);
/* Frees name, pattern and nodes; for `destroy`. */
void phx_body_free_base(phx_body *body);

/* The coordinates over an interval: q1 = q0 + h rate, q_m, with the rounding errors of q0 and q1. */
void phx_body_move_coordinates(int n, double h, const double *q0, const double *low0, const double *rate, double *q1,
                               double *low1, double *qm);

/* The coordinates in x. */
static inline const double *phx_body_q(const phx_body *body, const double *x)
{
    return x + body->q_x;
}

/* Deformation that the lever arms of ports see: q, or none with simplified kinetics (NULL: zero). */
static inline const double *phx_body_q_inertia(const phx_body *body, const double *x)
{
    return body->kinetics == PHX_KINETICS_FULL ? phx_body_q(body, x) : NULL;
}

#endif
