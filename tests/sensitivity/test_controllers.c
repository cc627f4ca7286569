/* Gradients of runs with controllers: adjoint, tangents and differences of whole runs agree, for every kind, continuous
 * and sampled. */
#include "study/study.h"
#include "support/testing.h"

#include <phlexor/sensitivity.h>

/* Two links, of which the second one bends; a satellite with a boom on a tether. */
static const char links[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {E: 7e8, l: 0.6, m: 0.8, kp: 30, kd: 2, ki: 15, T: 0.02, top: 6, a: -8, b: 3, x: 0.4, q: 2}\n"
    "materials: {soft: {density: 1200, young: E}}\n"
    "bodies:\n"
    "  upper: {kind: rigid, mass: 1.1*m, inertia: 0.05, centre_of_mass: [0.2, 0], ports: {C: {position: [x, 0]}}}\n"
    "  lower: {kind: beam, material: soft, length: l, section: {kind: circle, diameter: 0.02}, elements: 2, reference: "
    "cantilever, pose: {position: [x, 0]}}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, ports: [ground.O, upper.P], angle: 0}\n"
    "  elbow: {kind: revolute, ports: [upper.C, lower.P], angle: 0}\n"
    "loads: {push: {force: [0, 0], at: lower.C, frame: body}, side: {force: [0, 0], at: upper.C, frame: inertial}, "
    "twist: {torque: 0, at: lower.C}}\n"
    "outputs:\n"
    "  q1: {coordinate: shoulder}\n"
    "  q2: {coordinate: elbow}\n"
    "  tip: {position: lower.C}\n"
    "  own: {position: lower.C, frame: body}\n"
    "  v: {velocity: lower.C, frame: body}\n"
    "  w: {angular_velocity: lower.C}\n"
    "  s: {velocity: upper.C}\n"
    "  turn: {angle: lower.C}\n"
    "  bend: {deformation: lower.C}\n"
    "controllers:\n"
    "%s"
    "simulate: {end: 0.06, step: 2e-3}\n";

static const char satellite[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, -1]\n"
    "parameters: {E: 5e8, m: 1.3, l: 0.7, k: 1.5, d: 0.8, a: -4, b: 0.3}\n"
    "materials: {soft: {density: 1200, young: E, poisson: 0.3}}\n"
    "bodies:\n"
    "  hub: {kind: rigid, mass: m, inertia: [0.1, 0.2, 0.15], ports: {A: {position: [0.2, 0, 0]}}, velocity: {angular: "
    "[0.3, 2, 1]}}\n"
    "  boom: {kind: beam, material: soft, length: l, section: {kind: circle, diameter: 0.02}, elements: 2, reference: "
    "cantilever, pose: {position: [0.2, 0, 0]}}\n"
    "joints:\n"
    "  hinge: {kind: revolute, ports: [hub.A, boom.P], axis: [0, 0, 1], angle: 0.1, damping: 0.01}\n"
    "loads:\n"
    "  wheel: {torque: [0, 0, 0], at: hub.P, frame: body}\n"
    "  jet: {force: [0, 0, 0], at: boom.C, frame: body}\n"
    "  rope: {force: [0, 0, 0], at: hub.A, frame: inertial}\n"
    "outputs:\n"
    "  w: {angular_velocity: hub.P, frame: body}\n"
    "  wi: {angular_velocity: boom.C}\n"
    "  v: {velocity: boom.C, frame: body}\n"
    "  tip: {position: boom.C}\n"
    "  q1: {coordinate: hinge}\n"
    "controllers:\n"
    "%s"
    "springs: {tether: {ports: [ground.O, boom.C], stiffness: k, length: 0.8}}\n"
    "simulate: {end: 0.06, step: 2e-3}\n";

/* A pendulum in small steps, so that an output comes to its limit by less than a neighbour differs in it. */
static const char pendulum[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {kp: 20, ki: 30, a: 2, l: 0.6}\n"
    "bodies: {arm: {kind: rigid, mass: 1.5, inertia: 0.1, centre_of_mass: [l, 0], ports: {C: {position: [l, 0]}}}}\n"
    "joints: {pin: {kind: revolute, ports: [ground.O, arm.P], angle: 0}}\n"
    "outputs: {q1: {coordinate: pin}, tip: {position: arm.C}}\n"
    "controllers:\n"
    "%s"
    "simulate: {end: 0.1, step: 2e-4}\n";

typedef struct loop {
    const char *mechanism, *controllers, *parameters;
} loop;
static const loop loops[] = {
    {pendulum, "  c: {kind: pid, measure: pin, effort: pin, kp: kp, ki: ki, anti_windup: a, limit: [-0.6, 0.6]}\n",
     "kp ki a l"},
    {pendulum, "  c: {kind: pid, measure: pin, effort: pin, kp: kp, ki: ki, limit: [-0.6, 0.6], sample: 2e-4}\n",
     "kp ki l"},
    {links,
     "  c: {kind: pid, measure: shoulder, effort: shoulder, kp: kp, kd: kd, ki: ki, filter: T, reference: "
     "\"sin(3*t)\"}\n",
     "E l m x kp kd ki T"},
    {links,
     "  c: {kind: pid, measure: shoulder, rate: w, effort: shoulder, kp: kp, kd: kd, ki: ki, anti_windup: b, limit: "
     "[-top, top], reference: \"0.4*sin(6*t)\"}\n",
     "E l m x kp kd ki top b"},
    {links,
     "  c: {kind: state_space, inputs: [own.x, v.y, w], outputs: [push.fx, twist.tz], A: [[a, b], [0, a]], B: [[1, 0, "
     "0.1*q], [0, 0.1*b, 1]], C: [[1, q], [0.1*b, 0.1]], D: [[0, 0.1, 0], [0, 0, -0.01]], initial: [b, 0]}\n",
     "E l m x a b q"},
    {links,
     "  c: {kind: port_hamiltonian, ports: [push.fy, elbow.effort], J: [[0, 1], [-1, 0]], R: [[b, 0], [0, 0]], Q: [[q, "
     "0], [0, 2]], B: [[1, 0], [0, 1]], P: [[0.1, 0], [0, 0]], S: [[1, 0], [0, 1]], N: [[0, 1], [-1, 0]]}\n",
     "E l m x b q"},
    {links,
     "  c: {kind: port_hamiltonian, ports: [side.fy, twist.tz], J: [[0, 1], [-1, 0]], R: [[b, 0], [0, 0]], Q: [[q, 0], "
     "[0, 2]], B: [[1, 0], [0, 1]]}\n",
     "E l m x b q"},
    {links,
     "  c: {kind: expression, efforts: {twist.tz: \"-0.1*kd*tanh(y(q2)) + 0.01*q*y(v.x)^2 - y(bend.y)*E*1e-8\", "
     "side.fy: \"-b*y(s.y)*abs(y(s.y)) - y(turn)\"}}\n",
     "E l m x kd b q"},
    {links,
     "  p: {kind: pid, measure: shoulder, effort: shoulder, kp: kp, ki: ki}\n"
     "  c: {kind: expression, efforts: {twist.tz: \"-0.1*y(p.u1)^2*sin(a*t)\"}}\n",
     "E l m x kp ki a"},
    {links,
     "  c: {kind: pid, measure: shoulder, rate: w, effort: shoulder, kp: kp, kd: kd, ki: ki, anti_windup: b, limit: "
     "[-top, top], reference: \"0.4*sin(6*t)\", sample: 0.01, delay: 1}\n",
     "E l m x kp kd ki top b"},
    {links,
     "  p: {kind: pid, measure: elbow, effort: elbow, kp: kp, ki: ki}\n"
     "  r: {kind: state_space, inputs: [own.x, v.y, p.u1], outputs: [push.fx], A: [[0.5, 0.1], [0, 0.4]], B: [[0.1, 0, "
     "0.01], [0, 0.01*b, 0.1]], C: [[0.1, q]], D: [[0, 0.1, 0.02]], sample: 0.01}\n"
     "  c: {kind: expression, efforts: {shoulder.effort: \"-0.1*y(r.u1)^2 - 0.01*kp*y(w)\"}, sample: 0.006, delay: "
     "2}\n",
     "E l m x kp ki b q"},
    {satellite,
     "  c: {kind: state_space, inputs: [w.x, w.y, w.z, wi.z, tip.z], outputs: [wheel.tx, wheel.ty, wheel.tz], A: "
     "[[a]], B: [[0.1, 0.2, 0, 0.5, 0.3]], C: [[b], [-b], [1]], D: [[-d, 0, 0, 0, 0], [0, -d, 0, 0, 0.1], [0, 0, -d, "
     "0.1, 0]]}\n"
     "  e: {kind: port_hamiltonian, ports: [jet.fy, hinge.effort, rope.fx], J: [[0, 1], [-1, 0]], R: [[k, 0], [0, 0]], "
     "B: [[1, 0, 0.2], [0, 1, 0.1]]}\n"
     "  s: {kind: pid, measure: v.y, effort: jet.fz, kp: b, ki: 0.1}\n",
     "E m l k d a b"},
    {satellite,
     "  c: {kind: state_space, inputs: [w.x, w.y, w.z, wi.z, tip.z], outputs: [wheel.tx, wheel.ty, wheel.tz], A: "
     "[[a]], B: [[0.1, 0.2, 0, 0.5, 0.3]], C: [[b], [-b], [1]], D: [[-d, 0, 0, 0, 0], [0, -d, 0, 0, 0.1], [0, 0, -d, "
     "0.1, 0]], limit: [[-1, 1], [-0.5, 0.5], [-1, 1]]}\n"
     "  e: {kind: port_hamiltonian, ports: [jet.fy, hinge.effort, rope.fx], J: [[0, 1], [-1, 0]], R: [[k, 0], [0, 0]], "
     "B: [[1, 0, 0.2], [0, 1, 0.1]]}\n"
     "  s: {kind: pid, measure: v.y, effort: jet.fz, kp: b, ki: 0.1, sample: 0.01}\n",
     "E m l k d a b"},
};

enum { OBJECTIVES = 6, MOST = 16 };

static phx_gradient find(phx_context *context, const phx_model *model, int m, const char *const *names,
                         phx_derivation derivation, double memory)
{
    static const char *const objectives[OBJECTIVES] = {"simulate.final(q1)",     "simulate.final(tip.y)",
                                                       "simulate.final(energy)", "simulate.final(kinetic)",
                                                       "simulate.final(c.u1)",   "simulate.integral(y(c.u1)^2)"};
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found;

    options.n_objectives = OBJECTIVES;
    options.objectives = objectives;
    options.n_parameters = m;
    options.parameters = names;
    options.derivation = derivation;
    if (memory > 0.0)
        options.memory = memory;
    CHECK_OK(context, phx_gradient_find(context, model, &options, &found));
    return found;
}

static phx_model *read_loop(phx_context *context, const loop *of)
{
    char text[4000];
    phx_model *model = NULL;

    snprintf(text, sizeof text, of->mechanism, of->controllers);
    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* The largest difference of two gradients, relative to the second and to what a change of the parameter by 0.1 % of it
 * would be of the largest value: energies are small differences of large ones. */
static double gap(int m, const phx_gradient *one, const phx_gradient *other)
{
    double largest = 0.0, worst = 0.0;

    for (int k = 0; k < OBJECTIVES; k++)
        largest = fmax(largest, fabs(other->value[k]));
    for (int i = 0; i < OBJECTIVES * m; i++)
        worst = fmax(worst, fabs(one->gradient[i] - other->gradient[i]) /
                                (fabs(other->gradient[i]) + 1e-3 * largest / fabs(other->parameter[i % m])));
    return worst;
}

static int split(char *list, const char **names)
{
    int m = 0;

    for (char *name = strtok(list, " "); name && m < MOST; name = strtok(NULL, " "))
        names[m++] = name;
    return m;
}

static void adjoint_tangent_and_differences_agree(void **state)
{
    phx_context *context = *state;

    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        char list[100];
        const char *names[MOST];
        snprintf(list, sizeof list, "%s", loops[k].parameters);
        const int m = split(list, names);
        phx_model *model = read_loop(context, &loops[k]);
        phx_gradient adjoint = find(context, model, m, names, PHX_DERIVE_ADJOINT, 0.0);
        phx_gradient tangent = find(context, model, m, names, PHX_DERIVE_TANGENT, 0.0);
        phx_gradient differences = find(context, model, m, names, PHX_DERIVE_DIFFERENCES, 0.0);
        phx_gradient again = find(context, model, m, names, PHX_DERIVE_ADJOINT, 1.0);
        CHECK_BELOW(gap(m, &adjoint, &tangent), 1e-9, "%s", loops[k].controllers);
        CHECK_BELOW(gap(m, &differences, &tangent), 1e-6, "%s", loops[k].controllers);
        CHECK_BELOW(gap(m, &again, &adjoint), 1e-9, "checkpoints, %s", loops[k].controllers);
        phx_gradient_free(&adjoint);
        phx_gradient_free(&tangent);
        phx_gradient_free(&differences);
        phx_gradient_free(&again);
        phx_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(adjoint_tangent_and_differences_agree, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
