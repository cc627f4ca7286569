/* The LFT of plants in common coordinates: polynomials through their matrices, realised, and closed over z''. */
#include "object.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEGREE = 10 };
static const double default_error = 1e-6, default_tolerance = 1e-11;
static const double SAME = 1e-9;          /* distance of two values on [-1, 1] */
static const double NO_STIFFNESS = 1e-14; /* relative to the largest */
static const double ROUNDING = 1e-14;     /* entries of the scaled realisation */

/* The matrices of all plants as one matrix of `rows` x `cols`:
 *
 *     second order   | -K   -D   F    -M  |  z, z', u, z''       first order   | A  B |  x, u
 *                    | Y_q  Y_v  Y_u  Y_a |                                    | C  D |
 */
typedef struct lft_work {
    phx_context *context;
    const phx_plant_family *family;
    const phx_lft_options *options;
    phx_lft *lft;
    int *place, *counts; /* of each parameter: in the family, and its values */
    double **nodes;
    int n, m, p;       /* coordinates or states, inputs, outputs */
    int rows, cols;    /* of which the first n are equations; */
    double *values;    /* points x rows x cols */
    double *row, *col; /* scales */
    double *weight;    /* rows x cols: row times col */
    double *mass;      /* n x n: M at delta = 0 */
} lft_work;

static void create_work_free(lft_work *work)
{
    for (int k = 0; work->nodes && k < work->options->n_parameters; k++)
        phx_free(work->nodes[k]);
    phx_free(work->nodes);
    phx_free(work->place);
    phx_free(work->counts);
    phx_free(work->values);
    phx_free(work->row);
    phx_free(work->col);
    phx_free(work->weight);
    phx_free(work->mass);
}

static bool create_second_order(const lft_work *work)
{
    return work->lft->report.second_order;
}

static const phx_plant *nominal_of(const lft_work *work)
{
    return &work->family->plants[work->family->nominal];
}

/* ---- parameters ---- */
static phx_status find_places(lft_work *work)
{
    const phx_plant_family *family = work->family;
    const phx_lft_options *options = work->options;

    for (int k = 0; k < options->n_parameters; k++) {
        work->place[k] = -1;
        for (int l = 0; l < family->n_parameters; l++)
            if (strcmp(options->parameters[k], family->parameters[l]) == 0)
                work->place[k] = l;
        if (work->place[k] < 0)
            return phx_fail(work->context, PHX_ERR_ARGUMENT, "LFT: '%s' is no parameter of the sweep",
                            options->parameters[k]);
        for (int l = 0; l < k; l++)
            if (work->place[l] == work->place[k])
                return phx_fail(work->context, PHX_ERR_ARGUMENT, "LFT: parameter '%s' is given twice",
                                options->parameters[k]);
        work->counts[k] = family->counts[work->place[k]];
        if (work->counts[k] < 2)
            return phx_fail(work->context, PHX_ERR_ARGUMENT,
                            "LFT: the sweep has one value of '%s'; it takes two or more", options->parameters[k]);
    }
    for (int l = 0; l < family->n_parameters; l++) {
        bool there = family->counts[l] == 1;
        for (int k = 0; k < options->n_parameters; k++)
            there = there || work->place[k] == l;
        if (!there)
            return phx_fail(work->context, PHX_ERR_ARGUMENT,
                            "LFT: the sweep has %d values of '%s', which is not among the parameters of the LFT",
                            family->counts[l], family->parameters[l]);
    }
    return PHX_OK;
}

/* Distance of points that follow each other along parameter l of the family. */
static int stride(const phx_plant_family *family, int l)
{
    int points = 1;
    for (int k = l + 1; k < family->n_parameters; k++)
        points *= family->counts[k];
    return points;
}

/* Parameter values of the family on each axis, scaled to [-1, 1] by centre and half range; fails if two values are the
 * same. */
