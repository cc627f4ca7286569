/* Ports, joints, springs and loads of the model. */
#include "build.h"

#include <string.h>

phx_status phx_builder_port(phx_builder *builder, const phx_model_point *point, phx_port_id *id)
{
    const phx_model *model = builder->model;
    const phx_model_port *ports =
        point->body == PHX_MODEL_GROUND ? model->ground_ports : model->bodies[point->body].ports;
    const phx_model_port *port = point->port >= 0 ? &ports[point->port] : NULL; /* building may have located it anew */

    return phx_system_add_port_at(builder->system, point->body, port ? &port->location : &point->location,
                                  port ? port->rotation.matrix : NULL, id);
}

/* ---- joints ---- */
static void fill_stops(const phx_model_stops *from, phx_coordinate_def *to)
{
    if (!from->given)
        return;
    to->has_lower = from->lower.given;
    to->has_upper = from->upper.given;
    to->lower = from->lower.value;
    to->upper = from->upper.value;
    to->stop = (phx_penalty){from->stiffness, from->exponent, from->damping};
}

/* Fills the coordinates of a joint with starts, springs, stops, friction, drives and laws. After a failure all signals
 * and laws are freed. */
static phx_status fill_coordinates(phx_builder *builder, const phx_model_joint *joint, phx_joint_def *def)
{
    phx_status status = PHX_OK;

    def->n_coordinates = joint->n_coordinates;
    for (int c = 0; c < def->n_coordinates && !status; c++) {
        const phx_model_coordinate *from = &joint->coordinates[c];
        phx_coordinate_def *to = &def->coordinate[c];
        *to = (phx_coordinate_def){.has_start = from->start.given,
                                   .has_rate = from->rate.given,
                                   .start = from->start.value,
                                   .rate = from->rate.value,
                                   .stiffness = from->stiffness,
                                   .damping = from->damping,
                                   .rest = from->rest};
        fill_stops(&from->stops, to);
        to->friction = phx_builder_friction(&from->friction);
        to->friction_arm = from->friction.given ? from->friction.coefficient * from->friction.radius : 0.0;
        status = phx_builder_signal(builder, from->speed, &to->speed);
        if (!status)
            status = phx_builder_signal(builder, from->motion, &to->motion);
        if (!status)
            status = phx_builder_signal(builder, from->effort, &to->effort);
        if (!status)
            status = phx_builder_law(builder, &from->law, &to->law);
        if (!status)
            status = phx_builder_damper(builder, &from->damper, &to->damper);
        if (!status)
            status = phx_builder_damper(builder, &from->motor, &to->motor);
    }
    for (int c = 0; c < def->n_coordinates && status; c++) {
        phx_signal_destroy(def->coordinate[c].speed);
        phx_signal_destroy(def->coordinate[c].motion);
        phx_signal_destroy(def->coordinate[c].effort);
        phx_signal_destroy(def->coordinate[c].damper);
        phx_signal_destroy(def->coordinate[c].motor);
        phx_law_destroy(def->coordinate[c].law);
    }
    return status;
}

/* The start of a joint that slides, on its body, which knows its length from then on. */
static phx_status check_place(const phx_builder *builder, const phx_model_joint *joint)
{
    const int body = joint->ports[0].body;

    if (!phx_joint_kind_info(joint->kind)->slides || !joint->coordinates[0].start.given)
        return PHX_OK;
    const phx_model_optional *start = &joint->coordinates[0].start;
    const double length = phx_body_curve_length(phx_system_body(builder->system, body));
    if (start->value >= 0.0 && start->value <= length)
        return PHX_OK;
    return phx_model_fail(builder->context, builder->model, start, PHX_ERR_INPUT,
                          "joints.%s.position: %.6g m lies beyond the end %s of body '%s'; expected a place from 0 to "
                          "%.6g m",
                          joint->name, start->value, start->value < 0.0 ? "P" : "C", builder->model->bodies[body].name,
                          length);
}

/* Adds a joint with ports, axes, relative rotation and coordinates to the system and checks that the start of a
 * sliding joint lies on its body. */
