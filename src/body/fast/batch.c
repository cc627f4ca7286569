/* Batches: bodies over one deformation that a step evaluates together. */
#include "batch.h"

#include <string.h>

static const batch_operations *batch_select(int width)
{
#ifdef PHX_AVX512
    if (width == 8)
        return &phx_body_batch_of_eight_avx512;
#endif
#ifdef PHX_AVX2
    if (phx_cpu_has_avx2())
        return width == 1 ? &phx_body_batch_of_one_avx2 : &phx_body_batch_of_four_avx2;
#endif
    return width == 1 ? &phx_body_batch_of_one : &phx_body_batch_of_four;
}

int phx_body_batch_most(void)
{
#ifdef PHX_AVX512
    if (phx_cpu_has_avx512())
        return 8;
#endif
    return 4;
}

bool phx_body_fits_batch(const phx_body *any)
{
    const phx_floating *body = phx_as_floating(any);
    return body && body->base.kinetics == PHX_KINETICS_FULL && !body->flex->stiffening;
}

bool phx_body_has_modes(const phx_body *any)
{
    const phx_flex *flex = phx_body_fits_batch(any) ? phx_as_floating(any)->flex : NULL;

    if (!flex || flex->n < 2 || flex->ptr[flex->n] != flex->n * flex->n)
        return false;
    for (int i = 0; i < flex->n; i++)
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            if (flex->idx[e] != i && flex->K[e] != 0.0)
                return false;
    return true;
}

static bool same_damping(const phx_floating *a, const phx_floating *b)
{
    if (!a->damped || !b->damped)
        return a->damped == b->damped;
    if (memcmp(a->damping_def, b->damping_def, sizeof a->damping_def) != 0)
        return false;
    const int nnz = a->damping.ptr[a->base.n_q];
    return nnz == b->damping.ptr[b->base.n_q] &&
           memcmp(a->damping.val, b->damping.val, (size_t)nnz * sizeof(double)) == 0;
}

/* Rigid bodies too, where one turns about a pivot and the other does not. */
static bool alike(const phx_floating *a, const phx_floating *b)
{
    return a->base.dim == b->base.dim && a->base.n_q == b->base.n_q && a->base.pivots == b->base.pivots &&
           (a->base.n_q == 0 || (a->flex == b->flex && same_damping(a, b)));
}

bool phx_body_alike(const phx_body *a, const phx_body *b)
{
    return phx_as_floating(a) && phx_as_floating(b) && alike(phx_as_floating(a), phx_as_floating(b));
}

size_t phx_body_batch_room(const phx_body *body)
{
    const size_t n = (size_t)body->n_q, more = (size_t)(3 + body->n_rot + 2 * phx_pairs(body->dim));
    const size_t arrow = (size_t)(body->n_rigid * (body->n_rigid + 2 * body->dim)); /* beside its rows and columns */
    return PHX_BATCH_WIDTH * (2 * (size_t)body->n_v + more * n) + arrow;
}

/* Bytes of a batch behind its struct. */
static size_t size_of_room(const batch_operations *ops, const phx_body *body, int width)
{
    const int mean = width == 1 ? 2 + body->n_rot + phx_pairs(body->dim) : 0;
    const size_t numbers = (size_t)(2 * body->n_v + (1 + body->n_rot + mean) * body->n_q) * (size_t)width;
    return ops->rigid_size + (body->n_q > 0 ? ops->bending_size : 0) + numbers * sizeof(double);
}

/* Creates a batch of 1 to PHX_BATCH_WIDTH bodies that share deformation matrices. x, v and c of each are the offsets of
 * its state, velocities and condensed unknowns; def->room is borrowed. */
phx_status phx_body_batch_create(phx_context *context, const phx_body_batch_def *def, phx_body_batch **out)
{
    if (!def || !out)
        return phx_fail_null(context, __func__, "def or batch");
    if (def->count < 1 || def->count > PHX_BATCH_WIDTH)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_body_batch_create: %d bodies; there must be 1 to %d",
                        def->count, PHX_BATCH_WIDTH);
    for (int k = 0; k < def->count; k++)
        if (!def->bodies[k])
            return phx_fail_null(context, __func__, "one of the bodies");
        else if (!phx_body_fits_batch(def->bodies[k]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "phx_body_batch_create: body '%s' does not batch",
                            phx_body_name(def->bodies[k]));
    const int width = def->count == 1 ? 1 : def->count <= 4 ? 4 : 8;
    const batch_operations *ops = batch_select(width);
    const phx_floating *bodies[PHX_BATCH_WIDTH];
    phx_body_batch *batch = phx_calloc(context, 1, sizeof *batch + size_of_room(ops, def->bodies[0], width));

    *out = batch;
    if (!batch)
        return PHX_ERR_MEMORY;
    batch->ops = ops;
    batch->body = phx_as_floating(def->bodies[0]);
    batch->count = def->count;
    batch->width = width;
    batch->room = def->room;
    for (int l = 0; l < width; l++) { /* SIMD lanes without a body read the last one */
        const int from = l < def->count ? l : def->count - 1;
        bodies[l] = phx_as_floating(def->bodies[from]);
        batch->x[l] = def->x[from];
        batch->v[l] = def->v[from];
        batch->c[l] = def->c[from];
    }
    ops->connect(batch, bodies, batch + 1);
    return PHX_OK;
}

