/* All functions of FMI 2.0 and 3.0 under their names, which do nothing but fail, for an FMU that has some of them
 * (pi.c) and is to be loaded. */
#include "fmi/fmi.h"

#define FAIL(result, name, arguments)                                                                                  \
    int stub_##name(void) __asm__(#name);                                                                              \
    __attribute__((weak, visibility("default"))) int stub_##name(void)                                                 \
    {                                                                                                                  \
        return fmi2Error; /* fmi3Error is the same */                                                                  \
    }
FMI2_COMMON(FAIL)
FMI2_MODEL_EXCHANGE(FAIL)
FMI2_CO_SIMULATION(FAIL)
FMI3_FUNCTIONS(FAIL)
