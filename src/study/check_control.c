/* Structure of the closed loop: Casimirs of port-Hamiltonian controllers, and the matching condition of interconnection
 * and damping assignment. */
#include "internal.h"

#include "control/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NO_PIVOT = 1e-9;  /* entries of an orthonormal basis */
static const double RANK = 1e-10;     /* of J - R, relative to the longest column */
static const double ONE = 1e-12;      /* a factor so near to 1 is not written */
static const double NOTHING = 1e-12;  /* entries of a Casimir, relative to the largest */
static const double SYMMETRIC = 1e-9; /* asymmetry of the matrices of energy shaping, relative */

/* ---- Casimirs ----
 *
 *     E z' = (J - R) Q z + (B - P) y,   y = q'_ports:     c^T (J - R) = 0   =>   c^T E z - c^T (B - P) q_ports = const
 *
 * whatever the energies are. Rows of the mechanism with their momenta have no part in it: all of its forces act on
 * them, those of its energy too. */
void phx_casimirs_free(int count, phx_casimir *casimirs)
{
    for (int k = 0; k < count && casimirs; k++) {
        phx_free(casimirs[k].text);
        phx_free(casimirs[k].states);
        phx_free(casimirs[k].ports);
    }
    phx_free(casimirs);
}

static double entry(const phx_model_matrix *matrix, int i, int j, double missing)
{
    return matrix->values ? matrix->values[i * matrix->cols + j] : missing;
}

/* Rows of a basis (count x n) in reduced echelon form: simple where the space has simple vectors. */
static void reduce_rows(int count, int n, double *rows)
{
    for (int k = 0, column = 0; k < count && column < n; column++) {
        int pivot = k;
        for (int i = k; i < count; i++)
            if (fabs(rows[i * n + column]) > fabs(rows[pivot * n + column]))
                pivot = i;
        const double value = rows[pivot * n + column];
        if (fabs(value) < NO_PIVOT)
            continue;
        for (int j = 0; j < n; j++) {
            const double moved = rows[pivot * n + j];
            rows[pivot * n + j] = rows[k * n + j];
            rows[k * n + j] = moved / value;
        }
        for (int i = 0; i < count; i++)
            for (int j = n - 1; j >= 0 && i != k; j--)
                rows[i * n + j] -= rows[i * n + column] * rows[k * n + j];
        k++;
    }
}

/* c^T with c^T (J - R) = 0, count x n, allocated. */
static phx_status left_null(phx_context *context, const phx_model_controller *c, int *count, double **rows)
{
    const int n = c->n_states;
    double *structure = phx_calloc(context, (size_t)n * (size_t)n, sizeof *structure), *basis = NULL;
    int rank = 0;
    phx_status status = structure ? PHX_OK : PHX_ERR_MEMORY;

    *rows = NULL;
    for (int i = 0; i < n && !status; i++)
        for (int j = 0; j < n; j++)
            structure[j * n + i] = entry(&c->J, i, j, 0.0) - entry(&c->R, i, j, 0.0);
    if (!status)
        status = phx_dense_nullspace(context, n, n, structure, RANK, &rank, &basis);
    *count = status ? 0 : n - rank;
    if (!status)
        *rows = phx_calloc(context, (size_t)*count * (size_t)n, sizeof **rows);
    if (!status && !*rows)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < n && !status; i++)
        for (int k = 0; k < *count; k++)
            (*rows)[k * n + i] = basis[i * *count + k];
    if (!status)
        reduce_rows(*count, n, *rows);
    phx_free(structure);
    phx_free(basis);
    return status;
}

/* Writes the coefficients of a Casimir c = a^T E x_c - a^T (B - P) int y dt, given the row a, over states and ports of
 * the controller. */
static phx_status check_control_fill(phx_context *context, const phx_model_controller *c, const double *row,
                                     phx_casimir *casimir)
{
    const int n = c->n_states, ports = c->n_outputs;

    casimir->controller = c->name;
    casimir->n_states = n;
    casimir->n_ports = ports;
    casimir->states = phx_calloc(context, (size_t)n, sizeof *casimir->states);
    casimir->ports = phx_calloc(context, (size_t)ports, sizeof *casimir->ports);
    if (!casimir->states || !casimir->ports)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            casimir->states[j] += row[i] * entry(&c->E, i, j, i == j ? 1.0 : 0.0);
        for (int p = 0; p < ports; p++)
            casimir->ports[p] -= row[i] * (entry(&c->B, i, p, 0.0) - entry(&c->P, i, p, 0.0));
    }
    return PHX_OK;
}

/* "2.5 " before a name, with its sign; nothing for 1. */
static size_t put_factor(char *to, size_t size, bool first, double factor)
{
    const char *sign = factor < 0.0 ? first ? "-" : " - " : first ? "" : " + ";
    if (fabs(fabs(factor) - 1.0) < ONE)
        return (size_t)snprintf(to, size, "%s", sign);
    return (size_t)snprintf(to, size, "%s%.6g ", sign, fabs(factor));
}

