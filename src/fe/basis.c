/* Reference conditions: raw coordinates r = Z q. */
#include "line_mesh.h"

#include <string.h>

enum { DENSE_MAX = 20000 }; /* n * n must fit an int, and memory */

void phx_reference_basis_free(phx_reference_basis *basis)
{
    phx_free(basis->to_q);
    phx_free(basis->to_raw);
    phx_free(basis->rigid);
    phx_free(basis->mean);
    *basis = (phx_reference_basis){.n = 0};
}

/* Raw coordinate of a value (0: w, 1: w', ...) of a field at a node. */
static int raw_coordinate(const phx_field *field, int node, int value)
{
    return field->first + node * field->element->displacement.stride + value;
}

/* Coordinates that the reference holds at zero. The coordinates of `free` are those of the simply supported beam. */
static phx_status select_coordinates(phx_context *context, const phx_line_mesh *mesh, phx_reference reference,
                                     phx_reference_basis *basis)
{
    basis->n_raw = mesh->n;
    basis->to_q = phx_calloc(context, (size_t)mesh->n, sizeof *basis->to_q);
    basis->to_raw = phx_calloc(context, (size_t)mesh->n, sizeof *basis->to_raw);
    if (!basis->to_q || !basis->to_raw)
        return PHX_ERR_MEMORY;
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        basis->to_q[raw_coordinate(field, 0, 0)] = -1;
        if (field->rotation_derivative == 0)
            continue;
        if (reference == PHX_REFERENCE_CANTILEVER)
            basis->to_q[raw_coordinate(field, 0, 1)] = -1;
        else
            basis->to_q[raw_coordinate(field, mesh->elements, 0)] = -1;
    }
    for (int i = 0; i < mesh->n; i++) {
        if (basis->to_q[i] < 0)
            continue;
        basis->to_q[i] = basis->n;
        basis->to_raw[basis->n++] = i;
    }
    return PHX_OK;
}

/* R: unit translation along `axis` or unit rotation about an axis, u = e x (x,0,0) and theta = e, as nodal values. */
static void rigid_motion(const phx_line_mesh *mesh, int axis, double *column, int stride)
{
    const int turn = axis - mesh->dim; /* >= 0: a rotation */
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        for (int node = 0; node <= mesh->elements; node++) {
            if (turn < 0) {
                if (field->translation == axis)
                    column[raw_coordinate(field, node, 0) * stride] = 1.0;
            } else if (field->rotation == turn && field->rotation_derivative == 1) {
                /* w' = +-theta, w = x w' */
                column[raw_coordinate(field, node, 0) * stride] = field->rotation_sign * node * mesh->h;
                column[raw_coordinate(field, node, 1) * stride] = field->rotation_sign;
            } else if (field->rotation == turn) {
                column[raw_coordinate(field, node, 0) * stride] = 1.0;
            }
        }
    }
}

/* W = (G R)^-1 G E with G = [S; C]: then G (E - R W) = 0, the mean axes. */
static phx_status mean_axes(phx_context *context, const phx_line_mesh *mesh, const phx_flex *raw,
                            phx_reference_basis *basis)
{
    for (int axis = 0; axis < mesh->dim + mesh->n_rot; axis++) {
        /* a section that cannot twist has no rotation about the axis */
        const bool twist = mesh->n_fields == PHX_FIELD_MAX;
        if (mesh->dim == 3 && axis == mesh->dim && !twist)
            continue;
        basis->rigid_axis[basis->n_rigid++] = axis;
    }
    const int m = basis->n_rigid;
    double moments[PHX_RIGID_MAX * PHX_RIGID_MAX] = {0};
    basis->rigid = phx_calloc(context, (size_t)(basis->n_raw * m), sizeof *basis->rigid);
    basis->mean = phx_calloc(context, (size_t)(basis->n * m), sizeof *basis->mean);
    if (!basis->rigid || !basis->mean)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < m; k++)
        rigid_motion(mesh, basis->rigid_axis[k], basis->rigid + k, m);
    for (int k = 0; k < m; k++) {
        const int axis = basis->rigid_axis[k];
        const double *row = axis < mesh->dim ? raw->S + axis * raw->n : raw->C + (axis - mesh->dim) * raw->n;
        for (int i = 0; i < basis->n_raw; i++)
            for (int l = 0; l < m; l++)
                moments[k * m + l] += row[i] * basis->rigid[i * m + l];
        for (int i = 0; i < basis->n; i++)
            basis->mean[k * basis->n + i] = row[basis->to_raw[i]];
    }
    return phx_dense_solve(context, m, moments, basis->n, basis->mean);
}

