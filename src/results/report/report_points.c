/* The bodies along a sweep: the selected point, and the changes between points. */
#include "report.h"

#include <string.h>

bool phx_report_at_point(phx_report *report, int point)
{
    const phx_report_options *options = report->options;
    const phx_modes_table *table = report->source.modes;

    if (point >= 0 && (!table || options->n_points != table->n_points || !options->points[point].bodies))
        return false;
    if (point == report->point)
        return point >= 0;
    report->point = point;
    report->bodies = point < 0 ? table->bodies : options->points[point].bodies;
    report->scene = point < 0 ? table->scene : options->points[point].scene;
    return point >= 0;
}

static bool same(size_t count, const double *a, const double *b)
{
    return count == 0 || (a && b && memcmp(a, b, count * sizeof *a) == 0) || a == b;
}

/* Whether a body looks the same with the ports of two scenes. */
static bool same_ports(const phx_report *report, int b, const phx_scene *one, const phx_scene *other)
{
    const size_t dim = (size_t)report->dimension, n_q = (size_t)phx_report_deformations(report, b);
    bool equal = one->n_ports == other->n_ports && one->n_port_shapes == other->n_port_shapes;
    size_t at = 0;

    for (int p = 0; p < one->n_ports && equal; p++) {
        const size_t values =
            one->port_body[p] < 0 ? 0 : dim * (size_t)phx_report_deformations(report, one->port_body[p]);
        const size_t place = (size_t)p * dim;
        if (one->port_body[p] == b)
            equal = same(dim, one->port_position + place, other->port_position + place) &&
                    same(dim * dim, one->port_rotation + place * dim, other->port_rotation + place * dim) &&
                    same(dim * n_q, one->port_shapes + at, other->port_shapes + at);
        at += values;
    }
    return equal;
}

/* Whether body b is the same at the point of the sweep as at the first: outline, shapes, mass, sections, ports and
 * mesh. */
bool phx_report_same_body(const phx_report *report, int b)
{
    const phx_record_body *body = &report->bodies[b], *beside = &report->source.modes->bodies[b];
    const phx_scene *scene = report->scene, *their = report->source.modes->scene;
    const size_t dim = (size_t)report->dimension, values = (size_t)body->n_points * dim;
    const size_t n_q = (size_t)phx_report_deformations(report, b), section = PHX_SCENE_SECTION;
    bool equal = body->n_points == beside->n_points && same(values, body->points, beside->points) &&
                 same(values * n_q, body->shapes, beside->shapes);

    if (!scene || !their)
        return equal;
    equal = equal && scene->radius[b] == their->radius[b] && scene->mass[b] == their->mass[b] &&
            scene->n_maps == their->n_maps &&
            same(dim, scene->centre + (size_t)b * dim, their->centre + (size_t)b * dim) &&
            same(section, scene->section + (size_t)b * section, their->section + (size_t)b * section);
    size_t at = 0;
    for (int s = 0; s < scene->n_sections && equal; s++) {
        const int of = scene->section_body[s];
        const size_t count = (size_t)report->bodies[of].n_points * (size_t)phx_report_deformations(report, of);
        equal = of != b || same(count, scene->maps + at, their->maps + at);
        at += count;
    }
    return equal && same_ports(report, b, scene, their) && phx_report_same_mesh(report, b, their);
}

/* Whether the surfaces equal those of the first point: every list of /visuals has the same entries. */
bool phx_report_same_visuals(const phx_report *report)
{
    const phx_scene *their = report->source.modes->scene;
    phx_scene_view one, other;
    bool equal = true;

    for (int k = 0; equal && phx_scene_list(report->scene, report->dimension, REPORT_VISUALS, k, &one); k++) {
        phx_scene_list(their, report->dimension, REPORT_VISUALS, k, &other);
        const size_t count = (size_t)one.count * (size_t)one.width,
                     size = one.kind == PHX_SCENE_LIST_INTEGERS ? sizeof(int) : sizeof(double);
        equal = one.count == other.count;
        for (int i = 0; equal && one.kind == PHX_SCENE_LIST_NAMES && i < one.count; i++)
            equal = !strcmp(((const char *const *)one.values)[i], ((const char *const *)other.values)[i]);
        if (equal && one.kind != PHX_SCENE_LIST_NAMES && count > 0)
            equal = !memcmp(one.values, other.values, count * size);
    }
    return equal;
}
