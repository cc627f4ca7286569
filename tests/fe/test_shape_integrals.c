/* Shape integrals of phx_flex against a direct quadrature of the deformed beam as a cloud of particles. */
#include "support.h"
#include "fe/fe.h"

enum { MAX_PARTICLES = 64, MAX_COORDINATES = 64 };

/* A particle: mass and rotary inertia at a point of the beam, deformed and moving. */
typedef struct mass_point {
    double mass, inertia[9]; /* 3x3; in the plane about z only */
    double across[2];        /* of a section: about y and z, turned by the twist */
    double r[3];             /* x + u */
    double u_dot[3], theta_dot[3], twist;
} mass_point;

/* Masses that the tests put on the beam: at an end, inside an element, at a node. */
static void add_masses(phx_beam_def *def, phx_beam_mass masses[3])
{
    const double at[3] = {0.0, 0.37, 1.0};
    for (int k = 0; k < 3; k++) {
        masses[k] = (phx_beam_mass){.at = at[k], .mass = 0.2 + 0.1 * k};
        if (def->dim == 2) {
            masses[k].inertia[0] = 0.03 + 0.02 * k;
        } else {
            const double inertia[9] = {0.05, 0.01, -0.004, 0.01, 0.04, 0.006, -0.004, 0.006, 0.03 + 0.01 * k};
            memcpy(masses[k].inertia, inertia, sizeof inertia);
        }
    }
    def->masses = masses;
    def->n_masses = 3;
}

static void add_particle(phx_context *context, const phx_beam *beam, double s, const double *q, const double *q_dot,
                         mass_point *particle)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    phx_flex_point point;
    double u[3], theta[3];
    CHECK_STATUS(context, phx_beam_point(beam, context, s, &point), PHX_OK);
    point_motion(flex, &point, q, u, theta);
    point_motion(flex, &point, q_dot, particle->u_dot, particle->theta_dot);
    for (int a = 0; a < 3; a++)
        particle->r[a] = point.x[a] + u[a];
    particle->twist = theta[0];
    if (flex->dim == 2) { /* rotations about z */
        particle->theta_dot[2] = particle->theta_dot[0];
        particle->theta_dot[0] = 0.0;
    }
    phx_flex_point_free(&point);
}

/* The beam as particles at Gauss points (10 per element) and its point masses. */
static int make_particles(phx_context *context, const phx_beam_def *def, const phx_beam *beam, const double *q,
                          const double *q_dot, mass_point *list)
{
    int count = 0;
    const double h = def->length / def->elements;
    for (int e = 0; e < def->elements; e++) {
        for (int g = 0; g < QUADRATURE_POINTS; g++) {
            mass_point *particle = &list[count++];
            memset(particle, 0, sizeof *particle);
            particle->mass = def->mass_per_length * h * quadrature_weight[g];
            if (def->dim == 3)
                particle->inertia[0] = def->polar_inertia * h * quadrature_weight[g];
            for (int k = 0; k < 2; k++)
                particle->across[k] = def->section_inertia[k] * h * quadrature_weight[g];
            add_particle(context, beam, (e + quadrature_point[g]) / def->elements, q, q_dot, particle);
        }
    }
    for (int k = 0; k < def->n_masses; k++) {
        mass_point *particle = &list[count++];
        memset(particle, 0, sizeof *particle);
        particle->mass = def->masses[k].mass;
        if (def->dim == 2)
            particle->inertia[8] = def->masses[k].inertia[0];
        else
            memcpy(particle->inertia, def->masses[k].inertia, sizeof particle->inertia);
        add_particle(context, beam, def->masses[k].at, q, q_dot, particle);
    }
    return count;
}

static void cross(const double a[3], const double b[3], double y[3])
{
    y[0] = a[1] * b[2] - a[2] * b[1];
    y[1] = a[2] * b[0] - a[0] * b[2];
    y[2] = a[0] * b[1] - a[1] * b[0];
}

/* mass, s(q), J(q) and the products S q_dot, L(q) q_dot, q_dot M_qq q_dot of the particles */
typedef struct moments {
    double mass, s[3], J[9], linear[3], angular[3], twice_kinetic;
} moments;

