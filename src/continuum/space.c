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

static void space_put(triplets *list_of, int row, int col, double value)
{
    list_of->row[list_of->count] = row;
    list_of->col[list_of->count] = col;
    list_of->val[list_of->count++] = value;
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

/* Builds u = T y: free unknowns as they are, tied ones by the motions of their interface, held ones absent. Fails if
 * rigid interfaces share a node. */
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
    space->unknown = phx_calloc(context, (size_t)model->n + 6 * (size_t)n_interfaces + 1, sizeof *space->unknown);
    if (!t.row || !t.col || !t.val || !space->unknown)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < model->n && !status; k++) {
        const int j = elastic_part_unknown(&space->part, k);
        if (tied[j] || (held && held[j]))
            continue;
        space->first += k < space->part.first;
        space->n += k >= space->part.first && k < space->part.end;
        space->unknown[space->n_all] = j;
        space_put(&t, j, space->n_all++, 1.0);
    }
    for (int k = 0; k < 6 * n_interfaces && !status; k++)
        space->unknown[space->n_all + k] = -1;
    for (int i = 0; i < n_interfaces && !status; i++) {
        double motion[6];
        space->tie[i] = interfaces[i].n_tied ? space->n_all : -1;
        for (int c = 0; interfaces[i].n_tied && tie_motion(&interfaces[i], c, motion);
             c++, space->ties[i]++, space->n_all++, space->n_ties++)
            for (int k = 0; k < interfaces[i].n_tied; k++) {
                const int j = interfaces[i].tied[k];
                double value = 0.0;
                for (int m = 0; m < 6; m++)
                    value += motion[m] != 0.0 ? motion[m] * phx_elastic_rigid_about(model, j, m, interfaces[i].x) : 0.0;
                if (value != 0.0 && !(held && held[j]))
                    space_put(&t, j, space->n_all, value);
            }
    }
    if (space->part.end == model->n)
        space->n += space->n_ties;
    if (!status)
        status = phx_csr_from_triplets(context, model->n, space->n_all, t.count, t.row, t.col, t.val, &space->T);
    phx_free(tied);
    phx_free(t.row);
    phx_free(t.col);
    phx_free(t.val);
    return status;
}

/* Coordinates of interfaces that no unknown follows. Those that move only together with others are an error. */
static phx_status find_empty(phx_context *context, elastic_space *space, const phx_interface *interfaces)
{
    static const double DEPENDENT = 1e-12; /* eigenvalue of motions of length 1 */
    static const char *const motion[] = {"displacement along x", "displacement along y", "displacement along z",
                                         "rotation about x",     "rotation about y",     "rotation about z"};
    phx_status status = PHX_OK;

    space->empty = phx_calloc(context, (size_t)space->n_all + 1, sizeof *space->empty);
    if (!space->empty)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < space->n_all; j++)
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
        if (!status && values[0] < DEPENDENT) {
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
static phx_status space_make_rows(phx_context *context, elastic_space *space, const phx_interface *interfaces)
{
    phx_status status = PHX_OK;

    for (int i = 0; i < space->n_interfaces && !status; i++) {
        const phx_interface *interface = &interfaces[i];
        if (!interface->n_tied) {
            status = phx_csr_multiply(context, &interface->rows, &space->T, &space->rows[i]);
            continue;
        }
        const size_t most = 36 + 3 * (size_t)interface->n_turning;
        triplets t = {.row = phx_calloc(context, most, sizeof *t.row),
                      .col = phx_calloc(context, most, sizeof *t.col),
                      .val = phx_calloc(context, most, sizeof *t.val)};
        double motion[6], sum = 0.0;
        if (!t.row || !t.col || !t.val)
            status = PHX_ERR_MEMORY;
        for (int c = 0; c < space->ties[i] && !status && tie_motion(interface, c, motion); c++)
            for (int m = 0; m < 6; m++)
                if (motion[m] != 0.0)
                    space_put(&t, m, space->tie[i] + c, motion[m]);
        for (int pass = 0; pass < 2 && !status; pass++)
            for (int k = 0; k < interface->n_turning; k++) {
                double slope = 0.0;
                for (int a = 0; a < 3; a++)
                    slope += interface->axis[a] *
                             phx_elastic_rigid_about(space->model, interface->turning[k], 3 + a, interface->x);
                if (!pass)
                    sum += slope * slope;
                else
                    for (int a = 0; a < 3 && slope != 0.0; a++) /* a slope is a coordinate of its own */
                        if (interface->axis[a] != 0.0)
                            space_put(&t, 3 + a, space->T.idx[space->T.ptr[interface->turning[k]]],
                                      interface->axis[a] * slope / sum);
            }
        if (!status)
            status = phx_csr_from_triplets(context, 6, space->n_all, t.count, t.row, t.col, t.val, &space->rows[i]);
        phx_free(t.row);
        phx_free(t.col);
        phx_free(t.val);
    }
    return status;
}

/* Of all columns those of this process. */
static phx_status own_columns(phx_context *context, elastic_space *space)
{
    phx_status status = PHX_OK;

    space->moves = phx_calloc(context, 6 * (size_t)space->n_interfaces + 1, sizeof *space->moves);
    if (!space->moves)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < space->n_interfaces && !status; i++) {
        phx_csr *rows = &space->rows[i];
        int used = 0;
        for (int c = 0, at = 0; c < 6; c++) {
            const int end = rows->ptr[c + 1];
            space->moves[6 * i + c] = end > at;
            for (; at < end; at++) {
                const int own = rows->idx[at] - space->first;
                if (own < 0 || own >= space->n)
                    continue;
                rows->idx[used] = own;
                rows->val[used++] = rows->val[at];
            }
            rows->ptr[c + 1] = used;
        }
        rows->cols = space->n;
    }
    return status;
}

