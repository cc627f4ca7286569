/* Modes about steady rotations against the rotating beam's differential equation, published tables and closed forms. */
#include "rotation.h"

#include <complex.h>
#include <math.h>

/* ---- references ---- */
/* J. R. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang, Vibration modes of centrifugally stiffened beams, Journal
 * of Applied Mechanics 49 (1982) 197-202: first and second flap frequencies of a uniform cantilever with hub radius 0
 * at eta = 0, 1, ... 12, in units of sqrt(EI/(rho A L^4)). Lag: mu^2 = flap^2 - eta^2. */
enum { SPEEDS = 13 };
static const double wright[2][SPEEDS] = {
    {3.5160, 3.6817, 4.1373, 4.7973, 5.5850, 6.4495, 7.3604, 8.2996, 9.2568, 10.2257, 11.2023, 12.1843, 13.1702},
    {22.0345, 22.1810, 22.6149, 23.3203, 24.2733, 25.4461, 26.8091, 28.3341, 29.9954, 31.7705, 33.6404, 35.5890,
     37.6031}};

/* w(x) = sum a_k x^k of  w'''' = (T w')' + mu^2 w,  T = eta^2 (delta (1 - x) + (1 - x^2)/2),  from w = w' = 0 at the
 * root with a_2, a_3 given; bending moment and shear at the tip, where T is zero. */
static void shoot(double eta, double delta, double mu, double a2, double a3, double *tip)
{
    enum { TERMS = 120 };
    double a[TERMS] = {0.0, 0.0, a2, a3};
    tip[0] = tip[1] = 0.0;
    for (int k = 0; k + 4 < TERMS; k++) { /* x^k: T w'' + T' w' + mu^2 w */
        double sum = mu * mu * a[k] + eta * eta * (delta + 0.5) * (k + 2) * (k + 1) * a[k + 2];
        sum -= eta * eta * delta * (k + 1) * (k + 1) * a[k + 1];
        sum -= 0.5 * eta * eta * k * (k + 1) * a[k];
        a[k + 4] = sum / ((k + 4.0) * (k + 3.0) * (k + 2.0) * (k + 1.0));
    }
    for (int k = 2; k < TERMS; k++) {
        tip[0] += k * (k - 1.0) * a[k];
        tip[1] += k * (k - 1.0) * (k - 2.0) * a[k];
    }
}

static double determinant(double eta, double delta, double mu)
{
    double a[2], b[2];
    shoot(eta, delta, mu, 1.0, 0.0, a);
    shoot(eta, delta, mu, 0.0, 1.0, b);
    return a[0] * b[1] - a[1] * b[0];
}

/* Flap frequency number `mode` (from 0) by bisection between sign changes. */
static double flap(double eta, double delta, int mode)
{
    double low = 0.5, step = 0.25;
    for (int found = -1; low < 200.0; low += step) {
        if ((determinant(eta, delta, low) > 0.0) == (determinant(eta, delta, low + step) > 0.0) || ++found < mode)
            continue;
        double high = low + step;
        for (int i = 0; i < 60; i++) {
            const double middle = 0.5 * (low + high);
            if ((determinant(eta, delta, middle) > 0.0) == (determinant(eta, delta, low) > 0.0))
                low = middle;
            else
                high = middle;
        }
        return 0.5 * (low + high);
    }
    fail_msg("no root");
    return 0.0;
}

static void reference_agrees_with_the_table(void **state)
{
    (void)state;
    for (int s = 0; s < SPEEDS; s++)
        for (int mode = 0; mode < 2; mode++)
            CHECK_CLOSE(flap(s, 0.0, mode), wright[mode][s], 6e-5, "mode %d at eta = %d", mode + 1, s);
}

/* ---- models ---- */
/* EI = rho A = L = 1, so that frequencies are those of the tables; EA = 1e8 */
static const char *const blade = "phlexor: 1\n"
                                 "dimension: 2\n"
                                 "parameters: {Omega: 6, radius: 0, n: 8}\n"
                                 "materials: {m: {density: 1, young: 1e8}}\n"
                                 "bodies:\n"
                                 "  hub: {kind: rigid, mass: 1, inertia: 1, ports: {R: {position: [radius, 0]}}}\n"
                                 "  blade:\n"
                                 "    kind: beam\n"
                                 "    material: m\n"
                                 "    length: 1\n"
                                 "    section: {kind: general, area: 1, inertia: 1e-8}\n"
                                 "    elements: n\n"
                                 "    reference: cantilever\n"
                                 "    stiffening: true\n"
                                 "    pose: {position: [radius, 0]}\n"
                                 "joints:\n"
                                 "  motor: {kind: revolute, ports: [ground.O, hub.P], speed: Omega}\n"
                                 "  root: {kind: weld, ports: [hub.R, blade.P]}\n";

