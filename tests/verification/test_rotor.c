/* Rotors that spin in what carries them: modes about the steady motion against closed forms, a rotor model by finite
 * elements, and simulations. */
#include "rotation.h"

#include <complex.h>

static double nearest(const phx_mode_set *set, double omega)
{
    double best = HUGE_VAL;
    for (int k = 0; k < set->count; k++)
        if (fabs(set->omega[k] - omega) < fabs(best - omega))
            best = set->omega[k];
    return best;
}

static void check_undamped(const rotation *at, const char *what)
{
    for (int k = 0; k < at->set.count; k++)
        CHECK_CLOSE(at->set.damping[k], 0.0, 0.0, "%s: damping of mode %d", what, k + 1);
    CHECK_BELOW(at->set.asymmetry, 1e-9, "%s: asymmetry of K", what);
}

/* ---- a satellite with a wheel ---- */
/* The frame of the wheel stands beside its axis. */
static const char *const gyrostat =
    "phlexor: 1\n"
    "dimension: 3\n"
    "parameters: {w: 10}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  hub: {kind: rigid, mass: 20, inertia: [4, 6, 5]}\n"
    "  wheel: {kind: rigid, mass: 2, inertia: [0.5, 0.5, 0.8], centre_of_mass: [-0.1, 0.2, 0.3],\n"
    "          ports: {M: {position: [-0.1, 0.2, 0.3]}}, pose: {position: [0.1, -0.2, -0.3]}}\n"
    "joints:\n"
    "  motor: {kind: revolute, axis: [0, 0, 1], ports: [hub.P, wheel.M], speed: w}\n";

/* Nutation of a free hub at rest with the wheel's momentum h: h/sqrt(I1 I2). Driven or free, it is the same. */
static void nutation(void **state)
{
    (void)state;
    static const double speeds[] = {0.5, 10, -80};
    for (int k = 0; k < 3; k++)
        for (int free = 0; free < 2; free++) {
            const phx_model_override set = {"w", NULL, speeds[k]};
            const phx_modes_options options = phx_modes_options_default();
            const double want = fabs(0.8 * speeds[k]) / sqrt(4.5 * 6.5);
            rotation at;
            rotation_open(&at, free ? replaced(gyrostat, "speed: w", "rate: w") : gyrostat, 1, &set, &options);
            CHECK_CLOSE(at.spin, fabs(speeds[k]), 1e-12, "spin");
            assert_int_equal(at.set.count, 1);
            CHECK_RELATIVE(at.set.omega[0], want, 1e-11, "nutation at %g rad/s", speeds[k]);
            check_undamped(&at, "nutation");
            rotation_close(&at);
        }
}

/* The hub itself turns with Omega about the wheel's axis, in a fork without moments: in its axes
 * omega^2 = ((I3 - I1) Omega + h)((I3 - I2) Omega + h)/(I1 I2), and Omega, which is rest in space. */
static void nutation_of_a_turning_hub(void **state)
{
    (void)state;
    static const char text[] = "phlexor: 1\n"
                               "dimension: 3\n"
                               "parameters: {w: 10, Omega: 1}\n"
                               "bodies:\n"
                               "  fork: {kind: rigid, mass: 1, inertia: [1, 2, 3]}\n"
                               "  hub: {kind: rigid, mass: 20, inertia: [4, 6, 5]}\n"
                               "  wheel: {kind: rigid, mass: 2, inertia: [0.5, 0.5, 0.8]}\n"
                               "joints:\n"
                               "  table: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, fork.P], speed: Omega}\n"
                               "  head: {kind: universal, axes: [[1, 0, 0], [0, 1, 0]], ports: [fork.P, hub.P]}\n"
                               "  motor: {kind: revolute, axis: [0, 0, 1], ports: [hub.P, wheel.P], speed: w}\n";
    static const double speeds[][2] = {{10, 1}, {10, -0.7}, {-3, 2.5}, {0, 1.5}};
    for (int k = 0; k < 4; k++) {
        const double w = speeds[k][0], spin = speeds[k][1], h = 0.8 * w;
        const double want = sqrt(((5.8 - 4.5) * spin + h) * ((5.8 - 6.5) * spin + h) / (4.5 * 6.5));
        const phx_model_override set[] = {{"w", NULL, w}, {"Omega", NULL, spin}};
        const phx_modes_options options = phx_modes_options_default();
        rotation at;
        if (isnan(want))
            continue;
        rotation_open(&at, text, 2, set, &options);
        CHECK_CLOSE(at.spin, fmax(fabs(w), fabs(spin)), 1e-12, "spin");
        assert_int_equal(at.set.count, 2);
        CHECK_RELATIVE(nearest(&at.set, want), want, 1e-11, "nutation at %g and %g rad/s", w, spin);
        CHECK_RELATIVE(nearest(&at.set, fabs(spin)), fabs(spin), 1e-11, "rest at %g and %g rad/s", w, spin);
        check_undamped(&at, "turning hub");
        rotation_close(&at);
    }
}

