/* Input decks of Abaqus and CalculiX. */
#include "write_msh.h"

static const struct {
    phx_cell_type type;
    const char *name;
} solids[7] = {{PHX_CELL_TET4, "C3D4"},    {PHX_CELL_TET10, "C3D10"}, {PHX_CELL_HEX8, "C3D8I"},
               {PHX_CELL_HEX20, "C3D20R"}, {PHX_CELL_WEDGE6, "C3D6"}, {PHX_CELL_WEDGE15, "C3D15"},
               {PHX_CELL_HEX20, "C3D27"}};

static phx_mesh box(phx_context *context, phx_cell_type type, int n)
{
    const phx_box_mesh def = {{2.0, 0.5, 1.5}, {n, 1, n}, type};
    phx_mesh mesh;
    CHECK_OK(context, phx_mesh_box(context, &def, &mesh));
    return mesh;
}

static phx_status read_text(phx_context *context, const char *text, phx_mesh *mesh, phx_deck *deck)
{
    return phx_mesh_read_bytes(context, "a.inp", text, strlen(text), 1.0, mesh, deck);
}

/* ---- a box as a deck ---- */
static int node_label(int i)
{
    return 7 + 2 * i;
}

static int cell_label(int c)
{
    return 100 + c;
}

static void put_cells(bytes *b, const phx_mesh *mesh, const char *name)
{
    put_text(b, "*Element, type=%s,\n ELSET = Eall\n", name);
    for (int c = 0; c < phx_mesh_count(mesh, 3); c++) {
        const int own = phx_cell_info_of(mesh->type[c])->nodes, n = strcmp(name, "C3D27") ? own : 27;
        put_text(b, "%d,", cell_label(c));
        for (int k = 0; k < n; k++) /* some lines end with a comma, as Abaqus wants it, others not */
            put_text(b, " %d%s", node_label(mesh->node[mesh->first[c] + k % own]),
                     k == n - 1     ? "\n"
                     : k % 15 == 14 ? (c % 2 ? "\n" : ",\n")
                                    : ",");
    }
}

/* Each surface line by line: element, side. The sides are found by comparing sets of nodes. */
static void put_surface(bytes *b, const phx_mesh *mesh, const char *name)
{
    const phx_mesh_group *group = phx_mesh_group_named(mesh, name);
    put_text(b, "*SURFACE, NAME=%s, TYPE=ELEMENT\n", name);
    for (int c = 0; c < phx_mesh_count(mesh, 3); c++) {
        const phx_cell_info *cell = phx_cell_info_of(mesh->type[c]);
        for (int s = 0; s < cell->sides; s++) {
            int inside = 0;
            for (int k = 0; k < phx_cell_info_of(cell->side_type[s])->nodes; k++)
                inside += find_int(group->n_nodes, group->nodes, mesh->node[mesh->first[c] + cell->side[s][k]]) >= 0;
            if (inside == phx_cell_info_of(cell->side_type[s])->nodes)
                put_text(b, "%d, %c%d\n", cell_label(c), s % 2 ? 'S' : 'p', s + 1);
        }
    }
}

static bytes write_deck(const phx_mesh *mesh, const char *name)
{
    bytes b = {0};
    put_text(&b, "** a box\r\n*HEADING\n text, that is = not read\n*NODE, NSET=Nall\n");
    for (int i = mesh->n_nodes - 1; i >= 0; i--)
        put_text(&b, "%d, %.17g,%.17g, %.17g\n", node_label(i), mesh->x[3 * i], mesh->x[3 * i + 1], mesh->x[3 * i + 2]);
    put_cells(&b, mesh, name);
    for (int k = 0; k < 6; k++)
        put_surface(&b, mesh, (const char[3]){"xyz"[k / 2], k % 2 ? '1' : '0', 0});
    put_text(&b, "*nset, nset=Ends\n%d,\n%d\n*NSET, NSET=both\n eNdS, NALL\n", node_label(0),
             node_label(mesh->n_nodes - 1));
    put_text(&b, "*ELSET, ELSET=odd, GENERATE\n101, 2000000000, 2\n*NSET, NSET=from cells, ELSET=odd\n");
    put_text(&b, "*SURFACE, NAME=skin\nEall\n*SURFACE, NAME=points, TYPE=NODE\nEnds, 1.\n%d\n", node_label(1));
    put_text(&b, "*STEP\n*STATIC\n1.,1.\n*NODE PRINT, NSET=Nall\nU\n*END STEP\n");
    return b;
}

