/* Redundant constraint rows: how many depend on the others, and which of them are left out.
 *
 * With the rows D left out and the rows S kept, G_D = C G_S wherever the mechanism goes, so that what rounding leaves
 * of the residuals in S comes out in D magnified by C. Rows that are sound at the start may come near dependence later;
 * so C is asked at places along the free motion, and rows are exchanged until no entry is large. */
#include "system/system_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double DEPENDENT_ROWS = 1e-9; /* rank of joint rows, relative to the largest */

/* Entries of G^T at x: [M -G^T; G 0] is left in ws->mass.val. Returns their number; row, col, val may be NULL. */
static size_t transposed_rows(const workspace *ws, int *row, int *col, double *val)
{
    const kkt_matrix *kkt = &ws->kkt;
    size_t count = 0;

    for (int i = 0; i < kkt->n_v; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++) {
            if (kkt->idx[k] < kkt->n_v || ws->mass.val[k] == 0.0)
                continue;
            if (row) {
                row[count] = i;
                col[count] = kkt->idx[k] - kkt->n_v;
                val[count] = ws->mass.val[k];
            }
            count++;
        }
    return count;
}

/* Columns of G^T scaled to unit mass and unit length. */
static void scale_columns(workspace *ws, size_t count, const int *row, const int *col, double *val)
{
    const kkt_matrix *kkt = &ws->kkt;
    double *mass = ws->scratch.vector[0], *norm = ws->scratch.multipliers;

    for (int i = 0; i < kkt->n_v; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            if (kkt->idx[k] == i)
                mass[i] = ws->mass.val[k] > 0.0 ? ws->mass.val[k] : 1.0;
    memset(norm, 0, (size_t)ws->rows.n * sizeof *norm);
    for (size_t e = 0; e < count; e++) {
        val[e] /= sqrt(mass[row[e]]);
        norm[col[e]] += val[e] * val[e];
    }
    for (size_t e = 0; e < count; e++)
        val[e] /= sqrt(norm[col[e]]);
}

/* Rows as columns of M^-1/2-scaled G^T; a column that depends on columns before it is redundant. `ws` has every
 * constraint and driven row; x is where the rank is asked. */
phx_status phx_sys_dependent_rows(workspace *ws, const double *x, int *dependent, int *count)
{
    phx_context *context = ws->base.context;
    const int n_v = ws->kkt.n_v;
    phx_csr gt = {0};
    int *row = NULL, *col = NULL, rank = 0;
    double *val = NULL;
    phx_status status = PHX_OK;

    memset(ws->step.vm, 0, (size_t)n_v * sizeof(double));
    phx_sys_set_instant(ws, x, ws->step.vm);
    ws->by->rows(ws, 0.0, 0.0);
    phx_sys_mass_values(ws, x);
    const size_t entries = transposed_rows(ws, NULL, NULL, NULL);
    row = phx_calloc(context, entries, sizeof *row);
    col = phx_calloc(context, entries, sizeof *col);
    val = phx_calloc(context, entries, sizeof *val);
    if (!row || !col || !val)
        status = PHX_ERR_MEMORY;
    if (!status) {
        transposed_rows(ws, row, col, val);
        scale_columns(ws, entries, row, col, val);
        status = phx_csr_from_triplets(context, n_v, ws->rows.n, entries, row, col, val, &gt);
    }
    if (!status)
        status = phx_csr_dependent_columns(context, &gt, DEPENDENT_ROWS, &rank, dependent, count);
    phx_csr_free(&gt);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* Rows that depend on others at the start must do so at its neighbours, or the start is a singular configuration. */
static phx_status check_neighbours(phx_system *system, workspace *ws, const int *dependent, int n_dependent)
{
    phx_context *context = system->context;
    double *x = phx_calloc(context, (size_t)system->n_x, sizeof *x), distance = 0.1;
    int *there = phx_calloc(context, (size_t)ws->rows.n, sizeof *there), n_there = n_dependent;
    phx_status status = x && there ? PHX_OK : PHX_ERR_MEMORY;

    for (int attempt = 0; attempt < 3 && !status; attempt++, distance *= 0.1) {
        memcpy(x, system->start.x, (size_t)system->n_x * sizeof *x);
        status = phx_sys_neighbour(system, distance, x);
        if (status > 0) { /* it cannot be closed */
            status = PHX_OK;
            continue;
        }
        if (!status)
            status = phx_sys_dependent_rows(ws, x, there, &n_there);
        if (!status && n_there < n_dependent) {
            const row_slot *slot = &system->rows.slot[ws->rows.index[dependent[0]]];
            status = phx_fail(context, PHX_ERR_ASSEMBLY,
                              "the start is a singular configuration: row %d of joint '%s' depends on the others here, "
                              "but not beside it (links on one line?); start from a slightly different configuration",
                              slot->number + 1, system->joints[slot->joint].name);
        }
        break;
    }
    if (!status)
        phx_context_clear(context); /* of neighbours that could not be closed */
    phx_free(x);
    phx_free(there);
    return status;
}

/* ---- which rows are left out ---- */
enum { WALKS = 2, STEPS = 30 };
static const double STRIDE = 0.25; /* rad, or of the size */
static const double LARGE = 8.0;   /* magnification that asks for an exchange */
static const double GAIN = 1.25;   /* of the volume of the kept rows that an exchange must bring */

/* Rows left out and kept (numbers in the system) and C at every place, n_out x n_kept each. */
typedef struct choice {
    const phx_system *system;
    int n_out, n_kept, n_places;
    int *out, *kept;
    double *C;
    double *volume; /* per place: log of |det| of the rows of an orthonormal null basis that belong to `out` */
} choice;

static double *redundant_place_of(const choice *coordinate, int place)
{
    return coordinate->C + (size_t)place * (size_t)coordinate->n_out * (size_t)coordinate->n_kept;
}

/* Theory 3 (8), log det(I + C C^T)^-1/2: the null basis (C^T; -I) made orthonormal. Where far more rows are left out
 * than kept, by det(I + C C^T) = det(I + C^T C). */
static phx_status measure_volume(phx_context *context, choice *coordinate, int place)
{
    const bool swapped = coordinate->n_out > 4 * coordinate->n_kept;
    const int n = swapped ? coordinate->n_kept : coordinate->n_out,
              other = swapped ? coordinate->n_out : coordinate->n_kept;
    const double *C = redundant_place_of(coordinate, place);
    double *S = phx_calloc(context, (size_t)n * (size_t)n, sizeof *S), sum = 0.0;
    phx_status status = S ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        for (int i = 0; i < n; i++)
            S[i * n + i] = 1.0;
        phx_dense_multiply(swapped, !swapped, n, n, other, 1.0, C, coordinate->n_kept, C, coordinate->n_kept, 1.0, S,
                           n);
        status = phx_dense_cholesky(context, n, S);
    }
    for (int i = 0; i < n && !status; i++)
        sum -= log(S[i * n + i]);
    coordinate->volume[place] = sum;
    phx_free(S);
    return status;
}

/* C at the place x; a place where the kept rows are dependent to the last digit is passed over. */
static phx_status add_place(workspace *ws, const double *x, choice *coordinate)
{
    memset(ws->step.vm, 0, (size_t)ws->kkt.n_v * sizeof(double));
    phx_sys_set_instant(ws, x, ws->step.vm);
    ws->by->rows(ws, 0.0, 0.0);
    phx_status status = ws->by->factor_mass(ws, x);
    if (!status)
        status = phx_sys_dependence(ws, redundant_place_of(coordinate, coordinate->n_places));
    if (!status)
        status = measure_volume(ws->base.context, coordinate, coordinate->n_places);
    coordinate->n_places += status == PHX_OK;
    return status < 0 ? status : PHX_OK;
}

/* The start, and walks along the free motion from it. */
static phx_status visit_places(phx_system *system, workspace *ws, choice *coordinate)
{
    phx_context *context = system->context;
    double *x = phx_calloc(context, (size_t)system->n_x, sizeof *x);
    double *way = phx_calloc(context, (size_t)system->n_v, sizeof *way);
    phx_status status = x && way ? add_place(ws, system->start.x, coordinate) : PHX_ERR_MEMORY;

    for (int walk = 0; walk < WALKS && !status; walk++) {
        memcpy(x, system->start.x, (size_t)system->n_x * sizeof *x);
        phx_sys_any_way(system, walk, way);
        for (int k = 0; k < STEPS && !status; k++) {
            status = phx_sys_walk(system, STRIDE, way, x);
            if (status > 0) {
                phx_context_clear(context); /* the end of this way */
                status = PHX_OK;
                break;
            }
            if (!status)
                status = add_place(ws, x, coordinate);
        }
    }
    phx_free(x);
    phx_free(way);
    return status;
}

static double largest_magnification(const choice *coordinate)
{
    const size_t count = (size_t)coordinate->n_places * (size_t)coordinate->n_out * (size_t)coordinate->n_kept;
    double largest = 0.0;

    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(coordinate->C[k]));
    return largest;
}

