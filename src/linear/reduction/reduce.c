/* The reduction of a linear model: choice of the order, the result, its certificates. */
#include <math.h>
#include <string.h>

#include "work.h"

static void reduce_work_free(phx_reduction_work *work)
{
    phx_full_free(&work->full);
    phx_projected_free(&work->all);
    phx_dominance_free(&work->dominance);
    phx_ph_free(&work->measure.full);
    phx_free(work->measure.curves.omega);
    phx_free(work->measure.rest);
    phx_ph_free(&work->own);
    phx_ph_free(&work->stored);
    phx_free(work->balanced);
    phx_free(work->values);
    phx_free(work->T);
}

/* Of the free motions: largest eigenvalue of the scaled F^T F. */
static phx_status find_rigid_gain(phx_reduction_work *work)
{
    const int m = work->full.m;
    double *gram = phx_calloc(work->context, (size_t)m * (size_t)m + (size_t)m + 1, sizeof *gram),
           *values = phx_behind(gram, (size_t)(m * m));
    phx_status status = gram ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < work->full.free && !status; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                gram[i * m + j] += work->dominance.scale[i] * work->all.F[k * m + i] *
                                   (work->dominance.scale[j] * work->all.F[k * m + j]);
    if (!status)
        status = phx_dense_eigen_symmetric(work->context, m, gram, NULL, values, NULL);
    work->measure.rigid_gain = status ? 0.0 : values[m - 1];
    phx_free(gram);
    return status;
}

/* Independent columns of V^T M X, V the elastic modes. */
static phx_status count_lifted(phx_reduction_work *work)
{
    const phx_projected *all = &work->all;
    const int count = phx_elastic_modes(work), held = work->full.held;
    double *columns = phx_calloc(work->context, (size_t)count * (size_t)(held + 1) + 1, sizeof *columns),
           *x = phx_behind(columns, (size_t)count * (size_t)held);

    if (!columns)
        return PHX_ERR_MEMORY;
    for (int s = 0; s < held && work->lifted < count; s++) {
        for (int i = 0; i < count; i++)
            x[i] = all->M[(all->rigid + i) * all->c + all->r + s];
        work->lifted += phx_append(count, work->lifted, columns, x, DEPENDENT);
    }
    phx_free(columns);
    return PHX_OK;
}

/* Finds the modes of the mechanism, projects it on them, chooses the damping to measure with and the dominance of the
 * modes. */
static phx_status weigh_modes(phx_reduction_work *work, const phx_linearised *linearised, int most)
{
    phx_status status = phx_full_create(work->context, linearised, most, &work->full);

    if (!status && phx_elastic_modes(work) == 0)
        status =
            phx_fail(work->context, PHX_ERR_ARGUMENT, "the model has no elastic modes: there is nothing to reduce");
    if (!status && work->full.m == 0)
        status = phx_fail(work->context, PHX_ERR_ARGUMENT, "a reduction needs inputs: there is none");
    if (!status)
        status = phx_project(&work->full, phx_elastic_modes(work), NULL, NULL, &work->all);
    if (!status)
        status = count_lifted(work);
    if (!status)
        status = phx_reduction_choose_damping(work);
    return status ? status : phx_dominance_find(&work->full, &work->all, work->nominal, &work->dominance);
}

/* Whether no mode that is not known weighs more than those kept, or, for an error, all of them together do not matter.
 * Without a bound of these nothing can be said. */
static bool enough(const phx_reduction_work *work)
{
    const phx_dominance *dominance = &work->dominance;
    const int order = work->options->order;

    if (!phx_full_is_part(&work->full) || !dominance->bounded)
        return true;
    if (order > dominance->count)
        return false;
    return order > 0 ? dominance->unknown <= dominance->largest[order - 1]
                     : dominance->unknown <= 0.3 * work->options->error * dominance->largest[0];
}

