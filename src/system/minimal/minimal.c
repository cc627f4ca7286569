/* Minimal coordinates of a mechanism, for integrators that know ordinary differential equations only.
 *
 * With J the Jacobian of the joints' rows and C that of the coordinates y that are chosen, [J; C] is square and
 * regular:
 *
 *     [J; C] dxi = -[ g(x) ; c(x) - y ]      Newton's iteration for the configuration x of y
 *     [J; C] v   =  [ w(t) ; u ]             velocities of the rates u = C v
 *     u_dot      =  C v_dot + C_dot v        v_dot: accelerations of the mechanism
 *
 * Candidates are the coordinates of joints, places and turns of frames, deformations. Among them a QR with column
 * pivoting of the candidates' rows on the null space of J chooses, with velocities scaled by the masses, rows of length
 * one and a preference for what stays good when the mechanism moves far. Drives prescribe rates: their coordinates
 * belong to y, their rates not to u. Turns of frames in space are rotation vectors from the attitude at the choice,
 * which are good for half a turn; then, or when the chosen rates determine the others badly, another choice is made.
 *
 * Rows on the slip of contacts that stick hold rates, not places: a body that rolls goes anywhere (such rows are not
 * integrable). With J = [H; S], S these rows, as many more coordinates y_S are chosen, among the motions that [H; C]
 * leaves free, whose rates follow from u:
 *
 *     [H; C_S; C] dxi = -[ h ; c_S - y_S ; c - y ],      y_S_dot = C_S v */
#include "system/system_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum choice_kind { CHOICE_JOINT, CHOICE_SHAPE, CHOICE_TURN, CHOICE_PLACE, CHOICE_KINDS } choice_kind;
/* Preferences: coordinates of joints and deformations stay good everywhere, turns in space do not. */
static const double preference[CHOICE_KINDS] = {8.0, 4.0, 1.0, 1.0};

/* A coordinate that may be chosen. */
typedef struct choice {
    choice_kind kind;
    int joint, number; /* of a joint */
    bool open;         /* of one that does not hold: it is not chosen */
    int body;
    int x, v; /* of the frame; of the deformation */
    int component;
} choice;

struct phx_minimal {
    phx_context *context;
    phx_system *system;
    phx_dae *dae; /* of its own */
    workspace *ws;
    /* y: coordinates of the drives, then as many as contacts have rows that stick, then others; u: rates of the last */
    int n_drives, n_rolling, n_free;
    int n_candidates;
    choice *candidates;
    int *chosen;        /* n_drives + n_rolling + n_free, numbers of candidates */
    int *driven;        /* n_drives: rows of the drives, and of friction that sticks, a drive at rest */
    double *x0;         /* n_x: where turns are counted from */
    double *x_before;   /* n_x: where Newton's iteration began */
    double *unit;       /* n_v: velocity of which the kinetic energy is 1/2 */
    double *omega;      /* n_v: of a deformation by itself, rad/s; 0: none */
    double size;        /* m, of the mechanism */
    double stretch0[2]; /* of the rates, of the places: at the choice */
    int n_solved;       /* velocities that are solved for: all but the chosen deformations */
    int *solved;        /* n_v */
    double *J;          /* n_v x n_v: rows of the joints, of the chosen coordinates but deformations with a rate in u */
    double *A;          /* n_v x n_v */
    double *rhs;        /* n_v x n_v */
    double *v, *a;      /* n_v: scratch */
};

/* Turns up to which a rotation vector is used, rad; how much larger than at the choice the rates of the others may
 * become; Newton's iteration. */
static const double MOST_TURN = 2.0, MOST_STRETCH = 20.0, LARGEST_MOVE = 0.5, CLOSED = 1e-9;
enum { MOST_ITERATIONS = 30 };

/* ---- candidates ---- */
static int count_candidates(const phx_system *system)
{
    int count = 0;

    for (int j = 0; j < system->n_joints; j++)
        count += system->joints[j].n_coordinates;
    return count + system->n_v;
}

static void list_frames(phx_minimal *m, int b, int *count)
{
    const phx_system *system = m->system;
    const body_slot *slot = &system->bodies[b];
    const phx_body_frame *frames;
    const int n_frames = phx_body_frames(slot->body, &frames);

    for (int f = 0; f < n_frames; f++)
        for (int i = 0; i < system->dim + system->n_rot; i++) {
            const bool place = i < system->dim;
            m->candidates[(*count)++] = (choice){.kind = place ? CHOICE_PLACE : CHOICE_TURN,
                                                 .body = b,
                                                 .x = slot->x + frames[f].x,
                                                 .v = slot->v + frames[f].v,
                                                 .component = place ? i : i - system->dim};
        }
}

/* The coordinates of a joint that does not hold are no longer those of the bodies' relative motion: their rates are not
 * their derivatives; those of a contact, its slips, never are. */
