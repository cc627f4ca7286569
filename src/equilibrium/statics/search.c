/* Two ways to an equilibrium. Newton's iteration finds what is near, stable or not. The descent finds a stable one from
 * anywhere: every correction is that of a positive definite matrix K + sigma W and leads down in energy, along joints
 * that are closed again, with a sigma that follows from how well the quadratic model of a correction foretells what the
 * forces do along it,
 *
 *   foretold  -1/2 xi . K xi - sigma xi . W xi ,     done  1/2 (g0 . xi + g1 . xi)       g: residual of motion
 *
 * (the trust region of Levenberg and Marquardt; loads need no potential). Where sigma has come down to zero it is
 * Newton's iteration. */
#include "statics.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-15;        /* forces out of balance, parts of the weight: no better than that */
static const double LONGEST = 0.5;        /* of a correction, rad, parts of the size */
static const double FARTHEST = 1000.;     /* of the whole way, parts of the size */
static const double ENDLESS = 20.;        /* the same without getting nearer, rad */
static const double CLOSED_AGAIN = 1e-14; /* the same as CLOSED, after a step of the descent */
static const double FIRST_SIGMA = 1e-3;   /* parts of scale.slowest: where sigma grows from */
static const double LAST_SIGMA = 1e-4;    /* the same: a smaller sigma becomes zero */
static const double SHORT = 1e-4;         /* correction, rad, parts of the size: what the work says of it is rounding */
static const double STILL = 1e-14;        /* correction, the same: nothing moves any more */

static void copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* (xi, dlambda) for the residuals in `res`. */
static phx_status correction(statics *s, const double *res, double *out)
{
    for (int i = 0; i < s->e.n; i++)
        out[i] = -res[i];
    const phx_status status = phx_statics_solve(s, out);
    for (int i = 0; i < s->e.n && !status; i++)
        if (!isfinite(out[i]))
            return PHX_SINGULAR;
    return status;
}

static void search_try_step(statics *s, const double *x, const double *lambda)
{
    phx_statics_displace(s, x, 1.0, s->vectors.step, s->vectors.x_try);
    for (int k = 0; k < s->e.n_l; k++)
        s->vectors.lambda_try[k] = lambda[k] + s->vectors.step[s->e.n_v + k];
}

static void accept(statics *s, double *x, double *lambda)
{
    copy(x, s->vectors.x_try, s->dae->n_x);
    copy(lambda, s->vectors.lambda_try, s->e.n_l);
    copy(s->vectors.res, s->vectors.res_try, s->e.n);
    phx_statics_count(s, x);
    s->iterations++;
}

/* Newton's iteration to an equilibrium at most `reach` away (radians and parts of the size together); x and lambda are
 * restored after a failure. */
phx_status phx_statics_newton(statics *s, double reach, double *x, double *lambda)
{
    enum { LIMIT = 25 };
    double unbalanced = HUGE_VAL, joint_residual = HUGE_VAL, before, length = HUGE_VAL, way = 0.0;
    phx_status status = phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);

    copy(s->vectors.x_kept, x, s->dae->n_x);
    copy(s->vectors.lambda_kept, lambda, s->e.n_l);
    for (int k = 0; k < LIMIT && !status; k++) {
        const double last = length;
        before = unbalanced;
        status = phx_statics_linearise(s, x, lambda);
        if (!status)
            status = phx_statics_factor(s, s->scale.rounding);
        if (!status)
            status = correction(s, s->vectors.res, s->vectors.step);
        if (status)
            break;
        length = phx_statics_largest_move(s, s->vectors.step);
        way += length;
        if (!(way <= reach) || (length > STALLED && length > 0.7 * last)) {
            status = PHX_NOT_CONVERGED;
            break;
        }
        search_try_step(s, x, lambda);
        status = phx_statics_residual(s, s->vectors.x_try, s->vectors.lambda_try, s->vectors.res_try, &unbalanced,
                                      &joint_residual);
        if (status)
            break;
        if (before <= s->scale.enough && k > 0 && unbalanced >= before) /* no better for rounding */
            return PHX_OK;
        accept(s, x, lambda);
        if (unbalanced <= EXACT && joint_residual <= CLOSED)
            return PHX_OK;
        if (k == LIMIT - 1 && !(unbalanced <= s->scale.enough && joint_residual <= CLOSED))
            status = PHX_NOT_CONVERGED;
    }
    if (status) {
        copy(x, s->vectors.x_kept, s->dae->n_x);
        copy(lambda, s->vectors.lambda_kept, s->e.n_l);
    }
    return status;
}

