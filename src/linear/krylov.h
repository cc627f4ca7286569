/* Krylov spaces of a damped system about a real shift; private to layer linear. */
#ifndef PHX_LINEAR_KRYLOV_H
#define PHX_LINEAR_KRYLOV_H

#include <stdint.h>

#include "internal.h"

typedef struct phx_krylov {
    phx_context *context;
    const phx_large *large; /* borrowed, as kkt */
    phx_kkt *kkt;
    int n, room;            /* number of coordinates; largest number of vectors */
    int count, done;        /* number of vectors of the basis; number of those multiplied */
    double sigma, scale;    /* rad/s */
    uint64_t seed;          /* of random start vectors */
    double *basis;          /* room x 2n, one vector after the other */
    double *product;        /* room x room: S V_done = V H */
    double *work;           /* 4n + n + m + room */
    double complex *lambda; /* done: roots in the space */
    double *error;          /* done: error of lambda from the residual, rad/s */
    double *vectors;        /* done x done, complex by interleaving: eigenvectors of H in columns */
} phx_krylov;
/* Factor at sigma, or close to it when sigma is a root. scale: rad/s, weight of x against y. kkt is prepared and real.
 */
phx_status phx_krylov_begin(phx_context *context, const phx_large *large, phx_kkt *kkt, double sigma, double scale,
                            int room, phx_krylov *space);
/* Factor again, after another space has used kkt. */
phx_status phx_krylov_factor(phx_krylov *space);
void phx_krylov_free(phx_krylov *space);
/* Start vectors: (x, 0) or (0, x), x with the stride given and G x = 0; or a random one smoothed by the operator. */
void phx_krylov_start(phx_krylov *space, const double *x, int stride, bool velocity);
phx_status phx_krylov_start_random(phx_krylov *space);
/* Multiply until `done` vectors are multiplied; fewer when there are no more or the room is full. */
phx_status phx_krylov_extend(phx_krylov *space, int done);
/* lambda, error and vectors of the space. */
phx_status phx_krylov_roots(phx_krylov *space);
/* Real and imaginary part (n each) of the shape of root k. */
void phx_krylov_shape(const phx_krylov *space, int k, double *re, double *im);

#endif