/* ---- a turbine on a nacelle that yaws ---- */
/* The gyroscopic moment tilts the nacelle against a spring: f(theta) = k theta + (Iz - Ix) Omega^2 sin theta cos theta
 * + J w Omega cos theta = 0, and I omega^2 = f'(theta). */
static void gyroscopic_tilt(void **state)
{
    (void)state;
    static const char text[] = "phlexor: 1\n"
                               "dimension: 3\n"
                               "parameters: {w: 20, Omega: 1.5}\n"
                               "bodies:\n"
                               "  tower: {kind: rigid, mass: 1, inertia: [1, 2, 3]}\n"
                               "  nacelle: {kind: rigid, mass: 20, inertia: [3, 4, 2.5]}\n"
                               "  rotor: {kind: rigid, mass: 2, inertia: [0.8, 0.5, 0.5]}\n"
                               "joints:\n"
                               "  yaw: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, tower.P], speed: Omega}\n"
                               "  tilt: {kind: revolute, axis: [0, 1, 0], ports: [tower.P, nacelle.P], stiffness: 50}\n"
                               "  motor: {kind: revolute, axis: [1, 0, 0], ports: [nacelle.P, rotor.P], speed: w}\n";
    static const double speeds[][2] = {{20, 1.5}, {-5, 4}, {300, 0.01}};
    for (int k = 0; k < 3; k++) {
        const double w = speeds[k][0], yaw = speeds[k][1], c = (3.0 - 3.8) * yaw * yaw, g = 0.8 * w * yaw;
        const phx_model_override set[] = {{"w", NULL, w}, {"Omega", NULL, yaw}};
        const phx_modes_options options = phx_modes_options_default();
        double theta = 0.0;
        rotation at;
        for (int i = 0; i < 100; i++)
            theta -= (50 * theta + c * sin(theta) * cos(theta) + g * cos(theta)) /
                     (50 + c * cos(2 * theta) - g * sin(theta));
        rotation_open(&at, text, 2, set, &options);
        CHECK_CLOSE(atan2(at.m.x[12 + 3 + 2], at.m.x[12 + 3]), theta, 1e-12, "tilt at %g and %g rad/s", w, yaw);
        CHECK_RELATIVE(nearest(&at.set, sqrt((50 + c * cos(2 * theta) - g * sin(theta)) / 4.5)),
                       sqrt((50 + c * cos(2 * theta) - g * sin(theta)) / 4.5), 1e-11, "frequency at %g and %g rad/s", w,
                       yaw);
        check_undamped(&at, "tilt");
        rotation_close(&at);
    }
}

