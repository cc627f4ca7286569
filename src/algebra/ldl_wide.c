/* Solutions with L D L^T for several right-hand sides side by side; widths that matter are compiled with the number
 * known. */
#include "ldl.h"

enum { MOST = 24 };

/* own -= sum of the factors times what stands at their places; nothing is read back that was just written. */
static inline void ldl_wide_subtract(const int width, int first, int last, const int *idx, const double *val,
                                     const double *x, double *restrict own)
{
    double sum[MOST];

    for (int c = 0; c < width; c++)
        sum[c] = own[c];
    for (int e = first; e < last; e++) {
        const double *other = x + (size_t)idx[e] * (size_t)width, l = val[e];
        for (int c = 0; c < width; c++)
            sum[c] -= l * other[c];
    }
    for (int c = 0; c < width; c++)
        own[c] = sum[c];
}

/* `width` <= MOST columns. */
static inline void ldl_wide_solve(const phx_ldl_factors *ldl, const int width, double *x)
{
    for (int i = 0; i < ldl->n; i++)
        ldl_wide_subtract(width, ldl->ptr[i], ldl->ptr[i + 1], ldl->idx, ldl->val, x, x + (size_t)i * (size_t)width);
    for (int i = ldl->n; i-- > 0;) {
        double *own = x + (size_t)i * (size_t)width;
        for (int c = 0; c < width; c++)
            own[c] *= ldl->inverse[i];
        ldl_wide_subtract(width, ldl->column_ptr[i], ldl->column_ptr[i + 1], ldl->column_idx, ldl->column_val, x, own);
    }
}

/* Any width, a column after the other. */
static void solve_any(const phx_ldl_factors *ldl, int width, double *x)
{
    for (int c = 0; c < width; c++) {
        for (int i = 0; i < ldl->n; i++)
            for (int e = ldl->ptr[i]; e < ldl->ptr[i + 1]; e++)
                x[i * width + c] -= ldl->val[e] * x[ldl->idx[e] * width + c];
        for (int i = ldl->n; i-- > 0;) {
            x[i * width + c] *= ldl->inverse[i];
            for (int e = ldl->column_ptr[i]; e < ldl->column_ptr[i + 1]; e++)
                x[i * width + c] -= ldl->column_val[e] * x[ldl->column_idx[e] * width + c];
        }
    }
}

#if defined PHX_FOR_AVX512
void phx_ldl_solve_avx512(const phx_ldl_factors *ldl, int width, double *x)
#elif defined PHX_FOR_AVX2
void phx_ldl_solve_avx2(const phx_ldl_factors *ldl, int width, double *x)
#else
/* The solution for any processor, with loops unrolled for the widths that occur. */
void phx_ldl_solve_any(const phx_ldl_factors *ldl, int width, double *x)
#endif
{
    switch (width) {
    case 1:
        ldl_wide_solve(ldl, 1, x);
        break;
    case 3:
        ldl_wide_solve(ldl, 3, x);
        break;
    case 4:
        ldl_wide_solve(ldl, 4, x);
        break;
    case 8:
        ldl_wide_solve(ldl, 8, x);
        break;
    case 12:
        ldl_wide_solve(ldl, 12, x);
        break;
    case 24:
        ldl_wide_solve(ldl, 24, x);
        break;
    default:
        solve_any(ldl, width, x);
    }
}
