#include "history.h"

#include <math.h>
#include <string.h>

/* The orders are chosen anew after JUDGE predictions, or when one is worse than WORSE times the one they were chosen
 * by. A polynomial is used while its weights' sizes add up to at most FARTHEST times what they do for equal steps. */
enum { JUDGE = 8 };
static const double WORSE = 2.0, FARTHEST = 1.4;

/* Creates an empty history of accelerations and multipliers with the present multipliers as its first entry, in one
 * block that the history owns. */
phx_status phx_history_create(phx_dae *dae, const double *lambda, phx_history *history)
{
    const size_t n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l;
    const size_t n = n_v > n_l ? n_v : n_l;
    double *room = phx_calloc(dae->context, n + PHX_HISTORY * (n_v + n_l), sizeof *room);
    *history = (phx_history){.order = -1, .room = room};
    if (!room)
        return PHX_ERR_MEMORY;
    for (size_t i = 0; i < PHX_HISTORY; i++) {
        history->v_dot[i] = room + n + i * n_v;
        history->lambda[i] = room + n + PHX_HISTORY * n_v + i * n_l;
    }
    memcpy(history->lambda[0], lambda, n_l * sizeof *lambda);
    return PHX_OK;
}

void phx_history_free(phx_history *history)
{
    phx_free(history->room);
}

/* Lagrange's weights at t of the polynomial through the first order + 1 of the intervals from `first` on; false when
 * they are too few, coincide, or t is too far away. */
static bool weights(const phx_history *history, int first, int order, double t, double *w)
{
    const double *node = history->t + first;
    double sum = 0.0;
    if (first + order >= history->count)
        return false;
    for (int i = 0; i <= order; i++) {
        w[i] = 1.0;
        for (int j = 0; j <= order; j++)
            if (j != i)
                w[i] *= (t - node[j]) / (node[i] - node[j]);
        sum += fabs(w[i]);
    }
    /* equal steps: 2^(order + 1) - 1 */
    return sum <= FARTHEST * (ldexp(1.0, order + 1) - 1.0);
}

/* out = base + along sum_k w_k rows_k, base NULL: zero; `order` is a constant where this is put, so that the compiler
 * takes several i at once. */
static inline void history_combine(const int order, const double *w, double *const *rows, double along,
                                   const double *base, int n, double *restrict out)
{
    for (int i = 0; i < n; i++) {
        double sum = w[0] * rows[0][i];
        for (int k = 1; k <= order; k++)
            sum += w[k] * rows[k][i];
        out[i] = base ? base[i] + along * sum : sum;
    }
}

/* out = base + along sum_k w_k rows_k for n entries, with the loop over up to five rows unrolled. */
static void predict(int order, const double *w, double *const *rows, double along, const double *base, int n,
                    double *out)
{
    switch (order) {
    case 5:
        history_combine(5, w, rows, along, base, n, out);
        break;
    case 4:
        history_combine(4, w, rows, along, base, n, out);
        break;
    case 3:
        history_combine(3, w, rows, along, base, n, out);
        break;
    case 2:
        history_combine(2, w, rows, along, base, n, out);
        break;
    default:
        history_combine(order, w, rows, along, base, n, out);
    }
}

/* The highest order available at time t, at most `order`, and its weights; 0 for none. */
static int find_weights(const phx_history *history, int order, double t, double *w)
{
    while (order > 0 && !weights(history, 0, order, t, w))
        order--;
    if (order <= 0)
        w[0] = 1.0;
    return order > 0 ? order : 0;
}

void phx_history_predict(const phx_history *history, const phx_dae *dae, double t, double h, const double *v0,
                         double *v1, double *lambda)
{
    double w[PHX_HISTORY];
    const int order = find_weights(history, history->order, t, w);

    if (history->order < 0)
        memcpy(v1, v0, (size_t)dae->n_v * sizeof *v1);
    else
        predict(order, w, history->v_dot, h, v0, dae->n_v, v1);
    const int order_l = find_weights(history, history->order_l, t, w);
    predict(order_l, w, history->lambda, 1.0, NULL, dae->n_l, lambda);
}

/* The error of the newest of `rows` (n each) predicted at this order from the ones before, into `missed`; false when
 * the order is not available. */
static bool find_miss(const phx_history *history, int order, double *const *rows, int n, double *missed)
{
    double w[PHX_HISTORY];
    if (order >= 0 && !weights(history, 1, order, history->t[0], w))
        return false;
    for (int i = 0; i < n; i++) {
        double sum = rows[0][i];
        for (int k = 0; k <= order; k++)
            sum -= w[k] * rows[k + 1][i];
        missed[i] = sum;
    }
    return true;
}

