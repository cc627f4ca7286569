/* Forces along a weighted sum of distances and coordinates of joints: cables over points, which joints may wind,
 * elastic gears, belts. The measure x = sum w_i x_i has covectors G on all its ports, G_p = sum of w_i g_i over the
 * terms that end at p; what acts along it couples every pair of them. A pair of ports has a place in the pattern only
 * through a force, so a sum is followed by links, one for each pair of its ports but the first, which it has itself.
 *
 * A cable with friction has strands s of the lengths m_s and the rates y_s, y = sum y_s, between its points k, which
 * turn it by the angles theta_k. Past k it slides towards its beginning at v_k, and the tensions are f phi_s with v_k =
 * y_0 + .. + y_(k-1) - y (m_0 + .. + m_(k-1))/sum m,   phi_(k-1) = phi_k exp(theta_k mu(v_k)), sum phi_s m_s = sum m,
 * so that   sum phi_s y_s = y + sum v_k (phi_(k-1) - phi_k), of which the second part is the loss and none of its terms
 * is negative, because mu has the sign of v. */
#include "forces.h"

#include <math.h>
#include <string.h>

enum { MOST_PORTS = 16 };

typedef struct term {
    int a, b; /* among the ports of the sum */
    double weight;
    int joint, coordinate; /* -1: the distance of the ports */
    int strand;            /* of which it is */
} term;

