/* Inputs and outputs of the linearised system. */
#include "channels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- which channels ---- */
typedef struct choice {
    catalog list;
    int *inputs, *outputs; /* entries: they stay where they are in the catalog */
    phx_channels *channels;
} choice;

static phx_status channels_unknown(const choice *coordinate, const char *name, bool input)
{
    const catalog *list = &coordinate->list;

    for (int i = 0; i < list->n_entries; i++)
        if (strcmp(list->entries[i].name, name) == 0)
            return phx_fail(list->system->context, PHX_ERR_INPUT,
                            input ? "'%s' is an output of the model and cannot be an input"
                                  : "'%s' is a load and cannot be an output",
                            name);
    return phx_fail(list->system->context, PHX_ERR_INPUT, "there is no %s '%s'%s", input ? "input" : "output", name,
                    phx_sys_catalog_hint(list, name, input).text);
}

/* Finds the entries of the given names; fails for an unknown name or one that is listed twice. */
static phx_status resolve(choice *coordinate, bool input, int count, const char *const *names, int *found)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < count && !status; k++) {
        const entry *one = phx_sys_catalog_find(&coordinate->list, names[k], input, &status);
        if (status)
            return status;
        if (!one)
            return channels_unknown(coordinate, names[k], input);
        found[k] = (int)(one - coordinate->list.entries);
        for (int j = 0; j < k; j++)
            if (found[j] == found[k])
                return phx_fail(coordinate->list.system->context, PHX_ERR_INPUT, "the %s '%s' is listed twice",
                                input ? "input" : "output", names[k]);
    }
    return status;
}

/* Whether an entry belongs to the default inputs. */
static bool by_default(const catalog *list, const entry *item, bool by_rate)
{
    const phx_system *system = list->system;

    if (item->kind == ENTRY_LOAD)
        return system->forces[item->index].kind != FORCE_LINE || system->forces[item->index].spring.force;
    if (item->kind != ENTRY_MOTION || list->motions[item->index].joint < 0)
        return false;
    const motion *what = &list->motions[item->index];
    const phx_coordinate_def *def = &system->joints[what->joint].coordinates[what->coordinate].def;
    return def->speed ? item->part == (by_rate ? PART_RATE : PART_ACCELERATION)
                      : def->effort && item->part == PART_EFFORT;
}

static bool is_linear_column(const catalog *list, int i)
{
    return list->entries[i].kind == ENTRY_COLUMN &&
           !phx_system_quantity_info(phx_system_column_quantity(list->system, list->entries[i].index, NULL))->instead;
}

/* Entries of the defaults; `found` has room for all entries. Returns their number. */
static int take_default(const choice *coordinate, bool input, bool by_rate, int *found)
{
    int count = 0;
    for (int i = 0; i < coordinate->list.n_entries; i++)
        if (input ? by_default(&coordinate->list, &coordinate->list.entries[i], by_rate)
                  : is_linear_column(&coordinate->list, i))
            found[count++] = i;
    return count;
}

/* The efforts of controllers, behind the inputs that are chosen, each once. */
static phx_status add_actuations(choice *coordinate)
{
    const phx_system *system = coordinate->list.system;
    phx_channels *out = coordinate->channels;
    phx_status status = PHX_OK;

    for (int c = 0; c < system->control.n; c++)
        for (int k = 0; k < system->control.slot[c].n_outputs && !status; k++) {
            const entry *one =
                phx_sys_catalog_find(&coordinate->list, system->control.slot[c].output_names[k], true, &status);
            const int at = one ? (int)(one - coordinate->list.entries) : -1;
            bool there = at < 0;
            for (int i = 0; i < out->n_inputs; i++)
                there = there || coordinate->inputs[i] == at;
            if (!there)
                coordinate->inputs[out->n_inputs++] = at;
        }
    return status;
}

/* Chooses inputs and outputs of the linear model: the given lists, or by default all loads, actuators and drives and
 * all outputs. An empty side is an error unless controllers are included. */
