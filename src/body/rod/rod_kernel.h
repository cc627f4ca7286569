/* The two-node element of a rod over an interval, written once for a kind of number (body/floating/interval_kernel.h
 * says what the including file defines) and for plane and space. Equations of docs/theory-rods.md.
 *
 * Two frames with axes D_a, D_b (columns a_i, b_i) at u_a and u_b; d = u_b - u_a, Q = D_a^T D_b. The measures of the
 * element are the logarithm of the relative motion, by products that are bilinear in places and axes:
 *
 *     a = axial vector of Q (sin(theta) n) ,   p = (1 + tr Q)/2 (1 + cos(theta)) ,   y = (D_a + D_b)^T d / 2   (1)
 *     gamma = g y - k z a ,    psi = g a ,    z = a . y ,    g = theta/sin(theta) ,  k = (g - 1)/sin(theta)^2    (2)
 *
 * Over an interval with means (bars) and differences, Delta D = h [w]x D_bar,
 *
 *     Delta (gamma, psi) = E_bar Delta (a, y, p) = E_bar C_bar (Delta d, h w_a, h w_b)                           (3)
 *
 * exactly; E_bar has the difference quotients g', k' of g and k by p. The efforts of a stress sigma on (d, a, b) are
 * -C_bar^T E_bar^T sigma. With both ends equal all of it is that of an instant. */
#ifndef PHX_ROD_KERNEL_H
#define PHX_ROD_KERNEL_H

#include "algebra/rotation_kernel.h"
#include "rod.h"

#include <math.h>

enum {
    ROD_STRAINS = 6,  /* gamma, psi at most: dim + n_rot */
    ROD_BILINEAR = 7, /* a, y, p at most */
    ROD_MOVES = 9     /* Delta d, h w_a, h w_b at most */
};

static inline int NAME(rod_strains)(const int dim)
{
    return dim + phx_rotations(dim);
}

static inline int NAME(rod_bilinears)(const int dim)
{
    return dim + phx_rotations(dim) + 1;
}

static inline int NAME(rod_moves)(const int dim)
{
    return dim + 2 * phx_rotations(dim);
}

/* Constants of an element. */
typedef struct NAME(rod_element) {
    real length;
    real C[ROD_STRAINS * ROD_STRAINS]; /* stiffness with the corrected compliance, dim + n_rot square */
    real c[9], kappa[3];               /* space: compliance of the moments, curvature at rest */
    real rest[ROD_STRAINS];            /* (gamma, psi) at rest */
} NAME(rod_element);

/* Axes and distance of the two nodes. */
typedef struct NAME(rod_pose) {
    real Da[9], Db[9], d[3]; /* dim x dim row-major */
} NAME(rod_pose);

/* ---- g and k ---- */
/* At both ends, difference quotients by p; derivatives by p of the end: of the functions there, and of the quotients.
 */
typedef struct NAME(rod_series) {
    real g0, g1, k0, k1, dg, dk;
    real dg1, dk1, ddg, ddk;
} NAME(rod_series);

static inline double NAME(rod_largest)(const real *x0, const real *x1)
{
    const double *a = (const double *)x0, *b = (const double *)x1;
    double most = 0.0;

    for (int l = 0; l < SIMD_WIDTH; l++) {
        most = a[l] > most ? a[l] : most;
        most = b[l] > most ? b[l] : most;
    }
    return most;
}

/* g = sum c_n x^n, k = sum k_n x^n in x = 2 - p = 1 - cos(theta). S_n = (x1^n - x0^n)/(x1 - x0) and its derivative T_n
 * by x1:  S_n = x1 S_(n-1) + x0^(n-1),  T_n = x1 T_(n-1) + S_(n-1);  d/dp = -d/dx. */
static inline void NAME(rod_quotients)(const phx_rod_table *table, const real *p0, const real *p1, bool second,
                                       NAME(rod_series) * out)
{
    static const double NEGLIGIBLE = 1e-18; /* terms of the series */
    const real x0 = 2.0 - *p0, x1 = 2.0 - *p1, zero = {0.0};
    const double most = NAME(rod_largest)(&x0, &x1);
    const double beyond = most > 1.5 ? (double)NAN : 0.0; /* more than 120 degrees: no number */
    real power0 = zero + 1.0, power1 = zero + 1.0, S = zero, T = zero, dg = zero, dk = zero;
    real dg1 = zero, dk1 = zero, ddg = zero, ddk = zero;
    real g0 = zero + table->c[0] + beyond, g1 = g0, k0 = zero + table->k[0], k1 = k0;
    double size = 1.0; /* of x^(n-2) */

    for (int n = 1; n < PHX_ROD_TERMS; n++) {
        const double c = table->c[n], k = table->k[n];
        if (second) {
            T = x1 * T + S;
            dg1 -= n * c * power1;
            dk1 -= n * k * power1;
            ddg += c * T;
            ddk += k * T;
        }
        S = x1 * S + power0;
        power0 = power0 * x0;
        power1 = power1 * x1;
        g0 += c * power0;
        g1 += c * power1;
        k0 += k * power0;
        k1 += k * power1;
        dg -= c * S;
        dk -= k * S;
        if (n > 2) {
            size *= most;
            if (n * n * k * size < NEGLIGIBLE)
                break;
        }
    }
    *out = (NAME(rod_series)){g0, g1, k0, k1, dg, dk, dg1, dk1, ddg, ddk};
}

