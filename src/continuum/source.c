/* An elastic model in a basis, as a source of deformation for a floating body: the frame, the integrals, the points. */
#include "basis.h"
#include "integrals.h"
#include "source.h"
#include "stiffening.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct elastic_source {
    continuum_source shape; /* first */
    int n_interfaces;
    phx_interface *interfaces;
    double *motions; /* per interface 6 x flex.n: by the basis in the frame */
    int n_slopes;    /* shapes that have strains of second order; 0 without stiffening */
    int n_strains;
    double *strains; /* as continuum_def has them */
} elastic_source;

static const phx_source_operations operations;

/* ---- the frame ---- */
/* The six conditions of the frame on a displacement with the motions u, r of one interface (6) and of another (6). */
static void conditions(const phx_continuum_def *def, const phx_interface *interfaces, const double first[6],
                       const double second[6], double c[6])
{
    memcpy(c, first, 6 * sizeof *c);
    if (def->frame != PHX_FRAME_CHORD)
        return;
    /* u = 0 at the first, twist about the chord 0 there, u across the chord equal at both */
    double axis[3], length = 0.0, across[2][3];
    for (int a = 0; a < 3; a++) {
        axis[a] = interfaces[def->frame_at[1]].x[a] - interfaces[def->frame_at[0]].x[a];
        length += axis[a] * axis[a];
    }
    length = sqrt(length);
    for (int a = 0; a < 3; a++)
        axis[a] /= length;
    const int least = fabs(axis[0]) <= fabs(axis[1]) && fabs(axis[0]) <= fabs(axis[2]) ? 0
                      : fabs(axis[1]) <= fabs(axis[2])                                 ? 1
                                                                                       : 2;
    const double along[3] = {least == 0, least == 1, least == 2};
    phx_rot_x_vec(3, axis, along, across[0]);
    phx_rot_x_vec(3, axis, across[0], across[1]);
    c[3] = c[4] = c[5] = 0.0;
    for (int a = 0; a < 3; a++) {
        c[3] += axis[a] * first[3 + a];
        c[4] += across[0][a] * second[a] / length;
        c[5] += across[1][a] * second[a] / length;
    }
}

/* A rigid motion of the model (6 numbers) as the motion of an interface. */
static void rigid_motion_of(const phx_interface *interface, int k, double motion[6])
{
    memset(motion, 0, 6 * sizeof *motion);
    motion[k] = 1.0;
    if (k >= 3) {
        double axis[3] = {k == 3, k == 4, k == 5};
        phx_rot_x_vec(3, axis, interface->x, motion);
    }
}

/* Phi <- Phi - R c(R)^-1 c(Phi): the same deformations seen from the frame. motion: per interface of the frame, of each
 * shape. */
static phx_status to_frame(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                           const phx_interface *interfaces, const shapes *basis, double *Phi)
{
    const size_t n = (size_t)space->part.own.n;
    double cR[36], c[6];
    phx_status status = PHX_OK;

    if (def->frame == PHX_FRAME_MEAN)
        return PHX_OK;
    if (!interfaces[def->frame_at[0]].turns)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "'%s': its frame cannot be held at '%s', a single node, which does not turn; take a set of "
                        "nodes%s",
                        def->name, interfaces[def->frame_at[0]].name,
                        def->frame == PHX_FRAME_CHORD && interfaces[def->frame_at[1]].turns ? ", or the other way round"
                                                                                            : "");
    const int first = def->frame_at[0], second = def->frame == PHX_FRAME_CHORD ? def->frame_at[1] : first;
    for (int k = 0; k < 6; k++) {
        double one[6], other[6];
        rigid_motion_of(&interfaces[first], k, one);
        rigid_motion_of(&interfaces[second], k, other);
        conditions(def, interfaces, one, other, c);
        for (int r = 0; r < 6; r++)
            cR[6 * r + k] = c[r];
    }
    status = phx_dense_inverse(context, 6, cR);
    if (status)
        return phx_fail(context, PHX_ERR_ARGUMENT, "'%s': the interfaces of its frame do not hold it", def->name);
    for (int s = 0; s < basis->count; s++) {
        double one[6], other[6];
        const double *y = basis->y + (size_t)s * (size_t)basis->n;
        elastic_space_motion(space, first, y, one);
        elastic_space_motion(space, second, y, other);
        conditions(def, interfaces, one, other, c);
        for (int k = 0; k < 6; k++) {
            double part = 0.0;
            for (int r = 0; r < 6; r++)
                part += cR[6 * k + r] * c[r];
            for (size_t j = 0; j < n; j++)
                Phi[(size_t)s * n + j] -= part * space->part.own.rigid[(size_t)k * n + j];
        }
    }
    return PHX_OK;
}

