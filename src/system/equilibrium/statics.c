/* The search for an equilibrium: its data, residuals and scales. */
#include "statics.h"

#include <float.h>
#include <math.h>
#include <string.h>

static phx_status create_vectors(phx_context *context, const workspace *ws, statics_vectors *made)
{
    const size_t n = (size_t)ws->kkt.n, n_x = (size_t)ws->system->n_x, n_l = (size_t)ws->rows.n;
    const phx_sys_array arrays[] = {{&made->zero, n},    {&made->res, n},      {&made->step, n},
                                    {&made->other, n},   {&made->res_try, n},  {&made->lambda_try, n_l},
                                    {&made->x_try, n_x}, {&made->x_kept, n_x}, {&made->lambda_kept, n_l}};

    return phx_sys_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

static void free_vectors(statics_vectors *of)
{
    double *arrays[] = {of->zero,  of->res,        of->step,   of->other,      of->res_try,
                        of->x_try, of->lambda_try, of->x_kept, of->lambda_kept};

    phx_sys_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

static void free_tangent(statics_tangent *tangent)
{
    int *lists[] = {tangent->ptr, tangent->idx, tangent->one, tangent->two};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        phx_free(lists[i]);
    phx_free(tangent->val);
    phx_free(tangent->symmetric);
    phx_lu_destroy(tangent->lu);
    phx_ldl_destroy(tangent->ldl);
}

static phx_status statics_allocate(statics *s)
{
    const workspace *ws = s->ws;
    const size_t n_v = (size_t)ws->kkt.n_v, nnz = (size_t)ws->kkt.ptr[ws->kkt.n];
    const phx_sys_array arrays[] = {{&s->problem.target, (size_t)ws->rows.n},
                                    {&s->scale.force, n_v},
                                    {&s->scale.turning, n_v},
                                    {&s->tangent.val, nnz},
                                    {&s->tangent.symmetric, nnz}};
    const phx_status status = phx_sys_arrays_create(s->context, sizeof arrays / sizeof *arrays, arrays);

    return status ? status : create_vectors(s->context, ws, &s->vectors);
}

void phx_statics_free(statics *s)
{
    if (s->system) {
        memcpy(s->system->gravity, s->problem.gravity, sizeof s->problem.gravity);
        s->ws->forces.load = 1.0;
    }
    free_tangent(&s->tangent);
    free_vectors(&s->vectors);
    phx_free(s->scale.force);
    phx_free(s->scale.turning);
    phx_free(s->problem.target);
    *s = (statics){0};
}

void phx_statics_set_load(statics *s, double load)
{
    s->problem.load = load;
    s->ws->forces.load = load;
    for (int a = 0; a < s->system->dim; a++)
        s->system->gravity[a] = load * s->problem.gravity[a];
}

/* Joint residuals at x, all ports viewed there. */
static double joint_residuals(const statics *s, double *out)
{
    const workspace *ws = s->ws;
    double worst = 0.0;

    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &s->system->rows.slot[ws->rows.index[k]];
        out[k] = phx_row_value(slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], 1) - s->problem.target[k];
        worst = fmax(worst, fabs(out[k]) / (slot->row->angular ? 1.0 : s->scale.size));
    }
    return worst;
}

double phx_statics_joint_residual(statics *s, const double *x, double *out)
{
    phx_sys_set_instant(s->ws, x, s->vectors.zero);
    return joint_residuals(s, out);
}

/* Residual at rest, the largest unbalanced force relative to the loads, and the largest open joint relative to the
 * size. */
phx_status phx_statics_residual(statics *s, const double *x, const double *lambda, double *res, double *unbalanced,
                                double *joint_residual)
{
    workspace *ws = s->ws;
    const int n_v = ws->kkt.n_v;
    const phx_status status =
        ws->base.ops->residual(&ws->base, s->problem.t, x, s->vectors.zero, s->vectors.zero, lambda, res);

    if (status)
        return status;
    *joint_residual = joint_residuals(s, res + n_v);
    *unbalanced = 0.0;
    for (int i = 0; i < n_v; i++) {
        const double size = s->scale.force[i] * fabs(res[i]);
        *unbalanced = isnan(size) ? HUGE_VAL : fmax(*unbalanced, size);
    }
    *unbalanced /= s->scale.weight;
    return PHX_OK;
}

/* m/n k^2 of each of n frames, k the largest radius of gyration of the body; m of places along it, which have no mass.
 */
