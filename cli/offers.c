/* Candidates for a place of the command line: see offers.h. What cannot be read offers nothing. */
#define _POSIX_C_SOURCE 200809L
#include "offers.h"

#include <string.h>

void offer(const place *at, const char *word, const char *tail, const char *doc)
{
    if (strncmp(word, at->typed, strlen(at->typed)) != 0 || strpbrk(word, "\t\r\n"))
        return;
    printf("%.*s%s%s\t%s\n", at->before_length, at->before, word, tail, doc);
}

static phx_model *model_of(const place *at)
{
    phx_model *model = NULL;
    if (at->path && phx_model_read(at->context, at->path, 0, NULL, &model) != PHX_OK)
        return NULL;
    return model;
}

/* The parameters of the model, `tail` behind each. */
static void offer_parameters_with(const place *at, const char *tail)
{
    phx_model *model = model_of(at);
    char doc[64];

    for (int k = 0; model && k < model->n_parameters; k++) {
        snprintf(doc, sizeof doc, "%.9g in the model", model->parameters[k].value);
        offer(at, model->parameters[k].name, tail, doc);
    }
    phx_model_destroy(model);
}

void offer_parameters(const place *at)
{
    offer_parameters_with(at, "=");
}

void offer_parameter_names(const place *at)
{
    offer_parameters_with(at, "");
}

void offer_bodies(const place *at)
{
    phx_model *model = model_of(at);

    for (int k = 0; model && k < model->n_bodies; k++)
        offer(at, model->bodies[k].name, "", "body");
    phx_model_destroy(model);
}

void offer_ports(const place *at)
{
    phx_model *model = model_of(at);

    for (int k = 0; model && k < model->n_bodies; k++) {
        const phx_model_body *body = &model->bodies[k];
        for (int i = 0; i < body->n_ports && (!at->body || !strcmp(at->body, body->name)); i++)
            offer(at, body->ports[i].name, "", body->name);
    }
    phx_model_destroy(model);
}

/* ---- channels of a model ---- */
/* NAME.WHAT for each word of `what` (spaces between them). */
static void offer_parts(const place *at, const char *name, const char *what, const char *doc)
{
    char word[512];

    for (const char *w = what; *w; w += strcspn(w, " ") + strspn(w + strcspn(w, " "), " ")) {
        const int length = snprintf(word, sizeof word, "%s.%.*s", name, (int)strcspn(w, " "), w);
        if (length > 0 && (size_t)length < sizeof word)
            offer(at, word, "", doc);
    }
}

void offer_points(const place *at)
{
    phx_model *model = model_of(at);

    for (int k = 0; model && k < model->n_bodies; k++)
        for (int i = 0; i < model->bodies[k].n_ports; i++)
            offer_parts(at, model->bodies[k].name, model->bodies[k].ports[i].name, "");
    phx_model_destroy(model);
}

static void offer_loads(const place *at, const phx_model *model)
{
    static const char *const forces[] = {"", "fx", "fx fy", "fx fy fz"};

    for (int k = 0; k < model->n_loads; k++) {
        const phx_model_load *load = &model->loads[k];
        offer_parts(at, load->name,
                    load->kind != PHX_MODEL_TORQUE ? forces[model->dimension]
                    : model->dimension == 2        ? "tz"
                                                   : "tx ty tz",
                    "load");
    }
}

static void offer_joints(const place *at, const phx_model *model)
{
    static const char *const words[] = {"effort", "acceleration", "rate"};

    for (int k = 0; k < model->n_joints; k++) {
        const int n = model->joints[k].n_coordinates;
        char parts[3 * PHX_JOINT_MAX_COORDINATES * 16] = "effort acceleration rate";
        size_t used = 0;
        for (int w = 0; w < 3 && n != 1; w++)
            for (int c = 1; c <= n; c++)
                used += (size_t)snprintf(parts + used, sizeof parts - used, "%s%s%d", used ? " " : "", words[w], c);
        offer_parts(at, model->joints[k].name, n ? parts : "", "joint");
    }
}

/* Offers loads, actuators, drives, springs and forces at ports of the model as inputs of linear models and FMUs. */
void offer_model_inputs(const place *at)
{
    phx_model *model = model_of(at);
    char name[512];

    if (!model)
        return;
    offer_loads(at, model);
    offer_joints(at, model);
    for (int k = 0; k < model->n_springs; k++)
        offer_parts(at, model->springs[k].name, model->springs[k].force ? "force" : "", "spring");
    for (int k = 0; k < model->n_bodies; k++)
        for (int i = 0; i < model->bodies[k].n_ports; i++) {
            snprintf(name, sizeof name, "%s.%s", model->bodies[k].name, model->bodies[k].ports[i].name);
            offer_parts(at, name, model->dimension == 2 ? "fx fy tz" : "fx fy fz tx ty tz", "port");
        }
    phx_model_destroy(model);
}

