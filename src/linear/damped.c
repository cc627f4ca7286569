/* Damped and gyroscopic systems in the coordinates of their undamped modes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"

static const double ROUNDING = 1e-10;       /* of projected forces, relative to the largest */
static const double EIGEN_ROUNDING = 1e-13; /* of the eigenvalues of A, relative to its largest entry */
static const double LOST = 1e-6;            /* parts of the lowest frequency */
static const double UNDAMPED = 1e-7;        /* damping ratio */

double complex phx_quadratic_root(double complex a, double complex b, double complex c, double complex z0)
{
    static const double NEAR = 1e-4; /* correction, relative: a root farther off is another one */
    /* q = -(b +- sqrt(b^2 - 4ac))/2 with the sign that adds, z = q/a and c/q */
    const double complex d = csqrt(b * b - 4.0 * a * c);
    const double complex q = -0.5 * (creal(conj(b) * d) >= 0.0 ? b + d : b - d);
    if (a == 0.0 || q == 0.0)
        return z0;
    const double complex z1 = q / a, z2 = c / q, z = cabs(z1 - z0) <= cabs(z2 - z0) ? z1 : z2;
    return cabs(z - z0) <= NEAR * cabs(z0) ? z : z0;
}

typedef struct damped_work {
    int f;           /* undamped modes */
    int e;           /* those of them with stiffness */
    int *elastic;    /* e: their indices */
    double *scale;   /* e: omega, the scale of the position in the state */
    double *D;       /* f x f, Phi^T D Phi */
    double *skew;    /* f x f, Phi^T K_skew Phi; zero unless requested */
    bool symmetric;  /* no skew part, D symmetric to rounding: left and right vectors are the same */
    bool gyroscopic; /* D skew, K symmetric: the left vectors are the conjugates of the right ones */
    bool definite;   /* of these: every stiffness is positive, A is skew */
    bool inverted;   /* A holds (A - sigma I)^-1 */
    double sigma;    /* rad/s */
    double *A;       /* (e + f) x (e + f) */
    double *re, *im, *vectors;
} damped_work;

static void damped_work_free(damped_work *w)
{
    phx_free(w->elastic);
    phx_free(w->scale);
    phx_free(w->D);
    phx_free(w->skew);
    phx_free(w->A);
    phx_free(w->re);
    phx_free(w->im);
    phx_free(w->vectors);
}

/* out (f x f) = Phi^T A Phi */
static phx_status damped_project(phx_context *context, const phx_basis *modes, const phx_csr *a, double *out)
{
    const int n = modes->n, f = modes->count;
    double *product = phx_calloc(context, (size_t)n * (size_t)f, sizeof *product);
    if (!product)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            for (int j = 0; j < f; j++)
                product[(size_t)i * f + j] += a->val[k] * modes->columns[(size_t)a->idx[k] * f + j];
    phx_dense_multiply(true, false, f, f, n, 1.0, modes->columns, f, product, f, 0.0, out, f);
    phx_free(product);
    return PHX_OK;
}

/* out (f x f) = Phi^T D Phi, as far as D has a root by squares, which do not cancel. */
static phx_status project_damping(phx_context *context, const phx_linear *linear, const phx_basis *modes, double *out)
{
    const phx_csr *root = &linear->damping_root;
    const int f = modes->count;
    if (root->rows == 0)
        return damped_project(context, modes, &linear->D, out);
    double *rates = phx_calloc(context, (size_t)root->rows * (size_t)f, sizeof *rates);
    phx_status status = rates ? damped_project(context, modes, &linear->damping_rest, out) : PHX_ERR_MEMORY;
    for (int i = 0; i < root->rows && !status; i++)
        for (int k = root->ptr[i]; k < root->ptr[i + 1]; k++)
            for (int j = 0; j < f; j++)
                rates[(size_t)i * f + j] += root->val[k] * modes->columns[(size_t)root->idx[k] * f + j];
    if (!status)
        phx_dense_multiply(true, false, f, f, root->rows, 1.0, rates, f, rates, f, 1.0, out, f);
    phx_free(rates);
    return status;
}

