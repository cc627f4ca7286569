/* The plants of a sweep as a linear fractional transformation. */
#include "plants.h"

#include <math.h>

/* Fits the family by an LFT in the parameters. With automatic degrees, warns if its error exceeds the one asked for
 * (1e-6 by default) or cannot be determined between the points. */
phx_status phx_plants_fit(phx_context *context, const phx_lft_options *options, phx_plants *plants)
{
    static const double DEFAULT_ERROR = 1e-6; /* relative */
    const phx_plant_family family = {.n_parameters = plants->n_parameters,
                                     .n_points = plants->n_points,
                                     .parameters = plants->parameters,
                                     .counts = plants->counts,
                                     .values = plants->values,
                                     .plants = plants->plants,
                                     .nominal = plants->nominal};
    const phx_status status = phx_lft_create(context, &family, options, &plants->lft);

    if (!status && !options->degrees) {
        const phx_lft_report *report = phx_lft_about(plants->lft).report;
        const double aim = options->error > 0.0 ? options->error : DEFAULT_ERROR;
        const double error = fmax(report->fit, report->held_out); /* NAN: of the fit alone */
        if (error > aim)
            phx_log(context, PHX_LOG_WARNING,
                    "the polynomials of the LFT have an error of %.3g, more than %.3g; use more values in the sweep or "
                    "a smaller range",
                    error, aim);
        else if (isnan(report->held_out))
            phx_log(context, PHX_LOG_WARNING,
                    "the sweep has too few values to estimate the error of the LFT between them; use three or more for "
                    "each parameter");
    }
    return status;
}

/* ---- in the file ---- */
typedef const char *name_of(const phx_ss *system, int k);

static phx_status plants_lft_add_names(phx_context *context, phx_bundle *bundle, const char *item, const phx_ss *system,
                                       int count, name_of *of)
{
    const char **names = phx_calloc(context, (size_t)count + 1, sizeof *names);
    if (!names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count; k++)
        names[k] = of(system, k);
    phx_bundle_add_names(bundle, item, count, names);
    phx_free((void *)names);
    return phx_bundle_status(bundle);
}

/* Adds state space M of the LFT with named inputs, outputs and states to the bundle. */
static phx_status add_system(phx_context *context, phx_bundle *bundle, const phx_ss *system)
{
    const int n = phx_ss_n(system), m = phx_ss_inputs(system), p = phx_ss_outputs(system);

    phx_bundle_add_matrix(bundle, "lft_A", n, n, phx_ss_A(system), NULL);
    phx_bundle_describe(bundle, "M of the upper LFT: x' = A x + B (w, u), (v, y) = C x + D (w, u), w = Delta v", NULL);
    phx_bundle_add_matrix(bundle, "lft_B", n, m, phx_ss_B(system), NULL);
    phx_bundle_describe(bundle, "columns: w of Delta, then inputs", NULL);
    phx_bundle_add_matrix(bundle, "lft_C", p, n, phx_ss_C(system), NULL);
    phx_bundle_describe(bundle, "rows: v of Delta, then outputs", NULL);
    phx_bundle_add_matrix(bundle, "lft_D", p, m, phx_ss_D(system), NULL);
    phx_bundle_describe(bundle, "direct feedthrough of (w, u) to (v, y)", NULL);
    phx_status status = plants_lft_add_names(context, bundle, "lft_inputs", system, m, phx_ss_input);
    if (!status)
        status = plants_lft_add_names(context, bundle, "lft_outputs", system, p, phx_ss_output);
    return status ? status : plants_lft_add_names(context, bundle, "lft_states", system, n, phx_ss_state);
}

