/* The structure certificate: what must be exactly true of a system, measured on random states. */
#include "system/forces/forces.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double NOT_ZERO = 1e-300; /* least divisor: zero over zero is zero */

enum { STATES = 100, FEW_STATES = 4 };

/* How many random states the certificate takes: fewer of a large system, whose many equations are as many tries. */
static int states_of(const phx_system *system)
{
    const long work = 2000000L;
    const long fitting = work / (system->n_v > 0 ? system->n_v : 1);
    return fitting >= STATES ? STATES : fitting < FEW_STATES ? FEW_STATES : (int)fitting;
}

/* Reproducible numbers in -1 ... 1 (xorshift64*). */
static double number(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)((*seed * 2685821657736338717ULL) >> 11) / 4503599627370496.0 - 1.0;
}

/* Coordinates by `size`, and the frames behind the first by as much. */
static void deform(const phx_body *body, double size, uint64_t *seed, double *x)
{
    const phx_body_frame *frames;
    const int n_frames = phx_body_frames(body, &frames), rigid = phx_body_dim(body) == 2 ? 3 : 6;
    int q_x, n_q = phx_body_coordinates(body, &q_x, NULL);
    double *xi = NULL;

    for (int i = 0; i < n_q; i++)
        x[q_x + i] = (phx_body_vectors(body) ? x[q_x + i] : 0.0) + size * number(seed);
    if (n_frames <= 1)
        return;
    xi = phx_calloc(NULL, (size_t)phx_body_n_v(body), sizeof *xi);
    for (int f = 1; f < n_frames && xi; f++)
        for (int c = 0; c < rigid; c++)
            xi[frames[f].v + c] = size * number(seed);
    if (xi)
        phx_body_displace(body, 1.0, xi, x);
    phx_free(xi);
}

/* A state about the given one: attitudes and places anywhere, deformations small against the body. */
static void random_state(const phx_system *system, const double *x, uint64_t *seed, double *xr, double *vr)
{
    memcpy(xr, x, (size_t)system->control.first_x * sizeof *xr);
    for (int i = system->control.first_x; i < system->n_x; i++)
        xr[i] = 0.0; /* controllers at rest: what they store is not the mechanism's */
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_mass_properties *rest = phx_body_at_rest(slot->body);
        double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, turn[3], *xb = xr + slot->x;
        double place[3] = {0};
        const double reach = sqrt(rest->J0[system->dim == 3 ? 2 : 0] / rest->mass);
        for (int a = 0; a < system->dim; a++)
            place[a] = xb[a] + number(seed);
        for (int k = 0; k < system->n_rot; k++)
            turn[k] = 3.0 * number(seed);
        if (system->dim == 3)
            phx_rot_cayley(3, R, turn, R);
        phx_body_place(slot->body, place, R, turn[0], xb);
        deform(slot->body, 0.05 * reach, seed, xb);
    }
    for (int i = 0; i < system->n_v; i++)
        vr[i] = number(seed);
}

/* dH/dt along (x_dot, v_dot) of a body that does not offer its efforts: p . v_dot and the change of the energies along
 * the velocities, held, by central differences of order 6, and the size of its terms. */
static double energy_rate_by_differences(const phx_system *system, const phx_body *body, const double *x,
                                         const double *v, const double *v_dot, double *room, double *scale)
{
    const double step = 5e-4;
    double *p = room, *moved = p + phx_body_n_v(body), sum = 0.0;

    phx_body_momenta(body, x, v, p);
    for (int i = 0; i < phx_body_n_v(body); i++) {
        sum += p[i] * v_dot[i];
        *scale += fabs(p[i] * v_dot[i]);
    }
    for (int k = 0; k < PHX_DIFFERENCE_PLACES; k++) {
        memcpy(moved, x, (size_t)phx_body_n_x(body) * sizeof *moved);
        phx_body_displace(body, phx_difference_place[k] * step, v, moved);
        const double energy = phx_body_kinetic(body, moved, v) + phx_body_elastic(body, moved) +
                              phx_body_potential(body, system->gravity, moved);
        sum += phx_difference_weight[k] * energy / step;
        *scale += fabs(energy);
    }
    return sum;
}

/* dT/dq . q_dot at fixed velocities: T is a quadratic polynomial of q, so a central difference is exact. */
static double kinetic_slope(const phx_system *system, const phx_body *body, const double *x, const double *v,
                            double *moved)
{
    const int at_q = system->dim + phx_attitude_size(system->dim), n_q = phx_body_n_q(body);
    const double *q_dot = v + system->dim + system->n_rot, step = 0.1;
    double energy[2];

    memcpy(moved, x, (size_t)phx_body_n_x(body) * sizeof *moved);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n_q; i++)
            moved[at_q + i] = x[at_q + i] + (side ? step : -step) * q_dot[i];
        energy[side] = phx_body_kinetic(body, moved, v);
    }
    return (energy[1] - energy[0]) / (2.0 * step);
}

