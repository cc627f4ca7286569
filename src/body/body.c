/* Creation and plain questions of a floating body. */
#include "body_internal.h"

#include <math.h>
#include <string.h>

phx_body_def phx_body_def_default(void)
{
    return (phx_body_def){.name = "body", .dim = 2, .kinetics = PHX_KINETICS_FULL};
}

int phx_attitude_size(int dim)
{
    return dim == 2 ? 3 : 9;
}

void phx_attitude_set(int dim, const double *rotation, double angle, double *attitude)
{
    if (dim == 2) {
        attitude[0] = cos(angle);
        attitude[1] = sin(angle);
        attitude[2] = angle;
    } else {
        memcpy(attitude, rotation, 9 * sizeof *attitude);
    }
}

const char *phx_body_name(const phx_body *body)
{
    return body->name;
}

int phx_body_n_x(const phx_body *body)
{
    return body->n_x;
}

int phx_body_n_v(const phx_body *body)
{
    return body->n_v;
}

int phx_body_n_q(const phx_body *body)
{
    return body->n_q;
}

const phx_flex *phx_body_flex(const phx_body *body)
{
    return body->flex;
}

bool phx_body_balances(const phx_body *body)
{
    return body->kinetics == PHX_KINETICS_FULL;
}

bool phx_body_is_lossless(const phx_body *body)
{
    return !body->damped && body->kinetics == PHX_KINETICS_FULL;
}

void phx_body_pattern(const phx_body *body, const int **ptr, const int **idx)
{
    *ptr = body->ptr;
    *idx = body->idx;
}

/* Mass, centre and inertia of a rigid body: finite, and such that T > 0 for every motion. */
static phx_status check_rigid(phx_context *context, const char *name, int dim, const phx_rigid_def *rigid)
{
    const double *c = rigid->centre, *I = rigid->inertia;
    double factor[9], sum = 0.0;

    if (!(rigid->mass > 0.0) || !isfinite(rigid->mass))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': mass is %g, must be positive and finite", name,
                        rigid->mass);
    for (int a = 0; a < dim; a++)
        sum += c[a];
    if (!isfinite(sum))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': centre of mass (%g, %g, %g) is not finite", name, c[0],
                        c[1], dim == 3 ? c[2] : 0.0);
    if (dim == 2) {
        if (!(I[0] > 0.0) || !isfinite(I[0]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "body '%s': inertia about the centre of mass is %g, must be positive and finite", name,
                            I[0]);
        return PHX_OK;
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < a; b++)
            if (!(fabs(I[3 * a + b] - I[3 * b + a]) <= 1e-12 * (fabs(I[4 * a]) + fabs(I[4 * b]))))
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "body '%s': inertia must be symmetric, entries %d%d and %d%d are %g and %g", name,
                                a + 1, b + 1, b + 1, a + 1, I[3 * a + b], I[3 * b + a]);
    memcpy(factor, I, sizeof factor);
    if (phx_dense_cholesky(NULL, 3, factor))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "body '%s': inertia about the centre of mass must be positive definite and finite, its "
                        "diagonal is (%g, %g, %g)",
                        name, I[0], I[4], I[8]);
    return PHX_OK;
}

/* Mass properties of a rigid body about the origin P of its frame: s0 = m c, J0 = I_c + m (c.c I - c c^T). */
static phx_status rigid_flex(phx_context *context, int dim, const phx_rigid_def *rigid, phx_flex *flex)
{
    const double *c = rigid->centre;
    double cc = 0.0;

    flex->dim = dim;
    flex->n_rot = dim == 2 ? 1 : 3;
    flex->n_pair = dim == 2 ? 1 : 6;
    flex->mass = rigid->mass;
    for (int a = 0; a < dim; a++) {
        flex->s0[a] = rigid->mass * c[a];
        cc += c[a] * c[a];
    }
    for (int a = 0; a < flex->n_rot; a++) {
        for (int b = a; b < flex->n_rot; b++) {
            const double steiner = dim == 2 ? cc : (a == b ? cc : 0.0) - c[a] * c[b];
            flex->J0[phx_pair(a, b)] = rigid->inertia[a * flex->n_rot + b] + rigid->mass * steiner;
        }
    }
    /* nothing, but arrays: rows are counted from them */
    flex->S = phx_calloc(context, 0, sizeof *flex->S);
    flex->C = phx_calloc(context, 0, sizeof *flex->C);
    flex->j = phx_calloc(context, 0, sizeof *flex->j);
    return flex->S && flex->C && flex->j ? PHX_OK : PHX_ERR_MEMORY;
}

/* Pattern over nu: rigid rows and columns are full, the flexible block is the flex pattern (full with modal damping).
 */
