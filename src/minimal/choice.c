/* Which coordinates are chosen, and how good the choice still is. */
#include "internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Preferences: coordinates of joints and deformations stay good everywhere, turns in space do not. */
static const double preference[CHOICE_KINDS] = {8.0, 4.0, 1.0, 1.0};
/* Turns up to which a rotation vector is used, rad; how much larger than at the choice the rates of the others may
 * become. */
static const double MOST_TURN = 2.0, MOST_STRETCH = 20.0;

int phx_minimal_count_candidates(const phx_system *system)
{
    int count = 0;

    for (int j = 0; j < phx_system_joints(system); j++)
        count += phx_system_joint(system, j).n_coordinates;
    return count + phx_system_n_v(system);
}

/* Appends position and rotation of every frame of body b to the candidates. */
static void list_frames(phx_minimal *m, int b, int *count)
{
    const phx_system *system = m->system;
    const phx_placed_body placed = phx_system_placed(system, b);
    const phx_body_frame *frames;
    const int n_frames = phx_body_frames(placed.body, &frames);

    for (int f = 0; f < n_frames; f++)
        for (int i = 0; i < m->dim + phx_rotations(m->dim); i++) {
            const bool place = i < m->dim;
            m->candidates[(*count)++] = (choice){.kind = place ? CHOICE_PLACE : CHOICE_TURN,
                                                 .body = b,
                                                 .x = placed.x + frames[f].x,
                                                 .v = placed.v + frames[f].v,
                                                 .component = place ? i : i - m->dim};
        }
}

/* The coordinates of a joint that does not hold are no longer those of the bodies' relative motion: their rates are not
 * their derivatives; those of a contact, its slips, never are. */
static bool is_open(const phx_system *system, int j)
{
    const phx_joint_view joint = phx_system_joint(system, j);

    return joint.contact || (joint.n_constraints > 0 && !phx_system_joint_holds(system, j));
}

/* Lists all candidates: coordinates of joints, frame positions and rotations, deformations. */
void phx_minimal_list_candidates(phx_minimal *m)
{
    const phx_system *system = m->system;
    int count = 0;

    for (int j = 0; j < phx_system_joints(system); j++)
        for (int c = 0; c < phx_system_joint(system, j).n_coordinates; c++)
            m->candidates[count++] =
                (choice){.kind = CHOICE_JOINT, .joint = j, .number = c, .open = is_open(system, j)};
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        int x, v;
        const int n_q = phx_body_coordinates(placed.body, &x, &v);
        list_frames(m, b, &count);
        for (int i = 0; i < n_q; i++)
            m->candidates[count++] =
                (choice){.kind = CHOICE_SHAPE, .body = b, .x = placed.x + x + i, .v = placed.v + v + i, .component = i};
    }
    m->n_candidates = count;
}

/* sqrt(K_ii/M_ii) of the deformations of a body. */
static void find_frequencies(phx_minimal *m, const phx_placed_body *placed)
{
    phx_csr K;
    int at;

    (void)phx_body_coordinates(placed->body, NULL, &at);
    if (!phx_body_stiffness(placed->body, &K))
        return;
    for (int i = 0; i < K.rows; i++)
        for (int k = K.ptr[i]; k < K.ptr[i + 1]; k++)
            if (K.idx[k] == i && K.val[k] > 0.0)
                m->omega[placed->v + at + i] = sqrt(K.val[k]) * m->unit[placed->v + at + i];
}

/* Scales every velocity by 1/sqrt of its diagonal mass at the start and finds the frequencies of the deformations. */
phx_status phx_minimal_find_units(phx_minimal *m)
{
    const phx_system *system = m->system;
    double *mass = NULL;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        const size_t n = (size_t)phx_body_n_v(placed.body);
        mass = phx_calloc(m->context, n * n, sizeof *mass);
        if (!mass)
            return PHX_ERR_MEMORY;
        phx_body_mass_matrix(placed.body, phx_system_assembled(system) + placed.x, mass);
        for (size_t i = 0; i < n; i++)
            m->unit[(size_t)placed.v + i] = mass[i * n + i] > 0.0 ? 1.0 / sqrt(mass[i * n + i]) : 1.0;
        phx_free(mass);
        find_frequencies(m, &placed);
    }
    return PHX_OK;
}

