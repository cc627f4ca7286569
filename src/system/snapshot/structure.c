/* Which joints, contacts and forces of a system act, with the rows as switching has made them: what a system that is
 * finalised has beside its snapshot after events. */
#include "written.h"
#include "system/building.h"

#include <string.h>

static void structure_refuse(phx_archive *archive)
{
    if (!phx_archive_status(archive))
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "the joints and forces that act are those of another mechanism"));
}

/* A row keeps its kind; what it holds has other directions and values. */
static void archive_row(phx_archive *archive, phx_row *row)
{
    const phx_row_kind kind = row->kind;
    phx_row other = *row;

    phx_sys_archive_row(archive, &other);
    if (other.kind != kind)
        structure_refuse(archive);
    else if (!phx_archive_status(archive))
        *row = other;
}

static void archive_joint(phx_archive *archive, phx_system *system, joint_slot *joint)
{
    for (int k = 0; k < joint->n_constraints; k++)
        archive_row(archive, &joint->constraints[k]);
    for (int c = 0; c < joint->n_coordinates; c++) {
        if (joint->coordinates[c].stick_row < 0)
            continue;
        archive_row(archive, &joint->coordinates[c].row);
        phx_archive_double(archive, &joint->coordinates[c].slip);
    }
    phx_archive_doubles(archive, 3, system->ports[joint->b].port.point.x);
}

/* Whether a row can have the role. */
static bool can_be(const phx_system *system, const row_slot *row, row_role role)
{
    if (role == row->role || role == ROW_INACTIVE)
        return row->role != ROW_HELD || role == ROW_HELD;
    return role == (row->number < system->joints[row->joint].n_constraints ? ROW_CONSTRAINT : ROW_DRIVEN) &&
           row->role != ROW_HELD;
}

static void archive_role(phx_archive *archive, const phx_system *system, row_slot *row, int *redundant)
{
    int role = (int)row->role;

    phx_archive_choice(archive, ROW_INACTIVE, &role);
    phx_archive_choice(archive, 1, redundant);
    if (!can_be(system, row, (row_role)role))
        structure_refuse(archive);
    else if (!phx_archive_status(archive))
        row->role = (row_role)role;
}

/* Writes or reads which rows, joints and forces act at present and which rows are redundant; in reading the components
 * are found anew. */
void phx_system_archive_structure(phx_archive *archive, phx_system *system)
{
    const bool reads = phx_archive_reads(archive);
    int *redundant = phx_calloc(phx_archive_context(archive), (size_t)system->rows.n, sizeof *redundant);

    if (!redundant) {
        phx_archive_fail(archive, PHX_ERR_MEMORY);
        return;
    }
    for (int r = 0; r < system->rows.n && !phx_archive_status(archive); r++) {
        redundant[r] = system->rows.slot[r].redundant;
        archive_role(archive, system, &system->rows.slot[r], &redundant[r]);
    }
    for (int j = 0; j < system->n_joints && !phx_archive_status(archive); j++)
        archive_joint(archive, system, &system->joints[j]);
    for (int i = 0; i < system->n_forces && !phx_archive_status(archive); i++)
        phx_archive_bool(archive, &system->forces[i].off);
    if (reads && !phx_archive_status(archive))
        phx_archive_fail(archive, phx_sys_components(system));
    if (reads && !phx_archive_status(archive))
        phx_archive_fail(archive, phx_sys_take_redundant(system, redundant));
    phx_free(redundant);
}

/* ---- by names ---- */
void phx_system_begin_switches(phx_system *system)
{
    for (int j = 0; j < system->n_joints; j++)
        system->joints[j].switched = false;
    for (int i = 0; i < system->n_forces; i++)
        system->forces[i].switched = false;
}

/* Rows of a joint; which friction sticks, and which rows are redundant, is found anew. */
static void archive_one_joint(phx_archive *archive, phx_system *system, int j)
{
    joint_slot *joint = &system->joints[j];
    int redundant = 0;

    for (int r = joint->first_row; r < system->rows.n && system->rows.slot[r].joint == j; r++)
        if (!phx_sys_is_stick_row(joint, r))
            archive_role(archive, system, &system->rows.slot[r], &redundant);
    archive_joint(archive, system, joint);
    joint->switched = true;
}

