/* A beam in a basis made for its interfaces: Craig and Bampton's, or Krylov's. Both are made for the free body, whose
 * frame moves too, so that they do not depend on the reference condition: with y = (r, q), r the rigid motion of the
 * frame,
 *
 *        | M_rr  M_rq |        | 0  0 |
 *   M =  |            |,  K =  |      |,   motion of the interfaces = G y = G_r r + G_q q,
 *        | M_qr  M_qq |        | 0  K |
 *
 * M_rr, M_rq = [S; C] those of the undeformed body. A basis of q is what remains of one of y, which has the rigid
 * motions in any case.
 *
 *   Craig-Bampton   statics: K^-1 G_q^T f with forces f in equilibrium, G_r^T f = 0; modes of M, K with G y = 0
 *   Krylov          K^-1 B, K^-1 H K^-1 B, ... (K^-1 H)^(moments - 1) K^-1 B: what forces at the interfaces make of the
 *                   free body, power by power of the square of the frequency,
 *                   H = M_qq - M_qr M_rr^-1 M_rq,   B = G_q^T - M_qr M_rr^-1 G_r^T
 *
 * The coordinates are the normal modes of the basis under the reference condition: M = I, K = diag(omega^2). */
#include <math.h>
#include <string.h>

#include "reduce/reduce.h"

#include "source.h"

static const double dependent = 1e-14; /* share of the energy of a shape that is rounding beside the others */

typedef struct free_body {
    const phx_flex *flex;
    int r, n, all;    /* rigid motions, coordinates, both */
    int m;            /* r for each interface */
    double *M;        /* all x all */
    double *G;        /* m x all */
    double *L;        /* K = L L^T, n x n */
    double *M_rr;     /* r x r: its inverse */
    const double *at; /* places of the interfaces, fractions */
    double length;
    phx_csr mass, stiffness; /* M_qq, K on the pattern of the flex */
} free_body;

static void free_body_free(free_body *body)
{
    phx_free(body->M);
    phx_free(body->G);
    phx_free(body->L);
    phx_free(body->M_rr);
}

/* ---- matrices ---- */
/* r_k . (e_k x (x, 0, 0)): the row of a motion of a point at (x, 0, 0) with the frame; c < dim: displacement. */
static void rigid_row(int dim, double x, int c, double *row)
{
    row[c] = 1.0;
    if (dim == 2 && c == 1)
        row[2] = x;
    if (dim == 3 && c == 1)
        row[5] = x;
    if (dim == 3 && c == 2)
        row[4] = -x;
}

/* Rows G of the interfaces' motions over (rigid motion, q): translations and rotations of the section at each
 * interface. */
static phx_status fill_interfaces(phx_context *context, const phx_flex_source *full, free_body *body)
{
    const int dim = body->flex->dim;
    phx_status status = PHX_OK;

    for (int row = 0; row < body->m && !status; row += body->r) {
        const double s = body->at[row / body->r];
        phx_flex_point point = {.n = 0};
        status = phx_beam_point(full, context, s, &point);
        for (int c = 0; c < body->r && !status; c++) {
            double *g = body->G + (size_t)(row + c) * (size_t)body->all;
            const double *shape = c < dim ? point.phi + c * point.n : point.theta + (c - dim) * point.n;
            rigid_row(dim, s * body->length, c, g);
            for (int k = 0; k < point.n; k++)
                g[body->r + point.dof[k]] = shape[k];
        }
        phx_flex_point_free(&point);
    }
    return status;
}

static phx_status invert_rigid(phx_context *context, free_body *body)
{
    double M[PHX_RIGID_MOST * PHX_RIGID_MOST];

    for (int i = 0; i < body->r; i++) {
        body->M_rr[i * body->r + i] = 1.0;
        memcpy(M + i * body->r, body->M + (size_t)i * (size_t)body->all, (size_t)body->r * sizeof *M);
    }
    return phx_dense_solve(context, body->r, M, body->r, body->M_rr);
}

/* Mass matrix, interface rows and factored stiffness of the free beam. Fails if it is too large for a dense
 * eigenproblem. */
