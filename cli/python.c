/* Commands that are Python: their options are read here, so that help, man pages and completion know them, and
 * `python3 -m phlexor COMMAND ...` then takes the place of the program. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, COMMAND_SIZE = 256 };

/* Put the package beside this program, that of the build or the installed one, first on Python's search path. */
static void find_package(void)
{
    static const char *const folders[] = {"../lib/python", PHX_PYTHON_FOLDER};
    char program[PATH_SIZE], path[2 * PATH_SIZE];
    const char *known = getenv("PYTHONPATH");
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
    setenv("PHLEXOR_PROGRAM", program, 1); /* for commands that call others */
    char *name = strrchr(program, '/');
    if (!name)
        return;
    *name = '\0';
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        snprintf(path, sizeof path, "%s/%s/phlexor", program, folders[k]);
        if (access(path, R_OK) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s%s%s", program, folders[k], known ? ":" : "", known ? known : "");
        setenv("PYTHONPATH", path, 1);
        return;
    }
}

/* The first Python that has NumPy and the package. PHX_ERR_LIBRARY where none has. */
static phx_status find_python(phx_context *context, const char **python)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char command[COMMAND_SIZE];

    find_package();
    for (size_t k = 0; k < sizeof pythons / sizeof *pythons; k++) {
        snprintf(command, sizeof command,
                 "%s -c 'import sys; from importlib.util import find_spec as find; "
                 "sys.exit(not find(\"numpy\") or not find(\"phlexor\"))' 2>/dev/null",
                 pythons[k]);
        const int status = system(command);
        if (WIFSIGNALED(status)) /* Ctrl-C */
            return PHX_INTERRUPTED;
        *python = pythons[k];
        if (status == 0)
            return PHX_OK;
    }
    return phx_fail(context, PHX_ERR_LIBRARY,
                    "this command needs Python 3.9 or newer with NumPy and the package phlexor; install them "
                    "(Debian: python3-numpy, python3-phlexor; in a wheel's environment: pip install numpy)");
}

/* Replaces this process by python3 -m phlexor NAME with the same arguments; returns only after a failure. */
int cli_run_python(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const char *python = NULL, **words = phx_calloc(context, (size_t)argc + 5, sizeof *words);
    phx_status status = words ? find_python(context, &python) : PHX_ERR_MEMORY;

    if (!status) {
        const char *const start[] = {python, "-m", "phlexor", command->name};
        memcpy(words, start, sizeof start);
        memcpy(words + 4, argv, (size_t)argc * sizeof *words);
        execvp(python, (char **)words);
        status = phx_fail(context, PHX_ERR_LIBRARY, "%s: cannot start: %s", python, strerror(errno));
    }
    phx_free(words);
    return cli_failed(context, status);
}

FILE *cli_ask_python(phx_context *context, const char *arguments)
{
    const char *python = NULL;
    char command[COMMAND_SIZE];

    if (find_python(context, &python) != PHX_OK)
        return NULL;
    snprintf(command, sizeof command, "%s -m phlexor %s 2>/dev/null", python, arguments);
    return popen(command, "r");
}
