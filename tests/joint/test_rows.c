/* Rows: their values change over an interval exactly by h times covector . rate, whatever the ends; at an instant the
 * covectors are derivatives and the tangents second derivatives. */
#include "../port/views.h"

#include "joint/joint.h"

enum { SAMPLES = 400, LD = 2 * PHX_PORT_MAX };

static const char *const names[] = {"POINT", "NORMAL", "DOT",  "DISPLACEMENT", "ANGLE",     "TURN",          "TILT",
                                    "AXIAL", "RADIAL", "ROLL", "SLIP",         "ELLIPSOID", "ELLIPSOID_SLIP"};
enum { KINDS = 13 };

static phx_row random_row(uint64_t *seed, phx_row_kind kind, int dim)
{
    phx_row row = {.kind = kind, .axis = kind == PHX_ROW_RADIAL ? 0 : dim - 1, .target = 0.3};
    for (int i = 0; i < dim; i++) {
        row.alpha[i] = uniform(seed, 0.2, 1.0);
        row.beta[i] = uniform(seed, -1.0, 1.0);
        row.alpha2[i] = uniform(seed, -1.0, 1.0);
        row.beta2[i] = uniform(seed, -1.0, 1.0);
    }
    if (kind == PHX_ROW_SLIP) { /* spheres and cylinders, from outside and inside */
        row.axis = row.alpha2[0] > 0.3;
        row.beta[1] = row.beta[1] > 0.0 ? 1.0 : -1.0;
        for (int i = 0; i < 3; i++)
            row.alpha2[i] = row.beta2[0] > 0.0 && i == 0;
    }
    if (kind >= PHX_ROW_ELLIPSOID) { /* n has length 1 */
        const double length = sqrt(phx_port_scalar_product(dim, row.alpha, row.alpha));
        for (int i = 0; i < dim; i++)
            row.alpha[i] /= length;
        row.axis = row.alpha2[0] > 0.3;
    }
    return row;
}

static bool exists(phx_row_kind kind, int dim)
{
    return kind == PHX_ROW_ANGLE ? dim == 2 : kind >= PHX_ROW_TURN && kind <= PHX_ROW_AXIAL ? dim == 3 : true;
}

/* How far a sphere has rolled is no function of where it is. */
static bool has_value(phx_row_kind kind, int dim)
{
    return kind != PHX_ROW_SLIP && kind != PHX_ROW_ELLIPSOID_SLIP && (kind != PHX_ROW_ROLL || dim == 2);
}

/* Slip on a surface where its directions turn fast: near the centre or the axis, or with the normal along alpha. */
static bool turns_fast(const phx_row *row, const phx_port_view *a, const phx_port_view *b)
{
    const phx_row away = {.kind = PHX_ROW_RADIAL}, across = {.kind = PHX_ROW_NORMAL, .alpha = {1.0}};
    const double length = phx_row_value(&away, a, b, 0), along = phx_row_value(&across, a, b, 0);
    double n[3];

    phx_row_slip_normal(row, a, b, n);
    return length < 0.7 || (row->alpha2[0] > 0.0 && length * length - along * along < 0.5) ||
           fabs(phx_port_scalar_product(a->dim, n, row->alpha)) >
               0.7 * sqrt(phx_port_scalar_product(a->dim, row->alpha, row->alpha));
}

static double height_over_middle(const phx_row *row, const phx_port_view *a, const phx_port_view *b)
{
    phx_row height = *row;

    height.kind = PHX_ROW_RADIAL;
    height.axis = 1;
    return phx_row_value(&height, a, b, 0) + row->target;
}

