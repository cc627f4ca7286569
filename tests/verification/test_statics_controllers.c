/* Equilibria with controllers that have states or are sampled, against closed forms; runs that start in one stay. */
#include "mechanism.h"

#include "linear/linear.h"

#include <stdlib.h>

/* A rigid arm, 2 kg at 0.4 m, inertia 0.1 kg m^2 about its centre of mass, at a hinge. */
static const double WEIGHT = 2.0 * 9.81 * 0.4, INERTIA = 0.1 + 2.0 * 0.4 * 0.4;
#define ARM                                                                                                            \
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                                                  \
    "bodies: {arm: {kind: rigid, mass: 2, inertia: 0.1, centre_of_mass: [0.4, 0]}}\n"
#define HINGE "joints: {j: {kind: revolute, ports: [ground.O, arm.P]}}\noutputs: {q: {coordinate: j}}\n"

static double angle(const mechanism *m)
{
    CHECK_OK(m->context, phx_system_outputs(m->dae, 0.0, m->x, m->v, m->columns));
    return m->columns[0];
}

/* The states of the controllers come last. */
static const double *states(const mechanism *m)
{
    return m->x + m->dae->n_x - phx_system_controller_states(m->system);
}

static void find(mechanism *m, const char *text, phx_static_report *report)
{
    const phx_static_options how = phx_static_options_default();

    mechanism_open(m, text, 0, NULL);
    CHECK_OK(m->context, phx_system_static(m->dae, &how, m->x, m->lambda, report));
    CHECK_BELOW(report->unbalanced, 1e-12 * report->weight, "forces out of balance");
}

/* 400 steps of the midpoint rule from the equilibrium. */
static void check_rest(mechanism *m, double step, double tolerance)
{
    phx_integrate_options run = phx_integrate_options_default();
    double *x = calloc((size_t)m->dae->n_x, sizeof *x);

    assert_non_null(x);
    memcpy(x, m->x, (size_t)m->dae->n_x * sizeof *x);
    memset(m->v, 0, (size_t)m->dae->n_v * sizeof *m->v);
    m->t = 0.0;
    run.integrator = PHX_MIDPOINT;
    run.step = step;
    run.end = 400.0 * step;
    mechanism_run(m, &run);
    CHECK_SMALL(mechanism_distance(m->x, x, m->dae->n_x), tolerance, "it moves");
    CHECK_SMALL(max_abs(m->dae->n_v, m->v), tolerance, "it gets velocities");
    free(x);
}

/* error = 0, the integral the torque of gravity */
static void an_integral_carries_the_weight(void **state)
{
    (void)state;
    const char *const kinds[] = {"", ", sample: 0.01", ", sample: 0.01, delay: 3", ", filter: 0.02, sample: 0.01"};
    for (int k = 0; k < 4; k++) {
        phx_static_report report;
        char text[1000];
        mechanism m;
        snprintf(text, sizeof text,
                 ARM HINGE "controllers: {pid: {kind: pid, measure: j, reference: 0.7, kp: 30, kd: %d, ki: 20, effort: "
                           "j%s}}\n",
                 k == 0 ? 5 : 1, kinds[k]);
        find(&m, text, &report);
        CHECK_CLOSE(angle(&m), 0.7, 1e-14, "angle, pid%s", kinds[k]);
        CHECK_RELATIVE(states(&m)[0], WEIGHT * cos(0.7), 1e-12, "integral, pid%s", kinds[k]);
        assert_int_equal(report.free_motions, 0);
        check_rest(&m, 0.005, 1e-12);
        mechanism_close(&m);
    }
}

