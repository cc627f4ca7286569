/* Reduction of linear models: against a published benchmark, what interpolation, projection and bounds promise, on
 * models written down by hand. */
#include "reduced.h"

#include "algebra/internal.h"

/* ---- the benchmark ---- */
static void the_chain_is_the_benchmark(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = mass_spring_chain(context);
    static const double complex points[] = {0.1 * I, 1.0 * I, 0.5};
    static const double complex wanted[][3] = {
        {0.12571197874239787 + 0.07321721053718017 * I, 0.12262442869154394 + 0.05062783790036843 * I,
         0.1201324884571195 + 0.05318717023865431 * I},
        {0.2107503684523051 - 0.09011081753621432 * I, 0.022527704384053562 - 0.19731240788692367 * I,
         0.04932810197173093 + 0.005631926096013401 * I},
        {0.15097814095749165, 0.08259494381655097, 0.11356804774775767}};
    phx_descriptor *descriptor = NULL;
    phx_full full;
    phx_projected all;
    phx_ph ph;
    phx_ss *ss = NULL;
    phx_norm norm;
    double h2 = 0.0;

    CHECK_OK(context, phx_linearised_descriptor(context, model, &descriptor, NULL));
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < 3; e++)
            CHECK_SMALL(cabs(transfer(context, descriptor, points[k], e == 2, e > 0) - wanted[k][e]), 1e-12,
                        "entry %d at point %d", e, k);
    whole(context, model, &full, &all, &ph);
    assert_int_equal(ph.n, 100);
    CHECK_OK(context, phx_ph_ss(context, "chain", &ph, false, &ss));
    CHECK_OK(context, phx_ss_h2_norm(context, ss, &h2));
    CHECK_RELATIVE(h2, 0.36462151105294877, 1e-10, "H2");
    CHECK_OK(context, phx_ss_hinf_norm(context, ss, NULL, 1e-10, &norm));
    CHECK_RELATIVE(norm.lower, 0.46825186131639784, 1e-9, "H-infinity");
    CHECK_RELATIVE(norm.omega, 1.84466340809026, 1e-5, "frequency of the peak");
    phx_ss_destroy(ss);
    phx_ph_free(&ph);
    phx_projected_free(&all);
    phx_full_free(&full);
    phx_descriptor_destroy(descriptor);
    phx_linearised_destroy(model);
}

/* IRKA from some of the modes: H2 error relative to h2. */
static double irka_error(phx_context *context, const phx_ph *ph, int k, double h2)
{
    double *Z = calloc((size_t)ph->n * (size_t)k, sizeof *Z), error = 0.0;
    int iterations = 0;
    phx_ph reduced, proper = *ph;
    phx_ss *difference = NULL;

    for (int j = 0; j < k / 2; j++) { /* strain and velocity of the modes with the lowest numbers */
        Z[j * k + 2 * j] = 1.0;
        Z[(ph->n / 2 + j) * k + 2 * j + 1] = 1.0;
    }
    CHECK_OK(context, phx_irka(context, ph, k, Z, &iterations));
    CHECK_OK(context, phx_ph_project(context, &proper, k, Z, &reduced));
    CHECK_OK(context, phx_ph_difference(context, ph, &reduced, &difference));
    CHECK_OK(context, phx_ss_h2_norm(context, difference, &error));
    phx_ss_destroy(difference);
    phx_ph_free(&reduced);
    free(Z);
    return error / h2;
}

