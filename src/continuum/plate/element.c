/* Matrices of the elements of a plate: contractions of the tables of the reference triangle.
 *
 * Bending, with slopes theta = grad w (Kirchhoff: Hellan-Herrmann-Johnson) or theta of its own (Mindlin: TDNNS), and
 * the normal slopes alpha of edges that make the moments of neighbours independent, theory-plates 1 (1) and (2):
 *
 *                  w         theta       alpha
 *     M        [ (0)       D_theta      D_alpha ]   int_T N : grad theta - int_dT N_nn (theta_n - side alpha)
 *     q        [ D_w       -mean           0    ]   int_T p . (grad w - theta), Mindlin only
 */
#include "plate.h"

#include <math.h>
#include <string.h>

/* Area, gradients of the barycentric coordinates, and lengths, outward normals and senses of the edges of a
 * triangle. */
void phx_plate_frame_of(const phx_elastic_model *model, int triangle, phx_plate_frame *frame)
{
    const phx_plate *plate = phx_plate_of(model);
    const int *corner = plate->corner + 3 * triangle;
    const double *x[3] = {model->x + 3 * corner[0], model->x + 3 * corner[1], model->x + 3 * corner[2]};
    const double p[2] = {x[1][0] - x[0][0], x[1][1] - x[0][1]}, q[2] = {x[2][0] - x[0][0], x[2][1] - x[0][1]};
    const double determinant = p[0] * q[1] - p[1] * q[0], turn = determinant > 0.0 ? 1.0 : -1.0;

    frame->area = 0.5 * fabs(determinant);
    frame->gradient[0][0] = q[1] / determinant;
    frame->gradient[0][1] = -q[0] / determinant;
    frame->gradient[1][0] = -p[1] / determinant;
    frame->gradient[1][1] = p[0] / determinant;
    for (int e = 0; e < 3; e++) {
        const double *from = x[e], *to = x[(e + 1) % 3];
        frame->length[e] = hypot(to[0] - from[0], to[1] - from[1]);
        frame->normal[e][0] = turn * (to[1] - from[1]) / frame->length[e];
        frame->normal[e][1] = -turn * (to[0] - from[0]) / frame->length[e];
        frame->reversed[e] = corner[e] > corner[(e + 1) % 3];
        frame->side[e] = frame->reversed[e] ? -turn : turn;
    }
}

/* P_m along an edge is odd where m is. */
static double parity(bool reversed, int m)
{
    return reversed && m % 2 ? -1.0 : 1.0;
}

/* Factors of the slope functions: 1 for gradients of deflections; for Nedelec's functions what makes the tangential
 * component of those on edges the Legendre polynomial in the edge's own direction, and the others free of dimension. */
static void scale_slopes(const phx_plate *plate, const phx_plate_frame *frame, double scale[PHX_TRIANGLE_SLOPES])
{
    const int per_edge = plate->order + 1;

    for (int j = 0; j < plate->tables.n_slopes; j++)
        scale[j] = plate->theory == PHX_PLATE_MINDLIN ? sqrt(2.0 * frame->area) : 1.0;
    for (int e = 0; e < 3 && plate->theory == PHX_PLATE_MINDLIN; e++)
        for (int m = 0; m < per_edge; m++)
            scale[e * per_edge + m] =
                frame->length[e] * (frame->reversed[e] ? -1.0 : 1.0) * parity(frame->reversed[e], m);
}

/* f_a G_a */
static void contract(const phx_plate_frame *frame, const double f[2], double out[2])
{
    for (int c = 0; c < 2; c++)
        out[c] = f[0] * frame->gradient[0][c] + f[1] * frame->gradient[1][c];
}

/* N_nn of the unit stresses xx, yy, xy */
static void normal_components(const double n[2], double out[3])
{
    out[0] = n[0] * n[0];
    out[1] = n[1] * n[1];
    out[2] = 2.0 * n[0] * n[1];
}

