/* The projection's equations, theory 5 (1), without velocities. [M -G^T; G 0] couples no two bodies directly, so that
 * with M^-1 applied body by body, four at a time, only the multipliers of the rows are left:
 *
 *     S mu = r ,   S = G M^-1 G^T = sum_b G_b M_b^-1 G_b^T   (Delassus' operator) ,   dv_b = M_b^-1 G_b^T mu .
 *
 * The rows of a joint are a block, and joints meet where they touch one body. Where a body carries so many of them that
 * S costs more than the sparse matrix over velocities and multipliers, where a body is in no batch, or where S loses
 * digits, that matrix is factored. */
#include "fast.h"

#include <math.h>
#include <string.h>

/* Scratch while it is made. */
typedef struct making {
    workspace *ws;
    delassus *schur;
    int *first, *touched;  /* per member: the sides of groups that touch it, 2 * group + side, in order */
    int *boundary, *marks; /* coordinates of the widest body */
    phx_port_rows *ports;  /* all sides in the order of `touched` */
    bool unfit;            /* the mass of a deformation is singular: the solution reports it */
} making;

/* ---- which rows touch a body; bodies are members here ---- */
static int body_of(const workspace *ws, int side)
{
    const row_group *group = &ws->fast->rows.group[side / 2];
    return phx_sys_member_of(ws, side % 2 ? group->b : group->a);
}

/* Lists for every member the sides of row groups that touch it, as first[] and touched[] (counting sort). */
static void list_sides(making *m)
{
    const workspace *ws = m->ws;
    const int n_bodies = ws->fast->members.n;

    for (int pass = 0; pass < 2; pass++) {
        for (int side = 0; side < 2 * ws->fast->rows.n; side++) {
            const int b = body_of(ws, side);
            if (b >= 0 && pass == 0)
                m->first[b + 1]++;
            else if (b >= 0)
                m->touched[m->first[b]++] = side;
        }
        for (int b = 0; b < n_bodies && pass == 0; b++)
            m->first[b + 1] += m->first[b];
    }
    memmove(m->first + 1, m->first, (size_t)n_bodies * sizeof *m->first);
    m->first[0] = 0;
}

static int rows_on(const making *m, int b)
{
    int count = 0;
    for (int i = m->first[b]; i < m->first[b + 1]; i++) {
        const row_group *group = &m->ws->fast->rows.group[m->touched[i] / 2];
        count += group->end - group->first;
    }
    return count;
}

/* Velocities of a body that rows see, or a few more. */
static int coordinates_on(const workspace *ws, int m)
{
    const kkt_matrix *kkt = ws->fast->condensation ? &ws->fast->condensation->kkt : NULL;
    const int b = ws->fast->members.member[m].of;
    return kkt && phx_sys_is_condensed(kkt, b)
               ? ws->system->dim + ws->system->n_rot + kkt->boundary_first[b + 1] - kkt->boundary_first[b]
               : phx_body_n_v(ws->fast->members.member[m].body);
}

/* Multiplications for S before it is factored, and the least that a factorisation takes: the rows of one body all meet.
 * HUGE_VAL where a body is in no batch, or a joint has both ends on one or slides: its place has no mass. */
static double least_work(const making *m)
{
    const workspace *ws = m->ws;
    double work = 0.0, dense = 0.0;

    for (int g = 0; g < ws->fast->rows.n; g++)
        if (ws->fast->rows.group[g].one_body || ws->fast->rows.group[g].slides)
            return HUGE_VAL;
    for (int b = 0; b < ws->fast->members.n; b++) {
        const double rows = rows_on(m, b), n = coordinates_on(ws, b);
        if (rows > 0.0 && ws->fast->members.batch_of[b] < 0)
            return HUGE_VAL;
        work += (rows * n * (n + rows)) / 4.0; /* in batches of four, so that all processors choose alike */
        dense = fmax(dense, rows * rows * rows / 6.0);
    }
    return work + dense;
}

/* ---- batches ---- */
static phx_port_rows side_rows(const workspace *ws, int side)
{
    const row_group *group = &ws->fast->rows.group[side / 2];
    const port_slot *port = &ws->system->ports[side % 2 ? group->b : group->a];
    const int rest = group->first + group->points;
    phx_port_rows rows = {.point = &port->port.point,
                          .points = group->points > 0 ? group->first : -1,
                          .sign = side % 2 ? 1.0 : -1.0,
                          .first = rest,
                          .count = group->end - rest,
                          .covector = rest * PAIR_SIZE + side % 2 * PHX_PORT_MAX,
                          .angular_only = true};

    for (int k = rest; k < group->end; k++)
        rows.angular_only = rows.angular_only && ws->rows.row[k].angular_only;
    return rows;
}

