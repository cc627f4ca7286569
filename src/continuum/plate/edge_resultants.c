/* Resultants on the edges and corners of a plate. With the normal n outward and t to its left, along the boundary, the
 * work of the moments at a deflection v is
 *
 *   int M : Hess v - oint M_nn dv/dn = int v div Div M + oint V v + sum_c R_c v(c),
 *   V = q_n - dM_nt/dt,  q = -Div M,   R_c = M_nt before - M_nt behind the corner,
 *
 * and the forces on the nodes of the boundary (line_forces.c) are int V phi_i + sum_c R_c phi_i(c). On a line from
 * corner to corner V is of the deflections' kind, of one degree less on the edges at its ends, and determined by the
 * nodes between; what the corners have besides is R. So all V and R together are the forces, to rounding. */
#include "boundary.h"

#include "fe/fe.h"

#include <math.h>
#include <string.h>

enum { MOST_DEGREE = 3 };

/* ---- polynomials along an edge ---- */
/* Values at s of the functions that are 1 at one of the points first/degree ... last/degree, 0 at the others. */
static void lagrange(int degree, int first, int last, double s, double value[MOST_DEGREE + 1])
{
    for (int j = 0; j <= degree; j++) {
        value[j] = j >= first && j <= last ? 1.0 : 0.0;
        for (int i = first; i <= last && value[j] != 0.0; i++)
            if (i != j)
                value[j] *= (degree * s - i) / (j - i);
    }
}

/* int_0^1 L_i L_j ds */
static void edge_mass(int degree, double mass[MOST_DEGREE + 1][MOST_DEGREE + 1])
{
    double s[MOST_DEGREE + 1], weight[MOST_DEGREE + 1], L[MOST_DEGREE + 1];

    memset(mass, 0, (MOST_DEGREE + 1) * sizeof *mass);
    phx_gauss(degree + 1, s, weight);
    for (int g = 0; g <= degree; g++) {
        lagrange(degree, 0, degree, s[g], L);
        for (int i = 0; i <= degree; i++)
            for (int j = 0; j <= degree; j++)
                mass[i][j] += weight[g] * L[i] * L[j];
    }
}

/* ---- V along a line ---- */
/* Values at the nodes of a line by functions of some degree on its edges, and the matrix int V psi_i by them. */
typedef struct line_space {
    int degree, nodes;
    bool corners; /* the values at the ends of the line are unknown too; else by those of the edges there */
    double end[2][MOST_DEGREE + 1];
} line_space;

/* A line of one edge has the nodes between. */
static line_space space_of(const plate_line *line, int degree, bool corners)
{
    line_space space = {
        .degree = degree, .nodes = degree * line->n + (line->closed ? 0 : 1), .corners = corners || line->closed};
    const int single = line->n == 1;

    lagrange(degree, 1, degree - single, 0.0, space.end[0]);
    lagrange(degree, single, degree - 1, 1.0, space.end[1]);
    return space;
}

