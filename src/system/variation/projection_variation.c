/* The projection after a step and its derivatives, theory 5 and 19 (6) to (9). With next = v + dv, where
 *
 *     F = | M dv - G^T mu  | = 0      at x_1,                                                        (6)
 *         | G (v + dv) - w |
 *
 * T the rigid motions that carry the momenta of a free component, c and b their coordinates,
 *
 *     T^T M (next + T c) = P ,   T^T M T b = P ,   P = momenta at the start + impulses                (7)
 *     f = T b + the part that drives prescribe ,   y = next + T c - f                                 (8)
 *     v_1 = s y + f ,   s^2 = 1 + m/T(y) ,   m = T(v) + work of the drives - T(next + T c)            (9)
 *
 * every function here differentiates these lines, in their order or, transposed, from the last to the first. */
#include "variation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- products over all bodies ---- */
static void momenta_of_all(const phx_variation *var, const double *x, const double *v, double *p)
{
    for (int b = 0; b < var->system->n_bodies; b++) {
        const body_slot *slot = &var->system->bodies[b];
        phx_body_momenta(slot->body, x + slot->x, v + slot->v, p + slot->v);
    }
}

/* p <- (dM xi) b; xi NULL: 0. */
static void change_mass(const phx_variation *var, const double *x, const double *xi, const double *b, double *p)
{
    if (!xi)
        memset(p, 0, (size_t)var->n_v * sizeof *p);
    for (int k = 0; k < var->system->n_bodies && xi; k++) {
        const body_slot *slot = &var->system->bodies[k];
        phx_body_momenta_slope(slot->body, x + slot->x, xi + slot->v, b + slot->v, p + slot->v, var->body_room);
    }
}

/* out += alpha d/dxi (a^T M b); scaled: room of n_v. */
static void add_mass_slope(const phx_variation *var, const double *x, double alpha, const double *a, const double *b,
                           double *scaled, double *out)
{
    for (int i = 0; i < var->n_v; i++)
        scaled[i] = alpha * a[i];
    for (int k = 0; k < var->system->n_bodies; k++) {
        const body_slot *slot = &var->system->bodies[k];
        phx_body_mass_slope(slot->body, x + slot->x, scaled + slot->v, b + slot->v, out + slot->v);
    }
}

/* a . b over the velocities of a component. */
static double component_dot(const phx_variation *var, const component_slot *component, const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < component->count; i++) {
        const body_slot *slot = phx_var_member(var->system, component, i);
        sum += phx_dot(phx_body_n_v(slot->body), a + slot->v, b + slot->v);
    }
    return sum;
}

/* y += alpha a over the velocities of a component. */
static void component_add(const phx_variation *var, const component_slot *component, double alpha, const double *a,
                          double *y)
{
    for (int i = 0; i < component->count; i++) {
        const body_slot *slot = phx_var_member(var->system, component, i);
        for (int k = slot->v; k < slot->v + phx_body_n_v(slot->body); k++)
            y[k] += alpha * a[k];
    }
}

/* Whether row k belongs to a component. */
static bool row_is_of(const phx_variation *var, int k, int component)
{
    return var->system->rows.slot[var->ws->rows.index[k]].component == component;
}

/* ---- the projection at hand ---- */
/* K of the rows at (x_1, v) with the multipliers: -d(G^T mu)/dxi, d(G v)/dxi. */
static void row_stiffness(phx_variation *var, const double *v, const double *mu, double *K)
{
    workspace *ws = var->ws;

    memset(K, 0, (size_t)var->entries * sizeof *K);
    phx_sys_set_instant(ws, var->x1, v);
    ws->by->rows(ws, var->t0 + var->h, 0.0);
    ws->by->clear_efforts(ws);
    phx_sys_apply_multipliers(ws, mu);
    ws->values.summed = false;
    ws->values.weight_K = 1.0;
    ws->values.into_D = ws->values.D;
    ws->values.into_K = K;
    ws->by->add_couplings(ws, mu);
}