/* The coordinates that ports of a batch's bodies see, ascending; their number. */
static int boundary_of_batch(const making *m, const batch_slot *slot)
{
    const int n_q = phx_body_n_q(m->ws->fast->members.member[slot->member[0]].body);
    int count = 0;

    memset(m->marks, 0, (size_t)n_q * sizeof *m->marks);
    for (int l = 0; l < slot->count; l++)
        for (int i = m->first[slot->member[l]]; i < m->first[slot->member[l] + 1]; i++) {
            const phx_flex_point *point = m->ports[i].point;
            for (int j = 0; j < point->n; j++)
                m->marks[point->dof[j]] = 1;
        }
    for (int k = 0; k < n_q; k++)
        if (m->marks[k])
            m->boundary[count++] = k;
    return count;
}

/* The condenser of a batch of flexible bodies, an old one or a new one. */
static phx_status find_type(making *m, int p)
{
    delassus *schur = m->schur;
    const batch_slot *slot = &m->ws->fast->bodies.batch[p];
    const phx_body *body = m->ws->fast->members.member[slot->member[0]].body;
    const int n_boundary = boundary_of_batch(m, slot);
    phx_status status = PHX_OK;
    int type = 0;

    schur->type_of[p] = -1;
    if (phx_body_n_q(body) == 0)
        return PHX_OK;
    while (type < schur->n_types && !phx_condenser_serves(schur->type[type], body, n_boundary, m->boundary))
        type++;
    schur->type_of[p] = type;
    if (type < schur->n_types)
        return PHX_OK;
    status = phx_condenser_create(m->ws->base.context, body, n_boundary, m->boundary, &schur->type[type]);
    if (status)
        return status;
    schur->n_types++;
    m->unfit = phx_condenser_factor(schur->type[type], 1.0, 0.0, 0.0) != PHX_OK || m->unfit;
    return PHX_OK;
}

/* Creates the rows on batch p for Delassus' operator and enlarges the scratch area for them; nothing if no row touches
 * the batch. */
static phx_status make_batch(making *m, int p)
{
    workspace *ws = m->ws;
    delassus *schur = m->schur;
    const batch_slot *slot = &ws->fast->bodies.batch[p];
    phx_body_batch_rows_def def = {.stride = PAIR_SIZE, .none = ws->rows.n};
    bool any = false;

    for (int l = 0; l < slot->width; l++) {
        const int b = slot->member[l < slot->count ? l : 0];
        def.n_ports[l] = l < slot->count ? m->first[b + 1] - m->first[b] : 0;
        def.ports[l] = m->ports + m->first[b];
        any = any || def.n_ports[l] > 0;
        schur->all = schur->all && (l >= slot->count || def.n_ports[l] > 0);
    }
    if (!any)
        return PHX_OK;
    phx_status status = find_type(m, p);
    if (!status) {
        def.condenser = schur->type_of[p] < 0 ? NULL : schur->type[schur->type_of[p]];
        status = phx_body_batch_rows_create(ws->base.context, slot->batch, &def, &schur->rows[p]);
    }
    if (status)
        return status;
    const size_t room = phx_body_batch_rows_room(schur->rows[p]);
    if (room > ws->fast->scratch.size[SCRATCH_ROWS])
        ws->fast->scratch.size[SCRATCH_ROWS] = room;
    return PHX_OK;
}

/* Creates the rows of all batches with their places in `schur`. `all` is set if rows touch every member, `batched` if
 * every member is in a batch. */
