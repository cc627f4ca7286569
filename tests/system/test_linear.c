/* The linearised system: K symmetric at equilibria and made of its root, frequencies of pendulums and locked drives;
 * and the certificate of the structure. */
#include "test_models.h"

enum { MOST = 64 };

/* omega^2 ascending of Z^T M Z, Z^T K Z on the free motions; returns their number. */
static int squares_of(model *m, const phx_linear *linear, double *values)
{
    const int n = linear->n;
    double M[MOST * MOST], K[MOST * MOST], *G = calloc((size_t)(linear->m * n + 1), sizeof *G), *Z = NULL;
    double A[MOST * MOST], B[MOST * MOST];
    int rank = 0;

    assert_non_null(G);
    assert_true(n <= MOST);
    phx_csr_to_dense(&linear->M, M);
    phx_csr_to_dense(&linear->K, K);
    phx_csr_to_dense(&linear->G, G);
    CHECK_OK(m->context, phx_dense_nullspace(m->context, linear->m, n, G, 1e-11, &rank, &Z));
    const int f = n - rank;
    for (int i = 0; i < f; i++)
        for (int j = 0; j < f; j++) {
            double a = 0.0, b = 0.0;
            for (int r = 0; r < n; r++)
                for (int c = 0; c < n; c++) {
                    a += Z[r * f + i] * K[r * n + c] * Z[c * f + j];
                    b += Z[r * f + i] * M[r * n + c] * Z[c * f + j];
                }
            A[i * f + j] = a;
            B[i * f + j] = b;
        }
    CHECK_OK(m->context, phx_dense_eigen_symmetric(m->context, f, A, B, values, NULL));
    phx_free(Z);
    free(G);
    return f;
}

