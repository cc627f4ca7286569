/* A finalised system in an archive, at the level of what it was built of: bodies, ports, joints, forces, outputs,
 * controllers, and what finalising it found: the assembled configuration, the zeros of the coordinates, the redundant
 * rows. What is read is a system that can take inputs and is finalised afterwards; its steps are those of the one that
 * was written, bit by bit. */
#include "written.h"
#include "system/building.h"

#include <string.h>

/* Sizes of the structures that are written; members that only the finalisation sets are not. */
PHX_SYS_WRITTEN(phx_coordinate_def, 184);
PHX_SYS_WRITTEN(phx_joint_def, 1280);
PHX_SYS_WRITTEN(contact_slot, 24);
PHX_SYS_WRITTEN(force_slot, 584);
PHX_SYS_WRITTEN(phx_output_def, 432); /* the compliance is in the rows over the stress, the force in the slot */
PHX_SYS_WRITTEN(phx_pose, 152);

/* ---- arrays of the system ---- */
/* How many there are; of a system that is read room for them, zeros. */
static void archive_array(phx_archive *archive, int *count, int *capacity, size_t size, void **array)
{
    phx_archive_count(archive, count);
    if (!phx_archive_reads(archive))
        return;
    *array = phx_calloc(phx_archive_context(archive), (size_t)*count, size);
    if (capacity)
        *capacity = *count;
    if (!*array) {
        *count = 0;
        phx_archive_fail(archive, PHX_ERR_MEMORY);
    }
}

void phx_sys_archive_index(phx_archive *archive, int count, int *index)
{
    int number = *index + 1;
    phx_archive_choice(archive, count, &number);
    *index = number - 1;
}

void phx_sys_archive_member(phx_archive *archive, int count, int *index)
{
    phx_archive_choice(archive, count - 1, index);
}

static void snapshot_refuse(phx_archive *archive, const char *why)
{
    if (!phx_archive_status(archive))
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT, "%s", why));
}

/* ---- rows, friction, points ---- */
PHX_SYS_WRITTEN(phx_row, 136);
/* Writes or reads a row with its kind, directions and target. */
void phx_sys_archive_row(phx_archive *archive, phx_row *row)
{
    int kind = (int)row->kind, hold = (int)row->hold, base = (int)row->base;

    phx_archive_choice(archive, PHX_ROW_WHEEL, &kind);
    phx_archive_choice(archive, PHX_HOLD_AXIS, &hold);
    phx_archive_choice(archive, PHX_ROW_WHEEL - 1, &base);
    row->kind = (phx_row_kind)kind;
    row->base = (phx_row_kind)base;
    row->hold = (phx_row_hold)hold;
    phx_archive_choice(archive, 2, &row->axis);
    double *const directions[] = {row->alpha, row->beta, row->alpha2, row->beta2};
    for (size_t k = 0; k < sizeof directions / sizeof *directions; k++)
        phx_archive_doubles(archive, 3, directions[k]);
    phx_archive_double(archive, &row->gear);
    phx_archive_double(archive, &row->target);
    phx_archive_bool(archive, &row->angular);
    phx_archive_bool(archive, &row->unwrapped);
}

PHX_SYS_WRITTEN(phx_friction, 32);
void phx_sys_archive_friction(phx_archive *archive, phx_friction *friction)
{
    double *const numbers[] = {&friction->kinetic, &friction->ratio, &friction->stribeck, &friction->regularised};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
}

PHX_SYS_WRITTEN(phx_penalty, 24);
void phx_sys_archive_penalty(phx_archive *archive, phx_penalty *penalty)
{
    phx_archive_double(archive, &penalty->stiffness);
    phx_archive_double(archive, &penalty->exponent);
    phx_archive_double(archive, &penalty->damping);
}

void phx_sys_archive_point(phx_archive *archive, const phx_system *system, phx_body_id body, phx_flex_point *point)
{
    const int n_q = body >= 0 ? phx_body_n_q(system->bodies[body].body) : 0;

    phx_flex_point_archive(archive, system->dim, point);
    if (point->n > 0 && (!point->dof || !point->phi || (!point->theta && !point->without_directions)))
        snapshot_refuse(archive, "a point does not say how it moves");
    for (int k = 0; k < point->n && !phx_archive_status(archive); k++)
        if (point->dof[k] < 0 || point->dof[k] >= n_q)
            snapshot_refuse(archive, "a point moves with a coordinate that its body has not");
}

