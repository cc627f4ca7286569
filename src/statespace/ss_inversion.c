/* Stable inversion: bounded inputs with which the outputs of a linear system follow a motion, also where its zeros lie
 * in the right half-plane. Devasia, Chen, Paden: IEEE Trans. Automatic Control 41 (1996) 930; for linear systems
 * Bayo: J. Robotic Systems 4 (1987) 63. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ss.h"

/* ---- exact steps ----
 *
 * eta' = A eta + G w over a step h, w a polynomial of degree 5 through its values at 6 Lobatto points:
 *
 *     eta(h) = E eta(0) + sum_i W_i w_i,   E = exp(A h),   W_i = sum_j j! P_j V^-1_ji,   P_j = h phi_j+1(A h) G
 *
 * exp of | A h  h G  0 |
 *        | 0    0    I |  has E and P_0, P_1, .. in its first rows; V: powers of the points. */
enum { POINTS = 6 };

typedef struct stepper {
    int n, p;
    double *E; /* n x n */
    double *W; /* POINTS times n x p */
} stepper;

/* Between 0 and 1. */
static double point(int k)
{
    return 0.5 - 0.5 * cos(k * 3.14159265358979323846 / (POINTS - 1));
}

static void stepper_free(stepper *run)
{
    phx_free(run->E);
    phx_free(run->W);
}

/* W from the upper right part of the exponential, `width` columns in all. */
static phx_status ss_inversion_weigh(phx_context *context, int width, const double *e, stepper *run)
{
    double powers[POINTS * POINTS], inverse[POINTS * POINTS] = {0.0};

    for (int i = 0; i < POINTS; i++) {
        inverse[i * POINTS + i] = 1.0;
        for (int j = 0; j < POINTS; j++)
            powers[i * POINTS + j] = j == 0 ? 1.0 : powers[i * POINTS + j - 1] * point(i);
    }
    const phx_status status = phx_dense_solve(context, POINTS, powers, POINTS, inverse);
    for (int i = 0; i < POINTS && !status; i++) {
        double factorial = 1.0;
        for (int j = 0; j < POINTS; j++) {
            factorial *= j > 0 ? j : 1;
            for (int r = 0; r < run->n; r++)
                for (int c = 0; c < run->p; c++)
                    run->W[(i * run->n + r) * run->p + c] +=
                        factorial * inverse[j * POINTS + i] *
                        e[(size_t)r * (size_t)width + (size_t)(run->n + j * run->p + c)];
        }
    }
    return status;
}

/* Prepares exact steps of z' = A z + G w over h: E = exp(h A), and weights of the samples of w at POINTS places,
 * through which w is a polynomial. */
static phx_status stepper_create(phx_context *context, int n, int p, const double *A, const double *G, double h,
                                 stepper *run)
{
    const int width = n + POINTS * p;
    const size_t cells = (size_t)width * (size_t)width;
    double *a = phx_calloc(context, 2 * cells, sizeof *a), *e = phx_behind(a, cells);

    run->n = n;
    run->p = p;
    run->E = phx_calloc(context, (size_t)n * (size_t)n, sizeof *run->E);
    run->W = phx_calloc(context, (size_t)POINTS * (size_t)n * (size_t)p, sizeof *run->W);
    phx_status status = a && run->E && run->W ? PHX_OK : PHX_ERR_MEMORY;
    for (int i = 0; i < n && !status; i++) {
        for (int j = 0; j < n; j++)
            a[i * width + j] = h * A[i * n + j];
        for (int j = 0; j < p; j++)
            a[i * width + n + j] = h * G[i * p + j];
    }
    for (int i = 0; i < (POINTS - 1) * p && !status; i++)
        a[(n + i) * width + n + p + i] = 1.0;
    if (!status)
        status = phx_dense_exponential(context, width, a, e);
    for (int i = 0; i < n && !status; i++)
        memcpy(run->E + i * n, e + (size_t)i * (size_t)width, (size_t)n * sizeof *e);
    if (!status)
        status = ss_inversion_weigh(context, width, e, run);
    phx_free(a);
    return status;
}

