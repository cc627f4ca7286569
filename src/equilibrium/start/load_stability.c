/* Whether a quasi-static equilibrium is stable: the stiffness K_t of the deformed mechanism, loads at rest, against
 * that of its material K, over the deformations with closed joints:
 *
 *     Z^T K_t Z y = mu Z^T K Z y,      Z: null space of the joints.
 *
 * Without loads mu = 1; the loads of a buckling or limit point make the least mu zero. Velocities are left out: what
 * turns fast may be stable by its gyroscopic forces. So are mechanisms that can move without deformation, which answer
 * loads by moving. */
#include "deformed.h"
#include "equilibrium/tolerances.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 600 }; /* deformations; more are taken as stable */

/* Z (n_v x count, allocated) at the state that d has been evaluated at. */
static phx_status closed_deformations(phx_context *context, const dense *d, double **Z, int *count)
{
    const int n = d->n_v, rows = d->m + d->n_r;
    double *C = phx_calloc(context, (size_t)rows * (size_t)n, sizeof *C);
    int rank = 0;

    if (!C)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < rows; k++) {
        const int from = k < d->m ? n + k : n + d->m + k;
        double *row = C + (size_t)k * (size_t)n, largest = 0.0;
        memcpy(row, d->A + (size_t)from * (size_t)d->cols, (size_t)n * sizeof *row);
        for (int j = 0; j < n; j++)
            largest = fmax(largest, fabs(row[j]));
        for (int j = 0; j < n && largest > 0.0; j++)
            row[j] /= largest;
    }
    const phx_status status = phx_dense_nullspace(context, rows, n, C, DEPENDENT_ROWS, &rank, Z);
    *count = n - rank;
    phx_free(C);
    return status;
}

/* The material's K of all bodies, of the system's. */
static void put_material(const dense *d, int n, double *K)
{
    const phx_system *system = d->system;

    memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
    for (int b = 0; b < phx_system_bodies(system); b++) {
        double *block = K + (size_t)(phx_system_placed(system, b).v + d->rigid_each) * (size_t)(n + 1);
        phx_csr own;
        if (!phx_body_stiffness(phx_system_body(system, b), &own))
            continue;
        for (int i = 0; i < own.rows; i++)
            for (int e = own.ptr[i]; e < own.ptr[i + 1]; e++)
                block[(size_t)i * (size_t)n + (size_t)own.idx[e]] = own.val[e];
    }
}

static void put_tangent(const phx_equations *e, int n, double *K)
{
    memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
    for (int i = 0; i < n; i++)
        for (int k = e->ptr[i]; k < e->ptr[i + 1]; k++)
            if (e->idx[k] < n)
                K[(size_t)i * (size_t)n + (size_t)e->idx[k]] = e->K[k];
}

/* out = Z^T K Z; room: n x count. */
static void restrict_to(int n, int count, const double *K, const double *Z, double *room, double *out)
{
    phx_dense_multiply(false, false, n, count, n, 1.0, K, n, Z, count, 0.0, room, count);
    phx_dense_multiply(true, false, count, count, n, 1.0, Z, count, room, count, 0.0, out, count);
}

/* Loads with a potential have a symmetric tangent; makes it exactly so. */
static bool symmetric(int n, double *K)
{
    static const double SYMMETRIC = 1e-12; /* squares of the skew part, relative to those of K */
    double skew = 0.0, size = 0.0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double a = K[i * n + j], b = K[j * n + i];
            skew += (a - b) * (a - b);
            size += (a + b) * (a + b);
            K[i * n + j] = K[j * n + i] = 0.5 * (a + b);
        }
    for (int i = 0; i < n; i++)
        size += K[i * n + i] * K[i * n + i];
    return skew <= SYMMETRIC * size;
}

/* Whether K, scaled to a diagonal of ones by d (room: n), has a Cholesky factor. */
static bool positive(int n, const double *K, double *d)
{
    double *L = phx_calloc(NULL, (size_t)n * (size_t)n, sizeof *L);
    bool done = L != NULL;

    for (int i = 0; i < n && done; i++) {
        done = K[(size_t)i * (size_t)(n + 1)] > 0.0;
        d[i] = done ? 1.0 / sqrt(K[(size_t)i * (size_t)(n + 1)]) : 0.0;
    }
    for (int i = 0; i < n && done; i++)
        for (int j = 0; j < n; j++)
            L[(size_t)i * (size_t)n + (size_t)j] = d[i] * K[(size_t)i * (size_t)n + (size_t)j] * d[j];
    done = done && phx_dense_cholesky(NULL, n, L) == PHX_OK;
    phx_free(L);
    return done;
}

