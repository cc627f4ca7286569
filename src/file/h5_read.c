/* Reading HDF5 files, after their checksum has been verified: HDF5 may crash on damaged files. */
#include "h5_internal.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

bool phx_h5_is_hdf5(const char *path)
{
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1A', '\n'};
    char bytes[sizeof signature];
    FILE *stream = fopen(path, "rb");
    bool more = stream, is = false;
    for (long at = 0; more && !is; at = at > 0 ? 2 * at : 512) { /* the places where it may stand */
        more = fseek(stream, at, SEEK_SET) == 0 && fread(bytes, 1, sizeof bytes, stream) == sizeof bytes;
        is = more && memcmp(bytes, signature, sizeof bytes) == 0;
    }
    if (stream)
        fclose(stream);
    return is;
}

/* Files appear under their names when they are complete, so locks (which some file systems lack) are not needed. */
static hid_t open_file(const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0) {
#if H5_VERSION_GE(1, 10, 7)
        H5Pset_file_locking(access, false, true);
#endif
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    if (access >= 0)
        H5Pclose(access);
    return file;
}

/* Opens a result after checking that it is an undamaged HDF5 file; *opened is NULL after a failure. */
phx_status phx_h5_open(phx_context *context, const char *path, phx_h5 **opened)
{
    *opened = NULL;
    FILE *stream = fopen(path, "rb"); /* for the errno, which HDF5 does not return */
    if (!stream)
        return phx_file_fail(context, path, "read", errno);
    fclose(stream);
    const char *ending = strrchr(path, '.');
    if (!phx_h5_is_hdf5(path) && ending && (!strcmp(ending, ".yaml") || !strcmp(ending, ".yml")))
        return phx_fail(context, PHX_ERR_FILE,
                        "%s is a model file and no result; 'phlexor simulate %s' makes one, 'phlexor view %s' shows "
                        "the model",
                        path, path, path);
    if (!phx_h5_is_hdf5(path))
        return phx_fail(context, PHX_ERR_FILE, "%s: cannot read: not an HDF5 file of Phlexor", path);
    phx_status ready = phx_files_read(context, path);
    if (!ready)
        ready = phx_h5_verify_checksum(context, path);
    if (!ready)
        ready = phx_load_hdf5(context);
    if (ready)
        return ready;
    phx_h5 *file = phx_calloc(context, 1, sizeof *file);
    if (!file)
        return PHX_ERR_MEMORY;
    *file = (phx_h5){.context = context, .file = -1, .text_type = -1, .target = {.descriptor = -1, .driver = -1}};
    const h5_quiet quiet = phx_h5_quiet();
    file->path = phx_strdup(context, path);
    if (!file->path)
        file->status = PHX_ERR_MEMORY;
    else if ((file->file = open_file(path)) < 0)
        phx_h5_fail(file, "read", "the file");
    else
        phx_h5_text_type(file);
    phx_h5_loud(quiet);
    const phx_status status = file->status;
    if (status)
        phx_h5_close(file);
    else
        *opened = file;
    return status;
}

/* Checks that a file has the given format in a version that can be read, and names the format it has otherwise. */
phx_status phx_h5_expect(phx_h5 *file, const char *format)
{
    char *found = NULL;
    int version = 0;
    phx_status status = phx_h5_get_text(file, "/", "format", &found);
    if (!status)
        status = phx_h5_get_integer(file, "/", "format_version", &version);
    if (status) {
        phx_free(found);
        return status == PHX_ERR_MEMORY ? status
                                        : phx_fail(file->context, PHX_ERR_FILE,
                                                   "%s: not a file of Phlexor; give a \"%s\" file", file->path, format);
    }
    if (strcmp(found, format) != 0)
        status = phx_fail(file->context, PHX_ERR_FILE, "%s: it is a \"%s\" file; give a \"%s\" file", file->path, found,
                          format);
    else if (version < 1 || version > PHX_FORMAT_VERSION)
        status = phx_fail(file->context, PHX_ERR_FILE,
                          "%s: its format has version %d, this program reads 1 to %d; use a newer Phlexor", file->path,
                          version, PHX_FORMAT_VERSION);
    phx_free(found);
    return status;
}

