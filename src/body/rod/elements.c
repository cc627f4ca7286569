/* Contributions of the elements of a rod to its equations: the kernel between the frames of neighbouring nodes.
 *
 * A motion of two nodes is a motion of the element, (d, w_a, w_b)' = T nu with the mean frames,
 *
 *     d' = R_b v_b - R_a v_a ,   w_a = R_a omega_a ,   w_b = R_b omega_b ,
 *
 * and the covectors on it act on the nodes by T^T: the power is the same. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { NODE = 6, PAIR = 12, MOVES = 9 };

/* ---- poses ---- */
static inline void frame_of(const int dim, const double *x, double *R)
{
    phx_attitude_rotation(dim, x + dim, R);
}

static inline one_rod_pose elements_pose_of(const int dim, const phx_rod *rod, int e, const double *x)
{
    const double *a = x + rod->frames[e].x, *b = x + rod->frames[e + 1].x;
    one_rod_pose pose;

    frame_of(dim, a, pose.Da);
    frame_of(dim, b, pose.Db);
    for (int i = 0; i < dim; i++)
        pose.d[i] = b[i] - a[i];
    return pose;
}

/* res of the two nodes += T^T moves */
static inline void elements_apply(const int dim, const phx_rod *rod, int e, const one_rod_pose *mean,
                                  const double *moves, double *res)
{
    const int r = dim + phx_rotations(dim);
    double *a = res + rod->frames[e].v, *b = res + rod->frames[e + 1].v, out[PAIR];

    one_element_efforts(dim, mean, moves, out);
    for (int i = 0; i < r; i++) {
        a[i] += out[i];
        b[i] += out[r + i];
    }
}

/* ---- an element at hand ---- */
typedef one_element_state element_state;

/* dsigma and what the tangent needs: `second` */
static inline void elements_evaluate(const int dim, const phx_rod *rod, int e, const double *x0, const double *x1,
                                     const double *xm, bool second, element_state *at)
{
    const one_rod_pose start = elements_pose_of(dim, rod, e, x0);

    at->end = elements_pose_of(dim, rod, e, x1);
    at->mean = elements_pose_of(dim, rod, e, xm);
    one_rod_bilinear(dim, &start, at->span.b0);
    one_element_evaluate(dim, &rod->table, &rod->elements[e], second, at);
}

/* sigma += damping C rate */
static inline void add_damping(const int dim, const phx_rod *rod, int e, const double *rate, double *sigma)
{
    one_element_add_damping(dim, &rod->elements[e], rod->damping, rate, sigma);
}

/* moves = C^T E^T sigma */
static inline void pull(const int dim, const element_state *at, const double *sigma, double *moves)
{
    one_element_pull(dim, at, sigma, moves);
}

/* ---- instants ---- */
/* (d, w_a, w_b)' */
static inline void move_rates(const int dim, const phx_rod *rod, int e, const one_rod_pose *pose, const double *v,
                              double *rate)
{
    const double *a = v + rod->frames[e].v, *b = v + rod->frames[e + 1].v;
    double va[3], vb[3];

    phx_rot_apply(dim, pose->Da, a, va);
    phx_rot_apply(dim, pose->Db, b, vb);
    for (int i = 0; i < dim; i++)
        rate[i] = vb[i] - va[i];
    if (dim == 2) {
        rate[2] = a[2];
        rate[3] = b[2];
    } else {
        phx_rot_apply(3, pose->Da, a + 3, rate + 3);
        phx_rot_apply(3, pose->Db, b + 3, rate + 6);
    }
}

/* Strain rates at an instant: row i is the covector of the unit stress i. */
static inline void strain_rates(const int dim, const phx_rod *rod, int e, const element_state *at, const double *moves,
                                double *rate)
{
    for (int i = 0; i < one_rod_strains(dim); i++) {
        double unit[6] = {0}, row[MOVES];
        unit[i] = 1.0;
        pull(dim, at, unit, row);
        rate[i] = 0.0;
        for (int m = 0; m < one_rod_moves(dim); m++)
            rate[i] += row[m] * moves[m] / rod->elements[e].length;
    }
}

/* Adds the elastic and damping forces of all elements at the instant x to res. */
static inline void add_forces(const int dim, const phx_rod *rod, const double *x, const double *v, double *res)
{
    for (int e = 0; e < rod->n; e++) {
        element_state at;
        double moves[MOVES], rate[6];
        elements_evaluate(dim, rod, e, x, x, x, false, &at);
        if (rod->damping > 0.0) {
            move_rates(dim, rod, e, &at.mean, v, moves);
            strain_rates(dim, rod, e, &at, moves, rate);
            add_damping(dim, rod, e, rate, at.sigma);
        }
        pull(dim, &at, at.sigma, moves);
        elements_apply(dim, rod, e, &at.mean, moves, res);
    }
}