static void check_deck(const phx_mesh *mesh, const phx_mesh *want, const char *name)
{
    const int n = phx_mesh_count(want, 3);
    assert_int_equal(mesh->n_nodes, want->n_nodes);
    CHECK_VECTOR(3 * mesh->n_nodes, mesh->x, want->x, 0.0, "places");
    assert_memory_equal(mesh->type, want->type, (size_t)n * sizeof *mesh->type);
    assert_memory_equal(mesh->node, want->node, (size_t)want->first[n] * sizeof *mesh->node);
    assert_int_equal(mesh->n_cells, want->n_cells); /* a side is one cell, in whatever surfaces it is */
    for (int c = 0; c < mesh->n_cells; c++) {
        assert_int_equal(mesh->cell_label[c], c < n ? cell_label(c) : 0);
        assert_int_equal(mesh->variant[c], c < n ? 0 : -1);
    }
    assert_int_equal(mesh->n_variants, 1);
    assert_string_equal(mesh->variants[0], name);
    for (int k = 0; k < 6; k++) {
        const char side[3] = {"xyz"[k / 2], k % 2 ? '1' : '0', 0};
        const phx_mesh_group *got = phx_mesh_group_named(mesh, side), *group = phx_mesh_group_named(want, side);
        assert_int_equal(got->dimension, 2);
        assert_int_equal(got->n_cells, group->n_cells);
        assert_int_equal(got->n_nodes, group->n_nodes);
        assert_memory_equal(got->nodes, group->nodes, (size_t)got->n_nodes * sizeof(int));
    }
    static const int own[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    double flux = 0.0;
    for (int c = n; c < mesh->n_cells; c++)
        flux += flux_of_side(mesh, c, own, phx_cell_info_of(mesh->type[c])->corners) / 6.0;
    CHECK_CLOSE(flux, 1.5, 1e-14, "volume from the surfaces");
    check_conformity(mesh, 3);
}

static void check_sets(const phx_mesh *mesh, const phx_mesh *want)
{
    const int n = phx_mesh_count(want, 3);
    assert_int_equal(phx_mesh_group_named(mesh, "EALL")->n_cells, n);
    assert_int_equal(phx_mesh_group_named(mesh, "Eall")->dimension, 3);
    assert_int_equal(phx_mesh_group_named(mesh, "Nall")->n_nodes, mesh->n_nodes);
    assert_int_equal(phx_mesh_group_named(mesh, "both")->n_nodes, mesh->n_nodes);
    const phx_mesh_group *ends = phx_mesh_group_named(mesh, "Ends"), *odd = phx_mesh_group_named(mesh, "odd");
    const int nodes[2] = {0, mesh->n_nodes - 1};
    assert_int_equal(ends->dimension, 0);
    assert_int_equal(ends->n_nodes, 2);
    assert_memory_equal(ends->nodes, nodes, sizeof nodes);
    assert_int_equal(odd->n_cells, n / 2);
    for (int i = 0; i < odd->n_cells; i++)
        assert_int_equal(odd->cells[i], 2 * i + 1);
    const phx_mesh_group *of_cells = phx_mesh_group_named(mesh, "from cells");
    assert_int_equal(of_cells->dimension, 0);
    assert_int_equal(of_cells->n_nodes, odd->n_nodes);
    if (odd->n_nodes)
        assert_memory_equal(of_cells->nodes, odd->nodes, (size_t)odd->n_nodes * sizeof(int));
    assert_int_equal(phx_mesh_group_named(mesh, "skin")->n_cells, phx_mesh_count(want, 2));
    assert_int_equal(phx_mesh_group_named(mesh, "points")->n_nodes, 3);
    assert_string_equal(mesh->groups[0].name, "Ends"); /* sets of *NODE and *ELEMENT stand last */
    assert_string_equal(mesh->groups[mesh->n_groups - 1].name, "Eall");
}

static void test_box(void **state)
{
    phx_context *context = *state;
    for (int t = 0; t < 7; t++) {
        phx_mesh want = box(context, solids[t].type, 2), mesh;
        bytes b = write_deck(&want, solids[t].name);
        CHECK_OK(context, phx_mesh_read_bytes(context, "b.inp", b.data, b.size, 1.0, &mesh, NULL));
        check_deck(&mesh, &want, solids[t].name);
        check_sets(&mesh, &want);
        phx_mesh_free(&mesh);
        free(b.data);
        phx_mesh_free(&want);
    }
}

/* ---- damage ---- */
static void check_answer(phx_context *context, const char *data, size_t size)
{
    phx_mesh mesh;
    phx_deck deck;
    const phx_status status = phx_mesh_read_bytes(context, "f.inp", data, size, 1.0, &mesh, &deck);
    assert_true(status == PHX_OK || status == PHX_ERR_INPUT || status == PHX_ERR_FILE);
    if (status)
        assert_true(!strncmp(phx_context_message(context), "f.inp:", 6));
    phx_mesh_free(&mesh);
    phx_deck_free(&deck);
}

#define TET "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,0,0,-1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n2,1,3,2,5\n"
#define MATERIALS                                                                                                      \
    "*MATERIAL, NAME=Steel\n*ELASTIC\n2.1e5, .3, 20.\n2.0e5, .3, 100.\n*DENSITY\n7.85E-9,\n*EXPANSION\n1.2e-5\n"       \
    "*Material, name=\"a laminate\"\n*ELASTIC, TYPE=ENGINEERING CONSTANTS\n1,2,3,4,5,6,7,8\n9,\n"                      \
    "*SOLID SECTION, ELSET=e, MATERIAL=STEEL\n,\n"
#define ASSEMBLY                                                                                                       \
    "*HEADING\n*PART, NAME=P\n" TET "*NSET, NSET=tip\n4\n*SOLID SECTION, ELSET=E, MATERIAL=m\n*END PART\n"             \
    "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=P-1, PART=P\n*END INSTANCE\n"                                                  \
    "*Instance, name=P-2, part=p\n10., 0., 0.\n10., 0., 0., 10., 0., 1., 90.\n*End Instance\n"                         \
    "*NODE\n1, 5,5,5\n*NSET, NSET=ref\n1\n*NSET, NSET=tips, INSTANCE=P-2\ntip\n*NSET,NSET=tips\nP-1.tip, P-2.5\n"      \
    "*ELSET, ELSET=part two, INSTANCE=P-2, GENERATE\n1,2\n*SURFACE, NAME=s\nP-1.E, S1\nP-2.1, S2\n*END ASSEMBLY\n"     \
    "*MATERIAL, NAME=m\n*ELASTIC\n1,0\n"

static void test_damaged(void **state)
{
    phx_context *context = *state;
    phx_mesh want = box(context, PHX_CELL_WEDGE15, 1);
    bytes decks[3] = {write_deck(&want, "C3D15"), {0}, {0}};
    put_text(&decks[1], "%s", TET MATERIALS);
    put_bytes(&decks[2], ASSEMBLY, strlen(ASSEMBLY));
    for (int k = 0; k < 3; k++) {
        for (size_t n = 0; n < decks[k].size; n++)
            check_answer(context, decks[k].data, n);
        static const char put[6] = {'*', ',', '\n', '"', '9', 0};
        for (size_t n = 0; n < decks[k].size; n++)
            for (int p = 0; p < 6; p++) {
                const char kept = decks[k].data[n];
                decks[k].data[n] = put[p];
                check_answer(context, decks[k].data, decks[k].size);
                decks[k].data[n] = kept;
            }
        free(decks[k].data);
    }
    phx_mesh_free(&want);
}

static void test_refused(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "a.inp: there are no nodes"},
        {"1, 2, 3\n", "a.inp:1: a keyword, a line that begins with *, is expected; found '1, 2, 3'"},
        {"*NODE\nx,0,0,0\n", "a.inp:2: the number of a node is expected, a whole number; found 'x'"},
        {"*NODE\n1,0,zero,0\n", "a.inp:2: a coordinate is expected, a number; found 'zero'"},
        {"*NODE\n1,0,nan,0\n", "found 'nan'"},
        {"*NODE\n1,1e400,0,0\n", "a.inp:2: node 1: x is inf"},
        {"*NODE\n-1,0,0,0\n", "a.inp:2: node -1; 1 to 2147483647 is possible"},
        {"*NODE\n1,0,0,0\n** comment\n1,0,0,0\n", "a.inp:4: node 1 is there twice, first at a.inp:2"},
        {"*NODE, SYSTEM=C\n1,0,0,0\n", "cylindrical"},
        {TET "*ELEMENT,TYPE=C3D4\n1,1,2,3,5\n", "a.inp:11: element 1 is there twice, first at a.inp:8"},
        {TET "*ELEMENT,TYPE=C3D4\n3,1,2,3,6\n", "a.inp:11: element 3 (tet4) has node 6, which is not there"},
        {TET "*ELEMENT,TYPE=C3D4\n3,1,2,3\n*NSET,NSET=a\n", "a.inp:11: element 3 (tet4) has 3 of 4 nodes"},
        {TET "*ELEMENT,TYPE=C3D4\n3,1,2,3,4,5\n", "a.inp:11: element 3 (tet4) has more than 4 nodes"},
        {TET "*ELEMENT,TYPE=C3D5\n", "a.inp:10: elements of type 'C3D5' are not supported"},
        {TET "*ELEMENT,TYPE=AC3D4\n", "elements of type 'AC3D4' are not supported"},
        {TET "*ELEMENT\n", "*ELEMENT without a type"},
        {TET "*NSET,NSET=a\n6\n", "a.inp:11: there is no node 6"},
        {TET "*ELSET,ELSET=a\n1,\n6\n", "a.inp:12: there is no element 6"},
        {TET "*NSET,NSET=tip\n1\n*NSET,NSET=a\ntop\n",
         "a.inp:13: 'top' is neither a label nor the name of a node set before this line; did you mean 'tip'?"},
        {TET "*NSET\n1\n", "*NSET without a name"},
        {TET "*ELSET,ELSET=a,GENERATE\n5,1\n", "a.inp:11: labels from 5 to 1 in steps of 1"},
        {TET "*ELSET,ELSET=a,GENERATE\n1,5,0\n", "in steps of 0"},
        {TET "*SURFACE,NAME=s\n1,S5\n", "a.inp:11: element 1 (tet4) has no side 5"},
        {TET "*SURFACE,NAME=s\n1,X\n", "a.inp:11: a side S1 to S6"},
        {TET "*SURFACE,NAME=s\n3,S1\n", "a.inp:11: there is no element 3"},
        {TET "*SURFACE,NAME=s\nnone,S1\n", "a.inp:11: 'none' is neither a label nor the name of an element set"},
        {TET "*NGEN\n1,2\n", "*NGEN makes or moves nodes or elements by rule"},
        {"*PART, NAME=P\n" TET, "a.inp:1: *PART without *END PART"},
        {"*INSTANCE, NAME=I, PART=P\n", "a.inp:1: there is no part 'P' before this line"},
        {"*INCLUDE\n", "*INCLUDE without a file"},
        {TET "*MATERIAL\n", "*MATERIAL without a name"},
        {TET "*MATERIAL,NAME=a\n*MATERIAL,NAME=A\n", "the material 'A' is there twice"},
        {TET "*ELASTIC\n1,2\n", "*ELASTIC without a *MATERIAL before it"},
        {TET "*MATERIAL,NAME=a\n*ELASTIC\nx\n",
         "a.inp:12: a constant of the material is expected, a number; found 'x'"},
        {TET "*MATERIAL,NAME=a\n*ELASTIC\n", "a.inp:11: *ELASTIC without data"},
        {TET "*SOLID SECTION,ELSET=E,MATERIAL=a\n", "a.inp:10: there is no material 'a' in this deck"},
        {TET "*SOLID SECTION,ELSET=F,MATERIAL=a\n", "a.inp:10: there is no element set 'F' before this line"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_mesh mesh;
        phx_deck deck;
        CHECK_STATUS(context, read_text(context, cases[k].text, &mesh, &deck), PHX_ERR_INPUT);
        CHECK_MESSAGE(context, cases[k].message);
        assert_null(mesh.x);
        assert_null(deck.materials);
    }
}

