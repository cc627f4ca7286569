/* Controllers, and motions that inputs shall make. */
#include "build.h"
#include "reader.h"

#include "control/control.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */
static phx_status read_channel(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    const char *text = NULL;
    phx_status status = phx_read_text(reader, node, "a name", &text);
    memcpy(field, &text, sizeof text);
    return status;
}

/* An array of names into `field`, their number into the owner. */
static phx_status make_names(phx_reader *reader, const phx_key *key, int count, void *field, void *owner,
                             const char ***names)
{
    *names = phx_reader_calloc(reader, (size_t)count, sizeof **names);
    if (!*names)
        return PHX_ERR_MEMORY;
    memcpy(field, names, sizeof *names);
    memcpy((char *)owner + key->count_offset, &count, sizeof count);
    return PHX_OK;
}

static phx_status read_channels(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    const char **names = NULL;
    const int count = node->kind == PHX_NODE_LIST ? node->count : 1;

    if (node->kind == PHX_NODE_MAP || count < 1)
        return phx_reader_expected(reader, node, "a list of names");
    phx_status status = make_names(reader, key, count, field, owner, &names);
    for (int k = 0; k < count && !status; k++)
        status = phx_read_text(reader, node->kind == PHX_NODE_LIST ? node->items[k] : node, "a name", &names[k]);
    return status;
}

static phx_status read_effort(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    const char **names = NULL;
    phx_status status = make_names(reader, key, 1, field, owner, &names);
    return status ? status : phx_read_text(reader, node, "the name of a joint or an actuation", &names[0]);
}

/* ---- expressions ---- */
/* Names of all y(NAME) of the controller, and each expression checked. */
typedef struct measured {
    char names[PHX_MAX_MEASURES][PHX_MAX_MEASURE_NAME];
    char text[PHX_EXPRESSION_MAX + 1];
    phx_expression expression; /* for an error */
    int count;
} measured;

static phx_status check_feedback(phx_reader *reader, const phx_node *node, measured *all)
{
    phx_program *function = NULL;

    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node) || strlen(node->text) > PHX_EXPRESSION_MAX)
        return phx_reader_expected(reader, node, "an expression of t and y(NAME)");
    memcpy(all->text, node->text, strlen(node->text) + 1);
    if (!phx_expression_measures(&all->expression, all->text, &all->count, all->names))
        return phx_reader_fail(reader, node, "%s", all->expression.error);
    const phx_status status = phx_evaluator_measure_function(reader->evaluator, all->text, &function);
    phx_program_destroy(function);
    return status == PHX_ERR_INPUT ? phx_reader_fail_expression(reader, node) : status;
}

