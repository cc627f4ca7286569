/* Frequencies and deflections of uniform beams against Euler-Bernoulli theory, whatever the reference condition. */
#include "support.h"
#include "fe/source.h"

/* Degrees of freedom that an end holds, as bits. */
enum { HOLD_X = 1, HOLD_Y = 2, HOLD_TURN = 4 };

typedef struct end_case {
    const char *name;
    int at_p, at_c;
    int n_rigid;     /* rigid-body modes left */
    double roots[3]; /* beta L of beam theory */
} end_case;

/* Roots of: cos cosh = -1, sin = 0, cos cosh = 1, tan = tanh, tan = -tanh, cos = 0. */
static const end_case cases[] = {
    {"clamped-free", HOLD_X | HOLD_Y | HOLD_TURN, 0, 0, {1.8751040687119611, 4.6940911329741746, 7.8547574382376126}},
    {"pinned-pinned", HOLD_X | HOLD_Y, HOLD_Y, 0, {3.1415926535897932, 6.2831853071795865, 9.4247779607693797}},
    {"clamped-clamped",
     HOLD_X | HOLD_Y | HOLD_TURN,
     HOLD_Y | HOLD_TURN,
     0,
     {4.7300407448627040, 7.8532046240958376, 10.995607838001671}},
    {"free-free", 0, 0, 3, {4.7300407448627040, 7.8532046240958376, 10.995607838001671}},
    {"clamped-pinned",
     HOLD_X | HOLD_Y | HOLD_TURN,
     HOLD_Y,
     0,
     {3.9266023120479188, 7.0685827456287321, 10.210176122813031}},
    {"pinned-free", HOLD_X | HOLD_Y, 0, 1, {3.9266023120479188, 7.0685827456287321, 10.210176122813031}},
    {"clamped-sliding",
     HOLD_X | HOLD_Y | HOLD_TURN,
     HOLD_TURN,
     0,
     {2.3650203724313520, 5.4978039190008354, 8.6393798286997407}},
    {"sliding-free", HOLD_X | HOLD_TURN, 0, 1, {2.3650203724313520, 5.4978039190008354, 8.6393798286997407}},
    {"pinned-sliding", HOLD_X | HOLD_Y, HOLD_TURN, 0, {1.5707963267948966, 4.7123889803846899, 7.8539816339744831}},
    {"sliding-sliding", HOLD_X | HOLD_TURN, HOLD_TURN, 1, {3.1415926535897932, 6.2831853071795865, 9.4247779607693797}},
};
enum { N_CASES = sizeof cases / sizeof cases[0], MAX_ROWS = 6 };

static phx_beam_def slender(int order, phx_reference reference, int elements)
{
    phx_beam_def def = test_def(2, order, reference, elements);
    def.axial_stiffness = 3e4; /* axial modes above */
    return def;
}

/* A row of the constraints on (v, omega, q_dot): motion of component `what` of the point s vanishes. */
static void constraint_row(phx_context *context, const phx_beam *beam, double s, int what, double *row)
{
    phx_flex_point point;
    CHECK_STATUS(context, phx_beam_point(beam, context, s, &point), PHX_OK);
    for (int i = 0; i < point.n; i++)
        row[3 + point.dof[i]] = what == HOLD_TURN ? point.theta[i] : point.phi[(what == HOLD_Y ? point.n : 0) + i];
    row[0] = what == HOLD_X ? 1.0 : 0.0;
    row[1] = what == HOLD_Y ? 1.0 : 0.0;
    row[2] = what == HOLD_TURN ? 1.0 : what == HOLD_Y ? point.x[0] : 0.0;
    phx_flex_point_free(&point);
}

