/* TITOP models of bodies: the matrices and Tables 3-11 of the paper, transfer functions of (M, D, K, ports) solved with
 * the motion of P as a constraint, for beams and rigid bodies with any ports. */
#include "support/testing.h"

#include "linear/linear.h"

enum { MAX_V = 60, FREQUENCIES = 20, MAX_PORTS = 3, MAX_CHANNELS = 6 * (MAX_PORTS + 1) };

/* ---- subjects: a body with ports, P the last ---- */
typedef struct subject {
    const char *name;
    int dim, elements, order; /* elements 0: a rigid body */
    phx_reference reference;
    double damping_mass, damping_stiffness;
    double mass_at; /* a point mass there; negative: none */
    int n_children;
    double at[MAX_PORTS + 1]; /* of the ports C, then of P */
    double turn;              /* directions of the ports, rad about z */
} subject;

typedef struct ported {
    phx_beam *beam;
    phx_body *body;
    phx_body_port port[MAX_PORTS + 1];
    phx_titop_port children[MAX_PORTS];
    phx_titop_def def;
} ported;

static void make_body(phx_context *context, const subject *it, ported *model)
{
    static const double inertia[9] = {1.1, 0.2, -0.1, 0.2, 1.3, 0.15, -0.1, 0.15, 0.9};
    phx_body_def def = phx_body_def_default();
    phx_beam_def beam = phx_beam_def_default();
    phx_rigid_def rigid = {.mass = 1.7, .centre = {0.4, -0.3, 0.2}};
    const phx_beam_mass mass = {.at = it->mass_at, .mass = 0.3, .inertia = {0.01}};

    memcpy(rigid.inertia, inertia, sizeof inertia);
    def.name = "body";
    def.dim = it->dim;
    if (it->elements) {
        beam.dim = it->dim;
        beam.length = 1.3;
        beam.mass_per_length = 0.8;
        beam.axial_stiffness = 200.0;
        beam.bending_stiffness[0] = 2.0;
        beam.bending_stiffness[1] = 3.0;
        beam.torsion_stiffness = 1.5;
        beam.polar_inertia = 0.02;
        beam.elements = it->elements;
        beam.order = it->order;
        beam.reference = it->reference;
        beam.n_masses = it->mass_at >= 0.0 ? 1 : 0;
        beam.masses = &mass;
        def.damping_mass = it->damping_mass;
        def.damping_stiffness = it->damping_stiffness;
        CHECK_OK(context, phx_beam_create(context, &beam, &model->beam));
        def.flex = phx_flex_source_flex(model->beam);
    } else {
        def.rigid = &rigid;
    }
    CHECK_OK(context, phx_body_create(context, &def, &model->body));
}

static void make_model(phx_context *context, const subject *it, ported *model)
{
    static const char *const names[] = {"C", "C2", "C3"};

    memset(model, 0, sizeof *model);
    make_body(context, it, model);
    model->def = phx_titop_def_default();
    model->def.body = model->body;
    model->def.n_children = it->n_children;
    model->def.children = model->children;
    for (int k = 0; k <= it->n_children; k++) {
        phx_body_port *port = &model->port[k];
        phx_rot_axis_angle(it->dim, (const double[]){0.0, 0.0, 1.0}, it->turn * (k + 1), port->rotation);
        if (model->beam)
            CHECK_OK(context, phx_beam_point(model->beam, context, it->at[k], &port->point));
        else
            memcpy(port->point.x, (const double[]){0.3 * it->at[k], -0.2, 0.1 * it->at[k]}, sizeof port->point.x);
        if (k < it->n_children)
            model->children[k] = (phx_titop_port){names[k], port};
        else
            model->def.parent = (phx_titop_port){"P", port};
    }
}

static void free_model(const subject *it, ported *model)
{
    for (int k = 0; k <= it->n_children; k++)
        phx_body_port_free(&model->port[k]);
    phx_body_destroy(model->body);
    phx_flex_source_destroy(model->beam);
}

/* ---- the unit beam of the paper's tables ---- */
static const subject unit_subject = {"unit beam", 2, 1,          5,  PHX_REFERENCE_CANTILEVER, 0.0, 0.0,
                                     -1.0,        1, {1.0, 0.0}, 0.0};