static phx_status channels_choose(choice *coordinate, const phx_channels_options *options)
{
    phx_context *context = coordinate->list.system->context;
    const size_t most = (size_t)coordinate->list.n_entries,
                 acted = (size_t)coordinate->list.system->control.n_actuations;
    phx_status status = PHX_OK;

    coordinate->inputs =
        phx_calloc(context, (options->inputs ? (size_t)options->n_inputs : most) + acted, sizeof *coordinate->inputs);
    coordinate->outputs =
        phx_calloc(context, options->outputs ? (size_t)options->n_outputs : most, sizeof *coordinate->outputs);
    if (!coordinate->inputs || !coordinate->outputs)
        return PHX_ERR_MEMORY;
    coordinate->channels->n_inputs = options->inputs
                                         ? options->n_inputs
                                         : take_default(coordinate, true, options->drives_by_rate, coordinate->inputs);
    coordinate->channels->n_outputs =
        options->outputs ? options->n_outputs : take_default(coordinate, false, false, coordinate->outputs);
    if (coordinate->channels->n_inputs == 0 && !options->controllers)
        return phx_fail(context, PHX_ERR_INPUT,
                        options->inputs ? "the list of inputs is empty; give at least one"
                                        : "the model has no load, actuator or drive; say which inputs are meant");
    if (coordinate->channels->n_outputs == 0 && !options->controllers)
        return phx_fail(context, PHX_ERR_INPUT,
                        options->outputs ? "the list of outputs is empty; give at least one"
                                         : "the model has no outputs; say which outputs are meant");
    if (options->inputs)
        status = resolve(coordinate, true, options->n_inputs, options->inputs, coordinate->inputs);
    if (!status && options->outputs)
        status = resolve(coordinate, false, options->n_outputs, options->outputs, coordinate->outputs);
    return status || !options->controllers ? status : add_actuations(coordinate);
}

static const char *motion_name(const catalog *list, int index, motion_part part)
{
    for (int i = 0; i < list->n_entries; i++)
        if (list->entries[i].kind == ENTRY_MOTION && list->entries[i].index == index &&
            list->entries[i].part == (int)part)
            return list->entries[i].name;
    return "";
}

/* Motions that are inputs: by their effort, or prescribed. */
static phx_status mark_motions(choice *coordinate)
{
    phx_context *context = coordinate->list.system->context;
    phx_channels *out = coordinate->channels;

    for (int k = 0; k < out->n_inputs; k++) {
        const entry *one = &coordinate->list.entries[coordinate->inputs[k]];
        motion *what = one->kind == ENTRY_MOTION ? &coordinate->list.motions[one->index] : NULL;
        out->held[k] = -1;
        if (!what)
            continue;
        if (one->part == PART_POSITION)
            return phx_fail(context, PHX_ERR_INPUT,
                            "'%s' cannot be an input: a position has no proper response; prescribe '%s' or '%s'",
                            one->name, motion_name(&coordinate->list, one->index, PART_RATE),
                            motion_name(&coordinate->list, one->index, PART_ACCELERATION));
        if (what->input >= 0 || what->held >= 0)
            return phx_fail(context, PHX_ERR_INPUT,
                            "the input '%s' and another of the list prescribe one motion twice; its effort, its "
                            "acceleration or its rate can be given",
                            one->name);
        if (one->part == PART_EFFORT) {
            what->input = k;
            continue;
        }
        out->kind[k] = one->part == PART_RATE ? PHX_CHANNEL_RATE : PHX_CHANNEL_ACCELERATION;
        out->held[k] = what->held = out->n_held++;
    }
    return PHX_OK;
}

