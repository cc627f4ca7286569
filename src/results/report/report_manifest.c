/* The manifest of a report: one object of JSON. */
#include "manifest.h"
#include "column_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void phx_report_number(phx_output *manifest, double value)
{
    if (isfinite(value))
        phx_output_number(manifest, value);
    else
        phx_output_text(manifest, "null");
}

size_t phx_report_bytes(report_type type)
{
    return type == REPORT_F64 ? 8 : type == REPORT_I16 ? 2 : 4;
}

/* Appends an array to the stream and writes its offset, count and type; offsets are multiples of 8. */
void phx_report_ref(phx_report *report, phx_output *manifest, report_type type, size_t count, report_writer *write,
                    int index)
{
    static const char *const names[] = {"f32", "f64", "u32", "i16"};

    if (report->stream.n == report->stream.room) {
        const int room = 2 * report->stream.room + 64;
        report_array *arrays = phx_realloc(report->context, report->stream.array, (size_t)room, sizeof *arrays);
        if (!arrays) {
            manifest->status = PHX_ERR_MEMORY;
            return;
        }
        report->stream.array = arrays;
        report->stream.room = room;
    }
    report->stream.array[report->stream.n++] =
        (report_array){write, index, type, count, report->stream.bytes, report->point};
    phx_output_format(manifest, "{\"at\":%zu,\"count\":%zu,\"type\":\"%s\"}", report->stream.bytes, count, names[type]);
    report->stream.bytes += (count * phx_report_bytes(type) + 7) / 8 * 8;
}

/* ---- head ---- */
static void put_items(phx_output *m, const char *name, int count, const phx_report_item *items, bool certificate)
{
    key(m, false, name);
    text(m, "[");
    for (int k = 0; k < count; k++) {
        const phx_report_item *item = &items[k];
        text(m, k ? ",{" : "{");
        put_text(m, true, "name", item->name);
        if (item->text)
            put_text(m, false, "value", item->text);
        else
            put_number(m, false, "value", item->value);
        if (item->unit && item->unit[0])
            put_text(m, false, "unit", item->unit);
        if (certificate) {
            key(m, false, "good");
            text(m, item->good < 0 ? "null" : item->good ? "true" : "false");
            put_text(m, false, "meaning", item->meaning);
        }
        text(m, "}");
    }
    text(m, "]");
}

/* A setting's value is text. */
static void put_setting(phx_output *m, bool first, const char *prefix, const char *name, const char *value,
                        double number)
{
    char digits[PHX_NUMBER_SIZE], *end = NULL;

    text(m, first ? "{\"name\":" : ",{\"name\":");
    char *whole = phx_calloc(m->context, strlen(prefix) + strlen(name) + 1, 1);
    if (!whole) {
        m->status = PHX_ERR_MEMORY;
        return;
    }
    memcpy(whole, prefix, strlen(prefix));
    memcpy(whole + strlen(prefix), name, strlen(name));
    phx_output_json(m, whole);
    phx_free(whole);
    phx_number_format(number, 15, digits);
    if (strtod(digits, &end) != number)
        phx_number_format(number, 17, digits);
    put_text(m, false, "value", value ? value : digits);
    text(m, "}");
}

/* Attributes of a result that are not settings: of the format, and numbers of the run. */
static const struct known_attribute {
    const char *name, *label, *unit;
} known[] = {
    {"steps", "steps", ""},
    {"halvings", "halved steps", ""},
    {"newton_iterations", "Newton iterations", ""},
    {"factorisations", "factorisations", ""},
    {"largest_energy", "largest energy", "J"},
    {"largest_residual", "largest residual of the balance", "J"},
    {"largest_drift", "largest drift of a joint", "m"},
    {"iterations", "Newton corrections a step", ""},
    {"unsettled_steps", "steps with a correction left", ""},
    {"correction_left", "largest correction left, of the velocities", ""},
    {"energy_left", "energy of the residuals left", "J"},
    {"step_time_median", "wall time of a step, median", "s"},
    {"step_time_99", "wall time of a step, 99 %", "s"},
    {"step_time_worst", "wall time of the slowest step", "s"},
    {"step_time_worst_at", "slowest step at", "s"},
    {"deadline_misses", "steps slower than real time", ""},
    {"closed_loop_rise", "largest rise of the energy of the closed loop", "J"},
    {"last_time", "last instant", "s"},
    {"format", NULL, NULL},
    {"format_version", NULL, NULL},
    {"status", NULL, NULL},
    {"reason", NULL, NULL},
    {"program_version", NULL, NULL},
    {"model_name", NULL, NULL},
    {"dimension", NULL, NULL},
};
enum { KNOWN = sizeof known / sizeof *known, MOST_SUMMARY = KNOWN + 8 };

