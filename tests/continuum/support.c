#include "support.h"

/* ---- boundary conditions ---- */
static void number_again(free_set *set)
{
    set->n_free = 0;
    for (int i = 0; i < set->n; i++)
        if (set->number[i] >= 0)
            set->number[i] = set->n_free++;
}

free_set free_all(int n)
{
    free_set set = {.n = n, .number = calloc((size_t)n, sizeof(int))};
    assert_non_null(set.number);
    number_again(&set);
    return set;
}

void free_set_release(free_set *set)
{
    free(set->number);
    set->number = NULL;
}

void hold(free_set *set, int count, const int *unknown)
{
    for (int k = 0; k < count; k++)
        set->number[unknown[k]] = -1;
    number_again(set);
}

void hold_component(free_set *set, const phx_elastic_model *model, int component)
{
    for (int i = 0; i < model->n; i++)
        if (model->component[i] == component)
            set->number[i] = -1;
    number_again(set);
}

void hold_group(free_set *set, const phx_elastic_model *model, const char *group, int component)
{
    const phx_mesh_group *nodes = phx_mesh_group_named(&model->mesh, group);
    assert_non_null(nodes);
    bool *wanted = calloc((size_t)model->n_nodes, sizeof *wanted);
    assert_non_null(wanted);
    for (int k = 0; k < nodes->n_nodes; k++)
        wanted[nodes->nodes[k]] = true;
    for (int i = 0; i < model->n; i++)
        if (model->component[i] == component && model->node[i] >= 0 && wanted[model->node[i]])
            set->number[i] = -1;
    free(wanted);
    number_again(set);
}

phx_csr restricted(phx_context *context, const phx_csr *a, const free_set *set)
{
    const size_t most = (size_t)a->ptr[a->rows] + 1;
    int *row = malloc(most * sizeof *row), *col = malloc(most * sizeof *col);
    double *val = malloc(most * sizeof *val);
    size_t count = 0;
    phx_csr part;

    assert_true(row && col && val);
    for (int i = 0; i < a->rows; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1] && set->number[i] >= 0; e++) {
            if (set->number[a->idx[e]] < 0)
                continue;
            row[count] = set->number[i];
            col[count] = set->number[a->idx[e]];
            val[count++] = a->val[e];
        }
    CHECK_OK(context, phx_csr_from_triplets(context, set->n_free, set->n_free, count, row, col, val, &part));
    free(row);
    free(col);
    free(val);
    return part;
}

/* ---- solutions ---- */
typedef struct pencil {
    const phx_csr *M;
    phx_cholesky *shifted;
} pencil;

static phx_status solve_shifted(void *user, const double *x, double *y)
{
    const pencil *p = user;
    memcpy(y, x, (size_t)p->M->rows * sizeof *y);
    return phx_cholesky_solve(p->shifted, 1, y);
}

static phx_status multiply_mass(void *user, const double *x, double *y)
{
    const pencil *p = user;
    memset(y, 0, (size_t)p->M->rows * sizeof *y);
    phx_csr_apply(p->M, 1.0, x, y);
    return PHX_OK;
}

void lowest_frequencies(phx_context *context, const phx_csr *K, const phx_csr *M, double sigma, int count,
                        double *omega, double *vectors)
{
    phx_csr shifted;
    pencil p = {.M = M};

    CHECK_OK(context, phx_csr_add(context, 1.0, K, -sigma, M, &shifted));
    CHECK_OK(context, phx_cholesky_create(context, &shifted, &p.shifted));
    CHECK_OK(context, phx_eigen_shift_invert(context, K->rows, count, sigma, solve_shifted, multiply_mass, &p, 0.0,
                                             omega, vectors));
    for (int k = 0; k < count; k++)
        omega[k] = sqrt(fmax(omega[k], 0.0));
    phx_cholesky_destroy(p.shifted);
    phx_csr_free(&shifted);
}