phx_status phx_builder_joint(phx_builder *builder, const phx_model_joint *joint)
{
    phx_joint_def def = phx_joint_def_default();
    phx_joint_id id;
    phx_status status = phx_builder_port(builder, &joint->ports[0], &def.a);

    if (!status)
        status = phx_builder_port(builder, &joint->ports[1], &def.b);
    if (!status)
        status = fill_coordinates(builder, joint, &def);
    if (status)
        return status;
    def.name = joint->name;
    def.kind = joint->kind;
    def.inactive = !joint->active;
    memcpy(def.axis, joint->axis, sizeof def.axis);
    def.has_axis_b = joint->axis_b_given;
    memcpy(def.axis_b, joint->axis_b, sizeof def.axis_b);
    def.has_relative = joint->relative.given;
    def.relative_angle = joint->relative.angle;
    memcpy(def.relative, joint->relative.matrix, sizeof def.relative);
    status = phx_system_add_joint(builder->system, &def, &id);
    return status ? status : check_place(builder, joint);
}

phx_status phx_builder_rotors(phx_builder *builder, int id)
{
    const phx_model_joint *joint = &builder->model->joints[id];
    phx_status status = PHX_OK;

    for (int c = 0; c < joint->n_coordinates && !status; c++)
        if (joint->coordinates[c].rotor_inertia > 0.0)
            status = phx_system_add_wheel(builder->system, id, c, 1.0 / joint->coordinates[c].gear_ratio,
                                          joint->coordinates[c].rotor_inertia, NULL);
    return status;
}

/* ---- springs and loads ---- */
phx_status phx_builder_spring(phx_builder *builder, const phx_model_spring *spring)
{
    phx_spring_def def = {
        .name = spring->name, .stiffness = spring->stiffness, .damping = spring->damping, .length = spring->length};
    phx_status status = phx_builder_port(builder, &spring->ports[0], &def.a);

    if (!status)
        status = phx_builder_port(builder, &spring->ports[1], &def.b);
    if (!status)
        status = phx_builder_signal(builder, spring->force, &def.force);
    if (!status)
        status = phx_builder_law(builder, &spring->law, &def.law);
    if (!status)
        status = phx_builder_damper(builder, &spring->damper, &def.damper);
    if (!status)
        return phx_system_add_spring(builder->system, &def);
    phx_signal_destroy(def.force);
    phx_signal_destroy(def.damper);
    phx_law_destroy(def.law);
    return phx_fail_prefix(builder->context, status, "'%s': ", spring->name);
}

static phx_status copy_components(phx_builder *builder, const phx_model_load *load, phx_signal *component[3])
{
    phx_status status = PHX_OK;

    for (int k = 0; k < load->n_components && !status; k++)
        status = phx_builder_signal(builder, load->component[k], &component[k]);
    for (int k = 0; k < 3 && status; k++)
        phx_signal_destroy(component[k]);
    return status;
}

/* Adds a load to the system: force or torque at a port, distributed load, or load on a surface or by temperature. */
phx_status phx_builder_load(phx_builder *builder, const phx_model_load *load)
{
    phx_load_def def = {.name = load->name,
                        .kind = load->kind == PHX_MODEL_TORQUE ? PHX_LOAD_TORQUE : PHX_LOAD_FORCE,
                        .follower = load->frame == PHX_MODEL_BODY_FRAME};
    phx_status status = PHX_OK;

    if (load->on < 0)
        status = phx_builder_port(builder, &load->at, &def.port);
    if (!status)
        status = copy_components(builder, load, def.component);
    if (status)
        return status;
    if (load->kind == PHX_MODEL_PRESSURE || load->kind == PHX_MODEL_TRACTION || load->kind == PHX_MODEL_TEMPERATURE)
        return phx_builder_surface_load(builder, load, def.component);
    return load->kind == PHX_MODEL_DISTRIBUTED
               ? phx_system_add_distributed(builder->system, load->name, load->on, def.component)
               : phx_system_add_load(builder->system, &def);
}
