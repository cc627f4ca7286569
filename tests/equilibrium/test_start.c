/* The start state: assembly is the least change of the poses, given values are held, joints that cannot close are
 * named, velocities are the least change of kinetic energy, the quasi-static deformation is the exact one and does not
 * ring. */
#include "system/fast/fast.h"

#include "../system/support.h"

enum { MOST = 128, LINKS = 3 };

/* ---- assembly against brute force ---- */
typedef struct link {
    double mass, inertia, cx, cy, x, y, angle;
} link;

static const link links[LINKS] = {
    {1.0, 0.2, 0.4, 0.1, 0.1, 0.2, 0.3}, {2.0, 0.1, 0.6, -0.2, 1.3, 0.1, -0.2}, {0.5, 0.3, 0.5, 0.0, 1.8, 0.5, 0.9}};

/* Sum m |dc|^2 + I dtheta^2 of the chain from the origin with the given angles. */
static double change_of(const double *angles)
{
    double x = 0.0, y = 0.0, sum = 0.0;
    for (int k = 0; k < LINKS; k++) {
        const link *l = &links[k];
        const double c = cos(angles[k]), s = sin(angles[k]), c0 = cos(l->angle), s0 = sin(l->angle);
        const double dx = x + c * l->cx - s * l->cy - (l->x + c0 * l->cx - s0 * l->cy);
        const double dy = y + s * l->cx + c * l->cy - (l->y + s0 * l->cx + c0 * l->cy);
        sum += l->mass * (dx * dx + dy * dy) + l->inertia * (angles[k] - l->angle) * (angles[k] - l->angle);
        x += c;
        y += s;
    }
    return sum;
}

static void add_links(model *m, phx_joint_def *pins)
{
    phx_port_id end = at_place(m, PHX_GROUND, 0.0, 0.0);
    static const char *const names[] = {"link1", "link2", "link3"}, *const pin_names[] = {"pin1", "pin2", "pin3"};
    for (int k = 0; k < LINKS; k++) {
        const link *l = &links[k];
        const phx_body_id body =
            add_rigid(m, names[k], l->mass, l->inertia, l->cx, l->cy, pose_at(l->x, l->y, l->angle));
        pins[k].name = pin_names[k];
        pins[k].kind = PHX_JOINT_REVOLUTE;
        pins[k].a = end;
        pins[k].b = at_place(m, body, 0.0, 0.0);
        add_joint_def(m, &pins[k]);
        end = at_place(m, body, 1.0, 0.0);
    }
}

static void assembly_is_the_least_change(void **state)
{
    phx_joint_def pins[LINKS] = {phx_joint_def_default(), phx_joint_def_default(), phx_joint_def_default()};
    double angles[LINKS], position = 0.0, velocity = 0.0;
    model m;

    model_open(*state, 0.0, 0.0, &m);
    add_links(&m, pins);
    model_ready(&m);
    m.dae->ops->drift(m.dae, 0.0, m.x, m.v, &position, &velocity);
    CHECK_CLOSE(position, 0.0, 1e-14, "gap of the assembled chain");
    for (int k = 0; k < LINKS; k++)
        angles[k] = m.x[5 * k + 4];
    const double least = change_of(angles);
    for (int k = 0; k < LINKS; k++) {
        double moved[2];
        for (int side = 0; side < 2; side++) {
            angles[k] += side ? 2e-5 : -1e-5;
            moved[side] = change_of(angles);
        }
        angles[k] -= 1e-5;
        CHECK_CLOSE((moved[1] - moved[0]) / 2e-5, 0.0, 1e-8, "slope of the change along angle %d", k);
    }
    for (int trial = 0; trial < 2000; trial++) { /* and no other chain near or far is better */
        uint64_t seed = (uint64_t)trial + 1;
        double other[LINKS];
        random_vector(&seed, LINKS, trial < 1000 ? TEST_PI : 0.1, other);
        for (int k = 0; k < LINKS; k++)
            other[k] += angles[k];
        if (change_of(other) < least)
            fail_msg("the chain at %g %g %g is nearer: %.6g, assembled %.6g", other[0], other[1], other[2],
                     change_of(other), least);
    }
    model_close(&m);
}

