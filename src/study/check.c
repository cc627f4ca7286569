/* The structure certificate of a model. */
#include "internal.h"

#include <math.h>
#include <string.h>

void phx_check_report_free(phx_check_report *report)
{
    if (!report)
        return;
    phx_free(report->redundant);
    *report = (phx_check_report){0};
}

/* Redundant rows, their joints named by the model's own strings. */
static phx_status list_redundant(phx_context *context, const phx_model *model, const phx_system *system,
                                 phx_check_report *report)
{
    report->n_redundant = phx_system_redundant(system);
    report->redundant = phx_calloc(context, (size_t)report->n_redundant, sizeof *report->redundant);
    if (!report->redundant)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < report->n_redundant; k++) {
        const char *name = "";
        phx_system_redundant_row(system, k, &name, &report->redundant[k].row);
        const int joint = phx_model_find_joint(model, name);
        report->redundant[k].joint = joint >= 0 ? model->joints[joint].name : "";
    }
    return PHX_OK;
}

phx_status phx_check_point(phx_context *context, const phx_model *model, const phx_start_point *at,
                           phx_check_report *report)
{
    *report = (phx_check_report){.dimension = model->dimension};
    phx_status status = phx_model_blame(
        context, model, phx_system_certify(at->dae, 0.0, at->x, at->v, at->lambda, &report->certificate));
    if (!status)
        status = list_redundant(context, model, at->system, report);
    if (status)
        phx_check_report_free(report);
    return status;
}

phx_status phx_study_check(phx_context *context, const phx_model *model, phx_check_report *report)
{
    if (!model || !report)
        return phx_fail_null(context, __func__, "model or report");
    const phx_build_options options = {.without_outputs = false};
    phx_start_point at = {0};

    *report = (phx_check_report){0};
    phx_status status = phx_start_point_create(context, model, &options,
                                               model->initial.deformation == PHX_MODEL_QUASI_STATIC, true, &at);
    if (!status)
        status = phx_check_point(context, model, &at, report);
    phx_start_point_free(&at);
    return phx_conclude(context, status);
}
