/* The derivative arrays against central differences of the residuals, for every kind of joint, drive, force and body:
 * M, D, K, K_l, G at instants, A(2/h) over intervals, the accelerations, and complex factors against real ones; sizes
 * of velocities. */
#include "system/fast/fast.h"

#include "test_models.h"

enum { MOST = 160 };

static workspace *inside(model *m)
{
    return (workspace *)m->dae;
}

/* Dense a M + b D + c K of the last linearise. */
static void dense_arrays(model *m, double a, double b, double c, double A[MOST][MOST])
{
    const workspace *ws = inside(m);
    const kkt_matrix *kkt = &ws->kkt;

    assert_true(kkt->n <= MOST);
    for (int i = 0; i < kkt->n; i++) {
        memset(A[i], 0, sizeof A[i]);
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            A[i][kkt->idx[k]] = a * ws->values.M[k] + b * ws->values.D[k] + c * ws->values.K[k];
    }
}

/* A(2/h) of the last interval_linearise. */
static void dense_matrix(model *m, double A[MOST][MOST])
{
    const workspace *ws = inside(m);

    for (int i = 0; i < ws->kkt.n; i++) {
        memset(A[i], 0, sizeof A[i]);
        for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1]; k++)
            A[i][ws->kkt.idx[k]] = ws->values.val[k];
    }
}

/* Largest |A - F| over the columns from c0 on, relative to the largest entry of F's row or 1. */
static double worst_entry(int n, int c0, int c1, double A[MOST][MOST], double F[MOST][MOST], int *row, int *col)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double scale = 1.0;
        for (int j = c0; j < c1; j++)
            scale = fmax(scale, fabs(F[i][j]));
        for (int j = c0; j < c1; j++)
            if (!(fabs(A[i][j] - F[i][j]) <= worst * scale)) {
                worst = fabs(A[i][j] - F[i][j]) / scale;
                *row = i;
                *col = j;
            }
    }
    return worst;
}

static void residual(model *m, double t, const double *x, const double *v, const double *v_dot, const double *lambda,
                     double *res)
{
    CHECK_OK(m->context, m->dae->ops->residual(m->dae, t, x, v, v_dot, lambda, res));
}

static double A[MOST][MOST], F[MOST][MOST];

/* Columns of F: central differences of the residual with respect to v_dot (what = 0), v (1), xi (2). */
static void differences(model *m, double t, const double *x, const double *v, const double *lambda, int what)
{
    double res[2][MOST], moved[2][MOST] = {{0}}, xi[MOST] = {0}, x1[2 * MOST], zero[MOST] = {0};
    const double step = 1e-5;

    for (int j = 0; j < m->n_v; j++) {
        for (int side = 0; side < 2; side++) {
            const double eps = side ? step : -step;
            memcpy(moved[side], what == 0 ? zero : v, (size_t)m->n_v * sizeof(double));
            if (what < 2)
                moved[side][j] += eps;
            xi[j] = 1.0;
            displaced(m, x, what == 2 ? eps : 0.0, xi, x1);
            xi[j] = 0.0;
            residual(m, t, x1, what == 0 ? v : moved[side], what == 0 ? moved[side] : zero, lambda, res[side]);
        }
        for (int i = 0; i < m->n_v + m->n_l; i++)
            F[i][j] = (res[1][i] - res[0][i]) / (2.0 * step);
    }
}

