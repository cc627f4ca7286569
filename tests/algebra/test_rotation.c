/* Rotations: exactness of the Cayley step, orthogonality, quaternions, cross products. */
#include "support.h"
#include "algebra/algebra.h"

/* max |R^T R - I| and |det R - 1| */
static double not_a_rotation(int dim, const double *r)
{
    double determinant = dim == 2 ? r[0] * r[3] - r[1] * r[2]
                                  : r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                                        r[2] * (r[3] * r[7] - r[4] * r[6]);
    return fmax(not_orthonormal(dim, dim, r, r), fabs(determinant - 1.0));
}

/* [a]x, row-major, from the cross product of the header */
static void cross_matrix(int dim, const double *a, double *s)
{
    for (int j = 0; j < dim; j++) {
        double e[3] = {0.0}, column[3];
        e[j] = 1.0;
        phx_rot_x_vec(dim, a, e, column);
        for (int i = 0; i < dim; i++)
            s[i * dim + j] = column[i];
    }
}

static void random_rotation(uint64_t *seed, int dim, double *r)
{
    double axis[3];
    random_fill(seed, 3, axis);
    phx_rot_axis_angle(dim, axis, 3.0 * random_number(seed), r);
}

static void test_cayley_increment_is_exact(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const double scales[] = {1e-12, 1e-6, 1e-3, 0.1, 1.0, 10.0};
    for (int dim = 2; dim <= 3; dim++) {
        for (int trial = 0; trial < 600; trial++) {
            double r0[9], r1[9], mean[9], a[3], s[9], product[9], increment[9], scale = scales[trial % 6];
            random_rotation(&seed, dim, r0);
            for (int i = 0; i < 3; i++)
                a[i] = scale * random_number(&seed);
            phx_rot_cayley(dim, r0, a, r1);
            for (int k = 0; k < dim * dim; k++) {
                mean[k] = 0.5 * (r0[k] + r1[k]);
                increment[k] = r1[k] - r0[k];
            }
            cross_matrix(dim, a, s);
            reference_product(false, false, dim, dim, dim, mean, s, product);
            /* R1 - R0 = R_mean [a]x; a rounding of R_mean counts |a| times */
            CHECK_BELOW(difference((size_t)(dim * dim), increment, product), 1e-15 * fmax(1.0, scale),
                        "R1 - R0 - R_mean [a]x, dim %d, |a| about %g", dim, scale);
            CHECK_BELOW(not_a_rotation(dim, r1), 5e-15, "R1 is a rotation, dim %d, |a| about %g", dim, scale);
            double in_place[9];
            memcpy(in_place, r0, sizeof in_place);
            phx_rot_cayley(dim, in_place, a, in_place);
            assert_memory_equal(in_place, r1, (size_t)(dim * dim) * sizeof(double));
        }
    }
}

static void test_cayley_turns_about_a_by_the_tangent(void **state)
{
    (void)state;
    const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, a[3] = {0.3, -0.8, 0.5};
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), r[9], want[9];
    phx_rot_cayley(3, identity, a, r);
    phx_rot_axis_angle(3, a, 2.0 * atan(0.5 * length), want);
    CHECK_BELOW(difference(9, r, want), 1e-15, "cay(a) turns by 2 atan(|a|/2)");
    const double plane[4] = {1.0, 0.0, 0.0, 1.0};
    phx_rot_cayley(2, plane, a, r);
    phx_rot_axis_angle(2, NULL, 2.0 * atan(0.5 * a[0]), want);
    CHECK_BELOW(difference(4, r, want), 1e-15, "the same in the plane");
}

static void test_a_million_products_stay_orthogonal(void **state)
{
    (void)state;
    enum { STEPS = 1000000, BETWEEN = 1000 };
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t seed = 7;
        double r[9], a[3], worst = 0.0;
        random_rotation(&seed, dim, r);
        for (int step = 1; step <= STEPS; step++) {
            for (int i = 0; i < 3; i++)
                a[i] = 0.2 * random_number(&seed);
            phx_rot_cayley(dim, r, a, r);
            if (step % BETWEEN == 0) {
                worst = fmax(worst, not_a_rotation(dim, r));
                phx_rot_normalise(dim, r);
                CHECK_BELOW(not_a_rotation(dim, r), 2e-15, "after the polar fix, step %d", step);
            }
        }
        CHECK_BELOW(worst, 1e-12, "orthogonality over %d products, dim %d", STEPS, dim);
    }
}

