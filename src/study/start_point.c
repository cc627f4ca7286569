/* The system of a model at its start state. */
#include "internal.h"

#include <math.h>

#include <stdio.h>
#include <string.h>

void phx_bundle_made_from(phx_bundle *bundle, const phx_model *model)
{
    const char *path;
    for (int k = 0; (path = phx_model_file(model, k)) != NULL; k++)
        phx_bundle_add_file(bundle, path);
}

phx_status phx_continue_blame(phx_context *context, const phx_model *model, phx_status status)
{
    const phx_model_source where = phx_model_where(model, &model->initial.from);

    if (status && status != PHX_ERR_MEMORY)
        phx_fail_prefix(context, status, "%s:%d:%d: ", model->path, where.line, where.column);
    return status;
}

/* A row of a static result counts its points; the time of its loads is an attribute. */
static phx_status time_of_static(phx_context *context, const phx_result *result, double *t)
{
    const char *analysis = phx_result_text(result, "analysis");

    if (!analysis || strcmp(analysis, "static") != 0)
        return PHX_OK;
    for (int k = 0; k < phx_result_attributes(result); k++)
        if (!strcmp(phx_result_attribute(result, k)->name, "time")) {
            *t = phx_result_attribute(result, k)->number;
            return PHX_OK;
        }
    return phx_fail(context, PHX_ERR_INPUT,
                    "the static result lacks the time of its loads; run `phlexor static` again");
}

/* Whether a ledger entry of the result belongs to an event of the model. */
static bool had_event(const phx_model *model, const phx_result *result)
{
    for (int k = 0; k < model->n_events; k++)
        for (int i = 0; i < phx_result_ledger(result); i++)
            if (!strcmp(phx_result_ledger_entry(result, i)->name, model->events[k].name))
                return true;
    return false;
}

/* Joints and forces as the events of the result have left them; *events: it had some. */
static phx_status take_switches(phx_context *context, const phx_model *model, phx_system *system,
                                const phx_result *result, const double *x, bool *events)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    phx_archive *archive = NULL;
    phx_status status = phx_result_switched(result, &size, &bytes);

    *events = bytes != NULL;
    if (!status && !bytes && had_event(model, result))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "the result lacks the joints and forces that its events have switched; simulate it again");
    if (!status && bytes)
        status = phx_archive_open(context, size, bytes, &archive);
    if (archive) {
        phx_system_archive_switched(archive, system, x);
        status = phx_archive_status(archive);
    }
    phx_archive_destroy(archive);
    phx_free(bytes);
    return status;
}

/* The last values of the columns, by their names; 0 for those that the result does not have. */
static phx_status start_point_take_columns(const phx_system *system, const phx_result *result, double *columns)
{
    phx_status status = PHX_OK;

    for (int c = 0; c < phx_system_columns(system) && columns && !status; c++) {
        char name[300];
        phx_system_column_name(system, c, name, sizeof name);
        const int column = phx_result_column_find(result, name);
        columns[c] = 0.0;
        if (column >= 0)
            status = phx_result_column(result, column, phx_result_rows(result) - 1, 1, &columns[c]);
    }
    return status;
}

/* A result made with other controllers has more or fewer numbers behind those of the mechanism. */
phx_status phx_continue_state(phx_context *context, const phx_model *model, const phx_drawing *drawing,
                              phx_system *system, phx_continuation *from, double *x, double *v)
{
    const int n_x = phx_system_n_x(system);
    phx_result *result = NULL;
    double *stored = NULL;
    phx_status status = phx_result_read(context, model->initial.from, &result);
    const int n = status ? 0 : phx_result_n_x(result);

    if (!status) {
        stored = phx_calloc(context, (size_t)n, sizeof *stored);
        status = stored ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status)
        status =
            phx_result_last_state(result, model->dimension, drawing->n_bodies, drawing->bodies, &from->t, stored, v);
    if (!status) {
        memcpy(x, stored, (size_t)(n < n_x ? n : n_x) * sizeof *x);
        if (n != n_x) /* controllers begin anew */
            phx_system_initial_controllers(system, x);
        status = time_of_static(context, result, &from->t);
    }
    if (!status)
        status = take_switches(context, model, system, result, x, &from->events);
    if (!status)
        status = start_point_take_columns(system, result, from->columns);
    phx_free(stored);
    phx_result_destroy(result);
    return phx_continue_blame(context, model, status == PHX_ERR_FILE ? PHX_ERR_INPUT : status);
}

