/* Matrices of the linearised system about a configuration at rest or in steady rotation, drives locked. */
#include "system/system_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Frees the matrices of a linear model and leaves it empty; NULL is allowed. */
void phx_linear_free(phx_linear *linear)
{
    if (!linear)
        return;
    phx_csr_free(&linear->M);
    phx_csr_free(&linear->D);
    phx_csr_free(&linear->K);
    phx_csr_free(&linear->G);
    phx_csr_free(&linear->root);
    phx_csr_free(&linear->rest);
    phx_csr_free(&linear->damping_root);
    phx_csr_free(&linear->damping_rest);
    phx_csr_free(&linear->rigid);
    memset(linear, 0, sizeof *linear);
}

/* Entries of a matrix, in any order; those at one place add up. */
typedef struct entries {
    int *row, *col;
    double *val;
    size_t count;
} entries;

static phx_status entries_create(phx_context *context, size_t room, entries *made)
{
    *made = (entries){.row = phx_calloc(context, room, sizeof *made->row),
                      .col = phx_calloc(context, room, sizeof *made->col),
                      .val = phx_calloc(context, room, sizeof *made->val)};
    return made->row && made->col && made->val ? PHX_OK : PHX_ERR_MEMORY;
}

static void entries_put(entries *list, int row, int col, double value)
{
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->val[list->count++] = value;
}

/* The matrix of the entries, which are freed; `status`: so far. */
static phx_status entries_finish(phx_context *context, phx_status status, int rows, int cols, entries *list,
                                 phx_csr *matrix)
{
    if (!status)
        status = phx_csr_from_triplets(context, rows, cols, list->count, list->row, list->col, list->val, matrix);
    phx_free(list->row);
    phx_free(list->col);
    phx_free(list->val);
    return status;
}

/* Block (rows r0.., columns c0..) of an array on the kkt pattern, zeros dropped but the diagonal kept. */
static phx_status block(phx_context *context, const kkt_matrix *kkt, const double *val, int r0, int rows, int cols,
                        phx_csr *out)
{
    entries list;
    size_t room = 0;

    for (int i = r0; i < r0 + rows; i++)
        room += (size_t)(kkt->ptr[i + 1] - kkt->ptr[i]);
    const phx_status status = entries_create(context, room, &list);
    for (int i = r0; i < r0 + rows && !status; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            if (kkt->idx[k] < cols && (val[k] != 0.0 || kkt->idx[k] == i))
                entries_put(&list, i - r0, kkt->idx[k], val[k]);
    return entries_finish(context, status, rows, cols, &list, out);
}

/* Whether the stiffness of a force, if it has one, is a row of spring_row. */
static bool has_root(const phx_system *system, const force_slot *force)
{
    if (force->kind == FORCE_LINE)
        return !force->spring.law;
    if (force->kind == FORCE_COORDINATE)
        return phx_scalar_force_is_linear(&system->joints[force->joint].coordinates[force->coordinate].along);
    return force->kind == FORCE_PORT;
}

/* Returns true if K is exactly root^T root at x: no gravity, no efforts on ports, no controllers, and only forces and
 * deformations whose stiffness has a root. */
static bool root_is_exact(const workspace *ws, const double *x)
{
    const phx_system *system = ws->system;

    if (system->control.n > 0) /* their efforts turn with the ports */
        return false;
    for (int a = 0; a < system->dim; a++)
        if (system->gravity[a] != 0.0)
            return false;
    for (int i = 0; i < system->n_ports * PHX_PORT_MAX; i++)
        if (ws->ports.effort[i] != 0.0)
            return false;
    for (int i = 0; i < system->n_forces; i++)
        if (!system->forces[i].off && !has_root(system, &system->forces[i]))
            return false;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const double *q = phx_sys_q(slot, x);
        if (phx_body_deforms(slot->body) && !phx_body_elastic_root(slot->body))
            return false;
        for (int i = 0; i < phx_body_n_q(slot->body) && phx_body_strains(slot->body) > 0; i++)
            if (q[i] != 0.0)
                return false;
    }
    return true;
}

/* Distance of the ports of a force. */
static double length_between(const workspace *ws, const force_slot *force)
{
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];
    double square = 0.0;

    for (int i = 0; i < ws->system->dim; i++)
        square += (b->um[i] - a->um[i]) * (b->um[i] - a->um[i]);
    return sqrt(square);
}

