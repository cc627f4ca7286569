/* Which joints, contacts and forces of a system act, with the rows as switching has made them: what a system that is
 * finalised has beside its snapshot after events. */
#include "system/system_internal.h"

static void refuse(phx_archive *archive)
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
        refuse(archive);
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
        refuse(archive);
    else if (!phx_archive_status(archive))
        row->role = (row_role)role;
}

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
