/* Ports that slide along a curve. With the terms c(s) z of the curve (curve.h), over an interval
 *
 *     y1 - y0 = h P nu ,    P nu = sum ( mean(c) z' + mean(z) c[s0, s1] s' ) ,     z1 - z0 = h z'              (2)
 *
 * exactly, also across the knots of c. z' = Z nu of each z:
 *
 *     r:       R_m v                                    R a q:   R_m (w x a) q_m + R_m a q'
 *
 * xi is h/2 times the variation of the mean velocity (body.h): it turns R_m by R1 [turn xi_w]x, and moves q_m and s_m
 * by xi_q and xi_s, q1 and s1 by twice as much. With F the derivative of mean(z), T that of Z nu, both by xi,
 *
 *     d(P nu) = sum ( mean(c) T xi + c'(s1) xi_s z' + s' c[s0, s1] F xi + s' mean(z) bend xi_s )               (3)  */
#include "sliding.h"

#include <math.h>
#include <string.h>

#define real    double
#define NAME(x) x
#include "port/place_kernel.h"

enum { MOST = 7 }; /* velocities that a vector depends on: those of its frame and one coordinate */

/* The frame of a term, and what the step does to it. */
typedef struct frame_state {
    const double *r0, *r1, *v, *w;
    double R0[9], R1[9], Rm[9], turn[9];
} frame_state;

/* A vector z over the interval. */
typedef struct vector_state {
    double z0[3], z1[3], mean[3], rate[3];
    int n, cols[MOST];
    double Z[3 * MOST], F[3 * MOST], T[3 * MOST]; /* dim x n */
} vector_state;

static void look_at_frame(const phx_body *body, const phx_body_view *view, phx_body_frame at, frame_state *out)
{
    const int dim = body->dim;

    out->r0 = view->x0 + at.x;
    out->r1 = view->x1 + at.x;
    out->v = view->vm + at.v;
    out->w = out->v + dim;
    phx_attitude_rotation(dim, out->r0 + dim, out->R0);
    phx_attitude_rotation(dim, out->r1 + dim, out->R1);
    phx_attitude_rotation(dim, view->xm + at.x + dim, out->Rm);
    frame_variation(dim, view->h, out->w, out->turn);
}

/* Column k of the turn of the mean frame by xi_w. */
static void turn_column(int n_rot, const frame_state *frame, int k, double *column)
{
    for (int i = 0; i < n_rot; i++)
        column[i] = frame->turn[i * n_rot + k];
}

static void slide_put_column(int dim, int n, int k, const double *column, double *matrix)
{
    for (int a = 0; a < dim; a++)
        matrix[a * n + k] = column[a];
}

/* The velocities that the vector of a term depends on; their number. */
static int term_columns(const phx_body *body, const phx_curve_term *term, int *cols)
{
    const int first = term->origin ? 0 : body->dim;
    int n = 0;

    for (int c = first; c < body->n_rigid; c++)
        cols[n++] = term->frame.v + c;
    if (term->coordinate >= 0)
        cols[n++] = body->q_v + term->coordinate;
    return n;
}

/* z = r: Z = (R_m | 0),  F = (R_m | h/2 R1 (turn . x v)),  T = (0 | R1 (turn . x v)) */
static void look_at_origin(const phx_body *body, double h, const phx_curve_term *term, const frame_state *frame,
                           vector_state *out)
{
    const int dim = body->dim, n_rot = body->n_rot;

    out->n = term_columns(body, term, out->cols);
    memset(out->Z, 0, sizeof out->Z);
    memset(out->F, 0, sizeof out->F);
    memset(out->T, 0, sizeof out->T);
    phx_rot_apply(dim, frame->Rm, frame->v, out->rate);
    for (int a = 0; a < dim; a++) {
        out->z0[a] = frame->r0[a];
        out->z1[a] = frame->r1[a];
        for (int c = 0; c < dim; c++)
            out->Z[a * out->n + c] = out->F[a * out->n + c] = frame->Rm[a * dim + c];
    }
    for (int k = 0; k < n_rot; k++) {
        double column[3] = {0}, cross[3], change[3];
        turn_column(n_rot, frame, k, column);
        phx_rot_x_vec(dim, column, frame->v, cross);
        phx_rot_apply(dim, frame->R1, cross, change);
        slide_put_column(dim, out->n, dim + k, change, out->T);
        for (int a = 0; a < dim; a++)
            out->F[a * out->n + dim + k] = 0.5 * h * change[a];
    }
}