/* eta <- eta(h); w: POINTS times p; room: n. */
static void stepper_step(const stepper *run, const double *w, double *eta, double *room)
{
    memcpy(room, eta, (size_t)run->n * sizeof *eta);
    for (int r = 0; r < run->n; r++) {
        double sum = 0.0;
        for (int j = 0; j < run->n; j++)
            sum += run->E[r * run->n + j] * room[j];
        for (int i = 0; i < POINTS; i++)
            for (int c = 0; c < run->p; c++)
                sum += run->W[(i * run->n + r) * run->p + c] * w[i * run->p + c];
        eta[r] = sum;
    }
}

/* ---- the inverse ---- */
struct phx_ss_inversion {
    char *name;
    int n, m, chain, jets; /* states, channels, sum of the degrees r, sum of r + 1 */
    int zeros, forward;    /* n - chain; of them those that are integrated forwards, which come first */
    int *degree;
    double *re, *im; /* zeros */
    /* On balanced states: u = U (y, .. y^(r)) - F x, x = X (y, .. y^(r)) + Z (eta_f, eta_b) */
    double *scale;
    double *X;     /* n x jets */
    double *Z;     /* n x zeros */
    double *U;     /* m x jets */
    double *F;     /* m x n */
    double *A, *G; /* eta_f' = A_f eta_f + G_f w, eta_b' = A_b eta_b + G_b w: blocks one after the other */
};

void phx_ss_inversion_destroy(phx_ss_inversion *inversion)
{
    if (!inversion)
        return;
    double *const arrays[] = {inversion->re, inversion->im, inversion->scale, inversion->X, inversion->Z,
                              inversion->U,  inversion->F,  inversion->A,     inversion->G};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(inversion->degree);
    phx_free(inversion->name);
    phx_free(inversion);
}

/* The system on balanced states and what the inversion is made of. */
typedef struct making {
    phx_context *context;
    const phx_ss *s;
    phx_ss_inversion *inversion;
    double *A, *B; /* n x n, n x m */
    double *T;     /* chain x n: rows C A^k, k < r; room for m n rows */
    double *C_r;   /* m x n: rows C A^r */
    double *D_r;   /* m x m: rows C A^(r-1) B, or D */
    double *row;   /* 2 n */
} making;

static void making_free(making *w)
{
    double *const arrays[] = {w->A, w->B, w->T, w->C_r, w->D_r, w->row};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
}

/* Allocates the work arrays and balances A and B by a diagonal scaling of the states. */
static phx_status balance(making *w)
{
    phx_ss_inversion *inversion = w->inversion;
    const int n = inversion->n, m = inversion->m;
    const size_t states = (size_t)n;

    w->A = phx_calloc(w->context, states * states, sizeof *w->A);
    w->B = phx_calloc(w->context, states * (size_t)m, sizeof *w->B);
    w->T = phx_calloc(w->context, (size_t)m * states * states, sizeof *w->T);
    w->C_r = phx_calloc(w->context, (size_t)m * states, sizeof *w->C_r);
    w->D_r = phx_calloc(w->context, (size_t)m * (size_t)m, sizeof *w->D_r);
    w->row = phx_calloc(w->context, 2 * states, sizeof *w->row);
    inversion->scale = phx_calloc(w->context, states, sizeof *inversion->scale);
    if (!w->A || !w->B || !w->T || !w->C_r || !w->D_r || !w->row || !inversion->scale)
        return PHX_ERR_MEMORY;
    phx_ss_balance(w->s, true, inversion->scale);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            w->A[i * n + j] = w->s->A[i * n + j] * inversion->scale[j] / inversion->scale[i];
        for (int j = 0; j < m; j++)
            w->B[i * m + j] = w->s->B[i * m + j] / inversion->scale[i];
    }
    return PHX_OK;
}

/* d (m) = c B; whether anything is left of it beside rounding. */
static bool acts(const making *w, const double *c, double *d)
{
    static const double ROUNDING = 1e-10; /* of the sum, relative to its terms */
    bool any = false;

    for (int k = 0; k < w->inversion->m; k++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < w->inversion->n; i++) {
            const double part = c[i] * w->B[i * w->inversion->m + k];
            sum += part;
            size += fabs(part);
        }
        d[k] = fabs(sum) > ROUNDING * size ? sum : 0.0;
        any = any || d[k] != 0.0;
    }
    return any;
}

