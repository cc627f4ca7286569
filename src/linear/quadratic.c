/* Damped and gyroscopic modes of a large system.
 *
 * Krylov spaces about real shifts (krylov.c) find which roots are the lowest; the vectors found, with the lowest
 * undamped modes, span the space on which the system is projected, its stiffness through the root (damped.c). A root of
 * the projected system is accepted where a Krylov space has it too: the projected system also has spurious roots.
 *
 * The first space starts from the lowest undamped modes, as positions and as velocities, so from all modes of a
 * repeated frequency. Many overdamped roots may gather at a point of the real axis (-1/beta, with damping beta K):
 * there further shifts are put, each at the right end of what the one before has found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "krylov.h"

/* Relative to the modulus: the largest error of a root found, and its distance from the projected root by rounding of
 * K. */
static const double found_rtol = 1e-8, match_rtol = 1e-3;
/* Radius of a cluster of roots, relative to the modulus of its centre. */
static const double gathered_rtol = 0.1;

typedef struct root {
    double complex lambda;
    double distance; /* from the shift */
    double error;    /* rad/s */
    int index;       /* in its space */
    bool found;      /* its error is small */
    bool covered;    /* another space has searched its neighbourhood */
} root;

typedef struct circle {
    double centre, radius;
} circle;

enum { CIRCLES = 24 };

typedef struct search {
    phx_context *context;
    const phx_large *large;
    const phx_undamped *undamped;
    phx_kkt *kkt;
    int wanted;   /* roots with im >= 0, those that are zero included */
    int freedom;  /* of the constrained system; the pencil has twice as many roots */
    double scale; /* rad/s, of the modes wanted */
    root *roots;  /* room: of the last space, by distance */
    int n_roots;  /* of the last space, im >= 0 */
    root *known;  /* room: accepted roots of all spaces */
    int n_known, room;
    double *columns; /* 2 room x n: vectors of their span, one after the other */
    int n_columns;
    circle circles[CIRCLES]; /* circles about clusters of real roots, searched */
    int n_circles;
} search;

static void search_free(search *hunt)
{
    phx_free(hunt->roots);
    phx_free(hunt->known);
    phx_free(hunt->columns);
}

static int by_distance(const void *a, const void *b)
{
    const root *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->index - y->index;
}

/* Within a circle that was searched, or not distinguishable from a root in it. */
static bool is_covered(const search *hunt, double complex lambda, double error)
{
    for (int k = 0; k < hunt->n_circles; k++) {
        const circle *c = &hunt->circles[k];
        if (cabs(lambda - c->centre) <= c->radius + fmin(error, gathered_rtol * fabs(c->centre)))
            return true;
    }
    return false;
}

/* The roots of a space in the upper half plane, the nearest to the shift first. */
static phx_status sort_roots(search *hunt, phx_krylov *space)
{
    const phx_status status = phx_krylov_roots(space);
    hunt->n_roots = 0;
    for (int k = 0; k < space->done && !status; k++) {
        const double complex lambda = space->lambda[k];
        if (!(cimag(lambda) >= 0.0) || !isfinite(cabs(lambda)))
            continue;
        hunt->roots[hunt->n_roots++] = (root){.lambda = lambda,
                                              .distance = cabs(lambda - space->sigma),
                                              .index = k,
                                              .error = space->error[k],
                                              .found = space->error[k] <= found_rtol * (cabs(lambda) + hunt->scale),
                                              .covered = is_covered(hunt, lambda, space->error[k])};
    }
    if (!status)
        qsort(hunt->roots, (size_t)hunt->n_roots, sizeof *hunt->roots, by_distance);
    return status;
}

/* Number of nearest roots without one that is neither found nor covered; *radius: of the circle about the shift that
 * contains no other. */
static int count_contiguous(const search *hunt, const phx_krylov *space, double *radius)
{
    const bool all = space->done == space->count && space->done >= 2 * hunt->freedom;
    int count = 0;

    while (count < hunt->n_roots && (hunt->roots[count].found || hunt->roots[count].covered))
        count++;
    if (count < hunt->n_roots)
        *radius = hunt->roots[count].distance;
    else
        *radius = all ? HUGE_VAL : count > 0 ? hunt->roots[count - 1].distance : 0.0;
    return count;
}

