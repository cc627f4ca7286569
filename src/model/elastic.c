/* Shared by plates, solids and imported bodies. */
#include "elastic.h"
#include "expression.h"
#include "memory.h"

#include "system/system.h"

#include <math.h>
#include <string.h>

/* ---- keys ---- */
static const phx_word words_attach[] = {WORD("rigid", PHX_BOTH), WORD("hinged", PHX_BOTH), WORD("average", PHX_BOTH),
                                        WORD(NULL, 0)};
static const phx_word words_basis[] = {WORD("free", PHX_BOTH), WORD("held", PHX_BOTH), WORD("craig_bampton", PHX_BOTH),
                                       WORD("all", PHX_BOTH),  WORD("own", PHX_BOTH),  WORD(NULL, 0)};
static const phx_word words_choose[] = {WORD("frequency", PHX_BOTH), WORD("effective_mass", PHX_BOTH), WORD(NULL, 0)};
static const phx_range modes_range = {"an integer from 0 to 1000", 0.0, 1000.0, .integer = true};
static const phx_range label_range = {"an integer from 0 to 2147483647", 0.0, 2147483647.0, .integer = true};

static const phx_key port_keys[] = {
    {"on", &phx_type_column, AT(phx_model_port, group), .fallback = "the port's own name",
     .doc = "group of the mesh: an edge of a plate, a face, a set of nodes"},
    {"node", &phx_type_integer, AT(phx_model_port, node), .range = &label_range, .fallback = "0",
     .doc = "number of a node instead, 0: none; a node of a solid has no rotation"},
    {"near", &phx_type_vector, AT(phx_model_port, near), .unit = "m", .fallback = "none",
     .doc = "the node nearest to this place instead, in body components"},
    {"attach", &phx_type_word, AT(phx_model_port, attach), .words = words_attach, .fallback = "rigid",
     .doc = "the part moves as a rigid body; the edge of a plate does, but for its slopes, whose mean is the rotation "
            "about it; or the port is its mean motion"},
    {"position", &phx_type_vector, AT(phx_model_port, position), .unit = "m", .fallback = "mean place of the part",
     .doc = "place of the port, in body components"},
    {"rotation", &phx_type_rotation, AT(phx_model_port, rotation), .fallback = "none", .object = &phx_schema_rotation,
     .doc = "takes port components to body components"},
};
const phx_object phx_schema_elastic_port = {"port on a part of a mesh", "It moves with the deformed part.",
                                            TABLE(phx_model_port, port_keys), .finish = phx_finish_port};

static const phx_key basis_keys[] = {
    {"kind", &phx_type_word, AT(phx_elastic_keys, basis.kind) - AT(phx_elastic_keys, basis), .words = words_basis,
     .fallback = "craig_bampton",
     .doc =
         "normal modes of the free body; of the body held at one port; unit motions of all rigid ports and the modes "
         "with all of them held; all unknowns of the mesh; shapes that another program has written"},
    {"modes", &phx_type_integer, AT(phx_elastic_keys, basis.modes) - AT(phx_elastic_keys, basis), .range = &modes_range,
     .fallback = "10", .doc = "normal modes that are kept, one more if a pair of one frequency would be parted"},
    {"choose", &phx_type_word, AT(phx_elastic_keys, basis.choose) - AT(phx_elastic_keys, basis), .words = words_choose,
     .fallback = "frequency",
     .doc =
         "which: the lowest, or (craig_bampton) those with the largest effective mass in a direction of a rigid port"},
    {"among", &phx_type_integer, AT(phx_elastic_keys, basis.among) - AT(phx_elastic_keys, basis), .range = &modes_range,
     .fallback = "ten times modes", .doc = "effective_mass: the lowest modes of which those are chosen"},
    {"at", &phx_type_column, AT(phx_elastic_keys, basis.at) - AT(phx_elastic_keys, basis), .fallback = "none",
     .doc = "held: the port"},
    {"file", &phx_type_path, AT(phx_elastic_keys, basis.file) - AT(phx_elastic_keys, basis), .fallback = "none",
     .doc = "own: Matrix Market, a column for each shape, rows as those of the matrices; none with modes in `files`"},
    {"statics", &phx_type_boolean, AT(phx_elastic_keys, basis.statics) - AT(phx_elastic_keys, basis),
     .fallback = "true",
     .doc =
         "also the displacements by unit forces and moments at the joined ports; craig_bampton: at ports without unit "
         "motions, such as single nodes"},
};
const phx_object phx_schema_basis = {"basis", "Coordinates of the deformation.",
                                     .size = sizeof(((phx_elastic_keys *)0)->basis), .keys = basis_keys,
                                     .n_keys = (int)(sizeof basis_keys / sizeof basis_keys[0])};

