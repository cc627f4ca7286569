/* Rigid contacts that touch and do not part: which of them push, and which stick. Their forces f and the accelerations
 * a = a0 + W f of their gaps and slips obey the laws of an impact's compression, with accelerations for rates; where
 * one slips already, its friction has the direction that it has. Of more contacts than are needed the forces are not
 * unique; then as few as do it carry the load, and the others are spare; and of more friction than is needed some lean:
 * they have a fixed part of their friction, and the others hold them. */
#include "run.h"
#include "impulse_law.h"

#include <math.h>
#include <string.h>

#include "algebra/algebra.h"

static const double ROUNDING = 1e-9;  /* accelerations below this, relative to the largest, are zero */
static const double NO_FORCE = 1e-12; /* forces, the same */
static const double DEPENDENT = 1e-9; /* of rows on each other */
static const double UNKNOWN = 1e-11;  /* accelerations that are not found any better */

/* A contact in the balance. */
typedef struct member {
    int contact;
    double rate;     /* of the gap */
    bool takes_part; /* it may push */
    bool moves;      /* it slips, or its friction has its direction given */
    bool torn;       /* it stuck, and begins to slip now */
    bool at_limit;   /* held at rest by others, with all its friction */
    double friction; /* coefficient; */
    double slipping; /* that of friction that slips */
    double d[2];     /* direction of its friction on it, of length 1, where it moves or is at its limit */
} member;

typedef struct balance {
    int n, dim, rows;
    member *member;
    int *which;
    double *room;
    phx_contact_response response;
    double *f, *a;
    double largest; /* acceleration */
    double zero;    /* an acceleration of a gap below this is none where its force has come to its end */
} balance;

static double resting_length(const double x[2])
{
    return hypot(x[0], x[1]);
}

/* Row i of a member across its normal, i = 0, 1; 0 where there is none. */
static double across(const balance *b, const double *x, int k, int i)
{
    return i + 1 < b->dim ? x[k * b->dim + 1 + i] : 0.0;
}

static void balance_free(balance *b)
{
    phx_free(b->member);
    phx_free(b->which);
    phx_free(b->room);
}

/* Allocates the force balance of the touching contacts (touches[k]) with its response matrix W. */
static phx_status balance_create(const events_run *run, const bool *touches, balance *b)
{
    int n = 0;

    for (int k = 0; k < run->contacts.n; k++)
        n += touches[k];
    const size_t rows = (size_t)(n * phx_system_dim(run->s->system)), n_v = (size_t)run->s->dae->n_v;
    *b = (balance){.n = n, .dim = phx_system_dim(run->s->system), .rows = (int)rows};
    b->member = phx_calloc(run->context, (size_t)n, sizeof *b->member);
    b->which = phx_calloc(run->context, (size_t)n, sizeof *b->which);
    b->room = phx_calloc(run->context, rows * (rows + n_v + 5), sizeof *b->room);
    if (!b->member || !b->which || !b->room)
        return PHX_ERR_MEMORY;
    double *next = b->room;
    b->response.W = next;
    b->response.moved = next += rows * rows;
    b->response.rates = next += rows * n_v;
    b->response.accelerations = next += rows;
    b->response.supplied = next += rows;
    b->f = next += rows;
    b->a = next + rows;
    n = 0;
    for (int k = 0; k < run->contacts.n; k++)
        if (touches[k])
            b->which[n++] = k;
    return PHX_OK;
}

