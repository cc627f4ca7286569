/* Creation of a floating body, and its row of the table of kinds. */
#include "floating.h"

#include <math.h>
#include <string.h>

phx_body_def phx_body_def_default(void)
{
    return (phx_body_def){.name = "body", .dim = 2, .kinetics = PHX_KINETICS_FULL};
}

/* Mass, centre and inertia of a rigid body: finite, and such that T > 0 for every motion. */
static phx_status check_rigid(phx_context *context, const char *name, int dim, const phx_rigid_def *rigid)
{
    static const double SYMMETRIC = 1e-12; /* relative to the diagonal */
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
            if (!(fabs(I[3 * a + b] - I[3 * b + a]) <= SYMMETRIC * (fabs(I[4 * a]) + fabs(I[4 * b]))))
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
static phx_status floating_make_pattern(phx_context *context, phx_floating *body)
{
    const phx_flex *flex = body->flex;
    const phx_csr flex_pattern = {flex->n, flex->n, flex->ptr, flex->idx, NULL};
    const bool wider = body->damped && body->damping.ptr[body->base.n_q] > flex->ptr[body->base.n_q];
    const phx_csr *block = wider ? &body->damping : &flex_pattern;
    const int r = body->base.n_rigid, n = body->base.n_v;
    const int nnz_flex = body->base.n_q ? flex->ptr[body->base.n_q] : 0;
    const int nnz_block = body->base.n_q ? block->ptr[body->base.n_q] : 0;
    const int nnz_damping = body->damped ? body->damping.ptr[body->base.n_q] : 0;
    const size_t nnz = (size_t)r * (size_t)n + (size_t)body->base.n_q * (size_t)r + (size_t)nnz_block;
    int at = 0;

    body->base.ptr = phx_calloc(context, (size_t)n + 1, sizeof *body->base.ptr);
    body->base.idx = phx_calloc(context, nnz, sizeof *body->base.idx);
    body->flex_at = phx_calloc(context, (size_t)nnz_flex, sizeof *body->flex_at);
    body->damping_at = phx_calloc(context, (size_t)nnz_damping, sizeof *body->damping_at);
    if (!body->base.ptr || !body->base.idx || !body->flex_at || !body->damping_at)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        body->base.ptr[i] = at;
        for (int j = 0; j < (i < r ? n : r); j++)
            body->base.idx[at++] = j;
        for (int k = i < r ? 0 : block->ptr[i - r]; i >= r && k < block->ptr[i - r + 1]; k++)
            body->base.idx[at++] = r + block->idx[k];
    }
    body->base.ptr[n] = at;
    for (int i = 0; i < body->base.n_q; i++) {
        const phx_csr whole = {n, n, body->base.ptr, body->base.idx, NULL};
        for (int k = flex->ptr[i]; k < flex->ptr[i + 1]; k++)
            body->flex_at[k] = phx_csr_find(&whole, r + i, r + flex->idx[k]);
        for (int k = body->damped ? body->damping.ptr[i] : 0; body->damped && k < body->damping.ptr[i + 1]; k++)
            body->damping_at[k] = phx_csr_find(&whole, r + i, r + body->damping.idx[k]);
    }
    return PHX_OK;
}

static phx_status floating_check_def(phx_context *context, const char *name, const phx_body_def *def)
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

/* The compact matrices of the flex, or some of its own; those of a rigid body are empty. */
static phx_status take_compact(phx_context *context, phx_floating *body)
{
    static const phx_flex_compact empty = {0};
    phx_flex flex = *body->flex;

    body->compact = flex.n > 0 ? flex.compact : &empty;
    if (body->compact)
        return PHX_OK;
    const phx_status status = phx_flex_make_compact(context, &flex);
    body->compact = body->own_compact = flex.compact;
    return status;
}

/* Many coordinates, and no more work through the strains than by K. */
static bool through_strains(const phx_floating *body)
{
    const phx_flex_matrix *K = &body->compact->K;
    const phx_csr *root = &body->flex->root;

    return phx_floating_is_fine(body) && root->rows > 0 &&
           2 * (long)root->ptr[root->rows] <= 3 * (long)K->ptr[K->n_rows];
}

/* The part that all bodies share, from the definition. */
static phx_status floating_lay_out(phx_context *context, const phx_body_def *def, const char *name, phx_floating *body)
{
    const phx_flex *flex = body->flex;
    phx_body *base = &body->base;

    base->kinetics = def->kinetics;
    base->n_stress = flex->n_stress;
    base->rest.mass = flex->mass;
    memcpy(base->rest.s0, flex->s0, sizeof base->rest.s0);
    memcpy(base->rest.J0, flex->J0, sizeof base->rest.J0);
    return phx_body_lay_out(context, &phx_floating_ops, name, def->dim, 1, &body->frame, flex->n, base);
}

