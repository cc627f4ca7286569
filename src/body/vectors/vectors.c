/* The body of vectors: its making, its inertia, its places. Its mass is that of the shape functions,
 *
 *     T = 1/2 sum_kl m_kl v_k . v_l ,   m_kl = int rho h N_k N_l dA (places) , int rho h^3/12 N_k N_l dA (directors) ,
 *
 * constant and without gyroscopic terms, lumped by Lobatto's rule for Q9 and Hex27. A tie is a rigid body with the
 * masses of its vectors. Elements of other kinds at a tie have their masses on the diagonal, in the ratio of the
 * consistent ones. */
#include "vectors.h"

#include "body/nodes.h"

#include <math.h>
#include <string.h>

/* ---- inertia ---- */
static int tie_count(const phx_vectors *vectors)
{
    return vectors->base.n_frames;
}

/* p = M v, of the free vectors. */
static void free_momenta(const phx_vectors *vectors, const double *v, double *p)
{
    const phx_csr *mass = &vectors->mass;
    const int first = vectors->base.q_v, n_ties = tie_count(vectors);

    for (int u = n_ties; u < mass->rows; u++) {
        double *to = p + first + 3 * (u - n_ties);
        to[0] = to[1] = to[2] = 0.0;
        for (int e = mass->ptr[u]; e < mass->ptr[u + 1]; e++)
            for (int i = 0; i < 3 && mass->val[e] != 0.0; i++)
                to[i] += mass->val[e] * v[first + 3 * (mass->idx[e] - n_ties) + i];
    }
}

static void vectors_momenta(const phx_body *body, const double *x, const double *v, double *p)
{
    phx_nodes_momenta(body, x, v, p);
    free_momenta(phx_vectors_of(body), v, p);
}

/* M of the free vectors into the pattern. */
static void put_free_mass(const phx_vectors *vectors, const int *at, double *val)
{
    const phx_body *body = &vectors->base;
    const phx_csr *mass = &vectors->mass;
    const int n_ties = tie_count(vectors);

    for (int u = n_ties; u < mass->rows; u++)
        for (int i = 0; i < 3; i++) {
            const int row = body->q_v + 3 * (u - n_ties) + i;
            int to = body->ptr[row];
            for (int e = mass->ptr[u]; e < mass->ptr[u + 1]; e++) {
                const int width = mass->idx[e] < n_ties ? 6 : 3;
                if (width == 3)
                    val[at ? at[to + i] : to + i] = mass->val[e];
                to += width;
            }
        }
}

static void vectors_put_mass(const phx_body *body, const double *x, bool all, const int *at, double *val)
{
    if (!all)
        return;
    for (int e = 0; e < body->ptr[body->n_v]; e++)
        val[at ? at[e] : e] = 0.0;
    phx_nodes_put_mass(body, x, at, val);
    put_free_mass(phx_vectors_of(body), at, val);
}

/* Dense: the ties, then the free vectors. */
static void vectors_mass_matrix(const phx_body *body, const double *x, double *mass)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    const phx_csr *free = &vectors->mass;

    phx_nodes_mass_matrix(body, x, mass);
    for (int u = body->n_frames; u < free->rows; u++)
        for (int e = free->ptr[u]; e < free->ptr[u + 1]; e++)
            for (int i = 0; i < 3 && free->idx[e] >= body->n_frames; i++) {
                const int row = body->q_v + 3 * (u - body->n_frames) + i;
                mass[(size_t)row * (size_t)body->n_v + (size_t)(body->q_v + 3 * (free->idx[e] - body->n_frames) + i)] =
                    free->val[e];
            }
}

static void vectors_moment(const phx_body *body, const double *x, double *sum)
{
    const phx_vectors *vectors = phx_vectors_of(body);

    phx_nodes_moment(body, x, sum);
    for (int k = 0; k < body->n_q; k++)
        sum[k % 3] += vectors->load[body->n_frames + k / 3] * x[body->q_x + k];
}

