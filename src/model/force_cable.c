/* Cables over points, which drums wind. */
#include "force_kinds.h"

typedef struct rope_friction {
    bool given;
    double coefficient, regularised;
} rope_friction;

typedef struct cable {
    double length, stiffness, damping;
    rope_friction friction;
    int n_terms;
    phx_force_term *terms;
} cable;

#define KIND BIT(PHX_MODEL_CABLE)
static const phx_key friction_keys[] = {
    {"coefficient", &phx_type_number, AT(rope_friction, coefficient), .required = true, .range = &not_negative,
     .doc = "sliding, the tensions before and behind a point have the ratio exp(coefficient x angle)"},
    {"regularised", &phx_type_number, AT(rope_friction, regularised), .required = true, .unit = "m/s",
     .range = &positive, .doc = "speed vr of tanh(v/vr) in place of a direction at rest"},
};
static const phx_object friction_object = {"friction of a cable", "On the points between its ends.",
                                           TABLE(rope_friction, friction_keys)};
static const phx_key keys[] = {
    {"length", &phx_type_number, AT(cable, length), .own = true, .required = true, .kinds = KIND, .unit = "m",
     .range = &not_negative, .doc = "of the slack cable, all of it"},
    {"stiffness", &phx_type_number, AT(cable, stiffness), .own = true, .required = true, .kinds = KIND, .unit = "N/m",
     .range = &positive, .doc = "tension by length beyond it"},
    {"damping", &phx_type_number, AT(cable, damping), .own = true, .kinds = KIND, .unit = "s/m", .range = &not_negative,
     .fallback = "0", .doc = "tension is stiffness x (1 + damping x'), never below 0"},
    {"friction", &phx_type_given, AT(cable, friction), .own = true, .kinds = KIND, .object = &friction_object,
     .fallback = "none", .doc = "dry friction on the points between the ends"},
    {"terms", &phx_type_list, AT(cable, terms), .own = true, .kinds = KIND, .object = &phx_schema_force_term,
     .count_offset = AT(cable, n_terms), .fallback = "none",
     .doc = "coordinates that take the cable in, weight: the radius of the drum"},
};

static phx_status force_cable_finish(phx_reader *reader, const phx_node *node, const phx_model_force *force)
{
    const cable *own = force->own;
    const phx_node *terms = phx_node_find(node, "terms");
    return terms ? phx_force_terms_check(reader, terms, own->n_terms, own->terms) : PHX_OK;
}

static int force_cable_terms(const phx_model_force *force, phx_coupling_term *terms)
{
    const cable *own = force->own;
    return phx_force_terms_build(own->n_terms, own->terms, terms);
}

/* Adds a cable over several ports to the system, with joint coordinates that take up or pay out its length. */
static phx_status force_cable_build(phx_builder *builder, const phx_model_force *force, const phx_port_id *ports)
{
    const cable *own = force->own;
    phx_coupling_term terms[PHX_FORCE_MOST_TERMS];

    const int n_terms = force_cable_terms(force, terms);
    return phx_system_add_cable(builder->system, &(phx_cable_def){.name = force->name,
                                                                  .n_ports = force->n_ports,
                                                                  .ports = ports,
                                                                  .length = own->length,
                                                                  .stiffness = own->stiffness,
                                                                  .damping = own->damping,
                                                                  .friction = own->friction.coefficient,
                                                                  .regularised = own->friction.regularised,
                                                                  .n_terms = n_terms,
                                                                  .terms = terms});
}

const phx_force_row phx_force_row_cable = {
    .info = {.name = "cable",
             .doc =
                 "pulls along the polyline over its ports, with one tension; slack it does nothing; drums may wind it",
             .least_ports = 2,
             .most_ports = PHX_MODEL_MAX_FORCE_PORTS},
    .keys = KEYS(keys),
    .own_size = sizeof(cable),
    .finish = force_cable_finish,
    .terms = force_cable_terms,
    .build = force_cable_build};
