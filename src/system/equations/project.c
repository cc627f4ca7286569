/* After a step: v1 on G v1 = w(t1), component by component, without changing the energy balance.
 *
 * With S = G M^-1 G^T and e = G v - w, mu = -S^-1 e:  v <- v + M^-1 G^T mu. Each row's impulse works at the mean of its
 * velocity before and after, w + e/2: on the rows of drives this is work they supply, mu_d.(w + e_d/2). Only the rest,
 * 1/2 mu_n.e_n of the rows that prescribe nothing, is given back by scaling the homogeneous part of the velocity, v
 * less the part M^-1 G^T S^-1 w that the drives prescribe and, in a free component, less the rigid motion that carries
 * its momenta. To give back the drives' part too would pump their work into the free motion. With G v = w the kinetic
 * energies are T(v - M^-1 G^T S^-1 w) = T(v) - 1/2 w^T S^-1 w. M^-1 G^T mu has no momentum, since every joint lets
 * rigid motions of the whole pass. How S is solved: fast_delassus.c. */
#include "system/system_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PER = 6 };      /* dim + n_rot at most */
enum { ROUNDED = 32 }; /* rounding is that many times DBL_EPSILON */

/* A step to put on the joints: its length (0: none), its end, and the solutions for -e and w (NULL: no drives). */
typedef struct correction {
    double h;
    bool interval, may_reject;
    const double *x, *v;
    double *dv, *drive;
} correction;

phx_status phx_sys_projection_create(phx_context *context, const phx_system *system, projection *made)
{
    const size_t n = (size_t)system->components.n + 1, per = (size_t)(system->dim + system->n_rot);
    const phx_array arrays[] = {
        {&made->momentum0, per * n}, {&made->momentum1, per * n}, {&made->impulse, per * n}, {&made->supply, n},
        {&made->prescribed, n},      {&made->signal_work, n},     {&made->before, n},        {&made->taken, n}};

    made->kept = phx_calloc(context, n, sizeof *made->kept);
    made->moved = phx_calloc(context, n, sizeof *made->moved);
    return made->kept && made->moved ? phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays)
                                     : PHX_ERR_MEMORY;
}

void phx_sys_projection_free(projection *made)
{
    double *arrays[] = {made->momentum0,  made->momentum1,   made->impulse, made->supply,
                        made->prescribed, made->signal_work, made->before,  made->taken};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(made->kept);
    phx_free(made->moved);
}

/* Linear and angular momentum of every free component in inertial axes about the origin, dim + n_rot numbers each; zero
 * for components that the ground holds. */
void phx_sys_momenta(const workspace *ws, const double *x, const double *v, double *momenta)
{
    const phx_system *system = ws->system;
    const int dim = system->dim, per = dim + system->n_rot;

    memset(momenta, 0, (size_t)(system->components.n * per) * sizeof *momenta);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        double linear[3], angular[3], *sum = momenta + slot->component * per;
        if (!system->components.slot[slot->component].free)
            continue;
        phx_body_inertial_momentum(slot->body, x + slot->x, v + slot->v, linear, angular);
        for (int a = 0; a < dim; a++)
            sum[a] += linear[a];
        for (int k = 0; k < system->n_rot; k++)
            sum[dim + k] += angular[k];
    }
}

/* h m g at the mean centre of mass, and the loads. */
void phx_sys_impulses(workspace *ws)
{
    const phx_system *system = ws->system;
    const int dim = system->dim, per = dim + system->n_rot;
    double torque[3], moment0[3], moment1[3];

    memset(ws->projection.impulse, 0, (size_t)(system->components.n * per) * sizeof *ws->projection.impulse);
    for (int b = 0; b < system->n_bodies; b++) { /* m g at the mean centre of mass */
        const body_slot *slot = &system->bodies[b];
        double *sum = ws->projection.impulse + slot->component * per;
        if (!system->components.slot[slot->component].free)
            continue;
        phx_body_moment(slot->body, ws->step.x0 + slot->x, moment0);
        phx_body_moment(slot->body, ws->step.x1 + slot->x, moment1);
        for (int a = 0; a < dim; a++) {
            moment0[a] = 0.5 * (moment0[a] + moment1[a]);
            sum[a] += ws->view.h * phx_body_at_rest(slot->body)->mass * system->gravity[a];
        }
        phx_vec_x_vec(dim, moment0, system->gravity, torque);
        for (int k = 0; k < system->n_rot; k++)
            sum[dim + k] += ws->view.h * torque[k];
    }
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        if (phx_sys_pushes_freely(system, force))
            phx_sys_load_impulse(system, force, &ws->ports.view[force->a], ws->step.t0, ws->view.h,
                                 ws->projection.impulse + system->bodies[system->ports[force->a].body].component * per);
    }
}

