/* The kind of a file of Phlexor; private to the layer results. */
#ifndef PHX_RESULTS_KIND_H
#define PHX_RESULTS_KIND_H

#include "base/base.h"

typedef enum phx_file_kind { PHX_FILE_SIMULATION, PHX_FILE_MODES, PHX_FILE_LINEAR } phx_file_kind;
enum { PHX_FILE_KINDS = 3 };

/* HDF5 files have their format written in them; a csv file is of a simulation unless it has the columns that only a
 * table of modes has. PHX_ERR_FILE when it cannot be read or is neither. */
phx_status phx_file_find_kind(phx_context *context, const char *path, phx_file_kind *kind);

#endif
