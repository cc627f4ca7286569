/* Forces along a weighted sum of distances and coordinates of joints: cables over points, which joints may wind,
 * elastic gears, belts. The measure x = sum w_i x_i has covectors G on all its ports, G_p = sum of w_i g_i over the
 * terms that end at p; what acts along it couples every pair of them. A pair of ports has a place in the pattern only
 * through a force, so a sum is followed by links, one for each pair of its ports but the first, which it has itself. */
#include "forces.h"

#include <math.h>
#include <string.h>

enum { MOST_PORTS = 16 };

typedef struct term {
    int a, b; /* among the ports of the sum */
    double weight;
    int joint, coordinate; /* -1: the distance of the ports */
} term;

typedef struct sum {
    int n_ports, n_terms;
    phx_port_id ports[MOST_PORTS];
    term terms[MOST_PORTS];
    phx_scalar_force along; /* law, damper are the force's */
    bool rope;              /* it only pulls: penetration of the gap rest - x */
    phx_penalty taut;
    bool rest_at_start;
} sum;

static bool is_distance(const term *walk)
{
    return walk->joint < 0;
}

static double sum_distance(int dim, const phx_port_view *a, const phx_port_view *b, int end)
{
    double square = 0.0;
    for (int i = 0; i < dim; i++) {
        const double d = end ? b->u1[i] - a->u1[i] : b->u0[i] - a->u0[i];
        square += d * d;
    }
    return sqrt(square);
}

/* The covector of a term over the interval; of a distance d_mean/m on its places, m = (|d0| + |d1|)/2. */
static void term_covector(const workspace *ws, const sum *total, const term *one, double *g)
{
    const phx_port_view *a = &ws->ports.view[total->ports[one->a]], *b = &ws->ports.view[total->ports[one->b]];
    const int dim = ws->system->dim;

    memset(g, 0, PAIR_SIZE * sizeof *g);
    if (!is_distance(one)) {
        phx_row_covectors(&ws->system->joints[one->joint].coordinates[one->coordinate].row, a, b, g, g + PHX_PORT_MAX);
        return;
    }
    const double m = 0.5 * (sum_distance(dim, a, b, 0) + sum_distance(dim, a, b, 1));
    for (int i = 0; i < dim; i++) {
        g[PHX_PORT_MAX + i] = m > 0.0 ? (b->um[i] - a->um[i]) / m : 0.0;
        g[i] = -g[PHX_PORT_MAX + i];
    }
}

/* Its derivative; false: zero. dg_b = (I - g_b n1^T) dd/m, n1 = d1/|d1|. */
static bool term_tangent(const workspace *ws, const sum *total, const term *one, const double *g, double *H)
{
    const phx_port_view *a = &ws->ports.view[total->ports[one->a]], *b = &ws->ports.view[total->ports[one->b]];
    const int dim = ws->system->dim;

    memset(H, 0, PAIR_SIZE * PAIR_SIZE * sizeof *H);
    if (!is_distance(one))
        return phx_row_tangent(&ws->system->joints[one->joint].coordinates[one->coordinate].row, a, b, H);
    const double end = sum_distance(dim, a, b, 1), m = 0.5 * (sum_distance(dim, a, b, 0) + end);
    if (!(end > 0.0))
        return false;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            const double value = ((i == j ? 1.0 : 0.0) - g[PHX_PORT_MAX + i] * (b->u1[j] - a->u1[j]) / end) / m;
            H[i * PAIR_SIZE + j] = H[(PHX_PORT_MAX + i) * PAIR_SIZE + PHX_PORT_MAX + j] = value;
            H[i * PAIR_SIZE + PHX_PORT_MAX + j] = H[(PHX_PORT_MAX + i) * PAIR_SIZE + j] = -value;
        }
    return true;
}

static double term_value(const workspace *ws, const sum *total, const term *one, int end)
{
    return is_distance(one) ? sum_distance(ws->system->dim, &ws->ports.view[total->ports[one->a]],
                                           &ws->ports.view[total->ports[one->b]], end)
                            : phx_sys_coordinate_value(ws, one->joint, one->coordinate, end);
}

