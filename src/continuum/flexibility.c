/* Flexibility of an elastic body, held or free, by one sparse Cholesky factorisation. */
#include "basis.h"

#include <math.h>
#include <string.h>

struct flexibility {
    phx_context *context;
    const elastic_space *space;
    int n;           /* coordinates that are not held */
    int *full;       /* n: of the space */
    phx_csr M;       /* n x n */
    int n_rigid;     /* rigid motions left, 0 to 6 */
    double *rigid;   /* n_rigid x n, orthonormal in M */
    double *M_rigid; /* n_rigid x n */
    int *solved;     /* n: coordinate of the factors, -1 at the supports of the rigid motions */
    int n_solved;
    phx_cholesky *factors;
    double *work; /* 3 n: load, solution, a vector of the caller */
};

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
    for (size_t j = 0; j < n && held; j++)
        for (int k = 0; k < r && held[j]; k++)
            for (int l = 0; l < r; l++)
                gram[r * k + l] +=
                    space->rigid[(size_t)k * n + j] * space->rigid[(size_t)l * n + j] / (size[k] * size[l]);
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
        for (int k = 0; k < it->n_rigid; k++)
            phx_csr_apply(&it->M, 1.0, it->rigid + (size_t)k * own, it->M_rigid + (size_t)k * own);
        phx_dense_multiply(false, true, it->n_rigid, it->n_rigid, it->n, 1.0, it->rigid, it->n, it->M_rigid, it->n, 0.0,
                           gram, it->n_rigid);
        status = phx_dense_cholesky(context, it->n_rigid, gram);
        if (!status)
            phx_dense_triangle_solve(false, it->n_rigid, gram, it->n, it->rigid);
        memset(it->M_rigid, 0, (size_t)it->n_rigid * own * sizeof *it->M_rigid);
    }
    for (int k = 0; k < it->n_rigid && !status; k++)
        phx_csr_apply(&it->M, 1.0, it->rigid + (size_t)k * own, it->M_rigid + (size_t)k * own);
    return status;
}

/* As many coordinates as there are rigid motions left: held, they would stop them (an isostatic support). Loads in
 * equilibrium leave no force there. */
static phx_status support_rigid(flexibility *it)
{
    int rank = 0, *order = phx_calloc(it->context, (size_t)it->n + 1, sizeof *order);
    phx_status status = order ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && it->n_rigid > 0)
        status = phx_dense_rrqr(it->context, it->n_rigid, it->n, it->rigid, 1e-12, &rank, order, NULL);
    if (!status && rank < it->n_rigid)
        status = phx_fail(it->context, PHX_SINGULAR, "no support stops the rigid motions of the body");
    for (int k = 0; k < it->n_rigid && !status; k++)
        it->solved[order[k]] = -1;
    for (int i = 0; i < it->n; i++)
        if (it->solved[i] >= 0)
            it->solved[i] = it->n_solved++;
    phx_free(order);
    return status;
}

static phx_status factor(flexibility *it)
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
        if (!it->full || !it->solved || !it->work)
            status = PHX_ERR_MEMORY;
    }
    for (int j = 0; j < space->n && !status; j++) {
        part[j] = space->empty[j] || (held && held[j]) ? -1 : it->n;
        if (part[j] >= 0)
            it->full[it->n++] = j;
    }
    if (!status)
        status = submatrix(context, &space->M, it->n, part, &it->M);
    if (!status)
        status = make_rigid(it, held);
    if (!status)
        status = support_rigid(it);
    if (!status)
        status = factor(it);
    phx_free(part);
    if (status) {
        flexibility_destroy(it);
        return status;
    }
    *made = it;
    return PHX_OK;
}

void flexibility_destroy(flexibility *it)
{
    if (!it)
        return;
    phx_cholesky_destroy(it->factors);
    phx_csr_free(&it->M);
    phx_free(it->full);
    phx_free(it->solved);
    phx_free(it->rigid);
    phx_free(it->M_rigid);
    phx_free(it->work);
    phx_free(it);
}