/* ---- bodies ---- */
/* The deformations of all bodies, each once: bodies that share one are evaluated together. */
typedef struct deformations {
    int count;
    const phx_flex **flex;
    phx_flex_source **source; /* of those that are read */
} deformations;

static int deformation_of(const deformations *all, const phx_body *body)
{
    for (int k = 0; k < all->count; k++)
        if (all->flex[k] == phx_body_flex(body))
            return k;
    return -1;
}

static bool deforms(const phx_body *body)
{
    return phx_body_flex(body) && phx_body_flex(body)->n > 0;
}

/* Writes or reads the deformations that the bodies share, each once; in reading all->source owns them. */
static void archive_deformations(phx_archive *archive, const phx_system *system, deformations *all)
{
    phx_context *context = phx_archive_context(archive);
    const size_t room = (size_t)system->n_bodies;

    all->flex = phx_calloc(context, room, sizeof *all->flex);
    all->source = phx_calloc(context, room, sizeof *all->source);
    if (!all->flex || !all->source) {
        phx_archive_fail(archive, PHX_ERR_MEMORY);
        return;
    }
    for (int b = 0; b < system->n_bodies && !phx_archive_reads(archive); b++)
        if (deforms(system->bodies[b].body) && deformation_of(all, system->bodies[b].body) < 0)
            all->flex[all->count++] = phx_body_flex(system->bodies[b].body);
    int count = all->count;
    phx_archive_choice(archive, system->n_bodies, &count);
    all->count = 0;
    for (int k = 0; k < count && !phx_archive_status(archive); k++) {
        phx_flex_source_archive(archive, all->flex[k], &all->source[k]);
        if (phx_archive_reads(archive) && all->source[k])
            all->flex[k] = phx_flex_source_flex(all->source[k]);
        all->count++;
    }
}

static void archive_pose(phx_archive *archive, phx_pose *pose)
{
    phx_archive_doubles(archive, 3, pose->position);
    phx_archive_doubles(archive, 9, pose->rotation);
    phx_archive_double(archive, &pose->angle);
    phx_archive_doubles(archive, 3, pose->linear);
    phx_archive_doubles(archive, 3, pose->angular);
}

static void archive_body(phx_archive *archive, const deformations *all, body_slot *slot)
{
    const bool reads = phx_archive_reads(archive);
    int deformation = reads ? -1 : deformation_of(all, slot->body);

    phx_sys_archive_index(archive, all->count, &deformation);
    if (phx_archive_status(archive))
        return;
    phx_body_archive(archive, deformation < 0 ? NULL : all->flex[deformation], &slot->body);
    if (reads && deformation >= 0)
        slot->source = phx_flex_source_share(all->source[deformation]);
    archive_pose(archive, &slot->pose);
}

/* Writes or reads all bodies with their shared deformations. */
static void archive_bodies(phx_archive *archive, phx_system *system)
{
    deformations all = {0};

    archive_array(archive, &system->n_bodies, &system->building.cap_bodies, sizeof *system->bodies,
                  (void **)&system->bodies);
    archive_deformations(archive, system, &all);
    int made = 0;
    for (; made < system->n_bodies && !phx_archive_status(archive); made++)
        archive_body(archive, &all, &system->bodies[made]);
    for (int k = 0; k < all.count && all.source; k++)
        phx_flex_source_destroy(all.source[k]);
    phx_free(all.flex);
    phx_free(all.source);
}

/* ---- ports ---- */
static bool is_frame(const phx_system *system, const port_slot *slot)
{
    const phx_body_frame *frames;
    const int n = slot->body < 0 ? 0 : phx_body_frames(system->bodies[slot->body].body, &frames);

    for (int f = 0; f < n; f++)
        if (frames[f].x == slot->port.frame.x && frames[f].v == slot->port.frame.v)
            return true;
    return slot->body < 0 || phx_body_port_is_vector(system->bodies[slot->body].body, &slot->port);
}

