/* Geometric stiffening: the frequencies of a cantilever that turns with constant speed about its root.
 *
 * Uniform Euler-Bernoulli beam without hub, speed eta = Omega sqrt(rho A L^4 / EI): flapping frequencies (out of the
 * plane of rotation) mu in the same unit by A. D. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang, "Vibration modes
 * of centrifugally stiffened beams", J. Appl. Mech. 49 (1982) 197-202. In the plane of rotation the lead-lag frequency
 * is sqrt(mu^2 - eta^2), but for the Coriolis coupling to the stretch, which a large EA makes small. */
#include "support.h"

typedef struct published {
    double eta, mu[2];
} published;
static const published flapping[] = {
    {0.0, {3.5160, 22.0345}}, {1.0, {3.6816, 22.1810}},   {2.0, {4.1373, 22.6149}},   {5.0, {6.4495, 25.4461}},
    {8.0, {9.2568, 29.9954}}, {10.0, {11.2023, 33.6404}}, {12.0, {13.1702, 37.6031}},
};

/* Linearised deformation of the turning body: dense blocks over q. */
typedef struct blocks {
    int n;
    double *M, *D, *K;
} blocks;

static void block_at(const subject *it, const double *val, double *dense)
{
    const int *ptr, *idx, n = it->n_q, r = it->n_rigid;
    phx_body_pattern(it->body, &ptr, &idx);
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (int i = 0; i < n; i++)
        for (int k = ptr[r + i]; k < ptr[r + i + 1]; k++)
            if (idx[k] >= r)
                dense[i * n + idx[k] - r] = val[k];
}

static void linearised(const subject *it, const double *x, const double *v, blocks *at)
{
    const double none[3] = {0};
    const int *ptr, *idx;
    phx_body_pattern(it->body, &ptr, &idx);
    const size_t nnz = (size_t)ptr[it->n_v];
    double *val = test_calloc(3 * nnz, sizeof *val);
    phx_body_linearise(it->body, none, x, v, val, val + nnz, val + 2 * nnz);
    block_at(it, val, at->M);
    block_at(it, val + nnz, at->D);
    block_at(it, val + 2 * nnz, at->K);
    test_free(val);
}

