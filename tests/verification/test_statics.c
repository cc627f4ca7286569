/* Equilibria of whole models: modes about one against small motions in a simulation, runs that start in one, critical
 * loads and paths of columns and arches against closed forms. */
#include "mechanism.h"

#include "linear/linear.h"
#include "study/study.h"

#include <stdlib.h>

enum { MOST = 256 };

/* ---- modes about an equilibrium ---- */
/* Two elastic links and a bob, sketched far from where they hang beside a spring. */
static const char *const hanging = "phlexor: 1\n"
                                   "dimension: 2\n"
                                   "gravity: [0, -9.81]\n"
                                   "materials: {m: {density: 1000, young: 2e8}}\n"
                                   "ground: {ports: {G: {position: [0.6, 0]}}}\n"
                                   "bodies:\n"
                                   "  a: {kind: beam, material: m, length: 0.5, elements: 2, reference: cantilever,\n"
                                   "      section: {kind: circle, diameter: 0.02}, pose: {angle: 0.3}}\n"
                                   "  b: {kind: beam, material: m, length: 0.4, elements: 2, reference: cantilever,\n"
                                   "      section: {kind: circle, diameter: 0.02}, pose: {position: [0.5, 0.1]}}\n"
                                   "  bob: {kind: rigid, mass: 0.3, inertia: 1e-3, pose: {position: [0.9, 0.1]}}\n"
                                   "joints:\n"
                                   "  j1: {kind: revolute, ports: [ground.O, a.P]}\n"
                                   "  j2: {kind: revolute, ports: [a.C, b.P]}\n"
                                   "  j3: {kind: weld, ports: [b.C, bob.P]}\n"
                                   "springs: {s: {ports: [ground.G, bob.P], stiffness: 12, length: 0.3}}\n";

/* far: how far, at least, the equilibrium is from the poses as written. */
static void check_small_motions(const char *text, double far)
{
    const double small = 1e-7;
    phx_static_options how = phx_static_options_default();
    phx_modes_options wanted = phx_modes_options_default();
    phx_integrate_options run = phx_integrate_options_default();
    phx_static_report report;
    phx_linear linear = {0};
    phx_mode_set set = {0};
    phx_modal *modal = NULL;
    mechanism m;

    mechanism_open(&m, text, 0, NULL);
    CHECK_OK(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report));
    assert_int_equal(report.unstable, 0);
    CHECK_BETWEEN(report.moved, far, 4.0, "from the sketch");
    wanted.count = 3;
    CHECK_OK(m.context, phx_system_linear(m.dae, 0.0, m.x, m.lambda, &linear));
    CHECK_OK(m.context, phx_modal_create(m.context, &modal));
    CHECK_OK(m.context, phx_modal_solve(modal, &linear, &wanted, &set));
    const int n_x = m.dae->n_x, n_v = m.dae->n_v;
    double *rest = calloc((size_t)(2 * n_x + n_v), sizeof *rest);
    double *moved = rest + n_x, *xi = moved + n_x;
    assert_non_null(rest);
    memcpy(rest, m.x, (size_t)n_x * sizeof *rest);
    run.integrator = PHX_GAUSS6;
    for (int mode = 0; mode < 3; mode++) {
        const double *shape = set.shapes + (size_t)mode * (size_t)n_v, period = 2.0 * TEST_PI / set.omega[mode];
        m.t = 0.0;
        memset(m.v, 0, (size_t)n_v * sizeof *m.v);
        memcpy(m.x, rest, (size_t)n_x * sizeof *rest);
        for (int b = 0; b < phx_system_bodies(m.system); b++) {
            int x, v;
            phx_system_offsets(m.system, b, &x, &v);
            phx_body_displace(phx_system_body(m.system, b), small, shape + v, m.x + x);
        }
        run.end = 0.75 * period; /* all of the shape is rate: q = cos(omega t), q' = -omega sin(omega t) */
        run.step = period / 400.0;
        mechanism_run(&m, &run);
        for (int i = 0; i < n_x; i++)
            moved[i] = m.x[i] - rest[i];
        m.dae->ops->tangent(m.dae, rest, moved, xi);
        double size = max_abs(n_v, shape);
        for (int i = 0; i < n_v; i++) {
            CHECK_CLOSE(xi[i] / small, 0.0, 2e-5 * size, "mode %d, place %d after three quarters", mode + 1, i);
            CHECK_CLOSE(m.v[i] / (small * set.omega[mode]), shape[i], 2e-5 * size, "mode %d, rate %d", mode + 1, i);
        }
    }
    free(rest);
    phx_mode_set_free(&set);
    phx_modal_destroy(modal);
    phx_linear_free(&linear);
    mechanism_close(&m);
}

