/* A simulation for its derivatives: the run, its objectives, and what each parameter changes at the start. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- models built ---- */
void phx_built_free(phx_built *built)
{
    phx_system_dae_destroy(built->dae);
    phx_system_destroy(built->system);
    phx_free(built->x);
    phx_free(built->v);
    phx_free(built->lambda);
    *built = (phx_built){0};
}

/* The model of the neighbour at its start state; like: a dae whose rows it has, NULL: none. */
static phx_status build(phx_context *context, const phx_model *model, const phx_dae *like, phx_built *built)
{
    const phx_build_options options = phx_build_options_default();
    const phx_start_options start = phx_start_of(model);
    phx_status status = phx_model_build(context, model, &options, &built->system);

    if (status)
        return status;
    const phx_array arrays[] = {{&built->x, (size_t)phx_system_n_x(built->system)},
                                {&built->v, (size_t)phx_system_n_v(built->system)},
                                {&built->lambda, (size_t)phx_system_n_l(built->system)}};
    status = phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
    if (!status)
        status =
            phx_model_blame(context, model, phx_system_start(built->system, &start, built->x, built->v, built->lambda));
    if (status)
        return status;
    return like ? phx_system_dae_like(built->system, context, like, &built->dae)
                : phx_system_dae_with(built->system, context, PHX_BACKEND_AUTO, &built->dae);
}

/* ---- what a run may have ---- */
static phx_status only_differences(phx_context *context, const char *what)
{
    return phx_fail(context, PHX_ERR_UNSUPPORTED, "a run with %s has derivatives by differences of whole runs only",
                    what);
}

/* The settings of the run; PHX_ERR_UNSUPPORTED where its steps have no derivative here. */
static phx_status settle(phx_context *context, const phx_model *model, phx_integrate_options *used)
{
    const phx_simulate_options options = phx_simulate_options_default();
    const phx_accuracy asked = phx_accuracy_asked(model, &options);

    if (model->n_events > 0)
        return only_differences(context, "events");
    if (model->initial.from)
        return only_differences(context, "a start from a result");
    if (model->simulate.spectral_radius < 1.0)
        return only_differences(context, "numerical damping");
    if (asked.relative > 0.0 || asked.absolute > 0.0)
        return only_differences(context, "an accuracy");
    phx_status status = phx_simulation_settle(context, model, &options, used);
    if (status)
        return status;
    if (used->integrator != PHX_MIDPOINT || used->rtol > 0.0 || used->iterations > 0)
        return only_differences(context, "another integrator than midpoint in equal steps to rounding");
    used->every = 0.0;
    return PHX_OK;
}

/* ---- columns ---- */
/* Time, energies, the outputs of the system and the columns of its controllers. */
static phx_status name_columns(phx_context *context, const phx_system *system, phx_column_names *columns)
{
    const int outputs = phx_system_columns(system), all = outputs + phx_system_controller_columns(system);
    static const char *const fixed[PHX_STATE_COLUMNS] = {"t", "kinetic", "elastic", "potential", "energy"};
    char name[300];

    columns->names = phx_calloc(context, (size_t)(PHX_STATE_COLUMNS + all), sizeof(char *));
    if (!columns->names)
        return PHX_ERR_MEMORY;
    for (; columns->n < PHX_STATE_COLUMNS; columns->n++)
        columns->names[columns->n] = fixed[columns->n];
    for (int c = 0; c < all; c++) {
        if (c < outputs)
            phx_system_column_name(system, c, name, sizeof name);
        else
            (void)phx_system_controller_column(system, c - outputs, name, sizeof name);
        columns->names[columns->n] = phx_strdup(context, name);
        if (!columns->names[columns->n])
            return PHX_ERR_MEMORY;
        columns->n++;
    }
    return PHX_OK;
}