/* ---- Stodola's rotor ---- */
/* A housing on radial springs in two planes; a disc spins in it. */
static const char *const stodola =
    "phlexor: 1\n"
    "dimension: 3\n"
    "parameters: {w: 40}\n"
    "gravity: [0, 0, 0]\n"
    "ground: {ports: {E1: {position: [2, 0, -0.3]}, N1: {position: [0, 2, -0.3]}, W1: {position: [-2, 0, -0.3]},\n"
    "                 S1: {position: [0, -2, -0.3]}, E2: {position: [2, 0, 0.8]}, N2: {position: [0, 2, 0.8]},\n"
    "                 W2: {position: [-2, 0, 0.8]}, S2: {position: [0, -2, 0.8]}}}\n"
    "bodies:\n"
    "  housing:\n"
    "    kind: rigid\n"
    "    mass: 1\n"
    "    inertia: [0.1, 0.1, 0.15]\n"
    "    ports: {E1: {position: [1, 0, -0.3]}, N1: {position: [0, 1, -0.3]}, W1: {position: [-1, 0, -0.3]},\n"
    "            S1: {position: [0, -1, -0.3]}, E2: {position: [1, 0, 0.8]}, N2: {position: [0, 1, 0.8]},\n"
    "            W2: {position: [-1, 0, 0.8]}, S2: {position: [0, -1, 0.8]}}\n"
    "  disc: {kind: rigid, mass: 4, inertia: [0.3, 0.3, 0.5]}\n"
    "joints: {motor: {kind: revolute, axis: [0, 0, 1], ports: [housing.P, disc.P], speed: w}}\n"
    "springs:\n"
    "  e1: {ports: [ground.E1, housing.E1], stiffness: 300, length: 1}\n"
    "  n1: {ports: [ground.N1, housing.N1], stiffness: 300, length: 1}\n"
    "  w1: {ports: [ground.W1, housing.W1], stiffness: 300, length: 1}\n"
    "  s1: {ports: [ground.S1, housing.S1], stiffness: 300, length: 1}\n"
    "  e2: {ports: [ground.E2, housing.E2], stiffness: 200, length: 1}\n"
    "  n2: {ports: [ground.N2, housing.N2], stiffness: 200, length: 1}\n"
    "  w2: {ports: [ground.W2, housing.W2], stiffness: 200, length: 1}\n"
    "  s2: {ports: [ground.S2, housing.S2], stiffness: 200, length: 1}\n";

/* (k11 - m omega^2)(k22 + Ja w omega - Jt omega^2) - k12^2: forward whirl positive. */
static double characteristic(double w, double omega)
{
    const double k1 = 2 * 300, k2 = 2 * 200, z1 = -0.3, z2 = 0.8;
    const double k11 = k1 + k2, k12 = k1 * z1 + k2 * z2, k22 = k1 * z1 * z1 + k2 * z2 * z2;
    return (k11 - 5 * omega * omega) * (k22 + 0.5 * w * omega - 0.4 * omega * omega) - k12 * k12;
}

static void whirl_frequencies(double w, double roots[4])
{
    int found = 0;
    for (double a = -400; a < 400 && found < 4; a += 0.05) {
        double low = a, high = a + 0.05;
        if (characteristic(w, low) * characteristic(w, high) > 0.0)
            continue;
        for (int i = 0; i < 100; i++) {
            const double mid = 0.5 * (low + high);
            if (characteristic(w, low) * characteristic(w, mid) <= 0.0)
                high = mid;
            else
                low = mid;
        }
        roots[found++] = 0.5 * (low + high);
    }
    assert_int_equal(found, 4);
}

static void forward_and_backward_whirl(void **state)
{
    (void)state;
    for (double w = 0.0; w <= 200.0; w += 25.0) {
        const double speed = w > 0.0 ? w : 0.1;
        const phx_model_override set = {"w", NULL, speed};
        const phx_modes_options options = phx_modes_options_default();
        double roots[4];
        rotation at;
        whirl_frequencies(speed, roots);
        rotation_open(&at, stodola, 1, &set, &options);
        assert_int_equal(at.set.count, 4);
        for (int k = 0; k < 4; k++)
            CHECK_RELATIVE(nearest(&at.set, fabs(roots[k])), fabs(roots[k]), 1e-10, "whirl %d at %g rad/s", k, speed);
        check_undamped(&at, "whirl");
        rotation_close(&at);
    }
}