/* Momenta about the inertial origin: sum p, sum z x p, of directors too. */
static void vectors_inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear,
                                      double *angular)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    const phx_csr *mass = &vectors->mass;
    double a[3];

    phx_nodes_inertial_momentum(body, x, v, linear, angular);
    for (int u = 0; u < body->n_q / 3; u++) {
        double p[3] = {0.0};
        for (int e = mass->ptr[body->n_frames + u]; e < mass->ptr[body->n_frames + u + 1]; e++)
            for (int i = 0; i < 3 && mass->val[e] != 0.0; i++)
                p[i] += mass->val[e] * v[body->q_v + 3 * (mass->idx[e] - body->n_frames) + i];
        phx_rot_x_rot(3, x + body->q_x + 3 * u, p, a);
        for (int i = 0; i < 3; i++) {
            linear[i] += vectors->directions[u] ? 0.0 : p[i];
            angular[i] += a[i];
        }
    }
}

static double free_kinetic(const phx_vectors *vectors, const double *v)
{
    const phx_csr *mass = &vectors->mass;
    const int n_ties = tie_count(vectors);
    const double *rates = v + vectors->base.q_v;
    double sum = 0.0;

    for (int u = n_ties; u < mass->rows; u++)
        for (int e = mass->ptr[u]; e < mass->ptr[u + 1]; e++)
            if (mass->val[e] != 0.0)
                sum += 0.5 * mass->val[e] * phx_dot(3, rates + 3 * (u - n_ties), rates + 3 * (mass->idx[e] - n_ties));
    return sum;
}

static double vectors_kinetic(const phx_body *body, const double *x, const double *v)
{
    return free_kinetic(phx_vectors_of(body), v) + phx_nodes_kinetic(body, x, v);
}

static double vectors_kinetic_undeformed(const phx_body *body, const double *v)
{
    return free_kinetic(phx_vectors_of(body), v) + phx_nodes_kinetic_undeformed(body, v);
}

/* ---- equations ---- */
/* res of the free vectors = M a - m g */
static void free_inertia(const phx_vectors *vectors, const double *gravity, const double *a, double *res)
{
    free_momenta(vectors, a, res);
    for (int k = 0; k < vectors->base.n_q; k++)
        res[vectors->base.q_v + k] -= vectors->load[tie_count(vectors) + k / 3] * gravity[k % 3];
}

static void vectors_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                             const double *v_dot, double *res)
{
    const phx_vectors *vectors = phx_vectors_of(body);

    phx_nodes_residual(body, gravity, x, v, v_dot, res);
    free_inertia(vectors, gravity, v_dot, res);
    phx_vectors_add_forces(vectors, x, v, res);
}

static void vectors_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                              double *D, double *K)
{
    const phx_vectors *vectors = phx_vectors_of(body);

    phx_nodes_linearise(body, gravity, x, v, M, D, K);
    put_free_mass(vectors, NULL, M);
    phx_vectors_add_tangents(vectors, x, v, K, D);
}

static void vectors_free_linearise(const phx_body *body, const double *gravity, const double *x, const double *sigma,
                                   double *K)
{
    phx_nodes_linearise(body, gravity, x, NULL, NULL, NULL, K);
    phx_vectors_add_mixed_tangents(phx_vectors_of(body), x, sigma, K);
}

/* ---- an interval ---- */
/* Strains at the start, the ties over the interval, and for the stress of the geometric part (mixed Newton): the ends
 * of the last tangent and residual, the mean stress of that, and the mean stress of the interval before, which is the
 * first guess of this one: unresolved modes are in the stress of a guess, and not in a mean. */
struct phx_products {
    double *strain, *told, *rates, *start, *end, *mean, *first;
    bool has_told, has_end, has_first;
    phx_products *of[]; /* n_frames */
};

static void vectors_products_destroy(const phx_body *body, phx_products *products)
{
    if (!products)
        return;
    phx_nodes_products_destroy(body, products->of);
    phx_free(products->strain); /* one piece with the others */
    phx_free(products);
}

/* NULL if memory is short; `scratch` is shared by the ties. */
static phx_products *vectors_products_create(phx_context *context, const phx_body *body, double *scratch)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    const size_t n_x = (size_t)body->n_x, n_strains = (size_t)vectors->n_strains;
    phx_products *made = phx_calloc(context, 1, sizeof *made + ((size_t)body->n_frames + 1) * sizeof(phx_products *));
    double *strain = phx_calloc(context, 3 * n_strains + 3 * n_x + (size_t)body->n_v, sizeof *strain);

    if (!made || !strain || !phx_nodes_products_create(context, body, scratch, made->of)) {
        phx_free(made);
        phx_free(strain);
        return NULL;
    }
    made->strain = strain;
    made->mean = made->strain + n_strains;
    made->first = made->mean + n_strains;
    made->told = made->first + n_strains;
    made->start = made->told + n_x;
    made->end = made->start + n_x;
    made->rates = made->end + n_x;
    return made;
}