/* The exchange of a row left out with a kept one, not a drive, that makes the least volume of all places largest. */
static double best_exchange(const choice *coordinate, int *out, int *kept)
{
    double best = -HUGE_VAL;

    for (int i = 0; i < coordinate->n_out; i++)
        for (int j = 0; j < coordinate->n_kept; j++) {
            double least = HUGE_VAL;
            if (coordinate->system->rows.slot[coordinate->kept[j]].role == ROW_DRIVEN)
                continue;
            for (int p = 0; p < coordinate->n_places && least > best; p++)
                least = fmin(least, coordinate->volume[p] +
                                        log(fabs(redundant_place_of(coordinate, p)[i * coordinate->n_kept + j])));
            if (least > best) {
                best = least;
                *out = i;
                *kept = j;
            }
        }
    return best;
}

/* G_Di = sum_l C_il G_l solved for G_j, and put into the others. */
static void exchange(choice *coordinate, int i, int j)
{
    const int n = coordinate->n_kept, row = coordinate->out[i];

    for (int p = 0; p < coordinate->n_places; p++) {
        double *C = redundant_place_of(coordinate, p);
        const double pivot = C[i * n + j];
        coordinate->volume[p] += log(fabs(pivot));
        for (int l = 0; l < n; l++)
            C[i * n + l] = l == j ? 1.0 / pivot : -C[i * n + l] / pivot;
        for (int r = 0; r < coordinate->n_out; r++) {
            const double share = C[r * n + j];
            if (r == i || share == 0.0)
                continue;
            C[r * n + j] = 0.0;
            for (int l = 0; l < n; l++)
                C[r * n + l] += share * C[i * n + l];
        }
    }
    coordinate->out[i] = coordinate->kept[j];
    coordinate->kept[j] = row;
}

