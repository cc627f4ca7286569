/* Inverse iteration of a subspace (subspace.h). */
#include "subspace.h"

#include <math.h>
#include <string.h>

/* Creates a subspace of at most `width` vectors for inverse iteration with the operator `apply`, started with
 * deterministic vectors. */
phx_status phx_subspace_create(const statics *s, int width, subspace_fn *apply, const void *user, bool of_stiffness,
                               subspace *e)
{
    const int freedom = s->e.n_v - s->e.n_l;

    *e = (subspace){
        .width = width < freedom ? width : freedom, .apply = apply, .user = user, .of_stiffness = of_stiffness};
    const size_t w = (size_t)e->width, n = (size_t)s->e.n, n_v = (size_t)s->e.n_v;
    const phx_array arrays[] = {{&e->Z, w * n},  {&e->Y, w * n},       {&e->A, w * w},  {&e->B, w * w},
                                {&e->values, w}, {&e->vectors, w * w}, {&e->applied, n}};
    const phx_status status = phx_arrays_create(s->context, sizeof arrays / sizeof *arrays, arrays);
    for (size_t c = 0; c < w && !status; c++)
        for (size_t i = 0; i < n_v; i++)
            e->Z[c * n + i] = sin(1.0 + 0.7 * (double)i + 1.3 * (double)(c * i)) / s->scale.force[i];
    return status;
}

void phx_subspace_destroy(subspace *e)
{
    double *arrays[] = {e->Z, e->Y, e->A, e->B, e->values, e->vectors, e->applied};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
}

/* One step of subspace iteration: Y <- K^-1 S Z, columns normalised by K or S. */
static phx_status subspace_advance(const statics *s, subspace *e)
{
    const size_t n = (size_t)s->e.n;
    phx_status status = PHX_OK;

    for (size_t c = 0; c < (size_t)e->width && !status; c++) {
        double *y = e->Y + c * n, square;
        e->apply(s, e->user, e->Z + c * n, y);
        status = phx_statics_solve(s, y);
        if (e->of_stiffness) {
            e->apply(s, e->user, y, e->applied);
            square = phx_dot(s->e.n_v, y, e->applied);
        } else {
            square = phx_statics_K_product(s, y, y);
        }
        const double length = sqrt(fmax(square, 0.0));
        for (size_t i = 0; i < n && length > 0.0; i++)
            y[i] /= length;
    }
    return status;
}

/* One inverse iteration with the Rayleigh-Ritz projection on the subspace: updates vectors and eigenvalues. */
phx_status phx_subspace_iterate(const statics *s, subspace *e)
{
    static const double REGULAR = 1e-14; /* on the diagonal of B, so that it stays positive definite */
    const size_t n = (size_t)s->e.n, w = (size_t)e->width;
    double *of_S = e->of_stiffness ? e->B : e->A, *of_K = e->of_stiffness ? e->A : e->B;
    phx_status status = subspace_advance(s, e);

    for (size_t c = 0; c < w && !status; c++) {
        e->apply(s, e->user, e->Y + c * n, e->applied);
        for (size_t r = 0; r < w; r++) {
            of_S[r * w + c] = phx_dot(s->e.n_v, e->Y + r * n, e->applied);
            of_K[r * w + c] = phx_statics_K_product(s, e->Y + r * n, e->Y + c * n);
        }
        e->B[c * w + c] += REGULAR;
    }
    if (!status)
        status = phx_dense_eigen_symmetric(s->context, e->width, e->A, e->B, e->values, e->vectors);
    if (!status)
        phx_dense_multiply(true, false, e->width, (int)n, e->width, 1.0, e->vectors, e->width, e->Y, (int)n, 0.0, e->Z,
                           (int)n);
    return status;
}
