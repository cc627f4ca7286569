/* The beam. */
#include "body_kinds.h"
#include "schema_parts.h"

#include <string.h>

/* Behind phx_model_body.own: coordinates for interfaces. */
typedef struct interface_names {
    const char **name;
    int count; /* 0: all ports */
} interface_names;
typedef struct beam_basis {
    bool given;
    phx_beam_basis kind;
    int modes, among, moments;
    int choose; /* 0 by frequency, 1 by effective mass */
    interface_names interfaces;
} beam_basis;
typedef struct beam_station {
    double at; /* fraction of the length */
    phx_model_section section;
} beam_station;
typedef struct beam_keys {
    int n_stations;
    beam_station *stations;
    beam_basis basis;
    bool section_inertia;
} beam_keys;
static const beam_keys *own_of(const phx_model_body *body)
{
    return body->own;
}
static const beam_basis *basis_of(const phx_model_body *body)
{
    return &own_of(body)->basis;
}
/* Of station k, or of the whole beam. */
static const phx_model_section *section_of(const phx_model_body *body, int k)
{
    return own_of(body)->n_stations > 0 ? &own_of(body)->stations[k].section : &body->section;
}

static const double SAME_PLACE = 1e-6;           /* of the length: interfaces nearer than this are one */
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

static const phx_word words_basis[] = {WORD("craig_bampton", PHX_BOTH), WORD("krylov", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_choose[] = {WORD("frequency", PHX_BOTH), WORD("effective_mass", PHX_BOTH), WORD(NULL, 0)};
static const phx_range held_range = {"an integer from 0 to 1000", 0.0, 1000.0, .integer = true};
static const phx_range moments_range = {"an integer from 1 to 20", 1.0, 20.0, .integer = true};

/* The words of the file begin at the second kind of the library. */
static phx_status read_kind(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    int word = 0;
    const phx_status status = phx_read_word(reader, node, key->words, key->name, &word);
    const phx_beam_basis kind = (phx_beam_basis)(PHX_BEAM_BASIS_CRAIG_BAMPTON + word);
    (void)owner;
    memcpy(field, &kind, sizeof kind);
    return status;
}

static phx_status preset_kind(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    const phx_beam_basis kind = PHX_BEAM_BASIS_CRAIG_BAMPTON;
    (void)reader, (void)key, (void)owner;
    memcpy(field, &kind, sizeof kind);
    return PHX_OK;
}
static const phx_type type_basis_kind = {"word", NULL, read_kind, preset_kind};

/* Reads the list of ports at which the basis of a beam has interfaces; the list must not be empty. */
static phx_status read_interfaces(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                  void *owner)
{
    interface_names *names = field;
    phx_status status = PHX_OK;
    (void)key, (void)owner;

    if (node->kind != PHX_NODE_LIST || node->count < 1)
        return phx_reader_expected(reader, node, "a list of ports, like [P, C]");
    names->name = phx_reader_calloc(reader, (size_t)node->count, sizeof *names->name);
    if (!names->name)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < node->count && !status; k++)
        status = phx_read_text(reader, node->items[k], "the name of a port", &names->name[k]);
    names->count = node->count;
    return status;
}
static const phx_type type_interfaces = {"list of ports",
                                         "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
                                         read_interfaces, NULL};

static const phx_key basis_keys[] = {
    {"kind", &type_basis_kind, AT(beam_basis, kind), .words = words_basis, .fallback = "craig_bampton",
     .doc = "static shapes of forces at the interfaces and modes with all of them held; or what forces at the "
            "interfaces make of the free beam, by powers of the frequency"},
    {"modes", &phx_type_integer, AT(beam_basis, modes), .range = &held_range, .fallback = "4",
     .doc = "craig_bampton: modes with the interfaces held"},
    {"choose", &phx_type_word, AT(beam_basis, choose), .words = words_choose, .fallback = "frequency",
     .doc = "which: the lowest, or those with the largest effective mass in a direction of an interface"},
    {"among", &phx_type_integer, AT(beam_basis, among), .range = &held_range, .fallback = "ten times modes",
     .doc = "effective_mass: the lowest modes of which those are chosen"},
    {"moments", &phx_type_integer, AT(beam_basis, moments), .range = &moments_range, .fallback = "2",
     .doc = "krylov: terms of the response by the square of the frequency"},
    {"interfaces", &type_interfaces, AT(beam_basis, interfaces), .fallback = "all ports",
     .doc = "ports at which forces act"},
};
static const phx_object schema_basis = {"basis of a beam", "Coordinates of the deformation for interfaces.",
                                        TABLE(beam_basis, basis_keys)};

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

static const phx_key station_keys[] = {PHX_STATION_KEYS(beam_station, phx_schema_section)};
static const phx_object station = {"station of a beam",
                                   "Between two stations the stiffness and the mass per length are linear.",
                                   TABLE(beam_station, station_keys)};

static const phx_key keys[] = {
    {"length", &phx_type_number, AT(phx_model_body, length), .required = true, .kinds = BEAM, .unit = "m",
     .range = &positive, .doc = "along body x, from P to C"},
    {"section", &phx_type_object, AT(phx_model_body, section), .kinds = BEAM, .object = &phx_schema_section,
     .fallback = "sections", .doc = "cross-section, the same all along"},
    {"sections", &phx_type_list, AT(beam_keys, stations), .own = true, .kinds = BEAM, .object = &station,
     .count_offset = AT(beam_keys, n_stations), .fallback = "section",
     .doc = "stations with ascending `at`; two at one place are a step"},
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
    {"basis", &phx_type_given, AT(beam_keys, basis), .own = true, .kinds = BEAM, .object = &schema_basis,
     .fallback = "all coordinates", .doc = "a basis for interfaces instead; not with modes"},
    {"kinetics", &phx_type_word, AT(phx_model_body, kinetics), .kinds = BEAM, .words = words_kinetics,
     .fallback = "full", .doc = "inertia depends on the deformation, or the paper's simplified equations"},
    {"twist", &phx_type_boolean, AT(phx_model_body, twist), .kinds = BEAM, .fallback = "true", .dims = PHX_SPACE,
     .doc = "false: rigid in torsion"},
    {"section_inertia", &phx_type_boolean, AT(beam_keys, section_inertia), .own = true, .kinds = BEAM,
     .fallback = "false", .dims = PHX_SPACE,
     .doc = "sections have inertia against turns of the body frame about all axes: a twisted blade that turns has its "
            "propeller moment"},
    {"stiffening", &phx_type_boolean, AT(phx_model_body, stiffening), .kinds = BEAM, .fallback = "false",
     .doc = "geometric stiffening by the axial force"},
    {"ports", &phx_type_ports, AT(phx_model_body, ports), .kinds = BEAM, .object = &phx_schema_length_port,
     .fallback = "P, C", .count_offset = AT(phx_model_body, n_ports),
     .doc = "named ports besides P (x = 0) and C (x = length)"},
};

/* ---- reading ---- */
static void body_beam_place_port(const phx_model_body *body, phx_model_port *port)
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
    if (assumed && own_of(body)->section_inertia)
        return phx_reader_fail(reader, phx_node_find(node, "section_inertia"),
                               "'section_inertia' does not go with 'element: assumed'; take 'modes' of elements");
    if (body->stiffening && body->kept_modes > PHX_STRAIN_SLOPES)
        return phx_reader_fail(reader, phx_node_find(node, "modes"),
                               "expected at most %d 'modes' with 'stiffening', found %d; or leave 'modes' out",
                               PHX_STRAIN_SLOPES, body->kept_modes);
    return PHX_OK;
}

