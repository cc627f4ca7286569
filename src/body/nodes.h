/* Private to the layer body: rigid bodies that stand at the frames of a body of several (phx_body.nodes), as the nodes
 * of a rod and the tied sets of a shell do. Each function does for all of them what the operation of its name in kind.h
 * does for one body, and sets their entries of the result. */
#ifndef PHX_NODES_H
#define PHX_NODES_H

#include "kind.h"

void phx_nodes_momenta(const phx_body *body, const double *x, const double *v, double *p);
/* Into the pattern, whose other entries stay. */
void phx_nodes_put_mass(const phx_body *body, const double *x, const int *at, double *val);
/* All of it, zeros elsewhere; so do the first moment and the momenta, of the nodes alone. */
void phx_nodes_mass_matrix(const phx_body *body, const double *x, double *mass);
void phx_nodes_moment(const phx_body *body, const double *x, double *moment);
void phx_nodes_inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear,
                                 double *angular);
double phx_nodes_kinetic(const phx_body *body, const double *x, const double *v);
double phx_nodes_kinetic_undeformed(const phx_body *body, const double *v);
/* 0: what such bodies lose follows the configuration and is known over an interval. */
double phx_nodes_dissipation(const phx_body *body, const double *v);

void phx_nodes_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                        const double *v_dot, double *res);
/* On the pattern, zeros elsewhere; v (NULL: at rest), and any of M, D, K, may be NULL. */
void phx_nodes_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                         double *D, double *K);

/* Over an interval; `of` has the products of each node. create: false without memory, with nothing to destroy. */
size_t phx_nodes_room(const phx_body *body);
bool phx_nodes_products_create(phx_context *context, const phx_body *body, double *room, phx_products **of);
void phx_nodes_products_destroy(const phx_body *body, phx_products *const *of);
void phx_nodes_products_share(const phx_body *body, phx_products *const *of, double *room);
void phx_nodes_interval_begin(const phx_body *body, double h, const double *x0, const double *v0,
                              phx_products *const *of);
void phx_nodes_interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view,
                                 phx_products *const *of, double *res);
/* On the pattern, zeros elsewhere. */
void phx_nodes_interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view,
                                  phx_products *const *of, double *room, double *A);
void phx_nodes_interval_finish(const phx_body *body, double h, const double *v0, double *v1);
bool phx_nodes_averages(const phx_body *body, int f, double *arm);

#endif
