/* The TITOP model of one body of a model. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

phx_study_titop_options phx_study_titop_options_default(void)
{
    return (phx_study_titop_options){0};
}

/* Intermediate results; ports[0] is P. */
typedef struct titop_work {
    phx_system *system; /* of the body alone */
    int count;          /* names of ports, P first */
    char **names;
    phx_body_port *ports;
    phx_titop_port *children;
    char **coordinates;
    int n_coordinates;
    phx_titop_def def;
} titop_work;

/* Frees names, ports, coordinates and the built body. */
static void titop_work_free(titop_work *work)
{
    for (int k = 0; k < work->count; k++) {
        phx_free(work->names[k]);
        if (work->ports)
            phx_body_port_free(&work->ports[k]);
    }
    for (int k = 0; work->coordinates && k < work->n_coordinates; k++)
        phx_free(work->coordinates[k]);
    phx_free(work->names);
    phx_free(work->ports);
    phx_free(work->children);
    phx_free(work->coordinates);
    phx_system_destroy(work->system);
}

/* ---- names of ports ---- */
static bool has_name(const titop_work *work, const char *name)
{
    for (int k = 0; k < work->count; k++)
        if (!strcmp(work->names[k], name))
            return true;
    return false;
}

static phx_status add_name(phx_context *context, titop_work *work, const char *name)
{
    char **grown = phx_realloc(context, work->names, (size_t)work->count + 1, sizeof *grown);
    if (!grown)
        return PHX_ERR_MEMORY;
    work->names = grown;
    grown[work->count] = phx_strdup(context, name);
    return grown[work->count] ? (work->count++, PHX_OK) : PHX_ERR_MEMORY;
}

/* The point `body@S` of a reference, unless it stands for a port with a name or is of another body. */
static phx_status add_point(phx_context *context, titop_work *work, int body, const phx_model_point *point)
{
    const char *at = point->text ? strchr(point->text, '@') : NULL;
    if (point->body != body || point->port >= 0 || !at || has_name(work, at))
        return PHX_OK;
    return add_name(context, work, at);
}

/* Every port of the body in the file but P, then the points at which it is connected. */
static phx_status add_all_names(phx_context *context, const phx_model *model, int body, titop_work *work)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < model->bodies[body].n_ports && !status; k++)
        if (!has_name(work, model->bodies[body].ports[k].name))
            status = add_name(context, work, model->bodies[body].ports[k].name);
    for (int k = 0; k < 2 * model->n_joints && !status; k++)
        status = add_point(context, work, body, &model->joints[k / 2].ports[k % 2]);
    for (int k = 0; k < 2 * model->n_springs && !status; k++)
        status = add_point(context, work, body, &model->springs[k / 2].ports[k % 2]);
    for (int i = 0; i < model->n_forces; i++)
        for (int k = 0; k < model->forces[i].n_ports && !status; k++)
            status = add_point(context, work, body, &model->forces[i].ports[k]);
    for (int k = 0; k < model->n_loads && !status; k++)
        if (model->loads[k].on < 0)
            status = add_point(context, work, body, &model->loads[k].at);
    return status;
}

/* Lists the ports of the two-port model, the parent first: those given, or all of the body. A port named twice is
 * refused. */
static phx_status titop_add_names(phx_context *context, const phx_model *model, int body,
                                  const phx_study_titop_options *options, titop_work *work)
{
    const char *own = phx_model_body_kind_info(model->bodies[body].kind)->ports[0];
    const char *parent = options->parent ? options->parent : own ? own : "P";
    phx_status status = add_name(context, work, parent);
    if (!options->ports)
        return status ? status : add_all_names(context, model, body, work);
    if (options->n_ports < 1)
        return phx_fail(context, PHX_ERR_INPUT, "the list of ports is empty; name at least one, or give no list");
    for (int k = 0; k < options->n_ports && !status; k++) {
        if (has_name(work, options->ports[k]))
            status = phx_fail(context, PHX_ERR_INPUT, "port '%s' of body '%s' is given twice among %s and the ports",
                              options->ports[k], options->body, work->names[0]);
        else
            status = add_name(context, work, options->ports[k]);
    }
    return status;
}

