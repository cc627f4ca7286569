/* Flexibility of an elastic body, held or free: of one process by one sparse Cholesky factorisation, of several by
 * their solver. */
#include "basis.h"

#include <math.h>
#include <string.h>

static const double DIGITS = 1e-13; /* of eigenvalues, relative */

struct flexibility {
    phx_context *context;
    const elastic_space *space;
    int n;           /* coordinates of this process that are not held */
    int n_all;       /* of all processes */
    int n_massive;   /* of all processes those that have mass */
    int *full;       /* n: of the space */
    phx_csr M;       /* n x n; one process */
    int n_rigid;     /* rigid motions left, 0 to 6 */
    double *rigid;   /* n_rigid x n, orthonormal in M */
    double *M_rigid; /* n_rigid x n */
    int *solved;     /* n: coordinate of the factors, -1 at the supports of the rigid motions */
    int n_solved;
    phx_cholesky *factors;
    phx_ranks_solver *solver; /* several processes, instead of the factors */
    double *work;             /* 3 n: load, solution, a vector of the caller */
    int steps;                /* of LOBPCG */
    double *whole;            /* 2 of the space: a vector and its product; several processes */
};

static const phx_ranks *ranks_of(const flexibility *flex)
{
    return flex->space->part.ranks;
}

static bool uses_multigrid(const flexibility *flex)
{
    return ranks_of(flex) && phx_ranks_get_method(ranks_of(flex)) == PHX_RANKS_GAMG;
}

/* Y <- M X: rows of n numbers. */
static phx_status mass(const flexibility *flex, int rows, const double *x, double *y)
{
    const size_t n = (size_t)flex->n, whole = (size_t)flex->space->n;
    phx_status status = PHX_OK;

    for (size_t r = 0; r < (size_t)rows && !status; r++, x += n, y += n) {
        if (!ranks_of(flex)) {
            memset(y, 0, n * sizeof *y);
            phx_csr_apply(&flex->M, 1.0, x, y);
            continue;
        }
        memset(flex->whole, 0, whole * sizeof *flex->whole);
        for (size_t i = 0; i < n; i++)
            flex->whole[flex->full[i]] = x[i];
        status = elastic_space_mass(flex->space, 1, flex->whole, flex->whole + whole);
        for (size_t i = 0; i < n; i++)
            y[i] = flex->whole[whole + (size_t)flex->full[i]];
    }
    return status;
}

