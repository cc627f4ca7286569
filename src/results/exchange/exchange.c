/* Exchange files: choosing the format, json. */
#include "exchange.h"
#include "file/file.h"

#include <ctype.h>
#include <string.h>

/* ---- json ---- */
static void exchange_put_rows(phx_output *output, int rows, int cols, const double *values)
{
    phx_output_text(output, "[");
    for (int i = 0; i < rows; i++) {
        phx_output_text(output, i ? ",\n    [" : "[");
        for (int j = 0; j < cols; j++) {
            phx_output_text(output, j ? ", " : "");
            phx_output_number(output, values[(size_t)i * (size_t)cols + (size_t)j]);
        }
        phx_output_text(output, "]");
    }
    phx_output_text(output, "]");
}

static void put_array(phx_output *output, const phx_bundle_item *item)
{
    phx_output_text(output, "[");
    for (int page = 0; page < item->pages; page++) {
        phx_output_text(output, page ? ",\n   " : "");
        exchange_put_rows(output, item->rows, item->cols,
                          item->re + (size_t)page * (size_t)item->rows * (size_t)item->cols);
    }
    phx_output_text(output, "]");
}

/* Writes a matrix as JSON: a list of rows, an array with pages, or real and imaginary parts. */
static void exchange_put_matrix(phx_output *output, const phx_bundle_item *item)
{
    if (item->pages > 0) {
        put_array(output, item);
        return;
    }
    if (!item->im) {
        exchange_put_rows(output, item->rows, item->cols, item->re);
        return;
    }
    phx_output_text(output, "{\"real\": ");
    exchange_put_rows(output, item->rows, item->cols, item->re);
    phx_output_text(output, ", \"imaginary\": ");
    exchange_put_rows(output, item->rows, item->cols, item->im);
    phx_output_text(output, "}");
}

/* One entry after the other of rows, columns or values. */
static void put_entries(phx_output *output, const char *what, const phx_csr *matrix)
{
    phx_output_format(output, ",\n    \"%s\": [", what);
    for (int i = 0, k = 0; i < matrix->rows; i++)
        for (; k < matrix->ptr[i + 1]; k++) {
            phx_output_text(output, k ? ", " : "");
            if (what[0] == 'v')
                phx_output_number(output, matrix->val[k]);
            else
                phx_output_format(output, "%d", what[0] == 'r' ? i : matrix->idx[k]);
        }
    phx_output_text(output, "]");
}

static void put_names(phx_output *output, const phx_bundle_item *item)
{
    phx_output_text(output, "[");
    for (int i = 0; i < item->rows; i++) {
        phx_output_text(output, i ? ", " : "");
        phx_output_json(output, item->names[i]);
    }
    phx_output_text(output, "]");
}

/* Writes one item of a bundle as JSON: matrix, sparse matrix as triplets, names, text or number. */
void phx_exchange_put_json_item(phx_output *output, const phx_bundle_item *item)
{
    switch (item->kind) {
    case PHX_BUNDLE_MATRIX:
        exchange_put_matrix(output, item);
        break;
    case PHX_BUNDLE_SPARSE:
        phx_output_format(output, "{\"rows\": %d, \"cols\": %d", item->rows, item->cols);
        put_entries(output, "row", &item->sparse);
        put_entries(output, "col", &item->sparse);
        put_entries(output, "value", &item->sparse);
        phx_output_text(output, "}");
        break;
    case PHX_BUNDLE_NAMES:
        put_names(output, item);
        break;
    case PHX_BUNDLE_TEXT:
        phx_output_json(output, item->text);
        break;
    case PHX_BUNDLE_NUMBER:
        phx_output_number(output, item->number);
        break;
    }
}

void phx_exchange_put_json(phx_output *output, const phx_bundle *bundle)
{
    phx_output_text(output, "{");
    for (int k = 0; k < phx_bundle_count(bundle); k++) {
        const phx_bundle_item *item = phx_bundle_item_at(bundle, k);
        phx_output_text(output, k ? "," : "");
        phx_output_line(output);
        phx_output_format(output, "  \"%s\": ", item->name);
        phx_exchange_put_json_item(output, item);
    }
    phx_output_line(output);
    phx_output_text(output, "}");
    phx_output_line(output);
}