static phx_status find_nodes(lft_work *work)
{
    const phx_plant_family *family = work->family;
    phx_lft *lft = work->lft;

    for (int k = 0; k < lft->n; k++) {
        const int count = work->counts[k], step = stride(family, work->place[k]);
        double least = HUGE_VAL, most = -HUGE_VAL;
        work->nodes[k] = phx_calloc(work->context, (size_t)count, sizeof **work->nodes);
        lft->parameters[k] = phx_strdup(work->context, work->options->parameters[k]);
        if (!work->nodes[k] || !lft->parameters[k])
            return PHX_ERR_MEMORY;
        for (int i = 0; i < count; i++) {
            const double value =
                family->values[(size_t)(i * step) * (size_t)family->n_parameters + (size_t)work->place[k]];
            work->nodes[k][i] = value;
            least = fmin(least, value);
            most = fmax(most, value);
        }
        lft->centre[k] = 0.5 * (least + most);
        lft->half[k] = 0.5 * (most - least);
        for (int i = 0; i < count; i++)
            work->nodes[k][i] = (work->nodes[k][i] - lft->centre[k]) / lft->half[k];
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++)
                if (!(fabs(work->nodes[k][i] - work->nodes[k][j]) > SAME))
                    return phx_fail(work->context, PHX_ERR_ARGUMENT, "LFT: values %d and %d of '%s' are the same",
                                    j + 1, i + 1, lft->parameters[k]);
    }
    return PHX_OK;
}

/* The point of the family at a point of the fit. */
static int family_point(const lft_work *work, size_t point)
{
    int found = 0;
    for (int k = work->lft->n - 1; k >= 0; k--) {
        found += (int)(point % (size_t)work->counts[k]) * stride(work->family, work->place[k]);
        point /= (size_t)work->counts[k];
    }
    return found;
}

/* Allocates the description of the LFT's parameters and finds their values in the family. */
static phx_status create_prepare(lft_work *work)
{
    phx_context *context = work->context;
    phx_lft *lft = work->lft;
    const size_t n = (size_t)work->options->n_parameters;

    lft->parameters = phx_calloc(context, n + 1, sizeof *lft->parameters);
    lft->sizes = phx_calloc(context, n + 1, sizeof *lft->sizes);
    lft->degrees = phx_calloc(context, n + 1, sizeof *lft->degrees);
    lft->centre = phx_calloc(context, n + 1, sizeof *lft->centre);
    lft->half = phx_calloc(context, n + 1, sizeof *lft->half);
    work->place = phx_calloc(context, n + 1, sizeof *work->place);
    work->counts = phx_calloc(context, n + 1, sizeof *work->counts);
    work->nodes = phx_calloc(context, n + 1, sizeof *work->nodes);
    if (!lft->parameters || !lft->sizes || !lft->degrees || !lft->centre || !lft->half || !work->place ||
        !work->counts || !work->nodes)
        return PHX_ERR_MEMORY;
    lft->n = work->options->n_parameters;
    const phx_status status = find_places(work);
    return status ? status : find_nodes(work);
}

/* ---- the matrices ---- */
static void create_put_block(const lft_work *work, double *to, int row, int col, int rows, int cols, double sign,
                             const double *block)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            to[(size_t)(row + i) * (size_t)work->cols + (size_t)(col + j)] =
                sign * block[(size_t)i * (size_t)cols + (size_t)j];
}

static void put_second_order(const lft_work *work, const phx_plant *plant, double *to)
{
    const int n = work->n, m = work->m, p = work->p;
    create_put_block(work, to, 0, 0, n, n, -1.0, plant->K);
    create_put_block(work, to, 0, n, n, n, -1.0, plant->D);
    create_put_block(work, to, 0, 2 * n, n, m, 1.0, plant->F);
    create_put_block(work, to, 0, 2 * n + m, n, n, -1.0, plant->M);
    create_put_block(work, to, n, 0, p, n, 1.0, plant->Y_q);
    create_put_block(work, to, n, n, p, n, 1.0, plant->Y_v);
    create_put_block(work, to, n, 2 * n, p, m, 1.0, plant->Y_u);
    create_put_block(work, to, n, 2 * n + m, p, n, 1.0, plant->Y_a);
}

static void put_first_order(const lft_work *work, const phx_ss *system, double *to)
{
    create_put_block(work, to, 0, 0, work->n, work->n, 1.0, phx_ss_A(system));
    create_put_block(work, to, 0, work->n, work->n, work->m, 1.0, phx_ss_B(system));
    create_put_block(work, to, work->n, 0, work->p, work->n, 1.0, phx_ss_C(system));
    create_put_block(work, to, work->n, work->n, work->p, work->m, 1.0, phx_ss_D(system));
}

