/* Freezing a system: numbering, rows, components, assembly. */
#include "system/forces/forces.h"

#include <string.h>

/* Appends a force element for every coordinate with a spring, damper, actuator, stop or friction; those of rigid
 * contacts are off until the contact closes. */
static phx_status add_coordinate_forces(phx_system *system)
{
    for (int j = 0; j < system->n_joints; j++) {
        joint_slot *joint = &system->joints[j];
        for (int c = 0; c < joint->n_coordinates; c++) {
            force_slot *bigger = NULL;
            if (!phx_scalar_force_is_there(&joint->coordinates[c].along))
                continue;
            bigger = phx_realloc(system->context, system->forces, (size_t)system->n_forces + 1, sizeof *bigger);
            if (!bigger)
                return PHX_ERR_MEMORY;
            system->forces = bigger;
            system->building.cap_forces = system->n_forces + 1;
            system->forces[system->n_forces++] = (force_slot){.kind = FORCE_COORDINATE,
                                                              .a = joint->coordinates[c].a,
                                                              .b = joint->coordinates[c].b,
                                                              .joint = j,
                                                              .coordinate = c,
                                                              .off = joint->contact}; /* while it is open */
        }
    }
    return PHX_OK;
}

static void new_constraint(phx_system *system, row_role role, int j, int k)
{
    const joint_slot *joint = &system->joints[j];

    system->rows.slot[system->rows.n++] =
        (row_slot){.role = role, .joint = j, .number = k, .row = &joint->constraints[k], .a = joint->a, .b = joint->b};
}

/* A coordinate that is driven, or held for the start. */
static void new_row(phx_system *system, row_role role, int j, int c)
{
    const joint_slot *joint = &system->joints[j];
    const coordinate_slot *coordinate = &joint->coordinates[c];

    system->rows.slot[system->rows.n++] = (row_slot){.role = role,
                                                     .joint = j,
                                                     .number = joint->n_constraints + c,
                                                     .coordinate = c,
                                                     .row = &coordinate->row,
                                                     .a = coordinate->a,
                                                     .b = coordinate->b};
}

/* Offsets of bodies, rows of joints (constraints, drives, values held for the start), forces along coordinates. */
phx_status phx_sys_number(phx_system *system)
{
    size_t most = 0;
    phx_status status = add_coordinate_forces(system);

    if (status)
        return status;
    system->n_x = system->n_v = 0;
    system->traits.lossless = true;
    for (int b = 0; b < system->n_bodies; b++) {
        body_slot *slot = &system->bodies[b];
        slot->x = system->n_x;
        slot->v = system->n_v;
        system->n_x += phx_body_n_x(slot->body);
        system->n_v += phx_body_n_v(slot->body);
        system->traits.lossless = system->traits.lossless && phx_body_is_lossless(slot->body);
    }
    system->n_body_x = system->n_x;
    system->traits.lossless = system->traits.lossless && system->control.n == 0 && system->contacts.n == 0;
    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            coordinate_slot *coordinate = &system->joints[j].coordinates[c];
            coordinate->angle = coordinate->row.unwrapped ? system->n_x++ : -1;
        }
    phx_sys_controllers_number(system);
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        system->traits.lossless = system->traits.lossless && !phx_sys_force_of(force)->dissipates(system, force);
    }
    for (int j = 0; j < system->n_joints; j++)
        most += (size_t)(system->joints[j].n_constraints + 2 * system->joints[j].n_coordinates);
    system->rows.slot = phx_calloc(system->context, most, sizeof *system->rows.slot);
    if (!system->rows.slot)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < system->n_joints; j++) {
        joint_slot *joint = &system->joints[j];
        const bool acts = !joint->def.inactive;
        joint->first_row = system->rows.n;
        for (int k = 0; k < joint->n_constraints; k++)
            new_constraint(system, acts ? ROW_CONSTRAINT : ROW_INACTIVE, j, k);
        for (int c = 0; c < joint->n_coordinates; c++) {
            coordinate_slot *coordinate = &joint->coordinates[c];
            if (coordinate->def.speed) {
                coordinate->driven_row = system->rows.n;
                new_row(system, acts ? ROW_DRIVEN : ROW_INACTIVE, j, c);
            } else if (coordinate->def.has_start || coordinate->def.has_rate) {
                coordinate->held_row = system->rows.n;
                new_row(system, ROW_HELD, j, c);
            }
            if (coordinate->along.dry && coordinate->driven_row < 0) {
                coordinate->stick_row = system->rows.n;
                new_row(system, ROW_INACTIVE, j, c);
            }
        }
    }
    return PHX_OK;
}

