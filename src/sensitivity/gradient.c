/* Gradients: parameters, their neighbours, and the choice between exact derivatives and differences. */
#include "run.h"

#include <limits.h>
#include <math.h>
#include <string.h>

phx_gradient_options phx_gradient_options_default(void)
{
    static const double GIGABYTE = 1e9;

    return (phx_gradient_options){.memory = 0.5 * GIGABYTE};
}

static void free_texts(int n, char **texts)
{
    for (int k = 0; texts && k < n; k++)
        phx_free(texts[k]);
    phx_free(texts);
}

static char **copy_texts(phx_context *context, int n, const char *const *texts)
{
    char **copies = phx_calloc(context, (size_t)n + 1, sizeof *copies);

    for (int k = 0; copies && k < n; k++) {
        copies[k] = phx_strdup(context, texts[k]);
        if (!copies[k]) {
            free_texts(n, copies);
            return NULL;
        }
    }
    return copies;
}

void phx_gradient_free(phx_gradient *gradient)
{
    if (!gradient)
        return;
    phx_free(gradient->value);
    phx_free(gradient->gradient);
    phx_free(gradient->error);
    phx_free(gradient->parameter);
    free_texts(gradient->n_objectives, gradient->objectives);
    free_texts(gradient->n_parameters, gradient->parameters);
    *gradient = (phx_gradient){0};
}

/* ---- a model at other values of its parameters ---- */
void phx_neighbour_free(phx_neighbour *neighbour)
{
    phx_free(neighbour->overrides);
    phx_model_destroy(neighbour->model);
    *neighbour = (phx_neighbour){0};
}

phx_status phx_neighbour_create(phx_context *context, const phx_model *model, phx_neighbour *neighbour)
{
    *neighbour = (phx_neighbour){.original = model};
    neighbour->overrides = phx_calloc(context, (size_t)model->n_parameters + 1, sizeof *neighbour->overrides);
    phx_status status =
        neighbour->overrides ? phx_model_copy_present(context, model, &neighbour->model) : PHX_ERR_MEMORY;
    if (!status)
        status = phx_neighbour_move(context, neighbour, -1, 0.0);
    if (status)
        phx_neighbour_free(neighbour);
    return status;
}

/* Rows for every step, whatever the model asks for; and its own values for all parameters that are numbers. */
phx_status phx_neighbour_move(phx_context *context, phx_neighbour *neighbour, int parameter, double value)
{
    const phx_model *original = neighbour->original;
    const int moved = parameter >= 0;

    if (moved)
        neighbour->overrides[0] = (phx_model_override){.name = original->parameters[parameter].name, .value = value};
    const phx_status status = phx_model_set_parameters(context, neighbour->model, moved, neighbour->overrides);
    if (status)
        return status;
    neighbour->model->simulate.every.given = false;
    return PHX_OK;
}

/* ---- differences of whole analyses ---- */
double phx_neighbour_step(double value, double relative)
{
    return value != 0.0 ? relative * fabs(value) : relative;
}

/* The difference of sixth order of the values at the neighbours and at the middle. The error is estimated by that of
 * fourth order, and by second differences S(d), S(2 d), of which smooth values have S(2 d) = 4 S(d) + O(d^4) and those
 * of a corner S(2 d) = 2 S(d). */
static double difference(int n, const double *at, double middle, double step, double *error)
{
    const double near = at[0] - at[n], far = at[2 * n] - at[3 * n];
    const double bend = at[0] + at[n] - 2.0 * middle, wide = at[2 * n] + at[3 * n] - 2.0 * middle;
    double slope = 0.0;

    for (int s = 0; s < PHX_DIFFERENCE_PLACES; s++)
        slope += phx_difference_weight[s] / step * at[s * n];
    *error = fabs(slope - (8.0 * near - far) / (12.0 * step)) + fabs(wide - 4.0 * bend) / (4.0 * step);
    return slope;
}

/* The objectives at the neighbours of a parameter (room: PHX_DIFFERENCE_PLACES n) and their differences. A value that
 * has a corner or a jump there, as of modes that cross, has no derivative. */
