/* Structured meshes of rectangles and boxes, and the table of cells on them. */
#include "mesh_checks.h"

enum { SOLID_TYPES = 6 };
static const phx_cell_type solids[SOLID_TYPES] = {PHX_CELL_TET4,  PHX_CELL_TET10,  PHX_CELL_HEX8,
                                                  PHX_CELL_HEX20, PHX_CELL_WEDGE6, PHX_CELL_WEDGE15};

/* Names like "x0", "y1": all nodes of the group lie there, and all nodes that lie there are in it. */
static void check_boundary(const phx_mesh *mesh, const double *size, int dimension)
{
    for (int b = 0; b < 2 * dimension; b++) {
        const char name[3] = {"xyz"[b / 2], b % 2 ? '1' : '0', 0};
        const phx_mesh_group *group = phx_mesh_group_named(mesh, name);
        assert_non_null(group);
        assert_int_equal(group->dimension, dimension - 1);
        for (int i = 0; i < mesh->n_nodes; i++) {
            const bool there = mesh->x[3 * i + b / 2] == (b % 2 ? size[b / 2] : 0.0);
            assert_int_equal(find_int(group->n_nodes, group->nodes, i) >= 0, there);
        }
    }
}

static void test_box(void **state)
{
    phx_context *context = *state;
    for (int t = 0; t < SOLID_TYPES; t++) {
        phx_box_mesh def = {{2.0, 0.5, 1.5}, {3, 2, 4}, solids[t]};
        phx_mesh mesh;
        CHECK_OK(context, phx_mesh_box(context, &def, &mesh));
        const int bricks = 3 * 2 * 4, pieces = t < 2 ? 6 : t < 4 ? 1 : 2;
        assert_int_equal(phx_mesh_count(&mesh, 3), bricks * pieces);
        double volume = 0.0, flux = 0.0;
        for (int c = 0; c < mesh.n_cells; c++) {
            const phx_cell_info *cell = phx_cell_info_of(mesh.type[c]);
            static const int own[8] = {0, 1, 2, 3, 4, 5, 6, 7};
            check_middles(&mesh, c, 1e-15);
            if (cell->dimension == 2) {
                flux += flux_of_side(&mesh, c, own, cell->corners) / 6.0;
                continue;
            }
            assert_int_equal(mesh.type[c], solids[t]);
            CHECK_CLOSE(volume_of_cell(&mesh, c), 1.5 / (bricks * pieces), 1e-15, "volume of cell %d", c);
            volume += volume_of_cell(&mesh, c);
        }
        CHECK_CLOSE(volume, 1.5, 1e-14, "volume");
        CHECK_CLOSE(flux, 1.5, 1e-14, "volume from the boundary");
        check_conformity(&mesh, 3);
        check_boundary(&mesh, def.size, 3);
        assert_int_equal(phx_mesh_group_named(&mesh, "ALL")->n_nodes, mesh.n_nodes);
        phx_mesh_free(&mesh);
    }
}

/* The corners of the faces S1, S2, ... in the manuals of Abaqus and CalculiX; theirs may turn the other way. */
static void test_faces_of_abaqus(void **state)
{
    (void)state;
    static const struct {
        phx_cell_type types[2];
        const char *faces[6];
    } tables[] = {
        {{PHX_CELL_TET4, PHX_CELL_TET10}, {"123", "142", "243", "341"}},
        {{PHX_CELL_HEX8, PHX_CELL_HEX20}, {"1234", "5876", "1562", "2673", "3784", "4851"}},
        {{PHX_CELL_WEDGE6, PHX_CELL_WEDGE15}, {"123", "456", "1254", "2365", "3146"}},
        {{PHX_CELL_TRI3, PHX_CELL_TRI6}, {"12", "23", "31"}},
        {{PHX_CELL_QUAD4, PHX_CELL_QUAD8}, {"12", "23", "34", "41"}},
    };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (int order = 0; order < 2; order++) {
            const phx_cell_info *cell = phx_cell_info_of(tables[t].types[order]);
            assert_int_equal(cell->order, order + 1);
            for (int s = 0; s < cell->sides; s++) {
                const int n = phx_cell_info_of(cell->side_type[s])->corners;
                assert_int_equal(strlen(tables[t].faces[s]), n);
                for (int k = 0; k < n; k++)
                    assert_true(find_int(n, cell->side[s], tables[t].faces[s][k] - '1') >= 0);
            }
            assert_true(cell->sides == 6 || !tables[t].faces[cell->sides]);
        }
}

