/* Stresses of an imported body: those of its displacements in the solid elements that its deck has.
 *
 * The matrices decide how the body moves. Its deck says which cells are between the nodes and of what they are made, so
 * that a solid of them (solid/) gives sigma = C B u, by the same rules as a body of kind `solid`. */
#include "continuum/solid/solid.h"
#include "imported.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Its mesh is that of the imported model. */
typedef struct stressed {
    phx_elastic_model *solid;
    int *at; /* phx_elastic_places of the imported model */
} stressed;

static void destroy_stressed(void *data)
{
    stressed *made = data;

    if (!made)
        return;
    if (made->solid)
        made->solid->mesh = (phx_mesh){0};
    phx_elastic_destroy(made->solid);
    phx_free(made->at);
    phx_free(made);
}

static const phx_elastic_model *solid_behind(const phx_elastic_model *model)
{
    return ((const stressed *)model->data)->solid;
}

static int stressed_cells(const phx_elastic_model *model)
{
    return phx_solid_stress_cells(solid_behind(model));
}

static int stressed_nodes(const phx_elastic_model *model, int c, const int **node)
{
    return phx_solid_cell_nodes(solid_behind(model), c, node);
}

static int stressed_elements(const phx_elastic_model *model, int c, int element[2])
{
    return phx_solid_cell_elements(solid_behind(model), c, element);
}

/* By the displacements of its nodes; there are no initial strains. */
static void stressed_stress(const phx_elastic_model *model, int c, const double *u, const double *sigma, double *stress)
{
    const stressed *data = model->data;
    double own[3 * PHX_SOLID_MOST_NODES] = {0}, factor[3];
    const int *node = NULL, nodes = stressed_nodes(model, c, &node);
    int unknown[3];

    for (int k = 0; k < 3 * nodes && u; k++)
        for (int t = phx_elastic_displacement(model, data->at, node[k / 3], k % 3, unknown, factor) - 1; t >= 0; t--)
            own[k] += factor[t] * u[unknown[t]];
    phx_solid_element_stress(data->solid, c, own, sigma, stress);
}

static const phx_elastic_ops stressed_ops = {.kind = "imported body",
                                             .destroy_data = destroy_stressed,
                                             .stresses = PHX_STRESSES_SOLID,
                                             .stress_cells = stressed_cells,
                                             .cell_nodes = stressed_nodes,
                                             .cell_stress = stressed_stress,
                                             .cell_elements = stressed_elements};

/* ---- the materials of the deck ---- */
static phx_status refuse(phx_context *context, phx_elastic_model *model, const char *why)
{
    model->no_stresses = phx_strdup(context, why);
    return model->no_stresses ? PHX_OK : PHX_ERR_MEMORY;
}

/* Material and rule of each section; `why`: what cannot be had, "" if all can. CalculiX integrates C3D8 plainly. */
static void choose_regions(const phx_import *import, const phx_mesh *mesh, phx_solid_region *regions, int *count,
                           char why[200])
{
    const phx_import_def *def = import->def;
    const double pressure = def->mass / (def->length * def->time * def->time),
                 density = def->mass / pow(def->length, 3);

    *count = 0;
    for (int k = 0; k < import->deck.n_sections && !why[0]; k++) {
        const phx_deck_section *section = &import->deck.sections[k];
        const phx_deck_material *of = section->material >= 0 ? &import->deck.materials[section->material] : NULL;
        if (section->shell || !section->group || !phx_mesh_group_in(mesh, section->group, 3))
            continue;
        if (!of || of->elastic != PHX_DECK_ELASTIC_ISOTROPIC) {
            snprintf(why, 200, "the material of the elements '%.60s' is not isotropic in the deck", section->group);
            return;
        }
        phx_solid_region *region = &regions[(*count)++];
        *region =
            (phx_solid_region){.group = section->group, .rule = import->calculix ? PHX_SOLID_PLAIN : PHX_SOLID_FULL};
        phx_isotropic_material(pressure * of->constants[0], of->constants[1], density * of->density, &region->material);
    }
    if (!why[0] && *count == 0)
        snprintf(why, 200, "%s",
                 import->no_materials[0] ? import->no_materials : "its deck has no *SOLID SECTION with a *MATERIAL");
}