static void instant_arrays_are_derivatives(void **state)
{
    for (int k = 0; k < n_all_test_models; k++) {
        double x[2 * MOST], v[MOST], lambda[MOST];
        uint64_t seed = (uint64_t)k + 5;
        model m;
        open_test_model(*state, &test_models[k], &m);
        for (int trial = 0; trial < 3; trial++) {
            const char *const arrays[] = {"M", "D and G", "K and K_l"};
            random_state(&m, &seed, x, v);
            random_vector(&seed, m.n_l, 3.0, lambda);
            CHECK_OK(m.context, m.dae->ops->linearise(m.dae, 0.3, x, v, lambda));
            for (int what = 0; what < 3; what++) {
                int row = -1, col = -1;
                CHECK_OK(m.context, m.dae->ops->linearise(m.dae, 0.3, x, v, lambda));
                dense_arrays(&m, what == 0, what == 1, what == 2, A);
                differences(&m, 0.3, x, v, lambda, what);
                const double worst = worst_entry(m.n_v + m.n_l, 0, m.n_v, A, F, &row, &col);
                CHECK_CLOSE(worst, 0.0, 2e-7, "%s: %s, row %d, column %d", test_models[k].name, arrays[what], row, col);
            }
        }
        model_close(&m);
    }
}

/* The columns of the multipliers are -G^T, exactly, and the operators apply what the arrays hold. */
static void multipliers_enter_by_the_transpose(void **state)
{
    for (int k = 0; k < n_all_test_models; k++) {
        double x[2 * MOST], v[MOST], lambda[MOST], xi[MOST], out[MOST] = {0}, want[MOST] = {0};
        uint64_t seed = (uint64_t)k + 50;
        model m;
        open_test_model(*state, &test_models[k], &m);
        random_state(&m, &seed, x, v);
        random_vector(&seed, m.n_l, 3.0, lambda);
        random_vector(&seed, m.n_v, 1.0, xi);
        CHECK_OK(m.context, m.dae->ops->linearise(m.dae, 0.3, x, v, lambda));
        dense_arrays(&m, 0.0, 1.0, 0.0, A);
        for (int i = 0; i < m.n_l; i++)
            for (int j = 0; j < m.n_v; j++)
                CHECK_CLOSE(A[j][m.n_v + i], -A[m.n_v + i][j], 0.0, "%s: G[%d][%d]", test_models[k].name, i, j);
        dense_arrays(&m, 2.0, 0.0, 3.0, A);
        for (int i = 0; i < m.n_v; i++)
            xi[i] = 0.5 * xi[i];
        m.dae->ops->mass_apply(m.dae, xi, out);
        for (int i = 0; i < m.n_v + m.n_l; i++)
            out[i] *= 2.0 / 3.0;
        m.dae->ops->stiffness_apply(m.dae, xi, out);
        for (int i = 0; i < m.n_v + m.n_l; i++)
            for (int j = 0; j < m.n_v; j++)
                want[i] += A[i][j] * xi[j] / 3.0;
        for (int i = 0; i < m.n_v + m.n_l; i++)
            CHECK_CLOSE(out[i], want[i], 1e-11 * (1.0 + max_abs(m.n_v + m.n_l, want)), "%s: apply, row %d",
                        test_models[k].name, i);
        model_close(&m);
    }
}

/* A(2/h) against differences of order 4 of the interval residual in v_mean and lambda; returns the defect. */
static double interval_defect(model *m, double h, uint64_t seed, int *row, int *col)
{
    double x[2 * MOST], v[MOST], v1[MOST], lambda[MOST], x1[2 * MOST], res[4][MOST];
    const double step = 4e-5, at[4] = {-2.0, -1.0, 1.0, 2.0};

    phx_system_condense(m->dae, PHX_CONDENSE_NEVER);
    random_state(m, &seed, x, v);
    random_vector(&seed, m->n_v, 1.0, v1);
    random_vector(&seed, m->n_l, 3.0, lambda);
    CHECK_OK(m->context, m->dae->ops->interval_begin(m->dae, 0.3, h, x, v));
    for (int j = 0; j < m->n_v + m->n_l; j++) {
        double *moved = j < m->n_v ? &v1[j] : &lambda[j - m->n_v], kept = *moved;
        const double eps = j < m->n_v ? 2.0 * step : step; /* v_mean moves by half of v1 */
        for (int side = 0; side < 4; side++) {
            *moved = kept + at[side] * eps;
            CHECK_OK(m->context, m->dae->ops->interval_residual(m->dae, v1, lambda, x1, res[side]));
        }
        *moved = kept;
        for (int i = 0; i < m->n_v + m->n_l; i++)
            F[i][j] = (8.0 * (res[2][i] - res[1][i]) - (res[3][i] - res[0][i])) / (12.0 * step);
    }
    CHECK_OK(m->context, m->dae->ops->interval_residual(m->dae, v1, lambda, x1, res[0]));
    CHECK_OK(m->context, m->dae->ops->interval_linearise(m->dae));
    dense_matrix(m, A);
    return worst_entry(m->n_v + m->n_l, 0, m->n_v + m->n_l, A, F, row, col);
}

