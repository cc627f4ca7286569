/* The mechanism that is reduced: its constraints, its modes, and which of its rigid motions are free. */
#include <math.h>
#include <string.h>

#include "reduction.h"

/* A sum below this part of the sizes of its terms is rounding. */
static const double rounding = 1e-11;

double phx_form(const phx_csr *a, int stride_x, const double *x, int stride_y, const double *y, double *size)
{
    double sum = 0.0, sizes = 0.0;

    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const double term = x[(size_t)i * (size_t)stride_x] * a->val[k] * y[(size_t)a->idx[k] * (size_t)stride_y];
            sum += term;
            sizes += fabs(term);
        }
    if (size)
        *size = sizes;
    return sum;
}

static phx_status symmetric_part(phx_context *context, const phx_csr *a, phx_csr *out)
{
    phx_csr transposed = {0};
    phx_status status = phx_csr_transpose(context, a, &transposed);

    if (!status)
        status = phx_csr_add(context, 0.5, a, 0.5, &transposed, out);
    phx_csr_free(&transposed);
    return status;
}

/* ---- rigid motions ---- */
/* The first `count` columns of the basis (n x c) <- these columns times turn (count x count). */
static phx_status turn_columns(phx_context *context, int n, int c, int first, int count, const double *turn,
                               double *basis)
{
    double *row = phx_calloc(context, (size_t)count + 1, sizeof *row);

    for (int i = 0; i < n && row; i++) {
        double *at = basis + (size_t)i * (size_t)c + first;
        memset(row, 0, (size_t)count * sizeof *row);
        for (int k = 0; k < count; k++)
            for (int j = 0; j < count; j++)
                row[j] += at[k] * turn[k * count + j];
        memcpy(at, row, (size_t)count * sizeof *at);
    }
    phx_free(row);
    return row ? PHX_OK : PHX_ERR_MEMORY;
}

/* The largest damping of an elastic mode: what rounding of the modes makes of none is small beside it. */
static double elastic_damping(const phx_full *full, int c)
{
    double most = 0.0;

    for (int k = full->rigid; k < full->f; k++)
        most = fmax(most, phx_form(&full->D, c, full->modes + k, c, full->modes + k, NULL));
    return most;
}

/* Turns the rigid motions so that those without damping come first. */
static phx_status undamped_first(phx_full *full, int c)
{
    static const double of_elastic = 1e-14;
    const int r = full->rigid;
    double *D = phx_calloc(full->context, 2 * (size_t)r * (size_t)r + (size_t)r + 1, sizeof *D), size = 0.0, most = 0.0;
    double *vectors = phx_behind(D, (size_t)(r * r)), *values = phx_behind(vectors, (size_t)(r * r));
    phx_status status = D ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < r && !status; i++)
        for (int j = 0; j < r; j++) {
            D[i * r + j] = phx_form(&full->D, c, full->modes + i, c, full->modes + j, &size);
            most = fmax(most, size);
        }
    if (!status)
        status = phx_dense_eigen_symmetric(full->context, r, D, NULL, values, vectors);
    most = fmax(rounding * most, of_elastic * elastic_damping(full, c));
    while (!status && full->free < r && values[full->free] <= most)
        full->free++;
    if (!status && full->free < r)
        status = turn_columns(full->context, full->n, c, 0, r, vectors, full->modes);
    phx_free(D);
    return status;
}

/* Stores the `count` rigid modes from `first` on and their products with M apart, because no input moves them. */
static phx_status keep_apart(phx_full *full, int c, int first, int count)
{
    const size_t n = (size_t)full->n;

    full->unmoved = count;
    full->still = phx_calloc(full->context, 2 * n * (size_t)count + 1, sizeof *full->still);
    if (!full->still)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        double *column = full->still + (size_t)k * n;
        for (size_t i = 0; i < n; i++)
            column[i] = full->modes[i * (size_t)c + (size_t)(first + k)];
        phx_csr_apply(&full->plant->linear.M, 1.0, column, column + (size_t)count * n);
    }
    return PHX_OK;
}