/* Lag frequencies, of second order in the elements: force that varies along the beam is constant in each. */
static void lag_follows_the_equation(void **state)
{
    (void)state;
    static const double radii[] = {0.0, 1.0};
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < SPEEDS; s += 3)
            for (int mode = 0; mode < 2; mode++) {
                const double up = flap(s, radii[r], mode), want = sqrt(up * up - s * s);
                double error[2];
                for (int fine = 0; fine < 2; fine++) {
                    const phx_model_override set[] = {
                        {"Omega", NULL, s}, {"radius", NULL, radii[r]}, {"n", NULL, fine ? 32 : 16}};
                    const phx_modes_options options = phx_modes_options_default();
                    rotation at;
                    rotation_open(&at, blade, 3, set, &options);
                    error[fine] = at.set.omega[mode] / want - 1.0;
                    CHECK_CLOSE(at.spin, s, 1e-12, "spin");
                    CHECK_BELOW(at.set.asymmetry, 1e-9, "asymmetry of K at %d", s);
                    for (int k = 0; k < at.set.count; k++)
                        CHECK_CLOSE(at.set.damping[k], 0.0, 0.0, "damping of mode %d", k + 1);
                    rotation_close(&at);
                }
                CHECK_SMALL(error[0], 2.5e-3, "16 elements, radius %g, eta %d, mode %d", radii[r], s, mode + 1);
                CHECK_SMALL(error[1], 7e-4, "32 elements, radius %g, eta %d, mode %d", radii[r], s, mode + 1);
                if (s > 0)
                    CHECK_BETWEEN(log2(error[0] / error[1]), 1.8, 2.3, "order, radius %g, eta %d, mode %d", radii[r], s,
                                  mode + 1);
            }
}

/* The structure is a result, not an assumption: without it the general solver finds the same, damping zero to rounding;
 * and so do the sparse way and one with few undamped modes to start from. */
static void every_way_agrees(void **state)
{
    (void)state;
    const phx_model_override set[] = {{"Omega", NULL, 9.0}, {"radius", NULL, 0.5}, {"n", NULL, 40}};
    phx_modes_options options = phx_modes_options_default();
    phx_mode_set sparse = {0}, general = {0};
    phx_modal *modal = NULL;
    rotation at;
    rotation_open(&at, blade, 3, set, &options);
    CHECK_OK(at.m.context, phx_modal_create(at.m.context, &modal));
    options.dense_limit = 1;
    CHECK_OK(at.m.context, phx_modal_solve(modal, &at.linear, &options, &sparse));
    at.linear.lossless = false;
    options.dense_limit = 600;
    CHECK_OK(at.m.context, phx_modal_solve(modal, &at.linear, &options, &general));
    for (int k = 0; k < at.set.count; k++) {
        CHECK_RELATIVE(sparse.omega[k], at.set.omega[k], 1e-9, "sparse, mode %d", k + 1);
        CHECK_CLOSE(sparse.damping[k], 0.0, 0.0, "sparse, mode %d", k + 1);
        CHECK_RELATIVE(general.omega[k], at.set.omega[k], 1e-8, "general, mode %d", k + 1);
        CHECK_SMALL(general.damping[k], 1e-8, "general, mode %d", k + 1);
    }
    phx_mode_set_free(&sparse);
    phx_mode_set_free(&general);
    phx_modal_destroy(modal);
    rotation_close(&at);
}

/* Damped blades: the sparse way against the dense one, which takes all roots of 192 degrees of freedom; and a mesh that
 * is too fine for the dense way. */
