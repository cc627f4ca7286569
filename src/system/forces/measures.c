/* Forces along several measures of two ports at once. */
#include "measures.h"

#include <string.h>

void phx_sys_measure_rows(const workspace *ws, const force_slot *force, int n, const phx_row *rows, measures *m)
{
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];

    memset(m, 0, sizeof *m);
    m->n = n;
    m->rows = rows;
    for (int k = 0; k < n; k++) {
        m->x0[k] = phx_row_value(&rows[k], a, b, 0);
        m->x1[k] = phx_row_value(&rows[k], a, b, 1);
        m->rate[k] = phx_row_rate(&rows[k], a, b, m->g[k]);
    }
}

/* block += sum_kl weight_kl g_k y_l^T */
static void add_products(const measures *m, const double *weight, const double (*y)[PAIR_SIZE], double *block)
{
    for (int k = 0; k < m->n; k++)
        for (int l = 0; l < m->n; l++) {
            const double w = weight[k * m->n + l];
            for (int i = 0; i < PAIR_SIZE && w != 0.0; i++)
                for (int j = 0; j < PAIR_SIZE; j++)
                    block[i * PAIR_SIZE + j] += w * m->g[k][i] * y[l][j];
        }
}

/* d(f_k g_k) = f_k H_k + g_k df_k. At an instant df = 2 by_end dx + by_rate d(g . zeta); over an interval x1 = x0 + h g
 * . zeta, so h by_end adds to by_rate and has no place of its own. */
static void measures_add_derivatives(workspace *ws, int pair, const force_slot *force, const measures *m,
                                     const measure_forces *f)
{
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];
    const int size = phx_port_size(ws->system->dim), n = m->n;
    double H[PAIR_SIZE * PAIR_SIZE], place[PAIR_SIZE * PAIR_SIZE] = {0}, rate[PAIR_SIZE * PAIR_SIZE] = {0};
    double zeta[PAIR_SIZE] = {0}, slope[MOST_MEASURES][PAIR_SIZE] = {{0}}, by_rate[MOST_MEASURES * MOST_MEASURES];
    double by_place[MOST_MEASURES * MOST_MEASURES];

    memcpy(zeta, a->rate, (size_t)size * sizeof *zeta);
    memcpy(zeta + PHX_PORT_MAX, b->rate, (size_t)size * sizeof *zeta);
    for (int k = 0; k < n; k++) {
        memset(H, 0, sizeof H);
        if (!phx_row_tangent(&m->rows[k], a, b, H))
            continue;
        for (int i = 0; i < PAIR_SIZE; i++)
            for (int j = 0; j < PAIR_SIZE; j++) {
                place[i * PAIR_SIZE + j] += f->f[k] * H[i * PAIR_SIZE + j];
                slope[k][j] += zeta[i] * H[i * PAIR_SIZE + j];
            }
    }
    for (int i = 0; i < n * n; i++) {
        by_rate[i] = f->by_rate[i] + ws->view.h * f->by_end[i];
        by_place[i] = ws->view.h == 0.0 ? 2.0 * f->by_end[i] : 0.0;
    }
    add_products(m, by_place, m->g, place);
    add_products(m, by_rate, (const double(*)[PAIR_SIZE])slope, place);
    add_products(m, by_rate, m->g, rate);
    ws->by->pair_add(ws, pair, -1.0, place);
    ws->by->pair_rate_add(ws, pair, -1.0, rate);
}

void phx_sys_push(workspace *ws, int pair, const force_slot *force, const measures *m, const measure_forces *f,
                  bool linear)
{
    for (int k = 0; k < m->n; k++) {
        phx_sys_add_effort(ws, force->a, f->f[k], m->g[k]);
        phx_sys_add_effort(ws, force->b, f->f[k], m->g[k] + PHX_PORT_MAX);
    }
    if (linear)
        measures_add_derivatives(ws, pair, force, m, f);
}
