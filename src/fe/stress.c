/* Stresses at the nodes of a body on a mesh: what they are called, and what follows from them. */
#include "fe/fe.h"

#include <math.h>
#include <string.h>

static const phx_stress_field solid[] = {{"stress", "Pa", "xx|yy|zz|xy|yz|zx", 0, 6}};
static const phx_stress_field plate[] = {{"membrane_force", "N/m", "xx|yy|xy", 0, 3},
                                         {"bending_moment", "N m/m", "xx|yy|xy", 3, 3},
                                         {"shear_force", "N/m", "x|y", 6, 2},
                                         {"stress_top", "Pa", "xx|yy|xy", 8, 3},
                                         {"stress_bottom", "Pa", "xx|yy|xy", 11, 3}};

enum { BENDING_FIRST = 3 }; /* of the components of a plate */
static const phx_stress_field bending[] = {{"bending_moment", "N m/m", "xx|yy|xy", 0, 3},
                                           {"shear_force", "N/m", "x|y", 3, 2}};
static const phx_stress_field edge[] = {{"edge_shear", "N/m", "", 0, 1}, {"edge_moment", "N m/m", "nn|nt", 1, 2}};
static const phx_stress_field corner[] = {{"corner_force", "N", "", 0, 1}};

static const struct {
    const char *name;
    const phx_stress_field *fields;
    int count, components;
} sets[PHX_STRESS_SETS] = {[PHX_STRESSES_NONE] = {"", NULL, 0, 0},
                           [PHX_STRESSES_SOLID] = {"solid", solid, sizeof solid / sizeof *solid, 6},
                           [PHX_STRESSES_PLATE] = {"plate", plate, sizeof plate / sizeof *plate, 14},
                           [PHX_STRESSES_BENDING] = {"bending", bending, sizeof bending / sizeof *bending, 5},
                           [PHX_STRESSES_EDGE] = {"edge", edge, sizeof edge / sizeof *edge, 3},
                           [PHX_STRESSES_CORNER] = {"corner", corner, sizeof corner / sizeof *corner, 1}};

const char *phx_stress_set_name(phx_stress_set set)
{
    return sets[set].name;
}

phx_stress_set phx_stress_set_named(const char *name)
{
    for (int k = 0; k < PHX_STRESS_SETS; k++)
        if (!strcmp(sets[k].name, name))
            return (phx_stress_set)k;
    return PHX_STRESSES_NONE;
}

const phx_stress_field *phx_stress_fields(phx_stress_set set, int *count)
{
    *count = sets[set].count;
    return sets[set].fields;
}

int phx_stress_components(phx_stress_set set)
{
    return sets[set].components;
}

const phx_stress_field *phx_stress_field_named(phx_stress_set set, const char *name)
{
    for (int k = 0; k < sets[set].count; k++)
        if (!strcmp(sets[set].fields[k].name, name))
            return &sets[set].fields[k];
    return NULL;
}

/* ---- of a source ---- */
phx_stress_set phx_flex_source_stresses(const phx_flex_source *source)
{
    const phx_stress_set set =
        source && source->operations->stresses ? source->operations->stresses(source) : PHX_STRESSES_NONE;

    return !source || !source->flex.stiffening || set == PHX_STRESSES_BENDING ? set
           : set == PHX_STRESSES_PLATE                                        ? PHX_STRESSES_BENDING
                                                                              : PHX_STRESSES_NONE;
}

int phx_flex_source_strains(const phx_flex_source *source)
{
    return source && source->operations->strains ? source->operations->strains(source) : 0;
}

/* ---- by all that they depend on ---- */
void phx_stress_map_free(phx_stress_map *map)
{
    if (!map)
        return;
    phx_free(map->pair);
    phx_free(map->rows);
    memset(map, 0, sizeof *map);
}

static phx_status check_stresses(const phx_flex_source *source, phx_context *context)
{
    return phx_flex_source_stresses(source) != PHX_STRESSES_NONE
               ? PHX_OK
               : phx_fail(context, PHX_ERR_ARGUMENT, "%s: its stresses are not known", source->operations->name);
}

/* Rows of `nodes` points; of a stiffened plate those of its bending among all of them. */
static phx_status rows_of(const phx_flex_source *source, phx_context *context, const phx_location *location,
                          size_t nodes, double *rows)
{
    const size_t n = (size_t)(source->flex.n + phx_flex_source_strains(source)),
                 all = (size_t)phx_stress_components(PHX_STRESSES_PLATE) * n,
                 part = (size_t)phx_stress_components(PHX_STRESSES_BENDING) * n;

    if (phx_flex_source_stresses(source) == source->operations->stresses(source))
        return source->operations->stress_rows(source, context, location, rows);
    double *whole = phx_calloc(context, nodes * all + 1, sizeof *whole);
    const phx_status status =
        whole ? source->operations->stress_rows(source, context, location, whole) : PHX_ERR_MEMORY;
    for (size_t i = 0; i < nodes && !status; i++)
        memcpy(rows + i * part, whole + i * all + BENDING_FIRST * n, part * sizeof *rows);
    phx_free(whole);
    return status;
}

phx_status phx_flex_source_stress_rows(const phx_flex_source *source, phx_context *context,
                                       const phx_location *location, double *rows)
{
    if (!source || !location || !rows)
        return phx_fail_null(context, __func__, "source, location or rows");
    const phx_status status = check_stresses(source, context);
    return status ? status : rows_of(source, context, location, 1, rows);
}

