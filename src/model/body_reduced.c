/* An elastic body in its basis, from the file that `phlexor reduce` has written. */
#include "body_kinds.h"
#include "schema_parts.h"

#include "continuum/continuum.h"

#include <string.h>

/* ---- keys ---- */
typedef struct reduced {
    const char *file;
    phx_flex_source *source;   /* borrowed from the store */
    const phx_beam_def *beam;  /* of a beam; NULL: it is none */
    phx_model_section section; /* of a beam whose cross-section is known */
    bool has_section;
} reduced;

static const reduced *reduced_of(const phx_model_body *body)
{
    return body->own;
}

/* The body in the file `path`, read once for a document. */
static phx_status find_source(phx_reader *reader, const char *path, phx_flex_source **source)
{
    struct phx_model_store *store = reader->model->store;
    phx_file_body *body = store->bodies;

    while (body && strcmp(body->path, path) != 0)
        body = body->next;
    if (!body) {
        body = phx_arena_calloc(reader->context, &store->document, 1, sizeof *body);
        const char *copy = body ? phx_arena_text(reader->context, &store->document, path, strlen(path)) : NULL;
        if (!copy)
            return PHX_ERR_MEMORY;
        const phx_status status = phx_reduced_read(reader->context, path, &body->source);
        if (status)
            return status;
        body->path = copy;
        body->next = store->bodies;
        store->bodies = body;
    }
    *source = body->source;
    return PHX_OK;
}

/* Gives a reduced body the ports of its file, with place and orientation. */
static phx_status make_ports(phx_reader *reader, const phx_node *node, const phx_flex_source *source)
{
    phx_model_body *body = reader->body;
    const int count = phx_reduced_ports(source);
    const size_t square = (size_t)(reader->model->dimension * reader->model->dimension);
    phx_status status = PHX_OK;

    body->ports = phx_reader_calloc(reader, (size_t)count + 1, sizeof *body->ports);
    if (!body->ports)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < count && !status; p++) {
        phx_model_port *port = &body->ports[p];
        port->name = phx_reduced_port_name(source, p);
        port->location = phx_location_of_name(port->name);
        port->placed = true;
        memcpy(port->position, phx_reduced_port_position(source, p), sizeof port->position);
        memcpy(port->rotation.matrix, phx_reduced_port_rotation(source, p), square * sizeof(double));
        status = phx_reader_place(reader, port, sizeof *port, node->source);
    }
    body->n_ports = count;
    return status;
}

/* The cross-section of a beam, by the numbers of its file. */
static void read_section(reduced *low)
{
    const double *all = phx_reduced_section(low->source);

    low->has_section = all && all[0] >= 0.0 && all[0] < PHX_MODEL_SECTION_KINDS;
    if (low->has_section)
        low->section = (phx_model_section){.kind = (phx_model_section_kind)all[0],
                                           .diameter = all[1],
                                           .outer = all[2],
                                           .inner = all[3],
                                           .width = all[4],
                                           .height = all[5],
                                           .area = all[6],
                                           .inertia = {all[7], all[8]},
                                           .torsion = all[9],
                                           .fibre = {all[10], all[11]}};
}

/* Reads the file of a reduced body and gives the body its section and ports; the dimension must be that of the model.
 */
static phx_status body_reduced_read_file(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                         void *owner)
{
    reduced *low = owner;
    phx_status status = phx_type_path.read(reader, key, node, field, owner);

    if (status)
        return status;
    status = find_source(reader, low->file, &low->source);
    if (status)
        return phx_reader_fail_again(reader, node, status);
    const int dim = phx_flex_source_flex(low->source)->dim;
    if (dim != reader->model->dimension)
        return phx_reader_fail(reader, node,
                               "the body in this file is one of dimension %d, the model has 'dimension: %d'; reduce it "
                               "from a model of that dimension",
                               dim, reader->model->dimension);
    low->beam = phx_beam_definition(low->source);
    read_section(low);
    return make_ports(reader, node, low->source);
}
static const phx_type type_file = {"file", "{\"type\": \"string\"}", body_reduced_read_file, NULL};