/* ---- points ---- */
/* A motion of an interface that is rounding beside the largest is zero: that by a shape which does not move the
 * interface, as where the frame holds it. */
static void source_clear_rounding(size_t size, int n_interfaces, double *motions)
{
    static const double ROUNDED = 1e-12; /* of the largest displacement, or turn */

    for (size_t part = 0; part < 2; part++) {
        double largest = 0.0;
        for (int i = 0; i < n_interfaces; i++)
            for (size_t k = 0; k < size; k++)
                largest = fmax(largest, fabs(motions[(2 * (size_t)i + part) * size + k]));
        for (int i = 0; i < n_interfaces; i++)
            for (size_t k = 0; k < size; k++) {
                double *motion = &motions[(2 * (size_t)i + part) * size + k];
                *motion = fabs(*motion) <= ROUNDED * largest ? 0.0 : *motion;
            }
    }
}

/* Motions of the interfaces by the basis in the frame: their rows times Phi, which is distributed as the unknowns are.
 */
static phx_status make_motions(phx_context *context, const elastic_part *part, int n_interfaces,
                               const phx_interface *interfaces, int k, const double *Phi, double **motions)
{
    const size_t n = (size_t)part->own.n, cols = (size_t)k;
    int *number = phx_calloc(context, (size_t)part->model->n + 1, sizeof *number);

    *motions = phx_calloc(context, 6 * (size_t)n_interfaces * cols + 1, sizeof **motions);
    if (!number || !*motions) {
        phx_free(number);
        return PHX_ERR_MEMORY;
    }
    for (int j = 0; j < part->model->n; j++)
        number[elastic_part_unknown(part, j)] = j - part->first;
    for (int i = 0; i < n_interfaces; i++) {
        const phx_csr *rows = &interfaces[i].rows;
        for (size_t c = 0; c < 6; c++)
            for (size_t s = 0; s < cols; s++) {
                double sum = 0.0;
                for (int e = rows->ptr[c]; e < rows->ptr[c + 1]; e++) {
                    const int own = number[rows->idx[e]];
                    if (own >= 0 && own < part->own.n)
                        sum += rows->val[e] * Phi[s * n + (size_t)own];
                }
                (*motions)[(6 * (size_t)i + c) * cols + s] = sum;
            }
    }
    phx_ranks_sum(part->ranks, 6 * (size_t)n_interfaces * cols, *motions);
    source_clear_rounding(3 * cols, n_interfaces, *motions);
    phx_free(number);
    return PHX_OK;
}

/* Interface i as a point. */
static phx_status interface_point(phx_context *context, const elastic_source *source, const phx_interface *interface,
                                  int i, phx_flex_point *point)
{
    const int k = source->shape.source.flex.n;
    const size_t size = 3 * (size_t)k;
    phx_status status = phx_flex_point_allocate(context, 3, k, point);

    if (status)
        return status;
    memcpy(point->x, interface->x, sizeof point->x);
    point->without_directions = !interface->turns;
    memcpy(point->phi, source->motions + 2 * (size_t)i * size, size * sizeof *point->phi);
    memcpy(point->theta, source->motions + (2 * (size_t)i + 1) * size, size * sizeof *point->theta);
    return PHX_OK;
}