static phx_status free_body_create(phx_context *context, const phx_beam_def *def, const phx_flex_source *full,
                                   free_body *body)
{
    const phx_flex *flex = &full->flex;
    const int r = flex->dim + flex->n_rot, n = flex->n;
    phx_status status = PHX_OK;

    *body = (free_body){.flex = flex,
                        .r = r,
                        .n = n,
                        .all = r + n,
                        .m = r * def->n_interfaces,
                        .at = def->interfaces,
                        .length = def->length,
                        .mass = {n, n, flex->ptr, flex->idx, flex->M},
                        .stiffness = {n, n, flex->ptr, flex->idx, flex->K}};
    if (n > PHX_DENSE_MODES_MOST)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "a basis of %d coordinates: its eigenproblem is dense, at most %d; use fewer elements", n,
                        PHX_DENSE_MODES_MOST);
    body->M = phx_calloc(context, (size_t)body->all * (size_t)body->all, sizeof *body->M);
    body->G = phx_calloc(context, (size_t)body->m * (size_t)body->all + 1, sizeof *body->G);
    body->M_rr = phx_calloc(context, (size_t)(r * r), sizeof *body->M_rr);
    if (!body->M || !body->G || !body->M_rr)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_flex_factor_stiffness(context, flex, &body->L);
    if (!status)
        status = fill_interfaces(context, full, body);
    if (!status) {
        phx_flex_mass_matrix(flex, body->M);
        status = invert_rigid(context, body);
    }
    return status;
}

/* ---- Craig-Bampton ---- */
/* y (all) <- G_c at interface k less what balances it at the first: forces -f, moments -m - (x_k - x_0) x f. */
static void balanced_load(const free_body *body, int k, int c, double *y)
{
    const int dim = body->flex->dim;
    double row[PHX_RIGID_MOST] = {0.0};

    memcpy(y, body->G + (size_t)(k * body->r + c) * (size_t)body->all, (size_t)body->all * sizeof *y);
    rigid_row(dim, (body->at[k] - body->at[0]) * body->length, c, row);
    for (int b = 0; b < body->r; b++)
        for (int i = 0; i < body->all && row[b] != 0.0; i++)
            y[i] -= row[b] * body->G[(size_t)b * (size_t)body->all + (size_t)i];
}

static bool interface_basis_is_zero(int n, const double *f)
{
    for (int i = 0; i < n; i++)
        if (f[i] != 0.0)
            return false;
    return true;
}

/* The static shapes; row (one each): the row of G that each belongs to. Where a load makes nothing of the beam, a
 * moment about the axis of one that does not twist, there is none. */
static void statics(const free_body *body, double *load, phx_shapes *shapes, int *row)
{
    for (int k = 1; k < body->m / body->r; k++)
        for (int c = 0; c < body->r; c++) {
            balanced_load(body, k, c, load);
            if (interface_basis_is_zero(body->n, load + body->r))
                continue;
            row[shapes->count] = k * body->r + c;
            double *y = phx_shapes_column(shapes, shapes->count++);
            memcpy(y, load + body->r, (size_t)body->n * sizeof *y);
            phx_flex_respond(body->n, body->L, y);
        }
}

/* Psi (all x c): unit motions of the interfaces, of all directions that are free of each other, by the rigid motions
 * and the static shapes V: Psi = V (G V)^-1. */
static phx_status unit_motions(phx_context *context, const free_body *body, const phx_shapes *shapes, const int *row,
                               int c, double *Psi)
{
    const int r = body->r;
    const size_t cols = (size_t)c, all = (size_t)body->all;
    double *GV = phx_calloc(context, 2 * cols * cols + 1, sizeof *GV), *X = GV ? GV + cols * cols : NULL;
    phx_status status = GV ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < c && !status; i++) {
        const double *g = body->G + (size_t)(i < r ? i : row[i - r]) * all;
        X[(size_t)i * cols + (size_t)i] = 1.0;
        memcpy(GV + (size_t)i * cols, g, (size_t)r * sizeof *GV);
        for (int k = 0; k < shapes->count; k++) {
            const double *y = phx_shapes_column(shapes, k);
            for (int j = 0; j < body->n; j++)
                GV[(size_t)i * cols + (size_t)(r + k)] += g[r + j] * y[j];
        }
    }
    if (!status)
        status = phx_dense_solve(context, c, GV, c, X);
    for (size_t b = 0; b < cols && !status; b++) {
        for (size_t i = 0; i < (size_t)r; i++)
            Psi[i * cols + b] = X[i * cols + b];
        for (int k = 0; k < shapes->count; k++)
            for (int j = 0; j < body->n; j++)
                Psi[(size_t)(r + j) * cols + b] += X[(size_t)(r + k) * cols + b] * phx_shapes_column(shapes, k)[j];
    }
    phx_free(GV);
    return status;
}

