/* Identity of modes along sweeps: crossings, veerings, modes that come and go, several parameters. */
#include "mechanism.h"

#include "linear/internal.h"

/* ---- assignment ---- */
static double best_by_trial(int rows, int cols, const double *gain, int row, unsigned used)
{
    if (row == rows)
        return 0.0;
    double best = -HUGE_VAL;
    for (int j = 0; j < cols; j++)
        if (!(used & (1u << j)))
            best = fmax(best, gain[row * cols + j] + best_by_trial(rows, cols, gain, row + 1, used | (1u << j)));
    return best;
}

static void test_assignment_against_trial(void **state)
{
    phx_context *context = *state;
    uint32_t seed = 1;
    for (int trial = 0; trial < 300; trial++) {
        double gain[5 * 7];
        int column[5];
        const int rows = 1 + trial % 5, cols = rows + trial % 3;
        for (int k = 0; k < rows * cols; k++) {
            seed = seed * 1664525u + 1013904223u;
            gain[k] = trial % 4 == 0 ? (seed >> 30) : (seed >> 8) * 0x1p-24; /* every fourth with many ties */
        }
        assert_int_equal(phx_assign(context, rows, cols, gain, column), PHX_OK);
        double sum = 0.0;
        unsigned used = 0;
        for (int i = 0; i < rows; i++) {
            assert_in_range(column[i], 0, cols - 1);
            assert_false(used & (1u << column[i]));
            used |= 1u << column[i];
            sum += gain[i * cols + column[i]];
        }
        CHECK_SMALL(sum - best_by_trial(rows, cols, gain, 0, 0), 1e-12, "trial %d: sum of gains", trial);
    }
}

/* ---- small systems with modes known in advance ---- */
/* K (symmetric n x n, row-major), unit masses; the lowest `count` modes. */
static void modes_of(phx_context *context, int n, const double *K, int count, phx_mode_set *set, phx_csr *M)
{
    mechanism mech;
    phx_linear linear;
    phx_modal *modal = NULL;
    mechanism_begin(&mech, context);
    mech.n = n;
    for (int i = 0; i < n; i++) {
        put(&mech.M, i, i, 1.0);
        for (int j = 0; j < n; j++)
            if (K[i * n + j] != 0.0)
                put(&mech.rest, i, j, K[i * n + j]);
    }
    mechanism_end(&mech, &linear);
    phx_modes_options options = phx_modes_options_default();
    options.count = count;
    assert_int_equal(phx_modal_create(context, &modal), PHX_OK);
    assert_int_equal(phx_modal_solve(modal, &linear, &options, set), PHX_OK);
    assert_int_equal(phx_csr_copy(context, &linear.M, M), PHX_OK);
    phx_modal_destroy(modal);
    linear_free(&linear);
}

/* Three stiffnesses of which the first rises through the others, with a coupling c of the first two. */
static void crossing(phx_context *context, double p, double c, int count, phx_mode_set *set, phx_csr *M)
{
    const double K[9] = {1.0 + 4.0 * p, c, 0.0, c, 2.0, 0.0, 0.0, 0.0, 4.0};
    modes_of(context, 3, K, count, set, M);
}

static void sweep_of_crossing(phx_context *context, double from, double to, int points, double coupling)
{
    phx_tracker *tracker = NULL;
    assert_int_equal(phx_tracker_create(context, 1, &points, &tracker), PHX_OK);
    for (int i = 0; i < points; i++) {
        const double p = from + (to - from) * i / (points - 1);
        phx_mode_set set;
        phx_csr M;
        int branch[3];
        double confidence[3];
        crossing(context, p, coupling, 3, &set, &M);
        assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, confidence), PHX_OK);
        /* where they do not meet, branch 1 is the coordinate that rises, 2 and 3 are the others */
        const double rising = 1.0 + 4.0 * p;
        const int rank = rising < 2.0 ? 0 : (rising < 4.0 ? 1 : 2);
        const int expected[3] = {rank == 0 ? 1 : 2, rank == 0 ? 2 : (rank == 1 ? 1 : 3), rank == 2 ? 1 : 3};
        for (int k = 0; k < 3 && fabs(rising - 2.0) > 1e-3 && fabs(rising - 4.0) > 1e-3; k++)
            if (branch[k] != expected[k])
                fail_msg("p = %g, mode %d: branch %d, expected %d (confidence %g)", p, k + 1, branch[k], expected[k],
                         confidence[k]);
        phx_mode_set_free(&set);
        phx_csr_free(&M);
    }
    phx_tracker_destroy(tracker);
}