/* ---- connected components ---- */
static void mark_outside_forces(phx_system *system)
{
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        const phx_body_id a = force->a >= 0 ? system->ports[force->a].body : PHX_GROUND;
        const phx_body_id b = force->b >= 0 ? system->ports[force->b].body : PHX_GROUND;
        const int ca = a >= 0 ? system->bodies[a].component : -1, cb = b >= 0 ? system->bodies[b].component : -1;
        if (force->off)
            continue;
        if (!phx_sys_force_of(force)->at_ports) /* its impulse is not booked */
            system->components.slot[system->bodies[force->body].component].free = false;
        if (force->kind == FORCE_DRAG && ca >= 0) /* nor that of the air */
            system->components.slot[ca].free = false;
        if (force->kind == FORCE_PORT || !phx_sys_force_of(force)->at_ports || ca == cb)
            continue;
        if (cb >= 0 && system->ports[force->b].port.place_alone) /* along A: between A and what slides on it */
            continue;
        if (ca >= 0)
            system->components.slot[ca].free = false;
        if (cb >= 0)
            system->components.slot[cb].free = false;
    }
    for (int i = 0; i < system->control.n_actuations; i++) { /* the impulse of a controlled load is not booked */
        const actuation *one = &system->control.actuations[i];
        const phx_body_id a = system->ports[one->a].body;
        if (one->force >= 0 && system->forces[one->force].kind == FORCE_PORT && a >= 0)
            system->components.slot[system->bodies[a].component].free = false;
    }
}

/* Sorts the bodies by connected component and sums the velocities of each component. */
static void sort_bodies(phx_system *system)
{
    int at = 0;
    for (int b = 0; b < system->n_bodies; b++)
        system->components.slot[system->bodies[b].component].count++;
    for (int c = 0; c < system->components.n; c++) {
        system->components.slot[c].first = at;
        at += system->components.slot[c].count;
        system->components.slot[c].count = 0;
    }
    for (int b = 0; b < system->n_bodies; b++) {
        component_slot *component = &system->components.slot[system->bodies[b].component];
        system->components.bodies[component->first + component->count++] = b;
        component->n_v += phx_body_n_v(system->bodies[b].body);
    }
}

/* Joins components that are not connected to the ground and exert forces on each other: their momenta are conserved
 * together. */
static phx_status join_free(phx_system *system, int *parent)
{
    bool *held = phx_calloc(system->context, (size_t)system->n_bodies, sizeof *held);

    if (!held)
        return PHX_ERR_MEMORY;
    for (int r = 0; r < system->rows.n; r++) {
        const joint_slot *joint = &system->joints[system->rows.slot[r].joint];
        const phx_body_id a = system->ports[joint->a].body, b = system->ports[joint->b].body;
        if ((a < 0 || b < 0) && phx_sys_acts(&system->rows.slot[r]))
            held[phx_sys_root_of(parent, a >= 0 ? a : b)] = true;
    }
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        const phx_body_id a = force->a >= 0 ? system->ports[force->a].body : PHX_GROUND;
        const phx_body_id b = force->b >= 0 ? system->ports[force->b].body : PHX_GROUND;
        if (!force->off && a >= 0 && b >= 0 && !held[phx_sys_root_of(parent, a)] && !held[phx_sys_root_of(parent, b)])
            parent[phx_sys_root_of(parent, a)] = phx_sys_root_of(parent, b);
    }
    phx_free(held);
    return PHX_OK;
}

/* Whether one of its rows acts, or it has none that could be switched. */
static bool acts(const phx_system *system, int j)
{
    const joint_slot *joint = &system->joints[j];
    bool any = false;

    for (int r = joint->first_row; r < system->rows.n && system->rows.slot[r].joint == j; r++) {
        if (system->rows.slot[r].role != ROW_INACTIVE)
            return true;
        any = true;
    }
    return !any;
}

