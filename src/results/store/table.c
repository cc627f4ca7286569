/* Csv files that grow by rows. */
#include "output.h"
#include "workbook.h"

#include <math.h>
#include <string.h>
#include "results/results.h"

struct phx_table {
    phx_output output;
    char *header;
    int n_columns;
    bool has_text, has_row;
    phx_table_style style;
    phx_workbook *workbook; /* instead of lines; NULL: csv */
};

/* The line of names. */
static phx_status make_header(phx_context *context, int n_columns, const char *const *columns, const char *text_column,
                              char **header)
{
    phx_output line;
    phx_status status = phx_output_open_memory(context, &line);

    if (status)
        return status;
    for (int k = 0; k < n_columns; k++) {
        phx_output_text(&line, k ? "," : "");
        phx_output_csv(&line, columns[k]);
    }
    if (text_column) {
        phx_output_text(&line, ",");
        phx_output_csv(&line, text_column);
    }
    phx_output_bytes(&line, "", 1);
    status = line.status;
    if (!status) {
        *header = phx_strdup(context, line.buffer);
        status = *header ? PHX_OK : PHX_ERR_MEMORY;
    }
    phx_output_close(&line, false);
    return status;
}

/* Opens a CSV table and writes its header; text_column optionally names a last column of texts. */
phx_status phx_table_create(phx_context *context, const char *path, int n_columns, const char *const *columns,
                            const char *text_column, phx_table **created)
{
    if (!path || !columns || !created)
        return phx_fail_null(context, __func__, "path, columns or table");
    *created = NULL;
    if (n_columns < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: a table of %d columns; it needs one", path, n_columns);
    phx_table *table = phx_calloc(context, 1, sizeof *table);
    if (!table)
        return PHX_ERR_MEMORY;
    table->n_columns = n_columns;
    table->has_text = text_column != NULL;
    phx_status status = make_header(context, n_columns, columns, text_column, &table->header);
    if (!status)
        status = phx_output_open(context, path, &table->output);
    if (status) {
        phx_free(table->header);
        phx_free(table);
        return status;
    }
    phx_output_text(&table->output, table->header);
    phx_output_line(&table->output);
    *created = table;
    return PHX_OK;
}

/* Appends "name [unit]". */
static phx_status table_label(phx_context *context, const char *name, const char *unit, char **label)
{
    const bool has_unit = unit && unit[0];
    const size_t size = strlen(name) + (has_unit ? strlen(unit) : 0) + sizeof " []";

    *label = phx_calloc(context, size, 1);
    if (!*label)
        return PHX_ERR_MEMORY;
    snprintf(*label, size, has_unit ? "%s [%s]" : "%s", name, unit);
    return PHX_OK;
}

/* The head of a table in its style: a line, or the first row of a workbook. */
static phx_status table_put_head(phx_table *table, const char *const *columns, const char *const *units)
{
    phx_context *context = table->output.context;
    phx_status status = PHX_OK;

    for (int k = 0; k < table->n_columns && !status; k++) {
        char *label = NULL;
        status = table_label(context, columns[k], units && table->style.units ? units[k] : NULL, &label);
        if (!status && table->workbook)
            status = phx_workbook_name(table->workbook, k, label);
        else if (!status) {
            phx_output_text(&table->output, k == 0 ? "" : table->style.comma ? ";" : ",");
            phx_output_csv(&table->output, label);
        }
        phx_free(label);
    }
    if (!table->workbook)
        phx_output_line(&table->output);
    return status;
}

/* Opens a table of numbers in a style and writes its head. */
phx_status phx_table_create_styled(phx_context *context, const char *path, int n_columns, const char *const *columns,
                                   const char *const *units, const phx_table_style *style, phx_table **created)
{
    if (!path || !columns || !style || !created)
        return phx_fail_null(context, __func__, "path, columns, style or table");
    *created = NULL;
    if (style->workbook && !strcmp(path, "-"))
        return phx_fail(context, PHX_ERR_INPUT, "a workbook cannot be written to standard output; name a FILE.xlsx");
    phx_table *table = phx_calloc(context, 1, sizeof *table);
    if (!table)
        return PHX_ERR_MEMORY;
    table->n_columns = n_columns;
    table->style = *style;
    phx_status status = phx_output_open(context, path, &table->output);
    if (!status && style->workbook)
        status = phx_workbook_create(context, table->output.partial ? table->output.partial : path, n_columns,
                                     &table->workbook);
    if (!status)
        status = table_put_head(table, columns, units);
    if (status)
        phx_table_destroy(table);
    else
        *created = table;
    return status;
}

const char *phx_table_header(const phx_table *table)
{
    return table->header;
}

/* On one line. */
static void append_text(phx_output *output, const char *text)
{
    char line[1000];
    size_t n = 0;
    for (; text[n] && n < sizeof line - 1; n++)
        line[n] = text[n];
    while (text[n] && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) /* not within a character of UTF-8 */
        n--;
    line[n] = '\0';
    for (size_t k = 0; k < n; k++)
        if (line[k] == '\n' || line[k] == '\r')
            line[k] = ' ';
    phx_output_csv(output, line);
}

/* A number with a decimal comma. Of 1.125, with three decimals, a reader could take the comma for one that separates
 * thousands, so it becomes 1,1250. */
static void put_with_comma(phx_output *output, double value)
{
    enum { GROUP = 3 };
    char text[PHX_NUMBER_SIZE + 1];

    phx_number_format(value, 17, text);
    char *point = strchr(text, '.');
    if (point && strspn(point + 1, "0123456789") == GROUP && !point[1 + GROUP])
        strcat(text, "0");
    if (point)
        *point = ',';
    phx_output_text(output, text);
}

/* Appends a row and writes it out; values that are not finite leave their field empty. */
phx_status phx_table_append(phx_table *table, const double *values, const char *text)
{
    if (!table)
        return phx_fail_null(NULL, __func__, "table");
    phx_output *output = &table->output;
    if (table->workbook)
        return phx_workbook_append(table->workbook, values);
    for (int k = 0; k < table->n_columns; k++) {
        phx_output_text(output, k == 0 ? "" : table->style.comma ? ";" : ",");
        if (isfinite(values[k]) && table->style.comma)
            put_with_comma(output, values[k]);
        else if (isfinite(values[k]))
            phx_output_number(output, values[k]);
    }
    if (table->has_text) {
        phx_output_text(output, ",");
        if (text && text[0])
            append_text(output, text);
    }
    phx_output_line(output);
    table->has_row = true;
    return phx_output_flush(output);
}

phx_status phx_table_append_line(phx_table *table, const char *line)
{
    if (!table || !line)
        return phx_fail_null(NULL, __func__, "table or line");
    phx_output_text(&table->output, line);
    phx_output_line(&table->output);
    table->has_row = true;
    return phx_output_flush(&table->output);
}

phx_status phx_table_finish(phx_table *table)
{
    if (!table)
        return phx_fail_null(NULL, __func__, "table");
    const phx_status status = table->workbook ? phx_workbook_finish(table->workbook) : PHX_OK;
    return status ? status : phx_output_commit(&table->output);
}

void phx_table_destroy(phx_table *table)
{
    if (!table)
        return;
    phx_workbook_destroy(table->workbook);
    phx_output_close(&table->output, table->has_row);
    phx_free(table->header);
    phx_free(table);
}