static bool is_open(const phx_system *system, int j)
{
    return system->joints[j].contact || (system->joints[j].n_constraints > 0 && !phx_system_joint_holds(system, j));
}

static void list_candidates(phx_minimal *m)
{
    const phx_system *system = m->system;
    int count = 0;

    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++)
            m->candidates[count++] =
                (choice){.kind = CHOICE_JOINT, .joint = j, .number = c, .open = is_open(system, j)};
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        int x, v;
        const int n_q = phx_body_coordinates(slot->body, &x, &v);
        list_frames(m, b, &count);
        for (int i = 0; i < n_q; i++)
            m->candidates[count++] =
                (choice){.kind = CHOICE_SHAPE, .body = b, .x = slot->x + x + i, .v = slot->v + v + i, .component = i};
    }
    m->n_candidates = count;
}

/* sqrt(K_ii/M_ii) of the deformations of a body. */
static void find_frequencies(phx_minimal *m, const body_slot *slot)
{
    phx_csr K;
    int at;

    (void)phx_body_coordinates(slot->body, NULL, &at);
    if (!phx_body_stiffness(slot->body, &K))
        return;
    for (int i = 0; i < K.rows; i++)
        for (int k = K.ptr[i]; k < K.ptr[i + 1]; k++)
            if (K.idx[k] == i && K.val[k] > 0.0)
                m->omega[slot->v + at + i] = sqrt(K.val[k]) * m->unit[slot->v + at + i];
}

static phx_status find_units(phx_minimal *m)
{
    const phx_system *system = m->system;
    double *mass = NULL;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const size_t n = (size_t)phx_body_n_v(slot->body);
        mass = phx_calloc(m->context, n * n, sizeof *mass);
        if (!mass)
            return PHX_ERR_MEMORY;
        phx_body_mass_matrix(slot->body, system->start.x + slot->x, mass);
        for (size_t i = 0; i < n; i++)
            m->unit[(size_t)slot->v + i] = mass[i * n + i] > 0.0 ? 1.0 / sqrt(mass[i * n + i]) : 1.0;
        phx_free(mass);
        find_frequencies(m, slot);
    }
    return PHX_OK;
}

static const coordinate_slot *coordinate_of(const phx_minimal *m, const choice *it)
{
    return &m->system->joints[it->joint].coordinates[it->number];
}

/* ---- rows ---- */
/* Everything at an instant: views of the ports, rows of the joints. */
static void look(phx_minimal *m, double t, const double *x, const double *v)
{
    phx_sys_set_instant(m->ws, x, v);
    m->ws->by->rows(m->ws, t, 0.0);
}

/* R0^T R as a rotation vector, R0 the attitude at the choice. */
static void turn_of(const phx_minimal *m, const choice *it, const double *x, double phi[3])
{
    const double *R0 = m->x0 + it->x + 3, *R = x + it->x + 3;
    double Q[9];

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] = R0[i] * R[j] + R0[3 + i] * R[3 + j] + R0[6 + i] * R[6 + j];
    phx_rot_to_vector(Q, phi);
}

static double value_of(const phx_minimal *m, const choice *it, const double *x)
{
    double phi[3];

    switch (it->kind) {
    case CHOICE_JOINT: {
        const coordinate_slot *coordinate = coordinate_of(m, it);
        if (coordinate->angle >= 0)
            return x[coordinate->angle];
        return phx_row_value(&coordinate->row, &m->ws->ports.view[coordinate->a], &m->ws->ports.view[coordinate->b], 1);
    }
    case CHOICE_TURN:
        if (m->system->dim == 2)
            return x[it->x + 4];
        turn_of(m, it, x, phi);
        return phi[it->component];
    case CHOICE_PLACE:
        return x[it->x + it->component];
    default:
        return x[it->x];
    }
}

/* w -> (d/dt T) w for phi_dot = T(phi) w, T = I + [phi]x/2 + g(a) [phi]x^2, g = (1 - (a/2) cot(a/2))/a^2, a = |phi|. */
static void turn_bias(const double phi[3], const double phi_dot[3], const double w[3], double out[3])
{
    const double a2 = phx_sys_dot(3, phi, phi), a = sqrt(a2), half = 0.5 * a;
    double g = 1.0 / 12.0 + a2 / 720.0, slope = 1.0 / 360.0 + a2 / 7560.0; /* g'(a)/a */
    double once[3], twice[3], dot_once[3], first[3], second[3];

    if (a > 1e-2) {
        const double s = sin(half), f = 1.0 - half * cos(half) / s;
        g = f / a2;
        slope = (0.5 * (half / (s * s) - cos(half) / s) / a2 - 2.0 * f / (a2 * a)) / a;
    }
    phx_rot_x_vec(3, phi, w, once);
    phx_rot_x_vec(3, phi, once, twice);
    phx_rot_x_vec(3, phi_dot, w, dot_once);
    phx_rot_x_vec(3, phi_dot, once, first);
    phx_rot_x_vec(3, phi, dot_once, second);
    for (int i = 0; i < 3; i++)
        out[i] = 0.5 * dot_once[i] + slope * phx_sys_dot(3, phi, phi_dot) * twice[i] + g * (first[i] + second[i]);
}

