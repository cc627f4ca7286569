/* Elastic bodies on meshes in model files: plates and solids against beams, against the momentum theorems, published
 * frequencies and each other; how runs depend on the integrator and on the evaluation; what wrong models are told. */
#include "mechanism.h"
#include "results/results.h"

#include <phlexor/study.h>

enum { TEXT = 4000, STEPS = 1000, INSTANTS = STEPS + 1 };

#define SPACE "phlexor: 1\ndimension: 3\n"
#define STEEL "materials: {steel: {density: 7800, young: 2.1e11, poisson: 0.3}}\n"
#define ALLOY "materials: {alloy: {density: 2700, young: 7e10, poisson: 0.35}}\n"

static phx_integrate_options midpoint(double step, double end)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = PHX_MIDPOINT;
    options.step = step;
    options.end = end;
    return options;
}

/* ---- a slender bar as beam, plate and solid ---- */
/* So soft that its bending shows. */
#define PENDULUM                                                                                                       \
    SPACE "gravity: [0, 0, -9.81]\nparameters: {young: 2.1e10}\n"                                                      \
          "materials: {m: {density: 7800, young: young, poisson: 0.3}}\n"                                              \
          "joints: {pin: {kind: revolute, ports: [ground.O, rod.P], axis: [0, 1, 0]}}\n"                               \
          "outputs: {tip: {position: rod.C}}\nsimulate: {end: 1, step: 1e-3}\n"
static const char BEAM[] = PENDULUM "bodies: {rod: {kind: beam, material: m, length: 1, elements: 8, section: {kind: "
                                    "rectangle, width: 0.02, height: 0.02}, reference: simply_supported}}\n";
static const char STRIP[] = PENDULUM
    "bodies: {rod: {kind: plate, material: m, thickness: 0.02, pose: {position: [0, -0.01, 0]}, mesh: {size: [1, "
    "0.02], elements: [20, 1], crossed: true}, basis: {modes: 6}, ports: {P: {on: x0}, C: {on: x1}}, frame: [P, C]}}\n";
static const char BAR[] =
    PENDULUM "bodies: {rod: {kind: solid, material: m, pose: {position: [0, -0.01, -0.01]}, mesh: {size: [1, 0.02, "
             "0.02], elements: [20, 1, 1], cells: hex20}, basis: {modes: 6}, ports: {P: {on: x0}, C: {on: x1}}, "
             "frame: [P, C]}}\n";

typedef struct path {
    long n;
    double place[INSTANTS][3];
} path;

static void note_place(mechanism *m, double t, const double *x, const double *v)
{
    path *it = m->looker;
    assert_true(it->n < INSTANTS);
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    memcpy(it->place[it->n++], m->columns, sizeof it->place[0]);
}

static path *swing(const char *text, double young, const char *name)
{
    const phx_model_override set = {"young", NULL, young};
    const double step = 1e-3;
    const phx_integrate_options options = midpoint(step, TEST_LONG(STEPS) * step);
    path *tip = calloc(1, sizeof *tip);
    mechanism m;

    assert_non_null(tip);
    mechanism_open(&m, text, 1, &set);
    m.look = note_place;
    m.looker = tip;
    mechanism_run(&m, &options);
    assert_int_equal(tip->n, TEST_LONG(STEPS) + 1);
    print_message("%s: energy %.2g of %.4g J, joints %.2g m\n", name, m.largest_residual, m.largest_kinetic,
                  m.largest_drift);
    CHECK_SMALL(m.largest_residual, 1e-11 * m.largest_kinetic, "energy, %s", name);
    CHECK_SMALL(m.largest_drift, 1e-13, "joints, %s", name);
    mechanism_close(&m);
    return tip;
}

/* Largest distance of two paths; of the differences a - a0 and b - b0. */
static double apart(const path *a, const path *b)
{
    double worst = 0.0;
    for (long k = 0; k < a->n; k++)
        worst = fmax(worst, mechanism_distance(a->place[k], b->place[k], 3));
    return worst;
}

static double differ(const path *a, const path *a0, const path *b, const path *b0)
{
    double worst = 0.0;
    for (long k = 0; k < a->n; k++)
        for (int c = 0; c < 3; c++)
            worst = fmax(worst, fabs(a->place[k][c] - a0->place[k][c] - b->place[k][c] + b0->place[k][c]));
    return worst;
}