/* The members as they are at the instant, none of them closed. */
static void set_members(const events_run *run, const contact_question *asked, balance *b)
{
    b->largest = 0.0;
    for (int i = 0; i < b->rows; i++)
        b->largest = fmax(b->largest, fabs(b->response.accelerations[i]));
    /* Where the only force comes to its end, all accelerations are rounding: what changes no rate in a step is none. */
    b->zero = fmax(ROUNDING * b->largest, run->def.options.step > 0.0 ? asked->small / run->def.options.step : 0.0);
    for (int k = 0; k < b->n; k++) {
        const phx_rigid_contact *contact = &run->contacts.contact[b->which[k]];
        member *m = &b->member[k];
        const double rate[2] = {across(b, b->response.rates, k, 0), across(b, b->response.rates, k, 1)};
        const double speed = resting_length(rate);
        *m = (member){.contact = b->which[k],
                      .rate = b->response.rates[k * b->dim],
                      .friction = contact->sticking,
                      .slipping = contact->slipping};
        m->takes_part = fabs(m->rate) <= asked->small;
        if (contact->dry < 0 || contact->dry == asked->tears || contact->dry == asked->stops || speed <= asked->small)
            continue;
        for (int i = 0; i < 2; i++)
            m->d[i] = -rate[i] / speed;
        m->moves = true;
        m->friction = contact->slipping;
    }
}

/* The acceleration of its gap by the force of a contact. */
static double push_of(const balance *b, int k)
{
    return b->response.W[k * b->dim * (b->rows + 1)] * b->f[k * b->dim];
}

/* The contact that has come to the end of its force has none that accelerates anything. */
static bool is_over(const balance *b, const contact_question *asked)
{
    for (int k = 0; k < b->n; k++)
        if (b->member[k].contact == asked->loose)
            return push_of(b, k) <= b->zero;
    return false;
}

/* A contact that has come to the end of its force lets go, unless the others can be loaded so that it is clearly within
 * it, and with it those whose force ends at the same instant; so with friction that is torn. */
static bool let_go(const events_run *run, const contact_question *asked, const phx_dry_friction *before, balance *b)
{
    static const double CLEARLY = 1e-6; /* relative */
    const bool over = is_over(b, asked);
    double largest = 0.0;
    bool changed = false;

    for (int k = 0; k < b->n; k++)
        largest = fmax(largest, b->f[k * b->dim]);
    for (int k = 0; k < b->n; k++) {
        member *m = &b->member[k];
        const int dry = run->contacts.contact[m->contact].dry;
        const double normal = b->f[k * b->dim], t[2] = {across(b, b->f, k, 0), across(b, b->f, k, 1)};
        if (over ? push_of(b, k) <= b->zero : m->contact == asked->loose && normal <= CLEARLY * largest) {
            m->takes_part = false;
            changed = true;
        } else if (dry >= 0 && asked->tears >= 0 && !m->moves &&
                   resting_length(t) >= (1.0 - CLEARLY) * m->friction * normal && resting_length(t) > 0.0) {
            const double *force = resting_length(before[dry].force) > 0.0 ? before[dry].force : t;
            for (int i = 0; i < 2; i++)
                m->d[i] = force[i] / resting_length(force);
            m->moves = m->torn = changed = true;
            m->friction = run->contacts.contact[m->contact].slipping;
        }
    }
    return changed;
}

/* ---- forces ---- */
/* Members that take part, in their order, into `rows`: their rows. Returns how many they are. */
static int resting_list_rows(const balance *b, int *rows)
{
    int count = 0;

    for (int k = 0; k < b->n; k++)
        for (int i = 0; i < b->dim && b->member[k].takes_part; i++)
            rows[count++] = k * b->dim + i;
    return count;
}

static void find_accelerations(balance *b)
{
    for (int i = 0; i < b->rows; i++) {
        b->a[i] = b->response.accelerations[i];
        for (int j = 0; j < b->rows; j++)
            b->a[i] += b->response.W[i * b->rows + j] * b->f[j];
    }
}

/* Forces of the active contacts from the laws of an impact's compression with accelerations for rates, and the
 * resulting accelerations of all contacts. */
