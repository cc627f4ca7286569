/* Row kind TURN, space: psi = atan2(s, c) with
 *
 *   c = A1 . B1 + A2 . B2,   s = A2 . B1 - A1 . B2,   A1 = A_a(alpha), A2 = A_a(alpha2), B1 = A_b(beta), B2 =
 * A_b(beta2).
 *
 * Only the ratio of c and s counts, so directions that a deformed section has stretched still give an angle. */
#include <math.h>

#include "row.h"

/* A1, A2, B1, B2 */
static inline void row_turn_combine(double A[2][3], double B[2][3], double *c, double *s)
{
    *c = phx_port_scalar_product(3, A[0], B[0]) + phx_port_scalar_product(3, A[1], B[1]);
    *s = phx_port_scalar_product(3, A[1], B[0]) - phx_port_scalar_product(3, A[0], B[1]);
}

static void products(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end, double *c, double *s)
{
    double A[2][3], B[2][3];
    phx_port_direction_in(3, a, end, row->alpha, A[0]);
    phx_port_direction_in(3, a, end, row->alpha2, A[1]);
    phx_port_direction_in(3, b, end, row->beta, B[0]);
    phx_port_direction_in(3, b, end, row->beta2, B[1]);
    row_turn_combine(A, B, c, s);
}

static double row_turn_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    double c, s;
    products(row, a, b, end, &c, &s);
    return atan2(s, c);
}

/* g += weight_c grad c + weight_s grad s */
static void add_gradients(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double weight_c,
                          double weight_s, double *g_a, double *g_b)
{
    row_add_product(a, b, row->alpha, row->beta, weight_c, g_a, g_b);
    row_add_product(a, b, row->alpha2, row->beta2, weight_c, g_a, g_b);
    row_add_product(a, b, row->alpha2, row->beta, weight_s, g_a, g_b);
    row_add_product(a, b, row->alpha, row->beta2, -weight_s, g_a, g_b);
}

/* Weights of grad c and grad s in the increment of psi between two ends of these c and s, times `weight`,
 * theory 4 (15):
 *   psi1 - psi0 = atan2(S, C),   S = c0 s1 - s0 c1 = c_m (s1 - s0) - s_m (c1 - c0),   C = c0 c1 + s0 s1 */
typedef struct side {
    double c, s;
} side;

static side find_side(const double c[2], const double s[2], double weight)
{
    const double kappa = 0.5 * weight * phx_port_turn_quotient(c[0] * s[1] - s[0] * c[1], c[0] * c[1] + s[0] * s[1]);
    return (side){-kappa * (s[0] + s[1]), kappa * (c[0] + c[1])};
}

/* Covectors between the ends as the views have them. */
static void add_increment(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double weight,
                          double *g_a, double *g_b)
{
    double c[2], s[2];
    for (int end = 0; end < 2; end++)
        products(row, a, b, end, &c[end], &s[end]);
    const side by = find_side(c, s, weight);
    add_gradients(row, a, b, by.c, by.s, g_a, g_b);
}

/* A view in which the section, or the frame, is held as it is at one end, and how the rest still moves: multiples of
 * R1 [dphi]x by which R0, R1, Rm vary and of dtheta by which the section does. */
typedef struct way {
    phx_port_view view;
    double frame[3], section[3];
} way;

enum { START, END, MEAN };
static const double moves[3] = {0.0, 2.0, 1.0}; /* the end moves by 2 xi */

static way as_it_is(const phx_port_view *view)
{
    way out = {.view = *view};
    memcpy(out.frame, moves, sizeof moves);
    memcpy(out.section, moves, sizeof moves);
    return out;
}

static way hold_section(const phx_port_view *view, int end)
{
    way out = as_it_is(view);
    const double *theta = end ? view->theta1 : view->theta0;
    memcpy(out.view.theta0, theta, sizeof out.view.theta0);
    memcpy(out.view.theta1, theta, sizeof out.view.theta1);
    memcpy(out.view.thetam, theta, sizeof out.view.thetam);
    out.section[START] = out.section[END] = out.section[MEAN] = moves[end];
    return out;
}

static way hold_frame(const phx_port_view *view, int end)
{
    way out = as_it_is(view);
    const double *R = end ? view->R1 : view->R0;
    memcpy(out.view.R0, R, sizeof out.view.R0);
    memcpy(out.view.R1, R, sizeof out.view.R1);
    memcpy(out.view.Rm, R, sizeof out.view.Rm);
    out.frame[START] = out.frame[END] = out.frame[MEAN] = moves[end];
    return out;
}

