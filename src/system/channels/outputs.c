/* Energies and output columns of a state. */
#include "channels.h"
#include "system/forces/forces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A quantity of outputs, and the rows of its derivative (output_jacobian.c). */
typedef struct quantity_row {
    phx_quantity_info info;
    phx_sys_jacobian_fn *jacobian; /* NULL of bodies on a mesh alone (stresses.c), and without derivative at rest */
} quantity_row;

static const quantity_row quantities[PHX_QUANTITIES] = {
    [PHX_QUANTITY_POSITION] = {{.of = PHX_OF_PORT, 0, "x|y", "x|y|z", "m", .measured = true},
                               phx_sys_position_jacobian},
    [PHX_QUANTITY_VELOCITY] = {{.of = PHX_OF_PORT, 1, "x|y", "x|y|z", "m/s", .measured = true},
                               phx_sys_velocity_jacobian},
    [PHX_QUANTITY_ACCELERATION] = {{.of = PHX_OF_PORT, 2, "x|y", "x|y|z", "m/s^2"}, phx_sys_acceleration_jacobian},
    [PHX_QUANTITY_ANGLE] = {{.of = PHX_OF_PORT, 0, "", "", "rad", .measured = true}, phx_sys_angle_jacobian},
    [PHX_QUANTITY_ANGULAR_VELOCITY] = {{.of = PHX_OF_PORT, 1, "", "x|y|z", "rad/s", .measured = true},
                                       phx_sys_angular_velocity_jacobian},
    [PHX_QUANTITY_ATTITUDE] = {{.of = PHX_OF_PORT, 0, "w|x|y|z", "w|x|y|z", ""}, phx_sys_attitude_jacobian},
    [PHX_QUANTITY_DEFORMATION] = {{.of = PHX_OF_PORT, 0, "x|y", "x|y|z", "m", .measured = true},
                                  phx_sys_deformation_jacobian},
    [PHX_QUANTITY_AXIAL_FORCE] = {{.of = PHX_OF_SECTION, 0, "", "", "N"}, phx_sys_stress_jacobian},
    [PHX_QUANTITY_BENDING_MOMENT] = {{.of = PHX_OF_SECTION, 0, "", "y|z", "N m", "beam or a plate"},
                                     phx_sys_stress_jacobian},
    [PHX_QUANTITY_TORSION] = {{.of = PHX_OF_SECTION, 0, "", "", "N m"}, phx_sys_stress_jacobian},
    [PHX_QUANTITY_STRESS] = {{.of = PHX_OF_SECTION, 0, "top|bottom", "top|bottom", "Pa", "beam, a plate or a solid"},
                             phx_sys_stress_jacobian},
    [PHX_QUANTITY_MEMBRANE_FORCE] = {{.of = PHX_OF_MESH, 0, "xx|yy|xy", "xx|yy|xy", "N/m", "plate"}, NULL},
    [PHX_QUANTITY_SHEAR_FORCE] = {{.of = PHX_OF_SECTION, 0, "", "y|z", "N", "rod or a plate"}, phx_sys_stress_jacobian},
    [PHX_QUANTITY_VON_MISES] = {{.of = PHX_OF_MESH, 0, "", "", "Pa", "plate or a solid", .instead = "stress"}, NULL},
    [PHX_QUANTITY_PRINCIPAL_STRESS] =
        {{.of = PHX_OF_MESH, 0, "max|min", "max|min", "Pa", "plate or a solid", .instead = "stress"}, NULL},
    [PHX_QUANTITY_STRAIN] = {{.of = PHX_OF_SECTION, 0, "g1|g2|k3", "g1|g2|g3|k1|k2|k3", "1, 1/m", "rod"},
                             phx_sys_stress_jacobian},
    [PHX_QUANTITY_REACTION] = {{.of = PHX_OF_JOINT, 2, "fx|fy|tz", "fx|fy|fz|tx|ty|tz", "N, N m"},
                               phx_sys_reaction_jacobian},
    [PHX_QUANTITY_COORDINATE] = {{.of = PHX_OF_JOINT, 0, NULL, NULL, "m or rad", .measured = true},
                                 phx_sys_coordinate_jacobian},
    [PHX_QUANTITY_RATE] = {{.of = PHX_OF_JOINT, 1, NULL, NULL, "m/s or rad/s", .measured = true},
                           phx_sys_rate_jacobian},
    [PHX_QUANTITY_EFFORT] = {{.of = PHX_OF_JOINT, 2, NULL, NULL, "N or N m"}, phx_sys_effort_jacobian},
    [PHX_QUANTITY_EDGE_SHEAR] = {{.of = PHX_OF_MESH, 0, "", "", "N/m", "plate"}, NULL},
    [PHX_QUANTITY_EDGE_MOMENT] = {{.of = PHX_OF_MESH, 0, "nn|nt", "nn|nt", "N m/m", "plate"}, NULL},
    [PHX_QUANTITY_CORNER_FORCE] = {{.of = PHX_OF_MESH, 0, "", "", "N", "plate"}, NULL},
    [PHX_QUANTITY_FORCE] = {{.of = PHX_OF_FORCE, 2, "x|y", "x|y|z", "N"}, phx_sys_force_jacobian},
};

const phx_quantity_info *phx_system_quantity_info(phx_quantity quantity)
{
    return (unsigned)quantity < PHX_QUANTITIES && quantities[quantity].info.unit ? &quantities[quantity].info : NULL;
}