static double turn_row(const phx_minimal *m, const choice *it, const double *x, const double *v, double *row,
                       bool biased)
{
    const int k = it->component, at = it->v + m->system->dim;
    double phi[3], T[9], phi_dot[3], bias[3];

    if (m->system->dim == 2) {
        row[at] = 1.0;
        return 0.0;
    }
    turn_of(m, it, x, phi);
    phx_rot_vector_rate(phi, T);
    for (int j = 0; j < 3; j++)
        row[at + j] = T[3 * k + j];
    if (!biased)
        return 0.0;
    phx_rot_apply(3, T, v + at, phi_dot);
    turn_bias(phi, phi_dot, v + at, bias);
    return bias[k];
}

static double place_row(const phx_minimal *m, const choice *it, const double *x, const double *v, double *row)
{
    const int dim = m->system->dim, k = it->component;
    double R[9], spun[3], bias = 0.0;

    phx_attitude_rotation(dim, x + it->x + dim, R);
    phx_rot_x_vec(dim, v + it->v + dim, v + it->v, spun); /* r_ddot = R (v_dot + w x v) */
    for (int j = 0; j < dim; j++) {
        row[it->v + j] = R[k * dim + j];
        bias += R[k * dim + j] * spun[j];
    }
    return bias;
}

/* The row C of a coordinate at the current instant, C v its rate, and with `biased` C_dot v. */
static double row_of(phx_minimal *m, const choice *it, const double *x, const double *v, bool biased, double *row)
{
    double g[PAIR_SIZE] = {0};

    if (it->kind == CHOICE_JOINT) {
        const phx_row *own = &coordinate_of(m, it)->row;
        const phx_port_id ids[2] = {coordinate_of(m, it)->a, coordinate_of(m, it)->b};
        phx_row_covectors(own, &m->ws->ports.view[ids[0]], &m->ws->ports.view[ids[1]], g, g + PHX_PORT_MAX);
        phx_sys_pull_back_row(m->ws, ids, g, row);
        return biased ? phx_sys_row_bias(m->ws, own, ids, g) : 0.0;
    }
    memset(row, 0, (size_t)m->system->n_v * sizeof *row);
    if (it->kind == CHOICE_TURN)
        return turn_row(m, it, x, v, row, biased);
    if (it->kind == CHOICE_PLACE)
        return place_row(m, it, x, v, row);
    row[it->v] = 1.0;
    return 0.0;
}

static const choice *chosen(const phx_minimal *m, int k)
{
    return &m->candidates[m->chosen[k]];
}

/* Numbers in y: of the first coordinate whose rate is in u, and of all. */
static int first_free(const phx_minimal *m)
{
    return m->n_drives + m->n_rolling;
}

static int all_chosen(const phx_minimal *m)
{
    return m->n_drives + m->n_rolling + m->n_free;
}

static const row_slot *row_at(const phx_minimal *m, int k)
{
    return &m->system->rows.slot[m->ws->rows.index[k]];
}

/* Row k is one on the slip of a contact that sticks. */
static bool is_rolling(const phx_minimal *m, int k)
{
    return row_at(m, k)->role == ROW_DRIVEN && m->system->joints[row_at(m, k)->joint].contact;
}

/* Which square matrix: that of velocities, or that of places, where coordinates stand for what rolls. */
typedef enum matrix_kind { OF_RATES, OF_PLACES } matrix_kind;

static void fill_joint(phx_minimal *m, int k, double *row)
{
    const workspace *ws = m->ws;
    phx_sys_pull_back_row(m->ws, (phx_port_id[2]){ws->rows.row[k].a, ws->rows.row[k].b},
                          ws->rows.covector + (size_t)k * PAIR_SIZE, row);
}

/* Rows of the joints; then those of the chosen coordinates but deformations. The instant is looked at. */
static void fill(phx_minimal *m, matrix_kind of, const double *x, const double *v)
{
    const size_t n_v = (size_t)m->system->n_v, n = (size_t)m->n_solved;
    size_t at = 0;
    int rolling = m->n_drives;

    for (int k = 0; k < m->ws->rows.n; k++, at++) {
        if (of == OF_PLACES && is_rolling(m, k))
            (void)row_of(m, chosen(m, rolling++), x, v, false, m->J + at * n_v);
        else
            fill_joint(m, k, m->J + at * n_v);
    }
    for (int k = first_free(m); k < all_chosen(m); k++)
        if (chosen(m, k)->kind != CHOICE_SHAPE)
            (void)row_of(m, chosen(m, k), x, v, false, m->J + at++ * n_v);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            m->A[i * n + j] = m->J[i * n_v + (size_t)m->solved[j]] * m->unit[m->solved[j]];
}