int continuum_node_labelled(const phx_elastic_model *model, int label)
{
    for (int i = 0; i < model->n_nodes; i++)
        if ((model->label ? model->label[i] : i + 1) == label)
            return i;
    return -1;
}

/* Point at a node of the mesh by its label; a node without rotations has no directions. */
phx_status continuum_node_point(phx_context *context, const continuum_source *source, int label, phx_flex_point *point)
{
    const phx_elastic_model *model = source->model;
    const int k = source->source.flex.n, node = continuum_node_labelled(model, label);
    int *at = NULL, unknown[3];
    double factor[3];

    if (node < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no node %d", source->source.operations->name, label);
    phx_status status = phx_elastic_places(context, model, &at);
    if (!status)
        status = phx_flex_point_allocate(context, 3, k, point);
    if (!status) {
        const int carrier = model->carrier && model->carrier[node] >= 0 ? model->carrier[node] : node;
        memcpy(point->x, model->x + 3 * (size_t)node, sizeof point->x);
        point->without_directions = true;
        for (int axis = 0; axis < 3; axis++) {
            const int count = phx_elastic_displacement(model, at, node, axis, unknown, factor);
            const int turn = at[6 * carrier + 3 + axis];
            for (int t = 0; t < count; t++)
                for (int c = 0; c < k; c++)
                    point->phi[axis * k + c] +=
                        factor[t] * source->Phi[(size_t)c * (size_t)model->n + (size_t)unknown[t]];
            point->without_directions = point->without_directions && turn < 0;
            for (int c = 0; c < k && turn >= 0; c++)
                point->theta[axis * k + c] = source->Phi[(size_t)c * (size_t)model->n + (size_t)turn];
        }
    }
    phx_free(at);
    return status;
}

/* Point of the body at a node or at an interface by name. */
static phx_status point_at(const phx_flex_source *source, phx_context *context, const phx_location *location,
                           phx_flex_point *point)
{
    const elastic_source *elastic = (const elastic_source *)source;

    if (location->sort == PHX_LOCATION_NODE)
        return continuum_node_point(context, &elastic->shape, location->node, point);
    phx_nearest nearest = phx_nearest_to(location->name);
    for (int i = 0; i < elastic->n_interfaces; i++) {
        if (!strcmp(elastic->interfaces[i].name, location->name))
            return interface_point(context, elastic, &elastic->interfaces[i], i, point);
        phx_nearest_offer(&nearest, elastic->interfaces[i].name);
    }
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no point %s%s", source->operations->name,
                    phx_shown_text(location->name).text, phx_nearest_hint(&nearest).text);
}

static phx_status source_add_mass(phx_context *context, elastic_source *source, const phx_interface *interfaces,
                                  const phx_continuum_mass *mass)
{
    phx_flex_point point = {.n = 0};
    phx_status status = interface_point(context, source, &interfaces[mass->interface], mass->interface, &point);

    if (!status)
        status = phx_flex_add_mass(context, &point, mass->mass, mass->inertia, &source->shape.source.flex);
    phx_flex_point_free(&point);
    return status;
}

/* ---- stresses ---- */
static phx_stress_set source_stresses_of(const phx_flex_source *source)
{
    return ((const elastic_source *)source)->shape.model->ops->stresses;
}

/* Nodes of the model that a port has; added to them. */
static void mark_port(const phx_elastic_model *model, const phx_interface *interface, unsigned char *nodes)
{
    for (int k = 0; k < interface->rows.ptr[interface->rows.rows]; k++)
        if (model->node[interface->rows.idx[k]] >= 0)
            nodes[model->node[interface->rows.idx[k]]] = 1;
}

/* The mean over the nodes of a port. */
static phx_status port_stresses(phx_context *context, const continuum_source *source, const stress_columns *columns,
                                const phx_interface *interface, double *rows)
{
    const phx_elastic_model *model = source->model;
    unsigned char *wanted = phx_calloc(context, (size_t)model->n_nodes + 1, 1);

    if (!wanted)
        return PHX_ERR_MEMORY;
    mark_port(model, interface, wanted);
    const phx_status status = continuum_mean_stress(context, source, columns, wanted, rows);
    phx_free(wanted);
    return status;
}

