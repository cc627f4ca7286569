/* Meshes of files as meshes of shells, and directors: one normal for each smooth patch at a node. */
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void phx_directors_free(phx_directors *directors)
{
    if (!directors)
        return;
    phx_free(directors->d);
    phx_free(directors->node);
    phx_free(directors->of);
    *directors = (phx_directors){0};
}

static bool is_surface(const phx_mesh *mesh, int c)
{
    return phx_cell_info_of(mesh->type[c])->dimension == 2;
}

static int shell_cell_number(const phx_mesh *mesh, int c)
{
    return mesh->cell_label && mesh->cell_label[c] > 0 ? mesh->cell_label[c] : c + 1;
}

static void shell_cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double shell_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- normals of cells ---- */
/* Derivatives of x along r and s at node k of a cell: a quad9 is a product of parabolas through three nodes, a tri6 has
 * the functions L (2 L - 1) and 4 L_a L_b. */
static void tangents_at(const phx_mesh *mesh, int c, int k, double t[2][3])
{
    static const int grid[3][3] = {{0, 4, 1}, {7, 8, 5}, {3, 6, 2}}; /* by s, r */
    static const double slope[3][3] = {{-1.5, 2.0, -0.5}, {-0.5, 0.0, 0.5}, {0.5, -2.0, 1.5}};
    static const double corner[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}};
    const phx_cell_info *info = phx_cell_info_of(mesh->type[c]);
    const int *node = mesh->node + mesh->first[c];
    double weight[2][PHX_CELL_MOST_SIDE] = {{0}};

    for (int at = 0; at < 9 && info->corners == 4; at++)
        for (int m = 0; m < 3 && grid[at / 3][at % 3] == k; m++) {
            weight[0][grid[at / 3][m]] = slope[at % 3][m];
            weight[1][grid[m][at % 3]] = slope[at / 3][m];
        }
    for (int a = 0; a < 3 && info->corners == 3; a++) {
        const double *L = corner[k];
        static const double dL[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
        const int *edge = info->edge[a];
        for (int d = 0; d < 2; d++) {
            weight[d][a] = (4.0 * L[a] - 1.0) * dL[a][d];
            weight[d][3 + a] = 4.0 * (L[edge[0]] * dL[edge[1]][d] + L[edge[1]] * dL[edge[0]][d]);
        }
    }
    memset(t, 0, 6 * sizeof(double));
    for (int i = 0; i < info->nodes; i++)
        for (int a = 0; a < 3; a++)
            for (int d = 0; d < 2; d++)
                t[d][a] += weight[d][i] * mesh->x[3 * (size_t)node[i] + (size_t)a];
}

/* The vector area of the polygon of the corners. */
static void corner_normal(const phx_mesh *mesh, int c, double normal[3])
{
    const int n = phx_cell_info_of(mesh->type[c])->corners, *node = mesh->node + mesh->first[c];
    double sum[3] = {0}, part[3];
    for (int k = 1; k + 1 < n; k++) {
        double side[2][3];
        for (int a = 0; a < 3; a++) {
            const double *x = mesh->x + a;
            side[0][a] = x[3 * (size_t)node[k]] - x[3 * (size_t)node[0]];
            side[1][a] = x[3 * (size_t)node[k + 1]] - x[3 * (size_t)node[0]];
        }
        shell_cross(side[0], side[1], part);
        for (int a = 0; a < 3; a++)
            sum[a] += part[a];
    }
    const double size = sqrt(shell_dot(sum, sum));
    for (int a = 0; a < 3; a++)
        normal[a] = size > 0.0 ? sum[a] / size : 0.0;
}

static double cosine_between(const phx_mesh *mesh, int c, int d)
{
    double normal[2][3];
    corner_normal(mesh, c, normal[0]);
    corner_normal(mesh, d, normal[1]);
    return shell_dot(normal[0], normal[1]);
}

/* ---- directors ---- */
/* The entries of mesh->node of surface cells at each node: those of node i from begin[i]. */
typedef struct incidence {
    int *begin, *entry;
} incidence;

