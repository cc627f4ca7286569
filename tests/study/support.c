#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "support.h"

#include <dirent.h>
#include <unistd.h>

int study_setup(void **state)
{
    char directory[] = "study_test_XXXXXX";
    phx_context *context = NULL;
    if (!mkdtemp(directory) || chdir(directory) != 0 || phx_context_create(&context) != PHX_OK)
        return -1;
    *state = context;
    return 0;
}

int study_teardown(void **state)
{
    char here[4096];
    DIR *folder = opendir(".");
    phx_context_destroy(*state);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
        if (entry->d_name[0] != '.')
            remove(entry->d_name);
    if (folder)
        closedir(folder);
    if (!getcwd(here, sizeof here) || chdir("..") != 0)
        return -1;
    return rmdir(here);
}

phx_model *read_example(phx_context *context, const char *name)
{
    char path[1000];
    phx_model *model = NULL;
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/examples/%s", name);
    CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    return model;
}