static phx_status rows_at(const elastic_source *source, phx_context *context, const stress_columns *columns,
                          const phx_location *location, double *rows)
{
    if (!location)
        return continuum_nodal_stress(context, source->shape.model, columns, source->shape.model->mesh.n_nodes, NULL,
                                      rows);
    if (location->sort != PHX_LOCATION_NAME)
        return continuum_stress_at(context, &source->shape, columns, location, rows);
    for (int i = 0; i < source->n_interfaces; i++)
        if (!strcmp(source->interfaces[i].name, location->name))
            return port_stresses(context, &source->shape, columns, &source->interfaces[i], rows);
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no point %s", source->shape.source.operations->name,
                    phx_shown_text(location->name).text);
}

static int strains_of(const phx_flex_source *source)
{
    return ((const elastic_source *)source)->n_strains;
}

/* Without products. */
static stress_columns linear_columns(const elastic_source *source)
{
    return (stress_columns){.n = source->shape.source.flex.n,
                            .Phi = source->shape.Phi,
                            .n_strains = source->n_strains,
                            .strains = source->strains};
}

static phx_status stress_rows(const phx_flex_source *source, phx_context *context, const phx_location *location,
                              double *rows)
{
    const elastic_source *elastic = (const elastic_source *)source;
    const stress_columns columns = linear_columns(elastic);

    return rows_at(elastic, context, &columns, location, rows);
}

static stress_columns all_columns(const elastic_source *source)
{
    stress_columns columns = linear_columns(source);

    columns.n_slopes = source->n_slopes;
    return columns;
}

/* Describes the columns of the stress rows: pairs of slopes and thermal strains behind the coordinates. */
static phx_status describe_columns(const phx_flex_source *source, phx_context *context, phx_stress_map *map)
{
    const stress_columns columns = all_columns((const elastic_source *)source);
    int p = 0;

    map->n_strains = columns.n_strains;
    map->n_pairs = columns.n_slopes * (columns.n_slopes + 1) / 2;
    map->pair = phx_calloc(context, 2 * (size_t)map->n_pairs + 1, sizeof *map->pair);
    if (!map->pair)
        return PHX_ERR_MEMORY;
    for (int a = 0; a < columns.n_slopes; a++)
        for (int b = a; b < columns.n_slopes; b++) {
            map->pair[p++] = a;
            map->pair[p++] = b;
        }
    return PHX_OK;
}

static const phx_interface *interface_named(const elastic_source *source, const char *name)
{
    for (int i = 0; i < source->n_interfaces; i++)
        if (!strcmp(source->interfaces[i].name, name))
            return &source->interfaces[i];
    return NULL;
}

int continuum_interfaces(const phx_flex_source *source, const phx_interface **interfaces)
{
    const elastic_source *elastic = (const elastic_source *)source;

    *interfaces = elastic->interfaces;
    return source->operations == &operations ? elastic->n_interfaces : 0;
}

/* Nodes where others than the load of a plate may act. */
static phx_status mark_ports(phx_context *context, const elastic_source *source, unsigned char **ports)
{
    *ports = phx_calloc(context, (size_t)source->shape.model->n_nodes + 1, 1);
    for (int i = 0; i < source->n_interfaces && *ports; i++)
        mark_port(source->shape.model, &source->interfaces[i], *ports);
    return *ports ? PHX_OK : PHX_ERR_MEMORY;
}

