/* The linearised mechanism with its controllers. With x = (q, q'), the inputs u_c they act with and Y = [Y_q Y_v] over
 * the coordinates q:
 *
 *     x' = A x + B u + B_c u_c        z' = A_c z + B_c' Y x        u_c = C_c z + D_c Y x
 *
 *     A_closed = | A + B_c D_c Y   B_c C_c |      C_closed = | C + D_u D_c Y   D_u C_c |
 *                | B_c' Y          A_c     |
 */
#include "linearised.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns of Y over (q, q'). */
double *phx_linearised_measured(phx_context *context, const phx_linearised *linear)
{
    const phx_feedback *f = &linear->feedback;
    const int count = linear->reduced.count, n = linear->linear.n;
    double *Y = phx_calloc(context, (size_t)f->n_measures * 2 * (size_t)count, sizeof *Y);

    if (!Y || f->n_measures == 0 || count == 0)
        return Y;
    phx_dense_multiply(false, false, f->n_measures, count, n, 1.0, f->Y_q, n, linear->reduced.basis, count, 0.0, Y,
                       2 * count);
    phx_dense_multiply(false, false, f->n_measures, count, n, 1.0, f->Y_v, n, linear->reduced.basis, count, 0.0,
                       Y + count, 2 * count);
    return Y;
}

/* The mechanism with its controllers, without other channels. */
static phx_status linearise_loop(phx_context *context, phx_dae *dae, double t, const double *x, phx_linearised **linear)
{
    static const char *const none[] = {""};
    phx_linearise_options options = phx_linearise_options_default();

    options.t = t;
    options.x = x;
    options.channels = (phx_channels_options){.inputs = none, .outputs = none, .controllers = true};
    return phx_linearise(context, dae, &options, linear);
}

int phx_channel_input(const phx_channels *channels, const char *name)
{
    for (int k = 0; k < channels->n_inputs; k++)
        if (strcmp(channels->inputs[k], name) == 0)
            return k;
    return -1;
}

/* The columns of `from` (rows x inputs) that the controllers act with: rows x actuations. Zero where sampled ones hold,
 * and of the one that is opened. */
static double *acted(phx_context *context, const phx_linearised *linear, int rows, const double *from, int opened)
{
    const phx_feedback *f = &linear->feedback;
    double *B = phx_calloc(context, (size_t)rows * (size_t)f->n_actuations, sizeof *B);

    for (int k = 0; B && k < f->n_actuations; k++) {
        const int at = f->continuous[k] && k != opened ? phx_channel_input(&linear->channels, f->actuations[k]) : -1;
        for (int i = 0; i < rows && at >= 0; i++)
            B[i * f->n_actuations + k] = from[i * linear->channels.n_inputs + at];
    }
    return B;
}

/* [from + Bc D Y | Bc C], rows x (states + n_states), behind each other in rows of `width`. */
static phx_status close_rows(phx_context *context, const phx_linearised *linear, int opened, int rows, int states,
                             const double *from, const double *inputs, const double *Y, double *to)
{
    const phx_feedback *f = &linear->feedback;
    const int u = f->n_actuations, y = f->n_measures, z = f->n_states, width = states + z;
    double *Bc = acted(context, linear, rows, inputs, opened);
    double *BD = phx_calloc(context, (size_t)rows * (size_t)y, sizeof *BD);
    const phx_status status = Bc && BD ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < rows && !status; i++)
        memcpy(to + (size_t)i * (size_t)width, from + (size_t)i * (size_t)states, (size_t)states * sizeof *to);
    if (!status && rows > 0 && y > 0)
        phx_dense_multiply(false, false, rows, y, u, 1.0, Bc, u, f->D, y, 0.0, BD, y);
    if (!status && rows > 0 && y > 0 && states > 0)
        phx_dense_multiply(false, false, rows, states, y, 1.0, BD, y, Y, states, 1.0, to, width);
    if (!status && rows > 0 && z > 0)
        phx_dense_multiply(false, false, rows, z, u, 1.0, Bc, u, f->C, z, 0.0, to + states, width);
    phx_free(Bc);
    phx_free(BD);
    return status;
}

