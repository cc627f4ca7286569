/* The picture of a file, by its kind. */
#include "results/store/kind.h"
#include "plot.h"

#include <math.h>

phx_plot_options phx_plot_options_default(void)
{
    return (phx_plot_options){.from = -HUGE_VAL, .to = HUGE_VAL};
}

/* Draws a file by the given kind of picture, or by the kind of the file; an empty range fails. */
phx_status phx_plot(phx_context *context, const char *path, const char *picture_path, const phx_plot_options *given)
{
    if (!path)
        return phx_fail_null(context, __func__, "path");
    static phx_plotter *const of_files[PHX_FILE_KINDS] = {phx_plot_result, phx_plot_modes, phx_plot_linear};
    static phx_plotter *const plotters[] = {
        NULL, phx_plot_columns, phx_plot_spectrum, phx_plot_motion, phx_plot_linear, phx_plot_spy};
    const phx_plot_options options = given ? *given : phx_plot_options_default();
    phx_plotter *plot = options.n_over                          ? phx_plot_map
                        : options.n_inputs || options.n_outputs ? phx_plot_linear
                                                                : plotters[options.kind];
    phx_file_kind kind;
    phx_status status = PHX_OK;
    if (!(options.from < options.to))
        return phx_fail(context, PHX_ERR_INPUT, "the range of a picture goes upward, not from %g to %g", options.from,
                        options.to);
    if (!plot) {
        status = phx_file_find_kind(context, path, &kind);
        plot = status ? NULL : of_files[kind];
    }
    const int others = options.n_others + (options.measured != NULL);
    if (!status && others && plot != phx_plot_result && plot != phx_plot_columns)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: only columns of simulations are drawn for several files in one picture", path);
    if (!status && options.difference && (!others || options.against))
        status =
            phx_fail(context, PHX_ERR_INPUT, "%s: differences are those of other results to this one, over time", path);
    if (status)
        return status;
    phx_files_begin(context);
    status = plot(context, path, picture_path, &options);
    phx_files_end(context);
    return phx_conclude(context, status);
}
