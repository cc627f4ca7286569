"""Declarations of libphlexor. Made from the C headers by tools/make_binding.py; not to be edited."""
# mypy: ignore-errors
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long, c_size_t,
                    c_uint, c_void_p)
from enum import IntEnum
from typing import Literal

JointKind = Literal[
    "weld",
    "revolute",
    "prismatic",
    "slider",
    "spherical",
    "universal",
    "cylindrical",
    "planar",
    "point_on_plane",
    "cartesian",
    "parallel",
    "perpendicular",
    "free",
    "point_on",
    "prismatic_on",
    "cylindrical_on",
]


class phx_status(IntEnum):
    PHX_OK = 0
    PHX_NOT_CONVERGED = 1
    PHX_SINGULAR = 2
    PHX_INTERRUPTED = 3
    PHX_REJECTED = 4
    PHX_ERR_ARGUMENT = -1
    PHX_ERR_MEMORY = -2
    PHX_ERR_INPUT = -3
    PHX_ERR_FILE = -4
    PHX_ERR_ASSEMBLY = -5
    PHX_ERR_ANALYSIS = -6
    PHX_ERR_UNSUPPORTED = -7
    PHX_ERR_LIBRARY = -8


class phx_log_level(IntEnum):
    PHX_LOG_INFO = 0
    PHX_LOG_WARNING = 1


class phx_location_sort(IntEnum):
    PHX_LOCATION_ORIGIN = 0
    PHX_LOCATION_FRACTION = 1
    PHX_LOCATION_PLACE = 2
    PHX_LOCATION_NODE = 3
    PHX_LOCATION_NAME = 4
    PHX_LOCATION_SORTS = 5


class phx_reference(IntEnum):
    PHX_REFERENCE_CANTILEVER = 0
    PHX_REFERENCE_SIMPLY_SUPPORTED = 1
    PHX_REFERENCE_FREE = 2


class phx_element_kind(IntEnum):
    PHX_ELEMENT_MIXED = 0
    PHX_ELEMENT_PAPER = 1
    PHX_ELEMENT_ASSUMED = 2


class phx_joint_kind(IntEnum):
    PHX_JOINT_WELD = 0
    PHX_JOINT_REVOLUTE = 1
    PHX_JOINT_PRISMATIC = 2
    PHX_JOINT_SLIDER = 3
    PHX_JOINT_SPHERICAL = 4
    PHX_JOINT_UNIVERSAL = 5
    PHX_JOINT_CYLINDRICAL = 6
    PHX_JOINT_PLANAR = 7
    PHX_JOINT_POINT_ON_PLANE = 8
    PHX_JOINT_CARTESIAN = 9
    PHX_JOINT_PARALLEL = 10
    PHX_JOINT_PERPENDICULAR = 11
    PHX_JOINT_FREE = 12
    PHX_JOINT_POINT_ON = 13
    PHX_JOINT_PRISMATIC_ON = 14
    PHX_JOINT_CYLINDRICAL_ON = 15
    PHX_JOINT_KINDS = 16


class phx_joint_axis(IntEnum):
    PHX_AXIS_NONE = 0
    PHX_AXIS_LINE = 1
    PHX_AXIS_ROTATION = 2
    PHX_AXIS_NORMAL = 3
    PHX_AXIS_PAIR = 4


class phx_solid(IntEnum):
    PHX_SOLID_NONE = 0
    PHX_SOLID_BOX = 1
    PHX_SOLID_CYLINDER = 2
    PHX_SOLID_ACROSS = 3
    PHX_SOLID_BALL = 4
    PHX_SOLID_RING = 5
    PHX_SOLIDS = 6


class phx_static_method(IntEnum):
    PHX_STATIC_NEWTON = 0
    PHX_STATIC_DESCENT = 1
    PHX_STATIC_STEPS = 2


class phx_quantity(IntEnum):
    PHX_QUANTITY_POSITION = 0
    PHX_QUANTITY_VELOCITY = 1
    PHX_QUANTITY_ACCELERATION = 2
    PHX_QUANTITY_ANGLE = 3
    PHX_QUANTITY_ANGULAR_VELOCITY = 4
    PHX_QUANTITY_ATTITUDE = 5
    PHX_QUANTITY_DEFORMATION = 6
    PHX_QUANTITY_AXIAL_FORCE = 7
    PHX_QUANTITY_BENDING_MOMENT = 8
    PHX_QUANTITY_TORSION = 9
    PHX_QUANTITY_STRESS = 10
    PHX_QUANTITY_MEMBRANE_FORCE = 11
    PHX_QUANTITY_SHEAR_FORCE = 12
    PHX_QUANTITY_VON_MISES = 13
    PHX_QUANTITY_PRINCIPAL_STRESS = 14
    PHX_QUANTITY_STRAIN = 15
    PHX_QUANTITY_REACTION = 16
    PHX_QUANTITY_COORDINATE = 17
    PHX_QUANTITY_RATE = 18
    PHX_QUANTITY_EFFORT = 19
    PHX_QUANTITY_EDGE_SHEAR = 20
    PHX_QUANTITY_EDGE_MOMENT = 21
    PHX_QUANTITY_CORNER_FORCE = 22
    PHX_QUANTITIES = 23


class phx_backend(IntEnum):
    PHX_BACKEND_AUTO = 0
    PHX_BACKEND_PLAIN = 1
    PHX_BACKEND_FAST = 2


class phx_model_body_kind(IntEnum):
    PHX_MODEL_RIGID = 0
    PHX_MODEL_BEAM = 1
    PHX_MODEL_MODAL = 2
    PHX_MODEL_PLATE = 3
    PHX_MODEL_SOLID = 4
    PHX_MODEL_IMPORTED = 5
    PHX_MODEL_REDUCED = 6
    PHX_MODEL_ROD = 7
    PHX_MODEL_BODY_KINDS = 8


class phx_model_section_kind(IntEnum):
    PHX_MODEL_CIRCLE = 0
    PHX_MODEL_TUBE = 1
    PHX_MODEL_RECTANGLE = 2
    PHX_MODEL_GENERAL = 3
    PHX_MODEL_SECTION_KINDS = 4


class phx_model_kinetics(IntEnum):
    PHX_MODEL_KINETICS_FULL = 0
    PHX_MODEL_KINETICS_SIMPLIFIED = 1


class phx_model_law_kind(IntEnum):
    PHX_MODEL_LAW_EXPRESSION = 0
    PHX_MODEL_LAW_TABLE = 1
    PHX_MODEL_LAW_GAS = 2


class phx_model_force_kind(IntEnum):
    PHX_MODEL_BUSHING = 0
    PHX_MODEL_CONTACT = 1
    PHX_MODEL_CABLE = 2
    PHX_MODEL_COUPLING = 3
    PHX_MODEL_DRAG = 4
    PHX_MODEL_WIND = 5
    PHX_MODEL_FORCE_KINDS = 6


class phx_model_load_kind(IntEnum):
    PHX_MODEL_FORCE = 0
    PHX_MODEL_TORQUE = 1
    PHX_MODEL_DISTRIBUTED = 2
    PHX_MODEL_PRESSURE = 3
    PHX_MODEL_TRACTION = 4
    PHX_MODEL_TEMPERATURE = 5
    PHX_MODEL_LOAD_KINDS = 6


class phx_model_frame(IntEnum):
    PHX_MODEL_INERTIAL = 0
    PHX_MODEL_BODY_FRAME = 1


class phx_model_controller_kind(IntEnum):
    PHX_MODEL_PID = 0
    PHX_MODEL_STATE_SPACE = 1
    PHX_MODEL_PORT_HAMILTONIAN = 2
    PHX_MODEL_EXPRESSION = 3
    PHX_MODEL_FMU = 4
    PHX_MODEL_IDA_PBC = 5
    PHX_MODEL_CONTROLLER_KINDS = 6


