/* Matrices from files: MAT-files of version 5 and JSON objects. */
#include "reader.h"

#include <errno.h>
#include <loaded/matio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static phx_status matrix_file_make(phx_reader *reader, const phx_node *node, const char *path, const char *name,
                                   double rows, double cols, phx_model_matrix *matrix)
{
    if (!(rows >= 1.0 && cols >= 1.0 && rows * cols <= 1e7))
        return phx_reader_fail(reader, node, "'%s': matrix %s is %.10g x %.10g; expected a matrix of up to 1e7 entries",
                               path, name, rows, cols);
    matrix->rows = (int)rows;
    matrix->cols = (int)cols;
    matrix->values = phx_reader_calloc(reader, (size_t)matrix->rows * (size_t)matrix->cols, sizeof *matrix->values);
    return matrix->values ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status matrix_file_check_finite(phx_reader *reader, const phx_node *node, const char *path, const char *name,
                                           const phx_model_matrix *matrix)
{
    for (int k = 0; k < matrix->rows * matrix->cols; k++)
        if (!isfinite(matrix->values[k]))
            return phx_reader_fail(reader, node, "'%s': entry (%d, %d) of matrix %s is not finite", path,
                                   k / matrix->cols + 1, k % matrix->cols + 1, name);
    return PHX_OK;
}

/* ---- MAT ---- */
/* False: its rows and columns are not those of a matrix of this size. */
static bool take_sparse(const matvar_t *variable, phx_model_matrix *matrix)
{
    const mat_sparse_t *sparse = variable->data;

    if (!sparse || sparse->njc != (mat_uint32_t)matrix->cols + 1)
        return false;
    const double *values = sparse->data;
    for (int j = 0; j < matrix->cols; j++)
        for (mat_uint32_t k = sparse->jc[j]; k < sparse->jc[j + 1]; k++) {
            if (k >= sparse->nir || k >= sparse->ndata || sparse->ir[k] >= (mat_uint32_t)matrix->rows)
                return false;
            matrix->values[(size_t)sparse->ir[k] * (size_t)matrix->cols + (size_t)j] += values[k];
        }
    return true;
}

/* Copies a variable of a MAT-file, dense or sparse, into a row-major matrix; it must be real, of doubles and finite.
 * An empty variable leaves the matrix empty. */
static phx_status take_variable(phx_reader *reader, const phx_node *node, const char *path, const matvar_t *variable,
                                const char *name, phx_model_matrix *matrix)
{
    const bool sparse = variable->class_type == MAT_C_SPARSE, dense = variable->class_type == MAT_C_DOUBLE;

    if (variable->rank != 2 || variable->isComplex || (!sparse && !dense) || variable->data_type != MAT_T_DOUBLE)
        return phx_reader_fail(reader, node, "'%s': %s is no real matrix of doubles", path, name);
    if (variable->dims[0] == 0 || variable->dims[1] == 0) /* [] stands for nothing */
        return PHX_OK;
    phx_status status =
        matrix_file_make(reader, node, path, name, (double)variable->dims[0], (double)variable->dims[1], matrix);
    if (status)
        return status;
    const double *values = variable->data;
    if (sparse && !take_sparse(variable, matrix))
        return phx_reader_fail(reader, node, "'%s': the sparse matrix %s is damaged", path, name);
    for (int i = 0; i < matrix->rows && dense; i++)
        for (int j = 0; j < matrix->cols; j++)
            matrix->values[i * matrix->cols + j] = values[i + j * matrix->rows];
    return matrix_file_check_finite(reader, node, path, name, matrix);
}

/* Reads the named matrices that a MAT-file has; missing ones stay empty. Version 7.3 is refused. */
static phx_status read_mat(phx_reader *reader, const phx_node *node, const char *path, int count,
                           const phx_named_matrix *matrices)
{
    phx_status status = phx_load_matio(reader->context);
    mat_t *file = status ? NULL : Mat_Open(path, MAT_ACC_RDONLY);

    if (status)
        return status;
    if (!file)
        return phx_reader_fail(reader, node, "cannot open '%s' as a MAT-file", path);
    if (Mat_GetVersion(file) == MAT_FT_MAT73)
        status = phx_reader_fail(reader, node, "'%s' is a MAT-file of version 7.3; save it with -v7 or -v6", path);
    for (int k = 0; k < count && !status; k++) {
        matvar_t *variable = Mat_VarRead(file, matrices[k].name);
        if (variable)
            status = take_variable(reader, node, path, variable, matrices[k].name, matrices[k].matrix);
        Mat_VarFree(variable);
    }
    Mat_Close(file);
    return status;
}

/* ---- JSON, which is YAML ---- */
static phx_status matrix_file_read_entry(phx_reader *reader, const phx_node *node, const char *path, const char *name,
                                         const phx_node *from, double *value)
{
    if (from->kind == PHX_NODE_SCALAR && phx_number_from_text(from->text, value) && isfinite(*value))
        return PHX_OK;
    return phx_reader_fail(reader, node, "%s:%d:%d: expected a finite number in matrix %s, found %s", path,
                           from->source.line, from->source.column, name, phx_shown_node(from).text);
}

/* Reads a matrix as a list of rows of equal length; a number is a 1 x 1 matrix, an empty list leaves it empty. */
static phx_status matrix_file_read_rows(phx_reader *reader, const phx_node *node, const char *path, const char *name,
                                        const phx_node *from, phx_model_matrix *matrix)
{
    const bool list = from->kind == PHX_NODE_LIST && from->count > 0 && from->items[0]->kind == PHX_NODE_LIST;
    phx_status status = PHX_OK;

    if (from->kind == PHX_NODE_LIST && from->count == 0)
        return PHX_OK;
    if (!list && from->kind != PHX_NODE_SCALAR)
        return phx_reader_fail(reader, node, "%s:%d:%d: expected matrix %s as a list of rows", path, from->source.line,
                               from->source.column, name);
    const int cols = list ? from->items[0]->count : 1;
    status = matrix_file_make(reader, node, path, name, list ? from->count : 1, cols, matrix);
    for (int i = 0; i < matrix->rows && !status; i++) {
        const phx_node *row = list ? from->items[i] : NULL;
        if (row && (row->kind != PHX_NODE_LIST || row->count != cols))
            return phx_reader_fail(reader, node, "%s:%d:%d: expected %d numbers in row %d of matrix %s", path,
                                   row->source.line, row->source.column, cols, i + 1, name);
        for (int j = 0; j < cols && !status; j++)
            status = matrix_file_read_entry(reader, node, path, name, row ? row->items[j] : from,
                                            &matrix->values[i * cols + j]);
    }
    return status;
}

/* {"rows", "cols", "row", "col", "value"} */
static phx_status read_sparse(phx_reader *reader, const phx_node *node, const char *path, const char *name,
                              const phx_node *from, phx_model_matrix *matrix)
{
    static const char *const keys[] = {"rows", "cols", "row", "col", "value"};
    const phx_node *part[5];
    double size[2] = {0.0, 0.0};
    phx_status status = PHX_OK;

    for (int k = 0; k < 5; k++) {
        part[k] = phx_node_find(from, keys[k]);
        if (!part[k] || (k >= 2 && (part[k]->kind != PHX_NODE_LIST || part[k]->count != part[2]->count)))
            return phx_reader_fail(reader, node,
                                   "%s:%d:%d: expected rows, cols, row, col and value of the sparse "
                                   "matrix %s, the last three of one length",
                                   path, from->source.line, from->source.column, name);
    }
    for (int k = 0; k < 2 && !status; k++)
        status = matrix_file_read_entry(reader, node, path, name, part[k], &size[k]);
    if (!status)
        status = matrix_file_make(reader, node, path, name, size[0], size[1], matrix);
    for (int e = 0; e < part[2]->count && !status; e++) {
        double at[3] = {0};
        for (int k = 0; k < 3 && !status; k++)
            status = matrix_file_read_entry(reader, node, path, name, part[2 + k]->items[e], &at[k]);
        if (!status && !(at[0] >= 0.0 && at[0] < matrix->rows && at[1] >= 0.0 && at[1] < matrix->cols))
            status = phx_reader_fail(reader, node, "%s: entry %d of matrix %s lies outside of it", path, e + 1, name);
        if (!status)
            matrix->values[(int)at[0] * matrix->cols + (int)at[1]] += at[2];
    }
    return status;
}

/* Reads a file into zero-terminated text owned by the reader; larger files than a model may have are refused. */
static phx_status load_text(phx_reader *reader, const phx_node *node, const char *path, char **text, size_t *length)
{
    FILE *file = fopen(path, "rb");
    phx_status status = PHX_OK;

    if (!file)
        return phx_reader_fail(reader, node, "cannot open '%s': %s", path, strerror(errno));
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || size > PHX_YAML_MAX_BYTES || fseek(file, 0, SEEK_SET) != 0)
        status = phx_reader_fail(reader, node, "cannot read '%s'", path);
    *text = status ? NULL : phx_reader_calloc(reader, (size_t)size + 1, 1);
    if (!status && !*text)
        status = PHX_ERR_MEMORY;
    if (!status) {
        *length = fread(*text, 1, (size_t)size, file);
        if (ferror(file))
            status = phx_reader_fail(reader, node, "cannot read '%s': %s", path, strerror(errno));
    }
    fclose(file);
    return status;
}

