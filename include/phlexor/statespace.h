/* Phlexor, layer statespace: port-Hamiltonian descriptor systems (phx_descriptor) and state-space systems (phx_ss), and
 * the interconnection of each.
 *
 * Descriptor systems (theory 3 (4); [1] (38)-(47)):
 *
 *     E e_dot = (J - R) z + (B - P) u            J = -J^T,  E^T z = dH/de,  N = -N^T
 *     y       = (B + P)^T z + (S + N) u          W = | R    P | = W^T >= 0
 *                                                    | P^T  S |
 *     H_dot   = y^T u - (z, u)^T W (z, u)
 *
 * Most systems have no feedthrough: P, S and N are zero. (Where others write G for the inputs, this is B.) The columns
 * of B are partitioned into named ports: an effort and the flow conjugate to it, of any size. A system is
 * either linear, z = Q e with E^T Q symmetric and H = 1/2 e^T E^T Q e, or a nonlinear one held at a state (no Q),
 * whose efforts z the caller supplies; every interconnection is the same for both.
 *
 * A system never changes after its creation: what interconnects systems makes a new one, and copies what it keeps. */
#ifndef PHLEXOR_STATESPACE_H
#define PHLEXOR_STATESPACE_H

#include <phlexor/algebra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A descriptor system, which does not change after its creation. */
typedef struct phx_descriptor phx_descriptor;

/* A port: `size` consecutive columns of B. Its full name is "SYSTEM.PORT", in a system of parts "PART.PORT". */
typedef struct phx_descriptor_port {
    const char *name;
    int size;
} phx_descriptor_port;

/* The matrices and ports of a descriptor system. */
typedef struct phx_descriptor_def {
    const char *name; /* of the system, without '.'; copied */
    int n;            /* entries of e and of z */
    const phx_csr *E; /* n x n; NULL: the identity */
    const phx_csr *J; /* n x n, J + J^T exactly zero as stored; NULL: zero */
    const phx_csr *R; /* n x n, R - R^T exactly zero as stored; NULL: zero */
    const phx_csr *Q; /* n x n; NULL: the caller supplies the efforts */
    const phx_csr *B; /* n x inputs, the sum of the ports' sizes; may be NULL without ports, or with S or N */
    const phx_csr *P; /* n x inputs; NULL: zero */
    const phx_csr *S; /* inputs x inputs, S - S^T exactly zero as stored; NULL: zero */
    const phx_csr *N; /* inputs x inputs, N + N^T exactly zero as stored; NULL: zero */
    int n_ports;
    const phx_descriptor_port *ports; /* in the order of the columns of B; copied */
} phx_descriptor_def;
phx_descriptor_def phx_descriptor_def_default(void);

/* Matrices are copied. PHX_ERR_ARGUMENT, with names and entries, for a missing or ambiguous name, sizes that do not
 * fit, values that are not finite, a J or N that is not skew, an R or S that is not symmetric. That W is not negative
 * is left to phx_descriptor_check. */
phx_status phx_descriptor_create(phx_context *context, const phx_descriptor_def *def, phx_descriptor **system);
/* `name`: of the copy; NULL: the same. Full names of ports that stem from interconnections stay. */
phx_status phx_descriptor_copy(phx_context *context, const phx_descriptor *system, const char *name,
                               phx_descriptor **copy);
void phx_descriptor_destroy(phx_descriptor *system); /* NULL is allowed */

/* The definition that makes this system, with matrices (NULL where it has none) and ports that belong to the system.
 * Without a system all is zero. */
phx_descriptor_def phx_descriptor_definition(const phx_descriptor *system);

/* ---- the equations; arrays have n entries, u and y one for each input; u NULL: zero ---- */