/* count, then for each joint: name, size, bytes of its rows; for each force: name, 0, whether it is off. */
static void write_switched(phx_archive *archive, phx_system *system)
{
    int count = 0;

    for (int j = 0; j < system->n_joints; j++)
        count += system->joints[j].switched;
    for (int i = 0; i < system->n_forces; i++)
        count += system->forces[i].switched;
    phx_archive_count(archive, &count);
    for (int j = 0; j < system->n_joints && !phx_archive_status(archive); j++) {
        phx_archive *rows = NULL;
        size_t size = 0;
        if (!system->joints[j].switched)
            continue;
        phx_status status = phx_archive_create(phx_archive_context(archive), &rows);
        if (!status)
            archive_one_joint(rows, system, j);
        const void *bytes = status ? NULL : phx_archive_bytes(rows, &size);
        int n = (int)size;
        phx_archive_fail(archive, status ? status : phx_archive_status(rows));
        phx_archive_text(archive, &system->joints[j].name);
        phx_archive_count(archive, &n);
        phx_archive_block(archive, size, (void *)bytes);
        phx_archive_destroy(rows);
    }
    for (int i = 0; i < system->n_forces; i++) {
        int none = 0;
        if (!system->forces[i].switched)
            continue;
        phx_archive_text(archive, &system->forces[i].name);
        phx_archive_count(archive, &none);
        phx_archive_bool(archive, &system->forces[i].off);
    }
}

/* A joint has bytes of its rows, a force has none and its state behind. */
static phx_status take_joint(phx_context *context, phx_system *system, const char *name, size_t size, const void *bytes)
{
    phx_status status = PHX_OK;

    for (int j = 0; j < system->n_joints && !status; j++) {
        phx_archive *rows = NULL;
        if (strcmp(system->joints[j].name, name) != 0)
            continue;
        status = phx_archive_open(context, size, bytes, &rows);
        if (!status) {
            archive_one_joint(rows, system, j);
            status = phx_archive_status(rows);
        }
        phx_archive_destroy(rows);
        if (status == PHX_ERR_INPUT)
            phx_fail(context, status,
                     "joint '%s' has been switched and was of another kind; give the joint of this model another name",
                     name);
    }
    return status;
}

/* One entry, put on the joint or force of its name. */
static void take_switched(phx_archive *archive, phx_system *system)
{
    char *name = NULL;
    int size = 0;
    bool off = false;

    phx_archive_text(archive, &name);
    phx_archive_count(archive, &size);
    unsigned char *bytes = phx_calloc(phx_archive_context(archive), (size_t)size, 1);
    if (!bytes)
        phx_archive_fail(archive, PHX_ERR_MEMORY);
    else if (size > 0)
        phx_archive_block(archive, (size_t)size, bytes);
    else
        phx_archive_bool(archive, &off);
    if (!phx_archive_status(archive) && name && size > 0)
        phx_archive_fail(archive, take_joint(phx_archive_context(archive), system, name, (size_t)size, bytes));
    for (int i = 0; i < system->n_forces && name && size == 0 && !phx_archive_status(archive); i++)
        if (system->forces[i].kind != FORCE_COORDINATE && strcmp(system->forces[i].name, name) == 0) {
            system->forces[i].off = off;
            system->forces[i].switched = true;
        }
    phx_free(bytes);
    phx_free(name);
}

void phx_system_archive_switched(phx_archive *archive, phx_system *system, const double *x)
{
    int count = 0;

    if (!phx_archive_reads(archive)) {
        write_switched(archive, system);
        return;
    }
    phx_archive_count(archive, &count);
    for (int k = 0; k < count && !phx_archive_status(archive); k++)
        take_switched(archive, system);
    if (count > 0 && !phx_archive_status(archive))
        phx_archive_fail(archive, phx_sys_rows_changed(system, x));
}
