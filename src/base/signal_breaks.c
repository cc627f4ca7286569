/* Breaks of a signal that its text does not tell: `sin(40*t) >= 0`, `max(0, cos(t))`. Its conditions are sampled, and
 * where one of them changes its sign the place is bracketed down to the last digit of t. */
#include "program.h"
#include "signal.h"

#include <math.h>
#include <stdlib.h>

/* Samples over the search, of which no number is a multiple of another: the changes of a condition are found when two
 * numbers of samples have as many of them. */
static const int samples[] = {1021, 4099, 16411, 65537};
enum { LEVELS = sizeof samples / sizeof *samples, MOST_CONDITIONS = 16 };
/* Changes nearer to a break than this, relative to the times, are at it. */
static const double SAME = 1e-12;

typedef struct search {
    phx_context *context;
    const phx_program *program;
    double from, to;
    int count, room; /* found so far */
    double *found;
} search;

/* The sign of condition k at t; NONE: it has none. */
enum { NONE = -2 };
static int sign_at(const search *hunt, int k, double t)
{
    const double variables[] = {t, 0.0};
    double condition[MOST_CONDITIONS];

    phx_program_conditions(hunt->program, variables, MOST_CONDITIONS, condition);
    return isnan(condition[k]) ? NONE : (condition[k] > 0.0) - (condition[k] < 0.0);
}

static phx_status signal_breaks_keep(search *hunt, double t)
{
    if (hunt->count == hunt->room) {
        const int room = 2 * hunt->room + 16;
        double *found = phx_realloc(hunt->context, hunt->found, (size_t)room, sizeof *found);
        if (!found)
            return PHX_ERR_MEMORY;
        hunt->found = found;
        hunt->room = room;
    }
    hunt->found[hunt->count++] = t;
    return PHX_OK;
}

/* The first double behind a at which condition k has no more the sign that it has there. */
static double change_between(const search *hunt, int k, int sign, double a, double b)
{
    for (double middle = 0.5 * (a + b); middle > a && middle < b; middle = 0.5 * (a + b))
        if (sign_at(hunt, k, middle) == sign)
            a = middle;
        else
            b = middle;
    return b;
}

/* The changes of condition k that `count` samples tell. */
static phx_status find_changes(search *hunt, int k, int count)
{
    const double h = (hunt->to - hunt->from) / count;
    double a = hunt->from;
    int sign = sign_at(hunt, k, a);
    phx_status status = PHX_OK;

    for (int i = 1; i <= count && !status; i++) {
        const double b = i == count ? hunt->to : hunt->from + i * h;
        const int next = sign_at(hunt, k, b);
        if (next != sign && next != NONE && sign != NONE)
            status = signal_breaks_keep(hunt, change_between(hunt, k, sign, a, b));
        a = b;
        sign = next;
    }
    return status;
}

/* A condition that changes faster than the finest samples tell has no breaks rather than some. */
static phx_status search_condition(search *hunt, int k)
{
    const int before = hunt->count;
    int found = -1;
    bool settled = false;
    phx_status status = PHX_OK;

    for (int level = 0; level < LEVELS && !settled && !status; level++) {
        hunt->count = before;
        status = find_changes(hunt, k, samples[level]);
        settled = hunt->count - before == found;
        found = hunt->count - before;
    }
    hunt->count = settled ? hunt->count : before;
    return status;
}

static int signal_breaks_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Those found that are not known become breaks. */
static phx_status merge(search *hunt, phx_signal *signal)
{
    const double same = SAME * fmax(fabs(hunt->from), fabs(hunt->to));
    const int known = signal->n_breaks, most = known + hunt->count;
    double *breaks = phx_calloc(hunt->context, (size_t)most + 1, sizeof *breaks);
    int n = 0;

    if (!breaks)
        return PHX_ERR_MEMORY;
    qsort(hunt->found, (size_t)hunt->count, sizeof *hunt->found, signal_breaks_compare);
    for (int i = 0, k = 0; i < known || k < hunt->count;) {
        const bool takes_known = i < known && (k == hunt->count || signal->breaks[i] <= hunt->found[k] + same);
        const double t = takes_known ? signal->breaks[i++] : hunt->found[k++];
        if (takes_known || n == 0 || t > breaks[n - 1] + same)
            breaks[n++] = t;
    }
    phx_free(signal->breaks);
    signal->breaks = breaks;
    signal->n_breaks = n;
    return PHX_OK;
}

/* Finds the breaks of an expression again if a parameter that moves them has changed. The signal keeps its old breaks
 * after a failure. */
phx_status phx_signal_renew_breaks(phx_context *context, phx_signal *signal, double from, double to)
{
    double found[PHX_PROGRAM_MOST_BREAKS];

    if (signal && signal->of)
        return phx_signal_renew_breaks(context, signal->of, from, to);
    if (!signal || signal->kind != SIGNAL_PROGRAM || !phx_program_has_changed(signal->program) ||
        !phx_program_conditions_move(signal->program))
        return PHX_OK;
    const int n = phx_program_breaks(signal->program, found);
    double *breaks = phx_calloc(context, (size_t)n, sizeof *breaks);
    if (!breaks)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        breaks[i] = found[i];
    double *const known = signal->breaks;
    const int n_known = signal->n_breaks;
    signal->breaks = breaks;
    signal->n_breaks = n;
    const phx_status status = phx_signal_find_breaks(context, signal, from, to);
    if (status) {
        phx_free(signal->breaks);
        signal->breaks = known;
        signal->n_breaks = n_known;
        return status;
    }
    phx_free(known);
    phx_program_note_parameters(signal->program);
    return PHX_OK;
}

/* Searches an interval for sign changes of the conditions of an expression and adds them to its breaks. Expressions
 * with too many conditions are left as they are. */
phx_status phx_signal_find_breaks(phx_context *context, phx_signal *signal, double from, double to)
{
    const double variables[] = {from, 0.0};
    double unread[MOST_CONDITIONS];
    phx_status status = PHX_OK;

    if (signal && signal->of)
        return phx_signal_find_breaks(context, signal->of, from, to);
    if (!signal || signal->kind != SIGNAL_PROGRAM || !(to > from))
        return PHX_OK;
    search hunt = {.context = context, .program = signal->program, .from = from, .to = to};
    const int n = phx_program_conditions(hunt.program, variables, MOST_CONDITIONS, unread);
    for (int k = 0; k < n && n <= MOST_CONDITIONS && !status; k++)
        status = search_condition(&hunt, k);
    if (!status && hunt.count > 0)
        status = merge(&hunt, signal);
    phx_free(hunt.found);
    return status;
}
