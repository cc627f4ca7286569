/* A body with places: the body inside with as many coordinates more. Those along its curve have no mass and no force of
 * their own, so that their rows of the equations are those of what acts at the ports that slide; those of wheels have
 * an inertia J, p = J s_dot, which nothing of the body inside sees. */
#include "sliding.h"

#include <string.h>

static void sliding_destroy(phx_body *body);

const phx_sliding *phx_as_sliding(const phx_body *body)
{
    return body->ops->destroy == sliding_destroy ? (const phx_sliding *)body : NULL;
}

static const phx_body *inside(const phx_body *body)
{
    return ((const phx_sliding *)body)->inner;
}

const phx_body *phx_body_inside(const phx_body *body)
{
    return phx_as_sliding(body) ? inside(body) : body;
}

int phx_body_places(const phx_body *body, int *x, int *v)
{
    if (x)
        *x = body->n_x - body->n_places;
    if (v)
        *v = body->n_v - body->n_places;
    return body->n_places;
}

double phx_body_curve_length(const phx_body *body)
{
    const phx_sliding *sliding = phx_as_sliding(body);
    return sliding && sliding->curve.n_pieces > 0 ? phx_curve_length(&sliding->curve) : 0.0;
}

/* ---- what the places add ---- */
static double inertia_of(const phx_body *body, int k)
{
    return ((const phx_sliding *)body)->places[k].inertia;
}

/* factor J s_dot into the entries of the places; v NULL: zeros. */
static void put_places(const phx_body *body, double factor, const double *v, double *out)
{
    const int n = inside(body)->n_v;

    for (int k = 0; k < body->n_places; k++)
        out[n + k] = v ? factor * inertia_of(body, k) * v[n + k] : 0.0;
}

/* factor J on the pattern, whose last entries are the diagonal of the places. */
static void put_diagonal(const phx_body *body, double factor, double *val)
{
    const phx_body *inner = inside(body);

    for (int k = 0; k < body->n_places && val; k++)
        val[inner->ptr[inner->n_v] + k] = factor * inertia_of(body, k);
}

static double places_energy(const phx_body *body, const double *v)
{
    const int n = inside(body)->n_v;
    double sum = 0.0;

    for (int k = 0; k < body->n_places; k++)
        sum += 0.5 * inertia_of(body, k) * v[n + k] * v[n + k];
    return sum;
}

static void rest(const phx_body *body, double *x)
{
    phx_body_rest(inside(body), x);
}

static phx_status sliding_locate(const phx_body *body, phx_context *context, const phx_location *location,
                                 phx_body_port *port)
{
    return phx_body_locate(inside(body), context, location, port);
}

static void momenta(const phx_body *body, const double *x, const double *v, double *p)
{
    phx_body_momenta(inside(body), x, v, p);
    put_places(body, 1.0, v, p);
}

static void put_mass(const phx_body *body, const double *x, bool all, const int *at, double *val)
{
    const phx_body *inner = inside(body);

    phx_body_put_mass(inner, x, all, at, val);
    for (int k = 0, e = inner->ptr[inner->n_v]; k < body->n_places && all; k++, e++)
        val[at ? at[e] : e] = inertia_of(body, k);
}

static void moment(const phx_body *body, const double *x, double *sum)
{
    phx_body_moment(inside(body), x, sum);
}

static void sliding_rigid_mass(const phx_body *body, const double *x, double *mass)
{
    phx_body_rigid_mass(inside(body), x, mass);
}

/* n_v x n_v: the mass matrix of the body inside, and the inertias of the places on the diagonal behind it. */
static void mass_matrix(const phx_body *body, const double *x, double *mass)
{
    const int n = inside(body)->n_v, wide = body->n_v;

    phx_body_mass_matrix(inside(body), x, mass);
    for (int i = wide - 1; i >= 0; i--) { /* from the end, where it does not overwrite what is still to be moved */
        if (i < n)
            memmove(mass + (size_t)i * (size_t)wide, mass + (size_t)i * (size_t)n, (size_t)n * sizeof *mass);
        else
            memset(mass + (size_t)i * (size_t)wide, 0, (size_t)wide * sizeof *mass);
    }
    for (int i = 0; i < n; i++)
        memset(mass + (size_t)i * (size_t)wide + n, 0, (size_t)(wide - n) * sizeof *mass);
    for (int i = n; i < wide; i++)
        mass[i * wide + i] = inertia_of(body, i - n);
}