/* c A^k until the inputs act on it; the rows before that are links of the chain y, y', .. */
static phx_status find_degree(making *w, int output)
{
    phx_ss_inversion *inversion = w->inversion;
    const int n = inversion->n, m = inversion->m;
    double *c = w->row, *next = w->row + n, *d = w->D_r + output * m;
    bool found = false;

    for (int j = 0; j < m; j++) {
        d[j] = w->s->D[output * m + j];
        found = found || d[j] != 0.0;
    }
    for (int j = 0; j < n; j++)
        c[j] = w->s->C[output * n + j] * inversion->scale[j];
    while (!found && inversion->degree[output] < n) {
        double norm = 0.0;
        for (int j = 0; j < n; j++)
            norm = hypot(norm, c[j]);
        if (!(norm > 0.0))
            break;
        memcpy(w->T + (size_t)inversion->chain++ * (size_t)n, c, (size_t)n * sizeof *c);
        inversion->degree[output]++;
        found = acts(w, c, d);
        phx_dense_multiply(false, false, 1, n, n, 1.0, c, n, w->A, n, 0.0, next, n);
        memcpy(c, next, (size_t)n * sizeof *c);
    }
    if (!found)
        return phx_fail(w->context, PHX_SINGULAR, "system '%s': no input moves the output '%s'", w->s->name,
                        w->s->outputs[output]);
    memcpy(w->C_r + output * n, c, (size_t)n * sizeof *c);
    return PHX_OK;
}

/* F = D_r^-1 C_r and D_r^-1 into U at the columns of the highest derivatives. */
static phx_status solve_inputs(making *w)
{
    phx_ss_inversion *inversion = w->inversion;
    const int n = inversion->n, m = inversion->m, wide = n + m;
    double *b = phx_calloc(w->context, (size_t)m * (size_t)wide, sizeof *b);
    double *scale = phx_calloc(w->context, 2 * (size_t)m, sizeof *scale);
    int dependent[2] = {-1, -1}, column = 0;
    phx_status status = b && scale ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < m && !status; i++) {
        memcpy(b + i * wide, w->C_r + i * n, (size_t)n * sizeof *b);
        b[i * wide + n + i] = 1.0;
    }
    if (!status) {
        phx_ss_equilibrate(m, m, w->D_r, scale, scale + m);
        status = phx_ss_solve(w->context, m, w->D_r, scale, scale + m, wide, b, dependent);
    }
    if (dependent[0] >= 0)
        status = phx_fail(w->context, PHX_SINGULAR,
                          "system '%s': the output '%s' cannot be moved by itself: in derivatives of order %d the "
                          "inputs move it together with the other outputs alone",
                          w->s->name, w->s->outputs[dependent[0]], inversion->degree[dependent[0]]);
    for (int k = 0; k < m && !status; k++) {
        column += inversion->degree[k];
        for (int i = 0; i < m; i++)
            inversion->U[i * inversion->jets + column] = b[i * wide + n + k];
        column++;
    }
    for (int i = 0; i < m && !status; i++)
        memcpy(inversion->F + i * n, b + i * wide, (size_t)n * sizeof *b);
    phx_free(b);
    phx_free(scale);
    return status;
}

/* x = X (y, .. y^(r-1)) + Z eta: X a right inverse of the chains T, Z a basis of what they do not see. */
static phx_status make_coordinates(making *w, double **Z)
{
    static const double RANK = 1e-13;           /* of rows of length 1 */
    static const double LEAST_SINGULAR = 1e-15; /* relative to the largest singular value */
    phx_ss_inversion *inversion = w->inversion;
    const int n = inversion->n, c = inversion->chain;
    double *inverse = phx_calloc(w->context, (size_t)n * (size_t)c, sizeof *inverse);
    double *scales = phx_calloc(w->context, (size_t)c * (size_t)c, sizeof *scales);
    phx_status status = inverse && scales ? PHX_OK : PHX_ERR_MEMORY;
    int rank = 0;

    for (int i = 0; i < c && !status; i++) { /* rows of unit length */
        double *row = w->T + (size_t)i * (size_t)n, norm = 0.0;
        for (int j = 0; j < n; j++)
            norm = hypot(norm, row[j]);
        for (int j = 0; j < n; j++)
            row[j] /= norm;
        scales[i * c + i] = 1.0 / norm;
    }
    if (!status)
        status = phx_dense_nullspace(w->context, c, n, w->T, RANK, &rank, Z);
    if (!status && rank != c)
        status = phx_fail(w->context, PHX_SINGULAR,
                          "system '%s': the outputs and their derivatives depend on each other", w->s->name);
    if (!status && c > 0)
        status = phx_dense_least_norm(w->context, c, n, w->T, c, scales, LEAST_SINGULAR, inverse, NULL);
    for (int k = 0, from = 0, to = 0; k < inversion->m && !status; k++, to++)
        for (int d = 0; d < inversion->degree[k]; d++, from++, to++)
            for (int i = 0; i < n; i++)
                inversion->X[i * inversion->jets + to] = inverse[i * c + from];
    phx_free(inverse);
    phx_free(scales);
    return status;
}

