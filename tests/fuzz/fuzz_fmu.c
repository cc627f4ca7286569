/* Any bytes as the description of an FMU or, when they begin as an archive does, as an FMU: it is refused with a
 * message or has a description. */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "importer/importer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop(const char *what)
{
    fprintf(stderr, "fuzz_fmu: %s\n", what);
    abort();
}

static phx_status read_description(phx_context *context, const char *bytes, size_t size)
{
    phx_fmu_model model;
    const phx_status status = phx_fmu_read_model(context, bytes, size, &model);

    if (!status && (model.version < 2 || model.version > 3))
        stop("an unknown version");
    for (int k = 0; k < model.n_variables && !status; k++)
        if (!model.variables[k].name)
            stop("a variable without a name");
    if (!status)
        phx_fmu_free_model(&model);
    return status;
}

static phx_status open_archive(phx_context *context, const uint8_t *data, size_t size)
{
    char path[] = "/tmp/phlexor-fuzz-XXXXXX";
    phx_fmu_component *component = NULL;
    const int file = mkstemp(path);

    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file))
        stop("the archive cannot be written");
    const phx_status status = phx_fmu_component_create(context, path, &component);
    phx_fmu_component_destroy(component);
    (void)remove(path);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    phx_context *context = NULL;

    if (phx_context_create(&context))
        return 0;
    const bool archive = size > 2 && !memcmp(data, "PK", 2);
    const phx_status status =
        archive ? open_archive(context, data, size) : read_description(context, (const char *)data, size);
    if (status && status != PHX_ERR_INPUT)
        stop(phx_context_message(context));
    if (status && !phx_context_message(context)[0])
        stop("a refusal without a message");
    phx_context_destroy(context);
    return 0;
}
