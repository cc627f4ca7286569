/* Strains of second order of a plate: those of moderate rotations beside small strains, von Karman's for the slopes of
 * the deflection and as much for the rotation r = 1/2 (dv/dx - du/dy) in the plane,
 *
 *     eps = sym grad u + 1/2 (grad w (x) grad w + r^2 I),
 *
 * in the mixed form of the membrane: int_T N : eps for the stresses N in P_k. These feel the means of the strains that
 * they can tell apart, so that the membrane can follow a deflection and does not lock. */
#include "plate.h"

#include <string.h>

/* w_x, w_y and r at a point of a triangle. */
typedef struct rotations {
    double slope[2], r;
} rotations;

/* Slopes of the deflection and rotation in the plane at a point of a triangle. */
static rotations rotations_at(const phx_plate *plate, const phx_plate_frame *frame, const int *node, int nodes,
                              const phx_lagrange *at, const double *u)
{
    rotations out = {.r = 0.0};

    for (int j = 0; j < nodes; j++) {
        const double *G0 = frame->gradient[0], *G1 = frame->gradient[1], *d = at->first[j];
        const double x = d[0] * G0[0] + d[1] * G1[0], y = d[0] * G0[1] + d[1] * G1[1];
        const double *value = u + plate->deflection[node[j]] - 2; /* u v w */
        out.slope[0] += value[2] * x;
        out.slope[1] += value[2] * y;
        out.r += 0.5 * (value[1] * x - value[0] * y);
    }
    return out;
}

/* N of two displacements: xx yy 2xy. */
static void second_order_second_order(const rotations *a, const rotations *b, double N[3])
{
    const double r = a->r * b->r;

    N[0] = a->slope[0] * b->slope[0] + r;
    N[1] = a->slope[1] * b->slope[1] + r;
    N[2] = a->slope[0] * b->slope[1] + a->slope[1] * b->slope[0];
}

/* Strains of second order of all pairs of shapes, tested with the membrane's stress polynomials; false for elements
 * without any, theory-plates 3 (1). */
bool phx_plate_second_order(const phx_elastic_model *model, int e, int count, const double *shapes, double *rows)
{
    const phx_plate *plate = phx_plate_of(model);
    const int t = e - plate->n_triangles, pairs = count * (count + 1) / 2, polynomials = plate->tables.n_polynomials;
    double lambda[PHX_TRIANGLE_POINTS][3], weight[PHX_TRIANGLE_POINTS];
    rotations of[PHX_STRAIN_SLOPES];
    int node[PHX_TRIANGLE_NODES];
    phx_plate_frame frame;
    phx_polynomials phi;
    phx_lagrange at;

    if (t < 0 || !plate->membrane)
        return false;
    phx_plate_frame_of(model, t, &frame);
    const int nodes = phx_plate_nodes(plate, t, node);
    phx_triangle_rule(lambda, weight);
    memset(rows, 0, (size_t)(3 * polynomials) * (size_t)pairs * sizeof *rows);
    for (int g = 0; g < PHX_TRIANGLE_POINTS; g++) {
        phx_triangle_lagrange(plate->order + 1, lambda[g], &at);
        phx_triangle_polynomials(plate->order, lambda[g], &phi);
        for (int a = 0; a < count; a++)
            of[a] = rotations_at(plate, &frame, node, nodes, &at, shapes + (size_t)a * (size_t)model->n);
        for (int a = 0, pair = 0; a < count; a++)
            for (int b = a; b < count; b++, pair++) {
                double N[3];
                second_order_second_order(&of[a], &of[b], N);
                for (int i = 0; i < polynomials; i++)
                    for (int c = 0; c < 3; c++)
                        rows[(size_t)(3 * i + c) * (size_t)pairs + (size_t)pair] +=
                            frame.area * weight[g] * phi.value[i] * N[c];
            }
    }
    return true;
}

/* Adds the forces of the stresses sigma on the rotations of the displacement u, the derivative of sigma : eps(u, u) by
 * u. */
void phx_plate_second_order_force(const phx_elastic_model *model, int e, const double *sigma, const double *u,
                                  double *force)
{
    const phx_plate *plate = phx_plate_of(model);
    const int t = e - plate->n_triangles, polynomials = plate->tables.n_polynomials;
    double lambda[PHX_TRIANGLE_POINTS][3], weight[PHX_TRIANGLE_POINTS];
    int node[PHX_TRIANGLE_NODES];
    phx_plate_frame frame;
    phx_polynomials phi;
    phx_lagrange at;

    if (t < 0 || !plate->membrane)
        return;
    phx_plate_frame_of(model, t, &frame);
    const int nodes = phx_plate_nodes(plate, t, node);
    phx_triangle_rule(lambda, weight);
    for (int g = 0; g < PHX_TRIANGLE_POINTS; g++) {
        double S[3] = {0.0}; /* xx yy xy, times the weight */
        phx_triangle_lagrange(plate->order + 1, lambda[g], &at);
        phx_triangle_polynomials(plate->order, lambda[g], &phi);
        for (int i = 0; i < polynomials; i++)
            for (int c = 0; c < 3; c++)
                S[c] += frame.area * weight[g] * phi.value[i] * sigma[3 * i + c];
        const rotations own = rotations_at(plate, &frame, node, nodes, &at, u);
        const double q[2] = {S[0] * own.slope[0] + S[2] * own.slope[1], S[2] * own.slope[0] + S[1] * own.slope[1]};
        const double moment = 0.5 * (S[0] + S[1]) * own.r;
        for (int j = 0; j < nodes; j++) {
            const double *G0 = frame.gradient[0], *G1 = frame.gradient[1], *d = at.first[j];
            const double x = d[0] * G0[0] + d[1] * G1[0], y = d[0] * G0[1] + d[1] * G1[1];
            double *value = force + plate->deflection[node[j]] - 2;
            value[0] -= moment * y;
            value[1] += moment * x;
            value[2] += q[0] * x + q[1] * y;
        }
    }
}