static void inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear, double *angular)
{
    phx_body_inertial_momentum(inside(body), x, v, linear, angular);
}

static void sliding_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                             const double *v_dot, double *res)
{
    phx_body_residual(inside(body), gravity, x, v, v_dot, res);
    put_places(body, 1.0, v_dot, res);
}

static void sliding_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                              double *D, double *K)
{
    phx_body_linearise(inside(body), gravity, x, v, M, D, K);
    put_diagonal(body, 1.0, M);
    put_diagonal(body, 0.0, D);
    put_diagonal(body, 0.0, K);
}

static size_t room(const phx_body *body)
{
    return phx_body_room(inside(body));
}

static phx_products *products_create(phx_context *context, const phx_body *body, double *scratch)
{
    return phx_body_products_create(context, inside(body), scratch);
}

static void products_destroy(const phx_body *body, phx_products *products)
{
    phx_body_products_destroy(inside(body), products);
}

static void products_share(const phx_body *body, phx_products *products, double *scratch)
{
    phx_body_products_share(inside(body), products, scratch);
}

static void interval_begin(const phx_body *body, double h, const double *x0, const double *v0, phx_products *products)
{
    phx_body_interval_begin(inside(body), h, x0, v0, products);
}

/* Of a wheel J (s1_dot - s0_dot)/h with s0_dot + s1_dot = 2 s_m_dot. */
static void interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view, double *res)
{
    const int n = inside(body)->n_v;

    phx_body_interval_residual(inside(body), gravity, view, res);
    for (int k = 0; k < body->n_places; k++)
        res[n + k] = inertia_of(body, k) * 2.0 * (view->vm[n + k] - view->v0[n + k]) / view->h;
}

static void interval_finish(const phx_body *body, double h, const double *v0, double *v1)
{
    phx_body_interval_finish(inside(body), h, v0, v1);
}

static bool sliding_averages(const phx_body *body, int f, double *arm)
{
    return inside(body)->ops->averages(inside(body), f, arm);
}

static void interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view, double *scratch,
                               double *A)
{
    phx_body_interval_linearise(inside(body), gravity, view, scratch, A);
    put_diagonal(body, 2.0 / view->h, A);
}

static double sliding_kinetic(const phx_body *body, const double *x, const double *v)
{
    return phx_body_kinetic(inside(body), x, v) + places_energy(body, v);
}

static double kinetic_undeformed(const phx_body *body, const double *v)
{
    return phx_body_kinetic_undeformed(inside(body), v) + places_energy(body, v);
}

static double elastic(const phx_body *body, const double *x)
{
    return phx_body_elastic(inside(body), x);
}

static double dissipation(const phx_body *body, const double *v)
{
    return phx_body_dissipation(inside(body), v);
}

static double interval_dissipation(const phx_body *body, const phx_body_view *view)
{
    return phx_body_interval_dissipation(inside(body), view);
}

static void free_stress(const phx_body *body, const double *x, const double *xi, double *sigma)
{
    phx_body_free_stress(inside(body), x, xi, sigma);
}

static void free_linearise(const phx_body *body, const double *gravity, const double *x, const double *sigma, double *K)
{
    phx_body_free_linearise(inside(body), gravity, x, sigma, K);
    put_diagonal(body, 0.0, K);
}

static void stress(const phx_body *body, const double *x, double *sigma)
{
    phx_body_stress(inside(body), x, sigma);
}

static void stress_derivative(const phx_body *body, const double *x, const double *row, double *out)
{
    phx_body_stress_derivative(inside(body), x, row, out);
}

