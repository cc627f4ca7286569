/* Load cases: what acts on a body of a simulated model at some instants, as forces on the nodes of its mesh. */
#include "internal.h"

#include "continuum/continuum.h"
#include "dae/dae.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the cases are made from. */
typedef struct case_work {
    phx_context *context;
    const phx_model *model;
    int body;
    phx_result *result;
    phx_system *system;
    phx_dae *dae;
    phx_drawing drawing;
    phx_case_maker *maker;
    const phx_elastic_model *elastic;
    size_t rows;
    double *instants; /* rows, s */
    double *x, *v, *v_dot, *damping;
    double *D; /* on the pattern of the body: R at the places of the coordinates */
    int n_efforts;
    phx_port_effort *efforts;
    phx_case_load *loads;
    phx_continuum_mass *masses;
} case_work;

/* Destroys what is open; also after a failure. */
static void free_case_work(case_work *work)
{
    phx_case_maker_destroy(work->maker);
    phx_drawing_free(&work->drawing);
    phx_system_dae_destroy(work->dae);
    phx_system_destroy(work->system);
    phx_result_destroy(work->result);
    phx_free(work->instants);
    phx_free(work->x);
    phx_free(work->v);
    phx_free(work->v_dot);
    phx_free(work->damping);
    phx_free(work->D);
    phx_free(work->efforts);
    phx_free(work->loads);
    phx_free(work->masses);
}

/* The parameters of the result, which may not be those of the file; PHX_ERR_INPUT where the file is another one. */
static phx_status take_parameters(phx_context *context, const char *path, const phx_result *result, phx_model *model)
{
    const phx_scene *scene = phx_result_scene(result);
    const int n = scene ? scene->n_parameters : 0;
    phx_model_override *overrides = phx_calloc(context, (size_t)n + 1, sizeof *overrides);
    int count = 0;

    if (!overrides)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        for (int p = 0; p < model->n_parameters; p++)
            if (!strcmp(model->parameters[p].name, scene->parameter_name[k]) &&
                model->parameters[p].value != scene->parameter_value[k])
                overrides[count++] =
                    (phx_model_override){.name = scene->parameter_name[k], .value = scene->parameter_value[k]};
    phx_status status = count > 0 ? phx_model_set_parameters(context, model, count, overrides) : PHX_OK;
    phx_free(overrides);
    if (!status && strcmp(phx_result_model_text(result), model->text) != 0)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: it was made with another text of the model; simulate %s again, or give the model as it "
                          "was then",
                          path, model->path);
    return status;
}

/* What no instant tells: joints that events, impacts or friction switch. */
static phx_status check_switches(const case_work *work)
{
    if (!phx_events_needed(work->system, work->model->n_events))
        return PHX_OK;
    return phx_fail(
        work->context, PHX_ERR_UNSUPPORTED,
        "the model has events, rigid contacts or set-valued friction, and a result does not tell at which "
        "of its instants which joints held: take contacts by penalty ('stiffness') and regularised friction");
}

/* The system, and that its bodies are those of the result. */
static phx_status open_work(case_work *work, const char *path)
{
    phx_context *context = work->context;
    double t;
    phx_status status = phx_model_build(context, work->model, NULL, &work->system);

    if (!status)
        status = check_switches(work);
    if (!status)
        status = phx_drawing_create(context, work->model, work->system, &work->drawing);
    if (!status)
        status = phx_system_dae_with(work->system, context, PHX_BACKEND_PLAIN, &work->dae);
    const size_t n_x = status ? 0 : (size_t)work->dae->n_x, n_v = status ? 0 : (size_t)work->dae->n_v;
    if (!status && (phx_result_n_x(work->result) != (int)n_x || phx_result_n_v(work->result) != (int)n_v))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: it has %d numbers of state, the model has %zu; it is of another model, or was recorded "
                          "without its states",
                          path, phx_result_n_x(work->result), n_x);
    work->rows = phx_result_rows(work->result);
    work->instants = phx_calloc(context, work->rows + 1, sizeof *work->instants);
    work->x = phx_calloc(context, n_x + 1, sizeof *work->x);
    work->v = phx_calloc(context, n_v + 1, sizeof *work->v);
    work->v_dot = phx_calloc(context, n_v + 1, sizeof *work->v_dot);
    if (!status && !(work->instants && work->x && work->v && work->v_dot))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_result_column(work->result, 0, 0, work->rows, work->instants);
    return status ? status
                  : phx_result_last_state(work->result, work->model->dimension, work->drawing.n_bodies,
                                          work->drawing.bodies, &t, work->x, work->v);
}

