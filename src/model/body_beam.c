/* The beam. */
#include "body_kinds.h"
#include "schema_parts.h"

#include <string.h>

enum { WATCHED_MODAL = 17, WATCHED_MOST = 129 }; /* places at which the sections are watched */

/* ---- keys ---- */
#define BEAM BIT(PHX_MODEL_BEAM)
static const phx_range elements_range = {"an integer from 1 to 100000", 1.0, PHX_MODEL_MAX_ELEMENTS, .integer = true};
static const phx_range modes_range = {"an integer from 1 to 4000", 1.0, 4000.0, .integer = true};
static const phx_range segments_range = {"an integer from 1 to 1000", 1.0, 1000.0, .integer = true};
static const phx_range order_range = {"3 (cubic) or 5 (quintic)", .integer = true, .only = {3, 5}};
static const phx_range fraction = {"a number in [0, 1]", .high = 1.0};
static const phx_word words_reference[] = {WORD("cantilever", PHX_BOTH), WORD("simply_supported", PHX_BOTH),
                                           WORD("free", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_element[] = {WORD("mixed", PHX_BOTH), WORD("paper", PHX_BOTH), WORD("assumed", PHX_BOTH),
                                         WORD(NULL, 0)};
static const phx_word words_kinetics[] = {WORD("full", PHX_BOTH), WORD("simplified", PHX_BOTH), WORD(NULL, 0)};

static const phx_key beam_port_keys[] = {
    {"at", &phx_type_number, AT(phx_model_port, location.fraction), .required = true, .range = &fraction,
     .doc = "place as a fraction of the length"},
};
const phx_object phx_schema_length_port = {"port of a beam", "Its directions follow the deformed section.",
                                           TABLE(phx_model_port, beam_port_keys), .finish = phx_finish_port};

/* Without the key: of a beam in segments the line between the ends of each; others must say it (finish). */
static phx_status read_reference(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    return phx_read_word(reader, node, key->words, key->name, field);
}

static phx_status preset_reference(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    const phx_reference line = PHX_REFERENCE_SIMPLY_SUPPORTED;
    (void)reader, (void)key, (void)owner;
    memcpy(field, &line, sizeof line);
    return PHX_OK;
}

static const phx_type type_reference = {"word", NULL, read_reference, preset_reference};

static const phx_key keys[] = {
    {"length", &phx_type_number, AT(phx_model_body, length), .required = true, .kinds = BEAM, .unit = "m",
     .range = &positive, .doc = "along body x, from P to C"},
    {"section", &phx_type_object, AT(phx_model_body, section), .required = true, .kinds = BEAM,
     .object = &phx_schema_section, .doc = "cross-section"},
    {"elements", &phx_type_integer, AT(phx_model_body, elements), .kinds = BEAM, .range = &elements_range,
     .fallback = "4",
     .doc = "number of elements, in space at most 20000; beyond some 10000 the mass of an element is rounding in a "
            "'cantilever' frame"},
    {"segments", &phx_type_integer, AT(phx_model_body, segments), .kinds = BEAM, .range = &segments_range,
     .fallback = "1",
     .doc = "beams of equal length that it is cut in, welded in a row, each with `elements` of them: bends further"},
    {"reference", &type_reference, AT(phx_model_body, reference), .kinds = BEAM, .words = words_reference,
     .fallback = "none; simply_supported with segments",
     .doc = "condition that fixes the deformation in the body frame, or in that of each segment"},
    {"order", &phx_type_integer, AT(phx_model_body, order), .kinds = BEAM, .range = &order_range, .fallback = "3",
     .doc = "bending in cubic or quintic Hermite elements"},
    {"element", &phx_type_word, AT(phx_model_body, element), .kinds = BEAM, .words = words_element, .fallback = "mixed",
     .doc = "discontinuous stresses, the first paper's pairs, or assumed modes without elements"},
    {"modes", &phx_type_integer, AT(phx_model_body, kept_modes), .kinds = BEAM, .range = &modes_range,
     .fallback = "all coordinates",
     .doc = "lowest normal modes that are kept, with stiffening at most 48; assumed: shapes of each direction, then "
            "required"},
    {"kinetics", &phx_type_word, AT(phx_model_body, kinetics), .kinds = BEAM, .words = words_kinetics,
     .fallback = "full", .doc = "inertia depends on the deformation, or the paper's simplified equations"},
    {"twist", &phx_type_boolean, AT(phx_model_body, twist), .kinds = BEAM, .fallback = "true", .dims = PHX_SPACE,
     .doc = "false: rigid in torsion"},
    {"stiffening", &phx_type_boolean, AT(phx_model_body, stiffening), .kinds = BEAM, .fallback = "false",
     .doc = "geometric stiffening by the axial force"},
    {"ports", &phx_type_ports, AT(phx_model_body, ports), .kinds = BEAM, .object = &phx_schema_length_port,
     .fallback = "P, C", .count_offset = AT(phx_model_body, n_ports),
     .doc = "named ports besides P (x = 0) and C (x = length)"},
};

/* ---- reading ---- */
static void place_port(const phx_model_body *body, phx_model_port *port)
{
    port->location.sort = PHX_LOCATION_FRACTION;
    port->position[0] = port->location.fraction * body->length;
}

/* Conditions that a beam in modes, or of assumed modes, puts on the other keys. */
static phx_status check_beam_modes(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    static const char *const of_elements[] = {"elements", "order"};
    const bool assumed = body->element == PHX_ELEMENT_ASSUMED;
    if (assumed && !body->kept_modes)
        return phx_reader_fail(reader, phx_node_find(node, "element"),
                               "'element: assumed' needs 'modes', the number of shapes of each direction");
    for (int k = 0; assumed && k < 2; k++)
        if (phx_node_find(node, of_elements[k]))
            return phx_reader_fail(reader, phx_node_find(node, of_elements[k]),
                                   "'%s' does not apply to 'element: assumed', which has no elements", of_elements[k]);
    if (assumed && body->reference != PHX_REFERENCE_CANTILEVER)
        return phx_reader_fail(reader, phx_node_find(node, "reference"),
                               "assumed modes are those of a beam clamped at P; expected 'reference: cantilever'");
    if (assumed && body->stiffening)
        return phx_reader_fail(reader, phx_node_find(node, "stiffening"),
                               "'stiffening' does not go together with 'element: assumed', whose shapes cannot follow "
                               "the shortening of the bent axis; take 'modes' of elements");
    if (body->stiffening && body->kept_modes > PHX_STRAIN_SLOPES)
        return phx_reader_fail(reader, phx_node_find(node, "modes"),
                               "expected at most %d 'modes' with 'stiffening', found %d; or leave 'modes' out",
                               PHX_STRAIN_SLOPES, body->kept_modes);
    return PHX_OK;
}

/* Conditions that segments, or that there are none, put on the other keys. */
static phx_status check_segments(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    if (!phx_node_find(node, "segments") && !phx_node_find(node, "reference"))
        return phx_reader_fail(reader, node,
                               "key 'reference' of a body is missing: condition that fixes the deformation in the body "
                               "frame");
    if (body->segments == 1)
        return PHX_OK;
    if ((double)body->segments * body->elements > PHX_MODEL_MAX_ELEMENTS)
        return phx_reader_fail(reader, phx_node_find(node, "segments"),
                               "expected at most %d elements in all segments, found %d times %d",
                               PHX_MODEL_MAX_ELEMENTS, body->segments, body->elements);
    if (body->damping.mass > 0.0 || body->damping.modal.given)
        return phx_reader_fail(reader, phx_node_find(node, "damping"),
                               "damping by 'mass' or 'modal' would be that of each segment in its own frame; of a beam "
                               "in segments take damping: {stiffness: ...}");
    return PHX_OK;
}

static phx_status finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const phx_model_material *material = &reader->model->materials[body->material];
    double line = material->density * body->section.area, axial = material->young * body->section.area;
    double bending = material->young * body->section.inertia[1];
    if (!isnormal(line) || !isnormal(axial) || !isnormal(bending))
        return phx_reader_fail(reader, node,
                               "mass per length %g kg/m, axial stiffness %g N and bending stiffness %g N m^2 "
                               "must be finite and greater than 0; check material and section",
                               line, axial, bending);
    if (reader->model->dimension == 3 && body->elements > PHX_MODEL_MAX_SPATIAL_ELEMENTS)
        return phx_reader_fail(reader, phx_node_find(node, "elements"),
                               "expected at most %d 'elements' in space, found %d", PHX_MODEL_MAX_SPATIAL_ELEMENTS,
                               body->elements);
    if (reader->model->dimension == 3 && body->twist && !material->poisson.given)
        return phx_reader_fail(reader, phx_node_find(node, "material"),
                               "material '%s' has no 'poisson', which the torsion of a beam in space needs; or say "
                               "twist: false",
                               material->name);
    const phx_status status = check_segments(reader, node, body);
    return status ? status : check_beam_modes(reader, node, body);
}

/* ---- building ---- */
/* EA, EI, G J and masses per length from material and section. */
static phx_beam_def beam_def(const phx_model *model, const phx_model_body *body, const phx_beam_mass *masses)
{
    const phx_model_material *material = &model->materials[body->material];
    const phx_model_section *section = &body->section;
    phx_beam_def def = phx_beam_def_default();

    def.dim = model->dimension;
    def.length = body->length;
    def.mass_per_length = material->density * section->area;
    def.axial_stiffness = material->young * section->area;
    def.bending_stiffness[0] = material->young * section->inertia[model->dimension == 2 ? 1 : 0];
    if (model->dimension == 3) {
        def.bending_stiffness[1] = material->young * section->inertia[1];
        def.torsion_stiffness =
            body->twist ? material->young / (2.0 * (1.0 + material->poisson.value)) * section->torsion : HUGE_VAL;
        def.polar_inertia = material->density * (section->inertia[0] + section->inertia[1]);
    }
    def.elements = body->elements;
    def.order = body->order;
    def.element = body->element;
    def.modes = body->kept_modes;
    def.reference = body->reference;
    def.stiffening = body->stiffening;
    def.n_masses = body->n_point_masses;
    def.masses = masses;
    return def;
}

/* Fractions of the length, inside, at which joints, springs or forces pull at a beam in modes with stiffening. */
typedef struct pulled_places {
    const phx_model *model;
    const phx_model_body *body;
    int count;
    double *at; /* NULL: they are counted */
} pulled_places;

static void add_place(void *user, const phx_model_point *point)
{
    pulled_places *it = user;

    if (point->body < 0 || &it->model->bodies[point->body] != it->body)
        return;
    const double s = point->port < 0 ? point->location.fraction : it->body->ports[point->port].location.fraction;
    if (!(s > 0.0 && s < 1.0))
        return;
    if (it->at)
        it->at[it->count] = s;
    it->count++;
}

static phx_status find_places(phx_context *context, pulled_places *it)
{
    const bool wanted = it->body->kept_modes && it->body->stiffening;

    if (wanted)
        phx_builder_visit_points(it->model, add_place, it);
    it->at = phx_calloc(context, (size_t)it->count + 1, sizeof *it->at);
    if (!it->at)
        return PHX_ERR_MEMORY;
    it->count = 0;
    if (wanted)
        phx_builder_visit_points(it->model, add_place, it);
    return PHX_OK;
}

/* Says how well the modes hold a beam that its loads stiffen: nothing, or a warning. */
static void judge(phx_builder *builder, const phx_model_body *body, const phx_flex_source *source)
{
    static const double warns = 0.01;
    const phx_modes_quality *quality = phx_beam_modes_quality(source);

    if (quality && quality->pulled > warns)
        phx_log(
            builder->context, PHX_LOG_WARNING,
            "body '%s': pulled at three times its buckling load, its first frequencies err by %.2g %% with %d modes; "
            "take more modes",
            body->name, 100.0 * quality->pulled, quality->modes);
}

static phx_status make_beam(phx_builder *builder, const phx_model_body *body, phx_beam **beam)
{
    phx_beam_mass *masses = phx_calloc(builder->context, (size_t)body->n_point_masses, sizeof *masses);
    pulled_places places = {.model = builder->model, .body = body};
    if (!masses || find_places(builder->context, &places)) {
        phx_free(masses);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < body->n_point_masses; k++) {
        const phx_model_point_mass *point = &body->point_masses[k];
        masses[k] = (phx_beam_mass){.at = point->at.location.fraction, .mass = point->mass};
        memcpy(masses[k].inertia, point->inertia, sizeof masses[k].inertia);
    }
    phx_beam_def def = beam_def(builder->model, body, masses);
    def.n_pulled = places.count;
    def.pulled = places.at;
    phx_status status = phx_beam_cache_get(builder->cache, builder->context, &def, beam);
    phx_free(masses);
    phx_free(places.at);
    if (!status)
        judge(builder, body, *beam);
    if (status && status != PHX_ERR_MEMORY)
        phx_fail_prefix(builder->context, status, "body '%s': ", body->name);
    return status;
}

static phx_status build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source, phx_body **made)
{
    phx_body_def def = phx_builder_body_def(builder, body);
    phx_status status = make_beam(builder, body, source);

    if (status)
        return status;
    def.flex = phx_flex_source_flex(*source);
    def.kinetics = body->kinetics == PHX_MODEL_KINETICS_SIMPLIFIED ? PHX_KINETICS_SIMPLIFIED : PHX_KINETICS_FULL;
    return phx_body_create(builder->context, &def, made);
}

