/* The space of a body whose rigid interfaces are tied: u = T y. */
#include "basis.h"

#include <math.h>
#include <string.h>

/* ---- u = T y ---- */
typedef struct triplets {
    size_t count;
    int *row, *col;
    double *val;
} triplets;

static void put(triplets *it, int row, int col, double value)
{
    it->row[it->count] = row;
    it->col[it->count] = col;
    it->val[it->count++] = value;
}

/* Coordinate c of an interface as a rigid motion about its place: displacement, rotation. A hinged edge turns about two
 * axes across it. Returns false behind the last. */
static bool tie_motion(const phx_interface *interface, int c, double motion[6])
{
    const double *axis = interface->axis;
    const bool hinged = interface->n_turning > 0;

    memset(motion, 0, 6 * sizeof *motion);
    if (c >= (hinged ? 5 : 6))
        return false;
    if (c < 3 || !hinged) {
        motion[c] = 1.0;
        return true;
    }
    const int least = fabs(axis[0]) <= fabs(axis[1]) && fabs(axis[0]) <= fabs(axis[2]) ? 0
                      : fabs(axis[1]) <= fabs(axis[2])                                 ? 1
                                                                                       : 2;
    const double other[3] = {least == 0, least == 1, least == 2};
    double across[3], length = 0.0;
    phx_rot_x_vec(3, axis, other, across);
    if (c == 4)
        phx_rot_x_vec(3, axis, across, motion + 3);
    else
        memcpy(motion + 3, across, sizeof across);
    for (int a = 3; a < 6; a++)
        length += motion[a] * motion[a];
    for (int a = 3; a < 6; a++)
        motion[a] /= sqrt(length);
    return true;
}

static phx_status make_T(phx_context *context, elastic_space *space, const unsigned char *held, int n_interfaces,
                         const phx_interface *interfaces)
{
    const phx_elastic_model *model = space->model;
    size_t most = (size_t)model->n;
    int *tied = phx_calloc(context, (size_t)model->n + 1, sizeof *tied); /* interface + 1 */
    triplets t = {0};
    phx_status status = tied ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < n_interfaces && !status; i++) {
        for (int k = 0; k < interfaces[i].n_tied && !status; k++) {
            int *mine = &tied[interfaces[i].tied[k]];
            if (*mine)
                status = phx_fail(context, PHX_ERR_ARGUMENT,
                                  "'%s' and '%s' share a node; rigid interfaces must not touch: make one of them "
                                  "'average'",
                                  interfaces[*mine - 1].name, interfaces[i].name);
            *mine = i + 1;
        }
        most += 6 * (size_t)interfaces[i].n_tied; /* at most */
    }
    t.row = phx_calloc(context, most, sizeof *t.row);
    t.col = phx_calloc(context, most, sizeof *t.col);
    t.val = phx_calloc(context, most, sizeof *t.val);
    if (!t.row || !t.col || !t.val)
        status = PHX_ERR_MEMORY;
    for (int j = 0; j < model->n && !status; j++)
        if (!tied[j] && !(held && held[j]))
            put(&t, j, space->n++, 1.0);
    for (int i = 0; i < n_interfaces && !status; i++) {
        double motion[6];
        space->tie[i] = interfaces[i].n_tied ? space->n : -1;
        for (int c = 0; interfaces[i].n_tied && tie_motion(&interfaces[i], c, motion);
             c++, space->ties[i]++, space->n++)
            for (int k = 0; k < interfaces[i].n_tied; k++) {
                const int j = interfaces[i].tied[k];
                double value = 0.0;
                for (int m = 0; m < 6; m++)
                    value += motion[m] != 0.0 ? motion[m] * phx_elastic_rigid_about(model, j, m, interfaces[i].x) : 0.0;
                if (value != 0.0 && !(held && held[j]))
                    put(&t, j, space->n, value);
            }
    }
    if (!status)
        status = phx_csr_from_triplets(context, model->n, space->n, t.count, t.row, t.col, t.val, &space->T);
    phx_free(tied);
    phx_free(t.row);
    phx_free(t.col);
    phx_free(t.val);
    return status;
}

