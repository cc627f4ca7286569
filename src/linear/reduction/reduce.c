/* The reduction of a linear model: choice of the order, the result, its certificates. */
#include <math.h>
#include <string.h>

#include "work.h"

static void reduce_work_free(phx_reduction_work *it)
{
    phx_full_free(&it->full);
    phx_projected_free(&it->all);
    phx_dominance_free(&it->dominance);
    phx_ph_free(&it->measure.full);
    phx_free(it->measure.curves.omega);
    phx_free(it->measure.rest);
    phx_ph_free(&it->own);
    phx_ph_free(&it->stored);
    phx_free(it->balanced);
    phx_free(it->values);
    phx_free(it->T);
}

/* Of the free motions: largest eigenvalue of the scaled F^T F. */
static phx_status find_rigid_gain(phx_reduction_work *it)
{
    const int m = it->full.m;
    double *gram = phx_calloc(it->context, (size_t)m * (size_t)m + (size_t)m + 1, sizeof *gram),
           *values = phx_behind(gram, (size_t)(m * m));
    phx_status status = gram ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < it->full.free && !status; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                gram[i * m + j] +=
                    it->dominance.scale[i] * it->all.F[k * m + i] * (it->dominance.scale[j] * it->all.F[k * m + j]);
    if (!status)
        status = phx_dense_eigen_symmetric(it->context, m, gram, NULL, values, NULL);
    it->measure.rigid_gain = status ? 0.0 : values[m - 1];
    phx_free(gram);
    return status;
}

/* Independent columns of V^T M X, V the elastic modes. */
static phx_status count_lifted(phx_reduction_work *it)
{
    const phx_projected *all = &it->all;
    const int count = phx_elastic_modes(it), held = it->full.held;
    double *columns = phx_calloc(it->context, (size_t)count * (size_t)(held + 1) + 1, sizeof *columns),
           *x = phx_behind(columns, (size_t)count * (size_t)held);

    if (!columns)
        return PHX_ERR_MEMORY;
    for (int s = 0; s < held && it->lifted < count; s++) {
        for (int i = 0; i < count; i++)
            x[i] = all->M[(all->rigid + i) * all->c + all->r + s];
        it->lifted += phx_append(count, it->lifted, columns, x, 1e-10);
    }
    phx_free(columns);
    return PHX_OK;
}

/* Finds the modes of the mechanism, projects it on them, chooses the damping to measure with and the dominance of the
 * modes. */
static phx_status weigh_modes(phx_reduction_work *it, const phx_linearised *linearised, int most)
{
    phx_status status = phx_full_create(it->context, linearised, most, &it->full);

    if (!status && phx_elastic_modes(it) == 0)
        status = phx_fail(it->context, PHX_ERR_ARGUMENT, "the model has no elastic modes: there is nothing to reduce");
    if (!status && it->full.m == 0)
        status = phx_fail(it->context, PHX_ERR_ARGUMENT, "a reduction needs inputs: there is none");
    if (!status)
        status = phx_project(&it->full, phx_elastic_modes(it), NULL, NULL, &it->all);
    if (!status)
        status = count_lifted(it);
    if (!status)
        status = phx_reduction_choose_damping(it);
    return status ? status : phx_dominance_find(&it->full, &it->all, it->nominal, &it->dominance);
}

/* Whether no mode that is not known weighs more than those kept, or, for an error, all of them together do not matter.
 * Without a bound of these nothing can be said. */
static bool enough(const phx_reduction_work *it)
{
    const phx_dominance *dominance = &it->dominance;
    const int order = it->options->order;

    if (!phx_full_is_part(&it->full) || !dominance->bounded)
        return true;
    if (order > dominance->count)
        return false;
    return order > 0 ? dominance->unknown <= dominance->largest[order - 1]
                     : dominance->unknown <= 0.3 * it->options->error * dominance->largest[0];
}

/* All modes where the linearisation has them; else the lowest, as many as it takes, up to a limit. */
static phx_status find_modes(phx_reduction_work *it, const phx_linearised *linearised)
{
    enum { FIRST = 60, LIMIT = 120 };
    const int order = it->options->order;
    int most = 3 * order > FIRST ? 3 * order : FIRST, before = -1;
    phx_status status = weigh_modes(it, linearised, most);

    while (!status && !enough(it) && most < LIMIT && phx_elastic_modes(it) > before) {
        before = phx_elastic_modes(it);
        most *= 2;
        phx_full_free(&it->full);
        phx_projected_free(&it->all);
        phx_dominance_free(&it->dominance);
        status = weigh_modes(it, linearised, most);
    }
    return status;
}