/* M(0) of the floating beam on (v, omega, q_dot) and K on it; n = 3 + flex->n, row-major. */
static void floating_matrices(const phx_flex *flex, double *mass, double *stiffness)
{
    const int n = 3 + flex->n;
    memset(mass, 0, (size_t)(n * n) * sizeof *mass);
    memset(stiffness, 0, (size_t)(n * n) * sizeof *stiffness);
    mass[0] = mass[n + 1] = flex->mass;
    mass[n + 2] = mass[2 * n + 1] = flex->s0[0];
    mass[2 * n + 2] = flex->J0[0];
    for (int i = 0; i < flex->n; i++) {
        for (int a = 0; a < 2; a++)
            mass[a * n + 3 + i] = mass[(3 + i) * n + a] = flex->S[a * flex->n + i];
        mass[2 * n + 3 + i] = mass[(3 + i) * n + 2] = flex->C[i];
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
            mass[(3 + i) * n + 3 + flex->idx[e]] = flex->M[e];
            stiffness[(3 + i) * n + 3 + flex->idx[e]] = flex->K[e];
        }
    }
}

/* The first three frequencies (rad/s) of a beam held at its ends; returns the largest one. */
static double frequencies(phx_context *context, const phx_beam_def *def, const end_case *ends, double omega[3])
{
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    const int n = 3 + flex->n;
    const size_t square = (size_t)n * (size_t)n;
    double *mass = phx_calloc(context, 6 * square + (size_t)(MAX_ROWS * n), sizeof *mass);
    assert_non_null(mass);
    double *stiffness = mass + square, *reduced_mass = mass + 2 * square, *reduced = mass + 3 * square;
    double *work = mass + 4 * square, *rows = mass + 6 * square, *basis = NULL;
    floating_matrices(flex, mass, stiffness);
    int n_rows = 0, rank = 0;
    for (int end = 0; end < 2; end++)
        for (int what = HOLD_X; what <= HOLD_TURN; what *= 2)
            if ((end ? ends->at_c : ends->at_p) & what)
                constraint_row(context, beam, end, what, rows + n * n_rows++);
    /* unknowns of unit mass: columns divided by the root of the diagonal */
    for (int i = 0; i < n_rows * n; i++)
        rows[i] /= sqrt(mass[(i % n) * (n + 1)]);
    CHECK_STATUS(context, phx_dense_nullspace(context, n_rows, n, rows, 1e-10, &rank, &basis), PHX_OK);
    assert_int_equal(rank, n_rows);
    const int m = n - rank;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            basis[i * m + j] /= sqrt(mass[i * (n + 1)]);
    phx_dense_multiply(false, false, n, m, n, 1.0, mass, n, basis, m, 0.0, work, m);
    phx_dense_multiply(true, false, m, m, n, 1.0, basis, m, work, m, 0.0, reduced_mass, m);
    phx_dense_multiply(false, false, n, m, n, 1.0, stiffness, n, basis, m, 0.0, work, m);
    phx_dense_multiply(true, false, m, m, n, 1.0, basis, m, work, m, 0.0, reduced, m);
    double *values = work;
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, m, reduced, reduced_mass, values, NULL), PHX_OK);
    for (int k = 0; k < ends->n_rigid; k++)
        CHECK_CLOSE(values[k], 0.0, 1e-10 * values[m - 1], "%s: rigid-body mode %d", ends->name, k);
    for (int k = 0; k < 3; k++)
        omega[k] = sqrt(values[ends->n_rigid + k]);
    const double largest = sqrt(values[m - 1]);
    phx_free(basis);
    phx_free(mass);
    phx_flex_source_destroy(beam);
    return largest;
}

static double theory(const phx_beam_def *def, double root)
{
    return root * root / (def->length * def->length) * sqrt(def->bending_stiffness[0] / def->mass_per_length);
}

/* Frequencies of both meshes lie above theory, at the rate of the element, and are the same on each reference as on the
 * first one, up to the digits that an eigenvalue solver loses: eps times the spread of the spectrum. */