/* Fails if a channel is input and output at once, or an effort is an output although its motion is not prescribed. */
static phx_status check_outputs(const choice *coordinate)
{
    const catalog *list = &coordinate->list;
    phx_context *context = list->system->context;

    for (int k = 0; k < coordinate->channels->n_outputs; k++) {
        const entry *one = &list->entries[coordinate->outputs[k]];
        const motion *what = one->kind == ENTRY_MOTION ? &list->motions[one->index] : NULL;
        for (int j = 0; j < coordinate->channels->n_inputs; j++)
            if (strcmp(list->entries[coordinate->inputs[j]].name, one->name) == 0)
                return phx_fail(context, PHX_ERR_INPUT, "'%s' cannot be an input and an output at once", one->name);
        if (what && what->joint < 0 && one->part == PART_EFFORT && what->held < 0)
            return phx_fail(context, PHX_ERR_INPUT,
                            "'%s' is an output only where its motion is prescribed; take '%s' among the inputs",
                            one->name, motion_name(list, one->index, PART_ACCELERATION));
    }
    return PHX_OK;
}

/* ---- inputs ---- */
/* The efforts of the actuator of a spring where its force is 1. */
static phx_status unit_actuator(const workspace *ws, const force_slot *force, const phx_signal *unit,
                                phx_load_result *result)
{
    const phx_line_spring spring = {.force = unit};

    *result = (phx_load_result){0};
    return phx_line_spring_evaluate(ws->base.context, &spring, &ws->ports.view[force->a], &ws->ports.view[force->b],
                                    0.0, false, result);
}

static void load_jacobian(jacobian_rows *rows, int input, const force_slot *force, int component,
                          const phx_signal *unit)
{
    workspace *ws = rows->ws;
    phx_load_result result = {0};

    if (force->kind == FORCE_LINE) {
        rows->status = unit_actuator(ws, force, unit, &result);
    } else {
        phx_port_load load = force->load;
        for (int c = 0; c < 3; c++)
            load.component[c] = c == component ? unit : NULL;
        rows->status = phx_port_load_evaluate(ws->base.context, &load, &ws->ports.view[force->a], 0.0, false, &result);
    }
    if (rows->status) {
        rows->status = phx_fail_prefix(ws->base.context, rows->status, "'%s': ", force->name);
        return;
    }
    phx_sys_jacobian_add_port(rows, JACOBIAN_F, input, force->a, result.effort);
    if (force->b >= 0)
        phx_sys_jacobian_add_port(rows, JACOBIAN_F, input, force->b, result.effort + PHX_PORT_MAX);
}

static void distributed_jacobian(jacobian_rows *rows, int input, const force_slot *force, int component,
                                 phx_signal *unit)
{
    workspace *ws = rows->ws;
    const body_slot *slot = &ws->system->bodies[force->body];
    force_slot one = *force;

    for (int c = 0; c < 3; c++)
        one.signal[c] = c == component ? unit : NULL;
    memset(ws->scratch.vector[3], 0, (size_t)ws->kkt.n * sizeof *ws->scratch.vector[3]);
    rows->status = phx_sys_distributed_force(ws, &one, 0.0, false, ws->scratch.vector[3]);
    for (int i = slot->v; i < slot->v + phx_body_n_v(slot->body) && !rows->status; i++)
        phx_sys_jacobian_add(rows, JACOBIAN_F, input, i, -ws->scratch.vector[3][i]);
}

/* Columns of F for loads and free motions and rows of H for prescribed ones, from all chosen inputs. */
static phx_status input_jacobian(jacobian_rows *rows, const choice *chosen)
{
    const phx_system *system = rows->ws->system;
    phx_signal *unit = NULL;

    rows->status = phx_signal_create_constant(rows->ws->base.context, 1.0, &unit);
    for (int k = 0; k < chosen->channels->n_inputs && !rows->status; k++) {
        const entry *one = &chosen->list.entries[chosen->inputs[k]];
        const int held = chosen->channels->held[k];
        if (one->kind == ENTRY_MOTION)
            phx_sys_jacobian_add_motion(rows, held < 0 ? JACOBIAN_F : JACOBIAN_H, held < 0 ? k : held,
                                        &chosen->list.motions[one->index]);
        else if (system->forces[one->index].kind == FORCE_DISTRIBUTED)
            distributed_jacobian(rows, k, &system->forces[one->index], one->part, unit);
        else
            load_jacobian(rows, k, &system->forces[one->index], one->part, unit);
    }
    phx_signal_destroy(unit);
    return rows->status;
}

