#include "dense.h"
#include "pendulum.h"

#include <math.h>
#include <string.h>

pendulum_def pendulum_def_default(void)
{
    return (pendulum_def){
        .bodies = 2, .mass = 1.0, .length = 1.0, .sx = 0.5, .sy = 0.1, .inertia = 1.0 / 12.0, .gravity = 9.81};
}

static pendulum *self(phx_dae *dae)
{
    return (pendulum *)dae;
}

static phx_status tripped(pendulum *p)
{
    long call = p->calls++;
    bool trips = p->fail_at >= 0 && call >= p->fail_at && call < p->fail_at + p->fail_count;
    return trips ? p->fail_with : PHX_OK;
}

/* ---- the bodies ---- */
/* y = R a, y = R^T a with R = [c -s; s c] of a body's x, which may be a mean and no rotation */
static void turn(const double *x, const double *a, double *y)
{
    double y0 = x[2] * a[0] - x[3] * a[1], y1 = x[3] * a[0] + x[2] * a[1];
    y[0] = y0;
    y[1] = y1;
}

static void turn_back(const double *x, const double *a, double *y)
{
    double y0 = x[2] * a[0] + x[3] * a[1], y1 = -x[3] * a[0] + x[2] * a[1];
    y[0] = y0;
    y[1] = y1;
}

static void apply_mass(const pendulum *p, const double *v, double *out)
{
    for (int i = 0; i < p->dae.n_v; i++) {
        int body = i / NV;
        out[i] = 0.0;
        for (int j = 0; j < NV; j++)
            out[i] += p->mass[i % NV][j] * v[NV * body + j];
    }
}

/* f = (p_t x omega + m R^T g, p_t x v + s x m R^T g - damping - kappa stiffness angle), p = M v; kappa of a joint: the
 * increment of its angle over an interval is h kappa times its mean rate; NULL: at an instant, 1 */
static void forces(const pendulum *p, const double *x, const double *v, const double *kappa, double *f)
{
    const pendulum_def *d = &p->def;
    double momentum[MOST_V], g[2] = {0.0, -d->mass * d->gravity}, weight[2];
    apply_mass(p, v, momentum);
    for (int b = 0; b < d->bodies; b++) {
        const double *vb = v + NV * b, *pb = momentum + NV * b;
        double *fb = f + NV * b;
        turn_back(x + NX * b, g, weight);
        fb[0] = pb[1] * vb[2] + weight[0];
        fb[1] = -pb[0] * vb[2] + weight[1];
        fb[2] = pb[0] * vb[1] - pb[1] * vb[0] + d->sx * weight[1] - d->sy * weight[0];
    }
    for (int b = 0; b < d->bodies; b++) {
        double rate = v[NV * b + 2] - (b > 0 ? v[NV * b - 1] : 0.0);
        double angle = x[NX * b + 4] - (b > 0 ? x[NX * b - 1] : 0.0);
        double torque = -d->damping * rate - d->stiffness * angle * (kappa ? kappa[b] : 1.0);
        f[NV * b + 2] += torque;
        if (b > 0)
            f[NV * b - 1] -= torque;
    }
}

/* Rows of joint k: R_k v_k - R_{k-1} (v_{k-1} + omega_{k-1} (0, length)); then kappa_0 omega_0. */
static void constraint_matrix(const pendulum *p, const double *x, const double *kappa, double G[MOST_L][MOST_V])
{
    for (int i = 0; i < p->dae.n_l; i++)
        memset(G[i], 0, sizeof G[i]);
    for (int k = 0; k < p->def.bodies; k++) {
        double *row0 = G[2 * k], *row1 = G[2 * k + 1];
        const double *xk = x + NX * k, *xa = xk - NX;
        row0[NV * k] = row1[NV * k + 1] = xk[2];
        row0[NV * k + 1] = -xk[3];
        row1[NV * k] = xk[3];
        if (k == 0)
            continue;
        int a = NV * (k - 1);
        row0[a] = row1[a + 1] = -xa[2];
        row0[a + 1] = xa[3];
        row1[a] = -xa[3];
        row0[a + 2] = p->def.length * xa[3];
        row1[a + 2] = -p->def.length * xa[2];
    }
    if (p->def.driven)
        G[2 * p->def.bodies][2] = kappa ? kappa[0] : 1.0;
}

