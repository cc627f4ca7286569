/* Results and measured tables that are compared with a first result. */
#include "plot.h"

#include <stdio.h>
#include <string.h>

/* ---- a measured table ---- */

/* Reads the column of a map "A=B" to column k of a table for `width` columns, as B. */
static phx_status add_mapped(phx_context *context, const char *path, const char *map, int k, int width, phx_csv *table)
{
    char column[PHX_PLOT_TEXT];
    const char *equals = strchr(map, '=');
    phx_csv csv = {0};

    if (!equals || equals == map || !equals[1])
        return phx_fail(context, PHX_ERR_INPUT, "%s: expected COLUMN=OUTPUT, found %s", path, phx_shown_text(map).text);
    if (phx_csv_find(table, equals + 1) >= 0)
        return phx_fail(context, PHX_ERR_INPUT, "%s: two columns are given for %s", path,
                        phx_shown_text(equals + 1).text);
    snprintf(column, sizeof column, "%.*s", (int)(equals - map), map);
    phx_status status = phx_csv_read(context, path, column, &csv);
    if (!status && phx_csv_find(&csv, column) == 0)
        status = phx_fail(context, PHX_ERR_INPUT, "%s: %s is the first column, which is time", path,
                          phx_shown_text(column).text);
    if (!status && !table->values) {
        table->n_rows = csv.n_rows;
        table->values = phx_calloc(context, csv.n_rows * (size_t)width, sizeof *table->values);
    }
    table->names[k] = status ? NULL : phx_strdup(context, equals + 1);
    table->n_columns += table->names[k] != NULL;
    if (!status && (!table->values || !table->names[k]))
        status = PHX_ERR_MEMORY;
    for (size_t i = 0; i < table->n_rows && !status; i++) {
        table->values[i * (size_t)width] = csv.values[2 * i];
        table->values[i * (size_t)width + (size_t)k] = csv.values[2 * i + 1];
    }
    phx_csv_free(&csv);
    return status;
}

/* Time, then the mapped columns under the names of the outputs they measure. */
phx_status phx_plot_source_open_measured(phx_context *context, const phx_plot_options *options, phx_plot_source *source)
{
    const int width = 1 + options->n_maps;
    *source = (phx_plot_source){.context = context};
    phx_csv *table = &source->csv;
    table->names = phx_calloc(context, (size_t)width, sizeof *table->names);
    phx_status status = table->names ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = (table->names[0] = phx_strdup(context, "t")) ? PHX_OK : PHX_ERR_MEMORY;
    table->n_columns = !status;
    for (int k = 1; k < width && !status; k++)
        status = add_mapped(context, options->measured, options->maps[k - 1], k, width, table);
    source->n_columns = source->n_names = table->n_columns;
    source->rows = table->n_rows;
    if (!status)
        status = phx_plot_source_limit(source, options->measured, options);
    if (status)
        phx_plot_source_close(source);
    return status;
}

/* ---- all that are compared with the first ---- */
phx_status phx_plot_others_open(phx_context *context, const phx_plot_options *options, phx_plot_others *others)
{
    const int count = options->n_others + (options->measured != NULL);
    phx_status status = PHX_OK;

    *others = (phx_plot_others){.items = phx_calloc(context, (size_t)count, sizeof *others->items)};
    if (count && !others->items)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++) {
        phx_plot_other *other = &others->items[k];
        other->measured = k == options->n_others;
        other->path = other->measured ? options->measured : options->others[k];
        status = other->measured ? phx_plot_source_open_measured(context, options, &other->source)
                                 : phx_plot_source_open(context, other->path, options, &other->source);
        others->count += !status;
    }
    return status;
}

void phx_plot_others_close(phx_plot_others *others)
{
    for (int k = 0; k < others->count; k++)
        phx_plot_source_close(&others->items[k].source);
    phx_free(others->items);
    *others = (phx_plot_others){0};
}

static const char *shown_unit(const char *unit)
{
    return unit[0] ? unit : "1";
}

phx_status phx_plot_others_check_unit(const phx_plot_source *source, int column, const char *path,
                                      const phx_plot_other *other, int other_column)
{
    const char *unit = phx_plot_source_unit(source, column),
               *theirs = phx_plot_source_unit(&other->source, other_column);
    if (!source->result || !other->source.result || strcmp(unit, theirs) == 0)
        return PHX_OK;
    return phx_fail(source->context, PHX_ERR_INPUT,
                    "%s is in %s in %s and in %s in %s; outputs of different units cannot be compared, choose others",
                    phx_plot_source_name(source, column), shown_unit(unit), path, shown_unit(theirs), other->path);
}
