#include "test_models.h"

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

/* A hardening spring by its table, with a soft middle. */
static phx_law *hardening(model *m)
{
    const double x[5] = {-1.0, -0.1, 0.0, 0.2, 1.0}, f[5] = {-40.0, -1.0, 0.0, 1.0, 50.0};
    phx_signal *signal = NULL;
    phx_law *law = NULL;
    CHECK_OK(m->context, phx_signal_create_table(m->context, 5, x, f, &signal));
    CHECK_OK(m->context, phx_law_create(m->context, signal, 0.0, 0.0, &law));
    phx_signal_destroy(signal);
    return law;
}

/* More against one direction than against the other. */
static phx_signal *shock_absorber(model *m)
{
    const double v[4] = {-80.0, -0.5, 0.0, 80.0}, f[4] = {-20.0, -0.3, 0.0, 80.0};
    phx_signal *signal = NULL;
    CHECK_OK(m->context, phx_signal_create_table(m->context, 4, v, f, &signal));
    return signal;
}

static void line_laws(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = rod(m, "b", 1.0, 1.0, 0.2);
    const phx_spring_def springs[] = {
        {.name = "s1", .a = at_beam(m, a, 1.0), .b = at_place(m, b, 0.1, 0.2), .length = 0.4, .law = hardening(m)},
        {.name = "s2",
         .a = at_place(m, PHX_GROUND, -1.0, -2.0),
         .b = at_beam(m, a, 0.5),
         .length = 1.5,
         .stiffness = 3.0,
         .law = hardening(m),
         .damper = shock_absorber(m)},
        {.name = "s3",
         .a = at_place(m, b, -0.3, 0.2),
         .b = at_place(m, PHX_GROUND, 3.0, 0.0),
         .damping = 0.2,
         .damper = shock_absorber(m),
         .force = sine(m, 1.0, 1.0, 2.0)}};
    for (int k = 0; k < 3; k++)
        CHECK_OK(m->context, phx_system_add_spring(m->system, &springs[k]));
}

static double cubic(const void *data, double x, double s)
{
    (void)data, (void)s;
    return 4.0 * x + 30.0 * x * x * x;
}

static double progressive(const void *data, double v, double s)
{
    (void)data, (void)s;
    return 0.3 * v + 0.002 * v * v * v;
}

static double torque_of_speed(const void *data, double v, double s)
{
    (void)data, (void)s;
    return 0.5 / (1.0 + exp(0.2 * v));
}

static phx_signal *falling(model *m)
{
    phx_signal *motor = NULL;
    CHECK_OK(m->context, phx_signal_create_function(m->context, torque_of_speed, NULL, NULL, 0, NULL, &motor));
    return motor;
}

/* Everything nonlinear that may act along a coordinate. */
static phx_coordinate_def nonlinear(model *m)
{
    phx_signal *signal = NULL, *damper = NULL;
    phx_law *law = NULL;
    CHECK_OK(m->context, phx_signal_create_function(m->context, cubic, NULL, NULL, 0, NULL, &signal));
    CHECK_OK(m->context, phx_law_create(m->context, signal, -3.0, 3.0, &law));
    CHECK_OK(m->context, phx_signal_create_function(m->context, progressive, NULL, NULL, 0, NULL, &damper));
    phx_signal_destroy(signal);
    return (phx_coordinate_def){.stiffness = 3.0,
                                .rest = 0.2,
                                .law = law,
                                .damper = damper,
                                .effort = sine(m, 0.3, 0.4, 3.0),
                                .motor = falling(m),
                                .has_lower = true,
                                .has_upper = true,
                                .lower = -0.6,
                                .upper = 0.5,
                                .stop = {20.0, 1.5, 0.05},
                                .friction = {0.4, 1.3, 1.5, 1.2}};
}

static void nonlinear_revolute(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_FREE, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = beam_like(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.02, pose_at(1.0, 0.0, 0.2));
    phx_joint_def elbow = joint_def("elbow", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    elbow.n_coordinates = 1;
    elbow.coordinate[0] = nonlinear(m);
    add_joint_def(m, &elbow);
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_beam(m, a, 0.0));
}

/* Some symmetric matrix without negative eigenvalues: scale (B B^T + I), B random. */
static void stiff(uint64_t *seed, int n, double scale, double *K)
{
    double B[36];
    for (int i = 0; i < n * n; i++)
        B[i] = random_value(seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            K[i * n + j] = i == j ? scale : 0.0;
            for (int k = 0; k < n; k++)
                K[i * n + j] += scale * B[i * n + k] * B[j * n + k];
        }
}

