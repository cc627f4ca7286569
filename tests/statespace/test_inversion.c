/* Stable inversion against closed forms, and against the system itself, integrated by Runge and Kutta with the inputs
 * that it gives. */
#include "statespace/statespace.h"
#include "support.h"

static phx_ss *make(phx_context *context, int n, int m, const double *A, const double *B, const double *C,
                    const double *D)
{
    const phx_ss_def def = {.n = n, .n_inputs = m, .n_outputs = m, .A = A, .B = B, .C = C, .D = D};
    phx_ss *ss = NULL;
    CHECK_OK(context, phx_ss_create(context, &def, &ss));
    return ss;
}

/* size 4^8 x^8 (1 - x)^8 between `from` and `to`, and its derivatives. */
typedef struct bump {
    double from, to, size;
} bump;

static void bump_at(const void *data, int output, double t, int count, double *derivatives)
{
    enum { ORDER = 8, DEGREE = 2 * ORDER };
    const bump *it = (const bump *)data + output;
    const double x = (t - it->from) / (it->to - it->from);
    double c[DEGREE + 1] = {0.0};

    c[ORDER] = it->size * pow(4.0, ORDER);
    for (int k = 1; k <= ORDER; k++) /* binomial coefficients */
        c[ORDER + k] = -c[ORDER + k - 1] * (ORDER - k + 1) / k;
    for (int d = 0; d < count; d++) {
        double sum = 0.0;
        for (int k = DEGREE; k >= 0; k--)
            sum = sum * x + c[k];
        derivatives[d] = x > 0.0 && x < 1.0 ? sum / pow(it->to - it->from, d) : 0.0;
        for (int k = 0; k < DEGREE; k++)
            c[k] = (k + 1) * c[k + 1];
        c[DEGREE] = 0.0;
    }
}

/* y = (1 - s)/((s + 1)(s + 2)) u: a zero at 1. u = -(s^2 + 3 s + 2)/(s - 1) y and eta' = eta + y,
 * eta(t) = -int_t^inf exp(t - tau) y(tau) dtau: the integral by Gauss' rule. */
static void zero_in_the_right_half(void **state)
{
    static const double gauss[5] = {0.0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640,
                                    -0.9061798459386640};
    static const double weight[5] = {128.0 / 225.0, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                                     0.2369268850561891};
    phx_context *context = *state;
    const double A[] = {0.0, 1.0, -2.0, -3.0}, B[] = {0.0, 1.0}, C[] = {1.0, -1.0};
    const bump wanted = {10.0, 12.0, 3.0};
    enum { ROWS = 401 };
    phx_ss_trajectory trajectory = {bump_at, &wanted, 0.0, 0.0125, ROWS, 4};
    phx_ss *ss = make(context, 2, 1, A, B, C, NULL);
    phx_ss_inversion *inversion = NULL;
    phx_ss_inversion_report report;
    const double *re = NULL, *im = NULL;
    double u[ROWS], largest = 0.0, first;

    CHECK_OK(context, phx_ss_inversion_create(context, ss, 0.0, &inversion));
    assert_int_equal(phx_ss_inversion_degree(inversion, 0), 1);
    assert_int_equal(phx_ss_inversion_zeros(inversion, &re, &im), 1);
    assert_int_equal(phx_ss_inversion_antistable(inversion), 1);
    CHECK_CLOSE(re[0], 1.0, 1e-14, "zero");
    CHECK_CLOSE(im[0], 0.0, 0.0, "zero");
    CHECK_OK(context, phx_ss_inversion_follow(context, inversion, &trajectory, u, NULL, &report));
    for (int k = 0; k < ROWS; k++) {
        const double t = 0.05 * k, from = fmax(t, 10.0);
        double y[2], eta = 0.0;
        bump_at(&wanted, 0, t, 2, y);
        for (int i = 0; i < 200 && from < 12.0; i++)
            for (int g = 0; g < 5; g++) {
                const double h = (12.0 - from) / 200.0, tau = from + h * (i + 0.5 * (1.0 + gauss[g]));
                double at;
                bump_at(&wanted, 0, tau, 1, &at);
                eta -= 0.5 * h * weight[g] * exp(t - tau) * at;
            }
        const double expected = -(y[1] + 4.0 * y[0] + 6.0 * eta); /* s^2 + 3 s + 2 = (s - 1)(s + 4) + 6 */
        CHECK_CLOSE(u[k], expected, 2e-9, "u at t = %g", t);
        largest = fmax(largest, fabs(expected));
    }
    assert_true(largest > 0.01 && fabs(u[200]) > 1e-4 && fabs(u[0]) > 0.0); /* acts before the motion begins */
    CHECK_SMALL(report.late, 0.0, "there is no stable zero");
    first = report.early;
    trajectory.from = 1.0; /* rows that begin by 1/s later: more by e^1 lies before them */
    trajectory.rows -= 20;
    CHECK_OK(context, phx_ss_inversion_follow(context, inversion, &trajectory, u, NULL, &report));
    CHECK_RELATIVE(report.early, exp(1.0) * first, 1e-9, "what lies before the first row");
    phx_ss_inversion_destroy(inversion);
    phx_ss_destroy(ss);
}

