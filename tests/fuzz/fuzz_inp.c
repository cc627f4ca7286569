/* Any bytes as an input deck of Abaqus or CalculiX. */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh("/nowhere/m.inp", data, size);
    return 0;
}