static void add_bushing(model *m, const char *name, phx_port_id a, phx_port_id b)
{
    phx_bushing_def def = {.name = name, .a = a, .b = b, .preload = {0.5, -0.3, 0.2, 0.1, -0.1, 0.2}};
    uint64_t seed = 7;
    stiff(&seed, m->dim == 2 ? 3 : 6, 8.0, def.stiffness);
    stiff(&seed, m->dim == 2 ? 3 : 6, 0.1, def.damping);
    CHECK_OK(m->context, phx_system_add_bushing(m->system, &def));
}

static void add_contact(model *m, const phx_contact_def *given, phx_port_id a, phx_port_id b)
{
    phx_contact_def def = *given;
    def.a = a;
    def.b = b;
    CHECK_OK(m->context, phx_system_add_contact(m->system, &def));
}

/* Half of them touch in any state: the radii are as large as the places are apart. */
static void plane_elements(model *m)
{
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = rod(m, "b", 1.0, 1.0, 0.2);
    const phx_penalty soft = {30.0, 1.5, 0.1}, linear = {30.0, 1.0, 0.0};
    const phx_port_id tip = at_beam(m, a, 1.0), ground = at_turned(m, PHX_GROUND, 0.3, -0.2, 0.4);
    const phx_port_id cable[] = {at_place(m, PHX_GROUND, -1.0, 1.0), tip, at_place(m, b, 0.5, 0.2),
                                 at_place(m, PHX_GROUND, 2.0, 1.0)};
    add_bushing(m, "bushing", at_turned(m, b, 0.1, 0.2, 0.7), tip);
    add_bushing(m, "to ground", ground, at_place(m, b, -0.3, 0.1));
    add_contact(m, &(phx_contact_def){.name = "plane", .axis = {0.6, 0.8}, .radius_b = 0.4, .penalty = soft}, ground,
                tip);
    add_contact(m,
                &(phx_contact_def){
                    .name = "discs", .kind = PHX_CONTACT_SPHERE, .radius_a = 0.6, .radius_b = 0.6, .penalty = linear},
                tip, at_place(m, b, 0.2, 0.1));
    add_contact(m,
                &(phx_contact_def){.name = "in a ring",
                                   .kind = PHX_CONTACT_SPHERE,
                                   .radius_a = 1.2,
                                   .radius_b = 0.3,
                                   .inside = true,
                                   .penalty = soft},
                ground, at_place(m, b, 0.4, 0.1));
    CHECK_OK(m->context,
             phx_system_add_cable(
                 m->system,
                 &(phx_cable_def){
                     .name = "cable", .n_ports = 4, .ports = cable, .length = 1.0, .stiffness = 4.0, .damping = 0.05}));
    CHECK_OK(m->context, phx_system_add_cable(m->system, &(phx_cable_def){.name = "rope",
                                                                          .n_ports = 4,
                                                                          .ports = cable,
                                                                          .length = 1.0,
                                                                          .stiffness = 4.0,
                                                                          .damping = 0.05,
                                                                          .friction = 0.3,
                                                                          .regularised = 0.4}));
    CHECK_OK(m->context,
             phx_system_add_drag(m->system, &(phx_drag_def){.name = "drag",
                                                            .port = tip,
                                                            .coefficient = 0.3,
                                                            .wind = {sine(m, 1.0, 0.5, 2.0), constant(m, -0.4)}}));
}

