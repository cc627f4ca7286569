/* Steady rotation: all bodies of a component turn (or slide) as one rigid body, with a velocity that the joints and the
 * constant speeds of the drives determine, and spinning bodies beside it with a constant twist s z in their axes,
 * theory 11 (1) to (6). The body velocities are then functions of the configuration,
 *
 *   v = V(x) = U(x) + s z,   U:   u_P = R^T (v_O + Omega x r),   w = R^T Omega,   q_dot = 0,
 *
 * constant in axes that do not take part in the spin s z. In those of the body they turn backwards, v_dot = -s ad(z) v,
 * and as a spinning body looks the same in all its angles, this is the same at any time. The deformed equilibrium
 * solves
 *
 *   residual of motion(x, V(x), v_dot, lambda) = 0          n_v
 *   joint residuals = 0   , driven coordinates as they are  n_l
 *
 * With xi the increment of x in those axes, dv = xi' + ad(U) xi, ad(v, w) = [[w]x [v]x; 0 [w]x] on the rigid part of
 * each body (from d(r' ) = R([w]x xi_r + xi_r' ) and R' = R[w]x), and dv_dot = xi'' + ad(U) xi' - s ad(z) dv. The
 * residual varies by
 *
 *   M xi'' + (D - s M ad(z) + M ad(U)) xi' + (K + (D - s M ad(z)) ad(U)) xi - G^T dlambda,
 *
 * whose last matrix is also that of Newton's iteration, since V(x) varies by ad(U) xi. Of spinning bodies that bend,
 * axisymmetric.c. */
#include <math.h>
#include <string.h>

#include "steady.h"

enum { ITERATIONS = 60 };

/* Frees the arrays of a steady rotation; also after a partial creation. */
static void steady_free(steady *s)
{
    double *arrays[] = {s->twist, s->spin,  s->coordinate, s->res,  s->xi, s->zero, s->v, s->v_dot,
                        s->work,  s->later, s->turn,       s->room, s->x,  s->K,    s->D};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(s->leads);
    for (int i = 0; i < s->n_spinning; i++)
        phx_free(s->spinning[i].unit);
    for (int b = 0; s->Z && b < phx_system_bodies(s->system); b++)
        phx_csr_free(&s->Z[b]);
    phx_free(s->spinning);
    phx_free(s->Z);
}

/* Allocates the arrays of a steady rotation and marks the velocities at which a frame begins. */
static phx_status steady_create(phx_dae *dae, double t, steady *s)
{
    const phx_system *system = phx_system_of(dae);
    const phx_equations e = phx_system_equations(dae);
    const size_t n = (size_t)e.n, nnz = (size_t)e.ptr[e.n];

    *s = (steady){.dae = dae,
                  .e = e,
                  .system = system,
                  .dim = phx_system_dim(system),
                  .n_rot = phx_rotations(phx_system_dim(system)),
                  .t = t};
    const phx_array arrays[] = {{&s->twist, (size_t)phx_system_components(system) * TWIST},
                                {&s->coordinate, (size_t)e.n_l},
                                {&s->res, n},
                                {&s->xi, n},
                                {&s->zero, n},
                                {&s->v, n},
                                {&s->v_dot, n},
                                {&s->work, n},
                                {&s->later, n},
                                {&s->spin, n},
                                {&s->turn, (size_t)phx_system_bodies(system)},
                                {&s->x, (size_t)dae->n_x},
                                {&s->room, (size_t)dae->n_x},
                                {&s->K, nnz},
                                {&s->D, nnz}};
    const phx_status status = phx_arrays_create(dae->context, sizeof arrays / sizeof *arrays, arrays);
    s->Z = phx_calloc(dae->context, (size_t)phx_system_bodies(system), sizeof *s->Z);
    s->leads = phx_calloc(dae->context, (size_t)e.n_v, sizeof *s->leads);
    for (int b = 0; b < phx_system_bodies(system) && s->leads; b++) {
        const phx_body_frame *frames;
        const int count = phx_body_frames(phx_system_body(system, b), &frames);
        for (int f = 0; f < count; f++)
            s->leads[phx_system_placed(system, b).v + frames[f].v] = true;
    }
    return !status && s->Z && s->leads ? PHX_OK : PHX_ERR_MEMORY;
}