/* ---- measures ---- */
/* (1): b = (a, y, p). */
static inline void NAME(rod_bilinear)(const int dim, const NAME(rod_pose) * pose, real *b)
{
    const int n_rot = phx_rotations(dim);
    const real *A = pose->Da, *B = pose->Db, *d = pose->d;
    real Q[9], trace = {0.0};

    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            Q[dim * i + j] = A[i] * B[j];
            for (int k = 1; k < dim; k++)
                Q[dim * i + j] += A[dim * k + i] * B[dim * k + j];
        }
    for (int i = 0; i < dim; i++) {
        real y = (A[i] + B[i]) * d[0];
        for (int k = 1; k < dim; k++)
            y += (A[dim * k + i] + B[dim * k + i]) * d[k];
        b[n_rot + i] = 0.5 * y;
        trace += Q[dim * i + i];
    }
    if (dim == 2) {
        b[0] = 0.5 * (Q[2] - Q[1]);
        b[3] = 1.0 + 0.5 * trace;
    } else {
        b[0] = 0.5 * (Q[7] - Q[5]);
        b[1] = 0.5 * (Q[2] - Q[6]);
        b[2] = 0.5 * (Q[3] - Q[1]);
        b[6] = 0.5 + 0.5 * trace;
    }
}

static inline void NAME(rod_dot)(int n, const real *x, const real *y, real *sum)
{
    *sum = x[0] * y[0];
    for (int i = 1; i < n; i++)
        *sum += x[i] * y[i];
}

/* a . y, which vanishes in the plane */
static inline void NAME(rod_z)(const int dim, const real *b, real *z)
{
    *z = (real){0.0};
    if (dim == 3)
        NAME(rod_dot)(3, b, b + 3, z);
}

/* (2) */
static inline void NAME(rod_measure)(const int dim, const real *b, const real *z, const real *g, const real *k,
                                     real *measure)
{
    const int n_rot = phx_rotations(dim);
    const real kz = *k * *z;

    for (int i = 0; i < dim; i++)
        measure[i] = dim == 3 ? *g * b[n_rot + i] - kz * b[i] : *g * b[n_rot + i];
    for (int i = 0; i < n_rot; i++)
        measure[dim + i] = *g * b[i];
}

/* An element over an interval: both ends, and means of products. */
typedef struct NAME(rod_interval) {
    real b0[ROD_BILINEAR], b1[ROD_BILINEAR], bm[ROD_BILINEAR];
    real z0, z1, zm, kzm;
    NAME(rod_series) f;
    real measure0[ROD_STRAINS], measure1[ROD_STRAINS];
} NAME(rod_interval);

/* Of out->b0 and the pose at the end; second: with what the tangent needs. */
static inline void NAME(rod_evaluate_end)(const int dim, const phx_rod_table *table, const NAME(rod_pose) * end,
                                          bool second, NAME(rod_interval) * out)
{
    const int n = NAME(rod_bilinears)(dim);

    NAME(rod_bilinear)(dim, end, out->b1);
    for (int i = 0; i < n; i++)
        out->bm[i] = 0.5 * (out->b0[i] + out->b1[i]);
    NAME(rod_quotients)(table, &out->b0[n - 1], &out->b1[n - 1], second, &out->f);
    NAME(rod_z)(dim, out->b0, &out->z0);
    NAME(rod_z)(dim, out->b1, &out->z1);
    out->zm = 0.5 * (out->z0 + out->z1);
    out->kzm = 0.5 * (out->f.k0 * out->z0 + out->f.k1 * out->z1);
    NAME(rod_measure)(dim, out->b0, &out->z0, &out->f.g0, &out->f.k0, out->measure0);
    NAME(rod_measure)(dim, out->b1, &out->z1, &out->f.g1, &out->f.k1, out->measure1);
}