/* z = R a q; q0 = q1 = q_m = 1 and q' = 0 without a coordinate. */
static void look_at_direction(const phx_body *body, const phx_body_view *view, const phx_curve_term *term,
                              const frame_state *frame, vector_state *out)
{
    const int dim = body->dim, n_rot = body->n_rot, j = term->coordinate;
    const double *a = term->direction;
    const double q0 = j < 0 ? 1.0 : view->x0[body->q_x + j], q1 = j < 0 ? 1.0 : view->x1[body->q_x + j];
    const double qm = 0.5 * (q0 + q1), q_dot = j < 0 ? 0.0 : view->vm[body->q_v + j];
    double along0[3], along1[3], along[3], spin[3] = {0}, turning[3];

    out->n = term_columns(body, term, out->cols);
    phx_rot_apply(dim, frame->R0, a, along0);
    phx_rot_apply(dim, frame->R1, a, along1);
    phx_rot_apply(dim, frame->Rm, a, along);
    phx_rot_x_vec(dim, frame->w, a, spin);
    phx_rot_apply(dim, frame->Rm, spin, turning);
    for (int i = 0; i < dim; i++) {
        out->z0[i] = along0[i] * q0;
        out->z1[i] = along1[i] * q1;
        out->rate[i] = turning[i] * qm + along[i] * q_dot;
    }
    for (int k = 0; k < n_rot; k++) {
        double unit[3] = {0}, column[3] = {0}, cross[3], change[3], whole[3];
        unit[k] = 1.0;
        phx_rot_x_vec(dim, unit, a, cross);
        phx_rot_apply(dim, frame->Rm, cross, change);
        for (int i = 0; i < dim; i++)
            out->Z[i * out->n + k] = change[i] * qm;
        turn_column(n_rot, frame, k, column);
        phx_rot_x_vec(dim, column, a, cross);
        phx_rot_apply(dim, frame->R1, cross, change);
        phx_rot_x_vec(dim, column, spin, cross);
        phx_rot_apply(dim, frame->R1, cross, whole);
        for (int i = 0; i < dim; i++) {
            out->F[i * out->n + k] = change[i] * q1;
            out->T[i * out->n + k] = whole[i] * qm + change[i] * q_dot;
        }
    }
    if (j < 0)
        return;
    slide_put_column(dim, out->n, n_rot, along, out->Z);
    slide_put_column(dim, out->n, n_rot, along1, out->F);
    slide_put_column(dim, out->n, n_rot, turning, out->T);
}

static void look_at_vector(const phx_body *body, const phx_body_view *view, const phx_curve_term *term,
                           vector_state *out)
{
    frame_state frame;

    look_at_frame(body, view, term->frame, &frame);
    if (term->origin)
        look_at_origin(body, view->h, term, &frame, out);
    else
        look_at_direction(body, view, term, &frame, out);
    for (int a = 0; a < body->dim; a++)
        out->mean[a] = 0.5 * (out->z0[a] + out->z1[a]);
}

/* The derivative of Z^T f by xi at fixed f, n x n (overwritten). With f1 = R1^T f and dphi = turn xi_w
 *   r:      rows v: f1 x dphi
 *   R a q:  rows w: a x (f1 x dphi) q_m + (a x R_m^T f) xi_q;   row q: a . (f1 x dphi)                           */
static void vector_stiffness(const phx_body *body, const phx_body_view *view, const phx_curve_term *term,
                             const vector_state *vector, const double *f, double *K)
{
    const int dim = body->dim, n_rot = body->n_rot, n = vector->n, j = term->coordinate;
    const double *a = term->direction;
    double f1[3], fm[3], arm[3];
    frame_state frame;

    look_at_frame(body, view, term->frame, &frame);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    phx_rot_apply_transposed(dim, frame.R1, f, f1);
    phx_rot_apply_transposed(dim, frame.Rm, f, fm);
    const double qm = j < 0 ? 1.0 : 0.5 * (view->x0[body->q_x + j] + view->x1[body->q_x + j]);
    for (int k = 0; k < n_rot; k++) {
        double column[3] = {0}, df[3];
        turn_column(n_rot, &frame, k, column);
        vec_x_rot(dim, f1, column, df);
        if (term->origin) {
            for (int i = 0; i < dim; i++)
                K[i * n + dim + k] = df[i];
            continue;
        }
        vec_x_vec(dim, a, df, arm);
        for (int i = 0; i < n_rot; i++)
            K[i * n + k] = arm[i] * qm;
        for (int i = 0; i < dim && j >= 0; i++)
            K[n_rot * n + k] += a[i] * df[i];
    }
    if (term->origin || j < 0)
        return;
    vec_x_vec(dim, a, fm, arm);
    for (int i = 0; i < n_rot; i++)
        K[i * n + n_rot] = arm[i];
}

