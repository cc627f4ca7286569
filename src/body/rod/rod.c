/* The geometrically exact rod: its making, its inertia, its places. Each node is a rigid body, the elements between
 * them are in elements.c.
 *
 * Mass per length is given to the nodes of its element by cubic Hermite polynomials, so that mass and first moment of a
 * straight element are right and uniform ones need no more than a first moment at the ends of the rod
 * (docs/theory-rods.md, eq. 9):
 *
 *     m_a = int H1 rhoA ds ,   s_a = int (H1 rhoA eta + l H2 rhoA e_1) ds ,   J_a = int H1 rhoI ds
 *
 * about the centre of mass s_a/m_a, with the offset eta and the inertia rhoI of the section about its own centre. */
#include "body/nodes.h"
#include "body/sliding/curve.h"
#include "internal.h"

#include <math.h>
#include <string.h>

static const double MOST_ANGLE = 120.0 * 3.14159265358979323846 / 180.0;

/* ---- places ---- */
static void rest(const phx_body *body, double *x)
{
    memcpy(x, phx_rod_of(body)->x, (size_t)body->n_x * sizeof *x);
}

/* The node at a fraction of the length; -1: there is none. */
static int node_at(const phx_rod *rod, double s)
{
    static const double SAME = 1e-9; /* of the length */

    for (int k = 0; k <= rod->n; k++)
        if (fabs(rod->fraction[k] - s) <= SAME)
            return k;
    return -1;
}

static phx_status no_node(phx_context *context, const phx_rod *rod, double s)
{
    int below = 0;

    if (!(s >= 0.0 && s <= 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "there is no place %g, fractions of its length are 0 to 1", s);
    while (below + 1 < rod->n && rod->fraction[below + 1] < s)
        below++;
    return phx_fail(context, PHX_ERR_ARGUMENT,
                    "there is no node at %g of its length; the nearest are at %.10g and %.10g of a rod of %d elements: "
                    "take one of them, or make the place a port, where a node is put",
                    s, rod->fraction[below], rod->fraction[below + 1], rod->n);
}

static phx_status rod_locate(const phx_body *body, phx_context *context, const phx_location *location,
                             phx_body_port *port)
{
    const phx_rod *rod = phx_rod_of(body);
    const double s = location->sort == PHX_LOCATION_FRACTION ? location->fraction : 0.0;
    const int node = node_at(rod, s);

    if (node < 0)
        return no_node(context, rod, s);
    port->frame = rod->frames[node];
    return PHX_OK;
}

/* ---- inertia ---- */
static void rod_put_mass(const phx_body *body, const double *x, bool all, const int *at, double *val)
{
    for (int e = 0; all && e < body->ptr[body->n_v]; e++)
        val[at ? at[e] : e] = 0.0;
    if (all)
        phx_nodes_put_mass(body, x, at, val);
}

/* ---- equations ---- */
static void rod_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                         const double *v_dot, double *res)
{
    phx_nodes_residual(body, gravity, x, v, v_dot, res);
    phx_rod_add_forces(phx_rod_of(body), x, v, res);
}

static void rod_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                          double *D, double *K)
{
    phx_nodes_linearise(body, gravity, x, v, M, D, K);
    phx_rod_add_tangents(phx_rod_of(body), x, v, K, D);
}

static void rod_free_linearise(const phx_body *body, const double *gravity, const double *x, const double *sigma,
                               double *K)
{
    const phx_rod *rod = phx_rod_of(body);

    phx_nodes_linearise(body, gravity, x, NULL, NULL, NULL, K);
    phx_rod_add_mixed_tangents(rod, x, sigma, K);
}

/* Of each node over an interval. */
struct phx_products {
    phx_products *of[1]; /* n_frames */
};

static void products_destroy(const phx_body *body, phx_products *products)
{
    if (!products)
        return;
    phx_nodes_products_destroy(body, products->of);
    phx_free(products);
}

/* Products of an interval for all nodes; NULL if memory is short. `scratch` is shared by the nodes. */
static phx_products *products_create(phx_context *context, const phx_body *body, double *scratch)
{
    phx_products *all = phx_calloc(context, (size_t)body->n_frames, sizeof *all);

    if (all && !phx_nodes_products_create(context, body, scratch, all->of)) {
        phx_free(all);
        return NULL;
    }
    return all;
}

