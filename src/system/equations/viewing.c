/* The evaluator of a workspace that only observes instants (phx_system_observer). It views the ports that outputs look
 * at, and tells how far joints are open: where they hold points and frames of rigid bodies together, some joints at a
 * time, whose views are not kept. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

/* The rows of a joint, one after the other: dim POINT rows or none, then DOT rows. Their ports are those number 2 k and
 * 2 k + 1 of joint k in a list. */
typedef struct plain_joint {
    int first, points, dots;
} plain_joint;

enum { JOINTS_AT_ONCE = 16 };

struct observer {
    unsigned char *seen;   /* per port: outputs or other rows look at it */
    int *whole, n_whole;   /* these */
    plain_joint *joints;   /* n_joints */
    phx_rigid_port *ports; /* 2 n_joints */
    int n_joints;
    int *others, n_others;                   /* all other rows */
    phx_port_view views[2 * JOINTS_AT_ONCE]; /* of some joints */
};

/* ---- which ports and rows ---- */
/* An output looks at its port or at the ports of its joint's coordinates; on a mesh, and of a force, it may look at any
 * port. */
static void see_outputs(const phx_system *system, unsigned char *seen)
{
    for (int i = 0; i < system->channels.n_outputs; i++) {
        const phx_output_def *def = &system->channels.outputs[i].def;
        const bool joint = phx_system_quantity_info(def->quantity)->of == PHX_OF_JOINT;
        const bool all = def->on_mesh || def->quantity == PHX_QUANTITY_FORCE;
        for (int k = 0; all && k < system->n_ports; k++)
            seen[k] = 1;
        if (all)
            continue;
        if (!joint)
            seen[def->port] = 1;
        for (int c = 0; joint && c < system->joints[def->joint].n_coordinates; c++) {
            const coordinate_slot *coordinate = &system->joints[def->joint].coordinates[c];
            seen[coordinate->a] = seen[coordinate->b] = 1;
        }
    }
}

static bool is_straight(const phx_system *system, phx_port_id id)
{
    const port_slot *slot = &system->ports[id];
    return slot->port.point.n == 0 && !phx_body_port_is_wide(&slot->port) &&
           (slot->body == PHX_GROUND || !phx_body_port_is_vector(system->bodies[slot->body].body, &slot->port));
}

static bool is_constraint(const phx_system *system, int r, const row_slot *first, phx_row_kind kind)
{
    const row_slot *slot = &system->rows.slot[r];
    return r < system->rows.n && slot->joint == first->joint && slot->a == first->a && slot->b == first->b &&
           slot->role == ROW_CONSTRAINT && slot->row->kind == kind;
}

/* The rows from row r on that hold points and directions of rigid bodies together, all POINT rows of the joint or none.
 */
static plain_joint plain_rows(const phx_system *system, int r)
{
    const row_slot *slot = &system->rows.slot[r];
    plain_joint found = {.first = r};

    if (!is_straight(system, slot->a) || !is_straight(system, slot->b))
        return found;
    while (found.points < system->dim && is_constraint(system, r + found.points, slot, PHX_ROW_POINT) &&
           phx_row_unit(slot[found.points].row) == found.points && slot[found.points].row->target == 0.0)
        found.points++;
    if (found.points < system->dim)
        found.points = 0;
    while (system->dim == 3 && found.points + found.dots < PHX_JOINT_MAX_ROWS &&
           is_constraint(system, r + found.points + found.dots, slot, PHX_ROW_DOT))
        found.dots++;
    return found;
}

static phx_rigid_port rigid_port(const workspace *ws, phx_port_id id, bool frame)
{
    const port_slot *port = &ws->system->ports[id];

    if (port->body == PHX_GROUND)
        return (phx_rigid_port){.fixed = &ws->ports.view[id]};
    const body_slot *body = &ws->system->bodies[port->body];
    return (phx_rigid_port){.point = port->port.point.x,
                            .x = body->x + port->port.frame.x,
                            .v = body->v + port->port.frame.v,
                            .frame = frame};
}

/* Fills the lists, or only counts. */
static void viewing_list_rows(const workspace *ws, bool fill, observer *made)
{
    const phx_system *system = ws->system;

    made->n_joints = made->n_others = 0;
    for (int r = 0; r < system->rows.n; r++) {
        const row_slot *slot = &system->rows.slot[r];
        const plain_joint joint = plain_rows(system, r);
        if (joint.points + joint.dots == 0) {
            if (fill)
                made->others[made->n_others] = r;
            made->seen[slot->a] = made->seen[slot->b] = 1;
            made->n_others++;
            continue;
        }
        if (fill) {
            made->joints[made->n_joints] = joint;
            made->ports[2 * made->n_joints] = rigid_port(ws, slot->a, joint.dots > 0);
            made->ports[2 * made->n_joints + 1] = rigid_port(ws, slot->b, joint.dots > 0);
        }
        made->n_joints++;
        r += joint.points + joint.dots - 1;
    }
}

