/* An arm on a hinge, a solid or in its basis. */
#ifndef PHLEXOR_TESTS_MODEL_ARM_H
#define PHLEXOR_TESTS_MODEL_ARM_H

#include "support.h"

/* The keys of its body. */
extern const char whole_arm[], reduced_arm[];
/* A model with it; `more`: further keys of the body, with a comma in front. */
phx_model *read_arm(phx_context *context, const char *arm, const char *more);
/* Writes arm.h5, the file of the reduced one, with the ports P and C. */
void write_reduced_arm(phx_context *context);

/* Writes frame.csv, frame_K.mtx, frame_M.mtx: 1 kg at the corners of a tetrahedron, springs along its edges. */
void write_frame(void);

#endif