/* ---- parts of matrices ---- */
/* Rows and columns with part[i] >= 0. */
static phx_status submatrix(phx_context *context, const phx_csr *a, int n, const int *part, phx_csr *out)
{
    int count = 0;

    memset(out, 0, sizeof *out);
    for (int i = 0; i < a->rows; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            count += part[i] >= 0 && part[a->idx[e]] >= 0;
    out->rows = out->cols = n;
    out->ptr = phx_calloc(context, (size_t)n + 1, sizeof *out->ptr);
    out->idx = phx_calloc(context, (size_t)count + 1, sizeof *out->idx);
    out->val = phx_calloc(context, (size_t)count + 1, sizeof *out->val);
    if (!out->ptr || !out->idx || !out->val) {
        phx_csr_free(out);
        return PHX_ERR_MEMORY;
    }
    count = 0;
    for (int i = 0; i < a->rows; i++) { /* parts ascend with their numbers */
        if (part[i] < 0)
            continue;
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            if (part[a->idx[e]] >= 0) {
                out->idx[count] = part[a->idx[e]];
                out->val[count++] = a->val[e];
            }
        out->ptr[part[i] + 1] = count;
    }
    return PHX_OK;
}

/* ---- rigid motions left ---- */
/* Those of the space that do not move a held coordinate, orthonormal in M. */
static phx_status make_rigid(flexibility *flex, const unsigned char *held)
{
    static const double UNMOVED = 1e-12; /* square of the motion of what is held, relative to the largest */
    phx_context *context = flex->context;
    const elastic_space *space = flex->space;
    const size_t n = (size_t)space->n, own = (size_t)flex->n;
    const int r = space->n_rigid;
    double gram[36] = {0}, size[6] = {0}, values[6], vectors[36], most = 0.0;
    phx_status status = PHX_OK;

    for (int k = 0; k < r; k++)
        for (size_t j = 0; j < n; j++)
            size[k] = fmax(size[k], fabs(space->rigid[(size_t)k * n + j]));
    phx_ranks_most(ranks_of(flex), 6, size);
    for (size_t j = 0; j < n && held; j++)
        for (int k = 0; k < r && held[(size_t)space->first + j]; k++)
            for (int l = 0; l < r; l++)
                gram[r * k + l] +=
                    space->rigid[(size_t)k * n + j] * space->rigid[(size_t)l * n + j] / (size[k] * size[l]);
    elastic_space_sum(space, (size_t)(r * r), gram);
    if (r > 0)
        status = phx_dense_eigen_symmetric(context, r, gram, NULL, values, vectors);
    flex->rigid = phx_calloc(context, (size_t)r * own + 1, sizeof *flex->rigid);
    flex->M_rigid = phx_calloc(context, (size_t)r * own + 1, sizeof *flex->M_rigid);
    if (!status && (!flex->rigid || !flex->M_rigid))
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < r && !status; k++)
        most = fmax(most, values[k]);
    for (int k = 0; k < r && !status; k++) {
        if (values[k] > UNMOVED * most)
            continue; /* it moves what is held */
        double *motion = flex->rigid + (size_t)flex->n_rigid++ * own;
        for (size_t i = 0; i < own; i++)
            for (int l = 0; l < r; l++)
                motion[i] += vectors[r * l + k] / size[l] * space->rigid[(size_t)l * n + (size_t)flex->full[i]];
    }
    for (int pass = 0; pass < 2 && flex->n_rigid > 0 && !status; pass++) {
        status = mass(flex, flex->n_rigid, flex->rigid, flex->M_rigid);
        phx_dense_multiply(false, true, flex->n_rigid, flex->n_rigid, flex->n, 1.0, flex->rigid, flex->n, flex->M_rigid,
                           flex->n, 0.0, gram, flex->n_rigid);
        elastic_space_sum(space, (size_t)(flex->n_rigid * flex->n_rigid), gram);
        if (!status)
            status = phx_dense_cholesky(context, flex->n_rigid, gram);
        if (!status)
            phx_dense_triangle_solve(false, flex->n_rigid, gram, flex->n, flex->rigid);
    }
    return status ? status : mass(flex, flex->n_rigid, flex->rigid, flex->M_rigid);
}

/* Of `count` columns of the rigid motions (n_rigid x count) those that determine them best. */
static phx_status flexibility_choose(flexibility *flex, int count, const double *columns, int *rank, int *order)
{
    static const double RANK = 1e-12; /* pivots, relative to the longest column */

    return count > 0 ? phx_dense_rrqr(flex->context, flex->n_rigid, count, columns, RANK, rank, order, NULL) : PHX_OK;
}

/* Chooses the supports that stop the rigid motions, among those of all processes: each offers the *rank best of its
 * own, `order`, and all choose among the offers alike. On return the first *rank of `order` are those of this process
 * that were chosen. PHX_SINGULAR: no choice stops all rigid motions. */
