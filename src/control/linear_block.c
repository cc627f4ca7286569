/* Linear controllers: state_space and port_hamiltonian. Over an interval, theory 13 (2) and (3),
 *
 *     z_mean = F (z0 + h/2 B e),   F = (I - h/2 A)^-1
 *     u      = C z_mean + D e,     S = D + C F B h/2,     z1 = 2 z_mean - z0
 *
 * and for port_hamiltonian, E z' = (J - R) Q z + (B - P) y, theory 13 (4) and (5),
 *
 *     H(z1) - H(z0) = z_mean^T Q^T E (z1 - z0) = h (y^T y_c - (Q z_mean, y)^T W (Q z_mean, y)),   u = -y_c
 *
 * to rounding, H = 1/2 z^T Q^T E z, W = [R P; P^T S]. */
#include "block.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-12; /* relative to the largest entry, the largest eigenvalue */

/* Kept while h stays the same: h, F (n x n), h/2 F B (n x inputs), S (outputs x inputs), z_mean (n). */
typedef struct kept {
    double *h, *F, *G, *S, *z;
} kept;

static size_t linear_room(const phx_block *block)
{
    const size_t n = (size_t)block->n, in = (size_t)block->n_inputs, out = (size_t)block->n_outputs;
    return 1 + n * n + n * in + out * in + 2 * n;
}

static kept in_room(const phx_block *block, double *room)
{
    const int n = block->n;
    double *F = room + 1, *G = F + n * n, *S = G + n * block->n_inputs;
    return (kept){.h = room, .F = F, .G = G, .S = S, .z = S + block->n_outputs * block->n_inputs};
}

/* Prepares the midpoint rule for step h: F = (I - h/2 A)^-1, G = h/2 F B and S = D + C G. PHX_SINGULAR if F does not
 * exist. */
static phx_status linear_block_keep(const phx_block *block, phx_context *context, double h, const kept *to)
{
    const int n = block->n, in = block->n_inputs, out = block->n_outputs;
    phx_status status = PHX_OK;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to->F[i * n + j] = (double)(i == j) - 0.5 * h * block->A[i * n + j];
    if (n > 0)
        status = phx_dense_inverse(context, n, to->F);
    if (status)
        return phx_fail(context, PHX_SINGULAR,
                        "controller '%s': its equations cannot be solved with a step of %g s; take a shorter one",
                        block->name, h);
    memcpy(to->S, block->D, (size_t)(out * in) * sizeof *to->S);
    if (n > 0 && in > 0) {
        phx_dense_multiply(false, false, n, in, n, 0.5 * h, to->F, n, block->B, in, 0.0, to->G, in);
        phx_dense_multiply(false, false, out, in, n, 1.0, block->C, n, to->G, in, 1.0, to->S, in);
    }
    *to->h = h;
    return PHX_OK;
}

static double row(int n, const double *a, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * x[k];
    return sum;
}

static double quadratic(int n, const double *W, const double *a, const double *b, int split)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += (i < split ? a[i] : b[i - split]) * W[i * n + j] * (j < split ? a[j] : b[j - split]);
    return sum;
}

/* Midpoint step of a linear controller, theory 13 (2): mean state z = F z0 + G e, z1 = 2 z - z0, u = C z + D e + f. The
 * matrices are recomputed only if h has changed. */
static phx_status linear_interval(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                                  const double *e, const double *f, double *room, phx_block_result *result)
{
    const int n = block->n, in = block->n_inputs, out = block->n_outputs;
    const kept old = in_room(block, room);
    phx_status status = h == 0.0 || *old.h == h ? PHX_OK : linear_block_keep(block, context, h, &old);

    (void)t;
    if (status)
        return status;
    for (int i = 0; i < n; i++)
        old.z[i] = h == 0.0 ? z0[i] : row(n, old.F + i * n, z0) + row(in, old.G + i * in, e);
    for (int i = 0; i < n && h != 0.0; i++)
        result->z1[i] = 2.0 * old.z[i] - z0[i];
    for (int k = 0; k < out; k++)
        result->u[k] = row(n, block->C + k * n, old.z) + row(in, block->D + k * in, e) + f[k];
    if (result->S)
        memcpy(result->S, h == 0.0 ? block->D : old.S, (size_t)(out * in) * sizeof *result->S);
    if (block->loss)
        result->dissipation = quadratic(n + in, block->loss, old.z, e, n);
    return PHX_OK;
}