class phx_model_deformation(IntEnum):
    PHX_MODEL_ZERO = 0
    PHX_MODEL_QUASI_STATIC = 1


class phx_model_side(IntEnum):
    PHX_MODEL_SIDE_A = 0
    PHX_MODEL_SIDE_B = 1


class phx_model_integrator(IntEnum):
    PHX_MODEL_AUTO = 0
    PHX_MODEL_MIDPOINT = 1
    PHX_MODEL_MIDPOINT4 = 2
    PHX_MODEL_GAUSS4 = 3
    PHX_MODEL_GAUSS6 = 4
    PHX_MODEL_RADAU5 = 5
    PHX_MODEL_IDA = 6
    PHX_MODEL_DOP853 = 7
    PHX_MODEL_INTEGRATORS = 8


class phx_model_modes_at(IntEnum):
    PHX_MODEL_AT_START = 0
    PHX_MODEL_AT_STEADY = 1
    PHX_MODEL_AT_STATIC = 2
    PHX_MODEL_AT_INITIAL = 3


class phx_model_sweep_kind(IntEnum):
    PHX_MODEL_RANGE = 0
    PHX_MODEL_VALUES = 1


class phx_integrator(IntEnum):
    PHX_MIDPOINT = 0
    PHX_MIDPOINT4 = 1
    PHX_GAUSS4 = 2
    PHX_GAUSS6 = 3
    PHX_RADAU5 = 4
    PHX_IDA = 5
    PHX_DOP853 = 6
    PHX_INTEGRATORS = 7


class phx_ss_part(IntEnum):
    PHX_SS_CONSTRAINED = 1
    PHX_SS_UNCONTROLLABLE = 2
    PHX_SS_UNOBSERVABLE = 4
    PHX_SS_MINIMAL = 6


class phx_reduction_method(IntEnum):
    PHX_REDUCE_MODAL = 0
    PHX_REDUCE_KRYLOV = 1
    PHX_REDUCE_IRKA = 2
    PHX_REDUCE_LQG = 3
    PHX_REDUCE_XMIN = 4


class phx_modes_format(IntEnum):
    PHX_MODES_TEXT = 0
    PHX_MODES_CSV = 1
    PHX_MODES_JSON = 2
    PHX_MODES_HDF5 = 3


class phx_bundle_kind(IntEnum):
    PHX_BUNDLE_MATRIX = 0
    PHX_BUNDLE_SPARSE = 1
    PHX_BUNDLE_NAMES = 2
    PHX_BUNDLE_TEXT = 3
    PHX_BUNDLE_NUMBER = 4


class phx_limit_kind(IntEnum):
    PHX_LIMIT_ROTATION = 0
    PHX_LIMIT_STRAIN = 1
    PHX_LIMIT_AXIAL_FORCE = 2
    PHX_LIMIT_ENERGY = 3
    PHX_LIMIT_ELEMENT = 4
    PHX_LIMIT_TWIST = 5
    PHX_LIMIT_GYRATION = 6
    PHX_LIMIT_SIDEWAYS = 7


class phx_linear_form(IntEnum):
    PHX_FORM_STATE_SPACE = 0
    PHX_FORM_SECOND_ORDER = 1
    PHX_FORM_DESCRIPTOR = 2


class phx_fmu_kind(IntEnum):
    PHX_FMU_CO_SIMULATION = 1
    PHX_FMU_MODEL_EXCHANGE = 2
    PHX_FMU_BOTH = 3


class phx_context(Structure):
    pass


class phx_signal(Structure):
    pass


class phx_csr(Structure):
    pass


class phx_location(Structure):
    pass


class phx_matching(Structure):
    pass


class phx_joint_coordinate(Structure):
    pass


class phx_joint_solid(Structure):
    pass


class phx_joint_info(Structure):
    pass


class phx_stability(Structure):
    pass


class phx_static_report(Structure):
    pass


class phx_critical_load(Structure):
    pass


class phx_energies(Structure):
    pass


class phx_channels_options(Structure):
    pass


class phx_certificate(Structure):
    pass


class phx_model_optional(Structure):
    pass


class phx_model_rotation(Structure):
    pass


class phx_model_parameter(Structure):
    pass


class phx_model_orthotropic(Structure):
    pass


class phx_model_material(Structure):
    pass


class phx_model_shape(Structure):
    pass


class phx_model_port(Structure):
    pass


class phx_model_point(Structure):
    pass


class phx_model_body_info(Structure):
    pass


class phx_model_section(Structure):
    pass


class phx_model_pose(Structure):
    pass


class phx_model_velocity(Structure):
    pass


class phx_model_point_mass(Structure):
    pass


class phx_model_damping(Structure):
    pass


class phx_model_mode(Structure):
    pass


class phx_model_second_order(Structure):
    pass


class phx_model_body(Structure):
    pass


class phx_model_law(Structure):
    pass


class phx_model_stops(Structure):
    pass


class phx_model_friction(Structure):
    pass


class phx_model_coordinate(Structure):
    pass


class phx_model_joint(Structure):
    pass


class phx_model_event(Structure):
    pass


class phx_model_spring(Structure):
    pass


class phx_model_force(Structure):
    pass


class phx_model_load(Structure):
    pass


class phx_model_expressions(Structure):
    pass


class phx_model_matrix(Structure):
    pass


class phx_model_fmu_start(Structure):
    pass


class phx_model_controller(Structure):
    pass


class phx_model_initial(Structure):
    pass


class phx_model_output(Structure):
    pass


class phx_model_simulate(Structure):
    pass


class phx_model_modes(Structure):
    pass


class phx_model_linearize(Structure):
    pass


class phx_model_inverse(Structure):
    pass


class phx_model_sweep(Structure):
    pass


class phx_model_store(Structure):
    pass


class phx_model(Structure):
    pass


class phx_model_override(Structure):
    pass


class phx_beam_cache_stats(Structure):
    pass


class phx_integrate_options(Structure):
    pass


class phx_step_times(Structure):
    pass


class phx_integrate_stats(Structure):
    pass


class phx_ss(Structure):
    pass


class phx_ss_def(Structure):
    pass


class phx_ss_link(Structure):
    pass


class phx_reduction_point(Structure):
    pass


class phx_reduction_options(Structure):
    pass


class phx_reduction(Structure):
    pass


class phx_lft(Structure):
    pass


class phx_lft_options(Structure):
    pass


class phx_lft_report(Structure):
    pass


class phx_lft_info(Structure):
    pass


class phx_ranks(Structure):
    pass


class phx_attribute(Structure):
    pass


class phx_result(Structure):
    pass


class phx_record_body(Structure):
    pass


class phx_scene(Structure):
    pass


class phx_record_entry(Structure):
    pass


class phx_record_column(Structure):
    pass


class phx_result_info(Structure):
    pass


class phx_mode_row(Structure):
    pass


class phx_modes_table(Structure):
    pass


class phx_bundle_item(Structure):
    pass


class phx_bundle(Structure):
    pass


class phx_report_item(Structure):
    pass


class phx_report_load(Structure):
    pass


class phx_report_bodies(Structure):
    pass


class phx_report_options(Structure):
    pass


class phx_report_size(Structure):
    pass


class phx_sweep(Structure):
    pass


class phx_limit_finding(Structure):
    pass


class phx_simulate_options(Structure):
    pass


class phx_simulate_report(Structure):
    pass


class phx_stable_inverse_report(Structure):
    pass


class phx_stepper(Structure):
    pass


class phx_study_batch_options(Structure):
    pass


class phx_study_batch_report(Structure):
    pass


class phx_study_static_options(Structure):
    pass


class phx_study_static_report(Structure):
    pass


class phx_study_modes_options(Structure):
    pass


class phx_study_modes_report(Structure):
    pass


class phx_run_size(Structure):
    pass


class phx_residual(Structure):
    pass


class phx_casimir(Structure):
    pass


class phx_linear_report(Structure):
    pass


