/* The manifest of a report: one object of JSON. */
#include "report.h"
#include "fe/fe.h"
#include "column_groups.h"

#include "joint/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void text(phx_output *m, const char *characters)
{
    phx_output_text(m, characters);
}

/* "key": with a comma before it where one has to be. */
static void key(phx_output *m, bool first, const char *name)
{
    text(m, first ? "" : ",");
    phx_output_json(m, name);
    text(m, ":");
}

static void put_text(phx_output *m, bool first, const char *name, const char *value)
{
    key(m, first, name);
    phx_output_json(m, value ? value : "");
}

void phx_report_number(phx_output *manifest, double value)
{
    if (isfinite(value))
        phx_output_number(manifest, value);
    else
        phx_output_text(manifest, "null");
}

static void put_number(phx_output *m, bool first, const char *name, double value)
{
    key(m, first, name);
    phx_report_number(m, value);
}

/* rows of `dim` numbers as rows of 3, all in one list; a matrix of the plane is one of space. */
static void put_vector(phx_output *m, int dim, const double *values)
{
    text(m, "[");
    for (int a = 0; a < 3; a++) {
        text(m, a ? "," : "");
        phx_report_number(m, a < dim ? values[a] : 0.0);
    }
    text(m, "]");
}

static void put_matrix(phx_output *m, int dim, const double *values)
{
    text(m, "[");
    for (int i = 0; i < 9; i++) {
        const int row = i / 3, column = i % 3;
        text(m, i ? "," : "");
        phx_report_number(m, row < dim && column < dim ? values[row * dim + column] : (double)(row == column));
    }
    text(m, "]");
}

size_t phx_report_bytes(report_type type)
{
    return type == REPORT_F64 ? 8 : type == REPORT_I16 ? 2 : 4;
}

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
    {"largest_drift", "largest residual of a joint", "m"},
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

static void put_summary(phx_report *report, phx_output *m)
{
    phx_report_item items[MOST_SUMMARY];
    char shown[3][100];
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
    if (report->source.modes && report->shown.every_shape > 1 && report->shown.with_shapes) {
        snprintf(shown[2], sizeof shown[2], "of every %dth point", report->shown.every_shape);
        items[n++] = (phx_report_item){.name = "mode shapes", .text = shown[2]};
    }
    if (!report->shown.with_maps || !report->shown.with_shapes)
        items[n++] =
            (phx_report_item){.name = "left out for its size",
                              .text = !report->shown.with_shapes   ? "deformations, meshes, stresses, section forces"
                                      : !report->shown.with_meshes ? "meshes, stresses, section forces"
                                                                   : "stresses, section forces"};
    put_items(m, "summary", n, items, false);
}

static void put_head(phx_report *report, phx_output *m)
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
    put_settings(report, m);
    put_summary(report, m);
    if (report->options->n_certificate > 0)
        put_items(m, "certificate", report->options->n_certificate, report->options->certificate, true);
}

/* ---- bodies ---- */
static void put_ports(phx_report *report, phx_output *m, int b)
{
    const phx_scene *scene = report->scene;
    const int dim = report->dimension, n_q = phx_report_deformations(report, b);
    bool first = true;

    key(m, false, "ports");
    text(m, "[");
    for (int p = 0; scene && p < scene->n_ports; p++) {
        if (scene->port_body[p] != b)
            continue;
        text(m, first ? "{" : ",{");
        first = false;
        put_text(m, true, "name", scene->port_name[p]);
        key(m, false, "position");
        put_vector(m, dim, scene->port_position + p * dim);
        key(m, false, "rotation");
        put_matrix(m, dim, scene->port_rotation + p * dim * dim);
        if (n_q > 0 && report->shown.with_shapes) {
            key(m, false, "shape");
            phx_report_ref(report, m, REPORT_F32, 3 * (size_t)n_q, phx_report_port_shapes, p);
        }
        text(m, "}");
    }
    text(m, "]");
}

static void put_section(phx_report *report, phx_output *m, bool first, int b, const char *name, const char *label,
                        const char *unit, int index)
{
    text(m, first ? "{" : ",{");
    put_text(m, true, "name", name);
    put_text(m, false, "label", label);
    put_text(m, false, "unit", unit);
    key(m, false, "map");
    phx_report_ref(report, m, REPORT_F32,
                   (size_t)report->bodies[b].n_points * (size_t)phx_report_deformations(report, b), phx_report_map,
                   index);
    text(m, "}");
}

