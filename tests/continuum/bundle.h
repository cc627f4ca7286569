/* Several small files in one text, for tests that damage them and for the fuzzer: each begins with a line
 * "#!file NAME". */
#ifndef PHLEXOR_TESTS_CONTINUUM_BUNDLE_H
#define PHLEXOR_TESTS_CONTINUUM_BUNDLE_H

#include "continuum/continuum.h"

enum { BUNDLE_MOST_FILES = 8, BUNDLE_NAME = 32 };

typedef struct bundle {
    int n_files;
    char name[BUNDLE_MOST_FILES][BUNDLE_NAME];
    const char *data[BUNDLE_MOST_FILES]; /* in the text given */
    size_t size[BUNDLE_MOST_FILES];
} bundle;
/* Files with names that lead elsewhere are left out. */
void bundle_split(const char *data, size_t size, bundle *files);
/* To the working directory, and away again. */
void bundle_write(const bundle *files);
void bundle_remove(const bundle *files);
phx_status bundle_import(phx_context *context, const bundle *files, phx_elastic_model **model);
/* The fault of a model of the reader; NULL: none. */
const char *bundle_model_fault(const phx_elastic_model *model);

#endif
