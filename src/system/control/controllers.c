/* Controllers at an instant or over an interval: measurements, what the blocks make of them, efforts and powers.
 *
 *   P^T e += u_i e_i          e_i: effort of size one of actuation i
 *   y_flow = e_i . zeta       its power is u_i y_flow, booked as supplied, or for a block that stores as its loss */
#include "system/system_internal.h"

#include <string.h>

/* ---- the part of a workspace ---- */
int phx_sys_measure_ports(const phx_system *system, const measure *gauge, phx_port_id ports[2])
{
    if (gauge->kind == MEASURE_FLOW) {
        ports[0] = system->control.actuations[gauge->actuation].a;
        ports[1] = system->control.actuations[gauge->actuation].b;
        return ports[1] < 0 ? 1 : 2;
    }
    const output_slot *output = gauge->kind == MEASURE_OUTPUT ? &system->channels.outputs[gauge->output] : NULL;
    if (output && output->def.quantity != PHX_QUANTITY_COORDINATE && output->def.quantity != PHX_QUANTITY_RATE) {
        ports[0] = output->def.port;
        return 1;
    }
    const joint_slot *joint = &system->joints[output ? output->def.joint : gauge->joint];
    const coordinate_slot *coordinate = &joint->coordinates[output ? gauge->component : gauge->coordinate];
    ports[0] = coordinate->a;
    ports[1] = coordinate->b;
    return 2;
}

/* Calls a function for every port on which a controller acts or at which it measures continuously; ports may come
 * repeatedly. */
void phx_sys_each_controlled_port(const phx_system *system, phx_sys_port_fn *function, void *user)
{
    phx_port_id ports[2];

    for (int i = 0; i < system->control.n_actuations; i++) {
        function(user, system->control.actuations[i].a);
        if (system->control.actuations[i].b >= 0)
            function(user, system->control.actuations[i].b);
    }
    for (int c = 0; c < system->control.n; c++)
        for (int k = 0; k < system->control.slot[c].n_inputs; k++) {
            const measure *gauge = &system->control.slot[c].inputs[k];
            for (int p = gauge->row < 0 ? 0 : phx_sys_measure_ports(system, gauge, ports); p > 0;
                 p--) /* others: no port, or at samples */
                function(user, ports[p - 1]);
        }
}

/* Columns of all measures, in their order. */
static phx_status list_columns(phx_context *context, const phx_system *system, const port_set *of,
                               control_work *control)
{
    int total = 0;

    control->first = phx_calloc(context, (size_t)system->control.n_measures + 1, sizeof *control->first);
    if (!control->first)
        return PHX_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) { /* counting, then writing */
        total = 0;
        for (int c = 0; c < system->control.n; c++)
            for (int k = 0; k < system->control.slot[c].n_inputs; k++) {
                const measure *gauge = &system->control.slot[c].inputs[k];
                phx_port_id ports[2];
                if (gauge->row < 0)
                    continue;
                control->first[gauge->row] = total;
                const int n = phx_sys_measure_ports(system, gauge, ports);
                for (int p = 0; p < n; p++) {
                    const int count = of->count[ports[p]];
                    if (pass == 1)
                        memcpy(control->cols + total, of->cols + of->first[ports[p]],
                               (size_t)count * sizeof *control->cols);
                    total += count;
                }
            }
        control->first[system->control.n_measures] = total;
        if (pass == 1)
            break;
        control->cols = phx_calloc(context, (size_t)total, sizeof *control->cols);
        control->row = phx_calloc(context, (size_t)total, sizeof *control->row);
        if (!control->cols || !control->row)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Allocates the arrays of controllers at rest: end states, their derivatives and measured places. */
static phx_status create_rest(phx_context *context, const phx_system *system, control_work *control)
{
    const size_t states = (size_t)(system->n_x - system->control.first_x),
                 measures = (size_t)system->control.n_measures;
    size_t area = 1;

    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const size_t n = (size_t)phx_block_n(slot->block) * (size_t)slot->n_inputs;
        area = n > area ? n : area;
    }
    const phx_array arrays[] = {{&control->rest.z, states},
                                {&control->rest.by_y, states * measures},
                                {&control->rest.place, measures},
                                {&control->rest.S, area}};

    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

/* Allocates the working arrays of all controllers and lists the columns that each measurement depends on; nothing for a
 * system without controllers. */
phx_status phx_sys_control_create(phx_context *context, const phx_system *system, const port_set *ports,
                                  control_work *control)
{
    const size_t outputs = (size_t)system->control.n_actuations, measures = (size_t)system->control.n_measures;
    size_t in = 1, area = 1;

    if (system->control.n == 0)
        return PHX_OK;
    for (int c = 0; c < system->control.n; c++) {
        const size_t n_in = (size_t)system->control.slot[c].n_inputs;
        const size_t n = n_in * (size_t)system->control.slot[c].n_outputs;
        in = n_in > in ? n_in : in;
        area = n > area ? n : area;
    }
    const phx_array arrays[] = {{&control->u, outputs},
                                {&control->flow, outputs},
                                {&control->y, in},
                                {&control->effort, outputs * PAIR_SIZE},
                                {&control->S, area},
                                {&control->by_row, outputs * measures},
                                {&control->columns, (size_t)system->channels.n_columns}};
    phx_status status = phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
    if (!status && control->rest.on)
        status = create_rest(context, system, control);
    control->room = status ? NULL : phx_calloc(context, (size_t)system->control.n, sizeof *control->room);
    if (!control->room)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < system->control.n; c++) {
        control->room[c] = phx_calloc(context, phx_block_room(system->control.slot[c].block), sizeof(double));
        if (!control->room[c])
            return PHX_ERR_MEMORY;
    }
    return list_columns(context, system, ports, control);
}

