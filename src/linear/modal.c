/* Modes of a linearised system: the dense solver, and the choice of the solver. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* Above this many degrees of freedom a damped system starts from its lowest undamped modes. */
enum { DAMPED_LIMIT = 200 };

struct phx_modal {
    phx_context *context;
    phx_csr mass;   /* the matrix factored in `factor` */
    double *factor; /* L, n x n */
    phx_kkt shifted, quadratic;
};

phx_modes_options phx_modes_options_default(void)
{
    return (phx_modes_options){.count = 6, .dense_limit = 600, .rank_rtol = RANK_RTOL};
}

phx_status phx_modal_create(phx_context *context, phx_modal **modal)
{
    if (!modal)
        return phx_fail_null(context, __func__, "modal");
    *modal = phx_calloc(context, 1, sizeof **modal);
    if (!*modal)
        return PHX_ERR_MEMORY;
    (*modal)->context = context;
    return PHX_OK;
}

void phx_modal_destroy(phx_modal *modal)
{
    if (!modal)
        return;
    phx_csr_free(&modal->mass);
    phx_free(modal->factor);
    phx_kkt_free(&modal->shifted);
    phx_kkt_free(&modal->quadratic);
    phx_free(modal);
}

void phx_undamped_free(phx_undamped *undamped)
{
    phx_basis_free(&undamped->modes);
    phx_shapes_free(&undamped->rigid);
    phx_free(undamped->frequency);
    *undamped = (phx_undamped){0};
}

phx_stiffness phx_linear_stiffness(const phx_linear *linear)
{
    if (linear->has_root)
        return (phx_stiffness){.root = &linear->root};
    if (linear->root.rows > 0 && linear->rest.rows > 0)
        return (phx_stiffness){.root = &linear->root, .rest = &linear->rest};
    return (phx_stiffness){.rest = &linear->K};
}

/* ---- arguments ---- */
static phx_status check_matrix(phx_context *context, const char *name, const phx_csr *a, int rows, int cols)
{
    if (a->cols != cols || (rows >= 0 && a->rows != rows))
        return phx_fail(context, PHX_ERR_ARGUMENT, "modes: %s is %d x %d, expected %d columns", name, a->rows, a->cols,
                        cols);
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            if (!isfinite(a->val[k]))
                return phx_fail(context, PHX_ERR_ARGUMENT, "modes: entry (%d, %d) of %s is %g; it must be finite", i,
                                a->idx[k], name, a->val[k]);
    return PHX_OK;
}