static void vectors_products_share(const phx_body *body, phx_products *products, double *scratch)
{
    phx_nodes_products_share(body, products->of, scratch);
}

/* Whether two configurations are one, to rounding of the sums that lead there. */
static bool is_same(int n, const double *a, const double *b)
{
    static const double SAME = 1e-12; /* of each number, or of 1 */

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= SAME * fmax(1.0, fabs(a[i]))))
            return false;
    return true;
}

/* Strains at the start; the mean stress of the interval before is kept if this one goes on from it. */
static void vectors_interval_begin(const phx_body *body, double h, const double *x0, const double *v0,
                                   phx_products *products)
{
    const phx_vectors *vectors = phx_vectors_of(body);

    phx_nodes_interval_begin(body, h, x0, v0, products->of);
    phx_vectors_strains(vectors, x0, products->strain);
    if (products->has_end && is_same(body->n_x, x0, products->end)) { /* the interval before is accepted */
        memcpy(products->first, products->mean, (size_t)vectors->n_strains * sizeof *products->first);
        products->has_first = true;
    } else if (!is_same(body->n_x, x0, products->start)) {
        products->has_first = false;
    }
    memcpy(products->start, x0, (size_t)body->n_x * sizeof *x0);
    products->has_told = products->has_end = false;
}

/* The free vectors, the ties and the pieces; what they leave is the first guess of the next interval. */
static void vectors_interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view,
                                      double *res)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    double *rates = view->products->rates;

    for (int k = body->q_v; k < body->n_v; k++)
        rates[k] = (view->v1[k] - view->v0[k]) / view->h;
    free_inertia(vectors, gravity, rates, res);
    phx_nodes_interval_residual(body, gravity, view, view->products->of, res);
    phx_vectors_add_interval_forces(vectors, view, view->products->strain, view->products->mean, res);
    memcpy(view->products->end, view->x1, (size_t)body->n_x * sizeof *view->x1);
    view->products->has_end = true;
}

/* The derivative by the mean velocity on the pattern: (2/h) M, the ties, the pieces. */
static void vectors_interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view,
                                       double *scratch, double *A)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    phx_products *products = view->products;

    phx_nodes_interval_linearise(body, gravity, view, products->of, scratch, A);
    put_free_mass(vectors, NULL, A);
    for (int e = body->ptr[body->q_v]; e < body->ptr[body->n_v]; e++)
        A[e] *= 2.0 / view->h;
    phx_vectors_add_interval_tangents(vectors, view, products->strain, products->has_told ? products->told : NULL,
                                      products->has_first ? products->first : NULL, A);
    memcpy(products->told, view->x1, (size_t)body->n_x * sizeof *products->told);
    products->has_told = true;
}

/* ---- places ---- */
/* The triad of two vectors a, b that are not parallel, as columns: a, b across it, a x b. */
static void triad(const double *a, const double *b, double *R)
{
    double e[3][3], length = sqrt(phx_dot(3, a, a));

    for (int i = 0; i < 3; i++)
        e[0][i] = a[i] / length;
    phx_rot_x_rot(3, a, b, e[2]);
    length = sqrt(phx_dot(3, e[2], e[2]));
    for (int i = 0; i < 3; i++)
        e[2][i] /= length;
    phx_rot_x_rot(3, e[2], e[0], e[1]);
    for (int i = 0; i < 9; i++)
        R[i] = e[i % 3][i / 3];
}

/* Its triad at x, of two edges from the first place of the first element, relative to rest. */
static void vectors_axes(const phx_body *body, const double *x, double *R)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    const double *at[2] = {x, vectors->rest};
    double T[2][9];

    for (int k = 0; k < 2; k++) {
        double a[3], b[3];
        for (int i = 0; i < 3; i++) {
            const double first = at[k][vectors->slot[vectors->reference[0]].x + i];
            a[i] = at[k][vectors->slot[vectors->reference[1]].x + i] - first;
            b[i] = at[k][vectors->slot[vectors->reference[2]].x + i] - first;
        }
        triad(a, b, T[k]);
    }
    phx_dense_multiply(false, true, 3, 3, 3, 1.0, T[0], 3, T[1], 3, 0.0, R, 3);
}

