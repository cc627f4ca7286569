/* The equilibrium at rest: against exact solutions and against minimisation written here, from near and from far; what
 * is unstable, free, or has none is said. */
#include "../system/support.h"

#include <stdio.h>

static phx_static_report settle(model *m, const phx_static_options *options)
{
    phx_static_report report;
    CHECK_OK(m->context, phx_system_static(m->dae, options, m->x, m->lambda, &report));
    CHECK_BELOW(report.unbalanced, 1e-10 * report.weight, "forces out of balance");
    CHECK_BELOW(report.gap, 1e-10, "gap");
    return report;
}

static phx_static_report settle_simply(model *m)
{
    const phx_static_options options = phx_static_options_default();
    return settle(m, &options);
}

/* ---- a pendulum ---- */
static void open_pendulum(phx_context *context, double angle, model *m)
{
    model_open(context, 0.0, -9.81, m);
    const phx_body_id bob = add_rigid(m, "bob", 2.0, 0.3, 0.5, 0.0, pose_at(0.0, 0.0, angle));
    add_joint(m, "pin", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, 0.0, 0.0), at_place(m, bob, 0.0, 0.0));
    model_ready(m);
}

static void a_pendulum_hangs_down_from_anywhere(void **state)
{
    for (int k = 0; k < 12; k++) {
        model m;
        open_pendulum(*state, -1.5 + 0.5 * k, &m);
        const phx_static_report report = settle_simply(&m);
        CHECK_CLOSE(cos(m.x[4] + 0.5 * TEST_PI), 1.0, 1e-14, "it hangs down, from %g", -1.5 + 0.5 * k);
        assert_int_equal(report.unstable, 0);
        assert_int_equal(report.free_motions, 0);
        CHECK_CLOSE(hypot(m.lambda[0], m.lambda[1]), 2.0 * 9.81, 1e-9, "the pin carries it");
        model_close(&m);
    }
}

static void an_unstable_start_stays_unless_told(void **state)
{
    model m;
    open_pendulum(*state, 0.5 * TEST_PI, &m);
    phx_static_options options = phx_static_options_default();
    phx_static_report report = settle(&m, &options);
    assert_int_equal(report.unstable, 1);
    CHECK_CLOSE(m.x[4], 0.5 * TEST_PI, 1e-12, "it stands");
    options.stable = true;
    report = settle(&m, &options);
    assert_int_equal(report.unstable, 0);
    CHECK_CLOSE(cos(m.x[4] + 0.5 * TEST_PI), 1.0, 1e-12, "it hangs");
    model_close(&m);
}

/* ---- a chain ---- */
enum { LINKS = 400 };

/* Span of n links of length 1/n whose ends hang level, with the horizontal tension H, in weights of the chain: the
 * slope of link k is (n/2 - k - 1/2)/(n H). */
static double span_of(int n, double H)
{
    double span = 0.0;
    for (int k = 0; k < n; k++)
        span += 1.0 / n / hypot(1.0, (0.5 * n - k - 0.5) / (n * H));
    return span;
}

static void a_chain_hangs_as_its_links_do(void **state)
{
    const double span = 0.6, w = 1.0 / LINKS;
    double low = 1e-3, high = 10.0, x = 0.0, y = 0.0;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    phx_port_id end = at_place(&m, PHX_GROUND, 0.0, 0.0);
    const double steep = acos(span);
    for (int k = 0; k < LINKS; k++) { /* a V to begin with */
        char name[32], pin[32];
        const double angle = k < LINKS / 2 ? -steep : steep;
        snprintf(name, sizeof name, "link%d", k + 1);
        snprintf(pin, sizeof pin, "pin%d", k + 1);
        const phx_body_id link = add_rigid(&m, name, w, w * w * w / 12.0, 0.5 * w, 0.0, pose_at(x, y, angle));
        add_joint(&m, pin, PHX_JOINT_REVOLUTE, end, at_place(&m, link, 0.0, 0.0));
        end = at_place(&m, link, w, 0.0);
        x += w * cos(angle);
        y += w * sin(angle);
    }
    add_joint(&m, "end", PHX_JOINT_REVOLUTE, end, at_place(&m, PHX_GROUND, span, 0.0));
    model_ready(&m);
    const phx_static_report report = settle_simply(&m);
    for (int k = 0; k < 200; k++)
        *(span_of(LINKS, 0.5 * (low + high)) < span ? &low : &high) = 0.5 * (low + high);
    for (int k = 0; k < LINKS; k++) {
        const double slope = -(0.5 * LINKS - k - 0.5) / (LINKS * low);
        CHECK_CLOSE(tan(m.x[5 * k + 4]), slope, 1e-9 * (1.0 + fabs(slope)), "slope of link %d", k + 1);
    }
    assert_int_equal(report.unstable, 0);
    assert_int_equal(report.free_motions, 0);
    model_close(&m);
}