/* Solves over the velocities that are solved for, in units of `unit`; rhs n_solved x count. */
static phx_status solve(phx_minimal *m, int count)
{
    const phx_status status = m->n_solved > 0 ? phx_dense_solve(m->context, m->n_solved, m->A, count, m->rhs) : PHX_OK;

    if (status == PHX_SINGULAR)
        return phx_fail(m->context, PHX_SINGULAR, "the chosen coordinates do not determine the others here");
    return status;
}

/* ---- the choice ---- */
static void list_solved(phx_minimal *m)
{
    m->n_solved = 0;
    for (int i = 0; i < m->system->n_v; i++) {
        bool known = false;
        for (int k = first_free(m); k < all_chosen(m) && !known; k++)
            known = chosen(m, k)->kind == CHOICE_SHAPE && chosen(m, k)->v == i;
        if (!known)
            m->solved[m->n_solved++] = i;
    }
}

/* The numbers of y from `from` to before `to`. */
typedef struct range {
    int from, to;
} range;

static bool is_among(const phx_minimal *m, range numbers, const choice *it)
{
    for (int k = numbers.from; k < numbers.to; k++)
        if (chosen(m, k) == it)
            return true;
    return false;
}

/* Rows that the coordinates to be chosen must be free of, into J: those of the joints; for what rolls all but its own,
 * and the coordinates that are chosen already. Returns how many there are. */
static int fill_held(phx_minimal *m, bool rolls, const double *x)
{
    const size_t n_v = (size_t)m->system->n_v;
    size_t count = 0;

    for (int k = 0; k < m->ws->rows.n; k++)
        if (!rolls || !is_rolling(m, k))
            fill_joint(m, k, m->J + count++ * n_v);
    for (int k = first_free(m); k < all_chosen(m) && rolls; k++)
        (void)row_of(m, chosen(m, k), x, m->v, false, m->J + count++ * n_v);
    return (int)count;
}

/* basis (n_v x count) of the motions that n_held rows in J leave free, in units. */
static phx_status free_motions(phx_minimal *m, int n_held, double **basis)
{
    const size_t n_v = (size_t)m->system->n_v;
    int rank = 0;

    *basis = NULL;
    if (n_held == 0) {
        *basis = phx_calloc(m->context, n_v * n_v, sizeof **basis);
        for (size_t i = 0; i < n_v && *basis; i++)
            (*basis)[i * n_v + i] = 1.0;
        return *basis ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int k = 0; k < n_held; k++) {
        double *row = m->J + (size_t)k * n_v, length = 0.0;
        for (size_t i = 0; i < n_v; i++) {
            row[i] *= m->unit[i];
            length += row[i] * row[i];
        }
        for (size_t i = 0; i < n_v && length > 0.0; i++)
            row[i] /= sqrt(length);
    }
    const phx_status status = phx_dense_nullspace(m->context, n_held, (int)n_v, m->J, 1e-10, &rank, basis);
    if (!status && rank < n_held)
        return phx_fail(m->context, PHX_SINGULAR,
                        "the joints' rows depend on each other here: no minimal coordinates can be chosen");
    return status;
}

/* W (f x candidates): derivative of each candidate that is not taken along f free motions, times its preference. */
static void weigh(phx_minimal *m, const double *x, size_t f, range taken, const double *basis, double *W)
{
    const size_t n_v = (size_t)m->system->n_v, n = (size_t)m->n_candidates;
    double *row = m->rhs;

    for (size_t c = 0; c < n; c++) {
        const choice *it = &m->candidates[c];
        double length = 0.0;
        (void)row_of(m, it, x, m->v, false, row);
        for (size_t i = 0; i < n_v; i++) {
            row[i] *= m->unit[i];
            length += row[i] * row[i];
        }
        const bool planar = it->kind == CHOICE_TURN && m->system->dim == 2;
        const double weight =
            it->open || is_among(m, (range){0, m->n_drives}, it) || is_among(m, taken, it) || !(length > 0.0) ? 0.0
            : planar ? preference[CHOICE_SHAPE]
                     : preference[it->kind];
        for (size_t k = 0; k < f; k++) {
            double sum = 0.0;
            for (size_t i = 0; i < n_v && weight > 0.0; i++)
                sum += row[i] * basis[i * f + k];
            W[k * n + c] = weight > 0.0 ? weight * sum / sqrt(length) : 0.0;
        }
    }
}

