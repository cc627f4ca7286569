/* Archives of others: what is in them is checked before anything is written. */
#define _XOPEN_SOURCE 700
#include "importer.h"

#include "file/file.h"

#include <errno.h>
#include <ftw.h>
#include <loaded/zip.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 20000, MOST_BYTES_OF_ONE = 200000000 /* of a description */ };
static const double MOST_BYTES = 2e9; /* unpacked */

/* A name that stays in the folder. */
static bool is_safe(const char *name)
{
    if (!*name || *name == '/' || strchr(name, '\\') || strchr(name, ':'))
        return false;
    for (const char *part = name;;) {
        const size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return false;
        if (!part[length])
            return true;
        part += length + 1;
    }
}

static bool is_link(zip_t *archive, zip_uint64_t k)
{
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;

    return zip_file_get_external_attributes(archive, k, 0, &system, &attributes) == 0 && system == ZIP_OPSYS_UNIX &&
           (attributes >> 16 & 0170000) == 0120000;
}

static phx_status unpack_refuse(phx_context *context, const char *file, const char *name, const char *why)
{
    return phx_fail(context, PHX_ERR_INPUT, "%s: %s of the archive %s", file, phx_shown_text(name).text, why);
}

/* Checks one entry of the archive before unpacking: safe name, no link, no encryption, known compression, and the
 * bound of the total size. */
static phx_status check_entry(phx_context *context, const char *file, zip_t *archive, zip_uint64_t k, double *total)
{
    zip_stat_t stat;

    zip_stat_init(&stat);
    if (zip_stat_index(archive, k, 0, &stat) || !stat.name)
        return phx_fail(context, PHX_ERR_INPUT, "%s: entry %d of the archive cannot be read", file, (int)k + 1);
    if (!is_safe(stat.name))
        return unpack_refuse(context, file, stat.name, "has a name that leads out of its folder");
    if (is_link(archive, k))
        return unpack_refuse(context, file, stat.name, "is a link");
    if (stat.encryption_method != ZIP_EM_NONE)
        return unpack_refuse(context, file, stat.name, "is encrypted");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
        return unpack_refuse(context, file, stat.name, "is compressed by another method than deflate");
    *total += (double)stat.size;
    if (*total > MOST_BYTES)
        return phx_fail(context, PHX_ERR_INPUT, "%s: the archive would become larger than %g bytes", file, MOST_BYTES);
    return PHX_OK;
}

/* The folders of a path below the first `from` characters. */
static void make_folders(char *path, size_t from)
{
    for (char *c = path + from; *c; c++)
        if (*c == '/') {
            *c = '\0';
            (void)mkdir(path, 0700);
            *c = '/';
        }
}

static phx_status copy_bytes(phx_context *context, const char *file, zip_file_t *from, FILE *to)
{
    char buffer[1 << 16];

    for (;;) {
        const zip_int64_t n = zip_fread(from, buffer, sizeof buffer);
        if (n < 0)
            return phx_fail(context, PHX_ERR_INPUT, "%s: the archive is damaged: %s", file, zip_file_strerror(from));
        if (n == 0)
            return PHX_OK;
        if (fwrite(buffer, 1, (size_t)n, to) != (size_t)n)
            return phx_file_fail(context, "the unpacked FMU", "be written", errno);
    }
}

/* Unpacks one entry with its folders; an existing file is never written over. */
static phx_status unpack_entry(phx_context *context, const char *file, zip_t *archive, zip_uint64_t k,
                               const char *folder)
{
    const char *name = zip_get_name(archive, k, 0);
    const size_t length = strlen(folder);
    char *path = phx_calloc(context, length + strlen(name) + 2, 1);
    phx_status status = PHX_OK;

    if (!path)
        return PHX_ERR_MEMORY;
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, name, strlen(name));
    make_folders(path, length + 1);
    if (path[strlen(path) - 1] != '/') {
        zip_file_t *from = zip_fopen_index(archive, k, 0);
        FILE *to = from ? fopen(path, "wbx") : NULL;
        if (!from)
            status = phx_fail(context, PHX_ERR_INPUT, "%s: the archive is damaged: %s", file, zip_strerror(archive));
        else if (!to)
            status =
                unpack_refuse(context, file, name, "cannot be unpacked: its name is there twice, or is a folder's");
        else
            status = copy_bytes(context, file, from, to);
        if (to && fclose(to) && !status)
            status = phx_file_fail(context, path, "be written", errno);
        if (from)
            zip_fclose(from);
    }
    phx_free(path);
    return status;
}

/* With its whole path, which the FMU gets as the place of its resources. */
static phx_status make_folder(phx_context *context, phx_fmu_folder *folder)
{
    const char *given = getenv("TMPDIR");
    char *path = phx_file_suffixed(context, given && *given ? given : "/tmp", "/phlexor-fmu-XXXXXX");

    if (!path)
        return PHX_ERR_MEMORY;
    char *whole = mkdtemp(path) ? realpath(path, NULL) : NULL;
    phx_status status = whole ? PHX_OK : phx_file_fail(context, path, "be made", errno);
    if (!status) {
        folder->path = phx_strdup(context, whole);
        status = folder->path ? PHX_OK : PHX_ERR_MEMORY;
    }
    free(whole);
    phx_free(path);
    return status;
}