/* ---- outputs ---- */
/* The output of the force of a spring whose actuator is an input: it is what the actuator does at once. */
static void actuator_jacobian(jacobian_rows *rows, const choice *chosen, const output_slot *output)
{
    const force_slot *force = &rows->ws->system->forces[output->force];
    phx_signal *unit = NULL;

    for (int k = 0; k < chosen->channels->n_inputs && !rows->status; k++) {
        const entry *one = &chosen->list.entries[chosen->inputs[k]];
        phx_load_result result = {0};
        if (one->kind != ENTRY_LOAD || one->index != output->force || force->kind != FORCE_LINE)
            continue;
        if (!unit)
            rows->status = phx_signal_create_constant(rows->ws->base.context, 1.0, &unit);
        if (!rows->status)
            rows->status = unit_actuator(rows->ws, force, unit, &result);
        for (int a = 0; a < rows->ws->system->dim && !rows->status; a++)
            phx_sys_jacobian_add(rows, JACOBIAN_U, rows->row[a], k, result.effort[PHX_PORT_MAX + a]);
    }
    phx_signal_destroy(unit);
}

/* Rows of the chosen outputs: of columns, and of motions. */
static phx_status output_jacobian(jacobian_rows *rows, const choice *chosen)
{
    const phx_system *system = rows->ws->system;
    const jacobian_part parts[MOTION_PARTS] = {JACOBIAN_MU, JACOBIAN_A, JACOBIAN_V, JACOBIAN_Q};
    int *row = phx_calloc(rows->ws->base.context, (size_t)system->channels.n_columns, sizeof *row);

    if (!row)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < system->channels.n_columns; c++)
        row[c] = -1;
    for (int k = 0; k < chosen->channels->n_outputs; k++) {
        const entry *one = &chosen->list.entries[chosen->outputs[k]];
        const motion *what = one->kind == ENTRY_MOTION ? &chosen->list.motions[one->index] : NULL;
        if (!what)
            row[one->index] = k;
        else if (one->part != PART_EFFORT)
            phx_sys_jacobian_add_motion(rows, parts[one->part], k, what);
        else if (what->joint < 0)
            phx_sys_jacobian_add(rows, JACOBIAN_MU, k, what->held, 1.0);
        else
            phx_sys_jacobian_add_effort(rows, k, what->joint, what->coordinate);
    }
    for (int i = 0; i < system->channels.n_outputs && !rows->status; i++) {
        bool wanted = false;
        for (int c = 0; c < system->channels.outputs[i].count; c++)
            wanted = wanted || row[system->channels.outputs[i].first + c] >= 0;
        rows->row = row + system->channels.outputs[i].first;
        if (wanted)
            phx_sys_output_jacobian(rows, &system->channels.outputs[i]);
        if (wanted && system->channels.outputs[i].force >= 0)
            actuator_jacobian(rows, chosen, &system->channels.outputs[i]);
    }
    rows->row = NULL;
    phx_free(row);
    return rows->status;
}

/* ---- assembly ---- */
/* Y_l by the multipliers of the independent rows, from the entries by those of all rows of the system. */
static phx_status multiplier_columns(workspace *ws, const constraint_rows *rows, const jacobian_entries *list,
                                     int n_outputs, phx_csr *Y_l)
{
    phx_context *context = ws->base.context;
    const int m = rows->count;
    int *place = phx_calloc(context, (size_t)ws->system->rows.n, sizeof *place);
    double *dense = phx_calloc(context, (size_t)n_outputs * (size_t)m, sizeof *dense);
    phx_status status = place && dense ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < m + rows->redundant && !status; k++)
        place[rows->row[k]] = k;
    for (size_t e = 0; e < list->count && !status; e++) {
        const int k = place[list->col[e]];
        double *row = dense + (size_t)list->row[e] * (size_t)m;
        if (!rows->share)
            row[k] += list->val[e];
        for (int i = 0; i < m && rows->share; i++)
            row[i] += list->val[e] * rows->share[(size_t)k * (size_t)m + (size_t)i];
    }
    if (!status)
        status = phx_csr_from_dense(context, n_outputs, m, dense, 0.0, Y_l);
    phx_free(place);
    phx_free(dense);
    return status;
}