static const struct known_attribute *find_known(const char *name)
{
    for (int k = 0; k < KNOWN; k++)
        if (!strcmp(known[k].name, name))
            return &known[k];
    return NULL;
}

/* Writes the settings of the run and the values of the parameters. */
static void put_settings(phx_report *report, phx_output *m)
{
    bool first = true;

    key(m, false, "settings");
    text(m, "[");
    for (int k = 0; report->source.result && k < phx_result_attributes(report->source.result); k++) {
        const phx_attribute *attribute = phx_result_attribute(report->source.result, k);
        if (find_known(attribute->name) || (report->scene && !strncmp(attribute->name, "parameter.", 10)))
            continue; /* the parameters follow */
        put_setting(m, first, "", attribute->name, attribute->text, attribute->number);
        first = false;
    }
    for (int k = 0; report->scene && k < report->scene->n_parameters; k++) {
        put_setting(m, first, "parameter ", report->scene->parameter_name[k], NULL, report->scene->parameter_value[k]);
        first = false;
    }
    text(m, "]");
}

/* The part of a result that is shown, where it is not all. */
static void describe_thinning(const phx_report *report, char *to, size_t size, bool diagrams)
{
    if (diagrams)
        snprintf(to, size, "least and greatest values of %zu equal intervals", (report->shown.points - 2) / 2);
    else
        snprintf(to, size, "%zu of %zu instants, evenly chosen", report->shown.frames, report->source.rows);
}

/* Writes the figures at the head of the page: size, energy, residual, and the amount that was left out. */
static void put_summary(phx_report *report, phx_output *m)
{
    phx_report_item items[MOST_SUMMARY];
    char shown[5][100];
    double energy = 0.0, residual = 0.0;
    int n = 0;

    if (report->source.modes)
        items[n++] = (phx_report_item){.name = "points", .value = report->source.modes->n_points};
    if (report->source.result)
        items[n++] = (phx_report_item){.name = "instants", .value = (double)report->source.rows};
    for (int k = 0; report->source.result && k < phx_result_attributes(report->source.result); k++) {
        const phx_attribute *attribute = phx_result_attribute(report->source.result, k);
        const struct known_attribute *of = find_known(attribute->name);
        if (!of || !of->label || attribute->text)
            continue;
        items[n++] = (phx_report_item){.name = of->label, .value = attribute->number, .unit = of->unit};
        energy = strcmp(of->name, "largest_energy") ? energy : attribute->number;
        residual = strcmp(of->name, "largest_residual") ? residual : attribute->number;
    }
    if (energy > 0.0)
        items[n++] = (phx_report_item){.name = "residual over energy", .value = residual / energy};
    if (report->source.modes)
        items[n++] = (phx_report_item){.name = "modes", .value = report->source.modes->n_rows};
    if (report->source.result && report->shown.frames < report->source.rows) {
        describe_thinning(report, shown[0], sizeof shown[0], false);
        items[n++] = (phx_report_item){.name = "animation", .text = shown[0]};
    }
    if (report->source.result && report->shown.points < report->source.rows) {
        describe_thinning(report, shown[1], sizeof shown[1], true);
        items[n++] = (phx_report_item){.name = "diagrams", .text = shown[1]};
    }
    if (report->shown.others < report->options->n_others) {
        snprintf(shown[3], sizeof shown[3], "%d of %d, evenly chosen", 1 + report->shown.others,
                 1 + report->options->n_others);
        items[n++] = (phx_report_item){.name = "results", .text = shown[3]};
    }
    if (report->source.modes && report->shown.every_shape > 1 && report->shown.with_shapes) {
        snprintf(shown[2], sizeof shown[2], "of every %dth point", report->shown.every_shape);
        items[n++] = (phx_report_item){.name = "mode shapes", .text = shown[2]};
    }
    if (report->source.modes && report->shown.every_visual > 1 && report->shown.with_meshes) {
        snprintf(shown[4], sizeof shown[4], "as at every %dth point", report->shown.every_visual);
        items[n++] = (phx_report_item){.name = "shapes", .text = shown[4]};
    }
    if (!report->shown.with_maps || !report->shown.with_shapes)
        items[n++] = (phx_report_item){.name = "left out for its size",
                                       .text = !report->shown.with_shapes
                                                   ? "deformations, shapes, meshes, stresses, section forces"
                                               : !report->shown.with_meshes ? "shapes, meshes, stresses, section forces"
                                                                            : "stresses, section forces"};
    put_items(m, "summary", n, items, false);
}

