/* Convergence of a simply supported beam (response to reviewers, comment 6): L = rho A = EI = 1, w = 0 at both ends.
 *
 *   A: v = cos(pi^2 t) sin(pi x), w = sin(pi^2 t) sin(pi x)/pi^2, no load
 *   B: w = sin(t) sin(pi x), load (pi^4 - 1) sin(t) sin(pi x)
 *
 * Start: nodal interpolant of v, w = m = 0. M q'' + K q = f sin(t) is solved exactly, mode by mode; the errors are the
 * largest over t = 0.01 ... 1.00, in H2 of v and w, in L2 of m. */
#include "item.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MESHES = 5, NORMS = 3, GAUSS = 10, INSTANTS = 100, FIELDS = 3, TEXT_SIZE = 160 };
static const char *const norm_names[NORMS] = {"v in H²", "w in H²", "m in L²"};
static const char *const norm_columns[NORMS] = {"v_H2_max", "w_H2_max", "m_L2_max"};

/* ---- quadrature ---- */

/* Gauss rule on [0, 1]: roots of the Legendre polynomial by Newton's method. */
static void gauss_rule(double *point, double *weight)
{
    for (int k = 0; k < GAUSS; k++) {
        double x = cos(PHX_PI * (k + 0.75) / (GAUSS + 0.5)), slope = 1.0;
        for (int iteration = 0; iteration < 50; iteration++) {
            double p = 1.0, before = 0.0;
            for (int j = 0; j < GAUSS; j++) {
                const double next = ((2.0 * j + 1.0) * x * p - j * before) / (j + 1.0);
                before = p;
                p = next;
            }
            slope = GAUSS * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        point[k] = 0.5 * (1.0 - x);
        weight[k] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

/* ---- a mesh in its normal modes ---- */
typedef struct mesh {
    int elements, n, points;
    phx_beam *beam;
    double *omega, *modes; /* n; n x n, mode k in column k */
    double *x, *weight;    /* of the quadrature points */
    double *rows;          /* points x FIELDS x n: w, w', w'' = m of the modes */
} mesh;

static void free_mesh(mesh *it)
{
    phx_flex_source_destroy(it->beam);
    phx_free(it->omega);
    phx_free(it->modes);
    phx_free(it->x);
    phx_free(it->weight);
    phx_free(it->rows);
    *it = (mesh){0};
}

/* The rows of a point, first on q, then on the modes. */
static phx_status put_rows(phx_context *context, mesh *it, int p, double *on_q, double *functional)
{
    const phx_flex *flex = phx_flex_source_flex(it->beam);
    const int n = it->n;
    phx_flex_point point = {0};
    const phx_status status = phx_beam_point(it->beam, context, it->x[p], &point);

    if (status)
        return status;
    memset(on_q, 0, FIELDS * (size_t)n * sizeof *on_q);
    for (int i = 0; i < point.n; i++) {
        on_q[point.dof[i]] = point.phi[point.n + i];
        on_q[n + point.dof[i]] = point.theta[i];
    }
    phx_flex_point_free(&point);
    phx_beam_stress_rows(it->beam, it->x[p], NULL, functional, NULL);
    for (int i = 0; i < flex->n_stress; i++)
        for (int e = flex->stress.ptr[i]; e < flex->stress.ptr[i + 1]; e++)
            on_q[2 * n + flex->stress.idx[e]] += functional[i] * flex->stress.val[e];
    double *rows = it->rows + (size_t)p * FIELDS * (size_t)n;
    for (int f = 0; f < FIELDS; f++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n && on_q[f * n + i] != 0.0; k++)
                rows[f * n + k] += on_q[f * n + i] * it->modes[i * n + k];
    return PHX_OK;
}

static phx_status make_mesh(phx_context *context, int elements, mesh *it)
{
    phx_beam_def def = phx_beam_def_default();
    double point[GAUSS], weight[GAUSS], *on_q = NULL, *functional = NULL;

    *it = (mesh){.elements = elements, .points = GAUSS * elements};
    def.length = def.mass_per_length = def.axial_stiffness = def.bending_stiffness[0] = 1.0;
    def.elements = elements;
    def.reference = PHX_REFERENCE_SIMPLY_SUPPORTED;
    phx_status status = phx_beam_create(context, &def, &it->beam);
    if (status)
        return status;
    const phx_flex *flex = phx_flex_source_flex(it->beam);
    const size_t n = (size_t)flex->n, points = (size_t)it->points;
    it->n = flex->n;
    it->omega = phx_calloc(context, n, sizeof *it->omega);
    it->modes = phx_calloc(context, n * n, sizeof *it->modes);
    it->x = phx_calloc(context, points, sizeof *it->x);
    it->weight = phx_calloc(context, points, sizeof *it->weight);
    it->rows = phx_calloc(context, points * FIELDS * n, sizeof *it->rows);
    on_q = phx_calloc(context, FIELDS * n, sizeof *on_q);
    functional = phx_calloc(context, (size_t)flex->n_stress, sizeof *functional);
    if (!it->omega || !it->modes || !it->x || !it->weight || !it->rows || !on_q || !functional)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_flex_normal_modes(context, flex, it->n, it->omega, it->modes);
    gauss_rule(point, weight);
    for (int p = 0; p < it->points && !status; p++) {
        it->x[p] = (p / GAUSS + point[p % GAUSS]) / elements;
        it->weight[p] = weight[p % GAUSS] / elements;
        status = put_rows(context, it, p, on_q, functional);
    }
    phx_free(on_q);
    phx_free(functional);
    return status;
}

/* ---- the motion ---- */

/* modes^T M v of the nodal interpolant v of sin(pi x); q: ux of the nodes but the first, then (uy, uy') node by node,
 * without uy at the ends. */
static phx_status start_velocity(phx_context *context, const mesh *it, double *start)
{
    const phx_flex *flex = phx_flex_source_flex(it->beam);
    double *v = phx_calloc(context, (size_t)it->n, sizeof *v);
    int at = it->elements;

    if (!v)
        return PHX_ERR_MEMORY;
    for (int node = 0; node <= it->elements; node++) {
        const double x = (double)node / it->elements;
        if (node > 0 && node < it->elements)
            v[at++] = sin(PHX_PI * x);
        v[at++] = PHX_PI * cos(PHX_PI * x);
    }
    for (int i = 0; i < it->n; i++)
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            for (int k = 0; k < it->n && v[flex->idx[e]] != 0.0; k++)
                start[k] += it->modes[i * it->n + k] * flex->M[e] * v[flex->idx[e]];
    phx_free(v);
    return PHX_OK;
}

static void modal_load(const mesh *it, double *load)
{
    for (int p = 0; p < it->points; p++) {
        const double f = (pow(PHX_PI, 4) - 1.0) * sin(PHX_PI * it->x[p]) * it->weight[p];
        for (int k = 0; k < it->n; k++)
            load[k] += f * it->rows[(size_t)p * FIELDS * (size_t)it->n + (size_t)k];
    }
}

/* Norms of the errors at an instant; the exact fields are w sin(pi x), v sin(pi x), and m = w''. */
static void add_errors(const mesh *it, const double *eta, const double *rate, double w, double v, double *largest)
{
    double sum[NORMS] = {0.0};

    for (int p = 0; p < it->points; p++) {
        const double s = sin(PHX_PI * it->x[p]), c = PHX_PI * cos(PHX_PI * it->x[p]);
        const double exact[FIELDS] = {s, c, -PHX_PI * PHX_PI * s};
        for (int f = 0; f < FIELDS; f++) {
            const double *row = it->rows + ((size_t)p * FIELDS + (size_t)f) * (size_t)it->n;
            double of_w = -w * exact[f], of_v = -v * exact[f];
            for (int k = 0; k < it->n; k++) {
                of_w += row[k] * eta[k];
                of_v += row[k] * rate[k];
            }
            sum[0] += it->weight[p] * of_v * of_v;
            sum[1] += it->weight[p] * of_w * of_w;
            sum[2] += f == 2 ? it->weight[p] * of_w * of_w : 0.0;
        }
    }
    for (int k = 0; k < NORMS; k++)
        largest[k] = fmax(largest[k], sqrt(sum[k]));
}

/* eta'' + omega^2 eta = load sin(t), eta(0) = 0, eta'(0) = start */
static void follow(const mesh *it, bool loaded, const double *start, const double *load, double *eta, double *rate,
                   double *largest)
{
    const double square = PHX_PI * PHX_PI;

    for (int i = 1; i <= INSTANTS; i++) {
        const double t = i / (double)INSTANTS;
        for (int k = 0; k < it->n; k++) {
            const double omega = it->omega[k], a = loaded ? load[k] / (omega * omega - 1.0) : 0.0;
            eta[k] = a * (sin(t) - sin(omega * t) / omega) + start[k] * sin(omega * t) / omega;
            rate[k] = a * (cos(t) - cos(omega * t)) + start[k] * cos(omega * t);
        }
        add_errors(it, eta, rate, loaded ? sin(t) : sin(square * t) / square, loaded ? cos(t) : cos(square * t),
                   largest);
    }
}

/* Largest errors of the problems A and B. */
static phx_status find_errors(phx_context *context, int elements, double errors[2][NORMS])
{
    mesh it;
    double *work = NULL;
    phx_status status = make_mesh(context, elements, &it);

    if (!status) {
        const int n = it.n;
        work = phx_calloc(context, 4 * (size_t)n, sizeof *work);
        status = work ? start_velocity(context, &it, work) : PHX_ERR_MEMORY;
        if (!status)
            modal_load(&it, work + n);
        for (int problem = 0; problem < 2 && !status; problem++)
            follow(&it, problem == 1, work, work + n, work + 2 * n, work + 3 * n, errors[problem]);
    }
    phx_free(work);
    free_mesh(&it);
    return status;
}

/* ---- rows and figures ---- */

/* The row of the reference: problem A or B, cubic Hermite with discontinuous moments, mesh after mesh. */
static double known(const phx_numbers *table, int problem, int mesh_number, int norm)
{
    enum { ROWS_OF_ELEMENT = 6, ELEMENTS = 2 };
    const int row = problem * ROWS_OF_ELEMENT * ELEMENTS + mesh_number;
    return phx_numbers_at(table, row, phx_numbers_find(table, norm_columns[norm]));
}

static void put_problem(phx_item *item, int problem, const phx_numbers *table, double errors[MESHES][2][NORMS])
{
    const char letter = "AB"[problem];
    char what[TEXT_SIZE], title[TEXT_SIZE];
    const phx_comparison_figure figure = {.title = title,
                                          .remark = "lines: Phlexor; crosses: an independent program",
                                          .x_label = "length of an element over that of the beam",
                                          .y_label = "largest error",
                                          .logarithmic = true,
                                          .x_logarithmic = true};
    double h[MESHES], y[MESHES], wanted[MESHES];

    snprintf(title, sizeof title, "Convergence, problem %c", letter);
    phx_comparisons_add_figure(item->page, &figure);
    for (int norm = 0; norm < NORMS; norm++) {
        const double last = known(table, problem, MESHES - 1, norm), before = known(table, problem, MESHES - 2, norm);
        double distance = 0.0;
        for (int m = 0; m < MESHES; m++) {
            h[m] = 1.0 / (2 << m);
            y[m] = errors[m][problem][norm];
            wanted[m] = known(table, problem, m, norm);
            distance = fmax(distance, fabs(y[m] - wanted[m]) / wanted[m]);
        }
        snprintf(what, sizeof what, "%c, order of %s", letter, norm_names[norm]);
        phx_item_row(item, what, "", log2(y[MESHES - 2] / y[MESHES - 1]),
                     phx_reference_within(log2(before / last), 1e-5));
        snprintf(what, sizeof what, "%c, error of %s, 2 to 32 elements: largest relative difference", letter,
                 norm_names[norm]);
        phx_item_row(item, what, "", distance, phx_reference_zero(1e-6));
        phx_comparisons_add_line(item->page, norm_names[norm], false, MESHES, h, y);
        phx_comparisons_add_line(item->page, NULL, true, MESHES, h, wanted);
    }
}

phx_status phx_item_convergence(phx_item *item)
{
    double errors[MESHES][2][NORMS] = {{{0.0}}};
    phx_numbers table = {0};
    phx_status status = phx_numbers_read(item->context, "beam_convergence.csv", &table);

    for (int m = 0; m < MESHES && !status; m++)
        status = find_errors(item->context, 2 << m, errors[m]);
    for (int problem = 0; problem < 2 && !status; problem++)
        put_problem(item, problem, &table, errors);
    phx_numbers_free(&table);
    return status;
}