static void products_share(const phx_body *body, phx_products *products, double *scratch)
{
    phx_nodes_products_share(body, products->of, scratch);
}

static void interval_begin(const phx_body *body, double h, const double *x0, const double *v0, phx_products *products)
{
    phx_nodes_interval_begin(body, h, x0, v0, products->of);
}

static void interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view, double *res)
{
    phx_nodes_interval_residual(body, gravity, view, view->products->of, res);
    phx_rod_add_interval_forces(phx_rod_of(body), view, res);
}

static void interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view, double *scratch,
                               double *A)
{
    phx_nodes_interval_linearise(body, gravity, view, view->products->of, scratch, A);
    phx_rod_add_interval_tangents(phx_rod_of(body), view, A);
}

/* ---- sections along the length ---- */
/* At a node, or between two of them straight. */
static void section_rows(const phx_body *body, const phx_location *location, phx_section_part part, double *row)
{
    static const int space[] = {0, 1, 2, 3, 4, 5}, plane[] = {0, 1, -1, -1, -1, 2};
    const phx_rod *rod = phx_rod_of(body);
    const double s = location->sort == PHX_LOCATION_FRACTION ? location->fraction : 0.0;
    const int r = body->n_rigid, at = body->dim == 2 ? plane[part] : space[part];
    const double sign = part == PHX_SECTION_BENDING_Y ? -1.0 : 1.0;
    int e = 0;

    if (at < 0)
        return;
    while (e + 1 < rod->n && rod->fraction[e + 1] <= s)
        e++;
    const double xi = (s - rod->fraction[e]) / (rod->fraction[e + 1] - rod->fraction[e]);
    row[r * e + at] = sign * (1.0 - xi);
    row[r * (e + 1) + at] = sign * xi;
}

static int length_points(const phx_body *body, const phx_length_point **points)
{
    *points = phx_rod_of(body)->points;
    return phx_rod_of(body)->n + 1;
}

/* ---- turns ---- */
/* An element between the places x of its nodes. */
static one_rod_pose rod_pose_of(const phx_rod *rod, int e, const double *x)
{
    const int dim = rod->base.dim;
    const double *a = x + rod->frames[e].x, *b = x + rod->frames[e + 1].x;
    one_rod_pose pose = {{0}, {0}, {0}};

    phx_attitude_rotation(dim, a + dim, pose.Da);
    phx_attitude_rotation(dim, b + dim, pose.Db);
    for (int i = 0; i < dim; i++)
        pose.d[i] = b[i] - a[i];
    return pose;
}

static double angle_of(const phx_rod *rod, const one_rod_pose *pose)
{
    const int dim = rod->base.dim;
    double b[ROD_BILINEAR];

    one_rod_bilinear(dim, pose, b);
    const double cosine = b[one_rod_bilinears(dim) - 1] - 1.0;
    return acos(fmax(-1.0, fmin(1.0, cosine)));
}

/* Largest relative rotation across an element at x, rad; *element is its number from 0. */
static double element_turn(const phx_body *body, const double *x, int *element)
{
    const phx_rod *rod = phx_rod_of(body);
    double largest = 0.0;

    *element = 0;
    for (int e = 0; e < rod->n; e++) {
        const one_rod_pose pose = rod_pose_of(rod, e, x);
        const double angle = angle_of(rod, &pose);
        if (angle > largest) {
            largest = angle;
            *element = e;
        }
    }
    return largest;
}

/* ---- the table ---- */
static void rod_destroy(phx_body *body)
{
    phx_rod *rod = (phx_rod *)body;

    phx_free(rod->elements);
    phx_free(rod->x);
    phx_free(rod->fraction);
    phx_free(rod->points);
    phx_free(rod->frames);
    phx_rod_free_def(&rod->def);
    phx_body_free_base(body);
    phx_free(rod);
}

/* The function of the node k on the pieces at both sides of it: the value of a Hermite cubic (what = 0), its slope (1),
 * or straight (2), one at the node and zero at its neighbours. */
static void fill_hat(int k, int what, phx_curve *out)
{
    const phx_curve_term *term = &out->terms[out->n_terms - 1];

    for (int e = term->first; e < term->first + term->count; e++) {
        const double at0 = e == k, at1 = e + 1 == k;
        if (what == 0)
            phx_curve_set_hermite(out, e, at0, 0.0, at1, 0.0);
        else if (what == 1)
            phx_curve_set_hermite(out, e, 0.0, at0, 0.0, at1);
        else
            phx_curve_set_linear(out, e, at0, at1);
    }
}