void phx_sys_control_free(const phx_system *system, control_work *control)
{
    double *arrays[] = {control->u,      control->flow,      control->y,          control->effort,
                        control->S,      control->by_row,    control->columns,    control->row,
                        control->rest.z, control->rest.by_y, control->rest.place, control->rest.S};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    for (int c = 0; c < system->control.n && control->room; c++)
        phx_free(control->room[c]);
    phx_free(control->room);
    phx_free(control->first);
    phx_free(control->cols);
}

/* ---- efforts of size one ---- */
static phx_status unit_effort(workspace *ws, int i, bool tangents, phx_load_result *result)
{
    const phx_system *system = ws->system;
    const actuation *one = &system->control.actuations[i];
    const phx_port_view *a = &ws->ports.view[one->a], *b = one->b < 0 ? NULL : &ws->ports.view[one->b];

    if (one->joint >= 0) {
        const phx_row *row = &system->joints[one->joint].coordinates[one->coordinate].row;
        phx_row_covectors(row, a, b, result->effort, result->effort + PHX_PORT_MAX);
        if (tangents)
            memset(result->tangent, 0, sizeof result->tangent);
        result->has_tangent = tangents && phx_row_tangent(row, a, b, result->tangent);
        return PHX_OK;
    }
    const phx_status status = b ? phx_line_spring_evaluate(ws->base.context, &one->spring, a, b, 0.0, tangents, result)
                                : phx_port_load_evaluate(ws->base.context, &one->load, a, 0.0, tangents, result);
    return status ? phx_fail_prefix(ws->base.context, status, "'%s': ", system->forces[one->force].name) : PHX_OK;
}

/* Unit effort of an actuation on its ports and the conjugate flow e_i . zeta, over the interval or at the instant. */
phx_status phx_sys_find_flow(workspace *ws, int i)
{
    const int size = phx_port_size(ws->system->dim);
    const actuation *one = &ws->system->control.actuations[i];
    double *effort = ws->control.effort + (size_t)i * PAIR_SIZE;
    phx_load_result result = {0};
    const phx_status status = unit_effort(ws, i, false, &result);

    if (status)
        return status;
    memcpy(effort, result.effort, PAIR_SIZE * sizeof *effort);
    ws->control.flow[i] = phx_dot(size, effort, ws->ports.view[one->a].rate);
    if (one->b >= 0)
        ws->control.flow[i] += phx_dot(size, effort + PHX_PORT_MAX, ws->ports.view[one->b].rate);
    return PHX_OK;
}

/* ---- the blocks ---- */
void phx_sys_control_chain(workspace *ws, const controller_slot *slot, int count, const double *S, double *rows)
{
    const phx_system *system = ws->system;
    const int n = system->control.n_measures;

    for (int k = 0; k < count; k++) {
        double *row = rows + (size_t)k * (size_t)n;
        memset(row, 0, (size_t)n * sizeof *row);
        for (int j = 0; j < slot->n_inputs; j++) {
            const measure *gauge = &slot->inputs[j];
            const double s = S[k * slot->n_inputs + j];
            if (gauge->row >= 0)
                row[gauge->row] += s;
            if (gauge->kind != MEASURE_CONTROLLER)
                continue;
            const controller_slot *other = &system->control.slot[gauge->controller];
            const double *from = ws->control.by_row + (size_t)(other->first_output + gauge->number) * (size_t)n;
            for (int m = 0; m < n; m++)
                row[m] += s * from[m];
        }
    }
}

/* Output u of controller c over the interval or at the instant t, and with `linear` its derivatives by all
 * measurements. Sampled controllers hold their stored output; *loss is the power that the block dissipates. */
