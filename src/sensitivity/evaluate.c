/* The objectives of one model: one analysis of each kind that they need. */
#include "objective.h"

#include <math.h>
#include <string.h>

/* Whether any objective is of this analysis. */
static bool asks_for(int n, const phx_objective *objectives, phx_analysis analysis)
{
    for (int k = 0; k < n; k++)
        if (objectives[k].analysis == analysis)
            return true;
    return false;
}

static phx_status beyond_count(phx_context *context, const phx_objective *objective, int count, const char *what)
{
    return phx_fail(context, PHX_ERR_INPUT, "objective '%s': there are %d %s", objective->text, count, what);
}

/* ---- mass ---- */
static phx_status evaluate_mass(phx_context *context, const phx_model *model, phx_beam_cache *cache, int n,
                                const phx_objective *objectives, double *value)
{
    const phx_build_options build = {.cache = cache, .without_outputs = true};
    phx_system *system = NULL;
    const phx_status status = phx_model_build(context, model, &build, &system);
    double mass = 0.0;

    for (int b = 0; !status && b < phx_system_bodies(system); b++)
        mass += phx_body_at_rest(phx_system_body(system, b))->mass;
    for (int k = 0; k < n; k++)
        if (objectives[k].analysis == PHX_ANALYSIS_MODEL)
            value[k] = mass;
    phx_system_destroy(system);
    return status;
}

/* ---- modes ---- */
/* The number of the highest mode that an objective names, from 0. */
static int highest_mode(const phx_objective *objective)
{
    return objective->quantity != PHX_OF_MEAN_OMEGA ? objective->index
           : objective->output > objective->input   ? objective->output
                                                    : objective->input;
}

static double of_modes(const phx_objective *objective, const phx_mode_row *rows)
{
    double sum = 0.0;

    if (objective->quantity != PHX_OF_MEAN_OMEGA) {
        const phx_mode_row *row = &rows[objective->index];
        return objective->quantity == PHX_OF_OMEGA       ? row->omega
               : objective->quantity == PHX_OF_FREQUENCY ? row->frequency
                                                         : row->damping;
    }
    const int last = highest_mode(objective), first = objective->output + objective->input - last;
    for (int m = first; m <= last; m++)
        sum += rows[m].omega / (last - first + 1);
    return sum;
}

/* The column of the outputs of a system that an objective names, of those that follow places and angles alone; -1: an
 * error. */
static int column_of_shape(phx_context *context, const phx_system *system, const phx_objective *objective)
{
    char name[300];
    phx_nearest nearest = phx_nearest_to(objective->expression);

    for (int c = 0; c < phx_system_columns(system); c++) {
        phx_system_column_name(system, c, name, sizeof name);
        if (!phx_output_slopes_has(system, phx_system_column_output(system, c)))
            continue;
        if (strcmp(name, objective->expression) == 0)
            return c;
        phx_nearest_offer(&nearest, name);
    }
    (void)phx_fail(context, PHX_ERR_INPUT,
                   "objective '%s': there is no column '%s' of places, angles, coordinates or stresses%s",
                   objective->text, objective->expression, phx_nearest_hint(&nearest).text);
    return -1;
}

