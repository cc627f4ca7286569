/* The picture that a file is for. */
#include "kind.h"
#include "plot.h"

static phx_status plot_linear(phx_context *context, const char *path, const char *svg_path)
{
    return phx_plot_linear(context, path, svg_path, NULL);
}

phx_status phx_plot_file(phx_context *context, const char *path, const char *svg_path)
{
    static phx_status (*const plots[PHX_FILE_KINDS])(phx_context *, const char *,
                                                     const char *) = {phx_plot_result, phx_plot_modes, plot_linear};
    phx_file_kind kind;
    const phx_status status = phx_file_find_kind(context, path, &kind);
    return status ? status : plots[kind](context, path, svg_path);
}
