/* The nodal forces that make the stresses of an instant: what other finite-element programs are given as a load case.
 *
 * Of a body on a mesh the equations M (a - g) + C u' + K u = f_p + f_s hold at every node: f_p on its interfaces, f_s
 * on its surfaces, a of the nodes,
 *
 *   a = a_P + w' x p + w x (w x p) + 2 w x u' + u''    p = x + u, body axes, a_P of the frame's origin
 *
 * so that K u = f with f = f_p + f_s - M (a - g) - K Phi y, y_k = (R q')_k / omega_k^2: the part of the elastic force
 * that damping takes. Interface forces are known as wrenches; a rigid interface spreads its own over its nodes as the
 * equation asks there, others by their weights. The resultant of f vanishes but for arms that the deformation has moved
 * and for rounding; the rest is a rigid acceleration, which is taken out (inertia relief). */
#include "basis.h"
#include "source.h"

#include <math.h>
#include <string.h>

struct phx_case_maker {
    phx_context *context;
    const continuum_source *source;
    int n_interfaces;
    const phx_interface *interfaces;
    elastic_space space; /* nothing tied, nothing held */
    flexibility *flexible;
    int *at;      /* phx_elastic_places */
    double *work; /* 4 x n */
};

void phx_case_maker_destroy(phx_case_maker *maker)
{
    if (!maker)
        return;
    flexibility_destroy(maker->flexible);
    elastic_space_free(&maker->space);
    phx_free(maker->at);
    phx_free(maker->work);
    phx_free(maker);
}

/* Fails for bodies whose unknowns are not those of nodes, or are not known. */
static phx_status check_source(phx_context *context, const phx_flex_source *source, const phx_elastic_model *model)
{
    if (!model || source->operations == &reduced_operations)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "load cases are made of solids and imported bodies; a reduced body has no matrices any more: "
                        "take the whole one");
    if (model->ops->edges)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "a plate has unknowns that are at no node of its mesh; load cases are made of solids and "
                        "imported bodies");
    if (model->modal_K)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "the stiffness of the body is known for its modes alone; load cases need that of its nodes");
    return PHX_OK;
}

/* Places, space and factors of the whole body, nothing of it tied or held. */
phx_status phx_case_maker_create(phx_context *context, const phx_flex_source *source, phx_case_maker **maker)
{
    const phx_elastic_model *model = phx_continuum_model(source);
    phx_status status = check_source(context, source, model);
    phx_case_maker *made = NULL;
    unsigned char *held = NULL;

    *maker = NULL;
    if (!status)
        made = phx_calloc(context, 1, sizeof *made);
    if (!status && !made)
        status = PHX_ERR_MEMORY;
    if (status)
        return status;
    made->context = context;
    made->source = (const continuum_source *)source;
    made->n_interfaces = continuum_interfaces(source, &made->interfaces);
    made->work = phx_calloc(context, 4 * (size_t)model->n + 1, sizeof *made->work);
    status = made->work ? phx_elastic_places(context, model, &made->at) : PHX_ERR_MEMORY;
    if (!status)
        status = elastic_space_create(context, model, NULL, 0, NULL, &made->space);
    if (!status && !(held = phx_calloc(context, (size_t)made->space.n_all + 1, sizeof *held)))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = flexibility_create(context, &made->space, held, &made->flexible);
    phx_free(held);
    if (status)
        phx_case_maker_destroy(made);
    else
        *maker = made;
    return status;
}

/* u <- Phi q, of all unknowns */
static void combine(const continuum_source *source, const double *q, double *u)
{
    const int n = source->model->n, k = source->source.flex.n;

    phx_dense_multiply(false, false, 1, n, k, 1.0, q, k, source->Phi, n, 0.0, u, n);
}

/* w x (w x p) and the like: y += factor (a x b) */
static void add_cross(double factor, const double *a, const double *b, double *y)
{
    double c[3];

    phx_rot_x_vec(3, a, b, c);
    for (int i = 0; i < 3; i++)
        y[i] += factor * c[i];
}

/* The vector that the unknowns of a node hold in u, translations (first = 0) or rotations (3). */
static void node_vector(const phx_case_maker *maker, int node, int first, const double *u, double value[3])
{
    for (int c = 0; c < 3; c++) {
        const int j = maker->at[6 * node + first + c];
        value[c] = j < 0 ? 0.0 : u[j];
    }
}