static void vectors_rest(const phx_body *body, double *x)
{
    memcpy(x, phx_vectors_of(body)->rest, (size_t)body->n_x * sizeof *x);
}

/* A place: fixed in the frame of its tie, or a vector without directions. */
static void locate_place(const phx_vectors *vectors, int place, phx_body_port *port)
{
    const vector_slot *slot = &vectors->slot[place];

    port->frame = (phx_body_frame){.x = slot->x, .v = slot->v};
    port->point.without_directions = slot->tie < 0;
    for (int i = 0; i < 3; i++)
        port->point.x[i] = slot->tie < 0 ? 0.0 : slot->local[i];
}

/* A tie by its name, a place by its number from 1; the origin is the first tie, or the first place. */
static phx_status vectors_locate(const phx_body *body, phx_context *context, const phx_location *location,
                                 phx_body_port *port)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    const phx_vector_def *def = &vectors->def;

    if (location->sort == PHX_LOCATION_NODE) {
        if (location->node < 1 || location->node > def->n_places)
            return phx_fail(context, PHX_ERR_ARGUMENT, "there is no node %d, there are 1 to %d", location->node,
                            def->n_places);
        locate_place(vectors, location->node - 1, port);
        return PHX_OK;
    }
    for (int f = 0; f < def->n_ties; f++)
        if (location->sort == PHX_LOCATION_ORIGIN || strcmp(location->name, def->ties[f].name) == 0) {
            port->frame = body->frames[f];
            return PHX_OK;
        }
    if (location->sort == PHX_LOCATION_ORIGIN) {
        locate_place(vectors, 0, port);
        return PHX_OK;
    }
    return phx_fail(context, PHX_ERR_ARGUMENT, "there is no tied set '%s'; tie a set of this name, or take a node",
                    location->name);
}

static void vectors_destroy(phx_body *body)
{
    phx_vectors *vectors = (phx_vectors *)body;

    for (int k = 0; k < 4; k++)
        phx_free(vectors->table[k]);
    phx_free(vectors->slot);
    phx_free(vectors->rest);
    phx_free(vectors->frames);
    phx_free(vectors->directions);
    phx_free(vectors->cells);
    phx_free(vectors->cell_room);
    phx_free(vectors->pieces);
    phx_free(vectors->bonds);
    phx_free(vectors->indices);
    phx_free(vectors->load);
    phx_csr_free(&vectors->mass);
    phx_vectors_free_def(&vectors->def);
    phx_body_free_base(body);
    phx_free(vectors);
}

const phx_body_ops phx_vector_ops = {
    .kind = "shell or solid of large displacement",
    .destroy = vectors_destroy,
    .axes = vectors_axes,
    .rest = vectors_rest,
    .location_sorts = 1u << PHX_LOCATION_ORIGIN | 1u << PHX_LOCATION_NODE | 1u << PHX_LOCATION_NAME,
    .locate = vectors_locate,
    .momenta = vectors_momenta,
    .put_mass = vectors_put_mass,
    .moment = vectors_moment,
    .mass_matrix = vectors_mass_matrix,
    .inertial_momentum = vectors_inertial_momentum,
    .residual = vectors_residual,
    .linearise = vectors_linearise,
    .room = phx_nodes_room,
    .products_create = vectors_products_create,
    .products_destroy = vectors_products_destroy,
    .products_share = vectors_products_share,
    .interval_begin = vectors_interval_begin,
    .interval_residual = vectors_interval_residual,
    .interval_linearise = vectors_interval_linearise,
    .interval_finish = phx_nodes_interval_finish,
    .averages = phx_nodes_averages,
    .kinetic = vectors_kinetic,
    .kinetic_undeformed = vectors_kinetic_undeformed,
    .elastic = phx_vectors_elastic,
    .dissipation = phx_nodes_dissipation,
    .interval_dissipation = phx_vectors_interval_dissipation,
    .free_stress = phx_vectors_free_stress,
    .free_linearise = vectors_free_linearise,
    .stress = phx_vectors_stress,
    .stress_derivative = phx_vectors_stress_derivative,
};
