/* Files .msh of every format: read back what was written; refuse what is wrong. */
#include "write_msh.h"

static const phx_cell_type solids[6] = {PHX_CELL_TET4,  PHX_CELL_TET10,  PHX_CELL_HEX8,
                                        PHX_CELL_HEX20, PHX_CELL_WEDGE6, PHX_CELL_WEDGE15};

static phx_mesh box(phx_context *context, phx_cell_type type, int n)
{
    const phx_box_mesh def = {{2.0, 0.5, 1.5}, {n, 1, n}, type};
    phx_mesh mesh;
    CHECK_OK(context, phx_mesh_box(context, &def, &mesh));
    return mesh;
}

static phx_status read_text(phx_context *context, const char *text, phx_mesh *mesh)
{
    return phx_mesh_read_bytes(context, "a.msh", text, strlen(text), 1.0, mesh, NULL);
}

static void check_group(const phx_mesh *mesh, const phx_mesh *want, const char *name, const char *want_name)
{
    const phx_mesh_group *group = phx_mesh_group_named(mesh, name);
    const phx_mesh_group *original = phx_mesh_group_named(want, want_name);
    assert_non_null(group);
    assert_int_equal(group->dimension, original->dimension);
    assert_int_equal(group->n_cells, original->n_cells);
    assert_int_equal(group->n_nodes, original->n_nodes);
    assert_memory_equal(group->nodes, original->nodes, (size_t)group->n_nodes * sizeof(int));
}

/* Nodes are sorted by their labels, so that they stand as in the mesh that was written. */
static void check_same(const phx_mesh *mesh, const phx_mesh *want, double unit)
{
    assert_int_equal(mesh->n_nodes, want->n_nodes);
    for (int i = 0; i < mesh->n_nodes; i++) {
        assert_int_equal(mesh->label[i], msh_node_label(i));
        assert_int_equal(phx_mesh_node_labelled(mesh, msh_node_label(i)), i);
        for (int k = 0; k < 3; k++)
            assert_true(mesh->x[3 * i + k] == unit * want->x[3 * i + k]);
    }
    const int n = phx_mesh_count(want, 3);
    assert_int_equal(mesh->n_cells, want->n_cells);
    assert_memory_equal(mesh->type, want->type, (size_t)n * sizeof *mesh->type);
    assert_memory_equal(mesh->node, want->node, (size_t)want->first[n] * sizeof *mesh->node);
    for (int c = 0; c < mesh->n_cells; c++)
        check_middles(mesh, c, 1e-15);
    check_conformity(mesh, 3);
}

static void check_groups(const phx_mesh *mesh, const phx_mesh *want)
{
    static const char *const names[] = {"all", "x0", "x1", "y0", "y1", "z0"};
    for (int k = 0; k < 6; k++)
        check_group(mesh, want, names[k], names[k]);
    check_group(mesh, want, "surface 15", "z1");
    const phx_mesh_group *two = phx_mesh_group_named(mesh, "two faces"),
                         *corners = phx_mesh_group_named(mesh, "corners");
    assert_int_equal(two->n_cells,
                     phx_mesh_group_named(want, "x0")->n_cells + phx_mesh_group_named(want, "y0")->n_cells);
    assert_int_equal(corners->dimension, 0);
    assert_int_equal(corners->n_nodes, 2);
    assert_int_equal(corners->nodes[0], 0);
    assert_int_equal(corners->nodes[1], want->n_nodes - 1);
    assert_int_equal(mesh->n_groups, 9);
}

static void test_round_trip(void **state)
{
    phx_context *context = *state;
    for (int t = 0; t < 6; t++) {
        phx_mesh want = box(context, solids[t], 2);
        for (int s = 0; s < MSH_STYLES; s++) {
            bytes file = write_msh(&want, &msh_styles[s]);
            phx_mesh mesh;
            CHECK_OK(context, phx_mesh_read_bytes(context, "box.msh", file.data, file.size, 0.5, &mesh, NULL));
            check_same(&mesh, &want, 0.5);
            check_groups(&mesh, &want);
            assert_int_equal(mesh.n_remarks,
                             msh_styles[s].complete && (solids[t] == PHX_CELL_HEX20 || solids[t] == PHX_CELL_WEDGE15));
            phx_mesh_free(&mesh);
            free(file.data);
        }
        phx_mesh_free(&want);
    }
}

