/* Identity of modes along a sweep. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* Least MAC with which a mode continues a branch of the neighbour, and one that was lost earlier. */
static const double active_mac = 0.05, lost_mac = 0.5;
/* Modes closer than this in frequency, relative, may have exchanged their shapes in part. */
static const double close_modes = 1e-3;

/* The branches known at a point, each with its latest shape. */
typedef struct branch_list {
    int n, count;
    int *number;
    bool *active;           /* seen at this point */
    double complex *shapes; /* count x n */
} branch_list;

struct phx_tracker {
    phx_context *context;
    int axes;
    int *counts, *index; /* per axis: number of points; index of the next point */
    bool started, finished;
    int next_number;
    branch_list *at; /* axes: branches at the latest point where every faster axis was at its start */
};

static void list_free(branch_list *list)
{
    phx_free(list->number);
    phx_free(list->active);
    phx_free(list->shapes);
    *list = (branch_list){0};
}

static phx_status list_create(phx_context *context, int n, int room, branch_list *list)
{
    *list = (branch_list){.n = n};
    list->number = phx_calloc(context, (size_t)room, sizeof *list->number);
    list->active = phx_calloc(context, (size_t)room, sizeof *list->active);
    list->shapes = phx_calloc(context, (size_t)room * (size_t)n, sizeof *list->shapes);
    return list->number && list->active && list->shapes ? PHX_OK : PHX_ERR_MEMORY;
}

static void list_copy(const branch_list *from, branch_list *to)
{
    const size_t count = (size_t)from->count;
    to->count = from->count;
    memcpy(to->number, from->number, count * sizeof *to->number);
    memcpy(to->active, from->active, count * sizeof *to->active);
    memcpy(to->shapes, from->shapes, count * (size_t)from->n * sizeof *to->shapes);
}

/* ---- creation ---- */
phx_status phx_tracker_create(phx_context *context, int n_axes, const int *counts, phx_tracker **tracker)
{
    if (!counts || !tracker)
        return phx_fail_null(context, __func__, "counts or tracker");
    *tracker = NULL;
    for (int k = 0; k < n_axes; k++)
        if (counts[k] < 1)
            return phx_fail(context, PHX_ERR_ARGUMENT, "tracker: %d points along axis %d; there must be one at least",
                            counts[k], k + 1);
    if (n_axes < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "tracker: %d axes; the number must be >= 0", n_axes);
    const int axes = n_axes > 0 ? n_axes : 1;
    phx_tracker *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    *made = (phx_tracker){.context = context, .axes = axes, .next_number = 1};
    made->counts = phx_calloc(context, (size_t)axes, sizeof *made->counts);
    made->index = phx_calloc(context, (size_t)axes, sizeof *made->index);
    made->at = phx_calloc(context, (size_t)axes, sizeof *made->at);
    if (!made->counts || !made->index || !made->at) {
        phx_tracker_destroy(made);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < axes; k++)
        made->counts[k] = n_axes > 0 ? counts[k] : 1;
    *tracker = made;
    return PHX_OK;
}

void phx_tracker_destroy(phx_tracker *tracker)
{
    if (!tracker)
        return;
    for (int k = 0; tracker->at && k < tracker->axes; k++)
        list_free(&tracker->at[k]);
    phx_free(tracker->counts);
    phx_free(tracker->index);
    phx_free(tracker->at);
    phx_free(tracker);
}

int phx_tracker_carry(int count)
{
    return count <= 0 ? 0 : count + (count > 8 ? count / 2 : 4);
}

/* ---- the point before ---- */
/* The fastest axis that is not at its start: the neighbour lies one step back on it. -1 at the first point. */
static int axis_of_neighbour(const phx_tracker *tracker)
{
    for (int k = tracker->axes - 1; k >= 0; k--)
        if (tracker->index[k] > 0)
            return k;
    return -1;
}

static void tracker_advance(phx_tracker *tracker)
{
    tracker->started = true;
    for (int k = tracker->axes - 1; k >= 0; k--) {
        if (++tracker->index[k] < tracker->counts[k])
            return;
        tracker->index[k] = 0;
    }
    tracker->finished = true;
}

/* ---- comparison ---- */
/* y = M x */
static void apply_mass(const phx_csr *M, const double complex *x, double complex *y)
{
    for (int i = 0; i < M->rows; i++) {
        y[i] = 0.0;
        for (int k = M->ptr[i]; k < M->ptr[i + 1]; k++)
            y[i] += M->val[k] * x[M->idx[k]];
    }
}

