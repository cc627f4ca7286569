/* A simulation as a list of steps, its columns, and the same model at neighbouring parameters; private to the layer
 * sensitivity. */
#ifndef PHX_SENSITIVITY_RUN_H
#define PHX_SENSITIVITY_RUN_H

#include "gradient.h"

/* A model built, at its start state. */
typedef struct phx_built {
    phx_system *system;
    phx_dae *dae; /* plain, but of the run itself */
    double *x, *v, *lambda;
} phx_built;
void phx_built_free(phx_built *built);

/* Columns of a result that follow from the state: t, energies, outputs, columns of controllers. */
enum { COLUMN_TIME, COLUMN_KINETIC, COLUMN_ELASTIC, COLUMN_POTENTIAL, COLUMN_ENERGY, PHX_STATE_COLUMNS };
typedef struct phx_column_names {
    int n;
    const char **names; /* owned, with the texts behind PHX_STATE_COLUMNS */
} phx_column_names;

/* Columns that the objectives of a run follow. */
typedef struct phx_used_columns {
    bool energies, controllers;
    bool *outputs; /* of the system, owned */
} phx_used_columns;

/* States one behind the other, and mean velocities and multipliers of the intervals that led there. */
typedef struct phx_tape_stretch {
    int count, capacity;
    double *x, *v, *vm, *lambda;
} phx_tape_stretch;

/* The accepted states of a run, numbered by rows (run_tape.c). */
typedef struct phx_tape {
    int rows, capacity;
    double *t, *values;    /* of all rows: time, and the values of the distinct expressions */
    int stride;            /* rows from one that is kept to the next; INT_MAX: all are in `near` */
    phx_tape_stretch kept; /* lambda: of the sample, to go on from */
    int first;             /* row of the first of `near` */
    phx_tape_stretch near;
} phx_tape;

/* Derivatives of an objective by the values of its expression: zero but at rows first .. last. */
typedef struct phx_run_slope {
    int first, last;
    double *value; /* owned */
} phx_run_slope;
/* That at row r. */
static inline double phx_run_slope_at(const phx_run_slope *slope, int r)
{
    return r < slope->first || r > slope->last ? 0.0 : slope->value[r - slope->first];
}

/* The neighbours of one parameter. */
typedef struct phx_moved {
    double step;
    phx_built at[PHX_DIFFERENCE_PLACES];
    phx_variation_parameter *parameter;
    bool enters;                                            /* the objectives, beside the state */
    phx_objective_program *programs[PHX_DIFFERENCE_PLACES]; /* of the objectives of the run */
} phx_moved;

typedef struct phx_run_gradient {
    phx_context *context;
    phx_neighbour *neighbour;
    int n, m; /* objectives of simulations, parameters */
    const phx_objective *objectives;
    phx_objective_program *programs;
    phx_column_names columns;
    phx_used_columns wanted;
    phx_integrate_options used;
    phx_built run;
    phx_built seen;            /* the same system with a dae to look at states with */
    int n_distinct, *distinct; /* expressions of the objectives; per objective: which */
    phx_variation *variation;
    phx_tape tape;
    phx_moved *moved;     /* m */
    phx_run_slope *slope; /* n */
    int n_s, n_z;         /* n_v + n_z; states of controllers */
    double *xi0, *dv0;    /* m x n_v, m x n_s: variation of the start */
    signed char *side;    /* of limits of controllers at a row */
    double *row;          /* columns */
    double *variables;
    double size; /* of the mechanism, m */
    double gravity[3];
    double *value, *gradient; /* n; n x m */
} phx_run_gradient;

/* run.c: builds the model, runs it and prepares the neighbours. PHX_ERR_UNSUPPORTED: only differences of whole runs. */
phx_status phx_run_gradient_create(phx_context *context, phx_neighbour *neighbour, int n,
                                   const phx_objective *objectives, int m, const int *parameters, double memory,
                                   phx_run_gradient *run);
void phx_run_gradient_free(phx_run_gradient *run);
/* The columns at a state of a built model that are wanted; the others stay as they are. */
phx_status phx_built_columns(const phx_built *built, const phx_used_columns *wanted, double t, const double *x,
                             const double *v, double *columns);
/* Columns of the run and of the neighbours have the branches of limits of controllers that row r has, until they are
 * released. */
phx_status phx_run_hold_limits(phx_run_gradient *run, int r);
void phx_run_release_limits(const phx_run_gradient *run);
/* Whether any objective follows the values of its expression at row r. */
bool phx_run_row_counts(const phx_run_gradient *run, int r);
/* run_tangent.c, run_adjoint.c: the derivatives into run->gradient. */
phx_status phx_run_tangent(phx_run_gradient *run);
phx_status phx_run_adjoint(phx_run_gradient *run);
/* run_tape.c: runs the model; `memory`: bytes of states that are kept. */
phx_status phx_tape_record(phx_run_gradient *run, double memory);
/* Makes rows first .. last, at most a step, be there. */
phx_status phx_tape_load(phx_run_gradient *run, int first, int last);
void phx_tape_free(phx_tape *tape);
/* State of a row that is there. */
static inline const double *phx_tape_x(const phx_run_gradient *run, int r)
{
    return run->tape.near.x + (size_t)(r - run->tape.first) * (size_t)run->run.dae->n_x;
}
static inline const double *phx_tape_v(const phx_run_gradient *run, int r)
{
    return run->tape.near.v + (size_t)(r - run->tape.first) * (size_t)run->run.dae->n_v;
}
/* Loads step k, from row k to row k + 1, into the variation. */
phx_status phx_run_load_step(phx_run_gradient *run, int k);

#endif
