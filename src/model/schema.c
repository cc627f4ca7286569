/* Every key of a model file: the reader, the key table of the documentation and the JSON Schema work from these tables.
 * Rows stand in the order in which they are read: what others refer to comes first. */
#include "schema_parts.h"
#include "segments.h"

/* ---- ranges ---- */
static const phx_range poisson_range = {"a number greater than -1 and at most 0.5", -1.0, 0.5, .above_low = true};
static const phx_range version_range = {"1, the version of this format", .integer = true, .only = {1, 1}};
static const phx_range dimension_range = {"2 (plane) or 3 (space)", .integer = true, .only = {2, 3}};

/* ---- words, in the order of the enums ---- */
const phx_word phx_words_section[] = {WORD("circle", PHX_BOTH), WORD("tube", PHX_BOTH), WORD("rectangle", PHX_BOTH),
                                      WORD("general", PHX_BOTH), WORD(NULL, 0)};
const phx_word phx_words_load[] = {WORD("force", PHX_BOTH),
                                   WORD("torque", PHX_BOTH),
                                   WORD("distributed", PHX_BOTH),
                                   WORD("pressure", PHX_SPACE),
                                   WORD("traction", PHX_SPACE),
                                   WORD("temperature", PHX_SPACE),
                                   WORD(NULL, 0)};
