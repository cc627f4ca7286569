/* Shared by the files of minimal coordinates: the coordinates that may be chosen, and the matrices of the rows. */
#ifndef PHX_MINIMAL_INTERNAL_H
#define PHX_MINIMAL_INTERNAL_H

#include "minimal.h"

typedef enum choice_kind { CHOICE_JOINT, CHOICE_SHAPE, CHOICE_TURN, CHOICE_PLACE, CHOICE_KINDS } choice_kind;

/* A coordinate that may be chosen. */
typedef struct choice {
    choice_kind kind;
    int joint, number; /* of a joint */
    bool open;         /* of one that does not hold: it is not chosen */
    int body;
    int x, v; /* of the frame; of the deformation */
    int component;
} choice;

struct phx_minimal {
    phx_context *context;
    phx_system *system;
    phx_dae *dae; /* of its own */
    phx_equations e;
    int dim;
    /* y: coordinates of the drives, then as many as contacts have rows that stick, then others; u: rates of the last */
    int n_drives, n_rolling, n_free;
    int n_candidates;
    choice *candidates;
    int *chosen;        /* n_drives + n_rolling + n_free, numbers of candidates */
    int *driven;        /* n_drives: rows of the drives, and of friction that sticks, a drive at rest */
    double *x0;         /* n_x: where turns are counted from */
    double *x_before;   /* n_x: where Newton's iteration began */
    double *unit;       /* n_v: velocity of which the kinetic energy is 1/2 */
    double *omega;      /* n_v: of a deformation by itself, rad/s; 0: none */
    double size;        /* m, of the mechanism */
    double stretch0[2]; /* of the rates, of the places: at the choice */
    int n_solved;       /* velocities that are solved for: all but the chosen deformations */
    int *solved;        /* n_v */
    double *J;          /* n_v x n_v: rows of the joints, of the chosen coordinates but deformations with a rate in u */
    double *A;          /* n_v x n_v */
    double *rhs;        /* n_v x n_v */
    double *v, *a;      /* n_v: scratch */
};

static inline phx_coordinate_view coordinate_of(const phx_minimal *m, const choice *coordinate)
{
    return phx_system_coordinate(m->system, coordinate->joint, coordinate->number);
}

static inline const choice *chosen(const phx_minimal *m, int k)
{
    return &m->candidates[m->chosen[k]];
}

/* Numbers in y: of the first coordinate whose rate is in u, and of all. */
static inline int first_free(const phx_minimal *m)
{
    return m->n_drives + m->n_rolling;
}

static inline int all_chosen(const phx_minimal *m)
{
    return m->n_drives + m->n_rolling + m->n_free;
}

/* Row k is one on the slip of a contact that sticks. */
static inline bool is_rolling(const phx_minimal *m, int k)
{
    const phx_row_view row = phx_system_row(m->dae, k);

    return row.driven && phx_system_joint(m->system, row.joint).contact;
}

/* Which square matrix: that of velocities, or that of places, where coordinates stand for what rolls. */
typedef enum matrix_kind { OF_RATES, OF_PLACES } matrix_kind;

/* ---- rows.c ---- */
/* Everything at an instant: views of the ports, rows of the joints. */
void phx_minimal_look(phx_minimal *m, double t, const double *x, const double *v);
/* R0^T R as a rotation vector, R0 the attitude at the choice. */
void phx_minimal_turn(const phx_minimal *m, const choice *coordinate, const double *x, double phi[3]);
/* The value of a coordinate. */
double phx_minimal_value(const phx_minimal *m, const choice *coordinate, const double *x);
/* The row C of a coordinate at the current instant, C v its rate, and with `biased` C_dot v. */
double phx_minimal_row(phx_minimal *m, const choice *coordinate, const double *x, const double *v, bool biased,
                       double *row);
/* The row of the joints number k, over all velocities. */
void phx_minimal_fill_joint(phx_minimal *m, int k, double *row);
/* Rows of the joints; then those of the chosen coordinates but deformations. The instant is looked at. */
void phx_minimal_fill(phx_minimal *m, matrix_kind of, const double *x, const double *v);
/* Solves over the velocities that are solved for, in units of `unit`; rhs n_solved x count. */
phx_status phx_minimal_solve_square(phx_minimal *m, int count);

/* ---- choice.c ---- */
int phx_minimal_count_candidates(const phx_system *system);
void phx_minimal_list_candidates(phx_minimal *m);
/* Of all velocities: unit and omega. */
phx_status phx_minimal_find_units(phx_minimal *m);
/* The velocities that are solved for: all but the chosen deformations. */
void phx_minimal_list_solved(phx_minimal *m);

#endif
