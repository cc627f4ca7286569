/* Simulations and tables of modes as bundles. */
#include "exchange.h"

#include <math.h>
#include <string.h>

/* Names of what is added behind the columns. */
static const char *const reserved[] = {"columns",  "units",   "variables",         "states_x",     "states_v", "bodies",
                                       "kinds",    "x_start", "x_count",           "v_start",      "v_count",  "model",
                                       "n_points", "ledger",  "ledger_dissipates", "ledger_values"};

static void make_column_name(const phx_bundle *bundle, const char *column, char name[PHX_BUNDLE_NAME_SIZE])
{
    phx_bundle_make_name(bundle, "", column, name);
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (strcmp(reserved[k], name) == 0)
            phx_bundle_make_name(bundle, "column_", column, name);
}

/* ---- a simulation ---- */
typedef struct column_names {
    const char **columns, **units, **variables;
    char *text; /* of the variables */
} column_names;

/* Adds every column of a result as a variable of its own to the bundle, and the lists of columns, units and variable
 * names. */
static phx_status add_columns(phx_context *context, phx_bundle *bundle, const phx_result *result, column_names *names)
{
    const int count = phx_result_columns(result);
    const size_t rows = phx_result_rows(result);
    double *values = phx_calloc(context, rows, sizeof *values);
    phx_status status = values ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++) {
        char *name = names->text + (size_t)k * PHX_BUNDLE_NAME_SIZE;
        names->columns[k] = phx_result_column_name(result, k);
        names->units[k] = phx_result_column_unit(result, k);
        names->variables[k] = name;
        make_column_name(bundle, names->columns[k], name);
        status = phx_result_column(result, k, 0, rows, values);
        if (!status) {
            phx_bundle_add_matrix(bundle, name, (int)rows, 1, values, NULL);
            phx_bundle_describe(bundle, names->columns[k], names->units[k]);
            status = phx_bundle_status(bundle);
        }
    }
    if (!status) {
        phx_bundle_add_names(bundle, "columns", count, names->columns);
        phx_bundle_add_names(bundle, "units", count, names->units);
        phx_bundle_add_names(bundle, "variables", count, names->variables);
    }
    phx_free(values);
    return status;
}

/* Adds configurations and velocities at all instants to the bundle, a row for each. */
static phx_status add_states(phx_context *context, phx_bundle *bundle, const phx_result *result)
{
    const size_t rows = phx_result_rows(result), n_x = (size_t)phx_result_n_x(result),
                 n_v = (size_t)phx_result_n_v(result);
    double *x = phx_calloc(context, rows * n_x, sizeof *x), *v = phx_calloc(context, rows * n_v, sizeof *v);
    phx_status status = x && v ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t i = 0; i < rows && !status; i++)
        status = phx_result_state(result, i, x + i * n_x, v + i * n_v);
    if (!status) {
        phx_bundle_add_matrix(bundle, "states_x", (int)rows, (int)n_x, x, NULL);
        phx_bundle_describe(bundle, "configuration of all bodies at each instant", NULL);
        phx_bundle_add_matrix(bundle, "states_v", (int)rows, (int)n_v, v, NULL);
        phx_bundle_describe(bundle, "velocities of all bodies at each instant", NULL);
    }
    phx_free(x);
    phx_free(v);
    return status;
}