#define QUANTITY_WORD(NAME, name, dims) WORD(#name, PHX_##dims),
const phx_word phx_words_quantity[] = {PHX_QUANTITY_LIST(QUANTITY_WORD) WORD(NULL, 0)};
#undef QUANTITY_WORD
#define INTEGRATOR_WORD(NAME, name) WORD(#name, PHX_BOTH),
const phx_word phx_words_integrator[] = {WORD("auto", PHX_BOTH), PHX_INTEGRATOR_LIST(INTEGRATOR_WORD) WORD(NULL, 0)};
#undef INTEGRATOR_WORD
static const phx_word words_side[] = {WORD("A", PHX_BOTH), WORD("B", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_frame[] = {WORD("inertial", PHX_BOTH), WORD("body", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_deformation[] = {WORD("zero", PHX_BOTH), WORD("quasi_static", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_modes_at[] = {WORD("start", PHX_BOTH), WORD("steady", PHX_BOTH), WORD("static", PHX_BOTH),
                                          WORD("initial", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_rotation[] = {WORD("axis", PHX_SPACE), WORD("quaternion", PHX_SPACE),
                                          WORD("matrix", PHX_SPACE), WORD(NULL, 0)};
static const phx_word words_table[] = {WORD("times", PHX_BOTH), WORD("file", PHX_BOTH), WORD("ramp", PHX_BOTH),
                                       WORD("trapezoidal", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_interpolation[] = {WORD("linear", PHX_BOTH), WORD("spline", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_ends[] = {WORD("smooth", PHX_BOTH), WORD("rest", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_sweep[] = {WORD("from", PHX_BOTH), WORD("values", PHX_BOTH), WORD(NULL, 0)};

/* ---- small objects ---- */
static const phx_key plane_rotation_keys[] = {
    {"angle", &phx_type_number, AT(phx_rotation_form, angle), .required = true, .dims = PHX_PLANE, .unit = "rad",
     .doc = "counterclockwise"},
};
const phx_object phx_schema_plane_rotation = {
    "rotation in the plane", "In the plane a rotation is a number or this map.",
    TABLE(phx_rotation_form, plane_rotation_keys), .finish = phx_finish_rotation};

static const phx_key rotation_keys[] = {
    {"axis", &phx_type_direction, AT(phx_rotation_form, axis), .required = true, .dims = PHX_SPACE, .kinds = BIT(0),
     .doc = "axis of the rotation, any length"},
    {"angle", &phx_type_number, AT(phx_rotation_form, angle), .required = true, .dims = PHX_SPACE, .kinds = BIT(0),
     .unit = "rad", .doc = "about the axis"},
    {"quaternion", &phx_type_quaternion, AT(phx_rotation_form, quaternion), .required = true, .dims = PHX_SPACE,
     .kinds = BIT(1), .doc = "[w, x, y, z], made a unit quaternion"},
    {"matrix", &phx_type_matrix, AT(phx_rotation_form, matrix), .required = true, .dims = PHX_SPACE, .kinds = BIT(2),
     .doc = "3 rows; takes body (or port) components to those of the frame it is given in"},
};
const phx_object phx_schema_rotation = {"rotation", "One of three forms.", TABLE(phx_rotation_form, rotation_keys),
                                        KINDS(PHX_KIND_PRESENT, words_rotation, phx_rotation_form),
                                        .finish = phx_finish_rotation};

static const phx_key table_keys[] = {
    {"times", &phx_type_times, AT(phx_table_form, times), .required = true, .kinds = BIT(0), .unit = "s",
     .object = &phx_schema_equal_times, .count_offset = AT(phx_table_form, n_times), .doc = "strictly increasing"},
    {"values", &phx_type_numbers, AT(phx_table_form, values), .required = true, .kinds = BIT(0),
     .count_offset = AT(phx_table_form, n_values), .doc = "one for each time; constant outside"},
    {"file", &phx_type_path, AT(phx_table_form, file), .required = true, .kinds = BIT(1),
     .doc = "CSV file with a line of names; its first column is time; relative to the model file"},
    {"column", &phx_type_column, AT(phx_table_form, column), .required = true, .kinds = BIT(1),
     .doc = "name of the column with the values"},
    {"interpolation", &phx_type_word, AT(phx_table_form, spline), .kinds = BIT(0) | BIT(1),
     .words = words_interpolation, .fallback = "linear",
     .doc = "between the points; spline: cubic, twice continuously differentiable"},
    {"ends", &phx_type_word, AT(phx_table_form, rest), .kinds = BIT(0) | BIT(1), .words = words_ends,
     .fallback = "smooth", .doc = "of a spline: as its cubics go on, or at rest, with rate zero"},
    {"ramp", &phx_type_numbers, AT(phx_table_form, times), .required = true, .kinds = BIT(2), .unit = "s",
     .count_offset = AT(phx_table_form, n_times),
     .doc = "[begin, end] of x^3 (10 - 15 x + 6 x^2), twice continuously differentiable"},
    {"trapezoidal", &phx_type_numbers, AT(phx_table_form, times), .required = true, .kinds = BIT(3), .unit = "s",
     .count_offset = AT(phx_table_form, n_times), .doc = "[begin, end]; the rate rises evenly, is held, and falls"},
    {"from", &phx_type_number, AT(phx_table_form, from), .kinds = BIT(2) | BIT(3), .fallback = "0",
     .doc = "value until the begin"},
    {"to", &phx_type_number, AT(phx_table_form, to), .required = true, .kinds = BIT(2) | BIT(3),
     .doc = "value from the end on"},
    {"rise", &phx_type_number, AT(phx_table_form, rise), .required = true, .kinds = BIT(3), .unit = "s",
     .range = &positive, .doc = "time in which the rate rises"},
    {"fall", &phx_type_optional, AT(phx_table_form, fall), .kinds = BIT(3), .unit = "s", .range = &positive,
     .fallback = "rise", .doc = "time in which it falls"},
};
const phx_object phx_schema_table = {"table of a signal",
                                     "A signal is an expression of t, one of these two tables, or a profile.",
                                     TABLE(phx_table_form, table_keys),
                                     KINDS(PHX_KIND_PRESENT, words_table, phx_table_form), .finish = phx_finish_table};

#define ORTHOTROPIC(field) AT(phx_model_orthotropic, field)
static const phx_key orthotropic_keys[] = {
    {"young", &phx_type_three, ORTHOTROPIC(young), .required = true, .unit = "Pa", .range = &positive,
     .doc = "E1, E2, E3"},
    {"poisson", &phx_type_three, ORTHOTROPIC(poisson), .required = true,
     .doc = "nu12, nu23, nu13; nu12: contraction along 2 by tension along 1"},
    {"shear", &phx_type_three, ORTHOTROPIC(shear), .required = true, .unit = "Pa", .range = &positive,
     .doc = "G12, G23, G13"},
    {"expansion", &phx_type_three, ORTHOTROPIC(expansion), .unit = "1/K", .fallback = "zero",
     .doc = "thermal expansion along the axes"},
};
static const phx_object orthotropic = {
    "orthotropic material",
    "Axes 1, 2, 3 are x, y, z of a solid; in a layer of a plate 1 lies at its angle from x, 3 along z.",
    TABLE(phx_model_orthotropic, orthotropic_keys)};

static const phx_key material_keys[] = {
    {"density", &phx_type_number, AT(phx_model_material, density), .required = true, .unit = "kg/m^3",
     .range = &positive, .doc = "mass density"},
    {"young", &phx_type_number, AT(phx_model_material, young), .unit = "Pa", .range = &positive,
     .fallback = "none: orthotropic", .doc = "Young's modulus"},
    {"poisson", &phx_type_optional, AT(phx_model_material, poisson), .range = &poisson_range, .fallback = "none",
     .doc = "Poisson's ratio, needed where torsion is"},
    {"orthotropic", &phx_type_given, AT(phx_model_material, orthotropic), .object = &orthotropic, .dims = PHX_SPACE,
     .fallback = "isotropic", .doc = "instead of young and poisson, for plates and solids"},
    {"expansion", &phx_type_optional, AT(phx_model_material, expansion), .unit = "1/K", .fallback = "none",
     .doc = "thermal expansion, the same in all directions"},
};
static const phx_object material = {"material", "Linear elastic.", TABLE(phx_model_material, material_keys),
                                    .finish = phx_finish_material};

/* ---- ports ---- */
static const phx_key port_keys[] = {
    {"position", &phx_type_vector, AT(phx_model_port, position), .unit = "m", .fallback = "zero",
     .doc = "place, in body (ground: inertial) components"},
    {"rotation", &phx_type_rotation, AT(phx_model_port, rotation), .fallback = "none", .object = &phx_schema_rotation,
     .doc = "takes port components to body (ground: inertial) components"},
    {"angle", &phx_type_angle, AT(phx_model_port, rotation), .dims = PHX_PLANE, .unit = "rad", .fallback = "0",
     .doc = "the same as rotation, in the plane"},
};
const phx_object phx_schema_port = {"port", "Of a rigid body or the ground.", TABLE(phx_model_port, port_keys),
                                    .finish = phx_finish_port};

static const phx_key ground_keys[] = {
    {"ports", &phx_type_ports, AT(phx_model, ground_ports), .object = &phx_schema_port, .fallback = "O",
     .count_offset = AT(phx_model, n_ground_ports), .doc = "named ports; O at the origin exists without being named"},
    {"shape", &phx_type_some, AT(phx_model, ground_visuals), .object = &phx_schema_visual, .fallback = "none",
     .count_offset = AT(phx_model, n_ground_visuals), .doc = "appearance in pictures; no result depends on it"},
};
static const phx_object ground = {"ground", "What does not move. Its ports are named `ground.PORT`.",
                                  TABLE(char, ground_keys)};

/* ---- bodies ---- */
static const phx_key pose_keys[] = {
    {"position", &phx_type_vector, AT(phx_model_pose, position), .unit = "m", .fallback = "zero",
     .doc = "of the body frame's origin, inertial components"},
    {"angle", &phx_type_angle, AT(phx_model_pose, rotation), .dims = PHX_PLANE, .unit = "rad", .fallback = "0",
     .doc = "of the body frame, counterclockwise"},
    {"rotation", &phx_type_rotation, AT(phx_model_pose, rotation), .dims = PHX_SPACE, .object = &phx_schema_rotation,
     .fallback = "none", .doc = "takes body to inertial components"},
    {"guess", &phx_type_boolean, AT(phx_model_pose, guess), .fallback = "false",
     .doc = "true: where the assembly begins; that it moves the body is not told"},
};
static const phx_object pose = {"pose", "Where a body is; the assembly closes the joints by the least change of all.",
                                TABLE(phx_model_pose, pose_keys), .finish = phx_finish_pose};

static const phx_key velocity_keys[] = {
    {"linear", &phx_type_vector, AT(phx_model_velocity, linear), .unit = "m/s", .fallback = "zero",
     .doc = "of the body frame's origin, inertial components"},
    {"angular", &phx_type_turn, AT(phx_model_velocity, angular), .unit = "rad/s", .fallback = "zero",
     .doc = "of the body frame, inertial components"},
};
static const phx_object velocity = {"velocity", "At the start, before the joints correct it.",
                                    TABLE(phx_model_velocity, velocity_keys)};

static const phx_key point_mass_keys[] = {
    {"at", &phx_type_own_port, AT(phx_model_point_mass, at), .required = true,
     .doc = "name of a port of this body, or @s, a point of it"},
    {"mass", &phx_type_number, AT(phx_model_point_mass, mass), .required = true, .unit = "kg", .range = &not_negative,
     .doc = "mass"},
    {"inertia", &phx_type_inertia, AT(phx_model_point_mass, inertia), .unit = "kg m^2", .range = &not_negative,
     .fallback = "0", .doc = "about the point, body axes"},
};
static const phx_object point_mass = {"point mass", "", TABLE(phx_model_point_mass, point_mass_keys)};

static const phx_key damping_keys[] = {
    {"mass", &phx_type_number, AT(phx_model_damping, mass), .unit = "1/s", .range = &not_negative, .fallback = "0",
     .doc = "alpha in alpha M + beta K"},
    {"stiffness", &phx_type_number, AT(phx_model_damping, stiffness), .unit = "s", .range = &not_negative,
     .fallback = "0", .doc = "beta in alpha M + beta K"},
    {"modal", &phx_type_optional, AT(phx_model_damping, modal), .range = &not_negative, .fallback = "none",
     .doc = "ratio of critical damping of every mode; instead of the other two"},
};
static const phx_object damping = {"damping", "Acts on the rate of deformation only.",
                                   TABLE(phx_model_damping, damping_keys), .finish = phx_finish_damping};

typedef struct section_alone {
    phx_model_section shape;
} section_alone;
static const phx_key section_keys[] = {
    {"kind", &phx_type_kind, AT(phx_model_section, kind), .required = true, .words = phx_words_section,
     .doc = "shape of the section"},
    PHX_SECTION_SHAPES(section_alone, shape),
    {"area", &phx_type_number, AT(phx_model_section, area), .required = true, .kinds = BIT(PHX_MODEL_GENERAL),
     .unit = "m^2", .range = &positive, .doc = "area"},
    {"inertia", &phx_type_number, AT(phx_model_section, inertia[1]), .required = true, .dims = PHX_PLANE,
     .kinds = BIT(PHX_MODEL_GENERAL), .unit = "m^4", .range = &positive, .doc = "second moment about z"},
    {"inertia", &phx_type_pair, AT(phx_model_section, inertia), .required = true, .dims = PHX_SPACE,
     .kinds = BIT(PHX_MODEL_GENERAL), .unit = "m^4", .range = &positive, .doc = "second moments [Iy, Iz]"},
    {"torsion", &phx_type_number, AT(phx_model_section, torsion), .required = true, .dims = PHX_SPACE,
     .kinds = BIT(PHX_MODEL_GENERAL), .unit = "m^4", .range = &positive, .doc = "torsion constant"},
};
const phx_object phx_schema_section = {"section", "Cross-section of a beam.", TABLE(phx_model_section, section_keys),
                                       KINDS(PHX_KIND_KEY, phx_words_section, phx_model_section),
                                       .finish = phx_finish_section};

static const phx_key body_keys[] = {
    {"kind", &phx_type_kind, AT(phx_model_body, kind), .required = true, .words = phx_words_body, .doc = "what it is"},
    {"pose", &phx_type_object, AT(phx_model_body, pose), .object = &pose, .fallback = "at the origin",
     .doc = "first guess of where the body frame is"},
    {"velocity", &phx_type_object, AT(phx_model_body, velocity), .object = &velocity, .fallback = "zero",
     .doc = "velocity at the start"},
    {"mass", &phx_type_number, AT(phx_model_body, mass), .required = true, .traits = PHX_BODY_MASS, .unit = "kg",
     .range = &positive, .doc = "mass"},
    {"inertia", &phx_type_inertia, AT(phx_model_body, inertia), .required = true, .traits = PHX_BODY_MASS,
     .unit = "kg m^2", .range = &not_negative, .doc = "about the centre of mass, body axes"},
    {"centre_of_mass", &phx_type_vector, AT(phx_model_body, centre_of_mass), .traits = PHX_BODY_MASS, .unit = "m",
     .fallback = "zero", .doc = "in body axes"},
    {"material", &phx_type_material, AT(phx_model_body, material), .required = true, .traits = PHX_BODY_MATERIAL,
     .doc = "name under materials"},
    {.name = NULL}, /* those of each kind: body_kinds.h */
    {"point_masses", &phx_type_list, AT(phx_model_body, point_masses), .object = &point_mass, .fallback = "none",
     .count_offset = AT(phx_model_body, n_point_masses), .doc = "masses at ports"},
    {"damping", &phx_type_object, AT(phx_model_body, damping), .traits = PHX_BODY_DAMPING, .object = &damping,
     .fallback = "none", .doc = "damping of the deformation"},
    {"rigid", &phx_type_boolean, AT(phx_model_body, rigid), .traits = PHX_BODY_HELD, .fallback = "false",
     .doc = "true: its deformation is held; mass, inertia, ports and mesh are those of the body"},
    {"shape", &phx_type_some, AT(phx_model_body, visuals), .object = &phx_schema_visual, .fallback = "from the physics",
     .count_offset = AT(phx_model_body, n_visuals),
     .doc = "appearance in pictures, follows the deformation; no result depends on it"},
};
static const phx_object body = {"body",
                                "",
                                TABLE(phx_model_body, body_keys),
                                KINDS(PHX_KIND_KEY, phx_words_body, phx_model_body),
                                .own_offset = AT(phx_model_body, own),
                                .of_kind = phx_body_keys,
                                .begin = phx_begin_body,
                                .finish = phx_finish_body,
                                .tables = phx_body_tables};

/* ---- laws ---- */
static const phx_word words_law[] = {WORD("expression", PHX_BOTH), WORD("x", PHX_BOTH), WORD("gas", PHX_BOTH),
                                     WORD(NULL, 0)};
static const phx_key law_keys[] = {
    {"expression", &phx_type_stroke_function, AT(phx_model_law, f), .required = true, .kinds = BIT(0), .unit = "N, N m",
     .doc = "force against the stroke x, m (rad); taken to 1e-10 between the ends of `range`"},
    {"range", &phx_type_pair, AT(phx_model_law, range), .required = true, .kinds = BIT(0), .unit = "m, rad",
     .doc = "where the expression is needed; beyond, it goes on with its last slopes"},
    {"x", &phx_type_numbers, AT(phx_model_law, arguments), .required = true, .kinds = BIT(1), .unit = "m, rad",
     .count_offset = AT(phx_model_law, n_arguments), .doc = "strokes, strictly increasing"},
    {"f", &phx_type_numbers, AT(phx_model_law, values), .required = true, .kinds = BIT(1), .unit = "N, N m",
     .count_offset = AT(phx_model_law, n_values),
     .doc = "force against each; linear between, beyond the ends with the last slopes"},
    {"gas", &phx_type_number, AT(phx_model_law, force), .required = true, .kinds = BIT(2), .unit = "N",
     .range = &positive, .doc = "gas spring: what it pushes with at x = 0, gas (length/(length + x))^exponent"},
    {"length", &phx_type_number, AT(phx_model_law, length), .required = true, .kinds = BIT(2), .unit = "m",
     .range = &positive, .doc = "volume of the gas over the area of the piston at x = 0"},
    {"exponent", &phx_type_number, AT(phx_model_law, exponent), .kinds = BIT(2), .range = &positive, .fallback = "1.3",
     .doc = "of the polytrope: 1 isothermal, 1.4 adiabatic air"},
};
const phx_object phx_schema_law = {"law", "What a spring pulls with over its stroke, in one of three forms.",
                                   TABLE(phx_model_law, law_keys), KINDS(PHX_KIND_PRESENT, words_law, phx_model_law),
                                   .finish = phx_finish_law};

static const phx_word words_damper[] = {WORD("expression", PHX_BOTH), WORD("v", PHX_BOTH), WORD(NULL, 0)};
static const phx_key damper_keys[] = {
    {"expression", &phx_type_rate_function, AT(phx_model_law, f), .required = true, .kinds = BIT(0), .unit = "N, N m",
     .doc = "force against the rate v, m/s (rad/s); f(v) v must not be negative"},
    {"v", &phx_type_numbers, AT(phx_model_law, arguments), .required = true, .kinds = BIT(1), .unit = "m/s, rad/s",
     .count_offset = AT(phx_model_law, n_arguments), .doc = "rates, strictly increasing"},
    {"f", &phx_type_numbers, AT(phx_model_law, values), .required = true, .kinds = BIT(1), .unit = "N, N m",
     .count_offset = AT(phx_model_law, n_values),
     .doc = "force against each; linear between, constant beyond the ends"},
};
const phx_object phx_schema_damper = {
    "damper", "What a damper pulls with at its rate, in one of two forms.", TABLE(phx_model_law, damper_keys),
    KINDS(PHX_KIND_PRESENT, words_damper, phx_model_law), .finish = phx_finish_damper};

static const phx_key motor_keys[] = {
    {"expression", &phx_type_rate_function, AT(phx_model_law, f), .required = true, .kinds = BIT(0), .unit = "N, N m",
     .doc = "effort along the coordinate at its rate v: `min(200, 5e3/max(v, 1))` has 5 kW from 25 rad/s on"},
    {"v", &phx_type_numbers, AT(phx_model_law, arguments), .required = true, .kinds = BIT(1), .unit = "m/s, rad/s",
     .count_offset = AT(phx_model_law, n_arguments), .doc = "rates, strictly increasing"},
    {"f", &phx_type_numbers, AT(phx_model_law, values), .required = true, .kinds = BIT(1), .unit = "N, N m",
     .count_offset = AT(phx_model_law, n_values), .doc = "effort at each; linear between, constant beyond the ends"},
};
static const phx_object motor = {"motor", "The characteristic of a motor: its effort over its rate.",
                                 TABLE(phx_model_law, motor_keys), KINDS(PHX_KIND_PRESENT, words_damper, phx_model_law),
                                 .finish = phx_finish_damper};

static const phx_key stops_keys[] = {
    {"lower", &phx_type_optional, AT(phx_model_stops, lower), .unit = "m, rad", .fallback = "none",
     .doc = "least value of the coordinate"},
    {"upper", &phx_type_optional, AT(phx_model_stops, upper), .unit = "m, rad", .fallback = "none",
     .doc = "largest value of the coordinate"},
    {"stiffness", &phx_type_number, AT(phx_model_stops, stiffness), .required = true, .unit = "N/m^p, N m/rad^p",
     .range = &positive, .doc = "force stiffness d^p (1 + damping d') beyond a stop by d"},
    {"exponent", &phx_type_number, AT(phx_model_stops, exponent), .fallback = "1", .doc = "p, 1 or 1.5"},
    {"damping", &phx_type_number, AT(phx_model_stops, damping), .unit = "s/m, s/rad", .range = &not_negative,
     .fallback = "0", .doc = "Hunt and Crossley's; a stop never pulls"},
};
static const phx_object stops = {"stops", "End stops of a coordinate.", TABLE(phx_model_stops, stops_keys),
                                 .finish = phx_finish_stops};

static const phx_key friction_keys[] = {
    {"force", &phx_type_number, AT(phx_model_friction, force), .unit = "N, N m", .range = &not_negative,
     .fallback = "0", .doc = "Coulomb's, against the rate v"},
    {"coefficient", &phx_type_number, AT(phx_model_friction, coefficient), .range = &not_negative, .fallback = "0",
     .doc = "and this times the size of the force that the joint carries"},
    {"radius", &phx_type_number, AT(phx_model_friction, radius), .unit = "m", .range = &not_negative, .fallback = "1",
     .doc = "times this: of the pin, where the coordinate is an angle"},
    {"static", &phx_type_optional, AT(phx_model_friction, breakaway), .unit = "N, N m", .fallback = "force",
     .doc = "at v = 0, from where it falls to force with exp(-(v/stribeck)^2)"},
    {"ratio", &phx_type_optional, AT(phx_model_friction, ratio), .fallback = "1",
     .doc = "in place of static: static over kinetic friction, also of that by the coefficient"},
    {"stribeck", &phx_type_number, AT(phx_model_friction, stribeck), .unit = "m/s, rad/s", .range = &not_negative,
     .fallback = "0", .doc = "rate at which it falls; 0 (not regularised): as soon as it slips"},
    {"regularised", &phx_type_number, AT(phx_model_friction, regularised), .unit = "m/s, rad/s", .range = &not_negative,
     .fallback = "0",
     .doc = "rate vr of tanh(v/vr) in place of the sign of v: under a load it creeps about as fast; 0: set-valued, it "
            "holds where v = 0"},
};
static const phx_object friction = {"friction", "Dry friction.", TABLE(phx_model_friction, friction_keys),
                                    .finish = phx_finish_friction};

/* ---- joints, springs, loads ---- */
#define FREE              (PHX_JOINT_FREE_ANGLES | PHX_JOINT_FREE_DISPLACEMENTS)
#define COORDINATE(field) AT(phx_model_coordinate, field), .own = true
static const phx_key joint_keys[] = {
    {"kind", &phx_type_kind, AT(phx_model_joint, kind), .required = true, .words = phx_words_joint,
     .doc = "what it leaves free"},
    {"ports", &phx_type_port_pair, AT(phx_model_joint, ports), .required = true, .doc = "B moves relative to A"},
    {"active", &phx_type_boolean, AT(phx_model_joint, active), .fallback = "true",
     .doc = "false: holds and drives nothing, until a program switches it on"},
    {"axis", &phx_type_direction, AT(phx_model_joint, axis), .required = true, .traits = PHX_JOINT_TRANSLATION_AXIS,
     .doc = "direction of the displacement, in A's directions"},
    {"axis", &phx_type_direction, AT(phx_model_joint, axis), .required = true, .dims = PHX_SPACE,
     .traits = PHX_JOINT_ROTATION_AXIS, .doc = "of the rotation, in A's directions"},
    {"axis_b", &phx_type_direction_b, AT(phx_model_joint, axis_b), .traits = PHX_JOINT_TRANSLATION_AXIS_B,
     .fallback = "as the poses have it", .doc = "the direction in B that coincides with axis"},
    {"axis_b", &phx_type_direction_b, AT(phx_model_joint, axis_b), .dims = PHX_SPACE,
     .traits = PHX_JOINT_ROTATION_AXIS_B, .fallback = "as the poses have it",
     .doc = "the direction in B that coincides with axis"},
    {"axes", &phx_type_directions, AT(phx_model_joint, axis), .required = true, .dims = PHX_SPACE,
     .traits = PHX_JOINT_AXES, .doc = "[a, b], a in A's and b in B's directions"},
    {"normal", &phx_type_direction, AT(phx_model_joint, axis), .required = true, .dims = PHX_SPACE,
     .traits = PHX_JOINT_NORMAL, .doc = "of the plane, in A's directions"},
    {"angle", &phx_type_angle, AT(phx_model_joint, relative), .dims = PHX_PLANE, .traits = PHX_JOINT_RELATIVE,
     .unit = "rad", .fallback = "as the poses have it", .doc = "relative rotation that is held"},
    {"rotation", &phx_type_rotation, AT(phx_model_joint, relative), .dims = PHX_SPACE, .traits = PHX_JOINT_RELATIVE,
     .object = &phx_schema_rotation, .fallback = "as the poses have it",
     .doc = "relative rotation that is held, B to A"},
    {"angle", &phx_type_start_angle, COORDINATE(start), .traits = PHX_JOINT_FREE_ANGLES, .unit = "rad",
     .fallback = "free",
     .doc = "value at the start, held by the assembly, beyond pi too; free: that of the poses in (-pi, pi]"},
    {"position", &phx_type_start_position, COORDINATE(start), .traits = PHX_JOINT_FREE_DISPLACEMENTS, .unit = "m",
     .fallback = "free", .doc = "displacement at the start, held by the assembly"},
    {"rate", &phx_type_coordinate_rate, COORDINATE(rate), .traits = FREE, .unit = "rad/s, m/s", .fallback = "free",
     .doc = "rate at the start"},
    {"speed", &phx_type_coordinate_signal, COORDINATE(speed), .traits = FREE, .unit = "rad/s, m/s",
     .fallback = "not driven", .doc = "prescribed rate"},
    {"motion", &phx_type_coordinate_signal, COORDINATE(motion), .traits = FREE, .unit = "rad, m",
     .fallback = "not driven",
     .doc = "prescribed value, from the start on; not with angle, position, rate or speed of the same coordinate"},
    {"stiffness", &phx_type_coordinate_number, COORDINATE(stiffness), .traits = FREE, .unit = "N m/rad, N/m",
     .range = &not_negative, .fallback = "0", .doc = "spring along the coordinate"},
    {"damping", &phx_type_coordinate_number, COORDINATE(damping), .traits = FREE, .unit = "N m s/rad, N s/m",
     .range = &not_negative, .fallback = "0", .doc = "damper along the coordinate"},
    {"rest", &phx_type_coordinate_number, COORDINATE(rest), .traits = FREE, .unit = "rad, m", .fallback = "0",
     .doc = "coordinate at which the spring is free"},
    {"rotor_inertia", &phx_type_coordinate_number, COORDINATE(rotor_inertia), .traits = FREE, .unit = "kg m^2",
     .range = &not_negative, .fallback = "0",
     .doc =
         "of a rotor that it turns without slip, about its own axis; it is felt times gear_ratio^2, and adds no mass"},
    {"gear_ratio", &phx_type_coordinate_number, COORDINATE(gear_ratio), .traits = FREE, .unit = "1, rad/m",
     .range = &positive, .fallback = "1",
     .doc = "turn of the rotor for 1 rad or 1 m of the coordinate; 1: rotor_inertia is in kg m^2 or kg at the joint"},
    {"effort", &phx_type_coordinate_signal, COORDINATE(effort), .traits = FREE, .unit = "N m, N", .fallback = "none",
     .doc = "of an actuator, on B along the coordinate and opposite on A"},
    {"law", &phx_type_coordinate_object, COORDINATE(law), .traits = FREE, .object = &phx_schema_law, .fallback = "none",
     .doc = "spring along the coordinate by a law of x = coordinate - rest"},
    {"damper", &phx_type_coordinate_object, COORDINATE(damper), .traits = FREE, .object = &phx_schema_damper,
     .fallback = "none", .doc = "damper along the coordinate by a law of its rate"},
    {"motor", &phx_type_coordinate_object, COORDINATE(motor), .traits = FREE, .object = &motor, .fallback = "none",
     .doc = "motor along the coordinate by its effort over its rate"},
    {"stops", &phx_type_coordinate_object, COORDINATE(stops), .traits = FREE, .object = &stops, .fallback = "none",
     .doc = "end stops of the coordinate"},
    {"friction", &phx_type_coordinate_object, COORDINATE(friction), .traits = FREE, .object = &friction,
     .fallback = "none", .doc = "dry friction along the coordinate"},
};
static const phx_object joint = {
    "joint",
    "Keys of a free coordinate take a list where there are several, in the order of the table "
    "below; `null` leaves one out.",
    TABLE(phx_model_joint, joint_keys),
    KINDS(PHX_KIND_KEY, phx_words_joint, phx_model_joint),
    .own_offset = AT(phx_model_joint, coordinates),
    .begin = phx_begin_joint,
    .finish = phx_finish_joint,
    .tables = phx_joint_tables};

static const phx_key spring_keys[] = {
    {"ports", &phx_type_port_pair, AT(phx_model_spring, ports), .required = true, .doc = "its two ends"},
    {"active", &phx_type_boolean, AT(phx_model_spring, active), .fallback = "true",
     .doc = "false: does not act, until an event or a program switches it on"},
    {"stiffness", &phx_type_number, AT(phx_model_spring, stiffness), .unit = "N/m", .range = &not_negative,
     .fallback = "0", .doc = "stiffness"},
    {"damping", &phx_type_number, AT(phx_model_spring, damping), .unit = "N s/m", .range = &not_negative,
     .fallback = "0", .doc = "damping"},
    {"length", &phx_type_number, AT(phx_model_spring, length), .unit = "m", .range = &not_negative, .fallback = "0",
     .doc = "length without force"},
    {"force", &phx_type_signal, AT(phx_model_spring, force), .unit = "N", .fallback = "none",
     .doc = "of an actuator, pushes the ports apart"},
    {"law", &phx_type_given, AT(phx_model_spring, law), .object = &phx_schema_law, .fallback = "none",
     .doc = "by the stroke x = distance - length; positive pulls the ports together"},
    {"damper", &phx_type_given, AT(phx_model_spring, damper), .object = &phx_schema_damper, .fallback = "none",
     .doc = "by the rate v at which the ports move apart"},
};
static const phx_object spring = {"spring", "Along the line between two ports.", TABLE(phx_model_spring, spring_keys),
                                  .finish = phx_finish_spring};

static const phx_key force_keys[] = {
    {"kind", &phx_type_kind, AT(phx_model_force, kind), .required = true, .words = phx_words_force,
     .doc = "what it is"},
    {"ports", &phx_type_points, AT(phx_model_force, ports), .required = true,
     .kinds = ~(BIT(PHX_MODEL_COUPLING) | BIT(PHX_MODEL_WIND)), .count_offset = AT(phx_model_force, n_ports),
     .doc = "the points it acts on, A and B first"},
    {.name = NULL}, /* those of each kind: force_kinds.h */
    {"active", &phx_type_boolean, AT(phx_model_force, active), .fallback = "true",
     .doc = "false: does not act, until an event or a program switches it on"},
};
static const phx_object force = {"force element",
                                 "What acts between points or along joints.",
                                 TABLE(phx_model_force, force_keys),
                                 KINDS(PHX_KIND_KEY, phx_words_force, phx_model_force),
                                 .own_offset = AT(phx_model_force, own),
                                 .of_kind = phx_force_keys,
                                 .begin = phx_begin_force,
                                 .finish = phx_finish_force,
                                 .tables = phx_force_tables};

#define FORCE       BIT(PHX_MODEL_FORCE)
#define TORQUE      BIT(PHX_MODEL_TORQUE)
#define DISTRIBUTED BIT(PHX_MODEL_DISTRIBUTED)
#define PRESSURE    BIT(PHX_MODEL_PRESSURE)
#define TRACTION    BIT(PHX_MODEL_TRACTION)
#define TEMPERATURE BIT(PHX_MODEL_TEMPERATURE)
static const phx_key load_keys[] = {
    {"force", &phx_type_force, AT(phx_model_load, component), .required = true, .kinds = FORCE, .unit = "N",
     .doc = "components"},
    {"torque", &phx_type_torque, AT(phx_model_load, component), .required = true, .kinds = TORQUE, .unit = "N m",
     .doc = "torque"},
    {"distributed", &phx_type_distributed, AT(phx_model_load, component), .required = true, .kinds = DISTRIBUTED,
     .unit = "N/m", .doc = "components in body axes, of t and s = x/length"},
    {"at", &phx_type_moving_port, AT(phx_model_load, at), .required = true, .kinds = FORCE | TORQUE,
     .doc = "where it acts"},
    {"pressure", &phx_type_signal, AT(phx_model_load, component[0]), .required = true, .kinds = PRESSURE,
     .unit = "N/m^2", .doc = "pushes against the outward normal of a face, along z on a plate"},
    {"traction", &phx_type_force, AT(phx_model_load, component), .required = true, .kinds = TRACTION, .unit = "N/m^2",
     .doc = "components in body axes; N/m on the edge of a plate"},
    {"temperature", &phx_type_signal, AT(phx_model_load, component[0]), .required = true, .kinds = TEMPERATURE,
     .unit = "K", .doc = "rise over that without stress; the materials have 'expansion'"},
    {"on", &phx_type_meshed_body, AT(phx_model_load, on), .required = true, .kinds = PRESSURE | TRACTION | TEMPERATURE,
     .doc = "the body, which has a mesh: a plate, a solid"},
    {"group", &phx_type_column, AT(phx_model_load, group), .kinds = PRESSURE | TRACTION | TEMPERATURE,
     .fallback = "all of a plate, all cells",
     .doc = "of its mesh: faces; triangles or edges of a plate; for a temperature cells, of a plate triangles"},
    {"profile", &phx_type_profile, AT(phx_model_load, profile), .kinds = PRESSURE | TRACTION | TEMPERATURE,
     .fallback = "1", .doc = "factor over the surface or the cells, an expression of x, y, z in body axes (m)"},
    {"on", &phx_type_long_body, AT(phx_model_load, on), .required = true, .kinds = DISTRIBUTED,
     .doc = "the body, which has sections along a length, as a beam"},
    {"frame", &phx_type_word, AT(phx_model_load, frame), .kinds = FORCE | TORQUE, .words = words_frame,
     .fallback = "inertial", .doc = "body: along the port's own directions"},
    {"active", &phx_type_boolean, AT(phx_model_load, active), .fallback = "true",
     .doc = "false: does not act, until an event or a program switches it on"},
};
static const phx_object load = {"load", "One of three forms.", TABLE(phx_model_load, load_keys),
                                KINDS(PHX_KIND_PRESENT, phx_words_load, phx_model_load), .finish = phx_finish_load};

static const phx_key event_keys[] = {
    {"at", &phx_type_optional, AT(phx_model_event, at), .unit = "s", .fallback = "none", .doc = "time, once"},
    {"output", &phx_type_column, AT(phx_model_event, output), .fallback = "none",
     .doc = "name of an output's column; with rises_to or falls_to, each time"},
    {"rises_to", &phx_type_optional, AT(phx_model_event, rises_to), .fallback = "none",
     .doc = "value that the output comes to from below"},
    {"falls_to", &phx_type_optional, AT(phx_model_event, falls_to), .fallback = "none",
     .doc = "value that it comes to from above"},
    {"attach", &phx_type_channels, AT(phx_model_event, attach), .fallback = "none",
     .count_offset = AT(phx_model_event, n_attach), .doc = "joints that hold and drive from then on, as they are"},
    {"release", &phx_type_channels, AT(phx_model_event, release), .fallback = "none",
     .count_offset = AT(phx_model_event, n_release), .doc = "joints that let go"},
    {"drive_off", &phx_type_channels, AT(phx_model_event, undrive), .fallback = "none",
     .count_offset = AT(phx_model_event, n_undrive), .doc = "joints whose drives stop; they go on holding"},
    {"switch_on", &phx_type_channels, AT(phx_model_event, on), .fallback = "none",
     .count_offset = AT(phx_model_event, n_on), .doc = "springs, forces and loads that act from then on"},
    {"switch_off", &phx_type_channels, AT(phx_model_event, off), .fallback = "none",
     .count_offset = AT(phx_model_event, n_off), .doc = "springs, forces and loads that act no longer"},
};
static const phx_object event = {
    "event", "When, and which joints attach, release or are no longer driven, what is switched on or off.",
    TABLE(phx_model_event, event_keys), .finish = phx_finish_event};

/* ---- start state, outputs, analyses ---- */
static const phx_key initial_keys[] = {
    {"deformation", &phx_type_word, AT(phx_model_initial, deformation), .words = words_deformation, .fallback = "zero",
     .doc = "quasi_static: in equilibrium with the loads of the instant, without ringing"},
    {"equilibrium", &phx_type_boolean, AT(phx_model_initial, equilibrium), .fallback = "false",
     .doc = "true: the whole mechanism in equilibrium at rest, as `phlexor static` finds it; rates are then as given"},
    {"from", &phx_type_path, AT(phx_model_initial, from), .fallback = "none",
     .doc = "result file whose last state is the start; relative to the model file"},
    {"strict", &phx_type_boolean, AT(phx_model_initial, strict), .fallback = "false",
     .doc = "true: poses that the assembly would move by more than their rounding are refused, else a warning"},
};
static const phx_object initial = {"initial", "How the start state is made.", TABLE(phx_model_initial, initial_keys),
                                   .finish = phx_finish_initial};

/* The dimensions of each quantity: DIMS_POSITION and so on. */
#define QUANTITY_DIMS(NAME, name, dims) DIMS_##NAME = PHX_##dims,
enum { PHX_QUANTITY_LIST(QUANTITY_DIMS) };
#undef QUANTITY_DIMS
#define QUANTITY(NAME, word, type, field, description)                                                                 \
    {                                                                                                                  \
        word, &type, AT(phx_model_output, field), .required = true, .dims = DIMS_##NAME,                               \
                                                  .kinds = BIT(PHX_QUANTITY_##NAME), .doc = description                \
    }
static const phx_key output_keys[] = {
    QUANTITY(POSITION, "position", phx_type_port, point, "of a port, m"),
    QUANTITY(VELOCITY, "velocity", phx_type_port, point, "of a port, m/s"),
    QUANTITY(ACCELERATION, "acceleration", phx_type_port, point, "of a port, m/s^2"),
    QUANTITY(ANGLE, "angle", phx_type_port, point, "of a port's directions, rad, without jumps"),
    QUANTITY(ANGULAR_VELOCITY, "angular_velocity", phx_type_port, point, "of a port's directions, rad/s"),
    QUANTITY(ATTITUDE, "attitude", phx_type_port, point, "of a port's directions, quaternion w, x, y, z"),
    QUANTITY(DEFORMATION, "deformation", phx_type_port, point, "elastic displacement of a port, m, in the body frame"),
    QUANTITY(AXIAL_FORCE, "axial_force", phx_type_section, point, "at a point of a beam or rod, N, tension > 0"),
    QUANTITY(BENDING_MOMENT, "bending_moment", phx_type_stressed, point,
             "EI w'' at a point of a beam or rod, N m; of a plate M per length, N m/m"),
    QUANTITY(TORSION, "torsion", phx_type_section, point, "torsion moment at a point of a beam or rod, N m"),
    QUANTITY(
        STRESS, "stress", phx_type_stressed, point,
        "at the extreme fibres of a beam's section, Pa; of a solid, or at both surfaces of a plate, its components"),
    QUANTITY(MEMBRANE_FORCE, "membrane_force", phx_type_stressed, point, "of a plate, N per length, N/m"),
    QUANTITY(SHEAR_FORCE, "shear_force", phx_type_stressed, point,
             "across a rod at a point of it, N; across a plate, Q per length, N/m"),
    QUANTITY(VON_MISES, "von_mises", phx_type_stressed, point,
             "of a solid, or at both surfaces of a plate, Pa; of a body without a point the largest of its nodes"),
    QUANTITY(PRINCIPAL_STRESS, "principal_stress", phx_type_stressed, point,
             "largest and least, likewise; of a body without a point the largest and the least of its nodes"),
    QUANTITY(STRAIN, "strain", phx_type_stressed, point,
             "at a point of a rod, section axes: stretch g1, shears g2, g3, twist k1, curvatures k2, k3, 1/m"),
    QUANTITY(REACTION, "reaction", phx_type_joint, joint,
             "of a joint: what A exerts on B, force then torque about B or `at`, in A's directions"),
    QUANTITY(COORDINATE, "coordinate", phx_type_free_joint, joint, "free coordinates of a joint, rad, m"),
    QUANTITY(RATE, "rate", phx_type_free_joint, joint, "their rates, rad/s, m/s"),
    QUANTITY(EFFORT, "effort", phx_type_free_joint, joint,
             "of all that acts along them: drive, actuator, spring, damper, friction, controllers, N m, N"),
    QUANTITY(EDGE_SHEAR, "edge_shear", phx_type_stressed, point,
             "on an edge of a plate, N/m: q_n - dM_nt/dt, what acts on it along z; of a port the mean over its edges"),
    QUANTITY(EDGE_MOMENT, "edge_moment", phx_type_stressed, point,
             "on an edge of a plate, N m/m: M_nn and the twisting moment M_nt, n outward, t to its left; likewise"),
    QUANTITY(CORNER_FORCE, "corner_force", phx_type_stressed, point,
             "on a corner of a plate, N: what acts on it along z; at a node, a port or a place"),
    QUANTITY(FORCE, "force", phx_type_acting, force,
             "of a spring or force: what it exerts on B, the last of its ports, inertial components, N"),
    {"frame", &phx_type_word, AT(phx_model_output, frame),
     .kinds = BIT(PHX_QUANTITY_POSITION) | BIT(PHX_QUANTITY_VELOCITY) | BIT(PHX_QUANTITY_ACCELERATION) |
              BIT(PHX_QUANTITY_ANGULAR_VELOCITY) | BIT(PHX_QUANTITY_DEFORMATION) | BIT(PHX_QUANTITY_REACTION),
     .words = words_frame, .fallback = "inertial; deformation and reaction: body",
     .doc = "body: the body's axes; of a reaction port A's directions"},
    {"place", &phx_type_place, AT(phx_model_output, place), .dims = PHX_SPACE,
     .kinds = BIT(PHX_QUANTITY_BENDING_MOMENT) | BIT(PHX_QUANTITY_STRESS) | BIT(PHX_QUANTITY_MEMBRANE_FORCE) |
              BIT(PHX_QUANTITY_SHEAR_FORCE) | BIT(PHX_QUANTITY_VON_MISES) | BIT(PHX_QUANTITY_PRINCIPAL_STRESS) |
              BIT(PHX_QUANTITY_EDGE_SHEAR) | BIT(PHX_QUANTITY_EDGE_MOMENT) | BIT(PHX_QUANTITY_CORNER_FORCE),
     .unit = "m", .fallback = "none",
     .doc = "of a body whose name alone stands above, in body axes: of a plate x and y, of a solid x, y, z"},
    {"at", &phx_type_word, AT(phx_model_output, at), .kinds = BIT(PHX_QUANTITY_REACTION), .words = words_side,
     .fallback = "B", .doc = "port whose place the torque is about; the force is what A exerts on B in both cases"},
};
static const phx_object output = {
    "output",
    "One quantity and what it is taken of: a port `body.PORT` or `body@0.25`, a joint, a force, or a body.",
    TABLE(phx_model_output, output_keys),
    .kind_rule = PHX_KIND_PRESENT,
    .kinds = phx_words_quantity,
    .kind_offset = AT(phx_model_output, quantity),
    .begin = phx_begin_output,
    .finish = phx_finish_output};

static const phx_word words_controller[] = {WORD("pid", PHX_BOTH),
                                            WORD("state_space", PHX_BOTH),
                                            WORD("port_hamiltonian", PHX_BOTH),
                                            WORD("expression", PHX_BOTH),
                                            WORD("fmu", PHX_BOTH),
                                            WORD("ida_pbc", PHX_BOTH),
                                            WORD(NULL, 0)};
#define PID    BIT(PHX_MODEL_PID)
#define SS     BIT(PHX_MODEL_STATE_SPACE)
#define PH     BIT(PHX_MODEL_PORT_HAMILTONIAN)
#define STATIC BIT(PHX_MODEL_EXPRESSION)
#define FMU    BIT(PHX_MODEL_FMU)
#define IDA    BIT(PHX_MODEL_IDA_PBC)
#define MATRIX(letter, of, what)                                                                                       \
    {                                                                                                                  \
#letter, &phx_type_array, AT(phx_model_controller, letter), .kinds = of, .fallback = "zero", .doc = what       \
    }
static const phx_word words_shaper[] = {WORD("zv", PHX_BOTH), WORD("zvd", PHX_BOTH), WORD("ei", PHX_BOTH),
                                        WORD(NULL, 0)};
static const phx_range share_range = {"a number from 0 to 0.99", .high = 0.99};
static const phx_key shaper_keys[] = {
    {"kind", &phx_type_word, AT(phx_model_shaper, shaper.kind), .required = true, .words = words_shaper,
     .doc = "two impulses; three, which a wrong frequency disturbs less; three with the widest band"},
    {"frequency", &phx_type_number, AT(phx_model_shaper, shaper.frequency), .required = true, .unit = "Hz",
     .range = &positive, .doc = "of the mode, with the loop closed"},
    {"damping", &phx_type_number, AT(phx_model_shaper, shaper.damping), .range = &share_range, .fallback = "0",
     .doc = "of the mode, a ratio"},
    {"tolerance", &phx_type_number, AT(phx_model_shaper, shaper.tolerance), .range = &share_range, .fallback = "0.05",
     .doc = "ei: residual vibration at the frequency, relative to the motion without a shaper"},
};
static const phx_object shaper = {"shaper", "The references become sums of delayed copies of themselves.",
                                  TABLE(phx_model_shaper, shaper_keys)};
static const phx_range delay_range = {"an integer from 0 to 1000", 0.0, 1000.0, .integer = true};
static const phx_key controller_keys[] = {
    {"kind", &phx_type_kind, AT(phx_model_controller, kind), .required = true, .words = words_controller,
     .doc = "what it is"},
    {"measure", &phx_type_channel, AT(phx_model_controller, measure), .required = true, .kinds = PID,
     .doc = "a joint with one free coordinate, or the name of a measurement"},
    {"rate", &phx_type_channel, AT(phx_model_controller, rate), .kinds = PID,
     .fallback = "that of the joint, or filter", .doc = "measurement of its rate"},
    {"effort", &phx_type_effort, AT(phx_model_controller, outputs), .required = true, .kinds = PID,
     .count_offset = AT(phx_model_controller, n_outputs),
     .doc = "what it acts with: a joint, or the name of an actuation"},
    {"inputs", &phx_type_channels, AT(phx_model_controller, inputs), .required = true, .kinds = SS,
     .count_offset = AT(phx_model_controller, n_inputs), .doc = "measurements"},
    {"outputs", &phx_type_channels, AT(phx_model_controller, outputs), .required = true, .kinds = SS,
     .count_offset = AT(phx_model_controller, n_outputs), .doc = "actuations"},
    {"inputs", &phx_type_fmu_inputs, AT(phx_model_controller, feedback), .kinds = FMU, .fallback = "none",
     .doc = "expression by the name of an input of the FMU, of t and y(NAME), NAME a measurement"},
    {"outputs", &phx_type_fmu_outputs, AT(phx_model_controller, outputs), .required = true, .kinds = FMU,
     .count_offset = AT(phx_model_controller, n_outputs), .doc = "actuation by the name of an output of the FMU"},
    {"parameters", &phx_type_fmu_starts, AT(phx_model_controller, fmu_starts), .kinds = FMU,
     .fallback = "those of the FMU", .count_offset = AT(phx_model_controller, n_fmu_starts),
     .doc = "start value by the name of a parameter, or of another variable of the FMU that has one"},
    {"time_limit", &phx_type_number, AT(phx_model_controller, time_limit), .kinds = FMU, .unit = "s",
     .range = &positive, .fallback = "60", .doc = "the longest that the FMU may take for one call"},
    {"ports", &phx_type_channels, AT(phx_model_controller, outputs), .required = true, .kinds = PH,
     .count_offset = AT(phx_model_controller, n_outputs),
     .doc = "actuations; it measures the flows on which they do work"},
    {"efforts", &phx_type_efforts, AT(phx_model_controller, outputs), .required = true, .kinds = STATIC,
     .count_offset = AT(phx_model_controller, n_outputs),
     .doc = "expression by the name of an actuation, of t and y(NAME), NAME a measurement"},
    {"coordinates", &phx_type_channels, AT(phx_model_controller, coordinates), .required = true, .kinds = IDA,
     .count_offset = AT(phx_model_controller, n_coordinates),
     .doc = "joints with one free coordinate each, q; all that the mechanism can move along"},
    {"actuated", &phx_type_channels, AT(phx_model_controller, outputs), .required = true, .kinds = IDA,
     .count_offset = AT(phx_model_controller, n_outputs), .doc = "those of them along which it acts"},
    {"M", &phx_type_expressions, AT(phx_model_controller, mass), .required = true, .kinds = IDA,
     .doc = "mass matrix of the mechanism over q, expressions of y(JOINT.coordinate)"},
    {"V", &phx_type_expressions, AT(phx_model_controller, potential), .kinds = IDA, .fallback = "zero",
     .doc = "its potential energy, the same"},
    {"M_d", &phx_type_expressions, AT(phx_model_controller, desired_mass), .required = true, .kinds = IDA,
     .doc = "mass matrix of the closed loop, the same"},
    {"V_d", &phx_type_expressions, AT(phx_model_controller, desired_potential), .required = true, .kinds = IDA,
     .doc = "potential energy of the closed loop, the same"},
    {"J_2", &phx_type_expressions, AT(phx_model_controller, gyroscopic), .kinds = IDA, .fallback = "zero",
     .doc = "skew, of y(JOINT.coordinate) and y(JOINT.rate)"},
    {"K_v", &phx_type_array, AT(phx_model_controller, K_v), .kinds = IDA, .fallback = "zero",
     .doc = "damping injected along the actuated coordinates, by the rates of the closed loop"},
    {"region", &phx_type_limits, AT(phx_model_controller, region), .kinds = IDA, .fallback = "[-1, 1] of each",
     .count_offset = AT(phx_model_controller, n_region),
     .doc = "[lower, upper] of each coordinate, in which `phlexor check` looks at the matching condition"},
    {"kp", &phx_type_number, AT(phx_model_controller, kp), .kinds = PID, .fallback = "0", .doc = "proportional gain"},
    {"kd", &phx_type_number, AT(phx_model_controller, kd), .kinds = PID, .fallback = "0", .doc = "gain of the rate"},
    {"ki", &phx_type_number, AT(phx_model_controller, ki), .kinds = PID, .fallback = "0",
     .doc = "gain of the integral"},
    {"filter", &phx_type_number, AT(phx_model_controller, filter), .kinds = PID, .unit = "s", .range = &not_negative,
     .fallback = "0", .doc = "time constant of the derivative, made of the measurement instead of a measured rate"},
    {"anti_windup", &phx_type_optional, AT(phx_model_controller, anti_windup), .kinds = PID, .unit = "1/s",
     .range = &not_negative, .fallback = "ki/kp", .doc = "rate at which the integral follows a limit; 0: not at all"},
    {"file", &phx_type_path, AT(phx_model_controller, file), .kinds = SS | PH, .fallback = "none",
     .doc = "file with the matrices, .mat (version 5) or .json; relative to the model file"},
    {"file", &phx_type_path, AT(phx_model_controller, file), .required = true, .kinds = FMU,
     .doc = "FMU 2.0 or 3.0 for co-simulation; relative to the model file"},
    MATRIX(A, SS, "states x states"),
    MATRIX(B, SS | PH, "states x inputs"),
    MATRIX(C, SS, "outputs x states"),
    MATRIX(D, SS, "outputs x inputs"),
    {"E", &phx_type_array, AT(phx_model_controller, E), .kinds = PH, .fallback = "identity", .doc = "states x states"},
    MATRIX(J, PH, "skew"),
    MATRIX(R, PH, "symmetric, not negative"),
    {"Q", &phx_type_array, AT(phx_model_controller, Q), .kinds = PH, .fallback = "identity",
     .doc = "energy 1/2 z^T Q^T E z"},
    MATRIX(P, PH, "states x ports"),
    MATRIX(S, PH, "ports x ports, symmetric"),
    MATRIX(N, PH, "ports x ports, skew"),
    {"initial", &phx_type_numbers, AT(phx_model_controller, initial), .kinds = PID | SS | PH, .fallback = "zero",
     .count_offset = AT(phx_model_controller, n_initial), .doc = "states at the start"},
    {"reference", &phx_type_signals, AT(phx_model_controller, reference), .kinds = PID | SS, .fallback = "zero",
     .count_offset = AT(phx_model_controller, n_reference),
     .doc = "what the measurements should be, a signal or (state_space) a list"},
    {"shaper", &phx_type_given, AT(phx_model_controller, shaper), .kinds = PID | SS, .object = &shaper,
     .fallback = "none", .doc = "shapes the references so that they excite one mode little"},
    {"feedforward", &phx_type_signals, AT(phx_model_controller, feedforward), .kinds = PID | SS | STATIC,
     .fallback = "zero", .count_offset = AT(phx_model_controller, n_feedforward),
     .doc = "added to the outputs, a signal or a list"},
    {"limit", &phx_type_limits, AT(phx_model_controller, limits), .kinds = PID | SS | STATIC | FMU | IDA,
     .fallback = "none", .count_offset = AT(phx_model_controller, n_limits),
     .doc = "[lower, upper] of the output, or a list of pairs"},
    {"sample", &phx_type_optional, AT(phx_model_controller, sample), .kinds = PID | SS | STATIC | IDA, .unit = "s",
     .range = &positive, .fallback = "continuous",
     .doc = "sampling period; the output is held in between, and A, B, C, D are those of the samples"},
    {"sample", &phx_type_optional, AT(phx_model_controller, sample), .kinds = FMU, .unit = "s", .range = &positive,
     .fallback = "step size of the FMU's default experiment",
     .doc = "communication step; the outputs are held in between"},
    {"delay", &phx_type_integer, AT(phx_model_controller, delay), .kinds = PID | SS | STATIC | FMU | IDA,
     .range = &delay_range, .fallback = "0", .doc = "samples from a measurement to its output"},
};
static const phx_object controller = {
    "controller",
    "Measurements are the columns of outputs, `JOINT.coordinate`, `JOINT.rate`, and `CONTROLLER.u1` of another one. "
    "Actuations are `JOINT.effort`, components of loads as `LOAD.fx` or `LOAD.tz`, and `SPRING.force`.",
    TABLE(phx_model_controller, controller_keys), KINDS(PHX_KIND_KEY, words_controller, phx_model_controller),
    .finish = phx_finish_controller};

static const phx_range radius_range = {"a number from 0 to 1", .high = 1.0};
static const phx_range iterations_range = {"an integer from 1 to 1000", 1.0, 1000.0, .integer = true};
static const phx_key simulate_keys[] = {
    {"end", &phx_type_optional, AT(phx_model_simulate, end), .unit = "s", .range = &positive,
     .fallback = "from the command", .doc = "time at which the run ends"},
    {"step", &phx_type_optional, AT(phx_model_simulate, step), .unit = "s", .range = &positive,
     .fallback = "from the command", .doc = "length of a step; with `rtol` of midpoint, gauss4, gauss6 the longest"},
    {"integrator", &phx_type_word, AT(phx_model_simulate, integrator), .words = phx_words_integrator,
     .fallback = "auto", .doc = "time integrator; auto: midpoint, with an accuracy the one that takes the least work"},
    {"every", &phx_type_optional, AT(phx_model_simulate, every), .unit = "s", .range = &positive,
     .fallback = "each step", .doc = "output interval, hit exactly"},
    {"rtol", &phx_type_optional, AT(phx_model_simulate, rtol), .range = &positive, .fallback = "none",
     .doc = "relative tolerance (not of midpoint4), chooses the steps"},
    {"atol", &phx_type_optional, AT(phx_model_simulate, atol), .range = &positive, .fallback = "none",
     .doc = "absolute tolerance (not of midpoint4)"},
    {"accuracy", &phx_type_optional, AT(phx_model_simulate, accuracy), .range = &positive,
     .fallback = "1e-3 where there is neither step nor rtol",
     .doc = "error of the outputs, relative to the largest length of each, by which method and step are chosen; `step` "
            "is the longest then"},
    {"accuracy_of", &phx_type_channels, AT(phx_model_simulate, accuracy_of), .fallback = "all outputs",
     .count_offset = AT(phx_model_simulate, n_accuracy_of), .doc = "the outputs whose error counts"},
    {"accuracy_absolute", &phx_type_optional, AT(phx_model_simulate, accuracy_absolute), .range = &positive,
     .fallback = "none", .doc = "the same in the units of the outputs, added to it"},
    {"strict", &phx_type_boolean, AT(phx_model_simulate, strict), .fallback = "false",
     .doc = "a limit of validity that is exceeded ends the run"},
    {"spectral_radius", &phx_type_number, AT(phx_model_simulate, spectral_radius), .range = &radius_range,
     .fallback = "1",
     .doc =
         "of oscillations of deformations that a step does not resolve, of `midpoint` in equal steps; below 1 they are "
         "damped, and the ledger says by how much"},
    {"iterations", &phx_type_integer, AT(phx_model_simulate, iterations), .range = &iterations_range,
     .fallback = "to rounding",
     .doc = "exactly so many Newton corrections a step, of `midpoint` with a fixed step (docs/real-time.md)"},
};
static const phx_object simulate = {"simulate", "What `phlexor simulate` does by default.",
                                    TABLE(phx_model_simulate, simulate_keys)};

static const phx_key modes_keys[] = {
    {"count", &phx_type_integer, AT(phx_model_modes, count), .range = &count_range, .fallback = "6",
     .doc = "number of modes"},
    {"at", &phx_type_word, AT(phx_model_modes, at), .words = words_modes_at, .fallback = "start",
     .doc = "the start state (`initial` is the same), the equilibrium at rest, or a steady rotation of the driven "
            "joints and of rotors"},
};
static const phx_object modes = {"modes", "What `phlexor modes` does by default.", TABLE(phx_model_modes, modes_keys)};

static const phx_key linearize_keys[] = {
    {"at", &phx_type_word, AT(phx_model_linearize, at), .words = words_modes_at, .fallback = "start",
     .doc = "as of modes"},
};
static const phx_object linearize = {"linearize", "What `phlexor linearize` does by default.",
                                     TABLE(phx_model_linearize, linearize_keys)};

static const phx_key inverse_keys[] = {
    {"inputs", &phx_type_channels, AT(phx_model_inverse, inputs), .required = true,
     .count_offset = AT(phx_model_inverse, n_inputs),
     .doc = "what shall move the outputs, names of `phlexor linearize`: `JOINT.effort`, `LOAD.fx`"},
    {"motion", &phx_type_motions, AT(phx_model_inverse, motion), .required = true,
     .doc = "signal by the name of an output of `phlexor linearize` (`BODY.PORT.y`, `JOINT.coordinate`, a column of "
            "`outputs`): its change from the start, from rest to rest"},
};
static const phx_object inverse = {
    "inverse", "What `phlexor inverse` makes outputs do by stable inversion of the linear model, as many as inputs.",
    TABLE(phx_model_inverse, inverse_keys), .finish = phx_finish_inverse};

static const phx_key page_keys[] = {
    {"camera", &phx_type_direction, AT(phx_model_page, camera), .dims = PHX_SPACE, .fallback = "from front right above",
     .doc = "direction from the mechanism to the observer, inertial components, any length"},
    {"colour", &phx_type_column, AT(phx_model_page, colour), .fallback = "by body",
     .doc = "quantity that colours the bodies: von_mises, bending_moment_z, ..."},
    {"magnification", &phx_type_number, AT(phx_model_page, magnification), .range = &positive, .fallback = "1",
     .doc = "of the deformation"},
    {"plots", &phx_type_channels, AT(phx_model_page, plots), .count_offset = AT(phx_model_page, n_plots),
     .fallback = "outputs in their order", .doc = "outputs whose plots come first, in this order"},
    {"trails", &phx_type_points, AT(phx_model_page, trails), .count_offset = AT(phx_model_page, n_trails),
     .fallback = "none", .doc = "ports whose paths are drawn"},
};
static const phx_object page = {"page", "How `phlexor report` and `phlexor view` open; `phlexor film` takes it too.",
                                TABLE(phx_model_page, page_keys), .finish = phx_finish_page};

static const phx_key sweep_keys[] = {
    {"from", &phx_type_number, AT(phx_model_sweep, from), .required = true, .kinds = BIT(PHX_MODEL_RANGE),
     .doc = "first value"},
    {"to", &phx_type_number, AT(phx_model_sweep, to), .required = true, .kinds = BIT(PHX_MODEL_RANGE),
     .doc = "last value"},
    {"count", &phx_type_integer, AT(phx_model_sweep, count), .required = true, .kinds = BIT(PHX_MODEL_RANGE),
     .range = &count_range, .doc = "number of values, both ends included"},
    {"values", &phx_type_numbers, AT(phx_model_sweep, values), .required = true, .kinds = BIT(PHX_MODEL_VALUES),
     .count_offset = AT(phx_model_sweep, count), .doc = "the values themselves"},
};
const phx_object phx_schema_sweep = {"sweep", "Of one parameter; several multiply, the first is the outermost loop.",
                                     TABLE(phx_model_sweep, sweep_keys),
                                     KINDS(PHX_KIND_PRESENT, words_sweep, phx_model_sweep), .finish = phx_finish_sweep};

/* ---- the file ---- */
static const phx_key model_keys[] = {
    {"phlexor", &phx_type_version, PHX_NO_FIELD, .required = true, .range = &version_range,
     .doc = "version of this format, 1"},
    {"title", &phx_type_title, AT(phx_model, title), .fallback = "file name", .doc = "one line"},
    {"parameters", &phx_type_parameters, AT(phx_model, parameters), .fallback = "none",
     .count_offset = AT(phx_model, n_parameters), .doc = "numbers by name, for expressions and sweeps"},
    {"dimension", &phx_type_integer, AT(phx_model, dimension), .required = true, .range = &dimension_range,
     .doc = "2: motion in the x-y plane, 3: spatial"},
    {"gravity", &phx_type_vector, AT(phx_model, gravity), .unit = "m/s^2", .fallback = "zero",
     .doc = "inertial components"},
    {"materials", &phx_type_map, AT(phx_model, materials), .object = &material, .fallback = "none",
     .count_offset = AT(phx_model, n_materials), .doc = "materials by name"},
    {"ground", &phx_type_ground, PHX_NO_FIELD, .object = &ground, .fallback = "port O at the origin",
     .doc = "what does not move"},
    {"bodies", &phx_type_map, AT(phx_model, bodies), .required = true, .object = &body,
     .count_offset = AT(phx_model, n_bodies), .after = phx_segments_cut, .doc = "bodies by name, at least one"},
    {"joints", &phx_type_map, AT(phx_model, joints), .object = &joint, .fallback = "none",
     .count_offset = AT(phx_model, n_joints), .doc = "joints by name"},
    {"springs", &phx_type_map, AT(phx_model, springs), .object = &spring, .fallback = "none",
     .count_offset = AT(phx_model, n_springs), .doc = "springs by name"},
    {"forces", &phx_type_map, AT(phx_model, forces), .object = &force, .fallback = "none",
     .count_offset = AT(phx_model, n_forces), .doc = "bushings, contacts, cables, couplings, drag, wind by name"},
    {"loads", &phx_type_map, AT(phx_model, loads), .object = &load, .fallback = "none",
     .count_offset = AT(phx_model, n_loads), .doc = "loads by name"},
    {"events", &phx_type_map, AT(phx_model, events), .object = &event, .fallback = "none",
     .count_offset = AT(phx_model, n_events),
     .doc = "joints that attach or release, forces that are switched during a simulation, by name"},
    {"initial", &phx_type_object, AT(phx_model, initial), .object = &initial, .fallback = "deformation: zero",
     .doc = "how the start state is made"},
    {"outputs", &phx_type_map, AT(phx_model, outputs), .object = &output, .fallback = "none",
     .count_offset = AT(phx_model, n_outputs), .doc = "quantities by name (energies are always recorded)"},
    {"controllers", &phx_type_map, AT(phx_model, controllers), .object = &controller, .fallback = "none",
     .count_offset = AT(phx_model, n_controllers), .doc = "controllers by name"},
    {"simulate", &phx_type_given, AT(phx_model, simulate), .object = &simulate, .fallback = "none",
     .doc = "defaults of the simulation"},
    {"modes", &phx_type_given, AT(phx_model, modes), .object = &modes, .fallback = "count: 6",
     .doc = "defaults of the modal analysis"},
    {"linearize", &phx_type_given, AT(phx_model, linearize), .object = &linearize, .fallback = "at: start",
     .doc = "defaults of linear models"},
    {"inverse", &phx_type_given, AT(phx_model, inverse), .object = &inverse, .fallback = "none",
     .doc = "motions of outputs that inputs shall make"},
    {"optimize", &phx_type_given, AT(phx_model, optimize), .object = &phx_schema_optimize, .fallback = "none",
     .doc = "values of parameters that `phlexor optimize` looks for"},
    {"identify", &phx_type_given, AT(phx_model, identify), .object = &phx_schema_identify, .fallback = "none",
     .doc = "parameters that are found from measurements"},
    {"page", &phx_type_given, AT(phx_model, page), .object = &page, .fallback = "none",
     .doc = "how a page about the model opens; no result depends on it"},
    {"sweep", &phx_type_map, AT(phx_model, sweeps), .object = &phx_schema_sweep, .fallback = "none",
     .count_offset = AT(phx_model, n_sweeps), .doc = "ranges by the name of a parameter"},
};
const phx_object phx_schema_model = {"model", "The file. SI units and radians everywhere.",
                                     TABLE(phx_model, model_keys), .finish = phx_finish_model};
