/* Joints that slide along rods and beams: published values, motions in closed form, invariants over many passes of
 * nodes, a beam against the same rod, modes, drives, friction, and what is refused. */
#include <phlexor/integrate.h>
#include <phlexor/linear.h>

#include "rods.h"

static void run(model *m, double step, double end)
{
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;

    options.end = end;
    options.step = step;
    CHECK_OK(m->context, phx_integrate(m->dae, &options, &t, m->x, m->v, m->lambda, NULL, NULL, NULL));
}

/* The place that the only joint that slides is at: the last entry of x of its body, the first one. */
static double place_of(const model *m)
{
    return m->x[phx_body_n_x(phx_system_body(m->system, 0)) - 1];
}

static double *place_rate(model *m)
{
    return &m->v[phx_body_n_v(phx_system_body(m->system, 0)) - 1];
}

static phx_joint_def slide_on(phx_joint_kind kind, phx_port_id a, phx_port_id b, double place)
{
    phx_joint_def def = joint_def("slide", kind, a, b);

    def.n_coordinates = 1;
    def.coordinate[0] = (phx_coordinate_def){.has_start = true, .start = place};
    return def;
}

/* ---- a bead on a cantilever that falls with it ---- */
/* From tests of an independent program (rigid nodes, the same element): n, s at t = 0.1, 0.3, 0.5 and the bead there.
 */
static const struct {
    int n;
    double at[3][3]; /* s, x, y */
} bead_values[] = {
    {4, {{0.2024882, 0.20167, -0.0177228}, {0.2590321, 0.2447661, -0.076593}, {0.5247632, 0.4148675, -0.2864654}}},
    {8, {{0.2025475, 0.2016168, -0.0178487}, {0.2587452, 0.2441353, -0.0767958}, {0.5240642, 0.4136944, -0.2862456}}},
};

