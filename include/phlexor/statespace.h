/* Phlexor, layer statespace: port-Hamiltonian descriptor systems and their interconnection ([1], eqs 38-47).
 *
 *     E e_dot = (J - R) z + B u      J = -J^T,  R = R^T >= 0,  E^T z = dH/de
 *     y       = B^T z                H_dot = y^T u - z^T R z
 *
 * The columns of B are partitioned into named ports: an effort and the flow conjugate to it, of any size. A system is
 * either linear, z = Q e with E^T Q symmetric and H = 1/2 e^T E^T Q e, or a nonlinear one frozen at a state (no Q),
 * whose efforts z the caller supplies; every interconnection is the same for both.
 *
 * A system never changes after its creation: what interconnects systems makes a new one, and copies what it keeps. */
#ifndef PHLEXOR_STATESPACE_H
#define PHLEXOR_STATESPACE_H

#include <phlexor/algebra.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct phx_descriptor phx_descriptor;

/* A port: `size` consecutive columns of B. Its name has no '.'; its full name is "SYSTEM.PORT". */
typedef struct phx_descriptor_port {
    const char *name;
    int size;
} phx_descriptor_port;

typedef struct phx_descriptor_def {
    const char *name; /* of the system, without '.'; copied */
    int n;            /* entries of e and of z */
    const phx_csr *E; /* n x n; NULL: the identity */
    const phx_csr *J; /* n x n, J + J^T exactly zero as stored; NULL: zero */
    const phx_csr *R; /* n x n, R - R^T exactly zero as stored; NULL: zero */
    const phx_csr *Q; /* n x n; NULL: the caller supplies the efforts */
    const phx_csr *B; /* n x (sum of the ports' sizes); may be NULL without ports */
    int n_ports;
    const phx_descriptor_port *ports; /* in the order of the columns of B; copied */
} phx_descriptor_def;
phx_descriptor_def phx_descriptor_def_default(void);

/* Matrices are copied. PHX_ERR_ARGUMENT, with names and entries, for a missing or ambiguous name, sizes that do not
 * fit, values that are not finite, a J that is not skew or an R that is not symmetric. */
phx_status phx_descriptor_create(phx_context *context, const phx_descriptor_def *def, phx_descriptor **system);
/* `name`: of the copy; NULL: the same. Full names of ports that stem from interconnections stay. */
phx_status phx_descriptor_copy(phx_context *context, const phx_descriptor *system, const char *name,
                               phx_descriptor **copy);
void phx_descriptor_destroy(phx_descriptor *system); /* NULL is allowed */

/* ---- asking; what is returned belongs to the system ---- */
const char *phx_descriptor_name(const phx_descriptor *system);
int phx_descriptor_n(const phx_descriptor *system);
int phx_descriptor_inputs(const phx_descriptor *system); /* columns of B */
const phx_csr *phx_descriptor_E(const phx_descriptor *system);
const phx_csr *phx_descriptor_J(const phx_descriptor *system);
const phx_csr *phx_descriptor_R(const phx_descriptor *system);
const phx_csr *phx_descriptor_Q(const phx_descriptor *system); /* NULL: a frozen nonlinear system */
const phx_csr *phx_descriptor_B(const phx_descriptor *system);
int phx_descriptor_ports(const phx_descriptor *system);
const char *phx_descriptor_port_name(const phx_descriptor *system, int port);
/* First column in B, and number of columns (may be NULL). */
int phx_descriptor_port_columns(const phx_descriptor *system, int port, int *size);
/* Port of that name or full name; -1 when there is none. */
int phx_descriptor_find_port(const phx_descriptor *system, const char *name);

