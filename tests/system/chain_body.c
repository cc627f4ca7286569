#include "chain_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/kind.h"

enum { SIZE = PHX_PORT_PAIR, COLUMNS = 12 };

typedef struct chain {
    phx_body base;
    chain_def def;
    phx_body_frame frames[CHAIN_MOST];
    phx_body *section; /* the rigid body that each section is */
    int entries;       /* of its pattern */
} chain;

/* Of one section over an interval. */
struct phx_products {
    phx_products *of[CHAIN_MOST];
};

static const chain *of(const phx_body *body)
{
    return (const chain *)body;
}

/* ---- sections ---- */
static phx_body_view section_view(const chain *it, int k, const phx_body_view *all)
{
    const phx_body_frame at = it->frames[k];
    phx_body_view own = {.h = all->h,
                         .x0 = all->x0 + at.x,
                         .x1 = all->x1 + at.x,
                         .xm = all->xm + at.x,
                         .v0 = all->v0 + at.v,
                         .v1 = all->v1 + at.v,
                         .vm = all->vm + at.v};
    own.products = all->products ? all->products->of[k] : NULL;
    return own;
}

static phx_body_view instant(const double *x, const double *v)
{
    return (phx_body_view){.x0 = x, .x1 = x, .xm = x, .v0 = v, .v1 = v, .vm = v};
}

/* ---- springs ---- */
static phx_body_port port_of(const double *place, phx_body_frame frame)
{
    phx_body_port port = {.frame = frame};
    memcpy(port.point.x, place, 3 * sizeof *place);
    return port;
}

/* The two ports of spring s between sections k and k + 1. */
typedef struct link {
    phx_body_port port[2];
    phx_port_view view[2];
} link;

static link view_link(const chain *it, int k, int s, const phx_body_view *view)
{
    link out = {.port = {port_of(it->def.from[s], it->frames[k]), port_of(it->def.to[s], it->frames[k + 1])}};

    for (int side = 0; side < 2; side++)
        phx_body_port_view(&it->base, &out.port[side], view, &out.view[side]);
    return out;
}

static phx_line_spring spring_of(const chain *it, int s)
{
    return (phx_line_spring){.stiffness = it->def.stiffness, .length = chain_length(&it->def, s)};
}

static void add_spring_forces(const chain *it, const phx_body_view *view, double *res)
{
    for (int k = 0; k + 1 < it->def.sections; k++)
        for (int s = 0; s < it->def.springs; s++) {
            const link at = view_link(it, k, s, view);
            const phx_line_spring spring = spring_of(it, s);
            phx_load_result result = {0};
            (void)phx_line_spring_evaluate(NULL, &spring, &at.view[0], &at.view[1], 0.0, false, &result);
            for (int side = 0; side < 2; side++)
                phx_body_port_apply(&it->base, &at.port[side], view, -1.0, result.effort + side * PHX_PORT_MAX, res);
        }
}

/* Where the derivatives of a matrix are put: factor K on the pattern of the chain, which is full. */
typedef struct tangent {
    double factor, *K;
} tangent;

static void put(const chain *it, const tangent *to, int row, int column, double value)
{
    to->K[row * it->base.n_v + column] += to->factor * value;
}

/* P^T E W and the derivative of P^T e at fixed effort e, of a spring. */
static void add_link_tangent(const chain *it, const link *at, const phx_body_view *view,
                             const phx_load_result *of_spring, const tangent *to)
{
    const int dim = it->base.dim, n_rot = it->base.n_rot, r = it->base.n_rigid;
    double P[2][3 * 6], rate[2][3 * 6], turn[9], turns[6 * 3], bends[3], W[2][3 * 6];

    for (int side = 0; side < 2; side++) {
        const double *effort = of_spring->effort + side * PHX_PORT_MAX;
        const phx_port_tangents out = {
            .place = P[side], .rate = rate[side], .turn = turn, .turns = turns, .bends = bends};
        const int v = at->port[side].frame.v;
        phx_body_port_tangents(&it->base, &at->port[side], view, effort, &out);
        for (int a = 0; a < dim; a++)
            for (int j = 0; j < r; j++)
                W[side][a * r + j] =
                    P[side][a * r + j] + (j < dim ? 0.0 : 0.5 * view->h * rate[side][a * (r - dim) + j - dim]);
        for (int i = 0; i < r; i++)
            for (int k = 0; k < n_rot; k++)
                put(it, to, v + i, v + dim + k, -turns[i * n_rot + k]);
    }
    for (int left = 0; left < 2; left++) /* a line spring has no torques: the places alone */
        for (int right = 0; right < 2; right++)
            for (int i = 0; i < r; i++)
                for (int j = 0; j < r; j++) {
                    double sum = 0.0;
                    for (int a = 0; a < dim; a++)
                        for (int b = 0; b < dim; b++)
                            sum += P[left][a * r + i] * W[right][b * r + j] *
                                   of_spring->tangent[(left * PHX_PORT_MAX + a) * SIZE + right * PHX_PORT_MAX + b];
                    put(it, to, at->port[left].frame.v + i, at->port[right].frame.v + j, -sum);
                }
}

