/* Forces on the nodes of the boundary of a plate.
 *
 * In equilibrium D^T sigma = int b phi at the nodes on which nobody acts, b = p - m w''. At those of the boundary the
 * difference is what acts there. b is not asked of the loads, which the basis of a body holds or does not hold, but of
 * the plate: it is what the forces D^T sigma of the nodes inside, around each triangle of the boundary, balance, linear
 * by least squares. So the forces on the boundary and b balance to rounding, and where b is linear they balance the
 * load. */
#include "boundary.h"

#include <math.h>
#include <string.h>

typedef struct line_work {
    phx_context *context;
    const phx_elastic_model *model;
    const phx_plate *plate;
    const stress_columns *columns;
    int cols;
    double integral[PHX_TRIANGLE_NODES][3]; /* mean(L_i lambda_a) */
    int *first, *around;                    /* triangles of each corner */
    unsigned char *outside;                 /* nodes: on the boundary, or of a port */
    int *row, n_rows;                       /* nodes: row of those whose forces are needed, -1 */
    double *force;                          /* n_rows x cols: D^T sigma */
    double *moment;                         /* n_rows x 3: int phi (1, x, y) */
    int *section;                           /* n_rows: of the triangles around, -1: several, -2: none yet */
    int *seen, *fitted;                     /* n_rows: the last triangle that has taken the node; those it takes */
} line_work;

int plate_bending_column(const phx_elastic_model *model, const stress_columns *columns, int c, const double **u,
                         const double **sigma)
{
    const size_t stresses = (size_t)phx_elastic_offsets(model);

    *u = c < columns->n ? columns->Phi + (size_t)c * (size_t)model->n : NULL;
    *sigma = c < columns->n ? NULL : columns->strains + (size_t)(c - columns->n) * stresses;
    return c < columns->n ? c : continuum_columns(columns) - columns->n_strains + c - columns->n;
}

/* ---- which nodes ---- */
static phx_status find_around(line_work *work)
{
    const phx_plate *plate = work->plate;
    const size_t corners = (size_t)plate->n_corners, entries = 3 * (size_t)plate->n_triangles;

    work->first = phx_calloc(work->context, corners + 2, sizeof *work->first);
    work->around = phx_calloc(work->context, entries + 1, sizeof *work->around);
    if (!work->first || !work->around)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < entries; k++)
        work->first[plate->corner[k] + 2]++;
    for (size_t i = 2; i < corners + 2; i++)
        work->first[i] += work->first[i - 1];
    for (size_t k = 0; k < entries; k++)
        work->around[work->first[plate->corner[k] + 1]++] = (int)(k / 3);
    return PHX_OK;
}

/* Marks the nodes whose forces are not those of the interior: boundary nodes and nodes of ports. */
static phx_status find_outside(line_work *work, const unsigned char *ports)
{
    const phx_plate *plate = work->plate;
    int node[PHX_PLATE_EDGE_NODES];

    work->outside = phx_calloc(work->context, (size_t)work->model->n_nodes, 1);
    if (!work->outside)
        return PHX_ERR_MEMORY;
    if (ports)
        memcpy(work->outside, ports, (size_t)work->model->n_nodes);
    for (int edge = 0; edge < plate->n_edges; edge++) {
        const int count = phx_plate_edge_nodes(plate, edge, node);
        for (int j = 0; j < count && plate_is_boundary(plate, edge); j++)
            work->outside[node[j]] = 1;
    }
    return PHX_OK;
}

static void need(line_work *work, int node)
{
    if (work->row[node] < 0)
        work->row[node] = work->n_rows++;
}

/* The nodes of the line first, then those inside of the triangles around the triangles at the line. */
static phx_status number_rows(line_work *work, const plate_line *line)
{
    const phx_plate *plate = work->plate;
    int node[PHX_TRIANGLE_NODES];

    work->row = phx_calloc(work->context, (size_t)work->model->n_nodes, sizeof *work->row);
    if (!work->row)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < work->model->n_nodes; i++)
        work->row[i] = -1;
    for (int s = 0; s < line->n; s++) {
        const plate_side side = plate_side_of(work->model, line->edge[s]);
        for (int j = 0; j < side.n; j++)
            need(work, side.node[j]);
    }
    for (int s = 0; s < 2 * line->n; s++) { /* both ends of each edge, */
        const plate_side side = plate_side_of(work->model, line->edge[s / 2]);
        const int end = side.node[s % 2 ? side.n - 1 : 0];
        for (int k = work->first[end]; k < work->first[end + 1]; k++) /* triangles there, */
            for (int c = 0; c < 3; c++) {                             /* and those around these */
                const int corner = plate->corner[3 * work->around[k] + c];
                for (int m = work->first[corner]; m < work->first[corner + 1]; m++)
                    for (int j = phx_plate_nodes(plate, work->around[m], node) - 1; j >= 0; j--)
                        if (!work->outside[node[j]])
                            need(work, node[j]);
            }
    }
    return PHX_OK;
}

