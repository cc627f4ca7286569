/* Exchange files as MAT-files of version 5, by matio. */
#define _XOPEN_SOURCE 700
#include "exchange.h"
#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <loaded/matio.h>
#include <string.h>
#include <unistd.h>

/* In place of matio's own text, which has the time of day in it. */
static const char header[] = "MATLAB 5.0 MAT-file, written by Phlexor";

enum { REPLACEMENT = 0xFFFD }; /* for a character that cannot be written */

/* ---- variables: free with Mat_VarFree; NULL when memory is out ---- */

/* Column-major, as MATLAB has it, page after page. */
static double *mat_columns_of(phx_context *context, const phx_bundle_item *item, const double *values)
{
    const size_t rows = (size_t)item->rows, cols = (size_t)item->cols, pages = item->pages ? (size_t)item->pages : 1;
    double *out = phx_calloc(context, pages * rows * cols, sizeof *out);
    for (size_t page = 0; out && page < pages; page++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < cols; j++)
                out[(page * cols + j) * rows + i] = values[(page * rows + i) * cols + j];
    return out;
}

/* An empty matrix is real: there is no imaginary part to keep, and matio leaves the pointers to both parts of an empty
 * complex one as they are when it reads it. */
static matvar_t *matrix_variable(phx_context *context, const phx_bundle_item *item)
{
    size_t extent[3] = {(size_t)item->rows, (size_t)item->cols, (size_t)item->pages};
    const int rank = item->pages ? 3 : 2;
    const bool complex = item->im && item->rows > 0 && item->cols > 0;
    double *re = mat_columns_of(context, item, item->re);
    double *im = complex ? mat_columns_of(context, item, item->im) : NULL;
    mat_complex_split_t parts = {re, im};
    matvar_t *variable = NULL;
    if (re && (im || !complex))
        variable = complex ? Mat_VarCreate(item->name, MAT_C_DOUBLE, MAT_T_DOUBLE, rank, extent, &parts, MAT_F_COMPLEX)
                           : Mat_VarCreate(item->name, MAT_C_DOUBLE, MAT_T_DOUBLE, rank, extent, re, 0);
    phx_free(re);
    phx_free(im);
    return variable;
}

static mat_uint32_t *unsigned_of(phx_context *context, int count, const int *values)
{
    mat_uint32_t *out = phx_calloc(context, (size_t)count, sizeof *out);
    for (int k = 0; out && k < count; k++)
        out[k] = (mat_uint32_t)values[k];
    return out;
}

/* Columns of A are rows of A^T. */
static matvar_t *sparse_variable(phx_context *context, const phx_bundle_item *item)
{
    size_t extent[2] = {(size_t)item->rows, (size_t)item->cols};
    phx_csr columns;
    matvar_t *variable = NULL;
    if (phx_csr_transpose(context, &item->sparse, &columns))
        return NULL;
    const int count = columns.ptr[columns.rows];
    mat_uint32_t *ir = unsigned_of(context, count, columns.idx);
    mat_uint32_t *jc = unsigned_of(context, columns.rows + 1, columns.ptr);
    mat_sparse_t sparse = {.nzmax = (mat_uint32_t)count,
                           .ir = ir,
                           .nir = (mat_uint32_t)count,
                           .jc = jc,
                           .njc = (mat_uint32_t)(columns.rows + 1),
                           .ndata = (mat_uint32_t)count,
                           .data = columns.val};
    if (ir && jc)
        variable = Mat_VarCreate(item->name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, extent, &sparse, 0);
    phx_free(ir);
    phx_free(jc);
    phx_csr_free(&columns);
    return variable;
}

/* The next character of UTF-8 as its number; what is none counts byte by byte. */
static unsigned long next_character(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    const int more = c[0] >= 0xF0 && c[0] < 0xF8 ? 3 : c[0] >= 0xE0 && c[0] < 0xF0 ? 2 : c[0] >= 0xC2 && c[0] < 0xE0;
    unsigned long value = more == 3 ? c[0] & 0x07u : more == 2 ? c[0] & 0x0Fu : more == 1 ? c[0] & 0x1Fu : c[0];
    for (int k = 1; k <= more; k++) {
        if ((c[k] & 0xC0) != 0x80) {
            ++*text;
            return REPLACEMENT;
        }
        value = value << 6 | (c[k] & 0x3Fu);
    }
    *text += more + 1;
    return c[0] >= 0x80 && more == 0 ? REPLACEMENT : value;
}

/* Characters of MATLAB are units of UTF-16; one that would take two of them SciPy cannot read. */
static matvar_t *text_variable(phx_context *context, const char *name, const char *text)
{
    size_t extent[2] = {text[0] ? 1 : 0, 0};
    mat_uint16_t *units = phx_calloc(context, strlen(text), sizeof *units);
    if (!units)
        return NULL;
    while (*text) {
        const unsigned long value = next_character(&text);
        units[extent[1]++] = (mat_uint16_t)(value < 0x10000 ? value : REPLACEMENT);
    }
    matvar_t *variable = Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF16, 2, extent, units, 0);
    phx_free(units);
    return variable;
}

/* Creates a cell array of texts for a MAT-file; NULL if memory is short. */
static matvar_t *names_variable(phx_context *context, const phx_bundle_item *item)
{
    size_t extent[2] = {(size_t)item->rows, item->rows ? 1 : 0};
    matvar_t **cells = phx_calloc(context, (size_t)item->rows, sizeof(matvar_t *));
    matvar_t *variable = NULL;
    int made = 0;
    while (cells && made < item->rows && (cells[made] = text_variable(context, NULL, item->names[made])))
        made++;
    if (cells && made == item->rows)
        variable = Mat_VarCreate(item->name, MAT_C_CELL, MAT_T_CELL, 2, extent, cells, 0);
    for (int k = 0; !variable && k < made; k++)
        Mat_VarFree(cells[k]);
    phx_free(cells);
    return variable;
}

