/* A model as a linear system with named inputs and outputs. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

phx_study_linearize_options phx_study_linearize_options_default(void)
{
    return (phx_study_linearize_options){.form = PHX_FORM_STATE_SPACE};
}

/* ---- structure ---- */
static double linearize_largest(const phx_csr *matrix)
{
    double size = 0.0;
    for (int k = 0; k < matrix->ptr[matrix->rows]; k++)
        size = fmax(size, fabs(matrix->val[k]));
    return size;
}

/* max |A - A^T| / max |A| */
static phx_status add_asymmetry(phx_context *context, const char *name, const phx_csr *matrix,
                                phx_linear_report *report)
{
    phx_csr transpose = {0}, difference = {0};
    const double size = linearize_largest(matrix);
    phx_status status = phx_csr_transpose(context, matrix, &transpose);
    if (!status)
        status = phx_csr_add(context, 1.0, matrix, -1.0, &transpose, &difference);
    if (!status)
        phx_linear_report_residual(report, name, size > 0.0 ? linearize_largest(&difference) / size : 0.0);
    phx_csr_free(&transpose);
    phx_csr_free(&difference);
    return status;
}

/* max |G basis| */
static phx_status add_constraint_residual(phx_context *context, const phx_linearised *linearised,
                                          phx_linear_report *report)
{
    const phx_reduced *reduced = phx_linearised_reduced(linearised);
    const phx_csr *G = &phx_linearised_channels(linearised)->G;
    const size_t count = (size_t)reduced->count;
    double *sum = phx_calloc(context, count, sizeof *sum), worst = 0.0;
    if (!sum)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < G->rows; i++) {
        memset(sum, 0, count * sizeof *sum);
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            for (size_t j = 0; j < count; j++)
                sum[j] += G->val[k] * reduced->basis[(size_t)G->idx[k] * count + j];
        for (size_t j = 0; j < count; j++)
            worst = fmax(worst, fabs(sum[j]));
    }
    phx_linear_report_residual(report, "constraint_residual", worst);
    phx_free(sum);
    return PHX_OK;
}

static phx_status find_structure(phx_context *context, const phx_linearised *linearised, phx_linear_report *report)
{
    const phx_linear *linear = phx_linearised_matrices(linearised);
    phx_status status = add_asymmetry(context, "mass_asymmetry", &linear->M, report);
    if (!status)
        status = add_asymmetry(context, "stiffness_asymmetry", &linear->K, report);
    if (!status)
        status = add_asymmetry(context, "damping_asymmetry", &linear->D, report);
    if (!status && !phx_linearised_is_sparse(linearised))
        status = add_constraint_residual(context, linearised, report);
    return status;
}

static void tell_unrest(phx_context *context, const phx_unrest *unrest, phx_linear_report *report)
{
    phx_linear_report_residual(report, "unrest", unrest->held);
    phx_linear_report_residual(report, "unrest_deforming", unrest->loose);
    phx_unrest_warn(context, unrest);
}

/* ---- the forms ---- */
/* The second-order form of a reduced model. */
static phx_status put_reduced_second_order(phx_context *context, const phx_reduction *reduction, phx_bundle *bundle)
{
    phx_ss_second_order_def def;
    const phx_status status = phx_reduction_second_order(context, reduction, &def);
    return status ? status : phx_bundle_add_second_order(context, bundle, &def);
}

/* Adds the second-order form to the bundle, with the basis from its coordinates to named motions. */
static phx_status put_second_order(phx_context *context, const phx_linearised *linearised, phx_bundle *bundle)
{
    const phx_reduced *reduced = phx_linearised_reduced(linearised);
    phx_ss_second_order_def def;
    const char **names = phx_calloc(context, (size_t)reduced->n, sizeof *names);
    phx_status status = names ? phx_linearised_second_order(context, linearised, &def) : PHX_ERR_MEMORY;
    for (int k = 0; k < reduced->n && !status; k++)
        names[k] = phx_linearised_coordinate(linearised, k);
    if (!status)
        status = phx_bundle_add_second_order(context, bundle, &def);
    if (!status) {
        phx_bundle_add_matrix(bundle, "basis", reduced->n, reduced->count, reduced->basis, NULL);
        phx_bundle_describe(bundle, "motions xi = basis q; rows: motions, columns: coordinates", NULL);
        phx_bundle_add_names(bundle, "motions", reduced->n, names);
    }
    phx_free((void *)names);
    return status;
}

