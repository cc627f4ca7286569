/* A batch's operations for one kind of number: the state of its bodies is brought side by side, the kernels do the
 * work, the result goes back. The including file defines real, SIMD_WIDTH, ZEROS, NAME and OPERATIONS, the name of the
 * table, and how numbers of the bodies are put side by side and parted, NAME(interleave) and NAME(part). */
#include "condense_kernel.h"
#include "body/floating/energy_kernel.h"
#include "body/move_kernel.h"
#include "batch.h"
#include "rows_kernel.h"

/* f(dim, n_q, ...) with constants for the compiler: the plane or space, rigid bodies or others. */
#define PHX_WITH_KIND(body, f, ...)                                                                                    \
    ((body)->base.dim == 2   ? (body)->base.n_q == 0 ? f(2, 0, __VA_ARGS__) : f(2, (body)->base.n_q, __VA_ARGS__)      \
       : (body)->base.n_q == 0 ? f(3, 0, __VA_ARGS__)                                                                  \
                             : f(3, (body)->base.n_q, __VA_ARGS__))

/* ---- to and fro ---- */
/* `n` numbers of each body, those from `first` on. */
static inline void NAME(gather)(const double *all, const int *at, int first, int n, real *to)
{
    const double *from[SIMD_WIDTH];

    for (int l = 0; l < SIMD_WIDTH; l++)
        from[l] = all + at[l] + first;
    NAME(interleave)(from, n, to);
}

/* Writes n interleaved numbers of each of `count` bodies to all + at[lane]; lanes without a body are not written. */
static inline void NAME(scatter)(const real *from, int count, const int *at, int n, double *all)
{
    const double *in = (const double *)from;
    double *to[SIMD_WIDTH];

    for (int l = 0; l < SIMD_WIDTH; l++)
        to[l] = all + at[l];
    if (count == SIMD_WIDTH) {
        NAME(part)(from, n, to);
        return;
    }
    for (int l = 0; l < count; l++)
        for (int i = 0; i < n; i++)
            to[l][i] = in[i * SIMD_WIDTH + l];
}

static inline int NAME(attitude_size)(const int dim)
{
    return dim == 2 ? 2 : 9; /* the unwrapped angle is not looked at */
}

/* The constants of each body, and where everything is in the room of the batch. */
static void NAME(connect)(phx_body_batch *batch, const phx_floating *const *bodies, void *room)
{
    const phx_floating *body = batch->body;
    const int n = body->base.n_q;
    NAME(products) *made = batch->products = room;
    double *own = (double *)&made->own;
    real *next = (real *)(void *)(made + 1);

    for (int l = 0; l < SIMD_WIDTH; l++) {
        const NAME(inertia) one = NAME(inertia_of)(bodies[l]->flex);
        const double *from = (const double *)&one;
        for (size_t k = 0; k < sizeof one / sizeof(real); k++)
            own[k * SIMD_WIDTH + (size_t)l] = from[k * SIMD_WIDTH];
    }
    batch->v0 = (double *)next;
    batch->v1 = (double *)(next += body->base.n_v);
    if (n == 0)
        return;
    made->bent = (NAME(bending) *)(void *)(next + body->base.n_v);
    made->bent->d = next = (real *)(void *)(made->bent + 1);
    for (int k = 0; k < body->base.n_rot; k++)
        made->bent->turned[k] = next += n;
    made->bent->mean = SIMD_WIDTH == 1 ? next + n : NULL; /* of many bodies they would only fill the caches */
}

/* ---- an interval ---- */
static inline void NAME(batch_begin_in)(const int dim, const int n, phx_body_batch *batch, const double *x0,
                                        const double *v0)
{
    const phx_floating *body = batch->body;
    real *q0 = (real *)batch->room, *rates = (real *)batch->v0;

    NAME(gather)(v0, batch->v, 0, dim + phx_rotations(dim) + n, rates);
    if (n > 0)
        NAME(gather)(x0, batch->x, dim + body->base.n_attitude, n, q0);
    NAME(begin)(dim, n, body, batch->h, q0, rates, batch->products, q0 + n);
}

static void NAME(batch_begin)(phx_body_batch *batch, const double *x0, const double *v0)
{
    PHX_WITH_KIND(batch->body, NAME(batch_begin_in), batch, x0, v0);
}