static bool is_of(phx_quantity quantity, phx_quantity_target of)
{
    return quantities[quantity].info.of == of;
}

/* Whether the body of a port has sections of its own, without a source. */
static bool own_sections(const phx_system *system, const port_slot *port)
{
    return port->body != PHX_GROUND && phx_body_has_sections(system->bodies[port->body].body);
}

/* Whether there is a section at the port, with forces. */
static bool has_section(const phx_system *system, const port_slot *port)
{
    const phx_flex_source *source = phx_system_source(system, port->body);
    if (own_sections(system, port))
        return phx_body_location_sorts(system->bodies[port->body].body) & phx_location_bit(port->location.sort);
    return source && phx_flex_source_has_sections(source) && phx_flex_source_offers(source, port->location.sort);
}

/* Number of the spring or force of that name that acts at ports; -1: there is none. */
static int find_force(const phx_system *system, const char *name)
{
    for (int i = 0; name && i < system->n_forces; i++)
        if (phx_sys_force_sort(&system->forces[i])->at_ports && !strcmp(system->forces[i].name, name) &&
            system->forces[i].kind != FORCE_COORDINATE)
            return i;
    return -1;
}

/* Of a force on more than two ports the links that follow it have the others. */
static phx_port_id last_port(const phx_system *system, int force)
{
    const force_operations *sort = phx_sys_force_sort(&system->forces[force]);
    const force_slot *last = &system->forces[force + (sort->links ? sort->links(&system->forces[force]) : 0)];
    return last->b >= 0 ? last->b : last->a;
}

/* Checks that an output's body, port or joint exists and has the quantity. */
static phx_status check_output(const phx_system *system, const phx_output_def *def)
{
    phx_context *context = system->context;
    if (!phx_system_quantity_info(def->quantity))
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': there is no quantity %d", def->name,
                        (int)def->quantity);
    const bool joint = is_of(def->quantity, PHX_OF_JOINT);
    if (def->on_mesh) /* the rest by phx_sys_stresses_prepare */
        return def->body >= 0 && def->body < system->n_bodies
                   ? PHX_OK
                   : phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': there is no body %d", def->name, def->body);
    if (is_of(def->quantity, PHX_OF_MESH))
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': such stresses are those of a body on a mesh",
                        def->name);
    if (joint && (def->joint < 0 || def->joint >= system->n_joints))
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': there is no joint %d", def->name, def->joint);
    if (joint && def->quantity != PHX_QUANTITY_REACTION && system->joints[def->joint].n_coordinates == 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': joint '%s' has no free coordinate", def->name,
                        system->joints[def->joint].name);
    if (is_of(def->quantity, PHX_OF_FORCE))
        return find_force(system, def->force) >= 0
                   ? PHX_OK
                   : phx_fail(context, PHX_ERR_ARGUMENT,
                              "output '%s': there is no spring or force '%s' that acts at ports", def->name,
                              def->force ? def->force : "");
    if (!joint && (def->port < 0 || def->port >= system->n_ports))
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': there is no port %d", def->name, def->port);
    if (!joint && is_of(def->quantity, PHX_OF_SECTION) && !has_section(system, &system->ports[def->port]))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "output '%s': there is no section; section forces and stresses are those of a body with "
                        "sections along a length, as a beam",
                        def->name);
    if (def->quantity == PHX_QUANTITY_SHEAR_FORCE && !own_sections(system, &system->ports[def->port]))
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': shear forces are those of a rod or of a plate",
                        def->name);
    if (def->quantity == PHX_QUANTITY_STRAIN && !own_sections(system, &system->ports[def->port]))
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': strains are those of a rod", def->name);
    const port_slot *port = joint ? NULL : &system->ports[def->port];
    if (def->quantity == PHX_QUANTITY_DEFORMATION && port->body != PHX_GROUND &&
        (port->port.slides > 0 || !phx_body_floats(system->bodies[port->body].body)))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "output '%s': body '%s' has a frame at each node and no single one that a deformation would be "
                        "measured in; take the positions of the port and of P, or a beam",
                        def->name, phx_body_name(system->bodies[port->body].body));
    if (def->quantity == PHX_QUANTITY_TORSION && system->dim == 2)
        return phx_fail(context, PHX_ERR_ARGUMENT, "output '%s': there is no torsion in the plane", def->name);
    if (def->quantity == PHX_QUANTITY_STRESS && !(def->fibre[0] > 0.0 && def->area > 0.0 && def->inertia[0] > 0.0))
        return phx_fail(
            context, PHX_ERR_ARGUMENT,
            "output '%s': the section's extreme fibres are not known; a general section gives axial_force and "
            "bending_moment",
            def->name);
    return PHX_OK;
}

/* Adds an output to a system that is not finalised; the definition is copied. */
phx_status phx_system_add_output(phx_system *system, const phx_output_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    if (!def->name)
        return phx_fail_null(system->context, __func__, "the name of an output");
    phx_status status = check_output(system, def);
    output_slot *bigger = NULL;

    if (status)
        return status;
    if (system->building.finalised)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "the system is finalised; nothing can be added");
    bigger =
        phx_realloc(system->context, system->channels.outputs, (size_t)system->channels.n_outputs + 1, sizeof *bigger);
    if (!bigger)
        return PHX_ERR_MEMORY;
    system->channels.outputs = bigger;
    system->channels.outputs[system->channels.n_outputs] =
        (output_slot){.def = *def, .force = find_force(system, def->force)};
    output_slot *output = &system->channels.outputs[system->channels.n_outputs];
    output->name = phx_strdup(system->context, def->name);
    status = output->name ? PHX_OK : PHX_ERR_MEMORY;
    if (!status && def->on_mesh)
        status = phx_sys_stresses_prepare(system, output);
    output->def.location.name = NULL; /* of the caller, as all of the definition */
    output->def.force = NULL;
    if (output->force >= 0)
        output->def.port = last_port(system, output->force);
    if (status) {
        phx_sys_output_free(output);
        return status;
    }
    system->channels.n_outputs++;
    return phx_conclude(system->context, PHX_OK);
}

