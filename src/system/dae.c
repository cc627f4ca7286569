/* The table of operations over a system. */
#include "system_internal.h"

#include <math.h>
#include <string.h>

static workspace *of(phx_dae *dae)
{
    return (workspace *)dae;
}

const phx_system *phx_system_of(const phx_dae *dae)
{
    return ((const workspace *)dae)->system;
}

static void op_rates(phx_dae *dae, const double *x, const double *v, double *x_dot)
{
    const phx_system *system = of(dae)->system;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_rates(slot->body, x + slot->x, v + slot->v, x_dot + slot->x);
    }
    phx_sys_turn_rates(system, x, v, x_dot);
}

/* res = [ M v_dot - f - G^T lambda ; G v - w ] */
static phx_status op_residual(phx_dae *dae, double t, const double *x, const double *v, const double *v_dot,
                              const double *lambda, double *res)
{
    workspace *ws = of(dae);
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    phx_sys_set_instant(ws, x, v);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_residual(slot->body, system->gravity, x + slot->x, v + slot->v, v_dot + slot->v, res + slot->v);
    }
    status = phx_sys_forces(ws, t, false, res);
    if (status)
        return status;
    phx_sys_rows_residual(ws, t, 0.0, lambda, res);
    return PHX_OK;
}

static phx_status op_power(phx_dae *dae, double t, const double *x, const double *v, const double *lambda,
                           double *supplied, double *dissipated)
{
    workspace *ws = of(dae);
    phx_status status = PHX_OK;

    phx_sys_set_instant(ws, x, v);
    phx_sys_rows(ws, t, 0.0);
    memset(ws->scratch4, 0, (size_t)ws->kkt.n * sizeof(double));
    status = phx_sys_forces(ws, t, false, ws->scratch4);
    *supplied = ws->power.supplied;
    *dissipated = ws->power.dissipated;
    for (int k = 0; k < ws->n_l; k++)
        *supplied += lambda[k] * ws->w[k];
    phx_sys_ledger_work(ws, 1.0, lambda);
    return status;
}

static void op_count(phx_dae *dae, double *x)
{
    workspace *ws = of(dae);
    const phx_system *system = ws->system;

    for (int b = 0; b < system->n_bodies && system->dim == 2; b++) {
        double *attitude = x + system->bodies[b].x + 2;
        attitude[2] += remainder(atan2(attitude[1], attitude[0]) - attitude[2], 2.0 * acos(-1.0));
    }
    if (system->n_x > system->n_body_x) {
        phx_sys_set_instant(ws, x, ws->vm);
        phx_sys_count_turns(ws, x);
    }
}

static void op_normalise(phx_dae *dae, double *x)
{
    const phx_system *system = of(dae)->system;
    double R[9];

    if (system->dim == 2)
        op_count(dae, x);
    for (int b = 0; b < system->n_bodies; b++) {
        double *attitude = x + system->bodies[b].x + system->dim;
        if (system->dim == 2) {
            phx_attitude_set(2, NULL, attitude[2], attitude);
        } else {
            phx_attitude_rotation(3, attitude, R);
            phx_rot_normalise(3, R);
            phx_attitude_set(3, R, 0.0, attitude);
        }
    }
    if (system->dim == 3)
        op_count(dae, x);
}

/* (R^T dr, skew part of R^T dR, dq); the plane: dphi = c ds - s dc. */
static void op_tangent(phx_dae *dae, const double *x, const double *dx, double *dxi)
{
    const phx_system *system = of(dae)->system;
    const int dim = system->dim, na = phx_attitude_size(dim);

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const double *xb = x + slot->x, *db = dx + slot->x;
        double *out = dxi + slot->v, R[9];
        phx_attitude_rotation(dim, xb + dim, R);
        phx_rot_apply_transposed(dim, R, db, out);
        if (dim == 2) {
            out[2] = xb[2] * db[3] - xb[3] * db[2];
        } else {
            double T[9];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    T[3 * i + j] = R[i] * db[3 + j] + R[3 + i] * db[6 + j] + R[6 + i] * db[9 + j];
            out[3] = 0.5 * (T[7] - T[5]);
            out[4] = 0.5 * (T[2] - T[6]);
            out[5] = 0.5 * (T[3] - T[1]);
        }
        memcpy(out + dim + system->n_rot, db + dim + na, (size_t)phx_body_n_q(slot->body) * sizeof *out);
    }
}