typedef struct sum {
    int n_ports, n_terms;
    phx_port_id ports[MOST_PORTS];
    term terms[MOST_PORTS];
    phx_scalar_force along; /* law, damper are the force's */
    bool rope;              /* it only pulls: penetration of the gap rest - x */
    phx_penalty taut;
    phx_friction friction; /* of a rope on its points, the coefficient as force */
    int n_strands;         /* with friction one before each port but the first, else 1 */
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

/* A strand by the ports of the sum: covector, zeta^T H, the direction of its length at the end of the interval, and the
 * derivatives of its force by the variation of the ports and by their rates. */
typedef struct strand {
    double G[MOST_PORTS][PHX_PORT_MAX], slope[MOST_PORTS][PHX_PORT_MAX], end[MOST_PORTS][PHX_PORT_MAX];
    double place[MOST_PORTS][PHX_PORT_MAX], rate[MOST_PORTS][PHX_PORT_MAX];
} strand;

/* Tensions of the strands over the force of the cable, the loss over it, and derivatives of the logarithms of the
 * tensions by the rates, the lengths and the angles of the strands. */
typedef struct capstan {
    double share[MOST_PORTS], loss;
    double by_rate[MOST_PORTS][MOST_PORTS], by_length[MOST_PORTS][MOST_PORTS], by_angle[MOST_PORTS][MOST_PORTS];
    double turn[MOST_PORTS][3], unturn[MOST_PORTS][3]; /* of the angle at port k by the strands before and behind it */
} capstan;

/* The angle by which point k turns the cable, and its derivatives by the two strands there, from their mean places. */
static double wrap_angle(const workspace *ws, const sum *total, int k, double *by_before, double *by_behind)
{
    const int dim = ws->system->dim;
    const double *a = ws->ports.view[total->ports[k - 1]].um, *b = ws->ports.view[total->ports[k]].um,
                 *c = ws->ports.view[total->ports[k + 1]].um;
    double d[2][3] = {{0.0}}, length[2] = {0.0}, cosine = 0.0, square = 0.0;

    for (int i = 0; i < dim; i++) {
        d[0][i] = b[i] - a[i];
        d[1][i] = c[i] - b[i];
    }
    for (int s = 0; s < 2; s++)
        length[s] = sqrt(phx_dot(dim, d[s], d[s]));
    memset(by_before, 0, 3 * sizeof *by_before);
    memset(by_behind, 0, 3 * sizeof *by_behind);
    if (!(length[0] > 0.0 && length[1] > 0.0))
        return 0.0;
    for (int i = 0; i < dim; i++)
        cosine += d[0][i] / length[0] * d[1][i] / length[1];
    for (int i = 0; i < dim; i++) {
        const double across = d[1][i] / length[1] - cosine * d[0][i] / length[0];
        square += across * across;
    }
    const double sine = sqrt(square);
    for (int i = 0; i < dim && sine > 0.0; i++) {
        by_before[i] = -(d[1][i] / length[1] - cosine * d[0][i] / length[0]) / (sine * length[0]);
        by_behind[i] = -(d[0][i] / length[0] - cosine * d[1][i] / length[1]) / (sine * length[1]);
    }
    return atan2(sine, cosine);
}

/* Adds to d log psi of the strands before k that of exp(theta_k mu(v_k)), v_k by the rates y and lengths m. */
static void capstan_add_point(const sum *total, int k, double angle, phx_friction_force mu, double y, double before,
                              double all, capstan *of)
{
    for (int s = 0; s < k; s++) {
        of->by_angle[s][k] += mu.value;
        for (int j = 0; j < total->n_strands; j++) {
            of->by_rate[s][j] += angle * mu.by_rate * ((j < k) - before / all);
            of->by_length[s][j] -= angle * mu.by_rate * y * ((j < k) - before / all) / all;
        }
    }
}

/* Tensions of the strands by their rates and lengths: psi_s = exp of the sum over the points behind s, and phi = psi
 * times sum m over sum psi m. */
static void capstan_evaluate(const workspace *ws, const sum *total, const double *y, const double *m, capstan *of)
{
    const int n = total->n_strands;
    double rate = 0.0, all = 0.0, weighted = 0.0, before, flow, slide[MOST_PORTS] = {0.0};

    memset(of, 0, sizeof *of);
    for (int s = 0; s < n; s++) {
        rate += y[s];
        all += m[s];
        of->share[s] = 1.0;
    }
    if (n == 1 || !(all > 0.0))
        return;
    before = flow = 0.0;
    for (int k = 1; k < n; k++) {
        before += m[k - 1];
        flow += y[k - 1];
        slide[k] = flow - rate * before / all;
        const double angle = wrap_angle(ws, total, k, of->turn[k], of->unturn[k]);
        const phx_friction_force mu = phx_friction_evaluate(&total->friction, total->friction.kinetic, slide[k]);
        for (int s = 0; s < k; s++)
            of->share[s] *= exp(angle * mu.value);
        capstan_add_point(total, k, angle, mu, rate, before, all, of);
    }
    for (int s = 0; s < n; s++)
        weighted += of->share[s] * m[s];
    for (int j = 0; j < n; j++) { /* d log phi = d log psi + d log(sum m) - d log(sum psi m) */
        double mean[3] = {0.0};
        for (int s = 0; s < n; s++) {
            mean[0] += of->share[s] * m[s] / weighted * of->by_rate[s][j];
            mean[1] += of->share[s] * m[s] / weighted * of->by_length[s][j];
            mean[2] += of->share[s] * m[s] / weighted * of->by_angle[s][j];
        }
        for (int s = 0; s < n; s++) {
            of->by_rate[s][j] -= mean[0];
            of->by_length[s][j] += 1.0 / all - of->share[j] / weighted - mean[1];
            of->by_angle[s][j] -= mean[2];
        }
    }
    for (int s = 0; s < n; s++)
        of->share[s] *= all / weighted;
    for (int k = 1; k < n; k++)
        of->loss += slide[k] * (of->share[k - 1] - of->share[k]);
}

/* Adds f w H of a term to K, in the order of its pair of ports, and its zeta^T H to its strand. */
static void sum_add_term(workspace *ws, int pair, const sum *total, const term *one, double force, strand *own)
{
    const int low = one->a < one->b ? one->a : one->b, high = one->a < one->b ? one->b : one->a;
    const int ends[2] = {one->a, one->b}, size = phx_port_size(ws->system->dim);
    double g[PAIR_SIZE], block[PAIR_SIZE * PAIR_SIZE];

    term_covector(ws, total, one, g);
    if (!term_tangent(ws, total, one, g, block))
        return;
    for (int side = 0; side < 2; side++) /* zeta^T H */
        for (int i = 0; i < size; i++)
            for (int right = 0; right < 2; right++)
                for (int j = 0; j < size; j++)
                    own->slope[ends[right]][j] +=
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
    ws->by->pair_add(ws, pair_of(total, pair, low, high), -one->weight * force, block);
}

/* The derivatives of the force f phi_s of each strand: of f by the place and the rate, of phi by rates, lengths and
 * angles. */
static void strands_differentiate(const workspace *ws, const sum *total, const phx_scalar_result *f, const capstan *of,
                                  strand *all)
{
    const double place = ws->view.h == 0.0 ? 2.0 * f->by_end : 0.0, by_rate = f->by_rate + ws->view.h * f->by_end;
    const int dim = ws->system->dim, n = total->n_strands;

    for (int s = 0; s < n; s++) {
        memset(all[s].place, 0, sizeof all[s].place);
        memset(all[s].rate, 0, sizeof all[s].rate);
        for (int j = 0; j < n; j++) {
            const double y = of->share[s] * (by_rate + f->force * of->by_rate[s][j]),
                         m = of->share[s] * f->force * of->by_length[s][j], x = of->share[s] * place;
            for (int q = 0; q < total->n_ports; q++)
                for (int i = 0; i < PHX_PORT_MAX; i++) {
                    all[s].rate[q][i] += y * all[j].G[q][i];
                    all[s].place[q][i] += x * all[j].G[q][i] + y * all[j].slope[q][i] + m * all[j].end[q][i];
                }
        }
        for (int k = 1; k < n; k++)
            for (int i = 0; i < dim; i++) {
                const double angle = of->share[s] * f->force * of->by_angle[s][k];
                all[s].place[k - 1][i] -= angle * of->turn[k][i];
                all[s].place[k][i] += angle * (of->turn[k][i] - of->unturn[k][i]);
                all[s].place[k + 1][i] += angle * of->unturn[k][i];
            }
    }
}

/* K of all pairs: sum f_s w_i H_i, then on each pair g_s times the derivatives of f_s. A port's own block goes to the
 * pair with the port after it, that of the last to the one before. */
static void sum_add_derivatives(workspace *ws, int pair, const sum *total, strand *all, const capstan *of,
                                const phx_scalar_result *f)
{
    const int size = phx_port_size(ws->system->dim), last = total->n_ports - 1;
    double block[PAIR_SIZE * PAIR_SIZE], rates[PAIR_SIZE * PAIR_SIZE];

    for (int k = 0; k < total->n_terms; k++) {
        const int s = total->terms[k].strand;
        sum_add_term(ws, pair, total, &total->terms[k], f->force * of->share[s], &all[s]);
    }
    strands_differentiate(ws, total, f, of, all);
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
                            for (int s = 0; s < total->n_strands; s++) {
                                block[to] += all[s].G[ends[r]][p] * all[s].place[ends[c]][q];
                                rates[to] += all[s].G[ends[r]][p] * all[s].rate[ends[c]][q];
                            }
                        }
                }
            ws->by->pair_add(ws, pair_of(total, pair, i, j), -1.0, block);
            ws->by->pair_rate_add(ws, pair_of(total, pair, i, j), -1.0, rates);
        }
}