static phx_status find_forces(phx_context *context, balance *b)
{
    const size_t most = (size_t)b->rows, n = (size_t)b->n;
    int *rows = phx_calloc(context, most, sizeof *rows);
    double *room = phx_calloc(context, most * (most + 2) + 4 * n, sizeof *room);
    const int count = rows ? resting_list_rows(b, rows) : 0;
    double *W = room, *a = room + most * most, *f = a + most, *friction = f + most, *given = friction + n,
           *loss = given + 2 * n;
    phx_status status = rows && room ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < count && !status; i++) {
        const member *m = &b->member[rows[i] / b->dim];
        a[i] = b->response.accelerations[rows[i]];
        for (int j = 0; j < count; j++)
            W[i * count + j] = b->response.W[rows[i] * b->rows + rows[j]];
        friction[i / b->dim] = m->friction;
        for (int c = 0; c < 2; c++)
            given[i / b->dim * 2 + c] = m->moves ? m->d[c] : 0.0;
    }
    const phx_impulse_law law = {.n = count / b->dim,
                                 .dim = b->dim,
                                 .W = W,
                                 .friction = friction,
                                 .given = given,
                                 .small = UNKNOWN * b->largest,
                                 .rate = a,
                                 .impulse = f,
                                 .loss = loss};
    if (!status && count > 0)
        status = phx_impulse_strike(context, &law, false);
    if (!status) {
        memset(b->f, 0, most * sizeof *b->f);
        for (int i = 0; i < count; i++)
            b->f[rows[i]] = f[i];
        find_accelerations(b);
    }
    phx_free(rows);
    phx_free(room);
    return status;
}

/* The forces do not agree with what was taken for granted: that is changed. */
static bool revise(const events_run *run, const contact_question *asked, balance *b)
{
    const double zero = ROUNDING * b->largest;
    bool changed = false;

    for (int k = 0; k < b->n; k++) {
        member *m = &b->member[k];
        const phx_rigid_contact *contact = &run->contacts.contact[m->contact];
        const double a[2] = {across(b, b->a, k, 0), across(b, b->a, k, 1)};
        const double f[2] = {across(b, b->f, k, 0), across(b, b->f, k, 1)};
        if (asked->loose >= 0 && !m->takes_part && fabs(m->rate) <= asked->small && b->a[k * b->dim] < -b->zero) {
            m->takes_part = changed = true; /* it would come nearer: it cannot open */
        } else if (m->moves && m->torn && a[0] * m->d[0] + a[1] * m->d[1] > zero) {
            m->moves = false; /* it would slip against what tears it loose */
            m->friction = contact->sticking;
            changed = true;
        } else if (!m->moves && m->friction > contact->slipping && resting_length(a) > zero &&
                   resting_length(f) > 0.0) {
            for (int i = 0; i < 2; i++) /* from static to kinetic friction */
                m->d[i] = f[i] / resting_length(f);
            m->moves = changed = true;
            m->friction = contact->slipping;
        }
    }
    return changed;
}

/* ---- friction that is not determined ---- */
static bool is_stuck(const balance *b, int k)
{
    const double a[2] = {across(b, b->a, k, 0), across(b, b->a, k, 1)};
    const member *m = &b->member[k];

    return !m->moves && m->friction * b->f[k * b->dim] > 0.0 && resting_length(a) <= ROUNDING * b->largest;
}

/* The largest part of its friction that one of the rows' contacts has with the forces f + s z of these rows. */
static double largest_part(const balance *b, int n, const int *row, const double *z, double s)
{
    double largest = 0.0;

    for (int i = 0; i < n; i += b->dim - 1) {
        const int k = row[i] / b->dim;
        double sum = 0.0;
        for (int c = i; c < i + b->dim - 1; c++)
            sum = hypot(sum, b->f[row[c]] + s * z[c]);
        largest = fmax(largest, sum / (b->member[k].friction * b->f[k * b->dim]));
    }
    return largest;
}

/* Along z, the change of the friction on the rows, as far as the largest part of friction falls. */
static void go_inwards(balance *b, int n, const int *row, const double *z)
{
    enum { PLACES = 16 };
    double best = largest_part(b, n, row, z, 0.0), way = 0.0;

    for (int i = 1; i <= PLACES; i++) {
        const double s = (double)i / PLACES, part = largest_part(b, n, row, z, s);
        if (part < best) {
            best = part;
            way = s;
        }
    }
    for (int i = 0; i < n; i++)
        b->f[row[i]] += way * z[i];
}

