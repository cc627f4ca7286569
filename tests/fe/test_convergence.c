/* Convergence of a simply supported beam ([3], comment 6): L = rho A = EI = 1, w = 0 at both ends.
 *   A: v = cos(pi^2 t) sin(pi x), w = sin(pi^2 t) sin(pi x)/pi^2, no load
 *   B: w = sin(t) sin(pi x), load f = (pi^4 - 1) sin(t) sin(pi x)
 * Start: nodal Hermite interpolant of v, w = m = 0. The semi-discrete equations M q'' + K q = f sin(t) are solved
 * exactly, mode by mode; the errors are the largest over t = 0.01 ... 1.00, H2 for v and w, L2 for m. */
#include "support.h"
#include "fe/fe.h"

static const double pi = 3.14159265358979323846;

enum { MESHES = 6, MAX_BENDING = 128 + 2, INSTANTS = 100 };

typedef struct norms {
    double v, w, m;
} norms;

/* The bending of a beam: its coordinates follow the `shift` axial ones. */
typedef struct bending {
    phx_beam *beam;
    const phx_flex *flex;
    int n, shift;
    double *omega, *modes; /* modes in columns, M-orthonormal */
    int points;
    double *weight, *x;
    phx_flex_point *point;
    double *curvature, *moment; /* points x n: w'' and m as rows on the bending coordinates */
} bending;

static phx_beam_def unit_beam(phx_element_kind element, int elements)
{
    phx_beam_def def = phx_beam_def_default();
    def.length = def.mass_per_length = def.bending_stiffness[0] = 1.0;
    def.axial_stiffness = 1.0;
    def.elements = elements;
    def.element = element;
    def.reference = PHX_REFERENCE_SIMPLY_SUPPORTED;
    return def;
}

static double *numbers(phx_context *context, int count)
{
    double *array = phx_calloc(context, (size_t)count, sizeof *array);
    assert_non_null(array);
    return array;
}

/* Rows of the moment of `beam` at s on its bending coordinates. */
static void moment_row(const phx_beam *beam, double s, int shift, double *row)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    double functional[4 * MAX_BENDING];
    assert_true(flex->n_stress <= 4 * MAX_BENDING);
    phx_beam_stress_rows(beam, s, NULL, functional, NULL);
    for (int i = 0; i < flex->n_stress; i++)
        for (int e = flex->stress.ptr[i]; e < flex->stress.ptr[i + 1]; e++)
            if (flex->stress.idx[e] >= shift)
                row[flex->stress.idx[e] - shift] += functional[i] * flex->stress.val[e];
}

static void make_modes(phx_context *context, bending *b)
{
    double *mass = numbers(context, b->n * b->n), *stiffness = numbers(context, b->n * b->n);
    for (int i = 0; i < b->n; i++) {
        for (int e = b->flex->ptr[b->shift + i]; e < b->flex->ptr[b->shift + i + 1]; e++) {
            const int j = b->flex->idx[e] - b->shift;
            if (j < 0)
                continue;
            mass[i * b->n + j] = b->flex->M[e];
            stiffness[i * b->n + j] = b->flex->K[e];
        }
    }
    b->omega = numbers(context, b->n);
    b->modes = numbers(context, b->n * b->n);
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, b->n, stiffness, mass, b->omega, b->modes), PHX_OK);
    for (int k = 0; k < b->n; k++)
        b->omega[k] = sqrt(b->omega[k]);
    phx_free(mass);
    phx_free(stiffness);
}