class phx_study_titop_options(Structure):
    pass


class phx_study_linearize_options(Structure):
    pass


class phx_study_plants_options(Structure):
    pass


class phx_plants(Structure):
    pass


class phx_plants_info(Structure):
    pass


class phx_redundant_row(Structure):
    pass


class phx_start_move(Structure):
    pass


class phx_loop_matching(Structure):
    pass


class phx_check_modes(Structure):
    pass


class phx_check_report(Structure):
    pass


class phx_fmu_options(Structure):
    pass


class phx_fmu_report(Structure):
    pass


phx_log_fn = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
phx_progress_fn = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_double, c_double)
phx_study_point_fn = CFUNCTYPE(c_int, c_void_p, c_int, POINTER(phx_simulate_report), POINTER(phx_result), c_char_p)

phx_csr._fields_ = [
    ("rows", c_int),
    ("cols", c_int),
    ("ptr", POINTER(c_int)),
    ("idx", POINTER(c_int)),
    ("val", POINTER(c_double)),
]

phx_location._fields_ = [
    ("sort", c_int),
    ("fraction", c_double),
    ("place", c_double * 3),
    ("node", c_int),
    ("name", c_char_p),
]

phx_matching._fields_ = [
    ("places", c_int),
    ("potential", c_double),
    ("kinetic", c_double),
    ("indefinite", c_int),
    ("asymmetry", c_double),
]

phx_joint_coordinate._fields_ = [
    ("name", c_char_p),
    ("zero", c_char_p),
    ("angular", c_bool),
]

phx_joint_solid._fields_ = [
    ("shape", c_int),
    ("size", c_double * 3),
]

phx_joint_info._fields_ = [
    ("name", c_char_p),
    ("holds", c_char_p),
    ("plane", c_bool),
    ("space", c_bool),
    ("axis", c_int),
    ("axis_b", c_bool),
    ("relative", c_bool),
    ("holds_points", c_bool),
    ("slides", c_bool),
    ("n_coordinates", c_int * 2),
    ("coordinates", phx_joint_coordinate * 6),
    ("in_plane", POINTER(phx_joint_coordinate)),
    ("solids", phx_joint_solid * 3),
]

phx_stability._fields_ = [
    ("divergent", c_int),
    ("fluttering", c_int),
    ("judged", c_int),
    ("growth", c_double),
    ("frequency", c_double),
]

phx_static_report._fields_ = [
    ("method", c_int),
    ("iterations", c_int),
    ("steps", c_int),
    ("weight", c_double),
    ("unbalanced", c_double),
    ("gap", c_double),
    ("moved", c_double),
    ("unstable", c_int),
    ("free_motions", c_int),
    ("free_names", c_char * 256),
    ("circulatory", c_bool),
    ("judged", c_bool),
    ("motions", phx_stability),
]

phx_critical_load._fields_ = [
    ("factor", c_double),
    ("limit", c_bool),
]

phx_energies._fields_ = [
    ("kinetic", c_double),
    ("elastic", c_double),
    ("potential", c_double),
    ("controllers", c_double),
]

phx_channels_options._fields_ = [
    ("n_inputs", c_int),
    ("n_outputs", c_int),
    ("inputs", POINTER(c_char_p)),
    ("outputs", POINTER(c_char_p)),
    ("drives_by_rate", c_bool),
    ("controllers", c_bool),
]

phx_certificate._fields_ = [
    ("coordinates", c_int),
    ("velocities", c_int),
    ("constraints", c_int),
    ("redundant", c_int),
    ("degrees_of_freedom", c_int),
    ("constraint_rank", c_int),
    ("index", c_int),
    ("skew_residual", c_double),
    ("smallest_mass_eigenvalue", c_double),
    ("power_residual", c_double),
    ("lossless", c_bool),
    ("mass", c_double),
    ("centre_of_mass", c_double * 3),
    ("inertia", c_double * 9),
    ("energy", phx_energies),
]

phx_model_optional._fields_ = [
    ("given", c_bool),
    ("value", c_double),
]

phx_model_rotation._fields_ = [
    ("given", c_bool),
    ("angle", c_double),
    ("matrix", c_double * 9),
]

phx_model_parameter._fields_ = [
    ("name", c_char_p),
    ("value", c_double),
    ("overridden", c_bool),
]

phx_model_orthotropic._fields_ = [
    ("given", c_bool),
    ("young", c_double * 3),
    ("poisson", c_double * 3),
    ("shear", c_double * 3),
    ("expansion", c_double * 3),
]

phx_model_material._fields_ = [
    ("name", c_char_p),
    ("density", c_double),
    ("young", c_double),
    ("poisson", phx_model_optional),
    ("orthotropic", phx_model_orthotropic),
    ("expansion", phx_model_optional),
]

phx_model_shape._fields_ = [
    ("translation", c_double * 3),
    ("rotation", c_double * 3),
]

phx_model_port._fields_ = [
    ("name", c_char_p),
    ("position", c_double * 3),
    ("rotation", phx_model_rotation),
    ("location", phx_location),
    ("n_shapes", c_int),
    ("shapes", POINTER(phx_model_shape)),
    ("group", c_char_p),
    ("node", c_int),
    ("nearest", c_bool),
    ("near", c_double * 3),
    ("attach", c_int),
    ("placed", c_bool),
]

phx_model_point._fields_ = [
    ("text", c_char_p),
    ("body", c_int),
    ("port", c_int),
    ("location", phx_location),
]

phx_model_body_info._fields_ = [
    ("name", c_char_p),
    ("noun", c_char_p),
    ("is", c_char_p),
    ("doc", c_char_p),
    ("plane", c_bool),
    ("space", c_bool),
    ("deforms", c_bool),
    ("mesh", c_bool),
    ("sections", c_bool),
    ("shear", c_bool),
    ("locations", c_uint),
    ("ports_in_file", c_bool),
    ("ports", c_char_p * 4),
]

phx_model_section._fields_ = [
    ("kind", c_int),
    ("diameter", c_double),
    ("outer", c_double),
    ("inner", c_double),
    ("width", c_double),
    ("height", c_double),
    ("area", c_double),
    ("inertia", c_double * 2),
    ("torsion", c_double),
    ("fibre", c_double * 2),
]

phx_model_pose._fields_ = [
    ("position", c_double * 3),
    ("rotation", phx_model_rotation),
    ("position_given", c_bool),
    ("guess", c_bool),
    ("rounding", c_double),
]

phx_model_velocity._fields_ = [
    ("linear", c_double * 3),
    ("angular", c_double * 3),
]

phx_model_point_mass._fields_ = [
    ("at", phx_model_point),
    ("mass", c_double),
    ("inertia", c_double * 9),
]

phx_model_damping._fields_ = [
    ("mass", c_double),
    ("stiffness", c_double),
    ("modal", phx_model_optional),
]

phx_model_mode._fields_ = [
    ("frequency", c_double),
    ("damping", c_double),
    ("participation", phx_model_shape),
    ("inertia", c_double * 6),
]

phx_model_second_order._fields_ = [
    ("gyroscopic", POINTER(c_double)),
    ("inertia", POINTER(c_double)),
]

phx_model_body._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("pose", phx_model_pose),
    ("velocity", phx_model_velocity),
    ("n_ports", c_int),
    ("ports", POINTER(phx_model_port)),
    ("n_point_masses", c_int),
    ("point_masses", POINTER(phx_model_point_mass)),
    ("damping", phx_model_damping),
    ("rigid", c_bool),
    ("own", c_void_p),
    ("mass", c_double),
    ("inertia", c_double * 9),
    ("centre_of_mass", c_double * 3),
    ("n_modes", c_int),
    ("modes", POINTER(phx_model_mode)),
    ("second_order", phx_model_second_order),
    ("material", c_int),
    ("length", c_double),
    ("section", phx_model_section),
    ("elements", c_int),
    ("reference", c_int),
    ("order", c_int),
    ("element", c_int),
    ("kept_modes", c_int),
    ("kinetics", c_int),
    ("stiffening", c_bool),
    ("twist", c_bool),
    ("segments", c_int),
    ("whole", c_char_p),
]

