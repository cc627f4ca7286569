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
typedef enum slope_part {
    SLOPE_F, /* inputs x n: transposed */
    SLOPE_H,
    SLOPE_Q,
    SLOPE_V,
    SLOPE_A,
    SLOPE_L, /* columns: rows of the system */
    SLOPE_MU,
    SLOPE_U,
    SLOPE_PARTS
} slope_part;
typedef struct slope_list {
    int *row, *col;
    double *val;
    size_t count, capacity;
} slope_list;
typedef struct slopes {
    workspace *ws;
    const catalog *list;
    const double *all; /* multipliers at the point, of all rows of the system */
    const int *row;    /* where component k of an output goes; -1: nowhere */
    slope_list part[SLOPE_PARTS];
    phx_status status; /* of the first failure; nothing is added after it */
} slopes;
void phx_sys_slopes_free(slopes *it);
void phx_sys_slope(slopes *it, slope_part part, int row, int col, double value);
/* Covector of the angular velocity of a section: plane (angle + atan theta)', space about `axis` in body axes. */
void phx_sys_turn_covector(const phx_port_view *view, const double *axis, double *covector);
/* covector . P of a port of the system, of a point: a row over xi. */
void phx_sys_slope_port(slopes *it, slope_part part, int row, phx_port_id port, const double *covector);
void phx_sys_slope_motion(slopes *it, slope_part part, int row, const motion *what);
/* factor times a free coordinate of a joint */
void phx_sys_slope_coordinate(slopes *it, slope_part part, int row, int joint, int coordinate, double factor);
/* The effort along a coordinate of a joint (phx_system_channels). */
void phx_sys_slope_effort(slopes *it, int row, int joint, int coordinate);

/* Rows of joints and of locked drives: those that carry a multiplier, and where redundant rows share in them,
 * lambda_of_all_rows = share lambda. */
typedef struct constraint_rows {
    int count;     /* independent ones */
    int *row;      /* rows of the system: independent ones, then redundant ones */
    int redundant; /* number of the latter */
    double *share; /* (count + redundant) x count; NULL: nothing is redundant */
    phx_csr all;   /* G of all of them */
} constraint_rows;
void phx_sys_constraint_rows_free(constraint_rows *it);
/* At the current instant view, whose ports have their Jacobians. */
phx_status phx_sys_constraint_rows_find(workspace *ws, const double *x, const catalog *list, constraint_rows *it);

/* Rows of an output at the point; the table of quantities is in outputs.c. */
void phx_sys_output_slopes(slopes *it, const output_slot *output);
typedef void phx_sys_slopes_fn(slopes *it, const output_slot *output);
phx_sys_slopes_fn phx_sys_position_slopes, phx_sys_velocity_slopes, phx_sys_acceleration_slopes, phx_sys_angle_slopes,
    phx_sys_angular_velocity_slopes, phx_sys_attitude_slopes, phx_sys_deformation_slopes, phx_sys_stress_slopes,
    phx_sys_reaction_slopes, phx_sys_coordinate_slopes, phx_sys_rate_slopes, phx_sys_effort_slopes;

#endif
