/* Directions, rotations, inertias, ports, sections: what has a shape, and the checks of a body. */
#include "body_kinds.h"
#include "schema_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ZERO = 1e-150;    /* a length whose square vanishes */
static const double WRITTEN = 1e-3;   /* entries of R^T R of a matrix with few digits */
static const double SYMMETRIC = 1e-9; /* relative to the trace */
static const double NEGATIVE = 1e-6;  /* eigenvalue, the same */

/* ---- directions and rotations ---- */
static phx_status read_direction(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    double *v = field;
    int dim = reader->model->dimension;
    phx_status status = phx_read_numbers(reader, node, NULL, dim, v);
    if (status)
        return status;
    double length = hypot(hypot(v[0], v[1]), dim == 3 ? v[2] : 0.0);
    if (!(length > ZERO) || !isfinite(length))
        return phx_reader_fail(reader, node, "a direction must not be zero, its length is %g", length);
    for (int i = 0; i < dim; i++)
        v[i] /= length;
    return PHX_OK;
}

static phx_status read_direction_b(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                   void *owner)
{
    ((phx_model_joint *)owner)->axis_b_given = true;
    return read_direction(reader, key, node, field, owner);
}

/* `axes: [a, b]`: a in A's, b in B's directions. */
static phx_status read_directions(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                  void *owner)
{
    phx_model_joint *joint = owner;
    (void)field;
    if (node->kind != PHX_NODE_LIST || node->count != 2)
        return phx_reader_expected(reader, node, "two directions [a, b], a in A's and b in B's components");
    joint->axis_b_given = true;
    phx_status status = read_direction(reader, key, node->items[0], joint->axis, owner);
    return status ? status : read_direction(reader, key, node->items[1], joint->axis_b, owner);
}

static phx_status preset_rotation(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_model_rotation *rotation = field;
    int dim = reader->model->dimension;
    for (int i = 0; i < dim && !rotation->given; i++)
        rotation->matrix[i * (dim + 1)] = 1.0;
    return PHX_OK;
}

static phx_status read_angle(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_model_rotation *rotation = field;
    rotation->given = true;
    phx_status status = phx_read_number(reader, node, NULL, &rotation->angle);
    phx_rot_axis_angle(2, NULL, rotation->angle, rotation->matrix);
    return status;
}

static phx_status read_rotation(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    if (reader->model->dimension == 2 && node->kind != PHX_NODE_MAP)
        return read_angle(reader, key, node, field, owner);
    phx_rotation_form *form = phx_reader_calloc(reader, 1, sizeof *form);
    if (!form)
        return PHX_ERR_MEMORY;
    const phx_object *object = reader->model->dimension == 2 ? &phx_schema_plane_rotation : key->object;
    phx_status status = phx_read_object(reader, object, node, form);
    if (!status)
        memcpy(field, &form->result, sizeof form->result);
    return status;
}

/* |R^T R - I| small and det R > 0. */
static bool shapes_is_rotation(const double R[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double dot = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
            if (!(fabs(dot - (i == j)) < WRITTEN))
                return false;
        }
    double c[3];
    phx_rot_x_vec(3, R, R + 3, c);
    return c[0] * R[6] + c[1] * R[7] + c[2] * R[8] > 0.0;
}

/* Converts a rotation given by angle, axis, quaternion or matrix into a rotation matrix; a zero quaternion or a matrix
 * that is no rotation is refused. */
phx_status phx_finish_rotation(phx_reader *reader, const phx_node *node, void *object)
{
    enum { AXIS, QUATERNION, MATRIX };
    phx_rotation_form *form = object;
    phx_model_rotation *result = &form->result;
    if (reader->model->dimension == 2) { /* {angle: a} */
        result->angle = form->angle;
        phx_rot_axis_angle(2, NULL, form->angle, result->matrix);
    } else if (form->kind == AXIS) {
        phx_rot_axis_angle(3, form->axis, form->angle, result->matrix);
    } else if (form->kind == QUATERNION) {
        const double *q = form->quaternion;
        double norm = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
        if (!(norm > ZERO) || !isfinite(norm))
            return phx_reader_fail(reader, phx_node_find(node, "quaternion"),
                                   "expected a quaternion [w, x, y, z] other than zero, its norm is %g", norm);
        phx_rot_from_quaternion(q, result->matrix);
    } else {
        if (!shapes_is_rotation(form->matrix))
            return phx_reader_fail(reader, phx_node_find(node, "matrix"),
                                   "the matrix is no rotation; its columns must be perpendicular unit vectors and its "
                                   "determinant 1");
        memcpy(result->matrix, form->matrix, sizeof result->matrix);
        phx_rot_normalise(3, result->matrix);
    }
    result->given = true;
    return PHX_OK;
}