/* All modes where the linearisation has them; else the lowest, as many as it takes, up to a limit. */
static phx_status find_modes(phx_reduction_work *work, const phx_linearised *linearised)
{
    enum { FIRST = 60, LIMIT = 120 };
    const int order = work->options->order;
    int most = 3 * order > FIRST ? 3 * order : FIRST, before = -1;
    phx_status status = weigh_modes(work, linearised, most);

    while (!status && !enough(work) && most < LIMIT && phx_elastic_modes(work) > before) {
        before = phx_elastic_modes(work);
        most *= 2;
        phx_full_free(&work->full);
        phx_projected_free(&work->all);
        phx_dominance_free(&work->dominance);
        status = weigh_modes(work, linearised, most);
    }
    return status;
}

/* Prepares a reduction up to the full port-Hamiltonian system with its norms; fails if no input moves an elastic
 * mode. */
static phx_status reduce_prepare(phx_reduction_work *work, const phx_linearised *linearised)
{
    const phx_reduction_options *o = work->options;
    phx_status status = find_modes(work, linearised);

    if (!status)
        status = phx_ph_of(&work->full, &work->all, work->nominal, work->dominance.scale, &work->measure.full);
    if (!status && phx_first_order(work) && work->full.held > 0 && work->nominal > 0.0)
        status = phx_ph_of(&work->full, &work->all, 0.0, work->dominance.scale, &work->own);
    work->measure.context = work->context;
    work->measure.options = o;
    work->measure.mechanism = &work->full;
    work->measure.dominance = &work->dominance;
    work->measure.band = o->band[1] > 0.0 ? o->band : NULL;
    if (!status)
        status = find_rigid_gain(work);
    if (!status)
        status = phx_error_begin(&work->measure);
    if (!status && !(work->measure.norm.lower > 0.0))
        status =
            phx_fail(work->context, PHX_ERR_ANALYSIS, "the inputs move no elastic mode: there is nothing to reduce");
    return status;
}

/* ---- the order of an error ---- */
static bool good_enough(const phx_reduction_work *work, const phx_reduction_report *report)
{
    return report->error <= work->options->error && !(report->error_local > work->options->error);
}

/* The fewest coordinates with which the error holds: doubled until it does, then halved. */
static phx_status reduce_search(phx_reduction_work *work, phx_candidate *out, phx_reduction_report *report)
{
    const int most = phx_elastic_modes(work);
    int high = work->lifted > 1 ? work->lifted : 1, low = high - 1, last = 0;
    phx_status status = phx_reduction_try(work, high, out, report);

    for (last = high; !status && !good_enough(work, report) && high < most; last = high) {
        low = high;
        high = 2 * high < most ? 2 * high : most;
        status = phx_reduction_try(work, high, out, report);
    }
    if (!status && !good_enough(work, report))
        return phx_fail(work->context, PHX_ERR_ANALYSIS,
                        "'%s' does not reach an error of %g: with all its %d coordinates it is %.3g",
                        phx_reduction_method_name(work->options->method), work->options->error, report->order,
                        fmax(report->error, report->error_local));
    while (!status && high - low > 1) {
        const int middle = (low + high) / 2;
        status = phx_reduction_try(work, middle, out, report);
        last = middle;
        *(good_enough(work, report) ? &high : &low) = middle;
    }
    return !status && last != high ? phx_reduction_try(work, high, out, report) : status;
}

