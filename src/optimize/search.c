/* Points of a search: each is evaluated once, or taken from the history of an earlier search. */
#include "search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_FAILURES = 10, /* in sequence */
    COLUMN = 320        /* of a name of a column */
};
static const double SAME_POINT = 1e-15; /* of a variable, relative: its rounding in the scale of the method */

/* ---- one point ---- */
/* The functions of a case, and their derivatives if the method needs them, at the values of its model. */
static phx_status evaluate_functions(phx_search *search, phx_context *context, int c, double *row)
{
    const size_t functions = (size_t)search->functions;
    double *values = row + phx_search_at(search, 0, c);
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found = {0};

    if (!search->slopes)
        return phx_objectives_evaluate(context, search->models[c], search->functions, search->texts, values);
    options.n_objectives = search->functions;
    options.objectives = search->texts;
    options.n_parameters = search->n;
    options.parameters = search->names;
    options.threads = search->cases > 1 ? 1 : search->options->threads; /* cases have the threads */
    const phx_status status = phx_gradient_find(context, search->models[c], &options, &found);
    if (!status) {
        memcpy(values, found.value, functions * sizeof *values);
        memcpy(row + phx_search_slope_at(search, 0, c), found.gradient,
               functions * (size_t)search->n * sizeof *found.gradient);
    }
    phx_gradient_free(&found);
    return status;
}

/* Values of the parameters of a case, of which the last varies fastest, and of the variables. */
static phx_status set_values(phx_search *search, phx_context *context, int c, const double *variables)
{
    const phx_model_optimize *key = search->key;
    const int count = key->n_cases + search->n;
    phx_model_override *overrides = phx_calloc(context, (size_t)count, sizeof *overrides);
    int rest = c;

    if (!overrides)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < search->n; p++)
        overrides[p] = (phx_model_override){.name = search->names[p], .value = variables[p]};
    for (int k = key->n_cases - 1; k >= 0; k--) {
        const phx_model_sweep *of = &key->cases[k];
        overrides[search->n + k] = (phx_model_override){.name = of->name, .value = of->values[rest % of->count]};
        rest /= of->count;
    }
    const phx_status status = phx_model_set_parameters(context, search->models[c], count, overrides);
    phx_free(overrides);
    return status;
}

/* Case `item` of the newest row (phx_ordered_map_work). */
static phx_status compute_case(void *user, phx_context *context, int worker, int item, int slot)
{
    phx_search *search = user;
    double *row = search->rows[search->count];
    phx_status status = set_values(search, context, item, row + 1);

    (void)worker, (void)slot;
    if (!status)
        status = evaluate_functions(search, context, item, row);
    for (int k = 0; k < search->functions && !status; k++) {
        bool finite = isfinite(row[phx_search_at(search, k, item)]);
        for (int p = 0; p < search->n && search->slopes; p++)
            finite = finite && isfinite(row[phx_search_slope_at(search, k, item) + p]);
        if (!finite)
            status = phx_fail(context, PHX_ERR_ANALYSIS, "'%s' or a derivative of it is not a finite number",
                              search->texts[k]);
    }
    return status && search->cases > 1 ? phx_fail_prefix(context, status, "case %d: ", item + 1) : status;
}

/* All cases. Only the first row shows the warnings of its analyses: the others repeat them. */
static phx_status compute_row(phx_search *search)
{
    const phx_ordered_map_work work = {
        .count = search->cases, .what = "cases", .user = search, .compute = compute_case};
    phx_log_fn *log = NULL;
    void *user = NULL;

    phx_context_get_log(search->context, &log, &user);
    if (search->count > 0)
        phx_context_set_log(search->context, NULL, NULL);
    const phx_status status =
        search->map ? phx_ordered_map_run(search->map, &work) : compute_case(search, search->context, 0, 0, 0);
    phx_context_set_log(search->context, log, user);
    return status;
}

/* ---- failures ---- */
/* Whether a failure is about the point alone, so that the search can go on. */
static bool is_of_point(const phx_search *search, phx_status status)
{
    return search->count > 0 &&
           (status == PHX_ERR_INPUT || status == PHX_ERR_ASSEMBLY || status == PHX_ERR_ANALYSIS ||
            status == PHX_ERR_UNSUPPORTED || status > PHX_OK) &&
           status != PHX_INTERRUPTED;
}

/* Puts the values of the variables in front of a message; before that of a wrong objective its place in the file. */
static phx_status name_point(const phx_search *search, const double *variables, phx_status status)
{
    const char *message = phx_context_message(search->context);
    char where[200] = "";
    size_t length = 0;

    for (int k = 0; k < search->functions && status == PHX_ERR_INPUT && strstr(message, "objective '"); k++) {
        const char *const *field = k > 0 ? &search->key->constraints[k - 1].of : &search->key->objective;
        const phx_model_source place = phx_model_where(search->model, field);
        if (strstr(message, *field))
            return phx_fail_prefix(search->context, status, "%s:%d:%d: optimize: ", search->model->path, place.line,
                                   place.column);
    }
    for (int p = 0; p < search->n && length < sizeof where; p++)
        length += (size_t)snprintf(where + length, sizeof where - length, "%s%s = %.10g", p ? ", " : "",
                                   search->names[p], variables[p]);
    return status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED
               ? status
               : phx_fail_prefix(search->context, status, "evaluation %d, at %s: ", search->count + 1, where);
}

/* ---- the history ---- */
static phx_status fail_resume(const phx_search *search, const char *why)
{
    return phx_fail(search->context, PHX_ERR_INPUT,
                    "%s.partial is the history of another search: it has other %s. Remove it to start again",
                    search->options->history_path, why);
}

