/* The tree as an ordinary differential equation, y = (q, u, work): coordinates of the joints, their rates, and where
 * anything supplies or takes energy what has been supplied and dissipated, in sum and by the parts of the dae. */
#include "ode.h"
#include "recursive.h"

#include <math.h>
#include <string.h>

typedef struct tree_ode {
    phx_ode base;
    phx_dae *dae;
    phx_equations e;
    const phx_system *system;
    tree tree;
    bool forces;    /* there are others than gravity */
    double *x, *v;  /* of the system, at the current instant */
    double *res;    /* n_v + n_l: minus the wrenches of the bodies */
    double *lambda; /* n_l: of drives, else zero */
    double *change; /* n_v: of the rates, in a jump */
} tree_ode;

static double *rates_of(const tree_ode *ode, double *y)
{
    return y + ode->tree.n_q;
}

static void ode_destroy(phx_ode *ode)
{
    tree_ode *equations = (tree_ode *)ode;

    phx_tree_free(&equations->tree);
    phx_free(equations->x);
    phx_free(equations->v);
    phx_free(equations->res);
    phx_free(equations->lambda);
    phx_free(equations->change);
    phx_free(equations);
}

static void ode_begin(phx_ode *ode, const double *x, const double *v, double *y)
{
    tree_ode *equations = (tree_ode *)ode;

    memset(y, 0, (size_t)ode->n * sizeof *y);
    phx_tree_begin(equations->system, &equations->tree, x, v, y, rates_of(equations, y));
    memcpy(equations->x, x, (size_t)equations->system->n_x * sizeof *x);
}

/* State of the bodies from the coordinates of the tree. Unwrapped angles of spherical joints follow from the attitudes.
 */
static void state(phx_ode *ode, double t, const double *y, double *x, double *v)
{
    tree_ode *equations = (tree_ode *)ode;

    phx_tree_move(&equations->tree, t, y, y + equations->tree.n_q, true);
    phx_tree_put_state(equations->system, &equations->tree, x, v);
    if (equations->tree.unwrapped_balls > 0)
        equations->dae->ops->count(equations->dae, x);
}

static void normalise(phx_ode *ode, double *y)
{
    const tree *of = &((tree_ode *)ode)->tree;

    for (int i = 0; i < of->n_nodes; i++) {
        double *Q = y + of->nodes[i].q;
        if (of->nodes[i].motion != NODE_BALL)
            continue;
        const double length = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
        for (int k = 0; k < 4; k++)
            Q[k] /= length;
    }
}

/* Forces of the elements at the current instant, from the states of the bodies: res = P^T efforts, as wrenches of the
 * bodies. */
phx_status phx_tree_find_forces(phx_dae *dae, const tree *of, double t, double *x, double *v, double *res)
{
    const phx_system *system = phx_system_of(dae);
    const phx_equations e = phx_system_equations(dae);

    phx_tree_put_state(system, of, x, v);
    phx_system_view(dae, x, v);
    memset(res, 0, (size_t)e.n * sizeof *res);
    const phx_status status = phx_system_efforts(dae, t, res);
    for (int p = 0; p < system->n_ports && !status; p++) {
        const port_slot *port = &system->ports[p];
        const double *effort = e.effort + (size_t)p * PHX_PORT_MAX;
        bool acts = false;
        for (int k = 0; k < phx_port_size(system->dim); k++)
            acts = acts || effort[k] != 0.0;
        if (port->body == PHX_GROUND || !acts)
            continue;
        const body_slot *slot = &system->bodies[port->body];
        const double *xb = x + slot->x, *vb = v + slot->v;
        const phx_body_view view = {.x0 = xb, .x1 = xb, .xm = xb, .v0 = vb, .v1 = vb, .vm = vb};
        phx_body_port_apply(slot->body, &port->port, &view, -1.0, effort, res + slot->v);
    }
    for (int k = 0; k < system->n_v; k++)
        res[k] = -res[k];
    return status;
}

/* Efforts of the drives, and the powers of all. */
static void put_work(tree_ode *ode, double *work)
{
    const tree *of = &ode->tree;
    phx_work power;
    double driven = 0.0;

    for (int i = 0; i < of->n_nodes && of->driven; i++) {
        const int row = of->nodes[i].drive.row;
        if (row < 0)
            continue;
        ode->lambda[row] = phx_tree_drive_effort(of, i);
        ode->e.w[row] = of->state[i].rate;
        driven += ode->lambda[row] * ode->e.w[row];
    }
    phx_system_powers(ode->dae, ode->forces, ode->lambda, &power);
    work[0] = power.supplied + driven;
    work[1] = power.dissipated;
    memcpy(work + 2, ode->dae->parts, (size_t)ode->dae->n_parts * sizeof *work);
}

/* Error of a tree without inertia against a motion. A trial step that is too long gives numbers that are not finite:
 * PHX_NOT_CONVERGED, and the integrator reduces it. */
static phx_status fail_singular(const tree_ode *ode, int node)
{
    int body = node;
    if (!isfinite(ode->tree.state[node].D))
        return PHX_NOT_CONVERGED;
    while (ode->tree.nodes[body].body < 0)
        body++;
    return phx_fail(ode->dae->context, PHX_SINGULAR, "nothing resists the motion that its joint leaves to body '%s'",
                    phx_body_name(ode->system->bodies[ode->tree.nodes[body].body].body));
}

/* y' of the ordinary differential equation: rates of coordinates, accelerations and powers. PHX_SINGULAR with the
 * joint's name if a node has no inertia along its motion. */