/* Number of rows of a spring: one, or where its ports coincide, so that it pulls in all directions, one along each. */
static int spring_rows(const workspace *ws, const force_slot *force)
{
    return force->kind == FORCE_LINE && !(length_between(ws, force) > 0.0) ? ws->system->dim : 1;
}

/* Row sqrt(k) g P of a spring along a line, along `axis` where its ports coincide, or along a coordinate. */
static void spring_row(const workspace *ws, const force_slot *force, int axis, int row, entries *out)
{
    const phx_system *system = ws->system;
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];
    double g[PAIR_SIZE] = {0}, k = 0.0;

    if (force->kind == FORCE_COORDINATE) {
        const coordinate_slot *coordinate = &system->joints[force->joint].coordinates[force->coordinate];
        phx_row_covectors(&coordinate->row, a, b, g, g + PHX_PORT_MAX);
        k = coordinate->along.stiffness;
    } else if (force->kind == FORCE_LINE) {
        const double length = length_between(ws, force);
        for (int i = 0; i < system->dim; i++) {
            g[PHX_PORT_MAX + i] = length > 0.0 ? (b->um[i] - a->um[i]) / length : i == axis;
            g[i] = -g[PHX_PORT_MAX + i];
        }
        k = force->spring.stiffness;
    }
    for (int side = 0; side < 2 && k > 0.0; side++) {
        const phx_port_id id = side ? force->b : force->a;
        phx_sys_pull(ws, id, g + side * PHX_PORT_MAX, ws->scratch.block);
        for (int c = 0; c < ws->ports.count[id]; c++)
            entries_put(out, row, ws->ports.cols[ws->ports.first[id] + c], sqrt(k) * ws->scratch.block[c]);
    }
}

/* Stacked L2^-1 D of the bodies and, with `springs`, the rows of each spring. */
static phx_status make_root(const workspace *ws, bool springs, phx_csr *root)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    const int rigid = system->dim + system->n_rot;
    entries out;
    size_t room = 0;
    int rows = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const phx_csr *own = phx_body_elastic_root(system->bodies[b].body);
        room += own ? (size_t)own->ptr[own->rows] : 0;
    }
    for (int i = 0; i < system->n_forces; i++)
        room += system->forces[i].b < 0
                    ? 0
                    : (size_t)(spring_rows(ws, &system->forces[i]) *
                               (ws->ports.count[system->forces[i].a] + ws->ports.count[system->forces[i].b]));
    const phx_status status = entries_create(context, room, &out);
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const phx_csr *own = phx_body_elastic_root(system->bodies[b].body);
        for (int i = 0; own && i < own->rows; i++, rows++)
            for (int k = own->ptr[i]; k < own->ptr[i + 1]; k++)
                entries_put(&out, rows, system->bodies[b].v + rigid + own->idx[k], own->val[k]);
    }
    for (int i = 0; i < system->n_forces && springs && !status; i++)
        if (system->forces[i].b >= 0 && !system->forces[i].off)
            for (int axis = 0; axis < spring_rows(ws, &system->forces[i]); axis++)
                spring_row(ws, &system->forces[i], axis, rows++, &out);
    return entries_finish(context, status, rows, system->n_v, &out, root);
}

/* K less the bodies' own elasticity, which the root stands for: gravity, loads, springs, multipliers, stiffening. */
static phx_status make_rest(workspace *ws, phx_csr *rest)
{
    const phx_system *system = ws->system;

    for (int b = 0; b < system->n_bodies; b++) {
        const phx_body *body = system->bodies[b].body;
        const int rigid = system->dim + system->n_rot, *ptr = NULL, *idx = NULL;
        phx_csr K;
        if (!phx_body_stiffness(body, &K))
            continue;
        phx_body_pattern(body, &ptr, &idx);
        for (int i = 0; i < K.rows; i++)
            for (int k = ptr[rigid + i], f = K.ptr[i]; k < ptr[rigid + i + 1]; k++)
                if (f < K.ptr[i + 1] && idx[k] == rigid + K.idx[f])
                    ws->values.K[ws->kkt.body_at[b][k]] -= K.val[f++];
    }
    return block(ws->base.context, &ws->kkt, ws->values.K, 0, ws->kkt.n_v, ws->kkt.n_v, rest);
}

