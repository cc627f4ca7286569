/* A body given by modal data. */
#include <math.h>
#include <string.h>

#include "point_inertia.h"
#include "line_mesh.h"
#include "source.h"

enum { MODES_MAX = 4000 };

static const double two_pi = 6.28318530717958647693;

/* ---- checks ---- */
static phx_status modal_data_check_finite(phx_context *context, const char *what, size_t count, const double *values)
{
    for (size_t k = 0; values && k < count; k++)
        if (!isfinite(values[k]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: value %zu of %s is not finite", k + 1, what);
    return PHX_OK;
}

/* Matrices modes x modes that are symmetric (sign 1) or antisymmetric (sign -1). */
static phx_status check_matrices(phx_context *context, const char *what, int count, int n, double sign,
                                 const double *values)
{
    static const double SYMMETRIC = 1e-9; /* relative to the largest entry */

    for (int p = 0; values && p < count; p++) {
        const double *a = values + (size_t)p * (size_t)n * (size_t)n;
        double scale = 0.0;
        for (int k = 0; k < n * n; k++)
            scale = fmax(scale, fabs(a[k]));
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                if (!(fabs(a[i * n + j] - sign * a[j * n + i]) <= SYMMETRIC * scale))
                    return phx_fail(context, PHX_ERR_ARGUMENT,
                                    "modal data: matrix %d of %s must be %s; entries %d,%d and %d,%d are %g and %g",
                                    p + 1, what, sign > 0.0 ? "symmetric" : "antisymmetric", i + 1, j + 1, j + 1, i + 1,
                                    a[i * n + j], a[j * n + i]);
    }
    return PHX_OK;
}

static phx_status check_rigid(phx_context *context, const phx_modal_data *data)
{
    if (!(data->mass > 0.0 && isfinite(data->mass)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: mass is %g, must be finite and > 0", data->mass);
    if (data->dim == 2 && !(data->inertia[0] >= 0.0 && isfinite(data->inertia[0])))
        return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: inertia is %g, must be finite and >= 0",
                        data->inertia[0]);
    if (data->dim == 3 && !phx_is_inertia(data->inertia))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "modal data: inertia (diagonal %g, %g, %g) must be symmetric and positive semidefinite",
                        data->inertia[0], data->inertia[4], data->inertia[8]);
    return modal_data_check_finite(context, "the centre of mass", (size_t)data->dim, data->centre);
}

/* Checks that every point of modal data has a name and moves with existing modes. */
static phx_status modal_data_check_points(phx_context *context, const phx_modal_data *data)
{
    if (data->n_points < 0 || (data->n_points > 0 && !data->points))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "modal data: n_points is %d, must be the number of entries of points", data->n_points);
    for (int k = 0; k < data->n_points; k++) {
        const phx_flex_point *point = data->points[k].point;
        if (!data->points[k].name || !point)
            return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: points[%d] needs a name and a point", k);
        if (point->n > 0 && point->dof[point->n - 1] >= data->modes)
            return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: point '%s' moves with mode %d, there are %d",
                            data->points[k].name, point->dof[point->n - 1] + 1, data->modes);
    }
    return PHX_OK;
}

/* Checks sizes, frequencies, rigid properties, integrals and points of modal data. */
static phx_status check_data(phx_context *context, const phx_modal_data *data)
{
    if (data->dim != 2 && data->dim != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: dim is %d, must be 2 or 3", data->dim);
    if (data->modes < 1 || data->modes > MODES_MAX)
        return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: modes is %d, must be between 1 and %d", data->modes,
                        MODES_MAX);
    if (!data->frequency || !data->translation || !data->rotation)
        return phx_fail(context, PHX_ERR_ARGUMENT, "modal data: frequency, translation and rotation must not be NULL");
    const int n_rot = data->dim == 2 ? 1 : 3, n_pair = data->dim == 2 ? 1 : 6, n = data->modes;
    const size_t modes = (size_t)n;
    for (int k = 0; k < n; k++)
        if (!(data->frequency[k] > 0.0 && isfinite(data->frequency[k])))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "modal data: frequency of mode %d is %g Hz, must be finite and > 0", k + 1,
                            data->frequency[k]);
    phx_status status = check_rigid(context, data);
    if (status == PHX_OK)
        status = modal_data_check_finite(context, "translation", modes * (size_t)data->dim, data->translation);
    if (status == PHX_OK)
        status = modal_data_check_finite(context, "rotation", modes * (size_t)n_rot, data->rotation);
    if (status == PHX_OK)
        status = modal_data_check_finite(context, "inertia_first", modes * (size_t)n_pair, data->inertia_first);
    if (status == PHX_OK)
        status = check_matrices(context, "gyroscopic", n_rot, n, -1.0, data->gyroscopic);
    if (status == PHX_OK)
        status = check_matrices(context, "inertia_second", n_pair, n, 1.0, data->inertia_second);
    return status ? status : modal_data_check_points(context, data);
}