void phx_sys_output_free(output_slot *output)
{
    phx_free(output->name);
    phx_free(output->stress);
    phx_free(output->pair);
}

static const char *component_names(const phx_system *system, const output_slot *output)
{
    const phx_quantity_info *info = &quantities[output->def.quantity].info;
    if (output->def.on_mesh)
        return phx_sys_stresses_names(output);
    return system->dim == 2 ? info->plane : info->space;
}

static int count_of(const phx_system *system, const output_slot *output)
{
    const char *names = component_names(system, output);
    int count = 1;

    if (!names)
        return system->joints[output->def.joint].n_coordinates;
    for (; *names; names++)
        count += *names == '|';
    return count;
}

/* Rows over the stress vector of a section: axial, the moments (plane: 1), torsion at 3, shears at 4 (of bodies with
 * sections of their own). */
static phx_status section_rows(const phx_system *system, const port_slot *port, double *rows)
{
    const phx_body *body = system->bodies[port->body].body;
    const size_t n = (size_t)phx_body_n_stress(body);
    const bool space = system->dim == 3;

    if (!own_sections(system, port))
        return phx_flex_source_section_rows(phx_system_source(system, port->body), system->context, &port->location,
                                            rows, rows + n, space ? rows + 3 * n : NULL);
    phx_body_section_rows(body, &port->location, PHX_SECTION_AXIAL, rows);
    phx_body_section_rows(body, &port->location, PHX_SECTION_BENDING_Z, rows + (space ? 2 : 1) * n);
    phx_body_section_rows(body, &port->location, PHX_SECTION_SHEAR_Y, rows + 4 * n);
    if (space) {
        phx_body_section_rows(body, &port->location, PHX_SECTION_BENDING_Y, rows + n);
        phx_body_section_rows(body, &port->location, PHX_SECTION_TORSION, rows + 3 * n);
        phx_body_section_rows(body, &port->location, PHX_SECTION_SHEAR_Z, rows + 5 * n);
    }
    return PHX_OK;
}

/* Rows over the stress vector of the strains of a section, c sigma, from those of its forces and moments. */
static phx_status strain_rows(const phx_system *system, const output_slot *output, int n, double *rows)
{
    static const int plane[] = {0, 1, 5}, space[] = {0, 1, 2, 3, 4, 5};
    const int dim = system->dim, *component = dim == 2 ? plane : space;
    /* (N1 N2 N3 M1 M2 M3) among the section rows, M2 with the other sign */
    const int row[6] = {0, 4, 5, 3, 1, dim == 2 ? 1 : 2};
    double *forces = phx_calloc(system->context, 6 * (size_t)n, sizeof *forces);
    const phx_status status = forces ? section_rows(system, &system->ports[output->def.port], forces) : PHX_ERR_MEMORY;

    for (int k = 0; k < output->count && !status; k++)
        for (int j = 0; j < output->count; j++) {
            const int force = component[j];
            const double c = output->def.compliance[6 * component[k] + force] * (force == 4 ? -1.0 : 1.0);
            for (int i = 0; i < n; i++)
                rows[k * n + i] += c * forces[row[force] * n + i];
        }
    phx_free(forces);
    return status;
}

/* Columns, and the rows over the stress vector that stress quantities apply. */
phx_status phx_sys_output_prepare(phx_system *system)
{
    system->channels.n_columns = 0;
    for (int i = 0; i < system->channels.n_outputs; i++) {
        output_slot *output = &system->channels.outputs[i];
        output->first = system->channels.n_columns;
        output->count = count_of(system, output);
        system->channels.n_columns += output->count;
        if (!is_of(output->def.quantity, PHX_OF_SECTION) || output->def.on_mesh ||
            output->stress) /* read with the system */
            continue;
        const port_slot *port = &system->ports[output->def.port];
        const size_t n = (size_t)phx_body_n_stress(system->bodies[port->body].body);
        output->stress = phx_calloc(system->context, 6 * n, sizeof *output->stress);
        if (!output->stress)
            return PHX_ERR_MEMORY;
        const phx_status status = output->def.quantity == PHX_QUANTITY_STRAIN
                                      ? strain_rows(system, output, (int)n, output->stress)
                                      : section_rows(system, port, output->stress);
        if (status)
            return status;
    }
    return PHX_OK;
}

int phx_system_columns(const phx_system *system)
{
    if (!system)
        return 0;
    return system->channels.n_columns;
}

static const output_slot *output_of_column(const phx_system *system, int column)
{
    for (int i = 0; i < system->channels.n_outputs; i++)
        if (column < system->channels.outputs[i].first + system->channels.outputs[i].count)
            return &system->channels.outputs[i];
    return NULL;
}

/* Name of an output column, with the component after a dot if the output has several; nothing is written for an invalid
 * column. */
