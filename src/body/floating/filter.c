/* Numerical damping of the midpoint rule: a memory of the deformation's increments and one of its impulses, which
 * filter what a step does not resolve. With the spectral radius r of an interval that resolves nothing,
 *
 *     c = (1-r)^2/((3-r)(1+r)),   a = 2c + 2r(1+c);      m of Dq, n of M^-1 Dp_q, M = M_qq of the undeformed body
 *
 *     stress        K q_m  ->  K (q_m + th_q/2),                  th_q = c (Dq - m)
 *     kinematics    Dq = h u,   q_dot1 = 2 u - q_dot0 - th_v,     th_v = c (M^-1 Dp_q - n)
 *     after a step  m += a (Dq - m),   n += a th_v/c
 *
 * Rows see the mean rate u, so joints close exactly, and those of the rigid motion keep their momenta. Energy: with
 *
 *     store = c/(4a) (m.K m + n.M n),   loss = c/2 (1 - a/2) ((Dq - m).K (Dq - m) + (th_v/c).M (th_v/c)) >= 0
 *
 * D(H) + D(store) = supplied - dissipated - loss, whatever h. The interval itself evaluates q_dot1 as 2 u - q_dot0 =:
 * q_dot^; with its momenta p^
 *
 *     th_v = g (M^-1 (p^_q1 - p_q0) - n),   g = c/(1+c),
 *     M^-1 (p^_q1 - p_q0) = 2 (u - q_dot0) + M^-1 (S^T DV + C^T Dw - A_k D(w_k q)),
 *
 * and what th_q and th_v change in the residual is added here. */
#include "floating.h"

#include <math.h>
#include <string.h>

struct phx_filter {
    const phx_floating *body;
    phx_cholesky *mass; /* of M */
    double *inertia;    /* L M^-1 L^T, L = (S, C): what the deformations carry of the rigid inertia, r x r */
    double c, a, h;     /* h: of the step accepted last, 0: none */
    double trial_h, store0;
    double *m, *n, *m1, *n1; /* memories, accepted and of the trial; n_q each */
    double *m0, *n0;         /* at the start of the trial: shortened with the step */
    double *th_q, *th_v, *room, *force;
};

void phx_filter_destroy(phx_filter *filter)
{
    if (!filter)
        return;
    phx_cholesky_destroy(filter->mass);
    phx_free(filter->inertia);
    phx_free(filter->m);
    phx_free(filter);
}

/* Column k of L^T, S^T and then C^T. */
static const double *lever(const phx_flex *flex, int k)
{
    return k < flex->dim ? flex->S + (size_t)k * (size_t)flex->n : flex->C + (size_t)(k - flex->dim) * (size_t)flex->n;
}

static phx_status make_inertia(phx_filter *filter)
{
    const phx_flex *flex = filter->body->flex;
    const int r = filter->body->base.n_rigid, n = flex->n;
    phx_status status = PHX_OK;

    for (int k = 0; k < r && !status; k++) {
        memcpy(filter->room, lever(flex, k), (size_t)n * sizeof *filter->room);
        status = phx_cholesky_solve(filter->mass, 1, filter->room);
        for (int l = 0; l < r && !status; l++)
            filter->inertia[l * r + k] = phx_floating_dot(n, lever(flex, l), filter->room);
    }
    return status;
}

/* Creates the filter of a body's deformations for a spectral radius below 1; *filter stays NULL for a body that does
 * not deform. */
phx_status phx_filter_create(phx_context *context, const phx_body *base, double radius, phx_filter **filter)
{
    const phx_floating *body = phx_as_floating(base);
    *filter = NULL;
    if (!body || body->base.n_q == 0)
        return PHX_OK;
    if (body->base.kinetics != PHX_KINETICS_FULL)
        return phx_fail(
            context, PHX_ERR_UNSUPPORTED,
            "body '%s': numerical damping needs 'kinetics: full'; with simplified kinetics no energy is kept "
            "that it could be told apart from",
            body->base.name);
    const size_t n = (size_t)body->base.n_q, r = (size_t)body->base.n_rigid;
    const phx_csr M = {body->flex->n, body->flex->n, body->flex->ptr, body->flex->idx, body->flex->M};
    phx_filter *design = phx_calloc(context, 1, sizeof *design);
    if (!design)
        return PHX_ERR_MEMORY;
    design->body = body;
    design->c = (1.0 - radius) * (1.0 - radius) / ((3.0 - radius) * (1.0 + radius));
    design->a = 2.0 * design->c + 2.0 * radius * (1.0 + design->c);
    design->m = phx_calloc(context, 10 * n, sizeof *design->m);
    design->inertia = phx_calloc(context, r * r, sizeof *design->inertia);
    phx_status status = design->m && design->inertia ? phx_cholesky_create(context, &M, &design->mass) : PHX_ERR_MEMORY;
    if (status) {
        phx_filter_destroy(design);
        return status;
    }
    double **const arrays[] = {&design->n,    &design->m1,   &design->n1,   &design->m0,   &design->n0,
                               &design->th_q, &design->th_v, &design->room, &design->force};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = design->m + (k + 1) * n;
    status = make_inertia(design);
    if (status)
        phx_filter_destroy(design);
    else
        *filter = design;
    return status;
}

