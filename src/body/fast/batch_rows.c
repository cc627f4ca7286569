/* Rows on the velocities of batches: what never changes. */
#include "batch_rows.h"

#include <math.h>
#include <string.h>

/* Body l's port number p; NULL: it has fewer. */
static const phx_port_rows *port_of(const phx_body_batch_rows_def *def, int l, int p)
{
    return p < def->n_ports[l] ? &def->ports[l][p] : NULL;
}

/* Which rows the ports number p have, the most that one of the bodies has. */
static void count_rows(const phx_body_batch_rows_def *def, int width, int dim, int p, port_rows *port)
{
    port->angular_only = true;
    for (int l = 0; l < width; l++) {
        const phx_port_rows *from = port_of(def, l, p);
        if (!from)
            continue;
        port->points = from->points >= 0 ? dim : port->points;
        port->others = from->count > port->others ? from->count : port->others;
        port->angular_only = port->angular_only && (from->angular_only || from->count == 0);
    }
}

/* A stride of the kernels (rows_kernel.h), at most. */
static size_t filled(const phx_body_batch_rows *rows, int n)
{
    return rows->batch->width == 1 ? (size_t)(n + 3) / 4 * 4 : (size_t)n;
}

/* Counts the rows at each port of the batch and divides the allocated blocks among factors, row products, and constants
 * of the ports, all interleaved by lane. */
static phx_status batch_rows_lay_out(phx_context *context, phx_body_batch_rows *rows,
                                     const phx_body_batch_rows_def *def)
{
    const int width = rows->batch->width, dim = rows->batch->body->base.dim, n_rot = rows->batch->body->base.n_rot;
    int n_others = 0;

    for (int l = 0; l < width; l++)
        rows->n_ports = def->n_ports[l] > rows->n_ports ? def->n_ports[l] : rows->n_ports;
    rows->ports = phx_calloc(context, (size_t)rows->n_ports, sizeof *rows->ports);
    if (!rows->ports)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < rows->n_ports; p++) {
        port_rows *port = &rows->ports[p];
        count_rows(def, width, dim, p, port);
        port->first = rows->n_rows;
        port->covector = n_others;
        rows->n_rows += port->points + port->others;
        n_others += port->others;
    }
    const size_t n = (size_t)rows->n, wide = (size_t)width,
                 per_port = (size_t)(1 + dim + (dim + n_rot) * rows->n_boundary + n_rot * dim);
    const size_t internal = rows->condenser ? (size_t)rows->condenser->n_internal * (size_t)n_rot : 0;
    const size_t shares = rows->modal ? (size_t)(dim * (rows->n_boundary + dim)) : 0;
    rows->row = phx_calloc(context, (size_t)rows->n_rows * wide, sizeof *rows->row);
    rows->covector = phx_calloc(context, (size_t)n_others * wide, sizeof *rows->covector);
    rows->constants = phx_calloc(context, (size_t)rows->n_ports * per_port * wide, sizeof *rows->constants);
    const size_t rigid = (size_t)(dim + 1 + n_rot * n_rot + dim * dim);
    rows->L = phx_calloc(context, (n * (n + 1) / 2 + filled(rows, rows->n_rows) * n + internal + rigid + shares) * wide,
                         sizeof *rows->L);
    if (!rows->row || !rows->covector || !rows->constants || !rows->L)
        return PHX_ERR_MEMORY;
    rows->inverse = rows->L + n * (n - 1) / 2 * wide;
    rows->Z = rows->inverse + n * wide;
    rows->influence = rows->Z + filled(rows, rows->n_rows) * n * wide;
    rows->centre = rows->influence + internal * wide;
    rows->over_mass = rows->centre + dim * width;
    rows->root = rows->over_mass + width;
    rows->frame = rows->root + n_rot * n_rot * width;
    rows->shares = rows->frame + dim * dim * width;
    rows->share_sums = rows->shares + (rows->modal ? dim * rows->n_boundary * width : 0);
    for (int p = 0; p < rows->n_ports; p++) {
        double *at = rows->constants + (size_t)p * per_port * wide;
        rows->ports[p].sign = at;
        rows->ports[p].x = at + width;
        rows->ports[p].phi = rows->ports[p].x + dim * width;
        rows->ports[p].theta = rows->ports[p].phi + dim * rows->n_boundary * width;
        rows->ports[p].lever = rows->ports[p].theta + n_rot * rows->n_boundary * width;
    }
    return PHX_OK;
}