/* ---- ports ---- */
static phx_status no_port(phx_context *context, const phx_model *model, const phx_model_body *body, const char *name)
{
    phx_nearest nearest = phx_nearest_to(name);
    for (int k = 0; k < body->n_ports; k++)
        phx_nearest_offer(&nearest, body->ports[k].name);
    return phx_model_fail(context, model, body, PHX_ERR_INPUT, "body '%s' has no port %s%s", body->name,
                          phx_shown_text(name).text, phx_nearest_hint(&nearest).text);
}

/* The point @TEXT of a body with a source, in the directions of the body. */
static phx_status located_port(phx_context *context, const phx_model *model, const phx_model_body *body,
                               const phx_flex_source *source, const char *name, phx_body_port *port)
{
    static const double identity[2][9] = {{1.0, 0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    phx_location location;
    phx_status status = phx_location_read(context, phx_flex_source_sorts(source), name + 1, &location);

    memcpy(port->rotation, identity[model->dimension - 2], sizeof port->rotation);
    if (!status)
        status = phx_flex_source_point(source, context, &location, &port->point);
    if (!status || status == PHX_ERR_MEMORY)
        return status;
    status = phx_fail_prefix(context, PHX_ERR_INPUT, "body '%s': port %s: ", body->name, name);
    return phx_model_blame(context, model, status);
}

static phx_status make_port(phx_context *context, const phx_model *model, const phx_model_body *body,
                            const titop_work *work, const char *name, phx_body_port *port)
{
    const phx_body_port *found = phx_system_find_point(work->system, 0, name);
    if (found) {
        memcpy(port->rotation, found->rotation, sizeof port->rotation);
        return phx_flex_point_copy(context, model->dimension, &found->point, &port->point);
    }
    const phx_flex_source *source = phx_system_source(work->system, 0);
    if (name[0] != '@' || !source)
        return no_port(context, model, body, name);
    return located_port(context, model, body, source, name, port);
}

/* Names of the deformation coordinates, without the body's. */
static phx_status titop_name_coordinates(phx_context *context, const phx_model_body *body, titop_work *work)
{
    const phx_body *made = phx_system_body(work->system, 0);
    const int n = phx_body_n_q(made), rigid = phx_body_n_v(made) - n;
    work->coordinates = phx_calloc(context, (size_t)n, sizeof *work->coordinates);
    if (!work->coordinates)
        return PHX_ERR_MEMORY;
    for (; work->n_coordinates < n; work->n_coordinates++) {
        char name[512];
        phx_system_coordinate_name(work->system, rigid + work->n_coordinates, name, sizeof name);
        char *copy = phx_strdup(context, name + strlen(body->name) + 1);
        if (!copy)
            return PHX_ERR_MEMORY;
        work->coordinates[work->n_coordinates] = copy;
    }
    return PHX_OK;
}

/* Builds the body alone and its ports and defines the two-port model, with the parent at index 0. */
static phx_status make_work(phx_context *context, const phx_model *model, int index,
                            const phx_study_titop_options *options, titop_work *work)
{
    const phx_model_body *body = &model->bodies[index];
    phx_status status = titop_add_names(context, model, index, options, work);
    if (!status)
        status = phx_model_build_body(context, model, index, &work->system);
    if (status)
        return status;
    work->ports = phx_calloc(context, (size_t)work->count, sizeof *work->ports);
    work->children = phx_calloc(context, (size_t)work->count, sizeof *work->children);
    if (!work->ports || !work->children)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < work->count && !status; k++) {
        status = make_port(context, model, body, work, work->names[k], &work->ports[k]);
        if (k > 0)
            work->children[k - 1] = (phx_titop_port){work->names[k], &work->ports[k]};
    }
    if (!status)
        status = titop_name_coordinates(context, body, work);
    work->def = phx_titop_def_default();
    work->def.name = body->name;
    work->def.body = phx_system_body(work->system, 0);
    work->def.parent = (phx_titop_port){work->names[0], &work->ports[0]};
    work->def.n_children = work->count - 1;
    work->def.children = work->children;
    work->def.coordinates = (const char *const *)work->coordinates;
    return status;
}

/* ---- structure ---- */
static double titop_asymmetry(int n, const double *matrix)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            largest = fmax(largest, fabs(matrix[i * n + j]));
            difference = fmax(difference, fabs(matrix[i * n + j] - matrix[j * n + i]));
        }
    return largest > 0.0 ? difference / largest : 0.0;
}