/* From the disk, with the file's name in messages. */
static void test_file(void **state)
{
    phx_context *context = *state;
    phx_mesh want = box(context, PHX_CELL_HEX20, 1), mesh;
    bytes text = write_msh(&want, &msh_styles[6]);
    FILE *file = fopen("test_mesh_msh.msh", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
    assert_int_equal(fclose(file), 0);
    CHECK_OK(context, phx_mesh_read(context, "test_mesh_msh.msh", 1.0, &mesh));
    check_same(&mesh, &want, 1.0);
    phx_mesh_free(&mesh);
    remove("test_mesh_msh.msh");
    CHECK_STATUS(context, phx_mesh_read(context, "test_mesh_msh.msh", 1.0, &mesh), PHX_ERR_FILE);
    CHECK_MESSAGE(context, "test_mesh_msh.msh: cannot be read");
    CHECK_STATUS(context, phx_mesh_read(context, ".", 1.0, &mesh), PHX_ERR_INPUT);
    CHECK_STATUS(context, phx_mesh_read(context, "/dev/null.msh", 1.0, &mesh), PHX_ERR_FILE);
    CHECK_STATUS(context, phx_mesh_read(context, "a.msh", NAN, &mesh), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_read(context, "a.msh", -1.0, &mesh), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_read(context, NULL, 1.0, &mesh), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_mesh_read(context, "a.stl", 1.0, &mesh), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, ".msh and .inp are read");
    free(text.data);
    phx_mesh_free(&want);
}

/* ---- what is wrong ---- */
/* A file that ends too early is refused unless all elements are there. */
static void test_truncated(void **state)
{
    phx_context *context = *state;
    phx_mesh want = box(context, PHX_CELL_WEDGE6, 1);
    for (int s = 0; s < MSH_STYLES; s++) {
        bytes file = write_msh(&want, &msh_styles[s]);
        const size_t complete = file.size - strlen("\n$Comments\nany $ text\n$EndComments\n");
        for (size_t n = 0; n < file.size; n++) {
            phx_mesh mesh;
            const phx_status status = phx_mesh_read_bytes(context, "f.msh", file.data, n, 1.0, &mesh, NULL);
            const bool whole = n >= file.size - 1 || n == complete || n == complete + 1;
            CHECK_STATUS(context, status, whole ? PHX_OK : PHX_ERR_INPUT);
            if (status)
                assert_true(!strncmp(phx_context_message(context), "f.msh:", 6));
            phx_mesh_free(&mesh);
        }
        free(file.data);
    }
    phx_mesh_free(&want);
}

/* Whatever a byte becomes, the answer is a mesh or an error of the input. */
static void test_corrupted(void **state)
{
    phx_context *context = *state;
    phx_mesh want = box(context, PHX_CELL_HEX8, 1);
    static const unsigned char masks[4] = {0x01, 0x10, 0x80, 0xFF};
    int refused = 0;
    for (int s = 0; s < MSH_STYLES; s++) {
        bytes file = write_msh(&want, &msh_styles[s]);
        for (size_t n = 0; n < file.size; n++)
            for (int k = 0; k < 4; k++) {
                phx_mesh mesh;
                file.data[n] = (char)(file.data[n] ^ masks[k]);
                const phx_status status = phx_mesh_read_bytes(context, "f.msh", file.data, file.size, 1.0, &mesh, NULL);
                file.data[n] = (char)(file.data[n] ^ masks[k]);
                assert_true(status == PHX_OK || status == PHX_ERR_INPUT);
                refused += status == PHX_ERR_INPUT;
                phx_mesh_free(&mesh);
            }
        free(file.data);
    }
    assert_true(refused > 1000);
    phx_mesh_free(&want);
}

#define HEAD2  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES  "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define HEAD4  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"

static void test_refused(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "a.msh:1: the file ends without a section $Nodes"},
        {"$NOD\n", "a.msh:1: $MeshFormat is expected as the first section; found '$NOD'"},
        {"hello", "a section such as $Nodes is expected; found 'hello'"},
        {"$MeshFormat\n1.0 0 8\n$EndMeshFormat\n", "the format is 1; 2, 4.0 and 4.1 are read (gmsh"},
        {"$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", "the type of the file is 2"},
        {"$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", "the size of a number is 4 bytes"},
        {"$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n", "a.msh: byte 20: the number 1 in four bytes"},
        {HEAD2 NODES, "the file ends without a section $Elements"},
        {HEAD2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n2 0 1 0\n$EndNodes\n", "a.msh:9: the number of a node is expected"},
        {HEAD2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n2 0 1 0\n$EndNodes\n$Elements\n0\n$EndElements\n",
         "a.msh:8: node 2 is there twice, first at a.msh:7"},
        {HEAD2 "$Nodes\n1\n0 0 0 0\n$EndNodes\n", "a.msh:6: node 0; 1 to 2147483647 is possible"},
        {HEAD2 "$Nodes\n1\n1 nan 0 0\n$EndNodes\n", "a.msh:6: a coordinate is expected, a number; found 'nan'"},
        {HEAD2 "$Nodes\n1\n1 1e999 0 0\n$EndNodes\n", "node 1: x is inf; a finite coordinate is expected"},
        {HEAD2 "$Nodes\n999999999999\n1 0 0 0\n", "the file ends inside of $Nodes"},
        {HEAD2 "$Nodes\n9999999999999999999\n1 0 0 0\n", "the number of nodes is expected"},
        {HEAD2 NODES "$Elements\n1\n1 4 2 1 1 1 2 3 9\n$EndElements\n",
         "a.msh:13: element 1 (tet4) has node 9, which is not there"},
        {HEAD2 NODES "$Elements\n1\n1 15 2 1 1 9\n$EndElements\n", "a.msh:13: a point element has node 9"},
        {HEAD2 NODES "$Elements\n2\n1 4 2 1 1 1 2 3 4\n1 2 2 1 1 1 2 3\n$EndElements\n",
         "a.msh:14: element 1 is there twice, first at a.msh:13"},
        {HEAD2 NODES "$Elements\n1\n1 7 2 1 1 1 2 3 4 4\n$EndElements\n",
         "a.msh:13: elements of Gmsh's type 7, 5-node"},
        {HEAD2 NODES "$Elements\n1\n1 12 2 1 1 1 2\n$EndElements\n", "a node of an element is expected"},
        {HEAD2 NODES "$Elements\n1\n1 99 2 1 1 1 2\n$EndElements\n", "elements of Gmsh's type 99 are not supported"},
        {HEAD2 NODES "$Elements\n1\n1 4 -2 1 1 1 2\n$EndElements\n", "an element with -2 tags"},
        {HEAD2 NODES "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndNodes\n", "$EndElements is expected; found '$EndNodes'"},
        {HEAD2 "$PhysicalNames\n1\n2 1 name\n$EndPhysicalNames\n", "a.msh:6: a name in double quotes is expected"},
        {HEAD2 "$PhysicalNames\n1\n4 1 \"name\"\n$EndPhysicalNames\n", "a physical name of dimension 4"},
        {HEAD2 "$Other\n", "the file ends inside of '$Other'"},
        {HEAD4 "$Nodes\n1 4000000000000 1 4\n3 1 0 4000000000000\n1\n", "more than the rest of the file can hold"},
        {HEAD4 "$Nodes\n1 4 1 4\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", "the number of nodes is 4, and the blocks have 1"},
        {HEAD4 "$Nodes\n1 1 1 1\n7 1 0 1\n1\n0 0 0\n$EndNodes\n", "a block of an entity of dimension 7"},
        {HEAD4 "$Nodes\n1 1 1 1\n3 1 0 1\n4000000000\n0 0 0\n$EndNodes\n", "node 4000000000; 1 to 2147483647"},
        {HEAD4 NODES4 "$Elements\n1 1 1 1\n2 1 4 1\n1 1 2 3 4\n$EndElements\n",
         "a.msh:19: cells of type tet4 in an entity of dimension 2"},
        {HEAD4 NODES4 "$Elements\n1 1 1 1\n2 -1 2 -1\n", "the number of elements of a block is -1"},
        {HEAD4 "$Entities\n99999999 0 0 0\n", "the number of entities is 99999999, more than the rest"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_mesh mesh;
        CHECK_STATUS(context, read_text(context, cases[k].text, &mesh), PHX_ERR_INPUT);
        CHECK_MESSAGE(context, cases[k].message);
        assert_null(mesh.x);
    }
}

/* ---- what is allowed ---- */
/* Windows line ends, unknown sections, elements of no group, names of empty groups. */
static void test_text_variants(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    CHECK_OK(context,
             read_text(context,
                       "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n$PhysicalNames\r\n2\r\n3 4 \"a \"b\" c\"\r\n"
                       "2 5 \"empty\"\r\n$EndPhysicalNames\r\n$Odd\r\n1 2 3\r\n$EndOdd\r\n$Nodes\r\n4\r\n"
                       "1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1.5d0\r\n$EndNodes\r\n$Elements\r\n2\r\n"
                       "1 4 3 4 1 0 1 2 3 4\r\n2 2 0 1 2 3\r\n$EndElements\r\n",
                       &mesh));
    assert_null(mesh.label);
    assert_null(mesh.cell_label);
    assert_int_equal(mesh.n_cells, 2);
    assert_int_equal(mesh.n_groups, 2);
    assert_int_equal(phx_mesh_group_named(&mesh, "a \"b\" c")->n_cells, 1);
    assert_int_equal(phx_mesh_group_named(&mesh, "empty")->n_cells, 0);
    CHECK_CLOSE(mesh.x[11], 1.5, 0.0, "a Fortran exponent");
    phx_mesh_free(&mesh);
}

/* Without an element in a physical group those of the geometry; names of physical groups then are remarked. */
static void test_entity_groups(void **state)
{
    phx_context *context = *state;
    static const char *const texts[3] = {
        HEAD2 "$PhysicalNames\n1\n2 1 \"BIG\"\n$EndPhysicalNames\n" NODES
              "$Elements\n3\n1 15 2 0 9 4\n2 4 2 0 5 1 2 3 4\n3 2 2 0 6 1 2 3\n$EndElements\n",
        HEAD2 NODES "$Elements\n3\n1 15 2 0 9 4\n2 4 2 0 5 1 2 3 4\n3 2 2 0 6 1 2 3\n$EndElements\n",
        HEAD4 "$Entities\n1 0 1 1\n9 0 0 0 0\n6 0 0 0 1 1 1 0 0\n5 0 0 0 1 1 1 0 0\n$EndEntities\n" NODES4
              "$Elements\n3 3 1 3\n0 9 15 1\n1 4\n3 5 4 1\n2 1 2 3 4\n2 6 2 1\n3 1 2 3\n$EndElements\n"};
    for (int k = 0; k < 3; k++) {
        phx_mesh mesh;
        CHECK_OK(context, read_text(context, texts[k], &mesh));
        assert_int_equal(mesh.n_remarks, k == 0);
        assert_int_equal(mesh.n_groups, 3);
        assert_int_equal(phx_mesh_group_named(&mesh, "point 9")->nodes[0], 3);
        assert_int_equal(phx_mesh_group_named(&mesh, "volume 5")->cells[0], 0);
        assert_int_equal(phx_mesh_group_named(&mesh, "surface 6")->cells[0], 1);
        phx_mesh_free(&mesh);
    }
}

/* The physical groups of a partitioned mesh are those of the parts. */
static void test_partitioned(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    CHECK_OK(context, read_text(context,
                                HEAD4 "$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n"
                                      "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n"
                                      "$PartitionedEntities\n2\n1\n5 1\n1 0 0 2\n9 3 1 2 1 2 0 0 0 0\n"
                                      "2 3 1 1 1 0 0 0 1 1 1 1 7 0\n3 3 1 1 2 0 0 0 1 1 1 1 7 0\n"
                                      "$EndPartitionedEntities\n" NODES4 "$Elements\n2 2 1 2\n"
                                      "3 2 4 1\n1 1 2 3 4\n3 3 4 1\n2 1 2 3 4\n$EndElements\n",
                                &mesh));
    assert_int_equal(phx_mesh_group_named(&mesh, "body")->n_cells, 2);
    phx_mesh_free(&mesh);
}

/* Labels far apart: no table as long as the largest. */
static void test_sparse_labels(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    CHECK_OK(context, read_text(context,
                                HEAD2 "$Nodes\n4\n2147483647 0 0 0\n7 1 0 0\n1000000 0 1 0\n1 0 0 1\n$EndNodes\n"
                                      "$Elements\n2\n2000000000 4 2 1 1 2147483647 7 1000000 1\n5 2 2 1 1 1 7 1000000\n"
                                      "$EndElements\n",
                                &mesh));
    const int labels[4] = {1, 7, 1000000, 2147483647}, nodes[4] = {3, 1, 2, 0};
    assert_memory_equal(mesh.label, labels, sizeof labels);
    assert_memory_equal(mesh.node, nodes, sizeof nodes);
    assert_int_equal(mesh.cell_label[0], 2000000000);
    phx_mesh_free(&mesh);
}

static void test_memory(void **state)
{
    phx_context *context = *state;
    phx_mesh want = box(context, PHX_CELL_WEDGE15, 1);
    const int styles[3] = {0, 4, 5};
    for (int s = 0; s < 3; s++) {
        bytes file = write_msh(&want, &msh_styles[styles[s]]);
        phx_status status = PHX_ERR_MEMORY;
        for (int n = 0; status == PHX_ERR_MEMORY; n++) {
            phx_mesh mesh;
            phx_context_fail_allocation(context, n);
            status = phx_mesh_read_bytes(context, "f.msh", file.data, file.size, 1.0, &mesh, NULL);
            phx_mesh_free(&mesh);
        }
        phx_context_fail_allocation(context, -1);
        CHECK_OK(context, status);
        free(file.data);
    }
    phx_mesh_free(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_file, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_truncated, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_corrupted, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_text_variants, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_entity_groups, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_partitioned, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_sparse_labels, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