/* ---- the choice ---- */
void phx_minimal_list_solved(phx_minimal *m)
{
    m->n_solved = 0;
    for (int i = 0; i < m->e.n_v; i++) {
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

static bool is_among(const phx_minimal *m, range numbers, const choice *coordinate)
{
    for (int k = numbers.from; k < numbers.to; k++)
        if (chosen(m, k) == coordinate)
            return true;
    return false;
}

/* Rows that the coordinates to be chosen must be free of, into J: those of the joints; for what rolls all but its own,
 * and the coordinates that are chosen already. Returns how many there are. */
static int fill_held(phx_minimal *m, bool rolls, const double *x)
{
    const size_t n_v = (size_t)m->e.n_v;
    size_t count = 0;

    for (int k = 0; k < m->e.n_l; k++)
        if (!rolls || !is_rolling(m, k))
            phx_minimal_fill_joint(m, k, m->J + count++ * n_v);
    for (int k = first_free(m); k < all_chosen(m) && rolls; k++)
        (void)phx_minimal_row(m, chosen(m, k), x, m->v, false, m->J + count++ * n_v);
    return (int)count;
}

/* basis (n_v x count) of the motions that n_held rows in J leave free, in units. */
static phx_status free_motions(phx_minimal *m, int n_held, double **basis)
{
    static const double DEPENDENT = 1e-10; /* rank of rows of length 1 */
    const size_t n_v = (size_t)m->e.n_v;
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
    const phx_status status = phx_dense_nullspace(m->context, n_held, (int)n_v, m->J, DEPENDENT, &rank, basis);
    if (!status && rank < n_held)
        return phx_fail(m->context, PHX_SINGULAR,
                        "the joints' rows depend on each other here: no minimal coordinates can be chosen");
    return status;
}

/* W (f x candidates): derivative of each candidate that is not taken along f free motions, times its preference. */
static void choice_weigh(phx_minimal *m, const double *x, size_t f, range taken, const double *basis, double *W)
{
    const size_t n_v = (size_t)m->e.n_v, n = (size_t)m->n_candidates;
    double *row = m->rhs;

    for (size_t c = 0; c < n; c++) {
        const choice *coordinate = &m->candidates[c];
        double length = 0.0;
        (void)phx_minimal_row(m, coordinate, x, m->v, false, row);
        for (size_t i = 0; i < n_v; i++) {
            row[i] *= m->unit[i];
            length += row[i] * row[i];
        }
        const bool planar = coordinate->kind == CHOICE_TURN && m->dim == 2;
        const double weight = coordinate->open || is_among(m, (range){0, m->n_drives}, coordinate) ||
                                      is_among(m, taken, coordinate) || !(length > 0.0)
                                  ? 0.0
                              : planar ? preference[CHOICE_SHAPE]
                                       : preference[coordinate->kind];
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
    static const double UNDETERMINED = 1e-8; /* pivots, relative to the longest column */
    const int count = wanted.to - wanted.from;
    int *order = phx_calloc(m->context, (size_t)m->n_candidates, sizeof *order), rank = 0;
    bool *taken = phx_calloc(m->context, (size_t)m->n_candidates, sizeof *taken);
    phx_status status = order && taken ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_dense_rrqr(m->context, count, m->n_candidates, W, UNDETERMINED, &rank, order, NULL);
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

/* Chooses the free coordinates, or with `rolls` the further ones that rolling rows leave to the positions, by column
 * pivoting on the free motions at x. */
static phx_status choice_choose(phx_minimal *m, bool rolls, const double *x)
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
        choice_weigh(m, x, count, rolls ? free : none, basis, W);
        status = pick(m, wanted, W);
    }
    phx_free(basis);
    phx_free(W);
    return status;
}

/* sqrt of the mean square of v, in units, that rates of length one make; those of what rolls only of places. */
static phx_status find_stretch(phx_minimal *m, matrix_kind of, double t, const double *x, double *stretch)
{
    const size_t n = (size_t)m->n_solved, n_v = (size_t)m->e.n_v, n_l = (size_t)m->e.n_l;
    const size_t count = n - n_l + (of == OF_PLACES ? (size_t)m->n_rolling : 0);
    double sum = 0.0;

    *stretch = 1.0;
    if (count == 0 || (of == OF_PLACES && m->n_rolling == 0))
        return PHX_OK;
    memset(m->v, 0, n_v * sizeof *m->v);
    phx_minimal_look(m, t, x, m->v);
    phx_minimal_fill(m, of, x, m->v);
    memset(m->rhs, 0, n * count * sizeof *m->rhs);
    for (size_t row = 0, k = 0; row < n; row++) {
        double length = 0.0;
        if (row < n_l && (of == OF_RATES || !is_rolling(m, (int)row)))
            continue;
        for (size_t i = 0; i < n_v; i++)
            length += pow(m->J[row * n_v + i] * m->unit[i], 2);
        m->rhs[row * count + k++] = sqrt(length);
    }
    const phx_status status = phx_minimal_solve_square(m, (int)count);
    for (size_t i = 0; i < n * count && !status; i++)
        sum += m->rhs[i] * m->rhs[i];
    *stretch = sqrt(sum / (double)count);
    return status;
}

/* Chooses the minimal coordinates at x and stores the conditioning there as reference for the indicators. */
phx_status phx_minimal_choose(phx_minimal *m, double t, const double *x)
{
    memcpy(m->x0, x, (size_t)m->dae->n_x * sizeof *x);
    memset(m->v, 0, (size_t)m->e.n_v * sizeof *m->v);
    phx_minimal_look(m, t, x, m->v);
    m->size = phx_system_size(m->dae);
    phx_status status = choice_choose(m, false, x);
    if (!status)
        status = choice_choose(m, true, x);
    if (status)
        return status;
    phx_minimal_list_solved(m);
    status = find_stretch(m, OF_RATES, t, x, &m->stretch0[OF_RATES]);
    return status ? status : find_stretch(m, OF_PLACES, t, x, &m->stretch0[OF_PLACES]);
}

/* Indicators that are positive while the choice is good: [0] for the conditioning against that of the choice, [1] for
 * rotation vectors. A singular matrix gives -1 and PHX_OK. */
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
        if (chosen(m, k)->kind == CHOICE_TURN && m->dim == 3) {
            phx_minimal_turn(m, chosen(m, k), x, phi);
            indicators[1] = fmin(indicators[1], 1.0 - phx_dot(3, phi, phi) / (MOST_TURN * MOST_TURN));
        }
    return status == PHX_SINGULAR ? PHX_OK : status;
}