/* Adds the covector of a term to its strand and, with friction, the length of the strand and its direction at the end.
 */
static void strand_add(const workspace *ws, const sum *total, const term *one, strand *own, double *m)
{
    const int dim = ws->system->dim, size = phx_port_size(dim);
    const phx_port_view *a = &ws->ports.view[total->ports[one->a]], *b = &ws->ports.view[total->ports[one->b]];
    double g[PAIR_SIZE];

    term_covector(ws, total, one, g);
    for (int i = 0; i < size; i++) {
        own->G[one->a][i] += one->weight * g[i];
        own->G[one->b][i] += one->weight * g[PHX_PORT_MAX + i];
    }
    if (!is_distance(one) || total->n_strands == 1)
        return;
    const double end = sum_distance(dim, a, b, 1);
    *m = 0.5 * (sum_distance(dim, a, b, 0) + end);
    for (int i = 0; i < dim && end > 0.0; i++) {
        own->end[one->b][i] = (b->u1[i] - a->u1[i]) / end;
        own->end[one->a][i] = -own->end[one->b][i];
    }
}

/* Adds the efforts f phi_s G_s of the strands to all ports, with their power and, if asked, their derivatives. */
static phx_status sum_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    const sum *total = force->own;
    const int size = phx_port_size(ws->system->dim);
    double x0 = 0.0, x1 = 0.0, rate = 0.0, y[MOST_PORTS] = {0.0}, m[MOST_PORTS] = {0.0};
    phx_scalar_result f;
    capstan of;
    strand all[MOST_PORTS];

    (void)res;
    memset(all, 0, (size_t)total->n_strands * sizeof *all);
    for (int k = 0; k < total->n_terms; k++) {
        const term *one = &total->terms[k];
        x0 += one->weight * term_value(ws, total, one, 0);
        x1 += one->weight * term_value(ws, total, one, 1);
        strand_add(ws, total, one, &all[one->strand], &m[one->strand]);
    }
    for (int s = 0; s < total->n_strands; s++) {
        for (int p = 0; p < total->n_ports; p++)
            y[s] += phx_dot(size, all[s].G[p], ws->ports.view[total->ports[p]].rate);
        rate += y[s];
    }
    const phx_status status = act(ws->base.context, total, x0, x1, rate, t, &f);
    if (status)
        return phx_fail_prefix(ws->base.context, status, "'%s': ", force->name);
    capstan_evaluate(ws, total, y, m, &of);
    for (int p = 0; p < total->n_ports; p++)
        for (int s = 0; s < total->n_strands; s++)
            phx_sys_add_effort(ws, total->ports[p], f.force * of.share[s], all[s].G[p]);
    ws->forces.power.supplied += f.supplied;
    ws->forces.power.dissipated += f.dissipated - f.force * of.loss;
    if (linear && (f.force != 0.0 || f.by_end != 0.0 || f.by_rate != 0.0))
        sum_add_derivatives(ws, pair, total, all, &of, &f);
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
    return total->rope ? total->taut.damping > 0.0 || total->n_strands > 1 : phx_scalar_force_dissipates(&total->along);
}

