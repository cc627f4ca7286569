/* The forms of a reduced system of first order with prescribed motions s, whose rates w are inputs of
 *
 *     e' = (J - R) Q e + (B - P) u,   y = (B + P)^T Q e + (S + N) u,   mu = y_w + inertia w'                        */
#include <string.h>

#include "result.h"

/* (B + P)^T Q (m x states): outputs conjugate to the inputs, without feedthrough. */
static phx_status conjugate(phx_context *context, const phx_reduction *spec, double **C)
{
    const int n = spec->states, m = spec->m;
    double *sum = phx_calloc(context, (size_t)n * (size_t)m + 1, sizeof *sum);
    phx_status status = sum ? PHX_OK : PHX_ERR_MEMORY;

    *C = phx_calloc(context, (size_t)n * (size_t)m + 1, sizeof **C);
    if (!*C)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < n * m && !status; i++)
        sum[i] = spec->B[i] + spec->P[i];
    if (!status && m > 0 && n > 0)
        phx_dense_multiply(true, false, m, n, n, 1.0, sum, m, spec->Q, n, 0.0, *C, n);
    phx_free(sum);
    return status;
}

/* Inputs of prescribed motions, by the motion. */
static int input_of(const phx_reduction *spec, int held)
{
    int k = 0;
    while (spec->row[k] != held)
        k++;
    return k;
}

/* C += G y_w on e, D += G y_w on u, G: p x held */
static void add_efforts(const phx_reduction *spec, const double *conjugate, double sign, const double *G, double *C,
                        double *D)
{
    const int n = spec->states, m = spec->m, held = spec->held;

    for (int h = 0; h < held; h++) {
        const int w = input_of(spec, h);
        for (int i = 0; i < spec->p; i++) {
            const double factor = sign * G[i * held + h];
            for (int j = 0; j < n && factor != 0.0; j++)
                C[i * n + j] += factor * conjugate[w * n + j];
            for (int k = 0; k < m && factor != 0.0; k++)
                D[i * m + k] += factor * (spec->S[w * m + k] + spec->N[w * m + k]);
        }
    }
}

/* ---- state space ---- */
typedef struct state_space {
    int n;                 /* states, with rates w whose derivatives are inputs */
    double *A, *B, *C, *D; /* n x n, n x m, p x n, p x m */
    double *plain, *D_dot; /* p x states; p x m: with the efforts */
    const char **states;   /* n */
    const char **proper;   /* p: outputs that do not follow the derivative of a rate that is an input */
    int count;
} state_space;

static void state_space_free(state_space *space)
{
    phx_free(space->A);
    phx_free(space->D);
    phx_free((void *)space->states);
}

/* Allocates the state-space form; each prescribed motion given by its acceleration adds a state. */
static phx_status state_space_create(phx_context *context, const phx_reduction *spec, state_space *out)
{
    const size_t m = (size_t)spec->m, p = (size_t)spec->p;

    *out = (state_space){.n = spec->states};
    for (int k = 0; k < spec->m; k++)
        out->n += spec->row[k] >= 0 && spec->kind[k] == PHX_CHANNEL_ACCELERATION;
    const size_t n = (size_t)out->n;
    out->A = phx_calloc(context, n * (n + m + p) + 1, sizeof *out->A);
    out->D = phx_calloc(context, p * (2 * m + (size_t)spec->states) + 1, sizeof *out->D);
    out->states = phx_calloc(context, n + p + 1, sizeof *out->states);
    if (!out->A || !out->D || !out->states)
        return PHX_ERR_MEMORY;
    out->B = phx_behind(out->A, n * n);
    out->C = phx_behind(out->B, n * m);
    out->D_dot = phx_behind(out->D, p * m);
    out->plain = phx_behind(out->D_dot, p * m);
    out->proper = out->states + n;
    return PHX_OK;
}

