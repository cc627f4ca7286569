/* Redundant constraints are found, named and left out; the motion is that of the model without them, the reactions are
 * the least-norm ones. A start in a singular configuration is not mistaken for redundancy. */
#include "system/fast/fast.h"

#include "support.h"

enum { MOST = 64 };

typedef struct heard {
    char text[2048];
    int count;
} heard;

static void hear(void *user, phx_log_level level, const char *message)
{
    heard *h = user;
    if (level != PHX_LOG_WARNING)
        return;
    h->count++;
    strncat(h->text, message, sizeof h->text - strlen(h->text) - 2);
    strncat(h->text, "\n", sizeof h->text - strlen(h->text) - 1);
}

static void expect_heard(const heard *h, int count, const char *text)
{
    if (h->count != count || (text && !strstr(h->text, text)))
        fail_msg("%d warnings, expected %d with \"%s\": %s", h->count, count, text ? text : "", h->text);
}

/* ---- parallelogram: a beam on `bars` equal cranks ---- */
static phx_joint_id parallelogram(model *m, int bars, double angle)
{
    static const char *const names[] = {"bar1", "bar2", "bar3"}, *const feet[] = {"foot1", "foot2", "foot3"},
                             *const heads[] = {"head1", "head2", "head3"};
    phx_joint_id last = -1;
    const double c = cos(angle), s = sin(angle);
    const phx_body_id beam = add_rigid(m, "beam", 3.0, 0.5, 1.0, 0.1, pose_at(c, s, 0.0));

    for (int k = 0; k < bars; k++) {
        const double x = k == 1 ? 2.0 : 0.5 * k;
        const phx_body_id bar =
            add_rigid(m, names[k], k == 2 ? 1e-9 : 1.0, k == 2 ? 1e-10 : 0.1, 0.5, 0.0, pose_at(x, 0.0, angle));
        add_joint(m, feet[k], PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, x, 0.0), at_place(m, bar, 0.0, 0.0));
        last = add_joint(m, heads[k], PHX_JOINT_REVOLUTE, at_place(m, bar, 1.0, 0.0), at_place(m, beam, x, 0.0));
    }
    return last;
}

static void a_parallelogram_moves_right(void **state)
{
    double angle[2];
    heard h = {"", 0};

    phx_context_set_log(*state, hear, &h);
    for (int bars = 2; bars <= 3; bars++) {
        double position = 0.0, velocity = 0.0;
        phx_work work;
        model m;
        model_open(*state, 0.0, -9.81, &m);
        parallelogram(&m, bars, 1.2);
        model_ready(&m);
        assert_int_equal(phx_system_redundant(m.system), bars - 2);
        expect_heard(&h, bars - 2, bars == 3 ? "is redundant" : NULL);
        if (bars == 3) {
            const char *name = NULL;
            int row = 0;
            phx_system_redundant_row(m.system, 0, &name, &row);
            if (strcmp(name, "head3") != 0 || row < 1 || row > 2)
                fail_msg("row %d of '%s' is called redundant", row, name);
        }
        assert_int_equal(m.n_v - m.n_l, 1);
        const double energy = total_energy(&m, m.x, m.v);
        run_midpoint(&m, 0.0, 1e-3, 1000, &work);
        angle[bars - 2] = m.x[5 + 4];
        CHECK_CLOSE(total_energy(&m, m.x, m.v), energy, 1e-11 * (1.0 + fabs(energy)), "energy of %d bars", bars);
        m.dae->ops->drift(m.dae, 1.0, m.x, m.v, &position, &velocity);
        CHECK_CLOSE(position, 0.0, 1e-12, "drift of %d bars, redundant rows too", bars);
        CHECK_CLOSE(velocity, 0.0, 1e-11, "drift rate of %d bars", bars);
        model_close(&m);
    }
    CHECK_CLOSE(angle[1], angle[0], 1e-7, "angle after 1 s, three bars against two");
    phx_context_set_log(*state, NULL, NULL);
}

