/* Flexibility of an elastic body, held or free: of one process by one sparse Cholesky factorisation, of several by
 * their solver. */
#include "basis.h"

#include <math.h>
#include <string.h>

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

static const phx_ranks *ranks_of(const flexibility *it)
{
    return it->space->part.ranks;
}

static bool uses_multigrid(const flexibility *it)
{
    return ranks_of(it) && phx_ranks_get_method(ranks_of(it)) == PHX_RANKS_GAMG;
}

/* Y <- M X: rows of n numbers. */
static phx_status mass(const flexibility *it, int rows, const double *x, double *y)
{
    const size_t n = (size_t)it->n, whole = (size_t)it->space->n;
    phx_status status = PHX_OK;

    for (size_t r = 0; r < (size_t)rows && !status; r++, x += n, y += n) {
        if (!ranks_of(it)) {
            memset(y, 0, n * sizeof *y);
            phx_csr_apply(&it->M, 1.0, x, y);
            continue;
        }
        memset(it->whole, 0, whole * sizeof *it->whole);
        for (size_t i = 0; i < n; i++)
            it->whole[it->full[i]] = x[i];
        status = elastic_space_mass(it->space, 1, it->whole, it->whole + whole);
        for (size_t i = 0; i < n; i++)
            y[i] = it->whole[whole + (size_t)it->full[i]];
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
static phx_status make_rigid(flexibility *it, const unsigned char *held)
{
    phx_context *context = it->context;
    const elastic_space *space = it->space;
    const size_t n = (size_t)space->n, own = (size_t)it->n;
    const int r = space->n_rigid;
    double gram[36] = {0}, size[6] = {0}, values[6], vectors[36], most = 0.0;
    phx_status status = PHX_OK;

    for (int k = 0; k < r; k++)
        for (size_t j = 0; j < n; j++)
            size[k] = fmax(size[k], fabs(space->rigid[(size_t)k * n + j]));
    phx_ranks_most(ranks_of(it), 6, size);
    for (size_t j = 0; j < n && held; j++)
        for (int k = 0; k < r && held[(size_t)space->first + j]; k++)
            for (int l = 0; l < r; l++)
                gram[r * k + l] +=
                    space->rigid[(size_t)k * n + j] * space->rigid[(size_t)l * n + j] / (size[k] * size[l]);
    elastic_space_sum(space, (size_t)(r * r), gram);
    if (r > 0)
        status = phx_dense_eigen_symmetric(context, r, gram, NULL, values, vectors);
    it->rigid = phx_calloc(context, (size_t)r * own + 1, sizeof *it->rigid);
    it->M_rigid = phx_calloc(context, (size_t)r * own + 1, sizeof *it->M_rigid);
    if (!status && (!it->rigid || !it->M_rigid))
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < r && !status; k++)
        most = fmax(most, values[k]);
    for (int k = 0; k < r && !status; k++) {
        if (values[k] > 1e-12 * most)
            continue; /* it moves what is held */
        double *motion = it->rigid + (size_t)it->n_rigid++ * own;
        for (size_t i = 0; i < own; i++)
            for (int l = 0; l < r; l++)
                motion[i] += vectors[r * l + k] / size[l] * space->rigid[(size_t)l * n + (size_t)it->full[i]];
    }
    for (int pass = 0; pass < 2 && it->n_rigid > 0 && !status; pass++) {
        status = mass(it, it->n_rigid, it->rigid, it->M_rigid);
        phx_dense_multiply(false, true, it->n_rigid, it->n_rigid, it->n, 1.0, it->rigid, it->n, it->M_rigid, it->n, 0.0,
                           gram, it->n_rigid);
        elastic_space_sum(space, (size_t)(it->n_rigid * it->n_rigid), gram);
        if (!status)
            status = phx_dense_cholesky(context, it->n_rigid, gram);
        if (!status)
            phx_dense_triangle_solve(false, it->n_rigid, gram, it->n, it->rigid);
    }
    return status ? status : mass(it, it->n_rigid, it->rigid, it->M_rigid);
}

/* Of `count` columns of the rigid motions (n_rigid x count) those that determine them best. */
static phx_status flexibility_choose(flexibility *it, int count, const double *columns, int *rank, int *order)
{
    return count > 0 ? phx_dense_rrqr(it->context, it->n_rigid, count, columns, 1e-12, rank, order, NULL) : PHX_OK;
}

/* The best of all processes: each offers the best of its own. On return the first *rank of `order` are those of this
 * process that have won. */
static phx_status choose_over_processes(flexibility *it, int *rank, int *order)
{
    const int r = it->n_rigid, all = r * phx_ranks_size(ranks_of(it)), first = r * phx_ranks_rank(ranks_of(it));
    double *offered = phx_calloc(it->context, (size_t)r * (size_t)all + 1, sizeof *offered);
    int *best = phx_calloc(it->context, (size_t)all + 1, sizeof *best);
    int won = 0, total = 0;
    phx_status status = offered && best ? PHX_OK : PHX_ERR_MEMORY;

    status = phx_ranks_agree(it->context, ranks_of(it), status);
    for (int c = 0; c < *rank && !status; c++)
        for (int k = 0; k < r; k++)
            offered[k * all + first + c] = it->rigid[(size_t)k * (size_t)it->n + (size_t)order[c]];
    if (!status) {
        phx_ranks_sum(ranks_of(it), (size_t)r * (size_t)all, offered);
        status = flexibility_choose(it, all, offered, &total, best);
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
        status = phx_fail(it->context, PHX_SINGULAR, "no support stops the rigid motions of the body");
    phx_free(offered);
    phx_free(best);
    return status;
}

/* As many coordinates as there are rigid motions left: held, they would stop them (an isostatic support). Loads in
 * equilibrium leave no force there. Multigrid does without. */
static phx_status support_rigid(flexibility *it)
{
    int rank = 0, *order = phx_calloc(it->context, (size_t)it->n + 1, sizeof *order);
    phx_status status = order ? PHX_OK : PHX_ERR_MEMORY;
    const bool wanted = it->n_rigid > 0 && !uses_multigrid(it);

    if (!status && wanted)
        status = flexibility_choose(it, it->n, it->rigid, &rank, order);
    if (!status && wanted && ranks_of(it))
        status = choose_over_processes(it, &rank, order);
    else if (!status && wanted && rank < it->n_rigid)
        status = phx_fail(it->context, PHX_SINGULAR, "no support stops the rigid motions of the body");
    for (int k = 0; k < rank && !status; k++)
        it->solved[order[k]] = -1;
    for (int i = 0; i < it->n; i++)
        if (it->solved[i] >= 0)
            it->solved[i] = it->n_solved++;
    phx_free(order);
    return status;
}

/* Factors the stiffness of the solved coordinates; PHX_SINGULAR means that a part of the body is loose or a
 * mechanism. */
static phx_status flexibility_factor(flexibility *it)
{
    const elastic_space *space = it->space;
    phx_csr K = {0};
    int *part = phx_calloc(it->context, (size_t)space->n + 1, sizeof *part);
    phx_status status = part ? PHX_OK : PHX_ERR_MEMORY;

    for (int j = 0; j < space->n && part; j++)
        part[j] = -1;
    for (int i = 0; i < it->n && part; i++)
        part[it->full[i]] = it->solved[i];
    if (!status)
        status = submatrix(it->context, &space->K, it->n_solved, part, &K);
    if (!status)
        status = phx_cholesky_create(it->context, &K, &it->factors);
    if (status == PHX_SINGULAR)
        phx_fail_prefix(it->context, status,
                        "stiffness of the body, without its rigid motions: a part is loose or a mechanism: ");
    phx_csr_free(&K);
    phx_free(part);
    return status;
}

/* ---- several processes ---- */
/* Unknowns of all processes, and those of them that have mass: whose row of M is not zero, which some vector without
 * a zero and without regularity shows. */
static phx_status count_all(flexibility *it)
{
    double *x = it->work, *product = it->work + it->n, phase = 0.0, count[2] = {it->n, 0.0};

    for (int i = 0; i < it->n; i++) {
        phase += 0.61803398874989485;
        phase -= floor(phase);
        x[i] = 1.0 + phase;
    }
    const phx_status status = mass(it, 1, x, product);
    for (int i = 0; i < it->n && !status; i++)
        count[1] += product[i] != 0.0;
    phx_ranks_sum(ranks_of(it), 2, count);
    it->n_all = (int)count[0];
    it->n_massive = (int)count[1];
    return status;
}

/* Rows of the space at the coordinates that are solved for. */
static phx_status flexibility_take(const flexibility *it, const int *kept, int rows, const double *from, double **to)
{
    const size_t n = (size_t)it->n_solved, whole = (size_t)it->space->n;

    *to = phx_calloc(it->context, (size_t)rows * n + 1, sizeof **to);
    for (size_t r = 0; r < (size_t)rows && *to; r++)
        for (size_t i = 0; i < n; i++)
            (*to)[r * n + i] = from[r * whole + (size_t)kept[i]];
    return *to ? PHX_OK : PHX_ERR_MEMORY;
}

/* The coordinates `kept` as multigrid wants them described; the caller frees `near`, `corner` and P. */
static phx_status flexibility_describe(const flexibility *it, const unsigned char *held, phx_ranks_equations *equations,
                                       double **near, int **corner, phx_csr *P)
{
    const elastic_space *space = it->space;
    unsigned char *left_out = phx_calloc(it->context, (size_t)space->n_all + 1, sizeof *left_out);

    *corner = phx_calloc(it->context, (size_t)it->n + 1, sizeof **corner);
    phx_status status = left_out && *corner ? PHX_OK : PHX_ERR_MEMORY;
    for (int c = 0; c < space->n_all && !status; c++)
        left_out[c] = space->empty[c] || (held && held[c]);
    if (!status)
        status = flexibility_take(it, equations->kept, 6, space->near, near);
    if (!status)
        status =
            elastic_space_corners(it->context, space, left_out, it->n, it->full, &equations->n_corners, *corner, P);
    phx_free(left_out);
    equations->n_near = 6;
    equations->near = *near;
    equations->corner = *corner;
    equations->from_corners = P;
    equations->n_null = it->n_rigid;
    equations->null = it->rigid;
    return status;
}

/* Creates the distributed solver of the stiffness, with near-null vectors and corner interpolation if it uses
 * multigrid. */
static phx_status make_solver(flexibility *it, const unsigned char *held)
{
    phx_ranks_equations equations = {.matrix = it->space->K_rows, .n = it->n_solved, .block = 1};
    int *kept = phx_calloc(it->context, (size_t)it->n_solved + 1, sizeof *kept), *corner = NULL;
    double *near = NULL;
    phx_csr P = {0};
    phx_status status = kept ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < it->n && !status; i++)
        if (it->solved[i] >= 0)
            kept[it->solved[i]] = it->full[i];
    equations.kept = kept;
    if (!status && uses_multigrid(it))
        status = flexibility_describe(it, held, &equations, &near, &corner, &P);
    status = phx_ranks_agree(it->context, ranks_of(it), status);
    if (!status && uses_multigrid(it))
        equations.block = elastic_space_block(it->space, it->n, it->full);
    if (!status)
        status = phx_ranks_solver_create(it->context, ranks_of(it), &equations, &it->solver);
    if (status == PHX_ERR_LIBRARY)
        phx_fail_prefix(it->context, status,
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
    flexibility *it = phx_calloc(context, 1, sizeof *it);
    int *part = phx_calloc(context, (size_t)space->n + 1, sizeof *part);
    phx_status status = it && part ? PHX_OK : PHX_ERR_MEMORY;

    if (it) {
        it->context = context;
        it->space = space;
        it->full = phx_calloc(context, (size_t)space->n + 1, sizeof *it->full);
        it->solved = phx_calloc(context, (size_t)space->n + 1, sizeof *it->solved);
        it->work = phx_calloc(context, 3 * (size_t)space->n + 1, sizeof *it->work);
        it->whole = phx_calloc(context, space->part.ranks ? 2 * (size_t)space->n + 1 : 1, sizeof *it->whole);
        if (!it->full || !it->solved || !it->work || !it->whole)
            status = PHX_ERR_MEMORY;
    }
    for (int j = 0; j < space->n && !status; j++) {
        part[j] = space->empty[space->first + j] || (held && held[space->first + j]) ? -1 : it->n;
        if (part[j] >= 0)
            it->full[it->n++] = j;
    }
    status = phx_ranks_agree(context, space->part.ranks, status);
    if (!status && !space->part.ranks)
        status = submatrix(context, &space->M, it->n, part, &it->M);
    if (!status)
        status = count_all(it);
    if (!status)
        status = make_rigid(it, held);
    if (!status)
        status = support_rigid(it);
    if (!status)
        status = space->part.ranks ? make_solver(it, held) : flexibility_factor(it);
    phx_free(part);
    if (status) {
        flexibility_destroy(it);
        return status;
    }
    *made = it;
    return PHX_OK;
}

/* Frees a flexibility; NULL is allowed. */
void flexibility_destroy(flexibility *it)
{
    if (!it)
        return;
    phx_cholesky_destroy(it->factors);
    phx_ranks_solver_destroy(it->solver);
    phx_csr_free(&it->M);
    phx_free(it->full);
    phx_free(it->solved);
    phx_free(it->rigid);
    phx_free(it->M_rigid);
    phx_free(it->work);
    phx_free(it->whole);
    phx_free(it);
}

/* ---- w = A f ---- */
/* x <- x - (sum over the rigid motions of (b_k . x) a_k): a, b n_rigid x n. */
static void flexibility_project(const flexibility *it, const double *a, const double *b, double *x)
{
    const size_t n = (size_t)it->n;

    for (int k = 0; k < it->n_rigid; k++) {
        double part = 0.0;
        for (size_t i = 0; i < n; i++)
            part += b[(size_t)k * n + i] * x[i];
        elastic_space_sum(it->space, 1, &part);
        for (size_t i = 0; i < n; i++)
            x[i] -= part * a[(size_t)k * n + i];
    }
}

/* On the coordinates that are not held: w and f may be the same. */
static phx_status flexibility_apply_inner(flexibility *it, const double *f, double *w)
{
    double *load = it->work, *solution = it->work + it->n;
    phx_status status;

    memcpy(load, f, (size_t)it->n * sizeof *load);
    flexibility_project(it, it->M_rigid, it->rigid, load); /* P^T f */
    for (int i = 0; i < it->n; i++)
        if (it->solved[i] >= 0)
            solution[it->solved[i]] = load[i];
    status = it->solver ? phx_ranks_solver_solve(it->solver, solution, solution)
                        : phx_cholesky_solve(it->factors, 1, solution);
    for (int i = 0; i < it->n && !status; i++)
        w[i] = it->solved[i] >= 0 ? solution[it->solved[i]] : 0.0;
    if (!status)
        flexibility_project(it, it->rigid, it->M_rigid, w); /* P w */
    return status;
}

/* Displacements w = R f under forces f in equilibrium with inertia, over all coordinates; zero on held ones. */
phx_status flexibility_apply(flexibility *it, const double *f, double *w)
{
    double *own = phx_calloc(it->context, (size_t)it->n + 1, sizeof *own);
    phx_status status = own ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < it->n && !status; i++)
        own[i] = f[it->full[i]];
    if (!status)
        status = flexibility_apply_inner(it, own, own);
    memset(w, 0, (size_t)it->space->n * sizeof *w);
    for (int i = 0; i < it->n && !status; i++)
        w[it->full[i]] = own[i];
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

int flexibility_steps(const flexibility *it)
{
    return it->steps;
}

int flexibility_most_modes(const flexibility *it)
{
    const int most = it->n_all - 1 < it->n_massive ? it->n_all - 1 : it->n_massive;
    return most - it->n_rigid;
}

/* A vector of the Lanczos process has parts that the mass does not see (unknowns without mass); A M takes them to what
 * statics makes of them. */
static phx_status purify(flexibility *it, double lambda, double *x)
{
    double *product = it->work + 2 * (size_t)it->n;
    phx_status status = mass(it, 1, x, product);

    if (!status)
        status = flexibility_apply_inner(it, product, x);
    for (int i = 0; i < it->n; i++)
        x[i] *= lambda;
    return status;
}

/* Pairs of one process: vectors count x n. */
static phx_status find_pairs(flexibility *it, int count, double *values, double *vectors)
{
    const size_t n = (size_t)it->n, m = (size_t)count;
    double *columns = phx_calloc(it->context, n * m + 1, sizeof *columns);
    phx_status status = columns ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_eigen_shift_invert(it->context, it->n, count, 0.0, op_apply, op_mass, it, 1e-13, values, columns);
    for (size_t k = 0; k < m && !status; k++)
        for (size_t i = 0; i < n; i++)
            vectors[k * n + i] = columns[i * m + k];
    phx_free(columns);
    return status;
}

/* Pairs of several processes. */
static phx_status find_distributed_pairs(flexibility *it, int count, double *values, double *vectors)
{
    static const double digits = 1e-13, of_multigrid = 1e-11;
    const bool multigrid = uses_multigrid(it);

    /* a body of few unknowns has no room for LOBPCG's directions: then by solutions */
    if (multigrid && !phx_ranks_eigen_multigrid(it->solver, count, it->space->M_rows, it->n_rigid, it->rigid, 1e-10,
                                                values, vectors, &it->steps))
        return PHX_OK;
    it->steps = 0;
    return phx_ranks_eigen(it->context, ranks_of(it), it->n, count, op_apply, op_mass, it,
                           multigrid ? of_multigrid : digits, values, vectors);
}

/* The `count` lowest elastic modes, omega in rad/s, one after the other in `modes`. Fails for a value omega^2 that is
 * not positive. */
phx_status flexibility_modes(flexibility *it, int count, double *omega, double *modes)
{
    const size_t n = (size_t)it->n, full = (size_t)it->space->n;
    double *vectors = phx_calloc(it->context, n * (size_t)count + 1, sizeof *vectors);
    phx_status status = phx_ranks_agree(it->context, ranks_of(it), vectors ? PHX_OK : PHX_ERR_MEMORY);

    if (!status)
        status =
            ranks_of(it) ? find_distributed_pairs(it, count, omega, vectors) : find_pairs(it, count, omega, vectors);
    memset(modes, 0, (size_t)count * full * sizeof *modes);
    for (int k = 0; k < count && !status; k++) {
        double *x = vectors + n * (size_t)k;
        if (!(omega[k] > 0.0 && isfinite(omega[k])))
            status = phx_fail(it->context, PHX_ERR_ANALYSIS, "mode %d of the body has omega^2 = %g", k + 1, omega[k]);
        if (!status && !uses_multigrid(it)) /* that has no unknowns without mass */
            status = purify(it, omega[k], x);
        for (size_t i = 0; i < n; i++)
            modes[(size_t)k * full + (size_t)it->full[i]] = x[i];
        omega[k] = sqrt(omega[k]);
    }
    phx_free(vectors);
    return status;
}