/* y = C e + D u + D_dot u' with mu put in, D_dot beside the inertia of the efforts. */
static phx_status put_efforts_in(phx_context *context, const phx_reduction *spec, state_space *out)
{
    const size_t m = (size_t)spec->m, p = (size_t)spec->p;
    double *C = NULL;
    phx_status status = conjugate(context, spec, &C);

    if (!status) {
        memcpy(out->plain, spec->C, p * (size_t)spec->states * sizeof *C);
        memcpy(out->D, spec->D, p * m * sizeof *C);
        memcpy(out->D_dot, spec->D_dot, p * m * sizeof *C);
        add_efforts(spec, C, 1.0, spec->Y_h, out->plain, out->D);
    }
    for (int k = 0; k < spec->m && !status; k++)
        for (int i = 0; i < spec->p && spec->row[k] >= 0; i++)
            for (int h = 0; h < spec->held; h++)
                out->D_dot[i * spec->m + k] +=
                    spec->Y_h[i * spec->held + h] * spec->inertia[h * spec->held + spec->row[k]];
    phx_free(C);
    return status;
}

/* Y (elastic x m) = -A^-1 (B - P) of the elastic states z: their answers to steady rates. */
static phx_status steady_answers(phx_context *context, const phx_reduction *spec, const state_space *out, double *Y)
{
    const int k = spec->elastic, n = out->n, m = spec->m;
    double *A = phx_calloc(context, (size_t)k * (size_t)k + 1, sizeof *A);

    if (!A)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++)
            A[i * k + j] = out->A[(spec->rigid + i) * n + spec->rigid + j];
        for (int j = 0; j < m; j++)
            Y[i * m + j] = -out->B[(spec->rigid + i) * m + j];
    }
    const phx_status status = phx_dense_solve(context, k, A, m, Y);
    phx_free(A);
    return status;
}

/* The input k is a derivative w': w is the state `at`, and z is counted from its answer to w,
 *
 *     z = z~ + y w,   z~' = A z~ - y w',   output: C z~ + (D + C y) w + D_dot w'                                     */
static void take_derivative(const phx_reduction *spec, int k, int at, const double *Y, state_space *out)
{
    const int n = out->n, m = spec->m, from = spec->rigid, to = spec->rigid + spec->elastic;

    for (int i = 0; i < spec->states; i++) {
        const bool inside = i >= from && i < to;
        double sum = inside ? 0.0 : out->B[i * m + k];
        for (int j = from; j < to && !inside; j++)
            sum += out->A[i * n + j] * Y[(j - from) * m + k];
        out->A[i * n + at] = sum;
        out->B[i * m + k] = inside ? -Y[(i - from) * m + k] : 0.0;
    }
    out->B[at * m + k] = 1.0;
    for (int i = 0; i < spec->p; i++) {
        double sum = out->D[i * m + k];
        for (int j = from; j < to; j++)
            sum += out->C[i * n + j] * Y[(j - from) * m + k];
        out->C[i * n + at] = sum;
        out->D[i * m + k] = out->D_dot[i * m + k];
        out->D_dot[i * m + k] = 0.0;
    }
    out->states[at] = spec->rates[spec->row[k]];
}

/* Fills A, B and C; motions given by their accelerations get their rate as a state. */
static phx_status fill_state_space(phx_context *context, const phx_reduction *spec, state_space *out)
{
    const int s = spec->states, n = out->n, m = spec->m;
    double *Y = phx_calloc(context, (size_t)spec->elastic * (size_t)m + 1, sizeof *Y);
    phx_status status = Y ? PHX_OK : PHX_ERR_MEMORY;
    int at = s;

    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) /* Q is diagonal but for s, of which J and R have no columns */
            out->A[i * n + j] = (spec->J[i * s + j] - spec->R[i * s + j]) * spec->Q[j * s + j];
        for (int j = 0; j < m; j++)
            out->B[i * m + j] = spec->B[i * m + j] - spec->P[i * m + j];
        out->states[i] = spec->states_names[i];
    }
    for (int i = 0; i < spec->p; i++)
        memcpy(out->C + (size_t)i * (size_t)n, out->plain + (size_t)i * (size_t)s, (size_t)s * sizeof *out->C);
    if (!status && n > s)
        status = steady_answers(context, spec, out, Y);
    for (int k = 0; k < m && !status; k++)
        if (spec->row[k] >= 0 && spec->kind[k] == PHX_CHANNEL_ACCELERATION)
            take_derivative(spec, k, at++, Y, out);
    phx_free(Y);
    return status;
}

