/* What a parameter changes in a step: the residual and the projection of systems at neighbouring values of it, at the
 * state at hand. Only bodies whose numbers change are evaluated, and ports, forces and rows of joints that change or
 * stand at a port that does. A body whose equations are linear in its numbers is evaluated once, with the derivatives
 * of these numbers in their place (phx_body_sum); all others at every neighbour. Nothing is factored. */
#include "system/forces/forces.h"
#include "variation.h"

#include <string.h>

/* A body that is touched. */
typedef struct touched_body {
    int b;
    phx_body *sum;          /* with derivatives for numbers; NULL: none */
    bool residual;          /* its residual can be taken of `sum`, not only its momenta */
    phx_products *products; /* of that */
} touched_body;

/* The same system at neighbouring values of a parameter; derivatives are sums of weights times values. */
struct phx_variation_parameter {
    phx_context *context;
    int n;
    workspace **ws; /* n, borrowed */
    double *weight;
    int n_bodies, n_ports, n_rows, n_forces;
    touched_body *bodies;
    int *ports, *rows, *forces; /* that are evaluated; rows by their multipliers */
    bool *enters;               /* per output: phx_variation_enters */
    double *p, *row, *sum, *dw; /* n_v + n_l each; n_l: change of prescribed rates */
    double *loads;              /* components x VARIATION_PER: change of the impulses of loads */
    bool controls;              /* controllers are evaluated */
    double *states, *x;         /* 2 n_z: change of the states of controllers after their samples and at the end; n_x */
};

/* ---- what is touched ---- */
typedef enum part { OF_BODY, OF_PORT, OF_JOINT, OF_FORCE, OF_OUTPUT, OF_CONTROLLER, PARTS } part;

/* The numbers of a body, of a port, of a joint, of a force, of an output or of a controller. */
static void write_part(phx_archive *archive, phx_system *system, part what, int i)
{
    if (what == OF_PORT)
        phx_sys_archive_port(archive, system, &system->ports[i]);
    else if (what == OF_JOINT)
        phx_sys_archive_joint(archive, system, i);
    else if (what == OF_FORCE)
        phx_sys_archive_force(archive, system, &system->forces[i]);
    else if (what == OF_OUTPUT)
        phx_sys_archive_output(archive, system, &system->channels.outputs[i]);
    else if (what == OF_CONTROLLER)
        phx_sys_archive_controller(archive, &system->control.slot[i]);
    if (what != OF_BODY)
        return;
    phx_body *body = system->bodies[i].body;
    const phx_flex *flex = phx_body_flex(body);
    const bool deforms = flex && flex->n > 0;
    if (deforms)
        phx_flex_archive(archive, (phx_flex *)flex); /* is only read */
    phx_body_archive(archive, deforms ? flex : NULL, &body);
}

/* Whether all neighbours write the same bytes for a part; what cannot be written counts as touched. */
static phx_status is_touched(const phx_variation *var, const phx_variation_parameter *by, part what, int i,
                             bool *touched)
{
    phx_archive *own = NULL, *other = NULL;
    phx_status status = phx_archive_create(by->context, &own);

    *touched = false;
    if (!status)
        write_part(own, var->system, what, i);
    for (int k = 0; k < by->n && !status && !*touched; k++) {
        status = phx_archive_create(by->context, &other);
        if (status)
            break;
        write_part(other, by->ws[k]->system, what, i);
        status = phx_archive_status(own) ? phx_archive_status(own) : phx_archive_status(other);
        *touched = status != PHX_OK || !phx_archives_agree(own, other);
        phx_archive_destroy(other);
    }
    phx_archive_destroy(own);
    if (status == PHX_ERR_UNSUPPORTED) {
        phx_context_clear(by->context);
        status = PHX_OK;
    }
    return status;
}

/* Of all parts of a sort, into touched. */
static phx_status find_touched(const phx_variation *var, const phx_variation_parameter *by, part what, int count,
                               bool *touched)
{
    phx_status status = PHX_OK;

    for (int i = 0; i < count && !status; i++)
        status = is_touched(var, by, what, i, &touched[i]);
    return status;
}

