/* Optimisation: the search of a model's key `optimize`, and its result. */
#include "search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 20 }; /* of the functions by the method, at most, for each evaluation allowed */

phx_optimize_options phx_optimize_options_default(void)
{
    return (phx_optimize_options){0};
}

void phx_optimum_free(phx_optimum *optimum)
{
    if (!optimum)
        return;
    for (int k = 0; optimum->variables && k < optimum->n_variables; k++)
        phx_free(optimum->variables[k].name);
    for (int k = 0; optimum->functions && k < optimum->n_functions; k++)
        phx_free(optimum->functions[k].text);
    phx_free(optimum->variables);
    phx_free(optimum->functions);
    *optimum = (phx_optimum){0};
}

/* ---- the search ---- */
static void search_free(phx_search *search)
{
    for (int c = 0; search->models && c < search->cases; c++)
        phx_model_destroy(search->models[c]);
    for (int c = 0; search->overrides && c < search->cases; c++)
        phx_free(search->overrides[c]);
    for (int k = 0; search->rows && k < search->key->evaluations; k++)
        phx_free(search->rows[k]);
    phx_free(search->models);
    phx_free(search->overrides);
    phx_free(search->rows);
    phx_free(search->failed);
    phx_free((void *)search->texts);
    phx_free((void *)search->names);
    phx_free(search->limit_scale);
    phx_free(search->seen);
    phx_free(search->inside);
    phx_sweep_destroy(search->sweep);
    phx_ordered_map_destroy(search->map);
    phx_table_lines_free(&search->lines);
    phx_table_destroy(search->table);
}

/* The method of `auto`, and what follows from the method. */
static void choose_method(phx_search *search)
{
    const phx_model_optimize *key = search->key;

    search->method = key->method;
    for (int k = 0; k < key->n_constraints && key->method == PHX_MODEL_OPTIMIZER_AUTO; k++)
        if (key->constraints[k].kind == PHX_MODEL_EQUALS)
            search->method = PHX_MODEL_SLSQP;
    if (search->method == PHX_MODEL_OPTIMIZER_AUTO)
        search->method = PHX_MODEL_MMA;
    search->slopes = search->method == PHX_MODEL_MMA || search->method == PHX_MODEL_SLSQP;
    search->bounded = search->slopes && search->cases > 1 && key->over == PHX_MODEL_WORST;
}

/* The values of the parameters of a case, before those of the variables. */
static phx_status set_case(phx_search *search, int c)
{
    const phx_model_optimize *key = search->key;
    phx_model_override *overrides =
        phx_calloc(search->context, (size_t)(key->n_cases + search->n), sizeof *overrides);
    double *values = phx_calloc(search->context, (size_t)key->n_cases, sizeof *values);

    search->overrides[c] = overrides;
    if (overrides && values)
        phx_sweep_at(search->sweep, c, NULL, values);
    for (int k = 0; overrides && values && k < key->n_cases; k++)
        overrides[k] = (phx_model_override){.name = key->cases[k].name, .value = values[k]};
    const bool complete = overrides && values;
    phx_free(values);
    return complete ? PHX_OK : PHX_ERR_MEMORY;
}

/* A model and the values of its parameters for each case. */
static phx_status create_cases(phx_search *search)
{
    phx_context *context = search->context;
    phx_status status = PHX_OK;

    for (int c = 0; c < search->cases && !status; c++) {
        status = set_case(search, c);
        if (!status)
            status = phx_model_copy_present(context, search->model, &search->models[c]);
    }
    const int threads = search->options->threads < search->cases ? search->options->threads : search->cases;
    if (!status && search->cases > 1)
        status = phx_ordered_map_create(context, threads > 0 ? threads : 1, &search->map);
    return status;
}