static inline void NAME(rod_evaluate)(const int dim, const phx_rod_table *table, const NAME(rod_pose) * start,
                                      const NAME(rod_pose) * end, bool second, NAME(rod_interval) * out)
{
    NAME(rod_bilinear)(dim, start, out->b0);
    NAME(rod_evaluate_end)(dim, table, end, second, out);
}

/* Strains e = ((gamma, psi) - rest)/l. */
static inline void NAME(rod_strain)(const int dim, const NAME(rod_element) * element, const real *measure, real *e)
{
    for (int i = 0; i < NAME(rod_strains)(dim); i++)
        e[i] = (measure[i] - element->rest[i]) / element->length;
}

/* ---- increments ---- */
/* Arguments of E: of an interval, or of its end alone. */
typedef struct NAME(rod_factors) {
    const real *b;
    real z, kz, g, k, dg, dk;
} NAME(rod_factors);

static inline NAME(rod_factors) NAME(rod_mean_factors)(const NAME(rod_interval) * span)
{
    return (NAME(rod_factors)){
        span->bm,   span->zm,  span->kzm, 0.5 * (span->f.g0 + span->f.g1), 0.5 * (span->f.k0 + span->f.k1),
        span->f.dg, span->f.dk};
}

/* E^T sigma = (alpha, beta, pi) on (a, y, p), sigma = (n, m), s = n . a:
 *     alpha = g m - kz n - s k y ,   beta = g n - s k a ,   pi = g' (m . a + n . y) - s z k' . */
static inline void NAME(rod_pull_measures)(const int dim, const NAME(rod_factors) * f, const real *sigma, real *out)
{
    const int n_rot = phx_rotations(dim);
    const real *a = f->b, *y = f->b + n_rot, *n = sigma, *m = sigma + dim;
    real s = {0.0}, ma, ny;

    NAME(rod_dot)(n_rot, m, a, &ma);
    NAME(rod_dot)(dim, n, y, &ny);
    if (dim == 3)
        NAME(rod_dot)(3, n, a, &s);
    const real sk = s * f->k;
    for (int i = 0; i < n_rot; i++)
        out[i] = dim == 3 ? f->g * m[i] - f->kz * n[i] - sk * y[i] : f->g * m[i];
    for (int i = 0; i < dim; i++)
        out[n_rot + i] = dim == 3 ? f->g * n[i] - sk * a[i] : f->g * n[i];
    out[n_rot + dim] = f->dg * (ma + ny) - s * f->z * f->dk;
}

/* X = D_b N D_a^T with N = pi I - [alpha]x, so that sum over j, k of N_jk b_j x a_k is its axial part. */
static inline void NAME(rod_turned)(const int dim, const real *Db, const real *Da, const real *alpha, const real *pi,
                                    real *X)
{
    real N[9], half[9];

    if (dim == 2) {
        N[0] = N[3] = *pi;
        N[1] = alpha[0];
        N[2] = -alpha[0];
    } else {
        N[0] = N[4] = N[8] = *pi;
        N[1] = alpha[2];
        N[2] = -alpha[1];
        N[3] = -alpha[2];
        N[5] = alpha[0];
        N[6] = alpha[1];
        N[7] = -alpha[0];
    }
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++) {
            half[dim * i + k] = Db[dim * i] * N[k];
            for (int j = 1; j < dim; j++)
                half[dim * i + k] += Db[dim * i + j] * N[dim * j + k];
        }
    for (int i = 0; i < dim; i++)
        for (int l = 0; l < dim; l++) {
            X[dim * i + l] = half[dim * i] * Da[dim * l];
            for (int k = 1; k < dim; k++)
                X[dim * i + l] += half[dim * i + k] * Da[dim * l + k];
        }
}

/* C^T (alpha, beta, pi) on (Delta d, h w_a, h w_b), inertial axes, at the mean pose:
 *     f = (D_a + D_b) beta / 2 ,   t_a = (D_a beta) x d / 2 - t ,   t_b = (D_b beta) x d / 2 + t ,
 *     t = 1/2 sum over j, k of N_jk b_j x a_k . */
