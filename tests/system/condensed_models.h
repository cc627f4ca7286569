/* Mechanisms of bodies with many inner deformations, for what is eliminated inside bodies; and of rods. */
#ifndef PHLEXOR_TESTS_SYSTEM_CONDENSED_MODELS_H
#define PHLEXOR_TESTS_SYSTEM_CONDENSED_MODELS_H

#include "test_models.h"

typedef struct condensed_model {
    test_model is;
    int condensed, whole; /* bodies */
} condensed_model;
extern const condensed_model condensed_models[];
extern const int n_condensed_models;

/* A soft beam on a hub that turns at 30 rad/s, in plane and space: with steps of 0.04 s h |w| = 1.2. */
extern const test_model rotors[2];

#endif
