/* Matrices of other programs: a small body written in every format comes back as it was, in any units; what does not
 * fit is refused with file, line and remedy. */
#include "sample.h"

#include <string.h>

#include "support/testing.h"

static sample body, consecutive; /* the same with labels 1, 2, ... */

static int setup(void **state)
{
    sample_make(false, &body);
    sample_make(true, &consecutive);
    return enter_folder() ? context_setup(state) : -1;
}

static int teardown(void **state)
{
    leave_folder();
    return context_teardown(state);
}

/* ---- comparison ---- */
/* The unknown of the sample that unknown i of the model is. */
static int unknown_of(sample *s, const phx_elastic_model *model, int i)
{
    for (int k = 0; k < SAMPLE_NODES; k++)
        if (s->label[k] == model->label[model->node[i]])
            return 3 * k + model->component[i];
    fail_msg("unknown %d belongs to no node of the sample", i);
    return -1;
}

static double entry_of(const phx_csr *a, int i, int j)
{
    const int k = phx_csr_find(a, i, j);
    return k < 0 ? 0.0 : a->val[k];
}

/* Entry by entry, to the relative difference `digits` that the format prints. */
static void check_matrix(sample *s, const phx_elastic_model *model, const phx_csr *got, double (*want)[SAMPLE_UNKNOWNS],
                         double factor, double digits, const char *name)
{
    for (int i = 0; i < model->n; i++)
        for (int j = 0; j < model->n; j++) {
            const double value = factor * want[unknown_of(s, model, i)][unknown_of(s, model, j)];
            CHECK_CLOSE(entry_of(got, i, j), value, digits * fabs(value), "%s(%d, %d)", name, i, j);
        }
}

static void check_rigid_body(phx_context *context, sample *s, const phx_elastic_model *model, double digits)
{
    phx_elastic_summary summary;
    CHECK_OK(context, phx_elastic_summarise(context, model, &summary));
    CHECK_RELATIVE(summary.mass, s->mass, digits, "mass");
    CHECK_VECTOR(3, summary.centre, s->centre, digits, "centre");
    for (int c = 0; c < 3; c++) {
        CHECK_RELATIVE(summary.inertia[4 * c], s->inertia[c], 20.0 * digits, "moment of inertia %d", c);
        CHECK_SMALL(summary.inertia[3 * c + (c + 1) % 3], 20.0 * digits * s->inertia[0], "product of inertia %d", c);
    }
    CHECK_SMALL(max_abs(6, summary.rigid_force), 20.0 * digits, "force of rigid motions");
    CHECK_SMALL(summary.asymmetry[0] + summary.asymmetry[1], 0.0, "symmetry");
}

/* omega^2, ascending, of the pair (K, M). */
static void squares(phx_context *context, const double *K, const double *M, double *value)
{
    CHECK_OK(context, phx_dense_eigen_symmetric(context, SAMPLE_UNKNOWNS, K, M, value, NULL));
}

static void check_frequencies(phx_context *context, sample *s, const phx_elastic_model *model, double digits)
{
    static double M[SAMPLE_UNKNOWNS * SAMPLE_UNKNOWNS], K[SAMPLE_UNKNOWNS * SAMPLE_UNKNOWNS];
    double got[SAMPLE_UNKNOWNS], want[SAMPLE_UNKNOWNS];
    phx_csr_to_dense(&model->M, M);
    phx_csr_to_dense(&model->K, K);
    squares(context, K, M, got);
    squares(context, &s->K[0][0], &s->M[0][0], want);
    for (int k = 6; k < SAMPLE_UNKNOWNS; k++)
        CHECK_RELATIVE(got[k], want[k], 200.0 * digits + 1e-11, "omega^2 of mode %d", k);
}

/* Nothing is lost but the digits that the format does not print. */
static void check_model(phx_context *context, sample *s, phx_elastic_model *model, double digits)
{
    assert_int_equal(model->n, SAMPLE_UNKNOWNS);
    assert_int_equal(model->n_nodes, SAMPLE_NODES);
    assert_int_equal(model->n_elements, 0);
    assert_int_equal(model->n_modes, 0);
    check_matrix(s, model, &model->M, s->M, 1.0, digits, "M");
    check_matrix(s, model, &model->K, s->K, 1.0, digits, "K");
    check_rigid_body(context, s, model, digits > 1e-13 ? digits : 1e-13);
    check_frequencies(context, s, model, digits);
    phx_elastic_destroy(model);
}

/* ---- formats ---- */
static void abaqus_coordinates(void **state)
{
    const sample_triangle triangles[] = {WHOLE, LOWER, UPPER};
    phx_elastic_model *model;
    write_deck("block.inp", &consecutive);
    for (int k = 0; k < 3; k++) {
        write_coordinates("block_STIF1.mtx", consecutive.K, triangles[k], "%.17g");
        write_coordinates("block_MASS1.mtx", consecutive.M, triangles[k], "%.17g");
        CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block_STIF1.mtx", "block.inp",
                                      "block_MASS1.mtx", NULL));
        assert_int_equal(model->mesh.n_cells, 2);
        check_model(*state, &consecutive, model, 1e-15);
    }
}