/* D: the derivative of the residual by the velocities of the body at rest, where there are no gyroscopic terms. It is
 * the same for all cases. */
static phx_status open_damping(case_work *work, const phx_body *body)
{
    static const double no_gravity[3] = {0.0, 0.0, 0.0};
    const phx_record_body *record = phx_result_body(work->result, phx_drawing_body(&work->drawing, work->body));
    const int *ptr, *idx, n = phx_body_n_v(body);

    phx_body_pattern(body, &ptr, &idx);
    double *M = phx_calloc(work->context, (size_t)ptr[n] + (size_t)n + 1, sizeof *M);
    work->D = phx_calloc(work->context, (size_t)ptr[n] + 1, sizeof *work->D);
    if (M && work->D)
        phx_body_linearise(body, no_gravity, work->x + record->x_start, M + ptr[n], M, work->D, NULL);
    phx_free(M);
    return M && work->D ? PHX_OK : PHX_ERR_MEMORY;
}

/* The body: its mesh, its ports, its point masses. */
static phx_status open_body(case_work *work)
{
    phx_context *context = work->context;
    const phx_model_body *body = &work->model->bodies[work->body];
    const phx_flex_source *source = phx_system_source(work->system, work->body);
    const phx_body *made = phx_system_body(work->system, work->body);

    if ((!source || !phx_continuum_model(source)) && phx_model_body_info_of(body)->mesh)
        return phx_model_fail(context, work->model, body, PHX_ERR_INPUT,
                              "body '%s' does not deform in this model, and so has no stresses", body->name);
    if (!source || !phx_continuum_model(source))
        return phx_model_fail(context, work->model, body, PHX_ERR_INPUT,
                              "body '%s' is %s; load cases are made of solids and imported bodies", body->name,
                              phx_model_body_info_of(body)->is);
    phx_status status = phx_case_maker_create(context, source, &work->maker);
    if (status)
        return phx_fail_prefix(context, status, "body '%s': ", body->name);
    work->elastic = phx_continuum_model(source);
    work->n_efforts = phx_system_ports_of(work->system, work->body);
    work->efforts = phx_calloc(context, (size_t)work->n_efforts + 1, sizeof *work->efforts);
    work->loads = phx_calloc(context, (size_t)work->n_efforts + 1, sizeof *work->loads);
    work->masses = phx_calloc(context, (size_t)body->n_point_masses + 1, sizeof *work->masses);
    work->damping = phx_calloc(context, (size_t)phx_body_n_v(made) + 1, sizeof *work->damping);
    if (!work->efforts || !work->loads || !work->masses || !work->damping)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < body->n_point_masses; k++) {
        work->masses[k] =
            (phx_continuum_mass){.interface = body->point_masses[k].at.port, .mass = body->point_masses[k].mass};
        memcpy(work->masses[k].inertia, body->point_masses[k].inertia, sizeof work->masses[k].inertia);
    }
    return open_damping(work, made);
}

/* R q_dot, of the coordinates behind the rigid velocities. */
static void find_damping(const case_work *work, const phx_body *body, const double *v)
{
    const int *ptr, *idx;

    phx_body_pattern(body, &ptr, &idx);
    for (int i = 0; i < phx_body_n_v(body); i++) {
        work->damping[i] = 0.0;
        for (int e = ptr[i]; e < ptr[i + 1]; e++)
            work->damping[i] += work->D[e] * v[idx[e]];
    }
}

/* The motion of the body at the state in `work`, less gravity. */
static phx_body_motion motion_of(const case_work *work, int first_x, int first_v)
{
    const double *v = work->v + first_v, *v_dot = work->v_dot + first_v, *R = work->x + first_x + 3;
    const double *g = work->model->gravity;
    phx_body_motion motion = {.q = work->x + first_x + 12, .q_dot = v + 6, .q_ddot = v_dot + 6};
    double across[3], pull[3];

    phx_rot_x_vec(3, v + 3, v, across);
    phx_rot_apply_transposed(3, R, g, pull);
    for (int c = 0; c < 3; c++) {
        motion.acceleration[c] = v_dot[c] + across[c] - pull[c];
        motion.spin[c] = v[3 + c];
        motion.spin_rate[c] = v_dot[3 + c];
    }
    return motion;
}

