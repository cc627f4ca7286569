/* Interfaces: parts of a body that others are joined to. */
#include "basis.h"

#include <math.h>
#include <string.h>

void phx_interface_free(phx_interface *interface)
{
    phx_free(interface->name);
    phx_free(interface->tied);
    phx_free(interface->turning);
    phx_csr_free(&interface->rows);
    memset(interface, 0, sizeof *interface);
}

/* ---- unknowns of parts ---- */
phx_status phx_elastic_node_unknowns(phx_context *context, const phx_elastic_model *model, int n_nodes,
                                     const int *nodes, int *count, int **unknown)
{
    unsigned char *wanted = phx_calloc(context, (size_t)model->n_nodes + 1, sizeof *wanted);
    phx_status status = wanted ? PHX_OK : PHX_ERR_MEMORY;

    *count = 0;
    *unknown = phx_calloc(context, (size_t)model->n + 1, sizeof **unknown);
    if (!*unknown)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < n_nodes && !status; k++)
        wanted[nodes[k]] = 1;
    for (int j = 0; j < model->n && !status; j++)
        if (model->node[j] >= 0 && wanted[model->node[j]] && model->component[j] != PHX_UNKNOWN_OTHER)
            (*unknown)[(*count)++] = j;
    phx_free(wanted);
    return status;
}

/* Everything that moves on an edge of a plate. */
static phx_status edge_unknowns(phx_context *context, const phx_elastic_model *model, const char *group, int *count,
                                int **unknown)
{
    enum { SORTS = PHX_TRACE_ROTATIONS + 1 };
    int counts[SORTS] = {0}, *parts[SORTS] = {0};
    phx_status status = PHX_OK;

    *count = 0;
    for (int k = 0; k < SORTS && !status; k++) {
        status = phx_plate_edge_unknowns(context, model, group, (phx_plate_trace)k, &counts[k], &parts[k], NULL);
        *count += counts[k];
    }
    *unknown = phx_calloc(context, (size_t)*count + 1, sizeof **unknown);
    if (!*unknown)
        status = PHX_ERR_MEMORY;
    for (int k = 0, at = 0; k < SORTS && !status; at += counts[k++])
        memcpy(*unknown + at, parts[k], (size_t)counts[k] * sizeof **unknown);
    for (int k = 0; k < SORTS; k++)
        phx_free(parts[k]);
    return status;
}

/* Unknowns of the nodes or edges of a named mesh group, allocated for the caller. */
phx_status phx_elastic_group_unknowns(phx_context *context, const phx_elastic_model *model, const char *group,
                                      int *count, int **unknown)
{
    const phx_mesh_group *mesh_group = phx_mesh_group_named(&model->mesh, group);

    *unknown = NULL;
    if (!mesh_group) {
        phx_nearest nearest = phx_nearest_to(group);
        for (int g = 0; g < model->mesh.n_groups; g++)
            phx_nearest_offer(&nearest, model->mesh.groups[g].name);
        return phx_fail(context, PHX_ERR_ARGUMENT, "the mesh has no group %s%s", phx_shown_text(group).text,
                        phx_nearest_hint(&nearest).text);
    }
    if (mesh_group->dimension == 1 && model->ops->edges)
        return edge_unknowns(context, model, group, count, unknown);
    return phx_elastic_node_unknowns(context, model, mesh_group->n_nodes, mesh_group->nodes, count, unknown);
}

/* ---- the mean rigid motion ---- */
/* Mean place x of the unknowns that have one, summed from the first, so that one node is its own mean exactly; returns
 * the mean squared distance from it. */
static double mean_place(const phx_elastic_model *model, int count, const int *unknowns, double x[3])
{
    const double *first = NULL;
    double radius = 0.0;
    int placed = 0;

    memset(x, 0, 3 * sizeof *x);
    for (int k = 0; k < count; k++) {
        const int node = model->node[unknowns[k]];
        if (node < 0)
            continue;
        first = first ? first : model->x + 3 * node;
        for (int a = 0; a < 3; a++)
            x[a] += model->x[3 * node + a] - first[a];
        placed++;
    }
    for (int a = 0; a < 3 && placed > 0; a++)
        x[a] = first[a] + x[a] / placed;
    for (int k = 0; k < count; k++) {
        const int node = model->node[unknowns[k]];
        for (int a = 0; a < 3 && node >= 0; a++)
            radius += (model->x[3 * node + a] - x[a]) * (model->x[3 * node + a] - x[a]);
    }
    return radius / (placed > 0 ? placed : 1);
}

/* Translations count by 1, rotations and slopes by the squared radius of the part. */
static double weight_of(const phx_elastic_model *model, int j, double radius2)
{
    return model->component[j] <= PHX_UNKNOWN_UZ ? 1.0 : radius2 > 0.0 ? radius2 : 1.0;
}