/* Adds the descriptor form of the linear or the reduced model to the bundle, with output matrices C and D of the
 * measured quantities. */
static phx_status put_descriptor(phx_context *context, const phx_linearised *linearised, const phx_reduction *reduction,
                                 phx_bundle *bundle)
{
    const phx_channels *channels = phx_linearised_channels(linearised);
    phx_descriptor *descriptor = NULL;
    phx_measured measured = {0};
    phx_status status = reduction ? phx_reduction_descriptor(context, reduction, &descriptor, &measured)
                                  : phx_linearised_descriptor(context, linearised, &descriptor, &measured);
    if (!status)
        status = phx_bundle_add_descriptor(context, bundle, descriptor);
    if (!status) {
        phx_bundle_add_sparse(bundle, "C", &measured.C);
        phx_bundle_describe(bundle, "outputs asked for: y = C e + D u; rows: outputs", NULL);
        phx_bundle_add_sparse(bundle, "D", &measured.D);
        phx_bundle_describe(bundle, "outputs asked for: direct feedthrough of inputs", NULL);
        phx_bundle_add_names(bundle, "inputs", channels->n_inputs, (const char *const *)channels->inputs);
        phx_bundle_add_names(bundle, "outputs", channels->n_outputs, (const char *const *)channels->outputs);
    }
    phx_measured_free(&measured);
    phx_descriptor_destroy(descriptor);
    return status;
}

static phx_status put_form(phx_context *context, phx_linear_form form, const phx_linearised *linearised,
                           const phx_linear_report *report)
{
    if (form == PHX_FORM_SECOND_ORDER)
        return report->reduction ? put_reduced_second_order(context, report->reduction, report->bundle)
                                 : put_second_order(context, linearised, report->bundle);
    if (form == PHX_FORM_DESCRIPTOR)
        return put_descriptor(context, linearised, report->reduction, report->bundle);
    return phx_bundle_add_ss(context, report->bundle, report->system);
}

/* ---- the whole ---- */
phx_status phx_study_title(phx_context *context, const char *what, const phx_model *model, char **title)
{
    const size_t room = strlen(what) + strlen(model->title) + 1;
    *title = phx_calloc(context, room, 1);
    if (!*title)
        return PHX_ERR_MEMORY;
    snprintf(*title, room, "%s%s", what, model->title);
    return PHX_OK;
}

/* Coordinates of a mechanism beyond which the descriptor form comes alone, without the dense work of a state space, of
 * poles and of a DC gain, and beyond which reductions know the lowest modes alone. */
enum { LARGEST_DENSE = 600 };

/* Builds the model at the point to linearise (start, equilibrium or steady motion) and linearises there; large models
 * stay sparse where form and options allow. Collects forces out of balance, and on request warnings, Casimirs and
 * bases of meshes. */