double phx_steady_mass(const phx_system *system)
{
    double mass = 0.0;
    for (int b = 0; b < phx_system_bodies(system); b++)
        mass += phx_body_at_rest(phx_system_body(system, b))->mass;
    return mass;
}

/* Fails if a drive has an acceleration at time t; *driven: there are drives, or coordinates whose friction sticks. */
static phx_status check_drives(const phx_system *system, double t, phx_context *context, bool *driven)
{
    static const double CONSTANT = 1e-9; /* change in 1 s of the speed, relative to it or to 1 rad/s */

    *driven = false;
    for (int j = 0; j < phx_system_joints(system); j++) {
        const bool drives = phx_system_joint_drives(system, j);
        *driven = *driven || drives;
        for (int c = 0; c < phx_system_joint(system, j).n_coordinates && drives; c++) {
            const phx_signal *speed = phx_system_coordinate(system, j, c).def->speed;
            const double rate = phx_signal_rate(speed, t);
            if (!(fabs(rate) <= CONSTANT * fmax(fabs(phx_signal_value(speed, t)), 1.0)))
                return phx_fail(context, PHX_ERR_ANALYSIS,
                                "joint '%s': its speed changes at t = %g s, by %.3g rad/s^2; a steady rotation needs a "
                                "constant speed",
                                phx_system_joint_name(system, j), t, rate);
        }
    }
    return PHX_OK;
}

/* ---- equilibrium ---- */
/* to += factor from ad(rigid), `rigid` a velocity of each frame; arrays on the pattern. */
static void steady_add_product(const steady *s, const double *from, double factor, const double *rigid, double *to)
{
    const int dim = s->dim, n_rot = s->n_rot;

    for (int i = 0; i < s->e.n_v; i++)
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1] && s->e.idx[k] < s->e.n_v; k++) {
            if (!s->leads[s->e.idx[k]])
                continue;
            const double *v = rigid + s->e.idx[k], *w = v + dim, *d = from + k;
            double t[3], r[3], r2[3]; /* d_t [w]x = (d_t x w)^T, d_t [v]x + d_r [w]x */
            phx_vec_x_rot(dim, d, w, t);
            phx_vec_x_vec(dim, d, v, r);
            phx_rot_x_rot(dim, d + dim, w, r2);
            for (int a = 0; a < dim; a++)
                to[k + a] += factor * t[a];
            for (int m = 0; m < n_rot; m++)
                to[k + dim + m] += factor * (r[m] + r2[m]);
        }
}

/* The matrices of the last linearisation, at x and v_dot, as they are about the motion of the axes:
 * D - M ad(spin), then K += D ad(axes), D += M ad(axes); spin and axes are velocities. The deformations of a body that
 * spins turn with -s Z in both; M(q) v_dot adds to K. */
static phx_status add_convection(const steady *s, const double *x, const double *spin, const double *axes,
                                 double factor, const double *v_dot)
{
    phx_status status = PHX_OK;

    steady_add_product(s, s->e.M, -1.0, spin, s->e.D);
    for (int b = 0; b < phx_system_bodies(s->system) && !status; b++)
        if (s->Z[b].rows > 0)
            status = phx_steady_add_product(s, b, s->e.M, -factor * s->turn[b], &s->Z[b], s->e.D);
    for (int b = 0; b < phx_system_bodies(s->system) && !status; b++)
        if (s->Z[b].rows > 0) {
            status = phx_steady_add_product(s, b, s->e.D, -factor * s->turn[b], &s->Z[b], s->e.K);
            if (!status)
                status = phx_steady_add_inertia(s, b, x, v_dot, s->e.K);
        }
    /* theory 11 (6): K + (D - s M ad(z)) ad(U), then D - s M ad(z) + M ad(U) */
    steady_add_product(s, s->e.D, 1.0, axes, s->e.K);
    steady_add_product(s, s->e.M, 1.0, axes, s->e.D);
    for (int b = 0; b < phx_system_bodies(s->system) && !status; b++)
        if (s->Z[b].rows > 0)
            status = phx_steady_add_product(s, b, s->e.M, -factor * s->turn[b], &s->Z[b], s->e.D);
    return status;
}

