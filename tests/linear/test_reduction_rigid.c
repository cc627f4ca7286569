/* Reduction of linear models with rigid motions, damped or not, and with inputs and points on the edge of what moves
 * them. */
#include "reduced.h"

/* Five masses on springs in a row, of which one is on a damper to the ground and nothing else holds them. */
static phx_linearised *rigid_on_damper(phx_context *context)
{
    const double F[10] = {[0] = 1.0, [9] = 1.0};
    mechanism mech;
    phx_linear linear;

    mechanism_begin(&mech, context);
    mech.n = 5;
    for (int k = 0; k < 5; k++)
        put(&mech.M, k, k, 1.0 + k);
    put(&mech.D, 0, 0, 0.7);
    for (int k = 0; k < 4; k++) {
        put(&mech.root, mech.roots, k, 3.0 + k);
        put(&mech.root, mech.roots++, k + 1, -3.0 - k);
    }
    mechanism_end(&mech, &linear);
    return model_of(context, &linear, 2, F, 0, NULL);
}

/* A modal damping takes the place of the damping of elastic modes; rigid motions keep theirs. */
static void a_modal_damping_leaves_rigid_motions(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = rigid_on_damper(context);
    const phx_reduced *modes = &model->reduced;
    phx_full full;
    phx_projected all;
    phx_ph ph;
    phx_ss *ss = NULL;
    double response[8], sum = 0.0;

    assert_int_equal(modes->rigid, 1);
    CHECK_OK(context, phx_full_create(context, model, 0, &full));
    CHECK_OK(context, phx_project(&full, full.f - full.rigid, NULL, NULL, &all));
    CHECK_OK(context, phx_ph_of(&full, &all, 0.02, NULL, &ph));
    CHECK_OK(context, phx_ph_ss(context, "model", &ph, true, &ss));
    CHECK_OK(context, phx_ss_response(context, ss, 1.5, response));
    double complex want = 0.0;
    for (int k = 0; k < 5; k++) { /* sum over the modes of i w b^2/(omega^2 - w^2 + i w d) */
        const double b = modes->basis[k], omega = k == 0 ? 0.0 : modes->omega[k];
        const double d = k == 0 ? 0.7 * b * b : 2.0 * 0.02 * omega;
        want += I * 1.5 * b * b / (omega * omega - 1.5 * 1.5 + I * 1.5 * d);
        sum += b * b;
    }
    CHECK_CLOSE(sum, 1.0, 1e-12, "F^T M^-1 F");
    CHECK_SMALL(cabs(response[0] + I * response[1] - want), 1e-12 * cabs(want), "response");
    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_LQG; method++) {
        phx_reduction_options options = {.method = (phx_reduction_method)method, .order = 2, .damping = 0.02};
        phx_reduction *reduction = NULL;
        CHECK_OK(context, phx_reduce_linear(context, model, &options, &reduction));
        CHECK_BETWEEN(phx_reduction_about(reduction)->error, 1e-6, 0.9, "%s",
                      phx_reduction_method_name(options.method));
        phx_reduction_destroy(reduction);
    }
    phx_ss_destroy(ss);
    phx_ph_free(&ph);
    phx_projected_free(&all);
    phx_full_free(&full);
    phx_linearised_destroy(model);
}

/* Five masses on springs in a row that nothing holds, 1 to 5 kg; the last of the inputs acts as gravity would. */
static phx_linearised *free_row(phx_context *context, int inputs)
{
    mechanism mech;
    phx_linear linear;
    double F[10] = {0};

    mechanism_begin(&mech, context);
    mech.n = 5;
    for (int k = 0; k < 5; k++) {
        put(&mech.M, k, k, 1.0 + k);
        F[k * inputs + inputs - 1] = 0.1 * (1.0 + k);
    }
    for (int k = 0; k < 5; k++)
        F[k * inputs] = k == 0;
    for (int k = 0; k < 4; k++) {
        put(&mech.root, mech.roots, k, 3.0 + k);
        put(&mech.root, mech.roots++, k + 1, -3.0 - k);
    }
    mechanism_end(&mech, &linear);
    damp(context, 0.0, 2e-3, &linear);
    return model_of(context, &linear, inputs, F, 0, NULL);
}

/* An input that moves rigid motions alone weighs nothing; the rest of it is rounding. */
static void an_input_that_bends_nothing(void **state)
{
    phx_context *context = *state;
    phx_linearised *one = free_row(context, 1), *two = free_row(context, 2);

    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_IRKA; method++)
        for (int order = method == PHX_REDUCE_KRYLOV ? 4 : 1; order <= 4; order++) { /* its points go by the inputs */
            phx_reduction *plain = reduce(context, one, (phx_reduction_method)method, order);
            phx_reduction *both = reduce(context, two, (phx_reduction_method)method, order);
            CHECK_CLOSE(phx_reduction_about(both)->error, phx_reduction_about(plain)->error, 1e-7, "%s, order %d",
                        phx_reduction_method_name((phx_reduction_method)method), order);
            phx_reduction_destroy(plain);
            phx_reduction_destroy(both);
        }
    phx_linearised_destroy(one);
    phx_linearised_destroy(two);
}

/* Points chosen by the program are not poles, also where there is one mode. */
static void points_beside_poles(void **state)
{
    phx_context *context = *state;
    const double F[1] = {1.0}, H[1] = {0.0};
    mechanism mech;
    phx_linear linear;

    mechanism_begin(&mech, context);
    mech.n = 1;
    put(&mech.M, 0, 0, 1.0);
    put(&mech.root, mech.roots++, 0, 2.0);
    mechanism_end(&mech, &linear);
    phx_linearised *model = model_of(context, &linear, 1, F, 0, H);
    phx_reduction *reduction = reduce(context, model, PHX_REDUCE_KRYLOV, 1);
    CHECK_BELOW(phx_reduction_about(reduction)->error, 1e-12, "error");
    phx_reduction_destroy(reduction);
    phx_linearised_destroy(model);
}