void phx_rod_add_forces(const phx_rod *rod, const double *x, const double *v, double *res)
{
    if (rod->base.dim == 2)
        add_forces(2, rod, x, v, res);
    else
        add_forces(3, rod, x, v, res);
}

/* Elastic energy of a rod at x, J. */
double phx_rod_elastic(const phx_body *body, const double *x)
{
    const phx_rod *rod = phx_rod_of(body);
    double sum = 0.0;

    for (int e = 0; e < rod->n; e++) {
        const one_rod_pose pose = elements_pose_of(body->dim, rod, e, x);
        one_rod_interval interval_of;
        double strain[6], energy;
        one_rod_evaluate(body->dim, &rod->table, &pose, &pose, false, &interval_of);
        one_rod_strain(body->dim, &rod->elements[e], interval_of.measure1, strain);
        one_rod_energy(body->dim, &rod->elements[e], strain, &energy);
        sum += energy;
    }
    return sum;
}

/* ---- intervals ---- */
static inline void strain_change(const int dim, const element_state *at, double h, double *rate)
{
    for (int i = 0; i < one_rod_strains(dim); i++)
        rate[i] = (at->e1[i] - at->e0[i]) / h;
}

static inline void add_interval_forces(const int dim, const phx_rod *rod, const phx_body_view *view, double *res)
{
    for (int e = 0; e < rod->n; e++) {
        element_state at;
        double moves[MOVES];
        elements_evaluate(dim, rod, e, view->x0, view->x1, view->xm, false, &at);
        one_element_damp(dim, &rod->elements[e], rod->damping, view->h, false, &at);
        pull(dim, &at, at.sigma, moves);
        elements_apply(dim, rod, e, &at.mean, moves, res);
    }
}

void phx_rod_add_interval_forces(const phx_rod *rod, const phx_body_view *view, double *res)
{
    if (rod->base.dim == 2)
        add_interval_forces(2, rod, view, res);
    else
        add_interval_forces(3, rod, view, res);
}

/* damping l e' C e', the mean of an interval by its change of strain */
double phx_rod_interval_dissipation(const phx_body *body, const phx_body_view *view)
{
    const phx_rod *rod = phx_rod_of(body);
    const int dim = body->dim;
    double sum = 0.0;

    for (int e = 0; e < rod->n && rod->damping > 0.0; e++) {
        element_state at;
        double rate[6], moves[MOVES], stress[6] = {0};
        elements_evaluate(dim, rod, e, view->x0, view->x1, view->xm, false, &at);
        if (view->x0 == view->x1) {
            move_rates(dim, rod, e, &at.mean, view->vm, moves);
            strain_rates(dim, rod, e, &at, moves, rate);
        } else {
            strain_change(dim, &at, view->h, rate);
        }
        add_damping(dim, rod, e, rate, stress);
        for (int i = 0; i < one_rod_strains(dim); i++)
            sum += rod->elements[e].length * rate[i] * stress[i];
    }
    return sum;
}

/* ---- tangents ---- */
typedef one_node_variation node_variation;

static inline node_variation variation_of(const int dim, double h, const double *Rm, const double *R1, const double *vm)
{
    node_variation node = {{0}, {0}, {0}};

    one_node_vary(dim, h, Rm, R1, vm, &node);
    return node;
}

/* Z, moves x variations of the two nodes: (d, phi_a, phi_b) = Z (xi_a, xi_b). */
static inline void move_variations(const int dim, const node_variation *a, const node_variation *b, double *Z)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = 2 * r;

    memset(Z, 0, (size_t)(one_rod_moves(dim) * n) * sizeof *Z);
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            Z[n * i + j] = -a->v[dim * i + j];
            Z[n * i + r + j] = b->v[dim * i + j];
        }
        for (int j = 0; j < n_rot; j++) {
            Z[n * i + dim + j] = -a->w[n_rot * i + j];
            Z[n * i + r + dim + j] = b->w[n_rot * i + j];
        }
    }
    for (int i = 0; i < n_rot; i++)
        for (int j = 0; j < n_rot; j++) {
            Z[n * (dim + i) + dim + j] = a->phi[n_rot * i + j];
            Z[n * (dim + n_rot + i) + r + dim + j] = b->phi[n_rot * i + j];
        }
}

