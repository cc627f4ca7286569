/* Element kinds Q9, T6, Tet10 and Hex27: shape functions, points, products, assumed strains of shells. */
#include "element.h"

#include <math.h>
#include <string.h>

enum { PLANE_BASIS = 16, SHEAR_BASIS = 12, BASIS = PLANE_BASIS, SHELL_MEASURES = 35 };

/* ---- shape functions ---- */
/* Quadratic Lagrange polynomials of the nodes -1, 0, 1. */
static void lagrange(double t, double *value, double *slope)
{
    value[0] = 0.5 * t * (t - 1.0);
    value[1] = 1.0 - t * t;
    value[2] = 0.5 * t * (t + 1.0);
    slope[0] = t - 0.5;
    slope[1] = -2.0 * t;
    slope[2] = t + 0.5;
}

/* Products of Lagrange polynomials in dim directions, r running first. */
static void shape_lines(int dim, const double *p, double *N, double *dN)
{
    const int n = dim == 2 ? 9 : 27;
    double value[3][3] = {{1.0}, {1.0}, {1.0}}, slope[3][3] = {{0.0}};

    for (int a = 0; a < dim; a++)
        lagrange(p[a], value[a], slope[a]);
    for (int k = 0; k < n; k++) {
        const int at[3] = {k % 3, k / 3 % 3, k / 9};
        N[k] = value[0][at[0]] * value[1][at[1]] * value[2][at[2]];
        for (int a = 0; a < dim; a++) {
            double product = 1.0;
            for (int b = 0; b < dim; b++)
                product *= a == b ? slope[b][at[b]] : value[b][at[b]];
            dN[a * n + k] = product;
        }
    }
}

/* Quadratic polynomials of a triangle or a tetrahedron: L (2 L - 1) at corners, 4 L_a L_b in between. */
static void shape_simplex(int dim, const double *p, double *N, double *dN)
{
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const int corners = dim + 1, edges = dim == 2 ? 3 : 6, n = corners + edges;
    double L[4] = {1.0}, dL[3][4] = {{0.0}};

    for (int a = 0; a < dim; a++) {
        L[0] -= p[a];
        L[a + 1] = p[a];
        dL[a][0] = -1.0;
        dL[a][a + 1] = 1.0;
    }
    for (int k = 0; k < corners; k++) {
        N[k] = L[k] * (2.0 * L[k] - 1.0);
        for (int a = 0; a < dim; a++)
            dN[a * n + k] = dL[a][k] * (4.0 * L[k] - 1.0);
    }
    for (int e = 0; e < edges; e++) {
        const int i = edge[e][0], j = edge[e][1];
        N[corners + e] = 4.0 * L[i] * L[j];
        for (int a = 0; a < dim; a++)
            dN[a * n + corners + e] = 4.0 * (dL[a][i] * L[j] + L[i] * dL[a][j]);
    }
}

void phx_vector_cell_shape(phx_vector_element element, const double *p, double *N, double *dN)
{
    if (element == PHX_VECTOR_Q9 || element == PHX_VECTOR_HEX27)
        shape_lines(element == PHX_VECTOR_Q9 ? 2 : 3, p, N, dN);
    else
        shape_simplex(element == PHX_VECTOR_T6 ? 2 : 3, p, N, dN);
}

int phx_vector_nodes(phx_vector_element element)
{
    static const int nodes[] = {9, 6, 10, 27};
    return nodes[element];
}

int phx_vector_points(phx_vector_element element)
{
    static const int points[] = {9, 6, 4, 27};
    return points[element];
}

int phx_vector_strains(phx_vector_element element)
{
    return element == PHX_VECTOR_Q9 || element == PHX_VECTOR_T6 ? PHX_SHELL_STRAINS : PHX_SOLID_STRAINS;
}