/* Rows of the stresses at all nodes of a body on a mesh over its coordinates; *map is empty after an error. */
phx_status phx_flex_source_nodal_stresses(const phx_flex_source *source, phx_context *context, phx_stress_map *map)
{
    if (!source || !map)
        return phx_fail_null(context, __func__, "source or map");
    *map = (phx_stress_map){.set = PHX_STRESSES_NONE};
    phx_status status = check_stresses(source, context);
    if (status)
        return status;
    map->set = phx_flex_source_stresses(source);
    map->points = source->operations->stress_nodes(source);
    map->n = source->flex.n;
    map->n_strains = phx_flex_source_strains(source);
    const size_t width = (size_t)phx_stress_components(map->set) * (size_t)phx_stress_map_columns(map);
    map->rows = phx_calloc(context, (size_t)map->points * width + 1, sizeof *map->rows);
    status = map->rows ? rows_of(source, context, NULL, (size_t)map->points, map->rows) : PHX_ERR_MEMORY;
    if (status)
        phx_stress_map_free(map);
    return status;
}

phx_stress_set phx_flex_source_all_stresses(const phx_flex_source *source)
{
    return source && source->operations->stress_columns ? source->operations->stresses(source)
                                                        : phx_flex_source_stresses(source);
}

/* Rows of the stresses at one place, or at all nodes if location is NULL, with columns for products of slopes where the
 * source has them. */
static phx_status fill_map(const phx_flex_source *source, phx_context *context, phx_stress_set set,
                           const phx_location *location, phx_stress_map *map)
{
    const phx_source_operations *ops = source->operations;

    map->n = source->flex.n;
    map->points = location ? 1 : ops->stress_nodes(source);
    map->set = set;
    const phx_status status = ops->stress_columns ? ops->stress_columns(source, context, map) : PHX_OK;
    if (status)
        return status;
    const size_t width = (size_t)phx_stress_components(map->set) * (size_t)phx_stress_map_columns(map);
    map->rows = phx_calloc(context, (size_t)map->points * width + 1, sizeof *map->rows);
    if (!map->rows)
        return PHX_ERR_MEMORY;
    return ops->stress_columns ? ops->stress_map_rows(source, context, set, location, map->rows)
                               : rows_of(source, context, location, (size_t)map->points, map->rows);
}

/* Edges and corners are those of a plate, at a location. */
static phx_status check_set(const phx_flex_source *source, phx_context *context, phx_stress_set set,
                            const phx_location *location)
{
    const phx_stress_set all = phx_flex_source_all_stresses(source);
    const bool at_edge = set == PHX_STRESSES_EDGE || set == PHX_STRESSES_CORNER;

    if (all == PHX_STRESSES_NONE)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: its stresses are not known", source->operations->name);
    if (set == all || (at_edge && all == PHX_STRESSES_PLATE && location && source->operations->stress_columns))
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: forces on edges and corners are not known%s",
                    source->operations->name, all == PHX_STRESSES_SOLID ? " of a solid" : "");
}

phx_status phx_flex_source_stress_map(const phx_flex_source *source, phx_context *context, phx_stress_set set,
                                      const phx_location *location, phx_stress_map *map)
{
    if (!source || !map)
        return phx_fail_null(context, __func__, "source or map");
    memset(map, 0, sizeof *map);
    phx_status status = check_set(source, context, set, location);
    if (!status)
        status = fill_map(source, context, set, location, map);
    if (status)
        phx_stress_map_free(map);
    return status;
}

/* ---- what they are judged by ---- */
double phx_von_mises(const double s[6])
{
    const double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];

    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* A <- R^T A R with the rotation in the plane p q that makes a_pq zero. */
static void stress_rotate(double A[3][3], int p, int q)
{
    if (A[p][q] == 0.0)
        return;
    const int r = 3 - p - q;
    const double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0)), c = 1.0 / hypot(t, 1.0), s = t * c;
    const double rp = A[r][p], rq = A[r][q], change = t * A[p][q];

    A[p][p] -= change;
    A[q][q] += change;
    A[p][q] = A[q][p] = 0.0;
    A[r][p] = A[p][r] = c * rp - s * rq;
    A[r][q] = A[q][r] = s * rp + c * rq;
}

/* Principal stresses of (xx, yy, zz, xy, yz, zx), largest first, by Jacobi rotations. */
void phx_principal_stresses(const double stress[6], double principal[3])
{
    double A[3][3] = {
        {stress[0], stress[3], stress[5]}, {stress[3], stress[1], stress[4]}, {stress[5], stress[4], stress[2]}};

    for (int sweep = 0; sweep < 10; sweep++) { /* Jacobi: quadratic, four sweeps do */
        stress_rotate(A, 0, 1);
        stress_rotate(A, 1, 2);
        stress_rotate(A, 2, 0);
    }
    for (int i = 0; i < 3; i++) {
        int at = i;
        for (; at > 0 && principal[at - 1] < A[i][i]; at--)
            principal[at] = principal[at - 1];
        principal[at] = A[i][i];
    }
}

/* Stress states of a node from its components: one for a solid, those of both surfaces for a plate, none for other
 * sets; returns their number. */
int phx_stress_states(phx_stress_set set, const double *stress, double (*state)[6])
{
    if (set != PHX_STRESSES_PLATE && set != PHX_STRESSES_SOLID)
        return 0;
    if (set == PHX_STRESSES_SOLID) {
        memcpy(state[0], stress, sizeof state[0]);
        return 1;
    }
    for (int side = 0; side < 2; side++) { /* plane stress */
        const double *s = stress + 8 + 3 * side;
        const double whole[6] = {s[0], s[1], 0.0, s[2], 0.0, 0.0};
        memcpy(state[side], whole, sizeof whole);
    }
    return 2;
}