/* ---- a four-bar with springs ---- */
enum { CRANK, COUPLER, ROCKER };
static const double bar_length[3] = {1.0, 2.5, 1.8}, bar_mass[3] = {1.0, 2.0, 1.5}, ground_bar = 2.2;
static const double turn_stiffness = 6.0, turn_rest = 0.9, line_stiffness = 40.0, line_length = 0.7;

/* The closed four-bar with the crank at an angle: the joint between coupler and rocker, above. */
static void close_bars(double angle, double *b)
{
    const double a[2] = {cos(angle), sin(angle)}, d[2] = {ground_bar - a[0], -a[1]};
    const double away = hypot(d[0], d[1]);
    const double along =
        (bar_length[COUPLER] * bar_length[COUPLER] - bar_length[ROCKER] * bar_length[ROCKER] + away * away) /
        (2.0 * away);
    const double up = sqrt(bar_length[COUPLER] * bar_length[COUPLER] - along * along);
    b[0] = a[0] + (along * d[0] - up * d[1]) / away;
    b[1] = a[1] + (along * d[1] + up * d[0]) / away;
}

/* Weights, a torsion spring at the crank, a line spring from the middle of the coupler to (1.5, -0.5). */
static double energy_of_bars(double angle)
{
    const double a[2] = {cos(angle), sin(angle)};
    double b[2], V = 0.0;

    close_bars(angle, b);
    V +=
        9.81 * (bar_mass[CRANK] * 0.5 * a[1] + bar_mass[COUPLER] * 0.5 * (a[1] + b[1]) + bar_mass[ROCKER] * 0.5 * b[1]);
    V += 0.5 * turn_stiffness * (angle - turn_rest) * (angle - turn_rest);
    const double length = hypot(0.5 * (a[0] + b[0]) - 1.5, 0.5 * (a[1] + b[1]) + 0.5);
    return V + 0.5 * line_stiffness * (length - line_length) * (length - line_length);
}

static double slope_of_bars(double angle)
{
    const double h = 1e-3;
    const double one = energy_of_bars(angle + h) - energy_of_bars(angle - h);
    const double two = energy_of_bars(angle + 2.0 * h) - energy_of_bars(angle - 2.0 * h);
    const double three = energy_of_bars(angle + 3.0 * h) - energy_of_bars(angle - 3.0 * h);
    return (45.0 * one - 9.0 * two + three) / (60.0 * h);
}

static void a_four_bar_rests_where_its_energy_is_least(void **state)
{
    static const char *const names[] = {"crank", "coupler", "rocker"};
    const double start = 1.9;
    double b[2], least = start;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    close_bars(start, b);
    const double a[2] = {cos(start), sin(start)};
    const phx_pose poses[3] = {pose_at(0.0, 0.0, start), pose_at(a[0], a[1], atan2(b[1] - a[1], b[0] - a[0])),
                               pose_at(ground_bar, 0.0, atan2(b[1], b[0] - ground_bar))};
    phx_body_id bar[3];
    for (int k = 0; k < 3; k++)
        bar[k] = add_rigid(&m, names[k], bar_mass[k], 0.1, 0.5 * bar_length[k], 0.0, poses[k]);
    phx_joint_def foot =
        joint_def("foot", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, bar[CRANK], 0.0, 0.0));
    foot.n_coordinates = 1;
    foot.coordinate[0].stiffness = turn_stiffness;
    foot.coordinate[0].rest = turn_rest;
    add_joint_def(&m, &foot);
    add_joint(&m, "elbow", PHX_JOINT_REVOLUTE, at_place(&m, bar[CRANK], bar_length[CRANK], 0.0),
              at_place(&m, bar[COUPLER], 0.0, 0.0));
    add_joint(&m, "knee", PHX_JOINT_REVOLUTE, at_place(&m, bar[COUPLER], bar_length[COUPLER], 0.0),
              at_place(&m, bar[ROCKER], bar_length[ROCKER], 0.0));
    add_joint(&m, "base", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, ground_bar, 0.0),
              at_place(&m, bar[ROCKER], 0.0, 0.0));
    add_spring(&m, "spring", at_place(&m, bar[COUPLER], 0.5 * bar_length[COUPLER], 0.0),
               at_place(&m, PHX_GROUND, 1.5, -0.5), line_stiffness, 3.0, line_length, NULL);
    model_ready(&m);
    const phx_static_report report = settle_simply(&m);
    for (double h = 1e-2; slope_of_bars(least) * slope_of_bars(least - h) > 0.0;) /* down from the start */
        least -= h * (slope_of_bars(least) > 0.0 ? 1.0 : -1.0);
    double low = least - 1e-2, high = least;
    for (int k = 0; k < 100; k++)
        *(slope_of_bars(0.5 * (low + high)) > 0.0 ? &high : &low) = 0.5 * (low + high);
    CHECK_CLOSE(m.x[4], low, 1e-10, "angle of the crank");
    assert_int_equal(report.unstable, 0);
    model_close(&m);
}