static phx_status read_frame(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    const char **frame = field;
    (void)key, (void)owner;

    if (node->kind == PHX_NODE_SCALAR)
        return phx_read_text(reader, node, "a port, two ports [P, C], or 'mean'", &frame[0]);
    if (node->kind != PHX_NODE_LIST || node->count != 2)
        return phx_reader_expected(reader, node, "a port, two ports [P, C], or 'mean'");
    const phx_status status = phx_read_text(reader, node->items[0], "the name of a port", &frame[0]);
    return status ? status : phx_read_text(reader, node->items[1], "the name of a port", &frame[1]);
}
const phx_type phx_type_frame = {"port, 2 ports or 'mean'",
                                 "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 2, "
                                 "\"maxItems\": 2, \"items\": {\"type\": \"string\"}}]}",
                                 read_frame, NULL};

/* ---- reading ---- */
static const phx_elastic_keys *keys_of(const phx_model_body *body)
{
    return body->own;
}

void phx_elastic_place_port(const phx_model_body *body, phx_model_port *port)
{
    (void)body;
    port->location = phx_location_of_name(port->name);
}

phx_status phx_elastic_finish_port(phx_reader *reader, const phx_node *node, const phx_model_port *port)
{
    phx_model_port *own = (phx_model_port *)(uintptr_t)port;
    const phx_node *near = phx_node_find(node, "near"), *on = phx_node_find(node, "on");

    if ((on && (port->node || near)) || (port->node && near))
        return phx_reader_fail(reader, near ? near : phx_node_find(node, "node"),
                               "'%s' and '%s' both say where the port is; keep one", on ? "on" : "node",
                               near ? "near" : "node");
    own->placed = phx_node_find(node, "position") != NULL;
    own->nearest = near != NULL;
    return PHX_OK;
}

/* The port of this name, -1. */
static int port_named(const phx_model_body *body, const char *name)
{
    for (int k = 0; k < body->n_ports; k++)
        if (!strcmp(body->ports[k].name, name))
            return k;
    return -1;
}

static phx_status fail_no_port(phx_reader *reader, const phx_node *node, const phx_model_body *body, const char *name)
{
    phx_nearest nearest = phx_nearest_to(name);
    for (int k = 0; k < body->n_ports; k++)
        phx_nearest_offer(&nearest, body->ports[k].name);
    return phx_reader_fail(reader, node, "the body has no port %s%s", phx_shown_text(name).text,
                           phx_nearest_hint(&nearest).text);
}

/* Shapes of a file say everything that other bases have keys for. */
static phx_status check_own(phx_reader *reader, const phx_node *basis, const phx_model_body *body)
{
    static const char *const others[] = {"modes", "statics"};
    const bool map = basis && basis->kind == PHX_NODE_MAP;

    if (keys_of(body)->basis.kind != PHX_BASIS_OWN)
        return map && phx_node_find(basis, "file")
                   ? phx_reader_fail(reader, phx_node_find(basis, "file"), "'file' is for an 'own' basis")
                   : PHX_OK;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (phx_node_find(basis, others[k]))
            return phx_reader_fail(reader, phx_node_find(basis, others[k]), "an 'own' basis has no '%s'", others[k]);
    return PHX_OK;
}

static phx_status check_choice(phx_reader *reader, const phx_node *basis, const phx_elastic_keys *keys)
{
    const phx_node *choose = basis && basis->kind == PHX_NODE_MAP ? phx_node_find(basis, "choose") : NULL;
    const phx_node *among = basis && basis->kind == PHX_NODE_MAP ? phx_node_find(basis, "among") : NULL;

    if (keys->basis.choose && keys->basis.kind != PHX_BASIS_CRAIG_BAMPTON)
        return phx_reader_fail(reader, choose, "modes are chosen by effective mass in a 'craig_bampton' basis");
    if (among && !keys->basis.choose)
        return phx_reader_fail(reader, among, "'among' goes with 'choose: effective_mass'");
    if (among && keys->basis.among < keys->basis.modes)
        return phx_reader_fail(reader, among, "expected at least as many as 'modes', %d, found %d", keys->basis.modes,
                               keys->basis.among);
    return PHX_OK;
}

