#include "plates.h"

plate_case unit_plate(int n, double poisson)
{
    plate_case def = {.size = {1.0, 1.0},
                      .elements = {n, n},
                      .theory = PHX_PLATE_KIRCHHOFF,
                      .order = 1,
                      .membrane = false,
                      .grading = 1.0};
    /* E h^3 / (12 (1 - nu^2)) = 1 and rho h = 1 with h = 0.01 */
    const double h = 0.01;
    phx_isotropic_section(12.0 * (1.0 - poisson * poisson) / (h * h * h), poisson, 1.0 / h, h, 5.0 / 6.0, &def.section);
    return def;
}

/* Nodes inside the rectangle move at random. */
static void distort(const plate_case *def, phx_mesh *mesh)
{
    uint64_t seed = 3;

    for (int i = 0; i < mesh->n_nodes; i++) {
        double *x = mesh->x + 3 * i;
        for (int c = 0; c < 2; c++) {
            const double step = def->distorted * def->size[c] / def->elements[c] * random_value(&seed);
            const bool inside = x[0] > 0.0 && x[0] < def->size[0] && x[1] > 0.0 && x[1] < def->size[1];
            x[c] += inside ? step : 0.0;
        }
    }
}

/* Every other triangle the other way round. */
static void turn_over(phx_mesh *mesh)
{
    for (int cell = 0; cell < mesh->n_cells; cell += 2)
        if (mesh->type[cell] == PHX_CELL_TRI3) {
            int *node = mesh->node + mesh->first[cell], second = node[1];
            node[1] = node[2];
            node[2] = second;
        }
}

phx_elastic_model *make_plate(phx_context *context, const plate_case *def)
{
    const phx_rectangle_mesh rectangle = {.size = {def->size[0], def->size[1]},
                                          .elements = {def->elements[0], def->elements[1]},
                                          .crossed = def->crossed,
                                          .grading = {def->grading, 1.0}};
    const phx_plate_region region = {.section = def->section};
    const phx_plate_def plate = {
        .theory = def->theory, .order = def->order, .membrane = def->membrane, .n_regions = 1, .regions = &region};
    phx_mesh mesh;
    phx_elastic_model *model;

    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    distort(def, &mesh);
    if (def->clockwise)
        turn_over(&mesh);
    CHECK_OK(context, phx_plate_create(context, &mesh, &plate, &model));
    assert_int_equal(mesh.n_nodes, 0);
    return model;
}

static void hold_trace(phx_context *context, free_set *set, const phx_elastic_model *model, const char *edge,
                       phx_plate_trace trace)
{
    int count, *unknown;

    CHECK_OK(context, phx_plate_edge_unknowns(context, model, edge, trace, &count, &unknown, NULL));
    hold(set, count, unknown);
    phx_free(unknown);
}

free_set supported(phx_context *context, const phx_elastic_model *model, const char *letters)
{
    static const char *const edge[4] = {"x0", "x1", "y0", "y1"};
    free_set set = free_all(model->n);

    hold_component(&set, model, PHX_UNKNOWN_UX);
    hold_component(&set, model, PHX_UNKNOWN_UY);
    for (int e = 0; e < 4; e++) {
        if (letters[e] == 'F')
            continue;
        hold_trace(context, &set, model, edge[e], PHX_TRACE_DEFLECTIONS);
        if (letters[e] == 'C')
            hold_trace(context, &set, model, edge[e], PHX_TRACE_SLOPES);
        if (letters[e] != 's') /* Kirchhoff: none */
            hold_trace(context, &set, model, edge[e], PHX_TRACE_ROTATIONS);
    }
    return set;
}

void plate_frequencies(phx_context *context, const phx_elastic_model *model, const char *letters, double sigma,
                       int count, double *omega)
{
    free_set set = supported(context, model, letters);
    phx_csr K = restricted(context, &model->K, &set), M = restricted(context, &model->M, &set);

    double *vectors = calloc((size_t)set.n_free * (size_t)count, sizeof *vectors);

    assert_non_null(vectors);
    lowest_frequencies(context, &K, &M, sigma, count, omega, vectors);
    improve_frequencies(context, model, &set, count, vectors, omega);
    free(vectors);
    phx_csr_free(&K);
    phx_csr_free(&M);
    free_set_release(&set);
}
