/* Solutions with the inverse of the velocity block kept: its clusters, and how they are filled from the matrix. */
#include "fast_schur.h"

#include <string.h>

static const schur_operations *schur_select(void)
{
#ifdef PHX_AVX2
    if (phx_cpu_has_avx2())
        return &phx_schur_simd_avx2;
#endif
    return &phx_schur_simd;
}

static int filled(int n)
{
    return (n + 3) / 4 * 4;
}

/* ---- creation ---- */
/* label: of each velocity the number of its cluster. Returns how many there are. */
static int find_clusters(const kkt_matrix *kkt, int *label)
{
    int count = 0;

    for (int i = 0; i < kkt->n_v; i++)
        label[i] = i;
    for (int i = 0; i < kkt->n_v; i++)
        for (int e = kkt->ptr[i]; e < kkt->ptr[i + 1]; e++)
            if (kkt->idx[e] < kkt->n_v) {
                const int a = phx_sys_root_of(label, i), b = phx_sys_root_of(label, kkt->idx[e]);
                label[a > b ? a : b] = a > b ? b : a; /* a root is the first of its cluster */
            }
    for (int i = 0; i < kkt->n_v; i++)
        label[i] = label[i] == i ? -1 - count++ : label[i];
    for (int i = 0; i < kkt->n_v; i++) { /* roots stand before what leads to them */
        int at = i;
        while (label[at] >= 0)
            at = label[at];
        label[i] = i == at ? label[i] : label[at];
    }
    for (int i = 0; i < kkt->n_v; i++)
        label[i] = -1 - label[i];
    return count;
}

/* Velocities and rows of each cluster; false: one has too many. */
static bool count_clusters(const kkt_matrix *kkt, const int *label, row_schur *schur)
{
    for (int i = 0; i < kkt->n_v; i++)
        schur->cluster[label[i]].n++;
    for (int k = 0; k < kkt->n_l; k++)
        for (int c = 0; c < schur->n_clusters; c++) {
            bool sees = false;
            for (int e = kkt->ptr[kkt->n_v + k]; e < kkt->ptr[kkt->n_v + k + 1] && !sees; e++)
                sees = kkt->idx[e] < kkt->n_v && label[kkt->idx[e]] == c;
            schur->cluster[c].rows += sees;
        }
    for (int k = kkt->n_v; k < kkt->n; k++)
        for (int e = kkt->ptr[k]; e < kkt->ptr[k + 1]; e++)
            schur->n_corners += kkt->idx[e] >= kkt->n_v;
    for (int c = 0; c < schur->n_clusters; c++)
        if (schur->cluster[c].n > PHX_SCHUR_MOST)
            return false;
    return true;
}

/* Allocates the clusters' positions and numbers in two blocks and sets the pointers into them. */
static phx_status schur_allocate(phx_context *context, row_schur *schur)
{
    size_t places = 3 * (size_t)schur->n_corners, count = 2 * (size_t)(schur->n * schur->stride), largest = 1, y = 0;

    for (int c = 0; c < schur->n_clusters; c++) {
        schur_cluster *of = &schur->cluster[c];
        of->filled = filled(of->n);
        of->wide = filled(of->rows);
        places += (size_t)(of->n + of->rows + 2 * of->n * of->n + 4 * of->n * of->rows);
        count += (size_t)(of->n * of->filled + 3 * of->n * of->wide);
        largest = of->filled > (int)largest ? (size_t)of->filled : largest;
        y += (size_t)of->filled;
    }
    schur->count = count;
    schur->places = phx_calloc(context, places + 1, sizeof *schur->places);
    schur->numbers = phx_calloc(context, count + largest * largest + y, sizeof *schur->numbers);
    if (!schur->places || !schur->numbers)
        return PHX_ERR_MEMORY;
    int *place = schur->places + 3 * schur->n_corners;
    double *number = schur->numbers + 2 * schur->n * schur->stride;
    schur->corner = schur->places;
    schur->S = schur->numbers;
    schur->L = schur->S + schur->n * schur->stride;
    schur->dense = schur->numbers + count;
    schur->y = schur->dense + largest * largest;
    for (int c = 0; c < schur->n_clusters; c++) {
        schur_cluster *of = &schur->cluster[c];
        of->velocity = place;
        of->row = of->velocity + of->n;
        of->block = of->row + of->rows;
        of->above = of->block + 2 * of->n * of->n;
        of->below = of->above + 2 * of->n * of->rows;
        place = of->below + 2 * of->n * of->rows;
        of->inverse = number;
        of->given = of->inverse + of->n * of->filled;
        of->T = of->given + of->n * of->wide;
        of->G_T = of->T + of->n * of->wide;
        number = of->G_T + of->n * of->wide;
        of->n = of->rows = 0; /* counted again when they are filled in */
    }
    return PHX_OK;
}