void phx_system_column_name(const phx_system *system, int column, char *buffer, size_t size)
{
    if (!system || !buffer || size == 0 || column < 0 || column >= phx_system_columns(system))
        return;
    const output_slot *output = output_of_column(system, column);
    const char *names = component_names(system, output);
    int k = column - output->first;

    if (output->count == 1) {
        snprintf(buffer, size, "%s", output->name);
        return;
    }
    if (!names) {
        snprintf(buffer, size, "%s.%d", output->name, k + 1);
        return;
    }
    for (; k > 0; k--)
        names = strchr(names, '|') + 1;
    snprintf(buffer, size, "%s.%.*s", output->name, (int)strcspn(names, "|"), names);
}

/* Unit of an output column; NULL if the column does not exist. */
const char *phx_system_column_unit(const phx_system *system, int column)
{
    if (!system || column < 0 || column >= phx_system_columns(system))
        return NULL;
    const output_slot *output = output_of_column(system, column);
    const int k = column - output->first;

    if (output->def.quantity == PHX_QUANTITY_REACTION)
        return k < system->dim ? "N" : "N m";
    if (output->def.quantity == PHX_QUANTITY_STRAIN)
        return k < system->dim ? "" : "1/m";
    if (is_of(output->def.quantity, PHX_OF_JOINT)) {
        const bool angular = system->joints[output->def.joint].coordinates[k].row.angular;
        switch (output->def.quantity) {
        case PHX_QUANTITY_COORDINATE:
            return angular ? "rad" : "m";
        case PHX_QUANTITY_RATE:
            return angular ? "rad/s" : "m/s";
        default:
            return angular ? "N m" : "N";
        }
    }
    return output->def.on_mesh ? phx_sys_stresses_unit(output) : quantities[output->def.quantity].info.unit;
}

phx_quantity phx_system_column_quantity(const phx_system *system, int column, int *component)
{
    const output_slot *output = output_of_column(system, column);

    if (component)
        *component = column - output->first;
    return output->def.quantity;
}

void phx_system_continue_attitudes(const phx_system *system, const double *before, double *columns)
{
    for (int o = 0; o < system->channels.n_outputs; o++) {
        const int k = system->channels.outputs[o].first;
        double product = 0.0;
        if (system->channels.outputs[o].def.quantity != PHX_QUANTITY_ATTITUDE)
            continue;
        for (int i = k; i < k + 4; i++)
            product += columns[i] * before[i];
        for (int i = k; i < k + 4 && product < 0.0; i++)
            columns[i] = -columns[i];
    }
}

/* ---- energies ---- */
double phx_total_energy(const phx_energies *energies)
{
    return energies->kinetic + energies->elastic + energies->potential + energies->controllers;
}

/* Kinetic, elastic and potential energy of a state, J, with springs under potential and controllers apart. */
void phx_system_energies(const phx_system *system, const double *x, const double *v, phx_energies *energies)
{
    *energies = (phx_energies){.controllers = phx_sys_controllers_energy(system, x)};
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_energies own;
        phx_body_energies_of(slot->body, system->gravity, x + slot->x, v + slot->v, &own);
        energies->kinetic += own.kinetic;
        energies->elastic += own.elastic;
        energies->potential += own.potential;
    }
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        const force_operations *of = phx_sys_force_of(force);
        phx_port_view a, b;
        if (!of->energy)
            continue;
        phx_sys_view_port(system, force->a, x, v, &a);
        if (force->b >= 0)
            phx_sys_view_port(system, force->b, x, v, &b);
        energies->potential += of->energy(system, force, &a, &b, x, v);
    }
}

/* ---- outputs ---- */
/* Directions of the section in inertial components, orthonormal: dim x dim, columns are the port's directions. */
/* Of a port that slides: e1 along d1, e2 of d2 across it. */
static void curve_frame(const phx_port_view *view, double *frame)
{
    const int dim = view->dim;
    const double *R = view->R1;
    double e[3][3] = {{0}}, along = 0.0, length;

    for (int k = 0; k < 2; k++) { /* in the plane d2 is across d1 already */
        for (int i = 0; i < dim; i++)
            e[k][i] = R[i * dim + k];
        along = k == 1 ? phx_dot(dim, e[0], e[1]) : 0.0;
        for (int i = 0; i < dim; i++)
            e[k][i] -= along * e[0][i];
        length = sqrt(phx_dot(dim, e[k], e[k]));
        for (int i = 0; i < dim; i++)
            e[k][i] /= length;
    }
    if (dim == 3)
        phx_rot_x_vec(3, e[0], e[1], e[2]);
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++)
            frame[i * dim + k] = e[k][i];
}

/* Orthonormal frame of a port's section at the end of the interval, inertial; `own` are the port's axes in the body
 * (columns). */
void phx_sys_section_frame(const phx_port_view *view, const double *own, double *frame)
{
    const int dim = view->dim;

    if (view->slides) {
        curve_frame(view, frame);
        return;
    }

    for (int j = 0; j < dim; j++) {
        double a[3], d[3], norm = 1.0;
        for (int i = 0; i < dim; i++)
            a[i] = own[i * dim + j];
        if (dim == 3) {
            phx_port_turned(view, 1, a, d);
        } else {
            phx_port_direction(view, 1, a, d);
            norm = sqrt(phx_dot(2, d, d));
        }
        for (int i = 0; i < dim; i++)
            frame[i * dim + j] = d[i] / norm;
    }
    phx_rot_normalise(dim, frame);
}

