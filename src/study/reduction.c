/* Error and passivity of a reduced linear model, for reading and in its file. */
#include "internal.h"

#include <math.h>
#include <string.h>

/* ---- for reading ---- */
enum { ACROSS = 64, DOWN = 13 };

/* Row of a value on a logarithmic scale from `low` at the bottom to `high`; -1: below. */
static int row_of(double value, double low, double high)
{
    if (!(value > low))
        return -1;
    const int row = (int)((DOWN - 1) * log(value / low) / log(high / low) + 0.5);
    return row < DOWN ? row : DOWN - 1;
}

/* Puts a curve into the picture: its largest value in each column. */
static void reduction_draw(const phx_reduction_curves *curves, const double *values, char mark, double low, double high,
                           char picture[DOWN][ACROSS + 1])
{
    const double first = curves->omega[0], last = curves->omega[curves->count - 1];
    double most[ACROSS] = {0.0};

    for (int k = 0; k < curves->count; k++) {
        const int column = (int)((ACROSS - 1) * log(curves->omega[k] / first) / log(last / first) + 0.5);
        most[column] = fmax(most[column], values[k]);
    }
    for (int column = 0; column < ACROSS; column++) {
        const int row = row_of(most[column], low, high);
        if (row >= 0)
            picture[row][column] = mark;
    }
}

/* Draws singular values of model, reduced model and error over frequency as text, six decades high. Nothing is drawn
 * without a positive response and a range of frequencies. */
static void put_bode(const phx_reduction_curves *curves, FILE *stream)
{
    static const double LOWEST = 1e-6; /* of the peak: where the picture ends */
    char picture[DOWN][ACROSS + 1];
    double high = 0.0;

    for (int k = 0; k < curves->count; k++)
        high = fmax(high, curves->model[k]);
    if (!(high > 0.0) || !(curves->omega[curves->count - 1] > curves->omega[0]))
        return;
    const double low = LOWEST * high;
    for (int row = 0; row < DOWN; row++) {
        memset(picture[row], ' ', ACROSS);
        picture[row][ACROSS] = 0;
    }
    reduction_draw(curves, curves->error, '.', low, high, picture);
    reduction_draw(curves, curves->model, 'o', low, high, picture);
    reduction_draw(curves, curves->reduced, '*', low, high, picture);
    fputs("\n  largest singular value of scaled ports: * reduced, o model where it differs, . error\n", stream);
    for (int row = DOWN - 1; row >= 0; row--)
        if (row % 2 == 0)
            fprintf(stream, "  %9.1e |%s\n", low * pow(high / low, (double)row / (DOWN - 1)), picture[row]);
        else
            fprintf(stream, "  %9s |%s\n", "", picture[row]);
    fprintf(stream, "  %9s +", "");
    for (int k = 0; k < ACROSS; k++)
        fputc('-', stream);
    fprintf(stream, "\n  %9s %-*.4g%.4g rad/s\n", "", ACROSS - 8, curves->omega[0], curves->omega[curves->count - 1]);
}

/* Writes method, sizes, errors, bounds and passivity of a reduction as text, followed by the frequency response;
 * values that are not defined are left out. */
void phx_reduction_text(const phx_reduction *reduction, FILE *stream)
{
    static const double PASSIVE = 1e-12; /* negative eigenvalue, relative to the largest entry; less is rounding */
    const phx_reduction_report *r = phx_reduction_about(reduction);

    fprintf(stream, "\nreduced by %s: %d of %d elastic coordinates, %d rigid, %d prescribed motions exact; %d states\n",
            phx_reduction_method_name(r->method), r->order, r->full, r->rigid, r->held, r->states);
    if (r->held > 0)
        fprintf(stream, "  %-28s exact: errors are of the rest of the efforts\n", "inertia, static stiffness");
    fprintf(stream, "  %-28s %.3e   %s, at %.4g rad/s\n", "error, H infinity", r->error,
            r->certified ? "certified" : "an estimate from below", r->error_omega);
    if (!isnan(r->error_local))
        fprintf(stream, "  %-28s %.3e   at each frequency of the band, rigid motions included\n",
                "error, of the response", r->error_local);
    if (!isnan(r->bound))
        fprintf(stream, "  %-28s %.3e   a priori, of the modes left out\n", "bound", r->bound);
    if (!isnan(r->error_h2))
        fprintf(stream, "  %-28s %.3e\n", "error, H2", r->error_h2);
    if (r->damping > 0.0)
        fprintf(stream, "  %-28s %.3g   modal, in place of the model's for choice and error\n", "measured with damping",
                r->damping);
    if (r->iterations > 0)
        fprintf(stream, "  %-28s %d\n", "iterations", r->iterations);
    if (r->feedthrough > 0.0)
        fprintf(stream, "  %-28s %.3e   the energy of this model is a storage function, not the mechanism's\n",
                "feedthrough added", r->feedthrough);
    fprintf(stream, "  %-28s %.3e   constraint residual of the basis\n", "|G V|", r->constraints);
    fprintf(stream, "  %-28s %s by structure, least eigenvalue %.3e", "passive",
            r->dissipation > -PASSIVE ? "yes" : "NO", r->dissipation);
    if (isnan(r->passivity.least))
        fputc('\n', stream);
    else
        fprintf(stream, "; %s by the Hamiltonian test\n", r->passivity.passive ? "yes" : "NO");
    put_bode(phx_reduction_bode(reduction), stream);
}