/* rows: c = (R^T W R)^-1 R^T W u, R the rigid motions about x of these unknowns. `motions` of them are determined: 6,
 * or the 3 displacements. */
static phx_status mean_rows(phx_context *context, const phx_elastic_model *model, int count, const int *unknowns,
                            double radius2, phx_interface *interface)
{
    static const double DEFICIENT = 1e-10; /* eigenvalue, relative to the largest */
    static const double MOVES = 1e-20;     /* square of the motion of a rotation */
    const double ell = radius2 > 0.0 ? sqrt(radius2) : 1.0;
    double gram[36] = {0}, values[6], inverse[36];
    double *R = phx_calloc(context, 6 * (size_t)count + 1, sizeof *R),
           *rows = phx_calloc(context, 6 * (size_t)count + 1, sizeof *rows);
    int *row = phx_calloc(context, 6 * (size_t)count + 1, sizeof *row),
        *col = phx_calloc(context, 6 * (size_t)count + 1, sizeof *col);
    phx_status status = R && rows && row && col ? PHX_OK : PHX_ERR_MEMORY;
    int motions = 6;

    for (int k = 0; k < count && !status; k++)
        for (int c = 0; c < 6; c++) /* rotations times a length, so that all have one unit */
            R[6 * k + c] = phx_elastic_rigid_about(model, unknowns[k], c, interface->x) / (c < 3 ? 1.0 : ell);
    for (int k = 0; k < count && !status; k++)
        for (int c = 0; c < 6; c++)
            for (int d = 0; d < 6; d++)
                gram[6 * c + d] += weight_of(model, unknowns[k], radius2) * R[6 * k + c] * R[6 * k + d] / count;
    if (!status)
        status = phx_dense_eigen_symmetric(context, 6, gram, NULL, values, NULL);
    if (!status && values[0] < DEFICIENT * values[5]) { /* displacements alone, when the rotations move nothing */
        double rotations = 0.0;
        for (int c = 3; c < 6; c++)
            rotations = fmax(rotations, gram[7 * c]);
        motions = 3;
        if (rotations > MOVES && radius2 > 0.0)
            status = phx_fail(context, PHX_ERR_ARGUMENT,
                              "'%s': its nodes lie on a line, and its rotation about this line is not defined; add "
                              "nodes off the line, or take a single node",
                              interface->name);
    }
    for (int c = 0; c < motions; c++)
        for (int d = 0; d < motions; d++)
            inverse[motions * c + d] = gram[6 * c + d];
    if (!status) {
        status = phx_dense_inverse(context, motions, inverse);
        if (status)
            status = phx_fail(context, PHX_ERR_ARGUMENT, "'%s': its nodes do not determine its displacement",
                              interface->name);
    }
    for (int k = 0, at = 0; k < count && !status; k++)
        for (int c = 0; c < motions; c++, at++) {
            double sum = 0.0;
            for (int d = 0; d < motions; d++)
                sum += inverse[motions * c + d] * R[6 * k + d];
            row[at] = c;
            col[at] = unknowns[k];
            rows[at] = sum * weight_of(model, unknowns[k], radius2) / count / (c < 3 ? 1.0 : ell);
        }
    interface->turns = motions == 6;
    if (!status)
        status =
            phx_csr_from_triplets(context, 6, model->n, (size_t)(count * motions), row, col, rows, &interface->rows);
    phx_free(R);
    phx_free(rows);
    phx_free(row);
    phx_free(col);
    return status;
}

static phx_status copy_unknowns(phx_context *context, int count, const int *unknowns, int *n, int **copy)
{
    *copy = phx_calloc(context, (size_t)count + 1, sizeof **copy);
    if (!*copy)
        return PHX_ERR_MEMORY;
    memcpy(*copy, unknowns, (size_t)count * sizeof **copy);
    *n = count;
    return PHX_OK;
}

/* The line on which the nodes lie, a unit vector. */
static phx_status edge_axis(phx_context *context, const phx_elastic_model *model, int count, const int *unknowns,
                            const double mean[3], phx_interface *interface)
{
    static const double STRAIGHT = 1e-16; /* square of the deviation, relative to that of the length */
    double spread[9] = {0}, values[3], vectors[9];

    for (int k = 0; k < count; k++) {
        const int node = model->node[unknowns[k]];
        for (int a = 0; a < 3 && node >= 0; a++)
            for (int b = 0; b < 3; b++)
                spread[3 * a + b] += (model->x[3 * node + a] - mean[a]) * (model->x[3 * node + b] - mean[b]);
    }
    const phx_status status = phx_dense_eigen_symmetric(context, 3, spread, NULL, values, vectors);
    if (status)
        return status;
    if (values[1] > STRAIGHT * values[2])
        return phx_fail(context, PHX_ERR_ARGUMENT, "'%s': a hinged edge must be straight", interface->name);
    for (int a = 0; a < 3; a++)
        interface->axis[a] = vectors[3 * a + 2];
    return PHX_OK;
}