/* a - g at all unknowns; u, u_dot: displacement and its rate there. On entry a is u''. */
static void add_rigid_acceleration(const phx_case_maker *maker, const phx_body_motion *motion, const double *u,
                                   const double *u_dot, double *a)
{
    const phx_elastic_model *model = maker->source->model;

    for (int node = 0; node < model->n_nodes; node++)
        for (int first = 0; first <= 3; first += 3) {
            double own[3], rate[3], arm[3], spin[3] = {0}, sum[3];
            node_vector(maker, node, first, u, own);
            node_vector(maker, node, first, u_dot, rate);
            for (int c = 0; c < 3; c++) {
                arm[c] = model->x[3 * (size_t)node + (size_t)c] + own[c];
                sum[c] = first ? motion->spin_rate[c] : motion->acceleration[c];
            }
            if (first) { /* of directions that turn against the frame */
                add_cross(1.0, motion->spin, rate, sum);
            } else {
                add_cross(1.0, motion->spin_rate, arm, sum);
                add_cross(1.0, motion->spin, arm, spin);
                add_cross(1.0, motion->spin, spin, sum);
                add_cross(2.0, motion->spin, rate, sum);
            }
            for (int c = 0; c < 3; c++)
                if (maker->at[6 * node + first + c] >= 0)
                    a[maker->at[6 * node + first + c]] += sum[c];
        }
}

/* ---- what acts at ports ---- */
/* A force and moment on a node. */
static phx_status add_at_node(const phx_case_maker *maker, const phx_case_load *load, double *force)
{
    const phx_elastic_model *model = maker->source->model;
    const int node = continuum_node_labelled(model, load->location->node);
    double factor[3];
    int unknown[3];

    if (node < 0)
        return phx_fail(maker->context, PHX_ERR_ARGUMENT, "its mesh has no node %d", load->location->node);
    const int turns = model->carrier && model->carrier[node] >= 0 ? model->carrier[node] : node;
    for (int c = 0; c < 3; c++) {
        for (int t = phx_elastic_displacement(model, maker->at, node, c, unknown, factor) - 1; t >= 0; t--)
            force[unknown[t]] += factor[t] * load->wrench[c];
        if (maker->at[6 * turns + 3 + c] >= 0)
            force[maker->at[6 * turns + 3 + c]] += load->wrench[3 + c];
    }
    return PHX_OK;
}

/* What acts on interface i: all loads, and point masses by the accelerations a - g of the unknowns. */
static void interface_wrench(const phx_case_maker *maker, const phx_case_def *def, int i, const double *a,
                             double wrench[6])
{
    double motion[6] = {0}, momentum[3];

    memset(wrench, 0, 6 * sizeof *wrench);
    for (int k = 0; k < def->n_loads; k++)
        if (def->loads[k].location->sort == PHX_LOCATION_NAME &&
            !strcmp(def->loads[k].location->name, maker->interfaces[i].name))
            for (int c = 0; c < 6; c++)
                wrench[c] += def->loads[k].wrench[c];
    phx_csr_apply(&maker->interfaces[i].rows, 1.0, a, motion);
    for (int k = 0; k < def->n_masses; k++) {
        const phx_continuum_mass *mass = &def->masses[k];
        if (mass->interface != i)
            continue;
        for (int c = 0; c < 3; c++) {
            wrench[c] -= mass->mass * motion[c];
            momentum[c] = 0.0;
            for (int d = 0; d < 3; d++) {
                wrench[3 + c] -= mass->inertia[3 * c + d] * motion[3 + d];
                momentum[c] += mass->inertia[3 * c + d] * def->motion.spin[d];
            }
        }
        add_cross(-1.0, def->motion.spin, momentum, wrench + 3);
    }
}

/* A rigid interface has on its nodes what they lack, `lacks` = K u - f, and the rest of its wrench as others have all
 * of it: by the transposed rows of the interface. */
static void add_at_interface(const phx_elastic_model *model, const phx_interface *interface, const double *lacks,
                             const double wrench[6], double *force)
{
    double rest[6];

    memcpy(rest, wrench, sizeof rest);
    for (int k = 0; k < interface->n_tied; k++) {
        const int j = interface->tied[k];
        force[j] += lacks[j];
        for (int c = 0; c < 6; c++)
            rest[c] -= phx_elastic_rigid_about(model, j, c, interface->x) * lacks[j];
    }
    for (int c = 0; c < 6; c++)
        for (int e = interface->rows.ptr[c]; e < interface->rows.ptr[c + 1]; e++)
            force[interface->rows.idx[e]] += interface->rows.val[e] * rest[c];
}

