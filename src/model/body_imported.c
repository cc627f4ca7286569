/* The body of another finite-element program, by its mass and stiffness matrices. */
#include "elastic.h"

#include <math.h>
#include <string.h>

/* ---- keys ---- */
typedef struct units {
    double length, mass, time;
} units;

/* A rigid body of CalculiX. */
typedef struct rigid_nodes {
    int reference, rotation; /* labels of nodes */
} rigid_nodes;

typedef struct imported {
    phx_elastic_keys elastic; /* first */
    int n_files;
    const char **files;
    const char *mass_file, *stiffness_file;
    units units;
    int n_rigid;
    rigid_nodes *rigid;
} imported;

/* One file, or a list of files. */
static phx_status read_files(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    const int count = node->kind == PHX_NODE_LIST ? node->count : 1;
    const char **files = phx_reader_calloc(reader, (size_t)count + 1, sizeof *files);
    phx_status status = files ? PHX_OK : PHX_ERR_MEMORY;

    if (node->kind == PHX_NODE_MAP || count < 1)
        return phx_reader_expected(reader, node, "a file, or a list of files");
    for (int k = 0; k < count && !status; k++) {
        const phx_node *item = node->kind == PHX_NODE_LIST ? node->items[k] : node;
        status = phx_type_path.read(reader, key, item, &files[k], owner);
    }
    memcpy(field, &files, sizeof files);
    memcpy((char *)owner + key->count_offset, &count, sizeof count);
    return status;
}
static const phx_type type_files = {"file or list of files",
                                    "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, "
                                    "\"items\": {\"type\": \"string\"}}]}",
                                    read_files, NULL};

static const phx_key units_keys[] = {
    {"length", &phx_type_number, AT(units, length), .unit = "m", .range = &positive, .fallback = "1",
     .doc = "unit of length"},
    {"mass", &phx_type_number, AT(units, mass), .unit = "kg", .range = &positive, .fallback = "1",
     .doc = "unit of mass: 1000 for mm, t, s, N"},
    {"time", &phx_type_number, AT(units, time), .unit = "s", .range = &positive, .fallback = "1",
     .doc = "unit of time"},
};
static const phx_object units_object = {"units", "Units of the files.", TABLE(units, units_keys)};

static const phx_range label_range = {"an integer from 1 to 2147483647", 1.0, 2147483647.0, .integer = true};
static const phx_key rigid_keys[] = {
    {"reference", &phx_type_integer, AT(rigid_nodes, reference), .required = true, .range = &label_range,
     .doc = "number of the node that has the displacements"},
    {"rotation", &phx_type_integer, AT(rigid_nodes, rotation), .required = true, .range = &label_range,
     .doc = "number of the node whose translations are the rotations"},
};
static const phx_object rigid_object = {"rigid body of CalculiX", "REF NODE and ROT NODE of *RIGID BODY.",
                                        TABLE(rigid_nodes, rigid_keys)};

#define IMPORTED BIT(PHX_MODEL_IMPORTED)
static const phx_key keys[] = {
    {"files", &type_files, AT(imported, files), .own = true, .required = true, .kinds = IMPORTED,
     .count_offset = AT(imported, n_files),
     .doc = "matrices, nodes and decks that the program has written: docs/import.md"},
    {"mass_matrix", &phx_type_path, AT(imported, mass_file), .own = true, .kinds = IMPORTED, .fallback = "none",
     .doc = "file of M where its name does not say so"},
    {"stiffness_matrix", &phx_type_path, AT(imported, stiffness_file), .own = true, .kinds = IMPORTED,
     .fallback = "none", .doc = "file of K where its name does not say so"},
    {"units", &phx_type_object, AT(imported, units), .own = true, .kinds = IMPORTED, .object = &units_object,
     .fallback = "SI", .doc = "units of the files"},
    {"rigid", &phx_type_list, AT(imported, rigid), .own = true, .kinds = IMPORTED, .object = &rigid_object,
     .fallback = "as the deck says", .count_offset = AT(imported, n_rigid),
     .doc = "rigid bodies of CalculiX whose nodes no deck among the files names"},
    PHX_ELASTIC_KEYS(IMPORTED),
};

static const imported *imported_of(const phx_model_body *body)
{
    return body->own;
}