/* The force along x: of a rope by its stretch beyond the length, of others as along a coordinate. */
static phx_status act(phx_context *context, const sum *total, double x0, double x1, double rate, double t,
                      phx_scalar_result *f)
{
    if (!total->rope)
        return phx_scalar_force_evaluate(context, &total->along, x0, x1, rate, t, f);
    const phx_penalty_force N =
        phx_penalty_evaluate(&total->taut, total->along.rest - x0, total->along.rest - x1, -rate);
    *f = (phx_scalar_result){.force = -N.value, .by_end = N.by_end, .by_rate = N.by_rate, .dissipated = N.dissipated};
    return PHX_OK;
}

/* The pair of ports i < j, of which the sum itself is the first. */
static int pair_of(const sum *total, int pair, int i, int j)
{
    return pair + i * total->n_ports - i * (i + 1) / 2 + (j - i - 1);
}

/* Everything by the ports of the sum. */
typedef struct by_port {
    double G[MOST_PORTS][PHX_PORT_MAX], slope[MOST_PORTS][PHX_PORT_MAX];
} by_port;

/* K of all pairs: f sum w_i H_i, then on each pair g g^T by the place and g slope^T by the rate. A port's own block
 * goes to the pair with the port after it, that of the last to the one before. */
static void sum_add_derivatives(workspace *ws, int pair, const sum *total, by_port *all, const phx_scalar_result *f)
{
    const double place = ws->view.h == 0.0 ? 2.0 * f->by_end : 0.0, by_rate = f->by_rate + ws->view.h * f->by_end;
    const int size = phx_port_size(ws->system->dim), last = total->n_ports - 1;
    double g[PAIR_SIZE], block[PAIR_SIZE * PAIR_SIZE], rates[PAIR_SIZE * PAIR_SIZE];

    memset(all->slope, 0, sizeof all->slope);
    for (int k = 0; k < total->n_terms; k++) {
        const term *one = &total->terms[k];
        const int low = one->a < one->b ? one->a : one->b, high = one->a < one->b ? one->b : one->a;
        const int ends[2] = {one->a, one->b};
        term_covector(ws, total, one, g);
        if (!term_tangent(ws, total, one, g, block))
            continue;
        for (int side = 0; side < 2; side++) /* zeta^T H */
            for (int i = 0; i < size; i++)
                for (int right = 0; right < 2; right++)
                    for (int j = 0; j < size; j++)
                        all->slope[ends[right]][j] +=
                            one->weight * ws->ports.view[total->ports[ends[side]]].rate[i] *
                            block[(side * PHX_PORT_MAX + i) * PAIR_SIZE + right * PHX_PORT_MAX + j];
        if (one->a > one->b) /* in the order of the pair */
            for (int i = 0; i < PHX_PORT_MAX; i++)
                for (int j = 0; j < PAIR_SIZE; j++) {
                    const int to = (i + PHX_PORT_MAX) * PAIR_SIZE + (j + PHX_PORT_MAX) % PAIR_SIZE;
                    const double kept = block[i * PAIR_SIZE + j];
                    block[i * PAIR_SIZE + j] = block[to];
                    block[to] = kept;
                }
        ws->by->pair_add(ws, pair_of(total, pair, low, high), -one->weight * f->force, block);
    }
    for (int i = 0; i < total->n_ports; i++)
        for (int j = i + 1; j < total->n_ports; j++) {
            const int ends[2] = {i, j};
            memset(block, 0, sizeof block);
            memset(rates, 0, sizeof rates);
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++) {
                    const bool own = r == c, here = r == 0 ? j == i + 1 : i == last - 1 && j == last;
                    if (own && !here)
                        continue;
                    for (int p = 0; p < size; p++)
                        for (int q = 0; q < size; q++) {
                            const int to = (r * PHX_PORT_MAX + p) * PAIR_SIZE + c * PHX_PORT_MAX + q;
                            block[to] =
                                all->G[ends[r]][p] * (place * all->G[ends[c]][q] + by_rate * all->slope[ends[c]][q]);
                            rates[to] = by_rate * all->G[ends[r]][p] * all->G[ends[c]][q];
                        }
                }
            ws->by->pair_add(ws, pair_of(total, pair, i, j), -1.0, block);
            ws->by->pair_rate_add(ws, pair_of(total, pair, i, j), -1.0, rates);
        }
}

/* Adds the efforts f G_p of a force along the measure x = sum w_i x_i to all its ports, with its power and, if asked,
 * its derivatives. */