static void bars_swing_as_beams_do(void **state)
{
    static const char *const texts[] = {BEAM, STRIP, BAR}, *const names[] = {"beam", "plate", "solid"};
    const double young = 2.1e10, length = 1.0;
    path *soft[3], *stiff[3];

    (void)state;
    for (int k = 0; k < 3; k++) {
        soft[k] = swing(texts[k], young, names[k]);
        stiff[k] = swing(texts[k], 1e4 * young, names[k]);
    }
    const double bending = apart(soft[0], stiff[0]);
    for (int k = 1; k < 3; k++) {
        print_message("tip of the %s: %.3g m from the beam's, what bending makes of it (%.3g m) errs by %.3g m\n",
                      names[k], apart(soft[k], soft[0]), bending, differ(soft[k], stiff[k], soft[0], stiff[0]));
        CHECK_SMALL(apart(soft[k], soft[0]), 0.01 * length, "tip of the %s", names[k]);
        CHECK_SMALL(differ(soft[k], stiff[k], soft[0], stiff[0]), 0.05 * bending, "bending of the %s", names[k]);
    }
    for (int k = 0; k < 3; k++) {
        free(soft[k]);
        free(stiff[k]);
    }
}

/* ---- a free plate struck at a corner ---- */
static const double FORCE[3] = {200.0, 100.0, 400.0}, PULSE = 2e-3;
static const char STRUCK[] = SPACE STEEL
    "bodies: {p: {kind: plate, material: steel, thickness: 0.005, mesh: {size: [1, 0.7], elements: [6, 4]}, "
    "ports: {C: {on: x1y1}}}}\n"
    "loads: {blow: {force: [200*(t < 0.002), 100*(t < 0.002), 400*(t < 0.002)], at: p.C}}\n"
    "outputs: {corner: {position: p.C}}\n";

typedef struct blow {
    double t, corner[3]; /* of the last instant */
    double angular[3];   /* impulse, about the origin */
    double after[6];     /* momenta when it is over */
    double linear, turn; /* largest change since */
    long instants;       /* since */
} blow;

static void follow_momenta(mechanism *m, double t, const double *x, const double *v)
{
    blow *b = m->looker;
    double now[6], arm[3];

    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    phx_body_inertial_momentum(phx_system_body(m->system, 0), x, v, now, now + 3);
    for (int a = 0; a < 3; a++)
        arm[a] = 0.5 * (b->corner[a] + m->columns[a]);
    for (int a = 0; a < 3 && t > 0.0 && t < PULSE * (1.0 + 1e-9); a++) /* the integral of r x F, r at the midpoints */
        b->angular[a] += (t - b->t) * (arm[(a + 1) % 3] * FORCE[(a + 2) % 3] - arm[(a + 2) % 3] * FORCE[(a + 1) % 3]);
    if (t > PULSE * (1.0 - 1e-9) && b->instants++ == 0)
        memcpy(b->after, now, sizeof now);
    for (int a = 0; a < 3 && b->instants > 0; a++) {
        b->linear = fmax(b->linear, fabs(now[a] - b->after[a]));
        b->turn = fmax(b->turn, fabs(now[3 + a] - b->after[3 + a]));
    }
    b->t = t;
    memcpy(b->corner, m->columns, sizeof b->corner);
}

static void a_blow_on_a_corner_is_kept(void **state)
{
    const phx_integrate_options options = midpoint(1e-4, TEST_LONG(STEPS) * 1e-4);
    blow b = {.t = 0.0};
    mechanism m;

    (void)state;
    mechanism_open(&m, STRUCK, 0, NULL);
    m.look = follow_momenta;
    m.looker = &b;
    mechanism_run(&m, &options);
    const double linear = sqrt(b.after[0] * b.after[0] + b.after[1] * b.after[1] + b.after[2] * b.after[2]);
    const double angular = sqrt(b.after[3] * b.after[3] + b.after[4] * b.after[4] + b.after[5] * b.after[5]);
    print_message("momenta %.4g N s, %.4g N m s change by %.2g, %.2g; energy %.2g of %.4g J\n", linear, angular,
                  b.linear, b.turn, m.largest_residual, m.largest_energy);
    assert_int_equal(b.instants, TEST_LONG(STEPS) - 19);
    CHECK_SMALL(b.linear, 1e-12 * linear, "linear momentum");
    CHECK_SMALL(b.turn, 1e-12 * angular, "angular momentum");
    for (int a = 0; a < 3; a++) {
        CHECK_CLOSE(b.after[a], FORCE[a] * PULSE, 1e-12 * linear, "impulse along %c", 'x' + a);
        CHECK_CLOSE(b.after[3 + a], b.angular[a], 1e-12 * angular, "angular impulse about %c", 'x' + a);
    }
    CHECK_SMALL(m.largest_residual, 1e-11 * m.largest_energy, "energy");
    mechanism_close(&m);
}

