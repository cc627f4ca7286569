/* Rods in a mechanism: invariants, closed loops, order of convergence, all integrators, both evaluators, frequencies,
 * section forces. */
#include <phlexor/integrate.h>
#include <phlexor/linear.h>

#include "rods.h"

/* A pendulum of two rods, hinged to the ground and to each other. */
static void open_pendulum(phx_context *context, int dim, double damping, model *m)
{
    const double gravity[3] = {1.0, -9.81, 2.0};
    const phx_joint_kind hinge = dim == 2 ? PHX_JOINT_REVOLUTE : PHX_JOINT_SPHERICAL;
    rod_kind kind = rod_default(dim);

    kind.damping = damping;
    if (dim == 2)
        model_open(context, gravity[0], gravity[1], m);
    else
        model_open_space(context, gravity, m);
    const phx_body_id one = add_rod(m, "one", &kind, dim == 2 ? pose_at(0, 0, 0) : pose_turned(0, 0, 0, 1, 0, 0, 0));
    const phx_body_id two = add_rod(m, "two", &kind, dim == 2 ? pose_at(1, 0, 0) : pose_turned(1, 0, 0, 1, 0, 0, 0));
    add_joint(m, "pin", hinge, ground_at(m, 0, 0, 0), port_on(m, one, 0.0));
    add_joint(m, "knee", hinge, port_on(m, one, 1.0), port_on(m, two, 0.0));
    model_ready(m);
}

static void run(model *m, phx_integrator integrator, double step, double end, double rtol)
{
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;

    options.integrator = integrator;
    options.end = end;
    options.step = step;
    options.rtol = rtol;
    CHECK_OK(m->context, phx_integrate(m->dae, &options, &t, m->x, m->v, m->lambda, NULL, NULL, NULL));
}

static void tip_of(const model *m, double *u)
{
    memcpy(u, m->x + m->n_x - (m->dim == 2 ? 5 : 12), (size_t)m->dim * sizeof *u);
}

/* ---- invariants ---- */
/* A free rod that spins and unbends; momenta and energy over many steps. */
static void free_rod_keeps_its_momenta(void **state)
{
    const double none[3] = {0.0, 0.0, 0.0};
    const int steps = TEST_LONG(4000);
    rod_kind kind = rod_default(3);
    double linear[2][3], angular[2][3];
    phx_pose pose = pose_turned(0.3, -0.2, 0.1, 0.3, 0.4, 0.5, 0.7);
    model m;

    kind.elements = 8;
    model_open_space(*state, none, &m);
    pose.linear[0] = 0.4;
    pose.angular[0] = 1.0;
    pose.angular[1] = 5.0;
    pose.angular[2] = 3.0;
    const phx_body_id id = add_rod(&m, "rod", &kind, pose);
    const phx_body *body = phx_system_body(m.system, id);
    model_ready(&m);
    for (int k = 0; k <= kind.elements; k++) { /* it bends: one rigid piece would keep its energy first */
        m.v[6 * k + 1] += 2.0 * cos(2.0 * TEST_PI * k / kind.elements);
        m.v[6 * k + 2] += 1.0 * cos(3.0 * TEST_PI * k / kind.elements);
    }
    const double before = total_energy(&m, m.x, m.v);
    phx_body_inertial_momentum(body, m.x, m.v, linear[0], angular[0]);
    run(&m, PHX_MIDPOINT, 0.005, 0.005 * steps, 0.0);
    phx_body_inertial_momentum(body, m.x, m.v, linear[1], angular[1]);
    CHECK_RELATIVE(total_energy(&m, m.x, m.v), before, 1e-11, "energy");
    CHECK_VECTOR(3, linear[1], linear[0], 1e-12, "linear momentum");
    CHECK_VECTOR(3, angular[1], angular[0], 1e-12, "angular momentum");
    model_close(&m);
}