/* Hermite cubics through the nodes, along their first axes there; the second axes straight between the nodes. */
static phx_status add_node_to_curve(phx_context *context, const phx_rod *rod, int k, phx_curve *out)
{
    const int first = k > 0 ? k - 1 : 0, last = k < rod->n ? k : k - 1;
    phx_status status = PHX_OK;

    for (int what = 0; what < 3 && !status; what++) {
        phx_curve_term term = {.part = what < 2 ? PHX_CURVE_PLACE : PHX_CURVE_ACROSS,
                               .frame = rod->frames[k],
                               .origin = what == 0,
                               .coordinate = -1,
                               .first = first,
                               .count = last - first + 1};
        term.direction[what == 2] = what > 0 ? 1.0 : 0.0;
        status = phx_curve_add(context, out, &term);
        if (status)
            return status;
        fill_hat(k, what, out);
        if (what < 2)
            status = phx_curve_add_slope(context, out);
    }
    return status;
}

/* Curve of the rod's axis through its nodes, in the arc length of the undeformed elements. */
static phx_status curve(const phx_body *body, phx_context *context, const phx_flex_source *source, phx_curve *out)
{
    const phx_rod *rod = phx_rod_of(body);
    double *knot = phx_calloc(context, (size_t)rod->n + 1, sizeof *knot);

    (void)source;
    if (!knot)
        return PHX_ERR_MEMORY;
    for (int e = 0; e < rod->n; e++)
        knot[e + 1] = knot[e] + rod->elements[e].length;
    phx_status status = phx_curve_create(context, rod->n, knot, out);
    for (int k = 0; k <= rod->n && !status; k++)
        status = add_node_to_curve(context, rod, k, out);
    phx_free(knot);
    return status;
}

const phx_body_ops phx_rod_ops = {
    .kind = "rod",
    .beyond = "two neighbouring nodes turn by more than 120 degrees against each other; take more elements",
    .destroy = rod_destroy,
    .rest = rest,
    .location_sorts = 1u << PHX_LOCATION_ORIGIN | 1u << PHX_LOCATION_FRACTION,
    .locate = rod_locate,
    .curve = curve,
    .momenta = phx_nodes_momenta,
    .put_mass = rod_put_mass,
    .moment = phx_nodes_moment,
    .mass_matrix = phx_nodes_mass_matrix,
    .inertial_momentum = phx_nodes_inertial_momentum,
    .residual = rod_residual,
    .linearise = rod_linearise,
    .room = phx_nodes_room,
    .products_create = products_create,
    .products_destroy = products_destroy,
    .products_share = products_share,
    .interval_begin = interval_begin,
    .interval_residual = interval_residual,
    .interval_linearise = interval_linearise,
    .interval_finish = phx_nodes_interval_finish,
    .averages = phx_nodes_averages,
    .kinetic = phx_nodes_kinetic,
    .kinetic_undeformed = phx_nodes_kinetic_undeformed,
    .elastic = phx_rod_elastic,
    .dissipation = phx_nodes_dissipation,
    .interval_dissipation = phx_rod_interval_dissipation,
    .free_stress = phx_rod_free_stress,
    .free_linearise = rod_free_linearise,
    .stress = phx_rod_stress,
    .stress_derivative = phx_rod_stress_derivative,
    .section_rows = section_rows,
    .length_points = length_points,
    .element_turn = element_turn,
};

/* ---- making ---- */
/* Mass, first moment and inertia of a node: about its centre of mass of the sections, about the node of what is put
 * there. */
typedef struct node_mass {
    double mass, moment[3], inertia[9], point_mass, point_inertia[9];
} node_mass;

/* Of a section of mass matrix M = | m I  -m [eta]x ; m [eta]x  J |, with weights H (force) and arm (first moment). */
static void add_section(const double *M, double H, double arm, node_mass *node)
{
    const double m = M[0], eta[3] = {M[6 * 5 + 1] / m, M[6 * 3 + 2] / m, M[6 * 4] / m};
    double square = 0.0;

    for (int i = 0; i < 3; i++)
        square += eta[i] * eta[i];
    node->mass += H * m;
    node->moment[0] += arm * m;
    for (int i = 0; i < 3; i++) {
        node->moment[i] += H * m * eta[i];
        for (int j = 0; j < 3; j++)
            node->inertia[3 * i + j] += H * (M[6 * (3 + i) + 3 + j] - m * ((i == j ? square : 0.0) - eta[i] * eta[j]));
    }
}