static phx_status evaluate_one(workspace *ws, int c, double t, bool linear, double *loss)
{
    const phx_system *system = ws->system;
    const controller_slot *slot = &system->control.slot[c];
    double *u = ws->control.u + slot->first_output;

    double *rows = ws->control.by_row + (size_t)slot->first_output * (size_t)system->control.n_measures;

    *loss = 0.0;
    if (ws->control.held) {
        memset(rows, 0, (size_t)(slot->n_outputs * system->control.n_measures) * sizeof *rows);
        return PHX_OK;
    }
    if (ws->control.rest.on)
        return phx_sys_controller_at_rest(ws, c, t, rows);
    if (phx_block_sample_time(slot->block) > 0.0) {
        memcpy(u, ws->view.x0 + slot->x + phx_block_n(slot->block), (size_t)slot->n_outputs * sizeof *u);
        memset(rows, 0, (size_t)(slot->n_outputs * system->control.n_measures) * sizeof *rows);
        return PHX_OK;
    }
    for (int k = 0; k < slot->n_inputs; k++)
        ws->control.y[k] = phx_sys_measure(ws, &slot->inputs[k]);
    phx_block_result result = {
        .u = u, .S = linear ? ws->control.S : NULL, .z1 = ws->view.h == 0.0 ? NULL : ws->step.x1 + slot->x};
    const phx_status status = phx_block_evaluate(slot->block, ws->base.context, t, ws->view.h, ws->view.x0 + slot->x,
                                                 ws->control.y, ws->control.room[c], &result);
    if (!status && linear)
        phx_sys_control_chain(ws, slot, slot->n_outputs, ws->control.S, rows);
    *loss = result.dissipation;
    return status;
}

static void book(workspace *ws, const controller_slot *slot, double loss, bool linear)
{
    double power = loss;

    if (phx_block_stores(slot->block)) {
        ws->forces.power.dissipated += power;
    } else {
        power = phx_dot(slot->n_outputs, ws->control.u + slot->first_output, ws->control.flow + slot->first_output);
        ws->forces.power.supplied += power;
    }
    if (!linear && slot->entry >= 0)
        ws->forces.flow[slot->entry] += power;
}

/* u e_i on the ports; K -= u P^T (de_i/dxi) W */
static phx_status controllers_apply(workspace *ws, int i, bool linear)
{
    const actuation *one = &ws->system->control.actuations[i];
    const double *effort = ws->control.effort + (size_t)i * PAIR_SIZE, u = ws->control.u[i];
    phx_load_result result = {0};

    for (int k = 0; k < phx_port_size(ws->system->dim); k++) {
        ws->ports.effort[(size_t)one->a * PHX_PORT_MAX + (size_t)k] += u * effort[k];
        if (one->b >= 0)
            ws->ports.effort[(size_t)one->b * PHX_PORT_MAX + (size_t)k] += u * effort[PHX_PORT_MAX + k];
    }
    if (!linear)
        return PHX_OK;
    const phx_status status = unit_effort(ws, i, true, &result);
    if (!status && result.has_tangent)
        ws->by->pair_add(ws, one->pair, -u, result.tangent);
    if (!status && result.has_rate_tangent)
        ws->by->pair_rate_add(ws, one->pair, -u, result.rate_tangent);
    return status;
}

/* Evaluates all controllers in their order, books their power and adds their efforts to the ports; with `linear` also
 * the feedback to the matrix, theory 13 (3). */
phx_status phx_sys_controllers(workspace *ws, double t, bool linear)
{
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    for (int i = 0; i < system->control.n_actuations && !status; i++)
        status = phx_sys_find_flow(ws, i);
    for (int k = 0; k < system->control.n && !status; k++) {
        const int c = system->control.order[k];
        double loss;
        status = evaluate_one(ws, c, t, linear, &loss);
        if (!status)
            book(ws, &system->control.slot[c], loss, linear);
    }
    for (int i = 0; i < system->control.n_actuations && !status; i++)
        status = controllers_apply(ws, i, linear);
    if (!status && linear && !ws->control.open)
        phx_sys_control_couple(ws);
    return status;
}

/* Rates z' = f(z, y) of the states of continuous controllers at the present instant; zero for sampled ones. */
void phx_system_controllers_flow(phx_dae *dae, double t, const double *x, double *z_dot)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;

    memset(z_dot, 0, (size_t)(system->n_x - system->control.first_x) * sizeof *z_dot);
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        if (phx_block_sample_time(slot->block) > 0.0 || phx_block_n(slot->block) == 0)
            continue;
        for (int k = 0; k < slot->n_inputs; k++)
            ws->control.y[k] = phx_sys_measure(ws, &slot->inputs[k]);
        phx_block_flow(slot->block, t, x + slot->x, ws->control.y, ws->control.room[c],
                       z_dot + slot->x - system->control.first_x);
    }
}

double phx_sys_controllers_energy(const phx_system *system, const double *x)
{
    double sum = 0.0;
    for (int c = 0; c < system->control.n; c++)
        sum += phx_block_energy(system->control.slot[c].block, x + system->control.slot[c].x);
    return sum;
}