/* The tip of a flexible arm is held by a torque at its hinge, with a derivative by a filter: no potential. */
static void an_integral_holds_what_it_is_far_from(void **state)
{
    (void)state;
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nmaterials: {m: {density: 2700, young: 7e9}}\nbodies:\n"
        "  arm: {kind: beam, material: m, length: 1, elements: 3, reference: cantilever,\n"
        "        section: {kind: rectangle, width: 0.03, height: 0.01}}\n"
        "  bob: {kind: rigid, mass: 0.5, inertia: 1e-3, pose: {position: [1, 0]}}\n"
        "joints: {j: {kind: revolute, ports: [ground.O, arm.P]}, w: {kind: weld, ports: [arm.C, bob.P]}}\n"
        "outputs: {tip: {position: bob.P}}\n"
        "controllers: {pid: {kind: pid, measure: tip.y, reference: 0.3, kp: 100, kd: 5, ki: 50, filter: 0.01,\n"
        "                    effort: j}}\n";
    phx_static_report report;
    mechanism m;

    find(&m, text, &report);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, m.columns));
    CHECK_CLOSE(m.columns[1], 0.3, 1e-13, "height of the tip");
    CHECK_SMALL(states(&m)[1], 1e-13, "the filter has the error");
    check_rest(&m, 1e-4, 1e-10);
    mechanism_close(&m);
}

/* Three links hang; a torque at the second joint holds the height of the tip: far from any equilibrium of the start,
 * with a stiffness whose symmetric part is negative. The search ends at one. */
static void a_height_is_held_from_afar(void **state)
{
    (void)state;
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [0.2, 0], ports: {C: {position: [0.4, 0]}}}\n"
        "  b: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [0.2, 0], ports: {C: {position: [0.4, 0]}},\n"
        "      pose: {position: [0.4, 0]}}\n"
        "  c: {kind: rigid, mass: 0.3, inertia: 0.01, centre_of_mass: [0.2, 0], ports: {C: {position: [0.4, 0]}},\n"
        "      pose: {position: [0.8, 0]}}\n"
        "joints:\n"
        "  i: {kind: revolute, ports: [ground.O, a.P], stiffness: 20, damping: 1}\n"
        "  j: {kind: revolute, ports: [a.C, b.P], damping: 1}\n"
        "  k: {kind: revolute, ports: [b.C, c.P], stiffness: 1, damping: 1}\n"
        "outputs: {tip: {position: c.C}, q: {coordinate: j}}\n"
        "controllers: {pid: {kind: pid, measure: tip.y, reference: -0.35, kp: 20, kd: 5, ki: 10, filter: 0.05,\n"
        "                    effort: j}}\n";
    phx_static_report report;
    mechanism m;

    find(&m, text, &report);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, m.columns));
    CHECK_CLOSE(m.columns[1], -0.35, 1e-12, "height of the tip");
    mechanism_close(&m);
}

/* z = -A^-1 B y, u = (D - C A^-1 B) y = (-3 + C (2/3, 4/3)) y; sampled: z = (I - A)^-1 B y */
static void a_state_space_rests_at_its_gain(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "A: [[-2, 1], [0, -3]], B: [[0], [4]], C: [[-20, 1]], D: [[-3]]",
        "A: [[0.5, 0.2], [0, 0.4]], B: [[0], [1]], C: [[-20, 1]], D: [[-3]], sample: 0.01"};
    const double z0[] = {2.0 / 3.0, 2.0 / 3.0}, z1[] = {4.0 / 3.0, 5.0 / 3.0};
    for (int k = 0; k < 2; k++) {
        phx_static_report report;
        char text[1000];
        mechanism m;
        snprintf(text, sizeof text,
                 ARM "joints: {j: {kind: revolute, ports: [ground.O, arm.P], stiffness: 5}}\n"
                     "outputs: {q: {coordinate: j}}\n"
                     "controllers: {c: {kind: state_space, %s, inputs: [j.coordinate], outputs: [j.effort]}}\n",
                 laws[k]);
        find(&m, text, &report);
        const double q = angle(&m), gain = -3.0 - 20.0 * z0[k] + z1[k];
        CHECK_RELATIVE(states(&m)[0], z0[k] * q, 1e-12, "first state");
        CHECK_RELATIVE(states(&m)[1], z1[k] * q, 1e-12, "second state");
        CHECK_SMALL((gain - 5.0) * q - WEIGHT * cos(q), 1e-11, "torques");
        check_rest(&m, 0.005, 1e-12);
        mechanism_close(&m);
    }
}

