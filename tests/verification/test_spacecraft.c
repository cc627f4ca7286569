/* Linear models of the examples that float in space: far below their frequencies they are rigid bodies, and forces on
 * the hub accelerate it by the inverse of the rigid mass matrix about it. */
#include "support/testing.h"
#include "dae/dae.h"
#include "statespace/statespace.h"

#include <phlexor/linear.h>
#include <phlexor/model.h>

enum { RIGID = 3, MOST = 6 };

/* | m  0  -m c_y; 0  m  m c_x; -m c_y  m c_x  J_P | of the whole, drives locked, about the origin of the hub, which is
 * that of the inertial frame in these models. */
static void rigid_mass(phx_context *context, phx_dae *dae, const double *x, double *mass)
{
    double *rest = phx_calloc(context, (size_t)(dae->n_v + dae->n_l), sizeof *rest);
    phx_certificate found;

    assert_non_null(rest);
    CHECK_OK(context, phx_system_verify_structure(dae, 0.0, x, rest, rest + dae->n_v, &found));
    phx_free(rest);
    const double *c = found.centre_of_mass, m = found.mass;
    const double whole[RIGID * RIGID] = {
        m, 0.0, -m * c[1], 0.0, m, m * c[0], -m * c[1], m * c[0], found.inertia[0] + m * (c[0] * c[0] + c[1] * c[1])};
    memcpy(mass, whole, sizeof whole);
}

/* Response of the hub's accelerations at omega, n_inputs wide, interleaved complex; the rigid mass of the whole. */
static void hub_response(phx_context *context, const char *path, int n_inputs, const char *const *inputs, double omega,
                         double *response, double *mass)
{
    static const char *const outputs[] = {"hub.P.ax", "hub.P.ay", "hub.P.alpha"};
    phx_linearise_options options = phx_linearise_options_default();
    phx_model *model = NULL;
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    phx_linearised *linearised = NULL;
    phx_ss *ss = NULL;

    CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    CHECK_OK(context, phx_model_build(context, model, NULL, &system));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    double *x = phx_calloc(context, (size_t)(dae->n_x + dae->n_v), sizeof *x);
    assert_non_null(x);
    CHECK_OK(context, phx_system_start(system, NULL, x, x + dae->n_x, NULL));
    rigid_mass(context, dae, x, mass);
    options.x = x;
    options.channels.n_inputs = n_inputs;
    options.channels.inputs = inputs;
    options.channels.n_outputs = RIGID;
    options.channels.outputs = outputs;
    CHECK_OK(context, phx_linearise(context, dae, &options, &linearised));
    CHECK_OK(context, phx_linearised_ss(context, linearised, &ss));
    CHECK_OK(context, phx_ss_response(context, ss, omega, response));
    phx_ss_destroy(ss);
    phx_linearised_destroy(linearised);
    phx_free(x);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

/* mass times response is the identity, up to (omega/omega_1)^2 */
static void check_rigid(int n_inputs, const double *mass, const double *response, double tolerance, const char *what)
{
    for (int i = 0; i < RIGID; i++)
        for (int j = 0; j < RIGID; j++) {
            double product[2] = {0.0, 0.0};
            for (int k = 0; k < RIGID; k++)
                for (int part = 0; part < 2; part++)
                    product[part] += mass[i * RIGID + k] * response[2 * (k * n_inputs + j) + part];
            CHECK_CLOSE(product[0], i == j ? 1.0 : 0.0, tolerance, "%s: mass times response (%d,%d)", what, i, j);
            CHECK_SMALL(product[1], tolerance, "%s: imaginary part (%d,%d)", what, i, j);
        }
}

static void test_satellite(void **state)
{
    static const char *const inputs[] = {"hub.P.fx", "hub.P.fy", "hub.P.tz"};
    const double line = 60.0 * 2.0 * 0.03;                                /* kg/m of an array */
    const double arrays = 2.0 * line * (pow(6.8, 3) - pow(0.8, 3)) / 3.0; /* kg m^2 about the hub */
    const double total = 600.0 + 40.0 + 12.0 * line, inertia = 250.0 + 3.0 + 40.0 + arrays;
    double mass[RIGID * RIGID], response[2 * RIGID * MOST];

    hub_response(*state, PHX_SOURCE_DIR "/examples/satellite.yaml", 3, inputs, 1e-4, response, mass);
    CHECK_RELATIVE(mass[0], total, 1e-13, "total mass");
    CHECK_RELATIVE(mass[8], inertia, 1e-12, "inertia about the hub");
    CHECK_RELATIVE(mass[2], 40.0, 1e-12, "first moment of the instrument");
    check_rigid(3, mass, response, 1e-8, "satellite");
    /* a force along the axis of symmetry does not turn it, at any frequency */
    hub_response(*state, PHX_SOURCE_DIR "/examples/satellite.yaml", 3, inputs, 4.5, response, mass);
    CHECK_SMALL(response[2 * (2 * 3 + 1)], 1e-14, "rotation by a force along the axis of symmetry");
    CHECK_BETWEEN(fabs(response[2 * (1 * 3 + 1)]) * total, 1.01, HUGE_VAL, "acceleration between the frequencies");
}

/* With the drive's angle held the spacecraft is one body; the reaction of the drive turns the hub the other way. */
static void test_spacecraft(void **state)
{
    static const char *const held[] = {"hub.P.fx", "hub.P.fy", "hub.P.tz", "drive.acceleration"};
    static const char *const driven[] = {"hub.P.fx", "hub.P.fy", "hub.P.tz", "drive.effort"};
    double mass[RIGID * RIGID], response[2 * RIGID * MOST];

    hub_response(*state, PHX_SOURCE_DIR "/examples/spacecraft.yaml", 4, held, 1e-4, response, mass);
    CHECK_BETWEEN(mass[0], 838.0, 860.0, "total mass: hub, rotor, antenna and the boom's few kilograms");
    check_rigid(4, mass, response, 1e-7, "spacecraft, drive held");
    CHECK_BETWEEN(response[2 * (2 * 4 + 3)], -1.0, -0.001, "rotation of the hub by that of the antenna");
    const double as_one = response[2 * (2 * 4 + 2)];
    hub_response(*state, PHX_SOURCE_DIR "/examples/spacecraft.yaml", 4, driven, 1e-4, response, mass);
    CHECK_BETWEEN(response[2 * (2 * 4 + 3)], -2.0 / 400.0, -1e-5, "rotation of the hub by a torque of the drive");
    CHECK_RELATIVE(response[0] * mass[0], 1.0, 1e-9, "acceleration along the boom");
    CHECK_BETWEEN(response[2 * (2 * 4 + 2)] / as_one, 1.25, 1.35, "a free antenna stays behind when the hub is turned");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_satellite, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_spacecraft, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
