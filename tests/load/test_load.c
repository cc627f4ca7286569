/* Loads: over an interval their work is the change of their potential plus what they supply minus what they dissipate;
 * tangents are derivatives; what cannot be evaluated says why. Nothing is allocated. */
#include "../port/views.h"

#include "load/load.h"

enum { SAMPLES = 300, LD = 2 * PHX_PORT_MAX };

typedef struct fixture {
    phx_context *context;
    phx_signal *push, *table, *bad, *damper;
    phx_law *law;
} fixture;

static double not_finite(const void *data, double t, double s)
{
    (void)data;
    (void)s;
    return t > 1.0 ? INFINITY : 0.0;
}

static int set_up(void **state)
{
    static fixture f;
    const double times[2] = {0.0, 1.0}, values[2] = {3.0, -5.0};
    const double x[4] = {-0.5, 0.1, 0.4, 1.2}, values_of_law[4] = {-8.0, 0.0, 3.0, 20.0};
    const double rates[3] = {-2.0, 0.0, 1.0}, losses[3] = {-3.0, 0.0, 4.0};
    phx_signal *of_law = NULL;
    *state = &f;
    if (phx_context_create(&f.context) != PHX_OK ||
        phx_signal_create_table(f.context, 4, x, values_of_law, &of_law) != PHX_OK ||
        phx_law_create(f.context, of_law, 0.0, 0.0, &f.law) != PHX_OK ||
        phx_signal_create_table(f.context, 3, rates, losses, &f.damper) != PHX_OK)
        return 1;
    phx_signal_destroy(of_law);
    return phx_signal_create_constant(f.context, 7.0, &f.push) != PHX_OK ||
           phx_signal_create_table(f.context, 2, times, values, &f.table) != PHX_OK ||
           phx_signal_create_function(f.context, not_finite, NULL, NULL, 0, NULL, &f.bad) != PHX_OK;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    phx_signal_destroy(f->push);
    phx_signal_destroy(f->table);
    phx_signal_destroy(f->bad);
    phx_signal_destroy(f->damper);
    phx_law_destroy(f->law);
    phx_context_destroy(f->context);
    return 0;
}

static phx_line_spring spring_variant(uint64_t *seed, const fixture *f, int variant)
{
    phx_line_spring spring = {0};
    if (variant & 1)
        spring.stiffness = uniform(seed, 1.0, 10.0);
    if (variant & 2)
        spring.damping = uniform(seed, 0.1, 1.0);
    if (variant & 4)
        spring.length = uniform(seed, 0.1, 2.0);
    spring.force = variant & 8 ? f->push : NULL;
    spring.law = variant & 16 ? f->law : NULL;
    spring.damper = variant & 32 ? f->damper : NULL;
    return spring;
}

static void must_succeed(const fixture *f, phx_status status)
{
    if (status != PHX_OK)
        fail_msg("%s", phx_context_message(f->context));
}

static double two_powers(int dim, const double *effort, const phx_port_view *a, const phx_port_view *b)
{
    return power(dim, effort, a->rate) + power(dim, effort + PHX_PORT_MAX, b->rate);
}

static void test_spring_energy_balance(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 31;
    phx_load_result r;
    double worst = 0.0;
    size_t allocations = phx_context_allocations(f->context);
    for (int sample = 0; sample < SAMPLES; sample++) {
        int dim = 2 + sample % 2;
        double h = pow(10.0, uniform(&seed, -5.0, 0.0));
        phx_line_spring spring = spring_variant(&seed, f, sample % 64);
        phx_port_view a = random_interval(&seed, dim, h, 1.0, 0.3), b = random_interval(&seed, dim, h, 1.0, 0.3);
        must_succeed(f, phx_line_spring_evaluate(f->context, &spring, &a, &b, 0.0, false, &r));
        double e0 = phx_line_spring_energy(&spring, &a, &b, 0), e1 = phx_line_spring_energy(&spring, &a, &b, 1);
        double work = h * two_powers(dim, r.effort, &a, &b);
        double scale = 1.0 + e0 + e1 + h * (fabs(r.supplied) + r.dissipated);
        double error = (work + (e1 - e0) - h * r.supplied + h * r.dissipated) / scale;
        worst = fmax(worst, fabs(error));
        CHECK_SMALL(error, 4e-15, "dim %d, sample %d, work %g, energy %g to %g, supplied %g, dissipated %g", dim,
                    sample, work, e0, e1, h * r.supplied, h * r.dissipated);
        assert_true(r.dissipated >= 0.0);
        assert_false(r.has_tangent || r.has_rate_tangent);
        for (int i = 0; i < phx_port_size(dim); i++)
            CHECK_SMALL(r.effort[i] + r.effort[PHX_PORT_MAX + i], 0.0, "action and reaction, entry %d", i);
    }
    assert_int_equal(phx_context_allocations(f->context), allocations);
    print_message("largest relative error of the spring's balance: %.2e\n", worst);
}

