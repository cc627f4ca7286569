/* Benchmark linkages of rigid bodies in space over 5 s against their motion in minimal coordinates (minimal.h): places,
 * velocities, accelerations, attitudes and reactions.
 *
 *   Bricard's linkage, orthogonal and threefold symmetric: six bars, overconstrained once, falling from rest;
 *   spatial slider-crank: revolute, spherical, universal, prismatic joints;
 *   flyball governor: two arms and two links spread on a spinning axle and lift a slider, two degrees of freedom and
 * six rows too many.
 *
 * The data are of the kind of the benchmarks of that name; the values are calculated here and not taken from them. */
#include "mechanism.h"
#include "minimal.h"

enum { TEXT = 8000 };

static void add_pose(char *text, const double *position, const double *R)
{
    append_text(
        text, TEXT,
        "pose: {position: [%.17g, %.17g, %.17g], rotation: {matrix: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], "
        "[%.17g, %.17g, %.17g]]}}",
        position[0], position[1], position[2], R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
}

static void multiply(const double *a, const double *b, double *c)
{
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, a, 3, b, 3, 0.0, c, 3);
}

static void turn(int axis, double angle, double *R)
{
    const double c = cos(angle), s = sin(angle);
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memset(R, 0, 9 * sizeof *R);
    R[4 * axis] = 1.0;
    R[4 * i] = R[4 * j] = c;
    R[3 * i + j] = -s;
    R[3 * j + i] = s;
}

/* ---- comparison ---- */
typedef struct checks {
    const char *name;
    double place, velocity, acceleration, attitude, reaction; /* tolerances */
    int n_reactions;
    int joint[MINIMAL_JOINTS]; /* of the reactions in the order of the outputs */
} checks;

/* The bodies' outputs c (position), v, a, w, then reactions in inertial axes, against the present state of m. */
static void compare(mechanism *model, minimal *m, const checks *it)
{
    double *column = model->columns;

    minimal_evaluate(m);
    CHECK_OK(model->context, phx_system_outputs(model->dae, model->t, model->x, model->v, column));
    for (int b = 0; b < m->bodies; b++, column += 12) {
        int x = 0, v = 0;
        phx_system_offsets(model->system, b, &x, &v);
        CHECK_VECTOR(3, column, m->now[b].c, it->place, "%s, %g s, body %d: place", it->name, m->t, b);
        CHECK_VECTOR(3, column + 3, m->speed[b], it->velocity, "%s, %g s, body %d: velocity", it->name, m->t, b);
        CHECK_VECTOR(3, column + 6, m->acceleration[b], it->acceleration, "%s, %g s, body %d: acceleration", it->name,
                     m->t, b);
        CHECK_VECTOR(3, column + 9, m->spin[b], it->velocity, "%s, %g s, body %d: spin", it->name, m->t, b);
        CHECK_VECTOR(9, model->x + x + 3, m->now[b].R, it->attitude, "%s, %g s, body %d: attitude", it->name, m->t, b);
    }
    for (int k = 0; k < it->n_reactions; k++, column += 6)
        CHECK_VECTOR(6, column, m->reaction[it->joint[k]], it->reaction, "%s, %g s: reaction of joint %d", it->name,
                     m->t, it->joint[k]);
}

static void run_both(mechanism *model, minimal *m, double step, double coarse, const checks *it)
{
    phx_integrate_options options = phx_integrate_options_default();
    const double energy = (minimal_evaluate(m), m->kinetic + m->potential);

    compare(model, m, it);
    for (int k = 1; k <= 10; k++) {
        options.integrator = PHX_GAUSS6;
        options.step = step;
        options.every = options.end = 0.5 * k;
        mechanism_run(model, &options);
        minimal_run(m, 0.5 * k, coarse);
        compare(model, m, it);
        CHECK_CLOSE(m->kinetic + m->potential, energy, 1e-9 * (1.0 + fabs(energy)), "%s: energy of the comparison",
                    it->name);
    }
}

/* ---- Bricard ---- */
/* Six bars of 1 m, hinge axes turned by +90 and -90 degrees in turn. With theta the first, third and fifth angle and
 * phi the others the loop closes when (1 + cos theta)(1 + cos phi) = 1; smoothly along tan(theta/2) = sqrt(3) sin(psi),
 * tan(phi/2) = sqrt(3) cos(psi)/sqrt(1 + 3 sin(psi)^2). */
static double bricard_angle(double psi, int k)
{
    const double s = sqrt(3.0) * sin(psi);
    return 2.0 * atan(k % 2 == 0 ? s : sqrt(3.0) * cos(psi) / sqrt(1.0 + s * s));
}