static void add_spring_tangents(const chain *it, const phx_body_view *view, const tangent *to)
{
    for (int k = 0; k + 1 < it->def.sections; k++)
        for (int s = 0; s < it->def.springs; s++) {
            const link at = view_link(it, k, s, view);
            const phx_line_spring spring = spring_of(it, s);
            phx_load_result result = {0};
            (void)phx_line_spring_evaluate(NULL, &spring, &at.view[0], &at.view[1], 0.0, true, &result);
            add_link_tangent(it, &at, view, &result, to);
        }
}

/* ---- the operations ---- */
static void destroy(phx_body *body)
{
    phx_body_destroy(((chain *)body)->section);
    phx_body_free_base(body);
    phx_free(body);
}

static void rest(const phx_body *body, double *x)
{
    const chain *it = of(body);

    for (int k = 0; k < it->def.sections; k++) {
        phx_body_rest(it->section, x + it->frames[k].x);
        x[it->frames[k].x] = k * it->def.pitch;
    }
}

static phx_status locate(const phx_body *body, phx_context *context, const phx_location *location, phx_body_port *port)
{
    const chain *it = of(body);

    if (location->node < 1 || location->node > it->def.sections)
        return phx_fail(context, PHX_ERR_ARGUMENT, "there is no section %d, there are 1 to %d", location->node,
                        it->def.sections);
    port->frame = it->frames[location->node - 1];
    return PHX_OK;
}

static void momenta(const phx_body *body, const double *x, const double *v, double *p)
{
    const chain *it = of(body);
    for (int k = 0; k < it->def.sections; k++)
        phx_body_momenta(it->section, x + it->frames[k].x, v + it->frames[k].v, p + it->frames[k].v);
}

/* The matrix of a section, on its full pattern, into that of the chain. */
static void put_section(const chain *it, int k, const double *own, const int *at, double *val)
{
    const int r = it->base.n_rigid, v = it->frames[k].v;

    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) {
            const int to = (v + i) * it->base.n_v + v + j;
            val[at ? at[to] : to] = own[i * r + j];
        }
}

static void put_mass(const phx_body *body, const double *x, bool all, const int *at, double *val)
{
    const chain *it = of(body);
    double own[36];

    for (int e = 0; all && e < it->base.n_v * it->base.n_v; e++)
        val[at ? at[e] : e] = 0.0;
    for (int k = 0; k < it->def.sections; k++) {
        phx_body_mass_matrix(it->section, x + it->frames[k].x, own);
        put_section(it, k, own, at, val);
    }
}

static void mass_matrix(const phx_body *body, const double *x, double *mass)
{
    put_mass(body, x, true, NULL, mass);
}

static void moment(const phx_body *body, const double *x, double *sum)
{
    const chain *it = of(body);
    double own[3];

    memset(sum, 0, (size_t)body->dim * sizeof *sum);
    for (int k = 0; k < it->def.sections; k++) {
        phx_body_moment(it->section, x + it->frames[k].x, own);
        for (int a = 0; a < body->dim; a++)
            sum[a] += own[a];
    }
}

/* T^T M T by unit twists. */
static void rigid_mass(const phx_body *body, const double *x, double *mass)
{
    const int r = body->n_rigid;
    double twist[6] = {0}, v[6 * CHAIN_MOST], p[6 * CHAIN_MOST], column[6];

    for (int c = 0; c < r; c++) {
        twist[c] = 1.0;
        phx_body_rigid_motion(body, x, twist, v);
        momenta(body, x, v, p);
        phx_body_rigid_force(body, x, p, column);
        for (int i = 0; i < r; i++)
            mass[i * r + c] = column[i];
        twist[c] = 0.0;
    }
}

static void inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear, double *angular)
{
    const chain *it = of(body);
    double l[3], a[3];

    memset(linear, 0, (size_t)body->dim * sizeof *linear);
    memset(angular, 0, (size_t)body->n_rot * sizeof *angular);
    for (int k = 0; k < it->def.sections; k++) {
        phx_body_inertial_momentum(it->section, x + it->frames[k].x, v + it->frames[k].v, l, a);
        for (int i = 0; i < body->dim; i++)
            linear[i] += l[i];
        for (int i = 0; i < body->n_rot; i++)
            angular[i] += a[i];
    }
}