static phx_status sum_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    const sum *total = force->own;
    const int size = phx_port_size(ws->system->dim);
    double x0 = 0.0, x1 = 0.0, rate = 0.0, g[PAIR_SIZE];
    phx_scalar_result f;
    by_port all;

    (void)res;
    memset(all.G, 0, sizeof all.G);
    for (int k = 0; k < total->n_terms; k++) {
        const term *one = &total->terms[k];
        x0 += one->weight * term_value(ws, total, one, 0);
        x1 += one->weight * term_value(ws, total, one, 1);
        term_covector(ws, total, one, g);
        for (int i = 0; i < size; i++) {
            all.G[one->a][i] += one->weight * g[i];
            all.G[one->b][i] += one->weight * g[PHX_PORT_MAX + i];
        }
    }
    for (int p = 0; p < total->n_ports; p++)
        rate += phx_dot(size, all.G[p], ws->ports.view[total->ports[p]].rate);
    const phx_status status = act(ws->base.context, total, x0, x1, rate, t, &f);
    if (status)
        return phx_fail_prefix(ws->base.context, status, "'%s': ", force->name);
    for (int p = 0; p < total->n_ports; p++)
        phx_sys_add_effort(ws, total->ports[p], f.force, all.G[p]);
    ws->forces.power.supplied += f.supplied;
    ws->forces.power.dissipated += f.dissipated;
    if (linear && (f.force != 0.0 || f.by_end != 0.0 || f.by_rate != 0.0))
        sum_add_derivatives(ws, pair, total, &all, &f);
    return PHX_OK;
}

static double stored(const sum *total, double x)
{
    return total->rope ? phx_penalty_energy(&total->taut, total->along.rest - x)
                       : phx_scalar_force_energy(&total->along, x);
}

/* x of a state. */
static double value_at(const phx_system *system, const sum *total, const double *x, const double *v)
{
    double value = 0.0;

    for (int k = 0; k < total->n_terms; k++) {
        const term *one = &total->terms[k];
        phx_port_view a, b;
        phx_sys_view_port(system, total->ports[one->a], x, v, &a);
        phx_sys_view_port(system, total->ports[one->b], x, v, &b);
        if (is_distance(one)) {
            value += one->weight * sum_distance(system->dim, &a, &b, 1);
        } else {
            const coordinate_slot *coordinate = &system->joints[one->joint].coordinates[one->coordinate];
            const double near = coordinate->angle < 0 ? 0.0 : x[coordinate->angle];
            value += one->weight * phx_row_unwrapped(&coordinate->row, &a, &b, 1, near);
        }
    }
    return value;
}

static double sum_energy(const phx_system *system, const force_slot *force, const phx_port_view *a,
                         const phx_port_view *b, const double *x, const double *v)
{
    const sum *total = force->own;
    (void)a, (void)b;
    return stored(total, value_at(system, total, x, v));
}

/* Rate of the potential energy of a sum at the present rates, W; actuator, nonlinear damper and friction are left
 * out. */
static double sum_energy_rate(const workspace *ws, const force_slot *force)
{
    const sum *total = force->own;
    sum at_rest = *total;
    const int size = phx_port_size(ws->system->dim);
    double x = 0.0, rate = 0.0, g[PAIR_SIZE];
    phx_scalar_result f;

    at_rest.along.effort = at_rest.along.damper = NULL;
    at_rest.along.friction.regularised = 0.0;
    for (int k = 0; k < total->n_terms; k++) {
        const term *one = &total->terms[k];
        x += one->weight * term_value(ws, total, one, 1);
        term_covector(ws, total, one, g);
        rate += one->weight * (phx_dot(size, g, ws->ports.view[total->ports[one->a]].rate) +
                               phx_dot(size, g + PHX_PORT_MAX, ws->ports.view[total->ports[one->b]].rate));
    }
    return act(NULL, &at_rest, x, x, 0.0, 0.0, &f) ? 0.0 : -f.force * rate;
}

static void sum_settle(phx_system *system, force_slot *force, const double *x, const double *v)
{
    sum *total = force->own;
    if (total->rest_at_start)
        total->along.rest = value_at(system, total, x, v);
}

static bool supplies(const phx_system *system, const force_slot *force)
{
    const sum *total = force->own;
    (void)system;
    return total->along.effort != NULL;
}

static bool sum_dissipates(const phx_system *system, const force_slot *force)
{
    const sum *total = force->own;
    (void)system;
    return total->rope ? total->taut.damping > 0.0 : phx_scalar_force_dissipates(&total->along);
}

