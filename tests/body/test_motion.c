/* Equations of motion against Lagrange's, T - V of a cloud of particles differentiated numerically.
 *
 * With the body's velocity (v, w, q_dot) the equations of Lagrange and Poincare are
 *   d/dt T_v + w x T_v = -R^T V_r,   d/dt T_w + w x T_w + v x T_v = -V_phi,   d/dt T_q_dot - T_q = -V_q,
 * T_v = dT/dv and so on. T comes from particles and section inertias at Gauss points of the shapes, the elastic energy
 * from the curvatures and strains of those shapes: none of the body's or the beam's integrals is used. T and V are
 * polynomials but for the rotation in V, so difference quotients of order four are exact to rounding with large steps.
 */
#include "support.h"

enum { GAUSS = 10, MAX_POINTS = 2 * GAUSS + 2, STATES = 12 };

/* 10-point Gauss rule on [0,1]: half of it, the rest by symmetry. */
static const double gauss_root[GAUSS / 2] = {0.1488743389816312108848260, 0.4333953941292471907992659,
                                             0.6794095682990244062343274, 0.8650633666889845107320967,
                                             0.9739065285171717200779640};
static const double gauss_weight[GAUSS / 2] = {0.2955242247147528701738930, 0.2692667193099963550912269,
                                               0.2190863625159820439955349, 0.1494513491505805931457763,
                                               0.0666713443086881375935688};

/* Displacement and section rotation of a point as dense rows over q. */
typedef struct shapes {
    double x[3], phi[3][MAX_V], theta[3][MAX_V];
} shapes;

/* A piece of the beam: mass, rotary inertia (3x3, in the plane [0]), and for the elastic energy the weight along the
 * beam, the axial strain and the curvatures as rows over q. A point mass has no weight. */
typedef struct piece {
    double mass, inertia[9], weight;
    int element;
    shapes at;
    double stretch[MAX_V], bend[3][MAX_V]; /* derivatives of ux and of theta along the beam */
} piece;

typedef struct cloud {
    const subject *it;
    int n;
    piece pieces[MAX_POINTS];
} cloud;

static void read_shapes(phx_context *context, const subject *it, double s, shapes *at)
{
    phx_flex_point point;
    memset(at, 0, sizeof *at);
    CHECK_STATUS(context, phx_beam_point(it->beam, context, s, &point), PHX_OK);
    memcpy(at->x, point.x, sizeof at->x);
    for (int i = 0; i < point.n; i++) {
        for (int a = 0; a < it->dim; a++)
            at->phi[a][point.dof[i]] = point.phi[a * point.n + i];
        for (int k = 0; k < it->n_rot; k++)
            at->theta[k][point.dof[i]] = point.theta[k * point.n + i];
    }
    phx_flex_point_free(&point);
}

/* Derivatives along the beam by differences of order four inside the element: exact for the shapes. */
static void read_strains(phx_context *context, const subject *it, double s, double step, piece *at)
{
    const double factor = 1.0 / (12.0 * step * it->beam_def.length);
    const int side[4] = {-2, -1, 1, 2};
    const double weight[4] = {1.0, -8.0, 8.0, -1.0};

    for (int k = 0; k < 4; k++) {
        shapes near;
        read_shapes(context, it, s + side[k] * step, &near);
        for (int i = 0; i < it->n_q; i++) {
            at->stretch[i] += factor * weight[k] * near.phi[0][i];
            for (int j = 0; j < it->n_rot; j++)
                at->bend[j][i] += factor * weight[k] * near.theta[j][i];
        }
    }
}

static void cloud_from_beam(phx_context *context, cloud *it)
{
    const phx_beam_def *def = &it->it->beam_def;
    const double h = 1.0 / def->elements;

    for (int e = 0; e < def->elements; e++) {
        for (int g = 0; g < GAUSS; g++) {
            piece *p = &it->pieces[it->n++];
            const double side = g % 2 ? 1.0 : -1.0, xi = 0.5 + 0.5 * side * gauss_root[g / 2], s = h * (e + xi);
            p->element = e;
            p->weight = 0.5 * gauss_weight[g / 2] * h * def->length;
            p->mass = def->mass_per_length * p->weight;
            p->inertia[0] = def->dim == 3 ? def->polar_inertia * p->weight : 0.0;
            read_shapes(context, it->it, s, &p->at);
            read_strains(context, it->it, s, 0.45 * h * fmin(xi, 1.0 - xi), p);
        }
    }
    for (int k = 0; k < def->n_masses; k++) {
        piece *p = &it->pieces[it->n++];
        p->mass = def->masses[k].mass;
        memcpy(p->inertia, def->masses[k].inertia, sizeof p->inertia);
        read_shapes(context, it->it, def->masses[k].at, &p->at);
    }
}

