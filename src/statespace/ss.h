/* Private to layer statespace: state-space systems. */
#ifndef PHX_STATESPACE_SS_H
#define PHX_STATESPACE_SS_H

#include "statespace/statespace.h"

struct phx_ss {
    char *name;
    int n, n_inputs, n_outputs;
    double *A, *B, *C, *D;
    char **states, **inputs, **outputs;
};

/* Room for a system: zero matrices, names NULL. */
phx_status phx_ss_new(phx_context *context, const char *name, int n, int n_inputs, int n_outputs, phx_ss **system);
/* Copies `count` names, with `prefix` and a '.' before them (NULL: without) and `suffix` behind; `names` NULL: letter
 * and number. */
phx_status phx_ss_put_names(phx_context *context, int count, const char *const *names, const char *prefix, char letter,
                            const char *suffix, char **to);
/* phx_ss_copy without a look at the names, which may stand twice. */
phx_status phx_ss_duplicate(phx_context *context, const phx_ss *system, const char *name, const char *prefix,
                            phx_ss **copy);
/* Destroys the system unless `status` is PHX_OK and its names are unique; hands it out else. */
phx_status phx_ss_finish(phx_context *context, phx_status status, phx_ss *system, phx_ss **out);
/* Indices of names among the inputs or outputs; complains about one that is not there or stands twice. A NULL list with
 * count 0 means all. Allocated: free with phx_free. */
phx_status phx_ss_pick(phx_context *context, const phx_ss *system, bool inputs, int *count, const char *const *names,
                       int **indices);
/* Restriction of outputs and inputs by indices. */
phx_status phx_ss_restrict(phx_context *context, const phx_ss *system, int n_outputs, const int *outputs, int n_inputs,
                           const int *inputs, phx_ss **sub);
/* Interconnection u = K y + u_external by indices; K inputs x outputs. */
phx_status phx_ss_close(phx_context *context, const phx_ss *system, const double *K, int n_outputs, const int *outputs,
                        int n_inputs, const int *inputs, phx_ss **closed);

/* Scales of rows and columns, powers of two, such that the largest entry of each row and column of diag(row) a
 * diag(col) is about 1; rows and columns of zeros keep 1. */
void phx_ss_equilibrate(int rows, int cols, const double *a, double *row, double *col);
/* a x = b (n x nrhs, in place) with a (kept) scaled by row and col. PHX_SINGULAR when complete pivoting finds no pivot
 * above 1e-12 in these scales: then `dependent` is a row and a column without one, else -1. */
phx_status phx_ss_solve(phx_context *context, int n, const double *a, const double *row, const double *col, int nrhs,
                        double *b, int dependent[2]);
/* Diagonal similarity, powers of two, that evens out rows and columns of A, and with `all` of B and C: x = scale z. */
void phx_ss_balance(const phx_ss *system, bool all, double *scale);
/* Ascending by magnitude; of a conjugate pair the positive imaginary part first. */
void phx_ss_sort_poles(int n, double *re, double *im);
/* The transfer function of a system at any point re + i im, n^2 for each after n^3 once; the system is borrowed. at:
 * outputs x inputs, interleaved complex, after three corrections with the residual; PHX_SINGULAR at a pole. */
typedef struct phx_ss_probe phx_ss_probe;
phx_status phx_ss_probe_create(phx_context *context, const phx_ss *system, phx_ss_probe **probe);
phx_status phx_ss_probe_at(phx_context *context, phx_ss_probe *probe, double re, double im, double *response);
void phx_ss_probe_destroy(phx_ss_probe *probe); /* NULL is allowed */
/* Scale of balanced states (phx_ss_balance, n) and A on them, scale_j A_ij / scale_i; both allocated. */
phx_status phx_ss_balanced(phx_context *context, const phx_ss *s, double **scale, double **A);

#endif