static void test_normalise_gives_the_polar_factor(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int dim = 2; dim <= 3; dim++) {
        for (int trial = 0; trial < 200; trial++) {
            /* R S with S symmetric positive definite and near I has the polar factor R. */
            double r[9], s[9], a[9], product[9];
            random_rotation(&seed, dim, r);
            random_fill(&seed, 9, a);
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    s[i * dim + j] = 0.1 * (a[i * dim + j] + a[j * dim + i]) + (i == j ? 1.0 : 0.0);
            reference_product(false, false, dim, dim, dim, r, s, product);
            phx_rot_normalise(dim, product);
            CHECK_BELOW(difference((size_t)(dim * dim), product, r), 2e-15, "polar factor, dim %d", dim);
        }
    }
    double mirror[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0}, kept[9];
    memcpy(kept, mirror, sizeof kept);
    phx_rot_normalise(3, mirror);
    assert_memory_equal(mirror, kept, sizeof kept);
}

static void test_axis_and_angle(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 200; trial++) {
        double axis[3], r[9], y[3], angle = 3.1 * random_number(&seed);
        random_fill(&seed, 3, axis);
        phx_rot_axis_angle(3, axis, angle, r);
        CHECK_BELOW(not_a_rotation(3, r), 2e-15, "rotation by %g", angle);
        phx_rot_apply(3, r, axis, y);
        CHECK_BELOW(difference(3, y, axis), 1e-15, "the axis stays");
        CHECK_BELOW(fabs(r[0] + r[4] + r[8] - 1.0 - 2.0 * cos(angle)), 2e-15, "trace of a rotation by %g", angle);
        /* the sense: a x (R a) . axis = sin(angle) > 0 for a normal to the axis */
        double normal[3] = {axis[1], -axis[0], 0.0}, turned[3], cross[3];
        phx_rot_apply(3, r, normal, turned);
        phx_vec_x_vec(3, normal, turned, cross);
        double along = cross[0] * axis[0] + cross[1] * axis[1] + cross[2] * axis[2];
        double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        double squared = normal[0] * normal[0] + normal[1] * normal[1];
        CHECK_BELOW(fabs(along / (length * squared) - sin(angle)), 2e-15, "sense of a rotation by %g", angle);
    }
    const double zero[3] = {0.0, 0.0, 0.0};
    double r[9], plane[4];
    phx_rot_axis_angle(3, zero, 1.0, r);
    CHECK_BELOW(not_a_rotation(3, r), 0.0, "zero axis");
    phx_rot_axis_angle(2, NULL, 0.5, plane);
    const double want[4] = {cos(0.5), -sin(0.5), sin(0.5), cos(0.5)};
    assert_memory_equal(plane, want, sizeof want);
}

static void test_quaternions(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 1000; trial++) {
        double q[4], r[9], back[4], axis[3], want[9];
        random_fill(&seed, 4, q);
        if (trial % 5 == 1)
            q[0] = 0.0; /* half a turn */
        if (trial % 5 == 2)
            q[0] *= 1e-9;
        if (trial % 5 == 3)
            q[trial % 4] = q[(trial + 1) % 4] = 0.0;
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        phx_rot_from_quaternion(q, r);
        CHECK_BELOW(not_a_rotation(3, r), 5e-15, "rotation from a quaternion");
        double vector = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int i = 0; i < 3; i++)
            axis[i] = q[i + 1];
        phx_rot_axis_angle(3, axis, 2.0 * atan2(vector, q[0]), want);
        CHECK_BELOW(difference(9, r, want), 5e-15, "quaternion as axis and angle");
        phx_rot_to_quaternion(r, back);
        assert_true(back[0] >= 0.0);
        double sign = back[0] * q[0] + back[1] * q[1] + back[2] * q[2] + back[3] * q[3] < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 4; i++)
            CHECK_BELOW(fabs(back[i] - sign * q[i] / length), 2e-15, "component %d of trial %d", i, trial);
    }
    const double zero[4] = {0.0, 0.0, 0.0, 0.0};
    double r[9];
    phx_rot_from_quaternion(zero, r);
    CHECK_BELOW(not_a_rotation(3, r), 0.0, "zero quaternion");
}