/* ---- given values ---- */
static double coordinate_of(model *m)
{
    double columns[8];
    CHECK_OK(m->context, phx_system_outputs(m->dae, 0.0, m->x, m->v, columns));
    return columns[0];
}

static void given_angles_are_held_and_counted(void **state)
{
    const double values[] = {0.7, -2.9, 0.7 + 6.0 * TEST_PI, -4.0 * TEST_PI, 3.2};
    for (int k = 0; k < 5; k++) {
        for (int driven = 0; driven < 2; driven++) {
            model m;
            model_open(*state, 0.0, 0.0, &m);
            const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.3));
            phx_joint_def pin = joint_def("pin", PHX_JOINT_REVOLUTE, at_turned(&m, PHX_GROUND, 0.0, 0.0, 0.5),
                                          at_turned(&m, a, 0.0, 0.0, -0.4));
            pin.n_coordinates = 1;
            pin.coordinate[0].has_start = true;
            pin.coordinate[0].start = values[k];
            if (driven)
                pin.coordinate[0].speed = constant(&m, 2.0);
            else
                pin.coordinate[0].has_rate = true, pin.coordinate[0].rate = 2.0;
            add_output(&m, "angle", PHX_QUANTITY_COORDINATE, add_joint_def(&m, &pin));
            model_ready(&m);
            CHECK_CLOSE(coordinate_of(&m), values[k], 1e-14 * (1.0 + fabs(values[k])), "unwrapped angle");
            /* the body's own angle: port B at angle + 0.5 - (-0.4) */
            const double wrapped = remainder(m.x[4] - (values[k] + 0.5 + 0.4), 2.0 * TEST_PI);
            CHECK_CLOSE(wrapped, 0.0, 1e-13, "angle of the body for %g", values[k]);
            CHECK_CLOSE(m.v[2], 2.0, 1e-13, "rate of the body");
            phx_work work;
            run_midpoint(&m, 0.0, 0.01, 400, &work); /* 8 rad on: counted past full turns */
            /* free, the rule itself turns by 2 atan(h w/2) a step; driven, by h w */
            CHECK_CLOSE(coordinate_of(&m), values[k] + (driven ? 8.0 : 800.0 * atan(0.01)), 1e-11, "angle after 8 rad");
            model_close(&m);
        }
    }
}

static void given_positions_are_held(void **state)
{
    model m;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.4, 0.3, 0.3));
    phx_joint_def rail =
        joint_def("rail", PHX_JOINT_PRISMATIC, at_place(&m, PHX_GROUND, 0.2, 0.0), at_place(&m, a, 0.0, 0.0));
    rail.axis[0] = 3.0;
    rail.axis[1] = 4.0;
    rail.n_coordinates = 1;
    rail.coordinate[0].has_start = rail.coordinate[0].has_rate = true;
    rail.coordinate[0].start = -1.5;
    rail.coordinate[0].rate = 2.0;
    add_output(&m, "way", PHX_QUANTITY_COORDINATE, add_joint_def(&m, &rail));
    model_ready(&m);
    CHECK_CLOSE(coordinate_of(&m), -1.5, 1e-14, "position");
    CHECK_CLOSE(m.x[0], 0.2 - 0.9, 1e-13, "x");
    CHECK_CLOSE(m.x[1], -1.2, 1e-13, "y");
    CHECK_CLOSE(m.x[4], 0.3, 1e-13, "the rotation of the poses is kept");
    CHECK_CLOSE(hypot(m.v[0], m.v[1]), 2.0, 1e-13, "rate");
    model_close(&m);
}

/* A weld asked to hold what the poses are half a turn (and other angles) away from. */
static void held_rotations_close_from_anywhere(void **state)
{
    const double away[] = {0.3, TEST_PI / 2.0, 3.0, TEST_PI, -2.5};
    for (int k = 0; k < 5; k++) {
        for (int kind = 0; kind < 2; kind++) {
            model m;
            model_open(*state, 0.0, 0.0, &m);
            const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.1, -0.2, away[k]));
            phx_joint_def hold = joint_def("hold", kind ? PHX_JOINT_PRISMATIC : PHX_JOINT_WELD,
                                           at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.3, 0.0));
            hold.has_relative = true;
            hold.relative_angle = 0.2;
            add_joint_def(&m, &hold);
            model_ready(&m);
            CHECK_CLOSE(remainder(m.x[4] - 0.2, 2.0 * TEST_PI), 0.0, 1e-13, "%s from %g", kind ? "prismatic" : "weld",
                        away[k]);
            model_close(&m);
        }
    }
}