/* The place on which a port slides. */
static void archive_place(phx_archive *archive, const phx_system *system, port_slot *slot)
{
    const int n_places = slot->body < 0 ? 0 : phx_body_places(system->bodies[slot->body].body, NULL, NULL);

    phx_archive_choice(archive, n_places, &slot->port.slides);
    phx_archive_bool(archive, &slot->port.place_alone);
    phx_archive_choice(archive, n_places, &slot->port.wheel);
    phx_archive_choice(archive, PHX_PORT_MAX - 1, &slot->port.wheel_entry);
    if (slot->port.place_alone && slot->port.slides == 0)
        snapshot_refuse(archive, "a port is at a place that its body has not");
}

/* Writes or reads a port; in reading fails if it is at a frame that its body does not have. */
void phx_sys_archive_port(phx_archive *archive, phx_system *system, port_slot *slot)
{
    phx_sys_archive_index(archive, system->n_bodies, &slot->body);
    if (phx_archive_reads(archive))
        slot->location.sort = PHX_LOCATION_SORTS;
    if (phx_archive_status(archive))
        return;
    phx_sys_archive_point(archive, system, slot->body, &slot->port.point);
    phx_archive_doubles(archive, 9, slot->port.rotation);
    phx_archive_int(archive, &slot->port.frame.x);
    phx_archive_int(archive, &slot->port.frame.v);
    archive_place(archive, system, slot);
    if (!is_frame(system, slot))
        snapshot_refuse(archive, "a port is at a frame that its body has not");
}

static void archive_ports(phx_archive *archive, phx_system *system)
{
    archive_array(archive, &system->n_ports, &system->building.cap_ports, sizeof *system->ports,
                  (void **)&system->ports);
    for (int i = 0; i < system->n_ports && !phx_archive_status(archive); i++)
        phx_sys_archive_port(archive, system, &system->ports[i]);
}

/* ---- joints ---- */
static void archive_coordinate(phx_archive *archive, phx_coordinate_def *def)
{
    phx_archive_bool(archive, &def->has_start);
    phx_archive_bool(archive, &def->has_rate);
    double *const numbers[] = {&def->start, &def->rate, &def->stiffness, &def->damping, &def->rest, &def->friction_arm};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_signal_archive(archive, &def->speed); /* of a motion: its derivative */
    phx_signal_archive(archive, &def->effort);
    phx_law_archive(archive, &def->law);
    phx_signal_archive(archive, &def->damper);
    phx_signal_archive(archive, &def->motor);
    phx_archive_bool(archive, &def->has_lower);
    phx_archive_bool(archive, &def->has_upper);
    phx_archive_double(archive, &def->lower);
    phx_archive_double(archive, &def->upper);
    phx_sys_archive_penalty(archive, &def->stop);
    phx_sys_archive_friction(archive, &def->friction);
}

/* Writes or reads the definition of a joint with its coordinates. */
static void archive_joint_def(phx_archive *archive, int n_ports, phx_joint_def *def)
{
    int kind = (int)def->kind;

    phx_archive_choice(archive, PHX_JOINT_KINDS - 1, &kind);
    def->kind = (phx_joint_kind)kind;
    phx_sys_archive_index(archive, n_ports, &def->a);
    phx_sys_archive_index(archive, n_ports, &def->b);
    phx_archive_doubles(archive, 3, def->axis);
    phx_archive_bool(archive, &def->has_axis_b);
    phx_archive_doubles(archive, 3, def->axis_b);
    phx_archive_bool(archive, &def->has_relative);
    phx_archive_doubles(archive, 9, def->relative);
    phx_archive_double(archive, &def->relative_angle);
    phx_archive_choice(archive, PHX_JOINT_MAX_COORDINATES, &def->n_coordinates);
    phx_archive_bool(archive, &def->inactive);
    for (int c = 0; c < PHX_JOINT_MAX_COORDINATES; c++)
        archive_coordinate(archive, &def->coordinate[c]);
}

static bool slides_along(const phx_system *system, phx_port_id id)
{
    return system->ports[id].port.slides && !system->ports[id].port.wheel;
}

/* The port that slides instead of A. */
static void archive_sliding(phx_archive *archive, const phx_system *system, const phx_joint_def *def, phx_port_id *on)
{
    const phx_joint_info *info = phx_joint_kind_info(def->kind);

    if (phx_archive_status(archive))
        return;
    if (def->a < 0 || def->b < 0 || slides_along(system, def->a) || slides_along(system, def->b)) {
        snapshot_refuse(archive, "a joint is between ports that are none of a joint");
        return;
    }
    if (!info->slides)
        return;
    phx_archive_choice(archive, system->n_ports - 1, on);
    if (!phx_sys_is_sliding_port(system, *on) || system->ports[*on].body != system->ports[def->a].body)
        snapshot_refuse(archive, "a joint slides along a body that has no place for it");
}

