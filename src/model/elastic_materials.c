/* Materials and layers of plates and solids. */
#include "elastic.h"
#include "schema_parts.h"

#include <math.h>
#include <string.h>

void phx_elastic_material(const phx_model_material *from, phx_solid_material *material)
{
    const phx_model_orthotropic *o = &from->orthotropic;

    if (o->given)
        phx_orthotropic_material(o->young, o->poisson, o->shear, from->density, material);
    else
        phx_isotropic_material(from->young, from->poisson.value, from->density, material);
    for (int a = 0; a < 3; a++)
        material->expansion[a] = o->given ? o->expansion[a] : from->expansion.value;
}

/* ---- layers ---- */
static phx_status finish_layer(phx_reader *reader, const phx_node *node, void *object)
{
    phx_elastic_layer *layer = object;

    (void)reader;
    layer->own_material = phx_node_find(node, "material") != NULL;
    return PHX_OK;
}

static const phx_key layer_keys[] = {
    {"material", &phx_type_material, AT(phx_elastic_layer, material), .fallback = "that of the body",
     .doc = "name under materials"},
    {"thickness", &phx_type_number, AT(phx_elastic_layer, thickness), .required = true, .unit = "m", .range = &positive,
     .doc = "along z"},
    {"angle", &phx_type_number, AT(phx_elastic_layer, angle), .unit = "rad", .fallback = "0",
     .doc = "from x (plate) or axis 1 (shell) to the first axis of an orthotropic material, about z or the normal"},
};
const phx_object phx_schema_layer = {"layer", "From below to above; those of a plate are symmetric about its middle.",
                                     TABLE(phx_elastic_layer, layer_keys), .finish = finish_layer};

/* Fills one layer of a laminate from an isotropic or orthotropic material; shear moduli are ordered G12, G13, G23. */
static void put_layer(const phx_model_material *from, double thickness, double angle, phx_plate_layer *layer)
{
    const phx_model_orthotropic *o = &from->orthotropic;
    const double nu = from->poisson.value, G = from->young / (2.0 * (1.0 + nu));

    *layer = (phx_plate_layer){.young = {from->young, from->young},
                               .poisson = nu,
                               .shear = {G, G, G},
                               .density = from->density,
                               .thickness = thickness,
                               .angle = angle,
                               .expansion = {from->expansion.value, from->expansion.value}};
    if (!o->given)
        return;
    layer->young[1] = o->young[1];
    layer->poisson = o->poisson[0];
    layer->shear[0] = o->shear[0];
    layer->shear[1] = o->shear[2]; /* G13 */
    layer->shear[2] = o->shear[1]; /* G23 */
    memcpy(layer->expansion, o->expansion, sizeof layer->expansion);
}

/* Computes stiffness, mass and thermal expansion of a plate section, homogeneous or laminated; kappa is the shear
 * correction. */
phx_status phx_elastic_section(phx_builder *builder, const phx_model_material *material, double thickness, int n_layers,
                               const phx_elastic_layer *layers, double kappa, bool coupled, phx_plate_section *section)
{
    const int count = n_layers > 0 ? n_layers : 1;

    if (n_layers == 0 && !material->orthotropic.given) {
        phx_isotropic_section(material->young, material->poisson.value, material->density, thickness, kappa, section);
        phx_isotropic_expansion(material->expansion.value, section);
        return PHX_OK;
    }
    phx_plate_layer *made = phx_calloc(builder->context, (size_t)count, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    if (n_layers == 0)
        put_layer(material, thickness, 0.0, made);
    for (int k = 0; k < n_layers; k++)
        put_layer(layers[k].own_material ? &builder->model->materials[layers[k].material] : material,
                  layers[k].thickness, layers[k].angle, &made[k]);
    const phx_status status = coupled ? phx_laminate_section_coupled(builder->context, count, made, kappa, section)
                                      : phx_laminate_section(builder->context, count, made, kappa, section);
    phx_free(made);
    return status;
}

phx_status phx_elastic_check_material(phx_reader *reader, const phx_node *node, int material, bool solid)
{
    const phx_model_material *model_material = &reader->model->materials[material];

    if (model_material->orthotropic.given ||
        (model_material->poisson.given && !(solid && model_material->poisson.value >= 0.5)))
        return PHX_OK;
    return solid ? phx_reader_fail(reader, phx_node_find(node, "material"),
                                   "material '%s' needs 'poisson' below 0.5 for a solid", model_material->name)
                 : phx_reader_fail(reader, phx_node_find(node, "material"),
                                   "material '%s' has no 'poisson', which a plate or a shell needs",
                                   model_material->name);
}

/* ---- regions ---- */
phx_status phx_elastic_check_thickness(phx_reader *reader, const phx_node *node, double thickness, int n_layers)
{
    const phx_node *layers = phx_node_find(node, "layers");

    if (layers && n_layers == 0)
        return phx_reader_fail(reader, layers, "a laminate has one layer at least");
    if (layers && thickness > 0.0)
        return phx_reader_fail(reader, phx_node_find(node, "thickness"),
                               "the thickness is that of the layers; leave it out");
    return PHX_OK;
}

phx_status phx_elastic_check_layers(phx_reader *reader, const phx_node *node, int n_layers,
                                    const phx_elastic_layer *layers)
{
    const phx_node *list = phx_node_find(node, "layers");
    phx_status status = PHX_OK;

    for (int k = 0; k < n_layers && !status; k++)
        if (layers[k].own_material)
            status = phx_elastic_check_material(reader, list->items[k], layers[k].material, false);
    return status;
}

static phx_status finish_region(phx_reader *reader, const phx_node *node, void *object)
{
    phx_elastic_region *region = object;

    region->own_material = phx_node_find(node, "material") != NULL;
    return phx_elastic_check_thickness(reader, node, region->thickness, region->n_layers);
}

static const phx_key region_keys[] = {
    {"material", &phx_type_material, AT(phx_elastic_region, material), .fallback = "that of the body",
     .doc = "name under materials"},
    {"thickness", &phx_type_number, AT(phx_elastic_region, thickness), .unit = "m", .range = &positive,
     .fallback = "that of the body", .doc = "half of it on each side"},
    {"layers", &phx_type_list, AT(phx_elastic_region, layers), .object = &phx_schema_layer,
     .fallback = "those of the body", .count_offset = AT(phx_elastic_region, n_layers),
     .doc = "instead of the thickness"},
};
const phx_object phx_schema_region = {"region of a plate or a shell", "By the name of a group of cells.",
                                      TABLE(phx_elastic_region, region_keys), .finish = finish_region};