/* Masses and springs are no cells; the mesh says that there are some. */
static void test_left_out(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh, plain;

    CHECK_OK(context, read_text(context, TET, &plain, NULL));
    CHECK_OK(context, read_text(context,
                                TET "*ELEMENT,TYPE=C3D4\n17,1,2,3,4\n*ELEMENT,TYPE=SpringA,ELSET=M\n18,1,2\n"
                                    "*SPRING,ELSET=M\n\n5.\n*MASS,ELSET=M\n1.\n",
                                &mesh, NULL));
    assert_null(phx_mesh_left_out(&plain));
    assert_string_equal(phx_mesh_left_out(&mesh), "SPRINGA");
    assert_int_equal(mesh.n_cells, plain.n_cells + 1);
    phx_mesh_free(&mesh);
    phx_mesh_free(&plain);
}

static void keep_warning(void *user, phx_log_level level, const char *text)
{
    if (level == PHX_LOG_WARNING)
        snprintf(user, 400, "%s", text);
}

/* What a deck says and a body of its cells would not follow is refused, or told. */
static void test_judged(void **state)
{
    static const char *const refused[][2] = {
        {"*TIE,NAME=t\na,b\n", "a.inp:10: *TIE joins parts or nodes"},
        {"*EQUATION\n2\n1,1,1.,5,1,-1.\n", "a.inp:10: *EQUATION joins"},
        {"*MPC\nBEAM,1,5\n", "a.inp:10: *MPC joins"},
        {"*Coupling, ref node=1, surface=s\n*Kinematic\n1,6\n", "a.inp:10: *COUPLING ties nodes to a point"},
        {"*RIGID BODY,NSET=a,REF NODE=1\n", "a.inp:10: *RIGIDBODY ties nodes to a point"},
        {"*SHELL SECTION,ELSET=E,OFFSET=0.5\n1.\n", "a.inp:10: *SHELLSECTION with an OFFSET"},
        {"*ELEMENT,TYPE=C3D10H\n", "a.inp:10: elements of type C3D10H are not written"},
        {"*ELEMENT,TYPE=C3D8R\n", "a.inp:10: elements of type C3D8R are not written"},
        {"*NODE\n11,5,0,0\n12,6,0,0\n13,5,1,0\n14,5,0,1\n*ELEMENT,TYPE=C3D4\n9,11,12,13,14\n",
         "a.inp: the cells are in parts that share no node (cells 1 and 9)"}};
    static const char *const told[][2] = {
        {"*ELEMENT,TYPE=T3D2\n8,1,2\n", "a.inp:10: elements of type T3D2 have neither stiffness nor mass"},
        {"*ELEMENT,TYPE=M3D3\n8,1,2,3\n", "elements of type M3D3 have neither"},
        {"*ELEMENT,TYPE=S3\n8,1,2,3\n", "elements of type S3 have neither"},
        {"*BOUNDARY\n1,1,3\n*CLOAD\n1,1,5.\n", "a.inp:10: *BOUNDARY and others like it are not used"},
        {"*SHELL SECTION,ELSET=E,OFFSET=0\n1.\n*STEP\n*STATIC\n*END STEP\n", ""},
        {"*ELEMENT,TYPE=CPS3\n8,1,2,3\n", ""}};
    phx_context *context = *state;
    char text[1000], warning[400];
    phx_mesh mesh;

    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        snprintf(text, sizeof text, "%s%s", TET, refused[k][0]);
        CHECK_OK(context, read_text(context, text, &mesh, NULL)); /* for its labels and sets it may serve */
        CHECK_STATUS(context, phx_mesh_judge(context, &mesh, "a.inp"), PHX_ERR_INPUT);
        CHECK_MESSAGE(context, refused[k][1]);
        phx_mesh_free(&mesh);
    }
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        snprintf(text, sizeof text, "%s%s", TET, told[k][0]);
        CHECK_OK(context, read_text(context, text, &mesh, NULL));
        warning[0] = '\0';
        phx_context_set_log(context, keep_warning, warning);
        CHECK_OK(context, phx_mesh_judge(context, &mesh, "a.inp"));
        phx_context_set_log(context, NULL, NULL);
        CHECK_TEXT(warning, told[k][1]);
        assert_int_equal(told[k][1][0] == '\0', warning[0] == '\0');
        phx_mesh_free(&mesh);
    }
    CHECK_OK(context,
             read_text(context, "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n*ELEMENT,TYPE=M3D3\n1,1,2,3\n", &mesh, NULL));
    CHECK_STATUS(context, phx_mesh_judge(context, &mesh, "a.inp"), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "a.inp:5: membranes (M3D3) do not bend");
    phx_mesh_free(&mesh);
}

