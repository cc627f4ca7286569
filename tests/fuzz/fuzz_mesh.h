/* Shared by the fuzzers of mesh files. */
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include <stddef.h>
#include <stdint.h>

/* Any bytes as a file of this name, in a folder that does not exist: a message that names it, or a sound mesh. */
void fuzz_mesh(const char *path, const uint8_t *data, size_t size);

#endif
