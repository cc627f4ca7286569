/* Wrong input is refused with a message and taken over or freed all the same; every allocation may fail. */
#include "system/fast/fast.h"

#include "test_models.h"

/* ---- wrong definitions ---- */
static void numbers_that_are_none_are_refused(void **state)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        const double gravity[2] = {0.0, bad[k]}, place[2] = {bad[k], 0.0};
        phx_system *none = NULL;
        phx_port_id port = -1;
        model m;
        CHECK_STATUS(*state, phx_system_create(*state, 2, gravity, &none), PHX_ERR_ARGUMENT);
        assert_null(none);
        model_open(*state, 0.0, 0.0, &m);
        const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
        CHECK_STATUS(m.context, phx_system_add_port(m.system, a, place, NULL, &port), PHX_ERR_ARGUMENT);
        CHECK_STATUS(m.context, phx_system_add_port(m.system, PHX_GROUND, place, NULL, &port), PHX_ERR_ARGUMENT);
        for (int what = 0; what < 4; what++) {
            const phx_rigid_def rigid = {.mass = 1.0, .inertia = {1.0}};
            phx_body_def def = phx_body_def_default();
            phx_pose pose = phx_pose_default();
            phx_body *body = NULL;
            phx_body_id id = -2;
            def.name = "b";
            def.dim = 2;
            def.rigid = &rigid;
            *(what == 0   ? &pose.position[1]
              : what == 1 ? &pose.angle
              : what == 2 ? &pose.linear[0]
                          : &pose.angular[0]) = bad[k];
            CHECK_OK(m.context, phx_body_create(m.context, &def, &body));
            CHECK_STATUS(m.context, phx_system_add_body(m.system, body, NULL, &pose, &id), PHX_ERR_ARGUMENT);
            CHECK_MESSAGE(m.context, "body 'b'");
        }
        for (int what = 0; what < 6; what++) {
            phx_joint_def def =
                joint_def("j", PHX_JOINT_PRISMATIC, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
            phx_joint_id id;
            def.n_coordinates = 1;
            phx_coordinate_def *c = &def.coordinate[0];
            c->speed = constant(&m, 1.0); /* must not leak */
            *(what == 0   ? &c->stiffness
              : what == 1 ? &c->damping
              : what == 2 ? &c->rest
              : what == 3 ? &c->start
              : what == 4 ? &c->rate
                          : &def.axis[0]) = bad[k];
            CHECK_STATUS(m.context, phx_system_add_joint(m.system, &def, &id), PHX_ERR_ARGUMENT);
            CHECK_MESSAGE(m.context, "joint 'j'");
        }
        for (int what = 0; what < 3; what++) {
            phx_spring_def def = {.name = "s", .a = at_place(&m, PHX_GROUND, 0.0, 0.0), .b = at_place(&m, a, 1.0, 0.0)};
            *(what == 0 ? &def.stiffness : what == 1 ? &def.damping : &def.length) = bad[k];
            def.force = constant(&m, 1.0);
            CHECK_STATUS(m.context, phx_system_add_spring(m.system, &def), PHX_ERR_ARGUMENT);
        }
        model_ready(&m); /* nothing of it stayed */
        assert_int_equal(m.n_l, 0);
        assert_int_equal(m.system->n_forces, 0);
        model_close(&m);
    }
}

static void negative_numbers_are_refused(void **state)
{
    model m;
    phx_joint_id id;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    const phx_port_id ground = at_place(&m, PHX_GROUND, 0.0, 0.0), end = at_place(&m, a, 0.0, 0.0);
    phx_joint_def def = joint_def("j", PHX_JOINT_REVOLUTE, ground, end);
    def.n_coordinates = 1;
    def.coordinate[0].stiffness = -1.0;
    CHECK_STATUS(m.context, phx_system_add_joint(m.system, &def, &id), PHX_ERR_ARGUMENT);
    const phx_spring_def spring = {.name = "s", .a = ground, .b = end, .stiffness = 1.0, .length = -1.0};
    CHECK_STATUS(m.context, phx_system_add_spring(m.system, &spring), PHX_ERR_ARGUMENT);
    model_close(&m);
}