phx_model_law._fields_ = [
    ("given", c_bool),
    ("kind", c_int),
    ("f", POINTER(phx_signal)),
    ("range", c_double * 2),
    ("n_arguments", c_int),
    ("n_values", c_int),
    ("arguments", POINTER(c_double)),
    ("values", POINTER(c_double)),
    ("force", c_double),
    ("length", c_double),
    ("exponent", c_double),
]

phx_model_stops._fields_ = [
    ("given", c_bool),
    ("lower", phx_model_optional),
    ("upper", phx_model_optional),
    ("stiffness", c_double),
    ("exponent", c_double),
    ("damping", c_double),
]

phx_model_friction._fields_ = [
    ("given", c_bool),
    ("force", c_double),
    ("coefficient", c_double),
    ("radius", c_double),
    ("breakaway", phx_model_optional),
    ("ratio", phx_model_optional),
    ("stribeck", c_double),
    ("regularised", c_double),
]

phx_model_coordinate._fields_ = [
    ("angular", c_bool),
    ("start", phx_model_optional),
    ("rate", phx_model_optional),
    ("speed", POINTER(phx_signal)),
    ("motion", POINTER(phx_signal)),
    ("stiffness", c_double),
    ("damping", c_double),
    ("rest", c_double),
    ("effort", POINTER(phx_signal)),
    ("law", phx_model_law),
    ("damper", phx_model_law),
    ("motor", phx_model_law),
    ("stops", phx_model_stops),
    ("friction", phx_model_friction),
]

phx_model_joint._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("ports", phx_model_point * 2),
    ("active", c_bool),
    ("relative", phx_model_rotation),
    ("axis", c_double * 3),
    ("axis_b_given", c_bool),
    ("axis_b", c_double * 3),
    ("n_coordinates", c_int),
    ("coordinates", POINTER(phx_model_coordinate)),
]

phx_model_event._fields_ = [
    ("name", c_char_p),
    ("at", phx_model_optional),
    ("output", c_char_p),
    ("rises_to", phx_model_optional),
    ("falls_to", phx_model_optional),
    ("n_attach", c_int),
    ("n_release", c_int),
    ("n_undrive", c_int),
    ("n_on", c_int),
    ("n_off", c_int),
    ("attach", POINTER(c_char_p)),
    ("release", POINTER(c_char_p)),
    ("undrive", POINTER(c_char_p)),
    ("on", POINTER(c_char_p)),
    ("off", POINTER(c_char_p)),
    ("joints", POINTER(c_int)),
]

phx_model_spring._fields_ = [
    ("name", c_char_p),
    ("ports", phx_model_point * 2),
    ("stiffness", c_double),
    ("damping", c_double),
    ("length", c_double),
    ("force", POINTER(phx_signal)),
    ("law", phx_model_law),
    ("damper", phx_model_law),
    ("active", c_bool),
]

phx_model_force._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("n_ports", c_int),
    ("ports", POINTER(phx_model_point)),
    ("active", c_bool),
    ("own", c_void_p),
]

phx_model_load._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("at", phx_model_point),
    ("on", c_int),
    ("group", c_char_p),
    ("profile", c_char_p),
    ("frame", c_int),
    ("n_components", c_int),
    ("component", POINTER(phx_signal) * 3),
    ("active", c_bool),
]

phx_model_expressions._fields_ = [
    ("rows", c_int),
    ("cols", c_int),
    ("texts", POINTER(c_char_p)),
]

phx_model_matrix._fields_ = [
    ("rows", c_int),
    ("cols", c_int),
    ("values", POINTER(c_double)),
]

phx_model_fmu_start._fields_ = [
    ("name", c_char_p),
    ("number", c_double),
    ("text", c_char_p),
]

phx_model_controller._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("n_inputs", c_int),
    ("n_outputs", c_int),
    ("inputs", POINTER(c_char_p)),
    ("outputs", POINTER(c_char_p)),
    ("feedback", POINTER(c_char_p)),
    ("measure", c_char_p),
    ("rate", c_char_p),
    ("n_reference", c_int),
    ("n_feedforward", c_int),
    ("n_limits", c_int),
    ("reference", POINTER(POINTER(phx_signal))),
    ("feedforward", POINTER(POINTER(phx_signal))),
    ("limits", POINTER(c_double)),
    ("sample", phx_model_optional),
    ("delay", c_int),
    ("kp", c_double),
    ("ki", c_double),
    ("kd", c_double),
    ("filter", c_double),
    ("anti_windup", phx_model_optional),
    ("file", c_char_p),
    ("A", phx_model_matrix),
    ("B", phx_model_matrix),
    ("C", phx_model_matrix),
    ("D", phx_model_matrix),
    ("E", phx_model_matrix),
    ("J", phx_model_matrix),
    ("R", phx_model_matrix),
    ("Q", phx_model_matrix),
    ("P", phx_model_matrix),
    ("S", phx_model_matrix),
    ("N", phx_model_matrix),
    ("n_states", c_int),
    ("n_initial", c_int),
    ("initial", POINTER(c_double)),
    ("n_fmu_inputs", c_int),
    ("n_fmu_outputs", c_int),
    ("n_fmu_starts", c_int),
    ("fmu_inputs", POINTER(c_char_p)),
    ("fmu_outputs", POINTER(c_char_p)),
    ("fmu_starts", POINTER(phx_model_fmu_start)),
    ("time_limit", c_double),
    ("n_coordinates", c_int),
    ("n_region", c_int),
    ("coordinates", POINTER(c_char_p)),
    ("actuated", POINTER(c_int)),
    ("mass", phx_model_expressions),
    ("potential", phx_model_expressions),
    ("desired_mass", phx_model_expressions),
    ("desired_potential", phx_model_expressions),
    ("gyroscopic", phx_model_expressions),
    ("K_v", phx_model_matrix),
    ("region", POINTER(c_double)),
]

phx_model_initial._fields_ = [
    ("deformation", c_int),
    ("equilibrium", c_bool),
    ("strict", c_bool),
    ("from", c_char_p),
]

phx_model_output._fields_ = [
    ("name", c_char_p),
    ("quantity", c_int),
    ("point", phx_model_point),
    ("place", c_double * 3),
    ("joint", c_int),
    ("frame", c_int),
    ("at", c_int),
]

phx_model_simulate._fields_ = [
    ("given", c_bool),
    ("end", phx_model_optional),
    ("step", phx_model_optional),
    ("every", phx_model_optional),
    ("rtol", phx_model_optional),
    ("atol", phx_model_optional),
    ("accuracy", phx_model_optional),
    ("accuracy_absolute", phx_model_optional),
    ("n_accuracy_of", c_int),
    ("accuracy_of", POINTER(c_char_p)),
    ("integrator", c_int),
    ("strict", c_bool),
    ("spectral_radius", c_double),
    ("iterations", c_int),
]

phx_model_modes._fields_ = [
    ("given", c_bool),
    ("count", c_int),
    ("at", c_int),
]

phx_model_linearize._fields_ = [
    ("given", c_bool),
    ("at", c_int),
]

phx_model_inverse._fields_ = [
    ("given", c_bool),
    ("n_inputs", c_int),
    ("inputs", POINTER(c_char_p)),
    ("n_outputs", c_int),
    ("outputs", POINTER(c_char_p)),
    ("motion", POINTER(POINTER(phx_signal))),
]

phx_model_sweep._fields_ = [
    ("name", c_char_p),
    ("parameter", c_int),
    ("kind", c_int),
    ("from", c_double),
    ("to", c_double),
    ("count", c_int),
    ("values", POINTER(c_double)),
]