/* ---- beams ---- */
/* A cantilever of welded pieces with stiffening, under a force across and along at its end. */
static void open_cantilever(phx_context *context, int pieces, double fx, double fy, model *m)
{
    beam_kind kind = beam_default();

    model_open(context, 0.0, 0.0, m);
    kind.length = 1.0 / pieces;
    kind.bending = 1.0;
    kind.axial = 1e4;
    kind.elements = 1;
    kind.stiffening = true;
    phx_port_id end = at_place(m, PHX_GROUND, 0.0, 0.0);
    for (int k = 0; k < pieces; k++) {
        char name[32], weld[32];
        snprintf(name, sizeof name, "piece%d", k + 1);
        snprintf(weld, sizeof weld, "weld%d", k + 1);
        const phx_body_id piece = add_beam(m, name, &kind, pose_at(k * kind.length, 0.0, 0.0));
        add_joint(m, weld, PHX_JOINT_WELD, end, at_beam(m, piece, 0.0));
        end = at_beam(m, piece, 1.0);
    }
    add_force(m, "force", end, false, constant(m, fx), constant(m, fy));
    add_output(m, "tip", PHX_QUANTITY_POSITION, end);
    model_ready(m);
}

/* The inextensible elastica under an end force P across in units of EI/L^2, by shooting with classical Runge-Kutta
 * steps: theta'' = -P cos(theta), theta(0) = 0, theta'(1) = 0. Returns the place of the tip. */
static double shoot(double P, double slope, double *tip)
{
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    double theta = 0.0, rate = slope;

    tip[0] = tip[1] = 0.0;
    for (int k = 0; k < STEPS; k++) {
        const double k1 = rate, l1 = -P * cos(theta);
        const double k2 = rate + 0.5 * h * l1, l2 = -P * cos(theta + 0.5 * h * k1);
        const double k3 = rate + 0.5 * h * l2, l3 = -P * cos(theta + 0.5 * h * k2);
        const double k4 = rate + h * l3, l4 = -P * cos(theta + h * k3);
        const double middle = theta + 0.5 * h * k1 + 0.125 * h * h * l1; /* for the place: Simpson */
        const double next = theta + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
        tip[0] += h * (cos(theta) + 4.0 * cos(middle) + cos(next)) / 6.0;
        tip[1] += h * (sin(theta) + 4.0 * sin(middle) + sin(next)) / 6.0;
        rate += h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0;
        theta = next;
    }
    return rate;
}

static void a_cantilever_of_pieces_becomes_the_elastica(void **state)
{
    const double P = 4.0;
    double low = 0.0, high = P, tip[2], error[2], columns[2];

    for (int k = 0; k < 60; k++)
        *(shoot(P, 0.5 * (low + high), tip) > 0.0 ? &high : &low) = 0.5 * (low + high);
    for (int k = 0; k < 2; k++) {
        model m;
        open_cantilever(*state, k ? 16 : 8, 0.0, P, &m);
        const phx_static_report report = settle_simply(&m);
        assert_int_equal(report.unstable, 0);
        CHECK_OK(*state, phx_system_static_outputs(m.dae, 0.0, m.x, m.lambda, columns));
        error[k] = hypot(columns[0] - tip[0], columns[1] - tip[1]);
        model_close(&m);
    }
    CHECK_BELOW(error[0], 0.01, "8 pieces");
    CHECK_BELOW(error[1], 0.27 * error[0], "16 pieces, of second order");
}

/* The same with few pieces against the start whose deformations are in equilibrium, which another iteration finds. */
static void it_is_the_quasi_static_start_where_all_is_held(void **state)
{
    model m;
    open_cantilever(*state, 3, 0.5, 0.3, &m);
    double *x = calloc((size_t)m.n_x, sizeof *x);
    assert_non_null(x);
    (void)settle_simply(&m);
    memcpy(x, m.x, (size_t)m.n_x * sizeof *x);
    model_start(&m, true);
    CHECK_VECTOR(m.n_x, x, m.x, 1e-9, "configuration");
    free(x);
    model_close(&m);
}