/* Exact, but for simplified kinetics. */
static double interval_bound(int k, double h)
{
    return strstr(test_models[k].name, "simplified") ? (test_models[k].space ? 40.0 * h * h : 0.6 * fabs(h)) : 1e-9;
}

static void interval_array_is_the_derivative(void **state)
{
    for (int k = 0; k < n_all_test_models; k++) {
        model m;
        open_test_model(*state, &test_models[k], &m);
        for (int trial = 0; trial < 2; trial++) {
            const double steps[] = {0.4, 0.05, -0.2};
            for (int i = 0; i < 3; i++) {
                int row = -1, col = -1;
                /* in space random angles may be near where they are not defined */
                const double h = test_models[k].space ? 0.5 * steps[i] : steps[i], bound = interval_bound(k, h);
                const double defect = interval_defect(&m, h, (uint64_t)(k + 20 * trial + 3), &row, &col);
                CHECK_CLOSE(defect, 0.0, bound, "%s: A(2/h), h = %g, row %d, column %d of %d + %d", test_models[k].name,
                            h, row, col, m.n_v, m.n_l);
            }
        }
        model_close(&m);
    }
}

/* The accelerations satisfy the equations and, by differences along the motion, the rows' second derivative. */
static void accelerations_satisfy_the_equations(void **state)
{
    for (int k = 0; k < n_all_test_models; k++) {
        double v_dot[MOST], lambda[MOST], res[2][MOST], x_dot[2 * MOST], x1[2 * MOST], v1[MOST];
        const double t = 0.3, step = 1e-5;
        model m;
        open_test_model(*state, &test_models[k], &m);
        phx_start_options options = {.t = t};
        CHECK_OK(m.context, phx_system_start(m.system, &options, m.x, m.v, m.lambda));
        CHECK_OK(m.context, m.dae->ops->accelerations(m.dae, t, m.x, m.v, v_dot, lambda));
        residual(&m, t, m.x, m.v, v_dot, lambda, res[0]);
        CHECK_CLOSE(max_abs(m.n_v + m.n_l, res[0]), 0.0, 1e-9, "%s: residual at the start", test_models[k].name);
        for (int i = 0; i < m.n_l; i++)
            CHECK_CLOSE(lambda[i], m.lambda[i], 1e-9 * (1.0 + fabs(lambda[i])), "%s: start multiplier %d",
                        test_models[k].name, i);
        m.dae->ops->rates(m.dae, m.x, m.v, x_dot);
        for (int side = 0; side < 2; side++) {
            const double dt = side ? step : -step;
            for (int i = 0; i < m.n_x; i++)
                x1[i] = m.x[i] + dt * x_dot[i];
            for (int i = 0; i < m.n_v; i++)
                v1[i] = m.v[i] + dt * v_dot[i];
            m.dae->ops->normalise(m.dae, x1, true);
            residual(&m, t + dt, x1, v1, v_dot, lambda, res[side]);
        }
        for (int i = m.n_v; i < m.n_v + m.n_l; i++)
            CHECK_CLOSE((res[1][i] - res[0][i]) / (2.0 * step), 0.0, 1e-6, "%s: derivative of row %d",
                        test_models[k].name, i - m.n_v);
        model_close(&m);
    }
}

