/* Matrices that CalculiX itself writes: the body they make has the frequencies that CalculiX prints for the same deck.
 * Skipped where there is no program ccx. */
#include "sample.h"

#include <string.h>

#include "support/testing.h"

/* of a cantilever of steel along x */
static const double length = 0.4, width = 0.1, height = 0.05, density = 7850.0;
enum { MOST_MODES = 20, MOST_UNKNOWNS = 400 };

typedef enum hold { FREE_BODY, HELD, RIGID_END } hold;

static bool has_ccx;

static int setup(void **state)
{
    has_ccx = system("command -v ccx >/dev/null 2>&1") == 0;
    if (!has_ccx)
        print_message("there is no program ccx (Debian package calculix-ccx): not compared with CalculiX\n");
    return enter_folder() ? context_setup(state) : -1;
}

static int teardown(void **state)
{
    leave_folder();
    return context_teardown(state);
}

/* ---- decks ---- */
static void put_mesh(FILE *file, const phx_mesh *mesh, const char *type)
{
    const phx_mesh_group *end = phx_mesh_group_named(mesh, "x0");
    fprintf(file, "*NODE, NSET=ALL\n");
    for (int i = 0; i < mesh->n_nodes; i++)
        fprintf(file, "%d, %.15g, %.15g, %.15g\n", i + 1, mesh->x[3 * i], mesh->x[3 * i + 1], mesh->x[3 * i + 2]);
    fprintf(file, "*ELEMENT, TYPE=%s, ELSET=SOLID\n", type);
    for (int e = 0, label = 1; e < mesh->n_cells; e++) {
        const int first = mesh->first[e], count = mesh->first[e + 1] - first;
        if (phx_cell_info_of(mesh->type[e])->dimension < 3)
            continue;
        fprintf(file, "%d", label++);
        for (int k = 0; k < count; k++)
            fprintf(file, ",%s%d", k == 14 ? "\n" : " ", mesh->node[first + k] + 1);
        fprintf(file, "\n");
    }
    fprintf(file, "*NSET, NSET=END\n");
    for (int k = 0; k < end->n_nodes; k++)
        fprintf(file, "%d,\n", end->nodes[k] + 1);
}

static void write_beam(phx_context *context, const char *path, phx_cell_type type, hold held, bool storage)
{
    const phx_box_mesh def = {{length, width, height}, {type == PHX_CELL_TET10 ? 2 : 4, 1, 1}, type};
    phx_mesh mesh = {0};
    CHECK_OK(context, phx_mesh_box(context, &def, &mesh));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    put_mesh(file, &mesh, type == PHX_CELL_TET10 ? "C3D10" : "C3D20");
    fprintf(file, "*MATERIAL, NAME=STEEL\n*ELASTIC\n2.1e11, 0.3\n*DENSITY\n%g\n", density);
    fprintf(file, "*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n");
    if (held == HELD)
        fprintf(file, "*BOUNDARY\nEND, 1, 3\n");
    if (held == RIGID_END)
        fprintf(file,
                "*NODE, NSET=POINTS\n1001, 0., %g, %g\n1002, 5., 6., 7.\n*RIGID BODY, NSET=END, REF NODE=1001, "
                "ROT NODE=1002\n",
                width / 2.0, height / 2.0);
    fprintf(file, "*STEP\n*FREQUENCY%s\n*END STEP\n",
            storage ? ", SOLVER=MATRIXSTORAGE" : "\n14"); /* more of few unknowns, and ccx prints zeros */
    fclose(file);
    phx_mesh_free(&mesh);
}

/* The circular frequencies that ccx prints, those of rigid motions left out. */
static int printed_frequencies(const char *path, double *omega)
{
    char line[200];
    int count = 0, mode;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && !strstr(line, "P A R T I C I P A T I O N")) {
        double square, rate;
        if (sscanf(line, "%d %lf %lf", &mode, &square, &rate) == 3 && rate > 10.0 && count < MOST_MODES)
            omega[count++] = rate;
    }
    fclose(file);
    return count;
}

static int run_beam(phx_context *context, phx_cell_type type, hold held, double *omega)
{
    write_beam(context, "beam.inp", type, held, true);
    write_beam(context, "plain.inp", type, held, false);
    assert_int_equal(system("ccx -i beam >beam.log 2>&1 && ccx -i plain >plain.log 2>&1"), 0);
    return printed_frequencies("plain.dat", omega);
}

/* ---- frequencies of a pair of matrices; M may be singular ----
 * M x = 1/(omega^2 + s) (K + s M) x */