/* 20 states: the energy allows an H2 error of 5 %, the least storage function one of 1e-5. */
static void the_least_storage_function_is_decisive(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = mass_spring_chain(context);
    phx_full full;
    phx_projected all;
    phx_ph ph, stored;
    phx_ss *ss = NULL;
    double h2 = 0.0, shift = 0.0, *T = calloc(100 * 100, sizeof *T);

    whole(context, model, &full, &all, &ph);
    CHECK_OK(context, phx_ph_ss(context, "chain", &ph, false, &ss));
    CHECK_OK(context, phx_ss_h2_norm(context, ss, &h2));
    CHECK_BETWEEN(irka_error(context, &ph, 20, h2), 0.04, 0.06, "IRKA on the energy");
    CHECK_OK(context, phx_least_storage(context, &ph, 0.468, &stored, T, &shift));
    CHECK_BETWEEN(irka_error(context, &stored, 20, h2), 1e-6, 1.2e-5, "IRKA on the least storage function");
    phx_reduction *xmin = reduce(context, model, PHX_REDUCE_XMIN, 10);
    const phx_reduction_report *report = phx_reduction_about(xmin);
    CHECK_BELOW(report->error_h2, 1e-4, "with scaled ports, H2");
    CHECK_BELOW(report->error, 1e-4, "with scaled ports, H-infinity");
    assert_true(report->passivity.passive);
    CHECK_BETWEEN(report->dissipation, -1e-14, 1.0, "W is not negative");
    CHECK_CLOSE(report->feedthrough, 5e-6, 1e-12, "the feedthrough is told");
    phx_reduction_destroy(xmin);
    phx_ss_destroy(ss);
    phx_ph_free(&ph);
    phx_ph_free(&stored);
    phx_projected_free(&all);
    phx_full_free(&full);
    phx_linearised_destroy(model);
    free(T);
}

/* ---- interpolation ---- */
static double complex derivative(phx_context *context, const phx_descriptor *system, double complex s, int i, int j)
{
    const double h = 1e-3 * cabs(s);
    return (8.0 * (transfer(context, system, s + h, i, j) - transfer(context, system, s - h, i, j)) -
            transfer(context, system, s + 2.0 * h, i, j) + transfer(context, system, s - 2.0 * h, i, j)) /
           (12.0 * h);
}

static void krylov_interpolates_with_the_derivative(void **state)
{
    phx_context *context = *state;
    static const phx_reduction_point points[] = {
        {.re = 20.0}, {.im = 90.0}, {.re = 50.0, .im = 400.0}, {.infinite = true}};
    for (int damped = 0; damped < 2; damped++)
        for (int grounded = 0; grounded < 2; grounded++) {
            phx_linearised *model = beam_chain(context, 3, 5, grounded, 0.0, damped ? 1e-5 : 0.0, false);
            phx_reduction_options options = phx_reduction_options_default();
            phx_reduction *reduction = NULL;
            phx_descriptor *full = NULL, *small = NULL;
            options.method = PHX_REDUCE_KRYLOV;
            options.points = points;
            options.n_points = 4;
            CHECK_OK(context, phx_reduce_linear(context, model, &options, &reduction));
            forms(context, model, reduction, &full, &small);
            CHECK_BELOW(phx_reduction_about(reduction)->constraints, 1e-13, "|G V|");
            for (int k = 0; k < 3; k++)
                for (int e = 0; e < 4; e++) {
                    const double complex z = points[k].re + I * points[k].im;
                    const double complex want = transfer(context, full, z, e / 2, e % 2);
                    const double complex slope = derivative(context, full, z, e / 2, e % 2);
                    CHECK_SMALL(cabs(transfer(context, small, z, e / 2, e % 2) - want), 1e-10 * cabs(want),
                                "moment at point %d, entry %d", k, e);
                    CHECK_SMALL(cabs(derivative(context, small, z, e / 2, e % 2) - slope), 1e-7 * cabs(slope),
                                "derivative at point %d, entry %d", k, e);
                }
            const double complex far = 1e9; /* s H(s) -> F^T M^-1 F on what the joints allow */
            const double size = cabs(transfer(context, full, far, 0, 0)) + cabs(transfer(context, full, far, 1, 1));
            for (int e = 0; e < 4; e++)
                CHECK_SMALL(
                    cabs(transfer(context, small, far, e / 2, e % 2) - transfer(context, full, far, e / 2, e % 2)),
                    1e-9 * size, "infinity, entry %d", e);
            phx_descriptor_destroy(full);
            phx_descriptor_destroy(small);
            phx_reduction_destroy(reduction);
            phx_linearised_destroy(model);
        }
}

