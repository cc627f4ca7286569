/* Optimisation: the search of a model's key `optimize`, and its result. */
#include "search.h"

#include <math.h>

phx_optimize_options phx_optimize_options_default(void)
{
    return (phx_optimize_options){0};
}

void phx_optimum_free(phx_optimum *optimum)
{
    if (!optimum)
        return;
    phx_free(optimum->rows);
    phx_free(optimum->history);
    *optimum = (phx_optimum){0};
}

/* ---- the search ---- */
static void search_free(phx_search *search)
{
    for (int c = 0; search->models && c < search->cases; c++)
        phx_model_destroy(search->models[c]);
    for (int k = 0; search->rows && k < search->key->evaluations; k++)
        phx_free(search->rows[k]);
    phx_free(search->models);
    phx_free(search->rows);
    phx_free(search->failed);
    phx_free((void *)search->texts);
    phx_free((void *)search->names);
    phx_free(search->function);
    phx_arrays_free(2, (double *const[]){search->seen, search->point});
    phx_ordered_map_destroy(search->map);
    phx_table_lines_free(&search->lines);
    phx_table_destroy(search->table);
}

/* Functions, the method of `auto`, and what follows from the method. */
static void choose_method(phx_search *search)
{
    static const char *const words[] = {"min", "max", "equals"};
    const phx_model_optimize *key = search->key;
    const bool most = key->kind == PHX_MODEL_MAXIMIZE;

    search->function[0] = (phx_search_function){most ? "maximize" : "minimize", most ? -1.0 : 1.0, 0.0, 1.0, false};
    search->texts[0] = key->objective;
    for (int k = 0; k < key->n_constraints; k++) {
        const phx_model_constraint *of = &key->constraints[k];
        const bool equal = of->kind == PHX_MODEL_EQUALS;
        search->function[k + 1] =
            (phx_search_function){words[of->kind], of->kind == PHX_MODEL_MIN ? -1.0 : 1.0, of->limit, 1.0, equal};
        search->texts[k + 1] = of->of;
        *(equal ? &search->equalities : &search->inequalities) += search->cases;
    }
    for (int p = 0; p < search->n; p++)
        search->names[p] = key->variables[p].name;
    search->method = key->method != PHX_MODEL_OPTIMIZER_AUTO ? key->method
                     : search->equalities > 0                ? PHX_MODEL_SLSQP
                                                             : PHX_MODEL_MMA;
    search->slopes = search->method == PHX_MODEL_MMA || search->method == PHX_MODEL_SLSQP;
    search->bounded = search->slopes && search->cases > 1 && key->over == PHX_MODEL_WORST;
    search->inequalities += search->bounded ? search->cases : 0;
    search->width = 1 + search->n + search->cases * search->functions * (search->slopes ? search->n + 1 : 1);
}

/* A model for each case, and threads. */
static phx_status create_cases(phx_search *search)
{
    phx_context *context = search->context;
    const int asked = search->options->threads > 0 ? search->options->threads : 1;
    phx_status status = PHX_OK;

    for (int c = 0; c < search->cases && !status; c++)
        status = phx_model_copy_present(context, search->model, &search->models[c]);
    if (!status && search->cases > 1)
        status = phx_ordered_map_create(context, asked < search->cases ? asked : search->cases, &search->map);
    return status;
}

/* The arrays of a search and a copy of the model for each case. */
static phx_status search_create(phx_search *search)
{
    const phx_model_optimize *key = search->key;
    phx_context *context = search->context;

    search->n = key->n_variables;
    search->functions = 1 + key->n_constraints;
    search->cases = 1;
    for (int k = 0; k < key->n_cases; k++)
        search->cases *= key->cases[k].count;
    const size_t n = (size_t)search->n, functions = (size_t)search->functions, cases = (size_t)search->cases;
    search->texts = phx_calloc(context, functions, sizeof *search->texts);
    search->names = phx_calloc(context, n, sizeof *search->names);
    search->function = phx_calloc(context, functions, sizeof *search->function);
    search->models = phx_calloc(context, cases, sizeof *search->models);
    search->rows = phx_calloc(context, (size_t)key->evaluations, sizeof *search->rows);
    search->failed = phx_calloc(context, (size_t)key->evaluations, sizeof *search->failed);
    const phx_array arrays[] = {{&search->seen, (functions + 1) * cases * (n + 2)}, {&search->point, n}};
    if (!search->texts || !search->names || !search->function || !search->models || !search->rows || !search->failed ||
        phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays))
        return PHX_ERR_MEMORY;
    choose_method(search);
    return create_cases(search);
}

