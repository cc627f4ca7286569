/* The reduction of a linear model: choice of the order, the methods, the report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

/* Modal damping to measure undamped models with. */
static const double usual_damping = 0.005;

const char *phx_reduction_method_name(phx_reduction_method method)
{
    static const char *const names[] = {"modal", "krylov", "irka", "lqg", "xmin"};
    return method >= PHX_REDUCE_MODAL && method <= PHX_REDUCE_XMIN ? names[method] : "unknown";
}

phx_reduction_options phx_reduction_options_default(void)
{
    return (phx_reduction_options){.method = PHX_REDUCE_MODAL};
}

/* ---- the work ---- */
typedef struct work {
    phx_context *context;
    const phx_reduction_options *options;
    phx_full full;
    phx_projected all; /* all modes */
    phx_dominance dominance;
    phx_error_measure measure;
    double nominal;            /* damping that is measured with; 0: the model's */
    double *balanced, *values; /* of lqg: all directions and characteristic values */
    phx_ph stored;             /* of xmin: the system in the coordinates of the least storage function, T x */
    double *T, shift;
} work;

/* A reduction that has been tried. */
typedef struct candidate {
    phx_projected projected; /* of second order */
    int k;                   /* of first order: states, and x = Z z of the full system */
    double *Z, *inner;       /* inner: the basis in the coordinates of the least storage function; NULL: Z */
    phx_ph ph;               /* scaled, as it was measured */
} candidate;

static void candidate_free(candidate *it)
{
    phx_projected_free(&it->projected);
    phx_free(it->Z);
    phx_free(it->inner);
    phx_ph_free(&it->ph);
    *it = (candidate){0};
}

static void work_free(work *it)
{
    phx_full_free(&it->full);
    phx_projected_free(&it->all);
    phx_dominance_free(&it->dominance);
    phx_ph_free(&it->measure.full);
    phx_free(it->measure.curves.omega);
    phx_ph_free(&it->stored);
    phx_free(it->balanced);
    phx_free(it->values);
    phx_free(it->T);
}

static bool first_order(const work *it)
{
    return it->options->method >= PHX_REDUCE_IRKA;
}

static int elastic_modes(const work *it)
{
    return it->full.f - it->full.rigid;
}

