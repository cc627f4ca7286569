/* Wrong use of a system: calls in the wrong order, indices out of range, numbers that are not finite. All is refused
 * with a message, nothing breaks, and a success leaves no message. What is NULL is tested from the headers
 * (tests/python/test_arguments.py). */
#include "support.h"

static const phx_port_id nowhere[] = {-1, -2, 99, INT32_MAX};
enum { NOWHERE = sizeof nowhere / sizeof *nowhere };

static phx_body_id add_pendulum(model *m)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    phx_port_id ground = -1, pin = -1;
    phx_joint_id joint = -1;
    phx_joint_def def = phx_joint_def_default();
    const phx_body_id body = add_rigid(m, "rod", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    CHECK_OK(m->context, phx_system_add_port(m->system, PHX_GROUND, origin, NULL, &ground));
    CHECK_OK(m->context, phx_system_add_port(m->system, body, origin, NULL, &pin));
    def.name = "hinge";
    def.kind = PHX_JOINT_REVOLUTE;
    def.a = ground;
    def.b = pin;
    CHECK_OK(m->context, phx_system_add_joint(m->system, &def, &joint));
    return body;
}

static void refused(const model *m, phx_status status)
{
    CHECK_STATUS(m->context, status, PHX_ERR_ARGUMENT);
    assert_true(phx_context_message(m->context)[0] != '\0');
}

static void wrong_parts_are_refused(void **state)
{
    model m;
    model_open(*state, 0.0, -9.81, &m);
    add_pendulum(&m);
    const double place[3] = {NAN, 0.0, 0.0}, origin[3] = {0.0, 0.0, 0.0};
    phx_port_id port = -1;
    phx_system *other = NULL;
    refused(&m, phx_system_create(m.context, 4, origin, &other));
    refused(&m, phx_system_create(m.context, 2, place, &other));
    refused(&m, phx_system_add_port(m.system, 0, place, NULL, &port));
    for (int k = 0; k < NOWHERE; k++) {
        phx_joint_def joint = phx_joint_def_default();
        phx_spring_def spring = {.name = "spring", .a = 0, .b = nowhere[k]};
        phx_load_def load = {.name = "load", .port = nowhere[k]};
        phx_output_def output = {.name = "output", .quantity = PHX_QUANTITY_POSITION, .port = nowhere[k]};
        joint.name = "joint";
        joint.b = nowhere[k];
        refused(&m, phx_system_add_joint(m.system, &joint, NULL));
        refused(&m, phx_system_add_spring(m.system, &spring));
        refused(&m, phx_system_add_load(m.system, &load));
        refused(&m, phx_system_add_output(m.system, &output));
        refused(&m, phx_system_add_beam_port(m.system, nowhere[k], 0.5, &port));
        if (nowhere[k] != PHX_GROUND)
            refused(&m, phx_system_add_port(m.system, nowhere[k], origin, NULL, &port));
    }
    refused(&m, phx_system_add_joint(m.system, &(phx_joint_def){.a = 0, .b = 1}, NULL)); /* no name */
    refused(&m, phx_system_add_spring(m.system, &(phx_spring_def){.a = 0, .b = 1}));
    refused(&m, phx_system_add_output(m.system, &(phx_output_def){.port = 0}));
    refused(&m, phx_system_add_body(m.system, (phx_body *)phx_system_body(m.system, 0), NULL, NULL, &(phx_body_id){0}));
    CHECK_OK(m.context, phx_system_add_port(m.system, 0, origin, NULL, &port));
    assert_string_equal(phx_context_message(m.context), ""); /* the success has cleared it */
    model_close(&m);
}