/* ---- the port ---- */
/* Where the part of the curve stands in the rates of the port; -1: there is no such in the plane. */
static int first_entry(const phx_body *body, phx_curve_part part)
{
    return part == PHX_CURVE_PLACE ? 0 : part == PHX_CURVE_ALONG ? body->dim : body->dim == 3 ? 6 : -1;
}

/* A term of the curve over the interval: where it stands in the rates of the port, its weight, its vector. */
typedef struct term_state {
    const phx_curve_term *term;
    int at;
    phx_curve_weight weight;
    vector_state vector;
} term_state;

/* The place of the port in x and its rate in v. */
static int place_x(const phx_body *body, const phx_body_port *port)
{
    return body->n_x - body->n_places + port->slides - 1;
}
static int place_v(const phx_body *body, const phx_body_port *port)
{
    return body->n_v - body->n_places + port->slides - 1;
}

/* The terms that say something about the port over the interval, one after the other. */
typedef struct term_walk {
    const phx_body *body;
    const phx_body_view *view;
    double s[2];
    phx_curve_span span;
    int piece, at;
} term_walk;

static term_walk walk_from(const phx_body *body, const phx_body_port *port, const phx_body_view *view)
{
    const int x = place_x(body, port);
    term_walk walk = {.body = body, .view = view, .s = {view->x0[x], view->x1[x]}, .at = -1};

    walk.span = phx_curve_span_of(&phx_as_sliding(body)->curve, walk.s[0], walk.s[1]);
    walk.piece = walk.span.low;
    return walk;
}

static bool next_term(term_walk *walk, term_state *out)
{
    const phx_curve *curve = &phx_as_sliding(walk->body)->curve;

    while ((out->term = phx_curve_next(curve, walk->span, &walk->piece, &walk->at))) {
        out->at = first_entry(walk->body, out->term->part);
        if (out->at < 0 || !phx_curve_weigh(curve, out->term, walk->s[0], walk->s[1], &out->weight))
            continue;
        look_at_vector(walk->body, walk->view, out->term, &out->vector);
        return true;
    }
    return false;
}

int phx_slide_columns(const phx_body *body, const phx_body_port *port, int *cols)
{
    const int n = port->place_alone ? 0 : phx_as_sliding(body)->inner->n_v;

    for (int c = 0; c < n && cols; c++)
        cols[c] = c;
    if (cols)
        cols[n] = place_v(body, port);
    return n + 1;
}

