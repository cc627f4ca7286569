/* Prescribed motions: coordinates are where their signals are at every recorded instant, and what the drives take is
 * what inverse dynamics say. */
#include "mechanism.h"

static const double A1 = 1.2, A3 = 3.0, A0 = 0.3; /* angle of the first link: A0 + A1 sin(A3 t) */

static const char two_links[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {kind: rigid, mass: 2, inertia: 0.3, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}}}\n"
    "  b: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.25, 0.1], pose: {position: [1, 0]}}\n"
    "joints:\n"
    "  A: {kind: revolute, ports: [ground.O, a.P], motion: 0.3 + 1.2*sin(3*t)}\n"
    "  B: {kind: revolute, ports: [a.C, b.P], motion: {ramp: [0.2, 0.8], from: 0.1, to: 2}}\n"
    "outputs: {A: {coordinate: A}, B: {coordinate: B}, TA: {effort: A}, TB: {effort: B}}\n";

/* Angle, rate and acceleration of the second link against the first. */
static void ramp(double t, double jet[3])
{
    const double T = 0.6, d = 1.9, x = fmin(fmax((t - 0.2) / T, 0.0), 1.0);
    jet[0] = 0.1 + d * x * x * x * (10.0 + x * (6.0 * x - 15.0));
    jet[1] = d / T * 30.0 * x * x * (1.0 - x) * (1.0 - x);
    jet[2] = d / (T * T) * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x);
}

/* (c, s): acceleration of the point at `r` from a point with acceleration `a`, on a body that turns. */
static void accelerate(const double a[2], double angle, double rate, double acceleration, const double r[2],
                       double lever[2], double out[2])
{
    lever[0] = cos(angle) * r[0] - sin(angle) * r[1];
    lever[1] = sin(angle) * r[0] + cos(angle) * r[1];
    out[0] = a[0] - acceleration * lever[1] - rate * rate * lever[0];
    out[1] = a[1] + acceleration * lever[0] - rate * rate * lever[1];
}

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* Torques of both drives by Newton's and Euler's equations. */
static void inverse_dynamics(double t, double torque[2])
{
    const double up[2] = {0.0, 9.81}, tip[2] = {1.0, 0.0}, ca[2] = {0.5, 0.0}, cb[2] = {0.25, 0.1};
    const double a[3] = {A0 + A1 * sin(A3 * t), A1 * A3 * cos(A3 * t), -A1 * A3 * A3 * sin(A3 * t)};
    double b[3], arm[2], lever[2], middle[2], at_tip[2], fa[2], fb[2];
    ramp(t, b);
    accelerate(up, a[0], a[1], a[2], tip, arm, at_tip); /* gravity as an acceleration of the ground */
    accelerate(up, a[0], a[1], a[2], ca, middle, fa);
    accelerate(at_tip, a[0] + b[0], a[1] + b[1], a[2] + b[2], cb, lever, fb); /* mass 1 */
    for (int i = 0; i < 2; i++)
        fa[i] *= 2.0;
    torque[1] = 0.1 * (a[2] + b[2]) + cross(lever, fb);
    torque[0] = 0.3 * a[2] + cross(middle, fa) + cross(arm, fb) + torque[1];
}

typedef struct errors {
    double position, torque, largest;
} errors;

static void look_at_links(mechanism *m, double t, const double *x, const double *v)
{
    errors *e = m->looker;
    double b[3], torque[2];
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    ramp(t, b);
    inverse_dynamics(t, torque);
    e->position = fmax(e->position, fabs(m->columns[0] - A0 - A1 * sin(A3 * t)));
    e->position = fmax(e->position, fabs(m->columns[1] - b[0]));
    for (int k = 0; k < 2; k++) {
        e->torque = fmax(e->torque, fabs(m->columns[2 + k] - torque[k]));
        e->largest = fmax(e->largest, fabs(torque[k]));
    }
}

/* The midpoint rule, and what is made of it, is on the signals to rounding; the others to their order. */
static void positions_and_reactions(void **state)
{
    static const struct {
        phx_integrator integrator;
        double position, torque;
    } cases[] = {{PHX_MIDPOINT, 1e-13, 1e-8},
                 {PHX_MIDPOINT4, 1e-13, 1e-8},
                 {PHX_GAUSS4, 1e-6, 1e-4},
                 {PHX_GAUSS6, 1e-11, 1e-8},
                 {PHX_RADAU5, 1e-8, 1e-5}};
    (void)state;
    mechanism m;
    errors e;
    mechanism_open(&m, two_links, 0, NULL);
    m.look = look_at_links;
    m.looker = &e;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_integrate_options options = phx_integrate_options_default();
        options.integrator = cases[k].integrator;
        options.end = 1.0;
        options.step = 2e-3;
        e = (errors){0};
        mechanism_reset(&m);
        mechanism_run(&m, &options);
        CHECK_BELOW(e.position, cases[k].position, "%s: positions", phx_integrator_name(options.integrator));
        CHECK_BELOW(e.torque, cases[k].torque * e.largest, "%s: torques", phx_integrator_name(options.integrator));
    }
    mechanism_close(&m);
}

