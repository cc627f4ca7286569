/* Workbooks by libxlsxwriter, row by row: a row that is complete goes to a temporary file. */
#include "workbook.h"

#include <loaded/xlsxwriter.h>
#include <math.h>

enum { WORKBOOK_DATE = 315532800 }; /* 1980-01-01, so that equal tables are equal files */

struct phx_workbook {
    phx_context *context;
    char *path;
    lxw_workbook *book;
    lxw_worksheet *sheet;
    int n_columns;
    lxw_row_t row; /* the next one */
};

/* The library has been asked for something; its answer. */
static phx_status workbook_check(const phx_workbook *workbook, lxw_error error)
{
    if (error == LXW_NO_ERROR)
        return PHX_OK;
    return phx_fail(workbook->context, error == LXW_ERROR_MEMORY_MALLOC_FAILED ? PHX_ERR_MEMORY : PHX_ERR_FILE,
                    "%s: cannot write the workbook: %s", workbook->path, lxw_strerror(error));
}

/* Loads the library and makes an empty sheet; nothing is written yet. */
phx_status phx_workbook_create(phx_context *context, const char *path, int n_columns, phx_workbook **created)
{
    lxw_workbook_options options = {.constant_memory = LXW_TRUE};
    lxw_doc_properties properties = {.created = WORKBOOK_DATE};

    *created = NULL;
    phx_status status = phx_load_xlsxwriter(context);
    if (status)
        return status;
    if (n_columns > LXW_COL_MAX)
        return phx_fail(context, PHX_ERR_INPUT, "%s: %d columns; a sheet has at most %d, csv any number", path,
                        n_columns, LXW_COL_MAX);
    phx_workbook *workbook = phx_calloc(context, 1, sizeof *workbook);
    if (!workbook)
        return PHX_ERR_MEMORY;
    *workbook = (phx_workbook){.context = context, .n_columns = n_columns, .path = phx_strdup(context, path)};
    workbook->book = workbook->path ? workbook_new_opt(path, &options) : NULL;
    workbook->sheet = workbook->book ? workbook_add_worksheet(workbook->book, "Phlexor") : NULL;
    status = workbook->sheet ? workbook_check(workbook, workbook_set_properties(workbook->book, &properties))
                             : PHX_ERR_MEMORY;
    if (!status)
        worksheet_freeze_panes(workbook->sheet, 1, 1);
    workbook->row = 1;
    if (status)
        phx_workbook_destroy(workbook);
    else
        *created = workbook;
    return status;
}

phx_status phx_workbook_name(phx_workbook *workbook, int column, const char *name)
{
    return workbook_check(workbook, worksheet_write_string(workbook->sheet, 0, (lxw_col_t)column, name, NULL));
}

/* Appends a row of numbers. */
phx_status phx_workbook_append(phx_workbook *workbook, const double *values)
{
    phx_status status = PHX_OK;

    if (workbook->row >= LXW_ROW_MAX)
        return phx_fail(workbook->context, PHX_ERR_INPUT, "%s: a sheet has at most %d rows, csv any number",
                        workbook->path, LXW_ROW_MAX);
    for (int k = 0; k < workbook->n_columns && !status; k++)
        if (isfinite(values[k]))
            status = workbook_check(
                workbook, worksheet_write_number(workbook->sheet, workbook->row, (lxw_col_t)k, values[k], NULL));
    workbook->row++;
    return status;
}

/* Writes the file. The library frees the book also when it fails. */
phx_status phx_workbook_finish(phx_workbook *workbook)
{
    lxw_workbook *book = workbook->book;
    workbook->book = NULL;
    return workbook_check(workbook, workbook_close(book));
}

void phx_workbook_destroy(phx_workbook *workbook)
{
    if (!workbook)
        return;
    if (workbook->book)
        lxw_workbook_free(workbook->book);
    phx_free(workbook->path);
    phx_free(workbook);
}
