/* Bodies of kind `reduced`: the same mechanism as with the body that they were made of, ports of the file, one reading
 * for all values of the parameters, what is refused. */
#include "arm.h"

#include "model/model.h"
#include "system/system.h"

/* ---- what the file says ---- */
static void ports_are_those_of_the_file(void **state)
{
    phx_context *context = *state;
    phx_model *one = read_arm(context, whole_arm, ""), *model = read_arm(context, reduced_arm, "");
    const phx_model_body *body = &model->bodies[0];
    phx_system *system = NULL;

    assert_int_equal(body->n_ports, 2);
    for (int k = 0; k < 2; k++) {
        assert_string_equal(body->ports[k].name, one->bodies[0].ports[k].name);
        CHECK_VECTOR(9, body->ports[k].rotation.matrix, one->bodies[0].ports[k].rotation.matrix, 0.0, "port %d", k);
    }
    CHECK_OK(context, phx_model_build_body(context, model, 0, &system));
    for (int k = 0; k < 2; k++) {
        const phx_body_port *port = phx_system_find_point(system, 0, body->ports[k].name);
        assert_non_null(port);
        CHECK_VECTOR(3, port->point.x, body->ports[k].position, 0.0, "place of port %d", k);
    }
    CHECK_NEAR(phx_flex_source_flex(phx_system_source(system, 0))->mass, 7850 * 0.2 * 0.02 * 0.01, 1e-13);
    phx_system_destroy(system);
    phx_model_destroy(one);
    phx_model_destroy(model);
}

/* The file is read once for all values of the parameters: sweeps build on other threads. */
static void the_file_is_read_once(void **state)
{
    phx_context *context = *state;
    const phx_model_override rate = {.name = "rate", .value = 3.0};
    phx_model *model = read_arm(context, reduced_arm, ", point_masses: [{at: C, mass: rate}]"), *copy = NULL;
    phx_system *system = NULL;

    assert_int_equal(rename("arm.h5", "away.h5"), 0);
    CHECK_OK(context, phx_model_set_parameters(context, model, 1, &rate));
    CHECK_OK(context, phx_model_build_body(context, model, 0, &system));
    CHECK_NEAR(phx_flex_source_flex(phx_system_source(system, 0))->mass, 7850 * 0.2 * 0.02 * 0.01 + 3.0, 1e-13);
    phx_system_destroy(system);
    CHECK_STATUS(context, phx_model_copy(context, model, &copy), PHX_ERR_INPUT);
    assert_int_equal(rename("away.h5", "arm.h5"), 0);
    CHECK_OK(context, phx_model_copy(context, model, &copy));
    phx_model_destroy(copy);
    phx_model_destroy(model);
}

/* ---- what is refused ---- */
static void refuse(phx_context *context, const char *body, const char *more, const char *what)
{
    char text[600];
    phx_model *model = NULL;

    snprintf(text, sizeof text, "phlexor: 1\ndimension: 3\nbodies:\n  arm: {%s}\n%s", body, more);
    CHECK_STATUS(context, phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, &model),
                 PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "model.yaml:");
    CHECK_MESSAGE(context, what);
}

static void wrong_keys_are_refused(void **state)
{
    phx_context *context = *state;
    FILE *file = fopen("text.h5", "w");

    assert_non_null(file);
    fputs("no body\n", file);
    fclose(file);
    refuse(context, "kind: reduced", "", "file");
    refuse(context, "kind: reduced, file: [arm.h5]", "", "expected the name of a file");
    refuse(context, "kind: reduced, file: none.h5", "", "model.yaml:4:30: bodies.arm.file: none.h5: cannot read");
    refuse(context, "kind: reduced, file: text.h5", "", "text.h5: cannot read: not an HDF5 file");
    refuse(context, "kind: reduced, file: arm.h5, ports: {Q: {}}", "", "ports");
    refuse(context, "kind: reduced, file: arm.h5, mass: 1", "", "mass");
    refuse(context, "kind: reduced, file: arm.h5, point_masses: [{at: Q, mass: 1}]", "", "no port 'Q'");
    refuse(context, "kind: reduced, file: arm.h5", "joints: {j: {kind: weld, ports: [ground.O, arm.c]}}\n",
           "arm has no port 'c'; did you mean 'C'");
    refuse(context, "kind: reduced, file: arm.h5", "loads: {p: {pressure: 1, on: arm, group: x1}}\n", "arm");
    remove("text.h5");
}

static int remove_arm(void **state)
{
    remove("arm.h5");
    return context_teardown(state);
}

static int make_arm(void **state)
{
    const int failed = context_setup(state);

    if (!failed)
        write_reduced_arm(*state);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ports_are_those_of_the_file),
                                       cmocka_unit_test(the_file_is_read_once),
                                       cmocka_unit_test(wrong_keys_are_refused)};
    return cmocka_run_group_tests(tests, make_arm, remove_arm);
}