/* On entry `lacks` is a - g. */
static phx_status add_ports(const phx_case_maker *maker, const phx_case_def *def, const double *elastic, double *lacks,
                            double *force)
{
    const phx_elastic_model *model = maker->source->model;
    double *wrenches = phx_calloc(maker->context, 6 * (size_t)maker->n_interfaces + 1, sizeof *wrenches);
    phx_status status = wrenches ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < maker->n_interfaces && !status; i++)
        interface_wrench(maker, def, i, lacks, wrenches + 6 * i);
    for (int k = 0; k < def->n_loads && !status; k++)
        if (def->loads[k].location->sort == PHX_LOCATION_NODE)
            status = add_at_node(maker, &def->loads[k], force);
        else if (def->loads[k].location->sort != PHX_LOCATION_NAME)
            status = phx_fail(maker->context, PHX_ERR_UNSUPPORTED, "a force acts at a place that is no node or port");
    for (int j = 0; j < model->n; j++)
        lacks[j] = elastic[j] - force[j];
    for (int i = 0; i < maker->n_interfaces && !status; i++)
        add_at_interface(model, &maker->interfaces[i], lacks, wrenches + 6 * i, force);
    phx_free(wrenches);
    return status;
}

/* ---- the whole ---- */
/* Takes out the rigid acceleration of f, f <- f - M R R^T f, twice for the last digits. *unbalanced: the resultant
 * before, over the sum of the forces or moments. */
static phx_status relieve(const phx_case_maker *maker, double *force, double *work, double *unbalanced)
{
    const phx_elastic_model *model = maker->source->model;
    const elastic_space *space = &maker->space;
    const size_t n = (size_t)model->n;
    double wrench[6] = {0.0}, size[2] = {0.0, 0.0};

    for (size_t k = 0; k < 6; k++)
        for (size_t j = 0; j < n; j++) {
            wrench[k] += model->rigid[k * n + j] * force[j];
            size[k / 3] += fabs(model->rigid[k * n + j] * force[j]);
        }
    *unbalanced = 0.0;
    for (int k = 0; k < 6; k++)
        *unbalanced = fmax(*unbalanced, size[k / 3] > 0.0 ? fabs(wrench[k]) / size[k / 3] : 0.0);
    const phx_status status = elastic_space_load(maker->context, space, force, work);
    for (int pass = 0; pass < 2 && !status; pass++)
        elastic_space_project(space, space->n_rigid, space->n, space->M_rigid, space->rigid, work);
    for (int i = 0; i < space->n && !status; i++)
        force[space->unknown[i]] = work[i];
    return status;
}

/* |u - Phi q| over |Phi q| in the energy of K, u the displacement by f, which rigid motions do not change. */
static phx_status truncation_of(const phx_case_maker *maker, const double *u, const double *elastic,
                                const double *force, double *work, double *error)
{
    const elastic_space *space = &maker->space;
    const size_t n = (size_t)maker->source->model->n;
    double *difference = work, *product = work + n, energy = 0.0;
    phx_status status = elastic_space_load(maker->context, space, force, product);

    if (!status)
        status = flexibility_apply(maker->flexible, product, product);
    if (!status)
        status = elastic_space_unknowns(maker->context, space, product, difference);
    if (status)
        return status;
    for (size_t j = 0; j < n; j++)
        difference[j] -= u[j];
    for (size_t j = 0; j < n; j++)
        energy += u[j] * elastic[j];
    const double left_out = phx_csr_form(&maker->source->model->K, difference, difference);
    *error = energy > 0.0 ? sqrt(fmax(left_out, 0.0) / energy) : 0.0;
    return PHX_OK;
}

/* The forces of inertia, damping and ports, then inertia relief and what the basis leaves out. */
phx_status phx_case_make(phx_case_maker *maker, const phx_case_def *def, double *force, phx_case_report *report)
{
    const continuum_source *source = maker->source;
    const phx_elastic_model *model = source->model;
    const size_t n = (size_t)model->n, k = (size_t)source->source.flex.n;
    double *u = maker->work, *elastic = u + n, *spare = elastic + n, *rate = spare + n;
    double *q = phx_calloc(maker->context, k + 1, sizeof *q);

    if (!q)
        return PHX_ERR_MEMORY;
    /* spare: the accelerations a - g; force: f_s - M (a - g) - K Phi y */
    combine(source, def->motion.q, u);
    combine(source, def->motion.q_dot, rate);
    combine(source, def->motion.q_ddot, spare);
    add_rigid_acceleration(maker, &def->motion, u, rate, spare);
    phx_csr_apply(&model->M, -1.0, spare, force);
    for (size_t i = 0; i < k; i++)
        q[i] = source->omega[i] > 0.0 ? def->damping[i] / (source->omega[i] * source->omega[i]) : 0.0;
    combine(source, q, rate);
    phx_csr_apply(&model->K, -1.0, rate, force);
    memset(elastic, 0, n * sizeof *elastic);
    phx_csr_apply(&model->K, 1.0, u, elastic);
    phx_free(q);
    phx_status status = add_ports(maker, def, elastic, spare, force);
    if (!status)
        status = relieve(maker, force, spare, &report->unbalanced);
    return status ? status : truncation_of(maker, u, elastic, force, spare, &report->truncation);
}