static void offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const phx_model_material *material = &model->materials[body->material];

    phx_extreme_offer(worst, "material.density", material->density);
    phx_extreme_offer(worst, "material.young", material->young);
    phx_extreme_offer(worst, "length", body->length);
    phx_extreme_offer(worst, "section (its area)", body->section.area);
}

/* ---- asking ---- */
static void sections(const phx_model *model, const phx_model_body *body, phx_model_sections *to)
{
    static const double pi = 3.14159265358979323846;
    const phx_model_material *material = &model->materials[body->material];
    const phx_model_section *section = &body->section;
    const bool space = model->dimension == 3, held = body->reference == PHX_REFERENCE_CANTILEVER;
    const bool assumed = body->element == PHX_ELEMENT_ASSUMED, mesh = body->kept_modes == 0 && !assumed;
    const double E = material->young,
                 weakest = space ? fmin(section->inertia[0], section->inertia[1]) : section->inertia[1];
    const double wave = held ? 1.8751040687 : pi;

    to->section = section;
    to->segments = assumed ? body->kept_modes : body->elements;
    to->torsion = space && body->twist;
    to->watched = mesh && body->elements < WATCHED_MOST ? body->elements + 1 : mesh ? WATCHED_MOST : WATCHED_MODAL;
    to->stiffening = body->stiffening;
    to->strain_per_force = 1.0 / (E * section->area);
    for (int m = 0; m < (space ? 2 : 1); m++) { /* Mz in the plane; My, Mz in space */
        const int axis = space ? m : 1;
        const double inertia = section->inertia[axis], known = section->fibre[1 - axis];
        to->strain_per_moment[m] = (known > 0.0 ? known : sqrt(3.0 * inertia / section->area)) / (E * inertia);
    }
    to->euler_load = pi * pi * E * weakest / (body->length * body->length) * (held ? 0.25 : 1.0);
    to->bending_frequency =
        wave * wave / (body->length * body->length) * sqrt(E * weakest / (material->density * section->area));
}

const phx_body_row phx_body_row_beam = {
    .info = {.name = "beam",
             .noun = "beam",
             .is = "a beam",
             .doc = "a straight elastic beam along x of its frame, by its material and section",
             .plane = true,
             .space = true,
             .deforms = true,
             .sections = true,
             .locations = 1u << PHX_LOCATION_FRACTION,
             .ports = {"P", "C"}},
    .traits = PHX_BODY_MATERIAL | PHX_BODY_DAMPING | PHX_BODY_HELD,
    .keys = KEYS(keys),
    .port_fractions = {0.0, 1.0},
    .place_port = place_port,
    .finish = finish,
    .build = build,
    .offer_numbers = offer_numbers,
    .sections = sections};
