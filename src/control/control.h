/* Layer control, for the other layers of the library: what a controller makes of its measurements. A block knows no
 * system: it takes numbers and gives numbers, at an instant or over an interval of the midpoint rule.
 *
 * Over an interval [t - h/2, t + h/2] measurements y and outputs u are means, and the states go with
 *   z1 - z0 = h z'(z_mean, y),   z_mean = (z0 + z1)/2,
 * eliminated here: u depends on y and z0 alone, and S = du/dy is what Newton's iteration of the system needs. An
 * instant is an interval with h = 0. */
#ifndef PHX_CONTROL_CONTROL_H
#define PHX_CONTROL_CONTROL_H

#include "base/base.h"

#include <phlexor/control.h>

/* The data of a `function` of compiled expressions: phx_controller_programs_evaluate with this as its data. */
typedef struct phx_controller_programs {
    int n_inputs, n_outputs;
    phx_program **programs; /* n_outputs, of the variables t, y; NULL: not there yet */
    double *variables;      /* 1 + n_inputs: scratch */
} phx_controller_programs;
phx_status phx_controller_programs_create(phx_context *context, int n_inputs, int n_outputs,
                                          phx_controller_programs **made);
void phx_controller_programs_evaluate(const void *data, double t, const double *y, double *u); /* a phx_controller_fn */
/* du/dy, n_outputs x n_inputs */
void phx_controller_programs_slopes(const void *data, double t, const double *y, double *S);
void phx_controller_programs_free(void *data);

/* Data of interconnection and damping assignment, a `function` with an `energy`: its inputs are n coordinates and their
 * rates, its outputs efforts along m of these. Programs of t, coordinates and rates: M (n x n), V, M_d, V_d, J_2 (rates
 * in J_2 alone); NULL: not there yet. */
enum { PHX_IDA_PBC_MOST = 8 }; /* coordinates */
typedef struct phx_ida_pbc {
    phx_context *context;
    int n, m;
    phx_program **programs;
    int *actuated;  /* m coordinates */
    double *K_v;    /* m x m: damping that is injected */
    double *region; /* n pairs: where the matching condition is looked at */
    double *room;
} phx_ida_pbc;
static inline int phx_ida_pbc_programs(int n)
{
    return 3 * n * n + 2;
}
/* actuated, K_v, region NULL: zeros, or -1 to 1. */
phx_status phx_ida_pbc_create(phx_context *context, int n, int m, const int *actuated, const double *K_v,
                              const double *region, phx_ida_pbc **made);
void phx_ida_pbc_free(void *data);
void phx_ida_pbc_evaluate(const void *data, double t, const double *y, double *u); /* a phx_controller_fn */
void phx_ida_pbc_energy(const void *data, double t, const double *y, double *values);
void phx_ida_pbc_match(const phx_ida_pbc *pbc, phx_matching *matching);
void phx_ida_pbc_mass(const phx_ida_pbc *pbc, const double *y, double *M); /* n x n, y: 2 n */
void phx_ida_pbc_archive(phx_archive *archive, phx_ida_pbc **data);

/* A controller without its connections, which does not change after its creation. */
typedef struct phx_block phx_block;
/* Takes over what phx_controller_def says, on failure too. PHX_ERR_ARGUMENT for what does not fit together. */
phx_status phx_block_create(phx_context *context, const phx_controller_def *def, phx_block **block);
void phx_block_destroy(phx_block *block); /* NULL is allowed */
/* Allocated when it is read. PHX_ERR_UNSUPPORTED, with the name, for a function that is the program's. */
void phx_block_archive(phx_archive *archive, phx_block **block);
/* Frees what a definition hands over. */
void phx_controller_def_release(const phx_controller_def *def);