/* Time and energies, the outputs that are wanted, then the columns of controllers. */
phx_status phx_built_columns(const phx_built *built, const phx_used_columns *wanted, double t, const double *x,
                             const double *v, double *columns)
{
    phx_energies energies;

    columns[COLUMN_TIME] = t;
    if (wanted->energies) {
        phx_system_energies(built->system, x, v, &energies);
        columns[COLUMN_KINETIC] = energies.kinetic;
        columns[COLUMN_ELASTIC] = energies.elastic;
        columns[COLUMN_POTENTIAL] = energies.potential;
        columns[COLUMN_ENERGY] = phx_total_energy(&energies);
    }
    const phx_status status =
        phx_system_wanted_outputs(built->dae, t, x, v, wanted->outputs, columns + PHX_STATE_COLUMNS);
    if (status || !wanted->controllers)
        return status;
    return phx_system_controller_values(built->dae, t, x, v,
                                        columns + PHX_STATE_COLUMNS + phx_system_columns(built->system));
}

/* Whether objective k has the expression of the one before it, as samples of one column have: they share its program.
 */
static bool repeats(const phx_run_gradient *run, int k)
{
    return k > 0 && strcmp(run->objectives[k].expression, run->objectives[k - 1].expression) == 0;
}

/* The distinct expressions, and their columns. */
static void mark_wanted(phx_run_gradient *run)
{
    for (int k = 0; k < run->n; k++) {
        run->n_distinct += repeats(run, k) ? 0 : 1;
        run->distinct[k] = run->n_distinct - 1;
        for (int m = 0; m < run->programs[k].measured.count; m++) {
            const int column = run->programs[k].column[m];
            if (column >= PHX_STATE_COLUMNS + phx_system_columns(run->run.system))
                run->wanted.controllers = true;
            else if (column >= PHX_STATE_COLUMNS)
                run->wanted.outputs[phx_system_column_output(run->run.system, column - PHX_STATE_COLUMNS)] = true;
            else
                run->wanted.energies = run->wanted.energies || column != COLUMN_TIME;
        }
    }
}

/* Programs of all objectives over these columns. */
static phx_status compile_all(phx_run_gradient *run, const phx_model *model, phx_objective_program **programs)
{
    phx_status status = PHX_OK;

    *programs = phx_calloc(run->context, (size_t)run->n, sizeof **programs);
    if (!*programs)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < run->n && !status; k++)
        if (repeats(run, k))
            (*programs)[k] = (*programs)[k - 1];
        else
            status = phx_objective_compile(run->context, model, &run->objectives[k], run->columns.n, run->columns.names,
                                           &(*programs)[k]);
    return status;
}

static void free_programs(const phx_run_gradient *run, phx_objective_program *programs)
{
    for (int k = 0; programs && k < run->n; k++)
        if (!repeats(run, k))
            phx_objective_program_free(&programs[k]);
    phx_free(programs);
}

/* ---- the run ---- */
/* The part of n derivatives that is not zero. */
static phx_status keep_slope(phx_context *context, int n, const double *all, phx_run_slope *slope)
{
    *slope = (phx_run_slope){0, n - 1, NULL};
    while (slope->first < slope->last && all[slope->first] == 0.0)
        slope->first++;
    while (slope->last > slope->first && all[slope->last] == 0.0)
        slope->last--;
    const size_t count = (size_t)(slope->last - slope->first) + 1;
    slope->value = phx_calloc(context, count, sizeof *slope->value);
    if (!slope->value)
        return PHX_ERR_MEMORY;
    memcpy(slope->value, all + slope->first, count * sizeof *all);
    return PHX_OK;
}