/* factor times the rows of a body's matrix over its deformations. */
static void linear_put_rows(const phx_csr *own, double factor, int column, int *rows, entries *out)
{
    for (int i = 0; i < own->rows; i++, ++*rows)
        for (int k = own->ptr[i]; k < own->ptr[i + 1]; k++)
            entries_put(out, *rows, column + own->idx[k], factor * own->val[k]);
}

/* Subtracts from ws->values.D the part of body b that has a root. */
static phx_status leave_rest(workspace *ws, int b)
{
    const phx_body *body = ws->system->bodies[b].body;
    const int *ptr = NULL, *idx = NULL, *at = ws->kkt.body_at[b];

    phx_body_pattern(body, &ptr, &idx);
    const int nnz = ptr[phx_body_n_v(body)];
    double *own = phx_calloc(ws->base.context, (size_t)nnz, sizeof *own);
    if (!own)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < nnz; k++)
        own[k] = ws->values.D[at[k]];
    phx_body_subtract_rooted_damping(body, own);
    for (int k = 0; k < nnz; k++)
        ws->values.D[at[k]] = own[k];
    phx_free(own);
    return PHX_OK;
}

/* Root of the damping matrix: sqrt(beta) B and W of the bodies that have them, stacked. The rest of D stays in
 * ws->values.D. */
static phx_status make_damping_root(workspace *ws, phx_csr *root)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    entries out;
    size_t room = 0;
    int rows = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const phx_csr *B = phx_body_elastic_root(system->bodies[b].body), *W;
        double beta;
        phx_body_damping_roots(system->bodies[b].body, &beta, &W);
        room += (beta > 0.0 ? (size_t)B->ptr[B->rows] : 0) + (W->rows > 0 ? (size_t)W->ptr[W->rows] : 0);
    }
    if (room == 0)
        return PHX_OK;
    phx_status status = entries_create(context, room, &out);
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const phx_body *body = system->bodies[b].body;
        const int column = system->bodies[b].v + system->dim + system->n_rot;
        const phx_csr *W;
        double beta;
        phx_body_damping_roots(body, &beta, &W);
        if (beta > 0.0)
            linear_put_rows(phx_body_elastic_root(body), sqrt(beta), column, &rows, &out);
        linear_put_rows(W, 1.0, column, &rows, &out);
        status = leave_rest(ws, b);
    }
    return entries_finish(context, status, rows, system->n_v, &out, root);
}

/* Rows of a matrix must be numbers whose squares are numbers too; `first`: the equation of its first row. */
static phx_status linear_check_finite(const workspace *ws, const phx_csr *matrix, int first)
{
    for (int i = 0; i < matrix->rows; i++)
        for (int k = matrix->ptr[i]; k < matrix->ptr[i + 1]; k++)
            if (!(fabs(matrix->val[k]) <= 1e150))
                return phx_sys_blame_equation(ws, first + i, false);
    return PHX_OK;
}

/* Whether a row of G moves a place along a body. */
static bool moves_place(const workspace *ws, const phx_csr *G, int row)
{
    const phx_system *system = ws->system;

    for (int b = 0; b < system->n_bodies; b++) {
        int v, n = phx_body_places(system->bodies[b].body, NULL, &v);
        for (int k = G->ptr[row]; k < G->ptr[row + 1] && n > 0; k++)
            if (G->idx[k] >= system->bodies[b].v + v && G->idx[k] < system->bodies[b].v + v + n)
                return true;
    }
    return false;
}

/* Places have no mass, and M is singular; M + m G_p^T G_p with the constraints G_p of these places is not. It is as
 * good: no motion that G allows feels the difference. */
