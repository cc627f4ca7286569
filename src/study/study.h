/* Layer study, for the other layers of the library: reports as text. */
#ifndef PHX_STUDY_STUDY_H
#define PHX_STUDY_STUDY_H

#include "equilibrium/equilibrium.h"
#include "events/events.h"
#include "model/model.h"
#include "linear/linear.h"
#include "results/results.h"

#include <phlexor/study.h>

/* The accuracy that was asked for. */
typedef struct phx_accuracy {
    double relative; /* of the largest length of each quantity */
    double absolute; /* in the unit of the quantity, added */
} phx_accuracy;
/* Both 0: none was. */
phx_accuracy phx_accuracy_asked(const phx_model *model, const phx_simulate_options *options);
/* The settings of a simulation, from the model and the options. */
phx_status phx_simulation_settle(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                 phx_integrate_options *used);

/* The events of a model (model->n_events), for the columns of its system; the caller's to free, with texts of the
 * model. PHX_ERR_INPUT where an event is about no output column. */
phx_status phx_events_of_model(phx_context *context, const phx_model *model, const phx_system *system,
                               phx_event **events);

/* The start that the model's `initial` asks for. */
phx_start_options phx_start_of(const phx_model *model);
/* Bodies that the assembly has moved, as a warning (`warn`), or with `initial: {strict: true}` as an error. */
phx_status phx_start_judge(phx_context *context, const phx_model *model, phx_system *system, bool warn);

/* A linear model for reading, to an open stream; the bundle is for files and json. PHX_ERR_FILE when it cannot be
 * written. */
phx_status phx_linear_report_text(phx_context *context, const phx_linear_report *report, FILE *stream);

/* The plants of a sweep for reading, to an open stream. PHX_ERR_FILE when it cannot be written. */
phx_status phx_plants_text(phx_context *context, const phx_plants *plants, FILE *stream);

/* An equilibrium for reading, or as json, with the last row of its result; `path`: of a path. PHX_ERR_FILE when it
 * cannot be written. */
phx_status phx_static_report_text(phx_context *context, const phx_model *model, const phx_study_static_report *report,
                                  const phx_result *result, bool path, FILE *stream);
phx_status phx_static_report_json(phx_context *context, const phx_model *model, const phx_study_static_report *report,
                                  const phx_result *result, FILE *stream);
/* The json in a file. */
phx_status phx_static_report_save(phx_context *context, const phx_model *model, const phx_study_static_report *report,
                                  const phx_result *result, const char *path);

/* A text in double quotes, escaped for json. */
void phx_put_json(FILE *stream, const char *text);

/* ---- pages ---- */
/* phx_study_view with another model of the same mechanism, shown through the first under the `other_name` of the
 * options; NULL: none. */
phx_status phx_study_view_both(phx_context *context, const phx_model *model, const phx_model *other,
                               const phx_report_options *options, const char *html_path, phx_report_size *size);
/* The page of two simulations of a mechanism, likewise. */
phx_status phx_study_motions_page(phx_context *context, const phx_model *model, const phx_model *other,
                                  const phx_report_options *options, const char *html_path);

/* The certificate as json (17 digits) or as a table for reading, to an open stream. PHX_ERR_FILE when it cannot be
 * written. */
phx_status phx_check_report_json(phx_context *context, const phx_check_report *report, FILE *stream);
phx_status phx_check_report_text(phx_context *context, const phx_check_report *report, FILE *stream);

/* Instants of a simulation: the recorded ones nearest to these times, or those of so many hot spots of the body. */
typedef struct phx_load_case_options {
    const char *body;
    int n_times;
    const double *times;
    int worst; /* n_times 0: at least 1 */
} phx_load_case_options;
/* The load cases of a solid or an imported body at instants of the result at `path`, with its parameters, which the
 * model gets. The caller frees the cases, whose texts are of the model. PHX_ERR_INPUT for a result of another model,
 * PHX_ERR_UNSUPPORTED for other bodies and for models with events. */
phx_status phx_study_load_cases(phx_context *context, phx_model *model, const char *path,
                                const phx_load_case_options *options, phx_load_cases *cases);

/* For reading, as json, and as a model file, to an open stream. PHX_ERR_FILE when it cannot be written. */
phx_status phx_import_report_text(phx_context *context, const phx_import_report *report, FILE *stream);
phx_status phx_import_report_json(phx_context *context, const phx_import_report *report, FILE *stream);
phx_status phx_import_report_yaml(phx_context *context, const phx_import_report *report, FILE *stream);

/* ---- plants, one by one (phx_plants_about) ---- */
/* Returned pointers belong to the plants. */
int phx_plants_count(const phx_plants *plants);
int phx_plants_nominal(const phx_plants *plants);                     /* the point, from 0 */
const double *phx_plants_values(const phx_plants *plants, int point); /* of the parameters */
/* Smallest over largest singular value of S: 1 where the plant moves as the nominal one does. */
double phx_plants_least(const phx_plants *plants, int point);
/* NULL where none was asked for. */
const phx_lft *phx_plants_lft(const phx_plants *plants);
/* The contents of a file of the plants. */
const phx_bundle *phx_plants_bundle(const phx_plants *plants);

#endif