static void section_frame(const workspace *ws, phx_port_id id, double *frame)
{
    phx_sys_section_frame(&ws->ports.view[id], ws->system->ports[id].port.rotation, frame);
}

/* Inertial acceleration of a port: P v_dot + (d(P v)/dxi) v. */
static void port_acceleration(workspace *ws, phx_port_id id, const double *v_dot, double *a)
{
    const phx_system *system = ws->system;
    const port_slot *port = &system->ports[id];
    const int dim = system->dim, n = ws->ports.count[id], *cols = ws->ports.cols + ws->ports.first[id];
    double *tangent = ws->scratch.block, *P = ws->scratch.block + dim * n;

    memset(a, 0, (size_t)dim * sizeof *a);
    if (port->body == PHX_GROUND)
        return;
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    const phx_port_tangents out = {.rate = tangent, .place = P};
    phx_body_port_tangents(system->bodies[port->body].body, &port->port, &view, NULL, &out);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < n; j++) {
            a[i] += P[i * n + j] * v_dot[cols[j]];
            if (j >= dim)
                a[i] += tangent[i * (n - dim) + j - dim] * ws->view.vm[cols[j]];
        }
}

/* Plane: the angle of the port's own axes, (frame + section) + rotation of the port. */
static double port_angle(const workspace *ws, phx_port_id id)
{
    const double *rotation = ws->system->ports[id].port.rotation;
    return phx_port_angle(&ws->ports.view[id], 1) + atan2(rotation[2], rotation[0]);
}

/* Quaternion (w, x, y, z) of the port's axes. */
void phx_sys_port_attitude(workspace *ws, phx_port_id id, double *out)
{
    double R[9];
    if (ws->system->dim == 2) {
        const double half = 0.5 * port_angle(ws, id);
        out[0] = cos(half);
        out[1] = out[2] = 0.0;
        out[3] = sin(half);
    } else {
        section_frame(ws, id, R);
        phx_rot_to_quaternion(R, out);
    }
}

/* Angular velocity of a port's section, frame rotation plus section rotation, in axes of the body frame or inertial. */
static void port_angular_velocity(const phx_port_view *view, bool body_frame, double *out)
{
    double value[3];
    if (view->dim == 2) { /* (angle + atan w')' */
        out[0] = view->rate[2] + view->rate[3] / (1.0 + view->theta1[0] * view->theta1[0]);
        return;
    }
    double E[9]; /* w + E theta_dot */
    phx_port_section_turn(view, E);
    phx_rot_apply(3, E, view->rate + 6, value);
    for (int k = 0; k < 3; k++)
        value[k] += view->rate[3 + k];
    if (body_frame)
        memcpy(out, value, sizeof value);
    else
        phx_rot_apply(3, view->R1, value, out);
}

/* R^T (u - r) - x, body frame */
void phx_sys_port_deformation(const workspace *ws, phx_port_id id, double *out)
{
    const port_slot *port = &ws->system->ports[id];
    const phx_flex_point *point = &port->port.point;
    const int dim = ws->system->dim;
    const double *q = port->body == PHX_GROUND ? NULL : phx_sys_q(&ws->system->bodies[port->body], ws->view.x1);

    for (int a = 0; a < dim; a++) {
        out[a] = 0.0;
        for (int j = 0; j < point->n && q; j++)
            out[a] += point->phi[a * point->n + j] * q[point->dof[j]];
    }
}

/* Kinematic output of a port at an instant; accelerations follow from v_dot. */
static void port_quantity(workspace *ws, const output_slot *output, const double *v_dot, double *out)
{
    const phx_port_id id = output->def.port;
    const phx_port_view *view = &ws->ports.view[id];
    const int dim = ws->system->dim;
    double value[3] = {0};

    switch (output->def.quantity) {
    case PHX_QUANTITY_ANGLE:
        out[0] = port_angle(ws, id);
        return;
    case PHX_QUANTITY_ATTITUDE:
        phx_sys_port_attitude(ws, id, out);
        return;
    case PHX_QUANTITY_ANGULAR_VELOCITY:
        port_angular_velocity(view, output->def.body_frame, out);
        return;
    case PHX_QUANTITY_DEFORMATION:
        phx_sys_port_deformation(ws, id, output->def.inertial ? value : out);
        if (output->def.inertial)
            phx_rot_apply(dim, view->R1, value, out);
        return;
    case PHX_QUANTITY_POSITION:
        memcpy(value, view->u1, sizeof value);
        break;
    case PHX_QUANTITY_VELOCITY:
        memcpy(value, view->rate, (size_t)dim * sizeof *value);
        break;
    default:
        port_acceleration(ws, id, v_dot, value);
        break;
    }
    if (output->def.body_frame)
        phx_rot_apply_transposed(dim, view->R1, value, out);
    else
        memcpy(out, value, (size_t)dim * sizeof *out);
}