/* Largest entry of a (f x f), and of its skew part. */
static double largest_entry(int f, const double *a, double *skew)
{
    double largest = 0.0;
    *skew = 0.0;
    for (int i = 0; i < f; i++)
        for (int j = 0; j < f; j++) {
            largest = fmax(largest, fabs(a[(size_t)i * f + j]));
            *skew = fmax(*skew, 0.5 * fabs(a[(size_t)i * f + j] - a[(size_t)j * f + i]));
        }
    return largest;
}

/* skew = its own skew part. Returns its largest entry. */
static double keep_skew_part(int f, double *a)
{
    double largest = 0.0;
    for (int i = 0; i < f; i++)
        for (int j = 0; j <= i; j++) {
            const double half = 0.5 * (a[(size_t)i * f + j] - a[(size_t)j * f + i]);
            a[(size_t)i * f + j] = half;
            a[(size_t)j * f + i] = -half;
            largest = fmax(largest, fabs(half));
        }
    return largest;
}

/* A mode has a position in the state when it has stiffness of its own or causes a circulatory force. */
static void find_elastic(const phx_undamped *undamped, double skew_largest, damped_work *w)
{
    for (int j = 0; j < w->f; j++) {
        double circulatory = 0.0;
        for (int i = 0; i < w->f && skew_largest > 0.0; i++)
            circulatory = fmax(circulatory, fabs(w->skew[(size_t)i * w->f + j]));
        const bool stiff = fabs(undamped->frequency[j]) > undamped->resolution;
        if (!stiff && circulatory <= ROUNDING * skew_largest)
            continue;
        w->scale[w->e] = stiff ? fabs(undamped->frequency[j]) : sqrt(circulatory);
        w->elastic[w->e++] = j;
    }
}

/* Projects damping and the unsymmetric part of K on the undamped modes, determines which structure holds (gyroscopic,
 * symmetric, definite) and allocates the first-order problem. */
static phx_status damped_prepare(phx_context *context, const phx_linear *linear, const phx_modes_options *options,
                                 const phx_undamped *undamped, damped_work *w)
{
    const size_t f = (size_t)undamped->modes.count;
    w->f = undamped->modes.count;
    w->elastic = phx_calloc(context, f, sizeof *w->elastic);
    w->scale = phx_calloc(context, f, sizeof *w->scale);
    w->D = phx_calloc(context, f * f, sizeof *w->D);
    w->skew = phx_calloc(context, f * f, sizeof *w->skew);
    if (!w->elastic || !w->scale || !w->D || !w->skew)
        return PHX_ERR_MEMORY;
    phx_status status = linear->damped ? project_damping(context, linear, &undamped->modes, w->D) : PHX_OK;
    if (!status && options->unsymmetric)
        status = damped_project(context, &undamped->modes, &linear->K, w->skew);
    if (status)
        return status;
    double skew_d;
    const double largest_d = largest_entry(w->f, w->D, &skew_d), skew_k = keep_skew_part(w->f, w->skew);
    w->gyroscopic = linear->gyroscopic && linear->lossless && skew_k == 0.0;
    w->symmetric = !w->gyroscopic && skew_k == 0.0 && skew_d <= ROUNDING * largest_d;
    if (w->gyroscopic)
        keep_skew_part(w->f, w->D);
    w->definite = w->gyroscopic;
    for (int j = 0; j < w->f; j++)
        w->definite = w->definite && undamped->frequency[j] >= -undamped->resolution;
    find_elastic(undamped, skew_k, w);

    const size_t size = (size_t)w->e + f;
    w->A = phx_calloc(context, size * size, sizeof *w->A);
    w->re = phx_calloc(context, size, sizeof *w->re);
    w->im = phx_calloc(context, size, sizeof *w->im);
    w->vectors = phx_calloc(context, 2 * size * size, sizeof *w->vectors);
    return w->A && w->re && w->im && w->vectors ? PHX_OK : PHX_ERR_MEMORY;
}

/* State (s_j eta_j, j elastic; eta_i', all i):
 *
 *     A = | 0                                      s_j               |
 *         | -(lambda_j delta_ij + skew_ij)/s_j    -(Phi^T D Phi)_ij  | */
