/* The controllers of an equilibrium: their states z rest too,
 *
 *     residual of motion(x, lambda, z) = 0,   joint residuals = 0,   f(z, y(x)) = 0 .
 *
 * In a search each controller stands for where its states end over a long time from z0 (phx_block_rest), a function of
 * what it measures like a spring: the searches know no states. Then z0 takes over where they have ended, until nothing
 * changes (the proximal iteration; an integral is a spring span ki about an error of zero, and what is left of the
 * error falls in each pass by the stiffness of the mechanism over that of the spring). Last come corrections of all
 * unknowns together: with z eliminated, z - z0 = span F f(z0, y + Y xi), the matrix is that of the search,
 *
 *     | K + sigma W - P^T E S Y   -G^T | | xi      |     | residual of motion with u at rest |
 *     | G                          0   | | dlambda | = - | joint residuals                   | ,
 *
 *     z1 = z + dz/dy Y xi ,   z the states at rest from z0 at x, S = du/dy,
 *
 * and both residuals fall to rounding. A sampled controller rests where another sample changes nothing, and what it
 * holds is its output there. */
#include "statics.h"

#include <math.h>
#include <string.h>

static const double LONG = 1e3;        /* span, of the times in which the mechanism falls by its size */
static const double SETTLED = 1e-10;   /* change of the states, relative */
static const double SLOW = 0.1;        /* a change that falls by less calls for a longer span */
static const double LOOSE = 1e-6;      /* what does not change a state by more, relative, leaves it as it is */
static const double LEAST_SIZE = 1e-9; /* scale of the states of a controller that are all smaller */
static const double NEAR = 1e-3;       /* rad, parts of the size: a longer Newton step is not taken */

phx_status phx_statics_refuse_states(phx_context *context, const phx_system *system, const char *what)
{
    const int k = phx_system_resting_controller(system);

    if (k < 0)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_UNSUPPORTED,
                    "controller '%s' has states (an integral, a filter) or is sampled, and %s are not there "
                    "for such; take equilibria under growing loads ('static --steps')",
                    phx_system_controller_name(system, k), what);
}

void phx_statics_lengthen(statics *s, const double *x)
{
    *s->rest.span = LONG / sqrt(s->scale.slowest);
    phx_system_rest_from(s->dae, x);
}

/* Controllers as they are at x, for `span` = 0, or at rest; returns the span there was. */
static double set_span(const statics *s, double span)
{
    const double before = *s->rest.span;

    *s->rest.span = span;
    return before;
}

phx_status phx_statics_residual_as_it_is(statics *s, const double *x, const double *lambda, double *res,
                                         double *unbalanced, double *joint_residual)
{
    const double span = set_span(s, 0.0);
    const phx_status status = phx_statics_residual(s, x, lambda, res, unbalanced, joint_residual);

    set_span(s, span);
    return status;
}

/* ---- passes ---- */
/* The states in x go to where they end; `change`: by how much, relative to the largest of their controller. */
static phx_status take_states(statics *s, double *x, const double *lambda, double *change)
{
    const phx_system *system = s->system;
    double unbalanced, joint_residual;
    const phx_status status = phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);

    *change = 0.0;
    for (int c = 0; c < phx_system_controllers(system) && !status; c++) {
        const int at = phx_system_controller_offset(system, c), n = phx_block_n(phx_system_controller_block(system, c));
        const double *z = s->rest.z + at - s->rest.first;
        double size = LEAST_SIZE, moved = 0.0;
        for (int i = 0; i < n; i++) {
            size = fmax(size, fmax(fabs(z[i]), fabs(x[at + i])));
            moved = fmax(moved, fabs(z[i] - x[at + i]));
        }
        *change = fmax(*change, moved / size);
    }
    if (!status)
        memcpy(x + s->rest.first, s->rest.z, (size_t)s->rest.n * sizeof *x);
    if (!status)
        phx_system_rest_from(s->dae, x);
    return status;
}

/* Finds an equilibrium with controllers: repeats the search with their states taken from the previous result until they
 * settle. PHX_NOT_CONVERGED if they do not. */