/* For each node the entries of mesh->node at which surface cells have it: counted, then listed. */
static phx_status make_incidence(phx_context *context, const phx_mesh *mesh, incidence *at)
{
    const int n = mesh->first[mesh->n_cells];
    at->begin = phx_calloc(context, (size_t)mesh->n_nodes + 2, sizeof *at->begin);
    at->entry = phx_calloc(context, (size_t)n + 1, sizeof *at->entry);
    if (!at->begin || !at->entry)
        return PHX_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < mesh->n_cells; c++)
            for (int k = mesh->first[c]; k < mesh->first[c + 1] && is_surface(mesh, c); k++)
                if (pass == 0)
                    at->begin[mesh->node[k] + 2]++;
                else
                    at->entry[at->begin[mesh->node[k] + 1]++] = k;
        for (int i = 0; i < mesh->n_nodes && pass == 0; i++)
            at->begin[i + 2] += at->begin[i + 1];
    }
    return PHX_OK;
}

/* Parts the cells at a node into patches; each gets the mean of its normals as a director. */
static void join_at(const incidence *at, int node, const double *normal, double fold, phx_directors *to)
{
    const double least = cos(fold);
    for (int i = at->begin[node]; i < at->begin[node + 1]; i++) {
        if (to->of[at->entry[i]] >= 0)
            continue;
        const int director = to->n++;
        double *d = to->d + 3 * (size_t)director;
        to->node[director] = node;
        to->of[at->entry[i]] = director;
        for (bool grown = true; grown;) {
            grown = false;
            for (int j = at->begin[node]; j < at->begin[node + 1]; j++)
                for (int k = at->begin[node]; k < at->begin[node + 1] && to->of[at->entry[j]] < 0; k++)
                    if (to->of[at->entry[k]] == director &&
                        shell_dot(normal + 3 * (size_t)at->entry[j], normal + 3 * (size_t)at->entry[k]) > least) {
                        to->of[at->entry[j]] = director;
                        grown = true;
                    }
        }
        for (int j = at->begin[node]; j < at->begin[node + 1]; j++)
            for (int a = 0; a < 3 && to->of[at->entry[j]] == director; a++)
                d[a] += normal[3 * (size_t)at->entry[j] + (size_t)a];
        const double size = sqrt(shell_dot(d, d));
        for (int a = 0; a < 3; a++)
            d[a] /= size;
    }
}

/* Directors of given normals at the nodes of each surface cell; empty after a failure. */
phx_status phx_mesh_join_normals(phx_context *context, const phx_mesh *mesh, const double *normal, double fold,
                                 phx_directors *directors)
{
    if (!mesh || !normal || !directors)
        return phx_fail_null(context, __func__, "mesh, normal or directors");
    const size_t n = (size_t)mesh->first[mesh->n_cells];
    incidence at = {0};
    *directors = (phx_directors){.d = phx_calloc(context, 3 * n + 1, sizeof(double)),
                                 .node = phx_calloc(context, n + 1, sizeof(int)),
                                 .of = phx_calloc(context, n + 1, sizeof(int))};
    phx_status status =
        directors->d && directors->node && directors->of ? make_incidence(context, mesh, &at) : PHX_ERR_MEMORY;
    for (size_t k = 0; k < n && !status; k++)
        directors->of[k] = -1;
    for (int i = 0; i < mesh->n_nodes && !status; i++)
        join_at(&at, i, normal, fold, directors);
    phx_free(at.begin);
    phx_free(at.entry);
    if (status)
        phx_directors_free(directors);
    return status;
}

/* Directors from the normals of the cells themselves; a cell without a normal at a node is refused. */
phx_status phx_mesh_directors(phx_context *context, const phx_mesh *mesh, double fold, phx_directors *directors)
{
    if (!mesh || !directors)
        return phx_fail_null(context, __func__, "mesh or directors");
    double *normal = phx_calloc(context, 3 * (size_t)mesh->first[mesh->n_cells] + 1, sizeof *normal);
    phx_status status = normal ? PHX_OK : PHX_ERR_MEMORY;
    *directors = (phx_directors){0};
    for (int c = 0; c < mesh->n_cells && !status; c++)
        for (int k = mesh->first[c]; k < mesh->first[c + 1] && !status && is_surface(mesh, c); k++) {
            double t[2][3], *n = normal + 3 * (size_t)k;
            tangents_at(mesh, c, k - mesh->first[c], t);
            shell_cross(t[0], t[1], n);
            const double size = sqrt(shell_dot(n, n));
            if (!(size > 0.0))
                status = phx_fail(context, PHX_ERR_INPUT, "cell %d is flat at its node %d: it has no normal there",
                                  shell_cell_number(mesh, c), k - mesh->first[c] + 1);
            for (int a = 0; a < 3; a++)
                n[a] /= size;
        }
    if (!status)
        status = phx_mesh_join_normals(context, mesh, normal, fold, directors);
    phx_free(normal);
    return status;
}