/* Ports on which something acts, for the text. */
static phx_status tell_ports(const case_work *work, phx_load_case *load)
{
    load->ports = phx_calloc(work->context, (size_t)work->n_efforts + 1, sizeof *load->ports);
    if (!load->ports)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < work->n_efforts; k++) {
        const phx_port_effort *effort = &work->efforts[k];
        phx_case_port port = {.name = ""};
        bool acts = false;
        if (effort->location->sort == PHX_LOCATION_NAME)
            snprintf(port.name, sizeof port.name, "port %.80s", effort->location->name);
        else
            snprintf(port.name, sizeof port.name, "node %d", effort->location->node);
        memcpy(port.force, effort->force, sizeof port.force);
        memcpy(port.moment, effort->moment, sizeof port.moment);
        for (int c = 0; c < 3; c++)
            acts = acts || port.force[c] != 0.0 || port.moment[c] != 0.0;
        int at = 0;
        while (at < load->n_ports && strcmp(load->ports[at].name, port.name) != 0)
            at++;
        for (int c = 0; c < 3 && at < load->n_ports; c++) {
            load->ports[at].force[c] += port.force[c];
            load->ports[at].moment[c] += port.moment[c];
        }
        if (acts && at == load->n_ports)
            load->ports[load->n_ports++] = port;
    }
    return PHX_OK;
}

/* The recorded instant nearest to t, which lies between the first and the last. */
static phx_status find_row(const case_work *work, double t, size_t *row)
{
    const size_t rows = work->rows;
    const double *at = work->instants;

    *row = 0;
    for (size_t k = 1; k < rows; k++)
        if (fabs(at[k] - t) < fabs(at[*row] - t))
            *row = k;
    if (rows > 1 && !(t >= 1.5 * at[0] - 0.5 * at[1] && t <= 1.5 * at[rows - 1] - 0.5 * at[rows - 2]))
        return phx_fail(work->context, PHX_ERR_INPUT, "t = %g s is not in the result, which goes from %g to %g s", t,
                        at[0], at[rows - 1]);
    return PHX_OK;
}

/* The case of the recorded instant nearest to t. */
static phx_status make_case(case_work *work, double t, phx_load_case *load)
{
    const phx_result *result = work->result;
    const phx_record_body *record = phx_result_body(result, phx_drawing_body(&work->drawing, work->body));
    const phx_body *body = phx_system_body(work->system, work->body);
    size_t row = 0;
    phx_status status = find_row(work, t, &row);

    load->t = work->instants[row];
    if (!status)
        status = phx_result_states(result, row, 1, work->x, work->v);
    if (!status)
        status = phx_system_port_efforts(work->dae, work->body, load->t, work->x, work->v, work->v_dot, work->efforts);
    if (!status)
        status = tell_ports(work, load);
    if (!status && !(load->force = phx_calloc(work->context, (size_t)work->elastic->n + 1, sizeof *load->force)))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_model_surface_forces(work->context, work->model, work->body, work->elastic, load->t, load->force);
    if (status)
        return status;
    find_damping(work, body, work->v + record->v_start);
    for (int k = 0; k < work->n_efforts; k++) {
        work->loads[k].location = work->efforts[k].location;
        memcpy(work->loads[k].wrench, work->efforts[k].force, 3 * sizeof(double));
        memcpy(work->loads[k].wrench + 3, work->efforts[k].moment, 3 * sizeof(double));
    }
    const phx_case_def def = {.motion = motion_of(work, record->x_start, record->v_start),
                              .damping = work->damping + 6,
                              .n_loads = work->n_efforts,
                              .loads = work->loads,
                              .n_masses = work->model->bodies[work->body].n_point_masses,
                              .masses = work->masses};
    phx_case_report report = {0};
    status = phx_case_make(work->maker, &def, load->force, &report);
    load->unbalanced = report.unbalanced;
    load->truncation = report.truncation;
    return status;
}