/* exp(phi) back to phi; the rate of phi under R exp(t [w]x) and exp(t [w]x) R; half a turn */
static void test_rotation_vectors(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 200; trial++) {
        double phi[3], r[9], back[3], T[9], w[3], turned[2][9], there[2][3], rate[3], size, step = 1e-5;
        random_fill(&seed, 3, phi);
        size = sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]);
        const double angle = trial % 4 == 0 ? 1e-3 * fabs(random_number(&seed)) : 3.0 * fabs(random_number(&seed));
        for (int i = 0; i < 3; i++)
            phi[i] *= angle / size;
        phx_rot_axis_angle(3, phi, angle, r);
        phx_rot_to_vector(r, back);
        CHECK_BELOW(difference(3, back, phi), 4e-15, "rotation vector of trial %d", trial);
        phx_rot_vector_rate(phi, T);
        random_fill(&seed, 3, w);
        for (int left = 0; left < 2; left++) {
            for (int side = 0; side < 2; side++) {
                double a[3] = {(side ? step : -step) * w[0], (side ? step : -step) * w[1],
                               (side ? step : -step) * w[2]};
                if (left) /* exp([a]x) R = R exp([R^T a]x) */
                    phx_rot_apply_transposed(3, r, (double[3]){a[0], a[1], a[2]}, a);
                phx_rot_cayley(3, r, a, turned[side]);
                phx_rot_to_vector(turned[side], there[side]);
            }
            if (left)
                phx_rot_apply_transposed(3, T, w, rate);
            else
                phx_rot_apply(3, T, w, rate);
            for (int i = 0; i < 3; i++)
                CHECK_BELOW(fabs(rate[i] - (there[1][i] - there[0][i]) / (2.0 * step)), 1e-8,
                            "rate of the vector, trial %d, angle %g", trial, angle);
        }
    }
    const double half_turn[9] = {-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0}, want[3] = {0.0, acos(-1.0), 0.0};
    double phi[3];
    phx_rot_to_vector(half_turn, phi);
    CHECK_BELOW(difference(3, phi, want), 1e-15, "half a turn");
}

static void test_shortest_turn(void **state)
{
    (void)state;
    uint64_t seed = 10;
    for (int trial = 0; trial < 100; trial++) {
        double a[3], b[3], r[9], y[3], phi[3], length_a = 0.0, length_b = 0.0, product = 0.0;
        random_fill(&seed, 3, a);
        random_fill(&seed, 3, b);
        for (int i = 0; i < 3; i++) {
            length_a += a[i] * a[i];
            length_b += b[i] * b[i];
        }
        for (int i = 0; i < 3; i++) {
            a[i] /= sqrt(length_a);
            b[i] = trial % 3 == 0 ? -a[i] : b[i] / sqrt(length_b);
        }
        for (int i = 0; i < 3; i++)
            product += a[i] * b[i];
        phx_rot_shortest(a, b, r);
        CHECK_BELOW(not_a_rotation(3, r), 2e-15, "shortest turn, trial %d", trial);
        phx_rot_apply(3, r, a, y);
        CHECK_BELOW(difference(3, y, b), 1e-15, "shortest turn, trial %d", trial);
        phx_rot_to_vector(r, phi);
        const double angle = sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]);
        CHECK_BELOW(fabs(cos(angle) - product), 2e-15, "its angle, trial %d", trial);
    }
}

static void test_apply_and_cross_products(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int dim = 2; dim <= 3; dim++) {
        double r[9], x[3], y[3], z[3], w[3], s[9], want[3], back[3];
        random_rotation(&seed, dim, r);
        random_fill(&seed, 3, x);
        random_fill(&seed, 3, w);
        phx_rot_apply(dim, r, x, y);
        reference_product(false, false, dim, 1, dim, r, x, want);
        CHECK_BELOW(difference((size_t)dim, y, want), 1e-15, "R x, dim %d", dim);
        phx_rot_apply_transposed(dim, r, y, z);
        CHECK_BELOW(difference((size_t)dim, z, x), 1e-15, "R^T R x, dim %d", dim);
        /* a x w = -w x a; w . (a x b) = b . (w x a) */
        phx_rot_x_vec(dim, w, x, y);
        phx_vec_x_rot(dim, x, w, z);
        for (int i = 0; i < dim; i++)
            assert_true(y[i] == -z[i]);
        double b[3], torque[3], left = 0.0, right = 0.0;
        random_fill(&seed, 3, b);
        phx_vec_x_vec(dim, x, b, torque);
        for (int i = 0; i < (dim == 2 ? 1 : 3); i++)
            left += w[i] * torque[i];
        for (int i = 0; i < dim; i++)
            right += b[i] * y[i];
        CHECK_BELOW(fabs(left - right), 1e-15, "triple product, dim %d", dim);
        cross_matrix(dim, w, s);
        phx_rot_apply(dim, s, x, back);
        CHECK_BELOW(difference((size_t)dim, back, y), 1e-15, "[w]x a, dim %d", dim);
        phx_rot_x_rot(dim, w, w, y);
        for (int i = 0; i < (dim == 2 ? 1 : 3); i++)
            assert_true(y[i] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cayley_increment_is_exact),
        cmocka_unit_test(test_cayley_turns_about_a_by_the_tangent),
        cmocka_unit_test(test_a_million_products_stay_orthogonal),
        cmocka_unit_test(test_normalise_gives_the_polar_factor),
        cmocka_unit_test(test_axis_and_angle),
        cmocka_unit_test(test_quaternions),
        cmocka_unit_test(test_rotation_vectors),
        cmocka_unit_test(test_shortest_turn),
        cmocka_unit_test(test_apply_and_cross_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
