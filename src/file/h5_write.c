/* Writing HDF5 files: the first failure sticks. */
#define _XOPEN_SOURCE 700
#include "h5_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Creates an HDF5 file for writing; *created is NULL after a failure. */
phx_status phx_h5_create(phx_context *context, const char *path, phx_h5 **created)
{
    *created = NULL;
    if (phx_load_hdf5(context))
        return PHX_ERR_LIBRARY;
    phx_h5 *file = phx_calloc(context, 1, sizeof *file);
    if (!file)
        return PHX_ERR_MEMORY;
    *file = (phx_h5){
        .context = context, .file = -1, .text_type = -1, .writing = true, .target = {.descriptor = -1, .driver = -1}};
    const h5_quiet quiet = phx_h5_quiet();
    file->path = phx_strdup(context, path);
    if (!file->path) {
        file->status = PHX_ERR_MEMORY;
        goto cleanup;
    }
    file->target.descriptor = phx_file_create(path);
    if (file->target.descriptor < 0) {
        file->status = phx_file_fail(context, path, "create", errno);
        goto cleanup;
    }
    file->file = phx_h5_target_create(&file->target, path);
    if (file->file < 0)
        phx_h5_fail(file, "create", "the file");
    else
        phx_h5_text_type(file);
cleanup:
    phx_h5_loud(quiet);
    phx_status status = file->status;
    if (status)
        phx_h5_close(file);
    else
        *created = file;
    return status;
}

/* Record a failure after a call of HDF5 that returned `result`. */
static void h5_write_settle(phx_h5 *file, herr_t result, const char *part)
{
    if (file->target.error)
        file->status = phx_file_fail(file->context, file->path, "write", file->target.error);
    else if (result < 0)
        phx_h5_fail(file, "write", part);
}

static hid_t object_creation(hid_t class)
{
    const hid_t creation = H5Pcreate(class);
    if (creation >= 0 && H5Pset_obj_track_times(creation, false) < 0) {
        H5Pclose(creation);
        return -1;
    }
    return creation;
}

