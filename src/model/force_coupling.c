/* Couplings of joint coordinates: gears, racks, belts, screws, elastic or exact. */
#include "force_kinds.h"

typedef struct coupling {
    int n_terms;
    phx_force_term *terms;
    bool rigid;
    double stiffness, damping;
    phx_model_optional rest;
    phx_model_law law, damper;
} coupling;

static const phx_range coordinate_range = {"an integer from 1 to 3", 1.0, 3.0, .integer = true};
static const phx_key term_keys[] = {
    {"joint", &phx_type_free_joint, AT(phx_force_term, joint), .required = true, .doc = "its name"},
    {"coordinate", &phx_type_integer, AT(phx_force_term, coordinate), .range = &coordinate_range, .fallback = "1",
     .doc = "which of its free coordinates"},
    {"weight", &phx_type_number, AT(phx_force_term, weight), .required = true,
     .doc = "of the coordinate in x: the radius or number of teeth of a wheel, 1 of a rack"},
};
const phx_object phx_schema_force_term = {"term of a coupling", "x is the sum of weight times coordinate.",
                                          TABLE(phx_force_term, term_keys)};

#define KIND BIT(PHX_MODEL_COUPLING)
static const phx_key keys[] = {
    {"terms", &phx_type_list, AT(coupling, terms), .own = true, .required = true, .kinds = KIND,
     .object = &phx_schema_force_term, .count_offset = AT(coupling, n_terms), .doc = "the coordinates in x, 1 to 8"},
    {"rigid", &phx_type_boolean, AT(coupling, rigid), .own = true, .kinds = KIND, .fallback = "false",
     .doc = "x = rest exactly, of two terms; without stiffness, damping, law and damper"},
    {"stiffness", &phx_type_number, AT(coupling, stiffness), .own = true, .kinds = KIND, .range = &not_negative,
     .fallback = "0", .doc = "force along x by x - rest"},
    {"damping", &phx_type_number, AT(coupling, damping), .own = true, .kinds = KIND, .range = &not_negative,
     .fallback = "0", .doc = "the same by its rate"},
    {"rest", &phx_type_optional, AT(coupling, rest), .own = true, .kinds = KIND, .fallback = "x at the start",
     .doc = "value of x without force; of a rigid coupling its value, 0 where it is not given"},
    {"law", &phx_type_given, AT(coupling, law), .own = true, .kinds = KIND, .object = &phx_schema_law,
     .fallback = "none", .doc = "of x - rest; zero in the middle: backlash"},
    {"damper", &phx_type_given, AT(coupling, damper), .own = true, .kinds = KIND, .object = &phx_schema_damper,
     .fallback = "none", .doc = "of the rate of x"},
};

/* Checks the terms of a coupling: number, existing joint coordinates and weights other than zero. */
phx_status phx_force_terms_check(phx_reader *reader, const phx_node *node, int n, const phx_force_term *terms)
{
    if (n < 1 || n > PHX_FORCE_MOST_TERMS)
        return phx_reader_fail(reader, node, "expected 1 to %d terms, found %d", PHX_FORCE_MOST_TERMS, n);
    for (int k = 0; k < n; k++) {
        const phx_model_joint *joint = &reader->model->joints[terms[k].joint];
        if (terms[k].coordinate > joint->n_coordinates)
            return phx_reader_fail(reader, node->items[k], "joint '%s' has %d free coordinate%s, expected one of them",
                                   joint->name, joint->n_coordinates, joint->n_coordinates == 1 ? "" : "s");
        if (terms[k].weight == 0.0)
            return phx_reader_fail(reader, node->items[k],
                                   "a weight of 0 leaves the coordinate out; leave the term out");
    }
    return PHX_OK;
}

int phx_force_terms_build(int n, const phx_force_term *terms, phx_coupling_term *out)
{
    for (int k = 0; k < n; k++)
        out[k] = (phx_coupling_term){terms[k].joint, terms[k].coordinate - 1, terms[k].weight};
    return n;
}

static int force_coupling_terms(const phx_model_force *force, phx_coupling_term *terms)
{
    const coupling *own = force->own;
    return phx_force_terms_build(own->n_terms, own->terms, terms);
}

static bool force_coupling_holds(const phx_model_force *force)
{
    const coupling *own = force->own;
    return own->rigid;
}

static phx_status force_coupling_finish(phx_reader *reader, const phx_node *node, const phx_model_force *force)
{
    const coupling *own = force->own;
    static const char *const soft[] = {"stiffness", "damping", "law", "damper"};

    for (size_t k = 0; k < sizeof soft / sizeof *soft && own->rigid; k++)
        if (phx_node_find(node, soft[k]))
            return phx_reader_fail(reader, phx_node_find(node, soft[k]),
                                   "a rigid coupling holds exactly; leave out '%s', or 'rigid'", soft[k]);
    if (own->rigid && own->n_terms != 2)
        return phx_reader_fail(reader, phx_node_find(node, "terms"),
                               "a rigid coupling has two terms, found %d; couple them in pairs, or give a stiffness",
                               own->n_terms);
    return phx_force_terms_check(reader, phx_node_find(node, "terms"), own->n_terms, own->terms);
}

/* w1 q1 + w2 q2 = rest as s1 = s2 + rest of two wheels with q1 = s1/w1, q2 = -s2/w2. */
static phx_status build_rigid(phx_builder *builder, const phx_model_force *force)
{
    const coupling *own = force->own;
    phx_port_id turn[2];
    phx_status status = PHX_OK;

    for (int k = 0; k < 2 && !status; k++)
        status = phx_system_add_wheel(builder->system, own->terms[k].joint, own->terms[k].coordinate - 1,
                                      (k ? -1.0 : 1.0) / own->terms[k].weight, 0.0, &turn[k]);
    return status ? status
                  : phx_system_add_gear(builder->system, force->name, turn[0], turn[1],
                                        own->rest.given ? own->rest.value : 0.0);
}

/* Adds a coupling of joint coordinates to the system, with its law and damper. */
static phx_status force_coupling_build(phx_builder *builder, const phx_model_force *force, const phx_port_id *ports)
{
    const coupling *own = force->own;
    phx_coupling_term terms[PHX_FORCE_MOST_TERMS];
    phx_coupling_def def = {.name = force->name,
                            .n_terms = own->n_terms,
                            .terms = terms,
                            .stiffness = own->stiffness,
                            .damping = own->damping,
                            .has_rest = own->rest.given,
                            .rest = own->rest.value};

    (void)ports;
    if (own->rigid)
        return build_rigid(builder, force);
    force_coupling_terms(force, terms);
    phx_status status = phx_builder_law(builder, &own->law, &def.law);
    if (!status)
        status = phx_builder_damper(builder, &own->damper, &def.damper);
    if (!status)
        return phx_system_add_coupling(builder->system, &def);
    phx_law_destroy(def.law);
    phx_signal_destroy(def.damper);
    return phx_fail_prefix(builder->context, status, "'%s': ", force->name);
}

const phx_force_row phx_force_row_coupling = {
    .info = {.name = "coupling",
             .doc = "spring and damper along a weighted sum of coordinates of joints: elastic "
                    "gears, racks, belts, screws; or the sum is held exactly"},
    .keys = KEYS(keys),
    .own_size = sizeof(coupling),
    .finish = force_coupling_finish,
    .terms = force_coupling_terms,
    .holds = force_coupling_holds,
    .build = force_coupling_build};
