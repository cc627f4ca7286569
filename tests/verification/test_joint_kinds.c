/* Kinds of joint whose motions are known in closed form, all four in one model: bodies on springs along the coordinates
 * of a point_on_plane, a cartesian on a turning carrier, a parallel and a perpendicular joint. The poses as written are
 * far from closed. */
#include "mechanism.h"

#include <complex.h>

enum { COLUMNS = 11 };

static const double gravity[3] = {1.0, -2.0, -9.81};

static const char model[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [1, -2, -9.81]\n"
    "ground: {ports: {P: {position: [0.1, 0.2, 0.3], rotation: {axis: [1, -1, 2], angle: 0.8}},\n"
    "  C: {}, V: {rotation: {axis: [0, 1, 1], angle: -0.6}}, X: {rotation: {axis: [2, 1, 0], angle: 1.1}}}}\n"
    "bodies:\n"
    "  bead: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], ports: {B: {}}, velocity: {angular: [0, 0, 3]},\n"
    "    pose: {position: [0.5, 0.9, -0.2]}}\n"
    "  carrier: {kind: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], ports: {O: {}, C: {position: [0.4, 0.1, 0]}}}\n"
    "  table: {kind: rigid, mass: 3, inertia: [0.2, 0.3, 0.4], ports: {B: {}}, pose: {position: [0.2, 0.1, 0.4]}}\n"
    "  vane: {kind: rigid, mass: 1.5, inertia: [0.2, 0.3, 0.4], ports: {B: {}},\n"
    "    velocity: {linear: [0.5, -1, 4]}, pose: {position: [1, 2, 3], rotation: {axis: [1, 0, 0], angle: 0.9}}}\n"
    "  cross: {kind: rigid, mass: 0.7, inertia: [0.2, 0.2, 0.3], ports: {B: {}},\n"
    "    pose: {rotation: {axis: [1, 1, 0], angle: 1.4}}}\n"
    "joints:\n"
    "  on: {kind: point_on_plane, ports: [ground.P, bead.B], normal: [1, 2, 2], position: [0.3, -0.2],\n"
    "    rate: [0.5, 1], stiffness: [40, 90], rest: [0.1, 0]}\n"
    "  turntable: {kind: revolute, ports: [ground.C, carrier.O], axis: [0, 0, 1], angle: 0, speed: 1.5}\n"
    "  shift: {kind: cartesian, ports: [carrier.C, table.B], rotation: {axis: [1, 1, 0], angle: 0.7},\n"
    "    position: [0.1, 0.2, -0.3], rate: [0.4, -0.5, 0.6], stiffness: [60, 60, 150], rest: [0, 0, 0.2]}\n"
    "  beside: {kind: parallel, ports: [ground.V, vane.B], axis: [1, 2, 3], axis_b: [0, 3, 4], angle: 0.4, rate: 2,\n"
    "    stiffness: 5, rest: -0.3}\n"
    "  across: {kind: perpendicular, ports: [ground.X, cross.B], axes: [[1, 0, 0], [0, 0, 1]], angle: [0.3, -0.4],\n"
    "    rate: [0.5, 2], stiffness: [1, 4], rest: [0.2, 0.1]}\n"
    "outputs: {on: {coordinate: on}, shift: {coordinate: shift}, beside: {coordinate: beside},\n"
    "  across: {coordinate: across}, fall: {position: vane.B}}\n";

/* m q'' = -k (q - rest) + f */
static double oscillation(double m, double k, double rest, double f, double q0, double rate0, double t)
{
    const double w = sqrt(k / m), centre = rest + f / k;
    return centre + (q0 - centre) * cos(w * t) + rate0 / w * sin(w * t);
}

/* The directions e and n x e in the plane across n = (1, 2, 2)/3, of which y is the direction nearest to n: e is z made
 * perpendicular to it. Port P turned by R. */
static void on_plane(double t, double *q)
{
    static const double n[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, axis[3] = {1.0, -1.0, 2.0};
    double e[2][3], R[9], along[3], length = sqrt(1.0 - n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        e[0][i] = ((i == 2) - n[2] * n[i]) / length;
    phx_vec_x_vec(3, n, e[0], e[1]);
    phx_rot_axis_angle(3, axis, 0.8, R);
    static const double k[2] = {40.0, 90.0}, rest[2] = {0.1, 0.0}, q0[2] = {0.3, -0.2}, rate0[2] = {0.5, 1.0};
    for (int c = 0; c < 2; c++) {
        double f = 0.0;
        phx_rot_apply(3, R, e[c], along);
        for (int i = 0; i < 3; i++)
            f += 2.0 * gravity[i] * along[i];
        q[c] = oscillation(2.0, k[c], rest[c], f, q0[c], rate0[c], t);
    }
}

/* On a carrier that turns with W about z, with an isotropic spring across z, in the inertial frame: z = x + i y,
 * z'' = -w^2 (z - c exp(i W t)) + g,  q = exp(-i W t) z - c. */
static void on_turntable(double t, double *q)
{
    const double mass = 3.0, W = 1.5, w2 = 60.0 / mass, w = sqrt(w2);
    const double complex c = 0.4 + 0.1 * I, g = gravity[0] + gravity[1] * I, q0 = 0.1 + 0.2 * I, rate0 = 0.4 - 0.5 * I;
    const double complex forced = w2 / (w2 - W * W) * c, z0 = q0 + c, z_dot0 = rate0 + I * W * z0;
    const double complex a = z0 - forced - g / w2, b = (z_dot0 - I * W * forced) / w;
    const double complex z = forced * cexp(I * W * t) + g / w2 + a * cos(w * t) + b * sin(w * t);
    const double complex shift = cexp(-I * W * t) * z - c;
    q[0] = creal(shift);
    q[1] = cimag(shift);
    q[2] = oscillation(mass, 150.0, 0.2, mass * gravity[2], -0.3, 0.6, t);
}

/* About (0, 0.6, 0.8) of the vane; about a, across the axis of symmetry, and about b, along it. The vane falls. */
static void angles_and_fall(double t, double *q)
{
    static const double place[3] = {1.0, 2.0, 3.0}, velocity[3] = {0.5, -1.0, 4.0};
    q[0] = oscillation(0.36 * 0.3 + 0.64 * 0.4, 5.0, -0.3, 0.0, 0.4, 2.0, t);
    q[1] = oscillation(0.2, 1.0, 0.2, 0.0, 0.3, 0.5, t);
    q[2] = oscillation(0.3, 4.0, 0.1, 0.0, -0.4, 2.0, t);
    for (int i = 0; i < 3; i++)
        q[3 + i] = place[i] + velocity[i] * t + 0.5 * gravity[i] * t * t;
}

static void compare(mechanism *m, double t, const double *x, const double *v)
{
    double *largest = m->looker, exact[COLUMNS];
    on_plane(t, exact);
    on_turntable(t, exact + 2);
    angles_and_fall(t, exact + 5);
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    for (int c = 0; c < COLUMNS; c++)
        *largest = fmax(*largest, fabs(m->columns[c] - exact[c]));
}

static const struct {
    phx_integrator integrator;
    double step, rtol, error; /* of the coordinates */
    double residual, drift;   /* of the energy, over the largest kinetic one; of the joints */
} runs[] = {
    {PHX_MIDPOINT, 1e-3, 0.0, 1e-4, 1e-12, 1e-13}, {PHX_MIDPOINT4, 1e-2, 0.0, 1e-7, 1e-12, 1e-13},
    {PHX_GAUSS4, 1e-2, 0.0, 1e-6, 1e-9, 1e-13},    {PHX_GAUSS6, 1e-2, 0.0, 1e-10, 1e-12, 1e-13},
    {PHX_RADAU5, 1e-2, 1e-10, 1e-8, 1e-9, 1e-10},  {PHX_IDA, 1e-2, 1e-10, 1e-7, 1e-8, 1e-9},
    {PHX_DOP853, 2e-2, 0.0, 1e-11, 1e-12, 1e-13},  {PHX_DOP853, 0.0, 1e-10, 1e-9, 1e-9, 1e-13},
};

static void closed_forms(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        double largest = 0.0;
        mechanism m;
        mechanism_open(&m, model, 0, NULL);
        assert_int_equal(phx_system_columns(m.system), COLUMNS);
        m.look = compare;
        m.looker = &largest;
        phx_integrate_options options = phx_integrate_options_default();
        options.integrator = runs[k].integrator;
        options.step = runs[k].step;
        options.rtol = options.atol = runs[k].rtol;
        options.end = 2.0;
        options.every = 0.02;
        mechanism_run(&m, &options);
        const char *name = phx_integrator_name(runs[k].integrator);
        CHECK_SMALL(largest, runs[k].error, "%s: coordinates", name);
        CHECK_SMALL(m.largest_residual / m.largest_kinetic, runs[k].residual, "%s: balance of energy", name);
        CHECK_SMALL(m.largest_drift, runs[k].drift, "%s: gaps", name);
        print_message("%-10s error %.1e, residual %.1e, gap %.1e\n", name, largest,
                      m.largest_residual / m.largest_kinetic, m.largest_drift);
        mechanism_close(&m);
    }
}

/* A body that does not turn, on two springs, in the plane. */
static const char plane_model[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [1, -2]\n"
    "ground: {ports: {C: {position: [0.3, 0.1], angle: 0.3}}}\n"
    "bodies: {table: {kind: rigid, mass: 3, inertia: 0.2, ports: {B: {angle: 0.1}}, pose: {angle: 1.5}}}\n"
    "joints: {shift: {kind: cartesian, ports: [ground.C, table.B], angle: 0.4, position: [0.1, 0.2], rate: [0.4, "
    "-0.5],\n"
    "  stiffness: [60, 150], rest: [0, 0.2]}}\n"
    "outputs: {shift: {coordinate: shift}, turn: {angle: table.B}}\n";

static void compare_plane(mechanism *m, double t, const double *x, const double *v)
{
    const double c = cos(0.3), s = sin(0.3), f[2] = {3.0 * (c - 2.0 * s), 3.0 * (-s - 2.0 * c)};
    const double exact[3] = {oscillation(3.0, 60.0, 0.0, f[0], 0.1, 0.4, t),
                             oscillation(3.0, 150.0, 0.2, f[1], 0.2, -0.5, t), 0.3 + 0.4};
    double *largest = m->looker;
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    for (int k = 0; k < 3; k++)
        *largest = fmax(*largest, fabs(m->columns[k] - exact[k]));
}

static void closed_form_in_the_plane(void **state)
{
    double largest = 0.0;
    mechanism m;
    (void)state;
    mechanism_open(&m, plane_model, 0, NULL);
    assert_int_equal(m.dae->n_v - m.dae->n_l, 2);
    m.look = compare_plane;
    m.looker = &largest;
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = PHX_GAUSS6;
    options.step = 1e-2;
    options.end = 2.0;
    mechanism_run(&m, &options);
    CHECK_SMALL(largest, 1e-10, "coordinates and angle in the plane");
    CHECK_SMALL(m.largest_drift, 1e-13, "gap in the plane");
    mechanism_close(&m);
}

static void orders(void **state)
{
    mechanism m;
    (void)state;
    mechanism_open(&m, model, 0, NULL);
    mechanism_check_orders(&m, 0.5, 20, 0.2);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(closed_form_in_the_plane),
                                       cmocka_unit_test(orders)};
    return cmocka_run_group_tests_name("kinds of joint", tests, NULL, NULL);
}