/* Checks the basis of a finite-element body: 'held' needs a rigid port on a part of the mesh, other bases none. */
static phx_status check_basis(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const phx_elastic_keys *keys = keys_of(body);
    const phx_node *basis = phx_node_find(node, "basis");
    const phx_node *at = basis && basis->kind == PHX_NODE_MAP ? phx_node_find(basis, "at") : NULL;

    if (keys->basis.kind == PHX_BASIS_HELD) {
        if (!at)
            return phx_reader_fail(reader, basis, "a 'held' basis needs 'at', the port that is held");
        const int port = port_named(body, keys->basis.at);
        if (port < 0)
            return fail_no_port(reader, at, body, keys->basis.at);
        const bool single = body->ports[port].node || body->ports[port].nearest;
        if (body->ports[port].attach == PHX_INTERFACE_AVERAGE || single)
            return phx_reader_fail(reader, at, "a basis can be held at a rigid port on a part of the mesh; '%s' is %s",
                                   keys->basis.at, single ? "a node" : "an average");
    } else if (at) {
        return phx_reader_fail(reader, at, "'at' is for a 'held' basis");
    }
    const phx_status status = check_choice(reader, basis, keys);
    return status ? status : check_own(reader, basis, body);
}

/* Keys of all elastic bodies. */
static phx_status check_keys(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const phx_elastic_keys *keys = keys_of(body);
    const phx_node *frame = phx_node_find(node, "frame");
    phx_status status = check_basis(reader, node, body);

    if (!status && frame && !(frame->kind == PHX_NODE_SCALAR && !strcmp(keys->frame[0], "mean")))
        for (int k = 0; k < 2 && keys->frame[k] && !status; k++)
            if (port_named(body, keys->frame[k]) < 0)
                status = fail_no_port(reader, k || keys->frame[1] ? frame->items[k] : frame, body, keys->frame[k]);
    if (!status && keys->frame[1] && !strcmp(keys->frame[0], keys->frame[1]))
        status = phx_reader_fail(reader, frame, "a frame along a line needs two different ports");
    return status;
}

phx_status phx_elastic_finish_mesh(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    if (keys_of(body)->basis.kind == PHX_BASIS_OWN)
        return phx_reader_fail(reader, phx_node_find(node, "basis"), "an 'own' basis is for imported bodies");
    if (body->stiffening && keys_of(body)->basis.kind == PHX_BASIS_ALL)
        return phx_reader_fail(reader, phx_node_find(node, "stiffening"),
                               "'stiffening' needs a basis of modes; take another kind of 'basis'");
    return check_keys(reader, node, body);
}

phx_status phx_elastic_finish_matrices(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    if (body->stiffening)
        return phx_reader_fail(reader, phx_node_find(node, "stiffening"),
                               "mass and stiffness matrices say nothing of strains of second order, which 'stiffening' "
                               "is made of; make the body of its mesh, as a solid or a plate");
    return check_keys(reader, node, body);
}

/* ---- building ---- */
static bool is_welded(const phx_model *model, int body, int port)
{
    for (int k = 0; k < model->n_joints; k++)
        for (int side = 0; side < 2 && model->joints[k].kind == PHX_JOINT_WELD; side++)
            if (phx_builder_is_at(&model->joints[k].ports[side], body, port))
                return true;
    return false;
}

phx_status phx_elastic_check_mesh(const phx_builder *builder, const phx_mesh *mesh, const char *file)
{
    const char *left_out = phx_mesh_left_out(mesh);

    if (left_out)
        return phx_fail(builder->context, PHX_ERR_INPUT,
                        "%s: elements of type %s are not taken from a deck; take them out, and give the body "
                        "'point_masses' at a port with 'node', the model 'springs'",
                        file, left_out);
    return phx_mesh_judge(builder->context, mesh, file);
}