static double speed(const pendulum *p, double t)
{
    return p->def.speed + p->def.swing * sin(p->def.frequency * t) + (t >= p->def.jump_time ? p->def.jump : 0.0);
}

static double speed_rate(const pendulum *p, double t)
{
    return p->def.swing * p->def.frequency * cos(p->def.frequency * t);
}

static double speed_mean(const pendulum *p, double t, double h)
{
    double w = p->def.frequency, behind = fmin(fmax((t + h - p->def.jump_time) / h, 0.0), 1.0);
    return p->def.speed + p->def.jump * behind +
           (w == 0.0 ? 0.0 : p->def.swing * (cos(w * t) - cos(w * (t + h))) / (w * h));
}

/* res = [ M v_dot - f - G^T lambda ; G v - w ] with the matrix of the rows given */
static void residual_with(const pendulum *p, double G[MOST_L][MOST_V], double w, const double *kappa, const double *x,
                          const double *v, const double *v_dot, const double *lambda, double *res)
{
    double f[MOST_V];
    int n_v = p->dae.n_v, n_l = p->dae.n_l;
    forces(p, x, v, kappa, f);
    apply_mass(p, v_dot, res);
    for (int j = 0; j < n_v; j++) {
        res[j] -= f[j];
        for (int i = 0; i < n_l; i++)
            res[j] -= G[i][j] * lambda[i];
    }
    for (int i = 0; i < n_l; i++) {
        res[n_v + i] = 0.0;
        for (int j = 0; j < n_v; j++)
            res[n_v + i] += G[i][j] * v[j];
    }
    if (p->def.driven)
        res[n_v + n_l - 1] -= w;
}

/* ---- the equations at an instant ---- */
static void rates(phx_dae *dae, const double *x, const double *v, double *x_dot)
{
    for (int b = 0; b < self(dae)->def.bodies; b++) {
        const double *xb = x + NX * b, *vb = v + NV * b;
        turn(xb, vb, x_dot + NX * b);
        x_dot[NX * b + 2] = -xb[3] * vb[2];
        x_dot[NX * b + 3] = xb[2] * vb[2];
        x_dot[NX * b + 4] = vb[2];
    }
}

static phx_status residual(phx_dae *dae, double t, const double *x, const double *v, const double *v_dot,
                           const double *lambda, double *res)
{
    pendulum *p = self(dae);
    double G[MOST_L][MOST_V];
    constraint_matrix(p, x, NULL, G);
    residual_with(p, G, speed(p, t), NULL, x, v, v_dot, lambda, res);
    return tripped(p);
}

static double dissipation(const pendulum *p, const double *v)
{
    double sum = 0.0;
    for (int b = 0; b < p->def.bodies; b++) {
        double rate = v[NV * b + 2] - (b > 0 ? v[NV * b - 1] : 0.0);
        sum += p->def.damping * rate * rate;
    }
    return sum;
}

static phx_status power(phx_dae *dae, double t, const double *x, const double *v, const double *lambda,
                        double *supplied, double *dissipated)
{
    pendulum *p = self(dae);
    (void)x;
    *supplied = p->def.driven ? lambda[dae->n_l - 1] * speed(p, t) : 0.0;
    *dissipated = dissipation(p, v);
    return tripped(p);
}

/* [M -G^T; G 0] (v_dot, lambda) = (f, w_dot - G_dot v) */
static phx_status accelerations(phx_dae *dae, double t, const double *x, const double *v, double *v_dot, double *lambda)
{
    pendulum *p = self(dae);
    int n_v = dae->n_v, n_l = dae->n_l, pivot[MOST];
    double a[MOST][MOST] = {{0}}, b[MOST] = {0}, G[MOST_L][MOST_V];
    constraint_matrix(p, x, NULL, G);
    forces(p, x, v, NULL, b);
    for (int i = 0; i < n_v; i++)
        for (int j = 0; j < NV; j++)
            a[i][i / NV * NV + j] = p->mass[i % NV][j];
    for (int i = 0; i < n_l; i++)
        for (int j = 0; j < n_v; j++) {
            a[n_v + i][j] = G[i][j];
            a[j][n_v + i] = -G[i][j];
        }
    for (int k = 0; k < p->def.bodies; k++) {
        const double *vk = v + NV * k, *va = vk - NV;
        /* d/dt (R v) at fixed v: R (-omega v_y, omega v_x) */
        double swirl[2] = {-vk[2] * vk[1], vk[2] * vk[0]}, out[2];
        turn(x + NX * k, swirl, out);
        b[n_v + 2 * k] -= out[0];
        b[n_v + 2 * k + 1] -= out[1];
        if (k == 0)
            continue;
        double tip[2] = {-va[2] * (va[1] + p->def.length * va[2]), va[2] * va[0]};
        turn(x + NX * (k - 1), tip, out);
        b[n_v + 2 * k] += out[0];
        b[n_v + 2 * k + 1] += out[1];
    }
    if (p->def.driven)
        b[n_v + n_l - 1] += speed_rate(p, t);
    phx_status status = lu_factor(n_v + n_l, a, pivot);
    if (status != PHX_OK)
        return status;
    lu_solve(n_v + n_l, a, pivot, b);
    memcpy(v_dot, b, (size_t)n_v * sizeof *b);
    memcpy(lambda, b + n_v, (size_t)n_l * sizeof *b);
    return tripped(p);
}