phx_model._fields_ = [
    ("path", c_char_p),
    ("title", c_char_p),
    ("dimension", c_int),
    ("gravity", c_double * 3),
    ("n_parameters", c_int),
    ("parameters", POINTER(phx_model_parameter)),
    ("n_materials", c_int),
    ("materials", POINTER(phx_model_material)),
    ("n_ground_ports", c_int),
    ("ground_ports", POINTER(phx_model_port)),
    ("n_bodies", c_int),
    ("bodies", POINTER(phx_model_body)),
    ("n_joints", c_int),
    ("joints", POINTER(phx_model_joint)),
    ("n_springs", c_int),
    ("springs", POINTER(phx_model_spring)),
    ("n_forces", c_int),
    ("forces", POINTER(phx_model_force)),
    ("n_loads", c_int),
    ("loads", POINTER(phx_model_load)),
    ("n_events", c_int),
    ("events", POINTER(phx_model_event)),
    ("initial", phx_model_initial),
    ("n_outputs", c_int),
    ("outputs", POINTER(phx_model_output)),
    ("n_controllers", c_int),
    ("controllers", POINTER(phx_model_controller)),
    ("simulate", phx_model_simulate),
    ("modes", phx_model_modes),
    ("linearize", phx_model_linearize),
    ("inverse", phx_model_inverse),
    ("n_sweeps", c_int),
    ("sweeps", POINTER(phx_model_sweep)),
    ("text", c_char_p),
    ("text_length", c_size_t),
    ("store", POINTER(phx_model_store)),
]

phx_model_override._fields_ = [
    ("name", c_char_p),
    ("expression", c_char_p),
    ("value", c_double),
]

phx_beam_cache_stats._fields_ = [
    ("made", c_long),
    ("reused", c_long),
]

phx_integrate_options._fields_ = [
    ("integrator", c_int),
    ("end", c_double),
    ("step", c_double),
    ("every", c_double),
    ("rtol", c_double),
    ("atol", c_double),
    ("max_halvings", c_int),
    ("newton_tolerance", c_double),
    ("iterations", c_int),
    ("real_time", c_bool),
    ("aligned", c_double),
]

phx_step_times._fields_ = [
    ("steps", c_long),
    ("misses", c_long),
    ("median", c_double),
    ("percent99", c_double),
    ("worst", c_double),
    ("worst_at", c_double),
]

phx_integrate_stats._fields_ = [
    ("steps", c_long),
    ("rejected", c_long),
    ("halvings", c_long),
    ("newton_iterations", c_long),
    ("linearisations", c_long),
    ("factorisations", c_long),
    ("projections", c_long),
    ("smallest_step", c_double),
    ("largest_kinetic", c_double),
    ("wall_seconds", c_double),
    ("unsettled", c_long),
    ("correction_left", c_double),
    ("energy_left", c_double),
    ("times", phx_step_times),
]

phx_ss_def._fields_ = [
    ("name", c_char_p),
    ("n", c_int),
    ("n_inputs", c_int),
    ("n_outputs", c_int),
    ("A", POINTER(c_double)),
    ("B", POINTER(c_double)),
    ("C", POINTER(c_double)),
    ("D", POINTER(c_double)),
    ("states", POINTER(c_char_p)),
    ("inputs", POINTER(c_char_p)),
    ("outputs", POINTER(c_char_p)),
]

phx_ss_link._fields_ = [
    ("input", c_char_p),
    ("output", c_char_p),
    ("gain", c_double),
]

phx_reduction_point._fields_ = [
    ("re", c_double),
    ("im", c_double),
    ("infinite", c_bool),
    ("direction", POINTER(c_double)),
]

phx_reduction_options._fields_ = [
    ("method", c_int),
    ("order", c_int),
    ("error", c_double),
    ("band", c_double * 2),
    ("damping", c_double),
    ("n_points", c_int),
    ("points", POINTER(phx_reduction_point)),
]

phx_lft_options._fields_ = [
    ("n_parameters", c_int),
    ("parameters", POINTER(c_char_p)),
    ("degrees", POINTER(c_int)),
    ("error", c_double),
    ("tolerance", c_double),
    ("band", c_double * 2),
]

phx_lft_report._fields_ = [
    ("second_order", c_bool),
    ("fit", c_double),
    ("held_out", c_double),
    ("realisation", c_double),
    ("response", c_double),
    ("response_omega", c_double),
    ("response_point", c_int),
    ("band", c_double * 2),
]

phx_lft_info._fields_ = [
    ("n_parameters", c_int),
    ("parameters", POINTER(c_char_p)),
    ("repetitions", POINTER(c_int)),
    ("degrees", POINTER(c_int)),
    ("centre", POINTER(c_double)),
    ("half_width", POINTER(c_double)),
    ("system", POINTER(phx_ss)),
    ("report", POINTER(phx_lft_report)),
]

phx_attribute._fields_ = [
    ("name", c_char_p),
    ("text", c_char_p),
    ("number", c_double),
]

phx_record_body._fields_ = [
    ("name", c_char_p),
    ("kind", c_char_p),
    ("x_start", c_int),
    ("x_count", c_int),
    ("v_start", c_int),
    ("v_count", c_int),
    ("n_points", c_int),
    ("points", POINTER(c_double)),
    ("shapes", POINTER(c_double)),
]

phx_scene._fields_ = [
    ("n_bodies", c_int),
    ("radius", POINTER(c_double)),
    ("mass", POINTER(c_double)),
    ("centre", POINTER(c_double)),
    ("section", POINTER(c_double)),
    ("n_ports", c_int),
    ("port_name", POINTER(c_char_p)),
    ("port_body", POINTER(c_int)),
    ("port_position", POINTER(c_double)),
    ("port_rotation", POINTER(c_double)),
    ("n_port_shapes", c_int),
    ("port_shapes", POINTER(c_double)),
    ("n_joints", c_int),
    ("joint_name", POINTER(c_char_p)),
    ("joint_kind", POINTER(c_char_p)),
    ("joint_a", POINTER(c_int)),
    ("joint_b", POINTER(c_int)),
    ("joint_axis", POINTER(c_double)),
    ("n_springs", c_int),
    ("spring_name", POINTER(c_char_p)),
    ("spring_a", POINTER(c_int)),
    ("spring_b", POINTER(c_int)),
    ("n_loads", c_int),
    ("load_name", POINTER(c_char_p)),
    ("load_kind", POINTER(c_char_p)),
    ("load_port", POINTER(c_int)),
    ("n_sections", c_int),
    ("section_body", POINTER(c_int)),
    ("section_name", POINTER(c_char_p)),
    ("section_unit", POINTER(c_char_p)),
    ("n_maps", c_int),
    ("maps", POINTER(c_double)),
    ("n_parameters", c_int),
    ("parameter_name", POINTER(c_char_p)),
    ("parameter_value", POINTER(c_double)),
    ("n_gravity", c_int),
    ("gravity", POINTER(c_double)),
    ("n_meshes", c_int),
    ("mesh_body", POINTER(c_int)),
    ("mesh_stresses", POINTER(c_char_p)),
    ("mesh_nodes", POINTER(c_int)),
    ("mesh_cells", POINTER(c_int)),
    ("mesh_triangles", POINTER(c_int)),
    ("mesh_factors", POINTER(c_int)),
    ("n_mesh_nodes", c_int),
    ("mesh_x", POINTER(c_double)),
    ("mesh_thickness", POINTER(c_double)),
    ("n_mesh_cells", c_int),
    ("cell_type", POINTER(c_int)),
    ("n_cell_nodes", c_int),
    ("cell_nodes", POINTER(c_int)),
    ("n_triangle_nodes", c_int),
    ("triangle_nodes", POINTER(c_int)),
    ("n_mesh_shapes", c_int),
    ("mesh_shapes", POINTER(c_double)),
    ("n_mesh_maps", c_int),
    ("mesh_maps", POINTER(c_double)),
]