/* ---- a shallow truss that snaps through ---- */
static const double truss_stiffness = 1000.0, truss_height = 0.3;

/* The load that holds the top at a height, down. */
static double load_at(double height)
{
    const double length = hypot(1.0, height), rest = hypot(1.0, truss_height);
    return 2.0 * truss_stiffness * (rest - length) * height / length;
}

typedef struct truss_path {
    model *m;
    double limit, before; /* largest load that the upper branch carries; height of the step before */
    int points, jumps;
} truss_path;

static phx_status look_at_truss(void *user, const phx_static_point *point)
{
    truss_path *path = user;
    const double height = point->x[1], load = 1.2 * path->limit * point->load;

    CHECK_CLOSE(load_at(height), load, 1e-9 * path->limit, "load at step %d", path->points);
    assert_int_equal(point->unstable, 0);
    CHECK_BELOW(point->unbalanced, 1e-10, "forces out of balance");
    if (path->points > 0 && path->before > 0.0 && height < 0.0) {
        path->jumps++;
        CHECK_BETWEEN(load, path->limit, 1.1 * path->limit, "it snaps behind the largest load");
    }
    path->before = height;
    path->points++;
    return PHX_OK;
}

/* The top under 1.2 times the largest load of the upper branch. */
static void open_truss(phx_context *context, model *m, double *limit)
{
    *limit = 0.0;
    for (double height = 0.0; height < truss_height; height += 1e-5)
        *limit = fmax(*limit, load_at(height));
    model_open(context, 0.0, 0.0, m);
    const phx_body_id top = add_rigid(m, "top", 1.0, 0.01, 0.0, 0.0, pose_at(0.0, truss_height, 0.0));
    const phx_port_id at = at_place(m, top, 0.0, 0.0);
    add_joint(m, "guide", PHX_JOINT_PRISMATIC, at_turned(m, PHX_GROUND, 0.0, 0.0, 0.5 * TEST_PI),
              at_turned(m, top, 0.0, 0.0, 0.5 * TEST_PI));
    add_spring(m, "left", at_place(m, PHX_GROUND, -1.0, 0.0), at, truss_stiffness, 0.0, hypot(1.0, truss_height), NULL);
    add_spring(m, "right", at_place(m, PHX_GROUND, 1.0, 0.0), at, truss_stiffness, 0.0, hypot(1.0, truss_height), NULL);
    add_force(m, "load", at, false, NULL, constant(m, -1.2 * *limit));
    model_ready(m);
}

static void a_truss_snaps_through_at_its_largest_load(void **state)
{
    truss_path path = {0};
    phx_static_options options = phx_static_options_default();
    model m;

    open_truss(*state, &m, &path.limit);
    path.m = &m;
    options.steps = 30;
    options.deliver = look_at_truss;
    options.user = &path;
    (void)settle(&m, &options);
    assert_int_equal(path.points, 31);
    assert_int_equal(path.jumps, 1);
    model_close(&m);
}

/* By arc length it comes through the flat truss and the lowest load, unstable between both. */
static phx_status follow_truss(void *user, const phx_static_point *point)
{
    truss_path *path = user;
    const double height = point->x[1], load = 1.2 * path->limit * point->load, h = 1e-6;

    CHECK_CLOSE(load_at(height), load, 1e-9 * path->limit, "load at point %d", path->points);
    assert_int_equal(point->unstable, load_at(height + h) > load_at(height - h)); /* of the load down */
    if (path->points++ > 0)
        CHECK_BELOW(height, path->before, "it goes down and down");
    path->before = height;
    return PHX_OK;
}

static void its_path_goes_on_through_limit_points(void **state)
{
    truss_path path = {0};
    phx_path_options options = phx_path_options_default();
    phx_static_report report;
    model m;

    open_truss(*state, &m, &path.limit);
    options.deliver = follow_truss;
    options.user = &path;
    CHECK_OK(*state, phx_system_static_path(m.dae, &options, m.x, m.lambda, &report));
    CHECK_BELOW(path.before, -0.3, "it has come through");
    CHECK_CLOSE(load_at(m.x[1]), 1.2 * path.limit, 1e-9 * path.limit, "the load at the end");
    assert_int_equal(report.unstable, 0);
    model_close(&m);
}

