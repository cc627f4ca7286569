/* Linear models as bundles, and back. */
#include "results/results.h"

#include <string.h>

/* ---- adding ---- */
typedef const char *name_of(const phx_ss *system, int k);

static phx_status add_names_of(phx_context *context, phx_bundle *bundle, const char *item, const phx_ss *system,
                               int count, name_of *name)
{
    const char **names = phx_calloc(context, (size_t)count, sizeof *names);
    if (!names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++)
        names[k] = name(system, k);
    phx_bundle_add_names(bundle, item, count, names);
    phx_free((void *)names);
    return PHX_OK;
}

static phx_status add_poles(phx_context *context, phx_bundle *bundle, const phx_ss *system)
{
    const int n = phx_ss_n(system);
    double *values = phx_calloc(context, 2 * (size_t)n, sizeof *values);
    phx_status status = values ? phx_ss_poles(context, system, values, values + n, NULL, NULL) : PHX_ERR_MEMORY;
    if (!status) {
        phx_bundle_add_matrix(bundle, "poles", n, 1, values, values + n);
        phx_bundle_describe(bundle, "eigenvalues of A", "1/s");
    }
    phx_free(values);
    return status;
}

/* Adds A, B, C, D, names and poles of a state-space system to the bundle. */
phx_status phx_bundle_add_ss(phx_context *context, phx_bundle *bundle, const phx_ss *system)
{
    if (!bundle || !system)
        return phx_fail_null(context, __func__, "bundle or system");
    const int n = phx_ss_n(system), m = phx_ss_inputs(system), p = phx_ss_outputs(system);
    phx_bundle_add_text(bundle, "form", "state-space");
    phx_bundle_add_text(bundle, "name", phx_ss_name(system));
    phx_bundle_add_matrix(bundle, "A", n, n, phx_ss_A(system), NULL);
    phx_bundle_describe(bundle, "x' = A x + B u, y = C x + D u; SI units, see states", NULL);
    phx_bundle_add_matrix(bundle, "B", n, m, phx_ss_B(system), NULL);
    phx_bundle_describe(bundle, "x' = A x + B u; columns: inputs", NULL);
    phx_bundle_add_matrix(bundle, "C", p, n, phx_ss_C(system), NULL);
    phx_bundle_describe(bundle, "y = C x + D u; rows: outputs", NULL);
    phx_bundle_add_matrix(bundle, "D", p, m, phx_ss_D(system), NULL);
    phx_bundle_describe(bundle, "direct feedthrough of inputs to outputs", NULL);
    phx_status status = add_names_of(context, bundle, "inputs", system, m, phx_ss_input);
    if (!status)
        status = add_names_of(context, bundle, "outputs", system, p, phx_ss_output);
    if (!status)
        status = add_names_of(context, bundle, "states", system, n, phx_ss_state);
    if (!status)
        status = add_poles(context, bundle, system);
    return status ? status : phx_bundle_status(bundle);
}

/* A matrix that is zero when it is not given. */
static phx_status add_or_zero(phx_context *context, phx_bundle *bundle, const char *name, int rows, int cols,
                              const double *values)
{
    double *zero = values ? NULL : phx_calloc(context, (size_t)rows * (size_t)cols, sizeof *zero);
    if (!values && !zero)
        return PHX_ERR_MEMORY;
    phx_bundle_add_matrix(bundle, name, rows, cols, values ? values : zero, NULL);
    phx_free(zero);
    return phx_bundle_status(bundle);
}

