/* Checks of meshes by their geometry. */
#include "mesh_checks.h"

const double *place(const phx_mesh *mesh, int cell, int k)
{
    return mesh->x + 3 * mesh->node[mesh->first[cell] + k];
}

/* c = (b - a) x (d - a) */
static void cross_from(const double *a, const double *b, const double *d, double c[3])
{
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    for (int i = 0; i < 3; i++)
        c[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

/* Six times the volume under a plane side: sum of x . n over its triangles. */
double flux_of_side(const phx_mesh *mesh, int cell, const int *nodes, int corners)
{
    double flux = 0.0, n[3];
    for (int k = 2; k < corners; k++) {
        const double *a = place(mesh, cell, nodes[0]);
        cross_from(a, place(mesh, cell, nodes[k - 1]), place(mesh, cell, nodes[k]), n);
        flux += a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
    }
    return flux;
}

/* Divergence theorem: V = 1/3 sum over the sides of x . n A. */
double volume_of_cell(const phx_mesh *mesh, int c)
{
    const phx_cell_info *cell = phx_cell_info_of(mesh->type[c]);
    double volume = 0.0;
    for (int s = 0; s < cell->sides; s++)
        volume += flux_of_side(mesh, c, cell->side[s], phx_cell_info_of(cell->side_type[s])->corners) / 6.0;
    return volume;
}

double area_of_triangle(const phx_mesh *mesh, int c)
{
    double n[3];
    cross_from(place(mesh, c, 0), place(mesh, c, 1), place(mesh, c, 2), n);
    return 0.5 * n[2];
}

int find_int(int n, const int *list, int item)
{
    for (int i = 0; i < n; i++)
        if (list[i] == item)
            return i;
    return -1;
}

/* Every edge's middle lies there, and a side's edges are those of its cell. */
void check_middles(const phx_mesh *mesh, int c, double tol)
{
    const phx_cell_info *cell = phx_cell_info_of(mesh->type[c]);
    for (int k = cell->corners; k < cell->nodes && k < cell->corners + cell->edges; k++)
        for (int i = 0; i < 3; i++) {
            const int *edge = cell->edge[k - cell->corners];
            CHECK_CLOSE(place(mesh, c, k)[i], 0.5 * (place(mesh, c, edge[0])[i] + place(mesh, c, edge[1])[i]), tol,
                        "%s: node %d", cell->name, k + 1);
        }
    for (int s = 0; s < cell->sides; s++) {
        const phx_cell_info *side = phx_cell_info_of(cell->side_type[s]);
        assert_int_equal(side->dimension, cell->dimension - 1);
        assert_int_equal(side->order, cell->order);
        for (int k = side->corners; k < side->nodes && k < side->corners + side->edges; k++)
            for (int i = 0; i < 3; i++) {
                const double *a = place(mesh, c, cell->side[s][side->edge[k - side->corners][0]]);
                const double *b = place(mesh, c, cell->side[s][side->edge[k - side->corners][1]]);
                CHECK_CLOSE(place(mesh, c, cell->side[s][k])[i], 0.5 * (a[i] + b[i]), tol, "%s: side %d, node %d",
                            cell->name, s + 1, k + 1);
            }
    }
}

/* ---- conformity: every side is shared by two cells or is a cell of the boundary ---- */
typedef struct side_key {
    int nodes[PHX_CELL_MOST_SIDE];
    int count; /* of nodes */
    int uses;
} side_key;

static int by_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int by_nodes(const void *a, const void *b)
{
    return memcmp(((const side_key *)a)->nodes, ((const side_key *)b)->nodes, sizeof((const side_key *)a)->nodes);
}

static side_key key_of(const phx_mesh *mesh, int c, const int *local, int count)
{
    side_key key = {.count = count};
    for (int k = 0; k < count; k++)
        key.nodes[k] = mesh->node[mesh->first[c] + (local ? local[k] : k)] + 1;
    qsort(key.nodes, (size_t)count, sizeof(int), by_int);
    return key;
}

void check_conformity(const phx_mesh *mesh, int dimension)
{
    side_key *keys = calloc((size_t)mesh->n_cells * 6, sizeof *keys);
    assert_non_null(keys);
    int n = 0;
    for (int c = 0; c < mesh->n_cells; c++) {
        const phx_cell_info *cell = phx_cell_info_of(mesh->type[c]);
        if (cell->dimension == dimension - 1)
            keys[n++] = key_of(mesh, c, NULL, cell->nodes);
        for (int s = 0; s < cell->sides && cell->dimension == dimension; s++)
            keys[n++] = key_of(mesh, c, cell->side[s], phx_cell_info_of(cell->side_type[s])->nodes);
    }
    qsort(keys, (size_t)n, sizeof *keys, by_nodes);
    assert_int_equal(n % 2, 0);
    for (int i = 0; i < n; i += 2) {
        assert_int_equal(by_nodes(&keys[i], &keys[i + 1]), 0);
        if (i + 2 < n)
            assert_int_not_equal(by_nodes(&keys[i], &keys[i + 2]), 0);
    }
    free(keys);
}
