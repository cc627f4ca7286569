/* The equations of motion of one body over an interval. */
#define real double
/* clang-format off */
#define ZEROS {0.0}
/* clang-format on */
#define SIMD_WIDTH 1
#define NAME(x)    one_##x

#include "arrow_kernel.h"

#include <string.h>

/* Data of the start of an interval; with simplified kinetics its momenta. */
struct phx_products {
    double h;
    one_products start;
    one_bending bent;
    double *p0, *room;
};

size_t phx_floating_room(const phx_body *base)
{
    const phx_floating *body = phx_floating_of(base);
    const int dim = body->base.dim, n_rot = body->base.n_rot, r = body->base.n_rigid;
    const size_t arrow = (size_t)(r * r + 2 * dim * r + 2 * n_rot * body->base.n_q);
    return arrow + (size_t)body->base.n_q * (size_t)(3 + n_rot + 2 * phx_pairs(dim));
}

/* Allocates what a body computes once per interval: momenta at the start and products of the deformation with A_k.
 * `room` is scratch space shared with other bodies, NULL for its own. */
phx_products *phx_floating_products_create(phx_context *context, const phx_body *base, double *room)
{
    const phx_floating *body = phx_floating_of(base);
    const size_t n = (size_t)body->base.n_q, head = (sizeof(phx_products) + sizeof(double) - 1) / sizeof(double);
    const size_t own = (size_t)body->base.n_v + n * (size_t)(1 + body->base.n_rot);
    double *all = phx_calloc(context, head + own + (room ? 0 : phx_floating_room(base)), sizeof *all);
    phx_products *work = (phx_products *)(void *)all;

    if (!all)
        return NULL;
    work->start.own = one_inertia_of(body->flex);
    work->start.bent = &work->bent;
    work->p0 = all + head;
    work->bent.d = work->p0 + body->base.n_v;
    for (int k = 0; k < body->base.n_rot; k++)
        work->bent.turned[k] = work->bent.d + (size_t)(1 + k) * n;
    work->room = room ? room : all + head + own;
    return work;
}

void phx_floating_products_share(const phx_body *body, phx_products *products, double *room)
{
    (void)body;
    products->room = room;
}

void phx_floating_interval_begin(const phx_body *base, double h, const double *x0, const double *v0,
                                 phx_products *products)
{
    const phx_floating *body = phx_floating_of(base);
    const double *q0 = phx_floating_q(body, x0);

    products->h = h;
    if (body->base.kinetics == PHX_KINETICS_SIMPLIFIED)
        phx_floating_momenta(base, x0, v0, products->p0);
    else if (body->base.dim == 2)
        one_begin(2, body->base.n_q, body, h, q0, v0, &products->start, products->room);
    else
        one_begin(3, body->base.n_q, body, h, q0, v0, &products->start, products->room);
}

/* Residual of one body over an interval: the momentum balance with full or simplified kinetics, plus geometric
 * stiffening, theory 4 (2), 9 (2) and 10. */
static inline void interval_residual(const int dim, const phx_floating *body, const double *gravity,
                                     const phx_body_view *view, double *res)
{
    const double *q0 = phx_floating_q(body, view->x0), *q1 = phx_floating_q(body, view->x1),
                 *qm = phx_floating_q(body, view->xm);
    phx_products *work = view->products;

    if (body->base.kinetics == PHX_KINETICS_FULL)
        one_residual(dim, body->base.n_q, body, gravity, work->h, view->xm + dim, view->v0, view->v1, view->vm,
                     &work->start, work->room, res);
    else
        phx_floating_simplified_residual(body, gravity, view, work->p0, res);
    if (body->flex->stiffening)
        phx_floating_stiffening_residual(body->flex, q0, q1, qm, res + body->base.n_rigid);
}

void phx_floating_interval_residual(const phx_body *base, const double *gravity, const phx_body_view *view, double *res)
{
    const phx_floating *body = phx_floating_of(base);

    if (body->base.dim == 2)
        interval_residual(2, body, gravity, view, res);
    else
        interval_residual(3, body, gravity, view, res);
}

bool phx_floating_averages(const phx_body *body, int f, double *arm)
{
    (void)f;
    if (body->n_q > 0 || body->pivots || body->kinetics == PHX_KINETICS_SIMPLIFIED)
        return false;
    for (int a = 0; a < body->dim && body->rest.mass > 0.0; a++)
        arm[a] = body->rest.s0[a] / body->rest.mass;
    return true;
}

void phx_floating_interval_finish(const phx_body *body, double h, const double *v0, double *v1)
{
    double centre[3] = {0.0};

    if (!phx_floating_averages(body, 0, centre))
        return;
    if (body->dim == 2)
        one_finish(2, centre, h, v0, v1);
    else
        one_finish(3, centre, h, v0, v1);
}