/* Two geared arms on a beam, one of them a flexible one, and a rack. */
static void plane_coupling(model *m)
{
    const phx_body_id frame = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_at(0.0, 0.0, 0.1));
    const phx_body_id d = rod(m, "d", 0.0, 0.0, 0.3), c = rod(m, "c", 0.4, 0.3, 0.0);
    const phx_body_id b = beam_like(m, "b", PHX_REFERENCE_CANTILEVER, false, 0.0, pose_at(1.0, 0.0, 0.2));
    phx_joint_def slide = joint_def("slide", PHX_JOINT_PRISMATIC, at_beam(m, frame, 0.5), at_place(m, c, 0.0, 0.0));
    slide.axis[0] = 0.6;
    slide.axis[1] = 0.8;
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_beam(m, frame, 0.0));
    const phx_joint_id one = add_joint(m, "one", PHX_JOINT_REVOLUTE, at_beam(m, frame, 0.0), at_place(m, d, 0.0, 0.0));
    const phx_joint_id two = add_joint(m, "two", PHX_JOINT_REVOLUTE, at_beam(m, frame, 1.0), at_beam(m, b, 0.0));
    const phx_joint_id three = add_joint_def(m, &slide);
    const phx_coupling_term gear[] = {{one, 0, 1.0}, {two, 0, 2.5}}, rack[] = {{two, 0, 0.3}, {three, 0, -1.0}};
    CHECK_OK(
        m->context,
        phx_system_add_coupling(
            m->system,
            &(phx_coupling_def){
                .name = "gear", .n_terms = 2, .terms = gear, .stiffness = 5.0, .damping = 0.1, .law = hardening(m)}));
    CHECK_OK(m->context,
             phx_system_add_coupling(
                 m->system,
                 &(phx_coupling_def){
                     .name = "rack", .n_terms = 2, .terms = rack, .stiffness = 40.0, .has_rest = true, .rest = 0.1}));
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

/* Beams in modes with stiffening: joints at both ends and between, a load along one, damping. */
static phx_body_id in_modes(model *m, const char *name, phx_reference reference, phx_pose pose)
{
    beam_kind kind = beam_default();
    kind.reference = reference;
    kind.stiffening = true;
    kind.elements = 4;
    kind.axial = 2e3; /* some of the modes stretch */
    kind.modes = 3;
    kind.damping_stiffness = 0.01;
    return add_beam(m, name, &kind, pose);
}

static void modes_loop(model *m)
{
    const phx_body_id a = in_modes(m, "a", PHX_REFERENCE_CANTILEVER, pose_at(0.0, 0.0, 1.2));
    const phx_body_id b = in_modes(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, pose_at(0.3, 0.9, 0.1));
    const phx_body_id c = in_modes(m, "c", PHX_REFERENCE_FREE, pose_at(1.2, 0.0, 1.4));
    const phx_body_id d = rod(m, "d", 0.5, 1.5, 0.2);
    phx_signal *component[3] = {constant(m, 0.5), sine(m, 1.0, 2.0, 3.0), NULL};
    add_joint(m, "pin1", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_beam(m, a, 0.0));
    add_joint(m, "pin2", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_beam(m, b, 0.0));
    add_joint(m, "pin3", PHX_JOINT_REVOLUTE, at_beam(m, b, 1.0), at_beam(m, c, 1.0));
    add_joint(m, "pin4", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 1.2, 0.0), at_beam(m, c, 0.0));
    add_joint(m, "pin5", PHX_JOINT_WELD, at_beam(m, b, 0.4), at_place(m, d, 0.0, 0.0));
    CHECK_OK(m->context, phx_system_add_distributed(m->system, "wind", b, component));
}

static void simplified(model *m)
{
    beam_kind kind = beam_default();
    kind.kinetics = PHX_KINETICS_SIMPLIFIED;
    const phx_body_id a = add_beam(m, "a", &kind, pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = rod(m, "b", 1.0, 0.0, 0.2);
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_beam(m, a, 1.0), at_place(m, b, 0.0, 0.0));
}

/* ---- space ---- */
/* A rod on a ball under the ground and a beam at its end: the joint that is asked about is between them. */
static phx_joint_def between(model *m, const char *name, phx_joint_kind kind, phx_port_id *tip)
{
    const phx_body_id a = add_rigid_space(m, "a", pose_turned(0.0, 0.0, 0.0, 1.0, 2.0, -1.0, 0.7));
    const phx_body_id b =
        beam_like(m, "b", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0, pose_turned(0.8, 0.3, -0.2, 1.0, 1.0, 0.5, 0.9));
    phx_joint_def def = joint_def(name, kind, at_space(m, a, 0.9, 0.2, 0.1, 0.3, 1.0, 0.2, 0.6), at_beam(m, b, 0.0));
    *tip = at_beam(m, b, 1.0);
    add_joint(m, "ball", PHX_JOINT_SPHERICAL, at_space(m, PHX_GROUND, 0, 0, 0, 1, 0, 0, 0.2),
              at_space(m, a, 0.0, 0.1, 0.0, 0.0, 1.0, 1.0, 0.5));
    def.axis[0] = 0.3;
    def.axis[1] = -0.5;
    def.axis[2] = 0.8;
    return def;
}

