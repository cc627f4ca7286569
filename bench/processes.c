/* Blocks of hexahedra with 20 nodes over the processes of mpirun: wall-clock time, processor time and memory of all
 * processes for the free modes in the basis of a reduced body, everything included (parts, assembly, solver,
 * integrals), and how they grow.
 *
 *     mpirun -n N bench_processes [--unknowns N] [--sizes N] [--modes N] [--solver mumps|gamg]
 *
 * --unknowns: the largest of the sizes (three), each three times the one before, about. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "continuum/continuum.h"
#include "options.h"
#include "ranks/ranks.h"
#include "timing.h"

enum { MOST_SIZES = 8 };

typedef struct measured {
    double unknowns, wall, processor, memory, highest; /* s, s, MB, Hz */
} measured;

static phx_status make_block(phx_context *context, double unknowns, phx_elastic_model **model)
{
    static const double per_element = 12.0, layers[3] = {5.0, 3.0, 2.0}; /* unknowns, about; the sides */
    const double n = fmax(1.0, cbrt(unknowns / per_element / (layers[0] * layers[1] * layers[2])));
    phx_box_mesh box = {.size = {1.0, 0.6, 0.4}, .type = PHX_CELL_HEX20};
    phx_solid_region region = {0};
    phx_mesh mesh;

    for (int a = 0; a < 3; a++)
        box.elements[a] = (int)round(layers[a] * n);
    phx_isotropic_material(2.1e11, 0.3, 7850.0, &region.material);
    phx_status status = phx_mesh_box(context, &box, &mesh);
    if (!status)
        status = phx_solid_create(context, &mesh, 1, &region, model);
    if (status)
        phx_mesh_free(&mesh);
    return status;
}

static phx_status measure(phx_context *context, phx_ranks *ranks, int modes, double unknowns, measured *found)
{
    const phx_continuum_def def = {.name = "block", .basis = PHX_BASIS_FREE, .modes = modes};
    const double wall = bench_wall_clock(), processor = bench_clock();
    phx_elastic_model *model = NULL;
    phx_flex_source *source = NULL;
    phx_status status = make_block(context, unknowns, &model);

    if (!status)
        found->unknowns = model->n;
    if (!status)
        status = phx_continuum_source_create(context, &def, model, 0, NULL, &source);
    if (status) {
        phx_elastic_destroy(model);
        return status;
    }
    found->highest = phx_continuum_frequencies(source)[modes - 1] / (2.0 * acos(-1.0));
    phx_flex_source_destroy(source);
    double of_all[2] = {bench_clock() - processor, bench_peak_memory()};
    phx_ranks_sum(ranks, 2, of_all);
    found->wall = bench_wall_clock() - wall;
    found->processor = of_all[0];
    found->memory = of_all[1];
    return PHX_OK;
}

static void print(const measured *found, const measured *before)
{
    printf("%9.0f  %9.1f  %9.1f  %8.0f  %12.6g", found->unknowns, found->wall, found->processor, found->memory,
           found->highest);
    if (before) {
        const double growth = log(found->unknowns / before->unknowns);
        printf("  %6.2f  %6.2f  %6.2f", log(found->wall / before->wall) / growth,
               log(found->processor / before->processor) / growth, log(found->memory / before->memory) / growth);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *solver = "gamg";
    double unknowns = 12e3;
    int modes = 20, sizes = 3;
    const bench_option options[] = {{"--unknowns", NULL, NULL, &unknowns},
                                    {"--sizes", NULL, &sizes, NULL},
                                    {"--modes", NULL, &modes, NULL},
                                    {"--solver", &solver, NULL, NULL}};
    phx_context *context;
    phx_ranks *ranks = NULL;
    measured found[MOST_SIZES];
    phx_status status = PHX_OK;
    bool abort;

    if (!bench_read_options(4, options, argc, argv) || modes < 1 || sizes < 1 || sizes > MOST_SIZES ||
        (strcmp(solver, "gamg") != 0 && strcmp(solver, "mumps") != 0)) {
        fprintf(stderr, "usage: mpirun -n N %s [--unknowns N] [--sizes N] [--modes N] [--solver mumps|gamg]\n",
                argv[0]);
        return 2;
    }
    if (phx_context_create(&context) || phx_ranks_open(context, &ranks)) {
        fprintf(stderr, "%s: nothing is measured\n", phx_context_message(context));
        return 0;
    }
    phx_ranks_set_method(ranks, strcmp(solver, "gamg") ? PHX_RANKS_MUMPS : PHX_RANKS_GAMG);
    phx_context_set_ranks(context, ranks);
    if (phx_ranks_rank(ranks) == 0)
        printf("%s, %d processes, %d modes; growth: exponents from the size before\n"
               " unknowns    wall, s    processor  mem., MB  highest, Hz  wall    proc.   mem.\n",
               solver, phx_ranks_size(ranks), modes);
    for (int k = 0; k < sizes && !status; k++) {
        status = measure(context, ranks, modes, unknowns / pow(3.0, sizes - 1 - k), &found[k]);
        if (!status && phx_ranks_rank(ranks) == 0)
            print(&found[k], k ? &found[k - 1] : NULL);
    }
    if (phx_ranks_reports(ranks, status != PHX_OK, &abort))
        fprintf(stderr, "%s\n", phx_context_message(context));
    if (abort)
        phx_ranks_abort(ranks, 1);
    phx_ranks_close(ranks);
    phx_context_destroy(context);
    return status != PHX_OK;
}