/* The numbers `wanted` of y, by their columns of W. */
static phx_status pick(phx_minimal *m, range wanted, const double *W)
{
    const int count = wanted.to - wanted.from;
    int *order = phx_calloc(m->context, (size_t)m->n_candidates, sizeof *order), rank = 0;
    bool *taken = phx_calloc(m->context, (size_t)m->n_candidates, sizeof *taken);
    phx_status status = order && taken ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_dense_rrqr(m->context, count, m->n_candidates, W, 1e-8, &rank, order, NULL);
    if (!status && rank < count)
        status = phx_fail(m->context, PHX_SINGULAR, "no minimal coordinates can be chosen here");
    for (int k = 0; k < count && !status; k++)
        taken[order[k]] = true;
    for (int c = 0, k = wanted.from; c < m->n_candidates && !status; c++)
        if (taken[c])
            m->chosen[k++] = c;
    phx_free(order);
    phx_free(taken);
    return status;
}

static phx_status choose(phx_minimal *m, bool rolls, const double *x)
{
    const range free = {first_free(m), all_chosen(m)}, rolling = {m->n_drives, first_free(m)}, none = {0, 0};
    const range wanted = rolls ? rolling : free;
    const size_t count = (size_t)(wanted.to - wanted.from);
    double *basis = NULL, *W = NULL;

    if (count == 0)
        return PHX_OK;
    phx_status status = free_motions(m, fill_held(m, rolls, x), &basis);
    if (!status)
        W = phx_calloc(m->context, count * (size_t)m->n_candidates, sizeof *W);
    if (!status && !W)
        status = PHX_ERR_MEMORY;
    if (!status) {
        weigh(m, x, count, rolls ? free : none, basis, W);
        status = pick(m, wanted, W);
    }
    phx_free(basis);
    phx_free(W);
    return status;
}

static phx_status find_stretch(phx_minimal *m, matrix_kind of, double t, const double *x, double *stretch);

phx_status phx_minimal_choose(phx_minimal *m, double t, const double *x)
{
    memcpy(m->x0, x, (size_t)m->system->n_x * sizeof *x);
    memset(m->v, 0, (size_t)m->system->n_v * sizeof *m->v);
    look(m, t, x, m->v);
    m->size = phx_sys_size(m->ws);
    phx_status status = choose(m, false, x);
    if (!status)
        status = choose(m, true, x);
    if (status)
        return status;
    list_solved(m);
    status = find_stretch(m, OF_RATES, t, x, &m->stretch0[OF_RATES]);
    return status ? status : find_stretch(m, OF_PLACES, t, x, &m->stretch0[OF_PLACES]);
}

/* ---- from y, u to x, v and back ---- */
/* Right-hand side: minus the residuals of the rows, in their order. */
static void find_open(phx_minimal *m, const double *y, const double *x)
{
    const phx_system *system = m->system;
    const workspace *ws = m->ws;
    size_t at = 0;
    int drive = 0, rolling = m->n_drives;

    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = row_at(m, k);
        const joint_slot *joint = &system->joints[slot->joint];
        if (slot->role == ROW_DRIVEN) {
            const int number = is_rolling(m, k) ? rolling++ : drive++;
            m->rhs[at++] = y[number] - value_of(m, chosen(m, number), x);
        } else {
            m->rhs[at++] = -phx_row_value(slot->row, &ws->ports.view[joint->a], &ws->ports.view[joint->b], 1);
        }
    }
    for (int k = first_free(m); k < all_chosen(m); k++)
        if (chosen(m, k)->kind != CHOICE_SHAPE)
            m->rhs[at++] = y[k] - value_of(m, chosen(m, k), x);
}

/* x moved by the correction, no frame by more than LARGEST_MOVE; how large it was, in rad and sizes. */
static double move(phx_minimal *m, double *x)
{
    const phx_system *system = m->system;
    double *xi = m->a, largest = 0.0;

    memset(xi, 0, (size_t)system->n_v * sizeof *xi);
    for (int i = 0; i < m->n_solved; i++)
        xi[m->solved[i]] = m->rhs[i] * m->unit[m->solved[i]];
    for (int c = 0; c < m->n_candidates; c++) {
        const choice *it = &m->candidates[c];
        if (it->kind == CHOICE_PLACE)
            largest = fmax(largest, fabs(xi[it->v + it->component]) / m->size);
        else if (it->kind == CHOICE_TURN)
            largest = fmax(largest, fabs(xi[it->v + system->dim + it->component]));
    }
    for (int b = 0; b < system->n_bodies; b++) {
        int v;
        const int n_places = phx_body_places(system->bodies[b].body, NULL, &v);
        for (int k = 0; k < n_places; k++)
            largest = fmax(largest, fabs(xi[system->bodies[b].v + v + k]) / m->size);
    }
    const double factor = largest > LARGEST_MOVE ? LARGEST_MOVE / largest : 1.0;
    for (int b = 0; b < system->n_bodies; b++)
        phx_body_displace(system->bodies[b].body, factor, xi + system->bodies[b].v, x + system->bodies[b].x);
    m->dae->ops->normalise(m->dae, x, true);
    return largest;
}

