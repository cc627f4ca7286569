/* Andrews' squeezing mechanism, seven bodies turned by a motor against a spring, against the published solution at
 * 0.03 s: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section VII.7; values of the Test Set
 * for IVP Solvers (PSIDE, tolerances 1e-14), the multipliers being the forces at the common point of K2, K3, K4 and K6.
 * The rest, 1e-9 of the crank and 7e-8 of the forces, does not change with the step: it is that solution.
 * In the plane, and as a model in space, where each of its three loops holds itself to the plane three times over. */
#include "mechanism.h"

enum { TEXT = 8000 };

static const double END = 0.03;
/* beta, Theta, gamma, Phi, delta, Omega, epsilon */
static const double start[7] = {-0.0617138900142764496358948458001, 0.0,
                                0.455279819163070380255912382449,   0.222668390165885884674473185609,
                                0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                                1.23054744454982119249735015568};
static const double end[7] = {0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
                              0.5244099658805304,   0.5347301163226948,    0.1048080741042263e1};
static const double rates[7] = {0.1139920302151208e4, -0.1424379294994111e4, 0.1103291221937134e2, 0.1929337464421385e2,
                                0.5735699284790808,   -0.1929337464421385e2, 0.3231791658026955};
static const double forces[6] = {0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2,
                                 0.3145271365475927e2, 0.2264249232082739e2,  0.1161740700019673e2};

enum { RR, D, E_, ZT, U, SS, DIMENSIONS };
static const double size[DIMENSIONS] = {7e-3, 28e-3, 2e-2, 4e-2, 4e-2, 35e-3};

/* Angles of the bodies K1 .. K7 from the seven coordinates. */
static void angles_of(const double q[7], double offset, double angle[7])
{
    angle[0] = q[0];
    angle[1] = q[0] + q[1] + 2.0 * offset;
    angle[2] = q[2];
    angle[3] = q[3] + q[4] - offset;
    angle[4] = q[4];
    angle[5] = q[5] + q[6];
    angle[6] = q[6];
}

/* A body whose frame is at its first joint, its centre of mass at (cx, cy), another port at (px, py). */
static void add_body(char *text, int dim, int k, double mass, double inertia, double cx, double cy, const char *ports,
                     double x, double y, double angle)
{
    const char *const more = dim == 3 ? ", 0" : "";
    append_text(text, TEXT, "  K%d: {kind: rigid, mass: %.17g, centre_of_mass: [%.17g, %.17g%s], ports: {%s}, ", k,
                mass, cx, cy, more, ports);
    if (dim == 3)
        append_text(text, TEXT,
                    "inertia: [%.17g, %.17g, %.17g], pose: {position: [%.17g, %.17g, 0], rotation: {axis: [0, 0, 1], "
                    "angle: %.17g}}}\n",
                    0.6 * inertia, 0.5 * inertia, inertia, x, y, angle);
    else
        append_text(text, TEXT, "inertia: %.17g, pose: {position: [%.17g, %.17g], angle: %.17g}}\n", inertia, x, y,
                    angle);
}

static void add_bodies(char *text, int dim)
{
    const char *const z = dim == 3 ? ", 0" : "";
    const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273;
    double a[7];
    char ports[200];

    angles_of(start, 0.5 * TEST_PI, a);
    append_text(text, TEXT, "bodies:\n");
    snprintf(ports, sizeof ports, "F: {position: [%g, 0%s]}", size[RR], z);
    add_body(text, dim, 1, 0.04325, 2.194e-6, 92e-5, 0.0, ports, 0.0, 0.0, a[0]);
    snprintf(ports, sizeof ports, "E: {position: [%g, 0%s]}", size[D], z);
    add_body(text, dim, 2, 0.00365, 4.410e-7, 115e-4, 0.0, ports, size[RR] * cos(a[0]), size[RR] * sin(a[0]), a[1]);
    snprintf(ports, sizeof ports, "E: {position: [0, %g%s]}, D: {position: [0.02, -0.018%s]}", -size[SS], z, z);
    add_body(text, dim, 3, 0.02373, 5.255e-6, 1043e-5, -1874e-5, ports, xb, yb, a[2]);
    snprintf(ports, sizeof ports, "E: {position: [%g, 0%s]}", size[E_], z);
    add_body(text, dim, 4, 0.00706, 5.667e-7, size[E_] - 1421e-5, 0.0, ports, xa + size[ZT] * cos(a[4]),
             ya + size[ZT] * sin(a[4]), a[3]);
    snprintf(ports, sizeof ports, "Q: {position: [%g, 0%s]}", size[ZT], z);
    add_body(text, dim, 5, 0.07050, 1.169e-5, 2308e-5, 916e-5, ports, xa, ya, a[4]);
    snprintf(ports, sizeof ports, "E: {position: [%g, 0%s]}", 2e-2, z);
    add_body(text, dim, 6, 0.00706, 5.667e-7, 2e-2 - 1421e-5, 0.0, ports, xa + size[U] * sin(a[6]),
             ya - size[U] * cos(a[6]), a[5]);
    snprintf(ports, sizeof ports, "Q: {position: [0, %g%s]}", -size[U], z);
    add_body(text, dim, 7, 0.05498, 1.912e-5, 449e-5, -1228e-5, ports, xa, ya, a[6]);
}