/* by hand: d = (3, 4), |d| = 5, l0 = 2, k = 10, c = 2, pulled apart at 0.5 m/s along d, actuator 7 N apart */
static void test_spring_by_hand(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 32;
    phx_load_result r;
    phx_port_view a = random_instant(&seed, 2, 0.1), b = random_instant(&seed, 2, 0.1);
    for (int i = 0; i < 2; i++) {
        b.u0[i] = b.u1[i] = a.u0[i] + (i ? 4.0 : 3.0);
        b.rate[i] = a.rate[i] + 0.5 * (i ? 0.8 : 0.6);
    }
    finish_view(&b);
    phx_line_spring spring = {.stiffness = 10.0, .damping = 2.0, .length = 2.0, .force = f->push};
    must_succeed(f, phx_line_spring_evaluate(f->context, &spring, &a, &b, 0.0, false, &r));
    double along = -10.0 * 3.0 - 2.0 * 0.5 + 7.0;
    CHECK_SMALL(r.effort[PHX_PORT_MAX] - 0.6 * along, 1e-13, "x on B");
    CHECK_SMALL(r.effort[PHX_PORT_MAX + 1] - 0.8 * along, 1e-13, "y on B");
    CHECK_SMALL(r.supplied - 3.5, 1e-13, "supplied");
    CHECK_SMALL(r.dissipated - 0.5, 1e-13, "dissipated");
    CHECK_SMALL(phx_line_spring_energy(&spring, &a, &b, 1) - 45.0, 1e-13, "energy");
}

/* A load to be evaluated at two views and a time. */
typedef phx_status evaluate_fn(const fixture *f, const void *element, const phx_port_view v[2], bool tangents,
                               phx_load_result *result);

/* tangents at an instant against central differences: xi with the rates fixed, then the rates */
static void check_tangents(const fixture *f, evaluate_fn *evaluate, const void *element, const phx_port_view view[2],
                           const char *what)
{
    int dim = view[0].dim, n = phx_port_size(dim);
    static phx_load_result r, side[2];
    memset(&r, 0x7f, sizeof(r)); /* what was there before must not be seen */
    must_succeed(f, evaluate(f, element, view, true, &r));
    for (int m = 0; m < 4 * n; m++) {
        int port = (m / n) % 2, column = port * PHX_PORT_MAX + m % n;
        bool of_rate = m >= 2 * n;
        double step = 1e-5;
        for (int s = 0; s < 2; s++) {
            phx_port_view w[2] = {view[0], view[1]};
            if (of_rate)
                w[port].rate[m % n] += s ? step : -step;
            else
                w[port] = varied(&view[port], m % n, s ? step : -step);
            must_succeed(f, evaluate(f, element, w, false, &side[s]));
        }
        for (int i = 0; i < 2 * n; i++) {
            int row = (i / n) * PHX_PORT_MAX + i % n;
            double exact = 0.0;
            if (of_rate ? r.has_rate_tangent : r.has_tangent)
                exact = of_rate ? r.rate_tangent[row * LD + column] : r.tangent[row * LD + column];
            double difference = (side[1].effort[row] - side[0].effort[row]) / (2.0 * step);
            CHECK_SMALL(exact - difference, 2e-7 * (1.0 + fabs(exact)), "%s, dim %d: effort %d by %s %d is %g", what,
                        dim, row, of_rate ? "rate" : "xi", column, difference);
        }
    }
}

