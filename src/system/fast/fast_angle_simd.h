/* Unwrapped angles in space, of PHX_JOINT_SIMD_WIDTH joints at once: not what they are, only whether they are near what
 * x has of them. The equations are those of joint/row_turn.c. */
#ifndef PHX_FAST_TURN_SIMD_H
#define PHX_FAST_TURN_SIMD_H

#include "fast_dot_simd.h"

typedef unsigned long long word __attribute__((vector_size(32), aligned(8), may_alias));

/* The frame of a port and the turn of its section at the end. */
typedef struct angle_side {
    real R[9], theta[3];
} angle_side;

static inline void find_end(const int n_q, const double *x, const joint_side *side, angle_side *to)
{
    frame(3, x, side, to->R);
    if (n_q > 0)
        angles(n_q, x, side->q, (const real *)side->theta, to->theta);
}

static inline void add_dot(const real *a, const real *b, real *sum)
{
    *sum += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c and s in the axes of p's body: y = R_p^T R_q q */
static inline void cosine_and_sine(const int n_p, const int n_q, const angle_side *on_p, const angle_side *on_q,
                                   const joint_angle *one, real *c, real *s)
{
    real p[2][3], q[3], inertial[3], y[3], minus[3];

    *c = *s = (real){0.0};
    for (int i = 0; i < 2; i++)
        turned(n_p, on_p->theta, (const real *)one->p[i], p[i]);
    for (int i = 0; i < (one->single ? 1 : 2); i++) {
        turned(n_q, on_q->theta, (const real *)one->q[i], q);
        rot_apply(3, on_q->R, q, inertial);
        rot_apply_transposed(3, on_p->R, inertial, y);
        negate(3, y, minus);
        add_dot(p[i], y, c);
        add_dot(p[1 - i], i == 0 ? y : minus, s);
    }
}

/* `angle` = x + target is in a quarter of a turn; the angle atan2(s, c) is near it while it is within a right angle of
 * the middle of that quarter, (+-1, +-1). It never was elsewhere since `angle` was unwrapped, so that is right:
 * angles so near to the same middle are less than pi apart. Where c and s are next to nothing only their rounding
 * would be seen. Adds all bits where it is not near. */
static inline void add_gone(const real *angle, const real *c, const real *s, word *all)
{
    static const double PER_QUARTER = 0.63661977236758134308, WHOLE = 6755399441055744.0, LEAST = 1e-12;
    const real quarter = *angle * PER_QUARTER - 0.5 + WHOLE; /* the last bits count quarters: 3 2^51 */
    const word k = (word)quarter, flip_c = ((k + 1) & 2) << 62, flip_s = (k & 2) << 62;
    const real along = (real)((word)*c ^ flip_c) + (real)((word)*s ^ flip_s);

    *all |= ~((word)(along > 0.0) & (word)(*c * *c + *s * *s > LEAST));
}

/* Bits of the lanes in which an angle at the end of the interval is undefined or more than 90 degrees from the middle
 * of the quadrant of its value in x1. */
static inline unsigned gone_in(const int n_a, const int n_b, const joint_batch *batch, const double *x1)
{
    angle_side a, b;
    word all = {0};
    unsigned bits = 0;

    find_end(n_a, x1, &batch->side[0], &a);
    find_end(n_b, x1, &batch->side[1], &b);
    for (int k = 0; k < batch->n_angles; k++) {
        const joint_angle *one = &batch->angle[k];
        real angle, c, s;
        if (one->on == 0)
            cosine_and_sine(n_a, n_b, &a, &b, one, &c, &s);
        else
            cosine_and_sine(n_b, n_a, &b, &a, one, &c, &s);
        fetch(x1, batch->angle_at, k, 1, &angle);
        angle += *(const real *)one->target;
        add_gone(&angle, &c, &s, &all);
    }
    for (int l = 0; l < SIMD_WIDTH; l++)
        bits |= (unsigned)(all[l] & 1) << l;
    return bits;
}

#endif
