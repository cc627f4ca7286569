/* The plants of a sweep as the content of a file. */
#include "plants.h"

#include <stdio.h>
#include <string.h>

/* ---- dense forms: arrays with a page for each plant ---- */
typedef enum plant_matrix {
    SS_A,
    SS_B,
    SS_C,
    SS_D,
    MASS,
    DAMPING,
    STIFFNESS,
    FORCE,
    OUT_Q,
    OUT_V,
    OUT_A,
    OUT_U,
    BASIS
} plant_matrix;

/* Returns the matrix of a plant that `which` names. */
static const double *matrix_of(const phx_plant *plant, plant_matrix which)
{
    const double *const all[] = {phx_ss_A(plant->system),
                                 phx_ss_B(plant->system),
                                 phx_ss_C(plant->system),
                                 phx_ss_D(plant->system),
                                 plant->M,
                                 plant->D,
                                 plant->K,
                                 plant->F,
                                 plant->Y_q,
                                 plant->Y_v,
                                 plant->Y_a,
                                 plant->Y_u,
                                 plant->basis};
    return all[which];
}

/* Adds one matrix of all plants to the bundle as an array with a page for each plant. */
static phx_status add_pages(phx_context *context, const phx_plants *plants, const char *name, const char *meaning,
                            plant_matrix which, int rows, int cols)
{
    const size_t cells = (size_t)rows * (size_t)cols;
    double *pages = phx_calloc(context, (size_t)plants->n_points * cells + 1, sizeof *pages);

    if (!pages)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < plants->n_points && cells > 0; k++)
        memcpy(pages + (size_t)k * cells, matrix_of(&plants->plants[k], which), cells * sizeof *pages);
    phx_bundle_add_array(plants->bundle, name, plants->n_points, rows, cols, pages);
    phx_bundle_describe(plants->bundle, meaning, NULL);
    phx_free(pages);
    return phx_bundle_status(plants->bundle);
}

typedef const char *name_of(const phx_ss *system, int k);

static phx_status plants_bundle_add_names(phx_context *context, const phx_plants *plants, const char *item, int count,
                                          name_of *of)
{
    const phx_ss *system = plants->plants[plants->nominal].system;
    const char **names = phx_calloc(context, (size_t)count + 1, sizeof *names);

    if (!names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++)
        names[k] = of(system, k);
    phx_bundle_add_names(plants->bundle, item, count, names);
    phx_free((void *)names);
    return phx_bundle_status(plants->bundle);
}

static phx_status check_sizes(phx_context *context, const phx_plants *plants)
{
    const phx_ss *nominal = plants->plants[plants->nominal].system;
    for (int k = 0; k < plants->n_points; k++) {
        const phx_ss *system = plants->plants[k].system;
        if (phx_ss_n(system) != phx_ss_n(nominal) || phx_ss_outputs(system) != phx_ss_outputs(nominal))
            return phx_fail(context, PHX_ERR_ANALYSIS,
                            "the plant of point %d has %d states and %d outputs, the nominal one %d and %d", k + 1,
                            phx_ss_n(system), phx_ss_outputs(system), phx_ss_n(nominal), phx_ss_outputs(nominal));
    }
    return PHX_OK;
}

/* Adds A, B, C and D of all plants and the names of the states to the bundle. */
static phx_status put_state_space(phx_context *context, const phx_plants *plants)
{
    const phx_ss *system = plants->plants[plants->nominal].system;
    const int n = phx_ss_n(system), m = phx_ss_inputs(system), p = phx_ss_outputs(system);
    phx_status status = add_pages(context, plants, "A",
                                  "x' = A x + B u, y = C x + D u; SI units, see states; a page "
                                  "for each plant",
                                  SS_A, n, n);

    if (!status)
        status = add_pages(context, plants, "B", "x' = A x + B u; columns: inputs", SS_B, n, m);
    if (!status)
        status = add_pages(context, plants, "C", "y = C x + D u; rows: outputs", SS_C, p, n);
    if (!status)
        status = add_pages(context, plants, "D", "direct feedthrough of inputs to outputs", SS_D, p, m);
    return status ? status : plants_bundle_add_names(context, plants, "states", n, phx_ss_state);
}

/* Plants that are not of second order are refused as a single model is. */
static phx_status check_second_order(phx_context *context, const phx_nominal_plant *nominal)
{
    phx_ss_second_order_def def;
    return nominal->reduction ? phx_reduction_second_order(context, nominal->reduction, &def)
                              : phx_linearised_second_order(context, nominal->point.linearised, &def);
}