/* ---- what cannot be ---- */
static void four_bar(model *m, double length, bool rates)
{
    const phx_body_id a = add_rigid(m, "crank", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 1.5));
    const phx_body_id b = add_rigid(m, "coupler", 1.0, 0.1, 0.5, 0.0, pose_at(0.1, 1.0, 0.0));
    const phx_body_id c = add_rigid(m, "rocker", 1.0, 0.1, 0.5, 0.0, pose_at(length, 0.0, 1.6));
    phx_joint_def first =
        joint_def("first", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, a, 0.0, 0.0));
    phx_joint_def last =
        joint_def("last", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, length, 0.0), at_place(m, c, 0.0, 0.0));
    if (rates) {
        first.n_coordinates = last.n_coordinates = 1;
        first.coordinate[0].has_rate = last.coordinate[0].has_rate = true;
        first.coordinate[0].rate = 1.0;
        last.coordinate[0].rate = -3.0;
    }
    add_joint_def(m, &first);
    add_joint(m, "second", PHX_JOINT_REVOLUTE, at_place(m, a, 1.0, 0.0), at_place(m, b, 0.0, 0.0));
    add_joint(m, "third", PHX_JOINT_REVOLUTE, at_place(m, b, 1.1, 0.0), at_place(m, c, 1.0, 0.0));
    add_joint_def(m, &last);
}

static void joints_that_cannot_close_are_named(void **state)
{
    model m;
    model_open(*state, 0.0, 0.0, &m);
    four_bar(&m, 5.0, false);
    CHECK_STATUS(m.context, phx_system_finalise(m.system), PHX_ERR_ASSEMBLY);
    CHECK_MESSAGE(m.context, "'second' (residual ");
    CHECK_MESSAGE(m.context, "cannot be closed");
    model_close(&m);
}

static void contradicting_rates_are_named(void **state)
{
    model m;
    model_open(*state, 0.0, 0.0, &m);
    four_bar(&m, 1.2, true);
    model_finalise(&m);
    CHECK_STATUS(m.context, phx_system_start(m.system, NULL, m.x, m.v, m.lambda), PHX_ERR_ASSEMBLY);
    CHECK_MESSAGE(m.context, "contradict");
    model_close(&m);
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.3));
    phx_joint_def pin =
        joint_def("pin", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    pin.n_coordinates = 1;
    pin.coordinate[0].has_rate = true;
    pin.coordinate[0].rate = 1.0;
    pin.coordinate[0].speed = constant(&m, 2.0);
    add_joint_def(&m, &pin);
    model_finalise(&m);
    CHECK_STATUS(m.context, phx_system_start(m.system, NULL, m.x, m.v, m.lambda), PHX_ERR_ASSEMBLY);
    CHECK_MESSAGE(m.context, "joint 'pin': the rate 1 contradicts the speed");
    model_close(&m);
}