/* |y_c phi| of each objective that asks for it, phi scaled to phi^H M phi = 1, y_c the row of the column. */
static phx_status evaluate_shapes(phx_context *context, const phx_model *model, const phx_modes_table *table, int n,
                                  const phx_objective *objectives, double *value)
{
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    phx_output_slopes *slopes = NULL;
    phx_status status = phx_model_build(context, model, NULL, &system);

    if (!status)
        status = phx_system_dae(system, context, &dae);
    if (!status)
        status = phx_output_slopes_create(dae, &slopes);
    const size_t n_v = status ? 0 : (size_t)phx_system_n_v(system),
                 columns = status ? 0 : (size_t)phx_system_columns(system);
    double *row = phx_calloc(context, 2 * n_v + columns + 1, sizeof *row);
    bool *wanted = phx_calloc(context, columns + 1, sizeof *wanted);
    if (!status && (!row || !wanted))
        status = PHX_ERR_MEMORY;
    double *still = phx_behind(row, n_v), *weight = phx_behind(still, n_v);
    if (!status && ((size_t)table->n_coordinates != n_v || table->n_x != phx_system_n_x(system)))
        status = phx_fail(context, PHX_ERR_UNSUPPORTED, "these modes have other coordinates than a motion at rest");
    for (int k = 0; k < n && !status; k++) {
        const size_t mode = (size_t)objectives[k].index;
        if (objectives[k].quantity != PHX_OF_SHAPE)
            continue;
        const int c = column_of_shape(context, system, &objectives[k]);
        if (c < 0) {
            status = PHX_ERR_INPUT;
            break;
        }
        memset(row, 0, n_v * sizeof *row);
        weight[c] = 1.0;
        wanted[phx_system_column_output(system, c)] = true;
        status = phx_output_slopes_add(slopes, wanted, 0.0, table->states, still, 1, (int)columns, weight, row);
        wanted[phx_system_column_output(system, c)] = false;
        weight[c] = 0.0;
        const double *im = table->shapes_imaginary ? table->shapes_imaginary + mode * n_v : still;
        value[k] = hypot(phx_dot((int)n_v, row, table->shapes + mode * n_v), phx_dot((int)n_v, row, im));
    }
    phx_free(row);
    phx_free(wanted);
    phx_output_slopes_destroy(slopes);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    return status;
}

/* As many modes as the objectives name. */
static phx_status evaluate_modes(phx_context *context, const phx_model *model, phx_beam_cache *cache, int n,
                                 const phx_objective *objectives, double *value)
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table = {0};

    options.cache = cache;
    for (int k = 0; k < n; k++)
        if (objectives[k].analysis == PHX_ANALYSIS_MODES && highest_mode(&objectives[k]) >= options.count)
            options.count = highest_mode(&objectives[k]) + 1;
    for (int k = 0; k < n; k++)
        options.with_shapes = options.with_shapes || objectives[k].quantity == PHX_OF_SHAPE;
    phx_status status = phx_study_modes(context, model, &options, &table, NULL);
    for (int k = 0; k < n && !status; k++) {
        if (objectives[k].analysis != PHX_ANALYSIS_MODES)
            continue;
        if (highest_mode(&objectives[k]) >= table.n_rows)
            status = beyond_count(context, &objectives[k], table.n_rows, "modes");
        else if (objectives[k].quantity != PHX_OF_SHAPE)
            value[k] = of_modes(&objectives[k], table.rows);
    }
    if (!status && options.with_shapes)
        status = evaluate_shapes(context, model, &table, n, objectives, value);
    phx_modes_free(&table);
    return status;
}

/* ---- results with columns ---- */
/* Names of the columns of a result, borrowed; the caller frees the list. */
static const char **column_names(phx_context *context, const phx_result_info *info)
{
    const char **names = phx_calloc(context, (size_t)info->n_columns + 1, sizeof *names);

    for (int c = 0; names && c < info->n_columns; c++)
        names[c] = info->columns[c].name;
    return names;
}

/* The expression of an objective at all rows into e, the time of each into t. */
static phx_status evaluate_rows(phx_context *context, const phx_model *model, const phx_result_info *info,
                                const phx_objective *objective, double *t, double *e)
{
    const char **names = column_names(context, info);
    phx_objective_program program = {0};
    double *variables = NULL;
    phx_status status =
        names ? phx_objective_compile(context, model, objective, info->n_columns, names, &program) : PHX_ERR_MEMORY;

    if (!status)
        variables = phx_calloc(context, (size_t)program.measured.count + 1, sizeof *variables);
    if (!status && !variables)
        status = PHX_ERR_MEMORY;
    for (size_t r = 0; r < info->rows && !status; r++) {
        const double *row = info->memory + r * info->width;
        t[r] = row[0];
        e[r] = phx_objective_value(&program, row[0], row, variables);
        if (!isfinite(e[r]))
            status = phx_fail(context, PHX_ERR_ANALYSIS, "objective '%s' is not a finite number at %g s",
                              objective->text, row[0]);
    }
    phx_free(variables);
    phx_objective_program_free(&program);
    phx_free((void *)names);
    return status;
}

