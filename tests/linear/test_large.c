/* Shift-invert Lanczos against closed forms and against the dense way. */
#include "mechanism.h"

/* A chain of beams hinged to one another, the first hinged to the ground; `redundant`: every hinge written twice. */
static void hinged_chain(phx_context *context, int links, int elements, double gravity, double damping, bool redundant,
                         phx_linear *linear)
{
    const beam b = {.length = 0.5, .mass_per_length = 0.8, .axial = 5e6, .bending = 40.0, .elements = elements};
    mechanism mech;
    mechanism_begin(&mech, context);
    int before = 0;
    for (int k = 0; k < links; k++) {
        const int at = mechanism_add_beam(&mech, &b);
        for (int times = 0; times < (redundant ? 2 : 1); times++)
            for (int i = 0; i < 2; i++) {
                const int row = new_row(&mech);
                constrain(&mech, row, &b, at, 0, i == 0 ? ALONG_X : ALONG_Y, 0.1 * k, 1.0);
                if (k > 0)
                    constrain(&mech, row, &b, before, elements, i == 0 ? ALONG_X : ALONG_Y, 0.1 * (k - 1), -1.0);
            }
        if (gravity > 0.0)
            put(&mech.rest, at + 2, at + 2, gravity * b.mass_per_length * b.length * b.length * (links - k));
        for (int i = 0; i < 3 * elements && damping > 0.0; i++)
            put(&mech.D, at + 3 + i, at + 3 + i, damping * (1.0 + 0.5 * sin(i + k)));
        before = at;
    }
    mechanism_end(&mech, linear);
}

static void compare(phx_context *context, const phx_linear *linear, phx_modes_options options, double rtol,
                    const char *name)
{
    phx_mode_set dense, sparse;
    options.dense_limit = 10000;
    solve(context, linear, &options, &dense);
    options.dense_limit = 0;
    solve(context, linear, &options, &sparse);
    assert_int_equal(sparse.count, dense.count);
    assert_int_equal(sparse.rigid, dense.rigid);
    assert_int_equal(sparse.freedom, dense.freedom);
    for (int k = 0; k < dense.count; k++) {
        CHECK_RELATIVE(sparse.omega[k], dense.omega[k], rtol, "%s: omega of mode %d", name, k + 1);
        CHECK_CLOSE(sparse.damping[k], dense.damping[k], 10.0 * rtol, "%s: damping of mode %d", name, k + 1);
        for (int i = 0; i < dense.n; i++)
            CHECK_CLOSE(sparse.shapes[k * dense.n + i], dense.shapes[k * dense.n + i], 2e-5,
                        "%s: shape %d, coordinate %d", name, k + 1, i);
    }
    CHECK_SMALL(closure(linear, &sparse), 1e-10, "%s: closure", name);
    CHECK_SMALL(mass_defect(linear, &sparse), 1e-10, "%s: modal mass", name);
    phx_mode_set_free(&dense);
    phx_mode_set_free(&sparse);
}

static void test_chain_with_rigid_body_modes(void **state)
{
    phx_context *context = *state;
    phx_linear linear;
    hinged_chain(context, 5, 8, 0.0, 0.0, false, &linear);
    compare(context, &linear, phx_modes_options_default(), 1e-10, "hinged chain");
    linear_free(&linear);
}

static void test_more_rigid_body_modes_than_modes(void **state)
{
    phx_context *context = *state;
    phx_linear linear;
    phx_modes_options options = phx_modes_options_default();
    options.count = 2;
    hinged_chain(context, 20, 3, 0.0, 0.0, false, &linear);
    compare(context, &linear, options, 1e-10, "long chain");
    linear_free(&linear);
}

static void test_chain_with_gravity(void **state)
{
    phx_context *context = *state;
    phx_linear linear;
    hinged_chain(context, 5, 8, 9.81, 0.0, false, &linear);
    compare(context, &linear, phx_modes_options_default(), 1e-9, "chain with gravity");
    linear.root.rows = 0; /* K alone */
    compare(context, &linear, phx_modes_options_default(), 1e-6, "chain with gravity through K");
    linear_free(&linear);
}