/* Energy, what is lost in the damping booked, and the joints of a closed loop. */
static void closed_loop_stays_closed(void **state)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int damped = 0; damped < 2; damped++) {
            const double gravity[3] = {0.0, -9.81, dim == 3 ? 3.0 : 0.0};
            const phx_joint_kind hinge = dim == 2 ? PHX_JOINT_REVOLUTE : PHX_JOINT_SPHERICAL;
            rod_kind kind = rod_default(dim);
            double position, velocity;
            phx_work work;
            model m;
            kind.damping = damped ? 1e-3 : 0.0;
            if (dim == 2)
                model_open(*state, gravity[0], gravity[1], &m);
            else
                model_open_space(*state, gravity, &m);
            const phx_body_id one =
                add_rod(&m, "one", &kind, dim == 2 ? pose_at(0, 0, 0.9) : pose_turned(0, 0, 0, 0, 0, 1, 0.9));
            const double x = cos(0.9), y = sin(0.9);
            const phx_body_id two =
                add_rod(&m, "two", &kind, dim == 2 ? pose_at(x, y, -0.9) : pose_turned(x, y, 0, 0, 0, 1, -0.9));
            add_joint(&m, "left", hinge, ground_at(&m, 0, 0, 0), port_on(&m, one, 0.0));
            add_joint(&m, "knee", PHX_JOINT_WELD, port_on(&m, one, 1.0), port_on(&m, two, 0.0));
            add_joint(&m, "right", hinge, ground_at(&m, 2.0 * x, 0, 0), port_on(&m, two, 1.0));
            model_ready(&m);
            const double before = total_energy(&m, m.x, m.v);
            run_midpoint(&m, 0.0, 0.002, TEST_LONG(1000), &work);
            const double balance = total_energy(&m, m.x, m.v) - before - work.supplied + work.dissipated;
            CHECK_SMALL(balance, 1e-11, "dim %d: balance", dim);
            assert_true(damped ? work.dissipated > 1e-3 : work.dissipated == 0.0);
            m.dae->ops->drift(m.dae, 0.0, m.x, m.v, &position, &velocity);
            CHECK_SMALL(position, 1e-14, "dim %d: joints", dim);
            CHECK_SMALL(velocity, 1e-12, "dim %d: their rates", dim);
            model_close(&m);
        }
}

/* ---- methods ---- */
static void order_is_two(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        double u[4][3], error[2];
        for (int k = 0; k < 4; k++) { /* the last is the reference */
            model m;
            open_pendulum(*state, dim, 0.01, &m);
            run(&m, PHX_MIDPOINT, k == 3 ? 1.25e-4 : 2e-3 / (1 << k), 0.2, 0.0);
            tip_of(&m, u[k]);
            model_close(&m);
        }
        for (int k = 0; k < 2; k++) {
            error[k] = 0.0;
            for (int a = 0; a < dim; a++)
                error[k] = fmax(error[k], fabs(u[k + 1][a] - u[3][a]));
        }
        CHECK_BETWEEN(log2(error[0] / error[1]), 1.8, 2.2, "dim %d: errors %g, %g", dim, error[0], error[1]);
    }
}

/* The equations at an instant and over an interval are the same. */
static void integrators_agree(void **state)
{
    static const struct {
        phx_integrator integrator;
        double step, rtol, tolerance;
    } runs[] = {{PHX_GAUSS4, 2.5e-4, 0.0, 1e-6}, {PHX_RADAU5, 0.0, 1e-8, 1e-6}, {PHX_IDA, 0.0, 1e-8, 1e-4}};

    for (int dim = 2; dim <= 3; dim++) {
        double want[3], got[3];
        model m;
        open_pendulum(*state, dim, 0.01, &m);
        run(&m, PHX_GAUSS6, 5e-4, 0.1, 0.0);
        tip_of(&m, want);
        model_close(&m);
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
            open_pendulum(*state, dim, 0.01, &m);
            run(&m, runs[k].integrator, runs[k].step, 0.1, runs[k].rtol);
            tip_of(&m, got);
            CHECK_VECTOR(dim, got, want, runs[k].tolerance, "%s", phx_integrator_name(runs[k].integrator));
            model_close(&m);
        }
    }
}

