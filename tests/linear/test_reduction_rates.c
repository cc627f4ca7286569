/* Reduction of linear models with prescribed rates, whose efforts are improper, by methods of first order: moments at
 * infinity, the error at frequencies that nobody chose, both ends of the frequencies, forms, certificates. */
#include "reduced.h"

#include "linear/reduction/result.h"

static const phx_reduction_method methods[] = {PHX_REDUCE_IRKA, PHX_REDUCE_LQG, PHX_REDUCE_XMIN};
enum { METHODS = 3 };

/* The four-bar mechanism with the turn of the crank prescribed and a force across the middle of the coupler. */
static phx_linearised *driven_four_bar(phx_context *context)
{
    enum { COUPLER = 9, MIDDLE = COUPLER + 3 };
    mechanism mech;
    phx_linear linear;

    mechanism_begin(&mech, context);
    four_bar(&mech, 1.0, 2, false);
    mechanism_end(&mech, &linear);
    damp(context, 1.0, 1e-6, &linear);
    double *F = calloc((size_t)linear.n, sizeof *F), *H = calloc((size_t)linear.n, sizeof *H);
    F[COUPLER + 1] = F[MIDDLE + 1] = 1.0;
    F[COUPLER + 2] = 0.5 * 0.2794;
    H[2] = 1.0;
    phx_linearised *it = model_of(context, &linear, 1, F, 1, H);
    free(F);
    free(H);
    return it;
}

/* The four-bar mechanism; one or two hinged beams, the turn of the first prescribed, a force on the tip; bodies on
 * springs with two prescribed motions and two forces. */
static phx_linearised *driven(phx_context *context, int which, int elements)
{
    uint64_t seed = 11;
    return which == 0   ? driven_four_bar(context)
           : which <= 2 ? beam_chain(context, which, elements, true, 0.5, 1e-6, true)
                        : random_model(context, &seed, 2);
}
enum { MODELS = 4 };

/* ---- infinity ---- */
/* The velocity at infinite frequency by a dense solution: M v = A^T mu, A v = (0; B_w), or M v = A^T mu + F for a
 * force, A v = 0; column k of V (n x m). */
static void at_infinity(phx_context *context, const phx_full *full, double *V)
{
    const int n = full->n, rows = full->A.rows, N = n + rows, m = full->m, joints = rows - full->held;
    double *a = calloc((size_t)N * (size_t)N, sizeof *a), *x = calloc((size_t)N * (size_t)m, sizeof *x);
    double *M = calloc((size_t)n * (size_t)n, sizeof *M), *A = calloc((size_t)rows * (size_t)n + 1, sizeof *A);

    phx_csr_to_dense(&full->plant->linear.M, M);
    phx_csr_to_dense(&full->A, A);
    for (int i = 0; i < n; i++)
        memcpy(a + i * N, M + i * n, (size_t)n * sizeof *a);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            a[(n + i) * N + j] = a[j * N + n + i] = A[i * n + j];
    for (int k = 0; k < m; k++)
        if (full->plant->channels.held[k] >= 0)
            x[(n + joints + full->plant->channels.held[k]) * m + k] = 1.0;
    CHECK_OK(context, phx_dense_solve(context, N, a, m, x));
    memcpy(V, x, (size_t)n * (size_t)m * sizeof *V);
    free(a);
    free(x);
    free(M);
    free(A);
}