/* z = Z y with the least sum of |f + Z y|^2/(mu f_n), which is that of equal parts of friction where there is one; Z
 * spans what accelerates nothing. */
static phx_status find_inwards(phx_context *context, const balance *b, int n, const int *row, int count,
                               const double *Z, double *z)
{
    double *room = phx_calloc(context, (size_t)n * (size_t)(count + 1) + (size_t)count, sizeof *room);
    double *M = room, *f = room + (size_t)n * (size_t)count, *y = f + n;
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < n && !status; i++) {
        const int k = row[i] / b->dim;
        const double weight = sqrt(b->member[k].friction * b->f[k * b->dim]);
        f[i] = -b->f[row[i]] / weight;
        for (int j = 0; j < count; j++)
            M[i * count + j] = Z[i * count + j] / weight;
    }
    if (!status)
        status = phx_dense_least_norm(context, n, count, M, 1, f, 0.0, y, NULL);
    if (!status)
        phx_dense_multiply(false, false, n, 1, count, 1.0, Z, count, y, 1, 0.0, z, 1);
    phx_free(room);
    return status;
}

/* Friction of contacts that stick, where it is not determined, away from its limits. */
static phx_status centre(phx_context *context, balance *b)
{
    const size_t rows = (size_t)b->rows;
    int *row = phx_calloc(context, rows, sizeof *row), n = 0, rank = 0;
    double *A = phx_calloc(context, rows * (rows + 1), sizeof *A), *z = phx_behind(A, rows * rows), *Z = NULL;
    phx_status status = row && A ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < b->n && !status; k++)
        for (int i = 1; i < b->dim && is_stuck(b, k); i++)
            row[n++] = k * b->dim + i;
    for (int i = 0; i < b->rows && !status; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = b->response.W[i * b->rows + row[j]];
    if (!status && n > 0)
        status = phx_dense_nullspace(context, b->rows, n, A, DEPENDENT, &rank, &Z);
    if (!status && rank < n) {
        status = find_inwards(context, b, n, row, n - rank, Z, z);
        if (!status)
            go_inwards(b, n, row, z);
    }
    phx_free(Z);
    phx_free(A);
    phx_free(row);
    return status;
}

/* Forces that agree with what is taken for granted. */
static phx_status find_agreeing(const events_run *run, const contact_question *asked, balance *b)
{
    bool again = true;
    phx_status status = PHX_OK;

    for (int pass = 0; pass <= 2 * b->n + 2 && again && !status; pass++) {
        status = find_forces(run->context, b);
        again = !status && revise(run, asked, b);
    }
    return status ? status : centre(run->context, b);
}

/* ---- as few as carry it ---- */
/* The unknown of a direction of a member's force: along its normal, with its friction where that has a direction, or
 * across. */
typedef struct unknown {
    int k, i;
} unknown;

typedef struct basis {
    int n, n_held;
    unknown *of;   /* n */
    int *held;     /* rows that do not accelerate */
    double *A, *z; /* n_held x n: accelerations of the rows by the unknowns; n: forces that give none */
} basis;

static bool has_direction(const balance *b, int k)
{
    const member *m = &b->member[k];
    return m->moves || m->at_limit || m->friction == 0.0 || b->f[k * b->dim] == 0.0;
}