/* Moves the rigid configurations of the batch over the interval at the mean rates vm: end x1 and mean xm, with the
 * rounding parts low0 and low1 unless the move is only tried. */
static inline void NAME(batch_move_in)(const int dim, const phx_body_batch *batch, bool tried, const double *x0,
                                       const double *low0, const double *vm, double *x1, double *low1, double *xm)
{
    const int n = dim == 2 ? 5 : 12;
    real from[12], low[12], rates[6], to[12], rest[12] = ZEROS, mean[12];

    NAME(gather)(x0, batch->x, 0, n, from);
    NAME(gather)(low0, batch->x, 0, n, low);
    NAME(gather)(vm, batch->v, 0, dim + phx_rotations(dim), rates);
    NAME(move_rigid)(dim, tried, batch->h, from, low, rates, to, rest, mean);
    NAME(scatter)(to, batch->count, batch->x, n, x1);
    NAME(scatter)(mean, batch->count, batch->x, n, xm);
    if (!tried)
        NAME(scatter)(rest, batch->count, batch->x, n, low1);
}

static void NAME(batch_move)(const phx_body_batch *batch, bool tried, const double *x0, const double *low0,
                             const double *vm, double *x1, double *low1, double *xm)
{
    if (batch->body->base.dim == 2)
        NAME(batch_move_in)(2, batch, tried, x0, low0, vm, x1, low1, xm);
    else
        NAME(batch_move_in)(3, batch, tried, x0, low0, vm, x1, low1, xm);
}

/* The mean velocities, in front of the room. */
static inline real *NAME(means)(const int n_v, const phx_body_batch *batch)
{
    const real *v0 = (const real *)batch->v0, *v1 = (const real *)batch->v1;
    real *vm = (real *)batch->room;

    for (int i = 0; i < n_v; i++)
        vm[i] = 0.5 * (v0[i] + v1[i]);
    return vm;
}

/* Residual of the batch's bodies over the interval for the end velocities v1 and mean attitudes xm; overwrites their
 * entries of res. */
static inline void NAME(batch_residual_in)(const int dim, const int n, phx_body_batch *batch, const double *gravity,
                                           const double *xm, const double *v1, double *res)
{
    const int n_v = dim + phx_rotations(dim) + n;
    real attitude[9], *rates = (real *)batch->v1, *vm, *out;

    NAME(gather)(v1, batch->v, 0, n_v, rates);
    NAME(gather)(xm, batch->x, dim, NAME(attitude_size)(dim), attitude);
    vm = NAME(means)(n_v, batch);
    out = vm + n_v;
    NAME(residual)
    (dim, n, batch->body, gravity, batch->h, attitude, (const real *)batch->v0, rates, vm, batch->products, out + n_v,
     out);
    NAME(scatter)(out, batch->count, batch->v, n_v, res);
}

static void NAME(batch_residual)(phx_body_batch *batch, const double *gravity, const double *xm, const double *v1,
                                 double *res)
{
    PHX_WITH_KIND(batch->body, NAME(batch_residual_in), batch, gravity, xm, v1, res);
}

static inline void NAME(batch_arrow_in)(const int dim, const int n, phx_body_batch *batch, const double *gravity,
                                        const double *x1, const double *xm, double *arrow)
{
    const int n_v = dim + phx_rotations(dim) + n;
    real attitude1[9], attitude[9], *vm = NAME(means)(n_v, batch);

    NAME(gather)(x1, batch->x, dim, NAME(attitude_size)(dim), attitude1);
    NAME(gather)(xm, batch->x, dim, NAME(attitude_size)(dim), attitude);
    NAME(interval_arrow)
    (dim, n, batch->body, gravity, batch->h, attitude1, attitude, (const real *)batch->v0, (const real *)batch->v1, vm,
     batch->products, vm + n_v, (real *)arrow);
}

static void NAME(batch_arrow)(phx_body_batch *batch, const double *gravity, const double *x1, const double *xm,
                              double *arrow)
{
    PHX_WITH_KIND(batch->body, NAME(batch_arrow_in), batch, gravity, x1, xm, arrow);
}