/* ---- forces and integrals of the nodes ---- */
static void tabulate(line_work *work)
{
    double lambda[PHX_TRIANGLE_POINTS][3], weight[PHX_TRIANGLE_POINTS];
    phx_lagrange at;

    phx_triangle_rule(lambda, weight);
    for (int g = 0; g < PHX_TRIANGLE_POINTS; g++) {
        const int count = phx_triangle_lagrange(work->plate->order + 1, lambda[g], &at);
        for (int i = 0; i < count; i++)
            for (int a = 0; a < 3; a++)
                work->integral[i][a] += weight[g] * at.value[i] * lambda[g][a];
    }
}

/* Adds the nodal forces of a triangle for all columns, and the moments of its shape functions, to the numbered
 * nodes. */
static void add_triangle(line_work *work, int t, int nodes, const int *node)
{
    const int *corner = work->plate->corner + 3 * t, section = work->plate->section[t];
    phx_plate_frame frame;
    double force[PHX_TRIANGLE_NODES];

    phx_plate_frame_of(work->model, t, &frame);
    for (int j = 0; j < nodes; j++) {
        const int row = work->row[node[j]];
        if (row < 0)
            continue;
        work->section[row] = work->section[row] == -2 || work->section[row] == section ? section : -1;
        for (int a = 0; a < 3; a++) {
            const double part = frame.area * work->integral[j][a], *x = work->model->x + 3 * corner[a];
            work->moment[3 * row] += part;
            work->moment[3 * row + 1] += part * x[0];
            work->moment[3 * row + 2] += part * x[1];
        }
    }
    for (int c = 0; c < work->cols; c++) {
        const double *u, *sigma;
        plate_bending_column(work->model, work->columns, c, &u, &sigma);
        phx_plate_nodal_forces(work->model, t, u, sigma, force);
        for (int j = 0; j < nodes; j++)
            if (work->row[node[j]] >= 0)
                work->force[(size_t)work->row[node[j]] * (size_t)work->cols + (size_t)c] += force[j];
    }
}

/* Sums forces and moments over all triangles that touch a numbered node; section is -1 at nodes between sections. */
static phx_status add_triangles(line_work *work)
{
    const size_t rows = (size_t)work->n_rows + 1;
    int node[PHX_TRIANGLE_NODES];

    work->force = phx_calloc(work->context, rows * (size_t)work->cols + 1, sizeof *work->force);
    work->moment = phx_calloc(work->context, 3 * rows, sizeof *work->moment);
    work->section = phx_calloc(work->context, rows, sizeof *work->section);
    work->seen = phx_calloc(work->context, rows, sizeof *work->seen);
    work->fitted = phx_calloc(work->context, rows, sizeof *work->fitted);
    if (!work->force || !work->moment || !work->section || !work->seen || !work->fitted)
        return PHX_ERR_MEMORY;
    for (int r = 0; r < work->n_rows; r++) {
        work->section[r] = -2;
        work->seen[r] = -1;
    }
    for (int t = 0; t < work->plate->n_triangles; t++) {
        const int nodes = phx_plate_nodes(work->plate, t, node);
        bool needed = false;
        for (int j = 0; j < nodes; j++)
            needed = needed || work->row[node[j]] >= 0;
        if (needed)
            add_triangle(work, t, nodes, node);
    }
    return PHX_OK;
}

/* ---- the load b ---- */
/* Rows of the nodes inside, around triangle t: those in its section, or all where these are fewer than b has
 * numbers. */
static int nodes_inside(line_work *work, int t)
{
    const phx_plate *plate = work->plate;
    int node[PHX_TRIANGLE_NODES], count = 0, own = 0;

    for (int c = 0; c < 3; c++) {
        const int corner = plate->corner[3 * t + c];
        for (int m = work->first[corner]; m < work->first[corner + 1]; m++)
            for (int j = phx_plate_nodes(plate, work->around[m], node) - 1; j >= 0; j--) {
                const int row = work->row[node[j]];
                if (work->outside[node[j]] || row < 0 || work->seen[row] == t)
                    continue;
                work->seen[row] = t;
                work->fitted[count++] = row;
            }
    }
    for (int k = 0; k < count; k++)
        own += work->section[work->fitted[k]] == plate->section[t];
    for (int k = own = own > 2 ? 0 : count; k < count; k++)
        if (work->section[work->fitted[k]] == plate->section[t])
            work->fitted[own++] = work->fitted[k];
    return own;
}

/* b at the three corners of triangle t (3 x cols): int b phi_i = F_i at the nodes inside, by least squares; of nodes
 * that do not determine a linear one a constant one. */
