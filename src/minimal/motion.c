/* From the chosen coordinates and rates to configuration and velocities, and back. */
#include "internal.h"

#include <math.h>
#include <string.h>

/* Newton's iteration. */
static const double LARGEST_MOVE = 0.5, CLOSED = 1e-9;
enum { MOST_ITERATIONS = 30 };

/* Right-hand side: minus the residuals of the rows, in their order. */
static void find_open(phx_minimal *m, const double *y, const double *x)
{
    size_t at = 0;
    int drive = 0, rolling = m->n_drives;

    for (int k = 0; k < m->e.n_l; k++) {
        const phx_row_view row = phx_system_row(m->dae, k);
        if (row.driven) {
            const int number = is_rolling(m, k) ? rolling++ : drive++;
            m->rhs[at++] = y[number] - phx_minimal_value(m, chosen(m, number), x);
        } else {
            m->rhs[at++] = -phx_row_value(row.row, &m->e.port[row.a], &m->e.port[row.b], 1);
        }
    }
    for (int k = first_free(m); k < all_chosen(m); k++)
        if (chosen(m, k)->kind != CHOICE_SHAPE)
            m->rhs[at++] = y[k] - phx_minimal_value(m, chosen(m, k), x);
}

/* x moved by the correction, no frame by more than LARGEST_MOVE; how large it was, in rad and sizes. */
static double motion_move(phx_minimal *m, double *x)
{
    const phx_system *system = m->system;
    double *xi = m->a, largest = 0.0;

    memset(xi, 0, (size_t)m->e.n_v * sizeof *xi);
    for (int i = 0; i < m->n_solved; i++)
        xi[m->solved[i]] = m->rhs[i] * m->unit[m->solved[i]];
    for (int c = 0; c < m->n_candidates; c++) {
        const choice *coordinate = &m->candidates[c];
        if (coordinate->kind == CHOICE_PLACE)
            largest = fmax(largest, fabs(xi[coordinate->v + coordinate->component]) / m->size);
        else if (coordinate->kind == CHOICE_TURN)
            largest = fmax(largest, fabs(xi[coordinate->v + m->dim + coordinate->component]));
    }
    for (int b = 0; b < phx_system_bodies(system); b++) {
        int v;
        const int n_places = phx_body_places(phx_system_body(system, b), NULL, &v);
        for (int k = 0; k < n_places; k++)
            if (phx_body_wheel_gear(phx_system_body(system, b), k + 1) == 0.0)
                largest = fmax(largest, fabs(xi[phx_system_placed(system, b).v + v + k]) / m->size);
    }
    const double factor = largest > LARGEST_MOVE ? LARGEST_MOVE / largest : 1.0;
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        phx_body_displace(placed.body, factor, xi + placed.v, x + placed.x);
    }
    m->dae->ops->normalise(m->dae, x, true);
    return largest;
}

/* Newton's iteration for the configuration x with the coordinates y and closed joints, from x as first guess.
 * PHX_NOT_CONVERGED if it fails. */
static phx_status close_joints(phx_minimal *m, double t, const double *y, double *x)
{
    for (int k = first_free(m); k < all_chosen(m); k++)
        if (chosen(m, k)->kind == CHOICE_SHAPE)
            x[chosen(m, k)->x] = y[k];
    memset(m->v, 0, (size_t)m->e.n_v * sizeof *m->v);
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        phx_minimal_look(m, t, x, m->v);
        find_open(m, y, x);
        phx_minimal_fill(m, OF_PLACES, x, m->v);
        const phx_status status = phx_minimal_solve_square(m, 1);
        if (status)
            return status;
        const double moved = motion_move(m, x);
        if (moved <= CLOSED)
            return PHX_OK;
        if (!isfinite(moved))
            break;
    }
    return phx_fail(m->context, PHX_NOT_CONVERGED, "the joints cannot be closed at these states");
}