static phx_status linear_sample(const phx_block *block, phx_context *context, double t, double *z, const double *e,
                                const double *f, double *room, double *u)
{
    const int n = block->n, in = block->n_inputs;
    const kept old = in_room(block, room);

    (void)context, (void)t;
    for (int k = 0; k < block->n_outputs; k++)
        u[k] = row(n, block->C + k * n, z) + row(in, block->D + k * in, e) + f[k];
    for (int i = 0; i < n; i++)
        old.z[i] = row(n, block->A + i * n, z) + row(in, block->B + i * in, e);
    memcpy(z, old.z, (size_t)n * sizeof *z);
    return PHX_OK;
}

static void linear_rates(const phx_block *block, const double *f, const double *z, const double *e, double *A,
                         double *B)
{
    const size_t n = (size_t)block->n;

    (void)f, (void)z, (void)e;
    if (A)
        memcpy(A, block->A, n * n * sizeof *A);
    if (B)
        memcpy(B, block->B, n * (size_t)block->n_inputs * sizeof *B);
}

static void linear_discrete(const phx_block *block, double t, const double *e, bool limited, double *room, double *A,
                            double *B, double *C, double *D)
{
    const size_t n = (size_t)block->n, in = (size_t)block->n_inputs, out = (size_t)block->n_outputs;

    (void)t, (void)e, (void)limited, (void)room;
    linear_rates(block, NULL, NULL, NULL, A, B);
    memcpy(C, block->C, out * n * sizeof *C);
    memcpy(D, block->D, out * in * sizeof *D);
}

static void linear_flow(const phx_block *block, const double *f, const double *z, const double *e, double *z_dot)
{
    (void)f;
    for (int i = 0; i < block->n; i++)
        z_dot[i] = row(block->n, block->A + i * block->n, z) + row(block->n_inputs, block->B + i * block->n_inputs, e);
}

static phx_status make_arrays(phx_context *context, phx_block *block, int n)
{
    const size_t states = (size_t)n, in = (size_t)block->n_inputs, out = (size_t)block->n_outputs;

    block->n = n;
    block->A = phx_calloc(context, states * states, sizeof *block->A);
    block->B = phx_calloc(context, states * in, sizeof *block->B);
    block->C = phx_calloc(context, out * states, sizeof *block->C);
    block->D = phx_calloc(context, out * in, sizeof *block->D);
    return block->A && block->B && block->C && block->D ? PHX_OK : PHX_ERR_MEMORY;
}

/* Copies A, B, C, D of a state-space controller, which must be finite; missing ones are zero. */
static phx_status begin_state_space(phx_context *context, const phx_controller_def *def, phx_block *block)
{
    const size_t n = (size_t)def->n, in = (size_t)block->n_inputs, out = (size_t)block->n_outputs;
    const struct {
        const char *name;
        const double *from;
        double **to;
        size_t count;
    } parts[] = {{"A", def->A, &block->A, n * n},
                 {"B", def->B, &block->B, n * in},
                 {"C", def->C, &block->C, out * n},
                 {"D", def->D, &block->D, out * in}};

    if (def->n < 0 || block->n_inputs < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': %d states, %d inputs; expected inputs",
                        block->name, def->n, block->n_inputs);
    phx_status status = make_arrays(context, block, def->n);
    for (size_t k = 0; k < 4 && !status; k++) {
        status = phx_block_check_finite(context, block->name, parts[k].name, parts[k].count, parts[k].from);
        if (!status && parts[k].from)
            memcpy(*parts[k].to, parts[k].from, parts[k].count * sizeof(double));
    }
    return status;
}

/* ---- port_hamiltonian ---- */
static double linear_block_size_of(size_t count, const double *a)
{
    double size = 0.0;
    for (size_t k = 0; k < count; k++)
        size = fmax(size, fabs(a[k]));
    return size;
}