static void damped_fill(const phx_undamped *undamped, damped_work *w)
{
    const int size = w->e + w->f;
    for (int c = 0; c < w->e; c++) {
        const int j = w->elastic[c];
        const double s = w->scale[c], lambda = undamped->frequency[j] * fabs(undamped->frequency[j]);
        const bool stiff = fabs(undamped->frequency[j]) > undamped->resolution;
        w->A[(size_t)c * size + w->e + j] = s;
        for (int i = 0; i < w->f; i++)
            w->A[(size_t)(w->e + i) * size + c] = -w->skew[(size_t)i * w->f + j] / s;
        if (stiff)
            w->A[(size_t)(w->e + j) * size + c] -= lambda / s;
    }
    for (int i = 0; i < w->f; i++)
        for (int j = 0; j < w->f; j++)
            w->A[(size_t)(w->e + i) * size + w->e + j] = -w->D[(size_t)i * w->f + j];
}

/* A positive shift of the size of the modes wanted, 0 when all are: the highest of the lowest elastic frequencies. */
static double shift_of(const phx_undamped *undamped, int wanted)
{
    double shift = 0.0;
    for (int k = 0, elastic = 0; k < undamped->modes.count && elastic < wanted; k++)
        if (fabs(undamped->frequency[k]) > undamped->resolution) {
            shift = fmax(shift, 0.3 * fabs(undamped->frequency[k]));
            elastic++;
        }
    return shift;
}

/* Whether the rounding of the eigenvalues of A, which is relative to its largest entry, is too large for the lowest
 * modes. With strong damping the entries reach beta omega^2 of the highest mode. */
static bool loses_lowest_modes(const damped_work *w)
{
    double skew, lowest = HUGE_VAL;
    for (int c = 0; c < w->e; c++)
        lowest = fmin(lowest, w->scale[c]);
    return EIGEN_ROUNDING * largest_entry(w->e + w->f, w->A, &skew) > LOST * lowest;
}

/* A <- (A - sigma I)^-1. With (position x, velocity y) = (s f, g) as input
 *
 *     (sigma^2 I + sigma D + Lambda + skew) x' = -g - (D + sigma I) f ,   y' = f + sigma x' ,
 *
 * whose entries are of the size of 1/sigma however large those of D are. Positions that are not in the state count as
 * zero. */
static phx_status damped_invert(phx_context *context, const phx_undamped *undamped, damped_work *w)
{
    const int f = w->f, e = w->e, size = e + f;
    double *Q = phx_calloc(context, (size_t)f * (size_t)(f + size), sizeof *Q), *x = Q ? Q + (size_t)f * f : NULL;
    if (!Q)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < f; i++) {
        for (int j = 0; j < f; j++)
            Q[(size_t)i * f + j] = w->sigma * w->D[(size_t)i * f + j] + w->skew[(size_t)i * f + j];
        Q[(size_t)i * f + i] += w->sigma * w->sigma;
        if (fabs(undamped->frequency[i]) > undamped->resolution)
            Q[(size_t)i * f + i] += undamped->frequency[i] * fabs(undamped->frequency[i]);
        for (int c = 0; c < e; c++) {
            const int j = w->elastic[c];
            x[(size_t)i * size + c] = -(w->D[(size_t)i * f + j] + (i == j ? w->sigma : 0.0)) / w->scale[c];
        }
        x[(size_t)i * size + e + i] = -1.0;
    }
    const phx_status status = phx_dense_solve(context, f, Q, size, x);
    for (int c = 0; c < e && !status; c++)
        for (int k = 0; k < size; k++)
            w->A[(size_t)c * size + k] = w->scale[c] * x[(size_t)w->elastic[c] * size + k];
    for (int i = 0; i < f && !status; i++)
        for (int k = 0; k < size; k++)
            w->A[(size_t)(e + i) * size + k] = w->sigma * x[(size_t)i * size + k];
    for (int c = 0; c < e && !status; c++)
        w->A[(size_t)(e + w->elastic[c]) * size + c] += 1.0 / w->scale[c];
    w->inverted = !status;
    phx_free(Q);
    return status == PHX_SINGULAR ? PHX_OK : status; /* a root at sigma: use A itself */
}