/* Names of the entries, 1 for those that dissipate, and a column of values for each. */
static phx_status add_ledger(phx_context *context, phx_bundle *bundle, const phx_result *result)
{
    const size_t rows = phx_result_rows(result), count = (size_t)phx_result_ledger(result);
    const char **names = phx_calloc(context, count, sizeof *names);
    double *values = phx_calloc(context, rows * count, sizeof *values),
           *column = phx_calloc(context, rows, sizeof *column),
           *dissipates = phx_calloc(context, count, sizeof *dissipates);
    phx_status status = names && values && column && dissipates ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t k = 0; k < count && !status; k++) {
        const phx_record_entry *entry = phx_result_ledger_entry(result, (int)k);
        names[k] = entry->name;
        dissipates[k] = entry->dissipates;
        status = phx_result_ledger_values(result, (int)k, 0, rows, column);
        for (size_t i = 0; i < rows && !status; i++)
            values[i * count + k] = column[i];
    }
    if (!status && count > 0) {
        phx_bundle_add_names(bundle, "ledger", (int)count, names);
        phx_bundle_add_matrix(bundle, "ledger_dissipates", (int)count, 1, dissipates, NULL);
        phx_bundle_describe(bundle, "1: the entry takes work, 0: it supplies", NULL);
        phx_bundle_add_matrix(bundle, "ledger_values", (int)rows, (int)count, values, NULL);
        phx_bundle_describe(bundle, "work of each entry since the start, at each instant", "J");
    }
    phx_free((void *)names);
    phx_free(values);
    phx_free(column);
    phx_free(dissipates);
    return status;
}

/* Adds names, kinds and ranges of entries in the states of all bodies to the bundle. */
static phx_status add_bodies(phx_context *context, phx_bundle *bundle, const phx_result *result)
{
    static const char *const ranges[] = {"x_start", "x_count", "v_start", "v_count", "n_points"};
    enum { RANGES = sizeof ranges / sizeof *ranges };
    const int count = phx_result_bodies(result);
    const size_t n = (size_t)count;
    const char **names = phx_calloc(context, 2 * n, sizeof *names);
    double *values = phx_calloc(context, RANGES * n, sizeof *values);
    if (names && values) {
        for (size_t b = 0; b < n; b++) {
            const phx_record_body *body = phx_result_body(result, (int)b);
            const int range[RANGES] = {body->x_start, body->x_count, body->v_start, body->v_count, body->n_points};
            names[b] = body->name;
            names[n + b] = body->kind;
            for (size_t k = 0; k < RANGES; k++)
                values[k * n + b] = range[k];
        }
        phx_bundle_add_names(bundle, "bodies", count, names);
        phx_bundle_add_names(bundle, "kinds", count, names + n);
        for (size_t k = 0; k < RANGES; k++)
            phx_bundle_add_matrix(bundle, ranges[k], count, 1, values + k * n, NULL);
    }
    const phx_status status = names && values ? PHX_OK : PHX_ERR_MEMORY;
    phx_free((void *)names);
    phx_free(values);
    return status;
}

/* Adds attributes and model text of a result to the bundle; numbers that are not finite are left out. */
static void add_attributes(phx_bundle *bundle, const phx_result *result)
{
    for (int k = 0; k < phx_result_attributes(result); k++) {
        const phx_attribute *attribute = phx_result_attribute(result, k);
        char name[PHX_BUNDLE_NAME_SIZE];
        if (!attribute->text && !isfinite(attribute->number)) /* none of it */
            continue;
        phx_bundle_make_name(bundle, "info_", attribute->name, name);
        if (attribute->text)
            phx_bundle_add_text(bundle, name, attribute->text);
        else
            phx_bundle_add_number(bundle, name, attribute->number);
    }
    phx_bundle_add_text(bundle, "model", phx_result_model_text(result));
}

/* Adds columns, states, energy ledger, bodies and attributes of a result to the bundle. */
phx_status phx_bundle_add_result(phx_context *context, phx_bundle *bundle, const phx_result *result)
{
    if (!bundle || !result)
        return phx_fail_null(context, __func__, "bundle or result");
    const size_t count = (size_t)phx_result_columns(result);
    const char **lists = phx_calloc(context, 3 * count, sizeof *lists);
    column_names names = {.text = phx_calloc(context, count, PHX_BUNDLE_NAME_SIZE)};
    phx_status status = lists && names.text ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        names.columns = lists;
        names.units = lists + count;
        names.variables = lists + 2 * count;
        status = add_columns(context, bundle, result, &names);
    }
    if (!status)
        status = add_states(context, bundle, result);
    if (!status)
        status = add_ledger(context, bundle, result);
    if (!status)
        status = add_bodies(context, bundle, result);
    if (!status) {
        add_attributes(bundle, result);
        status = phx_bundle_status(bundle);
    }
    phx_free((void *)lists);
    phx_free(names.text);
    return status;
}

