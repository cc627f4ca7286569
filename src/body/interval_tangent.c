/* Derivative of the interval residual with respect to the mean velocity v_m, exact: nu1 = 2 v_m - nu0, q1 = q0 + h
 * q_dot, R1 = R0 cay(h w). With p1 = M(q1) nu1 and a column dnu of v_m, dp1 = 2 M(q1) dnu + h M'(q1)[dq_dot] nu1 rows
 * t: dp1_t/h - (dp1_t x w + 2 p_t x dw)/2 rows r: dp1_r/h - (dp1_t x v + 2 p_t x dv + dp1_r x w + 2 p_r x dw)/2 (p, v,
 * w: means) rows q: dp1_q/h - d[1/2 d/dq nu0^T M(q_m) nu1] + h/2 K dq_dot + R dq_dot   - gravity The ends enter with
 * their own velocities: where stiff deformations ring, nu0 and nu1 are far from their mean. */
#include "body_internal.h"

#include <math.h>
#include <string.h>

/* What every column needs. */
typedef struct ends {
    const double *q1, *qm;
    const phx_products *known;
    const double *v0, *w0, *dq0, *v1, *w1, *dq1, *vm, *wm;
    double s1[3], J1[9], p[6]; /* inertia at q1; mean momenta of the rigid rows */
    double h;
    bool border; /* the values are a border */
} ends;

/* Entry (row, col) of the rigid rows or columns, of the whole pattern or of a border alone. */
static inline double *entry(const phx_body *body, const ends *e, double *val, int row, int col)
{
    const int r = body->n_rigid;
    return val + (e->border && row >= r ? r * body->n_v + (row - r) * r : body->ptr[row]) + col;
}

static inline ends make_ends(const int dim, const phx_body *body, const phx_body_view *view, const double *p0)
{
    const int r = dim + phx_rotations(dim);
    ends e = {.h = view->h,
              .known = view->products,
              .q1 = phx_body_q(body, view->x1),
              .qm = phx_body_q(body, view->xm),
              .v0 = view->v0,
              .w0 = view->v0 + dim,
              .dq0 = view->v0 + r,
              .v1 = view->v1,
              .w1 = view->v1 + dim,
              .dq1 = view->v1 + r,
              .vm = view->vm,
              .wm = view->vm + dim};

    phx_body_recall_products(body, view);
    memcpy(e.s1, e.known->s1, sizeof e.s1);
    memcpy(e.J1, e.known->J1, sizeof e.J1);
    memcpy(e.p, e.known->p1, sizeof e.p);
    for (int i = 0; i < r; i++)
        e.p[i] = 0.5 * (e.p[i] + p0[i]);
    return e;
}

/* Rigid rows of a column: dp1 = (t, r), the variation dnu = (dv, dw) of the mean velocity (NULL: none). */
static inline void put_rigid_rows(const int dim, const phx_body *body, const ends *e, int col, const double *t,
                                  const double *r, const double *dnu, double *A)
{
    double a[3], b[3] = {0}, c[3], d[3], f[3] = {0}, g[3] = {0};

    phx_vec_x_rot(dim, t, e->wm, a);
    phx_vec_x_vec(dim, t, e->vm, c);
    phx_rot_x_rot(dim, r, e->wm, d);
    if (dnu) {
        phx_vec_x_rot(dim, e->p, dnu + dim, b);
        phx_vec_x_vec(dim, e->p, dnu, f);
        phx_rot_x_rot(dim, e->p + dim, dnu + dim, g);
    }
    for (int i = 0; i < dim; i++)
        *entry(body, e, A, i, col) += t[i] / e->h - 0.5 * a[i] - b[i];
    for (int k = 0; k < phx_rotations(dim); k++)
        *entry(body, e, A, dim + k, col) += r[k] / e->h - 0.5 * (c[k] + d[k]) - f[k] - g[k];
}