/* A driven cart with a pendulum that nothing turns back, two masses on springs on it, and a mass beside that is free.
 */
static phx_linearised *cart(phx_context *context)
{
    const double H[5] = {1.0}, coupling[] = {0.6, 0.8, 0.3};
    mechanism mech;
    phx_linear linear;

    mechanism_begin(&mech, context);
    mech.n = 5;
    put(&mech.M, 0, 0, 6.0);
    for (int k = 1; k < 5; k++)
        put(&mech.M, k, k, 0.5 * k);
    for (int k = 1; k < 4; k++) {
        put(&mech.M, 0, k, coupling[k - 1]);
        put(&mech.M, k, 0, coupling[k - 1]);
        if (k > 1)
            put(&mech.root, mech.roots++, k, 4.0 * k);
    }
    mechanism_end(&mech, &linear);
    return model_of(context, &linear, 0, NULL, 1, H);
}

/* Rigid motions that a prescribed motion moves by inertia alone are exact, and those that nothing moves are left out.
 */
static void rigid_motions_beside_a_prescribed_one(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = cart(context);
    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_KRYLOV; method++) {
        phx_reduction *reduction = reduce(context, model, (phx_reduction_method)method, method ? 1 : 2);
        phx_descriptor *full = NULL, *small = NULL;
        assert_int_equal(phx_reduction_about(reduction)->rigid, 0);
        forms(context, model, reduction, &full, &small);
        for (double omega = 1e-3; omega < 1e4 && method == PHX_REDUCE_MODAL; omega *= 7.0) {
            const double complex want = transfer(context, full, I * omega, 0, 0);
            CHECK_SMALL(cabs(transfer(context, small, I * omega, 0, 0) - want), 1e-11 * cabs(want), "at %g rad/s",
                        omega);
        }
        phx_descriptor_destroy(full);
        phx_descriptor_destroy(small);
        phx_reduction_destroy(reduction);
    }
    phx_linearised_destroy(model);
}

/* A rigid motion that nothing moves, there by rounding alone, is no direction of a basis. */
static void unmoved_motions_stay_out(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = cart(context);
    double x[5] = {0.0, 0.0, 1.0, 0.0, 0.0};
    bool added = false;
    phx_full full;
    phx_space space;

    CHECK_OK(context, phx_full_create(context, model, 0, &full));
    assert_int_equal(full.unmoved, 2);
    CHECK_OK(context, phx_space_create(&full, 3, &space));
    CHECK_OK(context, phx_space_add(&space, x, &added));
    assert_true(added);
    x[4] = 1e-6;
    CHECK_OK(context, phx_space_add(&space, x, &added));
    assert_false(added);
    phx_space_free(&space);
    phx_full_free(&full);
    phx_linearised_destroy(model);
}

/* Responses as sums over the modes, where no damping couples them, against the state space; dampers that do are told.
 */
static void sums_over_modes(void **state)
{
    phx_context *context = *state;
    for (int coupled = 0; coupled < 2; coupled++) {
        uint64_t seed = 2;
        phx_linearised *model =
            coupled ? random_model(context, &seed, 0) : beam_chain(context, 2, 2, true, 0.5, 1e-6, false);
        phx_full full;
        phx_projected all;
        phx_ph ph;
        phx_ss *ss = NULL;
        int *partner = NULL;
        double got[12], want[12], omega[12];
        whole(context, model, &full, &all, &ph);
        CHECK_OK(context, phx_uncoupled_find(context, &ph, &partner));
        assert_true((partner == NULL) == coupled);
        if (!coupled) {
            double *mine = calloc(2 * (size_t)ph.n, sizeof *mine), *re = calloc(2 * (size_t)ph.n, sizeof *re),
                   most = 0.0;
            CHECK_OK(context, phx_ph_ss(context, "model", &ph, true, &ss));
            CHECK_OK(context, phx_ss_poles(context, ss, re, re + ph.n, NULL, NULL));
            phx_uncoupled_poles(&ph, partner, mine, mine + ph.n);
            for (int k = 0; k < ph.n; k++) { /* each of them is a pole */
                double least = HUGE_VAL;
                for (int j = 0; j < ph.n; j++)
                    least = fmin(least, hypot(mine[k] - re[j], mine[ph.n + k] - re[ph.n + j]));
                most = fmax(most, least / fmax(1.0, hypot(mine[k], mine[ph.n + k])));
            }
            CHECK_BELOW(most, 1e-8, "poles");
            for (int k = 0; k < 12; k++)
                omega[k] = k == 0 ? 0.0 : 0.1 * pow(4.0, k);
            CHECK_OK(context, phx_uncoupled_gains(context, &ph, partner, 12, omega, got));
            CHECK_OK(context, phx_ss_singular_values(context, ss, 12, omega, want));
            for (int k = 0; k < 12; k++)
                CHECK_RELATIVE(got[k], want[k], 1e-7, "gain at %g rad/s", omega[k]);
            free(mine);
            free(re);
        }
        phx_free(partner);
        phx_ss_destroy(ss);
        phx_ph_free(&ph);
        phx_projected_free(&all);
        phx_full_free(&full);
        phx_linearised_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_modal_damping_leaves_rigid_motions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(an_input_that_bends_nothing, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(points_beside_poles, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rigid_motions_beside_a_prescribed_one, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(unmoved_motions_stay_out, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(sums_over_modes, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