static void add_element(const phx_rod_def *def, int e, node_mass *a, node_mass *b)
{
    double point[PHX_ROD_GAUSS], weight[PHX_ROD_GAUSS];

    phx_rod_gauss(point, weight);
    for (int k = 0; k < PHX_ROD_GAUSS; k++) {
        const double s = point[k], l = def->length[e], w = weight[k] * l;
        const double *M = def->mass + PHX_ROD_SECTION * (PHX_ROD_GAUSS * e + k);
        add_section(M, w * (1.0 - s) * (1.0 - s) * (1.0 + 2.0 * s), w * l * s * (1.0 - s) * (1.0 - s), a);
        add_section(M, w * s * s * (3.0 - 2.0 * s), -w * l * s * s * (1.0 - s), b);
    }
}

/* The rigid body of a node about its frame. */
static phx_rigid_def rigid_of(const node_mass *node, int dim)
{
    phx_rigid_def rigid = {.mass = node->mass + node->point_mass};
    double c[3] = {0}, own[3] = {0}, square = 0.0, whole[9];

    for (int i = 0; i < dim; i++) {
        c[i] = node->moment[i] / rigid.mass;
        own[i] = node->moment[i] / node->mass;
        square += own[i] * own[i];
    }
    /* about the node, then about the centre of all */
    const double both = rigid.mass * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    for (int i = 0; i < 9; i++) {
        const double diagonal = i % 4 == 0 ? node->mass * square - both : 0.0;
        whole[i] = node->inertia[i] + node->point_inertia[i] + diagonal - node->mass * own[i / 3] * own[i % 3] +
                   rigid.mass * c[i / 3] * c[i % 3];
    }
    if (dim == 2)
        rigid.inertia[0] = whole[8];
    else
        memcpy(rigid.inertia, whole, sizeof whole);
    memcpy(rigid.centre, c, sizeof c);
    return rigid;
}

/* Sums the masses of the elements and the point masses at each node and creates a rigid body for it. */
static phx_status make_nodes(phx_context *context, const phx_rod_def *def, phx_rod *rod)
{
    node_mass *all = phx_calloc(context, (size_t)rod->n + 1, sizeof *all);
    phx_status status = all ? PHX_OK : PHX_ERR_MEMORY;

    for (int e = 0; e < rod->n && !status; e++)
        add_element(def, e, &all[e], &all[e + 1]);
    for (int k = 0; k < def->n_masses && !status; k++) {
        node_mass *node = &all[def->masses[k].node];
        node->point_mass += def->masses[k].mass;
        for (int i = 0; i < 9 && def->dim == 3; i++)
            node->point_inertia[i] += def->masses[k].inertia[i];
        if (def->dim == 2)
            node->point_inertia[8] += def->masses[k].inertia[0];
    }
    for (int k = 0; k <= rod->n && !status; k++) {
        const phx_rigid_def rigid = rigid_of(&all[k], def->dim);
        phx_body_def body = phx_body_def_default();
        body.name = def->name;
        body.dim = def->dim;
        body.rigid = &rigid;
        status = phx_body_create(context, &body, &rod->base.nodes[k]);
    }
    phx_free(all);
    return status;
}

/* The nodes at rest, as the first one sees them. */
static void make_rest(const phx_rod_def *def, phx_rod *rod)
{
    const int dim = def->dim;
    double way[3], R[9], angle = 0.0;

    for (int k = 0; k <= rod->n; k++) {
        double *x = rod->x + rod->frames[k].x;
        const double *D = def->axes + dim * dim * k;
        for (int a = 0; a < dim; a++)
            way[a] = def->place[dim * k + a] - def->place[a];
        phx_rot_apply_transposed(dim, def->axes, way, x);
        phx_dense_multiply(true, false, dim, dim, dim, 1.0, def->axes, dim, D, dim, 0.0, R, dim);
        if (dim == 2) { /* counted on from the node before */
            const double turn = atan2(R[2], R[0]) - angle;
            angle += remainder(turn, 2.0 * 3.14159265358979323846);
        }
        phx_attitude_set(dim, R, angle, x + dim);
    }
}