/* In a simulation the housing's place u = x + i y is a sum of four oscillations: what order-4 recurrence it obeys is
 * fitted, and its roots are compared. */
enum { SAMPLES = 600, EVERY = 4, ORDER = 4 };
typedef struct track {
    int instants, count;
    double complex u[SAMPLES + 1];
} track;

static void follow(mechanism *m, double t, const double *x, const double *v)
{
    track *path = m->looker;
    (void)t, (void)v;
    if (path->instants++ % EVERY == 0) {
        assert_true(path->count <= SAMPLES);
        path->u[path->count++] = x[0] + x[1] * I;
    }
}

static void whirl_in_time(void **state)
{
    (void)state;
    const double h = 0.02, w = 40;
    const phx_model_override set = {"w", NULL, w};
    phx_integrate_options options = phx_integrate_options_default();
    static double A[2 * SAMPLES * 2 * ORDER], b[2 * SAMPLES];
    double fit[2 * ORDER], roots[4], worst = 0.0;
    int rank = 0, rows = 0;
    track path = {0};
    const phx_modes_options modes = phx_modes_options_default();
    rotation at;
    rotation_open(&at, stodola, 1, &set, &modes);
    at.m.v[0] += 1e-4; /* both bodies, along x */
    at.m.v[6] += 1e-4;
    at.m.look = follow;
    at.m.looker = &path;
    options.integrator = PHX_GAUSS6;
    options.step = h / EVERY;
    options.end = SAMPLES * h;
    mechanism_run(&at.m, &options);
    assert_int_equal(path.count, SAMPLES + 1);
    for (int n = 0; n + ORDER <= SAMPLES; n++, rows += 2)
        for (int k = 0; k <= ORDER; k++) {
            const double complex u = 1e4 * path.u[n + k];
            if (k == ORDER) {
                b[rows] = creal(u), b[rows + 1] = cimag(u);
                continue;
            }
            double *re = A + rows * 2 * ORDER + 2 * k, *im = re + 2 * ORDER;
            re[0] = creal(u), re[1] = -cimag(u);
            im[0] = cimag(u), im[1] = creal(u);
        }
    CHECK_OK(at.m.context, phx_dense_least_norm(at.m.context, rows, 2 * ORDER, A, 1, b, 1e-14, fit, &rank));
    assert_int_equal(rank, 2 * ORDER);
    whirl_frequencies(w, roots);
    for (int k = 0; k < 4; k++) {
        const double complex mu = cexp(I * roots[k] * h);
        double complex p = 1.0, slope = 0.0;
        for (int i = ORDER - 1; i >= 0; i--) {
            slope = slope * mu + p;
            p = p * mu - (fit[2 * i] + fit[2 * i + 1] * I);
        }
        const double off = cabs(p / slope / mu) / h / fabs(roots[k]); /* one Newton step from the root */
        CHECK_BELOW(off, 1e-6, "whirl %d, %g rad/s, in time", k, roots[k]);
        worst = fmax(worst, off);
    }
    print_message("simulated whirl: frequencies within %.2g\n", worst);
    rotation_close(&at);
}

/* ---- an overhung disc on a flexible shaft ---- */
static const char *const overhung =
    "phlexor: 1\n"
    "dimension: 3\n"
    "parameters: {Omega: 0}\n"
    "gravity: [0, 0, 0]\n"
    "materials: {steel: {density: 7800, young: 2.1e11, poisson: 0.3}}\n"
    "bodies:\n"
    "  shaft: {kind: beam, material: steel, length: 0.8, section: {kind: circle, diameter: 0.03}, elements: 16,\n"
    "          reference: cantilever}\n"
    "  disc: {kind: rigid, mass: 12, inertia: [0.24, 0.125, 0.125], pose: {position: [0.8, 0, 0]}}\n"
    "joints:\n"
    "  wall: {kind: weld, ports: [ground.O, shaft.P]}\n"
    "  bearing: {kind: revolute, axis: [1, 0, 0], ports: [shaft.C, disc.P], speed: Omega}\n";