bool phx_h5_has(phx_h5 *file, const char *path)
{
    const h5_quiet quiet = phx_h5_quiet();
    const htri_t has = H5Lexists(file->file, path, H5P_DEFAULT);
    phx_h5_loud(quiet);
    return has > 0;
}

bool phx_h5_has_attribute(phx_h5 *file, const char *object, const char *name)
{
    const h5_quiet quiet = phx_h5_quiet();
    const htri_t has = H5Aexists_by_name(file->file, object, name, H5P_DEFAULT);
    phx_h5_loud(quiet);
    return has > 0;
}

/* An open attribute or dataset that texts are read from. */
typedef struct text_source {
    hid_t id;
    bool is_attribute;
} text_source;

static herr_t read_source(text_source source, hid_t memory, void *buffer)
{
    return source.is_attribute ? H5Aread(source.id, memory, buffer)
                               : H5Dread(source.id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
}

/* `count` texts of a source that holds exactly so many; texts[i] to be freed with phx_free, also on failure. */
static phx_status read_texts(phx_h5 *file, text_source source, const char *part, int count, char **texts)
{
    const hid_t type = source.is_attribute ? H5Aget_type(source.id) : H5Dget_type(source.id);
    const hid_t memory = type < 0 ? -1 : H5Tget_native_type(type, H5T_DIR_DEFAULT);
    const bool variable = memory >= 0 && H5Tis_variable_str(memory) > 0;
    const size_t size = memory < 0 ? 0 : H5Tget_size(memory);
    phx_status status = PHX_OK;
    char *bytes = NULL, *fixed = NULL;
    if (memory < 0 || H5Tget_class(memory) != H5T_STRING) {
        status = phx_h5_fail(file, "read text from", part);
        goto cleanup;
    }
    bytes = phx_calloc(file->context, (size_t)count, size);
    fixed = phx_calloc(file->context, size + 1, 1);
    if (!bytes || !fixed) {
        status = PHX_ERR_MEMORY;
        goto cleanup;
    }
    if (read_source(source, memory, bytes) < 0) {
        status = phx_h5_fail(file, "read", part);
        goto cleanup;
    }
    for (int i = 0; i < count; i++) {
        char *text = NULL;
        if (variable)
            memcpy(&text, bytes + (size_t)i * size, sizeof text);
        else
            memcpy(fixed, bytes + (size_t)i * size, size);
        if (!status && !(texts[i] = phx_strdup(file->context, !variable ? fixed : text ? text : "")))
            status = PHX_ERR_MEMORY;
        if (variable)
            H5free_memory(text);
    }
cleanup:
    phx_free(fixed);
    phx_free(bytes);
    if (memory >= 0)
        H5Tclose(memory);
    if (type >= 0)
        H5Tclose(type);
    return status;
}

/* Number of values of a dataspace of rank 0 or 1; -1 when there are none or too many. */
static int space_count(hid_t space)
{
    const hssize_t count =
        space < 0 || H5Sget_simple_extent_ndims(space) > 1 ? -1 : H5Sget_simple_extent_npoints(space);
    return count < 0 || count > INT_MAX / 8 ? -1 : (int)count;
}

static bool is_scalar_attribute(hid_t attribute)
{
    const hid_t space = H5Aget_space(attribute);
    const bool scalar = space_count(space) == 1;
    if (space >= 0)
        H5Sclose(space);
    return scalar;
}

/* Reads a text attribute; the caller frees the text, NULL after a failure. */
phx_status phx_h5_get_text(phx_h5 *file, const char *object, const char *name, char **text)
{
    const h5_quiet quiet = phx_h5_quiet();
    *text = NULL;
    phx_status status;
    const hid_t attribute = H5Aopen_by_name(file->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || !is_scalar_attribute(attribute))
        status = phx_h5_fail(file, "read the attribute", name);
    else
        status = read_texts(file, (text_source){attribute, true}, name, 1, text);
    if (attribute >= 0)
        H5Aclose(attribute);
    phx_h5_loud(quiet);
    return status;
}

phx_status phx_h5_get_integer(phx_h5 *file, const char *object, const char *name, int *value)
{
    const h5_quiet quiet = phx_h5_quiet();
    phx_status status = PHX_OK;
    const hid_t attribute = H5Aopen_by_name(file->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || !is_scalar_attribute(attribute) || H5Aread(attribute, H5T_NATIVE_INT, value) < 0)
        status = phx_h5_fail(file, "read the attribute", name);
    if (attribute >= 0)
        H5Aclose(attribute);
    phx_h5_loud(quiet);
    return status;
}

typedef struct visit {
    phx_h5 *file;
    phx_h5_visitor *visitor;
    void *user;
    phx_status status;
} visit;

/* Text and numbers of one value; what other programs may have added is left out. */
static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    (void)info;
    visit *walk = data;
    double number = 0.0;
    char *text = NULL;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    bool known = attribute >= 0 && is_scalar_attribute(attribute);
    if (known && class == H5T_STRING)
        walk->status = read_texts(walk->file, (text_source){attribute, true}, name, 1, &text);
    else
        known = known && (class == H5T_FLOAT || class == H5T_INTEGER) &&
                H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0;
    if (known && !walk->status)
        walk->status = walk->visitor(walk->user, name, text, number);
    phx_free(text);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return walk->status ? -1 : 0;
}