/* Along one direction only, and at zero with rigid motions, by forces in equilibrium with inertia. */
static void tangential_and_static_points(void **state)
{
    phx_context *context = *state;
    static const double direction[] = {0.6, -0.8};
    const phx_reduction_point points[] = {{.re = 30.0, .direction = direction}, {.re = 0.0}};
    phx_linearised *model = beam_chain(context, 2, 5, false, 0.0, 0.0, false);
    phx_reduction_options options = phx_reduction_options_default();
    phx_reduction *reduction = NULL;
    phx_descriptor *full = NULL, *small = NULL;

    options.method = PHX_REDUCE_KRYLOV;
    options.points = points;
    options.n_points = 2;
    CHECK_OK(context, phx_reduce_linear(context, model, &options, &reduction));
    assert_int_equal(phx_reduction_about(reduction)->order, 3);
    forms(context, model, reduction, &full, &small);
    for (int i = 0; i < 2; i++) {
        double complex got = 0.0, want = 0.0;
        for (int j = 0; j < 2; j++) {
            got += transfer(context, small, 30.0, i, j) * direction[j];
            want += transfer(context, full, 30.0, i, j) * direction[j];
        }
        CHECK_SMALL(cabs(got - want), 1e-10 * cabs(want), "tangential moment %d", i);
        /* s H -> rigid inertia at 0; the next term is the static flexibility: both agree */
        for (int j = 0; j < 2; j++) {
            const double s = 1.0;
            const double complex whole_ = transfer(context, full, s, i, j);
            CHECK_SMALL(cabs(transfer(context, small, s, i, j) - whole_), 1e-9 * cabs(whole_), "low frequency %d %d", i,
                        j);
        }
    }
    phx_descriptor_destroy(full);
    phx_descriptor_destroy(small);
    phx_reduction_destroy(reduction);
    phx_linearised_destroy(model);
}

/* ---- prescribed rates ---- */
/* Static lifting with the difference to the one at infinity: the effort is right at both ends. */
static void prescribed_rates_at_both_ends(void **state)
{
    phx_context *context = *state;
    for (int which = 0; which < 4; which++) {
        const int method = which % 2, links = 1 + which / 2; /* the second link swings, damped: no static answer */
        phx_linearised *model = beam_chain(context, links, 6, true, 0.5, 1e-6, true);
        phx_reduction *reduction = reduce(context, model, (phx_reduction_method)method, 6);
        phx_descriptor *full = NULL, *small = NULL;
        double highest = 0.0;
        forms(context, model, reduction, &full, &small);
        for (int k = 0; k < model->reduced.count - 1; k++)
            highest = fmax(highest, model->reduced.omega[k]);
        const struct {
            double omega, tolerance;
        } ends[] = {{1e-2, links == 1 ? 1e-12 : 1e-10},
                    {1.0, links == 1 ? 1e-12 : 1e-7},
                    {0.1 * model->reduced.omega[model->reduced.rigid], links == 1 ? 1e-9 : 1e-2},
                    {30.0 * highest, 2e-2},
                    {3000.0 * highest, 2e-6}};
        for (int k = 0; k < 5; k++) {
            const double complex s = I * ends[k].omega, want = transfer(context, full, s, 1, 1);
            CHECK_SMALL(cabs(transfer(context, small, s, 1, 1) - want), ends[k].tolerance * cabs(want),
                        "%s: effort by rate at %g rad/s", phx_reduction_method_name((phx_reduction_method)method),
                        ends[k].omega);
        }
        phx_descriptor_destroy(full);
        phx_descriptor_destroy(small);
        phx_reduction_destroy(reduction);
        phx_linearised_destroy(model);
    }
}