/* An entry of the matrix and where it goes to, into a list of `count`, where there is one. */
static void put_place(const kkt_matrix *kkt, int row, int column, int to, int *list, int *count)
{
    const phx_csr pattern = {kkt->n, kkt->n, kkt->ptr, kkt->idx, NULL};
    const int entry = phx_csr_find(&pattern, row, column);

    if (entry < 0)
        return;
    list[2 * *count] = to;
    list[2 * (*count)++ + 1] = entry;
}

/* Fills velocities, rows and positions of every cluster and of the corner block from the KKT pattern, whose structure
 * is symmetric. */
static void fill_places(const kkt_matrix *kkt, const int *label, row_schur *schur)
{
    int corner = 0;

    for (int i = 0; i < kkt->n_v; i++) {
        schur_cluster *of = &schur->cluster[label[i]];
        of->velocity[of->n++] = i;
    }
    for (int k = 0; k < kkt->n_l; k++)
        for (int e = kkt->ptr[kkt->n_v + k]; e < kkt->ptr[kkt->n_v + k + 1]; e++) {
            if (kkt->idx[e] >= kkt->n_v) {
                schur->corner[3 * corner] = k;
                schur->corner[3 * corner + 1] = kkt->idx[e] - kkt->n_v;
                schur->corner[3 * corner++ + 2] = e;
                continue;
            }
            schur_cluster *of = &schur->cluster[label[kkt->idx[e]]];
            if (of->rows == 0 || of->row[of->rows - 1] != k)
                of->row[of->rows++] = k;
        }
    for (int c = 0; c < schur->n_clusters; c++) {
        schur_cluster *of = &schur->cluster[c];
        int above = 0;
        for (int i = 0; i < of->n; i++) {
            for (int j = 0; j < of->n; j++)
                put_place(kkt, of->velocity[i], of->velocity[j], i * of->filled + j, of->block, &of->n_block);
            for (int k = 0; k < of->rows; k++) { /* the pattern is symmetric */
                put_place(kkt, of->velocity[i], kkt->n_v + of->row[k], i * of->wide + k, of->above, &above);
                put_place(kkt, kkt->n_v + of->row[k], of->velocity[i], i * of->wide + k, of->below, &of->n_entries);
            }
        }
    }
}

/* Creates the Schur complement over the rows with one dense inverse for each cluster of coupled velocities. *made is
 * unchanged if there are more than PHX_SCHUR_MOST rows or a cluster is too large. */