/* "loop.z1 - 2 shoulder.coordinate": the displacement of JOINT.effort is JOINT.coordinate. */
static phx_status write_text(phx_context *context, const phx_model_controller *c, phx_casimir *casimir)
{
    static const char effort[] = ".effort";
    size_t room = 1, used = 0;
    double largest = 0.0;

    for (int p = 0; p < casimir->n_ports; p++) {
        room += strlen(c->outputs[p]) + 60;
        largest = fmax(largest, fabs(casimir->ports[p]));
    }
    for (int i = 0; i < casimir->n_states; i++)
        largest = fmax(largest, fabs(casimir->states[i]));
    room += (size_t)casimir->n_states * (strlen(c->name) + 60);
    char *text = phx_calloc(context, room, 1);
    casimir->text = text;
    if (!text)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < casimir->n_states; i++)
        if (fabs(casimir->states[i]) > NOTHING * largest) {
            used += put_factor(text + used, room - used, used == 0, casimir->states[i]);
            used += (size_t)snprintf(text + used, room - used, "%s.z%d", c->name, i + 1);
        }
    for (int p = 0; p < casimir->n_ports; p++) {
        const char *name = c->outputs[p], *end = strstr(name, effort);
        if (fabs(casimir->ports[p]) <= NOTHING * largest)
            continue;
        used += put_factor(text + used, room - used, used == 0, casimir->ports[p]);
        if (end)
            used += (size_t)snprintf(text + used, room - used, "%.*s.coordinate%s", (int)(end - name), name,
                                     end + sizeof effort - 1);
        else
            used += (size_t)snprintf(text + used, room - used, "(displacement of %s)", name);
    }
    return PHX_OK;
}

/* States of continuous controllers before number k, as phx_casimir_residual counts them; all of them for k < 0. */
static int states_before(const phx_system *system, int k)
{
    int count = 0;

    for (int c = 0; c < phx_system_controllers(system) && (k < 0 || c < k); c++)
        if (phx_system_controller_sample(system, c) == 0.0)
            count += phx_block_n(phx_system_controller_block(system, c));
    return count;
}

static phx_status measure_residual(phx_context *context, phx_dae *dae, const double *x, int controller,
                                   phx_casimir *casimir)
{
    const phx_system *system = phx_system_of(dae);
    const int n = states_before(system, -1);
    double *row = phx_calloc(context, (size_t)n, sizeof *row);

    if (!row)
        return PHX_ERR_MEMORY;
    memcpy(row + states_before(system, controller), casimir->states, (size_t)casimir->n_states * sizeof *row);
    const phx_status status = phx_casimir_residual(context, dae, 0.0, x, row, &casimir->residual);
    phx_free(row);
    return status;
}

/* Appends the Casimirs of one controller, one for each left null vector found, with text and measured residual, to the
 * list. */
static phx_status casimirs_of(phx_context *context, const phx_start_point *at, const phx_model *model, int controller,
                              int *n, phx_casimir **list)
{
    const phx_model_controller *c = &model->controllers[controller];
    double *rows = NULL;
    int count = 0;
    phx_status status = left_null(context, c, &count, &rows);
    phx_casimir *all = NULL;

    if (!status && count > 0) {
        all = phx_calloc(context, (size_t)(*n + count), sizeof *all);
        if (!all)
            status = PHX_ERR_MEMORY;
    }
    if (all && !status) {
        if (*n > 0)
            memcpy(all, *list, (size_t)*n * sizeof *all);
        phx_free(*list);
        *list = all;
    }
    for (int k = 0; k < count && !status; k++) {
        phx_casimir *casimir = &all[(*n)++];
        status = check_control_fill(context, c, rows + k * c->n_states, casimir);
        if (!status)
            status = write_text(context, c, casimir);
        if (!status)
            status = measure_residual(context, at->dae, at->x, controller, casimir);
    }
    phx_free(rows);
    return status;
}

/* Lists the Casimirs of all port-Hamiltonian controllers with states at a start point; the caller frees the list,
 * which is empty after a failure. */
phx_status phx_casimirs_at(phx_context *context, const phx_model *model, const phx_start_point *at, int *n,
                           phx_casimir **casimirs)
{
    phx_status status = PHX_OK;

    *n = 0;
    *casimirs = NULL;
    for (int c = 0; c < model->n_controllers && !status; c++)
        if (model->controllers[c].kind == PHX_MODEL_PORT_HAMILTONIAN && model->controllers[c].n_states > 0)
            status = casimirs_of(context, at, model, c, n, casimirs);
    if (status) {
        phx_casimirs_free(*n, *casimirs);
        *n = 0;
        *casimirs = NULL;
    }
    return status;
}