/* ---- parts ---- */
static void test_instances(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    phx_deck deck;
    CHECK_OK(context, read_text(context, ASSEMBLY, &mesh, &deck));
    assert_int_equal(mesh.n_nodes, 11);
    assert_int_equal(phx_mesh_count(&mesh, 3), 4);
    assert_null(mesh.label);      /* 1 to 5, 6 to 10, 11 */
    for (int i = 0; i < 5; i++) { /* moved by 10 along x, turned by 90 degrees about z through (10, 0, 0) */
        const double *x = mesh.x + 3 * i, moved[3] = {10.0 - x[1], x[0], x[2]};
        CHECK_VECTOR(3, mesh.x + 3 * (5 + i), moved, 1e-15, "node %d of the second instance", i + 1);
    }
    CHECK_CLOSE(mesh.x[30], 5.0, 0.0, "the node of the assembly");
    for (int c = 0; c < 4; c++) {
        CHECK_CLOSE(volume_of_cell(&mesh, c), 1.0 / 6.0, 1e-14, "volume of element %d", c + 1);
        for (int k = 0; k < 4; k++)
            assert_int_equal(mesh.node[4 * c + k] / 5, c / 2);
    }
    assert_int_equal(phx_mesh_group_named(&mesh, "P-1.tip")->nodes[0], 3);
    assert_int_equal(phx_mesh_group_named(&mesh, "P-2.tip")->nodes[0], 8);
    assert_int_equal(phx_mesh_group_named(&mesh, "ref")->nodes[0], 10);
    const phx_mesh_group *tips = phx_mesh_group_named(&mesh, "tips"), *s = phx_mesh_group_named(&mesh, "s");
    const int want[3] = {3, 8, 9};
    assert_int_equal(tips->n_nodes, 3);
    assert_memory_equal(tips->nodes, want, sizeof want);
    assert_int_equal(phx_mesh_group_named(&mesh, "part two")->cells[0], 2);
    assert_int_equal(s->n_cells, 3);
    assert_int_equal(deck.n_sections, 2);
    assert_string_equal(deck.sections[1].group, "P-2.E");
    assert_int_equal(deck.sections[1].material, 0);
    phx_mesh_free(&mesh);
    phx_deck_free(&deck);
}

