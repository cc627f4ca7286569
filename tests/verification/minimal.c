#include "minimal.h"

#include "algebra/algebra.h"

enum { C = MINIMAL_COORDINATES, B = MINIMAL_BODIES };

/* First and second derivative along a direction. */
typedef struct slope {
    double c1[3], w1[3], c2[3], w2[3];
} slope;

/* Axis of the skew part of A R^T. */
static void axis_of(const double *A, const double *R, double *axis)
{
    double S[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[3 * i + j] = A[3 * i] * R[3 * j] + A[3 * i + 1] * R[3 * j + 1] + A[3 * i + 2] * R[3 * j + 2];
    axis[0] = 0.5 * (S[7] - S[5]);
    axis[1] = 0.5 * (S[2] - S[6]);
    axis[2] = 0.5 * (S[3] - S[1]);
}

/* d/ds and d2/ds2 of the poses at q + s way. */
static void differentiate(const minimal *m, const double *q, const double *way, slope *out)
{
    static const double first[5] = {0.0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static const double second[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    const double h = 0.01;
    minimal_pose pose[9][B];

    for (int k = 0; k < 9; k++) {
        double at[C];
        for (int i = 0; i < m->coordinates; i++)
            at[i] = q[i] + (k - 4) * h * way[i];
        m->pose(at, pose[k]);
    }
    for (int b = 0; b < m->bodies; b++) {
        double R1[9] = {0}, R2[9] = {0};
        memset(&out[b], 0, sizeof out[b]);
        for (int k = 0; k < 9; k++) {
            const double one = (k < 4 ? -1.0 : 1.0) * first[abs(k - 4)] / h, two = second[abs(k - 4)] / (h * h);
            for (int a = 0; a < 3; a++) {
                out[b].c1[a] += one * pose[k][b].c[a];
                out[b].c2[a] += two * pose[k][b].c[a];
            }
            for (int a = 0; a < 9; a++) {
                R1[a] += one * pose[k][b].R[a];
                R2[a] += two * pose[k][b].R[a];
            }
        }
        axis_of(R1, pose[4][b].R, out[b].w1);
        axis_of(R2, pose[4][b].R, out[b].w2);
    }
}

/* y = R diag(inertia) R^T x */
static void inertia_times(const double *R, const double *inertia, const double *x, double *y)
{
    double body[3];
    phx_rot_apply_transposed(3, R, x, body);
    for (int a = 0; a < 3; a++)
        body[a] *= inertia[a];
    phx_rot_apply(3, R, body, y);
}

/* Mass m a' - m g and I alpha' + w x I w with the part of the accelerations that is known. */
static void balance(const minimal *m, int b, const double *acceleration, const double *spin_up, double *force,
                    double *torque)
{
    double turned[3], angular[3];
    inertia_times(m->now[b].R, m->inertia[b], spin_up, torque);
    inertia_times(m->now[b].R, m->inertia[b], m->spin[b], angular);
    phx_vec_x_vec(3, m->spin[b], angular, turned);
    for (int a = 0; a < 3; a++) {
        force[a] = m->mass[b] * (acceleration[a] - m->gravity[a]);
        torque[a] += turned[a];
    }
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* sum J^T (m J v_dot + ...) = 0, solved for v_dot; velocities and accelerations of the bodies. */
static void accelerate(minimal *m, const double *q, const double *v, double *v_dot)
{
    const int n = m->coordinates;
    slope unit[C][B], along[B];
    double M[C * C] = {0}, length = 0.0, way[C] = {0};

    m->pose(q, m->now);
    memset(v_dot, 0, (size_t)n * sizeof *v_dot);
    for (int i = 0; i < n; i++)
        length += v[i] * v[i];
    length = sqrt(length);
    for (int i = 0; i < n; i++) {
        double e[C] = {0};
        e[i] = 1.0;
        way[i] = length > 0.0 ? v[i] / length : 0.0;
        differentiate(m, q, e, unit[i]);
    }
    differentiate(m, q, way, along);
    for (int b = 0; b < m->bodies; b++) {
        double force[3], torque[3], Iw[3];
        for (int a = 0; a < 3; a++) {
            m->speed[b][a] = length * along[b].c1[a];
            m->spin[b][a] = length * along[b].w1[a];
            m->acceleration[b][a] = length * length * along[b].c2[a];
            m->spin_up[b][a] = length * length * along[b].w2[a];
        }
        balance(m, b, m->acceleration[b], m->spin_up[b], force, torque);
        for (int i = 0; i < n; i++) {
            v_dot[i] -= dot3(unit[i][b].c1, force) + dot3(unit[i][b].w1, torque);
            inertia_times(m->now[b].R, m->inertia[b], unit[i][b].w1, Iw);
            for (int j = 0; j < n; j++)
                M[i * n + j] += m->mass[b] * dot3(unit[i][b].c1, unit[j][b].c1) + dot3(Iw, unit[j][b].w1);
        }
    }
    assert_int_equal(phx_dense_solve(NULL, n, M, 1, v_dot), PHX_OK);
    for (int b = 0; b < m->bodies; b++)
        for (int i = 0; i < n; i++)
            for (int a = 0; a < 3; a++) {
                m->acceleration[b][a] += unit[i][b].c1[a] * v_dot[i];
                m->spin_up[b][a] += unit[i][b].w1[a] * v_dot[i];
            }
}

/* One step of the classical method. */
static void step(minimal *m, double h)
{
    const int n = m->coordinates;
    double q[C], v[C], kq[4][C], kv[4][C];

    for (int s = 0; s < 4; s++) {
        const double part = s == 3 ? h : 0.5 * h;
        for (int i = 0; i < n; i++) {
            q[i] = m->q[i] + (s ? part * kq[s - 1][i] : 0.0);
            v[i] = kq[s][i] = m->v[i] + (s ? part * kv[s - 1][i] : 0.0);
        }
        accelerate(m, q, v, kv[s]);
    }
    for (int i = 0; i < n; i++) {
        m->q[i] += h / 6.0 * (kq[0][i] + 2.0 * kq[1][i] + 2.0 * kq[2][i] + kq[3][i]);
        m->v[i] += h / 6.0 * (kv[0][i] + 2.0 * kv[1][i] + 2.0 * kv[2][i] + kv[3][i]);
    }
}

void minimal_run(minimal *m, double end, double h)
{
    const double t0 = m->t;
    const int steps = (int)ceil((end - t0) / h - 1e-9);
    for (int k = 0; k < steps; k++)
        step(m, (end - t0) / steps);
    m->t = end;
}

/* Column of a direction of a joint: its wrench on b and, opposite, on a, about their centres of mass. */
static void put_column(const minimal *m, const minimal_joint *joint, const double *direction, bool torque, int columns,
                       int column, double *A)
{
    for (int side = 0; side < 2; side++) {
        const int b = side ? joint->b : joint->a;
        const double sign = side ? 1.0 : -1.0;
        double arm[3], moment[3];
        if (b < 0)
            continue;
        for (int a = 0; a < 3; a++)
            arm[a] = joint->place[a] - m->now[b].c[a];
        phx_vec_x_vec(3, arm, direction, moment);
        for (int a = 0; a < 3; a++) {
            if (!torque)
                A[(6 * b + a) * columns + column] += sign * direction[a];
            A[(6 * b + 3 + a) * columns + column] += sign * (torque ? direction[a] : moment[a]);
        }
    }
}

static void find_reactions(minimal *m)
{
    enum { ROWS = 6 * MINIMAL_BODIES, COLUMNS = 6 * MINIMAL_JOINTS };
    minimal_joint joint[MINIMAL_JOINTS];
    double A[ROWS * COLUMNS] = {0}, rhs[ROWS], x[COLUMNS];
    const int rows = 6 * m->bodies;
    int columns = 0, column = 0, rank = 0;

    memset(joint, 0, sizeof joint);
    m->joint(m->q, m->now, joint);
    for (int j = 0; j < m->joints; j++)
        columns += joint[j].n_forces + joint[j].n_torques;
    for (int j = 0; j < m->joints; j++) {
        for (int k = 0; k < joint[j].n_forces; k++)
            put_column(m, &joint[j], joint[j].force[k], false, columns, column++, A);
        for (int k = 0; k < joint[j].n_torques; k++)
            put_column(m, &joint[j], joint[j].torque[k], true, columns, column++, A);
    }
    for (int b = 0; b < m->bodies; b++)
        balance(m, b, m->acceleration[b], m->spin_up[b], rhs + 6 * b, rhs + 6 * b + 3);
    assert_int_equal(phx_dense_least_norm(NULL, rows, columns, A, 1, rhs, 1e-12, x, &rank), PHX_OK);
    assert_int_equal(rank, columns); /* determinate */
    column = 0;
    memset(m->reaction, 0, sizeof m->reaction);
    for (int j = 0; j < m->joints; j++)
        for (int k = 0; k < joint[j].n_forces + joint[j].n_torques; k++, column++)
            for (int a = 0; a < 3; a++) {
                if (k < joint[j].n_forces)
                    m->reaction[j][a] += x[column] * joint[j].force[k][a];
                else
                    m->reaction[j][3 + a] += x[column] * joint[j].torque[k - joint[j].n_forces][a];
            }
}

void minimal_evaluate(minimal *m)
{
    double v_dot[C];

    accelerate(m, m->q, m->v, v_dot);
    m->kinetic = m->potential = 0.0;
    for (int b = 0; b < m->bodies; b++) {
        double Iw[3];
        inertia_times(m->now[b].R, m->inertia[b], m->spin[b], Iw);
        m->kinetic += 0.5 * (m->mass[b] * dot3(m->speed[b], m->speed[b]) + dot3(m->spin[b], Iw));
        m->potential -= m->mass[b] * dot3(m->gravity, m->now[b].c);
    }
    if (m->joint)
        find_reactions(m);
}
