#include "mechanism.h"

#include "reduce/reduce.h"

void put(entry_list *list, int row, int col, double val)
{
    if (list->count == list->room) {
        list->room = list->room > 0 ? 2 * list->room : 64;
        list->row = realloc(list->row, list->room * sizeof *list->row);
        list->col = realloc(list->col, list->room * sizeof *list->col);
        list->val = realloc(list->val, list->room * sizeof *list->val);
        assert_non_null(list->row);
        assert_non_null(list->col);
        assert_non_null(list->val);
    }
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->val[list->count++] = val;
}

static void list_free(entry_list *list)
{
    free(list->row);
    free(list->col);
    free(list->val);
    *list = (entry_list){0};
}

static void list_end(phx_context *context, entry_list *list, int rows, int cols, phx_csr *out)
{
    assert_int_equal(phx_csr_from_triplets(context, rows, cols, list->count, list->row, list->col, list->val, out),
                     PHX_OK);
    list_free(list);
}

void mechanism_begin(mechanism *mech, phx_context *context)
{
    *mech = (mechanism){.context = context};
}

void mechanism_end(mechanism *mech, phx_linear *linear)
{
    phx_context *context = mech->context;
    const int n = mech->n;
    phx_csr transposed = {0}, elastic = {0};
    *linear = (phx_linear){.n = n, .m = mech->m, .damped = mech->D.count > 0, .has_root = mech->rest.count == 0};
    list_end(context, &mech->M, n, n, &linear->M);
    list_end(context, &mech->D, n, n, &linear->D);
    list_end(context, &mech->root, mech->roots, n, &linear->root);
    list_end(context, &mech->rest, n, n, &linear->rest);
    list_end(context, &mech->G, mech->m, n, &linear->G);
    assert_int_equal(phx_csr_transpose(context, &linear->root, &transposed), PHX_OK);
    assert_int_equal(phx_csr_multiply(context, &transposed, &linear->root, &elastic), PHX_OK);
    assert_int_equal(phx_csr_add(context, 1.0, &elastic, 1.0, &linear->rest, &linear->K), PHX_OK);
    phx_csr_free(&transposed);
    phx_csr_free(&elastic);
}

void linear_free(phx_linear *linear)
{
    phx_csr_free(&linear->M);
    phx_csr_free(&linear->D);
    phx_csr_free(&linear->K);
    phx_csr_free(&linear->G);
    phx_csr_free(&linear->root);
    phx_csr_free(&linear->rest);
}

/* ---- beams ---- */
int beam_size(const beam *b)
{
    return 3 + 3 * b->elements;
}

/* The coordinates that move the node's u, w or w' (what = 0, 1, 2) and their factors; returns their number. */
static int node_terms(const beam *b, int at, int node, int what, int *index, double *factor)
{
    const double x = b->length * node / b->elements;
    int count = 0;
    index[count] = at + what;
    factor[count++] = 1.0;
    if (what == 1) {
        index[count] = at + 2;
        factor[count++] = x;
    }
    if (node > 0) {
        index[count] = at + 3 + 3 * (node - 1) + what;
        factor[count++] = 1.0;
    }
    return count;
}

/* value * (rate a of node i)(rate b of node j) into M */
static void put_mass(mechanism *mech, const beam *b, int at, int i, int a, int j, int c, double value)
{
    int row[3], col[3];
    double left[3], right[3];
    const int rows = node_terms(b, at, i, a, row, left), cols = node_terms(b, at, j, c, col, right);
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < cols; s++)
            put(&mech->M, row[r], col[s], value * left[r] * right[s]);
}

static void element_mass(mechanism *mech, const beam *b, int at, int e)
{
    const double h = b->length / b->elements, axial = b->mass_per_length * h / 6.0;
    const double bending = b->mass_per_length * h / 420.0;
    const double table[4][4] = {{156.0, 22.0 * h, 54.0, -13.0 * h},
                                {22.0 * h, 4.0 * h * h, 13.0 * h, -3.0 * h * h},
                                {54.0, 13.0 * h, 156.0, -22.0 * h},
                                {-13.0 * h, -3.0 * h * h, -22.0 * h, 4.0 * h * h}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            put_mass(mech, b, at, e + i, 0, e + j, 0, axial * (i == j ? 2.0 : 1.0));
            for (int a = 0; a < 2; a++)
                for (int c = 0; c < 2; c++)
                    put_mass(mech, b, at, e + i, 1 + a, e + j, 1 + c, bending * table[2 * i + a][2 * j + c]);
        }
}