bool phx_sys_pushes_freely(const phx_system *system, const force_slot *force)
{
    return force->kind == FORCE_PORT && !force->off && system->ports[force->a].body != PHX_GROUND;
}

/* h (f, u x f + R m) of a load (f, m) at the mean of the port. */
void phx_sys_load_impulse(const phx_system *system, const force_slot *force, const phx_port_view *view, double t0,
                          double h, double *sum)
{
    const int dim = system->dim;
    phx_load_result load = {0};
    double torque[3], couple[3];

    if (phx_port_load_evaluate(NULL, &force->load, view, t0 + 0.5 * h, false, &load))
        return;
    phx_vec_x_vec(dim, view->um, load.effort, torque);
    if (dim == 3)
        phx_rot_apply(3, view->Rm, load.effort + 3, couple);
    else
        couple[0] = load.effort[2];
    for (int a = 0; a < dim; a++)
        sum[a] += h * load.effort[a];
    for (int k = 0; k < system->n_rot; k++)
        sum[dim + k] += h * (torque[k] + couple[k]);
}

/* Velocities, in v of all bodies, of one in the rigid motion number m of everything (translations, then rotations about
 * the origin). */
static void rigid_motion(const phx_system *system, const body_slot *slot, const double *x, int m, double *v)
{
    double axis[3] = {0}, at[3] = {0};

    if (m < system->dim) {
        at[m] = 1.0;
    } else {
        axis[m - system->dim] = 1.0;
        phx_rot_x_vec(system->dim, axis, x + slot->x, at);
    }
    phx_body_rigid_velocities(slot->body, x + slot->x, at, axis, v + slot->v);
}

/* Bodies of a component, one after the other: for (...each body slot...). */
static const body_slot *member(const phx_system *system, const component_slot *component, int i)
{
    return &system->bodies[system->components.bodies[component->first + i]];
}

/* part = rigid motion of a component with the first `per` of the given momenta (dim: translations alone),
 * T (T^T M T)^-1 momenta; only its bodies are written. */
static phx_status momentum_part(workspace *ws, const component_slot *component, const double *x, int per,
                                const double *momenta, double *part)
{
    const phx_system *system = ws->system;
    double inertia[PER * PER] = {0}, a[PER], linear[3], angular[3];
    phx_status status = PHX_OK;

    for (int b = 0; b < component->count; b++) {
        const body_slot *slot = member(system, component, b);
        for (int m = 0; m < per; m++) {
            rigid_motion(system, slot, x, m, part);
            phx_body_inertial_momentum(slot->body, x + slot->x, part + slot->v, linear, angular);
            for (int r = 0; r < per; r++)
                inertia[r * per + m] += r < system->dim ? linear[r] : angular[r - system->dim];
        }
    }
    memcpy(a, momenta, (size_t)per * sizeof *a);
    status = phx_dense_solve(ws->base.context, per, inertia, 1, a);
    if (status == PHX_SINGULAR)
        status = phx_fail_prefix(ws->base.context, status, "the rigid motion that '%s'%s would keep: ",
                                 phx_body_name(member(system, component, 0)->body),
                                 component->count > 1 ? " and what it carries" : "");
    for (int b = 0; b < component->count && !status; b++) {
        const body_slot *slot = member(system, component, b);
        double *v = part + slot->v, *one = ws->scratch.vector[3] + slot->v;
        memset(v, 0, (size_t)phx_body_n_v(slot->body) * sizeof *v);
        for (int m = 0; m < per; m++) {
            rigid_motion(system, slot, x, m, ws->scratch.vector[3]);
            for (int i = 0; i < phx_body_n_v(slot->body); i++)
                v[i] += a[m] * one[i];
        }
    }
    return status;
}