/* A body of the beam with ports C and P at its ends. */
static void make_ported_beam(phx_context *context, const phx_beam_def *beam, ported *model)
{
    phx_body_def def = phx_body_def_default();

    memset(model, 0, sizeof *model);
    CHECK_OK(context, phx_beam_create(context, beam, &model->beam));
    def.name = "beam";
    def.dim = 2;
    def.flex = phx_flex_source_flex(model->beam);
    CHECK_OK(context, phx_body_create(context, &def, &model->body));
    for (int k = 0; k < 2; k++) {
        CHECK_OK(context, phx_beam_point(model->beam, context, 1.0 - k, &model->port[k].point));
        phx_rot_axis_angle(2, NULL, 0.0, model->port[k].rotation);
    }
    model->children[0] = (phx_titop_port){"C", &model->port[0]};
    model->def = (phx_titop_def){
        .body = model->body, .parent = {"P", &model->port[1]}, .n_children = 1, .children = model->children};
}

static void make_unit_beam(phx_context *context, double length, double mass_per_length, double bending, double axial,
                           ported *model)
{
    phx_beam_def beam = phx_beam_def_default();

    beam.dim = 2;
    beam.length = length;
    beam.mass_per_length = mass_per_length;
    beam.axial_stiffness = axial;
    beam.bending_stiffness[0] = bending;
    beam.elements = 1;
    beam.order = 5;
    beam.reference = PHX_REFERENCE_CANTILEVER;
    make_ported_beam(context, &beam, model);
}

/* Order of q: ux(l), then v''(0), v(l), v'(l), v''(l). */
static void test_paper_matrices(void **state)
{
    phx_context *context = *state;
    const double l = 1.7, rho = 0.6, EI = 2.3, ES = 31.0, m = rho * l;
    /* (16) in v_P, alpha_P | v''(0), v(l), v'(l), v''(l) */
    const double mass[6][6] = {{55440, 27720 * l, 462 * l * l, 27720, -5544 * l, 462 * l * l},
                               {27720 * l, 18480 * l * l, 198 * l * l * l, 19800 * l, -3432 * l * l, 264 * l * l * l},
                               {0, 0, 6 * l * l * l * l, 181 * l * l, -52 * l * l * l, 5 * l * l * l * l},
                               {0, 0, 0, 21720, -3732 * l, 281 * l * l},
                               {0, 0, 0, 0, 832 * l * l, -69 * l * l * l},
                               {0, 0, 0, 0, 0, 6 * l * l * l * l}};
    const double stiffness[4][4] = {{6 * l * l * l * l, -30 * l * l, 8 * l * l * l, l * l * l * l},
                                    {0, 1200, -600 * l, 30 * l * l},
                                    {0, 0, 384 * l * l, -22 * l * l * l},
                                    {0, 0, 0, 6 * l * l * l * l}};
    ported model;
    phx_titop_parts parts;

    make_unit_beam(context, l, rho, EI, ES, &model);
    CHECK_OK(context, phx_titop_parts_create(context, &model.def, &parts));
    assert_int_equal(parts.size, 3);
    assert_int_equal(parts.n, 5);
    for (int i = 0; i < 6; i++)
        for (int j = i; j < 6; j++) {
            const double want = m / 55440 * mass[i][j];
            const double got = j < 2   ? parts.D_P[(i + 1) * 3 + j + 1]
                               : i < 2 ? parts.L_P[(j - 1) * 3 + i + 1]
                                       : parts.M[(i - 1) * 5 + j - 1];
            CHECK_RELATIVE(got, want, 1e-13, "(16), entry %d,%d", i, j);
        }
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            CHECK_RELATIVE(parts.K[(i + 1) * 5 + j + 1], EI / (70 * l * l * l) * stiffness[i][j], 1e-12,
                           "(17), K(%d,%d)", i, j);
    /* (23): traction */
    CHECK_RELATIVE(parts.D_P[0], m, 1e-14, "mass");
    CHECK_RELATIVE(parts.L_P[0], m / 2, 1e-14, "axial participation");
    CHECK_RELATIVE(parts.M[0], m / 3, 1e-14, "axial mass");
    CHECK_RELATIVE(parts.K[0], ES / l, 1e-14, "axial stiffness");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_SMALL(parts.tau[i * 3 + j] - (i == j ? 1.0 : i == 1 && j == 2 ? l : 0.0), 1e-15, "tau(%d,%d)", i, j);
    const int moved[3] = {0, 2, 3};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 5; j++)
            CHECK_SMALL(parts.Phi[i * 5 + j] - (j == moved[i] ? 1.0 : 0.0), 1e-15, "(17), Phi(%d,%d)", i, j);
    phx_titop_parts_free(&parts);
    free_model(&unit_subject, &model);
}

