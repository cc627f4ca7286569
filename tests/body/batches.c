#include "batches.h"

#include <phlexor/algebra.h>

#define FULL       PHX_KINETICS_FULL
#define CANTILEVER PHX_REFERENCE_CANTILEVER
#define SUPPORTED  PHX_REFERENCE_SIMPLY_SUPPORTED
#define FREE       PHX_REFERENCE_FREE
#define MIXED      PHX_ELEMENT_MIXED
#define ASSUMED    PHX_ELEMENT_ASSUMED

/* name, dim, rigid, order, reference, element, stiffening, masses, kinetics, damping: mass, stiffness, modal; modes,
 * modal data */
const body_kind batch_kinds[] = {
    {"plane cantilever", 2, false, 3, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"plane supported, masses, Rayleigh", 2, false, 3, SUPPORTED, MIXED, false, true, FULL, 0.3, 0.02, 0, 0, false},
    {"plane free, masses", 2, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"plane cantilever, order 5, modal", 2, false, 5, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0.05, 0, false},
    {"plane supported, order 5", 2, false, 5, SUPPORTED, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"plane free, order 5, Rayleigh", 2, false, 5, FREE, MIXED, false, false, FULL, 0.3, 0.02, 0, 0, false},
    {"plane free, 4 modes, modal", 2, false, 5, FREE, MIXED, false, true, FULL, 0, 0, 0.05, 4, false},
    {"plane modal data, masses, Rayleigh", 2, false, 3, CANTILEVER, MIXED, false, true, FULL, 0.3, 0.02, 0, 3, true},
    {"plane assumed, masses", 2, false, 3, CANTILEVER, ASSUMED, false, true, FULL, 0, 0, 0, 4, false},
    {"space cantilever, masses", 3, false, 3, CANTILEVER, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"space supported, Rayleigh", 3, false, 3, SUPPORTED, MIXED, false, false, FULL, 0.3, 0.02, 0, 0, false},
    {"space free, masses, modal", 3, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0.05, 0, false},
    {"space cantilever, order 5", 3, false, 5, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"space supported, order 5, masses", 3, false, 5, SUPPORTED, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"space supported, 5 modes, Rayleigh", 3, false, 3, SUPPORTED, MIXED, false, true, FULL, 0.3, 0.02, 0, 5, false},
    {"space modal data, masses", 3, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0, 6, true},
};
enum { N_KINDS = (int)(sizeof batch_kinds / sizeof *batch_kinds) };

/* Every kind in turn. */
void each_kind(phx_context *context, void (*check)(phx_context *context, const subject *it, uint64_t *seed))
{
    uint64_t seed = 41;
    for (int k = 0; k < N_KINDS; k++) {
        subject it;
        subject_create(context, &batch_kinds[k], &it);
        check(context, &it, &seed);
        subject_destroy(&it);
    }
}

/* ---- boundary coordinates ---- */
static void mark_port(phx_context *context, const subject *it, double s, bool *marks)
{
    phx_body_port port;
    subject_port(context, it, s, &port);
    for (int k = 0; k < port.point.n; k++)
        marks[port.point.dof[k]] = true;
    phx_flex_point_free(&port.point);
}

/* Fills kept, ascending; the number. */
int choose(phx_context *context, const subject *it, int how, uint64_t *seed, int *boundary)
{
    bool marks[MAX_V] = {false};
    int count = 0;

    if (how == KEPT_END || how == KEPT_BOTH_ENDS || how == KEPT_EVERY_PORT)
        mark_port(context, it, 1.0, marks);
    if (how == KEPT_BOTH_ENDS || how == KEPT_EVERY_PORT)
        mark_port(context, it, 0.0, marks);
    if (how == KEPT_MIDDLE || how == KEPT_EVERY_PORT)
        mark_port(context, it, 0.5, marks);
    for (int i = 0; i < it->n_q; i++)
        marks[i] =
            marks[i] || (how == KEPT_ALL_BUT_ONE && i != it->n_q / 2) || (how == KEPT_ANY && random_value(seed) > 0.3);
    for (int i = 0; i < it->n_q; i++)
        if (marks[i])
            boundary[count++] = i;
    return count;
}

int simd_of(int count)
{
    return count == 1 ? 1 : count <= 4 ? 4 : 8;
}

void batch_different(phx_context *context, const subject *it, const phx_body *const *bodies, int count, int n_boundary,
                     group *out)
{
    phx_body_batch_def def = {.count = count};

    *out = (group){.count = count,
                   .width = count == 1   ? 1
                            : count <= 4 ? 4
                                         : 8,
                   .room = malloc(phx_body_batch_room(it->body) * sizeof(double))};
    assert_non_null(out->room);
    def.room = out->room;
    for (int l = 0; l < count; l++) {
        assert_true(phx_body_fits_batch(bodies[l]) && phx_body_alike(bodies[0], bodies[l]));
        def.bodies[l] = bodies[l];
        def.x[l] = l * it->n_x;
        def.v[l] = l * it->n_v;
        def.c[l] = l * (it->n_rigid + n_boundary);
    }
    CHECK_OK(context, phx_body_batch_create(context, &def, &out->batch));
    assert_int_equal(phx_body_batch_simd_width(out->batch), out->width);
}