/* On the boundary of a plate. */
static phx_status edge_rows(const elastic_source *source, phx_context *context, const stress_columns *columns,
                            phx_stress_set set, const phx_location *location, double *rows)
{
    const phx_elastic_model *model = source->shape.model;
    const phx_interface *interface =
        location->sort == PHX_LOCATION_NAME ? interface_named(source, location->name) : NULL;
    unsigned char *ports = NULL, *nodes = phx_calloc(context, (size_t)model->n_nodes + 1, 1);
    phx_plate_spot spot;
    char text[PHX_SPOT_TEXT];
    phx_status status = nodes ? mark_ports(context, source, &ports) : PHX_ERR_MEMORY;

    if (interface && !status)
        mark_port(model, interface, nodes);
    if (!status)
        status = continuum_edge_spot(context, model, location, interface ? nodes : NULL, text, &spot);
    if (!status) {
        spot.ports = ports;
        status = phx_plate_edge_rows(context, model, columns, set, &spot, rows);
    }
    phx_free(ports);
    phx_free(nodes);
    return status;
}

static phx_status stress_map_rows(const phx_flex_source *source, phx_context *context, phx_stress_set set,
                                  const phx_location *location, double *rows)
{
    const elastic_source *elastic = (const elastic_source *)source;
    const stress_columns columns = all_columns(elastic);

    return set == PHX_STRESSES_EDGE || set == PHX_STRESSES_CORNER
               ? edge_rows(elastic, context, &columns, set, location, rows)
               : rows_at(elastic, context, &columns, location, rows);
}

/* ---- life ---- */
static void source_destroy(phx_flex_source *source)
{
    elastic_source *elastic = (elastic_source *)source;

    phx_elastic_destroy(elastic->shape.model);
    for (int i = 0; i < elastic->n_interfaces; i++)
        phx_interface_free(&elastic->interfaces[i]);
    phx_free(elastic->interfaces);
    phx_free(elastic->motions);
    phx_free(elastic->strains);
    phx_free(elastic->shape.Phi);
    phx_free(elastic->shape.omega);
    phx_free(elastic);
}

enum { SORTS = 1 << PHX_LOCATION_NAME | 1 << PHX_LOCATION_NODE };
static const phx_source_operations operations = {.name = "elastic body",
                                                 .destroy = source_destroy,
                                                 .sorts = SORTS,
                                                 .point = point_at,
                                                 .stresses = source_stresses_of,
                                                 .strains = strains_of,
                                                 .stress_rows = stress_rows,
                                                 .stress_nodes = continuum_stress_nodes,
                                                 .stress_columns = describe_columns,
                                                 .stress_map_rows = stress_map_rows};

/* Phi = T Y in the frame: the unknowns of this process. */
static phx_status make_Phi(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                           const phx_interface *interfaces, const shapes *basis, double **Phi)
{
    const size_t n = (size_t)space->part.own.n;
    phx_status status = PHX_OK;

    *Phi = phx_calloc(context, (size_t)basis->count * n + 1, sizeof **Phi);
    if (!*Phi)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < (size_t)basis->count && !status; k++)
        status = elastic_space_unknowns(context, space, basis->y + k * (size_t)basis->n, *Phi + k * n);
    if (status)
        return status;
    return to_frame(context, def, space, interfaces, basis, *Phi);
}

/* The shapes that stiffening needs beside those of the basis; *slopes: how many come before those that follow. */
static phx_status add_shapes(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                             const phx_interface *interfaces, shapes *basis, int *slopes)
{
    double *Phi = NULL;
    phx_status status = continuum_can_stiffen(context, def->name, space->model);

    if (!status)
        status = make_Phi(context, def, space, interfaces, basis, &Phi);
    if (!status)
        status = basis_add_prestressed(context, def, space, Phi, basis);
    phx_free(Phi);
    Phi = NULL;
    *slopes = basis->count;
    if (!status && basis->count > PHX_STRAIN_SLOPES)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "'%s': stiffening of a body with %d shapes, at most %d: take fewer modes or ports", def->name,
                          basis->count, PHX_STRAIN_SLOPES);
    if (!status)
        status = make_Phi(context, def, space, interfaces, basis, &Phi);
    if (!status)
        status = basis_add_followers(context, def, space, Phi, basis);
    phx_free(Phi);
    return status;
}