phx_status phx_statics_rest(statics *s, phx_statics_search *search, void *user, double *x, double *lambda)
{
    enum { LIMIT = 40 };
    double change = HUGE_VAL;
    phx_status status = search(s, user, x, lambda);

    for (int k = 0; k < LIMIT && s->rest.on && !status; k++) {
        const double before = change;
        status = take_states(s, x, lambda, &change);
        if (status || change <= SETTLED)
            return status;
        if (change > SLOW * before && *s->rest.span * sqrt(s->scale.slowest) < 1e6 * LONG)
            *s->rest.span *= 10.0;
        status = search(s, user, x, lambda);
    }
    return status || !s->rest.on ? status : PHX_NOT_CONVERGED;
}

/* ---- the last corrections ---- */
/* Corrects motion, multipliers and controller states together by at most four Newton steps; stops when the imbalance no
 * longer falls. */
phx_status phx_statics_finish_states(statics *s, double *x, double *lambda)
{
    enum { LIMIT = 4 };
    const int n_v = s->e.n_v, first = s->rest.first;
    double unbalanced = HUGE_VAL, joint_residual, before = HUGE_VAL;
    phx_status status = PHX_OK;

    for (int k = 0; k < LIMIT && s->rest.on && !status; k++) {
        status = phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);
        if (!status)
            status = phx_statics_linearise(s, x, lambda);
        if (!status)
            status = phx_statics_factor(s, s->scale.rounding);
        for (int i = 0; i < s->e.n; i++)
            s->vectors.step[i] = -s->vectors.res[i];
        if (!status)
            status = phx_statics_solve(s, s->vectors.step);
        if (status || !(phx_statics_largest_move(s, s->vectors.step) < NEAR))
            break;
        phx_statics_displace(s, x, 1.0, s->vectors.step, s->vectors.x_try);
        for (int i = 0; i < s->rest.n; i++)
            s->vectors.x_try[first + i] = s->rest.z[i] + phx_system_rest_follows(s->dae, i, s->vectors.step);
        for (int i = 0; i < s->e.n_l; i++)
            s->vectors.lambda_try[i] = lambda[i] + s->vectors.step[n_v + i];
        status = phx_statics_residual_as_it_is(s, s->vectors.x_try, s->vectors.lambda_try, s->vectors.res_try,
                                               &unbalanced, &joint_residual);
        if (status || (k > 1 && !(unbalanced < before)))
            break;
        before = unbalanced;
        memcpy(x, s->vectors.x_try, (size_t)s->dae->n_x * sizeof *x);
        memcpy(lambda, s->vectors.lambda_try, (size_t)s->e.n_l * sizeof *lambda);
        phx_statics_count(s, x);
        phx_system_rest_from(s->dae, x);
        s->iterations++;
    }
    return status;
}

/* ---- states that nothing brings to rest ---- */
/* I - M: how much of a change of each state is gone when the mechanism has followed it and the states have ended. */
static phx_status find_forgetting(statics *s, const double *x, const double *lambda, int n, const int *state, double *A)
{
    static const double DIFFERENCE = 1e-3; /* of a state, relative to it or to 1 */
    const int first = s->rest.first;
    double *z = phx_calloc(s->context, (size_t)s->rest.n, sizeof *z), unbalanced, joint_residual;
    phx_status status =
        z ? phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual) : PHX_ERR_MEMORY;

    if (!status)
        memcpy(z, s->rest.z, (size_t)s->rest.n * sizeof *z);
    if (!status)
        status = phx_statics_linearise(s, x, lambda);
    if (!status)
        status = phx_statics_factor(s, s->scale.rounding);
    for (int j = 0; j < n && !status; j++) {
        const double step = DIFFERENCE * fmax(1.0, fabs(x[first + state[j]]));
        memcpy(s->vectors.x_try, x, (size_t)s->dae->n_x * sizeof *x);
        s->vectors.x_try[first + state[j]] += step;
        status = phx_statics_residual(s, s->vectors.x_try, lambda, s->vectors.res_try, &unbalanced, &joint_residual);
        for (int i = 0; i < s->e.n; i++)
            s->vectors.step[i] = s->vectors.res[i] - s->vectors.res_try[i];
        double *direct = s->vectors.x_try; /* no longer needed as a state */
        if (!status)
            memcpy(direct, s->rest.z, (size_t)s->rest.n * sizeof *direct);
        if (!status)
            status = phx_statics_solve(s, s->vectors.step);
        for (int i = 0; i < n && !status; i++)
            A[i * n + j] =
                (double)(i == j) -
                (direct[state[i]] - z[state[i]] + phx_system_rest_follows(s->dae, state[i], s->vectors.step)) / step;
    }
    phx_free(z);
    return status;
}

