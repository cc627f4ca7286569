/* Mode shapes as a report has them: motions of the bodies' frames in inertial axes and deformations, scaled. */
#include "report.h"

#include <math.h>
#include <string.h>

/* A body of a mode: rotation from body axes at the point of linearisation, its part of the shape. */
typedef struct moved_body {
    int dim, n_q;
    double R[9];
    const double *real, *imaginary; /* (dr, dphi, dq), body axes; imaginary NULL: zero */
} moved_body;

/* Attitude R of body b at the point of a mode, and its part of the shape. */
static moved_body body_of_mode(const phx_report *report, int row, int b)
{
    const phx_modes_table *table = report->source.modes;
    const phx_record_body *body = &report->bodies[b];
    const size_t state = report->source.rows > 1 ? (size_t)table->rows[row].point : 0;
    const double *attitude =
        report->source.states + state * (size_t)report->source.n_x + body->x_start + report->dimension;
    const size_t at = (size_t)row * (size_t)table->n_coordinates + (size_t)body->v_start;
    moved_body moved = {.dim = report->dimension, .n_q = phx_report_deformations(report, b)};

    if (moved.dim == 3) {
        memcpy(moved.R, attitude, sizeof moved.R);
    } else {
        const double plane[9] = {attitude[0], -attitude[1], 0, attitude[1], attitude[0], 0, 0, 0, 1};
        memcpy(moved.R, plane, sizeof moved.R);
    }
    moved.real = table->shapes + at;
    moved.imaginary = table->shapes_imaginary ? table->shapes_imaginary + at : NULL;
    return moved;
}

/* dr and dphi of a part of the shape, body axes, as vectors of space. */
static void rigid_part(const moved_body *moved, const double *part, double dr[3], double dphi[3])
{
    for (int a = 0; a < 3; a++) {
        dr[a] = a < moved->dim ? part[a] : 0.0;
        dphi[a] = moved->dim == 3 ? part[3 + a] : a == 2 ? part[2] : 0.0;
    }
}

/* u = dr + dphi x p + Phi dq of drawn point i, body axes; p undeformed. */
static void displacement(const phx_record_body *body, const moved_body *moved, const double *part, int i, double u[3])
{
    const int dim = moved->dim, rigid = dim == 2 ? 3 : 6;
    double p[3] = {0}, dphi[3];

    rigid_part(moved, part, u, dphi);
    memcpy(p, body->points + i * dim, (size_t)dim * sizeof *p);
    u[0] += dphi[1] * p[2] - dphi[2] * p[1];
    u[1] += dphi[2] * p[0] - dphi[0] * p[2];
    u[2] += dphi[0] * p[1] - dphi[1] * p[0];
    for (int a = 0; a < dim && body->shapes; a++)
        for (int k = 0; k < moved->n_q; k++)
            u[a] +=
                body->shapes[((size_t)i * (size_t)dim + (size_t)a) * (size_t)moved->n_q + (size_t)k] * part[rigid + k];
}

/* Greatest length over a cycle of Re((a + i b) e^(i phase)): its square is  m + sqrt(d^2 + (a . b)^2),
 * m = (|a|^2 + |b|^2)/2, d = (|a|^2 - |b|^2)/2. */
static double amplitude(const double a[3], const double b[3])
{
    const double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    const double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return sqrt(0.5 * (aa + bb) + hypot(0.5 * (aa - bb), ab));
}

/* Scale of the shape: the greatest displacement of a drawn point; if no point moves (torsion), the largest entry. */
static double modes_scale_of(const phx_report *report, int row)
{
    static const double VISIBLE = 1e-9; /* displacement, relative to the largest entry of a shape */
    const phx_modes_table *table = report->source.modes;
    const size_t at = (size_t)row * (size_t)table->n_coordinates;
    double moved_most = 0.0, largest = 0.0;

    for (int k = 0; k < table->n_coordinates; k++)
        largest = fmax(largest, hypot(table->shapes[at + (size_t)k],
                                      table->shapes_imaginary ? table->shapes_imaginary[at + (size_t)k] : 0.0));
    for (int b = 0; b < report->n_bodies; b++) {
        const moved_body moved = body_of_mode(report, row, b);
        for (int i = 0; i < report->bodies[b].n_points; i++) {
            double u[3], w[3] = {0};
            displacement(&report->bodies[b], &moved, moved.real, i, u);
            if (moved.imaginary)
                displacement(&report->bodies[b], &moved, moved.imaginary, i, w);
            moved_most = fmax(moved_most, amplitude(u, w));
        }
    }
    const double scale = moved_most > VISIBLE * largest ? moved_most : largest;
    return scale > 0.0 ? scale : 1.0;
}

/* Writes the real or imaginary part of a mode shape: velocity and angular velocity of each body in the inertial
 * frame, then its deformations. */
static phx_status put_shape(phx_report *report, int row, bool imaginary, phx_payload *payload)
{
    const double scale = modes_scale_of(report, row);

    for (int b = 0; b < report->n_bodies; b++) {
        const moved_body moved = body_of_mode(report, row, b);
        const double *part = imaginary ? moved.imaginary : moved.real;
        double own[2][3];
        rigid_part(&moved, part, own[0], own[1]);
        for (int v = 0; v < 2; v++)
            for (int a = 0; a < 3; a++)
                phx_payload_f32(payload, (moved.R[3 * a] * own[v][0] + moved.R[3 * a + 1] * own[v][1] +
                                          moved.R[3 * a + 2] * own[v][2]) /
                                             scale);
        for (int k = 0; k < moved.n_q; k++)
            phx_payload_f32(payload, part[(moved.dim == 2 ? 3 : 6) + k] / scale);
    }
    return PHX_OK;
}

phx_status phx_report_mode_real(phx_report *report, int index, phx_payload *payload)
{
    return put_shape(report, index, false, payload);
}

phx_status phx_report_mode_imaginary(phx_report *report, int index, phx_payload *payload)
{
    return put_shape(report, index, true, payload);
}