void offer_model_outputs(const place *at)
{
    phx_model *model = model_of(at);
    phx_system *system = NULL;
    char name[512];

    if (model && phx_model_build(at->context, model, NULL, &system) == PHX_OK)
        for (int k = 0; k < phx_system_columns(system); k++) {
            phx_system_column_name(system, k, name, sizeof name);
            offer(at, name, "", phx_system_column_unit(system, k));
        }
    phx_system_destroy(system);
    phx_model_destroy(model);
}

/* Offers the inputs or outputs of the TITOP model of the body that --body names; nothing if it cannot be made. */
static void offer_body_names(const place *at, bool inputs, bool outputs)
{
    phx_study_titop_options options = phx_study_titop_options_default();
    phx_linear_report report = {0};
    phx_model *model = at->body ? model_of(at) : NULL;

    options.body = at->body;
    if (model && phx_study_titop(at->context, model, &options, &report) == PHX_OK) {
        for (int k = 0; inputs && k < phx_ss_inputs(report.system); k++)
            offer(at, phx_ss_input(report.system, k), "", "input");
        for (int k = 0; outputs && k < phx_ss_outputs(report.system); k++)
            offer(at, phx_ss_output(report.system, k), "", "output");
    }
    phx_linear_report_free(&report);
    phx_model_destroy(model);
}

void offer_body_inputs(const place *at)
{
    offer_body_names(at, true, false);
}

void offer_body_outputs(const place *at)
{
    offer_body_names(at, false, true);
}

void offer_body_channels(const place *at)
{
    offer_body_names(at, true, true);
}

/* ---- names in files and of the program ---- */
void offer_integrators(const place *at)
{
    for (int k = 0; k < PHX_INTEGRATORS; k++)
        offer(at, phx_integrator_name((phx_integrator)k), "", "integrator");
}

/* Channels of a linear model in a file. */
static void offer_names(const place *at, const char *what)
{
    phx_bundle *bundle = NULL;
    const phx_bundle_item *item = NULL;

    if (at->path && phx_exchange_read(at->context, at->path, &bundle) == PHX_OK)
        item = phx_bundle_find(bundle, what);
    for (int k = 0; item && item->names && k < item->rows; k++)
        offer(at, item->names[k], "", what);
    phx_bundle_destroy(bundle);
}

void offer_inputs(const place *at)
{
    offer_names(at, "inputs");
}

void offer_outputs(const place *at)
{
    offer_names(at, "outputs");
}

void offer_kinds(const place *at)
{
    cli_kind kind;

    for (int k = 0; cli_new_kind(k, &kind); k++)
        offer(at, kind.name, "", kind.text);
}

/* Offers names and titles of the tables and figures that the Python command lists. */
void offer_reproductions(const place *at)
{
    FILE *list = cli_ask_python(at->context, "reproduce --list");
    char line[256]; /* "NAME  TITLE  PLACE" */

    while (list && fgets(line, sizeof line, list)) {
        char *title = strchr(line, ' '), *end = title ? strstr(title + strspn(title, " "), "  ") : NULL;
        if (!end)
            continue;
        *title = *end = '\0';
        offer(at, line, "", title + 1 + strspn(title + 1, " "));
    }
    if (list)
        pclose(list);
}

/* Columns of a result. */
void offer_columns(const place *at)
{
    phx_result *result = NULL;

    if (!at->path || phx_result_read(at->context, at->path, &result) != PHX_OK)
        return;
    for (int k = 0; k < phx_result_columns(result); k++)
        offer(at, phx_result_column_name(result, k), "", phx_result_column_unit(result, k));
    phx_result_destroy(result);
}

/* Matrices of a linear model in a file. */
void offer_matrices(const place *at)
{
    phx_bundle *bundle = NULL;

    if (!at->path || phx_exchange_read(at->context, at->path, &bundle) != PHX_OK)
        return;
    for (int k = 0; k < phx_bundle_count(bundle); k++) {
        const phx_bundle_item *item = phx_bundle_item_at(bundle, k);
        if (item->kind == PHX_BUNDLE_MATRIX || item->kind == PHX_BUNDLE_SPARSE)
            offer(at, item->name, "", "matrix");
    }
    phx_bundle_destroy(bundle);
}
