/* The element of a rod: against values of an independent program, its exactness over an interval, its tangent. */
#define real       double
#define SIMD_WIDTH 1
#define NAME(x)    one_##x

#include "support/testing.h"
#include "support/vectors.h"

#include "body/rod/rod_kernel.h"

enum { VECTORS = 3, SIZE = PHX_ROD_SECTION };

static phx_rod_table table;

static int setup(void **state)
{
    phx_rod_fill_table(&table);
    return context_setup(state);
}

/* ---- elements and poses ---- */
static void invert(const double *a, double *inverse)
{
    memcpy(inverse, a, SIZE * sizeof *a);
    assert_int_equal(phx_dense_inverse(NULL, 6, inverse), PHX_OK);
}

/* An element of that section: its stiffness about the state at rest. Plane: the entries N1, N2, M3. */
static one_rod_element make_element(phx_context *context, int dim, double length, const double *stiffness,
                                    const double *rest)
{
    static const int plane[3] = {0, 1, 5};
    one_rod_element it = {.length = length};
    double compliance[PHX_ROD_GAUSS * SIZE], strain[6], C[SIZE];

    for (int k = 0; k < PHX_ROD_GAUSS; k++)
        invert(stiffness, compliance + SIZE * k);
    for (int i = 0; i < 6; i++)
        strain[i] = rest[i] / length;
    CHECK_OK(context, phx_rod_element_stiffness(context, length, strain, compliance, C));
    for (int i = 0; i < 9; i++)
        it.c[i] = compliance[6 * (3 + i / 3) + 3 + i % 3];
    memcpy(it.kappa, strain + 3, sizeof it.kappa);
    for (int i = 0; i < (dim == 2 ? 3 : 6); i++) {
        it.rest[i] = rest[dim == 2 ? plane[i] : i];
        for (int j = 0; j < (dim == 2 ? 3 : 6); j++)
            it.C[(dim == 2 ? 3 : 6) * i + j] = C[6 * (dim == 2 ? plane[i] : i) + (dim == 2 ? plane[j] : j)];
    }
    return it;
}

static void section(double *stiffness)
{
    static const double diagonal[6] = {900.0, 400.0, 500.0, 3.0, 2.0, 5.0};
    uint64_t seed = 11;

    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            stiffness[6 * i + j] = stiffness[6 * j + i] = i == j ? diagonal[i] : 0.2 * random_value(&seed);
}

/* Axes of two nodes `angle` (of each component) apart, at a distance near 1 along them. */
static one_rod_pose random_pose(uint64_t *seed, int dim, double angle)
{
    one_rod_pose it = {{0}, {0}, {0}};
    double turn[3], R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

    R[dim == 2 ? 3 : 4] = 1.0;
    R[1] = 0.0;
    random_vector(seed, 3, 2.0, turn);
    phx_rot_cayley(dim, R, turn, it.Da);
    random_vector(seed, 3, angle, turn);
    phx_rot_cayley(dim, it.Da, turn, it.Db);
    for (int a = 0; a < dim; a++)
        it.d[a] = 0.5 * (it.Da[dim * a] + it.Db[dim * a]) + 0.1 * random_value(seed);
    return it;
}

/* D1 = cay(h w) D0 with w in inertial axes */
static void turn_frame(int dim, double h, const double *w, const double *D0, double *D1)
{
    double local[3], angle[3];

    if (dim == 2)
        local[0] = w[0];
    else
        phx_rot_apply_transposed(3, D0, w, local);
    for (int k = 0; k < phx_rotations(dim); k++)
        angle[k] = h * local[k];
    phx_rot_cayley(dim, D0, angle, D1);
}

static one_rod_pose moved(int dim, const one_rod_pose *from, double h, const double *move)
{
    one_rod_pose it;

    for (int a = 0; a < dim; a++)
        it.d[a] = from->d[a] + h * move[a];
    turn_frame(dim, h, move + dim, from->Da, it.Da);
    turn_frame(dim, h, move + dim + phx_rotations(dim), from->Db, it.Db);
    return it;
}

static one_rod_pose mean_of(const one_rod_pose *a, const one_rod_pose *b)
{
    one_rod_pose it;

    for (int i = 0; i < 9; i++) {
        it.Da[i] = 0.5 * (a->Da[i] + b->Da[i]);
        it.Db[i] = 0.5 * (a->Db[i] + b->Db[i]);
    }
    for (int i = 0; i < 3; i++)
        it.d[i] = 0.5 * (a->d[i] + b->d[i]);
    return it;
}