/* Checks the sizes of all matrices of a linear model and that no option is negative. */
static phx_status modal_check(phx_context *context, const phx_linear *linear, const phx_modes_options *options)
{
    const int n = linear->n, m = linear->m;
    if (n < 1 || m < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "modes: %d coordinates and %d constraints; there must be a coordinate", n, m);
    if (options->count < 0 || options->dense_limit < 0 || !(options->rank_rtol >= 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "modes: count %d, dense_limit %d, rank_rtol %g; none may be negative", options->count,
                        options->dense_limit, options->rank_rtol);
    phx_status status = check_matrix(context, "M", &linear->M, n, n);
    if (!status)
        status = check_matrix(context, "K", &linear->K, n, n);
    if (!status && linear->damped)
        status = check_matrix(context, "D", &linear->D, n, n);
    if (!status && m > 0)
        status = check_matrix(context, "G", &linear->G, m, n);
    if (!status && (linear->has_root || linear->root.rows > 0))
        status = check_matrix(context, "the root of K", &linear->root, -1, n);
    if (!status && linear->rest.rows > 0)
        status = check_matrix(context, "the rest of K", &linear->rest, n, n);
    if (!status && linear->damping_root.rows > 0)
        status = check_matrix(context, "the root of D", &linear->damping_root, -1, n);
    if (!status && linear->damping_root.rows > 0)
        status = check_matrix(context, "the rest of D", &linear->damping_rest, n, n);
    return status;
}

/* ---- the dense way ---- */
static bool same(const phx_csr *a, const phx_csr *b)
{
    if (a->rows != b->rows || a->ptr[a->rows] != b->ptr[b->rows])
        return false;
    const size_t count = (size_t)a->ptr[a->rows];
    return memcmp(a->ptr, b->ptr, ((size_t)a->rows + 1) * sizeof *a->ptr) == 0 &&
           memcmp(a->idx, b->idx, count * sizeof *a->idx) == 0 && memcmp(a->val, b->val, count * sizeof *a->val) == 0;
}

/* M = L L^T, reused while M does not change. */
static phx_status factor_mass(phx_modal *modal, const phx_csr *M)
{
    phx_context *context = modal->context;
    if (modal->factor && same(M, &modal->mass))
        return PHX_OK;
    phx_csr_free(&modal->mass);
    phx_free(modal->factor);
    modal->factor = phx_calloc(context, (size_t)M->rows * (size_t)M->rows, sizeof *modal->factor);
    if (!modal->factor)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(M, modal->factor);
    phx_status status = phx_dense_cholesky(context, M->rows, modal->factor);
    if (status == PHX_SINGULAR)
        status =
            phx_fail_prefix(context, PHX_ERR_ANALYSIS,
                            "modes: the mass matrix is not positive definite; every body needs mass and inertia: ");
    if (!status)
        status = phx_csr_copy(context, M, &modal->mass);
    if (status) {
        phx_free(modal->factor);
        modal->factor = NULL;
    }
    return status;
}

/* All undamped modes, or at least the `wanted` lowest when that is not 0. */
static phx_status dense_undamped(phx_modal *modal, const phx_linear *linear, const phx_modes_options *options,
                                 int wanted, phx_undamped *undamped)
{
    phx_context *context = modal->context;
    const phx_stiffness stiffness = phx_linear_stiffness(linear);
    phx_basis basis = {0};
    double *constraints = NULL;
    phx_status status = factor_mass(modal, &linear->M);
    if (status)
        return status;
    if (linear->m > 0) {
        constraints = phx_calloc(context, (size_t)linear->m * (size_t)linear->n, sizeof *constraints);
        if (!constraints)
            return PHX_ERR_MEMORY;
        phx_csr_to_dense(&linear->G, constraints);
    }
    status = phx_reduce_free_motions(context, linear->n, modal->factor, linear->m, constraints, options->rank_rtol,
                                     NULL, &basis);
    phx_free(constraints);
    if (status)
        return status;
    undamped->freedom = basis.count;
    undamped->frequency = phx_calloc(context, (size_t)basis.count, sizeof *undamped->frequency);
    status = undamped->frequency
                 ? phx_reduce_lowest_modes(context, &basis, &stiffness, wanted, undamped->frequency,
                                           &undamped->resolution, &undamped->asymmetry, &undamped->modes)
                 : PHX_ERR_MEMORY;
    phx_basis_free(&basis);
    return status;
}

/* ---- from undamped modes to the modes asked for ---- */
/* The undamped modes themselves: lambda = i omega, or +s where the stiffness is negative. */
static phx_status list_undamped(phx_context *context, const phx_undamped *undamped, int *rigid, phx_mode_list *list)
{
    const phx_basis *modes = &undamped->modes;
    phx_status status = phx_mode_list_create(context, modes->n, modes->count, list);
    *rigid = 0;
    for (int k = 0; !status && k < modes->count; k++) {
        const double frequency = undamped->frequency[k];
        if (fabs(frequency) <= undamped->resolution) {
            ++*rigid;
            continue;
        }
        for (int i = 0; i < modes->n; i++)
            list->shapes[(size_t)list->count * modes->n + i] = modes->columns[(size_t)i * modes->count + k];
        list->lambda[list->count++] = frequency > 0.0 ? frequency * I : -frequency;
    }
    return status;
}

/* Drop all but the rigid-body modes and the `count` other undamped modes of smallest frequency. */
static phx_status truncate(phx_context *context, int count, phx_undamped *undamped)
{
    const int n = undamped->modes.n, f = undamped->modes.count;
    for (int k = 0; k < f; k++)
        count += fabs(undamped->frequency[k]) <= undamped->resolution;
    if (count >= f)
        return PHX_OK;
    phx_mode_list sizes = {0};
    int *order = phx_calloc(context, (size_t)f, sizeof *order), kept = 0;
    phx_status status = order ? phx_mode_list_create(context, 0, f, &sizes) : PHX_ERR_MEMORY;
    if (!status) {
        for (int k = 0; k < f; k++)
            sizes.lambda[sizes.count++] = fabs(undamped->frequency[k]);
        phx_mode_list_order(&sizes, order);
        const double limit = creal(sizes.lambda[order[count - 1]]);
        double *columns = undamped->modes.columns;
        for (int k = 0; k < f && kept < count; k++)
            if (fabs(undamped->frequency[k]) <= limit)
                order[kept++] = k; /* ascending, in place: kept <= k */
        for (int i = 0; i < n; i++)
            for (int k = 0; k < kept; k++)
                columns[(size_t)i * kept + k] = columns[(size_t)i * f + order[k]];
        for (int k = 0; k < kept; k++)
            undamped->frequency[k] = undamped->frequency[order[k]];
        undamped->modes.count = kept;
    }
    phx_mode_list_free(&sizes);
    phx_free(order);
    return status;
}

static int damped_basis(int count)
{
    return 4 * count + 40;
}

/* The damped modes; from a part of the undamped ones by Krylov spaces of the full matrices. */
static phx_status list_damped(phx_modal *modal, const phx_linear *linear, const phx_modes_options *options,
                              const phx_large *large, const phx_undamped *undamped, int *rigid, phx_mode_list *list)
{
    phx_context *context = modal->context;
    if (undamped->modes.count == undamped->freedom)
        return phx_linear_damped(context, linear, options, undamped, options->count, rigid, list);
    phx_large own = {0};
    phx_status status = large ? PHX_OK : phx_large_create(context, linear, options, &own);
    if (!status)
        status = phx_large_damped(context, large ? large : &own, options, undamped, &modal->quadratic, rigid, list);
    phx_large_free(&own);
    return status;
}

/* The undamped modes that the analysis needs: all of a small system, the lowest of a large one. */
static phx_status find_undamped(phx_modal *modal, const phx_linear *linear, const phx_modes_options *options,
                                bool quadratic, const phx_large *large, phx_undamped *undamped)
{
    phx_context *context = modal->context;
    const int wanted = quadratic ? damped_basis(options->count) : options->count;
    if (large)
        return phx_large_undamped(context, large, wanted, &modal->shifted, undamped);
    phx_status status = dense_undamped(modal, linear, options, quadratic ? 0 : wanted, undamped);
    if (!status)
        status = phx_undamped_compare(modal->context, linear, options->rank_rtol, &modal->shifted, undamped);
    if (status || !quadratic || options->count == 0 || undamped->freedom <= DAMPED_LIMIT)
        return status;
    return truncate(context, wanted, undamped);
}

/* Whether shift-invert pays: many coordinates, few modes wanted of many beside `rigid` ones, and a stiffness at all. */
static bool is_large(const phx_linear *linear, const phx_modes_options *options, bool quadratic, int rigid)
{
    if (linear->n <= options->dense_limit || options->count == 0)
        return false;
    const int wanted = quadratic ? damped_basis(options->count) : options->count;
    bool stiff = false;
    for (int k = 0; k < linear->K.ptr[linear->n]; k++)
        stiff = stiff || linear->K.val[k] != 0.0;
    return stiff && 2 * (wanted + 8) + 20 <= linear->n - linear->m - rigid;
}

/* Modes of a linear model: undamped modes first, then damped or unsymmetric ones in their coordinates; large systems by
 * shift-invert iteration. The caller frees *set. */
phx_status phx_modal_solve(phx_modal *modal, const phx_linear *linear, const phx_modes_options *given,
                           phx_mode_set *set)
{
    if (!modal || !linear || !given || !set)
        return phx_fail_null(modal ? modal->context : NULL, __func__, "modal, linear, options or set");
    phx_context *context = modal->context;
    phx_modes_options own = *given;
    const phx_modes_options *const options = &own;
    own.unsymmetric = given->unsymmetric || linear->circulatory;
    const bool quadratic = linear->damped || own.unsymmetric;
    phx_large large = {0};
    phx_undamped undamped = {0};
    phx_mode_list list = {0};
    int rigid = 0;
    phx_status status = modal_check(context, linear, options);
    if (status)
        return status;
    bool by_shift = is_large(linear, options, quadratic, 0);
    if (by_shift)
        status = phx_large_create(context, linear, options, &large);
    if (by_shift && !status)
        status = phx_large_rigid(context, &large, options->rank_rtol, &undamped);
    by_shift = by_shift && is_large(linear, options, quadratic, undamped.rigid.count);
    if (!status)
        status = find_undamped(modal, linear, options, quadratic, by_shift ? &large : NULL, &undamped);
    if (status)
        goto cleanup;
    if (quadratic)
        status = list_damped(modal, linear, options, by_shift ? &large : NULL, &undamped, &rigid, &list);
    else
        status = list_undamped(context, &undamped, &rigid, &list);
    if (!status)
        status = phx_mode_list_finish(context, &list, &linear->M, options->count, set);
    if (!status) {
        set->freedom = undamped.freedom;
        set->unresolved = own.unsymmetric ? 0 : undamped.unresolved; /* else the symmetric part does not tell */
        set->rigid = rigid - set->unresolved;
        set->resolution = fmax(undamped.resolution, undamped.bound);
        set->asymmetry = undamped.asymmetry;
    }
cleanup:
    phx_mode_list_free(&list);
    phx_undamped_free(&undamped);
    phx_large_free(&large);
    return status;
}