/* Objectives of an analysis that leaves rows. Those of a static result are of its last row. Objectives with the same
 * expression, one behind the other, share its values. */
static phx_status evaluate_result(phx_context *context, const phx_model *model, const phx_result *result, int n,
                                  const phx_objective *objectives, phx_analysis analysis, double *value)
{
    const phx_result_info info = phx_result_about(result);
    double *t = phx_calloc(context, 2 * info.rows, sizeof *t);
    phx_status status = t ? PHX_OK : PHX_ERR_MEMORY;
    const char *evaluated = NULL;

    for (int k = 0; k < n && !status; k++) {
        if (objectives[k].analysis != analysis || !objectives[k].expression)
            continue;
        double *e = t + info.rows;
        if (!evaluated || strcmp(evaluated, objectives[k].expression) != 0)
            status = evaluate_rows(context, model, &info, &objectives[k], t, e);
        evaluated = objectives[k].expression;
        if (!status && analysis == PHX_ANALYSIS_STATIC)
            value[k] = e[info.rows - 1];
        else if (!status)
            status = phx_objective_reduce(context, &objectives[k], (int)info.rows, t, e, &value[k], NULL);
    }
    phx_free(t);
    return status;
}

/* The equilibrium, with as many critical loads as the objectives name. */
static phx_status evaluate_static(phx_context *context, const phx_model *model, phx_beam_cache *cache, int n,
                                  const phx_objective *objectives, double *value)
{
    (void)cache;
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_result *result = NULL;

    for (int k = 0; k < n; k++)
        if (objectives[k].quantity == PHX_OF_CRITICAL && objectives[k].index >= options.buckling)
            options.buckling = objectives[k].index + 1;
    phx_status status = phx_study_static(context, model, &options, &report, &result);
    for (int k = 0; k < n && !status; k++)
        if (objectives[k].quantity == PHX_OF_CRITICAL) {
            if (objectives[k].index >= report.n_critical)
                status = beyond_count(context, &objectives[k], report.n_critical, "critical loads");
            else
                value[k] = report.critical[objectives[k].index].factor;
        }
    if (!status)
        status = evaluate_result(context, model, result, n, objectives, PHX_ANALYSIS_STATIC, value);
    phx_result_destroy(result);
    return status;
}

/* ---- linear models ---- */
/* A response at i omega, interleaved complex. */
static phx_status response_of(phx_context *context, const phx_linear_report *report, const phx_objective *objective,
                              double response[2])
{
    const int inputs = phx_ss_inputs(report->system), outputs = phx_ss_outputs(report->system);
    double *all = phx_calloc(context, 2 * (size_t)(inputs * outputs), sizeof *all);
    phx_status status = all ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_ss_responses_sampled(context, report->system, report->sample, 1, &objective->at, all);
    if (!status)
        memcpy(response, all + 2 * (objective->output * inputs + objective->input), 2 * sizeof *response);
    phx_free(all);
    return status;
}

/* A number of a linear model: a norm, a pole, a gain or a response. */
static phx_status evaluate_linear_one(phx_context *context, const phx_linear_report *report,
                                      const phx_objective *objective, double *value)
{
    const int inputs = phx_ss_inputs(report->system), outputs = phx_ss_outputs(report->system);
    const int states = phx_ss_n(report->system);
    double response[2];
    phx_norm norm;
    phx_status status = PHX_OK;

    switch (objective->quantity) {
    case PHX_OF_H2:
        return phx_ss_h2_norm(context, report->system, value);
    case PHX_OF_HINF:
        status = phx_ss_hinf_norm(context, report->system, NULL, 0.0, &norm);
        *value = norm.lower;
        return status;
    case PHX_OF_POLE_RE:
    case PHX_OF_POLE_IM:
        if (objective->index >= states)
            return beyond_count(context, objective, states, "poles");
        *value = (objective->quantity == PHX_OF_POLE_RE ? report->re : report->im)[objective->index];
        return PHX_OK;
    default:
        break;
    }
    if (objective->output >= outputs || objective->input >= inputs)
        return phx_fail(context, PHX_ERR_INPUT, "objective '%s': there are %d outputs and %d inputs", objective->text,
                        outputs, inputs);
    if (objective->quantity == PHX_OF_DC) {
        *value = report->dc_gain[objective->output * inputs + objective->input];
        return PHX_OK;
    }
    status = response_of(context, report, objective, response);
    *value = objective->quantity == PHX_OF_GAIN ? hypot(response[0], response[1])
             : objective->quantity == PHX_OF_RE ? response[0]
             : objective->quantity == PHX_OF_IM ? response[1]
                                                : atan2(response[1], response[0]);
    return status;
}