static void check_convergence(phx_context *context, const end_case *ends, int order, int elements, double bound,
                              double rate, double rate_tol)
{
    double first[3] = {0};
    for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
        double coarse[3], fine[3];
        phx_beam_def def = slender(order, (phx_reference)reference, elements);
        const char *name = reference_name(def.reference);
        frequencies(context, &def, ends, coarse);
        def.elements = 2 * elements;
        const double largest = frequencies(context, &def, ends, fine);
        for (int k = 0; k < 3; k++) {
            const double exact = theory(&def, ends->roots[k]), noise = 1e-15 * pow(largest / exact, 2);
            const double before = coarse[k] / exact - 1.0, after = fine[k] / exact - 1.0;
            CHECK_CLOSE(fmin(after, 0.0), 0.0, noise, "order %d, %s on %s: mode %d from above", order, ends->name, name,
                        k + 1);
            CHECK_CLOSE(after, 0.0, bound * pow(ends->roots[k] / def.elements, rate) + noise,
                        "order %d, %s on %s: mode %d", order, ends->name, name, k + 1);
            if (after > 10 * noise)
                CHECK_CLOSE(log2(before / after), rate, rate_tol, "order %d, %s on %s: rate of mode %d", order,
                            ends->name, name, k + 1);
            else
                assert_true(k < 2); /* the third mode always shows its rate */
            if (reference == PHX_REFERENCE_CANTILEVER)
                first[k] = fine[k];
            CHECK_CLOSE(fine[k] / first[k], 1.0, noise, "order %d, %s on %s against cantilever: mode %d", order,
                        ends->name, name, k + 1);
        }
    }
}

/* Cubic: the error is (beta h)^4/1440 of the frequency. */
static void test_cubic_frequencies(void **state)
{
    for (int c = 0; c < N_CASES; c++)
        check_convergence(*state, &cases[c], 3, 12, 1.05 / 1440, 4.0, 0.1);
}

/* Quintic: order 8. */
static void test_quintic_frequencies(void **state)
{
    for (int c = 0; c < N_CASES; c++)
        check_convergence(*state, &cases[c], 5, 5, 3e-8, 8.0, 0.5);
}

/* With point masses there is no closed form; the reference condition must still not matter, whatever the ends. */
static void test_masses_on_every_reference(void **state)
{
    const phx_beam_mass masses[3] = {{.at = 0.0, .mass = 0.4, .inertia = {0.02}},
                                     {.at = 0.37, .mass = 0.3, .inertia = {0.05}},
                                     {.at = 1.0, .mass = 0.2, .inertia = {0.01}}};
    for (int c = 0; c < N_CASES; c++) {
        double first[3] = {0}, bare[3];
        for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
            double omega[3];
            phx_beam_def def = slender(3, (phx_reference)reference, 4);
            frequencies(*state, &def, &cases[c], bare);
            def.masses = masses;
            def.n_masses = 3;
            const double largest = frequencies(*state, &def, &cases[c], omega);
            for (int k = 0; k < 3; k++) {
                if (reference == PHX_REFERENCE_CANTILEVER)
                    first[k] = omega[k];
                CHECK_CLOSE(omega[k] / first[k], 1.0, 1e-15 * pow(largest / omega[k], 2),
                            "%s with masses on %s against cantilever: mode %d", cases[c].name,
                            reference_name(def.reference), k + 1);
                assert_true(omega[k] < 0.99 * bare[k]);
            }
        }
    }
}

/* Frequencies of one field alone, rows and columns [from, from+count) of q. */
static void block_frequencies(phx_context *context, const phx_flex *flex, int from, int count, double *omega)
{
    double *mass = phx_calloc(context, (size_t)(2 * count * count), sizeof *mass);
    assert_non_null(mass);
    double *stiffness = mass + count * count;
    for (int i = 0; i < count; i++) {
        for (int e = flex->ptr[from + i]; e < flex->ptr[from + i + 1]; e++) {
            const int j = flex->idx[e] - from;
            if (j < 0 || j >= count)
                continue;
            mass[i * count + j] = flex->M[e];
            stiffness[i * count + j] = flex->K[e];
        }
    }
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, count, stiffness, mass, omega, NULL), PHX_OK);
    for (int i = 0; i < count; i++)
        omega[i] = sqrt(omega[i]);
    phx_free(mass);
}