/* Three coordinates of a node, or of an interface. */
static bool is_node(const elastic_space *space, const int *coordinate)
{
    const phx_elastic_model *model = space->model;
    const int *j = space->unknown + space->first + coordinate[0];

    if (coordinate[2] != coordinate[0] + 2)
        return false;
    if (j[0] < 0)
        return true; /* the last ones, and all of an interface is kept or none of it */
    for (int k = 0; k < 3; k++)
        if (j[k] < 0 || model->node[j[k]] != model->node[j[0]] || model->component[j[k]] != k)
            return false;
    return true;
}

int elastic_space_block(const elastic_space *space, int n, const int *coordinate)
{
    double broken = n % 3 != 0;

    for (int i = 0; i < n && broken == 0.0; i += 3)
        broken = !is_node(space, coordinate + i);
    phx_ranks_most(space->part.ranks, 1, &broken);
    return broken == 0.0 ? 3 : 1;
}

/* ---- products ---- */
static phx_status space_multiply(const elastic_space *space, const phx_csr *A, phx_ranks_matrix *A_rows, int rows,
                                 const double *x, double *y)
{
    const size_t n = (size_t)space->n;
    phx_status status = PHX_OK;

    if (!A_rows)
        memset(y, 0, (size_t)rows * n * sizeof *y);
    for (size_t r = 0; r < (size_t)rows && !status; r++)
        if (A_rows)
            status = phx_ranks_matrix_apply(A_rows, x + r * n, y + r * n);
        else
            phx_csr_apply(A, 1.0, x + r * n, y + r * n);
    return status;
}

phx_status elastic_space_mass(const elastic_space *space, int rows, const double *x, double *y)
{
    return space_multiply(space, &space->M, space->M_rows, rows, x, y);
}

phx_status elastic_space_stiffness(const elastic_space *space, int rows, const double *x, double *y)
{
    return space_multiply(space, &space->K, space->K_rows, rows, x, y);
}

void elastic_space_motion(const elastic_space *space, int i, const double *y, double motion[6])
{
    memset(motion, 0, 6 * sizeof *motion);
    phx_csr_apply(&space->rows[i], 1.0, y, motion);
    elastic_space_sum(space, 6, motion);
}

phx_status elastic_space_load(phx_context *context, const elastic_space *space, const double *load, double *f)
{
    double *all = phx_calloc(context, (size_t)space->n_all + 1, sizeof *all);

    if (!all)
        return PHX_ERR_MEMORY;
    phx_csr_apply_transposed(&space->T, 1.0, load, all);
    memcpy(f, all + space->first, (size_t)space->n * sizeof *f);
    phx_free(all);
    return PHX_OK;
}

