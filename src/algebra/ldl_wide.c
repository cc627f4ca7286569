/* Solutions with L D L^T for several right-hand sides side by side; widths that matter are compiled with the number
 * known. */
#include "ldl.h"

static inline void solve(const phx_ldl_factors *ldl, const int width, double *x)
{
    for (int i = 0; i < ldl->n; i++) {
        double *restrict own = x + (size_t)i * (size_t)width;
        for (int e = ldl->ptr[i]; e < ldl->ptr[i + 1]; e++) {
            const double *restrict other = x + (size_t)ldl->idx[e] * (size_t)width, l = ldl->val[e];
            for (int c = 0; c < width; c++)
                own[c] -= l * other[c];
        }
    }
    for (int i = ldl->n; i-- > 0;) {
        double *restrict own = x + (size_t)i * (size_t)width;
        for (int c = 0; c < width; c++)
            own[c] *= ldl->inverse[i];
    }
    for (int i = ldl->n; i-- > 0;) {
        const double *restrict own = x + (size_t)i * (size_t)width;
        for (int e = ldl->ptr[i]; e < ldl->ptr[i + 1]; e++) {
            double *restrict other = x + (size_t)ldl->idx[e] * (size_t)width;
            const double l = ldl->val[e];
            for (int c = 0; c < width; c++)
                other[c] -= l * own[c];
        }
    }
}

#ifdef __AVX2__
void phx_ldl_solve_avx2(const phx_ldl_factors *ldl, int width, double *x)
#else
void phx_ldl_solve_any(const phx_ldl_factors *ldl, int width, double *x)
#endif
{
    switch (width) {
    case 1:
        solve(ldl, 1, x);
        break;
    case 3:
        solve(ldl, 3, x);
        break;
    case 4:
        solve(ldl, 4, x);
        break;
    case 12:
        solve(ldl, 12, x);
        break;
    default:
        solve(ldl, width, x);
    }
}