static void write_joint(phx_archive *archive, const phx_system *system, joint_slot *joint)
{
    char *name = joint->name;
    phx_joint_def def = phx_sys_joint_def(joint);
    phx_port_id on = joint->a;

    phx_archive_text(archive, &name);
    archive_joint_def(archive, system->n_ports, &def);
    archive_sliding(archive, system, &def, &on);
}

/* Reads a joint and adds it to the system; its signals and laws are freed if the archive has failed. */
static void read_joint(phx_archive *archive, phx_system *system)
{
    phx_joint_def def = {0};
    phx_port_id on = -1;
    char *name = NULL;
    phx_joint_id id = 0;

    phx_archive_text(archive, &name);
    archive_joint_def(archive, system->n_ports, &def);
    archive_sliding(archive, system, &def, &on);
    def.name = name;
    if (!phx_archive_status(archive)) {
        phx_archive_fail(archive, phx_sys_add_joint(system, &def, on, &id));
    } else {
        for (int c = 0; c < PHX_JOINT_MAX_COORDINATES; c++) {
            phx_signal_destroy(def.coordinate[c].speed);
            phx_signal_destroy(def.coordinate[c].effort);
            phx_signal_destroy(def.coordinate[c].damper);
            phx_signal_destroy(def.coordinate[c].motor);
            phx_law_destroy(def.coordinate[c].law);
        }
    }
    phx_free(name);
}

/* The rows that make a joint without rows of its own a rigid contact: the gap, the slips. */
static void archive_contact(phx_archive *archive, phx_system *system, int j)
{
    const bool reads = phx_archive_reads(archive);
    double side = system->joints[j].side, restitution = 0.0;

    for (int k = 0; k < system->contacts.n; k++)
        if (system->contacts.slot[k].joint == j)
            restitution = system->contacts.slot[k].restitution;
    phx_archive_double(archive, &side);
    phx_archive_double(archive, &restitution);
    if (reads && !phx_archive_status(archive))
        phx_archive_fail(archive, phx_sys_make_contact(system, j, side, restitution));
    if (phx_archive_status(archive))
        return;
    joint_slot *joint = &system->joints[j];
    phx_sys_archive_row(archive, &joint->constraints[0]);
    for (int c = 0; c < joint->n_coordinates; c++)
        phx_sys_archive_row(archive, &joint->coordinates[c].row);
}

/* Writes joint j, or reads and adds it, with the zeros of its coordinates; contacts have data of their own. */
void phx_sys_archive_joint(phx_archive *archive, phx_system *system, int j)
{
    bool contact = !phx_archive_reads(archive) && system->joints[j].contact;
    bool geared = !phx_archive_reads(archive) && system->joints[j].geared;

    phx_archive_bool(archive, &contact);
    phx_archive_bool(archive, &geared);
    if (phx_archive_reads(archive))
        read_joint(archive, system);
    else
        write_joint(archive, system, &system->joints[j]);
    if (contact && !phx_archive_status(archive))
        archive_contact(archive, system, j);
    if (geared && !phx_archive_status(archive)) {
        phx_row row = phx_archive_reads(archive) ? (phx_row){0} : system->joints[j].constraints[0];
        int of = system->joints[j].wheel_of, number = system->joints[j].wheel_number;
        phx_sys_archive_row(archive, &row);
        phx_sys_archive_index(archive, j, &of);
        phx_sys_archive_index(archive, PHX_JOINT_MAX_COORDINATES, &number);
        phx_sys_make_geared(&system->joints[j], &row, of, number);
        system->traits.wide = true;
    }
    for (int c = 0; !contact && !phx_archive_status(archive) && c < system->joints[j].n_coordinates; c++)
        phx_archive_double(archive, &system->joints[j].coordinates[c].row.target);
}

static void archive_joints(phx_archive *archive, phx_system *system)
{
    int count = system->n_joints;

    phx_archive_count(archive, &count);
    for (int j = 0; j < count && !phx_archive_status(archive); j++)
        phx_sys_archive_joint(archive, system, j);
}