static double bricard_twist(int k)
{
    return k % 2 == 0 ? 0.5 * TEST_PI : -0.5 * TEST_PI;
}

/* Frames of bars 0 .. 5 at their first hinge; returns the gap of the loop. */
static double bricard_frames(double psi, double place[6][3], double R[6][9])
{
    double at[3] = {0.0}, Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, T[9], gap = 0.0;

    for (int k = 0; k < 6; k++) {
        turn(2, bricard_angle(psi, k), T);
        multiply(Q, T, R[k]);
        memcpy(place[k], at, sizeof at);
        for (int a = 0; a < 3; a++)
            at[a] += R[k][3 * a];
        turn(0, bricard_twist(k), T);
        multiply(R[k], T, Q);
    }
    for (int a = 0; a < 3; a++)
        gap = fmax(gap, fabs(at[a]));
    for (int a = 0; a < 9; a++)
        gap = fmax(gap, fabs(Q[a] - (a % 4 == 0)));
    return gap;
}

static void bricard_pose(const double *q, minimal_pose *pose)
{
    double place[6][3], R[6][9];
    assert_true(bricard_frames(q[0], place, R) < 1e-13);
    for (int b = 0; b < 5; b++) {
        memcpy(pose[b].R, R[b], sizeof R[b]);
        for (int a = 0; a < 3; a++)
            pose[b].c[a] = place[b][a] + 0.5 * R[b][3 * a];
    }
}

static void add_outputs(char *text, int bodies)
{
    append_text(text, TEXT, "outputs:\n");
    for (int b = 0; b < bodies; b++)
        append_text(text, TEXT,
                    "  c%d: {position: b%d.G}\n  v%d: {velocity: b%d.G}\n  a%d: {acceleration: b%d.G}\n"
                    "  w%d: {angular_velocity: b%d.G}\n",
                    b, b, b, b, b, b, b, b);
}

static void bricard_open(minimal *m, mechanism *model)
{
    double place[6][3], R[6][9];
    char text[TEXT] = "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
                      "ground: {ports: {last: {position: [-1, 0, 0], rotation: {axis: [1, 0, 0], angle: 90*deg}}}}\n"
                      "bodies:\n";

    *m = (minimal){.coordinates = 1, .bodies = 5, .gravity = {0.0, 0.0, -9.81}, .pose = bricard_pose};
    m->q[0] = asin(sqrt(1.0 / 3.0)); /* along edges of a cube */
    bricard_frames(m->q[0], place, R);
    for (int b = 0; b < 5; b++) {
        m->mass[b] = 10.0;
        m->inertia[b][0] = 0.01;
        m->inertia[b][1] = m->inertia[b][2] = 10.0 / 12.0;
        append_text(text, TEXT,
                    "  b%d: {kind: rigid, mass: 10, inertia: [0.01, 10/12, 10/12], centre_of_mass: [0.5, 0, 0], "
                    "ports: {G: {position: [0.5, 0, 0]}, E: {position: [1, 0, 0], rotation: {axis: [1, 0, 0], angle: "
                    "%d*deg}}}, ",
                    b, b % 2 == 0 ? 90 : -90);
        add_pose(text, place[b], R[b]);
        append_text(text, TEXT, "}\n");
    }
    append_text(text, TEXT, "joints:\n");
    for (int k = 0; k < 6; k++)
        append_text(text, TEXT, "  h%d: {kind: revolute, axis: [0, 0, 1], axis_b: [0, 0, 1], ports: [%s, %s]}\n", k,
                    (const char *[]){"ground.O", "b0.E", "b1.E", "b2.E", "b3.E", "b4.E"}[k],
                    (const char *[]){"b0.P", "b1.P", "b2.P", "b3.P", "b4.P", "ground.last"}[k]);
    add_outputs(text, 5);
    mechanism_open(model, text, 0, NULL);
    assert_int_equal(phx_system_redundant(model->system), 1);
    assert_int_equal(model->dae->n_v - model->dae->n_l, 1);
}

static void bricard_falls(void **state)
{
    static const checks it = {"Bricard", 1e-10, 1e-9, 1e-8, 1e-10, 0.0, 0, {0}};
    minimal m;
    mechanism model;

    (void)state;
    bricard_open(&m, &model);
    run_both(&model, &m, 2e-3, 5e-4, &it);
    mechanism_close(&model);
}

