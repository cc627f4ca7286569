/* Zip archives by libzip. */
#include "internal.h"

#include "file/file.h"

#include <loaded/zip.h>

/* Level 6 would take three times as long as level 1 for 8 % fewer bytes. With sanitizers the shared object has 17 MB,
 * and to compress it would take most of the time of the tests. */
#ifndef PHX_ZIP_METHOD
#define PHX_ZIP_METHOD ZIP_CM_DEFLATE
#endif

typedef struct entries {
    int count;
    const phx_zip_entry *entry;
} entries;

static phx_status fail(phx_context *context, const char *path, zip_t *archive)
{
    return phx_fail(context, PHX_ERR_FILE, "%s: the archive cannot be written: %s", path, zip_strerror(archive));
}

/* Adds one file with a fixed date, so that the same bytes give the same archive. */
static phx_status zip_add_entry(phx_context *context, const char *path, zip_t *archive, const phx_zip_entry *entry)
{
    zip_source_t *source = zip_source_buffer(archive, entry->bytes, entry->size, 0);
    const zip_int64_t index = source ? zip_file_add(archive, entry->name, source, ZIP_FL_ENC_UTF_8) : -1;

    if (index < 0) {
        zip_source_free(source);
        return fail(context, path, archive);
    }
    /* The same bytes give the same archive: all files are of the first of January 2024. */
    if (zip_file_set_dostime(archive, (zip_uint64_t)index, 0, 0x5821, 0) ||
        zip_set_file_compression(archive, (zip_uint64_t)index, PHX_ZIP_METHOD, 1))
        return fail(context, path, archive);
    return PHX_OK;
}

/* Writes all entries to a new archive at `path`; PHX_ERR_FILE with libzip's reason. */
static phx_status write_archive(phx_context *context, const char *path, const void *data)
{
    const entries *all = data;
    int error = 0;
    phx_status status = phx_load_zip(context);
    zip_t *archive = status ? NULL : zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);

    if (status)
        return status;
    if (!archive)
        return phx_fail(context, PHX_ERR_FILE, "%s: the archive cannot be made (libzip: %d)", path, error);
    for (int k = 0; k < all->count && !status; k++)
        status = zip_add_entry(context, path, archive, &all->entry[k]);
    if (!status && zip_close(archive) == 0)
        return PHX_OK;
    if (!status)
        status = fail(context, path, archive);
    zip_discard(archive);
    return status;
}

phx_status phx_zip_write(phx_context *context, const char *path, int count, const phx_zip_entry *entry)
{
    return phx_file_replace(context, path, write_archive, &(entries){count, entry});
}