/* ---- frequencies ---- */
static void frequencies(phx_context *context, const char *text, int count, double *omega)
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_model *model = NULL;
    phx_modes_table table;

    options.count = count;
    CHECK_OK(context, phx_model_read_text(context, "test.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_OK(context, phx_study_modes(context, model, &options, &table, NULL));
    assert_int_equal(table.n_rows, count);
    assert_int_equal(table.rigid_modes[0], 0);
    for (int k = 0; k < count; k++)
        omega[k] = table.rows[k].omega;
    phx_modes_free(&table);
    phx_model_destroy(model);
}

/* The square cantilever plate of Poisson's ratio 0.35. */
static void a_cantilever_plate_has_its_frequencies(void **state)
{
    static const double exact[] = {3.4530347730952604, 8.276626048706543, 20.977603416620614};
    const double h = 0.05, a = 1.0, nu = 0.35, D = 7e10 * h * h * h / (12.0 * (1.0 - nu * nu));
    double omega[3];

    frequencies(*state,
                SPACE ALLOY "bodies: {panel: {kind: plate, material: alloy, thickness: 0.05, mesh: {size: [1, 1], "
                            "elements: [8, 8]}, basis: {modes: 6}, ports: {P: {on: x0}}}}\n"
                            "joints: {root: {kind: weld, ports: [ground.O, panel.P]}}\n",
                3, omega);
    for (int k = 0; k < 3; k++) {
        const double Omega = omega[k] * a * a * sqrt(2700.0 * h / D);
        print_message("mode %d: %.8g, error %.2g\n", k + 1, Omega, Omega / exact[k] - 1.0);
        CHECK_RELATIVE(Omega, exact[k], 5e-3, "mode %d", k + 1);
    }
}

/* The cantilever plate with a rigid rod hinged to its free edge. */
#define PLATE_AND_ROD(n)                                                                                               \
    SPACE ALLOY "bodies:\n"                                                                                            \
                "  plate: {kind: plate, material: alloy, thickness: 0.05, mesh: {size: [1, 1], elements: [" n ", " n   \
                "]}, "                                                                                                 \
                "membrane: false, basis: {modes: 40}, ports: {P: {on: x0}, C: {on: x1, attach: hinged}}}\n"            \
                "  rod: {kind: rigid, mass: 50, inertia: [50/12, 1e-6, 50/12], pose: {position: [1, 0.5, 0]}}\n"       \
                "joints:\n"                                                                                            \
                "  root: {kind: weld, ports: [ground.O, plate.P]}\n"                                                   \
                "  seam: {kind: weld, ports: [plate.C, rod.P]}\n"                                                      \
                "loads: {push: {pressure: 1e6*(t < 0.002), on: plate, profile: y/10 + (y - 0.5)^2}}\n"

static void a_plate_with_a_rod_has_its_frequencies(void **state)
{
    static const double exact[] = {170.90272, 443.66432, 1324.9651, 1830.9286};
    double coarse[4], fine[4];

    frequencies(*state, PLATE_AND_ROD("8"), 4, coarse);
    frequencies(*state, PLATE_AND_ROD("16"), 4, fine);
    for (int k = 0; k < 4; k++) {
        const double order = log2((exact[k] - coarse[k]) / (exact[k] - fine[k]));
        print_message("mode %d: %.8g, error %.2g, order %.3g\n", k + 1, fine[k], fine[k] / exact[k] - 1.0, order);
        CHECK_RELATIVE(fine[k], exact[k], 1e-3, "mode %d", k + 1);
        CHECK_CLOSE(order, 2.0, 0.2, "order of mode %d", k + 1);
    }
}

static void pressure_works_on_a_plate_with_a_rod(void **state)
{
    const phx_integrate_options options = midpoint(1e-5, TEST_LONG(STEPS) * 1e-5);
    mechanism m;

    (void)state;
    mechanism_open(&m, PLATE_AND_ROD("8"), 0, NULL);
    mechanism_run(&m, &options);
    print_message("energy %.2g of %.4g J\n", m.largest_residual, m.largest_energy);
    CHECK_BETWEEN(m.largest_energy, 10.0, 1000.0, "energy by the pressure");
    CHECK_SMALL(m.largest_residual, 1e-11 * m.largest_energy, "energy - work");
    CHECK_SMALL(m.largest_drift, 1e-13, "joints");
    mechanism_close(&m);
}

/* ---- a solid bar with both ends held ---- */
#define HELD_BAR(joint, basis)                                                                                         \
    SPACE STEEL                                                                                                        \
        "ground: {ports: {E: {position: [1, 0, 0]}}}\n"                                                                \
        "bodies: {b: {kind: solid, material: steel, pose: {position: [0, -0.01, -0.02]}, mesh: {size: [1, 0.02, "      \
        "0.04], elements: [6, 1, 1]}, basis: " basis ", ports: {P: {on: x0}, C: {on: x1}}}}\n"                         \
        "joints:\n"                                                                                                    \
        "  a: {" joint ", ports: [ground.O, b.P]}\n  z: {" joint ", ports: [ground.E, b.C]}\n"
#define PIN  "kind: revolute, axis: [0, 1, 0]"
#define WELD "kind: weld"

static void held_bars_do_not_mind_their_basis(void **state)
{
    double pinned[2], pinned_all[2], welded[2], welded_all[2];

    frequencies(*state, HELD_BAR(PIN, "{modes: 10}"), 2, pinned);
    frequencies(*state, HELD_BAR(PIN, "{kind: all}"), 2, pinned_all);
    frequencies(*state, HELD_BAR(WELD, "{modes: 10}"), 2, welded);
    frequencies(*state, HELD_BAR(WELD, "{kind: all}"), 2, welded_all);
    for (int k = 0; k < 2; k++) {
        print_message("mode %d: pins %.8g, error %.2g; welds %.8g, error %.2g\n", k + 1, pinned[k],
                      pinned[k] / pinned_all[k] - 1.0, welded[k], welded[k] / welded_all[k] - 1.0);
        CHECK_RELATIVE(pinned[k], pinned_all[k], 1e-5, "mode %d between pins", k + 1);
        CHECK_RELATIVE(welded[k], welded_all[k], 1e-9, "mode %d between welds", k + 1);
    }
    CHECK_BELOW(pinned[0], 0.9 * welded[0], "pins are softer than welds");
}

/* The rotation of a clamped edge about itself has no mass: a basis of many shapes or of all must not lose it. */
#define HELD_PLATE(basis)                                                                                              \
    SPACE ALLOY                                                                                                        \
        "ground: {ports: {O: {position: [0, 0.3, 0]}, E: {position: [1, 0.3, 0]}}}\n"                                  \
        "bodies: {p: {kind: plate, material: alloy, thickness: 0.02, mesh: {size: [1, 0.6], elements: [4, 3]}, "       \
        "basis: " basis ", ports: {P: {on: x0}, C: {on: x1}}}}\n"                                                      \
        "joints:\n  a: {kind: weld, ports: [ground.O, p.P]}\n"
#define OTHER_END "  z: {kind: weld, ports: [ground.E, p.C]}\n"

static void held_plates_do_not_mind_their_basis(void **state)
{
    double one[3][3], both[3][3];

    frequencies(*state, HELD_PLATE("{modes: 20}"), 3, one[0]);
    frequencies(*state, HELD_PLATE("{modes: 55}"), 3, one[1]);
    frequencies(*state, HELD_PLATE("{kind: all}"), 3, one[2]);
    frequencies(*state, HELD_PLATE("{modes: 20}") OTHER_END, 3, both[0]);
    frequencies(*state, HELD_PLATE("{modes: 55}") OTHER_END, 3, both[1]);
    frequencies(*state, HELD_PLATE("{kind: all}") OTHER_END, 3, both[2]);
    for (int k = 0; k < 3; k++) {
        print_message("mode %d: %.8g %.8g, %.8g %.8g, %.8g %.8g\n", k + 1, one[0][k], both[0][k], one[1][k], both[1][k],
                      one[2][k], both[2][k]);
        CHECK_RELATIVE(one[0][k], one[2][k], 1e-4, "mode %d of a cantilever", k + 1);
        CHECK_RELATIVE(one[1][k], one[2][k], 1e-7, "mode %d of a cantilever, many shapes", k + 1);
        CHECK_RELATIVE(both[0][k], both[2][k], 1e-5, "mode %d between clamps", k + 1);
        CHECK_RELATIVE(both[1][k], both[2][k], 1e-7, "mode %d between clamps, many shapes", k + 1);
    }
}

/* ---- integrators and evaluations ---- */
static double *tip_of(phx_context *context, phx_integrator integrator, phx_backend backend, double step, size_t rows)
{
    const phx_simulate_options options = {.end = {true, TEST_LONG(100) * 1e-3},
                                          .step = {true, step},
                                          .every = {true, 1e-3},
                                          .has_integrator = true,
                                          .integrator = integrator,
                                          .backend = backend};
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = NULL;
    double *tip = calloc(3 * rows, sizeof *tip);

    assert_non_null(tip);
    CHECK_OK(context, phx_model_read_text(context, "test.yaml", STRIP, strlen(STRIP), 0, NULL, &model));
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    assert_int_equal(phx_result_rows(result), rows);
    for (int a = 0; a < 3; a++) {
        const char name[] = {'t', 'i', 'p', '.', (char)('x' + a), 0};
        const int column = phx_result_column_find(result, name);
        assert_true(column >= 0);
        CHECK_OK(context, phx_result_column(result, column, 0, rows, tip + (size_t)a * rows));
    }
    phx_result_destroy(result);
    phx_model_destroy(model);
    return tip;
}

static void runs_agree(void **state)
{
    const size_t rows = TEST_LONG(100) + 1;
    const int n = 3 * (int)rows;
    double *plain = tip_of(*state, PHX_MIDPOINT, PHX_BACKEND_PLAIN, 1e-3, rows);
    double *fast = tip_of(*state, PHX_MIDPOINT, PHX_BACKEND_FAST, 1e-3, rows);
    double *exact = tip_of(*state, PHX_GAUSS6, PHX_BACKEND_AUTO, 1e-4, rows);
    double *gauss4 = tip_of(*state, PHX_GAUSS4, PHX_BACKEND_AUTO, 1e-4, rows);
    double *ida = tip_of(*state, PHX_IDA, PHX_BACKEND_AUTO, 1e-3, rows);

    print_message("plain - fast %.2g; from gauss6: gauss4 %.2g, ida %.2g, midpoint %.2g m\n",
                  mechanism_distance(plain, fast, n), mechanism_distance(gauss4, exact, n),
                  mechanism_distance(ida, exact, n), mechanism_distance(plain, exact, n));
    CHECK_SMALL(mechanism_distance(plain, fast, n), 1e-11, "plain and fast evaluation");
    CHECK_SMALL(mechanism_distance(gauss4, exact, n), 1e-6, "gauss4");
    CHECK_SMALL(mechanism_distance(ida, exact, n), 1e-6, "ida");
    free(plain);
    free(fast);
    free(exact);
    free(gauss4);
    free(ida);
}

/* ---- wrong models ---- */
#define BAD      SPACE "materials: {m: {density: 1, young: 1, poisson: 0.3}, bare: {density: 1, young: 1}}\nbodies:\n"
#define PLATE(x) BAD "  b: {kind: plate, thickness: 0.1, mesh: {size: [1, 1], elements: [2, 2]}, " x "}\n"
#define SOLID(x) BAD "  b: {kind: solid, mesh: {size: [2, 1, 1], elements: [2, 1, 1], cells: hex8}, " x "}\n"

typedef struct bad_model {
    const char *place; /* the text at the place that the message gives; on its line the first */
    const char *fragment;
    const char *text;
} bad_model;

static void place_of(const char *text, const char *part, int *line, int *column)
{
    const char *at = strstr(text, part), *start = text;
    assert_non_null(at);
    *line = 1;
    for (const char *c = text; c < at; c++)
        if (*c == '\n') {
            ++*line;
            start = c + 1;
        }
    *column = (int)(at - start) + 1;
}

static bool is_told(phx_context *context, const bad_model *bad)
{
    phx_model *model = NULL;
    phx_system *system = NULL;
    char place[80];
    int line, column;

    place_of(bad->text, bad->place, &line, &column);
    snprintf(place, sizeof place, "bad.yaml:%d:%d: ", line, column);
    phx_status status = phx_model_read_text(context, "bad.yaml", bad->text, strlen(bad->text), 0, NULL, &model);
    if (!status)
        status = phx_model_build(context, model, NULL, &system);
    const char *message = status ? phx_context_message(context) : "it was built";
    const bool told = status && !strncmp(message, place, strlen(place)) &&
                      !strstr(message + strlen(place), "bad.yaml") && strstr(message, bad->fragment);
    if (!told)
        print_error("%s-> %d %s\nexpected %s...%s...\n", bad->text, status, message, place, bad->fragment);
    phx_system_destroy(system);
    phx_model_destroy(model);
    return told;
}

static void wrong_models_are_told_once_where(void **state)
{
    static const bad_model models[] = {
        {"P:", "the mesh has no group 'x3'; did you mean 'x0'?", PLATE("material: m, ports: {P: {on: x3}}")},
        {"P:", "the mesh has no group 'z3'; did you mean 'z0'?", SOLID("material: m, ports: {P: {on: z3}}")},
        {"P:", "the mesh has no node 999", SOLID("material: m, ports: {P: {node: 999}}")},
        {"P:", "only the edge of a plate can be hinged", SOLID("material: m, ports: {P: {on: x0, attach: hinged}}")},
        {"b:", "'P' and 'Q' share a node; rigid interfaces must not touch",
         PLATE("material: m, ports: {P: {on: x0}, Q: {on: y0}}")},
        {"b:", "'P' and 'Q' share a node; rigid interfaces must not touch",
         SOLID("material: m, ports: {P: {on: x0}, Q: {on: y0}}")},
        {"bare}", "material 'bare' has no 'poisson', which a plate or a shell needs", PLATE("material: bare")},
        {"bare}", "material 'bare' needs 'poisson' below 0.5 for a solid", SOLID("material: bare")},
        {"b:", "modes is 1000, the body has ", PLATE("material: m, basis: {modes: 1000}")},
        {"b:", "modes is 1000, the body has ", SOLID("material: m, basis: {kind: free, modes: 1000}")},
        {"{kind: held", "a 'held' basis needs 'at', the port that is held",
         SOLID("material: m, ports: {P: {on: x0}}, basis: {kind: held}")},
        {"rot}", "the body has no port 'rot'; did you mean 'root'?",
         PLATE("material: m, ports: {root: {on: x0}}, frame: rot")},
        {"tip]", "the body has no port 'tip'", PLATE("material: m, ports: {root: {on: x0}}, frame: [root, tip]")},
        {"true}", "'stiffening' needs a membrane, which follows the deflections",
         PLATE("material: m, membrane: false, stiffening: true")},
        {"true}", "'stiffening' needs a basis of modes", SOLID("material: m, basis: {kind: all}, stiffening: true")},
        {"true}", "mass and stiffness matrices say nothing of strains of second order",
         BAD "  b: {kind: imported, files: none.mtx, stiffening: true}\n"},
        {"l: {p", "load 'l': it needs 'group', the faces of the body",
         SOLID("material: m") "loads: {l: {pressure: 1, on: b}}\n"},
        {"l: {p", "the mesh has no group of faces named 'x3'",
         SOLID("material: m") "loads: {l: {pressure: 1, on: b, group: x3}}\n"},
        {"q}", "unknown name 'q'; expected x, y, z, pi",
         SOLID("material: m") "loads: {l: {pressure: 1, on: b, group: x1, profile: x + q}}\n"},
        {"q}", "unknown name 'q'", PLATE("material: m") "loads: {l: {pressure: 1, on: b, profile: x + q}}\n"},
        {"b:", "none.inp: cannot be read", BAD "  b: {kind: solid, material: m, mesh: {file: none.inp}}\n"},
        {"b:", "its basis cannot hold its joined ports",
         HELD_BAR(WELD, "{kind: held, at: P, modes: 2, statics: false}")},
        {"b:", "its basis cannot hold its joined ports",
         HELD_BAR(WELD, "{kind: held, at: P, modes: 8, statics: false}")},
        {"bb", "found 'bb'", SOLID("material: m") "outputs: {o: {von_mises: bb}}\n"},
        {"b}", "expected a point like body@12", SOLID("material: m") "outputs: {o: {stress: b}}\n"},
        {"b@3", "expected a point of a plate like body@0.5 or body@12, b is a solid",
         SOLID("material: m") "outputs: {o: {membrane_force: b@3}}\n"},
        {"[1, 1]}}", "expected the x, y and z of a place of the solid",
         SOLID("material: m") "outputs: {o: {von_mises: b, place: [1, 1]}}\n"},
        {"[1, 1, 0]}}", "expected the x and y of a place of the plate",
         PLATE("material: m") "outputs: {o: {stress: b, place: [1, 1, 0]}}\n"},
        {"o:", "the place [3, 1, 0] lies off its mesh; the nearest node is",
         SOLID("material: m") "outputs: {o: {stress: b, place: [3, 1, 0]}}\n"},
        {"b@2", "'place' says where", PLATE("material: m") "outputs: {o: {stress: b@2, place: [1, 1]}}\n"},
        {"o:", "the place [3, 1] lies off its mesh; the nearest node is",
         PLATE("material: m") "outputs: {o: {stress: b, place: [3, 1]}}\n"},
        {"o:", "its mesh has no node 999", SOLID("material: m") "outputs: {o: {stress: b@999}}\n"},
        {"o:", "its mesh has no node 999", PLATE("material: m") "outputs: {o: {edge_shear: b@999}}\n"},
        {"o:", "the place [0.3, 0.1] lies on no edge of the plate",
         PLATE("material: m") "outputs: {o: {edge_moment: b, place: [0.3, 0.1]}}\n"},
        {"o:", "node 1 is a corner of the plate", PLATE("material: m") "outputs: {o: {edge_shear: b@1}}\n"},
        {"o:", "the place [0.3, 0] is no corner of the plate",
         PLATE("material: m") "outputs: {o: {corner_force: b, place: [0.3, 0]}}\n"},
        {"b@1", "expected a point of a plate", SOLID("material: m") "outputs: {o: {corner_force: b@1}}\n"},
        {"b}", "expected a point like body@12", PLATE("material: m") "outputs: {o: {edge_shear: b}}\n"},
    };
    int wrong = 0;

    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++)
        wrong += !is_told(*state, &models[k]);
    assert_int_equal(wrong, 0);
}