/* ---- Tables 3-11 ---- */
static void check_printed(double value, const char *printed, const char *what, int table)
{
    const char *point = strchr(printed, '.');
    const double half = 0.5 * pow(10.0, point ? -(double)strlen(point + 1) : 0.0);

    CHECK_SMALL(value - strtod(printed, NULL), half * (1.0 + 1e-9), "Table %d, %s %s as printed", table, what, printed);
}

/* One line of the tables: conditions by inversion, inputs left out, states held left out, then frequencies. */
static void check_table(phx_context *context, const phx_ss *bending, const char *line)
{
    char channels[8], printed[2][16], error[2][16];
    int table, held, list[4], set[4];
    double w[4], ref[2], omega[8], damping[8];
    const char *const none[] = {""};
    phx_ss *inverted = NULL, *single = NULL, *alone = NULL, *kept = NULL;

    assert_int_equal(sscanf(line, "%d,%7[^,],%d,%lf,%lf,%lf,%lf,%15[^,],%15[^,],%lf,%lf,%15[^,],%15[^,\n]", &table,
                            channels, &held, &w[0], &w[1], &w[2], &w[3], printed[0], printed[1], &ref[0], &ref[1],
                            error[0], error[1]),
                     13);
    const int count = (int)strlen(channels);
    for (int k = 0; k < count; k++)
        set[k] = list[k] = channels[k] - '1';
    CHECK_OK(context, phx_ss_invert(context, bending, count, set, &inverted));
    CHECK_OK(context, phx_ss_copy(context, bending, NULL, NULL, &single));
    for (int k = 0; k < count; k++) { /* (28) gives the same */
        phx_ss *next = NULL;
        CHECK_OK(context, phx_ss_invert_channel(context, single, list[k], &next));
        phx_ss_destroy(single);
        single = next;
    }
    for (int k = 0; k < 16; k++)
        CHECK_SMALL(phx_ss_D(inverted)[k] - phx_ss_D(single)[k], 1e-11 * (1.0 + fabs(phx_ss_D(single)[k])),
                    "Table %d: D of the block and of the single inversions, entry %d", table, k);
    CHECK_OK(context, phx_ss_sub(context, inverted, 0, NULL, 0, none, &alone));
    CHECK_OK(context, phx_ss_reduce(context, alone, PHX_SS_CONSTRAINED, 0.0, &kept));
    if (phx_ss_n(kept) != 8 - 2 * held)
        fail_msg("Table %d: %d states remain, expected %d", table, phx_ss_n(kept), 8 - 2 * held);
    CHECK_OK(context, phx_ss_poles(context, kept, NULL, NULL, omega, damping));
    for (int k = 0; k < phx_ss_n(kept); k++) {
        CHECK_RELATIVE(omega[k], w[k / 2], 1e-8, "Table %d, pulsation %d", table, k / 2 + 1);
        CHECK_SMALL(damping[k], 1e-9, "Table %d, damping of pulsation %d", table, k / 2 + 1);
    }
    for (int k = 0; k < 2; k++) {
        check_printed(omega[2 * k], printed[k], "pulsation", table);
        if (strcmp(error[k], "0") != 0)
            check_printed(100.0 * fabs(omega[2 * k] - ref[k]) / ref[k], error[k], "error", table);
    }
    phx_ss_destroy(inverted);
    phx_ss_destroy(single);
    phx_ss_destroy(alone);
    phx_ss_destroy(kept);
}

static void test_tables(void **state)
{
    phx_context *context = *state;
    const char *const inputs[] = {"beam.C.fy", "beam.C.tz", "beam.P.ay", "beam.P.alpha"};
    const char *const outputs[] = {"beam.C.ay", "beam.C.alpha", "beam.P.fy", "beam.P.tz"};
    phx_ss *titop = NULL, *sub = NULL, *bending = NULL;
    ported model;
    char line[512];
    int tables = 0;

    make_unit_beam(context, 1.0, 1.0, 1.0, 1.0, &model);
    CHECK_OK(context, phx_titop_create(context, &model.def, &titop));
    CHECK_OK(context, phx_ss_sub(context, titop, 4, outputs, 4, inputs, &sub));
    CHECK_OK(context, phx_ss_reduce(context, sub, PHX_SS_MINIMAL, 0.0, &bending));
    assert_int_equal(phx_ss_n(bending), 8); /* traction has gone */
    FILE *file = fopen(PHX_SOURCE_DIR "/tests/data/titop_tables.csv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (line[0] >= '0' && line[0] <= '9') {
            check_table(context, bending, line);
            tables++;
        }
    fclose(file);
    assert_int_equal(tables, 9);
    phx_ss_destroy(titop);
    phx_ss_destroy(sub);
    phx_ss_destroy(bending);
    free_model(&unit_subject, &model);
}

