/* Line spring, damper and actuator along d = u_b - u_a, linear or by laws. */
#include <float.h>
#include <math.h>

#include "result.h"

/* Distance of the ports over the interval. */
typedef struct line {
    int dim;
    double d[3], d_dot[3];    /* mean distance; its rate (d1 - d0)/h */
    double n[3];              /* d/|d|; when `flat` the direction of the motion, zero where there is none */
    double n1[3];             /* d1/|d1|, zero when `flat` */
    double length;            /* |d| of the mean distance */
    double speed;             /* |d_dot| */
    double start, end;        /* |d0|, |d1| */
    double end_lengths;       /* |d0| + |d1| */
    bool flat, ends_coincide; /* |d|, |d0| + |d1| are rounding errors of the places */
} line;

static double line_spring_distance(int dim, const double *u_a, const double *u_b)
{
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += (u_b[i] - u_a[i]) * (u_b[i] - u_a[i]);
    return sqrt(sum);
}

/* Vector d between the ports at the mean, its rate, lengths at both ends and unit vectors. `flat` marks a mean distance
 * at round-off level, where n is the direction of the relative velocity instead. */
static void evaluate_line(const phx_port_view *a, const phx_port_view *b, line *l)
{
    double size = 0.0;
    l->dim = a->dim;
    for (int i = 0; i < l->dim; i++) {
        l->d[i] = b->um[i] - a->um[i];
        l->d_dot[i] = b->rate[i] - a->rate[i];
        size += fabs(a->um[i]) + fabs(b->um[i]);
    }
    l->length = sqrt(phx_port_scalar_product(l->dim, l->d, l->d));
    double end = line_spring_distance(l->dim, a->u1, b->u1);
    l->start = line_spring_distance(l->dim, a->u0, b->u0);
    l->end = end;
    l->end_lengths = l->start + end;
    l->flat = l->length <= 4.0 * DBL_EPSILON * size;
    l->ends_coincide = l->end_lengths <= 8.0 * DBL_EPSILON * size;
    l->speed = sqrt(phx_port_scalar_product(l->dim, l->d_dot, l->d_dot));
    for (int i = 0; i < l->dim; i++) {
        l->n[i] = l->flat ? l->d_dot[i] / (l->speed > 0.0 ? l->speed : 1.0) : l->d[i] / l->length;
        l->n1[i] = l->flat || end == 0.0 ? 0.0 : (b->u1[i] - a->u1[i]) / end;
    }
}

/* K += p I + q n n^T on the places of B against B; the same on A against A, opposite across */
static void add_place_blocks(const line *l, double p, double q, const double *x, const double *y, double *matrix)
{
    for (int i = 0; i < l->dim; i++) {
        for (int j = 0; j < l->dim; j++) {
            double value = q * x[i] * y[j] + (i == j ? p : 0.0);
            matrix[i * PHX_PORT_PAIR + j] += value;
            matrix[i * PHX_PORT_PAIR + PHX_PORT_MAX + j] -= value;
            matrix[(PHX_PORT_MAX + i) * PHX_PORT_PAIR + j] -= value;
            matrix[(PHX_PORT_MAX + i) * PHX_PORT_PAIR + PHX_PORT_MAX + j] += value;
        }
    }
}

/* Damping of ports that coincide, which the first motion takes apart: F = -C(|d_dot|) d_dot/|d_dot|, also at rest,
 *   dF/dd_dot = -C/|d_dot| (I - n n^T) - C' n n^T ,   -C'(0) I at rest. */
static void add_flat_damping(const phx_line_spring *spring, const line *l, double by_rate, phx_load_result *result)
{
    const bool moves = l->speed > 0.0;
    const double law = spring->damper && moves ? phx_signal_value(spring->damper, l->speed) / l->speed : 0.0;
    const double across = moves ? spring->damping + law : by_rate;

    phx_port_pair_clear(l->dim, result->rate_tangent);
    add_place_blocks(l, -across, across - by_rate, l->n, l->n, result->rate_tangent);
    result->has_rate_tangent = true;
}

/* The law's part: -F d/m, m = (|d0| + |d1|)/2, F its mean over the stroke; dm = n1 . dd, dF = F' 2 n1 . dd. */
static void add_law_tangent(const line *l, const phx_law_mean_value *law, phx_load_result *result)
{
    const double m = 0.5 * l->end_lengths;
    add_place_blocks(l, -law->value / m, (law->value / m - 2.0 * law->slope) / m, l->d, l->n1, result->tangent);
}

/* Adds the derivatives of the line spring's effort by the ports' places and rates, law excluded; sets the flags of the
 * matrices that it writes. */
