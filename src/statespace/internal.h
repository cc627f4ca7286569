/* Private to layer statespace. */
#ifndef PHX_STATESPACE_INTERNAL_H
#define PHX_STATESPACE_INTERNAL_H

#include "statespace/statespace.h"

struct phx_descriptor {
    char *name;
    int n, n_inputs, n_ports;
    bool has_Q, full_names;     /* full_names: the ports are those of parts, "PART.PORT" */
    phx_csr E, J, R, Q, B;      /* Q without rows: nonlinear, at a state */
    phx_csr P, S, N;            /* feedthrough */
    phx_descriptor_port *ports; /* names owned */
};
/* The first column of a port in B. */
static inline int phx_descriptor_first(const phx_descriptor *system, int port)
{
    int first = 0;
    for (int p = 0; p < port; p++)
        first += system->ports[p].size;
    return first;
}

/* A part of a matrix built from blocks: alpha times `a`, or its transpose, or alpha times the identity of size `size`
 * when `a` is NULL, with its first entry at (row, col). */
typedef struct matrix_block {
    const phx_csr *a;
    int size;
    bool transposed;
    double alpha;
    int row, col;
} matrix_block;

/* Sum of blocks, rows x cols. */
phx_status phx_descriptor_blocks(phx_context *context, int rows, int cols, int count, const matrix_block *blocks,
                                 phx_csr *out);
/* alpha times the block rows x cols of `a` that begins at (row, col). Entries that are zero are left out. */
phx_status phx_descriptor_part(phx_context *context, const phx_csr *a, double alpha, int row, int rows, int col,
                               int cols, phx_csr *out);

/* Structure and dissipation over efforts and inputs together: one skew and one symmetric matrix.
 *
 *     | E e_dot |   | J     B |     | R    P |   | z |
 *     |   -y    | = |-B^T  -N |  -  | P^T  S | * | u |
 *                       J               W                                                                          */
typedef struct power_form {
    phx_csr J, W;
} power_form;

/* Filled also on failure: free it in any case. */
phx_status phx_descriptor_form(phx_context *context, const phx_descriptor *system, power_form *form);
void phx_descriptor_form_free(power_form *form);
/* The variables become V times new ones, the equations V^T times the old ones; J stays exactly skew, W symmetric. */
phx_status phx_descriptor_form_change(phx_context *context, const phx_csr *V, power_form *form);
/* The last `count` variables w are given by the others o without work: w = -L A_wo o with A = J - W, where L makes
 * w^T (A_wo o + A_ww w) = 0. Two such L: A_ww^-1 for A_wo o + A_ww w = 0, and (I + K A_ww)^-1 K for w = K y, y = -(A_wo
 * o + A_ww w), with a skew K. They go, and A_oo - A_ow L A_wo remains. */
phx_status phx_descriptor_form_absorb(phx_context *context, int count, const double *L, power_form *form);
/* The matrices of a system of which n and the ports are known. */
phx_status phx_descriptor_form_take(phx_context *context, const power_form *form, phx_descriptor *made);
/* An empty system with its name and room for ports. */
phx_status phx_descriptor_begin(phx_context *context, const char *name, bool full_names, int n, int n_ports,
                                phx_descriptor **out);
/* Next port, named; its columns follow those before it. */
phx_status phx_descriptor_add_port(phx_context *context, phx_descriptor *system, const char *name, int size);

/* First column in B, and number of columns (may be NULL). */
int phx_descriptor_port_columns(const phx_descriptor *system, int port, int *size);

/* Port of that name or full name; -1 when there is none. */
int phx_descriptor_find_port(const phx_descriptor *system, const char *name);

/* rhs = (J - R) z + (B - P) u, which is E e_dot. */
void phx_descriptor_rates(const phx_descriptor *system, const double *z, const double *u, double *rhs);

/* y = (B + P)^T z + (S + N) u */
void phx_descriptor_outputs(const phx_descriptor *system, const double *z, const double *u, double *y);

/* (z, u)^T W (z, u) = z^T R z + 2 z^T P u + u^T S u, W */
double phx_descriptor_dissipation(const phx_descriptor *system, const double *z, const double *u);

/* z = Q e and H = 1/2 e^T E^T Q e; PHX_ERR_UNSUPPORTED for a nonlinear system at a state. */
phx_status phx_descriptor_efforts(phx_context *context, const phx_descriptor *system, const double *e, double *z);
phx_status phx_descriptor_energy(phx_context *context, const phx_descriptor *system, const double *e, double *energy);

#endif