/* Coordinates of interfaces that no unknown follows. Those that move only together with others are an error. */
static phx_status find_empty(phx_context *context, elastic_space *space, const phx_interface *interfaces)
{
    static const char *const motion[] = {"displacement along x", "displacement along y", "displacement along z",
                                         "rotation about x",     "rotation about y",     "rotation about z"};
    phx_status status = PHX_OK;

    space->empty = phx_calloc(context, (size_t)space->n + 1, sizeof *space->empty);
    if (!space->empty)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < space->n; j++)
        space->empty[j] = 1;
    for (int e = 0; e < space->T.ptr[space->T.rows]; e++)
        space->empty[space->T.idx[e]] = 0;
    for (int i = 0; i < space->n_interfaces && !status; i++) {
        double gram[36] = {0}, size[6], values[6], vectors[36];
        const int first = space->tie[i];
        for (int k = 0; k < interfaces[i].n_tied; k++) {
            const int row = interfaces[i].tied[k];
            for (int e = space->T.ptr[row]; e < space->T.ptr[row + 1]; e++)
                for (int f = space->T.ptr[row]; f < space->T.ptr[row + 1]; f++)
                    gram[6 * (space->T.idx[e] - first) + space->T.idx[f] - first] += space->T.val[e] * space->T.val[f];
        }
        for (int k = 0; k < 6; k++)
            size[k] = k < space->ties[i] && !space->empty[first + k] ? sqrt(gram[7 * k]) : 0.0;
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 6; l++)
                gram[6 * k + l] = size[k] > 0.0 && size[l] > 0.0 ? gram[6 * k + l] / (size[k] * size[l]) : k == l;
        status = phx_dense_eigen_symmetric(context, 6, gram, NULL, values, vectors);
        if (!status && values[0] < 1e-12) {
            int most = 0;
            for (int k = 1; k < 6; k++)
                most = fabs(vectors[6 * k]) > fabs(vectors[6 * most]) ? k : most;
            status = phx_fail(context, PHX_ERR_ARGUMENT,
                              "'%s': its nodes leave its %s undetermined, they lie on a line or are one; add nodes off "
                              "the line, or make it 'average' with joints that leave this motion free",
                              interfaces[i].name, motion[most]);
        }
    }
    return status;
}

/* Displacement and rotation of each interface by y: what ties it, and the mean of the slopes about a hinged edge. */
static phx_status make_rows(phx_context *context, elastic_space *space, const phx_interface *interfaces)
{
    phx_status status = PHX_OK;

    for (int i = 0; i < space->n_interfaces && !status; i++) {
        const phx_interface *it = &interfaces[i];
        if (!it->n_tied) {
            status = phx_csr_multiply(context, &it->rows, &space->T, &space->rows[i]);
            continue;
        }
        const size_t most = 36 + 3 * (size_t)it->n_turning;
        triplets t = {.row = phx_calloc(context, most, sizeof *t.row),
                      .col = phx_calloc(context, most, sizeof *t.col),
                      .val = phx_calloc(context, most, sizeof *t.val)};
        double motion[6], sum = 0.0;
        if (!t.row || !t.col || !t.val)
            status = PHX_ERR_MEMORY;
        for (int c = 0; c < space->ties[i] && !status && tie_motion(it, c, motion); c++)
            for (int m = 0; m < 6; m++)
                if (motion[m] != 0.0)
                    put(&t, m, space->tie[i] + c, motion[m]);
        for (int pass = 0; pass < 2 && !status; pass++)
            for (int k = 0; k < it->n_turning; k++) {
                double slope = 0.0;
                for (int a = 0; a < 3; a++)
                    slope += it->axis[a] * phx_elastic_rigid_about(space->model, it->turning[k], 3 + a, it->x);
                if (!pass)
                    sum += slope * slope;
                else
                    for (int a = 0; a < 3 && slope != 0.0; a++) /* a slope is a coordinate of its own */
                        if (it->axis[a] != 0.0)
                            put(&t, 3 + a, space->T.idx[space->T.ptr[it->turning[k]]], it->axis[a] * slope / sum);
            }
        if (!status)
            status = phx_csr_from_triplets(context, 6, space->n, t.count, t.row, t.col, t.val, &space->rows[i]);
        phx_free(t.row);
        phx_free(t.col);
        phx_free(t.val);
    }
    return status;
}