/* int_T phi_i (xx, yy, xy) : grad s_j - int_dT phi_i (xx, yy, xy)_nn s_j.n */
static void slope_entries(const phx_triangle_tables *tables, const phx_plate_frame *frame, int i, int j, double out[3])
{
    double part[2][2], gradient[2][2]; /* d_b s_c, d_d s_c */

    for (int b = 0; b < 2; b++) {
        const double s[2] = {tables->slope_gradient[i][j][0][b], tables->slope_gradient[i][j][1][b]};
        contract(frame, s, part[b]);
    }
    for (int c = 0; c < 2; c++) {
        const double s[2] = {part[0][c], part[1][c]};
        contract(frame, s, gradient[c]);
    }
    out[0] = frame->area * gradient[0][0];
    out[1] = frame->area * gradient[1][1];
    out[2] = frame->area * (gradient[0][1] + gradient[1][0]);
    for (int e = 0; e < 3; e++) {
        const double *n = frame->normal[e];
        double s[2], nn[3];
        contract(frame, tables->edge_slope[e][i][j], s);
        normal_components(n, nn);
        for (int c = 0; c < 3; c++)
            out[c] -= nn[c] * frame->length[e] * (s[0] * n[0] + s[1] * n[1]);
    }
}

/* D_theta (Kirchhoff: D_w), from column `first`. */
static void fill_slopes(const phx_plate *plate, const phx_plate_frame *frame, int first, double *D)
{
    const phx_triangle_tables *tables = &plate->tables;
    const int n = phx_plate_bending_unknowns(plate), block = phx_plate_bending_block(plate);
    double scale[PHX_TRIANGLE_SLOPES], entry[3];

    scale_slopes(plate, frame, scale);
    for (int i = 0; i < tables->n_polynomials; i++)
        for (int j = 0; j < tables->n_slopes; j++) {
            slope_entries(tables, frame, i, j, entry);
            for (int c = 0; c < 3; c++)
                D[(i * block + c) * n + first + j] = scale[j] * entry[c];
        }
}

/* D_alpha = int_dT N_nn side P_m, the last columns. */
static void fill_normal_slopes(const phx_plate *plate, const phx_plate_frame *frame, double *D)
{
    const int per_edge = plate->order + 1, n = phx_plate_bending_unknowns(plate),
              block = phx_plate_bending_block(plate);

    for (int e = 0; e < 3; e++) {
        double nn[3];
        normal_components(frame->normal[e], nn);
        for (int i = 0; i < plate->tables.n_polynomials; i++)
            for (int m = 0; m < per_edge; m++) {
                const double work = frame->side[e] * frame->length[e] * parity(frame->reversed[e], m) *
                                    plate->tables.edge_legendre[e][i][m];
                for (int c = 0; c < 3; c++)
                    D[(i * block + c) * n + n - 3 * per_edge + e * per_edge + m] = nn[c] * work;
            }
    }
}

/* The rows q: int_T p . (grad w - theta) */
static void fill_shear(const phx_plate *plate, const phx_plate_frame *frame, double *D)
{
    const phx_triangle_tables *tables = &plate->tables;
    const int n = phx_plate_bending_unknowns(plate), block = phx_plate_bending_block(plate);
    double scale[PHX_TRIANGLE_SLOPES], entry[2];

    scale_slopes(plate, frame, scale);
    for (int i = 0; i < tables->n_polynomials; i++) {
        double *row[2] = {D + (i * block + 3) * n, D + (i * block + 4) * n};
        for (int j = 0; j < tables->n_nodes; j++) {
            contract(frame, tables->gradient[i][j], entry);
            for (int c = 0; c < 2; c++)
                row[c][j] = frame->area * entry[c];
        }
        for (int j = 0; j < tables->n_slopes; j++) {
            contract(frame, tables->slope[i][j], entry);
            for (int c = 0; c < 2; c++)
                row[c][tables->n_nodes + j] = -scale[j] * frame->area * entry[c];
        }
    }
}

void phx_plate_bending_D(const phx_elastic_model *model, int triangle, double *D)
{
    const phx_plate *plate = phx_plate_of(model);
    const bool mindlin = plate->theory == PHX_PLATE_MINDLIN;
    const int rows = plate->tables.n_polynomials * phx_plate_bending_block(plate);
    phx_plate_frame frame;

    phx_plate_frame_of(model, triangle, &frame);
    memset(D, 0, (size_t)(rows * phx_plate_bending_unknowns(plate)) * sizeof *D);
    fill_slopes(plate, &frame, mindlin ? plate->tables.n_nodes : 0, D);
    fill_normal_slopes(plate, &frame, D);
    if (mindlin)
        fill_shear(plate, &frame, D);
}