/* ---- velocities ---- */
/* M (v - v0) does no work on any motion that the joints allow. */
static void velocities_are_the_least_change(void **state)
{
    const beam_kind kind = beam_default();
    phx_pose pose = pose_at(0.0, 0.0, 0.3);
    double *G = NULL, *free_motions = NULL, M[MOST * MOST], v0[MOST] = {0};
    int rank = 0;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    pose.linear[0] = 0.7;
    pose.angular[0] = 2.0;
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.1, pose);
    pose = pose_at(cos(0.3), sin(0.3), -0.4);
    pose.linear[1] = 1.5;
    const phx_body_id b = add_beam(&m, "b", &kind, pose);
    const phx_body_id c = add_rigid(&m, "c", 2.0, 0.3, 0.2, 0.1, pose_at(3.0, 0.0, 0.0));
    phx_joint_def elbow = joint_def("elbow", PHX_JOINT_REVOLUTE, at_place(&m, a, 1.0, 0.0), at_beam(&m, b, 0.0));
    elbow.n_coordinates = 1;
    elbow.coordinate[0].speed = constant(&m, 0.8);
    add_joint_def(&m, &elbow);
    add_joint(&m, "shoulder", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    add_joint(&m, "wrist", PHX_JOINT_REVOLUTE, at_beam(&m, b, 1.0), at_place(&m, c, 0.0, 0.0));
    model_ready(&m);
    const int n = m.n_v, n_q = phx_body_n_q(phx_system_body(m.system, b));
    /* the given velocities in body components at the assembled attitude */
    const double angle_a = m.x[4], angle_b = m.x[5 + 4];
    v0[0] = 0.7 * cos(angle_a), v0[1] = -0.7 * sin(angle_a), v0[2] = 2.0;
    v0[3] = 1.5 * sin(angle_b), v0[4] = 1.5 * cos(angle_b);
    phx_linear linear;
    CHECK_OK(m.context, phx_system_linear(m.dae, 0.0, m.x, NULL, &linear));
    G = calloc((size_t)((m.n_l + n_q) * n), sizeof *G);
    assert_non_null(G);
    phx_csr_to_dense(&linear.G, G);
    for (int i = 0; i < n_q; i++)
        G[(m.n_l + i) * n + 6 + i] = 1.0; /* the deformation rate is held at zero */
    phx_csr_to_dense(&linear.M, M);
    CHECK_OK(m.context, phx_dense_nullspace(m.context, m.n_l + n_q, n, G, 1e-10, &rank, &free_motions));
    assert_int_equal(n - rank, 2);
    for (int k = 0; k < n - rank; k++) {
        double work = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                work += free_motions[i * (n - rank) + k] * M[i * n + j] * (m.v[j] - v0[j]);
        CHECK_CLOSE(work, 0.0, 1e-12, "momentum of the change along free motion %d", k);
    }
    double position = 0.0, velocity = 0.0;
    m.dae->ops->drift(m.dae, 0.0, m.x, m.v, &position, &velocity);
    CHECK_CLOSE(velocity, 0.0, 1e-13, "velocities of the joints");
    CHECK_CLOSE(max_abs(n_q, m.v + 6), 0.0, 0.0, "deformation rates");
    phx_linear_free(&linear);
    phx_free(free_motions);
    free(G);
    model_close(&m);
}

/* ---- the quasi-static deformation ---- */
static double deformation_rates(model *m)
{
    double v_dot[MOST], lambda[MOST], largest = 0.0;
    CHECK_OK(m->context, m->dae->ops->accelerations(m->dae, 0.0, m->x, m->v, v_dot, lambda));
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        int x = 0, v = 0;
        phx_system_offsets(m->system, b, &x, &v);
        largest = fmax(largest, max_abs(phx_body_n_q(phx_system_body(m->system, b)), v_dot + v + 3));
    }
    return largest;
}

static void a_hanging_beam_deflects_exactly(void **state)
{
    const phx_reference references[] = {PHX_REFERENCE_CANTILEVER, PHX_REFERENCE_SIMPLY_SUPPORTED, PHX_REFERENCE_FREE};
    for (int k = 0; k < 3; k++) {
        beam_kind kind = beam_default();
        double place[2];
        model m;
        kind.reference = references[k];
        kind.bending = 4e5; /* stiff: rotations of the frame enter by their square */
        kind.axial = 1e9;
        model_open(*state, 0.0, -9.81, &m);
        const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 0.0));
        const phx_port_id tip = at_beam(&m, a, 1.0);
        add_joint(&m, "wall", PHX_JOINT_WELD, at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, a, 0.0));
        model_finalise(&m);
        model_start(&m, false);
        const double ringing = deformation_rates(&m);
        model_start(&m, true);
        phx_system_port_place(m.system, tip, m.x, place);
        const double want = -9.81 / (8.0 * kind.bending); /* rho A g L^4 / (8 EI) */
        CHECK_CLOSE(place[1], want, 1e-8 * fabs(want), "tip deflection, reference %d", k);
        CHECK_CLOSE(deformation_rates(&m), 0.0, 1e-7 * ringing, "accelerations of the deformation, reference %d", k);
        model_close(&m);
    }
}