/* A body and, where its equations are linear in its numbers, its derivative. */
static phx_status take_body(phx_variation_parameter *by, int b, bool other_gravity)
{
    touched_body *one = &by->bodies[by->n_bodies++];
    const phx_body *bodies[PHX_DIFFERENCE_PLACES];
    phx_status status = PHX_OK;

    one->b = b;
    for (int k = 0; k < by->n && k < PHX_DIFFERENCE_PLACES; k++)
        bodies[k] = by->ws[k]->system->bodies[b].body;
    if (by->n <= PHX_DIFFERENCE_PLACES)
        status = phx_body_sum(by->context, by->n, bodies, by->weight, &one->sum, &one->residual);
    if (status == PHX_ERR_UNSUPPORTED) {
        phx_context_clear(by->context);
        status = PHX_OK;
    }
    one->residual = one->residual && one->sum && !other_gravity;
    if (one->residual) {
        one->products = phx_body_products_create(by->context, one->sum, NULL);
        status = one->products ? PHX_OK : PHX_ERR_MEMORY;
    }
    return status;
}

/* Adds a port to the list. */
static void take_port(phx_variation_parameter *by, int port)
{
    for (int k = 0; k < by->n_ports; k++)
        if (by->ports[k] == port)
            return;
    if (port >= 0)
        by->ports[by->n_ports++] = port;
}

/* A force is evaluated if it is touched, or one of its ports, its joint, or the body along which it acts; loads on
 * chains of links all together. */
static bool force_counts(const phx_system *system, int i, const bool *bodies, const bool *ports, const bool *joints)
{
    const force_slot *force = &system->forces[i];
    phx_port_id a = -1, b = -1;

    if (force->kind == FORCE_COORDINATE && joints[force->joint])
        return true;
    if (force->kind == FORCE_DISTRIBUTED || force->kind == FORCE_WIND)
        return bodies[force->body];
    (void)phx_sys_pair_ports(system, system->n_joints + i, &a, &b);
    return (a >= 0 && ports[a]) || (b >= 0 && ports[b]);
}

/* Lists forces and rows with their ports. */
static void list_between(const phx_variation *var, phx_variation_parameter *by, const bool *bodies, const bool *ports,
                         const bool *joints, const bool *forces)
{
    const phx_system *system = var->system;
    bool chains = false;

    for (int i = 0; i < system->n_ports; i++)
        if (ports[i])
            take_port(by, i);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < system->n_forces; i++) {
            const bool chained = system->forces[i].kind == FORCE_SUM || system->forces[i].kind == FORCE_LINK;
            const bool counts = forces[i] || force_counts(system, i, bodies, ports, joints);
            chains = chains || (chained && counts);
            if (pass == 0 || !(counts || (chained && chains)))
                continue;
            phx_port_id a = -1, b = -1;
            by->forces[by->n_forces++] = i;
            if (system->forces[i].kind == FORCE_DISTRIBUTED || system->forces[i].kind == FORCE_WIND)
                continue;
            (void)phx_sys_pair_ports(system, system->n_joints + i, &a, &b);
            take_port(by, a);
            take_port(by, b);
        }
    for (int k = 0; k < var->n_l; k++) {
        const work_row *row = &var->ws->rows.row[k];
        if (!joints[system->rows.slot[var->ws->rows.index[k]].joint] && !ports[row->a] && !ports[row->b])
            continue;
        by->rows[by->n_rows++] = k;
        take_port(by, row->a);
        take_port(by, row->b);
    }
}

/* All controllers are evaluated where one is touched, or a port or joint at which one acts or measures. */
typedef struct controlled_ports {
    phx_variation_parameter *by;
    const bool *ports;
    bool any;
} controlled_ports;

static void look_at_controlled(void *user, phx_port_id id)
{
    controlled_ports *of = user;
    of->any = of->any || of->ports[id];
}

static void take_controlled(void *user, phx_port_id id)
{
    take_port(((controlled_ports *)user)->by, id);
}

