/* PHX_FMU_RUNTIME is defined by the build when there is a shared object. Its bytes stand in an assembler source
 * (cmake/fmu_runtime.s.in). */
#include "fmu.h"

#ifdef PHX_FMU_RUNTIME
extern const unsigned char phx_fmu_runtime_start[], phx_fmu_runtime_end[];

bool phx_fmu_runtime(const unsigned char **bytes, size_t *size)
{
    *bytes = phx_fmu_runtime_start;
    *size = (size_t)(phx_fmu_runtime_end - phx_fmu_runtime_start);
    return true;
}
#else
bool phx_fmu_runtime(const unsigned char **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    return false;
}
#endif