static phx_status assemble(phx_context *context, const phx_elastic_model *model, const plate_line *line,
                           const line_space *space, phx_csr *A)
{
    const int p = space->degree, shift = space->corners ? 0 : 1, n = space->nodes - 2 * shift;
    const size_t most = (size_t)line->n * (size_t)((p + 1) * (p + 1));
    int *row = phx_calloc(context, most, sizeof *row), *col = phx_calloc(context, most, sizeof *col);
    double *val = phx_calloc(context, most, sizeof *val), mass[MOST_DEGREE + 1][MOST_DEGREE + 1];
    phx_status status = row && col && val ? PHX_OK : PHX_ERR_MEMORY;
    size_t count = 0;

    edge_mass(p, mass);
    for (int s = 0; s < line->n && !status; s++) {
        const double length = plate_side_of(model, line->edge[s]).length;
        const bool first = shift && s == 0, last = shift && s == line->n - 1;
        for (int i = first; i <= p - last; i++)
            for (int j = first; j <= p - last; j++) {
                const double corners =
                    (first ? mass[i][0] * space->end[0][j] : 0.0) + (last ? mass[i][p] * space->end[1][j] : 0.0);
                row[count] = (p * s + i) % space->nodes - shift;
                col[count] = (p * s + j) % space->nodes - shift;
                val[count++] = length * (mass[i][j] + corners);
            }
    }
    if (!status)
        status = phx_csr_from_triplets(context, n, n, count, row, col, val, A);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* V at the corners by the other nodes of the edges there. */
static void extrapolate(const line_space *space, int cols, double *V)
{
    const int p = space->degree, last = space->nodes - 1 - p;

    for (int c = 0; c < cols; c++) {
        double first = 0.0, end = 0.0;
        for (int j = 0; j <= p; j++) {
            first += j > 0 ? space->end[0][j] * V[j * cols + c] : 0.0;
            end += j < p ? space->end[1][j] * V[(last + j) * cols + c] : 0.0;
        }
        V[c] = first;
        V[(space->nodes - 1) * cols + c] = end;
    }
}

/* int V psi_i = F_i; F and V: nodes x cols. */
static phx_status find_shear(phx_context *context, const phx_elastic_model *model, const plate_line *line,
                             const line_space *space, int columns, const double *F, double *V)
{
    const size_t shift = space->corners ? 0 : 1, n = (size_t)space->nodes - 2 * shift, cols = (size_t)columns;
    double *x = phx_calloc(context, n * cols + 1, sizeof *x); /* columns one after the other */
    phx_csr A = {.rows = 0};
    phx_lu *lu = NULL;
    phx_status status = x ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && n > 0) {
        status = assemble(context, model, line, space, &A);
        if (!status)
            status = phx_lu_create(context, A.rows, A.ptr, A.idx, NULL, false, &lu);
        if (!status)
            status = phx_lu_factor(lu, A.val, NULL);
        for (size_t k = 0; k < n * cols && !status; k++)
            x[k] = F[(k % n + shift) * cols + k / n];
        if (!status)
            status = phx_lu_solve(lu, columns, x);
    }
    for (size_t k = 0; k < n * cols && !status; k++)
        V[(k % n + shift) * cols + k / n] = x[k];
    if (!status && shift)
        extrapolate(space, columns, V);
    phx_lu_destroy(lu);
    phx_csr_free(&A);
    phx_free(x);
    return status;
}

/* V of the degree of the deflections by the forces on the nodes, and its L2 projection of one degree less, at least
 * linear, without what oscillates from node to node: that one has the order of the moments. Both have the same
 * resultant. */
typedef struct line_shear {
    int degree, nodes, cols;
    double *V;      /* nodes x cols, of the projection */
    double *corner; /* 2 x cols: the force on the node at both ends, and V there, int V phi */
    double *share;
} line_shear;

static void line_shear_free(line_shear *it)
{
    phx_free(it->V);
    phx_free(it->corner);
    phx_free(it->share);
}

/* out_i = int V psi_i, psi of space `to` */
static void project(const phx_elastic_model *model, const plate_line *line, const line_space *from,
                    const line_space *to, size_t cols, const double *V, double *out)
{
    double s[MOST_DEGREE + 1], weight[MOST_DEGREE + 1], L[MOST_DEGREE + 1], psi[MOST_DEGREE + 1];

    phx_gauss(from->degree + 1, s, weight);
    for (int k = 0; k < line->n; k++) {
        const double length = plate_side_of(model, line->edge[k]).length;
        for (int g = 0; g <= from->degree; g++) {
            lagrange(from->degree, 0, from->degree, s[g], L);
            lagrange(to->degree, 0, to->degree, s[g], psi);
            for (int i = 0; i <= to->degree; i++)
                for (int j = 0; j <= from->degree; j++) {
                    const double factor = length * weight[g] * psi[i] * L[j];
                    const double *at = V + (size_t)((from->degree * k + j) % from->nodes) * cols;
                    double *row = out + (size_t)((to->degree * k + i) % to->nodes) * cols;
                    for (size_t c = 0; c < cols; c++)
                        row[c] += factor * at[c];
                }
        }
    }
}

