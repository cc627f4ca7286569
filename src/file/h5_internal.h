/* Types and functions shared by the files of the HDF5 wrapper. */
#ifndef PHX_RESULTS_H5_INTERNAL_H
#define PHX_RESULTS_H5_INTERNAL_H

#include "file.h"

#include <loaded/hdf5.h>

/* The target of a file being written. HDF5 is not told of a failed write, because it cannot close a file after one and
 * crashes the process at exit. The first errno is stored here instead. */
typedef struct h5_target {
    int descriptor;
    int error;    /* errno of the first failure; 0: none */
    haddr_t size; /* size that the file would have without the failure, bytes */
    hid_t driver; /* negative: none */
} h5_target;

struct phx_h5 {
    phx_context *context;
    char *path;
    hid_t file;
    hid_t text_type;
    bool writing;
    h5_target target;
    phx_status status;
};

/* Stops HDF5 from printing errors; phx_h5_loud restores its setting. */
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

/* Append the checksum (h5_checksum.c) to a file that is complete; `descriptor` is open for reading and writing. */
phx_status phx_h5_append_checksum(phx_context *context, const char *path, int descriptor);
/* PHX_OK when HDF5 may read the file: its bytes are those that were written, or another program wrote it. */
phx_status phx_h5_verify_checksum(phx_context *context, const char *path);

/* Create the file of `target`, which must outlive the id returned; a negative id on failure. */
hid_t phx_h5_target_create(h5_target *target, const char *path);
/* Write bytes at an address, which HDF5 has given to what they are; a failure is stored in the target. */
void phx_h5_target_write(h5_target *target, unsigned long long address, size_t size, const void *bytes);
/* Forget the driver, after the file is closed. */
void phx_h5_target_forget(h5_target *target);

#endif