static void put_sections(phx_report *report, phx_output *m, int b)
{
    const phx_scene *scene = report->scene;
    const int fibres = scene ? phx_report_fibres(report, b) : 0;
    bool first = true;

    key(m, false, "section");
    text(m, "[");
    for (int s = 0; scene && s < scene->n_sections; s++) {
        char label[64];
        if (scene->section_body[s] != b)
            continue;
        snprintf(label, sizeof label, "%s", scene->section_name[s]);
        for (char *c = label; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        put_section(report, m, first, b, scene->section_name[s], label, scene->section_unit[s], s);
        first = false;
    }
    for (int f = 0; f < fibres; f++) {
        char name[64], label[64];
        const char *y = phx_report_fibre_sign(f, 0) > 0 ? "+y" : "-y";
        const char *z = report->dimension == 2 ? "" : phx_report_fibre_sign(f, 1) > 0 ? " +z" : " -z";
        snprintf(name, sizeof name, "stress_%d", f + 1);
        snprintf(label, sizeof label, "stress at %s%s", y, z);
        put_section(report, m, first, b, name, label, "Pa", scene->n_sections + 4 * b + f);
        first = false;
    }
    text(m, "]");
}

/* ---- meshes ---- */
static void put_field(phx_report *report, phx_output *m, int mesh, int c, const phx_stress_field *field,
                      const char *component, size_t values, size_t n_q)
{
    char name[80], label[80];
    const int length = (int)strcspn(component, "|");

    snprintf(name, sizeof name, "%s_%.*s", field->name, length, component);
    snprintf(label, sizeof label, "%s", name);
    for (char *at = label; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    put_text(m, true, "name", name);
    put_text(m, false, "label", label);
    put_text(m, false, "unit", field->unit);
    key(m, false, "map");
    phx_report_ref(report, m, REPORT_I16, values, phx_report_mesh_map, PHX_STRESSES_MOST * mesh + c);
    key(m, false, "scale");
    phx_report_ref(report, m, REPORT_F32, n_q, phx_report_mesh_map_scales, PHX_STRESSES_MOST * mesh + c);
}

/* Components of the stresses, each a field of its own. */
static void put_fields(phx_report *report, phx_output *m, int mesh, phx_stress_set set, size_t values, size_t n_q)
{
    int count = 0;
    const phx_stress_field *fields = phx_stress_fields(set, &count);
    bool first = true;

    key(m, false, "fields");
    text(m, "[");
    for (int f = 0; f < count; f++) {
        const char *component = fields[f].components;
        for (int c = 0; c < fields[f].count; c++) {
            text(m, first ? "{" : ",{");
            first = false;
            put_field(report, m, mesh, fields[f].first + c, &fields[f], component, values, n_q);
            text(m, "}");
            component += strcspn(component, "|") + 1;
        }
    }
    text(m, "]");
}

static void put_mesh(phx_report *report, phx_output *m, int b)
{
    int mesh = 0, nodes = 0;
    const size_t n_q = (size_t)phx_report_deformations(report, b);

    if (!phx_report_mesh_of(report, b, &mesh))
        return;
    const phx_status status = phx_report_mesh_size(report, mesh, &nodes);
    if (status) {
        m->status = status;
        return;
    }
    const phx_stress_set set = phx_stress_set_named(report->scene->mesh_stresses[mesh]);
    key(m, false, "mesh");
    text(m, "{");
    key(m, true, "points");
    phx_report_ref(report, m, REPORT_F32, 3 * (size_t)nodes, phx_report_mesh_points, mesh);
    key(m, false, "triangles");
    phx_report_ref(report, m, REPORT_U32, 3 * (size_t)report->scene->mesh_triangles[mesh], phx_report_mesh_triangles,
                   mesh);
    if (set == PHX_STRESSES_PLATE || set == PHX_STRESSES_BENDING) {
        key(m, false, "thickness");
        phx_report_ref(report, m, REPORT_F32, (size_t)nodes, phx_report_mesh_thickness, mesh);
    }
    key(m, false, "shapes");
    phx_report_ref(report, m, REPORT_I16, 3 * (size_t)nodes * n_q, phx_report_mesh_shapes, mesh);
    key(m, false, "scale");
    phx_report_ref(report, m, REPORT_F32, n_q, phx_report_mesh_shape_scales, mesh);
    if (report->shown.with_maps && set != PHX_STRESSES_NONE)
        put_fields(report, m, mesh, set, (size_t)nodes * n_q, n_q);
    text(m, "}");
}

static void put_body(phx_report *report, phx_output *m, int b)
{
    const phx_record_body *body = &report->bodies[b];
    const phx_scene *scene = report->scene;
    const size_t points = (size_t)body->n_points, n_q = (size_t)phx_report_deformations(report, b);

    text(m, "{");
    put_text(m, true, "name", body->name);
    put_text(m, false, "kind", body->kind);
    key(m, false, "points");
    phx_report_ref(report, m, REPORT_F32, 3 * points, phx_report_points, b);
    key(m, false, "lines");
    phx_report_ref(report, m, REPORT_U32, points > 1 ? 2 * (points - 1) : 0, phx_report_lines, b);
    put_number(m, false, "q", (double)n_q);
    if (n_q > 0 && body->shapes && report->shown.with_shapes) {
        key(m, false, "shapes");
        phx_report_ref(report, m, REPORT_F32, 3 * points * n_q, phx_report_shapes, b);
    }
    put_ports(report, m, b);
    if (scene) {
        if (scene->radius[b] > 0.0)
            put_number(m, false, "radius", scene->radius[b]);
        put_number(m, false, "mass", scene->mass[b]);
        key(m, false, "centre");
        put_vector(m, report->dimension, scene->centre + b * report->dimension);
    }
    if (report->shown.with_maps && report->shown.with_shapes)
        put_sections(report, m, b);
    if (report->shown.with_meshes && report->shown.with_shapes)
        put_mesh(report, m, b);
    text(m, "}");
}

/* {"body":i,"port":j}, j among the ports of the body; of the ground its place instead. */
static void put_end(phx_report *report, phx_output *m, const char *name, int port)
{
    const phx_scene *scene = report->scene;
    const int dim = report->dimension, body = scene->port_body[port];
    int number = 0;

    key(m, false, name);
    phx_output_format(m, "{\"body\":%d", body);
    if (body < 0) {
        key(m, false, "position");
        put_vector(m, dim, scene->port_position + port * dim);
        key(m, false, "rotation");
        put_matrix(m, dim, scene->port_rotation + port * dim * dim);
    } else {
        for (int p = 0; p < port; p++)
            number += scene->port_body[p] == body;
        phx_output_format(m, ",\"port\":%d", number);
    }
    text(m, "}");
}

static void put_joints(phx_report *report, phx_output *m)
{
    const phx_scene *scene = report->scene;
    const int dim = report->dimension;

    key(m, false, "joints");
    text(m, "[");
    for (int j = 0; scene && j < scene->n_joints; j++) {
        const double *axis = scene->joint_axis + j * dim;
        double size = 0.0;
        for (int a = 0; a < dim; a++)
            size += fabs(axis[a]);
        text(m, j ? ",{" : "{");
        put_text(m, true, "name", scene->joint_name[j]);
        put_text(m, false, "kind", scene->joint_kind[j]);
        put_end(report, m, "a", scene->joint_a[j]);
        put_end(report, m, "b", scene->joint_b[j]);
        if (size > 0.0) {
            key(m, false, "axis");
            put_vector(m, dim, axis);
        }
        text(m, "}");
    }
    text(m, "]");
}

static bool has_kind(const phx_scene *scene, const char *name)
{
    for (int j = 0; j < scene->n_joints; j++)
        if (!strcmp(scene->joint_kind[j], name))
            return true;
    return false;
}

static void put_solids(phx_output *m, const phx_joint_info *info)
{
    key(m, false, "solids");
    text(m, "[");
    for (int s = 0; s < PHX_JOINT_MAX_SOLIDS && info->solids[s].shape != PHX_SOLID_NONE; s++) {
        text(m, s ? ",{" : "{");
        put_text(m, true, "shape", phx_solid_name(info->solids[s].shape));
        key(m, false, "size");
        put_vector(m, 3, info->solids[s].size);
        text(m, "}");
    }
    text(m, "]");
}

/* How each kind of joint in the model is drawn. */
static void put_joint_kinds(phx_report *report, phx_output *m)
{
    const phx_scene *scene = report->scene;
    bool first = true;

    key(m, false, "joint_kinds");
    text(m, "{");
    for (int k = 0; scene && k < phx_joint_kind_count(); k++) {
        const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)k);
        if (!has_kind(scene, info->name))
            continue;
        key(m, first, info->name);
        text(m, info->holds_points ? "{\"holds_points\":true" : "{\"holds_points\":false");
        put_solids(m, info);
        text(m, "}");
        first = false;
    }
    text(m, "}");
}