/* ---- what the frame carries beside the modes ----
 *
 *       | m I    [s0]x^T |     | S |
 *   R = | [s0]x   J0     |  -  | C | ( S^T C^T )      must be positive definite, or M is not */
enum { MAX_RIGID = 6 };

/* Mass matrix of the undeformed body over (v, omega), in a square of the largest size. */
static void modal_data_rigid_mass(const phx_flex *flex, double D[MAX_RIGID][MAX_RIGID])
{
    const double *s = flex->s0, *J = flex->J0;
    for (int i = 0; i < MAX_RIGID; i++)
        for (int j = 0; j < MAX_RIGID; j++)
            D[i][j] = 0.0;
    for (int a = 0; a < flex->dim; a++)
        D[a][a] = flex->mass;
    if (flex->dim == 2) { /* p_r = s x v: row (-s_y, s_x) */
        D[2][0] = D[0][2] = -s[1];
        D[2][1] = D[1][2] = s[0];
        D[2][2] = J[0];
        return;
    }
    const double cross[3][3] = {{0.0, -s[2], s[1]}, {s[2], 0.0, -s[0]}, {-s[1], s[0], 0.0}};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            D[3 + a][b] = D[b][3 + a] = cross[a][b];
            D[3 + a][3 + b] = J[a == b ? a : a + b + 2];
        }
}

static phx_status fail_effective(phx_context *context, const phx_flex *flex, int axis, double effective, double whole)
{
    static const char *const plane[] = {"along x", "along y", "about the origin"};
    static const char *const space[] = {"along x", "along y", "along z", "about x", "about y", "about z"};
    const bool turn = axis >= flex->dim;
    const char *unit = turn ? "kg m^2" : "kg";
    return phx_fail(context, PHX_ERR_ARGUMENT,
                    "modal data: the effective %s of the modes %s, the sum of their squared participation factors, is "
                    "%.10g %s, %.3g %s more than the %.10g %s of the body; check %s, mass data and the normalisation "
                    "of the modes (unit modal mass)",
                    turn ? "inertia" : "mass", flex->dim == 2 ? plane[axis] : space[axis], effective, unit,
                    effective - whole, unit, whole, unit, turn ? "rotation" : "translation");
}

/* Fails if the modes take more mass from the frame than there is: the residual mass matrix of theory 12 (modal data)
 * must be positive definite. */
static phx_status check_residual_mass(phx_context *context, const phx_flex *flex)
{
    static const double POSITIVE = 1e-14; /* least residual mass, relative to that of the body */
    const int r = flex->dim + flex->n_rot, n = flex->n;
    double D[MAX_RIGID][MAX_RIGID], R[MAX_RIGID * MAX_RIGID], scale[MAX_RIGID];
    modal_data_rigid_mass(flex, D);
    for (int i = 0; i < r; i++)
        scale[i] = 1.0 / sqrt(D[i][i]);
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < r; j++) {
            const double *left = i < flex->dim ? flex->S + i * n : flex->C + (i - flex->dim) * n;
            const double *right = j < flex->dim ? flex->S + j * n : flex->C + (j - flex->dim) * n;
            double effective = 0.0;
            for (int k = 0; k < n; k++)
                effective += left[k] * right[k];
            R[i * r + j] = scale[i] * scale[j] * (D[i][j] - effective);
            if (i == j && !(effective < D[i][i]))
                return fail_effective(context, flex, i, effective, D[i][i]);
        }
    }
    double values[MAX_RIGID];
    phx_status status = phx_dense_eigen_symmetric(context, r, R, NULL, values, NULL);
    if (status == PHX_OK && !(values[0] > POSITIVE))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "modal data: the effective mass of the modes exceeds the mass and inertia of the body for a "
                        "combined translation and rotation (smallest residual %.3g of the whole); check the centre of "
                        "mass and the origin that rotation refers to",
                        values[0]);
    return status;
}