/* From a rotor model in Python that shares nothing with Phlexor: 16 Euler-Bernoulli elements in u = y + i z,
 * (-omega^2 M + omega G + K) u = 0 with the disc's mass, Jt and G = Ja Omega at the tip; signed, forward positive. */
static const double campbell[5][7] = {
    {0, -60.2428531897, 60.2428531898, 518.569389746, -518.569389746, 1524.60674801, -1524.60674801},
    {250, -52.3174726955, 67.8734194429, -370.428794545, 730.077919995, -1493.36037239, 1581.15504426},
    {500, -44.8226501412, 74.653924512, -282.815649551, 958.684628581, -1474.17220526, 1693.19049697},
    {750, -38.2898445086, 80.3768755332, -232.998692716, 1132.75800207, -1461.3622353, 1902.9766918},
    {1000, -32.8876846731, 85.0915711155, -203.563853101, 1230.46524102, -1452.25977314, 2209.55562598}};

static void campbell_of_an_overhung_disc(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int s = 0; s < 5; s++) {
        const phx_model_override set = {"Omega", NULL, campbell[s][0]};
        phx_modes_options options = phx_modes_options_default();
        rotation at;
        options.count = 10;
        rotation_open(&at, overhung, 1, &set, &options);
        for (int k = 1; k <= 6; k++) {
            const double want = fabs(campbell[s][k]), got = nearest(&at.set, want);
            CHECK_RELATIVE(got, want, 2e-8, "whirl %d at %g rad/s", k, campbell[s][0]);
            worst = fmax(worst, fabs(got / want - 1.0));
        }
        check_undamped(&at, "overhung disc");
        rotation_close(&at);
    }
    print_message("overhung disc: within %.2g of the finite elements\n", worst);
}

/* Gravity across the axis of a rotor is steady: it bends the shaft, and the disc spins on its bent end. */
static void gravity_across_the_axis(void **state)
{
    (void)state;
    const phx_model_override set = {"Omega", NULL, 500};
    const phx_modes_options options = phx_modes_options_default();
    const double stiffness = 2.1e11 * acos(-1.0) * pow(0.03, 4) / 64, line = 7800 * acos(-1.0) * pow(0.03, 2) / 4;
    const double sag = 9.81 * (12 * pow(0.8, 3) / 3 + line * pow(0.8, 4) / 8) / stiffness;
    rotation at;
    rotation_open(&at, replaced(overhung, "gravity: [0, 0, 0]", "gravity: [0, 0, -9.81]"), 1, &set, &options);
    const double *disc = at.m.x + phx_system_n_x(at.m.system) - 12 - 1; /* one coordinate counts turns */
    CHECK_RELATIVE(disc[2], -sag, 1e-3, "sag");
    for (int k = 1; k <= 4; k++)
        CHECK_RELATIVE(nearest(&at.set, fabs(campbell[2][k])), fabs(campbell[2][k]), 1e-3, "whirl %d", k);
    rotation_close(&at);
}