static phx_status differentiate(phx_context *context, phx_neighbour *neighbour, int parameter, int n,
                                const phx_objective *objectives, const double *middle, double *room, double *slope,
                                double *error)
{
    static const double ROUGH = 1e-3, RESOLVED = 1e-6; /* error: relative; to the value per 100 % of the parameter */
    const char *name = neighbour->original->parameters[parameter].name;
    const double value = neighbour->original->parameters[parameter].value,
                 step = phx_neighbour_step(value, PHX_STEP_OF_WHOLES);
    phx_status status = PHX_OK;

    for (int s = 0; s < PHX_DIFFERENCE_PLACES && !status; s++) {
        const double at = value + phx_difference_place[s] * step;
        status = phx_neighbour_move(context, neighbour, parameter, at);
        if (!status)
            status = phx_objectives_of_model(context, neighbour->model, n, objectives, room + s * n);
        if (status && status != PHX_ERR_MEMORY && status != PHX_INTERRUPTED)
            phx_fail_prefix(context, status, "at %s = %.10g: ", name, at);
    }
    for (int k = 0; k < n && !status; k++) {
        slope[k] = difference(n, room + k, middle[k], step, &error[k]);
        const double resolved = RESOLVED * fabs(middle[k]) * PHX_STEP_OF_WHOLES / step;
        if (error[k] > ROUGH * fabs(slope[k]) + resolved)
            status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                              "'%s' does not follow %s smoothly at %s = %.10g (its differences are %.6g with an error "
                              "of %.2g): no derivative. Modes that cross have their mean, modes.mean.K.L; runs with "
                              "fast oscillations or events may have none",
                              objectives[k].text, name, name, value, slope[k], error[k]);
    }
    return status;
}

/* Some of the objectives: their numbers in the gradient, values, derivatives (n x m) and errors. */
typedef struct analysis_part {
    int n, m, *number;
    phx_objective *objectives; /* borrowed texts */
    double *value, *slope, *error;
} analysis_part;

/* Parameters one after the other on several threads, each of which has a model of its own. */
typedef struct difference_work {
    const phx_neighbour *neighbour;
    const int *parameters;
    const analysis_part *part;
    phx_neighbour *own; /* of each worker */
    double **room;      /* of each worker */
} difference_work;

/* The derivatives by one parameter, into the arrays of the part. */
static phx_status differentiate_item(void *user, phx_context *context, int worker, int p, int slot)
{
    difference_work *work = user;
    const analysis_part *part = work->part;
    phx_neighbour *neighbour = &work->own[worker];
    const int n = part->n, m = part->m;
    double *room = work->room[worker], *slope = room + PHX_DIFFERENCE_PLACES * n, *error = slope + n;
    phx_log_fn *log;
    void *log_user;
    phx_status status = PHX_OK;

    (void)slot;
    if (!neighbour->model)
        status = phx_neighbour_create(context, work->neighbour->original, neighbour);
    phx_context_get_log(context, &log, &log_user);
    phx_context_set_log(context, NULL, NULL); /* neighbours repeat the warnings of the model itself */
    if (!status)
        status = differentiate(context, neighbour, work->parameters[p], n, part->objectives, part->value, room, slope,
                               error);
    phx_context_set_log(context, log, log_user);
    for (int k = 0; k < n && !status; k++) {
        part->slope[k * m + p] = slope[k];
        part->error[k * m + p] = error[k];
    }
    return status;
}

