/* The elimination order: on mechanisms of any topology the sparse factorisation agrees with dense algebra, the fill of
 * a chain is linear, and stars, loops, separate mechanisms and bodies without joints all factor. */
#include "support.h"

#include "system/fast/fast.h"
#include "algebra/internal.h"

/* ---- random mechanisms that close by construction ---- */
typedef struct placed {
    phx_body_id id;
    double x, y, angle;
} placed;

static phx_port_id port_at_world(model *m, const placed *body, double x, double y)
{
    if (body->id == PHX_GROUND)
        return at_place(m, PHX_GROUND, x, y);
    const double c = cos(body->angle), s = sin(body->angle), dx = x - body->x, dy = y - body->y;
    return at_place(m, body->id, c * dx + s * dy, -s * dx + c * dy);
}

static void random_joint(model *m, uint64_t *seed, const placed *a, const placed *b, int number)
{
    const double x = random_value(seed), y = random_value(seed), angle = 3.0 * random_value(seed);
    const int kind = (int)(2.0 * (random_value(seed) + 1.0));
    char name[32];
    snprintf(name, sizeof name, "joint%d", number);
    phx_joint_def def = joint_def(name, (phx_joint_kind)kind, port_at_world(m, a, x, y), -1);
    double along = 0.0;

    if (kind == PHX_JOINT_PRISMATIC || kind == PHX_JOINT_SLIDER) {
        along = random_value(seed);
        def.axis[0] = cos(angle - a->angle);
        def.axis[1] = sin(angle - a->angle);
    }
    def.b = port_at_world(m, b, x + along * cos(angle), y + along * sin(angle));
    if (kind != PHX_JOINT_WELD && random_value(seed) > 0.6) {
        def.n_coordinates = 1;
        if (random_value(seed) > 0.0)
            def.coordinate[0].speed = constant(m, 0.0);
        else
            def.coordinate[0].stiffness = 10.0;
    }
    add_joint_def(m, &def);
}

static placed random_body(model *m, uint64_t *seed, int number, double decades)
{
    placed body = {.x = random_value(seed), .y = random_value(seed), .angle = 3.0 * random_value(seed)};
    char name[32];
    snprintf(name, sizeof name, "body%d", number);
    const phx_pose pose = pose_at(body.x, body.y, body.angle);
    const double mass = pow(10.0, 0.5 * decades * random_value(seed));
    body.id = add_rigid(m, name, mass, 0.1 * mass, 0.3 * random_value(seed), 0.0, pose);
    return body;
}

/* Masses spread over so many decades. */
static void random_mechanism(model *m, uint64_t *seed, int bodies, int extra, double decades)
{
    placed list[64] = {{.id = PHX_GROUND}};
    int joints = 0;

    for (int b = 1; b <= bodies; b++) {
        const int other = (int)((random_value(seed) + 1.0) * 0.5 * b);
        list[b] = random_body(m, seed, b, decades);
        if (random_value(seed) > -0.8) /* some start a mechanism of their own */
            random_joint(m, seed, &list[other < b ? other : b - 1], &list[b], joints++);
    }
    for (int k = 0; k < extra; k++) {
        const int a = (int)((random_value(seed) + 1.0) * 0.5 * (bodies + 1)),
                  b = (int)((random_value(seed) + 1.0) * 0.5 * (bodies + 1));
        if (a != b && a <= bodies && b <= bodies)
            random_joint(m, seed, &list[a], &list[b], joints++);
    }
}

/* ---- the factorisation against dense algebra ---- */
static workspace *inside(model *m)
{
    return (workspace *)m->dae;
}

