/* Hand-made linear systems for tests: spring chains, and planar beams in floating coordinates with their constraints,
 * made from textbook element matrices that share nothing with layer fe. */
#ifndef PHLEXOR_TEST_MECHANISM_H
#define PHLEXOR_TEST_MECHANISM_H

#include "support/testing.h"

#include "linear/linear.h"

/* ---- growing lists of entries ---- */
typedef struct entry_list {
    size_t count, room;
    int *row, *col;
    double *val;
} entry_list;
void put(entry_list *list, int row, int col, double val);

/* ---- a system under construction ---- */
typedef struct mechanism {
    phx_context *context;
    int n, roots, m; /* coordinates, rows of the root, constraints so far */
    entry_list M, D, root, rest, G;
} mechanism;
void mechanism_begin(mechanism *mech, phx_context *context);
/* Turn the lists into `linear`, K = root^T root + rest; has_root when rest is empty. Frees the lists. */
void mechanism_end(mechanism *mech, phx_linear *linear);
void linear_free(phx_linear *linear);

/* ---- planar beams ----
 * Coordinates from `at` on: v_x, v_y, omega of the frame at P, then for each node k = 1..elements u_k, w_k, w'_k
 * relative to the frame (cantilever reference). */
typedef struct beam {
    double length, mass_per_length, axial, bending; /* m, kg/m, EA, EI */
    int elements;
    double mass_at_p;
} beam;
int beam_size(const beam *b);
int mechanism_add_beam(mechanism *mech, const beam *b); /* returns `at` */

/* Rate of a node (0..elements) in components turned by `angle`, scaled and added to constraint row `row` of G. */
typedef enum beam_rate { ALONG_X, ALONG_Y, TURN } beam_rate;
void constrain(mechanism *mech, int row, const beam *b, int at, int node, beam_rate what, double angle, double scale);
int new_row(mechanism *mech);

/* Four-bar mechanism of the reference values (open branch) with `elements` a link. */
void four_bar(mechanism *mech, double theta1, int elements, bool clamped);

/* ---- checks ---- */
/* The modes, or the test fails. */
void solve(phx_context *context, const phx_linear *linear, const phx_modes_options *options, phx_mode_set *set);
/* Largest |G x| of all modes, relative to the largest entries of the row and of the shape. */
double closure(const phx_linear *linear, const phx_mode_set *set);
/* Largest |x^H M x - 1|, and for real modes the largest off-diagonal entry of the modal mass matrix. */
double mass_defect(const phx_linear *linear, const phx_mode_set *set);
/* Largest residual of (lambda^2 M + lambda D + K) x against the range of G^T, relative to |lambda|^2 (unit mass). */
double equation_defect(phx_context *context, const phx_linear *linear, const phx_mode_set *set);

#endif
