/* Phlexor, layer load: forces and torques.
 *
 * phx_system_add_load and its like put them on the ports of a system. */
#ifndef PHLEXOR_LOAD_H
#define PHLEXOR_LOAD_H

/* What acts at a port. */
typedef enum phx_load_kind { PHX_LOAD_FORCE, PHX_LOAD_TORQUE } phx_load_kind;

#endif
