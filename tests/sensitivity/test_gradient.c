/* Gradients against closed forms, against each other, and where there are none. */
#include "sensitivity/objective.h"
#include "study/study.h"
#include "support/testing.h"

#include <phlexor/sensitivity.h>

static phx_model *read_model(phx_context *context, const char *text)
{
    phx_model *model = NULL;

    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* The derivatives of an objective by the parameters, into slope. */
static void find(phx_context *context, const phx_model *model, const char *objective, int m, const char *const *names,
                 phx_derivation derivation, double *slope)
{
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found;

    options.n_objectives = 1;
    options.objectives = &objective;
    options.n_parameters = m;
    options.parameters = names;
    options.derivation = derivation;
    CHECK_OK(context, phx_gradient_find(context, model, &options, &found));
    memcpy(slope, found.gradient, (size_t)m * sizeof *slope);
    phx_gradient_free(&found);
}

/* A mass on a spring: the midpoint rule turns its phase by 2 atan(h omega/2) in each step, so that its last place is
 * known, x = a cos(n phi), and with it the derivatives by a, k and m. */
static void oscillator_has_its_closed_form(void **state)
{
    static const char text[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "parameters: {k: 40, m: 2, a: 0.3}\n"
                               "ground: {ports: {O: {position: [0, 0]}}}\n"
                               "bodies: {block: {kind: rigid, mass: m, inertia: 1, pose: {position: [a, 0]}}}\n"
                               "joints:\n"
                               "  guide: {kind: prismatic, ports: [ground.O, block.P], axis: [1, 0], stiffness: k}\n"
                               "outputs: {x: {coordinate: guide}}\n"
                               "simulate: {end: 2, step: 0.01}\n";
    static const char *const names[] = {"k", "m", "a"};
    static const phx_derivation ways[] = {PHX_DERIVE_ADJOINT, PHX_DERIVE_TANGENT, PHX_DERIVE_DIFFERENCES};
    static const double tolerance[] = {1e-11, 1e-11, 1e-8};
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    const double k = 40.0, m = 2.0, a = 0.3, h = 0.01, n = 200.0, omega = sqrt(k / m);
    const double by_omega = -a * sin(n * 2.0 * atan(0.5 * h * omega)) * n * h / (1.0 + 0.25 * h * h * omega * omega);
    const double want[] = {by_omega * 0.5 * omega / k, -by_omega * 0.5 * omega / m,
                           cos(n * 2.0 * atan(0.5 * h * omega))};

    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        double slope[3];
        find(context, model, "simulate.final(x)", 3, names, ways[w], slope);
        CHECK_VECTOR(3, slope, want, tolerance[w], "way %zu", w);
    }
    phx_model_destroy(model);
}

/* The end of a cantilever moves by 2/sqrt(m) in each of its modes of unit modal mass, so that the derivative by the
 * density is -1/(2 rho) of it. */
static void shape_of_a_cantilever_has_its_closed_form(void **state)
{
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 2\n"
        "parameters: {rho: 7800}\n"
        "materials: {steel: {density: rho, young: 2e11}}\n"
        "bodies: {b: {kind: beam, material: steel, length: 1, section: {kind: rectangle, width: 0.05, height: 0.01},\n"
        "             elements: 8, reference: cantilever}}\n"
        "joints: {root: {kind: weld, ports: [ground.O, b.P]}}\n"
        "outputs: {tip: {position: b.C}, w: {velocity: b.C}}\n";
    static const char *const objectives[] = {"modes.shape.1(tip.y)", "modes.shape.2(tip.y)"};
    static const char *const wrong[] = {"modes.shape.1(w.y)", "modes.shape(tip.y)", "modes.shape.1",
                                        "modes.shape.99(tip.y)"};
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found;
    const double want = 2.0 / sqrt(7800.0 * 0.05 * 0.01);

    options.n_objectives = 2;
    options.objectives = objectives;
    CHECK_OK(context, phx_gradient_find(context, model, &options, &found));
    for (int k = 0; k < 2; k++) {
        CHECK_CLOSE(found.value[k], want, 3e-4, "mode %d", k + 1);
        CHECK_CLOSE(found.gradient[k] * 7800.0, -0.5 * found.value[k], 1e-8, "mode %d", k + 1);
    }
    phx_gradient_free(&found);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        options.n_objectives = 1;
        options.objectives = &wrong[k];
        assert_int_equal(phx_gradient_find(context, model, &options, &found), PHX_ERR_INPUT);
    }
    phx_model_destroy(model);
}

