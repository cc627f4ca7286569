/* A curve of a body along which points slide (docs/theory-sliding.md): its place u, and at each place s the axis d1
 * along it and, in space, the axis d2 across it, as sums of products of a vector that moves with the body and a
 * function of s,
 *
 *     y(s) = sum c(s) z ,     z = r_f ,  R_f a  or  R_f a q_j                                                  (1)
 *
 * with a frame f of the body, a fixed direction a and a coordinate q_j. Each c is a cubic on each piece of the length
 * (of lower degree where it is a slope). Increments of c and of z are exact over any interval, so those of y are. */
#ifndef PHLEXOR_BODY_CURVE_H
#define PHLEXOR_BODY_CURVE_H

#include "body/body.h"

/* The part of the curve that a term belongs to. */
typedef enum phx_curve_part { PHX_CURVE_PLACE, PHX_CURVE_ALONG, PHX_CURVE_ACROSS, PHX_CURVE_PARTS } phx_curve_part;

/* One product of (1). */
typedef struct phx_curve_term {
    phx_curve_part part;
    phx_body_frame frame;
    bool origin;         /* z = r_f; else R_f a */
    double direction[3]; /* a */
    int coordinate;      /* j; -1: none */
    int first, count;    /* pieces where c is not zero */
    double *cubic;       /* c = a0 + a1 xi + a2 xi^2 + a3 xi^3 on each of them, xi from 0 to 1 */
} phx_curve_term;

typedef struct phx_curve {
    int n_pieces;
    double *knot; /* n_pieces + 1 places, m; the first is 0, the last the length */
    int n_terms, capacity;
    phx_curve_term *terms;
    int *first_on, *on; /* terms on piece k: on[first_on[k]] up to before on[first_on[k + 1]]; made when it is whole */
} phx_curve;

phx_status phx_curve_create(phx_context *context, int n_pieces, const double *knot, phx_curve *curve);
void phx_curve_free(phx_curve *curve);
/* One more term, whose c is zero so far; `cubic` of the term given is not read. */
phx_status phx_curve_add(phx_context *context, phx_curve *curve, const phx_curve_term *term);
/* Adds the derivative of the last term by s, as a term of part ALONG. */
phx_status phx_curve_add_slope(phx_context *context, phx_curve *curve);
/* c of the last term on piece k: with these values and slopes at its ends; straight between the values. */
void phx_curve_set_hermite(phx_curve *curve, int k, double value0, double slope0, double value1, double slope1);
void phx_curve_set_linear(phx_curve *curve, int k, double value0, double value1);
/* When all terms are there: which of them each piece has. */
phx_status phx_curve_index(phx_context *context, phx_curve *curve);
/* A whole curve of the body; its terms are checked when they are read. It is empty before, and free after a failure. */
void phx_curve_archive(phx_archive *archive, const phx_body *body, phx_curve *curve);
static inline double phx_curve_length(const phx_curve *curve)
{
    return curve->knot[curve->n_pieces];
}

/* The pieces on which an interval from s0 to s1 runs: the first and the last one, between 0 and n_pieces - 1. */
typedef struct phx_curve_span {
    int low, high;
} phx_curve_span;
phx_curve_span phx_curve_span_of(const phx_curve *curve, double s0, double s1);
/* The term after number `at` (-1: the first one) on these pieces, from piece *piece on, span.low at first; NULL: there
 * is none. Each comes once. */
const phx_curve_term *phx_curve_next(const phx_curve *curve, phx_curve_span span, int *piece, int *at);

/* A c over an interval from s0 to s1; with equal ends at an instant. */
typedef struct phx_curve_weight {
    double c0, c1, mean; /* at the ends */
    double quotient;     /* (c1 - c0)/(s1 - s0) without cancellation */
    double slope;        /* dc/ds at s1 */
    double bend;         /* 2 d(quotient)/ds1, at an instant d2c/ds2 */
} phx_curve_weight;
/* false: it is zero at both ends and between them. Beyond its ends the curve goes on as its last piece. */
bool phx_curve_weigh(const phx_curve *curve, const phx_curve_term *term, double s0, double s1, phx_curve_weight *out);

#endif