static int frequencies(phx_context *context, const phx_elastic_model *model, double *omega)
{
    const size_t n = (size_t)model->n;
    static double M[MOST_UNKNOWNS * MOST_UNKNOWNS], A[MOST_UNKNOWNS * MOST_UNKNOWNS], value[MOST_UNKNOWNS];
    double trace[2] = {0.0, 0.0};
    int count = 0;
    assert_true(n <= MOST_UNKNOWNS);
    phx_csr_to_dense(&model->M, M);
    phx_csr_to_dense(&model->K, A);
    for (size_t i = 0; i < n; i++) {
        trace[0] += M[i * n + i];
        trace[1] += A[i * n + i];
    }
    const double shift = 1e-6 * trace[1] / trace[0];
    for (size_t i = 0; i < n * n; i++)
        A[i] += shift * M[i];
    CHECK_OK(context, phx_dense_eigen_symmetric(context, model->n, M, A, value, NULL));
    for (int k = model->n - 1; k >= 0 && count < MOST_MODES; k--) {
        const double square = 1.0 / value[k] - shift;
        if (square > 1e-3 * shift)
            omega[count++] = sqrt(square);
    }
    return count;
}

static void compare(int count, const double *got, const double *want, double tolerance, const char *what)
{
    double worst = 0.0;
    for (int k = 0; k < count; k++) {
        CHECK_RELATIVE(got[k], want[k], tolerance, "%s, mode %d", what, k);
        worst = fmax(worst, fabs(got[k] / want[k] - 1.0));
    }
    print_message("%s: %d frequencies, largest difference %.1e\n", what, count, worst);
}

static void check_body(phx_context *context, const phx_elastic_model *model)
{
    const double centre[3] = {length / 2.0, width / 2.0, height / 2.0};
    const double mass = density * length * width * height;
    phx_elastic_summary summary;
    CHECK_OK(context, phx_elastic_summarise(context, model, &summary));
    CHECK_RELATIVE(summary.mass, mass, 1e-10, "mass");
    CHECK_VECTOR(3, summary.centre, centre, 1e-10, "centre");
    CHECK_RELATIVE(summary.inertia[0], mass * (width * width + height * height) / 12.0, 1e-9, "inertia about x");
    CHECK_RELATIVE(summary.inertia[8], mass * (width * width + length * length) / 12.0, 1e-9, "inertia about z");
    CHECK_SMALL(max_abs(6, summary.rigid_force), 1e-11, "force of rigid motions");
}

static phx_elastic_model *import_beam(phx_context *context)
{
    phx_elastic_model *model;
    CHECK_OK(context, import_files(context, phx_import_def_default(), &model, "beam.inp", "beam.sti", "beam.mas",
                                   "beam.dof", NULL));
    return model;
}

static void same_frequencies(phx_context *context, phx_cell_type type, hold held, const char *what)
{
    double printed[MOST_MODES], omega[MOST_MODES];
    const int count = run_beam(context, type, held, printed);
    phx_elastic_model *model = import_beam(context);
    assert_true(count >= 8);
    if (held != HELD)
        check_body(context, model);
    assert_true(frequencies(context, model, omega) >= count);
    compare(count, omega, printed, 1e-5, what);
    phx_elastic_destroy(model);
}

static void held_and_free(void **state)
{
    if (!has_ccx)
        skip();
    same_frequencies(*state, PHX_CELL_HEX20, HELD, "C3D20, held");
    same_frequencies(*state, PHX_CELL_HEX20, FREE_BODY, "C3D20, free");
    same_frequencies(*state, PHX_CELL_TET10, HELD, "C3D10, held");
    same_frequencies(*state, PHX_CELL_TET10, FREE_BODY, "C3D10, free");
}

/* The translations of the ROT NODE are rotations; the deck says so. */
static void rigid_end(void **state)
{
    if (!has_ccx)
        skip();
    same_frequencies(*state, PHX_CELL_HEX20, RIGID_END, "C3D20, rigid end");
    same_frequencies(*state, PHX_CELL_TET10, RIGID_END, "C3D10, rigid end");
}

/* The mass matrix of C3D10 is singular: four integration points. The modes of the library on it. */
static void library_modes(void **state)
{
    if (!has_ccx)
        skip();
    const phx_continuum_def def = {.name = "beam", .basis = PHX_BASIS_FREE, .modes = 8};
    double printed[MOST_MODES];
    phx_flex_source *source;
    run_beam(*state, PHX_CELL_TET10, FREE_BODY, printed);
    CHECK_OK(*state, phx_continuum_source_create(*state, &def, import_beam(*state), 0, NULL, &source));
    compare(8, phx_continuum_frequencies(source), printed, 1e-5, "C3D10, modes of the library");
    phx_flex_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(held_and_free, setup, teardown),
        cmocka_unit_test_setup_teardown(rigid_end, setup, teardown),
        cmocka_unit_test_setup_teardown(library_modes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