/* Half of the last digit of a decimal number of four or more digits, which may have been rounded; 0: of a shorter one,
 * or of another expression, which are what is meant. */
static double rounding_of(const phx_node *node)
{
    const char *text = node->text, *point = NULL;
    double value;
    int digits = 0, behind = 0;
    if (node->kind != PHX_NODE_SCALAR || !phx_number_from_text(text, &value))
        return 0.0;
    for (; *text && *text != 'e' && *text != 'E'; text++) {
        point = *text == '.' ? text : point;
        const bool digit = *text >= '0' && *text <= '9';
        digits += digit && (digits > 0 || *text != '0');
        behind += digit && point;
    }
    return point && digits >= 4 ? 0.5 * pow(10.0, (double)(*text ? strtol(text + 1, NULL, 10) : 0) - behind) : 0.0;
}

static double coarsest(const phx_node *node)
{
    double rounding = 0.0;
    if (!node || node->kind == PHX_NODE_SCALAR)
        return node ? rounding_of(node) : 0.0;
    for (int i = 0; i < node->count; i++)
        rounding = fmax(rounding, coarsest(node->items[node->kind == PHX_NODE_LIST ? i : 2 * i + 1]));
    return rounding;
}

phx_status phx_finish_pose(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_pose *pose = object;
    (void)reader;
    pose->position_given = phx_node_find(node, "position") != NULL;
    pose->rounding = coarsest(node);
    return PHX_OK;
}

/* ---- inertias ---- */
/* Is the symmetric 3 x 3 matrix positive semidefinite, up to `small`? */
static bool is_semidefinite(const double S[9], double small)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (!(S[4 * i] >= -small) || !(S[4 * i] * S[4 * j] - S[3 * i + j] * S[3 * j + i] >= -small * small))
            return false;
    }
    double c[3];
    phx_rot_x_vec(3, S, S + 3, c);
    return c[0] * S[6] + c[1] * S[7] + c[2] * S[8] >= -small * small * small;
}

/* J is the inertia of some mass distribution when J = tr(S) I - S with the semidefinite S = int x x^T dm = tr(J)/2 I -
 * J. */
static phx_status check_inertia(phx_reader *reader, const phx_node *node, const double J[9])
{
    double trace = J[0] + J[4] + J[8], S[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (!(fabs(J[3 * i + j] - J[3 * j + i]) <= SYMMETRIC * fabs(trace)))
                return phx_reader_fail(reader, node, "an inertia must be symmetric; entries %d,%d and %d,%d differ",
                                       i + 1, j + 1, j + 1, i + 1);
            S[3 * i + j] = (i == j ? 0.5 * trace : 0.0) - J[3 * i + j];
        }
    if (!is_semidefinite(S, NEGATIVE * fabs(trace)) || trace < 0.0)
        return phx_reader_fail(reader, node,
                               "no body has this inertia: principal moments must not be negative, nor one "
                               "greater than the sum of the other two");
    return PHX_OK;
}

/* Reads inertia: in the plane a number, in space principal moments or 3 x 3 rows, which are checked for physical
 * validity. */
static phx_status read_inertia(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    double *J = field;
    if (reader->model->dimension == 2)
        return phx_read_number(reader, node, key->range, J);
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    if (node->kind != PHX_NODE_LIST || node->count != 3)
        return phx_reader_expected(reader, node, "principal moments [Ixx, Iyy, Izz] or 3 rows of 3 numbers");
    phx_status status = PHX_OK;
    if (node->items[0]->kind == PHX_NODE_LIST) {
        for (int i = 0; i < 3 && !status; i++)
            status = phx_read_numbers(reader, node->items[i], NULL, 3, J + 3 * i);
    } else {
        double diagonal[3] = {0.0, 0.0, 0.0};
        status = phx_read_numbers(reader, node, key->range, 3, diagonal);
        for (int i = 0; i < 3; i++)
            J[4 * i] = diagonal[i];
    }
    return status ? status : check_inertia(reader, node, J);
}

/* ---- integrals over modes ---- */
/* One value for each pair of rotational axes. */
static phx_status read_pairs(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)owner;
    if (reader->model->dimension == 2)
        return phx_read_number(reader, node, key->range, field);
    return phx_read_numbers(reader, node, key->range, 6, field);
}