/* Reports how a state from a result of other joints was changed: motion that closes them, energy of impulses and
 * drives. Fails if the start is strict, else warns. */
static phx_status start_point_tell(phx_context *context, const phx_model *model, const phx_system *system,
                                   const phx_continued *change)
{
    char text[400] = "";

    if (change->closed)
        snprintf(text, sizeof text,
                 "its last state does not close the joints: closing them moves body '%.100s' by %.3g m and %.3g rad, ",
                 phx_body_name(phx_system_body(system, change->body)), change->distance, change->angle);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "%simpulses of the joints dissipate %.3g J and the drives supply %.3g J",
             change->closed ? "and " : "its velocities do not agree with the joints: ", change->lost, change->supplied);
    if (model->initial.strict)
        return phx_continue_blame(context, model,
                                  phx_fail(context, PHX_ERR_INPUT, "the result was made with other joints; %s", text));
    phx_log(context, PHX_LOG_WARNING, "%s was made with other joints; %s", model->initial.from, text);
    return PHX_OK;
}

phx_status phx_continue_on_joints(phx_context *context, const phx_model *model, phx_dae *dae, const phx_system *system,
                                  double t, double *x, double *v)
{
    phx_continued change;
    phx_status status = phx_continue_blame(context, model, phx_system_continue(dae, t, x, v, &change));

    if (!status && (change.closed || change.lost != 0.0))
        status = start_point_tell(context, model, system, &change);
    return status;
}

phx_status phx_start_point_continue(phx_context *context, const phx_model *model, const phx_drawing *drawing,
                                    phx_start_point *point, double *t)
{
    phx_continuation from = {0};

    phx_system_dae_destroy(point->dae);
    point->dae = NULL;
    phx_status status = phx_continue_state(context, model, drawing, point->system, &from, point->x, point->v);
    *t = from.t;
    return status ? status : phx_system_dae(point->system, context, &point->dae);
}

void phx_start_point_free(phx_start_point *point)
{
    phx_system_dae_destroy(point->dae);
    phx_system_destroy(point->system);
    phx_free(point->x);
    phx_free(point->v);
    phx_free(point->lambda);
    *point = (phx_start_point){0};
}

phx_start_options phx_start_of(const phx_model *model)
{
    return (phx_start_options){.quasi_static = model->initial.deformation == PHX_MODEL_QUASI_STATIC,
                               .equilibrium = model->initial.equilibrium,
                               .stability = phx_linear_stability};
}

/* Builds the model with its assembled start state, and multipliers if asked for. The caller frees the point also after
 * a failure. */
phx_status phx_start_point_create(phx_context *context, const phx_model *model, const phx_build_options *options,
                                  const phx_start_options *start, bool multipliers, phx_start_point *point)
{
    *point = (phx_start_point){0};
    phx_status status = phx_model_build(context, model, options, &point->system);
    if (!status)
        status = phx_start_judge(context, model, point->system, false);
    if (!status)
        status = phx_system_dae(point->system, context, &point->dae);
    if (!status) {
        point->x = phx_calloc(context, (size_t)point->dae->n_x, sizeof *point->x);
        point->v = phx_calloc(context, (size_t)point->dae->n_v, sizeof *point->v);
        point->lambda = multipliers ? phx_calloc(context, (size_t)point->dae->n_l, sizeof *point->lambda) : NULL;
        status = point->x && point->v && (point->lambda || !multipliers) ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status)
        status =
            phx_model_blame(context, model, phx_system_start(point->system, start, point->x, point->v, point->lambda));
    return status;
}

phx_status phx_start_point_at(phx_context *context, const phx_model *model, const phx_build_options *options,
                              phx_model_modes_at at, phx_start_point *point)
{
    phx_start_options start = phx_start_of(model);

    if (at == PHX_MODEL_AT_STEADY)
        start = (phx_start_options){0};
    else if (at == PHX_MODEL_AT_STATIC)
        start = (phx_start_options){.equilibrium = true, .stability = phx_linear_stability};
    return phx_start_point_create(context, model, options, &start, at == PHX_MODEL_AT_STEADY, point);
}