phx_status phx_h5_visit_attributes(phx_h5 *file, phx_h5_visitor *visitor, void *user)
{
    visit walk = {file, visitor, user, PHX_OK};
    const h5_quiet quiet = phx_h5_quiet();
    const herr_t result = H5Aiterate2(file->file, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, &walk);
    if (result < 0 && !walk.status)
        walk.status = phx_h5_fail(file, "read", "the attributes");
    phx_h5_loud(quiet);
    return walk.status;
}

/* Path of the k-th link of a group, NULL on failure. */
static char *link_path(phx_h5 *file, const char *group, hsize_t k)
{
    const ssize_t length =
        H5Lget_name_by_idx(file->file, group, H5_INDEX_CRT_ORDER, H5_ITER_INC, k, NULL, 0, H5P_DEFAULT);
    if (length < 0) {
        phx_h5_fail(file, "read", group);
        return NULL;
    }
    const size_t stem = strlen(group) + 1, size = stem + (size_t)length + 1;
    char *path = phx_calloc(file->context, size, 1);
    if (!path)
        return NULL;
    snprintf(path, size, "%s/", group);
    H5Lget_name_by_idx(file->file, group, H5_INDEX_CRT_ORDER, H5_ITER_INC, k, path + stem, (size_t)length + 1,
                       H5P_DEFAULT);
    return path;
}

/* Lists the paths of all links of a group in order of creation; the caller frees them. */
phx_status phx_h5_list(phx_h5 *file, const char *group, int *count, char ***paths)
{
    H5G_info_t info;
    *count = 0;
    *paths = NULL;
    phx_status status = PHX_OK;
    const h5_quiet quiet = phx_h5_quiet();
    if (H5Gget_info_by_name(file->file, group, &info, H5P_DEFAULT) < 0 || info.nlinks > INT_MAX / 8)
        status = phx_h5_fail(file, "read", group);
    else if (!(*paths = phx_calloc(file->context, (size_t)info.nlinks, sizeof **paths)))
        status = PHX_ERR_MEMORY;
    while (!status && *count < (int)info.nlinks) {
        (*paths)[*count] = link_path(file, group, (hsize_t)*count);
        if ((*paths)[*count])
            ++*count;
        else
            status = file->status ? file->status : PHX_ERR_MEMORY;
    }
    phx_h5_loud(quiet);
    if (status) {
        phx_h5_free_names(*count, *paths);
        *count = 0;
        *paths = NULL;
    }
    return status;
}