phx_status phx_linear_point_create(phx_context *context, const phx_model *model,
                                   const phx_study_linearize_options *options, phx_linear_point *point)
{
    const phx_build_options build = {.cache = point->cache, .without_outputs = false};
    const phx_model_modes_at where = options->has_at ? options->at : model->linearize.at;
    phx_linearise_options how = phx_linearise_options_default();
    phx_start_point at = {0};
    double *axes = NULL;
    phx_status status = phx_start_point_at(context, model, &build, where, &at);
    how.name = "model";
    how.x = at.x;
    how.sparse = !status && point->may_be_sparse && (options->form == PHX_FORM_DESCRIPTOR || options->reduction) &&
                 phx_system_n_v(at.system) > LARGEST_DENSE;
    how.channels = options->channels;
    how.channels.controllers = model->n_controllers > 0;
    how.channels.drives_by_rate = options->form == PHX_FORM_DESCRIPTOR; /* power needs the rate */
    if (!status)
        phx_forces_left_out(at.system, sizeof point->unrest.left_out, point->unrest.left_out);
    if (!status && point->warn && options->sample == 0.0 && !options->loop)
        phx_warn_of_sampling(context, at.system);
    if (!status && where == PHX_MODEL_AT_STEADY) {
        axes = phx_calloc(context, (size_t)phx_system_n_v(at.system), sizeof *axes);
        status = axes ? phx_system_steady(at.dae, 0.0, at.x, at.v, axes, at.lambda, NULL) : PHX_ERR_MEMORY;
        how.v = at.v;
        how.axes = axes;
        how.lambda = at.lambda;
        status = phx_model_blame(context, model, status);
    } else if (!status) {
        status = phx_unrest_at(&at, &point->unrest);
    }
    if (!status)
        status = phx_model_blame(context, model, phx_linearise(context, at.dae, &how, &point->linearised));
    if (!status && how.sparse && options->reduction && phx_linearised_channels(point->linearised)->n_held > 0) {
        phx_linearised_destroy(point->linearised); /* prescribed motions are lifted by dense matrices */
        point->linearised = NULL;
        how.sparse = false;
        status = phx_model_blame(context, model, phx_linearise(context, at.dae, &how, &point->linearised));
    }
    if (!status && point->warn && where != PHX_MODEL_AT_STEADY)
        status = phx_casimirs_at(context, model, &at, &point->n_casimirs, &point->casimirs);
    if (!status && point->warn) {
        char left_out[PHX_LIMIT_TEXT];
        status = phx_limits_left_out(context, model, at.system, at.x, how.v, left_out);
        if (!status && left_out[0])
            phx_log(context, PHX_LOG_WARNING, "%s", left_out);
    }
    if (!status && point->takes_bases)
        status = phx_mesh_bases_take(context, at.system, &point->bases);
    phx_start_point_free(&at);
    phx_free(axes);
    return status;
}

/* Options of the state-space form alone, and of models that are not reduced. */
static phx_status check_options(phx_context *context, const phx_study_linearize_options *options)
{
    const bool any = options->loop || options->sample > 0.0 || options->minimal || options->stable_part;

    if (any && options->form != PHX_FORM_STATE_SPACE)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "loops, samples, minimal models and stable parts are of the state-space form");
    if (options->reduction && options->loop)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a reduced model has no loop; open it without a reduction");
    if (options->delay > 0 && !(options->sample > 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a delay of %d counts samples; give their period", options->delay);
    return PHX_OK;
}

/* *next, made of the report's system, takes its place. */
static phx_status replace_system(phx_status status, phx_ss **next, phx_linear_report *report)
{
    if (status)
        return status;
    phx_ss_destroy(report->system);
    report->system = *next;
    return PHX_OK;
}

/* Leaves out what was asked to be left out, counted. */
static phx_status leave_out(phx_context *context, const phx_study_linearize_options *options, phx_linear_report *report)
{
    const int before = phx_ss_n(report->system);
    phx_ss *next = NULL;
    phx_status status = PHX_OK;

    if (options->minimal)
        status = replace_system(phx_ss_reduce(context, report->system, PHX_SS_MINIMAL, 0.0, &next), &next, report);
    if (!status && options->stable_part)
        status = replace_system(phx_ss_stable_part(context, report->system, 0.0, &next), &next, report);
    report->left_out += status ? 0 : before - phx_ss_n(report->system);
    return status;
}

/* The report's loop at a controller, with its margins. */
static phx_status make_loop(phx_context *context, const phx_linearised *linearised,
                            const phx_study_linearize_options *options, phx_linear_report *report)
{
    report->sample = options->sample;
    phx_status status = phx_linearised_loop(context, linearised, options->loop, &report->sample, &report->system);
    report->margins = status ? NULL : phx_calloc(context, 1, sizeof *report->margins);
    if (!status && !report->margins)
        status = PHX_ERR_MEMORY;
    return status ? status : phx_ss_margins(context, report->system, report->sample, report->margins);
}

/* The report's sampled system: around sampled controllers, or the plant held, of which the rest has been left out. */
static phx_status make_sampled(phx_context *context, const phx_linearised *linearised,
                               const phx_study_linearize_options *options, phx_linear_report *report)
{
    const phx_sampled_options sampled = {.period = options->sample, .delay = options->delay};
    const char *left_out = NULL;
    phx_ss *next = NULL;
    double own = 0.0;
    phx_status status = phx_linearised_period(context, linearised, &own, &left_out);

    report->sample = options->sample;
    if (!status && left_out)
        phx_log(context, PHX_LOG_WARNING, "sampled controllers are left out: %s", left_out);
    if (!status && (own == 0.0 || options->reduction))
        return replace_system(phx_ss_hold(context, report->system, sampled.period, sampled.delay, &next), &next,
                              report);
    if (!status && options->stable_part)
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "the stable part is of a continuous plant; here controllers sample");
    return replace_system(status ? status : phx_linearised_sampled_ss(context, linearised, &sampled, &next), &next,
                          report);
}