static double least_volume(const choice *coordinate)
{
    double least = HUGE_VAL;
    for (int p = 0; p < coordinate->n_places; p++)
        least = fmin(least, coordinate->volume[p]);
    return least;
}

/* Exchanges rows of system->independent and system->redundant until the kept ones determine the others well. */
static phx_status improve_choice(phx_system *system)
{
    phx_context *context = system->context;
    const size_t n_out = (size_t)system->rows.n_redundant, n_kept = (size_t)system->rows.n_independent;
    choice coordinate = {.system = system,
                         .n_out = system->rows.n_redundant,
                         .n_kept = system->rows.n_independent,
                         .out = system->rows.redundant,
                         .kept = system->rows.independent};
    workspace *ws = NULL;
    phx_status status = phx_sys_workspace_create(system, context, PHX_BACKEND_AUTO, system->rows.n_independent,
                                                 system->rows.independent, &ws);

    coordinate.C = phx_calloc(context, (1 + WALKS * STEPS) * n_out * n_kept, sizeof *coordinate.C);
    coordinate.volume = phx_calloc(context, 1 + WALKS * STEPS, sizeof *coordinate.volume);
    if (!status && (!coordinate.C || !coordinate.volume))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = visit_places(system, ws, &coordinate);
    while (!status && largest_magnification(&coordinate) > LARGE) {
        int i = 0, j = 0;
        if (!(best_exchange(&coordinate, &i, &j) > least_volume(&coordinate) + log(GAIN)))
            break;
        exchange(&coordinate, i, j);
    }
    phx_free(coordinate.C);
    phx_free(coordinate.volume);
    phx_sys_workspace_destroy(ws);
    return status;
}

/* Into the lists, in the order of the rows. */
static void redundant_list_rows(phx_system *system)
{
    system->rows.n_redundant = system->rows.n_independent = 0;
    for (int r = 0; r < system->rows.n; r++) {
        if (!phx_sys_acts(&system->rows.slot[r]))
            continue;
        if (system->rows.slot[r].redundant)
            system->rows.redundant[system->rows.n_redundant++] = r;
        else
            system->rows.independent[system->rows.n_independent++] = r;
    }
}

static void count_rows(phx_system *system)
{
    for (int k = 0; k < system->rows.n_independent; k++)
        system->components.slot[system->rows.slot[system->rows.independent[k]].component].n_rows++;
}

