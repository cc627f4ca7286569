/* A file driver of HDF5 that writes to a descriptor and stores the first failure without telling HDF5 (h5_internal.h).
 */
#define _XOPEN_SOURCE 700
#include "h5_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* An open file; HDF5 knows the first member only. */
typedef struct driver_file {
    H5FD_t base;
    h5_target *target;
    haddr_t end; /* of what HDF5 has allocated */
} driver_file;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t limit)
{
    (void)name;
    (void)flags;
    (void)limit;
    h5_target *const *target = H5Pget_driver_info(access);
    driver_file *file = target ? phx_calloc(NULL, 1, sizeof *file) : NULL;
    if (!file)
        return NULL;
    file->target = *target;
    return &file->base;
}

static herr_t driver_close(H5FD_t *base)
{
    phx_free(base);
    return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_end(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)(const void *)base)->end;
}

static herr_t driver_set_end(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((driver_file *)(void *)base)->end = address;
    return 0;
}

static haddr_t driver_get_size(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)(const void *)base)->target->size;
}

/* Reads bytes for HDF5; places after the end of the file read as zero. */
static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *bytes)
{
    (void)type;
    (void)transfer;
    const h5_target *target = ((const driver_file *)(const void *)base)->target;
    char *to = bytes;
    while (size > 0) {
        const ssize_t n = pread(target->descriptor, to, size, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* behind the end, or what could not be written */
            break;
        to += n;
        address += (haddr_t)n;
        size -= (size_t)n;
    }
    memset(to, 0, size);
    return 0;
}

/* Writes bytes at an address and remembers the size of the file and the first error, after which nothing more is
 * written. */
void phx_h5_target_write(h5_target *target, unsigned long long address, size_t size, const void *bytes)
{
    const char *from = bytes;
    if (address + size > target->size)
        target->size = address + size;
    while (size > 0 && !target->error) {
        const ssize_t n = pwrite(target->descriptor, from, size, (off_t)address);
        if (n > 0) {
            from += n;
            address += (unsigned long long)n;
            size -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            target->error = n == 0 ? EIO : errno;
        }
    }
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *bytes)
{
    (void)type;
    (void)transfer;
    phx_h5_target_write(((driver_file *)(void *)base)->target, address, size, bytes);
    return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    const driver_file *file = (const driver_file *)(const void *)base;
    h5_target *target = file->target;
    if (file->end != target->size && !target->error && ftruncate(target->descriptor, (off_t)file->end) != 0)
        target->error = errno;
    target->size = file->end;
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* in the range that HDF5 leaves to drivers that are not registered with it */
#endif
    .name = "phlexor",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(h5_target *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_end,
    .set_eoa = driver_set_end,
    .get_eof = driver_get_size,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Creates an HDF5 file on the target's descriptor in a format without clock times, so that the same contents give the
 * same bytes; negative if this fails. */
hid_t phx_h5_target_create(h5_target *target, const char *path)
{
    target->driver = H5FDregister(&driver_class);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = -1;
    if (target->driver < 0 || access < 0 || creation < 0 || H5Pset_driver(access, target->driver, &target) < 0)
        goto cleanup;
    /* The oldest format that keeps the order of creation and large attributes; no clock times in it. */
    if (H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 || H5Pset_obj_track_times(creation, false) < 0 ||
        H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) < 0)
        goto cleanup;
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
cleanup:
    if (creation >= 0)
        H5Pclose(creation);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

void phx_h5_target_forget(h5_target *target)
{
    if (target->driver >= 0)
        H5FDunregister(target->driver);
    target->driver = -1;
}