static void test_rectangle(void **state)
{
    phx_context *context = *state;
    for (int crossed = 0; crossed < 2; crossed++) {
        phx_rectangle_mesh def = {.size = {2.0, 0.5},
                                  .elements = {4, 3},
                                  .crossed = crossed,
                                  .grading = {2.5, 0.0},
                                  .both_ends = {false, false}};
        phx_mesh mesh;
        CHECK_OK(context, phx_mesh_rectangle(context, &def, &mesh));
        assert_int_equal(mesh.n_nodes, 5 * 4 + (crossed ? 12 : 0));
        assert_int_equal(phx_mesh_count(&mesh, 2), 12 * (crossed ? 4 : 2));
        assert_int_equal(phx_mesh_count(&mesh, 1), 2 * (4 + 3));
        double area = 0.0, around = 0.0;
        for (int c = 0; c < mesh.n_cells; c++) {
            if (mesh.type[c] == PHX_CELL_LINE2) { /* 2 A = loop of x dy - y dx */
                const double *a = place(&mesh, c, 0), *b = place(&mesh, c, 1);
                around += 0.5 * (a[0] * b[1] - a[1] * b[0]);
                continue;
            }
            assert_true(area_of_triangle(&mesh, c) > 0.0);
            area += area_of_triangle(&mesh, c);
        }
        CHECK_CLOSE(area, 1.0, 1e-14, "area");
        CHECK_CLOSE(around, 1.0, 1e-14, "area from the boundary");
        check_conformity(&mesh, 2);
        check_boundary(&mesh, def.size, 2);
        static const char *const corners[4] = {"x0y0", "x1y0", "x0y1", "x1y1"};
        for (int k = 0; k < 4; k++) {
            const phx_mesh_group *corner = phx_mesh_group_named(&mesh, corners[k]);
            assert_int_equal(corner->dimension, 0);
            assert_int_equal(corner->n_nodes, 1);
            const double want[3] = {k % 2 ? 2.0 : 0.0, k / 2 ? 0.5 : 0.0, 0.0};
            CHECK_VECTOR(3, mesh.x + 3 * corner->nodes[0], want, 0.0, "corner %s", corners[k]);
            assert_int_equal(phx_mesh_nearest_node(&mesh, want), corner->nodes[0]);
        }
        phx_mesh_free(&mesh);
    }
}

/* The side of the first square is size (1/n)^g, or half the side's (2/n)^g towards both ends. */
static void test_grading(void **state)
{
    phx_context *context = *state;
    phx_rectangle_mesh def = {
        .size = {2.0, 3.0}, .elements = {4, 6}, .crossed = false, .grading = {2.5, 2.0}, .both_ends = {false, true}};
    phx_mesh mesh;
    CHECK_OK(context, phx_mesh_rectangle(context, &def, &mesh));
    for (int i = 0; i <= 4; i++)
        CHECK_CLOSE(mesh.x[3 * i], 2.0 * pow(i / 4.0, 2.5), 1e-15, "x of node %d", i);
    for (int j = 0; j <= 6; j++) {
        const double y = j <= 3 ? 1.5 * pow(j / 3.0, 2.0) : 3.0 - 1.5 * pow((6 - j) / 3.0, 2.0);
        CHECK_CLOSE(mesh.x[3 * 5 * j + 1], y, 1e-15, "y of row %d", j);
    }
    phx_mesh_free(&mesh);
}

static void test_refused(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    const double bad[4] = {0.0, -1.0, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        phx_rectangle_mesh rectangle = {.size = {1.0, bad[k]},
                                        .elements = {1, 1},
                                        .crossed = false,
                                        .grading = {1.0, 1.0},
                                        .both_ends = {false, false}};
        phx_box_mesh box = {{1.0, 1.0, bad[k]}, {1, 1, 1}, PHX_CELL_HEX8};
        CHECK_STATUS(context, phx_mesh_rectangle(context, &rectangle, &mesh), PHX_ERR_ARGUMENT);
        CHECK_MESSAGE(context, "along y");
        CHECK_STATUS(context, phx_mesh_box(context, &box, &mesh), PHX_ERR_ARGUMENT);
        CHECK_MESSAGE(context, "along z");
    }
    phx_rectangle_mesh rectangle = {
        .size = {1.0, 1.0}, .elements = {1, 0}, .crossed = false, .grading = {1.0, 1.0}, .both_ends = {false, false}};
    CHECK_STATUS(context, phx_mesh_rectangle(context, &rectangle, &mesh), PHX_ERR_ARGUMENT);
    rectangle = (phx_rectangle_mesh){
        .size = {1.0, 1.0}, .elements = {1, 1}, .crossed = false, .grading = {0.5, 1.0}, .both_ends = {false, false}};
    CHECK_STATUS(context, phx_mesh_rectangle(context, &rectangle, &mesh), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "grading along x");
    phx_box_mesh box = {{1.0, 1.0, 1.0}, {1, 1, 1}, PHX_CELL_QUAD4};
    CHECK_STATUS(context, phx_mesh_box(context, &box, &mesh), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "quad4");
    box = (phx_box_mesh){{1.0, 1.0, 1.0}, {2000, 2000, 2000}, PHX_CELL_TET4};
    CHECK_STATUS(context, phx_mesh_box(context, &box, &mesh), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_box(context, NULL, &mesh), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_rectangle(context, &rectangle, NULL), PHX_ERR_ARGUMENT);
}