/* The load of the contacts is not changed by the acceleration of rows that others hold. */
static void set_basis(const balance *b, basis *modes)
{
    modes->n = modes->n_held = 0;
    for (int k = 0; k < b->n; k++) {
        const member *m = &b->member[k];
        if (b->f[k * b->dim] == 0.0)
            continue;
        const int unknowns = has_direction(b, k) ? 1 : b->dim, held = m->moves || m->friction == 0.0 ? 1 : b->dim;
        for (int i = 0; i < unknowns; i++)
            modes->of[modes->n++] = (unknown){.k = k, .i = i};
        for (int i = 0; i < held; i++)
            modes->held[modes->n_held++] = k * b->dim + i;
    }
    for (int r = 0; r < modes->n_held; r++)
        for (int j = 0; j < modes->n; j++) {
            const unknown u = modes->of[j];
            const double *W = b->response.W + modes->held[r] * b->rows + u.k * b->dim;
            const member *m = &b->member[u.k];
            double sum = W[u.i];
            for (int c = 0; c < b->dim - 1 && u.i == 0 && has_direction(b, u.k); c++)
                sum += m->friction * m->d[c] * W[1 + c];
            modes->A[r * modes->n + j] = sum;
        }
}

/* The change of the force of member k along z */
static void change_of(const balance *b, const basis *modes, int k, double *out)
{
    const member *m = &b->member[k];

    memset(out, 0, 3 * sizeof *out);
    for (int j = 0; j < modes->n; j++) {
        if (modes->of[j].k != k)
            continue;
        out[modes->of[j].i] += modes->z[j];
        for (int c = 0; c < b->dim - 1 && has_direction(b, k); c++)
            out[1 + c] += m->friction * m->d[c] * modes->z[j];
    }
}

/* The least s >= 0 with a force f + s z on its cone, |f_t| = mu f_n, or f_n = 0; HUGE_VAL: there is none. */
static double way_to_cone(const balance *b, int k, const double *z)
{
    const double *f = b->f + k * b->dim, mu = b->member[k].friction;
    double ff = -mu * mu * f[0] * f[0], fz = -mu * mu * f[0] * z[0], zz = -mu * mu * z[0] * z[0], way = HUGE_VAL;

    if (z[0] < 0.0)
        way = f[0] / -z[0];
    if (has_direction(b, k))
        return way;
    for (int i = 1; i < b->dim; i++) {
        ff += f[i] * f[i];
        fz += f[i] * z[i];
        zz += z[i] * z[i];
    }
    ff = fmin(ff, 0.0); /* ff + 2 s fz + s^2 zz = 0 */
    const double root = fz * fz - ff * zz;
    if (root >= 0.0 && fz > 0.0)
        way = fmin(way, -ff / (fz + sqrt(root)));
    else if (root >= 0.0 && zz > 0.0)
        way = fmin(way, (sqrt(root) - fz) / zz);
    return way;
}

/* Forces go along z as far as member `first` allows: it carries nothing then, or has all its friction. */
static void go(balance *b, const basis *modes, int first, double way)
{
    static const double LITTLE = 1e-6; /* part of its load with which it lifts too */
    member *m = &b->member[first];
    double change[3], *f = b->f + first * b->dim;

    change_of(b, modes, first, change);
    const bool lifts = f[0] + way * change[0] <= LITTLE * f[0];
    way = lifts ? f[0] / -change[0] : way;
    for (int k = 0; k < b->n; k++) {
        change_of(b, modes, k, change);
        for (int i = 0; i < b->dim; i++)
            b->f[k * b->dim + i] += way * change[i];
    }
    const double t[2] = {across(b, b->f, first, 0), across(b, b->f, first, 1)}, size = resting_length(t);
    if (lifts || size == 0.0) {
        memset(f, 0, (size_t)b->dim * sizeof *f);
        return;
    }
    m->at_limit = true;
    for (int i = 0; i < 2; i++)
        m->d[i] = t[i] / size;
}

/* Forces go along z, which changes no acceleration, until that of one contact is zero, or its friction at its limit. */
static bool exchange(balance *b, basis *modes)
{
    double way = HUGE_VAL, change[3];
    int first = -1;

    for (int sign = 0; sign < 2; sign++) {
        for (int j = 0; j < modes->n && sign; j++)
            modes->z[j] = -modes->z[j];
        for (int k = 0; k < b->n && (!sign || first < 0); k++) {
            change_of(b, modes, k, change);
            const double s = way_to_cone(b, k, change);
            if (b->f[k * b->dim] > 0.0 && s < way) {
                way = s;
                first = k;
            }
        }
        if (first >= 0)
            break;
    }
    if (first >= 0)
        go(b, modes, first, way);
    return first >= 0;
}

