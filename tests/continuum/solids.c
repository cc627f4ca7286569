#include "solids.h"

const solid_type solid_types[SOLID_TYPES] = {
    {"tet4", PHX_CELL_TET4, PHX_SOLID_FULL},       {"tet10", PHX_CELL_TET10, PHX_SOLID_FULL},
    {"hex8", PHX_CELL_HEX8, PHX_SOLID_FULL},       {"hex20", PHX_CELL_HEX20, PHX_SOLID_FULL},
    {"hex20r", PHX_CELL_HEX20, PHX_SOLID_REDUCED}, {"wedge6", PHX_CELL_WEDGE6, PHX_SOLID_FULL},
    {"wedge15", PHX_CELL_WEDGE15, PHX_SOLID_FULL}, {"hex8 plain", PHX_CELL_HEX8, PHX_SOLID_PLAIN},
};

/* x_k + 0.07 L_k sin(pi x_k / L_k) * (something of the others): faces stay in their planes. */
static void move(const double size[3], const double *from, double *to)
{
    double s[3];

    for (int k = 0; k < 3; k++)
        s[k] = from[k] / size[k];
    for (int k = 0; k < 3; k++) {
        const double across = cos(2.0 + 3.0 * s[(k + 1) % 3] - 2.0 * s[(k + 2) % 3]);
        to[k] = from[k] + 0.07 * size[k] * sin(TEST_PI * s[k]) * across;
    }
}

phx_mesh box_mesh(phx_context *context, const double size[3], int nx, int ny, int nz, phx_cell_type cell,
                  box_shape shape)
{
    const phx_box_mesh def = {.size = {size[0], size[1], size[2]}, .elements = {nx, ny, nz}, .type = cell};
    phx_mesh mesh;

    CHECK_OK(context, phx_mesh_box(context, &def, &mesh));
    if (shape == BOX_REGULAR)
        return mesh;
    for (int i = 0; i < mesh.n_nodes; i++) {
        double to[3];
        move(size, mesh.x + 3 * i, to);
        memcpy(mesh.x + 3 * i, to, sizeof to);
    }
    for (int c = 0; c < mesh.n_cells && shape == BOX_DISTORTED; c++) {
        const phx_cell_info *info = phx_cell_info_of(mesh.type[c]);
        const int *node = mesh.node + mesh.first[c];
        for (int m = info->corners; m < info->nodes; m++)
            for (int k = 0; k < 3; k++) {
                const int *edge = info->edge[m - info->corners];
                mesh.x[3 * node[m] + k] = 0.5 * (mesh.x[3 * node[edge[0]] + k] + mesh.x[3 * node[edge[1]] + k]);
            }
    }
    return mesh;
}

phx_elastic_model *solid_model(phx_context *context, phx_mesh *mesh, const phx_solid_material *material,
                               phx_solid_rule rule, bool lumped)
{
    const phx_solid_region region = {.material = *material, .rule = rule, .lumped = lumped};
    phx_elastic_model *model = NULL;

    CHECK_OK(context, phx_solid_create(context, mesh, 1, &region, &model));
    assert_int_equal(mesh->n_nodes, 0);
    return model;
}

phx_solid_material steel(void)
{
    phx_solid_material material;

    phx_isotropic_material(210e9, 0.3, 7800.0, &material);
    return material;
}

phx_solid_material anisotropic(void)
{
    phx_solid_material material = steel();
    uint64_t seed = 3;
    double change[36];

    random_vector(&seed, 36, 1e10, change);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            material.stiffness[6 * i + j] += change[6 * i + j] + change[6 * j + i];
    return material;
}

void linear_displacement(const phx_elastic_model *model, const double A[9], double *u)
{
    for (int i = 0; i < model->n; i++) {
        const double *x = model->x + 3 * model->node[i], *row = A + 3 * model->component[i];
        u[i] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2];
    }
}
