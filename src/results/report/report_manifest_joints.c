/* Joints, springs and loads in the manifest of a report. */
#include "manifest.h"

#include "joint/joint.h"

#include <math.h>
#include <string.h>

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

/* Writes names, kinds, ports and axes of the joints. */
void phx_report_put_joints(phx_report *report, phx_output *m)
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
        text(m, scene->joint_drive[j] ? ",\"drive\":true}" : "}");
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
void phx_report_put_joint_kinds(phx_report *report, phx_output *m)
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

/* {"joint":i,"radius":r} */
static void put_wheel(phx_output *m, const char *name, int joint, double radius)
{
    if (radius == 0.0)
        return;
    key(m, false, name);
    phx_output_format(m, "{\"joint\":%d,\"radius\":", joint);
    phx_report_number(m, radius);
    text(m, "}");
}

/* Writes names and ports of the springs. */
void phx_report_put_springs(phx_report *report, phx_output *m)
{
    const phx_scene *scene = report->scene;

    key(m, false, "springs");
    text(m, "[");
    for (int k = 0; k < scene->n_springs; k++) {
        text(m, k ? ",{" : "{");
        put_text(m, true, "name", scene->spring_name[k]);
        put_text(m, false, "kind", scene->spring_kind[k]);
        put_end(report, m, "a", scene->spring_a[k]);
        put_end(report, m, "b", scene->spring_b[k]);
        put_wheel(m, "wheel_a", scene->spring_wheel_a[k], scene->spring_radius_a[k]);
        put_wheel(m, "wheel_b", scene->spring_wheel_b[k], scene->spring_radius_b[k]);
        text(m, "}");
    }
    text(m, "]");
}

/* Writes frame, places along the body and values of a load, constant or for each frame. */
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

/* {"body":i,"port":j} or the ground's place, kind and values of the outputs that are forces, among the loads. */
static void put_arrows(phx_report *report, phx_output *m, bool first)
{
    const phx_scene *scene = report->scene;

    for (int k = 0; k < scene->n_arrows; k++) {
        if (phx_report_arrow_column(report, k, 0) < 0)
            continue;
        text(m, first ? "{" : ",{");
        first = false;
        put_text(m, true, "name", scene->arrow_name[k]);
        put_text(m, false, "kind", scene->arrow_kind[k]);
        put_end(report, m, "at", scene->arrow_port[k]);
        if (scene->arrow_directions[k] < scene->n_ports)
            put_end(report, m, "directions", scene->arrow_directions[k]);
        key(m, false, "value");
        phx_report_ref(report, m, REPORT_F32, 3 * report->shown.frames, phx_report_arrow_values, k);
        text(m, "}");
    }
}

/* Writes names, kinds and ports of the loads on bodies, with their values if these are known. */
void phx_report_put_loads(phx_report *report, phx_output *m)
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
    put_arrows(report, m, first);
    text(m, "]");
}