/* (re + i im) on the complex factors equals the real arithmetic on A(re + i im). */
static void complex_factors_solve(void **state)
{
    for (int k = 0; k < n_all_test_models; k += 3) {
        double x[2 * MOST], v[MOST], lambda[MOST], b[2 * MOST], z[2 * MOST], kept[MOST][MOST];
        const double re = 120.0, im = 70.0, square = re * re + im * im;
        uint64_t seed = (uint64_t)k + 11;
        model m;
        open_test_model(*state, &test_models[k], &m);
        const int n = m.n_v + m.n_l;
        random_state(&m, &seed, x, v);
        random_vector(&seed, m.n_l, 3.0, lambda);
        random_vector(&seed, 2 * n, 1.0, b);
        memcpy(z, b, sizeof z);
        CHECK_OK(m.context, m.dae->ops->linearise(m.dae, 0.3, x, v, lambda));
        CHECK_OK(m.context, m.dae->ops->factor_complex(m.dae, 1, re, im));
        CHECK_OK(m.context, m.dae->ops->solve_complex(m.dae, 1, z));
        dense_arrays(&m, re, 1.0, re / square, kept);
        dense_arrays(&m, im, 0.0, -im / square, A);
        for (int i = 0; i < n; i++) {
            double sum[2] = {-b[2 * i], -b[2 * i + 1]}, scale = 1.0;
            for (int j = 0; j < n; j++) {
                sum[0] += kept[i][j] * z[2 * j] - A[i][j] * z[2 * j + 1];
                sum[1] += kept[i][j] * z[2 * j + 1] + A[i][j] * z[2 * j];
                scale += fabs(kept[i][j] * z[2 * j]) + fabs(A[i][j] * z[2 * j + 1]);
            }
            CHECK_CLOSE(fabs(sum[0]) + fabs(sum[1]), 0.0, 1e-10 * scale, "%s: complex equation %d", test_models[k].name,
                        i);
        }
        model_close(&m);
    }
}

/* Rigid body and beam, in the plane and in space: velocities and angular velocities by their lengths, rates of
 * deformations by themselves. */
static void velocities_have_the_sizes_of_their_vectors(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        const double down[3] = {0.0, 0.0, -9.81};
        const beam_kind kind = beam_default();
        model m;
        if (dim == 2)
            model_open(*state, 0.0, -9.81, &m);
        else
            model_open_space(*state, down, &m);
        if (dim == 2)
            add_rigid(&m, "rigid", 2.0, 0.3, 0.4, 0.1, pose_at(0.0, 0.0, 0.0));
        else
            add_rigid_space(&m, "rigid", pose_turned(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3));
        add_beam(&m, "beam", &kind, pose_at(1.0, 0.0, 0.0));
        model_ready(&m);
        double *size = calloc((size_t)m.n_v, sizeof *size);
        assert_non_null(size);
        for (int k = 0; k < m.n_v; k++)
            m.v[k] = k % 2 ? -1.0 - k : 1.0 + k;
        m.dae->ops->velocity_sizes(m.dae, m.v, size);
        for (int b = 0; b < 2; b++) {
            int x = 0, at = 0;
            phx_system_offsets(m.system, b, &x, &at);
            const int spin = at + dim, end = spin + (dim == 2 ? 1 : 3);
            const double *v = m.v + at, *omega = m.v + spin;
            const double speed = dim == 2 ? hypot(v[0], v[1]) : sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            const double rate =
                dim == 2 ? fabs(omega[0]) : sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
            for (int k = at; k < end; k++)
                CHECK_CLOSE(size[k], k < spin ? speed : rate, 1e-14 * speed, "%dD, body %d, velocity %d", dim, b, k);
            for (int k = end; b == 1 && k < m.n_v; k++)
                assert_true(size[k] == fabs(m.v[k]));
        }
        assert_true(m.n_v > (dim == 2 ? 6 : 12));
        free(size);
        model_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(instant_arrays_are_derivatives, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(multipliers_enter_by_the_transpose, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(interval_array_is_the_derivative, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(accelerations_satisfy_the_equations, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(complex_factors_solve, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(velocities_have_the_sizes_of_their_vectors, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