static void damped_blade(void **state)
{
    (void)state;
    static const char *const damping[] = {"stiffening: true\n    damping: {stiffness: 1e-3}",
                                          "stiffening: true\n    damping: {mass: 20, stiffness: 5e-3}",
                                          "stiffening: true\n    damping: {modal: 0.04}"};
    for (int kind = 0; kind < 3; kind++) {
        phx_model_override set[] = {{"Omega", NULL, 9.0}, {"radius", NULL, 0.5}, {"n", NULL, 64}};
        const char *text = replaced(blade, "stiffening: true", damping[kind]);
        phx_modes_options options = phx_modes_options_default();
        phx_mode_set sparse = {0};
        phx_modal *modal = NULL;
        rotation at, fine;
        rotation_open(&at, text, 3, set, &options);
        CHECK_OK(at.m.context, phx_modal_create(at.m.context, &modal));
        options.dense_limit = 1;
        CHECK_OK(at.m.context, phx_modal_solve(modal, &at.linear, &options, &sparse));
        set[2].value = kind == 2 ? 100 : 250;
        rotation_open(&fine, text, 3, set, &options);
        for (int k = 0; k < at.set.count; k++) {
            CHECK_RELATIVE(sparse.omega[k], at.set.omega[k], 1e-8, "damping %d, mode %d", kind, k + 1);
            CHECK_CLOSE(sparse.damping[k], at.set.damping[k], 1e-8, "damping %d, mode %d", kind, k + 1);
            CHECK_RELATIVE(fine.set.omega[k], at.set.omega[k], 1e-3, "damping %d, fine, mode %d", kind, k + 1);
            CHECK_CLOSE(fine.set.damping[k], at.set.damping[k], 1e-3, "damping %d, fine, mode %d", kind, k + 1);
        }
        phx_mode_set_free(&sparse);
        phx_modal_destroy(modal);
        rotation_close(&fine);
        rotation_close(&at);
    }
}

/* A disc on a damper that stands still, seen in axes that turn: lambda = -c/(2m) + i (+-sqrt(k/m - (c/2m)^2) - Omega),
 * stable at every speed. A damper between the disc and the shaft turns with it, and above the critical speed the whirl
 * forward grows: m z'' + c (z' - i Omega z) + k z = 0. */
static void damper_that_stands_still(void **state)
{
    (void)state;
    static const char *const disc =
        "phlexor: 1\n"
        "dimension: 3\n"
        "parameters: {Omega: 600}\n"
        "bodies:\n"
        "  shaft: {kind: rigid, mass: 1e-9, inertia: [1e-9, 1e-9, 1e-9]}\n"
        "  disc: {kind: rigid, mass: 10, inertia: [0.08, 0.045, 0.045]}\n"
        "joints:\n"
        "  drive: {kind: revolute, ports: [ground.O, shaft.P], axis: [1, 0, 0], speed: Omega}\n"
        "  slide: {kind: cartesian, ports: [shaft.P, disc.P]}\n"
        "forces:\n"
        "  spring: {kind: bushing, ports: [ground.O, disc.P], stiffness: [4e9, 1e6, 1e6, 0, 0, 0]}\n"
        "  damper: {kind: bushing, ports: [ground.O, disc.P], stiffness: [0, 0, 0, 0, 0, 0],\n"
        "           damping: [0, 200, 200, 0, 0, 0]}\n"
        "modes: {count: 2, at: steady}\n";
    const double m = 10.0, k = 1e6, c = 200.0;
    for (int turning = 0; turning < 2; turning++)
        for (double Omega = 100.0; Omega < 1000.0; Omega *= 3.0) {
            const phx_model_override set[] = {{"Omega", NULL, Omega}};
            const phx_modes_options options = phx_modes_options_default();
            const char *text =
                turning ? replaced(disc, "ground.O, disc.P], stiffness: [0", "shaft.P, disc.P], stiffness: [0") : disc;
            rotation at;
            rotation_open(&at, text, 1, set, &options);
            for (int whirl = 0; whirl < 2; whirl++) {
                /* z = e^(s t) of the inertial y + i z, so that lambda = s - i Omega or its conjugate */
                const double complex b = c / (2.0 * m), w2 = (k - (turning ? I * Omega * c : 0.0)) / m;
                const double complex root = csqrt(b * b - w2), s = whirl ? -b + root : -b - root;
                const double complex lambda = s - I * Omega;
                double nearest = HUGE_VAL;
                for (int j = 0; j < at.set.count; j++) {
                    const double omega = at.set.omega[j], zeta = at.set.damping[j];
                    nearest = fmin(nearest,
                                   fmax(fabs(omega / cabs(lambda) - 1.0), fabs(zeta + creal(lambda) / cabs(lambda))));
                }
                CHECK_SMALL(nearest, 1e-9, "turning %d, Omega %g, whirl %d", turning, Omega, whirl);
            }
            rotation_close(&at);
        }
}

