#include "condensed_models.h"

#include "rods.h"

static phx_body_id limb(model *m, const char *name, phx_reference reference, int elements, phx_pose pose)
{
    beam_kind kind = beam_default();
    kind.reference = reference;
    kind.elements = elements;
    return add_beam(m, name, &kind, pose);
}

static phx_port_id ground(model *m, double x, double y)
{
    return m->dim == 2 ? at_place(m, PHX_GROUND, x, y) : at_space(m, PHX_GROUND, x, y, 0.0, 1.0, 0.0, 0.0, 0.0);
}

static void pendulums(model *m)
{
    const phx_body_id a = limb(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, 6, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = limb(m, "b", PHX_REFERENCE_CANTILEVER, 4, pose_at(cos(0.3), sin(0.3), -0.4));
    add_joint(m, "shoulder", PHX_JOINT_REVOLUTE, ground(m, 0.0, 0.0), at_beam(m, a, 0.0));
    add_joint(m, "elbow", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
}

/* `rate`: NULL where kd is 0. */
static void add_pid(model *m, const char *name, const char *input, const char *rate, const char *output, double kp,
                    double ki, double kd)
{
    const char *const inputs[] = {input, rate};
    phx_controller_def def = phx_controller_def_default();

    def.name = name;
    def.kind = PHX_CONTROLLER_PID;
    def.n_inputs = rate ? 2 : 1;
    def.n_outputs = 1;
    def.inputs = inputs;
    def.outputs = &output;
    def.kp = kp;
    def.ki = ki;
    def.kd = kd;
    CHECK_OK(m->context, phx_system_add_controller(m->system, &def));
}

/* Controllers that measure joints, a deformation, a place and another controller, at ports that joints and nothing else
 * act at and at ports where nothing acts. */
static void fed_back(model *m)
{
    pendulums(m);
    add_output(m, "middle", PHX_QUANTITY_DEFORMATION, at_beam(m, 0, 0.5));
    add_output(m, "tip", PHX_QUANTITY_POSITION, at_beam(m, 1, 1.0));
    add_pid(m, "shoulder_pid", "shoulder.coordinate", "shoulder.rate", "shoulder.effort", 20.0, 3.0, 2.0);
    add_pid(m, "bend_p", "middle.y", NULL, "elbow.effort", 30.0, 0.0, 0.0);
    add_pid(m, "tip_p", "tip.y", NULL, "shoulder.effort", 4.0, 0.0, 0.0);
    add_pid(m, "follow", "shoulder_pid.u1", NULL, "elbow.effort", 0.2, 0.0, 0.0);
}

static void four_bar(model *m)
{
    const double lean = 1.2, x = cos(lean), y = sin(lean);
    phx_joint_def motor = joint_def("motor", PHX_JOINT_REVOLUTE, ground(m, 0.0, 0.0), -1);
    const phx_body_id a = limb(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, 4, pose_at(0.0, 0.0, lean));
    const phx_body_id b = limb(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, 5, pose_at(x, y, 0.0));
    const phx_body_id c = limb(m, "c", PHX_REFERENCE_SIMPLY_SUPPORTED, 4, pose_at(1.0, 0.0, lean));
    motor.b = at_beam(m, a, 0.0);
    motor.n_coordinates = 1;
    motor.coordinate[0].speed = sine(m, 1.0, 1.0, 8.0);
    add_joint_def(m, &motor);
    add_joint(m, "pin1", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    add_joint(m, "pin2", PHX_JOINT_REVOLUTE, at_beam(m, b, 1.0), at_beam(m, c, 1.0));
    add_joint(m, "pin3", PHX_JOINT_REVOLUTE, ground(m, 1.0, 0.0), at_beam(m, c, 0.0));
}

/* Nothing of the beams is kept: their P alone is held, or nothing at all. */
static void held_at_P(model *m)
{
    const phx_body_id a = limb(m, "a", PHX_REFERENCE_CANTILEVER, 4, pose_at(0.0, 0.0, 0.2));
    phx_joint_def axle = joint_def("axle", PHX_JOINT_REVOLUTE, ground(m, 0.0, 0.0), at_beam(m, a, 0.0));
    axle.n_coordinates = 1;
    axle.coordinate[0].effort = sine(m, 3.0, 2.0, 5.0);
    add_joint_def(m, &axle);
    limb(m, "free", PHX_REFERENCE_FREE, 4, pose_at(3.0, 0.0, 0.7));
}

/* Bodies that stay whole beside others that do not; every kind of force on the latter. */
static void mixed(model *m)
{
    beam_kind stiff = beam_default(), damped = beam_default();
    phx_signal *wind[3] = {constant(m, 0.5), sine(m, 1.0, 2.0, 3.0), m->dim == 3 ? constant(m, -0.4) : NULL};
    stiff.elements = damped.elements = 4;
    stiff.stiffening = true;
    damped.damping_mass = 0.1;
    damped.damping_stiffness = 1e-3;
    const phx_body_id a = add_beam(m, "a", &damped, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = add_beam(m, "b", &stiff, pose_at(cos(0.3), sin(0.3), -0.4));
    const phx_body_id c = limb(m, "c", PHX_REFERENCE_SIMPLY_SUPPORTED, 4, pose_at(0.0, -2.0, 0.0));
    CHECK_OK(m->context, phx_system_add_distributed(m->system, "wind", a, wind));
    CHECK_OK(m->context,
             phx_system_add_distributed(m->system, "wind on c", c, (phx_signal *[3]){NULL, constant(m, 1.0), NULL}));
    add_joint(m, "shoulder", PHX_JOINT_REVOLUTE, ground(m, 0.0, 0.0), at_beam(m, a, 0.0));
    add_joint(m, "elbow", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    add_spring(m, "line", at_beam(m, a, 0.5), at_beam(m, c, 0.25), 30.0, 0.5, 1.0, NULL);
    add_force(m, "follower", at_beam(m, c, 1.0), true, constant(m, 1.0), sine(m, 0.0, 2.0, 4.0));
    add_torque(m, "torque", at_beam(m, c, 0.75), constant(m, 0.3));
}

static void with_simplified(model *m)
{
    beam_kind thin = beam_default();
    thin.elements = 4;
    thin.kinetics = PHX_KINETICS_SIMPLIFIED;
    pendulums(m);
    add_joint(m, "wrist", PHX_JOINT_REVOLUTE, at_beam(m, 1, 1.0),
              at_beam(m, add_beam(m, "thin", &thin, pose_at(cos(0.3) + cos(0.4), sin(0.3) - sin(0.4), 0.0)), 0.0));
}

/* A crank, a coupler between two balls, a rocker. */
static void space_loop(model *m)
{
    const phx_body_id a = limb(m, "crank", PHX_REFERENCE_SIMPLY_SUPPORTED, 4, pose_turned(0, 0, 0, 0, 0, 1, 1.2));
    const phx_body_id b =
        limb(m, "coupler", PHX_REFERENCE_SIMPLY_SUPPORTED, 4, pose_turned(cos(1.2), sin(1.2), 0, 0, 0, 1, 0.0));
    const phx_body_id c = limb(m, "rocker", PHX_REFERENCE_CANTILEVER, 5, pose_turned(1.0, 0, 0, 0, 0, 1, 1.2));
    const phx_port_id tilted = at_space(m, PHX_GROUND, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3);
    phx_joint_def motor = joint_def("motor", PHX_JOINT_REVOLUTE, ground(m, 0.0, 0.0), at_beam(m, a, 0.0));
    motor.n_coordinates = 1;
    motor.coordinate[0].effort = sine(m, 2.0, 1.0, 4.0);
    motor.axis[2] = 1.0;
    add_joint_def(m, &motor);
    add_joint(m, "ball1", PHX_JOINT_SPHERICAL, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    add_joint(m, "ball2", PHX_JOINT_SPHERICAL, at_beam(m, b, 1.0), at_beam(m, c, 1.0));
    phx_joint_def hinge = joint_def("hinge", PHX_JOINT_UNIVERSAL, tilted, at_beam(m, c, 0.0));
    hinge.has_axis_b = true;
    hinge.axis[2] = hinge.axis_b[1] = 1.0;
    add_joint_def(m, &hinge);
}

/* A beam on a hub that turns at 30 rad/s. */
static void rotor(model *m)
{
    beam_kind kind = beam_default();
    const phx_pose spin = pose_at(0.0, 0.0, 0.0);
    kind.elements = 4;
    kind.axial = 1500.0;
    kind.bending = 150.0;
    kind.reference = PHX_REFERENCE_CANTILEVER;
    const phx_body_id hub =
        m->dim == 2 ? add_rigid(m, "hub", 1.0, 0.1, 0.0, 0.0, spin) : add_rigid_space(m, "hub", spin);
    const phx_port_id seat =
        m->dim == 2 ? at_place(m, hub, 0.1, 0.0) : at_space(m, hub, 0.1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5);
    phx_pose out = pose_at(0.1, 0.0, 0.0);
    if (m->dim == 3)
        out = pose_turned(0.1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5);
    const phx_body_id beam = add_beam(m, "beam", &kind, out);
    phx_joint_def motor =
        joint_def("motor", PHX_JOINT_REVOLUTE, ground(m, 0.0, 0.0),
                  m->dim == 2 ? at_place(m, hub, 0.0, 0.0) : at_space(m, hub, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0));
    motor.axis[2] = 1.0;
    motor.n_coordinates = 1;
    motor.coordinate[0].speed = constant(m, 30.0);
    add_joint_def(m, &motor);
    add_joint(m, "seat", PHX_JOINT_WELD, seat, at_beam(m, beam, 0.0));
}

/* Six bodies of one beam, so that four of them make a batch, and two of another: links of a chain, each seen at its
 * ends alone, the others welded on and held at P. */
static void many_alike(model *m)
{
    phx_beam_def beam_def = phx_beam_def_default();
    phx_body_id link[8];
    phx_beam *beam[2] = {NULL, NULL};

    beam_def.dim = m->dim;
    beam_def.mass_per_length = 1.0;
    beam_def.axial_stiffness = 1e4;
    beam_def.bending_stiffness[0] = 20.0;
    beam_def.elements = m->dim == 2 ? 4 : 3;
    if (m->dim == 3) {
        beam_def.bending_stiffness[1] = 30.0;
        beam_def.torsion_stiffness = 15.0;
        beam_def.polar_inertia = 0.01;
    }
    for (int k = 0; k < 2; k++) {
        beam_def.length = k == 0 ? 1.0 : 0.4;
        CHECK_OK(m->context, phx_beam_create(m->context, &beam_def, &beam[k]));
    }
    for (int k = 0; k < 8; k++) {
        const char *names[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
        const phx_pose pose = pose_at(k % 6, 0.0, k < 6 ? 0.0 : 1.0);
        phx_body_def def = phx_body_def_default();
        phx_body *body = NULL;
        def.name = names[k];
        def.dim = m->dim;
        def.flex = phx_flex_source_flex(beam[k / 6]);
        CHECK_OK(m->context, phx_body_create(m->context, &def, &body));
        CHECK_OK(m->context, phx_system_add_body(m->system, body, phx_flex_source_share(beam[k / 6]), &pose, &link[k]));
    }
    for (int k = 0; k < 2; k++)
        phx_flex_source_destroy(beam[k]);
    add_joint(m, "shoulder", PHX_JOINT_REVOLUTE, ground(m, 0.0, 0.0), at_beam(m, link[0], 0.0));
    for (int k = 1; k < 6; k++)
        add_joint(m, "elbow", m->dim == 3 && k % 2 ? PHX_JOINT_SPHERICAL : PHX_JOINT_REVOLUTE,
                  at_beam(m, link[k - 1], 1.0), at_beam(m, link[k], 0.0));
    for (int k = 0; k < 2; k++)
        add_joint(m, "branch", PHX_JOINT_WELD, at_beam(m, link[k], 0.0), at_beam(m, link[6 + k], 0.0));
}

/* One of the joints that a step would evaluate together is measured and acted along by a controller. */
static void alike_fed_back(model *m)
{
    many_alike(m);
    add_pid(m, "elbow_pid", "elbow.coordinate", "elbow.rate", "elbow.effort", 20.0, 3.0, 2.0);
}

/* Rods of one to six elements, one of them damped, and a beam at the end of the chain; a force on a node inside. */
static void rods(model *m)
{
    static const char *const names[] = {"1", "2", "3", "4", "5", "6"};
    phx_port_id last = ground(m, 0.0, 0.0);
    phx_body_id link = -1;

    for (int k = 0; k < 6; k++) {
        rod_kind kind = rod_default(m->dim);
        kind.elements = k + 1;
        kind.damping = k == 2 ? 1e-3 : 0.0;
        link = add_rod(m, names[k], &kind, pose_at(k, 0.0, 0.0));
        add_joint(m, "elbow", m->dim == 3 && k % 2 ? PHX_JOINT_SPHERICAL : PHX_JOINT_REVOLUTE, last,
                  port_on(m, link, 0.0));
        last = port_on(m, link, 1.0);
    }
    add_force(m, "force", port_on(m, link, 0.5), false, constant(m, 1.0), sine(m, 0.0, 2.0, 4.0));
    link = limb(m, "beam", PHX_REFERENCE_SIMPLY_SUPPORTED, 4, pose_at(6.0, 0.0, 0.0));
    add_joint(m, "wrist", PHX_JOINT_REVOLUTE, last, at_beam(m, link, 0.0));
}

const condensed_model condensed_models[] = {
    {{"plane: pendulums", pendulums, true, false}, 2, 0},
    {{"plane: four-bar", four_bar, true, false}, 3, 0},
    {{"plane: held at P", held_at_P, true, false}, 2, 0},
    {{"plane: mixed", mixed, true, false}, 2, 1},
    {{"plane: many alike", many_alike, true, false}, 8, 0},
    {{"plane: many alike, feedback", alike_fed_back, true, false}, 8, 0},
    {{"plane: simplified", with_simplified, false, false}, 2, 1},
    {{"space: many alike", many_alike, true, true}, 8, 0},
    {{"plane: feedback", fed_back, true, false}, 2, 0},
    {{"space: feedback", fed_back, true, true}, 2, 0},
    {{"space: pendulums", pendulums, true, true}, 2, 0},
    {{"space: loop", space_loop, true, true}, 3, 0},
    {{"space: held at P", held_at_P, true, true}, 2, 0},
    {{"space: mixed", mixed, true, true}, 2, 1},
    {{"plane: rods and a beam", rods, true, false}, 1, 6},
    {{"space: rods and a beam", rods, true, true}, 1, 6},
};
const int n_condensed_models = (int)(sizeof condensed_models / sizeof *condensed_models);

const test_model rotors[2] = {{"plane: rotor", rotor, true, false}, {"space: rotor", rotor, true, true}};
