/* States of beams computed by an independent program, tests/data/beam_vectors.json: a list of flat objects. Whatever is
 * missing fails the test. */
#ifndef PHLEXOR_TESTS_SUPPORT_VECTORS_H
#define PHLEXOR_TESTS_SUPPORT_VECTORS_H

#include "testing.h"

/* The text of a file of tests/data, of beam_vectors.json; free with test_free. */
char *vectors_text(const char *name);
char *vectors_read(void);
/* The next object of the text, which is cut there; NULL at its end. */
char *vectors_next(char **text);
/* A number or a list of them; exactly n. */
void vectors_numbers(const char *object, const char *key, int n, double *value);
double vectors_number(const char *object, const char *key);
bool vectors_value_is(const char *object, const char *key, const char *word);

#endif