/* Labels with gaps: rows count the nodes in ascending order, or are 3 (label - 1) + component. */
static void abaqus_gaps(void **state)
{
    phx_elastic_model *model;
    sample sorted = consecutive;
    for (int k = 0; k < SAMPLE_NODES; k++)
        sorted.label[k] = 10 * (k + 1);
    write_deck("block.inp", &sorted);
    write_coordinates("block_STIF1.mtx", sorted.K, WHOLE, "%.17g");
    write_coordinates("block_MASS1.mtx", sorted.M, WHOLE, "%.17g");
    CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block_STIF1.mtx", "block.inp",
                                  "block_MASS1.mtx", NULL));
    check_model(*state, &sorted, model, 1e-15);
    for (int m = 0; m < 2; m++) {
        FILE *file = fopen(m ? "block_MASS1.mtx" : "block_STIF1.mtx", "w");
        for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
            for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
                fprintf(file, " %d  %d  %.17g\n", 3 * (sorted.label[i / 3] - 1) + i % 3 + 1,
                        3 * (sorted.label[j / 3] - 1) + j % 3 + 1, m ? sorted.M[i][j] : sorted.K[i][j]);
        fclose(file);
    }
    CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block_STIF1.mtx", "block.inp",
                                  "block_MASS1.mtx", NULL));
    check_model(*state, &sorted, model, 1e-15);
}

static void abaqus_labels(void **state)
{
    phx_elastic_model *model;
    write_deck("block.inp", &body);
    write_labelled("block_STIF2.mtx", &body, body.K, WHOLE);
    write_labelled("block_MASS2.mtx", &body, body.M, UPPER);
    CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block_STIF2.mtx", "block_MASS2.mtx",
                                  "block.inp", NULL));
    check_model(*state, &body, model, 1e-15);
}

static void calculix(void **state)
{
    phx_elastic_model *model;
    write_deck("block.inp", &body);
    write_dof("block.dof", &body);
    write_coordinates("block.sti", body.K, UPPER, "%20.13e");
    write_coordinates("block.mas", body.M, UPPER, "%20.13e");
    CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block.inp", "block.sti", "block.mas",
                                  "block.dof", NULL));
    check_model(*state, &body, model, 1e-13);
}

static void matrix_market(void **state)
{
    phx_elastic_model *model;
    phx_import_def def = phx_import_def_default();
    write_table("nodes.csv", &body);
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        write_market("K.mtx", body.K, symmetric);
        write_market_array("M.mtx", body.M, !symmetric);
        CHECK_OK(*state, import_files(*state, def, &model, "K.mtx", "M.mtx", "nodes.csv", NULL));
        check_model(*state, &body, model, 1e-15);
    }
    write_market("one.mtx", body.K, true);
    write_market("two.mtx", body.M, true);
    def.stiffness_file = "one.mtx";
    def.mass_file = "two.mtx";
    CHECK_OK(*state, import_files(*state, def, &model, "nodes.csv", NULL));
    check_model(*state, &body, model, 1e-15);
}

/* Three ways to say what rows are: words, rows of named columns, rows without a header. */
static void tables(void **state)
{
    phx_elastic_model *model;
    write_market("K.mtx", body.K, true);
    write_market("M.mtx", body.M, true);
    for (int way = 0; way < 4; way++) {
        FILE *file = fopen("nodes.txt", "w");
        if (way == 1)
            fprintf(file, "ux\tuy\tuz\tz\ty\tx\tnode\n");
        for (int m = 0; m < SAMPLE_NODES; m++) {
            const int k = way == 0 ? m : SAMPLE_NODES - 1 - m; /* rows are given: any order */
            const double *x = body.x[k];
            if (way == 0)
                fprintf(file, "%d %.17g %.17g %.17g ux uy uz\n", body.label[k], x[0], x[1], x[2]);
            else if (way == 1)
                fprintf(file, "%d\t%d\t%d\t%.17g\t%.17g\t%.17g\t%d\n", 3 * k + 1, 3 * k + 2, 3 * k + 3, x[2], x[1],
                        x[0], body.label[k]);
            else if (way == 2)
                fprintf(file, "%d;%.17g;%.17g;%.17g;%d;%d;%d\n", body.label[k], x[0], x[1], x[2], 3 * k + 1, 3 * k + 2,
                        3 * k + 3);
            else
                fprintf(file, "%d,%.17g,%.17g,%.17g,%d,%d,%d,0,0,-\n", body.label[k], x[0], x[1], x[2], 3 * k + 1,
                        3 * k + 2, 3 * k + 3);
        }
        fclose(file);
        CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "nodes.txt", "M.mtx", "K.mtx", NULL));
        check_model(*state, &body, model, 1e-15);
    }
}