/* A rigid body: its mass and inertia at the centre of mass. */
static void cloud_from_rigid(cloud *it)
{
    const phx_rigid_def *def = &it->it->rigid_def;
    piece *p = &it->pieces[it->n++];
    p->mass = def->mass;
    memcpy(p->inertia, def->inertia, sizeof p->inertia);
    memcpy(p->at.x, def->centre, sizeof p->at.x);
}

/* Place in body axes. */
static void place(const subject *it, const piece *p, const double *q, double *y)
{
    for (int a = 0; a < it->dim; a++)
        y[a] = p->at.x[a] + dot_product(it->n_q, p->at.phi[a], q);
}

/* T = sum 1/2 m |v + w x y + y_dot|^2 + 1/2 (w + theta_dot)^T I (w + theta_dot) */
static double kinetic(const cloud *it, const double *q, const double *v)
{
    const subject *body = it->it;
    const double *q_dot = v + body->n_rigid;
    double energy = 0.0;

    for (int k = 0; k < it->n; k++) {
        const piece *p = &it->pieces[k];
        double y[3], u[3], spin[3];
        place(body, p, q, y);
        phx_rot_x_vec(body->dim, v + body->dim, y, u);
        for (int a = 0; a < body->dim; a++)
            u[a] += v[a] + dot_product(body->n_q, p->at.phi[a], q_dot);
        for (int a = 0; a < body->n_rot; a++)
            spin[a] = v[body->dim + a] + dot_product(body->n_q, p->at.theta[a], q_dot);
        energy += 0.5 * p->mass * dot_product(body->dim, u, u);
        for (int a = 0; a < body->n_rot; a++)
            energy += 0.5 * spin[a] * dot_product(body->n_rot, p->inertia + body->n_rot * a, spin);
    }
    return energy;
}

/* Of strains in a basis, beside 1/2 q^T K q: 1/2 (lin q + quad)^2 - 1/2 (lin q)^2. */
static double strains_in_basis(const phx_flex_stiffening *st, const double *q)
{
    double energy = 0.0;

    for (int k = 0; k < st->n_strain; k++) {
        double lin = 0.0, quad = 0.0;
        for (int e = st->lin.ptr[k]; e < st->lin.ptr[k + 1]; e++)
            lin += st->lin.val[e] * q[st->lin.idx[e]];
        for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++)
            quad += 0.5 * st->weight[p] * q[st->first[p]] * q[st->second[p]];
        energy += 0.5 * (lin + quad) * (lin + quad) - 0.5 * lin * lin;
    }
    return energy;
}

/* 1/2 int EA eps^2 + EI kappa^2 + GJ twist'^2; with stiffening eps is the mean over the element of ux' + 1/2 |slope|^2
 */
static double elastic(const cloud *it, const double *q)
{
    const subject *body = it->it;
    const phx_beam_def *def = &body->beam_def;
    const int first = body->dim == 2 ? 0 : 1, n = body->n_q; /* rotations that bend */
    double energy = 0.0, strain[2] = {0};

    for (int k = 0; k < it->n; k++) {
        const piece *p = &it->pieces[k];
        strain[p->element] += p->weight * dot_product(n, p->stretch, q);
        for (int j = 0; j < body->n_rot && p->weight > 0.0; j++) {
            const double bend = dot_product(n, p->bend[j], q), slope = dot_product(n, p->at.theta[j], q);
            const double stiffness = j < first        ? def->torsion_stiffness
                                     : body->dim == 2 ? def->bending_stiffness[0]
                                                      : def->bending_stiffness[j - 1];
            energy += 0.5 * p->weight * stiffness * bend * bend;
            if (def->stiffening && j >= first)
                strain[p->element] += 0.5 * p->weight * slope * slope;
        }
    }
    for (int e = 0; e < def->elements && body->beam; e++)
        energy += 0.5 * def->axial_stiffness * strain[e] * strain[e] * def->elements / def->length;
    const phx_flex_stiffening *st = phx_body_flex(body->body)->stiffening;
    return energy + (st && st->in_basis && !def->stiffening ? strains_in_basis(st, q) : 0.0);
}