/* With all coordinates nothing is lost, whatever the method. */
static void all_coordinates_are_the_model(void **state)
{
    phx_context *context = *state;
    for (int rate = 0; rate < 2; rate++)
        for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_LQG; method++) {
            phx_linearised *model = beam_chain(context, 1, 2, true, 0.5, 1e-5, rate);
            const int all =
                method == PHX_REDUCE_KRYLOV ? 4 : model->reduced.modes; /* of 6 two are axial, and not moved */
            phx_reduction *reduction = reduce(context, model, (phx_reduction_method)method, all);
            const char *name = phx_reduction_method_name((phx_reduction_method)method);
            phx_ss *full = NULL, *small = NULL;
            CHECK_BELOW(phx_reduction_about(reduction)->error, 1e-9, "%s: error", name);
            CHECK_OK(context, phx_linearised_ss(context, model, &full));
            CHECK_OK(context, phx_reduction_ss(context, reduction, false, &small));
            assert_int_equal(phx_ss_n(small), phx_reduction_about(reduction)->states);
            for (int k = 0; k < 3; k++) { /* the outputs asked for, too */
                double got[8], want[8];
                CHECK_OK(context, phx_ss_response(context, full, 10.0 + 500.0 * k, want));
                CHECK_OK(context, phx_ss_response(context, small, 10.0 + 500.0 * k, got));
                for (int i = 0; i < 8; i++)
                    CHECK_CLOSE(got[i], want[i], 1e-9 * max_abs(8, want), "%s: response %d", name, i);
            }
            phx_ss_destroy(full);
            phx_ss_destroy(small);
            phx_reduction_destroy(reduction);
            phx_linearised_destroy(model);
        }
}

/* ---- bounds and certificates ---- */
static void the_bound_holds(void **state)
{
    phx_context *context = *state;
    for (int links = 1; links <= 3; links++) {
        phx_linearised *model = beam_chain(context, links, 5, links != 2, 0.2, 3e-6, false);
        for (int order = 1; order <= 10; order += 3) {
            phx_reduction *reduction = reduce(context, model, PHX_REDUCE_MODAL, order);
            const phx_reduction_report *report = phx_reduction_about(reduction);
            assert_true(report->certified);
            CHECK_BELOW(report->error, report->bound * (1.0 + 1e-6), "%d links, order %d", links, order);
            CHECK_BELOW(report->bound, report->bound_sum * (1.0 + 1e-12), "%d links, order %d", links, order);
            CHECK_BELOW(report->constraints, 1e-13, "|G V|");
            phx_reduction_destroy(reduction);
        }
        phx_linearised_destroy(model);
    }
}

/* A model by its lowest modes alone (`sparse`) against the same by all of them (`dense`). */
static void compare(phx_context *context, const phx_reduction *dense, const phx_reduction *sparse, double above)
{
    const phx_reduction_report *a = phx_reduction_about(dense), *b = phx_reduction_about(sparse);
    phx_ss_second_order_def all, part;

    assert_int_equal(b->full, a->full);
    assert_int_equal(b->rigid, a->rigid);
    assert_false(b->certified);
    CHECK_BELOW(b->constraints, 1e-13, "|G V|");
    CHECK_BETWEEN(b->norm, a->norm * (1.0 - 1e-3), a->norm * (1.0 + 1e-6), "norm, sampled");
    const double bound = b->bound * b->norm, wanted = a->bound * a->norm, error = b->error * b->norm;
    CHECK_BETWEEN(bound, wanted * (1.0 - 1e-6), wanted * (1.0 + above), "bound of order %d", a->order);
    /* narrow peaks of modes that are not known are between the frequencies */
    CHECK_BETWEEN(error, a->error_least * a->norm * 0.4, bound * (1.0 + 1e-6), "error of order %d", a->order);
    CHECK_BELOW(a->error * a->norm, bound * (1.0 + 1e-6), "the certified error of order %d", a->order);
    assert_true(b->passivity.passive);
    CHECK_OK(context, phx_reduction_second_order(context, dense, &all));
    CHECK_OK(context, phx_reduction_second_order(context, sparse, &part));
    assert_int_equal(all.n, part.n);
    for (int k = 0; k < all.n; k++) {
        CHECK_SMALL(part.K[k * all.n + k] - all.K[k * all.n + k], 1e-8 * all.K[k * all.n + k] + 1e-12, "mode %d", k);
        assert_string_equal(part.coordinates[k], all.coordinates[k]);
    }
}

