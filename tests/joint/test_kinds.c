/* Joint kinds: the rows of a joint close on motions that it allows, exchange no net power on them, measure the free
 * coordinate, and open with the right sign on motions that it forbids. */
#include "../port/views.h"

#include "joint/joint.h"

enum { SAMPLES = 100, MAX_ROWS = PHX_JOINT_MAX_ROWS + PHX_JOINT_MAX_COORDINATES };

static const double pi = 3.14159265358979323846;

typedef struct joint {
    phx_joint_kind kind;
    int dim, n_constraints, n_coordinates;
    double rotation_a[9], rotation_b[9], relative[9], axis[3], axis_b[3]; /* axes are not unit vectors */
    phx_row constraints[PHX_JOINT_MAX_ROWS], coordinates[PHX_JOINT_MAX_COORDINATES];
} joint;

/* Whether the kind joins ordinary ports in this dimension; those that slide are in tests/system/test_sliding.c. */
static bool exists(int kind, int dim)
{
    const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)kind);
    return !info->slides && (dim == 2 ? info->plane : info->space);
}

static joint random_joint(phx_context *context, uint64_t *seed, phx_joint_kind kind, int dim)
{
    joint j = {.kind = kind, .dim = dim};
    random_rotation(seed, dim, j.rotation_a);
    random_rotation(seed, dim, j.rotation_b);
    random_rotation(seed, dim, j.relative);
    random_vector(seed, dim, 3.0, j.axis);
    const bool pair = phx_joint_kind_info(kind)->axis == PHX_AXIS_PAIR;
    const bool ports = kind == PHX_JOINT_SPHERICAL || kind == PHX_JOINT_FREE || pair;
    for (int i = 0; i < dim * dim && ports; i++) /* where their angles are zero */
        j.relative[i] = i % (dim + 1) == 0;
    if (pair) {
        double other[3];
        random_vector(seed, 3, 1.0, other);
        phx_vec_x_vec(3, j.axis, other, j.axis_b);
    }
    const phx_joint_shape shape = {kind, dim, j.rotation_a, j.rotation_b, j.axis, pair ? j.axis_b : NULL, j.relative};
    phx_status status =
        phx_joint_rows(context, &shape, &j.n_constraints, j.constraints, &j.n_coordinates, j.coordinates);
    if (status != PHX_OK)
        fail_msg("%s, dim %d: %s", phx_joint_kind_name(kind), dim, phx_context_message(context));
    return j;
}

static void unit(int dim, const double *x, double *n)
{
    double length = 0.0;
    for (int i = 0; i < dim; i++)
        length += x[i] * x[i];
    for (int i = 0; i < dim; i++)
        n[i] = x[i] / sqrt(length);
}

/* Q turned further by an angle about a unit axis fixed in B */
static void turn_further(int dim, const double *n, double angle, double *Q)
{
    double phi[3] = {angle, 0.0, 0.0}, step[9];
    for (int i = 0; i < 3 && dim == 3; i++)
        phi[i] = angle * n[i];
    exponential(dim, phi, step);
    multiply(dim, Q, step, Q);
}

/* The directions across n that displacements in a plane go along: e1, made of the direction after the one nearest to n,
 * and n x e1. */
static void directions_in_plane(const double *n, double e1[3], double e2[3])
{
    int largest = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) > fabs(n[largest]))
            largest = i;
    int next = (largest + 1) % 3;
    for (int i = 0; i < 3; i++)
        e1[i] = (i == next) - n[next] * n[i];
    unit(3, e1, e1);
    phx_vec_x_vec(3, n, e1, e2);
}