/* Which of the boundary coordinates is q_dof. */
static int boundary_place(const phx_condenser *condenser, int dof)
{
    int k = 0;
    while (condenser->boundary[k] != dof)
        k++;
    return k;
}

/* Fills lane l of port p: row numbers, offsets of covectors, sign, place and shape functions at the port. A lane
 * without this port gets the empty row def->none. */
static void set_port(const phx_body_batch_rows *rows, const phx_body_batch_rows_def *def, int l, int p)
{
    const int width = rows->batch->width, dim = rows->batch->body->base.dim, n_rot = rows->batch->body->base.n_rot;
    const port_rows *port = &rows->ports[p];
    const phx_port_rows *from = port_of(def, l, p);
    int *row = rows->row + port->first * width, *covector = rows->covector + port->covector * width;

    for (int a = 0; a < port->points; a++)
        row[a * width + l] = from && from->points >= 0 ? from->points + a : def->none;
    row += port->points * width;
    for (int k = 0; k < port->others; k++) {
        const bool has = from && k < from->count;
        row[k * width + l] = has ? from->first + k : def->none;
        covector[k * width + l] = has ? from->covector + k * def->stride : -1;
    }
    if (!from)
        return;
    port->sign[l] = from->points >= 0 ? from->sign : 0.0;
    for (int a = 0; a < dim; a++)
        port->x[a * width + l] = from->point->x[a];
    for (int j = 0; j < from->point->n; j++) {
        const int k = boundary_place(rows->condenser, from->point->dof[j]);
        for (int a = 0; a < dim; a++)
            port->phi[(a * rows->n_boundary + k) * width + l] = from->point->phi[a * from->point->n + j];
        for (int a = 0; a < n_rot; a++)
            port->theta[(a * rows->n_boundary + k) * width + l] = from->point->theta[a * from->point->n + j];
    }
}

/* ---- rigid bodies ---- */
/* N, upper triangular, with N N^T = J^-1: of J = L L^T the transposed inverse of L. */
static void inverse_root(int n, const double *J, double *N)
{
    double L[9] = {0};

    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = J[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) { /* N_ji = (L^-1)_ij */
            double sum = i == j ? 1.0 : 0.0;
            for (int k = j; k < i; k++)
                sum -= L[i * n + k] * N[j * n + k];
            N[j * n + i] = i < j ? 0.0 : sum / L[i * n + i];
        }
}

/* Centre of mass, mass and N of body l from its mass matrix; then the levers N^T [d]x of its ports, times their sign.
 */
