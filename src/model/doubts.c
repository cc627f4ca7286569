/* Warnings of a model that can be meant as it is and rarely is. They are told once, when a file is read. */
#include "reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TURN = 2.0 * 3.14159265358979323846;

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the name stands in an expression. */
static bool mentions(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = text ? strstr(text, name) : NULL; at; at = strstr(at + 1, name))
        if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[length]))
            return true;
    return false;
}

static void doubts_tell(const phx_reader *reader, phx_model_source where, const char *text)
{
    phx_log(reader->context, PHX_LOG_WARNING, "%s:%d:%d: %s", reader->model->path, where.line, where.column, text);
}

/* Whether an angle is written with pi or deg, or made of parameters that are. */
static bool has_unit(const phx_reader *reader, const char *text)
{
    bool has = mentions(text, "deg") || mentions(text, "pi");

    for (int k = 0; k < reader->model->n_parameters && !has; k++) {
        const char *of = reader->content->parameter_texts[k];
        has = of && mentions(text, reader->model->parameters[k].name) && (mentions(of, "deg") || mentions(of, "pi"));
    }
    return has;
}

/* Warns of an angle, or of each in a list, beyond one turn whose text has neither `deg` nor `pi`. */
void phx_doubt_angle(phx_reader *reader, const phx_node *node)
{
    static const double BARELY = 1e-6; /* one turn that was written with few digits is no doubt */
    char text[200];
    double value = 0.0;

    for (int k = 0; node->kind == PHX_NODE_LIST && k < node->count; k++)
        phx_doubt_angle(reader, node->items[k]);
    if (node->kind != PHX_NODE_SCALAR || phx_evaluator_value(reader->evaluator, node->text, &value) ||
        !(fabs(value) > TURN * (1.0 + BARELY)) || has_unit(reader, node->text))
        return;
    snprintf(text, sizeof text, "the angle %.60s is %.4g rad, %.3g turns; write %.60s*deg if degrees are meant",
             node->text, value, value / TURN, node->text);
    doubts_tell(reader, node->source, text);
}

/* 2 max(fibre), or that of a rectangle with the same moments. */
static double extent_of(const phx_model_section *section)
{
    const double fibre = fmax(section->fibre[0], section->fibre[1]);

    return fibre > 0.0 ? 2.0 * fibre : sqrt(12.0 * fmax(section->inertia[0], section->inertia[1]) / section->area);
}

static void doubt_section(const phx_reader *reader, const phx_model_body *body)
{
    const double extent = body->section.area > 0.0 ? extent_of(&body->section) : 0.0;
    char text[300];

    if (!(body->length > 0.0 && extent > body->length))
        return;
    snprintf(
        text, sizeof text,
        "body '%.100s' is a beam of %.4g m with a section of %.4g m, larger than its length; check their units, or "
        "take a solid",
        body->name, body->length, extent);
    doubts_tell(reader, phx_model_where(reader->model, body), text);
}

static bool has_point(const phx_model_point *points, int count, int body)
{
    for (int k = 0; k < count; k++)
        if (points[k].body == body)
            return true;
    return false;
}

/* Whether anything of the model is at the body. */
static bool is_held(const phx_model *model, int b)
{
    bool held = false;

    for (int k = 0; k < model->n_joints && !held; k++)
        held = has_point(model->joints[k].ports, 2, b);
    for (int k = 0; k < model->n_springs && !held; k++)
        held = has_point(model->springs[k].ports, 2, b);
    for (int k = 0; k < model->n_forces && !held; k++)
        held = has_point(model->forces[k].ports, model->forces[k].n_ports, b);
    for (int k = 0; k < model->n_loads && !held; k++)
        held = model->loads[k].on == b || (model->loads[k].on < 0 && model->loads[k].at.body == b);
    return held;
}

/* A body that neither moves nor is held falls, or stays where it is beside a mechanism. */
static void doubt_body(const phx_reader *reader, int b)
{
    const phx_model *model = reader->model;
    const phx_model_body *body = &model->bodies[b];
    double moves = 0.0, pull = 0.0;
    char text[300];

    for (int a = 0; a < 3; a++) {
        moves += fabs(body->velocity.linear[a]) + fabs(body->velocity.angular[a]);
        pull += fabs(model->gravity[a]);
    }
    if (moves > 0.0 || (!(pull > 0.0) && model->n_joints + model->n_springs + model->n_forces == 0) ||
        is_held(model, b))
        return;
    snprintf(text, sizeof text, "nothing holds body '%.100s'%s; give it a joint, or a velocity if it is to fly",
             body->name, pull > 0.0 ? ", which falls" : "");
    doubts_tell(reader, phx_model_where(model, body), text);
}

/* Neither a key nor the expression of another parameter mentions it. */
static void doubt_parameter(const phx_reader *reader, int k)
{
    const phx_model *model = reader->model;
    const phx_parameter_use *use = &reader->content->uses[k];
    bool used = false;
    char text[200];

    for (int role = 0; role < PHX_PARAMETER_ROLES; role++)
        used = used || use->count[role] > 0;
    for (int other = 0; other < model->n_parameters && !used; other++)
        used = other != k && mentions(reader->content->parameter_texts[other], model->parameters[k].name);
    if (used)
        return;
    snprintf(text, sizeof text, "the parameter '%.100s' is used nowhere", model->parameters[k].name);
    doubts_tell(reader, phx_model_where(model, &model->parameters[k]), text);
}

void phx_doubt_model(const phx_reader *reader)
{
    const phx_model *model = reader->model;

    for (int k = 0; k < model->n_parameters; k++)
        doubt_parameter(reader, k);
    for (int b = 0; b < model->n_bodies; b++) {
        doubt_section(reader, &model->bodies[b]);
        doubt_body(reader, b);
    }
}