static phx_status state_names(phx_context *context, const phx_linearised *linear, const phx_ss *plant,
                              const char ***names)
{
    const int n = phx_ss_n(plant), z = linear->feedback.n_states;

    *names = phx_calloc(context, (size_t)(n + z), sizeof **names);
    if (!*names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n + z; k++)
        (*names)[k] = k < n ? phx_ss_state(plant, k) : linear->feedback.states[k - n];
    return PHX_OK;
}

/* Replaces the plant *ss by the closed loop with its continuous controllers (matrices at the top), of which the opened
 * actuation (-1: none) does not act; without actuations *ss stays. Fails for inputs that are rates, which have no
 * state. */
phx_status phx_linearised_close(phx_context *context, const phx_linearised *linear, int opened, phx_ss **ss)
{
    const phx_ss *plant = *ss;
    const phx_feedback *f = &linear->feedback;
    const int n = phx_ss_n(plant), z = f->n_states, all = n + z, p = phx_ss_outputs(plant), m = phx_ss_inputs(plant);

    if (f->n_actuations == 0)
        return PHX_OK;
    if (n != 2 * linear->reduced.count)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "a rate that is an input has no state, and the controllers need it; take the acceleration as "
                        "the input");
    double *A = phx_calloc(context, (size_t)all * (size_t)all, sizeof *A),
           *Y = phx_linearised_measured(context, linear);
    double *B = phx_calloc(context, (size_t)all * (size_t)m, sizeof *B);
    double *C = phx_calloc(context, (size_t)p * (size_t)all, sizeof *C);
    const char **names = NULL;
    phx_ss *closed = NULL;
    phx_status status = A && B && C && Y ? state_names(context, linear, plant, &names) : PHX_ERR_MEMORY;

    if (!status)
        status = close_rows(context, linear, opened, n, n, phx_ss_A(plant), phx_ss_B(plant), Y, A);
    if (!status)
        status = close_rows(context, linear, opened, p, n, phx_ss_C(plant), phx_ss_D(plant), Y, C);
    if (!status && z > 0 && f->n_measures > 0 && n > 0)
        phx_dense_multiply(false, false, z, n, f->n_measures, 1.0, f->B, f->n_measures, Y, n, 0.0,
                           A + (size_t)n * (size_t)all, all);
    for (int i = 0; i < z && !status; i++)
        memcpy(A + (size_t)(n + i) * (size_t)all + n, f->A + i * z, (size_t)z * sizeof *A);
    if (!status)
        memcpy(B, phx_ss_B(plant), (size_t)n * (size_t)m * sizeof *B);
    if (!status) {
        const phx_channels *channels = &linear->channels;
        const phx_ss_def def = {.name = linear->name,
                                .n = all,
                                .n_inputs = m,
                                .n_outputs = p,
                                .A = A,
                                .B = B,
                                .C = C,
                                .D = phx_ss_D(plant),
                                .states = names,
                                .inputs = (const char *const *)channels->inputs,
                                .outputs = (const char *const *)channels->outputs};
        status = phx_ss_create(context, &def, &closed);
    }
    if (!status) {
        phx_ss_destroy(*ss);
        *ss = closed;
    }
    phx_free(A);
    phx_free(B);
    phx_free(C);
    phx_free(Y);
    phx_free((void *)names);
    return status;
}

phx_status phx_linearised_refuse_feedback(phx_context *context, const phx_linearised *linear, const char *what)
{
    if (linear->feedback.n_actuations == 0)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_UNSUPPORTED,
                    "a mechanism with controllers does not have %s; take the state-space form, or leave the "
                    "controllers out",
                    what);
}

/* ---- modes ---- */
/* Root k is one of the two that rounding makes of the double root zero of a free motion: lambda and -lambda. A slow
 * root of a controller stands alone. */
static bool has_mirror(int n, const double *re, const double *im, int k)
{
    const double size = hypot(re[k], im[k]);

    for (int j = 0; j < n; j++)
        if (j != k && hypot(re[j] + re[k], im[j] + im[k]) <= 0.1 * size)
            return true;
    return false;
}

/* lambda = log(z)/period of the eigenvalues of a sampled loop, in place. A motion faster than half the samples shows at
 * a lower frequency; its own is the branch of the logarithm that is near q^H q'/q^H q of its shape. Eigenvalues that
 * vanish within a sample, of delays, are put below the axis, where their conjugate is listed. */