/* A_0 = Z^T (A - B F) Z, G = Z^T ((A - B F) X + B U): zero dynamics eta' = A_0 eta + G (y, .. y^(r)). */
static phx_status zero_dynamics(making *w, const double *Z, double *A_0, double *G)
{
    const phx_ss_inversion *inversion = w->inversion;
    const int n = inversion->n, m = inversion->m, z = inversion->zeros, p = inversion->jets;
    double *closed = phx_calloc(w->context, (size_t)n * (size_t)(n + z + p), sizeof *closed);
    double *AZ = closed + (size_t)n * (size_t)n, *AX = AZ + (size_t)n * (size_t)z;

    if (!closed)
        return PHX_ERR_MEMORY;
    memcpy(closed, w->A, (size_t)n * (size_t)n * sizeof *closed);
    phx_dense_multiply(false, false, n, n, m, -1.0, w->B, m, inversion->F, n, 1.0, closed, n);
    if (z > 0) {
        phx_dense_multiply(false, false, n, z, n, 1.0, closed, n, Z, z, 0.0, AZ, z);
        phx_dense_multiply(true, false, z, z, n, 1.0, Z, z, AZ, z, 0.0, A_0, z);
        phx_dense_multiply(false, false, n, p, n, 1.0, closed, n, inversion->X, p, 0.0, AX, p);
        phx_dense_multiply(false, false, n, p, m, 1.0, w->B, m, inversion->U, p, 1.0, AX, p);
        phx_dense_multiply(true, false, z, p, n, 1.0, Z, z, AX, p, 0.0, G, p);
    }
    phx_free(closed);
    return PHX_OK;
}

/* A_0 = Q T Q^T with the zeros of real part up to `edge` first; with A_f X - X A_b = -T_fb
 *
 *     | A_f  T_fb |  | I  X |   | I  X | | A_f  0   |
 *     | 0    A_b  |  | 0  I | = | 0  I | | 0    A_b |                                                          */
static phx_status split(making *w, double edge, const double *Z, double *A_0, double *G)
{
    phx_ss_inversion *inversion = w->inversion;
    const int n = inversion->n, z = inversion->zeros, p = inversion->jets;
    const size_t cells = (size_t)z * (size_t)z;
    double *T = phx_calloc(w->context, 3 * cells, sizeof *T), *Q = phx_behind(T, cells), *X = phx_behind(T, 2 * cells);
    phx_status status = T ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_dense_eigen_general(w->context, z, A_0, NULL, inversion->re, inversion->im, NULL);
    for (int i = 0; i < z; i++)
        A_0[i * z + i] -= edge;
    if (!status)
        status = phx_dense_schur(w->context, z, A_0, true, T, Q, &inversion->forward);
    if (status) {
        phx_free(T);
        return status;
    }
    const int f = inversion->forward, b = z - f;
    double *A_f = inversion->A, *A_b = inversion->A + f * f;
    for (int i = 0; i < z; i++)
        T[i * z + i] += edge;
    for (int i = 0; i < f; i++) {
        memcpy(A_f + i * f, T + i * z, (size_t)f * sizeof *T);
        for (int j = 0; j < b; j++)
            X[i * b + j] = -T[i * z + f + j];
    }
    for (int i = 0; i < b; i++)
        memcpy(A_b + i * b, T + (f + i) * z + f, (size_t)b * sizeof *T);
    status = phx_dense_sylvester_schur(w->context, f, b, A_f, A_b, X);
    if (!status && z > 0) {
        phx_dense_multiply(true, false, z, p, z, 1.0, Q, z, G, p, 0.0, inversion->G, p);  /* [I -X; 0 I] Q^T G */
        phx_dense_multiply(false, false, n, z, z, 1.0, Z, z, Q, z, 0.0, inversion->Z, z); /* Z Q [I X; 0 I] */
        if (f > 0 && b > 0) {
            phx_dense_multiply(false, false, f, p, b, -1.0, X, b, inversion->G + f * p, p, 1.0, inversion->G, p);
            phx_dense_multiply(false, false, n, b, f, 1.0, inversion->Z, z, X, b, 1.0, inversion->Z + f, z);
        }
    }
    phx_free(T);
    return status;
}