static phx_status make_batches(making *m)
{
    workspace *ws = m->ws;
    delassus *schur = m->schur;
    size_t count = 0;
    phx_status status = PHX_OK;

    schur->all = true;
    for (int i = 0; i < m->first[ws->fast->members.n]; i++)
        m->ports[i] = side_rows(ws, m->touched[i]);
    for (int p = 0; p < ws->fast->bodies.n && !status; p++) {
        status = make_batch(m, p);
        schur->at[p] = count;
        count += schur->rows[p] ? phx_body_batch_rows_size(schur->rows[p]) : 0;
    }
    schur->batched = true;
    for (int b = 0; b < ws->fast->members.n; b++)
        schur->batched = schur->batched && ws->fast->members.batch_of[b] >= 0;
    schur->all = schur->all && schur->batched;
    if (status)
        return status;
    schur->schur = phx_calloc(ws->base.context, count + 1, sizeof *schur->schur);
    ws->fast->scratch.rows =
        phx_calloc(ws->base.context, ws->fast->scratch.size[SCRATCH_ROWS], sizeof *ws->fast->scratch.rows);
    return schur->schur && ws->fast->scratch.rows ? PHX_OK : PHX_ERR_MEMORY;
}

/* ---- S ---- */
/* Its pattern over the groups, and symbolic factors; none where they take more than `most`. */
static phx_status make_factors(making *m, double most)
{
    const workspace *ws = m->ws;
    phx_context *context = ws->base.context;
    phx_sys_triplets list = {0};
    phx_csr pattern = {0};
    int *size = phx_calloc(context, (size_t)ws->fast->rows.n, sizeof *size);
    phx_status status = size ? PHX_OK : PHX_ERR_MEMORY;

    for (int g = 0; g < ws->fast->rows.n && !status; g++) {
        size[g] = ws->fast->rows.group[g].end - ws->fast->rows.group[g].first;
        status = phx_sys_put(context, &list, g, g);
    }
    for (int b = 0; b < ws->fast->members.n; b++)
        for (int i = m->first[b]; i < m->first[b + 1]; i++)
            for (int j = m->first[b]; j < m->first[b + 1] && !status; j++)
                status = phx_sys_put(context, &list, m->touched[i] / 2, m->touched[j] / 2);
    if (!status)
        status = phx_csr_from_triplets(context, ws->fast->rows.n, ws->fast->rows.n, list.count, list.row, list.col,
                                       NULL, &pattern);
    if (!status)
        status = phx_block_ldl_create(context, ws->fast->rows.n, size, pattern.ptr, pattern.idx, most, &m->schur->ldl);
    phx_csr_free(&pattern);
    phx_free(list.row);
    phx_free(list.col);
    phx_free(size);
    return status;
}

/* Where the entries of a body's matrix go: from: 2 numbers per place, -1: none yet. */
static void send_body(const delassus *schur, const batch_slot *slot, int p, int l, int none, int *from)
{
    const int *number = NULL, count = phx_body_batch_rows_count(schur->rows[p], &number);
    int e = 0;

    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++, e++) {
            const int row = number[i * slot->width + l], col = number[j * slot->width + l];
            if (row == none || col == none)
                continue;
            int *to = from + 2 * phx_block_ldl_place(schur->ldl, row, col);
            to[to[0] >= 0] = (int)schur->at[p] + e * slot->width + l; /* two bodies at most have both rows */
        }
}

/* Lists for each entry of S the one or two batch products that are added to it; a missing second one points to a
 * zero. */
static phx_status make_entries(making *m)
{
    const workspace *ws = m->ws;
    delassus *schur = m->schur;
    const size_t places = phx_block_ldl_entries(schur->ldl);
    const int last = ws->fast->bodies.n - 1;
    const int zero = (int)(schur->at[last] + (schur->rows[last] ? phx_body_batch_rows_size(schur->rows[last]) : 0));
    int *from = phx_calloc(ws->base.context, 2 * places, sizeof *from);

    schur->entries = phx_calloc(ws->base.context, 3 * places, sizeof *schur->entries);
    if (!from || !schur->entries) {
        phx_free(from);
        return PHX_ERR_MEMORY;
    }
    for (size_t k = 0; k < 2 * places; k++)
        from[k] = -1;
    for (int p = 0; p < ws->fast->bodies.n; p++)
        for (int l = 0; l < ws->fast->bodies.batch[p].count && schur->rows[p]; l++)
            send_body(schur, &ws->fast->bodies.batch[p], p, l, ws->rows.n, from);
    for (size_t k = 0; k < places; k++)
        if (from[2 * k] >= 0) {
            int *entry = schur->entries + 3 * schur->n_entries++;
            entry[0] = (int)k;
            entry[1] = from[2 * k];
            entry[2] = from[2 * k + 1] < 0 ? zero : from[2 * k + 1];
        }
    phx_free(from);
    return PHX_OK;
}