/* (6), and the same for what drives prescribe. */
static phx_status solve_rows(phx_variation *var)
{
    workspace *ws = var->ws;
    const int n_v = var->n_v;
    phx_status status = PHX_OK;

    phx_sys_set_instant(ws, var->x1, var->v);
    ws->by->rows(ws, var->t0 + var->h, 0.0);
    memset(var->correction, 0, (size_t)var->n * sizeof *var->correction);
    memset(var->drive, 0, (size_t)var->n * sizeof *var->drive);
    for (int k = 0; k < var->n_l; k++) {
        var->w[k] = ws->rows.w[k];
        var->e[k] = phx_system_row_rate(&ws->base, k) - var->w[k];
        var->correction[n_v + k] = -var->e[k];
        var->drive[n_v + k] = var->w[k];
    }
    if (var->n_l > 0)
        status = phx_sys_factor_whole_mass(ws, var->x1);
    if (!status && var->n_l > 0)
        status = ws->by->solve_mass(ws, var->correction);
    if (!status && var->drives)
        status = ws->by->solve_mass(ws, var->drive);
    for (int i = 0; i < n_v; i++) {
        var->next[i] = var->v[i] + var->correction[i];
        var->fixed[i] = var->drive[i];
    }
    return status;
}

/* (7): the rigid motion with these momenta; its coordinates c. */
static phx_status rigid_coordinates(const phx_variation *var, const varied_component *own, const double *momenta,
                                    double *c)
{
    double copy[VARIATION_PER * VARIATION_PER];

    memcpy(copy, own->inertia, sizeof copy);
    memcpy(c, momenta, (size_t)own->per * sizeof *c);
    return phx_dense_solve(var->context, own->per, copy, 1, c);
}

/* The momenta of a component exchanged for those that it keeps, in next and fixed. */
static phx_status exchange_momenta(phx_variation *var, int index, varied_component *own, double *p)
{
    const component_slot *component = &var->system->components.slot[index];
    const int per = own->per, all = var->system->dim + var->system->n_rot;
    double missing[VARIATION_PER] = {0.0}, wanted[VARIATION_PER], *column = var->room[5];

    for (int m = 0; m < per; m++) {
        double unit[VARIATION_PER] = {0.0}, sum[VARIATION_PER] = {0.0};
        unit[m] = 1.0;
        memset(column, 0, (size_t)var->n_v * sizeof *column);
        phx_var_rigid_velocities(var->system, component, var->x1, per, 1.0, unit, column);
        momenta_of_all(var, var->x1, column, p);
        phx_var_rigid_momenta(var->system, component, var->x1, per, p, sum);
        for (int r = 0; r < per; r++)
            own->inertia[r * per + m] = sum[r];
    }
    momenta_of_all(var, var->x1, var->next, p);
    phx_var_rigid_momenta(var->system, component, var->x1, per, p, missing);
    for (int m = 0; m < per; m++) {
        wanted[m] = var->ws->projection.momentum0[index * all + m] + var->ws->projection.impulse[index * all + m];
        missing[m] = wanted[m] - missing[m];
    }
    phx_status status = rigid_coordinates(var, own, missing, own->step);
    if (!status)
        status = rigid_coordinates(var, own, wanted, own->wanted);
    if (status)
        return status;
    phx_var_rigid_velocities(var->system, component, var->x1, per, 1.0, own->step, var->next);
    phx_var_rigid_velocities(var->system, component, var->x1, per, 1.0, own->wanted, var->fixed);
    return PHX_OK;
}

/* The work of the drives on a component and what its other rows take, -1/2 mu.e. */
static void row_energies(const phx_variation *var, int index, double *supply, double *taken)
{
    *supply = *taken = 0.0;
    for (int k = 0; k < var->n_l; k++) {
        const double mu = var->correction[var->n_v + k];
        if (!row_is_of(var, k, index))
            continue;
        if (var->ws->rows.row[k].speed)
            *supply += mu * (var->w[k] + 0.5 * var->e[k]);
        else
            *taken -= 0.5 * mu * var->e[k];
    }
}