/* Parameters that are moved on several threads have the same derivatives to the last bit, and the first of them that
 * has none is named. */
static void threads_change_nothing(void **state)
{
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 2\n"
        "parameters: {rho: 7800, E: 2e11, w: 0.05, h: 0.01, n: 4}\n"
        "materials: {steel: {density: rho, young: E}}\n"
        "bodies: {b: {kind: beam, material: steel, length: 1, section: {kind: rectangle, width: w, height: h},\n"
        "             elements: n, reference: cantilever}}\n"
        "joints: {root: {kind: weld, ports: [ground.O, b.P]}}\n";
    static const char *const objectives[] = {"modes.omega.1", "model.mass"}, *const names[] = {"rho", "E", "w", "h",
                                                                                               "n"};
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found[2];

    options.n_objectives = 2;
    options.objectives = objectives;
    options.n_parameters = 4;
    options.parameters = names;
    for (int k = 0; k < 2; k++) {
        options.threads = 1 + 2 * k;
        CHECK_OK(context, phx_gradient_find(context, model, &options, &found[k]));
    }
    assert_memory_equal(found[0].gradient, found[1].gradient, 8 * sizeof(double));
    assert_memory_equal(found[0].error, found[1].error, 8 * sizeof(double));
    for (int k = 0; k < 2; k++)
        phx_gradient_free(&found[k]);
    options.n_parameters = 5;
    assert_int_not_equal(phx_gradient_find(context, model, &options, &found[0]), PHX_OK);
    CHECK_MESSAGE(context, "at n = ");
    phx_model_destroy(model);
}

/* A body under a force from rest moves by F t^2/(2 m), exactly; it passes 0.5 m at t = sqrt(m/F). */
static void accelerated_body_has_its_closed_form(void **state)
{
    static const char text[] = "phlexor: 1\n"
                               "dimension: 3\n"
                               "parameters: {F: 3, m: 2}\n"
                               "bodies: {block: {kind: rigid, mass: m, inertia: [1, 1, 1]}}\n"
                               "loads: {push: {at: block.P, force: [F, 0, 0]}}\n"
                               "outputs: {x: {position: block.P}}\n"
                               "simulate: {end: 2, step: 0.02}\n";
    static const char *const names[] = {"F", "m"};
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    const double want[] = {1.0, -1.5}, passes = sqrt(2.0 / 3.0), when[] = {-passes / 6.0, passes / 4.0};

    for (int w = 0; w < 2; w++) {
        double slope[2];
        find(context, model, "simulate.final(x.x)", 2, names, w ? PHX_DERIVE_ADJOINT : PHX_DERIVE_TANGENT, slope);
        CHECK_VECTOR(2, slope, want, 1e-11, "adjoint: %d", w);
        find(context, model, "simulate.when(y(x.x) - 0.5)", 2, names, w ? PHX_DERIVE_ADJOINT : PHX_DERIVE_TANGENT,
             slope);
        CHECK_VECTOR(2, slope, when, 1e-11, "when, adjoint: %d", w);
    }
    phx_model_destroy(model);
}