/* Rigid motions cannot close a beam that is held at both ends: rho A g L^4 / (384 EI) in the middle, and at rest. */
static void a_beam_held_at_both_ends_deflects_exactly(void **state)
{
    const phx_reference references[] = {PHX_REFERENCE_CANTILEVER, PHX_REFERENCE_SIMPLY_SUPPORTED, PHX_REFERENCE_FREE};
    for (int k = 0; k < 3; k++) {
        beam_kind kind = beam_default();
        double place[3], position = 0.0, velocity = 0.0;
        model m;
        kind.bending = 400.0;
        kind.elements = 4;
        kind.reference = references[k];
        model_open(*state, 0.0, -9.81, &m);
        const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 0.0));
        const phx_port_id middle = at_beam(&m, a, 0.5);
        add_joint(&m, "left", PHX_JOINT_WELD, at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, a, 0.0));
        add_joint(&m, "right", PHX_JOINT_WELD, at_place(&m, PHX_GROUND, 1.0, 0.0), at_beam(&m, a, 1.0));
        model_finalise(&m);
        model_start(&m, false);
        const double ringing = deformation_rates(&m);
        model_start(&m, true);
        phx_system_port_place(m.system, middle, m.x, place);
        const double want = -9.81 / (384.0 * kind.bending);
        CHECK_CLOSE(place[1], want, 1e-8 * fabs(want), "deflection in the middle, reference %d", k);
        CHECK_CLOSE(deformation_rates(&m), 0.0, 1e-7 * ringing, "accelerations of the deformation, reference %d", k);
        m.dae->ops->drift(m.dae, 0.0, m.x, m.v, &position, &velocity);
        CHECK_CLOSE(position, 0.0, 1e-13, "joints, reference %d", k);
        model_close(&m);
    }
}

static void rotor(phx_context *context, bool quasi_static, model *m, phx_port_id *tip)
{
    beam_kind kind = beam_default();
    kind.axial = 1e4;
    kind.elements = 4;
    model_open(context, 0.0, 0.0, m);
    const phx_body_id a = add_beam(m, "a", &kind, pose_at(0.0, 0.0, 0.0));
    phx_joint_def pin = joint_def("pin", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_beam(m, a, 0.0));
    pin.n_coordinates = 1;
    pin.coordinate[0].speed = constant(m, 1.0);
    add_joint_def(m, &pin);
    *tip = at_beam(m, a, 1.0);
    model_finalise(m);
    model_start(m, quasi_static);
}

/* EA u'' + rho A W^2 (x + u) = 0, u(0) = 0, u'(L) = 0:  L + u(L) = tan(k L)/k, k^2 = rho A W^2/EA. */
static void a_rotating_beam_elongates_exactly_and_does_not_ring(void **state)
{
    const double k = 1.0 / sqrt(1e4), want = tan(k) / k;
    double swing[2];

    for (int quasi_static = 0; quasi_static < 2; quasi_static++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        phx_port_id tip;
        model m;
        rotor(*state, quasi_static, &m, &tip);
        for (int step = 0; step < 400; step++) {
            double place[2];
            phx_work work;
            phx_system_port_place(m.system, tip, m.x, place);
            const double length = hypot(place[0], place[1]);
            if (quasi_static && step == 0)
                CHECK_CLOSE(length - 1.0, want - 1.0, 1e-5 * (want - 1.0), "elongation");
            least = fmin(least, length);
            most = fmax(most, length);
            run_midpoint(&m, 2e-4 * step, 2e-4, 1, &work);
        }
        swing[quasi_static] = most - least;
        model_close(&m);
    }
    if (!(swing[1] < 1e-6 * swing[0]))
        fail_msg("amplitude %.3e from equilibrium, %.3e from zero deformation", swing[1], swing[0]);
}