/* Backward error of the sparse solution, and of the dense one, of the matrix factored last. */
static void compare_with_dense(model *m, double tolerance, const char *what)
{
    const kkt_matrix *kkt = &inside(m)->kkt;
    const int n = kkt->n;
    double *A = calloc((size_t)(2 * n * n), sizeof *A), *b = calloc((size_t)(3 * n), sizeof *b), *x = b + n, *y = x + n;
    uint64_t seed = 99;

    assert_non_null(A);
    assert_non_null(b);
    for (int i = 0; i < n; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            A[i * n + kkt->idx[k]] = inside(m)->values.val[k];
    memcpy(A + n * n, A, (size_t)(n * n) * sizeof *A);
    random_vector(&seed, n, 1.0, b);
    memcpy(x, b, (size_t)n * sizeof *x);
    memcpy(y, b, (size_t)n * sizeof *y);
    CHECK_OK(m->context, m->dae->ops->solve(m->dae, 0, x));
    CHECK_OK(m->context, phx_dense_solve(m->context, n, A + n * n, 1, y));
    for (int i = 0; i < n; i++) {
        double sum[2] = {-b[i], -b[i]}, scale[2] = {fabs(b[i]), fabs(b[i])};
        for (int j = 0; j < n; j++) {
            sum[0] += A[i * n + j] * x[j];
            sum[1] += A[i * n + j] * y[j];
            scale[0] += fabs(A[i * n + j] * x[j]);
            scale[1] += fabs(A[i * n + j] * y[j]);
        }
        CHECK_CLOSE(sum[0] / scale[0], 0.0, tolerance, "%s: backward error of equation %d of %d, sparse", what, i, n);
        CHECK_CLOSE(sum[1] / scale[1], 0.0, tolerance, "%s: backward error of equation %d of %d, dense", what, i, n);
    }
    free(A);
    free(b);
}

static void factor_at_start(model *m, double h)
{
    CHECK_OK(m->context, m->dae->ops->linearise(m->dae, 0.0, m->x, m->v, m->lambda));
    CHECK_OK(m->context, m->dae->ops->factor(m->dae, 0, 2.0 / h));
}

static void random_mechanisms_factor(void **state)
{
    for (uint64_t k = 0; k < TEST_LONG(120); k++) {
        uint64_t seed = 7919 * k + 17;
        char what[40];
        model m;
        model_open(*state, 0.0, -9.81, &m);
        random_mechanism(&m, &seed, 1 + (int)(k % 13), (int)(k % 5), k % 2 ? 4.0 : 1.0);
        model_finalise(&m);
        memcpy(m.x, m.system->start.x, (size_t)m.n_x * sizeof *m.x);
        snprintf(what, sizeof what, "mechanism %d", (int)k);
        factor_at_start(&m, k % 3 ? 1e-3 : 1e-5);
        /* pivots within a factor 1000 and masses over four decades cost digits, but not all */
        compare_with_dense(&m, k % 2 ? 1e-6 : 1e-8, what);
        model_close(&m);
    }
}

/* No leading block of the order is singular: without pivoting, every pivot is sound. */
static void leading_blocks_are_regular(void **state)
{
    for (uint64_t k = 0; k < TEST_LONG(400); k++) {
        uint64_t seed = 104729 * k + 3;
        model m;
        model_open(*state, 0.0, 0.0, &m);
        random_mechanism(&m, &seed, 4 + (int)(k % 12), (int)(k % 7), 1.0);
        model_finalise(&m);
        memcpy(m.x, m.system->start.x, (size_t)m.n_x * sizeof *m.x);
        factor_at_start(&m, 1e-4);
        const kkt_matrix *kkt = &inside(&m)->kkt;
        const int n = kkt->n;
        double *A = calloc((size_t)(n * n), sizeof *A);
        int *place = calloc((size_t)n, sizeof *place);
        assert_non_null(A);
        assert_non_null(place);
        for (int i = 0; i < n; i++)
            place[kkt->order[i]] = i;
        for (int i = 0; i < n; i++)
            for (int e = kkt->ptr[i]; e < kkt->ptr[i + 1]; e++)
                A[place[i] * n + place[kkt->idx[e]]] = inside(&m)->values.val[e];
        for (int i = 0; i < n; i++) { /* a pivot, relative to the terms it is the sum of */
            double scale = fabs(A[i * n + i]);
            for (int j = 0; j < i; j++)
                scale += fabs(A[i * n + j] * A[j * n + i]);
            if (!(fabs(A[i * n + i]) > 1e-12 * scale))
                fail_msg("mechanism %d: pivot %d of %d is %.3e of terms of %.3e", (int)k, i, n, A[i * n + i], scale);
            for (int r = i + 1; r < n; r++) {
                A[r * n + i] /= A[i * n + i];
                for (int j = i + 1; j < n; j++)
                    A[r * n + j] -= A[r * n + i] * A[i * n + j];
            }
        }
        free(A);
        free(place);
        model_close(&m);
    }
}

/* ---- fill ---- */
static long fill_of(model *m)
{
    long entries = 0;
    factor_at_start(m, 1e-3);
    phx_lu_stats(inside(m)->values.lu[0], NULL, NULL, NULL, &entries);
    return entries;
}

static void link_name(char *name, const char *prefix, int k)
{
    snprintf(name, 16, "%s%d", prefix, k);
}

/* Links of length 1 along x, the first on the ground at the given link. */
static void chain(model *m, int links, int grounded, bool flexible)
{
    phx_port_id end = -1;
    const beam_kind kind = beam_default();
    char name[16];

    for (int k = 0; k < links; k++) {
        link_name(name, "link", k);
        const phx_body_id body = flexible ? add_beam(m, name, &kind, pose_at(k, 0.0, 0.0))
                                          : add_rigid(m, name, 1.0, 0.1, 0.5, 0.0, pose_at(k, 0.0, 0.0));
        const phx_port_id start = flexible ? at_beam(m, body, 0.0) : at_place(m, body, 0.0, 0.0);
        link_name(name, "pin", k);
        if (k == grounded)
            add_joint(m, "ground", PHX_JOINT_REVOLUTE, at_place(m, PHX_GROUND, k, 0.0), start);
        if (k > 0)
            add_joint(m, name, PHX_JOINT_REVOLUTE, end, start);
        end = flexible ? at_beam(m, body, 1.0) : at_place(m, body, 1.0, 0.0);
    }
}

static void fill_of_a_chain_is_linear(void **state)
{
    for (int variant = 0; variant < 4; variant++) {
        long entries[2];
        for (int size = 0; size < 2; size++) {
            const int links = size ? 300 : 75;
            model m;
            model_open(*state, 0.0, -9.81, &m);
            chain(&m, links, variant == 1 ? links / 2 : (variant == 3 ? -1 : 0), variant == 2);
            model_ready(&m);
            entries[size] = fill_of(&m);
            model_close(&m);
        }
        CHECK_CLOSE((double)entries[1] / (double)entries[0], 4.0, 0.1, "fill of 300 links against 75, variant %d",
                    variant);
        if (variant != 2 && entries[1] > 300 * 45)
            fail_msg("variant %d: %ld entries in L+U, more than 45 a link", variant, entries[1]);
    }
}

/* A ring of links pinned to the ground at one of them. */
static void fill_of_a_ring_is_linear(void **state)
{
    long entries[2];
    for (int size = 0; size < 2; size++) {
        const int links = size ? 200 : 50;
        const double radius = 0.5 / sin(TEST_PI / links);
        phx_port_id first = -1, end = -1;
        char name[16];
        model m;
        model_open(*state, 0.0, -9.81, &m);
        for (int k = 0; k < links; k++) {
            const double at = 2.0 * TEST_PI * k / links, turn = at + TEST_PI / links + TEST_PI / 2.0;
            link_name(name, "link", k);
            const phx_body_id body =
                add_rigid(&m, name, 1.0, 0.1, 0.5, 0.0, pose_at(radius * cos(at), radius * sin(at), turn));
            const phx_port_id start = at_place(&m, body, 0.0, 0.0);
            link_name(name, "pin", k);
            if (k == 0)
                add_joint(&m, "ground", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, radius, 0.0), first = start);
            else
                add_joint(&m, name, PHX_JOINT_REVOLUTE, end, start);
            end = at_place(&m, body, 1.0, 0.0);
        }
        add_joint(&m, "close", PHX_JOINT_REVOLUTE, end, first);
        model_ready(&m);
        entries[size] = fill_of(&m);
        model_close(&m);
    }
    CHECK_CLOSE((double)entries[1] / (double)entries[0], 4.0, 0.4, "fill of a ring of 200 links against 50");
}