/* A block in two guides on one line: its turn is held twice over. */
static void doubly_guided_block(model *m, bool redundant)
{
    const phx_body_id a = add_rigid(m, "block", 2.0, 0.3, 0.0, 0.0, pose_at(0.3, 0.0, 0.0));
    const phx_port_id ground = at_place(m, PHX_GROUND, 0.0, 0.0);
    add_joint(m, "guide", PHX_JOINT_PRISMATIC, ground, at_place(m, a, -0.5, 0.0));
    if (redundant)
        add_joint(m, "second guide", PHX_JOINT_PRISMATIC, ground, at_place(m, a, 0.5, 0.0));
    add_force(m, "push", at_place(m, a, 0.5, 0.0), false, constant(m, 3.0), constant(m, -7.0));
    add_output(m, "guide", PHX_QUANTITY_REACTION, 0);
    if (redundant)
        add_output(m, "second", PHX_QUANTITY_REACTION, 1);
}

static void a_doubly_guided_block_has_least_norm_reactions(void **state)
{
    double columns[6], single[3];
    heard h = {"", 0};
    model m;

    model_open(*state, 0.0, 0.0, &m);
    doubly_guided_block(&m, false);
    model_ready(&m);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, single));
    CHECK_CLOSE(single[1], 7.0, 1e-12, "single guide, force");
    CHECK_CLOSE(single[2], 7.0, 1e-12, "single guide, torque"); /* 7 N at 1 m from the guide's port */
    model_close(&m);
    phx_context_set_log(*state, hear, &h);
    model_open(*state, 0.0, 0.0, &m);
    doubly_guided_block(&m, true);
    model_ready(&m);
    phx_context_set_log(*state, NULL, NULL);
    assert_int_equal(phx_system_redundant(m.system), 2);
    expect_heard(&h, 2, "joint 'second guide': row 1 is redundant");
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, columns));
    /* least |F1|^2 + |F2|^2 + |T1|^2 + |T2|^2 with F1 + F2 = 7, T1 + T2 + 0.5 (F2 - F1) = 3.5 (about the centre) */
    const double F1 = columns[1], T1 = columns[2], F2 = columns[4], T2 = columns[5];
    CHECK_CLOSE(F1 + F2, 7.0, 1e-11, "sum of the forces");
    CHECK_CLOSE(T1 + T2 + 0.5 * (F2 - F1), 3.5, 1e-11, "sum of the torques");
    /* stationary: (F1, F2) = a (1, 1) + b (-0.5, 0.5), (T1, T2) = b (1, 1) */
    CHECK_CLOSE(T1, T2, 1e-11, "equal torques");
    CHECK_CLOSE(F2 - F1, T1, 1e-11, "forces and torques of least norm");
    const size_t before = phx_context_allocations(m.context);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, columns));
    assert_true(phx_context_allocations(m.context) == before);
    model_close(&m);
}

/* A drive beside a drive of the same motion. */
static void redundant_drives_share_their_effort(void **state)
{
    double columns[2];
    model m;
    model_open(*state, 0.0, 0.0, &m);
    const phx_body_id a = add_rigid(&m, "a", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    for (int k = 0; k < 2; k++) {
        phx_joint_def pin = joint_def(k ? "second" : "first", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0),
                                      at_place(&m, a, 0.0, 0.0));
        pin.n_coordinates = 1;
        pin.coordinate[0].speed = sine(&m, 0.0, 2.0, 3.0);
        add_output(&m, pin.name, PHX_QUANTITY_EFFORT, add_joint_def(&m, &pin));
    }
    model_ready(&m);
    assert_int_equal(phx_system_redundant(m.system), 3);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, columns));
    /* I_P alpha = 0.35 x 6 in all */
    CHECK_CLOSE(columns[0], 0.5 * 0.35 * 6.0, 1e-11, "first drive");
    CHECK_CLOSE(columns[1], 0.5 * 0.35 * 6.0, 1e-11, "second drive");
    model_close(&m);
}