/* In space: both bending planes, stretching and twisting of a cantilever, each with its own stiffness. */
static void test_space_frequencies(void **state)
{
    enum { N = 16 };
    const phx_beam_def def = test_def(3, 3, PHX_REFERENCE_CANTILEVER, N);
    phx_beam *beam = test_beam(*state, &def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    const double l = def.length, pi = 3.14159265358979323846, beta = cases[0].roots[0] * cases[0].roots[0] / (l * l);
    double omega[2 * N];
    assert_int_equal(flex->n, 6 * N);
    block_frequencies(*state, flex, 0, N, omega);
    CHECK_CLOSE(omega[0] / (pi / (2 * l) * sqrt(def.axial_stiffness / def.mass_per_length)), 1.0,
                1.01 * pow(pi / (2 * N), 2) / 24, "stretching");
    block_frequencies(*state, flex, N, 2 * N, omega);
    CHECK_CLOSE(omega[0] / (beta * sqrt(def.bending_stiffness[1] / def.mass_per_length)), 1.0, 1e-6, "bending along y");
    block_frequencies(*state, flex, 3 * N, 2 * N, omega);
    CHECK_CLOSE(omega[0] / (beta * sqrt(def.bending_stiffness[0] / def.mass_per_length)), 1.0, 1e-6, "bending along z");
    block_frequencies(*state, flex, 5 * N, N, omega);
    CHECK_CLOSE(omega[0] / (pi / (2 * l) * sqrt(def.torsion_stiffness / def.polar_inertia)), 1.0,
                1.01 * pow(pi / (2 * N), 2) / 24, "twisting");
    phx_flex_source_destroy(beam);
}

/* q = K^-1 f, f: force (dim) and torque (n_rot) at the point s plus a uniform load along y, N/m. */
static void deflect(phx_context *context, const phx_beam *beam, double s, const double *force, const double *torque,
                    double uniform, double *q)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    phx_flex_point point;
    memset(q, 0, (size_t)flex->n * sizeof *q);
    CHECK_STATUS(context, phx_beam_point(beam, context, s, &point), PHX_OK);
    for (int i = 0; i < point.n; i++) {
        for (int a = 0; a < flex->dim; a++)
            q[point.dof[i]] += point.phi[a * point.n + i] * force[a];
        for (int k = 0; k < flex->n_rot; k++)
            q[point.dof[i]] += point.theta[k * point.n + i] * torque[k];
    }
    phx_flex_point_free(&point);
    const double *places, *weight;
    int count;
    phx_beam_quadrature(beam, &count, &places, &weight);
    for (int g = 0; g < count && uniform != 0.0; g++) {
        CHECK_STATUS(context, phx_beam_point(beam, context, places[g], &point), PHX_OK);
        for (int i = 0; i < point.n; i++)
            q[point.dof[i]] += weight[g] * uniform * point.phi[point.n + i];
        phx_flex_point_free(&point);
    }
    double *k = flex_dense(context, flex, flex->K);
    CHECK_STATUS(context, phx_dense_solve(context, flex->n, k, 1, q), PHX_OK);
    phx_free(k);
}

static void tip(phx_context *context, const phx_beam *beam, const double *q, double u[3], double theta[3])
{
    phx_flex_point point;
    CHECK_STATUS(context, phx_beam_point(beam, context, 1.0, &point), PHX_OK);
    point_motion(phx_flex_source_flex(beam), &point, q, u, theta);
    phx_flex_point_free(&point);
}

/* Cantilever under end force, end moment, end traction and uniform load: exact at the tip, the moment exact along it.
 */
static void test_cantilever_statics(void **state)
{
    for (int order = 3; order <= 5; order += 2) {
        for (int elements = 1; elements <= 5; elements += 2) {
            const phx_beam_def def = test_def(2, order, PHX_REFERENCE_CANTILEVER, elements);
            phx_beam *beam = test_beam(*state, &def);
            const phx_flex *flex = phx_flex_source_flex(beam);
            const double l = def.length, ei = def.bending_stiffness[0];
            const double force[2] = {1.7, 0.9}, torque[1] = {-0.4}, uniform = 0.6;
            double q[64], u[3], theta[3], stress[64] = {0}, row[64], none[2] = {0};
            deflect(*state, beam, 1.0, force, torque, 0.0, q);
            tip(*state, beam, q, u, theta);
            CHECK_CLOSE(u[0], force[0] * l / def.axial_stiffness, 1e-12, "%d elements, order %d: tip u", elements,
                        order);
            CHECK_CLOSE(u[1], force[1] * l * l * l / (3 * ei) + torque[0] * l * l / (2 * ei), 1e-11,
                        "%d elements, order %d: tip w", elements, order);
            CHECK_CLOSE(theta[0], force[1] * l * l / (2 * ei) + torque[0] * l / ei, 1e-11,
                        "%d elements, order %d: tip slope", elements, order);
            phx_csr_apply(&flex->stress, 1.0, q, stress);
            for (int k = 0; k <= 10; k++) {
                double moment = 0.0;
                phx_beam_stress_rows(beam, k / 10.0, NULL, row, NULL);
                for (int i = 0; i < flex->n_stress; i++)
                    moment += row[i] * stress[i];
                CHECK_CLOSE(moment, force[1] * l * (1 - k / 10.0) + torque[0], 1e-10,
                            "%d elements, order %d: moment at s = %g", elements, order, k / 10.0);
            }
            deflect(*state, beam, 1.0, none, none, uniform, q);
            tip(*state, beam, q, u, theta);
            CHECK_CLOSE(u[1], uniform * pow(l, 4) / (8 * ei), 1e-11, "%d elements, order %d: tip w, uniform load",
                        elements, order);
            CHECK_CLOSE(theta[0], uniform * pow(l, 3) / (6 * ei), 1e-11, "%d elements, order %d: slope, uniform load",
                        elements, order);
            phx_flex_source_destroy(beam);
        }
    }
}