static double project_kinetic(workspace *ws, const component_slot *component, const double *x, const double *v)
{
    double energy = 0.0;

    ws->by->component_energies(ws, component, x, v);
    for (int i = 0; i < component->count; i++)
        energy += ws->bodies.energy[ws->system->components.bodies[component->first + i]];
    return energy;
}

/* y = alpha a + beta b on the velocities from `first` to before `end`; b NULL: zero. */
static void combine_range(int first, int end, double alpha, const double *a, double beta, const double *b, double *y)
{
    for (int i = first; b && i < end; i++)
        y[i] = alpha * a[i] + beta * b[i];
    for (int i = first; !b && i < end; i++)
        y[i] = alpha * a[i];
}

/* y = alpha a + beta b over the velocities of one component. */
static void project_combine(const workspace *ws, const component_slot *component, double alpha, const double *a,
                            double beta, const double *b, double *y)
{
    const phx_system *system = ws->system;

    if (component->count == system->n_bodies) {
        combine_range(0, system->n_v, alpha, a, beta, b, y);
        return;
    }
    for (int k = 0; k < component->count; k++) {
        const body_slot *slot = member(system, component, k);
        combine_range(slot->v, slot->v + phx_body_n_v(slot->body), alpha, a, beta, b, y);
    }
}

/* Kinetic energy of a motion that moves no point over the step by more than its place is rounded. What rests, held by
 * forces, has nothing but the rounding of these for velocities, and no step is short enough to make a correction of
 * them small against their own energy. */
static double unseen(const workspace *ws, const component_slot *component, const double *x, double h)
{
    const phx_system *system = ws->system;
    double energy = 0.0;

    for (int b = 0; b < component->count && h != 0.0; b++) {
        const body_slot *slot = member(system, component, b);
        const double *r = x + slot->x;
        const double reach = sqrt(phx_dot(system->dim, r, r)) + phx_sys_radius_of_gyration(slot);
        const double speed = ROUNDED * DBL_EPSILON * reach / h;
        energy += 0.5 * phx_body_at_rest(slot->body)->mass * speed * speed;
    }
    return energy;
}

/* Exchange the first `per` momenta of `v` for the wanted ones; `fixed` becomes the rigid motion that carries them. */
static phx_status exchange_momenta(workspace *ws, const component_slot *component, const double *x, int per,
                                   const double *wanted, double *fixed, double *v)
{
    const phx_system *system = ws->system;
    double missing[PER], linear[3], angular[3], *step = ws->scratch.vector[2];
    phx_status status = PHX_OK;

    memcpy(missing, wanted, sizeof missing);
    for (int b = 0; b < component->count; b++) {
        const body_slot *slot = member(system, component, b);
        phx_body_inertial_momentum(slot->body, x + slot->x, v + slot->v, linear, angular);
        for (int a = 0; a < system->dim; a++)
            missing[a] -= linear[a];
        for (int k = 0; k < system->n_rot; k++)
            missing[system->dim + k] -= angular[k];
    }
    status = momentum_part(ws, component, x, per, missing, step);
    if (!status)
        project_combine(ws, component, 1.0, step, 1.0, v, v);
    return status ? status : momentum_part(ws, component, x, per, wanted, fixed);
}

/* Corrects one component into ws->step.v1. wanted: momenta to keep, the first `per` of them; 0: none. Without them the
 * energy that dv takes is known: its terms would cancel in the difference of two energies. */