/* Section force, moment, strain or fibre stress at a port from the stress vector of the body. */
static void stress_quantity(workspace *ws, const output_slot *output, double *out)
{
    const phx_system *system = ws->system;
    const port_slot *port = &system->ports[output->def.port];
    const phx_body *body = system->bodies[port->body].body;
    const int n = phx_body_n_stress(body);
    double axial = 0.0, moment[2] = {0}, torsion = 0.0;

    phx_body_stress(body, phx_sys_body_view(ws, port->body).x1, ws->bodies.stress);
    axial = phx_dot(n, output->stress, ws->bodies.stress);
    moment[0] = phx_dot(n, output->stress + n, ws->bodies.stress);
    moment[1] = phx_dot(n, output->stress + 2 * n, ws->bodies.stress);
    torsion = phx_dot(n, output->stress + 3 * n, ws->bodies.stress);
    switch (output->def.quantity) {
    case PHX_QUANTITY_AXIAL_FORCE:
        out[0] = axial;
        break;
    case PHX_QUANTITY_BENDING_MOMENT:
        memcpy(out, moment, (size_t)output->count * sizeof *out);
        break;
    case PHX_QUANTITY_TORSION:
        out[0] = torsion;
        break;
    case PHX_QUANTITY_STRAIN:
        for (int k = 0; k < output->count; k++)
            out[k] = phx_dot(n, output->stress + k * n, ws->bodies.stress);
        break;
    case PHX_QUANTITY_SHEAR_FORCE:
        for (int k = 0; k < output->count; k++)
            out[k] = phx_dot(n, output->stress + (4 + k) * n, ws->bodies.stress);
        break;
    default: { /* sigma = N/A -+ M c/I at the fibres y = +-c: positive curvature compresses the upper side */
        double bend = moment[0] * output->def.fibre[0] / output->def.inertia[0];
        if (system->dim == 3)
            bend = fabs(bend) + fabs(moment[1] * output->def.fibre[1] / output->def.inertia[1]);
        out[0] = axial / output->def.area - bend;
        out[1] = axial / output->def.area + bend;
    }
    }
}

/* G_r^T of a row of the system at the current instant into `out` (n_v, overwritten). */
static void row_transposed(workspace *ws, int r, double *out)
{
    const phx_system *system = ws->system;
    const row_slot *slot = &system->rows.slot[r];
    double g[PAIR_SIZE];

    memset(out, 0, (size_t)system->n_v * sizeof *out);
    phx_row_covectors(slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], g, g + PHX_PORT_MAX);
    for (int side = 0; side < 2; side++) {
        const port_slot *port = &system->ports[side ? slot->b : slot->a];
        if (port->body == PHX_GROUND)
            continue;
        const phx_body_view view = phx_sys_body_view(ws, port->body);
        phx_body_port_apply(system->bodies[port->body].body, &port->port, &view, 1.0, g + side * PHX_PORT_MAX,
                            out + system->bodies[port->body].v);
    }
}

phx_status phx_sys_reactions_create(phx_context *context, const phx_system *system, int n_l, reactions *made)
{
    const size_t redundant = (size_t)system->rows.n_redundant;
    const phx_array arrays[] = {{&made->all, (size_t)system->rows.n},
                                {&made->dependence, redundant * ((size_t)n_l + redundant + 1)}};

    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

void phx_sys_reactions_free(reactions *made)
{
    phx_free(made->all);
    phx_free(made->dependence);
}

/* [M -G^T; G 0] (a, -C_r) = (G_r^T, 0),  a = 0 */
phx_status phx_sys_dependence(workspace *ws, double *C)
{
    const phx_system *system = ws->system;
    const int n_l = ws->rows.n, n_v = system->n_v;
    double *rhs = ws->scratch.vector[0];
    phx_status status = PHX_OK;

    for (int r = 0; r < system->rows.n_redundant && !status; r++) {
        row_transposed(ws, system->rows.redundant[r], rhs);
        memset(rhs + n_v, 0, (size_t)n_l * sizeof *rhs);
        status = ws->by->solve_mass(ws, rhs);
        for (int k = 0; k < n_l; k++)
            C[(size_t)r * (size_t)n_l + (size_t)k] = -rhs[n_v + k];
    }
    return status;
}

/* Least-norm multipliers of all rows that exert what the independent ones do. A redundant row is G_r = C_r G, and
 *   min |lambda - C^T z|^2 + |z|^2    gives    (I + C C^T) z = C lambda. */
static phx_status spread_multipliers(workspace *ws, const double *lambda, double *all)
{
    const phx_system *system = ws->system;
    const int n = system->rows.n_redundant, n_l = ws->rows.n;
    double *C = ws->reactions.dependence, *S = C + (size_t)n * (size_t)n_l, *z = S + n * n;
    phx_status status = phx_sys_dependence(ws, C);

    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++)
            S[r * n + c] =
                (r == c ? 1.0 : 0.0) + phx_dot(n_l, C + (size_t)r * (size_t)n_l, C + (size_t)c * (size_t)n_l);
        z[r] = phx_dot(n_l, C + (size_t)r * (size_t)n_l, lambda);
    }
    if (!status)
        status = phx_dense_cholesky(ws->base.context, n, S);
    if (status)
        return status;
    phx_dense_triangle_solve(false, n, S, 1, z);
    phx_dense_triangle_solve(true, n, S, 1, z);
    for (int k = 0; k < n_l; k++) {
        double sum = lambda[k];
        for (int r = 0; r < n; r++)
            sum -= C[(size_t)r * (size_t)n_l + (size_t)k] * z[r];
        all[ws->rows.index[k]] = sum;
    }
    for (int r = 0; r < n; r++)
        all[system->rows.redundant[r]] = z[r];
    return PHX_OK;
}