static phx_status choose_over_processes(flexibility *flex, int *rank, int *order)
{
    const int r = flex->n_rigid, all = r * phx_ranks_size(ranks_of(flex)), first = r * phx_ranks_rank(ranks_of(flex));
    double *offered = phx_calloc(flex->context, (size_t)r * (size_t)all + 1, sizeof *offered);
    int *best = phx_calloc(flex->context, (size_t)all + 1, sizeof *best);
    int won = 0, total = 0;
    phx_status status = offered && best ? PHX_OK : PHX_ERR_MEMORY;

    status = phx_ranks_agree(flex->context, ranks_of(flex), status);
    for (int c = 0; c < *rank && !status; c++)
        for (int k = 0; k < r; k++)
            offered[k * all + first + c] = flex->rigid[(size_t)k * (size_t)flex->n + (size_t)order[c]];
    if (!status) {
        phx_ranks_sum(ranks_of(flex), (size_t)r * (size_t)all, offered);
        status = flexibility_choose(flex, all, offered, &total, best);
    }
    for (int c = 0; c < *rank && !status; c++) {
        bool wins = false;
        for (int k = 0; k < total; k++)
            wins = wins || best[k] == first + c;
        if (wins)
            order[won++] = order[c];
    }
    *rank = won;
    if (!status && total < r)
        status = phx_fail(flex->context, PHX_SINGULAR, "no support stops the rigid motions of the body");
    phx_free(offered);
    phx_free(best);
    return status;
}

/* As many coordinates as there are rigid motions left: held, they would stop them (an isostatic support). Loads in
 * equilibrium leave no force there. Multigrid does without. */
static phx_status support_rigid(flexibility *flex)
{
    int rank = 0, *order = phx_calloc(flex->context, (size_t)flex->n + 1, sizeof *order);
    phx_status status = order ? PHX_OK : PHX_ERR_MEMORY;
    const bool wanted = flex->n_rigid > 0 && !uses_multigrid(flex);

    if (!status && wanted)
        status = flexibility_choose(flex, flex->n, flex->rigid, &rank, order);
    if (!status && wanted && ranks_of(flex))
        status = choose_over_processes(flex, &rank, order);
    else if (!status && wanted && rank < flex->n_rigid)
        status = phx_fail(flex->context, PHX_SINGULAR, "no support stops the rigid motions of the body");
    for (int k = 0; k < rank && !status; k++)
        flex->solved[order[k]] = -1;
    for (int i = 0; i < flex->n; i++)
        if (flex->solved[i] >= 0)
            flex->solved[i] = flex->n_solved++;
    phx_free(order);
    return status;
}

/* Factors the stiffness of the solved coordinates; PHX_SINGULAR means that a part of the body is loose or a
 * mechanism. */
static phx_status flexibility_factor(flexibility *flex)
{
    const elastic_space *space = flex->space;
    phx_csr K = {0};
    int *part = phx_calloc(flex->context, (size_t)space->n + 1, sizeof *part);
    phx_status status = part ? PHX_OK : PHX_ERR_MEMORY;

    for (int j = 0; j < space->n && part; j++)
        part[j] = -1;
    for (int i = 0; i < flex->n && part; i++)
        part[flex->full[i]] = flex->solved[i];
    if (!status)
        status = submatrix(flex->context, &space->K, flex->n_solved, part, &K);
    if (!status)
        status = phx_cholesky_create(flex->context, &K, &flex->factors);
    if (status == PHX_SINGULAR)
        phx_fail_prefix(flex->context, status,
                        "stiffness of the body, without its rigid motions: a part is loose or a mechanism: ");
    phx_csr_free(&K);
    phx_free(part);
    return status;
}

/* ---- several processes ---- */
/* Unknowns of all processes, and those of them that have mass: whose row of M is not zero, which some vector without
 * a zero and without regularity shows. */
static phx_status count_all(flexibility *flex)
{
    double *x = flex->work, *product = flex->work + flex->n, phase = 0.0, count[2] = {flex->n, 0.0};

    for (int i = 0; i < flex->n; i++) {
        phase += 0.61803398874989485;
        phase -= floor(phase);
        x[i] = 1.0 + phase;
    }
    const phx_status status = mass(flex, 1, x, product);
    for (int i = 0; i < flex->n && !status; i++)
        count[1] += product[i] != 0.0;
    phx_ranks_sum(ranks_of(flex), 2, count);
    flex->n_all = (int)count[0];
    flex->n_massive = (int)count[1];
    return status;
}