/* M v_dot = f + G^T lambda, G v_dot = w_dot - G_dot v. */
phx_status phx_sys_op_accelerations(phx_dae *dae, double t, const double *x, const double *v, double *v_dot,
                                    double *lambda)
{
    workspace *ws = of(dae);
    const phx_system *system = ws->system;
    const int n_v = system->n_v;
    double *rhs = ws->scratch2;
    phx_status status = PHX_OK;

    memset(ws->scratch3, 0, (size_t)ws->kkt.n * sizeof(double));
    status = op_residual(dae, t, x, v, ws->scratch3, ws->scratch3 + n_v, rhs);
    if (status)
        return status;
    for (int i = 0; i < n_v; i++)
        rhs[i] = -rhs[i];
    for (int k = 0; k < ws->n_l; k++) {
        const row_slot *slot = &system->rows[ws->row[k]];
        const coordinate_slot *coordinate = &system->joints[slot->joint].coordinates[slot->coordinate];
        rhs[n_v + k] = slot->role == ROW_DRIVEN ? phx_signal_rate(coordinate->def.speed, t) : 0.0;
        rhs[n_v + k] -= phx_sys_row_acceleration(ws, k);
    }
    status = phx_sys_factor_mass(ws, x);
    if (!status)
        status = phx_sys_solve_mass(ws, rhs);
    for (int i = 0; i < ws->kkt.n && !status; i++)
        if (!isfinite(rhs[i]))
            return phx_sys_blame_equation(ws, i, false);
    if (status)
        return status;
    memcpy(v_dot, rhs, (size_t)n_v * sizeof *v_dot);
    memcpy(lambda, rhs + n_v, (size_t)ws->n_l * sizeof *lambda);
    return PHX_OK;
}

/* ---- the midpoint rule on averages ---- */
/* The start of the interval; whether it begins where the last one ended. What rounding took from x0 and the momenta of
 * free components are known then; they stay when the last one is tried again. */
static bool carry_over(workspace *ws, const double *x0, const double *v0)
{
    const phx_system *system = ws->system;
    const size_t bytes_x = (size_t)system->n_x * sizeof *x0, bytes_v = (size_t)system->n_v * sizeof *v0;
    const int per = system->dim + system->n_rot;
    const bool goes_on = memcmp(x0, ws->x1, bytes_x) == 0;

    if (!goes_on && memcmp(x0, ws->x0, bytes_x) == 0 && memcmp(v0, ws->v0, bytes_v) == 0)
        return false;
    if (goes_on) {
        phx_sys_exchange(&ws->x0, &ws->x1);
        phx_sys_exchange(&ws->low0, &ws->low1);
    } else {
        memcpy(ws->x0, x0, bytes_x);
        memset(ws->low0, 0, bytes_x);
    }
    memcpy(ws->v0, v0, bytes_v);
    if (!system->any_free)
        return goes_on;
    phx_sys_momenta(ws, x0, v0, ws->momentum0);
    for (int c = 0; c < system->n_components && goes_on && memcmp(v0, ws->v1, bytes_v) == 0; c++)
        if (ws->kept[c])
            memcpy(ws->momentum0 + c * per, ws->momentum1 + c * per, (size_t)per * sizeof(double));
    return goes_on;
}

static phx_status begin_packs(void *user, phx_context *context, int part, int first, int end)
{
    const workspace *ws = user;

    (void)context, (void)part;
    for (int p = first; p < end; p++)
        phx_pack_begin(ws->packs[p].pack, ws->h, ws->x0, ws->v0);
    return PHX_OK;
}