/* H = s D1 + D0 + .. of the mechanism: D1 = V^T M V, D0 = V^T D V between rates, V^T F between rates and forces. */
static void moments_at_infinity(void **state)
{
    phx_context *context = *state;
    for (int which = 0; which < MODELS; which++) {
        phx_linearised *model = driven(context, which, 3);
        phx_full full;
        CHECK_OK(context, phx_full_create(context, model, 0, &full));
        const int n = full.n, m = full.m, *held = model->channels.held;
        double *V = calloc((size_t)n * (size_t)m, sizeof *V), *F = calloc((size_t)n * (size_t)m, sizeof *F);
        phx_projected all;
        phx_dominance dominance;
        CHECK_OK(context, phx_project(&full, full.f - full.rigid, NULL, NULL, &all));
        CHECK_OK(context, phx_dominance_find(&full, &all, 0.0, &dominance));
        at_infinity(context, &full, V);
        phx_csr_to_dense(&model->channels.F, F);
        for (int k = 0; k < METHODS; k++) {
            phx_reduction *reduction = reduce(context, model, methods[k], 3);
            const char *name = phx_reduction_method_name(methods[k]);
            const phx_reduction_report *report = phx_reduction_about(reduction);
            const double shift = report->feedthrough * report->norm; /* that xmin adds to scaled ports, and tells */
            phx_descriptor *full_form = NULL, *small = NULL;
            forms(context, model, reduction, &full_form, &small);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    if (held[i] < 0 && held[j] < 0)
                        continue;
                    double D0 = 0.0, size = 0.0;
                    for (int r = 0; r < n && (held[i] < 0) != (held[j] < 0); r++)
                        D0 += held[i] < 0 ? F[r * m + i] * V[r * m + j] : -V[r * m + i] * F[r * m + j];
                    if (held[i] >= 0 && held[j] >= 0) {
                        const double D1 = phx_form(&model->linear.M, m, V + i, m, V + j, &size);
                        CHECK_SMALL(reduction->inertia[held[i] * full.held + held[j]] - D1, 1e-12 * size,
                                    "model %d, %s: first moment %d %d", which, name, i, j);
                        D0 = phx_form(&full.D, m, V + i, m, V + j, NULL);
                    }
                    const double added = i == j ? shift / (dominance.scale[i] * dominance.scale[i]) : 0.0;
                    CHECK_SMALL(reduction->S[i * m + j] + reduction->N[i * m + j] - D0 - added,
                                1e-10 * fmax(fabs(D0), 1e-3) + 1e-5 * added, "model %d, %s: moment zero %d %d", which,
                                name, i, j);
                    if (held[i] < 0 || held[j] < 0)
                        continue;
                    const double complex far = 1e10 * I, want = transfer(context, full_form, far, i, j);
                    CHECK_SMALL(cabs(transfer(context, small, far, i, j) - added - want), 1e-9 * cabs(want),
                                "model %d, %s: far out, %d %d", which, name, i, j);
                }
            phx_descriptor_destroy(full_form);
            phx_descriptor_destroy(small);
            phx_reduction_destroy(reduction);
        }
        free(V);
        free(F);
        phx_dominance_free(&dominance);
        phx_projected_free(&all);
        phx_full_free(&full);
        phx_linearised_destroy(model);
    }
}

/* ---- the error that is told ---- */
/* Largest singular value of a 2 x 2 matrix, or of a larger one by power iteration on E^H E. */
static double gain(int m, const double complex *E)
{
    double complex x[4], y[4];
    double square = 0.0;

    for (int i = 0; i < m; i++)
        x[i] = 1.0 + 0.3 * i * I;
    for (int round = 0; round < 200; round++) {
        double length = 0.0;
        for (int i = 0; i < m; i++) {
            y[i] = 0.0;
            for (int j = 0; j < m; j++)
                y[i] += E[i * m + j] * x[j];
        }
        for (int j = 0; j < m; j++) {
            x[j] = 0.0;
            for (int i = 0; i < m; i++)
                x[j] += conj(E[i * m + j]) * y[i];
            length += creal(x[j] * conj(x[j]));
        }
        square = sqrt(length);
        for (int j = 0; j < m && square > 0.0; j++)
            x[j] /= square;
    }
    return sqrt(square);
}

/* Of the difference of the descriptor forms, improper parts and all, ports scaled as the error is. */
static double difference(phx_context *context, const phx_descriptor *full, const phx_descriptor *small, int m,
                         const double *scale, double omega)
{
    double complex a[16], b[16];
    CHECK_OK(context, phx_descriptor_transfer(context, full, 0.0, omega, (double *)a));
    CHECK_OK(context, phx_descriptor_transfer(context, small, 0.0, omega, (double *)b));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] = (a[i * m + j] - b[i * m + j]) * scale[i] * scale[j];
    return gain(m, a);
}

static void the_error_holds_at_random_frequencies(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    for (int which = 0; which < MODELS; which++) {
        phx_linearised *model = driven(context, which, 3);
        phx_full full;
        phx_projected all;
        phx_ph ph;
        phx_dominance dominance;
        whole(context, model, &full, &all, &ph);
        CHECK_OK(context, phx_dominance_find(&full, &all, 0.0, &dominance));
        for (int k = 0; k < METHODS; k++) {
            phx_reduction *reduction = reduce(context, model, methods[k], 4);
            const phx_reduction_report *report = phx_reduction_about(reduction);
            const char *name = phx_reduction_method_name(methods[k]);
            phx_descriptor *big = NULL, *small = NULL;
            double most = 0.0;
            assert_true(report->certified);
            forms(context, model, reduction, &big, &small);
            for (int point = 0; point < 25; point++) {
                const double omega = point == 0 ? report->error_omega : pow(10.0, 2.0 + 3.0 * random_value(&seed));
                most = fmax(most, difference(context, big, small, full.m, dominance.scale, omega));
            }
            most /= report->norm;
            CHECK_BELOW(most, report->error * (1.0 + 1e-6) + 1e-10, "model %d, %s: error", which, name);
            CHECK_BETWEEN(most / report->error_least, 0.999, 1.001, "model %d, %s: reached", which, name);
            CHECK_BELOW(report->error, 0.9, "model %d, %s: of use", which, name);
            phx_descriptor_destroy(big);
            phx_descriptor_destroy(small);
            phx_reduction_destroy(reduction);
        }
        phx_dominance_free(&dominance);
        phx_ph_free(&ph);
        phx_projected_free(&all);
        phx_full_free(&full);
        phx_linearised_destroy(model);
    }
}