/* Whether the circle about zero that the first space has searched holds all roots wanted. */
static bool is_complete(const search *hunt, const phx_krylov *space, int count, double radius)
{
    int inside = 0;
    for (int k = 0; k < count; k++)
        inside += !hunt->roots[k].covered && cabs(hunt->roots[k].lambda) <= radius - space->sigma;
    for (int k = 0; k < hunt->n_known; k++)
        inside += cabs(hunt->known[k].lambda) <= radius - space->sigma;
    return inside >= hunt->wanted || radius == HUGE_VAL;
}

static int by_modulus(const void *a, const void *b)
{
    const double x = cabs(((const root *)a)->lambda), y = cabs(((const root *)b)->lambda);
    return x != y ? (x < y ? -1 : 1) : ((const root *)a)->index - ((const root *)b)->index;
}

/* Accept, of the first `count` roots, the lowest ones needed, and store their shapes. */
static phx_status accept(search *hunt, const phx_krylov *space, int count)
{
    const size_t n = (size_t)hunt->large->linear->n;
    double *im = phx_calloc(hunt->context, n, sizeof *im);
    int taken = 0;

    if (!im)
        return PHX_ERR_MEMORY;
    qsort(hunt->roots, (size_t)count, sizeof *hunt->roots, by_modulus);
    for (int k = 0; k < count && taken < hunt->wanted; k++) {
        if (hunt->roots[k].covered || !hunt->roots[k].found)
            continue;
        if (hunt->n_known >= hunt->room || hunt->n_columns + 2 > 2 * hunt->room)
            break;
        double *re = hunt->columns + (size_t)hunt->n_columns++ * n;
        phx_krylov_shape(space, hunt->roots[k].index, re, im);
        if (cimag(hunt->roots[k].lambda) > 0.0)
            memcpy(hunt->columns + (size_t)hunt->n_columns++ * n, im, n * sizeof *im);
        hunt->known[hunt->n_known++] = hunt->roots[k];
        taken++;
    }
    phx_free(im);
    return PHX_OK;
}

/* The undamped modes without stiffness and the lowest others. */
static void quadratic_start(const search *hunt, int elastic, phx_krylov *space)
{
    const phx_basis *modes = &hunt->undamped->modes;
    for (int k = 0; k < modes->count; k++) {
        if (fabs(hunt->undamped->frequency[k]) > hunt->undamped->resolution && elastic-- <= 0)
            continue;
        phx_krylov_start(space, modes->columns + k, modes->count, false);
        phx_krylov_start(space, modes->columns + k, modes->count, true);
    }
}

/* Drop the known roots within a circle that another space has searched. */
static void forget_within(search *hunt, double centre, double radius)
{
    int kept = 0;
    for (int k = 0; k < hunt->n_known; k++)
        if (cabs(hunt->known[k].lambda - centre) > radius)
            hunt->known[kept++] = hunt->known[k];
    hunt->n_known = kept;
}

/* Search a space about a cluster of real roots. *right: the rightmost root found, or the centre itself. */
static phx_status search_about(search *hunt, double point, double *right)
{
    enum { VECTORS = 90, RANDOM = 3 };
    phx_krylov space = {0};
    double radius;
    const int most = hunt->room < VECTORS + 10 ? hunt->room : VECTORS + 10;
    phx_status status = phx_krylov_begin(hunt->context, hunt->large, hunt->kkt, point, hunt->scale, most, &space);

    for (int k = 0; k < RANDOM && !status; k++)
        status = phx_krylov_start_random(&space);
    if (!status)
        status = phx_krylov_extend(&space, VECTORS);
    if (!status)
        status = sort_roots(hunt, &space);
    *right = point;
    if (!status) {
        for (int k = 0; k < hunt->n_roots; k++)
            hunt->roots[k].covered = false;
        int count = count_contiguous(hunt, &space, &radius);
        radius = fmin(radius, gathered_rtol * fabs(point));
        while (count > 0 && hunt->roots[count - 1].distance > radius)
            count--;
        forget_within(hunt, space.sigma, radius);
        for (int k = 0; k < count; k++)
            if (cimag(hunt->roots[k].lambda) == 0.0)
                *right = fmax(*right, creal(hunt->roots[k].lambda));
        hunt->circles[hunt->n_circles++] = (circle){space.sigma, radius};
        status = accept(hunt, &space, count);
    }
    phx_krylov_free(&space);
    return status;
}

