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

phx_status phx_study_check(phx_context *context, const phx_model *model, phx_check_report *report)
{
    const phx_start_options start = {.quasi_static = model->initial.deformation == PHX_MODEL_QUASI_STATIC};
    const phx_build_options options = {.without_outputs = false};
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    double *x = NULL, *v = NULL, *lambda = NULL;

    *report = (phx_check_report){.dimension = model->dimension};
    phx_status status = phx_model_build(context, model, &options, &system);
    if (!status)
        status = phx_system_dae(system, context, &dae);
    if (!status) {
        x = phx_calloc(context, (size_t)dae->n_x, sizeof *x);
        v = phx_calloc(context, (size_t)dae->n_v, sizeof *v);
        lambda = phx_calloc(context, (size_t)dae->n_l, sizeof *lambda);
        status = x && v && lambda ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_model_blame(context, model, phx_system_start(system, &start, x, v, lambda));
    if (!status)
        status = phx_model_blame(context, model, phx_system_certify(dae, 0.0, x, v, lambda, &report->certificate));
    if (!status)
        status = list_redundant(context, model, system, report);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    phx_free(x);
    phx_free(v);
    phx_free(lambda);
    if (status)
        phx_check_report_free(report);
    return status;
}