/* ---- rigid motions ---- */
/* y of a rigid motion of the model, a combination a of its six. Coordinates of T y = u: kept unknowns are u itself. */
static void rigid_coordinates(const elastic_space *space, const phx_interface *interfaces, const double a[6], double *y)
{
    const phx_elastic_model *model = space->model;
    const size_t n = (size_t)model->n;

    for (int j = 0; j < model->n; j++) {
        const int e = space->T.ptr[j];
        double u = 0.0;
        if (space->T.ptr[j + 1] != e + 1 || space->T.val[e] != 1.0)
            continue; /* tied or held; a tied unknown with a single unit entry says the same again */
        for (int k = 0; k < 6; k++)
            u += a[k] * model->rigid[(size_t)k * n + (size_t)j];
        y[space->T.idx[e]] = u;
    }
    for (int i = 0; i < space->n_interfaces; i++) {
        double own[6], motion[6];
        if (space->tie[i] < 0)
            continue;
        phx_rot_x_vec(3, a + 3, interfaces[i].x, own);
        for (int c = 0; c < 3; c++) {
            own[c] += a[c];
            own[3 + c] = a[3 + c];
        }
        for (int c = 0; c < space->ties[i] && tie_motion(&interfaces[i], c, motion);
             c++) { /* unit motions: projections */
            double *part = &y[space->tie[i] + c];
            *part = 0.0;
            for (int m = 0; m < 6; m++)
                *part += motion[m] * own[m];
        }
    }
}

/* Combinations of the six rigid motions that move nothing that is held: columns of a 6 x n_rigid. The rotations are
 * those about the origin with a length that makes them comparable. */
static phx_status free_combinations(phx_context *context, const phx_elastic_model *model, const unsigned char *held,
                                    double a[36], int *count)
{
    const size_t n = (size_t)model->n;
    double gram[36] = {0}, values[6], vectors[36], size[6] = {0}, most = 0.0;

    for (int k = 0; k < 6; k++)
        for (int j = 0; j < model->n; j++)
            size[k] = fmax(size[k], fabs(model->rigid[(size_t)k * n + (size_t)j]));
    for (int j = 0; j < model->n && held; j++)
        for (int k = 0; k < 6 && held[j]; k++)
            for (int l = 0; l < 6; l++)
                gram[6 * k + l] += model->rigid[(size_t)k * n + (size_t)j] * model->rigid[(size_t)l * n + (size_t)j] /
                                   (size[k] * size[l]);
    phx_status status = phx_dense_eigen_symmetric(context, 6, gram, NULL, values, vectors);
    for (int k = 0; k < 6; k++)
        most = fmax(most, values[k]);
    *count = 0;
    for (int k = 0; k < 6 && !status; k++)
        if (values[k] <= 1e-20 * (double)n * (double)n + 1e-12 * most) {
            for (int l = 0; l < 6; l++)
                a[6 * *count + l] = vectors[6 * l + k] / size[l];
            ++*count;
        }
    return status;
}