/* ---- what is asked for ---- */
static phx_status check_options(phx_context *context, const phx_reduction_options *o)
{
    if (o->method < PHX_REDUCE_MODAL || o->method > PHX_REDUCE_XMIN)
        return phx_fail(context, PHX_ERR_ARGUMENT, "there is no method of reduction %d", (int)o->method);
    if (!(o->error >= 0.0 && o->error < 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a relative error of %g; it must lie between 0 and 1", o->error);
    if (o->order < 0 || (o->order == 0 && !(o->error > 0.0) && o->n_points == 0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "a reduction by '%s' needs an order, 1 or more, or a relative error, above 0",
                        phx_reduction_method_name(o->method));
    if (o->order > 0 && o->error > 0.0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "either an order or an error can be asked for, not both");
    if (!(o->damping >= 0.0 && o->damping < 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a modal damping of %g; it must lie between 0 and 1", o->damping);
    if (!(o->band[0] >= 0.0 && o->band[1] >= 0.0 && (o->band[1] > o->band[0] || o->band[1] == 0.0)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a band from %g to %g rad/s; it must begin at 0 or above and rise",
                        o->band[0], o->band[1]);
    if (o->n_points > 0 && (o->method != PHX_REDUCE_KRYLOV || !o->points))
        return phx_fail(context, PHX_ERR_ARGUMENT, "points of interpolation are for the method 'krylov'");
    for (int k = 0; k < o->n_points; k++)
        if (!o->points[k].infinite && (!isfinite(o->points[k].re) || !isfinite(o->points[k].im)))
            return phx_fail(context, PHX_ERR_ARGUMENT, "point %d of interpolation is not finite", k + 1);
    return PHX_OK;
}

/* Whether a mode is without damping to rounding. */
static bool undamped(const work *it)
{
    for (int k = it->full.rigid; k < it->full.f; k++)
        if (!(it->all.D[k * it->all.c + k] > 1e-12 * it->full.omega[k]))
            return true;
    return false;
}

static phx_status choose_damping(work *it)
{
    const phx_reduction_options *o = it->options;
    const bool bare = undamped(it);

    if (bare && o->error > 0.0 && o->damping == 0.0 && !(o->band[1] > 0.0))
        return phx_fail(it->context, PHX_ERR_ANALYSIS,
                        "the model has modes without damping, and an error over all frequencies no measure: give a "
                        "band, or a modal damping to measure with");
    if (bare && o->method == PHX_REDUCE_XMIN)
        return phx_fail(it->context, PHX_ERR_ANALYSIS,
                        "the model has modes without damping: its energy is its only storage function, and 'xmin' has "
                        "nothing to choose; take 'modal' or 'irka'");
    if (bare && o->method == PHX_REDUCE_LQG && o->damping == 0.0)
        return phx_fail(
            it->context, PHX_ERR_ANALYSIS,
            "the model has modes without damping, of which all characteristic values of 'lqg' are one: they "
            "carry no order; take 'modal' or 'krylov', or give a modal damping to choose with");
    it->nominal = o->damping > 0.0 ? o->damping : bare ? usual_damping : 0.0;
    return PHX_OK;
}

static phx_status check_order(const work *it, int order)
{
    const int most = elastic_modes(it);

    if (order > most)
        return phx_fail(it->context, PHX_ERR_ARGUMENT,
                        "an order of %d is more than there is: the model has %d elastic coordinates beside rigid and "
                        "prescribed motions",
                        order, most);
    return PHX_OK;
}

static phx_status refuse_rates(const work *it)
{
    const phx_channels *channels = &it->full.it->channels;

    for (int k = 0; k < channels->n_inputs && first_order(it); k++)
        if (channels->held[k] >= 0)
            return phx_fail(it->context, PHX_ERR_UNSUPPORTED,
                            "'%s' has no lifting for the prescribed rate '%s', whose effort is improper; take 'modal' "
                            "or 'krylov', or the effort as input",
                            phx_reduction_method_name(it->options->method), channels->inputs[k]);
    return PHX_OK;
}

/* Of the free motions: largest eigenvalue of the scaled F^T F. */
static phx_status find_rigid_gain(work *it)
{
    const int m = it->full.m;
    double *gram = phx_calloc(it->context, (size_t)m * (size_t)m + (size_t)m + 1, sizeof *gram), *values = gram + m * m;
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

static phx_status prepare(work *it, const phx_linearised *linearised)
{
    const phx_reduction_options *o = it->options;
    phx_status status = phx_full_create(it->context, linearised, &it->full);

    if (!status)
        status = refuse_rates(it);
    if (!status && elastic_modes(it) == 0)
        status = phx_fail(it->context, PHX_ERR_ARGUMENT, "the model has no elastic modes: there is nothing to reduce");
    if (!status && it->full.m == 0)
        status = phx_fail(it->context, PHX_ERR_ARGUMENT, "a reduction needs inputs: there is none");
    if (!status)
        status = phx_project(&it->full, elastic_modes(it), NULL, NULL, &it->all);
    if (!status)
        status = choose_damping(it);
    if (!status)
        status = phx_dominance_find(&it->full, &it->all, it->nominal, &it->dominance);
    if (!status)
        status = phx_ph_of(&it->full, &it->all, it->nominal, it->dominance.scale, &it->measure.full);
    it->measure.context = it->context;
    it->measure.options = o;
    it->measure.band = o->band[1] > 0.0 ? o->band : NULL;
    if (!status)
        status = find_rigid_gain(it);
    if (!status)
        status = phx_error_begin(&it->measure);
    if (!status && !(it->measure.norm.lower > 0.0))
        status = phx_fail(it->context, PHX_ERR_ANALYSIS, "the inputs move no elastic mode: there is nothing to reduce");
    return status;
}

/* ---- methods of second order ---- */
/* The elastic columns of a space, by rows. */
static phx_status take_space(work *it, const phx_space *space, candidate *out)
{
    const int rigid = it->full.rigid, count = space->count - rigid, n = space->n;
    double *basis = phx_calloc(it->context, (size_t)n * (size_t)count + 1, sizeof *basis);
    phx_status status = basis ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < count && !status; k++)
        for (int i = 0; i < n; i++)
            basis[(size_t)i * (size_t)count + (size_t)k] = space->columns[(size_t)(rigid + k) * (size_t)n + (size_t)i];
    if (!status)
        status = phx_project(&it->full, count, basis, NULL, &out->projected);
    phx_free(basis);
    return status;
}

/* With prescribed rates: what they need at infinity, then modes by their dominance. */
static phx_status modal_with_rates(work *it, int order, candidate *out)
{
    const int n = it->full.n, stride = it->full.f + it->full.held;
    phx_space space = {0};
    double *x = phx_calloc(it->context, (size_t)n + 1, sizeof *x);
    bool added = false;
    phx_status status =
        x ? phx_space_create(it->context, &it->full.it->linear.M, &it->full.projection, it->full.rigid + order, &space)
          : PHX_ERR_MEMORY;
    if (!status)
        status = phx_reduce_begin(&it->full, &space);
    for (int k = 0; k < it->dominance.count && !status; k++) {
        for (int i = 0; i < n; i++)
            x[i] = it->full.modes[(size_t)i * (size_t)stride + (size_t)(it->full.rigid + it->dominance.order[k])];
        status = phx_space_add(&space, x, &added);
    }
    if (!status)
        status = take_space(it, &space, out);
    phx_space_free(&space);
    phx_free(x);
    return status;
}

static int compare_modes(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static phx_status modal(work *it, int order, candidate *out)
{
    int *chosen = phx_calloc(it->context, (size_t)order + 1, sizeof *chosen);
    phx_status status = chosen ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(chosen, it->dominance.order, (size_t)order * sizeof *chosen);
        qsort(chosen, (size_t)order, sizeof *chosen, compare_modes);
        status = phx_project(&it->full, order, NULL, chosen, &out->projected);
    }
    phx_free(chosen);
    return status;
}

static phx_status krylov(work *it, int order, candidate *out)
{
    const phx_reduction_options *o = it->options;
    const int most = elastic_modes(it), wanted = order > 0 ? order : most;
    phx_space space = {0};
    phx_status status =
        phx_space_create(it->context, &it->full.it->linear.M, &it->full.projection, it->full.rigid + wanted, &space);

    if (!status)
        status = phx_reduce_krylov(&it->full, o, &space);
    if (!status && order > 0 && space.count < it->full.rigid + order)
        status = phx_fail(it->context, PHX_ERR_ARGUMENT,
                          "the points give %d independent directions, less than the order %d: give more points",
                          space.count - it->full.rigid, order);
    if (!status && space.count == it->full.rigid)
        status = phx_fail(it->context, PHX_ERR_ARGUMENT, "the points give no direction beside the rigid motions");
    if (!status)
        status = take_space(it, &space, out);
    phx_space_free(&space);
    return status;
}

/* ---- methods of first order ---- */
/* States of a reduction: two for each coordinate, and the rigid velocities that are damped. */
static int first_order_states(const work *it, int order)
{
    return 2 * order + it->full.rigid - it->full.free;
}

/* Rows of x that belong to the most dominant modes and to damped rigid motions, as columns of an identity. */
static void start_by_dominance(const work *it, int order, double *Z)
{
    const int elastic = elastic_modes(it), k = first_order_states(it, order), damped = it->full.rigid - it->full.free;

    for (int j = 0; j < damped; j++)
        Z[(elastic + j) * k + 2 * order + j] = 1.0;

    for (int j = 0; j < order; j++) {
        const int mode = it->dominance.order[j];
        Z[mode * k + 2 * j] = 1.0;
        Z[(elastic + damped + mode) * k + 2 * j + 1] = 1.0;
    }
}

static phx_status irka(work *it, int order, candidate *out, phx_reduction_report *report)
{
    const phx_ph *ph = it->T ? &it->stored : &it->measure.full;
    const int n = ph->n, k = first_order_states(it, order);
    double *start = phx_calloc(it->context, (size_t)n * (size_t)k + 1, sizeof *start);
    phx_status status = start ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        start_by_dominance(it, order, it->T ? start : out->Z);
        if (it->T) { /* an orthonormal basis of T start */
            phx_dense_multiply(false, false, n, k, n, 1.0, it->T, n, start, k, 0.0, out->inner, k);
            status = phx_orthonormal(it->context, n, k, out->inner);
        }
    }
    if (!status)
        status = phx_irka(it->context, ph, k, it->T ? out->inner : out->Z, &report->iterations);
    phx_free(start);
    return status;
}

static phx_status storage(work *it)
{
    const size_t n = (size_t)it->measure.full.n;

    if (it->T)
        return PHX_OK;
    it->T = phx_calloc(it->context, n * n + 1, sizeof *it->T);
    return it->T ? phx_least_storage(it->context, &it->measure.full, it->measure.norm.upper, &it->stored, it->T,
                                     &it->shift)
                 : PHX_ERR_MEMORY;
}

/* x = T^-1 Z z */
static phx_status back_from_storage(const work *it, candidate *out)
{
    const int n = it->measure.full.n;
    double *T = phx_calloc(it->context, (size_t)n * (size_t)n + 1, sizeof *T);
    phx_status status = T ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(T, it->T, (size_t)n * (size_t)n * sizeof *T);
        memcpy(out->Z, out->inner, (size_t)n * (size_t)out->k * sizeof *out->Z);
        status = phx_dense_solve(it->context, n, T, out->k, out->Z);
    }
    phx_free(T);
    return status;
}

static phx_status lqg(work *it, int order, candidate *out)
{
    static const double one = 0.999;
    const int n = it->measure.full.n, k = first_order_states(it, order);
    phx_status status = PHX_OK;

    if (!it->balanced) {
        it->balanced = phx_calloc(it->context, (size_t)n * (size_t)n + 1, sizeof *it->balanced);
        it->values = phx_calloc(it->context, (size_t)n + 1, sizeof *it->values);
        status = it->balanced && it->values
                     ? phx_lqg_balance(it->context, &it->measure.full, n, it->balanced, it->values)
                     : PHX_ERR_MEMORY;
    }
    if (!status && k < n && it->values[k] > one)
        status = phx_fail(it->context, PHX_ERR_ANALYSIS,
                          "the characteristic values of 'lqg' are all one (from %.6f to %.6f for what would be left "
                          "out): they carry no order; take 'modal' or 'krylov'",
                          it->values[0], it->values[k]);
    for (int i = 0; i < n && !status; i++)
        memcpy(out->Z + (size_t)i * (size_t)k, it->balanced + (size_t)i * (size_t)n, (size_t)k * sizeof *out->Z);
    return status;
}

static phx_status build_first(work *it, int order, candidate *out, phx_reduction_report *report)
{
    const size_t cells = (size_t)it->measure.full.n * (size_t)first_order_states(it, order);
    const bool stored = it->options->method == PHX_REDUCE_XMIN;
    phx_status status = stored ? storage(it) : PHX_OK;

    out->k = first_order_states(it, order);
    out->Z = phx_calloc(it->context, cells + 1, sizeof *out->Z);
    out->inner = stored ? phx_calloc(it->context, cells + 1, sizeof *out->inner) : NULL;
    if (!out->Z || (stored && !out->inner))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = it->options->method == PHX_REDUCE_LQG ? lqg(it, order, out) : irka(it, order, out, report);
    if (!status && stored)
        status = back_from_storage(it, out);
    if (!status)
        status = phx_ph_project(it->context, stored ? &it->stored : &it->measure.full, out->k,
                                stored ? out->inner : out->Z, &out->ph);
    return status;
}

/* ---- one order ---- */
/* The error system of modes left out, where damping couples none of them. */
static phx_status left_out(work *it, int order, phx_ph *part)
{
    const int count = it->dominance.count - order;
    int *rest = phx_calloc(it->context, (size_t)count + 1, sizeof *rest);
    phx_projected projected = {0};
    phx_status status = rest ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(rest, it->dominance.order + order, (size_t)count * sizeof *rest);
        status = phx_project(&it->full, count, NULL, rest, &projected);
    }
    if (!status)
        projected.free = projected.rigid; /* the rigid motions are the same on both sides */
    if (!status)
        status = phx_ph_of(&it->full, &projected, it->nominal, it->dominance.scale, part);
    phx_projected_free(&projected);
    phx_free(rest);
    return status;
}

static phx_status try_order(work *it, int order, candidate *out, phx_reduction_report *report)
{
    const phx_reduction_method method = it->options->method;
    const bool plain = method == PHX_REDUCE_MODAL && it->full.held == 0;
    phx_ph part = {0};
    phx_status status = PHX_OK;

    candidate_free(out);
    if (first_order(it))
        status = build_first(it, order, out, report);
    else if (plain)
        status = modal(it, order, out);
    else
        status = method == PHX_REDUCE_MODAL ? modal_with_rates(it, order, out) : krylov(it, order, out);
    if (!status && !first_order(it))
        status = phx_ph_of(&it->full, &out->projected, it->nominal, it->dominance.scale, &out->ph);
    report->order = first_order(it) ? order : out->projected.r - it->full.rigid;
    const bool separate = plain && it->dominance.proportional;
    if (!status && separate)
        status = left_out(it, order, &part);
    if (!status)
        status = phx_error_of(&it->measure, &out->ph, separate ? &part : NULL, report);
    report->bound = report->bound_sum = NAN;
    if (!status && plain && it->dominance.bounded)
        status = phx_dominance_bound(&it->full, &it->all, &it->dominance, order, it->measure.norm.lower, report);
    phx_ph_free(&part);
    return status;
}

static bool good_enough(const work *it, const phx_reduction_report *report)
{
    return report->error <= it->options->error && !(report->error_local > it->options->error);
}

/* The fewest coordinates with which the error holds: doubled until it does, then halved. */
static phx_status search(work *it, candidate *out, phx_reduction_report *report)
{
    const int most = elastic_modes(it);
    int low = 0, high = 1, last = 0;
    phx_status status = try_order(it, high, out, report);

    for (last = high; !status && !good_enough(it, report) && high < most; last = high) {
        low = high;
        high = 2 * high < most ? 2 * high : most;
        status = try_order(it, high, out, report);
    }
    if (!status && !good_enough(it, report))
        return phx_fail(it->context, PHX_ERR_ANALYSIS,
                        "'%s' does not reach an error of %g: with all its %d coordinates it is %.3g",
                        phx_reduction_method_name(it->options->method), it->options->error, report->order,
                        fmax(report->error, report->error_local));
    while (!status && high - low > 1) {
        const int middle = (low + high) / 2;
        status = try_order(it, middle, out, report);
        last = middle;
        *(good_enough(it, report) ? &high : &low) = middle;
    }
    return !status && last != high ? try_order(it, high, out, report) : status;
}

/* ---- the result and its certificates ---- */
/* Ports as they are: those of the scaled system over the scale. */
static void unscale(const work *it, phx_ph *ph)
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

static phx_status take(work *it, candidate *best, phx_reduction *out)
{
    phx_ph own = {0}, reduced = {0};
    phx_status status = PHX_OK;

    if (!first_order(it))
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

/* Least eigenvalue of W over its largest entry, and the Hamiltonian test of what was measured. */
static phx_status certify(work *it, const candidate *best, phx_reduction *out)
{
    enum { HAMILTONIAN = 300 };
    phx_descriptor *descriptor = NULL;
    phx_descriptor_structure structure = {0};
    phx_ss *system = NULL;
    double size = 0.0;
    phx_status status = out->second ? phx_descriptor_by_rates(it->context, out->second, &descriptor)
                                    : phx_reduction_descriptor(it->context, out, &descriptor, NULL);

    if (!status)
        status = phx_descriptor_check(it->context, descriptor, &structure);
    const phx_csr *R = status ? NULL : phx_descriptor_R(descriptor);
    for (int k = 0; R && k < R->ptr[R->rows]; k++)
        size = fmax(size, fabs(R->val[k]));
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
static phx_status constraint_residual(const work *it, phx_reduction *out)
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

static phx_status finish(work *it, candidate *best, phx_reduction *out)
{
    phx_reduction_report *report = &out->report;
    phx_status status = take(it, best, out);

    report->method = it->options->method;
    report->full = elastic_modes(it);
    report->rigid = it->full.rigid;
    report->held = it->full.held;
    report->states = out->second ? 2 * out->count : out->states;
    for (int k = 0; k < it->full.m; k++) /* a rate is given, not a state */
        report->states -= it->full.it->channels.kind[k] == PHX_CHANNEL_RATE;
    report->damping = it->nominal;
    report->norm = it->measure.norm.lower;
    report->norm_h2 = it->measure.h2;
    report->feedthrough = it->shift / it->measure.norm.upper;
    if (!status)
        status = constraint_residual(it, out);
    if (!status)
        status = certify(it, best, out);
    if (!status)
        status = phx_error_curves(&it->measure, &best->ph, &out->curves);
    return status;
}

phx_status phx_reduce_linear(phx_context *context, const phx_linearised *linearised,
                             const phx_reduction_options *options, phx_reduction **reduction)
{
    if (!linearised || !options || !reduction)
        return phx_fail_null(context, __func__, "linearised, options or reduction");
    work it = {.context = context, .options = options};
    candidate best = {0};
    phx_reduction *out = phx_calloc(context, 1, sizeof *out);
    phx_status status = out ? check_options(context, options) : PHX_ERR_MEMORY;

    *reduction = NULL;
    if (!status) {
        out->name = phx_strdup(context, linearised->name);
        status = out->name ? prepare(&it, linearised) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = check_order(&it, options->order);
    if (!status)
        status = options->error > 0.0 ? search(&it, &best, &out->report)
                                      : try_order(&it, options->order, &best, &out->report);
    if (!status)
        status = finish(&it, &best, out);
    candidate_free(&best);
    work_free(&it);
    if (status)
        phx_reduction_destroy(out);
    else
        *reduction = out;
    return phx_conclude(context, status);
}