/* Adds the second-order matrices of all plants and the names of the coordinates to the bundle. */
static phx_status put_second_order(phx_context *context, const phx_nominal_plant *nominal, const phx_plants *plants)
{
    const phx_plant *plant = &plants->plants[plants->nominal];
    const int n = plant->n, m = plant->n_inputs, p = plant->n_outputs;
    const struct {
        const char *name, *meaning;
        plant_matrix which;
        int rows, cols;
    } parts[] = {{"M", "mass: M q'' + D q' + K q = F u; a page for each plant", MASS, n, n},
                 {"D", "damping: M q'' + D q' + K q = F u", DAMPING, n, n},
                 {"K", "stiffness: M q'' + D q' + K q = F u", STIFFNESS, n, n},
                 {"F", "inputs: M q'' + D q' + K q = F u", FORCE, n, m},
                 {"Y_q", "outputs y = Y_q q + Y_v q' + Y_a q'' + Y_u u", OUT_Q, p, n},
                 {"Y_v", "outputs, of q'", OUT_V, p, n},
                 {"Y_a", "outputs, of q''", OUT_A, p, n},
                 {"Y_u", "outputs, of u", OUT_U, p, m}};
    phx_status status = check_second_order(context, nominal);

    for (size_t k = 0; k < sizeof parts / sizeof *parts && !status; k++)
        status =
            add_pages(context, plants, parts[k].name, parts[k].meaning, parts[k].which, parts[k].rows, parts[k].cols);
    return status ? status : plants_bundle_add_names(context, plants, "coordinates", n, phx_ss_state);
}

/* The motions of the coordinates. */
static phx_status put_basis(phx_context *context, const phx_nominal_plant *nominal, const phx_plants *plants)
{
    const phx_plant *plant = &plants->plants[plants->nominal];
    const char **names = phx_calloc(context, (size_t)plant->n_xi + 1, sizeof *names);
    phx_status status = names ? add_pages(context, plants, "basis",
                                          "motions xi = basis q, q the coordinates of second "
                                          "order; rows: motions, columns: coordinates",
                                          BASIS, plant->n_xi, plant->n)
                              : PHX_ERR_MEMORY;

    for (int k = 0; k < plant->n_xi && !status; k++)
        names[k] = phx_linearised_coordinate(nominal->point.linearised, k);
    if (!status) {
        phx_bundle_add_names(plants->bundle, "motions", plant->n_xi, names);
        status = phx_bundle_status(plants->bundle);
    }
    phx_free((void *)names);
    return status;
}

/* ---- the sparse form: matrices E_1, E_2, .. ---- */
static void plants_bundle_put_sparse(phx_bundle *bundle, const char *letter, int k, const phx_csr *matrix,
                                     const char *meaning)
{
    char name[32];
    if (!matrix)
        return;
    snprintf(name, sizeof name, "%s_%d", letter, k + 1);
    phx_bundle_add_sparse(bundle, name, matrix);
    phx_bundle_describe(bundle, meaning, NULL);
}

/* Adds the descriptor matrices of each plant with its output matrices, numbered by plant, and the names of the ports
 * to the bundle. */
static phx_status put_descriptor(phx_context *context, const phx_plants *plants)
{
    phx_bundle *bundle = plants->bundle;
    const phx_descriptor *first = plants->descriptors[0];
    const int count = phx_descriptor_ports(first);
    const char **ports = phx_calloc(context, (size_t)count + 1, sizeof *ports);

    if (!ports)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < plants->n_points; k++) {
        const phx_descriptor *descriptor = plants->descriptors[k];
        plants_bundle_put_sparse(
            bundle, "E", k, phx_descriptor_E(descriptor),
            "descriptor: E e' = (J - R) Q e + (B - P) u, y = (B + P)^T Q e + (S + N) u, energy 1/2 e^T E^T Q e");
        plants_bundle_put_sparse(bundle, "J", k, phx_descriptor_J(descriptor), "structure: skew, exchanges power");
        plants_bundle_put_sparse(bundle, "R", k, phx_descriptor_R(descriptor), "dissipation: symmetric");
        plants_bundle_put_sparse(bundle, "Q", k, phx_descriptor_Q(descriptor), "energy: efforts z = Q e");
        plants_bundle_put_sparse(bundle, "B", k, phx_descriptor_B(descriptor), "ports: columns of the inputs");
        plants_bundle_put_sparse(bundle, "P", k, phx_descriptor_P(descriptor), "ports: dissipative part of B");
        plants_bundle_put_sparse(bundle, "S", k, phx_descriptor_S(descriptor), "feedthrough: symmetric, dissipates");
        plants_bundle_put_sparse(bundle, "N", k, phx_descriptor_N(descriptor), "feedthrough: skew");
        plants_bundle_put_sparse(bundle, "C", k, &plants->measured[k].C,
                                 "outputs asked for: y = C e + D u; rows: outputs");
        plants_bundle_put_sparse(bundle, "D", k, &plants->measured[k].D,
                                 "outputs asked for: direct feedthrough of inputs");
    }
    for (int k = 0; k < count; k++)
        ports[k] = phx_descriptor_port_name(first, k);
    phx_bundle_add_names(bundle, "ports", count, ports);
    phx_free((void *)ports);
    return phx_bundle_status(bundle);
}