/* ---- forces ---- */
/* Writes or reads all forces but those along coordinates, which finalising the system creates. */
static void archive_forces(phx_archive *archive, phx_system *system)
{
    const bool reads = phx_archive_reads(archive);
    int count = system->n_forces;

    while (!reads && count > 0 && system->forces[count - 1].kind == FORCE_COORDINATE)
        count--; /* they come last, when the system is finalised */
    if (reads) {
        archive_array(archive, &system->n_forces, &system->building.cap_forces, sizeof *system->forces,
                      (void **)&system->forces);
        count = system->n_forces;
    } else {
        phx_archive_count(archive, &count);
    }
    for (int i = 0; i < count && !phx_archive_status(archive); i++)
        phx_sys_archive_force(archive, system, &system->forces[i]);
    if (reads && !phx_archive_status(archive) && !phx_sys_links_follow(system))
        snapshot_refuse(archive, "a sum of coordinates lacks its links");
}

/* ---- outputs ---- */
/* Numbers that the values of an output are made with. */
static size_t stress_numbers(const phx_system *system, const output_slot *output)
{
    if (output->def.on_mesh) {
        const size_t n = (size_t)phx_body_n_q(system->bodies[output->def.body].body);
        const size_t columns = n + (size_t)output->n_pairs + (size_t)output->n_strains;
        return (size_t)output->nodes * (size_t)phx_stress_components(output->set) * columns + 1;
    }
    const phx_body_id body = system->ports[output->def.port].body;
    return body < 0 ? 0 : 6 * (size_t)phx_body_n_stress(system->bodies[body].body);
}

/* Writes or reads the definition of an output. */
static void archive_output_def(phx_archive *archive, const phx_system *system, phx_output_def *def)
{
    int quantity = (int)def->quantity;

    phx_archive_choice(archive, PHX_QUANTITIES - 1, &quantity);
    def->quantity = (phx_quantity)quantity;
    phx_sys_archive_index(archive, system->n_ports, &def->port);
    phx_sys_archive_index(archive, system->n_joints, &def->joint);
    bool *const marks[] = {&def->body_frame, &def->inertial, &def->at_a, &def->on_mesh, &def->whole};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        phx_archive_bool(archive, marks[k]);
    phx_archive_double(archive, &def->area);
    phx_archive_doubles(archive, 2, def->inertia);
    phx_archive_doubles(archive, 2, def->fibre);
    phx_sys_archive_index(archive, system->n_bodies, &def->body);
}

/* Pairs of coordinates of the body. */
static void archive_pairs(phx_archive *archive, const phx_system *system, output_slot *output)
{
    if (phx_archive_status(archive))
        return;
    if (!output->def.on_mesh || output->def.body < 0) {
        snapshot_refuse(archive, "an output has stresses of no body");
        return;
    }
    const int n = phx_body_n_q(system->bodies[output->def.body].body);
    phx_archive_int_array(archive, 2 * (size_t)output->n_pairs, &output->pair);
    for (int k = 0; k < 2 * output->n_pairs && !phx_archive_status(archive); k++)
        if (output->pair[k] < 0 || output->pair[k] >= n)
            snapshot_refuse(archive, "an output has stresses of coordinates that its body has not");
}

/* Writes or reads an output with its stress rows, whose size must fit the body. */
void phx_sys_archive_output(phx_archive *archive, const phx_system *system, output_slot *output)
{
    bool rows = output->stress != NULL;
    int set = (int)output->set;

    phx_archive_text(archive, &output->name);
    archive_output_def(archive, system, &output->def);
    phx_sys_archive_index(archive, system->n_forces, &output->force);
    phx_archive_choice(archive, PHX_STRESS_SETS, &set);
    output->set = (phx_stress_set)set;
    phx_archive_count(archive, &output->nodes);
    phx_archive_count(archive, &output->n_pairs);
    phx_archive_count(archive, &output->n_strains);
    phx_archive_bool(archive, &rows);
    if (rows && !phx_archive_status(archive) && (output->def.on_mesh ? output->def.body : output->def.port) < 0)
        snapshot_refuse(archive, "an output has stresses of no body");
    if (rows && !phx_archive_status(archive))
        phx_archive_double_array(archive, stress_numbers(system, output), &output->stress);
    if (output->n_pairs > 0)
        archive_pairs(archive, system, output);
}

