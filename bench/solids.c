/* Solids and plates of many unknowns: time and memory of assembly, factorisation and the first modes of a free body.
 *
 *     bench_solids [--only TYPE] [--unknowns N] [--modes N] [--matrices FILE]
 *
 * TYPE: tet10, hex20, plate, hex8. N unknowns, about, instead of the two sizes. --matrices writes K and M of the last
 * mesh for solids_baseline.py, which solves the same problem by SciPy. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "continuum/continuum.h"
#include "options.h"
#include "timing.h"

static phx_status make_block(phx_context *, int type, double unknowns, phx_elastic_model **, double time[2]);
static phx_status make_plate(phx_context *, int type, double unknowns, phx_elastic_model **, double time[2]);

static const struct {
    const char *name;
    phx_status (*make)(phx_context *, int type, double unknowns, phx_elastic_model **, double time[2]);
    phx_cell_type type;
    double nodes;    /* of an element of a block, about */
    double sizes[2]; /* unknowns */
    double sigma;    /* s^-2 */
} types[] = {{"tet10", make_block, PHX_CELL_TET10, 8.0, {30e3, 120e3}, -1e6},
             {"hex20", make_block, PHX_CELL_HEX20, 4.0, {30e3, 120e3}, -1e6},
             {"plate", make_plate, PHX_CELL_TRI3, 0.0, {160e3, 500e3}, -1e4},
             {"hex8", make_block, PHX_CELL_HEX8, 1.0, {30e3, 120e3}, -1e6}};

typedef struct operators {
    phx_cholesky *factors;
    const phx_csr *M;
    int n;
    double solve, multiply; /* s */
    int solutions;
} operators;

static phx_status solve(void *user, const double *x, double *y)
{
    operators *o = user;
    const double start = bench_clock();

    memcpy(y, x, (size_t)o->n * sizeof *y);
    const phx_status status = phx_cholesky_solve(o->factors, 1, y);
    o->solve += bench_clock() - start;
    o->solutions++;
    return status;
}

static phx_status multiply(void *user, const double *x, double *y)
{
    operators *o = user;
    const double start = bench_clock();

    memset(y, 0, (size_t)o->n * sizeof *y);
    phx_csr_apply(o->M, 1.0, x, y);
    o->multiply += bench_clock() - start;
    return PHX_OK;
}

/* A block 1 x 0.5 x 0.25 m of about so many unknowns, of elements that are cubes nearly. */
static phx_status make_block(phx_context *context, int type, double unknowns, phx_elastic_model **model, double time[2])
{
    const int n = (int)fmax(1.0, round(cbrt(unknowns / 3.0 / (types[type].nodes * 4.0 * 2.0))));
    const phx_box_mesh box = {.size = {1.0, 0.5, 0.25}, .elements = {4 * n, 2 * n, n}, .type = types[type].type};
    phx_solid_region region = {0};
    phx_mesh mesh;
    double start = bench_clock();

    phx_isotropic_material(2.1e11, 0.3, 7850.0, &region.material);
    phx_status status = phx_mesh_box(context, &box, &mesh);
    time[0] = bench_clock() - start;
    start = bench_clock();
    if (!status)
        status = phx_solid_create(context, &mesh, 1, &region, model);
    time[1] = bench_clock() - start;
    if (status)
        phx_mesh_free(&mesh);
    return status;
}

/* A square plate, 1 m, 10 mm thick: HHJ, k = 1, ten unknowns for each square of the mesh. */
static phx_status make_plate(phx_context *context, int type, double unknowns, phx_elastic_model **model, double time[2])
{
    const int n = (int)fmax(1.0, round(sqrt(unknowns / 10.0)));
    const phx_rectangle_mesh square = {.size = {1.0, 1.0}, .elements = {n, n}};
    phx_plate_region region = {0};
    phx_mesh mesh;
    double start = bench_clock();

    (void)type;
    phx_isotropic_section(2.1e11, 0.3, 7850.0, 0.01, 5.0 / 6.0, &region.section);
    phx_status status = phx_mesh_rectangle(context, &square, &mesh);
    time[0] = bench_clock() - start;
    start = bench_clock();
    if (!status) {
        const phx_plate_def def = {
            .theory = PHX_PLATE_KIRCHHOFF, .order = 1, .membrane = false, .n_regions = 1, .regions = &region};
        status = phx_plate_create(context, &mesh, &def, model);
    }
    time[1] = bench_clock() - start;
    if (status)
        phx_mesh_free(&mesh);
    return status;
}

static bool write_csr(FILE *file, const phx_csr *a)
{
    const int64_t head[2] = {a->rows, a->ptr[a->rows]};
    const size_t rows = (size_t)head[0], entries = (size_t)head[1];

    return fwrite(head, sizeof head, 1, file) == 1 && fwrite(a->ptr, sizeof(int), rows + 1, file) == rows + 1 &&
           fwrite(a->idx, sizeof(int), entries, file) == entries &&
           fwrite(a->val, sizeof(double), entries, file) == entries;
}