static phx_status take_names(phx_reader *reader, const measured *all, phx_model_controller *controller)
{
    controller->n_inputs = all->count;
    controller->inputs = phx_reader_calloc(reader, (size_t)all->count, sizeof *controller->inputs);
    if (!controller->inputs)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < all->count; k++) {
        controller->inputs[k] =
            phx_arena_text(reader->context, &reader->content->memory, all->names[k], strlen(all->names[k]));
        if (!controller->inputs[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Reads a map of names and feedback expressions, and makes the measurements y(NAME) in them the inputs of the
 * controller. */
phx_status phx_read_feedback(phx_reader *reader, const phx_node *node, const char *expected,
                             phx_model_controller *controller, const char ***names, const char ***texts)
{
    if (node->kind != PHX_NODE_MAP || node->count < 1)
        return phx_reader_expected(reader, node, expected);
    const size_t count = (size_t)node->count;
    measured *all = phx_calloc(reader->context, 1, sizeof *all);
    *names = phx_reader_calloc(reader, count, sizeof **names);
    *texts = phx_reader_calloc(reader, count, sizeof **texts);
    phx_status status = all && *names && *texts ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < node->count && !status; k++) {
        (*names)[k] = node->items[2 * k]->text;
        (*texts)[k] = node->items[2 * k + 1]->text;
        status = check_feedback(reader, node->items[2 * k + 1], all);
    }
    if (!status)
        status = take_names(reader, all, controller);
    phx_free(all);
    return status;
}

static phx_status read_efforts(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    phx_model_controller *controller = owner;

    (void)key, (void)field;
    controller->n_outputs = node->count;
    return phx_read_feedback(reader, node, "a map of expressions by the name of an actuation", controller,
                             &controller->outputs, &controller->feedback);
}

/* A matrix of texts; what they mean is checked when the coordinates are known. */
static phx_status read_expressions(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                   void *owner)
{
    (void)key, (void)owner;
    phx_model_expressions *matrix = field;
    const bool list = node->kind == PHX_NODE_LIST;

    if (node->kind == PHX_NODE_MAP || (list && (node->count < 1 || node->items[0]->kind != PHX_NODE_LIST)))
        return phx_reader_expected(reader, node, "an expression, or a list of rows of them");
    matrix->rows = list ? node->count : 1;
    matrix->cols = list ? node->items[0]->count : 1;
    matrix->texts = phx_reader_calloc(reader, (size_t)(matrix->rows * matrix->cols), sizeof *matrix->texts);
    if (!matrix->texts)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < matrix->rows; i++) {
        const phx_node *row = list ? node->items[i] : NULL;
        if (list && (row->kind != PHX_NODE_LIST || row->count != matrix->cols))
            return phx_reader_fail(reader, row, "expected a row of %d expressions", matrix->cols);
        for (int j = 0; j < matrix->cols; j++) {
            const phx_node *entry = list ? row->items[j] : node;
            if (entry->kind != PHX_NODE_SCALAR || phx_node_is_null(entry))
                return phx_reader_expected(reader, entry, "an expression");
            matrix->texts[i * matrix->cols + j] = entry->text;
        }
    }
    return PHX_OK;
}

/* ---- motions ---- */
static phx_status read_motions(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    phx_model_inverse *inverse = owner;
    const size_t count = (size_t)node->count;

    (void)key, (void)field;
    if (node->kind != PHX_NODE_MAP || node->count < 1)
        return phx_reader_expected(reader, node, "a map of signals by the name of an output");
    inverse->outputs = phx_reader_calloc(reader, count, sizeof *inverse->outputs);
    inverse->motion = phx_reader_calloc(reader, count, sizeof(phx_signal *));
    phx_status status = inverse->outputs && inverse->motion ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < node->count && !status; k++) {
        inverse->outputs[k] = node->items[2 * k]->text;
        status = phx_read_signal(reader, node->items[2 * k + 1], PHX_USE_TIME, &inverse->motion[k]);
        inverse->n_outputs = k + 1;
    }
    return status;
}

phx_status phx_finish_inverse(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_inverse *inverse = object;

    if (inverse->n_inputs != inverse->n_outputs)
        return phx_reader_fail(reader, phx_node_of(node, "inputs"), "expected as many inputs as motions, %d, found %d",
                               inverse->n_outputs, inverse->n_inputs);
    return PHX_OK;
}

/* ---- signals, limits, matrices ---- */
static phx_status read_signals(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    const int count = node->kind == PHX_NODE_LIST ? node->count : 1;
    phx_signal **signals = NULL;

    if (count < 1)
        return phx_reader_expected(reader, node, "a signal, or a list of signals");
    signals = phx_reader_calloc(reader, (size_t)count, sizeof(phx_signal *));
    phx_status status = signals ? PHX_OK : PHX_ERR_MEMORY;

    memcpy(field, &signals, sizeof signals);
    memcpy((char *)owner + key->count_offset, &count, sizeof count);
    for (int k = 0; k < count && !status; k++)
        status =
            phx_read_signal(reader, node->kind == PHX_NODE_LIST ? node->items[k] : node, PHX_USE_TIME, &signals[k]);
    return status;
}

/* Reads limits as one pair, or as a list of pairs with one for each output; the lower limit must be below the upper
 * one. */
static phx_status read_limits(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    const bool many = node->kind == PHX_NODE_LIST && node->count > 0 && node->items[0]->kind == PHX_NODE_LIST;
    const int count = many ? node->count : 1;
    double *limits = phx_reader_calloc(reader, 2 * (size_t)count, sizeof *limits);
    phx_status status = limits ? PHX_OK : PHX_ERR_MEMORY;

    memcpy(field, &limits, sizeof limits);
    memcpy((char *)owner + key->count_offset, &count, sizeof count);
    for (int k = 0; k < count && !status; k++) {
        const phx_node *pair = many ? node->items[k] : node;
        status = phx_read_numbers(reader, pair, NULL, 2, limits + 2 * k);
        if (!status && !(limits[2 * k] < limits[2 * k + 1]))
            status = phx_reader_fail(reader, pair, "expected a lower limit below the upper one, found %g and %g",
                                     limits[2 * k], limits[2 * k + 1]);
    }
    return status;
}