/* |B x|^2, K = B^T B. */
static double strain_square(const phx_filter *filter, const double *x)
{
    const phx_csr *B = &filter->body->flex->root;
    double sum = 0.0;

    for (int i = 0; i < B->rows; i++) {
        double strain = 0.0;
        for (int e = B->ptr[i]; e < B->ptr[i + 1]; e++)
            strain += B->val[e] * x[B->idx[e]];
        sum += strain * strain;
    }
    return sum;
}

/* x.M x */
static double mass_square(const phx_filter *filter, const double *x)
{
    const phx_flex *flex = filter->body->flex;
    double sum = 0.0;

    for (int i = 0; i < flex->n; i++)
        sum += x[i] * phx_flex_row(flex, flex->M, i, x);
    return sum;
}

static double store_of(const phx_filter *filter, const double *m, const double *n)
{
    return filter->c / (4.0 * filter->a) * (strain_square(filter, m) + mass_square(filter, n));
}

void phx_filter_begin(phx_filter *filter, double h)
{
    const double share =
        filter->h != 0.0 ? fmin(1.0, fabs(h / filter->h)) : 1.0; /* a shorter step: the store can only fall */

    filter->trial_h = h;
    for (int i = 0; i < filter->body->base.n_q; i++) {
        filter->m0[i] = share * filter->m[i];
        filter->n0[i] = share * filter->n[i];
    }
    filter->store0 = store_of(filter, filter->m0, filter->n0);
}

/* th_q, th_v of the current interval. */
static phx_status find_parts(phx_filter *filter, const phx_body_view *view)
{
    const phx_floating *body = filter->body;
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, r = body->base.n_rigid, n = flex->n;
    const double *q0 = phx_floating_q(body, view->x0), *q1 = phx_floating_q(body, view->x1);
    const double *rate0 = view->v0 + r, *u = view->vm + r;

    memset(filter->th_v, 0, (size_t)n * sizeof *filter->th_v);
    for (int k = 0; k < r; k++) {
        const double *column = lever(flex, k), change = view->v1[k] - view->v0[k];
        for (int i = 0; i < n; i++)
            filter->th_v[i] += change * column[i];
    }
    for (int k = 0; k < body->base.n_rot; k++) {
        const double w0 = view->v0[dim + k], w1 = view->v1[dim + k];
        for (int i = 0; i < n; i++)
            filter->room[i] = w1 * q1[i] - w0 * q0[i];
        for (int i = 0; i < n; i++)
            filter->th_v[i] -= phx_flex_row(flex, flex->A[k], i, filter->room);
    }
    const phx_status status = phx_cholesky_solve(filter->mass, 1, filter->th_v);
    for (int i = 0; i < n && !status; i++) {
        filter->th_v[i] = filter->c / (1.0 + filter->c) * (2.0 * (u[i] - rate0[i]) + filter->th_v[i] - filter->n0[i]);
        filter->th_q[i] = filter->c * (view->h * u[i] - filter->m0[i]);
    }
    return status;
}

/* y = B^T (B x): see interval_kernel.h. */
static void through_strains(const phx_csr *B, int n, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < B->rows; i++) {
        double strain = 0.0;
        for (int e = B->ptr[i]; e < B->ptr[i + 1]; e++)
            strain += B->val[e] * x[B->idx[e]];
        for (int e = B->ptr[i]; e < B->ptr[i + 1]; e++)
            y[B->idx[e]] += B->val[e] * strain;
    }
}

/* Momenta of the rigid rows at the end: -S th_v, -(C - A q1) th_v. */
static void end_momenta(const phx_filter *filter, const double *q1, double *p)
{
    const phx_flex *flex = filter->body->flex;
    const int dim = filter->body->base.dim, n = flex->n;

    for (int k = 0; k < filter->body->base.n_rigid; k++)
        p[k] = -phx_floating_dot(n, lever(flex, k), filter->th_v);
    for (int k = 0; k < filter->body->base.n_rot; k++)
        for (int i = 0; i < n; i++)
            p[dim + k] += filter->th_v[i] * phx_flex_row(flex, flex->A[k], i, q1);
}

/* Adds the filter's forces to the residual of the interval: those of th_v and th_q on the deformations and of the
 * momenta that th_v carries on the rigid rows. */
