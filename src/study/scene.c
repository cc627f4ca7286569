/* The scene of a model: ports, joints, springs, loads, and section forces along the lines of its bodies. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { MOST_MAP_VALUES = 1 << 22 }; /* of a body: a longer line is drawn without section forces */

typedef struct scene_maker {
    phx_context *context;
    const phx_model *model;
    const phx_made_body *made;
    const phx_drawing *drawing;
    phx_scene *scene;
    int dim;
    int *first;        /* per body: its first port; one behind: the first that has no name of its own */
    phx_status status; /* PHX_ERR_MEMORY as soon as a list or a name cannot be allocated */
} scene_maker;

/* NULL is remembered. */
static void *had(scene_maker *maker, void *memory)
{
    if (!memory)
        maker->status = PHX_ERR_MEMORY;
    return memory;
}

/* The lists of `count` entries each. */
static char **texts(scene_maker *maker, int count)
{
    return had(maker, phx_calloc(maker->context, (size_t)count, sizeof(char *)));
}

static int *integers(scene_maker *maker, int count)
{
    return had(maker, phx_calloc(maker->context, (size_t)count, sizeof(int)));
}

static double *numbers(scene_maker *maker, int count, int width)
{
    return had(maker, phx_calloc(maker->context, (size_t)count * (size_t)width, sizeof(double)));
}

static char *copy_of(scene_maker *maker, const char *text)
{
    return had(maker, phx_strdup(maker->context, text));
}

static int deformations(const scene_maker *maker, int body)
{
    return body < 0 || phx_body_vectors(maker->made[body].body) ? 0 : phx_body_n_q(maker->made[body].body);
}

/* ---- bodies ---- */
static void describe_section(const phx_model *model, const phx_model_body *body, double *radius, double *out)
{
    phx_model_sections sections;

    if (!phx_model_body_sections(model, body, &sections) || !sections.section)
        return;
    const phx_model_section *section = sections.section;
    const double values[PHX_SCENE_SECTION] = {section->area, section->inertia[0], section->inertia[1],
                                              section->fibre[0], section->fibre[1]};
    if (!sections.varies)
        memcpy(out, values, sizeof values);
    *radius = section->fibre[0];
}

/* Of the frames of a body each has its share of the mass. */
static void describe_frames(scene_maker *maker, int b)
{
    const int first = maker->drawing->first[b], dim = maker->dim;
    phx_scene *scene = maker->scene;
    const phx_length_point *points;
    const int n = phx_body_length_points(maker->made[b].body, &points);
    double length = 0.0;

    for (int k = 0; k < n; k++)
        length += points[k].weight;
    for (int k = 0; k < n; k++) {
        const int at = first + k;
        scene->mass[at] = phx_body_at_rest(maker->made[b].body)->mass * points[k].weight / length;
        memcpy(scene->centre + at * dim, points[k].place, (size_t)dim * sizeof(double));
        describe_section(maker->model, &maker->model->bodies[b], &scene->radius[at],
                         scene->section + at * PHX_SCENE_SECTION);
    }
}

/* Fills mass, centre of mass and section of all drawn bodies in the scene. */
static phx_status describe_bodies(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_scene *scene = maker->scene;
    const int n = maker->drawing->n_bodies;

    scene->radius = numbers(maker, n, 1);
    scene->mass = numbers(maker, n, 1);
    scene->centre = numbers(maker, n, maker->dim);
    scene->section = numbers(maker, n, PHX_SCENE_SECTION);
    if (maker->status)
        return maker->status;
    scene->n_bodies = n;
    for (int b = 0; b < model->n_bodies; b++) {
        const phx_mass_properties *rest = phx_body_at_rest(maker->made[b].body);
        const int at = maker->drawing->first[b];
        scene->mass[at] = rest->mass;
        for (int a = 0; a < maker->dim; a++)
            scene->centre[at * maker->dim + a] = rest->s0[a] / rest->mass;
        describe_section(model, &model->bodies[b], &scene->radius[at], scene->section + at * PHX_SCENE_SECTION);
        if (!phx_body_floats(maker->made[b].body))
            describe_frames(maker, b);
    }
    return PHX_OK;
}