static phx_status begin_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const workspace *ws = user;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const int b = ws->loose_bodies[i];
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_interval_begin(slot->body, ws->h, ws->x0 + slot->x, ws->v0 + slot->v, ws->products[b]);
    }
    return PHX_OK;
}

static phx_status op_interval_begin(phx_dae *dae, double t0, double h, const double *x0, const double *v0)
{
    workspace *ws = of(dae);

    ws->t0 = t0;
    ws->h = h;
    ws->start_viewed = carry_over(ws, x0, v0) && ws->end_viewed;
    ws->end_viewed = false;
    ws->view =
        (phx_body_view){.h = h, .x0 = ws->x0, .x1 = ws->x1, .xm = ws->xm, .v0 = ws->v0, .v1 = ws->v1, .vm = ws->vm};
    phx_sys_run(ws, ws->n_packs, begin_packs, ws);
    phx_sys_run(ws, ws->n_loose_bodies, begin_bodies, ws);
    return PHX_OK;
}

typedef struct interval_end {
    workspace *ws;
    const double *v1;
    double *res; /* NULL: none */
} interval_end;

static phx_status set_velocities(void *user, phx_context *context, int part, int first, int end)
{
    const interval_end *to = user;
    const double *given = to->v1, *v0 = to->ws->v0;
    double *v1 = to->ws->v1, *vm = to->ws->vm;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        v1[i] = given[i];
        vm[i] = 0.5 * (v0[i] + given[i]);
    }
    return PHX_OK;
}

static phx_status set_packs(void *user, phx_context *context, int part, int first, int end)
{
    const interval_end *to = user;
    workspace *ws = to->ws;

    (void)context, (void)part;
    for (int p = first; p < end; p++) {
        phx_pack *pack = ws->packs[p].pack;
        phx_pack_move(pack, to->res != NULL, ws->x0, ws->low0, ws->vm, ws->x1, ws->low1, ws->xm);
        if (to->res)
            phx_pack_residual(pack, ws->system->gravity, ws->xm, ws->v1, to->res);
    }
    return PHX_OK;
}

static phx_status set_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const interval_end *to = user;
    workspace *ws = to->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const int b = ws->loose_bodies[i];
        const body_slot *slot = &ws->system->bodies[b];
        const phx_body_view view = phx_sys_body_view(ws, b);
        (to->res ? phx_body_try : phx_body_move)(slot->body, ws->h, ws->x0 + slot->x, ws->low0 + slot->x,
                                                 ws->vm + slot->v, ws->x1 + slot->x, ws->low1 + slot->x,
                                                 ws->xm + slot->x);
        if (to->res)
            phx_body_interval_residual(slot->body, ws->system->gravity, &view, to->res + slot->v);
    }
    return PHX_OK;
}

/* Bodies, one pack after the other: the end and the mean of the interval, then their rows of the residual (NULL: none).
 */
static void set_interval(workspace *ws, const double *v1, double *res)
{
    interval_end to = {ws, v1, res};

    phx_sys_run(ws, ws->system->n_v, set_velocities, &to);
    phx_sys_run(ws, ws->n_packs, set_packs, &to);
    phx_sys_run(ws, ws->n_loose_bodies, set_bodies, &to);
}

/* Counted turns start from those of x0. */
static void begin_turns(workspace *ws)
{
    const phx_system *system = ws->system;

    ws->turn0 = ws->x0;
    ws->turn1 = ws->x1;
    memcpy(ws->x1 + system->n_body_x, ws->x0 + system->n_body_x,
           (size_t)(system->n_x - system->n_body_x) * sizeof *ws->x1);
}

/* The end of an interval whose residual was evaluated nearby: only forces and counted turns depend on the views. */
static phx_status end_interval(workspace *ws, const double *v1)
{
    const phx_system *system = ws->system;

    set_interval(ws, v1, NULL);
    begin_turns(ws);
    if (system->n_forces > 0)
        phx_sys_view_rows(ws);
    phx_sys_follow_turns(ws, system->n_forces > 0 ? NEED_VIEW : NEED_MORE);
    if (system->n_forces == 0 && system->lossless)
        return PHX_OK;
    return phx_sys_forces(ws, ws->t0 + 0.5 * ws->h, false, ws->scratch4);
}

