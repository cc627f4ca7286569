/* Four numbers side by side, one of each of four things that are alike. */
#ifndef PHX_SIMD_KERNEL_H
#define PHX_SIMD_KERNEL_H

typedef double simd_double __attribute__((vector_size(32), aligned(8), may_alias));

/* Four rows of four numbers become four columns; `to` may be `from`. */
static inline void transpose(const simd_double *from, simd_double *to)
{
    const simd_double a = __builtin_shufflevector(from[0], from[1], 0, 4, 2, 6),
                      b = __builtin_shufflevector(from[0], from[1], 1, 5, 3, 7),
                      c = __builtin_shufflevector(from[2], from[3], 0, 4, 2, 6),
                      d = __builtin_shufflevector(from[2], from[3], 1, 5, 3, 7);

    to[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    to[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    to[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    to[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#endif