/* Newton's iteration with moves limited to STRIDE until the corrections are small, then the ordinary one. */
phx_status phx_statics_newton_from_afar(statics *s, double *x, double *lambda)
{
    enum { LIMIT = 60 };
    static const double STRIDE = 0.2, NEAR = 0.05; /* rad, parts of the size */
    double unbalanced, joint_residual, length = HUGE_VAL;
    phx_status status = phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);

    for (int k = 0; k < LIMIT && !status && length > NEAR; k++) {
        status = phx_statics_linearise(s, x, lambda);
        if (!status)
            status = phx_statics_factor(s, s->scale.rounding);
        if (!status)
            status = correction(s, s->vectors.res, s->vectors.step);
        if (status)
            return status;
        length = phx_statics_largest_move(s, s->vectors.step);
        for (int i = 0; i < s->e.n && length > STRIDE; i++)
            s->vectors.step[i] *= STRIDE / length;
        search_try_step(s, x, lambda);
        status = phx_statics_residual(s, s->vectors.x_try, s->vectors.lambda_try, s->vectors.res_try, &unbalanced,
                                      &joint_residual);
        if (!status)
            accept(s, x, lambda);
    }
    return status ? status : phx_statics_newton(s, 1.0, x, lambda);
}

/* ---- the descent ---- */
/* Closes the joints at x_try again, by the correction that is least in the norm of the factored matrix. */
static phx_status close_again(statics *s)
{
    enum { LIMIT = 20 };
    const int n_v = s->e.n_v;
    double joint_residual = phx_statics_joint_residual(s, s->vectors.x_try, s->vectors.other + n_v);

    for (int k = 0; k < LIMIT && joint_residual > CLOSED_AGAIN; k++) {
        const double before = joint_residual;
        memset(s->vectors.other, 0, (size_t)n_v * sizeof *s->vectors.other);
        const phx_status status = correction(s, s->vectors.other, s->vectors.other);
        if (status)
            return status;
        if (!(phx_statics_largest_move(s, s->vectors.other) <= LONGEST))
            return PHX_NOT_CONVERGED;
        phx_statics_displace(s, s->vectors.x_try, 1.0, s->vectors.other, s->vectors.x_try);
        joint_residual = phx_statics_joint_residual(s, s->vectors.x_try, s->vectors.other + n_v);
        if (joint_residual > 0.7 * before)
            break;
    }
    return joint_residual <= CLOSED ? PHX_OK : PHX_NOT_CONVERGED;
}

/* res . xi with the residual at x_try and xi in the axes of the frames at x: R1^T R0 of both. */
static double work_at_end(const statics *s, const double *x, const double *res, const double *xi)
{
    const phx_system *system = s->system;
    const int dim = s->dim;
    double sum = 0.0;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        const phx_body_frame *frames;
        int q_v, n_q = phx_body_coordinates(placed.body, NULL, &q_v) + phx_body_places(placed.body, NULL, NULL);
        const int n_frames = phx_body_frames(placed.body, &frames);
        for (int f = 0; f < n_frames; f++) {
            const int at = placed.v + frames[f].v, place = placed.x + frames[f].x;
            double R0[9], R1[9], d[3], own[3];
            phx_attitude_rotation(dim, x + place + dim, R0);
            phx_attitude_rotation(dim, s->vectors.x_try + place + dim, R1);
            phx_rot_apply(dim, R0, xi + at, d);
            phx_rot_apply_transposed(dim, R1, d, own);
            sum += phx_dot(dim, res + at, own);
            sum += phx_dot(s->n_rot, res + at + dim, xi + at + dim);
        }
        sum += phx_dot(n_q, res + placed.v + q_v, xi + placed.v + q_v);
    }
    return sum;
}

/* A sigma with which the matrix is positive definite. */
static phx_status make_positive(statics *s, double *sigma)
{
    enum { LIMIT = 60 };
    int negative = 0;

    for (int k = 0; k < LIMIT; k++) {
        const phx_status status = phx_statics_negative(s, fmax(*sigma, s->scale.rounding), &negative);
        if (status && status != PHX_SINGULAR)
            return status;
        if (!status && negative <= 0)
            return PHX_OK;
        *sigma = fmax(4.0 * *sigma, fmax(FIRST_SIGMA * s->scale.slowest, s->scale.rounding));
    }
    return PHX_NOT_CONVERGED;
}