static inline void elements_put(const int dim, const phx_rod *rod, int e, double factor, const double *A, double *K)
{
    const int r = dim + phx_rotations(dim), n = 2 * r;

    for (int i = 0; i < n; i++) {
        double *row = K + phx_rod_entry(rod, r * e + i, e, 0);
        for (int j = 0; j < n; j++)
            row[j] += factor * A[n * i + j];
    }
}

static inline void elements_multiply(int m, int k, int n, const double *X, const double *Y, double *Z)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int l = 0; l < k; l++)
                sum += X[k * i + l] * Y[n * l + j];
            Z[n * i + j] = sum;
        }
}

/* Derivative of the moves C^T E^T sigma by the variations of the nodes, W. */
static inline void moves_tangent(const int dim, const phx_rod *rod, int e, const element_state *at, const double *Z,
                                 double *W)
{
    const int moves = one_rod_moves(dim), n = 2 * (dim + phx_rotations(dim));
    double K[MOVES * MOVES];

    one_rod_tangent(dim, &rod->elements[e], &at->span, &at->mean, &at->end, at->sigma, at->dsigma, K);
    elements_multiply(moves, moves, n, K, Z, W);
}

static inline void add_interval_tangents(const int dim, const phx_rod *rod, const phx_body_view *view, double *A)
{
    for (int e = 0; e < rod->n; e++) {
        const one_rod_element *element = &rod->elements[e];
        element_state at;
        double block[PAIR * PAIR];
        elements_evaluate(dim, rod, e, view->x0, view->x1, view->xm, true, &at);
        one_element_damp(dim, element, rod->damping, view->h, true, &at);
        one_element_interval_tangent(dim, view->h, element, &at, view->vm + rod->frames[e].v,
                                     view->vm + rod->frames[e + 1].v, block);
        elements_put(dim, rod, e, 1.0, block, A);
    }
}

void phx_rod_add_interval_tangents(const phx_rod *rod, const phx_body_view *view, double *A)
{
    if (rod->base.dim == 2)
        add_interval_tangents(2, rod, view, A);
    else
        add_interval_tangents(3, rod, view, A);
}

/* ---- tangents at an instant: both ends of the interval move, and it is symmetric in them ---- */
/* Derivative by the variations of the strain rates at fixed nu: of the covectors on the rates of the moves, and of
 * these, d(R v) = phi x R v. strains x variations. */
static inline void rate_tangent(const int dim, const phx_rod *rod, int e, const element_state *at, const double *v,
                                const double *Z, double *slope)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = 2 * r, moves = one_rod_moves(dim);
    double rate[MOVES], change[MOVES * PAIR] = {0};

    move_rates(dim, rod, e, &at->mean, v, rate);
    for (int side = 0; side < 2; side++) { /* columns of xi_w: phi = R e_c */
        const double *R = side ? at->mean.Db : at->mean.Da, *nu = v + rod->frames[e + side].v;
        double velocity[3], omega[3] = {0}, way[3], turned[3];
        phx_rot_apply(dim, R, nu, velocity);
        if (dim == 3)
            phx_rot_apply(3, R, nu + 3, omega);
        for (int c = 0; c < n_rot; c++) {
            double phi[3] = {1.0};
            for (int k = 0; k < 3 && dim == 3; k++)
                phi[k] = R[3 * k + c];
            phx_rot_x_vec(dim, phi, velocity, way);
            phx_rot_x_rot(dim, phi, omega, turned);
            for (int a = 0; a < dim; a++)
                change[n * a + side * r + dim + c] = side ? way[a] : -way[a];
            for (int k = 0; k < n_rot; k++)
                change[n * (dim + side * n_rot + k) + side * r + dim + c] = turned[k];
        }
    }
    for (int i = 0; i < one_rod_strains(dim); i++) {
        double unit[6] = {0}, row[MOVES], G[MOVES * MOVES], left[MOVES];
        unit[i] = 1.0;
        pull(dim, at, unit, row);
        one_rod_tangent(dim, &rod->elements[e], &at->span, &at->mean, &at->end, unit, NULL, G);
        for (int m = 0; m < moves; m++) {
            left[m] = 0.0;
            for (int l = 0; l < moves; l++)
                left[m] += 2.0 * rate[l] * G[moves * l + m];
        }
        for (int c = 0; c < n; c++) {
            double sum = 0.0;
            for (int m = 0; m < moves; m++)
                sum += left[m] * Z[n * m + c] + row[m] * change[n * m + c];
            slope[n * i + c] = sum / rod->elements[e].length;
        }
    }
}