/* Adds the matrices and names of a second-order system to the bundle; missing matrices are zero. */
phx_status phx_bundle_add_second_order(phx_context *context, phx_bundle *bundle, const phx_ss_second_order_def *system)
{
    if (!bundle || !system)
        return phx_fail_null(context, __func__, "bundle or system");
    const int n = system->n, m = system->n_inputs, p = system->n_outputs;
    const struct {
        const char *name, *meaning;
        int rows, cols;
        const double *values;
    } matrices[] = {{"M", "mass: M q'' + D q' + K q = F u", n, n, system->M},
                    {"D", "damping: M q'' + D q' + K q = F u", n, n, system->D},
                    {"K", "stiffness: M q'' + D q' + K q = F u", n, n, system->K},
                    {"F", "inputs: M q'' + D q' + K q = F u", n, m, system->F},
                    {"Y_q", "outputs y = Y_q q + Y_v q' + Y_a q'' + Y_u u", p, n, system->Y_q},
                    {"Y_v", "outputs, of q'", p, n, system->Y_v},
                    {"Y_a", "outputs, of q''", p, n, system->Y_a},
                    {"Y_u", "outputs, of u", p, m, system->Y_u}};
    phx_status status = PHX_OK;
    phx_bundle_add_text(bundle, "form", "second-order");
    phx_bundle_add_text(bundle, "name", system->name);
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices && !status; k++) {
        status = add_or_zero(context, bundle, matrices[k].name, matrices[k].rows, matrices[k].cols, matrices[k].values);
        phx_bundle_describe(bundle, matrices[k].meaning, NULL);
    }
    if (!status) {
        phx_bundle_add_names(bundle, "inputs", m, system->inputs);
        phx_bundle_add_names(bundle, "outputs", p, system->outputs);
        phx_bundle_add_names(bundle, "coordinates", n, system->coordinates);
        status = phx_bundle_status(bundle);
    }
    return status;
}

/* Adds the matrices and port names of a descriptor system to the bundle; Q only if the system is linear. */
phx_status phx_bundle_add_descriptor(phx_context *context, phx_bundle *bundle, const phx_descriptor *system)
{
    if (!bundle || !system)
        return phx_fail_null(context, __func__, "bundle or system");
    const int count = phx_descriptor_ports(system);
    const char **ports = phx_calloc(context, (size_t)count, sizeof *ports);
    const struct {
        const char *name, *meaning;
        const phx_csr *matrix;
    } matrices[] = {
        {"E", "descriptor: E e' = (J - R) Q e + (B - P) u, y = (B + P)^T Q e + (S + N) u, energy 1/2 e^T E^T Q e",
         phx_descriptor_E(system)},
        {"J", "structure: skew, exchanges power", phx_descriptor_J(system)},
        {"R", "dissipation: symmetric", phx_descriptor_R(system)},
        {"Q", "energy: efforts z = Q e", phx_descriptor_Q(system)},
        {"B", "ports: columns of the inputs", phx_descriptor_B(system)},
        {"P", "ports: dissipative part of B", phx_descriptor_P(system)},
        {"S", "feedthrough: symmetric, dissipates", phx_descriptor_S(system)},
        {"N", "feedthrough: skew", phx_descriptor_N(system)}};
    if (!ports)
        return PHX_ERR_MEMORY;
    phx_bundle_add_text(bundle, "form", "descriptor");
    phx_bundle_add_text(bundle, "name", phx_descriptor_name(system));
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        if (matrices[k].matrix) {
            phx_bundle_add_sparse(bundle, matrices[k].name, matrices[k].matrix);
            phx_bundle_describe(bundle, matrices[k].meaning, NULL);
        }
    for (int k = 0; k < count; k++)
        ports[k] = phx_descriptor_port_name(system, k);
    phx_bundle_add_names(bundle, "ports", count, ports);
    phx_free((void *)ports);
    return phx_bundle_status(bundle);
}

/* ---- getting ---- */
static phx_status lacks(phx_context *context, const char *name, const char *what)
{
    return phx_fail(context, PHX_ERR_FILE,
                    "'%s' is missing or not %s of the size that the other items have; write the file anew", name, what);
}

/* A real matrix of this size. */
static phx_status get_matrix(phx_context *context, const phx_bundle *bundle, const char *name, int rows, int cols,
                             const double **values)
{
    const phx_bundle_item *item = phx_bundle_find(bundle, name);
    if (item && item->pages > 0)
        return phx_fail(context, PHX_ERR_FILE, "'%s' is an array: the file has the plants of a sweep, not one model",
                        name);
    if (!item || item->kind != PHX_BUNDLE_MATRIX || item->im || item->rows != rows || item->cols != cols)
        return lacks(context, name, "a real matrix");
    *values = item->re;
    return PHX_OK;
}