static void modes_about_an_equilibrium_are_small_motions(void **state)
{
    (void)state;
    check_small_motions(hanging, 0.5);
}

/* A mechanism that floats about a spring: two motions that nothing holds. */
static const char floating[] =
    "phlexor: 1\ndimension: 2\ngravity: [0, 0]\nmaterials: {soft: {density: 1500, young: 2e8, poisson: 0.3}}\nbodies:\n"
    "  b0: {kind: rod, material: soft, length: 0.852, elements: 1,\n"
    "       section: {kind: rectangle, width: 0.035, height: 0.03}}\n"
    "  b2: {kind: beam, pose: {position: [0.852, 0], guess: true}, material: soft, length: 0.845, elements: 3,\n"
    "       section: {kind: rectangle, width: 0.022, height: 0.034}, reference: simply_supported, order: 5}\n"
    "  b3: {kind: rigid, pose: {position: [1.697, 0], guess: true}, mass: 2.893, inertia: 0.046,\n"
    "       centre_of_mass: [-0.097, -0.02]}\n"
    "  b4: {kind: rigid, mass: 1.024, inertia: 0.074, centre_of_mass: [0.013, -0.155],\n"
    "       ports: {Q: {position: [0.326, -0.28]}, far: {position: [2, 3]}}}\n"
    "joints:\n"
    "  j0: {kind: free, ports: [ground.O, b0.P]}\n"
    "  j2: {kind: prismatic, ports: [b0.C, b2.P], axis: [0.485, 1], stiffness: 40}\n"
    "  j3: {kind: revolute, ports: [b2.C, b3.P], stiffness: 40}\n"
    "  j4: {kind: prismatic, ports: [ground.O, b4.P], axis: [0.555, 1], stiffness: 40}\n"
    "springs: {s: {ports: [b0.C, b4.Q], stiffness: 40, length: 0.3}}\n";

/* The lowest `count` frequencies about the equilibrium; its x, at most `room`. */
static void find_floating(bool measured, int count, double *omega, int room, double *x)
{
    const phx_static_options how = phx_static_options_default();
    phx_modes_options wanted = phx_modes_options_default();
    phx_static_report report;
    phx_linear linear = {0};
    phx_mode_set set = {0};
    phx_modal *modal = NULL;
    char text[2000];
    mechanism m;

    snprintf(text, sizeof text, "%s%s", floating, measured ? "outputs: {o: {position: b4.far}}\n" : "");
    mechanism_open(&m, text, 0, NULL);
    CHECK_OK(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report));
    assert_int_equal(report.method, PHX_STATIC_DESCENT);
    assert_int_equal(report.free_motions, 2);
    CHECK_BELOW(report.unbalanced, 1e-10 * report.weight, "forces out of balance");
    wanted.count = count;
    CHECK_OK(m.context, phx_system_linear(m.dae, 0.0, m.x, m.lambda, &linear));
    CHECK_OK(m.context, phx_modal_create(m.context, &modal));
    CHECK_OK(m.context, phx_modal_solve(modal, &linear, &wanted, &set));
    assert_int_equal(set.count, count);
    memcpy(omega, set.omega, (size_t)count * sizeof *omega);
    memcpy(x, m.x, (size_t)(m.dae->n_x < room ? m.dae->n_x : room) * sizeof *x);
    phx_mode_set_free(&set);
    phx_modal_destroy(modal);
    phx_linear_free(&linear);
    mechanism_close(&m);
}

/* An output at a port far away makes the mechanism larger, and the steps of the search others. */
static void of_a_family_every_search_finds_the_same(void **state)
{
    enum { COUNT = 6, ROOM = 5 };
    double omega[2][COUNT], x[2][ROOM];

    (void)state;
    for (int k = 0; k < 2; k++)
        find_floating(k == 1, COUNT, omega[k], ROOM, x[k]);
    for (int i = 0; i < ROOM; i++)
        CHECK_CLOSE(x[1][i], x[0][i], 1e-9, "place %d of the rod", i);
    for (int k = 0; k < COUNT; k++)
        CHECK_RELATIVE(omega[1][k], omega[0][k], 1e-9, "frequency %d", k + 1);
}

