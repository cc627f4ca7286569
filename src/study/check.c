/* The structure certificate of a model. */
#include "internal.h"

#include "fe/fe.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CHECK_NAME = 300 };

void phx_check_report_free(phx_check_report *report)
{
    if (!report)
        return;
    for (int k = 0; k < report->n_limits && report->limits; k++)
        phx_free((char *)(uintptr_t)report->limits[k].text);
    phx_free(report->limits);
    phx_free(report->redundant);
    phx_free(report->moves);
    phx_casimirs_free(report->n_casimirs, report->casimirs);
    phx_free(report->matchings);
    phx_free(report->modes);
    *report = (phx_check_report){0};
}

/* Add the redundant rows to the report; joints named by the strings of the model. */
static phx_status list_redundant(phx_context *context, const phx_model *model, const phx_system *system,
                                 phx_check_report *report)
{
    report->n_redundant = phx_system_redundant(system);
    report->redundant = phx_calloc(context, (size_t)report->n_redundant, sizeof *report->redundant);
    if (!report->redundant)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < report->n_redundant; k++) {
        const char *name = "";
        phx_system_redundant_row(system, k, &name, &report->redundant[k].row);
        const int joint = phx_model_find_joint(model, name);
        report->redundant[k].joint = joint >= 0 ? model->joints[joint].name : "";
    }
    return PHX_OK;
}

/* The model's own string of a body's name as the file has it, "" where it has none. */
static const char *name_in_model(const phx_model *model, const char *name)
{
    for (int b = 0; b < model->n_bodies; b++) {
        const char *written = model->bodies[b].whole ? model->bodies[b].whole : model->bodies[b].name;
        if (!strcmp(written, name))
            return written;
    }
    return "";
}

/* Add the limits of validity that x exceeds to the report; bodies named by the strings of the model. */
static phx_status add_limits(phx_context *context, const phx_model *model, const phx_system *system, const double *x,
                             const double *v, bool quasi_static, phx_check_report *report)
{
    phx_limits *limits = NULL;
    phx_energies energies;
    phx_status status = phx_limits_create(context, model, system, &limits);

    if (!status) {
        phx_system_energies(system, x, v, &energies);
        phx_limits_look(limits, 0.0, x, v, &energies);
        report->limits = phx_calloc(context, (size_t)phx_limits_count(limits), sizeof *report->limits);
        status = report->limits ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int k = 0; k < phx_limits_count(limits) && !status; k++) {
        phx_limit_finding *to = &report->limits[k];
        *to = phx_limits_finding(limits, k);
        const size_t size = strlen(to->text) + 80;
        char *text = phx_calloc(context, size, 1);
        if (text)
            snprintf(text, size, "%s%s", quasi_static ? "under the loads of the start, taken as they are: " : "",
                     to->text);
        to->body = name_in_model(model, to->body);
        to->quasi_static = quasi_static;
        to->text = text;
        status = text ? PHX_OK : PHX_ERR_MEMORY;
        report->n_limits = k + 1;
    }
    phx_limits_destroy(limits);
    return status;
}

/* Check the limits at the start and, where it exceeds none, at the equilibrium of the deformations with the loads, if
 * there is one. */
static phx_status list_limits(phx_context *context, const phx_model *model, const phx_start_point *at,
                              phx_check_report *report)
{
    enum { LARGEST = 600 }; /* number of velocities up to which this is fast */
    const phx_start_options options = {.quasi_static = true};
    phx_status status = add_limits(context, model, at->system, at->x, at->v, false, report);
    if (status || report->n_limits > 0 || phx_system_n_v(at->system) > LARGEST ||
        model->initial.deformation == PHX_MODEL_QUASI_STATIC || model->initial.equilibrium)
        return status;
    double *x = phx_calloc(context, (size_t)at->dae->n_x, sizeof *x);
    double *v = phx_calloc(context, (size_t)at->dae->n_v, sizeof *v);

    phx_free(report->limits);
    report->limits = NULL;
    status = x && v ? phx_system_start(at->system, &options, x, v, NULL) : PHX_ERR_MEMORY;
    if (!status) {
        status = add_limits(context, model, at->system, x, v, true, report);
    } else if (status != PHX_ERR_MEMORY && status != PHX_INTERRUPTED) {
        phx_context_clear(context);
        status = PHX_OK;
    }
    phx_free(x);
    phx_free(v);
    return status;
}

