/* Sampled controllers around the held plant. With w = (x, z, q) - states of the plant, of the sampled controllers, and
 * their efforts, those held and those to come - every signal at a sample is a row over w:
 *
 *     e = Y x, or an effort          u = C z + D e,   z+ = A z + B e,   the oldest of (q, u) acts, the others move up
 *     x+ = A_d x + B_d (held + u_external)
 *
 * A_d, B_d of phx_ss_hold. Controllers take their samples in the order in which they read each other. */
#include "linearised.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAME_PERIOD = 1e-9; /* relative */

/* The rows of one sampled loop; `width` entries each, the number of states. */
typedef struct sampled_rows {
    const phx_linearised *linear;
    const phx_feedback *f;
    int n, z, width; /* states of the plant; of them those of the mechanism, before those of continuous controllers */
    int *states;     /* of each sampled controller: its first state in w */
    int *queue;      /* of each actuation: the state that is held, with those to come behind; -1: continuous */
    double *next;    /* width x width: w after the sample */
    double *effort;  /* n_actuations x width: what acts after the sample */
} sampled_rows;

phx_status phx_linearised_period(phx_context *context, const phx_linearised *linearised, double *period,
                                 const char **left_out)
{
    if (!linearised || !period)
        return phx_fail_null(context, __func__, "linearised or period");
    const phx_feedback *f = &linearised->feedback;

    *period = f->n_sampled > 0 ? f->sampled[0].period : 0.0;
    if (left_out)
        *left_out = f->left_out;
    for (int k = 1; k < f->n_sampled; k++)
        if (f->sampled[k].period != *period)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "'%s' is sampled every %g s and '%s' every %g s; the linear model of sampled loops needs "
                            "one period. Give them the same `sample`, or leave one of them out",
                            f->efforts[f->sampled[0].first], *period, f->efforts[f->sampled[k].first],
                            f->sampled[k].period);
    return PHX_OK;
}

/* The period of a sampled system: the one that is given, which must be that of the sampled controllers, or theirs. */
static phx_status choose_period(phx_context *context, const phx_linearised *linearised, double *period,
                                const char **left_out)
{
    double own;
    const phx_status status = phx_linearised_period(context, linearised, &own, left_out);

    if (!status && *period > 0.0 && own > 0.0 && fabs(*period - own) > SAME_PERIOD * own)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "the period is %g s, but the controllers sample every %g s; take theirs", *period, own);
    if (!status && *period == 0.0)
        *period = own;
    return status;
}

/* Numbers the states of w and allocates the rows. */
static phx_status number_states(phx_context *context, int n, sampled_rows *rows)
{
    const phx_feedback *f = rows->f;
    int at = n;

    rows->n = n;
    rows->states = phx_calloc(context, (size_t)f->n_sampled + 1, sizeof *rows->states);
    rows->queue = phx_calloc(context, (size_t)f->n_actuations + 1, sizeof *rows->queue);
    if (!rows->states || !rows->queue)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < f->n_actuations; k++)
        rows->queue[k] = -1;
    for (int c = 0; c < f->n_sampled; c++) {
        rows->states[c] = at;
        at += f->sampled[c].n;
    }
    for (int c = 0; c < f->n_sampled; c++)
        for (int k = 0; k < f->sampled[c].n_outputs; k++) {
            rows->queue[f->sampled[c].first + k] = at;
            at += 1 + f->sampled[c].delay;
        }
    rows->width = at;
    rows->next = phx_calloc(context, (size_t)at * (size_t)at + 1, sizeof *rows->next);
    rows->effort = phx_calloc(context, (size_t)f->n_actuations * (size_t)at + 1, sizeof *rows->effort);
    return rows->next && rows->effort ? PHX_OK : PHX_ERR_MEMORY;
}

static void sampled_rows_free(sampled_rows *rows)
{
    phx_free(rows->states);
    phx_free(rows->queue);
    phx_free(rows->next);
    phx_free(rows->effort);
}

static void add_row(int width, double factor, const double *from, double *to)
{
    for (int j = 0; j < width && factor != 0.0; j++)
        to[j] += factor * from[j];
}

/* Efforts of the continuous controllers, u = C z + D Y x; Y: n_measures x mechanism. */
static void put_continuous(const double *Y, sampled_rows *rows)
{
    const phx_feedback *f = rows->f;

    for (int k = 0; k < f->n_actuations; k++) {
        double *row = rows->effort + (size_t)k * (size_t)rows->width;
        for (int m = 0; m < f->n_measures && f->continuous[k]; m++)
            add_row(rows->z, f->D[k * f->n_measures + m], Y + (size_t)m * (size_t)rows->z, row);
        for (int j = 0; j < f->n_states && f->continuous[k]; j++)
            row[rows->z + j] = f->C[k * f->n_states + j];
    }
}