/* Their ports are then viewed with the others. */
static void list_controllers(const phx_system *system, phx_variation_parameter *by, const bool *ports,
                             const bool *joints, const bool *controllers)
{
    controlled_ports of = {by, ports, false};

    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        of.any = of.any || controllers[c];
        for (int k = 0; k < slot->n_inputs; k++)
            of.any = of.any || ((slot->inputs[k].kind == MEASURE_COORDINATE || slot->inputs[k].kind == MEASURE_RATE) &&
                                joints[slot->inputs[k].joint]);
    }
    for (int i = 0; i < system->control.n_actuations; i++) {
        const actuation *one = &system->control.actuations[i];
        of.any = of.any || (one->joint >= 0 && joints[one->joint]);
    }
    phx_sys_each_controlled_port(system, look_at_controlled, &of);
    by->controls = of.any;
    if (by->controls)
        phx_sys_each_controlled_port(system, take_controlled, &of);
}

bool phx_variation_touches(const phx_variation_parameter *by)
{
    return by->controls || by->n_bodies + by->n_forces + by->n_rows > 0;
}

/* Whether an output has the parameter: places and rates by their port or the coordinates of their joint, accelerations,
 * forces and stresses by anything. */
static bool enters(const phx_system *system, const phx_variation_parameter *by, const bool *ports, const bool *joints,
                   const phx_output_def *def)
{
    const phx_quantity_info *info = phx_system_quantity_info(def->quantity);
    bool has = false;

    if (info->order == 2 || (info->of != PHX_OF_PORT && info->of != PHX_OF_JOINT))
        return phx_variation_touches(by) || by->n_ports > 0;
    if (info->of == PHX_OF_PORT)
        return ports[def->port];
    for (int c = 0; c < system->joints[def->joint].n_coordinates; c++) {
        const coordinate_slot *coordinate = &system->joints[def->joint].coordinates[c];
        has = has || ports[coordinate->a] || ports[coordinate->b];
    }
    return has || joints[def->joint];
}

/* Bodies, ports, joints and forces that are touched, then the lists of what is evaluated. A port that slides on a body
 * that is touched counts as touched, and with another gravity all bodies do. */
static phx_status list_touched(const phx_variation *var, phx_variation_parameter *by)
{
    const phx_system *system = var->system;
    const int counts[PARTS] = {system->n_bodies,           system->n_ports,  system->n_joints, system->n_forces,
                               system->channels.n_outputs, system->control.n};
    bool *touched[PARTS], *all, other_gravity = false;
    size_t sum = 1, at = 0;
    phx_status status = PHX_OK;

    for (int what = 0; what < PARTS; what++)
        sum += (size_t)counts[what];
    all = phx_calloc(by->context, sum, sizeof *all);
    if (!all)
        return PHX_ERR_MEMORY;
    for (int what = 0; what < PARTS && !status; what++) {
        int count = counts[what];
        touched[what] = all + at;
        at += (size_t)count;
        while (what == OF_FORCE && count > 0 && system->forces[count - 1].kind == FORCE_COORDINATE)
            count--; /* these follow from their joints */
        status = find_touched(var, by, (part)what, count, touched[what]);
    }
    for (int k = 0; k < by->n; k++)
        other_gravity =
            other_gravity || memcmp(by->ws[k]->system->gravity, system->gravity, sizeof system->gravity) != 0;
    for (int b = 0; b < system->n_bodies && !status; b++)
        if (touched[OF_BODY][b] || other_gravity)
            status = take_body(by, b, other_gravity);
    for (int i = 0; i < system->n_ports && !status; i++) {
        const int b = system->ports[i].body;
        touched[OF_PORT][i] = touched[OF_PORT][i] || (b >= 0 && touched[OF_BODY][b] &&
                                                      phx_body_places(system->bodies[b].body, NULL, NULL) > 0);
    }
    if (!status)
        list_between(var, by, touched[OF_BODY], touched[OF_PORT], touched[OF_JOINT], touched[OF_FORCE]);
    if (!status)
        list_controllers(system, by, touched[OF_PORT], touched[OF_JOINT], touched[OF_CONTROLLER]);
    for (int i = 0; i < system->channels.n_outputs && !status; i++)
        by->enters[i] = touched[OF_OUTPUT][i] ||
                        enters(system, by, touched[OF_PORT], touched[OF_JOINT], &system->channels.outputs[i].def);
    phx_free(all);
    return status;
}