/* Of the undamped rigid motions those that no input moves are left out. */
static phx_status moved_only(phx_full *full, int c)
{
    const phx_csr *F = &full->plant->channels.F;
    const int free = full->free, m = full->m;
    double *forces = phx_calloc(full->context, (size_t)m * (size_t)free + 1, sizeof *forces);
    double *length = phx_calloc(full->context, (size_t)m + 1, sizeof *length);
    double *turn = phx_calloc(full->context, (size_t)free * (size_t)(free + 1) + (size_t)m, sizeof *turn);
    double *values = phx_behind(turn, (size_t)(free * free));
    phx_status status = forces && length && turn ? PHX_OK : PHX_ERR_MEMORY;
    int moved = 0;

    for (int i = 0; i < full->n && !status; i++)
        for (int k = F->ptr[i]; k < F->ptr[i + 1]; k++)
            for (int j = 0; j < free; j++) {
                const double term = F->val[k] * full->modes[(size_t)i * (size_t)c + (size_t)j];
                forces[F->idx[k] * free + j] += term;
                length[F->idx[k]] += fabs(term);
            }
    for (int i = 0; i < m && !status; i++)
        for (int j = 0; j < free; j++)
            forces[i * free + j] /= length[i] > 0.0 ? length[i] : 1.0;
    if (!status && m > 0)
        status = phx_dense_singular_values(full->context, m, free, forces, values, turn);
    while (!status && moved < free && moved < m && values[moved] > rounding)
        moved++;
    if (!status && moved < free && moved > 0)
        status = turn_columns(full->context, full->n, c, 0, free, turn, full->modes);
    const int gone = free - moved;
    if (!status && gone > 0)
        status = keep_apart(full, c, moved, gone);
    for (int i = 0; i < full->n && !status && gone > 0; i++) {
        double *to = full->modes + (size_t)i * (size_t)(c - gone);
        const double *from = full->modes + (size_t)i * (size_t)c;
        memmove(to, from, (size_t)moved * sizeof *to);
        memmove(to + moved, from + free, (size_t)(c - free) * sizeof *to);
    }
    if (!status && gone > 0) {
        memmove(full->omega + moved, full->omega + free, (size_t)(full->f - free) * sizeof *full->omega);
        full->f -= gone;
        full->rigid -= gone;
        full->free = moved;
    }
    phx_free(forces);
    phx_free(length);
    phx_free(turn);
    return status;
}

/* All modes and the static lifting, of a dense linearisation. */
static phx_status copy_modes(phx_full *full)
{
    const phx_reduced *r = &full->plant->reduced;
    const size_t cells = (size_t)r->n * (size_t)r->count;

    full->f = r->rigid + r->modes;
    full->rigid = r->rigid;
    full->elastic = r->modes;
    full->modes = phx_calloc(full->context, cells + 1, sizeof *full->modes);
    full->omega = phx_calloc(full->context, (size_t)full->f + 1, sizeof *full->omega);
    if (!full->modes || !full->omega)
        return PHX_ERR_MEMORY;
    memcpy(full->modes, r->basis, cells * sizeof *full->modes);
    memcpy(full->omega, r->omega, (size_t)full->f * sizeof *full->omega);
    return PHX_OK;
}

/* The rigid motions and the `most` lowest elastic modes, of a sparse one: shift-invert Lanczos. */
static phx_status find_lowest(phx_full *full, int most)
{
    const phx_modes_options options = phx_modes_options_default();
    phx_large large = {0};
    phx_kkt kkt = {0};
    phx_undamped undamped = {0};
    phx_status status = phx_large_create(full->context, &full->plant->linear, &options, &large);

    if (!status)
        status = phx_large_rigid(full->context, &large, options.rank_rtol, &undamped);
    if (!status)
        status = phx_large_undamped(full->context, &large, most, &kkt, &undamped);
    if (!status) {
        full->f = undamped.modes.count;
        full->modes = undamped.modes.columns;
        full->omega = undamped.frequency;
        undamped.modes.columns = NULL;
        undamped.frequency = NULL;
        for (int k = 0; k < full->f; k++)
            if (fabs(full->omega[k]) <= undamped.resolution) {
                full->omega[k] = 0.0;
                full->rigid++;
            }
        full->elastic = undamped.freedom - full->rigid;
    }
    phx_undamped_free(&undamped);
    phx_kkt_free(&kkt);
    phx_large_free(&large);
    return status;
}

/* Finds the modes of the mechanism, undamped rigid motions first. Fails for negative stiffness, which has no bounded
 * energy. */
static phx_status find_modes(phx_full *full, int most)
{
    phx_status status = full->plant->sparse ? find_lowest(full, most) : copy_modes(full);
    int negative = 0; /* an instability comes before the rigid motions */

    while (!status && negative < full->f && full->omega[negative] < 0.0)
        negative++;
    if (negative > 0)
        return phx_fail(full->context, PHX_ERR_UNSUPPORTED,
                        "the stiffness has %d negative direction%s (loads or gravity make the point unstable): the "
                        "energy has no lower bound and there is nothing to measure a reduction by",
                        negative, negative == 1 ? "" : "s");
    const int columns = full->f + full->held;
    if (!status && full->rigid > 0)
        status = undamped_first(full, columns);
    if (!status && full->free > 0)
        status = moved_only(full, columns);
    return status;
}