/* Numbers of `room` that a body needs in energy_rate. */
static int energy_room(const phx_body *body)
{
    return 2 * phx_body_n_v(body) + phx_body_structure_size(body) + 2 * phx_body_n_x(body);
}

/* dH/dt along (x_dot, v_dot): p . v_dot + dT/dq . q_dot + dV/dx . x_dot, and the size of its terms; dV/dx are the
 * efforts at rest. */
static double verify_energy_rate(const phx_system *system, int b, const double *x, const double *v, const double *v_dot,
                                 double *room, double *scale)
{
    const phx_body *body = system->bodies[b].body;
    if (phx_body_structure_size(body) == 0)
        return energy_rate_by_differences(system, body, x, v, v_dot, room, scale);
    const int dim = system->dim, n_v = phx_body_n_v(body), n_q = phx_body_n_q(body);
    double *p = room, *rest = p + n_v, *z = rest + n_v, *rate = z + phx_body_structure_size(body);
    double R_dot[9], sum = kinetic_slope(system, body, x, v, rate + phx_body_n_x(body));

    *scale += fabs(sum);
    memset(rest, 0, (size_t)n_v * sizeof *rest);
    phx_body_momenta(body, x, v, p);
    phx_body_efforts(body, PHX_STRUCTURE_MODIFIED, system->gravity, x, rest, z);
    phx_body_rates(body, x, v, rate);
    phx_attitude_rotation(dim, rate + dim, R_dot);
    for (int i = 0; i < n_v; i++) {
        sum += p[i] * v_dot[i];
        *scale += fabs(p[i] * v_dot[i]);
    }
    for (int i = 0; i < dim; i++)
        sum += z[i] * rate[i];
    for (int i = 0; i < dim * dim; i++)
        sum += z[dim + i] * R_dot[i];
    for (int i = 0; i < n_q; i++) {
        sum += z[dim + dim * dim + i] * v[dim + system->n_rot + i];
        *scale += fabs(z[dim + dim * dim + i] * v[dim + system->n_rot + i]);
    }
    return sum;
}

/* Rate of the springs' energy, from lengths and coordinates. */
static double spring_rate(const workspace *ws, double *scale)
{
    double sum = 0.0;

    for (int i = 0; i < ws->system->n_forces; i++) {
        const force_slot *force = &ws->system->forces[i];
        const force_operations *of = phx_sys_force_of(force);
        const double rate = of->energy_rate ? of->energy_rate(ws, force) : 0.0;
        sum += rate;
        *scale += fabs(rate);
    }
    return sum;
}

/* |H_dot - y^T u| over the size of its terms: for any acceleration the residual is the external force u that balances
 * it, and its power with those of forces and multipliers must equal the rate of the energy. */
static phx_status power_residual(workspace *ws, double t, const double *x, double *worst)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    const int n_v = system->n_v, n = ws->kkt.n;
    int largest = 0;
    uint64_t seed = 88172645463325252ULL;
    double *xr = NULL, *vr = NULL, *v_dot = NULL, *lambda = NULL, *res = NULL, *room = NULL;
    phx_status status = PHX_OK;

    for (int b = 0; b < system->n_bodies; b++) {
        const int need = energy_room(system->bodies[b].body);
        largest = need > largest ? need : largest;
    }
    room = phx_calloc(context, (size_t)(largest + system->n_x + 2 * n_v + 2 * n), sizeof *room);
    if (!room)
        return PHX_ERR_MEMORY;
    xr = room + largest;
    vr = xr + system->n_x;
    v_dot = vr + n_v;
    lambda = v_dot + n_v;
    res = lambda + n;
    *worst = 0.0;
    const int n_states = states_of(system);
    for (int state = 0; state < n_states && !status; state++) {
        double rate = 0.0, power = 0.0, scale = 0.0;
        random_state(system, x, &seed, xr, vr);
        for (int i = 0; i < n_v; i++)
            v_dot[i] = number(&seed);
        for (int k = 0; k < ws->rows.n; k++)
            lambda[k] = number(&seed);
        status = ws->base.ops->residual(&ws->base, t, xr, vr, v_dot, lambda, res);
        if (status == PHX_ERR_ANALYSIS) { /* ports of a spring met: another state */
            status = PHX_OK;
            continue;
        }
        if (status)
            break;
        power = ws->forces.power.supplied - ws->forces.power.dissipated;
        for (int i = 0; i < n_v; i++) {
            power += res[i] * vr[i];
            scale += fabs(res[i] * vr[i]);
        }
        for (int k = 0; k < ws->rows.n; k++)
            power += lambda[k] * phx_system_row_rate(&ws->base, k);
        rate = spring_rate(ws, &scale);
        for (int b = 0; b < system->n_bodies; b++)
            rate += verify_energy_rate(system, b, xr + system->bodies[b].x, vr + system->bodies[b].v,
                                       v_dot + system->bodies[b].v, room, &scale);
        *worst = fmax(*worst, fabs(rate - power) / fmax(scale, NOT_ZERO));
    }
    phx_free(room);
    return status;
}