/* A list of names; as many as `wanted` when that is not negative. */
static phx_status get_names(phx_context *context, const phx_bundle *bundle, const char *name, int wanted, int *count,
                            const char *const **names)
{
    const phx_bundle_item *item = phx_bundle_find(bundle, name);
    if (!item || item->kind != PHX_BUNDLE_NAMES || (wanted >= 0 && item->rows != wanted))
        return lacks(context, name, "a list of names");
    *count = item->rows;
    *names = item->names;
    return PHX_OK;
}

static const char *text_of(const phx_bundle *bundle, const char *name)
{
    const phx_bundle_item *item = phx_bundle_find(bundle, name);
    return item && item->kind == PHX_BUNDLE_TEXT ? item->text : "";
}

/* Creates the state-space system that a bundle holds; sizes follow from the lists of names. */
static phx_status get_state_space(phx_context *context, const phx_bundle *bundle, phx_ss **system)
{
    phx_ss_def def = phx_ss_def_default();
    phx_status status = get_names(context, bundle, "states", -1, &def.n, &def.states);
    def.name = text_of(bundle, "name");
    if (!status)
        status = get_names(context, bundle, "inputs", -1, &def.n_inputs, &def.inputs);
    if (!status)
        status = get_names(context, bundle, "outputs", -1, &def.n_outputs, &def.outputs);
    if (!status)
        status = get_matrix(context, bundle, "A", def.n, def.n, &def.A);
    if (!status)
        status = get_matrix(context, bundle, "B", def.n, def.n_inputs, &def.B);
    if (!status)
        status = get_matrix(context, bundle, "C", def.n_outputs, def.n, &def.C);
    if (!status)
        status = get_matrix(context, bundle, "D", def.n_outputs, def.n_inputs, &def.D);
    return status ? status : phx_ss_create(context, &def, system);
}

/* Creates the state-space system of the second-order matrices in a bundle; sizes follow from the lists of names. */
static phx_status get_second_order(phx_context *context, const phx_bundle *bundle, phx_ss **system)
{
    phx_ss_second_order_def def = phx_ss_second_order_def_default();
    phx_status status = get_names(context, bundle, "coordinates", -1, &def.n, &def.coordinates);
    def.name = text_of(bundle, "name");
    if (!status)
        status = get_names(context, bundle, "inputs", -1, &def.n_inputs, &def.inputs);
    if (!status)
        status = get_names(context, bundle, "outputs", -1, &def.n_outputs, &def.outputs);
    const int n = def.n, m = def.n_inputs, p = def.n_outputs;
    const struct {
        const char *name;
        int rows, cols;
        const double **values;
    } matrices[] = {{"M", n, n, &def.M},     {"D", n, n, &def.D},     {"K", n, n, &def.K},     {"F", n, m, &def.F},
                    {"Y_q", p, n, &def.Y_q}, {"Y_v", p, n, &def.Y_v}, {"Y_a", p, n, &def.Y_a}, {"Y_u", p, m, &def.Y_u}};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices && !status; k++)
        status = get_matrix(context, bundle, matrices[k].name, matrices[k].rows, matrices[k].cols, matrices[k].values);
    return status ? status : phx_ss_from_second_order(context, &def, system);
}

phx_status phx_bundle_get_ss(phx_context *context, const phx_bundle *bundle, phx_ss **system)
{
    if (!bundle || !system)
        return phx_fail_null(context, __func__, "bundle or system");
    const char *form = text_of(bundle, "form");
    *system = NULL;
    if (strcmp(form, "state-space") == 0)
        return get_state_space(context, bundle, system);
    if (strcmp(form, "second-order") == 0)
        return get_second_order(context, bundle, system);
    return phx_fail(context, PHX_ERR_FILE,
                    "its form is '%s', which is no state-space system; write the model in the form state-space", form);
}