/* ---- w = A f ---- */
/* x <- x - (sum over the rigid motions of (b_k . x) a_k): a, b n_rigid x n. */
static void project(const flexibility *it, const double *a, const double *b, double *x)
{
    const size_t n = (size_t)it->n;

    for (int k = 0; k < it->n_rigid; k++) {
        double part = 0.0;
        for (size_t i = 0; i < n; i++)
            part += b[(size_t)k * n + i] * x[i];
        for (size_t i = 0; i < n; i++)
            x[i] -= part * a[(size_t)k * n + i];
    }
}

/* On the coordinates that are not held: w and f may be the same. */
static phx_status apply(flexibility *it, const double *f, double *w)
{
    double *load = it->work, *solution = it->work + it->n;
    phx_status status;

    memcpy(load, f, (size_t)it->n * sizeof *load);
    project(it, it->M_rigid, it->rigid, load); /* P^T f */
    for (int i = 0; i < it->n; i++)
        if (it->solved[i] >= 0)
            solution[it->solved[i]] = load[i];
    status = phx_cholesky_solve(it->factors, 1, solution);
    for (int i = 0; i < it->n && !status; i++)
        w[i] = it->solved[i] >= 0 ? solution[it->solved[i]] : 0.0;
    if (!status)
        project(it, it->rigid, it->M_rigid, w); /* P w */
    return status;
}

phx_status flexibility_apply(flexibility *it, const double *f, double *w)
{
    double *own = phx_calloc(it->context, (size_t)it->n + 1, sizeof *own);
    phx_status status = own ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < it->n && !status; i++)
        own[i] = f[it->full[i]];
    if (!status)
        status = apply(it, own, own);
    memset(w, 0, (size_t)it->space->n * sizeof *w);
    for (int i = 0; i < it->n && !status; i++)
        w[it->full[i]] = own[i];
    phx_free(own);
    return status;
}

/* ---- modes ---- */
static phx_status op_apply(void *user, const double *x, double *y)
{
    return apply(user, x, y);
}

static phx_status op_mass(void *user, const double *x, double *y)
{
    const flexibility *it = user;

    memset(y, 0, (size_t)it->n * sizeof *y);
    phx_csr_apply(&it->M, 1.0, x, y);
    return PHX_OK;
}

int flexibility_most_modes(const flexibility *it)
{
    return it->n - it->n_rigid - 1;
}

/* A vector of the Lanczos process has parts that the mass does not see (unknowns without mass); A M takes them to what
 * statics makes of them. */
static phx_status purify(flexibility *it, int k, int count, double lambda, const double *vectors, double *x)
{
    phx_status status;

    for (int i = 0; i < it->n; i++)
        x[i] = vectors[(size_t)i * (size_t)count + (size_t)k];
    double *product = it->work + 2 * (size_t)it->n;
    memset(product, 0, (size_t)it->n * sizeof *product);
    phx_csr_apply(&it->M, 1.0, x, product);
    status = apply(it, product, x);
    for (int i = 0; i < it->n; i++)
        x[i] *= lambda;
    return status;
}

phx_status flexibility_modes(flexibility *it, int count, double *omega, double *modes)
{
    const size_t n = (size_t)it->n, full = (size_t)it->space->n;
    double *vectors = phx_calloc(it->context, n * (size_t)count + n + 1, sizeof *vectors);
    phx_status status = vectors ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_eigen_shift_invert(it->context, it->n, count, 0.0, op_apply, op_mass, it, 1e-13, omega, vectors);
    memset(modes, 0, (size_t)count * full * sizeof *modes);
    for (int k = 0; k < count && !status; k++) {
        double *x = vectors + n * (size_t)count;
        if (!(omega[k] > 0.0 && isfinite(omega[k])))
            status = phx_fail(it->context, PHX_ERR_ANALYSIS, "mode %d of the body has omega^2 = %g", k + 1, omega[k]);
        if (!status)
            status = purify(it, k, count, omega[k], vectors, x);
        for (size_t i = 0; i < n; i++)
            modes[(size_t)k * full + (size_t)it->full[i]] = x[i];
        omega[k] = sqrt(omega[k]);
    }
    phx_free(vectors);
    return status;
}
