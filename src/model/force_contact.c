/* Contacts, by penalty or rigid. */
#include "force_kinds.h"

#include <string.h>

typedef struct rubbing {
    bool given;
    double coefficient, stribeck, regularised;
    phx_model_optional breakaway;
} rubbing;

typedef struct contact {
    phx_contact_kind against;
    double normal[3], axis[3], radius_a, radius, semi_axes[3];
    bool inside;
    double stiffness, exponent, damping;
    phx_model_optional restitution;
    rubbing friction;
} contact;

#define KIND BIT(PHX_MODEL_CONTACT)
static const phx_word words_against[] = {WORD("plane", PHX_BOTH), WORD("sphere", PHX_BOTH), WORD("cylinder", PHX_SPACE),
                                         WORD(NULL, 0)};
static const phx_key friction_keys[] = {
    {"coefficient", &phx_type_number, AT(rubbing, coefficient), .required = true, .range = &not_negative,
     .doc = "Coulomb's, times the normal force"},
    {"static", &phx_type_optional, AT(rubbing, breakaway), .fallback = "coefficient",
     .doc = "at rest, from where it falls to coefficient with exp(-(v/stribeck)^2)"},
    {"stribeck", &phx_type_number, AT(rubbing, stribeck), .unit = "m/s", .range = &not_negative, .fallback = "0",
     .doc = "slip at which it falls"},
    {"regularised", &phx_type_number, AT(rubbing, regularised), .unit = "m/s", .range = &positive, .fallback = "0",
     .doc = "slip vr of tanh(v/vr) in place of a direction at rest; a rigid contact has none: it sticks"},
};
static phx_status finish_friction(phx_reader *reader, const phx_node *node, void *object)
{
    const rubbing *friction = object;
    if (friction->breakaway.given && friction->breakaway.value < friction->coefficient)
        return phx_reader_fail(reader, phx_node_find(node, "static"), "expected at least the coefficient, %g, found %g",
                               friction->coefficient, friction->breakaway.value);
    return PHX_OK;
}
static const phx_object friction_object = {"friction of a contact", "On the slip at the place of contact.",
                                           TABLE(rubbing, friction_keys), .finish = finish_friction};

static const phx_key keys[] = {
    {"against", &phx_type_word, AT(contact, against), .own = true, .required = true, .kinds = KIND,
     .words = words_against, .doc = "what A is; B is a sphere of `radius`, or an ellipsoid"},
    {"normal", &phx_type_direction, AT(contact, normal), .own = true, .kinds = KIND, .fallback = "none",
     .doc = "of a plane, on the side of B, in A's directions"},
    {"axis", &phx_type_direction, AT(contact, axis), .own = true, .kinds = KIND, .dims = PHX_SPACE, .fallback = "none",
     .doc = "of an endless cylinder, in A's directions"},
    {"radius_a", &phx_type_number, AT(contact, radius_a), .own = true, .kinds = KIND, .unit = "m",
     .range = &not_negative, .fallback = "0", .doc = "of the sphere or cylinder A"},
    {"radius", &phx_type_number, AT(contact, radius), .own = true, .kinds = KIND, .unit = "m", .range = &not_negative,
     .fallback = "0", .doc = "of B; 0: a point"},
    {"semi_axes", &phx_type_vector, AT(contact, semi_axes), .own = true, .kinds = KIND, .unit = "m", .range = &positive,
     .fallback = "none",
     .doc =
         "in place of radius: B is an ellipsoid (plane: an ellipse) with these along B's directions; against planes"},
    {"inside", &phx_type_boolean, AT(contact, inside), .own = true, .kinds = KIND, .fallback = "false",
     .doc = "B is inside the sphere or cylinder A"},
    {"stiffness", &phx_type_number, AT(contact, stiffness), .own = true, .kinds = KIND, .unit = "N/m^p",
     .range = &positive, .fallback = "0", .doc = "force stiffness d^p (1 + damping d') of a penetration d"},
    {"restitution", &phx_type_optional, AT(contact, restitution), .own = true, .kinds = KIND, .fallback = "none",
     .doc = "in place of stiffness: a rigid contact, with impacts that send back this share of the velocity"},
    {"exponent", &phx_type_number, AT(contact, exponent), .own = true, .kinds = KIND, .fallback = "1.5",
     .doc = "p: 1, or 1.5 as Hertz has it"},
    {"damping", &phx_type_number, AT(contact, damping), .own = true, .kinds = KIND, .unit = "s/m",
     .range = &not_negative, .fallback = "0", .doc = "Hunt and Crossley's; a contact never pulls"},
    {"friction", &phx_type_given, AT(contact, friction), .own = true, .kinds = KIND, .object = &friction_object,
     .fallback = "none", .doc = "dry friction"},
};