static void unfold_roots(int count, int n, double period, const double *vectors, double *re, double *im)
{
    static const double GONE = 1e-4, PI = 3.14159265358979323846; /* |z| */

    for (int k = 0; k < n; k++) {
        const double size = hypot(re[k], im[k]);
        double complex along = 0.0;
        double square = 0.0;
        if (size < GONE) {
            im[k] = -1.0;
            continue;
        }
        for (int j = 0; j < count; j++) {
            const double complex q = vectors[2 * (j * n + k)] + I * vectors[2 * (j * n + k) + 1];
            const double complex rate = vectors[2 * ((count + j) * n + k)] + I * vectors[2 * ((count + j) * n + k) + 1];
            along += conj(q) * rate;
            square += creal(conj(q) * q);
        }
        const double angle = atan2(im[k], re[k]), own = square > 0.0 ? cimag(along) / square : 0.0;
        re[k] = log(size) / period;
        im[k] = (angle + 2.0 * PI * rint((own * period - angle) / (2.0 * PI))) / period;
    }
}

/* Conjugate pairs once; what is zero up to rounding is a rigid motion. */
static phx_status list_modes(phx_context *context, const phx_linearised *linear, int n, const double *re,
                             const double *im, const double *vectors, phx_mode_list *list, int *rigid)
{
    const int count = linear->reduced.count, n_xi = linear->linear.n;
    double largest = 0.0;
    phx_status status = phx_mode_list_create(context, n_xi, n, list);

    for (int k = 0; k < n; k++)
        largest = fmax(largest, hypot(re[k], im[k]));
    /* rounding separates the double root of a free motion by the square root of its size */
    const double zero = largest * n * DBL_EPSILON, parted = largest * sqrt(n * DBL_EPSILON);
    for (int k = 0; k < n && !status; k++) {
        double complex *shape = list->shapes + (size_t)list->count * (size_t)n_xi;
        if (im[k] < 0.0)
            continue;
        const double size = hypot(re[k], im[k]);
        if (size <= zero || (linear->reduced.rigid > 0 && size <= parted && has_mirror(n, re, im, k))) {
            *rigid += im[k] > 0.0 ? 2 : 1;
            continue;
        }
        for (int i = 0; i < n_xi; i++) {
            shape[i] = 0.0;
            for (int j = 0; j < count; j++)
                shape[i] += linear->reduced.basis[(size_t)i * (size_t)count + (size_t)j] *
                            (vectors[2 * (j * n + k)] + I * vectors[2 * (j * n + k) + 1]);
        }
        list->lambda[list->count++] = re[k] + I * im[k];
    }
    *rigid /= 2;
    return status;
}

/* Modes of the mechanism with its controllers about the configuration x at rest, by a dense eigenproblem; count 0 means
 * all. Of sampled controllers the loop from sample to sample counts, lambda = log(z)/period; they are left out where
 * their linear model is unknown, and *whole (may be NULL) is false. The shapes are those of the mechanism. */
phx_status phx_closed_modes(phx_context *context, phx_dae *dae, double t, const double *x, int count, bool *whole,
                            phx_mode_set *set)
{
    phx_linearised *linear = NULL;
    phx_ss *ss = NULL;
    phx_mode_list list = {0};
    const char *left_out = NULL;
    double *re = NULL, period = 0.0;
    int rigid = 0;

    *set = (phx_mode_set){0};
    phx_status status = linearise_loop(context, dae, t, x, &linear);
    if (!status)
        status = phx_linearised_period(context, linear, &period, &left_out);
    if (whole)
        *whole = !left_out;
    if (!status)
        status = period > 0.0
                     ? phx_linearised_sampled_ss(context, linear, &(phx_sampled_options){.period = period}, &ss)
                     : phx_linearised_ss(context, linear, &ss);
    const int n = status ? 0 : phx_ss_n(ss);
    re = status ? NULL : phx_calloc(context, 2 * (size_t)n + 2 * (size_t)n * (size_t)n, sizeof *re);
    if (!status && !re)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_dense_eigen_general(context, n, phx_ss_A(ss), NULL, re, re + n, re + 2 * n);
    if (!status && period > 0.0)
        unfold_roots(linear->reduced.count, n, period, re + 2 * n, re, re + n);
    if (!status)
        status = list_modes(context, linear, n, re, re + n, re + 2 * n, &list, &rigid);
    if (!status)
        status = phx_mode_list_finish(context, &list, &linear->linear.M, count, set);
    if (!status) {
        set->freedom = linear->reduced.count;
        set->rigid = rigid;
    }
    phx_mode_list_free(&list);
    phx_free(re);
    phx_ss_destroy(ss);
    phx_linearised_destroy(linear);
    return phx_conclude(context, status);
}

