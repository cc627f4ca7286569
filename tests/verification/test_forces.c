/* Force elements of model files against closed forms: periods of nonlinear oscillators, losses, and the balance. */
#include "mechanism.h"

#include "system/system.h"

#include <string.h>

#define SLIDER                                                                                                         \
    "phlexor: 1\ndimension: 2\nbodies: {m: {kind: rigid, mass: 1, inertia: 1}}\n"                                      \
    "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [1, 0], position: 0.1, rate: 0"
#define OUTPUT "}}\noutputs: {x: {coordinate: j}, v: {rate: j}}\n"

static phx_integrate_options every(double step, double end)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.step = step;
    options.every = step;
    options.end = end;
    return options;
}

/* Instants at which the rate passes zero upwards, by linear interpolation; what the run loses. */
typedef struct passages {
    double t, v, first, last;
    int count;
} passages;

static void look(mechanism *m, double t, const double *x, const double *v)
{
    passages *p = m->looker;
    (void)x;
    if (p->v < 0.0 && v[0] >= 0.0) {
        p->last = p->t + (t - p->t) * p->v / (p->v - v[0]);
        if (p->count++ == 0)
            p->first = p->last;
    }
    p->t = t;
    p->v = v[0];
}

static double period_of(phx_context *context, const char *text, double step, double end)
{
    mechanism m = {.context = context};
    passages p = {0};
    mechanism_open(&m, text, 0, NULL);
    m.look = look;
    m.looker = &p;
    const phx_integrate_options options = every(step, end);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-13 * (1.0 + m.largest_energy), "balance");
    mechanism_close(&m);
    assert_true(p.count > 1);
    return (p.last - p.first) / (p.count - 1);
}

/* T(h) = T + c h^2: the error falls by four, and its extrapolation is the exact period. */
static void check_period(phx_context *context, const char *text, double step, double exact, double tolerance)
{
    const double coarse = period_of(context, text, step, 3.0), fine = period_of(context, text, 0.5 * step, 3.0);
    CHECK_CLOSE((4.0 * fine - coarse) / 3.0, exact, tolerance, "period %.12g and %.12g", coarse, fine);
    CHECK_BETWEEN((coarse - exact) / (fine - exact), 3.5, 4.5, "order of the period");
}

/* k1 x + k3 x^3, amplitude 0.1: 4 K(m)/sqrt(k1 + k3 A^2) with m = k3 A^2/(2 (k1 + k3 A^2)), by the arithmetic-geometric
 * mean K(m) = pi/(2 agm(1, sqrt(1 - m))) */
static void duffing_has_its_period(void **state)
{
    const double k1 = 100.0, k3 = 5e4, A = 0.1, w2 = k1 + k3 * A * A, m = 0.5 * k3 * A * A / w2;
    double a = 1.0, b = sqrt(1.0 - m);
    for (int k = 0; k < 8; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    const double exact = 4.0 * TEST_PI / (2.0 * a) / sqrt(w2);
    check_period(*state, SLIDER ", law: {expression: 100*x + 5e4*x^3, range: [-0.2, 0.2]}" OUTPUT, 2e-3, exact, 2e-6);
}

/* A spring behind a clearance of 0.05 on both sides: half a turn of the oscillator on each side, and the clearance. */
static void free_play_has_its_period(void **state)
{
    const double k = 400.0, clearance = 0.05, A = 0.1, w = sqrt(k);
    const double exact = 2.0 * TEST_PI / w + 4.0 * clearance / (w * (A - clearance));
    check_period(*state, SLIDER ", law: {x: [-1, -0.05, 0.05, 1], f: [-380, 0, 0, 380]}" OUTPUT, 1e-3, exact, 2e-6);
}

/* The same as end stops without losses. */
static void stops_have_the_same_period(void **state)
{
    const double w = sqrt(400.0), exact = 2.0 * TEST_PI / w + 4.0 * 0.05 / (w * 0.05);
    check_period(*state, SLIDER ", stops: {lower: -0.05, upper: 0.05, stiffness: 400}" OUTPUT, 1e-3, exact, 2e-6);
}

/* One half period under Coulomb's friction takes 2 F/k from the amplitude; the regularised law almost the same. */
static void friction_takes_its_share(void **state)
{
    static const char text[] = SLIDER ", stiffness: 100, friction: {force: 0.5, regularised: 1e-5}" OUTPUT;
    mechanism m = {.context = *state};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(1e-3, TEST_PI / 10.0);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.x[0], -(0.1 - 2.0 * 0.5 / 100.0), 1e-6, "amplitude after half a period");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-13, "balance");
    mechanism_close(&m);
}