/* Borrows the workspaces and finds what the parameter touches. */
phx_status phx_variation_parameter_create(phx_context *context, const phx_variation *variation, int n,
                                          phx_dae *const *daes, const double *weight,
                                          phx_variation_parameter **parameter)
{
    const phx_system *system = variation->system;
    phx_variation_parameter *by = phx_calloc(context, 1, sizeof *by);

    *parameter = NULL;
    if (!by)
        return PHX_ERR_MEMORY;
    by->context = context;
    by->n = n;
    by->ws = phx_calloc(context, (size_t)n, sizeof *by->ws);
    by->bodies = phx_calloc(context, (size_t)system->n_bodies, sizeof *by->bodies);
    by->ports = phx_calloc(context, (size_t)system->n_ports, sizeof *by->ports);
    by->rows = phx_calloc(context, (size_t)variation->n_l, sizeof *by->rows);
    by->forces = phx_calloc(context, (size_t)system->n_forces, sizeof *by->forces);
    const phx_array arrays[] = {{&by->weight, (size_t)n},
                                {&by->p, (size_t)variation->n},
                                {&by->row, (size_t)variation->n},
                                {&by->sum, (size_t)variation->n},
                                {&by->loads, VARIATION_PER * (size_t)system->components.n},
                                {&by->states, 2 * (size_t)variation->n_z},
                                {&by->x, (size_t)system->n_x},
                                {&by->dw, (size_t)variation->n_l}};
    by->enters = phx_calloc(context, (size_t)system->channels.n_outputs, sizeof *by->enters);
    const bool all = by->enters && by->ws && by->bodies && by->ports && by->rows && by->forces;
    phx_status status = all ? phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays) : PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++) {
        by->ws[k] = (workspace *)daes[k];
        by->weight[k] = weight[k];
    }
    if (!status)
        status = list_touched(variation, by);
    if (status)
        phx_variation_parameter_destroy(by);
    else
        *parameter = by;
    return status;
}

/* Frees what a parameter owns. */
void phx_variation_parameter_destroy(phx_variation_parameter *by)
{
    if (!by)
        return;
    for (int i = 0; by->bodies && i < by->n_bodies; i++) {
        if (by->bodies[i].products)
            phx_body_products_destroy(by->bodies[i].sum, by->bodies[i].products);
        phx_body_destroy(by->bodies[i].sum);
    }
    phx_free(by->bodies);
    phx_free(by->ports);
    phx_free(by->enters);
    phx_free(by->rows);
    phx_free(by->forces);
    phx_free(by->ws);
    phx_arrays_free(8, (double *[]){by->weight, by->p, by->row, by->sum, by->dw, by->loads, by->states, by->x});
    phx_free(by);
}

bool phx_variation_enters(const phx_variation_parameter *by, int output)
{
    return by->enters[output];
}

/* ---- bodies ---- */
/* by->p <- sum weight M u at x of a body that is touched; its slot. */
static const body_slot *momenta_by(const phx_variation_parameter *by, const touched_body *one, const double *x,
                                   const double *u)
{
    const body_slot *slot = &by->ws[0]->system->bodies[one->b];
    const int n = phx_body_n_v(slot->body);

    if (one->sum) {
        phx_body_momenta(one->sum, x + slot->x, u + slot->v, by->p);
        return slot;
    }
    memset(by->p, 0, (size_t)n * sizeof *by->p);
    for (int k = 0; k < by->n; k++) {
        phx_body_momenta(by->ws[k]->system->bodies[one->b].body, x + slot->x, u + slot->v, by->row);
        for (int i = 0; i < n; i++)
            by->p[i] += by->weight[k] * by->row[i];
    }
    return slot;
}

void phx_var_mass_by(const phx_variation_parameter *by, const double *x, const double *u, double *out)
{
    for (int t = 0; t < by->n_bodies; t++) {
        const body_slot *slot = momenta_by(by, &by->bodies[t], x, u);
        for (int i = 0; i < phx_body_n_v(slot->body); i++)
            out[slot->v + i] += by->p[i];
    }
}

