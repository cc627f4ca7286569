/* Layer fmu, for the other layers of the library. */
#ifndef PHX_FMU_FMU_H
#define PHX_FMU_FMU_H

#include "cosim/cosim.h"
#include "study/study.h"

#include <phlexor/fmu.h>

/* The bytes of the shared object; false: the library was built without. */
bool phx_fmu_runtime(const unsigned char **bytes, size_t *size);

#endif
