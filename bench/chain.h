/* The mechanism that is timed: a chain of equal links hanging from the ground, released horizontal and at rest.
 *
 *     O ground === o === o === ... === o      links of 1 m and 1 kg, gravity across
 *
 * In space the links lie zigzag in the horizontal plane, so that they leave every plane as they fall; the hinges of a
 * chain of hinges turn by turns about the vertical and about the horizontal axis across the link before. */
#ifndef PHX_BENCH_CHAIN_H
#define PHX_BENCH_CHAIN_H

#include <phlexor/system.h>

#include <stdbool.h>

typedef struct chain_def {
    int dim, links;
    int elements;         /* 0: rigid links; else flexible ones (EA = 1e6 N, EI = 400 N m^2, GJ = 300 N m^2) */
    bool rods;            /* the flexible ones are geometrically exact rods (GA = 4e5 N), else floating beams */
    phx_joint_kind joint; /* revolute; in space also spherical */
} chain_def;

/* Frozen. */
phx_status chain_create(phx_context *context, const chain_def *def, phx_system **system);

#endif