/* ---- columns ---- */
/* Rigid links of length 1 with a torsion spring k at each pin, the upper end free under a force P down. */
static void open_column(phx_context *context, int links, double k, double P, model *m)
{
    model_open(context, 0.0, 0.0, m);
    phx_port_id end = at_turned(m, PHX_GROUND, 0.0, 0.0, 0.5 * TEST_PI);
    for (int i = 0; i < links; i++) {
        char name[32], pin[32];
        snprintf(name, sizeof name, "link%d", i + 1);
        snprintf(pin, sizeof pin, "pin%d", i + 1);
        const phx_body_id link = add_rigid(m, name, 1.0, 0.1, 0.5, 0.0, pose_at(0.0, i, 0.5 * TEST_PI));
        phx_joint_def def = joint_def(pin, PHX_JOINT_REVOLUTE, end, at_place(m, link, 0.0, 0.0));
        def.n_coordinates = 1;
        def.coordinate[0].stiffness = k;
        add_joint_def(m, &def);
        end = at_place(m, link, 1.0, 0.0);
    }
    add_force(m, "weight", end, false, NULL, constant(m, -P));
    add_output(m, "top", PHX_QUANTITY_POSITION, end);
    model_ready(m);
}

/* Two links: k (2 a - b) = P a, k (b - a) = P b: P/k = (3 -+ sqrt 5)/2. */
static void critical_factors_are_those_of_the_links(void **state)
{
    const double k = 7.0, loads[3] = {0.8, 50.0, 1e-4}; /* below, between and far below the critical ones */
    phx_critical_load critical[4];
    double linear[4];
    int found = 0, n_linear = 0;

    for (int l = 0; l < 3; l++) {
        const double first = 0.5 * (3.0 - sqrt(5.0)) * k / loads[l], second = 0.5 * (3.0 + sqrt(5.0)) * k / loads[l];
        model m;
        open_column(*state, 2, k, loads[l], &m);
        double *shapes = calloc(4 * (size_t)m.dae->n_v, sizeof *shapes);
        assert_non_null(shapes);
        CHECK_OK(*state, phx_system_buckling(m.dae, 0.0, m.x, 4, critical, shapes, &found, linear, &n_linear));
        assert_int_equal(found, 2);
        assert_int_equal(n_linear, 2);
        CHECK_RELATIVE(critical[0].factor, first, 1e-10, "first of load %g", loads[l]);
        CHECK_RELATIVE(critical[1].factor, second, 1e-10, "second of load %g", loads[l]);
        CHECK_RELATIVE(linear[0], first, 1e-8, "first, linearised");
        CHECK_RELATIVE(linear[1], second, 1e-8, "second, linearised");
        assert_false(critical[0].limit || critical[1].limit);
        /* rates of the links' angles: 2 a - b = P/k a */
        CHECK_RELATIVE(shapes[5], (2.0 - 0.5 * (3.0 - sqrt(5.0))) * shapes[2], 1e-4, "first mode");
        free(shapes);
        model_close(&m);
    }
}

static void the_truss_snaps_at_a_limit_point(void **state)
{
    phx_critical_load critical[3];
    double linear[3], limit;
    int found = 0, n_linear = 0;
    model m;

    open_truss(*state, &m, &limit); /* under 1.2 times the limit */
    CHECK_OK(*state, phx_system_buckling(m.dae, 0.0, m.x, 3, critical, NULL, &found, linear, &n_linear));
    assert_int_equal(found, 1); /* pulled up it stays stable */
    assert_true(critical[0].limit);
    CHECK_RELATIVE(critical[0].factor, 1.0 / 1.2, 1e-7, "limit point");
    model_close(&m);
}

typedef struct buckled {
    double k, P;
    int points, bent, most;
} buckled;

static phx_status look_at_column(void *user, const phx_static_point *point)
{
    buckled *it = user;
    const double angle = point->x[4] - 0.5 * TEST_PI;

    if (fabs(angle) > 1e-3) { /* one link: k angle = P sin(angle) */
        CHECK_RELATIVE(point->load * it->P * sin(fabs(angle)), it->k * fabs(angle), 1e-8, "on the branch");
        assert_int_equal(point->unstable, 0);
        it->bent++;
    } else {
        assert_int_equal(point->unstable, point->load * it->P > it->k);
    }
    it->most = point->unstable > it->most ? point->unstable : it->most;
    it->points++;
    return PHX_OK;
}

static void a_path_takes_the_branch_of_a_buckled_column(void **state)
{
    for (int branch = 0; branch < 2; branch++) {
        buckled it = {.k = 3.1, .P = 5.0};
        phx_path_options options = phx_path_options_default();
        phx_static_report report;
        model m;
        open_column(*state, 1, it.k, it.P, &m);
        options.deliver = look_at_column;
        options.user = &it;
        options.branch = branch;
        CHECK_OK(*state, phx_system_static_path(m.dae, &options, m.x, m.lambda, &report));
        assert_int_equal(it.most, 1);
        assert_true(branch ? it.bent > 5 : it.bent == 0);
        assert_int_equal(report.unstable, !branch);
        model_close(&m);
    }
}

