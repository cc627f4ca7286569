/* The plate: Kirchhoff or Mindlin, in the plane z = 0 of its frame or wherever its mesh lies parallel to it. */
#include "elastic.h"

/* ---- keys ---- */
typedef struct plate_mesh {
    int kind; /* size, file */
    double size[2];
    double elements[2];
    bool crossed;
    double grading[2];
    const char *file;
    double unit;
} plate_mesh;

typedef struct plate {
    phx_elastic_keys elastic; /* first */
    plate_mesh mesh;
    double thickness; /* 0: there are layers; of a list, its first */
    int n_thicknesses;
    double *thicknesses; /* a list: of each cell of the mesh; NULL */
    int n_layers;
    phx_elastic_layer *layers;
    int n_regions;
    phx_elastic_region *regions;
    phx_plate_theory theory;
    int order;
    bool membrane;
    double shear_correction;
} plate;

enum { MESH_SIZE, MESH_FILE };
static const phx_word words_mesh[] = {WORD("size", PHX_SPACE), WORD("file", PHX_SPACE), WORD(NULL, 0)};
static const phx_word words_theory[] = {WORD("kirchhoff", PHX_SPACE), WORD("mindlin", PHX_SPACE), WORD(NULL, 0)};
static const phx_range order_range = {"0, 1 or 2", 0.0, 2.0, .integer = true};
static const phx_range elements_range = {"an integer from 1 to 2000", 1.0, 2000.0, .integer = true};
static const phx_range grading_range = {.text = "a number from 1 to 10", .low = 1.0, .high = 10.0};

static const phx_key mesh_keys[] = {
    {"size", &phx_type_pair, AT(plate_mesh, size), .required = true, .kinds = BIT(MESH_SIZE), .unit = "m",
     .range = &positive,
     .doc =
         "a rectangle from the origin along x and y; groups: its edges x0 x1 y0 y1, its corners x0y0 x1y0 x0y1 x1y1"},
    {"elements", &phx_type_pair, AT(plate_mesh, elements), .required = true, .kinds = BIT(MESH_SIZE),
     .range = &elements_range, .doc = "squares along x and y, of two triangles each"},
    {"crossed", &phx_type_boolean, AT(plate_mesh, crossed), .kinds = BIT(MESH_SIZE), .fallback = "false",
     .doc = "of four triangles each"},
    {"grading", &phx_type_pair, AT(plate_mesh, grading), .kinds = BIT(MESH_SIZE), .range = &grading_range,
     .fallback = "uniform", .doc = "the node at the fraction s of a side lies at s^grading"},
    {"file", &phx_type_path, AT(plate_mesh, file), .required = true, .kinds = BIT(MESH_FILE),
     .doc = "mesh file with triangles: .msh, .inp, or what gmsh reads when it is installed"},
    {"unit", &phx_type_number, AT(plate_mesh, unit), .kinds = BIT(MESH_FILE), .unit = "m", .range = &positive,
     .fallback = "1", .doc = "unit of length of the file"},
};
static const phx_object mesh_object = {"plate mesh", "Triangles in a plane z = constant.", TABLE(plate_mesh, mesh_keys),
                                       KINDS(PHX_KIND_PRESENT, words_mesh, plate_mesh)};

/* ---- thickness ---- */
static phx_status read_thickness(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    plate *sheet = owner;
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    if (node->kind != PHX_NODE_LIST)
        return phx_read_number(reader, node, key->range, field);
    const phx_status status = phx_type_numbers.read(reader, key, node, &sheet->thicknesses, owner);
    if (!status)
        sheet->thickness = sheet->thicknesses[0];
    return status;
}

static const phx_type type_thickness = {
    "number or list",
    "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": "
    "\"#/$defs/number\"}}]}",
    read_thickness, NULL};

#define PLATE BIT(PHX_MODEL_PLATE)
static const phx_key keys[] = {
    {"mesh", &phx_type_object, AT(plate, mesh), .own = true, .required = true, .kinds = PLATE, .object = &mesh_object,
     .doc = "its triangles"},
    {"thickness", &type_thickness, AT(plate, thickness), .own = true, .kinds = PLATE, .unit = "m", .range = &positive,
     .fallback = "that of the layers", .count_offset = AT(plate, n_thicknesses),
     .doc = "along z; a list has one for each square of the mesh, along x first, or for each triangle of a mesh file"},
    {"layers", &phx_type_list, AT(plate, layers), .own = true, .kinds = PLATE, .object = &phx_schema_layer,
     .fallback = "one", .count_offset = AT(plate, n_layers), .doc = "instead of the thickness: a laminate"},
    {"regions", &phx_type_map, AT(plate, regions), .own = true, .kinds = PLATE, .object = &phx_schema_region,
     .fallback = "none", .count_offset = AT(plate, n_regions),
     .doc = "groups of triangles with another material, thickness or layers"},
    {"theory", &phx_type_word, AT(plate, theory), .own = true, .kinds = PLATE, .words = words_theory,
     .fallback = "kirchhoff", .doc = "without or with shear deformation and rotary inertia"},
    {"order", &phx_type_integer, AT(plate, order), .own = true, .kinds = PLATE, .range = &order_range, .fallback = "1",
     .doc = "degree of the moments; deflections have one more (mindlin: 1 or 2)"},
    {"membrane", &phx_type_boolean, AT(plate, membrane), .own = true, .kinds = PLATE, .fallback = "true",
     .doc = "false: rigid in its plane"},
    {"shear_correction", &phx_type_number, AT(plate, shear_correction), .own = true, .kinds = PLATE, .range = &positive,
     .fallback = "0.8333333333333334", .doc = "mindlin: of the shear stiffness"},
    PHX_ELASTIC_KEYS(PLATE),
};