static double elastic_distance(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* The node of a port at a single one: by its number, or the nearest to a place, which must lie on the body. */
static phx_status find_node(phx_context *context, const phx_elastic_model *elastic, const phx_model_port *port,
                            int *node)
{
    const int count = elastic->mesh.n_nodes > 0 ? elastic->mesh.n_nodes : elastic->n_nodes;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

    *node = -1;
    if (!port->nearest) {
        for (int i = 0; i < elastic->n_nodes && *node < 0; i++)
            *node = (elastic->label ? elastic->label[i] : i + 1) == port->node ? i : -1;
        return *node < 0 ? phx_fail(context, PHX_ERR_ARGUMENT, "the mesh has no node %d", port->node) : PHX_OK;
    }
    for (int k = 0; k < 3 * count; k++) {
        low[k % 3] = fmin(low[k % 3], elastic->x[k]);
        high[k % 3] = fmax(high[k % 3], elastic->x[k]);
    }
    *node = phx_mesh_nearest_node(&(phx_mesh){.n_nodes = count, .x = elastic->x}, port->near);
    const double *x = elastic->x + 3 * (size_t)*node, away = elastic_distance(x, port->near);
    return away > 0.1 * elastic_distance(low, high)
               ? phx_fail(context, PHX_ERR_ARGUMENT,
                          "[%g, %g, %g] lies %.3g m off the nearest node, %d at [%g, %g, %g]; expected a place on the "
                          "body, in its axes",
                          port->near[0], port->near[1], port->near[2], away,
                          elastic->label ? elastic->label[*node] : *node + 1, x[0], x[1], x[2])
               : PHX_OK;
}

/* The part of the body under a port. */
static phx_status make_interface(phx_builder *builder, const phx_elastic_model *elastic, const phx_model_port *port,
                                 phx_interface *interface)
{
    phx_context *context = builder->context;
    const phx_interface_kind kind = (phx_interface_kind)port->attach;
    int count = 0, *unknowns = NULL;
    phx_status status;

    if (port->node || port->nearest) {
        int node;
        status = find_node(context, elastic, port, &node);
        if (!status)
            status = phx_elastic_node_unknowns(context, elastic, 1, &node, &count, &unknowns);
    } else {
        status =
            phx_elastic_group_unknowns(context, elastic, port->group ? port->group : port->name, &count, &unknowns);
    }
    if (!status)
        status = phx_interface_create(context, elastic, port->name, kind, port->placed ? port->position : NULL, count,
                                      unknowns, interface);
    phx_free(unknowns);
    return status ? phx_builder_at(builder, port, status) : PHX_OK;
}

/* The line between two ports, from one that turns with the body; where there is no such line mean axes are left. */
static void choose_chord(const phx_interface *interfaces, phx_continuum_def *def)
{
    const int first = interfaces[def->frame_at[0]].turns ? 0 : 1;
    const phx_interface *from = &interfaces[def->frame_at[first]], *to = &interfaces[def->frame_at[1 - first]];

    if (!from->turns || !memcmp(from->x, to->x, sizeof from->x))
        return;
    def->frame = PHX_FRAME_CHORD;
    if (first == 1) {
        def->frame_at[1] = def->frame_at[0];
        def->frame_at[0] = (int)(from - interfaces);
    }
}

/* The frame, from its key or the ports with joints. With one of these mean axes err less than the tangent in the port,
 * whose deformations are larger; a weld is a clamping. With stiffening the deformations may be
 * large, but the rigid nodes of the port may not turn against the frame. */
static void choose_frame(const phx_model *model, const phx_model_body *body, const phx_interface *interfaces,
                         phx_continuum_def *def)
{
    const phx_elastic_keys *keys = keys_of(body);
    const int index = (int)(body - model->bodies);
    int found = 0;

    def->frame = PHX_FRAME_MEAN;
    if (keys->frame[0] && (keys->frame[1] || strcmp(keys->frame[0], "mean") != 0)) {
        def->frame = keys->frame[1] ? PHX_FRAME_CHORD : PHX_FRAME_HELD;
        for (int k = 0; k < 2 && keys->frame[k]; k++)
            def->frame_at[k] = port_named(body, keys->frame[k]);
    } else if (!keys->frame[0]) {
        for (int k = 0; k < body->n_ports && found < 2; k++)
            if (phx_builder_has_joint(model, index, k))
                def->frame_at[found++] = k;
        if (found == 2)
            choose_chord(interfaces, def);
        else if (found == 1 && (body->stiffening || is_welded(model, index, def->frame_at[0])))
            def->frame = PHX_FRAME_HELD;
    }
}

/* Says how well the basis holds the body: nothing, a warning, or the error that it does not. */
static phx_status elastic_judge(phx_builder *builder, const phx_model_body *body, const phx_basis_quality *quality)
{
    static const double warns = 0.01, fails = 0.1;
    const char *remedy = keys_of(body)->basis.kind == PHX_BASIS_CRAIG_BAMPTON
                             ? "take more modes"
                             : "take 'basis: {kind: craig_bampton}', or more modes";
    const char *where = quality->where ? quality->where : "";

    if (isinf(quality->frequency))
        return phx_fail(builder->context, PHX_ERR_ARGUMENT,
                        "body '%s': its basis cannot hold its joined ports: with them held it does not deform any "
                        "more; %s",
                        body->name, remedy);
    if (quality->frequency > fails)
        return phx_fail(builder->context, PHX_ERR_ARGUMENT,
                        "body '%s': its basis cannot hold its joined ports: with them held its first frequencies err "
                        "by %.2g %%; %s",
                        body->name, 100.0 * quality->frequency, remedy);
    if (quality->frequency > warns)
        phx_log(builder->context, PHX_LOG_WARNING,
                "body '%s': with its joined ports held its first frequencies err by %.2g %%; %s", body->name,
                100.0 * quality->frequency, remedy);
    if (quality->flexibility > 5.0 * warns)
        phx_log(builder->context, PHX_LOG_WARNING,
                "body '%s': its basis lacks %.2g %% of the static flexibility at port '%s'; %s", body->name,
                100.0 * quality->flexibility, where, remedy);
    return PHX_OK;
}

/* ---- loads over surfaces and temperatures ---- */
typedef struct surface_load {
    phx_program *profile; /* NULL: 1 */
    int component;        /* of the traction; ALONG_NORMAL, a pressure on a solid, is against the normal */
} surface_load;
enum { ALONG_NORMAL = -1 };

static double profile_at(void *user, const double x[3])
{
    const surface_load *load = user;
    return load->profile ? phx_program_value(load->profile, x) : 1.0;
}

static void traction_at(void *user, const double x[3], const double normal[3], double traction[3])
{
    const surface_load *load = user;
    const double value = profile_at(user, x);

    for (int a = 0; a < 3; a++)
        traction[a] = load->component == ALONG_NORMAL ? -value * normal[a] : a == load->component ? value : 0.0;
}

static bool elastic_is_zero(int n, const double *x)
{
    for (int k = 0; k < n; k++)
        if (x[k] != 0.0)
            return false;
    return true;
}

/* The work-equivalent force on the unknowns by the factor 1; of a temperature what it adds to the stresses (NULL: not
 * wanted). */
static phx_status surface_force(phx_builder *builder, const phx_model_load *load, const phx_elastic_model *elastic,
                                surface_load *pressure, double *force, double *strain)
{
    const phx_surface_load surface = {traction_at, pressure, .normal = pressure->component == ALONG_NORMAL};
    phx_status status = PHX_OK;

    if (load->kind == PHX_MODEL_TEMPERATURE) {
        const phx_temperature temperature = {profile_at, pressure};
        status = phx_elastic_expand(builder->context, elastic, load->group, &temperature, force, strain);
        if (!status && elastic_is_zero(elastic->n, force))
            status = phx_fail(builder->context, PHX_ERR_ARGUMENT,
                              "it expands nothing: the materials there have no 'expansion', the profile is zero, or it "
                              "is the mean over the thickness of a plate that is rigid in its plane");
    } else {
        status = phx_elastic_load(builder->context, elastic, load->group, &surface, force);
    }
    return status ? phx_fail_prefix(builder->context, status, "load '%s': ", load->name) : PHX_OK;
}

/* The profile with the parameters as they are. */
static phx_status make_profile(phx_builder *builder, const char *text, phx_program **profile)
{
    const phx_model *model = builder->model;
    phx_arena memory = {0};
    phx_names names = {0};
    phx_evaluator *evaluator = NULL;
    phx_status status = phx_names_build(builder->context, &memory, model->parameters, sizeof *model->parameters,
                                        model->n_parameters, &names);

    if (!status)
        status = phx_evaluator_create(builder->context, &evaluator);
    if (!status) {
        phx_evaluator_set_parameters(evaluator, model->parameters, &names, NULL);
        status = phx_evaluator_place_function(evaluator, text, profile);
    }
    phx_evaluator_destroy(evaluator);
    phx_arena_free(&memory);
    return status;
}

/* The forces on the unknowns by the factors 1 of a load: n_components x n, of zeros; `strain` likewise. */
static phx_status load_forces(phx_builder *builder, const phx_model_load *load, const phx_elastic_model *elastic,
                              double *force, double *strain)
{
    const bool pressure = load->kind == PHX_MODEL_PRESSURE;
    enum { ALONG_Z = 2 };
    surface_load acting = {.component = 0};
    phx_status status = load->profile ? make_profile(builder, load->profile, &acting.profile) : PHX_OK;

    for (int k = 0; k < load->n_components && !status; k++) {
        acting.component = !pressure ? k : elastic->ops->edges ? ALONG_Z : ALONG_NORMAL;
        status = surface_force(builder, load, elastic, &acting, force + (size_t)k * (size_t)elastic->n, strain);
    }
    phx_program_destroy(acting.profile);
    return status;
}

static bool is_temperature(const phx_model_load *load, int body)
{
    return load->kind == PHX_MODEL_TEMPERATURE && load->on == body;
}

/* The loads on a body: the basis has the deformation by each force, stresses know the strains. */
typedef struct body_loads {
    int n_forces, n_strains;
    double *forces, *strains; /* n_forces x n, n_strains x phx_elastic_offsets */
} body_loads;

/* Assembles nodal forces of all surface loads and initial strains of all temperatures on one body, per unit of their
 * signals. */
static phx_status loads_on_body(phx_builder *builder, int body, const phx_elastic_model *elastic, body_loads *loads)
{
    const phx_model *model = builder->model;
    const size_t n = (size_t)elastic->n, stresses = (size_t)phx_elastic_offsets(elastic);
    phx_status status = PHX_OK;

    memset(loads, 0, sizeof *loads);
    for (int k = 0; k < model->n_loads; k++) {
        loads->n_forces += model->loads[k].on == body ? model->loads[k].n_components : 0;
        loads->n_strains += is_temperature(&model->loads[k], body);
    }
    if (loads->n_strains > PHX_STRAIN_LOADS_MOST)
        return phx_fail(builder->context, PHX_ERR_ARGUMENT, "body '%s': %d temperatures, at most %d",
                        model->bodies[body].name, loads->n_strains, PHX_STRAIN_LOADS_MOST);
    loads->forces = phx_calloc(builder->context, (size_t)loads->n_forces * n + 1, sizeof *loads->forces);
    loads->strains = phx_calloc(builder->context, (size_t)loads->n_strains * stresses + 1, sizeof *loads->strains);
    if (!loads->forces || !loads->strains)
        return PHX_ERR_MEMORY;
    double *force = loads->forces, *strain = loads->strains;
    for (int k = 0; k < model->n_loads && !status; k++) {
        const bool heat = is_temperature(&model->loads[k], body);
        if (model->loads[k].on != body)
            continue;
        status = load_forces(builder, &model->loads[k], elastic, force, heat ? strain : NULL);
        if (status)
            status = phx_builder_at(builder, &model->loads[k], status);
        force += (size_t)model->loads[k].n_components * n;
        strain += heat ? stresses : 0;
    }
    return status;
}

/* Each load by its factor at t; those of the other program are forces. */
phx_status phx_model_surface_forces(phx_context *context, const phx_model *model, int body,
                                    const phx_elastic_model *elastic, double t, double *force)
{
    phx_builder builder = {.context = context, .model = model};
    const size_t n = (size_t)elastic->n;
    double *unit = phx_calloc(context, 3 * n + 1, sizeof *unit);
    phx_status status = unit ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < model->n_loads && !status; k++) {
        const phx_model_load *load = &model->loads[k];
        if (load->on != body || !load->active)
            continue;
        if (load->kind == PHX_MODEL_TEMPERATURE)
            status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                              "load '%s': the stresses of a temperature are none of forces; leave it out, and give the "
                              "other program the temperature itself",
                              load->name);
        memset(unit, 0, 3 * n * sizeof *unit);
        if (!status)
            status = load_forces(&builder, load, elastic, unit, NULL);
        for (int c = 0; c < load->n_components && !status; c++)
            for (size_t j = 0; j < n; j++)
                force[j] += phx_signal_value(load->component[c], t) * unit[(size_t)c * n + j];
    }
    phx_free(unit);
    return status;
}

