/* Krylov spaces of the quadratic problem of a damped or gyroscopic system about a real shift.
 *
 * State z = (x, y), y = lambda x:
 *
 *     E z' = A z,   E = | I  0 |   A = |  0   I |   S = (A - sigma E)^-1 E,   S z = theta z,   theta = 1/(lambda -
 * sigma) | 0  M |       | -K  -D |
 *
 * (x', y') = S (f, g) takes one solution with the saddle-point matrix of Q(sigma) = sigma^2 M + sigma D + K:
 *
 *     | Q(sigma)  G^T | | x' |     | -M g - (D + sigma M) f |
 *     | G         0   | | mu |  =  |  0                     |      y' = f + sigma x'
 *
 * The space belongs to a block of start vectors: the vectors of the basis are multiplied one after the other, and each
 * product is orthogonalised against the basis. A root of several vectors is found as often as the start vectors are
 * independent in its eigenspace. The basis is orthonormal in scale^2 x^T M x + y^T M y. */
#include <math.h>
#include <string.h>

#include "krylov.h"

enum { TRIES = 8 };

/* A product of smaller relative length after orthogonalisation is rounding. */
static const double negligible = 1e-11;
/* Rounding of all values theta, relative to the largest. */
static const double rounding = 1e-14;

void phx_krylov_free(phx_krylov *space)
{
    phx_free(space->basis);
    phx_free(space->product);
    phx_free(space->work);
    phx_free(space->lambda);
    phx_free(space->error);
    phx_free(space->vectors);
    *space = (phx_krylov){0};
}

phx_status phx_krylov_factor(phx_krylov *space)
{
    const phx_linear *linear = space->large->linear;
    return phx_kkt_factor_quadratic(space->kkt, &linear->M, &linear->D, &space->large->K, &space->large->G,
                                    (double complex)space->sigma);
}

/* Prepares a Krylov space of at most `room` vectors about the real shift sigma and factors there; the shift is moved
 * slightly if it meets a root. */
phx_status phx_krylov_begin(phx_context *context, const phx_large *large, phx_kkt *kkt, double sigma, double scale,
                            int room, phx_krylov *space)
{
    static const double ASIDE = 1e-7;       /* of the shift: how far it moves at first */
    static const double LEAST_SHIFT = 1e-3; /* of the scale: a smaller shift moves by parts of this */
    const phx_linear *linear = large->linear;
    const size_t n = (size_t)linear->n, size = n + (size_t)large->G.rows, most = (size_t)room;

    memset(space, 0, sizeof *space);
    space->context = context;
    space->large = large;
    space->kkt = kkt;
    space->n = linear->n;
    space->room = room;
    space->scale = scale;
    space->seed = 1;
    space->basis = phx_calloc(context, most * 2 * n, sizeof *space->basis);
    space->product = phx_calloc(context, most * most, sizeof *space->product);
    space->work = phx_calloc(context, 4 * n + size + most, sizeof *space->work);
    space->lambda = phx_calloc(context, most, sizeof *space->lambda);
    space->error = phx_calloc(context, most, sizeof *space->error);
    space->vectors = phx_calloc(context, 2 * most * most, sizeof *space->vectors);
    if (!space->basis || !space->product || !space->work || !space->lambda || !space->error || !space->vectors)
        return PHX_ERR_MEMORY;
    phx_status status = PHX_SINGULAR;
    for (int k = 0; k < TRIES && status == PHX_SINGULAR; k++) { /* a root sits at the shift */
        space->sigma = sigma + ASIDE * k * k * fmax(fabs(sigma), LEAST_SHIFT * scale);
        status = phx_krylov_factor(space);
    }
    return status;
}

/* out (2n) = S in */
static phx_status krylov_multiply(phx_krylov *space, const double *in, double *out)
{
    const phx_linear *linear = space->large->linear;
    const int n = space->n;
    double *sum = space->work, *rhs = space->work + 4 * n;

    for (int i = 0; i < n; i++)
        sum[i] = in[n + i] + space->sigma * in[i];
    memset(rhs, 0, (size_t)(n + space->large->G.rows) * sizeof *rhs);
    phx_csr_apply(&linear->M, -1.0, sum, rhs);
    phx_csr_apply(&linear->D, -1.0, in, rhs);
    const phx_status status = phx_lu_solve(space->kkt->lu, 1, rhs);
    for (int i = 0; i < n && !status; i++) {
        out[i] = rhs[i];
        out[n + i] = in[i] + space->sigma * rhs[i];
    }
    return status;
}

/* weighed (2n) = (scale^2 M x, M y); returns the norm of (x, y). */
static double krylov_weigh(const phx_krylov *space, const double *z, double *weighed)
{
    const int n = space->n;
    double square = 0.0;

    memset(weighed, 0, 2 * (size_t)n * sizeof *weighed);
    phx_csr_apply(&space->large->linear->M, space->scale * space->scale, z, weighed);
    phx_csr_apply(&space->large->linear->M, 1.0, z + n, weighed + n);
    for (int i = 0; i < 2 * n; i++)
        square += z[i] * weighed[i];
    return sqrt(fmax(square, 0.0));
}