/* Values and slopes of all objectives, from those of their expressions at all rows. */
static phx_status reduce_all(phx_run_gradient *run)
{
    const size_t rows = (size_t)run->tape.rows, of = (size_t)run->n_distinct;
    double *e = phx_calloc(run->context, 2 * rows, sizeof *e), *all = phx_behind(e, rows);
    phx_status status = PHX_OK;

    run->slope = phx_calloc(run->context, (size_t)run->n, sizeof *run->slope);
    if (!e || !run->slope)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < run->n && !status; k++) {
        for (size_t r = 0; r < rows && !repeats(run, k); r++)
            e[r] = run->tape.values[r * of + (size_t)run->distinct[k]];
        status = phx_objective_reduce(run->context, &run->objectives[k], run->tape.rows, run->tape.t, e, &run->value[k],
                                      all);
        if (!status)
            status = keep_slope(run->context, run->tape.rows, all, &run->slope[k]);
    }
    phx_free(e);
    return status;
}

/* ---- neighbours ---- */
/* Whether two compiled expressions are the same, by the bytes they write. */
static phx_status is_same(phx_context *context, const phx_objective_program *a, const phx_objective_program *b,
                          bool *same)
{
    phx_archive *archives[2] = {NULL, NULL};
    const phx_objective_program *both[2] = {a, b};
    phx_status status = PHX_OK;

    for (int k = 0; k < 2 && !status; k++) {
        phx_program *program = both[k]->measured.program;
        status = phx_archive_create(context, &archives[k]);
        if (status)
            break;
        phx_program_archive(archives[k], both[k]->measured.count + 1, &program);
        status = phx_archive_status(archives[k]);
    }
    *same = !status && phx_archives_agree(archives[0], archives[1]);
    phx_archive_destroy(archives[0]);
    phx_archive_destroy(archives[1]);
    return status;
}

/* Whether the objectives follow a parameter beside the state: outputs, energies or the expressions themselves do. */
static phx_status find_entry(const phx_run_gradient *run, phx_moved *moved)
{
    phx_status status = PHX_OK;

    moved->enters = (run->wanted.energies || run->wanted.controllers) && phx_variation_touches(moved->parameter);
    for (int i = 0; i < phx_system_n_outputs(run->run.system); i++)
        moved->enters = moved->enters || (run->wanted.outputs[i] && phx_variation_enters(moved->parameter, i));
    for (int k = 0; k < run->n && !status; k++)
        for (int q = 0; q < PHX_DIFFERENCE_PLACES && !status && !moved->enters && !repeats(run, k); q++) {
            bool same = true;
            status = is_same(run->context, &run->programs[k], &moved->programs[q][k], &same);
            moved->enters = !same;
        }
    return status;
}

/* The largest third difference of M over sqrt(M_ii M_jj), and of G over the largest entry of its row, at the start: by
 * the cube of the step where they follow the parameter smoothly. values: of M and D at -3, -1, 1, 3. */
static double roughness(const phx_equations *e, double *const values[4])
{
    const size_t entries = (size_t)e->ptr[e->n];
    double worst = 0.0, *D[4];

    for (int k = 0; k < 4; k++)
        D[k] = values[k] + entries;
    for (int i = 0; i < e->n; i++) {
        double of_row = 0.0;
        for (int k = e->ptr[i]; k < e->ptr[i + 1] && i >= e->n_v; k++)
            of_row = fmax(of_row, fabs(D[1][k]));
        for (int k = e->ptr[i]; k < e->ptr[i + 1]; k++) {
            const int j = e->idx[k];
            double *const *f = i < e->n_v ? values : D;
            if (j >= e->n_v)
                continue;
            const double diagonal = i < e->n_v
                                        ? f[1][phx_csr_find(&e->pattern, i, i)] * f[1][phx_csr_find(&e->pattern, j, j)]
                                        : of_row * of_row;
            const double change = f[3][k] - 3.0 * f[2][k] + 3.0 * f[1][k] - f[0][k];
            if (diagonal > 0.0)
                worst = fmax(worst, fabs(change) / sqrt(diagonal));
        }
    }
    return worst;
}

/* Whether the numbers of bodies and joints follow a parameter smoothly; modes of a body that change their order or turn
 * in their space do not. */