phx_status phx_reference_basis_build(phx_context *context, const phx_line_mesh *mesh, phx_reference reference,
                                     const phx_flex *raw, phx_reference_basis *basis)
{
    *basis = (phx_reference_basis){.n = 0};
    phx_status status = select_coordinates(context, mesh, reference, basis);
    if (status == PHX_OK && reference == PHX_REFERENCE_FREE)
        status = mean_axes(context, mesh, raw, basis);
    if (status != PHX_OK)
        phx_reference_basis_free(basis);
    return status;
}

int phx_reference_basis_row_capacity(const phx_reference_basis *basis, bool strain, int n_local)
{
    return basis->n_rigid == 0 || strain ? n_local : basis->n;
}

/* Row of a function of the raw coordinates, `value` at dof[], over the deformation coordinates q: idx[] and out[];
 * returns its length. With a free reference it is dense, except for strains, which rigid motions do not change. */
int phx_reference_basis_row(const phx_reference_basis *basis, bool strain, int n_local, const int *dof,
                            const double *value, int *idx, double *out)
{
    int count = 0;
    if (basis->n_rigid == 0 || strain) {
        for (int i = 0; i < n_local; i++) {
            if (basis->to_q[dof[i]] < 0)
                continue;
            idx[count] = basis->to_q[dof[i]];
            out[count++] = value[i];
        }
        return count;
    }
    /* v (E - R W) */
    for (; count < basis->n; count++) {
        idx[count] = count;
        out[count] = 0.0;
    }
    double on_rigid[PHX_RIGID_MAX] = {0};
    for (int i = 0; i < n_local; i++) {
        if (basis->to_q[dof[i]] >= 0)
            out[basis->to_q[dof[i]]] += value[i];
        for (int k = 0; k < basis->n_rigid; k++)
            on_rigid[k] += value[i] * basis->rigid[dof[i] * basis->n_rigid + k];
    }
    for (int k = 0; k < basis->n_rigid; k++)
        for (int i = 0; i < basis->n; i++)
            out[i] -= on_rigid[k] * basis->mean[k * basis->n + i];
    return count;
}

/* Row of n_raw values to n values. */
static void apply_to_vector(const phx_reference_basis *basis, const double *raw, double *out)
{
    for (int i = 0; i < basis->n; i++)
        out[i] = raw[basis->to_raw[i]];
    for (int k = 0; k < basis->n_rigid; k++) {
        double on_rigid = 0.0;
        for (int i = 0; i < basis->n_raw; i++)
            on_rigid += raw[i] * basis->rigid[i * basis->n_rigid + k];
        for (int i = 0; i < basis->n; i++)
            out[i] -= on_rigid * basis->mean[k * basis->n + i];
    }
}

/* Pattern of the matrices over q: dense, or that of the raw matrices without the coordinates removed. Fails if a dense
 * one is too large. */
static phx_status apply_to_pattern(phx_context *context, const phx_reference_basis *basis, const phx_flex *raw,
                                   bool dense, phx_flex *flex)
{
    const int n = basis->n;
    if (dense && n > DENSE_MAX)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "beam: %d deformation coordinates that all couple (free reference or paper elements), at most "
                        "%d; use fewer elements",
                        n, DENSE_MAX);
    const size_t entries = dense ? (size_t)n * (size_t)n : (size_t)raw->ptr[raw->n];
    flex->ptr = phx_calloc(context, (size_t)n + 1, sizeof *flex->ptr);
    flex->idx = phx_calloc(context, entries, sizeof *flex->idx);
    if (!flex->ptr || !flex->idx)
        return PHX_ERR_MEMORY;
    int count = 0;
    for (int i = 0; i < n; i++) {
        const int row = basis->to_raw[i];
        if (dense)
            for (int j = 0; j < n; j++)
                flex->idx[count++] = j;
        else
            for (int e = raw->ptr[row]; e < raw->ptr[row + 1]; e++)
                if (basis->to_q[raw->idx[e]] >= 0)
                    flex->idx[count++] = basis->to_q[raw->idx[e]];
        flex->ptr[i + 1] = count;
    }
    return PHX_OK;
}

