/* Elastic models: memory. */
#include "continuum.h"

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
    phx_free(model->first_unknown);
    phx_free(model->unknown);
    phx_free(model->first_stress);
    phx_free(model);
}