/* ---- what all forms have ---- */
static phx_status put_channels(phx_context *context, const phx_nominal_plant *nominal, const phx_plants *plants)
{
    const phx_ss *system = plants->plants[plants->nominal].system;
    const phx_channels *channels = phx_linearised_channels(nominal->point.linearised);

    if (plants->form == PHX_FORM_DESCRIPTOR) { /* improper ones too */
        phx_bundle_add_names(plants->bundle, "inputs", channels->n_inputs, (const char *const *)channels->inputs);
        phx_bundle_add_names(plants->bundle, "outputs", channels->n_outputs, (const char *const *)channels->outputs);
        return phx_bundle_status(plants->bundle);
    }
    const phx_status status = plants_bundle_add_names(context, plants, "inputs", phx_ss_inputs(system), phx_ss_input);
    return status ? status : plants_bundle_add_names(context, plants, "outputs", phx_ss_outputs(system), phx_ss_output);
}

/* Adds parameters, their values at each plant, the number of the nominal plant and the measures of common motion and
 * reduction error to the bundle. */
static phx_status plants_bundle_put_points(phx_context *context, const phx_plants *plants)
{
    const int points = plants->n_points, parameters = plants->n_parameters;
    double *numbers = phx_calloc(context, (size_t)points + (size_t)parameters, sizeof *numbers);

    if (!numbers)
        return PHX_ERR_MEMORY;
    phx_bundle_add_names(plants->bundle, "parameters", parameters, (const char *const *)plants->parameters);
    phx_bundle_add_matrix(plants->bundle, "values", points, parameters, plants->values, NULL);
    phx_bundle_describe(plants->bundle, "rows: plants, columns: parameters; the last parameter varies fastest", NULL);
    for (int k = 0; k < parameters; k++)
        numbers[k] = plants->counts[k];
    phx_bundle_add_matrix(plants->bundle, "counts", parameters, 1, numbers, NULL);
    phx_bundle_describe(plants->bundle, "values of each parameter", NULL);
    phx_bundle_add_number(plants->bundle, "nominal", plants->nominal + 1);
    phx_bundle_describe(plants->bundle, "the plant, counted from 1, whose modal coordinates all have", NULL);
    for (int k = 0; k < points; k++)
        numbers[k] = plants->plants[k].least;
    phx_bundle_add_matrix(plants->bundle, "least", points, 1, numbers, NULL);
    phx_bundle_describe(plants->bundle, "smallest over largest singular value of the change to common coordinates",
                        NULL);
    for (int k = 0; k < points && plants->reductions; k++)
        numbers[k] = plants->reductions[k].error;
    if (plants->reductions) {
        phx_bundle_add_matrix(plants->bundle, "reduction_error", points, 1, numbers, NULL);
        phx_bundle_describe(plants->bundle, "of each plant: H-infinity norm of the error over that of the model", NULL);
    }
    phx_free(numbers);
    return phx_bundle_status(plants->bundle);
}

/* Adds the poles of all plants to the bundle, a column for each plant. */
static phx_status put_poles(phx_context *context, const phx_plants *plants)
{
    const int n = phx_ss_n(plants->plants[plants->nominal].system), points = plants->n_points;
    const size_t cells = (size_t)n * (size_t)points;
    double *re = phx_calloc(context, 2 * cells + 2 * (size_t)n + 1, sizeof *re), *im = phx_behind(re, cells),
           *one = phx_behind(im, cells);
    phx_status status = re ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < points && !status; k++) {
        status = phx_ss_poles(context, plants->plants[k].system, one, one + n, NULL, NULL);
        for (int i = 0; i < n && !status; i++) {
            re[i * points + k] = one[i];
            im[i * points + k] = one[n + i];
        }
    }
    if (!status) {
        phx_bundle_add_matrix(plants->bundle, "poles", n, points, re, im);
        phx_bundle_describe(plants->bundle, "columns: plants", "1/s");
        status = phx_bundle_status(plants->bundle);
    }
    phx_free(re);
    return status;
}

/* Creates the bundle of a family in its form, with channels, basis, points, poles and the LFT if there is one. All
 * plants must have the same size. */
phx_status phx_plants_fill(phx_context *context, const phx_model *model, const phx_nominal_plant *nominal,
                           phx_plants *plants)
{
    static const char *const forms[] = {"state-space", "second-order", "descriptor"};
    phx_status status = check_sizes(context, plants);

    if (!status)
        status = phx_bundle_create(context, &plants->bundle);
    if (status)
        return status;
    phx_bundle_made_from(plants->bundle, model);
    phx_bundle_add_text(plants->bundle, "form", forms[plants->form]);
    phx_bundle_add_number(plants->bundle, "plants", plants->n_points);
    if (plants->form == PHX_FORM_DESCRIPTOR)
        status = put_descriptor(context, plants);
    else if (plants->form == PHX_FORM_SECOND_ORDER)
        status = put_second_order(context, nominal, plants);
    else
        status = put_state_space(context, plants);
    if (!status)
        status = put_channels(context, nominal, plants);
    if (!status && plants->form != PHX_FORM_DESCRIPTOR)
        status = put_basis(context, nominal, plants);
    if (!status)
        status = plants_bundle_put_points(context, plants);
    if (!status)
        status = put_poles(context, plants);
    if (!status && plants->lft)
        status = phx_plants_put_lft(context, plants);
    if (!status) {
        phx_bundle_add_text(plants->bundle, "title", plants->title);
        phx_bundle_add_text(plants->bundle, "model", model->text);
        status = phx_bundle_status(plants->bundle);
    }
    return status;
}