static phx_status op_interval_residual(phx_dae *dae, const double *v1, const double *lambda, double *x1, double *res)
{
    workspace *ws = of(dae);
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    if (res) {
        set_interval(ws, v1, res);
        begin_turns(ws);
        phx_sys_view_rows(ws);
        ws->start_viewed = true;
        status = phx_sys_forces(ws, ws->t0 + 0.5 * ws->h, false, res);
    } else {
        status = end_interval(ws, v1);
    }
    if (status)
        return status;
    if (res)
        phx_sys_rows_residual(ws, ws->t0, ws->h, lambda, res);
    memcpy(ws->lambda, lambda, (size_t)ws->n_l * sizeof *lambda);
    if (x1)
        memcpy(x1, ws->x1, (size_t)system->n_x * sizeof *x1);
    return PHX_OK;
}

static phx_status op_interval_work(phx_dae *dae, phx_work *work)
{
    workspace *ws = of(dae);

    work->supplied = ws->h * ws->power.supplied;
    work->dissipated = ws->h * ws->power.dissipated;
    for (int k = 0; k < ws->n_l; k++)
        work->supplied += ws->h * ws->lambda[k] * ws->w[k];
    phx_sys_ledger_work(ws, ws->h, ws->lambda);
    return PHX_OK;
}

/* ---- measures ---- */
typedef struct energy_loop {
    const workspace *ws;
    const double *x, *v;
} energy_loop;

void phx_sys_pack_energies(const workspace *ws, int p, const double *x, const double *v)
{
    const pack_slot *slot = &ws->packs[p];
    double energies[PHX_LANES];

    phx_pack_kinetic(slot->pack, x, v, energies);
    for (int l = 0; l < slot->count; l++)
        ws->energy[slot->body[l]] = energies[l];
}

static phx_status energies_of_packs(void *user, phx_context *context, int part, int first, int end)
{
    const energy_loop *it = user;

    (void)context, (void)part;
    for (int p = first; p < end; p++)
        phx_sys_pack_energies(it->ws, p, it->x, it->v);
    return PHX_OK;
}

static phx_status energies_of_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const energy_loop *it = user;
    const workspace *ws = it->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const int b = ws->loose_bodies[i];
        const body_slot *slot = &ws->system->bodies[b];
        ws->energy[b] = it->x ? phx_body_kinetic(slot->body, it->x + slot->x, it->v + slot->v)
                              : phx_body_kinetic_undeformed(slot->body, it->v + slot->v);
    }
    return PHX_OK;
}

void phx_sys_kinetic_energies(const workspace *ws, const double *x, const double *v)
{
    energy_loop loop = {ws, x, v};

    phx_sys_run(ws, ws->n_packs, energies_of_packs, &loop);
    phx_sys_run(ws, ws->n_loose_bodies, energies_of_bodies, &loop);
}

/* sqrt(dv^T M dv), M of the undeformed bodies */
static double op_norm(phx_dae *dae, const double *dv)
{
    workspace *ws = of(dae);
    double sum = 0.0;

    phx_sys_kinetic_energies(ws, NULL, dv);
    for (int b = 0; b < ws->system->n_bodies; b++)
        sum += ws->energy[b];
    return sqrt(sum > 0.0 ? 2.0 * sum : 0.0);
}

static const char *op_culprit(phx_dae *dae, const double *res)
{
    const workspace *ws = of(dae);
    const phx_system *system = ws->system;
    const char *name = system->n_bodies ? phx_body_name(system->bodies[0].body) : "";
    double largest = -1.0;

    for (int b = 0; b < system->n_bodies; b++) {
        for (int i = 0; i < phx_body_n_v(system->bodies[b].body); i++) {
            const double size = fabs(res[system->bodies[b].v + i]);
            if (size > largest || isnan(size)) {
                largest = isnan(size) ? HUGE_VAL : size;
                name = phx_body_name(system->bodies[b].body);
            }
        }
    }
    return name;
}

