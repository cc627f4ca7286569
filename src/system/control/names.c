/* Controllers of a system: adding them, and what their names stand for. */
#include "system/channels/channels.h"

#include <string.h>

/* ---- adding ---- */
static phx_status copy_names(phx_context *context, int count, const char *const *names, char ***copies)
{
    *copies = phx_calloc(context, (size_t)count, sizeof **copies);
    if (!*copies)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        (*copies)[k] = phx_strdup(context, names[k]);
        if (!(*copies)[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static void free_controller(controller_slot *slot)
{
    for (int k = 0; k < slot->n_inputs && slot->input_names; k++)
        phx_free(slot->input_names[k]);
    for (int k = 0; k < slot->n_outputs && slot->output_names; k++)
        phx_free(slot->output_names[k]);
    phx_free(slot->input_names);
    phx_free(slot->output_names);
    phx_free(slot->inputs);
    phx_free(slot->name);
    phx_block_destroy(slot->block);
}

void phx_sys_controllers_free(controller_list *controllers)
{
    for (int c = 0; c < controllers->n; c++)
        free_controller(&controllers->slot[c]);
    phx_free(controllers->slot);
    phx_free(controllers->order);
    phx_free(controllers->actuations);
    phx_signal_destroy(controllers->unit);
}

/* Checks name, inputs and outputs of a controller definition. */
static phx_status names_check_def(const phx_system *system, const phx_controller_def *def)
{
    phx_context *context = system->context;

    if (!def->name)
        return phx_fail_null(context, "phx_system_add_controller", "the name of a controller");
    if (system->building.finalised)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the system is finalised; nothing can be added");
    if (def->n_inputs < 0 || def->n_outputs < 0 || (def->n_inputs > 0 && !def->inputs) ||
        (def->n_outputs > 0 && !def->outputs))
        return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': its inputs or outputs are missing", def->name);
    if (def->kind == PHX_CONTROLLER_PORT_HAMILTONIAN && def->n_inputs > 0)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "controller '%s': a port_hamiltonian measures the flows of its ports and has no other inputs",
                        def->name);
    for (int c = 0; c < system->control.n; c++)
        if (strcmp(system->control.slot[c].name, def->name) == 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "there are two controllers '%s'", def->name);
    return PHX_OK;
}

/* Adds a controller; its blocks and signals become the system's, also after an error. A port_hamiltonian measures the
 * flows of its own ports. */
phx_status phx_system_add_controller(phx_system *system, const phx_controller_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    phx_context *context = system->context;
    phx_status status = names_check_def(system, def);
    controller_slot slot = {.entry = -1}, *bigger = NULL;
    phx_controller_def own = *def;

    if (def->kind == PHX_CONTROLLER_PORT_HAMILTONIAN) {
        own.n_inputs = def->n_outputs;
        own.reference = NULL; /* none: it has no inputs of its own */
    }
    if (status) {
        phx_controller_def_release(def);
        return status;
    }
    status = phx_block_create(context, &own, &slot.block);
    slot.n_outputs = def->n_outputs;
    slot.n_inputs = own.n_inputs;
    if (!status)
        slot.name = phx_strdup(context, def->name);
    if (!status && !slot.name)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = copy_names(context, slot.n_outputs, def->outputs, &slot.output_names);
    if (!status && def->n_inputs > 0)
        status = copy_names(context, slot.n_inputs, def->inputs, &slot.input_names);
    if (!status) {
        bigger = phx_realloc(context, system->control.slot, (size_t)system->control.n + 1, sizeof *bigger);
        status = bigger ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (status) {
        free_controller(&slot);
        return phx_conclude(context, status);
    }
    system->control.slot = bigger;
    system->control.slot[system->control.n++] = slot;
    return phx_conclude(context, PHX_OK);
}

/* ---- states ---- */
void phx_sys_controllers_number(phx_system *system)
{
    system->control.first_x = system->n_x;
    system->control.n_actuations = 0;
    for (int c = 0; c < system->control.n; c++) {
        controller_slot *slot = &system->control.slot[c];
        slot->x = system->n_x;
        slot->first_output = system->control.n_actuations;
        system->control.n_actuations += slot->n_outputs;
        system->n_x += phx_block_n(slot->block);
        if (phx_block_sample_time(slot->block) > 0.0)
            system->n_x += slot->n_outputs * (1 + phx_block_delay(slot->block));
    }
}

void phx_sys_controllers_start(const phx_system *system, double *x)
{
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const size_t n = (size_t)phx_block_n(slot->block);
        memcpy(x + slot->x, phx_block_initial(slot->block), n * sizeof *x);
    }
}

/* ---- measurements ---- */
#define QUANTITY_NAME(NAME, name, dims) #name,
static const char *const quantity_names[] = {PHX_QUANTITY_LIST(QUANTITY_NAME)};
#undef QUANTITY_NAME

static phx_status refuse_quantity(const phx_system *system, const controller_slot *slot, const char *name,
                                  phx_quantity quantity)
{
    return phx_fail(system->context, PHX_ERR_INPUT,
                    "controller '%s': it cannot measure '%s' continuously, because %s %s; give the controller a "
                    "`sample`, or measure positions, angles, deformations, coordinates or their rates",
                    slot->name, name, quantity_names[quantity],
                    phx_system_quantity_info(quantity)->order == 2
                        ? "follows its effort without delay, an algebraic loop"
                        : "has no mean over a step in these axes");
}

/* "NAME.uK" of another controller. */
static bool find_controller(const phx_system *system, const char *name, measure *found)
{
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const size_t length = strlen(slot->name);
        if (strncmp(name, slot->name, length) != 0 || name[length] != '.' || name[length + 1] != 'u')
            continue;
        const char *digits = name + length + 2;
        int number = 0;
        for (; *digits >= '0' && *digits <= '9' && number < 10000; digits++)
            number = 10 * number + (*digits - '0');
        if (*digits || number < 1 || number > slot->n_outputs)
            continue;
        *found = (measure){.kind = MEASURE_CONTROLLER, .controller = c, .number = number - 1};
        return true;
    }
    return false;
}

static int output_of(const phx_system *system, int column)
{
    int i = 0;
    while (column >= system->channels.outputs[i].first + system->channels.outputs[i].count)
        i++;
    return i;
}

/* The nearest names of actuations or measurements, for messages. */
static phx_shown hint_of(const catalog *list, const char *name, bool acts)
{
    phx_nearest nearest = phx_nearest_to(name);

    for (int i = 0; i < list->n_entries; i++) {
        const entry *one = &list->entries[i];
        const bool joint = one->kind == ENTRY_MOTION && list->motions[one->index].joint >= 0;
        const bool effort = one->kind == ENTRY_LOAD || (joint && one->part == PART_EFFORT);
        const bool moves = joint && (one->part == PART_RATE || one->part == PART_POSITION);
        if (acts ? effort : one->kind == ENTRY_COLUMN || moves)
            phx_nearest_offer(&nearest, one->name);
    }
    return phx_nearest_hint(&nearest);
}

static phx_status unknown_measure(const catalog *list, const controller_slot *slot, const char *name)
{
    return phx_fail(list->system->context, PHX_ERR_INPUT,
                    "controller '%s': there is nothing to measure called '%s'; it can be an output, JOINT.coordinate, "
                    "JOINT.rate or CONTROLLER.u1%s",
                    slot->name, name, hint_of(list, name, false).text);
}

/* Resolves the name of a controller input to an output of another controller, an output column or a coordinate of a
 * joint; fails for quantities that it cannot measure. */
static phx_status resolve_measure(catalog *list, const controller_slot *slot, const char *name, measure *gauge)
{
    const phx_system *system = list->system;
    phx_status status = PHX_OK;

    if (find_controller(system, name, gauge))
        return PHX_OK;
    const entry *found = phx_sys_catalog_find(list, name, false, &status);
    if (status)
        return phx_fail_prefix(system->context, status, "controller '%s': ", slot->name);
    if (!found)
        return unknown_measure(list, slot, name);
    if (found->kind == ENTRY_COLUMN) {
        const int output = output_of(system, found->index);
        const output_slot *of = &system->channels.outputs[output];
        *gauge = (measure){.kind = MEASURE_OUTPUT, .output = output, .component = found->index - of->first};
        if (phx_block_sample_time(slot->block) == 0.0 && !phx_sys_quantity_fits(system, &of->def))
            return refuse_quantity(system, slot, name, of->def.quantity);
        return PHX_OK;
    }
    const motion *what = &list->motions[found->index];
    if (what->joint < 0)
        return phx_fail(system->context, PHX_ERR_INPUT,
                        "controller '%s': '%s' is a motion of a linear model; measure an output instead, and add one "
                        "for it under `outputs`",
                        slot->name, name);
    if (found->part != PART_RATE && found->part != PART_POSITION)
        return refuse_quantity(system, slot, name,
                               found->part == PART_EFFORT ? PHX_QUANTITY_EFFORT : PHX_QUANTITY_ACCELERATION);
    *gauge = (measure){.kind = found->part == PART_RATE ? MEASURE_RATE : MEASURE_COORDINATE,
                       .joint = what->joint,
                       .coordinate = what->coordinate};
    return PHX_OK;
}

/* ---- actuations ---- */
static phx_status unknown_actuation(const catalog *list, const controller_slot *slot, const char *name)
{
    return phx_fail(list->system->context, PHX_ERR_INPUT,
                    "controller '%s': there is nothing to act with called '%s'; it can be JOINT.effort, a component "
                    "of a load, LOAD.fx, or SPRING.force%s",
                    slot->name, name, hint_of(list, name, true).text);
}

/* Actuation along a coordinate of a joint; fails if that coordinate is driven. */
static phx_status along_joint(const phx_system *system, const controller_slot *slot, const char *name,
                              const motion *what, actuation *effort)
{
    const joint_slot *joint = &system->joints[what->joint];

    if (joint->coordinates[what->coordinate].driven_row >= 0)
        return phx_fail(system->context, PHX_ERR_INPUT,
                        "controller '%s': joint '%s' is driven at a prescribed speed, so that '%s' would do nothing; "
                        "leave out its `speed`",
                        slot->name, joint->name, name);
    *effort = (actuation){.pair = what->joint,
                          .a = joint->coordinates[what->coordinate].a,
                          .b = joint->coordinates[what->coordinate].b,
                          .joint = what->joint,
                          .coordinate = what->coordinate,
                          .force = -1};
    return PHX_OK;
}

/* Actuation by a line force or a component of a load at a port, with unit magnitude; fails for loads spread over a
 * body. */
static phx_status by_force(const phx_system *system, const controller_slot *slot, const char *name, const entry *found,
                           actuation *effort)
{
    const force_slot *force = &system->forces[found->index];

    if (force->kind == FORCE_DISTRIBUTED)
        return phx_fail(system->context, PHX_ERR_INPUT,
                        "controller '%s': '%s' is spread over a body; act with a force or torque at a port", slot->name,
                        name);
    *effort = (actuation){
        .pair = system->n_joints + found->index, .a = force->a, .b = force->b, .joint = -1, .force = found->index};
    if (force->kind == FORCE_LINE) {
        effort->spring.force = system->control.unit;
        return PHX_OK;
    }
    effort->load = force->load;
    for (int k = 0; k < 3; k++)
        effort->load.component[k] = k == found->part ? system->control.unit : NULL;
    return PHX_OK;
}

/* Resolves the name of a controller output to the effort of a coordinate or a load. */
static phx_status resolve_actuation(catalog *list, const controller_slot *slot, const char *name, actuation *effort)
{
    const phx_system *system = list->system;
    phx_status status = PHX_OK;
    const entry *found = phx_sys_catalog_find(list, name, true, &status);

    if (status)
        return phx_fail_prefix(system->context, status, "controller '%s': ", slot->name);
    if (!found)
        return unknown_actuation(list, slot, name);
    if (found->kind == ENTRY_LOAD)
        return by_force(system, slot, name, found, effort);
    const motion *what = &list->motions[found->index];
    if (what->joint < 0)
        return phx_fail(
            system->context, PHX_ERR_INPUT,
            "controller '%s': '%s' is a motion of a linear model; add a load at that port under `loads` and "
            "act with its component",
            slot->name, name);
    if (found->part != PART_EFFORT)
        return phx_fail(system->context, PHX_ERR_INPUT, "controller '%s': '%s' is a motion; act with an effort",
                        slot->name, name);
    return along_joint(system, slot, name, what, effort);
}

/* ---- the order in which they are evaluated ---- */
typedef enum visit_state { UNSEEN, OPEN, DONE } visit_state;

/* Depth-first search that places controller c after all controllers it reads; fails if they read each other in a
 * loop. */
static phx_status visit(phx_system *system, int c, visit_state *seen, int *placed)
{
    const controller_slot *slot = &system->control.slot[c];

    seen[c] = OPEN;
    for (int k = 0; k < slot->n_inputs; k++) {
        const measure *gauge = &slot->inputs[k];
        if (gauge->kind != MEASURE_CONTROLLER || seen[gauge->controller] == DONE)
            continue;
        if (seen[gauge->controller] == OPEN)
            return phx_fail(system->context, PHX_ERR_INPUT,
                            "controller '%s' and controller '%s' read each other in a loop; make one controller of "
                            "both",
                            slot->name, system->control.slot[gauge->controller].name);
        const phx_status status = visit(system, gauge->controller, seen, placed);
        if (status)
            return status;
    }
    seen[c] = DONE;
    system->control.order[(*placed)++] = c;
    return PHX_OK;
}

/* Orders the controllers so that each comes after those it reads. */
static phx_status put_in_order(phx_system *system)
{
    const size_t n = (size_t)system->control.n;
    visit_state *seen = phx_calloc(system->context, n, sizeof *seen);
    int placed = 0;
    phx_status status = PHX_OK;

    system->control.order = phx_calloc(system->context, n, sizeof *system->control.order);
    if (!seen || !system->control.order)
        status = PHX_ERR_MEMORY;
    for (int c = 0; c < system->control.n && !status; c++)
        if (seen[c] == UNSEEN)
            status = visit(system, c, seen, &placed);
    phx_free(seen);
    return status;
}

/* Numbers the rows of derivatives: of measurements that depend on the motion of the mechanism alone. */
static void number_measures(phx_system *system)
{
    for (int c = 0; c < system->control.n; c++)
        for (int k = 0; k < system->control.slot[c].n_inputs; k++) {
            measure *gauge = &system->control.slot[c].inputs[k];
            const bool fits = gauge->kind != MEASURE_OUTPUT ||
                              phx_sys_quantity_fits(system, &system->channels.outputs[gauge->output].def);
            gauge->row = fits && gauge->kind != MEASURE_CONTROLLER ? system->control.n_measures++ : -1;
        }
}

/* Resolves all outputs and inputs of one controller; one without input names measures the flows of its actuations. */
static phx_status resolve_one(catalog *list, phx_system *system, controller_slot *slot)
{
    phx_status status = PHX_OK;

    slot->inputs = phx_calloc(system->context, (size_t)slot->n_inputs, sizeof *slot->inputs);
    if (!slot->inputs)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < slot->n_outputs && !status; k++)
        status =
            resolve_actuation(list, slot, slot->output_names[k], &system->control.actuations[slot->first_output + k]);
    for (int k = 0; k < slot->n_inputs && !status; k++) {
        if (slot->input_names)
            status = resolve_measure(list, slot, slot->input_names[k], &slot->inputs[k]);
        else
            slot->inputs[k] = (measure){.kind = MEASURE_FLOW, .actuation = slot->first_output + k};
    }
    return status;
}

/* Resolves the names of all controllers when the system is finalised, orders them and numbers their measurements. */
phx_status phx_sys_controllers_resolve(phx_system *system)
{
    catalog list = {0};
    phx_status status = PHX_OK;

    if (system->control.n == 0)
        return PHX_OK;
    system->control.actuations =
        phx_calloc(system->context, (size_t)system->control.n_actuations, sizeof *system->control.actuations);
    if (!system->control.actuations)
        return PHX_ERR_MEMORY;
    if (!system->control.unit)
        status = phx_signal_create_constant(system->context, 1.0, &system->control.unit);
    if (!status)
        status = phx_sys_catalog_create(system, &list);
    for (int c = 0; c < system->control.n && !status; c++)
        status = resolve_one(&list, system, &system->control.slot[c]);
    phx_sys_catalog_free(&list);
    if (!status)
        status = put_in_order(system);
    if (!status)
        number_measures(system);
    return status;
}
