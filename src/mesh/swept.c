/* Meshes of surfaces that a line sweeps: plates, cylinders, cones, spheres, tubes, profiles, twisted strips.
 *
 * A structured mesh of the rectangle (u, v) of elements is mapped: u along the line, v along the sweep. Of an extrusion
 * u comes first, of a revolution v, so that the upper side is on the right of the line in both. */
#include "mesh.h"

#include <math.h>

static const double FULL_TURN = 6.283185307179586;
static const double SAME_POINT = 1e-9; /* relative to the size of the line, or to a turn */

typedef struct sweep {
    const phx_swept_mesh *def;
    double (*begin)[2]; /* of each segment; behind the last the end */
    int n;              /* elements along the line */
    double size;        /* of the line, m */
    bool closed[2];     /* line, sweep */
} sweep;

/* ---- the line ---- */
/* The place and the unit tangent at the fraction t of a segment. */
static void line_at(const sweep *s, int segment, double t, double place[2], double tangent[2])
{
    const phx_swept_segment *line = &s->def->segments[segment];
    const double *from = s->begin[segment];
    if (line->arc) {
        const double arm[2] = {from[0] - line->centre[0], from[1] - line->centre[1]};
        const double c = cos(t * line->angle), d = sin(t * line->angle);
        const double radius = copysign(hypot(arm[0], arm[1]), line->angle);
        const double turned[2] = {c * arm[0] - d * arm[1], d * arm[0] + c * arm[1]};
        for (int a = 0; a < 2; a++)
            place[a] = line->centre[a] + turned[a];
        tangent[0] = -turned[1] / radius;
        tangent[1] = turned[0] / radius;
    } else {
        const double length = hypot(line->to[0] - from[0], line->to[1] - from[1]);
        for (int a = 0; a < 2; a++) {
            place[a] = (1.0 - t) * from[a] + t * line->to[a];
            tangent[a] = (line->to[a] - from[a]) / length;
        }
    }
}

/* Finds the ends and the number of elements of all segments; an arc without radius, a segment without length and a
 * segment without elements are refused. */
static phx_status lay_line(phx_context *context, sweep *s)
{
    const phx_swept_mesh *def = s->def;
    double low[2] = {def->from[0], def->from[1]}, high[2] = {def->from[0], def->from[1]}, tangent[2];
    s->begin = phx_calloc(context, (size_t)def->n_segments + 1, sizeof *s->begin);
    if (!s->begin)
        return PHX_ERR_MEMORY;
    s->begin[0][0] = def->from[0];
    s->begin[0][1] = def->from[1];
    for (int k = 0; k < def->n_segments; k++) {
        const phx_swept_segment *line = &def->segments[k];
        const double *towards = line->arc ? line->centre : line->to;
        const bool moves = towards[0] != s->begin[k][0] || towards[1] != s->begin[k][1];
        if (!moves || (line->arc && line->angle == 0.0))
            return phx_fail(context, PHX_ERR_ARGUMENT, "segment %d of the line, from [%g, %g], has no length%s", k + 1,
                            s->begin[k][0], s->begin[k][1],
                            line->arc ? ": an arc needs an angle, and a centre away from its beginning" : "");
        if (line->arc && fabs(line->angle) > FULL_TURN * (1.0 + SAME_POINT))
            return phx_fail(context, PHX_ERR_ARGUMENT, "segment %d of the line: its angle is %g; at most a turn", k + 1,
                            line->angle);
        if (line->elements < 1)
            return phx_fail(context, PHX_ERR_ARGUMENT, "segment %d of the line: %d elements; at least 1 is needed",
                            k + 1, line->elements);
        s->n += line->elements;
        line_at(s, k, 1.0, s->begin[k + 1], tangent);
        for (int a = 0; a < 2; a++) {
            low[a] = fmin(fmin(low[a], s->begin[k + 1][a]), line->arc ? line->centre[a] : HUGE_VAL);
            high[a] = fmax(fmax(high[a], s->begin[k + 1][a]), line->arc ? line->centre[a] : -HUGE_VAL);
        }
    }
    const double *end = s->begin[def->n_segments];
    s->size = hypot(high[0] - low[0], high[1] - low[1]);
    s->closed[0] = hypot(end[0] - def->from[0], end[1] - def->from[1]) <= SAME_POINT * s->size;
    return PHX_OK;
}