/* A gas spring held in by a weight: at rest where F (L/(L + x))^n = m g. */
static void gas_carries_its_weight(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: {m: {kind: rigid, mass: 100, inertia: 1,"
        " pose: {position: [0, 0.4]}}}\n"
        "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [0, 1], damping: 3000}}\n"
        "springs: {s: {ports: [ground.O, m.P], length: 0.5, law: {gas: 500, length: 0.3, exponent: 1.3}}}\n"
        "outputs: {x: {coordinate: j}}\n";
    mechanism m = {.context = *state};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(5e-3, 20.0);
    mechanism_run(&m, &options);
    const double stroke = 0.3 * (pow(500.0 / 981.0, 1.0 / 1.3) - 1.0);
    CHECK_CLOSE(m.x[1] - 0.5, stroke, 1e-9, "stroke at rest");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-11, "balance");
    mechanism_close(&m);
}

/* A slider-crank with friction mu |N| in its guide, against Newton-Euler with the exact sign and DOP853: order 2. */
static double crank_angle(phx_context *context, double h, double *residual)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {a: pi/4, b: asin(0.1*sin(pi/4)/0.3)}\n"
        "bodies:\n"
        "  crank: {kind: rigid, mass: 1, inertia: 0.01/12, centre_of_mass: [0.05, 0], ports: {C: {position: [0.1, 0]}},"
        " pose: {angle: a}}\n"
        "  rod: {kind: rigid, mass: 1, inertia: 0.09/12, centre_of_mass: [0.15, 0], ports: {C: {position: [0.3, 0]}},"
        " pose: {position: [0.1*cos(a), 0.1*sin(a)], angle: -b}}\n"
        "  slider: {kind: rigid, mass: 0.5, inertia: 1, pose: {position: [0.1*cos(a) + 0.3*cos(b), 0]}}\n"
        "joints:\n"
        "  pin: {kind: revolute, ports: [ground.O, crank.P], angle: a, rate: 30}\n"
        "  knee: {kind: revolute, ports: [crank.C, rod.P]}\n"
        "  wrist: {kind: revolute, ports: [rod.C, slider.P]}\n"
        "  guide: {kind: prismatic, ports: [ground.O, slider.P], axis: [1, 0],"
        " friction: {coefficient: 0.3, regularised: 1e-3}}\n"
        "outputs: {a: {coordinate: pin}}\n";
    mechanism m = {.context = context};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(h, 0.5);
    mechanism_run(&m, &options);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.5, m.x, m.v, m.columns));
    const double angle = m.columns[0];
    *residual = m.largest_residual;
    mechanism_close(&m);
    return angle;
}

static void reactions_rub(void **state)
{
    const double exact = 15.531052056499163;
    double residual, error[3];
    for (int k = 0; k < 3; k++) {
        error[k] = crank_angle(*state, 1e-3 / (1 << k), &residual) - exact;
        CHECK_CLOSE(residual, 0.0, 1e-11, "balance");
        print_message("h = %g: %g rad off\n", 1e-3 / (1 << k), error[k]);
    }
    CHECK_CLOSE(error[2], 0.0, 3e-4, "angle after 0.5 s");
    CHECK_BETWEEN(error[0] / error[2], 8.0, 32.0, "order 2 over two halvings");
}

