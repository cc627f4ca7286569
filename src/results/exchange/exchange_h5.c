/* Exchange files in HDF5. */
#include "exchange.h"
#include "file/file.h"

#include <limits.h>
#include <string.h>

/* ---- writing ---- */
static phx_status put_part(phx_h5 *file, const char *group, const char *part, int count, const int *values)
{
    char *path = phx_h5_link(phx_h5_context(file), group, part);
    if (!path)
        return PHX_ERR_MEMORY;
    phx_h5_put_integers(file, path, count, values);
    phx_free(path);
    return PHX_OK;
}

/* SciPy's CSR: data, indices, indptr, shape. */
static phx_status h5_put_sparse(phx_h5 *file, const char *path, const phx_csr *matrix)
{
    const int count = matrix->ptr[matrix->rows], shape[2] = {matrix->rows, matrix->cols};
    char *data = phx_h5_link(phx_h5_context(file), path, "data");
    if (!data)
        return PHX_ERR_MEMORY;
    phx_h5_make_group(file, path);
    phx_h5_make_rows(file, data, (size_t)count, 0);
    phx_h5_put_rows(file, data, 0, (size_t)count, matrix->val);
    phx_free(data);
    phx_status status = put_part(file, path, "indices", count, matrix->idx);
    if (!status)
        status = put_part(file, path, "indptr", matrix->rows + 1, matrix->ptr);
    return status ? status : put_part(file, path, "shape", 2, shape);
}

/* Writes one item of a bundle to an HDF5 path; errors of writing stay in the file's status. */
static phx_status put_item(phx_h5 *file, const char *path, const phx_bundle_item *item)
{
    switch (item->kind) {
    case PHX_BUNDLE_MATRIX:
        if (item->pages > 0)
            phx_h5_put_array(file, path, (size_t)item->pages, (size_t)item->rows, (size_t)item->cols, item->re);
        else
            phx_h5_put_matrix(file, path, (size_t)item->rows, (size_t)item->cols, item->re, item->im);
        return PHX_OK;
    case PHX_BUNDLE_SPARSE:
        return h5_put_sparse(file, path, &item->sparse);
    case PHX_BUNDLE_NAMES:
        phx_h5_put_names(file, path, item->rows, item->names);
        return PHX_OK;
    case PHX_BUNDLE_TEXT:
        phx_h5_put_text(file, path, item->text);
        return PHX_OK;
    case PHX_BUNDLE_NUMBER:
        phx_h5_put_number(file, path, item->number);
        return PHX_OK;
    }
    return PHX_ERR_ARGUMENT;
}

/* Writes a bundle to an HDF5 file with meanings and units as attributes. */
phx_status phx_exchange_put_h5(phx_context *context, const char *path, const phx_bundle *bundle)
{
    phx_h5 *file = NULL;
    phx_status status = phx_h5_create(context, path, &file);
    if (status)
        return status;
    phx_h5_set_text(file, "/", "format", PHX_FORMAT_EXCHANGE);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    phx_h5_set_text(file, "/", "program_version", phx_version());
    for (int k = 0; k < phx_bundle_count(bundle) && !status; k++) {
        const phx_bundle_item *item = phx_bundle_item_at(bundle, k);
        char *link = phx_h5_link(context, "", item->name);
        status = link ? put_item(file, link, item) : PHX_ERR_MEMORY;
        if (!status && item->meaning[0])
            phx_h5_set_text(file, link, "meaning", item->meaning);
        if (!status && item->unit[0])
            phx_h5_set_text(file, link, "unit", item->unit);
        phx_free(link);
    }
    if (!status)
        return phx_h5_finish(file);
    phx_h5_close(file);
    return status;
}

/* ---- reading ---- */
static phx_status h5_damaged(phx_h5 *file, const char *path)
{
    return phx_fail(phx_h5_context(file), PHX_ERR_FILE, "%s: %s is not what an exchange file has; the file is damaged",
                    phx_h5_path(file), path);
}