/* Rows of the space at the coordinates that are solved for. */
static phx_status flexibility_take(const flexibility *flex, const int *kept, int rows, const double *from, double **to)
{
    const size_t n = (size_t)flex->n_solved, whole = (size_t)flex->space->n;

    *to = phx_calloc(flex->context, (size_t)rows * n + 1, sizeof **to);
    for (size_t r = 0; r < (size_t)rows && *to; r++)
        for (size_t i = 0; i < n; i++)
            (*to)[r * n + i] = from[r * whole + (size_t)kept[i]];
    return *to ? PHX_OK : PHX_ERR_MEMORY;
}

/* The coordinates `kept` as multigrid wants them described; the caller frees `near`, `corner` and P. */
static phx_status flexibility_describe(const flexibility *flex, const unsigned char *held,
                                       phx_ranks_equations *equations, double **near, int **corner, phx_csr *P)
{
    const elastic_space *space = flex->space;
    unsigned char *left_out = phx_calloc(flex->context, (size_t)space->n_all + 1, sizeof *left_out);

    *corner = phx_calloc(flex->context, (size_t)flex->n + 1, sizeof **corner);
    phx_status status = left_out && *corner ? PHX_OK : PHX_ERR_MEMORY;
    for (int c = 0; c < space->n_all && !status; c++)
        left_out[c] = space->empty[c] || (held && held[c]);
    if (!status)
        status = flexibility_take(flex, equations->kept, 6, space->near, near);
    if (!status)
        status = elastic_space_corners(flex->context, space, left_out, flex->n, flex->full, &equations->n_corners,
                                       *corner, P);
    phx_free(left_out);
    equations->n_near = 6;
    equations->near = *near;
    equations->corner = *corner;
    equations->from_corners = P;
    equations->n_null = flex->n_rigid;
    equations->null = flex->rigid;
    return status;
}

/* Creates the distributed solver of the stiffness, with near-null vectors and corner interpolation if it uses
 * multigrid. */
static phx_status make_solver(flexibility *flex, const unsigned char *held)
{
    phx_ranks_equations equations = {.matrix = flex->space->K_rows, .n = flex->n_solved, .block = 1};
    int *kept = phx_calloc(flex->context, (size_t)flex->n_solved + 1, sizeof *kept), *corner = NULL;
    double *near = NULL;
    phx_csr P = {0};
    phx_status status = kept ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < flex->n && !status; i++)
        if (flex->solved[i] >= 0)
            kept[flex->solved[i]] = flex->full[i];
    equations.kept = kept;
    if (!status && uses_multigrid(flex))
        status = flexibility_describe(flex, held, &equations, &near, &corner, &P);
    status = phx_ranks_agree(flex->context, ranks_of(flex), status);
    if (!status && uses_multigrid(flex))
        equations.block = elastic_space_block(flex->space, flex->n, flex->full);
    if (!status)
        status = phx_ranks_solver_create(flex->context, ranks_of(flex), &equations, &flex->solver);
    if (status == PHX_ERR_LIBRARY)
        phx_fail_prefix(flex->context, status,
                        "stiffness of the body, without its rigid motions; is a part loose or a mechanism? ");
    phx_free(kept);
    phx_free(near);
    phx_free(corner);
    phx_csr_free(&P);
    return status;
}

/* Creates the flexibility of a body with the coordinates held[] fixed (NULL: none), with the remaining rigid motions
 * supported. Collective over all processes. */
