/* The evaluator of a workspace that only observes instants (phx_system_observer): it views ports, each as far as
 * outputs and rows of joints look at it, and tells how far joints are open. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

/* Of a place its rate too; of frames what DOT rows on straight ports read of them. */
typedef enum sight { SEEN_NOT, SEEN_PLACE, SEEN_FRAME, SEEN_WHOLE } sight;

/* The POINT rows of a joint: that the places of its ports are the same. */
typedef struct same_place {
    const row_slot *slot; /* the first of dim rows */
    const phx_port_view *a, *b;
} same_place;

/* Rows between the same ports, DOT rows apart from others. */
typedef struct row_range {
    int first, count;
} row_range;

struct observer {
    unsigned char *seen; /* per port: a `sight` */
    phx_rigid_port *rigid;
    int n_rigid;
    int *whole, n_whole; /* ports that are viewed whole */
    same_place *places;
    int n_places;
    row_range *others; /* all other rows */
    int n_others;
};

/* ---- ports ---- */
static bool is_straight(const phx_system *system, phx_port_id id)
{
    const phx_body_port *port = &system->ports[id].port;
    return port->point.n == 0 && !port->slides;
}

static void see(const phx_system *system, phx_port_id id, sight how, unsigned char *seen)
{
    if (!is_straight(system, id))
        how = SEEN_WHOLE;
    if (seen[id] < how)
        seen[id] = (unsigned char)how;
}

/* Outputs look at their ports and at those of their joints' coordinates, or on a mesh at any. */
static void see_outputs(const phx_system *system, unsigned char *seen)
{
    for (int i = 0; i < system->channels.n_outputs; i++) {
        const phx_output_def *def = &system->channels.outputs[i].def;
        const bool joint = phx_system_quantity_info(def->quantity)->of == PHX_OF_JOINT;
        for (int k = 0; def->on_mesh && k < system->n_ports; k++)
            see(system, k, SEEN_WHOLE, seen);
        if (def->on_mesh)
            continue;
        if (!joint)
            see(system, def->port, SEEN_WHOLE, seen);
        for (int c = 0; joint && c < system->joints[def->joint].n_coordinates; c++) {
            see(system, system->joints[def->joint].coordinates[c].a, SEEN_WHOLE, seen);
            see(system, system->joints[def->joint].coordinates[c].b, SEEN_WHOLE, seen);
        }
    }
}

static void see_rows(const phx_system *system, unsigned char *seen)
{
    for (int r = 0; r < system->rows.n; r++) {
        const row_slot *slot = &system->rows.slot[r];
        const bool frames = slot->row->kind == PHX_ROW_DOT && system->dim == 3 && is_straight(system, slot->a) &&
                            is_straight(system, slot->b);
        const sight how = phx_row_unit(slot->row) >= 0 ? SEEN_PLACE : frames ? SEEN_FRAME : SEEN_WHOLE;
        see(system, slot->a, how, seen);
        see(system, slot->b, how, seen);
    }
}

static void list_ports(workspace *ws, observer *made)
{
    const phx_system *system = ws->system;

    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        if (port->body == PHX_GROUND || made->seen[i] == SEEN_NOT)
            continue;
        if (made->seen[i] == SEEN_WHOLE) {
            made->whole[made->n_whole++] = i;
            continue;
        }
        phx_rigid_port *it = &made->rigid[made->n_rigid++];
        const body_slot *body = &system->bodies[port->body];
        *it = (phx_rigid_port){.x = body->x + port->port.frame.x,
                               .v = body->v + port->port.frame.v,
                               .frame = made->seen[i] == SEEN_FRAME,
                               .view = &ws->ports.view[i]};
        memcpy(it->point, port->port.point.x, (size_t)system->dim * sizeof(double));
        ws->ports.view[i].dim = system->dim;
        ws->ports.view[i].straight = true;
    }
}

static void view_ports(workspace *ws)
{
    const phx_system *system = ws->system;
    const observer *it = ws->observer;

    phx_body_view_rigid(system->dim, it->n_rigid, it->rigid, ws->view.x1, ws->view.v1);
    for (int k = 0; k < it->n_whole; k++) {
        const port_slot *port = &system->ports[it->whole[k]];
        const phx_body_view body = phx_sys_body_view(ws, port->body);
        phx_body_port_view(system->bodies[port->body].body, &port->port, &body, &ws->ports.view[it->whole[k]]);
    }
}