/* ---- a table of modes ---- */
enum { POINT, MODE, BRANCH, OMEGA, FREQUENCY, DAMPING, ENTRIES };
static const struct {
    const char *name, *meaning, *unit;
} entries[ENTRIES] = {
    {"point", "point of the sweep of each row, from 1: a row of values", ""},
    {"mode", "rank at its point, from 1", ""},
    {"branch", "identity along the sweep, from 1", ""},
    {"omega", "angular frequency |lambda|", "rad/s"},
    {"frequency", "omega / (2 pi)", "Hz"},
    {"damping", "damping ratio -Re lambda / |lambda|", ""},
};

/* Adds the rows of a table of modes to the bundle, one vector for each quantity; points count from 1. */
static phx_status add_rows(phx_context *context, phx_bundle *bundle, const phx_modes_table *table)
{
    const size_t n = (size_t)table->n_rows;
    double *values = phx_calloc(context, ENTRIES * n, sizeof *values);
    if (!values)
        return PHX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const phx_mode_row *row = &table->rows[i];
        const double entry[ENTRIES] = {row->point + 1, row->mode,      row->branch,
                                       row->omega,     row->frequency, row->damping};
        for (size_t k = 0; k < ENTRIES; k++)
            values[k * n + i] = entry[k];
    }
    for (size_t k = 0; k < ENTRIES; k++) {
        phx_bundle_add_matrix(bundle, entries[k].name, table->n_rows, 1, values + k * n, NULL);
        phx_bundle_describe(bundle, entries[k].meaning, entries[k].unit);
    }
    phx_free(values);
    return PHX_OK;
}

static phx_status add_rigid_modes(phx_context *context, phx_bundle *bundle, const phx_modes_table *table)
{
    double *values = phx_calloc(context, (size_t)table->n_points, sizeof *values);
    if (!values)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < table->n_points; p++)
        values[p] = table->rigid_modes[p];
    phx_bundle_add_matrix(bundle, "rigid_modes", table->n_points, 1, values, NULL);
    phx_bundle_describe(bundle, "rigid-body modes left out at each point", NULL);
    phx_free(values);
    return PHX_OK;
}

/* Adds sweep, rows and, if there are any, mode shapes of a table of modes to the bundle. */
phx_status phx_bundle_add_modes(phx_context *context, phx_bundle *bundle, const phx_modes_table *table)
{
    if (!bundle || !table)
        return phx_fail_null(context, __func__, "bundle or table");
    phx_bundle_add_names(bundle, "parameters", table->n_parameters, table->parameters);
    phx_bundle_add_matrix(bundle, "values", table->n_points, table->n_parameters, table->values, NULL);
    phx_bundle_describe(bundle, "values of the parameters at each point of the sweep", NULL);
    phx_status status = table->rigid_modes ? add_rigid_modes(context, bundle, table) : PHX_OK;
    if (!status && table->spin) {
        phx_bundle_add_matrix(bundle, "spin", table->n_points, 1, table->spin, NULL);
        phx_bundle_describe(bundle, "angular speed of the steady rotation at each point", "rad/s");
    }
    if (!status)
        status = add_rows(context, bundle, table);
    if (!status && table->n_coordinates > 0) {
        phx_bundle_add_names(bundle, "coordinates", table->n_coordinates, table->coordinates);
        phx_bundle_add_matrix(bundle, "shapes", table->n_rows, table->n_coordinates, table->shapes,
                              table->shapes_imaginary);
        phx_bundle_describe(bundle, "mode shapes, one in each row, over the coordinates", NULL);
    }
    if (!status) {
        phx_bundle_add_text(bundle, "title", table->model_name);
        phx_bundle_add_text(bundle, "model", table->model_text);
        status = phx_bundle_status(bundle);
    }
    return status;
}
