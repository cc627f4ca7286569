/* Elastic models: memory, and the displacements of nodes. */
#include "continuum.h"

phx_status phx_elastic_places(phx_context *context, const phx_elastic_model *model, int **at)
{
    *at = phx_calloc(context, 6 * (size_t)model->n_nodes + 1, sizeof **at);
    if (!*at)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < 6 * model->n_nodes; i++)
        (*at)[i] = -1;
    for (int j = 0; j < model->n; j++)
        if (model->node[j] >= 0 && model->component[j] < PHX_UNKNOWN_OTHER)
            (*at)[6 * model->node[j] + model->component[j]] = j;
    return PHX_OK;
}

/* Its own unknown, or those of the node that carries it: u = u_c + theta_c x (x - x_c). */
int phx_elastic_displacement(const phx_elastic_model *model, const int *at, int node, int axis, int unknown[3],
                             double factor[3])
{
    const int carrier = model->carrier && at[6 * node + axis] < 0 ? model->carrier[node] : -1;
    const int from = carrier < 0 ? node : carrier, next = (axis + 1) % 3, last = (axis + 2) % 3;
    const double *x = model->x + 3 * (size_t)node, *of = model->x + 3 * (size_t)from;
    const int candidates[3] = {at[6 * from + axis], at[6 * from + 3 + next], at[6 * from + 3 + last]};
    const double factors[3] = {1.0, x[last] - of[last], of[next] - x[next]};
    int count = 0;

    for (int k = 0; k < (carrier < 0 ? 1 : 3); k++)
        if (candidates[k] >= 0) {
            unknown[count] = candidates[k];
            factor[count++] = factors[k];
        }
    return count;
}

/* Frees an elastic model; NULL is allowed. */
void phx_elastic_destroy(phx_elastic_model *model)
{
    if (!model)
        return;
    if (model->ops && model->ops->destroy_data)
        model->ops->destroy_data(model->data);
    phx_mesh_free(&model->mesh);
    phx_csr_free(&model->M);
    phx_csr_free(&model->K);
    phx_free(model->x);
    phx_free(model->label);
    phx_free(model->node);
    phx_free(model->component);
    phx_free(model->rigid);
    phx_free(model->modes);
    phx_free(model->modal_M);
    phx_free(model->modal_K);
    phx_free(model->carrier);
    phx_free(model->rotation_label);
    phx_free(model->no_stresses);
    phx_free(model->first_unknown);
    phx_free(model->unknown);
    phx_free(model->first_stress);
    phx_free(model);
}