/* x^H y; in real and imaginary parts, because products of complex numbers look for infinities */
static double complex inner_product(int n, const double complex *x, const double complex *y)
{
    double re = 0.0, im = 0.0;
    for (int i = 0; i < n; i++) {
        re += creal(x[i]) * creal(y[i]) + cimag(x[i]) * cimag(y[i]);
        im += creal(x[i]) * cimag(y[i]) - cimag(x[i]) * creal(y[i]);
    }
    return re + im * I;
}

/* Workspace to compare a set with the branches of its neighbour. */
typedef struct comparison {
    int n, modes, known;
    double complex *shapes; /* modes x n */
    double complex *mass;   /* n */
    double *square;         /* modes: x^H M x */
    double complex *along;  /* modes x known: mode^H M branch */
    double *gain;           /* modes x (known + modes) */
    int *column;            /* modes: branch chosen, >= known: a new one */
} comparison;

static void comparison_free(comparison *c)
{
    phx_free(c->shapes);
    phx_free(c->mass);
    phx_free(c->square);
    phx_free(c->along);
    phx_free(c->gain);
    phx_free(c->column);
}

/* Allocates the comparison of a set of modes with the branches known before (NULL: none). */
static phx_status comparison_create(phx_context *context, const phx_mode_set *set, const branch_list *before,
                                    comparison *c)
{
    const size_t n = (size_t)set->n, modes = (size_t)set->count;
    *c = (comparison){.n = set->n, .modes = set->count, .known = before ? before->count : 0};
    c->shapes = phx_calloc(context, modes * n, sizeof *c->shapes);
    c->mass = phx_calloc(context, n, sizeof *c->mass);
    c->square = phx_calloc(context, modes, sizeof *c->square);
    c->along = phx_calloc(context, modes * (size_t)c->known, sizeof *c->along);
    c->gain = phx_calloc(context, modes * ((size_t)c->known + modes), sizeof *c->gain);
    c->column = phx_calloc(context, modes, sizeof *c->column);
    if (!c->shapes || !c->mass || !c->square || !c->along || !c->gain || !c->column)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < modes * n; k++)
        c->shapes[k] = set->shapes[k] + (set->shapes_imaginary ? set->shapes_imaginary[k] : 0.0) * I;
    return PHX_OK;
}

/* gain = MAC against the known branches, then `modes` columns for "none of them" */
static void fill_gain(const phx_csr *M, const branch_list *before, comparison *c)
{
    const int cols = c->known + c->modes;
    for (int i = 0; i < c->modes; i++) {
        const double complex *shape = c->shapes + (size_t)i * c->n;
        apply_mass(M, shape, c->mass);
        c->square[i] = creal(inner_product(c->n, shape, c->mass));
        for (int j = 0; j < c->known; j++)
            c->along[(size_t)i * c->known + j] = inner_product(c->n, c->mass, before->shapes + (size_t)j * c->n);
        for (int j = c->known; j < cols; j++)
            c->gain[(size_t)i * cols + j] = active_mac;
    }
    for (int j = 0; j < c->known; j++) {
        const double complex *shape = before->shapes + (size_t)j * c->n;
        apply_mass(M, shape, c->mass);
        const double square = creal(inner_product(c->n, shape, c->mass));
        for (int i = 0; i < c->modes; i++) {
            const double complex along = c->along[(size_t)i * c->known + j];
            const double product = square * c->square[i];
            const double mac =
                product > 0.0 ? (creal(along) * creal(along) + cimag(along) * cimag(along)) / product : 0.0;
            c->gain[(size_t)i * cols + j] = mac >= (before->active[j] ? active_mac : lost_mac) ? mac : 0.0;
        }
    }
}

/* Last mode of the group of close modes that begins at `first`. */
static int group_end(const phx_mode_set *set, int first)
{
    int last = first;
    while (last + 1 < set->count && set->omega[last + 1] - set->omega[last] <= close_modes * set->omega[last + 1])
        last++;
    return last;
}

/* The shape to remember for a branch that mode i of a group first..last continues: the part of its old shape in the
 * space of the group, so that modes that mix while they cross are told apart behind the crossing; the mode itself when
 * that is most of nothing or the mode stands alone. */
