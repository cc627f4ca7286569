/* The rules of the standard about modelDescription.xml. */
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_identifier(const char *text)
{
    if (!text || !(isalpha((unsigned char)*text) || *text == '_'))
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    const phx_fmu_variable *const *p = a, *const *q = b;
    return strcmp((*p)->name, (*q)->name);
}

static void check_names(const phx_fmu_model *model, phx_fmu_findings *findings)
{
    const phx_fmu_variable **sorted = calloc((size_t)model->n_variables + 1, sizeof *sorted);

    for (int k = 0; k < model->n_variables && sorted; k++)
        sorted[k] = &model->variables[k];
    if (sorted)
        qsort(sorted, (size_t)model->n_variables, sizeof *sorted, compare_names);
    for (int k = 1; k < model->n_variables && sorted; k++)
        if (!strcmp(sorted[k]->name, sorted[k - 1]->name))
            phx_fmu_find(findings, "two variables have the name '%s'", sorted[k]->name);
    free(sorted);
}

static bool has_unit(const phx_fmu_model *model, const char *unit)
{
    for (int k = 0; k < model->n_units; k++)
        if (model->units[k] && !strcmp(model->units[k], unit))
            return true;
    return false;
}

static void check_variable(const phx_fmu_model *model, const phx_fmu_variable *it, phx_fmu_findings *findings)
{
    const bool needs_start = it->causality == PHX_FMU_INPUT || it->causality == PHX_FMU_PARAMETER ||
                             it->causality == PHX_FMU_STRUCTURAL || it->initial == PHX_FMU_EXACT ||
                             it->initial == PHX_FMU_APPROX;

    if (it->causality == PHX_FMU_CAUSALITIES)
        phx_fmu_find(findings, "'%s': its causality is none of the standard's", it->name);
    if (it->reference == (unsigned)-1)
        phx_fmu_find(findings, "'%s' has no value reference", it->name);
    if (needs_start && !it->start && it->type == PHX_FMU_REAL && !it->array)
        phx_fmu_find(findings,
                     "'%s' needs a start value, as an input, a parameter or a variable whose initial is "
                     "exact or approx",
                     it->name);
    if (it->start && (it->causality == PHX_FMU_INDEPENDENT ||
                      (it->initial == PHX_FMU_CALCULATED && it->causality != PHX_FMU_CALCULATED_PARAMETER)))
        phx_fmu_find(findings, "'%s' has a start value, but its value is calculated", it->name);
    if (it->causality == PHX_FMU_PARAMETER && it->variability && strcmp(it->variability, "fixed") != 0 &&
        strcmp(it->variability, "tunable") != 0)
        phx_fmu_find(findings, "'%s': the variability of a parameter is '%s', expected fixed or tunable", it->name,
                     it->variability);
    if (it->unit && !has_unit(model, it->unit))
        phx_fmu_find(findings, "'%s': the unit '%s' is not defined", it->name, it->unit);
}

/* ---- structure ---- */
/* The variable that an unknown is; NULL: there is none. */
static const phx_fmu_variable *variable_of(const phx_fmu_model *model, const phx_fmu_unknown *unknown)
{
    if (model->version == 2)
        return unknown->of >= 1 && unknown->of <= model->n_variables ? &model->variables[unknown->of - 1] : NULL;
    for (int k = 0; k < model->n_variables && unknown->of >= 0; k++)
        if (model->variables[k].reference == (unsigned)unknown->of)
            return &model->variables[k];
    return NULL;
}

/* Whether a variable is the derivative of a state, or such a state. */
static bool is_of_state(const phx_fmu_model *model, const phx_fmu_variable *it)
{
    if (it->derivative >= 0)
        return true;
    for (int k = 0; k < model->n_variables; k++) {
        const long of = model->variables[k].derivative;
        if (of >= 0 && (model->version == 2 ? of == it - model->variables + 1 : (unsigned)of == it->reference))
            return true;
    }
    return false;
}

static bool is_initial_unknown(const phx_fmu_model *model, const phx_fmu_variable *it)
{
    const bool unknown = it->initial == PHX_FMU_APPROX || it->initial == PHX_FMU_CALCULATED;

    if (it->causality == PHX_FMU_CALCULATED_PARAMETER)
        return true;
    return unknown && it->causality != PHX_FMU_INDEPENDENT && it->causality != PHX_FMU_PARAMETER &&
           (it->causality == PHX_FMU_OUTPUT || is_of_state(model, it));
}

static int times_listed(const phx_fmu_model *model, const phx_fmu_variable *it, int kind)
{
    int count = 0;
    for (int k = 0; k < model->n_unknowns; k++)
        count += model->unknowns[k].kind == kind && variable_of(model, &model->unknowns[k]) == it;
    return count;
}

static void check_structure(const phx_fmu_model *model, phx_fmu_findings *findings)
{
    static const char *const lists[] = {"outputs", "derivatives", "initial unknowns"};

    for (int k = 0; k < model->n_unknowns; k++) {
        const phx_fmu_unknown *it = &model->unknowns[k], *before = k > 0 ? it - 1 : NULL;
        if (!variable_of(model, it))
            phx_fmu_find(findings, "the structure of the model lists variable %ld, which is not there", it->of);
        else if (it->kind == 1 && variable_of(model, it)->derivative < 0)
            phx_fmu_find(findings, "'%s' is listed among the derivatives, but is that of no variable",
                         variable_of(model, it)->name);
        if (model->version == 2 && before && before->kind == it->kind && it->of <= before->of)
            phx_fmu_find(findings, "the %s are not in ascending order at variable %ld", lists[it->kind], it->of);
    }
    for (int k = 0; k < model->n_variables; k++) {
        const phx_fmu_variable *it = &model->variables[k];
        const bool output = it->causality == PHX_FMU_OUTPUT;
        const int listed = times_listed(model, it, 0), initial = times_listed(model, it, 2);
        if (output && it->type == PHX_FMU_REAL && listed != 1)
            phx_fmu_find(findings, "the output '%s' is listed %d times among the outputs of the structure", it->name,
                         listed);
        if (!output && listed > 0)
            phx_fmu_find(findings, "'%s' is listed among the outputs, but is none", it->name);
        if (it->type == PHX_FMU_REAL && !it->array && is_initial_unknown(model, it) != (initial == 1))
            phx_fmu_find(findings, "'%s' is %s the initial unknowns", it->name,
                         initial == 0 ? "missing among" : "without reason among");
    }
}

void phx_fmu_check_model(const phx_fmu_model *model, phx_fmu_findings *findings)
{
    if (!model->name || !*model->name)
        phx_fmu_find(findings, "the model has no name");
    if (!model->token || !*model->token)
        phx_fmu_find(findings, "there is no %s", model->version == 2 ? "guid" : "instantiation token");
    if (!model->identifier && !model->exchange_identifier)
        phx_fmu_find(findings, "there is neither co-simulation nor model exchange with a model identifier");
    if (model->identifier && !is_identifier(model->identifier))
        phx_fmu_find(findings, "the model identifier '%s' is no name of C", model->identifier);
    check_names(model, findings);
    for (int k = 0; k < model->n_variables; k++)
        check_variable(model, &model->variables[k], findings);
    check_structure(model, findings);
}