static phx_status evaluate_spring(const fixture *f, const void *element, const phx_port_view v[2], bool tangents,
                                  phx_load_result *result)
{
    return phx_line_spring_evaluate(f->context, element, &v[0], &v[1], 0.3, tangents, result);
}

static phx_status evaluate_load(const fixture *f, const void *element, const phx_port_view v[2], bool tangents,
                                phx_load_result *result)
{
    return phx_port_load_evaluate(f->context, element, &v[0], 0.3, tangents, result);
}

static void test_spring_tangents(void **state)
{
    uint64_t seed = 33;
    for (int sample = 0; sample < 128; sample++) {
        int dim = 2 + sample / 64;
        phx_line_spring spring = spring_variant(&seed, *state, sample % 64);
        phx_port_view v[2] = {random_instant(&seed, dim, 0.3), random_instant(&seed, dim, 0.3)};
        v[1].u0[0] += 3.0; /* not too close: third derivatives grow with 1/|d|^3 */
        v[1].u1[0] = v[1].u0[0];
        finish_view(&v[1]);
        check_tangents(*state, evaluate_spring, &spring, v, "spring");
    }
}

/* ports in one place: no direction for a length at rest or an actuator; a spring without them is fine, and a damper
 * acts against the motion */
static void test_spring_without_direction(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 34;
    phx_load_result r;
    phx_port_view a = random_instant(&seed, 2, 0.1), b = a;
    b.u0[0] = b.u1[0] = a.u0[0] + 2e-16; /* rounding of a position is no direction */
    finish_view(&b);
    const phx_line_spring lost[] = {{.stiffness = 1.0, .length = 0.5}, {.force = f->push}};
    const char *const words[] = {"length at rest", "force"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(phx_line_spring_evaluate(f->context, &lost[i], &a, &b, 2.5, true, &r), PHX_ERR_ANALYSIS);
        if (!strstr(phx_context_message(f->context), words[i]) || !strstr(phx_context_message(f->context), "t = 2.5"))
            fail_msg("message '%s' lacks '%s' or the time", phx_context_message(f->context), words[i]);
    }
    const phx_line_spring plain = {.stiffness = 4.0};
    must_succeed(f, phx_line_spring_evaluate(f->context, &plain, &a, &b, 0.0, true, &r));
    CHECK_SMALL(r.effort[PHX_PORT_MAX], 1e-14, "force of a spring of no length");
    CHECK_SMALL(r.tangent[PHX_PORT_MAX * LD + PHX_PORT_MAX] + 4.0, 0.0, "its stiffness");
    const phx_line_spring damper = {.damping = 3.0};
    b.rate[0] = a.rate[0] + 0.3;
    b.rate[1] = a.rate[1] - 0.4;
    must_succeed(f, phx_line_spring_evaluate(f->context, &damper, &a, &b, 0.0, true, &r));
    CHECK_CLOSE(r.effort[PHX_PORT_MAX], -0.9, 1e-14, "force against the motion, x");
    CHECK_CLOSE(r.effort[PHX_PORT_MAX + 1], 1.2, 1e-14, "force against the motion, y");
    CHECK_CLOSE(r.dissipated, 0.75, 1e-14, "power of the damper");
}

