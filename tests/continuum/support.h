/* Shared by the tests of layer continuum: boundary conditions on sparse matrices, frequencies, mixed forms. */
#ifndef PHLEXOR_TESTS_CONTINUUM_SUPPORT_H
#define PHLEXOR_TESTS_CONTINUUM_SUPPORT_H

#include "continuum/continuum.h"
#include "support/testing.h"

/* ---- boundary conditions ---- */
/* Which unknowns are free: those not held, one after the other. */
typedef struct free_set {
    int n, n_free;
    int *number; /* n: among the free ones, -1: held */
} free_set;
free_set free_all(int n);
void free_set_release(free_set *set);
void hold(free_set *set, int count, const int *unknown);
/* One component (PHX_UNKNOWN_...) of all nodes, or of those of a group of the mesh. */
void hold_component(free_set *set, const phx_elastic_model *model, int component);
void hold_group(free_set *set, const phx_elastic_model *model, const char *group, int component);
/* Rows and columns of the free unknowns. */
phx_csr restricted(phx_context *context, const phx_csr *a, const free_set *set);

/* ---- solutions ---- */
/* The lowest pulsations, rad/s, ascending, of K x = omega^2 M x (M semidefinite) with the pencil shifted by sigma
 * (rad^2/s^2; negative where K is singular: K - sigma M is to be positive definite). vectors: n x count, or NULL. */
void lowest_frequencies(phx_context *context, const phx_csr *K, const phx_csr *M, double sigma, int count,
                        double *omega, double *vectors);
/* Rayleigh quotients of the vectors with |L2^-1 D u|^2 for u^T K u, which keeps the digits that K has lost. */
void improve_frequencies(phx_context *context, const phx_elastic_model *model, const free_set *set, int count,
                         const double *vectors, double *omega);
/* x <- K^-1 x on the free unknowns, 0 on those held; x has set->n entries. */
void solve_free(phx_context *context, const phx_csr *K, const free_set *set, double *x);

/* ---- checks ---- */
/* |D r| / (|D| |r|) for the six rigid motions, largest entries; D element by element. */
void check_rigid_motions(phx_context *context, const phx_elastic_model *model, double tolerance);
/* u^T K u = |L2^-1 D u|^2 and (M2 sigma = D u) u^T D^T sigma for a random u, relative. */
void check_mixed_form(phx_context *context, const phx_elastic_model *model, double tolerance);

#endif
