/* Equilibria, critical loads, modes and linear models against closed forms, where scales are far apart: slender and
 * slow bodies, soft and hard, springs without a length. */
#include "support/testing.h"

#include "results/results.h"
#include "study/study.h"

#include <math.h>
#include <phlexor/results.h>
#include <phlexor/statespace.h>
#include <phlexor/study.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 6000, LOG = 4000 };

/* A model of a text by `format`. */
static phx_model *open_model(phx_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
static phx_model *open_model(phx_context *context, const char *format, ...)
{
    char text[TEXT];
    phx_model *model = NULL;
    va_list values;

    va_start(values, format);
    assert_true(vsnprintf(text, sizeof text, format, values) < TEXT);
    va_end(values);
    CHECK_OK(context, phx_model_read_text(context, "test.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* The modes of a model, which are owned by the caller. */
static void find_modes(phx_context *context, const phx_model *model, int count, phx_modes_table *table)
{
    phx_study_modes_options options = phx_study_modes_options_default();

    options.count = count;
    CHECK_OK(context, phx_study_modes(context, model, &options, table, NULL));
}

/* ---- springs ---- */
/* Two masses, or one and the ground, whose spring has no length: sqrt(k/m) in all directions, with the damper too. */
static void springs_without_length_pull_in_all_directions(void **state)
{
    for (int k = 0; k < 12; k++) {
        const int dim = k % 2 ? 2 : 3, two = k / 2 % 2;
        const double stiffness = 100.0 * (k + 1), zeta = k / 4 == 1 ? 0.1 : 0.0, reduced = two ? 1.2 * 3.0 / 4.2 : 3.0;
        const double omega = sqrt(stiffness / reduced), damping = 2.0 * zeta * omega * reduced;
        const char *inertia = dim == 2 ? "0.4" : "[1, 2, 2.5]";
        phx_modes_table table;
        phx_model *model =
            open_model(*state,
                       "phlexor: 1\ndimension: %d\nground: {ports: {A: {position: [%s]}}}\nbodies:\n"
                       "  a: {kind: rigid, mass: 1.2, inertia: %s, pose: {position: [%s]}}\n"
                       "  b: {kind: rigid, mass: 3, inertia: %s, pose: {position: [%s]}}\n"
                       "springs: {s: {ports: [%s, b.P], stiffness: %.17g, damping: %.17g, length: 0}}\n"
                       "modes: {at: %s}\n",
                       dim, dim == 2 ? "0.3, 0.1" : "0.3, 0.1, 0.7", inertia, dim == 2 ? "0.3, 0.1" : "0.3, 0.1, 0.7",
                       inertia, dim == 2 ? "0.3, 0.1" : "0.3, 0.1, 0.7", two ? "a.P" : "ground.A", stiffness, damping,
                       k / 4 == 2 && !two ? "static" : "start");
        find_modes(*state, model, 6, &table);
        assert_int_equal(table.n_rows, dim);
        assert_int_equal(table.rigid_modes[0], 2 * (dim == 2 ? 3 : 6) - dim);
        for (int i = 0; i < dim; i++) {
            CHECK_RELATIVE(table.rows[i].omega, omega, 1e-12, "model %d, mode %d", k, i + 1);
            CHECK_CLOSE(table.rows[i].damping, zeta, 1e-12, "damping of model %d, mode %d", k, i + 1);
        }
        phx_modes_free(&table);
        phx_model_destroy(model);
    }
}

/* The damper acts where the ports coincide too, at the start and later: x = (v/w) exp(-zeta w0 t) sin(w t). */
static void a_mass_passes_the_anchor_of_its_damper(void **state)
{
    const double w0 = 10.0, zeta = 0.1, w = w0 * sqrt(1.0 - zeta * zeta), end = 2.0;
    const phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    double x;
    phx_model *model =
        open_model(*state, "phlexor: 1\ndimension: 3\n"
                           "bodies: {m: {kind: rigid, mass: 1, inertia: [1, 1, 1], velocity: {linear: [1, 0, 0]}}}\n"
                           "springs: {s: {ports: [ground.O, m.P], stiffness: 100, damping: 2, length: 0}}\n"
                           "outputs: {x: {position: m.P}}\nsimulate: {end: 2, step: 1e-3, every: 0.1}\n");

    CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
    CHECK_OK(*state,
             phx_result_column(result, phx_result_column_find(result, "x.x"), phx_result_rows(result) - 1, 1, &x));
    CHECK_CLOSE(x, exp(-zeta * w0 * end) * sin(w * end) / w, 2e-5, "x(2)");
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* ---- slow modes ---- */
/* A clamped wire under a dead axial load, `part` of Euler's. */
static void wire(phx_context *context, int elements, double length, double diameter, double part,
                 phx_modes_table *table)
{
    const double EI = 2.1e11 * TEST_PI * pow(diameter, 4.0) / 64.0;
    phx_model *model = open_model(
        context,
        "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"
        "bodies: {c: {kind: rod, material: m, length: %.17g, section: {kind: circle, diameter: %.17g}, elements: %d}}\n"
        "joints: {w: {kind: weld, ports: [ground.O, c.P]}}\nloads: {f: {force: [%.17g, 0, 0], at: c.C}}\n"
        "modes: {at: static}\n",
        length, diameter, elements, -part * TEST_PI * TEST_PI * EI / (4.0 * length * length));

    find_modes(context, model, 4, table);
    assert_int_equal(table->rigid_modes[0], 0);
    assert_int_equal(table->n_rows, 4);
    phx_model_destroy(model);
}

/* Zero for the squares q of w L^2 sqrt(rho A/EI) of a clamped column under a dead P L^2/EI = p: with a^2, b^2 =
 * sqrt(p^2/4 + q) +- p/2,
 *
 *   2 q + (p^2 + 2 q) cos a cosh b - p a sin a b sinh b = 0 ,   q < 0: a growing motion */
static double column(double p, double square)
{
    const double root = sqrt(0.25 * p * p + square), a = sqrt(root + 0.5 * p);
    const double b2 = root - 0.5 * p, b = sqrt(fabs(b2));
    const double cosine = b2 > 0.0 ? cosh(b) : cos(b), sine = b2 > 0.0 ? sinh(b) / b : sin(b) / b;

    return 2.0 * square + (p * p + 2.0 * square) * cos(a) * cosine - p * a * sin(a) * b2 * sine;
}

/* The root next to `square` of the clamped column, of w^2, by the secant. */
static double slowest(double p, double square)
{
    double x0 = square, x1 = 1.1 * square, y0 = column(p, x0);

    for (int k = 0; k < 50 && fabs(x1 - x0) > 1e-13 * fabs(x1); k++) {
        const double y1 = column(p, x1), next = x1 - y1 * (x1 - x0) / (y1 - y0);
        x0 = x1;
        y0 = y1;
        x1 = next;
    }
    return x1;
}

static void slow_modes_are_no_rigid_ones(void **state)
{
    static const struct {
        int elements;
        double length, diameter, part;
    } cases[] = {{64, 20.0, 0.004, 0.9}, {64, 20.0, 0.004, 1.01}, {128, 20.0, 0.004, 0.9},
                 {48, 50.0, 0.01, 0.97}, {90, 20.0, 0.004, 0.0},  {150, 30.0, 0.004, 1.05}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double L = cases[k].length, d = cases[k].diameter, p = cases[k].part * TEST_PI * TEST_PI / 4.0;
        const double unit = sqrt(2.1e11 * d * d / (16.0 * 7850.0)) / (L * L);
        const double exact = slowest(p, 12.36 * (1.0 - cases[k].part) + 1e-3);
        phx_modes_table table;
        wire(*state, cases[k].elements, L, d, cases[k].part, &table);
        for (int i = 0; i < 2; i++) {
            CHECK_RELATIVE(table.rows[i].omega, unit * sqrt(fabs(exact)), 3e-3, "wire %zu, mode %d", k, i + 1);
            CHECK_CLOSE(table.rows[i].damping, exact < 0.0 ? -1.0 : 0.0, 1e-9, "wire %zu, mode %d grows", k, i + 1);
        }
        phx_modes_free(&table);
    }
}

/* Rods far from the origin, whose places round, have the rigid-body modes that their joint leaves. */
static void rods_have_the_rigid_modes_of_their_joint(void **state)
{
    static const struct {
        const char *joint;
        int rigid, elements;
        double length;
    } cases[] = {{"", 6, 40, 1.3},
                 {"", 6, 5, 26.0},
                 {"{j: {kind: spherical, ports: [ground.A, a.P]}}", 3, 120, 0.7},
                 {"{j: {kind: spherical, ports: [ground.A, a.P]}}", 3, 2, 14.0},
                 {"{j: {kind: revolute, axis: [0, 0.6, 0.8], ports: [ground.A, a.P]}}", 1, 80, 5.0}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_modes_table table;
        phx_model *model = open_model(
            *state,
            "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"
            "ground: {ports: {A: {position: [7.3, -5.1, 2.2]}}}\n"
            "bodies: {a: {kind: rod, material: m, length: %g, elements: %d, section: {kind: circle, diameter: %g},\n"
            "  pose: {position: [7.3, -5.1, 2.2], rotation: {axis: [0.3, 0.7, -0.4], angle: 1.9}}}}\n%s%s\n",
            cases[k].length, cases[k].elements, cases[k].length / 250.0, cases[k].rigid < 6 ? "joints: " : "",
            cases[k].joint);
        find_modes(*state, model, 3, &table);
        assert_int_equal(table.rigid_modes[0], cases[k].rigid);
        phx_modes_free(&table);
        phx_model_destroy(model);
    }
}

/* A rod that points from a rim of 10 m to the axis: its flap buckles at 5.674672409 (Ritz, EI = rho A = L = 1). */
static void a_growing_mode_of_a_fine_mesh_is_found(void **state)
{
    static const int elements[] = {8, 32, 64};
    const double unit = sqrt(10.0 / 1.2e4);

    for (int k = 0; k < 3; k++)
        for (int beyond = 0; beyond < 2; beyond++) {
            phx_modes_table table;
            phx_model *model = open_model(
                *state,
                "phlexor: 1\ndimension: 3\nbodies:\n"
                "  hub: {kind: rigid, mass: 5, inertia: [1, 1, 1], ports: {R: {position: [10, 0, 0]}}}\n"
                "  blade: {kind: rod, length: 10, shear: rigid, elements: %d,\n"
                "    pose: {position: [10, 0, 0], rotation: {axis: [0, 0, 1], angle: pi}},\n"
                "    section: {kind: general, stiffness: [[2e7,0,0,0,0,0],[0,1e7,0,0,0,0],[0,0,1e7,0,0,0],"
                "[0,0,0,19.23,0,0],[0,0,0,0,10,0],[0,0,0,0,0,40]], mass: [[1.2,0,0,0,0,0],[0,1.2,0,0,0,0],"
                "[0,0,1.2,0,0,0],[0,0,0,1e-6,0,0],[0,0,0,0,5e-7,0],[0,0,0,0,0,5e-7]]}}\n"
                "joints:\n  motor: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, hub.P], speed: %.17g}\n"
                "  root: {kind: weld, ports: [hub.R, blade.P]}\nmodes: {at: steady}\n",
                elements[k], (beyond ? 1.005 : 0.99) * 5.674672409371591 * unit);
            find_modes(*state, model, 3, &table);
            assert_int_equal(table.rigid_modes[0], 0);
            assert_int_equal(table.n_rows, 3);
            CHECK_CLOSE(table.rows[0].damping, beyond ? -1.0 : 0.0, 1e-9, "%d elements", elements[k]);
            if (beyond)
                CHECK_RELATIVE(table.rows[0].omega, 0.01026, 3e-2, "%d elements", elements[k]);
            phx_modes_free(&table);
            phx_model_destroy(model);
        }
}

/* Links that hang on nothing but their hinges: as many rigid-body modes as hinges, and the axial modes of the whole. */
static void a_chain_has_a_rigid_mode_for_each_hinge(void **state)
{
    enum { LINKS = 100, LINE = 300 };
    phx_context *context = *state;
    const size_t room = (size_t)(2 * LINKS + 10) * LINE;
    char *text = calloc(room, 1);
    phx_modes_table table;
    phx_model *model = NULL;

    assert_non_null(text);
    for (int held = 0; held < 2; held++) {
        size_t used = (size_t)snprintf(text, room,
                                       "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 2700, young: 7e10}}\n"
                                       "bodies:\n");
        for (int i = 0; i < LINKS; i++)
            used += (size_t)snprintf(text + used, room - used,
                                     "  b%d: {kind: beam, material: m, length: 1, elements: 4, reference: cantilever, "
                                     "section: {kind: circle, diameter: 0.02}, pose: {position: [%d, 0]}}\n",
                                     i, i);
        used += (size_t)snprintf(text + used, room - used, "joints:\n");
        for (int i = !held; i < LINKS; i++)
            used +=
                i == 0 ? (size_t)snprintf(text + used, room - used, "  j0: {kind: revolute, ports: [ground.O, b0.P]}\n")
                       : (size_t)snprintf(text + used, room - used, "  j%d: {kind: revolute, ports: [b%d.C, b%d.P]}\n",
                                          i, i - 1, i);
        CHECK_OK(context, phx_model_read_text(context, "chain.yaml", text, used, 0, NULL, &model));
        find_modes(context, model, 6, &table);
        assert_int_equal(table.rigid_modes[0], held ? LINKS : LINKS + 2);
        assert_int_equal(table.n_rows, 6);
        CHECK_RELATIVE(table.rows[0].omega, (held ? 0.5 : 1.0) * TEST_PI / LINKS * sqrt(7e10 / 2700.0), 1e-4, "axial");
        phx_modes_free(&table);
        phx_model_destroy(model);
    }
    free(text);
}

/* ---- points out of balance ---- */
/* Two links that are let go, one load on or off, in the plane and in space: the same frequencies from both. */
static void modes_and_poles_agree_away_from_an_equilibrium(void **state)
{
    for (int k = 0; k < 8; k++) {
        const int dim = k % 2 ? 3 : 2;
        const char *const zero = dim == 2 ? "" : ", 0", *const inertia = dim == 2 ? "0.1" : "[0.1, 0.1, 0.1]";
        const char *const axis = dim == 2 ? "" : "axis: [0, 0, 1], ", *const next = dim == 2 ? "" : "axis: [0, 1, 0], ";
        const phx_study_linearize_options options = phx_study_linearize_options_default();
        phx_linear_report report;
        phx_modes_table table;
        double omega[4], damping[4];
        phx_model *model = open_model(
            *state,
            "phlexor: 1\ndimension: %d\ngravity: [2, -9.81%s]\nbodies:\n"
            "  a: {kind: rigid, mass: 1, inertia: %s, centre_of_mass: [0.5, 0%s], ports: {C: {position: [1, 0%s]}}}\n"
            "  b: {kind: rigid, mass: 1, inertia: %s, centre_of_mass: [0.5, 0%s]}\njoints:\n"
            "  j: {kind: revolute, %sports: [ground.O, a.P], angle: %g, stiffness: 25}\n"
            "  k: {kind: revolute, %sports: [a.C, b.P], angle: %g, stiffness: 25}\n"
            "loads: {f: {force: [%g, %g%s], at: b.P}}\noutputs: {p: {position: b.P}}\n",
            dim, zero, inertia, zero, zero, inertia, zero, axis, -0.7 + 0.2 * k, next, 0.4 - 0.3 * k, k < 4 ? 0.0 : 3.0,
            k < 4 ? 0.0 : -2.0, zero);
        find_modes(*state, model, 2, &table);
        assert_int_equal(table.n_rows, 2);
        CHECK_OK(*state, phx_study_linearize(*state, model, &options, &report));
        assert_int_equal(phx_ss_n(report.system), 4);
        CHECK_OK(*state, phx_ss_poles(*state, report.system, NULL, NULL, omega, damping));
        for (int i = 0; i < 2; i++) {
            CHECK_RELATIVE(omega[2 * i], table.rows[i].omega, 1e-9, "model %d, mode %d", k, i + 1);
            CHECK_CLOSE(damping[2 * i] * damping[2 * i], table.rows[i].damping * table.rows[i].damping, 1e-9,
                        "model %d, damping of mode %d", k, i + 1);
        }
        phx_linear_report_free(&report);
        phx_modes_free(&table);
        phx_model_destroy(model);
    }
}

static void keep_log(void *user, phx_log_level level, const char *message)
{
    char *log = user;

    (void)level;
    snprintf(log + strlen(log), LOG - strlen(log), "%s\n", message);
}

/* A pendulum that hangs in a thrown hull: the remedy of the warning gives sqrt(a/l (1 + m/M)). */
static void modes_under_a_thrust_tell_of_gravity(void **state)
{
    static const double thrust[] = {20.0, 150.0, 3.0};
    const double M = 20.0, m = 0.5, l = 0.8;

    for (int k = 0; k < 3; k++) {
        const double a = thrust[k] / (M + m);
        char log[LOG] = "", remedy[100];
        phx_modes_table table;
        phx_model *model = NULL;
        snprintf(remedy, sizeof remedy, "'gravity: [0, %.10g]'", -a);
        phx_context_set_log(*state, keep_log, log);
        for (int moving = 0; moving < 2; moving++) {
            model = open_model(*state,
                               "phlexor: 1\ndimension: 2\ngravity: [0, %.17g]\nbodies:\n"
                               "  hull: {kind: rigid, mass: %g, inertia: 5}\n"
                               "  bob: {kind: rigid, mass: %g, inertia: 1e-9, ports: {A: {position: [0, %g]}}, "
                               "pose: {position: [0, %g]}}\n"
                               "joints: {h: {kind: revolute, ports: [hull.P, bob.A]}}\n"
                               "loads: {thrust: {force: [0, %g], at: hull.P}}\n",
                               moving ? -a : 0.0, M, m, l, -l, thrust[k]);
            log[0] = '\0';
            find_modes(*state, model, 1, &table);
            if ((strstr(log, remedy) != NULL) != !moving)
                fail_msg("thrust %g, gravity %s: the log is '%s', expected %s %s", thrust[k], moving ? "on" : "off",
                         log, moving ? "no" : "a", remedy);
            if (moving)
                CHECK_RELATIVE(table.rows[0].omega, sqrt(a / l * (1.0 + m / M)), 1e-6, "thrust %g", thrust[k]);
            phx_modes_free(&table);
            phx_model_destroy(model);
        }
        phx_context_set_log(*state, NULL, NULL);
    }
}

/* ---- limits that are told ---- */
/* A flat blade on a hub: what its twist leaves out is told where it has weight, and of point masses that turn. */
static void turning_bodies_tell_what_they_leave_out(void **state)
{
    static const struct {
        const char *body;
        double speed;
        const char *told; /* NULL: nothing */
    } cases[] = {{"kind: beam, reference: cantilever, stiffening: true", 200.0, "take section_inertia: true"},
                 {"kind: beam, reference: cantilever, modes: 9", 200.0, "stiffening: true and section_inertia: true"},
                 {"kind: beam, reference: cantilever, stiffening: true, section_inertia: true", 200.0, NULL},
                 {"kind: beam, reference: cantilever, stiffening: true", 1.0, NULL},
                 {"kind: rod", 200.0, "ignores the tension:"},
                 {"kind: rod", 2.0, NULL},
                 {"kind: beam, reference: cantilever, stiffening: true, point_masses: [{at: C, mass: 1, inertia: [0.1, "
                  "0.1, 0.1]}]",
                  5.0, "weld a rigid body"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char log[LOG] = "";
        phx_modes_table table;
        phx_model *model = open_model(
            *state,
            "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\nbodies:\n"
            "  hub: {kind: rigid, mass: 5, inertia: [1, 1, 1]}\n"
            "  blade: {%s, material: m, length: 1, elements: 8, section: {kind: rectangle, width: 0.008, height: "
            "0.08}}\njoints:\n  motor: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, hub.P], speed: %g}\n"
            "  root: {kind: weld, ports: [hub.P, blade.P]}\nmodes: {at: steady}\n",
            cases[k].body, cases[k].speed);
        phx_context_set_log(*state, keep_log, log);
        find_modes(*state, model, 4, &table);
        phx_context_set_log(*state, NULL, NULL);
        if (cases[k].told ? !strstr(log, cases[k].told) : log[0] != '\0')
            fail_msg("blade %zu: the log is '%s', expected '%s'", k, log, cases[k].told ? cases[k].told : "");
        phx_modes_free(&table);
        phx_model_destroy(model);
    }
}

/* The first mode whose frequency is nearest. */
static double nearest_of(const phx_modes_table *table, double omega)
{
    double nearest = 0.0;

    for (int k = 0; k < table->n_rows; k++)
        if (fabs(table->rows[k].omega - omega) < fabs(nearest - omega))
            nearest = table->rows[k].omega;
    return nearest;
}

/* Torsion of a flat blade that turns with Omega, phi = sin(pi x/2L): tension N = rho A Omega^2 (L^2 - x^2)/2 and the
 * propeller moment of sections of inertia Iz along the axis of rotation and Iy across it make
 *   omega^2 = omega_0^2 + Omega^2 ((pi^2/24)(2 + 6/pi^2) + (Iz - Iy)/(Iz + Iy)),
 * with the axis along the chord the second with the other sign; with all coordinates and in modes. */
static void blades_that_turn_stiffen_in_torsion(void **state)
{
    static const char *const bases[] = {"reference: cantilever", "reference: cantilever, modes: 30",
                                        "reference: simply_supported", "reference: free"};
    const double b = 0.08, h = 0.008, by_tension = TEST_PI * TEST_PI / 24.0 * (2.0 + 6.0 / (TEST_PI * TEST_PI));
    const double by_section = (b * b - h * h) / (b * b + h * h), Omega = 200.0;

    for (size_t k = 0; k < sizeof bases / sizeof *bases; k++)
        for (int axis = -1; axis <= 1; axis++) {
            const double speed = axis == 0 ? 1e-3 : Omega;
            phx_modes_table table;
            phx_model *model = open_model(
                *state,
                "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\nbodies:\n"
                "  hub: {kind: rigid, mass: 5, inertia: [1, 1, 1]}\n"
                "  blade: {kind: beam, %s, stiffening: true, section_inertia: true, material: m, length: 1, elements: "
                "24, section: {kind: rectangle, width: %g, height: %g}}\njoints:\n  motor: {kind: revolute, axis: %s, "
                "ports: [ground.O, hub.P], speed: %g}\n  root: {kind: weld, ports: [hub.P, blade.P]}\n"
                "modes: {at: steady}\n",
                bases[k], h, b, axis < 0 ? "[0, 1, 0]" : "[0, 0, 1]", speed);
            const double still = 955.6, want = sqrt(still * still + speed * speed * (by_tension + axis * by_section));
            find_modes(*state, model, 8, &table);
            CHECK_RELATIVE(nearest_of(&table, want), want, 5e-4, "%s, axis %d", bases[k], axis);
            phx_modes_free(&table);
            phx_model_destroy(model);
        }
}

/* ---- sweeps that rebuild a body ---- */
/* All frequencies of an elastic body go with sqrt(E): branches stay, and K of the plants is linear in E. */
static void sweeps_over_a_stiffness_keep_branches_and_coordinates(void **state)
{
    static const char *const arms[] = {
        "kind: solid, mesh: {size: [1, 0.05, 0.03], elements: [8, 1, 1]}, basis: {kind: craig_bampton, modes: 6}",
        "kind: plate, thickness: 0.01, mesh: {size: [1, 0.4], elements: [8, 4]}, basis: {kind: craig_bampton}",
        "kind: solid, mesh: {size: [1, 0.05, 0.05], elements: [8, 1, 1]}, basis: {modes: 9}"};
    enum { POINTS = 5, COUNT = 4 };

    for (size_t k = 0; k < sizeof arms / sizeof *arms; k++) {
        phx_study_modes_options modes = phx_study_modes_options_default();
        phx_study_plants_options options = phx_study_plants_options_default();
        phx_modes_table table;
        phx_sweep *sweep = NULL;
        phx_plants *plants = NULL;
        phx_model *model = open_model(
            *state,
            "phlexor: 1\ndimension: 3\nparameters: {E: 2e9}\n"
            "materials: {m: {density: 1000, young: E, poisson: 0.3}}\nbodies:\n"
            "  hub: {kind: rigid, mass: 5, inertia: [1, 1, 1]}\n"
            "  arm: {%s, material: m, ports: {root: {on: x0}, tip: {on: x1, attach: average}}}\n"
            "joints: {w: {kind: weld, ports: [hub.P, arm.root]}, g: {kind: weld, ports: [ground.O, hub.P]}}\n"
            "loads: {f: {force: [\"0\", \"0\", \"0\"], at: arm.tip}}\noutputs: {t: {position: arm.tip}}\n",
            arms[k]);
        CHECK_OK(*state, phx_sweep_create(*state, &sweep));
        CHECK_OK(*state, phx_sweep_add_range(sweep, "E", 1.9e9, 2.1e9, POINTS));
        modes.count = COUNT;
        modes.sweep = sweep;
        CHECK_OK(*state, phx_study_modes(*state, model, &modes, &table, NULL));
        assert_int_equal(table.n_rows, POINTS * COUNT);
        for (int r = 0; r < table.n_rows && k < 2; r++)
            if (table.rows[r].branch != table.rows[r].mode)
                fail_msg("arm %zu: mode %d of point %d is branch %d", k, table.rows[r].mode, table.rows[r].point,
                         table.rows[r].branch);
        options.sweep = sweep;
        CHECK_OK(*state, phx_study_plants(*state, model, &options, &plants));
        const int n = phx_ss_n(phx_plants_system(plants, 2));
        const double *A[3];
        double largest = 0.0;
        for (int i = 0; i < 3; i++)
            A[i] = phx_ss_A(phx_plants_system(plants, 1 + i));
        for (int i = 0; i < n * n; i++)
            largest = fmax(largest, fabs(A[1][i]));
        for (int i = 0; i < n * n; i++)
            CHECK_CLOSE(A[1][i], 0.5 * (A[0][i] + A[2][i]), 1e-7 * largest, "arm %zu, entry %d of A", k, i);
        phx_plants_destroy(plants);
        phx_sweep_destroy(sweep);
        phx_modes_free(&table);
        phx_model_destroy(model);
    }
}

/* ---- statics ---- */
/* A rod or beam that is clamped at one end, at an angle with the horizontal, under its weight. */
static void sag(phx_context *context, const char *kind, double length, double diameter, int elements, double angle,
                double *elastic)
{
    const phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_model *model =
        open_model(context,
                   "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
                   "materials: {m: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"
                   "bodies: {s: {%s, material: m, length: %.17g, elements: %d,\n"
                   "  section: {kind: circle, diameter: %.17g}, pose: {rotation: {axis: [0, 1, 0], angle: %.17g}}}}\n"
                   "joints: {w: {kind: weld, ports: [ground.O, s.P]}}\n",
                   kind, length, elements, diameter, angle);

    CHECK_OK(context, phx_study_static(context, model, &options, &report, NULL));
    assert_int_equal(report.found.unstable, 0);
    *elastic = report.elastic;
    phx_model_destroy(model);
}

/* Nothing but the body says how large the mechanism is: w^2 L^5/(40 E I). */
static void cantilevers_rest_under_their_weight(void **state)
{
    static const struct {
        double length, slender, angle;
        int elements;
    } cases[] = {{1.0, 1.0 / 167.0, 0.0, 8},  {0.3, 1.0 / 20.0, 0.0, 2},   {5.0, 1.0 / 40.0, 0.4, 13},
                 {2.0, 1.0 / 300.0, 0.0, 39}, {0.7, 1.0 / 120.0, 0.9, 25}, {1.0, 1.0 / 250.0, 0.0, 2}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double L = cases[k].length, d = cases[k].slender * L, pull = cos(cases[k].angle);
        const double w = 7850.0 * 9.81 * TEST_PI * d * d / 4.0 * pull, EI = 2.1e11 * TEST_PI * pow(d, 4.0) / 64.0;
        const double linear = w * w * pow(L, 5.0) / (40.0 * EI);
        double rod, beam;
        sag(*state, "kind: rod", L, d, cases[k].elements, cases[k].angle, &rod);
        sag(*state, "kind: beam, reference: cantilever", L, d, cases[k].elements, cases[k].angle, &beam);
        const double large = pow(w * pow(L, 3.0) / (8.0 * EI), 2.0); /* the square of the slope */
        CHECK_RELATIVE(beam, linear, 1e-2, "beam %zu", k);
        CHECK_RELATIVE(rod, linear, 2e-2 + large, "rod %zu", k);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The critical loads of both planes of a clamped column, (k - 1/2)^2 pi^2 EI/L^2, in their order, and as modes cross.
 */
static void higher_critical_loads_are_eulers(void **state)
{
    static const struct {
        const char *body;
        double strong; /* bending stiffness of one plane, the other has 1 */
        int elements;
    } cases[] = {{"kind: rod, shear: rigid", 1.0, 24},
                 {"kind: rod, shear: rigid", 4.0, 24},
                 {"kind: rod, shear: rigid", 13.0, 20},
                 {"kind: rod, shear: rigid", 400.0, 24},
                 {"kind: rod, shear: rigid", 2.9, 16}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            enum { WANTED = 6 };
            double euler[2 * WANTED];
            phx_study_static_options options = phx_study_static_options_default();
            phx_study_static_report report;
            phx_model *model = open_model(
                *state,
                "phlexor: 1\ndimension: 3\nbodies:\n  s: {%s, length: 1, elements: %d, section: {kind: general,\n"
                "    stiffness: [[1e6,0,0,0,0,0],[0,1e6,0,0,0,0],[0,0,1e6,0,0,0],[0,0,0,3,0,0],[0,0,0,0,1,0],"
                "[0,0,0,0,0,%g]],\n    mass: [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1e-3,0,0],"
                "[0,0,0,0,1e-3,0],[0,0,0,0,0,1e-3]]}}\n"
                "joints: {w: {kind: weld, ports: [ground.O, s.P]}}\nloads: {f: {force: [%d, 0, 0], at: s.C}}\n",
                cases[k].body, cases[k].elements, cases[k].strong, sign);
            options.buckling = WANTED;
            for (int i = 0; i < WANTED; i++) {
                euler[2 * i] = pow((i + 0.5) * TEST_PI, 2.0);
                euler[2 * i + 1] = cases[k].strong * euler[2 * i];
            }
            qsort(euler, 2 * WANTED, sizeof *euler, ascending);
            CHECK_OK(*state, phx_study_static(*state, model, &options, &report, NULL));
            assert_int_equal(report.n_critical, WANTED);
            for (int i = 0; i < WANTED; i++)
                CHECK_RELATIVE(-sign * report.critical[i].factor, euler[i], 2e-2, "column %zu, load %d", k, i + 1);
            phx_model_destroy(model);
        }
}

/* Columns of steel in the plane, n^2 pi^2 EI/L^2 between hinges and (n - 1/2)^2 where one end is free, under loads that
 * are much smaller and larger than critical ones; the columns shorten by up to 0.3 % before they buckle. */
static void beams_buckle_under_loads_of_any_size(void **state)
{
    static const char *const references[] = {"cantilever", "simply_supported"};
    static const double loads[] = {1e-3, 1.0, 1e6};
    const double length = 4.2, EI = 2e11 * 0.02 * pow(0.06, 3.0) / 12.0;

    for (int k = 0; k < 12; k++) {
        enum { WANTED = 4 };
        const bool hinged = k % 2;
        const double load = loads[k / 4];
        phx_study_static_options options = phx_study_static_options_default();
        phx_study_static_report report;
        phx_model *model = open_model(
            *state,
            "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 7850, young: 2e11, poisson: 0.3}}\n"
            "ground: {ports: {X: {position: [%g*cos(2), %g*sin(2)]}}}\n"
            "bodies:\n  b: {kind: beam, material: m, length: %g, elements: 16, reference: %s, stiffening: true,\n"
            "    section: {kind: rectangle, width: 0.02, height: 0.06}, pose: {angle: 2}}\n"
            "joints: {%s}\nloads: {f: {force: [-%g*cos(2), -%g*sin(2)], at: b.C}}\n",
            length, length, length, references[k / 2 % 2],
            hinged ? "p: {kind: revolute, ports: [ground.O, b.P]}, s: {kind: slider, ports: [ground.X, b.C], "
                     "axis: [cos(2), sin(2)]}"
                   : "w: {kind: weld, ports: [ground.O, b.P]}",
            load, load);
        options.buckling = WANTED;
        CHECK_OK(*state, phx_study_static(*state, model, &options, &report, NULL));
        assert_int_equal(report.n_critical, WANTED);
        for (int n = 1; n <= WANTED; n++)
            CHECK_RELATIVE(load * report.critical[n - 1].factor,
                           pow((hinged ? n : n - 0.5) * TEST_PI / length, 2.0) * EI, 1e-2, "column %d, load %d", k, n);
        phx_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(springs_without_length_pull_in_all_directions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_mass_passes_the_anchor_of_its_damper, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(slow_modes_are_no_rigid_ones, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rods_have_the_rigid_modes_of_their_joint, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_growing_mode_of_a_fine_mesh_is_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_chain_has_a_rigid_mode_for_each_hinge, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(modes_and_poles_agree_away_from_an_equilibrium, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(modes_under_a_thrust_tell_of_gravity, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(turning_bodies_tell_what_they_leave_out, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(blades_that_turn_stiffen_in_torsion, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(sweeps_over_a_stiffness_keep_branches_and_coordinates, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(cantilevers_rest_under_their_weight, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(higher_critical_loads_are_eulers, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(beams_buckle_under_loads_of_any_size, context_setup, context_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
