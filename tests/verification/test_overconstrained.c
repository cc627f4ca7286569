/* Overconstrained linkages in space: the rows that are kept hold the others wherever the linkage goes, whatever the
 * order of the joints. */
#include "mechanism.h"

enum { TEXT = 8000, JOINTS = 4 };

/* examples/bennett.yaml with its joints, a line each, in the given order. */
static void bennett(const int order[JOINTS], char *text)
{
    char file[TEXT] = "", *line[JOINTS];
    FILE *in = fopen(PHX_SOURCE_DIR "/examples/bennett.yaml", "r");

    assert_true(in != NULL);
    assert_true(fread(file, 1, TEXT - 1, in) < TEXT - 1);
    fclose(in);
    char *joints = strstr(file, "\njoints:\n"), *rest = strstr(file, "\noutputs:");
    assert_true(joints && rest && joints < rest);
    line[0] = joints + strlen("\njoints:\n");
    for (int k = 1; k < JOINTS; k++) {
        line[k] = strchr(line[k - 1], '\n') + 1;
        assert_true(line[k] < rest);
    }
    snprintf(text, TEXT, "%.*s", (int)(line[0] - file), file);
    for (int k = 0; k < JOINTS; k++) {
        const char *from = line[order[k]];
        snprintf(text + strlen(text), TEXT - strlen(text), "%.*s", (int)(strchr(from, '\n') + 1 - from), from);
    }
    snprintf(text + strlen(text), TEXT - strlen(text), "%s", rest);
}

static void bennett_closes_with_any_order_of_the_joints(void **state)
{
    phx_integrate_options options = phx_integrate_options_default();

    (void)state;
    options.step = 2e-3;
    options.every = 1e-2;
    options.end = 2.0;
    for (int k = 0; k < 24; k++) {
        int order[JOINTS], left[JOINTS] = {0, 1, 2, 3}, code = k;
        char text[TEXT], name[JOINTS + 1] = "";
        mechanism m;
        for (int i = 0; i < JOINTS; i++) {
            const int n = JOINTS - i, pick = code % n;
            code /= n;
            order[i] = left[pick];
            left[pick] = left[n - 1];
            name[i] = (char)('1' + order[i]);
        }
        bennett(order, text);
        mechanism_open(&m, text, 0, NULL);
        assert_int_equal(phx_system_redundant(m.system), 3);
        assert_int_equal(m.dae->n_v - m.dae->n_l, 1);
        mechanism_run(&m, &options);
        CHECK_CLOSE(m.largest_drift, 0.0, 1e-13, "order %s: gap", name);
        CHECK_CLOSE(m.largest_drift_rate, 0.0, 1e-12, "order %s: rate of the gap", name);
        CHECK_CLOSE(m.largest_residual, 0.0, 1e-11 * m.largest_kinetic, "order %s: energy balance", name);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bennett_closes_with_any_order_of_the_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