/* ---- ports ---- */
/* The body of the recorder that a location of a body belongs to. */
static int seen_on(const scene_maker *maker, int body, const phx_location *location)
{
    const phx_length_point *points;

    if (body < 0)
        return -1;
    const int first = maker->drawing->first[body], n = phx_body_length_points(maker->made[body].body, &points);
    int nearest = 0;
    phx_body_port port = {.slides = 0};
    if (phx_body_vectors(maker->made[body].body)) {
        const phx_record_body *bodies = maker->drawing->bodies;
        if (phx_body_locate(maker->made[body].body, NULL, location, &port))
            return first;
        for (int r = first; r < maker->drawing->first[body + 1]; r++)
            if (bodies[r].x_count > 0 && bodies[r].x_start - bodies[first].x_start == port.frame.x)
                return r;
        return first;
    }
    for (int k = 1; k < n && location->sort == PHX_LOCATION_FRACTION; k++)
        if (fabs(points[k].fraction - location->fraction) < fabs(points[nearest].fraction - location->fraction))
            nearest = k;
    return first + nearest;
}

/* Displacement of a location of a body that deforms. */
static phx_status port_shapes(const scene_maker *maker, int body, const phx_location *location, double *position,
                              double *shapes)
{
    const int n_q = deformations(maker, body);
    phx_flex_point point = {0};
    phx_status status = phx_flex_source_point(maker->made[body].source, maker->context, location, &point);

    for (int a = 0; a < maker->dim && !status; a++) {
        position[a] = point.x[a];
        for (int k = 0; k < point.n; k++)
            shapes[a * n_q + point.dof[k]] = point.phi[a * point.n + k];
    }
    phx_flex_point_free(&point);
    return status;
}