/* (7) to (9) of a component, with fewer momenta where what is left cannot pay for them. */
static phx_status project_component(phx_variation *var, int index)
{
    static const double MOST = 0.1; /* of the energy, that scaling gives back */
    const component_slot *component = &var->system->components.slot[index];
    varied_component *own = &var->components[index];
    double *p = var->room[0], *y = var->room[1], supply, taken;
    const int all = var->system->dim + var->system->n_rot;

    row_energies(var, index, &supply, &taken);
    *own = (varied_component){.per = component->free ? all : 0, .s = 1.0};
    for (;;) {
        for (int i = 0; i < component->count; i++) {
            const body_slot *slot = phx_var_member(var->system, component, i);
            for (int k = slot->v; k < slot->v + phx_body_n_v(slot->body); k++) {
                var->next[k] = var->v[k] + var->correction[k];
                var->fixed[k] = var->drive[k];
            }
        }
        const phx_status status = own->per > 0 ? exchange_momenta(var, index, own, p) : PHX_OK;
        if (status)
            return status;
        momenta_of_all(var, var->x1, var->v, p);
        const double before = 0.5 * component_dot(var, component, var->v, p), target = before + supply;
        momenta_of_all(var, var->x1, var->next, p);
        own->missing = own->per > 0 ? target - 0.5 * component_dot(var, component, var->next, p) : taken;
        for (int k = 0; k < var->n_v; k++)
            y[k] = var->next[k] - var->fixed[k];
        momenta_of_all(var, var->x1, y, p);
        own->spare = 0.5 * component_dot(var, component, y, p);
        own->scaled = component->n_v > component->n_rows && fabs(own->missing) < MOST * own->spare &&
                      own->spare > DBL_EPSILON * fmax(before, target - own->missing);
        if (own->per == 0 || own->scaled)
            break;
        own->per = own->per > var->system->dim ? var->system->dim : 0;
    }
    own->s = own->scaled ? sqrt(1.0 + own->missing / own->spare) : 1.0;
    return PHX_OK;
}

/* The velocities that meet the mass matrix: next = v + dv + T c, fixed = drive + T b. */
static void list_rates(phx_variation *var)
{
    const bool carries = var->system->components.any_free;

    for (int i = 0; i < var->n_v && carries; i++) {
        var->carried[0][i] = var->next[i] - var->v[i] - var->correction[i];
        var->carried[1][i] = var->fixed[i] - var->drive[i];
    }
    var->rate[OF_VELOCITY] = var->v;
    var->rate[OF_CORRECTION] = var->n_l > 0 ? var->correction : NULL;
    var->rate[OF_DRIVE] = var->drives ? var->drive : NULL;
    var->rate[OF_STEP] = carries ? var->carried[0] : NULL;
    var->rate[OF_WANTED] = carries ? var->carried[1] : NULL;
}

/* (6) to (9) at the step at hand, and the second derivatives of its rows. */
phx_status phx_var_projection(phx_variation *var)
{
    phx_status status = solve_rows(var);

    for (int c = 0; c < var->system->components.n && !status; c++)
        status = project_component(var, c);
    list_rates(var);
    if (status || var->n_l == 0)
        return status;
    memset(var->room[0], 0, (size_t)var->n * sizeof(double));
    for (int i = 0; i < var->n_v; i++)
        var->room[1][i] = var->v[i] + var->correction[i];
    row_stiffness(var, var->room[1], var->correction + var->n_v, var->stiffness);
    if (var->drives) {
        row_stiffness(var, var->drive, var->drive + var->n_v, var->driven);
        row_stiffness(var, var->v, var->room[0], var->taken);
    }
    return PHX_OK;
}

/* ---- forward ---- */
void phx_var_add_pattern(const phx_variation *var, const double *K, bool transposed, double alpha, const double *in,
                         double *out)
{
    const kkt_matrix *kkt = &var->ws->kkt;

    for (int i = 0; i < kkt->n; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1] && kkt->idx[k] < kkt->n_v; k++) {
            if (transposed)
                out[kkt->idx[k]] += alpha * K[k] * in[i];
            else
                out[i] += alpha * K[k] * in[kkt->idx[k]];
        }
}