/* A cluster of real roots: move the shift to its right end, where the lowest roots are. */
static phx_status search_gathered(search *hunt, double point)
{
    static const double SAME = 1e-9; /* relative distance */
    enum { SHIFTS = 8 };
    phx_status status = PHX_OK;
    for (int k = 0; k < SHIFTS && !status && hunt->n_circles < CIRCLES; k++) {
        double right;
        status = search_about(hunt, point, &right);
        if (right - point <= SAME * fabs(point))
            break;
        point = right;
    }
    return status;
}

/* Extends the first space until it has all roots wanted. */
static phx_status search_about_zero(search *hunt, phx_krylov *space)
{
    enum { PATIENCE = 100 };
    phx_status status = PHX_OK;
    int done = space->count + 20;

    while (!status) {
        double radius;
        const int before = space->done;
        status = phx_krylov_extend(space, done);
        if (!status && space->done == space->count && space->done < 2 * hunt->freedom)
            status = phx_krylov_start_random(space);
        if (!status)
            status = sort_roots(hunt, space);
        if (status)
            break;
        const int count = count_contiguous(hunt, space, &radius);
        if (is_complete(hunt, space, count, radius))
            return accept(hunt, space, count);
        const root *next = count < hunt->n_roots ? &hunt->roots[count] : NULL;
        if (space->done >= PATIENCE && next && creal(next->lambda) < 0.0 && cimag(next->lambda) <= next->error &&
            hunt->n_circles < CIRCLES) {
            status = search_gathered(hunt, creal(next->lambda));
            if (!status)
                status = phx_krylov_factor(space);
        } else if (space->done == before) {
            return phx_fail(hunt->context, PHX_NOT_CONVERGED,
                            "modes: %d of the %d lowest roots of a damped system with %d degrees of freedom converged; "
                            "ask for fewer modes",
                            count, hunt->wanted, hunt->freedom);
        } else {
            done += 10 + done / 4;
        }
    }
    return status;
}

/* The first space is about a positive shift: there Q is positive definite unless the system is unstable. */
static phx_status search_all(search *hunt, int elastic)
{
    phx_krylov space = {0};
    phx_status status =
        phx_krylov_begin(hunt->context, hunt->large, hunt->kkt, hunt->scale, hunt->scale, hunt->room, &space);

    if (!status)
        quadratic_start(hunt, elastic, &space);
    for (int k = 0; k < 2 && !status; k++)
        status = phx_krylov_start_random(&space);
    if (!status)
        status = search_about_zero(hunt, &space);
    phx_krylov_free(&space);
    return status;
}

/* ---- the projected system ---- */
/* Mass-orthonormal columns that satisfy G x = 0, one after the other. */
typedef struct columns {
    const phx_large *large;
    phx_kkt *kkt; /* factored for close_column */
    int count;
    double *val, *mass, *rhs; /* room x n; n; n + m */
} columns;

/* sqrt(z^T M z), mass = M z */
static double length_of(const columns *table, const double *z)
{
    const phx_csr *M = &table->large->linear->M;
    double square = 0.0;

    memset(table->mass, 0, (size_t)M->rows * sizeof *table->mass);
    phx_csr_apply(M, 1.0, z, table->mass);
    for (int i = 0; i < M->rows; i++)
        square += z[i] * table->mass[i];
    return sqrt(fmax(square, 0.0));
}

/* Subtract from z its components along the others; returns the ratio of the lengths after and before. */
static double orthogonalise(const columns *table, double *z)
{
    const size_t n = (size_t)table->large->linear->n;

    for (int pass = 0; pass < 2; pass++) {
        length_of(table, z);
        for (int k = 0; k < table->count; k++) {
            const double *v = table->val + (size_t)k * n;
            double along = 0.0;
            for (size_t i = 0; i < n; i++)
                along += v[i] * table->mass[i];
            for (size_t i = 0; i < n; i++)
                z[i] -= along * v[i];
        }
    }
    return length_of(table, z);
}

/* Subtract from z the smallest vector, by the matrix factored, so that z satisfies the joints. */
static phx_status close_column(const columns *table, double *z)
{
    const int n = table->large->linear->n, m = table->large->G.rows;

    memset(table->rhs, 0, (size_t)(n + m) * sizeof *table->rhs);
    phx_csr_apply(&table->large->G, 1.0, z, table->rhs + n);
    const phx_status status = m > 0 ? phx_lu_solve(table->kkt->lu, 1, table->rhs) : PHX_OK;
    for (int i = 0; i < n && m > 0 && !status; i++)
        z[i] -= table->rhs[i];
    return status;
}