static void archive_term(phx_archive *archive, const phx_system *system, const sum *total, term *one)
{
    phx_sys_archive_member(archive, total->n_ports, &one->a);
    phx_sys_archive_member(archive, total->n_ports, &one->b);
    phx_archive_double(archive, &one->weight);
    phx_sys_archive_member(archive, total->n_strands, &one->strand);
    phx_sys_archive_index(archive, system->n_joints, &one->joint);
    if (!phx_archive_status(archive) && !is_distance(one))
        phx_sys_archive_member(archive, system->joints[one->joint].n_coordinates, &one->coordinate);
}

PHX_SYS_WRITTEN(sum, 816);
/* Writes or reads the ports, terms and laws of a sum. */
static void sum_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_ports(archive, system, 2, force);
    sum *total = phx_sys_archive_own(archive, sizeof *total, force);
    if (!total)
        return;
    phx_archive_choice(archive, MOST_PORTS, &total->n_ports);
    phx_archive_choice(archive, MOST_PORTS, &total->n_terms);
    phx_archive_choice(archive, MOST_PORTS, &total->n_strands);
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
    phx_sys_archive_friction(archive, &total->friction);
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
        made->terms[made->n_terms++] = (term){a, b, one->weight, one->joint, one->coordinate, 0};
    }
    return PHX_OK;
}

/* The strand that a drum winds: the first or the last, at the end of which the bodies of the drum's joint are. */
static phx_status find_strand(phx_system *system, const sum *made, int n_points, term *drum)
{
    const phx_body_id first = system->ports[made->ports[0]].body, last = system->ports[made->ports[n_points - 1]].body,
                      bodies[2] = {system->ports[made->ports[drum->a]].body, system->ports[made->ports[drum->b]].body};
    const bool at_first = first != PHX_GROUND && (bodies[0] == first || bodies[1] == first),
               at_last = last != PHX_GROUND && (bodies[0] == last || bodies[1] == last);

    drum->strand = at_last ? made->n_strands - 1 : 0;
    return at_first != at_last
               ? PHX_OK
               : phx_fail(system->context, PHX_ERR_ARGUMENT,
                          "a cable with friction is wound at one of its ends; the joint '%s' is at %s of them",
                          system->joints[drum->joint].name, at_first ? "both" : "neither");
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
                .taut = {def->stiffness, 1.0, def->damping},
                .friction = {def->friction, 1.0, 0.0, def->regularised},
                .n_strands = def->friction > 0.0 && def->regularised > 0.0 ? def->n_ports - 1 : 1};
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
        made.terms[k] = (term){k, k + 1, 1.0, -1, -1, made.n_strands > 1 ? k : 0};
    phx_status status = phx_penalty_check(system->context, &made.taut);
    if (!status)
        status = phx_friction_check(system->context, &made.friction);
    if (!status)
        status = add_terms(system, def->n_terms, def->terms, &made);
    for (int k = def->n_ports - 1; k < made.n_terms && made.n_strands > 1 && !status; k++)
        status = find_strand(system, &made, def->n_ports, &made.terms[k]);
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
    sum made = {.n_strands = 1,
                .along = {.stiffness = def->stiffness,
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
