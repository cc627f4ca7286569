/* An importer of FMUs for the tests: unpacks them, loads their shared object and calls it in the order of the standard.
 */
#ifndef PHX_TESTS_FMU_IMPORTER_H
#define PHX_TESTS_FMU_IMPORTER_H

#include "fmi/fmi.h"
#include "support/testing.h"

#define POINTER(result, name, arguments) name##TYPE *name;
typedef struct importer {
    char folder[512];  /* where it is unpacked */
    char *description; /* modelDescription.xml */
    void *library;
    FMI2_COMMON(POINTER)
    FMI2_MODEL_EXCHANGE(POINTER)
    FMI2_CO_SIMULATION(POINTER)
    FMI3_FUNCTIONS(POINTER)
    char resources[600], uri[620], token[64], identifier[80];
    char log[4000]; /* messages so far */
} importer;
#undef POINTER

/* `platform`: "linux64" or "x86_64-linux". Fails the test when a function is missing. */
void importer_open(importer *it, const char *path, const char *platform);
void importer_close(importer *it);
/* Value of the attribute `name` of the first element that contains `mark`; false: there is none. */
bool importer_attribute(const importer *it, const char *mark, const char *name, size_t size, char *value);
/* The value reference of a variable; fails the test when it is not there. */
unsigned importer_variable(const importer *it, const char *name);

fmi2Component importer_make2(importer *it, const char *name);
fmi3Instance importer_make3(importer *it, const char *name);
/* The same for model exchange. */
fmi2Component importer_exchange2(importer *it, const char *name);
fmi3Instance importer_exchange3(importer *it, const char *name);
/* Made and initialized at t = 0. */
fmi2Component importer_start2(importer *it, const char *name);
fmi3Instance importer_start3(importer *it, const char *name);

#endif