static phx_status matrix_of(phx_context *context, const jacobian_entries *list, int rows, int cols, phx_csr *out)
{
    return phx_csr_from_triplets(context, rows, cols, list->count, list->row, list->col, list->val, out);
}

/* Assembles the sparse matrices of the channels from the collected entries; G has the independent rows only. */
static phx_status fill_matrices(workspace *ws, const constraint_rows *rows, const jacobian_rows *jacobian,
                                phx_channels *out)
{
    phx_context *context = ws->base.context;
    const int n = out->n, p = out->n_outputs;
    phx_csr transposed = {0};
    phx_status status = matrix_of(context, &jacobian->part[JACOBIAN_F], out->n_inputs, n, &transposed);

    if (!status)
        status = phx_csr_transpose(context, &transposed, &out->F);
    phx_csr_free(&transposed);
    if (!status)
        status = matrix_of(context, &jacobian->part[JACOBIAN_H], out->n_held, n, &out->H);
    if (!status)
        status = matrix_of(context, &jacobian->part[JACOBIAN_Q], p, n, &out->Y_q);
    if (!status)
        status = matrix_of(context, &jacobian->part[JACOBIAN_V], p, n, &out->Y_v);
    if (!status)
        status = matrix_of(context, &jacobian->part[JACOBIAN_A], p, n, &out->Y_a);
    if (!status)
        status = matrix_of(context, &jacobian->part[JACOBIAN_MU], p, out->n_held, &out->Y_h);
    if (!status)
        status = matrix_of(context, &jacobian->part[JACOBIAN_U], p, out->n_inputs, &out->Y_u);
    if (!status)
        status = multiplier_columns(ws, rows, &jacobian->part[JACOBIAN_L], p, &out->Y_l);
    out->m = rows->count;
    if (!status) { /* the independent rows come first */
        const phx_csr first = {rows->count, n, rows->all.ptr, rows->all.idx, rows->all.val};
        status = phx_csr_copy(context, &first, &out->G);
    }
    return status;
}

