/* Interconnection and damping assignment for mechanisms (Ortega, Spong, Gomez-Estern, Blankenstein: IEEE Trans.
 * Automatic Control 47 (2002) 1218). The mechanism in joint coordinates, H = 1/2 p^T M^-1 p + V, p = M q', becomes
 *
 *     | q' |   |  0           M^-1 M_d          |
 *     | p' | = | -M_d M^-1    J_2 - G K_v G^T   | grad H_d,      H_d = 1/2 p^T M_d^-1 p + V_d
 *
 * by the efforts u along some of the coordinates, G their unit vectors: with w = M_d^-1 p = grad_p H_d
 *
 *     e = grad_q H - M_d M^-1 grad_q H_d + J_2 w,     u = G^T e - K_v G^T w
 *
 * if the other entries of e vanish, the matching condition. Then dH_d/dt = -w^T G K_v G^T w. */
#include "block.h"

#include <math.h>
#include <string.h>

/* ---- making ---- */
phx_status phx_ida_pbc_create(phx_context *context, int n, int m, const int *actuated, const double *K_v,
                              const double *region, phx_ida_pbc **made)
{
    phx_ida_pbc *pbc = phx_calloc(context, 1, sizeof *pbc);
    const size_t N = (size_t)n, M = (size_t)m;

    *made = NULL;
    if (!pbc)
        return PHX_ERR_MEMORY;
    pbc->context = context;
    pbc->n = n;
    pbc->m = m;
    pbc->programs = phx_calloc(context, (size_t)phx_ida_pbc_programs(n), sizeof *pbc->programs);
    pbc->actuated = phx_calloc(context, M, sizeof *pbc->actuated);
    pbc->K_v = phx_block_copy(context, M * M, K_v);
    pbc->region = phx_calloc(context, 2 * N, sizeof *pbc->region);
    pbc->room = phx_calloc(context, 1 + 2 * N + 5 * N * N + 2 * N * N * N + 10 * N, sizeof *pbc->room);
    if (!pbc->programs || !pbc->actuated || !pbc->K_v || !pbc->region || !pbc->room) {
        phx_ida_pbc_free(pbc);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < m && actuated; k++)
        pbc->actuated[k] = actuated[k];
    for (int k = 0; k < 2 * n; k++)
        pbc->region[k] = region ? region[k] : k % 2 ? 1.0 : -1.0;
    *made = pbc;
    return PHX_OK;
}

/* Frees the data of an energy-shaping controller; NULL is allowed. */
void phx_ida_pbc_free(void *data)
{
    phx_ida_pbc *pbc = data;

    if (!pbc)
        return;
    for (int k = 0; k < phx_ida_pbc_programs(pbc->n) && pbc->programs; k++)
        phx_program_destroy(pbc->programs[k]);
    phx_free(pbc->programs);
    phx_free(pbc->actuated);
    phx_free(pbc->K_v);
    phx_free(pbc->region);
    phx_free(pbc->room);
    phx_free(pbc);
}

/* ---- evaluating ---- */
/* Matrices at q with their derivatives, and vectors of n, all in the room of the controller. */
typedef struct shaping {
    double *variables;             /* t, q, q' */
    double *M, *M_d, *J_2;         /* n x n */
    double *dM, *dM_d;             /* n times n x n: by each coordinate */
    double V, V_d, *dV, *dV_d;     /* n */
    double *p, *w, *g, *g_d;       /* momenta, M_d^-1 p, gradients of H and H_d by q */
    double *work;                  /* 2 n x n */
    double *e, *size, *column, *z; /* n */
} shaping;