/* G v of the rows as the mass matrix has them; transposed: out += G^T l. */
static void add_row_rates(const phx_variation *var, bool transposed, double alpha, const double *in, double *out)
{
    const kkt_matrix *kkt = &var->ws->kkt;

    for (int i = kkt->n_v; i < kkt->n; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1] && kkt->idx[k] < kkt->n_v; k++) {
            if (transposed)
                out[kkt->idx[k]] += alpha * var->ws->mass.val[k] * in[i - kkt->n_v];
            else
                out[i - kkt->n_v] += alpha * var->ws->mass.val[k] * in[kkt->idx[k]];
        }
}

/* The derivative of a solution z = (u, mu) of (6), whose rows act on the velocities `rowed`:
 * b <- -[M -G^T; G 0]^-1 (K xi + (dM xi) u + G dv + what the parameter changes). dv NULL: none. */
static phx_status solution_tangent(phx_variation *var, const phx_variation_parameter *by, const double *K,
                                   const double *u, const double *rowed, const double *xi, const double *dv, double *b)
{
    memset(b, 0, (size_t)var->n * sizeof *b);
    if (var->n_l == 0)
        return PHX_OK;
    change_mass(var, var->x1, xi, u, b);
    if (xi)
        phx_var_add_pattern(var, K, false, 1.0, xi, b);
    if (dv)
        add_row_rates(var, false, 1.0, dv, b + var->n_v);
    if (by) {
        phx_var_mass_by(by, var->x1, u, b);
        phx_var_rows_by(var, by, rowed, u + var->n_v, b);
    }
    for (int i = 0; i < var->n; i++)
        b[i] = -b[i];
    return var->ws->by->solve_mass(var->ws, b);
}

/* The variation of the momenta P of a component: at the start, and of the impulses. */
static void wanted_tangent(phx_variation *var, const phx_variation_parameter *by, int index, const double *xi0,
                           const double *xi1, const double *dv0, double *p, double *wanted)
{
    const phx_system *system = var->system;
    const component_slot *component = &system->components.slot[index];
    const int dim = system->dim, per = var->components[index].per;
    double moments[VARIATION_PER] = {0.0}, torque[3], *change = var->room[5];

    if (by)
        phx_var_wanted_by(var, by, index, wanted);
    if (!xi0)
        return;
    momenta_of_all(var, var->x0, var->v0, p);
    phx_var_rigid_change(system, component, var->x0, per, xi0, 0.0, NULL, NULL, p, wanted);
    momenta_of_all(var, var->x0, dv0, p);
    change_mass(var, var->x0, xi0, var->v0, change);
    component_add(var, component, 1.0, change, p);
    phx_var_rigid_momenta(system, component, var->x0, per, p, wanted);
    momenta_of_all(var, var->x0, xi0, p);
    phx_var_rigid_momenta(system, component, var->x0, dim, p, moments);
    momenta_of_all(var, var->x1, xi1, p);
    phx_var_rigid_momenta(system, component, var->x1, dim, p, moments);
    phx_vec_x_vec(dim, moments, system->gravity, torque);
    for (int k = dim; k < per; k++)
        wanted[k] += 0.5 * var->h * torque[k - dim];
    phx_var_impulse_tangent(var, index, xi0, xi1, wanted);
}