/* `port` NULL: a point without directions of its own. */
static phx_status add_port(scene_maker *maker, int body, const char *name, const phx_model_port *port,
                           const phx_location *location)
{
    static const double identity[2][9] = {{1, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const int dim = maker->dim;
    const size_t square = (size_t)(dim * dim) * sizeof(double);
    phx_scene *scene = maker->scene;
    const int p = scene->n_ports, n_q = deformations(maker, body);

    scene->port_name[p] = copy_of(maker, name);
    if (maker->status)
        return maker->status;
    scene->port_body[p] = seen_on(maker, body, location);
    scene->n_ports++;
    if (port && (body < 0 || phx_body_floats(maker->made[body].body)))
        memcpy(scene->port_position + p * dim, port->position, (size_t)dim * sizeof(double));
    phx_body_port place = {.slides = 0};
    if (body >= 0 && phx_body_vectors(maker->made[body].body) &&
        !phx_body_locate(maker->made[body].body, NULL, location, &place))
        memcpy(scene->port_position + p * dim, place.point.x, (size_t)dim * sizeof(double));
    memcpy(scene->port_rotation + p * dim * dim, port ? port->rotation.matrix : identity[dim == 3], square);
    if (n_q == 0)
        return PHX_OK;
    double *shapes = scene->port_shapes + scene->n_port_shapes;
    scene->n_port_shapes += dim * n_q;
    return port_shapes(maker, body, location, scene->port_position + p * dim, shapes);
}

/* Named ports come first: those of the ground, then those of each body; then points body@s. */
static int scene_find_port(const scene_maker *maker, const phx_model_point *point)
{
    if (point->port >= 0)
        return (point->body < 0 ? 0 : maker->first[point->body]) + point->port;
    const char *name = strchr(point->text, '@');
    for (int p = maker->first[maker->model->n_bodies]; p < maker->scene->n_ports; p++)
        if (maker->scene->port_body[p] == seen_on(maker, point->body, &point->location) && name &&
            !strcmp(maker->scene->port_name[p], name))
            return p;
    return -1;
}

/* Allocates the ports of the scene: those of ground and bodies, and an upper bound for points that are written by
 * place instead of by port. */
static phx_status make_room_for_ports(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_scene *scene = maker->scene;
    int count = model->n_ground_ports, shapes = 0;

    for (int b = 0; b < model->n_bodies; b++) {
        count += model->bodies[b].n_ports;
        shapes += model->bodies[b].n_ports * deformations(maker, b);
    }
    for (int k = 0; phx_model_reference(model, k); k++)
        if (phx_model_reference(model, k)->text && phx_model_reference(model, k)->port < 0) {
            count++;
            shapes += deformations(maker, phx_model_reference(model, k)->body);
        }
    scene->port_name = texts(maker, count);
    scene->port_body = integers(maker, count);
    scene->port_position = numbers(maker, count, maker->dim);
    scene->port_rotation = numbers(maker, count, maker->dim * maker->dim);
    scene->port_shapes = numbers(maker, shapes, maker->dim);
    return maker->status;
}

/* Lists all ports of the scene: ground, then bodies, then points that joints and forces name by place. */
static phx_status describe_ports(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_status status = make_room_for_ports(maker);

    maker->first[0] = model->n_ground_ports;
    for (int b = 0; b < model->n_bodies; b++)
        maker->first[b + 1] = maker->first[b] + model->bodies[b].n_ports;
    for (int p = 0; p < model->n_ground_ports && !status; p++)
        status =
            add_port(maker, -1, model->ground_ports[p].name, &model->ground_ports[p], &model->ground_ports[p].location);
    for (int b = 0; b < model->n_bodies; b++)
        for (int p = 0; p < model->bodies[b].n_ports && !status; p++) {
            const phx_model_port *port = &model->bodies[b].ports[p];
            status = add_port(maker, b, port->name, port, &port->location);
        }
    for (int k = 0; phx_model_reference(model, k) && !status; k++) {
        const phx_model_point *point = phx_model_reference(model, k);
        if (point->text && scene_find_port(maker, point) < 0) /* a distributed load has none */
            status = add_port(maker, point->body, strchr(point->text, '@'), NULL, &point->location);
    }
    return status;
}

/* ---- joints, springs, loads, parameters ---- */
static phx_status describe_joints(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_scene *scene = maker->scene;
    const int n = model->n_joints;

    scene->joint_name = texts(maker, n);
    scene->joint_kind = texts(maker, n);
    scene->joint_a = integers(maker, n);
    scene->joint_b = integers(maker, n);
    scene->joint_axis = numbers(maker, n, maker->dim);
    scene->joint_drive = integers(maker, n);
    for (; scene->n_joints < n && !maker->status; scene->n_joints++) {
        const int j = scene->n_joints;
        const phx_model_joint *joint = &model->joints[j];
        scene->joint_name[j] = copy_of(maker, joint->name);
        scene->joint_kind[j] = copy_of(maker, phx_joint_kind_name(joint->kind));
        scene->joint_a[j] = scene_find_port(maker, &joint->ports[0]);
        scene->joint_b[j] = scene_find_port(maker, &joint->ports[1]);
        memcpy(scene->joint_axis + j * maker->dim, joint->axis, (size_t)maker->dim * sizeof(double));
        for (int c = 0; c < joint->n_coordinates; c++) {
            const phx_model_coordinate *coordinate = &joint->coordinates[c];
            if (coordinate->angular && (coordinate->speed || coordinate->motion || coordinate->effort))
                scene->joint_drive[j] = 1;
        }
    }
    return maker->status;
}

/* What a spring looks like. */
static const char *spring_kind(const phx_model_spring *spring)
{
    const bool pulls = spring->stiffness > 0.0 || spring->law.given,
               damps = spring->damping > 0.0 || spring->damper.given;

    return pulls && damps ? "strut" : pulls ? "spring" : damps ? "damper" : "actuator";
}

/* Between two points that follow each other. */
static void describe_spring(scene_maker *maker, const char *name, const char *kind, const phx_model_point *ports)
{
    phx_scene *scene = maker->scene;

    scene->spring_name[scene->n_springs] = copy_of(maker, name);
    scene->spring_kind[scene->n_springs] = copy_of(maker, kind);
    scene->spring_a[scene->n_springs] = scene_find_port(maker, &ports[0]);
    scene->spring_b[scene->n_springs] = scene_find_port(maker, &ports[1]);
    scene->n_springs++;
}

/* Fills wheel and radius at one end of the line that was described last: the term, if any, whose joint turns the body
 * there. A cable that is wound by a positive weight runs on the left of the wheel, seen from there to the other end. */
static void describe_wheel(scene_maker *maker, const phx_model_point *at, int n_terms, const phx_coupling_term *terms,
                           double towards, int *wheel, double *radius)
{
    for (int k = 0; k < n_terms; k++) {
        const phx_model_joint *joint = &maker->model->joints[terms[k].joint];
        const int end = joint->ports[1].body == at->body ? 1 : 0;
        if (at->body < 0 || joint->ports[end].body != at->body || !joint->coordinates[terms[k].coordinate].angular)
            continue;
        *wheel = terms[k].joint;
        *radius = (end == 1 ? towards : -towards) * terms[k].weight;
    }
}

/* The belt of a coupling: round the wheels of two joints that turn, beside each other. Same signs of the weights turn
 * them against each other. */
static void describe_belt(scene_maker *maker, const phx_model_force *force, const phx_coupling_term terms[2])
{
    const phx_model_joint *joints[2];
    phx_scene *scene = maker->scene;
    phx_model_point ports[2];

    for (int k = 0; k < 2; k++) {
        joints[k] = &maker->model->joints[terms[k].joint];
        ports[k] = joints[k]->ports[joints[k]->ports[1].body < 0 ? 0 : 1];
        if (!joints[k]->coordinates[terms[k].coordinate].angular)
            return;
    }
    const int s = scene->n_springs;
    describe_spring(maker, force->name, "belt", ports);
    scene->spring_wheel_a[s] = terms[0].joint;
    scene->spring_wheel_b[s] = terms[1].joint;
    scene->spring_radius_a[s] = fabs(terms[0].weight);
    scene->spring_radius_b[s] =
        terms[0].weight * terms[1].weight > 0.0 ? -fabs(terms[1].weight) : fabs(terms[1].weight);
}

/* Lists the lines of springs and forces in the scene; a force on several ports gives one line between successive
 * ports, a coupling of two joints that turn a belt. */
static phx_status describe_springs(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_scene *scene = maker->scene;
    int n = model->n_springs;

    for (int i = 0; i < model->n_forces; i++) /* a line from each port to the next, or a belt */
        n += model->forces[i].n_ports > 1 ? model->forces[i].n_ports - 1 : 1;
    scene->spring_name = texts(maker, n);
    scene->spring_kind = texts(maker, n);
    scene->spring_a = integers(maker, n);
    scene->spring_b = integers(maker, n);
    scene->spring_wheel_a = integers(maker, n);
    scene->spring_wheel_b = integers(maker, n);
    scene->spring_radius_a = numbers(maker, n, 1);
    scene->spring_radius_b = numbers(maker, n, 1);
    for (int i = 0; i < model->n_springs && !maker->status; i++)
        describe_spring(maker, model->springs[i].name, spring_kind(&model->springs[i]), model->springs[i].ports);
    for (int i = 0; i < model->n_forces && !maker->status; i++) {
        const phx_model_force *force = &model->forces[i];
        phx_coupling_term terms[PHX_FORCE_MOST_TERMS];
        const int n_terms = phx_model_force_terms(force, terms);
        if (force->n_ports == 0 && n_terms == 2)
            describe_belt(maker, force, terms);
        for (int k = 0; k + 1 < force->n_ports && !maker->status; k++) {
            const int s = scene->n_springs;
            describe_spring(maker, force->name, phx_model_force_kind_info(force->kind)->name, &force->ports[k]);
            describe_wheel(maker, &force->ports[k], n_terms, terms, 1.0, &scene->spring_wheel_a[s],
                           &scene->spring_radius_a[s]);
            describe_wheel(maker, &force->ports[k + 1], n_terms, terms, -1.0, &scene->spring_wheel_b[s],
                           &scene->spring_radius_b[s]);
        }
    }
    return maker->status;
}

/* Lists the loads in the scene with kind and port; a load on a whole body stands at its first port. */
static phx_status describe_loads(scene_maker *maker)
{
    static const char *const kinds[PHX_MODEL_LOAD_KINDS] = {
        [PHX_MODEL_FORCE] = "force",       [PHX_MODEL_TORQUE] = "torque",     [PHX_MODEL_DISTRIBUTED] = "distributed",
        [PHX_MODEL_PRESSURE] = "pressure", [PHX_MODEL_TRACTION] = "traction", [PHX_MODEL_TEMPERATURE] = "temperature"};
    phx_scene *scene = maker->scene;
    const int n = maker->model->n_loads;

    scene->load_name = texts(maker, n);
    scene->load_kind = texts(maker, n);
    scene->load_port = integers(maker, n);
    for (; scene->n_loads < n && !maker->status; scene->n_loads++) {
        const phx_model_load *load = &maker->model->loads[scene->n_loads];
        const phx_model_point first = {.body = load->on};
        scene->load_name[scene->n_loads] = copy_of(maker, load->name);
        scene->load_kind[scene->n_loads] = copy_of(maker, kinds[load->kind]);
        scene->load_port[scene->n_loads] = scene_find_port(maker, load->on >= 0 ? &first : &load->at);
    }
    return maker->status;
}

/* Lists the outputs that are forces at a port: reactions on port B, and what springs and forces exert. */
static phx_status describe_arrows(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_scene *scene = maker->scene;

    scene->arrow_name = texts(maker, model->n_outputs);
    scene->arrow_kind = texts(maker, model->n_outputs);
    scene->arrow_port = integers(maker, model->n_outputs);
    scene->arrow_directions = integers(maker, model->n_outputs);
    for (int i = 0; i < model->n_outputs && !maker->status; i++) {
        const phx_model_output *output = &model->outputs[i];
        const bool reaction = output->quantity == PHX_QUANTITY_REACTION;
        const phx_model_point *ports = reaction ? model->joints[output->joint].ports : NULL;
        if (!reaction && output->quantity != PHX_QUANTITY_FORCE)
            continue;
        const int k = scene->n_arrows;
        scene->arrow_name[k] = copy_of(maker, output->name);
        scene->arrow_kind[k] = copy_of(maker, reaction ? "reaction" : "exerted");
        scene->arrow_port[k] = scene_find_port(maker, reaction ? &ports[1] : &output->point);
        scene->arrow_directions[k] =
            reaction && output->frame == PHX_MODEL_BODY_FRAME ? scene_find_port(maker, &ports[0]) : scene->n_ports;
        scene->n_arrows++;
    }
    return maker->status;
}

/* Lists parameters with their values and gravity in the scene. */
static phx_status describe_parameters(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_scene *scene = maker->scene;

    scene->parameter_name = texts(maker, model->n_parameters);
    scene->parameter_value = numbers(maker, model->n_parameters, 1);
    scene->gravity = numbers(maker, maker->dim, 1);
    for (; scene->n_parameters < model->n_parameters && !maker->status; scene->n_parameters++) {
        const phx_model_parameter *parameter = &model->parameters[scene->n_parameters];
        scene->parameter_name[scene->n_parameters] = copy_of(maker, parameter->name);
        scene->parameter_value[scene->n_parameters] = parameter->value;
    }
    if (maker->status)
        return maker->status;
    scene->n_gravity = maker->dim;
    memcpy(scene->gravity, model->gravity, (size_t)maker->dim * sizeof(double));
    return PHX_OK;
}

/* ---- section forces ---- */
static const struct section_kind {
    const char *name, *unit;
} section_kinds[] = {
    {"axial_force", "N"}, {"bending_moment_y", "N m"}, {"bending_moment_z", "N m"}, {"torsion", "N m"}};
enum { AXIAL, MOMENT_Y, MOMENT_Z, TORSION, SECTION_KINDS };

/* Whether each section force exists and is linear in q: the axial force of a stiffened body is not. */
static int list_sections(const scene_maker *maker, int b, int kinds[SECTION_KINDS])
{
    const bool space = maker->dim == 3;
    phx_model_sections sections;
    int n = 0;

    if (!phx_model_body_sections(maker->model, &maker->model->bodies[b], &sections) || !maker->made[b].source ||
        (double)maker->drawing->bodies[maker->drawing->first[b]].n_points * deformations(maker, b) * SECTION_KINDS >
            MOST_MAP_VALUES)
        return 0;
    if (!phx_body_flex(maker->made[b].body)->stiffening)
        kinds[n++] = AXIAL;
    if (space)
        kinds[n++] = MOMENT_Y;
    kinds[n++] = MOMENT_Z;
    if (sections.torsion)
        kinds[n++] = TORSION;
    return n;
}

/* out = row S, S the rows of the stress vector over q */
static void through_stress(const phx_flex *flex, const double *row, double *out)
{
    const phx_csr *stress = &flex->stress;

    for (int i = 0; i < stress->rows; i++)
        for (int k = stress->ptr[i]; k < stress->ptr[i + 1] && row[i] != 0.0; k++)
            out[stress->idx[k]] += row[i] * stress->val[k];
}

/* Adds the maps from coordinates to section forces of body b at its drawn points to the scene, one for each of n
 * kinds; each map is the row of stress functionals times the stress map of the body. */
static phx_status map_sections(scene_maker *maker, int b, int n, const int *kinds)
{
    const phx_flex *flex = phx_body_flex(maker->made[b].body);
    phx_scene *scene = maker->scene;
    const int points = maker->drawing->bodies[maker->drawing->first[b]].n_points, n_q = flex->n;
    const size_t rows = (size_t)flex->n_stress, block = (size_t)points * (size_t)n_q;
    double *row = phx_calloc(maker->context, 4 * rows, sizeof *row);

    if (!row)
        return PHX_ERR_MEMORY;
    const double *of_kind[SECTION_KINDS] = {row, maker->dim == 2 ? NULL : row + rows,
                                            maker->dim == 2 ? row + rows : row + 2 * rows, row + 3 * rows};
    phx_status status = PHX_OK;
    for (int i = 0; i < points && !status; i++) {
        const phx_location location = phx_location_at_fraction((double)i / (points - 1));
        status = phx_flex_source_section_rows(maker->made[b].source, maker->context, &location, row, row + rows,
                                              maker->dim == 3 ? row + 3 * rows : NULL);
        for (int k = 0; k < n && !status; k++)
            through_stress(flex, of_kind[kinds[k]],
                           scene->maps + scene->n_maps + (size_t)k * block + (size_t)i * (size_t)n_q);
    }
    phx_free(row);
    if (status)
        return status;
    scene->n_maps += n * (int)block;
    for (int k = 0; k < n; k++) {
        const int s = scene->n_sections;
        scene->section_name[s] = copy_of(maker, section_kinds[kinds[k]].name);
        scene->section_unit[s] = copy_of(maker, section_kinds[kinds[k]].unit);
        scene->section_body[s] = maker->drawing->first[b];
        scene->n_sections++;
    }
    return maker->status;
}

/* Counts and allocates the section forces of all bodies, then fills their maps. */
static phx_status describe_sections(scene_maker *maker)
{
    const phx_model *model = maker->model;
    phx_scene *scene = maker->scene;
    int kinds[SECTION_KINDS], count = 0;
    size_t values = 0;

    for (int b = 0; b < model->n_bodies; b++) {
        const int n = list_sections(maker, b, kinds);
        count += n;
        values += (size_t)n * (size_t)maker->drawing->bodies[maker->drawing->first[b]].n_points *
                  (size_t)deformations(maker, b);
    }
    scene->section_body = integers(maker, count);
    scene->section_name = texts(maker, count);
    scene->section_unit = texts(maker, count);
    scene->maps = had(maker, phx_calloc(maker->context, values, sizeof *scene->maps));
    phx_status status = maker->status;
    for (int b = 0; b < model->n_bodies && !status; b++) {
        const int n = list_sections(maker, b, kinds);
        if (n > 0)
            status = map_sections(maker, b, n, kinds);
    }
    return status;
}

static phx_status describe_meshes(scene_maker *maker)
{
    phx_status status = PHX_OK;

    for (int b = 0; b < maker->model->n_bodies && maker->dim == 3 && !status; b++)
        if (maker->made[b].source)
            status = phx_scene_add_mesh(maker->context, maker->made[b].source, maker->model->bodies[b].name,
                                        maker->drawing->first[b], maker->scene);
    return status;
}

static phx_status describe_visuals(scene_maker *maker)
{
    return phx_scene_add_visuals(maker->context, maker->model, maker->made, maker->drawing, maker->scene);
}

/* Creates the scene of a viewer from model, made bodies and their drawing; empty after a failure. */
phx_status phx_scene_of(phx_context *context, const phx_model *model, const phx_made_body *made,
                        const phx_drawing *drawing, phx_scene *scene)
{
    static phx_status (*const parts[])(scene_maker *) = {
        describe_bodies, describe_ports,      describe_joints,   describe_springs, describe_loads,
        describe_arrows, describe_parameters, describe_sections, describe_meshes,  describe_visuals};
    scene_maker maker = {
        .context = context, .model = model, .made = made, .drawing = drawing, .scene = scene, .dim = model->dimension};

    *scene = (phx_scene){0};
    maker.first = integers(&maker, model->n_bodies + 1);
    phx_status status = maker.status;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && !status; k++)
        status = parts[k](&maker);
    phx_free(maker.first);
    if (status)
        phx_scene_free(scene);
    return status;
}