/* ---- stability ---- */
enum { ALL = 400, SLOWEST = 60 };     /* coordinates of which all motions are looked at; else so many */
static const double GROWS = 1e-7;     /* real parts below this, of the root, may be rounding: roots that are almost */
static const double ROUNDING = 1e-14; /* double come out so far apart; and below this, of the largest root */

/* Counts the growing modes of a set, divergent (real) and fluttering (complex), above round-off, and finds the fastest
 * growth. */
static void count_growing(const phx_mode_set *set, phx_stability *found)
{
    double largest = 0.0;

    *found = (phx_stability){.judged = set->count + set->rigid};
    for (int k = 0; k < set->count; k++)
        largest = fmax(largest, set->omega[k]);
    for (int k = 0; k < set->count; k++) {
        if (!(set->re[k] > GROWS * set->omega[k] + ROUNDING * largest) || set->omega[k] <= set->resolution)
            continue;
        found->divergent += set->im[k] == 0.0;
        found->fluttering += set->im[k] != 0.0;
        if (set->re[k] > found->growth) {
            found->growth = set->re[k];
            found->frequency = set->im[k];
        }
    }
}

/* The period of the sampled loop, or why it has no linear model; what is not supported is no failure here. */
phx_status phx_sampled_loop_period(phx_context *context, phx_dae *dae, double t, const double *x, double *period,
                                   size_t size, char *why)
{
    phx_linearised *linear = NULL;
    const char *left_out = NULL;
    phx_status status = linearise_loop(context, dae, t, x, &linear);

    *period = 0.0;
    if (!status)
        status = phx_linearised_period(context, linear, period, &left_out);
    if (why)
        snprintf(why, size, "%s", status ? phx_context_message(context) : left_out ? left_out : "");
    if (status == PHX_ERR_UNSUPPORTED) {
        phx_context_clear(context);
        *period = 0.0;
        status = PHX_OK;
    }
    phx_linearised_destroy(linear);
    return status;
}

/* Modes of the mechanism about (x, lambda) without controllers: all of a small system, the SLOWEST ones of a large
 * one. */
static phx_status all_modes(phx_dae *dae, double t, const double *x, const double *lambda, phx_mode_set *set)
{
    phx_modes_options options = phx_modes_options_default();
    phx_linear linear = {0};
    phx_modal *modal = NULL;
    phx_status status = phx_system_linear(dae, t, x, lambda, &linear);

    options.count = dae->n_v - dae->n_l <= ALL ? 0 : SLOWEST;
    if (!status)
        status = phx_modal_create(dae->context, &modal);
    if (!status)
        status = phx_modal_solve(modal, &linear, &options, set);
    phx_modal_destroy(modal);
    phx_linear_free(&linear);
    return status;
}

/* Judges the stability of an equilibrium by its modes, controllers included; found->judged stays 0 if the linear model
 * of a sampled controller is unknown, or if they have different periods. */
phx_status phx_linear_stability(phx_dae *dae, double t, const double *x, const double *lambda, phx_stability *found)
{
    if (!dae || !x || !found)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x or found");
    const phx_system *system = phx_system_of(dae);
    const int controllers = phx_system_controllers(system);
    phx_mode_set set = {0};

    *found = (phx_stability){0};
    bool whole = true;
    phx_status status = controllers > 0 ? phx_closed_modes(dae->context, dae, t, x, 0, &whole, &set)
                                        : all_modes(dae, t, x, lambda, &set);
    if (!status && whole)
        count_growing(&set, found);
    if (status == PHX_ERR_UNSUPPORTED && controllers > 0) { /* different periods */
        phx_context_clear(dae->context);
        status = PHX_OK;
    }
    phx_mode_set_free(&set);
    return phx_conclude(dae->context, status);
}

