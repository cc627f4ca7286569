/* Private to layer system: derivatives of what the linearised system has for inputs and outputs. */
#ifndef PHX_SYSTEM_CHANNELS_H
#define PHX_SYSTEM_CHANNELS_H

#include "system/system_internal.h"

/* A motion: of a point along one of its directions, or of a coordinate of a joint. */
typedef struct motion {
    int point, component;  /* of the catalog; -1: of a joint */
    int joint, coordinate; /* -1: of a point */
    int input;             /* the input that is its effort, else -1 */
    int held;              /* the row of H where it is prescribed, else -1 */
} motion;

/* The kinds of things that have a name. */
typedef enum entry_kind { ENTRY_MOTION, ENTRY_LOAD, ENTRY_COLUMN } entry_kind;
typedef enum motion_part { PART_EFFORT, PART_ACCELERATION, PART_RATE, PART_POSITION, MOTION_PARTS } motion_part;
typedef struct entry {
    char *name;
    entry_kind kind;
    int index; /* motion, force, column */
    int part;  /* motion_part; component of a load; 0 */
} entry;

typedef struct catalog {
    const phx_system *system;
    int n_entries, n_motions, n_points;
    int cap_entries, cap_motions, cap_points;
    entry *entries;
    motion *motions;
    struct catalog_point {
        char *name;
        const port_slot *place;
        port_slot *own; /* of BODY@S, else NULL */
    } * points;
    int *first_motion; /* of each joint */
} catalog;
phx_status phx_sys_catalog_create(const phx_system *system, catalog *list);
void phx_sys_catalog_free(catalog *list);
/* Entry of that name for an input or an output; adds the point of BODY@S. NULL when there is none or on failure
 * (`status`). */
const entry *phx_sys_catalog_find(catalog *list, const char *name, bool input, phx_status *status);
/* The message for a name that is not there (phx_nearest_hint). */
phx_shown phx_sys_catalog_hint(const catalog *list, const char *name, bool input);

/* ---- derivatives, as triplets ---- */
typedef enum jacobian_part {
    JACOBIAN_F, /* inputs x n: transposed */
    JACOBIAN_H,
    JACOBIAN_Q,
    JACOBIAN_V,
    JACOBIAN_A,
    JACOBIAN_L, /* columns: rows of the system */
    JACOBIAN_MU,
    JACOBIAN_U,
    JACOBIAN_PARTS
} jacobian_part;
typedef struct jacobian_entries {
    int *row, *col;
    double *val;
    size_t count, capacity;
} jacobian_entries;
typedef struct jacobian_rows {
    workspace *ws;
    const catalog *list;
    double t;
    const double *all; /* multipliers at the point, of all rows of the system */
    const int *row;    /* where component k of an output goes; -1: nowhere */
    jacobian_entries part[JACOBIAN_PARTS];
    phx_status status; /* of the first failure; nothing is added after it */
} jacobian_rows;
void phx_sys_jacobian_free(jacobian_rows *rows);
void phx_sys_jacobian_add(jacobian_rows *rows, jacobian_part part, int row, int col, double value);
/* Covector of the angular velocity of a section: plane (angle + atan theta)', space about `axis` in body axes. */
void phx_sys_turn_covector(const phx_port_view *view, const double *axis, double *covector);
/* covector . P of a port of the system, of a point: a row over xi. */
void phx_sys_jacobian_add_port(jacobian_rows *rows, jacobian_part part, int row, phx_port_id port,
                               const double *covector);
void phx_sys_jacobian_add_motion(jacobian_rows *rows, jacobian_part part, int row, const motion *what);
/* factor times a free coordinate of a joint */
void phx_sys_jacobian_add_coordinate(jacobian_rows *rows, jacobian_part part, int row, int joint, int coordinate,
                                     double factor);
/* The effort along a coordinate of a joint (phx_system_channels). */
void phx_sys_jacobian_add_effort(jacobian_rows *rows, int row, int joint, int coordinate);

/* Rows of joints and of locked drives: those that carry a multiplier, and where redundant rows share in them,
 * lambda_of_all_rows = share lambda. */
typedef struct constraint_rows {
    int count;     /* independent ones */
    int *row;      /* rows of the system: independent ones, then redundant ones */
    int redundant; /* number of the latter */
    double *share; /* (count + redundant) x count; NULL: nothing is redundant */
    phx_csr all;   /* G of all of them */
} constraint_rows;
void phx_sys_constraint_rows_free(constraint_rows *rows);
/* At the current instant view, whose ports have their Jacobians. */
phx_status phx_sys_constraint_rows_find(workspace *ws, const double *x, const catalog *list, constraint_rows *rows);

/* Rows of an output at the point; the table of quantities is in outputs.c. */
void phx_sys_output_jacobian(jacobian_rows *rows, const output_slot *output);
typedef void phx_sys_jacobian_fn(jacobian_rows *rows, const output_slot *output);
phx_sys_jacobian_fn phx_sys_position_jacobian, phx_sys_velocity_jacobian, phx_sys_acceleration_jacobian,
    phx_sys_angle_jacobian, phx_sys_angular_velocity_jacobian, phx_sys_attitude_jacobian, phx_sys_deformation_jacobian,
    phx_sys_stress_jacobian, phx_sys_reaction_jacobian, phx_sys_coordinate_jacobian, phx_sys_rate_jacobian,
    phx_sys_effort_jacobian, phx_sys_force_jacobian;

/* ---- stresses of bodies on a mesh (stresses.c) ---- */
/* The rows of an output whose name and definition are set. PHX_ERR_ARGUMENT when the body does not have the quantity.
 */
phx_status phx_sys_stresses_prepare(const phx_system *system, output_slot *output);
const char *phx_sys_stresses_names(const output_slot *output); /* components, '|' between them */
const char *phx_sys_stresses_unit(const output_slot *output);
void phx_sys_stresses_evaluate(const workspace *ws, const output_slot *output, double t, double *out);
phx_sys_jacobian_fn phx_sys_stresses_jacobian;

#endif
