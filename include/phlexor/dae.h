/* Phlexor, layer dae: a mechanical port-Hamiltonian DAE, as phx_system_dae makes it and phx_integrate takes it.
 *
 *   x_dot = T(x) v                         configuration: places, attitudes (direction cosines), deformations
 *   M(x) v_dot = f(t, x, v) + G(x)^T lambda
 *   0 = G(x) v - w(t)                      joints at velocity level, index 2 */
#ifndef PHLEXOR_DAE_H
#define PHLEXOR_DAE_H

/* A workspace over a finalised system: not const, one per thread. */
typedef struct phx_dae phx_dae;

/* Work since the start of the run and the like; J. */
typedef struct phx_work {
    double supplied;
    double dissipated;
} phx_work;

#endif