/* evaluation, variables; of each case the functions, and of each function the derivatives. */
static void name_columns(const phx_search *search, char (*names)[COLUMN])
{
    char with_case[24] = "";

    snprintf(names[0], COLUMN, "evaluation");
    for (int p = 0; p < search->n; p++)
        snprintf(names[1 + p], COLUMN, "%s", search->names[p]);
    for (int c = 0; c < search->cases; c++)
        for (int k = 0; k < search->functions; k++) {
            if (search->cases > 1)
                snprintf(with_case, sizeof with_case, ", case %d", c + 1);
            snprintf(names[phx_search_at(search, k, c)], COLUMN, "%.200s%s", search->texts[k], with_case);
            for (int p = 0; p < search->n && search->slopes; p++)
                snprintf(names[phx_search_slope_at(search, k, c) + p], COLUMN, "d(%.200s)/d(%s)%s", search->texts[k],
                         search->names[p], with_case);
        }
}

/* Whether these are the names in the first line of a table. */
static bool has_columns(const char *header, size_t count, const char *const *columns)
{
    for (size_t k = 0; k < count && header; k++) {
        header = strstr(header, columns[k]);
        header = header ? header + strlen(columns[k]) : NULL;
    }
    return header && strcmp(header + (*header == '"'), ",message") == 0;
}

/* Begins the history, with the rows of an earlier one. */
phx_status phx_search_open(phx_search *search)
{
    const char *path = search->options->history_path;
    phx_context *context = search->context;
    const size_t width = (size_t)search->width;
    char(*names)[COLUMN] = phx_calloc(context, width, sizeof *names);
    const char **columns = phx_calloc(context, width, sizeof *columns);
    phx_status status = names && columns ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        name_columns(search, names);
    for (size_t k = 0; k < width && !status; k++)
        columns[k] = names[k];
    if (!status && search->options->resume)
        status = phx_table_read_partial(context, path, &search->lines);
    if (!status && search->lines.count > 0 && !has_columns(search->lines.line[0], width, columns))
        status = fail_resume(search, "columns");
    if (!status)
        status = phx_table_create(context, path, search->width, columns, "message", &search->table);
    search->taken = search->lines.count > 2 ? search->lines.count - 2 : 0; /* the last row is computed once more */
    for (int k = 0; k < search->taken && !status; k++)
        status = phx_table_append_line(search->table, search->lines.line[k + 1]);
    phx_free((void *)columns);
    phx_free(names);
    return status;
}

/* The newest row from a line of the history, or after an evaluation (`again`) compared with it. */
static phx_status take_row(phx_search *search, double *row, bool again)
{
    for (int k = 0; k < search->width; k++) {
        const double value = phx_table_field(search->lines.line[search->count + 1], k);
        if ((again || k <= search->n) && value != row[k] && !(isnan(value) && isnan(row[k])))
            return fail_resume(search, k <= search->n ? "points" : "results of its last evaluation");
        row[k] = value;
    }
    search->failed[search->count] = isnan(row[1 + search->n]);
    return PHX_OK;
}

/* The newest row by an evaluation, which may fail: then its numbers are NAN, and `failed` is set. */
static phx_status make_row(phx_search *search, double *row)
{
    phx_context *context = search->context;
    char *message = NULL;
    phx_status status = compute_row(search);

    if (status)
        status = name_point(search, row + 1, status);
    if (status && is_of_point(search, status)) {
        message = phx_strdup(context, phx_context_message(context));
        if (!message)
            return PHX_ERR_MEMORY;
        for (int k = 1 + search->n; k < search->width; k++)
            row[k] = NAN;
        search->failed[search->count] = true;
        phx_log(context, PHX_LOG_WARNING, "%s", message);
        if (search->failed_in_sequence + 1 < MOST_FAILURES) {
            phx_context_clear(context);
            status = PHX_OK;
        }
    }
    if (!status && search->count + 1 < search->lines.count)
        status = take_row(search, row, true);
    if (!status && search->table)
        status = phx_table_append(search->table, row, message);
    phx_free(message);
    return status;
}

/* One more point: from the history, or evaluated. */
static phx_status search_add(phx_search *search, const double *variables)
{
    double *row = phx_calloc(search->context, (size_t)search->width, sizeof *row);
    phx_status status = row ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    search->rows[search->count] = row; /* freed with the search */
    row[0] = search->count + 1.0;
    memcpy(row + 1, variables, (size_t)search->n * sizeof *row);
    status = search->count < search->taken ? take_row(search, row, false) : make_row(search, row);
    if (status)
        return status;
    search->failed_in_sequence = search->failed[search->count] ? search->failed_in_sequence + 1 : 0;
    search->count++;
    if (search->count == 1)
        phx_search_set_scales(search);
    const bool failed = search->failed[search->count - 1];
    if (search->options->note)
        search->options->note(search->options->user, search->count,
                              failed ? NAN : phx_search_value(search, 0, search->count - 1, NULL),
                              failed ? NAN : phx_search_violation(search, search->count - 1));
    return PHX_OK;
}

int phx_search_evaluate(phx_search *search, const double *variables)
{
    for (int k = search->count - 1; k >= 0; k--) {
        bool same = true;
        for (int p = 0; p < search->n && same; p++)
            same = fabs(search->rows[k][1 + p] - variables[p]) <= SAME_POINT * fabs(variables[p]);
        if (same)
            return k;
    }
    search->full = search->count >= search->key->evaluations;
    if (!search->full)
        search->status = search_add(search, variables);
    return search->full || search->status ? -1 : search->count - 1;
}
