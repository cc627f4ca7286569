/* The elastic solid, on a mesh of tetrahedra, hexahedra and wedges. */
#include "elastic.h"

/* ---- keys ---- */
typedef struct solid_mesh {
    int kind; /* size, file */
    double size[3];
    double elements[3];
    int cells; /* place in words_cells */
    const char *file;
    double unit;
} solid_mesh;

/* A group of cells of another material than the rest. */
typedef struct solid_region {
    const char *group;
    int material;
} solid_region;

typedef struct solid {
    phx_elastic_keys elastic; /* first */
    solid_mesh mesh;
    bool reduced, lumped;
    int n_regions;
    solid_region *regions;
} solid;

enum { MESH_SIZE, MESH_FILE };
static const phx_word words_mesh[] = {WORD("size", PHX_SPACE), WORD("file", PHX_SPACE), WORD(NULL, 0)};
static const phx_word words_cells[] = {WORD("hex20", PHX_SPACE),
                                       WORD("hex8", PHX_SPACE),
                                       WORD("tet10", PHX_SPACE),
                                       WORD("tet4", PHX_SPACE),
                                       WORD("wedge15", PHX_SPACE),
                                       WORD("wedge6", PHX_SPACE),
                                       WORD(NULL, 0)};
static const phx_cell_type cells[] = {PHX_CELL_HEX20, PHX_CELL_HEX8,    PHX_CELL_TET10,
                                      PHX_CELL_TET4,  PHX_CELL_WEDGE15, PHX_CELL_WEDGE6};
static const phx_range elements_range = {"an integer from 1 to 2000", 1.0, 2000.0, .integer = true};

static phx_status read_counts(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    return phx_read_numbers(reader, node, key->range, 3, field);
}
static const phx_type type_counts = {"3 integers",
                                     "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"type\": "
                                     "[\"integer\", \"string\"]}}",
                                     read_counts, NULL};

static const phx_key mesh_keys[] = {
    {"size", &phx_type_vector, AT(solid_mesh, size), .required = true, .kinds = BIT(MESH_SIZE), .unit = "m",
     .range = &positive, .doc = "a box from the origin along x, y and z; groups: its faces x0 x1 y0 y1 z0 z1"},
    {"elements", &type_counts, AT(solid_mesh, elements), .required = true, .kinds = BIT(MESH_SIZE),
     .range = &elements_range, .doc = "boxes along x, y and z"},
    {"cells", &phx_type_word, AT(solid_mesh, cells), .kinds = BIT(MESH_SIZE), .words = words_cells, .fallback = "hex20",
     .doc = "what the boxes are, or are parted into"},
    {"file", &phx_type_path, AT(solid_mesh, file), .required = true, .kinds = BIT(MESH_FILE),
     .doc = "mesh file: .msh, .inp, or what gmsh reads when it is installed"},
    {"unit", &phx_type_number, AT(solid_mesh, unit), .kinds = BIT(MESH_FILE), .unit = "m", .range = &positive,
     .fallback = "1", .doc = "unit of length of the file"},
};
static const phx_object mesh_object = {"solid mesh", "Solid cells.", TABLE(solid_mesh, mesh_keys),
                                       KINDS(PHX_KIND_PRESENT, words_mesh, solid_mesh)};

static const phx_key region_keys[] = {
    {"material", &phx_type_material, AT(solid_region, material), .required = true, .doc = "name under materials"},
};
static const phx_object region_object = {"region of a solid", "By the name of a group of solid cells.",
                                         TABLE(solid_region, region_keys)};

#define SOLID BIT(PHX_MODEL_SOLID)
static const phx_key keys[] = {
    {"mesh", &phx_type_object, AT(solid, mesh), .own = true, .required = true, .kinds = SOLID, .object = &mesh_object,
     .doc = "its cells"},
    {"reduced", &phx_type_boolean, AT(solid, reduced), .own = true, .kinds = SOLID, .fallback = "false",
     .doc = "hex20: 2 x 2 x 2 integration points for the stiffness"},
    {"lumped", &phx_type_boolean, AT(solid, lumped), .own = true, .kinds = SOLID, .fallback = "false",
     .doc = "mass lumped at the nodes by the sums of the rows"},
    {"regions", &phx_type_map, AT(solid, regions), .own = true, .kinds = SOLID, .object = &region_object,
     .fallback = "none", .count_offset = AT(solid, n_regions), .doc = "groups of cells of another material"},
    PHX_ELASTIC_KEYS(SOLID),
};