static bool write_matrices(const char *path, const phx_csr *K, const phx_csr *M)
{
    FILE *file = fopen(path, "wb");
    const bool written = file && write_csr(file, K) && write_csr(file, M);

    return file && fclose(file) == 0 && written;
}

/* K and M of the unknowns that are stiff: a plate that only bends has no stiffness in its plane. */
static phx_status take_matrices(phx_context *context, const phx_elastic_model *model, phx_csr *K, phx_csr *M)
{
    const size_t n = (size_t)model->n;
    int *row = malloc(n * sizeof *row), *col = malloc(n * sizeof *col), kept = 0;
    double *one = malloc(n * sizeof *one);
    phx_csr select = {0};
    phx_status status = row && col && one ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < model->n && !status; i++)
        if (model->K.val[phx_csr_find(&model->K, i, i)] > 0.0) {
            row[kept] = i;
            one[kept] = 1.0;
            col[kept] = kept;
            kept++;
        }
    if (!status)
        status = phx_csr_from_triplets(context, model->n, kept, (size_t)kept, row, col, one, &select);
    if (!status)
        status = phx_csr_congruence(context, &select, &model->K, &select, K);
    if (!status)
        status = phx_csr_congruence(context, &select, &model->M, &select, M);
    phx_csr_free(&select);
    free(row);
    free(col);
    free(one);
    return status;
}

/* Shift sigma < 0: K - sigma M is positive definite, rigid motions included. */
static phx_status run(phx_context *context, int type, double unknowns, int modes, const char *matrices)
{
    const double sigma = types[type].sigma;
    double time[5] = {0}, *values = calloc((size_t)modes, sizeof *values);
    phx_elastic_model *model = NULL;
    phx_csr K = {0}, M = {0}, shifted = {0};
    operators o = {0};
    phx_status status = types[type].make(context, type, unknowns, &model, time);

    if (!status)
        status = take_matrices(context, model, &K, &M);
    const int elements = model ? model->n_elements : 0;
    phx_elastic_destroy(model);
    if (!status && matrices && !write_matrices(matrices, &K, &M))
        status = phx_fail(context, PHX_ERR_FILE, "cannot write %s", matrices);
    if (!status)
        status = phx_csr_add(context, 1.0, &K, -sigma, &M, &shifted);
    double start = bench_clock(), wall = bench_wall_clock();
    if (!status)
        status = phx_cholesky_create(context, &shifted, &o.factors);
    time[2] = bench_clock() - start;
    start = bench_clock();
    if (!status) {
        o.M = &M;
        o.n = M.rows;
        double *vectors = malloc((size_t)o.n * (size_t)modes * sizeof *vectors);
        status = phx_eigen_shift_invert(context, o.n, modes, sigma, solve, multiply, &o, 1e-13, values, vectors);
        free(vectors);
    }
    time[3] = bench_clock() - start;
    wall = bench_wall_clock() - wall;
    if (!status)
        printf("%-6s %9d %10d %11d %8.2f %9.2f %8.2f %8.2f %10d %8.2f %8.2f %8.2f %9.0f  %.10g\n", types[type].name,
               elements, K.rows, K.ptr[K.rows], time[0], time[1], time[2], time[3], o.solutions, o.solve, o.multiply,
               wall, bench_peak_memory(), sqrt(fmax(values[6 < modes ? 6 : 0], 0.0)) / 6.283185307179586);
    fflush(stdout);
    phx_cholesky_destroy(o.factors);
    phx_csr_free(&shifted);
    phx_csr_free(&K);
    phx_csr_free(&M);
    free(values);
    return status;
}

int main(int count, char **words)
{
    const char *only = NULL, *matrices = NULL;
    int unknowns = 0, modes = 20;
    const bench_option options[] = {{.name = "--only", .text = &only},
                                    {.name = "--unknowns", .count = &unknowns},
                                    {.name = "--modes", .count = &modes},
                                    {.name = "--matrices", .text = &matrices}};
    char processor[100];
    phx_context *context = NULL;
    phx_status status = PHX_OK;

    if (!bench_read_options(4, options, count, words) || modes < 1 || phx_context_create(&context))
        return 2;
    bench_processor(processor, sizeof processor);
    printf("%s, %s; a free block or plate, %d modes; processor time, s; memory: the largest so far, MB\n\n", processor,
           bench_compiler(), modes);
    printf("%-6s %9s %10s %11s %8s %9s %8s %8s %10s %8s %8s %8s %9s  %s\n", "type", "elements", "unknowns",
           "entries of K", "mesh", "assembly", "factor", "modes", "solutions", "solve", "M x", "wall", "memory",
           "first, Hz");
    phx_algebra_set_threads(1);
    for (int type = 0; type < 4 && !status; type++)
        for (int k = 0; k < (unknowns ? 1 : 2) && !status; k++)
            if (only ? strcmp(only, types[type].name) == 0 : type < 3)
                status = run(context, type, unknowns ? unknowns : types[type].sizes[k], modes, matrices);
    if (status)
        fprintf(stderr, "%s\n", phx_context_message(context));
    phx_context_destroy(context);
    return status ? 1 : 0;
}