/* Residuals of the rows at position level, of driven coordinates against their values at the start: n_l. Returns the
 * largest, relative. */
static double joint_residuals(const steady *s, const double *x, const double *v, double *out)
{
    phx_system_view(s->dae, x, v);
    return phx_system_row_residuals(s->dae, s->size, s->coordinate, out);
}

/* Factor [K + sigma M, -G^T; G, 0]. The shift begins at what rounding makes of a zero frequency and grows where the
 * matrix is singular: at a critical speed, or with a joint that is free at zero speed. */
static phx_status factor_shifted(const steady *s)
{
    static const double LEAST_SHIFT = 1e-13; /* of the largest K_ii/M_ii */
    static const double MOST_SHIFT = 1e-5;   /* the same */
    double highest = 0.0;

    for (int i = 0; i < s->e.n_v; i++)
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++)
            if (s->e.idx[k] == i && s->e.M[k] > 0.0)
                highest = fmax(highest, fabs(s->e.K[k]) / s->e.M[k]);
    phx_status status = PHX_SINGULAR;
    for (double sigma = LEAST_SHIFT * (highest > 0.0 ? highest : 1.0);
         status == PHX_SINGULAR && sigma <= MOST_SHIFT * highest + 1.0; sigma *= 1e3) {
        for (int i = 0; i < s->e.n; i++)
            for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++)
                s->e.val[k] = i < s->e.n_v && s->e.idx[k] < s->e.n_v ? s->e.K[k] + sigma * s->e.M[k] : s->e.D[k];
        status = phx_system_factor(s->dae, s->e.val, s->e.lu);
    }
    return status;
}

/* Velocities at x with the speeds `factor` times; the share of the axes and of the spin, accelerations in body axes. */
static void set_velocities(const steady *s, double factor, const double *x, double *v)
{
    phx_steady_axes(s, -1, factor, x, s->v);
    phx_steady_velocities(s, -1, factor, x, v);
    for (int i = 0; i < s->e.n_v; i++)
        s->work[i] = factor * s->spin[i];
    phx_steady_accelerations(s, factor, v, s->v_dot);
}

/* Newton's iteration with the speeds `factor` times; PHX_NOT_CONVERGED with the last relative move. */
static phx_status newton(const steady *s, double factor, double *x, double *v, double *lambda, double *moved)
{
    static const double CONVERGED = 1e-10; /* correction and residual: corrections may end if they no longer fall */
    static const double ENOUGH = 1e-9;     /* last correction, relative */
    phx_dae *dae = s->dae;
    const phx_system *system = s->system;
    const double scale = s->size * sqrt(phx_steady_mass(system));
    double best = HUGE_VAL;

    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        set_velocities(s, factor, x, v);
        phx_status status = dae->ops->linearise(dae, s->t, x, v, lambda);
        if (!status)
            status = dae->ops->residual(dae, s->t, x, v, s->v_dot, lambda, s->res);
        if (status)
            return status;
        const double residual = joint_residuals(s, x, v, s->res + s->e.n_v);
        status = add_convection(s, x, s->work, s->v, factor, s->v_dot);
        for (int i = 0; i < s->e.n; i++)
            s->xi[i] = -s->res[i];
        if (!status)
            status = factor_shifted(s);
        if (!status)
            status = phx_lu_solve(*s->e.lu, 1, s->xi);
        if (status)
            return status;
        *moved = dae->ops->norm(dae, s->xi) / scale;
        if (!(*moved < 1e3))
            return PHX_NOT_CONVERGED;
        phx_system_move(s->dae, s->xi, x);
        for (int k = 0; k < s->e.n_l; k++)
            lambda[k] += s->xi[s->e.n_v + k];
        if (best < CONVERGED && residual < CONVERGED && *moved >= 0.3 * best) {
            set_velocities(s, factor, x, v);
            return PHX_OK;
        }
        best = fmin(best, *moved);
    }
    return best < ENOUGH ? PHX_OK : PHX_NOT_CONVERGED;
}