/* The derivative of (7), u = u_0 + T c with T^T M u = P: du, that of u_0 on entry. */
static phx_status carried_tangent(phx_variation *var, const phx_variation_parameter *by, int index, const double *xi,
                                  const double *u, const double *c, const double *wanted, double *p, double *du)
{
    const component_slot *component = &var->system->components.slot[index];
    const varied_component *own = &var->components[index];
    double right[VARIATION_PER] = {0.0}, change[VARIATION_PER], *dM = var->room[5];

    momenta_of_all(var, var->x1, u, p);
    if (xi)
        phx_var_rigid_change(var->system, component, var->x1, own->per, xi, 1.0, c, du, p, right);
    momenta_of_all(var, var->x1, du, p);
    if (by)
        phx_var_mass_by(by, var->x1, u, p);
    change_mass(var, var->x1, xi, u, dM);
    component_add(var, component, 1.0, dM, p);
    phx_var_rigid_momenta(var->system, component, var->x1, own->per, p, right);
    for (int k = 0; k < own->per; k++)
        right[k] = wanted[k] - right[k];
    const phx_status status = rigid_coordinates(var, own, right, change);
    if (!status)
        phx_var_rigid_velocities(var->system, component, var->x1, own->per, 1.0, change, du);
    return status;
}

/* dT(u) of a component: u . M du + 1/2 u . (dM) u. */
static double energy_tangent(phx_variation *var, const phx_variation_parameter *by, int index, const double *xi,
                             const double *u, const double *du, double *p)
{
    const component_slot *component = &var->system->components.slot[index];

    momenta_of_all(var, var->x1, u, p);
    const double sum = component_dot(var, component, du, p);
    change_mass(var, var->x1, xi, u, p);
    if (by)
        phx_var_mass_by(by, var->x1, u, p);
    return sum + 0.5 * component_dot(var, component, u, p);
}

/* The work of the drives on a component: sum mu (w + e/2), de = K_l xi + G dv. */
static double supply_tangent(const phx_variation *var, const phx_variation_parameter *by, int index,
                             const double *change, const double *de)
{
    double sum = 0.0;

    for (int k = 0; k < var->n_l && var->drives; k++)
        if (var->ws->rows.row[k].speed && row_is_of(var, k, index))
            sum += change[var->n_v + k] * (var->w[k] + 0.5 * var->e[k]) +
                   var->correction[var->n_v + k] * (0.5 * de[var->n_v + k] + (by ? phx_var_rate_by(by, k) : 0.0));
    return sum;
}

/* (6) to (9), line by line, component by component. */
phx_status phx_var_project_tangent(phx_variation *var, const phx_variation_parameter *by, const double *xi1,
                                   const double *xi0, const double *dv0, double *dv)
{
    double *change = var->room[0], *driven = var->room[1], *p = var->room[2], *de = var->room[3], *y = var->room[4];
    double *dy = var->room[6]; /* room[5] is the scratch of the functions above */
    for (int i = 0; i < var->n_v; i++)
        dy[i] = var->v[i] + var->correction[i];
    phx_status status = solution_tangent(var, by, var->stiffness, var->correction, dy, xi1, dv, change);

    memset(driven, 0, (size_t)var->n * sizeof *driven);
    memset(de, 0, (size_t)var->n * sizeof *de);
    if (!status && var->drives) {
        status = solution_tangent(var, by, var->driven, var->drive, var->drive, xi1, NULL, driven);
        if (xi1)
            phx_var_add_pattern(var, var->taken, false, 1.0, xi1, de);
        if (by) {
            memset(p, 0, (size_t)var->n * sizeof *p);
            phx_var_rows_by(var, by, var->v, p, de); /* leaves the change of w */
        }
        add_row_rates(var, false, 1.0, dv, de + var->n_v);
    }
    for (int i = 0; i < var->n_v; i++) {
        change[i] += dv[i]; /* of next */
        y[i] = var->next[i] - var->fixed[i];
    }
    for (int c = 0; c < var->system->components.n && !status; c++) {
        const component_slot *component = &var->system->components.slot[c];
        const varied_component *own = &var->components[c];
        double wanted[VARIATION_PER] = {0.0};
        if (own->per > 0) {
            wanted_tangent(var, by, c, xi0, xi1, dv0, p, wanted);
            status = carried_tangent(var, by, c, xi1, var->next, own->step, wanted, p, change);
        }
        if (!status && own->per > 0)
            status = carried_tangent(var, by, c, xi1, var->fixed, own->wanted, wanted, p, driven);
        double ds = 0.0;
        if (!status && own->scaled) {
            const double dm = energy_tangent(var, by, c, xi1, var->v, dv, p) + supply_tangent(var, by, c, change, de) -
                              energy_tangent(var, by, c, xi1, var->next, change, p);
            for (int i = 0; i < var->n_v; i++)
                dy[i] = change[i] - driven[i];
            const double dspare = energy_tangent(var, by, c, xi1, y, dy, p);
            ds = (dm - own->missing / own->spare * dspare) / (2.0 * own->s * own->spare);
        }
        for (int i = 0; i < component->count && !status; i++) {
            const body_slot *slot = phx_var_member(var->system, component, i);
            for (int k = slot->v; k < slot->v + phx_body_n_v(slot->body); k++)
                dv[k] = own->s * (change[k] - driven[k]) + ds * y[k] + driven[k];
        }
    }
    return status;
}

