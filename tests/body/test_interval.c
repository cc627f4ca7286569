/* The midpoint rule with averages of one body: exact energy balance whatever the interval, exact moves, second order.
 */
#include "support.h"

/* An interval between any two velocities. */
typedef struct interval {
    double x0[MAX_X], x1[MAX_X], xm[MAX_X], v0[MAX_V], v1[MAX_V], vm[MAX_V], p0[MAX_V], res[MAX_V];
} interval;

static void make_interval(const subject *it, double h, interval *at)
{
    for (int i = 0; i < it->n_v; i++)
        at->vm[i] = 0.5 * (at->v0[i] + at->v1[i]);
    moved(it, h, at->x0, at->vm, at->x1, at->xm);
    phx_products *products = phx_body_products_create(NULL, it->body, NULL);
    assert_non_null(products);
    phx_body_interval_begin(it->body, h, at->x0, at->v0, products);
    phx_body_momenta(it->body, at->x0, at->v0, at->p0);
    const phx_body_view view = {.h = h,
                                .x0 = at->x0,
                                .x1 = at->x1,
                                .xm = at->xm,
                                .v0 = at->v0,
                                .v1 = at->v1,
                                .vm = at->vm,
                                .products = products};
    phx_body_interval_residual(it->body, test_gravity, &view, at->res);
    phx_free(products);
}

static double energy(const subject *it, const double *x, const double *v)
{
    return phx_body_kinetic(it->body, x, v) + phx_body_elastic(it->body, x) +
           phx_body_potential(it->body, test_gravity, x);
}

/* Size of what the balance sums. */
static double energy_scale(const subject *it, const interval *at)
{
    double p1[MAX_V], scale = 0.0;
    phx_body_momenta(it->body, at->x1, at->v1, p1);
    for (int i = 0; i < it->n_v; i++)
        scale += fabs(at->vm[i]) * (fabs(at->p0[i]) + fabs(p1[i]));
    return scale + phx_body_elastic(it->body, at->x0) + phx_body_elastic(it->body, at->x1) +
           fabs(phx_body_potential(it->body, test_gravity, at->x0)) +
           fabs(phx_body_potential(it->body, test_gravity, at->x1));
}

/* h vm . res = H1 - H0 + h vm^T R vm for any v0, v1 and h: turns of up to many radians, strains far beyond small. */
static void test_energy(void **state)
{
    const double lengths[] = {1e-3, 0.03, 0.5, 4.0, -0.2};
    uint64_t seed = 21;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(*state, &body_kinds[k], &it);
        for (int n = 0; n < 100 && it.kinetics == PHX_KINETICS_FULL; n++) {
            const double h = lengths[n % 5];
            interval at;
            random_configuration(&seed, &it, at.x0);
            random_velocity(&seed, &it, at.v0);
            random_velocity(&seed, &it, at.v1);
            make_interval(&it, h, &at);
            phx_body_interval_finish(it.body, h, at.v0, at.v1);
            const double gain = energy(&it, at.x1, at.v1) - energy(&it, at.x0, at.v0);
            const double friction = h * phx_body_dissipation(it.body, at.vm);
            const double residual = h * dot_product(it.n_v, at.vm, at.res) - gain - friction;
            CHECK_CLOSE(residual / (energy_scale(&it, &at) + fabs(friction)), 0.0, 1e-14,
                        "%s, h = %g, interval %d: energy balance", it.name, h, n);
        }
        subject_destroy(&it);
    }
}

/* The interval's residual differs from the instant's in its middle by O(h^2). Its unknown v1 is the one whose interval
 * ends with the velocity asked for. */
static double deviation(const subject *it, const interval *from, const double *v_dot, double h)
{
    interval at = *from;
    double x[MAX_X], mean[MAX_X], res[MAX_V], end[MAX_V], found[MAX_V], largest = 0.0;

    for (int i = 0; i < it->n_v; i++) {
        at.v0[i] = from->vm[i] - 0.5 * h * v_dot[i];
        at.v1[i] = end[i] = from->vm[i] + 0.5 * h * v_dot[i];
    }
    for (int k = 0; k < 40; k++) {
        memcpy(found, at.v1, sizeof found);
        phx_body_interval_finish(it->body, h, at.v0, found);
        for (int i = 0; i < it->n_v; i++)
            at.v1[i] += end[i] - found[i];
    }
    moved(it, -0.5 * h, from->x0, from->vm, x, mean);
    memcpy(at.x0, x, (size_t)it->n_x * sizeof *x);
    make_interval(it, h, &at);
    phx_body_residual(it->body, test_gravity, from->x0, from->vm, v_dot, res);
    for (int i = 0; i < it->n_v; i++)
        largest = fmax(largest, fabs(res[i] - at.res[i]));
    return largest;
}

static void test_order(void **state)
{
    uint64_t seed = 22;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        interval at;
        double v_dot[MAX_V];
        subject_create(*state, &body_kinds[k], &it);
        random_configuration(&seed, &it, at.x0);
        random_velocity(&seed, &it, at.vm);
        random_vector(&seed, it.n_v, 2.0, v_dot);
        const double coarse = deviation(&it, &at, v_dot, 4e-3), fine = deviation(&it, &at, v_dot, 2e-3);
        assert_true(coarse > 0.0);
        CHECK_CLOSE(log2(coarse / fine), 2.0, 0.1, "%s: order of the interval (%g, %g)", it.name, coarse, fine);
        subject_destroy(&it);
    }
}