/* `count` matrices over the modes of the body. */
static phx_status read_matrices(phx_reader *reader, const phx_node *node, int count, void *field)
{
    const int n = reader->body->n_modes;
    char expected[120];
    snprintf(expected, sizeof expected, "a list of %d matri%s of %d x %d numbers, one row for each mode", count,
             count == 1 ? "x" : "ces", n, n);
    if (node->kind != PHX_NODE_LIST || node->count != count)
        return phx_reader_expected(reader, node, expected);
    double *values = phx_reader_calloc(reader, (size_t)count * (size_t)n * (size_t)n, sizeof *values);
    if (!values)
        return PHX_ERR_MEMORY;
    memcpy(field, &values, sizeof values);
    for (int p = 0; p < count; p++) {
        const phx_node *matrix = node->items[p];
        if (matrix->kind != PHX_NODE_LIST || matrix->count != n)
            return phx_reader_expected(reader, matrix, expected);
        for (int i = 0; i < n; i++) {
            phx_status status = phx_read_numbers(reader, matrix->items[i], NULL, n, values + ((size_t)p * n + i) * n);
            if (status)
                return status;
        }
    }
    return PHX_OK;
}

static phx_status read_gyroscopic(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                  void *owner)
{
    (void)key, (void)owner;
    return read_matrices(reader, node, reader->model->dimension == 2 ? 1 : 3, field);
}

static phx_status read_second(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    return read_matrices(reader, node, reader->model->dimension == 2 ? 1 : 6, field);
}

/* ---- ports ---- */
void phx_place_port_by_position(const phx_model_body *body, phx_model_port *port)
{
    (void)body;
    port->location = phx_location_at_place(3, port->position);
}

/* NULL: of the ground. */
static void shapes_place_port(const phx_model_body *body, phx_model_port *port)
{
    if (body)
        phx_body_row_of(body)->place_port(body, port);
    else
        phx_place_port_by_position(NULL, port);
}

/* A port that always exists. */
static phx_status add_port(phx_reader *reader, const phx_node *node, phx_model_port *port, const char *name,
                           double fraction)
{
    port->name = name;
    port->location.fraction = fraction;
    shapes_place_port(reader->body, port);
    preset_rotation(reader, NULL, &port->rotation, NULL);
    return phx_reader_place(reader, port, sizeof *port, node ? node->source : reader->body_source);
}

/* The node of a name in a map, NULL. */
static const phx_node *find_name(const phx_node *map, const char *name)
{
    for (int i = 0; i < map->count; i++)
        if (!strcmp(map->items[2 * i]->text, name))
            return map->items[2 * i];
    return NULL;
}

/* The ports that always exist, then those of the file. */
static phx_status make_ports(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    static const phx_node nothing = {.kind = PHX_NODE_SCALAR, .plain = true, .text = ""};
    static const phx_body_row ground = {.info = {.ports_in_file = true, .ports = {"O"}}};
    const phx_body_row *row = reader->body ? phx_body_row_of(reader->body) : &ground;
    int own[PHX_MODEL_MAX_OWN_PORTS], n = 0;
    for (int k = 0; k < PHX_MODEL_MAX_OWN_PORTS && row->info.ports[k]; k++) {
        const phx_node *given = node && node->kind == PHX_NODE_MAP ? find_name(node, row->info.ports[k]) : NULL;
        if (given && !row->info.ports_in_file)
            return phx_reader_fail(reader, given, "port '%s' of %s %s always exists; choose another name",
                                   row->info.ports[k], phx_article(row->info.noun), row->info.noun);
        if (!given)
            own[n++] = k;
    }
    phx_status status = phx_read_map(reader, key, node ? node : &nothing, n, field, (char *)owner + key->count_offset);
    phx_model_port *ports;
    memcpy(&ports, field, sizeof ports);
    for (int k = 0; k < n && !status; k++)
        status = add_port(reader, node, &ports[k], row->info.ports[own[k]], row->port_fractions[own[k]]);
    return status;
}

static phx_status preset_ports(phx_reader *reader, const phx_key *key, void *field, void *owner)
{
    return make_ports(reader, key, NULL, field, owner);
}

phx_status phx_finish_port(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_port *port = object;
    if (phx_node_find(node, "angle") && phx_node_find(node, "rotation"))
        return phx_reader_fail(reader, phx_node_find(node, "rotation"),
                               "'angle' and 'rotation' of a port say the same; "
                               "keep one");
    preset_rotation(reader, NULL, &port->rotation, NULL); /* of kinds whose ports have no such key */
    shapes_place_port(reader->body, port);
    const phx_body_row *row = reader->body ? phx_body_row_of(reader->body) : NULL;
    return row && row->finish_port ? row->finish_port(reader, node, port) : PHX_OK;
}