/* Prepares a reduction up to the full port-Hamiltonian system with its norms; fails if no input moves an elastic
 * mode. */
static phx_status reduce_prepare(phx_reduction_work *it, const phx_linearised *linearised)
{
    const phx_reduction_options *o = it->options;
    phx_status status = find_modes(it, linearised);

    if (!status)
        status = phx_ph_of(&it->full, &it->all, it->nominal, it->dominance.scale, &it->measure.full);
    if (!status && phx_first_order(it) && it->full.held > 0 && it->nominal > 0.0)
        status = phx_ph_of(&it->full, &it->all, 0.0, it->dominance.scale, &it->own);
    it->measure.context = it->context;
    it->measure.options = o;
    it->measure.mechanism = &it->full;
    it->measure.dominance = &it->dominance;
    it->measure.band = o->band[1] > 0.0 ? o->band : NULL;
    if (!status)
        status = find_rigid_gain(it);
    if (!status)
        status = phx_error_begin(&it->measure);
    if (!status && !(it->measure.norm.lower > 0.0))
        status = phx_fail(it->context, PHX_ERR_ANALYSIS, "the inputs move no elastic mode: there is nothing to reduce");
    return status;
}

/* ---- the order of an error ---- */
static bool good_enough(const phx_reduction_work *it, const phx_reduction_report *report)
{
    return report->error <= it->options->error && !(report->error_local > it->options->error);
}

/* The fewest coordinates with which the error holds: doubled until it does, then halved. */
static phx_status reduce_search(phx_reduction_work *it, phx_candidate *out, phx_reduction_report *report)
{
    const int most = phx_elastic_modes(it);
    int high = it->lifted > 1 ? it->lifted : 1, low = high - 1, last = 0;
    phx_status status = phx_reduction_try(it, high, out, report);

    for (last = high; !status && !good_enough(it, report) && high < most; last = high) {
        low = high;
        high = 2 * high < most ? 2 * high : most;
        status = phx_reduction_try(it, high, out, report);
    }
    if (!status && !good_enough(it, report))
        return phx_fail(it->context, PHX_ERR_ANALYSIS,
                        "'%s' does not reach an error of %g: with all its %d coordinates it is %.3g",
                        phx_reduction_method_name(it->options->method), it->options->error, report->order,
                        fmax(report->error, report->error_local));
    while (!status && high - low > 1) {
        const int middle = (low + high) / 2;
        status = phx_reduction_try(it, middle, out, report);
        last = middle;
        *(good_enough(it, report) ? &high : &low) = middle;
    }
    return !status && last != high ? phx_reduction_try(it, high, out, report) : status;
}

/* ---- the result and its certificates ---- */
/* Ports as they are: those of the scaled system over the scale. */
static void unscale(const phx_reduction_work *it, phx_ph *ph)
{
    const double *scale = it->dominance.scale;

    for (int i = 0; i < ph->n; i++)
        for (int k = 0; k < ph->m; k++) {
            ph->B[i * ph->m + k] /= scale[k];
            ph->P[i * ph->m + k] /= scale[k];
        }
    for (int i = 0; i < ph->m; i++)
        for (int k = 0; k < ph->m; k++) {
            ph->S[i * ph->m + k] /= scale[i] * scale[k]; /* the same for (k, i) */
            ph->N[i * ph->m + k] /= scale[i] * scale[k];
        }
}

/* Turns the best candidate into the result, with the mechanism's own damping. */
static phx_status reduce_take(phx_reduction_work *it, phx_candidate *best, phx_reduction *out)
{
    phx_ph own = {0}, reduced = {0};
    phx_status status = PHX_OK;

    if (!phx_first_order(it))
        return phx_reduction_take_second(&it->full, &best->projected, out);
    if (best->inner) { /* the least storage function belongs to the damping it was found with */
        status = phx_ph_project(it->context, &it->stored, best->k, best->inner, &reduced);
        if (!status)
            unscale(it, &reduced);
    } else {
        status = phx_ph_of(&it->full, &it->all, 0.0, NULL, &own);
        if (!status)
            status = phx_ph_project(it->context, &own, best->k, best->Z, &reduced);
    }
    if (!status)
        status = phx_reduction_take_first(&it->full, &it->all, &reduced, best->Z, out);
    phx_ph_free(&own);
    phx_ph_free(&reduced);
    return status;
}

static double largest_entry(const phx_csr *a)
{
    double most = 0.0;

    for (int k = 0; a->rows > 0 && k < a->ptr[a->rows]; k++)
        most = fmax(most, fabs(a->val[k]));
    return most;
}