/* Largest entry of J + J^T: the rows' blocks as stored in the linearised operator, and each body's structure matrix. */
static phx_status skew_residual(workspace *ws, double t, const double *x, double *worst)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    const kkt_matrix *kkt = &ws->kkt;
    uint64_t seed = 2463534242ULL;
    double *xr = phx_calloc(context, (size_t)(system->n_x + system->n_v), sizeof *xr);
    double *vr = xr ? xr + system->n_x : NULL;
    phx_status status = xr ? PHX_OK : PHX_ERR_MEMORY;

    *worst = 0.0;
    if (!status) {
        memset(ws->step.lambda, 0, (size_t)ws->rows.n * sizeof(double));
        memset(ws->step.vm, 0, (size_t)system->n_v * sizeof(double));
        status = ws->base.ops->linearise(&ws->base, t, x, ws->step.vm, ws->step.lambda);
    }
    for (int i = kkt->n_v; i < kkt->n && !status; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++) {
            const phx_csr whole = {kkt->n, kkt->n, kkt->ptr, kkt->idx, ws->values.D};
            const int mirror = phx_csr_find(&whole, kkt->idx[k], i);
            *worst = fmax(*worst, fabs(ws->values.D[k] + ws->values.D[mirror]));
        }
    if (!status)
        random_state(system, x, &seed, xr, vr);
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const body_slot *slot = &system->bodies[b];
        const int n = phx_body_structure_size(slot->body);
        if (n == 0 || n > 600) /* not offered, or dense; the pattern is that of the smaller ones */
            continue;
        double *J = phx_calloc(context, (size_t)n * (size_t)n, sizeof *J);
        if (!J) {
            status = PHX_ERR_MEMORY;
            break;
        }
        for (int form = PHX_STRUCTURE_CANONICAL; form <= PHX_STRUCTURE_MODIFIED; form++) {
            phx_body_structure(slot->body, (phx_structure_form)form, xr + slot->x, vr + slot->v, J);
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    *worst = fmax(*worst, fabs(J[i * n + j] + J[j * n + i]));
        }
        phx_free(J);
    }
    phx_free(xr);
    return status;
}

typedef struct mass_operator {
    phx_lu *lu;
    int n;
} mass_operator;

static phx_status apply_inverse(void *user, const double *x, double *y)
{
    const mass_operator *mass = user;
    memcpy(y, x, (size_t)mass->n * sizeof *y);
    return phx_lu_solve(mass->lu, 1, y);
}

static phx_status apply_identity(void *user, const double *x, double *y)
{
    const mass_operator *mass = user;
    memcpy(y, x, (size_t)mass->n * sizeof *y);
    return PHX_OK;
}

/* Smallest eigenvalue of a body's mass matrix, places along it with its mass in place of none: dense when it is small,
 * inverse iteration when not. */
