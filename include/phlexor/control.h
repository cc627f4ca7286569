/* Phlexor, layer control: controllers.
 *
 * phx_system_add_controller makes one act in a system. */
#ifndef PHLEXOR_CONTROL_H
#define PHLEXOR_CONTROL_H

#include <phlexor/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of controllers. With e = y - r, y the measurements and r their references, f the feed-forward:
 *   pid              u = f - kp e - kd e' - ki int e;  e' the second input, or without it that of a filter
 *   state_space      z' = A z + B e,  u = C z + D e + f;  sampled: z+ = A z + B e
 *   port_hamiltonian E z' = (J - R) Q z + (B - P) y,  u = -((B + P)^T Q z + (S + N) y), y the flows of its ports
 *   function         u = function(t, y) + f
 *   external         sampled, states of its own: phx_controller_external */
typedef enum phx_controller_kind {
    PHX_CONTROLLER_PID,
    PHX_CONTROLLER_STATE_SPACE,
    PHX_CONTROLLER_PORT_HAMILTONIAN,
    PHX_CONTROLLER_FUNCTION,
    PHX_CONTROLLER_EXTERNAL,
    PHX_CONTROLLER_KINDS
} phx_controller_kind;

/* u (n_outputs) from the measurements y (n_inputs) at t. Called several times a step, and on each thread of a batch; it
 * keeps nothing. What is not finite stops the run. */
typedef void phx_controller_fn(const void *data, double t, const double *y, double *u);

/* A controller with states of its own, which goes from sample to sample beside the simulation. It repeats itself:
 * started again and given the same measurements it gives the same outputs. By that a simulation goes back to an earlier
 * state; the measurements of all samples are kept for it. One call at a time; PHX_ERR_ANALYSIS stops the run, its
 * message gets the controller's name in front. */
typedef struct phx_controller_external {
    /* Anew, at t with the measurements y. */
    phx_status (*start)(phx_context *context, void *data, double t, const double *y);
    /* u at t with the measurements y, which then hold; maybe more than once at one t. */
    phx_status (*evaluate)(phx_context *context, void *data, double t, const double *y, double *u);
    /* From t to t + sample. */
    phx_status (*advance)(phx_context *context, void *data, double t, double sample);
} phx_controller_external;

/* The matching condition of interconnection and damping assignment (docs/energy-control.md), in a region of the
 * coordinates: the largest entry of grad_q H - M_d M^-1 grad_q H_d + J_2 M_d^-1 p along coordinates without an effort,
 * relative to the largest of its terms there; of the potentials, and of the kinetic energies at rates up to 1. */
typedef struct phx_matching {
    int places;
    double potential, kinetic;
    int indefinite;   /* places at which M_d is not positive definite */
    double asymmetry; /* largest of M, M_d (and of J_2, which is skew), relative */
} phx_matching;

/* A controller. Texts and numbers are copied. Signals, `data` and its `free_data` are taken over, on failure too. */
typedef struct phx_controller_def {
    const char *name;
    phx_controller_kind kind;
    /* Measurements: names of output columns, JOINT.coordinate, JOINT.rate (with several free coordinates .1, .2 ..
     * behind), CONTROLLER.u1 of another one. A port_hamiltonian has none: they are the flows of its outputs. */
    int n_inputs;
    const char *const *inputs;
    /* Actuations: JOINT.effort (.1, .2 ..), LOAD.fx fy fz tx ty tz, SPRING.force. */
    int n_outputs;
    const char *const *outputs;
    phx_signal *const *reference;   /* n_inputs, entries may be NULL; NULL: none. A pid has that of its first input */
    phx_signal *const *feedforward; /* n_outputs; the same */
    const double *lower, *upper;    /* n_outputs: limits of u; NULL: none. Not of a port_hamiltonian */
    double sample;                  /* s, > 0: sampled, u held in between; 0: continuous */
    int delay;                      /* samples from a measurement to what it does; only with `sample` */
    double kp, ki, kd;              /* pid, >= 0 */
    double filter;                  /* pid: time constant of the derivative without a measured rate, s */
    double anti_windup; /* pid with limits: rate at which the integral follows them, 1/s; 0: it is not stopped */
    int n;              /* states of state_space and port_hamiltonian */
    const double *A, *B, *C, *D;             /* row-major: n x n, n x inputs, outputs x n, outputs x inputs */
    const double *E, *J, *R, *Q, *P, *S, *N; /* port_hamiltonian, with B; E, Q NULL: the identity; else NULL: zero */
    const double *initial;                   /* n (pid: integral of ki e, then the filter's state); NULL: zero */
    phx_controller_fn *function;
    phx_controller_fn *energy; /* of a function, may be NULL: the energy H_d, J, that it gives the closed loop, and its
                                  rate, W, as two values; results show them as NAME.H_d, NAME.H_d_rate */
    const phx_controller_external *external; /* outlives the system */
    void *data;                              /* of `function` and `energy`, or `external` */
    void (*free_data)(void *data);           /* may be NULL */
} phx_controller_def;
phx_controller_def phx_controller_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