static double potential(const cloud *it, const double *x)
{
    const subject *body = it->it;
    double R[9], y[3], at[3], energy = 0.0;

    phx_attitude_rotation(body->dim, x + body->dim, R);
    for (int k = 0; k < it->n; k++) {
        place(body, &it->pieces[k], x + at_q(body), y);
        phx_rot_apply(body->dim, R, y, at);
        for (int a = 0; a < body->dim; a++)
            energy -= it->pieces[k].mass * test_gravity[a] * (x[a] + at[a]);
    }
    return energy + (body->beam ? elastic(it, x + at_q(body)) : 0.0);
}

static const int stencil_side[4] = {-2, -1, 1, 2};
static const double stencil_weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};

/* dT/d nu: T is quadratic in nu, so a central difference of unit step is exact. */
static void momenta(const cloud *it, const double *q, const double *v, double *p)
{
    double v1[MAX_V];
    memcpy(v1, v, (size_t)it->it->n_v * sizeof *v);
    for (int i = 0; i < it->it->n_v; i++) {
        v1[i] = v[i] + 1.0;
        p[i] = 0.5 * kinetic(it, q, v1);
        v1[i] = v[i] - 1.0;
        p[i] -= 0.5 * kinetic(it, q, v1);
        v1[i] = v[i];
    }
}

/* d/dt dT/d nu along q + t q_dot, nu + t nu_dot: cubic in t. */
static void momenta_rate(const cloud *it, const double *q, const double *v, const double *v_dot, double *rate)
{
    const subject *body = it->it;
    const double step = 0.25;
    double q1[MAX_V], v1[MAX_V], p[MAX_V];

    memset(rate, 0, (size_t)body->n_v * sizeof *rate);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < body->n_v; i++)
            v1[i] = v[i] + step * stencil_side[k] * v_dot[i];
        for (int i = 0; i < body->n_q; i++)
            q1[i] = q[i] + step * stencil_side[k] * v[body->n_rigid + i];
        momenta(it, q1, v1, p);
        for (int i = 0; i < body->n_v; i++)
            rate[i] += stencil_weight[k] / step * p[i];
    }
}

/* res = left minus right of the equations above; the step of dV is extrapolated once for the rotation. */
static void lagrange_residual(const cloud *it, const double *x, const double *v, const double *v_dot, double *res)
{
    const subject *body = it->it;
    const int dim = body->dim, r = body->n_rigid;
    const double *q = x + at_q(body);
    double p[MAX_V], a[3], b[3], c[3], x1[MAX_X], xi[MAX_V] = {0}, q1[MAX_V];

    momenta(it, q, v, p);
    momenta_rate(it, q, v, v_dot, res);
    phx_rot_x_vec(dim, v + dim, p, a);
    phx_rot_x_rot(dim, v + dim, p + dim, b);
    phx_vec_x_vec(dim, v, p, c);
    for (int i = 0; i < dim; i++)
        res[i] += a[i];
    for (int k = 0; k < body->n_rot; k++)
        res[dim + k] += b[k] + c[k];
    memcpy(q1, q, (size_t)body->n_q * sizeof *q);
    for (int i = 0; i < body->n_q; i++) { /* T is quadratic in q */
        q1[i] = q[i] + 1.0;
        res[r + i] -= 0.5 * kinetic(it, q1, v);
        q1[i] = q[i] - 1.0;
        res[r + i] += 0.5 * kinetic(it, q1, v);
        q1[i] = q[i];
    }
    for (int i = 0; i < body->n_v; i++) {
        double slope[2] = {0};
        xi[i] = 1.0;
        for (int n = 0; n < 2; n++) {
            const double step = n ? 0.01 : 0.02;
            for (int k = 0; k < 4; k++) {
                displaced(body, x, step * stencil_side[k], xi, x1);
                slope[n] += stencil_weight[k] / step * potential(it, x1);
            }
        }
        xi[i] = 0.0;
        res[i] += slope[1] + (slope[1] - slope[0]) / 15.0;
    }
}