/* Values and derivatives of a part by whole analyses at the neighbours of each parameter. */
static phx_status find_by_differences(phx_context *context, phx_neighbour *neighbour, int threads,
                                      const int *parameters, analysis_part *part)
{
    difference_work work = {.neighbour = neighbour, .parameters = parameters, .part = part};
    const phx_ordered_map_work items = {
        .count = part->m, .what = "gradient", .user = &work, .compute = differentiate_item};
    phx_ordered_map *map = NULL;
    phx_status status = phx_neighbour_move(context, neighbour, -1, 0.0);

    if (!status)
        status = phx_objectives_of_model(context, neighbour->model, part->n, part->objectives, part->value);
    if (status || part->m == 0)
        return status;
    status = phx_ordered_map_create(context, threads < 1 ? 1 : threads < part->m ? threads : part->m, &map);
    const int workers = status ? 0 : phx_ordered_map_workers(map);
    work.own = phx_calloc(context, (size_t)workers + 1, sizeof *work.own);
    work.room = phx_calloc(context, (size_t)workers + 1, sizeof *work.room);
    if (!status && (!work.own || !work.room))
        status = PHX_ERR_MEMORY;
    for (int w = 0; w < workers && !status; w++)
        status =
            phx_arrays_create(context, 1, &(phx_array){&work.room[w], (PHX_DIFFERENCE_PLACES + 2) * (size_t)part->n});
    if (!status)
        status = phx_ordered_map_run(map, &items);
    for (int w = 0; w < workers && work.own && work.room; w++) {
        phx_neighbour_free(&work.own[w]);
        phx_free(work.room[w]);
    }
    phx_free(work.own);
    phx_free(work.room);
    phx_ordered_map_destroy(map);
    return status;
}

/* ---- exact derivatives of simulations ---- */
/* Whether tangents are cheaper than the adjoint: with fewer parameters than objectives, or where these follow at all
 * steps outputs whose derivatives by each entry of the state the adjoint finds by differences. */
static bool tangents_are_cheaper(const analysis_part *part, const phx_run_gradient *run)
{
    bool by_entries = run->wanted.energies || run->wanted.controllers, at_all_steps = false;

    for (int i = 0; i < phx_system_n_outputs(run->run.system); i++)
        by_entries = by_entries || (run->wanted.outputs[i] && !phx_output_slopes_has(run->run.system, i));
    for (int k = 0; k < part->n; k++) {
        const phx_objective_quantity of = part->objectives[k].quantity;
        at_all_steps = at_all_steps || of == PHX_OF_INTEGRAL || of == PHX_OF_MEAN || of == PHX_OF_PEAK;
    }
    return part->m <= part->n + (at_all_steps && by_entries ? run->run.dae->n_v : 0);
}

/* By tangents or by the adjoint, whichever is cheaper, unless `options` choose. */
static phx_status find_of_run(phx_context *context, phx_neighbour *neighbour, const phx_gradient_options *options,
                              const int *parameters, analysis_part *part)
{
    phx_run_gradient run;
    phx_status status = phx_run_gradient_create(context, neighbour, part->n, part->objectives, part->m, parameters,
                                                options->memory, &run);

    if (!status)
        status = options->derivation == PHX_DERIVE_TANGENT ||
                         (options->derivation == PHX_DERIVE_AUTO && tangents_are_cheaper(part, &run))
                     ? phx_run_tangent(&run)
                     : phx_run_adjoint(&run);
    if (!status) {
        memcpy(part->value, run.value, (size_t)part->n * sizeof *run.value);
        memcpy(part->slope, run.gradient, (size_t)(part->n * part->m) * sizeof *run.gradient);
    }
    phx_run_gradient_free(&run);
    return status;
}

/* The exact derivatives of runs where there are any and they are not refused, else differences. */
static phx_status find_part(phx_context *context, phx_neighbour *neighbour, const phx_gradient_options *options,
                            bool of_runs, const int *parameters, analysis_part *part)
{
    phx_status status = PHX_ERR_UNSUPPORTED;

    if (!of_runs || options->derivation == PHX_DERIVE_DIFFERENCES)
        return find_by_differences(context, neighbour, options->threads, parameters, part);
    status = find_of_run(context, neighbour, options, parameters, part);
    if (status != PHX_ERR_UNSUPPORTED || options->derivation != PHX_DERIVE_AUTO)
        return status;
    phx_log(context, PHX_LOG_WARNING, "derivatives by differences of whole runs: %s", phx_context_message(context));
    phx_context_clear(context);
    return find_by_differences(context, neighbour, options->threads, parameters, part);
}