/* Inertia turns with its port. */
static phx_status elastic_check_mass(phx_builder *builder, const phx_model_body *body, const phx_model_point_mass *mass,
                                     const phx_interface *interfaces)
{
    bool inertia = false;

    for (int k = 0; k < 9; k++)
        inertia = inertia || mass->inertia[k] != 0.0;
    if (!inertia || interfaces[mass->at.port].turns)
        return PHX_OK;
    return phx_builder_at(builder, mass,
                          phx_fail(builder->context, PHX_ERR_ARGUMENT,
                                   "body '%s': a mass with inertia at '%s', a single node, which does not turn; take a "
                                   "port on a set of nodes",
                                   body->name, body->ports[mass->at.port].name));
}

/* Creates the reduced source of a finite-element body from interfaces, masses, loads and basis. Takes over the finite-
 * element model, which is destroyed after a failure. */
static phx_status make_source(phx_builder *builder, const phx_model_body *body, phx_elastic_model *elastic,
                              const unsigned char *held, phx_flex_source **source)
{
    const phx_elastic_keys *keys = keys_of(body);
    const int index = (int)(body - builder->model->bodies);
    phx_context *context = builder->context;
    phx_interface *interfaces = phx_calloc(context, (size_t)body->n_ports + 1, sizeof *interfaces);
    phx_continuum_mass *masses = phx_calloc(context, (size_t)body->n_point_masses + 1, sizeof *masses);
    unsigned char *joined = phx_calloc(context, (size_t)body->n_ports + 1, 1);
    phx_continuum_def def = {.name = body->name,
                             .basis = elastic->modal_K && !keys->basis.given ? PHX_BASIS_OWN : keys->basis.kind,
                             .modes = keys->basis.modes,
                             .among = !keys->basis.choose     ? 0
                                      : keys->basis.among > 0 ? keys->basis.among
                                                              : 10 * keys->basis.modes,
                             .statics = keys->basis.statics,
                             .stiffening = body->stiffening,
                             .held = held,
                             .joined = joined,
                             .n_masses = body->n_point_masses,
                             .masses = masses};
    body_loads loads = {0};
    phx_status status =
        interfaces && masses && joined ? loads_on_body(builder, index, elastic, &loads) : PHX_ERR_MEMORY;

    for (int k = 0; k < body->n_ports && !status; k++) {
        status = make_interface(builder, elastic, &body->ports[k], &interfaces[k]);
        if (!status && def.basis == PHX_BASIS_OWN && interfaces[k].n_tied > 0)
            status = phx_builder_at(builder, &body->ports[k],
                                    phx_fail(context, PHX_ERR_ARGUMENT,
                                             "port '%s': in modes that are given its nodes cannot be made rigid: "
                                             "'attach: average', or a single node",
                                             body->ports[k].name));
        joined[k] = phx_builder_is_joined(builder->model, index, k);
        if (keys->basis.at && !strcmp(keys->basis.at, body->ports[k].name))
            def.hold = k;
    }
    for (int k = 0; k < body->n_point_masses && !status; k++) {
        status = elastic_check_mass(builder, body, &body->point_masses[k], interfaces);
        masses[k] =
            (phx_continuum_mass){.interface = body->point_masses[k].at.port, .mass = body->point_masses[k].mass};
        memcpy(masses[k].inertia, body->point_masses[k].inertia, sizeof masses[k].inertia);
    }
    if (!status) {
        def.n_loads = loads.n_forces;
        def.loads = loads.forces;
        def.n_strains = loads.n_strains;
        def.strains = loads.strains;
        choose_frame(builder->model, body, interfaces, &def);
        status = phx_continuum_source_create(context, &def, elastic, body->n_ports, interfaces, source);
    }
    for (int k = 0; k < body->n_ports && status && interfaces; k++)
        phx_interface_free(&interfaces[k]);
    if (status)
        phx_elastic_destroy(elastic);
    phx_free(interfaces);
    phx_free(masses);
    phx_free(joined);
    phx_free(loads.forces);
    phx_free(loads.strains);
    return status;
}