/* out (n) += sum weight times the residual of a body over the interval at hand, which ends with `end`. */
static void body_residual_by(const phx_variation *var, const phx_variation_parameter *by, const touched_body *one,
                             const double *end, double *out)
{
    const int n = one->residual ? 1 : by->n;
    phx_body_view view = phx_var_view(var, one->b);
    const body_slot *slot = &var->system->bodies[one->b];

    view.v1 = end + slot->v;
    for (int k = 0; k < n; k++) {
        const workspace *ws = by->ws[k];
        const phx_body *body = one->residual ? one->sum : ws->system->bodies[one->b].body;
        const double weight = one->residual ? 1.0 : by->weight[k];
        view.products = one->residual ? one->products : ws->bodies.products[one->b];
        memset(by->p, 0, (size_t)phx_body_n_v(body) * sizeof *by->p);
        phx_body_interval_begin(body, var->h, view.x0, view.v0, view.products);
        phx_body_interval_residual(body, ws->system->gravity, &view, by->p);
        for (int i = 0; i < phx_body_n_v(body); i++)
            out[slot->v + i] += weight * by->p[i];
    }
}

/* dv += sum weight times the velocity of a body before the projection. */
static void end_by(const phx_variation *var, const phx_variation_parameter *by, const touched_body *one,
                   const double *end, double *dv)
{
    const body_slot *slot = &var->system->bodies[one->b];
    const int n = phx_body_n_v(slot->body);

    for (int k = 0; k < by->n; k++) {
        memcpy(by->p, end + slot->v, (size_t)n * sizeof *by->p);
        phx_body_interval_finish(by->ws[k]->system->bodies[one->b].body, var->h, var->v0 + slot->v, by->p);
        for (int i = 0; i < n; i++)
            dv[slot->v + i] += by->weight[k] * (by->p[i] - end[slot->v + i]);
    }
}

/* ---- controllers, whose neighbours have the branches of limits that the system has ---- */
/* by->states: the states of controllers after the samples at the start of the step. */
static phx_status samples_by(const phx_variation *var, const phx_variation_parameter *by)
{
    const int first = var->system->control.first_x;
    phx_status status = PHX_OK;

    memset(by->states, 0, 2 * (size_t)var->n_z * sizeof *by->states);
    for (int k = 0; k < by->n && by->controls && var->control->any_due && !status; k++) {
        memcpy(by->x, var->x0, (size_t)first * sizeof *by->x);
        memcpy(by->x + first, var->control->before, (size_t)var->n_z * sizeof *by->x);
        phx_system_hold_sides(by->ws[k]->system, var->control->side_at);
        status = phx_system_take_samples(&by->ws[k]->base, var->t0, by->x, var->v0);
        phx_system_hold_sides(by->ws[k]->system, NULL);
        for (int i = 0; i < var->n_z; i++)
            by->states[i] += by->weight[k] * by->x[first + i];
    }
    return status;
}

/* Their efforts on the ports of the interval at hand, and the states at its end. */
static phx_status controllers_by(const phx_variation *var, const phx_variation_parameter *by, workspace *ws,
                                 double weight)
{
    const int first = var->system->control.first_x;

    phx_system_hold_sides(ws->system, var->control->side);
    const phx_status status = phx_sys_controllers(ws, var->t0 + 0.5 * var->h, false);
    phx_system_hold_sides(ws->system, NULL);
    for (int c = 0; c < ws->system->control.n; c++) {
        const controller_slot *slot = &ws->system->control.slot[c];
        for (int i = 0; i < phx_block_n(slot->block) && phx_block_sample_time(slot->block) == 0.0; i++)
            by->states[var->n_z + slot->x - first + i] += weight * ws->step.x1[slot->x + i];
    }
    return status;
}

/* ---- between the bodies ---- */
/* out (n) += sum weight times what listed forces (of an interval that begins at t), rows and ports have in the residual
 * at a view; with the multipliers lambda. */