static void add_tangents(const phx_line_spring *spring, const line *l, double ratio, double l_dot, double along,
                         phx_load_result *result)
{
    /* F = -k (1 - l0/|d|) d + s n,  s = f - c n . d_dot,  dn = (I - n n^T) dd/|d| =: P dd/|d|
     *   dF/dd     = -k [(1 - r) I + 2 r/(|d0| + |d1|) d n1^T] + s P/|d| - c n (P d_dot)^T/|d|,  r = 2 l0/(|d0| + |d1|)
     *   dF/dd_dot = -c n n^T,   c: the derivative of the damper's law */
    double k = spring->stiffness, c = spring->damping + (spring->damper ? phx_signal_rate(spring->damper, l_dot) : 0.0);
    double s = l->flat ? 0.0 : along / l->length;
    phx_port_pair_clear(l->dim, result->tangent);
    add_place_blocks(l, s - k * (1.0 - ratio), -s, l->n, l->n, result->tangent);
    if (ratio != 0.0)
        add_place_blocks(l, 0.0, -2.0 * k * ratio / l->end_lengths, l->d, l->n1, result->tangent);
    result->has_tangent = true;
    if (l->flat && (spring->damping != 0.0 || spring->damper))
        add_flat_damping(spring, l, c, result);
    if (c == 0.0 || l->flat)
        return;
    double across[3]; /* P d_dot */
    for (int i = 0; i < l->dim; i++)
        across[i] = l->d_dot[i] - l_dot * l->n[i];
    add_place_blocks(l, 0.0, -c / l->length, l->n, across, result->tangent);
    phx_port_pair_clear(l->dim, result->rate_tangent);
    add_place_blocks(l, 0.0, -c, l->n, l->n, result->rate_tangent);
    result->has_rate_tangent = true;
}

/* Efforts, powers and optional tangents of a line spring over an interval; its work is exactly the change of its
 * potential, theory 4 (20). Fails if the ports coincide while a rest length or a force needs a direction. */
phx_status phx_line_spring_evaluate(phx_context *context, const phx_line_spring *spring, const phx_port_view *a,
                                    const phx_port_view *b, double t, bool tangents, phx_load_result *result)
{
    double k = spring->stiffness, c = spring->damping, f = phx_signal_value(spring->force, t);
    if (!isfinite(f))
        return phx_fail(context, PHX_ERR_ANALYSIS, "line spring: the force is %g at t = %g s, expected a finite value",
                        f, t);
    line l;
    evaluate_line(a, b, &l);
    bool has_rest = (k != 0.0 && spring->length != 0.0) || spring->law;
    if ((has_rest && l.ends_coincide) || (f != 0.0 && l.flat))
        return phx_fail(context, PHX_ERR_ANALYSIS,
                        "line spring: its ports coincide at t = %g s (distance %g m), so that the %s has no direction; "
                        "keep the ports apart or set it to zero",
                        t, l.length, has_rest ? "length at rest" : "force");

    /* F = -k (1 - 2 l0/(|d0| + |d1|)) d_m + (f - c l_dot) n,   l_dot = n . (d1 - d0)/h,   n = d_m/|d_m|; where d_m is
     * zero the damping acts against the motion, n = d_dot/|d_dot| */
    /* theory 4 (20): discrete gradient -k (1 - 2 l0/(|d0| + |d1|)) d_m of the spring */
    double ratio = k != 0.0 && spring->length != 0.0 ? 2.0 * spring->length / l.end_lengths : 0.0;
    double l_dot = phx_port_scalar_product(l.dim, l.n, l.d_dot), along = f - c * l_dot, by_law = 0.0;
    phx_law_mean_value law = {0.0, 0.0};
    if (spring->damper)
        along -= phx_signal_value(spring->damper, l_dot);
    if (spring->law) {
        law = phx_law_mean(spring->law, l.start - spring->length, l.end - spring->length);
        by_law = 2.0 * law.value / l.end_lengths;
    }
    load_result_clear(l.dim, result);
    for (int i = 0; i < l.dim; i++) {
        double force = along * l.n[i] - (k * (1.0 - ratio) + by_law) * l.d[i];
        result->effort[i] = -force;
        result->effort[PHX_PORT_MAX + i] = force;
    }
    result->supplied = f * l_dot;
    result->dissipated = c * l_dot * l_dot + (spring->damper ? phx_signal_value(spring->damper, l_dot) * l_dot : 0.0);
    if (tangents)
        add_tangents(spring, &l, ratio, l_dot, along, result);
    if (tangents && spring->law)
        add_law_tangent(&l, &law, result);
    return PHX_OK;
}

double phx_line_spring_energy(const phx_line_spring *spring, const phx_port_view *a, const phx_port_view *b, int end)
{
    double stretch = (end ? line_spring_distance(a->dim, a->u1, b->u1) : line_spring_distance(a->dim, a->u0, b->u0)) -
                     spring->length;
    return 0.5 * spring->stiffness * stretch * stretch + phx_law_potential(spring->law, stretch);
}