/* lambda times the torque of an effort g on the body of a port, inertial. */
static void add_torque(const phx_port_view *view, double lambda, const double *g, double *torque)
{
    const int dim = view->dim, n_rot = dim == 2 ? 1 : 3;
    double sum[3];

    for (int i = 0; i < dim - 1 && view->slides; i++) { /* efforts on the axes of the section: d x g */
        const double axis[3] = {view->R1[i], view->R1[dim + i], dim == 3 ? view->R1[2 * dim + i] : 0.0};
        phx_vec_x_vec(dim, axis, g + dim * (i + 1), sum);
        for (int k = 0; k < n_rot; k++)
            torque[k] += lambda * sum[k];
    }
    if (view->slides)
        return;
    if (dim == 2)
        sum[0] = g[2];
    else
        phx_rot_apply(3, view->R1, g + 3, sum);
    for (int k = 0; k < n_rot; k++)
        torque[k] += lambda * sum[k];
}

/* The reaction of A on B: force and torque of the constraint rows, in A's directions. About the place of port B it is
 * what the rows exert there, about that of port A the opposite of what they exert on A: no row does work on a common
 * rigid motion. */
static void reaction(workspace *ws, const output_slot *output, const double *multipliers, double *out)
{
    const phx_system *system = ws->system;
    const joint_slot *joint = &system->joints[output->def.joint];
    const int dim = system->dim;
    const int side = output->def.at_a ? 0 : PHX_PORT_MAX;
    const phx_port_view *on = &ws->ports.view[output->def.at_a ? joint->a : joint->b];
    double force[3] = {0}, torque[3] = {0}, frame[9], g[PAIR_SIZE];

    for (int k = 0; k < joint->n_constraints; k++) {
        const double lambda = output->def.at_a ? -multipliers[joint->first_row + k] : multipliers[joint->first_row + k];
        phx_row_covectors(&joint->constraints[k], &ws->ports.view[joint->a], &ws->ports.view[joint->b], g,
                          g + PHX_PORT_MAX);
        for (int a = 0; a < dim; a++)
            force[a] += lambda * g[side + a];
        add_torque(on, lambda, g + side, torque);
    }
    section_frame(ws, joint->a, frame);
    for (int i = 0; i < dim * dim && output->def.inertial; i++)
        frame[i] = i % (dim + 1) == 0 ? 1.0 : 0.0;
    phx_rot_apply_transposed(dim, frame, force, out);
    if (dim == 2)
        out[2] = torque[0];
    else
        phx_rot_apply_transposed(3, frame, torque, out + 3);
}

double phx_sys_coordinate_rate(const workspace *ws, int joint, int c)
{
    const coordinate_slot *coordinate = &ws->system->joints[joint].coordinates[c];
    const phx_port_view *a = &ws->ports.view[coordinate->a], *b = &ws->ports.view[coordinate->b];
    double g[PAIR_SIZE];

    return phx_row_rate(&coordinate->row, a, b, g);
}

/* Coordinates, rates or efforts of a joint; the effort is all that acts along the coordinate: drive, sticking friction
 * and controllers included. */
static void joint_quantity(workspace *ws, const output_slot *output, double t, const double *multipliers, double *out)
{
    const joint_slot *joint = &ws->system->joints[output->def.joint];
    const controller_list *control = &ws->system->control;

    for (int c = 0; c < joint->n_coordinates; c++) {
        const coordinate_slot *coordinate = &joint->coordinates[c];
        switch (output->def.quantity) {
        case PHX_QUANTITY_COORDINATE:
            out[c] = phx_sys_coordinate_value(ws, output->def.joint, c, 1);
            break;
        case PHX_QUANTITY_RATE:
            out[c] = phx_sys_coordinate_rate(ws, output->def.joint, c);
            break;
        default: /* what acts along it + lambda: springs, dampers, actuator, stops, friction, drive */
            out[c] = phx_sys_coordinate_along(ws, output->def.joint, c, t).force;
            if (coordinate->driven_row >= 0)
                out[c] += multipliers[coordinate->driven_row];
            if (coordinate->stick_row >= 0)
                out[c] += multipliers[coordinate->stick_row];
            for (int k = 0; k < control->n_actuations; k++)
                if (control->actuations[k].joint == output->def.joint && control->actuations[k].coordinate == c)
                    out[c] += ws->control.u[k];
        }
    }
}

/* What a spring or force exerts at the port of the output, a controller that drives it included: inertial components.
 */
static void force_quantity(workspace *ws, const output_slot *output, double t, double *out)
{
    const phx_system *system = ws->system;
    const force_slot *force = &system->forces[output->force];
    const int pair = system->n_joints + output->force;
    double *on = ws->ports.effort + (size_t)output->def.port * PHX_PORT_MAX;
    const phx_work power = ws->forces.power;

    memset(on, 0, PHX_PORT_MAX * sizeof *on); /* efforts on other ports are not read before they are cleared */
    const phx_status status = phx_sys_force_of(force)->evaluate(ws, pair, force, t, false, NULL);
    ws->forces.power = power;
    for (int k = 0; k < system->control.n_actuations; k++)
        if (system->control.actuations[k].force == output->force && !force->off) {
            phx_sys_add_effort(ws, force->a, ws->control.u[k], ws->control.effort + (size_t)k * PAIR_SIZE);
            phx_sys_add_effort(ws, force->b, ws->control.u[k],
                               ws->control.effort + (size_t)k * PAIR_SIZE + PHX_PORT_MAX);
        }
    for (int a = 0; a < system->dim; a++)
        out[a] = status ? NAN : on[a];
}