/* Unknowns u = T y of this process; the motions of tied interfaces are summed over all processes. */
phx_status elastic_space_unknowns(phx_context *context, const elastic_space *space, const double *y, double *u)
{
    const elastic_part *part = &space->part;
    const int first_tie = space->n_all - space->n_ties;
    double *ties = phx_calloc(context, (size_t)space->n_ties + 1, sizeof *ties);

    if (!ties)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < space->n_ties && first_tie - space->first < space->n; c++)
        ties[c] = y[first_tie + c - space->first];
    elastic_space_sum(space, (size_t)space->n_ties, ties);
    for (int k = part->first; k < part->end; k++) {
        const int j = elastic_part_unknown(part, k);
        double sum = 0.0;
        for (int e = space->T.ptr[j]; e < space->T.ptr[j + 1]; e++) {
            const int c = space->T.idx[e];
            sum += space->T.val[e] * (c < first_tie ? y[c - space->first] : ties[c - first_tie]);
        }
        u[k - part->first] = sum;
    }
    phx_free(ties);
    return PHX_OK;
}

/* ---- rigid motions ---- */
/* y of a rigid motion of the model, a combination a of its six. Coordinates of T y = u: kept unknowns are u itself. */
static void rigid_coordinates(const elastic_space *space, const phx_interface *interfaces, const double a[6], double *y)
{
    const elastic_part *part = &space->part;
    const size_t n = (size_t)part->own.n;

    for (int j = 0; j < part->own.n; j++) {
        const int unknown = elastic_part_unknown(part, part->first + j), e = space->T.ptr[unknown];
        double u = 0.0;
        if (space->T.ptr[unknown + 1] != e + 1 || space->T.val[e] != 1.0)
            continue; /* tied or held; a tied unknown with a single unit entry says the same again */
        const int own = space->T.idx[e] - space->first;
        if (own < 0 || own >= space->n)
            continue; /* of an interface */
        for (int k = 0; k < 6; k++)
            u += a[k] * part->own.rigid[(size_t)k * n + (size_t)j];
        y[own] = u;
    }
    for (int i = 0; i < space->n_interfaces; i++) {
        double own[6], motion[6];
        if (space->tie[i] < space->first || space->tie[i] >= space->first + space->n)
            continue;
        phx_rot_x_vec(3, a + 3, interfaces[i].x, own);
        for (int c = 0; c < 3; c++) {
            own[c] += a[c];
            own[3 + c] = a[3 + c];
        }
        for (int c = 0; c < space->ties[i] && tie_motion(&interfaces[i], c, motion);
             c++) { /* unit motions: projections */
            double *amount = &y[space->tie[i] - space->first + c];
            *amount = 0.0;
            for (int m = 0; m < 6; m++)
                *amount += motion[m] * own[m];
        }
    }
}

/* Combinations of the six rigid motions that move nothing that is held: columns of a 6 x n_rigid. The rotations are
 * those about the origin with a length that makes them comparable. */
static phx_status free_combinations(phx_context *context, const phx_elastic_model *model, const unsigned char *held,
                                    double a[36], int *count)
{
    static const double ROUNDING = 1e-20; /* square of what a motion of n unknowns moves, over n^2 */
    static const double UNMOVED = 1e-12;  /* the same, relative to the largest */
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
        if (values[k] <= ROUNDING * (double)n * (double)n + UNMOVED * most) {
            for (int l = 0; l < 6; l++)
                a[6 * *count + l] = vectors[6 * l + k] / size[l];
            ++*count;
        }
    return status;
}

/* Rigid motions that the held unknowns allow, orthonormal in M, and their products with M. */
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
        status = elastic_space_mass(space, r, space->rigid, space->M_rigid);
        if (status)
            return status;
        phx_dense_multiply(false, true, r, r, space->n, 1.0, space->rigid, space->n, space->M_rigid, space->n, 0.0,
                           gram, r);
        elastic_space_sum(space, (size_t)(r * r), gram);
        status = phx_dense_cholesky(context, r, gram);
        if (status)
            return phx_fail_prefix(context, status, "mass of the body as a rigid one: ");
        phx_dense_triangle_solve(false, r, gram, space->n, space->rigid); /* rows are motions: L^-1 R */
    }
    return elastic_space_mass(space, r, space->rigid, space->M_rigid);
}

