/* Rods for the fast evaluator: their nodes, and their elements four side by side. */
#include "rods.h"

#include "body/rod/internal.h"

/* The nodes of a rod as bodies; 0 of other bodies, and of a rod with a rotor, whose inertia they do not have. */
int phx_rod_nodes(const phx_body *body, phx_body *const **nodes, const phx_body_frame **frames)
{
    for (int k = 1; k <= phx_body_places(body, NULL, NULL); k++)
        if (phx_body_wheel_inertia(body, k) > 0.0)
            return 0;
    body = phx_body_inside(body);
    if (body->ops != &phx_rod_ops)
        return 0;
    *nodes = body->nodes;
    *frames = body->frames;
    return body->n_frames;
}

static const rod_operations *rods_select(void)
{
#ifdef PHX_AVX2
    if (phx_cpu_has_avx2())
        return &phx_rod_simd_avx2;
#endif
    return &phx_rod_simd;
}

/* The constants of all elements, numbers of four side by side. */
static void interleave(const phx_rod *rod, int groups, double *to)
{
    const size_t each = sizeof *rod->elements / sizeof(double);

    for (int e = 0; e < groups * PHX_ROD_SIMD_WIDTH; e++) {
        const double *from = (const double *)&rod->elements[e < rod->n ? e : rod->n - 1];
        double *group = to + (size_t)(e / PHX_ROD_SIMD_WIDTH) * each * PHX_ROD_SIMD_WIDTH;
        for (size_t k = 0; k < each; k++)
            group[k * PHX_ROD_SIMD_WIDTH + (size_t)(e % PHX_ROD_SIMD_WIDTH)] = from[k];
    }
}

/* Creates the interleaved data of a rod's elements; x and v are the offsets of its first node in the system's arrays.
 * The rod's tables are borrowed. */
phx_status phx_rod_batch_create(phx_context *context, const phx_body *body, int x, int v, phx_rod_batch **out)
{
    if (!body || !out)
        return phx_fail_null(context, __func__, "rod or batch");
    body = phx_body_inside(body);
    const phx_rod *rod = phx_rod_of(body);
    const int groups = (rod->n + PHX_ROD_SIMD_WIDTH - 1) / PHX_ROD_SIMD_WIDTH;
    const size_t width = (size_t)groups * PHX_ROD_SIMD_WIDTH, each = sizeof *rod->elements / sizeof(double);
    phx_rod_batch *batch = phx_calloc(context, 1, sizeof *batch);

    *out = batch;
    if (!batch)
        return PHX_ERR_MEMORY;
    batch->elements = phx_calloc(context, width * (each + ROD_BILINEAR), sizeof *batch->elements);
    if (!batch->elements) {
        phx_rod_batch_destroy(batch);
        *out = NULL;
        return PHX_ERR_MEMORY;
    }
    batch->ops = rods_select();
    batch->table = &rod->table;
    batch->dim = body->dim;
    batch->n = rod->n;
    batch->groups = groups;
    batch->x = x;
    batch->v = v;
    batch->n_x = rod->frames[1].x;
    batch->n_v = rod->frames[1].v;
    batch->ptr = body->ptr;
    batch->damping = rod->damping;
    batch->start = batch->elements + width * each;
    interleave(rod, groups, batch->elements);
    return PHX_OK;
}

void phx_rod_batch_destroy(phx_rod_batch *batch)
{
    if (!batch)
        return;
    phx_free(batch->elements);
    phx_free(batch);
}

void phx_rod_batch_begin(phx_rod_batch *batch, double h, const double *x0)
{
    batch->h = h;
    batch->ops->begin(batch, x0);
}

void phx_rod_batch_residual(const phx_rod_batch *batch, const double *x1, const double *xm, double *res)
{
    batch->ops->residual(batch, x1, xm, res);
}

void phx_rod_batch_tangent(const phx_rod_batch *batch, const double *x1, const double *xm, const double *vm,
                           const int *at, double *val)
{
    batch->ops->tangent(batch, x1, xm, vm, at, val);
}
