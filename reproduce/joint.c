/* A revolute joint between beams as a transformer (41), (42) and as a gyrator (43), (44) of port-Hamiltonian systems,
 * and its multipliers eliminated (47): section 5 of the first paper. */
#include "item.h"

#include <math.h>
#include <stdlib.h>

enum { AXES = 2, MODES = 6, MOST_MODES = 32 };
static const double LOWEST = 1.0; /* rad/s: what is below are the rigid motions */

/* ---- the two ways ---- */

/* Forces at C of the first beam and at P of the second, each in the axes of its beam: y_2 = R(theta)^T y_1. */
static const char *const first = "first", *const second = "second";

static phx_status by_gyrator(phx_context *context, const phx_descriptor *beams, const double *R,
                             phx_descriptor **joined)
{
    phx_descriptor *exchanged = NULL;
    phx_status status = phx_descriptor_exchange(context, beams, second, &exchanged);

    if (!status)
        status = phx_descriptor_gyrator(context, exchanged, first, second, R, joined);
    phx_descriptor_destroy(exchanged);
    return status;
}

/* The same system with one port for the two forces at each end. */
static phx_status group_ports(phx_context *context, const phx_descriptor *system, phx_descriptor **grouped)
{
    const phx_descriptor_port ports[] = {{first, AXES}, {second, AXES}};
    phx_descriptor_def def = phx_descriptor_def_default();

    def.name = "beams";
    def.n = phx_descriptor_n(system);
    def.E = phx_descriptor_E(system);
    def.J = phx_descriptor_J(system);
    def.R = phx_descriptor_R(system);
    def.Q = phx_descriptor_Q(system);
    def.B = phx_descriptor_B(system);
    def.n_ports = 2;
    def.ports = ports;
    return phx_descriptor_create(context, &def, grouped);
}

/* The beams without the joint, linearised at rest, with forces at both ends as ports. */
static phx_status describe(phx_item *item, const phx_model *model, phx_descriptor **grouped)
{
    static const char *const inputs[] = {"first.C.fx", "first.C.fy", "second.P.fx", "second.P.fy"};
    static const char *const outputs[] = {"first.C.ax"};
    phx_context *context = item->context;
    phx_linearise_options options = phx_linearise_options_default();
    phx_linearised *linearised = NULL;
    phx_system *beams = NULL;
    phx_dae *dae = NULL;
    phx_descriptor *single = NULL; /* each force a port of its own */
    double *x = NULL, *v = NULL;

    options.channels =
        (phx_channels_options){.n_inputs = 2 * AXES, .n_outputs = 1, .inputs = inputs, .outputs = outputs};
    phx_status status = phx_model_build(context, model, NULL, &beams);
    if (!status)
        status = phx_system_dae(beams, context, &dae);
    if (!status) {
        x = phx_calloc(context, (size_t)dae->n_x, sizeof *x);
        v = phx_calloc(context, (size_t)dae->n_v, sizeof *v);
        options.x = x;
        status = x && v ? phx_system_start(beams, NULL, x, v, NULL) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_linearise(context, dae, &options, &linearised);
    if (!status)
        status = phx_linearised_descriptor(context, linearised, &single, NULL);
    if (!status)
        status = group_ports(context, single, grouped);
    phx_descriptor_destroy(single);
    phx_linearised_destroy(linearised);
    phx_system_dae_destroy(dae);
    phx_system_destroy(beams);
    phx_free(x);
    phx_free(v);
    return status;
}

/* ---- comparing ---- */

/* dense += sign A */
static double add_matrix(double *dense, int n, const phx_csr *A, double sign)
{
    double largest = 0.0;
    for (int i = 0; i < A->rows; i++)
        for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
            dense[i * n + A->idx[e]] += sign * A->val[e];
            largest = fmax(largest, fabs(A->val[e]));
        }
    return largest;
}

/* Largest difference of two matrices over their largest entry; b NULL: a + a^T, what its structure lacks. */
static phx_status difference(phx_context *context, const phx_csr *a, const phx_csr *b, double *largest)
{
    const int n = a->rows;
    double *dense = phx_calloc(context, (size_t)n * (size_t)n, sizeof *dense);

    *largest = NAN;
    if (!dense)
        return PHX_ERR_MEMORY;
    if (!b || b->rows == n) {
        const double scale = add_matrix(dense, n, a, 1.0);
        if (b)
            add_matrix(dense, n, b, -1.0);
        *largest = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                *largest = fmax(*largest, fabs(dense[i * n + j] + (b ? 0.0 : dense[j * n + i])) / scale);
    }
    phx_free(dense);
    return PHX_OK;
}

