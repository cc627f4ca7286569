/* The derivatives of a step of `midpoint`, theory 19. The interval's equations R(x_0, v_0; v_m, lambda) = 0 have the
 * derivative A(2/h) by (v_m, lambda), theory 4 (25). Backwards, from its end with -h, they are the same equations, and
 * their derivative is that at fixed (x_1, v_1). Both together give the derivative by x_0:
 *
 *     A_b = A_f + B W + R_x E^-1 ,     R_x = (A_f + B W - A_b) (-E)     on the columns of v_m    theory 19 (5)
 *
 * with B = dR/dv_0, W = dv_0/dv_m and E: v_m by xi_0, both at fixed x_1, v_1. */
#include "system/forces/forces.h"
#include "variation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- creation ---- */
/* Why a step of the system has no derivative here; NULL: nothing is against it. */
static const char *hindrance(const phx_system *system)
{
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        if (!phx_block_rests(slot->block))
            return "a controller that is another program";
        for (int k = 0; k < slot->n_inputs; k++)
            if (slot->inputs[k].row < 0 && slot->inputs[k].kind == MEASURE_OUTPUT)
                return "a controller that measures forces or accelerations";
    }
    if (system->traits.rubs)
        return "friction that follows reactions";
    if (system->contacts.n > 0)
        return "rigid contacts";
    if (system->channels.n_inputs > 0)
        return "inputs of a program";
    for (int b = 0; b < system->n_bodies; b++) {
        if (!phx_body_balances(system->bodies[b].body))
            return "simplified kinetics";
        if (phx_body_vectors(system->bodies[b].body))
            return "a shell or solid of large displacement";
    }
    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++)
            if (system->joints[j].coordinates[c].stick_row >= 0)
                return "set-valued friction";
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        if (force->kind == FORCE_CONTACT && phx_sys_contact_rubs(force))
            return "friction of contacts, whose place is held in Newton's matrix";
    }
    return NULL;
}

/* The arrays of a variation and its factors. */
static phx_status allocate(phx_variation *var)
{
    const workspace *ws = var->ws;
    const size_t n_v = (size_t)var->n_v, n_l = (size_t)var->n_l, n = (size_t)var->n, entries = (size_t)var->entries;
    size_t largest = 1, frames = 0;

    for (int b = 0; b < var->system->n_bodies; b++) {
        const phx_body *body = var->system->bodies[b].body;
        const size_t room = 3 * (size_t)phx_body_n_x(body) + 6 * (size_t)phx_body_n_v(body);
        largest = room > largest ? room : largest;
        frames += (size_t)phx_body_frames(body, NULL);
    }
    const phx_array arrays[] = {{&var->forward, entries},
                                {&var->difference, entries},
                                {&var->stiffness, entries},
                                {&var->driven, entries},
                                {&var->taken, entries},
                                {&var->x0, (size_t)var->system->n_x},
                                {&var->x1, (size_t)var->system->n_x},
                                {&var->v0, n_v},
                                {&var->lambda, n_l},
                                {&var->xm, (size_t)var->system->n_x},
                                {&var->vm, n_v},
                                {&var->v, n_v},
                                {&var->correction, n},
                                {&var->drive, n},
                                {&var->next, n_v},
                                {&var->carried[0], n_v},
                                {&var->carried[1], n_v},
                                {&var->fixed, n_v},
                                {&var->e, n_l},
                                {&var->w, n_l},
                                {&var->xi1, n_v},
                                {&var->dv1, n_v},
                                {&var->room_x, (size_t)var->system->n_x},
                                {&var->body_room, largest}};
    phx_status status = phx_arrays_create(var->context, sizeof arrays / sizeof *arrays, arrays);
    for (size_t k = 0; k < sizeof var->room / sizeof *var->room && !status; k++)
        status = phx_arrays_create(var->context, 1, &(phx_array){&var->room[k], n});
    if (status)
        return status;
    var->maps = phx_calloc(var->context, frames, sizeof *var->maps);
    var->first_map = phx_calloc(var->context, (size_t)var->system->n_bodies + 1, sizeof *var->first_map);
    var->components = phx_calloc(var->context, (size_t)var->system->components.n + 1, sizeof *var->components);
    if (!var->maps || !var->first_map || !var->components)
        return PHX_ERR_MEMORY;
    for (int b = 0, first = 0; b < var->system->n_bodies; b++) {
        var->first_map[b] = first;
        first += phx_body_frames(var->system->bodies[b].body, NULL);
    }
    return phx_lu_create(var->context, var->n, ws->kkt.ptr, ws->kkt.idx, ws->kkt.order, false, &var->lu);
}

