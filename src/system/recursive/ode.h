/* The mechanism as an ordinary differential equation (phx_dae_ops.ode), for the table of operations. */
#ifndef PHX_SYSTEM_RECURSIVE_ODE_H
#define PHX_SYSTEM_RECURSIVE_ODE_H

#include "dae/dae.h"

phx_status phx_sys_op_ode(phx_dae *dae, phx_ode **ode);

#endif
