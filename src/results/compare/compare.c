/* Comparison of results with a first one. */
#include "compare.h"
#include "results/report/column_groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 400 };

/* ---- what is compared ---- */

/* Columns by name, or the outputs of a model: all behind those that every simulation has. */
static phx_status choose_columns(const phx_plot_source *source, const phx_plot_options *options, const char *path,
                                 phx_selection *selection)
{
    if (options->n_columns)
        return phx_selection_make(source, options, path, selection);
    *selection =
        (phx_selection){.items = phx_calloc(source->context, (size_t)source->n_columns, sizeof *selection->items)};
    for (int k = 1; k < source->n_columns && selection->items; k++)
        if (!phx_column_is_fixed(phx_plot_source_name(source, k)))
            selection->items[selection->count++].column = k;
    return selection->items ? PHX_OK : PHX_ERR_MEMORY;
}

/* Warns of the outputs of one file that another has not. */
static void warn_of_missing(phx_comparison *comparison, const phx_plot_other *other, bool of_other)
{
    const phx_plot_source *source = of_other ? &comparison->source : &other->source;
    const phx_plot_source *with = of_other ? &other->source : &comparison->source;
    char list[LISTED] = "";
    size_t used = 0;
    int count = 0;
    for (int k = 1; k < with->n_columns; k++) {
        const char *name = phx_plot_source_name(with, k);
        if (phx_column_is_fixed(name) || phx_plot_source_find(source, name) >= 0)
            continue;
        const bool fits = used + strlen(name) + 8 < sizeof list;
        if (fits)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", name);
        else if (strcmp(list + used, "") == 0 && used + 8 < sizeof list)
            snprintf(list + used, sizeof list - used, ", ...");
        count++;
    }
    if (count)
        phx_log(source->context, PHX_LOG_WARNING, "%s has no %s, which %s has",
                of_other ? comparison->path : other->path, list, of_other ? other->path : comparison->path);
}

/* ---- tolerances ---- */

/* The sum of the tolerances that hold for an output: parts of its range, and values in its unit. */
static void judge(const phx_compare_options *options, phx_compared *row)
{
    row->tolerance = NAN;
    for (int k = 0; k < options->n_tolerances; k++) {
        const phx_tolerance *tolerance = &options->tolerances[k];
        const double before = isnan(row->tolerance) ? 0.0 : row->tolerance;
        if (!tolerance->unit[0])
            row->tolerance = before + tolerance->value * row->range;
        else if (strcmp(tolerance->unit, row->unit) == 0)
            row->tolerance = before + tolerance->value;
    }
    row->above = row->norms.largest > row->tolerance;
}

/* A tolerance of a unit that no output has is a mistake. */
static phx_status check_tolerances(phx_context *context, const phx_comparison *comparison,
                                   const phx_compare_options *options)
{
    for (int k = 0; k < options->n_tolerances; k++) {
        const char *unit = options->tolerances[k].unit;
        bool found = !unit[0];
        for (int i = 0; i < comparison->count && !found; i++)
            found = strcmp(unit, comparison->rows[i].unit) == 0;
        if (!found)
            return phx_fail(context, PHX_ERR_INPUT,
                            "the tolerance is in %s, which is the unit of no output that is compared; outputs of csv "
                            "files have none",
                            phx_shown_text(unit).text);
    }
    return PHX_OK;
}

/* ---- comparing ---- */
static double range_of(const phx_timeline *line)
{
    phx_range range = phx_range_none();
    for (size_t i = 0; i < line->rows; i++)
        phx_range_add(&range, line->y[i]);
    return range.high - range.low;
}

/* Adds the row of a column of the reference and the same of another file. */
static phx_status compare_column(phx_comparison *comparison, const phx_timeline *reference, int column, int file,
                                 int theirs, const phx_compare_options *options)
{
    const phx_plot_source *source = &comparison->source;
    const phx_plot_other *other = &comparison->others.items[file];
    phx_compared *row = &comparison->rows[comparison->count];
    phx_timeline line = {0};

    *row = (phx_compared){
        .file = file,
        .name = phx_plot_source_name(source, column),
        .unit = phx_plot_source_unit(source->result ? source : &other->source, source->result ? column : theirs),
        .range = range_of(reference)};
    phx_status status = phx_plot_others_check_unit(source, column, comparison->path, other, theirs);
    if (!status)
        status = phx_timeline_read(&other->source, other->path, theirs, &line);
    if (!status)
        status = phx_timeline_subtract(source->context, &line, reference, &row->norms, NULL);
    if (!status && row->norms.from > row->norms.to)
        status =
            phx_fail(source->context, PHX_ERR_INPUT,
                     "the times of %s, %g to %g s, and of %s, %g to %g s, do not overlap", comparison->path,
                     reference->t[0], reference->t[reference->rows - 1], other->path, line.t[0], line.t[line.rows - 1]);
    phx_timeline_free(&line);
    if (!status) {
        judge(options, row);
        comparison->count++;
    }
    return status;
}