/* A plain workspace of its own; refuses what has no derivative. */
phx_status phx_variation_create(phx_context *context, phx_system *system, phx_variation **variation)
{
    const char *against = hindrance(system);
    phx_dae *dae = NULL;

    *variation = NULL;
    if (against)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "the derivative of a step is not available with %s", against);
    phx_status status = phx_system_dae_with(system, context, PHX_BACKEND_PLAIN, &dae);
    if (status)
        return status;
    phx_variation *var = phx_calloc(context, 1, sizeof *var);
    if (!var) {
        phx_system_dae_destroy(dae);
        return PHX_ERR_MEMORY;
    }
    var->context = context;
    var->system = system;
    var->ws = (workspace *)dae;
    var->n_v = dae->n_v;
    var->n_l = dae->n_l;
    var->n = dae->n_v + dae->n_l;
    var->entries = var->ws->kkt.ptr[var->n];
    var->n_z = phx_system_controller_states(system);
    var->drives = var->ws->rows.n_driven > 0;
    status = allocate(var);
    if (!status && system->control.n > 0)
        status = phx_var_control_create(var);
    if (!status)
        phx_lu_pivot_always(var->lu);
    if (status)
        phx_variation_destroy(var);
    else
        *variation = var;
    return status;
}

/* Frees what a variation owns. */
void phx_variation_destroy(phx_variation *var)
{
    if (!var)
        return;
    double *arrays[] = {var->forward,    var->difference, var->stiffness,  var->driven,   var->taken,
                        var->x0,         var->x1,         var->xm,         var->v0,       var->lambda,
                        var->vm,         var->v,          var->correction, var->drive,    var->next,
                        var->carried[0], var->carried[1], var->fixed,      var->e,        var->w,
                        var->xi1,        var->dv1,        var->room_x,     var->body_room};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_arrays_free(sizeof var->room / sizeof *var->room, var->room);
    phx_lu_destroy(var->lu);
    phx_var_control_free(var->control);
    phx_free(var->maps);
    phx_free(var->first_map);
    phx_free(var->components);
    phx_system_dae_destroy(&var->ws->base);
    phx_free(var);
}

/* ---- a step ---- */
/* By the arrays of the variation: the workspace may be at another instant. */
phx_body_view phx_var_view(const phx_variation *var, int b)
{
    const body_slot *slot = &var->system->bodies[b];

    return (phx_body_view){.h = var->h,
                           .x0 = var->x0 + slot->x,
                           .x1 = var->x1 + slot->x,
                           .xm = var->xm + slot->x,
                           .v0 = var->v0 + slot->v,
                           .v1 = var->v + slot->v,
                           .vm = var->vm + slot->v};
}

/* Newton's iteration for (v_m, lambda), with a matrix of its own in each correction, which is `forward` at the end, and
 * factored. It converges quadratically: once a correction is small, the one behind it is rounding; one that is rounding
 * itself, or no smaller than a hundredth of the one before, as at rest, is left out. x_1 is where the interval ends. */