/* The corrections that are rounding have no part along what is free. */
static void an_equilibrium_is_found_where_it_is(void **state)
{
    enum { COUNT = 6, ROOM = 5 };
    const phx_static_options how = phx_static_options_default();
    double omega[COUNT], x[ROOM];
    phx_static_report report;
    mechanism m;

    (void)state;
    find_floating(false, COUNT, omega, ROOM, x);
    mechanism_open(&m, floating, 0, NULL);
    for (int again = 0; again < 3; again++) {
        CHECK_OK(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report));
        for (int i = 0; i < ROOM; i++)
            CHECK_CLOSE(m.x[i], x[i], 1e-12, "place %d, search %d", i, again);
    }
    mechanism_close(&m);
}

/* A force that follows and a torque in space, which have no potential: K is not symmetric. */
static void modes_know_loads_without_a_potential(void **state)
{
    (void)state;
    check_small_motions("phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
                        "materials: {soft: {density: 1500, young: 2e8, poisson: 0.3}}\nbodies:\n"
                        "  a: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.15], ports: {C: {position: [0.4, 0, 0]}}}\n"
                        "  b: {kind: beam, material: soft, length: 0.8, elements: 3, reference: cantilever,\n"
                        "      pose: {position: [0.4, 0, 0]},\n"
                        "      section: {kind: rectangle, width: 0.04, height: 0.05}}\n"
                        "joints:\n"
                        "  p: {kind: universal, ports: [ground.O, a.P], axes: [[0, 1, 0], [0, 0, 1]],\n"
                        "      stiffness: [90, 60]}\n"
                        "  w: {kind: weld, ports: [a.C, b.P]}\n"
                        "loads:\n"
                        "  f: {force: [-20, 3, 0], at: b.C, frame: body}\n"
                        "  t: {torque: [2, -1, 3], at: b.C}\n",
                        0.2);
}

/* The modes about the equilibrium under a load p that has no potential. */
static void find_modes(const char *text, double p, phx_mode_set *set, phx_stability *motions)
{
    phx_static_options how = phx_static_options_default();
    const phx_modes_options options = phx_modes_options_default();
    char value[40];
    phx_static_report report;
    phx_linear linear = {0};
    phx_modal *modal = NULL;
    mechanism m;

    snprintf(value, sizeof value, "%.17g", p);
    mechanism_open(&m, text, 1, &(phx_model_override){.name = "p", .expression = value});
    how.stability = phx_linear_stability;
    CHECK_OK(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report));
    assert_true(report.circulatory && report.judged);
    assert_int_equal(report.unstable, report.motions.divergent + report.motions.fluttering);
    *motions = report.motions;
    CHECK_OK(m.context, phx_system_linear(m.dae, 0.0, m.x, m.lambda, &linear));
    CHECK_OK(m.context, phx_modal_create(m.context, &modal));
    CHECK_OK(m.context, phx_modal_solve(modal, &linear, &options, set));
    phx_modal_destroy(modal);
    phx_linear_free(&linear);
    mechanism_close(&m);
}

/* A double pendulum with torsion springs c under a force p that follows its second link, l = 1: with the masses 2 and 1
 * and the inertias J at the ends of the links
 *
 *     M = [3 + J  1; 1  1 + J] ,   K = [2c - p  p - c; -c  c] ,   omega^2 = (B +- sqrt(B^2 - 4 A c^2))/(2A) ,
 *
 * A = det M, B = (2c - p)(1 + J) + c(3 + J) - p + 2c. J = 0: flutter at p = (7/2 - sqrt 2) c (H. Ziegler, 1952). */
