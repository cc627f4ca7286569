/* Views of ports for tests: random intervals, instants, instants varied by xi. */
#ifndef PHLEXOR_TEST_VIEWS_H
#define PHLEXOR_TEST_VIEWS_H

#include "support/testing.h"

#include "port/port.h"

/* uniform in (low, high), the same sequence in every run */
static inline double uniform(uint64_t *seed, double low, double high)
{
    return low + (high - low) * 0.5 * (1.0 + random_value(seed));
}

static inline void multiply(int dim, const double *A, const double *B, double *C)
{
    double product[9];
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            product[i * dim + j] = 0.0;
            for (int k = 0; k < dim; k++)
                product[i * dim + j] += A[i * dim + k] * B[k * dim + j];
        }
    memcpy(C, product, sizeof(double) * (size_t)(dim * dim));
}

static inline void transpose(int dim, const double *A, double *T)
{
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            T[j * dim + i] = A[i * dim + j];
}

/* cos and sin of an angle along a unit axis: R = I + sine [n]x + (1 - cosine) [n]x^2 */
static inline void rotation_about(int dim, const double *n, double cosine, double sine, double *R)
{
    if (dim == 2) {
        R[0] = R[3] = cosine;
        R[1] = -sine;
        R[2] = sine;
        return;
    }
    double v = 1.0 - cosine;
    double rows[9] = {cosine + v * n[0] * n[0],      v * n[0] * n[1] - sine * n[2], v * n[0] * n[2] + sine * n[1],
                      v * n[0] * n[1] + sine * n[2], cosine + v * n[1] * n[1],      v * n[1] * n[2] - sine * n[0],
                      v * n[0] * n[2] - sine * n[1], v * n[1] * n[2] + sine * n[0], cosine + v * n[2] * n[2]};
    memcpy(R, rows, sizeof(rows));
}

static inline double split(int n_rot, const double *phi, double *n)
{
    double size = n_rot == 1 ? fabs(phi[0]) : sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]);
    for (int i = 0; i < n_rot; i++)
        n[i] = size > 0.0 ? phi[i] / size : (i == 0);
    return size;
}

static inline void exponential(int dim, const double *phi, double *R)
{
    double n[3];
    if (dim == 2) {
        rotation_about(2, NULL, cos(phi[0]), sin(phi[0]), R);
        return;
    }
    double size = split(3, phi, n);
    rotation_about(3, n, cos(size), sin(size), R);
}

static inline void cayley(int dim, const double *a, double *R)
{
    double n[3], angle = dim == 2 ? 2.0 * atan(0.5 * a[0]) : 2.0 * atan(0.5 * split(3, a, n));
    rotation_about(dim, n, cos(angle), sin(angle), R);
}

static inline void random_rotation(uint64_t *seed, int dim, double *R)
{
    double phi[3];
    random_vector(seed, 3, 3.0, phi);
    exponential(dim, phi, R);
}

/* Fill what follows from the ends, h, angle0 and the rate w that takes R0 to R1. */
static inline void finish_view(phx_port_view *v)
{
    int dim = v->dim, n_rot = dim == 2 ? 1 : 3;
    for (int i = 0; i < dim; i++) {
        v->um[i] = 0.5 * (v->u0[i] + v->u1[i]);
        v->rate[i] = v->h > 0.0 ? (v->u1[i] - v->u0[i]) / v->h : v->rate[i];
    }
    for (int i = 0; i < dim * dim; i++)
        v->Rm[i] = 0.5 * (v->R0[i] + v->R1[i]);
    for (int i = 0; i < n_rot; i++) {
        v->thetam[i] = 0.5 * (v->theta0[i] + v->theta1[i]);
        if (v->h > 0.0)
            v->rate[dim + n_rot + i] = (v->theta1[i] - v->theta0[i]) / v->h;
    }
    v->angle1 = dim == 2 ? v->angle0 + 2.0 * atan(0.5 * v->h * v->rate[2]) : 0.0;
}

