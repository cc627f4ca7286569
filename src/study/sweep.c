/* The points of a sweep over several parameters. */
#include "internal.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct sweep_parameter {
    char *name;
    int count;
    double *values; /* NULL: evenly from `from` to `to` */
    double from, to;
} sweep_parameter;

struct phx_sweep {
    phx_context *context;
    int count, room, points;
    sweep_parameter *parameter; /* the first varies slowest */
};

static double value_at(const sweep_parameter *parameter, int i)
{
    if (parameter->values)
        return parameter->values[i];
    if (i == 0 || i == parameter->count - 1)
        return i == 0 ? parameter->from : parameter->to;
    return parameter->from + (parameter->to - parameter->from) * i / (parameter->count - 1);
}

phx_status phx_sweep_create(phx_context *context, phx_sweep **sweep)
{
    if (!sweep)
        return phx_fail_null(context, __func__, "sweep");
    *sweep = phx_calloc(context, 1, sizeof **sweep);
    if (!*sweep)
        return PHX_ERR_MEMORY;
    (*sweep)->context = context;
    (*sweep)->points = 1;
    return phx_conclude(context, PHX_OK);
}

void phx_sweep_destroy(phx_sweep *sweep)
{
    if (!sweep)
        return;
    for (int k = 0; k < sweep->count; k++) {
        phx_free(sweep->parameter[k].name);
        phx_free(sweep->parameter[k].values);
    }
    phx_free(sweep->parameter);
    phx_free(sweep);
}

/* Checks name and count of a new parameter: not empty, not given twice, at least one value and at most INT_MAX points
 * in all. */
static phx_status sweep_check(const phx_sweep *sweep, const char *name, int count)
{
    phx_context *context = sweep->context;
    if (!name || !name[0])
        return phx_fail(context, PHX_ERR_ARGUMENT, "sweep: a parameter needs a name");
    for (int k = 0; k < sweep->count; k++)
        if (strcmp(sweep->parameter[k].name, name) == 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "sweep: parameter %s is given twice", name);
    if (count < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "sweep: count of %s is %d; it must be at least 1", name, count);
    if (sweep->points > INT_MAX / count)
        return phx_fail(context, PHX_ERR_ARGUMENT, "sweep: %s with %d values makes more than %d points", name, count,
                        INT_MAX);
    return PHX_OK;
}

/* Room for one more parameter. */
static phx_status reserve(phx_sweep *sweep)
{
    if (sweep->count < sweep->room)
        return PHX_OK;
    const int room = sweep->room > 0 ? 2 * sweep->room : 4;
    sweep_parameter *grown = phx_realloc(sweep->context, sweep->parameter, (size_t)room, sizeof *grown);
    if (!grown)
        return PHX_ERR_MEMORY;
    sweep->parameter = grown;
    sweep->room = room;
    return PHX_OK;
}

/* Append a parameter; its values, if any, are copied. */
static phx_status sweep_append(phx_sweep *sweep, const char *name, const double *values,
                               const sweep_parameter *parameter)
{
    sweep_parameter added = *parameter;

    if (reserve(sweep))
        return PHX_ERR_MEMORY;
    added.name = phx_strdup(sweep->context, name);
    added.values = added.name && values ? phx_calloc(sweep->context, (size_t)added.count, sizeof(double)) : NULL;
    if (!added.name || (values && !added.values)) {
        phx_free(added.name);
        return PHX_ERR_MEMORY;
    }
    if (values)
        memcpy(added.values, values, (size_t)added.count * sizeof(double));
    sweep->parameter[sweep->count++] = added;
    sweep->points *= added.count;
    return PHX_OK;
}

phx_status phx_sweep_add_range(phx_sweep *sweep, const char *name, double from, double to, int count)
{
    if (!sweep || !name)
        return phx_fail_null(sweep ? sweep->context : NULL, __func__, "sweep or name");
    phx_status status = sweep_check(sweep, name, count);
    if (status)
        return status;
    if (!isfinite(from) || !isfinite(to) || !isfinite(to - from))
        return phx_fail(sweep->context, PHX_ERR_ARGUMENT, "sweep: %s goes from %g to %g; both must be finite", name,
                        from, to);
    return phx_conclude(sweep->context,
                        sweep_append(sweep, name, NULL, &(sweep_parameter){.count = count, .from = from, .to = to}));
}

