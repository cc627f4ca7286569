/* The matrices of a deformation without their zeros: on the common pattern most entries of most matrices vanish. */
#include "fe/fe.h"

#include <string.h>

static void free_matrix(phx_flex_matrix *flex_matrix)
{
    phx_free(flex_matrix->row);
    phx_free(flex_matrix->ptr);
    phx_free(flex_matrix->idx);
    phx_free(flex_matrix->val);
}

static void free_stack(phx_flex_stack *stack)
{
    phx_free(stack->length);
    phx_free(stack->count);
    phx_free(stack->row);
    phx_free(stack->idx);
    phx_free(stack->val);
    phx_free(stack->column_at);
    phx_free(stack->columns);
}

/* Frees the compact matrices; NULL is allowed. */
void phx_flex_free_compact(phx_flex_compact *compact)
{
    if (!compact)
        return;
    free_stack(&compact->mass);
    free_stack(&compact->stiffness);
    free_stack(&compact->gyro);
    free_stack(&compact->pairs);
    free_stack(&compact->moments);
    free_matrix(&compact->K);
    for (int k = 0; k < 3; k++)
        free_matrix(&compact->A[k]);
    for (int p = 0; p < PHX_MAX_PAIR; p++)
        free_matrix(&compact->Q[p]);
    phx_free(compact);
}

/* Copies a matrix over the common pattern without its zeros and empty rows. */
static phx_status make_matrix(phx_context *context, const phx_flex *flex, const double *val, phx_flex_matrix *out)
{
    int entries = 0, rows = 0;

    for (int i = 0; i < flex->n; i++) {
        const int before = entries;
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            entries += val[e] != 0.0;
        rows += entries > before;
    }
    out->row = phx_calloc(context, (size_t)rows, sizeof *out->row);
    out->ptr = phx_calloc(context, (size_t)rows + 1, sizeof *out->ptr);
    out->idx = phx_calloc(context, (size_t)entries, sizeof *out->idx);
    out->val = phx_calloc(context, (size_t)entries, sizeof *out->val);
    if (!out->row || !out->ptr || !out->idx || !out->val)
        return PHX_ERR_MEMORY;
    for (int i = 0, at = 0; i < flex->n; i++) {
        const int before = at;
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            if (val[e] != 0.0) {
                out->idx[at] = flex->idx[e];
                out->val[at++] = val[e];
            }
        if (at == before)
            continue;
        out->row[out->n_rows++] = i;
        out->ptr[out->n_rows] = at;
    }
    return PHX_OK;
}

/* Matrices of `rows` x flex->n each: on the pattern of the flex, or (ptr NULL) dense; rows are filled up to multiples
 * of `unit` entries. */
typedef struct stack_def {
    const phx_flex *flex;
    int matrices, rows, unit;
    const int *ptr;
    double *const *val;
} stack_def;

/* A row of a full matrix that hardly has a zero keeps it: then all rows have the same columns. (The A_k are
 * antisymmetric; those of beams are sparse.) */
static bool keeps_zeros(const stack_def *def, int row)
{
    const int n = def->flex->n, i = row % def->rows;
    const double *from = def->val[row / def->rows];
    int zeros = 0;

    if (!def->ptr || def->ptr[i + 1] - def->ptr[i] < n || n <= 2 * def->unit)
        return false;
    for (int e = def->ptr[i]; e < def->ptr[i + 1]; e++)
        zeros += from[e] == 0.0;
    return zeros <= def->unit;
}

/* Entries of row number `row` of the stack that are not zero, into idx and val where these are given; their number. */
static int take_row(const stack_def *def, int row, int *idx, double *val)
{
    const int n = def->flex->n, i = row % def->rows, first = def->ptr ? def->ptr[i] : 0;
    const double *from = def->val[row / def->rows];
    const bool all = keeps_zeros(def, row);
    int count = 0;

    for (int e = first; e < (def->ptr ? def->ptr[i + 1] : n); e++) {
        if (from[e] == 0.0 && !all)
            continue;
        if (idx) {
            idx[count] = def->ptr ? def->flex->idx[e] : e;
            val[count] = from[e];
        }
        count++;
    }
    return count;
}

/* The lengths of all rows, filled up unless they are full; the largest, and the sum. */
static int measure_rows(const stack_def *def, int *lengths, int *entries)
{
    int most = 0;

    *entries = 0;
    for (int row = 0; row < def->matrices * def->rows; row++) {
        const int unit = keeps_zeros(def, row) ? 1 : def->unit, count = take_row(def, row, NULL, NULL);
        lengths[row] = (count + unit - 1) / unit * unit;
        most = lengths[row] > most ? lengths[row] : most;
        *entries += lengths[row];
    }
    return most;
}

/* Fills the stacked rows sorted by their number of entries, one group for each length. */
static void fill_stack(const stack_def *def, const int *lengths, int most, phx_flex_stack *out)
{
    for (int length = 0, rows = 0, at = 0; length <= most; length++) {
        const int before = rows;
        for (int row = 0; row < def->matrices * def->rows; row++) {
            if (lengths[row] != length)
                continue;
            (void)take_row(def, row, out->idx + at, out->val + at);
            out->row[rows++] = row;
            at += length;
        }
        if (rows == before)
            continue;
        out->length[out->n_groups] = length;
        out->count[out->n_groups++] = rows - before;
    }
}