/* c(1) - c(0) = h (g_a . zeta_a + g_b . zeta_b); turns up to 2 atan(4/2) per component, slopes up to 0.5 */
static void test_increment_is_exact(void **state)
{
    (void)state;
    uint64_t seed = 11;
    double worst = 0.0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (int k = 0; k < 2 * KINDS; k++) {
            int dim = 2 + k % 2;
            phx_row_kind kind = (phx_row_kind)(k / 2);
            if (!exists(kind, dim) || !has_value(kind, dim))
                continue;
            double h = pow(10.0, uniform(&seed, -6.0, 0.0)), turn = sample % 2 ? 4.0 : 0.01;
            phx_row row = random_row(&seed, kind, dim);
            phx_port_view a = random_interval(&seed, dim, h, turn, 0.5);
            phx_port_view b = random_interval(&seed, dim, h, turn, 0.5);
            double g_a[PHX_PORT_MAX], g_b[PHX_PORT_MAX];
            phx_row_covectors(&row, &a, &b, g_a, g_b);
            double c0 = phx_row_value(&row, &a, &b, 0), c1 = phx_row_value(&row, &a, &b, 1);
            double scale = 1.0 + fabs(c0) + fabs(c1);
            for (int i = 0; i < phx_port_size(dim); i++)
                scale += h * (fabs(g_a[i] * a.rate[i]) + fabs(g_b[i] * b.rate[i]));
            double error = c1 - c0 - h * (power(dim, g_a, a.rate) + power(dim, g_b, b.rate));
            if (kind == PHX_ROW_TURN) /* full turns are not counted, and an increment is a mean of two ways */
                error = remainder(error, acos(-1.0));
            error /= scale;
            worst = fmax(worst, fabs(error));
            CHECK_SMALL(error, 1e-15, "%s, dim %d, sample %d, h %.2e, c0 %.3f, c1 %.3f", names[kind], dim, sample, h,
                        c0, c1);
        }
    }
    print_message("largest relative error of an increment: %.2e\n", worst);
}

/* same for an angle to a body that does not move (ground), where kappa = atan(a)/a */
static void test_angle_to_ground(void **state)
{
    (void)state;
    uint64_t seed = 12;
    phx_row row = {.kind = PHX_ROW_ANGLE};
    for (int sample = 0; sample < SAMPLES; sample++) {
        phx_port_view ground = random_interval(&seed, 2, 0.1, 0.0, 0.0);
        phx_port_view b = random_interval(&seed, 2, 0.1, 100.0, 0.5);
        double g_a[PHX_PORT_MAX], g_b[PHX_PORT_MAX], a = 0.05 * b.rate[2];
        phx_row_covectors(&row, &ground, &b, g_a, g_b);
        CHECK_SMALL(g_b[2] - atan(a) / a, 1e-15, "kappa at a = %g", a);
        double change = phx_row_value(&row, &ground, &b, 1) - phx_row_value(&row, &ground, &b, 0);
        CHECK_SMALL(0.1 * power(2, g_b, b.rate) - change, 8e-15, "turn at a = %g", a);
    }
}

/* at an instant: covectors are the derivatives of the value, H those of the covectors; false only where H is zero */
static void test_instant_derivatives(void **state)
{
    (void)state;
    uint64_t seed = 13;
    int checked[KINDS] = {0};
    for (int sample = 0; sample < 2 * 60 * KINDS; sample++) {
        int dim = 2 + sample % 2, n = phx_port_size(dim);
        phx_row_kind kind = (phx_row_kind)((sample / 2) % KINDS);
        if (!exists(kind, dim))
            continue;
        phx_row row = random_row(&seed, kind, dim);
        phx_port_view view[2] = {random_instant(&seed, dim, 0.5), random_instant(&seed, dim, 0.5)};
        double g[LD], H[LD * LD] = {0}, step = 4e-6;
        phx_row_covectors(&row, &view[0], &view[1], g, g + PHX_PORT_MAX);
        if (power(dim, g, g) + power(dim, g + PHX_PORT_MAX, g + PHX_PORT_MAX) > 16.0)
            continue; /* near where an angle is not defined its third derivatives are large */
        const double value = phx_row_value(&row, &view[0], &view[1], 0) + row.target;
        if ((kind == PHX_ROW_RADIAL && value < 0.5) || (kind == PHX_ROW_TILT && fabs(value) > 1.4))
            continue; /* the same of a short length, and of a tilt near its poles */
        if (kind == PHX_ROW_SLIP && turns_fast(&row, &view[0], &view[1]))
            continue;
        if (kind >= PHX_ROW_ELLIPSOID && height_over_middle(&row, &view[0], &view[1]) < 0.5)
            continue;
        checked[kind]++;
        bool has = phx_row_tangent(&row, &view[0], &view[1], H);
        assert_int_equal(has, kind != PHX_ROW_POINT);
        for (int m = 0; m < 2 * n; m++) {
            int port = m / n, column = port * PHX_PORT_MAX + m % n;
            double c[2], e[2][LD];
            for (int side = 0; side < 2; side++) {
                phx_port_view w[2] = {view[0], view[1]};
                w[port] = varied(&view[port], m % n, side ? step : -step);
                c[side] = phx_row_value(&row, &w[0], &w[1], 0);
                phx_row_covectors(&row, &w[0], &w[1], e[side], e[side] + PHX_PORT_MAX);
            }
            if (has_value(kind, dim))
                CHECK_SMALL(g[column] - (c[1] - c[0]) / (2.0 * step), 3e-9, "%s, dim %d: g[%d]", names[kind], dim,
                            column);
            for (int i = 0; i < 2 * n; i++) {
                int r = (i / n) * PHX_PORT_MAX + i % n;
                CHECK_SMALL(H[r * LD + column] - (e[1][r] - e[0][r]) / (2.0 * step), 1e-8, "%s, dim %d: H[%d][%d]",
                            names[kind], dim, r, column);
            }
        }
    }
    for (int kind = 0; kind < KINDS; kind++)
        assert_true(checked[kind] >= 10);
}