/* ---- sections ---- */
/* Torsion constant of a rectangle a >= b: a b^3/3 (1 - 192/pi^5 b/a sum_{n odd} tanh(n pi a/(2 b))/n^5). */
static double rectangle_torsion(double width, double height)
{
    const double pi = 3.14159265358979323846;
    double a = fmax(width, height), b = fmin(width, height), sum = 0.0;
    for (int n = 199; n >= 1; n -= 2)
        sum += tanh(n * pi * a / (2.0 * b)) / pow(n, 5);
    return a * b * b * b / 3.0 * (1.0 - 192.0 / pow(pi, 5) * b / a * sum);
}

/* Computes area, second moments, torsion constant and fibre distances of a circle, tube or rectangle; area and inertia
 * must be positive. */
phx_status phx_finish_section(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_section *s = object;
    const double pi = 3.14159265358979323846;
    double outer = s->kind == PHX_MODEL_CIRCLE ? s->diameter : s->outer, inner = s->inner;
    switch (s->kind) {
    case PHX_MODEL_TUBE:
        if (!(inner < outer))
            return phx_reader_fail(reader, phx_node_find(node, "inner"),
                                   "expected an inner diameter less than the outer one, found %g and %g m", inner,
                                   outer);
        /* fall through */
    case PHX_MODEL_CIRCLE:
        s->area = 0.25 * pi * (outer - inner) * (outer + inner);
        s->inertia[0] = s->inertia[1] = s->area / 16.0 * (outer * outer + inner * inner);
        s->torsion = 2.0 * s->inertia[0];
        s->fibre[0] = s->fibre[1] = 0.5 * outer;
        break;
    case PHX_MODEL_RECTANGLE:
        s->area = s->width * s->height;
        s->inertia[0] = s->area * s->width * s->width / 12.0;
        s->inertia[1] = s->area * s->height * s->height / 12.0;
        s->torsion = rectangle_torsion(s->width, s->height);
        s->fibre[0] = 0.5 * s->height;
        s->fibre[1] = 0.5 * s->width;
        break;
    default:
        break;
    }
    if (!isnormal(s->area) || !isnormal(s->inertia[1]))
        return phx_reader_fail(reader, node, "the section has area %g m^2 and inertia %g m^4; check the dimensions",
                               s->area, s->inertia[1]);
    return PHX_OK;
}

/* Either one section or stations: two at least, ascending, from 0 to 1. Each station begins with its place. */
phx_status phx_check_stations(phx_reader *reader, const phx_node *node, int count, const void *stations, size_t size)
{
    const phx_node *list = phx_node_find(node, "sections");

    if (!list == !phx_node_find(node, "section"))
        return phx_reader_fail(reader, list ? list : node, "%s has either 'section' or 'sections'",
                               phx_model_body_info_of(reader->body)->is);
    for (int k = 1; list && k < count; k++)
        if (phx_station_place(stations, size, k) < phx_station_place(stations, size, k - 1))
            return phx_reader_fail(reader, list, "expected stations with ascending 'at', found %g behind %g",
                                   phx_station_place(stations, size, k), phx_station_place(stations, size, k - 1));
    if (list && (count < 2 || phx_station_place(stations, size, 0) != 0.0 ||
                 phx_station_place(stations, size, count - 1) != 1.0))
        return phx_reader_fail(reader, list, "expected a first station at 0 and a last one at 1");
    return list ? phx_note_stations(reader, count, stations, size) : PHX_OK;
}

phx_model_section phx_section_between(const phx_model_section *a, const phx_model_section *b, double part)
{
    phx_model_section between = *a;

    if (b->kind == PHX_MODEL_GENERAL)
        between.kind = PHX_MODEL_GENERAL;
    between.area += part * (b->area - a->area);
    between.torsion += part * (b->torsion - a->torsion);
    for (int k = 0; k < 2; k++) {
        between.inertia[k] += part * (b->inertia[k] - a->inertia[k]);
        between.fibre[k] += part * (b->fibre[k] - a->fibre[k]);
    }
    return between;
}

