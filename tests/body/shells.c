#include "shells.h"

#include "support/testing.h"

static void put_section(double E, double nu, double h, double rho, phx_vector_section *section)
{
    const double plane = E / (1.0 - nu * nu), G = 0.5 * E / (1.0 + nu);
    const double in_plane[9] = {plane, nu * plane, 0, nu * plane, plane, 0, 0, 0, G};

    memset(section, 0, sizeof *section);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            section->stiffness[8 * i + j] = h * in_plane[3 * i + j];
            section->stiffness[8 * (3 + i) + 3 + j] = h * h * h / 12.0 * in_plane[3 * i + j];
        }
    section->stiffness[8 * 6 + 6] = section->stiffness[8 * 7 + 7] = 5.0 / 6.0 * G * h;
    section->mass = rho * h;
    section->inertia = rho * h * h * h / 12.0;
    section->director = E * h;
}

int shell_mesh_node(const shell_mesh *mesh, int i, int j)
{
    return i % mesh->along + mesh->along * j;
}

void shell_mesh_make(phx_vector_element element, int nx, int ny, bool closed, shell_surface *surface, double E,
                     double nu, double h, double rho, shell_mesh *mesh)
{
    static const int halves[2][6][2] = {{{0, 0}, {2, 0}, {0, 2}, {1, 0}, {1, 1}, {0, 1}},
                                        {{2, 0}, {2, 2}, {0, 2}, {2, 1}, {1, 2}, {1, 1}}};
    const int nodes = phx_vector_nodes(element), per = element == PHX_VECTOR_Q9 ? 1 : 2, n = nx * ny * per;
    int at = 0;

    memset(mesh, 0, sizeof *mesh);
    mesh->along = closed ? 2 * nx : 2 * nx + 1;
    mesh->across = 2 * ny + 1;
    const int count = mesh->along * mesh->across;
    double *place = test_calloc(3 * (size_t)count, sizeof *place),
           *director = test_calloc(3 * (size_t)count, sizeof *director);
    double *axis = test_calloc(3 * (size_t)n, sizeof *axis);
    int *own = test_calloc((size_t)count, sizeof *own), *cell = test_calloc((size_t)(n * nodes), sizeof *cell);
    int *section = test_calloc((size_t)n, sizeof *section);
    phx_vector_element *kind = test_calloc((size_t)n, sizeof *kind);

    for (int k = 0; k < count; k++) {
        surface(0.5 * (k % mesh->along) / nx, 0.5 * (k / mesh->along) / ny, place + 3 * k, director + 3 * k);
        own[k] = k;
    }
    for (int e = 0; e < n; e++) {
        const int i = 2 * (e / per % nx), j = 2 * (e / per / nx);
        kind[e] = element;
        for (int k = 0; k < nodes; k++)
            cell[at++] = per == 1 ? shell_mesh_node(mesh, i + k % 3, j + k / 3)
                                  : shell_mesh_node(mesh, i + halves[e % 2][k][0], j + halves[e % 2][k][1]);
        const double *a = place + 3 * shell_mesh_node(mesh, i, j + 1),
                     *b = place + 3 * shell_mesh_node(mesh, i + 2, j + 1);
        for (int c = 0; c < 3; c++)
            axis[3 * e + c] = b[c] - a[c];
    }
    put_section(E, nu, h, rho, &mesh->section);
    mesh->def = (phx_vector_def){.name = "shell",
                                 .n_places = count,
                                 .n_directors = count,
                                 .n_elements = n,
                                 .place = place,
                                 .director = director,
                                 .director_place = own,
                                 .element = kind,
                                 .cell_place = cell,
                                 .cell_director = cell,
                                 .section = section,
                                 .axis = axis,
                                 .n_sections = 1,
                                 .sections = &mesh->section,
                                 .ties = mesh->tie};
}