static bool bent(const phx_port_view *view)
{
    return phx_port_scalar_product(3, view->theta0, view->theta0) +
               phx_port_scalar_product(3, view->theta1, view->theta1) >
           0.0;
}

/* A direction of a port: b = x + theta x x of the sections at the ends, and R b, by the ends of the frame and of the
 * section. Of a port that slides only the frame counts. */
typedef struct corners {
    const double *x;
    double b[2][3], value[2][2][3];
} corners;

static corners find_corners(const phx_port_view *view, const double *x)
{
    corners out = {.x = x};

    for (int section = 0; section < 2; section++) {
        memcpy(out.b[section], x, sizeof out.b[section]);
        if (!view->slides)
            phx_port_section_direction(3, view, section ? view->theta1 : view->theta0, x, out.b[section]);
        for (int frame = 0; frame < 2; frame++)
            phx_rot_apply(3, frame ? view->R1 : view->R0, out.b[section], out.value[frame][section]);
    }
    return out;
}

/* The part of the sides with the section `end`, and of those with the frame `end`, in the covector of a port whose
 * directions are `own`, against those of the other one, sign = 1 of A, -1 of B: with
 *   on own[0]  g = w_c other[0] - sign w_s other[1],   on own[1]  g = w_c other[1] + sign w_s other[0]
 * in the means over a side, on w b x R_m^T g and on theta_dot x x R_end^T g. */
static void add_sides(const phx_port_view *view, int end, double sign, const side *by_frame, const side *by_section,
                      const corners own[2], const corners other[2], double *g)
{
    for (int i = 0; i < 2; i++) {
        const corners *same = &other[i], *cross = &other[1 - i];
        const double turn = i == 0 ? -sign : sign;
        double on_frame[3], on_section[3], f[3], torque[3];
        for (int r = 0; r < 3; r++) {
            on_frame[r] = 0.5 * (by_frame->c * (same->value[0][end][r] + same->value[1][end][r]) +
                                 turn * by_frame->s * (cross->value[0][end][r] + cross->value[1][end][r]));
            on_section[r] = 0.5 * (by_section->c * (same->value[end][0][r] + same->value[end][1][r]) +
                                   turn * by_section->s * (cross->value[end][0][r] + cross->value[end][1][r]));
        }
        if (view->slides) { /* on d1 and d2 */
            phx_port_axis_effort(3, own[i].x, on_frame, g);
            continue;
        }
        phx_rot_apply_transposed(3, view->Rm, on_frame, f);
        phx_vec_x_vec(3, own[i].b[end], f, torque);
        for (int k = 0; k < 3; k++)
            g[3 + k] += torque[k];
        phx_rot_apply_transposed(3, end ? view->R1 : view->R0, on_section, f);
        phx_vec_x_vec(3, own[i].x, f, torque);
        for (int k = 0; k < 3; k++)
            g[6 + k] += torque[k];
    }
}

/* Covectors of the relative rotation angle about an axis, kappa (c_mean g_s - s_mean g_c) with kappa = atan2(S, C)/S
 * theory 4 (16). */
static void row_turn_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                               double *g_b)
{
    if (a->h == 0.0 || !(bent(a) || bent(b))) {
        add_increment(row, a, b, 1.0, g_a, g_b);
        return;
    }
    /* psi(frames, sections) from (0, 0) to (1, 1), the axes of a port that slides among the frames, in two ways, first
     * the frames and first the sections; the mean of both puts the turn of the frames on w and that of the sections on
     * theta_dot, and in the plane it is row_angle.c
     */
    const corners A[2] = {find_corners(a, row->alpha), find_corners(a, row->alpha2)};
    const corners B[2] = {find_corners(b, row->beta), find_corners(b, row->beta2)};
    double c[2][2], s[2][2];

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double *A1 = A[0].value[i][j], *A2 = A[1].value[i][j], *B1 = B[0].value[i][j], *B2 = B[1].value[i][j];
            c[i][j] = phx_port_scalar_product(3, A1, B1) + phx_port_scalar_product(3, A2, B2);
            s[i][j] = phx_port_scalar_product(3, A2, B1) - phx_port_scalar_product(3, A1, B2);
        }
    for (int end = 0; end < 2; end++) {
        const side by_frame = find_side((double[]){c[0][end], c[1][end]}, (double[]){s[0][end], s[1][end]}, 0.5);
        const side by_section = find_side(c[end], s[end], 0.5);
        add_sides(a, end, 1.0, &by_frame, &by_section, A, B, g_a);
        add_sides(b, end, -1.0, &by_frame, &by_section, B, A, g_b);
    }
}

