/* Any bytes as a file .msh of Gmsh. */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh("/nowhere/m.msh", data, size);
    return 0;
}