static void test_memory(void **state)
{
    phx_context *context = *state;
    phx_status status = PHX_ERR_MEMORY;
    for (int n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_box_mesh def = {{1.0, 1.0, 1.0}, {2, 2, 2}, PHX_CELL_WEDGE15};
        phx_mesh mesh = {0};
        phx_context_fail_allocation(context, n);
        status = phx_mesh_box(context, &def, &mesh);
        if (status)
            assert_null(mesh.x);
        phx_mesh_free(&mesh);
    }
    phx_context_fail_allocation(context, -1);
    CHECK_OK(context, status);
}

/* ---- groups ---- */
static void test_groups(void **state)
{
    phx_context *context = *state;
    phx_rectangle_mesh def = {
        .size = {1.0, 1.0}, .elements = {2, 2}, .crossed = false, .grading = {1.0, 1.0}, .both_ends = {false, false}};
    phx_mesh mesh;
    CHECK_OK(context, phx_mesh_rectangle(context, &def, &mesh));
    const int n = mesh.n_groups, some[3] = {3, 1, 3}, more[1] = {2};
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "Part", 2, 3, some));
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "Part", 2, 1, more));
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "Part", 0, 3, some));
    assert_int_equal(mesh.n_groups, n + 2);
    const phx_mesh_group *group = phx_mesh_group_named(&mesh, "part");
    assert_int_equal(group->dimension, 2);
    const int want[3] = {1, 2, 3};
    assert_int_equal(group->n_cells, 3);
    assert_memory_equal(group->cells, want, sizeof want);
    for (int i = 0; i < group->n_cells; i++)
        for (int k = 0; k < 3; k++)
            assert_true(find_int(group->n_nodes, group->nodes, mesh.node[mesh.first[group->cells[i]] + k]) >= 0);
    for (int i = 1; i < group->n_nodes; i++)
        assert_true(group->nodes[i] > group->nodes[i - 1]);
    assert_int_equal(phx_mesh_group_in(&mesh, "PART", 0)->n_nodes, 2);
    assert_null(phx_mesh_group_in(&mesh, "Part", 1));
    assert_null(phx_mesh_group_named(&mesh, "Parts"));
    CHECK_OK(context,
             phx_mesh_add_group(context, &mesh, "PART", 2, 0, NULL)); /* another name; it is found as written */
    assert_int_equal(phx_mesh_group_named(&mesh, "PART")->n_cells, 0);
    const int outside[1] = {mesh.n_cells}, below[1] = {-1}, line[1] = {mesh.n_cells - 1};
    CHECK_STATUS(context, phx_mesh_add_group(context, &mesh, "w", 2, 1, outside), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_add_group(context, &mesh, "w", 2, 1, below), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_add_group(context, &mesh, "w", 2, 1, line), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "line2");
    CHECK_STATUS(context, phx_mesh_add_group(context, &mesh, "w", 4, 1, line), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_add_group(context, &mesh, NULL, 1, 1, line), PHX_ERR_ARGUMENT);
    phx_mesh_free(&mesh);
    phx_mesh_free(NULL);
}

static void test_labels(void **state)
{
    (void)state;
    int label[4] = {2, 5, 6, 100};
    phx_mesh mesh = {.n_nodes = 4, .label = label};
    for (int i = 0; i < 4; i++)
        assert_int_equal(phx_mesh_node_labelled(&mesh, label[i]), i);
    const int missing[4] = {0, 3, 99, 101};
    for (int i = 0; i < 4; i++)
        assert_int_equal(phx_mesh_node_labelled(&mesh, missing[i]), -1);
    mesh.label = NULL;
    assert_int_equal(phx_mesh_node_labelled(&mesh, 4), 3);
    assert_int_equal(phx_mesh_node_labelled(&mesh, 0), -1);
    assert_int_equal(phx_mesh_node_labelled(&mesh, 5), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_box, context_setup, context_teardown),
        cmocka_unit_test(test_faces_of_abaqus),
        cmocka_unit_test_setup_teardown(test_rectangle, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_grading, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_groups, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_labels, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
