/* Which parts of an imported body can be ports of it: rigid parts that share nothing. */
#include "import_report.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 20 }; /* ports at nodes that are listed */

/* The name with signs that names of ports do not have replaced; different from those before it. */
static phx_status name_port(phx_context *context, phx_import_report *report, phx_import_group *group)
{
    const size_t size = strlen(group->name) + 16;
    size_t length = strlen(group->name);

    group->port = phx_calloc(context, size, 1);
    if (!group->port)
        return PHX_ERR_MEMORY;
    if (length > 80)
        length = 80;
    for (size_t k = 0; k < length; k++) {
        const char c = group->name[k];
        group->port[k] = (char)((unsigned char)c < 0x20 || strchr(".@/,;\"'\\ ", c) ? '_' : c);
    }
    for (int number = 2, k = 0; k < report->n_groups; k++)
        if (&report->groups[k] != group && report->groups[k].port && !strcmp(report->groups[k].port, group->port)) {
            snprintf(group->port + length, size - length, "_%d", number++);
            k = -1;
        }
    return PHX_OK;
}

static phx_status import_ports_refuse(phx_context *context, phx_import_group *group, const char *why)
{
    group->refused = phx_strdup(context, why);
    return group->refused ? PHX_OK : PHX_ERR_MEMORY;
}

/* The message of a failure as the reason. */
static phx_status refuse_by_message(phx_context *context, phx_import_group *group, phx_status status)
{
    if (status == PHX_ERR_MEMORY)
        return status;
    const phx_status kept = import_ports_refuse(context, group, phx_context_message(context));
    phx_context_clear(context);
    return kept;
}

/* owner: per unknown, 1 + the group that has it. */
static phx_status import_ports_judge(phx_context *context, const phx_elastic_model *model, phx_import_report *report,
                                     phx_import_group *group, int count, const int *unknown, int *owner)
{
    static const phx_interface_kind kinds[] = {PHX_INTERFACE_RIGID,
                                               PHX_INTERFACE_AVERAGE}; /* a port is asked as both */
    phx_status status = PHX_OK;
    char why[240];

    if (2 * count > model->n)
        return import_ports_refuse(context, group, "it is most of the body");
    for (int k = 0; k < count; k++)
        if (owner[unknown[k]] > 0) {
            snprintf(why, sizeof why, "it shares nodes with '%.120s'", report->groups[owner[unknown[k]] - 1].name);
            return import_ports_refuse(context, group, why);
        }
    for (int k = 0; k < 2 && !status; k++) {
        phx_interface interface = {0};
        status = phx_interface_create(context, model, group->name, kinds[k], NULL, count, unknown, &interface);
        memcpy(group->x, interface.x, sizeof group->x);
        if (!status)
            phx_interface_free(&interface);
    }
    if (status)
        return refuse_by_message(context, group, status);
    for (int k = 0; k < count; k++)
        owner[unknown[k]] = 1 + (int)(group - report->groups);
    return PHX_OK;
}

static phx_status judge_group(phx_context *context, const phx_elastic_model *model, phx_import_report *report,
                              phx_import_group *group, int *owner)
{
    int count = 0, *unknown = NULL;
    phx_status status = phx_elastic_group_unknowns(context, model, group->name, &count, &unknown);

    status = status ? refuse_by_message(context, group, status)
                    : import_ports_judge(context, model, report, group, count, unknown, owner);
    phx_free(unknown);
    return status;
}

/* Which of the groups that share nodes is the port, the lowest: the boundary's, those of nodes, lines, single nodes. */
enum { PORT_RANKS = 4 };
static int port_rank(const phx_import_group *group, int whole)
{
    return group->nodes == 1 ? 3 : group->dimension == whole - 1 ? 0 : group->dimension == 0 ? 1 : 2;
}

/* Adds the groups of the mesh to the report, each with the name of a port, or with a reason why it cannot be one. */
static phx_status import_ports_add_groups(phx_context *context, const phx_elastic_model *model,
                                          phx_import_report *report, int *owner)
{
    const phx_mesh *mesh = &model->mesh;
    const int whole = phx_mesh_count(mesh, 3) > 0 ? 3 : 2;
    phx_status status = PHX_OK;

    for (int k = 0; k < mesh->n_groups && !status; k++) {
        phx_import_group *group = &report->groups[report->n_groups++];
        *group = (phx_import_group){.dimension = mesh->groups[k].dimension,
                                    .cells = mesh->groups[k].n_cells,
                                    .nodes = mesh->groups[k].n_nodes,
                                    .name = phx_strdup(context, mesh->groups[k].name)};
        status = group->name ? name_port(context, report, group) : PHX_ERR_MEMORY;
        if (!status && phx_mesh_group_named(mesh, group->name) != &mesh->groups[k])
            status = import_ports_refuse(context, group, "a group of a higher dimension has the same name");
        else if (!status && group->dimension == whole)
            status = import_ports_refuse(context, group, "it is a part of the body, not of its boundary");
    }
    for (int rank = 0; rank < PORT_RANKS; rank++)
        for (int k = 0; k < report->n_groups && !status; k++)
            if (!report->groups[k].refused && port_rank(&report->groups[k], whole) == rank)
                status = judge_group(context, model, report, &report->groups[k], owner);
    return status;
}

/* Nodes with all six components where few have them, in no port yet: something is tied to them in the other program. */
static phx_status add_nodes(phx_context *context, const phx_elastic_model *model, phx_import_report *report,
                            const int *owner)
{
    enum { ALL = 0x3f };
    unsigned char *has = phx_calloc(context, (size_t)model->n_nodes + 1, 1);
    phx_status status = has ? PHX_OK : PHX_ERR_MEMORY;
    int count = 0;

    for (int j = 0; j < model->n && !status; j++)
        if (model->node[j] >= 0 && model->component[j] < PHX_UNKNOWN_OTHER && owner[j] == 0)
            has[model->node[j]] |= (unsigned char)(1u << model->component[j]);
    for (int i = 0; i < model->n_nodes && !status; i++)
        count += has[i] == ALL;
    for (int i = 0; i < model->n_nodes && count <= MOST_NODES && !status; i++) {
        char name[32];
        if (has[i] != ALL)
            continue;
        phx_import_group *group = &report->groups[report->n_groups++];
        *group = (phx_import_group){.nodes = 1, .node = model->label ? model->label[i] : i + 1};
        snprintf(name, sizeof name, "node_%d", group->node);
        group->name = phx_strdup(context, name);
        memcpy(group->x, model->x + 3 * (size_t)i, sizeof group->x);
        status = group->name ? name_port(context, report, group) : PHX_ERR_MEMORY;
    }
    phx_free(has);
    return status;
}

phx_status phx_import_find_ports(phx_context *context, const phx_elastic_model *model, phx_import_report *report)
{
    int *owner = phx_calloc(context, (size_t)model->n + 1, sizeof *owner);

    report->groups = phx_calloc(context, (size_t)model->mesh.n_groups + MOST_NODES, sizeof *report->groups);
    phx_status status = owner && report->groups ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = import_ports_add_groups(context, model, report, owner);
    if (!status)
        status = add_nodes(context, model, report, owner);
    phx_free(owner);
    return status;
}