static phx_status solve_interval(phx_variation *var)
{
    enum { MOST = 12 };
    static const double SMALL = 1e-8, ROUNDING = 1e-12; /* corrections, relative to the velocities */
    static const double STALLED = 1e-2;                 /* relative to the one before */
    const phx_dae_ops *ops = var->ws->base.ops;
    double *res = var->room[0], *end = var->room[1], size = DBL_MAX, scale = 0.0;
    phx_status status = ops->interval_begin(&var->ws->base, var->t0, var->h, var->x0, var->v0);
    bool close = false;

    for (int k = 0; k < MOST && !status; k++) {
        for (int i = 0; i < var->n_v; i++)
            end[i] = 2.0 * var->vm[i] - var->v0[i];
        status = ops->interval_residual(&var->ws->base, end, var->lambda, var->x1, res);
        if (!status)
            status = ops->interval_linearise(&var->ws->base);
        if (!status)
            status = phx_lu_factor(var->lu, var->ws->values.val, NULL);
        if (close || status)
            break;
        status = phx_lu_solve(var->lu, 1, res);
        const double last = size;
        size = scale = 0.0;
        for (int i = 0; i < var->n_v && !status; i++) {
            size = fmax(size, fabs(res[i]));
            scale = fmax(scale, fmax(fabs(end[i]), fabs(var->v0[i])));
        }
        if (size <= ROUNDING * scale || (size <= SMALL && size > STALLED * last))
            break;
        close = size <= SMALL * scale;
        for (int i = 0; i < var->n_v && !status; i++)
            var->vm[i] -= res[i];
        for (int i = 0; i < var->n_l && !status; i++)
            var->lambda[i] -= res[var->n_v + i];
    }
    memcpy(var->v, end, (size_t)var->n_v * sizeof *end);
    if (var->control && !status) { /* without the feedback, whose rows in Newton's matrix are not exact */
        var->ws->control.open = true;
        status = ops->interval_residual(&var->ws->base, end, var->lambda, var->x1, res);
        if (!status)
            status = ops->interval_linearise(&var->ws->base);
        var->ws->control.open = false;
    }
    memcpy(var->forward, var->ws->values.val, (size_t)var->entries * sizeof *var->forward);
    memcpy(var->xm, var->ws->step.xm, (size_t)var->system->n_x * sizeof *var->xm);
    return status;
}

/* The matrix of the same interval from its end, (x_1, v), with -h: its difference to `forward`. */
static phx_status look_back(phx_variation *var)
{
    phx_dae *dae = &var->ws->base;
    double *end = var->room[1];
    phx_status status;

    var->ws->control.held = var->ws->control.open = true;
    status = dae->ops->interval_begin(dae, var->t0 + var->h, -var->h, var->x1, var->v);
    for (int i = 0; i < var->n_v; i++)
        end[i] = 2.0 * var->vm[i] - var->v[i];
    if (!status)
        status = dae->ops->interval_residual(dae, end, var->lambda, NULL, var->room[0]);
    if (!status)
        status = dae->ops->interval_linearise(dae);
    var->ws->control.held = var->ws->control.open = false;
    for (int k = 0; k < var->entries; k++)
        var->difference[k] = var->forward[k] - var->ws->values.val[k];
    return status;
}

/* The step as it was made: the interval must end at x1; v becomes the velocity there before the projection. */
static phx_status end_of_interval(phx_variation *var, const double *x1)
{
    static const double SAME = 1e-7; /* m, rad and relative: steps that were halved differ by the error of the method */
    phx_work work;

    for (int i = 0; i < var->system->n_body_x; i++)
        if (!(fabs(var->x1[i] - x1[i]) <= SAME * (1.0 + fabs(x1[i]))))
            return phx_fail(var->context, PHX_ERR_UNSUPPORTED,
                            "the step from %g s was not made in one interval (it was halved, or something was switched "
                            "in it), so that it has no derivative here; take a smaller step",
                            var->t0);
    return var->ws->base.ops->interval_finish(&var->ws->base, var->v, &work);
}

/* The matrix of the interval with the feedback of continuous controllers. */
static phx_status close_loops(phx_variation *var)
{
    phx_var_control_couple(var);
    return phx_lu_factor(var->lu, var->forward, NULL);
}

