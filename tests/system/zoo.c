#include "zoo.h"

static phx_body_id rod(model *m, const char *name, double x, double y, double angle)
{
    return add_rigid(m, name, 2.0, 0.3, 0.4, 0.1, pose_at(x, y, angle));
}

static phx_body_id beam_like(model *m, const char *name, phx_reference reference, bool stiffening, double damping,
                             phx_pose pose)
{
    beam_kind kind = beam_default();
    kind.reference = reference;
    kind.stiffening = stiffening;
    kind.damping_stiffness = damping;
    kind.damping_mass = damping;
    return add_beam(m, name, &kind, pose);
}

/* Coordinate 0 with everything that may act along it. */
static void add_springy(model *m, phx_joint_def *def)
{
    def->n_coordinates = 1;
    def->coordinate[0].stiffness = 7.0;
    def->coordinate[0].damping = 0.4;
    def->coordinate[0].rest = 0.2;
    def->coordinate[0].effort = sine(m, 1.0, 2.0, 3.0);
    add_joint_def(m, def);
}

static void add_driven(model *m, phx_joint_def *def)
{
    def->n_coordinates = 1;
    def->coordinate[0].speed = sine(m, 0.5, 1.0, 2.0);
    add_joint_def(m, def);
}

static void rigid_pendulum(model *m)
{
    const phx_body_id a = rod(m, "a", 0.0, 0.0, 0.3);
    phx_joint_def def = joint_def("pin", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, a, 0, 0));
    add_springy(m, &def);
}

static void driven_revolute(model *m)
{
    const phx_body_id a = rod(m, "a", 0.0, 0.0, 0.3);
    const phx_body_id b = beam_like(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_at(1.0, 0.0, 0.2));
    phx_joint_def pin =
        joint_def("pin", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, a, 0.0, 0.0));
    phx_joint_def elbow = joint_def("elbow", PHX_JOINT_REVOLUTE, at_turned(m, a, 1.0, 0.0, 0.4), at_beam(m, b, 0.0));
    add_driven(m, &pin);
    add_driven(m, &elbow);
}

static void springy_revolute(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_FREE, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = beam_like(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.02, pose_at(1.0, 0.0, 0.2));
    phx_joint_def elbow = joint_def("elbow", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    add_springy(m, &elbow);
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_beam(m, a, 0.0));
}

static void prismatic(model *m, bool driven)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = beam_like(m, "b", PHX_REFERENCE_CANTILEVER, false, 0.0, pose_at(1.0, 0.0, 0.2));
    phx_joint_def slide = joint_def("slide", PHX_JOINT_PRISMATIC, at_beam(m, a, 0.5), at_beam(m, b, 0.25));
    slide.axis[0] = 0.6;
    slide.axis[1] = 0.8;
    if (driven)
        add_driven(m, &slide);
    else
        add_springy(m, &slide);
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_beam(m, a, 0.0), at_place(m, PHX_GROUND, 0.0, 0.0));
}

static void springy_prismatic(model *m)
{
    prismatic(m, false);
}

static void driven_prismatic(model *m)
{
    prismatic(m, true);
}

static void slider(model *m, bool driven)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = rod(m, "b", 1.0, 0.0, 0.2);
    phx_joint_def slide = joint_def("slide", PHX_JOINT_SLIDER, at_beam(m, a, 0.75), at_turned(m, b, 0.1, 0.2, 0.5));
    slide.axis[0] = 0.8;
    slide.axis[1] = -0.6;
    if (driven)
        add_driven(m, &slide);
    else
        add_springy(m, &slide);
}

static void springy_slider(model *m)
{
    slider(m, false);
}

static void driven_slider(model *m)
{
    slider(m, true);
}

