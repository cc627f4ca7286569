/* Laws f(x) in cubic pieces with exact potentials; docs/theory-forces.md, (F1) to (F4). */
#include "law.h"

#include "algebra/algebra.h"

#include <math.h>

enum { MOST_PIECES = 20000, DEEPEST = 46, LEAST_PIECES = 8 };
static const double tolerance = 1e-10;
static const double SMALL_VALUE = 1e-2; /* part of the largest |f|: the error of smaller values is measured by it */

/* ---- making ---- */
typedef double law_function(const void *data, double x);

typedef struct law_builder {
    phx_context *context;
    law_function *f;
    const void *data;
    double size; /* largest |f| on the range */
    phx_law *law;
    int capacity;
} law_builder;

static double signal_law(const void *data, double x)
{
    return phx_signal_value(data, x);
}

typedef struct gas {
    double force, length, exponent;
} gas;

static double gas_law(const void *data, double x)
{
    const gas *gas_force = data;
    return -gas_force->force * pow(gas_force->length / (gas_force->length + x), gas_force->exponent);
}

static phx_status add_piece(law_builder *b, const law_piece *piece)
{
    phx_law *law = b->law;
    if (law->n == b->capacity) {
        const int capacity = 2 * b->capacity + 16;
        law_piece *more = phx_realloc(b->context, law->pieces, (size_t)capacity, sizeof *more);
        if (!more)
            return PHX_ERR_MEMORY;
        law->pieces = more;
        b->capacity = capacity;
    }
    law->pieces[law->n++] = *piece;
    return PHX_OK;
}

static double piece_value(const law_piece *p, double x)
{
    const double d = x - p->from;
    return p->c[0] + d * (p->c[1] + d * (p->c[2] + d * p->c[3]));
}

static double piece_slope(const law_piece *p, double x)
{
    const double d = x - p->from;
    return p->c[1] + d * (2.0 * p->c[2] + d * 3.0 * p->c[3]);
}

/* (F2)  V(x) = V(from) + c0 d + c1 d^2/2 + c2 d^3/3 + c3 d^4/4 */
static double piece_potential(const law_piece *p, double x)
{
    const double d = x - p->from;
    return p->V + d * (p->c[0] + d * (p->c[1] / 2.0 + d * (p->c[2] / 3.0 + d * p->c[3] / 4.0)));
}