/* The roots, lambda = sigma + 1/theta of those of the inverse. */
static phx_status find_roots(phx_context *context, const phx_undamped *undamped, int wanted, damped_work *w)
{
    const double beyond = -1e150; /* of theta = 0 */
    const int size = w->e + w->f;
    if (w->definite)
        return phx_dense_eigen_skew(context, size, w->A, w->im, w->vectors);
    phx_status status = PHX_OK;
    w->sigma = shift_of(undamped, wanted);
    if (w->sigma > 0.0 && loses_lowest_modes(w))
        status = damped_invert(context, undamped, w);
    if (!status)
        status = phx_dense_eigen_general(context, size, w->A, NULL, w->re, w->im, w->vectors);
    for (int k = 0; k < size && w->inverted && !status; k++) {
        const double square = w->re[k] * w->re[k] + w->im[k] * w->im[k];
        w->re[k] = square > 0.0 ? w->sigma + w->re[k] / square : beyond;
        w->im[k] = square > 0.0 ? -w->im[k] / square : 0.0;
    }
    return status;
}

/* eta (f) of eigenvector k, taken from the larger of position and velocity. */
static void coordinates(const damped_work *w, int k, double complex lambda, double complex *eta)
{
    const int size = w->e + w->f;
    for (int i = 0; i < w->f; i++) {
        const double *entry = w->vectors + 2 * ((size_t)(w->e + i) * size + k);
        eta[i] = (entry[0] + entry[1] * I) / lambda;
    }
    for (int c = 0; c < w->e; c++)
        if (cabs(lambda) < w->scale[c]) {
            const double *entry = w->vectors + 2 * ((size_t)c * size + k);
            eta[w->elastic[c]] = (entry[0] + entry[1] * I) / w->scale[c];
        }
}

/* One step of the Rayleigh functional eta^T (lambda^2 I + lambda D + Lambda) eta = 0 of a symmetric problem: its error
 * is the square of that of eta, and it does not suffer from the size of the highest modes. */
static double complex improve(const phx_undamped *undamped, const damped_work *w, double complex lambda,
                              const double complex *eta)
{
    double complex a = 0.0, b = 0.0, c = 0.0;
    for (int i = 0; i < w->f; i++) {
        double complex row = 0.0;
        for (int j = 0; j < w->f; j++)
            row += w->D[(size_t)i * w->f + j] * eta[j];
        a += eta[i] * eta[i];
        b += eta[i] * row;
        if (fabs(undamped->frequency[i]) > undamped->resolution)
            c += undamped->frequency[i] * fabs(undamped->frequency[i]) * eta[i] * eta[i];
    }
    const double complex better = phx_quadratic_root(a, b, c, lambda);
    if (cimag(lambda) == 0.0)
        return cimag(better) == 0.0 ? creal(better) : lambda;
    return cimag(better) > 0.0 ? better : lambda;
}

/* The same with the conjugate vector, theory 11 (9): eta^H D eta = i beta, so with lambda = i omega
 *   a omega^2 + beta omega - c = 0,  a = eta^H eta, c = eta^H Lambda eta,
 * whose root is real where the mode neither grows nor decays. */
static double complex improve_gyroscopic(const phx_undamped *undamped, const damped_work *w, double complex lambda,
                                         const double complex *eta)
{
    double a = 0.0, beta = 0.0, c = 0.0;
    if (fabs(creal(lambda)) > UNDAMPED * cabs(lambda))
        return lambda;
    for (int i = 0; i < w->f; i++) {
        const double square = creal(eta[i]) * creal(eta[i]) + cimag(eta[i]) * cimag(eta[i]);
        double complex row = 0.0;
        for (int j = 0; j < w->f; j++)
            row += w->D[(size_t)i * w->f + j] * eta[j];
        a += square;
        beta += cimag(conj(eta[i]) * row);
        if (fabs(undamped->frequency[i]) > undamped->resolution)
            c += undamped->frequency[i] * fabs(undamped->frequency[i]) * square;
    }
    const double complex omega = phx_quadratic_root(a, beta, -c, cimag(lambda));
    return cimag(omega) == 0.0 && creal(omega) > 0.0 ? creal(omega) * I : lambda;
}