static void put_springs(phx_report *report, phx_output *m)
{
    const phx_scene *scene = report->scene;

    key(m, false, "springs");
    text(m, "[");
    for (int k = 0; k < scene->n_springs; k++) {
        text(m, k ? ",{" : "{");
        put_text(m, true, "name", scene->spring_name[k]);
        put_end(report, m, "a", scene->spring_a[k]);
        put_end(report, m, "b", scene->spring_b[k]);
        text(m, "}");
    }
    text(m, "]");
}

static void put_load_values(phx_report *report, phx_output *m, int load)
{
    const int places = phx_report_load_places(report, load);
    const bool constant = phx_report_load_is_constant(report, load) || !report->source.result;
    const size_t each = 3 * (size_t)places;

    put_text(m, false, "frame", report->options->loads[load].follows ? "body" : "inertial");
    if (places > 1) {
        key(m, false, "places");
        for (int k = 0; k < places; k++) {
            text(m, k ? "," : "[");
            phx_report_number(m, phx_report_load_place(report, load, k));
        }
        text(m, "]");
    }
    key(m, false, "value");
    phx_report_ref(report, m, REPORT_F32, constant ? each : each * report->shown.frames,
                   constant ? phx_report_load_constant : phx_report_load_values, load);
}

static void put_loads(phx_report *report, phx_output *m)
{
    const phx_scene *scene = report->scene;
    bool first = true;

    key(m, false, "loads");
    text(m, "[");
    for (int k = 0; k < scene->n_loads; k++) {
        const int port = scene->load_port[k], body = scene->port_body[port];
        int number = 0;
        if (body < 0)
            continue;
        for (int p = 0; p < port; p++)
            number += scene->port_body[p] == body;
        text(m, first ? "{" : ",{");
        first = false;
        put_text(m, true, "name", scene->load_name[k]);
        phx_output_format(m, ",\"body\":%d,\"port\":%d", body, number);
        put_text(m, false, "kind", scene->load_kind[k]);
        if (report->options->n_loads == scene->n_loads)
            put_load_values(report, m, k);
        text(m, "}");
    }
    text(m, "]");
}

