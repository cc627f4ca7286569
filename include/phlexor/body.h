/* Phlexor, layer body: bodies as port-Hamiltonian systems; the floating body, rigid or flexible.
 *
 * Every body has moving frames and coordinates beside them. The floating body has one frame:
 *
 *   configuration x_b = ( r dim | attitude | q n )     attitude: plane (c, s, angle not wrapped), space R 3x3 row-major
 *   velocity     nu_b = ( v dim | w n_rot | q_dot n )  v, w in body components, v of the frame's origin P
 *
 * Canonical momenta p = M(q) nu (theory 1 (6), (7); [1] (9)-(16), (30) in canonical form):
 *   p_t' = p_t x w + f      p_r' = p_t x v + p_r x w + tau      p_q' = dT/dq - K q - R q_dot + f_q
 *   r' = R v                R' = R [w]x                         q' = q_dot
 * A rigid body is the case n = 0. Bodies are finalised after creation. */
#ifndef PHLEXOR_BODY_H
#define PHLEXOR_BODY_H

#include <phlexor/fe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the kinetic energy depends on the deformation. */
typedef enum phx_kinetics {
    PHX_KINETICS_FULL,      /* M(q) with the full dependence on the deformation: exactly lossless (default) */
    PHX_KINETICS_SIMPLIFIED /* theory 10, [1] (33)-(35): inertia, lever arms of the undeformed body; not lossless */
} phx_kinetics;

/* Mass properties of a rigid body: inertia about the centre of mass in body axes (plane: [0]; space: 3x3 row-major). */
typedef struct phx_rigid_def {
    double mass;
    double inertia[9];
    double centre[3];
} phx_rigid_def;

/* Definition of a body. */
typedef struct phx_body_def {
    const char *name; /* copied; for messages */
    int dim;
    const phx_rigid_def *rigid; /* exactly one of rigid and flex */
    const phx_flex *flex;       /* borrowed, must outlive the body */
    phx_kinetics kinetics;
    double damping_mass, damping_stiffness; /* Rayleigh, 1/s and s: R = alpha M_qq + beta K on q_dot */
    const double *damping_diagonal;         /* n: a damper on each coordinate, added to R; borrowed; NULL: none */
    double damping_modal;                   /* ratio zeta of every mode of (M_qq, K); excludes the others */
} phx_body_def;
phx_body_def phx_body_def_default(void);

/* A frame that moves with a body: where its place and attitude are in x, its v and w in v. */
typedef struct phx_body_frame {
    int x, v;
} phx_body_frame;

/* A floating body; everything of `def` but its flex is copied. PHX_ERR_ARGUMENT, with the name, for values that make no
 * body. */
typedef struct phx_body phx_body;
phx_status phx_body_create(phx_context *context, const phx_body_def *def, phx_body **body);
void phx_body_destroy(phx_body *body);

/* ---- ports ---- */
/* A point of a body with directions. rotation: dim x dim, port directions in body axes (identity on beams). */
typedef struct phx_body_port {
    phx_flex_point point; /* owned; x from the origin of the frame */
    double rotation[9];
    phx_body_frame frame; /* of the body; with another than the first the point knows no coordinates */
    int slides;           /* from 1: it moves along the curve of the body with this place of it; 0: it does not */
    bool place_alone;     /* such a port: the place itself, as the first component */
    int wheel;       /* from 1: one of the body's places is a wheel here, whose turn stands in an entry of its rates
                        that its joint does not read; 0: none */
    int wheel_entry; /* which */
} phx_body_port;
void phx_body_port_free(phx_body_port *port);

#ifdef __cplusplus
}
#endif
#endif