/* ---- space: a platform on six springs ---- */
enum { LEGS = 6 };
static const double feet[LEGS][3] = {{1.0, 0.0, 0.0},  {0.6, 0.9, 0.1},   {-0.5, 0.8, 0.0},
                                     {-1.0, 0.1, 0.2}, {-0.4, -0.9, 0.0}, {0.5, -0.8, -0.1}};
static const double heads[LEGS][3] = {{0.5, 0.2, 0.0},  {0.1, 0.6, 0.0},   {-0.3, 0.5, 0.1},
                                      {-0.6, 0.0, 0.0}, {-0.1, -0.5, 0.0}, {0.4, -0.4, 0.05}};
static const double leg_length[LEGS] = {1.0, 1.1, 0.9, 1.05, 1.0, 0.95};
static const double leg_stiffness = 300.0;

/* Energy at a place and a rotation vector. */
static double energy_of_platform(const double *z)
{
    const double angle = sqrt(z[3] * z[3] + z[4] * z[4] + z[5] * z[5]);
    double R[9], c[3], V = 0.0;

    phx_rot_axis_angle(3, z + 3, angle, R);
    phx_rot_apply(3, R, (const double[3]){0.4, 0.1, -0.2}, c); /* of add_rigid_space */
    V += 2.0 * 9.81 * (z[2] + c[2]);
    for (int k = 0; k < LEGS; k++) {
        double d[3], length = 0.0;
        phx_rot_apply(3, R, heads[k], d);
        for (int a = 0; a < 3; a++)
            length += (z[a] + d[a] - feet[k][a]) * (z[a] + d[a] - feet[k][a]);
        length = sqrt(length);
        V += 0.5 * leg_stiffness * (length - leg_length[k]) * (length - leg_length[k]);
    }
    return V;
}

static double slope_of_platform(const double *z, int i)
{
    static const double weights[3] = {45.0, -9.0, 1.0};
    const double h = 2e-3;
    double moved[6], sum = 0.0;

    for (int k = 1; k <= 3; k++) {
        memcpy(moved, z, sizeof moved);
        moved[i] = z[i] + k * h;
        sum += weights[k - 1] * energy_of_platform(moved);
        moved[i] = z[i] - k * h;
        sum -= weights[k - 1] * energy_of_platform(moved);
    }
    return sum / (60.0 * h);
}

static void a_platform_rests_where_its_energy_is_least(void **state)
{
    const double gravity[3] = {0.0, 0.0, -9.81};
    double z[6], slope[6], H[36];
    model m;

    model_open_space(*state, gravity, &m);
    const phx_body_id platform = add_rigid_space(&m, "platform", pose_turned(0.1, -0.1, 1.1, 0.3, 1.0, 0.2, 0.3));
    for (int k = 0; k < LEGS; k++)
        add_spring(&m, (const char *const[]){"a", "b", "c", "d", "e", "f"}[k],
                   at_space(&m, PHX_GROUND, feet[k][0], feet[k][1], feet[k][2], 1.0, 0.0, 0.0, 0.0),
                   at_space(&m, platform, heads[k][0], heads[k][1], heads[k][2], 1.0, 0.0, 0.0, 0.0), leg_stiffness,
                   0.0, leg_length[k], NULL);
    model_ready(&m);
    const phx_static_report report = settle_simply(&m);
    assert_int_equal(report.unstable, 0);
    assert_int_equal(report.free_motions, 0);
    memcpy(z, m.x, 3 * sizeof *z);
    phx_rot_to_vector(m.x + 3, z + 3);
    for (int i = 0; i < 6; i++) { /* the slopes are zero: one step of Newton's says how far from there */
        slope[i] = slope_of_platform(z, i);
        for (int j = 0; j < 6; j++) {
            double moved[6], h = 1e-4;
            memcpy(moved, z, sizeof moved);
            moved[j] += h;
            H[6 * i + j] = slope_of_platform(moved, i);
            moved[j] -= 2.0 * h;
            H[6 * i + j] = (H[6 * i + j] - slope_of_platform(moved, i)) / (2.0 * h);
        }
    }
    CHECK_OK(*state, phx_dense_solve(*state, 6, H, 1, slope));
    CHECK_SMALL(max_abs(6, slope), 1e-9, "from the least energy");
    model_close(&m);
}

