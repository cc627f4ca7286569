/* Shared by the tests of layer statespace. */
#ifndef PHLEXOR_TESTS_STATESPACE_SUPPORT_H
#define PHLEXOR_TESTS_STATESPACE_SUPPORT_H

#include <phlexor/statespace.h>

#include "support/testing.h"

/* Fail unless every entry is bitwise the same number. */
#define CHECK_SAME(a, b, what) check_same(__FILE__, __LINE__, (a), (b), (what))
void check_same(const char *file, int line, const phx_csr *a, const phx_csr *b, const char *what);

#endif