static void NAME(batch_mass_arrow)(phx_body_batch *batch, const double *x, double *arrow)
{
    const phx_floating *body = batch->body;
    const NAME(products) *made = batch->products;
    const int dim = body->base.dim;
    real *q = (real *)batch->room;

    NAME(gather)(x, batch->x, dim + body->base.n_attitude, body->base.n_q, q);
    if (dim == 2)
        NAME(mass_arrow)(2, body, &made->own, q, q + body->base.n_q, (real *)arrow);
    else
        NAME(mass_arrow)(3, body, &made->own, q, q + body->base.n_q, (real *)arrow);
}

/* w0 + w1 */
static void NAME(batch_rates)(const phx_body_batch *batch, double *rates)
{
    const real *v0 = (const real *)batch->v0, *v1 = (const real *)batch->v1;
    real *out = (real *)rates;

    for (int k = 0; k < batch->body->base.n_rot; k++)
        out[k] = v0[batch->body->base.dim + k] + v1[batch->body->base.dim + k];
}

/* Kinetic energy of each lane; x NULL: in the undeformed configuration. energy has SIMD_WIDTH entries. */
static inline void NAME(batch_kinetic_in)(const int dim, const int n, const phx_body_batch *batch, const double *x,
                                          const double *v, double *energy)
{
    const phx_floating *body = batch->body;
    const NAME(products) *made = batch->products;
    const int n_v = dim + phx_rotations(dim) + n;
    real *rates = (real *)batch->room, *q = rates + n_v, result;
    const double *one = (const double *)&result;

    NAME(gather)(v, batch->v, 0, n_v, rates);
    if (x && n > 0)
        NAME(gather)(x, batch->x, dim + body->base.n_attitude, n, q);
    NAME(kinetic)(dim, n, body, &made->own, x ? q : NULL, rates, &result);
    for (int l = 0; l < SIMD_WIDTH; l++)
        energy[l] = one[l];
}

static void NAME(batch_kinetic)(const phx_body_batch *batch, const double *x, const double *v, double *energy)
{
    PHX_WITH_KIND(batch->body, NAME(batch_kinetic_in), batch, x, v, energy);
}

/* ---- condensation ---- */
static void NAME(batch_reduce)(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, double *Y,
                               double *matrix)
{
    if (batch->body->base.dim == 2)
        NAME(reduce)(2, condenser, (real *)arrow, (real *)Y, (real *)matrix);
    else
        NAME(reduce)(3, condenser, (real *)arrow, (real *)Y, (real *)matrix);
}

static void NAME(gather_internal)(const phx_body_batch *batch, const phx_condenser *condenser, const double *b,
                                  double *z)
{
    for (int p = 0; p < condenser->n_internal; p++)
        for (int l = 0; l < SIMD_WIDTH; l++)
            z[p * SIMD_WIDTH + l] = b[batch->v[l] + batch->body->base.n_rigid + condenser->internal[p]];
}

static void NAME(scatter_internal)(const phx_body_batch *batch, const phx_condenser *condenser, const double *z,
                                   double *b)
{
    for (int p = 0; p < condenser->n_internal; p++)
        for (int l = 0; l < batch->count; l++)
            b[batch->v[l] + batch->body->base.n_rigid + condenser->internal[p]] = z[p * SIMD_WIDTH + l];
}

/* First half of the condensed solution: eliminates the internal deformations of the right side z and adds their effect
 * to the kept unknowns in b. */
static void NAME(batch_begin_solve)(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow,
                                    double *z, double *b)
{
    const int n = batch->body->base.n_rigid + condenser->n_boundary;
    real *change = (real *)batch->room;
    const double *added = batch->room;

    NAME(clear)(n, change);
    if (batch->body->base.dim == 2)
        NAME(begin_solve)(2, condenser, (real *)arrow, (real *)z, change, change + 3);
    else
        NAME(begin_solve)(3, condenser, (real *)arrow, (real *)z, change, change + 6);
    for (int l = 0; l < batch->count; l++)
        for (int i = 0; i < n; i++)
            b[batch->c[l] + i] += added[i * SIMD_WIDTH + l];
}

