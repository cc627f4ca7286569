/* The report on the files of another program: for reading, as json, as a model file. */
#define _XOPEN_SOURCE 700
#include "import_report.h"

#include "file/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const matrix_names[] = {"mass", "stiffness"};
static const char *const kind_names[] = {"imported", "solid", "plate"};
static const char *const dimension_names[] = {"", "line", "surface", "volume"};

static phx_status flush(phx_context *context, FILE *stream)
{
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return PHX_OK;
    return phx_fail(context, PHX_ERR_FILE, "cannot write the imported body: %s", strerror(errno));
}

/* ---- for reading; every line begins with `prefix` ---- */
static void put_file(const phx_import_found_file *file, const char *prefix, FILE *stream)
{
    const phx_import_file *of = &file->of;
    const char *between = ": ";

    fprintf(stream, "%s%s: %s", prefix, file->path, of->format);
    for (int k = 0; k < 2; k++)
        if (of->rows[k] > 0) {
            fprintf(stream, "%s%s matrix %d x %d, %zu entries", between, matrix_names[k], of->rows[k], of->rows[k],
                    of->entries[k]);
            between = "; ";
        }
    const struct {
        int count;
        const char *what;
    } counts[] = {{of->unknowns, "names of rows"}, {of->nodes, "nodes"}, {of->cells, "cells"}, {of->modes, "modes"}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k].count > 0) {
            fprintf(stream, "%s%d %s", between, counts[k].count, counts[k].what);
            between = ", ";
        }
    fputc('\n', stream);
}

/* Writes kind, mass properties, asymmetries, forces of rigid motions and free frequencies of the body; each line
 * begins with the prefix. */
static void put_body(const phx_import_report *report, const char *prefix, FILE *stream)
{
    const phx_elastic_summary *s = &report->summary;

    fprintf(stream, "%s%s: %s body of %d nodes, %d unknowns\n", prefix, report->name, kind_names[report->kind],
            report->nodes, report->unknowns);
    if (report->kind != PHX_IMPORT_MATRICES)
        fprintf(stream, "%s  of %s%s: density %.6g kg/m^3, young %.6g N/m^2, poisson %.6g\n", prefix, report->used.name,
                report->assumed ? " (assumed; the file has no isotropic material)" : "", report->used.density,
                report->used.young, report->used.poisson);
    fprintf(stream, "%s  mass            %.10g kg\n", prefix, s->mass);
    fprintf(stream, "%s  centre of mass  %.10g %.10g %.10g m\n", prefix, s->centre[0], s->centre[1], s->centre[2]);
    for (int a = 0; a < 3; a++)
        fprintf(stream, "%s  %-14s  %.10g %.10g %.10g%s\n", prefix, a ? "" : "inertia", s->inertia[3 * a],
                s->inertia[3 * a + 1], s->inertia[3 * a + 2], a ? "" : " kg m^2");
    fprintf(stream, "%s  asymmetry       %.2g of M, %.2g of K\n", prefix, s->asymmetry[0], s->asymmetry[1]);
    fprintf(stream, "%s  rigid motions   K r costs %.2g %.2g %.2g | %.2g %.2g %.2g of its largest entry\n", prefix,
            s->rigid_force[0], s->rigid_force[1], s->rigid_force[2], s->rigid_force[3], s->rigid_force[4],
            s->rigid_force[5]);
    fprintf(stream, "%s  free body       ", prefix);
    for (int k = 0; k < report->n_frequencies; k++)
        fprintf(stream, "%.8g ", report->frequency[k]);
    fprintf(stream, "%s%s\n", report->no_frequencies ? "no frequencies: " : "Hz",
            report->no_frequencies ? report->no_frequencies : "");
}