/* The archive, all of whose entries have been checked. */
static phx_status open_checked(phx_context *context, const char *file, zip_t **archive)
{
    int error = 0;
    double total = 0.0;
    FILE *there = fopen(file, "rb");

    *archive = NULL;
    if (!there)
        return phx_file_fail(context, file, "be read", errno);
    (void)fclose(there);
    if (phx_load_zip(context))
        return PHX_ERR_LIBRARY;
    *archive = zip_open(file, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    if (!*archive)
        return phx_fail(context, PHX_ERR_INPUT, "%s: this is no zip archive, or it is damaged", file);
    const zip_int64_t count = zip_get_num_entries(*archive, 0);
    phx_status status = PHX_OK;
    if (count > MOST_FILES)
        status = phx_fail(context, PHX_ERR_INPUT, "%s: more than %d files in the archive", file, MOST_FILES);
    for (zip_int64_t k = 0; k < count && !status; k++)
        status = check_entry(context, file, *archive, (zip_uint64_t)k, &total);
    if (status) {
        zip_discard(*archive);
        *archive = NULL;
    }
    return status;
}

/* Unpacks an FMU into a temporary folder after checking all entries; the folder is removed after a failure. */
phx_status phx_fmu_unpack(phx_context *context, const char *file, phx_fmu_folder *folder)
{
    zip_t *archive = NULL;
    phx_status status = open_checked(context, file, &archive);

    folder->path = NULL;
    if (!status)
        status = make_folder(context, folder);
    const zip_int64_t count = archive ? zip_get_num_entries(archive, 0) : 0;
    for (zip_int64_t k = 0; k < count && !status; k++)
        status = unpack_entry(context, file, archive, (zip_uint64_t)k, folder->path);
    if (archive)
        zip_discard(archive);
    if (status)
        phx_fmu_remove(folder);
    return status;
}

/* ---- without unpacking ---- */
static phx_status unpack_read_entry(phx_context *context, const char *file, zip_t *archive, const char *name,
                                    char **bytes, size_t *size)
{
    zip_stat_t stat;

    zip_stat_init(&stat);
    if (zip_stat(archive, name, 0, &stat) || !(stat.valid & ZIP_STAT_SIZE))
        return phx_fail(context, PHX_ERR_INPUT, "%s: there is no %s in the archive", file, name);
    if (stat.size > MOST_BYTES_OF_ONE)
        return phx_fail(context, PHX_ERR_INPUT, "%s: %s is larger than %d bytes", file, name, MOST_BYTES_OF_ONE);
    *size = (size_t)stat.size;
    *bytes = phx_calloc(context, *size + 1, 1);
    if (!*bytes)
        return PHX_ERR_MEMORY;
    zip_file_t *from = zip_fopen(archive, name, 0);
    const zip_int64_t n = from ? zip_fread(from, *bytes, *size) : -1;
    if (from)
        zip_fclose(from);
    if (n == (zip_int64_t)*size)
        return PHX_OK;
    phx_free(*bytes);
    *bytes = NULL;
    return phx_fail(context, PHX_ERR_INPUT, "%s: %s of the archive is damaged", file, name);
}

phx_status phx_fmu_unpack_one(phx_context *context, const char *file, const char *name, char **bytes, size_t *size)
{
    zip_t *archive = NULL;
    phx_status status = open_checked(context, file, &archive);

    *bytes = NULL;
    *size = 0;
    if (!status)
        status = unpack_read_entry(context, file, archive, name, bytes, size);
    if (archive)
        zip_discard(archive);
    return status;
}

#if defined __aarch64__
static const char *const platforms[] = {"linux64", "aarch64-linux"};
#else
static const char *const platforms[] = {"linux64", "x86_64-linux"};
#endif

const char *phx_fmu_platform(int version)
{
    return platforms[version - 2];
}

/* The folders below `binaries`, "win64, darwin64". */
static void list_platforms(zip_t *archive, size_t room, char *list)
{
    static const char folder[] = "binaries/";
    const zip_int64_t count = zip_get_num_entries(archive, 0);

    *list = '\0';
    for (zip_int64_t k = 0; k < count; k++) {
        const char *name = zip_get_name(archive, (zip_uint64_t)k, 0);
        if (!name || strncmp(name, folder, sizeof folder - 1) != 0)
            continue;
        name += sizeof folder - 1;
        const size_t length = strcspn(name, "/"), at = strlen(list);
        char one[80];
        snprintf(one, sizeof one, "%.*s", (int)(length < 60 ? length : 60), name);
        if (length > 0 && !strstr(list, one) && at + strlen(one) + 3 < room)
            snprintf(list + at, room - at, "%s%s", at ? ", " : "", one);
    }
}

/* Checks that the FMU has a shared object for this platform, and lists those it has otherwise. */
phx_status phx_fmu_check_platform(phx_context *context, const char *file, int version, const char *identifier)
{
    char name[600], list[300];
    zip_t *archive = NULL;
    phx_status status = open_checked(context, file, &archive);

    if (status)
        return status;
    snprintf(name, sizeof name, "binaries/%s/%.400s.so", phx_fmu_platform(version), identifier);
    if (zip_name_locate(archive, name, 0) < 0) {
        list_platforms(archive, sizeof list, list);
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: the FMU has no shared object for this computer (%s); it is made for: %s", file, name,
                          *list ? phx_shown_text(list).text : "none");
    }
    zip_discard(archive);
    return status;
}

/* ---- removing ---- */
static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)stat, (void)type, (void)place;
    return remove(path);
}

void phx_fmu_remove(phx_fmu_folder *folder)
{
    enum { OPEN_FOLDERS = 16 };

    if (folder->path)
        (void)nftw(folder->path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    phx_free(folder->path);
    folder->path = NULL;
}