static int port_named(const phx_model_body *body, const char *name)
{
    for (int k = 0; k < body->n_ports; k++)
        if (!strcmp(body->ports[k].name, name))
            return k;
    return -1;
}

/* Each a port of the beam, at a place of its own. */
static phx_status check_interfaces(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const interface_names *names = &basis_of(body)->interfaces;
    const phx_node *list = phx_node_find(node, "interfaces");

    if (names->count > 0 && body->segments > 1)
        return phx_reader_fail(reader, list,
                               "'interfaces' does not go with 'segments', whose interfaces are the ends of each and "
                               "its ports; leave it out");
    for (int k = 0; k < names->count; k++) {
        const int port = port_named(body, names->name[k]);
        phx_nearest nearest = phx_nearest_to(names->name[k]);
        for (int p = 0; p < body->n_ports; p++)
            phx_nearest_offer(&nearest, body->ports[p].name);
        if (port < 0)
            return phx_reader_fail(reader, list->items[k], "the beam has no port %s%s",
                                   phx_shown_text(names->name[k]).text, phx_nearest_hint(&nearest).text);
        for (int i = 0; i < k; i++)
            if (fabs(body->ports[port_named(body, names->name[i])].location.fraction -
                     body->ports[port].location.fraction) < SAME_PLACE)
                return phx_reader_fail(reader, list->items[k], "'%s' and '%s' are at one place; keep one of them",
                                       names->name[i], names->name[k]);
    }
    return PHX_OK;
}

