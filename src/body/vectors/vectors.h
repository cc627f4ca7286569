/* A body of vectors, as its files know it: places and directors in inertial axes, of which ties make rigid sets.
 *
 * Pieces are its elements and, after them, its bonds: the length of each director and the angles of folds, whose strain
 * is e = factor a . b - rest. Units are the frames of the ties, then the free vectors, each place before its directors;
 * they order the velocities. */
#ifndef PHX_VECTORS_VECTORS_H
#define PHX_VECTORS_VECTORS_H

#define real       double
#define SIMD_WIDTH 1
#define NAME(x)    one_##x

#include "body/kind.h"
#include "body/rod/element_kernel.h"
#include "element.h"

typedef struct vector_slot {
    int unit, x, v; /* its unit, where that is in x and v */
    int tie;        /* -1: free */
    bool direction;
    double local[3]; /* tied: in the axes of the frame, of a place from its origin */
} vector_slot;

typedef struct vector_bond {
    int n; /* 1: a = b */
    double stiffness, factor, rest;
} vector_bond;

typedef struct vector_piece {
    int n, n_strains; /* vectors; strains at all points */
    int *vector;      /* of the body */
    int *at;          /* n square: where the unit of the second begins in the rows of the unit of the first */
    int strain;       /* its first among those of the body */
} vector_piece;

typedef struct phx_vectors {
    phx_body base;
    phx_vector_def def; /* its own copy, without the name */
    int n, n_pieces, n_bonds, n_strains;
    vector_slot *slot;
    double *rest; /* x at rest */
    phx_body_frame *frames;
    bool *directions; /* of the free vectors */
    phx_vector_cell_table *table[4];
    phx_vector_cell *cells;
    double *cell_room;
    vector_piece *pieces;
    vector_bond *bonds;
    int *indices;     /* of all pieces */
    int reference[3]; /* corners of the first element, for axes without ties */
    phx_csr mass;     /* between units, of one component; empty rows of frames */
    double *load;     /* of each unit, mass on which gravity acts */
} phx_vectors;

static inline const phx_vectors *phx_vectors_of(const phx_body *body)
{
    return (const phx_vectors *)body;
}

extern const phx_body_ops phx_vector_ops;

/* ---- archive.c ---- */
phx_status phx_vectors_copy_def(phx_context *context, const phx_vector_def *def, phx_vector_def *copy);
void phx_vectors_free_def(phx_vector_def *def);
void phx_vectors_archive(phx_archive *archive, const phx_flex *flex, phx_body **body);

/* ---- pieces.c: what the elements and bonds add ---- */
/* E of all pieces at x. */
void phx_vectors_strains(const phx_vectors *vectors, const double *x, double *E);
double phx_vectors_elastic(const phx_body *body, const double *x);
double phx_vectors_interval_dissipation(const phx_body *body, const phx_body_view *view);
/* res += forces, at an instant and over an interval with the strains E0 at its start; mean: the stresses */
void phx_vectors_add_forces(const phx_vectors *vectors, const double *x, const double *v, double *res);
void phx_vectors_add_interval_forces(const phx_vectors *vectors, const phx_body_view *view, const double *E0,
                                     double *mean, double *res);
/* K, D (NULL: not wanted) += their derivatives by xi and v */
void phx_vectors_add_tangents(const phx_vectors *vectors, const double *x, const double *v, double *K, double *D);
/* A += derivative by the mean velocity. The stress in the geometric part (mixed Newton) is that at the end `told` of
 * the last tangent with its linear change; told NULL: `first`; both NULL: that of the view. */
void phx_vectors_add_interval_tangents(const phx_vectors *vectors, const phx_body_view *view, const double *E0,
                                       const double *told, const double *first, double *A);
void phx_vectors_add_mixed_tangents(const phx_vectors *vectors, const double *x, const double *sigma, double *K);
void phx_vectors_free_stress(const phx_body *body, const double *x, const double *xi, double *sigma);
void phx_vectors_stress(const phx_body *body, const double *x, double *sigma);
void phx_vectors_stress_derivative(const phx_body *body, const double *x, const double *row, double *out);

#endif