/* For the key: whether a joint, a weld or something else is at each port. */
static void look_at_ports(const phx_model *model, const phx_model_body *body, unsigned char *ports)
{
    const int index = (int)(body - model->bodies);

    for (int k = 0; k < body->n_ports; k++)
        ports[k] = (unsigned char)(phx_builder_is_joined(model, index, k) + 2 * phx_builder_has_joint(model, index, k) +
                                   4 * is_welded(model, index, k));
}

static phx_status new_source(phx_builder *builder, const phx_model_body *body, phx_elastic_make_fn *make,
                             phx_flex_source **source)
{
    phx_elastic_model *elastic = NULL;
    unsigned char *held = NULL;
    phx_status status = make(builder, body, &elastic, &held);

    if (!status)
        status = make_source(builder, body, elastic, held, source);
    phx_free(held);
    return status;
}

/* Returns the reduced source of a body, from the cache if the same body was built before; warns of a poor basis in any
 * case. */
static phx_status find_source(phx_builder *builder, const phx_model_body *body, phx_elastic_make_fn *make,
                              phx_flex_source **source)
{
    unsigned char *ports = phx_calloc(builder->context, (size_t)body->n_ports + 1, 1);
    char *key = NULL;

    if (!ports)
        return PHX_ERR_MEMORY;
    look_at_ports(builder->model, body, ports);
    phx_status status = phx_elastic_key(builder, body, ports, &key);
    phx_free(ports);
    if (status)
        return status;
    *source = phx_beam_cache_find_source(builder->cache, key);
    if (!*source) {
        status = new_source(builder, body, make, source);
        if (!status)
            status = phx_beam_cache_keep_source(builder->cache, builder->context, key, *source);
    }
    phx_free(key);
    return status ? status : elastic_judge(builder, body, phx_continuum_quality(*source));
}