/* Reads a matrix as a list of rows; a number is a 1 x 1 matrix. */
static phx_status read_array(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_model_matrix *matrix = field;
    const bool list = node->kind == PHX_NODE_LIST;

    if (node->kind == PHX_NODE_MAP || (list && (node->count < 1 || node->items[0]->kind != PHX_NODE_LIST)))
        return phx_reader_expected(reader, node, "a list of rows, [[1, 2], [3, 4]], or a number");
    matrix->rows = list ? node->count : 1;
    matrix->cols = list ? node->items[0]->count : 1;
    matrix->values = phx_reader_calloc(reader, (size_t)matrix->rows * (size_t)matrix->cols, sizeof *matrix->values);
    if (!matrix->values)
        return PHX_ERR_MEMORY;
    if (!list)
        return phx_read_number(reader, node, NULL, matrix->values);
    phx_status status = PHX_OK;
    for (int i = 0; i < matrix->rows && !status; i++)
        status = phx_read_numbers(reader, node->items[i], NULL, matrix->cols, matrix->values + i * matrix->cols);
    return status;
}

/* ---- what they must be together ---- */
const phx_node *phx_node_of(const phx_node *map, const char *key)
{
    const phx_node *found = phx_node_find(map, key);
    return found ? found : map;
}

/* An array of texts in the memory of the content. */
static phx_status controllers_put_text(phx_reader *reader, const char *name, const char *behind, const char **text)
{
    const size_t room = strlen(name) + strlen(behind) + 1;
    char *made = phx_reader_calloc(reader, room, 1);

    if (!made)
        return PHX_ERR_MEMORY;
    snprintf(made, room, "%s%s", name, behind);
    *text = made;
    return PHX_OK;
}

static int find_joint(const phx_reader *reader, const char *name)
{
    for (int j = 0; j < reader->model->n_joints; j++)
        if (!strcmp(reader->model->joints[j].name, name))
            return j;
    return -1;
}

static phx_status check_joint(phx_reader *reader, const phx_node *node, const char *key, int joint)
{
    const phx_model_joint *of = &reader->model->joints[joint];

    if (of->n_coordinates == 1)
        return PHX_OK;
    return phx_reader_fail(reader, phx_node_of(node, key),
                           "joint '%s' has %d free coordinates; say which one, as '%s.%s1'", of->name,
                           of->n_coordinates, of->name, strcmp(key, "effort") ? "coordinate" : "effort");
}

/* ---- interconnection and damping assignment ---- */
/* Measurements: coordinates, then rates; which coordinates are actuated; outputs become efforts. */
static phx_status controllers_name_coordinates(phx_reader *reader, const phx_node *node, phx_model_controller *c)
{
    const int n = c->n_coordinates;
    phx_status status = PHX_OK;

    if (n > PHX_IDA_PBC_MOST)
        return phx_reader_fail(reader, phx_node_of(node, "coordinates"), "expected at most %d coordinates, found %d",
                               PHX_IDA_PBC_MOST, n);
    c->n_inputs = 2 * n;
    c->inputs = phx_reader_calloc(reader, 2 * (size_t)n, sizeof *c->inputs);
    c->actuated = phx_reader_calloc(reader, (size_t)c->n_outputs, sizeof *c->actuated);
    if (!c->inputs || !c->actuated)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++) {
        const int joint = find_joint(reader, c->coordinates[k]);
        if (joint < 0)
            return phx_reader_fail(reader, phx_node_of(node, "coordinates"), "expected the name of a joint, found %s",
                                   phx_shown_text(c->coordinates[k]).text);
        if (reader->model->joints[joint].n_coordinates != 1)
            return phx_reader_fail(reader, phx_node_of(node, "coordinates"),
                                   "expected joints with one free coordinate, '%s' has %d", c->coordinates[k],
                                   reader->model->joints[joint].n_coordinates);
        status = controllers_put_text(reader, c->coordinates[k], ".coordinate", &c->inputs[k]);
        if (!status)
            status = controllers_put_text(reader, c->coordinates[k], ".rate", &c->inputs[n + k]);
    }
    for (int k = 0; k < c->n_outputs && !status; k++) {
        int at = 0;
        while (at < n && strcmp(c->coordinates[at], c->outputs[k]) != 0)
            at++;
        if (at == n)
            return phx_reader_fail(reader, phx_node_of(node, "actuated"), "expected one of the coordinates, found %s",
                                   phx_shown_text(c->outputs[k]).text);
        c->actuated[k] = at;
        status = controllers_put_text(reader, c->outputs[k], ".effort", &c->outputs[k]);
    }
    return status;
}