static void zieglers_pendulum_flutters(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nparameters: {p: 0}\nbodies:\n"
        "  a: {kind: rigid, mass: 2, inertia: 0.01, centre_of_mass: [1, 0], ports: {C: {position: [1, 0]}}}\n"
        "  b: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [1, 0], ports: {C: {position: [1, 0]}},\n"
        "      pose: {position: [1, 0]}}\njoints:\n"
        "  p: {kind: revolute, ports: [ground.O, a.P], stiffness: 5}\n"
        "  q: {kind: revolute, ports: [a.C, b.P], stiffness: 5}\n"
        "loads: {f: {force: [-p, \"0\"], at: b.C, frame: body}}\n";
    const double c = 5.0, J = 0.01, A = (3.0 + J) * (1.0 + J) - 1.0;

    (void)state;
    for (double p = 1.0; p < 45.0; p += p < 12.0 ? 1.1 : 15.0) { /* flutter from 10.5, divergence both ways from 29 */
        const double B = (2.0 * c - p) * (1.0 + J) + c * (3.0 + J) - p + 2.0 * c, D = B * B - 4.0 * A * c * c;
        phx_mode_set set = {0};
        phx_stability motions;
        find_modes(text, p, &set, &motions);
        assert_int_equal(motions.fluttering, D < 0.0);
        assert_int_equal(motions.divergent, B < 0.0 && D > 0.0 ? 2 : 0);
        if (B < 0.0 && D > 0.0) {
            CHECK_CLOSE(motions.growth, sqrt((sqrt(D) - B) / (2.0 * A)), 1e-9, "divergence at p = %g", p);
            CHECK_CLOSE(motions.frequency, 0.0, 0.0, "divergence at p = %g", p);
            phx_mode_set_free(&set);
            continue;
        }
        assert_int_equal(set.count, 2);
        assert_int_equal(set.unstable, D < 0.0);
        for (int k = 0; k < 2; k++) {
            const double omega = D < 0.0 ? sqrt(c / sqrt(A)) : sqrt((B + (k ? 1.0 : -1.0) * sqrt(D)) / (2.0 * A));
            CHECK_CLOSE(set.omega[k], omega, 1e-9, "mode %d at p = %g", k + 1, p);
        }
        if (D < 0.0) { /* omega^2 = r exp(i a), cos a = B/(2 sqrt(A) c): lambda = i sqrt(r) exp(i a/2) */
            const double damping = sin(0.5 * acos(B / (2.0 * sqrt(A) * c)));
            CHECK_CLOSE(fabs(set.damping[0]), damping, 1e-9, "growth at p = %g", p);
            CHECK_CLOSE(motions.growth, damping * set.omega[0], 1e-9, "growth at p = %g", p);
            CHECK_CLOSE(motions.frequency, sqrt(1.0 - damping * damping) * set.omega[0], 1e-9, "at p = %g", p);
        }
        phx_mode_set_free(&set);
    }
}

static const char beck[] =
    "phlexor: 1\ndimension: 2\nparameters: {p: 0}\nmaterials: {steel: {density: 1000, young: 1.2e11}}\nbodies:\n"
    "  b: {kind: rod, shear: rigid, material: steel, length: 1, elements: 16,\n"
    "      section: {kind: rectangle, width: 0.01, height: 0.01}}\n"
    "joints: {w: {kind: weld, ports: [ground.O, b.P]}}\n"
    "loads: {f: {force: [-100*p, \"0\"], at: b.C, frame: body}}\n"; /* EI = 100 */

/* The column clamped at its foot under a force that follows its end flutters at 20.051 EI/L^2 (M. Beck, 1952). */
static void becks_column_flutters(void **state)
{
    double low = 19.0, high = 21.0;

    (void)state;
    while (high - low > 1e-3) {
        const double p = 0.5 * (low + high);
        phx_mode_set set = {0};
        phx_stability motions;
        find_modes(beck, p, &set, &motions);
        if (fabs(p - 20.051) > 0.02)
            assert_int_equal(motions.fluttering > 0, set.unstable > 0);
        assert_int_equal(motions.divergent, 0);
        *(motions.fluttering ? &high : &low) = p;
        phx_mode_set_free(&set);
    }
    CHECK_CLOSE(0.5 * (low + high), 20.051, 5e-3, "flutter load");
}

/* A rod that stands on its hinge, 2 kg at 0.5 m, under a force that follows it and does no work:
 * it diverges, and left it hangs. */