static void NAME(batch_end_solve)(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow,
                                  const double *Y, const double *b, double *z)
{
    real *x = (real *)batch->room;

    NAME(gather)(b, batch->c, 0, batch->body->base.n_rigid + condenser->n_boundary, x);
    if (batch->body->base.dim == 2)
        NAME(end_solve)(2, condenser, (real *)arrow, (const real *)Y, x, x + 3, (real *)z);
    else
        NAME(end_solve)(3, condenser, (real *)arrow, (const real *)Y, x, x + 6, (real *)z);
}

/* sum_k w_k A_k d over the deformations of d: z are its internal ones and become those of the result, `d` and b are
 * condensed vectors. */
static void NAME(batch_lacking)(const phx_body_batch *batch, const phx_condenser *condenser, const double *rates,
                                const double *d, double *z, double *b)
{
    const phx_floating *body = batch->body;
    const int n = body->base.n_q, r = body->base.n_rigid;
    const real *w = (const real *)rates;
    real *whole = (real *)batch->room, *sum = whole + n, *each = sum + n, *internal = (real *)z;
    const double *result = (const double *)sum;

    for (int p = 0; p < condenser->n_internal; p++)
        whole[condenser->internal[p]] = internal[p];
    for (int k = 0; k < condenser->n_boundary; k++)
        NAME(gather)(d, batch->c, r + k, 1, whole + condenser->boundary[k]);
    NAME(multiply)(&body->compact->gyro, whole, each);
    for (int i = 0; i < n; i++) {
        sum[i] = w[0] * each[i];
        for (int k = 1; k < body->base.n_rot; k++)
            sum[i] += w[k] * each[k * n + i];
    }
    for (int p = 0; p < condenser->n_internal; p++)
        internal[p] = sum[condenser->internal[p]];
    for (int l = 0; l < batch->count; l++) {
        for (int i = 0; i < r; i++)
            b[batch->c[l] + i] = 0.0;
        for (int k = 0; k < condenser->n_boundary; k++)
            b[batch->c[l] + r + k] = result[condenser->boundary[k] * SIMD_WIDTH + l];
    }
}

/* ---- rows ---- */
/* The mass of rigid bodies is in front of its arrow block. */
static void NAME(batch_rows_mass)(const phx_body_batch_rows *rows, double *room)
{
    const NAME(products) *products = rows->batch->products;
    real *arrow = (real *)room, *rest = arrow + rows->n * rows->n;

    if (rows->batch->body->base.dim == 2)
        NAME(mass_arrow)(2, rows->batch->body, &products->own, NULL, rest, arrow);
    else
        NAME(mass_arrow)(3, rows->batch->body, &products->own, NULL, rest, arrow);
}

static void NAME(batch_rows_factor)(phx_body_batch_rows *rows, double *room)
{
    const int n = rows->n, stride = NAME(stride)(n);
    real *mass = (real *)room;

    NAME(batch_rows_mass)(rows, room);
    for (int i = n; i-- > 0;) /* stride n */
        for (int k = n; k-- > 0;)
            mass[i * stride + k] = mass[i * n + k];
    NAME(decompose)(n, mass, (real *)rows->L, (real *)rows->inverse);
}

static inline void NAME(batch_plain_schur_in)(const int dim, phx_body_batch_rows *rows, const double *x,
                                              const double *covectors, double *S)
{
    real attitude[9], *R = (real *)rows->frame, *E = (real *)rows->Z;

    NAME(gather)(x, rows->batch->x, dim, NAME(attitude_size)(dim), attitude);
    NAME(rotation)(dim, attitude, R);
    NAME(plain_rows)(dim, rows, R, covectors, E);
    NAME(plain_schur)(dim, rows, E, (real *)S);
}

/* 1/2 (m v + w x s) . v + 1/2 (s x v + J w) . w */
static inline void NAME(rigid_kinetic_in)(const int dim, const phx_body_batch *batch, const double *v, double *energy)
{
    const NAME(products) *known = batch->products;
    const int r = dim + phx_rotations(dim);
    real rates[6], p[6], sum = {0.0};
    const double *numbers = (const double *)&sum;

    NAME(gather)(v, batch->v, 0, r, rates);
    NAME(rigid_momenta)(dim, &known->own, known->own.s0, known->own.J0, NULL, NULL, rates, p);
    for (int i = 0; i < r; i++)
        sum += rates[i] * p[i];
    for (int l = 0; l < SIMD_WIDTH; l++)
        energy[l] = 0.5 * numbers[l];
}