/* Nodes to `tied`, what has no node (slopes) to `turning`. */
static phx_status make_hinge(phx_context *context, const phx_elastic_model *model, int count, const int *unknowns,
                             const double mean[3], phx_interface *interface)
{
    phx_status status = copy_unknowns(context, count, unknowns, &interface->n_tied, &interface->tied);

    if (!status)
        status = copy_unknowns(context, count, unknowns, &interface->n_turning, &interface->turning);
    interface->n_tied = interface->n_turning = 0;
    for (int k = 0; k < count && !status; k++)
        if (model->node[unknowns[k]] >= 0)
            interface->tied[interface->n_tied++] = unknowns[k];
        else
            interface->turning[interface->n_turning++] = unknowns[k];
    if (!status && interface->n_turning == 0)
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "'%s': only the edge of a plate can be hinged; here are no normal slopes", interface->name);
    if (!status)
        status = edge_axis(context, model, count, unknowns, mean, interface);
    return status;
}

/* The places of the nodes of unknowns, each once; `corners`: without the middles of sides, which may stand on chords.
 */
static phx_status list_places(phx_context *context, const phx_elastic_model *model, int n_unknowns, const int *unknowns,
                              bool corners, int *count, double **x)
{
    const phx_mesh *mesh = &model->mesh;
    bool *wanted = phx_calloc(context, (size_t)model->n_nodes, sizeof *wanted);

    *count = 0;
    *x = phx_calloc(context, 3 * (size_t)n_unknowns, sizeof **x);
    if (!wanted || !*x) {
        phx_free(wanted);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < n_unknowns; k++)
        if (model->node[unknowns[k]] >= 0)
            wanted[model->node[unknowns[k]]] = true;
    for (int c = 0; c < mesh->n_cells && corners && mesh->n_nodes == model->n_nodes; c++)
        for (int k = mesh->first[c] + phx_cell_info_of(mesh->type[c])->corners; k < mesh->first[c + 1]; k++)
            wanted[mesh->node[k]] = false;
    for (int i = 0; i < model->n_nodes; i++)
        if (wanted[i])
            memcpy(*x + 3 * (size_t)(*count)++, model->x + 3 * (size_t)i, 3 * sizeof **x);
    phx_free(wanted);
    return PHX_OK;
}

/* The place of a port that is not given: the middle of a bore, else the mean of the places of the unknowns. */
static phx_status default_place(phx_context *context, const phx_elastic_model *model, int n_unknowns,
                                const int *unknowns, const double mean[3], double radius2, double place[3])
{
    static const double SAME = 1e-10; /* of the radius: the mean of a regular mesh is the middle */
    double middle[3], away = 0.0;
    bool found = false;
    phx_status status = PHX_OK;

    memcpy(place, mean, 3 * sizeof *place);
    for (int corners = 0; corners < 2 && !found && !status && radius2 > 0.0; corners++) {
        double *x = NULL;
        int count = 0;
        status = list_places(context, model, n_unknowns, unknowns, corners == 1, &count, &x);
        if (!status)
            found = bore_middle(context, count, x, middle);
        phx_free(x);
    }
    for (int a = 0; a < 3 && found; a++)
        away = hypot(away, middle[a] - mean[a]);
    if (found && away > SAME * sqrt(radius2))
        memcpy(place, middle, sizeof middle);
    return status;
}

/* Creates an interface over the listed unknowns at x (NULL: their centre), averaging, rigid or hinged. *interface is
 * empty after an error. */
phx_status phx_interface_create(phx_context *context, const phx_elastic_model *model, const char *name,
                                phx_interface_kind kind, const double *x, int n_unknowns, const int *unknowns,
                                phx_interface *interface)
{
    double mean[3];
    phx_status status = PHX_OK;
    const double radius2 = mean_place(model, n_unknowns, unknowns, mean);

    memset(interface, 0, sizeof *interface);
    if (n_unknowns < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "'%s': it has no node of the body", name);
    if (x)
        memcpy(interface->x, x, sizeof interface->x);
    else
        status = default_place(context, model, kind == PHX_INTERFACE_HINGED ? 0 : n_unknowns, unknowns, mean, radius2,
                               interface->x);
    interface->name = status ? NULL : phx_strdup(context, name);
    if (!interface->name)
        status = PHX_ERR_MEMORY;
    else
        status = mean_rows(context, model, n_unknowns, unknowns, radius2, interface);
    if (!status && kind == PHX_INTERFACE_HINGED)
        status = make_hinge(context, model, n_unknowns, unknowns, mean, interface);
    else if (!status && kind == PHX_INTERFACE_RIGID && radius2 > 0.0)
        status = copy_unknowns(context, n_unknowns, unknowns, &interface->n_tied, &interface->tied);
    if (status)
        phx_interface_free(interface);
    return status;
}