/* A force that does not vary along the beam keeps the order of the elements: a pinned beam that is pulled,
 * mu_k^2 = (k pi)^4 + T (k pi)^2. */
static void uniform_force_keeps_order_four(void **state)
{
    (void)state;
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 2\n"
        "parameters: {T: 50, n: 4}\n"
        "materials: {m: {density: 1, young: 1e10, poisson: 0.3}}\n"
        "bodies:\n"
        "  beam: {kind: beam, material: m, length: 1, elements: n, reference: simply_supported,\n"
        "         section: {kind: general, area: 1, inertia: 1e-10}, stiffening: true}\n"
        "joints:\n"
        "  pin: {kind: revolute, ports: [ground.O, beam.P]}\n"
        "  roller: {kind: slider, ports: [ground.O, beam.C], axis: [1, 0]}\n"
        "loads: {pull: {at: beam.C, force: [T, 0]}}\n";
    static const double forces[] = {0.0, 50.0, -8.0};
    for (int f = 0; f < 3; f++) {
        double error[2][2];
        for (int fine = 0; fine < 2; fine++) {
            const phx_model_override set[] = {{"T", NULL, forces[f]}, {"n", NULL, fine ? 16 : 8}};
            const phx_modes_options options = phx_modes_options_default();
            const phx_start_options start = {.quasi_static = true};
            phx_linear linear;
            phx_mode_set modes;
            phx_modal *modal = NULL;
            mechanism m;
            mechanism_open(&m, text, 2, set);
            CHECK_OK(m.context, phx_system_start(m.system, &start, m.x, m.v, m.lambda));
            CHECK_OK(m.context, phx_system_linear(m.dae, 0.0, m.x, NULL, &linear));
            CHECK_OK(m.context, phx_modal_create(m.context, &modal));
            CHECK_OK(m.context, phx_modal_solve(modal, &linear, &options, &modes));
            for (int k = 0; k < 2; k++) {
                const double a = (k + 1) * TEST_PI;
                error[fine][k] = modes.omega[k] / sqrt(a * a * a * a + forces[f] * a * a) - 1.0;
            }
            phx_mode_set_free(&modes);
            phx_modal_destroy(modal);
            phx_linear_free(&linear);
            mechanism_close(&m);
        }
        for (int k = 0; k < 2; k++)
            CHECK_BETWEEN(log2(error[0][k] / error[1][k]), 3.8, 4.2, "order at T = %g, mode %d", forces[f], k + 1);
    }
}

/* Without stiffening the centrifugal force alone acts: the frequency falls. mu^2 = mu_0^2 - eta^2 but for the Coriolis
 * forces that the slender beam's axial stiffness swallows. */
static void without_stiffening_it_falls(void **state)
{
    (void)state;
    const phx_model_override set[] = {{"Omega", NULL, 2.0}, {"radius", NULL, 0.0}, {"n", NULL, 16}};
    const phx_modes_options options = phx_modes_options_default();
    rotation at;
    rotation_open(&at, replaced(blade, "stiffening: true", "stiffening: false"), 3, set, &options);
    CHECK_RELATIVE(at.set.omega[0], sqrt(3.51601527 * 3.51601527 - 4.0), 1e-5, "first lag frequency at eta = 2");
    rotation_close(&at);
}