/* Adds the blocks of Delta to the bundle: parameters, repetitions, ranges and degrees of the polynomials. */
static phx_status add_blocks(phx_context *context, phx_bundle *bundle, const phx_lft *lft)
{
    const int n = phx_lft_about(lft).n_parameters;
    const size_t count = (size_t)n;
    double *sizes = phx_calloc(context, 4 * count + 1, sizeof *sizes), *degrees = phx_behind(sizes, count),
           *range = phx_behind(degrees, count);
    const char **names = phx_calloc(context, count + 1, sizeof *names);
    const phx_status status = sizes && names ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < n && !status; k++) {
        double centre, half;
        centre = phx_lft_about(lft).centre[k];
        half = phx_lft_about(lft).half_width[k];
        names[k] = phx_lft_about(lft).parameters[k];
        sizes[k] = phx_lft_about(lft).repetitions[k];
        degrees[k] = phx_lft_about(lft).degrees[k];
        range[2 * k] = centre - half;
        range[2 * k + 1] = centre + half;
    }
    if (!status) {
        phx_bundle_add_names(bundle, "lft_parameters", n, names);
        phx_bundle_add_matrix(bundle, "lft_blocks", n, 1, sizes, NULL);
        phx_bundle_describe(bundle,
                            "Delta = diag(delta_k I), rows: sizes of its blocks, in the order of lft_parameters", NULL);
        phx_bundle_add_matrix(bundle, "lft_range", n, 2, range, NULL);
        phx_bundle_describe(bundle, "values of the parameters at delta = -1 and 1, between which they are linear",
                            NULL);
        phx_bundle_add_matrix(bundle, "lft_degree", n, 1, degrees, NULL);
        phx_bundle_describe(bundle, "of the polynomials", NULL);
    }
    phx_free(sizes);
    phx_free((void *)names);
    return status ? status : phx_bundle_status(bundle);
}

/* Adds the LFT to the bundle: M, the blocks of Delta and those errors that could be determined. */
phx_status phx_plants_put_lft(phx_context *context, const phx_plants *plants)
{
    const phx_lft_report *report = phx_lft_about(plants->lft).report;
    const struct {
        const char *name;
        double value;
        const char *meaning;
    } numbers[] = {
        {"lft_error_fit", report->fit, "largest error of the polynomials at the plants, in units of energy"},
        {"lft_error_held_out", report->held_out, "the same at inner values of each parameter, left out"},
        {"lft_error_realisation", report->realisation, "largest difference of the LFT from the polynomials"},
        {"lft_error_response", report->response, "of frequency responses, relative to the largest nearby"},
    };
    phx_status status = add_system(context, plants->bundle, phx_lft_about(plants->lft).system);

    if (!status)
        status = add_blocks(context, plants->bundle, plants->lft);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !status; k++)
        if (!isnan(numbers[k].value)) {
            phx_bundle_add_number(plants->bundle, numbers[k].name, numbers[k].value);
            phx_bundle_describe(plants->bundle, numbers[k].meaning, NULL);
        }
    return status ? status : phx_bundle_status(plants->bundle);
}

/* ---- for reading ---- */
void phx_plants_print_lft(const phx_plants *plants, FILE *stream)
{
    const phx_lft *lft = plants->lft;
    const phx_lft_report *report = phx_lft_about(lft).report;

    fprintf(stream, "\nLFT: polynomials through %s, closed by Delta\n",
            report->second_order ? "M, D, K and the matrices of inputs and outputs" : "A, B, C, D");
    fprintf(stream, "  %-20s %14s %14s %8s %8s\n", "parameter", "delta = -1", "delta = 1", "degree", "block");
    for (int k = 0; k < phx_lft_about(lft).n_parameters; k++) {
        double centre, half;
        centre = phx_lft_about(lft).centre[k];
        half = phx_lft_about(lft).half_width[k];
        fprintf(stream, "  %-20s %14.7g %14.7g %8d %8d\n", phx_lft_about(lft).parameters[k], centre - half,
                centre + half, phx_lft_about(lft).degrees[k], phx_lft_about(lft).repetitions[k]);
    }
    fprintf(stream, "  %-28s %.3e   at the plants\n", "error, of the matrices", report->fit);
    if (isnan(report->held_out))
        fprintf(stream, "  %-28s none        too few values for this degree\n", "");
    else
        fprintf(stream, "  %-28s %.3e   at values left out of the fit\n", "", report->held_out);
    fprintf(stream, "  %-28s %.3e   of the LFT from the polynomials\n", "difference", report->realisation);
    fprintf(stream, "  %-28s %.3e   at plant %d, %.4g rad/s, from %.3g to %.3g rad/s\n", "error, of the response",
            report->response, report->response_point + 1, report->response_omega, report->band[0], report->band[1]);
}
