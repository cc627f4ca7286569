/* Files for other programs: which formats there are of which file. */
#include "export.h"
#include "results/exchange/exchange.h"
#include "results/modes/modes.h"
#include "results/store/kind.h"
#include "results/store/summary.h"

#include <string.h>

typedef phx_status exporter(phx_context *context, const char *path, const char *format, const char *output,
                            int most_frames);

/* ---- a simulation ---- */
static phx_status motion_vtk(phx_context *context, const char *path, const char *format, const char *output, int most)
{
    (void)format;
    return phx_export_vtk(context, path, output, most);
}

static phx_status motion_xdmf(phx_context *context, const char *path, const char *format, const char *output, int most)
{
    (void)format;
    return phx_export_xdmf(context, path, output, most);
}

static phx_status motion_glb(phx_context *context, const char *path, const char *format, const char *output, int most)
{
    (void)format;
    return phx_export_glb(context, path, output, most);
}

/* Exports a result to an exchange format. */
static phx_status simulation_bundle(phx_context *context, const char *path, const char *format, const char *output,
                                    int most)
{
    phx_result *result = NULL;
    phx_bundle *bundle = NULL;
    (void)most;
    phx_status status = phx_result_read(context, path, &result);
    if (!status)
        status = phx_bundle_create(context, &bundle);
    if (!status)
        status = phx_bundle_add_result(context, bundle, result);
    if (!status)
        status = phx_exchange_write_as(context, output, format, bundle);
    phx_bundle_destroy(bundle);
    phx_result_destroy(result);
    return status;
}

/* ---- tables ---- */
/* Appends all rows of a result to the table; columns are read in blocks of bounded size. */
static phx_status export_put_rows(phx_context *context, const phx_result *result, phx_table *table)
{
    enum { BLOCK_VALUES = 1 << 16 };
    const size_t count = (size_t)phx_result_columns(result), rows = phx_result_rows(result),
                 room = BLOCK_VALUES / count + 1;
    double *block = phx_calloc(context, room * count, sizeof *block), *row = phx_calloc(context, count, sizeof *row);
    phx_status status = block && row ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t first = 0; first < rows && !status; first += room) {
        const size_t n = rows - first < room ? rows - first : room;
        for (size_t c = 0; c < count && !status; c++)
            status = phx_result_column(result, (int)c, first, n, block + c * room);
        for (size_t i = 0; i < n && !status; i++) {
            for (size_t c = 0; c < count; c++)
                row[c] = block[c * room + i];
            status = phx_table_append(table, row, NULL);
        }
    }
    phx_free(block);
    phx_free(row);
    return status;
}

/* Writes the columns of a result as a table. */
static phx_status simulation_styled(phx_context *context, const char *path, const phx_table_style *style,
                                    const char *output)
{
    phx_result *result = NULL;
    phx_table *table = NULL;
    phx_status status = phx_result_read(context, path, &result);
    const int count = status ? 0 : phx_result_columns(result);
    const char **names = status ? NULL : phx_calloc(context, 2 * (size_t)count, sizeof *names);
    if (!status && !names)
        status = PHX_ERR_MEMORY;
    for (int c = 0; c < count && names; c++) {
        names[c] = phx_result_column_name(result, c);
        names[count + c] = phx_result_column_unit(result, c);
    }
    if (!status)
        status = phx_table_create_styled(context, output, count, names, names + count, style, &table);
    if (!status)
        status = export_put_rows(context, result, table);
    if (!status)
        status = phx_table_finish(table);
    phx_table_destroy(table);
    phx_free((void *)names);
    phx_result_destroy(result);
    return status;
}

/* Exports the summary of a result as JSON; an incomplete file is not left behind. */
static phx_status simulation_json(phx_context *context, const char *path, const char *format, const char *output,
                                  int most)
{
    phx_result *result = NULL;
    phx_output out;
    (void)format;
    (void)most;
    phx_status status = phx_result_read(context, path, &result);
    if (!status)
        status = phx_output_open(context, output, &out);
    if (!status) {
        status = phx_summary_put(context, result, &out);
        if (status)
            phx_output_close(&out, false);
        else
            status = phx_output_commit(&out);
    }
    phx_result_destroy(result);
    return status;
}

static const phx_table_style *table_style_of(const char *format)
{
    static const phx_table_style csv = {0}, workbook = {.units = true, .workbook = true};
    return strcmp(format, "csv") ? &workbook : &csv;
}

static phx_status simulation_table(phx_context *context, const char *path, const char *format, const char *output,
                                   int most)
{
    (void)most;
    return simulation_styled(context, path, table_style_of(format), output);
}

/* ---- modes ---- */
/* Writes a file of modes as a table. */
static phx_status modes_styled(phx_context *context, const char *path, const phx_table_style *style, const char *output)
{
    phx_modes_table table;
    phx_status status = phx_modes_read(context, path, &table);
    if (!status)
        status = phx_modes_write_styled(context, &table, style, output);
    phx_modes_free(&table);
    return status;
}

static phx_status modes_sheet(phx_context *context, const char *path, const char *format, const char *output, int most)
{
    (void)most;
    return modes_styled(context, path, table_style_of(format), output);
}

static phx_status modes_json(phx_context *context, const char *path, const char *format, const char *output, int most)
{
    phx_modes_table table;
    (void)most;
    phx_status status = phx_modes_read(context, path, &table);
    if (status)
        return status;
    (void)format;
    status = phx_modes_write(context, &table, PHX_MODES_JSON, output);
    phx_modes_free(&table);
    return status;
}