static inline void rigid_column(const int dim, const phx_body *body, const ends *e, int col, double *A)
{
    const phx_flex *flex = body->flex;
    const int n_rot = phx_rotations(dim), n = flex->n;
    double unit[6] = {0}, *dv = unit, *dw = unit + dim, t[3], r[3], a[3], b[3], g[3];

    unit[col] = 1.0;
    phx_rot_x_vec(dim, dw, e->s1, a);
    phx_vec_x_vec(dim, e->s1, dv, b);
    for (int i = 0; i < dim; i++)
        t[i] = 2.0 * (flex->mass * dv[i] + a[i]);
    for (int k = 0; k < n_rot; k++)
        r[k] = 2.0 * (b[k] + phx_body_dot(n_rot, e->J1 + k * n_rot, dw));
    put_rigid_rows(dim, body, e, col, t, r, unit, A);
    phx_vec_x_rot(dim, e->v0, dw, a);
    phx_vec_x_rot(dim, dv, e->w0, b);
    for (int d = 0; d < dim; d++)
        g[d] = 2.0 * dv[d] / e->h - a[d] - b[d];
    for (int i = 0; i < n; i++)
        for (int d = 0; d < dim; d++)
            *entry(body, e, A, body->n_rigid + i, col) += flex->S[d * n + i] * g[d];
}

/* Deformation coordinate i: the rigid rows of its column, and in its row what turns add,
 * 2/h L(q1)_i - (A dq0)_i - J'_i(q_m) w0. */
static inline void flexible_column(const int dim, const phx_body *body, const ends *e, int i, double *A)
{
    const phx_flex *flex = body->flex;
    const phx_products *known = e->known;
    const int n_rot = phx_rotations(dim), n = flex->n;
    const int n_pair = phx_pairs(dim);
    double S[3], t[3], r[3], a[3], column[3] = {0}, gyro0[3] = {0}, gyro1[3] = {0}, slope1[PHX_MAX_PAIR], jw[3];
    double slope[PHX_MAX_PAIR];

    for (int d = 0; d < dim; d++)
        S[d] = flex->S[d * n + i];
    for (int k = 0; k < n_rot; k++) {
        column[k] = flex->C[k * n + i] - known->gyro1[k][i];
        gyro0[k] = known->gyro_rate0[k][i];
        gyro1[k] = known->gyro_rate1[k][i];
    }
    for (int p = 0; p < n_pair; p++) {
        slope1[p] = flex->j[p * n + i] + known->bent1[p][i];
        slope[p] = flex->j[p * n + i] + 0.5 * (known->bent0[p][i] + known->bent1[p][i]);
    }
    phx_rot_x_vec(dim, e->w1, S, a);
    for (int d = 0; d < dim; d++)
        t[d] = 2.0 * S[d] + e->h * a[d];
    phx_vec_x_vec(dim, S, e->v1, a);
    phx_pair_times(n_rot, slope1, e->w1, jw);
    for (int k = 0; k < n_rot; k++)
        r[k] = 2.0 * column[k] + e->h * (a[k] + gyro1[k] + jw[k]);
    put_rigid_rows(dim, body, e, dim + n_rot + i, t, r, NULL, A);
    phx_pair_times(n_rot, slope, e->w0, jw);
    for (int k = 0; k < n_rot; k++)
        *entry(body, e, A, dim + n_rot + i, dim + k) += 2.0 / e->h * column[k] - gyro0[k] - jw[k];
}

/* Block q x q: (2 M/h - w1_k A_k) - w0_k A_k - h/4 sym(w0, w1) Q + h/2 K + R. */
static inline void flexible_block(const int dim, const phx_body *body, const ends *e, double *A)
{
    const phx_flex *flex = body->flex;
    const int n_rot = phx_rotations(dim), n_pair = phx_pairs(dim), nnz = flex->n ? flex->ptr[flex->n] : 0;
    double ww[PHX_MAX_PAIR];

    phx_pair_products(n_rot, e->w0, e->w1, ww);
    for (int m = 0; m < nnz; m++) {
        double sum = 2.0 / e->h * flex->M[m] + 0.5 * e->h * flex->K[m];
        for (int k = 0; k < n_rot; k++)
            sum -= (e->w0[k] + e->w1[k]) * flex->A[k][m];
        for (int p = 0; p < n_pair; p++)
            sum -= 0.25 * e->h * ww[p] * flex->Q[p][m];
        A[body->flex_at[m]] += sum;
    }
    for (int m = 0; body->damped && m < body->damping.ptr[body->n_q]; m++)
        A[body->damping_at[m]] += body->damping.val[m];
}