/* Arms of two links on one hub; the hub free, or on the ground. */
static void fill_of_a_star_is_linear(void **state)
{
    for (int grounded = 0; grounded < 2; grounded++) {
        long entries[2];
        for (int size = 0; size < 2; size++) {
            const int arms = size ? 160 : 40;
            char name[16];
            model m;
            model_open(*state, 0.0, -9.81, &m);
            const phx_body_id hub = add_rigid(&m, "hub", 10.0, 5.0, 0.0, 0.0, pose_at(0.0, 0.0, 0.0));
            if (grounded)
                add_joint(&m, "axle", PHX_JOINT_REVOLUTE, at_place(&m, PHX_GROUND, 0.0, 0.0),
                          at_place(&m, hub, 0.0, 0.0));
            for (int k = 0; k < arms; k++) {
                const double angle = 2.0 * TEST_PI * k / arms, c = cos(angle), s = sin(angle);
                link_name(name, "inner", k);
                const phx_body_id inner = add_rigid(&m, name, 1.0, 0.1, 0.5, 0.0, pose_at(c, s, angle));
                link_name(name, "outer", k);
                const phx_body_id outer = add_rigid(&m, name, 1.0, 0.1, 0.5, 0.0, pose_at(2.0 * c, 2.0 * s, angle));
                link_name(name, "a", k);
                add_joint(&m, name, PHX_JOINT_REVOLUTE, at_place(&m, hub, c, s), at_place(&m, inner, 0.0, 0.0));
                link_name(name, "b", k);
                add_joint(&m, name, PHX_JOINT_REVOLUTE, at_place(&m, inner, 1.0, 0.0), at_place(&m, outer, 0.0, 0.0));
            }
            model_ready(&m);
            entries[size] = fill_of(&m);
            model_close(&m);
        }
        CHECK_CLOSE((double)entries[1] / (double)entries[0], 4.0, 0.1, "fill of 160 arms against 40, %s hub",
                    grounded ? "grounded" : "free");
    }
}