/* ---- contacts ---- */
#define BALL                                                                                                           \
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: {b: {kind: rigid, mass: 1, inertia: 0.01,"                 \
    " pose: {position: [0, 1.1]}}}\n"                                                                                  \
    "forces: {floor: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1,"             \
    " stiffness: 1e6, exponent: 1"

/* Falls 1 m less mg/(2k) ... onto a linear spring: time of flight 2 sqrt(2 z/g), then half an oscillation and a bit;
 * largest penetration mg/k + sqrt((mg/k)^2 + 2 m g z/k). */
static void look_deepest(mechanism *m, double t, const double *x, const double *v)
{
    double *deepest = m->looker;
    (void)t, (void)v;
    *deepest = fmax(*deepest, 0.1 - x[1]);
}

static void balls_bounce(void **state)
{
    const double g = 9.81, k = 1e6, z = 1.0, w = sqrt(k), d = g / k, v = sqrt(2.0 * g * z);
    const double deepest = d + sqrt(d * d + 2.0 * d * z), contact = 2.0 * (TEST_PI - atan(v / (w * d))) / w;
    mechanism m = {.context = *state};
    double found = 0.0;
    mechanism_open(&m, BALL "}}\n", 0, NULL);
    m.look = look_deepest;
    m.looker = &found;
    phx_integrate_options options = every(1e-5, 0.5);
    mechanism_run(&m, &options);
    CHECK_CLOSE(found, deepest, 1e-5 * deepest, "largest penetration");
    /* after the impact it rises as from the floor at the end of the contact */
    const double t = 0.5 - 2.0 * z / v - contact, height = 0.1 + v * t - 0.5 * g * t * t;
    CHECK_CLOSE(m.x[1], height, 2e-6, "height after an impact of %g s", contact);
    CHECK_CLOSE(m.largest_residual, 0.0, 4e-12 * g, "balance over 50000 steps");
    mechanism_close(&m);
}

/* Impacts of 3.1 ms in steps of 10: inexact in time, exact in energy. */
static void impacts_inside_a_step_keep_energy(void **state)
{
    mechanism m = {.context = *state};
    mechanism_open(&m, BALL "}}\n", 0, NULL);
    const phx_integrate_options options = every(1e-2, 10.0);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.largest_residual, 0.0, 2e-12 * 9.81, "balance over some ten impacts");
    CHECK_BETWEEN(m.x[1], 0.09, 1.101, "it is still above the floor");
    mechanism_close(&m);
}

/* The restitution of Hunt and Crossley's law, without gravity. */
static void impacts_lose_energy(void **state)
{
    const double chi = 0.05, v = 2.0;
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 60; k++) { /* v/chi - log(1 + chi v)/chi^2 of v and of -e v */
        const double e = 0.5 * (low + high), x = -e * v;
        const double ahead = v / chi - log1p(chi * v) / (chi * chi), behind = x / chi - log1p(chi * x) / (chi * chi);
        *(behind < ahead ? &low : &high) = e;
    }
    mechanism m = {.context = *state};
    mechanism_open(&m,
                   "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 0.01,"
                   " pose: {position: [0, 0.11]}, velocity: {linear: [0, -2]}}}\n"
                   "forces: {floor: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1],"
                   " radius: 0.1, stiffness: 1e6, exponent: 1, damping: 0.05}}\n",
                   0, NULL);
    const phx_integrate_options options = every(1e-5, 0.02);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.v[1] / v, low, 2e-6, "restitution");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-13, "balance");
    mechanism_close(&m);
}

static void momenta_of(const mechanism *m, double *p)
{
    memset(p, 0, 6 * sizeof *p);
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        int x, v;
        double linear[3], angular[3];
        phx_system_offsets(m->system, b, &x, &v);
        phx_body_inertial_momentum(phx_system_body(m->system, b), m->x + x, m->v + v, linear, angular);
        for (int i = 0; i < 3; i++) {
            p[i] += linear[i];
            p[3 + i] += angular[i];
        }
    }
}

/* Three spheres that spin, meet and rub: momenta, and the energy that is booked. */
static void spheres_keep_momenta(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], velocity: {linear: [2, 0, 0], angular: [0, 3, 9]}}\n"
        "  b: {kind: rigid, mass: 2, inertia: [0.02, 0.02, 0.02], pose: {position: [0.5, 0.05, 0.03]}}\n"
        "  c: {kind: rigid, mass: 3, inertia: [0.02, 0.02, 0.02], pose: {position: [0.75, 0.2, 0]},"
        " velocity: {angular: [5, 0, 0]}}\n"
        "forces:\n"
        "  ab: {kind: contact, ports: [a.P, b.P], against: sphere, radius_a: 0.1, radius: 0.12, stiffness: 1e6,"
        " damping: 0.2, friction: {coefficient: 0.4, static: 0.5, stribeck: 0.1, regularised: 0.01}}\n"
        "  bc: {kind: contact, ports: [b.P, c.P], against: sphere, radius_a: 0.12, radius: 0.15, stiffness: 1e6,"
        " friction: {coefficient: 0.4, regularised: 0.01}}\n";
    mechanism m = {.context = *state};
    double before[6], after[6];
    mechanism_open(&m, text, 0, NULL);
    momenta_of(&m, before);
    const phx_integrate_options options = every(1e-4, 0.5);
    mechanism_run(&m, &options);
    momenta_of(&m, after);
    CHECK_VECTOR(6, after, before, 2e-12, "momenta");
    const double energy = m.largest_energy;
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-12 * energy, "balance");
    phx_energies now;
    phx_system_energies(m.system, m.x, m.v, &now);
    CHECK_BETWEEN(now.kinetic, 0.3 * energy, 0.99 * energy, "they met and lost energy");
    mechanism_close(&m);
}

