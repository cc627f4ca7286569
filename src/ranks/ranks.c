/* The processes of a run: the module with MPI, and what is sent between them. */
#define _GNU_SOURCE /* dladdr */
#include "internal.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */
/* The folder of the program or library that this code is in, with the slash. */
static bool own_folder(char folder[PATH_MAX])
{
    Dl_info info;
    void *here;
    phx_status (*function)(phx_context *, phx_ranks **) = phx_ranks_open;

    memcpy(&here, &function, sizeof here);
    if (!dladdr(here, &info) || !realpath(info.dli_fname, folder))
        return false;
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    return slash;
}

/* Beside a library, above a program, or where the environment says. */
static void *open_at_places(const char *file)
{
    static const char *const places[] = {"phlexor", "../lib/phlexor", PHX_MODULES};
    const char *told = getenv("PHLEXOR_MODULES");
    char folder[PATH_MAX], path[PATH_MAX + 64];
    void *module = NULL;

    if (told) {
        snprintf(path, sizeof path, "%s/%s", told, file);
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    for (size_t k = 0; !module && own_folder(folder) && k < sizeof places / sizeof *places; k++) {
        snprintf(path, sizeof path, "%s%s/%s", folder, places[k], file);
        module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* global: MPI loads parts of its own that look for it */
    }
    return module;
}

phx_status ranks_load(phx_context *context, const char *file, const char *name, const char *needs, void *function)
{
    void *module = open_at_places(file), *found = module ? dlsym(module, name) : NULL;

    if (!found) {
        const char *why = dlerror();
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "%s is not there: install %s, then configure and build Phlexor again (%s)", file, needs,
                        why ? why : "no reason given");
    }
    memcpy(function, &found, sizeof found);
    return PHX_OK;
}

/* ---- life ---- */
phx_status phx_ranks_open(phx_context *context, phx_ranks **ranks)
{
    phx_mpi_module_fn *table = NULL;

    if (!ranks)
        return phx_fail_null(context, __func__, "ranks");
    *ranks = NULL;
    phx_status status =
        ranks_load(context, "phlexor-mpi.so", "phx_mpi_module_table", "an MPI (Debian: libopenmpi-dev)", &table);
    phx_ranks *group = status ? NULL : phx_calloc(context, 1, sizeof *group);
    if (!status && !group)
        status = PHX_ERR_MEMORY;
    if (!status) {
        group->mpi = table();
        if (group->mpi->version != PHX_MODULE_VERSION)
            status = phx_fail(context, PHX_ERR_UNSUPPORTED, "phlexor-mpi.so belongs to another version of Phlexor");
    }
    if (!status) {
        const char *failed = group->mpi->start(&group->rank, &group->size);
        if (failed)
            status = phx_fail(context, PHX_ERR_LIBRARY, "MPI does not start: %s", failed);
    }
    if (status)
        phx_free(group);
    else
        *ranks = group;
    return phx_conclude(context, status);
}

void phx_ranks_close(phx_ranks *ranks)
{
    if (!ranks)
        return;
    if (ranks->petsc)
        ranks->petsc->finish();
    ranks->mpi->finish();
    phx_free(ranks);
}

/* Loads and starts PETSc at first need; it must belong to the same version of Phlexor. */
phx_status ranks_need_petsc(phx_context *context, const phx_ranks *ranks)
{
    phx_petsc_module_fn *table = NULL;
    phx_ranks *group = (phx_ranks *)ranks;

    if (group->petsc)
        return PHX_OK;
    phx_status status = ranks_load(context, "phlexor-petsc.so", "phx_petsc_module_table",
                                   "PETSc and SLEPc (Debian: petsc-dev, slepc-dev)", &table);
    if (!status && table()->version != PHX_MODULE_VERSION)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED, "phlexor-petsc.so belongs to another version of Phlexor");
    const char *failed = status ? NULL : table()->start();
    if (failed)
        return phx_fail(context, PHX_ERR_LIBRARY, "PETSc does not start: %s", failed);
    if (!status)
        group->petsc = table();
    return status;
}

int phx_ranks_rank(const phx_ranks *ranks)
{
    return ranks ? ranks->rank : 0;
}

int phx_ranks_size(const phx_ranks *ranks)
{
    return ranks ? ranks->size : 1;
}

void phx_ranks_set_method(phx_ranks *ranks, phx_ranks_method method)
{
    ranks->method = method;
}

phx_ranks_method phx_ranks_get_method(const phx_ranks *ranks)
{
    return ranks->method;
}

int phx_ranks_started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *value = getenv(names[k]);
        if (value && atoi(value) > 0)
            return atoi(value);
    }
    return 1;
}

/* ---- the end ---- */
bool phx_ranks_reports(phx_ranks *ranks, bool failed, bool *abort)
{
    static const double patience = 2.0; /* s */

    *abort = false;
    if (!ranks)
        return failed;
    const int lowest = ranks->mpi->meet(failed, patience);
    *abort = lowest < 0;
    return failed && (lowest < 0 || lowest == ranks->rank);
}

void phx_ranks_abort(phx_ranks *ranks, int status)
{
    if (ranks)
        ranks->mpi->abort(status);
}

/* ---- messages ---- */
void phx_ranks_sum(const phx_ranks *ranks, size_t count, double *values)
{
    if (ranks && ranks->size > 1)
        ranks->mpi->sum(count, values);
}

void phx_ranks_most(const phx_ranks *ranks, size_t count, double *values)
{
    if (ranks && ranks->size > 1)
        ranks->mpi->most(count, values);
}

void phx_ranks_share(const phx_ranks *ranks, int from, size_t bytes, void *data)
{
    if (ranks && ranks->size > 1)
        ranks->mpi->share(from, bytes, data);
}

void phx_ranks_gather(const phx_ranks *ranks, int count, const double *mine, const int *counts, double *all)
{
    if (ranks && ranks->size > 1)
        ranks->mpi->gather((size_t)count, mine, counts, all);
    else
        memcpy(all, mine, (size_t)count * sizeof *all);
}

void phx_ranks_send(const phx_ranks *ranks, int to, int tag, size_t bytes, const void *data)
{
    if (bytes > 0)
        ranks->mpi->send(to, tag, bytes, data);
}

void phx_ranks_receive(const phx_ranks *ranks, int from, int tag, size_t bytes, void *data)
{
    if (bytes > 0)
        ranks->mpi->receive(from, tag, bytes, data);
}

/* Returns the failure of the lowest process that failed, with its message, on all processes; success only if all
 * succeeded. */
phx_status phx_ranks_agree(phx_context *context, const phx_ranks *ranks, phx_status status)
{
    enum { LENGTH = 1024 };
    const int size = phx_ranks_size(ranks);
    char message[LENGTH];

    for (int first = 0; first < size && size > 1; first += LENGTH) { /* the lowest that has failed */
        double failed[LENGTH] = {0};
        const int count = size - first < LENGTH ? size - first : LENGTH;
        if (ranks->rank >= first && ranks->rank < first + count)
            failed[ranks->rank - first] = status;
        phx_ranks_sum(ranks, (size_t)count, failed);
        for (int k = 0; k < count; k++) {
            if (failed[k] == 0.0)
                continue;
            snprintf(message, sizeof message, "%s", phx_context_message(context));
            phx_ranks_share(ranks, first + k, sizeof message, message);
            return first + k == ranks->rank ? status : phx_fail(context, (phx_status)failed[k], "%s", message);
        }
    }
    return status;
}