/* The rate that takes R0 to R1 by Cayley: with Q = R0^T R1, h w/2 = vee(Q - Q^T)/(1 + tr Q) (plane: sin/(1 + cos)). */
static inline void rate_from_rotations(phx_port_view *v)
{
    double R0_T[9], Q[9];
    transpose(v->dim, v->R0, R0_T);
    multiply(v->dim, R0_T, v->R1, Q);
    if (v->dim == 2) {
        v->rate[2] = 2.0 / v->h * (Q[2] - Q[1]) / (2.0 + Q[0] + Q[3]);
    } else {
        double scale = 2.0 / (v->h * (1.0 + Q[0] + Q[4] + Q[8]));
        v->rate[3] = scale * (Q[7] - Q[5]);
        v->rate[4] = scale * (Q[2] - Q[6]);
        v->rate[5] = scale * (Q[3] - Q[1]);
    }
}

/* Any two ends: places about 1 m apart, a frame turned by Cayley with |h w| <= turn per component, slopes to `slope`.
 */
static inline phx_port_view random_interval(uint64_t *seed, int dim, double h, double turn, double slope)
{
    phx_port_view v;
    memset(&v, 0, sizeof(v));
    int n_rot = dim == 2 ? 1 : 3;
    v.dim = dim;
    v.h = h;
    random_vector(seed, dim, 1.0, v.u0);
    random_vector(seed, dim, 1.0, v.u1);
    random_vector(seed, n_rot, slope, v.theta0);
    random_vector(seed, n_rot, slope, v.theta1);
    double a[3], Q[9];
    random_vector(seed, n_rot, turn, a);
    for (int i = 0; i < n_rot; i++)
        v.rate[dim + i] = a[i] / h;
    if (dim == 2) {
        v.angle0 = uniform(seed, -9.0, 9.0);
        exponential(2, &v.angle0, v.R0);
    } else {
        random_rotation(seed, 3, v.R0);
    }
    cayley(dim, a, Q);
    multiply(dim, v.R0, Q, v.R1);
    finish_view(&v);
    return v;
}

/* The start of an interval as an instant with any rate. */
static inline phx_port_view random_instant(uint64_t *seed, int dim, double slope)
{
    phx_port_view v = random_interval(seed, dim, 1.0, 1.0, slope);
    v.h = 0.0;
    memcpy(v.u1, v.u0, sizeof(v.u0));
    memcpy(v.R1, v.R0, sizeof(v.R0));
    memcpy(v.theta1, v.theta0, sizeof(v.theta0));
    random_vector(seed, phx_port_size(dim), 2.0, v.rate);
    finish_view(&v);
    return v;
}

/* The instant varied by step times entry m of xi = (du inertial, dphi body, dtheta body). */
static inline phx_port_view varied(const phx_port_view *view, int m, double step)
{
    phx_port_view v = *view;
    int dim = v.dim, n_rot = dim == 2 ? 1 : 3;
    if (m < dim) {
        v.u0[m] = v.u1[m] = v.u0[m] + step;
    } else if (m < dim + n_rot) {
        double phi[3] = {0.0, 0.0, 0.0}, Q[9];
        phi[m - dim] = step;
        exponential(dim, phi, Q);
        multiply(dim, v.R0, Q, v.R0);
        memcpy(v.R1, v.R0, sizeof(v.R0));
        v.angle0 += dim == 2 ? step : 0.0;
    } else {
        int i = m - dim - n_rot;
        v.theta0[i] = v.theta1[i] = v.theta0[i] + step;
    }
    finish_view(&v);
    return v;
}

static inline double power(int dim, const double *effort, const double *rate)
{
    double sum = 0.0;
    for (int i = 0; i < phx_port_size(dim); i++)
        sum += effort[i] * rate[i];
    return sum;
}

#endif