phx_status phx_elastic_build(phx_builder *builder, const phx_model_body *body, phx_elastic_make_fn *make,
                             phx_flex_source **source, phx_body **made)
{
    phx_body_def def = phx_builder_body_def(builder, body);
    phx_status status = find_source(builder, body, make, source);

    if (status)
        return status;
    def.flex = phx_flex_source_flex(*source);
    return phx_body_create(builder->context, &def, made);
}

/* ---- loads over surfaces as loads of the system ---- */
/* 1 + its number among the temperatures of its body; 0: it is none. */
static int strain_of(const phx_model *model, const phx_model_load *load)
{
    int number = 0;

    if (load->kind != PHX_MODEL_TEMPERATURE)
        return 0;
    for (const phx_model_load *k = model->loads; k <= load; k++)
        number += is_temperature(k, load->on);
    return number;
}

/* Adds a pressure, traction or temperature on a body to the system as modal loads with one signal for each component.
 * Takes over the signals, also after a failure. */
phx_status phx_builder_surface_load(phx_builder *builder, const phx_model_load *load, phx_signal *component[3])
{
    phx_context *context = builder->context;
    const phx_flex_source *source = phx_system_source(builder->system, load->on);
    const phx_elastic_model *elastic = phx_continuum_model(source);
    phx_flex_load fields[3] = {{.n = 0}};
    double *force = phx_calloc(context, (size_t)load->n_components * (size_t)elastic->n + 1, sizeof *force);
    phx_status status = force ? load_forces(builder, load, elastic, force, NULL) : PHX_ERR_MEMORY;
    int count = 0;

    for (int k = 0; k < load->n_components && !status; k++) {
        status = phx_continuum_load(context, source, force + (size_t)k * (size_t)elastic->n,
                                    strain_of(builder->model, load), &fields[count]);
        count += !status;
    }
    phx_free(force);
    if (!status)
        return phx_system_add_surface_load(builder->system, load->name, load->on, count, fields, component);
    for (int k = 0; k < count; k++)
        phx_flex_load_free(&fields[k]);
    for (int k = 0; k < 3; k++)
        phx_signal_destroy(component[k]);
    return status;
}