/* ---- the formats ---- */
static phx_status write_json(phx_context *context, const char *path, const phx_bundle *bundle)
{
    phx_output output;
    const phx_status status = phx_output_open(context, path, &output);
    if (status)
        return status;
    phx_exchange_put_json(&output, bundle);
    return phx_output_commit(&output);
}

static phx_status put_mat(phx_context *context, const char *path, const void *bundle)
{
    return phx_exchange_put_mat(context, path, bundle);
}

static phx_status write_mat(phx_context *context, const char *path, const phx_bundle *bundle)
{
    return phx_file_replace(context, path, put_mat, bundle);
}

static phx_status put_h5(phx_context *context, const char *path, const void *bundle)
{
    return phx_exchange_put_h5(context, path, bundle);
}

static phx_status write_h5(phx_context *context, const char *path, const phx_bundle *bundle)
{
    return phx_file_replace(context, path, put_h5, bundle);
}

typedef phx_status writer(phx_context *context, const char *path, const phx_bundle *bundle);

static const struct {
    const char *name, *ending;
    writer *write;
} formats[] = {{"mat", ".mat", write_mat},
               {"h5", ".h5", write_h5},
               {"json", ".json", write_json},
               {"mtx", "_mtx", phx_exchange_put_mtx}};
enum { FORMATS = sizeof formats / sizeof *formats };

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    if (n <= m)
        return false;
    for (size_t k = 0; k < m; k++)
        if (tolower((unsigned char)path[n - m + k]) != ending[k])
            return false;
    return true;
}

/* NULL when none has that ending. */
static writer *writer_of(const char *path)
{
    for (int k = 0; k < FORMATS; k++)
        if (ends_with(path, formats[k].ending))
            return formats[k].write;
    return NULL;
}

phx_status phx_exchange_check(phx_context *context, const char *path)
{
    if (!path)
        return phx_fail_null(context, __func__, "path");
    if (writer_of(path))
        return PHX_OK;
    if (!strcmp(path, "-"))
        return phx_fail(context, PHX_ERR_INPUT,
                        "-: a linear model does not go to standard output as a file; --format json prints it there");
    return phx_fail(context, PHX_ERR_INPUT,
                    "%s: cannot tell the format from this name; let it end with .mat, .h5, "
                    ".json, or _mtx for a folder",
                    path);
}

/* Not over the files that the bundle was made of. */
static phx_status write_as(phx_context *context, const char *path, writer *write, const phx_bundle *bundle)
{
    phx_files_begin(context);
    phx_status status = phx_bundle_protect(context, bundle);
    if (!status)
        status = write(context, path, bundle);
    phx_files_end(context);
    return status;
}

phx_status phx_exchange_write(phx_context *context, const char *path, const phx_bundle *bundle)
{
    if (!path || !bundle)
        return phx_fail_null(context, __func__, "path or bundle");
    phx_status status = phx_bundle_status(bundle);
    if (!status)
        status = phx_exchange_check(context, path);
    return status ? status : write_as(context, path, writer_of(path), bundle);
}

phx_status phx_exchange_write_as(phx_context *context, const char *path, const char *format, const phx_bundle *bundle)
{
    if (!path || !format || !bundle)
        return phx_fail_null(context, __func__, "path, format or bundle");
    const phx_status status = phx_bundle_status(bundle);
    for (int k = 0; k < FORMATS && !status; k++)
        if (strcmp(formats[k].name, format) == 0)
            return write_as(context, path, formats[k].write, bundle);
    return status ? status : phx_fail(context, PHX_ERR_INPUT, "'%s' is no format of exchange files", format);
}

phx_status phx_exchange_print(phx_context *context, const phx_bundle *bundle, FILE *stream, const char *name)
{
    if (!bundle || !stream)
        return phx_fail_null(context, __func__, "bundle or stream");
    phx_output output;
    phx_status status = phx_bundle_status(bundle);
    if (!status)
        status = phx_output_open_stream(context, stream, name, &output);
    if (status)
        return status;
    phx_exchange_put_json(&output, bundle);
    return phx_output_commit(&output);
}
