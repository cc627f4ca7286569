/* Exchange files as a folder of Matrix Market files, one for each matrix, with contents.json for all other data. */
#include "exchange.h"
#include "results/motion/folder.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 80 };

typedef enum mtx_symmetry { GENERAL, SYMMETRIC, SKEW } mtx_symmetry;
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};

/* ---- symmetry, to the last digit; a matrix of zeros is symmetric ---- */
static bool mtx_is_zero(const phx_csr *matrix)
{
    for (int k = 0; k < matrix->ptr[matrix->rows]; k++)
        if (matrix->val[k] != 0.0)
            return false;
    return true;
}

/* Determines whether a sparse matrix is exactly symmetric, skew or general. */
static phx_status sparse_symmetry(phx_context *context, const phx_csr *matrix, mtx_symmetry *symmetry)
{
    static const struct {
        double sign;
        mtx_symmetry symmetry;
    } kinds[] = {{-1.0, SYMMETRIC}, {1.0, SKEW}};
    phx_csr transpose = {0};
    *symmetry = GENERAL;
    if (matrix->rows != matrix->cols)
        return PHX_OK;
    phx_status status = phx_csr_transpose(context, matrix, &transpose);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !status && *symmetry == GENERAL; k++) {
        phx_csr sum = {0};
        status = phx_csr_add(context, 1.0, matrix, kinds[k].sign, &transpose, &sum);
        if (!status && mtx_is_zero(&sum))
            *symmetry = kinds[k].symmetry;
        phx_csr_free(&sum);
    }
    phx_csr_free(&transpose);
    return status;
}

static mtx_symmetry dense_symmetry(const phx_bundle_item *item)
{
    const size_t n = (size_t)item->rows;
    bool symmetric = item->rows == item->cols, skew = symmetric && !item->im;
    symmetric = symmetric && !item->im;
    for (size_t i = 0; i < n && (symmetric || skew); i++)
        for (size_t j = 0; j <= i; j++) {
            symmetric = symmetric && item->re[i * n + j] == item->re[j * n + i];
            skew = skew && item->re[i * n + j] == -item->re[j * n + i];
        }
    return symmetric ? SYMMETRIC : skew ? SKEW : GENERAL;
}

/* ---- one file ---- */
/* The lines of a text as comments. */
static void put_comment(phx_output *out, const char *label, const char *text)
{
    if (!text[0])
        return;
    phx_output_format(out, "%% %s", label);
    for (; *text; text++) {
        const char letter[2] = {*text, '\0'};
        if (*text == '\n') {
            phx_output_line(out);
            phx_output_text(out, "% ");
        } else {
            phx_output_text(out, letter);
        }
    }
    phx_output_line(out);
}

/* As coordinates: what is sparse, and a dense matrix without rows, whose columns SciPy would count from its entries. */
static bool has_coordinates(const phx_bundle_item *item)
{
    return item->kind == PHX_BUNDLE_SPARSE || (item->rows == 0 && item->cols > 0);
}

static void mtx_put_head(phx_output *out, const phx_bundle_item *item, mtx_symmetry symmetry)
{
    phx_output_format(out, "%%%%MatrixMarket matrix %s %s %s", has_coordinates(item) ? "coordinate" : "array",
                      item->im ? "complex" : "real", symmetries[symmetry]);
    phx_output_line(out);
    put_comment(out, "", item->meaning);
    put_comment(out, "unit: ", item->unit);
}

/* Whether the entry stands in a file of that symmetry. */
static bool is_kept(mtx_symmetry symmetry, int row, int col)
{
    return symmetry == GENERAL || (symmetry == SYMMETRIC ? col <= row : col < row);
}

static int count_kept(const phx_csr *matrix, mtx_symmetry symmetry)
{
    int count = 0;
    for (int i = 0; i < matrix->rows; i++)
        for (int k = matrix->ptr[i]; k < matrix->ptr[i + 1]; k++)
            count += is_kept(symmetry, i, matrix->idx[k]);
    return count;
}

static void mtx_put_sparse(phx_output *out, const phx_csr *matrix, mtx_symmetry symmetry)
{
    phx_output_format(out, "%d %d %d", matrix->rows, matrix->cols, count_kept(matrix, symmetry));
    phx_output_line(out);
    for (int i = 0; i < matrix->rows; i++)
        for (int k = matrix->ptr[i]; k < matrix->ptr[i + 1]; k++) {
            if (!is_kept(symmetry, i, matrix->idx[k]))
                continue;
            phx_output_format(out, "%d %d ", i + 1, matrix->idx[k] + 1);
            phx_output_number(out, matrix->val[k]);
            phx_output_line(out);
        }
}

/* Column after column. */
static void put_dense(phx_output *out, const phx_bundle_item *item, mtx_symmetry symmetry)
{
    phx_output_format(out, has_coordinates(item) ? "%d %d 0" : "%d %d", item->rows, item->cols);
    phx_output_line(out);
    for (int j = 0; j < item->cols; j++)
        for (int i = 0; i < item->rows; i++) {
            const size_t at = (size_t)i * (size_t)item->cols + (size_t)j;
            if (!is_kept(symmetry, i, j))
                continue;
            phx_output_number(out, item->re[at]);
            if (item->im) {
                phx_output_text(out, " ");
                phx_output_number(out, item->im[at]);
            }
            phx_output_line(out);
        }
}

