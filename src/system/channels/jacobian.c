/* Derivatives as triplets: rows over xi from covectors of ports, points and coordinates. */
#include "channels.h"

#include <string.h>

void phx_sys_jacobian_free(jacobian_rows *rows)
{
    for (int k = 0; k < JACOBIAN_PARTS; k++) {
        phx_free(rows->part[k].row);
        phx_free(rows->part[k].col);
        phx_free(rows->part[k].val);
    }
}

/* Doubles the arrays of a list of matrix entries. */
static phx_status grow_list(phx_context *context, jacobian_entries *list)
{
    const size_t wider = list->capacity ? 2 * list->capacity : 64;
    int *row = phx_realloc(context, list->row, wider, sizeof *row);
    int *col = NULL;
    double *val = NULL;

    if (!row)
        return PHX_ERR_MEMORY;
    list->row = row;
    col = phx_realloc(context, list->col, wider, sizeof *col);
    if (!col)
        return PHX_ERR_MEMORY;
    list->col = col;
    val = phx_realloc(context, list->val, wider, sizeof *val);
    if (!val)
        return PHX_ERR_MEMORY;
    list->val = val;
    list->capacity = wider;
    return PHX_OK;
}

void phx_sys_jacobian_add(jacobian_rows *rows, jacobian_part part, int row, int col, double value)
{
    jacobian_entries *list = &rows->part[part];

    if (row < 0 || value == 0.0 || rows->status)
        return;
    if (list->count == list->capacity)
        rows->status = grow_list(rows->ws->base.context, list);
    if (rows->status)
        return;
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->val[list->count++] = value;
}

void phx_sys_jacobian_add_port(jacobian_rows *rows, jacobian_part part, int row, phx_port_id port,
                               const double *covector)
{
    const workspace *ws = rows->ws;

    phx_sys_pull(ws, port, covector, ws->scratch.block);
    for (int c = 0; c < ws->ports.count[port]; c++)
        phx_sys_jacobian_add(rows, part, row, ws->ports.cols[ws->ports.first[port] + c], ws->scratch.block[c]);
}

void phx_sys_turn_covector(const phx_port_view *view, const double *axis, double *covector)
{
    double E[9];

    if (view->dim == 2) {
        covector[2] = 1.0;
        covector[3] = 1.0 / (1.0 + view->theta1[0] * view->theta1[0]);
        return;
    }
    phx_port_section_turn(view, E);
    memcpy(covector + 3, axis, 3 * sizeof *axis);
    phx_rot_apply_transposed(3, E, axis, covector + 6);
}

/* Direction `component` of a section as a covector of its port: along it the rate of a translation or a rotation. */
static void direction_covector(const phx_port_view *view, const double *own, int component, double *covector)
{
    const int dim = view->dim;
    double frame[9], d[3] = {0}, local[3];

    memset(covector, 0, PHX_PORT_MAX * sizeof *covector);
    phx_sys_section_frame(view, own, frame);
    for (int i = 0; i < dim; i++)
        d[i] = frame[i * dim + component % dim];
    if (component < dim) {
        memcpy(covector, d, (size_t)dim * sizeof *d);
        return;
    }
    phx_rot_apply_transposed(dim, view->R1, d, local);
    phx_sys_turn_covector(view, local, covector);
}

/* Adds the derivative of a motion component of a named point of a body (not a port) to a row of the given part. */
static void point_motion(jacobian_rows *rows, jacobian_part part, int row, const port_slot *place, int component)
{
    workspace *ws = rows->ws;
    const phx_system *system = ws->system;
    const body_slot *slot = &system->bodies[place->body];
    const int size = phx_port_size(system->dim), n = system->dim + system->n_rot + place->port.point.n;
    double *P = phx_calloc(ws->base.context, (size_t)size * (size_t)n, sizeof *P), covector[PHX_PORT_MAX];
    int *cols = phx_calloc(ws->base.context, (size_t)n, sizeof *cols);
    const phx_body_view body = phx_sys_body_view(ws, place->body);
    phx_port_view view;

    if (!P || !cols) {
        rows->status = PHX_ERR_MEMORY;
    } else {
        phx_body_port_view(slot->body, &place->port, &body, &view);
        phx_body_port_jacobian(slot->body, &place->port, &body, cols, P);
        direction_covector(&view, place->port.rotation, component, covector);
        for (int c = 0; c < n; c++) {
            double sum = 0.0;
            for (int m = 0; m < size; m++)
                sum += covector[m] * P[m * n + c];
            phx_sys_jacobian_add(rows, part, row, slot->v + cols[c], sum);
        }
    }
    phx_free(P);
    phx_free(cols);
}

void phx_sys_jacobian_add_motion(jacobian_rows *rows, jacobian_part part, int row, const motion *what)
{
    if (what->joint < 0)
        point_motion(rows, part, row, rows->list->points[what->point].place, what->component);
    else
        phx_sys_jacobian_add_coordinate(rows, part, row, what->joint, what->coordinate, 1.0);
}

void phx_sys_jacobian_add_coordinate(jacobian_rows *rows, jacobian_part part, int row, int id, int coordinate,
                                     double factor)
{
    const coordinate_slot *slot = &rows->ws->system->joints[id].coordinates[coordinate];
    double g[PAIR_SIZE];

    phx_row_covectors(&slot->row, &rows->ws->ports.view[slot->a], &rows->ws->ports.view[slot->b], g, g + PHX_PORT_MAX);
    for (int i = 0; i < PAIR_SIZE; i++)
        g[i] *= factor;
    phx_sys_jacobian_add_port(rows, part, row, slot->a, g);
    phx_sys_jacobian_add_port(rows, part, row, slot->b, g + PHX_PORT_MAX);
}

void phx_sys_jacobian_add_effort(jacobian_rows *rows, int row, int joint, int coordinate)
{
    const motion *what = &rows->list->motions[rows->list->first_motion[joint] + coordinate];
    const int driven = rows->ws->system->joints[joint].coordinates[coordinate].driven_row;

    if (what->input >= 0)
        phx_sys_jacobian_add(rows, JACOBIAN_U, row, what->input, 1.0);
    else if (what->held >= 0)
        phx_sys_jacobian_add(rows, JACOBIAN_MU, row, what->held, 1.0);
    else if (driven >= 0)
        phx_sys_jacobian_add(rows, JACOBIAN_L, row, driven, 1.0);
}