/* Springs between four masses; forces on the outer ones move the places of the inner ones through the springs, in
 * derivatives of order 4, and one place is moved with a mass. Its states by Runge and Kutta with these forces, through
 * cubics between the rows, follow. */
enum { MASSES = 3, STATES = 2 * MASSES, FINE = 4801 };

static const double step_length = 0.0025;

static void replay(phx_context *context, const double *A, const double *B, const double *C, int degree, int zeros,
                   int antistable)
{
    const bump wanted = {6.0, 9.0, 2.0};
    const phx_ss_trajectory trajectory = {bump_at, &wanted, 0.0, step_length, FINE, 1};
    phx_ss *ss = make(context, STATES, 1, A, B, C, NULL);
    phx_ss_inversion *inversion = NULL;
    phx_ss_inversion_report report;
    double *u = calloc(FINE, sizeof *u), *x = calloc((size_t)FINE * STATES, sizeof *x);
    double z[STATES], worst = 0.0, off = 0.0;

    assert_non_null(u);
    assert_non_null(x);
    CHECK_OK(context, phx_ss_inversion_create(context, ss, 1e-7, &inversion));
    assert_int_equal(phx_ss_inversion_degree(inversion, 0), degree);
    assert_int_equal(phx_ss_inversion_zeros(inversion, NULL, NULL), zeros);
    assert_int_equal(phx_ss_inversion_antistable(inversion), antistable);
    CHECK_OK(context, phx_ss_inversion_follow(context, inversion, &trajectory, u, x, &report));
    memcpy(z, x, sizeof z);
    for (int k = 1; k + 2 < FINE; k++) { /* from row k to k + 1 */
        double y, stage[5][STATES] = {{0.0}};
        if (k == 1)
            memcpy(z, x + STATES, sizeof z);
        for (int s = 0; s < 4; s++) {
            const double c = s == 0 ? 0.0 : s == 3 ? 1.0 : 0.5;
            const double cubic = s == 0   ? u[k]
                                 : s == 3 ? u[k + 1]
                                          : (-u[k - 1] + 9.0 * u[k] + 9.0 * u[k + 1] - u[k + 2]) / 16.0;
            for (int i = 0; i < STATES; i++) {
                double rate = B[i] * cubic;
                for (int j = 0; j < STATES; j++)
                    rate += A[i * STATES + j] * (z[j] + (s ? step_length * c * stage[s - 1][j] : 0.0));
                stage[s][i] = rate;
            }
        }
        for (int i = 0; i < STATES; i++)
            z[i] += step_length / 6.0 * (stage[0][i] + 2.0 * stage[1][i] + 2.0 * stage[2][i] + stage[3][i]);
        double moved = 0.0;
        for (int i = 0; i < STATES; i++) {
            moved += C[i] * z[i];
            off = fmax(off, fabs(z[i] - x[(k + 1) * STATES + i]));
        }
        bump_at(&wanted, 0, step_length * (k + 1), 1, &y);
        worst = fmax(worst, fabs(moved - y));
    }
    CHECK_BELOW(worst, 2e-9, "output, of a motion of 2");
    CHECK_BELOW(off, 2e-8, "states");
    CHECK_BELOW(report.early, 1e-2, "before");
    phx_ss_inversion_destroy(inversion);
    phx_ss_destroy(ss);
    free(u);
    free(x);
}