/* ---- tangent ---- */
enum { OWN = 6, BOTH = 12 }; /* variations: turn and section of A, then of B */

/* The variations of the ports that are not fixed; nothing is made of the others. */
typedef struct moving {
    int begin, end;
} moving;

/* A direction at the ends and in the mean, inertial, and its derivatives by the turn and the section of its port. */
typedef struct direction {
    double value[3][3], slope[3][3][OWN];
} direction;

/* Of a port that slides, by the variations of its axes d1 and d2. */
static void evaluate_axes(const way *at, const double *x, direction *out)
{
    for (int end = START; end <= MEAN; end++) {
        const double *R = end == START ? at->view.R0 : end == END ? at->view.R1 : at->view.Rm;
        phx_rot_apply(3, R, x, out->value[end]);
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < OWN; k++)
                out->slope[end][r][k] = k % 3 == r ? at->frame[end] * x[k / 3] : 0.0;
    }
}

/* A direction x of a section at both ends and at the mean along one way of the interval, and its derivatives by the
 * variations of frame and section; factors select what varies. */
static void evaluate_direction(const way *at, const double *x, direction *out)
{
    /* A = R b, b = x + theta x x:   dA = R1 (dphi x b) and R (dtheta x x), times what moves */
    double y[3];

    if (at->view.slides) {
        evaluate_axes(at, x, out);
        return;
    }

    for (int end = START; end <= END; end++) {
        const double *R = end ? at->view.R1 : at->view.R0, *theta = end ? at->view.theta1 : at->view.theta0;
        double b[3];
        phx_vec_x_vec(3, theta, x, b);
        for (int i = 0; i < 3; i++)
            b[i] += x[i];
        phx_rot_apply(3, R, b, out->value[end]);
        for (int k = 0; k < 3 && !at->view.fixed; k++) {
            const double unit[3] = {k == 0, k == 1, k == 2};
            double cross[3];
            phx_vec_x_vec(3, unit, b, cross);
            phx_rot_apply(3, at->view.R1, cross, y);
            for (int r = 0; r < 3; r++)
                out->slope[end][r][k] = at->frame[end] * y[r];
            phx_vec_x_vec(3, unit, x, cross);
            phx_rot_apply(3, R, cross, y);
            for (int r = 0; r < 3; r++)
                out->slope[end][r][3 + k] = at->section[end] * y[r];
        }
    }
    for (int r = 0; r < 3; r++) {
        out->value[MEAN][r] = 0.5 * (out->value[START][r] + out->value[END][r]);
        for (int k = 0; k < OWN && !at->view.fixed; k++)
            out->slope[MEAN][r][k] = 0.5 * (out->slope[START][r][k] + out->slope[END][r][k]);
    }
}

/* value += weight A . B at an end, slope (BOTH) its derivatives */
static void row_turn_add_product(const direction *A, const direction *B, int end, double weight, moving by,
                                 double *value, double *slope)
{
    for (int r = 0; r < 3; r++) {
        *value += weight * A->value[end][r] * B->value[end][r];
        for (int k = 0; k < OWN && by.begin == 0; k++)
            slope[k] += weight * B->value[end][r] * A->slope[end][r][k];
        for (int k = 0; k < OWN && by.end == BOTH; k++)
            slope[OWN + k] += weight * A->value[end][r] * B->slope[end][r][k];
    }
}

/* Weights of grad c and grad s in the increment, w_c = -kappa s_m and w_s = kappa c_m, and their derivatives. */
typedef struct weights {
    double c, s, slope_c[BOTH], slope_s[BOTH];
} weights;

/* Factors kappa c_mean and -kappa s_mean of the increments of s and c in the angle's increment, times `weight`, and
 * their derivatives by the variations in the range `by`. */