/* dead force F(t) . (u1 - u0); torque times turn of the section */
static void test_dead_loads_work(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 35;
    static phx_load_result r;
    size_t allocations = phx_context_allocations(f->context);
    for (int sample = 0; sample < SAMPLES; sample++) {
        int dim = 2 + sample % 2;
        phx_port_view v = random_interval(&seed, dim, 0.02, 3.0, 0.4);
        phx_port_load force = {.kind = PHX_LOAD_FORCE, .component = {f->push, f->table, NULL}};
        must_succeed(f, phx_port_load_evaluate(f->context, &force, &v, 0.25, true, &r));
        double work = 7.0 * (v.u1[0] - v.u0[0]) + 1.0 * (v.u1[1] - v.u0[1]);
        CHECK_SMALL(v.h * power(dim, r.effort, v.rate) - work, 8e-15, "dead force, dim %d", dim);
        CHECK_SMALL(v.h * r.supplied - work, 8e-15, "supplied by a dead force, dim %d", dim);
        CHECK_SMALL(two_powers(dim, r.effort, &(phx_port_view){0}, &v), 0.0, "second port, dim %d", dim);
        assert_false(r.has_tangent || r.has_rate_tangent);
        if (dim == 3)
            continue;
        phx_port_load torque = {.kind = PHX_LOAD_TORQUE, .component = {f->push}};
        must_succeed(f, phx_port_load_evaluate(f->context, &torque, &v, 0.25, false, &r));
        const double turn = atan(v.theta1[0]) - atan(v.theta0[0]), torque_work = 7.0 * (v.h * v.rate[2] + turn);
        CHECK_SMALL(r.effort[2] - 7.0, 0.0, "a torque gives its angular momentum");
        CHECK_SMALL(v.h * power(2, r.effort, v.rate) - torque_work, 4e-14, "work of a torque over %g", turn);
        CHECK_SMALL(v.h * r.supplied - torque_work, 4e-14, "supplied by a torque");
        CHECK_SMALL(fabs(r.effort[0]) + fabs(r.effort[1]), 0.0, "force of a torque");
    }
    assert_int_equal(phx_context_allocations(f->context), allocations);
}

/* Space: a torque, dead or following, gives the angular momentum h M to the frame when body and section turn about its
 * axis, and its work is by the mean angular velocity; at an instant its power is torque . angular velocity of the
 * section, which is the rate of its directions. */
static void test_space_torque_works(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 39;
    static phx_load_result r;
    size_t allocations = phx_context_allocations(f->context);
    for (int sample = 0; sample < SAMPLES; sample++) {
        phx_port_load load = {
            .kind = PHX_LOAD_TORQUE, .follower = sample % 2, .component = {f->push, f->table, f->push}};
        phx_port_view v = random_interval(&seed, 3, 0.02, 0.0, 0.0);
        double M[3] = {7.0, 1.0, 7.0}, n[3], local[3], Q[9], turn = uniform(&seed, -2.5, 2.5), size = sqrt(99.0);
        double s0 = uniform(&seed, -0.6, 0.6), s1 = uniform(&seed, -0.6, 0.6);
        for (int i = 0; i < 3; i++)
            n[i] = M[i] / size;
        random_rotation(&seed, 3, load.rotation);
        if (load.follower) { /* axis load.rotation n in body axes */
            phx_rot_apply(3, load.rotation, n, local);
            phx_rot_apply(3, v.R0, local, n);
        } else {
            phx_rot_apply_transposed(3, v.R0, n, local);
        }
        rotation_about(3, n, cos(turn), sin(turn), Q);
        multiply(3, Q, v.R0, v.R1);
        for (int i = 0; i < 3; i++) {
            v.theta0[i] = s0 * local[i];
            v.theta1[i] = s1 * local[i];
            v.rate[3 + i] = 2.0 * tan(0.5 * turn) * local[i] / v.h;
        }
        finish_view(&v);
        must_succeed(f, phx_port_load_evaluate(f->context, &load, &v, 0.25, false, &r));
        double work = size * (2.0 * tan(0.5 * turn) + atan(s1) - atan(s0)), given[3];
        phx_rot_apply(3, v.Rm, r.effort + 3, given); /* R1 p1 - R0 p0 = Rm h effort */
        for (int i = 0; i < 3; i++)
            CHECK_SMALL(given[i] - size * n[i], 1e-13, "sample %d: angular momentum %d", sample, i);
        CHECK_SMALL(v.h * power(3, r.effort, v.rate) - work, 1e-13, "sample %d: work of a torque", sample);
        CHECK_SMALL(v.h * r.supplied - work, 1e-13, "supplied by a torque");
    }
    assert_int_equal(phx_context_allocations(f->context), allocations);
}