static inline void NAME(rod_pull_moves)(const int dim, const NAME(rod_pose) * mean, const real *force, real *out)
{
    const int n_rot = phx_rotations(dim);
    const real *alpha = force, *beta = force + n_rot, *pi = force + n_rot + dim;
    real ua[3], ub[3], X[9], t[3], ta[3], tb[3];

    NAME(rot_apply)(dim, mean->Da, beta, ua);
    NAME(rot_apply)(dim, mean->Db, beta, ub);
    NAME(rod_turned)(dim, mean->Db, mean->Da, alpha, pi, X);
    if (dim == 2) {
        t[0] = 0.5 * (X[1] - X[2]);
    } else {
        t[0] = 0.5 * (X[5] - X[7]);
        t[1] = 0.5 * (X[6] - X[2]);
        t[2] = 0.5 * (X[1] - X[3]);
    }
    NAME(vec_x_vec)(dim, ua, mean->d, ta);
    NAME(vec_x_vec)(dim, ub, mean->d, tb);
    for (int a = 0; a < dim; a++)
        out[a] = 0.5 * (ua[a] + ub[a]);
    for (int k = 0; k < n_rot; k++) {
        out[dim + k] = 0.5 * ta[k] - t[k];
        out[dim + n_rot + k] = 0.5 * tb[k] + t[k];
    }
}

/* ---- stress ---- */
/* Quantities at an end for the term of fourth order: the moment M = (C e)_M, q = -(c M) x M and the strain
 * e + (-(l^2/12) e_1 x (c q); 0). */
typedef struct NAME(rod_quartic) {
    real M[3], cM[3], q[3], cq[3], shifted[ROD_STRAINS];
} NAME(rod_quartic);

static inline void NAME(rod_moments)(const NAME(rod_element) * element, const real *e, real *M)
{
    for (int i = 0; i < 3; i++)
        NAME(rod_dot)(6, element->C + 6 * (3 + i), e, &M[i]);
}

/* y = A x, 3 x 3 */
static inline void NAME(rod_times)(const real *A, const real *x, real *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

static inline void NAME(rod_shift)(const NAME(rod_element) * element, const real *e, NAME(rod_quartic) * out)
{
    const real l = element->length, part = l * l / 12.0;

    NAME(rod_moments)(element, e, out->M);
    NAME(rod_times)(element->c, out->M, out->cM);
    NAME(rot_x_vec)(3, out->M, out->cM, out->q); /* -(c M) x M */
    NAME(rod_times)(element->c, out->q, out->cq);
    for (int i = 0; i < ROD_STRAINS; i++)
        out->shifted[i] = e[i];
    out->shifted[1] += part * out->cq[2]; /* e_1 x v = (0, -v_3, v_2) */
    out->shifted[2] -= part * out->cq[1];
}

/* Energy per length: linear 1/2 e C e, in space with the quartic term
 *     V = l (1/2 e^ C e^ - (l^2/24) (q - 2 kappa x M) . c q) .                                                   (6) */
static inline void NAME(rod_energy)(const int dim, const NAME(rod_element) * element, const real *e, real *energy)
{
    const int n = NAME(rod_strains)(dim);
    const real l = element->length;
    NAME(rod_quartic) at;
    real force, sum = {0.0}, arm[3], extra = {0.0};

    if (dim == 3) {
        NAME(rod_shift)(element, e, &at);
        NAME(rot_x_vec)(3, element->kappa, at.M, arm);
        for (int i = 0; i < 3; i++)
            extra += (at.q[i] - 2.0 * arm[i]) * at.cq[i];
        e = at.shifted;
    }
    for (int i = 0; i < n; i++) {
        NAME(rod_dot)(n, element->C + n * i, e, &force);
        sum += 0.5 * e[i] * force;
    }
    *energy = l * (sum - l * l / 24.0 * extra);
}

/* The algorithmic stress, l sigma . Delta e = Delta V:                                                            (7)
 *     linear: C (e0 + e1)/2;  quartic: sigma^ = C (e0^ + e1^)/2, sigma = sigma^ + (l^2/12) C (0; w),
 *     u = c (e_1 x sigma^_N - q_m + kappa x M_m) ,   w = -c (M_m x u) - u x (c M_m) + (c q_m) x kappa .
 * dsigma (may be NULL): its derivative by e1, square. */
typedef struct NAME(rod_means) {
    real M[3], cM[3], q[3], cq[3], sigma[ROD_STRAINS], u[3];
} NAME(rod_means);

static inline void NAME(rod_quartic_force)(const NAME(rod_element) * element, const real *M, const real *cM,
                                           const real *cq, const real *u, real *w)
{
    real Mu[3], cMu[3], ucM[3], cqk[3];

    NAME(rot_x_vec)(3, M, u, Mu);
    NAME(rod_times)(element->c, Mu, cMu);
    NAME(rot_x_vec)(3, u, cM, ucM);
    NAME(rot_x_vec)(3, cq, element->kappa, cqk);
    for (int i = 0; i < 3; i++)
        w[i] = cqk[i] - cMu[i] - ucM[i];
}

/* u of the means, or its derivative of theirs */
static inline void NAME(rod_quartic_turn)(const NAME(rod_element) * element, const real *sigma, const real *q,
                                          const real *M, real *u)
{
    real kM[3], v[3];

    NAME(rot_x_vec)(3, element->kappa, M, kM);
    v[0] = kM[0] - q[0];
    v[1] = kM[1] - q[1] - sigma[2];
    v[2] = kM[2] - q[2] + sigma[1];
    NAME(rod_times)(element->c, v, u);
}

/* sigma += (l^2/12) C (0; w) */
static inline void NAME(rod_add_moment)(const NAME(rod_element) * element, const real *w, real *sigma, int stride)
{
    const real part = element->length * element->length / 12.0;

    for (int i = 0; i < ROD_STRAINS; i++) {
        const real *row = element->C + 6 * i + 3;
        sigma[i * stride] += part * (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]);
    }
}

