/* Columns as functions of time: reading, interpolation, differences and their norms. */
#include "timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAME_INSTANT = 1e-12; /* instants that differ by less, relative to the times, are one */

/* ---- reading ---- */

/* The column that has the derivative of a column: NAME_rate, of the same component and the unit per second; -1: none.
 */
static int find_rate(const phx_plot_source *source, int column)
{
    const char *name = phx_plot_source_name(source, column), *unit = phx_plot_source_unit(source, column);
    const size_t stem = phx_plot_stem(name);
    char text[PHX_PLOT_TEXT], wanted[PHX_PLOT_TEXT];

    snprintf(text, sizeof text, "%.*s_rate%s", (int)stem, name, name + stem);
    const int rate = phx_plot_source_find(source, text);
    const bool is_rate = strlen(unit) > 2 && strcmp(unit + strlen(unit) - 2, "/s") == 0;
    snprintf(wanted, sizeof wanted, is_rate ? "%s^2" : unit[0] ? "%s/s" : "%s1/s", unit);
    return rate >= 0 && (!source->result || strcmp(phx_plot_source_unit(source, rate), wanted) == 0) ? rate : -1;
}

static phx_status read_values(const phx_plot_source *source, int column, double **values)
{
    *values = phx_calloc(source->context, source->rows, sizeof **values);
    return *values ? phx_plot_source_read(source, column, 0, source->rows, *values) : PHX_ERR_MEMORY;
}

/* Reads time, values and rate, and checks that the times ascend. */
phx_status phx_timeline_read(const phx_plot_source *source, const char *path, int column, phx_timeline *line)
{
    const int rate = find_rate(source, column);
    *line = (phx_timeline){.rows = source->rows};
    phx_status status = read_values(source, 0, &line->t);
    if (!status)
        status = read_values(source, column, &line->y);
    if (!status && rate >= 0)
        status = read_values(source, rate, &line->rate);
    for (size_t i = 1; i < line->rows && !status; i++)
        if (!(line->t[i] >= line->t[i - 1]))
            status = phx_fail(source->context, PHX_ERR_INPUT,
                              "%s: its times do not ascend: row %zu has %.17g s behind %.17g s", path,
                              source->first + i + 1, line->t[i], line->t[i - 1]);
    if (!status && line->rows == 0)
        status = phx_fail(source->context, PHX_ERR_INPUT, "%s: it has no rows", path);
    if (status)
        phx_timeline_free(line);
    return status;
}

void phx_timeline_free(phx_timeline *line)
{
    phx_free(line->t);
    phx_free(line->y);
    phx_free(line->rate);
    *line = (phx_timeline){0};
}

/* ---- pieces ---- */

/* A cubic of s from 0 to 1: c0 + c1 s + c2 s² + c3 s³. */
typedef struct cubic_piece {
    double c[4];
} cubic_piece;

static double piece_at(const cubic_piece *piece, double s)
{
    return piece->c[0] + s * (piece->c[1] + s * (piece->c[2] + s * piece->c[3]));
}

/* The cubic with values y and slopes m, both over s, at its ends. */
static cubic_piece hermite(double y0, double m0, double y1, double m1)
{
    const double rise = y1 - y0;
    return (cubic_piece){{y0, m0, 3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise}};
}

/* Between rows i and i + 1 of a line. */
static cubic_piece piece_between(const phx_timeline *line, size_t i)
{
    const double *y = line->y + i, h = line->t[i + 1] - line->t[i];
    if (!line->rate)
        return (cubic_piece){{y[0], y[1] - y[0], 0.0, 0.0}};
    return hermite(y[0], h * line->rate[i], y[1], h * line->rate[i + 1]);
}

/* Value and derivative at an instant between rows i and i + 1; those of the nearer row outside. */
static double timeline_value(const phx_timeline *line, size_t i, double t, double *slope)
{
    const cubic_piece piece = piece_between(line, i);
    const double h = line->t[i + 1] - line->t[i], s = fmin(fmax((t - line->t[i]) / h, 0.0), 1.0);
    *slope = (piece.c[1] + s * (2.0 * piece.c[2] + 3.0 * s * piece.c[3])) / h;
    return s < 1.0 ? piece_at(&piece, s) : line->y[i + 1];
}

/* The last value at an instant, behind a jump. */
static double value_behind(const phx_timeline *line, double t, double same)
{
    size_t k = line->rows - 1;
    double slope;
    while (k > 0 && line->t[k] > t + same)
        k--;
    return k + 1 == line->rows || line->t[k] >= t - same ? line->y[k] : timeline_value(line, k, t, &slope);
}