/* ---- how far from equilibrium ---- */
phx_status phx_unrest_at(phx_start_point *point, phx_unrest *unrest)
{
    double pull = 0.0, per_mass = 0.0;
    phx_status status = phx_system_unrest(point->dae, 0.0, point->x, &unrest->held, &unrest->loose);

    if (status == PHX_SINGULAR) { /* a singular position, about which modes can be asked for all the same */
        phx_context_clear(point->dae->context);
        unrest->held = unrest->loose = unrest->held_share = unrest->loose_share = 0.0;
        return PHX_OK;
    }
    if (!status)
        status = phx_system_pull(point->dae, 0.0, point->x, &pull, &per_mass);
    if (!status)
        status = phx_system_common_acceleration(point->dae, 0.0, point->x, unrest->common, unrest->gravity);
    unrest->dim = phx_system_dim(point->system);
    unrest->held_share = !status && per_mass > 0.0 ? unrest->held / per_mass : 0.0;
    unrest->loose_share = !status && per_mass > 0.0 ? unrest->loose / per_mass : 0.0;
    return status;
}

void phx_forces_left_out(const phx_system *system, size_t size, char *text)
{
    const int contacts = phx_system_contact_count(system), frictions = phx_system_dry_count(system);
    int at = 0;

    text[0] = '\0';
    if (contacts > 0)
        at = snprintf(text, size, "%s'%.60s'%s", contacts > 1 ? "the rigid contacts " : "the rigid contact ",
                      phx_system_contact_name(system, 0), contacts > 1 ? " ..." : "");
    if (frictions > 0)
        snprintf(text + at, size - (size_t)at, "%sset-valued friction of '%.60s'%s", at > 0 ? " and the " : "the ",
                 phx_system_dry_joint(system, 0), frictions > 1 ? " ..." : "");
}

void phx_warn_left_out(phx_context *context, const char *left_out)
{
    if (left_out[0] != '\0')
        phx_log(context, PHX_LOG_WARNING,
                "this analysis ignores %s; contacts by penalty ('stiffness') and regularised friction are included",
                left_out);
}

/* Accelerations below this, m/s^2, are rounding of forces in equilibrium. */
static const double balanced = 1e-6;

static double start_point_size_of(const double *vector)
{
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

/* Loads that accelerate everything as one: the point rests in axes that move with it, under another gravity. */
static void warn_accelerated(phx_context *context, const phx_unrest *unrest)
{
    static const double ROUNDING = 1e-12; /* relative to gravity and the common acceleration */
    const double *g = unrest->gravity,
                 small = ROUNDING * (start_point_size_of(g) + start_point_size_of(unrest->common));
    char text[120];
    int used = 0;

    for (int a = 0; a < unrest->dim; a++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.10g", a > 0 ? ", " : "",
                         fabs(g[a]) > small ? g[a] : 0.0);
    phx_log(context, PHX_LOG_WARNING,
            "the loads accelerate the whole mechanism with %.3g m/s^2, which this analysis ignores: it holds the start "
            "at rest. 'gravity: [%s]' in the model adds the inertia forces of axes that move with it; combine it with "
            "'--at static' if the mechanism is otherwise free",
            start_point_size_of(unrest->common), text);
}

/* Warns of forces that are left out, and if the state is no equilibrium: of the mechanism, of the point held at rest,
 * or of the deformations alone. */
void phx_unrest_warn(phx_context *context, const phx_unrest *unrest)
{
    phx_warn_left_out(context, unrest->left_out);
    if (start_point_size_of(unrest->common) > balanced)
        warn_accelerated(context, unrest);
    else if (unrest->held > balanced)
        phx_log(context, PHX_LOG_WARNING,
                "the start state is not in equilibrium: it would accelerate with %.3g m/s^2, %.2g of the acting "
                "forces; this analysis holds it at rest and uses the symmetric part of the stiffness. '--at static' "
                "uses the equilibrium at rest, 'initial: {equilibrium: true}' starts from it",
                unrest->held, unrest->held_share);
    else if (unrest->loose > balanced)
        phx_log(context, PHX_LOG_WARNING,
                "the deformations are not in equilibrium: they would accelerate with %.3g m/s^2, %.2g of the acting "
                "forces; '--at static' uses their equilibrium, 'initial: {deformation: quasi_static}' starts from it",
                unrest->loose, unrest->loose_share);
}