/* Errors of the structure, the largest absolute entry of each matrix. */
typedef struct phx_descriptor_structure {
    double skew;               /* max |J + J^T|, |N + N^T| */
    double dissipation;        /* max |R - R^T|, |S - S^T| */
    double descriptor;         /* max |E - E^T| */
    double energy;             /* max |E^T Q - Q^T E|; 0 for a nonlinear system at a state */
    double E_least, E_largest; /* eigenvalues of (E + E^T)/2: >= 0, multipliers make zeros */
    double W_least;            /* least eigenvalue of W: >= 0 */
    double H_least;            /* least eigenvalue of E^T Q; 0 for a nonlinear system at a state */
    int algebraic;             /* rows of E without an entry that is not zero */
} phx_descriptor_structure;
/* Dense: n^2 memory, n^3 work. */
phx_status phx_descriptor_check(phx_context *context, const phx_descriptor *system,
                                phx_descriptor_structure *structure);

/* H(s) = (B + P)^T Q (s E - (J - R) Q)^-1 (B - P) + S + N at s = re + i im: inputs x inputs, interleaved complex, by a
 * sparse factorisation; also of improper systems. PHX_SINGULAR at a pole; PHX_ERR_UNSUPPORTED without Q. */
phx_status phx_descriptor_transfer(phx_context *context, const phx_descriptor *system, double re, double im,
                                   double *response);

/* ---- interconnection ---- */
/* Side by side: the block-diagonal system of `count` systems, its ports under their full names. PHX_ERR_ARGUMENT when
 * two of these are equal (rename a copy). A system with Q and one without cannot stand side by side. */
phx_status phx_descriptor_append(phx_context *context, const char *name, int count,
                                 const phx_descriptor *const *systems, phx_descriptor **appended);
/* Interconnection of two ports of one system; two systems are appended first. Both preserve power (39),
 * u1^T y1 + u2^T y2 = 0, and use the two ports up. C: size1 x size2 row-major, NULL: the identity.
 *
 *   gyrator      u1 = -C y2, u2 = C^T y1        J + ( -B1 C B2^T + B2 C^T B1^T )
 *                ([1] prints C where C^T must stand in the block [2,1])
 *
 *   transformer  u1 = -C u2, y2 = C^T y1        | J                  -B1 C + B2 |   multipliers lambda = u2, one for
 *                                               | C^T B1^T - B2^T         0     |   each column of port 2, come last
 *
 * drawn here without feedthrough. With P, S, N at the ports the gyrator is an algebraic loop, (u1, u2) = K (y1, y2)
 * with K = [0 -C; C^T 0] and (I - K (S + N)) (u1, u2) = K (B + P)^T z + ..; it is solved, and PHX_SINGULAR names the
 * ports when it has no solution. In the transformer the multipliers take S and N for their own rows of R and J. */
phx_status phx_descriptor_gyrator(phx_context *context, const phx_descriptor *system, const char *port_1,
                                  const char *port_2, const double *C, phx_descriptor **connected);
phx_status phx_descriptor_transformer(phx_context *context, const phx_descriptor *system, const char *port_1,
                                      const char *port_2, const double *C, phx_descriptor **connected);
/* Change of causality (43): input and output of a port trade places; the old input becomes a multiplier, which comes
 * last and is the new output.
 *
 *   | E  0 | | e_dot      |   |  J - R      B - P  | | z      |   | 0 |
 *   | 0  0 | | lambda_dot | = | -(B + P)^T  -S - N | | lambda | + | I | u,   y = lambda
 */
phx_status phx_descriptor_exchange(phx_context *context, const phx_descriptor *system, const char *port,
                                   phx_descriptor **exchanged);
/* The same with the new input held at zero for good: 0 = y, e.g. a support. The port is used up. */
phx_status phx_descriptor_hold(phx_context *context, const phx_descriptor *system, const char *port,
                               phx_descriptor **held);