static void weld(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_FREE, true, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = beam_like(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, true, 0.0, pose_at(1.0, 0.0, 0.9));
    const phx_body_id c = rod(m, "c", 2.0, 1.0, 0.2);
    add_joint(m, "corner", PHX_JOINT_WELD, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    add_joint(m, "tip", PHX_JOINT_WELD, at_turned(m, c, 0.0, 0.3, 0.7), at_beam(m, b, 1.0));
}

static void line_springs(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = rod(m, "b", 1.0, 1.0, 0.2);
    add_spring(m, "s1", at_beam(m, a, 1.0), at_place(m, b, 0.1, 0.2), 30.0, 0.5, 0.4, sine(m, 1.0, 1.0, 2.0));
    add_spring(m, "s2", at_place(m, PHX_GROUND, -1.0, -2.0), at_beam(m, a, 0.5), 20.0, 0.0, 0.3, NULL);
    add_spring(m, "s3", at_place(m, b, -0.3, 0.2), at_place(m, PHX_GROUND, 3.0, 0.0), 0.0, 0.7, 0.0, NULL);
}

static void loads(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_CANTILEVER, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = rod(m, "b", 1.0, 0.0, 0.2);
    const phx_port_id tip = at_beam(m, a, 1.0), corner = at_turned(m, b, 0.3, 0.2, 0.6);
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, tip, at_place(m, b, 0.0, 0.0));
    add_force(m, "dead", at_beam(m, a, 0.5), false, constant(m, 2.0), sine(m, 0.0, 3.0, 2.0));
    add_force(m, "follower", tip, true, constant(m, -3.0), constant(m, 2.0));
    add_force(m, "follower on rod", corner, true, constant(m, 1.0), sine(m, 0.0, 3.0, 2.0));
    add_torque(m, "torque", tip, constant(m, 1.5));
    add_torque(m, "torque on rod", corner, sine(m, 0.3, 1.0, 4.0));
}

static void distributed(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, true, 0.03, pose_at(0.0, 0.0, 0.3));
    phx_signal *component[3] = {constant(m, 0.5), sine(m, 1.0, 2.0, 3.0), NULL};
    CHECK_OK(m->context, phx_system_add_distributed(m->system, "wind", a, component));
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_beam(m, a, 0.0), at_place(m, PHX_GROUND, 0.0, 0.0));
}

static void loop(model *m)
{
    const phx_body_id a = rod(m, "a", 0.0, 0.0, 1.2);
    const phx_body_id b = beam_like(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, true, 0.0, pose_at(0.3, 0.9, 0.1));
    const phx_body_id c = beam_like(m, "c", PHX_REFERENCE_FREE, false, 0.0, pose_at(1.2, 0.0, 1.4));
    add_joint(m, "pin1", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, a, 0.0, 0.0));
    add_joint(m, "pin2", PHX_JOINT_REVOLUTE, at_place(m, a, 1.0, 0.0), at_beam(m, b, 0.0));
    add_joint(m, "pin3", PHX_JOINT_REVOLUTE, at_beam(m, b, 1.0), at_beam(m, c, 1.0));
    add_joint(m, "pin4", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 1.2, 0.0), at_beam(m, c, 0.0));
}

static void simplified(model *m)
{
    beam_kind kind = beam_default();
    kind.kinetics = PHX_KINETICS_SIMPLIFIED;
    const phx_body_id a = add_beam(m, "a", &kind, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = rod(m, "b", 1.0, 0.0, 0.2);
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_place(m, b, 0.0, 0.0));
}

const animal zoo[] = {
    {"rigid pendulum with spring, damper, actuator", rigid_pendulum, true},
    {"driven revolutes", driven_revolute, true},
    {"revolute with spring, damper, actuator", springy_revolute, true},
    {"prismatic with spring, damper, actuator", springy_prismatic, true},
    {"driven prismatic", driven_prismatic, true},
    {"slider with spring, damper, actuator", springy_slider, true},
    {"driven slider", driven_slider, true},
    {"welds and stiffening", weld, true},
    {"line springs", line_springs, true},
    {"port loads", loads, true},
    {"distributed load, damping, stiffening", distributed, true},
    {"closed loop", loop, true},
    {"simplified kinetics", simplified, false},
};
const int n_zoo = (int)(sizeof zoo / sizeof *zoo);

void zoo_open(phx_context *context, const animal *kind, model *m)
{
    model_open(context, 1.0, -9.81, m);
    kind->build(m);
    model_freeze(m);
}
