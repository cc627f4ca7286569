/* The program gmsh at work: it meshes a geometry or converts a mesh, and says why it could not. */
#define _POSIX_C_SOURCE 200809L
#include "builder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LINE_SIZE = 400, WAIT_MS = 100 };

/* ---- names ---- */
static char *joined(phx_context *context, const char *a, size_t n_a, const char *between, const char *b)
{
    const size_t size = n_a + strlen(between) + strlen(b) + 1;
    char *name = phx_calloc(context, size, 1);
    if (name)
        snprintf(name, size, "%.*s%s%s", (int)n_a, a, between, b);
    return name;
}

/* The program in the folders of PATH. */
static phx_status find_program(phx_context *context, const char *path, char **program)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : ""; *at;) {
        const size_t length = strcspn(at, ":");
        struct stat info;
        *program = length ? joined(context, at, length, "/", "gmsh") : phx_strdup(context, "./gmsh");
        if (!*program)
            return PHX_ERR_MEMORY;
        if (!stat(*program, &info) && S_ISREG(info.st_mode) && !access(*program, X_OK))
            return PHX_OK;
        phx_free(*program);
        *program = NULL;
        at += length + (at[length] == ':');
    }
    return phx_fail(context, PHX_ERR_FILE,
                    "%s: this format is read through the program gmsh, which is not installed here (Debian, Ubuntu: "
                    "apt-get install gmsh)",
                    path);
}

/* A new folder in TMPDIR, and the name of the mesh in it. */
static phx_status make_folder(phx_context *context, phx_gmsh_result *result)
{
    const char *root = getenv("TMPDIR");
    if (!root || !*root)
        root = "/tmp";
    char *folder = joined(context, root, strlen(root), "/", "phlexor-gmsh-XXXXXX");
    if (!folder)
        return PHX_ERR_MEMORY;
    if (!mkdtemp(folder)) {
        const phx_status status =
            phx_fail(context, PHX_ERR_FILE, "no temporary folder can be made in %s: %s", root, strerror(errno));
        phx_free(folder);
        return status;
    }
    result->folder = folder;
    result->mesh = joined(context, folder, strlen(folder), "/", "mesh.msh");
    return result->mesh ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_gmsh_remove(phx_gmsh_result *result)
{
    if (result->mesh)
        unlink(result->mesh);
    if (result->folder)
        rmdir(result->folder);
    phx_free(result->mesh);
    phx_free(result->folder);
    *result = (phx_gmsh_result){0};
}

/* ---- what it prints ---- */
/* The last line with an error, else the last line that is not empty. */
typedef struct printed {
    char line[LINE_SIZE]; /* being read */
    size_t length;
    char last[LINE_SIZE];
    bool is_error;
} printed;

static void end_of_line(printed *p)
{
    p->line[p->length] = 0;
    const bool is_error = !strncmp(p->line, "Error", 5);
    if (p->length && (is_error || !p->is_error)) {
        memcpy(p->last, p->line, p->length + 1);
        p->is_error = is_error;
    }
    p->length = 0;
}

static void take_output(printed *p, const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (text[k] == '\n' || text[k] == '\r')
            end_of_line(p);
        else if (p->length < LINE_SIZE - 1)
            p->line[p->length++] = (unsigned char)text[k] < 0x20 ? ' ' : text[k];
}

/* "Error   : text" without its beginning. */
static const char *message_of(const printed *p)
{
    const char *text = p->last;
    if (p->is_error) {
        text += 5;
        text += strspn(text, " :");
    }
    return *text ? text : "it says nothing";
}

/* ---- the process ---- */
/* Starts it with its output in `out`; argv[0] is its file. */
static phx_status gmsh_program_start(phx_context *context, char *const *argv, pid_t *child, int *out)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends))
        return phx_fail(context, PHX_ERR_FILE, "gmsh cannot be started: %s", strerror(errno));
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
        if (!error)
            error = posix_spawn_file_actions_addclose(&actions, ends[0]);
        if (!error)
            error = posix_spawn_file_actions_addclose(&actions, ends[1]);
        if (!error)
            error = posix_spawn(child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return phx_fail(context, PHX_ERR_FILE, "%s cannot be started: %s", argv[0], strerror(error));
    }
    *out = ends[0];
    return PHX_OK;
}

/* Reads until the program closes its output; PHX_INTERRUPTED when the progress callback asks to stop. */
static phx_status listen_to(phx_context *context, int out, printed *p)
{
    char text[4096];
    phx_status status;
    while (!(status = phx_progress(context, "meshes by gmsh", 0.0, 1.0))) {
        struct pollfd ready = {.fd = out, .events = POLLIN};
        const int n_ready = poll(&ready, 1, WAIT_MS);
        const ssize_t n = n_ready > 0 ? read(out, text, sizeof text) : n_ready;
        if (n > 0)
            take_output(p, text, (size_t)n);
        else if (n_ready != 0 && !(n < 0 && errno == EINTR))
            break;
    }
    end_of_line(p);
    return status;
}

/* Runs gmsh and waits for its end; fails with its last message if it made no mesh. An interruption kills it. */
static phx_status gmsh_program_run(phx_context *context, const char *path, char *const *argv, const char *mesh)
{
    pid_t child = 0;
    int out = -1, ended = 0;
    printed p = {.length = 0};
    struct stat info;
    phx_status status = gmsh_program_start(context, argv, &child, &out);
    if (status)
        return status;
    status = listen_to(context, out, &p);
    close(out);
    if (status)
        kill(child, SIGKILL);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    if (status)
        return status;
    if (WIFSIGNALED(ended))
        return phx_fail(context, PHX_ERR_FILE, "%s: gmsh was ended by signal %d", path, WTERMSIG(ended));
    if (WEXITSTATUS(ended) || stat(mesh, &info))
        return phx_fail(context, PHX_ERR_INPUT, "%s: gmsh made no mesh of it: %s", path, message_of(&p));
    return PHX_OK;
}

/* Lets the program gmsh mesh a geometry, or convert a mesh, into a temporary folder, which the caller removes; it is
 * removed here after a failure. */
phx_status phx_gmsh_run(phx_context *context, const char *path, bool geometry, phx_gmsh_result *result)
{
    char *program = NULL;
    struct stat info;
    *result = (phx_gmsh_result){0};
    if (stat(path, &info))
        return phx_fail(context, PHX_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    phx_status status = find_program(context, path, &program);
    if (!status)
        status = make_folder(context, result);
    /* what begins with '-' would be an option */
    char *file = status ? NULL : joined(context, path[0] == '-' ? "./" : "", path[0] == '-' ? 2 : 0, "", path);
    if (!status && !file)
        status = PHX_ERR_MEMORY;
    if (!status) { /* -3 meshes what there is: of a geometry without volumes its surfaces */
        char *argv[] = {program,      file,         geometry ? "-3" : "-save",    "-format", "msh41",
                        "-bin",       "-setnumber", "Mesh.SecondOrderIncomplete", "1",       "-o",
                        result->mesh, NULL};
        status = gmsh_program_run(context, path, argv, result->mesh);
    }
    phx_free(file);
    phx_free(program);
    if (status)
        phx_gmsh_remove(result);
    return status;
}
