/* Bodies at rest, held by forces: the velocities are rounding, and no length of a step makes their correction small
 * against their own energy. Structures without a free motion, a mechanism whose drive stands still before it starts,
 * bodies that float in equilibrium: none is to be halved, and the forces are those of statics. */
#include "mechanism.h"

static const phx_integrator fixed_steps[] = {PHX_MIDPOINT, PHX_MIDPOINT4, PHX_GAUSS4, PHX_GAUSS6};
enum { FIXED_STEPS = sizeof fixed_steps / sizeof *fixed_steps };

/* Runs and must not halve. */
static void run_smoothly(mechanism *m, phx_integrator integrator, double end, double step)
{
    const phx_integrate_options options = {.integrator = integrator, .end = end, .step = step, .max_halvings = 3};

    mechanism_reset(m);
    mechanism_run(m, &options);
    if (m->stats.halvings != 0 || m->stats.rejected != 0)
        fail_msg("integrator %d: %lld halvings, %lld steps rejected", (int)integrator, (long long)m->stats.halvings,
                 (long long)m->stats.rejected);
    CHECK_CLOSE(m->largest_residual, 0.0, 1e-13 * fmax(1.0, m->largest_energy), "integrator %d: balance",
                (int)integrator);
    CHECK_OK(m->context, phx_system_outputs(m->dae, m->t, m->x, m->v, m->columns));
}

/* Two bodies that lean on each other, three pins: moments of each body about its foot give the force in the third. */
static void a_triangle_of_bodies_stands(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nground: {ports: {B: {position: [1, 0]}}}\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.25, 0.4], ports: {C: {position: [0.5, 0.8]}}}\n"
        "  b: {kind: rigid, mass: 2, inertia: 0.1, centre_of_mass: [-0.25, 0.4], pose: {position: [1, 0]},\n"
        "      ports: {C: {position: [-0.5, 0.8]}}}\n"
        "joints:\n  pa: {kind: revolute, ports: [ground.O, a.P]}\n  pb: {kind: revolute, ports: [ground.B, b.P]}\n"
        "  pc: {kind: revolute, ports: [a.C, b.C]}\n"
        "loads: {f: {force: [\"3\", \"sin(5*t)\"], at: a.C}}\noutputs: {r: {reaction: pc}}\n";
    const double end = 0.5, g = 9.81, fx = 3.0, fy = sin(5.0 * end);
    const double rx = (0.25 * g * 3.0 - 0.5 * fy + 0.8 * fx) / 1.6, ry = (0.25 * g * 2.0 - 0.8 * rx) / 0.5;
    mechanism m;

    (void)state;
    mechanism_open(&m, text, 0, NULL);
    for (int i = 0; i < FIXED_STEPS; i++) {
        run_smoothly(&m, fixed_steps[i], end, 0.01);
        CHECK_CLOSE(m.columns[0], rx, 1e-12, "force along x");
        CHECK_CLOSE(m.columns[1], ry, 1e-12, "force along y");
    }
    mechanism_close(&m);
}

/* Two bodies welded on each other and on the ground. */
static void welded_bodies_stand(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, -9.81, 1]\nbodies:\n"
        "  a: {kind: rigid, mass: 3, inertia: [0.1, 0.2, 0.15], centre_of_mass: [0.3, -0.5, 0]}\n"
        "  b: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.15], centre_of_mass: [0.3, -0.5, 0],\n"
        "      pose: {rotation: {axis: [1, 2, 3], angle: 1}}}\n"
        "joints: {pa: {kind: weld, ports: [ground.O, a.P]}, pb: {kind: weld, ports: [a.P, b.P]}}\n"
        "loads: {f: {force: [sin(4*t), 0, 0], at: b.P}}\noutputs: {r: {reaction: pa}}\n";
    const double end = 0.5, expected[3] = {-sin(4.0 * end), 5.0 * 9.81, -5.0};
    mechanism m;

    (void)state;
    mechanism_open(&m, text, 0, NULL);
    for (int i = 0; i < FIXED_STEPS; i++) {
        run_smoothly(&m, fixed_steps[i], end, 0.01);
        for (int k = 0; k < 3; k++)
            CHECK_CLOSE(m.columns[k], expected[k], 1e-11, "force %d", k);
    }
    mechanism_close(&m);
}

/* Four-bar mechanism; the crank turns by w sin(p (t - t0)) from t0 on, through w/p (1 - cos(p (t - t0))). */
static void a_drive_stands_still_first(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nground: {ports: {D: {position: [0.4, 0]}}}\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [0.05, 0], ports: {C: {position: [0.1, 0]}},\n"
        "      pose: {angle: 1}}\n"
        "  b: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [0.15, 0], ports: {C: {position: [0.3, 0]}},\n"
        "      pose: {position: [0.054, 0.084], angle: 0.5}}\n"
        "  c: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [0.1, 0], ports: {C: {position: [0.3, 0]}},\n"
        "      pose: {position: [0.4, 0], angle: 1.5}}\n"
        "joints:\n"
        "  m: {kind: revolute, ports: [ground.O, a.P], angle: 1, speed: \"3*step(t - 0.3)*sin(5*(t - 0.3))\"}\n"
        "  p: {kind: revolute, ports: [a.C, b.P]}\n  q: {kind: revolute, ports: [b.C, c.C]}\n"
        "  r: {kind: revolute, ports: [ground.D, c.P]}\noutputs: {turn: {coordinate: m}}\n";
    mechanism m;

    (void)state;
    mechanism_open(&m, text, 0, NULL);
    for (int i = 0; i < FIXED_STEPS; i++) {
        run_smoothly(&m, fixed_steps[i], 0.3, 0.01);
        CHECK_CLOSE(m.columns[0], 1.0, 1e-14, "angle of the crank that stands");
        run_smoothly(&m, fixed_steps[i], 1.0, 0.01);
        CHECK_CLOSE(m.columns[0], 1.0 + 0.6 * (1.0 - cos(5.0 * 0.7)), 1e-3, "angle of the crank at the end");
    }
    mechanism_close(&m);
}

/* Welded bodies, pulled apart, float. */
static void floating_bodies_stay(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  a: {kind: rigid, mass: 3, inertia: [0.1, 0.2, 0.15], ports: {Q: {position: [0.5, 0.1, 0.3]}}}\n"
        "  b: {kind: rigid, mass: 1, inertia: [0.1, 0.2, 0.15], pose: {position: [1, 0.7, 0.3]},\n"
        "      ports: {Q: {position: [-0.5, 0.1, 0.3]}}}\n"
        "joints: {w: {kind: weld, ports: [a.Q, b.P]}}\n"
        "loads: {f: {force: [3, 4, 1.3], at: a.Q}, g: {force: [-3, -4, -1.3], at: b.P}}\noutputs: {r: {reaction: w, "
        "frame: inertial}}\n";
    const double expected[3] = {3.0, 4.0, 1.3};
    mechanism m;

    (void)state;
    mechanism_open(&m, text, 0, NULL);
    for (int i = 0; i < FIXED_STEPS; i++) {
        run_smoothly(&m, fixed_steps[i], 0.5, 0.01);
        for (int k = 0; k < 3; k++)
            CHECK_CLOSE(m.columns[k], expected[k], 1e-12, "force %d", k);
    }
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_of_bodies_stands),
        cmocka_unit_test(welded_bodies_stand),
        cmocka_unit_test(a_drive_stands_still_first),
        cmocka_unit_test(floating_bodies_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