/* Writes files, materials, body, groups and regions of an import as lines that begin with the prefix. */
static void put_summary(const phx_import_report *report, const char *prefix, FILE *stream)
{
    for (int k = 0; k < report->n_files; k++)
        put_file(&report->files[k], prefix, stream);
    for (int k = 0; k < report->n_materials; k++) {
        const phx_import_material *material = &report->materials[k];
        fprintf(stream, "%smaterial %s: ", prefix, material->name);
        if (material->isotropic)
            fprintf(stream, "density %.6g kg/m^3, young %.6g N/m^2, poisson %.6g\n", material->density, material->young,
                    material->poisson);
        else
            fputs("not isotropic\n", stream);
    }
    put_body(report, prefix, stream);
    for (int k = 0; k < report->n_groups; k++) {
        const phx_import_group *group = &report->groups[k];
        if (group->node) {
            fprintf(stream, "%snode %d, which has rotations: port", prefix, group->node);
        } else {
            fprintf(stream, "%sgroup %s: %s%s%d node%s; %s%s", prefix, group->name, dimension_names[group->dimension],
                    group->dimension ? ", " : "", group->nodes, group->nodes == 1 ? "" : "s",
                    group->refused ? "no port: " : "port", group->refused ? group->refused : "");
        }
        if (!group->refused)
            fprintf(stream, " at %.9g %.9g %.9g m", group->x[0], group->x[1], group->x[2]);
        fputc('\n', stream);
    }
    for (int k = 0; k < report->n_regions; k++)
        fprintf(stream, "%sregion %s: of %s\n", prefix, report->regions[k].group,
                report->materials[report->regions[k].material].name);
    if (report->n_materials > 1 && report->n_regions == 0 && report->kind != PHX_IMPORT_MATRICES)
        fprintf(stream, "%sone material is taken for the whole body: %s\n", prefix, report->used.name);
    if (report->no_model)
        fprintf(stream, "%sno body for a model: %s\n", prefix, report->no_model);
}

phx_status phx_import_report_text(phx_context *context, const phx_import_report *report, FILE *stream)
{
    if (!report || !stream)
        return phx_fail_null(context, __func__, "report or stream");
    put_summary(report, "", stream);
    return flush(context, stream);
}

/* ---- json ---- */
static void put_numbers(FILE *stream, const char *name, int n, const double *values)
{
    fprintf(stream, ",\n  \"%s\": [", name);
    for (int k = 0; k < n; k++)
        fprintf(stream, "%s%.17g", k ? ", " : "", values[k]);
    fputc(']', stream);
}

/* Writes the member "files": format and contents of each file read, as JSON. */
static void put_files(FILE *stream, const phx_import_report *report)
{
    fputs(",\n  \"files\": [", stream);
    for (int k = 0; k < report->n_files; k++) {
        const phx_import_file *of = &report->files[k].of;
        fputs(k ? ",\n    {\"path\": " : "\n    {\"path\": ", stream);
        phx_put_json(stream, report->files[k].path);
        fputs(", \"format\": ", stream);
        phx_put_json(stream, of->format);
        for (int m = 0; m < 2; m++)
            if (of->rows[m] > 0)
                fprintf(stream, ", \"%s\": {\"rows\": %d, \"entries\": %zu}", matrix_names[m], of->rows[m],
                        of->entries[m]);
        fprintf(stream, ", \"unknowns\": %d, \"nodes\": %d, \"cells\": %d, \"modes\": %d}", of->unknowns, of->nodes,
                of->cells, of->modes);
    }
    fputc(']', stream);
}