/* dsigma, the 6 x 6 derivative of the interval's stress by the strains at the end, row-major; half of each end strain
 * is in the means. */
static inline void NAME(rod_stress_derivative)(const NAME(rod_element) * element, const NAME(rod_quartic) * end,
                                               const NAME(rod_means) * mean, real *dsigma)
{
    const real part = element->length * element->length / 12.0;

    for (int c = 0; c < ROD_STRAINS; c++) { /* column c: de1 the unit vector, half of it in the means */
        real dM[3], dcM[3], dq[3], dcq[3], dshift[ROD_STRAINS] = {0}, ds[ROD_STRAINS], du[3], dw[3], a[3], b[3];
        for (int i = 0; i < 3; i++)
            dM[i] = 0.5 * element->C[6 * (3 + i) + c];
        NAME(rod_times)(element->c, dM, dcM);
        NAME(rot_x_vec)(3, dM, end->cM, a);
        NAME(rot_x_vec)(3, end->M, dcM, b);
        for (int i = 0; i < 3; i++)
            dq[i] = a[i] + b[i];
        NAME(rod_times)(element->c, dq, dcq);
        dshift[c] = (real){0.0} + 0.5;
        dshift[1] += part * dcq[2];
        dshift[2] -= part * dcq[1];
        for (int i = 0; i < ROD_STRAINS; i++)
            NAME(rod_dot)(6, element->C + 6 * i, dshift, &ds[i]);
        NAME(rod_quartic_turn)(element, ds, dq, dM, du);
        NAME(rod_quartic_force)(element, mean->M, mean->cM, dcq, du, dw);
        NAME(rot_x_vec)(3, dM, mean->u, a); /* the rest of d(-c (M x u) - u x c M) */
        NAME(rod_times)(element->c, a, b);
        NAME(rot_x_vec)(3, mean->u, dcM, a);
        for (int i = 0; i < 3; i++)
            dw[i] -= a[i] + b[i];
        for (int i = 0; i < ROD_STRAINS; i++)
            dsigma[6 * i + c] = ds[i];
        NAME(rod_add_moment)(element, dw, dsigma + c, 6);
    }
}

/* Stress sigma of an element over an interval whose work is the exact change of its energy: C times the mean strain, in
 * space with the quartic terms. dsigma, if not NULL, is its derivative by e1. */
static inline void NAME(rod_stress)(const int dim, const NAME(rod_element) * element, const real *e0, const real *e1,
                                    real *sigma, real *dsigma)
{
    const int n = NAME(rod_strains)(dim);
    NAME(rod_quartic) start, end;
    NAME(rod_means) mean;
    real e[ROD_STRAINS], w[3];

    if (dim == 3) {
        NAME(rod_shift)(element, e0, &start);
        NAME(rod_shift)(element, e1, &end);
        e0 = start.shifted;
        e1 = end.shifted;
    }
    for (int i = 0; i < n; i++)
        e[i] = 0.5 * (e0[i] + e1[i]);
    for (int i = 0; i < n; i++)
        NAME(rod_dot)(n, element->C + n * i, e, &sigma[i]);
    for (int i = 0; dsigma && dim == 2 && i < n * n; i++)
        dsigma[i] = 0.5 * element->C[i];
    if (dim == 2)
        return;
    for (int i = 0; i < 3; i++) {
        mean.M[i] = 0.5 * (start.M[i] + end.M[i]);
        mean.cM[i] = 0.5 * (start.cM[i] + end.cM[i]);
        mean.q[i] = 0.5 * (start.q[i] + end.q[i]);
        mean.cq[i] = 0.5 * (start.cq[i] + end.cq[i]);
    }
    NAME(rod_quartic_turn)(element, sigma, mean.q, mean.M, mean.u);
    NAME(rod_quartic_force)(element, mean.M, mean.cM, mean.cq, mean.u, w);
    NAME(rod_add_moment)(element, w, sigma, 1);
    if (dsigma)
        NAME(rod_stress_derivative)(element, &end, &mean, dsigma);
}