/* ---- elimination of multipliers (47) ---- */
/* The multipliers z_a are the rows where E vanishes, 0 = A_ad z_d + A_aa z_a + A_au u with A = J - R, B - P. On the
 * range of A_aa they are solved for, which can leave feedthrough behind. The others, where A_aa vanishes, are
 * constraints 0 = G z_d. With P a basis of null G (orthonormal, by QR) and T one of null (G Q),
 *
 *     P^T E T e^_dot = P^T (J - R) P z^ + P^T (B - P) u,   z^ = P^T Q T e^,   y = ((B + P)^T P) z^ + (S + N) u
 *
 * (P also the letter of the feedthrough) is an ordinary pH system of the same energy and transfer function; T = P where
 * Q leaves the constrained efforts alone, as in the paper, whose Q is the identity. Redundant rows of G (below `rtol`
 * of the largest, 0: 1e-12) drop out. `basis` (may be NULL) receives T as n x n_reduced with rows of zeros at the
 * multipliers: e = basis e^ there; free with phx_csr_free. PHX_ERR_UNSUPPORTED when a port acts on a constraint
 * (improper, named), W >= 0 is violated at the multipliers, the system is nonlinear, or a constraint holds an effort
 * that stores no energy (index 3). Dense work. */
phx_status phx_descriptor_eliminate(phx_context *context, const phx_descriptor *system, double rtol, phx_csr *basis,
                                    phx_descriptor **reduced);
/* Standard form with the change of variable x = E e:  x_dot = (J - R) Q E^-1 x + (B - P) u. PHX_SINGULAR for a singular
 * E (eliminate the multipliers first). */
phx_status phx_descriptor_standard(phx_context *context, const phx_descriptor *system, phx_descriptor **standard);

/* ---- state-space systems ([2], appendix 1) ----
 *
 *     x_dot = A x + B u        y = C x + D u        (26)
 *
 * Inputs, outputs and states have names. A name stands for one signal: no two of the inputs and outputs of a system are
 * called the same. Channel i is input i with output i; it can be inverted. Matrices are dense, row-major. Like
 * descriptor systems, a phx_ss never changes after its creation. */
typedef struct phx_ss phx_ss;

/* The matrices and names of a state-space system. */
typedef struct phx_ss_def {
    const char *name; /* of the system, for messages; NULL: "system" */
    int n, n_inputs, n_outputs;
    const double *A, *B, *C, *D;               /* n x n, n x inputs, outputs x n, outputs x inputs; NULL: zero */
    const char *const *states, *const *inputs; /* names, copied; NULL: x1.., u1.. */
    const char *const *outputs;                /* NULL: y1.. */
} phx_ss_def;
phx_ss_def phx_ss_def_default(void);

/* PHX_ERR_ARGUMENT for values that are not finite, and for names that are empty or used twice. */
phx_status phx_ss_create(phx_context *context, const phx_ss_def *def, phx_ss **system);
/* `name`: of the copy; NULL: the same. `prefix` comes before every name of a signal or state with a '.'; may be NULL.
 */
phx_status phx_ss_copy(phx_context *context, const phx_ss *system, const char *name, const char *prefix, phx_ss **copy);
void phx_ss_destroy(phx_ss *system); /* NULL is allowed */

/* The definition that makes this system, with arrays and names that belong to the system. Without a system all is zero.
 */
phx_ss_def phx_ss_definition(const phx_ss *system);

/* ---- systems out of systems ---- */
/* Side by side; PHX_ERR_ARGUMENT when a name would stand twice (prefix a copy). */
phx_status phx_ss_append(phx_context *context, const char *name, int count, const phx_ss *const *systems,
                         phx_ss **appended);
/* The inputs and outputs named, in that order, all states (G_{I,J}). A NULL list with count 0: all of them. The other
 * inputs are zero. */
phx_status phx_ss_sub(phx_context *context, const phx_ss *system, int n_outputs, const char *const *outputs,
                      int n_inputs, const char *const *inputs, phx_ss **sub);
/* input += gain * output. Several links to one input add up. */
typedef struct phx_ss_link {
    const char *input, *output;
    double gain;
} phx_ss_link;
/* Interconnection by names: u = K y + u_external, K made of the links. Inputs and outputs named stay, as in phx_ss_sub;
 * an input that is linked and stays takes the sum of both. With W = I - K D:
 *
 *     u = W^-1 (K C x + u_external)
 *
 * PHX_ERR_ARGUMENT names what does not exist; PHX_SINGULAR names an input in an algebraic loop without solution. */
phx_status phx_ss_connect(phx_context *context, const phx_ss *system, int n_links, const phx_ss_link *links,
                          int n_outputs, const char *const *outputs, int n_inputs, const char *const *inputs,
                          phx_ss **connected);