static phx_status line_shear_create(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                                    const unsigned char *ports, const plate_line *line, line_shear *it)
{
    const int p = phx_plate_of(model)->order + 1, m = p > 2 ? p - 1 : 1, last = line->closed ? 0 : p * line->n;
    const line_space of = space_of(line, p, false), to = space_of(line, m, true);
    const size_t cols = (size_t)plate_bending_columns(columns), size = (size_t)of.nodes * cols + 1;
    double *F = phx_calloc(context, size, sizeof *F), *V = phx_calloc(context, size, sizeof *V);
    double *own = phx_calloc(context, size, sizeof *own);

    *it = (line_shear){.degree = m, .nodes = to.nodes, .cols = (int)cols};
    it->V = phx_calloc(context, (size_t)to.nodes * cols + 1, sizeof *it->V);
    it->corner = phx_calloc(context, 2 * cols + 1, sizeof *it->corner);
    it->share = phx_calloc(context, 2 * cols + 1, sizeof *it->share);
    phx_status status = F && V && own && it->V && it->corner && it->share ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = plate_line_forces(context, model, columns, ports, line, F);
    if (!status)
        status = find_shear(context, model, line, &of, (int)cols, F, V);
    if (!status) {
        project(model, line, &of, &of, cols, V, own);
        for (int side = 0; side < 2; side++)
            for (size_t c = 0; c < cols; c++) {
                it->corner[side * cols + c] = F[(size_t)(side ? last : 0) * cols + c];
                it->share[side * cols + c] = own[(size_t)(side ? last : 0) * cols + c];
            }
        memset(F, 0, size * sizeof *F);
        project(model, line, &of, &to, cols, V, F);
        status = find_shear(context, model, line, &to, (int)cols, F, it->V);
    }
    phx_free(F);
    phx_free(V);
    phx_free(own);
    if (status)
        line_shear_free(it);
    return status;
}

/* rows += factor sum_j weight_j V_j over the nodes of edge s of the line */
static void add_shear(const line_shear *it, int s, const double *weight, double factor, double *rows)
{
    for (int j = 0; j <= it->degree; j++) {
        const double *V = it->V + (size_t)((it->degree * s + j) % it->nodes) * (size_t)it->cols;
        for (int c = 0; c < it->cols; c++)
            rows[c] += factor * weight[j] * V[c];
    }
}

/* ---- moments ---- */
/* rows (2 x cols: nn, nt) += factor M at s of an edge */
static void add_moments(const phx_elastic_model *model, const stress_columns *columns, int edge, double s,
                        double factor, double *rows)
{
    const plate_side side = plate_side_of(model, edge);
    const int cols = plate_bending_columns(columns), *corner = phx_plate_of(model)->corner + 3 * side.triangle;
    const double along = corner[side.e] == side.node[0] ? s : 1.0 - s;
    phx_plate_frame frame;
    double lambda[3], M[3];

    phx_plate_frame_of(model, side.triangle, &frame);
    phx_triangle_edge_point(side.e, along, lambda);
    const double *n = frame.normal[side.e], t[2] = {-n[1], n[0]};
    for (int c = 0; c < cols; c++) {
        const double *u, *sigma;
        plate_bending_column(model, columns, c, &u, &sigma);
        phx_plate_moments(model, side.triangle, u, sigma, lambda, M);
        rows[c] += factor * (n[0] * n[0] * M[0] + n[1] * n[1] * M[1] + 2.0 * n[0] * n[1] * M[2]);
        rows[cols + c] += factor * (n[0] * t[0] * M[0] + n[1] * t[1] * M[1] + (n[0] * t[1] + n[1] * t[0]) * M[2]);
    }
}

/* ---- rows of what is asked for ---- */
/* From the columns of the bending to all columns; the products have none. */
static void spread(const phx_elastic_model *model, const stress_columns *columns, int components, const double *own,
                   double *rows)
{
    const int cols = plate_bending_columns(columns), all = continuum_columns(columns);
    const double *u, *sigma;

    memset(rows, 0, (size_t)components * (size_t)all * sizeof *rows);
    for (int k = 0; k < components; k++)
        for (int c = 0; c < cols; c++)
            rows[k * all + plate_bending_column(model, columns, c, &u, &sigma)] = own[k * cols + c];
}

/* Adds a point of an edge of a line, s from 0 to 1 along it. */
static void add_point(const phx_elastic_model *model, const stress_columns *columns, const line_shear *shear,
                      const plate_line *line, int k, double s, double factor, double *own)
{
    double L[MOST_DEGREE + 1];

    lagrange(shear->degree, 0, shear->degree, s, L);
    add_shear(shear, k, L, factor, own);
    add_moments(model, columns, line->edge[k], s, factor, own + shear->cols);
}

typedef struct edge_request {
    const unsigned char *edges; /* n_edges: the mean over these; NULL: a point of one */
    int edge;
    double s, factor;
    unsigned char *done; /* n_edges */
} edge_request;