static void normalise(phx_dae *dae, double *x, bool counts)
{
    (void)counts;
    for (int b = 0; b < self(dae)->def.bodies; b++) {
        double size = hypot(x[NX * b + 2], x[NX * b + 3]);
        x[NX * b + 2] /= size;
        x[NX * b + 3] /= size;
    }
}

/* It counts no angles. */
static void count(phx_dae *dae, double *x)
{
    (void)dae, (void)x;
}

static void tangent(phx_dae *dae, const double *x, const double *dx, double *dxi)
{
    for (int b = 0; b < self(dae)->def.bodies; b++) {
        const double *xb = x + NX * b, *db = dx + NX * b;
        turn_back(xb, db, dxi + NV * b);
        dxi[NV * b + 2] = xb[2] * db[3] - xb[3] * db[2];
    }
}

/* ---- linearisation ---- */
static void body_derivatives(pendulum *p, const double *x, const double *v, int b)
{
    const pendulum_def *d = &p->def;
    double momentum[MOST_V], g[2] = {0.0, -d->mass * d->gravity}, weight[2];
    const double *vb = v + NV * b, *pb = momentum + NV * b;
    int o = NV * b;
    apply_mass(p, v, momentum);
    /* D = -d(p_y omega, -p_x omega, p_x v_y - p_y v_x)/dv, p = M v */
    for (int j = 0; j < NV; j++) {
        p->D[o][o + j] -= vb[2] * p->mass[1][j];
        p->D[o + 1][o + j] += vb[2] * p->mass[0][j];
        p->D[o + 2][o + j] -= vb[1] * p->mass[0][j] - vb[0] * p->mass[1][j];
    }
    p->D[o][o + 2] -= pb[1];
    p->D[o + 1][o + 2] += pb[0];
    p->D[o + 2][o + 1] -= pb[0];
    p->D[o + 2][o] += pb[1];
    /* d(R^T a) = (a_y, -a_x) dtheta with a in body axes */
    turn_back(x + NX * b, g, weight);
    p->K[o][o + 2] -= weight[1];
    p->K[o + 1][o + 2] += weight[0];
    p->K[o + 2][o + 2] -= -d->sx * weight[0] - d->sy * weight[1];
    p->D[o + 2][o + 2] += d->damping;
    p->K[o + 2][o + 2] += d->stiffness;
    if (b > 0) {
        p->D[o - 1][o - 1] += d->damping;
        p->D[o - 1][o + 2] -= d->damping;
        p->D[o + 2][o - 1] -= d->damping;
        p->K[o - 1][o - 1] += d->stiffness;
        p->K[o - 1][o + 2] -= d->stiffness;
        p->K[o + 2][o - 1] -= d->stiffness;
    }
}

