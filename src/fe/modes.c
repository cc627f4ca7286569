/* A source in its lowest normal modes; of a beam with geometric stiffening with axial shapes that follow them, so that
 * the axial field takes the strains of second order away as it does with all coordinates.
 *
 * Shapes q of the full beam, f a force on its coordinates, K q = f:
 *
 *   loads         axial inertia, of an acceleration int rho phi_x = S_x and of a spin int rho x phi_x = j / 2; axial
 *                 forces at P, at C and wherever else such act;
 *   derivatives   - sum_e C_e lin_e^T N_e,ab of pairs of modes a, b, N_e,ab = sum_p w/2 (f_a g_b + f_b g_a) with the
 *                 slopes f and g of the products of strain e: static modal derivatives.
 *
 * Bending and twist are left to the modes. */
#include <math.h>
#include <string.h>

#include "reduce/reduce.h"

#include "source.h"

enum {
    PASSES = 2,  /* a slender beam feels in its axial force what of 1e-6 of the strains is not followed */
    DOUBLING = 3 /* pulled so many times as hard as it buckles, a beam on two supports has twice its first frequency */
};

/* ---- normal modes of a flex ---- */
/* The first of the largest entries (within a part in a million) of a column is positive. */
static void fix_sign(int n, int k, int column, double *T)
{
    static const double SAME_SIZE = 1e-6; /* relative to the largest */
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(T[(size_t)i * (size_t)k + (size_t)column]));
    for (int i = 0; i < n; i++) {
        const double value = T[(size_t)i * (size_t)k + (size_t)column];
        if (fabs(value) < (1.0 - SAME_SIZE) * largest)
            continue;
        for (int r = 0; r < n && value < 0.0; r++)
            T[(size_t)r * (size_t)k + (size_t)column] *= -1.0;
        return;
    }
}

void phx_modes_fix_signs(int n, int k, double *T)
{
    for (int column = 0; column < k; column++)
        fix_sign(n, k, column, T);
}

/* The lowest `count` normal modes of (M_qq, K) under the reference condition: omega in rad/s and T (n x count) with T^T
 * M T = I. */
phx_status phx_flex_normal_modes(phx_context *context, const phx_flex *flex, int count, double *omega, double *T)
{
    if (!flex || (count > 0 && (!omega || !T)))
        return phx_fail_null(context, __func__, "flex, omega or T");
    const int n = flex->n;
    if (count < 1 || count > n)
        return phx_fail(context, PHX_ERR_ARGUMENT, "modes is %d, must be between 1 and %d, the number of coordinates",
                        count, n);
    if (n > PHX_DENSE_MODES_MOST)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "modes of %d coordinates: the eigenproblem is dense, at most %d; use fewer elements", n,
                        PHX_DENSE_MODES_MOST);
    double *factor = phx_calloc(context, (size_t)n * (size_t)n, sizeof *factor);
    double *all = phx_calloc(context, (size_t)n, sizeof *all);
    phx_basis free_motions = {0}, modes = {0};
    const phx_csr mass = {n, n, flex->ptr, flex->idx, flex->M};
    const phx_stiffness stiffness = {.root = &flex->root};
    phx_status status = factor && all ? PHX_OK : PHX_ERR_MEMORY;
    if (status == PHX_OK) {
        phx_csr_to_dense(&mass, factor);
        status = phx_dense_cholesky(context, n, factor);
    }
    if (status == PHX_OK)
        status = phx_reduce_free_motions(context, n, factor, 0, NULL, 0.0, NULL, &free_motions);
    if (status == PHX_OK)
        status = phx_reduce_normal_modes(context, &free_motions, &stiffness, all, NULL, NULL, &modes);
    for (int j = 0; j < count && status == PHX_OK; j++) {
        omega[j] = all[j];
        for (int i = 0; i < n; i++)
            T[(size_t)i * (size_t)count + (size_t)j] = modes.columns[(size_t)i * (size_t)n + (size_t)j];
        fix_sign(n, count, j, T);
    }
    phx_basis_free(&free_motions);
    phx_basis_free(&modes);
    phx_free(factor);
    phx_free(all);
    return status;
}

/* ---- shapes that follow ---- */
static phx_csr csr_of(const phx_flex *flex, double *val)
{
    return (phx_csr){flex->n, flex->n, flex->ptr, flex->idx, val};
}