static void put_turning(statics *s)
{
    const phx_system *system = s->system;

    for (int b = 0; b < system->n_bodies; b++) {
        const phx_mass_properties *rest = phx_body_at_rest(system->bodies[b].body);
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(system->bodies[b].body, &frames);
        double largest = 0.0;
        for (int k = 0; k < system->n_rot; k++)
            largest = fmax(largest, rest->J0[k]);
        for (int f = 0; f < n_frames; f++)
            for (int k = 0; k < system->n_rot; k++)
                s->scale.turning[system->bodies[b].v + frames[f].v + system->dim + k] = largest / n_frames;
        int place, n_places = phx_body_places(system->bodies[b].body, NULL, &place);
        for (int k = 0; k < n_places; k++)
            s->scale.turning[system->bodies[b].v + place + k] = rest->mass;
    }
}

/* Scale of the generalised forces f, N: F_i = f_i sqrt(m/W_ii) does the same work along a displacement of the body
 * whose root mean square is 1 m. A torque is divided by the radius of gyration. */
static phx_status measure_forces(statics *s, const double *x)
{
    static const double ROUNDING = 1e-15; /* of the largest K_ii/W_ii */
    const workspace *ws = s->ws;
    const phx_status status = phx_statics_linearise(s, x, s->vectors.zero + ws->kkt.n_v);
    double highest = 0.0;

    put_turning(s);
    for (int b = 0, i = 0; b < s->system->n_bodies && !status; b++) {
        const double mass = phx_body_at_rest(s->system->bodies[b].body)->mass;
        for (; i < s->system->bodies[b].v + phx_body_n_v(s->system->bodies[b].body); i++)
            for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1]; k++)
                if (ws->kkt.idx[k] == i && ws->values.M[k] + s->scale.turning[i] > 0.0) {
                    const double inertia = ws->values.M[k] + s->scale.turning[i];
                    s->scale.force[i] = sqrt(mass / inertia);
                    highest = fmax(highest, fabs(ws->values.K[k]) / inertia);
                }
    }
    s->scale.rounding = ROUNDING * highest;
    return status;
}

/* Rounding error of the forces, N, by that of places (relative to the size) and attitudes of frames:
 * max_i F_i sum_j |K_ij| eps d_j; after a linearisation. */
static double rounding_of_forces(const statics *s)
{
    const kkt_matrix *kkt = &s->ws->kkt;
    double *sizes = s->vectors.other, worst = 0.0;

    memset(sizes, 0, (size_t)kkt->n * sizeof *sizes);
    for (int b = 0; b < s->system->n_bodies; b++) {
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(s->system->bodies[b].body, &frames);
        for (int f = 0; f < n_frames; f++)
            for (int a = 0; a < s->system->dim + s->system->n_rot; a++)
                sizes[s->system->bodies[b].v + frames[f].v + a] =
                    DBL_EPSILON * (a < s->system->dim ? s->scale.size : 1.0);
    }
    for (int i = 0; i < kkt->n_v; i++) {
        double sum = 0.0;
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            if (kkt->idx[k] < kkt->n_v)
                sum += fabs(s->ws->values.K[k]) * sizes[kkt->idx[k]];
        worst = fmax(worst, s->scale.force[i] * sum);
    }
    return worst;
}

/* The largest of the distributed forces on the coordinates of a deformation, N: a temperature has no resultant. */
static double pull_of_coordinates(const statics *s, int b)
{
    const body_slot *slot = &s->system->bodies[b];
    const double *f = phx_sys_q_dot(slot, s->vectors.other);
    double most = 0.0;

    for (int i = 0; i < phx_body_n_q(slot->body); i++)
        most = fmax(most, s->scale.force[f - s->vectors.other + i] * fabs(f[i]));
    return most;
}

/* Weights, forces at ports and distributed ones; torques over the size. */
static phx_status statics_weigh(statics *s, const double *x)
{
    workspace *ws = s->ws;
    const phx_system *system = s->system;
    const int dim = system->dim;
    double g = 0.0;

    s->scale.mass = 0.0;
    for (int b = 0; b < system->n_bodies; b++)
        s->scale.mass += phx_body_at_rest(system->bodies[b].body)->mass;
    for (int a = 0; a < dim; a++)
        g = hypot(g, s->problem.gravity[a]);
    s->scale.weight = s->scale.mass * g;
    phx_sys_set_instant(ws, x, s->vectors.zero);
    memset(s->vectors.other, 0, (size_t)ws->kkt.n * sizeof *s->vectors.other);
    const phx_status status = phx_sys_forces(ws, s->problem.t, false, s->vectors.other);
    for (int i = 0; i < system->n_ports && !status; i++) {
        const double *effort = ws->ports.effort + (size_t)i * PHX_PORT_MAX;
        for (int a = 0; a < phx_port_size(dim); a++)
            s->scale.weight += a < dim ? fabs(effort[a]) : fabs(effort[a]) / s->scale.size;
    }
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(system->bodies[b].body, &frames);
        double resultant = 0.0;
        for (int f = 0; f < n_frames; f++)
            for (int a = 0; a < dim; a++)
                resultant += fabs(s->vectors.other[system->bodies[b].v + frames[f].v + a]);
        s->scale.weight += fmax(resultant, pull_of_coordinates(s, b));
    }
    return status;
}