/* Outputs of `first` in their order drive the inputs of `second`: y = second(first(u)). */
phx_status phx_ss_series(phx_context *context, const phx_ss *first, const phx_ss *second, phx_ss **series);
/* u = u_external + sign * back(y), y = forward(u); inputs and outputs of `forward` stay. */
phx_status phx_ss_feedback(phx_context *context, const phx_ss *forward, const phx_ss *back, double sign,
                           phx_ss **closed);

/* ---- channel inversion: input and output of a channel trade places, names too; states stay what they are ---- */
/* A set of channels, by the name of their input or output, at once. One channel i, j the others, f = 1/D_ii (27); it
 * stays in its place: K = [1..i-1, m, i..m-1] where [2] prints K = [1..i-1, m, i+1..m-1].
 *
 *   | A - f B_i C_i      B_j - f B_i D_ij      f B_i  |
 *   | C_j - f D_ji C_i   D_jj - f D_ji D_ij    f D_ji |
 *   | -f C_i             -f D_ij               f      |
 *
 * Several: the same with f = D_II^-1, one solve of its size (28), which can exist where (28), channel after channel,
 * fails on the way. PHX_SINGULAR names a channel without direct feedthrough, or that cannot be inverted together with
 * the others (up to 1e-12, in units in which the largest entries of the rows and columns of D are 1); PHX_ERR_ARGUMENT
 * for an empty set, a channel that is not there or twice. */
phx_status phx_ss_invert_names(phx_context *context, const phx_ss *system, int count, const char *const *channels,
                               phx_ss **inverted);

/* ---- stable inversion: bounded inputs with which the outputs follow a motion ----
 *
 * As many inputs as outputs. An output answers the inputs in its derivative of order r (a place 2, a rate 1, an
 * acceleration 0); y^(r) = C_r x + D_r u of all of them with a regular D_r. Then
 *
 *     u = D_r^-1 (y^(r) - C_r x),   x = X (y, .. y^(r-1)) + Z eta,   eta' = A_0 eta + G (y, .. y^(r))
 *
 * eta is what the outputs do not see, the zero dynamics; the eigenvalues of A_0 are the zeros of the system. The part
 * of eta whose zeros lie in the right half-plane is integrated backwards from the rest after the motion, the other
 * forwards from the rest before it. So all stays bounded, and inputs begin before the motion does. */
typedef struct phx_ss_inversion phx_ss_inversion;
/* Zeros with a real part up to `edge` >= 0, 1/s, are integrated forwards: those on the imaginary axis, which rounding
 * puts on either side. Nothing of `system` is kept. PHX_ERR_ARGUMENT where inputs and outputs are not as many,
 * PHX_SINGULAR names an output that no input moves, or not by itself. */
phx_status phx_ss_inversion_create(phx_context *context, const phx_ss *system, double edge,
                                   phx_ss_inversion **inversion);
void phx_ss_inversion_destroy(phx_ss_inversion *inversion); /* NULL is allowed */
/* y, y', .. of an output at t, `count` of them. */
typedef void phx_ss_motion_fn(const void *data, int output, double t, int count, double *derivatives);
/* The wanted motion of the outputs, from zero and rest to rest. The integration is exact but for polynomials of degree
 * 5 through the derivatives in each step: of order 6, and exact where these are such polynomials between steps. */
typedef struct phx_ss_trajectory {
    phx_ss_motion_fn *motion;
    const void *data;
    double from, step; /* s */
    int rows, steps;   /* rows from `from` on, `steps` steps from one to the next */
} phx_ss_trajectory;
/* Parts of what would be needed that lie outside the rows, relative to the largest of their kind: eta of the zeros in
 * the right half-plane at the first row, and of the others, less its rest, at the last. */
typedef struct phx_ss_inversion_report {
    double early, late;
} phx_ss_inversion_report;
/* u: rows x inputs; x: rows x states, may be NULL. PHX_ERR_INPUT where the motion does not begin at zero and rest or
 * does not end at rest, or is not finite. */