/* ---- one side ---- */
/* A side of a surface cell: its corners, ascending, and whether the cell runs from the lower to the higher. */
typedef struct shell_edge {
    int corner[2], cell;
    bool upward;
} shell_edge;

static int compare_edges(const void *a, const void *b)
{
    const shell_edge *e = a, *f = b;
    for (int k = 0; k < 2; k++)
        if (e->corner[k] != f->corner[k])
            return e->corner[k] < f->corner[k] ? -1 : 1;
    return (e->cell > f->cell) - (e->cell < f->cell);
}

/* The nodes of a cell the other way round. */
static void turn_cell(phx_mesh *mesh, int c)
{
    static const int tri[6] = {0, 2, 1, 5, 4, 3}, quad[9] = {0, 3, 2, 1, 7, 6, 5, 4, 8};
    const int count = mesh->first[c + 1] - mesh->first[c], *order = mesh->type[c] == PHX_CELL_TRI6 ? tri : quad;
    int *node = mesh->node + mesh->first[c], old[PHX_CELL_MOST_SIDE];
    memcpy(old, node, (size_t)count * sizeof *old);
    for (int k = 0; k < count; k++)
        node[k] = old[order[k]];
}

/* Neighbours over a side that two cells share, or that lie in one plane there, must run along the side in opposite
 * directions. Turns all cells that a first one reaches; `turned` of a cell: 0 not yet, 1 as it is, -1 turned. */
static phx_status spread_side(phx_context *context, phx_mesh *mesh, int n, const shell_edge *edges, signed char *turned,
                              const char *path)
{
    static const double ALIKE = 0.866; /* cosine of 30 degrees: planes of cells at a junction */
    for (bool grown = true; grown;) {
        grown = false;
        for (int e = 0; e < n; e++)
            for (int f = e + 1;
                 f < n && edges[f].corner[0] == edges[e].corner[0] && edges[f].corner[1] == edges[e].corner[1]; f++) {
                const int a = edges[e].cell, b = edges[f].cell;
                const bool pair = (e == 0 || memcmp(edges[e - 1].corner, edges[e].corner, sizeof edges[e].corner)) &&
                                  (f + 1 == n || memcmp(edges[f + 1].corner, edges[e].corner, sizeof edges[e].corner));
                if (!pair && fabs(cosine_between(mesh, a, b)) < ALIKE)
                    continue;
                const signed char same = edges[e].upward == edges[f].upward ? -1 : 1;
                if (turned[a] && turned[b] && turned[a] * turned[b] != same)
                    return phx_fail(context, PHX_ERR_INPUT,
                                    "%s: the surface has one side alone (cells %d and %d): it cannot have directors; "
                                    "cut it, and join the parts by ports",
                                    path, shell_cell_number(mesh, a), shell_cell_number(mesh, b));
                if (!turned[a] == !turned[b])
                    continue;
                *(turned[a] ? &turned[b] : &turned[a]) = (signed char)(same * (turned[a] ? turned[a] : turned[b]));
                grown = true;
            }
    }
    return PHX_OK;
}

/* Turns cells so that neighbours have their upper sides on one side; the first cell of each part stays. */
static phx_status turn_to_one_side(phx_context *context, phx_mesh *mesh, const char *path)
{
    shell_edge *edges = phx_calloc(context, 4 * (size_t)mesh->n_cells + 1, sizeof *edges);
    signed char *turned = phx_calloc(context, (size_t)mesh->n_cells + 1, 1);
    phx_status status = edges && turned ? PHX_OK : PHX_ERR_MEMORY;
    int n = 0;
    for (int c = 0; c < mesh->n_cells && !status; c++) {
        const phx_cell_info *info = phx_cell_info_of(mesh->type[c]);
        for (int k = 0; k < info->edges && info->dimension == 2; k++) {
            const int from = mesh->node[mesh->first[c] + info->edge[k][0]];
            const int to = mesh->node[mesh->first[c] + info->edge[k][1]];
            edges[n++] = (shell_edge){{from < to ? from : to, from < to ? to : from}, c, from < to};
        }
    }
    if (!status)
        qsort(edges, (size_t)n, sizeof *edges, compare_edges);
    for (int c = 0; c < mesh->n_cells && !status; c++)
        if (is_surface(mesh, c) && !turned[c]) {
            turned[c] = 1;
            status = spread_side(context, mesh, n, edges, turned, path);
        }
    for (int c = 0; c < mesh->n_cells && !status; c++)
        if (turned[c] < 0)
            turn_cell(mesh, c);
    phx_free(edges);
    phx_free(turned);
    return status;
}