/* ---- backward ---- */
/* What a component adds to a number, factor a . M u for u = next, fixed or y, by the velocities that these consist of:
 * those of `plus` less those of `minus`. */
enum {
    IN_VELOCITY = 1 << OF_VELOCITY,
    IN_NEXT = 1 << OF_VELOCITY | 1 << OF_CORRECTION | 1 << OF_STEP,
    IN_FIXED = 1 << OF_DRIVE | 1 << OF_WANTED
};
static void keep_mass(const phx_variation *var, const component_slot *component, unsigned plus, unsigned minus,
                      double factor, const double *a, const step_adjoint *kept)
{
    for (int j = 0; j < VARIATION_RATES; j++)
        if ((plus | minus) & 1u << j)
            component_add(var, component, plus & 1u << j ? factor : -factor, a, kept->mass[j]);
}

/* The transpose of solution_tangent: a_u, of the velocities of the solution, and a_mu (n_l) give
 * a_xi -= K^T zeta + d/dxi (zeta . M u), a_v -= G^T zeta_l (a_v NULL: not asked for). Kept: -zeta of the rate u and of
 * the rows. */
static phx_status solution_adjoint(phx_variation *var, const double *K, const double *u, const double *a_u,
                                   const double *a_mu, double *a_xi, double *a_v, double *kept_mass, double *kept_rows)
{
    double *zeta = var->room[5];
    const int n_v = var->n_v;

    if (var->n_l == 0)
        return PHX_OK;
    /* [M -G^T; G 0]^T (z, l) = (a, b) is [M -G^T; G 0] (z, -l) = (a, -b) */
    memcpy(zeta, a_u, (size_t)n_v * sizeof *zeta);
    for (int k = 0; k < var->n_l; k++)
        zeta[n_v + k] = -a_mu[k];
    const phx_status status = var->ws->by->solve_mass(var->ws, zeta);
    if (status)
        return status;
    for (int k = 0; k < var->n_l; k++)
        zeta[n_v + k] = -zeta[n_v + k];
    phx_var_add_pattern(var, K, true, -1.0, zeta, a_xi);
    for (int i = 0; i < n_v; i++)
        kept_mass[i] -= zeta[i];
    for (int i = 0; i < var->n; i++)
        kept_rows[i] -= zeta[i];
    if (a_v)
        add_row_rates(var, true, -1.0, zeta + n_v, a_v);
    add_mass_slope(var, var->x1, -1.0, zeta, u, var->room[7], a_xi);
    return PHX_OK;
}

