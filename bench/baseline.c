#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include <klu.h>

#include "timing.h"

typedef struct problem {
    int n, *ptr, *idx, *order;
    double *val, *x;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
} problem;

static bool refactor(void *user)
{
    problem *p = user;
    return klu_refactor(p->ptr, p->idx, p->val, p->symbolic, p->numeric, &p->common);
}

static bool solve(void *user)
{
    problem *p = user;
    return klu_tsolve(p->symbolic, p->numeric, p->n, 1, p->x, &p->common);
}

static void *duplicate(const void *from, size_t bytes)
{
    void *copy = malloc(bytes);
    if (copy)
        memcpy(copy, from, bytes);
    return copy;
}

bool baseline_measure(int n, const int *ptr, const int *idx, const int *order, const double *val, baseline *result)
{
    const size_t size = (size_t)n, entries = (size_t)ptr[n];
    problem p = {.n = n,
                 .ptr = duplicate(ptr, (size + 1) * sizeof *ptr),
                 .idx = duplicate(idx, entries * sizeof *idx),
                 .order = duplicate(order, size * sizeof *order),
                 .val = duplicate(val, entries * sizeof *val),
                 .x = calloc(size, sizeof *p.x)};
    bool done = p.ptr && p.idx && p.order && p.val && p.x && klu_defaults(&p.common);

    for (int i = 0; done && i < n; i++)
        p.x[i] = 1.0;
    if (done) { /* the settings of Phlexor: given order, columns scaled by their largest entry, diagonal preferred */
        p.common.btf = 0;
        p.common.scale = 2;
        p.symbolic = klu_analyze_given(n, p.ptr, p.idx, p.order, p.order, &p.common);
        p.numeric = p.symbolic ? klu_factor(p.ptr, p.idx, p.val, p.symbolic, &p.common) : NULL;
        done = p.numeric != NULL;
    }
    if (done) {
        result->refactor = bench_least_time(&p, refactor);
        result->solve = bench_least_time(&p, solve);
        result->fill = p.numeric->lnz + p.numeric->unz;
        done = result->refactor > 0.0 && result->solve > 0.0;
    }
    if (p.numeric)
        klu_free_numeric(&p.numeric, &p.common);
    if (p.symbolic)
        klu_free_symbolic(&p.symbolic, &p.common);
    free(p.ptr);
    free(p.idx);
    free(p.order);
    free(p.val);
    free(p.x);
    return done;
}