static void joint_derivatives(pendulum *p, const double *x, const double *v, const double *lambda, int k)
{
    int o = NV * k, a = o - NV, row = p->dae.n_v + 2 * k;
    double force[2], swirl[2], L = p->def.length;
    const double *vk = v + o, *va = v + o - NV;
    /* G^T lambda on k: R_k^T lambda */
    turn_back(x + NX * k, lambda + 2 * k, force);
    p->K[o][o + 2] -= force[1];
    p->K[o + 1][o + 2] += force[0];
    turn(x + NX * k, (double[2]){-vk[1], vk[0]}, swirl);
    p->K[row][o + 2] += swirl[0];
    p->K[row + 1][o + 2] += swirl[1];
    if (k == 0)
        return;
    /* on k-1: -R^T lambda at the tip */
    turn_back(x + NX * (k - 1), lambda + 2 * k, force);
    p->K[a][a + 2] += force[1];
    p->K[a + 1][a + 2] -= force[0];
    p->K[a + 2][a + 2] -= L * force[0];
    turn(x + NX * (k - 1), (double[2]){-(va[1] + L * va[2]), va[0]}, swirl);
    p->K[row][a + 2] -= swirl[0];
    p->K[row + 1][a + 2] -= swirl[1];
}

static void derivatives(pendulum *p, const double *x, const double *v, const double *lambda)
{
    memset(p->K, 0, sizeof p->K);
    memset(p->D, 0, sizeof p->D);
    constraint_matrix(p, x, NULL, p->G);
    for (int b = 0; b < p->def.bodies; b++) {
        body_derivatives(p, x, v, b);
        joint_derivatives(p, x, v, lambda, b);
    }
}

static phx_status linearise(phx_dae *dae, double t, const double *x, const double *v, const double *lambda)
{
    (void)t;
    derivatives(self(dae), x, v, lambda);
    return tripped(self(dae));
}

static void stiffness_apply(phx_dae *dae, const double *dxi, double *out)
{
    for (int i = 0; i < dae->n_v + dae->n_l; i++)
        for (int j = 0; j < dae->n_v; j++)
            out[i] += self(dae)->K[i][j] * dxi[j];
}

static void mass_apply(phx_dae *dae, const double *dv, double *out)
{
    double product[MOST_V];
    apply_mass(self(dae), dv, product);
    for (int i = 0; i < dae->n_v; i++)
        out[i] += product[i];
}

/* A(cj), see dae.h */
static void assemble(const pendulum *p, double complex cj, double complex a[MOST][MOST])
{
    int n_v = p->dae.n_v, n_l = p->dae.n_l;
    for (int i = 0; i < n_v + n_l; i++)
        for (int j = 0; j < n_v + n_l; j++)
            a[i][j] = j < n_v ? p->K[i][j] / cj : 0.0;
    for (int i = 0; i < n_v; i++) {
        for (int j = 0; j < n_v; j++)
            a[i][j] += p->D[i][j] + (i / NV == j / NV ? cj * p->mass[i % NV][j % NV] : 0.0);
        for (int j = 0; j < n_l; j++) {
            a[i][n_v + j] = -p->G[j][i];
            a[n_v + j][i] += p->G[j][i];
        }
    }
}