static phx_status ode_rates(phx_ode *ode, double t, const double *y, double *y_dot)
{
    tree_ode *equations = (tree_ode *)ode;
    const int n_q = equations->tree.n_q;
    phx_status status = PHX_OK;

    phx_tree_move(&equations->tree, t, y, y + n_q, equations->forces);
    if (equations->forces)
        status = phx_tree_find_forces(equations->dae, &equations->tree, t, equations->x, equations->v, equations->res);
    if (status)
        return status;
    const int singular = phx_tree_accelerations(&equations->tree, equations->system,
                                                equations->forces ? equations->res : NULL, y_dot + n_q);
    if (singular >= 0)
        return fail_singular(equations, singular);
    phx_tree_rates(&equations->tree, y, y + n_q, y_dot);
    if (ode->n > ode->n_state)
        put_work(equations, y_dot + ode->n_state);
    return PHX_OK;
}

/* Of balls whose angles are counted, which a step may take less than half a turn further. */
static double longest(const phx_ode *ode, const double *y)
{
    static const double turn = 2.5; /* rad */
    const tree *of = &((const tree_ode *)ode)->tree;
    double fastest = 0.0;

    for (int i = 0; i < of->n_nodes && of->unwrapped_balls > 0; i++) {
        const double *u = y + of->n_q + of->nodes[i].u;
        if (of->nodes[i].motion == NODE_BALL)
            fastest = fmax(fastest, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    return fastest > 0.0 ? turn / fastest : HUGE_VAL;
}

static double jump_of(const tree_node *node, double ahead, double behind)
{
    static const double even = 1e-9; /* what a rate that is continuous may change by, relative */
    const double before = phx_signal_value(node->drive.speed, ahead),
                 after = phx_signal_value(node->drive.speed, behind);

    return fabs(after - before) > even * fmax(fabs(before), fabs(after)) ? after - before : 0.0;
}

static bool jumps(const phx_ode *ode, double ahead, double behind)
{
    const tree *of = &((const tree_ode *)ode)->tree;
    bool any = false;

    for (int i = 0; i < of->n_nodes && of->driven; i++)
        any = any || (of->nodes[i].drive.speed && jump_of(&of->nodes[i], ahead, behind) != 0.0);
    return any;
}

/* Impulses L of the drives, which do the work L times the mean of the rates. */
static phx_status pass_jump(phx_ode *ode, double ahead, double behind, double *y)
{
    tree_ode *equations = (tree_ode *)ode;
    phx_work power;
    tree *of = &equations->tree;
    double *u = rates_of(equations, y), *work = y + ode->n_state, supplied = 0.0;

    phx_tree_move(of, ahead, y, u, false);
    for (int i = 0; i < of->n_nodes; i++)
        of->state[i].drive = of->nodes[i].drive.speed ? jump_of(&of->nodes[i], ahead, behind) : 0.0;
    const int singular = phx_tree_impulses(of, equations->system, equations->change);
    if (singular >= 0)
        return fail_singular(equations, singular);
    for (int k = 0; k < of->n_u; k++)
        u[k] += equations->change[k];
    for (int i = 0; i < of->n_nodes; i++) {
        const int row = of->nodes[i].drive.row;
        if (row < 0)
            continue;
        equations->lambda[row] = phx_tree_drive_effort(of, i);
        equations->e.w[row] = of->state[i].rate + 0.5 * of->state[i].drive;
        supplied += equations->lambda[row] * equations->e.w[row];
    }
    phx_system_powers(equations->dae, false, equations->lambda, &power);
    work[0] += supplied;
    for (int k = 0; k < equations->dae->n_parts; k++)
        work[2 + k] += equations->dae->parts[k];
    return PHX_OK;
}

static const phx_ode_ops operations = {.destroy = ode_destroy,
                                       .begin = ode_begin,
                                       .rates = ode_rates,
                                       .normalise = normalise,
                                       .state = state,
                                       .longest = longest,
                                       .jumps = jumps,
                                       .pass_jump = pass_jump};

/* Creates the ordinary differential equation of a tree of rigid bodies. Fails with the reason for mechanisms that are
 * none; *ode is NULL then. */
phx_status phx_sys_op_ode(phx_dae *dae, phx_ode **ode)
{
    const phx_system *system = phx_system_of(dae);
    tree_ode *equations = phx_calloc(dae->context, 1, sizeof *equations);

    *ode = NULL;
    if (!equations)
        return PHX_ERR_MEMORY;
    equations->dae = dae;
    equations->e = phx_system_equations(dae);
    equations->system = system;
    const phx_array arrays[] = {{&equations->x, (size_t)system->n_x},
                                {&equations->v, (size_t)system->n_v},
                                {&equations->res, (size_t)equations->e.n},
                                {&equations->lambda, (size_t)dae->n_l},
                                {&equations->change, (size_t)system->n_v}};
    phx_status status = phx_tree_create(dae->context, system, dae, true, &equations->tree);
    if (!status)
        status = phx_arrays_create(dae->context, sizeof arrays / sizeof *arrays, arrays);
    if (status) {
        ode_destroy(&equations->base);
        return status;
    }
    equations->forces = system->n_forces > 0;
    const bool works = equations->forces || equations->tree.driven;
    equations->base = (phx_ode){
        .ops = &operations, .n_state = equations->tree.n_q + equations->tree.n_u, .driven = equations->tree.driven};
    equations->base.n = equations->base.n_state + (works ? 2 + dae->n_parts : 0);
    *ode = &equations->base;
    return PHX_OK;
}