static void residual(const phx_body *body, const double *gravity, const double *x, const double *v, const double *v_dot,
                     double *res)
{
    const chain *it = of(body);
    const phx_body_view view = instant(x, v);

    for (int k = 0; k < it->def.sections; k++) {
        const phx_body_frame at = it->frames[k];
        phx_body_residual(it->section, gravity, x + at.x, v + at.v, v_dot + at.v, res + at.v);
    }
    add_spring_forces(it, &view, res);
}

static void linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                      double *D, double *K)
{
    const chain *it = of(body);
    const size_t bytes = (size_t)(body->n_v * body->n_v) * sizeof(double);
    const phx_body_view view = instant(x, v);
    double own[3][36];

    put_mass(body, x, true, NULL, M);
    if (D)
        memset(D, 0, bytes);
    if (K)
        memset(K, 0, bytes);
    for (int k = 0; k < it->def.sections; k++) {
        phx_body_linearise(it->section, gravity, x + it->frames[k].x, v + it->frames[k].v, own[0], own[1], own[2]);
        if (D)
            put_section(it, k, own[1], NULL, D);
        if (K)
            put_section(it, k, own[2], NULL, K);
    }
    const tangent to = {1.0, K};
    if (K)
        add_spring_tangents(it, &view, &to);
}

static size_t room(const phx_body *body)
{
    return phx_body_room(of(body)->section);
}

static phx_products *products_create(phx_context *context, const phx_body *body, double *scratch)
{
    const chain *it = of(body);
    phx_products *all = phx_calloc(context, 1, sizeof *all);

    for (int k = 0; k < it->def.sections && all; k++)
        all->of[k] = phx_body_products_create(context, it->section, scratch);
    return all;
}

static void products_destroy(const phx_body *body, phx_products *products)
{
    for (int k = 0; k < CHAIN_MOST && products; k++)
        phx_body_products_destroy(of(body)->section, products->of[k]);
    phx_free(products);
}

static void products_share(const phx_body *body, phx_products *products, double *scratch)
{
    for (int k = 0; k < of(body)->def.sections; k++)
        phx_body_products_share(of(body)->section, products->of[k], scratch);
}

static void interval_begin(const phx_body *body, double h, const double *x0, const double *v0, phx_products *products)
{
    const chain *it = of(body);
    for (int k = 0; k < it->def.sections; k++)
        phx_body_interval_begin(it->section, h, x0 + it->frames[k].x, v0 + it->frames[k].v, products->of[k]);
}

static void interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view, double *res)
{
    const chain *it = of(body);

    for (int k = 0; k < it->def.sections; k++) {
        const phx_body_view own = section_view(it, k, view);
        phx_body_interval_residual(it->section, gravity, &own, res + it->frames[k].v);
    }
    add_spring_forces(it, view, res);
}

static void interval_finish(const phx_body *body, double h, const double *v0, double *v1)
{
    const chain *it = of(body);

    for (int k = 0; k < it->def.sections; k++)
        phx_body_interval_finish(it->section, h, v0 + it->frames[k].v, v1 + it->frames[k].v);
}

static void interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view, double *scratch,
                               double *A)
{
    const chain *it = of(body);
    const tangent to = {0.5 * view->h, A};
    double own[36];

    memset(A, 0, (size_t)(body->n_v * body->n_v) * sizeof *A);
    for (int k = 0; k < it->def.sections; k++) {
        const phx_body_view at = section_view(it, k, view);
        phx_body_interval_residual(it->section, gravity, &at, scratch);
        phx_body_interval_linearise(it->section, gravity, &at, scratch, own);
        put_section(it, k, own, NULL, A);
    }
    add_spring_tangents(it, view, &to);
}

static double kinetic(const phx_body *body, const double *x, const double *v)
{
    const chain *it = of(body);
    double sum = 0.0;
    for (int k = 0; k < it->def.sections; k++)
        sum += phx_body_kinetic(it->section, x + it->frames[k].x, v + it->frames[k].v);
    return sum;
}

static double kinetic_undeformed(const phx_body *body, const double *v)
{
    const chain *it = of(body);
    double sum = 0.0;
    for (int k = 0; k < it->def.sections; k++)
        sum += phx_body_kinetic_undeformed(it->section, v + it->frames[k].v);
    return sum;
}

static double elastic(const phx_body *body, const double *x)
{
    const chain *it = of(body);
    const double still[6 * CHAIN_MOST] = {0};
    const phx_body_view view = instant(x, still);
    double sum = 0.0;

    for (int k = 0; k + 1 < it->def.sections; k++)
        for (int s = 0; s < it->def.springs; s++) {
            const link at = view_link(it, k, s, &view);
            const phx_line_spring spring = spring_of(it, s);
            sum += phx_line_spring_energy(&spring, &at.view[0], &at.view[1], 1);
        }
    return sum;
}