/* The report's system in state space, of the model or of the reduced one. */
static phx_status make_continuous(phx_context *context, const phx_linearised *linearised,
                                  const phx_study_linearize_options *options, phx_linear_report *report)
{
    const bool proper = options->form == PHX_FORM_DESCRIPTOR; /* that form allows improper outputs */

    if (!options->reduction)
        return proper ? phx_linearised_proper_ss(context, linearised, &report->system)
                      : phx_linearised_ss(context, linearised, &report->system);
    const phx_status status = phx_reduce_linear(context, linearised, options->reduction, &report->reduction);
    return status ? status : phx_reduction_ss(context, report->reduction, proper, &report->system);
}

/* The report's system as the options have it: the model or a loop of it, without parts, sampled. */
static phx_status linearize_make_system(phx_context *context, const phx_linearised *linearised,
                                        const phx_study_linearize_options *options, phx_linear_report *report)
{
    phx_status status = check_options(context, options);

    if (!status && options->loop)
        status = make_loop(context, linearised, options, report);
    else if (!status)
        status = make_continuous(context, linearised, options, report);
    if (!status && (!options->loop || report->sample == 0.0))
        status = leave_out(context, options, report);
    if (!status && options->sample > 0.0 && !options->loop)
        status = make_sampled(context, linearised, options, report);
    return status;
}

/* Linearises the model into a report with state-space system, form asked for and residuals; reduces it if asked. The
 * report is empty after a failure. */
phx_status phx_study_linearize(phx_context *context, const phx_model *model, const phx_study_linearize_options *options,
                               phx_linear_report *report)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    phx_linear_point point = {.warn = true, .may_be_sparse = true};

    *report = (phx_linear_report){0};
    phx_status status = phx_linear_point_create(context, model, options, &point);
    const phx_linearised *linearised = point.linearised;
    report->n_casimirs = point.n_casimirs;
    report->casimirs = point.casimirs;
    if (!status)
        status = phx_study_title(context, "Linear model of ", model, &report->title);
    if (!status && (options->reduction || !phx_linearised_is_sparse(linearised)))
        status = linearize_make_system(context, linearised, options, report);
    if (!status)
        status = find_structure(context, linearised, report);
    if (!status)
        status = phx_bundle_create(context, &report->bundle);
    if (!status)
        status = put_form(context, options->form, linearised, report);
    if (!status && report->reduction)
        status = phx_reduction_add(context, report->reduction, linearised, report->bundle);
    if (!status) {
        report->rigid = report->reduction ? phx_reduction_about(report->reduction)->rigid
                                          : phx_linearised_reduced(linearised)->rigid;
        tell_unrest(context, &point.unrest, report);
        status = phx_linear_report_fill(context, model, report);
    }
    phx_linearised_destroy(point.linearised);
    if (status)
        phx_linear_report_free(report);
    return phx_conclude(context, status);
}