/* Append the mode with coordinates eta to the list. */
static void damped_append(const phx_basis *modes, double complex lambda, const double complex *eta, phx_mode_list *list)
{
    double complex *shape = list->shapes + (size_t)list->count * list->n;
    for (int i = 0; i < modes->n; i++) {
        shape[i] = 0.0;
        for (int j = 0; j < modes->count; j++)
            shape[i] += modes->columns[(size_t)i * modes->count + j] * eta[j];
    }
    list->lambda[list->count++] = lambda;
}

/* Bound of the zero roots under rounding: the resolution of the undamped frequencies plus the rounding of the largest
 * entry of A. */
static double zero_root(const phx_undamped *undamped, const damped_work *w)
{
    static const double AT_SHIFT = 1e-10; /* parts of the shift */
    const int size = w->e + w->f;
    double skew;
    if (w->inverted) /* modes without stiffness alone have such roots */
        return w->e < w->f ? fmax(undamped->resolution, AT_SHIFT * w->sigma) : 0.0;
    return fmax(undamped->resolution, EIGEN_ROUNDING * largest_entry(size, w->A, &skew));
}

/* The roots with im >= 0 that are not zero, in the coordinates of the undamped modes. */
static phx_status damped_collect(phx_context *context, const phx_undamped *undamped, const damped_work *w,
                                 phx_mode_list *roots)
{
    const double zero = zero_root(undamped, w);
    for (int k = 0; k < w->e + w->f; k++) {
        const double complex lambda = w->re[k] + w->im[k] * I;
        if (w->im[k] < 0.0 || cabs(lambda) <= zero)
            continue;
        if (w->gyroscopic && w->im[k] == 0.0 && w->re[k] < 0.0) /* the mirror image of an unstable one */
            continue;
        if (!isfinite(w->re[k]) || !isfinite(w->im[k]))
            return phx_fail(context, PHX_ERR_ANALYSIS, "modes: a root of the damped system is not finite");
        double complex *eta = roots->shapes + (size_t)roots->count * w->f;
        coordinates(w, k, lambda, eta);
        roots->lambda[roots->count++] = w->symmetric    ? improve(undamped, w, lambda, eta)
                                        : w->gyroscopic ? improve_gyroscopic(undamped, w, lambda, eta)
                                                        : lambda;
    }
    return PHX_OK;
}

/* Roots and shapes of a damped or gyroscopic system in the coordinates of its undamped modes; list receives the `count`
 * lowest (0: all), *rigid the number of rigid modes. */
phx_status phx_linear_damped(phx_context *context, const phx_linear *linear, const phx_modes_options *options,
                             const phx_undamped *undamped, int count, int *rigid, phx_mode_list *list)
{
    damped_work w = {0};
    phx_mode_list roots = {0};
    int *order = NULL;
    phx_status status = damped_prepare(context, linear, options, undamped, &w);
    if (status)
        goto cleanup;
    damped_fill(undamped, &w);
    const int size = w.e + w.f;
    *rigid = w.f - w.e;
    if (size > 0)
        status = find_roots(context, undamped, options->count, &w);
    if (!status)
        status = phx_mode_list_create(context, w.f, size, &roots);
    if (!status)
        status = damped_collect(context, undamped, &w, &roots);
    if (status)
        goto cleanup;

    if (count <= 0 || count > roots.count)
        count = roots.count;
    order = phx_calloc(context, (size_t)roots.count, sizeof *order);
    status = order ? phx_mode_list_create(context, undamped->modes.n, count, list) : PHX_ERR_MEMORY;
    if (status)
        goto cleanup;
    phx_mode_list_order(&roots, order);
    for (int k = 0; k < count; k++)
        damped_append(&undamped->modes, roots.lambda[order[k]], roots.shapes + (size_t)order[k] * w.f, list);
cleanup:
    damped_work_free(&w);
    phx_mode_list_free(&roots);
    phx_free(order);
    return status;
}