/* Adds the share of the line through an edge to the request. */
static phx_status add_line(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                           const unsigned char *ports, const plate_boundary *boundary, int edge, edge_request *request,
                           double *own)
{
    plate_line line;
    line_shear shear = {.V = NULL};
    double at[MOST_DEGREE + 1], weight[MOST_DEGREE + 1];
    phx_status status = plate_line_through(context, model, boundary, edge, &line);

    if (!status)
        status = line_shear_create(context, model, columns, ports, &line, &shear);
    for (int k = 0; k < line.n && !status; k++) {
        if (!request->edges) {
            if (line.edge[k] == edge)
                add_point(model, columns, &shear, &line, k, request->s, request->factor, own);
            continue;
        }
        request->done[line.edge[k]] = 1;
        if (!request->edges[line.edge[k]])
            continue;
        const double factor = request->factor * plate_side_of(model, line.edge[k]).length;
        phx_gauss(shear.degree, at, weight);
        for (int g = 0; g < shear.degree; g++)
            add_point(model, columns, &shear, &line, k, at[g], factor * weight[g], own);
    }
    if (!status)
        line_shear_free(&shear);
    phx_free(line.edge);
    return status;
}

/* The mean over edges of the boundary. */
static phx_status edge_mean(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                            const unsigned char *ports, const plate_boundary *boundary, const unsigned char *edges,
                            double *own)
{
    const int n = phx_plate_of(model)->n_edges;
    edge_request request = {.edges = edges, .done = phx_calloc(context, (size_t)n + 1, 1)};
    phx_status status = request.done ? PHX_OK : PHX_ERR_MEMORY;
    double length = 0.0;

    for (int edge = 0; edge < n; edge++)
        length += edges[edge] ? plate_side_of(model, edge).length : 0.0;
    request.factor = 1.0 / length;
    for (int edge = 0; edge < n && !status; edge++)
        if (edges[edge] && !request.done[edge])
            status = add_line(context, model, columns, ports, boundary, edge, &request, own);
    phx_free(request.done);
    return status;
}

/* R_c: what is left of the force on the corner by V on both lines that end there. */
static phx_status corner_force(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                               const unsigned char *ports, const plate_boundary *boundary, int corner, double *own)
{
    phx_status status = PHX_OK;

    for (int side = 0; side < 2 && !status; side++) { /* the line that begins here, the one that ends */
        const int edge = side ? boundary->in[corner] : boundary->out[corner];
        plate_line line;
        line_shear shear = {.V = NULL};
        status = plate_line_through(context, model, boundary, edge, &line);
        if (!status)
            status = line_shear_create(context, model, columns, ports, &line, &shear);
        for (int c = 0; c < shear.cols && !status; c++) /* its end 1 is here where it ends here */
            own[c] += (side ? 0.0 : shear.corner[c]) - shear.share[side * shear.cols + c];
        if (!status)
            line_shear_free(&shear);
        phx_free(line.edge);
    }
    return status;
}

/* ---- places ---- */
/* The edge of the boundary through a place, and where along it. */
static int edge_at(const phx_elastic_model *model, const double place[2], double *s)
{
    const phx_plate *plate = phx_plate_of(model);

    for (int edge = 0; edge < plate->n_edges; edge++) {
        if (!plate_is_boundary(plate, edge))
            continue;
        const plate_side side = plate_side_of(model, edge);
        const double *a = model->x + 3 * side.node[0], *b = model->x + 3 * side.node[side.n - 1];
        const double t[2] = {(b[0] - a[0]) / side.length, (b[1] - a[1]) / side.length};
        const double along = (place[0] - a[0]) * t[0] + (place[1] - a[1]) * t[1];
        const double across = (place[0] - a[0]) * t[1] - (place[1] - a[1]) * t[0], off = 1e-6 * side.length;
        if (fabs(across) > off || along < -off || along > side.length + off)
            continue;
        *s = fmin(fmax(along / side.length, 0.0), 1.0);
        return edge;
    }
    return -1;
}

static phx_status off_edge(phx_context *context, const phx_plate_spot *spot)
{
    return phx_fail(context, PHX_ERR_ARGUMENT,
                    "%s lies on no edge of the plate; edge forces and moments are those of its boundary, at a node, a "
                    "place or a port there",
                    spot->text);
}