static phx_status close_joints(phx_minimal *m, double t, const double *y, double *x)
{
    for (int k = first_free(m); k < all_chosen(m); k++)
        if (chosen(m, k)->kind == CHOICE_SHAPE)
            x[chosen(m, k)->x] = y[k];
    memset(m->v, 0, (size_t)m->system->n_v * sizeof *m->v);
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        look(m, t, x, m->v);
        find_open(m, y, x);
        fill(m, OF_PLACES, x, m->v);
        const phx_status status = solve(m, 1);
        if (status)
            return status;
        const double moved = move(m, x);
        if (moved <= CLOSED)
            return PHX_OK;
        if (!isfinite(moved))
            break;
    }
    return phx_fail(m->context, PHX_NOT_CONVERGED, "the joints cannot be closed at these states");
}

/* x is where the iteration begins; a failure leaves it as it was, for states that follow. */
static phx_status find_configuration(phx_minimal *m, double t, const double *y, double *x)
{
    const size_t size = (size_t)m->system->n_x * sizeof *x;

    memcpy(m->x_before, x, size);
    const phx_status status = close_joints(m, t, y, x);
    if (status)
        memcpy(x, m->x_before, size);
    return status;
}

static phx_status find_velocities(phx_minimal *m, double t, const double *u, const double *x, double *v)
{
    const phx_system *system = m->system;
    const workspace *ws = m->ws;
    const size_t n_v = (size_t)system->n_v;
    size_t at = 0;

    memset(v, 0, n_v * sizeof *v);
    for (int k = 0; k < m->n_free; k++)
        if (chosen(m, first_free(m) + k)->kind == CHOICE_SHAPE)
            v[chosen(m, first_free(m) + k)->v] = u[k];
    look(m, t, x, v);
    fill(m, OF_RATES, x, v);
    for (int k = 0; k < ws->rows.n; k++)
        m->rhs[at++] = ws->rows.w[k];
    for (int k = 0; k < m->n_free; k++)
        if (chosen(m, first_free(m) + k)->kind != CHOICE_SHAPE)
            m->rhs[at++] = u[k];
    for (size_t i = 0; i < at; i++)
        m->rhs[i] -= phx_sys_dot((int)n_v, m->J + i * n_v, v);
    const phx_status status = solve(m, 1);
    for (int i = 0; i < m->n_solved && !status; i++)
        v[m->solved[i]] = m->rhs[i] * m->unit[m->solved[i]];
    return status;
}

phx_status phx_minimal_solve(phx_minimal *m, double t, const double *y, const double *u, double *x, double *v)
{
    const phx_status status = find_configuration(m, t, y, x);
    return status ? status : find_velocities(m, t, u, x, v);
}

phx_status phx_minimal_rates_at(phx_minimal *m, double t, const double *u, const double *x, double *v)
{
    return find_velocities(m, t, u, x, v);
}

phx_status phx_minimal_jump(phx_minimal *m, double t, const double *x, double *v, phx_work *work, bool *jumped)
{
    static const double ROUNDING = 1e-10; /* of the largest velocity */
    phx_sizes sizes;
    double position, rate;

    phx_system_sizes(m->system, x, v, &sizes);
    phx_system_drift(m->dae, t, x, v, &position, &rate);
    *jumped = rate > ROUNDING * sizes.speed;
    return *jumped ? phx_sys_impulse(m->ws, t, x, v, work) : PHX_OK;
}

void phx_minimal_read(phx_minimal *m, double t, const double *x, const double *v, double *y, double *u)
{
    look(m, t, x, v);
    for (int k = 0; k < all_chosen(m); k++)
        y[k] = value_of(m, chosen(m, k), x);
    for (int k = 0; k < m->n_free; k++) {
        (void)row_of(m, chosen(m, first_free(m) + k), x, v, false, m->rhs);
        u[k] = phx_sys_dot(m->system->n_v, m->rhs, v);
    }
}

phx_status phx_minimal_derivatives(phx_minimal *m, double t, const double *x, const double *v, double *y_dot,
                                   double *u_dot, double *lambda)
{
    const workspace *ws = m->ws;
    phx_status status = phx_sys_op_accelerations(m->dae, t, x, v, m->a, lambda);

    if (!status && !phx_system_friction_settles(m->dae))
        status =
            phx_fail(m->context, PHX_NOT_CONVERGED,
                     "friction and the reactions that it follows do not agree at these states: the mechanism jams");
    for (int k = 0; k < m->n_drives && !status; k++)
        y_dot[k] = ws->rows.w[m->driven[k]];
    for (int k = m->n_drives; k < all_chosen(m) && !status; k++) {
        const double bias = row_of(m, chosen(m, k), x, v, true, m->rhs);
        y_dot[k] = phx_sys_dot(m->system->n_v, m->rhs, v);
        if (k >= first_free(m))
            u_dot[k - first_free(m)] = phx_sys_dot(m->system->n_v, m->rhs, m->a) + bias;
    }
    return status;
}