/* The controller that the state belongs to, and the number of the state in it. */
static int owner(const statics *s, int state, int *number)
{
    for (int c = 0; c < phx_system_controllers(s->system); c++) {
        *number = s->rest.first + state - phx_system_controller_offset(s->system, c);
        if (*number >= 0 && *number < phx_block_n(phx_system_controller_block(s->system, c)))
            return c;
    }
    return -1;
}

/* Finds a controller state that nothing determines at rest: a left null vector of I - M, M the memory of the states
 * over the span. *controller is -1 if there is none. */
static phx_status find_loose(statics *s, const double *x, const double *lambda, int *controller, int *number)
{
    const size_t most = (size_t)s->rest.n;
    int *state = phx_calloc(s->context, most, sizeof *state), n = 0;
    double *A = phx_calloc(s->context, 3 * most * most + most, sizeof *A);
    phx_status status = state && A ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < s->rest.n && !status; i++)
        if (owner(s, i, number) >= 0)
            state[n++] = i;
    *controller = -1;
    if (!status && n > 0)
        status = find_forgetting(s, x, lambda, n, state, A);
    if (!status && n > 0) { /* w (I - M) = 0 */
        double *AA = A + n * n, *vectors = AA + n * n, *values = vectors + n * n;
        phx_dense_multiply(false, true, n, n, n, 1.0, A, n, A, n, 0.0, AA, n);
        status = phx_dense_eigen_symmetric(s->context, n, AA, NULL, values, vectors);
        if (!status && values[0] < LOOSE * LOOSE) {
            int at = 0;
            for (int i = 1; i < n; i++)
                if (fabs(vectors[i * n]) > fabs(vectors[at * n]))
                    at = i;
            *controller = owner(s, state[at], number);
        }
    }
    phx_free(state);
    phx_free(A);
    return status;
}

/* Returns an error that names a controller state which does not come to rest, PHX_OK if no state is the reason. */
phx_status phx_statics_blame_states(statics *s, const double *x, const double *lambda)
{
    int controller = -1, number = 0;
    double change = 0.0;

    if (!s->rest.on)
        return PHX_OK;
    phx_context_clear(s->context);
    const phx_status status = find_loose(s, x, lambda, &controller, &number);
    if (status || controller < 0) {
        phx_context_clear(s->context);
        return PHX_OK;
    }
    const int at = phx_system_controller_offset(s->system, controller) + number;
    change = (s->rest.z[at - s->rest.first] - x[at]) / *s->rest.span;
    return phx_fail(s->context, PHX_ERR_ANALYSIS,
                    "controller '%s' does not come to rest: its state z%d goes on by %.3g 1/s, and nothing that it "
                    "does changes that (what it measures does not follow what it acts on, or its output is at a "
                    "limit); let it act on what it measures, take the integral out (ki: 0), or give the limits an "
                    "anti_windup",
                    phx_system_controller_name(s->system, controller), number + 1, change);
}

/* Warns if nothing determines a controller state at rest. */
phx_status phx_statics_tell_states(statics *s, const double *x, const double *lambda)
{
    int controller = -1, number = 0;

    if (!s->rest.on)
        return PHX_OK;
    const phx_status status = find_loose(s, x, lambda, &controller, &number);
    if (status == PHX_SINGULAR || status == PHX_NOT_CONVERGED) {
        phx_context_clear(s->context);
        return PHX_OK;
    }
    if (!status && controller >= 0)
        phx_log(s->context, PHX_LOG_WARNING,
                "controller '%s': nothing determines its state z%d at rest; it has the value that it reaches from the "
                "start ('initial' of the controller)",
                phx_system_controller_name(s->system, controller), number + 1);
    return status;
}