/* Rest measures and stiffness of element e. Fails if the undeformed element turns by more than MOST_ANGLE or its
 * section has no positive definite compliance. */
static phx_status make_element(phx_context *context, const phx_rod_def *def, int e, phx_rod *rod)
{
    static const int plane[3] = {0, 1, 5}, space[6] = {0, 1, 2, 3, 4, 5};
    const int dim = def->dim, n = one_rod_strains(dim), *entry = dim == 2 ? plane : space;
    const one_rod_pose pose = rod_pose_of(rod, e, rod->x);
    const double *compliance = def->compliance + PHX_ROD_SECTION * PHX_ROD_GAUSS * e, angle = angle_of(rod, &pose);
    one_rod_element *element = &rod->elements[e];
    double point[PHX_ROD_GAUSS], weight[PHX_ROD_GAUSS], strain[6] = {0}, C[PHX_ROD_SECTION];
    one_rod_interval interval_of;

    if (!(angle <= MOST_ANGLE))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "rod '%s': element %d turns by %.4g degrees, at most 120 are possible; use more elements",
                        def->name, e + 1, angle * 180.0 / 3.14159265358979323846);
    one_rod_evaluate(dim, &rod->table, &pose, &pose, false, &interval_of);
    element->length = def->length[e];
    memcpy(element->rest, interval_of.measure1, sizeof element->rest);
    for (int i = 0; i < n; i++)
        strain[entry[i]] = element->rest[i] / element->length;
    phx_status status = phx_rod_element_stiffness(context, element->length, strain, compliance, C);
    if (status)
        return status == PHX_ERR_MEMORY
                   ? status
                   : phx_fail(context, PHX_ERR_ARGUMENT,
                              "rod '%s': the section of element %d resists some deformation with no stress, or its "
                              "compliance is not symmetric and positive",
                              def->name, e + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            element->C[n * i + j] = C[6 * entry[i] + entry[j]];
    phx_rod_gauss(point, weight);
    for (int k = 0; k < PHX_ROD_GAUSS; k++)
        for (int i = 0; i < 9; i++)
            element->c[i] += weight[k] * compliance[PHX_ROD_SECTION * k + 6 * (3 + i / 3) + 3 + i % 3];
    memcpy(element->kappa, strain + 3, sizeof element->kappa);
    return PHX_OK;
}

/* Block-tridiagonal: a node and its neighbours. */
static void fill_pattern(phx_rod *rod)
{
    const int r = rod->base.n_rigid;
    int at = 0;

    for (int i = 0; i < rod->base.n_v; i++) {
        const int node = i / r, first = node > 0 ? node - 1 : 0, last = node < rod->n ? node + 1 : node;
        rod->base.ptr[i] = at;
        for (int j = first * r; j < (last + 1) * r; j++)
            rod->base.idx[at++] = j;
    }
    rod->base.ptr[rod->base.n_v] = at;
}

/* The same Hermite weights as those of a uniform mass: half of an element at each node, at l/6 into it. */
static void place_length_points(const phx_rod_def *def, phx_rod *rod)
{
    for (int k = 0; k <= rod->n; k++) {
        const double before = k > 0 ? def->length[k - 1] : 0.0, behind = k < rod->n ? def->length[k] : 0.0;
        phx_length_point *point = &rod->points[k];
        point->frame = rod->frames[k];
        point->weight = 0.5 * (before + behind);
        point->place[0] = (behind * behind - before * before) / 12.0 / point->weight;
        point->fraction = rod->fraction[k];
    }
}

/* Allocates the arrays of a rod and lays out its body with one frame per node. */
static phx_status rod_allocate(phx_context *context, const phx_rod_def *def, phx_rod *rod)
{
    const size_t n = (size_t)def->elements;

    rod->n = def->elements;
    rod->frames = phx_calloc(context, n + 1, sizeof *rod->frames);
    rod->elements = phx_calloc(context, n, sizeof *rod->elements);
    rod->base.nodes = phx_calloc(context, n + 1, sizeof(phx_body *));
    rod->fraction = phx_calloc(context, n + 1, sizeof *rod->fraction);
    rod->points = phx_calloc(context, n + 1, sizeof *rod->points);
    if (!rod->frames || !rod->elements || !rod->base.nodes || !rod->fraction || !rod->points)
        return PHX_ERR_MEMORY;
    phx_status status =
        phx_body_lay_out(context, &phx_rod_ops, def->name, def->dim, rod->n + 1, rod->frames, 0, &rod->base);
    if (status)
        return status;
    const size_t rows = (size_t)rod->base.n_v, r = (size_t)rod->base.n_rigid;
    rod->x = phx_calloc(context, (size_t)rod->base.n_x, sizeof *rod->x);
    rod->base.ptr = phx_calloc(context, rows + 1, sizeof *rod->base.ptr);
    rod->base.idx = phx_calloc(context, rows * 3 * r, sizeof *rod->base.idx);
    return rod->x && rod->base.ptr && rod->base.idx ? PHX_OK : PHX_ERR_MEMORY;
}