/* Collects the matrices of all plants of the family as one table of values per grid point, second-order if possible. */
static phx_status create_gather(lft_work *work, const phx_fit_grid *grid)
{
    const phx_plant *nominal = nominal_of(work);
    const size_t points = phx_fit_points(grid);
    const bool second = nominal->second_order && nominal->n_outputs == phx_ss_outputs(nominal->system);

    work->lft->report.second_order = second;
    work->n = second ? nominal->n : phx_ss_n(nominal->system);
    work->m = phx_ss_inputs(nominal->system);
    work->p = phx_ss_outputs(nominal->system);
    work->rows = work->n + work->p;
    work->cols = second ? 3 * work->n + work->m : work->n + work->m;
    const size_t cells = (size_t)work->rows * (size_t)work->cols;
    work->values = phx_calloc(work->context, points * cells + 1, sizeof *work->values);
    work->row = phx_calloc(work->context, (size_t)work->rows + 1, sizeof *work->row);
    work->col = phx_calloc(work->context, (size_t)work->cols + 1, sizeof *work->col);
    work->weight = phx_calloc(work->context, cells + 1, sizeof *work->weight);
    work->mass = phx_calloc(work->context, (size_t)work->n * (size_t)work->n + 1, sizeof *work->mass);
    if (!work->values || !work->row || !work->col || !work->weight || !work->mass)
        return PHX_ERR_MEMORY;
    for (size_t point = 0; point < points; point++) {
        const phx_plant *plant = &work->family->plants[family_point(work, point)];
        if (second)
            put_second_order(work, plant, work->values + point * cells);
        else
            put_first_order(work, plant->system, work->values + point * cells);
    }
    return PHX_OK;
}

/* ---- scales ---- */
/* Frequency of coordinate i at the nominal point; of those without stiffness the lowest of the others. */
static double frequency(const phx_plant *nominal, int i)
{
    const int n = nominal->n;
    double lowest = HUGE_VAL, highest = 0.0;
    for (int k = 0; k < n; k++)
        highest = fmax(highest, fabs(nominal->K[k * n + k]));
    for (int k = 0; k < n; k++)
        if (fabs(nominal->K[k * n + k]) > NO_STIFFNESS * highest)
            lowest = fmin(lowest, fabs(nominal->K[k * n + k]));
    const double own = fabs(nominal->K[i * n + i]);
    return isinf(lowest) ? 1.0 : sqrt(own > NO_STIFFNESS * highest ? own : lowest);
}

/* 1 over the largest scaled entry of the line, over all points; HUGE_VAL where there are zeros alone. */
static double create_scale_of(const lft_work *work, size_t points, bool row, int line, int first, int end)
{
    double largest = 0.0;
    for (size_t point = 0; point < points; point++)
        for (int k = first; k < end; k++) {
            const int i = row ? line : k, j = row ? k : line;
            const double entry =
                work->values[(point * (size_t)work->rows + (size_t)i) * (size_t)work->cols + (size_t)j];
            largest = fmax(largest, fabs(entry) * (row ? work->col[j] : work->row[i]));
        }
    return largest > 0.0 ? 1.0 / largest : HUGE_VAL;
}

/* Scales of the rows or columns from `begin` to `end` by their entries in the lines from `first` to `last`. Those that
 * are zero to rounding beside the others become zero: noise must not be fitted. */
static void scale_lines(lft_work *work, size_t points, bool row, int begin, int end, int first, int last)
{
    double *scale = row ? work->row : work->col, least = HUGE_VAL;

    for (int line = begin; line < end; line++) {
        scale[line] = create_scale_of(work, points, row, line, first, last);
        least = fmin(least, scale[line]);
    }
    for (int line = begin; line < end; line++) {
        if (scale[line] < 1e12 * least)
            continue;
        scale[line] = isinf(least) ? 1.0 : least;
        for (size_t point = 0; point < points; point++)
            for (int k = first; k < last; k++)
                work->values[(point * (size_t)work->rows + (size_t)(row ? line : k)) * (size_t)work->cols +
                             (size_t)(row ? k : line)] = 0.0;
    }
}