static const plate *plate_of(const phx_model_body *body)
{
    return body->own;
}

/* ---- reading ---- */
/* Checks that the materials of the plate, its layers and its regions have the constants needed. */
static phx_status check_materials(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const plate *sheet = plate_of(body);
    const phx_node *regions = phx_node_find(node, "regions");
    phx_status status = phx_elastic_check_material(reader, node, body->material, false);

    if (!status)
        status = phx_elastic_check_layers(reader, node, sheet->n_layers, sheet->layers);
    for (int r = 0; r < sheet->n_regions && !status; r++) {
        const phx_node *region = regions->items[2 * r + 1];
        if (sheet->regions[r].own_material)
            status = phx_elastic_check_material(reader, region, sheet->regions[r].material, false);
        if (!status)
            status = phx_elastic_check_layers(reader, region, sheet->regions[r].n_layers, sheet->regions[r].layers);
    }
    return status;
}

/* A list of thicknesses does not apply to regions, which then need their own. */
static phx_status check_thicknesses(phx_reader *reader, const phx_node *node, const plate *sheet)
{
    const phx_node *regions = phx_node_find(node, "regions");

    for (int r = 0; r < sheet->n_regions && sheet->thicknesses; r++)
        if (sheet->regions[r].thickness == 0.0 && sheet->regions[r].n_layers == 0)
            return phx_reader_fail(reader, regions->items[2 * r],
                                   "'thickness' or 'layers' is missing: the body has a list of thicknesses");
    return PHX_OK;
}

/* Checks a plate after reading: materials, thickness or layers, order of its theory, and a membrane if it stiffens. */
static phx_status body_plate_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const plate *sheet = plate_of(body);

    phx_status status = check_materials(reader, node, body);

    if (!status)
        status = phx_elastic_check_thickness(reader, node, sheet->thickness, sheet->n_layers);
    if (!status)
        status = check_thicknesses(reader, node, sheet);
    if (status)
        return status;
    if (sheet->n_layers == 0 && sheet->thickness == 0.0)
        return phx_reader_fail(reader, node, "'thickness' is missing, or 'layers'");
    if (sheet->theory == PHX_PLATE_MINDLIN && sheet->order == 0)
        return phx_reader_fail(reader, phx_node_find(node, "order"), "a Mindlin plate has order 1 or 2");
    if (body->stiffening && !sheet->membrane)
        return phx_reader_fail(reader, phx_node_find(node, "stiffening"),
                               "'stiffening' needs a membrane, which follows the deflections");
    return phx_elastic_finish_mesh(reader, node, body);
}

/* ---- building ---- */
static phx_status body_plate_make_mesh(phx_builder *builder, const plate_mesh *from, phx_mesh *mesh)
{
    const phx_rectangle_mesh rectangle = {.size = {from->size[0], from->size[1]},
                                          .elements = {(int)from->elements[0], (int)from->elements[1]},
                                          .crossed = from->crossed,
                                          .grading = {from->grading[0], from->grading[1]}};

    if (from->kind != MESH_FILE)
        return phx_mesh_rectangle(builder->context, &rectangle, mesh);
    const phx_status status = phx_mesh_read(builder->context, from->file, from->unit, mesh);
    return status ? status : phx_elastic_check_mesh(builder, mesh, from->file);
}

/* A plate without membrane does not move in its plane. */
static phx_status hold_plane(phx_context *context, const phx_elastic_model *elastic, unsigned char **held)
{
    *held = phx_calloc(context, (size_t)elastic->n + 1, 1);
    for (int j = 0; j < elastic->n && *held; j++)
        (*held)[j] = elastic->component[j] == PHX_UNKNOWN_UX || elastic->component[j] == PHX_UNKNOWN_UY;
    return *held ? PHX_OK : PHX_ERR_MEMORY;
}

/* One region for each square, or for each triangle of a file: its section and its range of cells. The triangles of a
 * square follow one another. */