/* Lays out the vectors and matrices of one evaluation in the work array. */
static shaping in_room(const phx_ida_pbc *pbc)
{
    const size_t n = (size_t)pbc->n, cells = n * n;
    double *vectors = pbc->room + 1 + 2 * n, *matrices = vectors + 10 * n;

    return (shaping){.variables = pbc->room,
                     .dV = vectors,
                     .dV_d = vectors + n,
                     .p = vectors + 2 * n,
                     .w = vectors + 3 * n,
                     .g = vectors + 4 * n,
                     .g_d = vectors + 5 * n,
                     .e = vectors + 6 * n,
                     .size = vectors + 7 * n,
                     .column = vectors + 8 * n,
                     .z = vectors + 9 * n,
                     .M = matrices,
                     .M_d = matrices + cells,
                     .J_2 = matrices + 2 * cells,
                     .work = matrices + 3 * cells,
                     .dM = matrices + 5 * cells,
                     .dM_d = matrices + (5 + n) * cells};
}

/* A symmetric matrix, of which the upper triangle is evaluated, with its derivatives by the coordinates. */
static void symmetric(const phx_ida_pbc *pbc, int first, const double *variables, double *A, double *dA)
{
    const int n = pbc->n;
    double jet[3];

    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int k = 0; k < n; k++) {
                phx_program_partial(pbc->programs[first + i * n + j], 1 + k, variables, jet);
                A[i * n + j] = A[j * n + i] = jet[0];
                dA[(k * n + i) * n + j] = dA[(k * n + j) * n + i] = jet[1];
            }
}

static double scalar(const phx_ida_pbc *pbc, int program, const double *variables, double *gradient)
{
    double jet[3] = {0.0};

    for (int k = 0; k < pbc->n; k++) {
        phx_program_partial(pbc->programs[program], 1 + k, variables, jet);
        gradient[k] = jet[1];
    }
    return jet[0];
}

/* x <- A^-1 x; NAN where A is singular. */
static void ida_pbc_solve(const phx_ida_pbc *pbc, const double *A, double *x, double *work)
{
    const int n = pbc->n;

    memcpy(work, A, (size_t)(n * n) * sizeof *A);
    if (phx_dense_solve(pbc->context, n, work, 1, x) == PHX_OK)
        return;
    for (int k = 0; k < n; k++)
        x[k] = NAN;
}

static void ida_pbc_multiply(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    }
}

static double quadratic(int n, const double *A, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += x[i] * A[i * n + j] * x[j];
    return sum;
}

/* Everything at t and y = (q, q'). */
static shaping shape_at(const phx_ida_pbc *pbc, double t, const double *y)
{
    const int n = pbc->n, J_2 = 2 * n * n + 2;
    shaping s = in_room(pbc);

    s.variables[0] = t;
    memcpy(s.variables + 1, y, 2 * (size_t)n * sizeof *y);
    symmetric(pbc, 0, s.variables, s.M, s.dM);
    s.V = scalar(pbc, n * n, s.variables, s.dV);
    symmetric(pbc, n * n + 1, s.variables, s.M_d, s.dM_d);
    s.V_d = scalar(pbc, 2 * n * n + 1, s.variables, s.dV_d);
    for (int i = 0; i < n; i++) {
        s.J_2[i * n + i] = 0.0;
        for (int j = i + 1; j < n; j++) {
            s.J_2[i * n + j] = phx_program_value(pbc->programs[J_2 + i * n + j], s.variables);
            s.J_2[j * n + i] = -s.J_2[i * n + j];
        }
    }
    ida_pbc_multiply(n, s.M, y + n, s.p);
    memcpy(s.w, s.p, (size_t)n * sizeof *s.w);
    ida_pbc_solve(pbc, s.M_d, s.w, s.work);
    return s;
}

/* e and the sizes of its terms, of the energies and potentials asked for:
 *     grad_q H = grad V - 1/2 q'^T (dM/dq) q',   grad_q H_d = grad V_d - 1/2 w^T (dM_d/dq) w */