/* Copies the names of inputs, prescribed motions, rates and outputs. */
static phx_status copy_names(phx_context *context, const choice *chosen, phx_channels *out)
{
    const catalog *list = &chosen->list;

    for (int k = 0; k < out->n_inputs; k++) {
        const entry *one = &list->entries[chosen->inputs[k]];
        out->inputs[k] = phx_strdup(context, one->name);
        if (!out->inputs[k])
            return PHX_ERR_MEMORY;
        if (out->held[k] < 0)
            continue;
        out->motion[out->held[k]] = phx_strdup(context, motion_name(list, one->index, PART_POSITION));
        out->rate[out->held[k]] = phx_strdup(context, motion_name(list, one->index, PART_RATE));
        if (!out->motion[out->held[k]] || !out->rate[out->held[k]])
            return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < out->n_outputs; k++) {
        out->outputs[k] = phx_strdup(context, list->entries[chosen->outputs[k]].name);
        if (!out->outputs[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static phx_status alloc_channels(phx_context *context, phx_channels *out)
{
    const size_t inputs = (size_t)out->n_inputs, outputs = (size_t)out->n_outputs;

    out->inputs = phx_calloc(context, inputs, sizeof *out->inputs);
    out->outputs = phx_calloc(context, outputs, sizeof *out->outputs);
    out->kind = phx_calloc(context, inputs, sizeof *out->kind);
    out->held = phx_calloc(context, inputs, sizeof *out->held);
    out->motion = phx_calloc(context, inputs, sizeof *out->motion);
    out->rate = phx_calloc(context, inputs, sizeof *out->rate);
    return out->inputs && out->outputs && out->kind && out->held && out->motion && out->rate ? PHX_OK : PHX_ERR_MEMORY;
}

/* Everything at the point: views of all ports, their Jacobians, all multipliers. */
static phx_status point_at(workspace *ws, double t, const double *x, const double *lambda, double *all)
{
    double *multipliers = ws->step.lambda;
    phx_status status = PHX_OK;

    memset(ws->step.vm, 0, (size_t)ws->kkt.n_v * sizeof *ws->step.vm);
    if (lambda)
        memcpy(multipliers, lambda, (size_t)ws->rows.n * sizeof *lambda);
    else
        status = phx_system_locked_accelerations(&ws->base, t, x, ws->step.vm, true, ws->step.v0, multipliers,
                                                 ws->scratch.vector[0]);
    if (status)
        return status;
    phx_sys_set_instant(ws, x, ws->step.vm);
    ws->by->rows(ws, t, 0.0);
    if (ws->system->rows.n_redundant > 0)
        status = ws->by->factor_mass(ws, x);
    if (!status)
        status = phx_sys_all_multipliers(ws, multipliers, all);
    return status;
}

/* Matrices of inputs and outputs of the linear model about (x, lambda): F, H, G and the rows Y of the outputs,
 * theory 14 (1). *channels is empty after an error; options may be NULL. */
phx_status phx_system_channels(phx_dae *dae, double t, const double *x, const double *lambda,
                               const phx_channels_options *options, phx_channels *channels)
{
    if (!dae || !x || !channels)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x or channels");
    workspace *ws = (workspace *)dae;
    phx_context *context = dae->context;
    const phx_channels_options none = {0};
    choice chosen = {.channels = channels};
    constraint_rows rows = {0};
    jacobian_rows jacobian = {.ws = ws, .list = &chosen.list};
    double *all = phx_calloc(context, (size_t)ws->system->rows.n, sizeof *all);
    phx_status status = all ? PHX_OK : PHX_ERR_MEMORY;

    *channels = (phx_channels){.n = ws->kkt.n_v};
    jacobian.t = t;
    jacobian.all = all;
    if (!status)
        status = phx_sys_catalog_create(ws->system, &chosen.list);
    if (!status)
        status = channels_choose(&chosen, options ? options : &none);
    if (!status)
        status = alloc_channels(context, channels);
    if (!status)
        status = mark_motions(&chosen);
    if (!status)
        status = check_outputs(&chosen);
    if (!status)
        status = copy_names(context, &chosen, channels);
    if (!status)
        status = point_at(ws, t, x, lambda, all);
    if (!status)
        status = phx_sys_constraint_rows_find(ws, x, &chosen.list, &rows);
    if (!status)
        status = input_jacobian(&jacobian, &chosen);
    if (!status)
        status = output_jacobian(&jacobian, &chosen);
    if (!status)
        status = fill_matrices(ws, &rows, &jacobian, channels);
    if (status)
        phx_channels_free(channels);
    phx_sys_constraint_rows_free(&rows);
    phx_sys_jacobian_free(&jacobian);
    phx_sys_catalog_free(&chosen.list);
    phx_free(chosen.inputs);
    phx_free(chosen.outputs);
    phx_free(all);
    return phx_conclude(dae->context, status);
}

static void channels_free_names(int count, char **names)
{
    for (int k = 0; names && k < count; k++)
        phx_free(names[k]);
    phx_free(names);
}

/* Frees the channels and leaves them empty; NULL is allowed. */
void phx_channels_free(phx_channels *channels)
{
    if (!channels)
        return;
    channels_free_names(channels->n_inputs, channels->inputs);
    channels_free_names(channels->n_outputs, channels->outputs);
    channels_free_names(channels->n_held, channels->motion);
    channels_free_names(channels->n_held, channels->rate);
    phx_free(channels->kind);
    phx_free(channels->held);
    phx_csr *const matrices[] = {&channels->G,   &channels->H,   &channels->F,   &channels->Y_q, &channels->Y_v,
                                 &channels->Y_a, &channels->Y_l, &channels->Y_h, &channels->Y_u};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        phx_csr_free(matrices[k]);
    *channels = (phx_channels){0};
}

/* ---- rest ---- */
/* For each axis a along which the joints let everything move as one, G T_a = 0 with the translation T_a, the
 * acceleration T_a^T f / m. */
phx_status phx_system_common_acceleration(phx_dae *dae, double t, const double *x, double *acceleration,
                                          double *gravity)
{
    static const double HELD = 1e-12; /* rate of a row per unit of translation: less holds nothing */

    if (!dae || !x || !acceleration || !gravity)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, acceleration or gravity");
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    const kkt_matrix *kkt = &ws->kkt;
    double mass = 0.0, *rest = ws->step.vm, *none = ws->step.lambda, *shift = ws->scratch.vector[2];
    double *forces = ws->scratch.vector[1];

    memset(rest, 0, (size_t)kkt->n_v * sizeof *rest);
    memset(none, 0, (size_t)ws->rows.n * sizeof *none);
    phx_status status = dae->ops->linearise(dae, t, x, rest, none);
    if (!status)
        status = dae->ops->residual(dae, t, x, rest, rest, none, forces);
    for (int b = 0; b < system->n_bodies; b++)
        mass += phx_body_at_rest(system->bodies[b].body)->mass;
    for (int a = 0; a < system->dim && !status; a++) {
        double held = 0.0, force = 0.0, axis[3] = {0};
        axis[a] = 1.0;
        for (int b = 0; b < system->n_bodies; b++) {
            const body_slot *slot = &system->bodies[b];
            double R[9], twist[6] = {0};
            phx_body_attitude(slot->body, x + slot->x, R);
            phx_rot_apply_transposed(system->dim, R, axis, twist);
            phx_body_rigid_motion(slot->body, x + slot->x, twist, shift + slot->v);
        }
        for (int i = 0; i < kkt->n_v; i++)
            force -= shift[i] * forces[i];
        for (int i = kkt->n_v; i < kkt->n; i++) {
            double rate = 0.0;
            for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
                rate += kkt->idx[k] < kkt->n_v ? ws->values.D[k] * shift[kkt->idx[k]] : 0.0;
            held = fmax(held, fabs(rate));
        }
        acceleration[a] = held < HELD ? force / mass : 0.0;
        gravity[a] = system->gravity[a] - acceleration[a];
    }
    return phx_conclude(dae->context, status);
}

/* Accelerations of a mechanism that is released at rest at x, as mass-weighted means in m/s^2: *rigid with the
 * deformations held, *free with everything free. Either pointer may be NULL. */
phx_status phx_system_unrest(phx_dae *dae, double t, const double *x, double *rigid, double *free)
{
    if (!dae || !x)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae or x");
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    double mass = 0.0, *rhs = ws->scratch.vector[2];
    phx_status status = PHX_OK;

    memset(ws->step.vm, 0, (size_t)ws->kkt.n_v * sizeof *ws->step.vm);
    for (int b = 0; b < system->n_bodies; b++)
        mass += phx_body_at_rest(system->bodies[b].body)->mass;
    if (rigid) {
        status = phx_system_locked_accelerations(&ws->base, t, x, ws->step.vm, true, ws->step.v0, ws->step.lambda,
                                                 ws->scratch.vector[0]);
        if (!status)
            *rigid = dae->ops->norm(dae, ws->step.v0) / sqrt(mass);
    }
    if (!free || status)
        return status;
    /* M a = f + G^T lambda, G a = 0 */
    memset(rhs, 0, (size_t)ws->kkt.n * sizeof *rhs);
    status = dae->ops->residual(dae, t, x, ws->step.vm, rhs, rhs + ws->kkt.n_v, ws->scratch.vector[1]);
    for (int i = 0; i < ws->kkt.n_v && !status; i++)
        rhs[i] = -ws->scratch.vector[1][i];
    if (!status)
        status = ws->by->factor_mass(ws, x);
    if (!status)
        status = ws->by->solve_mass(ws, rhs);
    if (!status)
        *free = dae->ops->norm(dae, rhs) / sqrt(mass);
    return status;
}