/* Columns of displacements by 1/omega, of accelerations by 1/omega_lowest; then rows, inputs and outputs so that their
 * largest entries are 1. */
static void find_scales(lft_work *work, size_t points)
{
    const phx_plant *nominal = nominal_of(work);
    const bool second = create_second_order(work);
    const int n = nominal->n, inputs = second ? 2 * n : work->n;
    double lowest = HUGE_VAL;

    for (int j = 0; j < work->cols; j++)
        work->col[j] = 1.0;
    for (int j = 0; j < n; j++) {
        const double omega = frequency(nominal, j);
        work->col[j] = 1.0 / omega;
        lowest = fmin(lowest, omega);
    }
    for (int j = 0; j < n && second; j++)
        work->col[2 * n + work->m + j] = lowest;
    for (int i = 0; i < work->n; i++) { /* without the inputs, which are not scaled yet */
        const double motion = create_scale_of(work, points, true, i, 0, inputs);
        const double inertia = second ? create_scale_of(work, points, true, i, inputs + work->m, work->cols) : motion;
        work->row[i] = isinf(motion) && isinf(inertia) ? 1.0 : fmin(motion, inertia);
    }
    scale_lines(work, points, false, inputs, inputs + work->m, 0, work->n);
    scale_lines(work, points, true, work->n, work->rows, 0, work->cols);
    for (int i = 0; i < work->rows; i++)
        for (int j = 0; j < work->cols; j++)
            work->weight[i * work->cols + j] = work->row[i] * work->col[j];
}

/* ---- the fit ---- */
static phx_status choose_degrees(lft_work *work, const phx_fit_grid *grid, const phx_fit_data *data)
{
    const double aim = work->options->error > 0.0 ? work->options->error : default_error;
    int *degrees = work->lft->degrees;
    phx_status status = PHX_OK;

    for (int k = 0; k < grid->n && !status; k++) {
        if (!work->options->degrees) {
            status = phx_polynomial_degree(work->context, grid, data, k, MOST_DEGREE, aim, &degrees[k]);
            continue;
        }
        degrees[k] = work->options->degrees[k];
        if (degrees[k] < 0 || degrees[k] >= grid->counts[k] || degrees[k] > MOST_DEGREE)
            status = phx_fail(work->context, PHX_ERR_ARGUMENT,
                              "LFT: degree %d of '%s'; with %d values of it the degree can be from 0 to %d", degrees[k],
                              work->lft->parameters[k], grid->counts[k],
                              grid->counts[k] - 1 < MOST_DEGREE ? grid->counts[k] - 1 : MOST_DEGREE);
    }
    return status;
}

/* -M_0 out of the polynomials: M_0 z'' is what the equations are solved for. */
static void take_mass(lft_work *work, double *coefficients)
{
    const int n = work->n;
    for (int i = 0; i < n && create_second_order(work); i++)
        for (int j = 0; j < n; j++) {
            double *entry = coefficients + (size_t)i * (size_t)work->cols + (size_t)(2 * n + work->m + j);
            work->mass[i * n + j] = -*entry;
            *entry = 0.0;
        }
}

static double tolerance_of(const phx_lft_options *options)
{
    if (options->tolerance > 0.0)
        return options->tolerance;
    return options->error > 0.0 ? 0.1 * options->error : default_tolerance;
}

/* Entries that are zero but for rounding: noise in the columns of free motions would mislead the balancing of the
 * system. */
static void create_clear_rounding(phx_realisation *X)
{
    const size_t cells = (size_t)(X->rows + X->r) * (size_t)(X->cols + X->r);
    for (size_t k = 0; k < cells; k++)
        if (fabs(X->X[k]) < ROUNDING)
            X->X[k] = 0.0;
}