/* Pulsations of the system without its multipliers against those of the model with a revolute joint. */
static phx_status put_pulsations(phx_item *item, const phx_descriptor *joined, const phx_modes_table *modes)
{
    phx_ss *reduced = NULL;
    double *im = NULL, *omega = NULL, found[MOST_MODES] = {0.0}, worst = 0.0;
    phx_status status = phx_ss_from_descriptor(item->context, joined, &reduced);

    if (!status) {
        im = phx_calloc(item->context, (size_t)phx_ss_n(reduced), sizeof *im);
        omega = phx_calloc(item->context, (size_t)phx_ss_n(reduced), sizeof *omega);
        status = im && omega ? phx_ss_poles(item->context, reduced, NULL, im, omega, NULL) : PHX_ERR_MEMORY;
    }
    int count = 0;
    for (int k = 0; !status && k < phx_ss_n(reduced) && count < MOST_MODES; k++)
        if (im[k] > 0.0 && omega[k] > LOWEST)
            found[count++] = omega[k];
    for (int k = 0; k < modes->n_rows; k++)
        worst = k < count ? fmax(worst, fabs(found[k] / modes->rows[k].omega - 1.0)) : NAN;
    if (!status)
        phx_item_row(item, "multipliers eliminated, 6 pulsations: largest relative difference from a joint", "", worst,
                     phx_reference_zero(1e-9));
    phx_ss_destroy(reduced);
    phx_free(im);
    phx_free(omega);
    return status;
}

static phx_status put_comparison(phx_item *item, const phx_descriptor *transformer, const phx_descriptor *gyrator,
                                 const phx_modes_table *modes)
{
    double of_J, of_E, skew;
    phx_status status = difference(item->context, phx_descriptor_J(transformer), phx_descriptor_J(gyrator), &of_J);

    if (!status)
        status = difference(item->context, phx_descriptor_E(transformer), phx_descriptor_E(gyrator), &of_E);
    if (!status)
        status = difference(item->context, phx_descriptor_J(transformer), NULL, &skew);
    if (status)
        return status;
    phx_item_row(item, "J by transformer and by gyrator: largest difference", "", of_J, phx_no_reference());
    phx_item_row(item, "E by transformer and by gyrator: largest difference", "", of_E, phx_no_reference());
    phx_item_row(item, "J + Jᵀ of the interconnected system", "", skew, phx_reference_zero(0.0));
    return put_pulsations(item, transformer, modes);
}

phx_status phx_item_joint(phx_item *item)
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table modes = {0};
    phx_model *apart = NULL, *jointed = NULL;
    phx_descriptor *beams = NULL, *transformer = NULL, *gyrator = NULL;
    const double theta = 40.0 * PHX_PI / 180.0, R[4] = {cos(theta), -sin(theta), sin(theta), cos(theta)};
    char *text = NULL;
    phx_status status = phx_item_model(item, "two_beams.yaml", NULL, 0, NULL, &apart);

    options.count = MODES;
    if (!status)
        status = describe(item, apart, &beams);
    if (!status)
        status = phx_descriptor_transformer(item->context, beams, first, second, R, &transformer);
    if (!status)
        status = by_gyrator(item->context, beams, R, &gyrator);
    if (!status)
        status =
            phx_item_edit(item->context, phx_reproduce_file("two_beams.yaml"),
                          "modes:", "joints:\n  hinge: {kind: revolute, ports: [first.C, second.P]}\n\nmodes:", &text);
    if (!status)
        status = phx_item_model(item, "two_beams.yaml", text, 0, NULL, &jointed);
    if (!status)
        status = phx_study_modes(item->context, jointed, &options, &modes, NULL);
    if (!status)
        status = put_comparison(item, transformer, gyrator, &modes);
    phx_modes_free(&modes);
    phx_descriptor_destroy(beams);
    phx_descriptor_destroy(transformer);
    phx_descriptor_destroy(gyrator);
    phx_model_destroy(jointed);
    phx_model_destroy(apart);
    phx_free(text);
    return status;
}