/* x1 = x0 (+) h vm: increments are h times the rates at the means, exactly; means are means; rotations stay so. */
static void check_move(const subject *it, double h, const double *x0, const double *vm)
{
    const double low0[MAX_X] = {0};
    double x1[MAX_X], xm[MAX_X], tried[MAX_X], tried_mean[MAX_X], rate[MAX_X], low1[MAX_X], product[9], R[9];
    const int d = it->dim;

    moved(it, h, x0, vm, x1, xm);
    phx_body_rates(it->body, xm, vm, rate);
    for (int i = 0; i < it->n_x; i++) {
        const double size = fabs(x0[i]) + fabs(x1[i]) + fabs(h * rate[i]);
        CHECK_CLOSE(xm[i], 0.5 * (x0[i] + x1[i]), 4e-16 * size, "%s, h = %g: mean of x[%d]", it->name, h, i);
        if (d == 2 && i == 4) /* the angle advances by 2 atan(h w/2), its cosines exactly as below */
            rate[i] = 2.0 * atan(0.5 * h * vm[2]) / h;
        CHECK_CLOSE(x1[i] - x0[i], h * rate[i], 4e-15 * (1.0 + size), "%s, h = %g: increment of x[%d]", it->name, h, i);
    }
    phx_body_try(it->body, h, x0, low0, vm, tried, low1, tried_mean);
    for (int i = 0; i < it->n_x; i++) {
        CHECK_CLOSE(tried[i], x1[i], 2e-15 * (1.0 + fabs(x1[i])), "%s, h = %g: x[%d] tried", it->name, h, i);
        CHECK_CLOSE(tried_mean[i], xm[i], 2e-15 * (1.0 + fabs(xm[i])), "%s, h = %g: mean tried, %d", it->name, h, i);
    }
    phx_attitude_rotation(d, x1 + d, R);
    phx_dense_multiply(true, false, d, d, d, 1.0, R, d, R, d, 0.0, product, d);
    for (int i = 0; i < d * d; i++)
        CHECK_CLOSE(product[i], i % (d + 1) == 0, 2e-15, "%s, h = %g: R^T R, entry %d", it->name, h, i);
}

static void test_move(void **state)
{
    uint64_t seed = 23;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(*state, &body_kinds[k], &it);
        for (int n = 0; n < 50; n++) {
            double x0[MAX_X], vm[MAX_V];
            random_configuration(&seed, &it, x0);
            random_velocity(&seed, &it, vm);
            check_move(&it, pow(10.0, n % 4 - 2), x0, vm);
        }
        subject_destroy(&it);
    }
}

/* Many moves: R^T R stays within a random walk of rounding, the plane's angle counts turns. */
static void test_many_moves(void **state)
{
    const int count = 20000;
    uint64_t seed = 24;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        double x[2][MAX_X], xm[MAX_X], vm[MAX_V] = {0}, R[9], angle = 0.0, drift = 0.0;
        if (!body_kinds[k].rigid)
            continue;
        subject_create(*state, &body_kinds[k], &it);
        random_configuration(&seed, &it, x[0]);
        const double start = x[0][4];
        for (int n = 0; n < count; n++) {
            random_vector(&seed, it.n_v, 1.0, vm);
            vm[it.dim] += 2.0;
            moved(&it, 0.05, x[n % 2], vm, x[1 - n % 2], xm);
            angle += 2.0 * atan(0.025 * vm[it.dim]);
        }
        phx_attitude_rotation(it.dim, x[0] + it.dim, R);
        for (int i = 0; i < it.dim; i++)
            for (int j = 0; j < it.dim; j++)
                drift = fmax(drift, fabs(dot_product(it.dim, R + i * it.dim, R + j * it.dim) - (i == j)));
        CHECK_CLOSE(drift, 0.0, it.dim == 2 ? 4e-16 : 3e-14, "%s: R R^T - I after %d moves", it.name, count);
        if (it.dim == 2)
            CHECK_CLOSE(x[0][4] - start, angle, 1e-10, "angle after %g turns", angle / 6.283185307179586);
        subject_destroy(&it);
    }
}

/* With the parts that rounding takes carried along, a million small steps from a far place add up as if there were no
 * rounding: r = r0 + t v, q = q0 + t q_dot and the plane's angle. */
static void test_carried_rounding(void **state)
{
    const int count = 1000000;
    const double h = 1e-6 / 3.0;
    for (int dim = 2; dim <= 3; dim++) {
        const body_kind kind = {.name = "carried", .dim = dim, .order = 3, .kinetics = PHX_KINETICS_FULL};
        subject it;
        double x[2][MAX_X] = {{0}}, low[2][MAX_X] = {{0}}, xm[MAX_X], vm[MAX_V] = {0}, plain = 0.0;
        const double attitude[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        subject_create(*state, &kind, &it);
        phx_attitude_set(dim, attitude, 0.0, x[0] + dim);
        x[0][0] = plain = 1000.1;
        x[0][at_q(&it)] = 0.1;
        vm[0] = 0.7;
        vm[it.n_rigid] = -0.3;
        for (int n = 0; n < count; n++) {
            const int from = n % 2;
            phx_body_move(it.body, h, x[from], low[from], vm, x[1 - from], low[1 - from], xm);
            plain += h * vm[0];
        }
        const double t = count * h, want = 1000.1 + t * 0.7;
        assert_true(fabs(plain - want) > 1e-11); /* what is avoided */
        CHECK_CLOSE(x[0][0], want, 1.2e-13, "%dD: place after %d steps", dim, count);
        CHECK_CLOSE(x[0][at_q(&it)], 0.1 - t * 0.3, 1e-15, "%dD: deformation after %d steps", dim, count);
        subject_destroy(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_move), cmocka_unit_test(test_many_moves),
                                       cmocka_unit_test(test_carried_rounding)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