phx_status phx_sys_schur_create(phx_context *context, const kkt_matrix *kkt, row_schur **made)
{
    row_schur *schur = phx_calloc(context, 1, sizeof *schur);
    int *label = phx_calloc(context, (size_t)kkt->n_v + 1, sizeof *label);
    phx_status status = schur && label ? PHX_OK : PHX_ERR_MEMORY;
    bool fits = kkt->n_l <= PHX_SCHUR_MOST;

    if (!status) {
        schur->ops = schur_select();
        schur->slot = -1;
        schur->n = kkt->n_l;
        schur->stride = filled(kkt->n_l);
        schur->n_clusters = find_clusters(kkt, label);
        schur->cluster = phx_calloc(context, (size_t)schur->n_clusters + 1, sizeof *schur->cluster);
        status = schur->cluster ? PHX_OK : PHX_ERR_MEMORY;
    }
    fits = fits && !status && count_clusters(kkt, label, schur);
    if (fits)
        status = schur_allocate(context, schur);
    if (fits && !status)
        fill_places(kkt, label, schur);
    phx_free(label);
    if (fits && !status) {
        *made = schur;
        return PHX_OK;
    }
    phx_sys_schur_free(schur);
    return status;
}

void phx_sys_schur_free(row_schur *schur)
{
    if (!schur)
        return;
    phx_free(schur->cluster);
    phx_free(schur->places);
    phx_free(schur->numbers);
    phx_free(schur);
}

/* ---- factors ---- */
static bool schur_invert(const row_schur *schur, const double *val)
{
    for (int c = 0; c < schur->n_clusters; c++) {
        const schur_cluster *of = &schur->cluster[c];
        const int n = of->n;
        memset(schur->dense, 0, (size_t)(n * of->filled) * sizeof *schur->dense);
        for (int e = 0; e < of->n_block; e++)
            schur->dense[of->block[2 * e]] = val[of->block[2 * e + 1]];
        if (!schur->ops->invert(n, of->filled, schur->dense))
            return false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                of->inverse[i * of->filled + j] = schur->dense[j * of->filled + i];
    }
    return true;
}

static void take_rows(const schur_cluster *of, const double *val)
{
    for (int e = 0; e < of->n_entries; e++) {
        of->given[of->above[2 * e]] = -val[of->above[2 * e + 1]];
        of->G_T[of->below[2 * e]] = val[of->below[2 * e + 1]];
    }
}

/* Factors the Newton matrix in `val` for a slot: inverts the clusters, unless only the rows have changed, and factors
 * S. Returns false if a pivot vanishes; the caller then factors the whole matrix. */
bool phx_sys_schur_factor(row_schur *schur, int slot, bool rows_alone, const double *val)
{
    const bool kept = rows_alone && schur->slot == slot;

    schur->slot = -1;
    if (!kept && !schur_invert(schur, val))
        return false;
    for (int k = 0; k < schur->n * schur->stride; k++)
        schur->S[k] = 0.0;
    for (const int *at = schur->corner, *last = at + 3 * schur->n_corners; at < last; at += 3)
        schur->S[at[1] * schur->stride + at[0]] = val[at[2]];
    for (int c = 0; c < schur->n_clusters; c++) {
        take_rows(&schur->cluster[c], val);
        schur->ops->eliminate(&schur->cluster[c], schur->stride, schur->S);
    }
    if (!schur->ops->factor(schur->n, schur->stride, schur->S, schur->L))
        return false;
    schur->slot = slot;
    return true;
}

void phx_sys_schur_solve(const row_schur *schur, int n_v, double *b)
{
    double *y = schur->y, *l = b + n_v;

    for (int c = 0; c < schur->n_clusters; y += schur->cluster[c++].filled)
        schur->ops->begin(&schur->cluster[c], b, y, l);
    schur->ops->solve(schur->n, schur->stride, schur->S, schur->L, l);
    y = schur->y;
    for (int c = 0; c < schur->n_clusters; y += schur->cluster[c++].filled)
        schur->ops->end(&schur->cluster[c], l, y, b);
}

void phx_sys_schur_archive(phx_archive *archive, row_schur *schur)
{
    phx_archive_int(archive, &schur->slot);
    if (phx_archive_reads(archive) && (schur->slot < -1 || schur->slot >= PHX_FACTOR_SLOTS)) {
        phx_archive_fail(archive, PHX_ERR_ARGUMENT);
        schur->slot = -1;
    }
    if (schur->slot >= 0)
        phx_archive_doubles(archive, schur->count, schur->numbers);
}