phx_status phx_flex_factor_stiffness(phx_context *context, const phx_flex *flex, double **L)
{
    const phx_csr K = csr_of(flex, flex->K);

    *L = phx_calloc(context, (size_t)flex->n * (size_t)flex->n + 1, sizeof **L);
    if (!*L)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(&K, *L);
    return phx_dense_cholesky(context, flex->n, *L);
}

void phx_flex_respond(int n, const double *L, double *f)
{
    phx_dense_triangle_solve(false, n, L, 1, f);
    phx_dense_triangle_solve(true, n, L, 1, f);
}

/* The axial force 1 at a fraction s of the length as a force on q: f += factor phi_x. */
static phx_status add_pull(phx_context *context, const phx_flex_source *full, double s, double factor, double *f)
{
    const phx_location location = phx_location_at_fraction(s);
    phx_flex_point point;
    const phx_status status = phx_flex_source_point(full, context, &location, &point);

    if (status)
        return status;
    for (int i = 0; i < point.n; i++)
        f[point.dof[i]] += factor * point.phi[i];
    phx_flex_point_free(&point);
    return PHX_OK;
}

/* Responses to the axial loads that a beam in modes must follow: inertia loads of acceleration and spin, and axial
 * forces at the ends and the pulled points (theory 9, beams in modes, item 1). */
static phx_status axial_loads(phx_context *context, const phx_flex_source *full, int n_pulled, const double *pulled,
                              const double *L, phx_shapes *loads)
{
    const phx_flex *flex = &full->flex;
    const size_t n = (size_t)flex->n;
    const phx_csr K = csr_of(flex, flex->K);
    /* J_zz of the plane, J_yy of space: int rho x^2 and its change 2 int rho x phi_x */
    const double *change = flex->j + (flex->dim == 3 ? n : 0), turn = flex->J0[flex->dim == 3];
    phx_status status = phx_shapes_allocate(context, flex->n, 4 + n_pulled, loads);

    if (status)
        return status;
    double *inertia = phx_shapes_column(loads, 0), *spin = phx_shapes_column(loads, 1);
    loads->count = 2;
    for (size_t i = 0; i < n; i++) { /* a force of 1 in all, like the pulls: sizes do not depend on units */
        inertia[i] = flex->S[i] / flex->mass;
        spin[i] = change[i] / sqrt(turn * flex->mass);
    }
    for (int k = 0; k < 2 + n_pulled && !status; k++)
        status = add_pull(context, full, k < 2 ? k : pulled[k - 2], 1.0, phx_shapes_column(loads, loads->count++));
    for (int k = 0; k < loads->count && !status; k++)
        phx_flex_respond(flex->n, L, phx_shapes_column(loads, k));
    return status ? status : phx_shapes_normalise(context, &K, loads);
}

/* out (rows of A) = A y */
static void rows_times(const phx_csr *A, const double *y, double *out)
{
    memset(out, 0, (size_t)A->rows * sizeof *out);
    phx_csr_apply(A, 1.0, y, out);
}

/* The static modal derivatives of the pairs of `count` shapes, theory 9 (3). */
static phx_status derivatives_of(phx_context *context, const phx_flex *flex, int count, const double *shape,
                                 const double *L, phx_shapes *to)
{
    const phx_flex_stiffening *st = flex->stiffening;
    const size_t n = (size_t)flex->n, slopes = (size_t)st->n_slope;
    double *slope = phx_calloc(context, (size_t)count * slopes + 1, sizeof *slope);
    double *force = phx_calloc(context, (size_t)st->n_strain + 1, sizeof *force);
    phx_status status =
        slope && force ? phx_shapes_allocate(context, flex->n, phx_strain_pairs(count), to) : PHX_ERR_MEMORY;

    for (int a = 0; a < count && !status; a++)
        rows_times(&st->slope, shape + (size_t)a * n, slope + (size_t)a * slopes);
    for (int a = 0; a < count && !status; a++)
        for (int b = a; b < count; b++) {
            const double *f = slope + (size_t)a * slopes, *g = slope + (size_t)b * slopes;
            for (int e = 0; e < st->n_strain; e++) {
                double N = 0.0;
                for (int p = st->product_begin[e]; p < st->product_begin[e + 1]; p++)
                    N +=
                        0.5 * st->weight[p] * (f[st->first[p]] * g[st->second[p]] + g[st->first[p]] * f[st->second[p]]);
                force[e] = -st->stiffness[e] * N;
            }
            double *y = phx_shapes_column(to, to->count++);
            phx_csr_apply_transposed(&st->lin, 1.0, force, y);
            phx_flex_respond(flex->n, L, y);
        }
    phx_free(slope);
    phx_free(force);
    return status;
}