/* The objectives of runs, or those of all other analyses together, into their rows of the gradient. */
static phx_status find_objectives(phx_context *context, phx_neighbour *neighbour, const phx_gradient_options *options,
                                  bool of_runs, const phx_objective *objectives, const int *parameters,
                                  phx_gradient *gradient)
{
    const size_t n = (size_t)gradient->n_objectives, m = (size_t)gradient->n_parameters;
    analysis_part part = {.m = (int)m};
    const phx_array arrays[] = {{&part.value, n}, {&part.slope, n * m}, {&part.error, n * m}};
    phx_status status = phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);

    part.number = phx_calloc(context, n, sizeof *part.number);
    part.objectives = phx_calloc(context, n, sizeof *part.objectives);
    if (!status && (!part.number || !part.objectives))
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < (int)n && !status; k++)
        if ((objectives[k].analysis == PHX_ANALYSIS_SIMULATE) == of_runs) {
            part.objectives[part.n] = objectives[k];
            part.number[part.n++] = k;
        }
    if (!status && part.n > 0)
        status = find_part(context, neighbour, options, of_runs, parameters, &part);
    for (int k = 0; k < part.n && !status; k++) {
        gradient->value[part.number[k]] = part.value[k];
        memcpy(gradient->gradient + (size_t)part.number[k] * m, part.slope + (size_t)k * m, m * sizeof(double));
        memcpy(gradient->error + (size_t)part.number[k] * m, part.error + (size_t)k * m, m * sizeof(double));
    }
    phx_free(part.number);
    phx_free(part.objectives);
    phx_arrays_free(3, (double *[]){part.value, part.slope, part.error});
    return status;
}

/* ---- the whole ---- */
static phx_status parse_all(phx_context *context, int n, const char *const *texts, phx_objective **objectives)
{
    phx_status status = PHX_OK;

    *objectives = phx_calloc(context, (size_t)n + 1, sizeof **objectives);
    if (!*objectives)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++)
        status = phx_objective_parse(context, texts[k], &(*objectives)[k]);
    return status;
}

static void free_all(int n, phx_objective *objectives)
{
    for (int k = 0; objectives && k < n; k++)
        phx_objective_free(&objectives[k]);
    phx_free(objectives);
}

/* The numbers of the parameters in the model, of a list all its entries; `parameters` NULL: only their count. */
static phx_status find_parameters(phx_context *context, const phx_model *model, const phx_gradient_options *options,
                                  int *parameters, int *count)
{
    *count = 0;
    for (int p = 0; options->parameters && p < options->n_parameters; p++) {
        int first;
        const char *name = options->parameters[p];
        const int entries = phx_model_find_parameters(model, name, &first);
        if (entries == 0)
            return phx_fail(context, PHX_ERR_INPUT, "%s has no parameter '%s'%s", model->path, name,
                            phx_model_parameter_hint(model, name).text);
        if (entries > INT_MAX - model->n_parameters - *count)
            return phx_fail(context, PHX_ERR_ARGUMENT, "more than %d parameters to differentiate by", INT_MAX);
        for (int k = 0; parameters && k < entries; k++)
            parameters[*count + k] = first + k;
        *count += entries;
    }
    return PHX_OK;
}