static void what_diverges_is_left(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  a: {kind: rigid, mass: 2, inertia: 0.1, centre_of_mass: [0.5, 0], pose: {angle: pi/2}}\n"
        "joints: {j: {kind: revolute, ports: [ground.O, a.P], damping: 0.3}}\n"
        "loads: {f: {force: [2, \"0\"], at: a.P, frame: body}}\n"; /* at the hinge: it does no work */
    phx_static_options how = phx_static_options_default();
    phx_static_report report;
    mechanism m;

    (void)state;
    how.stability = phx_linear_stability;
    mechanism_open(&m, text, 0, NULL);
    CHECK_OK(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report));
    assert_true(report.circulatory && report.judged);
    assert_int_equal(report.motions.divergent, 1);
    assert_int_equal(report.motions.fluttering, 0);
    const double inertia = 0.1 + 0.5, k = 2.0 * 9.81 * 0.5; /* I s^2 + 0.3 s - k = 0 */
    CHECK_RELATIVE(report.motions.growth, (-0.3 + sqrt(0.09 + 4.0 * inertia * k)) / (2.0 * inertia), 1e-9,
                   "divergence");
    how.stable = true;
    CHECK_OK(m.context, phx_system_static(m.dae, &how, m.x, m.lambda, &report));
    assert_int_equal(report.unstable, 0);
    assert_int_equal(report.motions.judged, 1);
    CHECK_CLOSE(report.moved, TEST_PI, 1e-6, "it hangs");
    mechanism_close(&m);
}

/* ---- a run from an equilibrium ---- */
static void a_run_from_an_equilibrium_stays(void **state)
{
    (void)state;
    const phx_start_options start = {.equilibrium = true};
    phx_integrate_options run = phx_integrate_options_default();
    mechanism m;

    mechanism_open(&m, hanging, 0, NULL);
    CHECK_OK(m.context, phx_system_start(m.system, &start, m.x, m.v, m.lambda));
    run.end = 0.5;
    run.step = 1e-3;
    mechanism_run(&m, &run);
    CHECK_SMALL(m.largest_kinetic, 1e-22, "kinetic energy");
    mechanism_close(&m);
}

/* Where springs alone hold a body no multiplier says how large the forces are that balance: a beam on two springs, soft
 * and stiff, and a body in space that six springs along its free coordinates hold. */