/* Reads a real or complex dense matrix into the bundle. */
static phx_status h5_read_matrix(phx_h5 *file, const char *path, const char *name, const size_t extent[2], bool complex,
                                 phx_bundle *bundle)
{
    if (extent[0] > INT_MAX / 8 || extent[1] > INT_MAX / 8)
        return h5_damaged(file, path);
    double *re = phx_calloc(phx_h5_context(file), extent[0] * extent[1], sizeof *re);
    double *im = complex ? phx_calloc(phx_h5_context(file), extent[0] * extent[1], sizeof *im) : NULL;
    phx_status status = re && (im || !complex) ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = phx_h5_read_matrix(file, path, extent[0], extent[1], re, im);
    if (!status)
        phx_bundle_add_matrix(bundle, name, (int)extent[0], (int)extent[1], re, im);
    phx_free(re);
    phx_free(im);
    return status;
}

static phx_status read_array(phx_h5 *file, const char *path, const char *name, const size_t extent[3],
                             phx_bundle *bundle)
{
    enum { MOST = 1 << 20 };
    if (extent[0] < 1 || extent[0] > MOST || extent[1] > MOST || extent[2] > MOST)
        return h5_damaged(file, path);
    double *values = phx_calloc(phx_h5_context(file), extent[0] * extent[1] * extent[2], sizeof *values);
    phx_status status =
        values ? phx_h5_read_matrix(file, path, extent[0] * extent[1], extent[2], values, NULL) : PHX_ERR_MEMORY;
    if (!status)
        phx_bundle_add_array(bundle, name, (int)extent[0], (int)extent[1], (int)extent[2], values);
    phx_free(values);
    return status;
}

/* A list of integers of a group, `wanted` of them when that is not negative. */
static phx_status read_part(phx_h5 *file, const char *group, const char *part, int wanted, int *count, int **values)
{
    size_t extent[3];
    char *path = phx_h5_link(phx_h5_context(file), group, part);
    if (!path)
        return PHX_ERR_MEMORY;
    phx_status status = PHX_OK;
    if (phx_h5_describe(file, path, extent) != PHX_H5_LIST || extent[0] > INT_MAX / 8 ||
        (wanted >= 0 && extent[0] != (size_t)wanted))
        status = h5_damaged(file, path);
    else if (!(*values = phx_calloc(phx_h5_context(file), extent[0], sizeof **values)))
        status = PHX_ERR_MEMORY;
    else
        status = phx_h5_read_integers(file, path, (int)extent[0], *values);
    *count = (int)extent[0];
    phx_free(path);
    return status;
}

static bool h5_fits(const phx_csr *matrix, int count)
{
    if (matrix->rows < 0 || matrix->cols < 0 || matrix->ptr[0] != 0 || matrix->ptr[matrix->rows] != count)
        return false;
    for (int i = 0; i < matrix->rows; i++) {
        if (matrix->ptr[i + 1] < matrix->ptr[i])
            return false;
        for (int k = matrix->ptr[i]; k < matrix->ptr[i + 1]; k++)
            if (k >= count || matrix->idx[k] >= matrix->cols ||
                matrix->idx[k] <= (k > matrix->ptr[i] ? matrix->idx[k - 1] : -1))
                return false;
    }
    return true;
}

/* Reads a sparse matrix in compressed rows into the bundle; sizes and indices are checked. */
static phx_status read_sparse(phx_h5 *file, const char *path, const char *name, phx_bundle *bundle)
{
    phx_csr matrix = {0};
    int *shape = NULL, count = 0, found = 0;
    size_t extent[3];
    char *data = phx_h5_link(phx_h5_context(file), path, "data");
    phx_status status = data ? read_part(file, path, "shape", 2, &found, &shape) : PHX_ERR_MEMORY;
    if (!status && (shape[0] < 0 || shape[0] > INT_MAX / 8 || shape[1] < 0))
        status = h5_damaged(file, path);
    if (!status) {
        matrix.rows = shape[0];
        matrix.cols = shape[1];
        status = read_part(file, path, "indptr", matrix.rows + 1, &found, &matrix.ptr);
    }
    if (!status)
        status = read_part(file, path, "indices", -1, &count, &matrix.idx);
    if (!status &&
        (phx_h5_describe(file, data, extent) != PHX_H5_LIST || extent[0] != (size_t)count || !h5_fits(&matrix, count)))
        status = h5_damaged(file, path);
    if (!status && !(matrix.val = phx_calloc(phx_h5_context(file), (size_t)count, sizeof *matrix.val)))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_h5_read_rows(file, data, 0, (size_t)count, matrix.val);
    if (!status)
        phx_bundle_add_sparse(bundle, name, &matrix);
    phx_csr_free(&matrix);
    phx_free(shape);
    phx_free(data);
    return status;
}