/* In the norm of the dae, or in that of numbers; infinite when the order is not available. */
static double miss_of_rates(phx_history *history, phx_dae *dae, int order)
{
    return find_miss(history, order, history->v_dot, dae->n_v, history->room) ? dae->ops->norm(dae, history->room)
                                                                              : HUGE_VAL;
}

static double miss_of_multipliers(phx_history *history, phx_dae *dae, int order)
{
    double sum = 0.0;
    if (order < 0 || !find_miss(history, order, history->lambda, dae->n_l, history->room))
        return HUGE_VAL;
    for (int i = 0; i < dae->n_l; i++)
        sum += history->room[i] * history->room[i];
    return sum;
}

/* The order that would have predicted the newest interval best: with stiff modes that ring, a low one. */
static int history_judge(phx_history *history, phx_dae *dae, int from, double (*miss)(phx_history *, phx_dae *, int))
{
    double best = HUGE_VAL;
    int chosen = from;
    for (int order = -1; order < PHX_HISTORY - 1; order++) {
        const bool near = order >= from - 1 && order <= from + 1;
        const double missed = near || order < 0 ? miss(history, dae, order) : HUGE_VAL;
        if (missed < best) {
            best = missed;
            chosen = order;
        }
    }
    return chosen;
}

/* Appends the mean acceleration (v1 - v0)/h and the multipliers of an interval that ended at t. Judges the orders of
 * the predictions anew while the history is short, every JUDGE intervals, or when the error has grown. */
void phx_history_keep(phx_history *history, phx_dae *dae, double t, double h, const double *v0, const double *v1,
                      const double *lambda, double error)
{
    double *v_dot = history->v_dot[PHX_HISTORY - 1], *multipliers = history->lambda[PHX_HISTORY - 1];
    for (int k = PHX_HISTORY - 1; k > 0; k--) {
        history->t[k] = history->t[k - 1];
        history->v_dot[k] = history->v_dot[k - 1];
        history->lambda[k] = history->lambda[k - 1];
    }
    history->t[0] = t;
    history->v_dot[0] = v_dot;
    history->lambda[0] = multipliers;
    for (int i = 0; i < dae->n_v; i++)
        v_dot[i] = (v1[i] - v0[i]) / h;
    memcpy(multipliers, lambda, (size_t)dae->n_l * sizeof *lambda);
    history->unjudged++;
    const bool young = history->count < PHX_HISTORY;
    history->count += young;
    if (young || history->unjudged >= JUDGE || !(error <= WORSE * history->error)) {
        history->order = history_judge(history, dae, history->order, miss_of_rates);
        history->order_l = history_judge(history, dae, history->order_l, miss_of_multipliers);
        history->unjudged = 0;
        history->error = error;
    }
}

void phx_history_archive(phx_archive *archive, const phx_dae *dae, phx_history *history)
{
    phx_archive_doubles(archive, PHX_HISTORY, history->t);
    for (int k = 0; k < PHX_HISTORY; k++) {
        phx_archive_doubles(archive, (size_t)dae->n_v, history->v_dot[k]);
        phx_archive_doubles(archive, (size_t)dae->n_l, history->lambda[k]);
    }
    phx_archive_choice(archive, PHX_HISTORY, &history->count);
    phx_archive_int(archive, &history->order);
    phx_archive_int(archive, &history->order_l);
    phx_archive_int(archive, &history->unjudged);
    phx_archive_double(archive, &history->error);
}

void phx_history_forget(phx_history *history, const phx_dae *dae, const double *lambda)
{
    history->count = history->order_l = history->unjudged = 0;
    history->order = -1;
    history->error = 0.0;
    memcpy(history->lambda[0], lambda, (size_t)dae->n_l * sizeof *lambda);
}

void phx_history_rewind(phx_history *history, double t0)
{
    while (history->count > 0 && history->t[0] > t0) {
        double *v_dot = history->v_dot[0], *lambda = history->lambda[0];
        for (int k = 0; k + 1 < PHX_HISTORY; k++) {
            history->t[k] = history->t[k + 1];
            history->v_dot[k] = history->v_dot[k + 1];
            history->lambda[k] = history->lambda[k + 1];
        }
        history->v_dot[PHX_HISTORY - 1] = v_dot;
        history->lambda[PHX_HISTORY - 1] = lambda;
        history->count--;
    }
}