static void archive_term(phx_archive *archive, const phx_system *system, const sum *total, term *one)
{
    phx_sys_archive_member(archive, total->n_ports, &one->a);
    phx_sys_archive_member(archive, total->n_ports, &one->b);
    phx_archive_double(archive, &one->weight);
    phx_sys_archive_index(archive, system->n_joints, &one->joint);
    if (!phx_archive_status(archive) && !is_distance(one))
        phx_sys_archive_member(archive, system->joints[one->joint].n_coordinates, &one->coordinate);
}

PHX_SYS_WRITTEN(sum, 656);
/* Writes or reads the ports, terms and laws of a sum. */
static void sum_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_ports(archive, system, 2, force);
    sum *total = phx_sys_archive_own(archive, sizeof *total, force);
    if (!total)
        return;
    phx_archive_choice(archive, MOST_PORTS, &total->n_ports);
    phx_archive_choice(archive, MOST_PORTS, &total->n_terms);
    for (int k = 0; k < total->n_ports && !phx_archive_status(archive); k++)
        phx_sys_archive_member(archive, system->n_ports, &total->ports[k]);
    for (int k = 0; k < total->n_terms && !phx_archive_status(archive); k++)
        archive_term(archive, system, total, &total->terms[k]);
    phx_archive_double(archive, &total->along.stiffness);
    phx_archive_double(archive, &total->along.damping);
    phx_archive_double(archive, &total->along.rest);
    phx_law_archive(archive, &force->law);
    phx_signal_archive(archive, &force->damper);
    total->along.law = force->law;
    total->along.damper = force->damper;
    phx_archive_bool(archive, &total->rope);
    phx_sys_archive_penalty(archive, &total->taut);
    phx_archive_bool(archive, &total->rest_at_start);
}

static int links(const force_slot *force)
{
    const sum *total = force->own;
    return total->n_ports * (total->n_ports - 1) / 2 - 1;
}

const force_operations phx_sys_force_sum = {.noun = "force",
                                            .at_ports = true,
                                            .archive = sum_archive,
                                            .links = links,
                                            .evaluate = sum_evaluate,
                                            .energy = sum_energy,
                                            .energy_rate = sum_energy_rate,
                                            .settle = sum_settle,
                                            .supplies = supplies,
                                            .dissipates = sum_dissipates};

/* ---- links ---- */
static phx_status nothing(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    (void)ws, (void)pair, (void)force, (void)t, (void)linear, (void)res;
    return PHX_OK;
}

static void archive_link(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_ports(archive, system, 2, force);
}

const force_operations phx_sys_force_link = {.noun = "force",
                                             .at_ports = true,
                                             .evaluate = nothing,
                                             .archive = archive_link,
                                             .supplies = phx_sys_force_never,
                                             .dissipates = phx_sys_force_never};

/* ---- making ---- */
/* The sum, then its links in the order of pair_of. */
static phx_status add_sum(phx_system *system, const char *name, const sum *made, force_slot **out)
{
    phx_status status = phx_sys_new_force(system, FORCE_SUM, name, made->n_ports, made->ports, sizeof(sum), out);
    const int at = system->n_forces - 1;

    if (!status)
        memcpy((*out)->own, made, sizeof *made);
    for (int i = 0; i < made->n_ports && !status; i++)
        for (int j = i + 1; j < made->n_ports && !status; j++) {
            const phx_port_id ends[2] = {made->ports[i], made->ports[j]};
            force_slot *link = NULL;
            if (i > 0 || j > 1)
                status = phx_sys_new_force(system, FORCE_LINK, name, 2, ends, 0, &link);
        }
    if (*out)
        *out = &system->forces[at]; /* the array may have moved */
    return status;
}

static phx_status sum_refuse(phx_system *system, const char *name, phx_status status, int before)
{
    while (system->n_forces > before)
        phx_sys_drop_force(system);
    return status ? phx_fail_prefix(system->context, status, "'%s': ", name) : PHX_OK;
}

/* Number of a port among those of a sum, which takes it in when it is new. */
static int port_in(sum *total, phx_port_id port)
{
    for (int k = 0; k < total->n_ports; k++)
        if (total->ports[k] == port)
            return k;
    total->ports[total->n_ports] = port;
    return total->n_ports++;
}

/* Appends weighted coordinates of joints to a sum; fails for an unknown coordinate or a weight that is not finite or is
 * zero. */
