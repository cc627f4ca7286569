/* The equations as analyses see them (equations.h): views of the parts of a system and of a workspace. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

/* ---- bodies, ports, joints ---- */
phx_placed_body phx_system_placed(const phx_system *system, phx_body_id id)
{
    const body_slot *slot = &system->bodies[id];

    return (phx_placed_body){slot->body, slot->x, slot->v, slot->component};
}

int phx_system_components(const phx_system *system)
{
    return system->components.n;
}

int phx_system_port_count(const phx_system *system)
{
    return system->n_ports;
}

phx_body_id phx_system_port_body(const phx_system *system, phx_port_id id)
{
    return system->ports[id].body;
}

phx_joint_view phx_system_joint(const phx_system *system, phx_joint_id id)
{
    const joint_slot *joint = &system->joints[id];

    return (phx_joint_view){.a = joint->a,
                            .b = joint->b,
                            .n_constraints = joint->n_constraints,
                            .n_coordinates = joint->n_coordinates,
                            .constraints = joint->constraints,
                            .contact = joint->contact};
}

phx_coordinate_view phx_system_coordinate(const phx_system *system, phx_joint_id id, int number)
{
    const coordinate_slot *slot = &system->joints[id].coordinates[number];

    return (phx_coordinate_view){&slot->row, slot->a, slot->b, &slot->def, slot->angle};
}

bool phx_system_slides(const phx_system *system)
{
    return system->traits.slides;
}

int phx_system_force_count(const phx_system *system)
{
    return system->n_forces;
}

void phx_system_force_ends(const phx_system *system, int k, phx_port_id ends[2])
{
    const force_slot *force = &system->forces[k];
    const bool at_ports = !force->off && force->kind != FORCE_COORDINATE && force->kind != FORCE_DISTRIBUTED;

    ends[0] = at_ports ? force->a : -1;
    ends[1] = at_ports ? force->b : -1;
}

/* ---- equations ---- */
phx_equations phx_system_equations(const phx_dae *dae)
{
    workspace *ws = (workspace *)dae;

    return (phx_equations){.n_v = ws->kkt.n_v,
                           .n_l = ws->rows.n,
                           .n = ws->kkt.n,
                           .ptr = ws->kkt.ptr,
                           .idx = ws->kkt.idx,
                           .pattern = {ws->kkt.n, ws->kkt.n, ws->kkt.ptr, ws->kkt.idx, NULL},
                           .order = ws->kkt.order,
                           .M = ws->values.M,
                           .D = ws->values.D,
                           .K = ws->values.K,
                           .val = ws->values.val,
                           .lu = &ws->mass.lu,
                           .w = ws->rows.w,
                           .g = ws->rows.covector,
                           .effort = ws->ports.effort,
                           .port = ws->ports.view};
}

phx_status phx_system_factor(phx_dae *dae, const double *val, phx_lu **lu)
{
    return phx_sys_factor((workspace *)dae, false, val, lu);
}

phx_status phx_system_solve_mass(phx_dae *dae, const double *x, double *b)
{
    workspace *ws = (workspace *)dae;
    const phx_status status = ws->by->factor_mass(ws, x);

    return status ? status : ws->by->solve_mass(ws, b);
}

void phx_system_view(phx_dae *dae, const double *x, const double *v)
{
    phx_sys_set_instant((workspace *)dae, x, v);
}

void phx_system_rows(phx_dae *dae, double t)
{
    workspace *ws = (workspace *)dae;

    ws->by->rows(ws, t, 0.0);
}

/* The row of multiplier k, with the signal of its drive. */
phx_row_view phx_system_row(const phx_dae *dae, int k)
{
    const workspace *ws = (const workspace *)dae;
    const row_slot *slot = &ws->system->rows.slot[ws->rows.index[k]];
    const bool driven = slot->role == ROW_DRIVEN;

    return (phx_row_view){.row = slot->row,
                          .a = slot->a,
                          .b = slot->b,
                          .joint = slot->joint,
                          .component = slot->component,
                          .coordinate = slot->coordinate,
                          .driven = driven,
                          .acts = phx_sys_acts(slot),
                          .speed = ws->rows.row[k].speed};
}

double phx_system_row_residuals(const phx_dae *dae, double size, const double *target, double *out)
{
    const workspace *ws = (const workspace *)dae;
    double worst = 0.0;

    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &ws->system->rows.slot[ws->rows.index[k]];
        out[k] = phx_row_value(slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], 1) - target[k];
        worst = fmax(worst, fabs(out[k]) / (slot->row->angular ? 1.0 : size));
    }
    return worst;
}

phx_status phx_system_efforts(phx_dae *dae, double t, double *res)
{
    return phx_sys_forces((workspace *)dae, t, false, res);
}

void phx_system_powers(phx_dae *dae, bool forces, const double *lambda, phx_work *power)
{
    workspace *ws = (workspace *)dae;

    if (!forces) {
        ws->forces.power = (phx_work){0.0, 0.0};
        memset(ws->forces.flow, 0, (size_t)ws->system->ledger.n * sizeof *ws->forces.flow);
    }
    phx_sys_ledger_work(ws, 1.0, lambda);
    *power = ws->forces.power;
}

void phx_system_set_load(phx_dae *dae, double load)
{
    workspace *ws = (workspace *)dae;

    ws->forces.load = load;
    for (int a = 0; a < ws->system->dim; a++)
        ws->system->gravity[a] = load * ws->system->whole_gravity[a];
}
