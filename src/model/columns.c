/* Expressions of t and y(NAME) with the parameters of a model, for analyses. */
#include "model.h"
#include "reader.h"
#include "expression.h"

#include <string.h>

void phx_expression_of_columns_free(phx_expression_of_columns *measured)
{
    for (int k = 0; k < measured->count; k++)
        phx_free(measured->names[k]);
    phx_free(measured->names);
    phx_program_destroy(measured->program);
    *measured = (phx_expression_of_columns){0};
}

/* Copies the names that phx_expression_measures has found. */
static phx_status copy_column_names(phx_context *context, int count, char names[PHX_MAX_MEASURES][PHX_MAX_MEASURE_NAME],
                                    phx_expression_of_columns *measured)
{
    measured->names = phx_calloc(context, (size_t)count + 1, sizeof *measured->names);
    if (!measured->names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        measured->names[k] = phx_strdup(context, names[k]);
        if (!measured->names[k])
            return PHX_ERR_MEMORY;
        measured->count++;
    }
    return PHX_OK;
}

/* Splits off the names of y(NAME), then compiles what is left. */
phx_status phx_model_expression_of_columns(phx_context *context, const phx_model *model, const char *text,
                                           phx_expression_of_columns *measured)
{
    typedef struct room {
        char names[PHX_MAX_MEASURES][PHX_MAX_MEASURE_NAME], text[PHX_EXPRESSION_MAX + 1];
        phx_expression expression;
    } room;
    room *r = phx_calloc(context, 1, sizeof *r);
    phx_evaluator *evaluator = NULL;
    int count = 0;
    phx_status status = r ? phx_evaluator_create(context, &evaluator) : PHX_ERR_MEMORY;

    *measured = (phx_expression_of_columns){0};
    if (!status && strlen(text) > PHX_EXPRESSION_MAX)
        status = phx_fail(context, PHX_ERR_INPUT, "an expression of more than %d characters", PHX_EXPRESSION_MAX);
    if (!status) {
        memcpy(r->text, text, strlen(text) + 1);
        phx_evaluator_set_parameters(evaluator, model->parameters, &model->store->content.parameters, NULL);
        if (!phx_expression_measures(&r->expression, r->text, &count, r->names))
            status = phx_fail(context, PHX_ERR_INPUT, "%s", r->expression.error);
    }
    if (!status) {
        status = phx_evaluator_measure_function(evaluator, r->text, &measured->program);
        if (status == PHX_ERR_INPUT)
            phx_fail(context, status, "%s", phx_evaluator_expression(evaluator)->error);
    }
    if (!status)
        status = copy_column_names(context, count, r->names, measured);
    phx_evaluator_destroy(evaluator);
    phx_free(r);
    if (status)
        phx_expression_of_columns_free(measured);
    return status;
}