/* The values of the parameters that a sweep has given a result; nothing for other results. */
static void put_sweep(phx_report *report, phx_output *m)
{
    static const char prefix[] = "parameter.";
    bool first = true;

    for (int k = 0; report->source.result && k < phx_result_attributes(report->source.result); k++) {
        const phx_attribute *attribute = phx_result_attribute(report->source.result, k);
        if (strncmp(attribute->name, prefix, sizeof prefix - 1) != 0 || attribute->text)
            continue;
        text(m, first ? ",\"sweep\":{" : "");
        put_number(m, first, attribute->name + sizeof prefix - 1, attribute->number);
        first = false;
    }
    text(m, first ? "" : "}");
}

static void put_opening(const phx_report_opening *opening, phx_output *m)
{
    key(m, false, "opening");
    text(m, "{");
    put_number(m, true, "magnification", opening->magnification);
    key(m, false, "camera");
    put_vector(m, 3, opening->camera);
    if (opening->colour)
        put_text(m, false, "colour", opening->colour);
    put_names(m, false, "plots", opening->n_plots, opening->plots);
    put_names(m, false, "trails", opening->n_trails, opening->trails);
    text(m, "}");
}

/* Writes format, kind, title, program, status, settings, summary and certificate. */
static void manifest_put_head(phx_report *report, phx_output *m)
{
    char program[200];

    text(m, "{\"format\":\"phlexor report\",\"version\":1");
    put_text(m, false, "kind", report->about.kind);
    put_text(m, false, "title", report->about.title);
    snprintf(program, sizeof program, "phlexor %s", report->about.program ? report->about.program : "");
    put_text(m, false, "program", program);
    if (report->about.model_text && report->about.model_text[0])
        put_text(m, false, "model", report->about.model_text);
    put_number(m, false, "dimension", report->dimension);
    put_text(m, false, "status", report->about.reason ? "partial" : "complete");
    if (report->about.reason)
        put_text(m, false, "reason", report->about.reason);
    put_text(m, false, "source", report->options->source);
    put_sweep(report, m);
    put_settings(report, m);
    put_summary(report, m);
    if (report->options->opening)
        put_opening(report->options->opening, m);
    if (report->options->n_certificate > 0)
        put_items(m, "certificate", report->options->n_certificate, report->options->certificate, true);
    if (report->options->members) {
        text(m, ",");
        text(m, report->options->members);
    }
}

/* ---- motion, columns, modes ---- */
static void put_frames(phx_report *report, phx_output *m)
{
    size_t n_q = 0;

    for (int b = 0; b < report->n_bodies; b++)
        n_q += (size_t)(phx_report_deformations(report, b) + phx_report_factors(report, b));
    key(m, false, "frames");
    phx_output_format(m, "{\"count\":%zu", report->shown.frames);
    if (report->source.result) {
        key(m, false, "time");
        phx_report_ref(report, m, REPORT_F64, report->shown.frames, phx_report_frame_times, 0);
    }
    key(m, false, "pose");
    phx_report_ref(report, m, REPORT_F32, report->shown.frames * 7 * (size_t)report->n_bodies, phx_report_poses, 0);
    key(m, false, "q");
    phx_report_ref(report, m, REPORT_F32, report->shown.frames * n_q, phx_report_deformed, 0);
    text(m, "}");
}

/* Work that the entries of the ledger supplied, or dissipated: a group when there are any. */
static void put_ledger(phx_report *report, phx_output *m, bool dissipates)
{
    const int columns = phx_result_columns(report->source.result), all = report->shown.n_entries[dissipates];
    char title[100];
    int count = 0;

    snprintf(title, sizeof title, "%s, by part", dissipates ? "Work taken" : "Work supplied");
    if (all > REPORT_ENTRIES)
        snprintf(title, sizeof title, "%s, the %d largest of %d parts", dissipates ? "Work taken" : "Work supplied",
                 REPORT_ENTRIES, all);
    for (int k = 0; k < phx_result_ledger(report->source.result); k++) {
        const phx_record_entry *entry = phx_result_ledger_entry(report->source.result, k);
        if (entry->dissipates != dissipates || !report->shown.entry[k])
            continue;
        if (count++ == 0) {
            text(m, ",{");
            put_text(m, true, "title", title);
            put_text(m, false, "unit", "J");
            key(m, false, "columns");
            text(m, "[{");
        } else {
            text(m, ",{");
        }
        put_text(m, true, "name", entry->name);
        put_text(m, false, "unit", "J");
        key(m, false, "data");
        phx_report_ref(report, m, REPORT_F32, report->shown.points, phx_report_column, columns + k);
        text(m, "}");
    }
    text(m, count > 0 ? "]}" : "");
}