phx_status phx_filter_residual(phx_filter *filter, const phx_body_view *view, double *res)
{
    const phx_floating *body = filter->body;
    const phx_flex *flex = body->flex;
    const int dim = body->base.dim, n_rot = body->base.n_rot, r = body->base.n_rigid, n = flex->n;
    const double over_h = 1.0 / view->h, *vm = view->vm;
    double p[6], pm[6], a[3], b[3], c[3];
    const phx_status status = find_parts(filter, view);

    if (status)
        return status;
    /* (p1 - p0)/h less the transport of the mean momenta, as in the residual of the interval */
    end_momenta(filter, phx_floating_q(body, view->x1), p);
    for (int k = 0; k < r; k++)
        pm[k] = 0.5 * p[k];
    phx_vec_x_rot(dim, pm, vm + dim, a);
    phx_vec_x_vec(dim, pm, vm, b);
    phx_rot_x_rot(dim, pm + dim, vm + dim, c);
    for (int i = 0; i < dim; i++)
        res[i] += over_h * p[i] - a[i];
    for (int k = 0; k < n_rot; k++)
        res[dim + k] += over_h * p[dim + k] - b[k] - c[k];
    /* rows of the deformations: -M th_v/h + K th_q/2 + 1/2 w0_k A_k th_v */
    through_strains(&flex->root, n, filter->th_q, filter->force);
    for (int i = 0; i < n; i++) {
        double force = 0.5 * filter->force[i] - over_h * phx_flex_row(flex, flex->M, i, filter->th_v);
        for (int k = 0; k < n_rot; k++)
            force += 0.5 * view->v0[dim + k] * phx_flex_row(flex, flex->A[k], i, filter->th_v);
        res[r + i] += force;
    }
    return PHX_OK;
}

/* The derivative of that with respect to the mean velocity, on the body's pattern, without the terms in A:
 *     | -E   -L |                      | 0   0 |
 *     |         | 2/h c/(1+c)   +  c   |       | h/2,     L = (S, C), E = L M^-1 L^T
 *     | -L^T -M |                      | 0   K | */
void phx_filter_linearise(const phx_filter *filter, double h, double *A)
{
    const phx_floating *body = filter->body;
    const phx_flex *flex = body->flex;
    const int r = body->base.n_rigid, n = flex->n, *ptr = body->base.ptr;
    const double g = 2.0 / h * filter->c / (1.0 + filter->c), stiffness = 0.5 * h * filter->c;

    for (int k = 0; k < r; k++) {
        const double *column = lever(flex, k);
        for (int l = 0; l < r; l++)
            A[ptr[k] + l] -= g * filter->inertia[k * r + l];
        for (int i = 0; i < n; i++) {
            A[ptr[k] + r + i] -= g * column[i];
            A[ptr[r + i] + k] -= g * column[i];
        }
    }
    for (int e = 0; e < flex->ptr[n]; e++)
        A[body->flex_at[e]] += stiffness * flex->K[e] - g * flex->M[e];
}

/* Corrects the end rates by -th_v, advances both memories to m1 and n1, and sets *lost to the energy that the filter
 * took in this interval, dissipated or stored. */
phx_status phx_filter_finish(phx_filter *filter, const phx_body_view *view, double *v1, double *lost)
{
    const int n = filter->body->base.n_q;
    double *rate1 = v1 + filter->body->base.n_rigid;
    const phx_status status = find_parts(filter, view);

    if (status)
        return status;
    for (int i = 0; i < n; i++) { /* Dq - m and th_v/c */
        filter->th_q[i] /= filter->c;
        rate1[i] -= filter->th_v[i];
        filter->th_v[i] /= filter->c;
        filter->m1[i] = filter->m0[i] + filter->a * filter->th_q[i];
        filter->n1[i] = filter->n0[i] + filter->a * filter->th_v[i];
    }
    const double loss = 0.5 * filter->c * (1.0 - 0.5 * filter->a) *
                        (strain_square(filter, filter->th_q) + mass_square(filter, filter->th_v));
    *lost = loss + store_of(filter, filter->m1, filter->n1) - filter->store0;
    return PHX_OK;
}

void phx_filter_keep(phx_filter *filter)
{
    const size_t bytes = (size_t)filter->body->base.n_q * sizeof *filter->m;

    memcpy(filter->m, filter->m1, bytes);
    memcpy(filter->n, filter->n1, bytes);
    filter->h = filter->trial_h;
}

void phx_filter_copy(phx_filter *filter, const phx_filter *from)
{
    const size_t bytes = (size_t)filter->body->base.n_q * sizeof *filter->m;

    memcpy(filter->m, from->m, bytes);
    memcpy(filter->n, from->n, bytes);
    filter->h = from->h;
}

void phx_filter_archive(phx_archive *archive, phx_filter *filter)
{
    const size_t n = (size_t)filter->body->base.n_q;

    phx_archive_double(archive, &filter->h);
    phx_archive_doubles(archive, n, filter->m);
    phx_archive_doubles(archive, n, filter->n);
}