void improve_frequencies(phx_context *context, const phx_elastic_model *model, const free_set *set, int count,
                         const double *vectors, double *omega)
{
    const int n = model->n, rows = model->first_stress[model->n_elements];
    double *u = calloc((size_t)n, sizeof *u), *Mu = calloc((size_t)n, sizeof *Mu);
    double *half = calloc((size_t)rows, sizeof *half);
    phx_csr root;

    assert_true(u && Mu && half);
    CHECK_OK(context, phx_elastic_mixed(context, model, NULL, NULL, &root));
    for (int k = 0; k < count; k++) {
        memset(Mu, 0, (size_t)n * sizeof *Mu);
        memset(half, 0, (size_t)rows * sizeof *half);
        for (int i = 0; i < n; i++)
            u[i] = set->number[i] >= 0 ? vectors[(size_t)set->number[i] * (size_t)count + (size_t)k] : 0.0;
        phx_csr_apply(&root, 1.0, u, half);
        phx_csr_apply(&model->M, 1.0, u, Mu);
        omega[k] = sqrt(dot_product(rows, half, half) / dot_product(n, u, Mu));
    }
    phx_csr_free(&root);
    free(u);
    free(Mu);
    free(half);
}

void solve_free(phx_context *context, const phx_csr *K, const free_set *set, double *x)
{
    phx_csr part = restricted(context, K, set);
    phx_cholesky *factors;
    double *y = calloc((size_t)set->n_free, sizeof *y);

    assert_non_null(y);
    for (int i = 0; i < set->n; i++)
        if (set->number[i] >= 0)
            y[set->number[i]] = x[i];
    CHECK_OK(context, phx_cholesky_create(context, &part, &factors));
    CHECK_OK(context, phx_cholesky_solve(factors, 1, y));
    for (int i = 0; i < set->n; i++)
        x[i] = set->number[i] >= 0 ? y[set->number[i]] : 0.0;
    phx_cholesky_destroy(factors);
    phx_csr_free(&part);
    free(y);
}

/* ---- checks ---- */
void check_rigid_motions(phx_context *context, const phx_elastic_model *model, double tolerance)
{
    phx_csr D;

    CHECK_OK(context, phx_elastic_mixed(context, model, &D, NULL, NULL));
    for (int k = 0; k < 6; k++) {
        const double *rigid = model->rigid + (size_t)k * (size_t)model->n;
        double worst = 0.0;
        for (int e = 0; e < model->n_elements; e++) {
            const int first = model->first_stress[e], end = model->first_stress[e + 1];
            double strain = 0.0;
            for (int r = first; r < end; r++) {
                double sum = 0.0;
                for (int at = D.ptr[r]; at < D.ptr[r + 1]; at++)
                    sum += D.val[at] * rigid[D.idx[at]];
                strain = fmax(strain, fabs(sum));
            }
            const double size = max_abs(D.ptr[end] - D.ptr[first], D.val + D.ptr[first]);
            worst = fmax(worst, end > first ? strain / size : 0.0);
        }
        CHECK_BELOW(worst / max_abs(model->n, rigid), tolerance, "D r, rigid motion %d", k);
    }
    phx_csr_free(&D);
}

void check_mixed_form(phx_context *context, const phx_elastic_model *model, double tolerance)
{
    phx_csr D, M2, root;
    const int n = model->n, rows = model->first_stress[model->n_elements];
    double *u = calloc((size_t)n, sizeof *u), *Ku = calloc((size_t)n, sizeof *Ku);
    double *strain = calloc((size_t)rows, sizeof *strain), *half = calloc((size_t)rows, sizeof *half);
    double *sigma = calloc((size_t)rows, sizeof *sigma);
    phx_lu *lu;
    uint64_t seed = 7;

    assert_true(u && Ku && strain && half && sigma);
    random_vector(&seed, n, 1.0, u);
    CHECK_OK(context, phx_elastic_mixed(context, model, &D, &M2, &root));
    phx_csr_apply(&model->K, 1.0, u, Ku);
    phx_csr_apply(&root, 1.0, u, half);
    phx_csr_apply(&D, 1.0, u, strain);
    const double energy = dot_product(n, u, Ku);
    CHECK_RELATIVE(dot_product(rows, half, half), energy, tolerance, "|L2^-1 D u|^2 against u^T K u");
    memcpy(sigma, strain, (size_t)rows * sizeof *strain);
    CHECK_OK(context, phx_lu_create(context, rows, M2.ptr, M2.idx, NULL, false, &lu));
    CHECK_OK(context, phx_lu_factor(lu, M2.val, NULL));
    CHECK_OK(context, phx_lu_solve(lu, 1, sigma));
    CHECK_RELATIVE(dot_product(rows, sigma, strain), energy, tolerance, "sigma^T D u against u^T K u");
    phx_lu_destroy(lu);
    phx_csr_free(&D);
    phx_csr_free(&M2);
    phx_csr_free(&root);
    free(u);
    free(Ku);
    free(strain);
    free(half);
    free(sigma);
}
