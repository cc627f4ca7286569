/* Port-Hamiltonian systems in energy coordinates: their making, projection and forms. */
#include <math.h>
#include <string.h>

#include "reduction.h"

phx_status phx_ph_create(phx_context *context, int n, int m, phx_ph *ph)
{
    const size_t states = (size_t)n, inputs = (size_t)m;

    *ph = (phx_ph){.n = n, .m = m};
    ph->J = phx_calloc(context, states * states + 1, sizeof *ph->J);
    ph->R = phx_calloc(context, states * states + 1, sizeof *ph->R);
    ph->B = phx_calloc(context, states * inputs + 1, sizeof *ph->B);
    ph->P = phx_calloc(context, states * inputs + 1, sizeof *ph->P);
    ph->S = phx_calloc(context, inputs * inputs + 1, sizeof *ph->S);
    ph->N = phx_calloc(context, inputs * inputs + 1, sizeof *ph->N);
    return ph->J && ph->R && ph->B && ph->P && ph->S && ph->N ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_ph_free(phx_ph *ph)
{
    double *const arrays[] = {ph->J, ph->R, ph->B, ph->P, ph->S, ph->N};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    *ph = (phx_ph){0};
}

/* ---- from a mechanism ---- */
/* D of W with a modal damping of ratio `nominal` in place of what the mechanism has on its elastic modes: C^T D_m C
 * with C = modes^T M W, where D_m = diag(2 nominal omega) beside the mechanism's own damping of its rigid motions. */
static phx_status damping_of_modes(const phx_full *full, const phx_projected *projected, double nominal, double *D)
{
    const int n = full->n, f = full->f, c = projected->c, rigid = projected->rigid, stride = f + full->held;
    double *MW = NULL, *C = phx_calloc(full->context, 2 * (size_t)f * (size_t)c + 1, sizeof *C);
    double *weighed = phx_behind(C, (size_t)f * (size_t)c);
    phx_status status =
        C ? phx_csr_times_dense(full->context, &full->plant->linear.M, c, projected->W, &MW) : PHX_ERR_MEMORY;

    if (!status && f > 0 && c > 0)
        phx_dense_multiply(true, false, f, c, n, 1.0, full->modes, stride, MW, c, 0.0, C, c);
    for (int i = 0; i < f && !status; i++)
        for (int j = 0; j < c; j++) {
            weighed[i * c + j] = i < rigid ? 0.0 : 2.0 * nominal * full->omega[i] * C[i * c + j];
            for (int k = 0; k < rigid && i < rigid; k++)
                weighed[i * c + j] += projected->D[i * c + k] * C[k * c + j];
        }
    if (!status && c > 0)
        phx_dense_multiply(true, false, c, c, f, 1.0, C, c, weighed, c, 0.0, D, c);
    for (int i = 0; i < rigid && !status; i++) /* what rounding makes of zero */
        for (int j = 0; j < projected->r; j++)
            D[i * c + j] = D[j * c + i] = j < rigid ? projected->D[i * c + j] : 0.0;
    for (int i = 0; i < projected->free && !status; i++)
        for (int j = 0; j < c; j++)
            D[i * c + j] = D[j * c + i] = 0.0;
    phx_free(MW);
    phx_free(C);
    return status;
}

/* Where not all modes of the mechanism are known, the normal modes of W, if they are others, have the ratio. */
static phx_status nominal_damping(const phx_full *full, const phx_projected *projected, double nominal, double *D)
{
    const int c = projected->c, rigid = projected->rigid;

    if (!phx_full_is_part(full))
        return damping_of_modes(full, projected, nominal, D);
    for (int i = projected->free; i < rigid; i++)
        for (int j = projected->free; j < rigid; j++)
            D[i * c + j] = projected->D[i * c + j];
    for (int i = rigid; i < projected->r; i++)
        D[i * c + i] = 2.0 * nominal * projected->omega[i];
    return PHX_OK;
}

/* Coupling of the coordinates V with a prescribed motion whose lifting is X - V m, m = V^T M X: D (X - V m), and F. */
static void fill_held(const phx_full *full, const phx_projected *projected, const double *D, int first, phx_ph *ph)
{
    const int c = projected->c, r = projected->r, m = projected->m, elastic = r - projected->rigid, h = projected->held;
    const int *held = full->plant->channels.held;

    for (int k = 0; k < m; k++) {
        const int s = held[k];
        if (s < 0)
            continue;
        for (int i = 0; i < elastic; i++) /* q' = v - m w in energy coordinates */
            ph->B[i * m + k] =
                -projected->omega[projected->rigid + i] * projected->M[(projected->rigid + i) * c + r + s];
        for (int i = first; i < r; i++) {
            double d = D[i * c + r + s];
            for (int j = 0; j < r; j++)
                d -= D[i * c + j] * projected->M[j * c + r + s];
            ph->P[(elastic + i - first) * m + k] = d;
        }
        for (int l = 0; l < m; l++) {
            const int t = held[l];
            double value = t < 0 ? projected->F[(r + s) * m + l] : D[(r + s) * c + r + t];
            for (int i = 0; i < r && t < 0; i++)
                value -= projected->M[i * c + r + s] * projected->F[i * m + l];
            for (int i = 0; i < r && t >= 0; i++) {
                value -=
                    projected->M[i * c + r + s] * D[i * c + r + t] + projected->M[i * c + r + t] * D[i * c + r + s];
                for (int j = 0; j < r; j++)
                    value += projected->M[i * c + r + s] * D[i * c + j] * projected->M[j * c + r + t];
            }
            if (t < 0) { /* rate of the force's point by w, and the effort by the force */
                ph->N[l * m + k] = value;
                ph->N[k * m + l] = -value;
            } else
                ph->S[k * m + l] = value;
        }
    }
    if (h > 0)
        phx_dense_symmetrise(m, 1.0, ph->S);
}

static void scale_inputs(phx_ph *ph, const double *scale)
{
    for (int i = 0; i < ph->n; i++)
        for (int k = 0; k < ph->m; k++) {
            ph->B[i * ph->m + k] *= scale[k];
            ph->P[i * ph->m + k] *= scale[k];
        }
    for (int i = 0; i < ph->m; i++)
        for (int k = 0; k < ph->m; k++) {
            ph->S[i * ph->m + k] *= scale[i] * scale[k];
            ph->N[i * ph->m + k] *= scale[i] * scale[k];
        }
}

/* Port-Hamiltonian system in energy coordinates x = (omega q, v) of a projected mechanism without free rigid motions;
 * nominal > 0 replaces its damping. scale, optional, scales the inputs. */
phx_status phx_ph_of(const phx_full *full, const phx_projected *projected, double nominal, const double *scale,
                     phx_ph *ph)
{
    const int c = projected->c, r = projected->r, m = projected->m, elastic = r - projected->rigid,
              first = projected->free;
    const int n = elastic + r - first;
    double *other = nominal > 0.0 ? phx_calloc(full->context, (size_t)c * (size_t)c + 1, sizeof *other) : NULL;
    phx_status status = phx_ph_create(full->context, n, m, ph);

    if (!status && nominal > 0.0)
        status = other ? nominal_damping(full, projected, nominal, other) : PHX_ERR_MEMORY;
    const double *D = nominal > 0.0 ? other : projected->D;
    /* theory 14 (5): energy coordinates x = (omega q, v), x' = (J - R) x + (B - P) u */
    for (int i = 0; i < elastic && !status; i++) {
        const int v = elastic + projected->rigid - first + i;
        ph->J[i * n + v] = projected->omega[projected->rigid + i];
        ph->J[v * n + i] = -projected->omega[projected->rigid + i];
    }
    for (int i = first; i < r && !status; i++) {
        const int row = elastic + i - first;
        for (int j = first; j < r; j++)
            ph->R[row * n + elastic + j - first] = D[i * c + j];
        for (int k = 0; k < m; k++)
            ph->B[row * m + k] = projected->F[i * m + k];
    }
    if (!status && projected->held > 0)
        fill_held(full, projected, D, first, ph);
    if (!status && scale)
        scale_inputs(ph, scale);
    phx_free(other);
    return status;
}

/* ---- frequency zero ---- */
/* A or A^T, A = J - R. */
static void fill_dynamics(const phx_ph *ph, bool transposed, double *A)
{
    const int n = ph->n;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = transposed ? ph->J[j * n + i] - ph->R[j * n + i] : ph->J[i * n + j] - ph->R[i * n + j];
}

/* x <- A^-1 (B - P) and y <- A^-2 (B - P), or A^-T (B + P) and A^-2T (B + P): n x m each. */
static phx_status answers_at_zero(phx_context *context, const phx_ph *ph, bool transposed, double *x, double *y)
{
    const size_t n = (size_t)ph->n, cells = n * (size_t)ph->m;
    double *A = phx_calloc(context, n * n + 1, sizeof *A);
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t i = 0; i < cells; i++)
        x[i] = ph->B[i] + (transposed ? ph->P[i] : -ph->P[i]);
    for (int round = 0; round < 2 && !status; round++) {
        double *at = round == 0 ? x : y;
        if (round == 1)
            memcpy(y, x, cells * sizeof *y);
        fill_dynamics(ph, transposed, A);
        status = phx_dense_solve(context, ph->n, A, ph->m, at);
    }
    phx_free(A);
    return status;
}