phx_record_entry._fields_ = [
    ("name", c_char_p),
    ("dissipates", c_bool),
]

phx_record_column._fields_ = [
    ("name", c_char_p),
    ("unit", c_char_p),
]

phx_result_info._fields_ = [
    ("complete", c_bool),
    ("rows", c_size_t),
    ("dimension", c_int),
    ("n_columns", c_int),
    ("columns", POINTER(phx_record_column)),
    ("n_x", c_int),
    ("n_v", c_int),
    ("n_bodies", c_int),
    ("bodies", POINTER(phx_record_body)),
    ("scene", POINTER(phx_scene)),
    ("n_attributes", c_int),
    ("attributes", POINTER(phx_attribute)),
    ("n_ledger", c_int),
    ("ledger", POINTER(phx_record_entry)),
    ("model_text", c_char_p),
    ("memory", POINTER(c_double)),
    ("width", c_size_t),
]

phx_mode_row._fields_ = [
    ("point", c_int),
    ("mode", c_int),
    ("branch", c_int),
    ("omega", c_double),
    ("frequency", c_double),
    ("damping", c_double),
]

phx_modes_table._fields_ = [
    ("model_name", c_char_p),
    ("model_text", c_char_p),
    ("program_version", c_char_p),
    ("n_parameters", c_int),
    ("parameters", POINTER(c_char_p)),
    ("n_points", c_int),
    ("values", POINTER(c_double)),
    ("rigid_modes", POINTER(c_int)),
    ("spin", POINTER(c_double)),
    ("n_rows", c_int),
    ("rows", POINTER(phx_mode_row)),
    ("n_coordinates", c_int),
    ("coordinates", POINTER(c_char_p)),
    ("shapes", POINTER(c_double)),
    ("shapes_imaginary", POINTER(c_double)),
    ("dimension", c_int),
    ("n_bodies", c_int),
    ("bodies", POINTER(phx_record_body)),
    ("scene", POINTER(phx_scene)),
    ("n_x", c_int),
    ("n_states", c_int),
    ("states", POINTER(c_double)),
    ("factors", POINTER(c_double)),
    ("n_files", c_int),
    ("files", POINTER(c_char_p)),
]

phx_bundle_item._fields_ = [
    ("name", c_char_p),
    ("meaning", c_char_p),
    ("unit", c_char_p),
    ("kind", c_int),
    ("rows", c_int),
    ("cols", c_int),
    ("pages", c_int),
    ("re", POINTER(c_double)),
    ("im", POINTER(c_double)),
    ("sparse", phx_csr),
    ("names", POINTER(c_char_p)),
    ("text", c_char_p),
    ("number", c_double),
]

phx_report_item._fields_ = [
    ("name", c_char_p),
    ("text", c_char_p),
    ("value", c_double),
    ("unit", c_char_p),
    ("meaning", c_char_p),
    ("good", c_int),
]

phx_report_load._fields_ = [
    ("follows", c_bool),
    ("n_components", c_int),
    ("component", POINTER(phx_signal) * 3),
]

phx_report_bodies._fields_ = [
    ("bodies", POINTER(phx_record_body)),
    ("scene", POINTER(phx_scene)),
]

phx_report_options._fields_ = [
    ("source", c_char_p),
    ("n_certificate", c_int),
    ("certificate", POINTER(phx_report_item)),
    ("n_loads", c_int),
    ("loads", POINTER(phx_report_load)),
    ("n_points", c_int),
    ("points", POINTER(phx_report_bodies)),
    ("page", c_char_p),
]

phx_report_size._fields_ = [
    ("rows", c_size_t),
    ("frames", c_size_t),
    ("points", c_size_t),
    ("bytes", c_size_t),
]

phx_limit_finding._fields_ = [
    ("body", c_char_p),
    ("kind", c_int),
    ("first", c_double),
    ("worst", c_double),
    ("at", c_double),
    ("quasi_static", c_bool),
    ("text", c_char_p),
]

phx_simulate_options._fields_ = [
    ("end", phx_model_optional),
    ("step", phx_model_optional),
    ("every", phx_model_optional),
    ("rtol", phx_model_optional),
    ("atol", phx_model_optional),
    ("accuracy", phx_model_optional),
    ("accuracy_absolute", phx_model_optional),
    ("n_accuracy_of", c_int),
    ("accuracy_of", POINTER(c_char_p)),
    ("has_integrator", c_bool),
    ("integrator", c_int),
    ("h5_path", c_char_p),
    ("csv_path", c_char_p),
    ("iterations", c_int),
    ("real_time", c_bool),
    ("strict", c_bool),
    ("threads", c_int),
    ("backend", c_int),
]

phx_simulate_report._fields_ = [
    ("used", phx_integrate_options),
    ("stats", phx_integrate_stats),
    ("bodies", c_int),
    ("velocities", c_int),
    ("constraints", c_int),
    ("redundant", c_int),
    ("threads", c_int),
    ("lossless", c_bool),
    ("events", c_int),
    ("event_loss", c_double),
    ("impacts", c_int),
    ("impact_loss", c_double),
    ("transitions", c_int),
    ("accuracy", c_double),
    ("accuracy_reached", c_double),
    ("runs", c_long),
    ("all_steps", c_long),
    ("from", c_double),
    ("reached", c_double),
    ("rows", c_size_t),
    ("largest_energy", c_double),
    ("largest_residual", c_double),
    ("largest_drift", c_double),
    ("largest_drift_rate", c_double),
    ("shaped", c_bool),
    ("shaped_from", c_double),
    ("shaped_to", c_double),
    ("shaped_rise", c_double),
    ("limits", c_int),
]

phx_stable_inverse_report._fields_ = [
    ("from", c_double),
    ("to", c_double),
    ("rows", c_size_t),
    ("inputs", c_int),
    ("states", c_int),
    ("zeros", c_int),
    ("antistable", c_int),
    ("slowest", c_double),
    ("early", c_double),
    ("late", c_double),
    ("unrest", c_double),
]

phx_study_batch_options._fields_ = [
    ("simulate", phx_simulate_options),
    ("sweep", POINTER(phx_sweep)),
    ("table_path", c_char_p),
    ("threads", c_int),
    ("stop", c_bool),
    ("shard", c_int),
    ("shards", c_int),
    ("resume", c_bool),
    ("ranks", POINTER(phx_ranks)),
    ("deliver", phx_study_point_fn),
    ("user", c_void_p),
]

phx_study_batch_report._fields_ = [
    ("used", phx_integrate_options),
    ("points", c_int),
    ("complete", c_int),
    ("failed", c_int),
    ("threads", c_int),
    ("taken", c_int),
    ("largest_energy", c_double),
    ("largest_residual", c_double),
    ("largest_drift", c_double),
    ("largest_drift_rate", c_double),
]

phx_study_static_options._fields_ = [
    ("t", c_double),
    ("steps", c_int),
    ("stable", c_bool),
    ("steady", c_bool),
    ("buckling", c_int),
    ("path", c_bool),
    ("to", c_double),
    ("stride", c_double),
    ("points", c_int),
    ("branch", c_bool),
    ("h5_path", c_char_p),
    ("csv_path", c_char_p),
]

phx_study_static_report._fields_ = [
    ("found", phx_static_report),
    ("bodies", c_int),
    ("velocities", c_int),
    ("constraints", c_int),
    ("redundant", c_int),
    ("rows", c_size_t),
    ("load", c_double),
    ("largest_load", c_double),
    ("elastic", c_double),
    ("potential", c_double),
    ("spin", c_double),
    ("n_critical", c_int),
    ("n_linear", c_int),
    ("critical", phx_critical_load * 32),
    ("linear", c_double * 32),
]

phx_study_modes_options._fields_ = [
    ("count", c_int),
    ("sweep", POINTER(phx_sweep)),
    ("has_at", c_bool),
    ("at", c_int),
    ("with_shapes", c_bool),
    ("threads", c_int),
]