static moments sum_particles(int count, const mass_point *list)
{
    moments sums = {0};
    for (int k = 0; k < count; k++) {
        const mass_point *p = &list[k];
        const double r2 = p->r[0] * p->r[0] + p->r[1] * p->r[1] + p->r[2] * p->r[2];
        double moment[3];
        /* R_x(twist) diag(Iy, Iz) R_x^T to second order */
        const double change = (p->across[1] - p->across[0]) * p->twist;
        sums.J[4] += p->across[0] + change * p->twist;
        sums.J[8] += p->across[1] - change * p->twist;
        sums.J[5] -= change;
        sums.J[7] -= change;
        cross(p->r, p->u_dot, moment);
        sums.mass += p->mass;
        for (int a = 0; a < 3; a++) {
            sums.s[a] += p->mass * p->r[a];
            sums.linear[a] += p->mass * p->u_dot[a];
            sums.angular[a] += p->mass * moment[a];
            sums.twice_kinetic += p->mass * p->u_dot[a] * p->u_dot[a];
            for (int b = 0; b < 3; b++) {
                sums.J[3 * a + b] += p->mass * ((a == b ? r2 : 0.0) - p->r[a] * p->r[b]) + p->inertia[3 * a + b];
                sums.angular[a] += p->inertia[3 * a + b] * p->theta_dot[b];
                sums.twice_kinetic += p->theta_dot[a] * p->inertia[3 * a + b] * p->theta_dot[b];
            }
        }
    }
    return sums;
}

static const int pairs[PHX_MAX_PAIR][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static void check_sums(const phx_flex *flex, const moments *want, const double *q, const double *q_dot,
                       const char *name)
{
    const double tol = 2e-14;
    CHECK_CLOSE(flex->mass, want->mass, tol, "%s: mass", name);
    for (int a = 0; a < flex->dim; a++) {
        double s = flex->s0[a], linear = 0.0;
        for (int i = 0; i < flex->n; i++) {
            s += flex->S[a * flex->n + i] * q[i];
            linear += flex->S[a * flex->n + i] * q_dot[i];
        }
        CHECK_CLOSE(s, want->s[a], tol, "%s: first moment %d", name, a);
        CHECK_CLOSE(linear, want->linear[a], tol, "%s: S q_dot, component %d", name, a);
    }
    for (int p = 0; p < flex->n_pair; p++) {
        const int a = flex->dim == 2 ? 2 : pairs[p][0], b = flex->dim == 2 ? 2 : pairs[p][1];
        double J = flex->J0[p] + 0.5 * flex_form(flex, flex->Q[p], q, q);
        for (int i = 0; i < flex->n; i++)
            J += flex->j[p * flex->n + i] * q[i];
        CHECK_CLOSE(J, want->J[3 * a + b], tol, "%s: inertia %d%d", name, a + 1, b + 1);
    }
    for (int k = 0; k < flex->n_rot; k++) {
        const int axis = flex->dim == 2 ? 2 : k;
        double angular = flex_form(flex, flex->A[k], q, q_dot);
        for (int i = 0; i < flex->n; i++)
            angular += flex->C[k * flex->n + i] * q_dot[i];
        CHECK_CLOSE(angular, want->angular[axis], tol, "%s: L q_dot about axis %d", name, axis + 1);
    }
    CHECK_CLOSE(flex_form(flex, flex->M, q_dot, q_dot), want->twice_kinetic, tol, "%s: q_dot M q_dot", name);
}

static void check_beam(phx_context *context, const phx_beam_def *def, const char *name)
{
    static mass_point list[MAX_PARTICLES];
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    double q[MAX_COORDINATES], q_dot[MAX_COORDINATES];
    uint64_t seed = 7;
    assert_true(flex->n <= MAX_COORDINATES);
    for (int trial = 0; trial < 5; trial++) {
        random_vector(&seed, flex->n, 0.4, q);
        random_vector(&seed, flex->n, 0.4, q_dot);
        const int count = make_particles(context, def, beam, q, q_dot, list);
        const moments want = sum_particles(count, list);
        check_sums(flex, &want, q, q_dot, name);
    }
    phx_flex_source_destroy(beam);
}

/* Every dimension, order, reference and element kind, with and without point masses and, in space, section inertia. */
static void test_against_particles(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        for (int order = 3; order <= 5; order += 2) {
            for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
                for (int masses = 0; masses < dim; masses++) {
                    phx_beam_mass mass[3];
                    phx_beam_def def = test_def(dim, order, (phx_reference)reference, 3);
                    char name[96];
                    if (masses)
                        add_masses(&def, mass);
                    for (int k = 0; k < 2 && masses == 2; k++)
                        def.section_inertia[k] = (k ? 0.9 : 0.1) * def.polar_inertia;
                    snprintf(name, sizeof name, "dimension %d, order %d, %s%s%s", dim, order,
                             reference_name(def.reference), masses ? ", point masses" : "",
                             masses == 2 ? ", section inertia" : "");
                    check_beam(*state, &def, name);
                    if (order == 3) {
                        def.element = PHX_ELEMENT_PAPER;
                        strcat(name, ", paper");
                        check_beam(*state, &def, name);
                    }
                    if (dim == 3) {
                        def.element = PHX_ELEMENT_MIXED;
                        def.torsion_stiffness = INFINITY;
                        strcat(name, ", no twist");
                        check_beam(*state, &def, name);
                    }
                }
            }
        }
    }
}