static bending make_bending(phx_context *context, phx_element_kind element, int elements)
{
    phx_beam_def def = unit_beam(element, elements);
    bending b = {.beam = test_beam(context, &def)};
    b.flex = phx_flex_source_flex(b.beam);
    b.shift = elements; /* nodes 1 .. N along x */
    b.n = b.flex->n - b.shift;
    make_modes(context, &b);
    b.points = elements * QUADRATURE_POINTS;
    b.weight = numbers(context, b.points);
    b.x = numbers(context, b.points);
    b.curvature = numbers(context, b.points * b.n);
    b.moment = numbers(context, b.points * b.n);
    b.point = phx_calloc(context, (size_t)b.points, sizeof *b.point);
    assert_non_null(b.point);
    def.element = PHX_ELEMENT_MIXED; /* its moment is w'' itself */
    phx_beam *mixed = test_beam(context, &def);
    for (int k = 0; k < b.points; k++) {
        b.x[k] = (k / QUADRATURE_POINTS + quadrature_point[k % QUADRATURE_POINTS]) / elements;
        b.weight[k] = quadrature_weight[k % QUADRATURE_POINTS] / elements;
        CHECK_STATUS(context, phx_beam_point(b.beam, context, b.x[k], &b.point[k]), PHX_OK);
        moment_row(b.beam, b.x[k], b.shift, b.moment + k * b.n);
        moment_row(mixed, b.x[k], b.shift, b.curvature + k * b.n);
    }
    phx_flex_source_destroy(mixed);
    return b;
}

static void free_bending(bending *b)
{
    for (int k = 0; k < b->points; k++)
        phx_flex_point_free(&b->point[k]);
    phx_free(b->point);
    phx_free(b->omega);
    phx_free(b->modes);
    phx_free(b->weight);
    phx_free(b->x);
    phx_free(b->curvature);
    phx_free(b->moment);
    phx_flex_source_destroy(b->beam);
}

/* y = modes^T x */
static void to_modes(const bending *b, const double *x, double *y)
{
    for (int k = 0; k < b->n; k++) {
        y[k] = 0.0;
        for (int i = 0; i < b->n; i++)
            y[k] += b->modes[i * b->n + k] * x[i];
    }
}

/* Modal amplitudes of the start velocity (nodal interpolant of sin(pi x)) and of the load (pi^4 - 1) sin(pi x). */
static void start_and_load(const bending *b, int elements, double *start, double *load)
{
    double v[MAX_BENDING], mass_v[MAX_BENDING] = {0}, f[MAX_BENDING] = {0};
    int n = 0;
    for (int node = 0; node <= elements; node++) {
        const double x = (double)node / elements;
        if (node > 0 && node < elements)
            v[n++] = sin(pi * x);
        v[n++] = pi * cos(pi * x);
    }
    assert_int_equal(n, b->n);
    for (int i = 0; i < b->n; i++)
        for (int e = b->flex->ptr[b->shift + i]; e < b->flex->ptr[b->shift + i + 1]; e++)
            if (b->flex->idx[e] >= b->shift)
                mass_v[i] += b->flex->M[e] * v[b->flex->idx[e] - b->shift];
    for (int k = 0; k < b->points; k++) {
        const phx_flex_point *point = &b->point[k];
        for (int i = 0; i < point->n; i++)
            if (point->dof[i] >= b->shift)
                f[point->dof[i] - b->shift] +=
                    b->weight[k] * (pow(pi, 4) - 1) * sin(pi * b->x[k]) * point->phi[point->n + i];
    }
    to_modes(b, mass_v, start);
    to_modes(b, f, load);
}

/* q and q_dot at t: eta'' + omega^2 eta = load sin(t), eta(0) = 0, eta'(0) = start. */
static void solution(const bending *b, const double *start, const double *load, double t, double *q, double *q_dot)
{
    double eta[MAX_BENDING], rate[MAX_BENDING];
    for (int k = 0; k < b->n; k++) {
        const double omega = b->omega[k], a = load[k] / (omega * omega - 1);
        eta[k] = a * (sin(t) - sin(omega * t) / omega) + start[k] * sin(omega * t) / omega;
        rate[k] = a * (cos(t) - cos(omega * t)) + start[k] * cos(omega * t);
    }
    for (int i = 0; i < b->n; i++) {
        q[i] = q_dot[i] = 0.0;
        for (int k = 0; k < b->n; k++) {
            q[i] += b->modes[i * b->n + k] * eta[k];
            q_dot[i] += b->modes[i * b->n + k] * rate[k];
        }
    }
}