phx_study_modes_report._fields_ = [
    ("velocities", c_int),
    ("constraints", c_int),
    ("redundant", c_int),
    ("unstable", c_int),
    ("least_confidence", c_double),
    ("beams", phx_beam_cache_stats),
]

phx_run_size._fields_ = [
    ("points", c_double),
    ("instants", c_double),
    ("bytes", c_double),
    ("seconds", c_double),
    ("large", c_bool),
]

phx_residual._fields_ = [
    ("name", c_char_p),
    ("value", c_double),
]

phx_casimir._fields_ = [
    ("controller", c_char_p),
    ("text", c_char_p),
    ("n_states", c_int),
    ("n_ports", c_int),
    ("states", POINTER(c_double)),
    ("ports", POINTER(c_double)),
    ("residual", c_double),
]

phx_linear_report._fields_ = [
    ("title", c_char_p),
    ("system", POINTER(phx_ss)),
    ("re", POINTER(c_double)),
    ("im", POINTER(c_double)),
    ("omega", POINTER(c_double)),
    ("damping", POINTER(c_double)),
    ("dc_gain", POINTER(c_double)),
    ("dc_rows", c_int),
    ("rigid", c_int),
    ("left_out", c_int),
    ("n_residuals", c_int),
    ("residuals", phx_residual * 8),
    ("n_casimirs", c_int),
    ("casimirs", POINTER(phx_casimir)),
    ("reduction", POINTER(phx_reduction)),
    ("bundle", POINTER(phx_bundle)),
]

phx_study_titop_options._fields_ = [
    ("body", c_char_p),
    ("parent", c_char_p),
    ("n_ports", c_int),
    ("ports", POINTER(c_char_p)),
    ("n_inverted", c_int),
    ("inverted", POINTER(c_char_p)),
    ("n_inputs", c_int),
    ("n_outputs", c_int),
    ("inputs", POINTER(c_char_p)),
    ("outputs", POINTER(c_char_p)),
]

phx_study_linearize_options._fields_ = [
    ("channels", phx_channels_options),
    ("form", c_int),
    ("has_at", c_bool),
    ("at", c_int),
    ("reduction", POINTER(phx_reduction_options)),
]

phx_study_plants_options._fields_ = [
    ("linear", phx_study_linearize_options),
    ("sweep", POINTER(phx_sweep)),
    ("lft", POINTER(phx_lft_options)),
    ("threads", c_int),
]

phx_plants_info._fields_ = [
    ("n_points", c_int),
    ("nominal", c_int),
    ("n_parameters", c_int),
    ("values", POINTER(c_double)),
    ("lft", POINTER(phx_lft)),
    ("bundle", POINTER(phx_bundle)),
]

phx_redundant_row._fields_ = [
    ("joint", c_char_p),
    ("row", c_int),
]

phx_start_move._fields_ = [
    ("body", c_char_p),
    ("distance", c_double),
    ("angle", c_double),
    ("joint", c_char_p),
    ("gap", c_double),
    ("gap_angle", c_double),
]

phx_loop_matching._fields_ = [
    ("controller", c_char_p),
    ("matching", phx_matching),
    ("mass", c_double),
]

phx_check_modes._fields_ = [
    ("body", c_char_p),
    ("modes", c_int),
    ("followers", c_int),
    ("error", c_double),
]

phx_check_report._fields_ = [
    ("certificate", phx_certificate),
    ("dimension", c_int),
    ("n_redundant", c_int),
    ("redundant", POINTER(phx_redundant_row)),
    ("n_limits", c_int),
    ("limits", POINTER(phx_limit_finding)),
    ("n_moves", c_int),
    ("moves", POINTER(phx_start_move)),
    ("sampling_limit", c_double),
    ("n_casimirs", c_int),
    ("n_matchings", c_int),
    ("casimirs", POINTER(phx_casimir)),
    ("matchings", POINTER(phx_loop_matching)),
    ("n_modes", c_int),
    ("modes", POINTER(phx_check_modes)),
]

phx_fmu_options._fields_ = [
    ("version", c_int),
    ("kind", c_int),
    ("identifier", c_char_p),
    ("n_inputs", c_int),
    ("inputs", POINTER(c_char_p)),
    ("n_outputs", c_int),
    ("outputs", POINTER(c_char_p)),
    ("n_parameters", c_int),
    ("parameters", POINTER(c_char_p)),
    ("simulate", phx_simulate_options),
]

phx_fmu_report._fields_ = [
    ("inputs", c_int),
    ("outputs", c_int),
    ("parameters", c_int),
    ("states", c_int),
    ("bytes", c_size_t),
    ("step", c_double),
    ("token", c_char * 48),
]

