/* Private to this room: the path of equilibria over the load factor s, by arc length (Riks): the residual is
 * f(x, lambda) + s p(x), and its tangent (xi_s, 1) solves the same matrix as corrections do,
 *
 *   | K  -G^T | | xi_s |     | p |
 *   | G   0   | | ..   | = - | 0 | .
 *
 * From a step along it, Newton's corrections xi_r + ds xi_s stay in the plane across, n . W xi + w n_s ds = 0, also
 * where K is singular: at limit points, where s turns, and beyond them.
 *
 * A step in which K gains negative eigenvalues has passed critical points, where K is singular: limit points, and
 * bifurcations, where s goes on and a branch begins. critical.c finds them. */
#ifndef PHX_EQUILIBRIUM_PATH_H
#define PHX_EQUILIBRIUM_PATH_H

#include "statics.h"

/* A point of the path and the step that leads on from it. */
typedef struct path_point {
    double *x, *lambda;
    double *way;           /* n: the step, of the frames and multipliers */
    double load, way_load; /* s; the part of the step that is s */
    int negative;          /* directions in which K is negative */
} path_point;

typedef struct path {
    statics s;
    path_point at, last; /* where it is; before its last step, with that step */
    double *along;       /* n: xi_s and the multipliers' rates */
    double *first;       /* n, scratch */
    double w;            /* weighs s against W */
    int free;            /* motions without stiffness where it begins */
    double stride, longest;
    double load_step; /* of s, at most, with the longest stride */
} path;

/* Where K is singular. */
typedef struct critical_point {
    double load;
    bool limit; /* the load factor turns; else a branch begins */
} critical_point;

/* ---- path.c ---- */
/* A path from x, with the loads as they are set; at.x and at.lambda are its own. */
phx_status phx_path_create(phx_dae *dae, double t, const double *x, double longest, double load_step, path *p);
void phx_path_destroy(path *p);
void phx_path_set_load_step(path *p, double load_step);
/* Begins a path: the equilibrium under `load` times the loads, near at.x or lower in energy, and its free motions. */
phx_status phx_path_begin(path *p, double load, phx_static_report *report);
/* Number of negative eigenvalues of the tangent stiffness at p->at, and the largest force out of balance there. */
phx_status phx_path_look(path *p, double *unbalanced);
/* The step on along the tangent: by sign, 0: as the last step went. */
phx_status phx_path_choose(path *p, double sign);
/* xi (n_v), as long as a stride, as the step. */
void phx_path_choose_mode(path *p, const double *xi);
/* That step, halved until corrections converge. */
phx_status phx_path_step(path *p);
/* The equilibrium at `part` of the last step from `last`: s.x_try, s.lambda_try, and its load. */
phx_status phx_path_between(path *p, double part, double *load);
/* xi_s at the configuration, into `along`; its matrix with K + sigma W is factored. */
phx_status phx_path_tangent(path *p, const double *x, const double *lambda, double load, double sigma);

/* ---- critical.c ---- */
/* The critical points that the last step has passed by the number of negative directions, in their order along it, at
 * most `count`; modes (count x n_v) as K is singular. `found`: how many. at and last stay. */
phx_status phx_path_critical(path *p, int count, critical_point *points, double *modes, int *found);

#endif