/* Creates a group that keeps the order of its links; an error stays in the file's status. */
void phx_h5_make_group(phx_h5 *file, const char *path)
{
    if (file->status)
        return;
    const h5_quiet quiet = phx_h5_quiet();
    const hid_t creation = object_creation(H5P_GROUP_CREATE);
    hid_t group = -1;
    if (creation >= 0 && H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
        group = H5Gcreate2(file->file, path, H5P_DEFAULT, creation, H5P_DEFAULT);
    h5_write_settle(file, group < 0 ? -1 : 0, path);
    if (group >= 0)
        H5Gclose(group);
    if (creation >= 0)
        H5Pclose(creation);
    phx_h5_loud(quiet);
}

/* Writes a scalar attribute of a group or dataset, stored in the given type; an error stays in the file's status. */
static void set_attribute(phx_h5 *file, const char *path, const char *name, hid_t memory, hid_t stored,
                          const void *value)
{
    if (file->status)
        return;
    const h5_quiet quiet = phx_h5_quiet();
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t object = H5Oopen(file->file, path, H5P_DEFAULT);
    const hid_t attribute =
        space < 0 || object < 0 ? -1 : H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    h5_write_settle(file, attribute < 0 ? -1 : H5Awrite(attribute, memory, value), name);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (object >= 0)
        H5Oclose(object);
    if (space >= 0)
        H5Sclose(space);
    phx_h5_loud(quiet);
}

void phx_h5_set_text(phx_h5 *file, const char *object, const char *name, const char *text)
{
    text = text ? text : "";
    set_attribute(file, object, name, file->text_type, file->text_type, &text);
}

void phx_h5_set_number(phx_h5 *file, const char *object, const char *name, double value)
{
    set_attribute(file, object, name, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, &value);
}

void phx_h5_set_integer(phx_h5 *file, const char *object, const char *name, int value)
{
    set_attribute(file, object, name, H5T_NATIVE_INT, H5T_STD_I32LE, &value);
}

/* Texts are converted a thousand at a time: by itself HDF5 clears two buffers of a megabyte for each dataset of them.
 */
static hid_t text_transfer(void)
{
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    if (transfer >= 0 && H5Pset_buffer(transfer, 1 << 14, NULL, NULL) < 0) {
        H5Pclose(transfer);
        return -1;
    }
    return transfer;
}

/* Make a dataset of the given extent and write it whole, or leave it to be written when `values` is NULL. `place` not
 * NULL: HDF5 gives it its bytes in the file at once, from *place on; of no meaning without any. */
static void put_dataset(phx_h5 *file, const char *path, int rank, const hsize_t *extent, hid_t memory, hid_t stored,
                        const void *values, haddr_t *place)
{
    if (file->status)
        return;
    const h5_quiet quiet = phx_h5_quiet();
    const hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    const hid_t creation = object_creation(H5P_DATASET_CREATE);
    hid_t dataset = -1;
    /* Every value is written, so the file need not be filled first. */
    if (space >= 0 && creation >= 0 &&
        (memory == file->text_type || H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0) &&
        (!place || H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0))
        dataset = H5Dcreate2(file->file, path, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    herr_t result = dataset < 0 ? -1 : 0;
    const hid_t transfer = memory == file->text_type ? text_transfer() : H5P_DEFAULT;
    if (dataset >= 0 && values)
        result = transfer < 0 ? -1 : H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, transfer, values);
    if (dataset >= 0 && place) {
        *place = H5Dget_offset(dataset);
        result = extent[0] > 0 && *place == HADDR_UNDEF ? -1 : result;
    }
    h5_write_settle(file, result, path);
    if (transfer > H5P_DEFAULT)
        H5Pclose(transfer);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (creation >= 0)
        H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    phx_h5_loud(quiet);
}

void phx_h5_put_text(phx_h5 *file, const char *path, const char *text)
{
    text = text ? text : "";
    put_dataset(file, path, 0, NULL, file->text_type, file->text_type, &text, NULL);
}

void phx_h5_put_names(phx_h5 *file, const char *path, int count, const char *const *names)
{
    const hsize_t extent = (hsize_t)count;
    put_dataset(file, path, 1, &extent, file->text_type, file->text_type, count ? names : NULL, NULL);
}

void phx_h5_put_integers(phx_h5 *file, const char *path, int count, const int *values)
{
    const hsize_t extent = (hsize_t)count;
    put_dataset(file, path, 1, &extent, H5T_NATIVE_INT, H5T_STD_I32LE, count ? values : NULL, NULL);
}

/* Writes a complex matrix as pairs of real and imaginary part; an error stays in the file's status. */
static void put_complex(phx_h5 *file, const char *path, const hsize_t extent[2], const double *real,
                        const double *imaginary)
{
    const size_t count = (size_t)(extent[0] * extent[1]);
    double *pairs = phx_calloc(file->context, 2 * count, sizeof *pairs);
    const hid_t memory = phx_h5_complex_type(H5T_NATIVE_DOUBLE), stored = phx_h5_complex_type(H5T_IEEE_F64LE);
    for (size_t i = 0; pairs && i < count; i++) {
        pairs[2 * i] = real[i];
        pairs[2 * i + 1] = imaginary[i];
    }
    if (!pairs)
        file->status = PHX_ERR_MEMORY;
    else if (memory < 0 || stored < 0)
        h5_write_settle(file, -1, path);
    else
        put_dataset(file, path, 2, extent, memory, stored, count ? pairs : NULL, NULL);
    if (memory >= 0)
        H5Tclose(memory);
    if (stored >= 0)
        H5Tclose(stored);
    phx_free(pairs);
}

void phx_h5_put_matrix(phx_h5 *file, const char *path, size_t rows, size_t cols, const double *real,
                       const double *imaginary)
{
    const hsize_t extent[2] = {rows, cols};
    if (file->status)
        return;
    if (imaginary)
        put_complex(file, path, extent, real, imaginary);
    else
        put_dataset(file, path, 2, extent, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, rows && cols ? real : NULL, NULL);
}

void phx_h5_put_array(phx_h5 *file, const char *path, size_t pages, size_t rows, size_t cols, const double *values)
{
    const hsize_t extent[3] = {pages, rows, cols};
    put_dataset(file, path, 3, extent, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, pages && rows && cols ? values : NULL, NULL);
}

void phx_h5_put_number(phx_h5 *file, const char *path, double value)
{
    put_dataset(file, path, 0, NULL, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, &value, NULL);
}

void phx_h5_make_rows(phx_h5 *file, const char *path, size_t rows, size_t cols)
{
    const hsize_t extent[2] = {rows, cols};
    put_dataset(file, path, cols ? 2 : 1, extent, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, NULL, NULL);
}

/* Writes `count` rows of an existing dataset from row `first` on; an error stays in the file's status. */
void phx_h5_put_rows(phx_h5 *file, const char *path, size_t first, size_t count, const double *values)
{
    hsize_t extent[2] = {0, 1}, start[2] = {first, 0};
    if (file->status || count == 0)
        return;
    const h5_quiet quiet = phx_h5_quiet();
    const hid_t dataset = H5Dopen2(file->file, path, H5P_DEFAULT);
    const hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    const int rank = space < 0 ? 0 : H5Sget_simple_extent_dims(space, extent, NULL);
    extent[0] = count;
    const hid_t memory = rank < 1 ? -1 : H5Screate_simple(rank, extent, NULL);
    herr_t result = -1;
    if (memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0)
        result = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
    h5_write_settle(file, result, path);
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    phx_h5_loud(quiet);
}

/* Numbers are stored as the processor has them. */
unsigned long long phx_h5_place_rows(phx_h5 *file, const char *path, size_t rows, size_t cols)
{
    const hsize_t extent[2] = {rows, cols};
    haddr_t place = 0;
    put_dataset(file, path, cols ? 2 : 1, extent, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, NULL, &place);
    return place;
}

void phx_h5_put_at(phx_h5 *file, unsigned long long place, size_t before, size_t count, const double *values)
{
    if (file->status || count == 0)
        return;
    phx_h5_target_write(&file->target, place + before * sizeof *values, count * sizeof *values, values);
    h5_write_settle(file, 0, "numbers");
}

/* Closes a written file with its checksum and waits until the disk has it. Frees the file object and returns the first
 * error of all writing. */
phx_status phx_h5_finish(phx_h5 *file)
{
    const h5_quiet quiet = phx_h5_quiet();
    const herr_t closed = H5Fclose(file->file);
    file->file = -1;
    if (!file->status)
        h5_write_settle(file, closed, "the end of the file");
    phx_h5_loud(quiet);
    if (!file->status)
        file->status = phx_h5_append_checksum(file->context, file->path, file->target.descriptor);
    if (!file->status && fsync(file->target.descriptor) != 0)
        file->status = phx_file_fail(file->context, file->path, "write", errno);
    const int result = close(file->target.descriptor);
    file->target.descriptor = -1;
    if (!file->status && result != 0 && errno != EINTR)
        file->status = phx_file_fail(file->context, file->path, "write", errno);
    const phx_status status = file->status;
    phx_h5_close(file);
    return status;
}

/* Closes a file without completing it and frees the object; NULL is allowed. */
void phx_h5_close(phx_h5 *file)
{
    if (!file)
        return;
    const h5_quiet quiet = phx_h5_quiet();
    if (file->text_type >= 0)
        H5Tclose(file->text_type);
    if (file->file >= 0)
        H5Fclose(file->file);
    phx_h5_target_forget(&file->target);
    phx_h5_loud(quiet);
    if (file->target.descriptor >= 0)
        close(file->target.descriptor);
    phx_free(file->path);
    phx_free(file);
}