/* ---- tangent ---- */
/* E, strains x bilinears, whose transpose rod_pull_measures applies. */
static inline void NAME(rod_measure_slopes)(const int dim, const NAME(rod_factors) * f, real *E)
{
    const int n_rot = phx_rotations(dim), n = NAME(rod_bilinears)(dim), rows = NAME(rod_strains)(dim);
    const real *a = f->b, *y = f->b + n_rot;

    for (int i = 0; i < rows * n; i++)
        E[i] = (real){0.0};
    for (int i = 0; i < dim; i++) {
        real *row = E + n * i;
        for (int j = 0; j < 3 && dim == 3; j++) {
            row[j] = (i == j ? -f->kz : (real){0.0}) - f->k * a[i] * y[j];
            row[n_rot + j] = -f->k * a[i] * a[j];
        }
        row[n_rot + i] += f->g;
        row[n - 1] = dim == 3 ? f->dg * y[i] - f->z * f->dk * a[i] : f->dg * y[i];
    }
    for (int i = 0; i < n_rot; i++) {
        real *row = E + n * (dim + i);
        row[i] = f->g;
        row[n - 1] = f->dg * a[i];
    }
}

/* d(E_bar^T sigma)/d(a, y, p) of the end at fixed sigma, added to G (bilinears square). */
static inline void NAME(rod_add_bends)(const int dim, const NAME(rod_interval) * span, const real *sigma, real *G)
{
    const int n_rot = phx_rotations(dim), n = NAME(rod_bilinears)(dim), last = n - 1;
    const NAME(rod_factors) f = NAME(rod_mean_factors)(span);
    const real *a = f.b, *y = f.b + n_rot, *a1 = span->b1, *y1 = span->b1 + n_rot, *N = sigma, *m = sigma + dim;
    const real dg1 = 0.5 * (span->f.dg1), dk1 = 0.5 * (span->f.dk1), k1 = span->f.k1;
    real s = {0.0}, ma, ny;

    NAME(rod_dot)(n_rot, m, a, &ma);
    NAME(rod_dot)(dim, N, y, &ny);
    if (dim == 3)
        NAME(rod_dot)(3, N, a, &s);
    for (int i = 0; i < n_rot; i++) {
        G[n * i + last] += dg1 * m[i];
        G[n * last + i] += 0.5 * f.dg * m[i];
    }
    for (int i = 0; i < dim; i++) {
        G[n * (n_rot + i) + last] += dg1 * N[i];
        G[n * last + n_rot + i] += 0.5 * f.dg * N[i];
    }
    G[n * last + last] += span->f.ddg * (ma + ny);
    if (dim == 2)
        return;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) { /* kz, s and k y; s and k a */
            G[n * i + j] -= 0.5 * (k1 * y1[j] * N[i] + N[j] * f.k * y[i]);
            G[n * i + 3 + j] -= 0.5 * k1 * a1[j] * N[i];
            G[n * (3 + i) + j] -= 0.5 * N[j] * f.k * a[i];
        }
        G[n * i + 3 + i] -= 0.5 * s * f.k;
        G[n * (3 + i) + i] -= 0.5 * s * f.k;
        G[n * i + last] -= dk1 * (span->z1 * N[i] + s * y[i]);
        G[n * (3 + i) + last] -= dk1 * s * a[i];
        G[n * last + i] -= 0.5 * f.dk * (f.z * N[i] + s * y1[i]);
        G[n * last + 3 + i] -= 0.5 * s * f.dk * a1[i];
    }
    G[n * last + last] -= s * f.z * span->f.ddk;
}

/* out += factor b_j x a_k, the columns j of D_b and k of D_a */
static inline void NAME(rod_add_columns_cross)(const int dim, double factor, const NAME(rod_pose) * pose, int j, int k,
                                               real *out)
{
    real a[3], b[3], cross[3];

    for (int i = 0; i < 3; i++) {
        a[i] = i < dim ? pose->Da[dim * i + k] : (real){0.0};
        b[i] = i < dim ? pose->Db[dim * i + j] : (real){0.0};
    }
    NAME(vec_x_vec)(dim, b, a, cross);
    for (int i = 0; i < phx_rotations(dim); i++)
        out[i] += factor * cross[i];
}

