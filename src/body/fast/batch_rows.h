/* Rows on the velocities of batches; private to layer body. */
#ifndef PHX_BATCH_ROWS_H
#define PHX_BATCH_ROWS_H

#include "batch.h"

/* The ports with the same number on the bodies of a batch. */
typedef struct port_rows {
    int first;               /* of its rows in those of a body */
    int points, others;      /* first dim or 0 rows of its place, then rows with covectors */
    int covector;            /* its first in phx_body_batch_rows.covector */
    bool angular_only;       /* the covectors are zero on the rate of the place */
    double *sign;            /* of the rows of its place; 0: this body has none */
    double *x, *phi, *theta; /* dim, dim x n_boundary, n_rot x n_boundary */
    double *lever;           /* n_rot x dim, of rows of places and rotations on rigid bodies (rows_kernel.h) */
} port_rows;

struct phx_body_batch_rows {
    phx_body_batch *batch;
    const phx_condenser *condenser; /* NULL: rigid bodies */
    int n, n_boundary;              /* velocities that rows see: the rigid ones and the boundary coordinates */
    int n_ports, n_rows;
    port_rows *ports;
    int *row;      /* n_rows x width: number of the row */
    int *covector; /* other rows x width: where its covector is; -1: this body has no such row */
    double *constants;
    double *L;         /* unit, batched rows below the diagonal */
    double *inverse;   /* of D */
    double *Z;         /* n x n_rows with the stride of the kernels: D^-1 L^-1 G^T */
    double *influence; /* n_internal x n_rot, as phx_body_batch_reduce leaves it */
    /* Where rigid bodies have rows of places and of rotations only; Z is E then. */
    bool plain;
    /* Rows see all coordinates of a basis of modes: these come before the rigid velocities then (rows_kernel.h). */
    bool modal;
    double *shares, *share_sums;       /* of such bodies: L_q^-1 S^T, n_q x dim, and S M_qq^-1 S^T, dim square */
    double *centre, *over_mass, *root; /* centre of mass; 1/m; N, n_rot square */
    double *frame;                     /* rotation matrices at the instant */
};

#endif