/* ---- the derivative with respect to the mean velocity ---- */
/* The rigid rows and columns from the arrow block; rigid rows are full and others begin with the rigid columns. */
static inline void interval_spread(const int dim, const phx_floating *body, double *values, double *A)
{
    const phx_flex *flex = body->flex;
    const int n = flex->n, n_rot = phx_rotations(dim), r = dim + n_rot;
    const one_arrow arrow = one_arrow_at(dim, n, values);

    for (int a = 0; a < r; a++)
        memcpy(A + body->base.ptr[a], arrow.rigid + a * r, (size_t)r * sizeof *A);
    for (int i = 0; i < n; i++) {
        double *row = A + body->base.ptr[r + i];
        for (int a = 0; a < dim; a++) {
            double above = 0.0, left = 0.0;
            for (int b = 0; b < dim; b++) {
                above += arrow.H[a * dim + b] * flex->S[b * n + i];
                left += flex->S[b * n + i] * arrow.Gv[b * dim + a];
            }
            A[body->base.ptr[a] + r + i] = above;
            row[a] = left;
        }
        for (int k = 0; k < n_rot; k++) {
            double above = arrow.rows[i * n_rot + k], left = arrow.columns[i * n_rot + k];
            for (int b = 0; b < dim; b++) {
                above += arrow.E[k * dim + b] * flex->S[b * n + i];
                left += flex->S[b * n + i] * arrow.Gw[b * n_rot + k];
            }
            A[body->base.ptr[dim + k] + r + i] = above;
            row[dim + k] = left;
        }
    }
}

/* Block q x q, theory 4 (26): (2 M/h - w1_k A_k) - w0_k A_k - h/4 sym(w0, w1) Q + h/2 K + R. */
static inline void flexible_block(const int dim, const phx_floating *body, double h, const double *w0, const double *w1,
                                  double *A)
{
    enum { TOGETHER = 64 }; /* entries whose sums are made side by side */
    const phx_flex *flex = body->flex;
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim), nnz = flex->n ? flex->ptr[flex->n] : 0;
    const double *A_k[3], *Q_p[PHX_MAX_PAIR];
    double w[3], ww[PHX_MAX_PAIR], sums[TOGETHER];

    phx_pair_products(n_rot, w0, w1, ww);
    for (int p = 0; p < n_pair; p++)
        ww[p] *= 0.25 * h;
    for (int k = 0; k < n_rot; k++)
        w[k] = w0[k] + w1[k];
    for (int first = 0; first < nnz; first += TOGETHER) {
        const int count = nnz - first < TOGETHER ? nnz - first : TOGETHER, *at = body->flex_at + first;
        const double *M = flex->M + first, *K = flex->K + first;
        for (int k = 0; k < n_rot; k++)
            A_k[k] = flex->A[k] + first;
        for (int p = 0; p < n_pair; p++)
            Q_p[p] = flex->Q[p] + first;
        for (int m = 0; m < count; m++) {
            double sum = 2.0 / h * M[m] + 0.5 * h * K[m];
            for (int k = 0; k < n_rot; k++)
                sum -= w[k] * A_k[k][m];
            for (int p = 0; p < n_pair; p++)
                sum -= ww[p] * Q_p[p][m];
            sums[m] = sum;
        }
        for (int m = 0; m < count; m++)
            A[at[m]] += sums[m];
    }
    for (int m = 0; body->damped && m < body->damping.ptr[body->base.n_q]; m++)
        A[body->damping_at[m]] += body->damping.val[m];
}

void phx_floating_spread_arrow(const phx_floating *body, double h, const double *w0, const double *w1, double *arrow,
                               double *A)
{
    memset(A, 0, (size_t)body->base.ptr[body->base.n_v] * sizeof *A);
    if (body->base.dim == 2) {
        interval_spread(2, body, arrow, A);
        flexible_block(2, body, h, w0, w1, A);
    } else {
        interval_spread(3, body, arrow, A);
        flexible_block(3, body, h, w0, w1, A);
    }
}

static inline void interval_tangent(const int dim, const phx_floating *body, const double *gravity,
                                    const phx_body_view *view, double *A)
{
    phx_products *work = view->products;
    double *arrow = work->room + (size_t)body->base.n_q * (size_t)(3 + body->base.n_rot + 2 * phx_pairs(dim));

    one_interval_arrow(dim, body->base.n_q, body, gravity, work->h, view->x1 + dim, view->xm + dim, view->v0, view->v1,
                       view->vm, &work->start, work->room, arrow);
    phx_floating_spread_arrow(body, work->h, view->v0 + dim, view->v1 + dim, arrow, A);
    if (body->flex->stiffening)
        phx_floating_stiffening_tangent(body, phx_floating_q(body, view->x0), phx_floating_q(body, view->x1),
                                        phx_floating_q(body, view->xm), 0.5 * view->h, A);
}

/* Newton matrix A = (2/h) M + D + (h/2) K, theory 4 (25), of a body over an interval on its pattern. With full kinetics
 * it is the exact derivative by the end velocities and uses the products of the last residual. */
void phx_floating_interval_linearise(const phx_body *base, const double *gravity, const phx_body_view *view,
                                     double *room, double *A)
{
    const phx_floating *body = phx_floating_of(base);
    const size_t nnz = (size_t)body->base.ptr[body->base.n_v];

    if (body->base.kinetics == PHX_KINETICS_SIMPLIFIED) { /* 2 M/h + D + h K/2 at the mean state */
        double *D = room, *K = room + nnz;
        phx_floating_linearise(base, gravity, view->xm, view->vm, A, D, K);
        for (size_t k = 0; k < nnz; k++)
            A[k] = 2.0 / view->h * A[k] + D[k] + 0.5 * view->h * K[k];
        return;
    }
    if (body->base.dim == 2)
        interval_tangent(2, body, gravity, view, A);
    else
        interval_tangent(3, body, gravity, view, A);
}