/* ---- building ---- */
/* Rigid motions must cost no force: a matrix of a constrained structure, or a wrong table of nodes, shows here. */
static phx_status body_imported_check(phx_builder *builder, const phx_model_body *body,
                                      const phx_elastic_model *elastic)
{
    static const double LEAST_DOUBT = 1e-6; /* force of a rigid motion, relative: rounding in any case */
    static const char *const motion[] = {"translation along x", "translation along y", "translation along z",
                                         "rotation about x",    "rotation about y",    "rotation about z"};
    const double most = fmax(LEAST_DOUBT, 100.0 * elastic->rounding);
    phx_elastic_summary summary;
    phx_status status = phx_elastic_summarise(builder->context, elastic, &summary);

    for (int k = 0; k < 6 && !status; k++)
        if (!(summary.rigid_force[k] < most))
            status = phx_fail(builder->context, PHX_ERR_ARGUMENT,
                              "body '%s': its stiffness matrix resists a %s of the whole (%.2g of its largest entry; 0 "
                              "for a free body): export it without supports, and check that the nodes are those of the "
                              "matrices",
                              body->name, motion[k], summary.rigid_force[k]);
    if (!status && !(summary.mass > 0.0))
        status = phx_fail(builder->context, PHX_ERR_ARGUMENT, "body '%s': its mass matrix gives a mass of %g kg",
                          body->name, summary.mass);
    return status;
}

/* Imports the finite-element model of a body in its units, with rigid elements, and checks it; no unknowns are held. */
static phx_status body_imported_make(phx_builder *builder, const phx_model_body *body, phx_elastic_model **elastic,
                                     unsigned char **held)
{
    const imported *matrices = imported_of(body);
    phx_import_def def = phx_import_def_default();

    *held = NULL;
    def.n_files = matrices->n_files;
    def.files = matrices->files;
    def.mass_file = matrices->mass_file;
    def.stiffness_file = matrices->stiffness_file;
    def.modes_file = matrices->elastic.basis.file;
    def.length = matrices->units.length;
    def.mass = matrices->units.mass;
    def.time = matrices->units.time;
    int(*rigid)[2] = phx_calloc(builder->context, (size_t)matrices->n_rigid + 1, sizeof *rigid);
    for (int k = 0; k < matrices->n_rigid && rigid; k++) {
        rigid[k][0] = matrices->rigid[k].reference;
        rigid[k][1] = matrices->rigid[k].rotation;
    }
    def.n_rigid = matrices->n_rigid;
    def.rigid = (const int(*)[2])rigid;
    phx_status status = rigid ? phx_import_create(builder->context, &def, elastic) : PHX_ERR_MEMORY;
    phx_free(rigid);
    if (!status) {
        status = body_imported_check(builder, body, *elastic);
        if (status)
            phx_elastic_destroy(*elastic);
    }
    return status;
}

static phx_status body_imported_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                      phx_body **made)
{
    return phx_elastic_build(builder, body, body_imported_make, source, made);
}

static void body_imported_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const imported *matrices = imported_of(body);

    (void)model;
    phx_extreme_offer(worst, "units.length", matrices->units.length);
    phx_extreme_offer(worst, "units.mass", matrices->units.mass);
    phx_extreme_offer(worst, "units.time", matrices->units.time);
}

/* Where its files say of what its cells are; the build says why they do not. */
static phx_stress_set body_imported_stresses(const phx_model_body *body)
{
    (void)body;
    return PHX_STRESSES_SOLID;
}

static void body_imported_units(const phx_model_body *body, double *length, double *force)
{
    const units *of = &imported_of(body)->units;

    *length = of->length;
    *force = of->mass * of->length / (of->time * of->time);
}

const phx_body_row phx_body_row_imported = {
    .info = {.name = "imported",
             .noun = "imported body",
             .is = "imported",
             .doc = "an elastic body by the mass and stiffness matrices of another finite-element program",
             .space = true,
             .deforms = true,
             .locations = 1u << PHX_LOCATION_NODE},
    .traits = PHX_BODY_DAMPING,
    .keys = KEYS(keys),
    .own_size = sizeof(imported),
    .place_port = phx_elastic_place_port,
    .finish_port = phx_elastic_finish_port,
    .finish = phx_elastic_finish_matrices,
    .build = body_imported_build,
    .offer_numbers = body_imported_offer_numbers,
    .stresses = body_imported_stresses,
    .file_units = body_imported_units};