phx_status phx_ss_inversion_follow(phx_context *context, const phx_ss_inversion *inversion,
                                   const phx_ss_trajectory *wanted, double *u, double *x,
                                   phx_ss_inversion_report *report);

/* ---- fewer states ---- */
/* States that do not show between inputs and outputs. */
typedef enum phx_ss_part {
    /* States at eigenvalue zero that no input moves: what a boundary condition holds, inputs of which are left out by
     * phx_ss_sub (appendix 2, internal state constraints). Motions that oscillate freely stay. */
    PHX_SS_CONSTRAINED = 1,
    PHX_SS_UNCONTROLLABLE = 2,
    PHX_SS_UNOBSERVABLE = 4,
    PHX_SS_MINIMAL = 6
} phx_ss_part;
/* Leaves out the parts given (values or'ed) on orthonormal bases of the balanced states, ranks decided at `rtol` times
 * the norm of A, B or C there (0: 1e-10). From rest, inputs and outputs remain the same. New states are named z1..
 * unless nothing was left out. */
phx_status phx_ss_reduce(phx_context *context, const phx_ss *system, unsigned parts, double rtol, phx_ss **reduced);

/* ---- asking about the dynamics ---- */
/* Eigenvalues of A, ascending by |lambda|, the positive imaginary part of a pair first; n values each, any may be NULL.
 * omega = |lambda|, rad/s; damping = -Re lambda/|lambda|, 0 for lambda = 0. */
phx_status phx_ss_poles(phx_context *context, const phx_ss *system, double *re, double *im, double *omega,
                        double *damping);
/* H = D + C (i omega - A)^-1 B at `count` frequencies, one response after the other: outputs x inputs, interleaved
 * complex. One reduction of A, n^3, then n^2 for each input and frequency. PHX_SINGULAR at a pole. */
phx_status phx_ss_responses(phx_context *context, const phx_ss *system, int count, const double *omega,
                            double *responses);
/* The same of a sampled system x+ = A x + B u at z = exp(i omega period), period in s; 0: as above. */
phx_status phx_ss_responses_sampled(phx_context *context, const phx_ss *system, double period, int count,
                                    const double *omega, double *responses);
/* D - C A^-1 B, outputs x inputs. PHX_SINGULAR when A is. */
phx_status phx_ss_dc_gain(phx_context *context, const phx_ss *system, double *gain);

/* Square root of the integral of tr H^H H over frequency, over 2 pi, by a Lyapunov equation. PHX_ERR_ANALYSIS where a
 * pole is not stable or D is not zero. */
phx_status phx_ss_h2_norm(phx_context *context, const phx_ss *system, double *norm);
/* The largest singular value of H(i omega) over all frequencies, or over a band. */
typedef struct phx_norm {
    double lower, upper; /* the norm lies between them; lower is reached at omega */
    double omega;        /* rad/s; HUGE_VAL: as omega grows */
} phx_norm;
/* By bisection of level sets, with eigenvalues of a Hamiltonian matrix of twice the size: `upper` is proven, up to
 * rounding, and `tolerance` (0: 1e-6) above `lower`. band: two frequencies, rad/s, the second may be HUGE_VAL; NULL:
 * all. PHX_ERR_ANALYSIS where a pole is not stable. */
phx_status phx_ss_hinf_norm(phx_context *context, const phx_ss *system, const double *band, double tolerance,
                            phx_norm *norm);
/* Positive realness of H + shift I, decided by the eigenvalues of a Hamiltonian matrix: whether a system with as many
 * outputs as inputs, stable or on the edge of it, is passive up to `shift` > 0, which has to be there where D + D^T is
 * singular. */
typedef struct phx_passivity {
    bool passive;
    double shift;
    double least, omega; /* least eigenvalue of (H + H^H)/2 that was seen, and where, rad/s */
} phx_passivity;
phx_status phx_ss_passivity(phx_context *context, const phx_ss *system, double shift, phx_passivity *passivity);

/* ---- sampled systems and loops ---- */
/* x+ = A x + B u, y = C x + D u at the samples of `system` when its inputs are held over each `period`, s, and act
 * `delay` samples later: A = exp(A T), B = integral of exp(A t) B, exact but for rounding. An input held back has the
 * states "INPUT.1" .., the next to act first. */