/* A correction from x that leads down: x_try, lambda_try, res_try. `ratio`: done to foretold. */
static phx_status next_step(statics *s, const double *x, const double *lambda, double *sigma, double *unbalanced,
                            double *joint_residual, double *length, double *ratio)
{
    enum { LIMIT = 60 };
    const double before = *unbalanced;

    for (int k = 0; k < LIMIT; k++) {
        const double shift = fmax(*sigma, s->scale.rounding);
        phx_status status = phx_statics_factor(s, shift);
        if (!status)
            status = correction(s, s->vectors.res, s->vectors.step);
        if (status && status != PHX_SINGULAR)
            return status;
        *length = status ? HUGE_VAL : phx_statics_largest_move(s, s->vectors.step);
        if (*length <= LONGEST) {
            const double friction = shift * phx_statics_W_product(s, s->vectors.step, s->vectors.step);
            const double stiffness = phx_statics_K_product(s, s->vectors.step, s->vectors.step);
            search_try_step(s, x, lambda);
            status = close_again(s);
            if (!status)
                status = phx_statics_residual(s, s->vectors.x_try, s->vectors.lambda_try, s->vectors.res_try,
                                              unbalanced, joint_residual);
            if (status && status != PHX_NOT_CONVERGED)
                return status;
            if (!status) {
                const double work = work_at_end(s, x, s->vectors.res_try, s->vectors.step);
                const double foretold = -0.5 * stiffness - friction;
                *ratio = 0.5 * (work - stiffness - friction) / foretold;
                if (*ratio > 0.01 || (*length < SHORT && *unbalanced < before))
                    return PHX_OK;
                if (before <= s->scale.enough && *length < SHORT)
                    return PHX_NOT_CONVERGED; /* rounding */
            }
        }
        phx_context_clear(s->context);
        *sigma = fmax(4.0 * *sigma, fmax(FIRST_SIGMA * s->scale.slowest, s->scale.rounding));
    }
    return PHX_NOT_CONVERGED;
}

/* How far the first frames have come from where they were, parts of the size. */
static double far_from(const statics *s, const double *x0, const double *x)
{
    double way = 0.0;

    for (int b = 0; b < phx_system_bodies(s->system); b++)
        for (int a = 0; a < s->dim; a++)
            way = fmax(way, fabs(x[phx_system_placed(s->system, b).x + a] - x0[phx_system_placed(s->system, b).x + a]));
    return way / s->scale.size;
}

/* Descends to a stable equilibrium by damped Newton steps (K + sigma W positive definite). PHX_NOT_CONVERGED with
 * s->endless if the forces lead away without end. */
phx_status phx_statics_descend(statics *s, double *x, double *lambda)
{
    enum { LIMIT = 1000, PATIENCE = 100 }; /* corrections; those without getting nearer */
    double sigma = 0.0, unbalanced = HUGE_VAL, joint_residual = HUGE_VAL, length = HUGE_VAL, ratio = 1.0,
           best = HUGE_VAL;
    double way = 0.0;
    int since = 0;
    phx_status status = phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);

    copy(s->vectors.x_kept, x, s->dae->n_x);
    s->endless = false;
    for (int k = 0; k < LIMIT && !status; k++) {
        const double before = unbalanced;
        status = phx_statics_linearise(s, x, lambda);
        if (!status)
            status = make_positive(s, &sigma);
        if (!status)
            status = next_step(s, x, lambda, &sigma, &unbalanced, &joint_residual, &length, &ratio);
        if (status == PHX_NOT_CONVERGED && before <= s->scale.enough)
            return PHX_OK;
        if (status)
            break;
        if (before <= s->scale.enough && unbalanced >= before)
            return PHX_OK;
        accept(s, x, lambda);
        if (unbalanced <= EXACT || (length < STILL && unbalanced <= 1e3 * s->scale.enough))
            return PHX_OK;
        since = unbalanced < 0.5 * best ? 0 : since + 1;
        way = since == 0 ? 0.0 : way + length;
        best = since == 0 ? unbalanced : best;
        s->endless = (since > PATIENCE && way > ENDLESS) || !(far_from(s, s->vectors.x_kept, x) < FARTHEST);
        if (s->endless)
            return PHX_NOT_CONVERGED;
        if (ratio > 0.7)
            sigma = sigma > LAST_SIGMA * s->scale.slowest ? 0.2 * sigma : 0.0;
        else if (ratio < 0.3)
            sigma = fmax(2.0 * sigma, FIRST_SIGMA * s->scale.slowest);
    }
    return status ? status : PHX_NOT_CONVERGED;
}