/* x is where the iteration begins; a failure leaves it as it was, for states that follow. */
static phx_status find_configuration(phx_minimal *m, double t, const double *y, double *x)
{
    const size_t size = (size_t)m->dae->n_x * sizeof *x;

    memcpy(m->x_before, x, size);
    const phx_status status = close_joints(m, t, y, x);
    if (status)
        memcpy(x, m->x_before, size);
    return status;
}

/* Velocities v that satisfy the joints at time t and have the chosen rates u. */
static phx_status find_velocities(phx_minimal *m, double t, const double *u, const double *x, double *v)
{
    const size_t n_v = (size_t)m->e.n_v;
    size_t at = 0;

    memset(v, 0, n_v * sizeof *v);
    for (int k = 0; k < m->n_free; k++)
        if (chosen(m, first_free(m) + k)->kind == CHOICE_SHAPE)
            v[chosen(m, first_free(m) + k)->v] = u[k];
    phx_minimal_look(m, t, x, v);
    phx_minimal_fill(m, OF_RATES, x, v);
    for (int k = 0; k < m->e.n_l; k++)
        m->rhs[at++] = m->e.w[k];
    for (int k = 0; k < m->n_free; k++)
        if (chosen(m, first_free(m) + k)->kind != CHOICE_SHAPE)
            m->rhs[at++] = u[k];
    for (size_t i = 0; i < at; i++)
        m->rhs[i] -= phx_dot((int)n_v, m->J + i * n_v, v);
    const phx_status status = phx_minimal_solve_square(m, 1);
    for (int i = 0; i < m->n_solved && !status; i++)
        v[m->solved[i]] = m->rhs[i] * m->unit[m->solved[i]];
    return status;
}

phx_status phx_minimal_solve(phx_minimal *m, double t, const double *y, const double *u, double *x, double *v)
{
    const phx_status status = find_configuration(m, t, y, x);
    return status ? status : find_velocities(m, t, u, x, v);
}

phx_status phx_minimal_rates_at(phx_minimal *m, double t, const double *u, const double *x, double *v)
{
    return find_velocities(m, t, u, x, v);
}

bool phx_minimal_jumps(const phx_minimal *m, double t, const double *x, const double *v)
{
    static const double ROUNDING = 1e-10; /* of the largest velocity */
    phx_sizes sizes;
    double position, rate;

    phx_system_sizes(m->system, x, v, &sizes);
    phx_system_drift(m->dae, t, x, v, &position, &rate);
    return rate > ROUNDING * sizes.speed;
}

void phx_minimal_read(phx_minimal *m, double t, const double *x, const double *v, double *y, double *u)
{
    phx_minimal_look(m, t, x, v);
    for (int k = 0; k < all_chosen(m); k++)
        y[k] = phx_minimal_value(m, chosen(m, k), x);
    for (int k = 0; k < m->n_free; k++) {
        (void)phx_minimal_row(m, chosen(m, first_free(m) + k), x, v, false, m->rhs);
        u[k] = phx_dot(m->e.n_v, m->rhs, v);
    }
}

/* Derivatives of the chosen coordinates and rates at a state, and the multipliers. PHX_NOT_CONVERGED if friction and
 * reactions do not agree. */
phx_status phx_minimal_derivatives(phx_minimal *m, double t, const double *x, const double *v, double *y_dot,
                                   double *u_dot, double *lambda)
{
    phx_status status = m->dae->ops->accelerations(m->dae, t, x, v, m->a, lambda);

    if (!status && !phx_system_friction_settles(m->dae))
        status =
            phx_fail(m->context, PHX_NOT_CONVERGED,
                     "friction and the reactions that it follows do not agree at these states: the mechanism jams");
    for (int k = 0; k < m->n_drives && !status; k++)
        y_dot[k] = m->e.w[m->driven[k]];
    for (int k = m->n_drives; k < all_chosen(m) && !status; k++) {
        const double bias = phx_minimal_row(m, chosen(m, k), x, v, true, m->rhs);
        y_dot[k] = phx_dot(m->e.n_v, m->rhs, v);
        if (k >= first_free(m))
            u_dot[k - first_free(m)] = phx_dot(m->e.n_v, m->rhs, m->a) + bias;
    }
    return status;
}