phx_status flexibility_create(phx_context *context, const elastic_space *space, const unsigned char *held,
                              flexibility **made)
{
    flexibility *flex = phx_calloc(context, 1, sizeof *flex);
    int *part = phx_calloc(context, (size_t)space->n + 1, sizeof *part);
    phx_status status = flex && part ? PHX_OK : PHX_ERR_MEMORY;

    if (flex) {
        flex->context = context;
        flex->space = space;
        flex->full = phx_calloc(context, (size_t)space->n + 1, sizeof *flex->full);
        flex->solved = phx_calloc(context, (size_t)space->n + 1, sizeof *flex->solved);
        flex->work = phx_calloc(context, 3 * (size_t)space->n + 1, sizeof *flex->work);
        flex->whole = phx_calloc(context, space->part.ranks ? 2 * (size_t)space->n + 1 : 1, sizeof *flex->whole);
        if (!flex->full || !flex->solved || !flex->work || !flex->whole)
            status = PHX_ERR_MEMORY;
    }
    for (int j = 0; j < space->n && !status; j++) {
        part[j] = space->empty[space->first + j] || (held && held[space->first + j]) ? -1 : flex->n;
        if (part[j] >= 0)
            flex->full[flex->n++] = j;
    }
    status = phx_ranks_agree(context, space->part.ranks, status);
    if (!status && !space->part.ranks)
        status = submatrix(context, &space->M, flex->n, part, &flex->M);
    if (!status)
        status = count_all(flex);
    if (!status)
        status = make_rigid(flex, held);
    if (!status)
        status = support_rigid(flex);
    if (!status)
        status = space->part.ranks ? make_solver(flex, held) : flexibility_factor(flex);
    phx_free(part);
    if (status) {
        flexibility_destroy(flex);
        return status;
    }
    *made = flex;
    return PHX_OK;
}

/* Frees a flexibility; NULL is allowed. */
void flexibility_destroy(flexibility *flex)
{
    if (!flex)
        return;
    phx_cholesky_destroy(flex->factors);
    phx_ranks_solver_destroy(flex->solver);
    phx_csr_free(&flex->M);
    phx_free(flex->full);
    phx_free(flex->solved);
    phx_free(flex->rigid);
    phx_free(flex->M_rigid);
    phx_free(flex->work);
    phx_free(flex->whole);
    phx_free(flex);
}

/* ---- w = A f ---- */
/* On the coordinates that are not held: w and f may be the same. */
static phx_status flexibility_apply_inner(flexibility *flex, const double *f, double *w)
{
    double *load = flex->work, *solution = flex->work + flex->n;
    phx_status status;

    memcpy(load, f, (size_t)flex->n * sizeof *load);
    elastic_space_project(flex->space, flex->n_rigid, flex->n, flex->M_rigid, flex->rigid, load); /* P^T f */
    for (int i = 0; i < flex->n; i++)
        if (flex->solved[i] >= 0)
            solution[flex->solved[i]] = load[i];
    status = flex->solver ? phx_ranks_solver_solve(flex->solver, solution, solution)
                          : phx_cholesky_solve(flex->factors, 1, solution);
    for (int i = 0; i < flex->n && !status; i++)
        w[i] = flex->solved[i] >= 0 ? solution[flex->solved[i]] : 0.0;
    if (!status)
        elastic_space_project(flex->space, flex->n_rigid, flex->n, flex->rigid, flex->M_rigid, w); /* P w */
    return status;
}

/* Displacements w = R f under forces f in equilibrium with inertia, over all coordinates; zero on held ones. */
phx_status flexibility_apply(flexibility *flex, const double *f, double *w)
{
    double *own = phx_calloc(flex->context, (size_t)flex->n + 1, sizeof *own);
    phx_status status = own ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < flex->n && !status; i++)
        own[i] = f[flex->full[i]];
    if (!status)
        status = flexibility_apply_inner(flex, own, own);
    memset(w, 0, (size_t)flex->space->n * sizeof *w);
    for (int i = 0; i < flex->n && !status; i++)
        w[flex->full[i]] = own[i];
    phx_free(own);
    return status;
}

/* ---- modes ---- */
static phx_status op_apply(void *user, const double *x, double *y)
{
    return flexibility_apply_inner(user, x, y);
}