static void balance(const phx_ida_pbc *pbc, shaping *s, const double *q_dot, bool potential, bool kinetic)
{
    const int n = pbc->n;

    for (int k = 0; k < n; k++) {
        s->g[k] = potential ? s->dV[k] : 0.0;
        s->g_d[k] = potential ? s->dV_d[k] : 0.0;
        if (kinetic) {
            s->g[k] -= 0.5 * quadratic(n, s->dM + k * n * n, q_dot);
            s->g_d[k] -= 0.5 * quadratic(n, s->dM_d + k * n * n, s->w);
        }
    }
    ida_pbc_solve(pbc, s->M, s->g_d, s->work);
    ida_pbc_multiply(n, s->M_d, s->g_d, s->column);
    for (int k = 0; k < n; k++) {
        double turn = 0.0;
        for (int j = 0; j < n && kinetic; j++)
            turn += s->J_2[k * n + j] * s->w[j];
        s->e[k] = s->g[k] - s->column[k] + turn;
        s->size[k] = fabs(s->g[k]) + fabs(s->column[k]) + fabs(turn);
    }
}

void phx_ida_pbc_evaluate(const void *data, double t, const double *y, double *u)
{
    const phx_ida_pbc *pbc = data;
    shaping s = shape_at(pbc, t, y);

    balance(pbc, &s, y + pbc->n, true, true);
    for (int k = 0; k < pbc->m; k++) {
        u[k] = s.e[pbc->actuated[k]];
        for (int j = 0; j < pbc->m; j++)
            u[k] -= pbc->K_v[k * pbc->m + j] * s.w[pbc->actuated[j]];
    }
}

void phx_ida_pbc_energy(const void *data, double t, const double *y, double *values)
{
    const phx_ida_pbc *pbc = data;
    const shaping s = shape_at(pbc, t, y);

    values[0] = s.V_d;
    for (int k = 0; k < pbc->n; k++)
        values[0] += 0.5 * s.p[k] * s.w[k];
    values[1] = 0.0;
    for (int k = 0; k < pbc->m; k++)
        for (int j = 0; j < pbc->m; j++)
            values[1] -= s.w[pbc->actuated[k]] * pbc->K_v[k * pbc->m + j] * s.w[pbc->actuated[j]];
}

/* ---- the matching condition ---- */
enum { PLACES = 1000 };

/* Places that fill a unit cube evenly: the fractions of k sqrt(prime), one prime for each axis. */
static double ida_pbc_spread(int k, int axis)
{
    static const double primes[2 * PHX_IDA_PBC_MOST] = {2.0,  3.0,  5.0,  7.0,  11.0, 13.0, 17.0, 19.0,
                                                        23.0, 29.0, 31.0, 37.0, 41.0, 43.0, 47.0, 53.0};
    const double x = (k + 0.5) * sqrt(primes[axis]);
    return x - floor(x);
}

static bool is_actuated(const phx_ida_pbc *pbc, int row)
{
    for (int k = 0; k < pbc->m; k++)
        if (pbc->actuated[k] == row)
            return true;
    return false;
}

/* Largest entry of e that no effort balances, and largest terms of these entries. */
static void ida_pbc_look(const phx_ida_pbc *pbc, const shaping *s, double *residual, double *size)
{
    for (int k = 0; k < pbc->n; k++) {
        if (is_actuated(pbc, k))
            continue;
        *residual = isfinite(s->e[k]) ? fmax(*residual, fabs(s->e[k])) : HUGE_VAL;
        *size = fmax(*size, s->size[k]);
    }
}

/* Largest difference of the given lower triangles from the upper ones, relative. */
static double ida_pbc_asymmetry(const phx_ida_pbc *pbc, const shaping *s)
{
    const int n = pbc->n, first[] = {0, n * n + 1, 2 * n * n + 2};
    const double *const matrices[] = {s->M, s->M_d, s->J_2};
    double most = 0.0;

    for (int m = 0; m < 3; m++) {
        double size = 0.0, off = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                if (j == i && m < 2)
                    continue;
                const double given = phx_program_value(pbc->programs[first[m] + i * n + j], s->variables);
                off = fmax(off, fabs(given - matrices[m][i * n + j]));
            }
        for (int k = 0; k < n * n; k++)
            size = fmax(size, fabs(matrices[m][k]));
        if (off > 0.0)
            most = fmax(most, size > 0.0 ? off / size : HUGE_VAL);
    }
    return most;
}