/* The realisation of the scaled polynomials, and how far it is from them at the points. */
static phx_status realise(lft_work *work, const phx_fit_grid *grid, double *coefficients, phx_realisation *out)
{
    const int *degrees = work->lft->degrees;
    const size_t cells = (size_t)work->rows * (size_t)work->cols, terms = phx_polynomial_terms(grid->n, degrees);
    double *want = phx_calloc(work->context, 2 * cells + 1, sizeof *want), *got = phx_behind(want, cells);
    double *delta = phx_calloc(work->context, (size_t)grid->n + 1, sizeof *delta);
    phx_status status = want && delta ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t t = 0; t < terms && !status; t++)
        for (size_t c = 0; c < cells; c++)
            coefficients[t * cells + c] *= work->weight[c];
    if (!status)
        status = phx_horner(work->context, grid->n, degrees, work->rows, work->cols, coefficients,
                            tolerance_of(work->options), out);
    if (!status)
        create_clear_rounding(out);
    for (size_t point = 0; point < phx_fit_points(grid) && !status; point++) {
        size_t left = point;
        for (int k = grid->n - 1; k >= 0; k--) {
            delta[k] = grid->nodes[k][left % (size_t)grid->counts[k]];
            left /= (size_t)grid->counts[k];
        }
        phx_polynomial_at(grid->n, degrees, cells, coefficients, delta, want);
        status = phx_realisation_at(work->context, grid->n, out, delta, got);
        for (size_t c = 0; c < cells && !status; c++)
            work->lft->report.realisation = fmax(work->lft->report.realisation, fabs(got[c] - want[c]));
    }
    phx_free(want);
    phx_free(delta);
    return status;
}

/* Back from scaled rows and columns. */
static void unscale(const lft_work *work, phx_realisation *X)
{
    const int C = X->cols + X->r;
    for (int i = 0; i < X->rows + X->r; i++)
        for (int j = 0; j < C; j++)
            X->X[(size_t)i * (size_t)C + (size_t)j] /=
                (i < X->rows ? work->row[i] : 1.0) * (j < X->cols ? work->col[j] : 1.0);
}

/* Channels of Delta such that rows of v and columns of w are of one size. */
static void balance(phx_realisation *X)
{
    const int C = X->cols + X->r, R = X->rows + X->r;
    for (int k = 0; k < X->r; k++) {
        double row = 0.0, column = 0.0;
        for (int j = 0; j < C; j++)
            row = hypot(row, X->X[(size_t)(X->rows + k) * (size_t)C + (size_t)j]);
        for (int i = 0; i < R; i++)
            column = hypot(column, X->X[(size_t)i * (size_t)C + (size_t)(X->cols + k)]);
        if (row == 0.0 || column == 0.0)
            continue;
        const double scale = sqrt(column / row);
        for (int j = 0; j < C; j++)
            X->X[(size_t)(X->rows + k) * (size_t)C + (size_t)j] *= scale;
        for (int i = 0; i < R; i++)
            X->X[(size_t)i * (size_t)C + (size_t)(X->cols + k)] /= scale;
    }
}

/* ---- the system ---- */
typedef struct system_parts {
    int N, inputs, outputs;
    double *A, *B, *C, *D;
} system_parts;

static phx_status parts_create(const lft_work *work, int r, system_parts *out)
{
    const int N = create_second_order(work) ? 2 * work->n : work->n;
    *out = (system_parts){.N = N, .inputs = r + work->m, .outputs = r + work->p};
    out->A = phx_calloc(work->context, (size_t)N * (size_t)N + 1, sizeof *out->A);
    out->B = phx_calloc(work->context, (size_t)N * (size_t)out->inputs + 1, sizeof *out->B);
    out->C = phx_calloc(work->context, (size_t)out->outputs * (size_t)N + 1, sizeof *out->C);
    out->D = phx_calloc(work->context, (size_t)out->outputs * (size_t)out->inputs + 1, sizeof *out->D);
    return out->A && out->B && out->C && out->D ? PHX_OK : PHX_ERR_MEMORY;
}

static void parts_free(system_parts *system)
{
    phx_free(system->A);
    phx_free(system->B);
    phx_free(system->C);
    phx_free(system->D);
}

/* A row over (x, u, w) into rows over x and over (w, u). */
static void split_row(int states, int m, int r, const double *row, double *over_x, double *over_wu)
{
    memcpy(over_x, row, (size_t)states * sizeof *row);
    memcpy(over_wu, row + states + m, (size_t)r * sizeof *row);
    memcpy(over_wu + r, row + states, (size_t)m * sizeof *row);
}