static phx_status fit_load(line_work *work, int t, double *b)
{
    static const double RANK = 1e-6; /* relative to the largest singular value */
    const int count = nodes_inside(work, t), *corner = work->plate->corner + 3 * t;
    const size_t cols = (size_t)work->cols;
    const double centre[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
    double x[3], length, *A = phx_calloc(work->context, 3 * (size_t)count + 1, sizeof *A);
    double *F = phx_calloc(work->context, (size_t)count * cols + 1, sizeof *F);
    double *z = phx_calloc(work->context, 3 * cols + 1, sizeof *z);
    int rank = 0;
    phx_status status = A && F && z ? PHX_OK : PHX_ERR_MEMORY;
    phx_plate_frame frame;

    phx_plate_frame_of(work->model, t, &frame);
    phx_plate_place(work->model, corner, centre, x);
    length = sqrt(frame.area);
    for (int k = 0; k < count && !status; k++) {
        const double *m = work->moment + 3 * work->fitted[k];
        const double row[3] = {m[0], (m[1] - x[0] * m[0]) / length, (m[2] - x[1] * m[0]) / length};
        memcpy(A + 3 * k, row, sizeof row);
        memcpy(F + (size_t)k * cols, work->force + (size_t)work->fitted[k] * cols, cols * sizeof *F);
    }
    if (!status && count > 2)
        status = phx_dense_least_norm(work->context, count, 3, A, work->cols, F, RANK, z, &rank);
    if (!status && rank < 3 && count > 0) {
        for (int k = 0; k < count; k++)
            A[k] = work->moment[3 * work->fitted[k]];
        status = phx_dense_least_norm(work->context, count, 1, A, work->cols, F, RANK, z, &rank);
        memset(z + cols, 0, 2 * cols * sizeof *z);
    }
    for (int a = 0; a < 3 && !status; a++) {
        const double *at = work->model->x + 3 * corner[a];
        for (size_t c = 0; c < cols; c++)
            b[(size_t)a * cols + c] =
                z[c] + z[cols + c] * (at[0] - x[0]) / length + z[2 * cols + c] * (at[1] - x[1]) / length;
    }
    phx_free(A);
    phx_free(F);
    phx_free(z);
    return status;
}

/* F_i -= int_t b phi_i */
static void take_load(line_work *work, int t, const unsigned char *on_line, const double *b)
{
    int node[PHX_TRIANGLE_NODES];
    const int nodes = phx_plate_nodes(work->plate, t, node);
    const size_t cols = (size_t)work->cols;
    phx_plate_frame frame;

    phx_plate_frame_of(work->model, t, &frame);
    for (int j = 0; j < nodes; j++) {
        if (work->row[node[j]] < 0 || !on_line[work->row[node[j]]])
            continue;
        double *F = work->force + (size_t)work->row[node[j]] * cols;
        for (int a = 0; a < 3; a++)
            for (size_t c = 0; c < cols; c++)
                F[c] -= frame.area * work->integral[j][a] * b[(size_t)a * cols + c];
    }
}

/* The triangles that have a node of the line, each once. */
static phx_status take_loads(line_work *work, const plate_line *line)
{
    unsigned char *on_line = phx_calloc(work->context, (size_t)work->n_rows + 1, 1);
    unsigned char *done = phx_calloc(work->context, (size_t)work->plate->n_triangles + 1, 1);
    double *b = phx_calloc(work->context, 3 * (size_t)work->cols + 1, sizeof *b);
    phx_status status = on_line && done && b ? PHX_OK : PHX_ERR_MEMORY;

    for (int s = 0; s < line->n && !status; s++) {
        const plate_side side = plate_side_of(work->model, line->edge[s]);
        for (int j = 0; j < side.n; j++)
            on_line[work->row[side.node[j]]] = 1;
    }
    for (int s = 0; s < 2 * line->n && !status; s++) {
        const plate_side side = plate_side_of(work->model, line->edge[s / 2]);
        const int end = side.node[s % 2 ? side.n - 1 : 0];
        for (int k = work->first[end]; k < work->first[end + 1] && !status; k++) {
            const int t = work->around[k];
            if (done[t])
                continue;
            done[t] = 1;
            status = fit_load(work, t, b);
            if (!status)
                take_load(work, t, on_line, b);
        }
    }
    phx_free(on_line);
    phx_free(done);
    phx_free(b);
    return status;
}

static void line_forces_work_free(line_work *work)
{
    void *const owned[] = {work->first,  work->around,  work->outside, work->row,   work->force,
                           work->moment, work->section, work->seen,    work->fitted};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        phx_free(owned[k]);
}

/* Forces on the nodes of a boundary line over all columns, D^T sigma less the load b that the interior balances,
 * theory-plates 2 (3). */
phx_status plate_line_forces(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                             const unsigned char *ports, const plate_line *line, double *forces)
{
    line_work work = {.context = context,
                      .model = model,
                      .plate = phx_plate_of(model),
                      .columns = columns,
                      .cols = plate_bending_columns(columns)};
    const size_t cols = (size_t)work.cols;
    const int degree = work.plate->order + 1, count = degree * line->n + (line->closed ? 0 : 1);
    phx_status status = find_around(&work);

    tabulate(&work);
    if (!status)
        status = find_outside(&work, ports);
    if (!status)
        status = number_rows(&work, line);
    if (!status)
        status = add_triangles(&work);
    if (!status)
        status = take_loads(&work, line);
    for (int s = 0; s < line->n && !status; s++) {
        const plate_side side = plate_side_of(model, line->edge[s]);
        for (int j = 0; j < side.n; j++)
            memcpy(forces + (size_t)((degree * s + j) % count) * cols,
                   work.force + (size_t)work.row[side.node[j]] * cols, cols * sizeof *forces);
    }
    line_forces_work_free(&work);
    return status;
}