/* Z^T X Z of a symmetric (sign = 1) or antisymmetric (sign = -1) X on the raw pattern. With Y = E^T X R, B = R^T X R
 * and U = Y - 1/2 W^T B it is E^T X E - U W - sign (U W)^T. `work` has n x n_rigid entries. */
static void apply_to_matrix(const phx_reference_basis *basis, const phx_flex *raw, const double *x, double sign,
                            const phx_flex *flex, double *work, double *out)
{
    const int n = basis->n, m = basis->n_rigid;
    double b[PHX_RIGID_MAX][PHX_RIGID_MAX] = {{0}};
    for (int row = 0; row < basis->n_raw; row++) {
        const int i = basis->to_q[row];
        double on_rigid[PHX_RIGID_MAX] = {0};
        for (int e = raw->ptr[row]; e < raw->ptr[row + 1]; e++) {
            const int j = basis->to_q[raw->idx[e]];
            if (i >= 0 && j >= 0)
                out[phx_flex_entry(flex, i, j)] = x[e];
            for (int k = 0; k < m; k++)
                on_rigid[k] += x[e] * basis->rigid[raw->idx[e] * m + k];
        }
        for (int k = 0; k < m; k++) {
            if (i >= 0)
                work[i * m + k] = on_rigid[k];
            for (int l = 0; l < m; l++)
                b[l][k] += basis->rigid[row * m + l] * on_rigid[k];
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            for (int l = 0; l < m; l++)
                work[i * m + k] -= 0.5 * basis->mean[l * n + i] * b[l][k];
    const double *w = basis->mean;
    for (int i = 0; i < n && m > 0; i++) {
        for (int j = 0; j <= i; j++) {
            double correction = 0.0;
            for (int k = 0; k < m; k++)
                correction += work[i * m + k] * w[k * n + j] + sign * work[j * m + k] * w[k * n + i];
            out[i * n + j] -= correction;
            out[j * n + i] = sign * out[i * n + j]; /* bit for bit */
        }
    }
}

/* Integrals of the deformation over q from those over the raw coordinates r = Z q: Z^T M Z and so on; the mean-axis
 * conditions are set exactly. */
phx_status phx_reference_basis_apply(phx_context *context, const phx_reference_basis *basis, const phx_flex *raw,
                                     bool dense, phx_flex *flex)
{
    *flex = (phx_flex){.dim = raw->dim, .n = basis->n, .mass = raw->mass};
    memcpy(flex->s0, raw->s0, sizeof flex->s0);
    memcpy(flex->J0, raw->J0, sizeof flex->J0);
    double *work = phx_calloc(context, (size_t)(basis->n * basis->n_rigid), sizeof *work);
    phx_status status = work ? phx_flex_allocate_vectors(context, flex) : PHX_ERR_MEMORY;
    if (status == PHX_OK)
        status = apply_to_pattern(context, basis, raw, dense || basis->n_rigid > 0, flex);
    if (status == PHX_OK)
        status = phx_flex_allocate_matrices(context, flex, true);
    if (status != PHX_OK)
        goto cleanup;

    for (int a = 0; a < flex->dim; a++)
        apply_to_vector(basis, raw->S + a * raw->n, flex->S + a * flex->n);
    for (int k = 0; k < flex->n_rot; k++)
        apply_to_vector(basis, raw->C + k * raw->n, flex->C + k * flex->n);
    for (int p = 0; p < flex->n_pair; p++)
        apply_to_vector(basis, raw->j + p * raw->n, flex->j + p * flex->n);
    /* the mean-axis conditions hold without rounding */
    for (int k = 0; k < basis->n_rigid; k++) {
        const int axis = basis->rigid_axis[k];
        double *row = axis < flex->dim ? flex->S + axis * flex->n : flex->C + (axis - flex->dim) * flex->n;
        memset(row, 0, (size_t)flex->n * sizeof *row);
    }
    apply_to_matrix(basis, raw, raw->M, 1.0, flex, work, flex->M);
    for (int k = 0; k < flex->n_rot; k++)
        apply_to_matrix(basis, raw, raw->A[k], -1.0, flex, work, flex->A[k]);
    for (int p = 0; p < flex->n_pair; p++)
        apply_to_matrix(basis, raw, raw->Q[p], 1.0, flex, work, flex->Q[p]);

cleanup:
    phx_free(work);
    if (status != PHX_OK)
        phx_flex_free(flex);
    return status;
}