static inline void NAME(batch_plain_push_in)(const int dim, const phx_body_batch_rows *rows, const double *mu,
                                             double *dv)
{
    real x[6];

    NAME(plain_push)(dim, rows, mu, x);
    NAME(scatter)(x, rows->batch->count, rows->batch->v, dim + phx_rotations(dim), dv);
}

/* With a condenser the mass is reduced and factored at x. */
static inline void NAME(batch_rows_schur_in)(const int dim, const int n, phx_body_batch_rows *body_batch_rows,
                                             const double *x, const double *v, const double *covectors, double *room,
                                             double *S, double *energy)
{
    const phx_body_batch *batch = body_batch_rows->batch;
    const phx_floating *body = batch->body;
    const NAME(products) *known = batch->products;
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n_boundary = n - r, n_q = body->base.n_q;
    real attitude[9], R[9], *boundary = (real *)room, *Y = boundary + n_boundary,
                            *rest = Y + NAME(stride)(body_batch_rows->n_rows) * n;

    NAME(gather)(x, batch->x, dim, NAME(attitude_size)(dim), attitude);
    NAME(rotation)(dim, attitude, R);
    if (body_batch_rows->condenser) {
        const int stride = NAME(stride)(n);
        real *q = rest + n * stride, *rates = q + n_q, *rows = rates + body->base.n_v, s[3], pair[PHX_MAX_PAIR], result;
        const double *numbers = (const double *)&result;
        NAME(gather)(x, batch->x, dim + body->base.n_attitude, n_q, q);
        NAME(gather)(v, batch->v, 0, body->base.n_v, rates);
        for (int k = 0; k < n_boundary; k++)
            boundary[k] = q[body_batch_rows->condenser->boundary[k]];
        NAME(mass_parts)(dim, body, &known->own, q, rates, rows + n_rot * n_q, rows, s, pair, &result);
        for (int l = 0; l < SIMD_WIDTH; l++)
            energy[l] = numbers[l];
        if (body_batch_rows->modal) {
            NAME(factor_modal)(dim, body_batch_rows, &known->own, s, pair, rows, rest);
        } else {
            NAME(reduce_mass)
            (dim, body_batch_rows->condenser, &known->own, s, pair, rows, stride, (real *)body_batch_rows->influence,
             rest);
            NAME(decompose)(n, rest, (real *)body_batch_rows->L, (real *)body_batch_rows->inverse);
        }
    }
    NAME(all_rows)(dim, n, body_batch_rows, R, boundary, covectors, rest, Y);
    NAME(solve_rows)(n, body_batch_rows, Y, (real *)body_batch_rows->Z);
    NAME(multiply_rows)(n, body_batch_rows->n_rows, Y, (const real *)body_batch_rows->Z, (real *)S);
}

/* S = G M^-1 G^T of the rows on a batch and its kinetic energies, through a kernel with constant sizes for rigid
 * bodies. A `plain` batch needs no factorisation of M. */
static void NAME(batch_rows_schur)(phx_body_batch_rows *rows, const double *x, const double *v, const double *covectors,
                                   double *room, double *S, double *energy)
{
    const bool plane = rows->batch->body->base.dim == 2;

    if (!rows->condenser && plane)
        NAME(rigid_kinetic_in)(2, rows->batch, v, energy);
    else if (!rows->condenser)
        NAME(rigid_kinetic_in)(3, rows->batch, v, energy);
    if (rows->plain && plane)
        NAME(batch_plain_schur_in)(2, rows, x, covectors, S);
    else if (rows->plain)
        NAME(batch_plain_schur_in)(3, rows, x, covectors, S);
    else if (plane && !rows->condenser)
        NAME(batch_rows_schur_in)(2, 3, rows, x, v, covectors, room, S, energy);
    else if (plane)
        NAME(batch_rows_schur_in)(2, rows->n, rows, x, v, covectors, room, S, energy);
    else if (!rows->condenser)
        NAME(batch_rows_schur_in)(3, 6, rows, x, v, covectors, room, S, energy);
    else
        NAME(batch_rows_schur_in)(3, rows->n, rows, x, v, covectors, room, S, energy);
}

