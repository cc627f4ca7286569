/* Meshes of shells: swept lines with exact normals, folds, files of surfaces. */
#include "mesh_checks.h"

#include <math.h>

static const double PI = 3.141592653589793, FOLD = 0.5236;

static double norm(const double *a)
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static int count_of(const phx_mesh *mesh, const char *group)
{
    const phx_mesh_group *found = phx_mesh_group_named(mesh, group);
    return found ? found->n_nodes : -1;
}

/* Each director is the exact normal of the surface at its node, and the cells run round it. */
static void check_normals(const phx_mesh *mesh, const phx_directors *directors,
                          void exact(const double *x, double *normal), double tol)
{
    for (int c = 0; c < mesh->n_cells; c++)
        for (int k = mesh->first[c]; k < mesh->first[c + 1]; k++) {
            double n[3];
            assert_int_equal(directors->of[k] >= 0, phx_cell_info_of(mesh->type[c])->dimension == 2);
            if (directors->of[k] < 0)
                continue;
            assert_int_equal(directors->node[directors->of[k]], mesh->node[k]);
            exact(mesh->x + 3 * mesh->node[k], n);
            CHECK_VECTOR(3, directors->d + 3 * directors->of[k], n, tol, "director of cell %d", c);
        }
    phx_directors means;
    CHECK_OK(NULL, phx_mesh_directors(NULL, mesh, FOLD, &means));
    assert_int_equal(means.n, directors->n);
    for (int i = 0; i < means.n; i++)
        for (int a = 0; a < 3; a++)
            assert_true(fabs(means.d[3 * i + a] - directors->d[3 * i + a]) < 0.1);
    phx_directors_free(&means);
}

static void cylinder_normal(const double *x, double *n)
{
    const double r = hypot(x[0], x[1]);
    CHECK_CLOSE(r, 2.0, 1e-14, "radius");
    n[0] = x[0] / r, n[1] = x[1] / r, n[2] = 0.0;
}

static void test_cylinder(void **state)
{
    phx_context *context = *state;
    const phx_swept_segment arc = {.arc = true, .angle = 2.0 * PI, .elements = 8},
                            up = {.to = {2.0, 3.0}, .elements = 4};
    /* a circle extruded, closed by itself; a line revolved */
    const phx_swept_mesh ways[2] = {
        {.from = {2.0, 0.0}, .n_segments = 1, .segments = &arc, .length = 3.0, .elements = 4, .fold = FOLD},
        {.from = {2.0, 0.0},
         .n_segments = 1,
         .segments = &up,
         .revolved = true,
         .length = 2.0 * PI,
         .elements = 8,
         .fold = FOLD}};
    for (int way = 0; way < 4; way++) {
        phx_swept_mesh def = ways[way % 2];
        phx_mesh mesh;
        phx_directors directors;
        def.type = way < 2 ? PHX_CELL_QUAD9 : PHX_CELL_TRI6;
        CHECK_OK(context, phx_mesh_sweep(context, &def, &mesh, &directors));
        assert_int_equal(mesh.n_nodes, 16 * 9);
        assert_int_equal(directors.n, mesh.n_nodes);
        assert_int_equal(phx_mesh_count(&mesh, 2), way < 2 ? 32 : 64);
        assert_int_equal(phx_mesh_count(&mesh, 1), 16);
        assert_int_equal(count_of(&mesh, way % 2 ? "start" : "first"), 16);
        assert_int_equal(count_of(&mesh, way % 2 ? "end" : "last"), 16);
        assert_int_equal(count_of(&mesh, way % 2 ? "first" : "start"), -1);
        check_normals(&mesh, &directors, cylinder_normal, 1e-14);
        check_conformity(&mesh, 2);
        phx_mesh_free(&mesh);
        phx_directors_free(&directors);
    }
    phx_swept_mesh slit = ways[1];
    phx_mesh mesh;
    phx_directors directors;
    slit.type = PHX_CELL_QUAD9;
    slit.slit = true;
    CHECK_OK(context, phx_mesh_sweep(context, &slit, &mesh, &directors));
    assert_int_equal(mesh.n_nodes, 17 * 9);
    assert_int_equal(count_of(&mesh, "last"), 9);
    const phx_mesh_group *corner = phx_mesh_group_named(&mesh, "end_first");
    assert_int_equal(corner->n_nodes, 1);
    CHECK_VECTOR(3, mesh.x + 3 * corner->nodes[0], ((const double[3]){2.0, 0.0, 3.0}), 1e-15, "corner");
    phx_mesh_free(&mesh);
    phx_directors_free(&directors);
}

