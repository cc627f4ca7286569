/* The plain evaluator: what joints, loads and ports add to the derivatives, one after the other
 * (equations/couplings.c). */
#include "plain.h"

void phx_plain_pair_add(workspace *ws, int pair, double alpha, const double *block)
{
    phx_sys_couple_pair(ws, &ws->kkt, pair, alpha, block);
}

void phx_plain_pair_rate_add(workspace *ws, int pair, double alpha, const double *block)
{
    phx_sys_couple_pair_rates(ws, &ws->kkt, pair, alpha, block);
}

void phx_plain_body_add(workspace *ws, int b, int row, int dof, double value)
{
    const phx_body *body = ws->system->bodies[b].body;
    const int *ptr = NULL, *idx = NULL, n = phx_body_n_v(body);
    int q_v;

    phx_body_pattern(body, &ptr, &idx);
    (void)phx_body_coordinates(body, NULL, &q_v);
    const phx_csr pattern = {n, n, (int *)ptr, (int *)idx, NULL};
    ws->values.into_K[ws->kkt.body_at[b][phx_csr_find(&pattern, row, q_v + dof)]] += value;
}

/* Rows of a joint are consecutive: the first row after those of row k's joint and pair of ports. */
static int end_of_joint(const workspace *ws, int k)
{
    const int joint = ws->system->rows.slot[ws->rows.index[k]].joint;
    const phx_port_id a = ws->rows.row[k].a;

    while (k < ws->rows.n && ws->system->rows.slot[ws->rows.index[k]].joint == joint && ws->rows.row[k].a == a)
        k++;
    return k;
}

void phx_plain_add_couplings(workspace *ws, const double *lambda)
{
    for (int k = 0, end; k < ws->rows.n; k = end) {
        end = end_of_joint(ws, k);
        phx_sys_couple_rows(ws, &ws->kkt, k, end, lambda);
    }
    for (int i = 0; i < ws->system->n_ports; i++)
        phx_sys_couple_port(ws, &ws->kkt, i);
}

void phx_plain_put_rows(workspace *ws, double *val)
{
    for (int k = 0, end; k < ws->rows.n; k = end) {
        end = end_of_joint(ws, k);
        phx_sys_put_pair_rows(ws, &ws->kkt, k, end, val);
    }
}
