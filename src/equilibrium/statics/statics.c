/* The search for an equilibrium: its data, residuals and scales. */
#include "statics.h"

#include <float.h>
#include <math.h>
#include <string.h>

static phx_status create_vectors(const phx_dae *dae, statics_vectors *made)
{
    const size_t n_l = (size_t)dae->n_l, n = (size_t)dae->n_v + n_l, n_x = (size_t)dae->n_x;
    const phx_array arrays[] = {{&made->zero, n},    {&made->res, n},      {&made->step, n},
                                {&made->other, n},   {&made->res_try, n},  {&made->lambda_try, n_l},
                                {&made->x_try, n_x}, {&made->x_kept, n_x}, {&made->lambda_kept, n_l}};

    return phx_arrays_create(dae->context, sizeof arrays / sizeof *arrays, arrays);
}

static void free_vectors(statics_vectors *of)
{
    double *arrays[] = {of->zero,  of->res,        of->step,   of->other,      of->res_try,
                        of->x_try, of->lambda_try, of->x_kept, of->lambda_kept};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
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
    const size_t n_v = (size_t)s->e.n_v, nnz = (size_t)s->e.ptr[s->e.n];
    const phx_array arrays[] = {{&s->problem.target, (size_t)s->e.n_l},
                                {&s->scale.force, n_v},
                                {&s->scale.turning, n_v},
                                {&s->tangent.val, nnz},
                                {&s->tangent.symmetric, nnz}};
    const phx_status status = phx_arrays_create(s->context, sizeof arrays / sizeof *arrays, arrays);

    return status ? status : create_vectors(s->dae, &s->vectors);
}

void phx_statics_free(statics *s)
{
    if (s->dae)
        phx_system_set_load(s->dae, 1.0);
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
    phx_system_set_load(s->dae, load);
}

/* Joint residuals at x, all ports viewed there. */
static double joint_residuals(const statics *s, double *out)
{
    return phx_system_row_residuals(s->dae, s->scale.size, s->problem.target, out);
}

double phx_statics_joint_residual(statics *s, const double *x, double *out)
{
    phx_system_view(s->dae, x, s->vectors.zero);
    return joint_residuals(s, out);
}

/* Residual at rest, the largest unbalanced force relative to the loads, and the largest open joint relative to the
 * size. */
phx_status phx_statics_residual(statics *s, const double *x, const double *lambda, double *res, double *unbalanced,
                                double *joint_residual)
{
    const int n_v = s->e.n_v;
    const phx_status status =
        s->dae->ops->residual(s->dae, s->problem.t, x, s->vectors.zero, s->vectors.zero, lambda, res);

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

/* largest/n of each of the n directions among the vectors of a body. */
static void put_directions(statics *s, int b, double largest)
{
    const phx_placed_body placed = phx_system_placed(s->system, b);
    int q_v, directions = 0;
    const int n_q = phx_body_coordinates(placed.body, NULL, &q_v);

    for (int i = 0; i < n_q; i += 3)
        directions += phx_body_is_direction(placed.body, i);
    for (int i = 0; i < n_q; i++)
        if (phx_body_is_direction(placed.body, i))
            s->scale.turning[placed.v + q_v + i] = largest / directions;
}

/* m/n k^2 of each of n frames, k the largest radius of gyration of the body, and of directions, whose lengths are far
 * stiffer than the body; m of places along it, which have no mass. */
static void put_turning(statics *s)
{
    const phx_system *system = s->system;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_mass_properties *rest = phx_body_at_rest(phx_system_body(system, b));
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(phx_system_body(system, b), &frames);
        double largest = 0.0;
        for (int k = 0; k < s->n_rot; k++)
            largest = fmax(largest, rest->J0[k]);
        for (int f = 0; f < n_frames; f++)
            for (int k = 0; k < s->n_rot; k++)
                s->scale.turning[phx_system_placed(system, b).v + frames[f].v + s->dim + k] = largest / n_frames;
        put_directions(s, b, largest);
        int place, n_places = phx_body_places(phx_system_body(system, b), NULL, &place);
        for (int k = 0; k < n_places; k++) { /* of a wheel by the coordinate that it follows */
            const double gear = phx_body_wheel_gear(phx_system_body(system, b), k + 1);
            s->scale.turning[phx_system_placed(system, b).v + place + k] =
                rest->mass * (gear == 0.0 ? 1.0 : gear * gear);
        }
    }
}

/* Scale of the generalised forces f, N: F_i = f_i sqrt(m/W_ii) does the same work along a displacement of the body
 * whose root mean square is 1 m. A torque is divided by the radius of gyration. */
static phx_status measure_forces(statics *s, const double *x)
{
    static const double ROUNDING = 1e-15; /* of the largest K_ii/W_ii */
    const phx_status status = phx_statics_linearise(s, x, s->vectors.zero + s->e.n_v);
    double highest = 0.0;

    put_turning(s);
    for (int b = 0, i = 0; b < phx_system_bodies(s->system) && !status; b++) {
        const double mass = phx_body_at_rest(phx_system_body(s->system, b))->mass;
        for (; i < phx_system_placed(s->system, b).v + phx_body_n_v(phx_system_body(s->system, b)); i++)
            for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++)
                if (s->e.idx[k] == i && s->e.M[k] + s->scale.turning[i] > 0.0) {
                    const double inertia = s->e.M[k] + s->scale.turning[i];
                    s->scale.force[i] = sqrt(mass / inertia);
                    highest = fmax(highest, fabs(s->e.K[k]) / inertia);
                }
    }
    s->scale.rounding = ROUNDING * highest;
    return status;
}