/* The last hinge is the redundant one: what it holds follows from places that drift by the tolerance. The steps of ida
 * grow no faster than rtol^(-1/5), few are rejected, and the errors keep in proportion to rtol. */
static void ida_follows_bricard_at_any_tolerance(void **state)
{
    enum { MOST_STEPS = 600 }; /* at 1e-6 */
    phx_integrate_options options = phx_integrate_options_default();
    minimal m;
    mechanism model;

    (void)state;
    bricard_open(&m, &model);
    const int n_x = model.dae->n_x, n_v = model.dae->n_v;
    options.end = options.every = 2.0;
    options.integrator = PHX_RADAU5;
    options.rtol = 1e-12;
    double *exact = mechanism_final_state(&model, &options);
    options.integrator = PHX_IDA;
    for (double rtol = 1e-6; rtol > 0.5e-10; rtol /= 10.0) {
        options.rtol = rtol;
        double *found = mechanism_final_state(&model, &options);
        const double places = mechanism_distance(found, exact, n_x);
        const double velocities = mechanism_distance(found + n_x, exact + n_x, n_v);
        print_message("ida at %.0e: %ld steps, %ld rejected; wrong by %.1e in places, %.1e in velocities\n", rtol,
                      model.stats.steps, model.stats.rejected, places, velocities);
        assert_true((double)model.stats.steps < MOST_STEPS * pow(1e-6 / rtol, 0.2));
        assert_true(10 * model.stats.rejected < model.stats.steps);
        CHECK_SMALL(places, 200.0 * rtol, "places at %g", rtol);
        CHECK_SMALL(velocities, 200.0 * rtol, "velocities at %g", rtol);
        free(found);
    }
    free(exact);
    mechanism_close(&model);
}

/* ---- slider-crank ---- */
/* Crank of 0.08 m about the line x = 0, y = 0.1, z = 0.12 along x; rod of 0.3 m; slider on the x axis. */
static void slider_crank_points(double q, double *pin, double *slider)
{
    pin[0] = 0.0;
    pin[1] = 0.1 + 0.08 * cos(q);
    pin[2] = 0.12 + 0.08 * sin(q);
    slider[0] = sqrt(0.09 - pin[1] * pin[1] - pin[2] * pin[2]);
    slider[1] = slider[2] = 0.0;
}

/* Bodies: crank (y along the crank), rod (x along it, y across the slider's z axis), slider. */
static void slider_crank_pose(const double *q, minimal_pose *pose)
{
    double pin[3], slider[3], e[3];
    slider_crank_points(q[0], pin, slider);
    turn(0, q[0], pose[0].R);
    pose[0].c[0] = 0.0;
    pose[0].c[1] = 0.1 + 0.04 * cos(q[0]);
    pose[0].c[2] = 0.12 + 0.04 * sin(q[0]);
    for (int a = 0; a < 3; a++) {
        e[a] = (slider[a] - pin[a]) / 0.3;
        pose[1].c[a] = 0.5 * (slider[a] + pin[a]);
        pose[2].c[a] = slider[a];
    }
    const double y[3] = {-e[1] / hypot(e[0], e[1]), e[0] / hypot(e[0], e[1]), 0.0};
    double z[3];
    phx_vec_x_vec(3, e, y, z);
    for (int a = 0; a < 3; a++) {
        pose[1].R[3 * a] = e[a];
        pose[1].R[3 * a + 1] = y[a];
        pose[1].R[3 * a + 2] = z[a];
    }
    turn(0, 0.0, pose[2].R);
}

static void unit_forces(minimal_joint *joint)
{
    joint->n_forces = 3;
    for (int a = 0; a < 3; a++)
        joint->force[a][a] = 1.0;
}

static void slider_crank_joint(const double *q, const minimal_pose *pose, minimal_joint *joint)
{
    double pin[3], slider[3];
    slider_crank_points(q[0], pin, slider);
    joint[0] = (minimal_joint){.a = -1, .b = 0, .n_torques = 2, .place = {0.0, 0.1, 0.12}};
    joint[0].torque[0][1] = joint[0].torque[1][2] = 1.0;
    joint[1] = (minimal_joint){.a = 0, .b = 1, .place = {pin[0], pin[1], pin[2]}};
    joint[2] = (minimal_joint){.a = 2, .b = 1, .n_torques = 1, .place = {slider[0]}};
    for (int k = 0; k < 3; k++)
        unit_forces(&joint[k]);
    const double y[3] = {pose[1].R[1], pose[1].R[4], pose[1].R[7]}, z[3] = {0.0, 0.0, 1.0};
    phx_vec_x_vec(3, z, y, joint[2].torque[0]);
    joint[3] = (minimal_joint){.a = -1, .b = 2, .n_forces = 2, .n_torques = 3, .place = {slider[0]}};
    joint[3].force[0][1] = joint[3].force[1][2] = 1.0;
    for (int a = 0; a < 3; a++)
        joint[3].torque[a][a] = 1.0;
}

