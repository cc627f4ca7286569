/* Points of a search: each is evaluated once, or taken from the history of an earlier search. */
#include "search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FAILURES = 10 }; /* in sequence */

/* ---- one point ---- */
/* The place of a case in a row: functions; derivatives. */
static double *values_of(const phx_search *search, double *row, int c)
{
    return row + 1 + search->n + c * search->functions;
}

static double *slopes_of(const phx_search *search, double *row, int c)
{
    return row + 1 + search->n + (search->cases + c * search->n) * search->functions;
}

/* The functions of a case, and their derivatives if the method needs them, at the values of its model. */
static phx_status evaluate_functions(phx_search *search, phx_context *context, int c, double *row)
{
    const phx_model *model = search->models[c];

    if (!search->slopes)
        return phx_objectives_evaluate(context, model, search->functions, search->texts, values_of(search, row, c));
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found = {0};
    options.n_objectives = search->functions;
    options.objectives = search->texts;
    options.n_parameters = search->n;
    options.parameters = search->names;
    const phx_status status = phx_gradient_find(context, model, &options, &found);
    if (!status) {
        const size_t functions = (size_t)search->functions;
        memcpy(values_of(search, row, c), found.value, functions * sizeof *found.value);
        memcpy(slopes_of(search, row, c), found.gradient, functions * (size_t)search->n * sizeof *found.gradient);
    }
    phx_gradient_free(&found);
    return status;
}

/* Case `item` of the newest row (phx_ordered_map_work). */
static phx_status compute_case(void *user, phx_context *context, int worker, int item, int slot)
{
    phx_search *search = user;
    double *row = search->rows[search->count], *values = values_of(search, row, item);
    const int parameters = search->key->n_cases;
    phx_model_override *overrides = search->overrides[item];

    (void)worker, (void)slot;
    for (int p = 0; p < search->n; p++)
        overrides[parameters + p] = (phx_model_override){.name = search->names[p], .value = row[1 + p]};
    phx_status status = phx_model_set_parameters(context, search->models[item], parameters + search->n, overrides);
    if (!status)
        status = evaluate_functions(search, context, item, row);
    for (int k = 0; k < search->functions && !status; k++)
        if (!isfinite(values[k]))
            status = phx_fail(context, PHX_ERR_ANALYSIS, "'%s' is no finite number", search->texts[k]);
    for (int k = 0; k < search->functions * search->n && !status && search->slopes; k++)
        if (!isfinite(slopes_of(search, row, item)[k]))
            status = phx_fail(context, PHX_ERR_ANALYSIS, "a derivative of '%s' is no finite number",
                              search->texts[k / search->n]);
    return status && search->cases > 1 ? phx_fail_prefix(context, status, "case %d: ", item + 1) : status;
}

/* All cases. Warnings of the analyses are those of the first row: others have the same at other values. */
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
    return search->count > 0 && status != PHX_ERR_MEMORY && status != PHX_INTERRUPTED && status != PHX_ERR_FILE &&
           status != PHX_ERR_LIBRARY && status != PHX_ERR_ARGUMENT;
}

/* Puts the values of the variables in front of a message; that of an objective that is none has its place in the file.
 */
static phx_status name_point(const phx_search *search, const double *variables, phx_status status)
{
    phx_context *context = search->context;
    char where[200] = "", quoted[120];
    size_t length = 0;

    for (int k = 0; k < search->functions && status == PHX_ERR_INPUT; k++) {
        const char *const *field = k > 0 ? &search->key->constraints[k - 1].of : &search->key->objective;
        snprintf(quoted, sizeof quoted, "objective '%.100s'", *field);
        if (!strstr(phx_context_message(context), quoted))
            continue;
        const phx_model_source place = phx_model_where(search->model, field);
        return phx_fail_prefix(context, status, "%s:%d:%d: optimize: ", search->model->path, place.line, place.column);
    }
    for (int p = 0; p < search->n && length < sizeof where; p++)
        length += (size_t)snprintf(where + length, sizeof where - length, "%s%s = %.10g", p ? ", " : "",
                                   search->names[p], variables[p]);
    return status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED
               ? status
               : phx_fail_prefix(context, status, "evaluation %d, at %s: ", search->count + 1, where);
}

/* ---- the history ---- */
static phx_status fail_resume(const phx_search *search, const char *why)
{
    return phx_fail(search->context, PHX_ERR_INPUT,
                    "%s.partial is the history of another search: %s. Remove it to start again",
                    search->options->history_path, why);
}

/* The newest row from a line of the history: the same variables; no number for the functions of a failure. */
static phx_status take_row(phx_search *search, double *row)
{
    const char *line = search->lines.line[search->count + 1];

    for (int k = 0; k < search->width; k++) {
        const double value = phx_table_field(line, k);
        if (k <= search->n && value != row[k])
            return fail_resume(search, "its points are others");
        row[k] = value;
    }
    search->failed[search->count] = isnan(row[1 + search->n]);
    return PHX_OK;
}

/* The last row of the history has been computed once more. */
static phx_status check_row(const phx_search *search, const double *row)
{
    for (int k = 0; k < search->width; k++) {
        const double before = phx_table_field(search->lines.line[search->count + 1], k);
        if (before != row[k] && !(isnan(before) && isnan(row[k])))
            return fail_resume(search, "its last evaluation has other results");
    }
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
        status = check_row(search, row);
    if (!status && search->table)
        status = phx_table_append(search->table, row, message);
    phx_free(message);
    return status;
}

/* Reports the newest row. */
static void report(const phx_search *search, int row)
{
    const bool failed = search->failed[row];

    if (search->options->note)
        search->options->note(search->options->user, row + 1, failed ? NAN : phx_search_value(search, 0, row),
                              failed ? NAN : phx_search_violation(search, row));
}

/* One more point: from the history, or evaluated. */
static phx_status add_row(phx_search *search, const double *variables)
{
    double *row = phx_calloc(search->context, (size_t)search->width, sizeof *row);
    phx_status status = row ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    search->rows[search->count] = row; /* freed with the search */
    row[0] = search->count + 1.0;
    memcpy(row + 1, variables, (size_t)search->n * sizeof *row);
    status = search->count < search->taken ? take_row(search, row) : make_row(search, row);
    if (status)
        return status;
    search->failed_in_sequence = search->failed[search->count] ? search->failed_in_sequence + 1 : 0;
    search->count++;
    if (search->count == 1)
        phx_search_set_scales(search);
    report(search, search->count - 1);
    return PHX_OK;
}

int phx_search_evaluate(phx_search *search, const double *variables)
{
    for (int k = search->count - 1; k >= 0; k--)
        if (memcmp(search->rows[k] + 1, variables, (size_t)search->n * sizeof *variables) == 0)
            return k;
    search->full = search->count >= search->key->evaluations;
    if (!search->full)
        search->status = add_row(search, variables);
    return search->full || search->status ? -1 : search->count - 1;
}