/* Solves the interval anew, then takes its matrices from both ends, the maps of the bodies and the projection. */
phx_status phx_variation_step(phx_variation *var, double t0, double h, const double *x0, const double *v0,
                              const double *x1, const double *vm, const double *lambda)
{
    var->t0 = t0;
    var->h = h;
    memcpy(var->x0, x0, (size_t)var->system->n_x * sizeof *x0);
    memcpy(var->v0, v0, (size_t)var->n_v * sizeof *v0);
    memcpy(var->vm, vm, (size_t)var->n_v * sizeof *vm);
    memcpy(var->lambda, lambda, (size_t)var->n_l * sizeof *lambda);
    phx_status status = var->control ? phx_var_control_samples(var) : PHX_OK;
    if (!status)
        status = solve_interval(var);
    if (!status)
        status = end_of_interval(var, x1);
    if (status)
        return status;
    if (var->system->components.any_free)
        phx_sys_impulses(var->ws);
    for (int b = 0; b < var->system->n_bodies; b++) {
        phx_body_view view = phx_var_view(var, b);
        view.products = var->ws->bodies.products[b];
        phx_step_maps *maps = var->maps + var->first_map[b];
        phx_body_step_maps(var->system->bodies[b].body, &view, maps);
        phx_body_start_maps(var->system->bodies[b].body, var->system->gravity, &view, var->body_room, maps);
    }
    if (var->control)
        status = phx_var_control_interval(var);
    if (!status)
        status = phx_var_projection(var);
    if (!status)
        status = look_back(var);
    return status || !var->control ? status : close_loops(var);
}

/* ---- maps of all bodies ---- */
/* out += alpha times a map of all bodies, or its transpose, times in. */
static void apply_map(const phx_variation *var, phx_step_map which, bool transposed, double alpha, const double *in,
                      double *out)
{
    for (int b = 0; b < var->system->n_bodies; b++) {
        const body_slot *slot = &var->system->bodies[b];
        phx_body_step_apply(slot->body, var->maps + var->first_map[b], var->h, which, transposed, alpha, in + slot->v,
                            out + slot->v);
    }
}

/* out += alpha B in, B = dR/dv_0 at fixed mean velocities; transposed: B^T. */
static void apply_start(phx_variation *var, bool transposed, double alpha, const double *in, double *out)
{
    for (int b = 0; b < var->system->n_bodies; b++) {
        const body_slot *slot = &var->system->bodies[b];
        const phx_body_view view = phx_var_view(var, b);
        phx_body_start_apply(slot->body, &view, var->maps + var->first_map[b], transposed, alpha, in + slot->v,
                             out + slot->v, var->body_room);
    }
}

/* ---- forward ---- */
/* In place: the variation of the state at the start becomes that at the end. r (n): dR/dp, dv_p (n_v): dv_1/dp at fixed
 * (x_0, v_0, v_m, lambda), both of phx_variation_by_parameter; NULL: zero. */
phx_status phx_variation_tangent(phx_variation *var, const double *r, const double *dv_p, double *xi, double *dv)
{
    double *rhs = var->room[0], *back = var->room[1], *start = var->room[2], *xi1 = var->xi1, *dv1 = var->dv1;
    double *z = dv + var->n_v;
    const size_t bytes = (size_t)var->n * sizeof(double), of_v = (size_t)var->n_v * sizeof(double);

    memset(rhs, 0, bytes);
    memset(back, 0, of_v);
    memset(start, 0, of_v);
    if (var->control) {
        phx_var_control_samples_tangent(var, xi, dv, z);
        for (int i = 0; i < var->n_z; i++)
            z[i] += dv_p ? dv_p[var->n_v + i] : 0.0;
        phx_var_control_residual(var, xi, z, rhs);
    }
    apply_map(var, PHX_STEP_E, false, -1.0, xi, back); /* R_x xi = (A_f + B W - A_b) (-E xi) */
    phx_var_add_pattern(var, var->difference, false, 1.0, back, rhs);
    apply_map(var, PHX_STEP_W, false, 1.0, back, start);
    for (int i = 0; i < var->n_v; i++)
        start[i] += dv[i];
    apply_start(var, false, 1.0, start, rhs);
    for (int i = 0; i < var->n; i++)
        rhs[i] = -rhs[i] - (r ? r[i] : 0.0);
    const phx_status status = phx_lu_solve(var->lu, 1, rhs);
    if (status)
        return status;
    if (var->control)
        phx_var_control_end(var, rhs, z);
    for (int i = 0; i < var->n_z; i++)
        z[i] += dv_p ? dv_p[var->n_v + var->n_z + i] : 0.0;
    memset(xi1, 0, of_v);
    memset(dv1, 0, of_v);
    apply_map(var, PHX_STEP_X, false, 1.0, xi, xi1);
    apply_map(var, PHX_STEP_Y, false, 1.0, rhs, xi1);
    apply_map(var, PHX_STEP_V0, false, 1.0, dv, dv1);
    apply_map(var, PHX_STEP_VM, false, 1.0, rhs, dv1);
    const phx_status projected = phx_var_project_tangent(var, NULL, xi1, xi, dv, dv1);
    memcpy(xi, xi1, of_v);
    for (int i = 0; i < var->n_v; i++)
        dv[i] = dv1[i] + (dv_p ? dv_p[i] : 0.0);
    return projected;
}

