/* Building a system, private: shared by the files that add bodies, ports, joints and forces. */
#ifndef PHX_SYSTEM_BUILD_H
#define PHX_SYSTEM_BUILD_H

#include "system/forces/forces.h"

/* Room for one more element of an array; the new one is zeroed. */
phx_status phx_sys_grow(phx_context *context, void **array, int *capacity, int count, size_t size);
/* PHX_ERR_ARGUMENT: the system is finalised, nothing can be added. */
phx_status phx_sys_open(phx_system *system);
bool phx_sys_all_finite(const double *x, int n);
void phx_sys_free_joint(joint_slot *joint);
void phx_sys_free_force(force_slot *force);

#endif