/* ---- an instant ---- */
static void view_ports(workspace *ws)
{
    const phx_system *system = ws->system;
    const observer *estimate = ws->observer;

    for (int k = 0; k < estimate->n_whole; k++) {
        const port_slot *port = &system->ports[estimate->whole[k]];
        const phx_body_view body = phx_sys_body_view(ws, port->body);
        phx_body_port_view(system->bodies[port->body].body, &port->port, &body, &ws->ports.view[estimate->whole[k]]);
    }
}

/* Enlarges `position` and `velocity` to the largest opening of the joints first to last - 1 between rigid bodies, whose
 * ports are in the observer's views; dim is a compile-time constant. */
static inline void open_joints(const int dim, const workspace *ws, int first, int last, double t, double *position,
                               double *velocity)
{
    const observer *estimate = ws->observer;

    for (int k = first; k < last; k++) {
        const plain_joint *joint = &estimate->joints[k];
        const phx_port_view *a = &estimate->views[2 * (k - first)], *b = a + 1;
        if (joint->points > 0 && ws->system->rows.slot[joint->first].role == ROW_CONSTRAINT)
            for (int i = 0; i < dim; i++) {
                phx_sys_enlarge(position, b->u1[i] - a->u1[i]);
                phx_sys_enlarge(velocity, b->rate[i] - a->rate[i]);
            }
        if (joint->dots > 0)
            phx_sys_rows_drift(ws->system, joint->first + joint->points, joint->dots, a, b, t, position, velocity);
    }
}

/* Largest violation of all rows at an instant in position and in velocity. Joints of rigid bodies are viewed a few at a
 * time; other rows use the views of the workspace. */
static void drift(const workspace *ws, double t, double *position, double *velocity)
{
    const phx_system *system = ws->system;
    observer *estimate = ws->observer;

    for (int first = 0; first < estimate->n_joints; first += JOINTS_AT_ONCE) {
        const int last = first + JOINTS_AT_ONCE < estimate->n_joints ? first + JOINTS_AT_ONCE : estimate->n_joints;
        phx_body_view_rigid(system->dim, 2 * (last - first), estimate->ports + 2 * first, ws->view.x1, ws->view.v1,
                            estimate->views);
        if (system->dim == 2)
            open_joints(2, ws, first, last, t, position, velocity);
        else
            open_joints(3, ws, first, last, t, position, velocity);
    }
    for (int k = 0; k < estimate->n_others; k++) {
        const row_slot *slot = &system->rows.slot[estimate->others[k]];
        phx_sys_rows_drift(system, estimate->others[k], 1, &ws->ports.view[slot->a], &ws->ports.view[slot->b], t,
                           position, velocity);
    }
}

/* ---- the workspace ---- */
static void viewing_destroy(workspace *ws)
{
    observer *estimate = ws->observer;

    if (!estimate)
        return;
    phx_free(estimate->seen);
    phx_free(estimate->whole);
    phx_free(estimate->joints);
    phx_free(estimate->ports);
    phx_free(estimate->others);
    phx_free(estimate);
}

/* Creates the observer: the ports that outputs read, the joints between rigid bodies, and the rows that need the full
 * view of their ports. */
static phx_status viewing_create(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    observer *made = phx_calloc(context, 1, sizeof *made);

    ws->observer = made;
    if (!made)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < 2 * JOINTS_AT_ONCE; k++) {
        made->views[k].dim = system->dim;
        made->views[k].straight = true;
    }
    made->seen = phx_calloc(context, (size_t)system->n_ports, sizeof *made->seen);
    if (!made->seen)
        return PHX_ERR_MEMORY;
    see_outputs(system, made->seen);
    viewing_list_rows(ws, false, made);
    for (int i = 0; i < system->n_ports; i++)
        made->n_whole += made->seen[i] && system->ports[i].body != PHX_GROUND;
    made->whole = phx_calloc(context, (size_t)made->n_whole, sizeof *made->whole);
    made->joints = phx_calloc(context, (size_t)made->n_joints, sizeof *made->joints);
    made->ports = phx_calloc(context, 2 * (size_t)made->n_joints, sizeof *made->ports);
    made->others = phx_calloc(context, (size_t)made->n_others, sizeof *made->others);
    if (!made->whole || !made->joints || !made->ports || !made->others)
        return PHX_ERR_MEMORY;
    viewing_list_rows(ws, true, made);
    for (int i = 0, k = 0; i < system->n_ports; i++)
        if (made->seen[i] && system->ports[i].body != PHX_GROUND)
            made->whole[k++] = i;
    return PHX_OK;
}

const evaluator phx_viewing_evaluator = {
    .create = viewing_create,
    .destroy = viewing_destroy,
    .view_ports = view_ports,
    .drift = drift,
};