/* Members that carry nothing but rounding. */
static void drop_unloaded(balance *b)
{
    double largest = 0.0;

    for (int k = 0; k < b->n; k++)
        largest = fmax(largest, b->f[k * b->dim]);
    for (int k = 0; k < b->n; k++)
        if (b->f[k * b->dim] <= NO_FORCE * largest)
            memset(b->f + k * b->dim, 0, (size_t)b->dim * sizeof *b->f);
}

/* Whether `row` cannot move while the rows `held` do not: W_rr - W_rh W_hh^-1 W_hr = 0. */
static phx_status is_held(phx_context *context, const balance *b, int row, int n_held, const int *held, bool *out)
{
    const size_t n = (size_t)n_held;
    double *room = phx_calloc(context, n * (n + 2), sizeof *room), *w = phx_behind(room, n * n),
           *x = phx_behind(room, n * n + n);
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;
    const double own = b->response.W[row * (b->rows + 1)];
    double left = own;

    for (int i = 0; i < n_held && !status; i++) {
        w[i] = b->response.W[row * b->rows + held[i]];
        for (int j = 0; j < n_held; j++)
            room[i * n_held + j] = b->response.W[held[i] * b->rows + held[j]];
    }
    if (!status && n_held > 0)
        status = phx_dense_least_norm(context, n_held, n_held, room, 1, w, DEPENDENT, x, NULL);
    for (int i = 0; i < n_held && !status; i++)
        left -= w[i] * x[i];
    *out = left <= DEPENDENT * own;
    phx_free(room);
    return status;
}

/* Whether the gaps of the contacts that push depend on each other. */
static phx_status gaps_depend(phx_context *context, const balance *b, int *room, bool *out)
{
    int count = 0;
    phx_status status = PHX_OK;

    *out = false;
    for (int k = 0; k < b->n && !*out && !status; k++)
        if (b->f[k * b->dim] > 0.0) {
            status = is_held(context, b, k * b->dim, count, room, out);
            room[count++] = k * b->dim;
        }
    return status;
}

/* The vector of the null space, of `count`, with the largest part along normals, into z; false: none has any. */
static bool take_normal(basis *modes, int count, const double *null)
{
    static const double ALONG_NORMALS = 1e-6; /* the least part of a vector of length 1 */
    double most = ALONG_NORMALS;
    int best = -1;

    for (int c = 0; c < count; c++) {
        double sum = 0.0;
        for (int j = 0; j < modes->n; j++)
            sum += modes->of[j].i == 0 ? fabs(null[j * count + c]) : 0.0;
        if (sum > most) {
            most = sum;
            best = c;
        }
    }
    for (int j = 0; j < modes->n && best >= 0; j++)
        modes->z[j] = null[j * count + best];
    return best >= 0;
}

