/* A body over an interval between any two states, and what must hold of every kind there: its energy balance, and its
 * derivatives against differences. `what` stands in messages. */
#ifndef PHLEXOR_TESTS_BODY_SPAN_H
#define PHLEXOR_TESTS_BODY_SPAN_H

#include "support.h"

enum { SPAN_V = 300, SPAN_X = 320, SPAN_MATRIX = SPAN_V * SPAN_V };

typedef struct span {
    double x0[SPAN_X], x1[SPAN_X], xm[SPAN_X], v0[SPAN_V], v1[SPAN_V], vm[SPAN_V], res[SPAN_V];
    phx_body_view view;
} span;

/* Any place and attitude, deformed by variations of the size `bend`. */
void span_place(uint64_t *seed, const phx_body *body, double bend, double *x);
/* From x0, v0 and vm; with products of its own, until it is left. */
void span_take(const phx_body *body, double h, span *at);
void span_leave(const phx_body *body, span *at);
void span_random(uint64_t *seed, const phx_body *body, double bend, double h, span *at);

/* h vm . res is the change of kinetic, elastic and gravity energy and the loss, which is none, or positive of damped
 * bodies. */
void check_span_energy(uint64_t *seed, const phx_body *body, double bend, double h, bool damped, const char *what);
/* The derivative of a random interval of length h by the mean velocity. */
void check_span_tangent(uint64_t *seed, const phx_body *body, double bend, double h, const char *what);
/* D and K at an instant. */
void check_instant_tangents(uint64_t *seed, const phx_body *body, double bend, const char *what);
/* Differences of fourth order at the places 1e-3 span_side. */
extern const double span_side[4], span_weight[4];

#endif
