/* The feedback in the matrix: res -= P^T e_i u_i with du_i = sum_m (du_i/dy_m) Y_m, dense over the columns of the ports
 * that actuation i acts on and those that measure m reads:
 *
 *     K -= P^T e_i (du_i/dy_m) Y_m  for coordinates,   D -= the same  for rates */
#include "system/system_internal.h"

#include <string.h>

/* Whether the outputs of a controller follow a measure, directly or through the controllers it reads. */
bool phx_sys_follows(const phx_system *system, bool at_rest, int c, int row)
{
    const controller_slot *slot = &system->control.slot[c];

    if (phx_block_sample_time(slot->block) > 0.0 && !at_rest)
        return false;
    for (int k = 0; k < slot->n_inputs; k++)
        if (slot->inputs[k].row == row || (slot->inputs[k].kind == MEASURE_CONTROLLER &&
                                           phx_sys_follows(system, at_rest, slot->inputs[k].controller, row)))
            return true;
    return false;
}

int phx_sys_acted_columns(const port_set *ports, const actuation *one)
{
    return ports->count[one->a] + (one->b < 0 ? 0 : ports->count[one->b]);
}

int phx_sys_acted_column(const port_set *ports, const actuation *one, int k)
{
    const int n_a = ports->count[one->a];
    return k < n_a ? ports->cols[ports->first[one->a] + k] : ports->cols[ports->first[one->b] + k - n_a];
}

typedef phx_status pair_fn(void *user, const pattern_source *of, int actuation, int row);

/* Every actuation with every measure that it follows. */
static phx_status each_pair(const pattern_source *of, pair_fn *function, void *user)
{
    const phx_system *system = of->system;
    phx_status status = PHX_OK;

    for (int c = 0; c < system->control.n; c++)
        for (int m = 0; m < system->control.n_measures; m++)
            for (int k = 0; k < system->control.slot[c].n_outputs && !status &&
                            phx_sys_follows(system, of->control->rest.on, c, m);
                 k++)
                status = function(user, of, system->control.slot[c].first_output + k, m);
    return status;
}

typedef struct collecting {
    phx_context *context;
    const kkt_matrix *kkt;
    phx_sys_triplets *list;
} collecting;

/* Appends the matrix positions of the feedback from measurement m to actuation i and their transposes to the list. */
static phx_status collect_pair(void *user, const pattern_source *of, int i, int m)
{
    const collecting *to = user;
    const actuation *one = &of->system->control.actuations[i];
    phx_status status = PHX_OK;

    for (int k = 0; k < phx_sys_acted_columns(of->ports, one); k++)
        for (int j = of->control->first[m]; j < of->control->first[m + 1] && !status; j++) {
            const int row = phx_sys_unknown_of(to->kkt, phx_sys_acted_column(of->ports, one, k));
            const int col = phx_sys_unknown_of(to->kkt, of->control->cols[j]);
            status = phx_sys_put(to->context, to->list, row, col);
            if (!status) /* the pattern is symmetric */
                status = phx_sys_put(to->context, to->list, col, row);
        }
    return status;
}

phx_status phx_sys_control_collect(phx_context *context, const pattern_source *of, const kkt_matrix *kkt,
                                   phx_sys_triplets *list)
{
    collecting to = {context, kkt, list};
    return each_pair(of, collect_pair, &to);
}

typedef struct locating {
    phx_context *context;
    const phx_csr *pattern;
    kkt_matrix *kkt;
} locating;

/* Finds the positions in the value array of the block of actuation i and measurement m. */
static phx_status locate_pair(void *user, const pattern_source *of, int i, int m)
{
    const locating *to = user;
    const actuation *one = &of->system->control.actuations[i];
    const int rows = phx_sys_acted_columns(of->ports, one), n = of->control->first[m + 1] - of->control->first[m];
    int *at = phx_calloc(to->context, (size_t)(rows * n), sizeof *at);

    if (!at)
        return PHX_ERR_MEMORY;
    to->kkt->control_at[i * of->system->control.n_measures + m] = at;
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < n; j++)
            at[k * n + j] =
                phx_csr_find(to->pattern, phx_sys_unknown_of(to->kkt, phx_sys_acted_column(of->ports, one, k)),
                             phx_sys_unknown_of(to->kkt, of->control->cols[of->control->first[m] + j]));
    return PHX_OK;
}

phx_status phx_sys_control_locate(phx_context *context, const pattern_source *of, const phx_csr *pattern,
                                  kkt_matrix *kkt)
{
    const size_t pairs = (size_t)of->system->control.n_actuations * (size_t)of->system->control.n_measures;
    locating to = {context, pattern, kkt};

    kkt->control_at = phx_calloc(context, pairs, sizeof *kkt->control_at);
    if (!kkt->control_at)
        return PHX_ERR_MEMORY;
    return each_pair(of, locate_pair, &to);
}

void phx_sys_pull_actuation(workspace *ws, int i, double *acted)
{
    const actuation *one = &ws->system->control.actuations[i];
    const double *effort = ws->control.effort + (size_t)i * PAIR_SIZE;

    memset(acted, 0, (size_t)phx_sys_acted_columns(&ws->ports, one) * sizeof *acted);
    phx_sys_pull(ws, one->a, effort, acted);
    if (one->b >= 0)
        phx_sys_pull(ws, one->b, effort + PHX_PORT_MAX, acted + ws->ports.count[one->a]);
}

/* val -= (P^T e_i) (factor Y_m) */
static void add_pair(workspace *ws, int i, int m, double factor, double *val)
{
    const double *Y = ws->control.row + ws->control.first[m];
    const int rows = phx_sys_acted_columns(&ws->ports, &ws->system->control.actuations[i]),
              n = ws->control.first[m + 1] - ws->control.first[m];
    const int *at = ws->by->target(ws)->control_at[i * ws->system->control.n_measures + m];
    double *acted = ws->scratch.block;

    phx_sys_pull_actuation(ws, i, acted);
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < n; j++)
            val[at[k * n + j]] -= acted[k] * factor * Y[j];
}

/* How a measure goes into K: that of a rate at rest counts over the time. */
static bool into_stiffness(const workspace *ws, const measure *gauge, double *factor)
{
    double place;

    *factor = ws->values.weight_K;
    if (!phx_sys_measure_is_rate(ws->system, gauge))
        return true;
    if (!(ws->control.rest.span > 0.0) || !phx_sys_measure_place(ws, gauge, &place))
        return false;
    *factor = 1.0 / ws->control.rest.span;
    return true;
}

/* Adds the feedback -P^T e_i (du_i/dy_m) Y_m of all continuous controllers to K or D, theory 13 (3). */
void phx_sys_control_couple(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int c = 0; c < system->control.n; c++)
        for (int k = 0; k < system->control.slot[c].n_inputs; k++) {
            const measure *gauge = &system->control.slot[c].inputs[k];
            if (gauge->row < 0 || (phx_block_sample_time(system->control.slot[c].block) > 0.0 && !ws->control.rest.on))
                continue;
            double factor;
            const bool stiff = into_stiffness(ws, gauge, &factor);
            phx_sys_measure_row(ws, gauge);
            for (int i = 0; i < system->control.n_actuations; i++) {
                const double gain =
                    ws->control.by_row[(size_t)i * (size_t)system->control.n_measures + (size_t)gauge->row];
                if (gain != 0.0)
                    add_pair(ws, i, gauge->row, stiff ? gain * factor : gain,
                             stiff ? ws->values.into_K : ws->values.into_D);
            }
        }
}
