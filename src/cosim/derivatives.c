/* Directional derivatives of a unit at the instant at hand, by differences of fourth order along the direction:
 *
 *     f' = (8 (f(s) - f(-s)) - f(2s) + f(-2s)) / (12 s) + O(s^4)
 *
 * The joints are closed to rounding at each of the four points, so that the error is some 1e-12 of the size of f where
 * f is smooth, and nothing but rounding where it is a polynomial of degree four: of forces in particular, which it
 * depends on linearly. Everything is put back afterwards bit by bit. */
#include "unit.h"

#include <math.h>
#include <string.h>

static const double STRIDE = 1e-3; /* of the nominal values */
enum { POINTS = 4 };
static const double place[POINTS] = {-2.0, -1.0, 1.0, 2.0}, weight[POINTS] = {1.0, -8.0, 8.0, -1.0};

/* A copy of everything that evaluations change. */
static phx_status derivatives_keep(phx_unit *unit, phx_archive **kept)
{
    phx_status status = phx_archive_create(unit->context, kept);

    if (!status) {
        phx_unit_archive(*kept, unit);
        status = phx_archive_status(*kept);
    }
    return status;
}

static phx_status put_back(phx_unit *unit, const phx_archive *kept)
{
    size_t size = 0;
    const void *bytes = phx_archive_bytes(kept, &size);
    phx_archive *archive = NULL;
    phx_status status = phx_archive_open(unit->context, size, bytes, &archive);

    if (!status) {
        phx_unit_archive(archive, unit);
        status = phx_archive_status(archive);
    }
    phx_archive_destroy(archive);
    return status;
}

/* The present values of the known variables, and their nominal values. */
static phx_status read_knowns(phx_unit *unit, const phx_unit_direction *along, double *now, double *nominal)
{
    const int states = phx_unit_states(unit);
    double *all = phx_calloc(unit->context, (size_t)states, sizeof *all);
    phx_status status = all ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && states > 0)
        phx_unit_nominals(unit, all);
    for (size_t k = 0; k < along->n_known && !status; k++) {
        phx_variable variable;
        phx_unit_variable(unit, (int)along->known[k], &variable);
        status = phx_unit_get(unit, (int)along->known[k], &now[k]);
        nominal[k] = variable.state >= 0                                        ? all[variable.state]
                     : variable.kind == PHX_VARIABLE_PARAMETER && now[k] != 0.0 ? fabs(now[k])
                                                                                : 1.0;
    }
    phx_free(all);
    return status;
}

/* Sets knowns to now + s seed: parameters and inputs at once, states together if the unit is in model exchange. */
static phx_status put_knowns(phx_unit *unit, const phx_unit_direction *along, const double *now, double s)
{
    const int states = phx_unit_states(unit);
    double *all = phx_calloc(unit->context, (size_t)states, sizeof *all);
    phx_status status = all ? PHX_OK : PHX_ERR_MEMORY;
    bool of_states = false;

    if (!status && states > 0)
        phx_unit_get_states(unit, all);
    for (size_t k = 0; k < along->n_known && !status; k++) {
        const double value = now[k] + s * along->seed[k];
        phx_variable variable;
        phx_unit_variable(unit, (int)along->known[k], &variable);
        of_states = of_states || variable.state >= 0;
        if (variable.state >= 0)
            all[variable.state] = value;
        else
            status = phx_unit_set(unit, (int)along->known[k], value);
    }
    if (!status)
        status = phx_unit_take_parameters(unit, along->start);
    if (!status && of_states && unit->exchanging)
        status = phx_unit_set_states(unit, all);
    phx_free(all);
    return status;
}

/* derivative[i] = sum over p of weight[p] y_i(now + place[p] s seed) / (12 s): the central difference of fourth
 * order. */
static phx_status differences(phx_unit *unit, const phx_unit_direction *along, const double *now, double s,
                              double *derivative)
{
    phx_status status = PHX_OK;

    memset(derivative, 0, along->n_unknown * sizeof *derivative);
    for (int p = 0; p < POINTS && !status; p++) {
        status = put_knowns(unit, along, now, place[p] * s);
        for (size_t i = 0; i < along->n_unknown && !status; i++) {
            double value = 0.0;
            status = phx_unit_get(unit, (int)along->unknown[i], &value);
            derivative[i] += weight[p] * value / (12.0 * s);
        }
    }
    return status;
}

static phx_status check_direction(phx_unit *unit, const phx_unit_direction *along)
{
    for (size_t k = 0; k < along->n_known; k++) {
        phx_variable variable;
        phx_unit_variable(unit, (int)along->known[k], &variable);
        const bool state = unit->exchanging && variable.state >= 0 && variable.kind != PHX_VARIABLE_RATE;
        const bool parameter = variable.kind == PHX_VARIABLE_PARAMETER;
        if (variable.kind != PHX_VARIABLE_INPUT && !state && !parameter)
            return phx_fail(unit->context, PHX_ERR_ARGUMENT, "'%s' is %s: nothing is differentiated with respect to it",
                            variable.name,
                            unit->exchanging ? "neither input nor state nor parameter" : "neither input nor parameter");
    }
    return PHX_OK;
}

/* Derivatives of the unknowns along the seed by central differences; the unit is put back to its state, also after a
 * failure. */
phx_status phx_unit_directional(phx_unit *unit, const phx_unit_direction *along, double *derivative)
{
    double *now = phx_calloc(unit->context, along->n_known, sizeof *now), largest = 0.0;
    double *nominal = phx_calloc(unit->context, along->n_known, sizeof *nominal);
    phx_archive *kept = NULL;
    phx_status status = now && nominal ? check_direction(unit, along) : PHX_ERR_MEMORY;

    memset(derivative, 0, along->n_unknown * sizeof *derivative);
    if (!status)
        status = derivatives_keep(unit, &kept);
    if (!status)
        status = read_knowns(unit, along, now, nominal);
    for (size_t k = 0; k < along->n_known && !status; k++)
        largest = fmax(largest, fabs(along->seed[k]) / nominal[k]);
    if (!status && largest > 0.0)
        status = differences(unit, along, now, STRIDE / largest, derivative);
    if (kept && phx_archive_status(kept) == PHX_OK) {
        const phx_status back = put_back(unit, kept);
        status = status ? status : back;
    }
    phx_archive_destroy(kept);
    phx_free(now);
    phx_free(nominal);
    return status;
}

/* J^T seed, a column of J after the other. */
phx_status phx_unit_adjoint(phx_unit *unit, const phx_unit_direction *along, double *derivative)
{
    double *column = phx_calloc(unit->context, along->n_unknown, sizeof *column);
    phx_status status = column ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t k = 0; k < along->n_known && !status; k++) {
        const phx_unit_direction one = {.n_unknown = along->n_unknown,
                                        .unknown = along->unknown,
                                        .n_known = 1,
                                        .known = &along->known[k],
                                        .start = along->start,
                                        .seed = (const double[1]){1.0}};
        status = phx_unit_directional(unit, &one, column);
        derivative[k] = 0.0;
        for (size_t i = 0; i < along->n_unknown && !status; i++)
            derivative[k] += along->seed[i] * column[i];
    }
    phx_free(column);
    return status;
}