static phx_status check_smooth(const phx_run_gradient *run, const phx_moved *moved, const char *name)
{
    static const int of_place[4] = {5, 1, 0, 4}; /* -3, -1, 1, 3 */
    static const double SMOOTH = 1e-4;           /* third differences, relative: 1e-6 for what follows by its cube */
    const phx_equations e = phx_system_equations(run->run.dae);
    const size_t entries = (size_t)phx_system_equations(moved->at[0].dae).ptr[e.n];
    double *all = phx_calloc(run->context, 8 * entries, sizeof *all), *values[4];
    double *no_lambda = phx_calloc(run->context, (size_t)e.n_l + 1, sizeof *no_lambda);
    phx_status status = all && no_lambda ? PHX_OK : PHX_ERR_MEMORY;
    phx_equations at = e;

    for (int k = 0; k < 4 && !status; k++) {
        phx_dae *dae = moved->at[of_place[k]].dae;
        values[k] = all + 2 * (size_t)k * entries;
        status = dae->ops->linearise(dae, 0.0, run->run.x, run->run.v, no_lambda);
        at = phx_system_equations(dae);
        if (!status && (size_t)at.ptr[at.n] != entries)
            status = phx_fail(run->context, PHX_ERR_UNSUPPORTED, "%s changes the equations' pattern", name);
        if (!status) {
            memcpy(values[k], at.M, entries * sizeof *all);
            memcpy(values[k] + entries, at.D, entries * sizeof *all);
        }
    }
    if (!status && roughness(&at, values) > SMOOTH)
        status = phx_fail(run->context, PHX_ERR_UNSUPPORTED,
                          "the equations do not follow %s smoothly: modes of a body change their order or sign, or a "
                          "mesh its elements",
                          name);
    phx_free(all);
    phx_free(no_lambda);
    return status;
}

/* Whether a neighbour is run in the same steps: these are constants of the differentiation, and so are the times at
 * which something given jumps, between which steps are equal. */
static phx_status check_steps(const phx_run_gradient *run, phx_dae *other, const char *name)
{
    phx_dae *dae = run->run.dae;
    phx_integrate_options used;
    const phx_status status = settle(run->context, run->neighbour->model, &used);
    double one = 0.0, another = 0.0;

    if (status)
        return status;
    if (used.end != run->used.end || used.step != run->used.step)
        return phx_fail(run->context, PHX_ERR_UNSUPPORTED, "%s changes the end or the steps of the run", name);
    while (dae->ops->next_break && one < run->used.end) {
        one = dae->ops->next_break(dae, one);
        another = other->ops->next_break(other, another);
        if (one != another && fmin(one, another) < run->used.end)
            return phx_fail(run->context, PHX_ERR_ANALYSIS,
                            "%s moves a jump of a load or drive, at %g s, over equal steps: no derivative. Let it rise "
                            "over some steps, as ramp(t, t0, t1) does",
                            name, fmin(one, another));
    }
    return PHX_OK;
}

/* The model at a neighbour of the parameter called `name`, where it is run in the same steps. */
static phx_status build_neighbour(phx_run_gradient *run, phx_moved *moved, int k, int parameter, const char *name)
{
    const double value = run->neighbour->original->parameters[parameter].value;
    phx_built *at = &moved->at[k];
    phx_status status =
        phx_neighbour_move(run->context, run->neighbour, parameter, value + phx_difference_place[k] * moved->step);

    if (!status)
        status = build(run->context, run->neighbour->model, run->run.dae, at);
    if (status == PHX_ERR_UNSUPPORTED)
        phx_fail_prefix(run->context, status, "no derivative by %s: ", name);
    if (!status)
        status = check_steps(run, at->dae, name);
    return status ? status : compile_all(run, run->neighbour->model, &moved->programs[k]);
}

