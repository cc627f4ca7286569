/* Solids against the program ccx (CalculiX) on the same mesh: with the mass at the points of the stiffness the
 * frequencies are the same (C3D8 of CalculiX is the plain one). Skipped where there is no ccx. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "solids.h"

enum { SKIPPED = 77, MODES = 6 };

static const char *const calculix_names[SOLID_TYPES] = {"C3D4",   "C3D10", NULL,    "C3D20",
                                                        "C3D20R", "C3D6",  "C3D15", "C3D8"};

static void write_deck(const char *path, const phx_mesh *mesh, const char *type)
{
    const phx_mesh_group *held = phx_mesh_group_in(mesh, "x0", 2);
    FILE *file = fopen(path, "w");
    int e = 0;

    assert_non_null(file);
    fprintf(file, "*NODE\n");
    for (int i = 0; i < mesh->n_nodes; i++)
        fprintf(file, "%d,%.14e,%.14e,%.14e\n", i + 1, mesh->x[3 * i], mesh->x[3 * i + 1], mesh->x[3 * i + 2]);
    fprintf(file, "*ELEMENT,TYPE=%s,ELSET=E", type);
    for (int c = 0; c < mesh->n_cells; c++) {
        if (phx_cell_info_of(mesh->type[c])->dimension != 3)
            continue;
        fprintf(file, "\n%d", ++e);
        for (int k = mesh->first[c]; k < mesh->first[c + 1]; k++)
            fprintf(file, ",%s%d", k - mesh->first[c] == 10 ? "\n" : "", mesh->node[k] + 1);
    }
    fprintf(file, "\n*NSET,NSET=X0\n");
    for (int k = 0; k < held->n_nodes; k++)
        fprintf(file, "%d,\n", held->nodes[k] + 1);
    fprintf(file,
            "*BOUNDARY\nX0,1,3\n*MATERIAL,NAME=M\n*ELASTIC\n210e9,0.3\n*DENSITY\n7800\n"
            "*SOLID SECTION,ELSET=E,MATERIAL=M\n*STEP\n*FREQUENCY\n%d\n*END STEP\n",
            MODES);
    assert_int_equal(fclose(file), 0);
}

/* Frequencies in Hz: the fourth column of the lines that begin with the number of a mode. */
static void read_frequencies(const char *path, double hertz[MODES])
{
    FILE *file = fopen(path, "r");
    char line[200];
    int found = 0, mode;
    double value, omega;

    assert_non_null(file);
    while (found < MODES && fgets(line, sizeof line, file))
        if (sscanf(line, "%d %lf %lf %lf", &mode, &value, &omega, &hertz[found]) == 4 && mode == found + 1)
            found++;
    fclose(file);
    assert_int_equal(found, MODES);
}

static void frequencies(phx_context *context, phx_mesh *mesh, phx_solid_rule rule, double hertz[MODES])
{
    const phx_solid_region region = {.material = steel(), .rule = rule, .mass_at_stresses = true};
    phx_elastic_model *model;

    CHECK_OK(context, phx_solid_create(context, mesh, 1, &region, &model));
    free_set set = free_all(model->n);
    for (int k = 0; k < 3; k++)
        hold_group(&set, model, "x0", PHX_UNKNOWN_UX + k);
    phx_csr K = restricted(context, &model->K, &set), M = restricted(context, &model->M, &set);
    lowest_frequencies(context, &K, &M, 0.0, MODES, hertz, NULL);
    for (int k = 0; k < MODES; k++)
        hertz[k] /= 2.0 * TEST_PI;
    phx_csr_free(&K);
    phx_csr_free(&M);
    free_set_release(&set);
    phx_elastic_destroy(model);
}

static void test_frequencies(void **state)
{
    phx_context *context = *state;
    const double size[3] = {0.3, 0.1, 0.06};
    char folder[] = "/tmp/phlexor-ccx-XXXXXX", path[80], command[200];

    assert_non_null(mkdtemp(folder));
    for (int t = 0; t < SOLID_TYPES; t++) {
        double got[MODES], want[MODES];
        if (!calculix_names[t])
            continue;
        phx_mesh mesh = box_mesh(context, size, 6, 3, 2, solid_types[t].cell, BOX_CURVED);
        snprintf(path, sizeof path, "%s/deck.inp", folder);
        write_deck(path, &mesh, calculix_names[t]);
        snprintf(command, sizeof command, "cd %s && OMP_NUM_THREADS=1 ccx deck >/dev/null 2>&1", folder);
        assert_int_equal(system(command), 0);
        snprintf(path, sizeof path, "%s/deck.dat", folder);
        read_frequencies(path, want);
        frequencies(context, &mesh, solid_types[t].rule, got);
        for (int k = 0; k < MODES; k++) /* seven digits are printed */
            CHECK_RELATIVE(got[k], want[k], 5e-7, "%s, mode %d", solid_types[t].name, k + 1);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_frequencies, context_setup, context_teardown),
    };
    if (system("command -v ccx >/dev/null") != 0)
        return SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