/* A solid sphere on a plane at 20 degrees: it rolls with 5/7 g sin where the coefficient is above 2/7 tan, and slides
 * with g (sin - mu cos) below, turning with 5/2 mu g cos/r. The regularised law creeps by regularised times a part. */
static void spheres_roll_and_slide(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nparameters: {mu: 0.5}\ngravity: [9.81*sin(20*deg), 0, -9.81*cos(20*deg)]\n"
        "bodies: {b: {kind: rigid, mass: 2, inertia: [0.008, 0.008, 0.008],"
        " pose: {position: [0, 0, 0.1 - 1.84368e-5]}}}\n"
        "forces: {slope: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 0, 1], radius: 0.1,"
        " stiffness: 1e6, exponent: 1, damping: 100, friction: {coefficient: mu, regularised: 1e-4}}}\n";
    const double angle = TEST_PI / 9.0, along = 9.81 * sin(angle), across = 9.81 * cos(angle);
    for (int k = 0; k < 2; k++) {
        const double mu = k ? 0.05 : 0.5;
        const phx_model_override set = {.name = "mu", .value = mu};
        mechanism m = {.context = *state};
        mechanism_open(&m, text, 1, &set);
        const phx_integrate_options options = every(1e-3, 1.0);
        mechanism_run(&m, &options);
        const double exact = k ? along - mu * across : 5.0 / 7.0 * along;
        CHECK_CLOSE(m.x[0], 0.5 * exact, 2e-4, "way after a second, coefficient %g", mu);
        CHECK_CLOSE(m.largest_residual, 0.0, 1e-11, "balance");
        mechanism_close(&m);
    }
}

/* ---- cable, coupling, drag, bushing ---- */
static void cable_carries_a_weight(void **state)
{
    /* ends 2 m apart, weight in the middle: 2 T h/sqrt(1 + h^2) = m g, T = k (2 sqrt(1 + h^2) - L) */
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "ground: {ports: {A: {position: [-1, 0]}, B: {position: [1, 0]}}}\n"
        "bodies: {b: {kind: rigid, mass: 10, inertia: 1, pose: {position: [0, -0.6]}}}\n"
        "joints: {j: {kind: prismatic, ports: [ground.O, b.P], axis: [0, 1], damping: 100}}\n"
        "forces: {c: {kind: cable, ports: [ground.A, b.P, ground.B], length: 2.2, stiffness: 1000, damping: 0.1}}\n";
    mechanism m = {.context = *state};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(5e-3, 20.0);
    mechanism_run(&m, &options);
    const double h = -m.x[1], s = sqrt(1.0 + h * h), T = 1000.0 * (2.0 * s - 2.2);
    CHECK_CLOSE(2.0 * T * h / s, 98.1, 1e-8, "tension at the depth %g", h);
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-11, "balance");
    mechanism_close(&m);
}

/* A winch (radius 0.05, angle 6 t^2) lifts an arm over a pulley with inertia (radius 0.1): two cables, the first from
 * winch to pulley, the second from the pulley to the end of the arm. Independent equations, y = (arm, pulley, rates):
 *     I a'' = -m g c cos a - T2 d2'(a) ,  J p'' = 0.1 (T1 - T2) ,  T = k s (1 + beta s') ,  s = x - length > 0 . */
enum { ARM, PULLEY, ARM_RATE, PULLEY_RATE };
static double pull(double stretch, double rate)
{
    return stretch > 0.0 ? 2e4 * stretch * fmax(0.0, 1.0 + 0.01 * rate) : 0.0;
}

