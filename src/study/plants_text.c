/* The plants of a sweep for reading. */
#include "plants.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void put_names(FILE *stream, const char *what, const phx_plants *plants)
{
    const phx_bundle_item *item = phx_bundle_find(plants->bundle, what);
    fprintf(stream, "%-9s", what);
    for (int k = 0; k < item->rows; k++)
        fprintf(stream, "%s%s", k ? ", " : " ", item->names[k]);
    fputc('\n', stream);
}

static void put_sweep(FILE *stream, const phx_plants *plants)
{
    const phx_bundle_item *inputs = phx_bundle_find(plants->bundle, "inputs"),
                          *outputs = phx_bundle_find(plants->bundle, "outputs");
    fprintf(stream, "%d plant%s", plants->n_points, plants->n_points == 1 ? "" : "s");
    for (int k = 0; k < plants->n_parameters; k++)
        fprintf(stream, "%s%d value%s of %s", k == 0 ? ": " : " times ", plants->counts[k],
                plants->counts[k] == 1 ? "" : "s", plants->parameters[k]);
    fprintf(stream, "\n%d states, %d input%s, %d output%s\n\n", phx_ss_n(plants->plants[plants->nominal].system),
            inputs->rows, inputs->rows == 1 ? "" : "s", outputs->rows, outputs->rows == 1 ? "" : "s");
    put_names(stream, "inputs", plants);
    put_names(stream, "outputs", plants);
}

/* Lowest frequency that is not zero, highest frequency, least damping ratio of both. */
static phx_status summarise(phx_context *context, const phx_plant *plant, double summary[3])
{
    const int n = phx_ss_n(plant->system);
    double *omega = phx_calloc(context, 2 * (size_t)n + 1, sizeof *omega), *damping = phx_behind(omega, (size_t)n);
    const phx_status status = omega ? phx_ss_poles(context, plant->system, NULL, NULL, omega, damping) : PHX_ERR_MEMORY;
    const double highest = !status && n > 0 ? omega[n - 1] : 0.0, zero = sqrt(n * DBL_EPSILON) * highest;

    summary[0] = summary[1] = highest;
    summary[2] = HUGE_VAL;
    for (int i = 0; i < n && !status; i++) {
        if (omega[i] <= zero)
            continue;
        summary[0] = fmin(summary[0], omega[i]);
        summary[2] = fmin(summary[2], damping[i]);
    }
    phx_free(omega);
    return status;
}

/* Writes a table of at most 30 plants with parameters, frequency range, least damping and common motion with the
 * nominal plant, which is marked. */
static phx_status put_plants(phx_context *context, const phx_plants *plants, FILE *stream)
{
    enum { MOST = 30 };
    phx_status status = PHX_OK;

    fputs("\n   plant", stream);
    for (int k = 0; k < plants->n_parameters; k++)
        fprintf(stream, " %14s", plants->parameters[k]);
    fprintf(stream, " %14s %14s %14s %14s\n", "lowest rad/s", "highest rad/s", "least damping", "common motion");
    for (int k = 0; k < plants->n_points && !status; k++) {
        double summary[3];
        if (plants->n_points > MOST && k == MOST - 1) {
            fprintf(stream, "         %d more\n", plants->n_points - k);
            break;
        }
        status = summarise(context, &plants->plants[k], summary);
        fprintf(stream, "%c%7d", k == plants->nominal ? '*' : ' ', k + 1);
        for (int i = 0; i < plants->n_parameters; i++)
            fprintf(stream, " %14.7g", phx_plants_values(plants, k)[i]);
        fprintf(stream, " %14.7g %14.7g %14.4g %14.4g\n", summary[0], summary[1],
                isinf(summary[2]) ? 0.0 : summary[2] + 0.0, plants->plants[k].least);
    }
    fputs(plants->form == PHX_FORM_DESCRIPTOR
              ? "* nominal\n"
              : "* nominal: the others are in its modal coordinates; common motion 1: they move as it does\n",
          stream);
    return status;
}

/* Writes a family of plants as text: title, sweep, table of plants and LFT. */
phx_status phx_plants_text(phx_context *context, const phx_plants *plants, FILE *stream)
{
    if (!plants || !stream)
        return phx_fail_null(context, __func__, "plants or stream");
    fprintf(stream, "%s\n", plants->title);
    put_sweep(stream, plants);
    const phx_status status = put_plants(context, plants, stream);
    if (status)
        return status;
    if (plants->lft)
        phx_plants_print_lft(plants, stream);
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return PHX_OK;
    return phx_conclude(context, phx_fail(context, PHX_ERR_FILE, "cannot write the summary: %s", strerror(errno)));
}