/* Sets of nodes, in the table of nodes or in one of its own. */
static void sets(void **state)
{
    phx_elastic_model *model;
    for (int own = 0; own < 2; own++) {
        FILE *file = fopen("sets.csv", "w");
        fprintf(file, own ? "set,node\n" : "set,node,x,y,z\n");
        for (int k = 0; k < SAMPLE_NODES; k++) {
            fprintf(file, "%s,%d", k % 3 == 0 ? (k == 0 ? "left+all" : "left") : k == 5 ? "-" : "all", body.label[k]);
            if (!own)
                fprintf(file, ",%.17g,%.17g,%.17g", body.x[k][0], body.x[k][1], body.x[k][2]);
            fprintf(file, "\n");
        }
        fclose(file);
        write_market("K.mtx", body.K, true);
        write_market("M.mtx", body.M, true);
        CHECK_OK(*state,
                 own ? import_files(*state, phx_import_def_default(), &model, "block.pch", "sets.csv", NULL)
                     : import_files(*state, phx_import_def_default(), &model, "K.mtx", "M.mtx", "sets.csv", NULL));
        const phx_mesh_group *left = phx_mesh_group_named(&model->mesh, "left");
        const phx_mesh_group *all = phx_mesh_group_named(&model->mesh, "all");
        assert_non_null(left);
        assert_non_null(all);
        assert_int_equal(left->n_nodes, 4);
        assert_int_equal(all->n_nodes, 8);
        for (int k = 0; k < 4; k++)
            CHECK_CLOSE(model->x[3 * left->nodes[k]], 0.0, 0.0, "x of node %d of the set", k);
        check_model(*state, &body, model, own ? 1e-9 : 1e-15);
        write_bulk("block.pch", &body, LARGE_FIELD, LOWER); /* for the table of its own */
    }
    write_text("sets.csv", "node,set\n17,left\n18,left\n");
    CHECK_STATUS(*state, import_files(*state, phx_import_def_default(), &model, "block.pch", "sets.csv", NULL),
                 PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "the set 'left' has node 18, which is not among the 12 nodes of block.pch");
}

static void nastran_bulk(void **state)
{
    const double digits[] = {[SMALL_FIELD] = 5e-4, [LARGE_FIELD] = 1e-9, [FREE_FIELD] = 1e-12};
    const sample_triangle triangles[] = {WHOLE, LOWER, UPPER};
    phx_elastic_model *model;
    for (int style = SMALL_FIELD; style <= FREE_FIELD; style++)
        for (int k = 0; k < 3; k++) {
            write_bulk("block.pch", &body, (bulk_style)style, triangles[k]);
            CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block.pch", NULL));
            CHECK_BETWEEN(model->rounding, 1e-3 * digits[style], digits[style], "rounding of the entries");
            check_model(*state, &body, model, digits[style]);
        }
}

static void nastran_op4(void **state)
{
    phx_elastic_model *model;
    write_table("nodes.csv", &body);
    for (int style = OP4_DENSE; style <= OP4_BIG; style++) {
        write_op4("block.op4", &body, (op4_style)style);
        CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block.op4", "nodes.csv", NULL));
        check_model(*state, &body, model, 1e-15);
    }
}

/* Modes and lumped masses. */
static void mbdyn(void **state)
{
    enum { COUNT = 3 };
    static double mode[COUNT][6 * SAMPLE_NODES];
    uint64_t seed = 7;
    const double M[COUNT * COUNT] = {1.0, 0.25, 0.0, 0.25, 1.0, 0.0, 0.0, 0.0, 2.0};
    const double K[COUNT * COUNT] = {3e6, 0.0, 1e5, 0.0, 5e6, 0.0, 1e5, 0.0, 9e6};
    phx_elastic_model *model;
    phx_elastic_summary summary;
    for (int k = 0; k < COUNT; k++)
        random_vector(&seed, 6 * SAMPLE_NODES, 1.0, mode[k]);
    write_fem("block.fem", &body, COUNT, mode, M, K);
    CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block.fem", NULL));
    assert_int_equal(model->n, 6 * SAMPLE_NODES);
    assert_int_equal(model->n_modes, COUNT);
    assert_int_equal(model->K.ptr[model->n], 0);
    CHECK_VECTOR(COUNT * COUNT, model->modal_M, M, 0.0, "modal mass");
    CHECK_VECTOR(COUNT * COUNT, model->modal_K, K, 0.0, "modal stiffness");
    for (int i = 0; i < model->n; i++)
        for (int k = 0; k < COUNT; k++)
            CHECK_CLOSE(model->modes[COUNT * i + k], mode[k][i], 0.0, "mode %d, unknown %d", k, i);
    CHECK_OK(*state, phx_elastic_summarise(*state, model, &summary));
    CHECK_RELATIVE(summary.mass, body.mass, 1e-14, "mass");
    CHECK_VECTOR(3, summary.centre, body.centre, 1e-14, "centre");
    phx_elastic_destroy(model);
    /* the modes move nodes that they do not turn: rotations without mass and motion are left out */
    for (int k = 0; k < COUNT; k++)
        for (int i = 0; i < 6 * SAMPLE_NODES; i++)
            mode[k][i] = i % 6 < 3 ? mode[k][i] : 0.0;
    write_fem("block.fem", &body, COUNT, mode, M, K);
    CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "block.fem", NULL));
    assert_int_equal(model->n, SAMPLE_UNKNOWNS);
    for (int i = 0; i < model->n; i++)
        CHECK_CLOSE(model->modes[COUNT * i + 1], mode[1][i / 3 * 6 + i % 3], 0.0, "mode 1, unknown %d", i);
    phx_elastic_destroy(model);
}