static void test_materials(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    phx_deck deck;
    CHECK_OK(context, read_text(context,
                                TET MATERIALS "*ELEMENT,TYPE=S3,ELSET=sh\n7,1,2,3\n"
                                              "*SHELL SECTION,ELSET=sh,MATERIAL=steel\n 0.5, 5\n",
                                &mesh, &deck));
    assert_int_equal(deck.n_materials, 2);
    const phx_deck_material *steel = &deck.materials[0], *laminate = &deck.materials[1];
    assert_string_equal(steel->name, "Steel");
    assert_int_equal(steel->elastic, PHX_DECK_ELASTIC_ISOTROPIC);
    CHECK_CLOSE(steel->constants[0], 2.1e5, 0.0, "E");
    CHECK_CLOSE(steel->constants[1], 0.3, 0.0, "nu");
    CHECK_CLOSE(steel->density, 7.85e-9, 0.0, "rho");
    CHECK_CLOSE(steel->expansion, 1.2e-5, 0.0, "alpha");
    assert_true(steel->has_density && steel->has_expansion && steel->temperatures);
    assert_string_equal(laminate->name, "a laminate");
    assert_int_equal(laminate->elastic, PHX_DECK_ELASTIC_ENGINEERING_CONSTANTS);
    for (int k = 0; k < 9; k++)
        CHECK_CLOSE(laminate->constants[k], k + 1.0, 0.0, "constant %d", k + 1);
    assert_true(!laminate->has_density && !laminate->temperatures);
    assert_int_equal(deck.n_sections, 2);
    assert_string_equal(deck.sections[0].group, "E");
    assert_int_equal(deck.sections[0].material, 0);
    assert_true(!deck.sections[0].shell && deck.sections[1].shell);
    CHECK_CLOSE(deck.sections[1].thickness, 0.5, 0.0, "thickness");
    assert_int_equal(phx_mesh_group_named(&mesh, "sh")->dimension, 2);
    phx_mesh_free(&mesh);
    phx_deck_free(&deck);
}