/* Row i of X without its columns of z'': z, z', u, w. */
static void without_accelerations(const lft_work *work, const phx_realisation *X, int i, double *row)
{
    const int front = 2 * work->n + work->m;
    const double *from = X->X + (size_t)i * (size_t)(X->cols + X->r);
    memcpy(row, from, (size_t)front * sizeof *row);
    memcpy(row + front, from + X->cols, (size_t)X->r * sizeof *row);
}

/* z'' = M_0^-1 (rows of the equations), put into all other rows. */
static phx_status close_second_order(lft_work *work, const phx_realisation *X, system_parts *out)
{
    const int n = work->n, m = work->m, r = X->r, width = 2 * n + m + r, front = 2 * n + m;
    double *acceleration = phx_calloc(work->context, (size_t)(n + 1) * (size_t)width + 1, sizeof *acceleration);
    double *row = phx_behind(acceleration, (size_t)n * (size_t)width);
    phx_status status = acceleration ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < n && !status; i++)
        without_accelerations(work, X, i, acceleration + (size_t)i * (size_t)width);
    if (!status && n > 0)
        status = phx_dense_solve(work->context, n, work->mass, width, acceleration);
    if (status == PHX_SINGULAR)
        status = phx_fail_prefix(work->context, PHX_ERR_ANALYSIS, "LFT: the mass matrix of the fit is singular: ");
    for (int i = 0; i < n && !status; i++) {
        out->A[(size_t)i * (size_t)out->N + (size_t)(n + i)] = 1.0;
        split_row(2 * n, m, r, acceleration + (size_t)i * (size_t)width, out->A + (size_t)(n + i) * (size_t)out->N,
                  out->B + (size_t)(n + i) * (size_t)out->inputs);
    }
    for (int i = 0; i < work->p + r && !status; i++) {
        const int to = i < work->p ? r + i : i - work->p;
        const double *weights = X->X + (size_t)(n + i) * (size_t)(X->cols + r) + front;
        without_accelerations(work, X, n + i, row);
        if (n > 0)
            phx_dense_multiply(false, false, 1, width, n, 1.0, weights, n, acceleration, width, 1.0, row, width);
        split_row(2 * n, m, r, row, out->C + (size_t)to * (size_t)out->N, out->D + (size_t)to * (size_t)out->inputs);
    }
    phx_free(acceleration);
    return status;
}

static void close_first_order(const lft_work *work, const phx_realisation *X, system_parts *out)
{
    const int r = X->r, n = work->n;
    for (int i = 0; i < X->rows + r; i++) {
        const double *row = X->X + (size_t)i * (size_t)(X->cols + r);
        const int to = i < X->rows ? r + i - n : i - X->rows;
        split_row(n, work->m, r, row, i < n ? out->A + (size_t)i * (size_t)n : out->C + (size_t)to * (size_t)n,
                  i < n ? out->B + (size_t)i * (size_t)out->inputs : out->D + (size_t)to * (size_t)out->inputs);
    }
}

enum { NAME_SIZE = 160 };

/* Names of w or v, PARAMETER.w1 .., in front of those of the plants. */
static void name_channels(const lft_work *work, char letter, char *text, const char **names)
{
    for (int k = 0, at = 0; k < work->lft->n; k++)
        for (int i = 0; i < work->lft->sizes[k]; i++, at++) {
            snprintf(text + (size_t)at * NAME_SIZE, NAME_SIZE, "%.120s.%c%d", work->lft->parameters[k], letter, i + 1);
            names[at] = text + (size_t)at * NAME_SIZE;
        }
}