/* An absorber rests relaxed; an integrated rate is a spring from where the start is. */
static void port_hamiltonian_blocks_rest(void **state)
{
    (void)state;
    static const char rail[] = "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                               "bodies: {m: {kind: rigid, mass: 2, inertia: 0.1}}\n"
                               "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [0, 1], stiffness: 100}}\n"
                               "outputs: {q: {coordinate: j}}\n";
    phx_static_report report;
    char text[1000];
    mechanism m;

    snprintf(text, sizeof text,
             "%scontrollers: {c: {kind: port_hamiltonian, J: [[0, 1], [-1, 0]], R: [[0, 0], [0, 0.3]], Q: [[40, 0], "
             "[0, 5]], B: [[1], [0]], ports: [j.effort], initial: [0.02, 0.1]}}\n",
             rail);
    find(&m, text, &report);
    CHECK_CLOSE(angle(&m), -2.0 * 9.81 / 100.0, 1e-14, "the mass hangs in its spring");
    CHECK_SMALL(states(&m)[0], 1e-14, "spring of the absorber");
    CHECK_SMALL(states(&m)[1], 1e-14, "momentum of the absorber");
    check_rest(&m, 0.01, 1e-12);
    mechanism_close(&m);

    snprintf(text, sizeof text,
             "%scontrollers: {c: {kind: port_hamiltonian, J: [[0]], R: [[0]], Q: [[60]], B: [[1]], ports: [j.effort], "
             "initial: [0.01]}}\n",
             rail);
    find(&m, text, &report);
    const double q = -(2.0 * 9.81 + 60.0 * 0.01) / 160.0; /* 100 q + 60 (q + 0.01) = -m g */
    CHECK_CLOSE(angle(&m), q, 1e-13, "between two springs");
    CHECK_CLOSE(states(&m)[0], q + 0.01, 1e-13, "Casimir");
    check_rest(&m, 0.01, 1e-12);
    mechanism_close(&m);
}