/* A loop of flexible links under gravity: joints closed on the deformed bodies, nothing of the deformation moves. */
static void a_flexible_loop_starts_in_equilibrium(void **state)
{
    beam_kind kind = beam_default();
    double position = 0.0, velocity = 0.0;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    kind.bending = 400.0;
    kind.axial = 1e6;
    const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 1.5));
    kind.reference = PHX_REFERENCE_FREE;
    const phx_body_id b = add_beam(&m, "b", &kind, pose_at(0.1, 1.0, 0.0));
    kind.reference = PHX_REFERENCE_CANTILEVER;
    const phx_body_id c = add_beam(&m, "c", &kind, pose_at(1.2, 0.0, 1.6));
    phx_joint_def first =
        joint_def("first", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, a, 0.0));
    first.n_coordinates = 1;
    first.coordinate[0].speed = sine(&m, 3.0, 0.0, 0.0);
    first.coordinate[0].has_start = true;
    first.coordinate[0].start = 1.4;
    add_joint_def(&m, &first);
    add_joint(&m, "second", PHX_JOINT_REVOLUTE, at_beam(&m, a, 1.0), at_beam(&m, b, 0.0));
    add_joint(&m, "third", PHX_JOINT_REVOLUTE, at_beam(&m, b, 1.0), at_beam(&m, c, 1.0));
    add_joint(&m, "last", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 1.2, 0.0), at_beam(&m, c, 0.0));
    add_output(&m, "angle", PHX_QUANTITY_COORDINATE, 0);
    model_finalise(&m);
    model_start(&m, false);
    const double ringing = deformation_rates(&m);
    model_start(&m, true);
    CHECK_CLOSE(deformation_rates(&m), 0.0, 1e-7 * ringing, "accelerations of the deformation");
    m.dae->ops->drift(m.dae, 0.0, m.x, m.v, &position, &velocity);
    CHECK_CLOSE(position, 0.0, 1e-13, "joints on deformed bodies");
    CHECK_CLOSE(velocity, 0.0, 1e-12, "velocities on deformed bodies");
    CHECK_CLOSE(coordinate_of(&m), 1.4, 1e-12, "given angle on deformed bodies");
    model_close(&m);
}

/* A column under several times its critical load has no equilibrium near the straight one. */
static void too_soft_bodies_say_so(void **state)
{
    beam_kind kind = beam_default();
    model m;
    kind.bending = 1e-3;
    kind.axial = 1.0;
    model_open(*state, 0.0, -9.81, &m);
    const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 0.4));
    add_joint(&m, "wall", PHX_JOINT_WELD, at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, a, 0.0));
    model_finalise(&m);
    const phx_start_options options = {.quasi_static = true};
    const phx_status status = phx_system_start(m.system, &options, m.x, m.v, m.lambda);
    if (status != PHX_OK) {
        CHECK_STATUS(m.context, status, PHX_ERR_ANALYSIS);
        CHECK_MESSAGE(m.context, "quasi-static");
    } else {
        CHECK_CLOSE(deformation_rates(&m), 0.0, 1e-3, "an equilibrium was claimed");
    }
    model_close(&m);
}

/* A system that starts once frees the workspace of the assembly; started again all the same, it makes a new one. */
static void a_system_that_starts_once_can_start_again(void **state)
{
    const phx_start_options options = {.quasi_static = true};
    double x[MOST], v[MOST], lambda[MOST], distance = -1.0, angle = -1.0;
    phx_port_id tip;
    model m;

    rotor(*state, true, &m, &tip);
    const size_t n_x = (size_t)m.dae->n_x, n_v = (size_t)m.dae->n_v, n_l = (size_t)m.dae->n_l;
    assert_true(n_x <= MOST && n_v <= MOST && n_l <= MOST);
    phx_system_starts_once(m.system);
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(m.context, phx_system_start(m.system, &options, x, v, lambda), PHX_OK);
        CHECK_VECTOR(m.dae->n_x, x, m.x, 1e-13, "state of start %d", k);
        CHECK_VECTOR(m.dae->n_v, v, m.v, 1e-13, "velocities of start %d", k);
        CHECK_VECTOR(m.dae->n_l, lambda, m.lambda, 1e-12, "multipliers of start %d", k);
    }
    phx_system_open_as_written(m.system, 0, &distance, &angle); /* drawn where it is joined */
    CHECK_SMALL(distance, 1e-15, "open as written");
    CHECK_STATUS(m.context, phx_system_start_again(m.system, 0.0, x, v, lambda), PHX_OK);
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_system_that_starts_once_can_start_again, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(assembly_is_the_least_change, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(given_angles_are_held_and_counted, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(given_positions_are_held, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(held_rotations_close_from_anywhere, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(joints_that_cannot_close_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(contradicting_rates_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(velocities_are_the_least_change, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_hanging_beam_deflects_exactly, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_rotating_beam_elongates_exactly_and_does_not_ring, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(a_flexible_loop_starts_in_equilibrium, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_beam_held_at_both_ends_deflects_exactly, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(too_soft_bodies_say_so, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