/* ---- units, rotations ---- */
/* t, mm, s: forces N, so M in t = 1000 kg, K in N/mm = 1000 N/m */
static void units(void **state)
{
    phx_elastic_model *model;
    phx_import_def def = phx_import_def_default();
    static sample other;
    other = consecutive;
    for (int k = 0; k < SAMPLE_NODES; k++)
        for (int c = 0; c < 3; c++)
            other.x[k][c] *= 1000.0;
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        for (int j = 0; j < SAMPLE_UNKNOWNS; j++) {
            other.M[i][j] /= 1000.0;
            other.K[i][j] /= 1000.0;
        }
    def.length = 1e-3;
    def.mass = 1e3;
    write_table("nodes.csv", &other);
    write_market("K.mtx", other.K, true);
    write_market("M.mtx", other.M, true);
    CHECK_OK(*state, import_files(*state, def, &model, "K.mtx", "M.mtx", "nodes.csv", NULL));
    check_model(*state, &consecutive, model, 1e-14);
    write_deck("block.inp", &other);
    write_coordinates("b_STIF1.mtx", other.K, WHOLE, "%.17g");
    write_coordinates("b_MASS1.mtx", other.M, WHOLE, "%.17g");
    CHECK_OK(*state, import_files(*state, def, &model, "block.inp", "b_STIF1.mtx", "b_MASS1.mtx", NULL));
    check_model(*state, &consecutive, model, 1e-14);
    def.time = 1e-3; /* t, mm, ms: forces MN */
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
            other.K[i][j] *= 1e-6;
    write_market("K.mtx", other.K, true);
    CHECK_OK(*state, import_files(*state, def, &model, "K.mtx", "M.mtx", "nodes.csv", NULL));
    check_model(*state, &consecutive, model, 1e-14);
}