/* How unit motions of the interfaces drive the first `modes` modes (columns of `modes`, M-orthonormal). */
static phx_status participate(phx_context *context, const free_body *body, const phx_basis *modes,
                              const phx_shapes *shapes, const int *row, phx_participation *participation)
{
    const int all = body->all, c = participation->constraints, dim = body->flex->dim;
    const size_t size = (size_t)all * (size_t)c;
    double *Psi = phx_calloc(context, 2 * size + 1, sizeof *Psi), *M_Psi = Psi ? Psi + size : NULL;
    phx_status status = Psi ? unit_motions(context, body, shapes, row, c, Psi) : PHX_ERR_MEMORY;

    if (!status)
        phx_dense_multiply(false, false, all, c, all, 1.0, body->M, all, Psi, c, 0.0, M_Psi, c);
    for (int b = 0; b < c && !status; b++) {
        const int axis = (b < body->r ? b : row[b - body->r]) % body->r;
        participation->axis[b] = axis < dim ? axis : 3;
        for (int i = 0; i < all; i++)
            participation->constraint[b] +=
                Psi[(size_t)i * (size_t)c + (size_t)b] * M_Psi[(size_t)i * (size_t)c + (size_t)b];
    }
    for (int k = 0; k < participation->modes && !status; k++)
        participation->mode[k] = 1.0;
    if (!status)
        phx_dense_multiply(true, false, participation->modes, c, all, 1.0, modes->columns, modes->count, M_Psi, c, 0.0,
                           participation->L, c);
    phx_free(Psi);
    return status;
}

/* Of the modes with all interfaces held `def->modes`: the lowest, or those of the largest effective mass. */
static phx_status choose_modes(phx_context *context, const phx_beam_def *def, const free_body *body,
                               const phx_basis *modes, const int *row, phx_shapes *shapes,
                               phx_effective_mass *effective)
{
    const int wanted = def->among > def->modes ? def->among : def->modes;
    const int count = wanted < modes->count ? wanted : modes->count;
    phx_participation participation = {0};
    bool *chosen = phx_calloc(context, (size_t)count + 1, sizeof *chosen);
    phx_status status =
        chosen ? phx_participation_allocate(context, count, body->r + shapes->count, &participation) : PHX_ERR_MEMORY;

    if (!status)
        status = participate(context, body, modes, shapes, row, &participation);
    if (!status && def->among > 0)
        phx_participation_choose(&participation, def->modes, chosen);
    for (int k = 0; k < def->modes && !status && def->among == 0; k++)
        chosen[k] = true;
    if (!status)
        phx_participation_add(&participation, chosen, effective);
    for (int k = 0; k < count && !status; k++) {
        double *y = chosen[k] ? phx_shapes_column(shapes, shapes->count++) : NULL;
        for (int j = 0; j < body->n && y; j++)
            y[j] = modes->columns[(size_t)(body->r + j) * (size_t)modes->count + (size_t)k];
    }
    phx_participation_free(&participation);
    phx_free(chosen);
    return status;
}

/* The lowest modes with G y = 0, M-orthonormal; at least `wanted` of them, or all there are. */
static phx_status held_modes(phx_context *context, const free_body *body, int wanted, phx_basis *modes)
{
    const phx_csr *B = &body->flex->root;
    const int entries = B->ptr[B->rows];
    double *factor = phx_calloc(context, (size_t)body->all * (size_t)body->all, sizeof *factor);
    double *omega = phx_calloc(context, (size_t)body->all, sizeof *omega);
    int *idx = phx_calloc(context, (size_t)entries + 1, sizeof *idx);
    const phx_csr root = {B->rows, body->all, B->ptr, idx, B->val};
    const phx_stiffness stiffness = {.root = &root};
    phx_basis motions = {0};
    phx_status status = factor && omega && idx ? PHX_OK : PHX_ERR_MEMORY;

    for (int e = 0; e < entries && !status; e++)
        idx[e] = B->idx[e] + body->r;
    if (!status) {
        memcpy(factor, body->M, (size_t)body->all * (size_t)body->all * sizeof *factor);
        status = phx_dense_cholesky(context, body->all, factor);
    }
    if (!status)
        status = phx_reduce_free_motions(context, body->all, factor, body->m, body->G, 0.0, NULL, &motions);
    if (!status && motions.count > 0)
        status = phx_reduce_lowest_modes(context, &motions, &stiffness, wanted < motions.count ? wanted : 0, omega,
                                         NULL, NULL, modes);
    phx_basis_free(&motions);
    phx_free(factor);
    phx_free(omega);
    phx_free(idx);
    return status;
}