/* Internal coordinates from the others: -(Y w + Z v + T boundary). */
static inline void NAME(push_internal)(const int dim, const phx_body_batch_rows *rows, const real *x, double *dv)
{
    const phx_condenser *condenser = rows->condenser;
    const phx_body_batch *batch = rows->batch;
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    const real *Y = (const real *)rows->influence;

    for (int p = 0; p < condenser->n_internal; p++) {
        real sum = {0.0};
        const double *numbers = (const double *)&sum;
        for (int k = 0; k < n_rot; k++)
            sum -= Y[p * n_rot + k] * x[dim + k];
        for (int a = 0; a < dim; a++)
            sum -= condenser->pull[p * dim + a] * x[a];
        for (int e = condenser->influence.ptr[p]; e < condenser->influence.ptr[p + 1]; e++)
            sum -= condenser->influence.val[e] * x[r + condenser->influence.idx[e]];
        for (int l = 0; l < batch->count; l++)
            dv[batch->v[l] + r + condenser->internal[p]] = numbers[l];
    }
}

/* dv = M^-1 G^T mu for rows on bodies whose mass matrix is factored, scattered to rigid velocities, kept and internal
 * deformations. */
static inline void NAME(batch_rows_push_in)(const int dim, const int n, const phx_body_batch_rows *rows,
                                            const double *mu, double *dv)
{
    const phx_body_batch *batch = rows->batch;
    const int r = dim + phx_rotations(dim);
    real *x = (real *)batch->room;
    const double *numbers = batch->room;

    NAME(push_rows)(n, rows, mu, x);
    NAME(scatter)(x + NAME(first_rigid)(rows, r), batch->count, batch->v, r, dv);
    for (int l = 0; l < batch->count; l++)
        for (int k = 0; k < n - r; k++)
            dv[batch->v[l] + r + rows->condenser->boundary[k]] =
                numbers[(NAME(first_coordinate)(rows, r) + k) * SIMD_WIDTH + l];
    if (rows->condenser)
        NAME(push_internal)(dim, rows, x, dv);
}

/* dv = M^-1 G^T mu, through the kernel with constant sizes that fits the batch. */
static void NAME(batch_rows_push)(const phx_body_batch_rows *rows, const double *mu, double *dv)
{
    if (rows->plain && rows->batch->body->base.dim == 2)
        NAME(batch_plain_push_in)(2, rows, mu, dv);
    else if (rows->plain)
        NAME(batch_plain_push_in)(3, rows, mu, dv);
    else if (rows->batch->body->base.dim == 2 && !rows->condenser)
        NAME(batch_rows_push_in)(2, 3, rows, mu, dv);
    else if (rows->batch->body->base.dim == 2)
        NAME(batch_rows_push_in)(2, rows->n, rows, mu, dv);
    else if (!rows->condenser)
        NAME(batch_rows_push_in)(3, 6, rows, mu, dv);
    else
        NAME(batch_rows_push_in)(3, rows->n, rows, mu, dv);
}

const batch_operations OPERATIONS = {
    .rigid_size = sizeof(NAME(products)),
    .bending_size = sizeof(NAME(bending)),
    .connect = NAME(connect),
    .begin = NAME(batch_begin),
    .move = NAME(batch_move),
    .residual = NAME(batch_residual),
    .arrow = NAME(batch_arrow),
    .mass_arrow = NAME(batch_mass_arrow),
    .reduce = NAME(batch_reduce),
    .gather_internal = NAME(gather_internal),
    .scatter_internal = NAME(scatter_internal),
    .begin_solve = NAME(batch_begin_solve),
    .end_solve = NAME(batch_end_solve),
    .lacking = NAME(batch_lacking),
    .rates = NAME(batch_rates),
    .kinetic = NAME(batch_kinetic),
    .rows_mass = NAME(batch_rows_mass),
    .rows_factor = NAME(batch_rows_factor),
    .rows_schur = NAME(batch_rows_schur),
    .rows_push = NAME(batch_rows_push),
};