/* A line that is revolved must stay on one side of the axis: at all middles and ends of its elements. */
static phx_status check_axis(phx_context *context, const sweep *s)
{
    double p[2], tangent[2];
    for (int k = 0; k < s->def->n_segments && s->def->revolved; k++)
        for (int i = 0; i <= 2 * s->def->segments[k].elements; i++) {
            line_at(s, k, 0.5 * i / s->def->segments[k].elements, p, tangent);
            if (!(p[0] > SAME_POINT * s->size))
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "the line comes to [%g, %g], and the axis of the revolution is at a = 0; leave a hole "
                                "around it, or take a mesh file",
                                p[0], p[1]);
        }
    return PHX_OK;
}

/* The segment of an element along the line, and where the segment begins in u. */
static int segment_of(const sweep *s, int element, int *begin)
{
    int k = 0;
    for (*begin = 0; element >= *begin + s->def->segments[k].elements; k++)
        *begin += s->def->segments[k].elements;
    return k;
}

/* ---- the surface ---- */
/* Place and normal at (u, v) of an element along the line. */
static void surface_at(const sweep *s, int element, double u, double v, double x[3], double normal[3])
{
    int begin;
    const phx_swept_mesh *def = s->def;
    const int k = segment_of(s, element, &begin);
    const double along = v / def->elements, turn = along * (def->revolved ? def->length : def->twist);
    const double c = cos(turn), d = sin(turn);
    double p[2], t[2];
    line_at(s, k, (u - begin) / def->segments[k].elements, p, t);
    if (def->revolved) { /* X,v x X,u with X = (a cos, a sin, b) */
        x[0] = p[0] * c, x[1] = p[0] * d, x[2] = p[1];
        normal[0] = t[1] * c, normal[1] = t[1] * d, normal[2] = -t[0];
        return;
    }
    /* X,u x X,v with X = R(turn) (a, b) + z e_3; X,z = (-w y, w x, 1) */
    const double w = def->twist / def->length, e[2] = {c * t[0] - d * t[1], d * t[0] + c * t[1]};
    x[0] = c * p[0] - d * p[1], x[1] = d * p[0] + c * p[1], x[2] = along * def->length;
    normal[0] = e[1], normal[1] = -e[0], normal[2] = w * (e[0] * x[0] + e[1] * x[1]);
    const double size = sqrt(1.0 + normal[2] * normal[2]);
    for (int a = 0; a < 3; a++)
        normal[a] /= size;
}

/* Replaces the (u, v) of the nodes by places, and finds the normals of each cell at its nodes: of an element at the end
 * of a closed line the nodes that it has in common with the first element are at the end. */
static phx_status sweep_nodes(phx_context *context, const sweep *s, phx_mesh *mesh, double *normal)
{
    const int line = s->def->revolved, sweep_axis = 1 - line, pieces = mesh->type[0] == PHX_CELL_QUAD9 ? 1 : 2;
    const int across = line ? s->def->elements : s->n, count[2] = {s->n, s->def->elements};
    double *x = phx_calloc(context, 3 * (size_t)mesh->n_nodes, sizeof *x);
    phx_status status = x ? PHX_OK : PHX_ERR_MEMORY;
    for (int c = 0; c < mesh->n_cells && !status; c++) {
        const int brick[2] = {c / pieces % across, c / pieces / across};
        const int own[2] = {brick[line], brick[sweep_axis]}; /* line, sweep */
        if (phx_cell_info_of(mesh->type[c])->dimension != 2)
            continue;
        for (int k = mesh->first[c]; k < mesh->first[c + 1]; k++) {
            const double *at = mesh->x + 3 * (size_t)mesh->node[k];
            double place[2] = {at[line], at[sweep_axis]}, *to = x + 3 * (size_t)mesh->node[k];
            for (int a = 0; a < 2; a++)
                if (s->closed[a] && place[a] < own[a])
                    place[a] += count[a];
            surface_at(s, own[0], place[0], place[1], to, normal + 3 * (size_t)k);
        }
    }
    phx_free(mesh->x);
    mesh->x = x;
    return status;
}