/* Beams in modes with stiffening. */
static phx_status list_modes(phx_context *context, const phx_model *model, const phx_system *system,
                             phx_check_report *report)
{
    report->modes = phx_calloc(context, (size_t)model->n_bodies + 1, sizeof *report->modes);
    if (!report->modes)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < model->n_bodies && b < phx_system_bodies(system); b++) {
        const phx_modes_quality *quality = phx_beam_modes_quality(phx_system_source(system, b));
        if (quality)
            report->modes[report->n_modes++] =
                (phx_check_modes){model->bodies[b].name, quality->modes, quality->followers, quality->pulled};
    }
    return PHX_OK;
}

/* Names of the free coordinates of all joints, "JOINT.coordinate" or "JOINT.coordinate2", CHECK_NAME characters each;
 * NULL without memory. */
static char *coordinate_names(phx_context *context, const phx_model *model, int *count)
{
    *count = 0;
    for (int j = 0; j < model->n_joints; j++)
        *count += model->joints[j].n_coordinates;
    char *names = phx_calloc(context, (size_t)*count + 1, CHECK_NAME);
    for (int j = 0, at = 0; names && j < model->n_joints; j++)
        for (int c = 0; c < model->joints[j].n_coordinates; c++, at++) {
            char number[16] = "";
            if (model->joints[j].n_coordinates > 1)
                snprintf(number, sizeof number, "%d", c + 1);
            snprintf(names + at * CHECK_NAME, CHECK_NAME, "%.200s.coordinate%s", model->joints[j].name, number);
        }
    return names;
}

/* Appends the joints whose coordinates change in one of the rigid motions, the first columns of Y_q. */
static void name_free_motions(const phx_model *model, const phx_reduced *reduced, size_t size, char *text)
{
    static const double MOVES = 1e-6; /* of the largest change */
    double largest = 0.0;
    size_t used = 0;

    for (int i = 0; i < reduced->n_outputs; i++)
        for (int k = 0; k < reduced->rigid; k++)
            largest = fmax(largest, fabs(reduced->Y_q[i * reduced->count + k]));
    for (int j = 0, at = 0; j < model->n_joints; at += model->joints[j++].n_coordinates) {
        bool moves = false;
        for (int i = at; i < at + model->joints[j].n_coordinates; i++)
            for (int k = 0; k < reduced->rigid; k++)
                moves = moves || fabs(reduced->Y_q[i * reduced->count + k]) > MOVES * largest;
        if (moves && used < size)
            used += (size_t)snprintf(text + used, size - used, "%sjoint '%s'", used ? ", " : "", model->joints[j].name);
    }
}

/* The free motions about the start, with the drives locked, and the joints that move in them. */
static phx_status list_free_motions(phx_context *context, const phx_model *model, const phx_start_point *at,
                                    phx_check_report *report)
{
    enum { LARGEST = 600 };
    static const char *const none[] = {""};
    phx_linearise_options options = phx_linearise_options_default();
    phx_linearised *linear = NULL;
    int count = 0;

    if (phx_system_n_v(at->system) > LARGEST)
        return PHX_OK;
    char *names = coordinate_names(context, model, &count);
    const char **outputs = names ? phx_calloc(context, (size_t)count + 1, sizeof *outputs) : NULL;
    phx_status status = outputs ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++)
        outputs[k] = names + k * CHECK_NAME;
    options.x = at->x;
    options.channels =
        (phx_channels_options){.inputs = none, .outputs = outputs, .n_outputs = count, .controllers = true};
    if (!status)
        status = phx_linearise(context, at->dae, &options, &linear);
    if (!status) {
        report->n_free = phx_linearised_reduced(linear)->rigid;
        name_free_motions(model, phx_linearised_reduced(linear), sizeof report->free_names, report->free_names);
    }
    phx_linearised_destroy(linear);
    phx_free((void *)outputs);
    phx_free(names);
    return status;
}