/* ---- motion, columns, modes ---- */
static void put_frames(phx_report *report, phx_output *m)
{
    size_t n_q = 0;

    for (int b = 0; b < report->n_bodies; b++)
        n_q += (size_t)phx_report_deformations(report, b);
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

/* "bodies": those that differ from the first point's, null the others. */
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
            put_body(report, m, b);
    }
    text(m, all ? "" : "]");
    phx_report_at_point(report, -1);
}

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

static void put_modes(phx_report *report, phx_output *m)
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

void phx_report_manifest(phx_report *report, phx_output *manifest)
{
    report->stream.n = 0;
    report->stream.bytes = 0;
    put_head(report, manifest);
    key(manifest, false, "bodies");
    text(manifest, "[");
    for (int b = 0; b < report->n_bodies; b++) {
        text(manifest, b ? "," : "");
        put_body(report, manifest, b);
    }
    text(manifest, "]");
    put_joints(report, manifest);
    put_joint_kinds(report, manifest);
    if (report->scene) {
        put_springs(report, manifest);
        put_loads(report, manifest);
        if (report->scene->n_gravity > 0) {
            key(manifest, false, "gravity");
            put_vector(manifest, report->dimension, report->scene->gravity);
        }
    }
    put_frames(report, manifest);
    if (report->source.result)
        put_columns(report, manifest);
    if (report->source.modes)
        put_modes(report, manifest);
    text(manifest, "}");
}