/* Least eigenvalue of W over its largest entry, and the Hamiltonian test of what was measured. */
static phx_status verify_structure(phx_reduction_work *it, const phx_candidate *best, phx_reduction *out)
{
    enum { HAMILTONIAN = 300 };
    phx_descriptor *descriptor = NULL;
    phx_descriptor_structure structure = {0};
    phx_ss *system = NULL;
    double size = 0.0;
    phx_status status = out->second ? phx_descriptor_by_rates(it->context, out->second, &descriptor)
                                    : phx_reduction_by_rates(it->context, out, &descriptor);

    if (!status)
        status = phx_descriptor_check(it->context, descriptor, &structure);
    if (!status)
        size = fmax(largest_entry(phx_descriptor_R(descriptor)),
                    fmax(largest_entry(phx_descriptor_P(descriptor)), largest_entry(phx_descriptor_S(descriptor))));
    out->report.dissipation = size > 0.0 ? structure.W_least / size : structure.W_least;
    phx_descriptor_destroy(descriptor);
    if (!status && best->ph.n <= HAMILTONIAN) {
        status = phx_ph_ss(it->context, "reduced model", &best->ph, false, &system);
        if (!status)
            status = phx_ss_passivity(it->context, system, 1e-8 * it->measure.norm.upper, &out->report.passivity);
        out->report.passivity.shift /= it->measure.norm.upper;
        out->report.passivity.least /= it->measure.norm.upper;
        phx_ss_destroy(system);
    } else
        out->report.passivity.least = NAN;
    return status;
}

/* max |A_i v| / |A_i| over the rows of A and the columns of the basis but the lifting, whose A X = (0; I). */
static phx_status constraint_residual(const phx_reduction_work *it, phx_reduction *out)
{
    const int n = out->n, count = out->second ? out->count - it->full.held : it->full.rigid;
    const phx_csr *A = &it->full.A;
    double worst = 0.0;

    for (int i = 0; i < A->rows && n > 0; i++) {
        double size = 0.0;
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++)
            size = hypot(size, A->val[k]);
        for (int j = 0; j < count; j++) {
            double sum = 0.0;
            for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++)
                sum += A->val[k] * out->basis[(size_t)A->idx[k] * (size_t)out->count + (size_t)j];
            worst = fmax(worst, fabs(sum) / size);
        }
    }
    out->report.constraints = worst;
    return PHX_OK;
}

/* Completes the result with its report, its certificates of constraints and structure, and its error curves. */
static phx_status reduce_finish(phx_reduction_work *it, phx_candidate *best, phx_reduction *out)
{
    phx_reduction_report *report = &out->report;
    phx_status status = reduce_take(it, best, out);

    report->method = it->options->method;
    report->full = it->full.elastic;
    report->rigid = it->full.rigid;
    report->held = it->full.held;
    report->states = out->second ? 2 * out->count : out->states + out->held;
    for (int k = 0; k < it->full.m; k++) /* a rate is given, not a state */
        report->states -= it->full.it->channels.kind[k] == PHX_CHANNEL_RATE;
    report->damping = it->nominal;
    report->norm = it->measure.norm.lower;
    report->norm_h2 = it->measure.h2;
    report->feedthrough = it->shift / it->measure.norm.upper;
    if (!status)
        status = constraint_residual(it, out);
    if (!status)
        status = verify_structure(it, best, out);
    if (!status)
        status = phx_error_curves(&it->measure, &best->ph, &out->curves);
    return status;
}

/* Reduces a linearised mechanism to the order or to the error of the options; *reduction is NULL after an error. */
phx_status phx_reduce_linear(phx_context *context, const phx_linearised *linearised,
                             const phx_reduction_options *options, phx_reduction **reduction)
{
    if (!linearised || !options || !reduction)
        return phx_fail_null(context, __func__, "linearised, options or reduction");
    phx_reduction_work it = {.context = context, .options = options};
    phx_candidate best = {0};
    phx_reduction *out = phx_calloc(context, 1, sizeof *out);
    phx_status status = out ? phx_reduction_check(context, options) : PHX_ERR_MEMORY;

    *reduction = NULL;
    if (!status) {
        out->name = phx_strdup(context, linearised->name);
        status = out->name ? reduce_prepare(&it, linearised) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_reduction_check_order(&it, options->order);
    if (!status)
        status = options->error > 0.0 ? reduce_search(&it, &best, &out->report)
                                      : phx_reduction_try(&it, options->order, &best, &out->report);
    if (!status)
        status = reduce_finish(&it, &best, out);
    phx_candidate_free(&best);
    reduce_work_free(&it);
    if (status)
        phx_reduction_destroy(out);
    else
        *reduction = out;
    return phx_conclude(context, status);
}