static phx_status keep_strains(phx_context *context, const phx_continuum_def *def, const phx_elastic_model *model,
                               elastic_source *made)
{
    const size_t numbers = (size_t)def->n_strains * (size_t)phx_elastic_offsets(model);

    made->n_strains = def->n_strains;
    made->strains = phx_calloc(context, numbers + 1, sizeof *made->strains);
    if (!made->strains)
        return PHX_ERR_MEMORY;
    memcpy(made->strains, def->strains, numbers * sizeof *made->strains);
    return PHX_OK;
}

/* M of modes whose mass is given: the identity in mean axes, Y^T M Y there by the lumped masses. */
static phx_status put_modal_mass(phx_context *context, const elastic_space *space, const shapes *basis, phx_flex *flex)
{
    const size_t n = (size_t)basis->n, m = (size_t)basis->count;
    double *product = phx_calloc(context, n * m + 1, sizeof *product), *lumped = NULL;

    if (!product || !(lumped = phx_calloc(context, m * m, sizeof *lumped))) {
        phx_free(product);
        return PHX_ERR_MEMORY;
    }
    for (size_t k = 0; k < m; k++)
        phx_csr_apply(&space->M, 1.0, basis->y + k * n, product + k * n);
    phx_dense_multiply(false, true, basis->count, basis->count, basis->n, 1.0, basis->y, basis->n, product, basis->n,
                       0.0, lumped, basis->count);
    for (int i = 0; i < basis->count; i++)
        for (int j = 0; j < basis->count; j++)
            flex->M[phx_flex_entry(flex, i, j)] +=
                (i == j) - 0.5 * (lumped[i * basis->count + j] + lumped[j * basis->count + i]);
    phx_free(product);
    phx_free(lumped);
    return PHX_OK;
}

/* What a source is made by. */
typedef struct source_work {
    elastic_space space;
    shapes basis;
    int slopes; /* shapes before those that follow; 0 without stiffening */
} source_work;

/* The basis of the definition with its shapes in the frame: Phi of this process, motions of the interfaces, quality. */
static phx_status find_basis(phx_context *context, const phx_continuum_def *def, const phx_elastic_model *model,
                             int n_interfaces, const phx_interface *interfaces, source_work *work, elastic_source *made)
{
    const elastic_space *space = &work->space;
    phx_status status = PHX_OK;

    if (!model->ops->element && !model->modal_K) /* a mesh is judged by its cells */
        status = elastic_check_free_motions(context, model, def->name);
    if (!status)
        status = elastic_space_create(context, model, def->held, n_interfaces, interfaces, &work->space);
    if (!status)
        status = basis_create(context, def, space, &work->basis);
    if (!status)
        status = basis_quality(context, def, space, interfaces, &work->basis, &made->shape.quality);
    if (!status && def->stiffening)
        status = add_shapes(context, def, space, interfaces, &work->basis, &work->slopes);
    if (!status)
        status = make_Phi(context, def, space, interfaces, &work->basis, &made->shape.Phi);
    if (!status)
        status = make_motions(context, &space->part, n_interfaces, interfaces, work->basis.count, made->shape.Phi,
                              &made->motions);
    return status;
}

/* The mass of shapes that have none of their own, and of modes whose mass is given. */
static phx_status source_put_masses(phx_context *context, const source_work *work, phx_flex *flex)
{
    const int end = work->slopes > 0 ? work->slopes : work->basis.count; /* behind the last without mass */

    for (int k = end - work->basis.n_massless; k < end; k++)
        flex->M[phx_flex_entry(flex, k, k)] += 1.0;
    return work->basis.own ? put_modal_mass(context, &work->space, &work->basis, flex) : PHX_OK;
}