/* Shapes of a Craig-Bampton basis: static shapes of the interfaces and modes with all interfaces held, chosen by
 * effective mass if more are considered. */
static phx_status craig_bampton(phx_context *context, const phx_beam_def *def, const free_body *body,
                                phx_shapes *shapes, phx_effective_mass *effective)
{
    phx_basis modes = {0};
    double *load = phx_calloc(context, (size_t)body->all, sizeof *load);
    int *row = phx_calloc(context, (size_t)body->m + 1, sizeof *row);
    phx_status status =
        load && row ? phx_shapes_allocate(context, body->n, body->m + def->modes, shapes) : PHX_ERR_MEMORY;

    if (!status)
        statics(body, load, shapes, row);
    if (!status && def->modes > 0)
        status = held_modes(context, body, def->among > def->modes ? def->among : def->modes, &modes);
    if (!status && modes.count < def->modes)
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "basis: modes is %d, with all interfaces held the beam has %d; take fewer, or more elements",
                          def->modes, modes.count);
    if (!status && def->modes > 0)
        status = choose_modes(context, def, body, &modes, row, shapes, effective);
    phx_basis_free(&modes);
    phx_free(load);
    phx_free(row);
    return status;
}

/* ---- Krylov ---- */
/* f (n) -= M_qr M_rr^-1 a, a (r): what the frame, which a force or a momentum moves, takes along. */
static void take_along(const free_body *body, const double *a, double *f)
{
    const phx_flex *flex = body->flex;

    for (int i = 0; i < body->r; i++) {
        const double *row = i < flex->dim ? flex->S + i * body->n : flex->C + (i - flex->dim) * body->n;
        double rate = 0.0;
        for (int j = 0; j < body->r; j++)
            rate += body->M_rr[i * body->r + j] * a[j];
        for (int j = 0; j < body->n; j++)
            f[j] -= rate * row[j];
    }
}

/* f = H y */
static void apply_mass(const free_body *body, const double *y, double *f)
{
    const phx_flex *flex = body->flex;
    double momentum[PHX_RIGID_MOST] = {0.0};

    memset(f, 0, (size_t)body->n * sizeof *f);
    phx_csr_apply(&body->mass, 1.0, y, f);
    for (int i = 0; i < body->r; i++) {
        const double *row = i < flex->dim ? flex->S + i * body->n : flex->C + (i - flex->dim) * body->n;
        for (int j = 0; j < body->n; j++)
            momentum[i] += row[j] * y[j];
    }
    take_along(body, momentum, f);
}

/* The shapes of one power from the `count` shapes before it from number `first` on; count 0: the first. */
static void next_power(const free_body *body, int first, int count, const phx_shapes *before, phx_shapes *next)
{
    next->count = count > 0 ? count : body->m;
    for (int k = 0; k < next->count; k++) {
        double *y = phx_shapes_column(next, k);
        const double *g = body->G + (size_t)k * (size_t)body->all;
        if (count > 0) {
            apply_mass(body, phx_shapes_column(before, first + k), y);
        } else {
            memcpy(y, g + body->r, (size_t)body->n * sizeof *y);
            take_along(body, g, y);
        }
        phx_flex_respond(body->n, body->L, y);
    }
}

/* Orthonormal in K. */
static phx_status krylov(phx_context *context, const phx_beam_def *def, const free_body *body, phx_shapes *shapes)
{
    const phx_shapes none = {.n = body->n};
    const double most = (double)body->m * def->moments;
    phx_shapes next = {0};
    phx_status status = phx_shapes_allocate(context, body->n, most < body->n ? (int)most : body->n, shapes);
    int first = 0;

    if (!status)
        status = phx_shapes_allocate(context, body->n, body->m, &next);
    for (int power = 0; power < def->moments && !status && (power == 0 || shapes->count > first); power++) {
        const int before = shapes->count;
        next_power(body, first, power > 0 ? before - first : 0, shapes, &next);
        status = phx_shapes_normalise(context, &body->stiffness, &next);
        if (!status)
            status = phx_shapes_join(context, &body->stiffness, &none, dependent, body->n - before, &next, shapes);
        first = before;
    }
    phx_shapes_free(&next);
    return status;
}