static void test_crossings_are_passed(void **state)
{
    sweep_of_crossing(*state, 0.0, 1.0, 18, 0.0);  /* no point on a crossing */
    sweep_of_crossing(*state, 0.0, 1.0, 5, 0.0);   /* points at 2 and 4 sharp: any shapes there are modes */
    sweep_of_crossing(*state, 0.0, 1.0, 401, 0.0); /* fine, with points on the crossings */
    sweep_of_crossing(*state, 1e-9, 1.0, 5, 0.0);  /* points beside the crossings by rounding */
}

/* A veering much narrower than the step is passed like a crossing. */
static void test_narrow_veering(void **state)
{
    sweep_of_crossing(*state, 0.0, 1.0, 18, 1e-6);
    sweep_of_crossing(*state, 0.0, 1.0, 5, 1e-6); /* a point where the shapes are mixed half and half */
}

/* A veering that the steps resolve: identity follows the curve, which does not cross. */
static void test_wide_veering(void **state)
{
    phx_context *context = *state;
    const int points = 101;
    phx_tracker *tracker = NULL;
    assert_int_equal(phx_tracker_create(context, 1, &points, &tracker), PHX_OK);
    for (int i = 0; i < points; i++) {
        phx_mode_set set;
        phx_csr M;
        int branch[3];
        crossing(context, 0.5 * i / (points - 1), 0.3, 3, &set, &M);
        assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, NULL), PHX_OK);
        for (int k = 0; k < 3; k++)
            assert_int_equal(branch[k], k + 1);
        phx_mode_set_free(&set);
        phx_csr_free(&M);
    }
    phx_tracker_destroy(tracker);
}

/* Only the two lowest modes are carried: the rising one leaves, is lost, and is known again when it comes back. */
static void test_mode_that_leaves_and_returns(void **state)
{
    phx_context *context = *state;
    static const double way[] = {0.0, 0.1, 0.2, 0.4, 0.6, 0.9, 1.0, 0.9, 0.6, 0.4, 0.2, 0.1};
    const int points = (int)(sizeof way / sizeof *way);
    phx_tracker *tracker = NULL;
    assert_int_equal(phx_tracker_create(context, 1, &points, &tracker), PHX_OK);
    for (int i = 0; i < points; i++) {
        phx_mode_set set;
        phx_csr M;
        int branch[2];
        double confidence[2];
        const double rising = 1.0 + 4.0 * way[i];
        crossing(context, way[i], 0.0, 2, &set, &M);
        assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, confidence), PHX_OK);
        const int expected[2] = {rising < 2.0 ? 1 : 2, rising < 2.0 ? 2 : (rising < 4.0 ? 1 : 3)};
        for (int k = 0; k < 2; k++)
            if (branch[k] != expected[k])
                fail_msg("step %d, mode %d: branch %d, expected %d", i, k + 1, branch[k], expected[k]);
        if (i == 5 && confidence[1] != 0.0) /* seen for the first time */
            fail_msg("step 5: confidence %g in a new branch, expected 0", confidence[1]);
        phx_mode_set_free(&set);
        phx_csr_free(&M);
    }
    phx_tracker_destroy(tracker);
}

/* Two axes: along the second the modes cross, along the first the second mode is lowered; lines begin at their
 * neighbour, not at the end of the line before. */
static void test_two_parameters(void **state)
{
    phx_context *context = *state;
    const int counts[2] = {3, 6};
    phx_tracker *tracker = NULL;
    assert_int_equal(phx_tracker_create(context, 2, counts, &tracker), PHX_OK);
    for (int a = 0; a < counts[0]; a++)
        for (int b = 0; b < counts[1]; b++) {
            const double first = 1.0 + 0.5 * b, second = 2.2 - 0.6 * a; /* from the second line on they start crossed */
            const double K[4] = {first, 0.0, 0.0, second};
            phx_mode_set set;
            phx_csr M;
            int branch[2];
            modes_of(context, 2, K, 2, &set, &M);
            assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, NULL), PHX_OK);
            if (branch[0] != (first < second ? 1 : 2) || branch[1] != (first < second ? 2 : 1))
                fail_msg("point (%d, %d): branches %d, %d", a, b, branch[0], branch[1]);
            phx_mode_set_free(&set);
            phx_csr_free(&M);
        }
    phx_tracker_destroy(tracker);
}