/* ---- matching ---- */
/* Largest entry of M W - 1, W the mobility of the mechanism along the coordinates: accelerations by efforts. NAN where
 * it has other freedoms. */
static phx_status compare_mass(phx_context *context, const phx_model_controller *c, const phx_start_point *at,
                               const double *M, double *off)
{
    enum { SIZE = 300 };
    const int n = c->n_coordinates;
    char(*names)[SIZE] = phx_calloc(context, 2 * (size_t)n, SIZE);
    const char *inputs[PHX_IDA_PBC_MOST], *outputs[PHX_IDA_PBC_MOST];
    phx_linearise_options options = phx_linearise_options_default();
    phx_linearised *linear = NULL;
    phx_ss *ss = NULL;

    *off = NAN;
    if (!names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        snprintf(names[k], SIZE, "%s.effort", c->coordinates[k]);
        snprintf(names[n + k], SIZE, "%s.acceleration", c->coordinates[k]);
        inputs[k] = names[k];
        outputs[k] = names[n + k];
    }
    options.x = at->x;
    options.channels = (phx_channels_options){.n_inputs = n, .n_outputs = n, .inputs = inputs, .outputs = outputs};
    phx_status status = phx_linearise(context, at->dae, &options, &linear);
    if (!status)
        status = phx_linearised_ss(context, linear, &ss);
    if (!status && phx_ss_n(ss) == 2 * n) {
        const double *W = phx_ss_D(ss);
        *off = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = i == j ? -1.0 : 0.0;
                for (int k = 0; k < n; k++)
                    sum += M[i * n + k] * W[k * n + j];
                *off = fmax(*off, fabs(sum));
            }
    }
    phx_ss_destroy(ss);
    phx_linearised_destroy(linear);
    phx_free(names);
    return status;
}

/* Warns if the matching condition, definiteness of M_d, symmetries, or the mass matrix of an energy-shaping controller
 * are violated. */
static void warn(phx_context *context, const phx_loop_matching *matching)
{
    const double tolerance = 1e-6;
    const phx_matching *m = &matching->matching;

    if (m->potential > tolerance || m->kinetic > tolerance)
        phx_log(context, PHX_LOG_WARNING,
                "controller '%s': M_d, V_d and J_2 violate the matching condition in the given region by %.2g of its "
                "terms; the closed loop is not achieved, and H_d may grow",
                matching->controller, fmax(m->potential, m->kinetic));
    if (m->indefinite > 0)
        phx_log(context, PHX_LOG_WARNING,
                "controller '%s': M_d is not positive definite at %d of %d places of the region", matching->controller,
                m->indefinite, m->places);
    if (m->asymmetry > SYMMETRIC)
        phx_log(context, PHX_LOG_WARNING,
                "controller '%s': M or M_d is not symmetric, or J_2 not skew-symmetric (by %.2g); only the upper "
                "triangles are used",
                matching->controller, m->asymmetry);
    if (isnan(matching->mass))
        phx_log(context, PHX_LOG_WARNING,
                "controller '%s': its coordinates do not describe all motions of the mechanism", matching->controller);
    else if (matching->mass > tolerance)
        phx_log(context, PHX_LOG_WARNING,
                "controller '%s': M differs from the mass matrix of the mechanism at the start by %.2g",
                matching->controller, matching->mass);
}

/* Evaluates the matching conditions of an energy-shaping controller over its region and compares its M with the
 * mechanism at the start; warns of violations. */
static phx_status match_one(phx_context *context, const phx_model *model, const phx_start_point *at, int controller,
                            phx_loop_matching *matching)
{
    const phx_ida_pbc *data = phx_block_ida_pbc(phx_system_controller_block(at->system, controller));
    double y[2 * PHX_IDA_PBC_MOST], M[PHX_IDA_PBC_MOST * PHX_IDA_PBC_MOST];

    matching->controller = model->controllers[controller].name;
    phx_ida_pbc_match(data, &matching->matching);
    phx_system_controller_measured(at->dae, controller, at->x, at->v, y);
    phx_ida_pbc_mass(data, y, M);
    const phx_status status = compare_mass(context, &model->controllers[controller], at, M, &matching->mass);
    if (!status)
        warn(context, matching);
    return status;
}

phx_status phx_matching_at(phx_context *context, const phx_model *model, const phx_start_point *at, int *n,
                           phx_loop_matching **list)
{
    phx_status status = PHX_OK;

    *n = 0;
    *list = phx_calloc(context, (size_t)model->n_controllers, sizeof **list);
    if (!*list)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < model->n_controllers && !status; c++)
        if (model->controllers[c].kind == PHX_MODEL_IDA_PBC)
            status = match_one(context, model, at, c, &(*list)[(*n)++]);
    return status;
}
