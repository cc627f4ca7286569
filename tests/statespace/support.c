#include "support.h"
#include "algebra/algebra.h"

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