static phx_status create_lists(phx_system *system)
{
    phx_free(system->rows.independent); /* of the rows that acted before an event */
    phx_free(system->rows.redundant);
    system->rows.independent = phx_calloc(system->context, (size_t)system->rows.n, sizeof *system->rows.independent);
    system->rows.redundant = phx_calloc(system->context, (size_t)system->rows.n, sizeof *system->rows.redundant);
    return system->rows.independent && system->rows.redundant ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_sys_take_redundant(phx_system *system, const int *redundant)
{
    const phx_status status = create_lists(system);

    if (status)
        return status;
    for (int r = 0; r < system->rows.n; r++)
        system->rows.slot[r].redundant = redundant[r] != 0;
    redundant_list_rows(system);
    count_rows(system);
    return PHX_OK;
}

/* Lists independent and redundant rows and exchanges them until the combinations C stay small along the free motion,
 * theory 3 (7). */
static phx_status choose_rows(phx_system *system)
{
    phx_status status = PHX_OK;

    redundant_list_rows(system);
    if (system->rows.n_redundant > 0) {
        status = improve_choice(system);
        for (int k = 0; k < system->rows.n_independent; k++)
            system->rows.slot[system->rows.independent[k]].redundant = false;
        for (int k = 0; k < system->rows.n_redundant; k++)
            system->rows.slot[system->rows.redundant[k]].redundant = true;
        redundant_list_rows(system);
    }
    count_rows(system);
    return status;
}

/* Each row by itself while there are few; of more, one message with the joints they begin with. */
static void warn(const phx_system *system)
{
    enum { FEW = 12, NAMED = 5 };
    const char *meaning = "the motion is determined, of the reactions the least-norm ones are given";
    char names[512] = "";
    int used = 0, joints = 0;

    for (int k = 0, last = -1; k < system->rows.n_redundant; k++) {
        const row_slot *slot = &system->rows.slot[system->rows.redundant[k]];
        const char *name = system->joints[slot->joint].name;
        if (system->joints[slot->joint].contact) /* as many as touch */
            continue;
        if (system->rows.n_redundant <= FEW)
            phx_log(system->context, PHX_LOG_WARNING, "joint '%s': row %d is redundant; %s", name, slot->number + 1,
                    meaning);
        if (slot->joint == last)
            continue;
        last = slot->joint;
        if (joints++ < NAMED)
            used += snprintf(names + used, sizeof names - (size_t)used, "%s'%.80s'", used ? ", " : "", name);
    }
    if (system->rows.n_redundant > FEW)
        phx_log(system->context, PHX_LOG_WARNING,
                "%d rows of %d joints are redundant (joints %s%s; 'phlexor check' lists all rows); %s",
                system->rows.n_redundant, joints, names, joints > NAMED ? ", ..." : "", meaning);
}

/* Finds the acting rows that depend on others at the start configuration, by a rank-revealing factorisation, chooses
 * which rows to leave out and warns about them. */
phx_status phx_sys_find_redundant(phx_system *system)
{
    phx_context *context = system->context;
    workspace *ws = NULL, *own = NULL; /* that of the assembly when it has no further rows */
    int *all = phx_calloc(context, (size_t)system->rows.n, sizeof *all), count = 0, n_dependent = 0;
    int *dependent = phx_calloc(context, (size_t)system->rows.n, sizeof *dependent);
    phx_status status = all && dependent ? create_lists(system) : PHX_ERR_MEMORY;

    for (int r = 0; r < system->rows.n; r++)
        system->rows.slot[r].redundant = false;
    for (int r = 0; r < system->rows.n && !status; r++)
        if (phx_sys_acts(&system->rows.slot[r]))
            all[count++] = r;
    if (!status && count > 0) {
        if (count < system->rows.n)
            status = phx_sys_workspace_create(system, context, PHX_BACKEND_AUTO, count, all, &own);
        ws = own ? own : system->start.assembly;
        if (!status)
            status = phx_sys_dependent_rows(ws, system->start.x, dependent, &n_dependent);
        if (!status && n_dependent > 0)
            status = check_neighbours(system, ws, dependent, n_dependent);
    }
    for (int k = 0; k < n_dependent && !status; k++)
        system->rows.slot[all[dependent[k]]].redundant = true;
    if (!status)
        status = choose_rows(system);
    if (!status)
        warn(system);
    phx_sys_workspace_destroy(own);
    phx_free(all);
    phx_free(dependent);
    return status;
}