/* The cells of each segment that has a name. */
static phx_status name_segments(phx_context *context, const sweep *s, phx_mesh *mesh)
{
    const int pieces = mesh->type[0] == PHX_CELL_QUAD9 ? 1 : 2, across = s->def->revolved ? s->def->elements : s->n;
    const int all = s->n * s->def->elements * pieces;
    int *items = phx_calloc(context, (size_t)all, sizeof *items);
    phx_status status = items ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < s->def->n_segments && !status; k++) {
        int count = 0, begin;
        for (int c = 0; c < all; c++)
            if (segment_of(s, s->def->revolved ? c / pieces / across : c / pieces % across, &begin) == k)
                items[count++] = c;
        if (s->def->segments[k].name)
            status = phx_mesh_add_group(context, mesh, s->def->segments[k].name, 2, count, items);
    }
    phx_free(items);
    return status;
}

static phx_status check_sweep(phx_context *context, const phx_swept_mesh *def)
{
    if (def->n_segments < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a line without segments");
    if (!(def->length > 0.0) || !isfinite(def->length) ||
        (def->revolved && def->length > FULL_TURN * (1.0 + SAME_POINT)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "the %s of the sweep is %g; it must be above 0%s",
                        def->revolved ? "angle" : "length", def->length,
                        def->revolved ? " and at most a turn, 2*pi" : "");
    if (def->type != PHX_CELL_TRI6 && def->type != PHX_CELL_QUAD9)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a sweep has cells of type tri6 or quad9");
    return PHX_OK;
}

/* Sweeps a line over a structured mesh with the exact normals as directors; both are empty after a failure. */
phx_status phx_mesh_sweep(phx_context *context, const phx_swept_mesh *def, phx_mesh *mesh, phx_directors *directors)
{
    static const char *const extruded[8] = {"start",       "end",       "first",      "last",
                                            "start_first", "end_first", "start_last", "end_last"},
                             *const revolved[8] = {"first",       "last",       "start",     "end",
                                                   "start_first", "start_last", "end_first", "end_last"};
    if (!def || !mesh || !directors)
        return phx_fail_null(context, __func__, "def, mesh or directors");
    sweep s = {.def = def};
    double *normal = NULL;
    *mesh = (phx_mesh){0};
    *directors = (phx_directors){0};
    phx_status status = check_sweep(context, def);
    if (!status)
        status = lay_line(context, &s);
    if (!status)
        status = check_axis(context, &s);
    s.closed[1] = def->revolved && !def->slit && def->length >= FULL_TURN * (1.0 - SAME_POINT);
    const int line = def->revolved;
    phx_rectangle_mesh plane = {.type = def->type, .names = def->revolved ? revolved : extruded};
    plane.elements[line] = s.n;
    plane.elements[1 - line] = def->elements;
    for (int a = 0; a < 2; a++) {
        plane.size[a] = plane.elements[a] > 0 ? plane.elements[a] : 1.0;
        plane.closed[a] = s.closed[a == line ? 0 : 1];
    }
    if (!status)
        status = phx_mesh_rectangle(context, &plane, mesh);
    if (!status)
        normal = phx_calloc(context, 3 * (size_t)mesh->first[mesh->n_cells], sizeof *normal);
    if (!status)
        status = normal ? sweep_nodes(context, &s, mesh, normal) : PHX_ERR_MEMORY;
    if (!status)
        status = name_segments(context, &s, mesh);
    if (!status)
        status = phx_mesh_join_normals(context, mesh, normal, def->fold, directors);
    if (status)
        phx_mesh_free(mesh);
    phx_free(normal);
    phx_free(s.begin);
    return status;
}