/* The middle node of a beam stands between its ends; edges and faces of shells are sides. */
static void test_lines_and_shells(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    CHECK_OK(context,
             read_text(context,
                       TET "*ELEMENT,TYPE=B32,ELSET=mixed\n11,1,2,3\n*ELEMENT,TYPE=S4R,ELSET=mixed\n12,1,2,3,4\n"
                           "*SURFACE,NAME=edge\n12,E2\n*SURFACE,NAME=top\n12,SPOS\n",
                       &mesh, NULL));
    const int line[3] = {0, 2, 1}, edge[2] = {1, 2};
    assert_int_equal(mesh.type[2], PHX_CELL_LINE3);
    assert_memory_equal(mesh.node + mesh.first[2], line, sizeof line);
    assert_int_equal(phx_mesh_group_in(&mesh, "mixed", 1)->n_cells, 1);
    assert_int_equal(phx_mesh_group_in(&mesh, "mixed", 2)->cells[0], 3);
    assert_int_equal(phx_mesh_group_named(&mesh, "top")->cells[0], 3);
    const phx_mesh_group *group = phx_mesh_group_named(&mesh, "edge");
    assert_int_equal(group->dimension, 1);
    assert_memory_equal(mesh.node + mesh.first[group->cells[0]], edge, sizeof edge);
    assert_string_equal(mesh.variants[mesh.variant[3]], "S4R");
    phx_mesh_free(&mesh);
}

