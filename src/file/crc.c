/* CRC-32 of zlib and of IEEE 802.3, sixteen bytes at once where the processor multiplies polynomials. */
#include "crc.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <smmintrin.h>
#include <wmmintrin.h>

/* Bits are reflected: the first bit of the first byte has the highest power of x. Two polynomials of 64 bits that stand
 * k bits ahead of the data are folded into it by their products with x^(k + 64) and x^k, modulo the generator
 *     P = x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1
 * (V. Gopal and others: Fast CRC computation for generic polynomials using PCLMULQDQ, Intel 2009). */
static const long long ahead_512[2] = {0x154442bd4, 0x1c6e41596}, ahead_128[2] = {0x1751997d0, 0x0ccaa009e},
                       ahead_64[2] = {0x163cd6124, 0}, barrett[2] = {0x1db710641, 0x1f7011641}; /* P, x^64 / P */

#define FOLDS __attribute__((target("pclmul,sse4.1")))

FOLDS static inline __m128i load(const void *bytes)
{
    return _mm_loadu_si128((const __m128i *)bytes);
}

/* `sum` ahead of `data` by what `by` says, folded into it */
FOLDS static inline __m128i fold(__m128i sum, __m128i by, __m128i data)
{
    const __m128i low = _mm_clmulepi64_si128(sum, by, 0x00), high = _mm_clmulepi64_si128(sum, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), data);
}

/* count: a multiple of 16, 64 at least; `sum` without the complement that a CRC has */
FOLDS static unsigned folded(unsigned sum, const unsigned char *bytes, size_t count)
{
    const __m128i low = _mm_setr_epi32(-1, 0, -1, 0), *in = (const __m128i *)(const void *)bytes;
    __m128i by = load(ahead_512), x[4];
    size_t rest = count / 16 - 4;

    for (int k = 0; k < 4; k++)
        x[k] = load(in++);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)sum));
    for (; rest >= 4; rest -= 4)
        for (int k = 0; k < 4; k++)
            x[k] = fold(x[k], by, load(in++));
    by = load(ahead_128);
    for (int k = 1; k < 4; k++)
        x[0] = fold(x[0], by, x[k]);
    for (; rest > 0; rest--)
        x[0] = fold(x[0], by, load(in++));
    /* 128 bits to 64, then the remainder by P */
    x[0] = _mm_xor_si128(_mm_srli_si128(x[0], 8), _mm_clmulepi64_si128(x[0], by, 0x10));
    x[0] = _mm_xor_si128(_mm_srli_si128(x[0], 4), _mm_clmulepi64_si128(_mm_and_si128(x[0], low), load(ahead_64), 0x00));
    by = load(barrett);
    x[1] = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(x[0], low), by, 0x10), low);
    x[0] = _mm_xor_si128(x[0], _mm_clmulepi64_si128(x[1], by, 0x00));
    return (unsigned)_mm_extract_epi32(x[0], 1);
}

static size_t foldable(size_t count)
{
    return count >= 64 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1") ? count - count % 16 : 0;
}
#else
static unsigned folded(unsigned sum, const unsigned char *bytes, size_t count)
{
    (void)bytes, (void)count;
    return sum;
}

static size_t foldable(size_t count)
{
    (void)count;
    return 0;
}
#endif

unsigned long phx_crc32(unsigned long sum, const unsigned char *bytes, size_t count)
{
    const size_t most = (size_t)1 << 30; /* zlib counts by unsigned int */
    const size_t whole = foldable(count);

    if (whole > 0)
        sum = ~folded(~(unsigned)sum, bytes, whole) & 0xFFFFFFFFul;
    for (bytes += whole, count -= whole; count > 0;) {
        const size_t part = count < most ? count : most;
        sum = crc32(sum, bytes, (uInt)part);
        bytes += part;
        count -= part;
    }
    return sum;
}