/* Shapes that follow have no slopes: out of them what rounding has left of modes. */
static void keep_axial(const phx_csr *slope, int from, phx_shapes *basis)
{
    for (int e = 0; e < slope->ptr[slope->rows]; e++)
        for (int k = from; k < basis->count && slope->val[e] != 0.0; k++)
            phx_shapes_column(basis, k)[slope->idx[e]] = 0.0;
}

/* Behind the modes of the basis what follows them. */
static phx_status modes_follow(phx_context *context, const phx_flex_source *full, int n_pulled, const double *pulled,
                               phx_shapes *basis)
{
    const phx_flex *flex = &full->flex;
    const phx_csr M = csr_of(flex, flex->M), K = csr_of(flex, flex->K);
    const int modes = basis->count, followed = modes < PHX_SHAPES_FOLLOWED ? modes : PHX_SHAPES_FOLLOWED;
    phx_shapes loads = {0}, derivatives = {0};
    double *L = NULL, *lowest = NULL;
    phx_status status = phx_flex_factor_stiffness(context, flex, &L);

    if (!status)
        status = axial_loads(context, full, n_pulled, pulled, L, &loads);
    if (!status)
        status = phx_shapes_lowest(context, &M, basis, basis->y, followed, &lowest);
    if (!status)
        status = derivatives_of(context, flex, followed, lowest, L, &derivatives);
    if (!status)
        status = phx_shapes_follow(context, &M, &K, PASSES, &loads, &derivatives, basis);
    if (!status)
        keep_axial(&flex->stiffening->slope, modes, basis);
    phx_shapes_free(&loads);
    phx_shapes_free(&derivatives);
    phx_free(lowest);
    phx_free(L);
    return status;
}

/* ---- how well the modes hold the beam ---- */
/* G_ab = sum_e s_e N_e,ab of `count` modes, the columns of T (n x count), s the forces of the strains. */
static phx_status geometric(phx_context *context, const phx_flex *flex, int count, const double *T, const double *s,
                            double *G)
{
    const phx_flex_stiffening *st = flex->stiffening;
    const size_t m = (size_t)count;
    double *slope = phx_calloc(context, (size_t)st->n_slope * m + 1, sizeof *slope);

    if (!slope)
        return PHX_ERR_MEMORY;
    phx_csr_apply_dense(&st->slope, count, T, slope);
    for (int e = 0; e < st->n_strain; e++)
        for (int p = st->product_begin[e]; p < st->product_begin[e + 1]; p++) {
            const double *f = slope + (size_t)st->first[p] * m, *g = slope + (size_t)st->second[p] * m;
            const double half = 0.5 * s[e] * st->weight[p];
            for (size_t a = 0; a < m; a++)
                for (size_t b = 0; b < m; b++)
                    G[a * m + b] += half * (f[a] * g[b] + f[b] * g[a]);
        }
    phx_free(slope);
    return PHX_OK;
}

/* The forces of the strains under the axial force 1 at P and C, which pulls. */
static phx_status unit_pull(phx_context *context, const phx_flex_source *full, double *s)
{
    const phx_flex *flex = &full->flex;
    double *L = NULL, *u = phx_calloc(context, (size_t)flex->n + 1, sizeof *u);
    phx_status status = u ? phx_flex_factor_stiffness(context, flex, &L) : PHX_ERR_MEMORY;

    for (int k = 0; k < 2 && !status; k++)
        status = add_pull(context, full, k, k ? 1.0 : -1.0, u);
    if (!status) {
        phx_flex_respond(flex->n, L, u);
        rows_times(&flex->stiffening->lin, u, s);
        for (int e = 0; e < flex->stiffening->n_strain; e++)
            s[e] *= flex->stiffening->stiffness[e];
    }
    phx_free(u);
    phx_free(L);
    return status;
}