/* Creates the MAT-file variable of one item; NULL if memory is short. */
static matvar_t *make_variable(phx_context *context, const phx_bundle_item *item)
{
    size_t one[2] = {1, 1};
    double number = item->number;
    switch (item->kind) {
    case PHX_BUNDLE_MATRIX:
        return matrix_variable(context, item);
    case PHX_BUNDLE_SPARSE:
        return sparse_variable(context, item);
    case PHX_BUNDLE_NAMES:
        return names_variable(context, item);
    case PHX_BUNDLE_TEXT:
        return text_variable(context, item->name, item->text);
    case PHX_BUNDLE_NUMBER:
        return Mat_VarCreate(item->name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &number, 0);
    }
    return NULL;
}

/* ---- the file ---- */
static bool is_empty(const matvar_t *variable)
{
    return variable->dims[0] == 0 || variable->dims[1] == 0;
}

/* `error` keeps the first errno, which matio does not hand on. */
static phx_status write_variables(phx_context *context, mat_t *file, const phx_bundle *bundle, int *error)
{
    bool failed = false;
    for (int k = 0; k < phx_bundle_count(bundle) && !failed; k++) {
        matvar_t *variable = make_variable(context, phx_bundle_item_at(bundle, k));
        if (!variable)
            return PHX_ERR_MEMORY;
        errno = 0;
        failed = Mat_VarWrite(file, variable, is_empty(variable) ? MAT_COMPRESSION_NONE : MAT_COMPRESSION_ZLIB) != 0;
        *error = *error ? *error : errno;
        Mat_VarFree(variable);
    }
    return failed ? PHX_ERR_FILE : PHX_OK;
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || (a && b && memcmp(a, b, size) == 0);
}

static bool same_data(const matvar_t *a, const matvar_t *b)
{
    if (a->class_type == MAT_C_SPARSE) {
        const mat_sparse_t *s = a->data, *t = b->data;
        return s && t && s->ndata == t->ndata && s->njc == t->njc && same_bytes(s->data, t->data, 8u * s->ndata) &&
               same_bytes(s->jc, t->jc, 4u * s->njc) && same_bytes(s->ir, t->ir, 4u * s->ndata);
    }
    if (a->isComplex) {
        const mat_complex_split_t *s = a->data, *t = b->data;
        return t && same_bytes(s->Re, t->Re, a->nbytes) && same_bytes(s->Im, t->Im, a->nbytes);
    }
    return same_bytes(a->data, b->data, a->nbytes);
}

static bool same_variable(const matvar_t *a, const matvar_t *b)
{
    if (!b || a->class_type != b->class_type || a->rank != b->rank || a->isComplex != b->isComplex)
        return false;
    for (int k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k])
            return false;
    if (a->class_type != MAT_C_CELL)
        return same_data(a, b);
    for (size_t k = 0; k < a->dims[0] * a->dims[1]; k++)
        if (!same_variable(((matvar_t *const *)a->data)[k], ((matvar_t *const *)b->data)[k]))
            return false;
    return true;
}

/* matio does not report every failed write: the contents of the file are compared with the bundle, variable by variable
 * in the order of the file. */
static phx_status read_back(phx_context *context, const char *path, const phx_bundle *bundle)
{
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    phx_status status = file ? PHX_OK : PHX_ERR_FILE;
    for (int k = 0; k < phx_bundle_count(bundle) && !status; k++) {
        const phx_bundle_item *item = phx_bundle_item_at(bundle, k);
        matvar_t *wanted = make_variable(context, item), *found = Mat_VarReadNext(file);
        const bool same = wanted && found && !strcmp(item->name, found->name) && same_variable(wanted, found);
        status = !wanted ? PHX_ERR_MEMORY : same ? PHX_OK : PHX_ERR_FILE;
        Mat_VarFree(wanted);
        Mat_VarFree(found);
    }
    if (file)
        Mat_Close(file);
    return status;
}

static phx_status synchronise(phx_context *context, const char *path)
{
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    const bool durable = descriptor >= 0 && fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0)
        close(descriptor);
    return durable ? PHX_OK : phx_file_fail(context, path, "write", error);
}

/* matio does not give a reason of a failure. If it is not the file, it is an allocation. */
static phx_status fail_matio(phx_context *context, const char *path, const char *action, int error)
{
    if (error)
        return phx_file_fail(context, path, action, error);
    return phx_fail(context, PHX_ERR_MEMORY, "%s: cannot %s: matio gives no reason, so it is out of memory", path,
                    action);
}

/* Writes a bundle to a MAT-file of version 5 and reads it back to detect an incomplete file. */
phx_status phx_exchange_put_mat(phx_context *context, const char *path, const phx_bundle *bundle)
{
    int error = 0;
    if (phx_load_matio(context))
        return PHX_ERR_LIBRARY;
    errno = 0;
    mat_t *file = Mat_CreateVer(path, header, MAT_FT_MAT5);
    if (!file)
        return fail_matio(context, path, "create", errno);
    phx_status status = write_variables(context, file, bundle, &error);
    errno = 0;
    if (Mat_Close(file) != 0 && !status)
        status = PHX_ERR_FILE;
    error = error ? error : errno;
    if (!status)
        status = read_back(context, path, bundle);
    if (status == PHX_ERR_FILE)
        return fail_matio(context, path, "write", error);
    return status ? status : synchronise(context, path);
}