/* ---- in space ---- */
/* The same blade with EI = 1 in flap and 4 in lag, about the z axis of a frame turned as a whole. */
static const char *const space_blade =
    "phlexor: 1\n"
    "dimension: 3\n"
    "parameters: {Omega: 6, n: 16}\n"
    "gravity: [0, 0, 0]\n"
    "materials: {m: {density: 1, young: 1e8, poisson: 0.3}}\n"
    "ground: {ports: {G: {position: [1, 2, 3], rotation: {axis: [1, 2, -1], angle: 0.8}}}}\n"
    "bodies:\n"
    "  hub: {kind: rigid, mass: 1, inertia: [1, 2, 3], pose: {position: [1, 2, 3],\n"
    "        rotation: {axis: [1, 2, -1], angle: 0.8}}}\n"
    "  blade:\n"
    "    kind: beam\n"
    "    material: m\n"
    "    length: 1\n"
    "    section: {kind: general, area: 1, inertia: [1e-8, 4e-8], torsion: 1e-6}\n"
    "    elements: n\n"
    "    reference: cantilever\n"
    "    stiffening: true\n"
    "    pose: {position: [1, 2, 3], rotation: {axis: [1, 2, -1], angle: 0.8}}\n"
    "joints:\n"
    "  motor: {kind: revolute, axis: [0, 0, 1], ports: [ground.G, hub.P], speed: Omega}\n"
    "  root: {kind: weld, ports: [hub.P, blade.P]}\n";

/* Flap in the published table within 0.5 %, flap and lag of the equation: with EI_lag = 4 the lag is that of a blade
 * of twice the unit of frequency, lag^2 = 4 flap(eta/2)^2 - eta^2. */
static void flap_and_lag_in_space(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int s = 0; s < SPEEDS; s++) {
        const phx_model_override set[] = {{"Omega", NULL, s}, {"n", NULL, 16}};
        const phx_modes_options options = phx_modes_options_default();
        const double half = flap(0.5 * s, 0.0, 0), lag = sqrt(4.0 * half * half - s * s);
        rotation at;
        rotation_open(&at, space_blade, 2, set, &options);
        CHECK_CLOSE(at.spin, s, 1e-12, "spin");
        for (int mode = 0; mode < 2; mode++) {
            double nearest = HUGE_VAL, exact = flap(s, 0.0, mode);
            for (int k = 0; k < at.set.count; k++)
                if (fabs(at.set.omega[k] - exact) < fabs(nearest - exact))
                    nearest = at.set.omega[k];
            CHECK_RELATIVE(nearest, wright[mode][s], 5e-3, "flap %d at eta = %d in the table", mode + 1, s);
            CHECK_RELATIVE(nearest, exact, 1.5e-3, "flap %d at eta = %d", mode + 1, s);
            worst = fmax(worst, fabs(nearest / wright[mode][s] - 1.0));
        }
        double nearest = HUGE_VAL;
        for (int k = 0; k < at.set.count; k++)
            if (fabs(at.set.omega[k] - lag) < fabs(nearest - lag))
                nearest = at.set.omega[k];
        CHECK_RELATIVE(nearest, lag, 1.5e-3, "lag at eta = %d", s);
        for (int k = 0; k < at.set.count; k++)
            CHECK_CLOSE(at.set.damping[k], 0.0, 0.0, "damping of mode %d", k + 1);
        CHECK_BELOW(at.set.asymmetry, 1e-9, "asymmetry of K at %d", s);
        rotation_close(&at);
    }
    print_message("flap, 16 elements: at most %.2g from the table\n", worst);
}

/* A round shaft that spins about its own axis bends in space as if it stood: |omega_n +- Omega| in its own axes, also
 * above its first critical speed. Gravity along the axis changes the tension only. */
static void spinning_shaft(void **state)
{
    (void)state;
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 3\n"
        "parameters: {Omega: 2}\n"
        "materials: {m: {density: 1, young: 1e8, poisson: 0.3}}\n"
        "bodies:\n"
        "  shaft: {kind: beam, material: m, length: 1, section: {kind: general, area: 1, inertia: [1e-8, 1e-8],\n"
        "          torsion: 2e-8}, elements: 12, reference: cantilever}\n"
        "joints: {motor: {kind: revolute, axis: [1, 0, 0], ports: [ground.O, shaft.P], speed: Omega}}\n";
    static const double bending[] = {3.5160152685, 22.034491566};
    for (double speed = 0.0; speed < 6.0; speed += 1.5) {
        const phx_model_override set = {"Omega", NULL, speed};
        const phx_modes_options options = phx_modes_options_default();
        const double want[4] = {fabs(bending[0] - speed), bending[0] + speed, bending[1] - speed, bending[1] + speed};
        rotation at;
        rotation_open(&at, text, 1, &set, &options);
        for (int k = 0; k < 4; k++) {
            CHECK_CLOSE(at.set.omega[k], want[k], 1e-3, "mode %d at %g rad/s", k + 1, speed);
            CHECK_CLOSE(at.set.damping[k], 0.0, 0.0, "mode %d at %g rad/s", k + 1, speed);
        }
        rotation_close(&at);
    }
}