phx_status phx_ss_hold(phx_context *context, const phx_ss *system, double period, int delay, phx_ss **held);
/* phx_ss_poles of a sampled system as those of the continuous one: log(z)/period, HUGE_VAL magnitudes and the real part
 * -HUGE_VAL for z = 0, of delays. `omega` and `damping` may be NULL. */
phx_status phx_ss_sampled_poles(phx_context *context, const phx_ss *system, double period, double *re, double *im,
                                double *omega, double *damping);
/* The part whose poles have real parts below -`edge`, 1/s: free motions, which are poles at zero, and growing ones are
 * taken out, with D as it is. edge 0: what rounding makes of a double pole at zero. States are named z1 .. unless
 * nothing was taken out. */
phx_status phx_ss_stable_part(phx_context *context, const phx_ss *system, double edge, phx_ss **stable);

/* Margins of the loop L of one input and one output under u = -L u, or those of a sampled L(z). */
typedef struct phx_margins {
    bool stable;               /* the closed loop has no growing mode; margins of an unstable one mean little */
    int n_gain, n_phase;       /* all crossings, ascending in frequency */
    double *gain, *gain_omega; /* factors 1/|L| where L is negative; rad/s, HUGE_VAL for infinity */
    double *phase, *delay, *phase_omega; /* rad, (-pi, pi]; s, what is left to -1 against the clock; where |L| = 1 */
    double gain_up, gain_down;           /* the least factor above 1, the largest below; HUGE_VAL, 0: none */
    double gain_up_omega, gain_down_omega;
    double phase_least, phase_least_omega; /* by magnitude; NAN: |L| is never 1 */
    double delay_least, delay_least_omega; /* HUGE_VAL: none */
    double sensitivity, sensitivity_omega; /* max |1/(1 + L)| and |L/(1 + L)| on the axis */
    double complementary, complementary_omega;
} phx_margins;
/* period: s of a sampled loop, 0 of a continuous one. Parts of L that its input does not reach or its output does not
 * see, free motions for one, are left out. PHX_ERR_ARGUMENT unless there is one input and one output, PHX_SINGULAR
 * where 1 + L is zero at infinite frequency. */
phx_status phx_ss_margins(phx_context *context, const phx_ss *loop, double period, phx_margins *margins);
void phx_margins_free(phx_margins *margins); /* frees and zeroes the fields; NULL is allowed */

/* ---- from other forms ---- */
/* M q'' + D q' + K q = F u,   y = Y_q q + Y_v q' + Y_a q'' + Y_u u,   x = (q, q'). */
typedef struct phx_ss_second_order_def {
    const char *name;
    int n, n_inputs, n_outputs;
    const double *M, *D, *K;                    /* n x n; M symmetric positive definite; D NULL: zero */
    const double *F;                            /* n x inputs; NULL: zero */
    const double *Y_q, *Y_v, *Y_a;              /* outputs x n; NULL: zero */
    const double *Y_u;                          /* outputs x inputs; NULL: zero */
    const char *const *coordinates;             /* names of q, copied; NULL: q1..; those of q' have "_dot" behind */
    const char *const *inputs, *const *outputs; /* as in phx_ss_def */
} phx_ss_second_order_def;
phx_ss_second_order_def phx_ss_second_order_def_default(void);
/* PHX_SINGULAR when M is not positive definite. */
phx_status phx_ss_from_second_order(phx_context *context, const phx_ss_second_order_def *def, phx_ss **system);
/* A = E^-1 (J - R) Q, B = E^-1 (B - P), C = (B + P)^T Q, D = S + N, x = e. Multipliers are eliminated first (47).
 * Column k of a port, from 1, has the input "PORT.uk" and the output "PORT.yk", with the port's full name. Errors as in
 * phx_descriptor_eliminate; PHX_SINGULAR for an E that is singular beyond its rows of zeros. */
phx_status phx_ss_from_descriptor(phx_context *context, const phx_descriptor *descriptor, phx_ss **system);

#ifdef __cplusplus
}
#endif
#endif