/* ---- the coordinates ---- */
/* Y <- Y L^-T with Y^T M Y = L L^T, twice: M-orthonormal to rounding. */
static phx_status interface_basis_orthonormalise(phx_context *context, const phx_csr *M, phx_shapes *Y)
{
    const size_t m = (size_t)Y->count, n = (size_t)Y->n;
    double *MY = phx_calloc(context, m * n + m * m + 1, sizeof *MY), *L = MY ? MY + m * n : NULL;
    phx_status status = MY ? PHX_OK : PHX_ERR_MEMORY;

    for (int pass = 0; pass < 2 && !status; pass++) {
        memset(MY, 0, m * n * sizeof *MY);
        for (int k = 0; k < Y->count; k++)
            phx_csr_apply(M, 1.0, phx_shapes_column(Y, k), MY + (size_t)k * n);
        phx_dense_multiply(false, true, (int)m, (int)m, (int)n, 1.0, Y->y, (int)n, MY, (int)n, 0.0, L, (int)m);
        status = phx_dense_cholesky(context, (int)m, L);
        if (!status)
            phx_dense_triangle_solve(false, (int)m, L, (int)n, Y->y); /* rows of y are shapes */
    }
    phx_free(MY);
    return status;
}

/* The normal modes of the shapes: M = I, K = diag(omega^2). */
static phx_status make_modes(phx_context *context, const free_body *body, phx_shapes *shapes)
{
    const phx_stiffness stiffness = {.root = &body->flex->root};
    const phx_shapes none = {.n = body->n};
    const size_t n = (size_t)body->n;
    phx_basis start = {.n = body->n}, modes = {0};
    phx_shapes kept = {0};
    phx_status status = phx_shapes_allocate(context, body->n, shapes->count, &kept);

    if (!status)
        status = phx_shapes_normalise(context, &body->stiffness, shapes);
    if (!status)
        status = phx_shapes_join(context, &body->stiffness, &none, dependent, body->n, shapes, &kept);
    if (!status)
        status = interface_basis_orthonormalise(context, &body->mass, &kept);
    const size_t m = (size_t)kept.count;
    start.count = kept.count;
    start.columns = phx_calloc(context, n * m + 1, sizeof *start.columns);
    kept.omega = phx_calloc(context, m + 1, sizeof *kept.omega);
    if (!start.columns || !kept.omega)
        status = PHX_ERR_MEMORY;
    for (size_t k = 0; k < m && !status; k++)
        for (size_t i = 0; i < n; i++)
            start.columns[i * m + k] = kept.y[k * n + i];
    if (!status)
        status = phx_reduce_normal_modes(context, &start, &stiffness, kept.omega, NULL, NULL, &modes);
    if (!status)
        phx_modes_fix_signs(body->n, kept.count, modes.columns);
    for (size_t k = 0; k < m && !status; k++)
        for (size_t i = 0; i < n; i++)
            kept.y[k * n + i] = modes.columns[i * m + k];
    phx_basis_free(&start);
    phx_basis_free(&modes);
    phx_shapes_free(shapes);
    *shapes = kept;
    return status;
}

/* Shapes of a beam for its interfaces, by Craig and Bampton or Krylov; fails if no deformation is left. */
phx_status phx_beam_interface_shapes(phx_context *context, const phx_beam_def *def, const phx_flex_source *full,
                                     phx_shapes *shapes, phx_effective_mass *effective)
{
    free_body body;
    phx_status status = free_body_create(context, def, full, &body);

    *shapes = (phx_shapes){0};
    *effective = (phx_effective_mass){0};
    if (!status)
        status = def->basis == PHX_BEAM_BASIS_KRYLOV ? krylov(context, def, &body, shapes)
                                                     : craig_bampton(context, def, &body, shapes, effective);
    if (!status && shapes->count == 0)
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "basis: one interface and no modes leave no deformation; take modes, or make the body rigid");
    if (!status)
        status = make_modes(context, &body, shapes);
    free_body_free(&body);
    return status;
}