/* Columns k of x and y (n x m), both or none. */
static void append_pair(int n, int m, int k, const double *x, const double *y, double *column, double *columns,
                        int *count)
{
    /* Below this part of its norm the first depends on what is there: of a system with Rayleigh damping the answers of
     * A^T are those of A but for the sign of the strain. */
    static const double dependent = 1e-6;
    int found = 0;

    for (int side = 0; side < 2 && found == side; side++) {
        for (int i = 0; i < n; i++)
            column[i] = (side ? y : x)[i * m + k];
        found += phx_append(n, *count + found, columns, column, side ? 0.0 : dependent);
    }
    *count += found == 2 ? 2 : 0;
}

/* Directions that keep response and effort of prescribed rates with their derivatives at s = 0; appended in pairs as
 * orthonormal columns while there is room. */
phx_status phx_ph_at_zero(phx_context *context, const phx_ph *ph, const int *held, int room, double *columns,
                          int *count)
{
    const int n = ph->n, m = ph->m;
    const size_t cells = (size_t)n * (size_t)m;
    double *x = phx_calloc(context, 2 * cells + (size_t)n + 1, sizeof *x), *y = phx_behind(x, cells),
           *column = phx_behind(y, cells);
    phx_status status = x ? PHX_OK : PHX_ERR_MEMORY;

    *count = 0;
    for (int side = 0; side < 2 && !status; side++) { /* responses to the rates first, then their efforts */
        status = answers_at_zero(context, ph, side == 1, x, y);
        for (int k = 0; k < m && !status && *count + 2 <= room; k++)
            if (held[k] >= 0)
                append_pair(n, m, k, x, y, column, columns, count);
    }
    phx_free(x);
    return status;
}