/* Checks dimension, number and lengths of the elements, damping and the nodes of the point masses. */
static phx_status rod_check_def(phx_context *context, const phx_rod_def *def)
{
    if (def->dim != 2 && def->dim != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "rod '%s': dim is %d, must be 2 or 3", def->name, def->dim);
    if (def->elements < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "rod '%s': it has %d elements, expected 1 or more", def->name,
                        def->elements);
    if (!(def->damping >= 0.0 && def->damping < HUGE_VAL))
        return phx_fail(context, PHX_ERR_ARGUMENT, "rod '%s': damping is %g s, expected 0 or more", def->name,
                        def->damping);
    for (int e = 0; e < def->elements; e++)
        if (!(def->length[e] > 0.0 && def->length[e] < HUGE_VAL))
            return phx_fail(context, PHX_ERR_ARGUMENT, "rod '%s': element %d is %g m long, expected more than 0",
                            def->name, e + 1, def->length[e]);
    for (int k = 0; k < def->n_masses; k++)
        if (def->masses[k].node < 0 || def->masses[k].node > def->elements)
            return phx_fail(context, PHX_ERR_ARGUMENT, "rod '%s': there is no node %d, there are 0 to %d", def->name,
                            def->masses[k].node, def->elements);
    return PHX_OK;
}

/* Fractions of the length at the nodes. */
static void rod_measure(const phx_rod_def *def, phx_rod *rod)
{
    double whole = 0.0, sum = 0.0;

    for (int e = 0; e < rod->n; e++)
        whole += def->length[e];
    for (int e = 0; e < rod->n; e++) {
        sum += def->length[e];
        rod->fraction[e + 1] = e + 1 == rod->n ? 1.0 : sum / whole;
    }
}

double phx_rod_twist(const phx_body *body)
{
    if (body->ops != &phx_rod_ops || body->dim != 3)
        return 0.0;
    const phx_rod_def *def = &phx_rod_of(body)->def;
    double length = 0.0;

    for (int e = 0; e < def->elements; e++)
        length += def->length[e];
    return acos(0.0) / length / sqrt(def->compliance[21] * def->mass[21]); /* (pi/2L) sqrt(GJ/(rho I_p)) */
}

/* Creates a rod from its definition, which is copied; *body is NULL after an error. */
phx_status phx_rod_create(phx_context *context, const phx_rod_def *def, phx_body **body)
{
    if (!def || !body || !def->name)
        return phx_fail_null(context, __func__, "def, its name or body");
    phx_status status = rod_check_def(context, def);
    phx_rod *rod = NULL;

    *body = NULL;
    if (status)
        return status;
    rod = phx_calloc(context, 1, sizeof *rod);
    if (!rod)
        return PHX_ERR_MEMORY;
    status = rod_allocate(context, def, rod);
    if (!status)
        status = phx_rod_copy_def(context, def, &rod->def);
    if (!status) {
        phx_rod_fill_table(&rod->table);
        rod_measure(def, rod);
        make_rest(def, rod);
        fill_pattern(rod);
        place_length_points(def, rod);
        status = make_nodes(context, def, rod);
    }
    for (int e = 0; e < rod->n && !status; e++)
        status = make_element(context, def, e, rod);
    if (status) {
        rod_destroy(&rod->base);
        return status;
    }
    rod->damping = def->damping;
    rod->base.lossless = def->damping == 0.0;
    rod->base.n_stress = (rod->n + 1) * rod->base.n_rigid;
    rod->base.n_free_stress = rod->n * rod->base.n_rigid;
    phx_body_sum_rest(&rod->base, rod->x);
    *body = &rod->base;
    return phx_conclude(context, PHX_OK);
}