/* Table 1, polynomial columns: clamped-free, and free-clamped by inverting everything. */
static void test_table_1(void **state)
{
    phx_context *context = *state;
    const double want[4] = {3.5160206804337997, 22.157831407517822, 63.346583541579626, 281.5962533274757};
    const int all[6] = {0, 1, 2, 3, 4, 5};
    phx_ss *titop = NULL, *inverse = NULL;
    double omega[10];
    ported model;

    make_unit_beam(context, 1.0, 1.0, 1.0, 1e8, &model); /* traction far above */
    CHECK_OK(context, phx_titop_create(context, &model.def, &titop));
    CHECK_OK(context, phx_ss_invert(context, titop, 6, all, &inverse));
    for (int side = 0; side < 2; side++) {
        CHECK_OK(context, phx_ss_poles(context, side ? inverse : titop, NULL, NULL, omega, NULL));
        for (int k = 0; k < 4; k++)
            CHECK_RELATIVE(omega[2 * k], want[k], 1e-8, "Table 1, %s, pulsation %d",
                           side ? "free-clamped" : "clamped-free", k + 1);
        check_printed(omega[0], "3.5160", "pulsation", 1);
        check_printed(omega[2], "22.158", "pulsation", 1);
    }
    phx_ss_destroy(titop);
    phx_ss_destroy(inverse);
    free_model(&unit_subject, &model);
}

/* Table 1, assumed modes: clamped-free exactly; free-clamped by inverting everything, from above. */
static void test_table_1_assumed(void **state)
{
    phx_context *context = *state;
    const double clamped_free[2] = {3.5160152685, 22.0344915647};
    const struct {
        int modes;
        double want[2];
    } free_clamped[] = {{4, {4.3895304, 28.019438}}, {8, {3.9078325, 24.595080}}, {16, {3.7025969, 23.227501}}};
    const int all[6] = {0, 1, 2, 3, 4, 5};

    for (int k = 0; k < 3; k++) {
        phx_beam_def beam = phx_beam_def_default();
        phx_ss *titop = NULL, *inverse = NULL;
        double omega[4 * 16];
        ported model;
        beam.length = beam.mass_per_length = beam.bending_stiffness[0] = 1.0;
        beam.axial_stiffness = 1e8; /* far above */
        beam.element = PHX_ELEMENT_ASSUMED;
        beam.modes = free_clamped[k].modes;
        make_ported_beam(context, &beam, &model);
        CHECK_OK(context, phx_titop_create(context, &model.def, &titop));
        CHECK_OK(context, phx_ss_invert(context, titop, 6, all, &inverse));
        CHECK_OK(context, phx_ss_poles(context, titop, NULL, NULL, omega, NULL));
        for (int m = 0; m < 2; m++)
            CHECK_RELATIVE(omega[2 * m], clamped_free[m], 1e-9, "clamped-free, %d modes", beam.modes);
        CHECK_OK(context, phx_ss_poles(context, inverse, NULL, NULL, omega, NULL));
        for (int m = 0; m < 2; m++)
            CHECK_RELATIVE(omega[2 * m], free_clamped[k].want[m], 3e-8, "free-clamped, %d modes", beam.modes);
        phx_ss_destroy(titop);
        phx_ss_destroy(inverse);
        free_model(&unit_subject, &model);
    }
}