/* The transpose of wanted_tangent by the numbers `by` (per). */
static void wanted_adjoint(phx_variation *var, int index, const double *by, double *a_xi0, double *a_xi1, double *a_v0,
                           const step_adjoint *kept)
{
    const phx_system *system = var->system;
    const component_slot *component = &system->components.slot[index];
    const int dim = system->dim, per = var->components[index].per;
    double *rigid = var->room[5], *p = var->room[7], linear[3] = {0.0}, turn[3] = {0.0};

    momenta_of_all(var, var->x0, var->v0, p);
    phx_var_rigid_slope(system, component, var->x0, per, 1.0, p, by, a_xi0);
    memset(rigid, 0, (size_t)var->n_v * sizeof *rigid);
    phx_var_rigid_velocities(system, component, var->x0, per, 1.0, by, rigid);
    momenta_of_all(var, var->x0, rigid, p);
    component_add(var, component, 1.0, rigid, kept->start);
    for (int k = 0; k < per; k++)
        kept->impulse[index * VARIATION_PER + k] += by[k];
    component_add(var, component, 1.0, p, a_v0);
    add_mass_slope(var, var->x0, 1.0, rigid, var->v0, p, a_xi0);
    /* by . (moments x g) = moments . (g x by) */
    for (int k = dim; k < per; k++)
        turn[k - dim] = 0.5 * var->h * by[k];
    phx_vec_x_rot(dim, system->gravity, turn, linear);
    for (int end = 0; end < 2 && per > dim; end++) {
        const double *x = end ? var->x1 : var->x0;
        memset(rigid, 0, (size_t)var->n_v * sizeof *rigid);
        phx_var_rigid_velocities(system, component, x, dim, 1.0, linear, rigid);
        momenta_of_all(var, x, rigid, p);
        component_add(var, component, 1.0, p, end ? a_xi1 : a_xi0);
    }
    phx_var_impulse_adjoint(var, index, by, a_xi0, a_xi1);
}

/* The transpose of carried_tangent: a, of u on entry, of u_0 on exit; the numbers `by` = (T^T M T)^-1 T^T a go to the
 * momenta. */
static phx_status carried_adjoint(phx_variation *var, int index, const double *u, unsigned parts, const double *c,
                                  double *a, double *by, double *a_xi, const step_adjoint *kept)
{
    const component_slot *component = &var->system->components.slot[index];
    const varied_component *own = &var->components[index];
    double *rigid = var->room[5], *p = var->room[7], pulled[VARIATION_PER] = {0.0}, minus[VARIATION_PER];

    phx_var_rigid_momenta(var->system, component, var->x1, own->per, a, pulled);
    const phx_status status = rigid_coordinates(var, own, pulled, by);
    if (status)
        return status;
    memset(rigid, 0, (size_t)var->n_v * sizeof *rigid);
    phx_var_rigid_velocities(var->system, component, var->x1, own->per, 1.0, by, rigid);
    momenta_of_all(var, var->x1, u, p);
    for (int k = 0; k < own->per; k++)
        minus[k] = -by[k];
    phx_var_rigid_slope(var->system, component, var->x1, own->per, 1.0, p, minus, a_xi);
    momenta_of_all(var, var->x1, rigid, p);
    component_add(var, component, -1.0, p, a);
    phx_var_rigid_slope(var->system, component, var->x1, own->per, 1.0, a, c, a_xi);
    add_mass_slope(var, var->x1, -1.0, rigid, u, p, a_xi);
    keep_mass(var, component, parts, 0, -1.0, rigid, kept);
    return PHX_OK;
}

/* The transpose of energy_tangent: a_u += factor M u, a_xi += factor/2 d/dxi (u . M u), of a component. */
static void energy_adjoint(phx_variation *var, int index, double factor, const double *u, unsigned plus, unsigned minus,
                           double *a_u, double *a_xi, const step_adjoint *kept)
{
    const component_slot *component = &var->system->components.slot[index];
    double *p = var->room[5];

    momenta_of_all(var, var->x1, u, p);
    component_add(var, component, factor, p, a_u);
    keep_mass(var, component, plus, minus, 0.5 * factor, u, kept);
    for (int i = 0; i < component->count; i++) {
        const body_slot *slot = phx_var_member(var->system, component, i);
        for (int k = slot->v; k < slot->v + phx_body_n_v(slot->body); k++)
            p[k] = 0.5 * factor * u[k];
        phx_body_mass_slope(slot->body, var->x1 + slot->x, p + slot->v, u + slot->v, a_xi + slot->v);
    }
}