/* Reads a dataset of texts; the caller frees the names. Empty after a failure. */
phx_status phx_h5_read_names(phx_h5 *file, const char *path, int *count, char ***names)
{
    *count = 0;
    *names = NULL;
    phx_status status = PHX_OK;
    const h5_quiet quiet = phx_h5_quiet();
    const hid_t dataset = H5Dopen2(file->file, path, H5P_DEFAULT);
    const hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    const int n = space_count(space);
    if (n < 0)
        status = phx_h5_fail(file, "read", path);
    else if (!(*names = phx_calloc(file->context, (size_t)n, sizeof **names)))
        status = PHX_ERR_MEMORY;
    else if (n > 0)
        status = read_texts(file, (text_source){dataset, false}, path, n, *names);
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    phx_h5_loud(quiet);
    if (status) {
        phx_h5_free_names(*names ? n : 0, *names);
        *names = NULL;
    } else {
        *count = n;
    }
    return status;
}

/* Reads a dataset of exactly one text; the caller frees the text. */
phx_status phx_h5_read_text(phx_h5 *file, const char *path, char **text)
{
    int count = 0;
    char **names = NULL;
    *text = NULL;
    phx_status status = phx_h5_read_names(file, path, &count, &names);
    if (status)
        return status;
    if (count == 1) {
        *text = names[0];
        names[0] = NULL;
    } else {
        status = phx_fail(file->context, PHX_ERR_FILE, "%s: %s has %d texts instead of 1; the file is damaged",
                          file->path, path, count);
    }
    phx_h5_free_names(count, names);
    return status;
}

void phx_h5_free_names(int count, char **names)
{
    for (int i = 0; i < count; i++)
        phx_free(names[i]);
    phx_free(names);
}

/* Open dataset and dataspace of rank 1 or 2 and its extent (columns 1 for rank 1); the rank, or -1. */
static int open_rows(phx_h5 *file, const char *path, hid_t *dataset, hid_t *space, hsize_t extent[2])
{
    extent[1] = 1;
    *dataset = H5Dopen2(file->file, path, H5P_DEFAULT);
    *space = *dataset < 0 ? -1 : H5Dget_space(*dataset);
    const int rank = *space < 0 ? -1 : H5Sget_simple_extent_ndims(*space);
    if (rank < 1 || rank > 2)
        return -1;
    return H5Sget_simple_extent_dims(*space, extent, NULL) == rank ? rank : -1;
}

static void close_rows(hid_t dataset, hid_t space)
{
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
}

phx_status phx_h5_extent(phx_h5 *file, const char *path, size_t *rows, size_t *cols)
{
    hid_t dataset, space;
    hsize_t extent[2] = {0, 0};
    const h5_quiet quiet = phx_h5_quiet();
    const int rank = open_rows(file, path, &dataset, &space, extent);
    const phx_status status = rank < 0 ? phx_h5_fail(file, "read", path) : PHX_OK;
    close_rows(dataset, space);
    phx_h5_loud(quiet);
    *rows = status ? 0 : (size_t)extent[0];
    *cols = rank == 2 ? (size_t)extent[1] : 0;
    return status;
}

/* Reads `count` rows from row `first` on in the given type; rows beyond the dataset are an error. */
static phx_status h5_read_read_rows(phx_h5 *file, const char *path, size_t first, size_t count, hid_t type,
                                    void *values)
{
    hid_t dataset, space, memory = -1;
    hsize_t extent[2] = {0, 0}, start[2] = {first, 0};
    phx_status status = PHX_OK;
    const h5_quiet quiet = phx_h5_quiet();
    const int rank = open_rows(file, path, &dataset, &space, extent);
    const bool inside = rank > 0 && first <= extent[0] && count <= extent[0] - first;
    extent[0] = count;
    if (inside && count > 0)
        memory = H5Screate_simple(rank, extent, NULL);
    if (!inside || (count > 0 && (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) < 0 ||
                                  H5Dread(dataset, type, memory, space, H5P_DEFAULT, values) < 0)))
        status = phx_h5_fail(file, "read", path);
    if (memory >= 0)
        H5Sclose(memory);
    close_rows(dataset, space);
    phx_h5_loud(quiet);
    return status;
}

phx_status phx_h5_read_integers(phx_h5 *file, const char *path, int count, int *values)
{
    return h5_read_read_rows(file, path, 0, (size_t)count, H5T_NATIVE_INT, values);
}