/* Prepares the search for an equilibrium at (t, x): scales of length, force and stiffness, and the forces that are
 * round-off. After an error the caller destroys s. */
phx_status phx_statics_create(phx_dae *dae, double t, const double *x, statics *s)
{
    static const double SLOWEST = 1e-6;     /* 1/s^2, where nothing pulls */
    static const double LEAST_SIGMA = 1e-8; /* parts of scale.slowest */
    static const double ENOUGH = 1e-10;     /* forces out of balance, parts of the weight */
    workspace *ws = (workspace *)dae;

    *s = (statics){.ws = ws,
                   .system = ws->system,
                   .context = dae->context,
                   .problem.t = t,
                   .problem.load = 1.0,
                   .loop = ws->control.rest.on};
    memcpy(s->problem.gravity, ws->system->gravity, sizeof s->problem.gravity);
    phx_status status = statics_allocate(s);
    if (status)
        return status;
    phx_sys_set_instant(ws, x, s->vectors.zero);
    s->scale.size = phx_sys_size(ws);
    joint_residuals(s, s->vectors.res);
    for (int k = 0; k < ws->rows.n; k++)
        if (s->system->rows.slot[ws->rows.index[k]].role == ROW_DRIVEN)
            s->problem.target[k] = s->vectors.res[k];
    status = measure_forces(s, x);
    double rounding = status ? 0.0 : rounding_of_forces(s);
    if (!status)
        status = statics_weigh(s, x);
    s->scale.slowest = s->scale.weight / (s->scale.mass * s->scale.size);
    s->scale.pulled = s->scale.weight > 0.0;
    if (!s->scale.pulled) {
        s->scale.weight = 1.0;
        s->scale.slowest = fmax(1e6 * s->scale.rounding, SLOWEST);
    }
    if (s->loop && !status) { /* as springs over a long time they are stiff */
        phx_statics_lengthen(s, x);
        status = measure_forces(s, x);
        rounding = status ? 0.0 : rounding_of_forces(s);
    }
    s->scale.rounding = fmax(s->scale.rounding, LEAST_SIGMA * s->scale.slowest);
    s->scale.enough = fmax(ENOUGH, rounding / s->scale.weight);
    return status;
}

void phx_statics_displace(const statics *s, const double *x, double factor, const double *xi, double *x1)
{
    memmove(x1, x, (size_t)s->system->n_x * sizeof *x);
    for (int b = 0; b < s->system->n_bodies; b++) {
        const body_slot *slot = &s->system->bodies[b];
        phx_body_displace(slot->body, factor, xi + slot->v, x1 + slot->x);
    }
}

/* The root mean square displacement by one coordinate of the deformation, the largest of them; s->scale.force is 1 over
 * that of the coordinate 1, and 0 where it has no mass. */
static double largest_deformation(const statics *s, int b, const double *xi)
{
    const body_slot *slot = &s->system->bodies[b];
    const double *q = phx_sys_q_dot(slot, xi), *force = s->scale.force + (q - xi);
    double largest = 0.0;

    for (int i = 0; i < phx_body_n_q(slot->body); i++) {
        const double move = force[i] > 0.0 ? fabs(q[i]) / force[i] : 0.0;
        largest = isnan(move) ? HUGE_VAL : fmax(largest, move);
    }
    return largest;
}

/* Largest move of a correction: translations and deformations relative to the size, rotations in rad; HUGE_VAL if it is
 * not a number. */
double phx_statics_largest_move(const statics *s, const double *xi)
{
    double largest = 0.0;

    for (int b = 0; b < s->system->n_bodies; b++) {
        largest = fmax(largest, largest_deformation(s, b, xi) / s->scale.size);
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(s->system->bodies[b].body, &frames);
        for (int f = 0; f < n_frames; f++) {
            const double *d = xi + s->system->bodies[b].v + frames[f].v;
            for (int a = 0; a < s->system->dim + s->system->n_rot; a++) {
                const double part = fabs(d[a]) / (a < s->system->dim ? s->scale.size : 1.0);
                largest = isnan(part) ? HUGE_VAL : fmax(largest, part);
            }
        }
    }
    return largest;
}

void phx_statics_count(const statics *s, double *x)
{
    s->ws->base.ops->count(&s->ws->base, x);
}