static phx_status create_sweep(phx_search *search)
{
    const phx_model_optimize *key = search->key;
    phx_status status = phx_sweep_create(search->context, &search->sweep);

    for (int k = 0; k < key->n_cases && !status; k++)
        status = phx_sweep_add_values(search->sweep, key->cases[k].name, key->cases[k].count, key->cases[k].values);
    search->cases = status ? 0 : phx_sweep_points(search->sweep);
    return status;
}

static phx_status search_create(phx_search *search)
{
    const phx_model_optimize *key = search->key;
    phx_context *context = search->context;
    int inequalities, equalities;

    search->n = key->n_variables;
    search->functions = 1 + key->n_constraints;
    phx_status status = create_sweep(search);
    if (status)
        return status;
    choose_method(search);
    phx_search_count(search, &inequalities, &equalities);
    const size_t n = (size_t)search->n, functions = (size_t)search->functions, cases = (size_t)search->cases;
    search->width = 1 + search->n + (int)(cases * functions * (search->slopes ? n + 1 : 1));
    search->texts = phx_calloc(context, functions, sizeof *search->texts);
    search->names = phx_calloc(context, n, sizeof *search->names);
    search->models = phx_calloc(context, cases, sizeof *search->models);
    search->overrides = phx_calloc(context, cases, sizeof *search->overrides);
    search->rows = phx_calloc(context, (size_t)key->evaluations, sizeof *search->rows);
    search->failed = phx_calloc(context, (size_t)key->evaluations, sizeof *search->failed);
    search->limit_scale = phx_calloc(context, functions, sizeof *search->limit_scale);
    search->seen = phx_calloc(context, (size_t)(1 + inequalities + equalities) * (n + 2), sizeof *search->seen);
    if (!search->texts || !search->names || !search->models || !search->overrides || !search->rows ||
        !search->failed || !search->limit_scale || !search->seen)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < search->functions; k++)
        search->texts[k] = k > 0 ? key->constraints[k - 1].of : key->objective;
    for (int p = 0; p < search->n; p++)
        search->names[p] = key->variables[p].name;
    return create_cases(search);
}

/* ---- the history as a file ---- */
/* evaluation, variables; of each case the functions, then of each function the derivatives. */
static phx_status name_columns(const phx_search *search, char **columns)
{
    const int values = search->cases * search->functions;

    for (int k = 0; k < search->width; k++) {
        const int value = k - 1 - search->n, slope = value - values;
        const int of = slope < 0 ? value : slope / search->n;
        const char *text = value < 0 ? NULL : search->texts[of % search->functions];
        const char *name = k == 0 ? "evaluation" : search->names[slope < 0 ? (k - 1) % search->n : slope % search->n];
        const size_t size = strlen(name) + (text ? strlen(text) : 0) + sizeof "d()/d(), case 1234567890";
        char with_case[32] = "";
        columns[k] = phx_calloc(search->context, size, 1);
        if (!columns[k])
            return PHX_ERR_MEMORY;
        if (search->cases > 1)
            snprintf(with_case, sizeof with_case, ", case %d", value < 0 ? 0 : of / search->functions + 1);
        if (value < 0)
            snprintf(columns[k], size, "%s", name);
        else if (slope < 0)
            snprintf(columns[k], size, "%s%s", text, with_case);
        else
            snprintf(columns[k], size, "d(%s)/d(%s)%s", text, name, with_case);
    }
    return PHX_OK;
}

/* The lines of an earlier search that has ended early, if there is one. */
static phx_status read_history(phx_search *search)
{
    const size_t size = strlen(search->options->history_path) + sizeof ".partial";
    char *partial = phx_calloc(search->context, size, 1);
    phx_status status = PHX_OK;

    if (!partial)
        return PHX_ERR_MEMORY;
    snprintf(partial, size, "%s.partial", search->options->history_path);
    FILE *file = fopen(partial, "rb");
    if (file) {
        fclose(file);
        status = phx_table_read_lines(search->context, partial, &search->lines);
    }
    phx_free(partial);
    return status;
}