/* q'' = -K q - D q' + f u of unit masses between walls. */
static void springs(double k, double d, double *A)
{
    memset(A, 0, STATES * STATES * sizeof *A);
    for (int i = 0; i < MASSES; i++) {
        A[i * STATES + MASSES + i] = 1.0;
        for (int j = 0; j < MASSES; j++) {
            const double link = i == j ? 2.0 : abs(i - j) == 1 ? -1.0 : 0.0;
            A[(MASSES + i) * STATES + j] = -k * link;
            A[(MASSES + i) * STATES + MASSES + j] = -d * link;
        }
    }
}

static void replayed(void **state)
{
    phx_context *context = *state;
    double A[STATES * STATES], B[STATES] = {0.0}, C[STATES] = {0.0};

    springs(9.0, 0.0, A);
    B[MASSES] = 1.0;
    C[1] = 1.0; /* the middle one moves by the spring between: y'''' = 9 u + .. */
    replay(context, A, B, C, 4, 2, 0);
    C[0] = 1.0;
    C[1] = -0.4; /* non-collocated: zeros on the axis */
    C[2] = 0.0;
    replay(context, A, B, C, 2, 4, 0);
    C[1] = 0.8;
    C[2] = 2.0; /* zeros off the axis, in both halves */
    replay(context, A, B, C, 2, 4, 2);
    springs(9.0, 0.1, A);
    replay(context, A, B, C, 2, 4, 2);
}

/* Two inputs, two outputs of different degrees. */
static void two_channels(void **state)
{
    phx_context *context = *state;
    enum { ROWS = 1001 };
    const double A[] = {0.0, 1.0, 0.0, -4.0, 0.0, 1.0, 0.5, 0.0, -1.0}, B[] = {0.0, 0.0, 1.0, 0.5, 0.2, 1.0};
    const double C[] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    const bump wanted[2] = {{1.0, 3.0, 5.0}, {2.0, 4.0, -3.0}};
    const phx_ss_trajectory trajectory = {bump_at, wanted, 0.0, 0.005, ROWS, 1};
    phx_ss *ss = make(context, 3, 2, A, B, C, NULL);
    phx_ss_inversion *inversion = NULL;
    phx_ss_inversion_report report;
    double u[2 * ROWS], x[3 * ROWS], y[3], z[2];

    CHECK_OK(context, phx_ss_inversion_create(context, ss, 0.0, &inversion));
    assert_int_equal(phx_ss_inversion_degree(inversion, 0), 2);
    assert_int_equal(phx_ss_inversion_degree(inversion, 1), 1);
    assert_int_equal(phx_ss_inversion_zeros(inversion, NULL, NULL), 0);
    CHECK_OK(context, phx_ss_inversion_follow(context, inversion, &trajectory, u, x, &report));
    for (int k = 0; k < ROWS; k++) { /* no zeros: x = (y1, y1', y2), B u = x' - A x */
        bump_at(wanted, 0, 0.005 * k, 3, y);
        bump_at(wanted, 1, 0.005 * k, 2, z);
        CHECK_CLOSE(x[3 * k], y[0], 1e-14, "x1, row %d", k);
        CHECK_CLOSE(x[3 * k + 1], y[1], 1e-14, "x2, row %d", k);
        CHECK_CLOSE(x[3 * k + 2], z[0], 1e-14, "x3, row %d", k);
        CHECK_CLOSE(u[2 * k] + 0.5 * u[2 * k + 1], y[2] + 4.0 * y[0] - z[0], 1e-12, "force 1, row %d", k);
        CHECK_CLOSE(0.2 * u[2 * k] + u[2 * k + 1], z[1] - 0.5 * y[0] + z[0], 1e-12, "force 2, row %d", k);
    }
    phx_ss_inversion_destroy(inversion);
    phx_ss_destroy(ss);
}

/* From 0 to 1 between 4 and 6, and up to two derivatives. */
static void step_up(const void *data, int output, double t, int count, double *derivatives)
{
    (void)data, (void)output;
    const double x = fmin(fmax(0.5 * (t - 4.0), 0.0), 1.0);
    const double jet[3] = {x * x * x * (10.0 - 15.0 * x + 6.0 * x * x), 15.0 * x * x * (1.0 - x) * (1.0 - x),
                           15.0 * x * (1.0 - x) * (1.0 - 2.0 * x)};
    memcpy(derivatives, jet, (size_t)count * sizeof *jet);
}