static double hoist(double t, const double *y, double *dy)
{
    const double straight = sqrt(4.25), d2 = sqrt(5.0 - 4.0 * sin(y[ARM])), slope = -2.0 * cos(y[ARM]) / d2;
    const double T1 = pull(straight + 0.05 * 6.0 * t * t - 0.1 * y[PULLEY] - (straight - 0.005),
                           0.05 * 12.0 * t - 0.1 * y[PULLEY_RATE]);
    const double T2 = pull(d2 + 0.1 * y[PULLEY] - (sqrt(7.0) - 0.005), slope * y[ARM_RATE] + 0.1 * y[PULLEY_RATE]);
    dy[ARM] = y[ARM_RATE];
    dy[PULLEY] = y[PULLEY_RATE];
    dy[ARM_RATE] = (-10.0 * 9.81 * 0.6 * cos(y[ARM]) - T2 * slope) / (2.0 + 10.0 * 0.36);
    dy[PULLEY_RATE] = 0.1 * (T1 - T2) / 0.02;
    return T1;
}

static void runge_kutta(double end, int steps, double *y)
{
    const double h = end / steps;
    for (int n = 0; n < steps; n++) {
        double k[4][4], at[4];
        memcpy(at, y, sizeof at);
        for (int stage = 0; stage < 4; stage++) {
            const double next = stage < 2 ? 0.5 * h : h;
            hoist(h * n + (stage == 0 ? 0.0 : stage < 3 ? 0.5 * h : h), at, k[stage]);
            for (int i = 0; i < 4; i++)
                at[i] = y[i] + next * k[stage][i];
        }
        for (int i = 0; i < 4; i++)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

/* A rope between two driven blocks slides over two rings, at 90 and 45 degrees: Euler and Eytelwein's ratio of the
 * tensions, whose mean over the length is that of the stretch, and the drives supply what the rings take. */
static void rings_hold_a_rope_back(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nparameters: {speed: 0.1}\n"
        "ground: {ports: {A: {position: [0, -2]}, R: {position: [0, 0]}, S: {position: [1, 0]}, B: {position: [2, "
        "-1]}}}\n"
        "bodies: {a: {kind: rigid, mass: 1, inertia: 1, pose: {position: [0, -2]}},\n"
        "  b: {kind: rigid, mass: 1, inertia: 1, pose: {position: [2, -1]}}}\n"
        "joints: {a: {kind: prismatic, ports: [ground.A, a.P], axis: [0, -1], motion: speed*t},\n"
        "  b: {kind: prismatic, ports: [ground.B, b.P], axis: [1, -1], motion: -speed*t}}\n"
        "forces: {rope: {kind: cable, ports: [a.P, ground.R, ground.S, b.P], length: 4.4, stiffness: 1000,\n"
        "  friction: {coefficient: 0.3, regularised: 1e-3}}}\n"
        "outputs: {a: {effort: a}, b: {effort: b}}\n";
    for (int back = 0; back < 2; back++) {
        mechanism m = {.context = *state};
        const double speed = back ? -0.1 : 0.1, end = 0.5, mu = 0.3;
        const phx_model_override set[] = {{"speed", NULL, speed}};
        mechanism_open(&m, text, 1, set);
        const phx_integrate_options options = every(1e-2, end);
        mechanism_run(&m, &options);
        CHECK_OK(m.context, phx_system_outputs(m.dae, end, m.x, m.v, m.columns));
        const double at_a = m.columns[0], at_b = m.columns[1], ratio = exp((back ? -mu : mu) * 0.75 * TEST_PI),
                     middle = at_b * exp((back ? -mu : mu) * 0.25 * TEST_PI), first = 2.0 + speed * end,
                     last = sqrt(2.0) - speed * end;
        CHECK_CLOSE(at_a / at_b, ratio, 1e-9, "ratio of the tensions");
        CHECK_CLOSE((at_a * first + middle + at_b * last) / (first + 1.0 + last), 1000.0 * (3.0 + sqrt(2.0) - 4.4),
                    1e-9, "mean of the tensions");
        CHECK_CLOSE(m.largest_residual, 0.0, 1e-13, "balance");
        mechanism_close(&m);
    }
}

static void winch_lifts_an_arm(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "ground: {ports: {W: {position: [-0.5, 0]}, H: {position: [0, 2]}}}\n"
        "bodies:\n"
        "  winch: {kind: rigid, mass: 1, inertia: 0.01, pose: {position: [-0.5, 0]}}\n"
        "  pulley: {kind: rigid, mass: 1, inertia: 0.02, pose: {position: [0, 2]}}\n"
        "  arm: {kind: rigid, mass: 10, inertia: 2, centre_of_mass: [0.6, 0], ports: {C: {position: [1, 0]}},\n"
        "    pose: {angle: -30*deg}}\n"
        "joints:\n"
        "  winch: {kind: revolute, ports: [ground.W, winch.P], motion: 6*t^2}\n"
        "  pulley: {kind: revolute, ports: [ground.H, pulley.P], rate: 0}\n"
        "  hinge: {kind: revolute, ports: [ground.O, arm.P], rate: 0}\n"
        "forces:\n"
        "  one: {kind: cable, ports: [winch.P, pulley.P], stiffness: 2e4, damping: 0.01, length: sqrt(4.25) - 0.005,\n"
        "    terms: [{joint: winch, weight: 0.05}, {joint: pulley, weight: -0.1}]}\n"
        "  two: {kind: cable, ports: [pulley.P, arm.C], stiffness: 2e4, damping: 0.01, length: sqrt(7) - 0.005,\n"
        "    terms: [{joint: pulley, weight: 0.1}]}\n"
        "outputs: {arm: {coordinate: hinge}, pulley: {coordinate: pulley}, motor: {effort: winch}}\n";
    const double end = 1.2;
    double y[4] = {-TEST_PI / 6.0, 0.0, 0.0, 0.0}, rates[4], error[2], off[2];
    mechanism m = {.context = *state};

    runge_kutta(end, 20000, y);
    const double torque = 0.05 * hoist(end, y, rates) + 0.01 * 12.0;
    mechanism_open(&m, text, 0, NULL);
    for (int k = 0; k < 2; k++) {
        const phx_integrate_options options = every(k ? 1.25e-4 : 2.5e-4, end);
        if (k)
            mechanism_reset(&m);
        mechanism_run(&m, &options);
        CHECK_OK(m.context, phx_system_outputs(m.dae, end, m.x, m.v, m.columns));
        error[k] = fmax(fabs(m.columns[0] - y[ARM]), fabs(m.columns[1] - y[PULLEY]));
        off[k] = fabs(m.columns[2] - torque);
        CHECK_CLOSE(m.largest_residual, 0.0, 1e-12 * m.largest_energy, "balance");
    }
    CHECK_BELOW(error[1], 1e-5, "arm and pulley against independent equations");
    CHECK_BELOW(error[1], 0.3 * error[0], "order 2");
    CHECK_BELOW(off[1], 1e-4 * torque, "torque of the winch");
    CHECK_BELOW(off[1], 0.3 * off[0], "torque: order 2");
    assert_true(y[ARM] > -TEST_PI / 6.0 + 0.4); /* it is lifted */
    mechanism_close(&m);
}

/* Wheels of inertia 1 and 0.2 with 20 and 10 teeth: frequency sqrt(k (400/1 + 100/0.2)), and the ratio of the means. */
static void geared_wheels_oscillate(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\n"
        "bodies: {a: {kind: rigid, mass: 1, inertia: 1}, b: {kind: rigid, mass: 1, inertia: 0.2}}\n"
        "joints: {ja: {kind: revolute, ports: [ground.O, a.P], rate: 1}, jb: {kind: revolute, ports: [ground.O, b.P],"
        " rate: 0}}\n"
        "forces: {gear: {kind: coupling, terms: [{joint: ja, weight: 20}, {joint: jb, weight: 10}], stiffness: 5}}\n"
        "outputs: {a: {rate: ja}, b: {rate: jb}}\n";
    mechanism m = {.context = *state};
    const double w = sqrt(5.0 * (400.0 / 1.0 + 100.0 / 0.2));
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(1e-5, 0.1);
    mechanism_run(&m, &options);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.1, m.x, m.v, m.columns));
    /* the momentum conjugate to the free motion stays: 1*a/20 - 0.2*b/10 */
    CHECK_CLOSE(m.columns[0] / 20.0 - 0.2 * m.columns[1] / 10.0, 1.0 / 20.0, 1e-13, "momentum");
    CHECK_CLOSE(20.0 * m.columns[0] + 10.0 * m.columns[1], 20.0 * cos(w * 0.1), 2e-5, "rate along the teeth");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-13, "balance");
    mechanism_close(&m);
}