static weights find_weights(const direction A[2], const direction B[2], double weight, moving by)
{
    double c[2] = {0}, s[2] = {0}, dc[2][BOTH] = {{0}}, ds[2][BOTH] = {{0}};
    weights out;

    for (int end = START; end <= END; end++) {
        row_turn_add_product(&A[0], &B[0], end, 1.0, by, &c[end], dc[end]);
        row_turn_add_product(&A[1], &B[1], end, 1.0, by, &c[end], dc[end]);
        row_turn_add_product(&A[1], &B[0], end, 1.0, by, &s[end], ds[end]);
        row_turn_add_product(&A[0], &B[1], end, -1.0, by, &s[end], ds[end]);
    }
    /* dkappa = kappa_S dS - dC/(S^2 + C^2),   S = c0 s1 - s0 c1,   C = c0 c1 + s0 s1 */
    const double S = c[0] * s[1] - s[0] * c[1], C = c[0] * c[1] + s[0] * s[1], square = S * S + C * C;
    const double kappa = phx_port_turn_quotient(S, C), slope = S * phx_port_turn_quotient_derivative(S, C);
    out.c = -0.5 * weight * kappa * (s[0] + s[1]);
    out.s = 0.5 * weight * kappa * (c[0] + c[1]);
    for (int j = by.begin; j < by.end; j++) {
        const double dS = dc[0][j] * s[1] + c[0] * ds[1][j] - ds[0][j] * c[1] - s[0] * dc[1][j];
        const double dC = dc[0][j] * c[1] + c[0] * dc[1][j] + ds[0][j] * s[1] + s[0] * ds[1][j];
        const double dkappa = slope * dS - dC / square;
        out.slope_c[j] = -0.5 * weight * (dkappa * (s[0] + s[1]) + kappa * (ds[0][j] + ds[1][j]));
        out.slope_s[j] = 0.5 * weight * (dkappa * (c[0] + c[1]) + kappa * (dc[0][j] + dc[1][j]));
    }
    return out;
}

/* Rows of H that a pass fills: torques on the turn of the frame, on the section, or both. */
typedef enum pass { ON_TURN = 1, ON_SECTION = 2 } pass;

/* H += derivative of the covector of g . d(A(x)) of a port that slides: x1 g on d1, x2 g on d2. */
static void add_axis_derivative(const double *x, double dg[3][BOTH], int port, moving by, double *H)
{
    for (int j = by.begin; j < by.end; j++) {
        const int column = j < OWN ? 3 + j : PHX_PORT_MAX + 3 + j - OWN;
        for (int i = 0; i < OWN; i++)
            H[(port * PHX_PORT_MAX + 3 + i) * PHX_PORT_PAIR + column] += x[i / 3] * dg[i % 3][j];
    }
}

/* The same of any port: with f = Rm^T g, b = x + theta_m x x
 *   on w b x f, on theta_dot x x f,   df = f1 x dphi + Rm^T dg, f1 = R1^T g,   db = dtheta x x,
 * by the variations that move. */
static void add_effort_derivative(const way *at, const double *x, const double *g, double dg[3][BOTH], int port,
                                  moving by, int rows, double *H)
{
    const int first = port * PHX_PORT_MAX;
    double b[3], f[3], f1[3], part[3], other[3];

    if (at->view.slides) {
        if (rows & ON_TURN)
            add_axis_derivative(x, dg, port, by, H);
        return;
    }
    phx_vec_x_vec(3, at->view.thetam, x, b);
    for (int i = 0; i < 3; i++)
        b[i] += x[i];
    phx_rot_apply_transposed(3, at->view.Rm, g, f);
    phx_rot_apply_transposed(3, at->view.R1, g, f1);
    for (int j = by.begin; j < by.end; j++) {
        const int own = j - port * OWN, column = j < OWN ? 3 + j : PHX_PORT_MAX + 3 + j - OWN;
        const double unit[3] = {own % 3 == 0, own % 3 == 1, own % 3 == 2}, dg_j[3] = {dg[0][j], dg[1][j], dg[2][j]};
        double df[3], on_turn[3] = {0}, on_section[3];
        phx_rot_apply_transposed(3, at->view.Rm, dg_j, df);
        if (own >= 0 && own < 3) {
            phx_vec_x_vec(3, f1, unit, part);
            for (int i = 0; i < 3; i++)
                df[i] += at->frame[MEAN] * part[i];
        } else if (own >= 3 && own < OWN) {
            phx_vec_x_vec(3, unit, x, part);
            phx_vec_x_vec(3, part, f, other);
            for (int i = 0; i < 3; i++)
                on_turn[i] = at->section[MEAN] * other[i];
        }
        phx_vec_x_vec(3, b, df, part);
        phx_vec_x_vec(3, x, df, on_section);
        for (int i = 0; i < 3; i++) {
            if (rows & ON_TURN)
                H[(first + 3 + i) * PHX_PORT_PAIR + column] += on_turn[i] + part[i];
            if (rows & ON_SECTION)
                H[(first + 6 + i) * PHX_PORT_PAIR + column] += on_section[i];
        }
    }
}