/* Beside a place of degree 2 the same channel with a zero in the right half-plane, whose motion ends elsewhere, has the
 * same input; at the end it holds y = 1: u = 2, before and after all that moves. */
static void beside_another(void **state)
{
    phx_context *context = *state;
    enum { ROWS = 241 };
    const double A[] = {0.0, 1.0, -2.0, -3.0}, B[] = {0.0, 1.0}, C[] = {1.0, -1.0};
    const double AA[] = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -2.0, -3.0};
    const double BB[] = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0}, CC[] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0};
    const phx_ss_trajectory trajectory = {step_up, NULL, 0.0, 0.05, ROWS, 1};
    double u[ROWS], both[2 * ROWS], y[3];
    phx_ss_inversion_report report;

    for (int k = 0; k < 2; k++) {
        phx_ss *ss = make(context, k ? 4 : 2, k ? 2 : 1, k ? AA : A, k ? BB : B, k ? CC : C, NULL);
        phx_ss_inversion *inversion = NULL;
        CHECK_OK(context, phx_ss_inversion_create(context, ss, 0.0, &inversion));
        CHECK_OK(context, phx_ss_inversion_follow(context, inversion, &trajectory, k ? both : u, NULL, &report));
        phx_ss_inversion_destroy(inversion);
        phx_ss_destroy(ss);
    }
    for (int k = 0; k < ROWS; k++) {
        step_up(NULL, 0, 0.05 * k, 3, y);
        CHECK_CLOSE(both[2 * k], y[2], 1e-12, "force on the mass, row %d", k);
        CHECK_CLOSE(both[2 * k + 1], u[k], 1e-12, "the other input, row %d", k);
    }
    CHECK_CLOSE(u[ROWS - 1], 2.0, 1e-12, "input at the end");
    assert_true(u[70] > 1e-3); /* before the motion begins */
}

static void never(const void *data, int output, double t, int count, double *derivatives)
{
    (void)data, (void)output;
    for (int d = 0; d < count; d++)
        derivatives[d] = d == 0 ? t : d == 1 ? 1.0 : 0.0;
}

static void refusals(void **state)
{
    phx_context *context = *state;
    const double A[] = {0.0, 1.0, -2.0, -3.0}, B[] = {0.0, 1.0}, C[] = {1.0, 0.0};
    const double BB[] = {0.0, 0.0, 1.0, 2.0}, CC[] = {1.0, 0.0, 0.0, 1.0}, none[] = {0.0, 0.0};
    const bump wanted = {0.5, 0.9, 1.0};
    phx_ss_trajectory trajectory = {never, NULL, 0.0, 0.1, 11, 1};
    phx_ss_inversion *inversion = NULL;
    phx_ss_inversion_report report;
    double u[11];

    phx_ss *ss = make(context, 2, 2, A, BB, CC, NULL);
    CHECK_STATUS(context, phx_ss_inversion_create(context, ss, 0.0, &inversion), PHX_SINGULAR);
    CHECK_MESSAGE(context, "cannot be moved by itself");
    phx_ss_destroy(ss);
    ss = make(context, 2, 1, A, B, none, NULL);
    CHECK_STATUS(context, phx_ss_inversion_create(context, ss, 0.0, &inversion), PHX_SINGULAR);
    CHECK_MESSAGE(context, "no input moves");
    phx_ss_destroy(ss);
    ss = make(context, 2, 1, A, B, C, NULL);
    CHECK_STATUS(context, phx_ss_inversion_create(context, ss, -1.0, &inversion), PHX_ERR_ARGUMENT);
    CHECK_OK(context, phx_ss_inversion_create(context, ss, 0.0, &inversion));
    CHECK_STATUS(context, phx_ss_inversion_follow(context, inversion, &trajectory, u, NULL, &report), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "at rest");
    trajectory = (phx_ss_trajectory){bump_at, &wanted, 0.7, 0.1, 11, 1};
    CHECK_STATUS(context, phx_ss_inversion_follow(context, inversion, &trajectory, u, NULL, &report), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "the change from the start");
    trajectory.rows = 1;
    CHECK_STATUS(context, phx_ss_inversion_follow(context, inversion, &trajectory, u, NULL, &report), PHX_ERR_ARGUMENT);
    phx_ss_inversion_destroy(inversion);
    phx_ss_destroy(ss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(zero_in_the_right_half, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(replayed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(two_channels, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(beside_another, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(refusals, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
