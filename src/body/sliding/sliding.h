/* Layer body: a body with places, along whose curve points slide (docs/theory-sliding.md), or which are the turns of
 * wheels on it. */
#ifndef PHLEXOR_BODY_SLIDING_H
#define PHLEXOR_BODY_SLIDING_H

#include "body/kind.h"
#include "curve.h"

/* A place: along the curve, without inertia; or the turn of a wheel. */
typedef struct phx_sliding_place {
    bool wheel;
    double inertia, gear; /* gear: of the coordinate that turns the wheel */
} phx_sliding_place;

/* The body inside is the body itself but for the places: coordinates behind all others, whose rates are the last
 * velocities. Those along the curve have no mass. */
typedef struct phx_sliding {
    phx_body base;
    phx_body_ops ops; /* those of the body inside, and what the places add */
    phx_body *inner;
    phx_curve curve; /* without pieces where it only has wheels */
    phx_sliding_place *places;
    int *reach; /* per velocity of the body inside: the first and the last piece where the curve depends on it */
} phx_sliding;

const phx_sliding *phx_as_sliding(const phx_body *body); /* NULL: it is no such body */

/* A body without places yet around `inner`, and one more of them. On failure `inner` stays the caller's; the curve is
 * taken over. */
phx_status phx_sliding_create(phx_context *context, phx_body *inner, phx_curve *curve, phx_sliding **out);
phx_status phx_sliding_add_place(phx_context *context, phx_sliding_place place, phx_sliding *sliding);
/* For phx_body_archive: curve and places of *body, which is made around `inner`, taken over, when it is read. */
void phx_sliding_archive(phx_archive *archive, phx_body *inner, phx_body **body);

/* The functions of a port that slides, as those of body.h: the place of the port is coordinate `slides` of the body,
 * from 1. */
int phx_slide_columns(const phx_body *body, const phx_body_port *port, int *cols);
int phx_slide_active(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int *active);
/* Fills `reach`; whether some place depends on both of two columns. */
void phx_slide_reach(phx_sliding *sliding);
bool phx_slide_meets(const phx_body *body, int one, int other);
void phx_slide_view(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out);
void phx_slide_apply(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double alpha,
                     const double *effort, double *res);
void phx_slide_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int n_active,
                        const int *active, const double *effort, const phx_slide_derivatives *out);

#endif