/* A node of the boundary as the end of an edge: 1, of two of them; of a corner that is no answer. */
static phx_status at_node(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                          const plate_boundary *boundary, const phx_plate_spot *spot, int node, double *own)
{
    const int n = phx_plate_of(model)->n_corners;

    if (node >= n || boundary->out[node] < 0)
        return off_edge(context, spot);
    if (boundary->corner[node])
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "%s is a corner of the plate, where two edges end; name a place on one of them, or take "
                        "'corner_force'",
                        spot->text);
    edge_request request = {.factor = 0.5, .s = 1.0};
    phx_status status = add_line(context, model, columns, spot->ports, boundary, boundary->in[node], &request, own);
    request.s = 0.0;
    return status ? status
                  : add_line(context, model, columns, spot->ports, boundary, boundary->out[node], &request, own);
}

static phx_status at_place(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                           const plate_boundary *boundary, const phx_plate_spot *spot, double *own)
{
    edge_request request = {.factor = 1.0};
    const int edge = edge_at(model, spot->place, &request.s);

    if (edge < 0)
        return off_edge(context, spot);
    const plate_side side = plate_side_of(model, edge);
    const bool at_end = request.s < 1e-6 || request.s > 1.0 - 1e-6;
    if (at_end)
        return at_node(context, model, columns, boundary, spot, side.node[request.s < 0.5 ? 0 : side.n - 1], own);
    return add_line(context, model, columns, spot->ports, boundary, edge, &request, own);
}

static phx_status over_nodes(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                             const plate_boundary *boundary, const phx_plate_spot *spot, double *own)
{
    const phx_plate *plate = phx_plate_of(model);
    unsigned char *edges = phx_calloc(context, (size_t)plate->n_edges + 1, 1);
    int count = 0, last = -1, ends = 0;
    phx_status status = edges ? PHX_OK : PHX_ERR_MEMORY;

    for (int edge = 0; edge < plate->n_edges && !status; edge++) {
        edges[edge] = plate_is_boundary(plate, edge) && spot->nodes[plate->end[2 * edge]] &&
                      spot->nodes[plate->end[2 * edge + 1]];
        count += edges[edge];
    }
    for (int i = 0; i < plate->n_corners; i++)
        if (spot->nodes[i]) {
            last = i;
            ends++;
        }
    if (!status)
        status = count > 0   ? edge_mean(context, model, columns, spot->ports, boundary, edges, own)
                 : ends == 1 ? at_node(context, model, columns, boundary, spot, last, own)
                             : off_edge(context, spot);
    phx_free(edges);
    return status;
}

/* The corner of the plate at a spot; -1: there is none, or more than one. */
static int corner_at(const phx_elastic_model *model, const plate_boundary *boundary, const phx_plate_spot *spot)
{
    const phx_plate *plate = phx_plate_of(model);
    int found = -1;

    if (spot->node >= 0)
        return spot->node < plate->n_corners && boundary->corner[spot->node] == 1 ? spot->node : -1;
    if (!spot->nodes) {
        double s = 0.0;
        const int edge = edge_at(model, spot->place, &s);
        if (edge < 0 || (s > 1e-6 && s < 1.0 - 1e-6))
            return -1;
        const plate_side side = plate_side_of(model, edge);
        const int end = side.node[s < 0.5 ? 0 : side.n - 1];
        return boundary->corner[end] == 1 ? end : -1;
    }
    for (int i = 0; i < plate->n_corners; i++)
        if (spot->nodes[i] && boundary->corner[i] == 1) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

phx_status phx_plate_edge_rows(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                               phx_stress_set set, const phx_plate_spot *spot, double *rows)
{
    const int components = phx_stress_components(set);
    double *own = phx_calloc(context, (size_t)components * (size_t)plate_bending_columns(columns) + 1, sizeof *own);
    plate_boundary boundary = {.out = NULL};
    phx_status status = own ? plate_boundary_create(context, model, &boundary) : PHX_ERR_MEMORY;

    if (!status && set == PHX_STRESSES_CORNER) {
        const int corner = corner_at(model, &boundary, spot);
        status = corner >= 0 ? corner_force(context, model, columns, spot->ports, &boundary, corner, own)
                             : phx_fail(context, PHX_ERR_ARGUMENT,
                                        "%s is no corner of the plate, a node where its boundary turns by more than "
                                        "30 degrees",
                                        spot->text);
    } else if (!status) {
        status = spot->nodes       ? over_nodes(context, model, columns, &boundary, spot, own)
                 : spot->node >= 0 ? at_node(context, model, columns, &boundary, spot, spot->node, own)
                                   : at_place(context, model, columns, &boundary, spot, own);
    }
    if (!status)
        spread(model, columns, components, own, rows);
    plate_boundary_free(&boundary);
    phx_free(own);
    return status;
}