static phx_status give_places_mass(const workspace *ws, phx_linear *linear)
{
    const phx_csr *M = &linear->M, *G = &linear->G;
    const double mass = phx_body_at_rest(ws->system->bodies[0].body)->mass;
    size_t count = (size_t)M->ptr[M->rows];
    entries out;
    phx_csr sum = {0};

    for (int r = 0; r < G->rows; r++)
        count += (size_t)(G->ptr[r + 1] - G->ptr[r]) * (size_t)(G->ptr[r + 1] - G->ptr[r]);
    phx_status status = entries_create(ws->base.context, count, &out);
    for (int i = 0; i < M->rows && !status; i++)
        for (int k = M->ptr[i]; k < M->ptr[i + 1]; k++)
            entries_put(&out, i, M->idx[k], M->val[k]);
    for (int r = 0; r < G->rows && !status; r++)
        for (int i = G->ptr[r]; i < G->ptr[r + 1] && moves_place(ws, G, r) &&
                                ws->system->rows.slot[ws->rows.index[r]].role == ROW_CONSTRAINT;
             i++)
            for (int j = G->ptr[r]; j < G->ptr[r + 1]; j++)
                entries_put(&out, G->idx[i], G->idx[j], mass * G->val[i] * G->val[j]);
    status = entries_finish(ws->base.context, status, M->rows, M->cols, &out, &sum);
    if (!status) {
        phx_csr_free(&linear->M);
        linear->M = sum;
    }
    return status;
}

/* Columns for each body: the motions without deformation, by a unit of each velocity of its first frame, and of its
 * places. */
static phx_status rigid_motions(const workspace *ws, const double *x, phx_csr *rigid)
{
    const phx_system *system = ws->system;
    const int n_rigid = system->dim + system->n_rot;
    entries out;
    double *motion = phx_calloc(ws->base.context, (size_t)system->n_v, sizeof *motion);
    size_t room = 0;
    int columns = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const phx_body *body = system->bodies[b].body;
        const phx_body_frame *frames;
        const int n_vectors = phx_body_vectors(body) ? phx_body_n_q(body) : 0;
        room += (size_t)((phx_body_frames(body, &frames) * n_rigid + n_vectors) * n_rigid +
                         phx_body_places(body, NULL, NULL));
    }
    phx_status status = entries_create(ws->base.context, room, &out);
    if (!motion)
        status = PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const body_slot *slot = &system->bodies[b];
        int place, n_places = phx_body_places(slot->body, NULL, &place);
        for (int k = 0; k < n_rigid + n_places; k++, columns++) {
            double twist[6] = {0};
            if (k < n_rigid)
                twist[k] = 1.0;
            phx_body_rigid_motion(slot->body, x + slot->x, twist, motion);
            if (k >= n_rigid)
                motion[place + k - n_rigid] = 1.0;
            for (int i = 0; i < phx_body_n_v(slot->body); i++)
                if (motion[i] != 0.0)
                    entries_put(&out, slot->v + i, columns, motion[i]);
        }
    }
    phx_free(motion);
    return entries_finish(ws->base.context, status, system->n_v, columns, &out, rigid);
}

/* Copies M, D, K and G from the workspace to a linear model, with the roots of stiffness and damping and the rigid
 * motions. *linear is empty after an error. */
phx_status phx_system_take_linear(phx_dae *dae, const double *x, bool exact, phx_linear *linear)
{
    workspace *ws = (workspace *)dae;
    phx_context *context = ws->base.context;
    const int n_v = ws->kkt.n_v;
    phx_status status = block(context, &ws->kkt, ws->values.M, 0, n_v, n_v, &linear->M);

    linear->n = n_v;
    linear->m = ws->rows.n;
    if (!status)
        status = block(context, &ws->kkt, ws->values.D, 0, n_v, n_v, &linear->D);
    if (!status)
        status = block(context, &ws->kkt, ws->values.K, 0, n_v, n_v, &linear->K);
    if (!status)
        status = block(context, &ws->kkt, ws->values.D, n_v, ws->rows.n, n_v, &linear->G);
    if (!status && ws->system->traits.wide)
        status = give_places_mass(ws, linear);
    const phx_csr *const matrices[] = {&linear->M, &linear->D, &linear->K, &linear->G};
    for (int k = 0; k < 4 && !status; k++)
        status = linear_check_finite(ws, matrices[k], k < 3 ? 0 : n_v);
    for (int k = 0; !status && k < linear->D.ptr[n_v]; k++)
        linear->damped = linear->damped || linear->D.val[k] != 0.0;
    linear->has_root = !status && exact && root_is_exact(ws, x);
    if (!status)
        status = make_root(ws, linear->has_root, &linear->root);
    if (!status && !linear->has_root)
        status = make_rest(ws, &linear->rest);
    if (!status)
        status = make_damping_root(ws, &linear->damping_root);
    if (!status && linear->damping_root.rows > 0)
        status = block(context, &ws->kkt, ws->values.D, 0, n_v, n_v, &linear->damping_rest);
    if (!status)
        status = rigid_motions(ws, x, &linear->rigid);
    if (status)
        phx_linear_free(linear);
    return status;
}