/* Conditions that a basis for interfaces puts on the other keys. */
static phx_status check_basis(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const beam_basis *beam = basis_of(body);
    const phx_node *basis = phx_node_find(node, "basis");
    static const char *const of_modes[] = {"modes", "choose", "among"};

    if (!beam->given)
        return PHX_OK;
    if (phx_node_find(node, "modes"))
        return phx_reader_fail(reader, phx_node_find(node, "modes"),
                               "'modes' beside 'basis' would be two bases; the modes of a basis stand in it: basis: "
                               "{modes: %d}",
                               body->kept_modes);
    if (body->element == PHX_ELEMENT_ASSUMED)
        return phx_reader_fail(reader, basis, "'element: assumed' is a basis itself; take 'mixed' with 'basis'");
    for (int k = 0; k < 3 && beam->kind == PHX_BEAM_BASIS_KRYLOV; k++)
        if (phx_node_find(basis, of_modes[k]))
            return phx_reader_fail(reader, phx_node_find(basis, of_modes[k]),
                                   "a 'krylov' basis has no '%s'; its number of coordinates is by 'moments'",
                                   of_modes[k]);
    if (beam->kind == PHX_BEAM_BASIS_CRAIG_BAMPTON && phx_node_find(basis, "moments"))
        return phx_reader_fail(reader, phx_node_find(basis, "moments"), "'moments' is for a 'krylov' basis");
    if (phx_node_find(basis, "among") && !beam->choose)
        return phx_reader_fail(reader, phx_node_find(basis, "among"), "'among' goes with 'choose: effective_mass'");
    if (phx_node_find(basis, "among") && beam->among < beam->modes)
        return phx_reader_fail(reader, phx_node_find(basis, "among"),
                               "expected at least as many as 'modes', %d, found %d", beam->modes, beam->among);
    return check_interfaces(reader, basis, body);
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

/* Checks a beam after reading: finite positive mass and stiffness, number of elements, Poisson's ratio if it twists,
 * segments, modes and basis. */
static phx_status body_beam_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const phx_model_material *material = &reader->model->materials[body->material];
    const beam_keys *own = own_of(body);
    phx_status status = phx_check_stations(reader, node, own->n_stations, own->stations, sizeof *own->stations);
    for (int k = 0; k == 0 || k < own->n_stations; k++) {
        const phx_model_section *section = section_of(body, k);
        double line = material->density * section->area, axial = material->young * section->area;
        double bending = material->young * section->inertia[1];
        if (!status && (!isnormal(line) || !isnormal(axial) || !isnormal(bending)))
            status = phx_reader_fail(reader, node,
                                     "mass per length %g kg/m, axial stiffness %g N and bending stiffness %g N m^2 "
                                     "must be finite and greater than 0; check material and section",
                                     line, axial, bending);
    }
    if (!status && own->n_stations > 0 && (body->segments > 1 || body->element == PHX_ELEMENT_ASSUMED))
        status =
            phx_reader_fail(reader, phx_node_find(node, "sections"),
                            body->segments > 1 ? "'sections' does not go with 'segments'; take a rod"
                                               : "'sections' does not go with 'element: assumed', whose shapes are "
                                                 "those of a uniform beam; take 'modes' of elements");
    if (status)
        return status;
    if (reader->model->dimension == 3 && body->elements > PHX_MODEL_MAX_SPATIAL_ELEMENTS)
        return phx_reader_fail(reader, phx_node_find(node, "elements"),
                               "expected at most %d 'elements' in space, found %d", PHX_MODEL_MAX_SPATIAL_ELEMENTS,
                               body->elements);
    if (reader->model->dimension == 3 && body->twist && !material->poisson.given)
        return phx_reader_fail(reader, phx_node_find(node, "material"),
                               "material '%s' has no 'poisson', which the torsion of a beam in space needs; or say "
                               "twist: false",
                               material->name);
    status = check_segments(reader, node, body);
    if (!status)
        status = check_beam_modes(reader, node, body);
    return status ? status : check_basis(reader, node, body);
}