void phx_body_batch_destroy(phx_body_batch *batch)
{
    phx_free(batch);
}

int phx_body_batch_simd_width(const phx_body_batch *batch)
{
    return batch->width;
}

void phx_body_batch_share(phx_body_batch *batch, double *room)
{
    batch->room = room;
}

/* ---- an interval ---- */
void phx_body_batch_begin(phx_body_batch *batch, double h, const double *x0, const double *v0)
{
    batch->h = h;
    batch->ops->begin(batch, x0, v0);
}

void phx_body_batch_move(const phx_body_batch *batch, bool tried, const double *x0, const double *low0,
                         const double *vm, double *x1, double *low1, double *xm)
{
    const phx_floating *body = batch->body;
    const int q = body->base.dim + body->base.n_attitude;

    batch->ops->move(batch, tried, x0, low0, vm, x1, low1, xm);
    for (int l = 0; l < batch->count && body->base.n_q > 0; l++) {
        const int x = batch->x[l] + q, v = batch->v[l] + body->base.n_rigid;
        phx_body_move_coordinates(body->base.n_q, batch->h, x0 + x, low0 + x, vm + v, x1 + x, low1 + x, xm + x);
    }
}

void phx_body_batch_residual(phx_body_batch *batch, const double *gravity, const double *xm, const double *v1,
                             double *res)
{
    batch->ops->residual(batch, gravity, xm, v1, res);
}

size_t phx_body_batch_arrow_size(const phx_body_batch *batch)
{
    const phx_floating *body = batch->body;
    const int dim = body->base.dim, n_rot = body->base.n_rot, r = body->base.n_rigid;
    return (size_t)(r * r + 2 * dim * (dim + n_rot) + 2 * n_rot * body->base.n_q) * (size_t)batch->width;
}

void phx_body_batch_interval_arrow(phx_body_batch *batch, const double *gravity, const double *x1, const double *xm,
                                   double *arrow)
{
    batch->ops->arrow(batch, gravity, x1, xm, arrow);
}

/* Matrix A of one body of the batch over the interval on the body's sparse pattern, from its lane of the interleaved
 * arrow block. */
void phx_body_batch_interval_matrix(const phx_body_batch *batch, const double *arrow, int lane, double *A)
{
    const phx_floating *body = batch->body;
    const int dim = body->base.dim, width = batch->width;
    const size_t size = phx_body_batch_arrow_size(batch) / (size_t)width;
    double *own = batch->room, w0[3], w1[3];

    for (size_t k = 0; k < size; k++)
        own[k] = arrow[k * (size_t)width + (size_t)lane];
    for (int k = 0; k < body->base.n_rot; k++) {
        w0[k] = batch->v0[(dim + k) * width + lane];
        w1[k] = batch->v1[(dim + k) * width + lane];
    }
    phx_floating_spread_arrow(body, batch->h, w0, w1, own, A);
}

void phx_body_batch_mass_arrow(phx_body_batch *batch, const double *x, double *arrow)
{
    batch->ops->mass_arrow(batch, x, arrow);
}

void phx_body_batch_arrow_add(const phx_body_batch *batch, double *arrow, int lane, int axis, int dof, double value)
{
    const phx_floating *body = batch->body;
    const int dim = body->base.dim, n_rot = body->base.n_rot, r = body->base.n_rigid;
    arrow[(r * r + 2 * dim * (dim + n_rot) + dof * n_rot + axis) * batch->width + lane] += value;
}

void phx_body_batch_rates(const phx_body_batch *batch, double *rates)
{
    batch->ops->rates(batch, rates);
}

void phx_body_batch_kinetic(const phx_body_batch *batch, const double *x, const double *v, double *energy)
{
    batch->ops->kinetic(batch, x, v, energy);
}

/* ---- condensation ---- */
size_t phx_body_batch_internal_size(const phx_body_batch *batch, const phx_condenser *condenser)
{
    return (size_t)condenser->n_internal * (size_t)batch->width;
}

void phx_body_batch_reduce(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, double *Y,
                           double *matrix)
{
    batch->ops->reduce(batch, condenser, arrow, Y, matrix);
}

void phx_body_batch_gather_internal(const phx_body_batch *batch, const phx_condenser *condenser, const double *b,
                                    double *z)
{
    batch->ops->gather_internal(batch, condenser, b, z);
}

void phx_body_batch_scatter_internal(const phx_body_batch *batch, const phx_condenser *condenser, const double *z,
                                     double *b)
{
    batch->ops->scatter_internal(batch, condenser, z, b);
}

void phx_body_batch_begin_solve(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, double *z,
                                double *b)
{
    batch->ops->begin_solve(batch, condenser, arrow, z, b);
}

void phx_body_batch_end_solve(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow,
                              const double *Y, const double *b, double *z)
{
    batch->ops->end_solve(batch, condenser, arrow, Y, b, z);
}

void phx_body_batch_lacking(const phx_body_batch *batch, const phx_condenser *condenser, const double *rates,
                            const double *d, double *z, double *b)
{
    batch->ops->lacking(batch, condenser, rates, d, z, b);
}