/* Gravity acts through R_m^T g, dR_m = h/2 R1 [turn]x (phx_body_turn). */
static inline void gravity_columns(const int dim, const phx_body *body, const double *gravity,
                                   const phx_body_view *view, const ends *e, double *A)
{
    const phx_flex *flex = body->flex;
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = flex->n;
    double R[9], g1[3], gm[3], s[3], turn[3], dg[3], torque[3], S[3];

    phx_attitude_rotation(dim, view->x1 + dim, R);
    phx_rot_apply_transposed(dim, R, gravity, g1);
    phx_attitude_rotation(dim, view->xm + dim, R);
    phx_rot_apply_transposed(dim, R, gravity, gm);
    for (int a = 0; a < dim; a++)
        s[a] = flex->s0[a] + phx_body_dot(n, flex->S + a * n, e->qm);
    for (int c = 0; c < n_rot; c++) {
        phx_body_turn(body, view, c, turn);
        phx_vec_x_rot(dim, g1, turn, dg);
        for (int a = 0; a < dim; a++)
            dg[a] *= 0.5 * e->h;
        phx_vec_x_vec(dim, s, dg, torque);
        for (int a = 0; a < dim; a++) {
            *entry(body, e, A, a, dim + c) -= flex->mass * dg[a];
            for (int i = 0; i < n; i++)
                *entry(body, e, A, r + i, dim + c) -= flex->S[a * n + i] * dg[a];
        }
        for (int k = 0; k < n_rot; k++)
            *entry(body, e, A, dim + k, dim + c) -= torque[k];
    }
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < dim; a++)
            S[a] = 0.5 * e->h * flex->S[a * n + i];
        phx_vec_x_vec(dim, S, gm, torque);
        for (int k = 0; k < n_rot; k++)
            *entry(body, e, A, dim + k, r + i) -= torque[k];
    }
}

/* The rigid rows and columns; A is zero. */
static inline void put_border(const int dim, const phx_body *body, const double *gravity, const phx_body_view *view,
                              const ends *e, double *A)
{
    for (int c = 0; c < dim + phx_rotations(dim); c++)
        rigid_column(dim, body, e, c, A);
    for (int i = 0; i < body->n_q; i++)
        flexible_column(dim, body, e, i, A);
    gravity_columns(dim, body, gravity, view, e, A);
}

static inline void tangent(const int dim, const phx_body *body, const double *gravity, const phx_body_view *view,
                           const double *p0, double *A)
{
    const ends e = make_ends(dim, body, view, p0);

    memset(A, 0, (size_t)body->ptr[body->n_v] * sizeof *A);
    put_border(dim, body, gravity, view, &e, A);
    flexible_block(dim, body, &e, A);
    if (body->flex->stiffening)
        phx_body_stiffening_tangent(body, phx_body_q(body, view->x0), e.q1, e.qm, 0.5 * view->h, A);
}

static inline void interval_border(const int dim, const phx_body *body, const double *gravity,
                                   const phx_body_view *view, const double *p0, double *border)
{
    ends e = make_ends(dim, body, view, p0);

    e.border = true;
    memset(border, 0, phx_body_border_size(body) * sizeof *border);
    put_border(dim, body, gravity, view, &e, border);
}

void phx_body_interval_border(const phx_body *body, const double *gravity, const phx_body_view *view, const double *p0,
                              double *border)
{
    if (body->dim == 2)
        interval_border(2, body, gravity, view, p0, border);
    else
        interval_border(3, body, gravity, view, p0, border);
}

void phx_body_gyroscopic_apply(const phx_body *body, const double *w, const double *x, double *y)
{
    for (int k = 0; k < body->n_rot; k++) {
        const phx_flex_matrix *A = &body->compact->A[k];
        for (int r = 0; r < A->n_rows; r++) {
            double sum = 0.0;
            for (int e = A->ptr[r]; e < A->ptr[r + 1]; e++)
                sum += A->val[e] * x[A->idx[e]];
            y[A->row[r]] += w[k] * sum;
        }
    }
}

void phx_body_interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view,
                                 const double *p0, double *room, double *A)
{
    const size_t nnz = (size_t)body->ptr[body->n_v];

    if (body->kinetics == PHX_KINETICS_SIMPLIFIED) { /* 2 M/h + D + h K/2 at the mean state */
        double *D = room, *K = room + nnz;
        phx_body_linearise(body, gravity, view->xm, view->vm, A, D, K);
        for (size_t k = 0; k < nnz; k++)
            A[k] = 2.0 / view->h * A[k] + D[k] + 0.5 * view->h * K[k];
        return;
    }
    if (body->dim == 2)
        tangent(2, body, gravity, view, p0, A);
    else
        tangent(3, body, gravity, view, p0, A);
}
