/* Orthonormal bases in the mass matrix whose columns keep the constraints. */
#include <math.h>
#include <string.h>

#include "reduction.h"

phx_status phx_space_create(const phx_full *full, int room, phx_space *space)
{
    const size_t n = (size_t)full->n, size = n + (size_t)full->A.rows;
    phx_context *context = full->context;

    *space = (phx_space){.context = context, .full = full, .n = full->n, .room = room};
    space->columns = phx_calloc(context, n * (size_t)room + 1, sizeof *space->columns);
    space->weighed = phx_calloc(context, n * (size_t)room + 1, sizeof *space->weighed);
    space->work = phx_calloc(context, 2 * size + 1, sizeof *space->work);
    return space->columns && space->weighed && space->work ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_space_free(phx_space *space)
{
    phx_free(space->columns);
    phx_free(space->weighed);
    phx_free(space->work);
    *space = (phx_space){0};
}

/* v <- the part of v that keeps the constraints, theory 14 (4): [M A^T; A 0] (v, .) = (M v, 0). */
static phx_status keep_constraints(phx_space *space, double *v)
{
    const size_t n = (size_t)space->n, size = n + (size_t)space->full->A.rows;
    double *x = space->work;

    memset(x, 0, size * sizeof *x);
    phx_csr_apply(&space->full->plant->linear.M, 1.0, v, x);
    const phx_status status = phx_saddle_solve((phx_saddle *)&space->full->projection, x);
    if (!status)
        memcpy(v, x, n * sizeof *v);
    return status;
}

/* weighed = M v; returns the norm of v. */
static double orthogonal_weigh(const phx_space *space, const double *v, double *weighed)
{
    double square = 0.0;

    memset(weighed, 0, (size_t)space->n * sizeof *weighed);
    phx_csr_apply(&space->full->plant->linear.M, 1.0, v, weighed);
    for (int i = 0; i < space->n; i++)
        square += v[i] * weighed[i];
    return sqrt(fmax(square, 0.0));
}

/* v <- v - V (M V)^T v, one column after the other. */
static void remove_columns(int n, int count, const double *columns, const double *weighed, double *v)
{
    for (int k = 0; k < count; k++, columns += n, weighed += n) {
        double along = 0.0;
        for (int i = 0; i < n; i++)
            along += weighed[i] * v[i];
        for (int i = 0; i < n; i++)
            v[i] -= along * columns[i];
    }
}

static void sweep(const phx_space *space, double *v)
{
    const phx_full *full = space->full;

    remove_columns(space->n, space->count, space->columns, space->weighed, v);
    if (full->unmoved > 0)
        remove_columns(space->n, full->unmoved, full->still, full->still + (size_t)full->unmoved * (size_t)space->n, v);
}

/* Adds a vector to an M-orthonormal space of motions that keep the constraints, projected before and after every sweep
 * theory 14 (4); *added is false if it depends on the others or the space is full. */
phx_status phx_space_add(phx_space *space, const double *x, bool *added)
{
    const size_t n = (size_t)space->n;

    *added = false;
    if (space->count == space->room)
        return PHX_OK;
    double *v = space->columns + (size_t)space->count * n, *weighed = space->weighed + (size_t)space->count * n;
    memcpy(v, x, n * sizeof *v);
    const double before = orthogonal_weigh(space, v, weighed);
    phx_status status = keep_constraints(space, v);
    double after = status ? 0.0 : orthogonal_weigh(space, v, weighed);
    for (int round = 0; round < 2 && !status && after > DEPENDENT * before; round++) {
        sweep(space, v);
        status = keep_constraints(space, v);
        if (!status)
            after = orthogonal_weigh(space, v, weighed);
    }
    if (status || !(after > DEPENDENT * before))
        return status;
    for (size_t i = 0; i < n; i++) {
        v[i] /= after;
        weighed[i] /= after;
    }
    space->count++;
    *added = true;
    return PHX_OK;
}
