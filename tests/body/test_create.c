/* Definitions that must be refused, the message that says why, and allocations that fail. */
#include "support.h"

/* A definition of a rigid body in the plane or in space that one line spoils. */
typedef struct bad_rigid {
    int dim;
    double mass, inertia[9], centre[3];
    const char *word;
} bad_rigid;

static void refused(phx_context *context, const phx_body_def *def, const char *word)
{
    phx_body *body = (phx_body *)context; /* any pointer that is not NULL */
    phx_context_clear(context);
    CHECK_STATUS(context, phx_body_create(context, def, &body), PHX_ERR_ARGUMENT);
    assert_null(body);
    const char *message = phx_context_message(context);
    if (!strstr(message, word) || !strstr(message, "'invalid'")) {
        print_error("the message \"%s\" names not both '%s' and the body\n", message, word);
        fail();
    }
}

static void test_bad_rigid(void **state)
{
    const double nan = NAN, inf = INFINITY;
    const bad_rigid bad[] = {
        {2, 0.0, {1.0}, {0}, "mass"},
        {2, -1.0, {1.0}, {0}, "mass"},
        {2, nan, {1.0}, {0}, "mass"},
        {2, inf, {1.0}, {0}, "mass"},
        {2, 1.0, {0.0}, {0}, "inertia"},
        {2, 1.0, {nan}, {0}, "inertia"},
        {2, 1.0, {inf}, {0}, "inertia"},
        {2, 1.0, {1.0}, {0.0, nan}, "centre"},
        {3, 1.0, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, inf}, "centre"},
        {3, 1.0, {1, 0, 0, 0, 1, 0, 0, 0, 0}, {0}, "inertia"},
        {3, 1.0, {1, 0, 0, 0, -1, 0, 0, 0, 1}, {0}, "inertia"},
        {3, 1.0, {1, 2, 0, 2, 1, 0, 0, 0, 1}, {0}, "inertia"},
        {3, 1.0, {1, 0.2, 0, 0, 1, 0, 0, 0, 1}, {0}, "symmetric"},
        {3, 1.0, {1, nan, 0, nan, 1, 0, 0, 0, 1}, {0}, "symmetric"},
        {3, 1.0, {inf, 0, 0, 0, 1, 0, 0, 0, 1}, {0}, "inertia"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        phx_rigid_def rigid = {.mass = bad[k].mass};
        phx_body_def def = phx_body_def_default();
        memcpy(rigid.inertia, bad[k].inertia, sizeof rigid.inertia);
        memcpy(rigid.centre, bad[k].centre, sizeof rigid.centre);
        def.name = "invalid";
        def.dim = bad[k].dim;
        def.rigid = &rigid;
        refused(*state, &def, bad[k].word);
    }
}