/* Exports a table of modes to an exchange format. */
static phx_status modes_bundle(phx_context *context, const char *path, const char *format, const char *output, int most)
{
    phx_modes_table table;
    phx_bundle *bundle = NULL;
    (void)most;
    phx_status status = phx_modes_read(context, path, &table);
    if (status)
        return status;
    status = phx_bundle_create(context, &bundle);
    if (!status)
        status = phx_bundle_add_modes(context, bundle, &table);
    if (!status)
        status = phx_exchange_write_as(context, output, format, bundle);
    phx_bundle_destroy(bundle);
    phx_modes_free(&table);
    return status;
}

/* ---- a linear model ---- */
static phx_status linear_bundle(phx_context *context, const char *path, const char *format, const char *output,
                                int most)
{
    phx_bundle *bundle = NULL;
    (void)most;
    phx_status status = phx_exchange_read(context, path, &bundle);
    if (!status)
        status = phx_exchange_write_as(context, output, format, bundle);
    phx_bundle_destroy(bundle);
    return status;
}

/* ---- the table ---- */
static const struct {
    phx_export_format format;
    exporter *write[PHX_FILE_KINDS]; /* of a simulation, modes, a linear model; NULL: there is no such thing */
} formats[] = {
    {{"vtk", "_vtk", "motion.pvd"}, {motion_vtk, NULL, NULL}},
    {{"xdmf", "_xdmf", "motion.xmf"}, {motion_xdmf, NULL, NULL}},
    {{"glb", ".glb", NULL}, {motion_glb, NULL, NULL}},
    {{"mat", ".mat", NULL}, {simulation_bundle, modes_bundle, linear_bundle}},
    {{"csv", ".csv", NULL}, {simulation_table, modes_sheet, NULL}},
    {{"xlsx", ".xlsx", NULL}, {simulation_table, modes_sheet, NULL}},
    {{"json", ".json", NULL}, {simulation_json, modes_json, linear_bundle}},
    {{"mtx", "_mtx", "contents.json"}, {NULL, NULL, linear_bundle}},
};
enum { FORMATS = sizeof formats / sizeof *formats, MTX = FORMATS - 1 };

static const char *const kinds[PHX_FILE_KINDS] = {"a simulation", "a table of modes", "a linear model"};

/* Place of the format in the table; -1 after a message that says which formats there are. */
static int export_choose(phx_context *context, const char *what, phx_file_kind kind, const char *format)
{
    char list[100] = "";
    for (int k = 0; k < FORMATS; k++) {
        if (!formats[k].write[kind])
            continue;
        if (!format || strcmp(formats[k].format.name, format) == 0)
            return k;
        strcat(list, list[0] ? ", " : "");
        strcat(list, formats[k].format.name);
    }
    phx_fail(context, PHX_ERR_INPUT, "%s is %s and cannot be written as '%s'; there are %s", what, kinds[kind], format,
             list);
    return -1;
}

phx_status phx_export_choose(phx_context *context, const char *path, const char *format,
                             const phx_export_format **chosen)
{
    if (!path || !chosen)
        return phx_fail_null(context, __func__, "path or chosen");
    phx_file_kind kind;
    const phx_status status = phx_file_find_kind(context, path, &kind);
    const int k = status ? -1 : export_choose(context, path, kind, format);
    *chosen = k < 0 ? NULL : &formats[k].format;
    return phx_conclude(context, status ? status : k < 0 ? PHX_ERR_INPUT : PHX_OK);
}

phx_status phx_export_choose_exchange(phx_context *context, const char *format, const phx_export_format **chosen)
{
    if (!chosen)
        return phx_fail_null(context, __func__, "chosen");
    const int k = format ? export_choose(context, "what is to be written", PHX_FILE_LINEAR, format) : MTX;
    *chosen = k < 0 ? NULL : &formats[k].format;
    return k < 0 ? PHX_ERR_INPUT : PHX_OK;
}

static phx_status export_file(phx_context *context, const char *path, const char *format, const char *output,
                              int most_frames)
{
    if (!path || !format)
        return phx_fail_null(context, "phx_export", "path or format");
    phx_file_kind kind;
    const phx_status status = phx_file_find_kind(context, path, &kind);
    const int k = status ? -1 : export_choose(context, path, kind, format);
    if (k < 0)
        return status ? status : PHX_ERR_INPUT;
    return phx_conclude(context, formats[k].write[kind](context, path, formats[k].format.name, output, most_frames));
}

phx_status phx_export(phx_context *context, const char *path, const char *format, const char *output, int most_frames)
{
    phx_files_begin(context);
    const phx_status status = export_file(context, path, format, output, most_frames);
    phx_files_end(context);
    return status;
}

/* Writes the table of a simulation or of modes in a style. */
static phx_status export_table(phx_context *context, const char *path, const phx_table_style *style, const char *output)
{
    static const char *const format = "csv";
    phx_file_kind kind;
    phx_status status = phx_file_find_kind(context, path, &kind);

    if (!status && export_choose(context, path, kind, format) < 0)
        status = PHX_ERR_INPUT;
    if (status)
        return status;
    return (kind == PHX_FILE_MODES ? modes_styled : simulation_styled)(context, path, style, output);
}

phx_status phx_export_table(phx_context *context, const char *path, const phx_table_style *style, const char *output)
{
    if (!path || !style || !output)
        return phx_fail_null(context, __func__, "path, style or output");
    if (style->workbook && style->comma)
        return phx_fail(context, PHX_ERR_ARGUMENT, "decimal commas are those of csv; a workbook has numbers");
    phx_files_begin(context);
    const phx_status status = export_table(context, path, style, output);
    phx_files_end(context);
    return phx_conclude(context, status);
}
