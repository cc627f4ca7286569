/* Rigid motions T c = (R_f^T (a + b x r_f), R_f^T b) of all frames f, c = (a, b), the momenta T^T p conjugate to them,
 * and how both change with the configuration: with z = R^T (a + b x r), y = R^T b,
 *
 *     dz = z x theta + y x rho ,   dy = y x theta ,                                    theory 19 (10)
 *     d(p^T T c) = theta . (p_t x z + p_r x y) + rho . (p_t x y) .                                       */
#include "variation.h"

#include <string.h>

/* z and y of a frame at x. */
static void frame_motion(int dim, int per, const double *x, const double *c, double *z, double *y)
{
    double R[9], moved[3], turn[3] = {0.0};

    phx_attitude_rotation(dim, x + dim, R);
    for (int k = dim; k < per; k++)
        turn[k - dim] = c[k];
    phx_rot_x_vec(dim, turn, x, moved);
    for (int a = 0; a < dim; a++)
        moved[a] += c[a];
    phx_rot_apply_transposed(dim, R, moved, z);
    if (dim == 2)
        y[0] = turn[0];
    else
        phx_rot_apply_transposed(3, R, turn, y);
}

/* (z, y) of every frame. */
void phx_var_rigid_velocities(const phx_system *system, const component_slot *component, const double *x, int per,
                              double alpha, const double *c, double *v)
{
    const int dim = system->dim;
    double z[3], y[3];

    for (int i = 0; i < component->count; i++) {
        const body_slot *slot = phx_var_member(system, component, i);
        const phx_body_frame *frames;
        const int n = phx_body_frames(slot->body, &frames);
        for (int f = 0; f < n; f++) {
            double *to = v + slot->v + frames[f].v;
            frame_motion(dim, per, x + slot->x + frames[f].x, c, z, y);
            for (int a = 0; a < dim; a++)
                to[a] += alpha * z[a];
            for (int k = 0; k < system->n_rot; k++)
                to[dim + k] += alpha * y[k];
        }
    }
}

/* sum += (R p_t, R p_r + r x R p_t) of a frame at x. */
static void add_momenta(int dim, int per, const double *x, const double *p, double *sum)
{
    double R[9], linear[3], angular[3], moment[3];

    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply(dim, R, p, linear);
    if (dim == 2)
        angular[0] = p[2];
    else
        phx_rot_apply(3, R, p + 3, angular);
    phx_vec_x_vec(dim, x, linear, moment);
    for (int a = 0; a < dim; a++)
        sum[a] += linear[a];
    for (int k = dim; k < per; k++)
        sum[k] += angular[k - dim] + moment[k - dim];
}

void phx_var_rigid_momenta(const phx_system *system, const component_slot *component, const double *x, int per,
                           const double *p, double *sum)
{
    for (int i = 0; i < component->count; i++) {
        const body_slot *slot = phx_var_member(system, component, i);
        const phx_body_frame *frames;
        const int n = phx_body_frames(slot->body, &frames);
        for (int f = 0; f < n; f++)
            add_momenta(system->dim, per, x + slot->x + frames[f].x, p + slot->v + frames[f].v, sum);
    }
}

/* (10), the last line, of every frame. */
void phx_var_rigid_slope(const phx_system *system, const component_slot *component, const double *x, int per,
                         double alpha, const double *p, const double *c, double *a)
{
    const int dim = system->dim;
    double z[3], y[3], by_place[3], turned[3], spun[3];

    for (int i = 0; i < component->count; i++) {
        const body_slot *slot = phx_var_member(system, component, i);
        const phx_body_frame *frames;
        const int n = phx_body_frames(slot->body, &frames);
        for (int f = 0; f < n; f++) {
            const double *own = p + slot->v + frames[f].v;
            double *to = a + slot->v + frames[f].v;
            frame_motion(dim, per, x + slot->x + frames[f].x, c, z, y);
            phx_vec_x_rot(dim, own, y, by_place);
            phx_vec_x_vec(dim, own, z, turned);
            phx_rot_x_rot(dim, own + dim, y, spun);
            for (int k = 0; k < dim; k++)
                to[k] += alpha * by_place[k];
            for (int k = 0; k < system->n_rot; k++)
                to[dim + k] += alpha * (turned[k] + spun[k]);
        }
    }
}

/* sum += d(R p_t, R p_r + r x R p_t) of a frame at x that moves by xi. */
static void change_momenta(int dim, int per, const double *x, const double *xi, const double *p, double *sum)
{
    const double *theta = xi + dim;
    double R[9], turned[6] = {0.0}, moved[3], linear[3], moment[3];

    phx_rot_x_vec(dim, theta, p, turned);
    phx_rot_x_rot(dim, theta, p + dim, turned + dim);
    add_momenta(dim, per, x, turned, sum); /* R (theta x p_t), R (theta x p_r) + r x R (theta x p_t) */
    phx_attitude_rotation(dim, x + dim, R);
    phx_rot_apply(dim, R, xi, moved);
    phx_rot_apply(dim, R, p, linear);
    phx_vec_x_vec(dim, moved, linear, moment);
    for (int k = dim; k < per; k++)
        sum[k] += moment[k - dim];
}

/* (10), the first line, of every frame; and its transpose. */
void phx_var_rigid_change(const phx_system *system, const component_slot *component, const double *x, int per,
                          const double *xi, double alpha, const double *c, double *v, const double *p, double *sum)
{
    const int dim = system->dim;
    double z[3], y[3], turned[3], moved[3], spun[3];

    for (int i = 0; i < component->count; i++) {
        const body_slot *slot = phx_var_member(system, component, i);
        const phx_body_frame *frames;
        const int n = phx_body_frames(slot->body, &frames);
        for (int f = 0; f < n; f++) {
            const int at = slot->v + frames[f].v;
            const double *frame = x + slot->x + frames[f].x, *own = xi + at;
            if (p)
                change_momenta(dim, per, frame, own, p + at, sum);
            if (!c)
                continue;
            frame_motion(dim, per, frame, c, z, y);
            phx_vec_x_rot(dim, z, own + dim, turned);
            phx_rot_x_vec(dim, y, own, moved);
            phx_rot_x_rot(dim, y, own + dim, spun);
            for (int k = 0; k < dim; k++)
                v[at + k] += alpha * (turned[k] + moved[k]);
            for (int k = 0; k < system->n_rot; k++)
                v[at + dim + k] += alpha * spun[k];
        }
    }
}