/* Bodies whose origin a joint holds to the ground. */
static void mark_pivots(phx_system *system)
{
    for (int b = 0; b < system->n_bodies; b++)
        phx_body_set_pivot(system->bodies[b].body, false);
    for (int r = 0; r < system->rows.n; r++) {
        const row_slot *row = &system->rows.slot[r];
        const joint_slot *joint = &system->joints[row->joint];
        const port_slot *a = &system->ports[joint->a], *b = &system->ports[joint->b], *on = a->body < 0 ? b : a;
        const double *x = on->port.point.x;
        if (on->body >= 0 && (a->body < 0 || b->body < 0) && row->role == ROW_CONSTRAINT && !on->port.slides &&
            phx_joint_kind_info(joint->kind)->holds_points && x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0)
            phx_body_set_pivot(system->bodies[on->body].body, true);
    }
}

/* Union of bodies over joints with rows; one with a row to the ground has no momenta to keep. */
phx_status phx_sys_components(phx_system *system)
{
    int *parent = phx_calloc(system->context, (size_t)system->n_bodies, sizeof *parent);
    int count = 0;

    phx_free(system->components.bodies); /* of other joints that acted before */
    phx_free(system->components.slot);
    system->components.any_free = false;
    system->components.bodies =
        phx_calloc(system->context, (size_t)system->n_bodies, sizeof *system->components.bodies);
    system->components.slot = phx_calloc(system->context, (size_t)system->n_bodies, sizeof *system->components.slot);
    if (!parent || !system->components.slot || !system->components.bodies) {
        phx_free(parent);
        return PHX_ERR_MEMORY;
    }
    for (int b = 0; b < system->n_bodies; b++)
        parent[b] = b;
    for (int j = 0; j < system->n_joints; j++) {
        const phx_body_id a = system->ports[system->joints[j].a].body, b = system->ports[system->joints[j].b].body;
        if (a >= 0 && b >= 0 && acts(system, j))
            parent[phx_sys_root_of(parent, a)] = phx_sys_root_of(parent, b);
    }
    if (join_free(system, parent)) {
        phx_free(parent);
        return PHX_ERR_MEMORY;
    }
    for (int b = 0; b < system->n_bodies; b++)
        system->bodies[b].component = -1;
    for (int b = 0; b < system->n_bodies; b++) {
        const int root = phx_sys_root_of(parent, b);
        if (system->bodies[root].component < 0) {
            system->components.slot[count].free = true;
            system->bodies[root].component = count++;
        }
        system->bodies[b].component = system->bodies[root].component;
    }
    system->components.n = count;
    for (int r = 0; r < system->rows.n; r++) {
        row_slot *row = &system->rows.slot[r];
        const phx_body_id a = system->ports[system->joints[row->joint].a].body;
        const phx_body_id b = system->ports[system->joints[row->joint].b].body;
        component_slot *component = &system->components.slot[system->bodies[a >= 0 ? a : b].component];
        row->component = system->bodies[a >= 0 ? a : b].component;
        if ((a < 0 || b < 0) && phx_sys_acts(row))
            component->free = false;
        component->driven = component->driven || row->role == ROW_DRIVEN;
    }
    mark_pivots(system);
    mark_outside_forces(system);
    for (int c = 0; c < count; c++)
        system->components.any_free = system->components.any_free || system->components.slot[c].free;
    sort_bodies(system);
    phx_free(parent);
    return PHX_OK;
}

/* The start configuration, with the zeros of the coordinates, as it was when the system was written. */
static phx_status take_start(phx_system *system)
{
    const found_before *found = system->start.found;

    if (found->n_x != system->n_x || found->n_rows != system->rows.n || !found->x_start)
        return phx_fail(system->context, PHX_ERR_INPUT, "the system that was read does not fit its start state");
    memcpy(system->start.x, found->x_start, (size_t)system->n_x * sizeof *system->start.x);
    return PHX_OK;
}