/* m v' = m g - c v^2 from rest: v = vt tanh(g t/vt), vt = sqrt(m g/c); against the air, which rises with 2 m/s. */
static void drag_limits_a_fall(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
        "bodies: {b: {kind: rigid, mass: 2, inertia: [1, 1, 1], velocity: {linear: [0, 0, 2]}}}\n"
        "forces: {air: {kind: drag, ports: [b.P], area: 0.5, coefficient: 0.8, density: 1.25, wind: [0, 0, 2]}}\n";
    mechanism m = {.context = *state};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(1e-3, 2.0);
    mechanism_run(&m, &options);
    const double limit = sqrt(2.0 * 9.81 / 0.25);
    CHECK_CLOSE(m.v[2] - 2.0, -limit * tanh(9.81 * 2.0 / limit), 2e-6, "speed after 2 s");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-12 * m.largest_energy, "balance");
    mechanism_close(&m);
}

/* A stiff beam, or rod, on a hinge turns in still air: I w' = -c int r^3 dr w^2 = -c L^4/4 w^2, so 1/w grows with
 * c L^4/(4 I) t. */
static void wind_brakes_a_beam(void **state)
{
    static const struct {
        const char *body;
        double tolerance;
    } cases[] = {{"kind: beam, elements: 4, reference: simply_supported", 3e-5}, /* they ring */
                 {"kind: rod, elements: 8", 1e-4}};
    const double c = 0.5 * 1.2 * 1.5 * 0.1, area = 4e-4, I = 1000.0 * area * 8.0 / 3.0;

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        mechanism m = {.context = *state};
        char text[1000];
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 1000, young: 1e15, poisson: 0.3}}\n"
                 "bodies: {b: {%s, material: m, length: 2, section: {kind: rectangle, width: 0.02, height: 0.02}}}\n"
                 "joints: {j: {kind: revolute, ports: [ground.O, b.P], axis: [0, 0, 1], rate: 10}}\n"
                 "forces: {air: {kind: wind, on: b, width: 0.1, coefficient: 1.5, density: 1.2}}\n"
                 "outputs: {w: {rate: j}}\n",
                 cases[k].body);
        mechanism_open(&m, text, 0, NULL);
        const phx_integrate_options options = every(1e-3, 1.0);
        mechanism_run(&m, &options);
        CHECK_OK(m.context, phx_system_outputs(m.dae, 1.0, m.x, m.v, m.columns));
        CHECK_CLOSE(1.0 / m.columns[0], 0.1 + c * 16.0 / 4.0 / I, cases[k].tolerance, "rate after a second, {%s}",
                    cases[k].body);
        CHECK_CLOSE(m.largest_residual, 0.0, 1e-12 * m.largest_energy, "balance");
        mechanism_close(&m);
    }
}