int phx_block_n(const phx_block *block);              /* states */
int phx_block_shown(const phx_block *block);          /* those that results show: all or none */
double phx_block_sample_time(const phx_block *block); /* s; 0: continuous */
int phx_block_delay(const phx_block *block);
/* States at the start, n values. */
const double *phx_block_initial(const phx_block *block);
bool phx_block_stores(const phx_block *block); /* its storage is an energy; what it takes is booked by itself */
double phx_block_energy(const phx_block *block, const double *z);
/* A function that knows the energy of the closed loop; it and its rate at t, with the measurements y. */
bool phx_block_closes(const phx_block *block);
void phx_block_closed_energy(const phx_block *block, double t, const double *y, double values[2]);
/* Of interconnection and damping assignment; NULL: it is another kind. */
const phx_ida_pbc *phx_block_ida_pbc(const phx_block *block);
/* A pid that shapes the energy, u = -V'(y) - kd y', V = 1/2 kp (y - r)^2 - f y: continuous, without integral, filter
 * and limits, r and f constant. Where u is the effort along y its loop has the energy V beside that of the mechanism.
 */
bool phx_block_shapes(const phx_block *block);
double phx_block_potential(const phx_block *block, double y);  /* V */
double phx_block_derivative(const phx_block *block, double y); /* V' */
/* Size of `room` below, kept from call to call: one for each thread. Zeros at first. */
size_t phx_block_room(const phx_block *block);

/* One evaluation: u and, where asked for, its derivative, the states at the end and the power that is lost. */
typedef struct phx_block_result {
    double *u;          /* outputs */
    double *S;          /* outputs x inputs; NULL: not asked for */
    double *z1;         /* n; NULL at an instant */
    double dissipation; /* W, of a block that stores */
} phx_block_result;
phx_status phx_block_evaluate(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                              const double *y, double *room, phx_block_result *result);
/* Of a sampled block: u of the sample, z goes on to the next one. */
phx_status phx_block_take_sample(const phx_block *block, phx_context *context, double t, double *z, const double *y,
                                 double *room, double *u);
/* z' at an instant, n values. `room` as above. */
void phx_block_flow(const phx_block *block, double t, const double *z, const double *y, double *room, double *z_dot);
/* About the states z0 at the start of an interval of length h and the mean measurements y in it: the changes of
 * z1 = A z0 + B y and of u = C z0 + D y. Row-major. `room` as above. PHX_ERR_UNSUPPORTED for another program. */
phx_status phx_block_linearise_interval(const phx_block *block, phx_context *context, double t, double h,
                                        const double *z0, const double *y, double *room, double *A, double *B,
                                        double *C, double *D);
/* Which outputs are below (-1) or above (1) their limits, else 0, over an interval or, of a sampled block (h not used),
 * in a sample. */
phx_status phx_block_sides(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                           const double *y, double *room, signed char *side);
/* Holds outputs at these sides of their limits, whatever their values: neighbours of a block then have the derivatives
 * of its branch. The array is borrowed; NULL releases them. */
void phx_block_hold_sides(phx_block *block, const signed char *side);
/* About z and y at an instant: z' = A z + B y, u = C z + D y as changes. Row-major, any may be NULL. `room` as above.
 */
phx_status phx_block_linearise(const phx_block *block, phx_context *context, double t, const double *z, const double *y,
                               double *room, double *A, double *B, double *C, double *D);
/* The same of a sample: z+ = A z + B y, u = C z + D y. PHX_ERR_UNSUPPORTED for another program. */
phx_status phx_block_linearise_sample(const phx_block *block, phx_context *context, double t, const double *z,
                                      const double *y, double *room, double *A, double *B, double *C, double *D);
/* At rest (rest.c): where the states end over a time `span` with the measurements y, u there, and the derivatives. A
 * sampled block is asked as if it were continuous. PHX_NOT_CONVERGED: its equations do not hold so long a time. */
typedef struct phx_block_at_rest {
    double *z;     /* n */
    double *u, *S; /* outputs, outputs x inputs */
    double *by_y;  /* n x inputs: dz/dy */
} phx_block_at_rest;
bool phx_block_rests(const phx_block *block); /* its states are known: not those of an external one */
phx_status phx_block_rest(const phx_block *block, phx_context *context, double t, double span, const double *z0,
                          const double *y, double *room, phx_block_at_rest *result);
const char *phx_controller_kind_name(phx_controller_kind kind); /* "pid"; NULL: no such kind */

#endif