/* Integrals, stiffness, strains of second order and point masses of the body in its basis. */
static phx_status fill_deformation(phx_context *context, const phx_continuum_def *def, const phx_elastic_model *model,
                                   const phx_interface *interfaces, source_work *work, elastic_source *made)
{
    static const double COUPLED = 1e-6; /* gyroscopic terms that are left out, relative */
    const int count = work->basis.count;
    const double *Phi = made->shape.Phi;
    phx_flex *flex = &made->shape.source.flex;
    double symmetric = 0.0;
    phx_status status = elastic_part_assemble(context, &work->space.part);

    if (!status)
        status = continuum_integrals(context, &work->space.part, count, Phi, flex, &symmetric);
    if (!status)
        status = source_put_masses(context, work, flex);
    if (!status && symmetric > COUPLED)
        phx_log(
            context, PHX_LOG_WARNING,
            "'%s': its mass matrix couples directions (%.2g of the gyroscopic terms are left out); rotations of the "
            "body see the deformation to that accuracy",
            def->name, symmetric);
    if (!status)
        status = phx_flex_modal_stiffness(context, work->basis.omega, flex);
    if (!status && def->stiffening)
        status = continuum_stiffening(context, model, work->slopes, count, Phi, &flex->stiffening);
    for (int k = 0; k < def->n_masses && !status; k++)
        status = source_add_mass(context, made, interfaces, &def->masses[k]);
    if (!status && def->n_strains > 0)
        status = keep_strains(context, def, model, made);
    return status ? status : phx_flex_make_compact(context, flex);
}

/* Warns where the stress shapes of a model do not have the shapes of the basis in them. */
static void warn_of_misfit(phx_context *context, const char *name, const phx_elastic_model *model, int count,
                           const double *Phi)
{
    static const double FITS = 0.01;
    double worst = 0.0, misfit;

    for (int k = 0; k < count && model->ops->nodal_stress; k++) {
        model->ops->nodal_stress(model, Phi + (size_t)k * (size_t)model->n, NULL, &misfit);
        worst = fmax(worst, misfit);
    }
    if (worst > FITS)
        phx_log(
            context, PHX_LOG_WARNING,
            "'%s': its stress shapes leave out up to %.2g of a shape of its basis, and so its stresses; add shapes of "
            "the same motions to their file, or take another basis",
            name, worst);
}

/* Creates a source of deformation from an elastic model in a basis. Model and interfaces become the source's on success
 * only. */
phx_status phx_continuum_source_create(phx_context *context, const phx_continuum_def *def, phx_elastic_model *model,
                                       int n_interfaces, phx_interface *interfaces, phx_flex_source **source)
{
    elastic_source *made = phx_calloc(context, 1, sizeof *made);
    source_work work = {.slopes = 0};
    double *distributed = NULL;

    if (!made)
        return PHX_ERR_MEMORY;
    made->shape.source.operations = &operations;
    made->interfaces = phx_calloc(context, (size_t)n_interfaces + 1, sizeof *made->interfaces);
    phx_status status = made->interfaces ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = find_basis(context, def, model, n_interfaces, interfaces, &work, made);
    elastic_space_free_matrices(&work.space);
    if (!status)
        status = fill_deformation(context, def, model, interfaces, &work, made);
    if (!status) {
        distributed = made->shape.Phi;
        made->shape.Phi = NULL;
        status = elastic_part_gather(context, &work.space.part, work.basis.count, distributed, &made->shape.Phi);
    }
    if (!status) { /* from here on the source has them */
        warn_of_misfit(context, def->name, model, work.basis.count, made->shape.Phi);
        made->n_slopes = work.slopes;
        made->shape.omega = work.basis.omega;
        work.basis.omega = NULL;
        made->shape.model = model;
        made->n_interfaces = n_interfaces;
        for (int i = 0; i < n_interfaces; i++)
            made->interfaces[i] = interfaces[i];
        *source = &made->shape.source;
    }
    shapes_free(&work.basis);
    elastic_space_free(&work.space);
    if (status)
        phx_flex_source_destroy(&made->shape.source);
    return status;
}

/* NULL: a source of another layer. */
static const continuum_source *source_of(const phx_flex_source *source)
{
    const bool known = source->operations == &operations || source->operations == &reduced_operations;
    return known ? (const continuum_source *)source : NULL;
}

const phx_elastic_model *phx_continuum_model(const phx_flex_source *source)
{
    const continuum_source *continuum = source_of(source);
    return continuum ? continuum->model : NULL;
}