static bool is_lost(phx_status status)
{
    return status == PHX_NOT_CONVERGED || status == PHX_SINGULAR;
}

/* From s->x, at once or with the speeds raised in steps. */
static phx_status raise_speeds(const steady *s, double *x, double *v, double *lambda, double *moved)
{
    static const int steps[] = {1, 4, 20};
    phx_status status = PHX_NOT_CONVERGED;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && is_lost(status); i++) {
        memcpy(x, s->x, (size_t)s->dae->n_x * sizeof *x);
        memset(lambda, 0, (size_t)s->e.n_l * sizeof *lambda);
        status = PHX_OK;
        for (int k = 1; k <= steps[i] && !status; k++)
            status = newton(s, (double)k / steps[i], x, v, lambda, moved);
    }
    return status;
}

/* The equilibrium with the drives held, into s->x. */
static phx_status start_from_rest(const steady *s, double *x, double *lambda)
{
    phx_static_options options = phx_static_options_default();
    phx_static_report report;
    const size_t bytes = (size_t)s->dae->n_x * sizeof *x;

    options.t = s->t;
    memcpy(x, s->x, bytes);
    const phx_status status = phx_system_static(s->dae, &options, x, lambda, &report);
    if (!status)
        memcpy(s->x, x, bytes);
    return status;
}

/* From the start; where that is far from the steady motion, from the equilibrium at rest. */
static phx_status find_equilibrium(const steady *s, double *x, double *v, double *lambda)
{
    phx_context *context = s->dae->context;
    double moved = 0.0;

    joint_residuals(s, x, v, s->res + s->e.n_v);
    for (int k = 0; k < s->e.n_l; k++)
        s->coordinate[k] = phx_system_row(s->dae, k).driven ? s->res[s->e.n_v + k] : 0.0;
    memcpy(s->x, x, (size_t)s->dae->n_x * sizeof *x);
    phx_status status = raise_speeds(s, x, v, lambda, &moved);
    if (is_lost(status)) {
        phx_context_clear(context);
        const phx_status rest = start_from_rest(s, x, lambda);
        phx_context_clear(context);
        if (rest == PHX_ERR_MEMORY || rest == PHX_INTERRUPTED)
            return rest;
        status = raise_speeds(s, x, v, lambda, &moved);
    }
    if (is_lost(status)) {
        double largest = 0.0;
        for (int i = 0; i < s->e.n_v; i++)
            largest = fmax(largest, fabs(s->res[i]));
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "no steady rotation was found: forces out of balance by %.3g N or N m are left, most on body "
                          "'%s', and the last step moved %.2g of the size; the bodies are too soft for the speed or "
                          "their loads",
                          largest, s->dae->ops->worst_residual(s->dae, s->res), moved);
    }
    return status;
}

/* Nothing is driven and nothing spins: the steady motion is rest. */
static phx_status come_to_rest(phx_dae *dae, double t, double *x, double *v, double *axes, double *lambda, double *spin)
{
    phx_static_options options = phx_static_options_default();
    phx_static_report report;
    const size_t bytes = (size_t)dae->n_v * sizeof *v;

    phx_log(dae->context, PHX_LOG_INFO,
            "nothing is driven: in place of a steady rotation the equilibrium at rest is taken");
    options.t = t;
    memset(v, 0, bytes);
    memset(axes, 0, bytes);
    if (spin)
        *spin = 0.0;
    return phx_system_static(dae, &options, x, lambda, &report);
}