/* ---- norms ---- */
static void take_largest(phx_norms *norms, double d, double t)
{
    if (fabs(d) <= norms->largest)
        return;
    norms->largest = fabs(d);
    norms->at = t;
}

/* ∫ d² ds over a piece, from 0 to 1. */
static double integrate_square(const cubic_piece *piece)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            sum += piece->c[i] * piece->c[k] / (i + k + 1);
    return fmax(sum, 0.0);
}

/* The largest |d| of a piece from t to next: at its ends, and where c1 + 2 c2 s + 3 c3 s² = 0. */
static void take_piece(phx_norms *norms, const cubic_piece *piece, double t, double next)
{
    const double c1 = piece->c[1], c2 = piece->c[2], c3 = 3.0 * piece->c[3], discriminant = c2 * c2 - c3 * c1;
    const double q = -(c2 + copysign(sqrt(fmax(discriminant, 0.0)), c2)), roots[] = {c1 / q, q / c3};
    take_largest(norms, piece->c[0], t);
    for (int k = 0; k < 2 && discriminant > 0.0; k++)
        if (roots[k] > 0.0 && roots[k] < 1.0)
            take_largest(norms, piece_at(piece, roots[k]), t + roots[k] * (next - t));
    take_largest(norms, piece_at(piece, 1.0), next);
}

static void timeline_add(phx_timeline *line, double t, double y)
{
    if (!line || (line->rows && line->t[line->rows - 1] == t && line->y[line->rows - 1] == y))
        return;
    line->t[line->rows] = t;
    line->y[line->rows++] = y;
}

/* Row i such that an instant is before row i + 1 and not before row i, of rows whose times differ. */
static size_t timeline_advance(const phx_timeline *line, size_t i, double t)
{
    while (i + 2 < line->rows && line->t[i + 1] <= t)
        i++;
    return i;
}

/* Walks over the instants of both timelines; the piece between two is one cubic of each. */
static void subtract_pieces(const phx_timeline *other, const phx_timeline *reference, double same, phx_norms *norms,
                            phx_timeline *difference)
{
    double sum = 0.0, slope_a, slope_b, end_a, end_b;
    size_t i = 0, k = 0;

    for (double t = norms->from, next; t < norms->to; t = next) {
        i = timeline_advance(other, i, t + same);
        k = timeline_advance(reference, k, t + same);
        next = fmin(other->t[i + 1], reference->t[k + 1]);
        next = next < norms->to - same ? next : norms->to;
        const double h = next - t;
        const double d = timeline_value(other, i, t, &slope_a) - timeline_value(reference, k, t, &slope_b);
        const double end = timeline_value(other, i, next, &end_a) - timeline_value(reference, k, next, &end_b);
        const cubic_piece piece = other->rate || reference->rate
                                      ? hermite(d, h * (slope_a - slope_b), end, h * (end_a - end_b))
                                      : (cubic_piece){{d, end - d, 0.0, 0.0}};
        take_piece(norms, &piece, t, next);
        sum += h * integrate_square(&piece);
        timeline_add(difference, t, d);
        timeline_add(difference, next, end);
    }
    norms->rms = norms->to > norms->from ? sqrt(sum / (norms->to - norms->from)) : fabs(norms->end);
}

/* Over the time that both have; at its end the values behind a jump count too. */
phx_status phx_timeline_subtract(phx_context *context, const phx_timeline *other, const phx_timeline *reference,
                                 phx_norms *norms, phx_timeline *difference)
{
    const double from = fmax(other->t[0], reference->t[0]);
    const double to = fmin(other->t[other->rows - 1], reference->t[reference->rows - 1]);
    const double same = SAME_INSTANT * fmax(fabs(from), fabs(to));

    *norms = (phx_norms){.from = from, .to = to, .at = from};
    if (difference) {
        const size_t room = 2 * (other->rows + reference->rows) + 1;
        *difference = (phx_timeline){.t = phx_calloc(context, room, sizeof *difference->t),
                                     .y = phx_calloc(context, room, sizeof *difference->y)};
        if (!difference->t || !difference->y) {
            phx_timeline_free(difference);
            return PHX_ERR_MEMORY;
        }
    }
    if (from > to)
        return PHX_OK;
    norms->end = value_behind(other, to, same) - value_behind(reference, to, same);
    subtract_pieces(other, reference, same, norms, difference);
    take_largest(norms, norms->end, to);
    timeline_add(difference, to, norms->end);
    return PHX_OK;
}