/* C, bilinears x moves, whose transpose rod_pull_moves applies: its row i is what that makes of the unit vector i. */
static inline void NAME(rod_move_slopes)(const int dim, const NAME(rod_pose) * pose, real *C)
{
    const int moves = NAME(rod_moves)(dim), n_rot = phx_rotations(dim), last = NAME(rod_bilinears)(dim) - 1;

    for (int i = 0; i < dim; i++) { /* y */
        real *row = C + moves * (n_rot + i), ua[3], ub[3], ta[3], tb[3];
        for (int k = 0; k < dim; k++) {
            ua[k] = 0.5 * pose->Da[dim * k + i];
            ub[k] = 0.5 * pose->Db[dim * k + i];
            row[k] = ua[k] + ub[k];
        }
        NAME(vec_x_vec)(dim, ua, pose->d, ta);
        NAME(vec_x_vec)(dim, ub, pose->d, tb);
        for (int k = 0; k < n_rot; k++) {
            row[dim + k] = ta[k];
            row[dim + n_rot + k] = tb[k];
        }
    }
    for (int i = 0; i <= n_rot; i++) { /* a and p: t alone, -t at the first node */
        real *row = C + moves * (i < n_rot ? i : last), t[3];
        const int first = dim == 2 ? 0 : (i + 1) % 3, second = dim == 2 ? 1 : (i + 2) % 3;
        for (int k = 0; k < n_rot; k++)
            t[k] = (real){0.0};
        if (i < n_rot) {
            NAME(rod_add_columns_cross)(dim, 0.5, pose, first, second, t);
            NAME(rod_add_columns_cross)(dim, -0.5, pose, second, first, t);
        }
        for (int j = 0; j < dim && i == n_rot; j++)
            NAME(rod_add_columns_cross)(dim, 0.5, pose, j, j, t);
        for (int k = 0; k < dim; k++)
            row[k] = (real){0.0};
        for (int k = 0; k < n_rot; k++) {
            row[dim + k] = -t[k];
            row[dim + n_rot + k] = t[k];
        }
    }
}

/* factor times the matrix of w -> w x u (space: -[u]x) added to the block of K at (row, column) of `stride`. */
static inline void NAME(rod_add_cross)(const int dim, double factor, const real *u, real *K, int stride)
{
    if (dim == 2) {
        K[0] -= factor * u[1];
        K[stride] += factor * u[0];
        return;
    }
    K[1] += factor * u[2];
    K[2] -= factor * u[1];
    K[stride] -= factor * u[2];
    K[stride + 2] += factor * u[0];
    K[2 * stride] += factor * u[1];
    K[2 * stride + 1] -= factor * u[0];
}

/* factor times the matrix of w -> (w x u) x d = (u d^T - (d . u) I) w. */
static inline void NAME(rod_add_double_cross)(const int dim, double factor, const real *u, const real *d, real *K,
                                              int stride)
{
    real along;

    NAME(rod_dot)(dim, u, d, &along);
    for (int i = 0; i < phx_rotations(dim); i++) {
        for (int j = 0; j < 3 && dim == 3; j++)
            K[stride * i + j] += factor * (u[i] * d[j]);
        K[stride * i + i] -= factor * along;
    }
}

/* d(C_bar^T force)/d(d, phi_a, phi_b) of the end, delta D = [phi]x D, at fixed force: added to K (moves square). */
static inline void NAME(rod_add_turns)(const int dim, const NAME(rod_pose) * mean, const NAME(rod_pose) * end,
                                       const real *force, real *K)
{
    const int n_rot = phx_rotations(dim), n = NAME(rod_moves)(dim), A = dim, B = dim + n_rot;
    const real *alpha = force, *beta = force + n_rot, *pi = force + n_rot + dim;
    real ua[3], ub[3], ua1[3], ub1[3], Xa[9], Xb[9], trace_a = {0.0}, trace_b = {0.0};

    NAME(rot_apply)(dim, mean->Da, beta, ua);
    NAME(rot_apply)(dim, mean->Db, beta, ub);
    NAME(rot_apply)(dim, end->Da, beta, ua1);
    NAME(rot_apply)(dim, end->Db, beta, ub1);
    NAME(rod_turned)(dim, mean->Db, end->Da, alpha, pi, Xa);
    NAME(rod_turned)(dim, end->Db, mean->Da, alpha, pi, Xb);
    for (int i = 0; i < dim; i++) {
        trace_a += Xa[dim * i + i];
        trace_b += Xb[dim * i + i];
    }
    NAME(rod_add_cross)(dim, 0.25, ua1, K + A, n);
    NAME(rod_add_cross)(dim, 0.25, ub1, K + B, n);
    NAME(rod_add_double_cross)(dim, 0.25, ua1, mean->d, K + n * A + A, n);
    NAME(rod_add_double_cross)(dim, 0.25, ub1, mean->d, K + n * B + B, n);
    for (int i = 0; i < n_rot; i++) /* u x delta d: the rows of u x e_j */
        for (int j = 0; j < dim; j++) {
            real unit[3], on_a[3], on_b[3];
            for (int k = 0; k < 3; k++)
                unit[k] = (real){0.0} + (k == j ? 0.25 : 0.0);
            NAME(vec_x_vec)(dim, ua, unit, on_a);
            NAME(vec_x_vec)(dim, ub, unit, on_b);
            K[n * (A + i) + j] += on_a[i];
            K[n * (B + i) + j] += on_b[i];
        }
    for (int i = 0; i < n_rot; i++) { /* t: (tr Xa - Xa^T) phi_a + (Xb - tr Xb) phi_b, a quarter of it */
        for (int j = 0; j < 3 && dim == 3; j++) {
            const real by_a = 0.25 * Xa[3 * j + i], by_b = 0.25 * Xb[3 * i + j];
            K[n * (A + i) + A + j] += by_a;
            K[n * (B + i) + A + j] -= by_a;
            K[n * (A + i) + B + j] -= by_b;
            K[n * (B + i) + B + j] += by_b;
        }
        K[n * (A + i) + A + i] -= 0.25 * trace_a;
        K[n * (B + i) + A + i] += 0.25 * trace_a;
        K[n * (A + i) + B + i] += 0.25 * trace_b;
        K[n * (B + i) + B + i] -= 0.25 * trace_b;
    }
}