static void both_evaluators_agree(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        double u[2][3];
        for (int k = 0; k < 2; k++) {
            model m;
            open_pendulum(*state, dim, 1e-3, &m);
            phx_system_dae_destroy(m.dae);
            CHECK_OK(*state, phx_system_dae_with(m.system, *state, k ? PHX_BACKEND_FAST : PHX_BACKEND_PLAIN, &m.dae));
            run(&m, PHX_MIDPOINT, 2e-3, 0.4, 0.0);
            tip_of(&m, u[k]);
            model_close(&m);
        }
        CHECK_VECTOR(dim, u[0], u[1], 1e-11, "dim %d: plain and fast", dim);
    }
}

/* ---- frequencies ---- */
/* A cantilever of ratio L/h = 100: mode 1 and 2 against Timoshenko's beam (docs/theory-rods.md), order 3 in the
 * element. */
static void cantilever_vibrates(void **state)
{
    static const double exact[2] = {1.0149052396439378, 6.357273183150677};
    double error[2][2];

    for (int k = 0; k < 2; k++) {
        const rod_kind kind = {.dim = 2,
                               .elements = k ? 16 : 8,
                               .length = 1.0,
                               .EA = 1e4,
                               .GA = 3205.128205128205,
                               .GJ = 1.0,
                               .EI = {1.0, 1.0 / 12.0},
                               .rhoA = 1.0,
                               .rhoI = {1.0, 1.0, 1e-4 / 12.0}};
        const phx_modes_options options = phx_modes_options_default();
        phx_linear linear;
        phx_modal *modal = NULL;
        phx_mode_set set = {0};
        model m;
        model_open(*state, 0.0, 0.0, &m);
        const phx_body_id rod = add_rod(&m, "rod", &kind, pose_at(0, 0, 0));
        add_joint(&m, "clamp", PHX_JOINT_WELD, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
        model_ready(&m);
        CHECK_OK(*state, phx_system_linear(m.dae, 0.0, m.x, NULL, &linear));
        CHECK_OK(*state, phx_modal_create(*state, &modal));
        CHECK_OK(*state, phx_modal_solve(modal, &linear, &options, &set));
        for (int i = 0; i < 2; i++)
            error[k][i] = set.omega[i] / exact[i] - 1.0;
        phx_mode_set_free(&set);
        phx_modal_destroy(modal);
        phx_linear_free(&linear);
        model_close(&m);
    }
    CHECK_SMALL(error[0][0], 1.2e-4, "mode 1, 8 elements");
    CHECK_SMALL(error[0][1], 1.5e-3, "mode 2, 8 elements");
    for (int i = 0; i < 2; i++)
        CHECK_BETWEEN(log2(error[0][i] / error[1][i]), 2.8, 3.3, "mode %d: errors %g, %g", i + 1, error[0][i],
                      error[1][i]);
}

/* The flap of a blade that turns about its root, in units of sqrt(EI/(rho A L^4)): Wright, Smith, Thresher, Wang (J.
 * Appl. Mech. 49, 1982), a rod without shear and rotary inertia to speak of. */
static void turning_rod_vibrates(void **state)
{
    static const double speed[2] = {6.0, 12.0}, flap[2] = {7.3604, 13.1702};
    const double none[3] = {0.0, 0.0, 0.0};

    for (int k = 0; k < 2; k++) {
        const rod_kind kind = {.dim = 3,
                               .elements = 16,
                               .length = 1.0,
                               .EA = 1e6,
                               .GA = 4e5,
                               .GJ = 2.0,
                               .EI = {1.0, 40.0},
                               .rhoA = 1.0,
                               .rhoI = {2e-6, 1e-6, 1e-6}};
        const phx_modes_options options = phx_modes_options_default();
        phx_linear linear;
        phx_modal *modal = NULL;
        phx_mode_set set = {0};
        model m;
        model_open_space(*state, none, &m);
        const phx_body_id rod = add_rod(&m, "rod", &kind, pose_turned(0, 0, 0, 0, 0, 1, 0));
        phx_joint_def motor = joint_def("motor", PHX_JOINT_REVOLUTE, ground_at(&m, 0, 0, 0), port_on(&m, rod, 0.0));
        motor.axis[0] = 0.0;
        motor.axis[2] = 1.0;
        motor.coordinate[0].speed = constant(&m, speed[k]);
        add_joint_def(&m, &motor);
        model_ready(&m);
        double *axes = test_calloc((size_t)m.n_v, sizeof *axes), spin;
        CHECK_OK(*state, phx_system_steady(m.dae, 0.0, m.x, m.v, axes, m.lambda, &spin));
        CHECK_OK(*state, phx_system_linear_steady(m.dae, 0.0, m.x, m.v, axes, m.lambda, &linear));
        CHECK_OK(*state, phx_modal_create(*state, &modal));
        CHECK_OK(*state, phx_modal_solve(modal, &linear, &options, &set));
        CHECK_RELATIVE(set.omega[0], flap[k], 1e-4, "flap at %g", speed[k]);
        phx_mode_set_free(&set);
        phx_modal_destroy(modal);
        phx_linear_free(&linear);
        test_free(axes);
        model_close(&m);
    }
}

/* ---- section forces ---- */
/* A rod under small uniform strains, each alone: what its outputs say in the middle. A uniform shear without curvature
 * meets the corrected stiffness, 1/(1/GA + l^2/12EI). */
static void sections_have_forces(void **state)
{
    const rod_kind kind = rod_default(3);
    const double l = kind.length / kind.elements, small = 1e-6, none[3] = {0.0, 0.0, 0.0};
    const double shear_y = 1.0 / (1.0 / kind.GA + l * l / (12.0 * kind.EI[1])),
                 shear_z = 1.0 / (1.0 / kind.GA + l * l / (12.0 * kind.EI[0]));
    const double want[6] = {kind.EA, shear_y, shear_z, kind.GJ, -kind.EI[0], kind.EI[1]};
    static const int column[6] = {0, 1, 2, 5, 3, 4}; /* of N1 N2 N3 M1 M2 M3; My = -M2 */
    double out[6];
    model m;

    model_open_space(*state, none, &m);
    const phx_body_id rod = add_rod(&m, "rod", &kind, pose_turned(0, 0, 0, 0, 1, 0, 0.4));
    const phx_port_id middle = port_on(&m, rod, 0.5);
    add_output(&m, "N", PHX_QUANTITY_AXIAL_FORCE, middle);
    add_output(&m, "Q", PHX_QUANTITY_SHEAR_FORCE, middle);
    add_output(&m, "M", PHX_QUANTITY_BENDING_MOMENT, middle);
    add_output(&m, "T", PHX_QUANTITY_TORSION, middle);
    model_ready(&m);
    assert_int_equal(phx_system_columns(m.system), 6);
    for (int c = 0; c < 6; c++) {
        double *xi = test_calloc((size_t)m.n_v, sizeof *xi), *x = test_calloc((size_t)m.n_x, sizeof *x);
        memcpy(x, m.x, (size_t)m.n_x * sizeof *x);
        for (int k = 0; k <= kind.elements; k++) { /* the displacement of that strain, to first order, along s */
            const double s = k * l;
            xi[6 * k + c] = small * s;
            if (c == 4) /* turned by K2 s about y: z falls */
                xi[6 * k + 2] = -0.5 * small * s * s;
            if (c == 5)
                xi[6 * k + 1] = 0.5 * small * s * s;
        }
        phx_body_displace(phx_system_body(m.system, rod), 1.0, xi, x);
        CHECK_OK(*state, phx_system_outputs(m.dae, 0.0, x, m.v, out));
        for (int i = 0; i < 6; i++)
            CHECK_SMALL(out[i] - (i == column[c] ? small * want[c] : 0.0), 1e-4 * small * want[0],
                        "strain %d, column %d", c, i);
        CHECK_RELATIVE(out[column[c]], small * want[c], 1e-4, "strain %d", c);
        test_free(xi);
        test_free(x);
    }
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(free_rod_keeps_its_momenta, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(closed_loop_stays_closed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(order_is_two, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(integrators_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(both_evaluators_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(cantilever_vibrates, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(turning_rod_vibrates, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(sections_have_forces, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