/* The sample of controller c: its input rows, then its states, efforts to come and the effort that acts. */
static void put_sample(const double *Y, int c, double *inputs, sampled_rows *rows)
{
    const phx_feedback_sampled *one = &rows->f->sampled[c];
    const size_t width = (size_t)rows->width;
    const int n = one->n, in = one->n_inputs;

    memset(inputs, 0, (size_t)in * width * sizeof *inputs);
    for (int k = 0; k < in; k++) {
        if (one->measure[k] >= 0)
            add_row(rows->z, 1.0, Y + (size_t)one->measure[k] * (size_t)rows->z, inputs + (size_t)k * width);
        if (one->other[k] >= 0)
            add_row(rows->width, 1.0, rows->effort + (size_t)one->other[k] * width, inputs + (size_t)k * width);
    }
    for (int i = 0; i < n; i++) {
        double *row = rows->next + (size_t)(rows->states[c] + i) * width;
        memcpy(row + rows->states[c], one->A + i * n, (size_t)n * sizeof *row);
        for (int k = 0; k < in; k++)
            add_row(rows->width, one->B[i * in + k], inputs + (size_t)k * width, row);
    }
    for (int o = 0; o < one->n_outputs; o++) {
        const int queue = rows->queue[one->first + o];
        double *row = rows->next + (size_t)(queue + one->delay) * width;
        for (int k = 0; k < one->delay; k++)
            rows->next[(size_t)(queue + k) * width + (size_t)(queue + k + 1)] = 1.0;
        memcpy(row + rows->states[c], one->C + o * n, (size_t)n * sizeof *row);
        for (int k = 0; k < in; k++)
            add_row(rows->width, one->D[o * in + k], inputs + (size_t)k * width, row);
        memcpy(rows->effort + (size_t)(one->first + o) * width, rows->next + (size_t)queue * width,
               width * sizeof *row);
    }
}

/* All rows at a sample. */
static phx_status take_samples(phx_context *context, sampled_rows *rows)
{
    const phx_feedback *f = rows->f;
    int most = 1;

    for (int c = 0; c < f->n_sampled; c++)
        most = f->sampled[c].n_inputs > most ? f->sampled[c].n_inputs : most;
    double *Y = phx_linearised_measured(context, rows->linear);
    double *inputs = phx_calloc(context, (size_t)most * (size_t)rows->width + 1, sizeof *inputs);
    const phx_status status = Y && inputs ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        for (int i = 0; i < rows->n; i++)
            rows->next[(size_t)i * (size_t)rows->width + (size_t)i] = 1.0;
        put_continuous(Y, rows);
        for (int c = 0; c < f->n_sampled; c++)
            put_sample(Y, c, inputs, rows);
    }
    phx_free(Y);
    phx_free(inputs);
    return status;
}

/* Names of the states w: of the plant, "NAME.z1" of each controller, "NAME.u1.0" .. of each effort. */
static phx_status sampled_names(phx_context *context, const phx_ss *plant, const sampled_rows *rows, char **names)
{
    const phx_feedback *f = rows->f;
    char name[320];

    for (int k = 0; k < rows->n; k++)
        names[k] = phx_strdup(context, phx_ss_state(plant, k));
    for (int c = 0; c < f->n_sampled; c++) {
        const phx_feedback_sampled *one = &f->sampled[c];
        const char *effort = f->efforts[one->first], *end = strrchr(effort, '.');
        for (int k = 0; k < one->n; k++) {
            snprintf(name, sizeof name, "%.*s.z%d", (int)(end - effort), effort, k + 1);
            names[rows->states[c] + k] = phx_strdup(context, name);
        }
        for (int o = one->first; o < one->first + one->n_outputs; o++)
            for (int k = 0; k <= one->delay; k++) {
                snprintf(name, sizeof name, "%s.%d", f->efforts[o], k);
                names[rows->queue[o] + k] = phx_strdup(context, name);
            }
    }
    for (int k = 0; k < rows->width; k++)
        if (!names[k])
            return PHX_ERR_MEMORY;
    return PHX_OK;
}

/* The loop closed: w+ = [A_d x + B_d held; z, q after the sample], outputs y = C x + D held. `opened`: an actuation
 * that does not act and is a further output, "NAME.u1"; -1: none. */
