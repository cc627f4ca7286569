/* Private to this room: a few eigenvectors of K and another symmetric matrix S on the motions that G allows, by
 * inverse iteration of a subspace, Y = K^-1 S Z, and the eigenproblem of Y^T K Y and Y^T S Y. */
#ifndef PHX_EQUILIBRIUM_SUBSPACE_H
#define PHX_EQUILIBRIUM_SUBSPACE_H

#include "statics.h"

/* out (n) = S z, zero behind n_v */
typedef void subspace_fn(const statics *s, const void *user, const double *z, double *out);

typedef struct subspace {
    int width;
    subspace_fn *apply;
    const void *user;
    bool of_stiffness; /* values of (K, S), S positive definite; else of (S, K), K positive definite */
    double *Z, *Y;     /* width x n; rows of Z are the vectors */
    double *A, *B;     /* width x width */
    double *values, *vectors;
    double *applied; /* n */
} subspace;

/* Of `width` vectors, or as many as there are motions. */
phx_status phx_subspace_create(const statics *s, int width, subspace_fn *apply, const void *user, bool of_stiffness,
                               subspace *e);
void phx_subspace_destroy(subspace *e);
/* One iteration with the factored matrix: Z and values, ascending. */
phx_status phx_subspace_iterate(const statics *s, subspace *e);

#endif