static void turn_anyhow(uint64_t *seed, int dim, double *Q)
{
    static const double along[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
        turn_further(dim, along[k], uniform(seed, -0.5, 0.5), Q);
}

/* The rotation that the joint leaves free; see free_motion. */
static void free_turn(const joint *j, uint64_t *seed, const double q[6], double *Q)
{
    static const double along[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double n[3], m[3];
    int dim = j->dim;
    unit(dim, j->axis, n);
    switch (j->kind) {
    case PHX_JOINT_REVOLUTE:
    case PHX_JOINT_CYLINDRICAL:
    case PHX_JOINT_PARALLEL:
        turn_further(dim, n, q[0], Q);
        break;
    case PHX_JOINT_PLANAR:
        turn_further(dim, n, q[2], Q);
        break;
    case PHX_JOINT_SLIDER:
    case PHX_JOINT_POINT_ON_PLANE:
        turn_anyhow(seed, dim, Q);
        break;
    case PHX_JOINT_SPHERICAL:
        for (int k = 0; k < 3; k++)
            turn_further(3, along[k], q[k], Q);
        break;
    case PHX_JOINT_FREE:
        for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
            turn_further(dim, along[k], q[dim + k], Q);
        break;
    case PHX_JOINT_UNIVERSAL:
    case PHX_JOINT_PERPENDICULAR:
        unit(3, j->axis_b, m);
        turn_further(3, n, q[0], Q);
        turn_further(3, m, q[1], Q);
        break;
    default:
        break;
    }
}

/* The shift that the joint leaves free; see free_motion. */
static void free_shift(const joint *j, uint64_t *seed, const double q[6], double *s)
{
    double n[3], e1[3], e2[3];
    int dim = j->dim;
    unit(dim, j->axis, n);
    switch (j->kind) {
    case PHX_JOINT_PRISMATIC:
    case PHX_JOINT_SLIDER:
    case PHX_JOINT_CYLINDRICAL:
        for (int i = 0; i < dim; i++)
            s[i] = q[j->kind == PHX_JOINT_CYLINDRICAL ? 1 : 0] * n[i];
        break;
    case PHX_JOINT_PLANAR:
    case PHX_JOINT_POINT_ON_PLANE:
        directions_in_plane(n, e1, e2);
        for (int i = 0; i < 3; i++)
            s[i] = q[0] * e1[i] + q[1] * e2[i];
        break;
    case PHX_JOINT_CARTESIAN:
    case PHX_JOINT_FREE:
        memcpy(s, q, (size_t)dim * sizeof *s);
        break;
    case PHX_JOINT_PARALLEL:
    case PHX_JOINT_PERPENDICULAR:
        random_vector(seed, 3, 0.5, s);
        break;
    default:
        break;
    }
}

/* The motion that the joint leaves free at coordinates q: rotation Q of B against A from where it is held, and shift s
 * of B, both in port A's directions. What is free without a coordinate is random. */
static void free_motion(const joint *j, uint64_t *seed, const double q[6], double *Q, double *s)
{
    memset(s, 0, 3 * sizeof *s);
    for (int i = 0; i < j->dim * j->dim; i++)
        Q[i] = i % (j->dim + 1) == 0;
    free_turn(j, seed, q, Q);
    free_shift(j, seed, q, s);
}

/* S = R turned by atan(theta) (plane): where the section points */
static void section(int dim, const double *R, const double *theta, double sign, double *S)
{
    double turn = sign * atan(theta[0]), Q[4];
    memcpy(S, R, sizeof(double) * (size_t)(dim * dim));
    if (dim == 2) {
        exponential(2, &turn, Q);
        multiply(2, S, Q, S);
    }
}

/* Frame and place of B at one end, for A's and the free motion: S_B = S_A rotation_a Q relative rotation_b^T and
 * u_b = u_a + S_A rotation_a s. */
static void place_b(const joint *j, const double *R_a, const double *theta_a, const double *u_a, const double *Q,
                    const double *s, const double *theta_b, double *R_b, double *u_b)
{
    double S[9], rotation_b_T[9];
    section(j->dim, R_a, theta_a, 1.0, S);
    multiply(j->dim, S, j->rotation_a, S);
    for (int i = 0; i < j->dim; i++) {
        u_b[i] = u_a[i];
        for (int k = 0; k < j->dim; k++)
            u_b[i] += S[i * j->dim + k] * s[k];
    }
    multiply(j->dim, S, Q, S);
    multiply(j->dim, S, j->relative, S);
    transpose(j->dim, j->rotation_b, rotation_b_T);
    multiply(j->dim, S, rotation_b_T, S);
    section(j->dim, S, theta_b, -1.0, R_b);
}

/* An interval over which the joint stays closed: A moves anyhow, B as the joint allows. q: the coordinates at the ends.
 * The sections bend in the plane; in space a section that turns by theta x a is not orthogonal, so there theta = 0. */
static void allowed_motion(const joint *j, uint64_t *seed, phx_port_view v[2], double q[2][6])
{
    int dim = j->dim;
    double slope = dim == 2 ? 0.4 : 0.0, Q[9], s[3];
    v[0] = random_interval(seed, dim, 0.05, 0.6, slope);
    v[1] = random_interval(seed, dim, 0.05, 0.6, slope);
    for (int end = 0; end < 2; end++) {
        random_vector(seed, j->kind == PHX_JOINT_FREE ? 6 : 3, 0.5, q[end]);
        free_motion(j, seed, q[end], Q, s);
        if (end == 0)
            place_b(j, v[0].R0, v[0].theta0, v[0].u0, Q, s, v[1].theta0, v[1].R0, v[1].u0);
        else
            place_b(j, v[0].R1, v[0].theta1, v[0].u1, Q, s, v[1].theta1, v[1].R1, v[1].u1);
        if (dim == 2 && j->kind == PHX_JOINT_REVOLUTE) /* the coordinate includes where `relative` has put B */
            q[end][0] += atan2(j->relative[2], j->relative[0]);
        if (dim == 2 && j->kind == PHX_JOINT_FREE)
            q[end][2] += atan2(j->relative[2], j->relative[0]);
    }
    rate_from_rotations(&v[1]);
    v[1].angle0 = dim == 2 ? atan2(v[1].R0[2], v[1].R0[0]) : 0.0;
    finish_view(&v[1]);
}

/* Where the angle about an axis is zero depends on the shortest turn, see test_angle_of_an_axis. */
static bool zero_known(const joint *j, const phx_row *row)
{
    return j->dim == 2 || !row->angular || j->kind == PHX_JOINT_SPHERICAL || j->kind == PHX_JOINT_FREE ||
           phx_joint_kind_info(j->kind)->axis == PHX_AXIS_PAIR;
}

static void check_rows(const joint *j, uint64_t *seed, const phx_port_view v[2])
{
    double effort[2][PHX_PORT_MAX] = {{0}}, h = v[0].h;
    const char *name = phx_joint_kind_name(j->kind);
    for (int k = 0; k < j->n_constraints; k++) {
        double g[2][PHX_PORT_MAX], lambda = uniform(seed, -1.0, 1.0);
        for (int end = 0; end < 2; end++)
            CHECK_SMALL(phx_row_value(&j->constraints[k], &v[0], &v[1], end), 5e-15, "%s, dim %d: row %d at end %d",
                        name, j->dim, k, end);
        phx_row_covectors(&j->constraints[k], &v[0], &v[1], g[0], g[1]);
        for (int p = 0; p < 2; p++)
            for (int i = 0; i < phx_port_size(j->dim); i++)
                effort[p][i] += lambda * g[p][i];
    }
    double on_a = power(j->dim, effort[0], v[0].rate), on_b = power(j->dim, effort[1], v[1].rate);
    CHECK_SMALL(h * (on_a + on_b), 1e-14, "%s, dim %d: power %g on A and %g on B", name, j->dim, on_a, on_b);
}

static void test_allowed_motions(void **state)
{
    uint64_t seed = 21;
    for (int sample = 0; sample < SAMPLES; sample++) {
        int dim = 2 + sample % 2;
        for (int kind = 0; kind < PHX_JOINT_KINDS; kind++) {
            if (!exists(kind, dim))
                continue;
            joint j = random_joint(*state, &seed, (phx_joint_kind)kind, dim);
            const char *name = phx_joint_kind_name(j.kind);
            phx_port_view v[2];
            double q[2][6], g[2][PHX_PORT_MAX];
            allowed_motion(&j, &seed, v, q);
            check_rows(&j, &seed, v);
            for (int k = 0; k < j.n_coordinates; k++) {
                const phx_row *row = &j.coordinates[k];
                double c0 = phx_row_value(row, &v[0], &v[1], 0), change = q[1][k] - q[0][k];
                double c1 = phx_row_unwrapped(row, &v[0], &v[1], 1, c0);
                double residual = row->angular ? remainder(c0 - q[0][k], 2.0 * pi) : c0 - q[0][k];
                if (zero_known(&j, row))
                    CHECK_SMALL(residual, 2e-14, "%s, dim %d: coordinate %d is %g, expected %g", name, dim, k, c0,
                                q[0][k]);
                CHECK_SMALL(c1 - c0 - change, 2e-14, "%s, dim %d: change of coordinate %d", name, dim, k);
                phx_row_covectors(row, &v[0], &v[1], g[0], g[1]);
                double rate = power(dim, g[0], v[0].rate) + power(dim, g[1], v[1].rate);
                CHECK_SMALL(v[0].h * rate - change, 2e-14, "%s, dim %d: rate of coordinate %d", name, dim, k);
            }
        }
    }
}

/* Ports of two bodies with the same axes, B turned by psi about an axis that both have in the same components: the
 * angle is psi. With axis_b along another line of B it is zero where the shortest turn has put that line on the axis.
 */
static void test_angle_of_an_axis(void **state)
{
    static const phx_joint_kind kinds[4] = {PHX_JOINT_REVOLUTE, PHX_JOINT_CYLINDRICAL, PHX_JOINT_PLANAR,
                                            PHX_JOINT_PARALLEL};
    uint64_t seed = 25;
    for (int sample = 0; sample < 80; sample++) {
        joint j = {.kind = kinds[sample / 2 % 4], .dim = 3};
        double psi = uniform(&seed, -3.0, 3.0), n[3], m[3], S[9], S_T[9], s[3] = {0},
               Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        const bool same = sample % 2 == 0;
        random_rotation(&seed, 3, j.rotation_a);
        random_rotation(&seed, 3, j.rotation_b);
        random_vector(&seed, 3, 2.0, j.axis);
        random_vector(&seed, 3, 2.0, j.axis_b);
        if (same)
            memcpy(j.axis_b, j.axis, sizeof j.axis);
        unit(3, j.axis, n);
        unit(3, j.axis_b, m);
        phx_rot_shortest(m, n, S);
        memcpy(j.relative, S, sizeof S);
        transpose(3, S, S_T);
        double line[3];
        phx_rot_apply(3, S, m, line);
        for (int i = 0; i < 3; i++)
            CHECK_SMALL(line[i] - n[i], 1e-15, "shortest turn, component %d", i);
        const phx_joint_shape shape = {j.kind, 3, j.rotation_a, j.rotation_b, j.axis, same ? NULL : j.axis_b, NULL};
        phx_row constraints[PHX_JOINT_MAX_ROWS], coordinates[PHX_JOINT_MAX_COORDINATES];
        int n_constraints, n_coordinates;
        assert_int_equal(phx_joint_rows(*state, &shape, &n_constraints, constraints, &n_coordinates, coordinates),
                         PHX_OK);
        phx_port_view a = random_instant(&seed, 3, 0.0), b = random_instant(&seed, 3, 0.0);
        turn_further(3, n, psi, Q);
        place_b(&j, a.R0, a.theta0, a.u0, Q, s, b.theta0, b.R0, b.u0);
        const phx_row *turn = &coordinates[j.kind == PHX_JOINT_PLANAR ? 2 : 0];
        CHECK_SMALL(phx_row_value(turn, &a, &b, 0) - psi, 1e-14, "sample %d: angle, expected %g", sample, psi);
        CHECK_SMALL(phx_row_unwrapped(turn, &a, &b, 0, psi + 40.0 * pi) - psi - 40.0 * pi, 1e-13, "after 20 turns");
    }
}

/* The residual of what holds a turn or an axis is an angle: whatever the guess, the turn by minus the residual closes
 * it. */
static void test_gap_is_the_angle(void **state)
{
    static const phx_joint_kind kinds[6] = {PHX_JOINT_WELD,   PHX_JOINT_REVOLUTE,  PHX_JOINT_PRISMATIC,
                                            PHX_JOINT_PLANAR, PHX_JOINT_CARTESIAN, PHX_JOINT_PARALLEL};
    uint64_t seed = 26;
    for (int sample = 0; sample < 120; sample++) {
        joint j = random_joint(*state, &seed, kinds[sample % 6], 3);
        phx_port_view a = random_instant(&seed, 3, 0.0), b = random_instant(&seed, 3, 0.0);
        double phi[3] = {0.0, 0.0, 0.0}, Q[9];
        for (int k = 0; k < j.n_constraints; k++) {
            double residual, g[2][PHX_PORT_MAX];
            phx_row_assembly_residual(&j.constraints[k], &a, &b, &residual, g[0], g[1]);
            if (j.constraints[k].hold == PHX_HOLD_NOTHING) {
                CHECK_SMALL(residual - phx_row_value(&j.constraints[k], &a, &b, 1), 0.0, "row %d", k);
                continue;
            }
            for (int i = 0; i < 3; i++) /* R_a (A x alpha) of a lean; of a turn its rotation vector is its own image */
                phi[i] -= residual * g[1][3 + i];
        }
        exponential(3, phi, Q);
        multiply(3, b.R0, Q, b.R0);
        memcpy(b.R1, b.R0, sizeof b.R0);
        for (int k = 0; k < j.n_constraints; k++) {
            double residual;
            phx_row_assembly_residual(&j.constraints[k], &a, &b, &residual, NULL, NULL);
            if (j.constraints[k].hold != PHX_HOLD_NOTHING)
                CHECK_SMALL(residual, 1e-14, "%s, sample %d, row %d", phx_joint_kind_name(j.kind), sample, k);
        }
    }
}

/* rank by elimination with full pivoting of the covectors of all rows */
static int rank_of(int rows, int columns, double m[MAX_ROWS][2 * PHX_PORT_MAX])
{
    int rank = 0;
    for (; rank < rows; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < rows; i++)
            for (int k = rank; k < columns; k++)
                if (fabs(m[i][k]) > fabs(m[r][c])) {
                    r = i;
                    c = k;
                }
        if (fabs(m[r][c]) < 1e-6)
            break;
        for (int k = 0; k < columns; k++) {
            double keep = m[rank][k];
            m[rank][k] = m[r][k];
            m[r][k] = keep;
        }
        for (int i = 0; i < rows; i++) {
            double keep = m[i][rank];
            m[i][rank] = m[i][c];
            m[i][c] = keep;
        }
        for (int i = rank + 1; i < rows; i++) {
            double factor = m[i][rank] / m[rank][rank];
            for (int k = rank; k < columns; k++)
                m[i][k] -= factor * m[rank][k];
        }
    }
    return rank;
}

/* The coordinates are those that the kind is described with; the points coincide if it says so. */
static void check_described(const joint *j)
{
    const phx_joint_info *info = phx_joint_kind_info(j->kind);
    int points = 0;
    assert_int_equal(j->n_coordinates, info->n_coordinates[j->dim - 2]);
    const phx_joint_coordinate *described = phx_joint_kind_coordinates(info, j->dim);
    for (int c = 0; c < j->n_coordinates; c++) {
        assert_non_null(described[c].name);
        assert_non_null(described[c].zero);
        assert_int_equal(j->coordinates[c].angular, described[c].angular);
    }
    for (int k = 0; k < j->n_constraints; k++)
        points += j->constraints[k].kind == PHX_ROW_POINT;
    assert_int_equal(info->holds_points, points == j->dim);
}

/* The kinds leave the freedoms that their names promise, and as many coordinates as they are described with; the rows
 * are independent on rigid bodies. */
static void test_rows_are_independent(void **state)
{
    static const int freedoms[PHX_JOINT_KINDS][2] = {
        [PHX_JOINT_WELD] = {0, 0},        [PHX_JOINT_REVOLUTE] = {1, 1},  [PHX_JOINT_PRISMATIC] = {1, 1},
        [PHX_JOINT_SLIDER] = {2, 4},      [PHX_JOINT_SPHERICAL] = {0, 3}, [PHX_JOINT_UNIVERSAL] = {0, 2},
        [PHX_JOINT_CYLINDRICAL] = {0, 2}, [PHX_JOINT_PLANAR] = {0, 3},    [PHX_JOINT_POINT_ON_PLANE] = {0, 5},
        [PHX_JOINT_CARTESIAN] = {2, 3},   [PHX_JOINT_PARALLEL] = {0, 4},  [PHX_JOINT_PERPENDICULAR] = {0, 5},
        [PHX_JOINT_FREE] = {3, 6}};
    uint64_t seed = 22;
    for (int sample = 0; sample < 2 * PHX_JOINT_KINDS * 10; sample++) {
        int dim = 2 + sample % 2, kind = (sample / 2) % PHX_JOINT_KINDS, n_rigid = dim == 2 ? 3 : 6;
        if (!exists(kind, dim))
            continue;
        joint j = random_joint(*state, &seed, (phx_joint_kind)kind, dim);
        assert_int_equal(j.n_constraints, n_rigid - freedoms[kind][dim - 2]);
        check_described(&j);
        phx_port_view v[2];
        double q[2][6], m[MAX_ROWS][2 * PHX_PORT_MAX];
        allowed_motion(&j, &seed, v, q);
        int rows = 0;
        for (int k = 0; k < j.n_constraints + j.n_coordinates; k++) {
            double g[2][PHX_PORT_MAX];
            const phx_row *row = k < j.n_constraints ? &j.constraints[k] : &j.coordinates[k - j.n_constraints];
            phx_row_covectors(row, &v[0], &v[1], g[0], g[1]);
            memcpy(m[rows], g[0], sizeof(double) * (size_t)n_rigid);
            memcpy(m[rows++] + n_rigid, g[1], sizeof(double) * (size_t)n_rigid);
        }
        int rank = rank_of(rows, 2 * n_rigid, m);
        if (rank != rows)
            fail_msg("%s, dim %d: %d rows of rank %d", phx_joint_kind_name(j.kind), dim, rows, rank);
    }
}

/* B turned by delta about direction k of what weld and prismatic hold: its row is sin(delta), the other turns stay 0 */
static void test_turn_opens_a_weld(void **state)
{
    uint64_t seed = 23;
    const double delta = 0.3;
    for (int sample = 0; sample < 20; sample++) {
        int dim = 2 + sample % 2, n_rot = dim == 2 ? 1 : 3;
        joint j = random_joint(*state, &seed, PHX_JOINT_WELD, dim);
        for (int k = 0; k < n_rot; k++) {
            phx_port_view a = random_instant(&seed, dim, 0.0), b = random_instant(&seed, dim, 0.0);
            double direction[3] = {0}, s[3] = {0}, Q[9] = {0};
            for (int i = 0; i < dim * dim; i++)
                Q[i] = i % (dim + 1) == 0;
            direction[k] = 1.0;
            turn_further(dim, direction, delta, Q);
            place_b(&j, a.R0, a.theta0, a.u0, Q, s, b.theta0, b.R0, b.u0);
            for (int i = 0; i < n_rot; i++)
                CHECK_SMALL(phx_row_value(&j.constraints[dim + i], &a, &b, 0) - (i == k ? sin(delta) : 0.0), 2e-15,
                            "dim %d: turn about %d, row %d", dim, k, i);
            b.u0[0] += 0.25;
            CHECK_SMALL(phx_row_value(&j.constraints[0], &a, &b, 0) - 0.25, 1e-15, "dim %d: residual along x", dim);
        }
    }
}

/* slider and prismatic: B off the line by 0.2 along A's direction across the axis */
static void test_shift_opens_a_slider(void **state)
{
    uint64_t seed = 24;
    joint j = {.dim = 2};
    const double identity[4] = {1.0, 0.0, 0.0, 1.0}, axis[2] = {0.0, 5.0};
    const phx_joint_shape shape = {PHX_JOINT_SLIDER, 2, identity, identity, axis, NULL, NULL};
    assert_int_equal(phx_joint_rows(*state, &shape, &j.n_constraints, j.constraints, &j.n_coordinates, j.coordinates),
                     PHX_OK);
    phx_port_view a = random_instant(&seed, 2, 0.0), b = random_instant(&seed, 2, 0.0);
    for (int i = 0; i < 2; i++) /* 0.2 along A's -x, 0.7 along A's y */
        b.u0[i] = a.u0[i] - 0.2 * a.R0[2 * i] + 0.7 * a.R0[2 * i + 1];
    CHECK_SMALL(phx_row_value(&j.constraints[0], &a, &b, 0) - 0.2, 2e-15, "distance from the line");
    CHECK_SMALL(phx_row_value(&j.coordinates[0], &a, &b, 0) - 0.7, 2e-15, "place on the line");
}

static void test_wrong_arguments(void **state)
{
    phx_context *context = *state;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, plane[4] = {1, 0, 0, 1}, mirror[4] = {1, 0, 0, -1};
    const double zero[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, not_a_number[3] = {NAN, 0, 0};
    phx_row constraints[PHX_JOINT_MAX_ROWS], coordinates[PHX_JOINT_MAX_COORDINATES];
    int n, m;
    const struct {
        int kind, dim;
        const double *a, *b, *axis, *relative;
        const char *word;
    } cases[] = {
        {PHX_JOINT_SLIDER, 2, plane, plane, zero, NULL, "slider joint: axis (0, 0"},
        {PHX_JOINT_REVOLUTE, 3, identity, identity, zero, NULL, "revolute joint: axis (0, 0"},
        {PHX_JOINT_PRISMATIC, 2, plane, plane, not_a_number, NULL, "prismatic joint: axis (nan"},
        {PHX_JOINT_PRISMATIC, 3, identity, identity, NULL, NULL, "an axis is needed"},
        {PHX_JOINT_WELD, 4, identity, identity, axis, NULL, "dimension 4"},
        {PHX_JOINT_WELD, 2, plane, mirror, axis, NULL, "rotation of port B"},
        {PHX_JOINT_WELD, 3, zero, identity, axis, NULL, "rotation of port A"},
        {PHX_JOINT_KINDS, 2, plane, plane, axis, NULL, "is not one of 0 to"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double a[9] = {0};
        memcpy(a, cases[i].a, sizeof(double) * (cases[i].a == zero ? 3 : (size_t)(cases[i].dim == 2 ? 4 : 9)));
        const phx_joint_shape shape = {
            (phx_joint_kind)cases[i].kind, cases[i].dim, a, cases[i].b, cases[i].axis, NULL, cases[i].relative};
        phx_status status = phx_joint_rows(context, &shape, &n, constraints, &m, coordinates);
        assert_int_equal(status, PHX_ERR_ARGUMENT);
        if (!strstr(phx_context_message(context), cases[i].word))
            fail_msg("case %zu: message '%s' lacks '%s'", i, phx_context_message(context), cases[i].word);
    }
    assert_string_equal(phx_joint_kind_name(PHX_JOINT_REVOLUTE), "revolute");
    assert_string_equal(phx_joint_kind_name(PHX_JOINT_KINDS), "unknown");
    assert_null(phx_joint_kind_info(PHX_JOINT_KINDS));
    assert_null(phx_joint_kind_info((phx_joint_kind)-1));
    assert_int_equal(phx_joint_kind_from_name("revolut"), PHX_JOINT_KINDS);
    assert_int_equal(phx_joint_kind_from_name(NULL), PHX_JOINT_KINDS);
}

/* Every kind is described in full; its name leads back to it and is what the list of kinds calls it. */
static void test_descriptions(void **state)
{
#define WORD(NAME, name) #name,
    static const char *const words[] = {PHX_JOINT_LIST(WORD)};
#undef WORD
    (void)state;
    assert_int_equal(phx_joint_kind_count(), PHX_JOINT_KINDS);
    for (int kind = 0; kind < PHX_JOINT_KINDS; kind++) {
        const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)kind);
        assert_string_equal(info->name, words[kind]);
        assert_int_equal(phx_joint_kind_from_name(info->name), kind);
        assert_true(info->plane || info->space);
        assert_non_null(info->holds);
        for (int s = 0; s < PHX_JOINT_MAX_SOLIDS && (s == 0 || info->solids[s].shape); s++) {
            assert_string_not_equal(phx_solid_name(info->solids[s].shape), "unknown");
            assert_true(info->solids[s].size[0] > 0.0);
        }
    }
    assert_string_equal(phx_solid_name(PHX_SOLID_NONE), "unknown");
    assert_string_equal(phx_solid_name(PHX_SOLIDS), "unknown");
    assert_string_equal(phx_row_kind_name(PHX_ROW_TILT), "tilt");
    assert_string_equal(phx_row_kind_name(PHX_ROW_AXIAL), "axial");
    assert_string_equal(phx_row_kind_name(PHX_ROW_ROLL), "roll");
    assert_string_equal(phx_row_kind_name(PHX_ROW_SLIP), "slip");
    assert_string_equal(phx_row_kind_name((phx_row_kind)(PHX_ROW_WHEEL + 1)), "unknown");
}

static int set_up(void **state)
{
    return phx_context_create((phx_context **)state) == PHX_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    phx_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allowed_motions),   cmocka_unit_test(test_rows_are_independent),
        cmocka_unit_test(test_turn_opens_a_weld), cmocka_unit_test(test_shift_opens_a_slider),
        cmocka_unit_test(test_wrong_arguments),   cmocka_unit_test(test_angle_of_an_axis),
        cmocka_unit_test(test_gap_is_the_angle),  cmocka_unit_test(test_descriptions),
    };
    return cmocka_run_group_tests_name("joint kinds", tests, set_up, tear_down);
}
