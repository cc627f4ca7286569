/* Any bytes as files of other finite-element programs ("#!file NAME" begins each): the readers refuse them with a
 * message or make a model that is one. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "../continuum/bundle.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop(const char *what)
{
    fprintf(stderr, "fuzz_import: %s\n", what);
    abort();
}

/* A folder for the files, once; the fuzzer's own files are named from where it was started. */
static char folder[] = "/tmp/phlexor-fuzz-XXXXXX";

static void remove_folder(void)
{
    rmdir(folder);
}

static void enter_folder(char *before, size_t size)
{
    static int made;
    if (!getcwd(before, size))
        stop("there is no working directory");
    if (!made && (!mkdtemp(folder) || atexit(remove_folder)))
        stop("there is no folder for files");
    made = 1;
    if (chdir(folder))
        stop("the folder for files is gone");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char before[4096];
    phx_context *context = NULL;
    phx_elastic_model *model = NULL;
    bundle files;
    bundle_split((const char *)data, size, &files);
    if (files.n_files == 0 || phx_context_create(&context))
        return 0;
    enter_folder(before, sizeof before);
    bundle_write(&files);
    const phx_status status = bundle_import(context, &files, &model);
    bundle_remove(&files);
    if (chdir(before))
        stop("the working directory is gone");
    if (status && status != PHX_ERR_INPUT && status != PHX_ERR_FILE)
        stop(phx_context_message(context));
    if (status && !phx_context_message(context)[0])
        stop("a refusal without a message");
    if (!status && bundle_model_fault(model))
        stop(bundle_model_fault(model));
    phx_elastic_destroy(model);
    phx_context_destroy(context);
    return 0;
}