/* ---- creation ---- */
static phx_status delassus_allocate(workspace *ws)
{
    phx_context *context = ws->base.context;
    const size_t batches = (size_t)ws->fast->bodies.n;
    delassus *schur = phx_calloc(context, 1, sizeof *schur);

    ws->fast->delassus = schur;
    if (!schur)
        return PHX_ERR_MEMORY;
    schur->type = phx_calloc(context, batches, sizeof *schur->type);
    schur->type_of = phx_calloc(context, batches, sizeof *schur->type_of);
    schur->rows = phx_calloc(context, batches, sizeof *schur->rows);
    schur->at = phx_calloc(context, batches, sizeof *schur->at);
    schur->mu = phx_calloc(context, (size_t)ws->rows.n + 1, sizeof *schur->mu);
    return schur->type && schur->type_of && schur->rows && schur->at && schur->mu ? PHX_OK : PHX_ERR_MEMORY;
}

/* Cost of the sparse matrix over velocities and multipliers; HUGE_VAL where it is left to KLU. */
static phx_status sparse_work(const workspace *ws, double *work)
{
    const kkt_matrix *kkt = ws->fast->condensation ? &ws->fast->condensation->kkt : &ws->kkt;
    return phx_order_work(ws->base.context, kkt->n, kkt->ptr, kkt->idx, kkt->order, work);
}

/* Creates Delassus' operator if its factorisation is estimated to cost no more than that of the sparse matrix;
 * otherwise it->ldl stays NULL. */
static phx_status delassus_make(making *m)
{
    workspace *ws = m->ws;
    double most = 0.0;
    phx_status status = sparse_work(ws, &most);

    if (status)
        return status;
    list_sides(m);
    const double least = least_work(m);
    if (!(least <= most) || !isfinite(most))
        return PHX_OK;
    status = make_factors(m, most);
    if (status || !m->schur->ldl)
        return status;
    status = make_batches(m);
    return status ? status : make_entries(m);
}

/* Creates the projection's operator S = G M^-1 G^T for the workspace, or none if it does not pay or does not fit. */
phx_status phx_sys_delassus_create(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    const size_t sides = 2 * (size_t)ws->fast->rows.n;
    int widest = 0;

    if (ws->rows.n == 0 || ws->fast->bodies.n == 0)
        return PHX_OK;
    for (int b = 0; b < system->n_bodies; b++)
        widest = phx_body_n_q(system->bodies[b].body) > widest ? phx_body_n_q(system->bodies[b].body) : widest;
    phx_status status = delassus_allocate(ws);
    making m = {.ws = ws, .schur = ws->fast->delassus};
    m.first = phx_calloc(context, (size_t)ws->fast->members.n + 1, sizeof *m.first);
    m.touched = phx_calloc(context, sides, sizeof *m.touched);
    m.boundary = phx_calloc(context, 2 * (size_t)widest, sizeof *m.boundary);
    m.ports = phx_calloc(context, sides, sizeof *m.ports);
    if (!m.first || !m.touched || !m.boundary || !m.ports)
        status = PHX_ERR_MEMORY;
    m.marks = status ? NULL : m.boundary + widest;
    if (!status)
        status = delassus_make(&m);
    if (!status && (!ws->fast->delassus->ldl || m.unfit))
        phx_sys_delassus_free(ws);
    phx_free(m.first);
    phx_free(m.touched);
    phx_free(m.boundary);
    phx_free(m.ports);
    return status;
}

/* Frees Delassus' operator and its scratch area. */
void phx_sys_delassus_free(workspace *ws)
{
    delassus *schur = ws->fast->delassus;

    phx_free(ws->fast->scratch.rows);
    ws->fast->scratch.rows = NULL;
    ws->fast->scratch.size[SCRATCH_ROWS] = 0;
    if (!schur)
        return;
    for (int p = 0; schur->rows && p < ws->fast->bodies.n; p++)
        phx_body_batch_rows_destroy(schur->rows[p]);
    for (int k = 0; k < schur->n_types; k++)
        phx_condenser_destroy(schur->type[k]);
    phx_block_ldl_destroy(schur->ldl);
    phx_free(schur->type);
    phx_free(schur->type_of);
    phx_free(schur->rows);
    phx_free(schur->at);
    phx_free(schur->schur);
    phx_free(schur->entries);
    phx_free(schur->mu);
    phx_free(schur);
    ws->fast->delassus = NULL;
}

/* ---- factors ---- */
static delassus *in_use(const workspace *ws)
{
    return ws->fast->condensing == PHX_CONDENSE_NEVER ? NULL : ws->fast->delassus;
}

