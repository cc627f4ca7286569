/* Layer body: a body with places, along whose curve points slide (docs/sliding.md). */
#ifndef PHLEXOR_BODY_SLIDING_H
#define PHLEXOR_BODY_SLIDING_H

#include "body/kind.h"
#include "curve.h"

/* The body inside is the body itself but for the places: coordinates without mass behind all others, whose rates are
 * the last velocities. */
typedef struct phx_sliding {
    phx_body base;
    phx_body_ops ops; /* those of the body inside, and what the places add */
    phx_body *inner;
    phx_curve curve;
} phx_sliding;

const phx_sliding *phx_as_sliding(const phx_body *body); /* NULL: it is no such body */

/* The functions of a port that slides, as those of body.h: the place of the port is coordinate `slides` of the body,
 * from 1. */
int phx_slide_columns(const phx_body *body, const phx_body_port *port, int *cols);
void phx_slide_view(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out);
void phx_slide_apply(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double alpha,
                     const double *effort, double *res);
void phx_slide_jacobian(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double *P);
void phx_slide_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                        const double *effort, double *T, double *K);

#endif