/* W += C^T E^T damping C slope, slope: derivatives of the strain rates */
static inline void add_damping_tangent(const int dim, const phx_rod *rod, int e, const element_state *at, double factor,
                                       const double *slope, double *W)
{
    const int n = 2 * (dim + phx_rotations(dim));

    for (int c = 0; c < n; c++) {
        double rate[6], stress[6] = {0}, moves[MOVES];
        for (int i = 0; i < one_rod_strains(dim); i++)
            rate[i] = slope[n * i + c];
        add_damping(dim, rod, e, rate, stress);
        pull(dim, at, stress, moves);
        for (int m = 0; m < one_rod_moves(dim); m++)
            W[n * m + c] += factor * moves[m];
    }
}

/* Adds the derivatives of the elements' forces at an instant: K by the configuration, geometric part included, and D by
 * the velocities (damping only); either may be NULL. */
static inline void add_tangents(const int dim, const phx_rod *rod, const double *x, const double *v, double *K,
                                double *D)
{
    const int n = 2 * (dim + phx_rotations(dim)), moves = one_rod_moves(dim);

    for (int e = 0; e < rod->n; e++) {
        element_state at;
        double on[MOVES], rate[6], Z[MOVES * PAIR], W[MOVES * PAIR], block[PAIR * PAIR], slope[6 * PAIR];
        elements_evaluate(dim, rod, e, x, x, x, true, &at);
        const node_variation a = variation_of(dim, 0.0, at.mean.Da, at.mean.Da, v + rod->frames[e].v),
                             b = variation_of(dim, 0.0, at.mean.Db, at.mean.Db, v + rod->frames[e + 1].v);
        move_variations(dim, &a, &b, Z);
        if (rod->damping > 0.0) {
            move_rates(dim, rod, e, &at.mean, v, on);
            strain_rates(dim, rod, e, &at, on, rate);
            add_damping(dim, rod, e, rate, at.sigma);
        }
        if (K) {
            pull(dim, &at, at.sigma, on);
            moves_tangent(dim, rod, e, &at, Z, W);
            if (rod->damping > 0.0) {
                rate_tangent(dim, rod, e, &at, v, Z, slope);
                add_damping_tangent(dim, rod, e, &at, 0.5, slope, W);
            }
            one_element_nodes(dim, &at, on, &a, &b, W, block);
            elements_put(dim, rod, e, 2.0, block, K);
        }
        if (D && rod->damping > 0.0) {
            const double still[MOVES] = {0};
            for (int i = 0; i < one_rod_strains(dim); i++) {
                double unit[6] = {0}, row[MOVES];
                unit[i] = 1.0;
                pull(dim, &at, unit, row);
                elements_multiply(1, moves, n, row, Z, slope + n * i);
                for (int c = 0; c < n; c++)
                    slope[n * i + c] /= rod->elements[e].length;
            }
            memset(W, 0, sizeof W);
            add_damping_tangent(dim, rod, e, &at, 1.0, slope, W);
            one_element_nodes(dim, &at, still, &a, &b, W, block);
            elements_put(dim, rod, e, 1.0, block, D);
        }
    }
}

void phx_rod_add_tangents(const phx_rod *rod, const double *x, const double *v, double *K, double *D)
{
    if (rod->base.dim == 2)
        add_tangents(2, rod, x, v, K, D);
    else
        add_tangents(3, rod, x, v, K, D);
}

/* ---- mixed tangents ---- */
static inline void add_mixed(const int dim, const phx_rod *rod, const double *x, const double *sigma, double *K)
{
    const double still[PAIR] = {0};
    const int n = one_rod_strains(dim);

    for (int e = 0; e < rod->n; e++, sigma += n) {
        element_state at;
        double on[MOVES], Z[MOVES * PAIR], W[MOVES * PAIR], block[PAIR * PAIR];
        elements_evaluate(dim, rod, e, x, x, x, true, &at);
        const node_variation a = variation_of(dim, 0.0, at.mean.Da, at.mean.Da, still),
                             b = variation_of(dim, 0.0, at.mean.Db, at.mean.Db, still);
        move_variations(dim, &a, &b, Z);
        memcpy(at.sigma, sigma, (size_t)n * sizeof *sigma);
        pull(dim, &at, at.sigma, on);
        moves_tangent(dim, rod, e, &at, Z, W);
        one_element_nodes(dim, &at, on, &a, &b, W, block);
        elements_put(dim, rod, e, 2.0, block, K);
    }
}