/* Without dense matrices: the same modes, a bound of all that is left out from a few solutions. With hinges that
 * nothing holds, with Rayleigh damping, with the modal one that undamped models are measured by. */
static void large_models_by_their_lowest_modes(void **state)
{
    phx_context *context = *state;
    static const struct {
        bool grounded;
        double alpha, beta, above;
        int most; /* modes that weigh most and are low ones */
    } cases[] = {{true, 0.0, 3e-6, 1e-4, 7}, {false, 0.2, 3e-6, 1e-4, 7}, {true, 0.0, 0.0, 0.03, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int order = 2; order <= cases[k].most; order += 5) {
            phx_linearised *model = beam_chain(context, 3, 6, cases[k].grounded, cases[k].alpha, cases[k].beta, false);
            phx_reduction *dense = reduce(context, model, PHX_REDUCE_MODAL, order);
            model->sparse = true;
            phx_reduction *sparse = reduce(context, model, PHX_REDUCE_MODAL, order);
            compare(context, dense, sparse, cases[k].above);
            phx_reduction_destroy(dense);
            phx_reduction_destroy(sparse);
            phx_linearised_destroy(model);
        }
}

/* sum b b^T/d of the modes that are not known, d = alpha + beta omega^2 or 2 nominal omega, is what is missing in that
 * over all modes. */
static void the_rest_of_a_sum(void **state)
{
    phx_context *context = *state;
    static const double damping[][4] = {/* alpha, beta, nominal, above */
                                        {5.0, 0.0, 0.0, 1e-8},
                                        {0.3, 1e-6, 0.0, 1e-5},
                                        {0.0, 0.0, 0.005, 0.05}};
    for (int k = 0; k < 3; k++) {
        const double *c = damping[k];
        phx_linearised *model = beam_chain(context, 3, 8, false, c[0], c[1], false);
        phx_full full, part;
        phx_projected all;
        phx_ph ph;
        double sum[4], missing = 0.0;

        whole(context, model, &full, &all, &ph);
        model->sparse = true;
        CHECK_OK(context, phx_full_create(context, model, 10, &part));
        assert_true(phx_full_is_part(&part));
        assert_int_equal(part.elastic, full.f - full.rigid);
        CHECK_OK(context, phx_remainder_sum(&part, c[2], sum));
        for (int i = full.rigid + part.f - part.rigid; i < full.f; i++) {
            const double w = full.omega[i], d = c[2] > 0.0 ? 2.0 * c[2] * w : c[0] + c[1] * w * w;
            missing += all.F[i * 2] * all.F[i * 2] / d;
        }
        CHECK_BETWEEN(sum[0], missing * (1.0 - 1e-8), missing * (1.0 + c[3]), "the sum of case %d", k);
        assert_true(sum[1] == sum[2] && sum[1] * sum[1] <= sum[0] * sum[3]);
        phx_full_free(&part);
        phx_full_free(&full);
        phx_projected_free(&all);
        phx_ph_free(&ph);
        phx_linearised_destroy(model);
    }
}

/* Sparse responses are those of the state space. */
static void responses_by_sparse_factors(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = beam_chain(context, 3, 4, false, 0.2, 3e-6, false);
    static const double omega[] = {3.0, 40.0, 5000.0};
    double complex sparse[3 * 4], dense[3 * 4];
    phx_ss *ss = NULL;

    CHECK_OK(context, phx_linearised_responses(context, model, 3, omega, sparse));
    CHECK_OK(context, phx_linearised_ss(context, model, &ss));
    CHECK_OK(context, phx_ss_responses(context, ss, 3, omega, (double *)dense));
    for (int k = 0; k < 12; k++)
        CHECK_SMALL(cabs(sparse[k] - dense[k]), 1e-9 * cabs(dense[k]), "response %d", k);
    phx_ss_destroy(ss);
    phx_linearised_destroy(model);
}

/* Frames that float hardly count in z^2 M + z D + K, and multipliers not at all: with each multiplier beside a
 * coordinate of its row the factors of a chain are no larger than its links, at any frequency, and their pivots hold.
 */
static void factors_grow_with_the_links(void **state)
{
    static const double omega[] = {1e-2, 3.0, 40.0, 5e3, 1e6};
    phx_context *context = *state;
    long entries[2][5];

    for (int c = 0; c < 2; c++) {
        phx_linearised *model = beam_chain(context, c ? 40 : 20, 6, true, 0.2, 3e-6, false);
        phx_saddle saddle;
        CHECK_OK(context, phx_saddle_create(context, &model->linear.M, &model->linear.D, &model->linear.K,
                                            &model->channels.G, true, &saddle));
        for (int k = 0; k < 5; k++) {
            CHECK_OK(context, phx_saddle_factor(&saddle, I * omega[k]));
            phx_lu_stats(saddle.kkt.lu, NULL, NULL, NULL, &entries[c][k]);
            CHECK_BELOW((double)entries[c][k], 7.0 * saddle.kkt.pattern.ptr[saddle.kkt.pattern.rows],
                        "entries of the factors at %g rad/s", omega[k]);
        }
        phx_saddle_free(&saddle);
        phx_linearised_destroy(model);
    }
    for (int k = 0; k < 5; k++)
        CHECK_BETWEEN((double)entries[1][k] / (double)entries[0][k], 1.9, 2.15, "growth at %g rad/s: %ld, %ld",
                      omega[k], entries[0][k], entries[1][k]);
}

/* Every method on the lowest modes keeps passivity and is no worse than on all of them. */
static void other_methods_on_the_lowest_modes(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = beam_chain(context, 3, 6, true, 0.5, 3e-6, false);

    for (int method = PHX_REDUCE_KRYLOV; method <= PHX_REDUCE_LQG; method++) {
        model->sparse = false;
        phx_reduction *dense = reduce(context, model, (phx_reduction_method)method, 5);
        model->sparse = true;
        phx_reduction *reduction = reduce(context, model, (phx_reduction_method)method, 5);
        const phx_reduction_report *report = phx_reduction_about(reduction);
        assert_true(report->passivity.passive);
        CHECK_BETWEEN(report->dissipation, -1e-12, 1.0, "W of method %d", method);
        CHECK_BETWEEN(report->error / phx_reduction_about(dense)->error, 0.3, 1.05, "error of method %d", method);
        phx_reduction_destroy(dense);
        phx_reduction_destroy(reduction);
    }
    phx_linearised_destroy(model);
}

/* The fewest coordinates for an error: one less does not do. */
static void the_order_of_an_error(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = beam_chain(context, 2, 5, true, 0.2, 3e-6, false);
    phx_reduction_options options = phx_reduction_options_default();
    phx_reduction *by_error = NULL;

    options.error = 0.05;
    CHECK_OK(context, phx_reduce_linear(context, model, &options, &by_error));
    const int order = phx_reduction_about(by_error)->order;
    phx_reduction *less = reduce(context, model, PHX_REDUCE_MODAL, order - 1);
    CHECK_BELOW(phx_reduction_about(by_error)->error, 0.05, "with %d", order);
    CHECK_BETWEEN(phx_reduction_about(less)->error, 0.05, 10.0, "with one less");
    phx_reduction_destroy(less);
    phx_reduction_destroy(by_error);
    phx_linearised_destroy(model);
}

/* The structure says passive, and so does the Hamiltonian test; where passivity is taken away by an output that is not
 * conjugate, the test says so. */
static void certificates_agree(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 7;
    int active = 0, random_reductions = TEST_SHORTER(200, 10);

    for (int k = 0; k < random_reductions; k++) {
        phx_linearised *model = random_model(context, &seed, 0);
        const phx_reduction_method method = (phx_reduction_method)(k % 5);
        phx_reduction *reduction = reduce(context, model, method, 1 + k % 4);
        const phx_reduction_report *report = phx_reduction_about(reduction);
        phx_ss *ss = NULL;
        phx_descriptor *descriptor = NULL;
        phx_passivity turned;
        CHECK_BETWEEN(report->dissipation, -1e-10, 1.0, "%s, reduction %d: least eigenvalue of W",
                      phx_reduction_method_name(method), k);
        if (!report->passivity.passive)
            fail_msg("%s, reduction %d: not passive, %g at %g rad/s", phx_reduction_method_name(method), k,
                     report->passivity.least, report->passivity.omega);
        CHECK_OK(context, phx_reduction_descriptor(context, reduction, &descriptor, NULL));
        CHECK_OK(context, phx_ss_from_descriptor(context, descriptor, &ss));
        const int n = phx_ss_n(ss);
        double *C = calloc(2 * (size_t)n, sizeof *C);
        for (int i = 0; i < n; i++) { /* the first output against its input */
            C[i] = -phx_ss_C(ss)[i];
            C[n + i] = phx_ss_C(ss)[n + i];
        }
        phx_ss_def def = {.n = n, .n_inputs = 2, .n_outputs = 2, .A = phx_ss_A(ss), .B = phx_ss_B(ss), .C = C};
        phx_ss *other = NULL;
        CHECK_OK(context, phx_ss_create(context, &def, &other));
        CHECK_OK(context, phx_ss_passivity(context, other, 1e-8 * report->norm, &turned));
        active += !turned.passive;
        free(C);
        phx_ss_destroy(other);
        phx_ss_destroy(ss);
        phx_descriptor_destroy(descriptor);
        phx_reduction_destroy(reduction);
        phx_linearised_destroy(model);
    }
    assert_int_equal(active, random_reductions);
}

/* With room for one direction at a resonance the mode is taken, not what is left beside it. */
static void one_direction_at_a_resonance(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = beam_chain(context, 1, 4, true, 0.5, 1e-5, false);
    const phx_reduction_point at = {.im = model->reduced.omega[model->reduced.rigid]};
    const phx_reduction_options options = {.method = PHX_REDUCE_KRYLOV, .order = 1, .points = &at, .n_points = 1};
    phx_reduction *reduction = NULL, *modal = reduce(context, model, PHX_REDUCE_MODAL, 1);

    CHECK_OK(context, phx_reduce_linear(context, model, &options, &reduction));
    CHECK_BELOW(phx_reduction_about(reduction)->error, 1.05 * phx_reduction_about(modal)->error, "error");
    phx_reduction_destroy(modal);
    phx_reduction_destroy(reduction);
    phx_linearised_destroy(model);
}

/* ---- forms ---- */
static void the_forms_are_one_model(void **state)
{
    phx_context *context = *state;
    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_LQG; method++) {
        phx_linearised *model = beam_chain(context, 2, 4, false, 0.0, 1e-5, false);
        phx_reduction *reduction = reduce(context, model, (phx_reduction_method)method, 4);
        phx_descriptor *descriptor = NULL;
        phx_measured measured = {0};
        phx_ss *ss = NULL;
        phx_ss_second_order_def def;
        int n = 0, count = 0;
        CHECK_OK(context, phx_reduction_descriptor(context, reduction, &descriptor, &measured));
        CHECK_OK(context, phx_reduction_ss(context, reduction, false, &ss));
        assert_string_equal(phx_descriptor_port_name(descriptor, 1), "u2");
        assert_string_equal(phx_ss_input(ss, 1), "u2");
        assert_string_equal(phx_ss_output(ss, 0), "place1");
        assert_int_equal(measured.C.rows, 2);
        assert_non_null(phx_reduction_basis(reduction, &n, &count));
        assert_int_equal(n, model->linear.n);
        const phx_status second = phx_reduction_second_order(context, reduction, &def);
        if (method <= PHX_REDUCE_KRYLOV) {
            CHECK_OK(context, second);
            assert_int_equal(def.n, count);
            phx_ss *from = NULL;
            double a[8], b[8];
            CHECK_OK(context, phx_ss_from_second_order(context, &def, &from));
            CHECK_OK(context, phx_ss_response(context, from, 33.0, a));
            CHECK_OK(context, phx_ss_response(context, ss, 33.0, b));
            CHECK_VECTOR(8, a, b, 1e-11, "second order against state space");
            phx_ss_destroy(from);
        } else {
            CHECK_STATUS(context, second, PHX_ERR_UNSUPPORTED);
        }
        phx_measured_free(&measured);
        phx_descriptor_destroy(descriptor);
        phx_ss_destroy(ss);
        phx_reduction_destroy(reduction);
        phx_linearised_destroy(model);
    }
}