/* A rotor of two bodies in two bearings, and one in the plane, whose spin no frequency feels. */
static void other_rotors(void **state)
{
    (void)state;
    const phx_modes_options options = phx_modes_options_default();
    rotation at;
    rotation_open(&at,
                  replaced(replaced(stodola, "  disc: {kind: rigid, mass: 4, inertia: [0.3, 0.3, 0.5]}\n",
                                    "  disc: {kind: rigid, mass: 2.5, inertia: [0.2, 0.2, 0.4],\n"
                                    "         ports: {A: {position: [0, 0, 0.1]}}}\n"
                                    "  rim: {kind: rigid, mass: 1.5, inertia: [0.1, 0.1, 0.1]}\n"),
                           "joints: {motor: {kind: revolute, axis: [0, 0, 1], ports: [housing.P, disc.P], speed: w}}\n",
                           "joints:\n"
                           "  motor: {kind: revolute, axis: [0, 0, 1], ports: [disc.P, housing.P], speed: -w}\n"
                           "  bearing: {kind: cylindrical, axis: [0, 0, 1], ports: [housing.P, disc.A]}\n"
                           "  seat: {kind: weld, ports: [disc.P, rim.P]}\n"),
                  0, NULL, &options);
    double roots[4];
    whirl_frequencies(40, roots);
    for (int k = 0; k < 4; k++)
        CHECK_RELATIVE(nearest(&at.set, fabs(roots[k])), fabs(roots[k]), 1e-9, "whirl %d of two bodies", k);
    rotation_close(&at);
    rotation_open(&at,
                  "phlexor: 1\n"
                  "dimension: 2\n"
                  "bodies:\n"
                  "  arm: {kind: rigid, mass: 2, inertia: 1, centre_of_mass: [1, 0], ports: {H: {position: [1, 0]}}}\n"
                  "  disc: {kind: rigid, mass: 3, inertia: 0.4, pose: {position: [1, 0]}}\n"
                  "joints:\n"
                  "  pin: {kind: revolute, ports: [ground.O, arm.P], stiffness: 50}\n"
                  "  motor: {kind: revolute, ports: [arm.H, disc.P], speed: 12}\n",
                  0, NULL, &options);
    assert_int_equal(at.set.count, 1);
    CHECK_RELATIVE(at.set.omega[0], sqrt(50 / (1 + 2 + 3 + 0.4)), 1e-12, "in the plane");
    rotation_close(&at);
}

/* ---- shafts that bend and spin ---- */
/* A shaft has hardly any moment of inertia about its axis: then it does not matter whether the shaft spins with the
 * disc or stands still and carries it. The housing tilts on springs. */
static const char *const tilting =
    "phlexor: 1\n"
    "dimension: 3\n"
    "parameters: {w: 200}\n"
    "gravity: [0, 0, 0]\n"
    "materials: {m: {density: 7800, young: 2.1e16, poisson: 0.3}}\n"
    "bodies:\n"
    "  housing: {kind: rigid, mass: 5, inertia: [0.1, 0.2, 0.3]}\n"
    "  shaft: {kind: beam, material: m, length: 0.8, section: {kind: general, area: 7e-4, inertia: [4e-13, 4e-13],\n"
    "          torsion: 8e-13}, elements: 4, reference: cantilever}\n"
    "  disc: {kind: rigid, mass: 12, inertia: [0.24, 0.125, 0.125], pose: {position: [0.8, 0, 0]}}\n"
    "joints:\n"
    "  seat: {kind: universal, axes: [[0, 1, 0], [0, 0, 1]], ports: [ground.O, housing.P], stiffness: [3e4, 5e4]}\n"
    "  bearing: {kind: revolute, axis: [1, 0, 0], ports: [housing.P, shaft.P], speed: w}\n"
    "  seam: {kind: weld, ports: [shaft.C, disc.P]}\n";

static void shaft_that_spins_with_its_disc(void **state)
{
    (void)state;
    phx_modes_options options = phx_modes_options_default();
    char still[3000];
    options.count = 8;
    snprintf(still, sizeof still, "%s",
             replaced(replaced(tilting, "{kind: revolute, axis: [1, 0, 0], ports: [housing.P, shaft.P], speed: w}",
                               "{kind: weld, ports: [housing.P, shaft.P]}"),
                      "{kind: weld, ports: [shaft.C, disc.P]}",
                      "{kind: revolute, axis: [1, 0, 0], ports: [shaft.C, disc.P], speed: w}"));
    for (double w = -300; w <= 600; w += 300) {
        const phx_model_override set = {"w", NULL, w};
        rotation turns, stands;
        rotation_open(&turns, tilting, 1, &set, &options);
        rotation_open(&stands, still, 1, &set, &options);
        assert_int_equal(turns.set.count, stands.set.count);
        for (int k = 0; k < turns.set.count; k++)
            CHECK_RELATIVE(turns.set.omega[k], stands.set.omega[k], 2e-8, "mode %d at %g rad/s", k + 1, w);
        check_undamped(&turns, "spinning shaft");
        rotation_close(&turns);
        rotation_close(&stands);
    }
}