/* The arrays of a gradient, with copies of the texts of objectives and the names of parameters. */
static phx_status allocate_gradient(phx_context *context, const phx_model *model, const phx_gradient_options *options,
                                    const int *parameters, phx_gradient *gradient)
{
    const int n = options->n_objectives, m = gradient->n_parameters;
    const char **names = phx_calloc(context, (size_t)m + 1, sizeof *names);

    gradient->n_objectives = n;
    for (int p = 0; names && p < m; p++)
        names[p] = model->parameters[parameters[p]].name;
    gradient->parameters = names ? copy_texts(context, m, names) : NULL;
    gradient->objectives = copy_texts(context, n, options->objectives);
    phx_free((void *)names);
    if (!gradient->parameters || !gradient->objectives)
        return PHX_ERR_MEMORY;
    const size_t all = (size_t)n * (size_t)m;
    const phx_array arrays[] = {{&gradient->value, (size_t)n},
                                {&gradient->gradient, all},
                                {&gradient->error, all},
                                {&gradient->parameter, (size_t)m}};
    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

phx_status phx_objective_check(phx_context *context, const char *text)
{
    phx_objective parsed = {0};

    if (!text)
        return phx_fail_null(context, __func__, "text");
    const phx_status status = phx_objective_parse(context, text, &parsed);
    phx_objective_free(&parsed);
    return phx_conclude(context, status);
}

/* Values alone, of a copy of the model with a row for each step. */
phx_status phx_objectives_evaluate(phx_context *context, const phx_model *model, int n, const char *const *objectives,
                                   double *value)
{
    if (!model || !objectives || !value)
        return phx_fail_null(context, __func__, "model, objectives or value");
    phx_objective *parsed = NULL;
    phx_neighbour neighbour = {0};
    phx_status status = parse_all(context, n, objectives, &parsed);

    if (!status)
        status = phx_neighbour_create(context, model, &neighbour);
    if (!status)
        status = phx_objectives_of_model(context, neighbour.model, n, parsed, value);
    phx_neighbour_free(&neighbour);
    free_all(n, parsed);
    return phx_conclude(context, status);
}

/* All parameters of the model that can be moved, into `parameters`; those that count things cannot. */
static phx_status all_parameters(phx_context *context, phx_neighbour *neighbour, int *parameters, int *count)
{
    const phx_model *model = neighbour->original;

    *count = 0;
    for (int p = 0; p < model->n_parameters; p++) {
        const double value = model->parameters[p].value;
        const phx_status status =
            phx_neighbour_move(context, neighbour, p, value + phx_neighbour_step(value, PHX_STEP_OF_PARTS));
        if (status == PHX_ERR_MEMORY)
            return status;
        if (!status) {
            parameters[(*count)++] = p;
            continue;
        }
        phx_log(context, PHX_LOG_WARNING, "no derivative by %s: %s", model->parameters[p].name,
                phx_context_message(context));
        phx_context_clear(context);
    }
    return phx_neighbour_move(context, neighbour, -1, 0.0);
}

/* Parses the objectives, finds the parameters and differentiates runs, and all other analyses together. */
phx_status phx_gradient_find(phx_context *context, const phx_model *model, const phx_gradient_options *options,
                             phx_gradient *gradient)
{
    if (!model || !options || !gradient || (options->n_objectives > 0 && !options->objectives) ||
        (options->n_parameters > 0 && !options->parameters))
        return phx_fail_null(context, __func__, "model, options, gradient, objectives or parameters");
    const int n = options->n_objectives;
    phx_objective *objectives = NULL;
    phx_neighbour neighbour = {0};
    int count = 0, *parameters = NULL;

    *gradient = (phx_gradient){0};
    phx_status status = find_parameters(context, model, options, NULL, &count);
    if (!status) {
        parameters = phx_calloc(context, (size_t)count + (size_t)model->n_parameters + 1, sizeof *parameters);
        status = parameters ? parse_all(context, n, options->objectives, &objectives) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_neighbour_create(context, model, &neighbour);
    if (!status)
        status = options->parameters ? find_parameters(context, model, options, parameters, &gradient->n_parameters)
                                     : all_parameters(context, &neighbour, parameters, &gradient->n_parameters);
    if (!status)
        status = allocate_gradient(context, model, options, parameters, gradient);
    for (int p = 0; p < gradient->n_parameters && !status; p++)
        gradient->parameter[p] = model->parameters[parameters[p]].value;
    for (int of_runs = 0; of_runs < 2 && !status; of_runs++)
        status = find_objectives(context, &neighbour, options, of_runs == 1, objectives, parameters, gradient);
    phx_neighbour_free(&neighbour);
    free_all(n, objectives);
    phx_free(parameters);
    if (status)
        phx_gradient_free(gradient);
    return phx_conclude(context, status);
}