/* Efforts on (d, a, b), their power's counterpart, over an interval. */
static void efforts(int dim, const one_rod_element *element, const one_rod_pose *start, const one_rod_pose *end,
                    double *out)
{
    const one_rod_pose mean = mean_of(start, end);
    one_rod_interval it;
    double e0[6], e1[6], sigma[6], force[7];

    one_rod_evaluate(dim, &table, start, end, false, &it);
    one_rod_strain(dim, element, it.measure0, e0);
    one_rod_strain(dim, element, it.measure1, e1);
    one_rod_stress(dim, element, e0, e1, sigma, NULL);
    const one_rod_factors factors = one_rod_mean_factors(&it);
    one_rod_pull_measures(dim, &factors, sigma, force);
    one_rod_pull_moves(dim, &mean, force, out);
}

/* ---- an independent program ---- */
static void test_vectors(void **state)
{
    char *text = vectors_text("rod_element_vectors.json"), *rest_of_text = text, *object;
    int count = 0;

    for (; (object = vectors_next(&rest_of_text)); count++) {
        double stiffness[SIZE], rest[6], value[54], w[6], sigma[6], e0[6], e1[6], energy;
        one_rod_pose start, end, mean;
        one_rod_interval it;
        vectors_numbers(object, "section_stiffness", SIZE, stiffness);
        vectors_numbers(object, "reference_measure", 6, rest);
        vectors_numbers(object, "D_a0", 9, start.Da);
        vectors_numbers(object, "D_b0", 9, start.Db);
        vectors_numbers(object, "d0", 3, start.d);
        vectors_numbers(object, "d1", 3, end.d);
        vectors_numbers(object, "omega_a", 3, w);
        vectors_numbers(object, "omega_b", 3, w + 3);
        const double h = vectors_number(object, "h"), length = vectors_number(object, "length");
        one_rod_element element = make_element(*state, 3, length, stiffness, rest);
        vectors_numbers(object, "C_curved", SIZE, value);
        CHECK_VECTOR(SIZE, element.C, value, 1e-12, "corrected stiffness");

        for (int i = 0; i < 2; i++) { /* angular velocities of the program are in body axes */
            double angle[3];
            for (int k = 0; k < 3; k++)
                angle[k] = h * w[3 * i + k];
            phx_rot_cayley(3, i == 0 ? start.Da : start.Db, angle, i == 0 ? end.Da : end.Db);
        }
        mean = mean_of(&start, &end);
        one_rod_evaluate(3, &table, &start, &end, true, &it);
        vectors_numbers(object, "measure0", 6, value);
        CHECK_VECTOR(6, it.measure0, value, 1e-14, "measure at the start");
        vectors_numbers(object, "measure1", 6, value);
        CHECK_VECTOR(6, it.measure1, value, 1e-14, "measure at the end");

        vectors_numbers(object, "covector", 54, value);
        const one_rod_factors factors = one_rod_mean_factors(&it);
        for (int i = 0; i < 6; i++) {
            double unit[6] = {0}, force[7], row[9];
            unit[i] = 1.0;
            one_rod_pull_measures(3, &factors, unit, force);
            one_rod_pull_moves(3, &mean, force, row);
            CHECK_VECTOR(9, row, value + 9 * i, 1e-13, "covector %d", i);
        }
        one_rod_strain(3, &element, it.measure0, e0);
        one_rod_strain(3, &element, it.measure1, e1);
        one_rod_stress(3, &element, e0, e1, sigma, NULL);
        vectors_numbers(object, "stress_quartic", 6, value);
        CHECK_VECTOR(6, sigma, value, 1e-13, "stress of the interval");
        one_rod_energy(3, &element, e0, &energy);
        CHECK_RELATIVE(energy, vectors_number(object, "energy0_quartic"), 1e-12, "energy at the start");
        one_rod_energy(3, &element, e1, &energy);
        CHECK_RELATIVE(energy, vectors_number(object, "energy1_quartic"), 1e-12, "energy at the end");
    }
    assert_int_equal(count, VECTORS);
    test_free(text);
}

