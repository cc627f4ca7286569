/* Mechanisms of bodies with many inner deformations, for what is eliminated inside bodies. */
#ifndef PHLEXOR_TESTS_SYSTEM_INSIDES_H
#define PHLEXOR_TESTS_SYSTEM_INSIDES_H

#include "zoo.h"

typedef struct inside_kind {
    animal is;
    int condensed, whole; /* bodies */
} inside_kind;
extern const inside_kind insides[];
extern const int n_insides;

/* A soft beam on a hub that turns at 30 rad/s, in plane and space: with steps of 0.04 s h |w| = 1.2. */
extern const animal rotors[2];

#endif
