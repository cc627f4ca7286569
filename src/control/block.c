/* Controllers: what all kinds share: references, feed-forward, limits, messages. */
#include "block.h"

#include <math.h>
#include <string.h>

const phx_block_ops *const phx_block_kinds[PHX_CONTROLLER_KINDS] = {
    [PHX_CONTROLLER_PID] = &phx_block_pid,
    [PHX_CONTROLLER_STATE_SPACE] = &phx_block_state_space,
    [PHX_CONTROLLER_PORT_HAMILTONIAN] = &phx_block_port_hamiltonian,
    [PHX_CONTROLLER_FUNCTION] = &phx_block_function,
    [PHX_CONTROLLER_EXTERNAL] = &phx_block_external,
};

const char *phx_controller_kind_name(phx_controller_kind kind)
{
    return kind >= 0 && kind < PHX_CONTROLLER_KINDS ? phx_block_kinds[kind]->name : NULL;
}

phx_controller_def phx_controller_def_default(void)
{
    return (phx_controller_def){0};
}

void phx_controller_def_release(const phx_controller_def *def)
{
    for (int k = 0; k < def->n_inputs && def->reference; k++)
        phx_signal_destroy(def->reference[k]);
    for (int k = 0; k < def->n_outputs && def->feedforward; k++)
        phx_signal_destroy(def->feedforward[k]);
    if (def->free_data)
        def->free_data(def->data);
}

