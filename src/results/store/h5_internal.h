/* What the files of the HDF5 wrapper share. */
#ifndef PHX_RESULTS_H5_INTERNAL_H
#define PHX_RESULTS_H5_INTERNAL_H

#include "h5.h"

#include <hdf5.h>

/* Where a file being written goes. HDF5 never learns of a failed write: it cannot close a file after one, and takes the
 * process down at exit. The first errno is kept here instead. */
typedef struct h5_sink {
    int descriptor;
    int error;    /* errno of the first failure; 0: none */
    haddr_t size; /* bytes the file would have without the failure */
    hid_t driver; /* negative: none */
} h5_sink;

struct phx_h5 {
    phx_context *context;
    char *path;
    hid_t file;
    hid_t text_type;
    bool writing;
    h5_sink sink;
    phx_status status;
};

/* HDF5 prints errors unless it is told not to; its setting is put back by phx_h5_loud. */
typedef struct h5_quiet {
    H5E_auto2_t print;
    void *data;
} h5_quiet;
h5_quiet phx_h5_quiet(void);
void phx_h5_loud(h5_quiet quiet);

/* Record the failure of a call of HDF5 on `what` ("read", "write") a part of the file, with HDF5's innermost reason. */
phx_status phx_h5_fail(phx_h5 *file, const char *what, const char *part);
phx_status phx_h5_text_type(phx_h5 *file);
/* A complex number as h5py stores it, a compound of r and i, in the number type given; negative on failure. */
hid_t phx_h5_complex_type(hid_t number);

/* Put the seal (h5_seal.c) behind a file that is complete; `descriptor` is open for reading and writing. */
phx_status phx_h5_seal(phx_context *context, const char *path, int descriptor);
/* The file may be given to HDF5: its bytes are those that were written, or another program made it. */
phx_status phx_h5_check_seal(phx_context *context, const char *path);

/* Create the file of `sink`, which must outlive what is returned; a negative id on failure. */
hid_t phx_h5_sink_create(h5_sink *sink, const char *path);
/* Forget the driver, after the file is closed. */
void phx_h5_sink_forget(h5_sink *sink);

#endif
