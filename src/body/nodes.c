/* Rigid bodies at the frames of a body of several. */
#include "nodes.h"

#include <string.h>

enum { LARGEST = 6 }; /* velocities of a rigid body */

/* ---- inertia ---- */
void phx_nodes_momenta(const phx_body *body, const double *x, const double *v, double *p)
{
    for (int f = 0; f < body->n_frames; f++) {
        const phx_body_frame at = body->frames[f];
        phx_body_momenta(body->nodes[f], x + at.x, v + at.v, p + at.v);
    }
}

/* The dense matrix of frame f into the pattern; its rows may begin with frames that it meets. */
static void put_node(const phx_body *body, int f, const double *own, const int *at, double *val)
{
    const int v = body->frames[f].v, r = body->n_rigid;

    for (int i = 0; i < r; i++) {
        int to = body->ptr[v + i];
        while (body->idx[to] < v)
            to++;
        for (int j = 0; j < r; j++, to++)
            val[at ? at[to] : to] = own[r * i + j];
    }
}

void phx_nodes_put_mass(const phx_body *body, const double *x, const int *at, double *val)
{
    double own[LARGEST * LARGEST];

    for (int f = 0; f < body->n_frames; f++) {
        phx_body_mass_matrix(body->nodes[f], x + body->frames[f].x, own);
        put_node(body, f, own, at, val);
    }
}

void phx_nodes_mass_matrix(const phx_body *body, const double *x, double *mass)
{
    const size_t n = (size_t)body->n_v, r = (size_t)body->n_rigid;
    double own[LARGEST * LARGEST];

    memset(mass, 0, n * n * sizeof *mass);
    for (int f = 0; f < body->n_frames; f++) {
        const size_t v = (size_t)body->frames[f].v;
        phx_body_mass_matrix(body->nodes[f], x + body->frames[f].x, own);
        for (size_t i = 0; i < r; i++)
            memcpy(mass + (v + i) * n + v, own + r * i, r * sizeof *own);
    }
}

void phx_nodes_moment(const phx_body *body, const double *x, double *moment)
{
    double own[3];

    memset(moment, 0, (size_t)body->dim * sizeof *moment);
    for (int f = 0; f < body->n_frames; f++) {
        phx_body_moment(body->nodes[f], x + body->frames[f].x, own);
        for (int a = 0; a < body->dim; a++)
            moment[a] += own[a];
    }
}

/* About the inertial origin. */
void phx_nodes_inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear,
                                 double *angular)
{
    double l[3], a[3];

    memset(linear, 0, (size_t)body->dim * sizeof *linear);
    memset(angular, 0, (size_t)body->n_rot * sizeof *angular);
    for (int f = 0; f < body->n_frames; f++) {
        phx_body_inertial_momentum(body->nodes[f], x + body->frames[f].x, v + body->frames[f].v, l, a);
        for (int i = 0; i < body->dim; i++)
            linear[i] += l[i];
        for (int i = 0; i < body->n_rot; i++)
            angular[i] += a[i];
    }
}

double phx_nodes_kinetic(const phx_body *body, const double *x, const double *v)
{
    double sum = 0.0;

    for (int f = 0; f < body->n_frames; f++)
        sum += phx_body_kinetic(body->nodes[f], x + body->frames[f].x, v + body->frames[f].v);
    return sum;
}

double phx_nodes_kinetic_undeformed(const phx_body *body, const double *v)
{
    double sum = 0.0;

    for (int f = 0; f < body->n_frames; f++)
        sum += phx_body_kinetic_undeformed(body->nodes[f], v + body->frames[f].v);
    return sum;
}

double phx_nodes_dissipation(const phx_body *body, const double *v)
{
    (void)body;
    (void)v;
    return 0.0;
}

/* ---- equations ---- */
void phx_nodes_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                        const double *v_dot, double *res)
{
    for (int f = 0; f < body->n_frames; f++) {
        const phx_body_frame at = body->frames[f];
        phx_body_residual(body->nodes[f], gravity, x + at.x, v + at.v, v_dot + at.v, res + at.v);
    }
}