/* ---- a temperature makes stresses, no forces ---- */
/* A free plate and a free solid that are heated unevenly at once vibrate, and neither fly nor turn. */
static void heat_gives_no_momentum(void **state)
{
    static const char *const bodies[] = {
        "{kind: plate, material: m, thickness: 0.01, mesh: {size: [0.2, 0.05], elements: [4, 1]}, basis: {kind: free, "
        "modes: 8}, ports: {P: {on: x0}}}",
        "{kind: solid, material: m, mesh: {size: [0.2, 0.05, 0.01], elements: [4, 1, 1]}, basis: {kind: free, modes: "
        "8}, ports: {P: {on: x0}}}"};
    const phx_integrate_options options = midpoint(2e-5, 2e-3);
    char text[TEXT];

    (void)state;
    for (int k = 0; k < 2; k++) {
        mechanism m;
        snprintf(text, sizeof text,
                 SPACE "materials: {m: {density: 7800, young: 2.1e11, poisson: 0.3, expansion: 1.2e-5}}\n"
                       "bodies: {b: %s}\nloads: {heat: {temperature: 200, on: b, profile: (x/0.2)*(1 + y/0.05 + "
                       "z/0.01)}}\nsimulate: {end: 2e-3, step: 2e-5}\n",
                 bodies[k]);
        mechanism_open(&m, text, 0, NULL);
        mechanism_run(&m, &options);
        /* against that of the mass at 1 m/s, 0.1 m from its centre: its parts move faster */
        print_message("heat: momentum %.2g, kinetic energy %.3g J\n", m.momentum_change, m.largest_kinetic);
        assert_true(m.largest_kinetic > 0.5 * 0.78);
        CHECK_SMALL(m.momentum_change, 1e-12 * 0.78, "momentum of a heated body");
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_swing_as_beams_do),
        cmocka_unit_test(a_blow_on_a_corner_is_kept),
        cmocka_unit_test(heat_gives_no_momentum),
        cmocka_unit_test_setup_teardown(a_cantilever_plate_has_its_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_plate_with_a_rod_has_its_frequencies, context_setup, context_teardown),
        cmocka_unit_test(pressure_works_on_a_plate_with_a_rod),
        cmocka_unit_test_setup_teardown(held_bars_do_not_mind_their_basis, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(held_plates_do_not_mind_their_basis, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_models_are_told_once_where, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