/* Largest |K - K^T| over the largest entry. */
static double asymmetry(const phx_linear *linear)
{
    double K[MOST * MOST], worst = 0.0;
    const int n = linear->n;
    phx_csr_to_dense(&linear->K, K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            worst = fmax(worst, fabs(K[i * n + j] - K[j * n + i]));
    return worst / max_abs(n * n, K);
}

/* |K - root^T root (- rest)| over the largest entry. */
static double root_defect(const phx_linear *linear)
{
    double K[MOST * MOST], rest[MOST * MOST] = {0};
    const int n = linear->n;
    double *root = calloc((size_t)(linear->root.rows * n + 1), sizeof *root);
    assert_non_null(root);
    phx_csr_to_dense(&linear->K, K);
    phx_csr_to_dense(&linear->root, root);
    if (!linear->has_root)
        phx_csr_to_dense(&linear->rest, rest);
    const double scale = max_abs(n * n, K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            K[i * n + j] -= rest[i * n + j];
            for (int r = 0; r < linear->root.rows; r++)
                K[i * n + j] -= root[r * n + i] * root[r * n + j];
        }
    free(root);
    return max_abs(n * n, K) / scale;
}

static void linearise(model *m, phx_linear *linear)
{
    CHECK_OK(m->context, phx_system_linear(m->dae, 0.0, m->x, NULL, linear));
    assert_int_equal(linear->n, m->n_v);
    assert_int_equal(linear->m, m->n_l);
}

/* ---- pendulums ---- */
static void pendulums_swing_as_they_should(void **state)
{
    const double g = 9.81, down = -TEST_PI / 2.0;
    double values[MOST];
    phx_linear linear;
    model m;

    model_open(*state, 0.0, -g, &m);
    const phx_body_id a = add_rigid(&m, "a", 2.0, 0.3, 0.5, 0.0, pose_at(0.0, 0.0, down));
    add_joint(&m, "pin", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    model_ready(&m);
    linearise(&m, &linear);
    assert_int_equal(squares_of(&m, &linear, values), 1);
    CHECK_CLOSE(values[0], 2.0 * g * 0.5 / (0.3 + 0.5), 1e-12, "omega^2 of a pendulum");
    phx_linear_free(&linear);
    model_close(&m);
    /* two point masses m on strings of 1 m: omega^2 = g (2 -+ sqrt 2) */
    model_open(*state, 0.0, -g, &m);
    const phx_body_id b = add_rigid(&m, "b", 1.0, 1e-12, 1.0, 0.0, pose_at(0.0, 0.0, down));
    const phx_body_id c = add_rigid(&m, "c", 1.0, 1e-12, 1.0, 0.0, pose_at(0.0, -1.0, down));
    add_joint(&m, "pin", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, b, 0.0, 0.0));
    add_joint(&m, "knot", PHX_JOINT_REVOLUTE, at_place(&m, b, 1.0, 0.0), at_place(&m, c, 0.0, 0.0));
    model_ready(&m);
    linearise(&m, &linear);
    assert_int_equal(squares_of(&m, &linear, values), 2);
    CHECK_CLOSE(values[0], g * (2.0 - sqrt(2.0)), 1e-9, "slow omega^2 of a double pendulum");
    CHECK_CLOSE(values[1], g * (2.0 + sqrt(2.0)), 1e-8, "fast omega^2 of a double pendulum");
    CHECK_CLOSE(asymmetry(&linear), 0.0, 1e-14, "asymmetry of K, hanging");
    phx_linear_free(&linear);
    model_close(&m);
}

static void springs_and_locked_drives_make_frequencies(void **state)
{
    double values[MOST];
    phx_linear linear;
    beam_kind kind = beam_default();
    model m;

    model_open(*state, 0.0, 0.0, &m); /* a block on a rail with a spring */
    const phx_body_id a = add_rigid(&m, "a", 2.0, 0.3, 0.0, 0.0, pose_at(0.2, 0.0, 0.0));
    phx_joint_def rail =
        joint_def("rail", PHX_JOINT_PRISMATIC, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    rail.n_coordinates = 1;
    rail.coordinate[0].stiffness = 50.0;
    rail.coordinate[0].rest = 0.2;
    rail.coordinate[0].damping = 0.3;
    add_joint_def(&m, &rail);
    model_ready(&m);
    linearise(&m, &linear);
    assert_int_equal(squares_of(&m, &linear, values), 1);
    CHECK_CLOSE(values[0], 25.0, 1e-12, "omega^2 of a block on a spring");
    assert_true(linear.damped);
    phx_linear_free(&linear);
    model_close(&m);
    for (int driven = 0; driven < 2; driven++) { /* a locked drive clamps: (1.8751 ...)^4 EI/(rho A L^4) */
        kind.elements = 6;
        kind.axial = 1e7;
        model_open(*state, 0.0, 0.0, &m);
        const phx_body_id b = add_beam(&m, "b", &kind, pose_at(0.0, 0.0, 0.3));
        phx_joint_def root = joint_def("root", driven ? PHX_JOINT_REVOLUTE : PHX_JOINT_WELD,
                                       at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, b, 0.0));
        if (driven) {
            root.n_coordinates = 1;
            root.coordinate[0].speed = constant(&m, 7.0);
        }
        add_joint_def(&m, &root);
        model_ready(&m);
        linearise(&m, &linear);
        squares_of(&m, &linear, values);
        const double exact = pow(1.87510406871196, 4.0) * kind.bending;
        CHECK_CLOSE(values[0], exact, 2e-5 * exact, "omega^2 of a clamped beam");
        CHECK_CLOSE(values[1], pow(4.69409113297418, 4.0) * kind.bending, 3e-2 * exact, "second omega^2");
        assert_true(linear.has_root);
        CHECK_CLOSE(root_defect(&linear), 0.0, 1e-15, "K = root^T root");
        phx_linear_free(&linear);
        model_close(&m);
    }
}

/* ---- root and symmetry ---- */
/* Everything conservative, in equilibrium: gravity, springs, stiffening, loops. */
static void stiffness_is_symmetric_in_equilibrium(void **state)
{
    for (int k = 0; k < 2; k++) {
        beam_kind kind = beam_default();
        phx_linear linear;
        double values[MOST];
        model m;
        kind.stiffening = k == 1;
        kind.bending = 4000.0;
        kind.axial = 1e7;
        model_open(*state, 0.0, -9.81, &m);
        const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 0.0));
        kind.reference = PHX_REFERENCE_FREE;
        const phx_body_id b = add_beam(&m, "b", &kind, pose_at(1.0, 0.0, -0.9));
        add_joint(&m, "wall", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, a, 0.0));
        add_joint(&m, "knee", PHX_JOINT_REVOLUTE, at_beam(&m, a, 1.0), at_beam(&m, b, 0.0));
        add_joint(&m, "foot", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 1.0 + cos(0.9), -sin(0.9)),
                  at_beam(&m, b, 1.0));
        add_spring(&m, "stay", at_place(&m, PHX_GROUND, 0.5, 1.0), at_beam(&m, a, 0.5), 100.0, 0.0, 0.5, NULL);
        model_finalise(&m);
        model_start(&m, true);
        linearise(&m, &linear);
        CHECK_CLOSE(asymmetry(&linear), 0.0, 1e-8, "asymmetry of K, stiffening %d", k);
        CHECK_CLOSE(root_defect(&linear), 0.0, 1e-14, "K = root^T root + rest, stiffening %d", k);
        assert_false(linear.has_root);
        squares_of(&m, &linear, values);
        if (!(values[0] > 0.0))
            fail_msg("the frame is not stable: omega^2 = %g", values[0]);
        phx_linear_free(&linear);
        model_close(&m);
    }
}

static void roots_are_exact_for_every_system(void **state)
{
    for (int k = 0; k < n_all_test_models; k++) {
        phx_linear linear;
        model m;
        open_test_model(*state, &test_models[k], &m);
        model_start(&m, false);
        linearise(&m, &linear);
        CHECK_CLOSE(root_defect(&linear), 0.0, 1e-14, "%s: root", test_models[k].name);
        phx_linear_free(&linear);
        model_close(&m);
    }
}

/* ---- certificate ---- */
static void verify_structure(model *m, phx_certificate *out)
{
    CHECK_OK(m->context, phx_system_verify_structure(m->dae, 0.0, m->x, m->v, m->lambda, out));
}