/* The entries of a matrix into the list of all, checked; `names` of them may be measured. */
static phx_status take_expressions(phx_reader *reader, const phx_node *node, const phx_model_controller *c,
                                   const char *name, const phx_model_expressions *matrix, int size, int names,
                                   measured *all, const char **to)
{
    const phx_node *list = phx_node_of(node, name);

    for (int k = 0; k < size * size && !matrix->texts; k++)
        to[k] = "0";
    if (!matrix->texts)
        return PHX_OK;
    if (matrix->rows != size || matrix->cols != size)
        return phx_reader_fail(reader, list, "expected %d x %d for %s, found %d x %d", size, size, name, matrix->rows,
                               matrix->cols);
    for (int k = 0; k < size * size; k++) {
        const phx_node *entry = list->kind == PHX_NODE_LIST ? list->items[k / size]->items[k % size] : list;
        for (int i = 0; i < names; i++)
            snprintf(all->names[i], sizeof all->names[i], "%s", c->inputs[i]);
        all->count = names;
        reader->role = PHX_PARAMETER_IN_NUMBER; /* the matching condition holds for these values */
        const phx_status status = check_feedback(reader, entry, all);
        reader->role = PHX_PARAMETER_IN_SIGNAL;
        if (status)
            return status;
        if (all->count > names)
            return phx_reader_fail(reader, entry, "%s is an expression of y(%s)%s alone, found y(%s)", name,
                                   c->inputs[0], names > 1 ? ", .." : "", all->names[names]);
        to[k] = matrix->texts[k];
    }
    return PHX_OK;
}

/* Checks an energy-shaping (IDA-PBC) controller and collects the expressions of M, V, M_d, V_d and J_2 in this order;
 * K_v and the region must have the size of its outputs and coordinates. */
static phx_status finish_ida_pbc(phx_reader *reader, const phx_node *node, phx_model_controller *c)
{
    phx_status status = controllers_name_coordinates(reader, node, c);
    const int n = c->n_coordinates, m = c->n_outputs;
    const struct {
        const char *name;
        const phx_model_expressions *matrix;
        int size, names;
    } parts[] = {{"M", &c->mass, n, n},
                 {"V", &c->potential, 1, n},
                 {"M_d", &c->desired_mass, n, n},
                 {"V_d", &c->desired_potential, 1, n},
                 {"J_2", &c->gyroscopic, n, 2 * n}};
    measured *all = status ? NULL : phx_calloc(reader->context, 1, sizeof *all);

    if (status)
        return status;
    c->feedback = phx_reader_calloc(reader, (size_t)(3 * n * n + 2), sizeof *c->feedback);
    if (!all || !c->feedback)
        status = PHX_ERR_MEMORY;
    for (size_t k = 0, at = 0; k < sizeof parts / sizeof *parts && !status; k++) {
        status = take_expressions(reader, node, c, parts[k].name, parts[k].matrix, parts[k].size, parts[k].names, all,
                                  c->feedback + at);
        at += (size_t)(parts[k].size * parts[k].size);
    }
    phx_free(all);
    if (!status && c->K_v.values && (c->K_v.rows != m || c->K_v.cols != m))
        status = phx_reader_fail(reader, phx_node_of(node, "K_v"), "expected %d x %d for K_v, found %d x %d", m, m,
                                 c->K_v.rows, c->K_v.cols);
    if (!status && c->n_region > 0 && c->n_region != n)
        status = phx_reader_fail(reader, phx_node_of(node, "region"), "expected %d, one for each coordinate, found %d",
                                 n, c->n_region);
    return status;
}