/* All chosen columns of one other file; of a measured one those that it has. */
static phx_status compare_file(phx_comparison *comparison, int file, const phx_compare_options *options)
{
    const phx_plot_other *other = &comparison->others.items[file];
    const int before = comparison->count;
    phx_status status = PHX_OK;

    for (int k = 0; k < comparison->selection.count && !status; k++) {
        const int column = comparison->selection.items[k].column;
        const char *name = phx_plot_source_name(&comparison->source, column);
        int theirs = phx_plot_source_find(&other->source, name);
        phx_timeline reference = {0};
        if (theirs < 0 && options->sources.n_columns && !other->measured)
            status = phx_selection_find(&other->source, other->path, name, &theirs);
        if (status || theirs < 0)
            continue;
        status = phx_timeline_read(&comparison->source, comparison->path, column, &reference);
        if (!status)
            status = compare_column(comparison, &reference, column, file, theirs, options);
        phx_timeline_free(&reference);
    }
    if (!status && comparison->count == before)
        status = phx_fail(comparison->source.context, PHX_ERR_INPUT,
                          "%s and %s have no common outputs; columns that every simulation has are compared where they "
                          "are named, such as energy",
                          comparison->path, other->path);
    return status;
}

/* A measured column that the reference has not is a mistake. */
static phx_status check_maps(const phx_comparison *comparison, const phx_plot_other *other)
{
    phx_status status = PHX_OK;
    for (int k = 1; k < other->source.n_columns && !status; k++) {
        int column;
        status =
            phx_selection_find(&comparison->source, comparison->path, phx_plot_source_name(&other->source, k), &column);
    }
    return status;
}

/* Opens all files, and compares them one after the other. */
static phx_status compare_all(phx_context *context, const phx_compare_options *options, phx_comparison *comparison)
{
    phx_status status = phx_plot_source_open(context, comparison->path, &options->sources, &comparison->source);
    if (!status)
        status = phx_plot_others_open(context, &options->sources, &comparison->others);
    if (!status)
        status = choose_columns(&comparison->source, &options->sources, comparison->path, &comparison->selection);
    const size_t room = (size_t)comparison->selection.count * (size_t)comparison->others.count;
    if (!status && !(comparison->rows = phx_calloc(context, room, sizeof *comparison->rows)) && room)
        status = PHX_ERR_MEMORY;
    for (int file = 0; file < comparison->others.count && !status; file++) {
        const phx_plot_other *other = &comparison->others.items[file];
        if (other->measured)
            status = check_maps(comparison, other);
        if (!status)
            status = compare_file(comparison, file, options);
        for (int of_other = 0; of_other < 2 && !status && !other->measured && !options->sources.n_columns; of_other++)
            warn_of_missing(comparison, other, of_other);
    }
    return status ? status : check_tolerances(context, comparison, options);
}

/* The output appears when all comparisons have been made. */
phx_status phx_compare(phx_context *context, const char *path, const phx_compare_options *options, const char *output,
                       int *rows, int *above)
{
    phx_comparison comparison = {.path = path};
    phx_output out;

    phx_files_begin(context);
    phx_status status = compare_all(context, options, &comparison);
    if (!status)
        status = phx_output_open(context, output, &out);
    if (!status) {
        phx_comparison_put(&comparison, options->format, &out);
        status = phx_output_commit(&out);
    }
    *rows = comparison.count;
    *above = 0;
    for (int k = 0; k < comparison.count; k++)
        *above += comparison.rows[k].above;
    phx_free(comparison.rows);
    phx_selection_free(&comparison.selection);
    phx_plot_others_close(&comparison.others);
    phx_plot_source_close(&comparison.source);
    phx_files_end(context);
    return phx_conclude(context, status);
}