/* ---- building ---- */
/* EA, EI, G J and masses per length from material and section k. */
static phx_beam_station beam_numbers(const phx_model *model, const phx_model_body *body, int k)
{
    const phx_model_material *material = &model->materials[body->material];
    const phx_model_section *section = section_of(body, k);
    phx_beam_station made = {.at = own_of(body)->n_stations > 0 ? own_of(body)->stations[k].at : 0.0,
                             .mass_per_length = material->density * section->area,
                             .axial_stiffness = material->young * section->area,
                             .bending_stiffness = {material->young * section->inertia[model->dimension == 2 ? 1 : 0]}};

    if (model->dimension == 3) {
        made.bending_stiffness[1] = material->young * section->inertia[1];
        made.torsion_stiffness =
            body->twist ? material->young / (2.0 * (1.0 + material->poisson.value)) * section->torsion : HUGE_VAL;
        made.polar_inertia = material->density * (section->inertia[0] + section->inertia[1]);
    }
    for (int a = 0; a < 2 && own_of(body)->section_inertia; a++)
        made.section_inertia[a] = material->density * section->inertia[a];
    return made;
}

/* The beam of a body; the numbers of its section, of several the weakest stiffness and the largest mass per length. */
static phx_beam_def beam_def(const phx_model *model, const phx_model_body *body, const phx_beam_mass *masses)
{
    const phx_beam_station first = beam_numbers(model, body, 0);
    phx_beam_def def = phx_beam_def_default();

    def.dim = model->dimension;
    def.length = body->length;
    def.mass_per_length = first.mass_per_length;
    def.axial_stiffness = first.axial_stiffness;
    def.torsion_stiffness = first.torsion_stiffness;
    def.polar_inertia = first.polar_inertia;
    memcpy(def.bending_stiffness, first.bending_stiffness, sizeof def.bending_stiffness);
    memcpy(def.section_inertia, first.section_inertia, sizeof def.section_inertia);
    for (int k = 1; k < own_of(body)->n_stations; k++) {
        const phx_beam_station other = beam_numbers(model, body, k);
        def.mass_per_length = fmax(def.mass_per_length, other.mass_per_length);
        def.axial_stiffness = fmin(def.axial_stiffness, other.axial_stiffness);
        def.torsion_stiffness = fmin(def.torsion_stiffness, other.torsion_stiffness);
        for (int a = 0; a < 2; a++)
            def.bending_stiffness[a] = fmin(def.bending_stiffness[a], other.bending_stiffness[a]);
    }
    def.elements = body->elements;
    def.order = body->order;
    def.element = body->element;
    def.modes = body->kept_modes;
    def.reference = body->reference;
    def.stiffening = body->stiffening;
    if (basis_of(body)->given) {
        const beam_basis *basis = basis_of(body);
        def.basis = basis->kind;
        def.modes = basis->kind == PHX_BEAM_BASIS_KRYLOV ? 0 : basis->modes;
        def.among = !basis->choose ? 0 : basis->among > 0 ? basis->among : 10 * basis->modes;
        def.moments = basis->moments;
    }
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
    pulled_places *pulled = user;

    if (point->body < 0 || &pulled->model->bodies[point->body] != pulled->body)
        return;
    const double s = point->port < 0 ? point->location.fraction : pulled->body->ports[point->port].location.fraction;
    if (!(s > 0.0 && s < 1.0))
        return;
    if (pulled->at)
        pulled->at[pulled->count] = s;
    pulled->count++;
}

