/* The kind of a file of Phlexor. */
#include "kind.h"
#include "file/file.h"
#include "results/results.h"

#include <string.h>

static phx_status of_hdf5(phx_context *context, const char *path, phx_file_kind *kind)
{
    char *format = NULL;
    const phx_status status = phx_file_format(context, path, &format);
    if (!status && strcmp(format, PHX_FORMAT_MODES) == 0)
        *kind = PHX_FILE_MODES;
    else if (!status && strcmp(format, PHX_FORMAT_EXCHANGE) == 0)
        *kind = PHX_FILE_LINEAR;
    phx_free(format);
    return status;
}

static phx_status of_csv(phx_context *context, const char *path, phx_file_kind *kind)
{
    phx_csv csv;
    const phx_status status = phx_csv_read(context, path, NULL, &csv);
    if (status)
        return status;
    if (phx_csv_find(&csv, "mode") >= 0 && phx_csv_find(&csv, "branch") >= 0)
        *kind = PHX_FILE_MODES;
    phx_csv_free(&csv);
    return PHX_OK;
}

phx_status phx_file_find_kind(phx_context *context, const char *path, phx_file_kind *kind)
{
    *kind = PHX_FILE_SIMULATION;
    return phx_h5_is_hdf5(path) ? of_hdf5(context, path, kind) : of_csv(context, path, kind);
}