/* Writes one matrix to a Matrix Market file of the folder; of symmetric and skew matrices one triangle is written.
 * *symmetry receives the kind. */
static phx_status write_matrix(phx_context *context, phx_folder *folder, const phx_bundle_item *item,
                               mtx_symmetry *symmetry)
{
    char name[NAME_SIZE];
    phx_output out;
    phx_status status = PHX_OK;
    snprintf(name, sizeof name, "%s.mtx", item->name);
    *symmetry = GENERAL;
    if (item->kind == PHX_BUNDLE_SPARSE)
        status = sparse_symmetry(context, &item->sparse, symmetry);
    else
        *symmetry = dense_symmetry(item);
    if (!status)
        status = phx_output_open_in_folder(context, phx_folder_path(folder, name), &out);
    if (status)
        return status;
    mtx_put_head(&out, item, *symmetry);
    if (item->kind == PHX_BUNDLE_SPARSE)
        mtx_put_sparse(&out, &item->sparse, *symmetry);
    else
        put_dense(&out, item, *symmetry);
    return phx_output_commit(&out);
}

/* ---- the folder ---- */
static bool is_matrix(const phx_bundle_item *item)
{
    return item->kind == PHX_BUNDLE_MATRIX || item->kind == PHX_BUNDLE_SPARSE;
}

static void put_matrix_entry(phx_output *out, const phx_bundle_item *item, mtx_symmetry symmetry)
{
    phx_output_format(out,
                      "    {\"name\": \"%s\", \"file\": \"%s.mtx\", \"rows\": %d, \"cols\": %d, \"symmetry\": \"%s\", ",
                      item->name, item->name, item->rows, item->cols, symmetries[symmetry]);
    phx_output_text(out, "\"meaning\": ");
    phx_output_json(out, item->meaning);
    phx_output_text(out, ", \"unit\": ");
    phx_output_json(out, item->unit);
    phx_output_text(out, "}");
}

/* The matrices in the order of the bundle, then every other item by its name. */
static phx_status write_contents(phx_context *context, phx_folder *folder, const phx_bundle *bundle,
                                 const mtx_symmetry *symmetry)
{
    phx_output out;
    const phx_status status = phx_output_open_in_folder(context, phx_folder_path(folder, "contents.json"), &out);
    bool first = true;
    if (status)
        return status;
    phx_output_format(
        &out, "{\n  \"format\": \"phlexor matrices\",\n  \"format_version\": 1,\n  \"program_version\": \"%s\",",
        phx_version());
    phx_output_text(&out, "\n  \"matrices\": [");
    for (int k = 0; k < phx_bundle_count(bundle); k++) {
        const phx_bundle_item *item = phx_bundle_item_at(bundle, k);
        if (!is_matrix(item))
            continue;
        phx_output_text(&out, first ? "\n" : ",\n");
        put_matrix_entry(&out, item, symmetry[k]);
        first = false;
    }
    phx_output_text(&out, "],\n  \"items\": {");
    first = true;
    for (int k = 0; k < phx_bundle_count(bundle); k++) {
        const phx_bundle_item *item = phx_bundle_item_at(bundle, k);
        if (is_matrix(item))
            continue;
        phx_output_format(&out, "%s\n    \"%s\": ", first ? "" : ",", item->name);
        phx_exchange_put_json_item(&out, item);
        first = false;
    }
    phx_output_text(&out, "}\n}");
    phx_output_line(&out);
    return phx_output_commit(&out);
}

static bool is_ours(const char *name)
{
    return strstr(name, ".mtx") != NULL || !strncmp(name, "contents.json", 13);
}

/* Writes all matrices of a bundle to Matrix Market files and the rest to a list in one folder, which appears only when
 * complete. Arrays with pages are refused. */
phx_status phx_exchange_put_mtx(phx_context *context, const char *path, const phx_bundle *bundle)
{
    const int count = phx_bundle_count(bundle);
    phx_folder folder = {0};
    for (int k = 0; k < count; k++)
        if (phx_bundle_item_at(bundle, k)->pages > 0)
            return phx_fail(context, PHX_ERR_INPUT,
                            "%s: '%s' is an array of matrices, which Matrix Market files cannot have; let the name end "
                            "with .mat, .h5 or .json",
                            path, phx_bundle_item_at(bundle, k)->name);
    mtx_symmetry *symmetry = phx_calloc(context, (size_t)count, sizeof *symmetry);
    phx_status status = symmetry ? phx_folder_create(context, path, is_ours, &folder) : PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++)
        if (is_matrix(phx_bundle_item_at(bundle, k)))
            status = write_matrix(context, &folder, phx_bundle_item_at(bundle, k), &symmetry[k]);
    if (!status)
        status = write_contents(context, &folder, bundle, symmetry);
    if (!status)
        status = phx_folder_publish(&folder);
    phx_free(symmetry);
    phx_folder_free(&folder);
    return status;
}
