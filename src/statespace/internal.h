/* Private to layer statespace. */
#ifndef PHX_STATESPACE_INTERNAL_H
#define PHX_STATESPACE_INTERNAL_H

#include <phlexor/statespace.h>

typedef struct port_entry {
    char *name;
    int first, size;
} port_entry;

struct phx_descriptor {
    char *name;
    int n, n_inputs, n_ports;
    bool has_Q;
    phx_csr E, J, R, Q, B; /* Q without rows: frozen */
    port_entry *ports;
};

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
/* B of one port, n x size. */
phx_status phx_descriptor_port_matrix(phx_context *context, const phx_descriptor *system, int port, phx_csr *out);
/* An empty system with its name and room for ports. */
phx_status phx_descriptor_begin(phx_context *context, const char *name, int n, int n_ports, phx_descriptor **out);
/* Next port, named; its columns follow those before it. */
phx_status phx_descriptor_add_port(phx_context *context, phx_descriptor *system, const char *name, int size);

#endif