void solid_mesh_make(phx_vector_element element, int n, double E, double nu, double rho, shell_mesh *mesh)
{
    static const int corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}},
                     edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    const int nodes = phx_vector_nodes(element), per = element == PHX_VECTOR_HEX27 ? 1 : 6;
    const double lame = E * nu / (1.0 + nu) / (1.0 - 2.0 * nu), G = 0.5 * E / (1.0 + nu);
    int at = 0;

    memset(mesh, 0, sizeof *mesh);
    mesh->along = 2 * n + 1;
    mesh->across = 9;
    double *place = test_calloc(27 * (size_t)mesh->along, sizeof *place);
    int *cell = test_calloc((size_t)(n * per * nodes), sizeof *cell),
        *section = test_calloc((size_t)(n * per), sizeof *section);
    phx_vector_element *kind = test_calloc((size_t)(n * per), sizeof *kind);

    for (int k = 0; k < 9 * mesh->along; k++) {
        const int i = k % mesh->along, j = k / mesh->along % 3, l = k / mesh->along / 3;
        place[3 * k] = 0.5 * i + 0.03 * j;
        place[3 * k + 1] = 0.5 * j + 0.02 * i * i;
        place[3 * k + 2] = 0.5 * l - 0.02 * i;
    }
    for (int e = 0; e < n * per; e++) {
        int grid[10][3];
        kind[e] = element;
        for (int c = 0; c < 4; c++) /* the path along the axes from one corner of the brick to the other */
            for (int a = 0; a < 3; a++)
                grid[c][axes[e % per][a]] = 2 * corner[c][a];
        if (e % per > 2) /* an odd permutation turns the element inside out */
            for (int a = 0; a < 3; a++) {
                const int other = grid[1][a];
                grid[1][a] = grid[2][a];
                grid[2][a] = other;
            }
        for (int m = 0; m < 6; m++)
            for (int a = 0; a < 3; a++)
                grid[4 + m][a] = (grid[edge[m][0]][a] + grid[edge[m][1]][a]) / 2;
        for (int k = 0; k < nodes; k++) {
            const int *g = per == 1 ? (const int[]){k % 3, k / 3 % 3, k / 9} : grid[k];
            cell[at++] = shell_mesh_node(mesh, 2 * (e / per) + g[0], g[1] + 3 * g[2]);
        }
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            mesh->section.stiffness[6 * i + j] = (i < 3 && j < 3 ? lame : 0.0) + (i == j ? (i < 3 ? 2.0 * G : G) : 0.0);
    mesh->section.mass = rho;
    mesh->def = (phx_vector_def){.name = "solid",
                                 .n_places = 9 * mesh->along,
                                 .n_elements = n * per,
                                 .place = place,
                                 .element = kind,
                                 .cell_place = cell,
                                 .section = section,
                                 .n_sections = 1,
                                 .sections = &mesh->section,
                                 .ties = mesh->tie};
}

void shell_mesh_free(shell_mesh *mesh)
{
    test_free((double *)mesh->def.place);
    test_free((double *)mesh->def.director);
    test_free((double *)mesh->def.axis);
    test_free((int *)mesh->def.director_place);
    test_free((int *)mesh->def.cell_place);
    test_free((int *)mesh->def.section);
    test_free((phx_vector_element *)mesh->def.element);
    for (int f = 0; f < mesh->def.n_ties; f++)
        test_free((int *)mesh->tie[f].places);
}

void shell_mesh_distort(shell_mesh *mesh, double part)
{
    double *place = (double *)mesh->def.place;
    const double size[2] = {place[3 * 2] - place[0], place[3 * 2 * mesh->along + 1] - place[1]};
    uint64_t seed = 5;

    for (int j = 2; j + 2 < mesh->across; j += 2)
        for (int i = 2; i + 2 < mesh->along; i += 2)
            for (int a = 0; a < 2; a++)
                place[3 * shell_mesh_node(mesh, i, j) + a] += part * size[a] * random_value(&seed);
    for (int j = 0; j < mesh->across; j++) /* middles of edges and elements */
        for (int i = 0; i < mesh->along; i++) {
            const bool odd[2] = {i % 2 == 1, j % 2 == 1};
            double *to = place + 3 * shell_mesh_node(mesh, i, j);
            for (int a = 0; a < 2 && (odd[0] || odd[1]); a++) {
                const double *p = place + 3 * shell_mesh_node(mesh, i + odd[0], j - odd[1]);
                const double *q = place + 3 * shell_mesh_node(mesh, i - odd[0], j + odd[1]);
                const double *r = place + 3 * shell_mesh_node(mesh, i - odd[0], j - odd[1]);
                const double *t = place + 3 * shell_mesh_node(mesh, i + odd[0], j + odd[1]);
                const bool diagonal = odd[0] && odd[1] && mesh->def.element[0] == PHX_VECTOR_Q9;
                to[a] = diagonal ? 0.25 * (p[a] + q[a] + r[a] + t[a]) : 0.5 * (p[a] + q[a]);
            }
        }
}

void shell_mesh_tie(shell_mesh *mesh, const char *name, int end)
{
    phx_vector_tie *tie = &mesh->tie[mesh->def.n_ties++];
    int *nodes = test_calloc((size_t)mesh->across, sizeof *nodes);

    *tie = (phx_vector_tie){.name = name,
                            .n_places = mesh->across,
                            .n_directors = mesh->def.n_directors > 0 ? mesh->across : 0,
                            .places = nodes,
                            .directors = nodes};
    for (int j = 0; j < mesh->across; j++) {
        nodes[j] = shell_mesh_node(mesh, end ? mesh->along - 1 : 0, j);
        for (int a = 0; a < 3; a++)
            tie->origin[a] += mesh->def.place[3 * nodes[j] + a] / mesh->across;
    }
}