/* H is overwritten, and untouched when the row says that it is zero */
/* Where a row says that its covectors are unit vectors, they are, and do not change. */
static void test_unit_rows(void **state)
{
    (void)state;
    uint64_t seed = 15;
    for (int k = 0; k < 2 * KINDS; k++) {
        int dim = 2 + k % 2;
        phx_row row = random_row(&seed, (phx_row_kind)(k / 2), dim);
        double g_a[PHX_PORT_MAX], g_b[PHX_PORT_MAX], H[LD * LD];
        if (!exists(row.kind, dim))
            continue;
        assert_int_equal(phx_row_unit(&row), row.kind == PHX_ROW_POINT ? dim - 1 : -1);
        if (phx_row_unit(&row) < 0)
            continue;
        phx_port_view a = random_interval(&seed, dim, 0.1, 2.0, 0.5), b = random_interval(&seed, dim, 0.1, 2.0, 0.5);
        phx_row_covectors(&row, &a, &b, g_a, g_b);
        for (int i = 0; i < phx_port_size(dim); i++) {
            assert_true(g_a[i] == (i == phx_row_unit(&row) ? -1.0 : 0.0));
            assert_true(g_b[i] == (i == phx_row_unit(&row) ? 1.0 : 0.0));
        }
        assert_false(phx_row_tangent(&row, &a, &b, H));
    }
}

static void test_tangent_overwrites(void **state)
{
    (void)state;
    uint64_t seed = 14;
    for (int k = 0; k < 5; k++) {
        phx_row row = random_row(&seed, (phx_row_kind)k, 2);
        phx_port_view a = random_instant(&seed, 2, 0.5), b = random_instant(&seed, 2, 0.5);
        double clean[LD * LD] = {0}, dirty[LD * LD];
        for (int i = 0; i < LD * LD; i++)
            dirty[i] = 3.0;
        bool has = phx_row_tangent(&row, &a, &b, clean);
        assert_int_equal(phx_row_tangent(&row, &a, &b, dirty), has);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int at = ((i / 4) * PHX_PORT_MAX + i % 4) * LD + (j / 4) * PHX_PORT_MAX + j % 4;
                assert_true(dirty[at] == (has ? clean[at] : 3.0));
            }
    }
    phx_row angle = {.kind = PHX_ROW_ANGLE};
    phx_port_view a = random_instant(&seed, 2, 0.0), b = random_instant(&seed, 2, 0.0);
    double H[LD * LD];
    assert_false(phx_row_tangent(&angle, &a, &b, H)); /* rigid sections */
}

