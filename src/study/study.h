/* Layer study, for the other layers of the library: reports as text. */
#ifndef PHX_STUDY_STUDY_H
#define PHX_STUDY_STUDY_H

#include "model/model.h"
#include "linear/linear.h"
#include "results/results.h"

#include <phlexor/study.h>

/* The settings of a simulation, from the model and the options. */
phx_status phx_simulation_settle(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                 phx_integrate_options *used);

/* A linear model for reading, to an open stream; the bundle is for files and json. PHX_ERR_FILE when it cannot be
 * written. */
phx_status phx_linear_report_text(phx_context *context, const phx_linear_report *report, FILE *stream);

/* The certificate as json (17 digits) or as a table for reading, to an open stream. PHX_ERR_FILE when it cannot be
 * written. */
phx_status phx_check_report_json(phx_context *context, const phx_check_report *report, FILE *stream);
phx_status phx_check_report_text(phx_context *context, const phx_check_report *report, FILE *stream);

/* For reading, as json, and as a model file, to an open stream. PHX_ERR_FILE when it cannot be written. */
phx_status phx_import_report_text(phx_context *context, const phx_import_report *report, FILE *stream);
phx_status phx_import_report_json(phx_context *context, const phx_import_report *report, FILE *stream);
phx_status phx_import_report_yaml(phx_context *context, const phx_import_report *report, FILE *stream);

#endif