/* Writes the member "groups": each group with its port and place, or null and the reason of the refusal, as JSON. */
static void put_groups(FILE *stream, const phx_import_report *report)
{
    fputs(",\n  \"groups\": [", stream);
    for (int k = 0; k < report->n_groups; k++) {
        const phx_import_group *group = &report->groups[k];
        fputs(k ? ",\n    {\"name\": " : "\n    {\"name\": ", stream);
        phx_put_json(stream, group->name);
        fprintf(stream, ", \"dimension\": %d, \"cells\": %d, \"nodes\": %d, \"port\": ", group->dimension, group->cells,
                group->nodes);
        if (group->refused) {
            fputs("null, \"refused\": ", stream);
            phx_put_json(stream, group->refused);
        } else {
            phx_put_json(stream, group->port);
            fprintf(stream, ", \"place\": [%.17g, %.17g, %.17g]", group->x[0], group->x[1], group->x[2]);
        }
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void put_materials(FILE *stream, const phx_import_report *report)
{
    fputs(",\n  \"materials\": [", stream);
    for (int k = 0; k < report->n_materials; k++) {
        const phx_import_material *material = &report->materials[k];
        fputs(k ? ",\n    {\"name\": " : "\n    {\"name\": ", stream);
        phx_put_json(stream, material->name);
        fprintf(stream, ", \"isotropic\": %s, \"density\": %.17g, \"young\": %.17g, \"poisson\": %.17g}",
                material->isotropic ? "true" : "false", material->density, material->young, material->poisson);
    }
    fputc(']', stream);
}

/* Writes the report of an import as one JSON object. */
phx_status phx_import_report_json(phx_context *context, const phx_import_report *report, FILE *stream)
{
    if (!report || !stream)
        return phx_fail_null(context, __func__, "report or stream");
    const phx_elastic_summary *s = &report->summary;

    fputs("{\n  \"body\": ", stream);
    phx_put_json(stream, report->name);
    fprintf(stream, ",\n  \"kind\": \"%s\",\n  \"nodes\": %d,\n  \"unknowns\": %d,\n  \"mass\": %.17g",
            kind_names[report->kind], report->nodes, report->unknowns, s->mass);
    put_numbers(stream, "centre_of_mass", 3, s->centre);
    put_numbers(stream, "inertia", 9, s->inertia);
    fprintf(stream, ",\n  \"mass_asymmetry\": %.17g,\n  \"stiffness_asymmetry\": %.17g", s->asymmetry[0],
            s->asymmetry[1]);
    put_numbers(stream, "rigid_force", 6, s->rigid_force);
    put_numbers(stream, "frequencies", report->n_frequencies, report->frequency);
    if (report->no_model) {
        fputs(",\n  \"wrong\": ", stream);
        phx_put_json(stream, report->no_model);
    }
    put_files(stream, report);
    put_groups(stream, report);
    put_materials(stream, report);
    fputs("\n}\n", stream);
    return flush(context, stream);
}

/* ---- the model file ---- */
/* A plain scalar, or in quotes; JSON's are YAML's. */
static void put_yaml(FILE *stream, const char *text)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off"};
    bool plain = isalpha((unsigned char)text[0]) || text[0] == '_' || text[0] == '/' || text[0] == '.';

    for (const char *c = text; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("_-./", *c));
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        plain = plain && strcasecmp(text, words[k]) != 0;
    if (plain)
        fputs(text, stream);
    else
        phx_put_json(stream, text);
}

/* The shortest text of a number that gives it back. */
void import_text_put_number(FILE *stream, double value)
{
    char text[40];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value == 0.0 ? 0.0 : value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, stream);
}

/* The folder in which both paths are, with its slash. */
static size_t common_length(const char *a, const char *b)
{
    size_t common = 0;

    for (size_t k = 0; a[k] && a[k] == b[k]; k++)
        if (a[k] == '/')
            common = k + 1;
    return common;
}