static void ports_of_the_wrong_kind_are_refused(void **state)
{
    const double place[2] = {0.0, 0.0};
    const beam_kind kind = beam_default();
    phx_port_id port = -1;
    phx_joint_id id = -1;
    model m;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = add_rigid(&m, "rod", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    const phx_body_id b = add_beam(&m, "beam", &kind, pose_at(0.0, 0.0, 0.0));
    CHECK_STATUS(m.context, phx_system_add_beam_port(m.system, a, 0.5, &port), PHX_ERR_ARGUMENT);
    CHECK_STATUS(m.context, phx_system_add_beam_port(m.system, PHX_GROUND, 0.5, &port), PHX_ERR_ARGUMENT);
    CHECK_STATUS(m.context, phx_system_add_port(m.system, b, place, NULL, &port), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(m.context, "not by: place in body axes");
    const phx_location origin = {.sort = PHX_LOCATION_ORIGIN}, node = {.sort = PHX_LOCATION_NODE, .node = 3};
    const phx_body_id bodies[] = {PHX_GROUND, a, b};
    for (int k = 0; k < 3; k++) {
        CHECK_STATUS(m.context, phx_system_add_port_at(m.system, bodies[k], &node, NULL, &port), PHX_ERR_ARGUMENT);
        CHECK_MESSAGE(m.context, "not by: number of a node");
        CHECK_STATUS(m.context, phx_system_add_port_at(m.system, bodies[k], &origin, NULL, &port), PHX_OK);
        CHECK_VECTOR(2, m.system->ports[port].port.point.x, place, 0.0, "origin of body %d", bodies[k]);
    }
    CHECK_STATUS(m.context, phx_system_add_beam_port(m.system, b, 1.5, &port), PHX_ERR_ARGUMENT);
    CHECK_STATUS(m.context, phx_system_add_beam_port(m.system, b, NAN, &port), PHX_ERR_ARGUMENT);
    CHECK_STATUS(m.context, phx_system_add_port(m.system, 7, place, NULL, &port), PHX_ERR_ARGUMENT);
    CHECK_STATUS(m.context, phx_system_add_port(m.system, -2, place, NULL, &port), PHX_ERR_ARGUMENT);
    const phx_port_id end = at_place(&m, a, 0.0, 0.0), other = at_place(&m, a, 1.0, 0.0);
    for (int k = 0; k < 5; k++) {
        const phx_port_id pairs[][2] = {{end, other}, {end, end}, {end, 99}, {-1, end}, {99, end}};
        const phx_joint_def def = joint_def("j", PHX_JOINT_REVOLUTE, pairs[k][0], pairs[k][1]);
        CHECK_STATUS(m.context, phx_system_add_joint(m.system, &def, &id), PHX_ERR_ARGUMENT);
    }
    phx_joint_def weld = joint_def("j", PHX_JOINT_WELD, end, at_beam(&m, b, 0.0));
    weld.n_coordinates = 1;
    weld.coordinate[0].speed = constant(&m, 1.0);
    CHECK_STATUS(m.context, phx_system_add_joint(m.system, &weld, &id), PHX_ERR_ARGUMENT);
    weld.n_coordinates = 0;
    weld.coordinate[0].speed = constant(&m, 1.0);
    weld.kind = (phx_joint_kind)42;
    CHECK_STATUS(m.context, phx_system_add_joint(m.system, &weld, &id), PHX_ERR_ARGUMENT);
    const phx_spring_def spring = {.name = "s", .a = end, .b = -1, .force = constant(&m, 1.0)};
    CHECK_STATUS(m.context, phx_system_add_spring(m.system, &spring), PHX_ERR_ARGUMENT);
    const phx_load_def load = {.name = "l", .port = -1, .component = {constant(&m, 1.0), NULL, NULL}};
    CHECK_STATUS(m.context, phx_system_add_load(m.system, &load), PHX_ERR_ARGUMENT);
    phx_signal *component[3] = {constant(&m, 1.0), NULL, NULL};
    CHECK_STATUS(m.context, phx_system_add_distributed(m.system, "d", a, component), PHX_ERR_ARGUMENT);
    model_close(&m);
}

static void the_order_of_calls_is_kept(void **state)
{
    model m;
    phx_dae *dae = NULL;
    phx_port_id port;
    const double place[2] = {0.0, 0.0};
    model_open(*state, 0.0, 0.0, &m);
    CHECK_STATUS(m.context, phx_system_finalise(m.system), PHX_ERR_ARGUMENT);
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    CHECK_STATUS(m.context, phx_system_dae(m.system, m.context, &dae), PHX_ERR_ARGUMENT);
    CHECK_STATUS(m.context, phx_system_start(m.system, NULL, NULL, NULL, NULL), PHX_ERR_ARGUMENT);
    model_ready(&m);
    CHECK_OK(m.context, phx_system_finalise(m.system));
    CHECK_STATUS(m.context, phx_system_add_port(m.system, a, place, NULL, &port), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(m.context, "finalised");
    model_close(&m);
    phx_system_destroy(NULL);
    phx_system_dae_destroy(NULL);
}

/* A finalise that fails leaves something to destroy only. */
static void a_failed_finalise_cannot_be_repeated(void **state)
{
    model m;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    const phx_port_id p = at_place(&m, a, 0.0, 0.0), q = at_place(&m, a, 1.0, 0.0);
    phx_joint_def pin = joint_def("pin", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), p);
    pin.n_coordinates = 1;
    pin.coordinate[0].stiffness = 1.0;
    add_joint_def(&m, &pin);
    add_joint(&m, "far", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 5.0, 0.0), q);
    CHECK_STATUS(m.context, phx_system_finalise(m.system), PHX_ERR_ASSEMBLY);
    CHECK_STATUS(m.context, phx_system_finalise(m.system), PHX_ERR_ARGUMENT);
    model_close(&m);
}

/* Signals may go wrong while the model runs. */
static void signals_that_are_no_numbers_are_named(void **state)
{
    for (int what = 0; what < 3; what++) {
        model m;
        model_open(*state, 0.0, 0.0, &m);
        const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
        const phx_port_id ground = at_place(&m, PHX_GROUND, 0.0, 0.0), end = at_place(&m, a, 0.0, 0.0);
        phx_joint_def pin = joint_def("pin", PHX_JOINT_REVOLUTE, ground, end);
        if (what == 0) {
            add_force(&m, "push", end, false, sine(&m, 0.0, INFINITY, 1.0), NULL);
        } else {
            pin.n_coordinates = 1;
            *(what == 1 ? &pin.coordinate[0].speed : &pin.coordinate[0].effort) = sine(&m, 0.0, INFINITY, 1.0);
        }
        add_joint_def(&m, &pin);
        model_finalise(&m);
        const phx_status status = phx_system_start(m.system, NULL, m.x, m.v, m.lambda);
        if (status == PHX_OK)
            fail_msg("signal %d that is no number passed the start", what);
        CHECK_MESSAGE(m.context, what == 0 ? "'push'" : "'pin'");
        model_close(&m);
    }
}

/* ---- every allocation fails once ---- */
typedef struct trial {
    phx_context *context;
    phx_system *system;
    phx_dae *dae;
    phx_linear linear;
    double x[256], v[256], lambda[64], columns[16];
} trial;

static phx_status add_flexible(trial *t, double x, phx_body_id *id)
{
    phx_beam_def beam_def = phx_beam_def_default();
    phx_body_def def = phx_body_def_default();
    const phx_pose pose = pose_at(x, 0.0, 0.0);
    phx_beam *beam = NULL;
    phx_body *body = NULL;

    beam_def.dim = 2;
    beam_def.length = 1.0;
    beam_def.mass_per_length = 1.0;
    beam_def.axial_stiffness = 1e4;
    beam_def.bending_stiffness[0] = 40.0;
    beam_def.elements = 1;
    phx_status status = phx_beam_create(t->context, &beam_def, &beam);
    if (status)
        return status;
    def.name = "beam";
    def.dim = 2;
    def.flex = phx_flex_source_flex(beam);
    status = phx_body_create(t->context, &def, &body);
    if (status) {
        phx_flex_source_destroy(beam);
        return status;
    }
    return phx_system_add_body(t->system, body, beam, &pose, id);
}

static phx_status build(trial *t)
{
    const double gravity[2] = {0.0, -9.81}, origin[2] = {0.0, 0.0};
    phx_body_id a = -1, b = -1;
    phx_port_id ground = -1, p[4] = {-1, -1, -1, -1};
    phx_joint_id id;
    phx_signal *signal = NULL, *component[3] = {NULL, NULL, NULL};
    phx_status status = phx_system_create(t->context, 2, gravity, &t->system);

    if (!status)
        status = add_flexible(t, 0.0, &a);
    if (!status)
        status = add_flexible(t, 1.0, &b);
    if (!status)
        status = phx_system_add_port(t->system, PHX_GROUND, origin, NULL, &ground);
    for (int k = 0; k < 4 && !status; k++)
        status = phx_system_add_beam_port(t->system, k < 2 ? a : b, k % 2 ? 1.0 : 0.0, &p[k]);
    phx_joint_def pin = joint_def("pin", PHX_JOINT_REVOLUTE, ground, p[0]);
    pin.n_coordinates = 1;
    if (!status)
        status = phx_signal_create_constant(t->context, 1.0, &pin.coordinate[0].speed);
    if (!status)
        status = phx_system_add_joint(t->system, &pin, &id);
    phx_joint_def elbow = joint_def("elbow", PHX_JOINT_REVOLUTE, p[1], p[2]);
    elbow.n_coordinates = 1;
    elbow.coordinate[0].stiffness = 3.0;
    if (!status)
        status = phx_system_add_joint(t->system, &elbow, &id);
    for (int k = 0; k < 2 && !status; k++) { /* the second is redundant */
        phx_joint_def again = joint_def("again", PHX_JOINT_WELD, p[1], p[2]);
        again.kind = PHX_JOINT_REVOLUTE;
        status = phx_system_add_joint(t->system, &again, &id);
    }
    if (!status)
        status = phx_signal_create_constant(t->context, 1.0, &signal);
    const phx_spring_def spring = {
        .name = "spring", .a = ground, .b = p[3], .stiffness = 1.0, .damping = 0.1, .length = 0.5, .force = signal};
    if (!status)
        status = phx_system_add_spring(t->system, &spring);
    if (!status)
        status = phx_signal_create_constant(t->context, 1.0, &component[0]);
    if (!status)
        status = phx_system_add_distributed(t->system, "wind", a, component);
    const phx_output_def outputs[] = {{.name = "r", .quantity = PHX_QUANTITY_REACTION, .joint = 1},
                                      {.name = "m", .quantity = PHX_QUANTITY_BENDING_MOMENT, .port = p[0]}};
    for (int k = 0; k < 2 && !status; k++)
        status = phx_system_add_output(t->system, &outputs[k]);
    return status;
}

static phx_status use(trial *t)
{
    const phx_start_options options = {.quasi_static = true};
    phx_certificate certificate;
    double res[256];
    phx_status status = build(t);

    if (!status)
        status = phx_system_finalise(t->system);
    if (!status)
        status = phx_system_start(t->system, &options, t->x, t->v, t->lambda);
    if (!status)
        status = phx_system_dae(t->system, t->context, &t->dae);
    if (!status)
        status = phx_system_outputs(t->dae, 0.0, t->x, t->v, t->columns);
    if (!status)
        status = phx_system_linear(t->dae, 0.0, t->x, NULL, &t->linear);
    if (!status)
        status = t->dae->ops->linearise(t->dae, 0.0, t->x, t->v, t->lambda);
    for (int k = 0; k < 2 && !status; k++)
        status = t->dae->ops->factor_complex(t->dae, k, 100.0, 30.0);
    memset(res, 0, sizeof res);
    if (!status)
        status = t->dae->ops->solve_complex(t->dae, 1, res);
    if (!status)
        status = phx_system_verify_structure(t->dae, 0.0, t->x, t->v, t->lambda, &certificate);
    return status;
}

static void release(trial *t)
{
    phx_linear_free(&t->linear);
    phx_system_dae_destroy(t->dae);
    phx_system_destroy(t->system);
}

static void every_allocation_may_fail(void **state)
{
    long n = 0;
    for (phx_status status = PHX_ERR_MEMORY; status; n += TEST_SHORTER(1, 3)) {
        trial t = {.context = *state};
        phx_context_fail_allocation(*state, n);
        status = use(&t);
        phx_context_fail_allocation(*state, -1);
        if (status && status != PHX_ERR_MEMORY)
            fail_msg("allocation %ld failed and gave \"%s\": %s", n, phx_status_text(status),
                     phx_context_message(*state));
        release(&t);
        if (n > 20000)
            fail_msg("no end of allocations");
    }
    if (n < 100)
        fail_msg("only %ld allocations were seen", n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_that_are_none_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(negative_numbers_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(ports_of_the_wrong_kind_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_order_of_calls_is_kept, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_failed_finalise_cannot_be_repeated, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(signals_that_are_no_numbers_are_named, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