/* ---- projection ---- */
/* out (k x k) = Z^T A Z, made symmetric (sign 1) or skew (-1) to the last bit. */
static void congruence(int n, int k, const double *A, const double *Z, double sign, double *work, double *out)
{
    phx_dense_multiply(false, false, n, k, n, 1.0, A, n, Z, k, 0.0, work, k);
    phx_dense_multiply(true, false, k, k, n, 1.0, Z, k, work, k, 0.0, out, k);
    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++) {
            const double value = 0.5 * (out[i * k + j] + sign * out[j * k + i]);
            out[i * k + j] = value;
            out[j * k + i] = sign * value;
        }
}

/* Projects a system in energy coordinates on the orthonormal columns Z: Z^T J Z, Z^T R Z, Z^T B, Z^T P; the feedthrough
 * stays, theory 14 (8). */
phx_status phx_ph_project(phx_context *context, const phx_ph *ph, int k, const double *Z, phx_ph *out)
{
    const int n = ph->n, m = ph->m;
    double *work = phx_calloc(context, (size_t)n * (size_t)k + 1, sizeof *work);
    phx_status status = phx_ph_create(context, k, m, out);

    if (!work)
        status = PHX_ERR_MEMORY;
    if (!status && k > 0) {
        congruence(n, k, ph->J, Z, -1.0, work, out->J);
        congruence(n, k, ph->R, Z, 1.0, work, out->R);
        phx_dense_multiply(true, false, k, m, n, 1.0, Z, k, ph->B, m, 0.0, out->B, m);
        phx_dense_multiply(true, false, k, m, n, 1.0, Z, k, ph->P, m, 0.0, out->P, m);
    }
    if (!status) {
        memcpy(out->S, ph->S, (size_t)m * (size_t)m * sizeof *out->S);
        memcpy(out->N, ph->N, (size_t)m * (size_t)m * sizeof *out->N);
    }
    phx_free(work);
    return status;
}