/* ---- exactness ---- */
static void test_increments(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t seed = 5;
        const int n = one_rod_strains(dim), moves = one_rod_moves(dim);
        for (int turn = 0; turn < 40; turn++) {
            const double h = 0.3;
            const one_rod_pose start = random_pose(&seed, dim, 0.7);
            double move[9];
            one_rod_interval it;
            random_vector(&seed, moves, 1.0, move);
            const one_rod_pose end = moved(dim, &start, h, move), mean = mean_of(&start, &end);
            /* the turn over the interval is about the mean axes */
            one_rod_evaluate(dim, &table, &start, &end, false, &it);
            const one_rod_factors factors = one_rod_mean_factors(&it);
            for (int i = 0; i < n; i++) {
                double unit[6] = {0}, force[7], row[9], local[3], turned[3], sum = 0.0;
                unit[i] = 1.0;
                one_rod_pull_measures(dim, &factors, unit, force);
                one_rod_pull_moves(dim, &mean, force, row);
                for (int a = 0; a < dim; a++)
                    sum += h * row[a] * move[a];
                for (int side = 0; side < 2; side++) { /* D_mean w of the axes */
                    const double *w = move + dim + side * phx_rotations(dim),
                                 *r = row + dim + side * phx_rotations(dim);
                    if (dim == 2) {
                        turned[0] = w[0];
                    } else {
                        phx_rot_apply_transposed(3, side ? start.Db : start.Da, w, local);
                        phx_rot_apply(3, side ? mean.Db : mean.Da, local, turned);
                    }
                    for (int k = 0; k < phx_rotations(dim); k++)
                        sum += h * r[k] * turned[k];
                }
                CHECK_SMALL(it.measure1[i] - it.measure0[i] - sum, 5e-15, "dim %d, increment %d", dim, i);
            }
        }
    }
    (void)state;
}

static void test_work_is_energy(void **state)
{
    double stiffness[SIZE];
    uint64_t seed = 7;

    section(stiffness);
    for (int dim = 2; dim <= 3; dim++)
        for (int turn = 0; turn < 20; turn++) {
            const double rest[6] = {0.95, 0.02, 0.01, 0.3 * random_value(&seed), 0.2, 0.4};
            const one_rod_element element = make_element(*state, dim, 1.0, stiffness, rest);
            const one_rod_pose start = random_pose(&seed, dim, 0.5), end = random_pose(&seed, dim, 0.5);
            one_rod_interval it;
            double e0[6], e1[6], sigma[6], work = 0.0, V0, V1;
            one_rod_evaluate(dim, &table, &start, &end, false, &it);
            one_rod_strain(dim, &element, it.measure0, e0);
            one_rod_strain(dim, &element, it.measure1, e1);
            one_rod_stress(dim, &element, e0, e1, sigma, NULL);
            one_rod_energy(dim, &element, e0, &V0);
            one_rod_energy(dim, &element, e1, &V1);
            for (int i = 0; i < one_rod_strains(dim); i++)
                work += sigma[i] * (it.measure1[i] - it.measure0[i]);
            CHECK_SMALL(work - (V1 - V0), 1e-13 * (fabs(V0) + fabs(V1)), "dim %d, work and energy", dim);
        }
}

static void test_rigid_motion_leaves_measures(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t seed = 9;
        const one_rod_pose start = random_pose(&seed, dim, 0.8);
        one_rod_pose end;
        one_rod_interval it;
        double R[9] = {0}, turn[3];
        for (int a = 0; a < dim; a++)
            R[(dim + 1) * a] = 1.0;
        random_vector(&seed, 3, 3.0, turn);
        phx_rot_cayley(dim, R, turn, R);
        phx_dense_multiply(false, false, dim, dim, dim, 1.0, R, dim, start.Da, dim, 0.0, end.Da, dim);
        phx_dense_multiply(false, false, dim, dim, dim, 1.0, R, dim, start.Db, dim, 0.0, end.Db, dim);
        phx_rot_apply(dim, R, start.d, end.d);
        one_rod_evaluate(dim, &table, &start, &end, false, &it);
        CHECK_VECTOR(one_rod_strains(dim), it.measure1, it.measure0, 1e-14, "dim %d", dim);
    }
    (void)state;
}