/* ---- bodies ---- */
phx_status phx_begin_body(phx_reader *reader, const phx_node *node, void *object)
{
    reader->body = object;
    reader->body_source = node->source;
    reader->own_ports = (phx_names){0, NULL};
    reader->body->material = -1;
    reader->body->segments = 1;
    const size_t own = phx_body_row_of(reader->body)->own_size;
    if (own > 0 && !(reader->body->own = phx_reader_calloc(reader, 1, own)))
        return PHX_ERR_MEMORY;
    if (!strcmp(reader->body->name, "ground"))
        return phx_reader_fail(reader, reader->item, "the name 'ground' stands for what does not move; choose another");
    return PHX_OK;
}

phx_status phx_finish_damping(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_damping *damping = object;
    const phx_node *modal = phx_node_find(node, "modal");
    if (damping->modal.given && node->count > 1)
        return phx_reader_fail(reader, modal,
                               "'modal' does not go together with 'mass' and 'stiffness'; keep one form");
    return PHX_OK;
}

phx_status phx_check_inertia_of(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const double *J = body->inertia;
    double c[3] = {1.0, 0.0, 0.0};
    if (reader->model->dimension == 3)
        phx_rot_x_vec(3, J, J + 3, c);
    bool singular = reader->model->dimension == 2 ? J[0] == 0.0 : c[0] * J[6] + c[1] * J[7] + c[2] * J[8] <= 0.0;
    if (singular && !body->n_point_masses)
        return phx_reader_fail(reader, phx_node_find(node, "inertia"),
                               "expected an inertia greater than 0 (without point "
                               "masses the body could turn at no cost)");
    return PHX_OK;
}

phx_status phx_finish_body(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_body_row *row = phx_body_row_of(object);
    const phx_model_body *body = object;
    const phx_model_material *material =
        row->traits & PHX_BODY_MATERIAL ? &reader->model->materials[body->material] : NULL;

    if (material && material->orthotropic.given && !row->info.mesh)
        return phx_reader_fail(reader, phx_node_find(node, "material"),
                               "material '%s' is orthotropic, which is for plates and solids", material->name);
    return row->finish(reader, node, object);
}

/* Isotropic or orthotropic. */
phx_status phx_finish_material(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_material *material = object;
    const phx_node *young = phx_node_find(node, "young"), *poisson = phx_node_find(node, "poisson");
    const phx_node *expansion = phx_node_find(node, "expansion");

    if (!material->orthotropic.given)
        return young ? PHX_OK
                     : phx_reader_fail(reader, node,
                                       "key 'young' of a material is missing: Young's modulus; or "
                                       "'orthotropic'");
    if (young || poisson || expansion)
        return phx_reader_fail(reader,
                               young     ? young
                               : poisson ? poisson
                                         : expansion,
                               "an orthotropic material has its own 'young', 'poisson' and 'expansion'");
    material->young = material->orthotropic.young[0];
    return PHX_OK;
}

#define NUMBER_JSON "{\"$ref\": \"#/$defs/number\"}"
#define VECTOR_JSON "{\"$ref\": \"#/$defs/vector\"}"

const phx_type phx_type_direction = {"vector", VECTOR_JSON, read_direction, NULL};
const phx_type phx_type_direction_b = {"vector", VECTOR_JSON, read_direction_b, NULL};
const phx_type phx_type_directions = {
    "two vectors", "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": " VECTOR_JSON "}",
    read_directions, NULL};
const phx_type phx_type_angle = {"number", NUMBER_JSON, read_angle, preset_rotation};
const phx_type phx_type_rotation = {"rotation", NULL, read_rotation, preset_rotation};
const phx_type phx_type_inertia = {"number; space: 3 numbers or 3 x 3", "{\"$ref\": \"#/$defs/inertia\"}", read_inertia,
                                   NULL};
#define LIST_JSON(items) "{\"type\": \"array\", \"minItems\": 1, \"items\": " items "}"
const phx_type phx_type_pairs = {"number; space: 6 numbers",
                                 "{\"anyOf\": [" NUMBER_JSON ", {\"type\": \"array\", \"minItems\": 6, "
                                 "\"maxItems\": 6, \"items\": " NUMBER_JSON "}]}",
                                 read_pairs, NULL};
const phx_type phx_type_gyroscopic = {"list of matrices", LIST_JSON(LIST_JSON(LIST_JSON(NUMBER_JSON))), read_gyroscopic,
                                      NULL};
const phx_type phx_type_second = {"list of matrices", LIST_JSON(LIST_JSON(LIST_JSON(NUMBER_JSON))), read_second, NULL};
const phx_type phx_type_ports = {"map of names", NULL, make_ports, preset_ports};