static void test_wrong_use(void **state)
{
    phx_context *context = *state;
    phx_tracker *tracker = NULL;
    phx_mode_set set;
    phx_csr M, unused;
    int branch[3];
    const int none = 0, two = 2;
    const double K[4] = {1.0, 0.0, 0.0, 2.0};
    assert_int_equal(phx_tracker_create(context, 1, &none, &tracker), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_tracker_create(context, -1, &two, &tracker), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_tracker_create(context, 1, &two, &tracker), PHX_OK);
    crossing(context, 0.0, 0.0, 3, &set, &M);
    assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, NULL), PHX_OK);
    phx_mode_set_free(&set);
    modes_of(context, 2, K, 2, &set, &unused);
    assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, NULL), PHX_ERR_ARGUMENT);
    phx_csr_free(&M);
    phx_csr_free(&unused);
    phx_mode_set_free(&set);

    /* another number of coordinates: the branches begin anew */
    modes_of(context, 2, K, 2, &set, &M);
    assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, NULL), PHX_OK);
    assert_int_equal(branch[0], 4);
    assert_int_equal(branch[1], 5);
    assert_int_equal(phx_tracker_feed(tracker, &set, &M, branch, NULL), PHX_ERR_ARGUMENT); /* one point too many */
    phx_csr_free(&M);
    phx_mode_set_free(&set);
    phx_tracker_destroy(tracker);
    phx_tracker_destroy(NULL);
    assert_int_equal(phx_tracker_carry(0), 0);
    assert_true(phx_tracker_carry(6) > 6);
}

static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    const int counts[2] = {2, 1};
    phx_mode_set set;
    phx_csr M;
    crossing(context, 0.0, 0.0, 3, &set, &M);
    long n = 0;
    for (phx_status status = PHX_ERR_MEMORY; status; n++) {
        phx_tracker *tracker = NULL;
        int branch[3];
        phx_context_fail_allocation(context, n);
        status = phx_tracker_create(context, 2, counts, &tracker);
        for (int k = 0; k < 2 && !status; k++)
            status = phx_tracker_feed(tracker, &set, &M, branch, NULL);
        phx_context_fail_allocation(context, -1);
        assert_true(status == PHX_OK || status == PHX_ERR_MEMORY);
        phx_tracker_destroy(tracker);
    }
    if (n < 20)
        fail_msg("only %ld allocations were made to fail", n);
    phx_mode_set_free(&set);
    phx_csr_free(&M);
}

/* The four-bar mechanism, whose curves veer and do not cross: 73 points find the branches that 1441 points find. */
static void branches_of_four_bar(phx_context *context, int points, int every, int (*branch_at)[6])
{
    phx_modal *modal = NULL;
    phx_tracker *tracker = NULL;
    phx_modes_options options = phx_modes_options_default();
    options.count = phx_tracker_carry(6);
    assert_int_equal(phx_modal_create(context, &modal), PHX_OK);
    assert_int_equal(phx_tracker_create(context, 1, &points, &tracker), PHX_OK);
    for (int i = 0; i < points; i++) {
        mechanism mech;
        phx_linear linear;
        phx_mode_set set;
        int branch[10];
        mechanism_begin(&mech, context);
        four_bar(&mech, 2.0 * TEST_PI * i / (points - 1), 4, true);
        mechanism_end(&mech, &linear);
        assert_int_equal(phx_modal_solve(modal, &linear, &options, &set), PHX_OK);
        assert_int_equal(phx_tracker_feed(tracker, &set, &linear.M, branch, NULL), PHX_OK);
        if (i % every == 0)
            memcpy(branch_at[i / every], branch, sizeof branch_at[0]);
        phx_mode_set_free(&set);
        linear_free(&linear);
    }
    phx_modal_destroy(modal);
    phx_tracker_destroy(tracker);
}

static void test_coarse_sweep_of_four_bar_finds_the_branches_of_a_fine_one(void **state)
{
    int coarse[73][6], fine[73][6];
    branches_of_four_bar(*state, 73, 1, coarse);
    branches_of_four_bar(*state, 1441, 20, fine);
    for (int i = 0; i < 73; i++)
        for (int k = 0; k < 6; k++)
            if (coarse[i][k] != fine[i][k])
                fail_msg("theta1 = %d degrees, mode %d: branch %d, in small steps %d", 5 * i, k + 1, coarse[i][k],
                         fine[i][k]);
}

/* ---- thresholds ---- */
enum { ENTRIES = 4, MOST_MODES = 2 };
typedef struct shown {
    int count;
    double omega[MOST_MODES], shapes[MOST_MODES * ENTRIES];
} shown;