/* Norms of the difference of a column to the same one of the first result; from > to where there is no such column, or
 * no common time. */
static phx_status measure_column(const phx_report *report, const phx_result *first, int column, phx_norms *norms)
{
    const phx_result *own = report->source.result;
    phx_plot_source sources[2];
    phx_timeline lines[2] = {{0}, {0}};
    const int columns[2] = {column, phx_result_column_find(first, phx_result_column_name(own, column))};
    phx_status status = PHX_OK;

    *norms = (phx_norms){.from = 1.0};
    if (columns[1] < 0 || strcmp(phx_result_column_unit(own, column), phx_result_column_unit(first, columns[1])) != 0 ||
        phx_result_rows(own) == 0 || phx_result_rows(first) == 0)
        return PHX_OK;
    for (int k = 0; k < 2 && !status; k++) {
        const phx_result *result = k ? first : own;
        sources[k] = (phx_plot_source){.context = report->context,
                                       .result = (phx_result *)result,
                                       .n_columns = phx_result_columns(result),
                                       .rows = phx_result_rows(result)};
        status =
            phx_timeline_read(&sources[k], k ? "the first result" : report->options->source, columns[k], &lines[k]);
    }
    if (!status)
        status = phx_timeline_subtract(report->context, &lines[0], &lines[1], norms, NULL);
    phx_timeline_free(&lines[0]);
    phx_timeline_free(&lines[1]);
    return status;
}

phx_status phx_report_measure(phx_report *report, const phx_result *first)
{
    const int n = phx_result_columns(report->source.result);
    phx_status status = PHX_OK;

    report->differences = phx_calloc(report->context, (size_t)n, sizeof *report->differences);
    if (!report->differences)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++)
        status = measure_column(report, first, k, &report->differences[k]);
    return status;
}

static void put_difference(const phx_norms *norms, phx_output *m)
{
    if (norms->from > norms->to)
        return;
    key(m, false, "difference");
    text(m, "{");
    put_number(m, true, "largest", norms->largest);
    put_number(m, false, "at", norms->at);
    put_number(m, false, "rms", norms->rms);
    text(m, "}");
}

/* Writes the groups of columns with titles, units and references to their values; the ledger follows the energies. */
static void put_columns(phx_report *report, phx_output *m)
{
    const phx_plot_source source = {.result = (phx_result *)report->source.result,
                                    .n_columns = phx_result_columns(report->source.result)};
    phx_column_group group = {0};

    key(m, false, "columns");
    text(m, "{");
    key(m, true, "time");
    phx_report_ref(report, m, REPORT_F64, report->shown.points, phx_report_times, 0);
    key(m, false, "groups");
    text(m, "[");
    for (bool first = true; phx_column_group_next(&source, &group); first = false) {
        text(m, first ? "{" : ",{");
        put_text(m, true, "title", group.title);
        put_text(m, false, "unit", group.unit);
        key(m, false, "columns");
        text(m, "[");
        for (int k = 0; k < group.count; k++) {
            text(m, k ? ",{" : "{");
            put_text(m, true, "name", group.labels[k]);
            put_text(m, false, "unit", phx_result_column_unit(report->source.result, group.columns[k]));
            key(m, false, "data");
            phx_report_ref(report, m, REPORT_F32, report->shown.points, phx_report_column, group.columns[k]);
            if (group.logarithmic)
                text(m, ",\"log\":true");
            if (report->differences)
                put_difference(&report->differences[group.columns[k]], m);
            text(m, "}");
        }
        text(m, "]}");
        if (!strcmp(group.labels[0], "supplied")) {
            put_ledger(report, m, false);
            put_ledger(report, m, true);
        }
    }
    text(m, "]}");
}

/* "visuals": all surfaces at a point if any differs from the first point's, or the number of a point before. */
static void put_visuals_of_point(phx_report *report, phx_output *m, int point)
{
    const int from = point - point % report->shown.every_visual;

    if (!report->shown.with_meshes || !report->shown.with_shapes || phx_report_same_visuals(report))
        return;
    if (from == point)
        phx_report_put_visuals(report, m);
    else
        put_number(m, false, "visuals", from);
}