static phx_status make_pattern(phx_context *context, phx_body *body)
{
    const phx_flex *flex = body->flex;
    const phx_csr flex_pattern = {flex->n, flex->n, flex->ptr, flex->idx, NULL};
    const bool wider = body->damped && body->damping.ptr[body->n_q] > flex->ptr[body->n_q];
    const phx_csr *block = wider ? &body->damping : &flex_pattern;
    const int r = body->n_rigid, n = body->n_v;
    const int nnz_flex = body->n_q ? flex->ptr[body->n_q] : 0;
    const int nnz_block = body->n_q ? block->ptr[body->n_q] : 0;
    const int nnz_damping = body->damped ? body->damping.ptr[body->n_q] : 0;
    const size_t nnz = (size_t)r * (size_t)n + (size_t)body->n_q * (size_t)r + (size_t)nnz_block;
    int at = 0;

    body->ptr = phx_calloc(context, (size_t)n + 1, sizeof *body->ptr);
    body->idx = phx_calloc(context, nnz, sizeof *body->idx);
    body->flex_at = phx_calloc(context, (size_t)nnz_flex, sizeof *body->flex_at);
    body->damping_at = phx_calloc(context, (size_t)nnz_damping, sizeof *body->damping_at);
    if (!body->ptr || !body->idx || !body->flex_at || !body->damping_at)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        body->ptr[i] = at;
        for (int j = 0; j < (i < r ? n : r); j++)
            body->idx[at++] = j;
        for (int k = i < r ? 0 : block->ptr[i - r]; i >= r && k < block->ptr[i - r + 1]; k++)
            body->idx[at++] = r + block->idx[k];
    }
    body->ptr[n] = at;
    for (int i = 0; i < body->n_q; i++) {
        const phx_csr whole = {n, n, body->ptr, body->idx, NULL};
        for (int k = flex->ptr[i]; k < flex->ptr[i + 1]; k++)
            body->flex_at[k] = phx_csr_find(&whole, r + i, r + flex->idx[k]);
        for (int k = body->damped ? body->damping.ptr[i] : 0; body->damped && k < body->damping.ptr[i + 1]; k++)
            body->damping_at[k] = phx_csr_find(&whole, r + i, r + body->damping.idx[k]);
    }
    return PHX_OK;
}

static phx_status check_def(phx_context *context, const char *name, const phx_body_def *def)
{
    if (def->dim != 2 && def->dim != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': dim is %d, must be 2 or 3", name, def->dim);
    if (!def->rigid == !def->flex)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': give exactly one of rigid and flex", name);
    if (def->flex && def->flex->dim != def->dim)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': dimension %d differs from its deformation's %d", name,
                        def->dim, def->flex->dim);
    if (def->kinetics != PHX_KINETICS_FULL && def->kinetics != PHX_KINETICS_SIMPLIFIED)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': kinetics is %d, must be full or simplified", name,
                        (int)def->kinetics);
    return def->rigid ? check_rigid(context, name, def->dim, def->rigid) : PHX_OK;
}

/* The compact matrices of the flex, or some of its own. */
static phx_status take_compact(phx_context *context, phx_body *body)
{
    body->compact = body->flex->compact;
    if (body->compact)
        return PHX_OK;
    body->compacted = *body->flex;
    const phx_status status = phx_flex_make_compact(context, &body->compacted);
    body->compact = body->compacted.compact;
    return status;
}

/* Many coordinates, and no more work through the strains than by K. */
static bool through_strains(const phx_body *body)
{
    const phx_flex_matrix *K = &body->compact->K;
    const phx_csr *root = &body->flex->root;

    return phx_body_is_fine(body) && root->rows > 0 && 2 * (long)root->ptr[root->rows] <= 3 * (long)K->ptr[K->n_rows];
}

phx_status phx_body_create(phx_context *context, const phx_body_def *def, phx_body **out)
{
    if (!def || !out)
        return phx_fail_null(context, __func__, "def or body");
    const char *name = def->name ? def->name : "body";
    phx_body *body = NULL;
    phx_status status = check_def(context, name, def);

    *out = NULL;
    if (status)
        return status;
    body = phx_calloc(context, 1, sizeof *body);
    if (!body)
        return PHX_ERR_MEMORY;
    body->dim = def->dim;
    body->n_rot = def->dim == 2 ? 1 : 3;
    body->n_rigid = body->dim + body->n_rot;
    body->n_attitude = phx_attitude_size(def->dim);
    body->kinetics = def->kinetics;
    if (def->rigid)
        status = rigid_flex(context, def->dim, def->rigid, &body->own);
    body->flex = def->flex ? def->flex : &body->own;
    if (!status)
        status = phx_body_check_range(context, name, body->flex, def->rigid);
    body->n_q = body->flex->n;
    body->n_v = body->n_rigid + body->n_q;
    body->n_x = body->dim + body->n_attitude + body->n_q;
    if (!status)
        status = take_compact(context, body);
    if (!status && through_strains(body))
        body->root = &body->flex->root;
    if (!status)
        status = (body->name = phx_strdup(context, name)) ? phx_body_make_damping(context, def, body) : PHX_ERR_MEMORY;
    if (!status)
        status = make_pattern(context, body);
    if (status)
        phx_body_destroy(body);
    else
        *out = body;
    return phx_conclude(context, status);
}

void phx_body_destroy(phx_body *body)
{
    if (!body)
        return;
    phx_csr_free(&body->damping);
    phx_csr_free(&body->modal_root);
    phx_csr_free(&body->rest);
    phx_flex_free(&body->own);
    phx_flex_free_compact(body->compacted.compact);
    phx_free(body->name);
    phx_free(body->ptr);
    phx_free(body->idx);
    phx_free(body->flex_at);
    phx_free(body->damping_at);
    phx_free(body);
}