/* Stretch under the centrifugal force: res_q = 0. */
static void equilibrium(phx_context *context, const subject *it, double *x, const double *v, blocks *at)
{
    const double none[3] = {0};
    double *res = test_calloc((size_t)it->n_v, sizeof *res), *still = test_calloc((size_t)it->n_v, sizeof *still);
    for (int iteration = 0; iteration < 8; iteration++) {
        linearised(it, x, v, at);
        phx_body_residual(it->body, none, x, v, still, res);
        CHECK_STATUS(context, phx_dense_solve(context, it->n_q, at->K, 1, res + it->n_rigid), PHX_OK);
        for (int i = 0; i < it->n_q; i++)
            x[at_q(it) + i] -= res[it->n_rigid + i];
    }
    CHECK_CLOSE(max_abs(it->n_q, res + it->n_rigid), 0.0, 1e-12, "last step to the equilibrium");
    test_free(res);
    test_free(still);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lowest frequencies of M q'' + D q' + K q = 0, by its first-order form. */
static void frequencies(phx_context *context, const blocks *at, int count, double *omega)
{
    const int n = at->n, N = 2 * n;
    double *A = test_calloc((size_t)(2 * N * N + 2 * N), sizeof *A), *B = A + N * N, *re = B + N * N, *im = re + N;
    int found = 0;
    for (int i = 0; i < n; i++) {
        A[i * N + n + i] = B[i * N + i] = 1.0;
        for (int j = 0; j < n; j++) {
            A[(n + i) * N + j] = -at->K[i * n + j];
            A[(n + i) * N + n + j] = -at->D[i * n + j];
            B[(n + i) * N + n + j] = at->M[i * n + j];
        }
    }
    CHECK_STATUS(context, phx_dense_eigen_general(context, N, A, B, re, im, NULL), PHX_OK);
    for (int i = 0; i < N; i++)
        if (im[i] > 0.0)
            im[found++] = im[i];
    assert_in_range(found, count, n);
    qsort(im, (size_t)found, sizeof *im, ascending);
    memcpy(omega, im, (size_t)count * sizeof *omega);
    test_free(A);
}

/* With rho A = L = EI = 1 the frequencies are in the unit of the table. */
static void turning(phx_context *context, int dim, bool stiffening, int modes, double eta, int count, double *omega)
{
    phx_beam_def beam = phx_beam_def_default();
    phx_body_def def = phx_body_def_default();
    const double attitude[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    subject it;

    beam.dim = dim;
    beam.length = beam.mass_per_length = 1.0;
    beam.bending_stiffness[0] = beam.bending_stiffness[1] = 1.0;
    beam.axial_stiffness = 1e7;
    beam.torsion_stiffness = INFINITY;
    beam.polar_inertia = 1e-6;
    beam.elements = dim == 2 ? 24 : 16;
    beam.stiffening = stiffening;
    beam.modes = modes;
    subject_from_beam(context, &beam, &def, &it);
    const size_t nn = (size_t)it.n_q * (size_t)it.n_q;
    double *x = test_calloc((size_t)(it.n_x + it.n_v) + 3 * nn, sizeof *x), *v = x + it.n_x, *M = v + it.n_v;
    blocks at = {.n = it.n_q, .M = M, .D = M + nn, .K = M + 2 * nn};
    phx_attitude_set(dim, attitude, 0.0, x + dim);
    v[it.n_rigid - 1] = eta; /* about z */
    equilibrium(context, &it, x, v, &at);
    linearised(&it, x, v, &at);
    frequencies(context, &at, count, omega);
    test_free(x);
    subject_destroy(&it);
}

static void test_lead_lag(void **state)
{
    for (size_t k = 0; k < sizeof flapping / sizeof *flapping; k++) {
        const published *p = &flapping[k];
        double omega[2];
        turning(*state, 2, true, 0, p->eta, 2, omega);
        for (int i = 0; i < 2; i++) {
            const double want = sqrt(p->mu[i] * p->mu[i] - p->eta * p->eta);
            CHECK_CLOSE(omega[i], want, 1e-3 * want, "plane, eta = %g, frequency %d", p->eta, i + 1);
        }
    }
}

/* Both planes bend alike here: lead-lag 1, flapping 1, lead-lag 2, flapping 2. */
static void test_flapping(void **state)
{
    const int rows[] = {2, 5};
    for (int k = 0; k < 2; k++) {
        const published *p = &flapping[rows[k]];
        double omega[4];
        turning(*state, 3, true, 0, p->eta, 4, omega);
        for (int i = 0; i < 4; i++) {
            const double mu = p->mu[i / 2], want = i % 2 ? mu : sqrt(mu * mu - p->eta * p->eta);
            CHECK_CLOSE(omega[i], want, 1.5e-3 * want, "space, eta = %g, frequency %d", p->eta, i + 1);
        }
    }
}

/* Without stiffening the centrifugal force only softens: mu0^2 - eta^2. */
static void test_softening(void **state)
{
    double omega[2];
    turning(*state, 2, false, 0, 2.0, 2, omega);
    CHECK_CLOSE(omega[0], sqrt(3.51601527 * 3.51601527 - 4.0), 1e-4, "no stiffening, eta = 2");
}

/* Modes of the beam at rest with the axial shapes that follow them, against all coordinates. */
static void test_modes(void **state)
{
    for (size_t k = 0; k < sizeof flapping / sizeof *flapping; k++)
        for (int modes = 2; modes <= 8; modes += 2) {
            const double eta = flapping[k].eta, tolerance[] = {0.0, 6e-2, 6e-3, 1.5e-3, 5e-4};
            double full[2], omega[2], space_full[4], space[4], worst = 0.0;
            turning(*state, 2, true, 0, eta, 2, full);
            turning(*state, 2, true, modes, eta, 2, omega);
            turning(*state, 3, true, 0, eta, 4, space_full);
            turning(*state, 3, true, 2 * modes, eta, 4, space); /* pairs: both planes bend alike */
            for (int i = 0; i < 1; i++)
                worst = fmax(worst, fabs(omega[i] / full[i] - 1.0));
            for (int i = 0; i < 2; i++)
                worst = fmax(worst, fabs(space[i] / space_full[i] - 1.0));
            print_message("eta = %g, %d modes: %.2e, second %.2e\n", eta, modes, worst, fabs(omega[1] / full[1] - 1.0));
            CHECK_CLOSE(worst, 0.0, tolerance[modes / 2], "first frequencies, eta = %g, %d modes", eta, modes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lead_lag), cmocka_unit_test(test_flapping),
                                       cmocka_unit_test(test_softening), cmocka_unit_test(test_modes)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