static const phx_key keys[] = {
    {"file", &type_file, AT(reduced, file), .own = true, .required = true, .kinds = BIT(PHX_MODEL_REDUCED),
     .doc = "what 'phlexor reduce' has written; its ports are those of the body"},
};

/* ---- reading ---- */
static void body_reduced_place_port(const phx_model_body *body, phx_model_port *port)
{
    (void)body;
    port->location = phx_location_of_name(port->name);
}

static phx_status body_reduced_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    (void)reader, (void)node, (void)body; /* the file is checked where it is read */
    return PHX_OK;
}

/* ---- building ---- */
static phx_status body_reduced_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                     phx_body **made)
{
    const int count = body->n_point_masses;
    phx_body_def def = phx_builder_body_def(builder, body);
    phx_continuum_mass *masses = phx_calloc(builder->context, (size_t)count + 1, sizeof *masses);
    phx_status status = masses ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < count && !status; k++) {
        const phx_model_point_mass *mass = &body->point_masses[k];
        masses[k] = (phx_continuum_mass){.interface = mass->at.port, .mass = mass->mass};
        memcpy(masses[k].inertia, mass->inertia, sizeof masses[k].inertia);
    }
    if (!status && count > 0)
        status = phx_reduced_with_masses(builder->context, reduced_of(body)->source, count, masses, source);
    else if (!status)
        *source = phx_flex_source_share(reduced_of(body)->source);
    phx_free(masses);
    if (status)
        return status;
    def.flex = phx_flex_source_flex(*source);
    return phx_body_create(builder->context, &def, made);
}

static void body_reduced_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const phx_flex *flex = phx_flex_source_flex(reduced_of(body)->source);

    (void)model;
    phx_extreme_offer(worst, "file", flex->mass);
}

static void sections(const phx_model *model, const phx_model_body *body, phx_model_sections *to)
{
    const reduced *low = reduced_of(body);

    (void)model;
    phx_beam_sections(low->beam, low->has_section ? &low->section : NULL, true, to);
}

/* A reduced beam offers its length, as a beam does; others their nodes. */
static const phx_model_body_info *info_of(const phx_model_body *body)
{
    static const phx_model_body_info of_mesh = {.name = "reduced",
                                                .noun = "reduced body",
                                                .is = "a reduced body",
                                                .space = true,
                                                .deforms = true,
                                                .locations = 1u << PHX_LOCATION_NODE};
    static const phx_model_body_info of_beam = {.name = "reduced",
                                                .noun = "reduced beam",
                                                .is = "a reduced beam",
                                                .plane = true,
                                                .space = true,
                                                .deforms = true,
                                                .sections = true,
                                                .locations = 1u << PHX_LOCATION_FRACTION};
    return reduced_of(body)->beam ? &of_beam : &of_mesh;
}

static phx_stress_set stresses(const phx_model_body *body)
{
    return phx_flex_source_all_stresses(reduced_of(body)->source);
}

const phx_body_row phx_body_row_reduced = {
    .info = {.name = "reduced",
             .noun = "reduced body",
             .is = "a reduced body",
             .doc = "an elastic body in its basis, from a file that phlexor reduce has written",
             .plane = true,
             .space = true,
             .deforms = true,
             .locations = 1u << PHX_LOCATION_NODE | 1u << PHX_LOCATION_FRACTION},
    .info_of = info_of,
    .traits = PHX_BODY_DAMPING | PHX_BODY_HELD,
    .keys = KEYS(keys),
    .own_size = sizeof(reduced),
    .place_port = body_reduced_place_port,
    .finish = body_reduced_finish,
    .build = body_reduced_build,
    .offer_numbers = body_reduced_offer_numbers,
    .sections = sections,
    .stresses = stresses};