/* Errors at an instant; the exact field is w sin(pi x), v sin(pi x). */
static norms errors(const bending *b, const double *q, const double *q_dot, double w, double v)
{
    norms sum = {0, 0, 0};
    for (int k = 0; k < b->points; k++) {
        const phx_flex_point *point = &b->point[k];
        const double s = sin(pi * b->x[k]), c = pi * cos(pi * b->x[k]);
        double ew[3] = {-w * s, -w * c, w * pi * pi * s}, ev[3] = {-v * s, -v * c, v * pi * pi * s},
               em = w * pi * pi * s;
        for (int i = 0; i < point->n; i++) {
            const int dof = point->dof[i] - b->shift;
            if (dof < 0)
                continue;
            ew[0] += point->phi[point->n + i] * q[dof];
            ew[1] += point->theta[i] * q[dof];
            ev[0] += point->phi[point->n + i] * q_dot[dof];
            ev[1] += point->theta[i] * q_dot[dof];
        }
        for (int i = 0; i < b->n; i++) {
            ew[2] += b->curvature[k * b->n + i] * q[i];
            ev[2] += b->curvature[k * b->n + i] * q_dot[i];
            em += b->moment[k * b->n + i] * q[i];
        }
        sum.w += b->weight[k] * (ew[0] * ew[0] + ew[1] * ew[1] + ew[2] * ew[2]);
        sum.v += b->weight[k] * (ev[0] * ev[0] + ev[1] * ev[1] + ev[2] * ev[2]);
        sum.m += b->weight[k] * em * em;
    }
    return (norms){sqrt(sum.v), sqrt(sum.w), sqrt(sum.m)};
}

/* Largest errors over the instants, and the relative errors of the first three frequencies. */
static norms study(phx_context *context, char problem, phx_element_kind element, int elements, double frequency[3])
{
    bending b = make_bending(context, element, elements);
    double start[MAX_BENDING], load[MAX_BENDING], q[MAX_BENDING], q_dot[MAX_BENDING];
    norms largest = {0, 0, 0};
    start_and_load(&b, elements, start, load);
    for (int k = 0; k < b.n && problem == 'A'; k++)
        load[k] = 0.0;
    for (int k = 1; k <= INSTANTS; k++) {
        const double t = k / (double)INSTANTS;
        solution(&b, start, load, t, q, q_dot);
        const double w = problem == 'A' ? sin(pi * pi * t) / (pi * pi) : sin(t);
        const double v = problem == 'A' ? cos(pi * pi * t) : cos(t);
        const norms e = errors(&b, q, q_dot, w, v);
        largest.v = fmax(largest.v, e.v);
        largest.w = fmax(largest.w, e.w);
        largest.m = fmax(largest.m, e.m);
    }
    for (int k = 0; k < 3; k++)
        frequency[k] = b.omega[k] / (pi * pi * (k + 1) * (k + 1)) - 1;
    free_bending(&b);
    return largest;
}

/* A row of the reference table. */
typedef struct reference_row {
    char problem;
    phx_element_kind element;
    int elements;
    norms norms;
    double frequency[3];
} reference_row;

static int read_reference(reference_row *rows, int capacity)
{
    FILE *file = fopen(PHX_SOURCE_DIR "/tests/data/beam_convergence.csv", "r");
    assert_non_null(file);
    char line[512], element[16];
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        reference_row row;
        if (sscanf(line, "%c,%15[^,],%d,%lf,%lf,%lf,%lf,%lf,%lf", &row.problem, element, &row.elements, &row.norms.v,
                   &row.norms.w, &row.norms.m, &row.frequency[0], &row.frequency[1], &row.frequency[2]) != 9)
            continue;
        row.element = strcmp(element, "HerHer") == 0 ? PHX_ELEMENT_PAPER : PHX_ELEMENT_MIXED;
        assert_true(count < capacity);
        rows[count++] = row;
    }
    fclose(file);
    return count;
}