/* Rounding error of the forces, N, by that of places (relative to the size) and attitudes of frames:
 * max_i F_i sum_j |K_ij| eps d_j; after a linearisation. */
static double rounding_of_forces(const statics *s)
{
    double *sizes = s->vectors.other, worst = 0.0;

    memset(sizes, 0, (size_t)s->e.n * sizeof *sizes);
    for (int b = 0; b < phx_system_bodies(s->system); b++) {
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(phx_system_body(s->system, b), &frames);
        for (int f = 0; f < n_frames; f++)
            for (int a = 0; a < s->dim + s->n_rot; a++)
                sizes[phx_system_placed(s->system, b).v + frames[f].v + a] =
                    DBL_EPSILON * (a < s->dim ? s->scale.size : 1.0);
        int q_v, n_q = phx_body_coordinates(phx_system_body(s->system, b), NULL, &q_v);
        for (int i = 0; i < n_q && phx_body_vectors(phx_system_body(s->system, b)); i++)
            sizes[phx_system_placed(s->system, b).v + q_v + i] = DBL_EPSILON * s->scale.size;
    }
    for (int i = 0; i < s->e.n_v; i++) {
        double sum = 0.0;
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++)
            if (s->e.idx[k] < s->e.n_v)
                sum += fabs(s->e.K[k]) * sizes[s->e.idx[k]];
        worst = fmax(worst, s->scale.force[i] * sum);
    }
    return worst;
}

/* The largest of the distributed forces on the coordinates of a deformation, N: a temperature has no resultant. */
static double pull_of_coordinates(const statics *s, int b)
{
    const phx_placed_body placed = phx_system_placed(s->system, b);
    const double *f = phx_placed_q_dot(&placed, s->vectors.other);
    double most = 0.0;

    for (int i = 0; i < phx_body_n_q(placed.body); i++)
        most = fmax(most, s->scale.force[f - s->vectors.other + i] * fabs(f[i]));
    return most;
}

/* Weights, forces at ports and distributed ones; torques over the size. */
static phx_status statics_weigh(statics *s, const double *x)
{
    const phx_system *system = s->system;
    const int dim = s->dim;

    s->scale.mass = 0.0;
    for (int b = 0; b < phx_system_bodies(system); b++)
        s->scale.mass += phx_body_at_rest(phx_system_body(system, b))->mass;
    s->scale.weight = s->scale.mass * phx_system_gravity(system);
    phx_system_view(s->dae, x, s->vectors.zero);
    memset(s->vectors.other, 0, (size_t)s->e.n * sizeof *s->vectors.other);
    const phx_status status = phx_system_efforts(s->dae, s->problem.t, s->vectors.other);
    for (int i = 0; i < phx_system_port_count(system) && !status; i++) {
        const double *effort = s->e.effort + (size_t)i * PHX_PORT_MAX;
        for (int a = 0; a < phx_port_size(dim); a++)
            s->scale.weight += a < dim ? fabs(effort[a]) : fabs(effort[a]) / s->scale.size;
    }
    for (int b = 0; b < phx_system_bodies(system) && !status; b++) {
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(phx_system_body(system, b), &frames);
        double resultant = 0.0;
        for (int f = 0; f < n_frames; f++)
            for (int a = 0; a < dim; a++)
                resultant += fabs(s->vectors.other[phx_system_placed(system, b).v + frames[f].v + a]);
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
    const phx_system *system = phx_system_of(dae);
    const int dim = phx_system_dim(system);

    *s = (statics){.dae = dae,
                   .e = phx_system_equations(dae),
                   .system = system,
                   .context = dae->context,
                   .dim = dim,
                   .n_rot = phx_rotations(dim),
                   .problem.t = t,
                   .problem.load = 1.0,
                   .rest = phx_system_rest_states(dae)};
    phx_status status = statics_allocate(s);
    if (status)
        return status;
    phx_system_view(s->dae, x, s->vectors.zero);
    s->scale.size = phx_system_size(s->dae);
    joint_residuals(s, s->vectors.res);
    for (int k = 0; k < s->e.n_l; k++)
        if (phx_system_row(dae, k).driven)
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
    if (s->rest.on && !status) { /* as springs over a long time they are stiff */
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
    memmove(x1, x, (size_t)s->dae->n_x * sizeof *x);
    for (int b = 0; b < phx_system_bodies(s->system); b++) {
        const phx_placed_body placed = phx_system_placed(s->system, b);
        phx_body_displace(placed.body, factor, xi + placed.v, x1 + placed.x);
    }
}

/* The root mean square displacement by one coordinate of the deformation, the largest of them; s->scale.force is 1 over
 * that of the coordinate 1, and 0 where it has no mass. */
static double largest_deformation(const statics *s, int b, const double *xi)
{
    const phx_placed_body placed = phx_system_placed(s->system, b);
    const double *q = phx_placed_q_dot(&placed, xi), *force = s->scale.force + (q - xi);
    double largest = 0.0;

    for (int i = 0; i < phx_body_n_q(placed.body); i++) {
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

    for (int b = 0; b < phx_system_bodies(s->system); b++) {
        largest = fmax(largest, largest_deformation(s, b, xi) / s->scale.size);
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(phx_system_body(s->system, b), &frames);
        for (int f = 0; f < n_frames; f++) {
            const double *d = xi + phx_system_placed(s->system, b).v + frames[f].v;
            for (int a = 0; a < s->dim + s->n_rot; a++) {
                const double part = fabs(d[a]) / (a < s->dim ? s->scale.size : 1.0);
                largest = isnan(part) ? HUGE_VAL : fmax(largest, part);
            }
        }
    }
    return largest;
}

void phx_statics_count(const statics *s, double *x)
{
    s->dae->ops->count(s->dae, x);
}
