/* Of a family of equilibria the one nearest to the start. Free motions Z(x) span the family at its point x, K z = 0,
 * and rounding alone would say where along them a search ends. The point taken is the one with the least
 *
 *   phi(x) = sum 1/2 m |r - r0|^2 + J (1 - cos theta) + 1/2 M_q (q - q0)^2
 *
 * over all frames and coordinates: r and r0 their places and those of the start, theta the angle between the attitudes,
 * m, J and M_q the diagonal of W at the start. There dphi/da = Z^T gamma = 0, gamma = dphi/dxi. It is found by steps
 * xi = Z a, a = -H dphi/da, along the family, H from I by the formula of Broyden, Fletcher, Goldfarb and Shanno, each
 * step followed by Newton's corrections without a part along Z,
 *
 *   | K + sigma W   -G^T   W Z | | xi      |     | residual of motion |
 *   | G              0         | | dlambda | = - | joint residuals    | ,
 *   | Z^T W                0   | | mu      |     | 0                  |
 *
 * by block elimination of mu: B = [K + sigma W, -G^T; G, 0] has factors, as sigma is not zero. */
#include "statics.h"

#include <math.h>
#include <string.h>

static const double LONGEST = 0.5;  /* of a step, rad, parts of the size */
static const double STILL = 1e-13;  /* last correction, rad, parts of the size */
static const double CURVES = 1e-8;  /* the cosine between a step and the change of the gradient */
static const double VISIBLE = 1e-9; /* fall of the distance, relative: less is rounding */
static const double FALLS = 1e-4;   /* part of the foretold fall that a step must reach */

/* A point of the family. */
typedef struct family_point {
    double *x, *lambda;
    double *Z;        /* count x n */
    double *gradient; /* count */
    double distance;  /* phi */
} family_point;

typedef struct family {
    statics *s;
    const double *start;
    int count;
    family_point at, next;
    double *gamma; /* n_v */
    double *H;     /* count x count */
    double *a;     /* count: the step */
    double *Hy, *y;
    double *WZ, *Y, *S; /* count x n twice, count x count: of the corrections */
    double *xi;         /* n */
} family;

/* Allocates the description of a family of equilibria with `count` free motions at two points, and the quasi-Newton
 * matrix. */
static phx_status nearest_create(statics *s, const double *start, int count, family *f)
{
    const size_t m = (size_t)count, n = (size_t)s->e.n, n_x = (size_t)s->dae->n_x, n_l = (size_t)s->e.n_l;
    *f = (family){.s = s, .start = start, .count = count};
    const phx_array arrays[] = {{&f->at.x, n_x},
                                {&f->at.lambda, n_l},
                                {&f->at.Z, m * n},
                                {&f->next.x, n_x},
                                {&f->next.lambda, n_l},
                                {&f->next.Z, m * n},
                                {&f->gamma, n},
                                {&f->at.gradient, m},
                                {&f->next.gradient, m},
                                {&f->H, m * m},
                                {&f->a, m},
                                {&f->Hy, m},
                                {&f->y, m},
                                {&f->xi, n},
                                {&f->WZ, m * n},
                                {&f->Y, m * n},
                                {&f->S, m * m}};

    return phx_arrays_create(s->context, sizeof arrays / sizeof *arrays, arrays);
}

/* Frees the arrays of a family. */
static void nearest_destroy(family *f)
{
    double *arrays[] = {f->at.x,
                        f->at.lambda,
                        f->at.Z,
                        f->next.x,
                        f->next.lambda,
                        f->next.Z,
                        f->gamma,
                        f->at.gradient,
                        f->next.gradient,
                        f->H,
                        f->a,
                        f->Hy,
                        f->y,
                        f->xi,
                        f->WZ,
                        f->Y,
                        f->S};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

/* ---- the distance ---- */
/* W_ii at the start: s->scale.force is the root of a mass over it. */
static double inertia(const statics *s, double mass, int i)
{
    const double force = s->scale.force[i];

    return force > 0.0 ? mass / (force * force) : 0.0;
}

/* The part of one frame; its gamma: m R^T (r - r0), and J times the axial vector of the skew part of R0^T R. */
static double frame_distance(const family *f, double mass, int v, int place)
{
    const statics *s = f->s;
    const int dim = phx_system_dim(s->system), n_rot = phx_rotations(phx_system_dim(s->system));
    const double *x0 = f->start + place, *x = f->next.x + place;
    const double m = inertia(s, mass, v);
    double R0[9], R[9], Q[9], d[3], J = 0.0, sum = 0.0, trace = 0.0;

    for (int a = 0; a < dim; a++) {
        d[a] = m * (x[a] - x0[a]);
        sum += 0.5 * d[a] * (x[a] - x0[a]);
    }
    phx_attitude_rotation(dim, x0 + dim, R0);
    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply_transposed(dim, R, d, f->gamma + v);
    phx_dense_multiply(true, false, dim, dim, dim, 1.0, R0, dim, R, dim, 0.0, Q, dim);
    for (int k = 0; k < n_rot; k++)
        J = fmax(J, inertia(s, mass, v + dim + k));
    for (int a = 0; a < dim; a++)
        trace += Q[a * dim + a];
    for (int k = 0; k < n_rot; k++) {
        const int i = dim == 2 ? 0 : (k + 1) % 3, j = dim == 2 ? 1 : (k + 2) % 3;
        f->gamma[v + dim + k] = 0.5 * J * (Q[j * dim + i] - Q[i * dim + j]);
    }
    return sum + 0.5 * J * (dim - trace);
}

/* phi and dphi/da of f->next. */
static void nearest_look(family *f)
{
    const phx_system *system = f->s->system;
    family_point *of = &f->next;

    of->distance = 0.0;
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        const double mass = phx_body_at_rest(placed.body)->mass;
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(placed.body, &frames);
        int q_x, q_v;
        const int n_q = phx_body_coordinates(placed.body, &q_x, &q_v) + phx_body_places(placed.body, NULL, NULL);
        for (int k = 0; k < n_frames; k++)
            of->distance += frame_distance(f, mass, placed.v + frames[k].v, placed.x + frames[k].x);
        for (int i = 0; i < n_q; i++) {
            const double d = of->x[placed.x + q_x + i] - f->start[placed.x + q_x + i];
            f->gamma[placed.v + q_v + i] = inertia(f->s, mass, placed.v + q_v + i) * d;
            of->distance += 0.5 * f->gamma[placed.v + q_v + i] * d;
        }
    }
    for (int c = 0; c < f->count; c++)
        of->gradient[c] = phx_dot(f->s->e.n_v, of->Z + (size_t)c * (size_t)f->s->e.n, f->gamma);
}