static void op_drift(phx_dae *dae, double t, const double *x, const double *v, double *position, double *velocity)
{
    workspace *ws = of(dae);
    const phx_system *system = ws->system;
    double g[PAIR_SIZE];

    phx_sys_set_instant(ws, x, v);
    *position = *velocity = 0.0;
    for (int r = 0; r < system->n_rows; r++) {
        const row_slot *slot = &system->rows[r];
        const joint_slot *joint = &system->joints[slot->joint];
        const phx_port_view *a = &ws->port_views[joint->a], *b = &ws->port_views[joint->b];
        double rate = 0.0;
        if (slot->role == ROW_HELD)
            continue;
        phx_row_covectors(slot->row, a, b, g, g + PHX_PORT_MAX);
        rate = phx_sys_dot(phx_port_size(system->dim), g, a->rate) +
               phx_sys_dot(phx_port_size(system->dim), g + PHX_PORT_MAX, b->rate);
        if (slot->role == ROW_DRIVEN)
            rate -= phx_signal_value(joint->coordinates[slot->coordinate].def.speed, t);
        else
            *position = fmax(*position, fabs(phx_row_value(slot->row, a, b, 1)));
        *velocity = fmax(*velocity, fabs(rate));
    }
}

static void op_stiffness_apply(phx_dae *dae, const double *dxi, double *out)
{
    const workspace *ws = of(dae);
    const kkt_matrix *kkt = &ws->kkt;
    for (int i = 0; i < kkt->n; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1] && kkt->idx[k] < kkt->n_v; k++)
            out[i] += ws->K[k] * dxi[kkt->idx[k]];
}

static void op_mass_apply(phx_dae *dae, const double *dv, double *out)
{
    const workspace *ws = of(dae);
    const kkt_matrix *kkt = &ws->kkt;
    for (int i = 0; i < kkt->n_v; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1] && kkt->idx[k] < kkt->n_v; k++)
            out[i] += ws->M[k] * dv[kkt->idx[k]];
}

static phx_status op_solve(phx_dae *dae, int slot, double *b)
{
    workspace *ws = of(dae);
    if (ws->condensation && ws->condensation->in_slot[slot])
        return phx_sys_condensed_solve(ws, slot, b);
    return phx_lu_solve(ws->lu[slot], 1, b);
}

static phx_status op_solve_complex(phx_dae *dae, int slot, double *b)
{
    return phx_lu_solve(of(dae)->lu_complex[slot], 1, b);
}

static phx_status op_twin(phx_dae *dae, phx_dae **twin)
{
    const workspace *ws = of(dae);
    const phx_status status = phx_system_dae(ws->system, dae->context, twin);

    if (!status)
        of(*twin)->condensing = ws->condensing;
    return status;
}

const phx_dae_ops phx_sys_ops = {
    .rates = op_rates,
    .residual = op_residual,
    .power = op_power,
    .accelerations = phx_sys_op_accelerations,
    .normalise = op_normalise,
    .count = op_count,
    .tangent = op_tangent,
    .linearise = phx_sys_op_linearise,
    .stiffness_apply = op_stiffness_apply,
    .mass_apply = op_mass_apply,
    .factor = phx_sys_op_factor,
    .factor_complex = phx_sys_op_factor_complex,
    .solve = op_solve,
    .solve_complex = op_solve_complex,
    .interval_begin = op_interval_begin,
    .interval_residual = op_interval_residual,
    .interval_linearise = phx_sys_op_interval_linearise,
    .interval_work = op_interval_work,
    .catch_up = phx_sys_op_catch_up,
    .project = phx_sys_op_project,
    .norm = op_norm,
    .culprit = op_culprit,
    .check_signals = phx_sys_op_check_signals,
    .regularity = phx_sys_op_regularity,
    .dependent = phx_sys_op_dependent,
    .next_break = phx_sys_op_next_break,
    .twin = op_twin,
    .twin_destroy = phx_system_dae_destroy,
    .drift = op_drift,
};