/* Everything along every coordinate, or the last one driven. */
static void fill(model *m, phx_joint_def *def, int n, bool driven)
{
    def->n_coordinates = n;
    for (int c = 0; c < n; c++) {
        if (driven && c == n - 1)
            def->coordinate[c].speed = sine(m, 0.5, 1.0, 2.0);
        else
            def->coordinate[c] = (phx_coordinate_def){
                .stiffness = 7.0 + c, .damping = 0.4, .rest = 0.2, .effort = sine(m, 0.3, 0.4, 3.0 + c)};
    }
    add_joint_def(m, def);
}

static void space_kind(model *m, phx_joint_kind kind, int n, bool driven)
{
    phx_port_id tip;
    phx_joint_def def = between(m, "joint", kind, &tip);
    if (phx_joint_kind_info(kind)->axis == PHX_AXIS_PAIR) {
        def.has_axis_b = true;
        def.axis_b[0] = 0.5;
        def.axis_b[1] = 0.3;
    }
    fill(m, &def, n, driven);
}

#define SPACE_TEST_MODEL(name, kind, n)                                                                                \
    static void springy_##name(model *m)                                                                               \
    {                                                                                                                  \
        space_kind(m, kind, n, false);                                                                                 \
    }                                                                                                                  \
    static void driven_##name(model *m)                                                                                \
    {                                                                                                                  \
        space_kind(m, kind, n, true);                                                                                  \
    }
SPACE_TEST_MODEL(space_revolute, PHX_JOINT_REVOLUTE, 1)
SPACE_TEST_MODEL(space_prismatic, PHX_JOINT_PRISMATIC, 1)
SPACE_TEST_MODEL(space_slider, PHX_JOINT_SLIDER, 1)
SPACE_TEST_MODEL(spherical, PHX_JOINT_SPHERICAL, 3)
SPACE_TEST_MODEL(universal, PHX_JOINT_UNIVERSAL, 2)
SPACE_TEST_MODEL(cylindrical, PHX_JOINT_CYLINDRICAL, 2)
SPACE_TEST_MODEL(planar, PHX_JOINT_PLANAR, 3)
SPACE_TEST_MODEL(point_on_plane, PHX_JOINT_POINT_ON_PLANE, 2)
SPACE_TEST_MODEL(cartesian, PHX_JOINT_CARTESIAN, 3)
SPACE_TEST_MODEL(parallel, PHX_JOINT_PARALLEL, 1)
SPACE_TEST_MODEL(perpendicular, PHX_JOINT_PERPENDICULAR, 2)

static void nonlinear_cylindrical(model *m)
{
    phx_port_id tip;
    phx_joint_def def = between(m, "joint", PHX_JOINT_CYLINDRICAL, &tip);
    def.n_coordinates = 2;
    def.coordinate[0] = nonlinear(m);
    def.coordinate[1] = nonlinear(m);
    add_joint_def(m, &def);
}

