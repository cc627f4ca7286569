/* Mass and stiffness matrices of other finite-element programs. */
#include "imported.h"

#include <math.h>
#include <string.h>

/* Formats that share a suffix stand in the order in which they are tried; the last one takes what is left. */
static const import_format *const formats[] = {
    &import_matrix_market, &import_mbdyn, &import_bulk, &import_abaqus, &import_calculix_matrix,
    &import_calculix_dof,  &import_frd,   &import_mesh, &import_op4,    &import_table,
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

phx_import_def phx_import_def_default(void)
{
    return (phx_import_def){.length = 1.0, .mass = 1.0, .time = 1.0};
}

/* ---- which format a file has ---- */
static bool has_suffix(const import_format *format, const char *path)
{
    const char *suffix = strrchr(path, '.');
    if (!suffix || strchr(suffix, '/'))
        return false;
    for (int k = 0; format->suffixes[k]; k++)
        if (import_word_is((import_word){suffix + 1, (int)strlen(suffix + 1)}, format->suffixes[k]))
            return true;
    return false;
}

static bool has_content(const import_format *format, import_text *text)
{
    const bool has = format->has(text);
    import_text_rewind(text);
    return has;
}

/* By suffix and content; where no suffix fits by content alone. NULL: none. */
static const import_format *format_of(import_text *text)
{
    bool known = false;
    for (int k = 0; k < N_FORMATS; k++) {
        if (!has_suffix(formats[k], text->path))
            continue;
        if (!formats[k]->has || has_content(formats[k], text))
            return formats[k];
        known = true;
    }
    for (int k = 0; k < N_FORMATS && !known; k++)
        if (formats[k]->has && has_content(formats[k], text))
            return formats[k];
    return NULL;
}

/* The parts of a body that the import has found so far. */
static phx_import_file found_so_far(const phx_import *import)
{
    phx_import_file found = {.unknowns = import->unknowns.listed ? import->unknowns.n : 0,
                             .nodes = import->nodes.n,
                             .cells = import->mesh.n_cells,
                             .modes = import->modes.count};
    for (int k = 0; k < 2; k++) {
        found.rows[k] = import->matrix[k].path ? import->matrix[k].rows : 0;
        found.entries[k] = import->matrix[k].count;
    }
    return found;
}

/* Records what a file has contributed, the difference against `before`, in the contents. */
static void record(const phx_import *import, const import_text *text, const char *format, const phx_import_file *before)
{
    phx_import_file now = found_so_far(import);
    if (!import->contents)
        return;
    now.path = text->path;
    now.format = format;
    now.lines = text->line;
    for (int k = 0; k < 2; k++) {
        now.rows[k] = now.entries[k] > before->entries[k] ? now.rows[k] : 0;
        now.entries[k] -= before->entries[k];
    }
    now.unknowns -= before->unknowns;
    now.nodes -= before->nodes;
    now.cells -= before->cells;
    now.modes -= before->modes;
    import->contents->files[import->contents->n_files++] = now;
}

/* Reads one file in the format that its suffix or content shows; fails if none fits. */
static phx_status import_read_file(phx_import *import, const char *path)
{
    import_text text;
    phx_status status = import_text_open(import->context, path, &text);
    if (status)
        return status;
    const import_format *format = format_of(&text);
    const phx_import_file before = found_so_far(import);
    if (!format)
        status =
            phx_fail(import->context, PHX_ERR_INPUT,
                     "%s: neither its suffix nor its content is of a format that can be read: Abaqus .mtx and "
                     ".inp, CalculiX .sti .mas .dof .inp .frd, Matrix Market .mtx, tables of nodes .csv .txt, Nastran "
                     ".pch .bdf .op4, MBDyn .fem, Gmsh .msh",
                     path);
    else
        status = format->read(import, &text);
    if (!status) {
        phx_log(import->context, PHX_LOG_INFO, "%s: %s, %ld lines", path, format->name, text.line);
        record(import, &text, format->name, &before);
    }
    import_text_close(&text);
    return status;
}

/* ---- the definition ---- */
static phx_status import_check_def(phx_context *context, const phx_import_def *def)
{
    const struct {
        const char *name;
        double value;
    } units[] = {{"length", def->length}, {"mass", def->mass}, {"time", def->time}};
    for (int k = 0; k < 3; k++)
        if (!(units[k].value > 0.0) || !isfinite(units[k].value))
            return phx_fail(context, PHX_ERR_ARGUMENT, "the unit of %s is %g; it must be positive and finite",
                            units[k].name, units[k].value);
    if (def->n_files < 0 || def->n_rigid < 0 || (def->n_files == 0 && !def->mass_file && !def->stiffness_file))
        return phx_fail(context, PHX_ERR_ARGUMENT, "%d files and %d rigid bodies; there must be a file", def->n_files,
                        def->n_rigid);
    for (int k = 0; k < def->n_files; k++)
        if (!def->files[k])
            return phx_fail(context, PHX_ERR_ARGUMENT, "file %d of %d has no name", k + 1, def->n_files);
    return PHX_OK;
}

static phx_status read_modes(phx_import *import, const char *path)
{
    import_text text;
    phx_status status = import->modes.count > 0
                            ? phx_fail(import->context, PHX_ERR_INPUT, "%s: the other files have modes already", path)
                            : import_text_open(import->context, path, &text);
    if (status)
        return status;
    status = import_read_modes(import, &text);
    import_text_close(&text);
    return status;
}

static phx_status read_files(phx_import *import)
{
    const phx_import_def *def = import->def;
    phx_status status = import_check_def(import->context, def);
    for (int k = 0; k < def->n_rigid && !status; k++)
        status = import_add_rigid(import, def->rigid[k][0], def->rigid[k][1], "");
    for (int k = 0; k < def->n_files && !status; k++)
        status = import_read_file(import, def->files[k]);
    if (!status && def->mass_file)
        status = import_read_file(import, def->mass_file);
    if (!status && def->stiffness_file)
        status = import_read_file(import, def->stiffness_file);
    return !status && def->modes_file ? read_modes(import, def->modes_file) : status;
}

static bool is_complete_call(phx_context *context, const phx_import_def *def, phx_elastic_model **model)
{
    return context && def && model && (def->n_files <= 0 || def->files) && (def->n_rigid <= 0 || def->rigid);
}

phx_status phx_import_create(phx_context *context, const phx_import_def *def, phx_elastic_model **model)
{
    if (!is_complete_call(context, def, model))
        return phx_fail_null(context, __func__, "def, its files or rigid, or model");
    phx_import import = {.context = context, .def = def};
    *model = NULL;
    phx_status status = read_files(&import);
    if (!status)
        status = import_build(&import, model);
    import_free(&import);
    return phx_conclude(context, status);
}

/* Reads the files of a definition and describes their contents; *model is built if they contain matrices or modes,
 * otherwise NULL. contents is empty after an error. */
phx_status phx_import_describe(phx_context *context, const phx_import_def *def, phx_import_contents *contents,
                               phx_elastic_model **model)
{
    if (!is_complete_call(context, def, model) || !contents)
        return phx_fail_null(context, __func__, "def, its files or rigid, contents or model");
    phx_import import = {.context = context, .def = def, .contents = contents};
    *model = NULL;
    *contents = (phx_import_contents){0};
    phx_status status = def->n_files < 0 ? import_check_def(context, def) : PHX_OK;
    if (!status && !(contents->files = phx_calloc(context, (size_t)def->n_files + 2, sizeof *contents->files)))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = read_files(&import);
    if (!status && (import.matrix[IMPORT_MASS].path || import.matrix[IMPORT_STIFFNESS].path || import.modes.count > 0))
        status = import_build(&import, model);
    import_free(&import);
    if (status)
        phx_import_contents_free(contents);
    return phx_conclude(context, status);
}

void phx_import_contents_free(phx_import_contents *contents)
{
    if (!contents)
        return;
    phx_free(contents->files);
    *contents = (phx_import_contents){0};
}