/* `measure: shoulder` is shoulder.coordinate with shoulder.rate, `effort: shoulder` is shoulder.effort. */
static phx_status finish_pid(phx_reader *reader, const phx_node *node, phx_model_controller *c)
{
    const int read = find_joint(reader, c->measure), acted = find_joint(reader, c->outputs[0]);
    phx_status status = read >= 0 ? check_joint(reader, node, "measure", read) : PHX_OK;

    if (!status && acted >= 0)
        status = check_joint(reader, node, "effort", acted);
    c->inputs = status ? NULL : phx_reader_calloc(reader, 2, sizeof *c->inputs);
    if (!status && !c->inputs)
        status = PHX_ERR_MEMORY;
    if (status)
        return status;
    c->inputs[0] = c->measure;
    c->inputs[1] = c->rate;
    if (read >= 0)
        status = controllers_put_text(reader, c->measure, ".coordinate", &c->inputs[0]);
    if (!status && read >= 0 && !c->rate && c->filter == 0.0)
        status = controllers_put_text(reader, c->measure, ".rate", &c->inputs[1]);
    if (!status && acted >= 0)
        status = controllers_put_text(reader, c->outputs[0], ".effort", &c->outputs[0]);
    c->n_inputs = c->inputs[1] ? 2 : 1;
    if (!status && c->kd != 0.0 && c->n_inputs == 1 && c->filter == 0.0)
        status =
            phx_reader_fail(reader, phx_node_of(node, "kd"),
                            "the rate of '%s', which is no joint, is not measured; give `rate`, or a `filter` that "
                            "makes it of the measurement",
                            c->measure);
    c->n_states = (c->ki != 0.0) + (c->filter > 0.0);
    return status;
}

static phx_status controllers_read_file(phx_reader *reader, const phx_node *node, phx_model_controller *c)
{
    const phx_named_matrix all[] = {{"A", &c->A}, {"B", &c->B}, {"C", &c->C}, {"D", &c->D}, {"E", &c->E}, {"J", &c->J},
                                    {"R", &c->R}, {"Q", &c->Q}, {"P", &c->P}, {"S", &c->S}, {"N", &c->N}};
    const int count = (int)(sizeof all / sizeof *all);

    if (!c->file)
        return PHX_OK;
    for (int k = 0; k < count; k++)
        if (all[k].matrix->values)
            return phx_reader_fail(reader, phx_node_of(node, all[k].name),
                                   "the matrices stand in the file; leave out '%s', or the file", all[k].name);
    return phx_read_matrices(reader, phx_node_of(node, "file"), c->file, count, all);
}

static phx_status check_size(phx_reader *reader, const phx_node *node, const char *name, const phx_model_matrix *matrix,
                             int rows, int cols)
{
    if (!matrix->values || (matrix->rows == rows && matrix->cols == cols))
        return PHX_OK;
    return phx_reader_fail(reader, phx_node_find(node, name) ? phx_node_find(node, name) : phx_node_of(node, "file"),
                           "expected %d x %d for matrix %s, found %d x %d", rows, cols, name, matrix->rows,
                           matrix->cols);
}

/* The states are those of the first matrix over them that is there. */
static phx_status finish_matrices(phx_reader *reader, const phx_node *node, phx_model_controller *c)
{
    const bool ph = c->kind == PHX_MODEL_PORT_HAMILTONIAN;
    const phx_model_matrix *const over[] = {&c->A, &c->J, &c->R, &c->Q, &c->E, &c->B};
    phx_status status = controllers_read_file(reader, node, c);
    const int in = ph ? c->n_outputs : c->n_inputs, out = c->n_outputs;

    for (size_t k = 0; k < sizeof over / sizeof *over && c->n_states == 0; k++)
        c->n_states = over[k]->values ? over[k]->rows : 0;
    const int n = c->n_states;
    const struct {
        const char *name;
        const phx_model_matrix *matrix;
        int rows, cols;
    } sizes[] = {{"A", &c->A, n, n},  {"B", &c->B, n, in},  {"C", &c->C, out, n}, {"D", &c->D, out, in},
                 {"E", &c->E, n, n},  {"J", &c->J, n, n},   {"R", &c->R, n, n},   {"Q", &c->Q, n, n},
                 {"P", &c->P, n, in}, {"S", &c->S, in, in}, {"N", &c->N, in, in}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !status; k++)
        status = check_size(reader, node, sizes[k].name, sizes[k].matrix, sizes[k].rows, sizes[k].cols);
    if (!status && n == 0 && !c->D.values && !c->S.values && !c->N.values)
        status = phx_reader_fail(reader, node, "expected matrices, inline or from a file: %s",
                                 ph ? "J, R, Q, B" : "A, B, C, D");
    return status;
}