/* Frames on a helix of constant strain have that strain as their logarithm, at 110 degrees between them too. */
static void test_constant_strain_is_exact(void **state)
{
    const double K[3] = {0.8, 1.1, 1.4}, length = 1.0, angle = length * sqrt(0.64 + 1.21 + 1.96);
    one_rod_pose start = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}, {0}};
    one_rod_interval it;
    double X[9], XX[9];

    assert_true(angle > 1.9); /* 110 degrees */
    const double skew[9] = {0, -K[2], K[1], K[2], 0, -K[0], -K[1], K[0], 0};
    memcpy(X, skew, sizeof X);
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, X, 3, X, 3, 0.0, XX, 3);
    const double s = sin(angle) / angle, c = (1.0 - cos(angle)) / (angle * angle);
    const double rest = (angle - sin(angle)) / (angle * angle * angle);
    for (int i = 0; i < 9; i++)
        start.Db[i] = (i % 4 == 0) + s * X[i] + c * XX[i];
    for (int i = 0; i < 3; i++) /* integral of R e_1 */
        start.d[i] = (i == 0) + c * X[3 * i] + rest * XX[3 * i];
    one_rod_evaluate(3, &table, &start, &start, false, &it);
    CHECK_VECTOR(3, it.measure1, ((double[]){1.0, 0.0, 0.0}), 1e-14, "gamma");
    CHECK_VECTOR(3, it.measure1 + 3, K, 1e-14, "psi");
    (void)state;
}

/* ---- stiffness ---- */
/* A straight element with its first node held is the exact Timoshenko beam: also with rigid shear. */
static void test_straight_is_timoshenko(void **state)
{
    const double EA = 300.0, GA = 20.0, EI = 2.0, l = 1.5, rest[6] = {l, 0, 0, 0, 0, 0};
    const double strain[6] = {1.0, 0, 0, 0, 0, 0};

    for (int rigid = 0; rigid < 2; rigid++) {
        double compliance[PHX_ROD_GAUSS * SIZE] = {0}, C[SIZE];
        const double shear = rigid ? 0.0 : 1.0 / GA, all[6] = {1.0 / EA, shear, shear, 0.5, 1.0 / EI, 1.0 / EI};
        for (int k = 0; k < PHX_ROD_GAUSS; k++)
            for (int i = 0; i < 6; i++)
                compliance[SIZE * k + 7 * i] = all[i];
        CHECK_OK(*state, phx_rod_element_stiffness(*state, l, strain, compliance, C));
        CHECK_RELATIVE(C[0], EA, 1e-14, "axial");
        CHECK_RELATIVE(1.0 / C[7], shear + l * l / (12.0 * EI), 1e-14, "shear");
        CHECK_RELATIVE(1.0 / C[14], shear + l * l / (12.0 * EI), 1e-14, "shear");
        CHECK_RELATIVE(C[35], EI, 1e-14, "bending");
    }
    (void)rest;
}

/* ---- tangent ---- */
static void test_tangent(void **state)
{
    double stiffness[SIZE];
    const double rest[6] = {0.95, 0.02, 0.01, 0.15, 0.2, 0.4}, step = 1e-5;
    uint64_t seed = 3;

    section(stiffness);
    for (int dim = 2; dim <= 3; dim++) {
        const int moves = one_rod_moves(dim);
        const one_rod_element element = make_element(*state, dim, 1.0, stiffness, rest);
        const one_rod_pose start = random_pose(&seed, dim, 0.5), end = random_pose(&seed, dim, 0.5);
        const one_rod_pose mean = mean_of(&start, &end);
        one_rod_interval it;
        double e0[6], e1[6], sigma[6], dsigma[SIZE], K[81];
        one_rod_evaluate(dim, &table, &start, &end, true, &it);
        one_rod_strain(dim, &element, it.measure0, e0);
        one_rod_strain(dim, &element, it.measure1, e1);
        one_rod_stress(dim, &element, e0, e1, sigma, dsigma);
        one_rod_tangent(dim, &element, &it, &mean, &end, sigma, dsigma, K);
        for (int c = 0; c < moves; c++) {
            double value[4][9];
            for (int k = 0; k < 4; k++) { /* differences of fourth order */
                static const double at[4] = {1.0, -1.0, 2.0, -2.0};
                double move[9] = {0};
                move[c] = 1.0;
                const one_rod_pose other = moved(dim, &end, at[k] * step * 100.0, move);
                efforts(dim, &element, &start, &other, value[k]);
            }
            for (int i = 0; i < moves; i++) {
                const double slope =
                    (8.0 * (value[0][i] - value[1][i]) - (value[2][i] - value[3][i])) / (12.0 * step * 100.0);
                CHECK_SMALL(K[moves * i + c] - slope, 1e-7, "dim %d, entry %d %d: %g and %g", dim, i, c,
                            K[moves * i + c], slope);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_increments, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_work_is_energy, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rigid_motion_leaves_measures, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_constant_strain_is_exact, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_straight_is_timoshenko, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_tangent, setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