/* Append a vector unless it depends on the others. The remainder of one that nearly does is partly rounding, which
 * violates the joints. */
static phx_status append_column(columns *table, const double *x, int stride)
{
    static const double DEPENDENT = 1e-8; /* length that is left, relative */
    const int n = table->large->linear->n;
    double *z = table->val + (size_t)table->count * (size_t)n;

    for (int i = 0; i < n; i++)
        z[i] = x[(size_t)i * (size_t)stride];
    const double before = length_of(table, z), after = orthogonalise(table, z);
    if (!(after > DEPENDENT * before))
        return PHX_OK;
    const phx_status status = close_column(table, z);
    const double closed = orthogonalise(table, z);
    if (status || !(closed > 0.1 * after))
        return status;
    for (int i = 0; i < n; i++)
        z[i] /= closed;
    table->count++;
    return PHX_OK;
}

/* Mass-orthonormal columns of all vectors found and of the undamped modes. */
static phx_status make_basis(const search *hunt, phx_basis *basis)
{
    const phx_basis *modes = &hunt->undamped->modes;
    const phx_linear *linear = hunt->large->linear;
    const size_t n = (size_t)modes->n, most = (size_t)(modes->count + hunt->n_columns) + 1;
    columns all = {.large = hunt->large, .kkt = hunt->kkt};
    const double mostly_mass = -1e2 * phx_large_highest(hunt->large);

    *basis = (phx_basis){0};
    all.val = phx_calloc(hunt->context, (most + 1) * n + n + (size_t)hunt->large->G.rows, sizeof *all.val);
    if (!all.val)
        return PHX_ERR_MEMORY;
    all.mass = all.val + most * n;
    all.rhs = all.mass + n;
    phx_status status = phx_kkt_factor_shifted(hunt->kkt, &linear->M, &hunt->large->K, &hunt->large->G, mostly_mass);
    for (int k = 0; k < modes->count && !status; k++)
        status = append_column(&all, modes->columns + k, modes->count);
    for (int k = 0; k < hunt->n_columns && all.count < hunt->freedom && !status; k++)
        status = append_column(&all, hunt->columns + (size_t)k * n, 1);
    if (!status) {
        *basis = (phx_basis){.n = modes->n, .count = all.count};
        basis->columns = phx_calloc(hunt->context, n * (size_t)all.count, sizeof *basis->columns);
        status = basis->columns ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (size_t i = 0; i < n && !status; i++)
        for (int k = 0; k < all.count; k++)
            basis->columns[i * (size_t)all.count + (size_t)k] = all.val[(size_t)k * n + i];
    phx_free(all.val);
    return status;
}

/* Drop all projected roots but the `count` lowest of those that a Krylov space has found. */
static void keep_found(search *hunt, int count, phx_mode_list *list)
{
    const size_t n = (size_t)list->n;
    int kept = 0;
    for (int k = 0; k < list->count && kept < count; k++) {
        int nearest = -1;
        for (int i = 0; i < hunt->n_known; i++)
            if (hunt->known[i].found && (nearest < 0 || cabs(hunt->known[i].lambda - list->lambda[k]) <
                                                            cabs(hunt->known[nearest].lambda - list->lambda[k])))
                nearest = i;
        if (nearest < 0)
            break;
        const double complex known = hunt->known[nearest].lambda;
        if (cabs(known - list->lambda[k]) > match_rtol * (cabs(known) + 0.1 * hunt->scale))
            continue;
        hunt->known[nearest].found = false;
        list->lambda[kept] = list->lambda[k];
        memmove(list->shapes + (size_t)kept++ * n, list->shapes + (size_t)k * n, n * sizeof *list->shapes);
    }
    list->count = kept;
}

/* Every root found that is lower than the last one kept must be among them, but for the zeros of rigid-body modes. */
static phx_status check_complete(const search *hunt, int rigid, const phx_mode_list *list)
{
    const double last = list->count > 0 ? cabs(list->lambda[list->count - 1]) : HUGE_VAL;
    const bool mirrored = hunt->large->linear->gyroscopic && hunt->large->linear->lossless; /* -lambda with lambda */
    int zeros = 0;
    for (int i = 0; i < hunt->n_known; i++) {
        const double complex lambda = hunt->known[i].lambda;
        if (mirrored && cimag(lambda) == 0.0 && creal(lambda) < 0.0)
            continue;
        if (!hunt->known[i].found || cabs(lambda) > (1.0 - match_rtol) * last)
            continue;
        if (cabs(lambda) <= 0.1 * hunt->scale && ++zeros <= 2 * rigid)
            continue;
        return phx_fail(hunt->context, PHX_NOT_CONVERGED,
                        "modes: the damped mode near lambda = %.6g + %.6g i rad/s did not converge", creal(lambda),
                        cimag(lambda));
    }
    return PHX_OK;
}

/* The system projected on the space of all vectors found. */
static phx_status quadratic_project(search *hunt, const phx_modes_options *options, int *rigid, phx_mode_list *list)
{
    const phx_linear *linear = hunt->large->linear;
    const phx_stiffness stiffness = phx_linear_stiffness(linear);
    phx_undamped space = {.freedom = hunt->freedom,
                          .rigid = hunt->undamped->rigid,
                          .counted = hunt->undamped->counted,
                          .most = hunt->undamped->most}; /* borrowed */
    phx_basis basis;
    phx_status status = make_basis(hunt, &basis);

    if (!status) {
        space.frequency = phx_calloc(hunt->context, (size_t)basis.count, sizeof *space.frequency);
        status = space.frequency ? phx_reduce_normal_modes(hunt->context, &basis, &stiffness, space.frequency,
                                                           &space.resolution, &space.asymmetry, &space.modes)
                                 : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_undamped_resolve(hunt->context, linear, NULL, NULL, &space);
    if (!status)
        status = phx_linear_damped(hunt->context, linear, options, &space, 0, rigid, list);
    space.rigid = (phx_shapes){0};
    if (!status) {
        keep_found(hunt, options->count, list);
        status = check_complete(hunt, *rigid, list);
    }
    phx_basis_free(&basis);
    phx_undamped_free(&space);
    return status;
}

/* Scale of the shift and of the circle searched: the highest of the `count` lowest elastic frequencies. */
static double quadratic_measure(const phx_undamped *undamped, int count, int *rigid, int *negative)
{
    double highest = 0.0;
    int elastic = 0;
    *rigid = *negative = 0;
    for (int k = 0; k < undamped->modes.count; k++) { /* ascending by lambda: unstable ones first */
        const double frequency = fabs(undamped->frequency[k]);
        if (frequency <= undamped->resolution)
            ++*rigid;
        else if (elastic++ < count)
            highest = fmax(highest, frequency);
        *negative += undamped->frequency[k] < -undamped->resolution;
    }
    return highest;
}

/* Lowest roots of a large damped or gyroscopic system by Krylov spaces and projection (see the top). PHX_NOT_CONVERGED
 * if fewer than options->count converge. */
phx_status phx_large_damped(phx_context *context, const phx_large *large, const phx_modes_options *options,
                            const phx_undamped *undamped, phx_kkt *kkt, int *rigid, phx_mode_list *list)
{
    const phx_linear *linear = large->linear;
    search hunt = {.context = context, .large = large, .undamped = undamped, .kkt = kkt, .freedom = undamped->freedom};
    int free_modes = 0, negative = 0;
    const double highest = quadratic_measure(undamped, options->count, &free_modes, &negative);
    const int most = 2 * undamped->freedom, start_size = 2 * (options->count + 2 + free_modes);

    hunt.scale = 0.3 * highest;
    hunt.wanted = options->count + 2 * free_modes + negative; /* a mode that grows has a root that decays beside it */
    hunt.room = 4 * start_size + 300;
    hunt.room = (hunt.room < most ? hunt.room : most) + 2;
    hunt.roots = phx_calloc(context, (size_t)hunt.room, sizeof *hunt.roots);
    hunt.known = phx_calloc(context, (size_t)hunt.room, sizeof *hunt.known);
    hunt.columns = phx_calloc(context, (size_t)(2 * hunt.room) * (size_t)linear->n, sizeof *hunt.columns);
    phx_status status = hunt.roots && hunt.known && hunt.columns ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = phx_kkt_prepare(context, &linear->M, &linear->D, &large->K, &large->G, large->order, false, kkt);
    if (!status)
        status = search_all(&hunt, options->count + 2);
    if (!status)
        status = quadratic_project(&hunt, options, rigid, list);
    if (!status && list->count < options->count && hunt.n_known >= hunt.wanted)
        status = phx_fail(context, PHX_NOT_CONVERGED, "modes: of %d damped modes %d converged; ask for fewer modes",
                          options->count, list->count);
    search_free(&hunt);
    return status;
}