static void squeezer(char *text, int dim)
{
    static const char *const joints[][3] = {
        {"O", "ground.O", "K1.P"},  {"F", "K1.F", "K2.P"},  {"B", "ground.B", "K3.P"}, {"A5", "ground.A", "K5.P"},
        {"A7", "ground.A", "K7.P"}, {"Q4", "K5.Q", "K4.P"}, {"Q6", "K7.Q", "K6.P"},    {"E3", "K2.E", "K3.E"},
        {"E4", "K2.E", "K4.E"},     {"E6", "K2.E", "K6.E"}};
    const char *const z = dim == 3 ? ", 0" : "", *const axis = dim == 3 ? ", axis: [0, 0, 1]" : "";

    text[0] = '\0';
    append_text(text, TEXT, "phlexor: 1\ndimension: %d\ngravity: [0, 0%s]\n", dim, z);
    append_text(text, TEXT,
                "ground: {ports: {A: {position: [-0.06934, -0.00227%s]}, B: {position: [-0.03635, 0.03273%s]}, "
                "C: {position: [0.014, 0.072%s]}}}\n",
                z, z, z);
    add_bodies(text, dim);
    append_text(text, TEXT, "joints:\n");
    for (size_t j = 0; j < sizeof joints / sizeof *joints; j++)
        append_text(text, TEXT, "  %s: {kind: revolute, ports: [%s, %s]%s%s}\n", joints[j][0], joints[j][1],
                    joints[j][2], axis, j == 0 ? ", effort: 0.033, angle: -0.0617138900142764496" : "");
    append_text(text, TEXT, "springs: {s: {ports: [ground.C, K3.D], stiffness: 4530, length: 0.07785}}\noutputs:\n");
    for (int k = 1; k <= 7; k++)
        append_text(text, TEXT, "  w%d: {angular_velocity: K%d.P}\n", k, k);
    for (int k = 0; k < 3; k++)
        append_text(text, TEXT, "  r%d: {reaction: E%s, frame: inertial}\n", k, joints[7 + k][0] + 1);
    append_text(text, TEXT, "  q1: {coordinate: O}\n");
}

/* The angle of body k, in space from its attitude. */
static double angle_of(const mechanism *m, int k, double near)
{
    int x = 0, v = 0;
    phx_system_offsets(m->system, k, &x, &v);
    const double angle = phx_system_dim(m->system) == 2 ? m->x[x + 4] : atan2(m->x[x + 3 + 3], m->x[x + 3]);
    return near + remainder(angle - near, 2.0 * TEST_PI);
}

static void check_end(mechanism *m, int dim)
{
    double angle[7], rate[7];
    const int last = phx_system_columns(m->system) - 1;
    const int per = dim == 3 ? 3 : 1, reaction = dim == 3 ? 6 : 3, first = 7 * per;

    CHECK_OK(m->context, phx_system_outputs(m->dae, END, m->x, m->v, m->columns));
    angles_of(end, 0.5 * TEST_PI, angle);
    angles_of(rates, 0.0, rate);
    for (int k = 0; k < 7; k++) {
        CHECK_CLOSE(angle_of(m, k, angle[k]), angle[k], 2e-9, "dimension %d, angle of K%d", dim, k + 1);
        CHECK_CLOSE(m->columns[per * k + per - 1], rate[k], 1e-6, "dimension %d, rate of K%d", dim, k + 1);
    }
    CHECK_CLOSE(m->columns[last], end[0], 2e-9, "dimension %d, turns of the crank", dim);
    for (int j = 0; j < 3; j++)
        for (int a = 0; a < 2; a++)
            CHECK_CLOSE(m->columns[first + reaction * j + a], forces[2 * j + a], 2e-5,
                        "dimension %d, force %d of loop %d", dim, a, j + 1);
}

static void the_squeezer_ends_where_published(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        phx_integrate_options options = phx_integrate_options_default();
        char text[TEXT];
        mechanism m;
        squeezer(text, dim);
        mechanism_open(&m, text, 0, NULL);
        assert_int_equal(m.dae->n_v - m.dae->n_l, 1);
        assert_int_equal(phx_system_redundant(m.system), dim == 3 ? 9 : 0);
        options.integrator = PHX_GAUSS6;
        options.step = 2.5e-5;
        options.every = END;
        options.end = END;
        mechanism_run(&m, &options);
        check_end(&m, dim);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_squeezer_ends_where_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