/* Elements that are integrated otherwise than by their name alone have other stresses. */
static void find_variant(const phx_mesh *mesh, char why[200])
{
    for (int c = 0; c < mesh->n_cells && mesh->variant && !why[0]; c++) {
        const char *name = mesh->variant[c] >= 0 ? mesh->variants[mesh->variant[c]] : "";
        const size_t letters = strlen(name);
        if (phx_cell_info_of(mesh->type[c])->dimension == 3 && !phx_mesh_reduces(mesh, c) && letters > 0 &&
            (name[letters - 1] < '0' || name[letters - 1] > '9'))
            snprintf(why, 200, "the stresses of elements %.40s are not written", name);
    }
}

/* The stiffness of the solid as a part of that of the matrices, in a displacement that strains everything:
 * u_c = x_c^2 + x_d x_e at the nodes that have rows, the others carried by them. */
static phx_status compare_stiffness(phx_context *context, const phx_elastic_model *model, const stressed *made,
                                    double *part)
{
    const phx_elastic_model *solid = made->solid;
    double *u = phx_calloc(context, (size_t)model->n + (size_t)solid->n + 1, sizeof *u), factor[3];
    double *own = u ? u + model->n : NULL;
    int unknown[3];

    if (!u)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < model->n; j++)
        if (model->component[j] < PHX_UNKNOWN_RX) {
            const double *x = model->x + 3 * (size_t)model->node[j];
            const int c = model->component[j];
            u[j] = x[c] * x[c] + x[(c + 1) % 3] * x[(c + 2) % 3];
        }
    for (int j = 0; j < solid->n; j++)
        for (int t =
                 phx_elastic_displacement(model, made->at, solid->node[j], solid->component[j], unknown, factor) - 1;
             t >= 0; t--)
            own[j] += factor[t] * u[unknown[t]];
    *part = phx_csr_form(&solid->K, own, own) / phx_csr_form(&model->K, u, u);
    phx_free(u);
    return PHX_OK;
}

/* Makes the solid behind the model. What cannot be one is no error: the model says why. */
static phx_status make_stressed(const phx_import *import, phx_elastic_model *model, int count,
                                const phx_solid_region *regions, stressed *made)
{
    static const double SAME = 1e-3; /* of the stiffness: decks print five digits and more */
    phx_context *context = import->context;
    phx_mesh mesh = model->mesh; /* shared */
    double part = 1.0;
    phx_status status = phx_solid_create(context, &mesh, count, regions, &made->solid);

    if (status == PHX_ERR_ARGUMENT) {
        status = refuse(context, model, phx_context_message(context));
        phx_context_clear(context);
        return status;
    }
    if (!status)
        status = phx_elastic_places(context, model, &made->at);
    if (!status && !model->modal_K)
        status = compare_stiffness(context, model, made, &part);
    if (!status && !(fabs(part - 1.0) <= SAME))
        phx_log(
            context, PHX_LOG_WARNING,
            "%s: its solid cells with the materials of the deck have %.4g of the stiffness of the matrices; stresses "
            "are those of these cells. Check units and materials, unless other elements carry the rest",
            import->nodes.path, part);
    return status;
}

/* By stress shapes if there are any, else by a solid of the cells; a model without either says why. */
phx_status import_put_stresses(const phx_import *import, phx_elastic_model *model)
{
    phx_context *context = import->context;
    char why[200] = "";
    int count = 0;

    if (import->n_fields > 0)
        return import_put_stress_shapes(import, model);
    if (phx_mesh_count(&model->mesh, 3) == 0)
        return refuse(context, model, "its files have no solid cells");
    phx_solid_region *regions = phx_calloc(context, (size_t)import->deck.n_sections + 1, sizeof *regions);
    stressed *made = phx_calloc(context, 1, sizeof *made);
    phx_status status = regions && made ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        find_variant(&model->mesh, why);
        choose_regions(import, &model->mesh, regions, &count, why);
        status = why[0] ? refuse(context, model, why) : make_stressed(import, model, count, regions, made);
    }
    if (status || model->no_stresses) {
        destroy_stressed(made);
    } else {
        model->data = made;
        model->ops = &stressed_ops;
    }
    phx_free(regions);
    return status;
}