/* Separate mechanisms, a body without joints, a system without any. */
static void bodies_without_joints_factor(void **state)
{
    const beam_kind kind = beam_default();
    model m;
    model_open(*state, 0.0, -9.81, &m);
    add_rigid(&m, "alone", 1.0, 0.1, 0.2, 0.0, pose_at(5.0, 0.0, 0.3));
    add_beam(&m, "alone too", &kind, pose_at(7.0, 0.0, 0.0));
    model_ready(&m);
    assert_int_equal(m.n_l, 0);
    factor_at_start(&m, 1e-3);
    compare_with_dense(&m, 1e-12, "two free bodies");
    model_close(&m);
    model_open(*state, 0.0, -9.81, &m);
    chain(&m, 3, 0, true);
    add_rigid(&m, "alone", 1.0, 0.1, 0.2, 0.0, pose_at(5.0, 5.0, 0.3));
    const phx_body_id other = add_beam(&m, "other", &kind, pose_at(0.0, 7.0, 0.0));
    add_joint(&m, "other pin", PHX_JOINT_WELD, at_place(&m, PHX_GROUND, 0.0, 7.0), at_beam(&m, other, 0.0));
    model_ready(&m);
    assert_int_equal(m.system->components.n, 3);
    factor_at_start(&m, 1e-3);
    compare_with_dense(&m, 1e-12, "three mechanisms");
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_mechanisms_factor, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(leading_blocks_are_regular, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(fill_of_a_chain_is_linear, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(fill_of_a_ring_is_linear, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(fill_of_a_star_is_linear, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bodies_without_joints_factor, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
