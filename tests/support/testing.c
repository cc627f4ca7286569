#include "support/testing.h"

/* Print "file:line: what" with what is formatted, cut where it is too long. */
static void print_place(const char *file, int line, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
static void print_place(const char *file, int line, const char *format, va_list arguments)
{
    char what[256];
    vsnprintf(what, sizeof what, format, arguments);
    print_error("%s:%d: %s: ", file, line, what);
}

void check_close(const char *file, int line, double got, double want, double tol, const char *format, ...)
{
    if (fabs(got - want) <= tol)
        return;
    va_list arguments;
    va_start(arguments, format);
    print_place(file, line, format, arguments);
    va_end(arguments);
    print_error("%.17g, expected %.17g, residual %.3e, tolerance %.3e\n", got, want, fabs(got - want), tol);
    _fail(file, line);
}

void check_between(const char *file, int line, double value, double low, double high, const char *format, ...)
{
    if (value >= low && value <= high)
        return;
    va_list arguments;
    va_start(arguments, format);
    print_place(file, line, format, arguments);
    va_end(arguments);
    print_error("%.17g is not in [%g, %g]\n", value, low, high);
    _fail(file, line);
}

void check_vector(const char *file, int line, int n, const double *got, const double *want, double tol,
                  const char *format, ...)
{
    const double bound = tol * fmax(1.0, max_abs(n, want));
    for (int i = 0; i < n; i++) {
        if (fabs(got[i] - want[i]) <= bound)
            continue;
        va_list arguments;
        va_start(arguments, format);
        print_place(file, line, format, arguments);
        va_end(arguments);
        print_error("entry %d of %d: %.17g, expected %.17g, residual %.3e, tolerance %.3e\n", i, n, got[i], want[i],
                    fabs(got[i] - want[i]), bound);
        _fail(file, line);
    }
}

void check_status(const char *file, int line, const phx_context *context, phx_status status, phx_status expected)
{
    if (status == expected)
        return;
    print_error("%s:%d: status \"%s\", expected \"%s\"; message: %s\n", file, line, phx_status_text(status),
                phx_status_text(expected), phx_context_message(context));
    _fail(file, line);
}

void check_text(const char *file, int line, const char *text, const char *part)
{
    if (strstr(text, part))
        return;
    print_error("%s:%d: \"%s\" does not say \"%s\"\n", file, line, text, part);
    _fail(file, line);
}

int context_setup(void **state)
{
    phx_context *context = NULL;
    const phx_status status = phx_context_create(&context);
    *state = context;
    return status;
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

double max_abs(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= largest))
            largest = fabs(x[i]);
    return largest;
}

double dot_product(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