/* A shaft with a mass at its end sags under gravity while it spins, as one that stands still, and whirls like it. */
static void shaft_that_sags(void **state)
{
    (void)state;
    static const char text[] =
        "phlexor: 1\n"
        "dimension: 3\n"
        "gravity: [0, 0, -9.81]\n"
        "materials: {steel: {density: 7800, young: 2.1e11, poisson: 0.3}}\n"
        "bodies:\n"
        "  housing: {kind: rigid, mass: 5, inertia: [0.1, 0.2, 0.3]}\n"
        "  shaft: {kind: beam, material: steel, length: 0.8, section: {kind: circle, diameter: 0.03}, elements: 6,\n"
        "          reference: cantilever, point_masses: [{at: C, mass: 12}]}\n"
        "joints:\n"
        "  seat: {kind: revolute, axis: [1, 0, 0], ports: [ground.O, housing.P], speed: 0}\n"
        "  bearing: {kind: revolute, axis: [1, 0, 0], ports: [housing.P, shaft.P], speed: 200}\n";
    const phx_modes_options options = phx_modes_options_default();
    rotation turns, stands;
    rotation_open(&turns, text, 0, NULL, &options);
    rotation_open(&stands, replaced(text, "speed: 200", "speed: 0"), 0, NULL, &options);
    CHECK_CLOSE(turns.spin, 200.0, 1e-12, "spin");
    CHECK_CLOSE(stands.spin, 0.0, 0.0, "no spin");
    const int n_x = turns.m.dae->n_x - 2; /* but for what counts turns */
    CHECK_BELOW(max_abs(n_x - 24, stands.m.x + 24), 1.0, "deformations");
    assert_true(max_abs(n_x - 24, stands.m.x + 24) > 1e-3);
    for (int i = 24; i < n_x; i++)
        CHECK_CLOSE(turns.m.x[i], stands.m.x[i], 1e-11, "deformation %d", i - 24);
    for (int k = 0; k < turns.set.count; k++)
        CHECK_RELATIVE(turns.set.omega[k], stands.set.omega[k], 1e-9, "mode %d", k + 1);
    check_undamped(&turns, "sagging shaft");
    rotation_close(&turns);
    rotation_close(&stands);
}

/* Damping of the material of a spinning shaft, R = beta K, seen from the ground: a mode of the shaft at rest with omega
 * obeys lambda^2 + beta omega^2 lambda + omega^2 (1 - i beta s) = 0, and above its frequency forward whirl grows. */
static const char *const damped_shaft =
    "phlexor: 1\n"
    "dimension: 3\n"
    "parameters: {spin: 0, beta: 1e-3}\n"
    "gravity: [0, 0, 0]\n"
    "materials: {m: {density: 1, young: 1e8, poisson: 0.3}}\n"
    "bodies:\n"
    "  housing: {kind: rigid, mass: 1, inertia: [1, 1, 1]}\n"
    "  shaft: {kind: beam, material: m, length: 1, section: {kind: general, area: 1, inertia: [1e-8, 1e-8], torsion: "
    "2e-8},\n"
    "          elements: 6, reference: cantilever, damping: {stiffness: beta}}\n"
    "joints:\n"
    "  seat: {kind: weld, ports: [ground.O, housing.P]}\n"
    "  bearing: {kind: revolute, axis: [1, 0, 0], ports: [housing.P, shaft.P], speed: spin}\n";