/* ---- making ---- */
double *phx_block_copy(phx_context *context, size_t count, const double *from)
{
    double *copy = phx_calloc(context, count, sizeof *copy);
    if (copy && from)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

phx_status phx_block_check_finite(phx_context *context, const char *block, const char *what, size_t count,
                                  const double *values)
{
    for (size_t k = 0; values && k < count; k++)
        if (!isfinite(values[k]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': entry %d of %s is %g, expected a finite value",
                            block, (int)k + 1, what, values[k]);
    return PHX_OK;
}

/* Checks that a controller with limits may have any, and that each lower limit is below the upper one. */
static phx_status check_limits(phx_context *context, const phx_block *block, const phx_controller_def *def)
{
    if (!def->lower || !def->upper)
        return PHX_OK;
    if (!block->ops->limits)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "controller '%s': a %s has no limits, which would break its passivity", block->name,
                        block->ops->name);
    for (int k = 0; k < block->n_outputs; k++)
        if (!(def->lower[k] < def->upper[k]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "controller '%s': the limits of output %d are %g and %g; the lower must come first and be "
                            "less",
                            block->name, k + 1, def->lower[k], def->upper[k]);
    return PHX_OK;
}

/* Checks that a controller may be sampled with its period and delay; passive kinds may not. */
static phx_status check_sampling(phx_context *context, const phx_block *block)
{
    const double sample = block->def.sample;

    if (!(sample >= 0.0 && isfinite(sample)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': the sampling period is %g s; it must be positive",
                        block->name, sample);
    if (sample > 0.0 && !block->ops->sample)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "controller '%s': a %s cannot be sampled, which would break its passivity; leave `sample` out, "
                        "or give its discretisation as a state_space",
                        block->name, block->ops->name);
    if (block->def.delay < 0 || (block->def.delay > 0 && sample == 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "controller '%s': a delay of %d; it counts samples and needs `sample`", block->name,
                        block->def.delay);
    return PHX_OK;
}

/* The numbers of a definition without what it borrows and hands over. */
static phx_controller_def plain_numbers(const phx_controller_def *def)
{
    return (phx_controller_def){.kind = def->kind,
                                .sample = def->sample,
                                .delay = def->delay,
                                .kp = def->kp,
                                .ki = def->ki,
                                .kd = def->kd,
                                .filter = def->filter,
                                .anti_windup = def->anti_windup,
                                .function = def->function,
                                .energy = def->kind == PHX_CONTROLLER_FUNCTION ? def->energy : NULL,
                                .external = def->external,
                                .data = def->data,
                                .free_data = def->free_data};
}

/* Moves name, signals and numbers of the definition into the block. Nothing has been taken over after a failure. */
static phx_status take_over(phx_context *context, const phx_controller_def *def, phx_block *block)
{
    const size_t inputs = (size_t)def->n_inputs, outputs = (size_t)def->n_outputs;

    block->reference = phx_calloc(context, inputs, sizeof *block->reference);
    block->feedforward = phx_calloc(context, outputs, sizeof *block->feedforward);
    block->name = phx_strdup(context, def->name ? def->name : "");
    if (!block->reference || !block->feedforward || !block->name)
        return PHX_ERR_MEMORY;
    block->n_inputs = def->n_inputs;
    block->n_outputs = def->n_outputs;
    for (size_t k = 0; k < inputs && def->reference; k++)
        block->reference[k] = def->reference[k];
    for (size_t k = 0; k < outputs && def->feedforward; k++)
        block->feedforward[k] = def->feedforward[k];
    block->def = plain_numbers(def);
    return PHX_OK;
}

/* Completes a block after its signals are taken over: limits, sampling, data of its kind, and initial state. */
static phx_status block_complete(phx_context *context, const phx_controller_def *def, phx_block *block)
{
    const size_t outputs = (size_t)def->n_outputs;
    phx_status status = check_limits(context, block, def);

    if (!status)
        status = check_sampling(context, block);
    if (!status && def->lower && def->upper) {
        block->lower = phx_block_copy(context, outputs, def->lower);
        block->upper = phx_block_copy(context, outputs, def->upper);
        status = block->lower && block->upper ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status)
        status = block->ops->begin(context, def, block);
    if (!status)
        status = phx_block_check_finite(context, block->name, "initial", (size_t)block->n, def->initial);
    if (!status) {
        block->initial = phx_block_copy(context, (size_t)block->n, def->initial);
        status = block->initial ? PHX_OK : PHX_ERR_MEMORY;
    }
    return status;
}

/* Creates a controller from its definition and takes over signals and data, which are released also after a failure. */
phx_status phx_block_create(phx_context *context, const phx_controller_def *def, phx_block **made)
{
    phx_block *block = phx_calloc(context, 1, sizeof *block);
    phx_status status = block ? take_over(context, def, block) : PHX_ERR_MEMORY;

    *made = NULL;
    if (status) {
        if (block) { /* nothing has been taken over yet */
            phx_free(block->reference);
            phx_free(block->feedforward);
            phx_free(block->name);
            phx_free(block);
        }
        phx_controller_def_release(def);
        return status;
    }
    if ((int)def->kind < 0 || def->kind >= PHX_CONTROLLER_KINDS)
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': there is no kind %d", block->name, (int)def->kind);
    else if (def->n_outputs < 1)
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': it has no outputs; give at least one", block->name);
    else
        block->ops = phx_block_kinds[def->kind];
    if (!status)
        status = block_complete(context, def, block);
    if (status)
        phx_block_destroy(block);
    else
        *made = block;
    return status;
}

/* Frees a controller with its signals and data, also an incomplete one; NULL is allowed. */
void phx_block_destroy(phx_block *block)
{
    if (!block)
        return;
    for (int k = 0; k < block->n_inputs && block->reference; k++)
        phx_signal_destroy(block->reference[k]);
    for (int k = 0; k < block->n_outputs && block->feedforward; k++)
        phx_signal_destroy(block->feedforward[k]);
    if (block->ops && block->ops->end)
        block->ops->end(block);
    if (block->def.free_data)
        block->def.free_data(block->def.data);
    double *arrays[] = {block->lower, block->upper, block->initial, block->A,   block->B,
                        block->C,     block->D,     block->storage, block->loss};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(block->reference);
    phx_free(block->feedforward);
    phx_free(block->name);
    phx_free(block);
}

/* ---- asking ---- */
int phx_block_n(const phx_block *block)
{
    return block->n;
}
double phx_block_sample_time(const phx_block *block)
{
    return block->def.sample;
}
int phx_block_delay(const phx_block *block)
{
    return block->def.delay;
}
int phx_block_shown(const phx_block *block)
{
    return block->ops->hidden ? 0 : block->n;
}
const double *phx_block_initial(const phx_block *block)
{
    return block->initial;
}
bool phx_block_stores(const phx_block *block)
{
    return block->ops->energy != NULL;
}
double phx_block_energy(const phx_block *block, const double *z)
{
    return block->ops->energy ? block->ops->energy(block, z) : 0.0;
}
bool phx_block_closes(const phx_block *block)
{
    return block->def.energy != NULL;
}
void phx_block_closed_energy(const phx_block *block, double t, const double *y, double values[2])
{
    block->def.energy(block->def.data, t, y, values);
}
static bool is_given(const phx_signal *signal)
{
    return !signal || phx_signal_is_steady(signal);
}
bool phx_block_shapes(const phx_block *block)
{
    const phx_controller_def *def = &block->def;

    return def->kind == PHX_CONTROLLER_PID && def->sample == 0.0 && def->ki == 0.0 && def->filter == 0.0 &&
           !block->lower && is_given(block->reference[0]) && is_given(block->feedforward[0]) &&
           (block->n_inputs == 1 || !block->reference[1]);
}
double phx_block_potential(const phx_block *block, double y)
{
    const double e = y - phx_signal_value(block->reference[0], 0.0);

    return 0.5 * block->def.kp * e * e - phx_signal_value(block->feedforward[0], 0.0) * y;
}
double phx_block_derivative(const phx_block *block, double y)
{
    return block->def.kp * (y - phx_signal_value(block->reference[0], 0.0)) -
           phx_signal_value(block->feedforward[0], 0.0);
}
size_t phx_block_room(const phx_block *block)
{
    const size_t own = block->ops->room ? block->ops->room(block) : 0;
    return (size_t)block->n_inputs + (size_t)block->n_outputs + own;
}

/* ---- evaluating ---- */
/* Where output k is held, else where u is: below (-1) or above (1) its limits, or within them. */
static int side_of(const phx_block *block, int k, double u)
{
    if (!block->lower)
        return 0;
    return block->side ? block->side[k] : (u > block->upper[k]) - (u < block->lower[k]);
}

double phx_block_limited(const phx_block *block, int k, double u, bool *inside)
{
    const int side = side_of(block, k, u);

    if (inside)
        *inside = side == 0;
    return side < 0 ? block->lower[k] : side > 0 ? block->upper[k] : u;
}

/* e = y - r and the feed-forward at t; a pid's second reference is the rate of the first. */
static void subtract_references(const phx_block *block, double t, double h, const double *y, double *e, double *f)
{
    for (int k = 0; k < block->n_inputs; k++)
        e[k] = y[k] - phx_signal_value(block->reference[k], t);
    if (block->def.kind == PHX_CONTROLLER_PID && block->n_inputs > 1 && block->reference[0] && !block->reference[1]) {
        const phx_signal *r = block->reference[0];
        e[1] -= h == 0.0 ? phx_signal_rate(r, t)
                         : (phx_signal_value(r, t + 0.5 * h) - phx_signal_value(r, t - 0.5 * h)) / h;
    }
    for (int k = 0; k < block->n_outputs; k++)
        f[k] = phx_signal_value(block->feedforward[k], t);
}

/* `failure`: what it is that they are not finite. */
static phx_status check_result(const phx_block *block, phx_context *context, double t, const double *u,
                               phx_status failure)
{
    for (int k = 0; k < block->n_outputs; k++)
        if (!isfinite(u[k]))
            return phx_fail(context, failure,
                            "controller '%s': its output %d is %g at t = %.9g s, expected a finite value", block->name,
                            k + 1, u[k], t);
    return PHX_OK;
}

/* Output u, its derivative S by the measurement, final state and dissipation of one interval h with mean measurement
 * y, limited. h = 0 gives the values at an instant; PHX_NOT_CONVERGED if u is not finite. */
phx_status phx_block_evaluate(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                              const double *y, double *room, phx_block_result *result)
{
    double *e = room, *f = e + block->n_inputs, *own = f + block->n_outputs;

    result->dissipation = 0.0;
    subtract_references(block, t, h, y, e, f);
    phx_status status = block->ops->interval(block, context, t, h, z0, e, f, own, result);
    if (!status) /* y may be of an iteration that went astray: a shorter step may mend it */
        status = check_result(block, context, t, result->u, PHX_NOT_CONVERGED);
    for (int k = 0; k < block->n_outputs && !status; k++) {
        bool inside = true;
        result->u[k] = phx_block_limited(block, k, result->u[k], &inside);
        for (int j = 0; j < block->n_inputs && result->S && !inside; j++)
            result->S[k * block->n_inputs + j] = 0.0;
    }
    return status;
}

phx_status phx_block_take_sample(const phx_block *block, phx_context *context, double t, double *z, const double *y,
                                 double *room, double *u)
{
    double *e = room, *f = e + block->n_inputs, *own = f + block->n_outputs;

    subtract_references(block, t, 0.0, y, e, f);
    phx_status status = block->ops->sample(block, context, t, z, e, f, own, u);
    if (!status)
        status = check_result(block, context, t, u, PHX_ERR_ANALYSIS);
    for (int k = 0; k < block->n_outputs && !status; k++)
        u[k] = phx_block_limited(block, k, u[k], NULL);
    return status;
}

void phx_block_flow(const phx_block *block, double t, const double *z, const double *y, double *room, double *z_dot)
{
    double *e = room, *f = e + block->n_inputs;

    if (!block->ops->flow)
        return;
    subtract_references(block, t, 0.0, y, e, f);
    block->ops->flow(block, f, z, e, z_dot);
}

/* Linearises a controller at a state: z' = A z + B y, u = C z + D y. Outputs beyond a limit follow neither; A, B, C
 * and D are optional. The references are the means of an interval of length h, or those of the instant (h = 0). */
static phx_status linearise_over(const phx_block *block, phx_context *context, double t, double h, const double *z,
                                 const double *y, double *room, double *A, double *B, double *C, double *D)
{
    const int n = block->n, n_in = block->n_inputs, n_out = block->n_outputs;
    double *e = room, *f = e + n_in, step[2];
    double *u = phx_calloc(context, (size_t)(3 * n_out + n_out * n_in + n), sizeof *u);
    phx_status status = u ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    double *S = u + 3 * n_out, *moved = S + n_out * n_in, *inside = u + 2 * n_out;
    phx_block_result result = {.u = u, .S = S};
    subtract_references(block, t, h, y, e, f);
    status = block->ops->interval(block, context, t, 0.0, z, e, f, f + n_out, &result);
    if (!status)
        status = check_result(block, context, t, u, PHX_NOT_CONVERGED);
    for (int k = 0; k < n_out && !status; k++) {
        bool follows;
        (void)phx_block_limited(block, k, u[k], &follows);
        inside[k] = follows ? 1.0 : 0.0; /* beyond a limit u follows neither z nor y */
        for (int j = 0; j < n_in && D; j++)
            D[k * n_in + j] = inside[k] * S[k * n_in + j];
    }
    if (!status && n > 0)
        block->ops->rates(block, f, z, e, A, B);
    for (int j = 0; j < n && C && !status; j++) { /* u is linear in z but for the limits */
        for (int side = 0; side < 2 && !status; side++) {
            memcpy(moved, z, (size_t)n * sizeof *moved);
            step[side] = (side ? -0.5 : 0.5) * fmax(1.0, fabs(z[j]));
            moved[j] += step[side];
            result = (phx_block_result){.u = u + side * n_out};
            subtract_references(block, t, h, y, e, f);
            status = block->ops->interval(block, context, t, 0.0, moved, e, f, f + n_out, &result);
        }
        for (int k = 0; k < n_out && !status; k++)
            C[k * n + j] = inside[k] * (u[k] - u[n_out + k]) / (step[0] - step[1]);
    }
    phx_free(u);
    return status;
}

phx_status phx_block_linearise(const phx_block *block, phx_context *context, double t, const double *z, const double *y,
                               double *room, double *A, double *B, double *C, double *D)
{
    return linearise_over(block, context, t, 0.0, z, y, room, A, B, C, D);
}

/* F = (I - h/2 A)^-1:  z1 = (2 F - I) z0 + h F B y,  u = C F z0 + (D + h/2 C F B) y  with A, B, C, D about the mean. */
phx_status phx_block_linearise_interval(const phx_block *block, phx_context *context, double t, double h,
                                        const double *z0, const double *y, double *room, double *A, double *B,
                                        double *C, double *D)
{
    const int n = block->n, in = block->n_inputs, out = block->n_outputs;
    const size_t sizes[] = {(size_t)(n * n), (size_t)(n * in), (size_t)(out * n)};
    double *F = phx_calloc(context, sizes[0] + sizes[1] + sizes[2] + (size_t)(2 * n + out), sizeof *F);
    phx_status status = F ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    double *G = F + sizes[0], *c = G + sizes[1], *z = c + sizes[2], *z1 = z + n, *u = z1 + n;
    phx_block_result result = {.u = u, .z1 = z1};
    if (!block->ops->rates && n > 0)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED, "controller '%s' is another program, which has no linear model",
                          block->name);
    if (!status)
        status = phx_block_evaluate(block, context, t, h, z0, y, room, &result);
    for (int i = 0; i < n; i++)
        z[i] = 0.5 * (z0[i] + z1[i]);
    if (!status)
        status = linearise_over(block, context, t, h, z, y, room, A, B, C, D);
    for (int i = 0; i < n * n && !status; i++)
        F[i] = (double)(i / n == i % n) - 0.5 * h * A[i];
    if (!status && n > 0)
        status = phx_dense_inverse(context, n, F);
    if (!status && n > 0) {
        phx_dense_multiply(false, false, n, in, n, 0.5 * h, F, n, B, in, 0.0, G, in);
        phx_dense_multiply(false, false, out, in, n, 1.0, C, n, G, in, 1.0, D, in);
        phx_dense_multiply(false, false, out, n, n, 1.0, C, n, F, n, 0.0, c, n);
        memcpy(C, c, sizes[2] * sizeof *c);
        for (int i = 0; i < n * n; i++)
            A[i] = 2.0 * F[i] - (double)(i / n == i % n);
        for (int i = 0; i < n * in; i++)
            B[i] = 2.0 * G[i];
    }
    phx_free(F);
    return status;
}

/* One evaluation without limits, of an interval or of a sample whose new states are dropped. */
phx_status phx_block_sides(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                           const double *y, double *room, signed char *side)
{
    double *e = room, *f = e + block->n_inputs, *own = f + block->n_outputs;
    double *u = phx_calloc(context, (size_t)(block->n_outputs + block->n), sizeof *u);
    phx_status status = u ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    double *z = u + block->n_outputs;
    if (block->def.sample > 0.0) {
        memcpy(z, z0, (size_t)block->n * sizeof *z);
        subtract_references(block, t, 0.0, y, e, f);
        status = block->ops->sample(block, context, t, z, e, f, own, u);
    } else {
        phx_block_result result = {.u = u, .z1 = h == 0.0 ? NULL : z};
        subtract_references(block, t, h, y, e, f);
        status = block->ops->interval(block, context, t, h, z0, e, f, own, &result);
    }
    for (int k = 0; k < block->n_outputs && !status; k++)
        side[k] = (signed char)side_of(block, k, u[k]);
    phx_free(u);
    return status;
}

void phx_block_hold_sides(phx_block *block, const signed char *side)
{
    block->side = side;
}

/* Linearises one sample of a controller: z+ = A z + B y, u = C z + D y. An output beyond a limit follows neither. */
phx_status phx_block_linearise_sample(const phx_block *block, phx_context *context, double t, const double *z,
                                      const double *y, double *room, double *A, double *B, double *C, double *D)
{
    const int n = block->n, in = block->n_inputs, out = block->n_outputs;
    double *e = room, *f = e + in, *own = f + out;
    double *u = phx_calloc(context, (size_t)(out + n), sizeof *u);
    bool all_inside = true;
    phx_status status = u ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && !block->ops->discrete)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED, "controller '%s' is another program, which has no linear model",
                          block->name);
    if (!status) {
        if (n > 0)
            memcpy(u + out, z, (size_t)n * sizeof *u);
        subtract_references(block, t, 0.0, y, e, f);
        status = block->ops->sample(block, context, t, u + out, e, f, own, u);
    }
    for (int k = 0; k < out && !status; k++) {
        bool inside = true;
        (void)phx_block_limited(block, k, u[k], &inside);
        all_inside = all_inside && inside;
    }
    if (!status) {
        memset(A, 0, (size_t)(n * n) * sizeof *A);
        memset(B, 0, (size_t)(n * in) * sizeof *B);
        memset(C, 0, (size_t)(out * n) * sizeof *C);
        memset(D, 0, (size_t)(out * in) * sizeof *D);
        block->ops->discrete(block, t, e, !all_inside, own, A, B, C, D);
    }
    for (int k = 0; k < out && !status; k++) {
        bool inside = true;
        (void)phx_block_limited(block, k, u[k], &inside);
        if (inside)
            continue;
        memset(C + k * n, 0, (size_t)n * sizeof *C);
        memset(D + k * in, 0, (size_t)in * sizeof *D);
    }
    phx_free(u);
    return status;
}