/* ---- steps ---- */
/* W Z, Y = B^-1 (W Z), and the inverse of Z^T W Y. */
static phx_status hold(family *f, const double *Z)
{
    statics *s = f->s;
    const size_t n = (size_t)s->e.n, m = (size_t)f->count;
    phx_status status = phx_statics_factor(s, s->scale.rounding);

    for (size_t c = 0; c < m && !status; c++) {
        phx_statics_W_apply(s, Z + c * n, f->WZ + c * n);
        memcpy(f->Y + c * n, f->WZ + c * n, n * sizeof *f->Y);
        status = phx_statics_solve(s, f->Y + c * n);
    }
    for (size_t r = 0; r < m && !status; r++)
        for (size_t c = 0; c < m; c++)
            f->S[r * m + c] = phx_dot(s->e.n_v, f->WZ + r * n, f->Y + c * n);
    return status ? status : phx_dense_inverse(s->context, f->count, f->S);
}

/* The correction for the residuals in `res`, without a motion along Z. */
static phx_status nearest_correct(family *f, const double *Z, const double *res, double *out)
{
    statics *s = f->s;
    const size_t n = (size_t)s->e.n, m = (size_t)f->count;
    phx_status status = hold(f, Z);

    for (size_t i = 0; i < n; i++)
        out[i] = -res[i];
    if (!status)
        status = phx_statics_solve(s, out);
    for (size_t c = 0; c < m; c++)
        f->y[c] = phx_dot(s->e.n_v, f->WZ + c * n, out);
    for (size_t r = 0; r < m && !status; r++) {
        const double mu = phx_dot(f->count, f->S + r * m, f->y);
        for (size_t i = 0; i < n; i++)
            out[i] -= mu * f->Y[r * n + i];
    }
    return status;
}

/* f->next onto the family, near where it is, without a motion along Z. */
static phx_status close_in(family *f, const double *Z)
{
    enum { LIMIT = 25 };
    statics *s = f->s;
    double unbalanced = HUGE_VAL, joint_residual = HUGE_VAL, length = 1.0, way = 0.0;
    phx_status status =
        phx_statics_residual(s, f->next.x, f->next.lambda, s->vectors.res, &unbalanced, &joint_residual);

    for (int k = 0; k < LIMIT && !status; k++) {
        const double last = length;
        status = phx_statics_linearise(s, f->next.x, f->next.lambda);
        if (!status)
            status = nearest_correct(f, Z, s->vectors.res, s->vectors.step);
        if (status)
            return status;
        length = phx_statics_largest_move(s, s->vectors.step);
        way += length;
        if (!(way <= LONGEST) || (length > STALLED && length > 0.7 * last))
            return PHX_NOT_CONVERGED;
        phx_statics_displace(s, f->next.x, 1.0, s->vectors.step, f->next.x);
        for (int r = 0; r < s->e.n_l; r++)
            f->next.lambda[r] += s->vectors.step[s->e.n_v + r];
        s->iterations++;
        status = phx_statics_residual(s, f->next.x, f->next.lambda, s->vectors.res, &unbalanced, &joint_residual);
        if (length < STILL && unbalanced <= s->scale.enough)
            return status;
    }
    if (!status && !(length < STILL && unbalanced <= 1e3 * s->scale.enough))
        status = PHX_NOT_CONVERGED;
    return status;
}