static phx_status make_sections(phx_builder *builder, const phx_model_body *body, const phx_mesh *mesh,
                                phx_plate_region *regions)
{
    const plate *sheet = plate_of(body);
    const bool file = sheet->mesh.kind == MESH_FILE;
    const int triangles = phx_mesh_count(mesh, 2);
    const int cells = file ? triangles : (int)sheet->mesh.elements[0] * (int)sheet->mesh.elements[1];
    phx_status status = PHX_OK;

    if (cells != sheet->n_thicknesses)
        return phx_builder_at(builder, &sheet->thickness,
                              phx_fail(builder->context, PHX_ERR_INPUT,
                                       "expected %d thicknesses, one for each %s of the mesh, found %d", cells,
                                       file ? "triangle" : "square", sheet->n_thicknesses));
    for (int k = 0, triangle = 0; k < mesh->n_cells && !status; k++) {
        if (phx_cell_info_of(mesh->type[k])->dimension != 2)
            continue;
        const int r = triangle++ / (triangles / cells);
        if (regions[r].count == 0) {
            regions[r].first = k;
            status = phx_elastic_section(builder, &builder->model->materials[body->material], sheet->thicknesses[r], 0,
                                         NULL, sheet->shear_correction, false, &regions[r].section);
        }
        regions[r].count = k + 1 - regions[r].first;
    }
    return status;
}

/* Sections of the named regions, then of what they leave. */
static phx_status make_regions(phx_builder *builder, const phx_model_body *body, const phx_mesh *mesh,
                               phx_plate_region *regions)
{
    const plate *sheet = plate_of(body);
    const phx_model_material *materials = builder->model->materials, *whole = &materials[body->material];
    phx_status status = PHX_OK;

    for (int r = 0; r < sheet->n_regions && !status; r++) {
        const phx_elastic_region *from = &sheet->regions[r];
        const bool own = from->n_layers > 0 || from->thickness > 0.0;
        regions[r].group = from->group;
        status = phx_elastic_section(builder, from->own_material ? &materials[from->material] : whole,
                                     own ? from->thickness : sheet->thickness, own ? from->n_layers : sheet->n_layers,
                                     own ? from->layers : sheet->layers, sheet->shear_correction, false,
                                     &regions[r].section);
        if (status)
            status = phx_builder_at(builder, from, status);
    }
    if (!status && sheet->thicknesses)
        status = make_sections(builder, body, mesh, &regions[sheet->n_regions]);
    else if (!status)
        status = phx_elastic_section(builder, whole, sheet->thickness, sheet->n_layers, sheet->layers,
                                     sheet->shear_correction, false, &regions[sheet->n_regions].section);
    return status;
}

/* Creates the finite-element model of a plate from its mesh and regions. Without a membrane *held marks the motions in
 * the plane as fixed. */
static phx_status body_plate_make(phx_builder *builder, const phx_model_body *body, phx_elastic_model **elastic,
                                  unsigned char **held)
{
    const plate *sheet = plate_of(body);
    const int n_regions = sheet->n_regions + (sheet->thicknesses ? sheet->n_thicknesses : 1);
    phx_plate_region *regions = phx_calloc(builder->context, (size_t)n_regions, sizeof *regions);
    const phx_plate_def def = {.theory = sheet->theory,
                               .order = sheet->order,
                               .membrane = sheet->membrane,
                               .n_regions = n_regions,
                               .regions = regions};
    phx_mesh mesh = {0};
    phx_status status = regions ? body_plate_make_mesh(builder, &sheet->mesh, &mesh) : PHX_ERR_MEMORY;

    if (!status)
        status = make_regions(builder, body, &mesh, regions);
    if (!status)
        status = phx_plate_create(builder->context, &mesh, &def, elastic);
    phx_mesh_free(&mesh);
    phx_free(regions);
    if (!status && !sheet->membrane)
        status = hold_plane(builder->context, *elastic, held);
    if (status)
        phx_elastic_destroy(*elastic);
    return status;
}

static phx_status body_plate_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                   phx_body **made)
{
    return phx_elastic_build(builder, body, body_plate_make, source, made);
}

static void body_plate_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const phx_model_material *material = &model->materials[body->material];

    phx_extreme_offer(worst, "material.density", material->density);
    phx_extreme_offer(worst, "material.young", material->young);
    phx_extreme_offer(worst, "thickness", plate_of(body)->thickness);
    phx_extreme_offer(worst, "mesh.size", plate_of(body)->mesh.size[0]);
}

static phx_stress_set stresses(const phx_model_body *body)
{
    (void)body;
    return PHX_STRESSES_PLATE;
}

const phx_body_row phx_body_row_plate = {.info = {.name = "plate",
                                                  .noun = "plate",
                                                  .is = "a plate",
                                                  .doc = "an elastic plate in its plane z = 0, on triangles",
                                                  .space = true,
                                                  .deforms = true,
                                                  .mesh = true,
                                                  .locations = 1u << PHX_LOCATION_NODE},
                                         .traits = PHX_BODY_MATERIAL | PHX_BODY_DAMPING | PHX_BODY_HELD,
                                         .keys = KEYS(keys),
                                         .own_size = sizeof(plate),
                                         .place_port = phx_elastic_place_port,
                                         .finish_port = phx_elastic_finish_port,
                                         .finish = body_plate_finish,
                                         .build = body_plate_build,
                                         .offer_numbers = body_plate_offer_numbers,
                                         .stresses = stresses};