/* ---- the equations; arrays have n entries, u and y one for each input ---- */
/* rhs = (J - R) z + B u, which is E e_dot. u NULL: zero. */
void phx_descriptor_rates(const phx_descriptor *system, const double *z, const double *u, double *rhs);
void phx_descriptor_outputs(const phx_descriptor *system, const double *z, double *y); /* y = B^T z */
double phx_descriptor_dissipation(const phx_descriptor *system, const double *z);      /* z^T R z, W */
/* z = Q e and H = 1/2 e^T E^T Q e; PHX_ERR_UNSUPPORTED for a frozen nonlinear system. */
phx_status phx_descriptor_efforts(phx_context *context, const phx_descriptor *system, const double *e, double *z);
phx_status phx_descriptor_energy(phx_context *context, const phx_descriptor *system, const double *e, double *energy);

/* What the structure is worth, in the largest absolute entry of each matrix. */
typedef struct phx_descriptor_structure {
    double skew;               /* max |J + J^T| */
    double dissipation;        /* max |R - R^T| */
    double descriptor;         /* max |E - E^T| */
    double energy;             /* max |E^T Q - Q^T E|; 0 for a frozen nonlinear system */
    double E_least, E_largest; /* eigenvalues of (E + E^T)/2: >= 0, multipliers make zeros */
    double R_least;            /* least eigenvalue of R: >= 0 */
    double H_least;            /* least eigenvalue of E^T Q; 0 for a frozen nonlinear system */
    int algebraic;             /* rows of E without an entry that is not zero */
} phx_descriptor_structure;
/* Dense: n^2 memory, n^3 work. */
phx_status phx_descriptor_check(phx_context *context, const phx_descriptor *system,
                                phx_descriptor_structure *structure);

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
 */
phx_status phx_descriptor_gyrator(phx_context *context, const phx_descriptor *system, const char *port_1,
                                  const char *port_2, const double *C, phx_descriptor **connected);
phx_status phx_descriptor_transformer(phx_context *context, const phx_descriptor *system, const char *port_1,
                                      const char *port_2, const double *C, phx_descriptor **connected);
/* Change of causality (43): input and output of a port trade places; the old input becomes a multiplier, which comes
 * last and is the new output.
 *
 *   | E  0 | | e_dot      |   |  J - R   B | | z      |   | 0 |
 *   | 0  0 | | lambda_dot | = | -B^T     0 | | lambda | + | I | u,   y = lambda
 */
phx_status phx_descriptor_exchange(phx_context *context, const phx_descriptor *system, const char *port,
                                   phx_descriptor **exchanged);
/* The same with the new input held at zero for good: 0 = B^T z, e.g. a support. The port is used up. */
phx_status phx_descriptor_hold(phx_context *context, const phx_descriptor *system, const char *port,
                               phx_descriptor **held);

/* ---- elimination of multipliers (47) ---- */
/* The multipliers are the rows where E vanishes: 0 = G z_d, with P a basis of null G (orthonormal, by QR) and T one of
 * null (G Q),
 *
 *     P^T E T e^_dot = P^T (J - R) P z^ + P^T B u,   z^ = P^T Q T e^,   y = (P^T B)^T z^
 *
 * an ordinary pH system of the same energy and transfer function; T = P where Q leaves the constrained efforts alone,
 * as in the paper, whose Q is the identity. Redundant rows of G (below `rtol` of the largest, 0: 1e-12) drop out.
 * `basis` (may be NULL) receives T as n x n_reduced with rows of zeros at the multipliers: e = basis e^ there; free
 * with phx_csr_free. PHX_ERR_UNSUPPORTED when a port acts on a multiplier (improper, named), a multiplier on itself or
 * dissipates, the system is frozen, or a constraint holds an effort that stores no energy (index 3). Dense work. */
phx_status phx_descriptor_eliminate(phx_context *context, const phx_descriptor *system, double rtol, phx_csr *basis,
                                    phx_descriptor **reduced);
/* Standard form with the change of variable x = E e:  x_dot = (J - R) Q E^-1 x + B u. PHX_SINGULAR for a singular E
 * (eliminate the multipliers first). */
phx_status phx_descriptor_standard(phx_context *context, const phx_descriptor *system, phx_descriptor **standard);

#ifdef __cplusplus
}
#endif
#endif