/* ---- rows ---- */
/* Whether the dim rows from row r on hold the places of their ports together. */
static bool holds_places(const phx_system *system, int r)
{
    const row_slot *slot = &system->rows.slot[r];

    for (int k = 0; k < system->dim; k++)
        if (r + k >= system->rows.n || slot[k].joint != slot->joint || slot[k].role != ROW_CONSTRAINT ||
            phx_row_unit(slot[k].row) != k || slot[k].row->target != 0.0)
            return false;
    return true;
}

static void add_other(const phx_system *system, int r, observer *made)
{
    row_range *last = made->n_others > 0 ? &made->others[made->n_others - 1] : NULL;
    const row_slot *slot = &system->rows.slot[r], *before = slot - 1;

    if (last && last->first + last->count == r && before->a == slot->a && before->b == slot->b &&
        last->count < PHX_JOINT_MAX_ROWS && (before->row->kind == PHX_ROW_DOT) == (slot->row->kind == PHX_ROW_DOT))
        last->count++;
    else
        made->others[made->n_others++] = (row_range){r, 1};
}

static void list_rows(const workspace *ws, observer *made)
{
    const phx_system *system = ws->system;

    for (int r = 0; r < system->rows.n; r++) {
        const row_slot *slot = &system->rows.slot[r];
        if (!holds_places(system, r)) {
            add_other(system, r, made);
            continue;
        }
        made->places[made->n_places++] = (same_place){slot, &ws->ports.view[slot->a], &ws->ports.view[slot->b]};
        r += system->dim - 1;
    }
}

/* NaN is none. */
static inline void enlarge(double *largest, double difference)
{
    const double size = fabs(difference);
    *largest = size > *largest ? size : *largest;
}

static inline void open_places(const int dim, const observer *it, double *position, double *velocity)
{
    for (int k = 0; k < it->n_places; k++) {
        const phx_port_view *a = it->places[k].a, *b = it->places[k].b;
        if (it->places[k].slot->role != ROW_CONSTRAINT)
            continue;
        for (int i = 0; i < dim; i++) {
            enlarge(position, b->u1[i] - a->u1[i]);
            enlarge(velocity, b->rate[i] - a->rate[i]);
        }
    }
}

static void drift(const workspace *ws, double t, double *position, double *velocity)
{
    const observer *it = ws->observer;

    if (ws->system->dim == 2)
        open_places(2, it, position, velocity);
    else
        open_places(3, it, position, velocity);
    for (int k = 0; k < it->n_others; k++)
        phx_sys_rows_drift(ws, it->others[k].first, it->others[k].count, t, position, velocity);
}

/* ---- the workspace ---- */
static void destroy(workspace *ws)
{
    observer *it = ws->observer;

    if (!it)
        return;
    phx_free(it->seen);
    phx_free(it->rigid);
    phx_free(it->whole);
    phx_free(it->places);
    phx_free(it->others);
    phx_free(it);
}

static phx_status create(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    observer *made = phx_calloc(context, 1, sizeof *made);

    ws->observer = made;
    if (!made)
        return PHX_ERR_MEMORY;
    made->seen = phx_calloc(context, (size_t)system->n_ports, sizeof *made->seen);
    made->rigid = phx_calloc(context, (size_t)system->n_ports, sizeof *made->rigid);
    made->whole = phx_calloc(context, (size_t)system->n_ports, sizeof *made->whole);
    made->places = phx_calloc(context, (size_t)system->rows.n, sizeof *made->places);
    made->others = phx_calloc(context, (size_t)system->rows.n, sizeof *made->others);
    if (!made->seen || !made->rigid || !made->whole || !made->places || !made->others)
        return PHX_ERR_MEMORY;
    see_outputs(system, made->seen);
    see_rows(system, made->seen);
    list_ports(ws, made);
    list_rows(ws, made);
    return PHX_OK;
}

static void clear_efforts(workspace *ws)
{
    memset(ws->ports.effort, 0, (size_t)(ws->system->n_ports * PHX_PORT_MAX) * sizeof *ws->ports.effort);
}

const evaluator phx_viewing_evaluator = {
    .create = create,
    .destroy = destroy,
    .view_ports = view_ports,
    .drift = drift,
    .clear_efforts = clear_efforts,
};