/* The arrays whose sizes the chains give. */
static phx_status ss_inversion_allocate(making *w)
{
    phx_ss_inversion *inversion = w->inversion;
    const size_t n = (size_t)inversion->n, m = (size_t)inversion->m;

    inversion->zeros =
        inversion->chain < inversion->n ? inversion->n - inversion->chain : 0; /* with more links D_r is singular */
    inversion->jets = inversion->chain + inversion->m;
    const size_t z = (size_t)inversion->zeros, p = (size_t)inversion->jets;
    inversion->re = phx_calloc(w->context, z, sizeof *inversion->re);
    inversion->im = phx_calloc(w->context, z, sizeof *inversion->im);
    inversion->X = phx_calloc(w->context, n * p, sizeof *inversion->X);
    inversion->Z = phx_calloc(w->context, n * z, sizeof *inversion->Z);
    inversion->U = phx_calloc(w->context, m * p, sizeof *inversion->U);
    inversion->F = phx_calloc(w->context, m * n, sizeof *inversion->F);
    inversion->A = phx_calloc(w->context, z * z, sizeof *inversion->A);
    inversion->G = phx_calloc(w->context, z * p, sizeof *inversion->G);
    return inversion->re && inversion->im && inversion->X && inversion->Z && inversion->U && inversion->F &&
                   inversion->A && inversion->G
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

/* Builds the inverse: relative degree of each output, input map, coordinates of the zero dynamics, and their split
 * into stable and antistable parts at the edge. */
static phx_status ss_inversion_make(making *w, double edge)
{
    phx_ss_inversion *inversion = w->inversion;
    double *Z = NULL, *A_0 = NULL, *G = NULL;
    phx_status status = balance(w);

    for (int k = 0; k < inversion->m && !status; k++)
        status = find_degree(w, k);
    if (!status)
        status = ss_inversion_allocate(w);
    if (!status)
        status = solve_inputs(w);
    if (!status)
        status = make_coordinates(w, &Z);
    if (!status) {
        A_0 = phx_calloc(w->context, (size_t)inversion->zeros * (size_t)inversion->zeros, sizeof *A_0);
        G = phx_calloc(w->context, (size_t)inversion->zeros * (size_t)inversion->jets, sizeof *G);
        status = A_0 && G ? zero_dynamics(w, Z, A_0, G) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = split(w, edge, Z, A_0, G);
    phx_free(Z);
    phx_free(A_0);
    phx_free(G);
    return status;
}

/* Creates the stable inverse of a system with equal numbers of inputs and outputs; zeros with a real part up to `edge`
 * count as stable. PHX_SINGULAR if the system cannot be inverted. */
phx_status phx_ss_inversion_create(phx_context *context, const phx_ss *system, double edge,
                                   phx_ss_inversion **inversion)
{
    if (!system || !inversion)
        return phx_fail_null(context, __func__, "system or inversion");
    making w = {.context = context, .s = system};
    phx_status status = PHX_OK;

    *inversion = NULL;
    if (system->n_inputs != system->n_outputs || system->n_inputs < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "system '%s': %d inputs cannot follow motions of %d outputs; as many inputs as outputs can",
                        system->name, system->n_inputs, system->n_outputs);
    if (!(edge >= 0.0) || !isfinite(edge))
        return phx_fail(context, PHX_ERR_ARGUMENT, "the edge of the stable zeros is %g 1/s, expected 0 or more", edge);
    w.inversion = phx_calloc(context, 1, sizeof *w.inversion);
    if (!w.inversion)
        return PHX_ERR_MEMORY;
    w.inversion->n = system->n;
    w.inversion->m = system->n_inputs;
    w.inversion->degree = phx_calloc(context, (size_t)w.inversion->m, sizeof *w.inversion->degree);
    w.inversion->name = phx_strdup(context, system->name);
    status = w.inversion->degree && w.inversion->name ? ss_inversion_make(&w, edge) : PHX_ERR_MEMORY;
    making_free(&w);
    if (status)
        phx_ss_inversion_destroy(w.inversion);
    else
        *inversion = w.inversion;
    return phx_conclude(context, status);
}

int phx_ss_inversion_degree(const phx_ss_inversion *inversion, int output)
{
    return inversion->degree[output];
}

int phx_ss_inversion_zeros(const phx_ss_inversion *inversion, const double **re, const double **im)
{
    if (re)
        *re = inversion->re;
    if (im)
        *im = inversion->im;
    return inversion->zeros;
}

int phx_ss_inversion_antistable(const phx_ss_inversion *inversion)
{
    return inversion->zeros - inversion->forward;
}

/* ---- following a motion ---- */
typedef struct following {
    phx_context *context;
    const phx_ss_inversion *inversion;
    const phx_ss_trajectory *wanted;
    double *w;        /* POINTS times jets */
    double *size;     /* jets: largest magnitudes so far */
    double *b;        /* rows x backward states */
    double *f, *rest; /* forward states, and where they rest at the end */
    double *room;
} following;

static void following_free(following *g)
{
    double *const arrays[] = {g->w, g->size, g->b, g->f, g->rest, g->room};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
}

static phx_status motion_at(const following *g, double t, double *w)
{
    for (int k = 0; k < g->inversion->m; k++) {
        g->wanted->motion(g->wanted->data, k, t, g->inversion->degree[k] + 1, w);
        for (int d = 0; d <= g->inversion->degree[k]; d++, w++)
            if (!isfinite(*w))
                return phx_fail(g->context, PHX_ERR_INPUT,
                                "the motion of output %d has no derivative of order %d at t = %.9g", k + 1, d, t);
    }
    return PHX_OK;
}

/* w at the points of step k, a little inside it: a jump at its ends belongs to the next. `back`: in reversed time. */
static phx_status motion_of_step(const following *g, long k, bool back)
{
    static const double INSIDE = 1e-9; /* part of a step */
    const phx_ss_trajectory *wanted = g->wanted;
    phx_status status = PHX_OK;

    for (int i = 0; i < POINTS && !status; i++) {
        const double at = INSIDE + (1.0 - 2.0 * INSIDE) * point(back ? POINTS - 1 - i : i);
        double *w = g->w + i * g->inversion->jets;
        status = motion_at(g, wanted->from + ((double)k + at) * wanted->step, w);
        for (int j = 0; j < g->inversion->jets && !status; j++)
            g->size[j] = fmax(g->size[j], fabs(w[j]));
    }
    return status;
}

/* The equilibrium A eta + G w = 0 of the motion held at `t`; of a singular A, whatever is there: zero. */
static phx_status rest_at(const following *g, int n, const double *A, const double *G, double t, double *eta)
{
    const int p = g->inversion->jets;
    double *a = phx_calloc(g->context, (size_t)n * (size_t)n, sizeof *a);
    phx_status status = a ? motion_at(g, t, g->w) : PHX_ERR_MEMORY;

    for (int k = 0, at = 0; k < g->inversion->m && !status; k++) { /* of each output its place stays, if it has one */
        const int degree = g->inversion->degree[k], first = degree > 0 ? 1 : 0;
        for (int d = first; d <= degree; d++)
            g->w[at + d] = 0.0;
        at += degree + 1;
    }
    if (!status && n > 0) {
        memcpy(a, A, (size_t)n * (size_t)n * sizeof *a);
        phx_dense_multiply(false, false, n, 1, p, -1.0, G, p, g->w, 1, 0.0, eta, 1);
        status = phx_dense_solve(g->context, n, a, 1, eta);
        if (status == PHX_SINGULAR) {
            phx_context_clear(g->context);
            memset(eta, 0, (size_t)n * sizeof *eta);
            status = PHX_OK;
        }
    }
    phx_free(a);
    return status;
}

/* eta_b from the end of the motion, where it rests, back to its beginning. */
static phx_status go_back(following *g)
{
    const phx_ss_inversion *inversion = g->inversion;
    const phx_ss_trajectory *wanted = g->wanted;
    const int f = inversion->forward, b = inversion->zeros - f, p = inversion->jets;
    const long steps = (long)(wanted->rows - 1) * wanted->steps;
    const double *A_b = inversion->A + f * f, *G_b = inversion->G + f * p;
    double *A = phx_calloc(g->context, (size_t)b * (size_t)(b + p), sizeof *A), *G = phx_behind(A, (size_t)(b * b)),
           *eta = g->f;
    stepper back = {0};
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < b * b && !status; k++) /* in reversed time */
        A[k] = -A_b[k];
    for (int k = 0; k < b * p && !status; k++)
        G[k] = -G_b[k];
    if (!status)
        status = stepper_create(g->context, b, p, A, G, wanted->step, &back);
    if (!status)
        status = rest_at(g, b, A_b, G_b, wanted->from + (double)steps * wanted->step, eta);
    for (long k = steps; k >= 0 && !status; k--) {
        if (k % wanted->steps == 0)
            memcpy(g->b + (size_t)(k / wanted->steps) * (size_t)b, eta, (size_t)b * sizeof *eta);
        if (k == 0)
            break;
        status = motion_of_step(g, k - 1, true);
        if (!status)
            stepper_step(&back, g->w, eta, g->room);
    }
    stepper_free(&back);
    phx_free(A);
    return status;
}

/* Row r of u and x. */
static phx_status ss_inversion_put_row(following *g, int r, double t, double *u, double *x)
{
    const phx_ss_inversion *inversion = g->inversion;
    const int n = inversion->n, m = inversion->m, f = inversion->forward, z = inversion->zeros, b = z - f,
              p = inversion->jets;
    const double *eta_b = g->b + (size_t)r * (size_t)b;
    double *state = g->room;
    const phx_status status = motion_at(g, t, g->w);

    for (int i = 0; i < n && !status; i++) {
        state[i] = 0.0;
        for (int j = 0; j < p; j++)
            state[i] += inversion->X[i * p + j] * g->w[j];
        for (int j = 0; j < z; j++)
            state[i] += inversion->Z[i * z + j] * (j < f ? g->f[j] : eta_b[j - f]);
        if (x)
            x[(size_t)r * (size_t)n + (size_t)i] = inversion->scale[i] * state[i];
    }
    for (int i = 0; i < m && !status; i++) {
        double sum = 0.0;
        for (int j = 0; j < p; j++)
            sum += inversion->U[i * p + j] * g->w[j];
        for (int j = 0; j < n; j++)
            sum -= inversion->F[i * n + j] * state[j];
        u[r * m + i] = sum;
    }
    return status;
}

/* eta_f from zero at the beginning on, and all rows. *largest: of |eta_f|. */
static phx_status go_on(following *g, double *u, double *x, double *largest)
{
    const phx_ss_inversion *inversion = g->inversion;
    const phx_ss_trajectory *wanted = g->wanted;
    const int f = inversion->forward, p = inversion->jets;
    const long steps = (long)(wanted->rows - 1) * wanted->steps;
    stepper on = {0};
    phx_status status = stepper_create(g->context, f, p, inversion->A, inversion->G, wanted->step, &on);

    memset(g->f, 0, (size_t)f * sizeof *g->f);
    *largest = 0.0;
    for (long k = 0; k <= steps && !status; k++) {
        double size = 0.0;
        for (int j = 0; j < f; j++)
            size = hypot(size, g->f[j]);
        *largest = fmax(*largest, size);
        if (k % wanted->steps == 0)
            status = ss_inversion_put_row(g, (int)(k / wanted->steps), wanted->from + (double)k * wanted->step, u, x);
        if (k == steps || status)
            break;
        status = motion_of_step(g, k, false);
        if (!status)
            stepper_step(&on, g->w, g->f, g->room);
    }
    stepper_free(&on);
    return status;
}

/* The motion begins at rest at zero, and ends at rest. */
static phx_status check_ends(const following *g)
{
    static const double AT_REST = 1e-6; /* relative to the largest on the way */
    const phx_ss_trajectory *wanted = g->wanted;
    const double to = wanted->from + (double)(wanted->rows - 1) * wanted->steps * wanted->step;

    for (int end = 0; end < 2; end++) {
        const double t = end ? to : wanted->from;
        const phx_status status = motion_at(g, t, g->w);
        if (status)
            return status;
        for (int k = 0, at = 0; k < g->inversion->m; k++)
            for (int d = 0; d <= g->inversion->degree[k]; d++, at++) {
                if (fabs(g->w[at]) <= AT_REST * g->size[at])
                    continue;
                if (d > 0 || g->inversion->degree[k] == 0)
                    return phx_fail(
                        g->context, PHX_ERR_INPUT,
                        "the motion of output %d does not %s at rest: its derivative of order %d is %.6g at "
                        "t = %.9g",
                        k + 1, end ? "end" : "begin", d, g->w[at], t);
                if (!end)
                    return phx_fail(g->context, PHX_ERR_INPUT,
                                    "the motion of output %d is %.6g at t = %.9g, expected 0: it is the change from "
                                    "the start",
                                    k + 1, g->w[at], t);
            }
    }
    return PHX_OK;
}

/* Reports `early`, the antistable internal motion at the beginning, and `late`, the stable motion that has not come to
 * rest at the end, each relative to its largest value. */
static void judge_ends(const following *g, double largest_f, phx_ss_inversion_report *report)
{
    const int f = g->inversion->forward, b = g->inversion->zeros - f, last = g->wanted->rows - 1;
    double largest_b = 0.0, early = 0.0, late = 0.0;

    for (int r = 0; r <= last; r++) {
        double size = 0.0;
        for (int j = 0; j < b; j++)
            size = hypot(size, g->b[(size_t)r * (size_t)b + (size_t)j]);
        largest_b = fmax(largest_b, size);
        if (r == 0)
            early = size;
    }
    for (int j = 0; j < f; j++)
        late = hypot(late, g->f[j] - g->rest[j]);
    report->early = early > 0.0 ? early / largest_b : 0.0;
    report->late = late > 0.0 ? late / largest_f : 0.0;
}

static phx_status check_trajectory(phx_context *context, const phx_ss_trajectory *wanted)
{
    if (!wanted->motion || wanted->rows < 2 || wanted->steps < 1 || !(wanted->step > 0.0) || !isfinite(wanted->step) ||
        !isfinite(wanted->from))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "a trajectory needs a motion, at least 2 rows, and steps of a length above 0");
    return PHX_OK;
}