/* a force in the body frame is the mean of its directions at the ends; at an instant it keeps its size */
static void test_follower_force(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 36;
    static phx_load_result r;
    for (int sample = 0; sample < SAMPLES; sample++) {
        phx_port_load load = {.kind = PHX_LOAD_FORCE, .follower = true, .component = {f->push, f->table, NULL}};
        double port_angle = uniform(&seed, -3.0, 3.0), F[2] = {7.0, 1.0}, mean[2] = {0.0, 0.0};
        exponential(2, &port_angle, load.rotation);
        phx_port_view v = random_interval(&seed, 2, 0.02, 3.0, 0.4);
        must_succeed(f, phx_port_load_evaluate(f->context, &load, &v, 0.25, false, &r));
        for (int end = 0; end < 2; end++) {
            double angle = phx_port_angle(&v, end) + port_angle;
            mean[0] += 0.5 * (cos(angle) * F[0] - sin(angle) * F[1]);
            mean[1] += 0.5 * (sin(angle) * F[0] + cos(angle) * F[1]);
        }
        CHECK_SMALL(r.effort[0] - mean[0], 4e-14, "x of the follower");
        CHECK_SMALL(r.effort[1] - mean[1], 4e-14, "y of the follower");
        double work = mean[0] * (v.u1[0] - v.u0[0]) + mean[1] * (v.u1[1] - v.u0[1]);
        CHECK_SMALL(v.h * r.supplied - work, 1e-13, "supplied by the follower");
        CHECK_SMALL(fabs(r.effort[2]) + fabs(r.effort[3]), 0.0, "torque of a force");
    }
}

static void test_load_tangents(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 37;
    for (int sample = 0; sample < 20; sample++) {
        int dim = 2 + sample % 2;
        phx_port_view v[2] = {random_instant(&seed, dim, 0.4), random_instant(&seed, dim, 0.4)};
        phx_port_load load = {.follower = true, .component = {f->push, f->table, dim == 3 ? f->push : NULL}};
        random_rotation(&seed, dim, load.rotation);
        check_tangents(f, evaluate_load, &load, v, "follower");
        load.follower = false;
        check_tangents(f, evaluate_load, &load, v, "dead force");
        load.kind = PHX_LOAD_TORQUE;
        check_tangents(f, evaluate_load, &load, v, "dead torque");
        load.follower = dim == 3;
        check_tangents(f, evaluate_load, &load, v, "follower torque");
    }
}

static void test_wrong_loads(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 38;
    static phx_load_result r;
    phx_port_view plane = random_instant(&seed, 2, 0.1);
    phx_port_load infinite = {.kind = PHX_LOAD_FORCE, .component = {NULL, f->bad}};
    must_succeed(f, phx_port_load_evaluate(f->context, &infinite, &plane, 0.5, false, &r));
    assert_int_equal(phx_port_load_evaluate(f->context, &infinite, &plane, 1.5, false, &r), PHX_ERR_ANALYSIS);
    assert_non_null(strstr(phx_context_message(f->context), "component 2 of the force is inf at t = 1.5 s"));
    phx_port_load lost = {.kind = PHX_LOAD_FORCE, .follower = true, .component = {f->push}}; /* rotation left zero */
    assert_int_equal(phx_port_load_evaluate(f->context, &lost, &plane, 0.0, false, &r), PHX_ERR_ANALYSIS);
    assert_non_null(strstr(phx_context_message(f->context), "direction 1 of the port vanishes"));
    phx_line_spring actuator = {.force = f->bad};
    assert_int_equal(phx_line_spring_evaluate(f->context, &actuator, &plane, &plane, 2.0, false, &r), PHX_ERR_ANALYSIS);
    assert_non_null(strstr(phx_context_message(f->context), "the force is inf at t = 2 s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_energy_balance), cmocka_unit_test(test_spring_by_hand),
        cmocka_unit_test(test_spring_tangents),       cmocka_unit_test(test_spring_without_direction),
        cmocka_unit_test(test_dead_loads_work),       cmocka_unit_test(test_follower_force),
        cmocka_unit_test(test_load_tangents),         cmocka_unit_test(test_wrong_loads),
        cmocka_unit_test(test_space_torque_works),
    };
    return cmocka_run_group_tests_name("load", tests, set_up, tear_down);
}