/* z with the least change of the parts of friction, by what changes friction alone: the columns T of z across. */
static phx_status keep_parts(phx_context *context, const balance *b, basis *modes)
{
    const size_t n = (size_t)modes->n, held = (size_t)modes->n_held;
    int *of = phx_calloc(context, n, sizeof *of), count = 0, rank = 0;
    double *room = phx_calloc(context, n * held + n * n + 2 * n, sizeof *room), *T = NULL;
    double *A = room, *M = A + n * held, *rest = M + n * n, *y = rest + n, part[3];
    phx_status status = of && room ? PHX_OK : PHX_ERR_MEMORY;

    for (int j = 0; j < modes->n && !status; j++)
        if (modes->of[j].i > 0)
            of[count++] = j;
    for (int r = 0; r < modes->n_held && !status; r++)
        for (int c = 0; c < count; c++)
            A[r * count + c] = modes->A[r * modes->n + of[c]];
    if (!status && count > 0)
        status = phx_dense_nullspace(context, modes->n_held, count, A, DEPENDENT, &rank, &T);
    const int free_count = status ? 0 : count - rank;
    for (int c = 0; c < count && free_count > 0; c++) { /* (z_t - f_t/f_n z_n)/sqrt(mu f_n) */
        const unknown u = modes->of[of[c]];
        const double *f = b->f + u.k * b->dim, weight = sqrt(b->member[u.k].friction * f[0]);
        change_of(b, modes, u.k, part);
        rest[c] = -(part[u.i] - f[u.i] / f[0] * part[0]) / weight;
        for (int j = 0; j < free_count; j++)
            M[c * free_count + j] = T[c * free_count + j] / weight;
    }
    if (free_count > 0)
        status = phx_dense_least_norm(context, count, free_count, M, 1, rest, 0.0, y, NULL);
    for (int c = 0; c < count && free_count > 0 && !status; c++)
        for (int j = 0; j < free_count; j++)
            modes->z[of[c]] += T[c * free_count + j] * y[j];
    phx_free(T);
    phx_free(room);
    phx_free(of);
    return status;
}

/* Removes one redundant contact or friction component if the loaded ones depend linearly on each other: moves along the
 * null vector until a force vanishes or reaches its limit. *again means that another pass may remove more. */
static phx_status reduce_once(phx_context *context, balance *b, basis *modes, bool *again)
{
    double *null = NULL;
    int rank = 0;
    phx_status status = gaps_depend(context, b, modes->held, again);

    if (status || !*again)
        return status;
    *again = false;
    set_basis(b, modes);
    status = phx_dense_nullspace(context, modes->n_held, modes->n, modes->A, DEPENDENT, &rank, &null);
    if (!status && rank < modes->n && take_normal(modes, modes->n - rank, null)) {
        status = keep_parts(context, b, modes);
        *again = !status && exchange(b, modes);
        drop_unloaded(b);
    }
    phx_free(null);
    return status;
}

/* Reduces redundant contacts to as many as carry the load independently; slipping that begins is fixed in direction
 * first. */
static phx_status resting_reduce(phx_context *context, balance *b)
{
    const size_t rows = (size_t)b->rows;
    basis modes = {.of = phx_calloc(context, rows, sizeof *modes.of),
                   .held = phx_calloc(context, rows, sizeof *modes.held),
                   .A = phx_calloc(context, rows * rows, sizeof *modes.A),
                   .z = phx_calloc(context, rows, sizeof *modes.z)};
    phx_status status = modes.of && modes.held && modes.A && modes.z ? PHX_OK : PHX_ERR_MEMORY;

    drop_unloaded(b);
    for (int k = 0; k < b->n; k++) { /* what begins to slip is at its limit, and not held there */
        member *m = &b->member[k];
        const double a[2] = {across(b, b->a, k, 0), across(b, b->a, k, 1)};
        const double f[2] = {across(b, b->f, k, 0), across(b, b->f, k, 1)};
        if (m->moves || m->friction == 0.0 || b->f[k * b->dim] == 0.0 || resting_length(a) <= ROUNDING * b->largest)
            continue;
        m->moves = true;
        for (int i = 0; i < 2; i++)
            m->d[i] = resting_length(f) > 0.0 ? f[i] / resting_length(f) : 0.0;
    }
    bool again = true;
    for (int pass = 0; pass < 2 * b->rows && again && !status; pass++)
        status = reduce_once(context, b, &modes, &again);
    for (int k = 0; k < b->n; k++)
        b->member[k].at_limit = false;
    if (!status)
        status = centre(context, b);
    phx_free(modes.of);
    phx_free(modes.held);
    phx_free(modes.A);
    phx_free(modes.z);
    return status;
}

/* ---- modes ---- */
/* The friction of a member that does not slip sticks along the coordinates that are not held by those that stick
 * already; where all are, it leans. The rows that stick are added to `held`. */