/* Errors and frequencies equal those computed elsewhere; orders of the mixed element are 2 in every norm. */
static void test_against_reference(void **state)
{
    reference_row rows[4 * MESHES];
    const int count = read_reference(rows, 4 * MESHES);
    assert_int_equal(count, 4 * MESHES);
    norms before = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        const reference_row *row = &rows[k];
        const char *name = row->element == PHX_ELEMENT_PAPER ? "paper" : "mixed";
        double frequency[3];
        const norms e = study(*state, row->problem, row->element, row->elements, frequency);
        CHECK_CLOSE(e.v, row->norms.v, 1e-6 * row->norms.v + 1e-9, "%c, %s, %d elements: v in H2", row->problem, name,
                    row->elements);
        CHECK_CLOSE(e.w, row->norms.w, 1e-6 * row->norms.w + 1e-9, "%c, %s, %d elements: w in H2", row->problem, name,
                    row->elements);
        CHECK_CLOSE(e.m, row->norms.m, 1e-6 * row->norms.m + 1e-9, "%c, %s, %d elements: m in L2", row->problem, name,
                    row->elements);
        for (int i = 0; i < 3; i++) /* plain eigenvalues of K: eps times the spread of the spectrum is lost */
            CHECK_CLOSE(frequency[i], row->frequency[i], 1e-12 + 1e-15 * pow(row->elements, 4),
                        "%c, %s, %d elements: error of frequency %d", row->problem, name, row->elements, i + 1);
        if (row->element == PHX_ELEMENT_MIXED && k > 0 && rows[k - 1].elements < row->elements) {
            CHECK_CLOSE(log2(before.v / e.v), 2.0, 0.05, "%c, to %d elements: order of v", row->problem, row->elements);
            CHECK_CLOSE(log2(before.w / e.w), 2.0, 0.05, "%c, to %d elements: order of w", row->problem, row->elements);
            CHECK_CLOSE(log2(before.m / e.m), 2.0, 0.05, "%c, to %d elements: order of m", row->problem, row->elements);
        }
        before = e;
    }
}

/* Singular values of L2^-1 D L1^-T (M1 = L1 L1^T) give the frequencies where eigenvalues of K have lost their digits.
 */
static void test_frequencies_by_root(void **state)
{
    reference_row rows[4 * MESHES];
    const int count = read_reference(rows, 4 * MESHES);
    for (int k = 0; k < count; k++) {
        if (rows[k].problem != 'A')
            continue;
        const phx_beam_def def = unit_beam(rows[k].element, rows[k].elements);
        phx_beam *beam = test_beam(*state, &def);
        const phx_flex *flex = phx_flex_source_flex(beam);
        const int n = flex->n, m = flex->n_stress, shift = rows[k].elements, bend = n - shift;
        double *mass = flex_dense(*state, flex, flex->M), *root = numbers(*state, n * m),
               *values = numbers(*state, n + m);
        CHECK_STATUS(*state, phx_dense_cholesky(*state, n, mass), PHX_OK);
        for (int i = 0; i < m; i++) /* transposed, bending only */
            for (int e = flex->root.ptr[i]; e < flex->root.ptr[i + 1]; e++)
                if (flex->root.idx[e] >= shift)
                    root[flex->root.idx[e] * m + i] = flex->root.val[e];
        phx_dense_triangle_solve(false, n, mass, m, root);
        CHECK_STATUS(*state, phx_dense_singular_values(*state, bend, m, root + shift * m, values, NULL), PHX_OK);
        for (int i = 0; i < 3; i++)
            CHECK_CLOSE(values[bend - 1 - i] / (pi * pi * (i + 1) * (i + 1)) - 1, rows[k].frequency[i], 1e-12,
                        "%s, %d elements: error of frequency %d", rows[k].element ? "paper" : "mixed", rows[k].elements,
                        i + 1);
        phx_free(mass);
        phx_free(root);
        phx_free(values);
        phx_flex_source_destroy(beam);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_against_reference, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_frequencies_by_root, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("fe convergence", tests, NULL, NULL);
}