static phx_status least_eigenvalue(phx_context *context, int n, const double *matrix, double *least)
{
    double *values = phx_calloc(context, (size_t)n, sizeof *values);
    phx_status status = values ? PHX_OK : PHX_ERR_MEMORY;
    if (!status && n > 0)
        status = phx_dense_eigen_symmetric(context, n, matrix, NULL, values, NULL);
    *least = status || n == 0 ? 0.0 : values[0];
    phx_free(values);
    return status;
}

/* | D_P  L_P^T |
 * | L_P  M     | */
static phx_status whole_mass(phx_context *context, const phx_titop_parts *parts, double **mass)
{
    const int size = parts->size, n = size + parts->n;
    double *m = phx_calloc(context, (size_t)n * (size_t)n, sizeof *m);
    *mass = m;
    if (!m)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            m[i * n + j] = parts->D_P[i * size + j];
    for (int i = 0; i < parts->n; i++) {
        for (int j = 0; j < size; j++)
            m[(size + i) * n + j] = m[j * n + size + i] = parts->L_P[i * size + j];
        for (int j = 0; j < parts->n; j++)
            m[(size + i) * n + size + j] = parts->M[i * parts->n + j];
    }
    return PHX_OK;
}

/* Adds asymmetries of mass, stiffness, damping and feedthrough, and least eigenvalues of mass and stiffness to the
 * report; these show passivity. */
static phx_status find_structure(phx_context *context, const titop_work *work, phx_linear_report *report)
{
    phx_titop_parts parts = {0};
    double *mass = NULL, least = 0.0;
    phx_status status = phx_titop_parts_create(context, &work->def, &parts);
    if (!status)
        status = whole_mass(context, &parts, &mass);
    if (!status) {
        phx_linear_report_residual(report, "mass_asymmetry", titop_asymmetry(parts.size + parts.n, mass));
        phx_linear_report_residual(report, "stiffness_asymmetry", titop_asymmetry(parts.n, parts.K));
        phx_linear_report_residual(report, "damping_asymmetry", titop_asymmetry(parts.n, parts.D));
        phx_linear_report_residual(report, "feedthrough_asymmetry",
                                   titop_asymmetry(phx_ss_inputs(report->system), phx_ss_D(report->system)));
        status = least_eigenvalue(context, parts.size + parts.n, mass, &least);
    }
    if (!status) {
        phx_linear_report_residual(report, "least_mass_eigenvalue", least);
        status = least_eigenvalue(context, parts.n, parts.K, &least);
    }
    if (!status)
        phx_linear_report_residual(report, "least_stiffness_eigenvalue", least);
    phx_free(mass);
    phx_titop_parts_free(&parts);
    return status;
}

/* ---- channels ---- */
typedef int finder(const phx_ss *system, const char *name);

static phx_status no_signal(phx_context *context, const phx_ss *system, const char *what, const char *name,
                            finder *find)
{
    phx_nearest nearest = phx_nearest_to(name);
    for (int k = 0; k < phx_ss_inputs(system); k++)
        if (find(system, phx_ss_input(system, k)) >= 0)
            phx_nearest_offer(&nearest, phx_ss_input(system, k));
    for (int k = 0; k < phx_ss_outputs(system); k++)
        if (find(system, phx_ss_output(system, k)) >= 0)
            phx_nearest_offer(&nearest, phx_ss_output(system, k));
    return phx_fail(context, PHX_ERR_INPUT, "%s has no %s %s%s", phx_ss_name(system), what, phx_shown_text(name).text,
                    phx_nearest_hint(&nearest).text);
}

/* Places of the signals of a list; NULL asks nothing. */
static phx_status find_signals(phx_context *context, const phx_ss *system, const char *what, finder *find, int count,
                               const char *const *names, int **places)
{
    *places = names ? phx_calloc(context, (size_t)count, sizeof **places) : NULL;
    if (!names)
        return PHX_OK;
    if (!*places)
        return PHX_ERR_MEMORY;
    if (count < 1)
        return phx_fail(context, PHX_ERR_INPUT, "the list of %ss is empty; name at least one", what);
    for (int k = 0; k < count; k++) {
        (*places)[k] = find(system, names[k]);
        if ((*places)[k] < 0)
            return no_signal(context, system, what, names[k], find);
        for (int j = 0; j < k; j++)
            if ((*places)[j] == (*places)[k])
                return phx_fail(context, PHX_ERR_INPUT, "the %s %s is given twice", what,
                                phx_shown_text(names[k]).text);
    }
    return PHX_OK;
}