static bool is_definite(const phx_ida_pbc *pbc, const shaping *s)
{
    memcpy(s->work, s->M_d, (size_t)(pbc->n * pbc->n) * sizeof *s->work);
    if (phx_dense_cholesky(pbc->context, pbc->n, s->work) == PHX_OK)
        return true;
    phx_context_clear(pbc->context);
    return false;
}

/* Measures the matching condition of the energy shaping at PLACES quasi-random states of the region: relative
 * residuals of potential and kinetic part, asymmetry, and number of places with an indefinite M_d. */
void phx_ida_pbc_match(const phx_ida_pbc *pbc, phx_matching *matching)
{
    const int n = pbc->n;
    double y[2 * PHX_IDA_PBC_MOST], residual[2] = {0.0}, size[2] = {0.0};

    *matching = (phx_matching){.places = PLACES};
    for (int k = 0; k < PLACES; k++) {
        for (int i = 0; i < n; i++) {
            y[i] = pbc->region[2 * i] + (pbc->region[2 * i + 1] - pbc->region[2 * i]) * ida_pbc_spread(k, i);
            y[n + i] = 2.0 * ida_pbc_spread(k, n + i) - 1.0;
        }
        shaping s = shape_at(pbc, 0.0, y);
        matching->asymmetry = fmax(matching->asymmetry, ida_pbc_asymmetry(pbc, &s));
        matching->indefinite += !is_definite(pbc, &s);
        balance(pbc, &s, y + n, true, false);
        ida_pbc_look(pbc, &s, &residual[0], &size[0]);
        balance(pbc, &s, y + n, false, true);
        ida_pbc_look(pbc, &s, &residual[1], &size[1]);
    }
    matching->potential = size[0] > 0.0 ? residual[0] / size[0] : 0.0;
    matching->kinetic = size[1] > 0.0 ? residual[1] / size[1] : 0.0;
}

void phx_ida_pbc_mass(const phx_ida_pbc *pbc, const double *y, double *M)
{
    const shaping s = shape_at(pbc, 0.0, y);
    memcpy(M, s.M, (size_t)(pbc->n * pbc->n) * sizeof *M);
}

const phx_ida_pbc *phx_block_ida_pbc(const phx_block *block)
{
    return block->def.function == phx_ida_pbc_evaluate ? block->def.data : NULL;
}

/* Writes or reads the data of an energy-shaping controller: sizes, actuated coordinates, gains, region and
 * expressions. */
void phx_ida_pbc_archive(phx_archive *archive, phx_ida_pbc **data)
{
    const bool reads = phx_archive_reads(archive);
    int n = reads ? 0 : (*data)->n, m = reads ? 0 : (*data)->m;

    phx_archive_count(archive, &n);
    phx_archive_count(archive, &m);
    if (reads && !phx_archive_status(archive))
        phx_archive_fail(archive, n < 1 || n > PHX_IDA_PBC_MOST || m > n
                                      ? PHX_ERR_FILE
                                      : phx_ida_pbc_create(phx_archive_context(archive), n, m, NULL, NULL, NULL, data));
    for (int k = 0; k < m && !phx_archive_status(archive); k++)
        phx_archive_choice(archive, n - 1, &(*data)->actuated[k]);
    for (int k = 0; k < m * m && !phx_archive_status(archive); k++)
        phx_archive_double(archive, &(*data)->K_v[k]);
    for (int k = 0; k < 2 * n && !phx_archive_status(archive); k++)
        phx_archive_double(archive, &(*data)->region[k]);
    for (int k = 0; k < phx_ida_pbc_programs(n) && !phx_archive_status(archive); k++)
        phx_program_archive(archive, 1 + 2 * n, &(*data)->programs[k]);
}