/* The piece that x lies in. */
static int find_piece(const phx_law *law, double x)
{
    int low = 0, high = law->n - 1; /* pieces[low].low <= x < pieces[high + 1].low */

    if (!(x >= law->pieces[1].low))
        return 0;
    low = 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (law->pieces[middle].low <= x)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The cubic through f at from, from + w/3, from + 2w/3, from + w (Newton's form expanded). */
static law_piece cubic_through(double from, double w, const double f[4])
{
    const double u = w / 3.0, a = (f[1] - f[0]) / u, b = (f[2] - 2.0 * f[1] + f[0]) / (2.0 * u * u);
    const double c = (f[3] - 3.0 * f[2] + 3.0 * f[1] - f[0]) / (6.0 * u * u * u);
    return (law_piece){.from = from, .c = {f[0], a - b * u + 2.0 * c * u * u, b - 3.0 * c * u, c}};
}

static phx_status law_sample(law_builder *b, double x, double *f)
{
    *f = b->f(b->data, x);
    if (isfinite(*f))
        return PHX_OK;
    return phx_fail(b->context, PHX_ERR_ARGUMENT, "a law is %g at x = %.9g; it must be finite in its whole range", *f,
                    x);
}

/* Cubic pieces on [from, to], halved until they agree with f between their points. */
static phx_status approximate(law_builder *b, double from, double to, int depth)
{
    static const double between[] = {1.0 / 6.0, 0.5, 5.0 / 6.0};
    const double w = to - from;
    double f[4], most = 0.0, error = 0.0;

    for (int i = 0; i < 4; i++) {
        const phx_status status = law_sample(b, i == 3 ? to : from + w * i / 3.0, &f[i]);
        if (status)
            return status;
        most = fmax(most, fabs(f[i]));
    }
    const double back[4] = {f[3], f[2], f[1], f[0]};
    law_piece piece = to <= 0.0 ? cubic_through(to, -w, back) : cubic_through(from, w, f);
    piece.low = from;
    for (int i = 0; i < 3; i++) {
        double exact;
        const phx_status status = law_sample(b, from + w * between[i], &exact);
        if (status)
            return status;
        error = fmax(error, fabs(piece_value(&piece, from + w * between[i]) - exact));
    }
    if (error <= tolerance * (most + SMALL_VALUE * b->size))
        return add_piece(b, &piece);
    if (depth == DEEPEST || b->law->n >= MOST_PIECES || from + 0.5 * w == from || from + 0.5 * w == to)
        return phx_fail(b->context, PHX_ERR_INPUT,
                        "a law cannot be followed near x = %.9g; it must not jump or turn too often", from);
    const phx_status status = approximate(b, from, from + 0.5 * w, depth + 1);
    return status ? status : approximate(b, from + 0.5 * w, to, depth + 1);
}

/* The potential of a piece is that of another one at x. */
static void match(law_piece *piece, const law_piece *other, double x)
{
    piece->V = 0.0;
    piece->V = piece_potential(other, x) - piece_potential(piece, x);
}

/* Lines beyond the ends, and the potentials of all pieces. */
static phx_status close_law(law_builder *b, double to)
{
    phx_law *law = b->law;
    const law_piece first = law->pieces[0], last = law->pieces[law->n - 1];
    const law_piece ahead = {
        .low = first.low, .from = first.low, .c = {piece_value(&first, first.low), piece_slope(&first, first.low)}};
    const law_piece behind = {.low = to, .from = to, .c = {piece_value(&last, to), piece_slope(&last, to)}};
    phx_status status = add_piece(b, &behind);

    if (!status)
        status = add_piece(b, &ahead);
    if (status)
        return status;
    for (int i = law->n - 1; i > 0; i--) /* to the front */
        law->pieces[i] = law->pieces[i - 1];
    law->pieces[0] = ahead;
    /* from V(0) = 0 to both sides, so that it is small where the law is; both lines at an end begin at its knot */
    const int middle = find_piece(law, 0.0);
    law->pieces[middle].V = -piece_potential(&law->pieces[middle], 0.0);
    for (int i = middle + 1; i < law->n; i++)
        match(&law->pieces[i], &law->pieces[i - 1], law->pieces[i].low);
    for (int i = middle - 1; i >= 0; i--)
        match(&law->pieces[i], &law->pieces[i + 1], law->pieces[i + 1].low);
    return PHX_OK;
}

/* Approximates the function between the knots by cubic pieces, at least LEAST_PIECES between two knots, refined until
 * each meets the tolerance relative to the largest of 65 samples. */
static phx_status law_make(law_builder *b, int n_knots, const double *knots)
{
    phx_status status = PHX_OK;

    for (int i = 0; i <= 64 && !status; i++) {
        double f;
        status = law_sample(b, knots[0] + (knots[n_knots - 1] - knots[0]) * i / 64.0, &f);
        b->size = fmax(b->size, fabs(f));
    }
    for (int i = 0; i + 1 < n_knots && !status; i++)
        for (int k = 0; k < LEAST_PIECES && !status; k++) {
            const double w = knots[i + 1] - knots[i];
            status = approximate(b, knots[i] + w * k / LEAST_PIECES,
                                 k + 1 == LEAST_PIECES ? knots[i + 1] : knots[i] + w * (k + 1) / LEAST_PIECES, 0);
        }
    return status ? status : close_law(b, knots[n_knots - 1]);
}

/* Makes the pieces of a table exactly: straight lines between its points, each expanded about the end nearer to x =
 * 0. */
static phx_status law_make_table(law_builder *b, const phx_signal *f)
{
    const double *x = NULL, *values = NULL;
    const int n = phx_signal_points(f, &x, &values);
    phx_status status = PHX_OK;

    for (int i = 0; i + 1 < n && !status; i++) {
        const int near = x[i + 1] <= 0.0 ? i + 1 : i;
        const double slope = (values[i + 1] - values[i]) / (x[i + 1] - x[i]);
        status = add_piece(b, &(law_piece){.low = x[i], .from = x[near], .c = {values[near], slope}});
    }
    if (n == 1)
        status = add_piece(b, &(law_piece){.low = x[0], .from = x[0], .c = {values[0]}});
    return status ? status : close_law(b, x[n - 1]);
}

static phx_status law_finish(law_builder *b, phx_status status, phx_law **law)
{
    if (status)
        phx_law_destroy(b->law);
    else
        *law = b->law;
    return phx_conclude(b->context, status);
}

/* low, the signal's breaks between, high */
static phx_status make_function(law_builder *b, const phx_signal *f, double low, double high)
{
    enum { MOST = 66 };
    double knots[MOST];
    int n = 0;

    if (!(low < high) || !isfinite(low) || !isfinite(high))
        return phx_fail(b->context, PHX_ERR_ARGUMENT, "the range of a law is [%g, %g]; it must ascend", low, high);
    knots[n++] = low;
    for (double x = phx_signal_next_break(f, low); x < high && n < MOST - 1; x = phx_signal_next_break(f, x))
        knots[n++] = x;
    knots[n++] = high;
    return law_make(b, n, knots);
}

phx_status phx_law_create(phx_context *context, const phx_signal *f, double low, double high, phx_law **law)
{
    if (!f || !law)
        return phx_fail_null(context, __func__, "f or law");
    law_builder b = {.context = context, .f = signal_law, .data = f, .law = phx_calloc(context, 1, sizeof *b.law)};
    if (!b.law)
        return PHX_ERR_MEMORY;
    return law_finish(
        &b, phx_signal_points(f, NULL, NULL) > 0 ? law_make_table(&b, f) : make_function(&b, f, low, high), law);
}

/* Creates the law of a gas spring with the force at x = 0, the length of the gas column and the polytropic exponent, as
 * cubic pieces between -0.98 and 10 lengths. */
phx_status phx_law_create_gas(phx_context *context, double force, double length, double exponent, phx_law **law)
{
    if (!law)
        return phx_fail_null(context, __func__, "law");
    if (!(force > 0.0) || !(length > 0.0) || !(exponent > 0.0) || !isfinite(force + length + exponent))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "force %g, length %g and exponent %g of a gas spring must be finite and greater than 0", force,
                        length, exponent);
    const gas data = {force, length, exponent};
    const double knots[] = {-0.98 * length, -0.9 * length, -0.5 * length, 0.0, 10.0 * length};
    law_builder b = {.context = context, .f = gas_law, .data = &data, .law = phx_calloc(context, 1, sizeof *b.law)};
    if (!b.law)
        return PHX_ERR_MEMORY;
    return law_finish(&b, law_make(&b, sizeof knots / sizeof *knots, knots), law);
}

void phx_law_destroy(phx_law *law)
{
    if (!law)
        return;
    phx_free(law->pieces);
    phx_free(law);
}

/* ---- asking ---- */
double phx_law_value(const phx_law *law, double x)
{
    return law ? piece_value(&law->pieces[find_piece(law, x)], x) : 0.0;
}

double phx_law_potential(const phx_law *law, double x)
{
    return law ? piece_potential(&law->pieces[find_piece(law, x)], x) : 0.0;
}

/* Simpson's rule is exact for cubics: (F3) the share of a piece in the mean, and (F4) in its derivative, whose
 * integrand s f'(x0 + s D) is a cubic too. */
static void add_stretch(const law_piece *p, double a, double b, double x0, double D, phx_law_mean_value *mean)
{
    const double at[] = {a, 0.5 * (a + b), b}, weight[] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
    const double share = D == 0.0 ? 1.0 : (b - a) / D;

    for (int i = 0; i < 3; i++) {
        mean->value += share * weight[i] * piece_value(p, at[i]);
        mean->slope += share * weight[i] * piece_slope(p, at[i]) * (D == 0.0 ? 0.5 : (at[i] - x0) / D);
    }
}

phx_law_mean_value phx_law_mean(const phx_law *law, double x0, double x1)
{
    phx_law_mean_value mean = {0.0, 0.0};
    const int first = find_piece(law, x0), last = find_piece(law, x1), step = last >= first ? 1 : -1;
    double from = x0;

    for (int i = first; i != last; i += step) { /* to the knot between this piece and the next */
        const double knot = law->pieces[step > 0 ? i + 1 : i].low;
        add_stretch(&law->pieces[i], from, knot, x0, x1 - x0, &mean);
        from = knot;
    }
    add_stretch(&law->pieces[last], from, x1, x0, x1 - x0, &mean);
    return mean;
}

/* ---- archives ---- */
void phx_law_archive(phx_archive *archive, phx_law **law)
{
    const bool reads = phx_archive_reads(archive);
    bool there = !reads && *law;

    phx_archive_bool(archive, &there);
    if (reads)
        *law = NULL;
    if (!there)
        return;
    phx_law *rule = reads ? phx_calloc(phx_archive_context(archive), 1, sizeof *rule) : *law;
    if (!rule) {
        phx_archive_fail(archive, PHX_ERR_MEMORY);
        return;
    }
    phx_archive_count(archive, &rule->n);
    if (rule->n < 1)
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT, "a law has no pieces"));
    if (reads) {
        rule->pieces = phx_calloc(phx_archive_context(archive), (size_t)rule->n, sizeof *rule->pieces);
        phx_archive_fail(archive, rule->pieces ? PHX_OK : PHX_ERR_MEMORY);
    }
    for (int k = 0; k < rule->n && rule->pieces; k++) {
        phx_archive_double(archive, &rule->pieces[k].low);
        phx_archive_double(archive, &rule->pieces[k].from);
        phx_archive_doubles(archive, 4, rule->pieces[k].c);
        phx_archive_double(archive, &rule->pieces[k].V);
    }
    *law = rule;
}