/* ---- transfer functions ---- */
/* T (size x n): motion of a port in its directions, from the port's Jacobian. */
static void motion(const ported *model, const phx_body_port *port, double *T)
{
    const phx_flex *flex = phx_body_flex(model->body);
    const int dim = flex->dim, n_rot = flex->n_rot, n = phx_body_n_v(model->body);
    double x[MAX_V + 12] = {0}, v[MAX_V] = {0}, P[9 * MAX_V];
    int cols[MAX_V];

    x[dim] = 1.0;
    if (dim == 3)
        x[dim + 4] = x[dim + 8] = 1.0;
    const phx_body_view view = {.x0 = x, .x1 = x, .xm = x, .v0 = v, .v1 = v, .vm = v};
    const int count = phx_body_port_jacobian(model->body, port, &view, cols, P);
    memset(T, 0, (size_t)((dim + n_rot) * n) * sizeof *T);
    for (int c = 0; c < count; c++)
        for (int a = 0; a < dim + n_rot; a++)
            for (int b = 0; b < dim; b++) {
                const double turn = port->rotation[b * dim + a % dim];
                if (a < dim)
                    T[a * n + cols[c]] += turn * P[b * count + c];
                else if (dim == 3)
                    T[a * n + cols[c]] += turn * (P[(dim + b) * count + c] + P[(dim + n_rot + b) * count + c]);
                else if (b == 0)
                    T[a * n + cols[c]] = P[dim * count + c] + P[(dim + 1) * count + c];
            }
}

/* One channel at a time of
 *
 *   | Z       T_P^T | | X   |   | T_C^T W        |     Z = K - omega^2 M + i omega D, X: amplitude of nu's integral,
 *   | T_P       0   | | W_P | = | -a_P / omega^2 |     a_C = -omega^2 T_C X */
static void reference_response(phx_context *context, const subject *it, const ported *model, double omega, double *H)
{
    enum { MAX_N = MAX_V + 6 };
    static double a[4 * MAX_N * MAX_N], b[2 * MAX_N * MAX_CHANNELS], dense[3][MAX_V * MAX_V];
    static double T[MAX_PORTS + 1][6 * MAX_V];
    const int n = phx_body_n_v(model->body), size = it->dim == 2 ? 3 : 6, N = n + size;
    const int ports = it->n_children, m = size * (ports + 1);
    const int *ptr, *idx;
    double x[MAX_V + 12] = {0}, v[MAX_V] = {0}, g[3] = {0}, *val[3];

    x[it->dim] = 1.0;
    if (it->dim == 3)
        x[it->dim + 4] = x[it->dim + 8] = 1.0;
    phx_body_pattern(model->body, &ptr, &idx);
    for (int k = 0; k < 3; k++)
        val[k] = calloc((size_t)ptr[n], sizeof(double));
    phx_body_linearise(model->body, g, x, v, val[0], val[1], val[2]);
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < n; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            for (int l = 0; l < 3; l++)
                dense[l][i * n + idx[k]] = val[l][k];
    for (int k = 0; k < 3; k++)
        free(val[k]);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (int k = 0; k <= ports; k++)
        motion(model, &model->port[k], T[k]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * 2 * N + j] = a[(N + i) * 2 * N + N + j] = dense[2][i * n + j] - omega * omega * dense[0][i * n + j];
            a[i * 2 * N + N + j] = -omega * dense[1][i * n + j];
            a[(N + i) * 2 * N + j] = omega * dense[1][i * n + j];
        }
    for (int s = 0; s < size; s++)
        for (int j = 0; j < n; j++)
            for (int part = 0; part < 2; part++) {
                a[(part * N + n + s) * 2 * N + part * N + j] = T[ports][s * n + j];
                a[(part * N + j) * 2 * N + part * N + n + s] = T[ports][s * n + j];
            }
    for (int k = 0; k < ports; k++)
        for (int s = 0; s < size; s++)
            for (int j = 0; j < n; j++)
                b[j * m + k * size + s] = T[k][s * n + j];
    for (int s = 0; s < size; s++)
        b[(n + s) * m + ports * size + s] = -1.0 / (omega * omega);
    CHECK_OK(context, phx_dense_solve(context, 2 * N, a, m, b));
    for (int part = 0; part < 2; part++)
        for (int c = 0; c < m; c++) {
            for (int k = 0; k < ports; k++)
                for (int s = 0; s < size; s++) {
                    double sum = 0.0;
                    for (int j = 0; j < n; j++)
                        sum += T[k][s * n + j] * b[(part * N + j) * m + c];
                    H[2 * ((k * size + s) * m + c) + part] = -omega * omega * sum;
                }
            for (int s = 0; s < size; s++)
                H[2 * ((ports * size + s) * m + c) + part] = b[(part * N + n + s) * m + c];
        }
}