static void test_bad_body(void **state)
{
    phx_beam_def beam_def = phx_beam_def_default();
    phx_rigid_def rigid = {.mass = 1.0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    phx_beam *beam;
    beam_def.dim = 2;
    beam_def.length = beam_def.mass_per_length = beam_def.axial_stiffness = beam_def.bending_stiffness[0] = 1.0;
    CHECK_STATUS(*state, phx_beam_create(*state, &beam_def, &beam), PHX_OK);
    phx_body_def good = phx_body_def_default(), def;
    good.name = "invalid";
    good.flex = phx_flex_source_flex(beam);

    def = good;
    def.dim = 4;
    refused(*state, &def, "dim is 4");
    def = good;
    def.dim = 3;
    refused(*state, &def, "dimension 3 differs");
    def = good;
    def.flex = NULL;
    refused(*state, &def, "exactly one");
    def = good;
    def.rigid = &rigid;
    refused(*state, &def, "exactly one");
    def = good;
    def.kinetics = (phx_kinetics)7;
    refused(*state, &def, "kinetics is 7");
    const double wrong[] = {-1e-3, NAN, INFINITY};
    for (int k = 0; k < 3; k++) {
        def = good;
        def.damping_mass = wrong[k];
        refused(*state, &def, "damping");
        def = good;
        def.damping_stiffness = wrong[k];
        refused(*state, &def, "damping");
        def = good;
        def.damping_modal = wrong[k];
        refused(*state, &def, "damping");
    }
    def = good;
    def.damping_modal = 0.01;
    def.damping_stiffness = 0.01;
    refused(*state, &def, "not both");
    phx_flex_source_destroy(beam);
}

/* A body answers what was given; the name is a copy, a missing one has a default. */
static void test_questions(void **state)
{
    char name[] = "crank";
    phx_rigid_def rigid = {.mass = 2.0, .inertia = {0.5}, .centre = {0.3, 0.4}};
    phx_body_def def = phx_body_def_default();
    phx_body *body;
    def.name = name;
    def.rigid = &rigid;
    CHECK_STATUS(*state, phx_body_create(*state, &def, &body), PHX_OK);
    name[0] = '!';
    rigid.mass = -1.0;
    assert_string_equal(phx_body_name(body), "crank");
    assert_int_equal(phx_body_n_q(body), 0);
    assert_int_equal(phx_body_n_v(body), 3);
    assert_int_equal(phx_body_n_x(body), 5);
    assert_true(phx_body_is_lossless(body));
    const phx_flex *flex = phx_body_flex(body);
    assert_int_equal(flex->n, 0);
    CHECK_CLOSE(flex->mass, 2.0, 0.0, "mass");
    CHECK_CLOSE(flex->s0[0], 0.6, 1e-16, "first moment");
    CHECK_CLOSE(flex->J0[0], 0.5 + 2.0 * 0.25, 1e-15, "inertia about the origin");
    phx_body_destroy(body);
    phx_body_destroy(NULL);
    rigid.mass = 1.0;
    def.name = NULL;
    CHECK_STATUS(*state, phx_body_create(*state, &def, &body), PHX_OK);
    assert_string_equal(phx_body_name(body), "body");
    phx_body_destroy(body);
}

/* Attitudes: set and read back; the plane's angle is kept beyond a turn. */
static void test_attitude(void **state)
{
    double attitude[9], R[9], turn[9];
    (void)state;
    phx_attitude_set(2, NULL, 7.5, attitude);
    assert_int_equal(phx_attitude_size(2), 3);
    assert_int_equal(phx_attitude_size(3), 9);
    assert_true(attitude[2] == 7.5);
    phx_attitude_rotation(2, attitude, R);
    CHECK_VECTOR(4, R, ((const double[]){cos(7.5), -sin(7.5), sin(7.5), cos(7.5)}), 0.0, "plane");
    phx_rot_axis_angle(3, (const double[]){1, 2, 3}, 0.8, turn);
    phx_attitude_set(3, turn, 0.0, attitude);
    phx_attitude_rotation(3, attitude, R);
    CHECK_VECTOR(9, R, turn, 0.0, "space");
}

/* Every allocation of every kind fails in turn: PHX_ERR_MEMORY, no body, nothing lost (sanitizers see leaks). */
static void test_allocations(void **state)
{
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(*state, &body_kinds[k], &it);
        phx_body_def def = phx_body_def_default();
        phx_status status = PHX_ERR_MEMORY;
        long n = 0;
        def.dim = it.dim;
        def.rigid = it.beam ? NULL : &it.rigid_def;
        def.flex = it.source ? phx_flex_source_flex(it.source) : NULL;
        def.damping_mass = body_kinds[k].damping_mass;
        def.damping_stiffness = body_kinds[k].damping_stiffness;
        def.damping_modal = body_kinds[k].damping_modal;
        while (status == PHX_ERR_MEMORY) {
            phx_body *body = (phx_body *)&it;
            phx_context_fail_allocation(*state, n++);
            status = phx_body_create(*state, &def, &body);
            phx_context_fail_allocation(*state, -1);
            assert_true((status == PHX_OK) == (body != NULL));
            if (status == PHX_OK)
                phx_body_destroy(body);
        }
        CHECK_STATUS(*state, status, PHX_OK);
        assert_in_range(n, 6, 40);
        subject_destroy(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bad_rigid), cmocka_unit_test(test_bad_body),
                                       cmocka_unit_test(test_questions), cmocka_unit_test(test_attitude),
                                       cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