/* ---- in the file ---- */
static void add_numbers(const phx_reduction_report *r, phx_bundle *bundle)
{
    const struct {
        const char *name;
        double value;
        const char *meaning;
    } numbers[] = {
        {"reduction_order", r->order, "elastic coordinates of the reduced model"},
        {"reduction_full", r->full, "elastic modes of the model"},
        {"reduction_error", r->error, "H-infinity norm of the error over that of the model"},
        {"reduction_error_least", r->error_least, "the same from below"},
        {"reduction_error_local", r->error_local, "largest ratio of error and response at one frequency of the band"},
        {"reduction_error_certified", r->certified, "1: reduction_error is an upper bound; 0: an estimate"},
        {"reduction_bound", r->bound, "a-priori bound of the same by the modes left out"},
        {"reduction_bound_sum", r->bound_sum, "the sum of |b_k|^2/(2 zeta_k omega_k) over them, which is above it"},
        {"reduction_error_h2", r->error_h2, "H2 norm of the error over that of the model"},
        {"reduction_damping", r->damping, "modal damping that was measured with; 0: the model's"},
        {"reduction_constraint_residual", r->constraints, "largest |G V| of the basis"},
        {"reduction_dissipation", r->dissipation, "least eigenvalue of W over its largest entry"},
        {"reduction_passive", r->passivity.passive, "1: passive by the Hamiltonian test"},
        {"reduction_iterations", r->iterations, "of the method"},
        {"reduction_feedthrough", r->feedthrough, "added to the scaled ports, relative to the norm"},
    };

    phx_bundle_add_text(bundle, "reduction_method", phx_reduction_method_name(r->method));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!isnan(numbers[k].value)) {
            phx_bundle_add_number(bundle, numbers[k].name, numbers[k].value);
            phx_bundle_describe(bundle, numbers[k].meaning, NULL);
        }
    if (r->feedthrough > 0.0)
        phx_bundle_add_text(bundle, "reduction_energy",
                            "1/2 e^T E^T Q e is a storage function, not the physical energy");
}

static void add_curves(const phx_reduction_curves *curves, phx_bundle *bundle)
{
    phx_bundle_add_matrix(bundle, "reduction_omega", curves->count, 1, curves->omega, NULL);
    phx_bundle_describe(bundle, "frequencies of the curves below", "rad/s");
    phx_bundle_add_matrix(bundle, "reduction_model_gain", curves->count, 1, curves->model, NULL);
    phx_bundle_describe(bundle, "largest singular value of the scaled ports: model", NULL);
    phx_bundle_add_matrix(bundle, "reduction_reduced_gain", curves->count, 1, curves->reduced, NULL);
    phx_bundle_describe(bundle, "the same: reduced model", NULL);
    phx_bundle_add_matrix(bundle, "reduction_error_gain", curves->count, 1, curves->error, NULL);
    phx_bundle_describe(bundle, "the same: error", NULL);
}

/* The responses of the model itself from the inputs to the outputs that it has in state space, for pictures. */
static phx_status add_model(phx_context *context, const phx_linearised *linearised, const phx_reduction_curves *curves,
                            phx_bundle *bundle)
{
    const phx_channels *channels = phx_linearised_channels(linearised);
    const bool sparse = phx_linearised_is_sparse(linearised);
    phx_ss *model = NULL;
    phx_status status = sparse ? PHX_OK : phx_linearised_proper_ss(context, linearised, &model);
    const int p = status ? 0 : sparse ? channels->n_outputs : phx_ss_outputs(model), entries = p * channels->n_inputs;
    const size_t cells = (size_t)curves->count * (size_t)entries;
    double *both = phx_calloc(context, 4 * cells + 1, sizeof *both), *re = phx_behind(both, 2 * cells),
           *im = phx_behind(re, cells);
    const char **outputs = phx_calloc(context, (size_t)p + 1, sizeof *outputs);

    if (!both || !outputs)
        status = PHX_ERR_MEMORY;
    if (!status)
        status =
            sparse ? phx_linearised_responses(context, linearised, curves->count, curves->omega, (double complex *)both)
                   : phx_ss_responses(context, model, curves->count, curves->omega, both);
    for (size_t k = 0; k < cells && !status; k++) {
        re[k] = both[2 * k];
        im[k] = both[2 * k + 1];
    }
    for (int k = 0; k < p && !status; k++)
        outputs[k] = sparse ? channels->outputs[k] : phx_ss_output(model, k);
    if (!status) {
        phx_bundle_add_matrix(bundle, "reduction_model_response", curves->count, entries, re, im);
        phx_bundle_describe(bundle, "the model itself; rows: frequencies, columns: outputs times inputs", NULL);
        phx_bundle_add_names(bundle, "reduction_model_outputs", p, outputs);
    } else if (status == PHX_SINGULAR) { /* a pole without damping at one of the frequencies */
        phx_context_clear(context);
        status = PHX_OK;
    }
    phx_free(both);
    phx_free((void *)outputs);
    phx_ss_destroy(model);
    return status;
}

/* Adds basis, numbers, curves and the compared model of a reduction to the bundle. */
phx_status phx_reduction_add(phx_context *context, const phx_reduction *reduction, const phx_linearised *linearised,
                             phx_bundle *bundle)
{
    int n = 0, count = 0;
    const double *basis = phx_reduction_basis(reduction, &n, &count);
    const char **names = phx_calloc(context, (size_t)n + 1, sizeof *names);

    if (!names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        names[k] = phx_linearised_coordinate(linearised, k);
    add_numbers(phx_reduction_about(reduction), bundle);
    add_curves(phx_reduction_bode(reduction), bundle);
    phx_bundle_add_matrix(bundle, "basis", n, count, basis, NULL);
    phx_bundle_describe(bundle, "motions xi = basis q, q the first entries of e; rows: motions", NULL);
    phx_bundle_add_names(bundle, "motions", n, names);
    phx_free((void *)names);
    const phx_status status = add_model(context, linearised, phx_reduction_bode(reduction), bundle);
    return status ? status : phx_bundle_status(bundle);
}