/* Units that take numbers beyond all numbers. */
static void units_beyond_numbers(void **state)
{
    phx_elastic_model *model;
    phx_import_def def = phx_import_def_default();
    write_table("nodes.csv", &body);
    write_market("K.mtx", body.K, true);
    write_market("M.mtx", body.M, true);
    def.mass = 1e306;
    CHECK_STATUS(*state, import_files(*state, def, &model, "K.mtx", "M.mtx", "nodes.csv", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "K.mtx: in SI units the entry of node 17 ux and node 17 ux is beyond all numbers");
    def.mass = 1.0;
    def.length = 1e308;
    static sample far;
    far = body;
    far.x[3][0] = 50.0;
    write_table("nodes.csv", &far);
    CHECK_STATUS(*state, import_files(*state, def, &model, "K.mtx", "M.mtx", "nodes.csv", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "nodes.csv: in m the place of node 3 is beyond all numbers");
    assert_null(model);
}

/* Two nodes with all six unknowns, 2 m apart along x, a spring of 5 N/m and of 3 Nm/rad between them, in mm. */
static const char nodes_with_rotations[] = "node x y z\n1 0 0 0\n2 2000 0 0\n";

static void rotations(void **state)
{
    phx_elastic_model *model;
    phx_import_def def = phx_import_def_default();
    def.length = 1e-3;
    write_text("nodes.txt", "%s", nodes_with_rotations);
    write_text("K.mtx", "%%%%MatrixMarket matrix coordinate real symmetric\n12 12 6\n"
                        "1 1 5\n7 1 -5\n7 7 5\n4 4 3e6\n10 4 -3e6\n10 10 3e6\n"); /* N/m; kg mm^2/s^2 / rad */
    write_text("M.mtx", "%%%%MatrixMarket matrix coordinate real general\n12 12 9\n"
                        "1 1 2\n2 2 2\n3 3 2\n7 7 2\n8 8 2\n9 9 2\n4 4 1e5\n1 6 20\n6 1 20\n"); /* kg; kg mm; kg mm^2 */
    const phx_status status = import_files(*state, def, &model, "K.mtx", "M.mtx", "nodes.txt", NULL);
    CHECK_STATUS(*state, status, PHX_ERR_INPUT); /* rotation 1 z has a coupling, and no mass of its own */
    CHECK_MESSAGE(*state, "M.mtx: the matrix is not positive semidefinite: node 1 ux and node 1 rz have 20");
    write_text("M.mtx", "%%%%MatrixMarket matrix coordinate real general\n12 12 10\n"
                        "1 1 2\n2 2 2\n3 3 2\n7 7 2\n8 8 2\n9 9 2\n4 4 1e5\n1 6 20\n6 1 20\n6 6 1e6\n");
    CHECK_OK(*state, import_files(*state, def, &model, "K.mtx", "M.mtx", "nodes.txt", NULL));
    assert_int_equal(model->n, 9); /* rotations y of node 1, y and z of node 2 have nothing; 10 has stiffness */
    CHECK_CLOSE(entry_of(&model->K, 0, 0), 5.0, 0.0, "translation");
    assert_int_equal(model->component[3], PHX_UNKNOWN_RX);
    CHECK_CLOSE(entry_of(&model->K, 3, 3), 3.0, 1e-15, "rotation");
    CHECK_CLOSE(entry_of(&model->M, 3, 3), 0.1, 1e-16, "moment of inertia");
    CHECK_CLOSE(entry_of(&model->M, 0, 4), 0.02, 1e-17, "moment of mass");
    const double *about_z = model->rigid + 5 * model->n; /* e_z x (2, 0, 0) = (0, 2, 0) at node 2 */
    CHECK_CLOSE(about_z[6], 2.0, 1e-15, "rigid rotation");
    CHECK_CLOSE(about_z[4], 1.0, 0.0, "rigid rotation of a rotation");
    CHECK_CLOSE(about_z[5], 0.0, 0.0, "rigid rotation along x");
    phx_elastic_destroy(model);
}

/* The ROT NODE of a rigid body of CalculiX, found in the deck or declared. */
static void rigid_body_of_calculix(void **state)
{
    static const int pairs[][2] = {{2, 3}};
    phx_elastic_model *model;
    for (int declared = 0; declared < 2; declared++) {
        phx_import_def def = phx_import_def_default();
        if (declared) {
            def.n_rigid = 1;
            def.rigid = pairs;
        }
        write_text("b.inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 9, 9, 9\n%s",
                   declared ? "" : "** a comment\n*Rigid Body, nset=N,\n Ref Node=2, rot node = 3\n");
        write_text("b.dof", "1.1\n1.2\n1.3\n2.1\n2.2\n2.3\n3.1\n3.2\n3.3\n");
        write_text("b.sti", "1 1 1e0\n2 2 1e0\n3 3 1e0\n4 4 1e0\n5 5 1e0\n6 6 1e0\n7 7 7e0\n8 8 8e0\n9 9 9e0\n");
        write_text("b.mas", "1 1 1e0\n2 2 1e0\n3 3 1e0\n4 4 1e0\n5 5 1e0\n6 6 1e0\n7 7 7e0\n8 8 8e0\n9 9 9e0\n");
        CHECK_OK(*state, import_files(*state, def, &model, "b.inp", "b.dof", "b.sti", "b.mas", NULL));
        for (int c = 0; c < 3; c++) {
            assert_int_equal(model->component[6 + c], PHX_UNKNOWN_RX + c);
            assert_int_equal(model->label[model->node[6 + c]], 2);
        }
        phx_elastic_destroy(model);
    }
}

/* ---- round-off and what is more than that ---- */
static void round_off(void **state)
{
    static sample other;
    phx_elastic_model *model;
    other = consecutive;
    other.K[4][7] += 1e-12 * other.K[4][4];
    other.K[5][0] += 1e-13 * other.K[5][5];
    write_deck("b.inp", &other);
    write_coordinates("b_STIF1.mtx", other.K, WHOLE, "%.17g");
    write_coordinates("b_MASS1.mtx", other.M, WHOLE, "%.17g");
    CHECK_OK(*state,
             import_files(*state, phx_import_def_default(), &model, "b_STIF1.mtx", "b_MASS1.mtx", "b.inp", NULL));
    CHECK_CLOSE(entry_of(&model->K, 4, 7), entry_of(&model->K, 7, 4), 0.0, "symmetric");
    CHECK_CLOSE(entry_of(&model->K, 4, 7), 0.5 * (other.K[4][7] + other.K[7][4]), 1e-15 * other.K[4][4], "mean");
    phx_elastic_destroy(model);
    /* six printed digits: their last one counts */
    other = consecutive;
    other.K[4][7] *= 1.0 + 4e-6;
    write_coordinates("b_STIF1.mtx", other.K, WHOLE, "%.5e");
    CHECK_OK(*state,
             import_files(*state, phx_import_def_default(), &model, "b_STIF1.mtx", "b_MASS1.mtx", "b.inp", NULL));
    phx_elastic_destroy(model);
    other.K[4][7] *= 1.001;
    write_coordinates("b_STIF1.mtx", other.K, WHOLE, "%.17g");
    CHECK_STATUS(*state,
                 import_files(*state, phx_import_def_default(), &model, "b_STIF1.mtx", "b_MASS1.mtx", "b.inp", NULL),
                 PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "b_STIF1.mtx: the matrix is not symmetric: the entries of node 2 uy with node 3 uy");
    assert_null(model);
}

/* Rows that neither matrix fills are left out; so are explicit zeros. */
static void empty_rows(void **state)
{
    static sample other;
    phx_elastic_model *model;
    other = body;
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        for (int c = 0; c < 3; c++)
            other.K[9 + c][i] = other.K[i][9 + c] = other.M[9 + c][i] = other.M[i][9 + c] = 0.0;
    write_table("nodes.csv", &other);
    write_market_array("K.mtx", other.K, false);
    write_market_array("M.mtx", other.M, true);
    CHECK_OK(*state, import_files(*state, phx_import_def_default(), &model, "K.mtx", "M.mtx", "nodes.csv", NULL));
    assert_int_equal(model->n, SAMPLE_UNKNOWNS - 3);
    check_matrix(&other, model, &model->K, other.K, 1.0, 1e-15, "K");
    for (int k = 0; k < model->M.ptr[model->n]; k++)
        assert_true(model->M.val[k] != 0.0);
    phx_elastic_destroy(model);
}

/* ---- messages ---- */
typedef struct refusal {
    const char *file, *text; /* a file that replaces a good one */
    const char *message;     /* what the message contains */
} refusal;

static const char market[] = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.0\n2 2 1.0\n3 3 1.0\n";

static void refuse(phx_context *context, const refusal *r, int count, const char *const *good)
{
    for (int k = 0; k < count; k++) {
        phx_elastic_model *model = (phx_elastic_model *)&r; /* is set to NULL */
        for (int i = 0; good[2 * i]; i++)
            write_text(good[2 * i], "%s", strcmp(good[2 * i], r[k].file) ? good[2 * i + 1] : r[k].text);
        phx_import_def def = phx_import_def_default();
        const phx_status status =
            import_files(context, def, &model, good[0], good[2], good[4], good[4] ? good[6] : NULL, NULL);
        if (status != PHX_ERR_INPUT)
            fail_msg("accepted: %s with %s", r[k].file, r[k].text);
        CHECK_MESSAGE(context, r[k].message);
        assert_null(model);
    }
}

static void refused_market(void **state)
{
    static const char *const good[] = {"K.mtx", market, "M.mtx", market, "n.csv", "1,0,0,0\n", NULL, NULL};
    static const refusal refusals[] = {
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.0\n2 2 nan\n3 3 1.0\n",
         "K.mtx:4: the entry must be finite, here it is 'nan'"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.0\n2 2 -Inf\n3 3 1.0\n",
         "K.mtx:4: the entry must be finite, here it is '-Inf'"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1e999\n2 2 1\n3 3 1.0\n",
         "K.mtx:3: the entry must be finite, here it is '1e999'"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.0\n2 2 1.0\n",
         "K.mtx:4: the file ends after 2 of 3 entries: it is truncated"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.0\n2 2 1.0\n3 3 1.0\n1 1 1\n",
         "K.mtx:6: the file goes on behind the last entry"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.0\n2 4 1.0\n3 3 1.0\n",
         "K.mtx:4: the entry (2, 4) lies outside the matrix of 3 rows and 3 columns"},
        {"K.mtx", "%%MatrixMarket matrix coordinate complex symmetric\n3 3 3\n",
         "K.mtx:1: the field of the matrix must "},
        {"K.mtx", "%%MatrixMarket matrix coordinate real hermitian\n3 3 3\n",
         "K.mtx:1: the symmetry of the matrix must "},
        {"K.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 3\n",
         "K.mtx:2: a matrix of 3 rows and 4 columns"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1 1\n",
         "K.mtx:3: the line goes on with '1'"},
        {"K.mtx", "%%MatrixMarket matrix array real general\n3 3\n1\n0\n0\n0\n1\n0\n0\n0\n",
         "K.mtx:10: the file ends before the entry (3, 3)"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 2 1\n3 3 1\n2 1 0.5\n",
         "say that the matrix is symmetric"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 2 1\n3 3 1\n2 1 1.5\n",
         "K.mtx: the matrix is not positive semidefinite: node 1 ux and node 1 uy have 1.5 between them"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 -1\n3 3 1\n",
         "K.mtx: node 1 uy has the stiffness -1 on the diagonal"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n",
         "neither three nor six rows"},
        {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2000000000 2000000000 1\n1 1 1\n",
         "more than six rows for each"},
        {"M.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 1 0\n",
         "M.mtx: the mass matrix gives the body the mass 0 kg along x"},
        {"n.csv", "1,0,0\n", "n.csv:1: the line ends before z"},
        {"n.csv", "1,0,zero,0\n", "n.csv:1: y must be a number, here it is 'zero'"},
        {"n.csv", "# none\n", "n.csv:1: the table has no nodes"},
        {"n.csv", "node,x,y,z,w\n", "n.csv:1: there is no column 'w'"},
        {"n.csv", "1,0,0,0,1,2,4\n", "n.csv:1: row 4 of node 1 uz, but only 3 rows are named"},
        {"n.csv", "1,0,0,0,1,2,2\n", "n.csv:1: row 2 is node 1 uz, and node 1 uy as well"},
        {"n.csv", "1,0,0,0\n1,1,1,1\n", "n.csv:2: node 1 stands here a second time"},
        {"n.csv", "1,0,0,0,ux,uy,uz,rx,ry,rz\n", "M.mtx:2: row or column 3, but n.csv has 6 unknowns"},
    };
    refuse(*state, refusals, sizeof refusals / sizeof *refusals, good);
}

static void refused_calculix(void **state)
{
    static const char *const good[] = {"b.sti", "1 1 1e0\n2 2 1e0\n3 3 1e0\n",
                                       "b.mas", "1 1 1e0\n2 2 1e0\n3 3 1e0\n",
                                       "b.dof", "1.1\n1.2\n1.3\n",
                                       "n.csv", "1,0,0,0\n",
                                       NULL};
    static const refusal refusals[] = {
        {"b.dof", "1.1\n1.2\n1.4\n", "b.dof:3: direction 4 of node 1"},
        {"b.dof", "1.1\n12\n1.3\n", "b.dof:2: a line must be 'node.direction', as 12.3, here it is '12'"},
        {"b.dof", "1.1\n1.2\n1.2\n", "b.dof:3: node 1 uy stands here a second time, first in line 2"},
        {"b.dof", "1.1\n1.2\n", "3, but b.dof has 2 unknowns"},
        {"b.dof", "1.1\n1.2\n2.3\n", "b.dof: the matrices have node 2, but it is not among the 1 nodes of n.csv"},
        {"b.sti", "1 1 1e0\n2 2 1e0\n", "b.mas:3: the file has 3 entries, b.sti has 2"},
        {"b.mas", "1 1 1.000e0\n2 2 1.000e0\n3 3 1.0", "b.mas:3: the file ends inside a line: it is truncated"},
        {"b.sti", "1 1 1e0\n0 2 1e0\n3 3 1e0\n", "b.sti:2: the entry (0, 2)"},
        {"b.sti", "1 1 1e0\n2 2 1e0\n2 2 1e0\n", "b.sti: the entry of node 1 uy and node 1 uy stands there twice"},
        {"b.mas", "1 1 -1e0\n2 2 1e0\n3 3 1e0\n", "b.mas: node 1 ux has the mass -1 on the diagonal"},
        {"b.mas", "", "b.mas:1: the file has no entries"},
        {"b.mas", "1 1 1e0\n2 2 1e0\n3 3 0\n", "b.mas: the mass matrix gives the body the mass 0 kg along z"},
    };
    refuse(*state, refusals, sizeof refusals / sizeof *refusals, good);
}

static void refused_abaqus(void **state)
{
    static const char diagonal[] = "1,1,1,1,1.\n1,2,1,2,1.\n1,3,1,3,1.\n";
    static const char *const good[] = {"b_STIF1.mtx", diagonal,    "b_MASS1.mtx", diagonal,
                                       "n.csv",       "1,0,0,0\n", NULL,          NULL};
    static const refusal refusals[] = {
        {"b_STIF1.mtx", "1,1,1,1,1.\n1,2,1,2,\n", "b_STIF1.mtx:2: the line ends before the entry"},
        {"b_STIF1.mtx", "1,1,1,1\n", "b_STIF1.mtx:1: 4 values"},
        {"b_STIF1.mtx", "-1,1,-1,1,1.\n", "b_STIF1.mtx:1: node -1: nodes that Abaqus adds by itself"},
        {"b_STIF1.mtx", "1,11,1,11,1.\n", "b_STIF1.mtx:1: component 11 of node 1"},
        {"b_STIF1.mtx", "** x\n*MATRIX,TYPE=STIFFNESS\n1,2,\n", "b_STIF1.mtx:2: keyword '*MATRIX"},
        {"b_STIF1.mtx", "1 1 1.\n2 2 1.\n3 3 1.\n", "write both in one way"},
        {"b_STIF1.mtx", "1,1,1,1,1.\n2,1,2,1,1\n",
         "the matrices have node 2, but it is not among the 1 nodes of n.csv"},
    };
    refuse(*state, refusals, sizeof refusals / sizeof *refusals, good);
}

static void refused_nastran(void **state)
{
#define HEADS "DMIG,KAAX,0,6,2\nDMIG,MAAX,0,6,2\nDMIG,MAAX,1,1,,1,1,1.\nDMIG,MAAX,1,2,,1,2,1.\nDMIG,MAAX,1,3,,1,3,1.\n"
    static const char *const good[] = {"b.pch", "", NULL, NULL, NULL, NULL, NULL, NULL};
    static const refusal refusals[] = {
        {"b.pch", "GRID,1,,0.,0.,0.\n" HEADS "DMIG,KAAX,1,1,,1,1\n", "b.pch:7: the entry of row 1, 1 is missing"},
        {"b.pch", "GRID,1,,0.,0.,0.\nDMIG,KAAX,0,9,2\n", "b.pch:2: the matrix has form 9"},
        {"b.pch", "GRID,1,,0.,0.,0.\nDMIG,KAAX,0,6,4\n", "b.pch:2: the entries have type 4"},
        {"b.pch", "GRID,1,5,0.,0.,0.\n", "b.pch:1: coordinate system 5"},
        {"b.pch", "GRID,1,,0.,0.,0.,7\n", "b.pch:1: coordinate system 7"},
        {"b.pch", "GRID,1,,0.,0.,0.\nDMIG,KAAX,1,1,,1,1,1.\n",
         "b.pch:2: a column of the matrix KAAX before its first line"},
        {"b.pch", "GRID,1,,0.,0.,0.\nDMIG,KAAX,0,6,2\nDMIG,KAAX,1,1,,1,1,1.0x\n",
         "b.pch:3: the entry must be a number"},
        {"b.pch", "GRID,1,,0.,0.,0.\nDMIG,KAAX,0,6,2\nDMIG,KGG,0,6,2\n", "b.pch:3: a second stiffness matrix"},
        {"b.pch", "DMIG,KAAX,0,6,2\nDMIG,KAAX,1,1,,1,1,1.0\n", "b.pch: none of the files gives nodes"},
        {"b.pch", "GRID,1,,0.,0.,0.\n" HEADS "DMIG,KAAX,1,1,,1,1,1.,,\n,1,1,2.\n", "stands there twice"},
        {"b.pch", "GRID,1,,0.,0.,0.\n" HEADS "DMIG,KAAX,9,,,9,,1.\nDMIG,MAAX,9,,,9,,1.\n",
         "the scalar points of the matrices have mass"},
    };
    refuse(*state, refusals, sizeof refusals / sizeof *refusals, good);
}

static void refused_files(void **state)
{
    phx_elastic_model *model;
    phx_import_def def = phx_import_def_default();
    write_text("a.xyz", "nothing\n");
    CHECK_STATUS(*state, import_files(*state, def, &model, "a.xyz", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "a.xyz: neither its suffix nor its content");
    CHECK_STATUS(*state, import_files(*state, def, &model, "none.mtx", NULL), PHX_ERR_FILE);
    CHECK_MESSAGE(*state, "none.mtx: cannot read");
    write_text("q.mtx", "%s", market);
    CHECK_STATUS(*state, import_files(*state, def, &model, "q.mtx", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "q.mtx:1: the name of the file does not say whether");
    write_text("K.mtx", "%s", market);
    write_text("K2.mtx", "%s", market);
    CHECK_STATUS(*state, import_files(*state, def, &model, "K.mtx", "K2.mtx", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "K2.mtx:1: a second stiffness matrix; the first one is in K.mtx");
    CHECK_STATUS(*state, import_files(*state, def, &model, NULL), PHX_ERR_ARGUMENT);
    def.length = 0.0;
    CHECK_STATUS(*state, import_files(*state, def, &model, "K.mtx", NULL), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "the unit of length is 0");
    CHECK_STATUS(*state, phx_import_create(*state, NULL, &model), PHX_ERR_ARGUMENT);
    CHECK_STATUS(*state, phx_import_create(*state, &def, NULL), PHX_ERR_ARGUMENT);
}

/* Every allocation fails in turn. */
static void memory(void **state)
{
    phx_elastic_model *model = NULL;
    phx_status status = PHX_ERR_MEMORY;
    write_bulk("block.pch", &body, FREE_FIELD, LOWER);
    for (long n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_context_fail_allocation(*state, n);
        status = import_files(*state, phx_import_def_default(), &model, "block.pch", NULL);
        phx_context_fail_allocation(*state, -1);
        assert_true(status == PHX_OK || (status == PHX_ERR_MEMORY && !model));
    }
    check_model(*state, &body, model, 1e-12);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(abaqus_coordinates),
        TEST(abaqus_gaps),
        TEST(abaqus_labels),
        TEST(calculix),
        TEST(matrix_market),
        TEST(tables),
        TEST(sets),
        TEST(nastran_bulk),
        TEST(nastran_op4),
        TEST(mbdyn),
        TEST(units),
        TEST(units_beyond_numbers),
        TEST(rotations),
        TEST(rigid_body_of_calculix),
        TEST(round_off),
        TEST(empty_rows),
        TEST(refused_market),
        TEST(refused_calculix),
        TEST(refused_abaqus),
        TEST(refused_nastran),
        TEST(refused_files),
        TEST(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