/* The transpose of supply_tangent: to the multipliers, and to G v of the driven rows (n_l). */
static void supply_adjoint(const phx_variation *var, int index, double factor, double *a_mu, double *a_e,
                           const step_adjoint *kept)
{
    for (int k = 0; k < var->n_l && var->drives; k++)
        if (var->ws->rows.row[k].speed && row_is_of(var, k, index)) {
            a_mu[k] += factor * (var->w[k] + 0.5 * var->e[k]);
            a_e[k] += factor * 0.5 * var->correction[var->n_v + k];
            kept->rate[k] += factor * var->correction[var->n_v + k];
        }
}

/* (9) to (6), transposed. */
phx_status phx_var_project_adjoint(phx_variation *var, double *a_v, double *a_xi1, double *a_xi0, double *a_v0,
                                   const step_adjoint *kept)
{
    const int n_v = var->n_v;
    double *a_next = var->room[0], *a_fixed = var->room[1], *y = var->room[2], *a_e = var->room[3], *a_y = var->room[4];
    double *before = var->room[6], *a_mu = a_next + n_v;
    phx_status status = PHX_OK;

    memset(a_next, 0, (size_t)var->n * sizeof *a_next);
    memset(a_e, 0, (size_t)var->n * sizeof *a_e);
    memset(a_fixed, 0, (size_t)var->n * sizeof *a_fixed);
    memset(before, 0, (size_t)var->n * sizeof *before);
    memset(a_y, 0, (size_t)n_v * sizeof *a_y);
    for (int i = 0; i < n_v; i++)
        y[i] = var->next[i] - var->fixed[i];
    for (int c = 0; c < var->system->components.n && !status; c++) {
        const component_slot *component = &var->system->components.slot[c];
        const varied_component *own = &var->components[c];
        double by[VARIATION_PER], sum[VARIATION_PER] = {0.0};
        component_add(var, component, own->s, a_v, a_y);
        component_add(var, component, 1.0, a_v, a_fixed);
        if (own->scaled) {
            const double a_m = component_dot(var, component, a_v, y) / (2.0 * own->s * own->spare);
            energy_adjoint(var, c, -a_m * own->missing / own->spare, y, IN_NEXT, IN_FIXED, a_y, a_xi1, kept);
            energy_adjoint(var, c, a_m, var->v, IN_VELOCITY, 0, before, a_xi1, kept);
            energy_adjoint(var, c, -a_m, var->next, IN_NEXT, 0, a_next, a_xi1, kept);
            supply_adjoint(var, c, a_m, a_mu, a_e + n_v, kept);
        }
        component_add(var, component, 1.0, a_y, a_next);
        component_add(var, component, -1.0, a_y, a_fixed);
        if (own->per == 0)
            continue;
        status = carried_adjoint(var, c, var->fixed, IN_FIXED, own->wanted, a_fixed, sum, a_xi1, kept);
        if (!status)
            status = carried_adjoint(var, c, var->next, IN_NEXT, own->step, a_next, by, a_xi1, kept);
        for (int k = 0; k < own->per && !status; k++)
            sum[k] += by[k];
        if (!status)
            wanted_adjoint(var, c, sum, a_xi0, a_xi1, a_v0, kept);
    }
    for (int i = 0; i < n_v; i++)
        a_v[i] = a_next[i] + before[i];
    if (!status && var->drives) {
        phx_var_add_pattern(var, var->taken, true, 1.0, a_e, a_xi1);
        add_row_rates(var, true, 1.0, a_e + n_v, a_v);
        memcpy(kept->rows[2] + n_v, a_e + n_v, (size_t)var->n_l * sizeof *a_e);
        status = solution_adjoint(var, var->driven, var->drive, a_fixed, a_fixed + n_v, a_xi1, NULL,
                                  kept->mass[OF_DRIVE], kept->rows[1]);
    }
    return status ? status
                  : solution_adjoint(var, var->stiffness, var->correction, a_next, a_mu, a_xi1, a_v,
                                     kept->mass[OF_CORRECTION], kept->rows[0]);
}