static phx_status make_rigid(phx_context *context, elastic_space *space, const unsigned char *held,
                             const phx_interface *interfaces)
{
    const size_t n = (size_t)space->n;
    double a[36], gram[36];
    phx_status status = free_combinations(context, space->model, held, a, &space->n_rigid);
    const int r = space->n_rigid;

    if (status)
        return status;
    space->rigid = phx_calloc(context, (size_t)r * n + 1, sizeof *space->rigid);
    space->M_rigid = phx_calloc(context, (size_t)r * n + 1, sizeof *space->M_rigid);
    if (!space->rigid || !space->M_rigid)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < r; k++)
        rigid_coordinates(space, interfaces, a + 6 * k, space->rigid + (size_t)k * n);
    /* orthonormal in M: R <- R L^-T, R^T M R = L L^T; twice, for rounding */
    for (int pass = 0; pass < 2 && r > 0 && !status; pass++) {
        memset(space->M_rigid, 0, (size_t)r * n * sizeof *space->M_rigid);
        for (int k = 0; k < r; k++)
            phx_csr_apply(&space->M, 1.0, space->rigid + (size_t)k * n, space->M_rigid + (size_t)k * n);
        phx_dense_multiply(false, true, r, r, space->n, 1.0, space->rigid, space->n, space->M_rigid, space->n, 0.0,
                           gram, r);
        status = phx_dense_cholesky(context, r, gram);
        if (status)
            return phx_fail_prefix(context, status, "mass of the body as a rigid one: ");
        phx_dense_triangle_solve(false, r, gram, space->n, space->rigid); /* rows are motions: L^-1 R */
    }
    memset(space->M_rigid, 0, (size_t)r * n * sizeof *space->M_rigid);
    for (int k = 0; k < r; k++)
        phx_csr_apply(&space->M, 1.0, space->rigid + (size_t)k * n, space->M_rigid + (size_t)k * n);
    return PHX_OK;
}

void elastic_space_remove_rigid(const elastic_space *space, double *x)
{
    const size_t n = (size_t)space->n;

    for (int k = 0; k < space->n_rigid; k++) {
        const double *r = space->rigid + (size_t)k * n, *Mr = space->M_rigid + (size_t)k * n;
        double part = 0.0;
        for (size_t i = 0; i < n; i++)
            part += Mr[i] * x[i];
        for (size_t i = 0; i < n; i++)
            x[i] -= part * r[i];
    }
}

/* ---- life ---- */
phx_status elastic_space_create(phx_context *context, const phx_elastic_model *model, const unsigned char *held,
                                int n_interfaces, const phx_interface *interfaces, elastic_space *space)
{
    memset(space, 0, sizeof *space);
    space->model = model;
    space->tie = phx_calloc(context, (size_t)n_interfaces + 1, sizeof *space->tie);
    space->ties = phx_calloc(context, (size_t)n_interfaces + 1, sizeof *space->ties);
    space->rows = phx_calloc(context, (size_t)n_interfaces + 1, sizeof *space->rows);
    phx_status status = space->tie && space->ties && space->rows ? PHX_OK : PHX_ERR_MEMORY;
    space->n_interfaces = status ? 0 : n_interfaces;
    if (!status)
        status = make_T(context, space, held, n_interfaces, interfaces);
    if (!status)
        status = find_empty(context, space, interfaces);
    if (!status)
        status = phx_csr_congruence(context, &space->T, &model->M, &space->T, &space->M);
    if (!status)
        status = phx_csr_congruence(context, &space->T, &model->K, &space->T, &space->K);
    if (!status)
        status = make_rows(context, space, interfaces);
    if (!status)
        status = make_rigid(context, space, held, interfaces);
    return status;
}

void elastic_space_free(elastic_space *space)
{
    for (int i = 0; i < space->n_interfaces; i++)
        phx_csr_free(&space->rows[i]);
    phx_free(space->rows);
    phx_free(space->tie);
    phx_free(space->ties);
    phx_free(space->empty);
    phx_free(space->rigid);
    phx_free(space->M_rigid);
    phx_csr_free(&space->T);
    phx_csr_free(&space->M);
    phx_csr_free(&space->K);
    memset(space, 0, sizeof *space);
}
