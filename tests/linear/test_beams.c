/* Frequencies of beams and mechanisms of beams in floating coordinates. */
#include "mechanism.h"

static const beam slender = {.length = 1.0, .mass_per_length = 0.2714, .axial = 7.1e6, .bending = 59.17};

/* Supports of the ends of a beam: bits for x, y and turning held at P, and the same times 8 at C. */
enum { PX = 1, PY = 2, PT = 4, CX = 8, CY = 16, CT = 32 };

static void beam_between(phx_context *context, const beam *b, int held, double angle, phx_linear *linear)
{
    mechanism mech;
    mechanism_begin(&mech, context);
    const int at = mechanism_add_beam(&mech, b);
    /* rows in axes of the beam, whatever the angle */
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 3; k++)
            if (held & (1 << (3 * end + k)))
                constrain(&mech, new_row(&mech), b, at, end * b->elements, k == 0 ? ALONG_X : (k == 1 ? ALONG_Y : TURN),
                          angle, 1.0);
    mechanism_end(&mech, linear);
}

/* Pinned-pinned FE frequency k of n cubic elements in closed form: with the nodal pattern w = W sin(i phi),
 * w' = T cos(i phi), phi = k pi/n, a 2 x 2 problem with det K = 192 sin^4(phi/2). */
static double pinned_frequency(const beam *b, int k)
{
    const double h = b->length / b->elements, phi = k * TEST_PI / b->elements;
    const double s = sin(0.5 * phi), c = cos(phi), kww = 48.0 * s * s, kwt = -12.0 * sin(phi), ktt = 8.0 + 4.0 * c;
    const double mww = (312.0 + 108.0 * c) / 420.0, mwt = 26.0 * sin(phi) / 420.0, mtt = (8.0 - 6.0 * c) / 420.0;
    const double m = mww * mtt - mwt * mwt, mid = kww * mtt + ktt * mww - 2.0 * kwt * mwt, det = 192.0 * s * s * s * s;
    const double lambda = 2.0 * det / (mid + sqrt(mid * mid - 4.0 * m * det));
    return sqrt(lambda * b->bending / (b->mass_per_length * h * h * h * h));
}

static void test_fine_mesh_through_the_root_and_not(void **state)
{
    phx_context *context = *state;
    beam b = slender;
    b.elements = 64;
    phx_linear linear;
    beam_between(context, &b, PX | PY | CY, 0.3, &linear); /* pinned, and held across in beam axes turned by 0.3 */
    linear_free(&linear);
    beam_between(context, &b, PX | PY | CY, 0.0, &linear);
    phx_mode_set set, plain;
    const phx_modes_options options = phx_modes_options_default();
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, 6);
    assert_int_equal(set.rigid, 0);
    assert_int_equal(set.freedom, linear.n - 3);
    for (int k = 0; k < set.count; k++)
        CHECK_RELATIVE(set.omega[k], pinned_frequency(&b, k + 1), 1e-11, "mode %d through the root", k + 1);
    CHECK_SMALL(closure(&linear, &set), 1e-12, "closure");
    CHECK_SMALL(mass_defect(&linear, &set), 1e-12, "modal mass");

    linear.has_root = false;
    linear.root.rows = 0;
    solve(context, &linear, &options, &plain);
    for (int k = 0; k < plain.count; k++)
        CHECK_RELATIVE(plain.omega[k], set.omega[k], 1e-6, "mode %d through K", k + 1);
    phx_mode_set_free(&set);
    phx_mode_set_free(&plain);
    linear_free(&linear);
}