/* Several rows at once give the sum of their tangents and each one's zeta^T H, bent or straight, in every mixture. */
static void test_rows_at_once(void **state)
{
    enum { MOST = 6 };
    (void)state;
    uint64_t seed = 16;
    int seen[4] = {0};
    for (int sample = 0; sample < 40 * SAMPLES; sample++) {
        int dim = 2 + sample % 2, n = phx_port_size(dim), count = 1 + (sample / 2) % MOST, mixture = sample % 7;
        phx_port_view a = random_interval(&seed, dim, 0.1, 2.0, mixture % 2 ? 0.5 : 0.0);
        phx_port_view b = random_interval(&seed, dim, 0.1, 2.0, mixture % 3 ? 0.5 : 0.0);
        phx_row rows[MOST];
        const phx_row *list[MOST];
        double weights[MOST], H[LD * LD], slopes[MOST * LD], want[LD * LD] = {0}, slope[MOST * LD] = {0}, own[LD * LD];
        a.straight = mixture % 2 == 0;
        b.straight = mixture % 3 == 0;
        for (int i = 0; i < MOST * LD; i++)
            slopes[i] = 7.0;
        for (int i = 0; i < LD * LD; i++)
            H[i] = 7.0;
        for (int k = 0; k < count; k++) {
            phx_row_kind kind = mixture < 4 ? PHX_ROW_DOT : (phx_row_kind)((k + sample / 7) % KINDS);
            rows[k] = random_row(&seed, exists(kind, dim) ? kind : PHX_ROW_DOT, dim);
            list[k] = &rows[k];
            weights[k] = uniform(&seed, -2.0, 2.0);
            if (!phx_row_tangent(&rows[k], &a, &b, own))
                continue;
            for (int i = 0; i < 2 * n; i++)
                for (int m = 0; m < 2 * n; m++) {
                    int r = (i / n) * PHX_PORT_MAX + i % n, c = (m / n) * PHX_PORT_MAX + m % n;
                    want[r * LD + c] += weights[k] * own[r * LD + c];
                    slope[k * LD + c] += (i < n ? a : b).rate[i % n] * own[r * LD + c];
                }
        }
        phx_row_reach reach = phx_rows_tangent(count, list, weights, &a, &b, H, slopes);
        seen[reach]++;
        int n_rot = dim == 2 ? 1 : 3, first = reach == PHX_REACH_ALL ? 0 : dim;
        int last = reach == PHX_REACH_FRAMES ? dim + n_rot : reach == PHX_REACH_NOTHING ? 0 : n;
        for (int i = 0; i < 2 * n; i++) {
            int r = (i / n) * PHX_PORT_MAX + i % n;
            bool row_within = i % n >= first && i % n < last;
            if ((i < n ? a : b).straight && i % n >= dim + n_rot)
                continue; /* its section does not turn */
            for (int m = 0; m < 2 * n; m++) {
                int c = (m / n) * PHX_PORT_MAX + m % n;
                if ((m < n ? a : b).straight && m % n >= dim + n_rot)
                    continue;
                if (row_within && m % n >= first && m % n < last)
                    CHECK_SMALL((H[r * LD + c] - want[r * LD + c]) / (1.0 + fabs(want[r * LD + c])), 2e-14,
                                "sample %d: H[%d][%d]", sample, r, c);
                else
                    assert_true(want[r * LD + c] == 0.0);
            }
            for (int k = 0; k < count && row_within; k++)
                CHECK_SMALL((slopes[k * LD + r] - slope[k * LD + r]) / (1.0 + fabs(slope[k * LD + r])), 2e-13,
                            "sample %d: slope %d[%d]", sample, k, r);
        }
    }
    assert_true(seen[PHX_REACH_NOTHING] > 9 && seen[PHX_REACH_FRAMES] > 9 && seen[PHX_REACH_SECTIONS] > 9 &&
                seen[PHX_REACH_ALL] > 9);
}

/* Space: B turns against A about an axis: its place of contact, -r n from its centre, moves with Omega x (-r n). */
static void test_sphere_rolls(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int sample = 0; sample < SAMPLES; sample++) {
        const double n[3] = {0.0, 0.0, 1.0}, alpha[3] = {cos(sample), sin(sample), 0.0}, r = 0.3;
        phx_port_view a = random_interval(&seed, 3, 0.1, 1.0, 0.0), b = random_interval(&seed, 3, 0.1, 1.0, 0.0);
        phx_row row = {.kind = PHX_ROW_ROLL};
        double across[3], on_a[3], on_b[3], slip[3], local[3], g_a[PHX_PORT_MAX], g_b[PHX_PORT_MAX];
        phx_vec_x_vec(3, n, alpha, across);
        for (int i = 0; i < 3; i++) {
            row.alpha[i] = alpha[i];
            row.beta[i] = -r * across[i];
            a.rate[i] = b.rate[i] = 0.0;
            a.rate[3 + i] = b.rate[6 + i] = a.rate[6 + i] = 0.0;
            a.u0[i] = a.u1[i] = b.u0[i] = b.u1[i] = 0.0;
        }
        memcpy(a.R1, a.R0, sizeof a.R0);
        finish_view(&a);
        finish_view(&b);
        phx_rot_apply(3, b.Rm, b.rate + 3, on_b); /* Omega */
        phx_rot_apply(3, a.Rm, n, on_a);
        for (int i = 0; i < 3; i++)
            on_a[i] *= -r;
        phx_vec_x_vec(3, on_b, on_a, slip);
        phx_rot_apply_transposed(3, a.Rm, slip, local);
        phx_row_covectors(&row, &a, &b, g_a, g_b);
        CHECK_SMALL(power(3, g_b, b.rate) - phx_port_scalar_product(3, local, alpha), 1e-14, "sample %d", sample);
    }
}

