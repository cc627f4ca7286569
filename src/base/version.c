#include "base/base.h"

const char *phx_version(void)
{
    return PHX_VERSION;
}

const char *phx_build(void)
{
    return PHX_BUILD;
}

bool phx_cpu_has_avx2(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

bool phx_cpu_has_avx512(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}