static phx_status smallest_mass(phx_context *context, const phx_body *body, const double *x, double *M,
                                double *smallest)
{
    static const double ACCURACY = 1e-8; /* of the eigenvalue, relative */
    const int n = phx_body_n_v(body), *ptr = NULL, *idx = NULL;
    const double own = phx_body_at_rest(body)->mass;
    phx_status status = PHX_OK;
    int place;

    (void)phx_body_places(body, NULL, &place);

    if (n <= 120) {
        double *dense = phx_calloc(context, (size_t)(2 * n * n + n), sizeof *dense);
        if (!dense)
            return PHX_ERR_MEMORY;
        phx_body_mass_matrix(body, x, dense);
        for (int i = 0; i < n; i++)
            dense[n * n + i * n + i] = 1.0;
        for (int i = place; i < n; i++)
            dense[i * n + i] = own;
        status = phx_dense_eigen_symmetric(context, n, dense, dense + n * n, dense + 2 * n * n, NULL);
        *smallest = dense[2 * n * n];
        phx_free(dense);
        return status;
    }
    mass_operator mass = {NULL, n};
    const double none[3] = {0.0, 0.0, 0.0};
    double *rest = phx_calloc(context, (size_t)n, sizeof *rest);
    phx_body_pattern(body, &ptr, &idx);
    status = rest ? phx_lu_create(context, n, ptr, idx, NULL, false, &mass.lu) : PHX_ERR_MEMORY;
    if (!status) {
        phx_body_linearise(body, none, x, rest, M, NULL, NULL);
        for (int i = place; i < n; i++)
            M[ptr[i + 1] - 1] = own;
        status = phx_lu_factor(mass.lu, M, NULL);
        if (status == PHX_SINGULAR)
            status = phx_sys_blame_body(context, body, true);
    }
    if (!status)
        status =
            phx_eigen_shift_invert(context, n, 1, 0.0, apply_inverse, apply_identity, &mass, ACCURACY, smallest, NULL);
    if (status == PHX_NOT_CONVERGED || status == PHX_ERR_LIBRARY)
        status = phx_fail_prefix(context, status,
                                 "the smallest eigenvalue of the mass matrix of body '%s', asked for by inverse "
                                 "iteration; fewer elements make it easier: ",
                                 phx_body_name(body));
    phx_lu_destroy(mass.lu);
    phx_free(rest);
    return status;
}

/* Mass, centre of mass and inertia about it, inertial axes: from the momenta of unit rigid motions. */
static void mass_properties(const workspace *ws, const double *x, phx_certificate *out)
{
    const phx_system *system = ws->system;
    const int dim = system->dim, n_rot = system->n_rot;
    double moment[3], linear[3], angular[3], turn[3] = {0}, *v = ws->scratch.vector[0];

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_moment(slot->body, x + slot->x, moment);
        out->mass += phx_body_at_rest(slot->body)->mass;
        for (int a = 0; a < dim; a++)
            out->centre_of_mass[a] += moment[a];
    }
    for (int a = 0; a < dim; a++)
        out->centre_of_mass[a] /= out->mass;
    for (int k = 0; k < n_rot; k++) {
        for (int b = 0; b < system->n_bodies; b++) { /* turn about the centre of mass */
            const body_slot *slot = &system->bodies[b];
            double arm[3], velocity[3];
            for (int a = 0; a < dim; a++)
                arm[a] = x[slot->x + a] - out->centre_of_mass[a];
            turn[k] = 1.0;
            phx_rot_x_vec(dim, turn, arm, velocity);
            phx_body_rigid_velocities(slot->body, x + slot->x, velocity, turn, v + slot->v);
            turn[k] = 0.0;
            phx_body_inertial_momentum(slot->body, x + slot->x, v + slot->v, linear, angular);
            phx_vec_x_vec(dim, out->centre_of_mass, linear, velocity);
            for (int l = 0; l < n_rot; l++)
                out->inertia[l * n_rot + k] += angular[l] - velocity[l];
        }
    }
}

/* Measures the structural properties of a system on random states: skew symmetry, power balance and definiteness of the
 * mass matrices (the certificate of `phlexor check`). */
phx_status phx_system_verify_structure(phx_dae *dae, double t, const double *x, const double *v, const double *lambda,
                                       phx_certificate *out)
{
    static const double LOSSLESS = 1e-10; /* power residual, relative */

    if (!dae || !x || !v || !out)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v or certificate");
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    (void)lambda;
    memset(out, 0, sizeof *out);
    out->velocities = system->n_v;
    out->coordinates = system->dim == 2 ? system->n_v : system->n_body_x;
    out->constraints = system->rows.n_independent + system->rows.n_redundant;
    out->redundant = system->rows.n_redundant;
    out->constraint_rank = system->rows.n_independent;
    out->degrees_of_freedom = system->n_v - system->rows.n_independent;
    out->index = system->rows.n_independent > 0 ? 2 : 0;
    phx_system_energies(system, x, v, &out->energy);
    mass_properties(ws, x, out);
    status = skew_residual(ws, t, x, &out->skew_residual);
    if (!status)
        status = power_residual(ws, t, x, &out->power_residual);
    out->smallest_mass_eigenvalue = HUGE_VAL;
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const body_slot *slot = &system->bodies[b];
        double smallest = 0.0;
        status = smallest_mass(dae->context, slot->body, x + slot->x, ws->bodies.M, &smallest);
        out->smallest_mass_eigenvalue = fmin(out->smallest_mass_eigenvalue, smallest);
    }
    out->lossless = system->traits.lossless && out->power_residual < LOSSLESS && out->skew_residual == 0.0;
    return phx_conclude(dae->context, status);
}