static phx_status assemble_undeformed(phx_system *system)
{
    for (int b = 0; b < system->n_bodies; b++)
        phx_body_rest(system->bodies[b].body, system->start.x + system->bodies[b].x);
    phx_status status = phx_sys_guess_places(system, system->start.x);
    phx_sys_controllers_start(system, system->start.x);
    if (!status)
        status = phx_system_assemble(system, system->start.x);
    return status ? status : phx_sys_check_start_places(system, system->start.x);
}

static phx_status settle_forces(phx_system *system)
{
    double *none = phx_calloc(system->context, (size_t)system->n_v, sizeof *none);

    for (int i = 0; i < system->n_forces && none; i++)
        if (phx_sys_force_of(&system->forces[i])->settle)
            phx_sys_force_of(&system->forces[i])->settle(system, &system->forces[i], system->start.x, none);
    phx_free(none);
    return none ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_system_expect_numerical_damping(phx_system *system)
{
    if (!system)
        return phx_fail_null(NULL, __func__, "system");
    if (system->building.finalised || system->building.invalid)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "the system is finalised: its ledger is what it is");
    system->ledger.numerical = true;
    return phx_conclude(system->context, PHX_OK);
}

static phx_status find_start(phx_system *system)
{
    phx_status status = system->start.found ? take_start(system) : assemble_undeformed(system);

    if (status)
        return status;
    if (!system->start.found)
        phx_sys_set_offsets(system, system->start.x);
    status = settle_forces(system);
    if (status)
        return status;
    return system->start.found ? phx_sys_take_redundant(system, system->start.found->redundant)
                               : phx_sys_find_redundant(system);
}

phx_status phx_sys_need_assembly(phx_system *system)
{
    const int n = system->rows.n;
    int *every = system->start.assembly ? NULL : phx_calloc(system->context, (size_t)n, sizeof *every);
    phx_status status = every || system->start.assembly ? PHX_OK : PHX_ERR_MEMORY;

    for (int r = 0; r < n && every; r++)
        every[r] = r;
    if (every)
        status = phx_sys_workspace_create(system, system->context, PHX_BACKEND_AUTO, n, every, &system->start.assembly);
    phx_free(every);
    return status;
}

phx_status phx_system_assembly(phx_system *system, phx_dae **dae)
{
    const phx_status status = phx_sys_need_assembly(system);

    *dae = status ? NULL : &system->start.assembly->base;
    return status;
}

void phx_system_end_assembly(phx_system *system)
{
    if (!system->start.once)
        return;
    phx_sys_workspace_destroy(system->start.assembly);
    system->start.assembly = NULL;
}

void phx_system_starts_once(phx_system *system)
{
    system->start.once = true;
}

const double *phx_system_assembled(const phx_system *system)
{
    return system->building.finalised ? system->start.x : NULL;
}

/* Freezes a system: numbers its unknowns, resolves outputs and controllers, assembles the joints and finds the
 * independent rows and the start. After an error the system can only be destroyed. */
phx_status phx_system_finalise(phx_system *system)
{
    if (!system)
        return phx_fail_null(NULL, __func__, "system");
    phx_context *context = system->context;
    phx_status status = PHX_OK;

    if (system->building.finalised)
        return PHX_OK;
    if (system->building.invalid)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the system could not be finalised before; build it anew");
    if (system->n_bodies == 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the system has no body");
    system->building.invalid = true; /* until all has succeeded: what is half made may only be destroyed */
    memcpy(system->whole_gravity, system->gravity, sizeof system->gravity);
    status = phx_sys_number(system);
    if (!status)
        status = phx_sys_output_prepare(system);
    if (!status)
        status = phx_sys_controllers_resolve(system);
    if (!status)
        status = phx_sys_ledger_create(system);
    if (!status)
        status = phx_sys_components(system);
    if (!status)
        status = phx_sys_need_assembly(system);
    system->start.x = status ? NULL : phx_calloc(context, (size_t)system->n_x, sizeof *system->start.x);
    if (!status && !system->start.x)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = find_start(system);
    if (!status) {
        system->traits.varies = phx_sys_varies(system);
        system->building.finalised = true;
    }
    system->building.invalid = !system->building.finalised;
    return phx_conclude(system->context, status);
}
