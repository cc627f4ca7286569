/* The mixed Newton iteration to an equilibrium far away, for bodies with a free stress (body.h): the geometric part of
 * their stiffness has the stress that the linear equations of the last correction predict. The residual is exact. */
#include "statics.h"

#include <math.h>
#include <string.h>

typedef struct mixed {
    double *start;  /* x and lambda, with what follows one piece of memory */
    double *sigma;  /* of all bodies, one after the other */
    double *own[3]; /* M, K and the mixed K of a body, on its pattern */
    int n;          /* stresses */
} mixed;

/* Room for the bodies with a free stress; n is 0 if there are none. */
static phx_status mixed_create(const statics *s, mixed *made)
{
    const size_t start = (size_t)s->dae->n_x + (size_t)s->e.n_l;
    int largest = 0;

    memset(made, 0, sizeof *made);
    for (int b = 0; b < phx_system_bodies(s->system); b++) {
        const phx_body *body = phx_system_body(s->system, b);
        const int *ptr, *idx, n_v = phx_body_n_v(body);
        phx_body_pattern(body, &ptr, &idx);
        made->n += phx_body_n_free_stress(body);
        largest = ptr[n_v] > largest ? ptr[n_v] : largest;
    }
    if (made->n == 0)
        return PHX_OK;
    made->start = phx_calloc(s->context, start + (size_t)made->n + 3 * (size_t)largest, sizeof *made->start);
    made->sigma = made->start ? made->start + start : NULL;
    for (int k = 0; k < 3 && made->start; k++)
        made->own[k] = made->sigma + made->n + k * largest;
    return made->start ? PHX_OK : PHX_ERR_MEMORY;
}

/* The stresses at x, or predicted for the correction xi. */
static void mixed_stress(const statics *s, const double *x, const double *xi, mixed *m)
{
    double *sigma = m->sigma;

    for (int b = 0; b < phx_system_bodies(s->system); b++) {
        const phx_placed_body placed = phx_system_placed(s->system, b);
        phx_body_free_stress(placed.body, x + placed.x, xi ? xi + placed.v : NULL, sigma);
        sigma += phx_body_n_free_stress(placed.body);
    }
}

/* K += that of each body with sigma less that with its own stress. */
static void mixed_put(statics *s, const double *x, const mixed *m)
{
    const double none[3] = {0.0}, *sigma = m->sigma;

    for (int b = 0; b < phx_system_bodies(s->system); b++) {
        const phx_placed_body placed = phx_system_placed(s->system, b);
        const int *ptr, *idx;
        if (phx_body_n_free_stress(placed.body) == 0)
            continue;
        phx_body_pattern(placed.body, &ptr, &idx);
        phx_body_linearise(placed.body, none, x + placed.x, s->vectors.zero, m->own[0], NULL, m->own[1]);
        phx_body_free_linearise(placed.body, none, x + placed.x, sigma, m->own[2]);
        for (int i = 0; i < phx_body_n_v(placed.body); i++)
            for (int k = ptr[i], e = s->e.ptr[placed.v + i]; k < ptr[i + 1]; k++) {
                while (s->e.idx[e] != placed.v + idx[k])
                    e++;
                s->e.K[e] += m->own[2][k] - m->own[1][k];
            }
        sigma += phx_body_n_free_stress(placed.body);
    }
}

/* Corrections until they are short. */
static phx_status mixed_iterate(statics *s, mixed *m, double *x, double *lambda)
{
    enum { LIMIT = 40 };
    static const double SHORT = 1e-3, LONGEST = 100.0; /* corrections, rad, parts of the size */
    double length = HUGE_VAL, unbalanced, joint_residual, *step = s->vectors.step;

    mixed_stress(s, x, NULL, m);
    for (int k = 0; k < LIMIT && length > SHORT; k++) {
        phx_status status = phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);
        if (!status)
            status = phx_statics_linearise(s, x, lambda);
        if (status)
            return status;
        mixed_put(s, x, m);
        status = phx_statics_factor(s, s->scale.rounding);
        for (int i = 0; i < s->e.n; i++)
            step[i] = -s->vectors.res[i];
        if (!status)
            status = phx_statics_solve(s, step);
        if (status)
            return status;
        length = phx_statics_largest_move(s, step);
        if (!(length <= LONGEST))
            return PHX_NOT_CONVERGED;
        mixed_stress(s, x, step, m);
        phx_statics_displace(s, x, 1.0, step, s->vectors.x_try);
        memcpy(x, s->vectors.x_try, (size_t)s->dae->n_x * sizeof *x);
        for (int l = 0; l < s->e.n_l; l++)
            lambda[l] += step[s->e.n_v + l];
        phx_statics_count(s, x);
        s->iterations++;
    }
    return length <= SHORT ? PHX_OK : PHX_NOT_CONVERGED;
}

/* The mixed iteration, then Newton's to the end; x and lambda go back to the start if either fails. */
phx_status phx_statics_newton_mixed(statics *s, double *x, double *lambda)
{
    static const double REACH = 0.1; /* rad, parts of the size: of the last corrections together */
    const size_t n_x = (size_t)s->dae->n_x, n_l = (size_t)s->e.n_l;
    mixed m;
    int unstable = 0, loose = 0;

    if (mixed_create(s, &m))
        return PHX_ERR_MEMORY;
    if (m.n == 0)
        return PHX_NOT_CONVERGED;
    memcpy(m.start, x, n_x * sizeof *x);
    memcpy(m.start + n_x, lambda, n_l * sizeof *lambda);
    phx_status status = mixed_iterate(s, &m, x, lambda);
    if (!status)
        status = phx_statics_newton(s, REACH, x, lambda);
    if (!status)
        status = phx_statics_diverges(s, x, lambda, &unstable);
    if (!status)
        status = phx_statics_count_free(s, x, lambda, &loose);
    if (!status && (unstable > 0 || loose > 0)) /* of a family the descent finds the nearest */
        status = PHX_NOT_CONVERGED;
    if (status) {
        memcpy(x, m.start, n_x * sizeof *x);
        memcpy(lambda, m.start + n_x, n_l * sizeof *lambda);
    }
    phx_free(m.start);
    return status;
}