static void test_ends_against_beam_theory(void **state)
{
    static const struct {
        const char *name;
        int held, rigid;
        double root[3]; /* beta L */
    } cases[] = {
        {"clamped-free", PX | PY | PT, 0, {1.8751040687119612, 4.694091132974175, 7.854757438237613}},
        {"free-clamped", CX | CY | CT, 0, {1.8751040687119612, 4.694091132974175, 7.854757438237613}},
        {"clamped-clamped", PX | PY | PT | CY | CT, 0, {4.730040744862704, 7.853204624095838, 10.995607838001671}},
        {"clamped-pinned", PX | PY | PT | CY, 0, {3.9266023120479188, 7.068582745628732, 10.210176122813031}},
        {"pinned-clamped", PY | CX | CY | CT, 0, {3.9266023120479188, 7.068582745628732, 10.210176122813031}},
        {"pinned-pinned", PX | PY | CY, 0, {TEST_PI, 2.0 * TEST_PI, 3.0 * TEST_PI}},
        {"clamped-sliding", PX | PY | PT | CT, 0, {2.3650203724313534, 5.497803919000837, 8.639379828699742}},
        {"sliding-pinned", PX | PT | CY, 0, {0.5 * TEST_PI, 1.5 * TEST_PI, 2.5 * TEST_PI}},
        {"pinned-free", PX | PY, 1, {3.9266023120479188, 7.068582745628732, 10.210176122813031}},
        {"sliding-free", PX | PT, 1, {2.3650203724313534, 5.497803919000837, 8.639379828699742}},
        {"sliding-sliding", PX | PT | CT, 1, {TEST_PI, 2.0 * TEST_PI, 3.0 * TEST_PI}},
        {"free-free", 0, 3, {4.730040744862704, 7.853204624095838, 10.995607838001671}},
    };
    phx_context *context = *state;
    phx_modes_options options = phx_modes_options_default();
    options.count = 3;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double error[2];
        for (int refined = 0; refined < 2; refined++) {
            beam b = slender;
            b.elements = refined ? 16 : 8;
            phx_linear linear;
            phx_mode_set set;
            beam_between(context, &b, cases[c].held, 0.0, &linear);
            solve(context, &linear, &options, &set);
            if (set.rigid != cases[c].rigid)
                fail_msg("%s: %d rigid-body modes, expected %d", cases[c].name, set.rigid, cases[c].rigid);
            for (int k = 0; k < 3; k++) {
                const double exact = cases[c].root[k] * cases[c].root[k] * sqrt(b.bending / b.mass_per_length);
                const double over = set.omega[k] / exact - 1.0;
                if (k == 0)
                    error[refined] = over;
                /* Galerkin: from above, by about (beta h)^4/1440 */
                const double bound = pow(cases[c].root[k] / b.elements, 4.0) / 700.0;
                if (over < -1e-12 || over > bound)
                    fail_msg("%s, %d elements, mode %d: error %.3e, expected within 0..%.3e", cases[c].name, b.elements,
                             k + 1, over, bound);
            }
            CHECK_SMALL(closure(&linear, &set), 1e-12, "closure, %s", cases[c].name);
            CHECK_SMALL(mass_defect(&linear, &set), 1e-12, "modal mass, %s", cases[c].name);
            phx_mode_set_free(&set);
            linear_free(&linear);
        }
        CHECK_RELATIVE(log2(error[0] / error[1]), 4.0, 0.02, "order of mode 1, %s", cases[c].name);
    }
}

static void test_axial_modes(void **state)
{
    phx_context *context = *state;
    beam b = slender;
    b.elements = 32;
    phx_linear linear;
    phx_mode_set set;
    phx_modes_options options = phx_modes_options_default();
    options.count = 0;
    beam_between(context, &b, PX | PY | PT, 0.0, &linear);
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, set.freedom);
    /* linear elements clamped at one end: omega = c/h sqrt(6 (1 - cos)/(2 + cos)), cos of (k - 1/2) pi/n */
    for (int k = 1; k <= 5; k++) {
        const double co = cos((k - 0.5) * TEST_PI / b.elements), h = b.length / b.elements;
        const double exact = sqrt(b.axial / b.mass_per_length) / h * sqrt(6.0 * (1.0 - co) / (2.0 + co));
        double nearest = HUGE_VAL;
        for (int i = 0; i < set.count; i++)
            nearest = fmin(nearest, fabs(set.omega[i] - exact));
        CHECK_SMALL(nearest / exact, 1e-11, "axial mode %d", k);
    }
    phx_mode_set_free(&set);
    linear_free(&linear);
}

/* First rows of the tables for theta1 = 0 and 5 degrees, 4 elements a link, computed by an independent program
 * (P1/DG0, Hermite/DG1, exact to 1e-7); clamped and free crank. */
static const double four_bar_clamped[2][6] = {
    {269.657577079306, 305.793115475431, 383.41179748818, 1212.50117238135, 1297.72601357493, 2742.66675010749},
    {278.835238388685, 305.345926756273, 391.060155424252, 1214.51549261487, 1297.79893692472, 2740.55839628956}};
static const double four_bar_free[2][6] = {
    {302.135106758355, 334.191310112535, 1211.54212168635, 1296.03584420455, 2742.37358111722, 2934.65566327826},
    {301.283656364941, 332.967456226747, 1213.30228230068, 1295.87450216446, 2740.2934796511, 2933.93627608063}};