/* K of an element as squares: EA/h (u2-u1)^2 + EI/h (w2'-w1')^2 + 3EI/h (w1'+w2' - 2(w2-w1)/h)^2 */
static void element_root(mechanism *mech, const beam *b, int at, int e)
{
    const double h = b->length / b->elements;
    const double stretch = sqrt(b->axial / h), turn = sqrt(b->bending / h), shear = sqrt(3.0 * b->bending / h);
    for (int i = 0; i < 2; i++) {
        if (e + i == 0)
            continue;
        const double sign = i == 0 ? -1.0 : 1.0;
        const int u = at + 3 + 3 * (e + i - 1);
        put(&mech->root, mech->roots, u, sign * stretch);
        put(&mech->root, mech->roots + 1, u + 2, sign * turn);
        put(&mech->root, mech->roots + 2, u + 1, -2.0 * sign * shear / h);
        put(&mech->root, mech->roots + 2, u + 2, shear);
    }
    mech->roots += 3;
}

int mechanism_add_beam(mechanism *mech, const beam *b)
{
    const int at = mech->n;
    mech->n += beam_size(b);
    for (int e = 0; e < b->elements; e++) {
        element_mass(mech, b, at, e);
        element_root(mech, b, at, e);
    }
    if (b->mass_at_p > 0.0) {
        put(&mech->M, at, at, b->mass_at_p);
        put(&mech->M, at + 1, at + 1, b->mass_at_p);
    }
    return at;
}

int new_row(mechanism *mech)
{
    return mech->m++;
}

void constrain(mechanism *mech, int row, const beam *b, int at, int node, beam_rate what, double angle, double scale)
{
    /* inertial = R (u, w): x = c u - s w, y = s u + c w */
    const double c = cos(angle), s = sin(angle);
    const double of[3] = {what == ALONG_X ? c : (what == ALONG_Y ? s : 0.0),
                          what == ALONG_X ? -s : (what == ALONG_Y ? c : 0.0), what == TURN ? 1.0 : 0.0};
    for (int k = 0; k < 3; k++) {
        int index[3];
        double factor[3];
        const int count = node_terms(b, at, node, k, index, factor);
        for (int i = 0; i < count; i++)
            if (of[k] != 0.0)
                put(&mech->G, row, index[i], scale * of[k] * factor[i]);
    }
}

void four_bar(mechanism *mech, double theta1, int elements, bool clamped)
{
    const double rho = 2714.0, young = 7.1e10, thin = 4.0645e-5;
    const beam link[3] = {{0.108, rho * 1.0774e-4, young * 1.0774e-4, 11.472, elements, 0.0},
                          {0.2794, rho * thin, young * thin, 0.616, elements, 0.042},
                          {0.2705, rho * thin, young * thin, 0.616, elements, 0.042}};
    /* C above the line from B to D = (0.254, 0) */
    const double bx = 0.108 * cos(theta1), by = 0.108 * sin(theta1), dx = 0.254 - bx, dy = -by, d = hypot(dx, dy);
    const double a = (0.2794 * 0.2794 - 0.2705 * 0.2705 + d * d) / (2.0 * d), h = sqrt(0.2794 * 0.2794 - a * a);
    const double cx = bx + (a * dx - h * dy) / d, cy = by + (a * dy + h * dx) / d;
    const double angle[3] = {theta1, atan2(cy - by, cx - bx), atan2(-cy, 0.254 - cx)};
    int at[3];
    for (int k = 0; k < 3; k++)
        at[k] = mechanism_add_beam(mech, &link[k]);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) {
            const int row = new_row(mech);
            if (k < 3)
                constrain(mech, row, &link[k], at[k], 0, i == 0 ? ALONG_X : ALONG_Y, angle[k], 1.0);
            if (k > 0)
                constrain(mech, row, &link[k - 1], at[k - 1], elements, i == 0 ? ALONG_X : ALONG_Y, angle[k - 1], -1.0);
        }
    if (clamped)
        constrain(mech, new_row(mech), &link[0], at[0], 0, TURN, 0.0, 1.0);
}

/* ---- checks ---- */
void solve(phx_context *context, const phx_linear *linear, const phx_modes_options *options, phx_mode_set *set)
{
    phx_modal *modal = NULL;
    assert_int_equal(phx_modal_create(context, &modal), PHX_OK);
    const phx_status status = phx_modal_solve(modal, linear, options, set);
    phx_modal_destroy(modal);
    if (status)
        fail_msg("phx_modal_solve: %s: %s", phx_status_text(status), phx_context_message(context));
}

