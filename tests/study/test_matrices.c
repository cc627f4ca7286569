/* The matrices of a model: every allocation may fail; models without inputs, without outputs, with neither. */
#include "support.h"
#include "algebra/algebra.h"

static bool has(const phx_bundle *bundle, const char *names)
{
    char name[20];
    int length = 0;
    while (sscanf(names, "%19s%n", name, &length) == 1) {
        if (!phx_bundle_find(bundle, name))
            return false;
        names += length;
    }
    return true;
}

static void test_inputs_and_outputs_may_be_missing(void **state)
{
    phx_context *context = *state;
    for (int k = 0; k < 4; k++) {
        const bool with_inputs = k & 1, with_outputs = k & 2;
        phx_model *model = read_hinged_beam(context, with_inputs, with_outputs);
        phx_bundle *bundle = NULL;
        CHECK_OK(context, phx_bundle_create(context, &bundle));
        CHECK_OK(context, phx_study_matrices(context, model, bundle));
        assert_true(has(bundle, "M D K G KKT E J R Q B P S N coordinates states bodies title model"));
        assert_true(
            has(bundle, "beam_M beam_R beam_M_ff beam_K_ff beam_S beam_C beam_stress beam_root beam_M2 beam_D"));
        assert_int_equal(has(bundle, "F H inputs outputs"), with_inputs);
        assert_int_equal(has(bundle, "Y_q Y_v Y_a Y_l Y_h Y_u"), with_inputs && with_outputs);
        assert_int_equal(phx_bundle_find(bundle, "B")->cols, with_inputs ? 2 : 0);
        if (with_inputs)
            assert_int_equal(phx_bundle_find(bundle, "outputs")->rows, with_outputs ? 2 : 0);
        assert_int_equal(phx_bundle_find(bundle, "states")->rows, phx_bundle_find(bundle, "E")->rows);
        assert_int_equal(phx_bundle_find(bundle, "multipliers")->rows, phx_bundle_find(bundle, "G")->rows);
        /* the spring of the joint, 2 N m, turns the frame: the third coordinate */
        const phx_csr *K = &phx_bundle_find(bundle, "K")->sparse;
        CHECK_CLOSE(K->val[phx_csr_find(K, 2, 2)], 2.0, 1e-14, "stiffness of the joint");
        CHECK_CLOSE(phx_bundle_find(bundle, "M")->sparse.val[0], 1.0, 1e-14, "mass of the beam");
        for (int i = 0; i < phx_bundle_count(bundle); i++) {
            const phx_bundle_item *item = phx_bundle_item_at(bundle, i);
            if ((item->kind == PHX_BUNDLE_SPARSE || item->kind == PHX_BUNDLE_MATRIX) && !item->meaning[0])
                fail_msg("%s does not say what it is", item->name);
        }
        phx_bundle_destroy(bundle);
        phx_model_destroy(model);
    }
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_hinged_beam(context, true, true);
    phx_status status = PHX_ERR_MEMORY;
    long n = 0;
    for (; status != PHX_OK; n += 1 + n / 32) {
        phx_bundle *bundle = NULL;
        CHECK_OK(context, phx_bundle_create(context, &bundle));
        phx_context_fail_allocation(context, n);
        status = phx_study_matrices(context, model, bundle);
        phx_context_fail_allocation(context, -1);
        if (status != PHX_OK && status != PHX_ERR_MEMORY)
            fail_msg("allocation %ld: status %d: %s", n, (int)status, phx_context_message(context));
        phx_bundle_destroy(bundle);
        assert_true(n < 100000);
    }
    assert_true(n > 50);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_inputs_and_outputs_may_be_missing, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