/* Gravity along the axis is steady, across it is not. */
static void gravity_in_space(void **state)
{
    (void)state;
    char text[3000];
    const phx_modes_options options = phx_modes_options_default();
    const phx_model_override none = {"n", NULL, 4};
    rotation at;
    snprintf(text, sizeof text, "%s", replaced(space_blade, "gravity: [0, 0, 0]", "gravity: [0, 0, -1e-3]"));
    snprintf(
        text, sizeof text, "%s",
        replaced(text, "{position: [1, 2, 3], rotation: {axis: [1, 2, -1], angle: 0.8}}", "{position: [1, 2, 3]}"));
    rotation_open(&at, text, 1, &none, &options);
    assert_true(at.set.count > 4);
    rotation_close(&at);
    rotation_refused(replaced(space_blade, "gravity: [0, 0, 0]", "gravity: [1e-3, 0, 0]"), "gravity across the axis");
}

/* A rigid body on a universal joint, driven about z, free about its own y: omega^2 = Omega^2 (Jz - Jx)/Jy. */
static void flap_hinge(void **state)
{
    (void)state;
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 3\n"
        "bodies: {rotor: {kind: rigid, mass: 1, inertia: [1, 2, 2.5]}}\n"
        "joints: {head: {kind: universal, axes: [[0, 0, 1], [0, 1, 0]], ports: [ground.O, rotor.P],\n"
        "                speed: [3, null]}}\n";
    const phx_modes_options options = phx_modes_options_default();
    rotation at;
    rotation_open(&at, text, 0, NULL, &options);
    assert_int_equal(at.set.count, 1);
    CHECK_CLOSE(at.set.omega[0], 3.0 * sqrt(0.75), 1e-12, "flap");
    rotation_close(&at);
}

/* ---- closed forms ---- */
static const char *const disc = "phlexor: 1\n"
                                "dimension: 2\n"
                                "parameters: {Omega: 0.5}\n"
                                "bodies:\n"
                                "  ring:\n"
                                "    kind: rigid\n"
                                "    mass: 3\n"
                                "    inertia: 2\n"
                                "    ports: {E: {position: [1, 0]}, N: {position: [0, 1]}, W: {position: [-1, 0]},\n"
                                "            S: {position: [0, -1]}}\n"
                                "  disc: {kind: rigid, mass: 2, inertia: 0.5}\n"
                                "joints:\n"
                                "  hub: {kind: revolute, ports: [ground.O, ring.P], speed: Omega}\n"
                                "springs:\n"
                                "  e: {ports: [ring.E, disc.P], stiffness: 1, length: 1}\n"
                                "  n: {ports: [ring.N, disc.P], stiffness: 1, length: 1}\n"
                                "  w: {ports: [ring.W, disc.P], stiffness: 1, length: 1}\n"
                                "  s: {ports: [ring.S, disc.P], stiffness: 1, length: 1}\n";

/* A disc on isotropic springs whirls with omega_0 in space, so with |omega_0 +- Omega| in the turning frame. Above the
 * critical speed K is negative and only the Coriolis forces keep it: still no damping. At it one mode is at rest. */
static void whirl(void **state)
{
    (void)state;
    for (int k = 0; k <= 12; k++) {
        const double speed = 0.25 * k, low = fabs(1.0 - speed), high = 1.0 + speed;
        const phx_model_override set = {"Omega", NULL, speed};
        const phx_modes_options options = phx_modes_options_default();
        const int skip = low == 0.0;
        rotation at;
        rotation_open(&at, disc, 1, &set, &options);
        assert_int_equal(at.set.count, 2 - skip);
        if (!skip)
            CHECK_CLOSE(at.set.omega[0], low, 1e-12, "backward at %g", speed);
        CHECK_CLOSE(at.set.omega[1 - skip], high, 1e-12, "forward at %g", speed);
        for (int m = 0; m < at.set.count; m++)
            CHECK_CLOSE(at.set.damping[m], 0.0, 0.0, "damping at %g", speed);
        rotation_close(&at);
    }
}