static void bodies_on_springs_rest(void **state)
{
    static const char beam[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {k: 200}\n"
        "materials: {steel: {density: 7800, young: 2.1e11}}\n"
        "ground: {ports: {A: {position: [-0.1, 0]}, B: {position: [1.1, 0.05]}}}\nbodies:\n"
        "  b: {kind: beam, material: steel, length: 1, section: {kind: rectangle, width: 0.01, height: 0.01},\n"
        "      reference: simply_supported, pose: {position: [0, -0.5]}}\nsprings:\n"
        "  p: {ports: [ground.A, b.P], stiffness: k, length: 0.4}\n"
        "  c: {ports: [ground.B, b.C], stiffness: 1.5*k, length: 0.4}\n";
    static const char modal[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nparameters: {k: 200}\nbodies:\n"
        "  b: {kind: modal, mass: 1.3, centre_of_mass: [-0.17, -0.04, 0.17], inertia: [0.18, 0.177, 0.122],\n"
        "      modes: [{frequency: 7.5, translation: [0.18, -0.19, 0.06], rotation: [-0.02, -0.02, -0.03]}]}\n"
        "joints: {j: {kind: free, ports: [ground.O, b.P], stiffness: [k, 1.2*k, 1.4*k, k, k, 2*k]}}\n";
    static const struct {
        const char *text, *stiffness; /* N/m, N m/rad */
    } cases[] = {{beam, "200"}, {beam, "2e4"}, {beam, "2e6"}, {modal, "40"}, {modal, "4e4"}};
    static const phx_integrator methods[] = {PHX_MIDPOINT, PHX_MIDPOINT4, PHX_GAUSS4, PHX_GAUSS6, PHX_RADAU5};
    const phx_start_options start = {.equilibrium = true};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            const phx_model_override set = {.name = "k", .expression = cases[i].stiffness};
            const phx_integrate_options run = {.integrator = methods[k], .end = 0.05, .step = 1e-3};
            mechanism m;
            mechanism_open(&m, cases[i].text, 1, &set);
            CHECK_OK(m.context, phx_system_start(m.system, &start, m.x, m.v, m.lambda));
            mechanism_run(&m, &run);
            CHECK_SMALL(m.largest_kinetic, 1e-22, "kinetic energy of %s, case %zu", phx_integrator_name(methods[k]), i);
            mechanism_close(&m);
        }
}

/* ---- columns and arches ---- */
typedef struct study {
    phx_context *context;
    phx_model *model;
    phx_study_static_options options;
    phx_study_static_report report;
    phx_result *result;
} study;

static void study_open(const char *text, int n_set, const phx_model_override *set, study *it)
{
    *it = (study){.options = phx_study_static_options_default()};
    CHECK_OK(NULL, phx_context_create(&it->context));
    if (strchr(text, '\n'))
        CHECK_OK(it->context,
                 phx_model_read_text(it->context, "test.yaml", text, strlen(text), n_set, set, &it->model));
    else
        CHECK_OK(it->context, phx_model_read(it->context, text, n_set, set, &it->model));
}

static void study_run(study *it)
{
    CHECK_OK(it->context, phx_study_static(it->context, it->model, &it->options, &it->report, &it->result));
    CHECK_BELOW(it->report.found.unbalanced, 1e-10 * it->report.found.weight, "forces out of balance");
}

static double *study_column(const study *it, const char *name)
{
    const int column = phx_result_column_find(it->result, name);
    double *values = calloc(it->report.rows, sizeof *values);
    assert_true(column >= 0);
    assert_non_null(values);
    CHECK_OK(it->context, phx_result_column(it->result, column, 0, it->report.rows, values));
    return values;
}

static void study_close(study *it)
{
    phx_result_destroy(it->result);
    phx_model_destroy(it->model);
    phx_context_destroy(it->context);
}

/* Euler's columns, EI = 1, L = 1, pieces welded: clamped and free, pi^2/4; the error falls with the fourth power. */
static void columns_buckle_at_eulers_loads(void **state)
{
    (void)state;
    double error[2];

    for (int fine = 0; fine < 2; fine++) {
        const int pieces = fine ? 8 : 4;
        char text[8192] = "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1, young: 1e6}}\nbodies:\n";
        study it;
        for (int k = 0; k < pieces; k++)
            append_text(text, sizeof text,
                        "  p%d: {kind: beam, material: m, length: %.17g, elements: 1, stiffening: true,\n"
                        "       reference: simply_supported,\n"
                        "       section: {kind: general, area: 1, inertia: 1e-6}, pose: {position: [0, %.17g], angle: "
                        "90*deg}}\n",
                        k, 1.0 / pieces, (double)k / pieces);
        append_text(text, sizeof text, "joints:\n  clamp: {kind: weld, ports: [ground.O, p0.P], angle: 90*deg}\n");
        for (int k = 1; k < pieces; k++)
            append_text(text, sizeof text, "  w%d: {kind: weld, ports: [p%d.C, p%d.P]}\n", k, k - 1, k);
        append_text(text, sizeof text, "loads: {weight: {force: [0, -0.5], at: p%d.C}}\n", pieces - 1);
        study_open(text, 0, NULL, &it);
        it.options.buckling = 2;
        study_run(&it);
        assert_int_equal(it.report.n_critical, 2);
        error[fine] = fabs(0.5 * it.report.critical[0].factor / (0.25 * TEST_PI * TEST_PI) - 1.0);
        CHECK_RELATIVE(0.5 * it.report.critical[1].factor, 2.25 * TEST_PI * TEST_PI, fine ? 1e-2 : 4e-2, "second");
        study_close(&it);
    }
    CHECK_BELOW(error[0], 2e-3, "4 pieces");
    CHECK_BELOW(error[1], 0.3 * error[0], "8 pieces");
}

/* A cantilever plate of narrow material without lateral contraction, pushed along: Euler's column too. */
static void a_plate_buckles_as_a_column(void **state)
{
    (void)state;
    study it;

    study_open(
        "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 1000, young: 1e9, poisson: 0}}\nbodies:\n"
        "  plate: {kind: plate, material: m, thickness: 0.01, mesh: {size: [1, 0.2], elements: [12, 2]}, "
        "stiffening: true, frame: root, basis: {kind: craig_bampton, modes: 6}, ports: {root: {on: x0, position: "
        "[0, 0.1, 0]}, tip: {on: x1, position: [1, 0.1, 0]}}}\n"
        "joints: {clamp: {kind: weld, ports: [ground.O, plate.root]}}\n"
        "loads: {push: {force: [-1, 0, 0], at: plate.tip}}\n",
        0, NULL, &it);
    it.options.buckling = 1;
    study_run(&it);
    assert_int_equal(it.report.n_critical, 1);
    CHECK_RELATIVE(it.report.critical[0].factor, 0.25 * TEST_PI * TEST_PI * 1e9 * 0.2 * 1e-6 / 12.0, 1e-5, "plate");
    study_close(&it);
}

/* The arch goes over sideways at a bifurcation before it snaps at a limit point, whatever load is the direction. */
static void an_arch_has_a_bifurcation_and_a_limit_point(void **state)
{
    (void)state;
    double first[2] = {0.0, 0.0};

    for (int k = 0; k < 4; k++) {
        const double loads[4] = {150.0, 25.0, 20.0, 77.0};
        const phx_model_override load = {.name = "load", .value = loads[k]};
        study it;
        study_open(PHX_SOURCE_DIR "/examples/shallow_arch.yaml", 1, &load, &it);
        it.options.buckling = 3;
        study_run(&it);
        assert_int_equal(it.report.n_critical, 2);
        for (int c = 0; c < 2; c++) {
            const double critical = loads[k] * it.report.critical[c].factor;
            assert_int_equal(it.report.critical[c].limit, c);
            first[c] = k == 0 ? critical : first[c];
            CHECK_RELATIVE(critical, first[c], 1e-6, "critical load %d by the load %g", c + 1, loads[k]);
        }
        study_close(&it);
    }
}

/* A shallow arch (span 1) that goes over sideways does so at the constant thrust 4 pi^2 EI/L^2, unstable. */
static void an_arch_goes_over_sideways_at_a_constant_thrust(void **state)
{
    (void)state;
    const double EI = 2e11 * 0.02 * 0.004 * 0.004 * 0.004 / 12.0, thrust = 4.0 * TEST_PI * TEST_PI * EI;
    int sideways = 0, upright = 0;
    study it;

    study_open(PHX_SOURCE_DIR "/examples/shallow_arch.yaml", 0, NULL, &it);
    it.options.path = true;
    it.options.branch = true;
    it.options.points = 40;
    study_run(&it);
    double *slope = study_column(&it, "slope"), *force = study_column(&it, "thrust");
    double *unstable = study_column(&it, "static.unstable");
    for (size_t k = 0; k < it.report.rows; k++) {
        if (fabs(slope[k] - slope[0]) > 0.02) {
            CHECK_RELATIVE(-force[k], thrust, 5e-3, "thrust at row %zu", k);
            assert_true(unstable[k] > 0.0);
            sideways++;
        } else if (unstable[k] == 0.0) {
            upright++;
        }
    }
    assert_true(sideways > 5 && upright > 3);
    free(slope);
    free(force);
    free(unstable);
    study_close(&it);
}

/* Without that branch the path is symmetric, and goes through limit points up and down to the end of its range. */
static void the_path_of_an_arch_stays_symmetric(void **state)
{
    (void)state;
    study it;

    study_open(PHX_SOURCE_DIR "/examples/shallow_arch.yaml", 0, NULL, &it);
    it.options.path = true;
    study_run(&it);
    double *slope = study_column(&it, "slope"), *load = study_column(&it, "static.load");
    const size_t last = it.report.rows - 1;
    int turns = 0;
    for (size_t k = 0; k <= last; k++) {
        CHECK_CLOSE(slope[k], slope[0], 1e-9, "it stays symmetric");
        turns += k > 0 && k < last && (load[k] - load[k - 1]) * (load[k + 1] - load[k]) < 0.0;
    }
    CHECK_CLOSE(load[last], 1.0, 1e-12, "the path comes to its end");
    assert_true(turns >= 2 && turns % 2 == 0);
    free(slope);
    free(load);
    study_close(&it);
}

/* Along a path of the load it flutters from 20.05 EI/L^2 on, and nothing else tells. */
static void a_path_tells_where_flutter_begins(void **state)
{
    study it;

    (void)state;
    study_open(beck, 1, &(phx_model_override){.name = "p", .expression = "24"}, &it);
    it.options.path = true;
    it.options.points = 40;
    study_run(&it);
    double *load = study_column(&it, "static.load"), *unstable = study_column(&it, "static.unstable");
    for (size_t k = 0; k < it.report.rows; k++)
        assert_int_equal(unstable[k] > 0.0, 24.0 * load[k] > 20.05);
    assert_true(it.report.found.judged && it.report.found.motions.fluttering == 1);
    CHECK_CLOSE(load[it.report.rows - 1], 1.0, 1e-12, "the path comes to the whole load");
    free(load);
    free(unstable);
    study_close(&it);
}

/* In steps of the load it snaps once, and what it finds before and behind is on the path. */
static void an_arch_snaps_through_in_steps(void **state)
{
    (void)state;
    int jumps = 0;
    study it;

    study_open(PHX_SOURCE_DIR "/examples/shallow_arch.yaml", 0, NULL, &it);
    it.options.steps = 20;
    study_run(&it);
    assert_int_equal((int)it.report.rows, 21);
    double *height = study_column(&it, "crown.y"), *unstable = study_column(&it, "static.unstable");
    for (size_t k = 1; k < it.report.rows; k++) {
        jumps += height[k - 1] > 0.0 && height[k] < 0.0;
        CHECK_BELOW(height[k], height[k - 1], "it goes down");
        assert_true(unstable[k] == 0.0);
    }
    assert_int_equal(jumps, 1);
    free(height);
    free(unstable);
    study_close(&it);
}

/* ---- what is refused ---- */
static void refused(const char *text, phx_status expected, const char *message)
{
    study it;
    study_open(text, 0, NULL, &it);
    CHECK_STATUS(it.context, phx_study_static(it.context, it.model, &it.options, &it.report, &it.result), expected);
    CHECK_MESSAGE(it.context, message);
    assert_null(it.result);
    study_close(&it);
}

static void what_has_no_equilibrium_is_refused_by_name(void **state)
{
    (void)state;
#define SLIDE(more)                                                                                                    \
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"                 \
    "joints: {slope: {kind: prismatic, ports: [ground.O, b.P], axis: [2, 1]}}\n" more
    refused(SLIDE(""), PHX_ERR_ANALYSIS, "'slope'");
    refused(SLIDE("outputs: {r: {reaction: slope}}\ncontrollers: {c: {kind: state_space, A: [[0]], B: [[1]], C: "
                  "[[1]], D: [[0]], inputs: [r.fx], outputs: [slope.effort], sample: 0.01}}\n"),
            PHX_ERR_UNSUPPORTED, "controller 'c' measures 'r.fx'");
#undef SLIDE
}

/* A proportional controller is a spring. */
static void a_proportional_controller_holds(void **state)
{
    (void)state;
    study it;

    study_open("phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: {b: {kind: rigid, mass: 2, inertia: 1}}\n"
               "joints: {slope: {kind: prismatic, ports: [ground.O, b.P], axis: [0, 1]}}\n"
               "controllers: {c: {kind: pid, measure: slope, effort: slope.effort, kp: 100, kd: 3, reference: 0.5}}\n"
               "outputs: {q: {coordinate: slope}, f: {effort: slope}}\n",
               0, NULL, &it);
    study_run(&it);
    double *q = study_column(&it, "q");
    CHECK_CLOSE(q[0], 0.5 - 2.0 * 9.81 / 100.0, 1e-13, "where it holds");
    free(q);
    study_close(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_about_an_equilibrium_are_small_motions),
        cmocka_unit_test(of_a_family_every_search_finds_the_same),
        cmocka_unit_test(an_equilibrium_is_found_where_it_is),
        cmocka_unit_test(modes_know_loads_without_a_potential),
        cmocka_unit_test(zieglers_pendulum_flutters),
        cmocka_unit_test(becks_column_flutters),
        cmocka_unit_test(a_path_tells_where_flutter_begins),
        cmocka_unit_test(what_diverges_is_left),
        cmocka_unit_test(a_run_from_an_equilibrium_stays),
        cmocka_unit_test(bodies_on_springs_rest),
        cmocka_unit_test(columns_buckle_at_eulers_loads),
        cmocka_unit_test(a_plate_buckles_as_a_column),
        cmocka_unit_test(an_arch_has_a_bifurcation_and_a_limit_point),
        cmocka_unit_test(an_arch_goes_over_sideways_at_a_constant_thrust),
        cmocka_unit_test(the_path_of_an_arch_stays_symmetric),
        cmocka_unit_test(an_arch_snaps_through_in_steps),
        cmocka_unit_test(what_has_no_equilibrium_is_refused_by_name),
        cmocka_unit_test(a_proportional_controller_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
