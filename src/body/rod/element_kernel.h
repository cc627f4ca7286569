/* An element of a rod on its two nodes, over an interval: what it does to their velocities and the derivative of that
 * by the mean velocities. See rod_kernel.h for `real` and NAME.
 *
 * The moves m = (Delta d, h w_a, h w_b) follow from the velocities of the nodes by T,
 *
 *     d' = R_b v_b - R_a v_a ,   w_a = R_a omega_a ,   w_b = R_b omega_b ,
 *
 * and the covectors on them act on the nodes by T^T. */
#ifndef PHX_ROD_ELEMENT_KERNEL_H
#define PHX_ROD_ELEMENT_KERNEL_H

#include "rod_kernel.h"

enum {
    ROD_PAIR = 12 /* velocities of two nodes at most */
};

typedef struct NAME(element_state) {
    NAME(rod_pose) mean, end;
    NAME(rod_interval) span;
    real e0[ROD_STRAINS], e1[ROD_STRAINS], sigma[ROD_STRAINS], dsigma[ROD_STRAINS * ROD_STRAINS];
} NAME(element_state);

/* Of the poses at->mean and at->end and (a, y, p) at the start, at->span.b0; `second`: dsigma and what else the tangent
 * needs. */
static inline void NAME(element_evaluate)(const int dim, const phx_rod_table *table, const NAME(rod_element) * element,
                                          bool second, NAME(element_state) * at)
{
    NAME(rod_evaluate_end)(dim, table, &at->end, second, &at->span);
    NAME(rod_strain)(dim, element, at->span.measure0, at->e0);
    NAME(rod_strain)(dim, element, at->span.measure1, at->e1);
    NAME(rod_stress)(dim, element, at->e0, at->e1, at->sigma, second ? at->dsigma : NULL);
}

/* sigma += damping C rate */
static inline void NAME(element_add_damping)(const int dim, const NAME(rod_element) * element, double damping,
                                             const real *rate, real *sigma)
{
    const int n = NAME(rod_strains)(dim);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sigma[i] += damping * element->C[n * i + j] * rate[j];
}

/* The same over an interval, and with dsigma. */
static inline void NAME(element_damp)(const int dim, const NAME(rod_element) * element, double damping, double h,
                                      bool second, NAME(element_state) * at)
{
    const int n = NAME(rod_strains)(dim);
    real rate[ROD_STRAINS];

    if (damping == 0.0)
        return;
    for (int i = 0; i < n; i++)
        rate[i] = (at->e1[i] - at->e0[i]) / h;
    NAME(element_add_damping)(dim, element, damping, rate, at->sigma);
    for (int i = 0; i < n * n && second; i++)
        at->dsigma[i] += damping / h * element->C[i];
}

/* moves = C^T E^T sigma */
static inline void NAME(element_pull)(const int dim, const NAME(element_state) * at, const real *sigma, real *moves)
{
    const NAME(rod_factors) factors = NAME(rod_mean_factors)(&at->span);
    real force[ROD_BILINEAR];

    NAME(rod_pull_measures)(dim, &factors, sigma, force);
    NAME(rod_pull_moves)(dim, &at->mean, force, moves);
}

/* out (two nodes) = T^T moves */
static inline void NAME(element_efforts)(const int dim, const NAME(rod_pose) * mean, const real *moves, real *out)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;

    NAME(rot_apply_transposed)(dim, mean->Da, moves, out);
    NAME(rot_apply_transposed)(dim, mean->Db, moves, out + r);
    for (int i = 0; i < dim; i++)
        out[i] = -out[i];
    if (dim == 2) {
        out[2] = moves[2];
        out[5] = moves[3];
    } else {
        NAME(rot_apply_transposed)(3, mean->Da, moves + 3, out + 3);
        NAME(rot_apply_transposed)(3, mean->Db, moves + 6, out + 9);
    }
}

/* ---- tangents ---- */
/* How a node follows a variation xi of it: delta r = R_v xi_v + R_w xi_w, delta R = [phi]x R with phi = P xi_w. */
typedef struct NAME(node_variation) {
    real v[9], w[9], phi[9];
} NAME(node_variation);

/* At an instant (h = 0) xi moves the frame itself. Over an interval xi is a variation of the mean velocity,
 *     delta r = h R_m xi_v + h/2 phi x (R_1 v_m) ,   phi = R_1 h (I - [a]x)/(1 + |a|^2) xi_w ,   a = h/2 w_m . */
