/* Workbooks of Office Open XML (.xlsx) with one sheet: a row of names, then rows of numbers. Private to the store. */
#ifndef PHX_RESULTS_WORKBOOK_H
#define PHX_RESULTS_WORKBOOK_H

#include "base/base.h"

typedef struct phx_workbook phx_workbook;
/* `path` is the file that phx_workbook_finish writes. PHX_ERR_LIBRARY without libxlsxwriter. */
phx_status phx_workbook_create(phx_context *context, const char *path, int n_columns, phx_workbook **workbook);
phx_status phx_workbook_name(phx_workbook *workbook, int column, const char *name);
/* NAN leaves its cell empty. */
phx_status phx_workbook_append(phx_workbook *workbook, const double *values);
phx_status phx_workbook_finish(phx_workbook *workbook);
void phx_workbook_destroy(phx_workbook *workbook); /* NULL is allowed */

#endif