static void slider_crank_runs(void **state)
{
    static const checks it = {"slider-crank", 1e-10, 1e-9, 1e-7, 1e-10, 1e-8, 4, {0, 1, 2, 3}};
    minimal m = {.coordinates = 1,
                 .bodies = 3,
                 .joints = 4,
                 .mass = {0.12, 0.5, 2.0},
                 .inertia = {{1e-4, 2e-5, 9e-5}, {4e-4, 4e-3, 3.8e-3}, {1e-3, 1e-3, 1e-3}},
                 .gravity = {0.0, 0.0, -9.81},
                 .pose = slider_crank_pose,
                 .joint = slider_crank_joint,
                 .q = {0.3},
                 .v = {6.0}};
    minimal_pose pose[MINIMAL_BODIES];
    double pin[3], slider[3];
    char text[TEXT] = "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
                      "ground: {ports: {A: {position: [0, 0.1, 0.12]}}}\nbodies:\n";
    mechanism model;

    (void)state;
    slider_crank_points(m.q[0], pin, slider);
    slider_crank_pose(m.q, pose);
    append_text(text, TEXT,
                "  b0: {kind: rigid, mass: 0.12, inertia: [1e-4, 2e-5, 9e-5], centre_of_mass: [0, 0.04, 0], "
                "ports: {G: {position: [0, 0.04, 0]}, E: {position: [0, 0.08, 0]}}, ");
    add_pose(text, (double[]){0.0, 0.1, 0.12}, pose[0].R);
    append_text(text, TEXT,
                "}\n  b1: {kind: rigid, mass: 0.5, inertia: [4e-4, 4e-3, 3.8e-3], centre_of_mass: [0.15, 0, 0], "
                "ports: {G: {position: [0.15, 0, 0]}, E: {position: [0.3, 0, 0]}}, ");
    add_pose(text, pin, pose[1].R);
    append_text(text, TEXT,
                "}\n  b2: {kind: rigid, mass: 2, inertia: [1e-3, 1e-3, 1e-3], ports: {G: {position: [0, 0, 0]}}, ");
    add_pose(text, slider, pose[2].R);
    append_text(text, TEXT,
                "}\njoints:\n  A: {kind: revolute, axis: [1, 0, 0], ports: [ground.A, b0.P], angle: 0.3, rate: 6}\n"
                "  B: {kind: spherical, ports: [b0.E, b1.P]}\n"
                "  C: {kind: universal, ports: [b2.P, b1.E], axes: [[0, 0, 1], [0, 1, 0]]}\n"
                "  D: {kind: prismatic, ports: [ground.O, b2.P], axis: [1, 0, 0]}\n");
    add_outputs(text, 3);
    for (int k = 0; k < 4; k++)
        append_text(text, TEXT, "  r%d: {reaction: %c, frame: inertial}\n", k, 'A' + k);
    mechanism_open(&model, text, 0, NULL);
    assert_int_equal(phx_system_redundant(model.system), 0);
    run_both(&model, &m, 1e-3, 2e-4, &it);
    mechanism_close(&model);
}

/* ---- governor ---- */
/* Axle along z, turned by q0; on each side an arm of 0.4 m hinged 0.05 m beside the axle, q1 out of the downward
 * direction, and from 0.2 m down the arm a link of 0.25 m to the slider, again 0.05 m beside the axle. Bodies: axle,
 * arms, links, slider. */
static double governor_slider(double q1, double *link_angle)
{
    const double out = 0.2 * sin(q1), along = sqrt(0.25 * 0.25 - out * out);
    *link_angle = atan2(-out, along);
    return -0.2 * cos(q1) - along;
}

