/* Matrices and equations over the processes: the module with PETSc. */
#include "internal.h"

#include <string.h>

struct phx_ranks_matrix {
    phx_context *context;
    const phx_petsc_module *petsc;
    void *data;
};

struct phx_ranks_solver {
    phx_context *context;
    const phx_petsc_module *petsc;
    void *data;
};

static phx_status result(phx_context *context, const char *failed)
{
    return failed ? phx_fail(context, PHX_ERR_LIBRARY, "PETSc: %s", failed) : PHX_OK;
}

/* Assigns the vertices of a graph to the processes with few edges between them; fails if a process gets none. All
 * processes must call it. */
phx_status phx_ranks_partition(phx_context *context, const phx_ranks *ranks, const phx_csr *graph, int *part)
{
    const int size = phx_ranks_size(ranks);

    memset(part, 0, (size_t)graph->rows * sizeof *part);
    if (size == 1)
        return PHX_OK;
    int *count = phx_calloc(context, (size_t)size, sizeof *count);
    phx_status status = count ? ranks_need_petsc(context, ranks) : PHX_ERR_MEMORY;
    status = phx_ranks_agree(context, ranks, status);
    if (!status)
        status = result(context, ranks->petsc->partition(graph->rows, graph->ptr, graph->idx, part));
    for (int k = 0; k < graph->rows && !status; k++)
        count[part[k]]++;
    for (int k = 0; k < size && !status; k++)
        if (count[k] == 0)
            status = phx_fail(context, PHX_ERR_ARGUMENT,
                              "%d processes for %d elements, and nothing is left for one of them: start fewer", size,
                              graph->rows);
    phx_free(count);
    return status;
}

/* ---- matrices ---- */
phx_status phx_ranks_matrix_create(phx_context *context, const phx_ranks *ranks, const phx_csr *rows, int block,
                                   phx_ranks_matrix **matrix)
{
    phx_ranks_matrix *ranks_matrix = phx_calloc(context, 1, sizeof *ranks_matrix);
    phx_status status = ranks_matrix ? ranks_need_petsc(context, ranks) : PHX_ERR_MEMORY;

    *matrix = NULL;
    status = phx_ranks_agree(context, ranks, status);
    if (!status) {
        *ranks_matrix = (phx_ranks_matrix){.context = context, .petsc = ranks->petsc};
        status = result(context, ranks_matrix->petsc->matrix(rows->rows, block, rows->ptr, rows->idx, rows->val,
                                                             &ranks_matrix->data));
    }
    if (status)
        phx_free(ranks_matrix);
    else
        *matrix = ranks_matrix;
    return status;
}

void phx_ranks_matrix_destroy(phx_ranks_matrix *matrix)
{
    if (!matrix)
        return;
    matrix->petsc->matrix_destroy(matrix->data);
    phx_free(matrix);
}

phx_status phx_ranks_matrix_apply(phx_ranks_matrix *matrix, const double *x, double *y)
{
    return result(matrix->context, matrix->petsc->multiply(matrix->data, x, y));
}

/* ---- equations ---- */
phx_status phx_ranks_solver_create(phx_context *context, const phx_ranks *ranks, const phx_ranks_equations *equations,
                                   phx_ranks_solver **solver)
{
    const phx_petsc_module *petsc = equations->matrix->petsc;
    const phx_petsc_equations of_module = {.matrix = equations->matrix->data,
                                           .n = equations->n,
                                           .kept = equations->kept,
                                           .multigrid = ranks->method == PHX_RANKS_GAMG,
                                           .block = equations->block,
                                           .n_near = equations->n_near,
                                           .near = equations->near,
                                           .n_corners = equations->n_corners,
                                           .corner = equations->corner,
                                           .ptr = equations->from_corners ? equations->from_corners->ptr : NULL,
                                           .idx = equations->from_corners ? equations->from_corners->idx : NULL,
                                           .val = equations->from_corners ? equations->from_corners->val : NULL,
                                           .n_null = equations->n_null,
                                           .null = equations->null};
    phx_ranks_solver *ranks_solver = phx_calloc(context, 1, sizeof *ranks_solver);

    *solver = NULL;
    if (!ranks_solver)
        return PHX_ERR_MEMORY;
    *ranks_solver = (phx_ranks_solver){.context = context, .petsc = petsc};
    const phx_status status = result(context, petsc->solver(&of_module, &ranks_solver->data));
    if (status)
        phx_free(ranks_solver);
    else
        *solver = ranks_solver;
    return status;
}

void phx_ranks_solver_destroy(phx_ranks_solver *solver)
{
    if (!solver)
        return;
    solver->petsc->solver_destroy(solver->data);
    phx_free(solver);
}

phx_status phx_ranks_solver_solve(phx_ranks_solver *solver, const double *load, double *x)
{
    return result(solver->context, solver->petsc->solve(solver->data, load, x));
}

/* ---- modes ---- */
/* Operators as the module calls them. */
typedef struct operators {
    phx_context *context;
    phx_operator_fn *solve, *multiply;
    void *user;
    phx_status status;
} operators;

static const char *call(operators *pair, phx_operator_fn *function, const double *x, double *y)
{
    pair->status = function(pair->user, x, y);
    return pair->status ? "an operator has failed" : NULL;
}

static const char *call_solve(void *user, const double *x, double *y)
{
    operators *pair = user;
    return call(pair, pair->solve, x, y);
}

static const char *call_multiply(void *user, const double *x, double *y)
{
    operators *pair = user;
    return call(pair, pair->multiply, x, y);
}

phx_status phx_ranks_eigen(phx_context *context, const phx_ranks *ranks, int n, int count, phx_operator_fn *solve,
                           phx_operator_fn *multiply, void *user, double tolerance, double *values, double *vectors)
{
    operators pair = {.context = context, .solve = solve, .multiply = multiply, .user = user};
    phx_status status = phx_ranks_agree(context, ranks, ranks_need_petsc(context, ranks));

    if (status)
        return status;
    const char *failed = ranks->petsc->nearest(n, count, call_solve, call_multiply, &pair, tolerance, values, vectors);
    if (pair.status)
        return pair.status;
    return result(context, failed);
}

phx_status phx_ranks_eigen_multigrid(phx_ranks_solver *solver, int count, const phx_ranks_matrix *mass, int n_rigid,
                                     const double *rigid, double tolerance, double *values, double *vectors, int *steps)
{
    return result(solver->context, solver->petsc->lowest(solver->data, count, mass->data, n_rigid, rigid, tolerance,
                                                         values, vectors, steps));
}