phx_status phx_h5_read_rows(phx_h5 *file, const char *path, size_t first, size_t count, double *values)
{
    return h5_read_read_rows(file, path, first, count, H5T_NATIVE_DOUBLE, values);
}

/* ---- objects whose kind is not known ---- */
static phx_h5_kind dataset_kind(hid_t dataset, size_t extent[3])
{
    static const phx_h5_kind numbers[] = {PHX_H5_NUMBER, PHX_H5_LIST, PHX_H5_MATRIX, PHX_H5_ARRAY};
    static const phx_h5_kind texts[] = {PHX_H5_TEXT, PHX_H5_NAMES, PHX_H5_OTHER, PHX_H5_OTHER};
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    hsize_t size[3] = {1, 1, 1};
    phx_h5_kind kind = PHX_H5_OTHER;
    if (rank >= 0 && rank <= 3 && H5Sget_simple_extent_dims(space, size, NULL) == rank) {
        if (class == H5T_FLOAT || class == H5T_INTEGER)
            kind = numbers[rank];
        else if (class == H5T_STRING)
            kind = texts[rank];
        else if (class == H5T_COMPOUND && rank == 2 && H5Tget_nmembers(type) == 2 &&
                 H5Tget_member_index(type, "r") >= 0 && H5Tget_member_index(type, "i") >= 0)
            kind = PHX_H5_COMPLEX;
    }
    for (int k = 0; k < 3; k++)
        extent[k] = (size_t)size[k];
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return kind;
}

/* Returns the kind of the object at a path and the extent of a dataset, of up to three dimensions and 1 in the others.
 */
phx_h5_kind phx_h5_describe(phx_h5 *file, const char *path, size_t extent[3])
{
    phx_h5_kind kind = PHX_H5_OTHER;
    extent[0] = extent[1] = extent[2] = 1;
    const h5_quiet quiet = phx_h5_quiet();
    const hid_t object = H5Oopen(file->file, path, H5P_DEFAULT);
    const H5I_type_t type = object < 0 ? H5I_BADID : H5Iget_type(object);
    if (type == H5I_GROUP)
        kind = PHX_H5_GROUP;
    else if (type == H5I_DATASET)
        kind = dataset_kind(object, extent);
    if (object >= 0)
        H5Oclose(object);
    phx_h5_loud(quiet);
    return kind;
}

/* All values of a dataset into `values` of the type given. */
static phx_status read_all(phx_h5 *file, const char *path, hid_t type, void *values)
{
    const h5_quiet quiet = phx_h5_quiet();
    phx_status status = PHX_OK;
    const hid_t dataset = H5Dopen2(file->file, path, H5P_DEFAULT);
    if (dataset < 0 || type < 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        status = phx_h5_fail(file, "read", path);
    if (dataset >= 0)
        H5Dclose(dataset);
    phx_h5_loud(quiet);
    return status;
}

/* Reads a real matrix, or a complex one into separate parts if imaginary is given. */
phx_status phx_h5_read_matrix(phx_h5 *file, const char *path, size_t rows, size_t cols, double *real, double *imaginary)
{
    const size_t count = rows * cols;
    if (count == 0)
        return PHX_OK;
    if (!imaginary)
        return read_all(file, path, H5T_NATIVE_DOUBLE, real);
    double *pairs = phx_calloc(file->context, 2 * count, sizeof *pairs);
    if (!pairs)
        return PHX_ERR_MEMORY;
    const hid_t type = phx_h5_complex_type(H5T_NATIVE_DOUBLE);
    const phx_status status = read_all(file, path, type, pairs);
    for (size_t i = 0; i < count; i++) {
        real[i] = pairs[2 * i];
        imaginary[i] = pairs[2 * i + 1];
    }
    if (type >= 0)
        H5Tclose(type);
    phx_free(pairs);
    return status;
}

phx_status phx_h5_read_number(phx_h5 *file, const char *path, double *value)
{
    return read_all(file, path, H5T_NATIVE_DOUBLE, value);
}