static phx_status project_correct(workspace *ws, int c, const correction *step, int per, const double *wanted)
{
    static const double LARGE = 1e-3; /* energy that is missing, relative */
    const component_slot *component = &ws->system->components.slot[c];
    const double *x = step->x, *v = step->v, *dv = step->dv, *drive = step->drive;
    double *next = ws->scratch.velocities + ws->kkt.n_v, *fixed = per > 0 || drive ? ws->scratch.velocities : NULL;
    double factor = 1.0, missing = ws->projection.taken[c];
    const double before = ws->projection.before[c], target = before + ws->projection.supply[c];
    phx_status status = PHX_OK;

    project_combine(ws, component, 1.0, v, 1.0, dv, next);
    if (per > 0) {
        status = exchange_momenta(ws, component, x, per, wanted, fixed, next);
        if (status)
            return status;
        missing = target - project_kinetic(ws, component, x, next);
        project_combine(ws, component, 1.0, fixed, 1.0, drive, fixed);
    } else if (drive) {
        project_combine(ws, component, 1.0, drive, 0.0, NULL, fixed);
    }
    const double after = target - missing;
    const bool large = fabs(missing) > LARGE * fmax(before, after);
    if (step->may_reject && large && fabs(missing) > LARGE * fmax(before, after) + ws->projection.signal_work[c] &&
        fabs(missing) > unseen(ws, component, x, step->h))
        return PHX_REJECTED;
    if (fixed) /* homogeneous part, M-orthogonal to the fixed one */
        project_combine(ws, component, 1.0, next, -1.0, fixed, next);
    const double spare = per > 0 ? project_kinetic(ws, component, x, next)
                         : fixed ? after - ws->projection.prescribed[c]
                                 : after;
    /* a part below the rounding of the energy tells nothing: a body that moves as one rigid piece has no other */
    const bool scalable =
        component->n_v > component->n_rows && fabs(missing) < 0.1 * spare && spare > DBL_EPSILON * fmax(before, after);
    if (per > 0 && !scalable) { /* what moves as one rigid piece: the linear momentum goes first, then the energy */
        ws->projection.kept[c] = false;
        return project_correct(ws, c, step, per > ws->system->dim ? ws->system->dim : 0, wanted);
    }
    /* theory 5 (3): the homogeneous part of the velocity is scaled to give the energy back */
    if (component->driven && !scalable)
        ws->projection.supply[c] -= missing; /* the drives prescribe the whole motion */
    else if (scalable)
        factor = sqrt(1.0 + missing / spare);
    project_combine(ws, component, factor, next, 1.0, fixed, ws->step.v1);
    return PHX_OK;
}

/* Rounding of the share of a port in the rate of a row: a pinned point is at rest by cancellation, so how
 * fast the points of its body move counts, |v| + |w| times its radius of gyration about P. */
static double share_of_port(const phx_system *system, phx_port_id id, const double *g, const double *v)
{
    const port_slot *port = &system->ports[id];
    const int dim = system->dim, n_rot = system->n_rot, n_q = port->port.point.n;
    double scale = 0.0;

    if (port->body < 0)
        return 0.0;
    const body_slot *slot = &system->bodies[port->body];
    if (port->port.place_alone)
        return 0.0; /* nothing cancels */
    static const double still[3];
    const bool turns = !phx_body_port_is_vector(slot->body, &port->port);
    const double *own = v + slot->v + port->port.frame.v, *w = turns ? own + dim : still;
    const double *q_dot = phx_sys_q_dot(slot, v);
    const double speed = sqrt(phx_dot(dim, own, own)) + sqrt(phx_dot(n_rot, w, w)) * phx_sys_radius_of_gyration(slot);
    for (int a = 0; a < dim; a++)
        scale += fabs(g[a]) * speed;
    for (int k = 0; k < n_rot; k++) {
        double theta_dot = 0.0;
        for (int j = 0; j < n_q; j++)
            theta_dot += port->port.point.theta[k * n_q + j] * q_dot[port->port.point.dof[j]];
        scale += fabs(g[dim + k] * w[k]) + fabs(g[dim + n_rot + k] * theta_dot);
    }
    return scale;
}

static double rounding(const workspace *ws, int k, const double *v)
{
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;
    const double scale = fabs(ws->rows.w[k]) + share_of_port(ws->system, ws->rows.row[k].a, g, v) +
                         share_of_port(ws->system, ws->rows.row[k].b, g + PHX_PORT_MAX, v);

    return ROUNDED * DBL_EPSILON * scale + DBL_MIN;
}