/* Z (n x m) += X^T (n x k) Y (k x m) */
static inline void NAME(rod_product)(int k, int n, int m, const real *X, const real *Y, real *Z)
{
    for (int e = 0; e < k; e++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                Z[m * i + j] += X[n * e + i] * Y[m * e + j];
}

/* Derivative of C_bar^T E_bar^T sigma by (d, phi_a, phi_b) of the end, delta D = [phi]x D (moves square):         (8)
 *
 *     K = C_bar^T (E_bar^T dsigma E_1/l + d(E_bar^T sigma)) C_1 + d(C_bar^T force) .
 *
 * dsigma: derivative of sigma by the strains of the end; NULL: sigma is fixed. */
static inline void NAME(rod_tangent)(const int dim, const NAME(rod_element) * element, const NAME(rod_interval) * span,
                                     const NAME(rod_pose) * mean, const NAME(rod_pose) * end, const real *sigma,
                                     const real *dsigma, real *K)
{
    const int n = NAME(rod_bilinears)(dim), rows = NAME(rod_strains)(dim), moves = NAME(rod_moves)(dim);
    const NAME(rod_factors)
        middle = NAME(rod_mean_factors)(span),
        last = {span->b1, span->z1, span->f.k1 * span->z1, span->f.g1, span->f.k1, span->f.dg1, span->f.dk1};
    real E[ROD_STRAINS * ROD_BILINEAR], E1[ROD_STRAINS * ROD_BILINEAR], SE[ROD_STRAINS * ROD_BILINEAR];
    real G[ROD_BILINEAR * ROD_BILINEAR], C[ROD_BILINEAR * ROD_MOVES], C1[ROD_BILINEAR * ROD_MOVES];
    real GC[ROD_BILINEAR * ROD_MOVES], force[ROD_BILINEAR];

    for (int i = 0; i < n * n; i++)
        G[i] = (real){0.0};
    if (dsigma) {
        NAME(rod_measure_slopes)(dim, &middle, E);
        NAME(rod_measure_slopes)(dim, &last, E1);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++) {
                real sum = dsigma[rows * i] * E1[j];
                for (int k = 1; k < rows; k++)
                    sum += dsigma[rows * i + k] * E1[n * k + j];
                SE[n * i + j] = sum / element->length;
            }
        NAME(rod_product)(rows, n, n, E, SE, G);
    }
    NAME(rod_add_bends)(dim, span, sigma, G);
    NAME(rod_move_slopes)(dim, mean, C);
    NAME(rod_move_slopes)(dim, end, C1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < moves; j++) {
            real sum = G[n * i] * C1[j];
            for (int k = 1; k < n; k++)
                sum += G[n * i + k] * C1[moves * k + j];
            GC[moves * i + j] = sum;
        }
    for (int i = 0; i < moves * moves; i++)
        K[i] = (real){0.0};
    NAME(rod_product)(n, moves, moves, C, GC, K);
    NAME(rod_pull_measures)(dim, &middle, sigma, force);
    NAME(rod_add_turns)(dim, mean, end, force, K);
}

#endif