/* A rigid uniform blade on a hinge at radius e: omega = Omega sqrt(3 e/(2 l)), from whatever angle it starts; turned
 * inwards it is in balance too, and falls out with the same rate. */
static void hinged_blade(void **state)
{
    (void)state;
    static const char text[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "parameters: {lag: 0.2}\n"
                               "bodies:\n"
                               "  hub: {kind: rigid, mass: 3, inertia: 2, ports: {H: {position: [0.3, 0]}}}\n"
                               "  blade: {kind: rigid, mass: 2, inertia: 2*1.5^2/12, centre_of_mass: [0.75, 0],\n"
                               "          pose: {position: [0.3, 0], angle: lag}}\n"
                               "joints:\n"
                               "  motor: {kind: revolute, ports: [ground.O, hub.P], speed: 2, angle: 0.4}\n"
                               "  hinge: {kind: revolute, ports: [hub.H, blade.P]}\n";
    static const double starts[] = {0.2, -0.7, 2.8};
    for (int k = 0; k < 3; k++) {
        const phx_model_override set = {"lag", NULL, starts[k]};
        const phx_modes_options options = phx_modes_options_default();
        rotation at;
        rotation_open(&at, text, 1, &set, &options);
        assert_int_equal(at.set.count, 1);
        CHECK_CLOSE(at.set.omega[0], 2.0 * sqrt(0.3), 1e-12, "from %g", starts[k]);
        CHECK_CLOSE(at.set.damping[0], k < 2 ? 0.0 : -1.0, 0.0, "from %g", starts[k]);
        rotation_close(&at);
    }
}

/* The state found is one: its accelerations in body axes are zero, and it goes on turning in a simulation. */
static void state_is_steady(void **state)
{
    (void)state;
    const phx_model_override set[] = {{"Omega", NULL, 4.0}, {"radius", NULL, 0.2}, {"n", NULL, 6}};
    const phx_modes_options modes = phx_modes_options_default();
    phx_integrate_options options = phx_integrate_options_default();
    rotation at;
    rotation_open(&at, replaced(blade, "young: 1e8", "young: 1e4"), 3, set, &modes);
    double *v_dot = calloc((size_t)at.m.dae->n_v, sizeof *v_dot),
           *lambda = calloc((size_t)at.m.dae->n_l, sizeof *lambda);
    CHECK_OK(at.m.context, at.m.dae->ops->accelerations(at.m.dae, 0.0, at.m.x, at.m.v, v_dot, lambda));
    for (int i = 0; i < at.m.dae->n_v; i++)
        CHECK_SMALL(v_dot[i], 1e-8, "acceleration %d", i);
    int far = at.m.dae->n_x - 1;
    for (int i = far; i > at.m.dae->n_x - 18; i--)
        far = fabs(at.m.x[i]) > fabs(at.m.x[far]) ? i : far;
    const double stretch = at.m.x[far];
    CHECK_RELATIVE(stretch, 6.93e-4, 2e-3, "largest deformation"); /* eta^2 (r/2 + 1/3)/EA, and it grows with itself */
    options.integrator = PHX_GAUSS6;
    options.step = 2e-3;
    mechanism_run(&at.m, &options);
    CHECK_RELATIVE(at.m.x[far], stretch, 1e-7, "the deformation after 4 rad");
    free(v_dot);
    free(lambda);
    rotation_close(&at);
}

/* ---- what is refused ---- */
static void refused(const char *part, const char *by, const char *message)
{
    rotation_refused(replaced(blade, part, by), message);
}

static void refusals(void **state)
{
    (void)state;
    refused("speed: Omega", "speed: Omega*cos(t - 1)", "its speed changes");
    refused("speed: Omega", "speed: 'Omega + max(t - 0.1, 0)'", "the rates of joint 'motor' change");
    refused("joints:\n", "gravity: [0, -1e-3]\njoints:\n", "gravity across the axis");
    refused("joints:\n", "loads: {push: {force: [0, 1e-3], at: blade.C}}\njoints:\n", "forces on body 'blade' change");
    refused("joints:\n",
            "ground: {ports: {G: {position: [0.2, 0]}}}\n"
            "springs: {tie: {ports: [ground.G, blade.C], stiffness: 1, length: 0.1}}\njoints:\n",
            "change while it turns");
    rotation_refused(replaced(replaced(blade, "radius: 0", "radius: 0.1"), "{kind: weld, ports: [hub.R, blade.P]}",
                              "{kind: revolute, ports: [hub.R, blade.P], speed: 1}"),
                     "joint 'root' turns body 'blade' against what carries it");
    rotation_refused("phlexor: 1\n" /* at its critical speed the spring holds the mass nowhere */
                     "dimension: 2\n"
                     "bodies:\n"
                     "  ring: {kind: rigid, mass: 3, inertia: 2}\n"
                     "  mass: {kind: rigid, mass: 2, inertia: 0.5, pose: {position: [0.2, 0]}}\n"
                     "joints:\n"
                     "  hub: {kind: revolute, ports: [ground.O, ring.P], speed: 1}\n"
                     "  slide: {kind: prismatic, ports: [ring.P, mass.P], axis: [1, 0], stiffness: 2, rest: 0.2}\n",
                     "out of balance by 0.4 N or N m are left, most on body 'mass'");
}

/* Rods that are drawn in another pose than the springs of their hinges want: found from the equilibrium at rest. It
 * turns as it is: the coordinates of the hinges stay. */
static double drawn_angle[2];

static void look_at_hinges(mechanism *m, double t, const double *x, const double *v)
{
    (void)t;
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    for (int k = 0; k < 2; k++)
        CHECK_CLOSE(m->columns[k], drawn_angle[k], 1e-9, "hinge %d at t = %g", k + 1, t);
}

static void rods_turn_steadily_from_afar(void **state)
{
    (void)state;
    static const char text[] =
        "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\nbodies:\n"
        "  hub: {kind: rigid, mass: 1, inertia: 0.1, ports: {C: {position: [0.1, 0]}}}\n"
        "  b0: {kind: rod, material: m, length: 0.42, elements: 3, pose: {position: [0.1, 0], guess: true, angle: "
        "0.27},\n"
        "       section: {kind: rectangle, width: 0.02, height: 0.01}}\n"
        "  b1: {kind: rod, material: m, length: 0.31, elements: 2, pose: {position: [0.5, 0.11], guess: true, angle: "
        "-0.6},\n"
        "       section: {kind: rectangle, width: 0.02, height: 0.01}}\n"
        "joints:\n"
        "  drive: {kind: revolute, ports: [ground.O, hub.P], speed: 5}\n"
        "  j0: {kind: revolute, ports: [hub.C, b0.P], stiffness: 20, rest: 0.4}\n"
        "  j1: {kind: revolute, ports: [b0.C, b1.P], stiffness: 2, rest: 0.5, damping: 0.05}\n"
        "outputs: {a: {coordinate: j0}, b: {coordinate: j1}}\n";
    phx_integrate_options run = phx_integrate_options_default();
    double spin, *axes;
    mechanism m;

    mechanism_open(&m, text, 0, NULL);
    axes = calloc((size_t)m.dae->n_v, sizeof *axes);
    assert_non_null(axes);
    CHECK_OK(m.context, phx_system_steady(m.dae, 0.0, m.x, m.v, axes, m.lambda, &spin));
    CHECK_CLOSE(spin, 5.0, 1e-14, "speed");
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, m.columns));
    memcpy(drawn_angle, m.columns, sizeof drawn_angle);
    run.integrator = PHX_GAUSS6;
    run.step = 2e-3;
    run.end = 0.1;
    m.look = look_at_hinges;
    mechanism_run(&m, &run);
    free(axes);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_turn_steadily_from_afar),
        cmocka_unit_test(reference_agrees_with_the_table),
        cmocka_unit_test(lag_follows_the_equation),
        cmocka_unit_test(every_way_agrees),
        cmocka_unit_test(damped_blade),
        cmocka_unit_test(damper_that_stands_still),
        cmocka_unit_test(uniform_force_keeps_order_four),
        cmocka_unit_test(without_stiffening_it_falls),
        cmocka_unit_test(flap_and_lag_in_space),
        cmocka_unit_test(spinning_shaft),
        cmocka_unit_test(gravity_in_space),
        cmocka_unit_test(flap_hinge),
        cmocka_unit_test(whirl),
        cmocka_unit_test(hinged_blade),
        cmocka_unit_test(state_is_steady),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