static void test_redundant_rows(void **state)
{
    phx_context *context = *state;
    phx_linear linear;
    hinged_chain(context, 5, 8, 0.0, 0.0, true, &linear);
    assert_int_equal(linear.m, 20);
    phx_modes_options options = phx_modes_options_default();
    compare(context, &linear, options, 1e-10, "hinges written twice");
    /* an elimination order from outside: coordinates body by body, then the multipliers */
    const int size = linear.n + linear.m;
    int *order = calloc((size_t)size, sizeof *order);
    assert_non_null(order);
    for (int k = 0; k < size; k++)
        order[k] = k;
    options.order = order;
    compare(context, &linear, options, 1e-10, "hinges written twice, own order");
    free(order);
    linear_free(&linear);
}

static void test_damped_chain(void **state)
{
    phx_context *context = *state;
    phx_linear linear;
    phx_modes_options options = phx_modes_options_default();
    options.count = 4;
    hinged_chain(context, 6, 8, 9.81, 0.3, false, &linear);
    compare(context, &linear, options, 1e-8, "damped chain");
    linear_free(&linear);
}

/* Free-free and pinned beams with 1500 elements through the default limit. */
static void test_long_beam(void **state)
{
    phx_context *context = *state;
    const beam b = {.length = 1.0, .mass_per_length = 0.2714, .axial = 7.1e6, .bending = 59.17, .elements = 1500};
    static const double root[3] = {4.730040744862704, 7.853204624095838, 10.995607838001671};
    for (int pinned = 0; pinned < 2; pinned++) {
        mechanism mech;
        phx_linear linear;
        phx_mode_set set;
        phx_modes_options options = phx_modes_options_default();
        options.count = 3;
        mechanism_begin(&mech, context);
        mechanism_add_beam(&mech, &b);
        if (pinned) {
            constrain(&mech, new_row(&mech), &b, 0, 0, ALONG_X, 0.0, 1.0);
            constrain(&mech, new_row(&mech), &b, 0, 0, ALONG_Y, 0.0, 1.0);
            constrain(&mech, new_row(&mech), &b, 0, b.elements, ALONG_Y, 0.0, 1.0);
        }
        mechanism_end(&mech, &linear);
        solve(context, &linear, &options, &set);
        assert_int_equal(set.rigid, pinned ? 0 : 3);
        assert_int_equal(set.count, 3);
        for (int k = 0; k < 3; k++) {
            const double factor = pinned ? (k + 1) * TEST_PI : root[k];
            CHECK_RELATIVE(set.omega[k], factor * factor * sqrt(b.bending / b.mass_per_length), 1e-7,
                           "pinned %d, mode %d", pinned, k + 1);
        }
        CHECK_SMALL(closure(&linear, &set), 1e-9, "closure, pinned %d", pinned);
        phx_mode_set_free(&set);
        linear_free(&linear);
    }
}

/* One solver for several systems of the same pattern gives what a new one gives, bit for bit. */
static void test_solver_is_used_again(void **state)
{
    phx_context *context = *state;
    phx_modal *modal = NULL;
    phx_modes_options options = phx_modes_options_default();
    options.dense_limit = 0;
    assert_int_equal(phx_modal_create(context, &modal), PHX_OK);
    for (int k = 0; k < 3; k++) {
        phx_linear linear;
        phx_mode_set again, fresh;
        hinged_chain(context, 5, 8, 1.0 + k, 0.0, false, &linear);
        assert_int_equal(phx_modal_solve(modal, &linear, &options, &again), PHX_OK);
        solve(context, &linear, &options, &fresh);
        for (int i = 0; i < fresh.count; i++)
            CHECK_RELATIVE(again.omega[i], fresh.omega[i], 1e-12, "system %d, mode %d", k, i + 1);
        phx_mode_set_free(&again);
        phx_mode_set_free(&fresh);
        linear_free(&linear);
    }
    phx_modal_destroy(modal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_with_rigid_body_modes),
        cmocka_unit_test(test_more_rigid_body_modes_than_modes),
        cmocka_unit_test(test_chain_with_gravity),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_damped_chain),
        cmocka_unit_test(test_long_beam),
        cmocka_unit_test(test_solver_is_used_again),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
