/* Spinning bodies that bend. What turns such a body by an angle a about its axis turns its deformations too: with axes
 * that do not take part in the spin, q_axes = exp(a Z) q_body, where Z is the turn of the displacements,
 *
 *   [axis]x Phi = Phi Z,     so  M_qq Z = int rho Phi^T [axis]x Phi = -sum_k axis_k A_k,     Z^3 = -Z,
 *
 * if the body is axisymmetric. A deformation that stands still in the axes has q_dot = -s Z q in those of the body. */
#include <math.h>
#include <string.h>

#include "steady.h"

/* Z = M_qq^-1 (-sum axis_k A_k), the generator of the rotation of the deformations about a unit axis, theory 11 (7), as
 * a sparse matrix. */
static phx_status make_generator(phx_context *context, const phx_flex *flex, const double *axis, phx_csr *Z)
{
    static const double DROPPED = 1e-11; /* entries of Z, for an axis of length 1 */
    const size_t n = (size_t)flex->n;
    double *M = phx_calloc(context, n * n, sizeof *M), *B = phx_calloc(context, n * n, sizeof *B);
    phx_status status = M && B ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t i = 0; i < n && !status; i++)
        for (int k = flex->ptr[i]; k < flex->ptr[i + 1]; k++) {
            M[i * n + (size_t)flex->idx[k]] = flex->M[k];
            for (int a = 0; a < flex->n_rot; a++)
                B[i * n + (size_t)flex->idx[k]] -= axis[a] * flex->A[a][k];
        }
    if (!status)
        status = phx_dense_solve(context, flex->n, M, flex->n, B);
    if (!status)
        status = phx_csr_from_dense(context, flex->n, flex->n, B, DROPPED, Z);
    phx_free(M);
    phx_free(B);
    return status;
}

/* The largest entry of A Z + (A Z)^T of a symmetric array on the pattern of the deformations, against the diagonal. */
static phx_status uneven_array(phx_context *context, const phx_flex *flex, const double *array, const phx_csr *Z,
                               double *worst)
{
    const phx_csr A = {flex->n, flex->n, flex->ptr, flex->idx, (double *)array};
    phx_csr product = {0}, transpose = {0}, sum = {0};
    phx_status status = phx_csr_multiply(context, &A, Z, &product);

    if (!status)
        status = phx_csr_transpose(context, &product, &transpose);
    if (!status)
        status = phx_csr_add(context, 1.0, &product, 1.0, &transpose, &sum);
    for (int i = 0; i < flex->n && !status; i++)
        for (int k = sum.ptr[i]; k < sum.ptr[i + 1]; k++) {
            const int at_i = phx_csr_find(&A, i, i), at_j = phx_csr_find(&A, sum.idx[k], sum.idx[k]);
            *worst = fmax(*worst, fabs(sum.val[k]) / sqrt(fabs(array[at_i] * array[at_j])));
        }
    phx_csr_free(&product);
    phx_csr_free(&transpose);
    phx_csr_free(&sum);
    return status;
}

/* Axial symmetry of the coupling m = [S; C] between rigid velocities (v, w) and deformations: m Z = -ad(z)^T m, Z the
 * rotation of the deformations. worst: the largest residual, relative. */
static phx_status uneven_coupling(phx_context *context, const phx_flex *flex, const double *z, const phx_csr *Z,
                                  double *worst)
{
    const int dim = flex->dim, n = flex->n, rows = dim + flex->n_rot;
    double *room = phx_calloc(context, (size_t)(rows * n + 1), sizeof *room), largest = 0.0;

    if (!room)
        return PHX_ERR_MEMORY;
    for (int r = 0; r < rows; r++)
        phx_csr_apply_transposed(Z, 1.0, r < dim ? flex->S + r * n : flex->C + (r - dim) * n, room + r * n);
    for (int c = 0; c < n; c++) {
        double column[TWIST];
        for (int r = 0; r < rows; r++) {
            column[r] = r < dim ? flex->S[r * n + c] : flex->C[(r - dim) * n + c];
            largest = fmax(largest, fabs(column[r]));
        }
        for (int r = 0; r < rows; r++) {
            double unit[TWIST] = {0}, turned[TWIST];
            unit[r] = 1.0;
            phx_steady_bracket(dim, z, unit, turned);
            room[r * n + c] += phx_dot(rows, turned, column);
        }
    }
    for (int i = 0; i < rows * n && largest > 0.0; i++)
        *worst = fmax(*worst, fabs(room[i]) / largest);
    phx_free(room);
    return PHX_OK;
}

/* |Z^3 + Z| on a vector without symmetry */
static phx_status unturned(phx_context *context, const phx_csr *Z, double *worst)
{
    double *y = phx_calloc(context, (size_t)(4 * Z->rows + 1), sizeof *y);

    if (!y)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < Z->rows; i++)
        y[i] = fmod(0.6180339887498949 * (i + 1), 1.0) - 0.5;
    for (int k = 0; k < 3; k++)
        phx_csr_apply(Z, 1.0, y + k * Z->rows, y + (k + 1) * Z->rows);
    for (int i = 0; i < Z->rows; i++)
        *worst = fmax(*worst, fabs(y[3 * Z->rows + i] + y[Z->rows + i]));
    phx_free(y);
    return PHX_OK;
}