static const solid *solid_of(const phx_model_body *body)
{
    return body->own;
}

/* ---- reading ---- */
static phx_status body_solid_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const solid *mesh = solid_of(body);
    const phx_node *regions = phx_node_find(node, "regions");
    phx_status status = phx_elastic_check_material(reader, node, body->material, true);

    for (int r = 0; r < mesh->n_regions && !status; r++)
        status = phx_elastic_check_material(reader, regions->items[2 * r + 1], mesh->regions[r].material, true);
    return status ? status : phx_elastic_finish_mesh(reader, node, body);
}

/* ---- building ---- */
static phx_status body_solid_make_mesh(phx_builder *builder, const solid_mesh *from, phx_mesh *mesh)
{
    const phx_box_mesh box = {.size = {from->size[0], from->size[1], from->size[2]},
                              .elements = {(int)from->elements[0], (int)from->elements[1], (int)from->elements[2]},
                              .type = cells[from->cells]};

    if (from->kind != MESH_FILE)
        return phx_mesh_box(builder->context, &box, mesh);
    const phx_status status = phx_mesh_read(builder->context, from->file, from->unit, mesh);
    return status ? status : phx_elastic_check_mesh(builder, mesh, from->file);
}

/* Creates the finite-element model of a solid with a material for each region; the last region is the remaining part
 * of the mesh. */
static phx_status body_solid_make(phx_builder *builder, const phx_model_body *body, phx_elastic_model **elastic,
                                  unsigned char **held)
{
    const solid *body_mesh = solid_of(body);
    phx_solid_region *regions = phx_calloc(builder->context, (size_t)body_mesh->n_regions + 1, sizeof *regions);
    phx_mesh mesh = {0};
    phx_status status = regions ? body_solid_make_mesh(builder, &body_mesh->mesh, &mesh) : PHX_ERR_MEMORY;

    for (int r = 0; r <= body_mesh->n_regions && !status; r++) { /* the last: what the others leave */
        const int material = r < body_mesh->n_regions ? body_mesh->regions[r].material : body->material;
        regions[r] = (phx_solid_region){.group = r < body_mesh->n_regions ? body_mesh->regions[r].group : NULL,
                                        .rule = body_mesh->reduced ? PHX_SOLID_REDUCED : PHX_SOLID_FULL,
                                        .lumped = body_mesh->lumped};
        phx_elastic_material(&builder->model->materials[material], &regions[r].material);
    }
    if (!status)
        status = phx_solid_create(builder->context, &mesh, body_mesh->n_regions + 1, regions, elastic);
    phx_mesh_free(&mesh);
    phx_free(regions);
    *held = NULL;
    return status;
}

static phx_status body_solid_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                   phx_body **made)
{
    return phx_elastic_build(builder, body, body_solid_make, source, made);
}

static void body_solid_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const phx_model_material *material = &model->materials[body->material];

    phx_extreme_offer(worst, "material.density", material->density);
    phx_extreme_offer(worst, "material.young", material->young);
    phx_extreme_offer(worst, "mesh.size", solid_of(body)->mesh.size[0]);
}

static phx_stress_set stresses(const phx_model_body *body)
{
    (void)body;
    return PHX_STRESSES_SOLID;
}

static void body_solid_units(const phx_model_body *body, double *length, double *force)
{
    const solid_mesh *mesh = &solid_of(body)->mesh;

    *length = mesh->kind == MESH_FILE ? mesh->unit : 1.0;
    *force = 1.0;
}

const phx_body_row phx_body_row_solid = {
    .info = {.name = "solid",
             .noun = "solid",
             .is = "a solid",
             .doc = "an elastic solid on a mesh of tetrahedra, hexahedra and wedges",
             .space = true,
             .deforms = true,
             .mesh = true,
             .locations = 1u << PHX_LOCATION_NODE},
    .traits = PHX_BODY_MATERIAL | PHX_BODY_DAMPING | PHX_BODY_HELD,
    .keys = KEYS(keys),
    .own_size = sizeof(solid),
    .place_port = phx_elastic_place_port,
    .finish_port = phx_elastic_finish_port,
    .finish = body_solid_finish,
    .build = body_solid_build,
    .offer_numbers = body_solid_offer_numbers,
    .stresses = stresses,
    .file_units = body_solid_units};