/* M, D and K of each node as a rigid body. */
void phx_nodes_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                         double *D, double *K)
{
    const double still[LARGEST] = {0.0};
    double own[3][LARGEST * LARGEST], *const all[3] = {M, D, K};

    for (int m = 0; m < 3; m++)
        if (all[m])
            memset(all[m], 0, (size_t)body->ptr[body->n_v] * sizeof *all[m]);
    for (int f = 0; f < body->n_frames; f++) {
        const phx_body_frame at = body->frames[f];
        phx_body_linearise(body->nodes[f], gravity, x + at.x, v ? v + at.v : still, own[0], own[1], own[2]);
        for (int m = 0; m < 3; m++)
            if (all[m])
                put_node(body, f, own[m], NULL, all[m]);
    }
}

/* ---- an interval ---- */
static phx_body_view node_view(const phx_body *body, int f, const phx_body_view *all, phx_products *products)
{
    const phx_body_frame at = body->frames[f];
    return (phx_body_view){.h = all->h,
                           .x0 = all->x0 + at.x,
                           .x1 = all->x1 + at.x,
                           .xm = all->xm + at.x,
                           .v0 = all->v0 + at.v,
                           .v1 = all->v1 + at.v,
                           .vm = all->vm + at.v,
                           .products = products};
}

size_t phx_nodes_room(const phx_body *body)
{
    return body->n_frames > 0 ? phx_body_room(body->nodes[0]) : 1;
}

bool phx_nodes_products_create(phx_context *context, const phx_body *body, double *room, phx_products **of)
{
    for (int f = 0; f < body->n_frames; f++) {
        of[f] = phx_body_products_create(context, body->nodes[f], room);
        for (int made = f; !of[f] && made > 0; made--)
            phx_body_products_destroy(body->nodes[made - 1], of[made - 1]);
        if (!of[f])
            return false;
    }
    return true;
}

void phx_nodes_products_destroy(const phx_body *body, phx_products *const *of)
{
    for (int f = 0; f < body->n_frames; f++)
        phx_body_products_destroy(body->nodes[f], of[f]);
}

void phx_nodes_products_share(const phx_body *body, phx_products *const *of, double *room)
{
    for (int f = 0; f < body->n_frames; f++)
        phx_body_products_share(body->nodes[f], of[f], room);
}

void phx_nodes_interval_begin(const phx_body *body, double h, const double *x0, const double *v0,
                              phx_products *const *of)
{
    for (int f = 0; f < body->n_frames; f++)
        phx_body_interval_begin(body->nodes[f], h, x0 + body->frames[f].x, v0 + body->frames[f].v, of[f]);
}

void phx_nodes_interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view,
                                 phx_products *const *of, double *res)
{
    for (int f = 0; f < body->n_frames; f++) {
        const phx_body_view own = node_view(body, f, view, of[f]);
        phx_body_interval_residual(body->nodes[f], gravity, &own, res + body->frames[f].v);
    }
}

/* The residual of each comes before its derivative: their scratch is shared. */
void phx_nodes_interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view,
                                  phx_products *const *of, double *room, double *A)
{
    double own[LARGEST * LARGEST], again[LARGEST];

    memset(A, 0, (size_t)body->ptr[body->n_v] * sizeof *A);
    for (int f = 0; f < body->n_frames; f++) {
        const phx_body_view at = node_view(body, f, view, of[f]);
        phx_body_interval_residual(body->nodes[f], gravity, &at, again);
        phx_body_interval_linearise(body->nodes[f], gravity, &at, room, own);
        put_node(body, f, own, NULL, A);
    }
}

void phx_nodes_interval_finish(const phx_body *body, double h, const double *v0, double *v1)
{
    for (int f = 0; f < body->n_frames; f++)
        phx_body_interval_finish(body->nodes[f], h, v0 + body->frames[f].v, v1 + body->frames[f].v);
}

bool phx_nodes_averages(const phx_body *body, int f, double *arm)
{
    return f < body->n_frames && body->nodes[f]->ops->averages(body->nodes[f], 0, arm);
}