/* The model at the neighbours of a parameter, and how its start moves. */
static phx_status move_parameter(phx_run_gradient *run, int p, int parameter)
{
    phx_moved *moved = &run->moved[p];
    phx_dae *dae = run->run.dae, *daes[PHX_DIFFERENCE_PLACES];
    const phx_model_parameter *of = &run->neighbour->original->parameters[parameter];
    double weights[PHX_DIFFERENCE_PLACES], *dv = run->dv0 + (size_t)p * (size_t)run->n_s;
    double *dx = phx_calloc(run->context, (size_t)dae->n_x, sizeof *dx);
    phx_status status = dx ? PHX_OK : PHX_ERR_MEMORY;

    moved->step = phx_neighbour_step(of->value, PHX_STEP_OF_PARTS);
    for (int k = 0; k < PHX_DIFFERENCE_PLACES && !status; k++) {
        const phx_built *at = &moved->at[k];
        status = build_neighbour(run, moved, k, parameter, of->name);
        daes[k] = at->dae;
        weights[k] = phx_difference_weight[k] / moved->step;
        for (int i = 0; i < dae->n_x && !status; i++)
            dx[i] += weights[k] * (at->x[i] - run->run.x[i]);
        for (int i = 0; i < dae->n_v && !status; i++)
            dv[i] += weights[k] * (at->v[i] - run->run.v[i]);
    }
    if (!status)
        status = check_smooth(run, moved, of->name);
    if (!status)
        status = phx_variation_parameter_create(run->context, run->variation, PHX_DIFFERENCE_PLACES, daes, weights,
                                                &moved->parameter);
    if (!status)
        status = find_entry(run, moved);
    if (!status) {
        dae->ops->tangent(dae, run->run.x, dx, run->xi0 + (size_t)p * (size_t)dae->n_v);
        memcpy(dv + dae->n_v, dx + dae->n_x - run->n_z, (size_t)run->n_z * sizeof *dv);
    }
    phx_free(dx);
    return status;
}

/* All systems that columns are evaluated with; NULL: limits as usual. */
static void hold_sides(const phx_run_gradient *run, const signed char *side)
{
    phx_system_hold_sides(run->run.system, side);
    for (int p = 0; p < run->m; p++)
        for (int k = 0; k < PHX_DIFFERENCE_PLACES; k++)
            phx_system_hold_sides(run->moved[p].at[k].system, side);
}

phx_status phx_run_hold_limits(phx_run_gradient *run, int r)
{
    if (!run->wanted.controllers)
        return PHX_OK;
    const phx_status status =
        phx_system_limit_sides(run->seen.dae, run->tape.t[r], phx_tape_x(run, r), phx_tape_v(run, r), run->side);
    hold_sides(run, run->side);
    return status;
}

void phx_run_release_limits(const phx_run_gradient *run)
{
    if (run->wanted.controllers)
        hold_sides(run, NULL);
}

bool phx_run_row_counts(const phx_run_gradient *run, int r)
{
    for (int k = 0; k < run->n; k++)
        if (phx_run_slope_at(&run->slope[k], r) != 0.0)
            return true;
    return false;
}

phx_status phx_run_load_step(phx_run_gradient *run, int k)
{
    const phx_status status = phx_tape_load(run, k, k + 1);
    const phx_tape *tape = &run->tape;
    const size_t to = (size_t)(k + 1 - tape->first);

    if (status)
        return status;
    return phx_variation_step(run->variation, tape->t[k], tape->t[k + 1] - tape->t[k], phx_tape_x(run, k),
                              phx_tape_v(run, k), phx_tape_x(run, k + 1),
                              tape->near.vm + to * (size_t)run->run.dae->n_v,
                              tape->near.lambda + to * (size_t)run->run.dae->n_l);
}