/* ---- space: a right-angled frame ---- */
/* Arm a along x, clamped, arm b along y at its end, a small force along z at the tip. Castigliano: bending of both arms
 * and torsion of the first, whose shapes the cubic elements have exactly. */
static void a_right_angled_frame_bends_and_twists(void **state)
{
    const double gravity[3] = {0.0, 0.0, 0.0}, F = 1e-5;
    beam_kind kind = beam_default();
    double columns[3];
    model m;

    model_open_space(*state, gravity, &m);
    kind.elements = 3;
    const phx_body_id a = add_beam(&m, "a", &kind, pose_turned(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0));
    const phx_body_id b = add_beam(&m, "b", &kind, pose_turned(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.5 * TEST_PI));
    add_joint(&m, "clamp", PHX_JOINT_WELD, at_space(&m, PHX_GROUND, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
              at_beam(&m, a, 0.0));
    add_joint(&m, "corner", PHX_JOINT_WELD, at_beam(&m, a, 1.0), at_beam(&m, b, 0.0));
    const phx_port_id tip = at_beam(&m, b, 1.0);
    const phx_load_def load = {
        .name = "force", .kind = PHX_LOAD_FORCE, .port = tip, .component = {NULL, NULL, constant(&m, F)}};
    CHECK_OK(*state, phx_system_add_load(m.system, &load));
    add_output(&m, "tip", PHX_QUANTITY_POSITION, tip);
    model_ready(&m);
    (void)settle_simply(&m);
    CHECK_OK(*state, phx_system_static_outputs(m.dae, 0.0, m.x, m.lambda, columns));
    const double EI = 40.0, GJ = 30.0; /* about y of the sections, where z is across */
    CHECK_RELATIVE(columns[2], F * (2.0 / (3.0 * EI) + 1.0 / GJ), 1e-8, "tip");
    model_close(&m);
}

/* ---- free motions ---- */
static void what_nothing_holds_is_named(void **state)
{
    phx_static_options options = phx_static_options_default();
    phx_static_report report;
    model m;

    model_open(*state, 0.0, -9.81, &m); /* a balanced wheel, turned by nothing */
    const phx_body_id wheel = add_rigid(&m, "wheel", 2.0, 0.3, 0.0, 0.0, pose_at(0.0, 0.0, 0.2));
    add_joint(&m, "axle", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, wheel, 0.0, 0.0));
    add_torque(&m, "motor", at_place(&m, wheel, 0.0, 0.0), sine(&m, 0.0, 1.0, 1.0));
    model_ready(&m);
    report = settle_simply(&m);
    assert_int_equal(report.free_motions, 1);
    CHECK_TEXT(report.free_names, "joint 'axle'");
    CHECK_CLOSE(m.x[4], 0.2, 1e-13, "it stays where it was");
    options.t = 1.0; /* with a torque there is none */
    CHECK_STATUS(*state, phx_system_static(m.dae, &options, m.x, m.lambda, &report), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(*state, "axle");
    model_close(&m);

    model_open(*state, 0.0, -9.81, &m); /* a body that falls */
    add_rigid(&m, "stone", 2.0, 0.3, 0.0, 0.0, pose_at(0.0, 0.0, 0.2));
    model_ready(&m);
    CHECK_STATUS(*state, phx_system_static(m.dae, &options, m.x, m.lambda, &report), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(*state, "stone");
    model_close(&m);
}

/* A pendulum on a cart that nothing holds: nearest to a start at rest is the place where the centre of mass has not
 * moved aside. */
static void of_a_family_the_nearest_is_taken(void **state)
{
    const double cart_mass = 3.0, mass = 2.0, l = 0.8, angle = 1.1;
    model m;

    model_open(*state, 0.0, -9.81, &m);
    const phx_body_id cart = add_rigid(&m, "cart", cart_mass, 0.1, 0.0, 0.0, pose_at(0.3, 0.0, 0.0));
    const phx_body_id bob =
        add_rigid(&m, "bob", mass, 0.05, 0.0, 0.0, pose_at(0.3 + l * sin(angle), -l * cos(angle), angle));
    add_joint(&m, "rail", PHX_JOINT_PRISMATIC, at_place(&m, PHX_GROUND, 0.0, 0.0), at_place(&m, cart, 0.0, 0.0));
    add_joint(&m, "pin", PHX_JOINT_REVOLUTE, at_place(&m, cart, 0.0, 0.0), at_place(&m, bob, 0.0, l));
    model_ready(&m);
    const phx_static_report report = settle_simply(&m);
    assert_int_equal(report.method, PHX_STATIC_DESCENT);
    assert_int_equal(report.free_motions, 1);
    CHECK_CLOSE(m.x[5 + 4], 0.0, 1e-13, "it hangs");
    CHECK_CLOSE(m.x[0], 0.3 + mass * l * sin(angle) / (cart_mass + mass), 1e-13, "the cart");
    model_close(&m);
}

/* Three bodies and three springs, free in the plane: the triangle of the springs' lengths at the centre of mass of the
 * start, turned by the angle with the least sum of m |r - r0|^2: tan = sum m (p x r0) / sum m p . r0, p the triangle
 * about its centre. Where the start is far the family is curved. */
static void a_family_that_turns_is_gone_along_to_the_nearest(void **state)
{
    static const double mass[3] = {1.0, 2.5, 0.7}, length[3] = {1.1, 0.9, 1.3};
    static const double start[3][2] = {{0.2, 0.1}, {1.9, 0.7}, {0.1, 1.4}};
    const double along = (length[0] * length[0] + length[2] * length[2] - length[1] * length[1]) / (2.0 * length[0]);
    double p[3][2] = {{0.0, 0.0}, {length[0], 0.0}, {along, sqrt(length[2] * length[2] - along * along)}};
    double centre[2] = {0.0, 0.0}, own[2] = {0.0, 0.0}, sine_sum = 0.0, cosine_sum = 0.0;
    phx_body_id body[3];
    model m;

    model_open(*state, 0.0, 0.0, &m);
    for (int k = 0; k < 3; k++)
        body[k] = add_rigid(&m, (const char *const[]){"a", "b", "c"}[k], mass[k], 0.01, 0.0, 0.0,
                            pose_at(start[k][0], start[k][1], 0.3 * k));
    for (int k = 0; k < 3; k++)
        add_spring(&m, (const char *const[]){"ab", "bc", "ca"}[k], at_place(&m, body[k], 0.0, 0.0),
                   at_place(&m, body[(k + 1) % 3], 0.0, 0.0), 30.0 + 10.0 * k, 0.0, length[k], NULL);
    model_ready(&m);
    const phx_static_report report = settle_simply(&m);
    assert_int_equal(report.free_motions, 6);
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 2; a++) {
            centre[a] += mass[k] * start[k][a] / (mass[0] + mass[1] + mass[2]);
            own[a] += mass[k] * p[k][a] / (mass[0] + mass[1] + mass[2]);
        }
    for (int k = 0; k < 3; k++) {
        const double u[2] = {p[k][0] - own[0], p[k][1] - own[1]};
        const double d[2] = {start[k][0] - centre[0], start[k][1] - centre[1]};
        sine_sum += mass[k] * (u[0] * d[1] - u[1] * d[0]);
        cosine_sum += mass[k] * (u[0] * d[0] + u[1] * d[1]);
    }
    const double turn = atan2(sine_sum, cosine_sum);
    for (int k = 0; k < 3; k++) {
        const double u[2] = {p[k][0] - own[0], p[k][1] - own[1]};
        CHECK_CLOSE(m.x[5 * k], centre[0] + cos(turn) * u[0] - sin(turn) * u[1], 1e-12, "x of %d", k);
        CHECK_CLOSE(m.x[5 * k + 1], centre[1] + sin(turn) * u[0] + cos(turn) * u[1], 1e-12, "y of %d", k);
        CHECK_CLOSE(m.x[5 * k + 4], 0.3 * k, 1e-12, "attitude of %d", k);
    }
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_hangs_down_from_anywhere),
        cmocka_unit_test(an_unstable_start_stays_unless_told),
        cmocka_unit_test(a_chain_hangs_as_its_links_do),
        cmocka_unit_test(a_four_bar_rests_where_its_energy_is_least),
        cmocka_unit_test(a_cantilever_of_pieces_becomes_the_elastica),
        cmocka_unit_test(it_is_the_quasi_static_start_where_all_is_held),
        cmocka_unit_test(a_truss_snaps_through_at_its_largest_load),
        cmocka_unit_test(its_path_goes_on_through_limit_points),
        cmocka_unit_test(critical_factors_are_those_of_the_links),
        cmocka_unit_test(the_truss_snaps_at_a_limit_point),
        cmocka_unit_test(a_path_takes_the_branch_of_a_buckled_column),
        cmocka_unit_test(a_platform_rests_where_its_energy_is_least),
        cmocka_unit_test(a_right_angled_frame_bends_and_twists),
        cmocka_unit_test(what_nothing_holds_is_named),
        cmocka_unit_test(of_a_family_the_nearest_is_taken),
        cmocka_unit_test(a_family_that_turns_is_gone_along_to_the_nearest),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