/* The file with the rows that are taken over, all but the last one. */
static phx_status open_history(phx_search *search)
{
    phx_context *context = search->context;
    phx_status status = search->options->resume ? read_history(search) : PHX_OK;
    char **columns = status ? NULL : phx_calloc(context, (size_t)search->width, sizeof *columns);

    if (!columns)
        return status ? status : PHX_ERR_MEMORY;
    status = name_columns(search, columns);
    if (!status)
        status = phx_table_create(context, search->options->history_path, search->width, (const char *const *)columns,
                                  "message", &search->table);
    if (!status && search->lines.count > 0 && strcmp(phx_table_header(search->table), search->lines.line[0]) != 0)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s.partial is the history of another search: it has other columns. Remove it to start again",
                          search->options->history_path);
    search->taken = search->lines.count > 2 ? search->lines.count - 2 : 0;
    for (int k = 0; k < search->taken && !status; k++)
        status = phx_table_append_line(search->table, search->lines.line[k + 1]);
    for (int k = 0; k < search->width; k++)
        phx_free(columns[k]);
    phx_free(columns);
    return status;
}

/* ---- the work ---- */
/* Whether g <= 0 holds. */
static bool is_inside(const phx_search *search, const double *seen)
{
    int inequalities, equalities;
    bool inside = true;

    phx_search_count(search, &inequalities, &equalities);
    for (int k = 1; k <= inequalities; k++)
        inside = inside && seen[k] <= 0.0;
    return inside;
}

static const double *evaluate(void *user, const double *x)
{
    phx_search *search = user;
    double *variables = phx_calloc(search->context, (size_t)search->n, sizeof *variables);

    if (!variables) {
        search->status = PHX_ERR_MEMORY;
        return NULL;
    }
    phx_search_unscale(search, x, variables);
    const int row = phx_search_evaluate(search, variables);
    phx_free(variables);
    const double *seen = row < 0 ? NULL : phx_search_see(search, x, row);
    if (seen && search->approaching && !search->failed[row] && is_inside(search, seen)) {
        memcpy(search->inside, x, ((size_t)search->n + search->bounded) * sizeof *x);
        search->approaching = false;
        return NULL;
    }
    return seen;
}

/* The method from x. From a point that violates constraints mma first approaches the others with multipliers that are
 * too large for the objective; it begins again at the first point inside. */
static phx_status run_from(phx_search *search, const phx_optimizer *optimizer, double *x, phx_optimum_end *end)
{
    const size_t n = (size_t)optimizer->n;
    phx_status status;

    search->inside = phx_calloc(search->context, n, sizeof *search->inside);
    if (!search->inside)
        return PHX_ERR_MEMORY;
    const bool outside = !is_inside(search, phx_search_see(search, x, 0));
    search->approaching = outside && search->method == PHX_MODEL_MMA;
    status = phx_optimizer_run(search->context, optimizer, x, end);
    if (!status && !search->status && !search->full && !search->approaching && outside &&
        search->method == PHX_MODEL_MMA) {
        memcpy(x, search->inside, n * sizeof *x);
        status = phx_optimizer_run(search->context, optimizer, x, end);
    }
    return search->status ? search->status : status;
}