static phx_status between_by(const phx_variation *var, const phx_variation_parameter *by, const phx_body_view *view,
                             double t, const double *lambda, double *out)
{
    const phx_system *own = var->system;
    phx_status status = PHX_OK;

    memset(by->dw, 0, (size_t)var->n_l * sizeof *by->dw);
    for (int k = 0; k < by->n && by->n_ports + by->n_forces > 0 && !status; k++) {
        workspace *ws = by->ws[k];
        ws->view = *view;
        ws->step.t0 = t;
        ws->angles.x0 = view->x0;
        ws->angles.x1 = view->x1;
        memset(by->row, 0, (size_t)var->n * sizeof *by->row);
        for (int i = 0; i < by->n_ports; i++) {
            const int id = by->ports[i];
            phx_sys_view_own_port(ws, id);
            memset(ws->ports.effort + (size_t)id * PHX_PORT_MAX, 0, PHX_PORT_MAX * sizeof *ws->ports.effort);
        }
        for (int i = 0; i < by->n_forces && view->h != 0.0 && !status; i++) {
            const force_slot *force = &ws->system->forces[by->forces[i]];
            status = phx_sys_force_of(force)->evaluate(ws, own->n_joints + by->forces[i], force, t + 0.5 * view->h,
                                                       false, by->row);
        }
        if (by->controls && view->h != 0.0 && !status)
            status = controllers_by(var, by, ws, by->weight[k]);
        for (int i = 0; i < by->n_rows; i++) {
            const int r = by->rows[i];
            phx_sys_evaluate_row(ws, r, t, view->h);
            by->row[own->n_v + r] = phx_system_row_rate(&ws->base, r) - ws->rows.w[r];
            by->dw[r] += by->weight[k] * ws->rows.w[r];
            phx_sys_apply_multiplier(ws, r, lambda[r]);
        }
        for (int i = 0; i < by->n_ports; i++)
            phx_sys_apply_port(ws, by->ports[i], by->row);
        for (int i = 0; i < var->n; i++)
            out[i] += by->weight[k] * by->row[i];
    }
    return status;
}

void phx_var_rows_by(const phx_variation *var, const phx_variation_parameter *by, const double *u, const double *mu,
                     double *out)
{
    const phx_body_view at = {.h = 0.0, .x0 = var->x1, .x1 = var->x1, .xm = var->x1, .v0 = u, .v1 = u, .vm = u};

    (void)between_by(var, by, &at, var->t0 + var->h, mu, out); /* no forces, which alone could fail */
}

double phx_var_rate_by(const phx_variation_parameter *by, int k)
{
    return by->dw[k];
}

/* ---- momenta and impulses of free components ---- */
/* wanted += those of the weight h m g at the mean centre of mass, of one body. */
static void weight_by(const phx_variation *var, const phx_variation_parameter *by, const touched_body *one,
                      double *wanted)
{
    const phx_system *system = var->system;
    const body_slot *slot = &system->bodies[one->b];
    const double *ends[2] = {var->x0 + slot->x, var->x1 + slot->x};
    double moment[3], torque[3];

    for (int k = 0; k < by->n; k++) {
        const phx_body *body = by->ws[k]->system->bodies[one->b].body;
        const double *gravity = by->ws[k]->system->gravity, h = var->h * by->weight[k];
        for (int a = 0; a < system->dim; a++)
            wanted[a] += h * phx_body_at_rest(body)->mass * gravity[a];
        for (int end = 0; end < 2; end++) {
            phx_body_moment(body, ends[end], moment);
            phx_vec_x_vec(system->dim, moment, gravity, torque);
            for (int c = 0; c < system->n_rot; c++)
                wanted[system->dim + c] += 0.5 * h * torque[c];
        }
    }
}

/* Loads that push it, with the views of the interval that the neighbours have. */
static void loads_by(const phx_variation *var, const phx_variation_parameter *by, int index, double *wanted)
{
    for (int i = 0; i < by->n_forces; i++) {
        const force_slot *force = &var->system->forces[by->forces[i]];
        if (!phx_sys_pushes_freely(var->system, force) ||
            var->system->bodies[var->system->ports[force->a].body].component != index)
            continue;
        for (int k = 0; k < by->n; k++) {
            double impulse[VARIATION_PER] = {0.0};
            phx_sys_load_impulse(by->ws[k]->system, &by->ws[k]->system->forces[by->forces[i]],
                                 &by->ws[k]->ports.view[force->a], var->t0, var->h, impulse);
            for (int c = 0; c < VARIATION_PER; c++)
                wanted[c] += by->weight[k] * impulse[c];
        }
    }
}