/* A body on a bushing in space, pushed and twisted until it rests: K x = f in A's directions; the torque about B. */
static void bushing_carries_a_wrench(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nground: {ports: {A: {rotation: {axis: [1, 1, 0], angle: 0.5}}}}\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], pose: {rotation: {axis: [1, 1, 0], angle: "
        "0.5}}}}\n"
        "forces: {mount: {kind: bushing, ports: [ground.A, b.P], stiffness: [1000, 2000, 3000, 50, 60, 70],"
        " damping: [30, 40, 50, 2, 2, 2], preload: [1, 0, 0, 0, 0, 0]}}\n"
        "loads: {push: {force: [3, -4, 5], at: b.P}, twist: {torque: [2, 1, -3], at: b.P}}\n";
    mechanism m = {.context = *state};
    const double axis[3] = {1.0, 1.0, 0.0};
    double R[9], f[3] = {3.0, -4.0, 5.0}, local[3], x[3];
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(5e-3, 10.0);
    mechanism_run(&m, &options);
    phx_rot_axis_angle(3, axis, 0.5, R);
    phx_rot_apply_transposed(3, R, f, local);
    phx_rot_apply_transposed(3, R, m.x, x);
    local[0] += 1.0;
    for (int i = 0; i < 3; i++)
        CHECK_CLOSE(x[i], local[i] / (1000.0 * (i + 1)), 1e-9, "displacement %d", i);
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-12 * (1.0 + m.largest_energy), "balance");
    mechanism_close(&m);
}

