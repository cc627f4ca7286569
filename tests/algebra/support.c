/* Random numbers, and allocators that count and fail. */
#include "support.h"
#include "base/base.h"

#include <SuiteSparse_config.h>

/* xorshift64* */
static uint64_t next_bits(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545F4914F6CDD1DULL;
}

double random_number(uint64_t *seed)
{
    return ldexp((double)(next_bits(seed) >> 11), -52) - 1.0;
}

int random_index(uint64_t *seed, int below)
{
    return (int)((next_bits(seed) >> 33) % (uint64_t)below);
}

void random_fill(uint64_t *seed, size_t count, double *values)
{
    for (size_t k = 0; k < count; k++)
        values[k] = random_number(seed);
}

double *new_doubles(size_t count)
{
    double *values = calloc(count > 0 ? count : 1, sizeof(double));
    assert_non_null(values);
    return values;
}

double difference(size_t count, const double *a, const double *b)
{
    double largest = 0.0;
    for (size_t k = 0; k < count; k++) {
        double d = fabs(a[k] - b[k]);
        if (isnan(d))
            return NAN;
        largest = fmax(largest, d);
    }
    return largest;
}

double not_orthonormal(int n, int k, const double *v, const double *w)
{
    double *product = new_doubles((size_t)k * (size_t)k), *identity = new_doubles((size_t)k * (size_t)k);
    reference_product(true, false, k, k, n, v, w, product);
    for (size_t i = 0; i < (size_t)k; i++)
        identity[i * (size_t)k + i] = 1.0;
    double error = difference((size_t)k * (size_t)k, product, identity);
    free(product);
    free(identity);
    return error;
}

void reference_product(bool transpose_a, bool transpose_b, int m, int n, int k, const double *a, const double *b,
                       double *c)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            long double sum = 0.0L;
            for (int p = 0; p < k; p++)
                sum += (long double)(transpose_a ? a[p * m + i] : a[i * k + p]) *
                       (transpose_b ? b[j * k + p] : b[p * n + j]);
            c[i * n + j] = (double)sum;
        }
    }
}

double modulus(bool is_complex, const double *values, int k)
{
    return is_complex ? hypot(values[2 * k], values[2 * k + 1]) : fabs(values[k]);
}

double backward_error(const phx_csr *a, const double *val, bool is_complex, const double *x, const double *b)
{
    double worst = 0.0, size_x = 0.0, *c = new_doubles((size_t)a->cols);
    for (int k = 0; k < a->ptr[a->rows]; k++)
        c[a->idx[k]] = fmax(c[a->idx[k]], modulus(is_complex, val, k));
    for (int j = 0; j < a->cols; j++)
        size_x += c[j] * modulus(is_complex, x, j);
    for (int i = 0; i < a->rows; i++) {
        long double re = 0.0L, im = 0.0L;
        double size_row = 0.0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            int j = a->idx[k];
            long double vr = is_complex ? val[2 * k] : val[k], vi = is_complex ? val[2 * k + 1] : 0.0;
            long double xr = is_complex ? x[2 * j] : x[j], xi = is_complex ? x[2 * j + 1] : 0.0;
            re += vr * xr - vi * xi;
            im += vr * xi + vi * xr;
            size_row = fmax(size_row, modulus(is_complex, val, k) / c[j]);
        }
        re -= is_complex ? b[2 * i] : b[i];
        im -= is_complex ? b[2 * i + 1] : 0.0;
        double error = (double)hypotl(re, im) / (size_row * size_x + modulus(is_complex, b, i));
        worst = isnan(error) ? NAN : fmax(worst, error);
    }
    free(c);
    return worst;
}

/* ---- allocators ---- */
static long outstanding, made, fail_suitesparse = -1;

void *__real_phx_calloc(phx_context *context, size_t count, size_t size);
void __real_phx_free(void *pointer);
void *__wrap_phx_calloc(phx_context *context, size_t count, size_t size);
void __wrap_phx_free(void *pointer);

void *__wrap_phx_calloc(phx_context *context, size_t count, size_t size)
{
    void *pointer = __real_phx_calloc(context, count, size);
    outstanding += pointer != NULL;
    made++;
    return pointer;
}

void __wrap_phx_free(void *pointer)
{
    outstanding -= pointer != NULL;
    __real_phx_free(pointer);
}

/* Shall this allocation of SuiteSparse fail? */
static bool fails(void)
{
    return fail_suitesparse >= 0 && fail_suitesparse-- == 0;
}

static void *counting_malloc(size_t size)
{
    void *pointer = fails() ? NULL : malloc(size);
    outstanding += pointer != NULL;
    made++;
    return pointer;
}

static void *counting_calloc(size_t count, size_t size)
{
    void *pointer = fails() ? NULL : calloc(count, size);
    outstanding += pointer != NULL;
    made++;
    return pointer;
}

static void *counting_realloc(void *old, size_t size)
{
    void *pointer = fails() ? NULL : realloc(old, size);
    outstanding += pointer != NULL && old == NULL;
    made++;
    return pointer;
}

static void counting_free(void *pointer)
{
    outstanding -= pointer != NULL;
    free(pointer);
}

static void count_suitesparse(void)
{
#if SUITESPARSE_MAIN_VERSION >= 7
    SuiteSparse_config_malloc_func_set(counting_malloc);
    SuiteSparse_config_calloc_func_set(counting_calloc);
    SuiteSparse_config_realloc_func_set(counting_realloc);
    SuiteSparse_config_free_func_set(counting_free);
#else
    SuiteSparse_config.malloc_func = counting_malloc;
    SuiteSparse_config.calloc_func = counting_calloc;
    SuiteSparse_config.realloc_func = counting_realloc;
    SuiteSparse_config.free_func = counting_free;
#endif
}

long allocations_made(void)
{
    count_suitesparse();
    return made;
}

void fail_suitesparse_allocation(long n)
{
    count_suitesparse();
    fail_suitesparse = n;
}

/* One run with the n-th allocation failing; true when it came to that. */
static bool run_failing(phx_context *context, allocating_fn *create, long n, bool in_suitesparse)
{
    long before = outstanding;
    if (in_suitesparse)
        fail_suitesparse = n;
    else
        phx_context_fail_allocation(context, n);
    phx_status status = create(context);
    bool failed = in_suitesparse ? fail_suitesparse < 0 : status != PHX_OK;
    fail_suitesparse = -1;
    phx_context_fail_allocation(context, -1);
    const char *place = in_suitesparse ? "SuiteSparse's allocation" : "allocation";
    if (outstanding != before)
        fail_msg("%s %ld fails: %ld blocks leak", place, n, outstanding - before);
    if (!failed && status != PHX_OK)
        fail_msg("%s %ld did not fail, yet the status is %d: %s", place, n, status, phx_context_message(context));
    /* SuiteSparse gets over some failures, by asking for less. */
    if (failed && status != PHX_ERR_MEMORY && !(in_suitesparse && status == PHX_OK))
        fail_msg("%s %ld fails: status %d (%s) instead of out of memory", place, n, status,
                 phx_context_message(context));
    return failed;
}

int fail_each_allocation(phx_context *context, allocating_fn *create)
{
    count_suitesparse();
    int failures = 0;
    for (int in_suitesparse = 0; in_suitesparse < 2; in_suitesparse++)
        for (long n = 0; run_failing(context, create, n, in_suitesparse); n++)
            failures++;
    return failures;
}
