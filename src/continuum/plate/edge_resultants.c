/* Resultants on the edges and corners of a plate. With the normal n outward and t to its left, along the boundary, the
 * work of the moments at a deflection v is, theory-plates 2 (1) and (2),
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

enum { MOST_DEGREE = PHX_PLATE_EDGE_DEGREE };

/* ---- polynomials along an edge ---- */
/* int_0^1 L_i L_j ds */
static void edge_mass(int degree, double mass[MOST_DEGREE + 1][MOST_DEGREE + 1])
{
    double s[MOST_DEGREE + 1], weight[MOST_DEGREE + 1], L[MOST_DEGREE + 1];

    memset(mass, 0, (MOST_DEGREE + 1) * sizeof *mass);
    phx_gauss(degree + 1, s, weight);
    for (int g = 0; g <= degree; g++) {
        phx_plate_edge_lagrange(degree, 0, degree, s[g], L);
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

    phx_plate_edge_lagrange(degree, 1, degree - single, 0.0, space.end[0]);
    phx_plate_edge_lagrange(degree, single, degree - 1, 1.0, space.end[1]);
    return space;
}

/* Mass matrix of the functions along a boundary line; without corners the end values are expressed by the inner
 * nodes. */
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

static void line_shear_free(line_shear *shear)
{
    phx_free(shear->V);
    phx_free(shear->corner);
    phx_free(shear->share);
}

/* out_i = int V psi_i, psi of space `to` */
static void edge_resultants_project(const phx_elastic_model *model, const plate_line *line, const line_space *from,
                                    const line_space *to, size_t cols, const double *V, double *out)
{
    double s[MOST_DEGREE + 1], weight[MOST_DEGREE + 1], L[MOST_DEGREE + 1], psi[MOST_DEGREE + 1];

    phx_gauss(from->degree + 1, s, weight);
    for (int k = 0; k < line->n; k++) {
        const double length = plate_side_of(model, line->edge[k]).length;
        for (int g = 0; g <= from->degree; g++) {
            phx_plate_edge_lagrange(from->degree, 0, from->degree, s[g], L);
            phx_plate_edge_lagrange(to->degree, 0, to->degree, s[g], psi);
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

/* Effective shear force V along a line and forces at its corners over all columns, from the nodal forces,
 * theory-plates 2 (3). */
static phx_status line_shear_create(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                                    const unsigned char *ports, const plate_line *line, line_shear *shear)
{
    const int p = phx_plate_of(model)->order + 1, m = p > 2 ? p - 1 : 1, last = line->closed ? 0 : p * line->n;
    const line_space of = space_of(line, p, false), to = space_of(line, m, true);
    const size_t cols = (size_t)plate_bending_columns(columns), size = (size_t)of.nodes * cols + 1;
    double *F = phx_calloc(context, size, sizeof *F), *V = phx_calloc(context, size, sizeof *V);
    double *own = phx_calloc(context, size, sizeof *own);

    *shear = (line_shear){.degree = m, .nodes = to.nodes, .cols = (int)cols};
    shear->V = phx_calloc(context, (size_t)to.nodes * cols + 1, sizeof *shear->V);
    shear->corner = phx_calloc(context, 2 * cols + 1, sizeof *shear->corner);
    shear->share = phx_calloc(context, 2 * cols + 1, sizeof *shear->share);
    phx_status status = F && V && own && shear->V && shear->corner && shear->share ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = plate_line_forces(context, model, columns, ports, line, F);
    if (!status)
        status = find_shear(context, model, line, &of, (int)cols, F, V);
    if (!status) {
        edge_resultants_project(model, line, &of, &of, cols, V, own);
        for (int side = 0; side < 2; side++)
            for (size_t c = 0; c < cols; c++) {
                shear->corner[side * cols + c] = F[(size_t)(side ? last : 0) * cols + c];
                shear->share[side * cols + c] = own[(size_t)(side ? last : 0) * cols + c];
            }
        memset(F, 0, size * sizeof *F);
        edge_resultants_project(model, line, &of, &to, cols, V, F);
        status = find_shear(context, model, line, &to, (int)cols, F, shear->V);
    }
    phx_free(F);
    phx_free(V);
    phx_free(own);
    if (status)
        line_shear_free(shear);
    return status;
}

/* ---- moments ---- */
/* rows (2 x cols: nn, nt) <- M at s of an edge */
static void moments_at(const phx_elastic_model *model, const stress_columns *columns, int edge, double s, double *rows)
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
        rows[c] = n[0] * n[0] * M[0] + n[1] * n[1] * M[1] + 2.0 * n[0] * n[1] * M[2];
        rows[cols + c] = n[0] * t[0] * M[0] + n[1] * t[1] * M[1] + (n[0] * t[1] + n[1] * t[0]) * M[2];
    }
}

/* ---- all of the boundary ---- */
/* Which edges there are, and where its corners are. `id`: of each in the plate; freed by the caller. */
static phx_status outline(phx_context *context, const phx_elastic_model *model, const plate_boundary *boundary,
                          int **id, phx_plate_edges *edges)
{
    const phx_plate *plate = phx_plate_of(model);

    *edges = (phx_plate_edges){
        .nodes = plate->n_corners, .shear = plate->order + 1 > 2 ? plate->order : 1, .moment = plate->order};
    for (int edge = 0; edge < plate->n_edges; edge++)
        edges->n += plate_is_boundary(plate, edge);
    *id = phx_calloc(context, (size_t)edges->n + 1, sizeof **id);
    edges->end = phx_calloc(context, 2 * (size_t)edges->n + 1, sizeof *edges->end);
    edges->begin = phx_calloc(context, (size_t)edges->n + 1, sizeof *edges->begin);
    if (!*id || !edges->end || !edges->begin)
        return PHX_ERR_MEMORY;
    for (int edge = 0, k = 0; edge < plate->n_edges; edge++) {
        if (!plate_is_boundary(plate, edge))
            continue;
        const plate_side side = plate_side_of(model, edge);
        (*id)[k] = edge;
        edges->end[2 * k] = side.node[0];
        edges->end[2 * k + 1] = side.node[side.n - 1];
        edges->begin[k++] = boundary->corner[side.node[0]];
    }
    return phx_plate_edges_join(context, edges);
}

/* The place among the edges of the boundary of each edge of the plate. */
static phx_status place_edges(phx_context *context, const phx_elastic_model *model, int n, const int *id, int **place)
{
    *place = phx_calloc(context, (size_t)phx_plate_of(model)->n_edges + 1, sizeof **place);
    for (int k = 0; k < n && *place; k++)
        (*place)[id[k]] = k;
    return *place ? PHX_OK : PHX_ERR_MEMORY;
}

/* V, the moments and what the corners at the ends of a line have. R_c: what is left of the force on the corner by V on
 * both lines that end there. */
static void put_line(const phx_elastic_model *model, const stress_columns *columns, const plate_line *line,
                     const line_shear *shear, const int *place, phx_plate_edges *edges)
{
    const size_t cols = (size_t)edges->cols;

    for (int k = 0; k < line->n; k++) {
        const size_t at = (size_t)place[line->edge[k]];
        for (int i = 0; i <= edges->shear; i++)
            memcpy(edges->V + (at * (size_t)(edges->shear + 1) + (size_t)i) * cols,
                   shear->V + (size_t)((edges->shear * k + i) % shear->nodes) * cols, cols * sizeof *edges->V);
        for (int i = 0; i <= edges->moment; i++)
            moments_at(model, columns, line->edge[k], edges->moment > 0 ? (double)i / edges->moment : 0.5,
                       edges->M + 2 * (at * (size_t)(edges->moment + 1) + (size_t)i) * cols);
    }
    if (line->closed)
        return;
    const int first = place[line->edge[0]], last = place[line->edge[line->n - 1]];
    double *begin = edges->R + (size_t)first * cols,
           *end = edges->R + (size_t)edges->out[edges->end[2 * last + 1]] * cols;
    for (size_t c = 0; c < cols; c++) {
        begin[c] += shear->corner[c] - shear->share[c];
        end[c] -= shear->share[cols + c];
    }
}

/* The lines that have wanted edges (NULL: all). */
static phx_status edge_resultants_fill(phx_context *context, const phx_elastic_model *model,
                                       const stress_columns *columns, const unsigned char *ports,
                                       const plate_boundary *boundary, const unsigned char *wanted, const int *id,
                                       phx_plate_edges *edges)
{
    const size_t n = (size_t)edges->n, cols = (size_t)plate_bending_columns(columns);
    unsigned char *done = phx_calloc(context, n + 1, 1);
    int *place = NULL;
    phx_status status = done ? place_edges(context, model, edges->n, id, &place) : PHX_ERR_MEMORY;

    edges->cols = (int)cols;
    edges->V = phx_calloc(context, n * (size_t)(edges->shear + 1) * cols + 1, sizeof *edges->V);
    edges->M = phx_calloc(context, 2 * n * (size_t)(edges->moment + 1) * cols + 1, sizeof *edges->M);
    edges->R = phx_calloc(context, n * cols + 1, sizeof *edges->R);
    if (!edges->V || !edges->M || !edges->R)
        status = PHX_ERR_MEMORY;
    for (size_t k = 0; k < n && !status; k++) {
        plate_line line;
        line_shear shear = {.V = NULL};
        if (done[k] || (wanted && !wanted[k]))
            continue;
        status = plate_line_through(context, model, boundary, id[k], &line);
        if (!status)
            status = line_shear_create(context, model, columns, ports, &line, &shear);
        if (!status) {
            put_line(model, columns, &line, &shear, place, edges);
            line_shear_free(&shear);
        }
        for (int i = 0; i < line.n && !status; i++)
            done[place[line.edge[i]]] = 1;
        phx_free(line.edge);
    }
    phx_free(done);
    phx_free(place);
    return status;
}

/* Edge resultants of all boundary edges over the columns of the basis; edges is empty after an error. */
phx_status phx_plate_edges_create(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                                  const unsigned char *ports, phx_plate_edges *edges)
{
    plate_boundary boundary = {.out = NULL};
    int *id = NULL;
    phx_status status = plate_boundary_create(context, model, &boundary);

    *edges = (phx_plate_edges){.n = 0};
    if (!status)
        status = outline(context, model, &boundary, &id, edges);
    if (!status)
        status = edge_resultants_fill(context, model, columns, ports, &boundary, NULL, id, edges);
    if (status)
        phx_plate_edges_free(edges);
    phx_free(id);
    plate_boundary_free(&boundary);
    return status;
}

/* ---- rows of what is asked for ---- */
/* From the columns of the bending to all columns; the products have none. */
static void edge_resultants_spread(const phx_elastic_model *model, const stress_columns *columns, int components,
                                   const double *own, double *rows)
{
    const int cols = plate_bending_columns(columns), all = continuum_columns(columns);
    const double *u, *sigma;

    memset(rows, 0, (size_t)components * (size_t)all * sizeof *rows);
    for (int k = 0; k < components; k++)
        for (int c = 0; c < cols; c++)
            rows[k * all + plate_bending_column(model, columns, c, &u, &sigma)] = own[k * cols + c];
}

/* Rows of the edge resultants at one spot, over all columns; only the edges needed there are evaluated. */
phx_status phx_plate_edge_rows(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                               phx_stress_set set, const phx_plate_spot *spot, double *rows)
{
    const int components = phx_stress_components(set);
    double *own = phx_calloc(context, (size_t)components * (size_t)plate_bending_columns(columns) + 1, sizeof *own);
    unsigned char *wanted = NULL;
    plate_boundary boundary = {.out = NULL};
    phx_plate_edges edges = {.n = 0};
    phx_edge_terms terms = {.n = 0};
    int *id = NULL;
    phx_status status = own ? plate_boundary_create(context, model, &boundary) : PHX_ERR_MEMORY;

    if (!status)
        status = outline(context, model, &boundary, &id, &edges);
    if (!status)
        status = phx_plate_edges_find(context, &edges, model->x, set, spot, &terms);
    if (!status && !(wanted = phx_calloc(context, (size_t)edges.n + 1, 1)))
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < terms.n && !status; k++)
        wanted[terms.term[k].edge] = 1;
    if (!status)
        status = edge_resultants_fill(context, model, columns, spot->ports, &boundary, wanted, id, &edges);
    if (!status) {
        phx_plate_edges_rows(&edges, set, &terms, own);
        edge_resultants_spread(model, columns, components, own, rows);
    }
    phx_edge_terms_free(&terms);
    phx_plate_edges_free(&edges);
    plate_boundary_free(&boundary);
    phx_free(id);
    phx_free(wanted);
    phx_free(own);
    return status;
}