/* Z, phi and its gradient of f->next, from the Z of a point nearby, or a guess where there is none. */
static phx_status nearest_describe(family *f, const double *Z)
{
    statics *s = f->s;
    phx_status status = phx_statics_linearise(s, f->next.x, f->next.lambda);

    if (Z)
        memcpy(f->next.Z, Z, (size_t)f->count * (size_t)s->e.n * sizeof *Z);
    else
        phx_statics_guess_free(s, f->count, f->next.Z);
    if (!status)
        status = phx_statics_find_free(s, Z ? 2 : 5, f->count, f->next.Z);
    if (!status)
        nearest_look(f);
    return status;
}

static void nearest_advance(family *f)
{
    const family_point last = f->at;

    f->at = f->next;
    f->next = last;
}

/* a = -H gradient, xi = Z a; the slope of phi along it. H begins anew where the slope is not negative. */
static double nearest_choose(family *f)
{
    const size_t n = (size_t)f->s->e.n, m = (size_t)f->count;
    double slope = 0.0;

    for (int k = 0; k < 2 && !(slope < 0.0); k++) {
        if (k == 1) {
            memset(f->H, 0, m * m * sizeof *f->H);
            for (size_t c = 0; c < m; c++)
                f->H[c * m + c] = 1.0;
        }
        for (size_t c = 0; c < m; c++)
            f->a[c] = -phx_dot(f->count, f->H + c * m, f->at.gradient);
        slope = phx_dot(f->count, f->a, f->at.gradient);
    }
    memset(f->xi, 0, n * sizeof *f->xi);
    for (size_t c = 0; c < m; c++)
        for (size_t i = 0; i < n; i++)
            f->xi[i] += f->a[c] * f->at.Z[c * n + i];
    return slope;
}

/* H of the step a that changed the gradient by y. */
static void renew(family *f)
{
    const size_t m = (size_t)f->count;
    double ay = 0.0, yHy = 0.0;

    for (size_t c = 0; c < m; c++) {
        f->y[c] = f->next.gradient[c] - f->at.gradient[c];
        ay += f->a[c] * f->y[c];
    }
    for (size_t c = 0; c < m; c++) {
        f->Hy[c] = phx_dot(f->count, f->H + c * m, f->y);
        yHy += f->y[c] * f->Hy[c];
    }
    if (!(ay > CURVES * sqrt(phx_dot(f->count, f->a, f->a) * phx_dot(f->count, f->y, f->y))))
        return;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            f->H[r * m + c] += ((1.0 + yHy / ay) * f->a[r] * f->a[c] - f->Hy[r] * f->a[c] - f->a[r] * f->Hy[c]) / ay;
}

/* A step, halved until it leads down; where phi says nothing any more, until the gradient falls. *moved: it has. */
static phx_status step(family *f, bool *moved)
{
    enum { HALVINGS = 12 };
    static const double LEAST = 1e-14; /* of a step, rad, parts of the size */
    statics *s = f->s;
    double slope = nearest_choose(f);
    const double length = phx_statics_largest_move(s, f->xi);
    double part = length > LONGEST ? LONGEST / length : 1.0;

    *moved = false;
    for (int k = 0; k < HALVINGS && length * part > LEAST && !*moved; k++, part *= 0.5) {
        phx_statics_displace(s, f->at.x, part, f->xi, f->next.x);
        memcpy(f->next.lambda, f->at.lambda, (size_t)s->e.n_l * sizeof *f->at.lambda);
        phx_status status = close_in(f, f->at.Z);
        if (!status)
            status = nearest_describe(f, f->at.Z);
        if (status != PHX_NOT_CONVERGED && status != PHX_SINGULAR && status)
            return status;
        phx_context_clear(s->context);
        const double fall = -part * slope;
        const bool tells = fall > VISIBLE * f->at.distance;
        *moved = !status && (tells ? f->next.distance < f->at.distance - FALLS * fall
                                   : phx_dot(f->count, f->next.gradient, f->next.gradient) <
                                         phx_dot(f->count, f->at.gradient, f->at.gradient));
        if (*moved)
            for (int c = 0; c < f->count; c++)
                f->a[c] *= part;
    }
    return PHX_OK;
}

/* Moves an equilibrium along its family to the one nearest to `start` (least phi above); x and lambda change only if
 * that succeeds. */
phx_status phx_statics_nearest(statics *s, const double *start, int count, double *x, double *lambda)
{
    enum { LIMIT = 200 };
    const size_t n_x = (size_t)s->dae->n_x, n_l = (size_t)s->e.n_l;
    family f;
    bool moved = true;
    phx_status status = nearest_create(s, start, count, &f);

    if (!status) {
        memcpy(f.next.x, x, n_x * sizeof *x);
        memcpy(f.next.lambda, lambda, n_l * sizeof *lambda);
        status = nearest_describe(&f, NULL);
    }
    if (!status)
        nearest_advance(&f);
    for (int k = 0; k < LIMIT && !status && moved; k++) {
        status = step(&f, &moved);
        if (!status && moved) {
            renew(&f);
            nearest_advance(&f);
        }
    }
    if (!status) {
        phx_statics_count(s, f.at.x);
        memcpy(x, f.at.x, n_x * sizeof *x);
        memcpy(lambda, f.at.lambda, n_l * sizeof *lambda);
    }
    nearest_destroy(&f);
    return status;
}