/* The gap of an ellipsoid is the least distance of its surface from the plane; rho leads there, and the slip is the
 * velocity of that place of B against A's along t. */
static void test_ellipsoid(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int sample = 0; sample < SAMPLES; sample++) {
        phx_row row = random_row(&seed, PHX_ROW_ELLIPSOID, 3);
        phx_port_view a = random_instant(&seed, 3, 0.0), b = random_instant(&seed, 3, 0.0);
        double n[3], t[2][3], along[3], arm[2][3], turn[2][3], v[2][3], least = HUGE_VAL, g_a[PHX_PORT_MAX],
                                                                        g_b[PHX_PORT_MAX], slip = 0.0;
        const double *const semi_axes[3] = {row.beta, row.beta2, row.alpha2};
        row.target = 0.0;
        phx_rot_apply(3, a.R0, row.alpha, n);
        phx_row_ellipsoid_arm(&row, &a, &b, arm[1]);
        for (int k = 0; k < 2000; k++) { /* of places of the surface */
            const double z = uniform(&seed, -1.0, 1.0), turned = uniform(&seed, -3.2, 3.2), r = sqrt(1.0 - z * z);
            const double on_sphere[3] = {r * cos(turned), r * sin(turned), z};
            double place[3] = {0.0}, inertial[3];
            for (int i = 0; i < 3; i++)
                for (int c = 0; c < 3; c++)
                    place[i] += on_sphere[c] * semi_axes[c][i];
            phx_rot_apply(3, b.R0, place, inertial);
            least = fmin(least, phx_port_scalar_product(3, n, inertial));
        }
        const double height = height_over_middle(&row, &a, &b);
        CHECK_SMALL(phx_port_scalar_product(3, n, arm[1]) + height, 1e-14, "sample %d: rho", sample);
        assert_true(-least <= height + 1e-14);
        CHECK_SMALL(least + height, 2e-2, "sample %d: the lowest place", sample);
        row.kind = PHX_ROW_ELLIPSOID_SLIP;
        phx_row_across(3, row.alpha, t);
        phx_rot_apply(3, a.R0, t[row.axis], along);
        for (int i = 0; i < 3; i++)
            arm[0][i] = b.u0[i] - a.u0[i] + arm[1][i];
        for (int side = 0; side < 2; side++) { /* rigid sections */
            double *rate = (side ? &b : &a)->rate;
            random_vector(&seed, 6, 1.0, rate);
            rate[6] = rate[7] = rate[8] = 0.0;
            phx_rot_apply(3, side ? b.R0 : a.R0, rate + 3, turn[side]);
            phx_vec_x_vec(3, turn[side], arm[side], v[side]);
            for (int i = 0; i < 3; i++)
                slip += (side ? 1.0 : -1.0) * (v[side][i] + rate[i]) * along[i];
        }
        phx_row_covectors(&row, &a, &b, g_a, g_b);
        CHECK_SMALL(power(3, g_a, a.rate) + power(3, g_b, b.rate) - slip, 1e-14, "sample %d: slip", sample);
    }
}