/* Tables that follow from the damping. */
static phx_status floating_finish(phx_context *context, phx_floating *body)
{
    body->base.lossless = !body->damped && body->base.kinetics == PHX_KINETICS_FULL;
    return floating_make_pattern(context, body);
}

phx_status phx_floating_complete(phx_context *context, const phx_body_def *def, phx_floating *body)
{
    phx_status status = floating_lay_out(context, def, def->name, body);

    if (!status)
        status = take_compact(context, body);
    if (!status && through_strains(body))
        body->root = &body->flex->root;
    return status ? status : floating_finish(context, body);
}

/* Creates a rigid or flexible floating body from its definition. def->flex is borrowed and must outlive the body; *out
 * is NULL after an error. */
phx_status phx_body_create(phx_context *context, const phx_body_def *def, phx_body **out)
{
    if (!def || !out)
        return phx_fail_null(context, __func__, "def or body");
    const char *name = def->name ? def->name : "body";
    phx_floating *body = NULL;
    phx_status status = floating_check_def(context, name, def);

    *out = NULL;
    if (status)
        return status;
    body = phx_calloc(context, 1, sizeof *body);
    if (!body)
        return PHX_ERR_MEMORY;
    body->base.ops = &phx_floating_ops;
    if (def->rigid)
        status = rigid_flex(context, def->dim, def->rigid, &body->own);
    body->flex = def->flex ? def->flex : &body->own;
    if (!status)
        status = phx_floating_check_range(context, name, body->flex, def->rigid);
    if (!status)
        status = floating_lay_out(context, def, name, body);
    if (!status)
        status = take_compact(context, body);
    if (!status && through_strains(body))
        body->root = &body->flex->root;
    if (!status)
        status = phx_floating_make_damping(context, def, body);
    if (!status)
        status = floating_finish(context, body);
    if (status)
        phx_body_destroy(&body->base);
    else
        *out = &body->base;
    return phx_conclude(context, status);
}

/* ---- what only a floating body has ---- */
const phx_flex *phx_body_flex(const phx_body *body)
{
    const phx_floating *floating = phx_as_floating(phx_body_inside(body));
    return floating ? floating->flex : NULL;
}

const phx_csr *phx_body_elastic_root(const phx_body *body)
{
    const phx_floating *floating = phx_as_floating(body);
    return floating && floating->flex->n > 0 ? &floating->flex->root : NULL;
}

bool phx_body_stiffness(const phx_body *body, phx_csr *K)
{
    const phx_flex *flex = phx_as_floating(body) ? phx_body_flex(body) : NULL;

    if (!flex || flex->n == 0)
        return false;
    *K = (phx_csr){flex->n, flex->n, flex->ptr, flex->idx, flex->K};
    return true;
}

void phx_body_damping_roots(const phx_body *body, double *beta, const phx_csr **W)
{
    static const phx_csr none = {0};
    const phx_floating *floating = phx_as_floating(body);

    *beta = floating ? floating->strain_damping : 0.0;
    *W = floating ? &floating->modal_root : &none;
}

/* ---- the table ---- */
static void floating_destroy(phx_body *base)
{
    phx_floating *body = (phx_floating *)base;

    phx_csr_free(&body->damping);
    phx_csr_free(&body->modal_root);
    phx_csr_free(&body->rest);
    phx_flex_free(&body->own);
    phx_flex_free_compact(body->own_compact);
    phx_free(body->flex_at);
    phx_free(body->damping_at);
    phx_body_free_base(base);
    phx_free(body);
}

const phx_body_ops phx_floating_ops = {
    .kind = "floating body",
    .destroy = floating_destroy,
    .curve = phx_floating_curve,
    .momenta = phx_floating_momenta,
    .put_mass = phx_floating_put_mass,
    .moment = phx_floating_moment,
    .rigid_mass = phx_floating_rigid_mass,
    .mass_matrix = phx_floating_mass_matrix,
    .inertial_momentum = phx_floating_inertial_momentum,
    .residual = phx_floating_residual,
    .linearise = phx_floating_linearise,
    .room = phx_floating_room,
    .products_create = phx_floating_products_create,
    .products_share = phx_floating_products_share,
    .interval_begin = phx_floating_interval_begin,
    .interval_residual = phx_floating_interval_residual,
    .interval_linearise = phx_floating_interval_linearise,
    .interval_finish = phx_floating_interval_finish,
    .averages = phx_floating_averages,
    .mass_slope = phx_floating_mass_slope,
    .kinetic = phx_floating_kinetic,
    .kinetic_undeformed = phx_floating_kinetic_undeformed,
    .elastic = phx_floating_elastic,
    .energies = phx_floating_energies,
    .dissipation = phx_floating_dissipation,
    .stress = phx_floating_stress,
    .stress_derivative = phx_floating_stress_derivative,
    .structure_size = phx_floating_structure_size,
    .structure = phx_floating_structure,
    .efforts = phx_floating_efforts,
};
