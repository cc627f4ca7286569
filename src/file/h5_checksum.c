/* The checksum of an HDF5 file, in a trailer behind its end.
 *
 * HDF5 protects its tables by checksums, but not the texts of variable length nor the values, and it crashes, or never
 * comes back, when it meets damage there. So every file that is written here ends with
 *
 *   "PHXSEAL1"   8 bytes
 *   size         8 bytes, little endian: bytes before the trailer, the size of the file for HDF5
 *   checksum     4 bytes, little endian: CRC-32 of them (that of zlib and of IEEE 802.3)
 *   its own      4 bytes, little endian: CRC-32 of the 20 bytes before
 *
 * and is checked before HDF5 sees it. HDF5 ignores bytes behind its end, and a program that changes the file removes
 * them. So a file without a trailer is read when its size is that of the superblock; it has no protection then. */
#define _XOPEN_SOURCE 700
#include "h5_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRAILER_SIZE = 24, NAME_SIZE = 8, SIZE_AT = 8, SUM_AT = 16, OWN_AT = 20, BLOCK = 1 << 18 };
static const unsigned char trailer_name[NAME_SIZE] = {'P', 'H', 'X', 'S', 'E', 'A', 'L', '1'};

/* ---- bytes ---- */
static void h5_checksum_put_number(unsigned char *bytes, int count, unsigned long long value)
{
    for (int k = 0; k < count; k++)
        bytes[k] = (unsigned char)(value >> 8 * k & 0xFF);
}

static unsigned long long get_number(const unsigned char *bytes, int count)
{
    unsigned long long value = 0;
    for (int k = count - 1; k >= 0; k--)
        value = value << 8 | bytes[k];
    return value;
}

/* `count` bytes from `place` on; the errno of the failure, EIO when the file is shorter. */
static int read_bytes(int descriptor, unsigned char *bytes, size_t count, off_t place)
{
    while (count > 0) {
        const ssize_t n = pread(descriptor, bytes, count, place);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        bytes += n;
        place += n;
        count -= (size_t)n;
    }
    return 0;
}

/* CRC-32 of the first `size` bytes. */
static phx_status checksum_of(phx_context *context, const char *path, int descriptor, off_t size, unsigned long *sum)
{
    unsigned char *block = phx_calloc(context, BLOCK, 1);
    if (!block)
        return PHX_ERR_MEMORY;
    int error = 0;
    *sum = 0;
    for (off_t place = 0; place < size && !error;) {
        const size_t count = size - place < BLOCK ? (size_t)(size - place) : BLOCK;
        error = read_bytes(descriptor, block, count, place);
        if (!error)
            *sum = libdeflate_crc32((uint32_t)*sum, block, count);
        place += (off_t)count;
    }
    phx_free(block);
    return error ? phx_file_fail(context, path, "read", error) : PHX_OK;
}

static unsigned long own_sum(const unsigned char *trailer)
{
    return libdeflate_crc32(0, trailer, OWN_AT);
}

/* ---- writing ---- */
phx_status phx_h5_append_checksum(phx_context *context, const char *path, int descriptor)
{
    struct stat info;
    unsigned char trailer[TRAILER_SIZE];
    unsigned long sum;
    if (fstat(descriptor, &info) != 0)
        return phx_file_fail(context, path, "write", errno);
    const phx_status status = checksum_of(context, path, descriptor, info.st_size, &sum);
    if (status)
        return status;
    memcpy(trailer, trailer_name, NAME_SIZE);
    h5_checksum_put_number(trailer + SIZE_AT, 8, (unsigned long long)info.st_size);
    h5_checksum_put_number(trailer + SUM_AT, 4, sum);
    h5_checksum_put_number(trailer + OWN_AT, 4, own_sum(trailer));
    const int error = lseek(descriptor, info.st_size, SEEK_SET) < 0
                          ? errno
                          : phx_file_write(descriptor, (const char *)trailer, TRAILER_SIZE, NULL);
    return error ? phx_file_fail(context, path, "write", error) : PHX_OK;
}

/* ---- reading ---- */
/* Size of the file for HDF5, from the superblock at its beginning; -1 when that is invalid. */
static long long end_of(const unsigned char *head)
{
    enum { VERSION_AT = 8, SIZES_0 = 13, BASE_0 = 24, END_0 = 40, SIZES_2 = 9, BASE_2 = 12, END_2 = 28 };
    const bool old = head[VERSION_AT] < 2;
    const unsigned char *sizes = head + (old ? SIZES_0 : SIZES_2);
    int base = old ? BASE_0 : BASE_2, end = old ? END_0 : END_2;
    if (head[VERSION_AT] > 3 || sizes[0] != 8 || sizes[1] != 8)
        return -1;
    if (head[VERSION_AT] == 1) { /* version 1 has one more table size before them */
        base += 4;
        end += 4;
    }
    const unsigned long long place = get_number(head + end, 8);
    return get_number(head + base, 8) != 0 || place >> 62 ? -1 : (long long)place;
}

static phx_status h5_checksum_damaged(phx_context *context, const char *path, const char *what)
{
    return phx_fail(context, PHX_ERR_FILE, "%s: the file is damaged: %s; copy it anew or make it again", path, what);
}

/* Checks length and checksum of an open file. Files without a checksum must at least end where their header says. */
static phx_status check_open(phx_context *context, const char *path, int descriptor)
{
    enum { HEAD = 64 };
    unsigned char head[HEAD] = {0}, trailer[TRAILER_SIZE] = {0};
    struct stat info;
    unsigned long sum;
    int error = fstat(descriptor, &info) != 0 ? errno : 0;
    const off_t size = error ? 0 : info.st_size, before = size - TRAILER_SIZE;
    if (!error && size < HEAD)
        return h5_checksum_damaged(context, path, "it is too short");
    if (!error)
        error = read_bytes(descriptor, head, HEAD, 0);
    if (!error)
        error = read_bytes(descriptor, trailer, TRAILER_SIZE, before);
    if (error)
        return phx_file_fail(context, path, "read", error);
    if (memcmp(trailer, trailer_name, NAME_SIZE) != 0 || get_number(trailer + OWN_AT, 4) != own_sum(trailer))
        return end_of(head) == (long long)size ? PHX_OK
                                               : h5_checksum_damaged(context, path, "its end is not what was written");
    if (get_number(trailer + SIZE_AT, 8) != (unsigned long long)before)
        return h5_checksum_damaged(context, path, "a part of it is missing or stands twice");
    const phx_status status = checksum_of(context, path, descriptor, before, &sum);
    if (!status && get_number(trailer + SUM_AT, 4) != sum)
        return h5_checksum_damaged(context, path, "its bytes do not give its checksum");
    return status;
}

phx_status phx_h5_verify_checksum(phx_context *context, const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return phx_file_fail(context, path, "read", errno);
    const phx_status status = check_open(context, path, descriptor);
    close(descriptor);
    return status;
}