/* At the start of the step and by weights and loads; phx_variation_by_parameter was before. */
void phx_var_wanted_by(const phx_variation *var, const phx_variation_parameter *by, int index, double *wanted)
{
    const component_slot *component = &var->system->components.slot[index];
    const int per = var->components[index].per;
    double *momenta = var->room[7], all[VARIATION_PER] = {0.0};

    memset(momenta, 0, (size_t)var->n_v * sizeof *momenta);
    phx_var_mass_by(by, var->x0, var->v0, momenta);
    phx_var_rigid_momenta(var->system, component, var->x0, per, momenta, all);
    for (int t = 0; t < by->n_bodies; t++)
        if (var->system->bodies[by->bodies[t].b].component == index)
            weight_by(var, by, &by->bodies[t], all);
    for (int c = 0; c < per; c++)
        wanted[c] += all[c] + by->loads[index * VARIATION_PER + c];
}

/* ---- the step ---- */
/* The interval at hand, which ends with `end`. */
static phx_body_view interval_view(const phx_variation *var, double *end)
{
    for (int i = 0; i < var->n_v; i++)
        end[i] = 2.0 * var->vm[i] - var->v0[i];
    return (phx_body_view){
        .h = var->h, .x0 = var->x0, .x1 = var->x1, .xm = var->xm, .v0 = var->v0, .v1 = end, .vm = var->vm};
}

/* out += what is between the bodies, and by->loads: the impulses of loads. */
static phx_status interval_between(const phx_variation *var, const phx_variation_parameter *by,
                                   const phx_body_view *view, double *out)
{
    phx_status status = samples_by(var, by);

    if (!status)
        status = between_by(var, by, view, var->t0, var->lambda, out);
    for (int c = 0; c < var->system->components.n && !status && var->system->components.any_free; c++) {
        memset(by->loads + c * VARIATION_PER, 0, VARIATION_PER * sizeof *by->loads);
        loads_by(var, by, c, by->loads + c * VARIATION_PER);
    }
    return status;
}

/* The parts of touched bodies and of what is between them; then the projection, by its equations. */
phx_status phx_variation_by_parameter(phx_variation *var, phx_variation_parameter *by, double *r, double *dv_p)
{
    double *end = var->room[1];

    memset(r, 0, (size_t)var->n * sizeof *r);
    memset(dv_p, 0, (size_t)(var->n_v + 2 * var->n_z) * sizeof *dv_p);
    if (!phx_variation_touches(by)) /* of the start or of outputs alone */
        return PHX_OK;
    const phx_body_view view = interval_view(var, end);
    for (int t = 0; t < by->n_bodies; t++) {
        body_residual_by(var, by, &by->bodies[t], end, r);
        end_by(var, by, &by->bodies[t], end, dv_p);
    }
    const phx_status status = interval_between(var, by, &view, r);
    memcpy(dv_p + var->n_v, by->states, 2 * (size_t)var->n_z * sizeof *dv_p);
    return status ? status : phx_var_project_tangent(var, by, NULL, NULL, NULL, dv_p);
}