static void section_rows(const phx_body *body, const phx_location *location, phx_section_part part, double *row)
{
    phx_body_section_rows(inside(body), location, part, row);
}

static int length_points(const phx_body *body, const phx_length_point **points)
{
    return phx_body_length_points(inside(body), points);
}

static double element_turn(const phx_body *body, const double *x, int *element)
{
    return phx_body_element_turn(inside(body), x, element);
}

/* ---- the table: what the body inside does not offer, this one does not either ---- */
static phx_body_ops operations_over(const phx_body_ops *inner)
{
    return (phx_body_ops){.kind = inner->kind,
                          .beyond = inner->beyond,
                          .destroy = sliding_destroy,
                          .rest = rest,
                          .location_sorts = inner->location_sorts,
                          .locate = inner->locate ? sliding_locate : NULL,
                          .momenta = momenta,
                          .put_mass = put_mass,
                          .moment = moment,
                          .rigid_mass = sliding_rigid_mass,
                          .mass_matrix = mass_matrix,
                          .inertial_momentum = inertial_momentum,
                          .residual = sliding_residual,
                          .linearise = sliding_linearise,
                          .room = room,
                          .products_create = products_create,
                          .products_destroy = products_destroy,
                          .products_share = products_share,
                          .interval_begin = interval_begin,
                          .interval_residual = interval_residual,
                          .interval_linearise = interval_linearise,
                          .interval_finish = interval_finish,
                          .averages = inner->averages ? sliding_averages : NULL,
                          .kinetic = sliding_kinetic,
                          .kinetic_undeformed = kinetic_undeformed,
                          .elastic = elastic,
                          .dissipation = dissipation,
                          .interval_dissipation = interval_dissipation,
                          .free_stress = inner->free_stress ? free_stress : NULL,
                          .free_linearise = inner->free_linearise ? free_linearise : NULL,
                          .stress = inner->stress ? stress : NULL,
                          .stress_derivative = inner->stress_derivative ? stress_derivative : NULL,
                          .section_rows = inner->section_rows ? section_rows : NULL,
                          .length_points = inner->length_points ? length_points : NULL,
                          .element_turn = inner->element_turn ? element_turn : NULL};
}

static void sliding_destroy(phx_body *body)
{
    phx_sliding *sliding = (phx_sliding *)body;

    phx_curve_free(&sliding->curve);
    phx_body_destroy(sliding->inner);
    phx_free(sliding->base.ptr);
    phx_free(sliding->base.idx);
    phx_free(sliding->reach);
    phx_free(sliding->places);
    phx_free(sliding);
}

/* ---- making ---- */
/* One place more: a velocity of its own, alone in its row of the pattern. */
phx_status phx_sliding_add_place(phx_context *context, phx_sliding_place place, phx_sliding *sliding)
{
    const int n = sliding->base.n_v, entries = sliding->base.ptr[n];
    int *ptr = phx_realloc(context, sliding->base.ptr, (size_t)n + 2, sizeof *ptr);

    if (!ptr)
        return PHX_ERR_MEMORY;
    sliding->base.ptr = ptr;
    int *idx = phx_realloc(context, sliding->base.idx, (size_t)entries + 1, sizeof *idx);
    if (!idx)
        return PHX_ERR_MEMORY;
    sliding->base.idx = idx;
    phx_sliding_place *places =
        phx_realloc(context, sliding->places, (size_t)sliding->base.n_places + 1, sizeof *places);
    if (!places)
        return PHX_ERR_MEMORY;
    sliding->places = places;
    places[sliding->base.n_places] = place;
    ptr[n + 1] = entries + 1;
    idx[entries] = n;
    sliding->base.n_v++;
    sliding->base.n_x++;
    sliding->base.n_places++;
    return PHX_OK;
}

void phx_body_drop_place(phx_body *body)
{
    body->n_v--;
    body->n_x--;
    body->n_places--;
}