/* Appends z, which stands behind the basis, made orthonormal to it. h (room; may be NULL) gets its components. */
static void krylov_append(phx_krylov *space, double *h)
{
    const size_t N = 2 * (size_t)space->n;
    double *z = space->basis + (size_t)space->count * N, *weighed = space->work + N;
    const double before = krylov_weigh(space, z, weighed);
    double after = before;

    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < space->count; k++) {
            const double *v = space->basis + (size_t)k * N;
            double along = 0.0;
            for (size_t i = 0; i < N; i++)
                along += v[i] * weighed[i];
            space->work[2 * N + (size_t)(space->n + space->large->G.rows) + (size_t)k] = along;
        }
        for (int k = 0; k < space->count; k++) {
            const double *v = space->basis + (size_t)k * N;
            const double along = space->work[2 * N + (size_t)(space->n + space->large->G.rows) + (size_t)k];
            for (size_t i = 0; i < N; i++)
                z[i] -= along * v[i];
            if (h)
                h[(size_t)k * (size_t)space->room] += along;
        }
        after = krylov_weigh(space, z, weighed);
    }
    if (!(after > negligible * before))
        return;
    for (size_t i = 0; i < N; i++)
        z[i] /= after;
    if (h)
        h[(size_t)space->count * (size_t)space->room] = after;
    space->count++;
}

void phx_krylov_start(phx_krylov *space, const double *x, int stride, bool velocity)
{
    const size_t n = (size_t)space->n;

    if (space->count >= space->room)
        return;
    double *z = space->basis + (size_t)space->count * 2 * n;
    memset(z, 0, 2 * n * sizeof *z);
    for (size_t i = 0; i < n; i++)
        z[(velocity ? n : 0) + i] = x[i * (size_t)stride];
    krylov_append(space, NULL);
}

/* Appends a reproducible pseudo-random start vector after one multiplication by S; nothing if the space is full. */
phx_status phx_krylov_start_random(phx_krylov *space)
{
    const int n = space->n;
    double *in = space->work + 2 * n;

    if (space->count >= space->room)
        return PHX_OK;
    memset(in, 0, 2 * (size_t)n * sizeof *in);
    for (int i = 0; i < n; i++) {
        space->seed = space->seed * 6364136223846793005u + 1442695040888963407u;
        in[n + i] = (double)(space->seed >> 11) / 9007199254740992.0 - 0.5;
    }
    const phx_status status = krylov_multiply(space, in, space->basis + (size_t)space->count * 2 * (size_t)n);
    if (!status)
        krylov_append(space, NULL);
    return status;
}

phx_status phx_krylov_extend(phx_krylov *space, int done)
{
    const size_t N = 2 * (size_t)space->n;
    phx_status status = PHX_OK;

    while (!status && space->done < done && space->done < space->count && space->count < space->room) {
        status =
            krylov_multiply(space, space->basis + (size_t)space->done * N, space->basis + (size_t)space->count * N);
        if (!status)
            krylov_append(space, space->product + space->done);
        space->done++;
    }
    return status;
}

/* Roots lambda = sigma + 1/theta of the projected problem and their error bounds from the residuals in the Krylov
 * space. */
phx_status phx_krylov_roots(phx_krylov *space)
{
    const int p = space->done;
    double *work = phx_calloc(space->context, (size_t)p * (size_t)(p + 2), sizeof *work);
    if (!work)
        return PHX_ERR_MEMORY;
    double *H = work, *re = work + (size_t)p * (size_t)p, *im = re + p;
    for (int i = 0; i < p; i++)
        memcpy(H + (size_t)i * (size_t)p, space->product + (size_t)i * (size_t)space->room, (size_t)p * sizeof *H);
    const phx_status status = phx_dense_eigen_general(space->context, p, H, NULL, re, im, space->vectors);
    double largest = 0.0;
    for (int k = 0; k < p && !status; k++)
        largest = fmax(largest, hypot(re[k], im[k]));
    for (int k = 0; k < p && !status; k++) {
        const double complex theta = re[k] + im[k] * I;
        double square = 0.0;
        for (int i = p; i < space->count; i++) { /* |S z - theta z| of the unit vector z */
            double complex sum = 0.0;
            for (int j = 0; j < p; j++) {
                const double *y = space->vectors + 2 * ((size_t)j * (size_t)p + (size_t)k);
                sum += space->product[(size_t)i * (size_t)space->room + (size_t)j] * (y[0] + y[1] * I);
            }
            square += creal(conj(sum) * sum);
        }
        space->lambda[k] = theta == 0.0 ? HUGE_VAL : space->sigma + 1.0 / theta;
        space->error[k] = theta == 0.0 ? HUGE_VAL : (sqrt(square) + rounding * largest) / creal(conj(theta) * theta);
    }
    phx_free(work);
    return status;
}

/* Shape of root k in the physical coordinates, real and imaginary part, with an arbitrary factor. */
void phx_krylov_shape(const phx_krylov *space, int k, double *re, double *im)
{
    const size_t n = (size_t)space->n, p = (size_t)space->done;
    /* x, or y/lambda where it is larger; a factor does not matter */
    const size_t from = cabs(space->lambda[k]) > space->scale ? n : 0;

    memset(re, 0, n * sizeof *re);
    memset(im, 0, n * sizeof *im);
    for (size_t j = 0; j < p; j++) {
        const double *y = space->vectors + 2 * (j * p + (size_t)k), *v = space->basis + j * 2 * n + from;
        for (size_t i = 0; i < n; i++) {
            re[i] += y[0] * v[i];
            im[i] += y[1] * v[i];
        }
    }
}