/* Frames of the bodies at their upper joint; arms and links hang along -z of theirs. */
static void governor_frames(const double *q, double place[6][3], double R[6][9])
{
    double spin[9], tilt[9], beta, local[3];
    const double height = governor_slider(q[1], &beta);

    turn(2, q[0], spin);
    memset(place, 0, 6 * sizeof *place);
    memcpy(R[0], spin, sizeof spin);
    memcpy(R[5], spin, sizeof spin);
    place[5][2] = height;
    for (int side = 0; side < 2; side++) {
        const double sign = side ? -1.0 : 1.0;
        const double elbow[3] = {sign * (0.05 + 0.2 * sin(q[1])), 0.0, -0.2 * cos(q[1])};
        turn(1, -sign * q[1], tilt);
        multiply(spin, tilt, R[1 + side]);
        turn(1, -sign * beta, tilt);
        multiply(spin, tilt, R[3 + side]);
        local[0] = sign * 0.05;
        local[1] = local[2] = 0.0;
        phx_rot_apply(3, spin, local, place[1 + side]);
        phx_rot_apply(3, spin, elbow, place[3 + side]);
    }
}

static const double governor_centre[6] = {0.0, 0.3, 0.3, 0.125, 0.125, 0.0}; /* below the frame's origin */

static void governor_pose(const double *q, minimal_pose *pose)
{
    double place[6][3], R[6][9];

    governor_frames(q, place, R);
    for (int b = 0; b < 6; b++) {
        memcpy(pose[b].R, R[b], sizeof R[b]);
        for (int a = 0; a < 3; a++)
            pose[b].c[a] = place[b][a] - governor_centre[b] * R[b][3 * a + 2];
    }
}

static void governor_swings(void **state)
{
    static const checks it = {"governor", 1e-10, 1e-9, 1e-8, 1e-10, 0.0, 0, {0}};
    static const char *const lower[6] = {"", "0.2", "0.2", "0.25", "0.25", ""};
    minimal m = {.coordinates = 2,
                 .bodies = 6,
                 .mass = {2.0, 1.0, 1.0, 0.1, 0.1, 1.5},
                 .inertia = {{0.02, 0.02, 0.01},
                             {0.02, 0.021, 0.003},
                             {0.02, 0.021, 0.003},
                             {6e-4, 6e-4, 1e-5},
                             {6e-4, 6e-4, 1e-5},
                             {0.004, 0.004, 0.006}},
                 .gravity = {0.0, 0.0, -9.81},
                 .pose = governor_pose,
                 .q = {0.0, 0.7},
                 .v = {6.0, 0.5}};
    double place[6][3], R[6][9];
    char text[TEXT] = "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n";
    mechanism model;

    (void)state;
    governor_frames(m.q, place, R);
    for (int b = 0; b < 6; b++) {
        append_text(
            text, TEXT,
            "  b%d: {kind: rigid, mass: %.17g, inertia: [%.17g, %.17g, %.17g], centre_of_mass: [0, 0, %g], ports: {"
            "G: {position: [0, 0, %g]}, ",
            b, m.mass[b], m.inertia[b][0], m.inertia[b][1], m.inertia[b][2], -governor_centre[b], -governor_centre[b]);
        if (*lower[b])
            append_text(text, TEXT, "E: {position: [0, 0, -%s]}}, ", lower[b]);
        else
            append_text(text, TEXT, "L: {position: [0.05, 0, 0]}, R: {position: [-0.05, 0, 0]}}, ");
        add_pose(text, place[b], R[b]);
        append_text(text, TEXT, "}\n");
    }
    append_text(text, TEXT,
                "joints:\n  spin: {kind: revolute, ports: [ground.O, b0.P], axis: [0, 0, 1], rate: 6}\n"
                "  slide: {kind: prismatic, ports: [b0.P, b5.P], axis: [0, 0, 1]}\n"
                "  h1: {kind: revolute, ports: [b0.L, b1.P], axis: [0, 1, 0], rate: -0.5}\n"
                "  h2: {kind: revolute, ports: [b0.R, b2.P], axis: [0, 1, 0]}\n"
                "  e1: {kind: revolute, ports: [b1.E, b3.P], axis: [0, 1, 0]}\n"
                "  e2: {kind: revolute, ports: [b2.E, b4.P], axis: [0, 1, 0]}\n"
                "  f1: {kind: revolute, ports: [b3.E, b5.L], axis: [0, 1, 0]}\n"
                "  f2: {kind: revolute, ports: [b4.E, b5.R], axis: [0, 1, 0]}\n");
    add_outputs(text, 6);
    mechanism_open(&model, text, 0, NULL);
    assert_int_equal(phx_system_redundant(model.system), 6);
    assert_int_equal(model.dae->n_v - model.dae->n_l, 2);
    run_both(&model, &m, 2e-3, 5e-4, &it);
    mechanism_close(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bricard_falls),
                                       cmocka_unit_test(ida_follows_bricard_at_any_tolerance),
                                       cmocka_unit_test(slider_crank_runs), cmocka_unit_test(governor_swings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