/* Creates the state-space system of the LFT, with the channels w and v of the uncertainty before those of the plant. */
static phx_status create_make_system(lft_work *work, const system_parts *parts)
{
    const phx_ss *nominal = nominal_of(work)->system;
    const int r = work->lft->r;
    char *text = phx_calloc(work->context, 2 * (size_t)r + 1, NAME_SIZE);
    const char **names =
        phx_calloc(work->context, (size_t)(parts->N + parts->inputs + parts->outputs) + 1, sizeof *names);
    phx_status status = text && names ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        const char **inputs = names + parts->N, **outputs = inputs + parts->inputs;
        for (int k = 0; k < parts->N; k++)
            names[k] = phx_ss_state(nominal, k);
        name_channels(work, 'w', text, inputs);
        name_channels(work, 'v', text + (size_t)r * NAME_SIZE, outputs);
        for (int k = 0; k < work->m; k++)
            inputs[r + k] = phx_ss_input(nominal, k);
        for (int k = 0; k < work->p; k++)
            outputs[r + k] = phx_ss_output(nominal, k);
        const phx_ss_def def = {.name = phx_ss_name(nominal),
                                .n = parts->N,
                                .n_inputs = parts->inputs,
                                .n_outputs = parts->outputs,
                                .A = parts->A,
                                .B = parts->B,
                                .C = parts->C,
                                .D = parts->D,
                                .states = names,
                                .inputs = inputs,
                                .outputs = outputs};
        status = phx_ss_create(work->context, &def, &work->lft->system);
    }
    phx_free(text);
    phx_free((void *)names);
    return status;
}

/* Balances and unscales a realisation, closes it over the derivatives and creates the system of the LFT. */
static phx_status assemble(lft_work *work, phx_realisation *X)
{
    system_parts parts = {0};
    balance(X);
    unscale(work, X);
    work->lft->r = X->r;
    memcpy(work->lft->sizes, X->sizes, (size_t)work->lft->n * sizeof *X->sizes);
    phx_status status = parts_create(work, X->r, &parts);
    if (!status && create_second_order(work))
        status = close_second_order(work, X, &parts);
    else if (!status)
        close_first_order(work, X, &parts);
    if (!status)
        status = create_make_system(work, &parts);
    parts_free(&parts);
    return status;
}

/* ---- the whole ---- */
static phx_status fit(lft_work *work, const phx_fit_grid *grid)
{
    phx_lft_report *report = &work->lft->report;
    const phx_fit_data data = {(size_t)work->rows * (size_t)work->cols, work->values, work->weight};
    phx_realisation X = {0};
    double *coefficients = NULL;
    phx_status status = choose_degrees(work, grid, &data);

    if (!status)
        status = phx_polynomial_errors(work->context, grid, &data, work->lft->degrees, &report->fit, &report->held_out);
    if (!status)
        status = phx_polynomial_fit(work->context, grid, &data, work->lft->degrees, &coefficients);
    if (!status)
        take_mass(work, coefficients);
    if (!status)
        status = realise(work, grid, coefficients, &X);
    if (!status)
        status = assemble(work, &X);
    phx_free(coefficients);
    phx_realisation_free(&X);
    return status;
}

/* Creates the LFT of a family of plants over the chosen parameters and compares its responses with those of the plants.
 * *lft is NULL after an error. */
phx_status phx_lft_create(phx_context *context, const phx_plant_family *family, const phx_lft_options *options,
                          phx_lft **lft)
{
    if (!family || !options || !lft || (options->n_parameters > 0 && !options->parameters))
        return phx_fail_null(context, __func__, "family, options, their parameters or lft");
    lft_work work = {.context = context, .family = family, .options = options};
    phx_fit_grid grid = {0};

    *lft = NULL;
    work.lft = phx_calloc(context, 1, sizeof *work.lft);
    phx_status status = work.lft ? create_prepare(&work) : PHX_ERR_MEMORY;
    if (!status) {
        grid = (phx_fit_grid){work.lft->n, work.counts, work.nodes};
        status = create_gather(&work, &grid);
    }
    if (!status) {
        find_scales(&work, phx_fit_points(&grid));
        status = fit(&work, &grid);
    }
    if (!status) {
        const phx_lft_channels channels = {work.row + work.n,
                                           work.col + work.cols - work.m - (create_second_order(&work) ? work.n : 0),
                                           options->band};
        status = phx_lft_compare(context, family, work.place, &channels, work.lft);
    }
    create_work_free(&work);
    if (status)
        phx_lft_destroy(work.lft);
    else
        *lft = work.lft;
    return phx_conclude(context, status);
}