/* ---- singular at the start only ---- */
/* All links on one line: the rows are dependent here and nowhere else. */
static void a_change_point_is_no_redundancy(void **state)
{
    const double lengths[2][3] = {{1.0, 2.0, 1.0}, {1.0, 2.5, 1.5}}; /* crank, coupler, rocker; ground 2 */
    for (int k = 0; k < 2; k++) {
        const double *l = lengths[k];
        const double ground = k == 0 ? 2.0 : 2.0;
        model m;
        model_open(*state, 0.0, -9.81, &m);
        /* parallelogram: all to the right; the other: crank to the left, rocker to the left */
        const double crank = k == 0 ? 0.0 : TEST_PI;
        const phx_body_id a = add_rigid(&m, "crank", 1.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, crank));
        const phx_body_id b = add_rigid(&m, "coupler", 1.0, 0.1, 0.5, 0.0, pose_at(l[0] * cos(crank), 0.0, 0.0));
        const double end = l[0] * cos(crank) + l[1];
        const phx_body_id c =
            add_rigid(&m, "rocker", 1.0, 0.1, 0.5, 0.0, pose_at(ground, 0.0, end > ground ? 0.0 : TEST_PI));
        add_joint(&m, "first", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
        add_joint(&m, "second", PHX_JOINT_REVOLUTE, at_place(&m, a, l[0], 0.0), at_place(&m, b, 0.0, 0.0));
        add_joint(&m, "third", PHX_JOINT_REVOLUTE, at_place(&m, b, l[1], 0.0),
                  at_place(&m, c, fabs(end - ground), 0.0));
        add_joint(&m, "last", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, ground, 0.0), at_place(&m, c, 0.0, 0.0));
        const phx_status status = phx_system_finalise(m.system);
        CHECK_STATUS(m.context, status, PHX_ERR_ASSEMBLY);
        CHECK_MESSAGE(m.context, "singular");
        model_close(&m);
    }
}

/* Near the change point all is well. */
static void beside_the_change_point_all_rows_stay(void **state)
{
    heard h = {"", 0};
    model m;
    phx_context_set_log(*state, hear, &h);
    model_open(*state, 0.0, -9.81, &m);
    parallelogram(&m, 2, 0.05);
    model_ready(&m);
    expect_heard(&h, 0, NULL);
    assert_int_equal(m.n_v - m.n_l, 1);
    model_close(&m);
    phx_context_set_log(*state, NULL, NULL);
}

/* Redundant and free to move nowhere: three bars that are not parallel carry a frame. */
static void a_statically_redundant_frame_rests(void **state)
{
    double columns[3];
    model m;
    model_open(*state, 0.0, -9.81, &m);
    const phx_body_id a = add_rigid(&m, "a", 2.0, 0.1, 0.5, 0.0, pose_at(0.0, 0.0, 0.0));
    add_joint(&m, "left", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, a, 0.0, 0.0));
    add_joint(&m, "right", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 1.0, 0.0), at_place(&m, a, 1.0, 0.0));
    add_output(&m, "left", PHX_QUANTITY_REACTION, 0);
    model_ready(&m);
    assert_int_equal(m.n_v - m.n_l, 0);
    assert_int_equal(phx_system_redundant(m.system), 1);
    CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, columns));
    CHECK_CLOSE(columns[0], 0.0, 1e-11, "least-norm force along the beam");
    CHECK_CLOSE(columns[1], 9.81, 1e-11, "half the weight");
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_parallelogram_moves_right, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_doubly_guided_block_has_least_norm_reactions, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(redundant_drives_share_their_effort, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_change_point_is_no_redundancy, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(beside_the_change_point_all_rows_stay, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_statically_redundant_frame_rests, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