/* Outputs that follow no derivative; `proper`: others are left out, else they are an error. */
static phx_status find_proper(phx_context *context, const phx_reduction *spec, bool proper, state_space *out)
{
    for (int i = 0; i < spec->p; i++) {
        int k = 0;
        while (k < spec->m && out->D_dot[i * spec->m + k] == 0.0)
            k++;
        if (k == spec->m)
            out->proper[out->count++] = spec->outputs[i];
        else if (!proper)
            return phx_linearised_refuse_improper(context, spec->outputs[i], spec->inputs[k],
                                                  out->D_dot[i * spec->m + k]);
    }
    return PHX_OK;
}

/* State-space form of a first-order reduction; with `proper` only the outputs without derivatives of inputs. */
phx_status phx_reduction_first_ss(phx_context *context, const phx_reduction *spec, bool proper, phx_ss **ss)
{
    state_space form;
    phx_ss *all = NULL;
    phx_status status = state_space_create(context, spec, &form);

    *ss = NULL;
    if (!status)
        status = put_efforts_in(context, spec, &form);
    if (!status)
        status = fill_state_space(context, spec, &form);
    if (!status)
        status = find_proper(context, spec, proper, &form);
    if (!status) {
        const phx_ss_def def = {.name = spec->name,
                                .n = form.n,
                                .n_inputs = spec->m,
                                .n_outputs = spec->p,
                                .A = form.A,
                                .B = form.B,
                                .C = form.C,
                                .D = form.D,
                                .states = form.states,
                                .inputs = (const char *const *)spec->inputs,
                                .outputs = (const char *const *)spec->outputs};
        status = phx_ss_create(context, &def, &all);
    }
    if (!status && form.count < spec->p) {
        status = phx_ss_sub(context, all, form.count, form.proper, 0, NULL, ss);
        phx_ss_destroy(all);
    } else
        *ss = all;
    state_space_free(&form);
    return status;
}

/* ---- descriptor form ----
 *
 * e = (e, w, mu), E = diag(I, inertia, 0), Q = diag(Q, I, I), the columns B_w of the input w, the rest B_u:
 *
 *         | J      B_w    0 |         | R      P_w   0 |         | B_u        0 |         | P_u       0 |
 *     J = | -B_w^T -N_ww  I |     R = | P_w^T  S_ww  0 |     B = | N_uw^T     0 |     P = | S_wu      0 |
 *         | 0      -I     0 |         | 0      0     0 |         | 0          I |         | 0         0 |          */
enum { J, R, Q, B, P, S, N, E, PARTS };

typedef struct ph_form {
    int size; /* entries of e in all */
    int rows[PARTS], cols[PARTS];
    double *dense[PARTS];
    phx_csr parts[PARTS];
    phx_descriptor_port *ports;
} ph_form;

static void form_free(const phx_reduction *spec, ph_form *form)
{
    for (int k = 0; k < PARTS; k++) {
        phx_free(form->dense[k]);
        phx_csr_free(&form->parts[k]);
    }
    for (int k = 0; form->ports && k < spec->m; k++)
        phx_free((void *)form->ports[k].name);
    phx_free(form->ports);
}