/* A point along a path in space: a body on a free joint whose displacements are prescribed and whose turns are free,
 * and one that does not turn. */
static void look_at_path(mechanism *m, double t, const double *x, const double *v)
{
    const double want[3] = {cos(2.0 * t), sin(2.0 * t), 0.1 * t * t};
    double *largest = m->looker;
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    for (int i = 0; i < 6; i++)
        *largest = fmax(*largest, fabs(m->columns[i] - want[i % 3]));
}

static void points_follow_paths(void **state)
{
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 3\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  free: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], centre_of_mass: [0.1, 0, 0.2], pose: {position: [1, "
        "0, "
        "0], rotation: {axis: [1, 2, 3], angle: 0.7}}, velocity: {angular: [1, -2, 3]}}\n"
        "  held: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], centre_of_mass: [0.1, 0, 0.2], pose: {position: [1, "
        "0, "
        "0]}}\n"
        "joints:\n"
        "  F: {kind: free, ports: [ground.O, free.P], motion: [cos(2*t), sin(2*t), 0.1*t^2, null, null, null]}\n"
        "  H: {kind: cartesian, ports: [ground.O, held.P], motion: [cos(2*t), sin(2*t), 0.1*t^2]}\n"
        "outputs: {f: {position: free.P}, h: {position: held.P}}\n";
    phx_integrate_options options = phx_integrate_options_default();
    double largest = 0.0;
    mechanism m;
    (void)state;
    mechanism_open(&m, text, 0, NULL);
    m.look = look_at_path;
    m.looker = &largest;
    options.end = 1.0;
    options.step = 1e-3;
    mechanism_run(&m, &options);
    CHECK_BELOW(largest, 1e-12, "distance from the path");
    CHECK_BELOW(m.largest_residual, 1e-11 * m.largest_energy, "balance of energy");
    mechanism_close(&m);
}

/* A beam whose deformation is held moves as the rigid body of its mass and inertia. */
static void held_bodies_are_rigid(void **state)
{
    static const char form[] =
        "phlexor: 1\n"
        "dimension: 3\n"
        "gravity: [0, 0, -9.81]\n"
        "materials: {steel: {density: 8000, young: 2e11, poisson: 0.3}}\n"
        "bodies:\n"
        "  a: %s\n"
        "joints: {A: {kind: universal, ports: [ground.O, a.P], axes: [[0, 1, 0], [0, 0, 1]], rate: [0, 1]}}\n"
        "loads: {F: {force: [0, 5, 0], at: a.C}}\n"
        "outputs: {tip: {position: a.C}}\n";
    static const char *const bodies[] = {
        "{kind: beam, material: steel, length: 1.5, section: {kind: general, area: 1e-3, inertia: [1e-6, 2e-6], "
        "torsion: 3e-6}, reference: simply_supported, rigid: true, stiffening: true, damping: {modal: 0.1}}",
        "{kind: rigid, mass: 12, centre_of_mass: [0.75, 0, 0], inertia: [0.036, 2.25, 2.25], ports: {C: {position: "
        "[1.5, "
        "0, 0]}}}"};
    phx_integrate_options options = phx_integrate_options_default();
    double tip[2][3];
    (void)state;
    options.end = 0.5;
    options.step = 1e-3;
    for (int k = 0; k < 2; k++) {
        char text[2000];
        mechanism m;
        snprintf(text, sizeof text, form, bodies[k]);
        mechanism_open(&m, text, 0, NULL);
        assert_int_equal(m.dae->n_v, 6);
        mechanism_run(&m, &options);
        CHECK_OK(m.context, phx_system_outputs(m.dae, m.t, m.x, m.v, m.columns));
        memcpy(tip[k], m.columns, sizeof tip[k]);
        mechanism_close(&m);
    }
    CHECK_VECTOR(3, tip[0], tip[1], 1e-11, "tip of the beam and of the rigid body");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(positions_and_reactions), cmocka_unit_test(points_follow_paths),
                                       cmocka_unit_test(held_bodies_are_rigid)};
    return cmocka_run_group_tests_name("verification_motion", tests, NULL, NULL);
}
