/* Ranges, ticks and thinning for charts. */
#include "chart.h"

#include <math.h>

enum { MOST_DECADES = 24 };
static const double LARGEST = 1e300;   /* values beyond are drawn there, so that differences stay finite */
static const double ROUNDING = 1e-9;   /* of numbers of steps, of powers of ten and of mantissas */
static const double ALL_ZERO = 1e-290; /* a range of smaller values is one of zeros */
static const double NARROW = 1e-9;     /* width of a range, relative to its values */

phx_range phx_range_none(void)
{
    return (phx_range){1.0, -1.0, 0.0};
}

void phx_range_add(phx_range *range, double value)
{
    if (!isfinite(value))
        return;
    value = fmin(fmax(value, -LARGEST), LARGEST);
    const bool none = range->low > range->high;
    range->low = none ? value : fmin(range->low, value);
    range->high = none ? value : fmax(range->high, value);
    const double size = fabs(value);
    if (size > 0.0 && (range->smallest == 0.0 || size < range->smallest))
        range->smallest = size;
}

/* The smallest of 1, 2, 5 times a power of ten that is not below `value`. */
static double nice_step(double value)
{
    const double power = pow(10.0, floor(log10(value)));
    const double mantissa = value / power;
    return (mantissa <= 1.0 + ROUNDING   ? 1.0
            : mantissa <= 2.0 + ROUNDING ? 2.0
            : mantissa <= 5.0 + ROUNDING ? 5.0
                                         : 10.0) *
           power;
}

/* A range that is empty, or too narrow for its values to tell apart, is widened. */
static void widen(phx_range *range)
{
    if (range->low > range->high)
        *range = (phx_range){0.0, 1.0, 0.0};
    const double size = fmax(fabs(range->low), fabs(range->high));
    if (size < ALL_ZERO) {
        range->low = -1.0;
        range->high = 1.0;
    } else if (range->high - range->low < NARROW * size) {
        range->low -= 0.1 * size;
        range->high += 0.1 * size;
    }
}

/* A linear axis with ticks at multiples of `step`, extended to them with `grow`; large and small numbers share an
 * exponent. */
static phx_axis with_step(phx_range range, double step, bool grow)
{
    phx_axis axis = {.logarithmic = false};
    axis.low = grow ? step * floor(range.low / step + ROUNDING) : range.low;
    axis.high = grow ? step * ceil(range.high / step - ROUNDING) : range.high;
    const double first = ceil(axis.low / step - ROUNDING);
    double largest = 0.0;
    while (axis.n_ticks < PHX_TICKS && (first + axis.n_ticks) * step <= axis.high + ROUNDING * step) {
        const double tick = (first + axis.n_ticks) * step;
        axis.ticks[axis.n_ticks++] = tick;
        largest = fmax(largest, fabs(tick));
    }
    const int size = largest > 0.0 ? (int)floor(log10(largest) + ROUNDING) : 0;
    axis.exponent = size > 4 || size < -2 ? size : 0;
    axis.decimals = axis.exponent - (int)floor(log10(step) + ROUNDING);
    if (axis.decimals < 0)
        axis.decimals = 0;
    return axis;
}

phx_axis phx_axis_linear(phx_range range, int wanted, bool grow, bool integers)
{
    widen(&range);
    const double step = nice_step((range.high - range.low) / wanted);
    return with_step(range, integers && step < 1.0 ? 1.0 : step, grow);
}

phx_axis phx_axis_degrees(phx_range range, int wanted)
{
    double step = 15.0;
    widen(&range);
    while (step * wanted < range.high - range.low) /* 15, 45, 90, 180 ... */
        step *= step == 15.0 ? 3.0 : 2.0;
    return with_step(range, step, true);
}

/* An axis in powers of ten over at most MOST_DECADES, with about `wanted` ticks. */
phx_axis phx_axis_logarithmic(phx_range range, int wanted, bool grow)
{
    phx_axis axis = {.logarithmic = true, .low = -16.0, .high = -15.0};
    if (range.smallest > 0.0) {
        const double low = log10(range.smallest), high = log10(fmax(fabs(range.low), fabs(range.high)));
        axis.high = ceil(high - ROUNDING);
        axis.low = fmax(floor(low + ROUNDING), axis.high - MOST_DECADES);
        if (axis.low >= axis.high)
            axis.low = axis.high - 1.0;
        if (!grow && floor(high + ROUNDING) >= ceil(low - ROUNDING) + 1.0) { /* two powers of ten at least lie within */
            axis.high = high;
            axis.low = fmax(low, axis.low);
        }
    }
    const double step = ceil((axis.high - axis.low) / wanted - ROUNDING);
    for (double tick = floor(axis.high + ROUNDING); tick >= axis.low - ROUNDING && axis.n_ticks < PHX_TICKS;
         tick -= step)
        axis.ticks[axis.n_ticks++] = tick;
    return axis;
}

double phx_axis_place(const phx_axis *axis, double value)
{
    value = fmin(fmax(value, -LARGEST), LARGEST);
    if (axis->logarithmic) {
        value = fabs(value);
        value = value > 0.0 ? fmax(log10(value), axis->low) : axis->low;
    }
    return (value - axis->low) / (axis->high - axis->low);
}

/* ---- thinning ---- */

enum { FIRST, SMALLEST, LARGEST_OF_ALL, LAST, KEPT };

size_t phx_thinner_room(size_t rows, size_t buckets)
{
    return rows <= KEPT * buckets ? rows : KEPT * (buckets + 1);
}

phx_thinner phx_thinner_start(phx_line *line, size_t rows, size_t buckets)
{
    line->count = 0;
    return (phx_thinner){.group = rows <= KEPT * buckets ? 1 : (rows + buckets - 1) / buckets, .line = line};
}

static void axis_keep(phx_thinner *thinner, int which, double x, double y)
{
    thinner->x[which] = x;
    thinner->y[which] = y;
    thinner->at[which] = thinner->row;
}

/* The kept points of a bucket in the order of their rows, each once. */
static void close_bucket(phx_thinner *thinner)
{
    const bool swapped = thinner->at[SMALLEST] > thinner->at[LARGEST_OF_ALL];
    const int order[KEPT] = {FIRST, swapped ? LARGEST_OF_ALL : SMALLEST, swapped ? SMALLEST : LARGEST_OF_ALL, LAST};
    for (int k = 0; k < KEPT; k++) {
        if (k > 0 && thinner->at[order[k]] == thinner->at[order[k - 1]])
            continue;
        thinner->line->x[thinner->line->count] = thinner->x[order[k]];
        thinner->line->y[thinner->line->count++] = thinner->y[order[k]];
    }
    thinner->seen = 0;
}

/* Adds a point to a bucket, which keeps its first, last, smallest and largest point and is closed when full. */
void phx_thinner_add(phx_thinner *thinner, double x, double y)
{
    if (thinner->seen == 0) {
        for (int k = 0; k < KEPT; k++)
            axis_keep(thinner, k, x, y);
    } else {
        axis_keep(thinner, LAST, x, y);
        if (y < thinner->y[SMALLEST])
            axis_keep(thinner, SMALLEST, x, y);
        if (y > thinner->y[LARGEST_OF_ALL])
            axis_keep(thinner, LARGEST_OF_ALL, x, y);
    }
    thinner->row++;
    if (++thinner->seen == thinner->group)
        close_bucket(thinner);
}

void phx_thinner_end(phx_thinner *thinner)
{
    if (thinner->seen > 0)
        close_bucket(thinner);
}