/* ---- frequency zero ---- */
/* Efforts of slow motions: stiffness, damping and inertia of the whole mechanism, exact but for the square of the
 * frequency; what the force's point does, too. The feedthrough of xmin comes on top. */
static void slow_motions_are_exact(void **state)
{
    phx_context *context = *state;
    for (int which = 0; which < 2 * (METHODS + 1); which++) {
        const int links = 1 + which % 2, k = which / 2 % METHODS;
        const bool damped = which < 2 * METHODS;
        phx_linearised *model = beam_chain(context, links, 3, true, damped ? 0.5 : 0.0, damped ? 1e-6 : 0.0, true);
        phx_reduction *reduction = reduce(context, model, methods[k], 4);
        phx_descriptor *big = NULL, *small = NULL;
        phx_full full;
        phx_projected all;
        phx_ph ph;
        /* the second link swings by itself, damped by 0.5/s */
        const double lowest = links == 1 ? model->reduced.omega[model->reduced.rigid] : 0.5;
        forms(context, model, reduction, &big, &small);
        whole(context, model, &full, &all, &ph);
        for (int j = 0; j < 2; j++)
            for (int point = 1; point <= 2; point++) {
                const double added = reduction->S[2 + j] - ph.S[2 + j];
                const double complex s = I * lowest * pow(10.0, -2.0 * point), want = transfer(context, big, s, 1, j),
                                     got = transfer(context, small, s, 1, j) - added;
                CHECK_BELOW(fabs(added), k == METHODS - 1 ? 1e-2 : 0.0, "feedthrough");
                CHECK_SMALL(cabs(got - want), (pow(10.0, -3.0 * point) + (k == METHODS - 1 ? 1e-5 : 0.0)) * cabs(want),
                            "%d links, %s, damped %d, at %g rad/s: %d", links, phx_reduction_method_name(methods[k]),
                            damped, cimag(s), j);
            }
        phx_ph_free(&ph);
        phx_projected_free(&all);
        phx_full_free(&full);
        phx_descriptor_destroy(big);
        phx_descriptor_destroy(small);
        phx_reduction_destroy(reduction);
        phx_linearised_destroy(model);
    }
}

/* ---- everything kept ---- */
/* Rates as inputs, and accelerations. */
static void all_states_are_the_model(void **state)
{
    phx_context *context = *state;
    for (int which = 0; which < MODELS; which++)
        for (int k = 0; k < METHODS - 1; k++) {
            phx_linearised *model = driven(context, which, 2);
            const char *name = phx_reduction_method_name(methods[k]);
            phx_ss *big = NULL, *small = NULL;
            phx_descriptor *descriptor = NULL;
            double got[16], want[16];
            for (int i = 0; i < model->channels.n_inputs; i++)
                if (model->channels.held[i] >= 0 && k == 1)
                    model->channels.kind[i] = PHX_CHANNEL_ACCELERATION;
            phx_reduction *reduction = reduce(context, model, methods[k], model->reduced.modes);
            CHECK_BELOW(phx_reduction_about(reduction)->error, 1e-9, "model %d, %s: error", which, name);
            CHECK_OK(context, phx_linearised_ss(context, model, &big));
            CHECK_OK(context, phx_reduction_ss(context, reduction, false, &small));
            assert_int_equal(phx_ss_n(small), phx_reduction_about(reduction)->states);
            const int cells = 2 * phx_ss_outputs(big) * phx_ss_inputs(big);
            for (int point = 0; point < 3; point++) {
                CHECK_OK(context, phx_ss_response(context, big, 20.0 + 300.0 * point, want));
                CHECK_OK(context, phx_ss_response(context, small, 20.0 + 300.0 * point, got));
                for (int i = 0; i < cells; i++)
                    CHECK_CLOSE(got[i], want[i], 1e-9 * max_abs(cells, want), "model %d, %s: response %d", which, name,
                                i);
            }
            CHECK_STATUS(context, phx_reduction_descriptor(context, reduction, &descriptor, NULL),
                         k == 1 ? PHX_ERR_UNSUPPORTED : PHX_OK);
            phx_descriptor_destroy(descriptor);
            phx_ss_destroy(big);
            phx_ss_destroy(small);
            phx_reduction_destroy(reduction);
            phx_linearised_destroy(model);
        }
}