static phx_status find_places(phx_context *context, pulled_places *pulled)
{
    const bool wanted = (pulled->body->kept_modes || basis_of(pulled->body)->given) && pulled->body->stiffening;

    if (wanted)
        phx_builder_visit_points(pulled->model, add_place, pulled);
    pulled->at = phx_calloc(context, (size_t)pulled->count + 1, sizeof *pulled->at);
    if (!pulled->at)
        return PHX_ERR_MEMORY;
    pulled->count = 0;
    if (wanted)
        phx_builder_visit_points(pulled->model, add_place, pulled);
    return PHX_OK;
}

/* Fractions of the length at which the interfaces of its basis are, each once; the caller frees them. */
static phx_status place_interfaces(phx_context *context, const phx_model_body *body, int *count, double **at)
{
    const beam_basis *beam = basis_of(body);
    const int named = beam->interfaces.count > 0 ? beam->interfaces.count : body->n_ports;

    *count = 0;
    *at = phx_calloc(context, (size_t)named + 1, sizeof **at);
    for (int k = 0; k < named && *at && beam->given; k++) {
        const int port = beam->interfaces.count > 0 ? port_named(body, beam->interfaces.name[k]) : k;
        const double s = body->ports[port].location.fraction;
        bool is_new = true;
        for (int i = 0; i < *count; i++)
            is_new = is_new && fabs((*at)[i] - s) >= SAME_PLACE;
        if (is_new)
            (*at)[(*count)++] = s;
    }
    return *at ? PHX_OK : PHX_ERR_MEMORY;
}

/* Says how well the modes hold a beam that its loads stiffen: nothing, or a warning. */
static void body_beam_judge(phx_builder *builder, const phx_model_body *body, const phx_flex_source *source)
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

/* Warns of joints at ports that are no interfaces of the basis, which the chosen coordinates may not hold. */
static void judge_interfaces(phx_builder *builder, const phx_model_body *body, int count, const double *at)
{
    const int index = (int)(body - builder->model->bodies);

    for (int k = 0; k < body->n_ports && count > 0; k++) {
        bool held = !phx_builder_has_joint(builder->model, index, k);
        for (int i = 0; i < count; i++)
            held = held || fabs(at[i] - body->ports[k].location.fraction) < SAME_PLACE;
        if (!held)
            phx_log(builder->context, PHX_LOG_WARNING,
                    "body '%s': the port '%s' has a joint and is no interface of its basis; add it to 'interfaces'",
                    body->name, body->ports[k].name);
    }
}

/* Creates the beam of a body, shared through the cache, with point masses, pulled places and interfaces at fractions
 * of its length. Warns of doubtful input. */
static phx_status make_beam(phx_builder *builder, const phx_model_body *body, phx_beam **beam)
{
    const int n_stations = own_of(body)->n_stations;
    phx_beam_mass *masses = phx_calloc(builder->context, (size_t)body->n_point_masses, sizeof *masses);
    phx_beam_station *stations = phx_calloc(builder->context, (size_t)n_stations, sizeof *stations);
    pulled_places places = {.model = builder->model, .body = body};
    double *interfaces = NULL;
    int n_interfaces = 0;
    if (!masses || !stations || find_places(builder->context, &places) ||
        place_interfaces(builder->context, body, &n_interfaces, &interfaces)) {
        phx_free(masses);
        phx_free(stations);
        phx_free(places.at);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < body->n_point_masses; k++) {
        const phx_model_point_mass *point = &body->point_masses[k];
        masses[k] = (phx_beam_mass){.at = point->at.location.fraction, .mass = point->mass};
        memcpy(masses[k].inertia, point->inertia, sizeof masses[k].inertia);
    }
    phx_beam_def def = beam_def(builder->model, body, masses);
    for (int k = 0; k < n_stations; k++)
        stations[k] = beam_numbers(builder->model, body, k);
    def.n_stations = n_stations;
    def.stations = stations;
    def.n_pulled = places.count;
    def.pulled = places.at;
    def.n_interfaces = n_interfaces;
    def.interfaces = interfaces;
    phx_status status = phx_beam_cache_get(builder->cache, builder->context, &def, beam);
    if (!status) {
        body_beam_judge(builder, body, *beam);
        judge_interfaces(builder, body, n_interfaces, interfaces);
    }
    phx_free(masses);
    phx_free(stations);
    phx_free(places.at);
    phx_free(interfaces);
    if (status && status != PHX_ERR_MEMORY)
        phx_fail_prefix(builder->context, status, "body '%s': ", body->name);
    return status;
}