/* Feeds modes with unit mass; branches and confidences of the last point. */
static void track(phx_context *context, int points, shown *way, int *branch, double *confidence)
{
    int ptr[ENTRIES + 1] = {0, 1, 2, 3, 4}, idx[ENTRIES] = {0, 1, 2, 3};
    double unit[ENTRIES] = {1.0, 1.0, 1.0, 1.0};
    const phx_csr M = {ENTRIES, ENTRIES, ptr, idx, unit};
    phx_tracker *tracker = NULL;

    CHECK_OK(context, phx_tracker_create(context, 1, &points, &tracker));
    for (int i = 0; i < points; i++) {
        const phx_mode_set set = {.n = ENTRIES, .count = way[i].count, .omega = way[i].omega, .shapes = way[i].shapes};
        CHECK_OK(context, phx_tracker_feed(tracker, &set, &M, branch, confidence));
    }
    phx_tracker_destroy(tracker);
}

/* A mode continues a branch from a MAC of 0.05 on, one that was lost earlier from 0.5 on. */
static void test_thresholds_of_the_mac(void **state)
{
    for (int lost = 0; lost < 2; lost++)
        for (int side = -1; side <= 1; side += 2) {
            const double mac = (lost ? 0.5 : 0.05) * (1.0 + 0.02 * side);
            shown way[] = {{1, {1.0}, {1.0}}, {1, {1.0}, {0.0, 1.0}}, {1, {1.0}, {sqrt(mac), 0.0, sqrt(1.0 - mac)}}};
            int branch[MOST_MODES];
            if (!lost)
                way[1] = way[2];
            track(*state, lost ? 3 : 2, way, branch, NULL);
            assert_int_equal(branch[0], side > 0 ? 1 : lost ? 3 : 2);
        }
}

/* Modes within 1e-3 in frequency are compared as a space: a turn of 40 degrees in it is not remembered. */
static void test_threshold_of_close_modes(void **state)
{
    const double turn = 40.0 * TEST_PI / 180.0;
    for (int side = -1; side <= 1; side += 2) {
        shown way[3];
        int branch[MOST_MODES];
        for (int i = 0; i < 3; i++) {
            const double c = cos(i * turn), s = sin(i * turn);
            way[i] = (shown){2, {i == 1 ? 1.0 - 1e-3 * (1.0 + 0.02 * side) : 0.9, 1.0}, {c, s, 0.0, 0.0, -s, c}};
        }
        track(*state, 3, way, branch, NULL);
        assert_int_equal(branch[0], side < 0 ? 2 : 1);
        assert_int_equal(branch[1], side < 0 ? 1 : 2);
    }
}

/* Of a branch whose shape lies in the space of close modes with less than a quarter of its mass the mode is remembered,
 * else its part in that space. */
static void test_threshold_of_the_part_in_a_space(void **state)
{
    for (int side = -1; side <= 1; side += 2) {
        const double b2 = 0.1, a2 = 0.25 * (1.0 + 0.02 * side) - b2; /* squares of the shares of both modes */
        const double a = sqrt(a2), b = sqrt(b2), u = sqrt(1.0 - a2), v = -a * b / u, w = sqrt(1.0 - b2 - v * v);
        shown way[] = {{1, {1.0}, {1.0}},
                       {2, {1.0, 1.0 + 1e-5}, {a, u, 0.0, 0.0, b, v, w}},
                       {1, {1.0}, {a2 + b2, a * u + b * v, b * w}}}; /* the part of the first shape */
        int branch[MOST_MODES];
        double confidence[MOST_MODES];
        track(*state, 3, way, branch, confidence);
        assert_int_equal(branch[0], 1);
        CHECK_CLOSE(confidence[0], side > 0 ? 1.0 : a2 / (a2 + b2), 1e-12, "MAC with what is remembered");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assignment_against_trial),
        cmocka_unit_test(test_crossings_are_passed),
        cmocka_unit_test(test_narrow_veering),
        cmocka_unit_test(test_wide_veering),
        cmocka_unit_test(test_mode_that_leaves_and_returns),
        cmocka_unit_test(test_two_parameters),
        cmocka_unit_test(test_thresholds_of_the_mac),
        cmocka_unit_test(test_threshold_of_close_modes),
        cmocka_unit_test(test_threshold_of_the_part_in_a_space),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_coarse_sweep_of_four_bar_finds_the_branches_of_a_fine_one),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