/* Which components ask to be corrected: those with a residual above rounding. */
static void find_moved(workspace *ws, const double *v, const double *e)
{
    const phx_system *system = ws->system;
    int missing = system->components.n;

    memset(ws->projection.moved, 0, (size_t)system->components.n * sizeof *ws->projection.moved);
    for (int k = 0; k < ws->rows.n && missing > 0; k++) {
        bool *moved = &ws->projection.moved[system->rows.slot[ws->rows.index[k]].component];
        if (*moved || fabs(e[k]) <= rounding(ws, k, v))
            continue;
        *moved = true;
        missing--;
    }
}

/* The work of the drives, theory 5 (2), how much work of theirs the size of the step does not bound, and the energy
 * that the other rows take, for each component:  T(v + dv) - T(v) = mu.(G v + 1/2 G dv) = mu.(w + 1/2 e). */
static void drive_work(workspace *ws, const double *dv, const double *e)
{
    const phx_system *system = ws->system;
    const size_t bytes = (size_t)system->components.n * sizeof *ws->projection.supply;

    memset(ws->projection.supply, 0, bytes);
    memset(ws->projection.signal_work, 0, bytes);
    memset(ws->projection.taken, 0, bytes);
    for (int k = 0; k < ws->rows.n;) {
        const int component = system->rows.slot[ws->rows.index[k]].component;
        double taken = 0.0;
        for (; k < ws->rows.n && system->rows.slot[ws->rows.index[k]].component == component; k++)
            if (!ws->rows.row[k].speed)
                taken -= 0.5 * dv[ws->kkt.n_v + k] * e[k];
        ws->projection.taken[component] += taken;
    }
    for (int i = 0; i < ws->rows.n_driven; i++) {
        const int k = ws->rows.driven[i], component = system->rows.slot[ws->rows.index[k]].component;
        const double impulse = dv[ws->kkt.n_v + k];
        ws->projection.supply[component] += impulse * (ws->rows.w[k] + 0.5 * e[k]);
        /* between its mean and its end a signal may do what it likes, at any step */
        ws->projection.signal_work[component] += fabs(impulse * e[k]);
    }
}

/* 1/2 w^T S^-1 w of each component (theory 5 (3)); drive: the solution for w. */
static void prescribed_energies(workspace *ws, const double *drive)
{
    const phx_system *system = ws->system;

    memset(ws->projection.prescribed, 0, (size_t)system->components.n * sizeof *ws->projection.prescribed);
    for (int k = 0; k < ws->rows.n; k++)
        ws->projection.prescribed[system->rows.slot[ws->rows.index[k]].component] +=
            0.5 * ws->rows.w[k] * drive[ws->kkt.n_v + k];
}

/* Kinetic energies of the components that are corrected; `energies`: those of the bodies are there. */
static void find_energies(workspace *ws, const correction *step, bool energies)
{
    const phx_system *system = ws->system;

    for (int c = 0; c < system->components.n; c++) {
        ws->projection.before[c] = 0.0;
        for (int i = 0; i < system->components.slot[c].count && energies; i++)
            ws->projection.before[c] +=
                ws->bodies.energy[system->components.bodies[system->components.slot[c].first + i]];
    }
    for (int c = 0; c < system->components.n && !energies; c++)
        if (ws->projection.moved[c] || (step->interval && system->components.slot[c].free))
            ws->projection.before[c] = project_kinetic(ws, &system->components.slot[c], step->x, step->v);
}

/* Each component by itself: its joints, and its momenta where it is free. */
static phx_status correct_components(workspace *ws, const correction *step)
{
    const phx_system *system = ws->system;
    const int per = system->dim + system->n_rot;
    phx_status status = PHX_OK;

    for (int c = 0; c < system->components.n && !status; c++) {
        const bool keep = step->interval && system->components.slot[c].free;
        double wanted[PER] = {0};
        for (int i = 0; i < per; i++)
            wanted[i] = ws->projection.momentum0[c * per + i] + ws->projection.impulse[c * per + i];
        ws->projection.kept[c] = keep;
        memcpy(ws->projection.momentum1 + c * per, wanted, (size_t)per * sizeof *wanted);
        if (keep || ws->projection.moved[c])
            status = project_correct(ws, c, step, keep ? per : 0, wanted);
    }
    return status;
}

/* Makes v satisfy G v = w(t) by impulses of the joints, v <- v - M^-1 G^T S^-1 (G v - w), without restoring the energy.
 * *work receives the work of the drives and the energy lost. */