static void damping_inside_a_spinning_shaft(void **state)
{
    (void)state;
    const phx_model_override none[] = {{"spin", NULL, 0.0}, {"beta", NULL, 0.0}};
    phx_modes_options options = phx_modes_options_default();
    double omega[2];
    rotation at;
    options.count = 4;
    rotation_open(&at, damped_shaft, 2, none, &options);
    omega[0] = at.set.omega[0];
    omega[1] = at.set.omega[2];
    rotation_close(&at);
    for (double s = 2; s < 30; s += 9) {
        const phx_model_override set[] = {{"spin", NULL, s}, {"beta", NULL, 1e-3}};
        rotation_open(&at, damped_shaft, 2, set, &options);
        for (int mode = 0; mode < 2; mode++)
            for (int way = -1; way <= 1; way += 2) { /* backward, forward */
                const double w2 = omega[mode] * omega[mode], b = 1e-3 * w2;
                const double complex root = csqrt(b * b - 4 * w2 * (1 - I * 1e-3 * s));
                const double complex lambda = 0.5 * (-b - way * root); /* the root's imaginary part is negative */
                double best = HUGE_VAL;
                for (int k = 0; k < at.set.count; k++)
                    best = fmin(best, hypot(at.set.omega[k] / cabs(lambda) - 1.0,
                                            at.set.damping[k] + creal(lambda) / cabs(lambda)));
                CHECK_BELOW(best, 1e-7, "mode %d, %s, at %g rad/s", mode + 1, way > 0 ? "forward" : "backward", s);
            }
        rotation_close(&at);
    }
}

/* ---- what is refused ---- */
static void refusals(void **state)
{
    (void)state;
    static const char wheel[] = "inertia: [0.5, 0.5, 0.8], centre_of_mass: [-0.1";
    static const char disc[] = "inertia: [0.3, 0.3, 0.5]}", rim[] = "inertia: [0.3, 0.3, 0.5], ports: {S: {position: "
                                                                    "[0, -1, 0.8]}}}";
    rotation_refused(replaced(gyrostat, wheel, "inertia: [0.5, 0.6, 0.8], centre_of_mass: [-0.1"),
                     "joint 'motor' turns body 'wheel' against what carries it, and it is no rotor that looks the same "
                     "in all its angles: its inertias across the axis differ by 0.1");
    rotation_refused(replaced(gyrostat, wheel, "inertia: [0.5, 0.5, 0.8], centre_of_mass: [-0.099"),
                     "its centre of mass is 0.001 m off the axis");
    rotation_refused("phlexor: 1\n"
                     "dimension: 3\n"
                     "materials: {m: {density: 1000, young: 1e8, poisson: 0.3}}\n"
                     "bodies:\n"
                     "  housing: {kind: rigid, mass: 2, inertia: [1, 2, 1.5]}\n"
                     "  shaft: {kind: beam, material: m, length: 1, section: {kind: general, area: 0.01,\n"
                     "          inertia: [1e-5, 1.01e-5], torsion: 2e-5}, elements: 2,\n"
                     "          reference: cantilever}\n"
                     "joints: {bearing: {kind: revolute, axis: [1, 0, 0], ports: [housing.P, shaft.P], speed: 5}}\n",
                     "it bends, and its deformations differ by");
    rotation_refused(replaced(replaced(stodola, "[ground.S2, housing.S2]", "[ground.S2, disc.S]"), disc, rim),
                     "change while it turns");
    rotation_refused(replaced(replaced(stodola, disc, rim), "springs:\n",
                              "loads: {push: {torque: [1, 0, 0], at: disc.S, frame: body}}\nsprings:\n"),
                     "change while it turns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nutation),
        cmocka_unit_test(nutation_of_a_turning_hub),
        cmocka_unit_test(gyroscopic_tilt),
        cmocka_unit_test(forward_and_backward_whirl),
        cmocka_unit_test(whirl_in_time),
        cmocka_unit_test(campbell_of_an_overhung_disc),
        cmocka_unit_test(gravity_across_the_axis),
        cmocka_unit_test(other_rotors),
        cmocka_unit_test(shaft_that_spins_with_its_disc),
        cmocka_unit_test(shaft_that_sags),
        cmocka_unit_test(damping_inside_a_spinning_shaft),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
