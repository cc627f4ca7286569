#include "impulse_law.h"

#include <math.h>
#include <string.h>

#include "algebra/algebra.h"

/* Either phase: its impulses P are those that projecting P - r (c + W P) on what the laws allow does not change. */
typedef struct phase {
    const phx_impulse_law *law;
    const double *normal; /* of each contact, given; NULL: not negative, with complementary rates */
    const double *c;      /* rates before it */
    double *P, *z;        /* n dim: impulses, and P - r (c + W P) */
    double *r;            /* n dim: 1/W of the gaps and of the slips, for the projection */
    double *J, *R, *dP;   /* of Newton's iteration */
} phase;

static int impulse_law_size_of(const phase *period)
{
    return period->law->n * period->law->dim;
}

static double impulse_law_largest(int n, const double *x)
{
    double most = 0.0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double length_across(const phase *period, const double *x)
{
    return period->law->dim == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

/* z of one row */
static double moved(const phase *period, int row)
{
    const int m = impulse_law_size_of(period);
    return period->P[row] -
           period->r[row] * (period->c[row] + phx_dot(m, period->law->W + (size_t)row * (size_t)m, period->P));
}

static double project_normal(const phase *period, int k, double z)
{
    return period->normal ? period->normal[k] : fmax(0.0, z);
}

/* The direction of friction that is given; NULL: none. */
static const double *given_direction(const phx_impulse_law *law, int k)
{
    const double *given = law->given ? law->given + 2 * k : NULL;
    return given && (given[0] != 0.0 || given[1] != 0.0) ? given : NULL;
}

/* z across on the disc of friction of a normal impulse, or what is given */
static void project_across(const phase *period, int k, double normal, const double *z, double *out)
{
    const double limit = period->law->friction[k] * normal, length = length_across(period, z);
    const double *given = given_direction(period->law, k);

    for (int i = 1; i < period->law->dim; i++)
        out[i] = given ? limit * given[i - 1] : length <= limit ? z[i] : limit * z[i] / length;
}

/* z, and how far the projection is from P. */
static double impulse_law_distance(phase *period)
{
    const int dim = period->law->dim;
    double worst = 0.0, out[3];

    for (int k = 0; k < period->law->n; k++) {
        for (int i = 0; i < dim; i++)
            period->z[k * dim + i] = moved(period, k * dim + i);
        out[0] = project_normal(period, k, period->z[k * dim]);
        project_across(period, k, out[0], period->z + k * dim, out);
        for (int i = 0; i < dim; i++)
            worst = fmax(worst, fabs(out[i] - period->P[k * dim + i]));
    }
    return worst;
}

/* Contact by contact: P <- part (projection) + (1 - part) P. */
static void sweep(phase *period, int count, double part)
{
    const int dim = period->law->dim;

    for (int pass = 0; pass < count; pass++)
        for (int k = 0; k < period->law->n; k++) {
            double *P = period->P + k * dim, z[3], across[3];
            P[0] += part * (project_normal(period, k, moved(period, k * dim)) - P[0]);
            for (int i = 1; i < dim; i++)
                z[i] = moved(period, k * dim + i);
            project_across(period, k, P[0], z, across);
            for (int i = 1; i < dim; i++)
                P[i] += part * (across[i] - P[i]);
        }
}

/* ---- Newton's iteration on P - projection(z) ---- */
static void row_of_rate(phase *period, int row)
{
    const int m = impulse_law_size_of(period);

    for (int j = 0; j < m; j++)
        period->J[(size_t)row * (size_t)m + (size_t)j] =
            period->r[row] * period->law->W[(size_t)row * (size_t)m + (size_t)j];
    period->R[row] = period->P[row] - period->z[row];
}

static void row_of_impulse(phase *period, int row, double wanted)
{
    const int m = impulse_law_size_of(period);

    memset(period->J + (size_t)row * (size_t)m, 0, (size_t)m * sizeof *period->J);
    period->J[(size_t)row * (size_t)m + (size_t)row] = 1.0;
    period->R[row] = period->P[row] - wanted;
}

/* P_t - mu P_n d, d = z_t/|z_t|, and its derivative dP_t - mu d dP_n - mu P_n (1 - d d^T) dz_t/|z_t|, dz = dP - r W dP
 */
static void rows_of_slip(phase *period, int k)
{
    const int dim = period->law->dim, m = impulse_law_size_of(period), first = k * dim;
    const double mu = period->law->friction[k], normal = project_normal(period, k, period->P[first]);
    const double *given = given_direction(period->law, k);
    const double length = given ? 0.0 : length_across(period, period->z + first); /* what is given does not turn */
    double d[3] = {0.0};

    for (int i = 1; i < dim; i++)
        d[i] = given ? given[i - 1] : length > 0.0 ? period->z[first + i] / length : 0.0;
    for (int i = 1; i < dim; i++) {
        double *J = period->J + (size_t)(first + i) * (size_t)m;
        row_of_impulse(period, first + i, mu * normal * d[i]);
        J[first] -= period->normal ? 0.0 : mu * d[i];
        for (int l = 1; l < dim && length > 0.0; l++) {
            const double turn = mu * normal / length * ((i == l ? 1.0 : 0.0) - d[i] * d[l]);
            const double *W = period->law->W + (size_t)(first + l) * (size_t)m;
            J[first + l] -= turn;
            for (int j = 0; j < m; j++)
                J[j] += turn * period->r[first + l] * W[j];
        }
    }
}

/* Newton equations of contact k at the present estimate z: a row of impulse or of rate for its gap, and for its tangent
 * either zero slip rate or friction at its limit. */
static void set_rows(phase *period, int k)
{
    const int dim = period->law->dim, first = k * dim;
    const double normal = project_normal(period, k, period->z[first]);
    const bool pushes = normal > 0.0;

    if (!period->normal && pushes)
        row_of_rate(period, first);
    else
        row_of_impulse(period, first, normal);
    if (!pushes || given_direction(period->law, k) ||
        length_across(period, period->z + first) > period->law->friction[k] * normal) {
        rows_of_slip(period, k);
        return;
    }
    for (int i = 1; i < dim; i++)
        row_of_rate(period, first + i);
}

/* `size`: of the impulses. */
static phx_status newton(phx_context *context, phase *period, double size, bool *found)
{
    enum { MOST = 40 };
    static const double ROUNDING = 1e-15, DONE = 1e-12, DEPENDENT = 1e-11, OF_SMALL = 1e-2; /* relative */
    const int m = impulse_law_size_of(period);
    const double enough = DONE * size + OF_SMALL * period->law->small * impulse_law_largest(m, period->r);
    double error = impulse_law_distance(period), before = HUGE_VAL;
    phx_status status = PHX_OK;

    for (int k = 0; k < MOST && error > ROUNDING * size && !status; k++) {
        if (error <= enough && error >= before)
            break;
        for (int contact = 0; contact < period->law->n; contact++)
            set_rows(period, contact);
        status = phx_dense_least_norm(context, m, m, period->J, 1, period->R, DEPENDENT, period->dP, NULL);
        for (int i = 0; i < m && !status; i++)
            period->P[i] -= period->dP[i];
        before = error;
        error = impulse_law_distance(period);
        if (!isfinite(error))
            break;
    }
    const double came_to =
        fmax(impulse_law_largest(m, period->P), impulse_law_largest(m, period->z)); /* sweeps may have gone far away */
    *found = !status && isfinite(phx_dot(m, period->P, period->P)) && error <= enough &&
             error <= DONE * came_to + OF_SMALL * period->law->small * impulse_law_largest(m, period->r);
    return status;
}

/* How many times the impulse d across fits between that of contact k and the limit of its friction; HUGE_VAL: d is
 * none.
 */
static double room_across(const phase *period, int k, const double *P, const double *d)
{
    const int dim = period->law->dim;
    const double limit = period->law->friction[k] * fmax(P[0], 0.0);
    const double dd = phx_dot(dim - 1, d + 1, d + 1), pd = phx_dot(dim - 1, P + 1, d + 1);
    const double left = limit * limit - phx_dot(dim - 1, P + 1, P + 1);

    if (dd == 0.0 || given_direction(period->law, k))
        return HUGE_VAL;
    return left > 0.0 ? (sqrt(pd * pd + dd * left) - pd) / dd : 0.0;
}

/* Friction of contacts that all stick and whose slips contradict each other by almost nothing (the ends of a rod that
 * lies flat but for 1e-10 rad) grows by as little with each sweep, in opposite directions: `swept` goes on to where the
 * next contact can hold no more. false: nothing grows. */
static bool run_on(phase *period, double *swept)
{
    const int dim = period->law->dim, m = impulse_law_size_of(period);
    double *d = period->dP, most = HUGE_VAL;

    memcpy(period->P, swept, (size_t)m * sizeof *period->P);
    sweep(period, 1, 1.0);
    for (int i = 0; i < m; i++)
        d[i] = period->P[i] - swept[i];
    for (int k = 0; k < period->law->n; k++) {
        const double room = room_across(period, k, swept + k * dim, d + k * dim);
        most = room > 0.0 ? fmin(most, room) : most;
    }
    for (int i = 0; i < m && most < HUGE_VAL; i++)
        swept[i] += i % dim > 0 ? most * d[i] : 0.0;
    return most < HUGE_VAL;
}

/* The impulses of a phase into run->P; by Newton's iteration from what sweeps from `swept` have come to. */
static phx_status impulse_law_find(phx_context *context, phase *period, double *swept)
{
    enum { ROUNDS = 12 };
    const int m = impulse_law_size_of(period);
    bool found = false;
    phx_status status = PHX_OK;

    for (int round = 0, count = 0; round < ROUNDS && !found && !status; round++, count = count ? 2 * count : 10) {
        memcpy(period->P, swept, (size_t)m * sizeof *period->P);
        sweep(period, count, round % 2 ? 1.0 : 0.3);
        memcpy(swept, period->P, (size_t)m * sizeof *period->P);
        if (!isfinite(phx_dot(m, swept, swept)))
            break; /* sweeps that go away do so where there are none */
        impulse_law_distance(period);
        status =
            newton(context, period, fmax(impulse_law_largest(m, period->P), impulse_law_largest(m, period->z)), &found);
    }
    for (int k = 0;
         k < period->law->n && !found && !status && isfinite(phx_dot(m, swept, swept)) && run_on(period, swept); k++) {
        memcpy(period->P, swept, (size_t)m * sizeof *period->P);
        impulse_law_distance(period);
        status =
            newton(context, period, fmax(impulse_law_largest(m, period->P), impulse_law_largest(m, period->z)), &found);
    }
    if (!status && !found)
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "no impulses of its %d contacts were found that push, hinder slip and let nothing approach",
                          period->law->n);
    for (int k = 0; k < period->law->n && !status; k++) { /* within friction to the last digit */
        double *P = period->P + k * period->law->dim;
        P[0] = project_normal(period, k, P[0]);
        project_across(period, k, P[0], P, P);
    }
    return status;
}

/* rates += W P;  the loss -(rates before + rates after).P/2 of each contact */
static void impulse_law_apply(const phx_impulse_law *law, const double *P)
{
    const int m = law->n * law->dim;

    for (int i = 0; i < m; i++) {
        law->loss[i / law->dim] -= 0.5 * law->rate[i] * P[i];
        law->impulse[i] += P[i];
    }
    for (int i = 0; i < m; i++)
        law->rate[i] += phx_dot(m, law->W + (size_t)i * (size_t)m, P);
    for (int i = 0; i < m; i++)
        law->loss[i / law->dim] -= 0.5 * law->rate[i] * P[i];
}

static double impulse_law_energy(const phx_impulse_law *law, const double *P)
{
    const int m = law->n * law->dim;
    double sum = 0.0;

    for (int i = 0; i < m; i++)
        sum += 0.5 * P[i] * phx_dot(m, law->W + (size_t)i * (size_t)m, P);
    return sum;
}

/* Normal impulses of the expansion after P, into `normal`; `N`: room for all impulses times their restitutions. */
static bool send_back(const phx_impulse_law *law, const double *P, double *N, double *normal)
{
    const int dim = law->dim;
    bool any = false;

    for (int k = 0; k < law->n; k++) {
        for (int i = 0; i < dim; i++)
            N[k * dim + i] = law->restitution[k] * P[k * dim + i];
    }
    const double had = impulse_law_energy(law, P), given = impulse_law_energy(law, N);
    const double s = given > had ? sqrt(had / given) : 1.0;
    for (int k = 0; k < law->n; k++) {
        normal[k] = s * N[k * dim];
        any = any || normal[k] > 0.0;
    }
    return any;
}

bool phx_impulse_approaches(const phx_impulse_law *law)
{
    for (int k = 0; k < law->n; k++)
        if (law->rate[k * law->dim] < -law->small)
            return true;
    return false;
}

/* 1/W of the gap; of the slips 1/(the sum of theirs), which is no more than 1/(the largest eigenvalue). */
static void set_steps(const phx_impulse_law *law, double *r)
{
    const int dim = law->dim, m = law->n * dim;

    for (int k = 0; k < law->n; k++) {
        double sum = 0.0;
        for (int i = 0; i < dim; i++) {
            const double W = law->W[(size_t)(k * dim + i) * (size_t)(m + 1)];
            sum += i > 0 ? W : 0.0;
            r[k * dim + i] = W > 0.0 ? 1.0 / W : 0.0;
        }
        for (int i = 1; i < dim; i++)
            r[k * dim + i] = sum > 0.0 ? 1.0 / sum : 0.0;
    }
}

/* Room for the phases of an impact. */
typedef struct workroom {
    phase phase;
    double *all, *swept, *N, *normal;
} workroom;

/* Divides one block among the vectors and the Jacobian of an impulse phase and sets the projection's step sizes. */
static phx_status workroom_create(phx_context *context, const phx_impulse_law *law, workroom *made)
{
    const size_t m = (size_t)(law->n * law->dim);
    double *room = phx_calloc(context, 7 * m + m * m + (size_t)law->n, sizeof *room);

    *made = (workroom){.all = room};
    if (!room)
        return PHX_ERR_MEMORY;
    made->swept = room + 5 * m;
    made->N = room + 6 * m;
    made->normal = room + 7 * m;
    made->phase = (phase){.law = law,
                          .c = law->rate,
                          .P = room,
                          .z = room + m,
                          .r = room + 2 * m,
                          .R = room + 3 * m,
                          .dP = room + 4 * m,
                          .J = made->normal + law->n};
    set_steps(law, made->phase.r);
    return PHX_OK;
}

/* The contacts that expand after the compression P. */
static phx_status impulse_law_expand(phx_context *context, const phx_impulse_law *law, workroom *room)
{
    if (!send_back(law, room->phase.P, room->N, room->normal))
        return PHX_OK;
    memset(room->swept, 0, (size_t)(law->n * law->dim) * sizeof *room->swept);
    room->phase.normal = room->normal;
    const phx_status status = impulse_law_find(context, &room->phase, room->swept);
    if (!status)
        impulse_law_apply(law, room->phase.P);
    return status;
}

phx_status phx_impulse_strike(phx_context *context, const phx_impulse_law *law, bool expands)
{
    workroom room;
    phx_status status = workroom_create(context, law, &room);

    if (!status)
        status = impulse_law_find(context, &room.phase, room.swept);
    if (!status)
        impulse_law_apply(law, room.phase.P);
    if (!status && expands)
        status = impulse_law_expand(context, law, &room);
    phx_free(room.all);
    return status;
}

/* Impulses that stop all rates, of the contacts where they push. */
static phx_status stop_all(phx_context *context, const phx_impulse_law *law, double *P, double *wanted)
{
    static const double DEPENDENT = 1e-11;
    const int m = law->n * law->dim;

    for (int i = 0; i < m; i++)
        wanted[i] = -law->rate[i];
    const phx_status status = phx_dense_least_norm(context, m, m, law->W, 1, wanted, DEPENDENT, P, NULL);
    for (int k = 0; k < law->n && !status; k++)
        if (P[k * law->dim] < 0.0)
            memset(P + k * law->dim, 0, (size_t)law->dim * sizeof *P);
    return status;
}

/* Impulses at a jammed contact: those that bring the slip to rest and satisfy the laws, other than zero, applied with
 * their expansion. *found is false if there are none. */
phx_status phx_impulse_jam(phx_context *context, const phx_impulse_law *law, bool *found)
{
    static const double NOTHING = 1e-12;
    const int m = law->n * law->dim;
    workroom room;
    phx_status status = workroom_create(context, law, &room);

    *found = false;
    if (!status)
        status = stop_all(context, law, room.swept, room.N);
    const double size = status ? 0.0 : impulse_law_largest(m, room.swept);
    if (!status)
        status = impulse_law_find(context, &room.phase, room.swept);
    if (status == PHX_ERR_ANALYSIS) {
        phx_context_clear(context);
        status = PHX_OK;
    } else if (!status) {
        *found = impulse_law_largest(m, room.phase.P) > NOTHING * size;
        if (*found)
            impulse_law_apply(law, room.phase.P);
    }
    if (!status && *found)
        status = impulse_law_expand(context, law, &room);
    phx_free(room.all);
    return status;
}