/* From the present values, which are evaluated first for the scales. */
static phx_status search_run(phx_search *search, phx_optimum_end *end)
{
    for (int p = 0; p < search->n; p++)
        search->point[p] = search->model->parameters[search->key->variables[p].parameter].value;
    phx_search_evaluate(search, search->point);
    return search->status ? search->status : phx_search_run(search, end);
}

/* The start lies within the bounds. */
static phx_status check_start(phx_context *context, const phx_model *model)
{
    const phx_model_optimize *key = &model->optimize;

    if (!key->given)
        return phx_fail(context, PHX_ERR_INPUT,
                        "%s has no key 'optimize', which says what is varied and what is wanted", model->path);
    for (int k = 0; k < key->n_variables; k++) {
        const phx_model_variable *variable = &key->variables[k];
        const double value = model->parameters[variable->parameter].value;
        if (!(value >= variable->min && value <= variable->max))
            return phx_model_fail(context, model, variable, PHX_ERR_INPUT,
                                  "optimize: '%s' starts at %.10g, expected a value from %.10g to %.10g; change the "
                                  "parameter or its bounds",
                                  variable->name, value, variable->min, variable->max);
    }
    return PHX_OK;
}

/* ---- the result ---- */
/* The best row of a search, and whether variables and constraints are at their bounds there. */
static phx_status describe(const phx_search *search, phx_optimum *optimum)
{
    const int best = phx_search_best(search), n = search->n;
    const double tolerance = search->key->tolerance;
    phx_optimum_row *rows = phx_calloc(search->context, (size_t)(n + search->functions), sizeof *rows);
    double size;

    if (!rows)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < n; p++) {
        const phx_model_variable *of = &search->key->variables[p];
        const double value = search->rows[best][1 + p], near = tolerance * (of->max - of->min);
        const int at = value <= of->min + near ? -1 : value >= of->max - near;
        rows[p] = (phx_optimum_row){"variable", of->name, of->min, of->max, search->rows[0][1 + p], value, at};
    }
    for (int k = 0; k < search->functions; k++) {
        const phx_search_function *of = &search->function[k];
        const double start = phx_search_value(search, k, 0, NULL), value = phx_search_value(search, k, best, &size);
        const double min = k > 0 && (of->equal || of->sign < 0.0) ? of->limit : -HUGE_VAL;
        const double max = k > 0 && of->sign > 0.0 ? of->limit : HUGE_VAL;
        const int at = k > 0 && size >= -tolerance ? (int)of->sign : 0;
        rows[n + k] = (phx_optimum_row){of->word, search->texts[k], min, max, start, value, at};
    }
    optimum->n_variables = n;
    optimum->n_rows = n + search->functions;
    optimum->rows = rows;
    optimum->evaluations = search->count;
    for (int k = 0; k < search->count; k++)
        optimum->failed += search->failed[k];
    optimum->taken = search->taken;
    optimum->best = best + 1;
    optimum->violation = phx_search_violation(search, best);
    optimum->tolerance = tolerance;
    optimum->feasible = optimum->violation <= tolerance;
    return PHX_OK;
}

/* Variables and functions of all evaluations. */
static phx_status describe_history(const phx_search *search, phx_optimum *optimum)
{
    const int width = optimum->n_rows, n = search->n;

    optimum->history = phx_calloc(search->context, (size_t)search->count * (size_t)width, sizeof *optimum->history);
    for (int r = 0; r < search->count && optimum->history; r++)
        for (int k = 0; k < width; k++)
            optimum->history[r * width + k] = k < n               ? search->rows[r][1 + k]
                                              : search->failed[r] ? NAN
                                                                  : phx_search_value(search, k - n, r, NULL);
    return optimum->history ? PHX_OK : PHX_ERR_MEMORY;
}

/* Evaluates the start, lets the method search, and reports the best point. */
phx_status phx_optimize(phx_context *context, const phx_model *model, const phx_optimize_options *options,
                        phx_optimum *optimum)
{
    if (!model || !options || !optimum)
        return phx_fail_null(context, __func__, "model, options or optimum");
    *optimum = (phx_optimum){0};
    phx_search search = {.context = context, .model = model, .key = &model->optimize, .options = options};
    phx_status status = check_start(context, model);
    if (status)
        return phx_conclude(context, status);

    phx_files_begin(context);
    status = phx_model_protect(context, model);
    if (!status)
        status = search_create(&search);
    if (!status && options->history_path)
        status = phx_search_open(&search);
    if (!status)
        status = search_run(&search, &optimum->end);
    if (!status && search.table)
        status = phx_table_finish(search.table);
    if (!status)
        status = describe(&search, optimum);
    if (!status)
        status = describe_history(&search, optimum);
    if (status)
        phx_optimum_free(optimum);
    search_free(&search);
    phx_files_end(context);
    return phx_conclude(context, status);
}