/* ---- integration points ---- */
static void points_of_lines(int dim, phx_vector_cell_table *table)
{
    const double place[3] = {-sqrt(0.6), 0.0, sqrt(0.6)}, weight[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

    for (int g = 0; g < table->n_points; g++) {
        const int at[3] = {g % 3, g / 3 % 3, g / 9};
        table->weight[g] = 1.0;
        for (int a = 0; a < dim; a++) {
            table->point[g][a] = place[at[a]];
            table->weight[g] *= weight[at[a]];
        }
    }
}

/* Degree 4 on the triangle, degree 2 on the tetrahedron. */
static void points_of_simplex(int dim, phx_vector_cell_table *table)
{
    const double half = sqrt(38.0 - 44.0 * sqrt(0.4)), part = sqrt(213125.0 - 53320.0 * sqrt(10.0));
    const double orbit[2][2] = {{(8.0 - sqrt(10.0) + half) / 18.0, (620.0 + part) / 3720.0},
                                {(8.0 - sqrt(10.0) - half) / 18.0, (620.0 - part) / 3720.0}};
    const double a = 0.25 + 0.15 * sqrt(5.0), b = 0.25 - 0.05 * sqrt(5.0);

    for (int g = 0; g < table->n_points && dim == 3; g++) {
        for (int i = 0; i < 3; i++)
            table->point[g][i] = g == i + 1 ? a : b;
        table->weight[g] = 1.0 / 24.0;
    }
    for (int g = 0; g < table->n_points && dim == 2; g++) {
        const double *o = orbit[g / 3];
        table->point[g][0] = g % 3 == 1 ? 1.0 - 2.0 * o[0] : o[0];
        table->point[g][1] = g % 3 == 2 ? 1.0 - 2.0 * o[0] : o[0];
        table->weight[g] = 0.5 * o[1];
    }
}

/* Gauss points of the edges, with the tangents along which strains are taken there. */
static void fill_edges(phx_vector_cell_table *table)
{
    const double g = sqrt(1.0 / 3.0), a = 0.5 - 0.5 * g, b = 0.5 + 0.5 * g;
    const double triangle[6][4] = {{a, 0, 1, 0}, {b, 0, 1, 0},  {0, a, 0, 1},
                                   {0, b, 0, 1}, {b, a, -1, 1}, {a, b, -1, 1}};

    table->n_edge_points = table->element == PHX_VECTOR_Q9 ? 8 : 6;
    for (int e = 0; e < table->n_edge_points; e++) {
        const double t = e % 2 ? g : -g, side = e / 2 % 2 ? 1.0 : -1.0;
        const double quad[4] = {e < 4 ? t : side, e < 4 ? side : t, e < 4, e >= 4};
        const double *from = table->element == PHX_VECTOR_Q9 ? quad : triangle[e];
        for (int i = 0; i < 2; i++) {
            table->edge_point[e][i] = from[i];
            table->edge_tangent[e][i] = from[2 + i];
        }
    }
}

/* ---- products ---- */
/* The row sum of factor over the places (half 0) or directors (1). */
static int add_row(phx_vector_cell_table *table, int half, const double *factor)
{
    phx_vector_cell_row *row = &table->row[table->n_rows];

    row->first = half * table->n_nodes;
    memcpy(row->factor, factor, (size_t)table->n_nodes * sizeof *factor);
    return table->n_rows++;
}

static void add_product(phx_vector_cell_table *table, int a, int b, int measure, double factor)
{
    table->product[table->n_products++] =
        (phx_vector_cell_product){.a = a, .b = b, .measure = measure, .factor = factor};
    table->n_measures = measure + 1 > table->n_measures ? measure + 1 : table->n_measures;
}

/* Rows of a shell at a point: x,r x,s d,r d,s d; on an edge x,t d,t d. */
static int add_shell_rows(phx_vector_cell_table *table, const double *p, const double *tangent)
{
    double N[PHX_VECTOR_NODES], dN[3 * PHX_VECTOR_NODES], along[PHX_VECTOR_NODES];
    const int n = table->n_nodes, first = table->n_rows;

    phx_vector_cell_shape(table->element, p, N, dN);
    for (int half = 0; half < 2 && !tangent; half++)
        for (int a = 0; a < 2; a++)
            (void)add_row(table, half, dN + a * n);
    for (int k = 0; k < n && tangent; k++)
        along[k] = tangent[0] * dN[k] + tangent[1] * dN[n + k];
    for (int half = 0; half < 2 && tangent; half++)
        (void)add_row(table, half, along);
    (void)add_row(table, 1, N);
    return first;
}

static void begin_part(phx_vector_cell_table *table, int strains, int n_measures, int n_vectors, bool own)
{
    table->part[table->n_parts++] = (phx_vector_cell_part){.strains = strains,
                                                           .n_measures = n_measures,
                                                           .first_measure = table->n_measures,
                                                           .first_product = table->n_products,
                                                           .n_vectors = n_vectors,
                                                           .own = own};
}

static void end_part(phx_vector_cell_table *table)
{
    phx_vector_cell_part *part = &table->part[table->n_parts - 1];
    part->n_products = table->n_products - part->first_product;
}

/* Membrane (rr ss 2rs), curvature, shear (r s): at the points, then along the edges. */
static void fill_shell(phx_vector_cell_table *table)
{
    const int P = table->n_points, E = table->n_edge_points;
    int at[PHX_VECTOR_POINTS], edge[PHX_VECTOR_CELL_EDGE_POINTS];

    for (int g = 0; g < P; g++)
        at[g] = add_shell_rows(table, table->point[g], NULL);
    for (int e = 0; e < E; e++)
        edge[e] = add_shell_rows(table, table->edge_point[e], table->edge_tangent[e]);
    begin_part(table, 3, 3 * P + E, table->n_nodes, false);
    for (int g = 0; g < P; g++) {
        const int x = at[g], m = 3 * g;
        add_product(table, x, x, m, 0.5);
        add_product(table, x + 1, x + 1, m + 1, 0.5);
        add_product(table, x, x + 1, m + 2, 1.0);
    }
    for (int e = 0; e < E; e++)
        add_product(table, edge[e], edge[e], 3 * P + e, 0.5);
    end_part(table);
    begin_part(table, 3, 3 * P + E, table->n_vectors, false);
    const int curved = table->n_measures;
    for (int g = 0; g < P; g++) {
        const int x = at[g], d = x + 2, m = curved + 3 * g;
        add_product(table, x, d, m, 1.0);
        add_product(table, x + 1, d + 1, m + 1, 1.0);
        add_product(table, x, d + 1, m + 2, 1.0);
        add_product(table, x + 1, d, m + 2, 1.0);
    }
    for (int e = 0; e < E; e++)
        add_product(table, edge[e], edge[e] + 1, curved + 3 * P + e, 1.0);
    end_part(table);
    begin_part(table, 2, 2 * P + E, table->n_vectors, false);
    const int sheared = table->n_measures;
    for (int g = 0; g < P; g++)
        for (int a = 0; a < 2; a++)
            add_product(table, at[g] + a, at[g] + 4, sheared + 2 * g + a, 1.0);
    for (int e = 0; e < E; e++)
        add_product(table, edge[e], edge[e] + 2, sheared + 2 * P + e, 1.0);
    end_part(table);
}

/* Covariant products of a solid, in the order 11 22 33 23 13 12. */
static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

static void fill_solid(phx_vector_cell_table *table)
{
    double N[PHX_VECTOR_NODES], dN[3 * PHX_VECTOR_NODES];

    begin_part(table, 6, 6, table->n_vectors, true);
    for (int g = 0; g < table->n_points; g++) {
        phx_vector_cell_shape(table->element, table->point[g], N, dN);
        const int x = table->n_rows;
        for (int a = 0; a < 3; a++)
            (void)add_row(table, 0, dN + a * table->n_nodes);
        for (int i = 0; i < 6; i++)
            add_product(table, x + pairs[i][0], x + pairs[i][1], 6 * g + i, 1.0);
    }
    end_part(table);
}

/* Nodes, points and products of an element kind. */
void phx_vector_cell_table_fill(phx_vector_element element, phx_vector_cell_table *table)
{
    const bool lines = element == PHX_VECTOR_Q9 || element == PHX_VECTOR_HEX27;

    *table = (phx_vector_cell_table){.element = element, .n_nodes = phx_vector_nodes(element)};
    table->shell = phx_vector_strains(element) == PHX_SHELL_STRAINS;
    table->n_vectors = table->shell ? 2 * table->n_nodes : table->n_nodes;
    table->n_points = phx_vector_points(element);
    table->n_strains = phx_vector_strains(element);
    if (lines)
        points_of_lines(table->shell ? 2 : 3, table);
    else
        points_of_simplex(table->shell ? 2 : 3, table);
    if (table->shell) {
        fill_edges(table);
        fill_shell(table);
    } else {
        fill_solid(table);
    }
}

/* ---- assumed strains of shells: those that agree with the compatible ones along the edges and in the mean ---- */
/* The assumed space at p: strains x functions. Q9 in the plane rr: P1(r) P2(s), ss: P2(r) P1(s), 2rs: P1(r) P1(s), its
 * shear r and s alike; T6 each P1 in the plane, in shear P1 + s (c1 r + c2 s), P1 - r (c1 r + c2 s). */
static int assumed_basis(const phx_vector_cell_table *table, bool shear, const double *p, double *B)
{
    const double r = p[0], s = p[1];
    const int strains = shear ? 2 : 3, n = table->element == PHX_VECTOR_Q9 ? (shear ? 12 : 16) : (shear ? 8 : 9);

    memset(B, 0, (size_t)(strains * n) * sizeof *B);
    if (table->element == PHX_VECTOR_Q9) {
        for (int k = 0; k < 6; k++) {
            B[k] = (k % 2 ? r : 1.0) * (k / 2 == 0 ? 1.0 : k / 2 == 1 ? s : s * s);
            B[n + 6 + k] = (k % 2 ? s : 1.0) * (k / 2 == 0 ? 1.0 : k / 2 == 1 ? r : r * r);
        }
        for (int k = 0; k < 4 && !shear; k++)
            B[2 * n + 12 + k] = (k % 2 ? r : 1.0) * (k / 2 ? s : 1.0);
        return n;
    }
    for (int i = 0; i < strains; i++) {
        B[i * n + 3 * i] = 1.0;
        B[i * n + 3 * i + 1] = r;
        B[i * n + 3 * i + 2] = s;
    }
    if (shear) {
        B[6] = r * s;
        B[7] = s * s;
        B[n + 6] = -r * r;
        B[n + 7] = -r * s;
    }
    return n;
}

/* Weights of the moments over the element: strains of each; their number. */
static int assumed_moments(const phx_vector_cell_table *table, bool shear, const double *p, double moment[5][3])
{
    const double r = p[0], s = p[1];
    const double quad[5][3] = {{r, 0, 0}, {0, s, 0}, {0, 0, r}, {0, 0, s}, {0, 0, r * s}};
    const double quad_shear[4][3] = {{1, 0, 0}, {r, 0, 0}, {0, 1, 0}, {0, s, 0}};
    const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const bool lines = table->element == PHX_VECTOR_Q9;

    if (lines && !shear)
        memcpy(moment, quad, sizeof quad);
    else if (lines)
        memcpy(moment, quad_shear, sizeof quad_shear);
    else
        memcpy(moment, unit, sizeof unit);
    return lines ? (shear ? 4 : 5) : (shear ? 2 : 3);
}

/* A point of a shell: its Jacobian and the map from covariant strains to the axes of the section. */
typedef struct shell_point {
    double J, plane[9], shear[4];
} shell_point;

static const double NORMAL = 1e-12; /* square of the part of axis 1 in the tangent plane, relative, at least */

/* Axis 1 projected on the tangent plane; E_ij = sum E_ab a_ai a_bj, gamma_i = sum gamma_a a_ai. */
static bool shell_point_fill(const double *tangent_r, const double *tangent_s, const double *axis, shell_point *out)
{
    static const int pair[3][2] = {{0, 0}, {1, 1}, {0, 1}};
    double n[3], t[2][3], M[2][2], along = 0.0, size = 0.0, a[2][2];

    phx_rot_x_rot(3, tangent_r, tangent_s, n);
    out->J = sqrt(phx_dot(3, n, n));
    if (!(out->J > 0.0))
        return false;
    for (int i = 0; i < 3; i++) {
        n[i] /= out->J;
        along += axis[i] * n[i];
    }
    for (int i = 0; i < 3; i++) {
        t[0][i] = axis[i] - along * n[i];
        size += t[0][i] * t[0][i];
    }
    if (!(size > NORMAL * phx_dot(3, axis, axis)))
        return false;
    for (int i = 0; i < 3; i++)
        t[0][i] /= sqrt(size);
    phx_rot_x_rot(3, n, t[0], t[1]);
    for (int j = 0; j < 2; j++) {
        M[j][0] = phx_dot(3, t[j], tangent_r);
        M[j][1] = phx_dot(3, t[j], tangent_s);
    }
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    a[0][0] = M[1][1] / det;
    a[0][1] = -M[0][1] / det;
    a[1][0] = -M[1][0] / det;
    a[1][1] = M[0][0] / det;
    for (int i = 0; i < 3; i++) {
        const int u = pair[i][0], v = pair[i][1];
        const double f = i == 2 ? 2.0 : 1.0;
        out->plane[3 * i] = f * a[0][u] * a[0][v];
        out->plane[3 * i + 1] = f * a[1][u] * a[1][v];
        out->plane[3 * i + 2] = 0.5 * f * (a[0][u] * a[1][v] + a[1][u] * a[0][v]);
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            out->shear[2 * i + k] = a[k][i];
    return true;
}

/* A row of the conditions: `left` on the assumed functions equals `right` on the measures. */
typedef struct conditions {
    int n, rows, n_measures;
    double left[BASIS * BASIS], right[BASIS * SHELL_MEASURES];
} conditions;

/* += factor times component `i` of the strains at a point, of the assumed and the compatible ones */
static void add_strain(conditions *c, int row, double factor, int i, int strains, int g, const double *B)
{
    for (int k = 0; k < c->n; k++)
        c->left[row * c->n + k] += factor * B[i * c->n + k];
    c->right[row * c->n_measures + strains * g + i] += factor;
}

/* Coefficients of the assumed strains from the measures, basis x measures into L. */
static phx_status assumed_solve(phx_context *context, const phx_vector_cell_table *table, bool shear,
                                const shell_point *at, conditions *c)
{
    const int strains = shear ? 2 : 3, P = table->n_points;
    double B[3 * BASIS], moment[5][3];

    memset(c, 0, sizeof *c);
    c->n = assumed_basis(table, shear, table->point[0], B);
    c->n_measures = strains * P + table->n_edge_points;
    for (int e = 0; e < table->n_edge_points; e++, c->rows++) {
        const double u = table->edge_tangent[e][0], v = table->edge_tangent[e][1];
        const double along[3] = {shear ? u : u * u, shear ? v : v * v, u * v};
        (void)assumed_basis(table, shear, table->edge_point[e], B);
        for (int i = 0; i < strains; i++)
            for (int k = 0; k < c->n; k++)
                c->left[c->rows * c->n + k] += along[i] * B[i * c->n + k];
        c->right[c->rows * c->n_measures + strains * P + e] = 1.0;
    }
    for (int g = 0; g < P; g++) {
        (void)assumed_basis(table, shear, table->point[g], B);
        const int moments = assumed_moments(table, shear, table->point[g], moment);
        for (int m = 0; m < moments; m++)
            for (int i = 0; i < strains; i++)
                add_strain(c, c->rows + m, table->weight[g] * moment[m][i], i, strains, g, B);
        for (int m = 0; m < 3 && c->rows + moments + m < c->n; m++) /* the Cartesian mean, for the patch test */
            for (int i = 0; i < 3; i++)
                add_strain(c, c->rows + moments + m, table->weight[g] * at[g].J * at[g].plane[3 * m + i], i, 3, g, B);
    }
    return phx_dense_solve(context, c->n, c->left, c->n_measures, c->right);
}

/* T of a part at all points: to Cartesian axes, times the basis, times the coefficients. */
static void assumed_table(const phx_vector_cell_table *table, bool shear, const shell_point *at, const conditions *c,
                          double *T)
{
    const int strains = shear ? 2 : 3;
    double B[3 * BASIS], QB[3 * BASIS];

    for (int g = 0; g < table->n_points; g++) {
        (void)assumed_basis(table, shear, table->point[g], B);
        phx_dense_multiply(false, false, strains, c->n, strains, 1.0, shear ? at[g].shear : at[g].plane, strains, B,
                           c->n, 0.0, QB, c->n);
        phx_dense_multiply(false, false, strains, c->n_measures, c->n, 1.0, QB, c->n, c->right, c->n_measures, 0.0,
                           T + (size_t)(g * strains * c->n_measures), c->n_measures);
    }
}

/* ---- making ---- */
static void tangents_at(const phx_vector_cell_table *table, const double *p, const double *Z, double tangent[3][3])
{
    double N[PHX_VECTOR_NODES], dN[3 * PHX_VECTOR_NODES];

    phx_vector_cell_shape(table->element, p, N, dN);
    memset(tangent, 0, 9 * sizeof(double));
    for (int a = 0; a < (table->shell ? 2 : 3); a++)
        for (int k = 0; k < table->n_nodes; k++)
            for (int i = 0; i < 3; i++)
                tangent[a][i] += dN[a * table->n_nodes + k] * Z[3 * k + i];
}

/* T of membrane and curvature, which have the same, and of shear: the conditions of theory 2 solved for this element.
 */
static phx_status fill_shell_cell(phx_context *context, const phx_vector_cell_table *table, const double *axis,
                                  const double *Z, phx_vector_cell *made, int *point)
{
    shell_point at[PHX_VECTOR_POINTS];
    double tangent[3][3];
    conditions c;

    for (int g = 0; g < table->n_points; g++) {
        tangents_at(table, table->point[g], Z, tangent);
        *point = g;
        if (!shell_point_fill(tangent[0], tangent[1], axis, &at[g]))
            return PHX_ERR_ARGUMENT;
        made->weight[g] = table->weight[g] * at[g].J;
    }
    phx_status status = assumed_solve(context, table, false, at, &c);
    if (status)
        return status;
    assumed_table(table, false, at, &c, made->T[0]);
    memcpy(made->T[1], made->T[0], (size_t)(3 * table->n_points * c.n_measures) * sizeof(double));
    status = assumed_solve(context, table, true, at, &c);
    if (!status)
        assumed_table(table, true, at, &c, made->T[2]);
    return status;
}

/* T of a solid at each point: covariant products to Cartesian strains, E = 1/2 (F^T F - I). */
static phx_status fill_solid_cell(const phx_vector_cell_table *table, const double *Z, phx_vector_cell *made,
                                  int *point)
{
    for (int g = 0; g < table->n_points; g++) {
        double J[3][3], a[9], n[3];
        tangents_at(table, table->point[g], Z, J); /* J[alpha] = X,alpha */
        phx_rot_x_rot(3, J[0], J[1], n);
        const double det = phx_dot(3, n, J[2]);
        *point = g;
        if (!(det > 0.0))
            return PHX_ERR_ARGUMENT;
        for (int u = 0; u < 3; u++) { /* a[alpha][i]: contravariant vectors */
            phx_rot_x_rot(3, J[(u + 1) % 3], J[(u + 2) % 3], a + 3 * u);
            for (int i = 0; i < 3; i++)
                a[3 * u + i] /= det;
        }
        made->weight[g] = table->weight[g] * det;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                const int u = pairs[i][0], v = pairs[i][1], c = pairs[j][0], d = pairs[j][1];
                const double swapped = c != d ? a[3 * d + u] * a[3 * c + v] : 0.0;
                made->T[0][36 * g + 6 * i + j] = (a[3 * c + u] * a[3 * d + v] + swapped) * (u == v ? 0.5 : 1.0);
            }
    }
    return PHX_OK;
}

size_t phx_vector_cell_room(const phx_vector_cell_table *table)
{
    size_t count = (size_t)(table->n_points * (1 + table->n_strains));

    for (int p = 0; p < table->n_parts; p++)
        count += (size_t)(table->n_points * table->part[p].strains * table->part[p].n_measures);
    return count;
}

/* T and weights, then the strains of Z, which are subtracted from all others. */
phx_status phx_vector_cell_fill(phx_context *context, const phx_vector_cell_table *table, const double *axis,
                                const double *section, const double *Z, double *room, phx_vector_cell *made, int *point)
{
    *made = (phx_vector_cell){.table = table, .section = section, .weight = room};
    made->rest = made->weight + table->n_points;
    double *next = made->rest + table->n_points * table->n_strains;
    for (int p = 0; p < table->n_parts; p++) {
        made->T[p] = next;
        next += table->n_points * table->part[p].strains * table->part[p].n_measures;
    }
    phx_status status =
        table->shell ? fill_shell_cell(context, table, axis, Z, made, point) : fill_solid_cell(table, Z, made, point);
    if (status)
        return status;
    double E[PHX_VECTOR_CELL_STRAINS];
    memset(made->rest, 0, (size_t)(table->n_points * table->n_strains) * sizeof(double));
    phx_vector_cell_strain(made, Z, E);
    memcpy(made->rest, E, (size_t)(table->n_points * table->n_strains) * sizeof(double));
    return PHX_OK;
}

static double jacobian_at(const phx_vector_cell_table *table, const double *p, const double *Z)
{
    double tangent[3][3], n[3];

    tangents_at(table, p, Z, tangent);
    phx_rot_x_rot(3, tangent[0], tangent[1], n);
    return table->shell ? sqrt(phx_dot(3, n, n)) : phx_dot(3, n, tangent[2]);
}

/* += weight N N^T at p */
static void add_mass(const phx_vector_cell_table *table, const double *p, double weight, const double *Z, double *mass)
{
    double N[PHX_VECTOR_NODES], dN[3 * PHX_VECTOR_NODES];
    const double w = weight * jacobian_at(table, p, Z);

    phx_vector_cell_shape(table->element, p, N, dN);
    for (int i = 0; i < table->n_nodes; i++)
        for (int j = 0; j < table->n_nodes; j++)
            mass[i * table->n_nodes + j] += w * N[i] * N[j];
}

/* Gauss points of [0, 1], four. */
static void gauss_four(double *point, double *weight)
{
    const double near = sqrt(3.0 / 7.0 - 2.0 / 7.0 * sqrt(1.2)), far = sqrt(3.0 / 7.0 + 2.0 / 7.0 * sqrt(1.2));
    const double place[4] = {-far, -near, near, far}, wide = (18.0 + sqrt(30.0)) / 36.0;

    for (int i = 0; i < 4; i++) {
        point[i] = 0.5 + 0.5 * place[i];
        weight[i] = 0.5 * (i == 1 || i == 2 ? wide : 1.0 - wide);
    }
}

/* Diagonal for Q9 and Hex27, by Lobatto's weights (1, 4, 1)/3 at the nodes; consistent for T6 and Tet10. */
void phx_vector_cell_mass(const phx_vector_cell_table *table, const double *Z, double *mass)
{
    static const double lobatto[3] = {1.0 / 3.0, 4.0 / 3.0, 1.0 / 3.0};
    const bool lines = table->element == PHX_VECTOR_Q9 || table->element == PHX_VECTOR_HEX27;
    double t[4], w[4];

    memset(mass, 0, (size_t)(table->n_nodes * table->n_nodes) * sizeof *mass);
    for (int k = 0; k < table->n_nodes && lines; k++) {
        const int at[3] = {k % 3, k / 3 % 3, k / 9};
        const double p[3] = {at[0] - 1.0, at[1] - 1.0, at[2] - 1.0};
        const double weight = lobatto[at[0]] * lobatto[at[1]] * (table->shell ? 1.0 : lobatto[at[2]]);
        mass[k * table->n_nodes + k] = weight * jacobian_at(table, p, Z);
    }
    for (int g = 0; g < table->n_points && table->element == PHX_VECTOR_T6; g++)
        add_mass(table, table->point[g], table->weight[g], Z, mass);
    if (table->element != PHX_VECTOR_TET10)
        return;
    gauss_four(t, w);
    for (int g = 0; g < 64; g++) { /* a cube, two of whose sides are collapsed */
        const double a = t[g / 16], b = t[g / 4 % 4], c = t[g % 4];
        const double p[3] = {a, b * (1.0 - a), c * (1.0 - a) * (1.0 - b)};
        add_mass(table, p, w[g / 16] * w[g / 4 % 4] * w[g % 4] * (1.0 - a) * (1.0 - a) * (1.0 - b), Z, mass);
    }
}

/* Row i: the Lagrange polynomial of the points at node i; on triangles and tetrahedra the polynomial through them. */
void phx_vector_extrapolate(phx_vector_element element, double *weights)
{
    const int nodes = phx_vector_nodes(element), points = phx_vector_points(element);
    const bool lines = element == PHX_VECTOR_Q9 || element == PHX_VECTOR_HEX27;
    const double far = 1.0 / sqrt(0.6);
    double matrix[100], N[PHX_VECTOR_NODES], dN[3 * PHX_VECTOR_NODES];
    phx_vector_cell_table table = {.element = element, .n_points = points};

    if (lines) {
        for (int k = 0; k < nodes; k++) { /* shape functions of an element whose nodes are the points */
            const double p[3] = {far * (k % 3 - 1.0), far * (k / 3 % 3 - 1.0), far * (k / 9 - 1.0)};
            phx_vector_cell_shape(element, p, weights + k * points, dN);
        }
        return;
    }
    const int dim = element == PHX_VECTOR_T6 ? 2 : 3;
    points_of_simplex(dim, &table);
    for (int g = 0; g < points; g++) { /* functions at the points: T6 quadratic, Tet10 linear */
        phx_vector_cell_shape(element, table.point[g], N, dN);
        double *row = matrix + g * points;
        row[0] = 1.0;
        for (int a = 0; a < dim; a++) {
            row[1 + a] = table.point[g][a];
            row[0] -= dim == 3 ? table.point[g][a] : 0.0;
        }
        for (int k = 0; k < points && dim == 2; k++)
            row[k] = N[k];
    }
    (void)phx_dense_inverse(NULL, points, matrix);
    for (int i = 0; i < nodes; i++)
        for (int g = 0; g < points; g++) {
            static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
            const double *m = matrix;
            weights[i * points + g] = dim == 2 || i < 4
                                          ? m[i * points + g]
                                          : 0.5 * (m[edge[i - 4][0] * points + g] + m[edge[i - 4][1] * points + g]);
        }
}