static void replace(phx_ss **system, phx_ss *by)
{
    phx_ss_destroy(*system);
    *system = by;
}

/* Inverts the chosen channels, so that their inputs become outputs, and replaces the system. Fails if the feedthrough
 * of these channels is singular. */
static phx_status titop_invert(phx_context *context, const phx_study_titop_options *options, phx_ss **system)
{
    int *channels = NULL;
    phx_ss *inverted = NULL;
    phx_status status = find_signals(context, *system, "channel", phx_ss_find_channel, options->n_inverted,
                                     options->inverted, &channels);
    if (!status && channels) {
        status = phx_ss_invert(context, *system, options->n_inverted, channels, &inverted);
        if (!status)
            replace(system, inverted);
        else if (status == PHX_SINGULAR)
            status = PHX_ERR_ANALYSIS;
    }
    phx_free(channels);
    return status;
}

/* Select inputs and outputs, and drop the states held by the inputs that are left out. */
static phx_status select_signals(phx_context *context, const phx_study_titop_options *options,
                                 phx_linear_report *report)
{
    const int before = phx_ss_n(report->system);
    int *places[2] = {NULL, NULL};
    phx_ss *sub = NULL, *reduced = NULL;
    phx_status status = find_signals(context, report->system, "input", phx_ss_find_input, options->n_inputs,
                                     options->inputs, &places[0]);
    if (!status)
        status = find_signals(context, report->system, "output", phx_ss_find_output, options->n_outputs,
                              options->outputs, &places[1]);
    if (!status)
        status = phx_ss_sub(context, report->system, options->n_outputs, options->outputs, options->n_inputs,
                            options->inputs, &sub);
    if (!status && options->inputs)
        status = phx_ss_reduce(context, sub, PHX_SS_CONSTRAINED, 0.0, &reduced);
    if (!status && reduced) {
        replace(&report->system, reduced);
        report->left_out = before - phx_ss_n(reduced);
    } else if (!status) {
        replace(&report->system, sub);
        sub = NULL;
    }
    phx_ss_destroy(sub);
    phx_free(places[0]);
    phx_free(places[1]);
    return status;
}

/* ---- the whole ---- */
static phx_status make_title(phx_context *context, const titop_work *work, const char *body, char **title)
{
    size_t room = 64 + strlen(body);
    for (int k = 0; k < work->count; k++)
        room += strlen(work->names[k]) + 2;
    *title = phx_calloc(context, room, 1);
    if (!*title)
        return PHX_ERR_MEMORY;
    size_t used = (size_t)snprintf(*title, room, "TITOP model of %s, P: %s", body, work->names[0]);
    for (int k = 1; k < work->count; k++)
        used += (size_t)snprintf(*title + used, room - used, "%s%s", k > 1 ? ", " : ", C: ", work->names[k]);
    return PHX_OK;
}

/* Linear two-input two-output port model of one body from its parent port to its other ports, with channels inverted
 * and selected as asked. The report is empty after a failure. */
phx_status phx_study_titop(phx_context *context, const phx_model *model, const phx_study_titop_options *options,
                           phx_linear_report *report)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    titop_work work = {0};
    int body = -1;

    *report = (phx_linear_report){0};
    phx_status status = phx_study_find_body(context, model, options->body, &body);
    if (!status)
        status = make_work(context, model, body, options, &work);
    if (!status)
        status = make_title(context, &work, options->body, &report->title);
    if (!status)
        status = phx_titop_create(context, &work.def, &report->system);
    if (!status)
        status = find_structure(context, &work, report);
    if (!status)
        status = titop_invert(context, options, &report->system);
    if (!status && (options->inputs || options->outputs))
        status = select_signals(context, options, report);
    if (!status)
        status = phx_bundle_create(context, &report->bundle);
    if (!status)
        status = phx_bundle_add_ss(context, report->bundle, report->system);
    if (!status)
        status = phx_linear_report_fill(context, model, report);
    titop_work_free(&work);
    if (status)
        phx_linear_report_free(report);
    return phx_conclude(context, status);
}
