/* The picture that a file is for. */
#include "h5.h"
#include "plot.h"

#include <string.h>

typedef phx_status plotter(phx_context *context, const char *path, const char *svg_path);

static phx_status plot_linear(phx_context *context, const char *path, const char *svg_path)
{
    return phx_plot_linear(context, path, svg_path, NULL);
}

/* HDF5 files have their format written in them. */
static phx_status of_hdf5(phx_context *context, const char *path, plotter **plot)
{
    phx_h5 *file = NULL;
    char *format = NULL;
    phx_status status = phx_h5_open(context, path, &file);
    if (!status)
        status = phx_h5_get_text(file, "/", "format", &format);
    if (!status && strcmp(format, PHX_FORMAT_MODES) == 0)
        *plot = phx_plot_modes;
    else if (!status && strcmp(format, PHX_FORMAT_EXCHANGE) == 0)
        *plot = plot_linear;
    phx_free(format);
    phx_h5_close(file);
    return status;
}

/* Tables of modes have columns that only they have. */
static phx_status of_csv(phx_context *context, const char *path, plotter **plot)
{
    phx_csv csv;
    const phx_status status = phx_csv_read(context, path, &csv);
    if (status)
        return status;
    if (phx_csv_find(&csv, "mode") >= 0 && phx_csv_find(&csv, "branch") >= 0)
        *plot = phx_plot_modes;
    phx_csv_free(&csv);
    return PHX_OK;
}

phx_status phx_plot_file(phx_context *context, const char *path, const char *svg_path)
{
    plotter *plot = phx_plot_result;
    const phx_status status = phx_h5_is_hdf5(path) ? of_hdf5(context, path, &plot) : of_csv(context, path, &plot);
    return status ? status : plot(context, path, svg_path);
}