static void bead_falls_as_published(void **state)
{
    for (int k = 0; k < 2; k++) {
        rod_kind kind = rod_default(2);
        model m;
        kind.elements = bead_values[k].n;
        kind.EA = kind.GA = 3e4;
        kind.EI[0] = kind.EI[1] = 1.0;
        kind.rhoA = 0.3;
        kind.rhoI[0] = kind.rhoI[1] = kind.rhoI[2] = 1e-4;
        model_open(*state, 0.0, -9.81, &m);
        const phx_body_id rod = add_rod(&m, "rod", &kind, pose_at(0, 0, 0));
        const phx_body_id bead = add_rigid(&m, "bead", 0.4, 1e-3, 0.0, 0.0, pose_at(0.2, 0, 0));
        add_joint(&m, "clamp", PHX_JOINT_WELD, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
        const phx_joint_def def = slide_on(PHX_JOINT_POINT_ON, port_on(&m, rod, 0.0), at_place(&m, bead, 0, 0), 0.2);
        add_joint_def(&m, &def);
        model_ready(&m);
        const double before = total_energy(&m, m.x, m.v), *u = m.x + phx_body_n_x(phx_system_body(m.system, rod));
        double t = 0.0, position, velocity;
        for (int i = 0; i < 3; i++) {
            run(&m, 0.002, 0.1 + 0.2 * i - t);
            t = 0.1 + 0.2 * i;
            CHECK_CLOSE(place_of(&m), bead_values[k].at[i][0], 2e-6, "%d elements: place at %g s", kind.elements, t);
            CHECK_CLOSE(u[0], bead_values[k].at[i][1], 2e-6, "%d elements: x at %g s", kind.elements, t);
            CHECK_CLOSE(u[1], bead_values[k].at[i][2], 2e-6, "%d elements: y at %g s", kind.elements, t);
        }
        CHECK_SMALL(total_energy(&m, m.x, m.v) - before, 1e-13, "%d elements: energy", kind.elements);
        m.dae->ops->drift(m.dae, t, m.x, m.v, &position, &velocity);
        CHECK_SMALL(position, 1e-14, "%d elements: gap", kind.elements);
        CHECK_SMALL(velocity, 1e-13, "%d elements: its rate", kind.elements);
        model_close(&m);
    }
}

/* ---- motions in closed form ---- */
/* On a stiff incline: s'' = g sin(angle), with friction g (sin - mu cos), of a bead and of a collar. */
static void incline(phx_context *context, phx_joint_kind joint, double friction)
{
    const double angle = 0.5, g = 9.81, h = 0.002, end = 0.3, pull = g * (sin(angle) - friction * cos(angle));
    rod_kind kind = rod_default(2);
    model m;

    kind.EA = kind.GA = 1e10;
    kind.EI[0] = kind.EI[1] = 1e8;
    kind.damping = friction > 0.0 ? 1e-3 : 0.0; /* or its vibrations press the bead to one side and the other */
    model_open(context, 0.0, -g, &m);
    const phx_body_id rod = add_rod(&m, "rod", &kind, pose_at(0, 0, -angle));
    const phx_body_id bead =
        add_rigid(&m, "bead", 0.4, 1e-3, 0.0, 0.0, pose_at(0.2 * cos(angle), -0.2 * sin(angle), -angle));
    add_joint(&m, "clamp", PHX_JOINT_WELD, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
    add_joint(&m, "other", PHX_JOINT_POINT_ON, port_on(&m, rod, 0.0), ground_at(&m, cos(angle), -sin(angle), 0));
    phx_joint_def def = slide_on(joint, port_on(&m, rod, 0.0), at_place(&m, bead, 0, 0), 0.2);
    def.coordinate[0].has_rate = true;
    def.coordinate[0].rate = 0.1;
    def.coordinate[0].friction_arm = friction;
    def.coordinate[0].friction = (phx_friction){.ratio = 1.0, .regularised = friction > 0.0 ? 1e-6 : 0.0};
    add_joint_def(&m, &def);
    model_ready(&m);
    run(&m, h, 0.1); /* in the first step the rod, undeformed, carries nothing yet, and nothing rubs */
    const double rate = *place_rate(&m);
    run(&m, h, end - 0.1);
    if (friction > 0.0)
        CHECK_CLOSE((*place_rate(&m) - rate) / (end - 0.1), pull, 2e-6, "%s with friction", phx_joint_kind_name(joint));
    else
        CHECK_CLOSE(place_of(&m), 0.2 + 0.1 * end + 0.5 * pull * end * end, 1e-7, "%s", phx_joint_kind_name(joint));
    model_close(&m);
}

static void incline_is_exact(void **state)
{
    incline(*state, PHX_JOINT_POINT_ON, 0.0);
    incline(*state, PHX_JOINT_PRISMATIC_ON, 0.0);
    incline(*state, PHX_JOINT_POINT_ON, 0.2);
}

/* A place that is driven is the integral of its speed, whatever it does to the beam; the work is booked. */
static void driven_place_is_exact(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        const double gravity[3] = {0.0, -9.81, 0.0};
        rod_kind kind = rod_default(dim);
        phx_work work;
        model m;
        if (dim == 2)
            model_open(*state, 0.0, -9.81, &m);
        else
            model_open_space(*state, gravity, &m);
        const phx_body_id rod =
            add_rod(&m, "rod", &kind, dim == 2 ? pose_at(0, 0, 0) : pose_turned(0, 0, 0, 1, 0, 0, 0));
        const phx_body_id bead = dim == 2 ? add_rigid(&m, "bead", 0.2, 1e-2, 0.0, 0.0, pose_at(0.3, 0, 0))
                                          : add_rigid_space(&m, "bead", pose_turned(0.3, 0, 0, 1, 0, 0, 0));
        add_joint(&m, "clamp", PHX_JOINT_WELD, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
        add_joint(&m, "end", PHX_JOINT_POINT_ON, port_on(&m, rod, 0.0), ground_at(&m, 0.85, 0, 0));
        phx_joint_def def =
            slide_on(PHX_JOINT_PRISMATIC_ON, port_on(&m, rod, 0.0),
                     dim == 2 ? at_place(&m, bead, 0, 0) : at_space(&m, bead, 0, 0, 0, 1, 0, 0, 0), 0.3);
        def.coordinate[0].speed = sine(&m, 0.1, 1.5, 12.0);
        add_joint_def(&m, &def);
        model_ready(&m);
        const double before = total_energy(&m, m.x, m.v), h = 0.002, end = 300 * h;
        run_midpoint(&m, 0.0, h, 300, &work);
        CHECK_CLOSE(place_of(&m), 0.3 + 0.1 * end + 1.5 / 12.0 * (1.0 - cos(12.0 * end)), 1e-12, "dim %d: place", dim);
        const double balance = total_energy(&m, m.x, m.v) - before - work.supplied + work.dissipated;
        CHECK_SMALL(balance, 1e-11, "dim %d: balance", dim);
        assert_true(fabs(work.supplied) > 1e-2);
        model_close(&m);
    }
}

/* ---- invariants ---- */
/* A bead or a collar on a spring passes the nodes of a soft rod and of a beam hundreds of times. */
static void passes_over_nodes_keep_energy(void **state)
{
    const int steps = TEST_LONG(3000);

    for (int kind = 0; kind < 4; kind++) {
        const bool on_rod = kind < 2;
        const phx_joint_kind joint = kind % 2 ? PHX_JOINT_PRISMATIC_ON : PHX_JOINT_POINT_ON;
        rod_kind rod = rod_default(2);
        beam_kind beam = beam_default();
        double position, velocity, last, knots = 0.0;
        model m;
        model_open(*state, 0.0, -9.81, &m);
        rod.elements = beam.elements = 8;
        const phx_body_id a =
            on_rod ? add_rod(&m, "a", &rod, pose_at(0, 0, 0)) : add_beam(&m, "a", &beam, pose_at(0, 0, 0));
        const phx_body_id bead = add_rigid(&m, "bead", 0.4, 1e-2, 0.0, 0.0, pose_at(0.15, 0, 0));
        add_joint(&m, "left", PHX_JOINT_REVOLUTE, ground_at(&m, 0, 0, 0), port_on(&m, a, 0.0));
        add_joint(&m, "right", PHX_JOINT_REVOLUTE, ground_at(&m, 1, 0, 0), port_on(&m, a, 1.0));
        phx_joint_def def = slide_on(joint, port_on(&m, a, 0.0), at_place(&m, bead, 0, 0), 0.15);
        def.coordinate[0].stiffness = 40.0;
        def.coordinate[0].rest = 0.5;
        add_joint_def(&m, &def);
        model_ready(&m);
        const double before = total_energy(&m, m.x, m.v);
        for (int k = 0; k < steps; k += 10) {
            last = place_of(&m);
            run(&m, 0.01, 0.1);
            knots += fabs(floor(8.0 * place_of(&m)) - floor(8.0 * last));
        }
        CHECK_SMALL(total_energy(&m, m.x, m.v) - before, 1e-12, "kind %d: energy", kind);
        m.dae->ops->drift(m.dae, 0.0, m.x, m.v, &position, &velocity);
        CHECK_SMALL(position, 1e-14, "kind %d: gap", kind);
        CHECK_SMALL(velocity, 1e-11, "kind %d: rate of the gap", kind);
        assert_true(knots > TEST_LONG(450));
        model_close(&m);
    }
}

/* A free rod or beam with a bead and a collar, which turn and run along it: linear and angular momentum. */
static void momenta_of(const model *m, int bodies, double *momenta)
{
    memset(momenta, 0, 6 * sizeof *momenta);
    for (int k = 0; k < bodies; k++) {
        const phx_body *body = phx_system_body(m->system, k);
        double linear[3] = {0}, angular[3] = {0};
        const double *x = m->x, *v = m->v;
        for (int b = 0; b < k; b++) {
            x += phx_body_n_x(phx_system_body(m->system, b));
            v += phx_body_n_v(phx_system_body(m->system, b));
        }
        phx_body_inertial_momentum(body, x, v, linear, angular);
        for (int i = 0; i < 3; i++) {
            momenta[i] += linear[i];
            momenta[3 + i] += angular[i];
        }
    }
}

static void free_bodies_keep_their_momenta(void **state)
{
    const int steps = TEST_LONG(1000);

    for (int kind = 0; kind < 3; kind++) { /* a rod in the plane and in space, a beam in the plane */
        const int dim = kind == 1 ? 3 : 2;
        const double none[3] = {0.0, 0.0, 0.0};
        rod_kind rod = rod_default(dim);
        beam_kind beam = beam_default();
        double momenta[2][6];
        model m;
        if (dim == 2)
            model_open(*state, 0.0, 0.0, &m);
        else
            model_open_space(*state, none, &m);
        const phx_pose start = dim == 2 ? pose_at(0.3, -0.2, 0) : pose_turned(0.3, -0.2, 0, 1, 0, 0, 0);
        const phx_body_id a = kind < 2 ? add_rod(&m, "a", &rod, start) : add_beam(&m, "a", &beam, start);
        for (int k = 0; k < 2; k++) {
            const double s = k ? 0.75 : 0.4;
            phx_pose pose = dim == 2 ? pose_at(0.3 + s, -0.2, 0) : pose_turned(0.3 + s, -0.2, 0, 1, 0, 0, 0);
            const char *name = k ? "collar" : "bead";
            pose.angular[0] = k ? 0.0 : 1.5;
            pose.linear[1] = k ? 0.3 : 0.4;
            const phx_body_id b =
                dim == 2 ? add_rigid(&m, name, 0.4, 1e-2, 0.0, 0.05, pose) : add_rigid_space(&m, name, pose);
            phx_joint_def def = slide_on(k ? PHX_JOINT_PRISMATIC_ON : PHX_JOINT_POINT_ON, port_on(&m, a, 0.0),
                                         dim == 2 ? at_place(&m, b, 0, 0) : at_space(&m, b, 0, 0, 0, 1, 0, 0, 0), s);
            def.name = name;
            def.coordinate[0].stiffness = 60.0;
            def.coordinate[0].rest = s;
            def.coordinate[0].rate = k ? -0.2 : 0.7;
            def.coordinate[0].has_rate = true;
            add_joint_def(&m, &def);
        }
        model_ready(&m);
        const double before = total_energy(&m, m.x, m.v), place = place_of(&m);
        momenta_of(&m, 3, momenta[0]);
        run(&m, 0.004, 0.004 * steps);
        momenta_of(&m, 3, momenta[1]);
        CHECK_RELATIVE(total_energy(&m, m.x, m.v), before, 1e-11, "kind %d: energy", kind);
        CHECK_VECTOR(3, momenta[1], momenta[0], 1e-12, "kind %d: linear momentum", kind);
        CHECK_VECTOR(3, momenta[1] + 3, momenta[0] + 3, 1e-12, "kind %d: angular momentum", kind);
        assert_true(max_abs(6, momenta[0]) > 0.1 && fabs(place_of(&m) - place) > 1e-3);
        model_close(&m);
    }
}

/* ---- a beam against the same rod ---- */
static void on_cantilever(phx_context *context, bool of_rod, phx_joint_kind joint, double end, double *place,
                          double *tip)
{
    rod_kind rod = rod_default(2);
    beam_kind beam = beam_default();
    model m;

    model_open(context, 0.0, -9.81, &m);
    beam.elements = 8;
    beam.reference = PHX_REFERENCE_CANTILEVER;
    beam.axial = rod.EA = 1e6;
    beam.bending = rod.EI[0] = rod.EI[1] = 300.0;
    rod.elements = 24;
    rod.GA = 1e8;
    rod.rhoI[2] = 1e-7;
    const phx_body_id a =
        of_rod ? add_rod(&m, "a", &rod, pose_at(0, 0, -0.3)) : add_beam(&m, "a", &beam, pose_at(0, 0, -0.3));
    const phx_body_id b = add_rigid(&m, "b", 0.4, 1e-2, 0.0, 0.0, pose_at(0.3 * cos(0.3), -0.3 * sin(0.3), -0.3));
    add_joint(&m, "clamp", PHX_JOINT_WELD, at_turned(&m, PHX_GROUND, 0, 0, -0.3), port_on(&m, a, 0.0));
    const phx_joint_def def = slide_on(joint, port_on(&m, a, 0.0), at_place(&m, b, 0, 0), 0.3);
    add_joint_def(&m, &def);
    model_ready(&m);
    run(&m, 1e-3, end);
    *place = place_of(&m);
    *tip = m.x[phx_body_n_x(phx_system_body(m.system, a)) + 1];
    model_close(&m);
}

static void beam_slides_as_the_rod(void **state)
{
    for (int k = 0; k < 2; k++) {
        const phx_joint_kind joint = k ? PHX_JOINT_PRISMATIC_ON : PHX_JOINT_POINT_ON;
        double place[2], tip[2];
        for (int kind = 0; kind < 2; kind++)
            on_cantilever(*state, kind, joint, 0.4, &place[kind], &tip[kind]);
        CHECK_CLOSE(place[0], place[1], 3e-4, "%s: place", phx_joint_kind_name(joint));
        CHECK_CLOSE(tip[0], tip[1], 3e-4, "%s: height", phx_joint_kind_name(joint));
        assert_true(place[1] > 0.5);
    }
}

/* ---- modes ---- */
/* Held at a node by a drive at rest a collar makes the frequencies of the same body welded there. */
static void modes_are_those_of_a_weld(void **state)
{
    double omega[2][4];

    for (int welded = 0; welded < 2; welded++) {
        const double none[3] = {0.0, 0.0, 0.0};
        rod_kind kind = rod_default(3);
        phx_modes_options options = phx_modes_options_default();
        phx_modal *modal = NULL;
        phx_mode_set set = {0};
        phx_linear linear;
        model m;
        model_open_space(*state, none, &m);
        const phx_body_id rod = add_rod(&m, "rod", &kind, pose_turned(0, 0, 0, 1, 0, 0, 0));
        const phx_body_id body = add_rigid_space(&m, "body", pose_turned(0.5, 0, 0, 1, 0, 0, 0));
        const phx_port_id at = at_space(&m, body, 0, 0, 0, 1, 0, 0, 0);
        add_joint(&m, "clamp", PHX_JOINT_WELD, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
        if (welded) {
            add_joint(&m, "weld", PHX_JOINT_WELD, port_on(&m, rod, 0.5), at);
        } else {
            phx_joint_def def = slide_on(PHX_JOINT_PRISMATIC_ON, port_on(&m, rod, 0.0), at, 0.5);
            def.coordinate[0].speed = constant(&m, 0.0);
            add_joint_def(&m, &def);
        }
        model_ready(&m);
        CHECK_OK(*state, phx_system_linear(m.dae, 0.0, m.x, NULL, &linear));
        CHECK_OK(*state, phx_modal_create(*state, &modal));
        options.count = 4;
        CHECK_OK(*state, phx_modal_solve(modal, &linear, &options, &set));
        for (int k = 0; k < 4; k++)
            omega[welded][k] = set.omega[k];
        phx_mode_set_free(&set);
        phx_modal_destroy(modal);
        phx_linear_free(&linear);
        model_close(&m);
    }
    for (int k = 0; k < 4; k++)
        CHECK_RELATIVE(omega[0][k], omega[1][k], 1e-9, "mode %d", k + 1);
}

/* ---- assembly ---- */
/* The place that is not given is that nearest to the point of B; on a bent rod a collar keeps the attitude of the poses
 * against the section there. */
static void place_is_found(void **state)
{
    rod_kind kind = rod_default(2);
    model m;

    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id rod = add_rod(&m, "rod", &kind, pose_at(1, 2, 0.4));
    const double at[2] = {1 + 0.37 * cos(0.4), 2 + 0.37 * sin(0.4)};
    const phx_body_id b = add_rigid(&m, "b", 0.4, 1e-2, 0.0, 0.0, pose_at(at[0], at[1], 1.0));
    add_joint(&m, "clamp", PHX_JOINT_WELD, at_turned(&m, PHX_GROUND, 1, 2, 0.4), port_on(&m, rod, 0.0));
    add_joint(&m, "slide", PHX_JOINT_PRISMATIC_ON, port_on(&m, rod, 0.0), at_place(&m, b, 0, 0));
    model_ready(&m);
    CHECK_CLOSE(place_of(&m), 0.37, 1e-12, "place");
    CHECK_CLOSE(m.x[phx_body_n_x(phx_system_body(m.system, rod)) + 4], 1.0, 1e-12, "attitude of the collar");
    *place_rate(&m) = 0.0;
    model_close(&m);
}

/* ---- what is refused ---- */
static void leaving_is_an_error(void **state)
{
    rod_kind kind = rod_default(2);
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;
    model m;

    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id rod = add_rod(&m, "boom", &kind, pose_at(0, 0, 0));
    const phx_body_id b = add_rigid(&m, "b", 0.4, 1e-2, 0.0, 0.0, pose_at(0.6, 0, 0));
    add_joint(&m, "clamp", PHX_JOINT_WELD, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
    phx_joint_def def = slide_on(PHX_JOINT_POINT_ON, port_on(&m, rod, 0.0), at_place(&m, b, 0, 0), 0.6);
    def.coordinate[0].has_rate = true;
    def.coordinate[0].rate = 2.0;
    add_joint_def(&m, &def);
    model_ready(&m);
    options.end = 1.0;
    options.step = 0.003;
    CHECK_STATUS(*state, phx_integrate(m.dae, &options, &t, m.x, m.v, m.lambda, NULL, NULL, NULL), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(*state, "joint 'slide': its point leaves body 'boom' at the end C at t = 0.2 s");
    CHECK_BETWEEN(t, 0.19, 0.2, "the last step");
    model_close(&m);
}

/* Where the other joints put the point. */
static void starts_beyond_the_body_are_refused(void **state)
{
    rod_kind kind = rod_default(2);
    model m;

    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id rod = add_rod(&m, "boom", &kind, pose_at(0, 0, 0));
    const phx_body_id b = add_rigid(&m, "b", 0.4, 1e-2, 0.0, 0.0, pose_at(1.5, 0, 0));
    add_joint(&m, "clamp", PHX_JOINT_WELD, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
    add_joint(&m, "post", PHX_JOINT_REVOLUTE, ground_at(&m, 1.5, 0, 0), at_place(&m, b, 0, 0));
    phx_joint_def def = slide_on(PHX_JOINT_POINT_ON, port_on(&m, rod, 0.0), at_place(&m, b, 0, 0), 0.6);
    def.coordinate[0].has_start = false;
    add_joint_def(&m, &def);
    CHECK_STATUS(*state, phx_system_finalise(m.system), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "joint 'slide': its point starts at 1.5 m along body 'boom', which has 0 to 1 m");
    model_close(&m);
}

static void misuse_is_refused(void **state)
{
    rod_kind kind = rod_default(2);
    model m;

    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id rod = add_rod(&m, "rod", &kind, pose_at(0, 0, 0));
    const phx_body_id b = add_rigid(&m, "b", 0.4, 1e-2, 0.0, 0.0, pose_at(0.5, 0, 0));
    const phx_port_id on_b = at_place(&m, b, 0, 0), on_rod = port_on(&m, rod, 0.0);
    const int n_x = phx_body_n_x(phx_system_body(m.system, rod));
    phx_joint_def def = joint_def("slide", PHX_JOINT_POINT_ON, on_b, on_rod);
    CHECK_STATUS(*state, phx_system_add_joint(m.system, &def, NULL), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "nothing can slide along 'b'");
    def.a = ground_at(&m, 0, 0, 0);
    CHECK_STATUS(*state, phx_system_add_joint(m.system, &def, NULL), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "exchange the ports");
    def.a = on_rod;
    def.b = on_b;
    def.inactive = true;
    CHECK_STATUS(*state, phx_system_add_joint(m.system, &def, NULL), PHX_ERR_UNSUPPORTED);
    def.inactive = false;
    def.n_coordinates = 2;
    CHECK_STATUS(*state, phx_system_add_joint(m.system, &def, NULL), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_body_n_x(phx_system_body(m.system, rod)), n_x); /* no place is left behind */
    def.n_coordinates = 0;
    CHECK_OK(*state, phx_system_add_joint(m.system, &def, NULL));
    model_ready(&m);
    const phx_switch let_go = {.joint = 0};
    phx_system_dae_destroy(m.dae);
    m.dae = NULL;
    CHECK_STATUS(*state, phx_system_switch(m.system, 1, &let_go, m.x), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "joint 'slide': a joint that slides along a body cannot let go");
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bead_falls_as_published, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(incline_is_exact, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(driven_place_is_exact, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(passes_over_nodes_keep_energy, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(free_bodies_keep_their_momenta, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(beam_slides_as_the_rod, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(modes_are_those_of_a_weld, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(place_is_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(leaving_is_an_error, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(starts_beyond_the_body_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(misuse_is_refused, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