static phx_status form_create(phx_context *context, const phx_reduction *spec, ph_form *out)
{
    *out = (ph_form){.size = spec->states + 2 * spec->held};
    for (int k = 0; k < PARTS; k++) {
        out->rows[k] = k == S || k == N ? spec->m : out->size;
        out->cols[k] = k == J || k == R || k == Q || k == E ? out->size : spec->m;
        out->dense[k] = phx_calloc(context, (size_t)out->rows[k] * (size_t)out->cols[k] + 1, sizeof *out->dense[k]);
        if (!out->dense[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Rows and columns of e; the columns of inputs that are rates stay empty. */
static void put_states(const phx_reduction *spec, ph_form *out)
{
    const int s = spec->states, n = out->size, m = spec->m;

    for (int i = 0; i < s; i++) {
        memcpy(out->dense[J] + (size_t)i * (size_t)n, spec->J + (size_t)i * (size_t)s, (size_t)s * sizeof(double));
        memcpy(out->dense[R] + (size_t)i * (size_t)n, spec->R + (size_t)i * (size_t)s, (size_t)s * sizeof(double));
        memcpy(out->dense[Q] + (size_t)i * (size_t)n, spec->Q + (size_t)i * (size_t)s, (size_t)s * sizeof(double));
        out->dense[E][i * n + i] = 1.0;
        for (int k = 0; k < m; k++) {
            out->dense[B][i * m + k] = spec->row[k] < 0 ? spec->B[i * m + k] : 0.0;
            out->dense[P][i * m + k] = spec->row[k] < 0 ? spec->P[i * m + k] : 0.0;
        }
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m && spec->row[i] < 0; k++) {
            out->dense[S][i * m + k] = spec->row[k] < 0 ? spec->S[i * m + k] : 0.0;
            out->dense[N][i * m + k] = spec->row[k] < 0 ? spec->N[i * m + k] : 0.0;
        }
}

/* Rows and columns of w and mu. */
static void put_rates(const phx_reduction *spec, ph_form *out)
{
    const int s = spec->states, n = out->size, m = spec->m, held = spec->held;

    for (int h = 0; h < held; h++) {
        const int w = s + h, mu = w + held, input = input_of(spec, h);
        for (int i = 0; i < s; i++) {
            out->dense[J][i * n + w] = spec->B[i * m + input];
            out->dense[J][w * n + i] = -spec->B[i * m + input];
            out->dense[R][i * n + w] = out->dense[R][w * n + i] = spec->P[i * m + input];
        }
        for (int k = 0; k < m; k++) {
            const int other = spec->row[k];
            if (other >= 0) {
                out->dense[J][w * n + s + other] = -spec->N[input * m + k];
                out->dense[R][w * n + s + other] = spec->S[input * m + k];
                out->dense[E][w * n + s + other] = spec->inertia[h * held + other];
            } else {
                out->dense[B][w * m + k] = spec->N[k * m + input];
                out->dense[P][w * m + k] = spec->S[input * m + k];
            }
        }
        out->dense[J][w * n + mu] = out->dense[Q][w * n + w] = out->dense[Q][mu * n + mu] = 1.0;
        out->dense[J][mu * n + w] = -1.0;
        out->dense[B][mu * m + input] = 1.0;
    }
}

/* Ports of the descriptor form, one per input. */
static phx_status make_ports(phx_context *context, const phx_reduction *spec, phx_descriptor_port **ports)
{
    *ports = phx_calloc(context, (size_t)spec->m + 1, sizeof **ports);
    if (!*ports)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < spec->m; k++) {
        char *name = phx_strdup(context, spec->inputs[k]);
        (*ports)[k] = (phx_descriptor_port){name, 1};
        if (!name)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Descriptor form of a first-order reduction with all prescribed motions given by their rates. */
phx_status phx_reduction_by_rates(phx_context *context, const phx_reduction *spec, phx_descriptor **descriptor)
{
    ph_form form;
    phx_status status = form_create(context, spec, &form);

    *descriptor = NULL;
    if (!status) {
        put_states(spec, &form);
        put_rates(spec, &form);
        status = make_ports(context, spec, &form.ports);
    }
    for (int k = 0; k < PARTS && !status; k++)
        status = phx_csr_from_dense(context, form.rows[k], form.cols[k], form.dense[k], 0.0, &form.parts[k]);
    if (!status) {
        phx_descriptor_def def = phx_descriptor_def_default();
        def.name = spec->name;
        def.n = form.size;
        def.E = spec->held > 0 ? &form.parts[E] : NULL;
        def.J = &form.parts[J];
        def.R = &form.parts[R];
        def.Q = &form.parts[Q];
        def.B = &form.parts[B];
        def.P = &form.parts[P];
        def.S = &form.parts[S];
        def.N = &form.parts[N];
        def.n_ports = spec->m;
        def.ports = form.ports;
        status = phx_descriptor_create(context, &def, descriptor);
    }
    form_free(spec, &form);
    return status;
}

/* G (p x held) <- D_dot inertia^-1 */
static phx_status by_inertia(phx_context *context, const phx_reduction *spec, double *G)
{
    const int held = spec->held, p = spec->p;
    double *inertia = phx_calloc(context, (size_t)held * (size_t)(held + p) + 1, sizeof *inertia),
           *x = phx_behind(inertia, (size_t)(held * held));

    if (!inertia)
        return PHX_ERR_MEMORY;
    memcpy(inertia, spec->inertia, (size_t)held * (size_t)held * sizeof *inertia);
    for (int h = 0; h < held; h++)
        for (int i = 0; i < p; i++)
            x[h * p + i] = spec->D_dot[i * spec->m + input_of(spec, h)];
    const phx_status status = phx_dense_solve(context, held, inertia, p, x);
    for (int h = 0; h < held; h++)
        for (int i = 0; i < p; i++)
            G[i * held + h] = x[h * p + i];
    phx_free(inertia);
    return status;
}

/* y = C e + D u + D_dot u' + Y_h mu with w' = inertia^-1 (mu - y_w), all of (e, w, mu) and u. */
static phx_status result_forms_measure(phx_context *context, const phx_reduction *spec, phx_measured *out)
{
    const int s = spec->states, held = spec->held, n = s + 2 * held, m = spec->m, p = spec->p;
    const size_t cells = (size_t)p * (size_t)(s + m + held);
    double *work = phx_calloc(context, cells + (size_t)p * (size_t)n + 1, sizeof *work), *C = work,
           *D = phx_behind(C, (size_t)(p * s)), *G = phx_behind(D, (size_t)(p * m)), *wide = phx_behind(work, cells);
    double *y_w = NULL;
    phx_status status = work ? conjugate(context, spec, &y_w) : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(C, spec->C, (size_t)p * (size_t)s * sizeof *C);
        memcpy(D, spec->D, (size_t)p * (size_t)m * sizeof *D);
        status = held > 0 ? by_inertia(context, spec, G) : PHX_OK;
    }
    if (!status)
        add_efforts(spec, y_w, -1.0, G, C, D);
    for (int i = 0; i < p && !status; i++) {
        memcpy(wide + (size_t)i * (size_t)n, C + (size_t)i * (size_t)s, (size_t)s * sizeof *wide);
        for (int h = 0; h < held; h++) {
            const int input = input_of(spec, h);
            wide[i * n + s + h] = D[i * m + input];
            wide[i * n + s + held + h] = G[i * held + h] + spec->Y_h[i * held + h];
            D[i * m + input] = 0.0;
        }
    }
    if (!status)
        status = phx_csr_from_dense(context, p, n, wide, 0.0, &out->C);
    if (!status)
        status = phx_csr_from_dense(context, p, m, D, 0.0, &out->D);
    phx_free(work);
    phx_free(y_w);
    return status;
}

/* Descriptor form of a first-order reduction and, if measured is not NULL, its output matrices. Fails for motions given
 * by accelerations. */
phx_status phx_reduction_first_descriptor(phx_context *context, const phx_reduction *spec, phx_descriptor **descriptor,
                                          phx_measured *measured)
{
    phx_measured outputs = {0};
    phx_status status = phx_linearised_refuse_accelerations(context, spec->m, spec->kind, spec->inputs);

    *descriptor = NULL;
    if (!status)
        status = phx_reduction_by_rates(context, spec, descriptor);
    if (!status && measured)
        status = result_forms_measure(context, spec, &outputs);
    if (!status && measured)
        *measured = outputs;
    else
        phx_measured_free(&outputs);
    if (status) {
        phx_descriptor_destroy(*descriptor);
        *descriptor = NULL;
    }
    return status;
}