/* values (count): squares of the frequencies of the first `count` of m modes, with diag(omega^2) + load G. */
static phx_status pulled_frequencies(phx_context *context, int m, int count, const double *omega, const double *G,
                                     double load, double *values)
{
    double *A = phx_calloc(context, (size_t)count * (size_t)count + 1, sizeof *A);

    if (!A)
        return PHX_ERR_MEMORY;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            A[a * count + b] = load * G[a * m + b] + (a == b ? omega[a] * omega[a] : 0.0);
    const phx_status status = phx_dense_eigen_symmetric(context, count, A, NULL, values, NULL);
    phx_free(A);
    return status;
}

/* The buckling load of m modes: the largest mu of G x = mu K x is 1 over it; 0: none. */
static phx_status buckling_load(phx_context *context, int m, const double *omega, const double *G, double *values,
                                double *load)
{
    double *scaled = phx_calloc(context, (size_t)m * (size_t)m + 1, sizeof *scaled);

    if (!scaled)
        return PHX_ERR_MEMORY;
    for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++)
            scaled[a * m + b] = G[a * m + b] / (omega[a] * omega[b]);
    const phx_status status = phx_dense_eigen_symmetric(context, m, scaled, NULL, values, NULL);
    *load = !status && values[m - 1] > 0.0 ? 1.0 / values[m - 1] : 0.0;
    phx_free(scaled);
    return status;
}

/* Of the first `count` of m modes (T n x m), against all m. */
static phx_status modes_judge(phx_context *context, const phx_flex_source *full, int m, int count, const double *omega,
                              const double *T, phx_modes_quality *quality)
{
    const size_t all = (size_t)m;
    double *s = phx_calloc(context, (size_t)full->flex.stiffening->n_strain + 1, sizeof *s);
    double *G = phx_calloc(context, all * all + 2 * all + 1, sizeof *G), load = 0.0;
    phx_status status = s && G ? unit_pull(context, full, s) : PHX_ERR_MEMORY;
    double *values = G ? G + all * all : NULL, *kept = G ? values + all : NULL;

    if (!status)
        status = geometric(context, &full->flex, m, T, s, G);
    if (!status)
        status = buckling_load(context, m, omega, G, values, &load);
    if (!status)
        status = pulled_frequencies(context, m, m, omega, G, DOUBLING * load, values);
    if (!status)
        status = pulled_frequencies(context, m, count, omega, G, DOUBLING * load, kept);
    for (int k = 0; k < (count + 1) / 2 && !status; k++)
        quality->pulled = fmax(quality->pulled, sqrt(kept[k] / values[k]) - 1.0);
    phx_free(s);
    phx_free(G);
    return status;
}

/* ---- the source ---- */
/* out (cols x rows) <- the first `cols` columns of a (rows x width). */
static void modes_columns_of(int rows, int cols, int width, const double *a, double *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            out[(size_t)j * (size_t)rows + (size_t)i] = a[(size_t)i * (size_t)width + (size_t)j];
}

/* The source in the coordinates of these shapes. */
static phx_status create_in_shapes(phx_context *context, phx_flex_source *full, const phx_shapes *basis,
                                   phx_flex_source **source)
{
    const int n = full->flex.n;
    double *T = phx_calloc(context, (size_t)n * (size_t)basis->count + 1, sizeof *T);
    phx_status status = T ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        modes_columns_of(basis->count, n, n, basis->y, T);
        status = phx_flex_source_project(context, full, basis->count, T, source);
    }
    phx_free(T);
    return status;
}

/* The first `count` of m modes with what follows them. */
static phx_status create_following(phx_context *context, phx_flex_source *full, int n_pulled, const double *pulled,
                                   int m, int count, const double *omega, const double *T, phx_flex_source **source)
{
    const int n = full->flex.n;
    phx_modes_quality quality = {.modes = count};
    phx_shapes basis = {0};
    phx_status status = phx_shapes_allocate(context, n, count, &basis);

    basis.omega = phx_calloc(context, (size_t)count, sizeof *basis.omega);
    if (!basis.omega)
        status = PHX_ERR_MEMORY;
    if (!status) {
        basis.count = count;
        modes_columns_of(n, count, m, T, basis.y);
        memcpy(basis.omega, omega, (size_t)count * sizeof *basis.omega);
        status = modes_follow(context, full, n_pulled, pulled, &basis);
    }
    if (!status)
        status = modes_judge(context, full, m, count, omega, T, &quality);
    quality.followers = basis.count - count;
    if (!status)
        status = create_in_shapes(context, full, &basis, source);
    if (!status)
        ((phx_projected_source *)*source)->quality = quality;
    phx_shapes_free(&basis);
    return status;
}