/* The modes once more on the constraints, which an eigensolver keeps less well than a solution with them. */
static phx_status keep_constraints(phx_full *full)
{
    const int stride = full->f + full->held, n = full->n, rows = full->A.rows;
    double *x = phx_calloc(full->context, 2 * (size_t)n + (size_t)rows + 1, sizeof *x),
           *v = phx_behind(x, (size_t)(n + rows));
    phx_status status = x ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < full->f && !status; k++) {
        for (int i = 0; i < n; i++)
            v[i] = full->modes[(size_t)i * (size_t)stride + (size_t)k];
        memset(x, 0, (size_t)(n + rows) * sizeof *x);
        phx_csr_apply(&full->plant->linear.M, 1.0, v, x);
        status = phx_saddle_solve(&full->projection, x);
        for (int i = 0; i < n && !status; i++)
            full->modes[(size_t)i * (size_t)stride + (size_t)k] = x[i];
    }
    phx_free(x);
    return status;
}

/* Descriptor form of a mechanism with all prescribed motions given by their rates. */
phx_status phx_descriptor_by_rates(phx_context *context, const phx_linearised *linear, phx_descriptor **descriptor)
{
    const phx_channels *channels = &linear->channels;
    phx_linearised copy = *linear;
    phx_channel_kind *kind = phx_calloc(context, (size_t)channels->n_inputs + 1, sizeof *kind);
    phx_status status = kind ? PHX_OK : PHX_ERR_MEMORY;

    *descriptor = NULL;
    copy.channels.kind = kind;
    for (int k = 0; k < channels->n_inputs && !status; k++)
        kind[k] = channels->held[k] < 0 ? channels->kind[k] : PHX_CHANNEL_RATE;
    if (!status)
        status = phx_linearised_descriptor(context, &copy, descriptor, NULL);
    phx_free(kind);
    return status;
}

/* Prepares a mechanism for reduction: symmetric K and D, constraints, modes, and the projection on null A. Fails if it
 * has no port-Hamiltonian form. */
phx_status phx_full_create(phx_context *context, const phx_linearised *linearised, int most, phx_full *full)
{
    static const phx_csr none = {0};
    const phx_linear *linear = &linearised->linear;
    phx_descriptor *descriptor = NULL;

    *full = (phx_full){.context = context, .plant = linearised, .n = linear->n};
    full->m = linearised->channels.n_inputs;
    full->held = linearised->channels.n_held;
    /* whatever has no port-Hamiltonian form is refused with its reason */
    phx_status status = phx_descriptor_by_rates(context, linearised, &descriptor);
    phx_descriptor_destroy(descriptor);
    if (status == PHX_ERR_UNSUPPORTED)
        status = phx_fail_prefix(context, status, "a reduced model keeps the port-Hamiltonian form, but ");
    if (!status)
        status = symmetric_part(context, &linear->K, &full->K);
    if (!status)
        status = symmetric_part(context, &linear->D, &full->D);
    if (!status && linearised->sparse && full->held > 0)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "'%s' was linearised with sparse matrices alone, where motions that are prescribed are not "
                          "reduced; linearise without 'sparse'",
                          linearised->name);
    if (!status)
        status = phx_rayleigh_find(context, &linear->M, &full->D, &full->K, &full->rayleigh);
    if (!status)
        status = phx_channels_stack(context, &linearised->channels, &full->A);
    if (!status)
        status = find_modes(full, most);
    if (!status)
        status = phx_saddle_create(context, &linear->M, &none, &linear->M, &full->A, false, &full->projection);
    if (!status)
        status = phx_saddle_factor(&full->projection, 0.0);
    if (status == PHX_SINGULAR)
        status = phx_fail_prefix(context, PHX_ERR_ANALYSIS, "the constraints are dependent: ");
    return status ? status : keep_constraints(full);
}

void phx_full_free(phx_full *full)
{
    phx_csr_free(&full->K);
    phx_csr_free(&full->D);
    phx_csr_free(&full->A);
    phx_free(full->modes);
    phx_free(full->omega);
    phx_free(full->still);
    phx_saddle_free(&full->projection);
    *full = (phx_full){0};
}