/* The body whose material takes most of the mode Z y. */
static int body_of_mode(const dense *d, int count, const double *Z, const double *y, int stride)
{
    const phx_system *system = d->system;
    double most = 0.0;
    int body = -1;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const int first = phx_system_placed(system, b).v + d->rigid_each;
        double energy = 0.0;
        phx_csr own;
        if (!phx_body_stiffness(phx_system_body(system, b), &own))
            continue;
        for (int i = 0; i < own.rows; i++)
            for (int e = own.ptr[i]; e < own.ptr[i + 1]; e++) {
                double left = 0.0, right = 0.0;
                for (int k = 0; k < count; k++) {
                    left += Z[(size_t)(first + i) * (size_t)count + (size_t)k] * y[k * stride];
                    right += Z[(size_t)(first + own.idx[e]) * (size_t)count + (size_t)k] * y[k * stride];
                }
                energy += left * own.val[e] * right;
            }
        if (energy > most) {
            most = energy;
            body = b;
        }
    }
    return body;
}

/* The least eigenvalue of the pair at Z. */
static phx_status least_stiffness(const dense *d, const double *Z, int count, double *least, int *body)
{
    phx_context *context = d->dae->context;
    const size_t n = (size_t)d->n_v, c = (size_t)count;
    double *K = phx_calloc(context, n * n, sizeof *K), *room = phx_calloc(context, n * c, sizeof *room);
    double *Kt = phx_calloc(context, c * c, sizeof *Kt), *Km = phx_calloc(context, c * c, sizeof *Km);
    double *values = phx_calloc(context, c, sizeof *values), *modes = NULL;
    phx_status status = K && room && Kt && Km && values ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && body && !(modes = phx_calloc(context, c * c, sizeof *modes)))
        status = PHX_ERR_MEMORY;
    if (!status) {
        put_tangent(&d->e, d->n_v, K);
        restrict_to(d->n_v, count, K, Z, room, Kt);
        put_material(d, d->n_v, K);
        restrict_to(d->n_v, count, K, Z, room, Km);
    }
    if (!status && symmetric(count, Kt) && !(positive(count, Kt, values) && !body)) {
        symmetric(count, Km);
        status = phx_dense_eigen_symmetric(context, count, Kt, Km, values, modes);
        if (!status)
            *least = values[0];
        if (!status && body)
            *body = body_of_mode(d, count, Z, modes, count);
        if (status == PHX_SINGULAR || status == PHX_NOT_CONVERGED) { /* joints leave motions that no material holds */
            phx_context_clear(context);
            status = PHX_OK;
        }
    }
    double *arrays[] = {K, room, Kt, Km, values, modes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
    return status;
}

/* Smallest ratio mu of tangent to material stiffness over the deformations with closed joints; *least <= 0 means
 * unstable. 1 if the mechanism is too large to be tested or can move without deformation; *body, optional, deforms
 * most. */
phx_status phx_deformed_stability(double t, const double *x, const dense *d, double *least, int *body)
{
    double *Z = NULL, *rest = NULL;
    int count = 0;
    phx_status status = PHX_OK;

    *least = 1.0;
    if (body)
        *body = -1;
    if (d->n_v > LARGEST || d->n_free > 0)
        return PHX_OK;
    status = closed_deformations(d->dae->context, d, &Z, &count);
    if (!status && count > 0) {
        rest = phx_calloc(d->dae->context, (size_t)d->n_v, sizeof *rest);
        status = rest ? phx_system_linearise_part(d->dae, d->load, t, x, rest, d->lambda, d->K) : PHX_ERR_MEMORY;
        if (!status)
            status = least_stiffness(d, Z, count, least, body);
    }
    phx_free(rest);
    phx_free(Z);
    return status;
}

/* Tests whether the equilibrium (x, a, lambda) is stable by the same criterion; true for mechanisms without deformation
 * and those that are not tested. */
phx_status phx_deformed_is_stable(phx_system *system, double t, const double *x, double *v, const double *a,
                                  const double *lambda, bool *stable)
{
    double least = 1.0;
    int deformations = 0;
    dense d;

    *stable = true;
    for (int b = 0; b < phx_system_bodies(system); b++)
        deformations += phx_body_n_q(phx_system_body(system, b));
    if (deformations == 0 || phx_system_n_v(system) > LARGEST || !phx_deformed_fits(system))
        return PHX_OK;
    phx_status status = phx_deformed_create(system, &d);
    if (!status) {
        memcpy(d.a, a, (size_t)d.n_v * sizeof *a);
        memcpy(d.lambda, lambda, (size_t)d.m * sizeof *lambda);
        status = phx_deformed_evaluate(system, t, x, v, &d);
    }
    if (!status)
        status = phx_deformed_stability(t, x, &d, &least, NULL);
    phx_deformed_free(&d);
    *stable = least > 0.0;
    return status;
}