static void check_states(const cloud *it, uint64_t *seed)
{
    const subject *body = it->it;
    for (int n = 0; n < STATES; n++) {
        double x[MAX_X], v[MAX_V], v_dot[MAX_V], got[MAX_V], want[MAX_V], p[MAX_V];
        random_configuration(seed, body, x);
        random_velocity(seed, body, v);
        random_vector(seed, body->n_v, 2.0, v_dot);
        const double T = kinetic(it, x + at_q(body), v), V = potential(it, x);
        CHECK_CLOSE(phx_body_kinetic(body->body, x, v), T, 1e-13 * fmax(1.0, T), "%s: T", body->name);
        CHECK_CLOSE(phx_body_potential(body->body, test_gravity, x) + phx_body_elastic(body->body, x), V,
                    1e-12 * fmax(1.0, fabs(V)), "%s: V", body->name);
        momenta(it, x + at_q(body), v, want);
        phx_body_momenta(body->body, x, v, p);
        CHECK_VECTOR(body->n_v, p, want, 1e-12, "%s, state %d: momenta", body->name, n);
        phx_body_residual(body->body, test_gravity, x, v, v_dot, got);
        lagrange_residual(it, x, v, v_dot, want);
        CHECK_VECTOR(body->n_v, got, want, 1e-10, "%s, state %d: equations of motion", body->name, n);
    }
}

/* Every kind without friction, which is no part of T - V. */
static void test_lagrange(void **state)
{
    uint64_t seed = 11;
    for (int k = 0; k < n_body_kinds; k++) {
        body_kind kind = body_kinds[k];
        subject it;
        cloud particles = {.it = &it};
        if (kind.kinetics != PHX_KINETICS_FULL || kind.element != PHX_ELEMENT_MIXED)
            continue;
        kind.damping_mass = kind.damping_stiffness = kind.damping_modal = 0.0;
        subject_create(*state, &kind, &it);
        if (it.beam)
            cloud_from_beam(*state, &particles);
        else
            cloud_from_rigid(&particles);
        check_states(&particles, &seed);
        subject_destroy(&it);
    }
}

/* A free top of inertia (1, 2, 3) turns about its middle axis and flips: w(60 s) from an independent integration. */
static void test_top(void **state)
{
    const double want[3] = {-1.980034, -0.29910759, 1.14608532}, h = 0.001, none[3] = {0};
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    phx_rigid_def rigid = {.mass = 1.0, .inertia = {1, 0, 0, 0, 2, 0, 0, 0, 3}};
    phx_body_def def = phx_body_def_default();
    phx_body *body;
    double v[6] = {0, 0, 0, 0.1, 2.0, 0.1}, stage[6], k[5][6] = {{0}}, inertia[3] = {1, 2, 3};

    def.dim = 3;
    def.rigid = &rigid;
    CHECK_STATUS(*state, phx_body_create(*state, &def, &body), PHX_OK);
    for (int n = 0; n < 60000; n++) {
        for (int s = 0; s < 4; s++) { /* classical Runge-Kutta */
            const double c = s == 3 ? 1.0 : s == 0 ? 0.0 : 0.5, still[6] = {0};
            for (int i = 0; i < 6; i++)
                stage[i] = v[i] + h * c * k[s][i];
            phx_body_residual(body, none, x, stage, still, k[s + 1]);
            for (int i = 0; i < 3; i++)
                k[s + 1][3 + i] /= -inertia[i];
        }
        for (int i = 3; i < 6; i++)
            v[i] += h / 6.0 * (k[1][i] + 2.0 * k[2][i] + 2.0 * k[3][i] + k[4][i]);
    }
    CHECK_VECTOR(3, v + 3, want, 1e-8, "angular velocity at 60 s");
    phx_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lagrange), cmocka_unit_test(test_top)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
