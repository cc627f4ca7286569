#include "support.h"

#include <math.h>
#include <string.h>

void check_close(const char *file, int line, double got, double want, double tol, const char *format, ...)
{
    if (fabs(got - want) <= tol)
        return;
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    print_error("%s:%d: %s: %.17g, expected %.17g, residual %.3e, tolerance %.3e\n", file, line, what, got, want,
                fabs(got - want), tol);
    _fail(file, line);
}

void check_status(const char *file, int line, const phx_context *context, phx_status status, phx_status expected)
{
    if (status == expected)
        return;
    print_error("%s:%d: status \"%s\", expected \"%s\"; message: %s\n", file, line, phx_status_text(status),
                phx_status_text(expected), phx_context_message(context));
    _fail(file, line);
}

/* One way: what `a` stores is in `b`. */
static void check_contained(const char *file, int line, const phx_csr *a, const phx_csr *b, const char *what)
{
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const int at = phx_csr_find(b, i, a->idx[k]);
            const double other = at < 0 ? 0.0 : b->val[at];
            if (a->val[k] == other)
                continue;
            print_error("%s:%d: %s(%d,%d): %.17g and %.17g differ by %.3e\n", file, line, what, i, a->idx[k], a->val[k],
                        other, fabs(a->val[k] - other));
            _fail(file, line);
        }
    }
}

void check_same(const char *file, int line, const phx_csr *a, const phx_csr *b, const char *what)
{
    if (a->rows != b->rows || a->cols != b->cols) {
        print_error("%s:%d: %s is %d x %d and %d x %d\n", file, line, what, a->rows, a->cols, b->rows, b->cols);
        _fail(file, line);
    }
    check_contained(file, line, a, b, what);
    check_contained(file, line, b, a, what);
}

void check_message(const phx_context *context, const char *text)
{
    if (strstr(phx_context_message(context), text))
        return;
    print_error("the message \"%s\" does not contain \"%s\"\n", phx_context_message(context), text);
    fail();
}

int context_setup(void **state)
{
    phx_context *context = NULL;
    if (phx_context_create(&context) != PHX_OK)
        return -1;
    *state = context;
    return 0;
}

int context_teardown(void **state)
{
    phx_context_destroy(*state);
    return 0;
}

double random_value(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

void random_vector(uint64_t *seed, int n, double scale, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = scale * random_value(seed);
}

double dot_product(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