static phx_status add_terms(phx_system *system, int n_terms, const phx_coupling_term *terms, sum *made)
{
    for (int k = 0; k < n_terms; k++) {
        const phx_coupling_term *one = &terms[k];
        if (one->joint < 0 || one->joint >= system->n_joints || one->coordinate < 0 ||
            one->coordinate >= system->joints[one->joint].n_coordinates)
            return phx_fail(system->context, PHX_ERR_ARGUMENT, "there is no coordinate %d of joint %d",
                            one->coordinate + 1, one->joint);
        if (!isfinite(one->weight) || one->weight == 0.0)
            return phx_fail(system->context, PHX_ERR_ARGUMENT, "weight %g of a coordinate; it must be finite, not 0",
                            one->weight);
        const joint_slot *joint = &system->joints[one->joint];
        const coordinate_slot *coordinate = &joint->coordinates[one->coordinate];
        const int a = port_in(made, coordinate->a), b = port_in(made, coordinate->b);
        made->terms[made->n_terms++] = (term){a, b, one->weight, one->joint, one->coordinate};
    }
    return PHX_OK;
}

/* Adds a cable over the given ports, optionally wound by coordinates of joints; it pulls only while longer than its
 * length. After an error the system has the forces it had before. */
phx_status phx_system_add_cable(phx_system *system, const phx_cable_def *def)
{
    if (!system || !def || !def->ports || (def->n_terms > 0 && !def->terms))
        return phx_fail_null(system ? system->context : NULL, __func__, "system, def, its ports or its terms");
    const int before = system->n_forces;
    sum made = {.n_ports = def->n_ports,
                .n_terms = def->n_ports - 1,
                .along = {.rest = def->length},
                .rope = true,
                .taut = {def->stiffness, 1.0, def->damping}};
    force_slot *force = NULL;

    if (def->n_ports < 2 || def->n_ports > MOST_PORTS)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "cable '%s': %d ports, expected 2 to %d", def->name,
                        def->n_ports, MOST_PORTS);
    if (!(def->length >= 0.0) || !isfinite(def->length))
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "cable '%s': length %g must be finite and not negative",
                        def->name, def->length);
    if (def->n_terms < 0 || def->n_ports + 2 * def->n_terms > MOST_PORTS) /* a coordinate is between two */
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "cable '%s': %d points and %d coordinates that wind it, expected points and twice the "
                        "coordinates to be at most %d",
                        def->name, def->n_ports, def->n_terms, MOST_PORTS);
    memcpy(made.ports, def->ports, (size_t)def->n_ports * sizeof *made.ports);
    for (int k = 0; k < made.n_terms; k++)
        made.terms[k] = (term){k, k + 1, 1.0, -1, -1};
    phx_status status = phx_penalty_check(system->context, &made.taut);
    if (!status)
        status = add_terms(system, def->n_terms, def->terms, &made);
    if (!status)
        status = add_sum(system, def->name, &made, &force);
    return status ? sum_refuse(system, def->name, status, before) : phx_conclude(system->context, PHX_OK);
}

/* Adds an elastic coupling of weighted coordinates (gear, belt). Takes ownership of the law and the damper in any case;
 * without a given rest the measure at the start is the rest. */
phx_status phx_system_add_coupling(phx_system *system, const phx_coupling_def *def)
{
    if (!system || !def || !def->terms)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, def or its terms");
    const int before = system->n_forces;
    force_slot *force = NULL;
    sum made = {.along = {.stiffness = def->stiffness,
                          .damping = def->damping,
                          .rest = def->rest,
                          .law = def->law,
                          .damper = def->damper},
                .rest_at_start = !def->has_rest};
    phx_status status = PHX_OK;

    if (def->n_terms < 1 || def->n_terms > MOST_PORTS / 2)
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "%d coordinates are coupled, expected 1 to %d",
                          def->n_terms, MOST_PORTS / 2);
    if (!status)
        status = add_terms(system, def->n_terms, def->terms, &made);
    if (!status)
        status = phx_scalar_force_check(system->context, &made.along);
    if (!status)
        status = add_sum(system, def->name, &made, &force);
    if (force) { /* taken over */
        force->law = def->law;
        force->damper = def->damper;
    } else {
        phx_law_destroy(def->law);
        phx_signal_destroy(def->damper);
    }
    return status ? sum_refuse(system, def->name, status, before) : phx_conclude(system->context, PHX_OK);
}