const double *phx_continuum_basis(const phx_flex_source *source)
{
    const continuum_source *continuum = source_of(source);
    return continuum ? continuum->Phi : NULL;
}

const double *phx_continuum_frequencies(const phx_flex_source *source)
{
    const continuum_source *continuum = source_of(source);
    return continuum ? continuum->omega : NULL;
}

const phx_basis_quality *phx_continuum_quality(const phx_flex_source *source)
{
    const continuum_source *continuum = source_of(source);
    return continuum ? &continuum->quality : NULL;
}

phx_status continuum_edges(phx_context *context, const phx_flex_source *source, phx_plate_edges *edges)
{
    const elastic_source *elastic = (const elastic_source *)source;
    const stress_columns columns = {.n = source->flex.n, .Phi = elastic->shape.Phi};
    unsigned char *ports = NULL;
    phx_status status = mark_ports(context, elastic, &ports);

    *edges = (phx_plate_edges){.n = 0};
    if (!status)
        status = phx_plate_edges_create(context, elastic->shape.model, &columns, ports, edges);
    phx_free(ports);
    return status;
}

void continuum_port_nodes(const phx_flex_source *source, const char *port, unsigned char *nodes)
{
    const elastic_source *elastic = (const elastic_source *)source;
    const phx_interface *interface = interface_named(elastic, port);

    if (interface)
        mark_port(elastic->shape.model, interface, nodes);
}

/* S_ab = sigma^T N_ab, the work of given stresses by the strains of second order of the shapes a and b. */
static phx_status stress_stiffness(phx_context *context, const continuum_source *source, const double *sigma, int n,
                                   double *S)
{
    const phx_elastic_model *model = source->model;
    const size_t pairs = (size_t)n * (size_t)(n + 1) / 2;
    double *rows = phx_calloc(context, (size_t)model->most_stresses * pairs + 1, sizeof *rows);

    for (int e = 0; rows && e < model->n_elements; e++) {
        if (!model->ops->second_order(model, e, n, source->Phi, rows))
            continue;
        const int stresses = model->first_stress[e + 1] - model->first_stress[e];
        const double *own = sigma + model->first_stress[e];
        for (int a = 0, p = 0; a < n; a++)
            for (int b = a; b < n; b++, p++)
                for (int r = 0; r < stresses; r++)
                    S[a * n + b] += own[r] * rows[(size_t)r * pairs + (size_t)p];
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            S[a * n + b] = S[b * n + a];
    phx_free(rows);
    return rows ? PHX_OK : PHX_ERR_MEMORY;
}

/* Stresses have neither resultant nor moment, also about the places of the deformed body: what is left of them by
 * rounding, and the moment of second order of forces that keep their direction, is none of theirs. */
static void take_out_resultants(phx_flex_load *load)
{
    memset(load->force, 0, sizeof load->force);
    memset(load->moment, 0, sizeof load->moment);
    memset(load->turning, 0, 3 * (size_t)load->n * sizeof *load->turning);
}

/* Generalised load of nodal forces in the source's basis; strain > 0 names the thermal strain it belongs to, which adds
 * a stiffness and has no resultant, theory-heat (2) and (5). */
phx_status phx_continuum_load(phx_context *context, const phx_flex_source *source, const double *force, int strain,
                              phx_flex_load *load)
{
    const continuum_source *continuum = source_of(source);
    const phx_flex_stiffening *stiffening = source->flex.stiffening;
    const int n = strain > 0 && stiffening ? stiffening->n_slope : 0;
    phx_status status = continuum_load(context, continuum->model, source->flex.n, continuum->Phi, force, n, load);

    if (!status && n > 0) {
        const double *sigma = ((const elastic_source *)source)->strains;
        status =
            stress_stiffness(context, continuum,
                             sigma + (size_t)(strain - 1) * (size_t)phx_elastic_offsets(continuum->model), n, load->S);
    }
    if (!status && strain > 0)
        take_out_resultants(load);
    if (status)
        phx_flex_load_free(load);
    else
        load->strain = strain;
    return status;
}