/* The mean axes: S = 0 and C = 0, seen through the points of the beam, masses and section inertia included. */
static void test_mean_axes(void **state)
{
    static mass_point list[MAX_PARTICLES];
    for (int dim = 2; dim <= 3; dim++) {
        phx_beam_mass mass[3];
        phx_beam_def def = test_def(dim, 3, PHX_REFERENCE_FREE, 4);
        add_masses(&def, mass);
        phx_beam *beam = test_beam(*state, &def);
        const phx_flex *flex = phx_flex_source_flex(beam);
        double q[MAX_COORDINATES], at_rest[MAX_COORDINATES] = {0};
        uint64_t seed = 11;
        random_vector(&seed, flex->n, 1.0, q);
        /* the particles at rest moving with q: int rho u and int rho x cross u + I theta */
        const int count = make_particles(*state, &def, beam, at_rest, q, list);
        const moments sums = sum_particles(count, list);
        for (int a = 0; a < 3; a++) {
            CHECK_CLOSE(sums.linear[a], 0.0, 1e-14, "dimension %d: int rho u, component %d", dim, a);
            CHECK_CLOSE(sums.angular[a], 0.0, 1e-14, "dimension %d: int rho x cross u, component %d", dim, a);
        }
        for (int i = 0; i < dim * flex->n; i++)
            assert_true(flex->S[i] == 0.0);
        for (int i = 0; i < flex->n_rot * flex->n; i++)
            assert_true(flex->C[i] == 0.0);
        phx_flex_source_destroy(beam);
    }
}

/* One structurally symmetric pattern with the diagonal, ascending; M, Q, K symmetric, A antisymmetric, bit for bit. */
static void check_pattern(const phx_flex *flex, const char *name)
{
    for (int i = 0; i < flex->n; i++) {
        bool diagonal = false;
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
            const int j = flex->idx[e];
            int mirror = -1;
            diagonal = diagonal || j == i;
            assert_true(e == flex->ptr[i] || flex->idx[e - 1] < j);
            for (int k = flex->ptr[j]; k < flex->ptr[j + 1]; k++)
                if (flex->idx[k] == i)
                    mirror = k;
            assert_true(mirror >= 0);
            CHECK_CLOSE(flex->M[e], flex->M[mirror], 0.0, "%s: M(%d,%d)", name, i, j);
            CHECK_CLOSE(flex->K[e], flex->K[mirror], 0.0, "%s: K(%d,%d)", name, i, j);
            for (int k = 0; k < flex->n_rot; k++)
                CHECK_CLOSE(flex->A[k][e], -flex->A[k][mirror], 0.0, "%s: A%d(%d,%d)", name, k, i, j);
            for (int p = 0; p < flex->n_pair; p++)
                CHECK_CLOSE(flex->Q[p][e], flex->Q[p][mirror], 0.0, "%s: Q%d(%d,%d)", name, p, i, j);
        }
        assert_true(diagonal);
    }
}

static void test_symmetry(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
            phx_beam_mass mass[3];
            phx_beam_def def = test_def(dim, 3, (phx_reference)reference, 5);
            add_masses(&def, mass);
            phx_beam *beam = test_beam(*state, &def);
            const bool dense = reference == PHX_REFERENCE_FREE;
            check_pattern(phx_flex_source_flex(beam), reference_name(def.reference));
            const int n = phx_flex_source_flex(beam)->n, entries = phx_flex_source_flex(beam)->ptr[n];
            assert_true(dense ? entries == n * n : entries < n * n);
            phx_flex_source_destroy(beam);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_against_particles, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_mean_axes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_symmetry, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("fe shape integrals", tests, NULL, NULL);
}