static phx_status h5_read_names(phx_h5 *file, const char *path, const char *name, phx_bundle *bundle)
{
    int count = 0;
    char **names = NULL;
    const phx_status status = phx_h5_read_names(file, path, &count, &names);
    if (!status)
        phx_bundle_add_names(bundle, name, count, (const char *const *)names);
    phx_h5_free_names(count, names);
    return status;
}

static phx_status read_text(phx_h5 *file, const char *path, const char *name, phx_bundle *bundle)
{
    char *text = NULL;
    const phx_status status = phx_h5_read_text(file, path, &text);
    if (!status)
        phx_bundle_add_text(bundle, name, text);
    phx_free(text);
    return status;
}

static phx_status h5_read_number(phx_h5 *file, const char *path, const char *name, phx_bundle *bundle)
{
    double value = 0.0;
    const phx_status status = phx_h5_read_number(file, path, &value);
    if (!status)
        phx_bundle_add_number(bundle, name, value);
    return status;
}

/* An item of that kind. */
static phx_status read_value(phx_h5 *file, const char *path, phx_bundle *bundle)
{
    const char *name = strrchr(path, '/') + 1;
    size_t extent[3];
    const phx_h5_kind kind = phx_h5_describe(file, path, extent);
    switch (kind) {
    case PHX_H5_MATRIX:
    case PHX_H5_COMPLEX:
        return h5_read_matrix(file, path, name, extent, kind == PHX_H5_COMPLEX, bundle);
    case PHX_H5_ARRAY:
        return read_array(file, path, name, extent, bundle);
    case PHX_H5_GROUP:
        return read_sparse(file, path, name, bundle);
    case PHX_H5_NAMES:
        return h5_read_names(file, path, name, bundle);
    case PHX_H5_TEXT:
        return read_text(file, path, name, bundle);
    case PHX_H5_NUMBER:
        return h5_read_number(file, path, name, bundle);
    case PHX_H5_LIST:
    case PHX_H5_OTHER:
        break;
    }
    return h5_damaged(file, path);
}

/* The kind of an object, where the file gives it. */
static phx_status read_description(phx_h5 *file, const char *path, phx_bundle *bundle)
{
    char *meaning = NULL, *unit = NULL;
    phx_status status = PHX_OK;
    if (phx_h5_has_attribute(file, path, "meaning"))
        status = phx_h5_get_text(file, path, "meaning", &meaning);
    if (!status && phx_h5_has_attribute(file, path, "unit"))
        status = phx_h5_get_text(file, path, "unit", &unit);
    if (!status)
        phx_bundle_describe(bundle, meaning, unit);
    phx_free(meaning);
    phx_free(unit);
    return status;
}

static phx_status read_item(phx_h5 *file, const char *path, phx_bundle *bundle)
{
    const phx_status status = read_value(file, path, bundle);
    return status ? status : read_description(file, path, bundle);
}

/* Reads an exchange file into a new bundle; NULL after a failure. */
phx_status phx_exchange_read(phx_context *context, const char *path, phx_bundle **bundle)
{
    if (!path || !bundle)
        return phx_fail_null(context, __func__, "path or bundle");
    phx_h5 *file = NULL;
    char **links = NULL;
    int count = 0;
    *bundle = NULL;
    phx_status status = phx_h5_open(context, path, &file);
    if (!status)
        status = phx_h5_expect(file, PHX_FORMAT_EXCHANGE);
    if (!status)
        status = phx_h5_list(file, "/", &count, &links);
    if (!status)
        status = phx_bundle_create(context, bundle);
    for (int k = 0; k < count && !status; k++)
        status = read_item(file, links[k], *bundle);
    if (!status)
        status = phx_bundle_status(*bundle);
    if (status) {
        phx_bundle_destroy(*bundle);
        *bundle = NULL;
    }
    phx_h5_free_names(count, links);
    phx_h5_close(file);
    return phx_conclude(context, status);
}