/* Ascending, each once. */
static int insert(int column, int n, int *list)
{
    int low = 0, high = n;

    while (low < high) {
        const int middle = (low + high) / 2;
        if (list[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < n && list[low] == column)
        return n;
    memmove(list + low + 1, list + low, (size_t)(n - low) * sizeof *list);
    list[low] = column;
    return n + 1;
}

/* Ascending list of the body's columns on which a sliding port depends in this interval, its place last; returns their
 * number. */
int phx_slide_active(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int *active)
{
    const int last = phx_slide_columns(body, port, NULL) - 1;
    const phx_curve *curve = &phx_as_sliding(body)->curve;
    term_walk walk = walk_from(body, port, view);
    const phx_curve_term *term;
    int n = 0;

    while (!port->place_alone && (term = phx_curve_next(curve, walk.span, &walk.piece, &walk.at))) {
        int cols[MOST];
        const int count = first_entry(body, term->part) < 0 ? 0 : term_columns(body, term, cols);
        for (int c = 0; c < count; c++)
            n = insert(cols[c], n, active);
    }
    active[n] = last;
    return n + 1;
}

/* For each velocity of the inner body, first and last piece of the curve on which a term depends on it; first > last if
 * there is none. */
void phx_slide_reach(phx_sliding *sliding)
{
    const phx_body *body = &sliding->base;
    const int n = sliding->inner->n_v;

    for (int c = 0; c < n; c++) {
        sliding->reach[2 * c] = sliding->curve.n_pieces;
        sliding->reach[2 * c + 1] = -1;
    }
    for (int t = 0; t < sliding->curve.n_terms; t++) {
        const phx_curve_term *term = &sliding->curve.terms[t];
        int cols[MOST], count = term_columns(body, term, cols), end = term->first + term->count - 1;
        for (int c = 0; c < count; c++) {
            int *reach = sliding->reach + 2 * cols[c];
            reach[0] = term->first < reach[0] ? term->first : reach[0];
            reach[1] = end > reach[1] ? end : reach[1];
        }
    }
}

bool phx_slide_meets(const phx_body *body, int one, int other)
{
    const phx_sliding *sliding = phx_as_sliding(body);
    const int n = sliding->inner->n_v, *a = sliding->reach + 2 * one, *b = sliding->reach + 2 * other;

    return one >= n || other >= n || (a[0] <= b[1] && b[0] <= a[1]);
}

/* Where a column stands in a matrix over those of `active`; NULL: over all. */
typedef struct columns {
    int n;
    const int *active;
} columns;

/* Position of a column in the list of active columns by bisection; the column itself if all are active. The column must
 * be listed. */
static int column_at(const columns *over, int column)
{
    int low = 0, high = over->n - 1;

    if (!over->active)
        return column;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (over->active[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A port that is the place itself: it moves along the first axis. */
static void view_place(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out)
{
    const int dim = body->dim;

    memset(out->u0, 0, sizeof out->u0);
    memset(out->u1, 0, sizeof out->u1);
    out->u0[0] = view->x0[place_x(body, port)];
    out->u1[0] = view->x1[place_x(body, port)];
    out->rate[0] = view->vm[place_v(body, port)];
    for (int a = 0; a < dim; a++)
        out->R0[a * dim + a] = out->R1[a * dim + a] = out->Rm[a * dim + a] = 1.0;
}

/* The axes of a section as columns: along, across, and in space the third perpendicular to both. */
static void fill_axes(int dim, const double *along, const double *across, double *R)
{
    double third[3];

    if (dim == 2) {
        R[0] = R[3] = along[0];
        R[2] = along[1];
        R[1] = -along[1];
        return;
    }
    phx_rot_x_vec(3, along, across, third);
    for (int a = 0; a < 3; a++) {
        R[3 * a] = along[a];
        R[3 * a + 1] = across[a];
        R[3 * a + 2] = third[a];
    }
}

/* View of a sliding port over an interval: place and axes at both ends and the rates of both, by (2). */
static void view_curve(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out)
{
    const int dim = body->dim;
    const double s_dot = view->vm[place_v(body, port)];
    term_walk walk = walk_from(body, port, view);
    double y0[9] = {0}, y1[9] = {0}, *rate = out->rate;
    term_state state;

    while (next_term(&walk, &state)) {
        const phx_curve_weight *c = &state.weight;
        const vector_state *z = &state.vector;
        for (int a = 0; a < dim; a++) {
            y0[state.at + a] += c->c0 * z->z0[a];
            y1[state.at + a] += c->c1 * z->z1[a];
            rate[state.at + a] += c->mean * z->rate[a] + c->quotient * s_dot * z->mean[a]; /* (2) */
        }
    }
    memcpy(out->u0, y0, (size_t)dim * sizeof *y0);
    memcpy(out->u1, y1, (size_t)dim * sizeof *y1);
    fill_axes(dim, y0 + dim, y0 + 6, out->R0);
    fill_axes(dim, y1 + dim, y1 + 6, out->R1);
}

void phx_slide_view(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out)
{
    *out = (phx_port_view){.dim = body->dim, .straight = true, .slides = true, .h = view->h};
    if (port->place_alone)
        view_place(body, port, view, out);
    else
        view_curve(body, port, view, out);
    for (int a = 0; a < body->dim; a++)
        out->um[a] = 0.5 * (out->u0[a] + out->u1[a]);
    for (int e = 0; e < body->dim * body->dim; e++)
        out->Rm[e] = 0.5 * (out->R0[e] + out->R1[e]);
}

/* res += alpha P^T effort of a sliding port, including the force along the curve on its place. */
void phx_slide_apply(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double alpha,
                     const double *effort, double *res)
{
    const int dim = body->dim, v = place_v(body, port);
    term_walk walk = walk_from(body, port, view);
    term_state state;

    if (port->place_alone) {
        res[v] += alpha * effort[0];
        return;
    }
    while (next_term(&walk, &state)) {
        const phx_curve_weight *c = &state.weight;
        const vector_state *z = &state.vector;
        for (int a = 0; a < dim; a++) {
            for (int k = 0; k < z->n; k++)
                res[z->cols[k]] += alpha * c->mean * z->Z[a * z->n + k] * effort[state.at + a];
            res[v] += alpha * c->quotient * z->mean[a] * effort[state.at + a];
        }
    }
}

/* (2) of one term */
static void add_rate(int dim, int n, const int *at, const phx_curve_weight *c, const vector_state *z, double *P)
{
    for (int a = 0; a < dim; a++) {
        double *row = P + a * n;
        for (int k = 0; k < z->n; k++)
            row[at[k]] += c->mean * z->Z[a * z->n + k];
        row[n - 1] += c->quotient * z->mean[a];
    }
}

/* (3) of one term */
static void add_change(int dim, int n, const int *at, double s_dot, const phx_curve_weight *c, const vector_state *z,
                       double *T)
{
    for (int a = 0; a < dim; a++) {
        double *row = T + a * n;
        for (int k = 0; k < z->n; k++)
            row[at[k]] += c->mean * z->T[a * z->n + k] + c->quotient * s_dot * z->F[a * z->n + k];
        row[n - 1] += c->slope * z->rate[a] + c->bend * s_dot * z->mean[a];
    }
}

/* d(mean(c) Z^T f) and, in the row of s, d(c[s0, s1] mean(z) . f) */
static void add_stiffness(int dim, int n, const int *at, const phx_curve_weight *c, const vector_state *z,
                          const double *own, const double *f, double *K)
{
    for (int i = 0; i < z->n; i++)
        for (int k = 0; k < z->n; k++)
            K[at[i] * n + at[k]] += c->mean * own[i * z->n + k];
    for (int a = 0; a < dim; a++) {
        for (int k = 0; k < z->n; k++) {
            K[at[k] * n + n - 1] += c->slope * z->Z[a * z->n + k] * f[a];
            K[(n - 1) * n + at[k]] += c->quotient * z->F[a * z->n + k] * f[a];
        }
        K[(n - 1) * n + n - 1] += c->bend * z->mean[a] * f[a];
    }
}

/* P, T and K = d(P^T e) of a sliding port over the listed columns (NULL: all columns of the body), row-major; each
 * output may be NULL. */
void phx_slide_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int n_active,
                        const int *active, const double *effort, const phx_slide_derivatives *out)
{
    const int dim = body->dim, n = active ? n_active : phx_slide_columns(body, port, NULL);
    const size_t wide = (size_t)(phx_port_size(dim) * n);
    const double s_dot = view->vm[place_v(body, port)];
    const columns over = {n, active};
    term_walk walk = walk_from(body, port, view);
    double own[MOST * MOST];
    term_state state;

    if (out->P)
        memset(out->P, 0, wide * sizeof *out->P);
    if (out->T)
        memset(out->T, 0, wide * sizeof *out->T);
    if (out->K)
        memset(out->K, 0, (size_t)(n * n) * sizeof *out->K);
    if (out->P && port->place_alone)
        out->P[0] = 1.0;
    while (!port->place_alone && next_term(&walk, &state)) {
        const phx_curve_weight *c = &state.weight;
        const vector_state *z = &state.vector;
        int at[MOST];
        for (int k = 0; k < z->n; k++)
            at[k] = column_at(&over, z->cols[k]);
        if (out->P)
            add_rate(dim, n, at, c, z, out->P + state.at * n);
        if (out->T)
            add_change(dim, n, at, s_dot, c, z, out->T + state.at * n);
        if (!out->K)
            continue;
        vector_stiffness(body, view, state.term, z, effort + state.at, own);
        add_stiffness(dim, n, at, c, z, own, effort + state.at, out->K);
    }
}