/* ---- filling ---- */
/* Everything but the masses at points. `coupled`: with a full pattern. */
static phx_status modal_data_fill(phx_context *context, const phx_modal_data *data, bool coupled, phx_flex *flex)
{
    const int n = data->modes;
    const phx_point_inertia whole = {.x = {data->centre[0], data->centre[1], data->dim == 3 ? data->centre[2] : 0.0},
                                     .mass = data->mass};
    phx_point_inertia rigid = whole;
    flex->dim = data->dim;
    flex->n = n;
    phx_status status = phx_flex_allocate(context, coupled, flex);
    if (status != PHX_OK)
        return status;
    phx_point_inertia_set_tensor(flex->n_rot, data->inertia, &rigid);
    phx_point_inertia_add_vectors(&rigid, flex);
    for (int k = 0; k < n; k++) {
        flex->M[phx_flex_entry(flex, k, k)] = 1.0;
        for (int a = 0; a < flex->dim; a++)
            flex->S[a * n + k] = data->translation[k * flex->dim + a];
        for (int a = 0; a < flex->n_rot; a++)
            flex->C[a * n + k] = data->rotation[k * flex->n_rot + a];
        for (int p = 0; p < flex->n_pair && data->inertia_first; p++)
            flex->j[p * n + k] = data->inertia_first[k * flex->n_pair + p];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n && coupled; j++) { /* exactly antisymmetric, exactly symmetric */
            const size_t nn = (size_t)n * (size_t)n, at = (size_t)(i * n + j), mirror = (size_t)(j * n + i);
            for (size_t r = 0; r < (size_t)flex->n_rot && data->gyroscopic; r++)
                flex->A[r][at] = 0.5 * (data->gyroscopic[r * nn + at] - data->gyroscopic[r * nn + mirror]);
            for (size_t p = 0; p < (size_t)flex->n_pair && data->inertia_second; p++)
                flex->Q[p][at] = 0.5 * (data->inertia_second[p * nn + at] + data->inertia_second[p * nn + mirror]);
        }
    }
    return PHX_OK;
}

static phx_status add_masses(phx_context *context, const phx_modal_data *data, phx_flex *flex)
{
    phx_status status = PHX_OK;
    for (int m = 0; m < data->n_masses && status == PHX_OK; m++)
        status = phx_flex_add_mass(context, data->masses[m].point, data->masses[m].mass, data->masses[m].inertia, flex);
    return status;
}

static phx_status modal_stiffness(phx_context *context, const phx_modal_data *data, phx_flex *flex)
{
    double *omega = phx_calloc(context, (size_t)data->modes, sizeof *omega);
    for (int k = 0; k < data->modes && omega; k++)
        omega[k] = two_pi * data->frequency[k];
    const phx_status status = omega ? phx_flex_modal_stiffness(context, omega, flex) : PHX_ERR_MEMORY;
    phx_free(omega);
    return status;
}

/* ---- the source ---- */
typedef struct modal_body {
    phx_flex_source source;
    int n_points;
    char **names;
    phx_flex_point *points;
} modal_body;

static void modal_destroy(phx_flex_source *source)
{
    modal_body *body = (modal_body *)source;
    for (int k = 0; k < body->n_points; k++) {
        phx_free(body->names[k]);
        phx_flex_point_free(&body->points[k]);
    }
    phx_free(body->names);
    phx_free(body->points);
    phx_free(body);
}

