/* Layer equilibrium, for the layers above it: the start of a system that has been read, and the size of its forces. */
#ifndef PHX_EQUILIBRIUM_EQUILIBRIUM_H
#define PHX_EQUILIBRIUM_EQUILIBRIUM_H

#include "system/system.h"

#include <phlexor/equilibrium.h>

/* phx_system_start from the positions x on, without equilibrium, of a system that has been read: velocities,
 * multipliers, in x what sampled controllers hold. */
phx_status phx_system_start_again(phx_system *system, double t, double *x, double *v, double *lambda);
/* The size of the forces at x: weights, loads and springs, the sum of their sizes (torques over the size of the
 * mechanism), N; over the mass of all bodies, m/s^2, for phx_system_unrest in parts of it. */
phx_status phx_system_pull(phx_dae *dae, double t, const double *x, double *pull, double *per_mass);

#endif