/* A beam that bends on a crank, with a driven joint, a spring and a damper; a chain in space that flies. */
static const char crank[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "parameters: {E: 7e8, d: 0.01, l: 0.5, m: 0.4, k: 30, c: 0.05, w: 6, r: 0.12}\n"
                            "materials: {soft: {density: 1200, young: E}}\n"
                            "ground: {ports: {O: {position: [0, 0]}, W: {position: [0.9, 0.1]}}}\n"
                            "bodies:\n"
                            "  crank: {kind: rigid, mass: 1, inertia: 0.01, ports: {C: {position: [r, 0]}}}\n"
                            "  rod: {kind: beam, material: soft, length: l, section: {kind: circle, diameter: d},\n"
                            "        elements: 3, reference: simply_supported, pose: {position: [r, 0]}}\n"
                            "  block: {kind: rigid, mass: m, inertia: 1e-3, pose: {position: [r + l, 0]}}\n"
                            "joints:\n"
                            "  motor: {kind: revolute, ports: [ground.O, crank.P], angle: 0, speed: w + 2*sin(3*t)}\n"
                            "  knee: {kind: revolute, ports: [crank.C, rod.P], damping: c}\n"
                            "  wrist: {kind: revolute, ports: [rod.C, block.P]}\n"
                            "  guide: {kind: prismatic, ports: [ground.O, block.P], axis: [1, 0]}\n"
                            "springs: {wall: {ports: [ground.W, block.P], stiffness: k, length: 0.2}}\n"
                            "outputs: {block: {position: block.P}, motor: {effort: motor}}\n"
                            "simulate: {end: 0.06, step: 1e-3}\n";
static const char chain[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, -1]\n"
    "parameters: {E: 5e8, m: 1.3, k: 4, F: 0.2, l: 0.7, spin: 2}\n"
    "materials: {soft: {density: 1200, young: E, poisson: 0.3}}\n"
    "bodies:\n"
    "  hub: {kind: rigid, mass: m, inertia: [0.1, 0.2, 0.15], ports: {A: {position: [0.2, 0, 0]}},\n"
    "        velocity: {angular: [0.3, spin, 1]}}\n"
    "  boom: {kind: beam, material: soft, length: l, section: {kind: circle, diameter: 0.02},\n"
    "         elements: 2, reference: cantilever, pose: {position: [0.2, 0, 0]}}\n"
    "joints: {hinge: {kind: revolute, ports: [hub.A, boom.P], axis: [0, 0, 1], stiffness: k}}\n"
    "loads: {jet: {at: boom.C, force: [0, F*cos(t), 0], frame: body}}\n"
    "outputs: {tip: {position: boom.C}, angle: {coordinate: hinge}}\n"
    "simulate: {end: 0.08, step: 2e-3}\n";

/* A beam that its rotation stiffens. */
static const char blade[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "parameters: {E: 7e8, d: 0.01, l: 0.8, w: 30}\n"
                            "materials: {soft: {density: 1200, young: E}}\n"
                            "bodies:\n"
                            "  blade: {kind: beam, material: soft, length: l, section: {kind: circle, diameter: d},\n"
                            "          elements: 3, reference: cantilever, stiffening: true}\n"
                            "joints: {motor: {kind: revolute, ports: [ground.O, blade.P], angle: 0, speed: w*t}}\n"
                            "outputs: {tip: {deformation: blade.C}, motor: {effort: motor}}\n"
                            "simulate: {end: 0.02, step: 1e-3}\n";

static void adjoint_tangent_and_differences_agree(void **state)
{
    static const struct {
        const char *text;
        const char *objectives[3];
    } cases[] = {{crank, {"simulate.final(energy)", "simulate.integral(y(block.x)^2*E/E)", "simulate.peak(motor)"}},
                 {chain, {"simulate.final(tip.y)", "simulate.mean(y(angle)*t)", "simulate.at(0.0634, kinetic)"}},
                 {blade, {"simulate.final(tip.y)", "simulate.final(motor)", "simulate.mean(y(tip.y)^2)"}}};
    phx_context *context = *state;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        phx_model *model = read_model(context, cases[c].text);
        const char *names[8];
        for (int p = 0; p < model->n_parameters; p++)
            names[p] = model->parameters[p].name;
        for (size_t o = 0; o < 3; o++) {
            double adjoint[8], tangent[8], differences[8];
            const char *objective = cases[c].objectives[o];
            const int m = model->n_parameters;
            find(context, model, objective, m, names, PHX_DERIVE_ADJOINT, adjoint);
            find(context, model, objective, m, names, PHX_DERIVE_TANGENT, tangent);
            find(context, model, objective, m, names, PHX_DERIVE_DIFFERENCES, differences);
            for (int p = 0; p < m; p++) {
                const double scale = model->parameters[p].value;
                double size = 0.0;
                for (int q = 0; q < m; q++)
                    size = fmax(size, fabs(tangent[q] * model->parameters[q].value));
                CHECK_SMALL((adjoint[p] - tangent[p]) * scale / size, 1e-10, "%s by %s, adjoint", objective, names[p]);
                CHECK_SMALL((differences[p] - tangent[p]) * scale / size, 1e-7, "%s by %s, differences", objective,
                            names[p]);
            }
        }
        phx_model_destroy(model);
    }
}

/* Two equal springs across each other: two modes cross where they are equal, and only their mean is smooth. */
/* Derivatives of a run whose states do not fit into memory, so that they are made again. */
static void steps_are_made_again(void **state)
{
    static const char *const names[] = {"E", "m", "k", "F"};
    static const char *const objectives[] = {"simulate.final(tip.y)", "simulate.mean(y(angle)*t)"};
    static const phx_derivation ways[] = {PHX_DERIVE_ADJOINT, PHX_DERIVE_TANGENT};
    phx_context *context = *state;
    phx_model *model = read_model(context, chain);
    phx_gradient_options options = phx_gradient_options_default();

    options.n_objectives = 2;
    options.objectives = objectives;
    options.n_parameters = 4;
    options.parameters = names;
    for (int w = 0; w < 2; w++) {
        phx_gradient whole, again;
        options.derivation = ways[w];
        options.memory = 1e9;
        CHECK_OK(context, phx_gradient_find(context, model, &options, &whole));
        options.memory = 1.0;
        CHECK_OK(context, phx_gradient_find(context, model, &options, &again));
        for (int k = 0; k < 8; k++)
            CHECK_CLOSE(again.gradient[k], whole.gradient[k], 1e-9 * fabs(whole.gradient[k]), "%d, way %d", k, w);
        phx_gradient_free(&whole);
        phx_gradient_free(&again);
    }
    phx_model_destroy(model);
}

/* Phase margin of L = (kp + kd s)/(m s^2), at the w where |L| = 1. */
static double phase_margin(double kp, double kd, double m, double *w)
{
    *w = sqrt((kd * kd + sqrt(kd * kd * kd * kd + 4.0 * m * m * kp * kp)) / (2.0 * m * m));
    return atan2(kd * *w, kp);
}

static void margins_have_closed_forms(void **state)
{
    static const char text[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "parameters: {kp: 30, kd: 4, m: 2}\n"
                               "bodies: {block: {kind: rigid, mass: m, inertia: 1}}\n"
                               "joints: {guide: {kind: prismatic, ports: [ground.O, block.P], axis: [1, 0]}}\n"
                               "controllers: {pd: {kind: pid, measure: guide, effort: guide, kp: kp, kd: kd}}\n";
    static const char *const names[] = {"kp", "kd", "m"};
    static const double STEP = 1e-4; /* relative */
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    const double at[] = {30.0, 4.0, 2.0};
    double phase[3], delay[3];

    find(context, model, "linearize.phase_margin(pd)", 3, names, PHX_DERIVE_AUTO, phase);
    find(context, model, "linearize.delay_margin(pd)", 3, names, PHX_DERIVE_AUTO, delay);
    for (int p = 0; p < 3; p++) {
        double pm[2], dm[2], w;
        for (int side = 0; side < 2; side++) {
            double moved[] = {at[0], at[1], at[2]};
            moved[p] *= 1.0 + (side ? STEP : -STEP);
            pm[side] = phase_margin(moved[0], moved[1], moved[2], &w);
            dm[side] = pm[side] / w;
        }
        CHECK_RELATIVE(phase[p], (pm[1] - pm[0]) / (2.0 * STEP * at[p]), 1e-6, "phase by %s", names[p]);
        CHECK_RELATIVE(delay[p], (dm[1] - dm[0]) / (2.0 * STEP * at[p]), 1e-6, "delay by %s", names[p]);
    }
    phx_model_destroy(model);
}

/* A phx_log_fn: counts messages of an adjoint that grows. */
static void count_growth(void *user, phx_log_level level, const char *message)
{
    if (level == PHX_LOG_WARNING && strstr(message, "grows"))
        ++*(int *)user;
}

/* A pendulum that stands upright falls as exp(sqrt(g) t), and so grows the adjoint. */
static void growth_is_reported(void **state)
{
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 2\n"
        "gravity: [0, -g]\n"
        "parameters: {g: 25, a: 1e-9}\n"
        "bodies: {arm: {kind: rigid, mass: 1, inertia: 1e-3, centre_of_mass: [0, 1], pose: {angle: a}}}\n"
        "joints: {pivot: {kind: revolute, ports: [ground.O, arm.P]}}\n"
        "outputs: {angle: {coordinate: pivot}}\n"
        "simulate: {end: 4, step: 0.01}\n";
    static const char *const names[] = {"a"};
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    double slope[1];
    int counts[2] = {0, 0};

    for (int slow = 0; slow < 2; slow++) {
        const phx_model_override rate = {.name = "g", .value = slow ? 1.0 : 25.0};
        CHECK_OK(context, phx_model_set_parameters(context, model, 1, &rate));
        phx_context_set_log(context, count_growth, &counts[slow]);
        find(context, model, "simulate.final(angle)", 1, names, PHX_DERIVE_ADJOINT, slope);
        phx_context_set_log(context, NULL, NULL);
    }
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 0);
    phx_model_destroy(model);
}

static void crossing_modes_have_their_mean(void **state)
{
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 2\n"
        "parameters: {k: 50}\n"
        "ground: {ports: {O: {position: [0, 0]}}}\n"
        "bodies: {block: {kind: rigid, mass: 1, inertia: 1}}\n"
        "forces: {mount: {kind: bushing, ports: [ground.O, block.P], stiffness: [k, 50, 4000]}}\n"
        "modes: {count: 3}\n";
    static const char *const names[] = {"k"}, *first = "modes.omega.1", *mean = "modes.mean.1.2";
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found;
    double slope;

    options.n_objectives = options.n_parameters = 1;
    options.objectives = &first;
    options.parameters = names;
    CHECK_STATUS(context, phx_gradient_find(context, model, &options, &found), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "does not follow k smoothly");
    find(context, model, mean, 1, names, PHX_DERIVE_AUTO, &slope);
    CHECK_RELATIVE(slope, 0.25 / sqrt(50.0), 1e-8, "d/dk of the mean of two equal modes");
    phx_model_destroy(model);
}

/* A ball that falls from H bounces with e: t_1 = v_1/g, v_1^2 = 2 g H, y = e v_1 s - g s^2/2, s = T - t_1. A block with
 * the speed v slips to rest over v^2/(2 mu g) in the time v/(mu g). Both are exact in the steps of `midpoint`, whose
 * events are located to rounding. */
static void impact_and_friction_have_closed_forms(void **state)
{
    static const char ball[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "gravity: [0, -9.81]\n"
                               "parameters: {H: 1, e: 0.6}\n"
                               "ground: {ports: {O: {position: [0, 0]}}}\n"
                               "bodies: {ball: {kind: rigid, mass: 2, inertia: 1, pose: {position: [0, H]}}}\n"
                               "forces: {floor: {kind: contact, ports: [ground.O, ball.P], against: plane,\n"
                               "                 normal: [0, 1], restitution: e}}\n"
                               "outputs: {y: {position: ball.P}}\n"
                               "simulate: {end: 0.6, step: 1e-3}\n";
    static const char block[] = "phlexor: 1\n"
                                "dimension: 2\n"
                                "parameters: {mu: 0.3, v: 2}\n"
                                "ground: {ports: {O: {position: [0, 0]}}}\n"
                                "bodies: {block: {kind: rigid, mass: 2, inertia: 1}}\n"
                                "joints: {slide: {kind: prismatic, ports: [ground.O, block.P], axis: [1, 0], rate: v,\n"
                                "                 friction: {force: 2*9.81*mu}}}\n"
                                "outputs: {x: {coordinate: slide}}\n"
                                "simulate: {end: 1, step: 1e-3}\n";
    static const char *const of_ball[] = {"H", "e"}, *const of_block[] = {"mu", "v"};
    phx_context *context = *state;
    phx_model *model = read_model(context, ball);
    const double g = 9.81, v1 = sqrt(2.0 * g), s = 0.6 - v1 / g, e = 0.6, mu = 0.3, v = 2.0;
    double slope[2];

    find(context, model, "simulate.final(y.y)", 2, of_ball, PHX_DERIVE_AUTO, slope);
    CHECK_RELATIVE(slope[0], (e * g * s - e * v1 + g * s) / v1, 1e-9, "height of a ball by the height of its fall");
    CHECK_RELATIVE(slope[1], v1 * s, 1e-9, "height of a ball by its restitution");
    find(context, model, "simulate.when(y(y.y) - 0.5)", 2, of_ball, PHX_DERIVE_AUTO, slope);
    CHECK_RELATIVE(slope[0], 1.0 / sqrt(g), 1e-5,
                   "time to half the height by the height"); /* linear in steps of 1 ms */
    CHECK_SMALL(slope[1], 1e-9, "time to half the height by the restitution");
    phx_model_destroy(model);
    model = read_model(context, block);
    find(context, model, "simulate.final(x)", 2, of_block, PHX_DERIVE_AUTO, slope);
    CHECK_RELATIVE(slope[0], -v * v / (2.0 * mu * mu * g), 1e-9, "way of a block by friction");
    CHECK_RELATIVE(slope[1], v / (mu * g), 1e-9, "way of a block by its speed");
    phx_model_destroy(model);
}

/* Steps are constants of exact derivatives: a parameter that moves their end or a jump between them is refused. */
static void parameters_of_the_steps_are_refused(void **state)
{
    static const char text[] = "phlexor: 1\n"
                               "dimension: 3\n"
                               "parameters: {T: 1.2, a: 0.5, v: 2}\n"
                               "bodies: {block: {kind: rigid, mass: 2, inertia: [1, 1, 1],\n"
                               "                 velocity: {linear: [v, 0, 0]}}}\n"
                               "loads: {push: {at: block.P, force: [3*step(t - a), 0, 0]}}\n"
                               "outputs: {x: {position: block.P}}\n"
                               "simulate: {end: T, step: 0.01}\n";
    static const char *const names[] = {"a", "T"}, *objective = "simulate.final(x.x)";
    static const char *const reasons[] = {"moves a jump", "changes the end"};
    static const phx_status refusals[] = {PHX_ERR_ANALYSIS, PHX_ERR_UNSUPPORTED};
    phx_context *context = *state;
    phx_model *model = read_model(context, text);
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found;

    options.n_objectives = options.n_parameters = 1;
    options.objectives = &objective;
    options.derivation = PHX_DERIVE_ADJOINT;
    for (int p = 0; p < 2; p++) {
        options.parameters = names + p;
        CHECK_STATUS(context, phx_gradient_find(context, model, &options, &found), refusals[p]);
        CHECK_MESSAGE(context, reasons[p]);
    }
    phx_model_destroy(model);
}

static void wrong_objectives_are_named(void **state)
{
    static const struct {
        const char *text, *part;
    } wrong[] = {{"modes.gamma.1", "expected one of"},
                 {"modes.omega.0", "a number from 1"},
                 {"simulate.final", "an expression in parentheses"},
                 {"simulate.at(tip.y)", "a time in s"},
                 {"simulate.final(tip.y", "in parentheses"},
                 {"linearize.pole.1", ".re or .im"},
                 {"linearize.gain.1.1", "a frequency"},
                 {"modes.damping.1x", "nothing behind"}};
    phx_context *context = *state;

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        phx_objective objective;
        CHECK_STATUS(context, phx_objective_parse(context, wrong[k].text, &objective), PHX_ERR_INPUT);
        CHECK_MESSAGE(context, wrong[k].part);
        CHECK_MESSAGE(context, wrong[k].text);
        phx_objective_free(&objective);
    }
}

/* Each allocation fails once. */
static void memory_may_be_short(void **state)
{
    static const char *const names[] = {"k", "l"}, *objective = "simulate.final(block.x)";
    phx_context *context = *state;
    phx_model *model = read_model(context, crank);
    phx_gradient_options options = phx_gradient_options_default();
    phx_status status = PHX_ERR_MEMORY;

    model->simulate.end.value = 2e-3;
    options.n_objectives = 1;
    options.objectives = &objective;
    options.n_parameters = 2;
    options.parameters = names;
    for (int way = 0; way < 2; way++) {
        options.derivation = way ? PHX_DERIVE_ADJOINT : PHX_DERIVE_TANGENT;
        status = PHX_ERR_MEMORY;
        for (long k = 1; status == PHX_ERR_MEMORY; k += 1 + k / 4) {
            phx_gradient found;
            phx_context_fail_allocation(context, k);
            status = phx_gradient_find(context, model, &options, &found);
            phx_context_fail_allocation(context, 0);
            if (!status)
                phx_gradient_free(&found);
        }
        CHECK_STATUS(context, status, PHX_OK);
    }
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(oscillator_has_its_closed_form, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(shape_of_a_cantilever_has_its_closed_form, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(threads_change_nothing, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(accelerated_body_has_its_closed_form, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(adjoint_tangent_and_differences_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(steps_are_made_again, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(margins_have_closed_forms, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(growth_is_reported, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(crossing_modes_have_their_mean, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(impact_and_friction_have_closed_forms, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(parameters_of_the_steps_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_objectives_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(memory_may_be_short, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