phx_status phx_sys_impulse(workspace *ws, double t, const double *x, double *v, phx_work *work)
{
    const phx_system *system = ws->system;
    double *e = ws->scratch.multipliers, *dv = ws->scratch.vector[0];
    bool energies = false;

    *work = (phx_work){0.0, 0.0};
    ws->by->row_residuals(ws, t, x, v, e);
    phx_status status = ws->by->factor_rows(ws, x, v, &energies);
    if (!status)
        status = ws->by->solve_rows(ws, -1.0, e, dv);
    if (status)
        return status;
    drive_work(ws, dv, e);
    for (int c = 0; c < system->components.n; c++) {
        work->supplied += ws->projection.supply[c];
        work->dissipated += ws->projection.taken[c];
    }
    for (int i = 0; i < system->n_v; i++)
        v[i] += dv[i];
    return PHX_OK;
}

/* Projects v1 on G v1 = w(t1) with the energy balance and, in free components, the momenta restored, theory 5 (1) to
 * (3). Adds mu/h to lambda and the drives' work to *work. With may_reject a correction that is too large returns an
 * error status and leaves v1 unchanged. */
phx_status phx_sys_op_project(phx_dae *dae, double t1, double h, bool interval, bool may_reject, const double *x1,
                              double *v1, double *lambda, phx_work *work)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    const int n_v = system->n_v;
    double *e = ws->scratch.multipliers, *dv = ws->scratch.vector[0], *drive = ws->scratch.vector[1];
    bool any = false, joints = false, drives = false, energies = false;
    phx_status status = PHX_OK;

    *work = (phx_work){0.0, 0.0};
    status = phx_system_check_places(&ws->base, t1, h, x1, v1);
    if (status)
        return status;
    phx_sys_ledger_nothing(ws);
    if (interval && system->components.any_free)
        phx_sys_impulses(ws);
    ws->by->row_residuals(ws, t1, x1, v1, e);
    if (ws->by->viewed_end)
        ws->by->viewed_end(ws, x1);
    find_moved(ws, v1, e);
    for (int c = 0; c < system->components.n; c++) {
        joints = joints || ws->projection.moved[c];
        any = any || ws->projection.moved[c] || (interval && system->components.slot[c].free);
        drives = drives || system->components.slot[c].driven;
    }
    phx_sys_rubbing_project(ws, NULL, h);
    if (!any)
        return PHX_OK;
    if (!joints)
        memset(dv, 0, (size_t)ws->kkt.n * sizeof *dv);
    if (joints) {
        /* theory 5 (1): mu = -S^-1 e, dv = M^-1 G^T mu */
        status = ws->by->factor_rows(ws, x1, v1, &energies);
        if (!status)
            status = ws->by->solve_rows(ws, -1.0, e, dv);
        /* theory 5 (3): M^-1 G^T S^-1 w, the part of the velocity that the drives prescribe */
        if (!status && drives)
            status = ws->by->solve_rows(ws, 1.0, ws->rows.w, drive);
        if (!status && drives)
            prescribed_energies(ws, drive);
    }
    drive_work(ws, dv, e);
    memcpy(ws->step.v1, v1, (size_t)n_v * sizeof *v1);
    const correction step = {.h = h,
                             .interval = interval,
                             .may_reject = may_reject,
                             .x = x1,
                             .v = v1,
                             .dv = dv,
                             .drive = drives && joints ? drive : NULL};
    find_energies(ws, &step, energies);
    if (!status)
        status = correct_components(ws, &step);
    if (status)
        return status;
    memcpy(v1, ws->step.v1, (size_t)n_v * sizeof *v1);
    for (int c = 0; c < system->components.n; c++)
        work->supplied += ws->projection.supply[c];
    if (ws->base.n_parts > 0)
        phx_sys_ledger_project(ws, dv, e);
    phx_sys_input_project(ws, dv);
    for (int k = 0; k < ws->rows.n && h != 0.0; k++)
        lambda[k] += dv[n_v + k] / h;
    phx_sys_rubbing_project(ws, dv + n_v, h);
    return PHX_OK;
}