/* ---- Casimirs ---- */
/* r = (-row B Y_v, 0, row) */
static phx_status complete_row(phx_context *context, const phx_linearised *linear, const double *row, double *r)
{
    const phx_feedback *f = &linear->feedback;
    const int count = linear->reduced.count;
    double *Y = phx_linearised_measured(context, linear);

    if (!Y)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < f->n_measures; k++) {
        double factor = 0.0;
        for (int i = 0; i < f->n_states; i++)
            factor += row[i] * f->B[i * f->n_measures + k];
        for (int j = 0; j < count; j++)
            r[j] -= factor * Y[k * 2 * count + count + j];
    }
    memcpy(r + 2 * count, row, (size_t)f->n_states * sizeof *r);
    phx_free(Y);
    return PHX_OK;
}

/* Relative residual of r^T A = 0 for the row r of a Casimir function, A the closed loop at rest: 0 means that the
 * function is conserved. */
phx_status phx_casimir_residual(phx_context *context, phx_dae *dae, double t, const double *x, const double *row,
                                double *residual)
{
    phx_linearised *linear = NULL;
    phx_ss *ss = NULL;
    double worst = 0.0, largest = 0.0;

    *residual = 0.0;
    phx_status status = linearise_loop(context, dae, t, x, &linear);
    if (!status)
        status = phx_linearised_ss(context, linear, &ss);
    const int n = status ? 0 : phx_ss_n(ss);
    double *r = phx_calloc(context, (size_t)n, sizeof *r);
    if (!r)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = complete_row(context, linear, row, r);
    for (int j = 0; j < n && !status; j++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            sum += r[i] * phx_ss_A(ss)[(size_t)i * (size_t)n + (size_t)j];
            size += fabs(r[i] * phx_ss_A(ss)[(size_t)i * (size_t)n + (size_t)j]);
        }
        worst = fmax(worst, fabs(sum));
        largest = fmax(largest, size);
    }
    if (largest > 0.0)
        *residual = worst / largest;
    phx_free(r);
    phx_ss_destroy(ss);
    phx_linearised_destroy(linear);
    return phx_conclude(context, status);
}

/* ---- sampling ---- */
/* T lambda_max(-D_v Y_v M^-1 F) < 2 sin(pi/(4 n + 2)): direct gains of rates against the mobility of what is acted on,
 * v+ = v - T lambda v of n samples before; n: the largest delay. */
phx_status phx_sampling_limit(phx_context *context, phx_dae *dae, double t, const double *x, double *limit)
{
    phx_linearised *linear = NULL;
    double *room = NULL, *Y = NULL, largest = 0.0;

    *limit = HUGE_VAL;
    phx_status status = linearise_loop(context, dae, t, x, &linear);
    if (status)
        return status;
    const phx_system *system = phx_system_of(dae);
    int delay = 0;
    for (int c = 0; c < phx_system_controllers(system); c++) {
        const int own = phx_block_delay(phx_system_controller_block(system, c));
        delay = own > delay ? own : delay;
    }
    const phx_feedback *f = &linear->feedback;
    const int u = f->n_actuations, y = f->n_measures, count = linear->reduced.count;
    const size_t size = (size_t)(count * u + y * u + u * u + 2 * u);
    room = phx_calloc(context, size, sizeof *room);
    Y = phx_linearised_measured(context, linear);
    if (!room || !Y)
        status = PHX_ERR_MEMORY;
    double *F = room, *mobility = F + count * u, *S = mobility + y * u, *re = S + u * u;
    for (int k = 0; k < u && !status; k++)
        for (int i = 0; i < count; i++)
            F[i * u + k] =
                linear->reduced
                    .F[i * linear->channels.n_inputs + phx_channel_input(&linear->channels, f->actuations[k])];
    if (!status && y > 0 && count > 0) {
        phx_dense_multiply(false, false, y, u, count, 1.0, Y + count, 2 * count, F, u, 0.0, mobility, u);
        phx_dense_multiply(false, false, u, u, y, -1.0, f->D, y, mobility, u, 0.0, S, u);
        status = phx_dense_eigen_general(context, u, S, NULL, re, re + u, NULL);
    }
    for (int k = 0; k < u && !status; k++)
        largest = fmax(largest, re[k]);
    if (!status && largest > 0.0)
        *limit = 2.0 * sin(0.5 * acos(-1.0) / (2.0 * delay + 1.0)) / largest;
    phx_free(room);
    phx_free(Y);
    phx_linearised_destroy(linear);
    return phx_conclude(context, status);
}