/* ---- what all cases share ---- */
/* Six translations that hold the body and nothing more: pivots of the rigid motions, rotations times a length. */
static phx_status find_supports(phx_context *context, const phx_elastic_model *elastic, int support[6])
{
    const size_t n = (size_t)elastic->n;
    double *rows = phx_calloc(context, 6 * n + 1, sizeof *rows), length = 0.0;

    if (!rows)
        return PHX_ERR_MEMORY;
    for (size_t j = 0; j < 3 * (size_t)elastic->n_nodes; j++)
        length = fmax(length, fabs(elastic->x[j]));
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < 6 && elastic->component[j] < PHX_UNKNOWN_RX; k++)
            rows[6 * j + k] = elastic->rigid[k * n + j] / (k < 3 ? 1.0 : length);
    for (int s = 0; s < 6; s++) {
        double most = -1.0, pivot[6];
        for (size_t j = 0; j < n; j++) {
            double size = 0.0;
            for (int k = 0; k < 6; k++)
                size += rows[6 * j + (size_t)k] * rows[6 * j + (size_t)k];
            if (size > most) {
                most = size;
                support[s] = (int)j;
            }
        }
        memcpy(pivot, rows + 6 * (size_t)support[s], sizeof pivot);
        for (size_t j = 0; j < n; j++) {
            double along = 0.0;
            for (int k = 0; k < 6; k++)
                along += rows[6 * j + (size_t)k] * pivot[k] / most;
            for (int k = 0; k < 6; k++)
                rows[6 * j + (size_t)k] -= along * pivot[k];
        }
    }
    phx_free(rows);
    return PHX_OK;
}

/* Names of the unknowns as the files count them, units, supports, and room for the cases. */
static phx_status describe_cases(const case_work *work, int count, phx_load_cases *cases)
{
    const phx_elastic_model *elastic = work->elastic;
    const phx_model_body *body = &work->model->bodies[work->body];
    const size_t n = (size_t)elastic->n;

    cases->model = work->model->title;
    cases->body = body->name;
    phx_model_file_units(body, &cases->length, &cases->force_unit);
    cases->n = elastic->n;
    cases->label = phx_calloc(work->context, n + 1, sizeof *cases->label);
    cases->component = phx_calloc(work->context, n + 1, sizeof *cases->component);
    cases->direction = phx_calloc(work->context, n + 1, sizeof *cases->direction);
    cases->cases = phx_calloc(work->context, (size_t)count + 1, sizeof *cases->cases);
    if (!cases->label || !cases->component || !cases->direction || !cases->cases)
        return PHX_ERR_MEMORY;
    cases->n_cases = count;
    for (size_t j = 0; j < n; j++) {
        const int node = elastic->node[j], turning = elastic->rotation_label ? elastic->rotation_label[node] : 0;
        const bool renamed = turning > 0 && elastic->component[j] >= PHX_UNKNOWN_RX;
        cases->label[j] = renamed ? turning : elastic->label ? elastic->label[node] : node + 1;
        cases->component[j] = elastic->component[j] + 1;
        cases->direction[j] = cases->component[j] - (renamed ? 3 : 0);
    }
    return find_supports(work->context, elastic, cases->support);
}

/* The instants that are asked for, or those of the hot spots. */
static phx_status choose_times(phx_context *context, const phx_load_case_options *options, const char *path,
                               double **times, int *count)
{
    const int n = options->n_times > 0 ? options->n_times : options->worst;

    *times = phx_calloc(context, (size_t)n + 1, sizeof **times);
    if (!*times)
        return PHX_ERR_MEMORY;
    *count = options->n_times;
    if (options->n_times > 0)
        memcpy(*times, options->times, (size_t)n * sizeof **times);
    return options->n_times > 0 ? PHX_OK : phx_hot_instants(context, path, options->body, n, *times, count);
}

/* Opens result, model and body, then makes a case of each instant. */
phx_status phx_study_load_cases(phx_context *context, phx_model *model, const char *path,
                                const phx_load_case_options *options, phx_load_cases *cases)
{
    if (!model || !path || !options || !cases)
        return phx_fail_null(context, __func__, "model, path, options or cases");
    case_work work = {.context = context, .model = model};
    double *times = NULL;
    int count = 0;

    *cases = (phx_load_cases){0};
    phx_files_begin(context);
    phx_status status = phx_result_read(context, path, &work.result);
    if (!status)
        status = take_parameters(context, path, work.result, model);
    if (!status)
        status = phx_study_find_body(context, model, options->body, &work.body);
    if (!status)
        status = open_work(&work, path);
    if (!status)
        status = open_body(&work);
    if (!status)
        status = choose_times(context, options, path, &times, &count);
    if (!status)
        status = describe_cases(&work, count, cases);
    for (int k = 0; k < count && !status; k++) {
        status = phx_progress(context, "load cases", k, count);
        if (!status)
            status = make_case(&work, times[k], &cases->cases[k]);
    }
    phx_free(times);
    phx_files_end(context);
    if (status)
        phx_load_cases_free(cases);
    free_case_work(&work);
    return phx_conclude(context, status);
}