/* matrix <- its symmetric part. Away from an equilibrium the derivative of the forces depends on the coordinates that
 * turn with the bodies, by a skew part in proportion to what is out of balance; the symmetric part is the second
 * derivative of the potential along geodesics of the attitudes. */
static phx_status make_symmetric(phx_context *context, phx_csr *matrix)
{
    phx_csr transposed = {0}, sum = {0};
    phx_status status = phx_csr_transpose(context, matrix, &transposed);

    if (!status)
        status = phx_csr_add(context, 0.5, matrix, 0.5, &transposed, &sum);
    phx_csr_free(&transposed);
    if (!status) {
        phx_csr_free(matrix);
        *matrix = sum;
    }
    return status;
}

/* Linear model M xi'' + D xi' + K xi = G^T lambda, G xi' = 0 about the configuration x at rest, theory 7 (1). lambda
 * NULL: multipliers of the rigid equilibrium; controllers are left open. */
phx_status phx_system_linear(phx_dae *dae, double t, const double *x, const double *lambda, phx_linear *linear)
{
    if (!dae || !x || !linear)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x or linear");
    workspace *ws = (workspace *)dae;
    double *at_rest = ws->step.vm, *multipliers = ws->step.lambda;
    phx_status status = PHX_OK;

    memset(linear, 0, sizeof *linear);
    memset(at_rest, 0, (size_t)ws->kkt.n_v * sizeof *at_rest);
    if (lambda)
        memcpy(multipliers, lambda, (size_t)ws->rows.n * sizeof *lambda);
    else
        status = phx_system_locked_accelerations(&ws->base, t, x, at_rest, true, ws->step.v0, multipliers,
                                                 ws->scratch.vector[0]);
    ws->control.open = true;
    if (!status)
        status = dae->ops->linearise(dae, t, x, at_rest, multipliers);
    ws->control.open = false;
    linear->circulatory = !phx_system_has_potential(ws->system, t);
    if (!status)
        status = phx_system_take_linear(dae, x, true, linear);
    if (!status && !linear->circulatory)
        status = make_symmetric(dae->context, &linear->K);
    if (!status && !linear->circulatory && linear->rest.rows > 0)
        status = make_symmetric(dae->context, &linear->rest);
    if (status)
        phx_linear_free(linear);
    return phx_conclude(dae->context, status);
}

/* Name of velocity number k, such as body.rx or body.q3; further frames of a body are numbered from 2. */
void phx_system_coordinate_name(const phx_system *system, int k, char *buffer, size_t size)
{
    static const char *const plane[] = {"rx", "ry", "phi"};
    static const char *const space[] = {"rx", "ry", "rz", "phix", "phiy", "phiz"};
    const phx_body_frame *frames;
    int b = 0, q_v;

    while (b + 1 < system->n_bodies && system->bodies[b + 1].v <= k)
        b++;
    k -= system->bodies[b].v;
    const char *name = phx_body_name(system->bodies[b].body);
    const int rigid = system->dim + system->n_rot, n_frames = phx_body_frames(system->bodies[b].body, &frames);
    const int n_q = phx_body_coordinates(system->bodies[b].body, NULL, &q_v);
    if (k >= q_v && k < q_v + n_q)
        snprintf(buffer, size, "%s.q%d", name, k - q_v + 1);
    int places;
    if (phx_body_places(system->bodies[b].body, NULL, &places) > 0 && k >= places)
        snprintf(buffer, size, "%s.place%d", name, k - places + 1);
    for (int f = 0; f < n_frames; f++) {
        const int i = k - frames[f].v;
        if (i < 0 || i >= rigid)
            continue;
        const char *what = system->dim == 2 ? plane[i] : space[i];
        if (f == 0)
            snprintf(buffer, size, "%s.%s", name, what);
        else
            snprintf(buffer, size, "%s.%d.%s", name, f + 1, what);
    }
}