static const subject subjects[] = {
    {"quintic beam", 2, 1, 5, PHX_REFERENCE_CANTILEVER, 0.0, 0.0, -1.0, 1, {1.0, 0.0}, 0.0},
    {"cubic beam, damped", 2, 3, 3, PHX_REFERENCE_CANTILEVER, 0.1, 1e-3, -1.0, 1, {1.0, 0.0}, 0.4},
    {"three ports, mass", 2, 3, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 0.0, 1e-3, 0.4, 2, {1.0, 0.4, 0.0}, -0.3},
    {"P at the far end", 2, 4, 3, PHX_REFERENCE_CANTILEVER, 0.0, 0.0, -1.0, 1, {0.0, 1.0}, 0.0},
    {"mean axes, P inside", 2, 2, 5, PHX_REFERENCE_FREE, 0.0, 1e-3, 0.7, 3, {0.0, 1.0, 0.6, 0.25}, 0.9},
    {"one port", 2, 2, 3, PHX_REFERENCE_CANTILEVER, 0.0, 0.0, 1.0, 0, {0.0}, 0.0},
    {"rigid body", 2, 0, 0, PHX_REFERENCE_CANTILEVER, 0.0, 0.0, -1.0, 2, {1.0, -1.0, 0.5}, 0.5},
    {"rigid body in space", 3, 0, 0, PHX_REFERENCE_CANTILEVER, 0.0, 0.0, -1.0, 1, {1.0, -0.5}, 0.5},
    {"beam in space", 3, 2, 3, PHX_REFERENCE_CANTILEVER, 0.1, 1e-3, -1.0, 1, {1.0, 0.0}, 0.3},
    {"quintic beam in space", 3, 1, 5, PHX_REFERENCE_SIMPLY_SUPPORTED, 0.0, 0.0, -1.0, 2, {1.0, 0.5, 0.0}, 0.0},
};
enum { SUBJECTS = (int)(sizeof subjects / sizeof *subjects) };

/* Largest residual over the tolerance 1e-9 of the smaller of the largest entries of row and column. */
static void compare_responses(int m, const double *got, const double *want, double omega, const char *name)
{
    double row[MAX_CHANNELS] = {0}, col[MAX_CHANNELS] = {0};

    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            const double size = hypot(want[2 * (i * m + j)], want[2 * (i * m + j) + 1]);
            row[i] = fmax(row[i], size);
            col[j] = fmax(col[j], size);
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            const int at = 2 * (i * m + j);
            CHECK_SMALL(hypot(got[at] - want[at], got[at + 1] - want[at + 1]), 1e-9 * fmin(row[i], col[j]),
                        "%s: H(%d,%d) at %g rad/s", name, i, j, omega);
        }
}

static void test_transfer_functions(void **state)
{
    phx_context *context = *state;
    static double got[2 * MAX_CHANNELS * MAX_CHANNELS], want[2 * MAX_CHANNELS * MAX_CHANNELS];
    uint64_t seed = 7;

    for (int s = 0; s < SUBJECTS; s++) {
        const subject *it = &subjects[s];
        ported model;
        phx_ss *titop = NULL;
        make_model(context, it, &model);
        CHECK_OK(context, phx_titop_create(context, &model.def, &titop));
        assert_int_equal(phx_ss_inputs(titop), (it->dim == 2 ? 3 : 6) * (it->n_children + 1));
        assert_int_equal(phx_ss_n(titop), 2 * phx_body_n_q(model.body));
        for (int k = 0; k < FREQUENCIES; k++) {
            const double omega = 0.1 * pow(10.0, 1.75 * (1.0 + random_value(&seed)));
            CHECK_OK(context, phx_ss_response(context, titop, omega, got));
            reference_response(context, it, &model, omega, want);
            compare_responses(phx_ss_inputs(titop), got, want, omega, it->name);
        }
        phx_ss_destroy(titop);
        free_model(it, &model);
    }
}