static void the_certificate_holds_for_every_system(void **state)
{
    for (int k = 0; k < n_all_test_models; k++) {
        phx_certificate c;
        model m;
        open_test_model(*state, &test_models[k], &m);
        model_start(&m, false);
        verify_structure(&m, &c);
        CHECK_CLOSE(c.skew_residual, 0.0, 0.0, "%s: skew", test_models[k].name);
        if (test_models[k].exact)
            CHECK_CLOSE(c.power_residual, 0.0, 1e-12, "%s: power", test_models[k].name);
        else if (c.lossless || c.power_residual < 1e-6)
            fail_msg("%s: called lossless, power residual %.3e", test_models[k].name, c.power_residual);
        assert_int_equal(c.degrees_of_freedom, m.n_v - m.n_l);
        if (!(c.smallest_mass_eigenvalue > 0.0))
            fail_msg("%s: smallest mass eigenvalue %g", test_models[k].name, c.smallest_mass_eigenvalue);
        model_close(&m);
    }
}

static void the_certificate_of_a_four_bar(void **state)
{
    phx_certificate c;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    const phx_body_id a = add_rigid(&m, "crank", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, TEST_PI / 2.0));
    const phx_body_id b = add_rigid(&m, "coupler", 2.0, 0.2, 1.0, 0.0, pose_at(0.0, 1.0, 0.0));
    const phx_body_id d = add_rigid(&m, "rocker", 3.0, 0.3, 0.5, 0.0, pose_at(2.0, 0.0, TEST_PI / 2.0));
    add_joint(&m, "first", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    add_joint(&m, "second", PHX_JOINT_REVOLUTE, at_place(&m, a, 1.0, 0.0), at_place(&m, b, 0.0, 0.0));
    add_joint(&m, "third", PHX_JOINT_REVOLUTE, at_place(&m, b, 2.0, 0.0), at_place(&m, d, 1.0, 0.0));
    add_joint(&m, "last", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 2.0, 0.0), at_place(&m, d, 0.0, 0.0));
    model_ready(&m);
    verify_structure(&m, &c);
    assert_int_equal(c.coordinates, 9);
    assert_int_equal(c.velocities, 9);
    assert_int_equal(c.constraints, 8);
    assert_int_equal(c.redundant, 0);
    assert_int_equal(c.constraint_rank, 8);
    assert_int_equal(c.degrees_of_freedom, 1);
    assert_int_equal(c.index, 2);
    assert_true(c.lossless);
    CHECK_CLOSE(c.mass, 6.0, 1e-14, "mass");
    const double cx = (1.0 * 0.0 + 2.0 * 1.0 + 3.0 * 2.0) / 6.0, cy = (0.5 + 2.0 + 1.5) / 6.0;
    CHECK_CLOSE(c.centre_of_mass[0], cx, 1e-13, "centre of mass, x");
    CHECK_CLOSE(c.centre_of_mass[1], cy, 1e-13, "centre of mass, y");
    const double inertia = 0.6 + 1.0 * (cx * cx + (0.5 - cy) * (0.5 - cy)) +
                           2.0 * ((1.0 - cx) * (1.0 - cx) + (1.0 - cy) * (1.0 - cy)) +
                           3.0 * ((2.0 - cx) * (2.0 - cx) + (0.5 - cy) * (0.5 - cy));
    CHECK_CLOSE(c.inertia[0], inertia, 1e-12, "inertia about the centre of mass");
    CHECK_CLOSE(c.energy.potential, 9.81 * 6.0 * cy, 1e-12, "potential energy");
    CHECK_CLOSE(c.energy.kinetic, 0.0, 0.0, "kinetic energy");
    model_close(&m);
}

static void damping_is_not_lossless(void **state)
{
    for (int what = 0; what < 4; what++) {
        beam_kind kind = beam_default();
        phx_certificate c;
        model m;
        model_open(*state, 0.0, 0.0, &m);
        kind.damping_stiffness = what == 1 ? 0.01 : 0.0;
        const phx_body_id a = add_beam(&m, "a", &kind, pose_at(0.0, 0.0, 0.3));
        phx_joint_def pin =
            joint_def("pin", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_beam(&m, a, 0.0));
        pin.n_coordinates = 1;
        pin.coordinate[0].stiffness = 1.0;
        pin.coordinate[0].damping = what == 2 ? 0.1 : 0.0;
        add_joint_def(&m, &pin);
        add_spring(&m, "s", at_place(&m, PHX_GROUND, 3.0, 0.0), at_beam(&m, a, 1.0), 1.0, what == 3 ? 0.1 : 0.0, 1.0,
                   NULL);
        model_ready(&m);
        verify_structure(&m, &c);
        if (c.lossless != (what == 0) || m.dae->lossless != (what == 0))
            fail_msg("case %d: lossless is %d, of the dae %d", what, c.lossless, m.dae->lossless);
        CHECK_CLOSE(c.power_residual, 0.0, 1e-12, "power, case %d", what);
        model_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pendulums_swing_as_they_should, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(springs_and_locked_drives_make_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stiffness_is_symmetric_in_equilibrium, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(roots_are_exact_for_every_system, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_certificate_holds_for_every_system, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_certificate_of_a_four_bar, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(damping_is_not_lossless, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