static phx_status op_mass(void *user, const double *x, double *y)
{
    return mass(user, 1, x, y);
}

int flexibility_steps(const flexibility *flex)
{
    return flex->steps;
}

int flexibility_most_modes(const flexibility *flex)
{
    const int most = flex->n_all - 1 < flex->n_massive ? flex->n_all - 1 : flex->n_massive;
    return most - flex->n_rigid;
}

/* A vector of the Lanczos process has parts that the mass does not see (unknowns without mass); A M takes them to what
 * statics makes of them. */
static phx_status purify(flexibility *flex, double lambda, double *x)
{
    double *product = flex->work + 2 * (size_t)flex->n;
    phx_status status = mass(flex, 1, x, product);

    if (!status)
        status = flexibility_apply_inner(flex, product, x);
    for (int i = 0; i < flex->n; i++)
        x[i] *= lambda;
    return status;
}

/* Pairs of one process: vectors count x n. */
static phx_status find_pairs(flexibility *flex, int count, double *values, double *vectors)
{
    const size_t n = (size_t)flex->n, m = (size_t)count;
    double *columns = phx_calloc(flex->context, n * m + 1, sizeof *columns);
    phx_status status = columns ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_eigen_shift_invert(flex->context, flex->n, count, 0.0, op_apply, op_mass, flex, DIGITS, values,
                                        columns);
    for (size_t k = 0; k < m && !status; k++)
        for (size_t i = 0; i < n; i++)
            vectors[k * n + i] = columns[i * m + k];
    phx_free(columns);
    return status;
}

/* Pairs of several processes. */
static phx_status find_distributed_pairs(flexibility *flex, int count, double *values, double *vectors)
{
    static const double of_cycles = 1e-10, of_multigrid = 1e-11; /* error of LOBPCG in energy; of solutions */
    const bool multigrid = uses_multigrid(flex);

    /* a body of few unknowns has no room for LOBPCG's directions: then by solutions */
    if (multigrid && !phx_ranks_eigen_multigrid(flex->solver, count, flex->space->M_rows, flex->n_rigid, flex->rigid,
                                                of_cycles, values, vectors, &flex->steps))
        return PHX_OK;
    flex->steps = 0;
    return phx_ranks_eigen(flex->context, ranks_of(flex), flex->n, count, op_apply, op_mass, flex,
                           multigrid ? of_multigrid : DIGITS, values, vectors);
}

/* The `count` lowest elastic modes, omega in rad/s, one after the other in `modes`. Fails for a value omega^2 that is
 * not positive. */
phx_status flexibility_modes(flexibility *flex, int count, double *omega, double *modes)
{
    const size_t n = (size_t)flex->n, full = (size_t)flex->space->n;
    double *vectors = phx_calloc(flex->context, n * (size_t)count + 1, sizeof *vectors);
    phx_status status = phx_ranks_agree(flex->context, ranks_of(flex), vectors ? PHX_OK : PHX_ERR_MEMORY);

    if (!status)
        status = ranks_of(flex) ? find_distributed_pairs(flex, count, omega, vectors)
                                : find_pairs(flex, count, omega, vectors);
    memset(modes, 0, (size_t)count * full * sizeof *modes);
    for (int k = 0; k < count && !status; k++) {
        double *x = vectors + n * (size_t)k;
        if (!(omega[k] > 0.0 && isfinite(omega[k])))
            status = phx_fail(flex->context, PHX_ERR_ANALYSIS, "mode %d of the body has omega^2 = %g", k + 1, omega[k]);
        if (!status && !uses_multigrid(flex)) /* that has no unknowns without mass */
            status = purify(flex, omega[k], x);
        for (size_t i = 0; i < n; i++)
            modes[(size_t)k * full + (size_t)flex->full[i]] = x[i];
        omega[k] = sqrt(omega[k]);
    }
    phx_free(vectors);
    return status;
}
