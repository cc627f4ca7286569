/* The rod as its files know it. */
#ifndef PHX_ROD_INTERNAL_H
#define PHX_ROD_INTERNAL_H

#define real       double
#define SIMD_WIDTH 1
#define NAME(x)    one_##x

#include "body/kind.h"
#include "element_kernel.h"

typedef struct phx_rod {
    phx_body base;
    int n;                  /* elements */
    phx_body_frame *frames; /* of the n + 1 nodes */
    phx_rod_table table;
    one_rod_element *elements;
    double *x;        /* at rest, the first node at the origin with the inertial axes */
    double *fraction; /* of the length, at the nodes */
    double damping;
    phx_length_point *points;
    phx_rod_def def; /* what it was made of, without the name; its own */
} phx_rod;

static inline const phx_rod *phx_rod_of(const phx_body *body)
{
    return (const phx_rod *)body;
}

/* ---- archive.c ---- */
/* A copy without the name; parts of it are there after a failure. */
phx_status phx_rod_copy_def(phx_context *context, const phx_rod_def *def, phx_rod_def *copy);
void phx_rod_free_def(phx_rod_def *def);

/* ---- elements.c: what the elements add ---- */
/* res += their forces, at an instant and over an interval */
void phx_rod_add_forces(const phx_rod *rod, const double *x, const double *v, double *res);
void phx_rod_add_interval_forces(const phx_rod *rod, const phx_body_view *view, double *res);
/* K, D (NULL: not wanted) += their derivatives, by xi and v; A += those by the mean velocity */
void phx_rod_add_tangents(const phx_rod *rod, const double *x, const double *v, double *K, double *D);
void phx_rod_add_interval_tangents(const phx_rod *rod, const phx_body_view *view, double *A);
/* K += derivatives at rest with the stress sigma of each element in place of its own; sigma at x, or with xi predicted
 */
void phx_rod_add_mixed_tangents(const phx_rod *rod, const double *x, const double *sigma, double *K);
void phx_rod_free_stress(const phx_body *body, const double *x, const double *xi, double *sigma);
double phx_rod_elastic(const phx_body *body, const double *x);
double phx_rod_interval_dissipation(const phx_body *body, const phx_body_view *view);
/* (N, M) of the nodes in the axes of their sections */
void phx_rod_stress(const phx_body *body, const double *x, double *sigma);
void phx_rod_stress_derivative(const phx_body *body, const double *x, const double *row, double *out);

/* Entry of the pattern in row i (of all velocities) at component c of node `node`. */
static inline int phx_rod_entry(const phx_rod *rod, int i, int node, int c)
{
    const int r = rod->base.n_rigid, own = i / r, first = own > 0 ? own - 1 : 0;
    return rod->base.ptr[i] + (node - first) * r + c;
}

#endif