/* ---- the result and its certificates ---- */
/* Ports as they are: those of the scaled system over the scale. */
static void unscale(const phx_reduction_work *work, phx_ph *ph)
{
    const double *scale = work->dominance.scale;

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
static phx_status reduce_take(phx_reduction_work *work, phx_candidate *best, phx_reduction *out)
{
    phx_ph own = {0}, reduced = {0};
    phx_status status = PHX_OK;

    if (!phx_first_order(work))
        return phx_reduction_take_second(&work->full, &best->projected, out);
    if (best->inner) { /* the least storage function belongs to the damping it was found with */
        status = phx_ph_project(work->context, &work->stored, best->k, best->inner, &reduced);
        if (!status)
            unscale(work, &reduced);
    } else {
        status = phx_ph_of(&work->full, &work->all, 0.0, NULL, &own);
        if (!status)
            status = phx_ph_project(work->context, &own, best->k, best->Z, &reduced);
    }
    if (!status)
        status = phx_reduction_take_first(&work->full, &work->all, &reduced, best->Z, out);
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
static phx_status verify_structure(phx_reduction_work *work, const phx_candidate *best, phx_reduction *out)
{
    static const double ACCURACY = 1e-8; /* relative to the norm of the model */
    enum { HAMILTONIAN = 300 };
    phx_descriptor *descriptor = NULL;
    phx_descriptor_structure structure = {0};
    phx_ss *system = NULL;
    double size = 0.0;
    phx_status status = out->second ? phx_descriptor_by_rates(work->context, out->second, &descriptor)
                                    : phx_reduction_by_rates(work->context, out, &descriptor);

    if (!status)
        status = phx_descriptor_check(work->context, descriptor, &structure);
    if (!status)
        size = fmax(largest_entry(phx_descriptor_R(descriptor)),
                    fmax(largest_entry(phx_descriptor_P(descriptor)), largest_entry(phx_descriptor_S(descriptor))));
    out->report.dissipation = size > 0.0 ? structure.W_least / size : structure.W_least;
    phx_descriptor_destroy(descriptor);
    if (!status && best->ph.n <= HAMILTONIAN) {
        status = phx_ph_ss(work->context, "reduced model", &best->ph, false, &system);
        if (!status)
            status =
                phx_ss_passivity(work->context, system, ACCURACY * work->measure.norm.upper, &out->report.passivity);
        out->report.passivity.shift /= work->measure.norm.upper;
        out->report.passivity.least /= work->measure.norm.upper;
        phx_ss_destroy(system);
    } else
        out->report.passivity.least = NAN;
    return status;
}

/* max |A_i v| / |A_i| over the rows of A and the columns of the basis but the lifting, whose A X = (0; I). */
static phx_status constraint_residual(const phx_reduction_work *work, phx_reduction *out)
{
    const int n = out->n, count = out->second ? out->count - work->full.held : work->full.rigid;
    const phx_csr *A = &work->full.A;
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
static phx_status reduce_finish(phx_reduction_work *work, phx_candidate *best, phx_reduction *out)
{
    phx_reduction_report *report = &out->report;
    phx_status status = reduce_take(work, best, out);

    report->method = work->options->method;
    report->full = work->full.elastic;
    report->rigid = work->full.rigid;
    report->held = work->full.held;
    report->states = out->second ? 2 * out->count : out->states + out->held;
    for (int k = 0; k < work->full.m; k++) /* a rate is given, not a state */
        report->states -= work->full.plant->channels.kind[k] == PHX_CHANNEL_RATE;
    report->damping = work->nominal;
    report->norm = work->measure.norm.lower;
    report->norm_h2 = work->measure.h2;
    report->feedthrough = work->shift / work->measure.norm.upper;
    if (!status)
        status = constraint_residual(work, out);
    if (!status)
        status = verify_structure(work, best, out);
    if (!status)
        status = phx_error_curves(&work->measure, &best->ph, &out->curves);
    return status;
}

/* Reduces a linearised mechanism to the order or to the error of the options; *reduction is NULL after an error. */
phx_status phx_reduce_linear(phx_context *context, const phx_linearised *linearised,
                             const phx_reduction_options *options, phx_reduction **reduction)
{
    if (!linearised || !options || !reduction)
        return phx_fail_null(context, __func__, "linearised, options or reduction");
    phx_reduction_work work = {.context = context, .options = options};
    phx_candidate best = {0};
    phx_reduction *out = phx_calloc(context, 1, sizeof *out);
    phx_status status = out ? phx_reduction_check(context, options) : PHX_ERR_MEMORY;

    *reduction = NULL;
    if (!status) {
        out->name = phx_strdup(context, linearised->name);
        status = out->name ? reduce_prepare(&work, linearised) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_reduction_check_order(&work, options->order);
    if (!status)
        status = options->error > 0.0 ? reduce_search(&work, &best, &out->report)
                                      : phx_reduction_try(&work, options->order, &best, &out->report);
    if (!status)
        status = reduce_finish(&work, &best, out);
    phx_candidate_free(&best);
    reduce_work_free(&work);
    if (status)
        phx_reduction_destroy(out);
    else
        *reduction = out;
    return phx_conclude(context, status);
}