/* ---- certificates ---- */
/* Structure and Hamiltonian test, of two forces and one or two rates. */
static void certificates_agree(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    for (int k = 0; k < TEST_SHORTER(12, 6); k++) {
        phx_linearised *model = random_model(context, &seed, 1 + k % 2);
        const phx_reduction_method method = methods[k % METHODS];
        phx_reduction *reduction = reduce(context, model, method, 2 + k % 3);
        const phx_reduction_report *report = phx_reduction_about(reduction);
        phx_full full;
        phx_projected all;
        phx_ph ph;
        CHECK_BETWEEN(report->dissipation, -1e-10, 1.0, "%s, reduction %d: least eigenvalue of W",
                      phx_reduction_method_name(method), k);
        if (!report->passivity.passive)
            fail_msg("%s, reduction %d: not passive, %g at %g rad/s", phx_reduction_method_name(method), k,
                     report->passivity.least, report->passivity.omega);
        /* of the result itself, by the least eigenvalue of H + H^H along the imaginary axis; xmin has its own energy */
        phx_descriptor *small = NULL;
        CHECK_OK(context, phx_reduction_descriptor(context, reduction, &small, NULL));
        whole(context, model, &full, &all, &ph);
        for (int point = 0; point < 20; point++) {
            const double omega = pow(10.0, 2.0 * random_value(&seed));
            const int m = full.m;
            double complex H[16], form = 0.0;
            double x[8], size = 0.0;
            CHECK_OK(context, phx_descriptor_transfer(context, small, 0.0, omega, (double *)H));
            random_vector(&seed, 2 * m, 1.0, x);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    form += conj(x[i] + I * x[m + i]) * H[i * m + j] * (x[j] + I * x[m + j]);
                    size += cabs(H[i * m + j]);
                }
            CHECK_BETWEEN(creal(form) / size, -1e-10, 10.0, "%s, reduction %d: power taken at %g rad/s",
                          phx_reduction_method_name(method), k, omega);
        }
        phx_descriptor_destroy(small);
        phx_ph_free(&ph);
        phx_projected_free(&all);
        phx_full_free(&full);
        phx_reduction_destroy(reduction);
        phx_linearised_destroy(model);
    }
}

/* ---- refusals ---- */
static void refuse(phx_context *context, const phx_linearised *model, phx_reduction_method method, int order,
                   const char *message)
{
    phx_reduction_options options = phx_reduction_options_default();
    phx_reduction *reduction = NULL;
    options.method = method;
    options.order = order;
    assert_true(phx_reduce_linear(context, model, &options, &reduction) < 0);
    assert_null(reduction);
    CHECK_MESSAGE(context, message);
}

static void refused_with_the_reason(void **state)
{
    phx_context *context = *state;
    phx_linearised *two = driven(context, 3, 3), *bare = beam_chain(context, 1, 4, true, 0.0, 0.0, true);

    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_XMIN; method++)
        refuse(context, two, (phx_reduction_method)method, 1, "too low for 2 prescribed motions");
    refuse(context, bare, PHX_REDUCE_XMIN, 3, "without damping");
    refuse(context, bare, PHX_REDUCE_LQG, 3, "characteristic values of 'lqg' are one");
    phx_linearised_destroy(two);
    phx_linearised_destroy(bare);
}

static void every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = beam_chain(context, 1, 2, true, 0.5, 1e-5, true);
    for (int k = 0; k < METHODS; k++) {
        phx_status status = PHX_ERR_MEMORY;
        long n = 0;
        for (; status != PHX_OK; n += 1 + n / 3) {
            phx_reduction_options options = {.method = methods[k], .order = 2};
            phx_reduction *reduction = NULL;
            phx_measured measured = {0};
            phx_descriptor *descriptor = NULL;
            phx_ss *ss = NULL;
            phx_context_fail_allocation(context, n);
            status = phx_reduce_linear(context, model, &options, &reduction);
            if (!status)
                status = phx_reduction_descriptor(context, reduction, &descriptor, &measured);
            if (!status)
                status = phx_reduction_ss(context, reduction, false, &ss);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("%s, allocation %ld: status %d: %s", phx_reduction_method_name(methods[k]), n, (int)status,
                         phx_context_message(context));
            phx_measured_free(&measured);
            phx_descriptor_destroy(descriptor);
            phx_ss_destroy(ss);
            phx_reduction_destroy(reduction);
            assert_true(n < 1000000);
        }
    }
    phx_linearised_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(moments_at_infinity, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_error_holds_at_random_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(slow_motions_are_exact, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(all_states_are_the_model, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(certificates_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(refused_with_the_reason, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