void phx_rod_add_mixed_tangents(const phx_rod *rod, const double *x, const double *sigma, double *K)
{
    if (rod->base.dim == 2)
        add_mixed(2, rod, x, sigma, K);
    else
        add_mixed(3, rod, x, sigma, K);
}

/* sigma + d sigma de, de = E C Z xi/l */
void phx_rod_free_stress(const phx_body *body, const double *x, const double *xi, double *sigma)
{
    const phx_rod *rod = phx_rod_of(body);
    const int dim = body->dim, n = one_rod_strains(dim);

    for (int e = 0; e < rod->n; e++, sigma += n) {
        element_state at;
        double moves[MOVES], change[6];
        elements_evaluate(dim, rod, e, x, x, x, true, &at);
        memcpy(sigma, at.sigma, (size_t)n * sizeof *sigma);
        if (!xi)
            continue;
        move_rates(dim, rod, e, &at.mean, xi, moves);
        strain_rates(dim, rod, e, &at, moves, change);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                sigma[i] += 2.0 * at.dsigma[n * i + j] * change[j];
    }
}

/* ---- resultants at the nodes ---- */
/* Of an element at its two nodes, (N, M) in the axes there, which its forces and torques balance exactly:
 *     N_a = R_a^T f ,  M_a = -R_a^T t_a ,   N_b = R_b^T f ,  M_b = R_b^T t_b . */
static inline void resultants(const int dim, const one_rod_pose *pose, const double *moves, double *at_a, double *at_b)
{
    const int n_rot = phx_rotations(dim);

    phx_rot_apply_transposed(dim, pose->Da, moves, at_a);
    phx_rot_apply_transposed(dim, pose->Db, moves, at_b);
    if (dim == 2) {
        at_a[2] = moves[2];
        at_b[2] = moves[3];
    } else {
        phx_rot_apply_transposed(3, pose->Da, moves + 3, at_a + 3);
        phx_rot_apply_transposed(3, pose->Db, moves + 6, at_b + 3);
    }
    for (int k = 0; k < n_rot; k++)
        at_a[dim + k] = -at_a[dim + k];
}

/* Inside the mean of both sides. */
static inline double share(const phx_rod *rod, int node)
{
    return node == 0 || node == rod->n ? 1.0 : 0.5;
}

/* Forces and moments at the nodes in their axes, n_rigid each: at an inner node the weighted mean of both adjacent
 * elements. */
void phx_rod_stress(const phx_body *body, const double *x, double *sigma)
{
    const phx_rod *rod = phx_rod_of(body);
    const int dim = body->dim, r = body->n_rigid;

    memset(sigma, 0, (size_t)body->n_stress * sizeof *sigma);
    for (int e = 0; e < rod->n; e++) {
        element_state at;
        double moves[MOVES], side[2][NODE];
        elements_evaluate(dim, rod, e, x, x, x, false, &at);
        pull(dim, &at, at.sigma, moves);
        resultants(dim, &at.mean, moves, side[0], side[1]);
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < r; i++)
                sigma[r * (e + s) + i] += share(rod, e + s) * side[s][i];
    }
}

/* d(row . sigma)/d xi: the resultants are -T^T moves at the first node, T^T moves at the second, but for the sign of
 * the force at the first. */
void phx_rod_stress_derivative(const phx_body *body, const double *x, const double *row, double *out)
{
    const phx_rod *rod = phx_rod_of(body);
    const int dim = body->dim, r = body->n_rigid, n = 2 * r;
    const double still[PAIR] = {0};

    for (int e = 0; e < rod->n; e++) {
        element_state at;
        double moves[MOVES], Z[MOVES * PAIR], W[MOVES * PAIR], block[PAIR * PAIR];
        elements_evaluate(dim, rod, e, x, x, x, true, &at);
        const node_variation a = variation_of(dim, 0.0, at.mean.Da, at.mean.Da, still),
                             b = variation_of(dim, 0.0, at.mean.Db, at.mean.Db, still);
        move_variations(dim, &a, &b, Z);
        pull(dim, &at, at.sigma, moves);
        moves_tangent(dim, rod, e, &at, Z, W);
        one_element_nodes(dim, &at, moves, &a, &b, W, block);
        for (int i = 0; i < n; i++) {
            const double weight = 2.0 * (i < r ? -1.0 : 1.0) * share(rod, e + i / r) * row[r * e + i];
            for (int j = 0; j < n; j++)
                out[r * e + j] += weight * block[n * i + j];
        }
    }
}