/* ---- the whole ---- */
static phx_status allocate_run(phx_run_gradient *run)
{
    const size_t n = (size_t)run->n, m = (size_t)run->m, n_v = (size_t)run->run.dae->n_v, c = (size_t)run->columns.n;
    const size_t n_s = (size_t)run->n_s;
    const phx_array arrays[] = {{&run->xi0, m * n_v},     {&run->dv0, m * n_s}, {&run->row, c},
                                {&run->variables, c + 1}, {&run->value, n},     {&run->gradient, n * m}};

    run->moved = phx_calloc(run->context, m + 1, sizeof *run->moved);
    run->distinct = phx_calloc(run->context, n, sizeof *run->distinct);
    run->wanted.outputs =
        phx_calloc(run->context, (size_t)phx_system_n_outputs(run->run.system), sizeof *run->wanted.outputs);
    run->side = phx_calloc(run->context, (size_t)phx_system_controller_outputs(run->run.system), sizeof *run->side);
    return run->moved && run->distinct && run->wanted.outputs && run->side
               ? phx_arrays_create(run->context, sizeof arrays / sizeof *arrays, arrays)
               : PHX_ERR_MEMORY;
}

/* Builds and runs the model, then prepares the neighbours of all parameters. */
phx_status phx_run_gradient_create(phx_context *context, phx_neighbour *neighbour, int n,
                                   const phx_objective *objectives, int m, const int *parameters, double memory,
                                   phx_run_gradient *run)
{
    *run = (phx_run_gradient){.context = context, .neighbour = neighbour, .n = n, .m = m, .objectives = objectives};
    phx_status status = phx_neighbour_move(context, neighbour, -1, 0.0);
    if (!status)
        status = settle(context, neighbour->model, &run->used);
    if (!status)
        status = build(context, neighbour->model, NULL, &run->run);
    run->seen.system = run->run.system;
    if (!status)
        status = phx_system_dae_with(run->run.system, context, PHX_BACKEND_AUTO, &run->seen.dae);
    if (!status)
        status = phx_variation_create(context, run->run.system, &run->variation);
    run->n_z = status ? 0 : phx_system_controller_states(run->run.system);
    run->n_s = status ? 0 : run->run.dae->n_v + run->n_z;
    memcpy(run->gravity, neighbour->model->gravity, sizeof run->gravity);
    run->size = status ? 0.0 : phx_system_size(run->run.dae);
    if (!status)
        status = name_columns(context, run->run.system, &run->columns);
    if (!status)
        status = allocate_run(run);
    if (!status)
        status = compile_all(run, neighbour->model, &run->programs);
    if (!status) {
        mark_wanted(run);
        status = phx_tape_record(run, memory);
    }
    if (!status)
        status = reduce_all(run);
    for (int p = 0; p < m && !status; p++)
        status = move_parameter(run, p, parameters[p]);
    return status;
}

/* Frees what a run for derivatives owns. */
void phx_run_gradient_free(phx_run_gradient *run)
{
    double *arrays[] = {run->xi0, run->dv0, run->row, run->variables, run->value, run->gradient};

    for (int k = 0; run->slope && k < run->n; k++)
        phx_free(run->slope[k].value);
    phx_free(run->slope);
    phx_free(run->side);
    phx_free(run->wanted.outputs);

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    for (int p = 0; run->moved && p < run->m; p++)
        phx_variation_parameter_destroy(run->moved[p].parameter);
    for (int p = 0; run->moved && p < run->m; p++)
        for (int k = 0; k < PHX_DIFFERENCE_PLACES; k++) {
            phx_built_free(&run->moved[p].at[k]);
            free_programs(run, run->moved[p].programs[k]);
        }
    phx_free(run->moved);
    free_programs(run, run->programs);
    for (int c = PHX_STATE_COLUMNS; c < run->columns.n; c++)
        phx_free((void *)run->columns.names[c]);
    phx_free((void *)run->columns.names);
    phx_variation_destroy(run->variation);
    phx_tape_free(&run->tape);
    phx_free(run->distinct);
    phx_system_dae_destroy(run->seen.dae);
    phx_built_free(&run->run);
    *run = (phx_run_gradient){0};
}