/* Force elements: ports and joints that are not there, numbers out of range; what was refused leaves nothing behind. */
static void wrong_forces_are_refused(void **state)
{
    const phx_penalty soft = {1.0, 1.0, 0.0}, wrong[] = {{-1.0, 1.0, 0.0}, {1.0, 2.0, 0.0}, {1.0, 1.0, NAN}};
    model m;
    model_open(*state, 0.0, -9.81, &m);
    add_pendulum(&m);
    const phx_port_id ports[2] = {0, 1};
    const phx_coupling_term terms[] = {{0, 0, 1.0}, {0, 1, 1.0}, {7, 0, 1.0}, {0, 0, 0.0}};
    for (int k = 0; k < NOWHERE; k++) {
        const phx_port_id cable[2] = {0, nowhere[k]};
        refused(&m, phx_system_add_bushing(m.system, &(phx_bushing_def){.name = "f", .a = 0, .b = nowhere[k]}));
        refused(&m,
                phx_system_add_contact(
                    m.system, &(phx_contact_def){.name = "f", .a = nowhere[k], .b = 1, .axis = {1}, .penalty = soft}));
        refused(&m, phx_system_add_cable(
                        m.system, &(phx_cable_def){.name = "f", .n_ports = 2, .ports = cable, .stiffness = 1.0}));
        refused(&m, phx_system_add_drag(m.system, &(phx_drag_def){.name = "f", .port = nowhere[k]}));
        refused(&m, phx_system_add_wind(m.system, &(phx_wind_def){.name = "f", .body = nowhere[k]}));
    }
    refused(&m, phx_system_add_wind(m.system, &(phx_wind_def){.name = "f", .body = 0})); /* no sections */
    refused(&m, phx_system_add_bushing(m.system, &(phx_bushing_def){.a = 0, .b = 1}));   /* no name */
    refused(&m,
            phx_system_add_bushing(m.system, &(phx_bushing_def){.name = "f", .b = 1, .stiffness = {1, 2, 0, 3, 9}}));
    refused(&m, phx_system_add_bushing(m.system, &(phx_bushing_def){.name = "f", .b = 1, .damping = {1, 2, 0, 2, 1}}));
    for (int k = 0; k < 3; k++)
        refused(&m, phx_system_add_contact(m.system,
                                           &(phx_contact_def){.name = "f", .b = 1, .axis = {1}, .penalty = wrong[k]}));
    refused(&m, phx_system_add_contact(m.system, &(phx_contact_def){.name = "f", .b = 1, .penalty = soft}));
    refused(&m, phx_system_add_contact(
                    m.system, &(phx_contact_def){
                                  .name = "f", .b = 1, .kind = PHX_CONTACT_SPHERE, .inside = true, .penalty = soft}));
    refused(&m, phx_system_add_cable(m.system, &(phx_cable_def){.name = "f", .n_ports = 1, .ports = ports}));
    refused(&m, phx_system_add_cable(m.system, &(phx_cable_def){.name = "f", .n_ports = 2, .ports = ports}));
    for (int n = 1; n < 4; n++) /* a coordinate that is not there, a joint, a weight of 0 */
        refused(
            &m,
            phx_system_add_cable(
                m.system,
                &(phx_cable_def){
                    .name = "f", .n_ports = 2, .ports = ports, .stiffness = 1.0, .n_terms = 1, .terms = terms + n}));
    const phx_coupling_term wound[8] = {{0, 0, 1.0}};
    refused(&m, phx_system_add_cable(
                    m.system,
                    &(phx_cable_def){
                        .name = "f", .n_ports = 2, .ports = ports, .stiffness = 1.0, .n_terms = 8, .terms = wound}));
    CHECK_MESSAGE(m.context, "2 points and 8 coordinates");
    phx_cable_def rubbed = {
        .name = "f", .n_ports = 2, .ports = ports, .stiffness = 1.0, .friction = -0.1, .regularised = 1.0};
    refused(&m, phx_system_add_cable(m.system, &rubbed));
    rubbed.friction = 0.1;
    rubbed.regularised = NAN;
    refused(&m, phx_system_add_cable(m.system, &rubbed));
    rubbed.regularised = 1.0;
    rubbed.ports = (const phx_port_id[3]){0, 1, 0}; /* both ends on the body of the drum */
    rubbed.n_ports = 3;
    rubbed.n_terms = 1;
    rubbed.terms = wound;
    refused(&m, phx_system_add_cable(m.system, &rubbed));
    refused(&m,
            phx_system_add_cable(
                m.system, &(phx_cable_def){.name = "f", .n_ports = 2, .ports = ports, .stiffness = 1.0, .n_terms = 1}));
    for (int k = 1; k < 4; k++)
        refused(&m,
                phx_system_add_coupling(m.system, &(phx_coupling_def){.name = "f", .n_terms = 1, .terms = terms + k}));
    refused(&m, phx_system_add_drag(m.system, &(phx_drag_def){.name = "f", .port = 1, .coefficient = -1.0}));
    model_finalise(&m);
    model_close(&m);
}

static void the_order_of_calls_is_kept(void **state)
{
    model m;
    double x[8] = {0.0}, v[8] = {0.0}, lambda[8];
    phx_dae *dae = NULL;
    model_open(*state, 0.0, -9.81, &m);
    const phx_body_id body = add_pendulum(&m);
    refused(&m, phx_system_start(m.system, NULL, x, v, lambda)); /* before it is finalised */
    refused(&m, phx_system_dae(m.system, m.context, &dae));
    assert_null(dae);
    CHECK_OK(m.context, phx_system_finalise(m.system));
    CHECK_OK(m.context, phx_system_finalise(m.system)); /* nothing more to do */
    refused(&m, phx_system_add_port(m.system, body, x, NULL, &(phx_port_id){0}));
    refused(&m, phx_system_add_joint(m.system, &(phx_joint_def){.name = "late", .a = 0, .b = 1}, NULL));
    refused(&m, phx_system_add_output(m.system, &(phx_output_def){.name = "late", .port = 0}));
    CHECK_OK(m.context, phx_system_start(m.system, NULL, x, v, lambda));
    assert_string_equal(phx_context_message(m.context), "");
    model_close(&m);
}

static void what_is_not_there_is_nothing(void **state)
{
    model m;
    char name[16] = "unchanged";
    int x = -7, v = -7;
    model_open(*state, 0.0, -9.81, &m);
    add_pendulum(&m);
    CHECK_OK(m.context, phx_system_finalise(m.system));
    for (int k = 0; k < NOWHERE; k++) {
        assert_null(phx_system_body(m.system, nowhere[k]));
        assert_null(phx_system_beam(m.system, nowhere[k]));
        assert_null(phx_system_joint_name(m.system, nowhere[k]));
        assert_null(phx_system_column_unit(m.system, nowhere[k]));
        phx_system_column_name(m.system, nowhere[k], name, sizeof name);
        phx_system_offsets(m.system, nowhere[k], &x, &v);
    }
    assert_string_equal(name, "unchanged");
    assert_true(x == -7 && v == -7);
    assert_int_equal(phx_system_n_x(NULL) + phx_system_bodies(NULL) + phx_system_columns(NULL), 0);
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wrong_parts_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_forces_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_order_of_calls_is_kept, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_nothing, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("system_misuse", tests, NULL, NULL);
}