void batch_create(phx_context *context, const subject *it, int count, int n_boundary, group *out)
{
    const phx_body *bodies[PHX_BATCH_WIDTH];

    for (int l = 0; l < count; l++)
        bodies[l] = it->body;
    batch_different(context, it, bodies, count, n_boundary, out);
}

void batch_destroy(group *it)
{
    phx_body_batch_destroy(it->batch);
    free(it->room);
}

void of_lane(int width, int lane, int count, const double *all, double *one)
{
    for (int k = 0; k < count; k++)
        one[k] = all[k * width + lane];
}

/* S = a M_qq + b K + c R, n_q square; R is the derivative of the forces with respect to the velocities at rest. */
void constant_block(const subject *it, double a, double b, double c, double *S)
{
    const phx_flex *flex = phx_body_flex(it->body);
    const int n = it->n_q, r = it->n_rigid;
    double x[MAX_X] = {0}, v[MAX_V] = {0}, M[MAX_ALL], D[MAX_ALL], dense[MAX_ALL], none[3] = {0};

    random_configuration(&(uint64_t){1}, it, x);
    phx_body_linearise(it->body, none, x, v, M, D, NULL);
    spread(it->body, D, dense);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            S[i * n + j] = c * dense[(r + i) * it->n_v + r + j];
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            S[i * n + flex->idx[e]] += a * flex->M[e] + b * flex->K[e];
    }
}

/* An arrow block and S as a dense matrix, n_v square. */
void whole(const subject *it, const double *arrow, const double *S, double *A)
{
    const phx_flex *flex = phx_body_flex(it->body);
    const int n = it->n_v, r = it->n_rigid, dim = it->dim, n_rot = it->n_rot;
    const double *rigid = arrow, *H = rigid + r * r, *E = H + dim * dim, *Gv = E + n_rot * dim, *Gw = Gv + dim * dim;
    const double *rows = Gw + dim * n_rot, *columns = rows + it->n_q * n_rot;

    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int a = 0; a < r; a++)
        memcpy(A + a * n, rigid + a * r, (size_t)r * sizeof *A);
    for (int i = 0; i < it->n_q; i++) {
        for (int k = 0; k < n_rot; k++) {
            A[(dim + k) * n + r + i] = rows[i * n_rot + k];
            A[(r + i) * n + dim + k] = columns[i * n_rot + k];
        }
        for (int b = 0; b < dim; b++) {
            const double s = flex->S[b * it->n_q + i];
            for (int a = 0; a < dim; a++) {
                A[a * n + r + i] += H[a * dim + b] * s;
                A[(r + i) * n + a] += s * Gv[b * dim + a];
            }
            for (int k = 0; k < n_rot; k++) {
                A[(dim + k) * n + r + i] += E[k * dim + b] * s;
                A[(r + i) * n + dim + k] += s * Gw[b * n_rot + k];
            }
        }
        for (int j = 0; j < it->n_q && S; j++)
            A[(r + i) * n + r + j] = S[i * it->n_q + j];
    }
}

int arrow_size(const subject *it)
{
    const int dim = it->dim, n_rot = it->n_rot, r = it->n_rigid;
    return r * r + 2 * dim * dim + 2 * dim * n_rot + 2 * n_rot * it->n_q;
}

/* Angular velocities are scaled by `turn`. */
void make_interval(const subject *it, int count, double h, double turn, uint64_t *seed, interval *out)
{
    for (int b = 0; b < count; b++) {
        const int x = b * it->n_x, v = b * it->n_v;
        random_configuration(seed, it, out->x0 + x);
        random_velocity(seed, it, out->v0 + v);
        random_velocity(seed, it, out->v1 + v);
        for (int k = v + it->dim; k < v + it->n_rigid; k++) {
            out->v0[k] *= turn;
            out->v1[k] *= turn;
        }
        for (int i = v; i < v + it->n_v; i++)
            out->vm[i] = 0.5 * (out->v0[i] + out->v1[i]);
        moved(it, h, out->x0 + x, out->vm + v, out->x1 + x, out->xm + x);
    }
}

/* Residual and matrix of `body` alone, at the place b. */
void alone(const subject *it, const phx_body *body, int b, double h, const interval *at, double *res, double *val)
{
    const int x = b * it->n_x, v = b * it->n_v;
    phx_products *products = phx_body_products_create(NULL, body, NULL);
    const phx_body_view view = {.h = h,
                                .x0 = at->x0 + x,
                                .x1 = at->x1 + x,
                                .xm = at->xm + x,
                                .v0 = at->v0 + v,
                                .v1 = at->v1 + v,
                                .vm = at->vm + v,
                                .products = products};
    double room[2 * MAX_ALL];

    assert_non_null(products);
    phx_body_interval_begin(body, h, view.x0, view.v0, products);
    phx_body_interval_residual(body, test_gravity, &view, res);
    phx_body_interval_linearise(body, test_gravity, &view, room, val);
    phx_free(products);
}
