/* Bodies in the manifest of a report: ports, sections along them, meshes with their stresses. */
#include "manifest.h"
#include "fe/fe.h"

#include <string.h>

/* Writes names, poses and deformation shapes of the ports of body b. */
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

/* Writes the section forces of body b and the stresses of its outer fibres. */
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
/* Component c of a mesh with `nodes` nodes on its surface. */
static void put_field(phx_report *report, phx_output *m, int mesh, int c, const phx_stress_field *field,
                      const char *component, size_t nodes)
{
    char name[80], label[80];
    const int length = (int)strcspn(component, "|"), body = report->scene->mesh_body[mesh];
    const size_t n_q = (size_t)phx_report_deformations(report, body),
                 n_factors = (size_t)phx_report_factors(report, body);

    snprintf(name, sizeof name, "%s_%.*s", field->name, length, component);
    snprintf(label, sizeof label, "%s", name);
    for (char *at = label; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    put_text(m, true, "name", name);
    put_text(m, false, "label", label);
    put_text(m, false, "unit", field->unit);
    key(m, false, "map");
    if (n_factors > 0) {
        phx_report_ref(report, m, REPORT_F32, nodes * (n_q + n_factors), phx_report_mesh_float_map,
                       PHX_STRESSES_MOST * mesh + c);
        return;
    }
    phx_report_ref(report, m, REPORT_I16, nodes * n_q, phx_report_mesh_map, PHX_STRESSES_MOST * mesh + c);
    key(m, false, "scale");
    phx_report_ref(report, m, REPORT_F32, n_q, phx_report_mesh_map_scales, PHX_STRESSES_MOST * mesh + c);
}

/* Components of the stresses, each a field of its own. */
static void put_fields(phx_report *report, phx_output *m, int mesh, phx_stress_set set, size_t nodes)
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
            put_field(report, m, mesh, fields[f].first + c, &fields[f], component, nodes);
            text(m, "}");
            component += strcspn(component, "|") + 1;
        }
    }
    text(m, "]");
}

/* Writes the surface mesh of body b with shapes and stress fields, if it has one; shapes are 16-bit integers with a
 * scale each. */
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
    put_number(m, false, "factors", phx_report_factors(report, b));
    if (report->shown.with_maps && set != PHX_STRESSES_NONE &&
        report->scene->mesh_factors[mesh] == phx_report_factors(report, b))
        put_fields(report, m, mesh, set, (size_t)nodes);
    text(m, "}");
}

/* What the scene has of the body: a number, or a vector in space, under the name of its list. */
static void put_body_numbers(phx_report *report, phx_output *m, int b)
{
    phx_scene_view view;

    for (int k = 0; report->scene && phx_scene_list(report->scene, report->dimension, "/bodies/", k, &view); k++) {
        const double *values = view.values;
        if (view.kind != PHX_SCENE_LIST_NUMBERS || strcmp(view.name, "section") == 0)
            continue; /* the maps of section forces have this name */
        if (view.width == 1) {
            put_number(m, false, view.name, values[b]);
        } else {
            key(m, false, view.name);
            put_vector(m, view.width, values + b * view.width);
        }
    }
}

/* Surfaces of bodies and ground: every list of /visuals by name, texts here, numbers in the arrays. */
void phx_report_put_visuals(phx_report *report, phx_output *m)
{
    phx_scene_view view;

    key(m, false, "visuals");
    text(m, "{");
    for (int k = 0; phx_scene_list(report->scene, report->dimension, REPORT_VISUALS, k, &view); k++) {
        const size_t count = (size_t)view.count * (size_t)view.width;
        if (view.kind == PHX_SCENE_LIST_NAMES) {
            put_names(m, k == 0, view.name, view.count, view.values);
            continue;
        }
        key(m, k == 0, view.name);
        phx_report_ref(report, m, view.kind == PHX_SCENE_LIST_INTEGERS ? REPORT_U32 : REPORT_F32, count,
                       phx_report_visual_list, k);
    }
    text(m, "}");
}

/* Writes body b: outline, deformation shapes, ports, mass, section forces and mesh. */
void phx_report_put_body(phx_report *report, phx_output *m, int b)
{
    const phx_record_body *body = &report->bodies[b];
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
    put_body_numbers(report, m, b);
    if (report->shown.with_maps && report->shown.with_shapes)
        put_sections(report, m, b);
    if (report->shown.with_meshes && report->shown.with_shapes)
        put_mesh(report, m, b);
    text(m, "}");
}