static void space_elements(model *m)
{
    phx_port_id tip;
    const phx_joint_def def = between(m, "joint", PHX_JOINT_REVOLUTE, &tip);
    const phx_penalty soft = {30.0, 1.5, 0.1}, linear = {30.0, 1.0, 0.0};
    const phx_port_id ground = at_space(m, PHX_GROUND, 0.2, 0.1, -0.3, 1.0, 2.0, 0.0, 0.6);
    const phx_port_id corner = at_space(m, 0, 0.3, 0.2, 0.1, 1.0, 0.5, 0.0, 0.6);
    const phx_port_id cable[] = {ground, tip, corner}, wound[] = {ground, corner, tip};
    const phx_joint_id joint = add_joint_def(m, &def);
    const phx_coupling_term terms[] = {{joint, 0, 1.5}};
    add_bushing(m, "bushing", corner, tip);
    add_bushing(m, "to ground", tip, ground);
    add_contact(m, &(phx_contact_def){.name = "plane", .axis = {0.6, 0.8, 1.0}, .radius_b = 0.4, .penalty = soft},
                ground, tip);
    add_contact(m, &(phx_contact_def){.name = "plane on a beam", .axis = {0.2, 0.8, 1.0}, .penalty = linear}, tip,
                corner);
    add_contact(m,
                &(phx_contact_def){
                    .name = "spheres", .kind = PHX_CONTACT_SPHERE, .radius_a = 0.6, .radius_b = 0.8, .penalty = linear},
                tip, ground);
    add_contact(m,
                &(phx_contact_def){.name = "in a pipe",
                                   .kind = PHX_CONTACT_CYLINDER,
                                   .axis = {1.0, 0.2, -0.5},
                                   .radius_a = 0.9,
                                   .radius_b = 0.3,
                                   .inside = true,
                                   .penalty = soft},
                ground, corner);
    CHECK_OK(m->context, phx_system_add_cable(m->system, &(phx_cable_def){.name = "cable",
                                                                          .n_ports = 3,
                                                                          .ports = cable,
                                                                          .length = 0.5,
                                                                          .stiffness = 4.0,
                                                                          .damping = 0.05,
                                                                          .n_terms = 1,
                                                                          .terms = terms}));
    CHECK_OK(m->context, phx_system_add_cable(m->system, &(phx_cable_def){.name = "rope",
                                                                          .n_ports = 3,
                                                                          .ports = wound,
                                                                          .length = 0.5,
                                                                          .stiffness = 4.0,
                                                                          .friction = 0.4,
                                                                          .regularised = 0.3,
                                                                          .n_terms = 1,
                                                                          .terms = terms}));
    CHECK_OK(m->context,
             phx_system_add_coupling(
                 m->system, &(phx_coupling_def){
                                .name = "torsion", .n_terms = 1, .terms = terms, .stiffness = 3.0, .damping = 0.2}));
    CHECK_OK(m->context, phx_system_add_drag(m->system, &(phx_drag_def){.name = "drag",
                                                                        .port = corner,
                                                                        .coefficient = 0.3,
                                                                        .wind = {NULL, constant(m, -0.4), NULL}}));
}

static void space_weld(model *m)
{
    phx_port_id tip;
    const phx_joint_def def = between(m, "joint", PHX_JOINT_WELD, &tip);
    const phx_body_id c =
        beam_like(m, "c", PHX_REFERENCE_CANTILEVER, true, 0.02, pose_turned(1.5, 0.8, 0.3, 0.2, 1.0, -0.5, 1.3));
    add_joint_def(m, &def);
    add_joint(m, "tip", PHX_JOINT_WELD, tip, at_beam(m, c, 0.0));
}

static void space_modes(model *m)
{
    phx_port_id tip;
    const phx_joint_def def = between(m, "joint", PHX_JOINT_REVOLUTE, &tip);
    const phx_body_id c = in_modes(m, "c", PHX_REFERENCE_CANTILEVER, pose_turned(1.5, 0.8, 0.3, 0.2, 1.0, -0.5, 1.3));
    const phx_body_id d =
        in_modes(m, "d", PHX_REFERENCE_SIMPLY_SUPPORTED, pose_turned(2.0, 0.8, 0.3, 0.2, 1.0, -0.5, 1.3));
    add_joint_def(m, &def);
    add_joint(m, "tip", PHX_JOINT_WELD, tip, at_beam(m, c, 0.0));
    add_joint(m, "ball", PHX_JOINT_SPHERICAL, at_beam(m, c, 0.7), at_beam(m, d, 0.0));
}

static void space_loads(model *m)
{
    phx_port_id tip;
    const phx_joint_def def = between(m, "joint", PHX_JOINT_REVOLUTE, &tip);
    const phx_port_id corner = at_space(m, 0, 0.3, 0.2, 0.1, 1.0, 0.5, 0.0, 0.6);
    const phx_load_def given[] = {
        {.name = "dead force", .kind = PHX_LOAD_FORCE, .port = tip},
        {.name = "follower", .kind = PHX_LOAD_FORCE, .port = tip, .follower = true},
        {.name = "follower on rod", .kind = PHX_LOAD_FORCE, .port = corner, .follower = true},
        {.name = "dead torque", .kind = PHX_LOAD_TORQUE, .port = tip},
        {.name = "follower torque", .kind = PHX_LOAD_TORQUE, .port = tip, .follower = true},
        {.name = "torque on rod", .kind = PHX_LOAD_TORQUE, .port = corner},
        {.name = "follower torque on rod", .kind = PHX_LOAD_TORQUE, .port = corner, .follower = true},
    };
    add_joint_def(m, &def);
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        phx_load_def load = given[k];
        load.component[0] = constant(m, 1.0);
        load.component[1] = sine(m, 0.3, 1.0, 2.0);
        load.component[2] = k % 2 ? NULL : constant(m, -0.7);
        CHECK_OK(m->context, phx_system_add_load(m->system, &load));
    }
    phx_signal *wind[3] = {constant(m, 0.5), sine(m, 1.0, 2.0, 3.0), constant(m, -0.4)};
    CHECK_OK(m->context, phx_system_add_distributed(m->system, "wind", 1, wind));
    add_spring(m, "line", tip, at_space(m, PHX_GROUND, 1.0, 2.0, -2.0, 1, 0, 0, 0.0), 30.0, 0.5, 0.4,
               sine(m, 1.0, 1.0, 2.0));
}

