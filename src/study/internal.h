/* Layer study, private: what analyses share. */
#ifndef PHLEXOR_STUDY_INTERNAL_H
#define PHLEXOR_STUDY_INTERNAL_H

#include <phlexor/study.h>

/* The system of a model at its start state. */
typedef struct phx_start_point {
    phx_system *system;
    phx_dae *dae;
    double *x, *v, *lambda;
} phx_start_point;
/* quasi_static: with the deformations in equilibrium. multipliers: lambda is wanted, NULL else. */
phx_status phx_start_point_create(phx_context *context, const phx_model *model, const phx_build_options *options,
                                  bool quasi_static, bool multipliers, phx_start_point *point);
void phx_start_point_free(phx_start_point *point); /* frees and zeroes the fields */

/* What a recorder needs to know of the bodies of a system: places in the state and polylines. */
typedef struct phx_drawing {
    int n_bodies;
    phx_record_body *bodies;
    double **points, **shapes; /* n_bodies, owned */
} phx_drawing;
phx_status phx_drawing_create(phx_context *context, const phx_model *model, const phx_system *system,
                              phx_drawing *drawing);
void phx_drawing_free(phx_drawing *drawing);

/* The recorder of a simulation at work. */
typedef struct phx_recording {
    phx_context *context;
    phx_system *system;
    phx_dae *dae; /* its own workspace, so that sampling leaves the integrator's alone */
    phx_recorder *recorder;
    phx_simulate_report *report;
    int n_columns;
    double *row;
    double *before; /* the row before */
    bool started;
    double energy0; /* J, at the first instant */
} phx_recording;

enum { PHX_FIXED_COLUMNS = 10 }; /* t ... drift_rate, before the outputs */

/* Open the files and get ready; `drawing` is copied. */
phx_status phx_recording_create(phx_context *context, const phx_model *model, phx_system *system,
                                const phx_drawing *drawing, const phx_simulate_options *options,
                                phx_simulate_report *report, phx_recording *recording);
phx_status phx_recording_sample(void *recording, const phx_sample *sample); /* a phx_sample_fn */
/* Complete the result, or leave what there is when `status` is not PHX_OK; returns the status of the whole. */
phx_status phx_recording_finish(phx_recording *recording, phx_status status);
void phx_recording_free(phx_recording *recording);

/* Add a residual of the structure; `name` is static. */
void phx_linear_report_residual(phx_linear_report *report, const char *name, double value);
/* Poles and DC gain of the report's system, and what the bundle has beside the form. */
phx_status phx_linear_report_fill(phx_context *context, const phx_model *model, phx_linear_report *report);

#endif