static void set_rigid(const phx_body_batch_rows *rows, int l, const double *mass)
{
    const int width = rows->batch->width, dim = rows->batch->body->base.dim, n_rot = rows->batch->body->base.n_rot,
              n = rows->n;
    double M[36], s[3], J[9], N[9], square = 0.0;

    for (int k = 0; k < n * n; k++)
        M[k] = mass[k * width + l];
    s[0] = dim == 2 ? M[5] : M[11];
    s[1] = dim == 2 ? -M[2] : -M[5];
    s[2] = dim == 2 ? 0.0 : M[4];
    for (int a = 0; a < dim; a++) {
        rows->centre[a * width + l] = s[a] / M[0];
        square += s[a] * s[a];
    }
    rows->over_mass[l] = 1.0 / M[0];
    for (int i = 0; i < n_rot; i++)
        for (int j = 0; j < n_rot; j++)
            J[i * n_rot + j] =
                M[(dim + i) * n + dim + j] - ((i == j ? square : 0.0) - (dim == 2 ? 0.0 : s[i] * s[j])) / M[0];
    inverse_root(n_rot, J, N);
    for (int k = 0; k < n_rot * n_rot; k++)
        rows->root[k * width + l] = N[k];
    for (int p = 0; p < rows->n_ports; p++) {
        const port_rows *port = &rows->ports[p];
        for (int a = 0; a < dim; a++) {
            double d[3] = {0}, axis[3] = {0}, turn[3];
            for (int b = 0; b < dim; b++)
                d[b] = port->x[b * width + l] - rows->centre[b * width + l];
            axis[a] = port->sign[l];
            phx_vec_x_vec(dim, d, axis, turn);
            for (int k = 0; k < n_rot; k++) {
                double sum = 0.0;
                for (int b = 0; b < n_rot; b++)
                    sum += N[b * n_rot + k] * turn[b];
                port->lever[(k * dim + a) * width + l] = sum;
            }
        }
    }
}

/* Prepares the rows on rigid bodies: if all of them act through points or angular velocities only (`plain`), M^-1 is
 * applied about the centre of mass, otherwise M is factored once. */
static phx_status prepare_rigid(phx_context *context, phx_body_batch_rows *rows)
{
    double *room = phx_calloc(context, phx_body_batch_rows_room(rows), sizeof *room);

    if (!room)
        return PHX_ERR_MEMORY;
    rows->plain = true;
    for (int p = 0; p < rows->n_ports; p++)
        rows->plain = rows->plain && rows->ports[p].angular_only;
    rows->batch->ops->rows_mass(rows, room);
    for (int l = 0; l < rows->batch->width && rows->plain; l++)
        set_rigid(rows, l, room);
    if (!rows->plain)
        rows->batch->ops->rows_factor(rows, room);
    phx_free(room);
    return PHX_OK;
}

/* ---- bodies in a basis of modes ---- */
/* A number of the matrices that all lanes have in common. */
static void set_all(const phx_body_batch_rows *rows, double *numbers, int at, double value)
{
    for (int l = 0; l < rows->batch->width; l++)
        numbers[at * rows->batch->width + l] = value;
}

/* The parts that do not depend on the state, with M_qq = L_q D L_q^T: L_q, D^-1, the rows S L_q^-T D^-1 of L, and the
 * shares. PHX_SINGULAR where M_qq is not positive definite. */
static phx_status set_modal(const phx_body_batch_rows *rows, double *room)
{
    const phx_flex *flex = rows->batch->body->flex;
    const int n = flex->n, dim = rows->batch->body->base.dim;
    double *L = room, *inverse = L + n * n, *share = inverse + n; /* dim x n */

    for (int i = 0; i < n; i++) {
        double pivot = flex->M[phx_flex_entry(flex, i, i)];
        for (int j = 0; j < i; j++) {
            double sum = flex->M[phx_flex_entry(flex, i, j)];
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k] / inverse[k];
            L[i * n + j] = sum * inverse[j];
            pivot -= L[i * n + j] * sum;
            set_all(rows, rows->L, i * (i - 1) / 2 + j, L[i * n + j]);
        }
        if (!(pivot > 0.0))
            return PHX_SINGULAR;
        inverse[i] = 1.0 / pivot;
        set_all(rows, rows->inverse, i, inverse[i]);
    }
    for (int a = 0; a < dim; a++)
        for (int i = 0; i < n; i++) {
            double sum = flex->S[a * n + i];
            for (int k = 0; k < i; k++)
                sum -= L[i * n + k] * share[a * n + k];
            share[a * n + i] = sum;
            set_all(rows, rows->shares, i * dim + a, sum);
            set_all(rows, rows->L, (n + a) * (n + a - 1) / 2 + i, sum * inverse[i]);
        }
    for (int a = 0; a < dim; a++)
        for (int b = 0; b < dim; b++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++)
                sum += share[a * n + i] * inverse[i] * share[b * n + i];
            set_all(rows, rows->share_sums, a * dim + b, sum);
        }
    return PHX_OK;
}