/* More than a few rows, all with the columns of the first. */
static bool has_common_columns(int length, int count, const int *idx)
{
    for (int row = 1; row < count; row++)
        if (memcmp(idx, idx + row * length, (size_t)length * sizeof *idx) != 0)
            return false;
    return length > 0 && count >= 4;
}

/* Stores groups of rows that have the same columns once more by columns, padded for registers; column_at is -1 for
 * other groups. */
static phx_status fill_columns(phx_context *context, phx_flex_stack *stack)
{
    int room = 0;

    stack->column_at = phx_calloc(context, (size_t)stack->n_groups, sizeof *stack->column_at);
    if (!stack->column_at)
        return PHX_ERR_MEMORY;
    for (int g = 0, from = 0; g < stack->n_groups; from += stack->length[g] * stack->count[g], g++) {
        const bool common = has_common_columns(stack->length[g], stack->count[g], stack->idx + from);
        stack->column_at[g] = common ? room : -1;
        room += common ? stack->length[g] * phx_flex_stack_stride(stack->count[g]) : 0;
    }
    stack->columns = phx_calloc(context, (size_t)room, sizeof *stack->columns);
    if (!stack->columns)
        return PHX_ERR_MEMORY;
    for (int g = 0, from = 0; g < stack->n_groups; from += stack->length[g] * stack->count[g], g++) {
        const int length = stack->length[g], count = stack->count[g], stride = phx_flex_stack_stride(count);
        for (int row = 0; row < count && stack->column_at[g] >= 0; row++)
            for (int e = 0; e < length; e++)
                stack->columns[stack->column_at[g] + e * stride + row] = stack->val[from + row * length + e];
    }
    return PHX_OK;
}

/* Stacks the rows of several matrices without zeros, grouped by length. */
static phx_status make_stack(phx_context *context, const stack_def *def, phx_flex_stack *out)
{
    const size_t rows = (size_t)(def->matrices * def->rows);
    int *lengths = phx_calloc(context, rows, sizeof *lengths), entries = 0;
    phx_status status = PHX_ERR_MEMORY;

    if (!lengths)
        return status;
    const int most = measure_rows(def, lengths, &entries);
    out->length = phx_calloc(context, (size_t)most + 1, sizeof *out->length);
    out->count = phx_calloc(context, (size_t)most + 1, sizeof *out->count);
    out->row = phx_calloc(context, rows, sizeof *out->row);
    out->idx = phx_calloc(context, (size_t)entries, sizeof *out->idx);
    out->val = phx_calloc(context, (size_t)entries, sizeof *out->val);
    if (out->length && out->count && out->row && out->idx && out->val) {
        fill_stack(def, lengths, most, out);
        status = fill_columns(context, out);
    }
    phx_free(lengths);
    return status;
}

/* Stacks of M, K, all A_k, all Q_p and the moments S and C of a deformation. */
static phx_status make_stacks(phx_context *context, const phx_flex *flex, phx_flex_compact *compact)
{
    enum { NODE = 3 };
    const int n = flex->n, *ptr = flex->ptr;
    double *moments[6];

    for (int a = 0; a < flex->dim; a++)
        moments[a] = flex->S + a * n;
    for (int k = 0; k < flex->n_rot; k++)
        moments[flex->dim + k] = flex->C + k * n;
    phx_status status = make_stack(context, &(stack_def){flex, 1, n, NODE, ptr, &flex->M}, &compact->mass);

    if (!status)
        status = make_stack(context, &(stack_def){flex, 1, n, NODE, ptr, &flex->K}, &compact->stiffness);
    if (!status)
        status = make_stack(context, &(stack_def){flex, flex->n_rot, n, NODE, ptr, flex->A}, &compact->gyro);
    if (!status)
        status = make_stack(context, &(stack_def){flex, flex->n_pair, n, NODE, ptr, flex->Q}, &compact->pairs);
    if (!status)
        status =
            make_stack(context, &(stack_def){flex, flex->dim + flex->n_rot, 1, 1, NULL, moments}, &compact->moments);
    return status;
}

/* Makes the matrices without zeros from a complete deformation and replaces earlier ones; after an error those stay. */
phx_status phx_flex_make_compact(phx_context *context, phx_flex *flex)
{
    if (!flex)
        return phx_fail_null(context, __func__, "flex");
    phx_flex_compact *compact = phx_calloc(context, 1, sizeof *compact);
    phx_status status = compact ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && flex->n > 0)
        status = make_stacks(context, flex, compact);
    if (!status && flex->n > 0)
        status = make_matrix(context, flex, flex->K, &compact->K);
    for (int k = 0; k < flex->n_rot && flex->n > 0 && !status; k++)
        status = make_matrix(context, flex, flex->A[k], &compact->A[k]);
    for (int p = 0; p < flex->n_pair && flex->n > 0 && !status; p++)
        status = make_matrix(context, flex, flex->Q[p], &compact->Q[p]);
    if (status) {
        phx_flex_free_compact(compact);
        return status;
    }
    phx_flex_free_compact(flex->compact);
    flex->compact = compact;
    return PHX_OK;
}