static const phx_body_ops chain_ops = {
    .kind = "chain of sections",
    .destroy = destroy,
    .rest = rest,
    .location_sorts = 1u << PHX_LOCATION_NODE,
    .locate = locate,
    .momenta = momenta,
    .put_mass = put_mass,
    .mass_matrix = mass_matrix,
    .moment = moment,
    .rigid_mass = rigid_mass,
    .inertial_momentum = inertial_momentum,
    .residual = residual,
    .linearise = linearise,
    .room = room,
    .products_create = products_create,
    .products_destroy = products_destroy,
    .products_share = products_share,
    .interval_begin = interval_begin,
    .interval_residual = interval_residual,
    .interval_linearise = interval_linearise,
    .interval_finish = interval_finish,
    .kinetic = kinetic,
    .kinetic_undeformed = kinetic_undeformed,
    .elastic = elastic,
};

/* ---- creation ---- */
chain_def chain_default(int dim, int sections)
{
    chain_def def = {.name = "chain",
                     .dim = dim,
                     .sections = sections,
                     .pitch = 0.5,
                     .section = {.mass = 2.0, .inertia = {0.05}},
                     .springs = dim == 2 ? 3 : 6,
                     .stiffness = 800.0};

    if (dim == 3) {
        def.section.inertia[0] = 0.04;
        def.section.inertia[4] = 0.05;
        def.section.inertia[8] = 0.06;
    }
    for (int s = 0; s < def.springs; s++) { /* as the legs of a hexapod, in the plane of three of them */
        const double angle = 2.0943951023931953 * (s / 2), next = 2.0943951023931953 * ((s + 1) / 2);
        def.from[s][0] = 0.1;
        def.to[s][0] = -0.1;
        if (dim == 2) {
            def.from[s][1] = s < 2 ? 0.12 : -0.12;
            def.to[s][1] = s < 1 ? 0.12 : -0.12;
        } else {
            def.from[s][1] = 0.12 * cos(angle);
            def.from[s][2] = 0.12 * sin(angle);
            def.to[s][1] = 0.12 * cos(next);
            def.to[s][2] = 0.12 * sin(next);
        }
    }
    return def;
}

double chain_length(const chain_def *def, int s)
{
    double square = 0.0;

    for (int a = 0; a < 3; a++) {
        const double d = def->to[s][a] - def->from[s][a] + (a == 0 ? def->pitch : 0.0);
        square += d * d;
    }
    return sqrt(square);
}

/* Mass, first moment and inertia of all sections about the origin of the first. */
static void sum_mass(chain *it)
{
    const phx_mass_properties *own = phx_body_at_rest(it->section);
    phx_mass_properties *all = &it->base.rest;

    for (int k = 0; k < it->def.sections; k++) {
        const double shift = k * it->def.pitch, steiner = own->mass * shift * shift + 2.0 * shift * own->s0[0];
        all->mass += own->mass;
        all->s0[0] += own->s0[0] + own->mass * shift;
        for (int p = 0; p < PHX_MAX_PAIR; p++)
            all->J0[p] += own->J0[p];
        all->J0[it->base.dim == 2 ? 0 : 1] += steiner;
        if (it->base.dim == 3)
            all->J0[2] += steiner;
    }
}

phx_status chain_create(phx_context *context, const chain_def *def, phx_body **body)
{
    const phx_body_def section = {.name = def->name, .dim = def->dim, .rigid = &def->section};
    chain *it = phx_calloc(context, 1, sizeof *it);
    phx_status status = it ? phx_body_create(context, &section, &it->section) : PHX_ERR_MEMORY;

    *body = NULL;
    if (status)
        return status;
    it->def = *def;
    it->base.lossless = true;
    status = phx_body_lay_out(context, &chain_ops, def->name, def->dim, def->sections, it->frames, 0, &it->base);
    for (int k = 1; k < def->sections - k; k++) { /* behind the first one the last comes first */
        const phx_body_frame other = it->frames[k];
        it->frames[k] = it->frames[def->sections - k];
        it->frames[def->sections - k] = other;
    }
    const int n = it->base.n_v;
    it->base.ptr = phx_calloc(context, (size_t)n + 1, sizeof(int));
    it->base.idx = phx_calloc(context, (size_t)(n * n), sizeof(int));
    for (int i = 0; i <= n; i++)
        it->base.ptr[i] = i * n;
    for (int k = 0; k < n * n; k++)
        it->base.idx[k] = k % n;
    sum_mass(it);
    *body = &it->base;
    return status;
}