/* int_T N : grad u: ux and uy of each node side by side */
void phx_plate_membrane_D(const phx_elastic_model *model, int triangle, double *D)
{
    const phx_plate *plate = phx_plate_of(model);
    const phx_triangle_tables *tables = &plate->tables;
    const int n = 2 * tables->n_nodes;
    phx_plate_frame frame;

    phx_plate_frame_of(model, triangle, &frame);
    memset(D, 0, (size_t)(3 * tables->n_polynomials * n) * sizeof *D);
    for (int i = 0; i < tables->n_polynomials; i++)
        for (int j = 0; j < tables->n_nodes; j++) {
            double g[2];
            contract(&frame, tables->gradient[i][j], g);
            D[(3 * i + 0) * n + 2 * j] = frame.area * g[0];
            D[(3 * i + 1) * n + 2 * j + 1] = frame.area * g[1];
            D[(3 * i + 2) * n + 2 * j] = frame.area * g[1];
            D[(3 * i + 2) * n + 2 * j + 1] = frame.area * g[0];
        }
}

/* ---- mass and compliance ---- */
/* int_T mass w w + rotary theta . theta */
static void bending_mass(const phx_plate *plate, const phx_plate_frame *frame, const phx_plate_section *section,
                         double *M)
{
    const phx_triangle_tables *tables = &plate->tables;
    const int n = phx_plate_bending_unknowns(plate), w = tables->n_nodes, rotations = phx_plate_rotations(plate);
    double scale[PHX_TRIANGLE_SLOPES], metric[4]; /* G_a . G_b */

    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int i = 0; i < w; i++)
        for (int j = 0; j < w; j++)
            M[i * n + j] = section->mass * frame->area * tables->mass[i][j];
    scale_slopes(plate, frame, scale);
    for (int ab = 0; ab < 4; ab++) {
        const double *a = frame->gradient[ab / 2], *b = frame->gradient[ab % 2];
        metric[ab] = section->rotary * frame->area * (a[0] * b[0] + a[1] * b[1]);
    }
    for (int i = 0; i < rotations; i++)
        for (int j = 0; j < rotations; j++) {
            double sum = 0.0;
            for (int ab = 0; ab < 4; ab++)
                sum += metric[ab] * tables->slope_mass[i][j][ab / 2][ab % 2];
            M[(w + i) * n + w + j] = scale[i] * scale[j] * sum;
        }
}

static void membrane_mass(const phx_plate *plate, const phx_plate_frame *frame, const phx_plate_section *section,
                          double *M)
{
    const int nodes = plate->tables.n_nodes, n = 2 * nodes;

    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++)
            M[2 * i * n + 2 * j] = M[(2 * i + 1) * n + 2 * j + 1] =
                section->mass * frame->area * plate->tables.mass[i][j];
}

/* M2 = area times the compliance of the section, for each polynomial. */
static void fill_compliance(double area, const double *section, phx_element_matrices *matrices)
{
    const int entries = matrices->block * matrices->block;

    for (int at = 0; at < matrices->n_stresses * matrices->block; at++)
        matrices->compliance[at] = area * section[at % entries];
}

/* Matrices of element e of a plate: bending of a triangle, or its membrane from e = n_triangles on. */
void phx_plate_element(const phx_elastic_model *model, int e, phx_element_matrices *matrices)
{
    const phx_plate *plate = phx_plate_of(model);
    const bool membrane = e >= plate->n_triangles;
    const int t = membrane ? e - plate->n_triangles : e, section = plate->section[t];
    phx_plate_frame frame;

    phx_plate_frame_of(model, t, &frame);
    matrices->block = membrane ? 3 : phx_plate_bending_block(plate);
    matrices->n_stresses = membrane && !plate->membrane ? 0 : plate->tables.n_polynomials * matrices->block;
    if (membrane) {
        matrices->n_unknowns = 2 * plate->tables.n_nodes;
        membrane_mass(plate, &frame, &plate->sections[section], matrices->M);
        if (plate->membrane) {
            phx_plate_membrane_D(model, t, matrices->D);
            fill_compliance(frame.area, plate->membrane_compliance[section], matrices);
        }
    } else {
        matrices->n_unknowns = phx_plate_bending_unknowns(plate);
        bending_mass(plate, &frame, &plate->sections[section], matrices->M);
        phx_plate_bending_D(model, t, matrices->D);
        fill_compliance(frame.area, plate->bending_compliance[section], matrices);
    }
}
