/* The angle of a joint at the start: one rule in the plane and in space. What `angle` says, also beyond half a turn;
 * without it the principal value in (-pi, pi], however the poses are written. */
#include "support.h"

#include "equilibrium/equilibrium.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* A body on the ground whose frames turn about z by `a` and `b`, on a joint with a spring of 1 N m/rad. */
static phx_system *hinged(phx_context *context, bool space, const char *kind, double a, double b, const char *keys)
{
    char text[2000], turned[2][80];
    const double angle[2] = {a, b};
    phx_system *system = NULL;

    for (int k = 0; k < 2; k++)
        snprintf(turned[k], sizeof turned[k], space ? "rotation: {axis: [0, 0, 1], angle: %.17g}" : "angle: %.17g",
                 angle[k]);
    snprintf(text, sizeof text,
             "phlexor: 1\n"
             "dimension: %d\n"
             "bodies:\n"
             "  one: {kind: rigid, mass: 1, inertia: %s, pose: {%s}}\n"
             "  two: {kind: rigid, mass: 1, inertia: %s, pose: {%s}}\n"
             "joints:\n"
             "  base: {kind: weld, ports: [ground.O, one.P]}\n"
             "  pin: {kind: %s, ports: [one.P, two.P]%s}\n"
             "outputs: {angle: {coordinate: pin}}\n",
             space ? 3 : 2, space ? "[1, 1, 1]" : "1", turned[0], space ? "[1, 1, 1]" : "1", turned[1], kind, keys);
    phx_model *model = read_text(context, text);
    CHECK_OK(context, phx_model_build(context, model, NULL, &system));
    phx_model_destroy(model);
    return system;
}

/* The first coordinate and the energy of the springs at the start. */
static double angle_at_start(phx_context *context, phx_system *system, double *spring)
{
    double x[64], v[24], columns[4];
    phx_energies energies;
    phx_dae *dae = NULL;

    assert_true(phx_system_n_x(system) <= 64 && phx_system_n_v(system) <= 24 && phx_system_columns(system) <= 4);
    CHECK_OK(context, phx_system_start(system, NULL, x, v, NULL));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    CHECK_OK(context, phx_system_outputs(dae, 0.0, x, v, columns));
    phx_system_energies(system, x, v, &energies);
    *spring = energies.potential;
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    return columns[0];
}

static const struct {
    bool space;
    const char *kind, *keys, *angle;
} joints[] = {
    {false, "revolute", ", stiffness: 1", "angle: %.17g"},
    {true, "revolute", ", axis: [0, 0, 1], stiffness: 1", "angle: %.17g"},
    {true, "cylindrical", ", axis: [0, 0, 1], stiffness: [1, 0]", "angle: %.17g"},
    {true, "universal", ", axes: [[0, 0, 1], [1, 0, 0]], stiffness: [1, 0]", "angle: [%.17g, null]"},
    {true, "planar", ", normal: [0, 0, 1], stiffness: [0, 0, 1]", "angle: %.17g"},
};
enum { JOINTS = sizeof joints / sizeof *joints };

static double wrapped(double angle)
{
    const double value = remainder(angle, 2.0 * PI);
    return value <= -PI + 1e-9 ? value + 2.0 * PI : value;
}

static void without_a_key_it_is_the_principal_value(void **state)
{
    const double poses[][2] = {{0.0, 0.3},      {-3.0, 2.745}, {3.0, -2.745},       {0.0, 5.0},
                               {0.0, -5.0},     {4.0, -4.0},   {0.0, 6.0 * PI + 1}, {10.0, -10.0},
                               {0.0, PI},       {0.0, -PI},    {PI, 0.0},           {0.4, 0.4 + PI},
                               {0.4, 0.4 - PI}, {-PI, PI},     {1.1, 1.1 - 5 * PI}, {0.0, 8 * PI}};

    for (int j = 0; j < JOINTS; j++)
        for (size_t k = 0; k < sizeof poses / sizeof *poses; k++) {
            const double want = wrapped(poses[k][1] - poses[k][0]);
            double spring;
            phx_system *system =
                hinged(*state, joints[j].space, joints[j].kind, poses[k][0], poses[k][1], joints[j].keys);
            const bool first = strcmp(joints[j].kind, "planar") != 0;
            const double angle = angle_at_start(*state, system, &spring);
            if (first)
                CHECK_CLOSE(angle, want, 1e-12, "%s in %d-D, poses %g and %g", joints[j].kind, joints[j].space ? 3 : 2,
                            poses[k][0], poses[k][1]);
            CHECK_CLOSE(spring, 0.5 * want * want, 1e-11, "spring of %s, poses %g and %g", joints[j].kind, poses[k][0],
                        poses[k][1]);
        }
}

static void a_key_is_taken_as_written(void **state)
{
    const double angles[] = {0.0, 0.5, -0.5, PI, -PI, 3.5, -3.5, 4.0 * PI, -4.0 * PI + 0.1, 20.0};

    for (int j = 0; j < JOINTS; j++)
        for (size_t k = 0; k < sizeof angles / sizeof *angles; k++)
            for (int pose = 0; pose < 2; pose++) { /* at the angle, and some way from it */
                char keys[200], start[60];
                double spring;
                if (strcmp(joints[j].kind, "universal") == 0 && pose == 1)
                    continue;
                snprintf(start, sizeof start, joints[j].angle, angles[k]);
                snprintf(keys, sizeof keys, "%s, %s", joints[j].keys, start);
                phx_system *system =
                    hinged(*state, joints[j].space, joints[j].kind, 0.2, 0.2 + angles[k] + 0.3 * pose, keys);
                const double angle = angle_at_start(*state, system, &spring);
                if (strcmp(joints[j].kind, "planar") != 0)
                    CHECK_CLOSE(angle, angles[k], 1e-12, "%s in %d-D", joints[j].kind, joints[j].space ? 3 : 2);
                CHECK_CLOSE(spring, 0.5 * angles[k] * angles[k], 1e-10 * (1.0 + angles[k] * angles[k]),
                            "spring of %s at %g", joints[j].kind, angles[k]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_key_it_is_the_principal_value, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_key_is_taken_as_written, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
