/* Phlexor, layer dae: a mechanical port-Hamiltonian DAE, as phx_system_dae makes it and phx_integrate takes it.
 *
 *   x_dot = T(x) v                         configuration: places, attitudes (direction cosines), deformations
 *   M(x) v_dot = f(t, x, v) + G(x)^T lambda
 *   0 = G(x) v - w(t)                      joints at velocity level, index 2 */
#ifndef PHLEXOR_DAE_H
#define PHLEXOR_DAE_H

/* A workspace over a finalised system: not const, one per thread. */
typedef struct phx_dae phx_dae;

/* The integrators of phx_integrate: the constant after PHX_, and the name in model files. Each describes itself in its
 * file of src/integrate (phx_integrator_traits). */
#define PHX_INTEGRATOR_LIST(X)                                                                                         \
    X(MIDPOINT, midpoint) /* averages: exact energy, closed joints (default) */                                        \
    X(MIDPOINT4,                                                                                                       \
      midpoint4)      /* its symmetric composition (Suzuki in each half step, ten intervals); lossless systems */      \
    X(GAUSS4, gauss4) /* 2 stages */                                                                                   \
    X(GAUSS6, gauss6) /* 3 stages */                                                                                   \
    X(RADAU5, radau5) /* Radau IIA, 3 stages */                                                                        \
    X(IDA, ida)       /* SUNDIALS */                                                                                   \
    X(DOP853, dop853) /* Dormand-Prince, explicit; rigid bodies whose joints form a tree */

/* Work since the start of the run and the like; J. */
typedef struct phx_work {
    double supplied;
    double dissipated;
} phx_work;

#endif