/* A path as it is seen from a file in that folder (NULL: the current one), which ends with a slash. */
phx_status import_text_path(phx_context *context, const char *folder, const char *path, char **seen)
{
    char *whole = folder && path[0] != '/' ? phx_files_resolve(context, path) : phx_strdup(context, path);
    const size_t common = whole && folder && path[0] != '/' ? common_length(folder, whole) : 0;
    const char *up = folder && path[0] != '/' ? folder + common : "";

    *seen = whole ? phx_calloc(context, 2 * strlen(up) + strlen(whole) + 1, 1) : NULL; /* "../" for each "x/" */
    for (const char *c = up; *seen && *c; c++)
        if (*c == '/')
            strcat(*seen, "../");
    if (*seen)
        strcat(*seen, whole + common);
    phx_free(whole);
    return *seen ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status import_text_put_path(phx_context *context, const char *folder, const char *path, FILE *stream)
{
    char *seen = NULL;
    const phx_status status = import_text_path(context, folder, path, &seen);

    if (!status)
        put_yaml(stream, seen);
    phx_free(seen);
    return status;
}

/* {a: 1, b: 2, c: 3} */
static void put_map(FILE *stream, const char *before, const char *const names[3], const double values[3])
{
    fputs(before, stream);
    for (int k = 0; k < 3; k++) {
        fprintf(stream, "%s%s: ", k ? ", " : "{", names[k]);
        import_text_put_number(stream, values[k]);
    }
    fputs("}\n", stream);
}

/* Writes files, matrices and units of a body from matrices in the YAML of a model; paths are relative to the folder. */
static phx_status put_imported(phx_context *context, const phx_import_report *report, const char *folder, FILE *stream)
{
    const struct {
        const char *key, *path;
    } named[] = {{"mass_matrix", report->mass_matrix}, {"stiffness_matrix", report->stiffness_matrix}};
    static const char *const unit_names[] = {"length", "mass", "time"};
    const double units[] = {report->length, report->mass_unit, report->time};
    const int others = report->n_files - (report->mass_matrix != NULL) - (report->stiffness_matrix != NULL);
    phx_status status = PHX_OK;

    fputs("    files: [", stream);
    for (int k = 0; k < others && !status; k++) {
        fputs(k ? ", " : "", stream);
        status = import_text_put_path(context, folder, report->files[k].path, stream);
    }
    fputs("]\n", stream);
    for (int k = 0; k < 2 && !status; k++)
        if (named[k].path) {
            fprintf(stream, "    %s: ", named[k].key);
            status = import_text_put_path(context, folder, named[k].path, stream);
            fputc('\n', stream);
        }
    if (report->length != 1.0 || report->mass_unit != 1.0 || report->time != 1.0)
        put_map(stream, "    units: ", unit_names, units);
    return status;
}

/* Writes material, mesh, thickness and regions of a meshed body in the YAML of a model; the path of the mesh is
 * relative to the folder. */
static phx_status put_meshed(phx_context *context, const phx_import_report *report, const char *folder, FILE *stream)
{
    fputs("    material: ", stream);
    put_yaml(stream, report->used.name);
    fputs("\n    mesh: {file: ", stream);
    const phx_status status = import_text_put_path(context, folder, report->files[0].path, stream);
    if (report->length != 1.0) {
        fputs(", unit: ", stream);
        import_text_put_number(stream, report->length);
    }
    fputs("}\n", stream);
    if (report->kind == PHX_IMPORT_PLATE) {
        fputs("    thickness: ", stream);
        import_text_put_number(stream, report->thickness);
        fputc('\n', stream);
    }
    for (int k = 0; k < report->n_regions; k++) {
        fputs(k == 0 ? "    regions:\n      " : "      ", stream);
        put_yaml(stream, report->regions[k].group);
        fputs(": {material: ", stream);
        put_yaml(stream, report->materials[report->regions[k].material].name);
        if (report->regions[k].thickness > 0.0) {
            fputs(", thickness: ", stream);
            import_text_put_number(stream, report->regions[k].thickness);
        }
        fputs("}\n", stream);
    }
    return status;
}

static void put_material(const phx_import_material *of, const char *before, FILE *stream)
{
    static const char *const names[] = {"density", "young", "poisson"};
    const double values[] = {of->density, of->young, of->poisson};

    fputs("  ", stream);
    put_yaml(stream, of->name);
    put_map(stream, before, names, values);
}

/* The material of the body and those of its regions, each once. */
static void put_used(const phx_import_report *report, FILE *stream)
{
    fputs("materials:\n", stream);
    put_material(&report->used, report->assumed ? ": # assumed\n    " : ": ", stream);
    for (int m = 0; m < report->n_materials; m++) {
        bool used = false;
        for (int k = 0; k < report->n_regions; k++)
            used = used || report->regions[k].material == m;
        if (used && report->materials[m].name != report->used.name)
            put_material(&report->materials[m], ": ", stream);
    }
}

/* Writes the usable groups and nodes as ports in the YAML of a model; bodies from given modes attach groups by their
 * average. */
static void put_ports(const phx_import_report *report, FILE *stream)
{
    int ports = 0;
    bool modal = false;

    for (int k = 0; k < report->n_files; k++)
        modal = modal || report->files[k].of.modes > 0;
    for (int k = 0; k < report->n_groups; k++) {
        const phx_import_group *group = &report->groups[k];
        if (group->refused)
            continue;
        fputs(ports++ ? "      " : "    ports:\n      ", stream);
        put_yaml(stream, group->port);
        if (group->node) {
            fprintf(stream, ": {node: %d}\n", group->node);
        } else {
            fputs(": {on: ", stream);
            put_yaml(stream, group->name);
            fputs(modal ? ", attach: average}\n" : "}\n", stream); /* nothing can be made rigid in given modes */
        }
    }
}

/* Writes a complete model with the imported body, preceded by the summary as comments. Fails if the import found a
 * reason why no model can be made. */
static phx_status put_model(phx_context *context, const phx_import_report *report, const char *folder, FILE *stream)
{
    phx_status status;

    put_summary(report, "# ", stream);
    if (report->no_model)
        return phx_fail(context, PHX_ERR_INPUT, "%s: %s", report->files[0].path, report->no_model);
    fputs("phlexor: 1\ntitle: ", stream);
    phx_put_json(stream, report->name);
    fputs("\ndimension: 3\n", stream);
    if (report->kind != PHX_IMPORT_MATRICES)
        put_used(report, stream);
    fputs("bodies:\n  ", stream);
    put_yaml(stream, report->name);
    fprintf(stream, ":\n    kind: %s\n", kind_names[report->kind]);
    status = report->kind == PHX_IMPORT_MATRICES ? put_imported(context, report, folder, stream)
                                                 : put_meshed(context, report, folder, stream);
    put_ports(report, stream);
    return status;
}

phx_status phx_import_report_yaml(phx_context *context, const phx_import_report *report, FILE *stream)
{
    if (!report || !stream)
        return phx_fail_null(context, __func__, "report or stream");
    const phx_status status = put_model(context, report, NULL, stream);
    return status ? status : flush(context, stream);
}

typedef struct saved {
    const phx_import_report *report;
    const char *folder;
} saved;

static phx_status write_model(phx_context *context, const void *data, FILE *stream)
{
    const saved *state = data;

    return put_model(context, state->report, state->folder, stream);
}

/* None of what was read is to be written over. */
static phx_status keep_inputs(phx_context *context, const phx_import_report *report, const char *path)
{
    char *whole = phx_files_resolve(context, path);
    phx_status status = whole ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < report->n_files && !status; k++) {
        char *input = phx_files_resolve(context, report->files[k].path);
        if (!input)
            status = PHX_ERR_MEMORY;
        else if (!strcmp(input, whole))
            status =
                phx_fail(context, PHX_ERR_INPUT,
                         "'%s' is a file of the body and would be written over; give the model another name", path);
        phx_free(input);
    }
    phx_free(whole);
    return status;
}

phx_status import_text_folder(phx_context *context, const char *path, char **folder)
{
    *folder = NULL;
    if (!strchr(path, '/'))
        return PHX_OK;
    *folder = phx_files_resolve(context, path);
    if (!*folder)
        return PHX_ERR_MEMORY;
    strrchr(*folder, '/')[1] = '\0';
    return PHX_OK;
}

/* Saves the imported body as a model file with paths relative to its folder. Refuses to overwrite a file that was
 * read; the file is replaced as a whole. */
phx_status phx_import_report_save(phx_context *context, const phx_import_report *report, const char *path)
{
    if (!report || !path)
        return phx_fail_null(context, __func__, "report or path");
    saved state = {.report = report};
    char *whole = NULL;
    const phx_status kept = keep_inputs(context, report, path);

    if (kept)
        return kept;
    const phx_status found = import_text_folder(context, path, &whole);
    if (found)
        return found;
    state.folder = whole;
    const phx_status status = phx_file_replace_stream(context, path, write_model, &state);
    phx_free(whole);
    return phx_conclude(context, status);
}