phx_status phx_sweep_add_values(phx_sweep *sweep, const char *name, int count, const double *values)
{
    if (!sweep || !name || (count > 0 && !values))
        return phx_fail_null(sweep ? sweep->context : NULL, __func__, "sweep, name or values");
    phx_status status = sweep_check(sweep, name, count);
    if (status)
        return status;
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return phx_fail(sweep->context, PHX_ERR_ARGUMENT, "sweep: value %d of %s is %g; it must be finite", i + 1,
                            name, values[i]);
    return phx_conclude(sweep->context, sweep_append(sweep, name, values, &(sweep_parameter){.count = count}));
}

int phx_sweep_parameters(const phx_sweep *sweep)
{
    return sweep->count;
}

const char *phx_sweep_name(const phx_sweep *sweep, int k)
{
    assert(k >= 0 && k < sweep->count);
    return sweep->parameter[k].name;
}

int phx_sweep_count(const phx_sweep *sweep, int k)
{
    assert(k >= 0 && k < sweep->count);
    return sweep->parameter[k].count;
}

double phx_sweep_value(const phx_sweep *sweep, int k, int i)
{
    assert(k >= 0 && k < sweep->count && i >= 0 && i < sweep->parameter[k].count);
    return value_at(&sweep->parameter[k], i);
}

int phx_sweep_points(const phx_sweep *sweep)
{
    return sweep->points;
}

void phx_sweep_at(const phx_sweep *sweep, int point, int *index, double *values)
{
    assert(point >= 0 && point < sweep->points);
    for (int k = sweep->count - 1; k >= 0; k--) {
        const sweep_parameter *parameter = &sweep->parameter[k];
        const int i = point % parameter->count;
        point /= parameter->count;
        if (index)
            index[k] = i;
        if (values)
            values[k] = value_at(parameter, i);
    }
}

int phx_sweep_point(const phx_sweep *sweep, const int *index)
{
    int point = 0;
    for (int k = 0; k < sweep->count; k++) {
        assert(index[k] >= 0 && index[k] < sweep->parameter[k].count);
        point = point * sweep->parameter[k].count + index[k];
    }
    return point;
}

/* ---- points of a model ---- */
phx_status phx_sweep_apply(phx_context *context, const phx_sweep *sweep, int point, phx_model *model,
                           phx_model_override *overrides)
{
    if (!sweep || sweep->count == 0)
        return PHX_OK;
    for (int k = sweep->count - 1; k >= 0; k--) {
        const sweep_parameter *parameter = &sweep->parameter[k];
        overrides[k] =
            (phx_model_override){.name = parameter->name, .value = value_at(parameter, point % parameter->count)};
        point /= parameter->count;
    }
    return phx_model_set_parameters(context, model, sweep->count, overrides);
}

/* Precedes the message of a failure by the parameter values and the number of the point; returns the status. */
phx_status phx_sweep_name_point(phx_context *context, const phx_sweep *sweep, int point, phx_status status)
{
    char where[200] = "";
    size_t length = 0;
    int stride = sweep ? sweep->points : 1;

    if (!status || !sweep || sweep->count == 0 || status == PHX_ERR_MEMORY)
        return status;
    for (int k = 0; k < sweep->count && length < sizeof where; k++) {
        const sweep_parameter *parameter = &sweep->parameter[k];
        stride /= parameter->count;
        length += (size_t)snprintf(where + length, sizeof where - length, "%s%s = %.10g", k ? ", " : "",
                                   parameter->name, value_at(parameter, point / stride % parameter->count));
    }
    return phx_fail_prefix(context, status, "at %s (point %d of %d): ", where, point + 1, sweep->points);
}
