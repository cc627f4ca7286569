/* Phlexor, layer system, for other layers of the library. */
#ifndef PHLEXOR_SYSTEM_SYSTEM_H
#define PHLEXOR_SYSTEM_SYSTEM_H

#include <phlexor/system.h>

#include "fe/fe.h"

/* A load over surfaces of a deforming body in space, in body axes: the sum of factors[k](t) times fields[k], count
 * <= 3. Fields and factors are taken over, on failure too. */
phx_status phx_system_add_surface_load(phx_system *system, const char *name, phx_body_id body, int count,
                                       phx_flex_load *fields, phx_signal **factors);

#endif
