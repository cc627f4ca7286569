/* Bodies of the model: what their kinds make of them, at their poses. */
#include "body_kinds.h"

#include <math.h>
#include <string.h>

static phx_pose build_bodies_pose_of(int dim, const phx_model_body *body)
{
    phx_pose pose = phx_pose_default();

    memcpy(pose.position, body->pose.position, sizeof pose.position);
    memcpy(pose.linear, body->velocity.linear, sizeof pose.linear);
    memcpy(pose.angular, body->velocity.angular, sizeof pose.angular);
    memcpy(pose.rotation, body->pose.rotation.matrix, (size_t)(dim * dim) * sizeof *pose.rotation);
    pose.angle = body->pose.rotation.angle;
    return pose;
}

/* ---- which of its data a body that cannot be made may owe it to ---- */
void phx_extreme_offer(phx_extreme *worst, const char *key, double value)
{
    const double distance = value != 0.0 ? fabs(log10(fabs(value))) : 0.0;
    if (distance > worst->distance)
        *worst = (phx_extreme){key, value, distance};
}

void phx_offer_mass(const phx_model_body *body, phx_extreme *worst)
{
    phx_extreme_offer(worst, "mass", body->mass);
    for (int i = 0; i < 9; i++)
        phx_extreme_offer(worst, "inertia", body->inertia[i]);
    for (int a = 0; a < 3; a++)
        phx_extreme_offer(worst, "centre_of_mass", body->centre_of_mass[a]);
}

/* The number farthest from 1 behind the message, when it is far. */
static phx_status blame_extreme(phx_builder *builder, const phx_model_body *body, phx_status status)
{
    enum { FAR = 20 };
    phx_extreme worst = {.distance = FAR};

    if (status != PHX_ERR_ARGUMENT && status != PHX_ERR_INPUT)
        return status;
    phx_body_row_of(body)->offer_numbers(builder->model, body, &worst);
    for (int k = 0; k < body->n_point_masses; k++)
        phx_extreme_offer(&worst, "point_masses", body->point_masses[k].mass);
    if (!worst.key)
        return status;
    char *message = phx_strdup(NULL, phx_context_message(builder->context));
    if (message)
        phx_fail(builder->context, status, "%s; the key farthest from 1 is %s: %g", message, worst.key, worst.value);
    phx_free(message);
    return status;
}

bool phx_builder_is_at(const phx_model_point *point, int body, int port)
{
    return point->body == body && point->port == port;
}

bool phx_builder_has_joint(const phx_model *model, int body, int port)
{
    bool has = false;

    for (int k = 0; k < model->n_joints; k++)
        has = has || phx_builder_is_at(&model->joints[k].ports[0], body, port) ||
              phx_builder_is_at(&model->joints[k].ports[1], body, port);
    return has;
}

/* Calls `visit` for every point at which joints, springs, forces and loads act on a port; loads on whole bodies are
 * skipped. */
void phx_builder_visit_points(const phx_model *model, phx_point_visit *visit, void *user)
{
    for (int k = 0; k < model->n_joints; k++)
        for (int side = 0; side < 2; side++)
            visit(user, &model->joints[k].ports[side]);
    for (int k = 0; k < model->n_springs; k++)
        for (int side = 0; side < 2; side++)
            visit(user, &model->springs[k].ports[side]);
    for (int i = 0; i < model->n_forces; i++)
        for (int k = 0; k < model->forces[i].n_ports; k++)
            visit(user, &model->forces[i].ports[k]);
    for (int k = 0; k < model->n_loads; k++)
        if (model->loads[k].on < 0)
            visit(user, &model->loads[k].at);
}

typedef struct wanted_port {
    int body, port;
    bool found;
} wanted_port;

static void look_for_port(void *user, const phx_model_point *point)
{
    wanted_port *port = user;
    port->found = port->found || phx_builder_is_at(point, port->body, port->port);
}

bool phx_builder_is_joined(const phx_model *model, int body, int port)
{
    wanted_port wanted = {body, port, false};

    phx_builder_visit_points(model, look_for_port, &wanted);
    return wanted.found;
}

phx_body_def phx_builder_body_def(const phx_builder *builder, const phx_model_body *body)
{
    phx_body_def def = phx_body_def_default();

    def.name = body->name;
    def.dim = builder->model->dimension;
    def.damping_mass = body->damping.mass;
    def.damping_stiffness = body->damping.stiffness;
    def.damping_modal = body->damping.modal.value;
    return def;
}

/* The body with its deformation held: no shapes at all. */
static phx_status hold_deformation(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                   phx_body **made)
{
    phx_body_def def = phx_body_def_default();
    phx_flex_source *held = NULL;
    phx_status status = phx_flex_source_project(builder->context, *source, 0, NULL, &held);

    if (status)
        return status;
    phx_flex_source_destroy(*source);
    phx_body_destroy(*made);
    *source = held;
    *made = NULL;
    def.name = body->name;
    def.dim = builder->model->dimension;
    def.flex = phx_flex_source_flex(held);
    return phx_body_create(builder->context, &def, made);
}

/* Creates a body with its source and adds it to the system with all its ports; a body declared rigid loses its
 * deformations. */
phx_status phx_builder_body(phx_builder *builder, const phx_model_body *body)
{
    const phx_pose pose = build_bodies_pose_of(builder->model->dimension, body);
    phx_flex_source *source = NULL;
    phx_body *made = NULL;
    phx_body_id id;
    phx_status status = phx_body_row_of(body)->build(builder, body, &source, &made);

    if (!status && body->rigid)
        status = hold_deformation(builder, body, &source, &made);
    if (status) {
        phx_body_destroy(made);
        phx_flex_source_destroy(source);
        return blame_extreme(builder, body, status);
    }
    status = phx_system_add_body(builder->system, made, source, &pose, &id);
    for (int k = 0; k < body->n_ports && !status; k++)
        status = phx_system_add_point_at(builder->system, id, body->ports[k].name, &body->ports[k].location,
                                         body->ports[k].rotation.matrix);
    return status;
}