/* ---- files ---- */
static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void test_include(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    write_file("test_deck_nodes.inc", "1,0,0,0\n2,1,0,0\n3,0,1,0");
    write_file("test_deck_rest.inc", "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET, NSET=last\n4\n1\n");
    write_file("test_deck.INP", "*NODE, INPUT=test_deck_nodes.inc\n4,0,0,1\n*INCLUDE, INPUT=\"test_deck_rest.inc\"\n");
    CHECK_OK(context, phx_mesh_read(context, "test_deck.INP", 1e-3, &mesh));
    assert_int_equal(mesh.n_nodes, 4);
    assert_int_equal(mesh.n_cells, 1);
    CHECK_CLOSE(mesh.x[11], 1e-3, 0.0, "in the unit");
    assert_int_equal(phx_mesh_group_named(&mesh, "LAST")->n_nodes, 2);
    phx_mesh_free(&mesh);
    write_file("test_deck_rest.inc", "*ELEMENT, TYPE=C3D4\n1,1,2,3,9\n");
    CHECK_STATUS(context, phx_mesh_read(context, "test_deck.INP", 1e-3, &mesh), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "test_deck_rest.inc:2: element 1 (tet4) has node 9");
    write_file("test_deck_rest.inc", "*INCLUDE, INPUT=test_deck_rest.inc\n");
    CHECK_STATUS(context, phx_mesh_read(context, "test_deck.INP", 1e-3, &mesh), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "test_deck_rest.inc:1: files include one another more than 16 deep");
    remove("test_deck_rest.inc");
    CHECK_STATUS(context, phx_mesh_read(context, "test_deck.INP", 1e-3, &mesh), PHX_ERR_FILE);
    CHECK_MESSAGE(context, "test_deck.INP:3: the file test_deck_rest.inc cannot be read");
    remove("test_deck_nodes.inc");
    remove("test_deck.INP");
}