static phx_status modal_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                              phx_flex_point *point)
{
    const modal_body *body = (const modal_body *)source;
    for (int k = 0; k < body->n_points; k++)
        if (!strcmp(body->names[k], location->name))
            return phx_flex_point_copy(context, source->flex.dim, &body->points[k], point);
    phx_nearest nearest = phx_nearest_to(location->name);
    for (int k = 0; k < body->n_points; k++)
        phx_nearest_offer(&nearest, body->names[k]);
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no point %s%s", source->operations->name,
                    phx_shown_text(location->name).text, phx_nearest_hint(&nearest).text);
}

static const phx_source_operations operations = {
    .name = "modal body", .destroy = modal_destroy, .sorts = 1u << PHX_LOCATION_NAME, .point = modal_point};

/* Copies the named points of modal data. */
static phx_status keep_points(phx_context *context, const phx_modal_data *data, modal_body *made)
{
    phx_status status = PHX_OK;
    made->names = phx_calloc(context, (size_t)data->n_points, sizeof *made->names);
    made->points = phx_calloc(context, (size_t)data->n_points, sizeof *made->points);
    if (!made->names || !made->points)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < data->n_points && !status; k++) {
        made->names[k] = phx_strdup(context, data->points[k].name);
        made->n_points++;
        status = made->names[k] ? phx_flex_point_copy(context, data->dim, data->points[k].point, &made->points[k])
                                : PHX_ERR_MEMORY;
    }
    return status;
}

/* Creates a source of deformation from modal data (theory 12); *source is set on success only. */
phx_status phx_modal_source_create(phx_context *context, const phx_modal_data *data, phx_flex_source **source)
{
    if (!data || !source)
        return phx_fail_null(context, __func__, "data or source");
    phx_status status = check_data(context, data);
    if (status != PHX_OK)
        return status;
    const bool coupled = data->gyroscopic || data->inertia_second || data->n_masses > 0;
    modal_body *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    phx_flex *flex = &made->source.flex;
    made->source.operations = &operations;
    status = modal_data_fill(context, data, coupled, flex);
    if (status == PHX_OK)
        status = check_residual_mass(context, flex);
    if (status == PHX_OK)
        status = add_masses(context, data, flex);
    if (status == PHX_OK)
        status = modal_stiffness(context, data, flex);
    if (status == PHX_OK)
        status = phx_flex_make_compact(context, flex);
    if (status == PHX_OK)
        status = keep_points(context, data, made);
    if (status != PHX_OK)
        phx_flex_source_destroy(&made->source);
    else
        *source = &made->source;
    return phx_conclude(context, status);
}

/* Point with given displacements and rotations in each mode, row-major by mode; NULL means zero. Modes that do not move
 * it are left out. */
phx_status phx_modal_point(phx_context *context, int dim, int modes, const double *x, const double *translation,
                           const double *rotation, phx_flex_point *point)
{
    if (!x || !point)
        return phx_fail_null(context, __func__, "x or point");
    const int n_rot = dim == 2 ? 1 : 3;
    int moving = 0; /* modes that move the point */
    phx_status status = modal_data_check_finite(context, "the place of a point", (size_t)dim, x);
    if (status == PHX_OK)
        status = modal_data_check_finite(context, "the displacements of a point", (size_t)(modes * dim), translation);
    if (status == PHX_OK)
        status = modal_data_check_finite(context, "the rotations of a point", (size_t)(modes * n_rot), rotation);
    if (status == PHX_OK)
        status = phx_flex_point_allocate(context, dim, modes, point);
    if (status != PHX_OK)
        return status;
    memcpy(point->x, x, (size_t)dim * sizeof *x);
    for (int pass = 0; pass < 2; pass++) {
        const int n = moving;
        moving = 0;
        for (int k = 0; k < modes; k++) {
            bool moves = false;
            for (int a = 0; a < dim && translation; a++)
                moves = moves || translation[k * dim + a] != 0.0;
            for (int a = 0; a < n_rot && rotation; a++)
                moves = moves || rotation[k * n_rot + a] != 0.0;
            if (!moves)
                continue;
            for (int a = 0; a < dim && pass && translation; a++)
                point->phi[a * n + moving] = translation[k * dim + a];
            for (int a = 0; a < n_rot && pass && rotation; a++)
                point->theta[a * n + moving] = rotation[k * n_rot + a];
            point->dof[moving++] = k;
        }
    }
    point->n = moving;
    return PHX_OK;
}