/* Checks that references, feedforward, limits and initial values are empty or complete, and that a delay has a sample
 * time. */
static phx_status check_counts(phx_reader *reader, const phx_node *node, const phx_model_controller *c)
{
    const int references = c->kind == PHX_MODEL_PID ? 1 : c->n_inputs;
    const struct {
        const char *key, *of;
        int found, expected;
    } lists[] = {{"reference", "input", c->n_reference, references},
                 {"feedforward", "output", c->n_feedforward, c->n_outputs},
                 {"limit", "output", c->n_limits, c->n_outputs},
                 {"initial", "state", c->n_initial, c->n_states}};

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (lists[k].found > 0 && lists[k].found != lists[k].expected)
            return phx_reader_fail(reader, phx_node_of(node, lists[k].key), "expected %d, one for each %s, found %d",
                                   lists[k].expected, lists[k].of, lists[k].found);
    if (c->delay > 0 && !c->sample.given)
        return phx_reader_fail(reader, phx_node_of(node, "delay"), "a delay counts samples; give `sample` too");
    return PHX_OK;
}

/* Checks a controller after reading by the rules of its kind, then the lengths of its lists. */
phx_status phx_finish_controller(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_controller *c = object;
    phx_status status = PHX_OK;

    if (c->kind == PHX_MODEL_PID)
        status = finish_pid(reader, node, c);
    else if (c->kind == PHX_MODEL_FMU)
        status = phx_finish_fmu(reader, node, c);
    else if (c->kind == PHX_MODEL_IDA_PBC)
        status = finish_ida_pbc(reader, node, c);
    else if (c->kind != PHX_MODEL_EXPRESSION)
        status = finish_matrices(reader, node, c);
    return status ? status : check_counts(reader, node, c);
}

#define NAME_JSON     "{\"type\": \"string\"}"
#define SIGNAL_JSON   "{\"$ref\": \"#/$defs/signal\"}"
#define TEXT_JSON     "{\"type\": [\"string\", \"number\"]}"
#define NUMBER_JSON   "{\"$ref\": \"#/$defs/number\"}"
#define LIST_OF(item) "{\"anyOf\": [" item ", {\"type\": \"array\", \"items\": " item "}]}"
#define PAIR_JSON     "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": " NUMBER_JSON "}"

const phx_type phx_type_channel = {"name", NAME_JSON, read_channel, NULL};
const phx_type phx_type_channels = {"list of names", LIST_OF(NAME_JSON), read_channels, NULL};
const phx_type phx_type_effort = {"name", NAME_JSON, read_effort, NULL};
const phx_type phx_type_efforts = {
    "map of expressions", "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"string\", \"number\"]}}",
    read_efforts, NULL};
const phx_type phx_type_expressions = {
    "rows of expressions",
    "{\"anyOf\": [" TEXT_JSON ", {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": " TEXT_JSON "}}]}",
    read_expressions, NULL};
const phx_type phx_type_motions = {
    "map of signals", "{\"type\": \"object\", \"additionalProperties\": " SIGNAL_JSON "}", read_motions, NULL};
const phx_type phx_type_signals = {"signal, or list", LIST_OF(SIGNAL_JSON), read_signals, NULL};
const phx_type phx_type_limits = {"2 numbers, or list of pairs", LIST_OF(PAIR_JSON), read_limits, NULL};
const phx_type phx_type_array = {"rows of numbers",
                                 "{\"anyOf\": [" NUMBER_JSON
                                 ", {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": " NUMBER_JSON
                                 "}}]}",
                                 read_array, NULL};