/* ---- inverting twice, errors ---- */
static void test_twice(void **state)
{
    phx_context *context = *state;

    for (int s = 0; s < SUBJECTS; s++) {
        const subject *it = &subjects[s];
        int set[MAX_CHANNELS], count = 0;
        ported model;
        phx_ss *titop = NULL, *once = NULL, *twice = NULL;
        if (!it->elements && it->n_children > 1)
            continue; /* more ports than a rigid body has inertia for: below */
        make_model(context, it, &model);
        CHECK_OK(context, phx_titop_create(context, &model.def, &titop));
        for (int k = 0; k < phx_ss_inputs(titop); k++)
            if (it->n_children < 2 || k >= phx_ss_inputs(titop) / 2)
                set[count++] = k;
        CHECK_OK(context, phx_ss_invert(context, titop, count, set, &once));
        CHECK_OK(context, phx_ss_invert(context, once, count, set, &twice));
        const int n = phx_ss_n(titop), m = phx_ss_inputs(titop);
        const double *const from[] = {phx_ss_A(titop), phx_ss_B(titop), phx_ss_C(titop), phx_ss_D(titop)};
        const double *const to[] = {phx_ss_A(twice), phx_ss_B(twice), phx_ss_C(twice), phx_ss_D(twice)};
        const int sizes[] = {n * n, n * m, m * n, m * m};
        for (int k = 0; k < 4; k++) {
            double largest = 0.0;
            for (int e = 0; e < sizes[k]; e++)
                largest = fmax(largest, fabs(from[k][e]));
            for (int e = 0; e < sizes[k]; e++)
                CHECK_SMALL(to[k][e] - from[k][e], 1e-10 * largest, "%s: entry %d of matrix %c", it->name, e,
                            "ABCD"[k]);
        }
        for (int k = 0; k < m; k++)
            assert_string_equal(phx_ss_input(twice, k), phx_ss_input(titop, k));
        assert_string_equal(phx_ss_output(once, set[0]), phx_ss_input(titop, set[0]));
        phx_ss_destroy(titop);
        phx_ss_destroy(once);
        phx_ss_destroy(twice);
        free_model(it, &model);
    }
}

static void test_errors(void **state)
{
    phx_context *context = *state;
    const subject *rigid = &subjects[6];
    const char *const at_C[] = {"body.C.ax"}, *const both[] = {"body.C.fx", "body.C.fy", "body.P.ax", "body.P.ay"};
    ported model;
    phx_ss *titop = NULL, *inverted = NULL;

    make_model(context, rigid, &model);
    CHECK_OK(context, phx_titop_create(context, &model.def, &titop));
    assert_string_equal(phx_ss_input(titop, 2), "body.C.tz");
    assert_string_equal(phx_ss_output(titop, 2), "body.C.alpha");
    assert_string_equal(phx_ss_output(titop, 8), "body.P.tz");
    /* the acceleration of C follows from that of P alone */
    CHECK_STATUS(context, phx_ss_invert_names(context, titop, 1, at_C, &inverted), PHX_SINGULAR);
    CHECK_MESSAGE(context, "body.C.fx");
    assert_null(inverted);
    /* but with P free at the same time it can be prescribed; one by one this fails */
    CHECK_OK(context, phx_ss_invert_names(context, titop, 4, both, &inverted));
    phx_ss_destroy(inverted);
    phx_ss_destroy(titop);

    phx_titop_def def = model.def;
    def.body = NULL;
    CHECK_STATUS(context, phx_titop_create(context, &def, &titop), PHX_ERR_ARGUMENT);
    def = model.def;
    def.parent.port = NULL;
    CHECK_STATUS(context, phx_titop_create(context, &def, &titop), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "port P");
    def = model.def;
    def.parent.name = "C";
    CHECK_STATUS(context, phx_titop_create(context, &def, &titop), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "'C'");
    def = model.def;
    def.n_children = -1;
    CHECK_STATUS(context, phx_titop_create(context, &def, &titop), PHX_ERR_ARGUMENT);
    assert_null(titop);
    free_model(rigid, &model);
}

static void test_memory(void **state)
{
    phx_context *context = *state;
    ported model;
    phx_status status = PHX_ERR_MEMORY;

    make_model(context, &subjects[2], &model);
    for (long k = 0; status == PHX_ERR_MEMORY; k++) {
        phx_ss *titop = NULL;
        phx_context_fail_allocation(context, k);
        status = phx_titop_create(context, &model.def, &titop);
        phx_context_fail_allocation(context, -1);
        if (status)
            assert_null(titop);
        phx_ss_destroy(titop);
    }
    CHECK_OK(context, status);
    free_model(&subjects[2], &model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_paper_matrices, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_tables, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_table_1, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_table_1_assumed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_transfer_functions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_twice, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_errors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