static void test_encodings(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    CHECK_OK(context, read_text(context, "\xEF\xBB\xBF" TET, &mesh, NULL));
    assert_int_equal(mesh.n_cells, 2);
    phx_mesh_free(&mesh);
    const char wide[] = "*\0N\0O\0D\0E\0";
    CHECK_STATUS(context, phx_mesh_read_bytes(context, "a.inp", wide, sizeof wide, 1.0, &mesh, NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "a.inp:1: a byte that is zero; a text file (ASCII, UTF-8) is expected");
}

/* Sets that double themselves, and ranges of all numbers. */
static void test_large_sets(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    bytes b = {0};
    put_text(&b, "%s*NSET,NSET=a\n1,3,5\n*NSET,NSET=b\na\n", TET);
    for (int k = 0; k < 40; k++)
        put_text(&b, "*NSET,NSET=a\nb\n*NSET,NSET=b\na,a,a\n");
    CHECK_STATUS(context, phx_mesh_read_bytes(context, "a.inp", b.data, b.size, 1.0, &mesh, NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "name one another so often");
    b.size = 0;
    put_text(&b, "%s*NSET,NSET=a,GENERATE\n", TET);
    for (int k = 0; k < 1000; k++)
        put_text(&b, "1,2147483647\n");
    CHECK_OK(context, phx_mesh_read_bytes(context, "a.inp", b.data, b.size, 1.0, &mesh, NULL));
    assert_int_equal(phx_mesh_group_named(&mesh, "a")->n_nodes, 5);
    phx_mesh_free(&mesh);
    free(b.data);
}

static void test_memory(void **state)
{
    phx_context *context = *state;
    phx_mesh want = box(context, PHX_CELL_TET10, 1);
    bytes decks[3] = {write_deck(&want, "C3D10"), {0}, {0}};
    put_text(&decks[1], "%s", TET MATERIALS);
    put_bytes(&decks[2], ASSEMBLY, strlen(ASSEMBLY));
    for (int k = 0; k < 3; k++) {
        phx_status status = PHX_ERR_MEMORY;
        for (int n = 0; status == PHX_ERR_MEMORY; n++) {
            phx_mesh mesh;
            phx_deck deck;
            phx_context_fail_allocation(context, n);
            status = phx_mesh_read_bytes(context, "f.inp", decks[k].data, decks[k].size, 1.0, &mesh, &deck);
            phx_mesh_free(&mesh);
            phx_deck_free(&deck);
        }
        phx_context_fail_allocation(context, -1);
        CHECK_OK(context, status);
        free(decks[k].data);
    }
    phx_mesh_free(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_box, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_damaged, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_left_out, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_judged, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_instances, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_materials, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_lines_and_shells, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_include, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_encodings, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_large_sets, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