static phx_status close_samples(phx_context *context, const phx_ss *held, const sampled_rows *rows, int opened,
                                phx_ss **ss)
{
    const phx_linearised *linear = rows->linear;
    const phx_feedback *f = rows->f;
    const int n = rows->n, w = rows->width, m = phx_ss_inputs(held), p = phx_ss_outputs(held), more = opened >= 0;
    const size_t width = (size_t)w;
    double *A =
        phx_calloc(context, width * width + width * (size_t)m + (size_t)(p + 1) * (width + (size_t)m) + 1, sizeof *A);
    double *B = phx_behind(A, width * width), *C = phx_behind(B, width * (size_t)m);
    double *D = phx_behind(C, (size_t)(p + 1) * width);
    char **names = phx_calloc(context, width + 1, sizeof *names);
    const char **outputs = phx_calloc(context, (size_t)p + 1, sizeof *outputs);
    phx_status status = A && names && outputs ? sampled_names(context, held, rows, names) : PHX_ERR_MEMORY;

    for (int i = 0; i < n && !status; i++) {
        memcpy(A + (size_t)i * width, phx_ss_A(held) + (size_t)i * (size_t)n, (size_t)n * sizeof *A);
        memcpy(B + (size_t)i * (size_t)m, phx_ss_B(held) + (size_t)i * (size_t)m, (size_t)m * sizeof *B);
    }
    for (int i = 0; i < p && !status; i++) {
        memcpy(C + (size_t)i * width, phx_ss_C(held) + (size_t)i * (size_t)n, (size_t)n * sizeof *C);
        memcpy(D + (size_t)i * (size_t)m, phx_ss_D(held) + (size_t)i * (size_t)m, (size_t)m * sizeof *D);
        outputs[i] = phx_ss_output(held, i);
    }
    for (int k = 0; k < f->n_actuations && !status; k++) {
        const int input = phx_channel_input(&linear->channels, f->actuations[k]);
        const double *row = rows->effort + (size_t)k * width;
        for (int i = 0; i < n && !f->continuous[k] && k != opened; i++)
            add_row(w, phx_ss_B(held)[i * m + input], row, A + (size_t)i * width);
        for (int i = 0; i < p && !f->continuous[k] && k != opened; i++)
            add_row(w, phx_ss_D(held)[i * m + input], row, C + (size_t)i * width);
    }
    if (!status)
        memcpy(A + (size_t)n * width, rows->next + (size_t)n * width, (width - (size_t)n) * width * sizeof *A);
    if (!status && more) {
        memcpy(C + (size_t)p * width, rows->effort + (size_t)opened * width, width * sizeof *C);
        outputs[p] = f->efforts[opened];
    }
    const phx_ss_def def = {.name = linear->name,
                            .n = w,
                            .n_inputs = m,
                            .n_outputs = p + more,
                            .A = A,
                            .B = B,
                            .C = C,
                            .D = D,
                            .states = (const char *const *)names,
                            .inputs = (const char *const *)linear->channels.inputs,
                            .outputs = outputs};
    if (!status)
        status = phx_ss_create(context, &def, ss);
    for (size_t k = 0; names && k < width; k++)
        phx_free(names[k]);
    phx_free((void *)outputs);
    phx_free(names);
    phx_free(A);
    return status;
}

/* The sampled system around a plant in which the continuous controllers are closed, all of them or but the opened one;
 * without a period the controllers stay as they are and are continuous. */
static phx_status sampled_around(phx_context *context, const phx_linearised *linear, const phx_ss *plant, double period,
                                 int opened, phx_ss **ss)
{
    sampled_rows rows = {.linear = linear, .f = &linear->feedback, .z = 2 * linear->reduced.count};
    phx_ss *held = NULL;
    phx_status status = number_states(context, phx_ss_n(plant), &rows);

    if (!status)
        status = take_samples(context, &rows);
    if (!status && period > 0.0)
        status = phx_ss_hold(context, plant, period, 0, &held);
    if (!status)
        status = close_samples(context, period > 0.0 ? held : plant, &rows, opened, ss);
    phx_ss_destroy(held);
    sampled_rows_free(&rows);
    return status;
}

/* Inputs that are late by so many samples: a pure delay in series before each. */
static phx_status delay_inputs(phx_context *context, int delay, double period, phx_ss **ss)
{
    const int m = phx_ss_inputs(*ss);
    double *D = phx_calloc(context, (size_t)m * (size_t)m + 1, sizeof *D);
    char **names = phx_calloc(context, (size_t)m + 1, sizeof *names);
    phx_ss *direct = NULL, *late = NULL, *series = NULL;
    phx_status status = D && names ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < m && !status; k++) {
        char name[320];
        D[k * m + k] = 1.0;
        snprintf(name, sizeof name, "%s.late", phx_ss_input(*ss, k));
        names[k] = phx_strdup(context, name);
        status = names[k] ? PHX_OK : PHX_ERR_MEMORY;
    }
    const phx_ss_def given = phx_ss_definition(*ss);
    const phx_ss_def def = {
        .n_inputs = m, .n_outputs = m, .D = D, .inputs = given.inputs, .outputs = (const char *const *)names};
    if (!status)
        status = phx_ss_create(context, &def, &direct);
    if (!status)
        status = phx_ss_hold(context, direct, period, delay, &late);
    if (!status)
        status = phx_ss_series(context, late, *ss, &series);
    if (!status) {
        phx_ss_destroy(*ss);
        *ss = series;
    }
    for (int k = 0; names && k < m; k++)
        phx_free(names[k]);
    phx_free(names);
    phx_free(D);
    phx_ss_destroy(direct);
    phx_ss_destroy(late);
    return status;
}