/* Reads the named matrices that a JSON file has, dense as lists of rows, sparse as objects; missing ones stay empty. */
static phx_status read_json(phx_reader *reader, const phx_node *node, const char *path, int count,
                            const phx_named_matrix *matrices)
{
    const phx_node *root = NULL;
    char *text = NULL;
    size_t length = 0;
    phx_status status = load_text(reader, node, path, &text, &length);

    if (!status)
        status = phx_yaml_parse(reader->context, &reader->content->memory, &reader->content->memory, path, text, length,
                                &root);
    if (status)
        return status;
    if (root->kind != PHX_NODE_MAP)
        return phx_reader_fail(reader, node, "'%s': expected an object with matrices", path);
    for (int k = 0; k < count && !status; k++) {
        const phx_node *from = phx_node_find(root, matrices[k].name);
        if (from)
            status = (from->kind == PHX_NODE_MAP ? read_sparse : matrix_file_read_rows)(
                reader, node, path, matrices[k].name, from, matrices[k].matrix);
    }
    return status;
}

phx_status phx_read_matrices(phx_reader *reader, const phx_node *node, const char *path, int count,
                             const phx_named_matrix *matrices)
{
    if (ends_with(path, ".mat"))
        return read_mat(reader, node, path, count, matrices);
    if (ends_with(path, ".json"))
        return read_json(reader, node, path, count, matrices);
    return phx_reader_fail(reader, node, "'%s': expected a file that ends in .mat or .json", path);
}