static phx_status stick_or_lean(phx_context *context, const balance *b, int k, int *n_held, int *held,
                                contact_mode *mode)
{
    const double f[2] = {across(b, b->f, k, 0), across(b, b->f, k, 1)}, all = b->member[k].slipping * b->f[k * b->dim];
    phx_status status = PHX_OK;

    for (int i = 1; i < b->dim && !status; i++) {
        bool is = false;
        status = is_held(context, b, k * b->dim + i, *n_held, held, &is);
        if (!is)
            held[(*n_held)++] = k * b->dim + i;
        else if (all > 0.0)
            mode->slip[i - 1] = -f[i - 1] / all;
        mode->holds[i - 1] = !is;
        mode->sticks = mode->sticks || !is;
    }
    mode->leans = !mode->sticks;
    return status;
}

static phx_status set_friction(const events_run *run, const balance *b, int k, int *n_held, int *held,
                               contact_mode *modes)
{
    const member *m = &b->member[k];
    contact_mode *mode = &modes[m->contact];

    if (run->contacts.contact[m->contact].dry < 0 || !mode->closed)
        return PHX_OK;
    if (!m->moves)
        return stick_or_lean(run->context, b, k, n_held, held, mode);
    for (int i = 0; i < 2; i++)
        mode->slip[i] = -m->d[i];
    return PHX_OK;
}

/* A contact that carries nothing and does not part is spare where others hold its gap. */
static phx_status set_unloaded(const events_run *run, const balance *b, double small, int k, int *n_held, int *held,
                               contact_mode *modes)
{
    const member *m = &b->member[k];
    contact_mode *mode = &modes[m->contact];
    const int row = k * b->dim;

    if (mode->closed || fabs(m->rate) > small || fabs(b->a[row]) > ROUNDING * b->largest)
        return PHX_OK;
    const phx_status status = is_held(run->context, b, row, *n_held, held, &mode->spare);
    mode->closed = !status && !mode->spare && m->takes_part;
    if (mode->closed)
        held[(*n_held)++] = row;
    return status;
}

/* Modes of the contacts from the balance: closed, open, spare or leaning, with sticking and slip directions. */
static phx_status set_modes(const events_run *run, const balance *b, double small, contact_mode *modes)
{
    int *held = phx_calloc(run->context, (size_t)b->rows, sizeof *held), n_held = 0;
    phx_status status = held ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < b->n && !status; k++) {
        modes[b->member[k].contact] =
            (contact_mode){.acceleration = b->a[k * b->dim], .closed = b->f[k * b->dim] > 0.0};
        if (b->f[k * b->dim] > 0.0)
            held[n_held++] = k * b->dim;
    }
    for (int k = 0; k < b->n && !status; k++)
        status = set_unloaded(run, b, small, k, &n_held, held, modes);
    for (int k = 0; k < b->n && !status; k++)
        status = set_friction(run, b, k, &n_held, held, modes);
    phx_free(held);
    return status;
}

/* Determines the modes of all touching contacts from their forces and accelerations at the present state. *found is
 * false if no forces satisfy the laws. */
phx_status phx_contacts_balance(const events_run *run, const bool *touches, const contact_question *asked,
                                const phx_dry_friction *before, contact_mode *modes, bool *found)
{
    mechanism *s = run->s;
    balance b = {0};
    phx_status status = balance_create(run, touches, &b);

    *found = true;
    if (!status && b.n > 0)
        status = phx_system_contact_response(s->dae, s->t, s->x, s->v, b.n, b.which, &b.response);
    if (!status)
        set_members(run, asked, &b);
    if (!status)
        status = find_agreeing(run, asked, &b);
    if (!status && let_go(run, asked, before, &b))
        status = find_agreeing(run, asked, &b);
    if (status == PHX_ERR_ANALYSIS) {
        phx_context_clear(run->context);
        *found = false;
        status = PHX_OK;
    } else if (!status) {
        status = resting_reduce(run->context, &b);
        if (!status)
            status = set_modes(run, &b, asked->small, modes);
    }
    balance_free(&b);
    return status;
}