/* ---- refusals ---- */
static void refuse(phx_context *context, const phx_linearised *model, phx_reduction_options options, phx_status status,
                   const char *message)
{
    phx_reduction *reduction = (phx_reduction *)&options;
    CHECK_STATUS(context, phx_reduce_linear(context, model, &options, &reduction), status);
    assert_null(reduction);
    CHECK_MESSAGE(context, message);
}

static void refused_with_the_reason(void **state)
{
    phx_context *context = *state;
    const phx_reduction_options none = phx_reduction_options_default();
    phx_linearised *bare = beam_chain(context, 2, 4, false, 0.0, 0.0, false);
    phx_linearised *damped = beam_chain(context, 2, 4, false, 0.5, 0.0, false);
    const phx_reduction_point zero = {0}, one = {.im = 30.0};
    phx_reduction_options o = none;

    refuse(context, bare, none, PHX_ERR_ARGUMENT, "needs an order");
    o.order = 400;
    refuse(context, bare, o, PHX_ERR_ARGUMENT, "more than there is");
    o.error = 0.1;
    refuse(context, bare, o, PHX_ERR_ARGUMENT, "not both");
    o.order = 0;
    refuse(context, bare, o, PHX_ERR_ANALYSIS, "give a band, or a modal damping");
    o.error = -1.0;
    refuse(context, bare, o, PHX_ERR_ARGUMENT, "between 0 and 1");
    o = none;
    o.order = 3;
    o.band[0] = 5.0;
    o.band[1] = 2.0;
    refuse(context, bare, o, PHX_ERR_ARGUMENT, "band");
    o = none;
    o.order = 3;
    o.method = PHX_REDUCE_XMIN;
    refuse(context, bare, o, PHX_ERR_ANALYSIS, "without damping");
    o.method = PHX_REDUCE_LQG;
    refuse(context, bare, o, PHX_ERR_ANALYSIS, "characteristic values of 'lqg' are one");
    o.points = &one;
    o.n_points = 1;
    refuse(context, bare, o, PHX_ERR_ARGUMENT, "for the method 'krylov'");
    o.method = PHX_REDUCE_KRYLOV;
    refuse(context, bare, o, PHX_ERR_ARGUMENT, "give more points");
    o.points = &zero;
    refuse(context, damped, o, PHX_ERR_ANALYSIS, "at s = 0");
    phx_linearised_destroy(bare);
    phx_linearised_destroy(damped);
}

