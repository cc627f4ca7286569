/* Small mechanisms that between them hold every kind of joint, drive, force and body, for tests that run through all.
 */
#ifndef PHLEXOR_TESTS_SYSTEM_ZOO_H
#define PHLEXOR_TESTS_SYSTEM_ZOO_H

#include "support.h"

typedef struct animal {
    const char *name;
    void (*build)(model *m); /* after model_open; does not freeze */
    bool exact;              /* energy is balanced exactly (kinetics: full) */
    bool space;
} animal;
extern const animal zoo[];
extern const int n_zoo;

/* Opened (model_open) in its dimension with the gravity of all. */
void zoo_begin(phx_context *context, const animal *kind, model *m);
/* Opened with gravity (1, -9.81), in space (1, 2, -9.81), built and finalised; the start is not made. */
void zoo_open(phx_context *context, const animal *kind, model *m);

#endif