/* From the present values, which are evaluated first for the scales: x = (value - min)/scale, and the worst case. */
static phx_status run_method(phx_search *search, phx_optimum_end *end)
{
    const phx_model_optimize *key = search->key;
    phx_context *context = search->context;
    const size_t n = (size_t)search->n + 1;
    double *x = phx_calloc(context, 4 * n, sizeof *x), *lower = x + n, *upper = lower + n, *start = upper + n;
    phx_optimizer optimizer = {.method = search->method, .n = search->n + search->bounded, .lower = lower, .upper = upper,
                           .tolerance = key->tolerance, .calls = CALLS * key->evaluations,
                           .evaluate = evaluate, .user = search};

    if (!x)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < search->n; p++)
        upper[p] = key->variables[p].max;
    phx_search_scale(search, upper, upper);
    lower[search->n] = -HUGE_VAL;
    upper[search->n] = HUGE_VAL;
    phx_search_count(search, &optimizer.inequalities, &optimizer.equalities);
    for (int p = 0; p < search->n; p++)
        start[p] = search->model->parameters[key->variables[p].parameter].value;
    phx_search_scale(search, start, x);
    phx_search_unscale(search, x, start);
    phx_status status = phx_search_evaluate(search, start) < 0 ? search->status : PHX_OK;
    if (!status) {
        x[search->n] = (key->kind == PHX_MODEL_MAXIMIZE ? -1.0 : 1.0) * phx_search_value(search, 0, 0) /
                       search->objective_scale;
        status = run_from(search, &optimizer, x, end);
    }
    if (search->full)
        *end = PHX_OPTIMUM_EVALUATIONS;
    phx_free(x);
    return status;
}

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
static phx_status describe_variables(const phx_search *search, int best, phx_optimum *optimum)
{
    for (int p = 0; p < search->n; p++) {
        const phx_model_variable *of = &search->key->variables[p];
        phx_optimum_variable *variable = &optimum->variables[p];
        const double start = search->rows[0][1 + p], value = search->rows[best][1 + p];
        const double near = search->key->tolerance * (of->max - of->min);
        *variable = (phx_optimum_variable){.name = phx_strdup(search->context, of->name), .min = of->min,
                                           .max = of->max, .start = start, .best = value};
        variable->at = value <= of->min + near ? -1 : value >= of->max - near ? 1 : 0;
        if (!variable->name)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status describe_functions(const phx_search *search, int best, phx_optimum *optimum)
{
    static const char *const words[] = {"min", "max", "equals"};

    for (int k = 0; k < search->functions; k++) {
        const phx_model_constraint *constraint = k > 0 ? &search->key->constraints[k - 1] : NULL;
        phx_optimum_function *function = &optimum->functions[k];
        *function = (phx_optimum_function){
            .text = phx_strdup(search->context, search->texts[k]),
            .word = constraint ? words[constraint->kind]
                    : search->key->kind == PHX_MODEL_MAXIMIZE ? "maximize" : "minimize",
            .limit = constraint ? constraint->limit : 0.0,
            .start = phx_search_value(search, k, 0),
            .best = phx_search_value(search, k, best)};
        function->active = constraint && phx_search_excess(search, k, best) >= -search->key->tolerance;
        if (!function->text)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status describe(const phx_search *search, phx_optimum *optimum)
{
    const int best = phx_search_best(search);

    optimum->n_variables = search->n;
    optimum->n_functions = search->functions;
    optimum->variables = phx_calloc(search->context, (size_t)search->n, sizeof *optimum->variables);
    optimum->functions = phx_calloc(search->context, (size_t)search->functions, sizeof *optimum->functions);
    if (!optimum->variables || !optimum->functions)
        return PHX_ERR_MEMORY;
    optimum->cases = search->cases;
    optimum->evaluations = search->count;
    optimum->taken = search->taken;
    for (int k = 0; k < search->count; k++)
        optimum->failed += search->failed[k];
    optimum->best = best + 1;
    optimum->violation = phx_search_violation(search, best);
    optimum->tolerance = search->key->tolerance;
    optimum->feasible = optimum->violation <= optimum->tolerance;
    const phx_status status = describe_variables(search, best, optimum);
    return status ? status : describe_functions(search, best, optimum);
}

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
        status = open_history(&search);
    if (!status)
        status = run_method(&search, &optimum->end);
    if (!status && search.table)
        status = phx_table_finish(search.table);
    if (!status)
        status = describe(&search, optimum);
    if (status)
        phx_optimum_free(optimum);
    search_free(&search);
    phx_files_end(context);
    return phx_conclude(context, status);
}
