/* The mechanism that is timed: a chain of equal links hanging from the ground, released horizontal and at rest.
 *
 *     O ground === o === o === ... === o      links of 1 m and 1 kg/m, revolute joints, gravity across            */
#ifndef PHX_BENCH_CHAIN_H
#define PHX_BENCH_CHAIN_H

#include <phlexor/system.h>

/* elements 0: rigid links; else flexible ones (EA = 1e6 N, EI = 400 N m^2). Frozen. */
phx_status chain_create(phx_context *context, int links, int elements, phx_system **system);

#endif
