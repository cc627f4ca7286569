#include <phlexor/base.h>

const char *phx_version(void)
{
    return PHX_VERSION;
}

const char *phx_build(void)
{
    return PHX_BUILD;
}