/* ---- controllers, powers ---- */
int phx_system_controller_states(const phx_system *system)
{
    return system->n_x - system->control.first_x;
}

bool phx_system_controller_state_flows(const phx_system *system, int state)
{
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const int k = system->control.first_x + state - slot->x;
        if (k >= 0 && k < phx_block_n(slot->block) && phx_block_sample_time(slot->block) == 0.0)
            return true;
    }
    return false;
}

phx_status phx_minimal_flow(phx_minimal *m, double t, const double *x, const double *v, const double *lambda,
                            double *z_dot, double *supplied, double *dissipated)
{
    const phx_status status = m->dae->ops->power(m->dae, t, x, v, lambda, supplied, dissipated);

    if (!status)
        phx_sys_controllers_flow(m->ws, t, x, z_dot);
    return status;
}

phx_status phx_minimal_take_samples(phx_minimal *m, double t, double *x, const double *v)
{
    return phx_sys_take_samples(m->ws, t, x, v);
}

phx_status phx_minimal_check_places(phx_minimal *m, double t, const double *x, const double *v)
{
    return phx_sys_check_places(m->ws, t, 0.0, x, v);
}

/* ---- how good the choice is ---- */
/* sqrt of the mean square of v, in units, that rates of length one make; those of what rolls only of places. */
static phx_status find_stretch(phx_minimal *m, matrix_kind of, double t, const double *x, double *stretch)
{
    const size_t n = (size_t)m->n_solved, n_v = (size_t)m->system->n_v, n_l = (size_t)m->ws->rows.n;
    const size_t count = n - n_l + (of == OF_PLACES ? (size_t)m->n_rolling : 0);
    double sum = 0.0;

    *stretch = 1.0;
    if (count == 0 || (of == OF_PLACES && m->n_rolling == 0))
        return PHX_OK;
    memset(m->v, 0, n_v * sizeof *m->v);
    look(m, t, x, m->v);
    fill(m, of, x, m->v);
    memset(m->rhs, 0, n * count * sizeof *m->rhs);
    for (size_t row = 0, k = 0; row < n; row++) {
        double length = 0.0;
        if (row < n_l && (of == OF_RATES || !is_rolling(m, (int)row)))
            continue;
        for (size_t i = 0; i < n_v; i++)
            length += pow(m->J[row * n_v + i] * m->unit[i], 2);
        m->rhs[row * count + k++] = sqrt(length);
    }
    const phx_status status = solve(m, (int)count);
    for (size_t i = 0; i < n * count && !status; i++)
        sum += m->rhs[i] * m->rhs[i];
    *stretch = sqrt(sum / (double)count);
    return status;
}

phx_status phx_minimal_indicators(phx_minimal *m, double t, const double *x, double indicators[PHX_MINIMAL_INDICATORS])
{
    double stretch[2] = {0.0, 0.0}, phi[3];
    phx_status status = find_stretch(m, OF_RATES, t, x, &stretch[OF_RATES]);

    if (!status)
        status = find_stretch(m, OF_PLACES, t, x, &stretch[OF_PLACES]);
    const double most = fmax(stretch[OF_RATES] / m->stretch0[OF_RATES], stretch[OF_PLACES] / m->stretch0[OF_PLACES]);
    indicators[0] = status ? -1.0 : 1.0 - most / MOST_STRETCH;
    indicators[1] = 1.0;
    for (int k = m->n_drives; k < all_chosen(m); k++)
        if (chosen(m, k)->kind == CHOICE_TURN && m->system->dim == 3) {
            turn_of(m, chosen(m, k), x, phi);
            indicators[1] = fmin(indicators[1], 1.0 - phx_sys_dot(3, phi, phi) / (MOST_TURN * MOST_TURN));
        }
    return status == PHX_SINGULAR ? PHX_OK : status;
}

/* ---- asking ---- */
int phx_minimal_coordinates(const phx_minimal *m)
{
    return all_chosen(m);
}

int phx_minimal_rates(const phx_minimal *m)
{
    return m->n_free;
}

int phx_minimal_first_rate(const phx_minimal *m)
{
    return first_free(m);
}

double phx_minimal_nominal(const phx_minimal *m, int k, bool rate)
{
    const choice *it = chosen(m, k);
    double mass = 0.0;

    if (it->kind == CHOICE_TURN || (it->kind == CHOICE_JOINT && coordinate_of(m, it)->row.angular))
        return 1.0;
    if (it->kind != CHOICE_SHAPE)
        return m->size;
    for (int b = 0; b < m->system->n_bodies; b++)
        mass += phx_body_at_rest(m->system->bodies[b].body)->mass;
    const double moves = 1e-2 * m->size * sqrt(mass) * m->unit[it->v]; /* as the whole by a hundredth of its size */
    return rate ? moves : moves / fmax(1.0, m->omega[it->v]);
}