/* A + sign A^T is zero up to rounding. */
static phx_status linear_block_check_symmetry(phx_context *context, const phx_block *block, const char *what, int n,
                                              const double *a, double sign)
{
    const double size = linear_block_size_of((size_t)(n * n), a);

    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (fabs(a[i * n + j] - sign * a[j * n + i]) > ROUNDING * size)
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "controller '%s': %s is not %s: its entries (%d, %d) and (%d, %d) are %g and %g",
                                block->name, what, sign > 0.0 ? "symmetric" : "skew", i + 1, j + 1, j + 1, i + 1,
                                a[i * n + j], a[j * n + i]);
    return PHX_OK;
}

/* No negative eigenvalue up to rounding; `a` is symmetric. */
static phx_status check_semidefinite(phx_context *context, const phx_block *block, const char *what, int n,
                                     const double *a)
{
    double *values = phx_calloc(context, (size_t)n, sizeof *values);
    phx_status status = values ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && n > 0)
        status = phx_dense_eigen_symmetric(context, n, a, NULL, values, NULL);
    if (!status && n > 0 && values[0] < -ROUNDING * fmax(fabs(values[n - 1]), fabs(values[0])))
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "controller '%s': %s has the eigenvalue %g, expected none below zero; it would make energy",
                          block->name, what, values[0]);
    phx_free(values);
    return status;
}

/* The matrices as given, missing ones filled in. */
typedef struct ph_parts {
    double *E, *J, *R, *Q, *B, *P, *S, *N;
} ph_parts;

static double *identity(phx_context *context, int n)
{
    double *a = phx_calloc(context, (size_t)(n * n), sizeof *a);
    for (int i = 0; a && i < n; i++)
        a[i * n + i] = 1.0;
    return a;
}

/* Copies the matrices of a port-Hamiltonian controller; E and Q default to the identity, others to zero. */
static phx_status fill_parts(phx_context *context, const phx_controller_def *def, const phx_block *block,
                             ph_parts *parts)
{
    const size_t n = (size_t)def->n, in = (size_t)block->n_inputs;
    const struct {
        const char *name;
        const double *from;
        double **to;
        size_t count;
        bool unit;
    } all[] = {{"E", def->E, &parts->E, n * n, true},    {"J", def->J, &parts->J, n * n, false},
               {"R", def->R, &parts->R, n * n, false},   {"Q", def->Q, &parts->Q, n * n, true},
               {"B", def->B, &parts->B, n * in, false},  {"P", def->P, &parts->P, n * in, false},
               {"S", def->S, &parts->S, in * in, false}, {"N", def->N, &parts->N, in * in, false}};
    phx_status status = PHX_OK;

    for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++) {
        status = phx_block_check_finite(context, block->name, all[k].name, all[k].count, all[k].from);
        if (!status)
            *all[k].to = all[k].unit && !all[k].from ? identity(context, def->n)
                                                     : phx_block_copy(context, all[k].count, all[k].from);
        if (!status && !*all[k].to)
            status = PHX_ERR_MEMORY;
    }
    return status;
}

static void linear_block_free_parts(ph_parts *p)
{
    double *arrays[] = {p->E, p->J, p->R, p->Q, p->B, p->P, p->S, p->N};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
}

/* storage = Q^T E;  loss = [Q^T R Q  Q^T P; P^T Q  S] */
static phx_status make_energy(phx_context *context, const ph_parts *p, phx_block *block)
{
    const int n = block->n, in = block->n_inputs, all = n + in;
    double *RQ = phx_calloc(context, (size_t)(n * n), sizeof *RQ), *W;

    block->storage = phx_calloc(context, (size_t)(n * n), sizeof *block->storage);
    block->loss = W = phx_calloc(context, (size_t)(all * all), sizeof *W);
    if (!RQ || !block->storage || !W) {
        phx_free(RQ);
        return PHX_ERR_MEMORY;
    }
    if (n > 0) {
        phx_dense_multiply(true, false, n, n, n, 1.0, p->Q, n, p->E, n, 0.0, block->storage, n);
        phx_dense_multiply(false, false, n, n, n, 1.0, p->R, n, p->Q, n, 0.0, RQ, n);
        phx_dense_multiply(true, false, n, n, n, 1.0, p->Q, n, RQ, n, 0.0, W, all);
        phx_dense_multiply(true, false, n, in, n, 1.0, p->Q, n, p->P, in, 0.0, W + n, all);
        phx_dense_multiply(true, false, in, n, n, 1.0, p->P, in, p->Q, n, 0.0, W + n * all, all);
    }
    for (int i = 0; i < in; i++)
        memcpy(W + (n + i) * all + n, p->S + i * in, (size_t)in * sizeof *W);
    phx_free(RQ);
    phx_status status = linear_block_check_symmetry(context, block, "Q^T E", n, block->storage, 1.0);
    if (!status)
        status = check_semidefinite(context, block, "Q^T E", n, block->storage);
    return status ? status : check_semidefinite(context, block, "W = [R P; P^T S]", all, W);
}