static void sphere_normal(const double *x, double *n)
{
    CHECK_CLOSE(norm(x), 10.0, 1e-13, "radius");
    for (int a = 0; a < 3; a++)
        n[a] = -x[a] / 10.0; /* the line comes down from the hole: its right side is inside */
}

static void hypar_normal(const double *x, double *n)
{
    /* y cos(w z) = x sin(w z), w = pi/24: (-s, c, -w r) / sqrt(1 + w^2 r^2), r along the line */
    const double w = PI / 24.0, c = cos(w * x[2]), s = sin(w * x[2]), r = c * x[0] + s * x[1];
    const double size = sqrt(1.0 + w * w * r * r);
    n[0] = s / size, n[1] = -c / size, n[2] = w * r / size;
}

static void test_curved(void **state)
{
    phx_context *context = *state;
    const phx_swept_segment arc = {.arc = true, .angle = -0.4 * PI, .elements = 3},
                            straight = {.to = {0.55, 0.0}, .elements = 2};
    const phx_swept_mesh sphere = {.from = {10.0 * sin(0.1 * PI), 10.0 * cos(0.1 * PI)},
                                   .n_segments = 1,
                                   .segments = &arc,
                                   .revolved = true,
                                   .length = 0.5 * PI,
                                   .elements = 3,
                                   .type = PHX_CELL_QUAD9,
                                   .fold = FOLD},
                         strip = {.from = {-0.55, 0.0},
                                  .n_segments = 1,
                                  .segments = &straight,
                                  .length = 12.0,
                                  .twist = 0.5 * PI,
                                  .elements = 6,
                                  .type = PHX_CELL_TRI6,
                                  .fold = FOLD};
    phx_mesh mesh;
    phx_directors directors;
    CHECK_OK(context, phx_mesh_sweep(context, &sphere, &mesh, &directors));
    check_normals(&mesh, &directors, sphere_normal, 1e-13);
    phx_mesh_free(&mesh);
    phx_directors_free(&directors);
    CHECK_OK(context, phx_mesh_sweep(context, &strip, &mesh, &directors));
    check_normals(&mesh, &directors, hypar_normal, 1e-13);
    phx_mesh_free(&mesh);
    phx_directors_free(&directors);
}

/* A square tube: four patches, two directors at each node of the four folds, one elsewhere. With a fold of more than a
 * right angle there is one everywhere. */