/* The velocity of B's place of contact against A's, from the velocities of all places and the turns. */
static void test_slip_on_a_surface(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int sample = 0; sample < SAMPLES; sample++) {
        const int dim = 2 + sample % 2;
        phx_row row = random_row(&seed, PHX_ROW_SLIP, dim), first = row;
        phx_port_view a = random_instant(&seed, dim, 0.0), b = random_instant(&seed, dim, 0.0);
        double n[3], normal[3], arm[2][3], turn[2][3] = {{0}}, v[2][3], slip[3], t[3], g_a[PHX_PORT_MAX],
                                           g_b[PHX_PORT_MAX];
        for (int side = 0; side < 2; side++) { /* rigid sections */
            double *rate = (side ? &b : &a)->rate;
            random_vector(&seed, phx_port_size(dim), 1.0, rate);
            for (int i = dim == 2 ? 3 : 6; i < phx_port_size(dim); i++)
                rate[i] = 0.0;
        }
        phx_row_slip_normal(&row, &a, &b, n);
        phx_rot_apply(dim, a.R0, n, normal);
        for (int i = 0; i < dim; i++) {
            arm[1][i] = -row.beta[0] * normal[i];
            arm[0][i] = b.u0[i] - a.u0[i] + arm[1][i];
        }
        for (int side = 0; side < 2; side++) {
            const phx_port_view *view = side ? &b : &a;
            if (dim == 2) {
                v[side][0] = -view->rate[2] * arm[side][1];
                v[side][1] = view->rate[2] * arm[side][0];
            } else {
                phx_rot_apply(3, view->R0, view->rate + 3, turn[side]);
                phx_vec_x_vec(3, turn[side], arm[side], v[side]);
            }
            for (int i = 0; i < dim; i++)
                v[side][i] += view->rate[i];
        }
        for (int i = 0; i < dim; i++)
            slip[i] = v[1][i] - v[0][i];
        if (dim == 2) {
            t[0] = normal[1];
            t[1] = -normal[0];
        } else { /* t_0 = alpha across n, t_1 = n x t_0 */
            double alpha[3], along;
            phx_rot_apply(3, a.R0, row.alpha, alpha);
            along = phx_port_scalar_product(3, alpha, normal);
            for (int i = 0; i < 3; i++)
                alpha[i] -= along * normal[i];
            along = sqrt(phx_port_scalar_product(3, alpha, alpha));
            for (int i = 0; i < 3; i++)
                t[i] = alpha[i] / along;
            if (first.axis == 1) {
                memcpy(alpha, t, sizeof alpha);
                phx_vec_x_vec(3, normal, alpha, t);
            }
        }
        phx_row_covectors(&row, &a, &b, g_a, g_b);
        CHECK_SMALL(power(dim, g_a, a.rate) + power(dim, g_b, b.rate) - phx_port_scalar_product(dim, slip, t), 1e-13,
                    "dim %d, sample %d", dim, sample);
    }
}

/* both bodies moved together as one rigid body, Rm far from a rotation: no row of direction or angle sees it */
static void test_rigid_motion_is_not_seen(void **state)
{
    (void)state;
    uint64_t seed = 15;
    for (int sample = 0; sample < SAMPLES; sample++) {
        int dim = 2 + sample % 2, n_rot = dim == 2 ? 1 : 3;
        phx_port_view v[2] = {random_interval(&seed, dim, 0.1, 0.0, 0.5), random_interval(&seed, dim, 0.1, 0.0, 0.5)};
        double turn[3], Q[9], shift[3], R0_T[9];
        random_vector(&seed, n_rot, 3.0, turn);
        random_vector(&seed, dim, 1.0, shift);
        cayley(dim, turn, Q);
        for (int k = 0; k < 2; k++) {
            multiply(dim, Q, v[k].R0, v[k].R1);
            memcpy(v[k].theta1, v[k].theta0, sizeof(v[k].theta0));
            transpose(dim, v[k].R0, R0_T);
            for (int i = 0; i < dim; i++) {
                v[k].u1[i] = shift[i];
                for (int j = 0; j < dim; j++)
                    v[k].u1[i] += Q[i * dim + j] * v[k].u0[j];
            }
            for (int i = 0; i < n_rot; i++) { /* w = R0^T turn/h */
                v[k].rate[dim + i] = dim == 2 ? turn[0] / 0.1 : 0.0;
                for (int j = 0; j < dim && dim == 3; j++)
                    v[k].rate[dim + i] += R0_T[i * dim + j] * turn[j] / 0.1;
            }
            finish_view(&v[k]);
        }
        for (int k = PHX_ROW_NORMAL; k < KINDS; k++) {
            if (!exists((phx_row_kind)k, dim))
                continue;
            phx_row row = random_row(&seed, (phx_row_kind)k, dim);
            double g_a[PHX_PORT_MAX], g_b[PHX_PORT_MAX];
            phx_row_covectors(&row, &v[0], &v[1], g_a, g_b);
            double rate = power(dim, g_a, v[0].rate) + power(dim, g_b, v[1].rate);
            CHECK_SMALL(0.1 * rate, 2e-14, "%s, dim %d, sample %d", names[k], dim, sample);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_increment_is_exact),
        cmocka_unit_test(test_angle_to_ground),
        cmocka_unit_test(test_instant_derivatives),
        cmocka_unit_test(test_tangent_overwrites),
        cmocka_unit_test(test_rigid_motion_is_not_seen),
        cmocka_unit_test(test_unit_rows),
        cmocka_unit_test(test_rows_at_once),
        cmocka_unit_test(test_sphere_rolls),
        cmocka_unit_test(test_ellipsoid),
        cmocka_unit_test(test_slip_on_a_surface),
    };
    return cmocka_run_group_tests_name("joint rows", tests, NULL, NULL);
}