static phx_status body_beam_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                  phx_body **made)
{
    phx_body_def def = phx_builder_body_def(builder, body);
    phx_status status = make_beam(builder, body, source);

    if (status)
        return status;
    def.flex = phx_flex_source_flex(*source);
    def.kinetics = body->kinetics == PHX_MODEL_KINETICS_SIMPLIFIED ? PHX_KINETICS_SIMPLIFIED : PHX_KINETICS_FULL;
    return phx_body_create(builder->context, &def, made);
}

static void body_beam_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const phx_model_material *material = &model->materials[body->material];

    phx_extreme_offer(worst, "material.density", material->density);
    phx_extreme_offer(worst, "material.young", material->young);
    phx_extreme_offer(worst, "length", body->length);
    phx_extreme_offer(worst, "section (its area)", section_of(body, 0)->area);
}

/* ---- asking ---- */
void phx_beam_sections(const phx_beam_def *def, const phx_model_section *section, bool reduced, phx_model_sections *to)
{
    static const double pi = 3.14159265358979323846;
    const bool space = def->dim == 3, held = def->reference == PHX_REFERENCE_CANTILEVER;
    const bool assumed = def->element == PHX_ELEMENT_ASSUMED, mesh = !reduced && !assumed;
    const double *bending = def->bending_stiffness;
    const double weakest = space ? fmin(bending[0], bending[1]) : bending[0];
    const double wave = held ? 1.8751040687 : pi;

    to->section = section;
    to->segments = assumed ? def->modes : def->elements;
    to->torsion = space && isfinite(def->torsion_stiffness);
    to->watched = mesh && def->elements < WATCHED_MOST ? def->elements + 1 : mesh ? WATCHED_MOST : WATCHED_MODAL;
    to->stiffening = def->stiffening;
    to->strain_per_force = 1.0 / def->axial_stiffness;
    for (int m = 0; m < (space ? 2 : 1) && section; m++) { /* Mz in the plane; My, Mz in space */
        const int axis = space ? m : 1;
        const double known = section->fibre[1 - axis];
        to->strain_per_moment[m] =
            (known > 0.0 ? known : sqrt(3.0 * section->inertia[axis] / section->area)) / bending[m];
    }
    to->euler_load = pi * pi * weakest / (def->length * def->length) * (held ? 0.25 : 1.0);
    to->bending_frequency = wave * wave / (def->length * def->length) * sqrt(weakest / def->mass_per_length);
}

static void sections(const phx_model *model, const phx_model_body *body, phx_model_sections *to)
{
    const phx_beam_def def = beam_def(model, body, NULL);

    phx_beam_sections(&def, section_of(body, 0), body->kept_modes > 0 || basis_of(body)->given, to);
    to->varies = own_of(body)->n_stations > 0;
}

static phx_model_section section_between(const phx_model_body *body, double s)
{
    const beam_keys *own = own_of(body);
    double part;
    const int k = phx_station_before(own->n_stations, own->stations, sizeof *own->stations, s, &part);
    return phx_section_between(&own->stations[k].section, &own->stations[k + 1].section, part);
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
    .own_size = sizeof(beam_keys),
    .port_fractions = {0.0, 1.0},
    .place_port = body_beam_place_port,
    .finish = body_beam_finish,
    .build = body_beam_build,
    .offer_numbers = body_beam_offer_numbers,
    .sections = sections,
    .section_at = section_between};