static void test_four_bar(void **state)
{
    phx_context *context = *state;
    const phx_modes_options options = phx_modes_options_default();
    for (int clamped = 0; clamped < 2; clamped++)
        for (int angle = 0; angle < 2; angle++) {
            mechanism mech;
            phx_linear linear;
            phx_mode_set set;
            mechanism_begin(&mech, context);
            four_bar(&mech, angle * 5.0 * TEST_PI / 180.0, 4, clamped);
            mechanism_end(&mech, &linear);
            solve(context, &linear, &options, &set);
            assert_int_equal(set.rigid, clamped ? 0 : 1);
            for (int k = 0; k < 6; k++)
                CHECK_RELATIVE(set.omega[k], (clamped ? four_bar_clamped : four_bar_free)[angle][k], 1e-11,
                               "clamped %d, %d degrees, mode %d", clamped, 5 * angle, k + 1);
            CHECK_SMALL(closure(&linear, &set), 1e-12, "closure");
            CHECK_SMALL(mass_defect(&linear, &set), 1e-12, "modal mass");
            CHECK_SMALL(equation_defect(context, &linear, &set), 1e-7, "residual of the eigenproblem");
            phx_mode_set_free(&set);
            linear_free(&linear);
        }
}

/* Rows said twice, combined, in other units, and a row of zeros change nothing. */
static void test_redundant_rows(void **state)
{
    phx_context *context = *state;
    const phx_modes_options options = phx_modes_options_default();
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    mechanism_begin(&mech, context);
    four_bar(&mech, 0.0, 4, true);
    const int m = mech.m, zero = new_row(&mech), sum = new_row(&mech), again = new_row(&mech);
    const size_t entries = mech.G.count;
    for (size_t k = 0; k < entries; k++) {
        const int row = mech.G.row[k], col = mech.G.col[k];
        const double val = mech.G.val[k];
        put(&mech.G, sum, col, (1.0 + row) * val);
        if (row == 2)
            put(&mech.G, again, col, 1e6 * val);
    }
    mechanism_end(&mech, &linear);
    assert_int_equal(linear.m, m + 3);
    assert_int_equal(zero, m);
    solve(context, &linear, &options, &set);
    assert_int_equal(set.freedom, linear.n - m);
    for (int k = 0; k < 6; k++)
        CHECK_RELATIVE(set.omega[k], four_bar_clamped[0][k], 1e-11, "mode %d", k + 1);
    CHECK_SMALL(closure(&linear, &set), 1e-12, "closure");
    phx_mode_set_free(&set);
    linear_free(&linear);
}

static void test_signs_are_fixed(void **state)
{
    phx_context *context = *state;
    const phx_modes_options options = phx_modes_options_default();
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    mechanism_begin(&mech, context);
    four_bar(&mech, 1.0, 4, true);
    mechanism_end(&mech, &linear);
    solve(context, &linear, &options, &set);
    assert_null(set.shapes_imaginary);
    for (int k = 0; k < set.count; k++) {
        double largest = 0.0, value = 0.0;
        for (int i = 0; i < set.n; i++) {
            const double weight = sqrt(linear.M.val[phx_csr_find(&linear.M, i, i)]);
            const double x = weight * set.shapes[k * set.n + i];
            if (fabs(x) > 1.001 * largest) {
                largest = fabs(x);
                value = x;
            }
        }
        if (!(value > 0.0))
            fail_msg("mode %d: its largest component is %g", k + 1, value);
    }
    phx_mode_set_free(&set);
    linear_free(&linear);
}

static void test_sweep_through_a_turn(void **state)
{
    phx_context *context = *state;
    phx_modes_options options = phx_modes_options_default();
    options.count = phx_tracker_carry(6);
    phx_modal *modal = NULL;
    phx_tracker *tracker = NULL;
    phx_linear linear[73];
    const int points = 73;
    assert_int_equal(phx_modal_create(context, &modal), PHX_OK);
    assert_int_equal(phx_tracker_create(context, 1, &points, &tracker), PHX_OK);
    for (int i = 0; i < points; i++) {
        mechanism mech;
        mechanism_begin(&mech, context);
        four_bar(&mech, 2.0 * TEST_PI * i / 72, 4, true);
        mechanism_end(&mech, &linear[i]);
    }
    for (int i = 0; i < points; i++) {
        phx_mode_set set;
        int branch[10];
        assert_int_equal(phx_modal_solve(modal, &linear[i], &options, &set), PHX_OK);
        assert_int_equal(phx_tracker_feed(tracker, &set, &linear[i].M, branch, NULL), PHX_OK);
        assert_true(set.count >= 6);
        for (int k = 1; k <= 6; k++) {
            int times = 0;
            for (int j = 0; j < set.count; j++)
                times += branch[j] == k;
            if (times != 1)
                fail_msg("point %d: branch %d is given to %d modes", i, k, times);
        }
        phx_mode_set_free(&set);
    }
    for (int i = 0; i < points; i++)
        linear_free(&linear[i]);
    phx_modal_destroy(modal);
    phx_tracker_destroy(tracker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine_mesh_through_the_root_and_not),
        cmocka_unit_test(test_ends_against_beam_theory),
        cmocka_unit_test(test_axial_modes),
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_signs_are_fixed),
        cmocka_unit_test(test_sweep_through_a_turn),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