/* ---- backward ---- */
int phx_variation_adjoint_size(const phx_variation *var)
{
    return 4 * var->n + (2 + VARIATION_RATES) * var->n_v + var->n_l + VARIATION_PER * var->system->components.n +
           2 * var->n_z;
}

/* One array after the other in `kept`, in the order of the struct. */
step_adjoint phx_var_step_adjoint(const phx_variation *var, double *kept)
{
    step_adjoint at = {.eta = kept, .end = kept + var->n};
    double *next = at.end + var->n_v;

    for (int j = 0; j < VARIATION_RATES; j++, next += var->n_v)
        at.mass[j] = next;
    at.start = next;
    next += var->n_v;
    for (int j = 0; j < 3; j++, next += var->n)
        at.rows[j] = next;
    at.rate = next;
    at.impulse = next + var->n_l;
    at.states[0] = at.impulse + VARIATION_PER * var->system->components.n;
    at.states[1] = at.states[0] + var->n_z;
    return at;
}

/* In place: the derivative of a number by the state at the end becomes that by the state at the start. */
phx_status phx_variation_adjoint(phx_variation *var, double *a_xi, double *a_v, double *kept)
{
    const step_adjoint at = phx_var_step_adjoint(var, kept);
    double *eta = at.eta;
    double *a_xi0 = var->xi1, *a_v0 = var->dv1, *back = var->room[0], *start = var->room[1], *a_z = a_v + var->n_v;
    const size_t of_v = (size_t)var->n_v * sizeof(double);

    memset(a_xi0, 0, of_v);
    memset(a_v0, 0, of_v);
    memset(kept, 0, (size_t)phx_variation_adjoint_size(var) * sizeof *kept);
    phx_status status = phx_var_project_adjoint(var, a_v, a_xi, a_xi0, a_v0, &at);
    memcpy(at.end, a_v, of_v);
    apply_map(var, PHX_STEP_Y, true, 1.0, a_xi, eta);
    apply_map(var, PHX_STEP_VM, true, 1.0, a_v, eta);
    apply_map(var, PHX_STEP_X, true, 1.0, a_xi, a_xi0);
    apply_map(var, PHX_STEP_V0, true, 1.0, a_v, a_v0);
    memcpy(at.states[1], a_z, (size_t)var->n_z * sizeof *a_z);
    if (var->control)
        phx_var_control_end_adjoint(var, a_z, eta);
    if (!status)
        status = phx_lu_solve_transposed(var->lu, eta);
    if (status)
        return status;
    if (var->control) {
        phx_var_control_residual_adjoint(var, eta, a_xi0, a_z);
        memcpy(at.states[0], a_z, (size_t)var->n_z * sizeof *a_z);
    }
    memset(back, 0, of_v);
    memset(start, 0, of_v);
    apply_start(var, true, 1.0, eta, start);
    phx_var_add_pattern(var, var->difference, true, 1.0, eta, back);
    apply_map(var, PHX_STEP_W, true, 1.0, start, back);
    apply_map(var, PHX_STEP_E, true, 1.0, back, a_xi0); /* a_xi0 -= (-E)^T back */
    for (int i = 0; i < var->n_v; i++) {
        a_xi[i] = a_xi0[i];
        a_v[i] = a_v0[i] - start[i];
    }
    if (var->control)
        phx_var_control_samples_adjoint(var, a_z, a_xi, a_v);
    return PHX_OK;
}