/* The derivative of add_increment where the ports move as `a` and `b` say, without those that are fixed. */
static void add_increment_derivative(const phx_row *row, const way *a, const way *b, double weight, int rows, double *H)
{
    /* on A(alpha):  g = w_c B1 - w_s B2,   on A(alpha2):  w_c B2 + w_s B1,
     * on B(beta):   g = w_c A1 + w_s A2,   on B(beta2):   w_c A2 - w_s A1      with the means of the directions */
    const double *x[2][2] = {{row->alpha, row->alpha2}, {row->beta, row->beta2}};
    const moving by = {a->view.fixed ? OWN : 0, b->view.fixed ? OWN : BOTH};
    direction of[2][2];

    for (int port = 0; port < 2; port++)
        for (int i = 0; i < 2; i++)
            evaluate_direction(port ? b : a, x[port][i], &of[port][i]);
    const weights w = find_weights(of[0], of[1], weight, by);
    for (int port = 0; port < 2; port++)
        for (int i = 0; i < 2 && !(port ? b : a)->view.fixed; i++) {
            const direction *same = &of[1 - port][i], *cross = &of[1 - port][1 - i];
            const double sign = port == i ? -1.0 : 1.0;
            const int offset = (1 - port) * OWN;
            double g[3], dg[3][BOTH];
            for (int r = 0; r < 3; r++) {
                const double on_c = same->value[MEAN][r], on_s = sign * cross->value[MEAN][r];
                g[r] = w.c * on_c + w.s * on_s;
                for (int j = by.begin; j < by.end; j++)
                    dg[r][j] = w.slope_c[j] * on_c + w.slope_s[j] * on_s;
                for (int k = 0; k < OWN && !(port ? a : b)->view.fixed; k++)
                    dg[r][offset + k] += w.c * same->slope[MEAN][r][k] + w.s * sign * cross->slope[MEAN][r][k];
            }
            add_effort_derivative(port ? b : a, x[port][i], g, dg, port, by, rows, H);
        }
}

/* H = dg/dxi of the angle; over an interval with deforming sections the mean of the two ways of the covectors. */
static bool row_turn_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    phx_port_pair_clear(3, H);
    if (a->h == 0.0 || !(bent(a) || bent(b))) {
        const way on_a = as_it_is(a), on_b = as_it_is(b);
        add_increment_derivative(row, &on_a, &on_b, 1.0, ON_TURN | ON_SECTION, H);
        return true;
    }
    for (int end = 0; end < 2; end++) {
        const way section_a = hold_section(a, end), section_b = hold_section(b, end);
        const way frame_a = hold_frame(a, end), frame_b = hold_frame(b, end);
        add_increment_derivative(row, &section_a, &section_b, 0.5, ON_TURN, H);
        add_increment_derivative(row, &frame_a, &frame_b, 0.5, ON_SECTION, H);
    }
    return true;
}

/* y . (Omega_b - Omega_a) with the mean y of the axis alpha x alpha2 of A at both ends. */
static bool spin(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b,
                 double *H)
{
    const double *directions[4] = {row->alpha, row->alpha2, row->beta, row->beta2};
    double axis[3], y[3] = {0}, T[3 * PHX_PORT_MAX];

    for (int k = 0; k < 4; k++)
        if (phx_port_scalar_product(3, directions[k], directions[k]) == 0.0)
            return false;
    phx_vec_x_vec(3, row->alpha, row->alpha2, axis);
    for (int end = 0; end < 2; end++) {
        double turned[3];
        phx_port_turned(a, end, axis, turned);
        for (int i = 0; i < 3; i++)
            y[i] += 0.5 * turned[i];
    }
    phx_port_turned_tangent(a, axis, T);
    row_add_turn(a, -1.0, y, g_a);
    row_add_turn(b, 1.0, y, g_b);
    row_add_turn_tangent(a, -1.0, y, T, 0, H);
    row_add_turn_tangent(b, 1.0, y, T, PHX_PORT_MAX, H);
    return true;
}

const phx_row_operations phx_row_turn = {row_turn_measure, row_turn_covectors, row_turn_tangent, spin};