/* The held plant with its sampled controllers around it, and a delay in series before the inputs. */
phx_status phx_linearised_sampled_ss(phx_context *context, const phx_linearised *linearised,
                                     const phx_sampled_options *options, phx_ss **ss)
{
    if (!linearised || !options || !ss)
        return phx_fail_null(context, __func__, "linearised, options or ss");
    double period = options->period;
    phx_ss *plant = NULL;

    *ss = NULL;
    phx_status status = choose_period(context, linearised, &period, NULL);
    if (!status && !(period > 0.0))
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "no controller is sampled, and no period is given for the sampled system");
    if (!status)
        status = phx_linearised_ss(context, linearised, &plant);
    if (!status)
        status = sampled_around(context, linearised, plant, period, -1, ss);
    if (!status && options->delay > 0)
        status = delay_inputs(context, options->delay, period, ss);
    phx_ss_destroy(plant);
    if (status) {
        phx_ss_destroy(*ss);
        *ss = NULL;
    }
    return phx_conclude(context, status);
}

/* ---- loops ---- */
/* Which actuation "NAME" or "NAME.u1" is. */
static phx_status find_effort(phx_context *context, const phx_feedback *f, const char *effort, int *found)
{
    phx_nearest nearest = phx_nearest_to(effort);
    int count = 0;

    for (int k = 0; k < f->n_actuations; k++) {
        const char *name = f->efforts[k];
        const size_t length = (size_t)(strrchr(name, '.') - name);
        const bool whole = strlen(effort) == length && !strncmp(name, effort, length);
        phx_nearest_offer(&nearest, name);
        if (!whole && strcmp(name, effort) != 0)
            continue;
        *found = k;
        count++;
    }
    if (count == 1)
        return PHX_OK;
    if (count > 1)
        return phx_fail(context, PHX_ERR_INPUT, "controller '%s' has %d outputs; open one of them: '%s.u1', ..", effort,
                        count, effort);
    return phx_fail(context, PHX_ERR_INPUT, "no controller or output of one is called '%s'%s", effort,
                    f->n_actuations ? phx_nearest_hint(&nearest).text : ": the model has no controllers");
}

/* L from the effort that goes in to the one that comes back, with the other sign: the output "NAME.u1" of the system in
 * which that actuation does not act. */
phx_status phx_linearised_loop(phx_context *context, const phx_linearised *linearised, const char *effort,
                               double *period, phx_ss **loop)
{
    if (!linearised || !effort || !period || !loop)
        return phx_fail_null(context, __func__, "linearised, effort, period or loop");
    const phx_feedback *f = &linearised->feedback;
    const char *left_out = NULL;
    phx_ss *plant = NULL, *open = NULL, *one = NULL;
    int opened = -1;

    *loop = NULL;
    phx_status status = find_effort(context, f, effort, &opened);
    if (!status)
        status = choose_period(context, linearised, period, &left_out);
    if (!status && left_out)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED, "the loop has no linear model: %s", left_out);
    if (!status)
        status = phx_linearised_opened_ss(context, linearised, opened, &plant);
    if (!status)
        status = sampled_around(context, linearised, plant, *period, opened, &open);
    if (!status)
        status = phx_ss_sub(context, open, 1, (const char *const *)&f->efforts[opened], 1,
                            (const char *const *)&f->actuations[opened], &one);
    if (!status) {
        phx_ss_def def = phx_ss_definition(one);
        double *C = phx_calloc(context, (size_t)def.n + 1, sizeof *C), D = -def.D[0];
        for (int k = 0; C && k < def.n; k++)
            C[k] = -def.C[k];
        def.C = C;
        def.D = &D;
        status = C ? phx_ss_create(context, &def, loop) : PHX_ERR_MEMORY;
        phx_free(C);
    }
    phx_ss_destroy(plant);
    phx_ss_destroy(open);
    phx_ss_destroy(one);
    return phx_conclude(context, status);
}