/* Generator Z of a body's deformations about the axis of the unit twist z, and *uneven, the relative deviation from
 * invariance of M, K and the coupling; zero for an axisymmetric body. */
phx_status phx_steady_axisymmetric(phx_context *context, const phx_body *body, const double *z, phx_csr *Z,
                                   double *uneven)
{
    const phx_flex *flex = phx_body_flex(body);
    phx_status status = make_generator(context, flex, z + flex->dim, Z);

    *uneven = 0.0;
    if (!status)
        status = uneven_array(context, flex, flex->M, Z, uneven);
    if (!status)
        status = uneven_array(context, flex, flex->K, Z, uneven);
    if (!status)
        status = uneven_coupling(context, flex, z, Z, uneven);
    if (!status)
        status = unturned(context, Z, uneven);
    if (status)
        phx_csr_free(Z);
    return status;
}

void phx_steady_turn_deformation(const phx_csr *Z, bool transposed, double angle, double *work, double *y)
{
    /* exp(a Z) = I + sin a Z + (1 - cos a) Z^2 */
    void (*const apply)(const phx_csr *, double, const double *, double *) =
        transposed ? phx_csr_apply_transposed : phx_csr_apply;
    const int n = Z->rows;

    memset(work, 0, (size_t)n * sizeof *work);
    apply(Z, 1.0, y, work);
    for (int i = 0; i < n; i++)
        y[i] += sin(angle) * work[i];
    apply(Z, 1.0 - cos(angle), work, y);
}

/* Adds factor * from * Z on the columns of body b's deformations to the array `to` over the KKT pattern. Fails if a
 * significant entry has no place in the pattern. */
phx_status phx_steady_add_product(const steady *s, int b, const double *from, double factor, const phx_csr *Z,
                                  double *to)
{
    static const double SIGNIFICANT = 1e-9; /* products, relative to the largest entry */
    const phx_system *system = s->system;
    const int first = phx_system_placed(system, b).v + s->dim + s->n_rot;
    double largest = 0.0;

    for (int i = 0; i < s->e.n_v; i++)
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++) {
            const int j = s->e.idx[k] - first;
            if (j < 0 || j >= Z->rows || from[k] == 0.0)
                continue;
            largest = fmax(largest, fabs(from[k]));
            for (int l = Z->ptr[j]; l < Z->ptr[j + 1]; l++) {
                const double value = factor * from[k] * Z->val[l];
                const int at = phx_csr_find(&s->e.pattern, i, first + Z->idx[l]);
                if (at >= 0)
                    to[at] += value;
                else if (fabs(value) > SIGNIFICANT * fabs(factor) * largest)
                    return phx_fail(s->dae->context, PHX_ERR_UNSUPPORTED,
                                    "body '%s' spins and bends, and its turned deformations couple where its matrices "
                                    "have no place; describe it with elements",
                                    phx_body_name(phx_system_body(system, b)));
            }
        }
    return PHX_OK;
}

/* K += d(M(q) v_dot)/dq of one body (theory 11, flexible rotors): M is quadratic in q, so differences are exact. */
phx_status phx_steady_add_inertia(const steady *s, int b, const double *x, const double *v_dot, double *K)
{
    const phx_placed_body placed = phx_system_placed(s->system, b);
    const int n_x = phx_body_n_x(placed.body), n_v = phx_body_n_v(placed.body), *ptr = NULL, *idx = NULL;
    int q_x, q_v;
    const int n = phx_body_coordinates(placed.body, &q_x, &q_v);
    double *xb = phx_calloc(s->dae->context, (size_t)(n_x + 2 * n_v), sizeof *xb), *p[2];

    if (!xb)
        return PHX_ERR_MEMORY;
    p[0] = xb + n_x;
    p[1] = p[0] + n_v;
    memcpy(xb, x + placed.x, (size_t)n_x * sizeof *xb);
    phx_body_pattern(placed.body, &ptr, &idx);
    for (int c = 0; c < n; c++) {
        double *q = xb + q_x + c, kept = *q;
        for (int side = 0; side < 2; side++) {
            *q = kept + (side ? 1.0 : -1.0);
            phx_body_momenta(placed.body, xb, v_dot + placed.v, p[side]);
        }
        *q = kept;
        for (int i = 0; i < n_v; i++)
            for (int k = ptr[i]; k < ptr[i + 1]; k++)
                if (idx[k] == q_v + c)
                    K[phx_csr_find(&s->e.pattern, placed.v + i, placed.v + idx[k])] += 0.5 * (p[1][i] - p[0][i]);
    }
    phx_free(xb);
    return PHX_OK;
}