/* A beam that swings on the ground and a body that slides along it, with a second one that is a point. */
static void slide_kind(model *m, phx_joint_kind kind, int n, bool driven)
{
    const bool space = m->dim == 3;
    const phx_pose on_beam = space ? pose_turned(0.3, 0.1, 0.0, 1, 2, 0, 0.2) : pose_at(0.3, 0.1, 0.2);
    const phx_body_id a = beam_like(m, "a", PHX_REFERENCE_SIMPLY_SUPPORTED, false, 0.0,
                                    space ? pose_turned(0, 0, 0, 0, 0, 1, 0.3) : pose_at(0.0, 0.0, 0.3));
    const phx_body_id b = space ? add_rigid_space(m, "b", on_beam) : rod(m, "b", 0.3, 0.1, 0.2);
    const phx_port_id slot = space ? at_space(m, b, 0.1, 0.2, 0.1, 0, 1, 0, 0.3) : at_turned(m, b, 0.1, 0.2, 0.5);
    phx_joint_def def = joint_def("slide", kind, at_beam(m, a, 0.0), slot);
    phx_joint_def bead = joint_def("bead", PHX_JOINT_POINT_ON, at_beam(m, a, 0.0), -1);

    add_joint(m, "pin", space ? PHX_JOINT_SPHERICAL : PHX_JOINT_REVOLUTE,
              space ? at_space(m, PHX_GROUND, 0, 0, 0, 1, 0, 0, 0.2) : at_place(m, PHX_GROUND, 0.0, 0.0),
              at_beam(m, a, 0.0));
    def.n_coordinates = n;
    for (int k = 0; k < n; k++) /* stiff along the beam, on which they stay */
        def.coordinate[k] = (phx_coordinate_def){
            .stiffness = k == 0 ? 900.0 : 7.0, .damping = 2.0, .rest = 0.4, .effort = sine(m, 0.3, 0.4, 3.0 + k)};
    if (driven) {
        phx_signal_destroy(def.coordinate[0].effort);
        def.coordinate[0] = (phx_coordinate_def){.speed = sine(m, 0.05, 0.3, 2.0)};
    }
    add_joint_def(m, &def);
    const phx_body_id c =
        space ? add_rigid_space(m, "c", pose_turned(0.6, 0.2, 0.0, 1, 2, 0, 0.2)) : rod(m, "c", 0.6, 0.2, 0.2);
    bead.b = space ? at_space(m, c, 0.0, 0.1, 0.0, 1, 0, 0, 0.0) : at_place(m, c, 0.0, 0.1);
    bead.n_coordinates = 1;
    bead.coordinate[0] = (phx_coordinate_def){.stiffness = 900.0, .damping = 1.0, .rest = 0.7};
    add_joint_def(m, &bead);
}

#define SLIDE_TEST_MODEL(name, kind, n)                                                                                \
    static void springy_##name(model *m)                                                                               \
    {                                                                                                                  \
        slide_kind(m, kind, n, false);                                                                                 \
    }                                                                                                                  \
    static void driven_##name(model *m)                                                                                \
    {                                                                                                                  \
        slide_kind(m, kind, n, true);                                                                                  \
    }
SLIDE_TEST_MODEL(point_on, PHX_JOINT_POINT_ON, 1)
SLIDE_TEST_MODEL(prismatic_on, PHX_JOINT_PRISMATIC_ON, 1)
SLIDE_TEST_MODEL(cylindrical_on, PHX_JOINT_CYLINDRICAL_ON, 2)