/* "bodies": those that differ from the first point's, null the others; "visuals". */
static void put_bodies_of_point(phx_report *report, phx_output *m, int point)
{
    const int from = point - point % report->shown.every_shape;
    if (report->options->n_points == report->source.modes->n_points && from != point) {
        put_number(m, false, "bodies", from); /* too many: those of a point before */
        return;
    }
    if (!phx_report_at_point(report, point))
        return;
    bool all = true;
    for (int b = 0; b < report->n_bodies && all; b++)
        all = phx_report_same_body(report, b);
    if (!all)
        key(m, false, "bodies");
    for (int b = 0; b < report->n_bodies && !all; b++) {
        text(m, b ? "," : "[");
        if (phx_report_same_body(report, b))
            text(m, "null");
        else
            phx_report_put_body(report, m, b);
    }
    text(m, all ? "" : "]");
    put_visuals_of_point(report, m, point);
    phx_report_at_point(report, -1);
}

/* Writes parameters of the sweep and, for each point, their values, rigid modes, spin and bodies. */
static void put_points_of_sweep(phx_report *report, phx_output *m)
{
    const phx_modes_table *table = report->source.modes;

    key(m, true, "parameters");
    text(m, "[");
    for (int k = 0; k < table->n_parameters; k++) {
        text(m, k ? "," : "");
        phx_output_json(m, table->parameters[k]);
    }
    text(m, "]");
    key(m, false, "points");
    text(m, "[");
    for (int p = 0; p < table->n_points; p++) {
        text(m, p ? ",{\"values\":[" : "{\"values\":[");
        for (int k = 0; k < table->n_parameters; k++) {
            text(m, k ? "," : "");
            phx_report_number(m, table->values[(size_t)p * (size_t)table->n_parameters + (size_t)k]);
        }
        text(m, "]");
        put_number(m, false, "rigid", table->rigid_modes ? table->rigid_modes[p] : 0);
        if (table->spin)
            put_number(m, false, "spin", table->spin[p]);
        put_number(m, false, "frame", report->shown.frames > 1 ? p : 0);
        put_bodies_of_point(report, m, p);
        text(m, "}");
    }
    text(m, "]");
}

/* Writes the points of the sweep and the rows of modes, with references to their shapes. */
static void manifest_put_modes(phx_report *report, phx_output *m)
{
    const phx_modes_table *table = report->source.modes;
    size_t values = 0;

    for (int b = 0; b < report->n_bodies; b++)
        values += 6 + (size_t)phx_report_deformations(report, b);
    key(m, false, "modes");
    text(m, "{");
    put_points_of_sweep(report, m);
    key(m, false, "rows");
    text(m, "[");
    for (int r = 0; r < table->n_rows; r++) {
        const phx_mode_row *row = &table->rows[r];
        phx_output_format(m, "%s{\"point\":%d,\"mode\":%d,\"branch\":%d", r ? "," : "", row->point, row->mode,
                          row->branch);
        put_number(m, false, "omega", row->omega);
        put_number(m, false, "frequency", row->frequency);
        put_number(m, false, "damping", row->damping);
        if (table->n_coordinates > 0 && report->n_bodies > 0 && report->shown.with_shapes &&
            row->point % report->shown.every_shape == 0) {
            key(m, false, "shape");
            phx_report_ref(report, m, REPORT_F32, values, phx_report_mode_real, r);
            if (table->shapes_imaginary) {
                key(m, false, "imaginary");
                phx_report_ref(report, m, REPORT_F32, values, phx_report_mode_imaginary, r);
            }
        }
        text(m, "}");
    }
    text(m, "]}");
}

/* Writes the manifest of the page as JSON and lists the arrays that follow it. */
void phx_report_manifest(phx_report *report, phx_output *manifest)
{
    report->stream.n = 0;
    report->stream.bytes = report->stream.start;
    manifest_put_head(report, manifest);
    key(manifest, false, "bodies");
    text(manifest, "[");
    for (int b = 0; b < report->n_bodies; b++) {
        text(manifest, b ? "," : "");
        phx_report_put_body(report, manifest, b);
    }
    text(manifest, "]");
    phx_report_put_joints(report, manifest);
    phx_report_put_joint_kinds(report, manifest);
    if (report->scene) {
        if (report->shown.with_meshes && report->shown.with_shapes)
            phx_report_put_visuals(report, manifest);
        phx_report_put_springs(report, manifest);
        phx_report_put_loads(report, manifest);
        if (report->scene->n_gravity > 0) {
            key(manifest, false, "gravity");
            put_vector(manifest, report->dimension, report->scene->gravity);
        }
    }
    put_frames(report, manifest);
    if (report->source.result)
        put_columns(report, manifest);
    if (report->source.modes)
        manifest_put_modes(report, manifest);
    text(manifest, "}");
}