static void test_folds(void **state)
{
    phx_context *context = *state;
    const phx_swept_segment sides[4] = {{.name = "web", .to = {1.0, 0.0}, .elements = 2},
                                        {.name = "flange", .to = {1.0, 1.0}, .elements = 2},
                                        {.to = {0.0, 1.0}, .elements = 2},
                                        {.name = "flange", .to = {0.0, 0.0}, .elements = 2}};
    phx_swept_mesh def = {
        .n_segments = 4, .segments = sides, .length = 3.0, .elements = 3, .type = PHX_CELL_QUAD9, .fold = FOLD};
    phx_mesh mesh;
    phx_directors directors;
    CHECK_OK(context, phx_mesh_sweep(context, &def, &mesh, &directors));
    assert_int_equal(mesh.n_nodes, 16 * 7);
    assert_int_equal(directors.n, 20 * 7);
    assert_int_equal(phx_mesh_group_named(&mesh, "flange")->n_cells, 12);
    assert_int_equal(count_of(&mesh, "web"), 5 * 7);
    for (int c = 0; c < phx_mesh_count(&mesh, 2); c++)
        for (int k = mesh.first[c]; k < mesh.first[c + 1]; k++) {
            const double *d = directors.d + 3 * directors.of[k], *x = mesh.x + 3 * mesh.node[mesh.first[c] + 8];
            const double outward[3] = {fabs(x[0] - 0.5) > 0.4 ? copysign(1.0, x[0] - 0.5) : 0.0,
                                       fabs(x[1] - 0.5) > 0.4 ? copysign(1.0, x[1] - 0.5) : 0.0, 0.0};
            CHECK_VECTOR(3, d, outward, 1e-15, "director of cell %d", c);
        }
    phx_mesh_free(&mesh);
    phx_directors_free(&directors);
    def.fold = 1.6;
    CHECK_OK(context, phx_mesh_sweep(context, &def, &mesh, &directors));
    assert_int_equal(directors.n, mesh.n_nodes);
    phx_mesh_free(&mesh);
    phx_directors_free(&directors);
}

static phx_status read(phx_context *context, const char *text, phx_mesh *mesh)
{
    const phx_status status = phx_mesh_read_bytes(context, "a.inp", text, strlen(text), 1.0, mesh, NULL);
    return status ? status : phx_mesh_make_shell(context, mesh, "a.inp");
}

/* A quad8 and two triangles, one of which runs the other way round, on one plane and one side upward. */
static void test_file(void **state)
{
    phx_context *context = *state;
    const char *const nodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,.5,0,0\n6,1,.5,0\n7,.5,1,0\n8,0,.5,0\n"
                              "9,2,0,0\n10,2,1,0\n11,1.5,0,0\n12,1.5,.5,0\n13,1.5,1,0\n14,2,.5,0\n";
    char text[2000];
    phx_mesh mesh;
    phx_directors directors;
    snprintf(text, sizeof text,
             "%s*ELEMENT,TYPE=S8R\n1,1,2,3,4,5,6,7,8\n*ELEMENT,TYPE=STRI65\n2,2,3,9,6,12,11\n3,9,10,3,14,13,12\n",
             nodes);
    CHECK_OK(context, read(context, text, &mesh));
    assert_int_equal(mesh.type[0], PHX_CELL_QUAD9);
    assert_int_equal(mesh.n_nodes, 15);
    assert_int_equal(mesh.label ? mesh.label[14] : 15, 15);
    CHECK_VECTOR(3, mesh.x + 3 * mesh.node[8], ((const double[3]){0.5, 0.5, 0.0}), 1e-15, "centre");
    CHECK_OK(context, phx_mesh_directors(context, &mesh, FOLD, &directors));
    assert_int_equal(directors.n, 15);
    for (int i = 0; i < directors.n; i++)
        CHECK_VECTOR(3, directors.d + 3 * i, ((const double[3]){0.0, 0.0, 1.0}), 1e-15, "director %d", i);
    phx_directors_free(&directors);
    phx_mesh_free(&mesh);
    CHECK_STATUS(context, read(context, "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n*ELEMENT,TYPE=S3\n7,1,2,3\n", &mesh),
                 PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "a.inp: cell 7 is a tri3, of order 1; a shell needs order 2");
    phx_mesh_free(&mesh);
    /* the band of Moebius: triangles i, i + 1, i + 2 of five corners; node 5 + k is the middle of k, k + 1, node 10 + k
     * of k, k + 2 */
    int length = snprintf(text, sizeof text, "*NODE\n");
    for (int k = 0; k < 15; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%d,%g,%g,%g\n", k + 1, cos(1.2 * k),
                           sin(1.2 * k), 0.1 * k);
    length += snprintf(text + length, sizeof text - (size_t)length, "*ELEMENT,TYPE=S6\n");
    for (int i = 0; i < 5; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%d,%d,%d,%d,%d,%d,%d\n", i + 1, i + 1,
                           (i + 1) % 5 + 1, (i + 2) % 5 + 1, 6 + i, 6 + (i + 1) % 5, 11 + i);
    CHECK_STATUS(context, read(context, text, &mesh), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "one side alone");
    phx_mesh_free(&mesh);
}