/* At a limit an anti-windup stops the integral, where u = limit and a (limit - u) = ki e. */
static void an_integral_at_its_limit(void **state)
{
    (void)state;
    phx_static_report report;
    phx_static_options how = phx_static_options_default();
    mechanism m;

    find(&m,
         ARM "joints: {j: {kind: revolute, ports: [ground.O, arm.P], stiffness: 5}}\noutputs: {q: {coordinate: j}}\n"
             "controllers: {pid: {kind: pid, measure: j, reference: 0.7, kp: 30, kd: 5, ki: 20, effort: j, limit: [-6, "
             "6], anti_windup: 4}}\n",
         &report);
    const double q = angle(&m), e = q - 0.7;
    CHECK_SMALL(6.0 - 5.0 * q - WEIGHT * cos(q), 1e-12, "torques");
    CHECK_CLOSE(4.0 * (6.0 - (states(&m)[0] - 30.0 * e)), 20.0 * e, 1e-10, "integral");
    phx_mode_set set = {0}; /* beyond the limit the torque is given: the hinge's spring alone, and the integral's -a */
    CHECK_OK(m.context, phx_closed_modes(m.context, m.dae, 0.0, m.x, 0, NULL, &set));
    assert_int_equal(set.count, 2);
    CHECK_CLOSE(set.im[1], sqrt((5.0 - WEIGHT * sin(q)) / INERTIA), 1e-9, "frequency at the limit");
    CHECK_SMALL(set.re[1], 1e-9, "no damping at the limit");
    CHECK_CLOSE(set.re[0], -4.0, 1e-9, "the integral follows the limit");
    phx_mode_set_free(&set);
    check_rest(&m, 0.005, 1e-12);
    mechanism_close(&m);

    mechanism_open(&m,
                   ARM "joints: {j: {kind: revolute, ports: [ground.O, arm.P], stiffness: 5}}\n"
                       "controllers: {pid: {kind: pid, measure: j, reference: 0.7, kp: 30, kd: 5, ki: 20, effort: j, "
                       "limit: [-6, 6], anti_windup: 0}}\n",
                   0, NULL);
    CHECK_STATUS(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(m.context, "controller 'pid' does not come to rest");
    CHECK_MESSAGE(m.context, "anti_windup");
    mechanism_close(&m);
}

static void an_integral_that_acts_elsewhere_is_refused(void **state)
{
    (void)state;
    const phx_static_options how = phx_static_options_default();
    phx_static_report report;
    mechanism m;

    mechanism_open(&m,
                   "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                   "  arm: {kind: rigid, mass: 2, inertia: 0.1, centre_of_mass: [0.4, 0]}\n"
                   "  cart: {kind: rigid, mass: 1, inertia: 1}\njoints:\n"
                   "  j: {kind: revolute, ports: [ground.O, arm.P], stiffness: 50}\n"
                   "  rail: {kind: prismatic, ports: [ground.O, cart.P], axis: [1, 0], stiffness: 100}\n"
                   "controllers:\n"
                   "  good: {kind: pid, measure: j, reference: 0.1, kp: 30, ki: 20, effort: j}\n"
                   "  wind: {kind: pid, measure: j, reference: 0.7, kp: 30, ki: 20, effort: rail}\n",
                   0, NULL);
    CHECK_STATUS(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(m.context, "controller 'wind' does not come to rest: its state z1");
    CHECK_MESSAGE(m.context, "ki: 0");
    mechanism_close(&m);
}

static void paths_are_refused_by_name(void **state)
{
    (void)state;
    const phx_path_options path = phx_path_options_default();
    phx_static_report report;
    phx_critical_load critical;
    double linear;
    int found, n_linear;
    mechanism m;

    mechanism_open(&m, ARM HINGE "controllers: {pid: {kind: pid, measure: j, kp: 30, ki: 20, effort: j}}\n", 0, NULL);
    CHECK_STATUS(m.context, phx_system_static_path(m.dae, &path, m.x, m.lambda, &report), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(m.context, "controller 'pid' has states");
    CHECK_STATUS(m.context, phx_system_buckling(m.dae, 0.0, m.x, 1, &critical, NULL, &found, &linear, &n_linear),
                 PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(m.context, "controller 'pid' has states");
    mechanism_close(&m);
}

/* I q'' = -m g a cos q + u: s^3 I + s^2 kd + s (kp - m g a sin 0.7) + ki = 0 */
static void poles_about_the_equilibrium_are_those_by_hand(void **state)
{
    (void)state;
    const char *const text =
        ARM HINGE "controllers: {pid: {kind: pid, measure: j, reference: 0.7, kp: 30, kd: 5, ki: 20, effort: j}}\n";
    const double kp = 30.0 - WEIGHT * sin(0.7);
    phx_static_report report;
    phx_mode_set set = {0};
    mechanism m;

    find(&m, text, &report);
    CHECK_OK(m.context, phx_closed_modes(m.context, m.dae, 0.0, m.x, 0, NULL, &set));
    assert_int_equal(set.count, 2); /* a pair and a real one */
    for (int k = 0; k < set.count; k++) {
        const double re = set.re[k], im = set.im[k];
        const double s2_re = re * re - im * im, s2_im = 2.0 * re * im;
        const double s3_re = s2_re * re - s2_im * im, s3_im = s2_re * im + s2_im * re;
        CHECK_SMALL(INERTIA * s3_re + 5.0 * s2_re + kp * re + 20.0, 1e-9, "pole %d", k + 1);
        CHECK_SMALL(INERTIA * s3_im + 5.0 * s2_im + kp * im, 1e-9, "pole %d", k + 1);
    }
    phx_mode_set_free(&set);
    mechanism_close(&m);
}

/* m s^2 + 100 s + c = 0 of a slide that a controller pulls or pushes at, softly, beside a spring of 1e8 N/m between two
 * masses: its slow root, of 2e-8 of the largest, is no rigid motion, and where it grows the mechanism diverges. */
static void a_slow_root_is_no_rigid_motion(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double c = k == 0 ? 0.02 : -0.02;
        char text[800];
        phx_static_report report;
        phx_stability found = {0};
        phx_mode_set set = {0};
        mechanism m;
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\n"
                 "bodies: {block: {kind: rigid, mass: 2, inertia: 0.01}, tool: {kind: rigid, mass: 1, inertia: 0.01}}\n"
                 "joints:\n"
                 "  slide: {kind: prismatic, ports: [ground.O, block.P], axis: [1, 0], damping: 100}\n"
                 "  stiff: {kind: prismatic, ports: [block.P, tool.P], axis: [1, 0], stiffness: 1e8}\n"
                 "controllers: {pull: {kind: expression, efforts: {slide.effort: \"%g*y(slide.coordinate)\"}}}\n",
                 -c);
        find(&m, text, &report);
        CHECK_OK(m.context, phx_closed_modes(m.context, m.dae, 0.0, m.x, 0, NULL, &set));
        assert_int_equal(set.count, 3); /* and 100 N s/m over 3 kg, and the pair of the spring */
        CHECK_RELATIVE(set.re[0], -c / 100.0, 1e-4, "slow root");
        CHECK_OK(m.context, phx_linear_stability(m.dae, 0.0, m.x, m.lambda, &found));
        assert_int_equal(found.divergent, k);
        phx_mode_set_free(&set);
        mechanism_close(&m);
    }
}

/* A controller between two bodies that fly freely leaves all six rigid motions, however rounding parts their double
 * roots. */
static void free_motions_beside_a_controller_are_counted(void **state)
{
    (void)state;
    const char *const text =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  hub: {kind: rigid, mass: 20, inertia: [1, 2, 1.5], ports: {A: {position: [0.3, 0.1, 0.2]}}}\n"
        "  arm: {kind: rigid, mass: 2, inertia: [0.1, 0.3, 0.35], centre_of_mass: [0.5, 0.1, 0],\n"
        "        pose: {position: [0.3, 0.1, 0.2]}}\n"
        "joints: {j: {kind: revolute, ports: [hub.A, arm.P], axis: [0.2, -0.5, 1]}}\n"
        "controllers: {c: {kind: pid, measure: j, effort: j, kp: 30, kd: 2, ki: 5}}\n";
    phx_static_report report;
    phx_mode_set set = {0};
    mechanism m;

    find(&m, text, &report);
    CHECK_OK(m.context, phx_closed_modes(m.context, m.dae, 0.0, m.x, 0, NULL, &set));
    assert_int_equal(set.rigid, 6);
    assert_int_equal(set.count, 2); /* of I s^3 + kd s^2 + kp s + ki */
    phx_mode_set_free(&set);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integral_carries_the_weight),
        cmocka_unit_test(an_integral_holds_what_it_is_far_from),
        cmocka_unit_test(a_height_is_held_from_afar),
        cmocka_unit_test(a_state_space_rests_at_its_gain),
        cmocka_unit_test(port_hamiltonian_blocks_rest),
        cmocka_unit_test(an_integral_at_its_limit),
        cmocka_unit_test(an_integral_that_acts_elsewhere_is_refused),
        cmocka_unit_test(paths_are_refused_by_name),
        cmocka_unit_test(poles_about_the_equilibrium_are_those_by_hand),
        cmocka_unit_test(a_slow_root_is_no_rigid_motion),
        cmocka_unit_test(free_motions_beside_a_controller_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