phx_status phx_sys_all_multipliers(workspace *ws, const double *lambda, double *all)
{
    for (int k = 0; k < ws->rows.n; k++)
        all[ws->rows.index[k]] = lambda[k];
    return ws->system->rows.n_redundant > 0 ? spread_multipliers(ws, lambda, all) : PHX_OK;
}

/* Values of all output columns at the instant of the workspace, from accelerations v_dot and the multipliers `all` of
 * all rows. */
void phx_sys_output_values(workspace *ws, double t, const double *v_dot, const double *all, const bool *wanted,
                           double *columns)
{
    const phx_system *system = ws->system;

    for (int i = 0; i < system->channels.n_outputs; i++) {
        const output_slot *output = &system->channels.outputs[i];
        double *out = columns + output->first;
        if (wanted && !wanted[i])
            continue;
        if (output->def.quantity == PHX_QUANTITY_REACTION)
            reaction(ws, output, all, out);
        else if (is_of(output->def.quantity, PHX_OF_JOINT))
            joint_quantity(ws, output, t, all, out);
        else if (is_of(output->def.quantity, PHX_OF_FORCE))
            force_quantity(ws, output, t, out);
        else if (output->def.on_mesh)
            phx_sys_stresses_evaluate(ws, output, t, out);
        else if (is_of(output->def.quantity, PHX_OF_SECTION))
            stress_quantity(ws, output, out);
        else
            port_quantity(ws, output, v_dot, out);
    }
}

/* Whether any of the outputs that are wanted (NULL: all) follows accelerations. */
static bool outputs_accelerate(const phx_system *system, const bool *wanted)
{
    bool some = false;

    for (int i = 0; i < system->channels.n_outputs; i++)
        some = some || ((!wanted || wanted[i]) && quantities[system->channels.outputs[i].def.quantity].info.order == 2);
    return some;
}

bool phx_sys_outputs_accelerate(const phx_system *system)
{
    return outputs_accelerate(system, NULL);
}

/* The columns, and with `drift` what phx_system_drift gives. */
static phx_status observe(phx_dae *dae, double t, const double *x, const double *v, const bool *wanted, double *drift,
                          double *columns)
{
    workspace *ws = (workspace *)dae;
    double *v_dot = ws->step.v1, *lambda = ws->scratch.multipliers;
    const bool accelerations = outputs_accelerate(ws->system, wanted);
    phx_status status = PHX_OK;

    if (accelerations)
        status = phx_sys_op_accelerations(dae, t, x, v, v_dot, lambda);
    if (status)
        return status;
    phx_sys_set_instant(ws, x, v);
    if (accelerations)
        status = phx_sys_all_multipliers(ws, lambda, ws->reactions.all);
    if (!status)
        phx_sys_output_values(ws, t, v_dot, ws->reactions.all, wanted, columns);
    if (!status && drift)
        phx_sys_drift(ws, t, &drift[0], &drift[1]);
    return phx_conclude(dae->context, status);
}

phx_status phx_system_outputs(phx_dae *dae, double t, const double *x, const double *v, double *columns)
{
    if (!dae || !x || !v || !columns)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v or columns");
    return observe(dae, t, x, v, NULL, NULL, columns);
}

phx_status phx_system_observe(phx_dae *dae, double t, const double *x, const double *v, double drift[2],
                              double *columns)
{
    return observe(dae, t, x, v, NULL, drift, columns);
}

phx_status phx_system_wanted_outputs(phx_dae *dae, double t, const double *x, const double *v, const bool *wanted,
                                     double *columns)
{
    return observe(dae, t, x, v, wanted, NULL, columns);
}

int phx_system_n_outputs(const phx_system *system)
{
    return system->channels.n_outputs;
}

int phx_system_column_output(const phx_system *system, int column)
{
    return (int)(output_of_column(system, column) - system->channels.outputs);
}

/* Output columns at an equilibrium, with zero velocities and accelerations. */
phx_status phx_system_static_outputs(phx_dae *dae, double t, const double *x, const double *lambda, double *columns)
{
    if (!dae || !x || !lambda || !columns)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, lambda or columns");
    workspace *ws = (workspace *)dae;
    double *rest = ws->step.vm, *multipliers = ws->scratch.multipliers;
    phx_status status = PHX_OK;

    memset(rest, 0, (size_t)ws->kkt.n_v * sizeof *rest);
    memcpy(multipliers, lambda, (size_t)ws->rows.n * sizeof *lambda);
    phx_sys_set_instant(ws, x, rest);
    ws->by->rows(ws, t, 0.0);
    if (ws->system->rows.n_redundant > 0)
        status = ws->by->factor_mass(ws, x);
    if (!status)
        status = phx_sys_all_multipliers(ws, multipliers, ws->reactions.all);
    if (!status)
        phx_sys_output_values(ws, t, rest, ws->reactions.all, NULL, columns);
    return phx_conclude(dae->context, status);
}

/* Adds the derivatives of an output at the point; fails for a quantity that has none at rest. */
void phx_sys_output_jacobian(jacobian_rows *rows, const output_slot *output)
{
    const quantity_row *quantity = &quantities[output->def.quantity];

    if (quantity->info.instead)
        rows->status = phx_fail(rows->ws->base.context, PHX_ERR_INPUT,
                                "the output '%s' has no derivative at rest and cannot be linearised; take '%s'",
                                output->name, quantity->info.instead);
    else if (output->def.on_mesh)
        phx_sys_stresses_jacobian(rows, output);
    else
        quantity->jacobian(rows, output);
}