static void remember(const comparison *c, int first, int last, int i, double complex *shape)
{
    const double complex *mode = c->shapes + (size_t)i * c->n;
    double complex inside = 0.0;
    if (last > first && c->column[i] < c->known) {
        memset(shape, 0, (size_t)c->n * sizeof *shape);
        for (int k = first; k <= last; k++) {
            const double complex along = c->along[(size_t)k * c->known + c->column[i]] / c->square[k];
            inside += c->along[(size_t)k * c->known + c->column[i]] * conj(along);
            for (int m = 0; m < c->n; m++)
                shape[m] += along * c->shapes[(size_t)k * c->n + m];
        }
    }
    if (creal(inside) < 0.25)
        memcpy(shape, mode, (size_t)c->n * sizeof *shape);
    else
        for (int m = 0; m < c->n; m++)
            shape[m] /= sqrt(creal(inside));
}

/* next: the branches of `before` (may be NULL) with their new shapes, and the new branches. */
static void carry_on(phx_tracker *tracker, const phx_mode_set *set, const comparison *c, const branch_list *before,
                     branch_list *next, int *branch, double *confidence)
{
    const bool first_point = !tracker->started;
    if (before)
        list_copy(before, next);
    for (int j = 0; j < next->count; j++)
        next->active[j] = false;
    for (int first = 0, last; first < set->count; first = last + 1) {
        last = group_end(set, first);
        for (int i = first; i <= last; i++) {
            const bool known = c->column[i] < c->known;
            const int at = known ? c->column[i] : next->count++;
            if (!known)
                next->number[at] = tracker->next_number++;
            next->active[at] = true;
            remember(c, first, last, i, next->shapes + (size_t)at * c->n);
            branch[i] = next->number[at];
            if (confidence)
                confidence[i] = known ? c->gain[(size_t)i * (c->known + c->modes) + at] : (first_point ? 1.0 : 0.0);
        }
    }
}

/* Number of axes, counted from the fastest, whose list the present point replaces: those that have only axes at their
 * start below them. */
static int lists_to_replace(const phx_tracker *tracker)
{
    int count = 1;
    for (int k = tracker->axes - 1; k > 0 && tracker->index[k] == 0; k--)
        count++;
    return count;
}

static phx_status tracker_check(phx_tracker *tracker, const phx_mode_set *set, const phx_csr *M)
{
    if (tracker->finished)
        return phx_fail(tracker->context, PHX_ERR_ARGUMENT, "tracker: more points than the axes have");
    if (M->rows != set->n || M->cols != set->n)
        return phx_fail(tracker->context, PHX_ERR_ARGUMENT,
                        "tracker: the mass matrix is %d x %d, the shapes have %d entries", M->rows, M->cols, set->n);
    return PHX_OK;
}

/* Assigns each mode of the next sweep point a branch by the largest MAC with the neighbouring point; new branches get
 * new numbers. confidence, optional, receives the MAC. */
phx_status phx_tracker_feed(phx_tracker *tracker, const phx_mode_set *set, const phx_csr *M, int *branch,
                            double *confidence)
{
    if (!tracker || !set || !branch)
        return phx_fail_null(tracker ? tracker->context : NULL, __func__, "tracker, set or branch");
    phx_context *context = tracker->context;
    phx_status status = tracker_check(tracker, set, M);
    if (status)
        return status;
    const int axis = axis_of_neighbour(tracker), replaced = lists_to_replace(tracker);
    const branch_list *before = axis >= 0 && tracker->at[axis].n == set->n ? &tracker->at[axis] : NULL;
    comparison c = {0};
    branch_list *next = phx_calloc(context, (size_t)replaced, sizeof *next);
    status = next ? comparison_create(context, set, before, &c) : PHX_ERR_MEMORY;
    for (int k = 0; k < replaced && !status; k++)
        status = list_create(context, set->n, c.known + c.modes, &next[k]);
    if (!status) {
        if (before)
            fill_gain(M, before, &c);
        status = phx_assign(context, c.modes, c.known + c.modes, c.gain, c.column);
    }
    if (!status) {
        carry_on(tracker, set, &c, before, &next[0], branch, confidence);
        for (int k = replaced - 1; k >= 0; k--) { /* next[0] last: the others are copies of it */
            if (k > 0)
                list_copy(&next[0], &next[k]);
            branch_list *old = &tracker->at[tracker->axes - 1 - k], swap = *old;
            *old = next[k];
            next[k] = swap;
        }
        tracker_advance(tracker);
    }
    for (int k = 0; next && k < replaced; k++)
        list_free(&next[k]);
    phx_free(next);
    comparison_free(&c);
    return status;
}