/* Inputs u, and states x if asked for, of the wanted output motion: antistable internal dynamics are integrated
 * backward in time from rest, stable ones forward. */
phx_status phx_ss_inversion_follow(phx_context *context, const phx_ss_inversion *inversion,
                                   const phx_ss_trajectory *wanted, double *u, double *x,
                                   phx_ss_inversion_report *report)
{
    if (!inversion || !wanted || !u || !report)
        return phx_fail_null(context, __func__, "inversion, wanted, u or report");
    following g = {.context = context, .inversion = inversion, .wanted = wanted};
    const int f = inversion->forward, b = inversion->zeros - f;
    const size_t most = (size_t)inversion->n + 1;
    double largest = 0.0;
    phx_status status = check_trajectory(context, wanted);

    *report = (phx_ss_inversion_report){0};
    if (status)
        return status;
    g.w = phx_calloc(context, POINTS * (size_t)inversion->jets, sizeof *g.w);
    g.size = phx_calloc(context, (size_t)inversion->jets, sizeof *g.size);
    g.b = phx_calloc(context, (size_t)wanted->rows * (size_t)b + 1, sizeof *g.b);
    g.f = phx_calloc(context, most, sizeof *g.f);
    g.rest = phx_calloc(context, most, sizeof *g.rest);
    g.room = phx_calloc(context, most, sizeof *g.room);
    if (!g.w || !g.size || !g.b || !g.f || !g.rest || !g.room)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = go_back(&g);
    if (!status)
        status = check_ends(&g);
    if (!status)
        status = go_on(&g, u, x, &largest);
    if (!status)
        status = rest_at(&g, f, inversion->A, inversion->G,
                         wanted->from + (double)(wanted->rows - 1) * wanted->steps * wanted->step, g.rest);
    if (!status)
        judge_ends(&g, largest, report);
    following_free(&g);
    return phx_conclude(context, status);
}