static inline void NAME(node_vary)(const int dim, double h, const real *Rm, const real *R1, const real *vm,
                                   NAME(node_variation) * out)
{
    const double scale = h == 0.0 ? 1.0 : h;
    real velocity[3], a[3];

    for (int i = 0; i < dim * dim; i++)
        out->v[i] = scale * Rm[i];
    NAME(rot_apply)(dim, R1, vm, velocity);
    if (dim == 2) {
        a[0] = 0.5 * h * vm[2];
        out->phi[0] = scale / (1.0 + a[0] * a[0]);
        out->w[0] = -0.5 * h * out->phi[0] * velocity[1];
        out->w[1] = 0.5 * h * out->phi[0] * velocity[0];
        return;
    }
    for (int k = 0; k < 3; k++)
        a[k] = 0.5 * h * vm[3 + k];
    const real part = scale / (1.0 + a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) { /* rows of R_1 (I - [a]x): R_1i + a x R_1i */
        real across[3];
        NAME(rot_x_vec)(3, a, R1 + 3 * i, across);
        for (int j = 0; j < 3; j++)
            out->phi[3 * i + j] = part * (R1[3 * i + j] + across[j]);
    }
    for (int c = 0; c < 3; c++) { /* phi x velocity, columns of P */
        const real phi[3] = {out->phi[c], out->phi[3 + c], out->phi[6 + c]};
        real way[3];
        NAME(rot_x_vec)(3, phi, velocity, way);
        for (int i = 0; i < 3; i++)
            out->w[3 * i + c] = 0.5 * h * way[i];
    }
}

/* W = K Z: K by the moves (d, phi_a, phi_b) of the element, Z those by the variations of its nodes. */
static inline void NAME(element_chain)(const int dim, const real *K, const NAME(node_variation) * a,
                                       const NAME(node_variation) * b, real *W)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = 2 * r, moves = NAME(rod_moves)(dim);

    for (int m = 0; m < moves; m++) {
        const real *row = K + moves * m;
        real *to = W + n * m;
        for (int j = 0; j < dim; j++) {
            to[j] = -row[0] * a->v[j];
            to[r + j] = row[0] * b->v[j];
            for (int i = 1; i < dim; i++) {
                to[j] -= row[i] * a->v[dim * i + j];
                to[r + j] += row[i] * b->v[dim * i + j];
            }
        }
        for (int j = 0; j < n_rot; j++) {
            real on_a = {0.0}, on_b = {0.0};
            for (int i = 0; i < dim; i++) {
                on_a -= row[i] * a->w[n_rot * i + j];
                on_b += row[i] * b->w[n_rot * i + j];
            }
            for (int i = 0; i < n_rot; i++) {
                on_a += row[dim + i] * a->phi[n_rot * i + j];
                on_b += row[dim + n_rot + i] * b->phi[n_rot * i + j];
            }
            to[dim + j] = on_a;
            to[r + dim + j] = on_b;
        }
    }
}

/* factor R^T (F x phi), the change of R^T F with delta R = [phi]x R, into rows of K (stride) at the columns of xi_w. */
static inline void NAME(add_turned)(const int dim, double factor, const real *R, const real *F, const real *phi,
                                    real *K, int stride)
{
    const int n_rot = phx_rotations(dim);

    for (int c = 0; c < n_rot; c++) {
        real turn[3], change[3], local[3];
        for (int k = 0; k < n_rot; k++)
            turn[k] = phi[n_rot * k + c];
        NAME(vec_x_rot)(dim, F, turn, change);
        NAME(rot_apply_transposed)(dim, R, change, local);
        for (int a = 0; a < dim; a++)
            K[stride * a + c] += factor * local[a];
    }
}

/* A (two nodes square) = T^T W + the change of T^T at fixed moves; W: derivative of the moves by the variations. */
static inline void NAME(element_nodes)(const int dim, const NAME(element_state) * at, const real *moves,
                                       const NAME(node_variation) * a, const NAME(node_variation) * b, const real *W,
                                       real *A)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = 2 * r;
    real column[ROD_MOVES], out[ROD_PAIR];

    for (int c = 0; c < n; c++) {
        for (int m = 0; m < NAME(rod_moves)(dim); m++)
            column[m] = W[n * m + c];
        NAME(element_efforts)(dim, &at->mean, column, out);
        for (int i = 0; i < n; i++)
            A[n * i + c] = out[i];
    }
    NAME(add_turned)(dim, -0.5, at->end.Da, moves, a->phi, A + dim, n);
    NAME(add_turned)(dim, 0.5, at->end.Db, moves, b->phi, A + n * r + r + dim, n);
    if (dim == 2)
        return;
    NAME(add_turned)(3, 0.5, at->end.Da, moves + 3, a->phi, A + n * 3 + 3, n);
    NAME(add_turned)(3, 0.5, at->end.Db, moves + 6, b->phi, A + n * 9 + 9, n);
}

/* Over an interval, of the state with dsigma: the derivative by the mean velocities va, vb of the nodes. */
static inline void NAME(element_interval_tangent)(const int dim, double h, const NAME(rod_element) * element,
                                                  const NAME(element_state) * at, const real *va, const real *vb,
                                                  real *A)
{
    NAME(node_variation) a, b;
    real K[ROD_MOVES * ROD_MOVES], W[ROD_MOVES * ROD_PAIR], moves[ROD_MOVES];

    NAME(node_vary)(dim, h, at->mean.Da, at->end.Da, va, &a);
    NAME(node_vary)(dim, h, at->mean.Db, at->end.Db, vb, &b);
    NAME(rod_tangent)(dim, element, &at->span, &at->mean, &at->end, at->sigma, at->dsigma, K);
    NAME(element_chain)(dim, K, &a, &b, W);
    NAME(element_pull)(dim, at, at->sigma, moves);
    NAME(element_nodes)(dim, at, moves, &a, &b, W, A);
}

#endif
