/* Small mechanisms that between them hold every kind of joint, drive, force and body, for tests that run through all.
 */
#ifndef PHLEXOR_TESTS_SYSTEM_TEST_MODELS_H
#define PHLEXOR_TESTS_SYSTEM_TEST_MODELS_H

#include "support.h"

typedef struct test_model {
    const char *name;
    void (*build)(model *m); /* after model_open; does not finalise */
    bool exact;              /* energy is balanced exactly (kinetics: full) */
    bool space;
} test_model;
extern const test_model test_models[];
extern const int n_test_models;
/* Behind these, with joints that slide along bodies, which the plain evaluator knows alone. */
extern const int n_sliding_models;
/* And behind them beams in modes, with stiffening. */
extern const int n_modes_models;
extern const int n_all_test_models;

/* Opened (model_open) in its dimension with the gravity of all. */
void begin_test_model(phx_context *context, const test_model *kind, model *m);
/* Opened with gravity (1, -9.81), in space (1, 2, -9.81), built and finalised; the start is not made. */
void open_test_model(phx_context *context, const test_model *kind, model *m);

#endif