/* In space: forces along y and z, torques about x, y and z at the tip of a cantilever. */
static void test_space_statics(void **state)
{
    const phx_beam_def def = test_def(3, 3, PHX_REFERENCE_CANTILEVER, 2);
    phx_beam *beam = test_beam(*state, &def);
    const double l = def.length, eiy = def.bending_stiffness[0], eiz = def.bending_stiffness[1];
    const double force[3] = {0.8, 1.1, -0.7}, torque[3] = {0.5, 0.3, -0.2};
    double q[12], u[3], theta[3];
    deflect(*state, beam, 1.0, force, torque, 0.0, q);
    tip(*state, beam, q, u, theta);
    /* u_y = F_y L^3/3EIz + T_z L^2/2EIz,  u_z = F_z L^3/3EIy - T_y L^2/2EIy,  theta_y = -u_z', theta_z = u_y' */
    const double want_u[3] = {force[0] * l / def.axial_stiffness,
                              force[1] * l * l * l / (3 * eiz) + torque[2] * l * l / (2 * eiz),
                              force[2] * l * l * l / (3 * eiy) - torque[1] * l * l / (2 * eiy)};
    const double want_theta[3] = {torque[0] * l / def.torsion_stiffness,
                                  -force[2] * l * l / (2 * eiy) + torque[1] * l / eiy,
                                  force[1] * l * l / (2 * eiz) + torque[2] * l / eiz};
    for (int a = 0; a < 3; a++) {
        CHECK_CLOSE(u[a], want_u[a], 1e-12, "tip displacement %d", a);
        CHECK_CLOSE(theta[a], want_theta[a], 1e-12, "tip rotation %d", a);
    }
    phx_flex_source_destroy(beam);
}

/* Simply supported under an end moment: slopes ML/3EI and -ML/6EI. */
static void test_simply_supported_statics(void **state)
{
    const phx_beam_def def = test_def(2, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 3);
    phx_beam *beam = test_beam(*state, &def);
    const double none[2] = {0}, torque[1] = {0.9}, unit = torque[0] * def.length / def.bending_stiffness[0];
    double q[64], u[3], theta[3];
    phx_flex_point point;
    deflect(*state, beam, 1.0, none, torque, 0.0, q);
    tip(*state, beam, q, u, theta);
    CHECK_CLOSE(u[1], 0.0, 0.0, "simply supported: w at C");
    CHECK_CLOSE(theta[0], unit / 3, 1e-12, "simply supported: slope at C");
    CHECK_STATUS(*state, phx_beam_point(beam, *state, 0.0, &point), PHX_OK);
    point_motion(phx_flex_source_flex(beam), &point, q, u, theta);
    CHECK_CLOSE(theta[0], -unit / 6, 1e-12, "simply supported: slope at P");
    phx_flex_point_free(&point);
    phx_flex_source_destroy(beam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cubic_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_quintic_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_masses_on_every_reference, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_space_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cantilever_statics, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_space_statics, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_simply_supported_statics, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("fe theory", tests, NULL, NULL);
}