/* A = E^-1 (J - R) Q, B = E^-1 (B - P), C = -(B + P)^T Q, D = -(S + N). */
static phx_status make_state_space(phx_context *context, const ph_parts *p, phx_block *block)
{
    const int n = block->n, in = block->n_inputs;

    for (int k = 0; k < n * n; k++)
        p->J[k] -= p->R[k];
    for (int k = 0; k < n * in; k++) {
        const double b = p->B[k];
        block->B[k] = b - p->P[k];
        p->P[k] += b;
    }
    for (int k = 0; k < in * in; k++)
        block->D[k] = -(p->S[k] + p->N[k]);
    if (n == 0)
        return PHX_OK;
    phx_dense_multiply(false, false, n, n, n, 1.0, p->J, n, p->Q, n, 0.0, block->A, n);
    phx_dense_multiply(true, false, in, n, n, -1.0, p->P, in, p->Q, n, 0.0, block->C, n);
    phx_status status = phx_dense_inverse(context, n, p->E);
    if (status == PHX_SINGULAR)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "controller '%s': E is singular; eliminate its algebraic states first", block->name);
    if (status)
        return status;
    memcpy(p->J, block->A, (size_t)(n * n) * sizeof *p->J);
    memcpy(p->P, block->B, (size_t)(n * in) * sizeof *p->P);
    phx_dense_multiply(false, false, n, n, n, 1.0, p->E, n, p->J, n, 0.0, block->A, n);
    phx_dense_multiply(false, false, n, in, n, 1.0, p->E, n, p->P, in, 0.0, block->B, in);
    return PHX_OK;
}

/* Builds a port-Hamiltonian controller: checks the symmetries of J, R, S and N, then derives its storage, dissipation
 * and state space. */
static phx_status begin_port_hamiltonian(phx_context *context, const phx_controller_def *def, phx_block *block)
{
    ph_parts parts = {0};
    const int in = block->n_outputs;

    if (block->n_inputs != block->n_outputs)
        return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': %d inputs and %d outputs; a port has one of each",
                        block->name, block->n_inputs, block->n_outputs);
    phx_status status = make_arrays(context, block, def->n);
    if (!status)
        status = fill_parts(context, def, block, &parts);
    if (!status)
        status = linear_block_check_symmetry(context, block, "J", def->n, parts.J, -1.0);
    if (!status)
        status = linear_block_check_symmetry(context, block, "R", def->n, parts.R, 1.0);
    if (!status)
        status = linear_block_check_symmetry(context, block, "S", in, parts.S, 1.0);
    if (!status)
        status = linear_block_check_symmetry(context, block, "N", in, parts.N, -1.0);
    if (!status)
        status = make_energy(context, &parts, block);
    if (!status)
        status = make_state_space(context, &parts, block);
    linear_block_free_parts(&parts);
    return status;
}

static double storage(const phx_block *block, const double *z)
{
    return 0.5 * quadratic(block->n, block->storage, z, NULL, block->n);
}

const phx_block_ops phx_block_state_space = {.name = "state_space",
                                             .begin = begin_state_space,
                                             .interval = linear_interval,
                                             .sample = linear_sample,
                                             .discrete = linear_discrete,
                                             .rates = linear_rates,
                                             .flow = linear_flow,
                                             .room = linear_room,
                                             .limits = true};
const phx_block_ops phx_block_port_hamiltonian = {.name = "port_hamiltonian",
                                                  .begin = begin_port_hamiltonian,
                                                  .interval = linear_interval,
                                                  .rates = linear_rates,
                                                  .flow = linear_flow,
                                                  .energy = storage,
                                                  .room = linear_room};