/* The loop of the controllers about the start, and whether a sampled one makes it grow. */
static phx_status judge_loop(phx_context *context, const phx_start_point *at, phx_check_report *report)
{
    char why[300];

    if (phx_system_controllers(at->system) == 0)
        return PHX_OK;
    phx_status status = phx_sampled_loop_period(context, at->dae, 0.0, at->x, &report->loop_period, sizeof why, why);
    if (!status && why[0])
        phx_log(context, PHX_LOG_WARNING, "the stability of the sampled loop is not judged: %s", why);
    if (!status)
        status = phx_linear_stability(at->dae, 0.0, at->x, at->lambda, &report->loop);
    report->has_loop = !status && report->loop.judged > 0;
    if (report->has_loop && report->loop_period > 0.0 && report->loop.growth > 0.0)
        phx_log(
            context, PHX_LOG_WARNING,
            "the sampled loop is unstable about the start: a motion at %.4g Hz grows by a factor of %.4g each sample "
            "of %.4g s. Sample faster, reduce the delay or the gains",
            report->loop.frequency / 6.283185307179586, exp(report->loop.growth * report->loop_period),
            report->loop_period);
    return status;
}

void phx_warn_of_sampling(phx_context *context, const phx_system *system)
{
    for (int c = 0; c < phx_system_controllers(system); c++)
        if (phx_system_controller_sample(system, c) > 0.0)
            phx_log(context, PHX_LOG_WARNING,
                    "controller '%s' is sampled: the continuous linear model leaves it out and holds its output of the "
                    "start; '--sample %.6g' closes its loop",
                    phx_system_controller_name(system, c), phx_system_controller_sample(system, c));
}

/* The bound of the sampling period, and who exceeds it. */
static phx_status find_sampling_limit(phx_context *context, const phx_model *model, const phx_start_point *at,
                                      phx_check_report *report)
{
    double limit;

    if (phx_system_controllers(at->system) == 0)
        return PHX_OK;
    const phx_status status = phx_model_blame(context, model, phx_sampling_limit(context, at->dae, 0.0, at->x, &limit));
    if (status || isinf(limit))
        return status;
    report->sampling_limit = limit;
    for (int c = 0; c < phx_system_controllers(at->system); c++)
        if (phx_system_controller_sample(at->system, c) > limit)
            phx_log(context, PHX_LOG_WARNING,
                    "controller '%s' samples every %.4g s; its feedback of rates is unstable beyond %.4g s, 2 "
                    "sin(pi/(4 delay + 2))/lambda_max(K_d B^T M^-1 B), because the driven inertia is small. Sample "
                    "faster, reduce delay or kd, or add the inertia of the motor's rotor",
                    phx_system_controller_name(at->system, c), phx_system_controller_sample(at->system, c), limit);
    return PHX_OK;
}

/* Checks the model at a start point: structure, redundant constraints, moved poses, limits of validity, modes,
 * sampling limit, Casimirs and matching conditions. The report is empty after a failure. */
phx_status phx_check_point(phx_context *context, const phx_model *model, const phx_start_point *at,
                           phx_check_report *report)
{
    *report = (phx_check_report){.dimension = model->dimension};
    phx_status status = phx_model_blame(
        context, model, phx_system_verify_structure(at->dae, 0.0, at->x, at->v, at->lambda, &report->certificate));
    if (!status)
        status = list_redundant(context, model, at->system, report);
    if (!status && !model->initial.from)
        status = phx_start_moves(context, model, at->system, &report->n_moves, &report->moves);
    if (!status)
        status = list_limits(context, model, at, report);
    if (!status)
        status = list_modes(context, model, at->system, report);
    if (!status)
        status = find_sampling_limit(context, model, at, report);
    if (!status)
        status = phx_model_blame(context, model, judge_loop(context, at, report));
    if (!status)
        status = phx_model_blame(context, model, list_free_motions(context, model, at, report));
    if (!status)
        status = phx_casimirs_at(context, model, at, &report->n_casimirs, &report->casimirs);
    if (!status)
        status = phx_matching_at(context, model, at, &report->n_matchings, &report->matchings);
    if (status)
        phx_check_report_free(report);
    return status;
}

/* Builds the model with its assembled start and checks it there; see phx_check_point. */
phx_status phx_study_check(phx_context *context, const phx_model *model, phx_check_report *report)
{
    if (!model || !report)
        return phx_fail_null(context, __func__, "model or report");
    const phx_build_options options = {.without_outputs = false};
    const phx_start_options start = phx_start_of(model);
    phx_start_point at = {0};

    *report = (phx_check_report){0};
    phx_status status = phx_start_point_create(context, model, &options, &start, true, &at);
    if (!status)
        status = phx_warn_of_sizes(context, model, at.system);
    if (!status)
        status = phx_check_point(context, model, &at, report);
    phx_start_point_free(&at);
    return phx_conclude(context, status);
}