/* Nodes in the centres of sides and cells, in the order of the table: each is the mean of the corners. */
static void test_centres(void **state)
{
    phx_context *context = *state;
    const phx_box_mesh box = {{1.0, 2.0, 3.0}, {2, 1, 2}, PHX_CELL_HEX27};
    const phx_rectangle_mesh plane = {
        .size = {1.0, 2.0}, .elements = {3, 2}, .type = PHX_CELL_QUAD9, .grading = {2.0, 1.0}};
    phx_mesh meshes[2];
    CHECK_OK(context, phx_mesh_box(context, &box, &meshes[0]));
    CHECK_OK(context, phx_mesh_rectangle(context, &plane, &meshes[1]));
    assert_int_equal(meshes[0].n_nodes, 5 * 3 * 5);
    assert_int_equal(meshes[1].n_nodes, 7 * 5);
    for (int m = 0; m < 2; m++)
        for (int c = 0; c < meshes[m].n_cells; c++) {
            const phx_mesh *mesh = &meshes[m];
            const phx_cell_info *info = phx_cell_info_of(mesh->type[c]);
            check_middles(mesh, c, 1e-15);
            for (int k = info->corners + info->edges; k < info->nodes && info->dimension > 1; k++) {
                const int s = k - info->corners - info->edges, whole = info->dimension == 2 || s == info->sides;
                const int n = whole ? info->corners : 4;
                for (int a = 0; a < 3; a++) {
                    double mean = 0.0;
                    for (int j = 0; j < n; j++)
                        mean += place(mesh, c, whole ? j : info->side[s][j])[a] / n;
                    CHECK_CLOSE(place(mesh, c, k)[a], mean, 1e-15, "node %d of cell %d", k, c);
                }
            }
        }
    phx_mesh_free(&meshes[0]);
    phx_mesh_free(&meshes[1]);
}

static void check_hex27(phx_context *context, const char *path)
{
    phx_mesh mesh;
    CHECK_OK(context, phx_mesh_read_centres(context, path, 1.0, &mesh));
    const phx_cell_info *info = phx_cell_info_of(PHX_CELL_HEX27);
    assert_int_equal(mesh.n_cells, 1);
    assert_int_equal(mesh.type[0], PHX_CELL_HEX27);
    check_middles(&mesh, 0, 1e-15);
    for (int s = 0; s <= info->sides; s++)
        for (int a = 0; a < 3; a++) {
            double mean = 0.0;
            for (int k = 0; k < 8; k++)
                mean += s == info->sides ? place(&mesh, 0, k)[a] / 8.0
                        : k < 4          ? place(&mesh, 0, info->side[s][k])[a] / 4.0
                                         : 0.0;
            CHECK_CLOSE(place(&mesh, 0, 20 + s)[a], mean, 1e-15, "%s: centre %d", path, s);
        }
    phx_mesh_free(&mesh);
    CHECK_OK(context, phx_mesh_read(context, path, 1.0, &mesh));
    assert_int_equal(mesh.type[0], PHX_CELL_HEX20);
    phx_mesh_free(&mesh);
    remove(path);
}

