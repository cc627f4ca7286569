/* phlexor fmu --check: what an FMU of anybody is worth. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- findings ---- */
struct phx_fmu_findings {
    phx_context *context;
    phx_fmu_check_report *report;
    bool no_memory;
};
enum { MOST_FINDINGS = 100 };

/* Adds a finding to the report unless the same text is there or MOST_FINDINGS is reached. */
void phx_fmu_find(phx_fmu_findings *findings, const char *format, ...)
{
    phx_fmu_check_report *report = findings->report;
    char text[1200];
    va_list arguments;

    if (report->n_findings == MOST_FINDINGS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (int k = 0; k < report->n_findings; k++)
        if (!strcmp(report->findings[k], text))
            return;
    char **more =
        phx_realloc(findings->context, report->findings, (size_t)report->n_findings + 1, sizeof *report->findings);
    if (more) {
        report->findings = more;
        more[report->n_findings] = phx_strdup(findings->context, text);
        report->n_findings += more[report->n_findings] != NULL;
    }
    findings->no_memory = findings->no_memory || !more;
}

void phx_fmu_check_report_free(phx_fmu_check_report *report)
{
    if (!report)
        return;
    for (int k = 0; k < report->n_findings; k++)
        phx_free(report->findings[k]);
    phx_free(report->findings);
    *report = (phx_fmu_check_report){0};
}

/* ---- the check ---- */
static bool leaves_folder(const char *identifier)
{
    return identifier && strchr(identifier, '/');
}

/* Its bytes from the archive. */
static phx_status read_model(phx_context *context, const char *path, phx_fmu_model *model)
{
    char *bytes = NULL;
    size_t size = 0;
    phx_status status = phx_fmu_unpack_one(context, path, "modelDescription.xml", &bytes, &size);

    if (!status)
        status = phx_fmu_read_model(context, bytes, size, model);
    phx_free(bytes);
    return status;
}

/* Checks the description of an unpacked FMU and, with `run`, its calls; an unreadable description is a finding, not
 * a failure. */
static phx_status check_unpacked(phx_context *context, const char *path, const char *folder, bool run,
                                 phx_fmu_findings *findings)
{
    phx_fmu_check_report *report = findings->report;
    phx_fmu_model model;
    phx_status status = read_model(context, path, &model);

    if (status == PHX_ERR_INPUT) {
        phx_fmu_find(findings, "%s", phx_context_message(context));
        return PHX_OK;
    }
    if (status)
        return status;
    report->version = model.version;
    report->variables = model.n_variables;
    report->co_simulation = model.identifier != NULL;
    report->model_exchange = model.exchange_identifier != NULL;
    snprintf(report->name, sizeof report->name, "%s", model.name ? model.name : "");
    phx_fmu_check_model(&model, findings);
    if (run && (model.identifier || model.exchange_identifier) && model.token && !model.needs_tool &&
        !leaves_folder(model.identifier) && !leaves_folder(model.exchange_identifier))
        status = phx_fmu_check_calls(context, &model, folder, findings, report);
    phx_fmu_free_model(&model);
    return status;
}

/* Unpacks and checks an FMU; violations of the standard go to the report, and only files and memory fail. */
phx_status phx_fmu_check(phx_context *context, const char *path, bool run, phx_fmu_check_report *report)
{
    if (!path || !report)
        return phx_fail_null(context, __func__, "path or report");
    phx_fmu_findings findings = {.context = context, .report = report};
    phx_fmu_folder folder = {NULL};

    *report = (phx_fmu_check_report){0};
    phx_status status = phx_fmu_unpack(context, path, &folder);
    if (status == PHX_ERR_INPUT) {
        phx_fmu_find(&findings, "%s", phx_context_message(context));
        status = PHX_OK;
    } else if (!status) {
        status = check_unpacked(context, path, folder.path, run, &findings);
    }
    phx_fmu_remove(&folder);
    if (!status && findings.no_memory)
        status = PHX_ERR_MEMORY;
    if (status)
        phx_fmu_check_report_free(report);
    return phx_conclude(context, status);
}