static phx_status prepare_modal(phx_context *context, phx_body_batch_rows *rows)
{
    const size_t n = (size_t)rows->n_boundary;
    double *room = phx_calloc(context, n * (n + 1 + (size_t)rows->batch->body->base.dim), sizeof *room);

    if (!room)
        return PHX_ERR_MEMORY;
    if (set_modal(rows, room) != PHX_OK)
        rows->modal = false; /* whoever factors M_qq finds it too */
    phx_free(room);
    return PHX_OK;
}

/* ---- creation ---- */
phx_status phx_body_batch_rows_create(phx_context *context, phx_body_batch *batch, const phx_body_batch_rows_def *def,
                                      phx_body_batch_rows **out)
{
    if (!batch || !def || !out)
        return phx_fail_null(context, __func__, "batch, def or rows");
    phx_body_batch_rows *rows = phx_calloc(context, 1, sizeof *rows);
    phx_status status = rows ? PHX_OK : PHX_ERR_MEMORY;

    *out = NULL;
    if (status)
        return status;
    rows->batch = batch;
    rows->condenser = def->condenser;
    rows->n_boundary = def->condenser ? def->condenser->n_boundary : 0;
    rows->n = batch->body->base.n_rigid + rows->n_boundary;
    rows->modal =
        rows->condenser && rows->condenser->n_internal == 0 && phx_body_has_modes((const phx_body *)batch->body);
    status = batch_rows_lay_out(context, rows, def);
    for (int p = 0; p < rows->n_ports && !status; p++)
        for (int l = 0; l < batch->width; l++)
            set_port(rows, def, l, p);
    if (!status && rows->modal)
        status = prepare_modal(context, rows);
    if (!status && !rows->condenser)
        status = prepare_rigid(context, rows);
    if (status)
        phx_body_batch_rows_destroy(rows);
    else
        *out = rows;
    return status;
}

void phx_body_batch_rows_destroy(phx_body_batch_rows *rows)
{
    if (!rows)
        return;
    phx_free(rows->ports);
    phx_free(rows->row);
    phx_free(rows->covector);
    phx_free(rows->constants);
    phx_free(rows->L);
    phx_free(rows);
}

size_t phx_body_batch_rows_room(const phx_body_batch_rows *rows)
{
    const phx_floating *body = rows->batch->body;
    const size_t n = (size_t)rows->n, parts = (size_t)((1 + 2 * body->base.n_rot) * body->base.n_q + body->base.n_v);
    const size_t numbers =
        (size_t)rows->n_boundary + filled(rows, rows->n_rows) * n + n * filled(rows, rows->n) + parts;
    return numbers * (size_t)rows->batch->width + phx_body_batch_arrow_size(rows->batch);
}

int phx_body_batch_rows_count(const phx_body_batch_rows *rows, const int **number)
{
    *number = rows->row;
    return rows->n_rows;
}

size_t phx_body_batch_rows_size(const phx_body_batch_rows *rows)
{
    return (size_t)(rows->n_rows * (rows->n_rows + 1) / 2 * rows->batch->width);
}

void phx_body_batch_rows_schur(phx_body_batch_rows *rows, const double *x, const double *v, const double *covectors,
                               double *room, double *S, double *energy)
{
    rows->batch->ops->rows_schur(rows, x, v, covectors, room, S, energy);
}

void phx_body_batch_rows_push(const phx_body_batch_rows *rows, const double *mu, double *dv)
{
    rows->batch->ops->rows_push(rows, mu, dv);
}