/* Modes for `count` of them; with stiffening more, to compare with. */
static int modes_for(const phx_flex_source *full, int count)
{
    const int more = count < 5 ? 20 : 4 * count;

    if (count < 1 || count > full->flex.n || !full->flex.stiffening)
        return count;
    return more < full->flex.n ? more : full->flex.n;
}

/* Creates a source in `count` normal modes; a beam with stiffening also gets the axial shapes that follow them. */
static phx_status modes_create(phx_context *context, phx_flex_source *full, int count, int n_pulled,
                               const double *pulled, phx_flex_source **source)
{
    const bool along = phx_flex_source_offers(full, PHX_LOCATION_FRACTION);
    const int m = along ? modes_for(full, count) : count, columns = m > 0 && m <= full->flex.n ? m : 0;
    double *omega = phx_calloc(context, (size_t)columns, sizeof *omega);
    double *T = phx_calloc(context, (size_t)full->flex.n * (size_t)columns, sizeof *T);
    phx_status status = omega && T ? PHX_OK : PHX_ERR_MEMORY;

    if (status == PHX_OK)
        status = phx_flex_normal_modes(context, &full->flex, m, omega, T);
    if (status == PHX_OK && along && full->flex.stiffening)
        status = create_following(context, full, n_pulled, pulled, m, count, omega, T, source);
    else if (status == PHX_OK)
        status = phx_flex_source_project(context, full, count, T, source);
    phx_free(omega);
    phx_free(T);
    return status;
}

phx_status phx_flex_source_modes(phx_context *context, phx_flex_source *full, int count, phx_flex_source **source)
{
    if (!full || !source)
        return phx_fail_null(context, __func__, "full or source");
    return modes_create(context, full, count, 0, NULL, source);
}

/* In a basis for interfaces, at which forces pull too. */
static phx_status create_for_interfaces(phx_context *context, const phx_beam_def *def, phx_beam *full, int n_pulled,
                                        const double *pulled, phx_beam **beam)
{
    phx_effective_mass effective;
    phx_shapes basis;
    phx_status status = phx_beam_interface_shapes(context, def, full, &basis, &effective);

    if (!status && full->flex.stiffening)
        status = modes_follow(context, full, n_pulled, pulled, &basis);
    if (!status)
        status = create_in_shapes(context, full, &basis, beam);
    if (!status)
        ((phx_projected_source *)*beam)->effective = effective;
    phx_shapes_free(&basis);
    return status;
}

/* Creates a beam in the basis of its definition, with the axial shapes for all points where forces act. */
phx_status phx_beam_modes_create(phx_context *context, const phx_beam_def *def, phx_beam *full, phx_beam **beam)
{
    const int masses = def->n_pulled + def->n_masses, count = masses + def->n_interfaces;
    double *pulled = phx_calloc(context, (size_t)count + 1, sizeof *pulled);
    phx_status status;

    if (!pulled)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) /* a mass pulls at the beam as a force does */
        pulled[k] = k < def->n_pulled ? def->pulled[k]
                    : k < masses      ? def->masses[k - def->n_pulled].at
                                      : def->interfaces[k - masses];
    if (def->basis == PHX_BEAM_BASIS_MODES)
        status = modes_create(context, full, def->modes, masses, pulled, beam);
    else
        status = create_for_interfaces(context, def, full, count, pulled, beam);
    phx_free(pulled);
    return status;
}

const phx_effective_mass *phx_beam_effective_mass(const phx_flex_source *source)
{
    const phx_projected_source *projected_source = source ? phx_projected_of(source) : NULL;

    return projected_source && projected_source->effective.given ? &projected_source->effective : NULL;
}

const phx_modes_quality *phx_beam_modes_quality(const phx_flex_source *source)
{
    const phx_projected_source *projected_source = source ? phx_projected_of(source) : NULL;

    return projected_source && projected_source->quality.modes > 0 ? &projected_source->quality : NULL;
}