void phx_minimal_describe(const phx_minimal *m, int k, size_t size, char *text)
{
    const choice *it = chosen(m, k);
    const phx_system *system = m->system;

    switch (it->kind) {
    case CHOICE_JOINT:
        snprintf(text, size, "coordinate %d of joint '%s'", it->number + 1, system->joints[it->joint].name);
        break;
    case CHOICE_SHAPE:
        snprintf(text, size, "deformation %d of '%s'", it->component + 1, phx_body_name(system->bodies[it->body].body));
        break;
    default:
        snprintf(text, size, "%s %d of '%s'", it->kind == CHOICE_PLACE ? "place" : "turn", it->component + 1,
                 phx_body_name(system->bodies[it->body].body));
    }
}

/* ---- archives, creation ---- */
void phx_minimal_archive(phx_archive *archive, phx_minimal *m)
{
    for (int k = 0; k < all_chosen(m); k++)
        phx_archive_choice(archive, m->n_candidates - 1, &m->chosen[k]);
    phx_archive_doubles(archive, (size_t)m->system->n_x, m->x0);
    phx_archive_double(archive, &m->size);
    phx_archive_doubles(archive, 2, m->stretch0);
    if (phx_archive_reads(archive) && !phx_archive_status(archive))
        list_solved(m);
    if (m->dae->ops->archive)
        m->dae->ops->archive(m->dae, archive);
}

static phx_status list_drives(phx_minimal *m)
{
    const int n = m->ws->rows.n;

    m->driven = phx_calloc(m->context, (size_t)n, sizeof *m->driven);
    for (int k = 0; k < n && m->driven; k++) {
        if (is_rolling(m, k))
            m->n_rolling++;
        else if (row_at(m, k)->role == ROW_DRIVEN)
            m->driven[m->n_drives++] = k;
    }
    return m->driven ? PHX_OK : PHX_ERR_MEMORY;
}

/* The coordinates of the drives come first. */
static void take_drives(phx_minimal *m)
{
    for (int k = 0; k < m->n_drives; k++) {
        const row_slot *slot = row_at(m, m->driven[k]);
        for (int c = 0; c < m->n_candidates; c++)
            if (m->candidates[c].kind == CHOICE_JOINT && m->candidates[c].joint == slot->joint &&
                m->candidates[c].number == slot->coordinate)
                m->chosen[k] = c;
    }
}

static phx_status allocate(phx_minimal *m)
{
    const size_t n_v = (size_t)m->system->n_v, n_x = (size_t)m->system->n_x;
    const phx_sys_array arrays[] = {
        {&m->x0, n_x},      {&m->x_before, n_x},        {&m->unit, n_v}, {&m->omega, n_v}, {&m->J, n_v * n_v},
        {&m->A, n_v * n_v}, {&m->rhs, n_v * n_v + n_v}, {&m->v, n_v},    {&m->a, n_v}};
    phx_status status = phx_sys_arrays_create(m->context, sizeof arrays / sizeof *arrays, arrays);

    m->candidates = phx_calloc(m->context, (size_t)count_candidates(m->system), sizeof *m->candidates);
    m->chosen = phx_calloc(m->context, (size_t)all_chosen(m), sizeof *m->chosen);
    m->solved = phx_calloc(m->context, n_v, sizeof *m->solved);
    return !status && m->candidates && m->chosen && m->solved ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_minimal_create(phx_context *context, phx_system *system, phx_minimal **made)
{
    phx_minimal *m = phx_calloc(context, 1, sizeof *m);

    *made = NULL;
    if (!m)
        return PHX_ERR_MEMORY;
    m->context = context;
    m->system = system;
    phx_status status = phx_system_dae_with(system, context, PHX_BACKEND_PLAIN, &m->dae);
    m->ws = (workspace *)m->dae;
    if (!status)
        status = list_drives(m);
    if (!status) {
        m->n_free = system->n_v - m->ws->rows.n;
        status = allocate(m);
    }
    if (!status) {
        list_candidates(m);
        take_drives(m);
        status = find_units(m);
    }
    if (status) {
        phx_minimal_destroy(m);
        return status;
    }
    *made = m;
    return PHX_OK;
}

void phx_minimal_destroy(phx_minimal *m)
{
    if (!m)
        return;
    double *const arrays[] = {m->x0, m->x_before, m->unit, m->omega, m->J, m->A, m->rhs, m->v, m->a};
    phx_sys_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(m->candidates);
    phx_free(m->chosen);
    phx_free(m->driven);
    phx_free(m->solved);
    phx_system_dae_destroy(m->dae);
    phx_free(m);
}