/* Wraps a body with a curve, on which places can then be added. Takes ownership of the curve in any case and of `inner`
 * if it succeeds. */
phx_status phx_sliding_create(phx_context *context, phx_body *inner, phx_curve *curve, phx_sliding **out)
{
    const size_t n = (size_t)inner->n_v, entries = (size_t)inner->ptr[inner->n_v];
    phx_sliding *sliding = phx_calloc(context, 1, sizeof *sliding);

    if (!sliding) {
        phx_curve_free(curve);
        return PHX_ERR_MEMORY;
    }
    sliding->base = *inner;
    sliding->ops = operations_over(inner->ops);
    sliding->base.ops = &sliding->ops;
    sliding->curve = *curve;
    sliding->base.ptr = phx_calloc(context, n + 1, sizeof *sliding->base.ptr);
    sliding->base.idx = phx_calloc(context, entries, sizeof *sliding->base.idx);
    sliding->reach = phx_calloc(context, 2 * n, sizeof *sliding->reach);
    const phx_status status = sliding->base.ptr && sliding->base.idx && sliding->reach
                                  ? phx_curve_index(context, &sliding->curve)
                                  : PHX_ERR_MEMORY;
    if (status) {
        sliding_destroy(&sliding->base);
        return status;
    }
    memcpy(sliding->base.ptr, inner->ptr, (n + 1) * sizeof *inner->ptr);
    memcpy(sliding->base.idx, inner->idx, entries * sizeof *inner->idx);
    sliding->inner = inner;
    phx_slide_reach(sliding);
    *out = sliding;
    return PHX_OK;
}

/* The curve of the body inside; it is empty after a failure. */
static phx_status find_curve(phx_context *context, const phx_body *inner, const phx_flex_source *source,
                             phx_curve *curve)
{
    if (!inner->ops->curve)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "'%s' is a %s, along which nothing can slide", inner->name,
                        inner->ops->kind);
    const phx_status status = inner->ops->curve(inner, context, source, curve);
    if (status)
        phx_curve_free(curve);
    return status;
}

/* The body with its curve, or around it where it has none. */
phx_status phx_body_add_place(phx_context *context, const phx_flex_source *source, phx_body **body)
{
    if (!body || !*body)
        return phx_fail_null(context, __func__, "body");
    phx_sliding *sliding = (phx_sliding *)phx_as_sliding(*body);
    phx_curve curve = {0};
    phx_status status = PHX_OK;

    if (!sliding || sliding->curve.n_pieces == 0)
        status = find_curve(context, phx_body_inside(*body), source, &curve);
    if (!status && !sliding) {
        status = phx_sliding_create(context, *body, &curve, &sliding);
    } else if (!status && sliding->curve.n_pieces == 0) {
        phx_curve_free(&sliding->curve);
        sliding->curve = curve;
        status = phx_curve_index(context, &sliding->curve);
        phx_slide_reach(sliding);
    }
    if (status)
        return status;
    *body = &sliding->base;
    return phx_sliding_add_place(context, (phx_sliding_place){0}, sliding);
}

phx_status phx_body_add_wheel(phx_context *context, double inertia, double gear, phx_body **body)
{
    phx_sliding *sliding = (phx_sliding *)phx_as_sliding(*body);
    phx_curve none = {0};
    const phx_status status = sliding ? PHX_OK : phx_sliding_create(context, *body, &none, &sliding);

    if (status)
        return status;
    *body = &sliding->base;
    return phx_sliding_add_place(context, (phx_sliding_place){true, inertia, gear}, sliding);
}

double phx_body_wheel_inertia(const phx_body *body, int place)
{
    const phx_sliding *sliding = phx_as_sliding(body);
    return sliding ? sliding->places[place - 1].inertia : 0.0;
}

double phx_body_wheel_gear(const phx_body *body, int place)
{
    const phx_sliding *sliding = phx_as_sliding(body);
    return sliding && sliding->places[place - 1].wheel ? sliding->places[place - 1].gear : 0.0;
}