static void every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    phx_linearised *model = beam_chain(context, 2, 2, false, 0.0, 1e-5, false);
    for (int method = PHX_REDUCE_MODAL; method <= PHX_REDUCE_LQG; method++) {
        phx_status status = PHX_ERR_MEMORY;
        long n = 0;
        for (; status != PHX_OK; n += 1 + n / 6) {
            phx_reduction_options options = {.method = (phx_reduction_method)method, .order = 2};
            phx_reduction *reduction = NULL;
            phx_context_fail_allocation(context, n);
            status = phx_reduce_linear(context, model, &options, &reduction);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("method %d, allocation %ld: status %d: %s", method, n, (int)status,
                         phx_context_message(context));
            phx_reduction_destroy(reduction);
            assert_true(n < 1000000);
        }
    }
    phx_linearised_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_chain_is_the_benchmark, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_least_storage_function_is_decisive, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(krylov_interpolates_with_the_derivative, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(tangential_and_static_points, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(prescribed_rates_at_both_ends, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(all_coordinates_are_the_model, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_bound_holds, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(large_models_by_their_lowest_modes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_rest_of_a_sum, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(responses_by_sparse_factors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(factors_grow_with_the_links, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(other_methods_on_the_lowest_modes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_order_of_an_error, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(certificates_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(one_direction_at_a_resonance, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_forms_are_one_model, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(refused_with_the_reason, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
