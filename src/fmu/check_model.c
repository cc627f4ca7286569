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

static int check_model_compare_names(const void *a, const void *b)
{
    const phx_fmu_variable *const *p = a, *const *q = b;
    return strcmp((*p)->name, (*q)->name);
}

static void check_model_check_names(const phx_fmu_model *model, phx_fmu_findings *findings)
{
    const phx_fmu_variable **sorted = calloc((size_t)model->n_variables + 1, sizeof *sorted);

    for (int k = 0; k < model->n_variables && sorted; k++)
        sorted[k] = &model->variables[k];
    if (sorted)
        qsort(sorted, (size_t)model->n_variables, sizeof *sorted, check_model_compare_names);
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

/* Findings about one variable: causality, value reference, start value, variability and unit. */
static void check_variable(const phx_fmu_model *model, const phx_fmu_variable *variable, phx_fmu_findings *findings)
{
    const bool needs_start = variable->causality == PHX_FMU_INPUT || variable->causality == PHX_FMU_PARAMETER ||
                             variable->causality == PHX_FMU_STRUCTURAL || variable->initial == PHX_FMU_EXACT ||
                             variable->initial == PHX_FMU_APPROX;

    if (variable->causality == PHX_FMU_CAUSALITIES)
        phx_fmu_find(findings, "'%s': its causality is none of the standard's", variable->name);
    if (variable->reference == (unsigned)-1)
        phx_fmu_find(findings, "'%s' has no value reference", variable->name);
    if (needs_start && !variable->start && variable->type == PHX_FMU_REAL && !variable->array)
        phx_fmu_find(findings,
                     "'%s' needs a start value, as an input, a parameter or a variable whose initial is "
                     "exact or approx",
                     variable->name);
    if (variable->start &&
        (variable->causality == PHX_FMU_INDEPENDENT ||
         (variable->initial == PHX_FMU_CALCULATED && variable->causality != PHX_FMU_CALCULATED_PARAMETER)))
        phx_fmu_find(findings, "'%s' has a start value, but its value is calculated", variable->name);
    if (variable->causality == PHX_FMU_PARAMETER && variable->variability &&
        strcmp(variable->variability, "fixed") != 0 && strcmp(variable->variability, "tunable") != 0)
        phx_fmu_find(findings, "'%s': the variability of a parameter is '%s', expected fixed or tunable",
                     variable->name, variable->variability);
    if (variable->unit && !has_unit(model, variable->unit))
        phx_fmu_find(findings, "'%s': the unit '%s' is not defined", variable->name, variable->unit);
}

/* ---- structure ---- */
/* What the lists of the structure say of each variable. */
typedef struct structure {
    const phx_fmu_model *model;
    const phx_fmu_variable **by_reference; /* of version 3 */
    int (*listed)[PHX_FMU_LISTS];          /* n_variables: how often in each list */
    bool *is_state;
} structure;

static int compare_references(const void *a, const void *b)
{
    const phx_fmu_variable *const *p = a, *const *q = b;
    const int order = ((*p)->reference > (*q)->reference) - ((*p)->reference < (*q)->reference);
    return order ? order : (*p > *q) - (*p < *q);
}

/* The number of the variable that a list names: its place from 1 in version 2, its reference in version 3; -1: there is
 * none. */
static int variable_of(const structure *s, long of)
{
    const int n = s->model->n_variables;
    int low = 0, high = n;

    if (s->model->version == 2)
        return of >= 1 && of <= n ? (int)of - 1 : -1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if ((long)s->by_reference[middle]->reference < of)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && (long)s->by_reference[low]->reference == of ? (int)(s->by_reference[low] - s->model->variables)
                                                                  : -1;
}

static bool is_initial_unknown(const structure *s, int k)
{
    const phx_fmu_variable *variable = &s->model->variables[k];
    const bool unknown = variable->initial == PHX_FMU_APPROX || variable->initial == PHX_FMU_CALCULATED;

    if (variable->causality == PHX_FMU_CALCULATED_PARAMETER)
        return true;
    return unknown && variable->causality != PHX_FMU_INDEPENDENT && variable->causality != PHX_FMU_PARAMETER &&
           (variable->causality == PHX_FMU_OUTPUT || variable->derivative >= 0 || s->is_state[k]);
}

/* Each entry of a list is a variable, in ascending order; counts how often each variable is listed. */
static void check_lists(const structure *s, phx_fmu_findings *findings)
{
    static const char *const lists[PHX_FMU_LISTS] = {"outputs", "derivatives", "initial unknowns", "event indicators",
                                                     "others"};
    const phx_fmu_model *model = s->model;

    for (int k = 0; k < model->n_unknowns; k++) {
        const phx_fmu_unknown *fmu_unknown = &model->unknowns[k], *before = k > 0 ? fmu_unknown - 1 : NULL;
        const int of = variable_of(s, fmu_unknown->of);
        if (of >= 0)
            s->listed[of][fmu_unknown->kind]++;
        else
            phx_fmu_find(findings, "the structure of the model lists variable %ld, which is not there",
                         fmu_unknown->of);
        if (of >= 0 && fmu_unknown->kind == 1 && model->variables[of].derivative < 0)
            phx_fmu_find(findings, "'%s' is listed among the derivatives, but is that of no variable",
                         model->variables[of].name);
        if (model->version == 2 && before && before->kind == fmu_unknown->kind && fmu_unknown->of <= before->of)
            phx_fmu_find(findings, "the %s are not in ascending order at variable %ld", lists[fmu_unknown->kind],
                         fmu_unknown->of);
    }
}

/* Each variable is in the lists that its causality and its initial value ask for, once. */
static void check_listed(const structure *s, phx_fmu_findings *findings)
{
    for (int k = 0; k < s->model->n_variables; k++) {
        const phx_fmu_variable *variable = &s->model->variables[k];
        const bool output = variable->causality == PHX_FMU_OUTPUT;
        const int listed = s->listed[k][0], initial = s->listed[k][2];
        if (output && variable->type == PHX_FMU_REAL && listed != 1)
            phx_fmu_find(findings, "the output '%s' is listed %d times among the outputs of the structure",
                         variable->name, listed);
        if (!output && listed > 0)
            phx_fmu_find(findings, "'%s' is listed among the outputs, but is none", variable->name);
        if (variable->type == PHX_FMU_REAL && !variable->array && is_initial_unknown(s, k) != (initial == 1))
            phx_fmu_find(findings, "'%s' is %s the initial unknowns", variable->name,
                         initial == 0 ? "missing among" : "without reason among");
    }
}

/* Indexes the variables, so that the time grows as n log n. */
static void check_structure(const phx_fmu_model *model, phx_fmu_findings *findings)
{
    const size_t n = (size_t)model->n_variables;
    structure s = {.model = model,
                   .by_reference = phx_calloc(NULL, n, sizeof *s.by_reference),
                   .listed = phx_calloc(NULL, n, sizeof *s.listed),
                   .is_state = phx_calloc(NULL, n, sizeof *s.is_state)};

    if (s.by_reference && s.listed && s.is_state) {
        for (size_t k = 0; k < n; k++)
            s.by_reference[k] = &model->variables[k];
        qsort(s.by_reference, n, sizeof *s.by_reference, compare_references);
        for (size_t k = 0; k < n; k++) {
            const int of = model->variables[k].derivative >= 0 ? variable_of(&s, model->variables[k].derivative) : -1;
            if (of >= 0)
                s.is_state[of] = true;
        }
        check_lists(&s, findings);
        check_listed(&s, findings);
    }
    phx_free(s.by_reference);
    phx_free(s.listed);
    phx_free(s.is_state);
}

/* Findings about the description: names, token, identifier, variables and model structure. */
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
    check_model_check_names(model, findings);
    for (int k = 0; k < model->n_variables; k++)
        check_variable(model, &model->variables[k], findings);
    check_structure(model, findings);
}