typedef struct rows_loop {
    const workspace *ws;
    const double *x, *v;
    double *out; /* S, or dv */
} rows_loop;

/* Products G_b M_b^-1 G_b^T and kinetic energies of the batches first to end - 1. One part of a parallel loop. */
static phx_status schur_of_batches(void *user, phx_context *context, int part, int first, int end)
{
    const rows_loop *loop = user;
    fast_part room;
    workspace *own = phx_sys_part(loop->ws, part, &room);
    const delassus *schur = own->fast->delassus;

    (void)context;
    for (int p = first; p < end; p++) {
        const batch_slot *slot = &own->fast->bodies.batch[p];
        double energy[PHX_BATCH_WIDTH];
        if (!schur->rows[p]) {
            phx_sys_batch_energies(own, p, loop->x, loop->v);
            continue;
        }
        phx_body_batch_rows_schur(schur->rows[p], loop->x, loop->v, own->rows.covector, own->fast->scratch.rows,
                                  schur->schur + schur->at[p], energy);
        for (int l = 0; l < slot->count; l++)
            own->fast->members.energy[slot->member[l]] = energy[l];
    }
    return PHX_OK;
}

static phx_status sum_entries(void *user, phx_context *context, int part, int first, int end)
{
    const rows_loop *loop = user;
    const delassus *schur = loop->ws->fast->delassus;
    double *out = loop->out;

    (void)context, (void)part;
    for (const int *e = schur->entries + 3 * (size_t)first, *last = schur->entries + 3 * (size_t)end; e < last; e += 3)
        out[e[0]] = schur->schur[e[1]] + schur->schur[e[2]];
    return PHX_OK;
}

static void delassus_evaluate(workspace *ws, const double *x, const double *v)
{
    rows_loop loop = {.ws = ws, .x = x, .v = v, .out = phx_block_ldl_begin(ws->fast->delassus->ldl)};

    phx_sys_run(ws, ws->fast->bodies.n, schur_of_batches, &loop);
    phx_sys_sum_energies(ws);
    phx_sys_run(ws, ws->fast->delassus->n_entries, sum_entries, &loop);
}

double phx_fast_least_pivot(workspace *ws, const double *x, const double *v)
{
    delassus *schur = in_use(ws);

    if (!schur)
        return -1.0;
    delassus_evaluate(ws, x, v);
    schur->factored = false;
    return phx_block_ldl_least_pivot(schur->ldl);
}

phx_status phx_fast_factor_rows(workspace *ws, const double *x, const double *v, bool *energies)
{
    delassus *schur = in_use(ws);

    *energies = schur && schur->batched;
    if (schur) {
        delassus_evaluate(ws, x, v);
        schur->factored = phx_block_ldl_factor(schur->ldl) == PHX_OK;
    }
    return schur && schur->factored ? PHX_OK : phx_fast_factor_mass(ws, x);
}

/* ---- solutions ---- */
static phx_status push_batches(void *user, phx_context *context, int part, int first, int end)
{
    const rows_loop *loop = user;
    const delassus *schur = loop->ws->fast->delassus;

    (void)context, (void)part;
    for (int p = first; p < end; p++)
        if (schur->rows[p])
            phx_body_batch_rows_push(schur->rows[p], schur->mu, loop->out);
    return PHX_OK;
}

/* Solves [M -G^T; G 0] b = (0; alpha r) through S if it is factored, otherwise through the sparse matrix; b receives
 * velocities and multipliers. */
phx_status phx_fast_solve_rows(workspace *ws, double alpha, const double *r, double *b)
{
    delassus *schur = in_use(ws);
    const bool use = schur && schur->factored;
    double *mu = use ? schur->mu : b + ws->kkt.n_v;

    if (!use || !schur->all)
        memset(b, 0, (size_t)ws->kkt.n_v * sizeof *b);
    for (int k = 0; k < ws->rows.n; k++)
        mu[k] = alpha * r[k];
    if (!use)
        return phx_fast_solve_mass(ws, b);
    phx_block_ldl_solve(schur->ldl, mu);
    memcpy(b + ws->kkt.n_v, mu, (size_t)ws->rows.n * sizeof *mu);
    phx_sys_run(ws, ws->fast->bodies.n, push_batches, &(rows_loop){.ws = ws, .out = b});
    return PHX_OK;
}