static phx_status finish_semi_axes(phx_reader *reader, const phx_node *node, const contact *own)
{
    const phx_node *semi_axes = phx_node_find(node, "semi_axes");

    if (!semi_axes)
        return PHX_OK;
    if (own->against != PHX_CONTACT_PLANE)
        return phx_reader_fail(reader, semi_axes, "an ellipsoid touches planes only, not a %s",
                               words_against[own->against].word);
    if (phx_node_find(node, "radius"))
        return phx_reader_fail(reader, semi_axes, "an ellipsoid has 'semi_axes' and no 'radius'");
    return PHX_OK;
}

/* Checks a contact: geometry of the opposite surface, penalty stiffness or restitution but not both, and friction to
 * match. */
static phx_status force_contact_finish(phx_reader *reader, const phx_node *node, const phx_model_force *force)
{
    const contact *own = force->own;
    const char *needed = own->against == PHX_CONTACT_PLANE      ? "normal"
                         : own->against == PHX_CONTACT_CYLINDER ? "axis"
                                                                : NULL;
    if (needed && !phx_node_find(node, needed))
        return phx_reader_fail(reader, node, "a contact against a %s needs '%s'", words_against[own->against].word,
                               needed);
    if (own->against != PHX_CONTACT_PLANE && !phx_node_find(node, "radius_a"))
        return phx_reader_fail(reader, node, "a contact against a %s needs 'radius_a'",
                               words_against[own->against].word);
    if (!phx_node_find(node, "stiffness") && !own->restitution.given)
        return phx_reader_fail(reader, node, "a contact needs 'stiffness', or 'restitution' of a rigid one");
    if (own->restitution.given && !(own->restitution.value >= 0.0 && own->restitution.value <= 1.0))
        return phx_reader_fail(reader, phx_node_find(node, "restitution"), "expected 0 to 1, found %g",
                               own->restitution.value);
    if (own->friction.given && own->restitution.given == (own->friction.regularised > 0.0))
        return phx_reader_fail(reader, phx_node_find(node, "friction"),
                               own->restitution.given
                                   ? "friction of a rigid contact is set-valued, without 'regularised'"
                                   : "friction of a contact with a stiffness needs 'regularised', the slip below which "
                                     "it fades");
    static const char *const of_penalty[] = {"stiffness", "exponent", "damping"};
    for (size_t k = 0; k < sizeof of_penalty / sizeof *of_penalty && own->restitution.given; k++)
        if (phx_node_find(node, of_penalty[k]))
            return phx_reader_fail(reader, phx_node_find(node, of_penalty[k]),
                                   "a rigid contact, with 'restitution', has no '%s'", of_penalty[k]);
    if (own->exponent != 1.0 && own->exponent != 1.5)
        return phx_reader_fail(reader, phx_node_find(node, "exponent"), "expected 1 or 1.5, found %g", own->exponent);
    if (own->inside && own->against != PHX_CONTACT_PLANE && !(own->radius_a > own->radius))
        return phx_reader_fail(reader, node, "a body of radius %g does not fit into one of %g", own->radius,
                               own->radius_a);
    return finish_semi_axes(reader, node, own);
}

/* All but its ports; the ratio of its friction is breakaway over kinetic coefficient, 1 if no breakaway is given. */
static void contact_def(const phx_model_force *force, phx_contact_def *def)
{
    const contact *own = force->own;
    const rubbing *friction = &own->friction;

    *def = (phx_contact_def){.name = force->name,
                             .kind = own->against,
                             .radius_a = own->against == PHX_CONTACT_PLANE ? 0.0 : own->radius_a,
                             .radius_b = own->radius,
                             .inside = own->inside,
                             .penalty = {own->stiffness, own->exponent, own->damping},
                             .rigid = own->restitution.given,
                             .restitution = own->restitution.value};
    memcpy(def->semi_axes, own->semi_axes, sizeof def->semi_axes);
    memcpy(def->axis, own->against == PHX_CONTACT_PLANE ? own->normal : own->axis, sizeof def->axis);
    if (friction->given)
        def->friction = (phx_friction){.kinetic = friction->coefficient,
                                       .ratio = friction->breakaway.given && friction->coefficient > 0.0
                                                    ? friction->breakaway.value / friction->coefficient
                                                    : 1.0,
                                       .stribeck = friction->stribeck,
                                       .regularised = friction->regularised};
}

static phx_status force_contact_build(phx_builder *builder, const phx_model_force *force, const phx_port_id *ports)
{
    phx_contact_def def;

    contact_def(force, &def);
    def.a = ports[0];
    def.b = ports[1];
    return phx_system_add_contact(builder->system, &def);
}

const phx_force_row phx_force_row_contact = {.info = {.name = "contact",
                                                      .doc = "a sphere or point B against a plane, sphere or cylinder "
                                                             "A, or an ellipsoid B against a plane, by penalty with "
                                                             "friction, or rigid",
                                                      .least_ports = 2,
                                                      .most_ports = 2},
                                             .keys = KEYS(keys),
                                             .own_size = sizeof(contact),
                                             .finish = force_contact_finish,
                                             .contact = contact_def,
                                             .build = force_contact_build};