static const double *imaginary(const phx_mode_set *set, int k)
{
    return set->shapes_imaginary ? set->shapes_imaginary + (size_t)k * (size_t)set->n : NULL;
}

double closure(const phx_linear *linear, const phx_mode_set *set)
{
    double worst = 0.0;
    for (int k = 0; k < set->count; k++)
        for (int part = 0; part < 2; part++) {
            const double *x = part == 0 ? set->shapes + (size_t)k * (size_t)set->n : imaginary(set, k);
            double largest = 0.0;
            for (int i = 0; x && i < set->n; i++)
                largest = fmax(largest, fabs(x[i]));
            for (int i = 0; x && i < linear->m; i++) {
                double sum = 0.0, row = 0.0;
                for (int j = linear->G.ptr[i]; j < linear->G.ptr[i + 1]; j++) {
                    sum += linear->G.val[j] * x[linear->G.idx[j]];
                    row = fmax(row, fabs(linear->G.val[j]));
                }
                if (row > 0.0)
                    worst = fmax(worst, fabs(sum) / (row * fmax(largest, 1.0)));
            }
        }
    return worst;
}

static double inner(const phx_csr *M, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < M->rows; i++)
        for (int k = M->ptr[i]; k < M->ptr[i + 1]; k++)
            sum += x[i] * M->val[k] * y[M->idx[k]];
    return sum;
}

double mass_defect(const phx_linear *linear, const phx_mode_set *set)
{
    double worst = 0.0;
    for (int k = 0; k < set->count; k++) {
        const double *x = set->shapes + (size_t)k * (size_t)set->n, *y = imaginary(set, k);
        const double square = inner(&linear->M, x, x) + (y ? inner(&linear->M, y, y) : 0.0);
        worst = fmax(worst, fabs(square - 1.0));
        for (int j = 0; j < k && !set->shapes_imaginary && !linear->damped; j++)
            worst = fmax(worst, fabs(inner(&linear->M, x, set->shapes + (size_t)j * (size_t)set->n)));
    }
    return worst;
}

/* re, im of P^T (lambda^2 M + lambda D + K) x, the largest entry */
static double residual(const phx_linear *linear, const phx_basis *free_motions, const phx_mode_set *set, int k)
{
    const size_t n = (size_t)linear->n;
    const double a = set->re[k], b = set->im[k], re2 = a * a - b * b, im2 = 2.0 * a * b;
    const double *x = set->shapes + (size_t)k * n, *y = imaginary(set, k);
    double *force = calloc(2 * n, sizeof *force), worst = 0.0;
    assert_non_null(force);
    for (int part = 0; part < 2; part++) {
        /* real part: re2 Mx - im2 My + ...; imaginary part: re2 My + im2 Mx + ... */
        const double *same = part == 0 ? x : y, *other = part == 0 ? y : x, sign = part == 0 ? -1.0 : 1.0;
        double *f = force + (size_t)part * n;
        if (same) {
            phx_csr_apply(&linear->M, re2, same, f);
            phx_csr_apply(&linear->D, a, same, f);
            phx_csr_apply(&linear->K, 1.0, same, f);
        }
        if (other) {
            phx_csr_apply(&linear->M, sign * im2, other, f);
            phx_csr_apply(&linear->D, sign * b, other, f);
        }
        for (int j = 0; j < free_motions->count; j++) {
            double sum = 0.0;
            for (size_t i = 0; i < n; i++)
                sum += free_motions->columns[i * (size_t)free_motions->count + (size_t)j] * f[i];
            worst = fmax(worst, fabs(sum));
        }
    }
    free(force);
    return worst / (set->omega[k] * set->omega[k]);
}

double equation_defect(phx_context *context, const phx_linear *linear, const phx_mode_set *set)
{
    const size_t n = (size_t)linear->n;
    double *L = calloc(n * n, sizeof *L), *G = calloc((size_t)linear->m * n + 1, sizeof *G), worst = 0.0;
    assert_non_null(L);
    assert_non_null(G);
    phx_csr_to_dense(&linear->M, L);
    phx_csr_to_dense(&linear->G, G);
    phx_basis free_motions = {0};
    assert_int_equal(phx_dense_cholesky(context, linear->n, L), PHX_OK);
    assert_int_equal(phx_reduce_free_motions(context, linear->n, L, linear->m, G, 0.0, NULL, &free_motions), PHX_OK);
    for (int k = 0; k < set->count; k++)
        worst = fmax(worst, residual(linear, &free_motions, set, k));
    phx_basis_free(&free_motions);
    free(L);
    free(G);
    return worst;
}