static void archive_outputs(phx_archive *archive, phx_system *system)
{
    archive_array(archive, &system->channels.n_outputs, &system->building.cap_outputs, sizeof *system->channels.outputs,
                  (void **)&system->channels.outputs);
    for (int i = 0; i < system->channels.n_outputs && !phx_archive_status(archive); i++)
        phx_sys_archive_output(archive, system, &system->channels.outputs[i]);
}

/* ---- controllers ---- */
static void archive_names(phx_archive *archive, int count, char ***names)
{
    bool there = *names != NULL;

    phx_archive_bool(archive, &there);
    if (!there)
        return;
    if (phx_archive_reads(archive)) {
        *names = phx_calloc(phx_archive_context(archive), (size_t)count, sizeof **names);
        phx_archive_fail(archive, *names ? PHX_OK : PHX_ERR_MEMORY);
    }
    for (int k = 0; k < count && *names && !phx_archive_status(archive); k++)
        phx_archive_text(archive, &(*names)[k]);
}

static void archive_controller(phx_archive *archive, controller_slot *slot)
{
    phx_archive_text(archive, &slot->name);
    phx_archive_count(archive, &slot->n_inputs);
    phx_archive_count(archive, &slot->n_outputs);
    archive_names(archive, slot->n_outputs, &slot->output_names);
    archive_names(archive, slot->n_inputs, &slot->input_names);
    phx_block_archive(archive, &slot->block);
    if (phx_archive_reads(archive))
        slot->entry = -1;
}

static void archive_controllers(phx_archive *archive, phx_system *system)
{
    archive_array(archive, &system->control.n, NULL, sizeof *system->control.slot, (void **)&system->control.slot);
    for (int c = 0; c < system->control.n && !phx_archive_status(archive); c++)
        archive_controller(archive, &system->control.slot[c]);
}

/* ---- what finalising found ---- */
static void archive_found(phx_archive *archive, phx_system *system)
{
    int n_x = system->n_x, n_rows = system->rows.n;

    phx_archive_count(archive, &n_x);
    phx_archive_count(archive, &n_rows);
    if (!phx_archive_reads(archive)) {
        phx_archive_double_array(archive, (size_t)n_x, &system->start.x);
        for (int r = 0; r < n_rows; r++) {
            int redundant = system->rows.slot[r].redundant;
            phx_archive_int(archive, &redundant);
        }
        return;
    }
    found_before *found = phx_calloc(phx_archive_context(archive), 1, sizeof *found);
    if (!found) {
        phx_archive_fail(archive, PHX_ERR_MEMORY);
        return;
    }
    system->start.found = found;
    found->n_x = n_x;
    found->n_rows = n_rows;
    phx_archive_double_array(archive, (size_t)n_x, &found->x_start);
    found->redundant = phx_calloc(phx_archive_context(archive), (size_t)n_rows, sizeof *found->redundant);
    if (found->redundant)
        phx_archive_ints(archive, (size_t)n_rows, found->redundant);
    else
        phx_archive_fail(archive, PHX_ERR_MEMORY);
}

/* ---- the whole ---- */
static void archive_system(phx_archive *archive, phx_system *system)
{
    phx_archive_doubles(archive, 3, system->gravity);
    archive_bodies(archive, system);
    archive_ports(archive, system);
    archive_joints(archive, system);
    archive_forces(archive, system);
    archive_outputs(archive, system);
    archive_controllers(archive, system);
    archive_found(archive, system);
}

phx_status phx_system_write(const phx_system *system, phx_archive *archive)
{
    int dim = system->dim;

    if (!system->building.finalised)
        return phx_fail(phx_archive_context(archive), PHX_ERR_ARGUMENT, "the system must be finalised first");
    phx_archive_int(archive, &dim);
    archive_system(archive, (phx_system *)system); /* is only read */
    return phx_archive_status(archive);
}

/* Reads a system from an archive; it still has to be finalised. *made is NULL after an error. */
phx_status phx_system_read(phx_context *context, phx_archive *archive, phx_system **made)
{
    phx_system *system = NULL;
    int dim = 0;

    *made = NULL;
    phx_archive_int(archive, &dim);
    phx_status status = phx_archive_status(archive);
    if (!status)
        status = phx_system_create(context, dim, NULL, &system);
    if (!status) {
        archive_system(archive, system);
        status = phx_archive_status(archive);
    }
    if (status) {
        phx_system_destroy(system);
        return status;
    }
    *made = system;
    return PHX_OK;
}