/* For multigrid: the six motions of the nodes, whether something is held or not. */
static phx_status make_near(phx_context *context, elastic_space *space, const phx_interface *interfaces)
{
    if (!space->part.ranks || phx_ranks_get_method(space->part.ranks) != PHX_RANKS_GAMG)
        return PHX_OK;
    space->near = phx_calloc(context, 6 * (size_t)space->n + 1, sizeof *space->near);
    for (int k = 0; k < 6 && space->near; k++) {
        const double unit[6] = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
        rigid_coordinates(space, interfaces, unit, space->near + (size_t)k * (size_t)space->n);
    }
    return space->near ? PHX_OK : PHX_ERR_MEMORY;
}

void elastic_space_project(const elastic_space *space, int count, int n, const double *a, const double *b, double *x)
{
    for (int k = 0; k < count; k++, a += n, b += n) {
        double part = 0.0;
        for (int i = 0; i < n; i++)
            part += b[i] * x[i];
        elastic_space_sum(space, 1, &part);
        for (int i = 0; i < n; i++)
            x[i] -= part * a[i];
    }
}

void elastic_space_remove_rigid(const elastic_space *space, double *x)
{
    elastic_space_project(space, space->n_rigid, space->n, space->rigid, space->M_rigid, x);
}

/* ---- life ---- */
/* Rows of this process, of all of them or alone, to a distributed matrix. */
static phx_status distribute(phx_context *context, const elastic_space *space, int block, phx_csr *from,
                             phx_ranks_matrix **to)
{
    phx_csr rows = *from;
    phx_status status = PHX_OK;

    if (rows.rows > space->n) {
        rows.rows = space->n;
        rows.ptr = from->ptr + space->first;
    }
    if (!status)
        status = phx_ranks_matrix_create(context, space->part.ranks, &rows, block, to);
    phx_csr_free(from);
    return status;
}

/* M and K: of one process the congruences of the model's, of several their rows. */
static phx_status make_matrices(phx_context *context, elastic_space *space)
{
    const phx_ranks *ranks = space->part.ranks;
    const phx_elastic_model *model = space->model;
    phx_status status = PHX_OK;

    if (ranks && model->n_elements > 0) {
        status = elastic_assemble_rows(context, model, &space->T, space->first, space->first + space->n, &space->M,
                                       &space->K);
    } else {
        status = phx_csr_congruence(context, &space->T, &model->M, &space->T, &space->M);
        if (!status)
            status = phx_csr_congruence(context, &space->T, &model->K, &space->T, &space->K);
    }
    if (!ranks)
        return status;
    int *all = phx_calloc(context, (size_t)space->n + 1, sizeof *all);
    status = phx_ranks_agree(context, ranks, all ? status : PHX_ERR_MEMORY);
    for (int i = 0; i < space->n && !status; i++)
        all[i] = i;
    const int block = status ? 1 : elastic_space_block(space, space->n, all);
    phx_free(all);
    if (!status)
        status = distribute(context, space, block, &space->K, &space->K_rows);
    if (!status)
        status = distribute(context, space, block, &space->M, &space->M_rows);
    return status;
}

/* Creates the space of a body with tied interfaces; to be freed with elastic_space_free also after an error. */
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
        status = elastic_part_create(context, model, &space->part);
    if (!status)
        status = make_T(context, space, held, n_interfaces, interfaces);
    if (!status)
        status = find_empty(context, space, interfaces);
    if (!status)
        status = make_matrices(context, space);
    if (!status)
        status = space_make_rows(context, space, interfaces);
    if (!status)
        status = own_columns(context, space);
    if (!status)
        status = make_rigid(context, space, held, interfaces);
    if (!status)
        status = make_near(context, space, interfaces);
    return status;
}

void elastic_space_free_matrices(elastic_space *space)
{
    phx_ranks_matrix_destroy(space->M_rows);
    phx_ranks_matrix_destroy(space->K_rows);
    space->M_rows = space->K_rows = NULL;
}

/* Frees a space and leaves it empty. */
void elastic_space_free(elastic_space *space)
{
    for (int i = 0; i < space->n_interfaces; i++)
        phx_csr_free(&space->rows[i]);
    phx_free(space->rows);
    phx_free(space->moves);
    phx_free(space->near);
    elastic_space_free_matrices(space);
    elastic_part_free(&space->part);
    phx_free(space->tie);
    phx_free(space->ties);
    phx_free(space->unknown);
    phx_free(space->empty);
    phx_free(space->rigid);
    phx_free(space->M_rigid);
    phx_csr_free(&space->T);
    phx_csr_free(&space->M);
    phx_csr_free(&space->K);
    memset(space, 0, sizeof *space);
}