/* A cell of 27 nodes as Gmsh and as Abaqus write it, each node the mean of the corners of its edge or face. */
static void test_hex27(void **state)
{
    static const char *const gmsh[27] = {"0",  "1",  "2",    "3",    "4",    "5",    "6",    "7",   "01",
                                         "03", "04", "12",   "15",   "23",   "26",   "37",   "45",  "47",
                                         "56", "67", "0321", "0154", "0473", "1265", "2376", "4567"},
                             *const abaqus[27] = {"0",    "1",    "2",    "3",    "4",    "5",   "6",
                                                  "7",    "01",   "12",   "23",   "30",   "45",  "56",
                                                  "67",   "74",   "04",   "15",   "26",   "37",  "01234567",
                                                  "0321", "4567", "0154", "1265", "2376", "3047"};
    for (int way = 0; way < 2; way++) {
        const char *path = way ? "test_hex27.inp" : "test_hex27.msh";
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, way ? "*NODE\n" : "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n27\n");
        for (int i = 0; i < 27; i++) {
            const char *corners = way ? abaqus[i] : i == 26 ? "01234567" : gmsh[i];
            double x[3] = {0.0};
            for (const char *c = corners; *c; c++) {
                const int k = *c - '0', n = (int)strlen(corners);
                x[0] += ((k % 4 == 1 || k % 4 == 2) + 0.1 * k) / n;
                x[1] += ((k % 4 >= 2) + 0.02 * k * k) / n;
                x[2] += (k >= 4) / (double)n;
            }
            fprintf(file, way ? "%d,%.17g,%.17g,%.17g\n" : "%d %.17g %.17g %.17g\n", i + 1, x[0], x[1], x[2]);
        }
        fprintf(file, way ? "*ELEMENT,TYPE=C3D27\n1" : "$EndNodes\n$Elements\n1\n1 12 2 1 1");
        for (int i = 0; i < 27; i++)
            fprintf(file, way ? (i == 13 ? ",\n%d" : ",%d") : " %d", i + 1);
        fprintf(file, way ? "\n" : "\n$EndElements\n");
        fclose(file);
        check_hex27(*state, path);
    }
}

static void test_refused(void **state)
{
    phx_context *context = *state;
    const phx_swept_segment to_axis = {.to = {0.0, 0.0}, .elements = 2}, stays = {.to = {1.0, 0.0}, .elements = 2},
                            empty = {.to = {2.0, 0.0}}, wound = {.arc = true, .angle = 7.0, .elements = 2};
    const struct {
        const phx_swept_segment *segment;
        double length;
        const char *message;
    } cases[] = {{&to_axis, 1.0, "leave a hole"},  {&stays, 1.0, "has no length"},
                 {&empty, 1.0, "0 elements"},      {&wound, 1.0, "at most a turn"},
                 {&empty, 0.0, "must be above 0"}, {&empty, 7.0, "at most a turn, 2*pi"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const phx_swept_mesh def = {.from = {1.0, 0.0},
                                    .n_segments = 1,
                                    .segments = cases[k].segment,
                                    .revolved = true,
                                    .length = cases[k].length,
                                    .elements = 4,
                                    .type = PHX_CELL_QUAD9,
                                    .fold = FOLD};
        phx_mesh mesh;
        phx_directors directors;
        CHECK_STATUS(context, phx_mesh_sweep(context, &def, &mesh, &directors), PHX_ERR_ARGUMENT);
        CHECK_MESSAGE(context, cases[k].message);
    }
}

/* Each allocation fails once. */
static void test_memory(void **state)
{
    phx_context *context = *state;
    const phx_swept_segment sides[2] = {{.name = "a", .to = {1.0, 1.0}, .elements = 2},
                                        {.name = "b", .to = {2.0, 1.0}, .elements = 2}};
    const phx_swept_mesh def = {.from = {1.0, 0.0},
                                .n_segments = 2,
                                .segments = sides,
                                .revolved = true,
                                .length = 2.0 * PI,
                                .elements = 4,
                                .type = PHX_CELL_QUAD9,
                                .fold = FOLD};
    phx_status status = PHX_ERR_MEMORY;
    for (int n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_mesh mesh;
        phx_directors directors;
        phx_context_fail_allocation(context, n);
        status = phx_mesh_sweep(context, &def, &mesh, &directors);
        phx_context_fail_allocation(context, -1);
        phx_mesh_free(&mesh);
        phx_directors_free(&directors);
    }
    assert_int_equal(status, PHX_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cylinder, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_curved, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_folds, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_file, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_centres, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_hex27, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