/* ---- what others call ---- */
phx_status phx_system_steady(phx_dae *dae, double t, double *x, double *v, double *axes, double *lambda, double *spin)
{
    if (!dae || !x || !v)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x or v");
    const phx_system *system = phx_system_of(dae);
    steady s = {0};
    bool driven = false;
    phx_status status = check_drives(system, t, dae->context, &driven);

    if (!status)
        status = steady_create(dae, t, &s);
    if (!status) {
        memset(v, 0, (size_t)dae->n_v * sizeof *v);
        phx_system_view(dae, x, v);
        s.size = phx_system_size(dae);
        status = phx_steady_find_motion(&s, x, v);
    }
    if (!status && !driven && s.n_spinning == 0) {
        steady_free(&s);
        return phx_conclude(dae->context, come_to_rest(dae, t, x, v, axes, lambda, spin));
    }
    if (!status && phx_system_slides(system))
        status = phx_fail(dae->context, PHX_ERR_UNSUPPORTED,
                          "there is no steady rotation of a mechanism in which joints slide along bodies; take the "
                          "modes about the start");
    if (!status)
        status = find_equilibrium(&s, x, v, lambda);
    if (!status)
        status = phx_steady_check(&s, x, v);
    if (!status)
        phx_steady_axes(&s, -1, 1.0, x, axes);
    if (!status && spin)
        *spin = phx_steady_fastest(&s);
    steady_free(&s);
    return phx_conclude(dae->context, status);
}

/* Linearises about a steady rotation: M, D and K in the axes that do not spin, with the convective terms,
 * theory 11 (6). `axes` holds their velocities, v those of the bodies. */
static phx_status linearise_steady(phx_dae *dae, double t, const double *x, const double *v, const double *axes,
                                   const double *lambda)
{
    const phx_system *system = phx_system_of(dae);
    const int dim = phx_system_dim(system), n_rot = phx_rotations(dim), rigid = dim + n_rot;
    steady s = {0};
    phx_status status = steady_create(dae, t, &s);

    for (int b = 0; b < phx_system_bodies(system) && !status; b++) { /* what spins, from the difference of v and axes */
        const int at = phx_system_placed(system, b).v;
        double z[TWIST], uneven;
        for (int i = 0; i < rigid; i++)
            s.spin[at + i] = v[at + i] - axes[at + i];
        s.turn[b] = phx_steady_turning(n_rot, s.spin + at + dim);
        for (int i = 0; i < rigid; i++)
            z[i] = s.spin[at + i] / s.turn[b];
        s.n_spinning += s.turn[b] > 0.0;
        if (s.turn[b] > 0.0 && phx_body_n_q(phx_system_body(system, b)) > 0)
            status = phx_steady_axisymmetric(dae->context, phx_system_body(system, b), z, &s.Z[b], &uneven);
    }
    if (!status)
        phx_steady_accelerations(&s, 1.0, v, s.v_dot);
    s.n_spinning = 0; /* it has no list */
    if (!status)
        status = dae->ops->linearise(dae, t, x, v, lambda);
    if (!status)
        /* theory 11 (6): D - s M ad(z) + M ad(U) and K + (D - s M ad(z)) ad(U) */
        status = add_convection(&s, x, s.spin, axes, 1.0, s.v_dot);
    steady_free(&s);
    return status;
}

/* Linear model about a steady rotation, in axes that do not spin, theory 11 (6). Fails for systems with controllers. */
phx_status phx_system_linear_steady(phx_dae *dae, double t, const double *x, const double *v, const double *axes,
                                    const double *lambda, phx_linear *linear)
{
    if (!dae || !x || !v || !linear)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v or linear");
    const phx_system *system = phx_system_of(dae);
    if (phx_system_controllers(system) > 0)
        return phx_fail(dae->context, PHX_ERR_UNSUPPORTED,
                        "controller '%s': there are no modes about a rotation with controllers; take the modes about "
                        "the start",
                        phx_system_controller_name(system, 0));
    const phx_status status = linearise_steady(dae, t, x, v, axes, lambda);

    memset(linear, 0, sizeof *linear);
    linear->gyroscopic = true;
    linear->circulatory = !phx_system_has_potential(system, t);
    linear->lossless = dae->lossless;
    /* theory 11 (6): D ad(U) is not symmetric where what damps does not turn with the axes, or a body does not */
    for (int i = 0; i < dae->n_v && !linear->lossless; i++)
        linear->circulatory = linear->circulatory || axes[i] != 0.0 || v[i] != axes[i];
    return phx_conclude(dae->context, status ? status : phx_system_take_linear(dae, x, false, linear));
}