/* Constant power: I v^2/2 grows by P t; below v0 constant torque, so that from rest v = T t/I until v0 = P/T. */
static void motor_has_its_power(void **state)
{
    static const char text[] = "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 0.5}}\n"
                               "joints: {j: {kind: revolute, ports: [ground.O, a.P], rate: 0,"
                               " motor: {expression: \"min(20, 400/max(v, 1))\"}}}\noutputs: {v: {rate: j}}\n";
    mechanism m = {.context = *state};
    const double I = 0.5, T = 20.0, P = 400.0, v0 = P / T, t0 = v0 * I / T, end = 2.0;
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(2e-4, end);
    mechanism_run(&m, &options);
    CHECK_OK(m.context, phx_system_outputs(m.dae, end, m.x, m.v, m.columns));
    CHECK_CLOSE(m.columns[0], sqrt(v0 * v0 + 2.0 * P * (end - t0) / I), 1e-5, "speed");
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-12 * m.largest_energy, "balance");
    mechanism_close(&m);
}

/* Everything at once, far from rest: the balance to 1e-11 of the energy. */
static void all_together_balance(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "ground: {ports: {A: {position: [-1, 1]}, B: {position: [2, 1]}, C: {position: [0, 1]}}}\n"
        "materials: {s: {density: 7800, young: 2.1e11}}\n"
        "bodies:\n"
        "  arm: {kind: beam, material: s, length: 1, section: {kind: rectangle, width: 0.02, height: 0.01},"
        " elements: 4, reference: simply_supported, pose: {position: [0, 1]}}\n"
        "  ball: {kind: rigid, mass: 0.5, inertia: 1e-3, pose: {position: [0.6, 0.3]}}\n"
        "  block: {kind: rigid, mass: 1, inertia: 0.1, pose: {position: [1.4, 0.6]}}\n"
        "joints:\n"
        "  pin: {kind: revolute, ports: [ground.C, arm.P], angle: 0, rate: 0, law: {x: [-1, 0, 1], f: [-20, 0, 5]},"
        " damper: {expression: 0.1*v + 0.05*v*abs(v)}, stops: {lower: -1, upper: 1, stiffness: 1e3, damping: 0.1},"
        " friction: {force: 0.2, static: 0.3, stribeck: 0.1, regularised: 0.01}}\n"
        "springs:\n"
        "  s: {ports: [arm.C, block.P], length: 0.5, law: {expression: 200*x + 3e3*x^3, range: [-1, 2]}}\n"
        "  g: {ports: [ground.O, block.P], length: 1.2, law: {gas: 10, length: 1.5}}\n"
        "forces:\n"
        "  floor: {kind: contact, ports: [ground.O, ball.P], against: plane, normal: [0, 1], radius: 0.1,"
        " stiffness: 1e5, damping: 0.2, friction: {coefficient: 0.3, regularised: 0.01}}\n"
        "  hit: {kind: contact, ports: [arm@0.5, ball.P], against: sphere, radius_a: 0.1, radius: 0.1,"
        " stiffness: 1e5, exponent: 1}\n"
        "  mount: {kind: bushing, ports: [ground.B, block.P], stiffness: [50, 60, 2], damping: [0.1, 0.1, 0.01]}\n"
        "  rope: {kind: cable, ports: [ground.A, arm@0.75, ball.P], length: 2.2, stiffness: 500, damping: 0.1,"
        " friction: {coefficient: 0.2, regularised: 0.01}}\n"
        "  air: {kind: drag, ports: [block.P], area: 0.3, wind: [5*sin(3*t), 0]}\n"
        "  gust: {kind: wind, on: arm, width: 0.05, wind: [3, 4*cos(2*t)]}\n";
    mechanism m = {.context = *state};
    mechanism_open(&m, text, 0, NULL);
    const phx_integrate_options options = every(1e-3, 2.0);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.largest_residual, 0.0, 1e-11 * m.largest_energy, "balance, energies up to %g J", m.largest_energy);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(duffing_has_its_period, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rings_hold_a_rope_back, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(free_play_has_its_period, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stops_have_the_same_period, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(friction_takes_its_share, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(gas_carries_its_weight, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(reactions_rub, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(balls_bounce, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(impacts_inside_a_step_keep_energy, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(impacts_lose_energy, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(spheres_keep_momenta, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(spheres_roll_and_slide, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(cable_carries_a_weight, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(winch_lifts_an_arm, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(geared_wheels_oscillate, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(drag_limits_a_fall, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wind_brakes_a_beam, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bushing_carries_a_wrench, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(motor_has_its_power, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(all_together_balance, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
