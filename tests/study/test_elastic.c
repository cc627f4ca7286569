/* A mesh of another program becomes a model file, and its body, reduced, a file. */
#include "study/study.h"
#include "support/testing.h"

#include <stdio.h>

/* A block of steel, 200 x 20 x 10 mm, of 4 hexahedra with 8 nodes along x; two of its edges and a corner in groups
 * before its ends, a side of it in one after them. */
static void write_deck(const char *path)
{
    enum { N = 4 };
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("*NODE, NSET=all\n", file);
    for (int i = 0; i <= N; i++)
        for (int k = 0; k < 4; k++)
            fprintf(file, "%d, %g, %g, %g\n", 4 * i + k + 1, 50.0 * i, k == 1 || k == 2 ? 20.0 : 0.0,
                    k >= 2 ? 10.0 : 0.0);
    fputs("*ELEMENT, TYPE=C3D8, ELSET=block\n", file);
    for (int i = 0; i < N; i++) {
        fprintf(file, "%d", i + 1);
        for (int k = 0; k < 8; k++)
            fprintf(file, ", %d", 4 * (i + k / 4) + k % 4 + 1);
        fputc('\n', file);
    }
    fputs("*ELEMENT, TYPE=T3D2, ELSET=edges\n5, 1, 2\n6, 2, 3\n*ELEMENT, TYPE=M3D4, ELSET=side\n7, 17, 18, 19, 20\n",
          file);
    fputs("*NSET, NSET=corner\n17\n*ELSET, ELSET=end\n7\n*NSET, NSET=root\n1, 2, 3, 4\n*NSET, NSET=tip\n17, 18, 19, "
          "20\n*MATERIAL, NAME=steel\n*ELASTIC\n210000, 0.3\n"
          "*DENSITY\n7.85e-9\n*SOLID SECTION, ELSET=block, MATERIAL=steel\n",
          file);
    fclose(file);
}

static void check_line(const char *path, const char *wanted)
{
    FILE *file = fopen(path, "r");
    char line[200] = "";

    assert_non_null(file);
    while (strcmp(line, wanted) && fgets(line, sizeof line, file))
        continue;
    fclose(file);
    assert_string_equal(line, wanted);
}

static void a_mesh_becomes_a_reduced_body(void **state)
{
    phx_context *context = *state;
    const char *const files[] = {"block.inp"};
    phx_study_import_options options = phx_study_import_options_default();
    phx_import_report *imported = NULL;
    phx_reduce_report reduced;
    phx_model *model = NULL;

    write_deck(files[0]);
    options.n_files = 1;
    options.files = files;
    options.length = 1e-3; /* mm, t, s */
    options.mass = 1e3;
    CHECK_OK(context, phx_study_import(context, &options, &imported));
    CHECK_OK(context, phx_import_report_save(context, imported, "block.yaml"));
    CHECK_STATUS(context, phx_import_report_save(context, imported, files[0]), PHX_ERR_INPUT);
    phx_import_report_destroy(imported);
    check_line("block.yaml", "      root: {on: root}\n");
    check_line("block.yaml", "      end: {on: end}\n");

    CHECK_OK(context, phx_model_read(context, "block.yaml", 0, NULL, &model));
    CHECK_OK(context, phx_study_reduce(context, model, "block", "block.h5", &reduced));
    CHECK_RELATIVE(reduced.mass, 7850.0 * 0.2 * 0.02 * 0.01, 1e-12, "mass");
    assert_int_equal(reduced.ports, 2);
    assert_int_equal(reduced.nodes, 20);
    /* linear cells, one over the height, are stiffer in bending than a beam, 1329 Hz */
    CHECK_BETWEEN(reduced.frequency[0], 1329.0, 8000.0, "first free frequency, Hz");
    phx_reduce_report_free(&reduced);
    CHECK_STATUS(context, phx_study_reduce(context, model, "blok", "other.h5", &reduced), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "block");
    phx_model_destroy(model);
    remove("block.inp");
    remove("block.yaml");
    remove("block.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_mesh_becomes_a_reduced_body, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