const test_model test_models[] = {
    {"rigid pendulum with spring, damper, actuator", rigid_pendulum, true, false},
    {"driven revolutes", driven_revolute, true, false},
    {"revolute with spring, damper, actuator", springy_revolute, true, false},
    {"prismatic with spring, damper, actuator", springy_prismatic, true, false},
    {"driven prismatic", driven_prismatic, true, false},
    {"slider with spring, damper, actuator", springy_slider, true, false},
    {"driven slider", driven_slider, true, false},
    {"welds and stiffening", weld, true, false},
    {"line springs", line_springs, true, false},
    {"line springs and dampers by laws", line_laws, true, false},
    {"revolute with laws, stops, friction", nonlinear_revolute, true, false},
    {"bushings, contacts, cable, drag", plane_elements, true, false},
    {"couplings of coordinates", plane_coupling, true, false},
    {"port loads", loads, true, false},
    {"distributed load, damping, stiffening", distributed, true, false},
    {"closed loop", loop, true, false},
    {"simplified kinetics", simplified, false, false},
    {"space: revolute with spring, damper, actuator", springy_space_revolute, true, true},
    {"space: driven revolute", driven_space_revolute, true, true},
    {"space: prismatic with spring, damper, actuator", springy_space_prismatic, true, true},
    {"space: driven prismatic", driven_space_prismatic, true, true},
    {"space: slider with spring, damper, actuator", springy_space_slider, true, true},
    {"space: driven slider", driven_space_slider, true, true},
    {"space: spherical with springs, dampers, actuators", springy_spherical, true, true},
    {"space: driven spherical", driven_spherical, true, true},
    {"space: universal with springs, dampers, actuators", springy_universal, true, true},
    {"space: driven universal", driven_universal, true, true},
    {"space: cylindrical with springs, dampers, actuators", springy_cylindrical, true, true},
    {"space: driven cylindrical", driven_cylindrical, true, true},
    {"space: planar with springs, dampers, actuators", springy_planar, true, true},
    {"space: driven planar", driven_planar, true, true},
    {"space: cylindrical with laws, stops, friction", nonlinear_cylindrical, true, true},
    {"space: bushings, contacts, cable, coupling, drag", space_elements, true, true},
    {"space: welds and stiffening", space_weld, true, true},
    {"space: loads", space_loads, true, true},
    {"space: point on plane with springs, dampers, actuators", springy_point_on_plane, true, true},
    {"space: driven point on plane", driven_point_on_plane, true, true},
    {"space: Cartesian with springs, dampers, actuators", springy_cartesian, true, true},
    {"space: driven Cartesian", driven_cartesian, true, true},
    {"space: parallel with spring, damper, actuator", springy_parallel, true, true},
    {"space: driven parallel", driven_parallel, true, true},
    {"space: perpendicular with springs, dampers, actuators", springy_perpendicular, true, true},
    {"space: driven perpendicular", driven_perpendicular, true, true},
    /* n_sliding_models, for tests that do not ask for the fast evaluator */
    {"point on a beam with spring, damper, actuator", springy_point_on, true, false},
    {"driven point on a beam", driven_point_on, true, false},
    {"prismatic on a beam with spring, damper, actuator", springy_prismatic_on, true, false},
    {"driven prismatic on a beam", driven_prismatic_on, true, false},
    {"space: point on a beam with spring, damper, actuator", springy_point_on, true, true},
    {"space: driven point on a beam", driven_point_on, true, true},
    {"space: prismatic on a beam with spring, damper, actuator", springy_prismatic_on, true, true},
    {"space: driven prismatic on a beam", driven_prismatic_on, true, true},
    {"space: cylindrical on a beam with springs, dampers, actuators", springy_cylindrical_on, true, true},
    {"space: driven cylindrical on a beam", driven_cylindrical_on, true, true},
    /* n_modes_models */
    {"loop of beams in modes, stiffening, load", modes_loop, true, false},
    {"space: beams in modes, stiffening", space_modes, true, true},
};
enum { ALL = sizeof test_models / sizeof *test_models, SLIDING = 10, MODES = 2 };
const int n_test_models = ALL - SLIDING - MODES;
const int n_sliding_models = SLIDING;
const int n_modes_models = MODES;
const int n_all_test_models = ALL;

void begin_test_model(phx_context *context, const test_model *kind, model *m)
{
    const double gravity[3] = {1.0, 2.0, -9.81};
    if (kind->space)
        model_open_space(context, gravity, m);
    else
        model_open(context, 1.0, -9.81, m);
}

void open_test_model(phx_context *context, const test_model *kind, model *m)
{
    begin_test_model(context, kind, m);
    kind->build(m);
    model_finalise(m);
}