static phx_status factor(phx_dae *dae, int slot, double cj)
{
    pendulum *p = self(dae);
    int n = dae->n_v + dae->n_l;
    double complex a[MOST][MOST];
    assemble(p, cj, a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            p->lu[slot][i][j] = creal(a[i][j]);
    phx_status status = lu_factor(n, p->lu[slot], p->pivot[slot]);
    return status != PHX_OK ? status : tripped(p);
}

static phx_status factor_complex(phx_dae *dae, int slot, double re, double im)
{
    pendulum *p = self(dae);
    assemble(p, re + im * I, p->lu_complex[slot]);
    phx_status status = lu_factor_complex(dae->n_v + dae->n_l, p->lu_complex[slot], p->pivot[slot]);
    return status != PHX_OK ? status : tripped(p);
}

static phx_status solve(phx_dae *dae, int slot, double *b)
{
    pendulum *p = self(dae);
    lu_solve(dae->n_v + dae->n_l, p->lu[slot], p->pivot[slot], b);
    return tripped(p);
}

static phx_status solve_complex(phx_dae *dae, int slot, double *b)
{
    pendulum *p = self(dae);
    int n = dae->n_v + dae->n_l;
    double complex z[MOST];
    for (int i = 0; i < n; i++)
        z[i] = b[2 * i] + b[2 * i + 1] * I;
    lu_solve_complex(n, p->lu_complex[slot], p->pivot[slot], z);
    for (int i = 0; i < n; i++) {
        b[2 * i] = creal(z[i]);
        b[2 * i + 1] = cimag(z[i]);
    }
    return tripped(p);
}

/* ---- the interval ---- */
static phx_status interval_begin(phx_dae *dae, double t0, double h, const double *x0, const double *v0)
{
    pendulum *p = self(dae);
    p->t0 = t0;
    p->h = h;
    memcpy(p->x0, x0, (size_t)dae->n_x * sizeof *x0);
    memcpy(p->v0, v0, (size_t)dae->n_v * sizeof *v0);
    return tripped(p);
}

/* R1 = R0 cay(h omega), r1 = r0 + h R_mean v, angle1 = angle0 + 2 atan(h omega/2) */
static void move(const pendulum *p, int b, double *x1, double *x_mean)
{
    const double *x0 = p->x0 + NX * b, *v = p->v_mean + NV * b;
    double half = 0.5 * p->h * v[2], c = (1.0 - half * half) / (1.0 + half * half),
           s = 2.0 * half / (1.0 + half * half);
    double step[2];
    x1[2] = x0[2] * c - x0[3] * s;
    x1[3] = x0[3] * c + x0[2] * s;
    x1[4] = x0[4] + 2.0 * atan(half);
    for (int i = 2; i < NX; i++)
        x_mean[i] = 0.5 * (x0[i] + x1[i]);
    turn(x_mean, v, step);
    for (int i = 0; i < 2; i++) {
        x1[i] = x0[i] + p->h * step[i];
        x_mean[i] = 0.5 * (x0[i] + x1[i]);
    }
}

/* With a = h omega/2 of the bodies a joint connects, z = (a_b - a_a)/(1 + a_a a_b), kappa = (atan(z)/z)/(1 + a_a a_b):
 * the angle of the joint grows by exactly h kappa (omega_b - omega_a). */
static double joint_kappa(const pendulum *p, int b)
{
    double a_b = 0.5 * p->h * p->v_mean[NV * b + 2], a_a = b > 0 ? 0.5 * p->h * p->v_mean[NV * b - 1] : 0.0;
    double z = (a_b - a_a) / (1.0 + a_a * a_b);
    return (fabs(z) < 1e-8 ? 1.0 : atan(z) / z) / (1.0 + a_a * a_b);
}

static phx_status interval_residual(phx_dae *dae, const double *v1, const double *lambda, double *x1, double *res)
{
    pendulum *p = self(dae);
    double v_dot[MOST_V], G[MOST_L][MOST_V], end[NX];
    for (int i = 0; i < dae->n_v; i++) {
        p->v_mean[i] = 0.5 * (p->v0[i] + v1[i]);
        v_dot[i] = (v1[i] - p->v0[i]) / p->h;
    }
    for (int b = 0; b < p->def.bodies; b++)
        move(p, b, x1 ? x1 + NX * b : end, p->x_mean + NX * b);
    memcpy(p->lambda, lambda, (size_t)dae->n_l * sizeof *lambda);
    if (!res)
        return tripped(p);
    double kappa[BODIES];
    for (int b = 0; b < p->def.bodies; b++)
        kappa[b] = joint_kappa(p, b);
    constraint_matrix(p, p->x_mean, kappa, G);
    residual_with(p, G, speed_mean(p, p->t0, p->h), kappa, p->x_mean, p->v_mean, v_dot, lambda, res);
    return tripped(p);
}

static phx_status interval_linearise(phx_dae *dae)
{
    pendulum *p = self(dae);
    derivatives(p, p->x_mean, p->v_mean, p->lambda);
    return tripped(p);
}

static phx_status interval_work(phx_dae *dae, phx_work *work)
{
    pendulum *p = self(dae);
    work->supplied = p->def.driven ? p->h * p->lambda[dae->n_l - 1] * speed_mean(p, p->t0, p->h) : 0.0;
    work->dissipated = p->h * dissipation(p, p->v_mean);
    return tripped(p);
}

/* ---- projection ---- */
static void solve_mass(const pendulum *p, double *b)
{
    double a[MOST][MOST];
    int pivot[MOST];
    for (int body = 0; body < p->def.bodies; body++) {
        for (int i = 0; i < NV; i++)
            for (int j = 0; j < NV; j++)
                a[i][j] = p->mass[i][j];
        lu_factor(NV, a, pivot);
        lu_solve(NV, a, pivot, b + NV * body);
    }
}

/* out = M^-1 G^T mu */
static void push(const pendulum *p, double G[MOST_L][MOST_V], const double *mu, double *out)
{
    for (int j = 0; j < p->dae.n_v; j++) {
        out[j] = 0.0;
        for (int i = 0; i < p->dae.n_l; i++)
            out[j] += G[i][j] * mu[i];
    }
    solve_mass(p, out);
}

/* S = G M^-1 G^T, factored */
static phx_status schur(const pendulum *p, double G[MOST_L][MOST_V], double S[MOST][MOST], int *pivot)
{
    int n_l = p->dae.n_l;
    for (int j = 0; j < n_l; j++) {
        double unit[MOST_L] = {0}, column[MOST_V];
        unit[j] = 1.0;
        push(p, G, unit, column);
        for (int i = 0; i < n_l; i++) {
            S[i][j] = 0.0;
            for (int k = 0; k < p->dae.n_v; k++)
                S[i][j] += G[i][k] * column[k];
        }
    }
    return lu_factor(n_l, S, pivot);
}

/* mu = -S^-1 e; v1 += M^-1 G^T mu; the energy e.S^-1 e/2 is given back to v1 - M^-1 G^T S^-1 w */
static phx_status project(phx_dae *dae, double t1, double h, bool interval, bool may_reject, const double *x1,
                          double *v1, double *lambda, phx_work *work)
{
    pendulum *p = self(dae);
    int n_v = dae->n_v, n_l = dae->n_l, pivot[MOST];
    double G[MOST_L][MOST_V], S[MOST][MOST], e[MOST_L] = {0}, mu[MOST_L], w[MOST_L] = {0}, step[MOST_V], forced[MOST_V];
    (void)interval;
    if (p->def.driven)
        w[n_l - 1] = speed(p, t1);
    constraint_matrix(p, x1, NULL, G);
    phx_status status = schur(p, G, S, pivot);
    if (status == PHX_OK)
        status = tripped(p);
    if (status != PHX_OK)
        return status;
    double largest_e = 0.0, largest_v = 0.0, taken = 0.0, power_in = 0.0;
    for (int i = 0; i < n_l; i++) {
        for (int j = 0; j < n_v; j++)
            e[i] += G[i][j] * v1[j];
        e[i] -= w[i];
        mu[i] = -e[i];
        largest_e = fmax(largest_e, fabs(e[i]));
    }
    for (int j = 0; j < n_v; j++)
        largest_v = fmax(largest_v, fabs(v1[j]));
    if (largest_e <= 4e-16 * (largest_v + fabs(h) * p->def.gravity)) /* rounding */
        return PHX_OK;
    lu_solve(n_l, S, pivot, mu);
    for (int i = 0; i < n_l; i++) {
        taken -= 0.5 * e[i] * mu[i];
        power_in += mu[i] * w[i];
    }
    if (may_reject && taken > 1e-3 * pendulum_kinetic(p, v1))
        return PHX_REJECTED;
    push(p, G, mu, step);
    lu_solve(n_l, S, pivot, w);
    push(p, G, w, forced);
    for (int j = 0; j < n_v; j++)
        v1[j] += step[j] - forced[j]; /* homogeneous part */
    double kinetic = pendulum_kinetic(p, v1), scale = 1.0;
    work->supplied += power_in;
    if (kinetic > 1e-3 * taken)
        scale = sqrt(1.0 + taken / kinetic);
    else
        work->supplied -= taken;
    for (int j = 0; j < n_v; j++)
        v1[j] = scale * v1[j] + forced[j];
    for (int i = 0; i < n_l; i++)
        lambda[i] += mu[i] / h;
    return PHX_OK;
}

/* ---- measures ---- */
double pendulum_kinetic(const pendulum *p, const double *v)
{
    double momentum[MOST_V], sum = 0.0;
    apply_mass(p, v, momentum);
    for (int i = 0; i < p->dae.n_v; i++)
        sum += 0.5 * v[i] * momentum[i];
    return sum;
}

double pendulum_energy(const pendulum *p, const double *x, const double *v)
{
    double sum = pendulum_kinetic(p, v);
    for (int b = 0; b < p->def.bodies; b++) {
        double s[2] = {p->def.sx, p->def.sy}, arm[2];
        turn(x + NX * b, s, arm);
        sum += p->def.mass * p->def.gravity * (x[NX * b + 1] + arm[1]);
        double angle = x[NX * b + 4] - (b > 0 ? x[NX * b - 1] : 0.0);
        sum += 0.5 * p->def.stiffness * angle * angle;
    }
    return sum;
}

static double norm(phx_dae *dae, const double *dv)
{
    return sqrt(2.0 * pendulum_kinetic(self(dae), dv));
}

static const char *worst_residual(phx_dae *dae, const double *res)
{
    static const char *const bodies[BODIES] = {"body 'link1'", "body 'link2'", "body 'link3'", "body 'link4'"};
    static const char *const joints[BODIES + 1] = {"joint 'pin1'", "joint 'pin2'", "joint 'pin3'", "joint 'pin4'",
                                                   "joint 'pin1'"};
    int worst = 0;
    for (int i = 0; i < dae->n_v + dae->n_l; i++)
        if (!(fabs(res[i]) <= fabs(res[worst])))
            worst = i;
    if (worst < dae->n_v)
        return bodies[worst / NV];
    int row = worst - dae->n_v;
    return row == 2 * self(dae)->def.bodies ? joints[BODIES] : joints[row / 2];
}

static void drift(phx_dae *dae, double t, const double *x, const double *v, double *position, double *velocity)
{
    const pendulum *p = self(dae);
    double res[MOST], none[MOST] = {0}, G[MOST_L][MOST_V];
    constraint_matrix(p, x, NULL, G);
    residual_with(p, G, speed(p, t), NULL, x, v, none, none, res);
    *position = *velocity = 0.0;
    for (int i = 0; i < dae->n_l; i++)
        *velocity = fmax(*velocity, fabs(res[dae->n_v + i]));
    for (int k = 0; k < p->def.bodies; k++) {
        double tip[2] = {0.0, 0.0}, arm[2] = {p->def.length, 0.0};
        if (k > 0) {
            turn(x + NX * (k - 1), arm, tip);
            tip[0] += x[NX * (k - 1)];
            tip[1] += x[NX * (k - 1) + 1];
        }
        *position = fmax(*position, hypot(x[NX * k] - tip[0], x[NX * k + 1] - tip[1]));
    }
}

/* ---- set-up ---- */
static const phx_dae_ops ops = {
    .rates = rates,
    .residual = residual,
    .power = power,
    .accelerations = accelerations,
    .normalise = normalise,
    .count = count,
    .tangent = tangent,
    .linearise = linearise,
    .stiffness_apply = stiffness_apply,
    .mass_apply = mass_apply,
    .factor = factor,
    .factor_complex = factor_complex,
    .solve = solve,
    .solve_complex = solve_complex,
    .interval_begin = interval_begin,
    .interval_residual = interval_residual,
    .interval_linearise = interval_linearise,
    .interval_work = interval_work,
    .project = project,
    .norm = norm,
    .worst_residual = worst_residual,
    .drift = drift,
};

void pendulum_init(pendulum *p, phx_context *context, const pendulum_def *def)
{
    double m = def->mass;
    memset(p, 0, sizeof *p);
    p->def = *def;
    p->fail_at = -1;
    p->fail_count = 1;
    p->dae = (phx_dae){.ops = &ops,
                       .context = context,
                       .n_x = NX * def->bodies,
                       .n_v = NV * def->bodies,
                       .n_l = 2 * def->bodies + (def->driven ? 1 : 0),
                       .lossless = def->damping == 0.0};
    p->mass[0][0] = p->mass[1][1] = m;
    p->mass[0][2] = p->mass[2][0] = -m * def->sy;
    p->mass[1][2] = p->mass[2][1] = m * def->sx;
    p->mass[2][2] = def->inertia + m * (def->sx * def->sx + def->sy * def->sy);
}

void pendulum_place(const pendulum *p, const double *angle, const double *rate, double *x, double *v)
{
    double place[2] = {0.0, 0.0}, velocity[2] = {0.0, 0.0};
    for (int b = 0; b < p->def.bodies; b++) {
        double *xb = x + NX * b, arm[2] = {p->def.length, 0.0}, swing[2] = {0.0, p->def.length * rate[b]};
        xb[0] = place[0];
        xb[1] = place[1];
        xb[2] = cos(angle[b]);
        xb[3] = sin(angle[b]);
        xb[4] = angle[b];
        turn_back(xb, velocity, v + NV * b);
        v[NV * b + 2] = rate[b];
        turn(xb, arm, arm);
        turn(xb, swing, swing);
        for (int i = 0; i < 2; i++) {
            place[i] += arm[i];
            velocity[i] += swing[i];
        }
    }
}