FUNCTIONS = {
    "phx_status_text": (c_char_p, [c_int]),
    "phx_version": (c_char_p, []),
    "phx_build": (c_char_p, []),
    "phx_context_create": (c_int, [POINTER(POINTER(phx_context))]),
    "phx_context_destroy": (None, [POINTER(phx_context)]),
    "phx_context_set_log": (None, [POINTER(phx_context), phx_log_fn, c_void_p]),
    "phx_context_set_progress": (None, [POINTER(phx_context), phx_progress_fn, c_void_p]),
    "phx_context_message": (c_char_p, [POINTER(phx_context)]),
    "phx_free": (None, [c_void_p]),
    "phx_files_begin": (None, [POINTER(phx_context)]),
    "phx_files_end": (None, [POINTER(phx_context)]),
    "phx_files_read": (c_int, [POINTER(phx_context), c_char_p]),
    "phx_files_write": (c_int, [POINTER(phx_context), c_char_p]),
    "phx_processors": (c_int, []),
    "phx_algebra_set_threads": (None, [c_int]),
    "phx_joint_kind_count": (c_int, []),
    "phx_joint_kind_info": (POINTER(phx_joint_info), [c_int]),
    "phx_model_body_kind_info": (POINTER(phx_model_body_info), [c_int]),
    "phx_model_read": (c_int, [POINTER(phx_context), c_char_p, c_int, POINTER(phx_model_override), POINTER(POINTER(phx_model))]),
    "phx_model_read_text": (c_int, [POINTER(phx_context), c_char_p, c_char_p, c_size_t, c_int, POINTER(phx_model_override), POINTER(POINTER(phx_model))]),
    "phx_model_copy": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(POINTER(phx_model))]),
    "phx_model_destroy": (None, [POINTER(phx_model)]),
    "phx_model_set_parameters": (c_int, [POINTER(phx_context), POINTER(phx_model), c_int, POINTER(phx_model_override)]),
    "phx_model_evaluate": (c_int, [POINTER(phx_context), POINTER(phx_model), c_char_p, c_char_p, POINTER(c_double)]),
    "phx_model_schema_json": (c_int, [POINTER(phx_context), POINTER(c_char_p)]),
    "phx_integrator_name": (c_char_p, [c_int]),
    "phx_ss_create": (c_int, [POINTER(phx_context), POINTER(phx_ss_def), POINTER(POINTER(phx_ss))]),
    "phx_ss_copy": (c_int, [POINTER(phx_context), POINTER(phx_ss), c_char_p, c_char_p, POINTER(POINTER(phx_ss))]),
    "phx_ss_destroy": (None, [POINTER(phx_ss)]),
    "phx_ss_definition": (phx_ss_def, [POINTER(phx_ss)]),
    "phx_ss_append": (c_int, [POINTER(phx_context), c_char_p, c_int, POINTER(POINTER(phx_ss)), POINTER(POINTER(phx_ss))]),
    "phx_ss_sub": (c_int, [POINTER(phx_context), POINTER(phx_ss), c_int, POINTER(c_char_p), c_int, POINTER(c_char_p), POINTER(POINTER(phx_ss))]),
    "phx_ss_connect": (c_int, [POINTER(phx_context), POINTER(phx_ss), c_int, POINTER(phx_ss_link), c_int, POINTER(c_char_p), c_int, POINTER(c_char_p), POINTER(POINTER(phx_ss))]),
    "phx_ss_series": (c_int, [POINTER(phx_context), POINTER(phx_ss), POINTER(phx_ss), POINTER(POINTER(phx_ss))]),
    "phx_ss_feedback": (c_int, [POINTER(phx_context), POINTER(phx_ss), POINTER(phx_ss), c_double, POINTER(POINTER(phx_ss))]),
    "phx_ss_invert_names": (c_int, [POINTER(phx_context), POINTER(phx_ss), c_int, POINTER(c_char_p), POINTER(POINTER(phx_ss))]),
    "phx_ss_reduce": (c_int, [POINTER(phx_context), POINTER(phx_ss), c_uint, c_double, POINTER(POINTER(phx_ss))]),
    "phx_ss_poles": (c_int, [POINTER(phx_context), POINTER(phx_ss), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double)]),
    "phx_ss_responses": (c_int, [POINTER(phx_context), POINTER(phx_ss), c_int, POINTER(c_double), POINTER(c_double)]),
    "phx_ss_dc_gain": (c_int, [POINTER(phx_context), POINTER(phx_ss), POINTER(c_double)]),
    "phx_lft_about": (phx_lft_info, [POINTER(phx_lft)]),
    "phx_lft_plant": (c_int, [POINTER(phx_context), POINTER(phx_lft), POINTER(c_double), POINTER(POINTER(phx_ss))]),
    "phx_result_read": (c_int, [POINTER(phx_context), c_char_p, POINTER(POINTER(phx_result))]),
    "phx_result_destroy": (None, [POINTER(phx_result)]),
    "phx_result_about": (phx_result_info, [POINTER(phx_result)]),
    "phx_result_column": (c_int, [POINTER(phx_result), c_int, c_size_t, c_size_t, POINTER(c_double)]),
    "phx_result_ledger_values": (c_int, [POINTER(phx_result), c_int, c_size_t, c_size_t, POINTER(c_double)]),
    "phx_result_states": (c_int, [POINTER(phx_result), c_size_t, c_size_t, POINTER(c_double), POINTER(c_double)]),
    "phx_modes_write": (c_int, [POINTER(phx_context), POINTER(phx_modes_table), c_int, c_char_p]),
    "phx_modes_read": (c_int, [POINTER(phx_context), c_char_p, POINTER(phx_modes_table)]),
    "phx_modes_free": (None, [POINTER(phx_modes_table)]),
    "phx_bundle_create": (c_int, [POINTER(phx_context), POINTER(POINTER(phx_bundle))]),
    "phx_bundle_destroy": (None, [POINTER(phx_bundle)]),
    "phx_bundle_count": (c_int, [POINTER(phx_bundle)]),
    "phx_bundle_item_at": (POINTER(phx_bundle_item), [POINTER(phx_bundle), c_int]),
    "phx_bundle_get_ss": (c_int, [POINTER(phx_context), POINTER(phx_bundle), POINTER(POINTER(phx_ss))]),
    "phx_exchange_write": (c_int, [POINTER(phx_context), c_char_p, POINTER(phx_bundle)]),
    "phx_exchange_read": (c_int, [POINTER(phx_context), c_char_p, POINTER(POINTER(phx_bundle))]),
    "phx_report_result": (c_int, [POINTER(phx_context), POINTER(phx_result), POINTER(phx_report_options), c_char_p, POINTER(phx_report_size)]),
    "phx_report_modes": (c_int, [POINTER(phx_context), POINTER(phx_modes_table), POINTER(phx_report_options), c_char_p, POINTER(phx_report_size)]),
    "phx_sweep_create": (c_int, [POINTER(phx_context), POINTER(POINTER(phx_sweep))]),
    "phx_sweep_destroy": (None, [POINTER(phx_sweep)]),
    "phx_sweep_add_range": (c_int, [POINTER(phx_sweep), c_char_p, c_double, c_double, c_int]),
    "phx_sweep_add_values": (c_int, [POINTER(phx_sweep), c_char_p, c_int, POINTER(c_double)]),
    "phx_sweep_parameters": (c_int, [POINTER(phx_sweep)]),
    "phx_sweep_name": (c_char_p, [POINTER(phx_sweep), c_int]),
    "phx_sweep_points": (c_int, [POINTER(phx_sweep)]),
    "phx_sweep_at": (None, [POINTER(phx_sweep), c_int, POINTER(c_int), POINTER(c_double)]),
    "phx_sweep_from_model": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(POINTER(phx_sweep))]),
    "phx_study_simulate_result": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_simulate_options), POINTER(phx_simulate_report), POINTER(POINTER(phx_result))]),
    "phx_study_inverse": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_simulate_options), POINTER(phx_simulate_report), POINTER(POINTER(phx_result))]),
    "phx_study_stable_inverse": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_simulate_options), POINTER(phx_stable_inverse_report), POINTER(POINTER(phx_result))]),
    "phx_stepper_create": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_simulate_options), c_int, POINTER(c_char_p), POINTER(POINTER(phx_stepper))]),
    "phx_stepper_destroy": (None, [POINTER(phx_stepper)]),
    "phx_stepper_columns": (c_int, [POINTER(phx_stepper)]),
    "phx_stepper_column_name": (None, [POINTER(phx_stepper), c_int, c_char_p, c_size_t]),
    "phx_stepper_measure": (c_int, [POINTER(phx_context), POINTER(phx_stepper), POINTER(c_double)]),
    "phx_stepper_act": (c_int, [POINTER(phx_context), POINTER(phx_stepper), POINTER(c_double)]),
    "phx_stepper_step": (c_int, [POINTER(phx_context), POINTER(phx_stepper), c_double]),
    "phx_stepper_state_size": (c_int, [POINTER(phx_stepper)]),
    "phx_stepper_save": (None, [POINTER(phx_stepper), POINTER(c_double)]),
    "phx_stepper_restore": (c_int, [POINTER(phx_context), POINTER(phx_stepper), POINTER(c_double)]),
    "phx_study_batch": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_study_batch_options), POINTER(phx_study_batch_report)]),
    "phx_study_static_options_default": (phx_study_static_options, []),
    "phx_study_static": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_study_static_options), POINTER(phx_study_static_report), POINTER(POINTER(phx_result))]),
    "phx_study_modes": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_study_modes_options), POINTER(phx_modes_table), POINTER(phx_study_modes_report)]),
    "phx_study_simulate_size": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_simulate_options), POINTER(phx_sweep), POINTER(phx_run_size)]),
    "phx_study_modes_size": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_study_modes_options), POINTER(phx_run_size)]),
    "phx_run_size_refuse": (c_int, [POINTER(phx_context), POINTER(phx_run_size), c_char_p]),
    "phx_linear_report_free": (None, [POINTER(phx_linear_report)]),
    "phx_study_titop": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_study_titop_options), POINTER(phx_linear_report)]),
    "phx_study_linearize": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_study_linearize_options), POINTER(phx_linear_report)]),
    "phx_study_plants": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_study_plants_options), POINTER(POINTER(phx_plants))]),
    "phx_plants_destroy": (None, [POINTER(phx_plants)]),
    "phx_plants_about": (phx_plants_info, [POINTER(phx_plants)]),
    "phx_plants_system": (POINTER(phx_ss), [POINTER(phx_plants), c_int]),
    "phx_study_matrices": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_bundle)]),
    "phx_check_report_free": (None, [POINTER(phx_check_report)]),
    "phx_study_check": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_check_report)]),
    "phx_study_view": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_report_options), c_char_p, POINTER(phx_report_size)]),
    "phx_fmu_export": (c_int, [POINTER(phx_context), POINTER(phx_model), POINTER(phx_fmu_options), c_char_p, POINTER(phx_fmu_report)]),
}