/* ---- state space ---- */
/* A = J - R, B - P and (B + P)^T from column and row `at` on of a system with n states in all. */
static void ports_put(const phx_ph *ph, int at, int n, double sign, double *A, double *B, double *C)
{
    for (int i = 0; i < ph->n; i++) {
        for (int j = 0; j < ph->n; j++)
            A[(at + i) * n + at + j] = ph->J[i * ph->n + j] - ph->R[i * ph->n + j];
        for (int k = 0; k < ph->m; k++) {
            B[(at + i) * ph->m + k] = ph->B[i * ph->m + k] - ph->P[i * ph->m + k];
            C[k * n + at + i] = sign * (ph->B[i * ph->m + k] + ph->P[i * ph->m + k]);
        }
    }
}

/* The sum of a system, with the sign given, and one before it (NULL: none). */
static phx_status join(phx_context *context, const char *name, const phx_ph *a, const phx_ph *b, const double *D,
                       phx_ss **ss)
{
    const int n = (a ? a->n : 0) + b->n, m = b->m;
    double *A = phx_calloc(context, (size_t)n * (size_t)n + 1, sizeof *A);
    double *B = phx_calloc(context, 2 * (size_t)n * (size_t)m + 1, sizeof *B), *C = phx_behind(B, (size_t)(n * m));
    phx_status status = A && B ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && a)
        ports_put(a, 0, n, 1.0, A, B, C);
    if (!status) {
        ports_put(b, a ? a->n : 0, n, a ? -1.0 : 1.0, A, B, C);
        const phx_ss_def def = {.name = name, .n = n, .n_inputs = m, .n_outputs = m, .A = A, .B = B, .C = C, .D = D};
        status = phx_ss_create(context, &def, ss);
    }
    phx_free(A);
    phx_free(B);
    return status;
}

phx_status phx_ph_ss(phx_context *context, const char *name, const phx_ph *ph, bool without_feedthrough, phx_ss **ss)
{
    const size_t cells = (size_t)ph->m * (size_t)ph->m;
    double *D = phx_calloc(context, cells + 1, sizeof *D);

    *ss = NULL;
    if (!D)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < cells && !without_feedthrough; k++)
        D[k] = ph->S[k] + ph->N[k];
    const phx_status status = join(context, name, NULL, ph, D, ss);
    phx_free(D);
    return status;
}

/* State-space system of the difference of two systems with the same ports; feedthroughs that agree to round-off cancel
 * exactly. */
phx_status phx_ph_difference(phx_context *context, const phx_ph *a, const phx_ph *b, phx_ss **ss)
{
    static const double SAME = 1e-10; /* relative */
    const size_t cells = (size_t)a->m * (size_t)a->m;
    double *D = phx_calloc(context, cells + 1, sizeof *D);

    *ss = NULL;
    if (!D)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < cells; k++) {
        const double of_a = a->S[k] + a->N[k], of_b = b->S[k] + b->N[k];
        D[k] = fabs(of_a - of_b) > SAME * fabs(of_a) ? of_a - of_b : 0.0;
    }
    const phx_status status = join(context, "error", a, b, D, ss);
    phx_free(D);
    return status;
}