/* ---- the step, with adjoints ---- */
/* The part of a body: its residual, its velocity at the end, the mass matrix in the projection, momenta and weight. */
static void contract_body(phx_variation *var, const phx_variation_parameter *by, const touched_body *one,
                          const double *end, int n, double *kept, int stride, double *change)
{
    const body_slot *slot = &var->system->bodies[one->b];
    const component_slot *component = &var->system->components.slot[slot->component];
    const int size = phx_variation_adjoint_size(var), v = slot->v, n_v = phx_body_n_v(slot->body);
    double weight[VARIATION_PER] = {0.0};

    memset(by->sum + v, 0, (size_t)n_v * sizeof *by->sum);
    body_residual_by(var, by, one, end, by->sum);
    for (int m = 0; m < n; m++)
        change[m * stride] -= phx_dot(n_v, phx_var_step_adjoint(var, kept + m * size).eta + v, by->sum + v);
    if (phx_body_finishes(slot->body)) {
        memset(by->sum + v, 0, (size_t)n_v * sizeof *by->sum);
        end_by(var, by, one, end, by->sum);
        for (int m = 0; m < n; m++)
            change[m * stride] += phx_dot(n_v, phx_var_step_adjoint(var, kept + m * size).end + v, by->sum + v);
    }
    for (int j = 0; j < VARIATION_RATES; j++) {
        if (!var->rate[j])
            continue;
        (void)momenta_by(by, one, var->x1, var->rate[j]);
        for (int m = 0; m < n; m++)
            change[m * stride] += phx_dot(n_v, phx_var_step_adjoint(var, kept + m * size).mass[j] + v, by->p);
    }
    if (!component->free)
        return;
    (void)momenta_by(by, one, var->x0, var->v0);
    weight_by(var, by, one, weight);
    for (int m = 0; m < n; m++) {
        const step_adjoint at = phx_var_step_adjoint(var, kept + m * size);
        change[m * stride] += phx_dot(n_v, at.start + v, by->p) +
                              phx_dot(VARIATION_PER, at.impulse + slot->component * VARIATION_PER, weight);
    }
}

/* The parts of the rows in the projection, and of the rates that drives prescribe. */
static void contract_rows(phx_variation *var, const phx_variation_parameter *by, int n, double *kept, int stride,
                          double *change)
{
    const int size = phx_variation_adjoint_size(var);
    double *next = var->room[0], *none = var->room[1];
    const double *u[3] = {next, var->drive, var->v};
    const double *mu[3] = {var->correction + var->n_v, var->drive + var->n_v, none};

    for (int i = 0; i < var->n_v; i++)
        next[i] = var->v[i] + var->correction[i];
    memset(none, 0, (size_t)var->n * sizeof *none);
    for (int j = 0; j < (var->drives ? 3 : 1); j++) {
        memset(by->sum, 0, (size_t)var->n * sizeof *by->sum);
        phx_var_rows_by(var, by, u[j], mu[j], by->sum);
        for (int m = 0; m < n; m++) {
            const step_adjoint at = phx_var_step_adjoint(var, kept + m * size);
            change[m * stride] += phx_dot(var->n, at.rows[j], by->sum);
            if (j == 0)
                change[m * stride] += phx_dot(var->n_l, at.rate, by->dw);
        }
    }
}

/* Bodies one after the other, then what is between them: forces and rows of the interval, impulses of loads, and the
 * rows of the projection, each times its adjoint. */
phx_status phx_variation_contract(phx_variation *var, phx_variation_parameter *by, int n, double *kept, int stride,
                                  double *change)
{
    const int size = phx_variation_adjoint_size(var);
    double *end = var->room[2];
    phx_status status = PHX_OK;

    if (!phx_variation_touches(by))
        return PHX_OK;
    const phx_body_view view = interval_view(var, end);
    for (int t = 0; t < by->n_bodies; t++)
        contract_body(var, by, &by->bodies[t], end, n, kept, stride, change);
    if (by->n_ports + by->n_forces == 0)
        return PHX_OK;
    memset(by->sum, 0, (size_t)var->n * sizeof *by->sum);
    status = interval_between(var, by, &view, by->sum);
    for (int m = 0; m < n && !status; m++) {
        const step_adjoint at = phx_var_step_adjoint(var, kept + m * size);
        change[m * stride] += phx_dot(var->n_z, at.states[0], by->states) +
                              phx_dot(var->n_z, at.states[1], by->states + var->n_z) - phx_dot(var->n, at.eta, by->sum);
        if (var->system->components.any_free)
            change[m * stride] += phx_dot(VARIATION_PER * var->system->components.n, at.impulse, by->loads);
    }
    if (!status && by->n_rows > 0)
        contract_rows(var, by, n, kept, stride, change);
    return status;
}