/* ---- nodes in the centres ---- */
static phx_status check_surface(phx_context *context, const phx_mesh *mesh, const char *path)
{
    if (phx_mesh_count(mesh, 3) > 0)
        return phx_fail(context, PHX_ERR_INPUT,
                        "%s: %d solid cells; a shell is a surface: mesh surfaces alone, or take "
                        "'kind: solid'",
                        path, phx_mesh_count(mesh, 3));
    if (phx_mesh_count(mesh, 2) == 0)
        return phx_fail(context, PHX_ERR_INPUT, "%s: no triangles or quadrilaterals, of which a shell is made", path);
    for (int c = 0; c < mesh->n_cells; c++) {
        const phx_cell_info *info = phx_cell_info_of(mesh->type[c]);
        if (info->dimension == 2 && info->order != 2)
            return phx_fail(context, PHX_ERR_INPUT,
                            "%s: cell %d is a %s, of order 1; a shell needs order 2: in Gmsh Mesh.ElementOrder = 2, or "
                            "its option -order 2",
                            path, shell_cell_number(mesh, c), info->name);
    }
    return PHX_OK;
}

/* Node 9 of each quad8, where its eight functions put the centre: - corners / 4 + middles / 2. */
static phx_status add_centres(phx_context *context, phx_mesh *mesh)
{
    int more = 0, at = 0;
    for (int c = 0; c < mesh->n_cells; c++)
        more += mesh->type[c] == PHX_CELL_QUAD8;
    if (more == 0)
        return PHX_OK;
    int *node = phx_calloc(context, (size_t)(mesh->first[mesh->n_cells] + more), sizeof *node);
    double *x = phx_realloc(context, mesh->x, 3 * (size_t)(mesh->n_nodes + more), sizeof *x);
    int *label = mesh->label ? phx_realloc(context, mesh->label, (size_t)(mesh->n_nodes + more), sizeof *label) : NULL;
    if (x)
        mesh->x = x;
    if (label)
        mesh->label = label;
    if (!node || !x || (mesh->label && !label)) {
        phx_free(node);
        return PHX_ERR_MEMORY;
    }
    for (int c = 0; c < mesh->n_cells; c++) {
        const int begin = mesh->first[c], count = mesh->first[c + 1] - begin;
        memcpy(node + at, mesh->node + begin, (size_t)count * sizeof *node);
        mesh->first[c] = at;
        at += count;
        if (mesh->type[c] != PHX_CELL_QUAD8)
            continue;
        double *centre = x + 3 * (size_t)mesh->n_nodes;
        for (int a = 0; a < 3; a++) {
            centre[a] = 0.0;
            for (int k = 0; k < 8; k++)
                centre[a] += (k < 4 ? -0.25 : 0.5) * x[3 * (size_t)node[at - 8 + k] + (size_t)a];
        }
        if (label)
            label[mesh->n_nodes] = label[mesh->n_nodes - 1] + 1;
        mesh->type[c] = PHX_CELL_QUAD9;
        node[at++] = mesh->n_nodes++;
    }
    mesh->first[mesh->n_cells] = at;
    phx_free(mesh->node);
    mesh->node = node;
    return PHX_OK;
}

phx_status phx_mesh_make_shell(phx_context *context, phx_mesh *mesh, const char *path)
{
    if (!mesh || !path)
        return phx_fail_null(context, __func__, "mesh or path");
    phx_status status = check_surface(context, mesh, path);
    if (!status)
        status = add_centres(context, mesh);
    return status ? status : turn_to_one_side(context, mesh, path);
}