/* A margin of the loop opened at the effort that the objective names. */
static phx_status evaluate_margin(phx_context *context, const phx_model *model, const phx_objective *objective,
                                  double *value)
{
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report = {0};

    options.loop = objective->expression;
    const phx_status status = phx_study_linearize(context, model, &options, &report);
    if (!status) {
        const phx_margins *margins = report.margins;
        *value = objective->quantity == PHX_OF_GAIN_MARGIN    ? margins->gain_up
                 : objective->quantity == PHX_OF_PHASE_MARGIN ? fabs(margins->phase_least)
                 : objective->quantity == PHX_OF_DELAY_MARGIN ? margins->delay_least
                                                              : margins->sensitivity;
    }
    const bool unstable = !status && !report.margins->stable;
    phx_linear_report_free(&report);
    if (unstable)
        return phx_fail(context, PHX_ERR_ANALYSIS,
                        "objective '%s': the closed loop is unstable, so that it has no margins", objective->text);
    if (!status && !isfinite(*value))
        return phx_fail(context, PHX_ERR_ANALYSIS, "objective '%s': the loop has no such margin", objective->text);
    return status;
}

/* Margins one by one, each of its own loop; all other numbers of one linear model. */
static phx_status evaluate_linear(phx_context *context, const phx_model *model, phx_beam_cache *cache, int n,
                                  const phx_objective *objectives, double *value)
{
    (void)cache;
    const phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report = {0};
    bool whole = false;
    phx_status status = PHX_OK;

    for (int k = 0; k < n && !status; k++) {
        whole = whole || (objectives[k].analysis == PHX_ANALYSIS_LINEARIZE && !objectives[k].expression);
        if (objectives[k].analysis == PHX_ANALYSIS_LINEARIZE && objectives[k].expression)
            status = evaluate_margin(context, model, &objectives[k], &value[k]);
    }
    if (!status && whole)
        status = phx_study_linearize(context, model, &options, &report);
    for (int k = 0; k < n && !status; k++)
        if (objectives[k].analysis == PHX_ANALYSIS_LINEARIZE && !objectives[k].expression)
            status = evaluate_linear_one(context, &report, &objectives[k], &value[k]);
    phx_linear_report_free(&report);
    return status;
}

/* ---- all ---- */
static phx_status evaluate_simulation(phx_context *context, const phx_model *model, phx_beam_cache *cache, int n,
                                      const phx_objective *objectives, double *value)
{
    (void)cache;
    const phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_status status = phx_study_simulate_result(context, model, &options, &report, &result);

    if (!status)
        status = evaluate_result(context, model, result, n, objectives, PHX_ANALYSIS_SIMULATE, value);
    phx_result_destroy(result);
    return status;
}

phx_status phx_objectives_of_model(phx_context *context, const phx_model *model, int n, const phx_objective *objectives,
                                   double *value)
{
    typedef phx_status evaluate_fn(phx_context * context, const phx_model *model, phx_beam_cache *cache, int n,
                                   const phx_objective *objectives, double *value);
    static evaluate_fn *const analyses[PHX_ANALYSES] = {evaluate_mass, evaluate_modes, evaluate_static, evaluate_linear,
                                                        evaluate_simulation};
    phx_beam_cache *cache = NULL; /* mass and modes are of the same bodies */
    phx_status status = phx_beam_cache_create(context, &cache);

    for (int a = 0; a < PHX_ANALYSES && !status; a++)
        if (asks_for(n, objectives, (phx_analysis)a))
            status = analyses[a](context, model, cache, n, objectives, value);
    phx_beam_cache_destroy(cache);
    return status;
}
