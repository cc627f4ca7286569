/* A process for an FMU: what it does there, crash, hang or print, does nothing to the simulation. */
#define _GNU_SOURCE
#include "importer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the child ---- */
/* Its streams lead nowhere, and no file of the parent stays open but the socket, which gets the next number. */
static int close_files(int socket)
{
    enum { STREAMS = 3 };
    const int nowhere = open("/dev/null", O_RDWR);

    for (int k = 0; k < STREAMS; k++)
        (void)dup2(nowhere, k);
    (void)dup2(socket, STREAMS);
    (void)close_range(STREAMS + 1, ~0u, 0);
    return STREAMS;
}

/* Signals as in a new program, not as the program around the library has them. An interrupt from the keyboard reaches
 * the child too: the parent ends it. */
static void reset_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM, SIGPIPE};
    sigset_t none;

    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        (void)signal(signals[k], SIG_DFL);
    (void)signal(SIGINT, SIG_IGN);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void be_child(phx_fmu_child_fn *run, void *user, int socket, phx_fmu_shared *shared)
{
    const struct rlimit no_core = {0, 0};

    socket = close_files(socket);
    reset_signals();
    (void)setrlimit(RLIMIT_CORE, &no_core);
    run(user, socket, shared);
    phx_fmu_note_call(&(phx_fmu_calls){.shared = shared}, "");
    _exit(EXIT_SUCCESS);
}

/* ---- the parent ---- */
static phx_status fail(phx_context *context, phx_fmu_process *process, const char *what)
{
    const int error = errno;

    if (process->shared)
        (void)munmap(process->shared, process->size);
    *process = (phx_fmu_process){.socket = -1};
    return phx_fail(context, PHX_ERR_LIBRARY, "no %s for the process of an FMU: %s", what, strerror(error));
}

/* Starts the process in which an FMU runs, with n_values numbers of shared memory and a socket, so that a crash does
 * not reach the simulation. */
phx_status phx_fmu_process_start(phx_context *context, double limit, size_t n_values, phx_fmu_child_fn *run, void *user,
                                 phx_fmu_process *process)
{
    int ends[2];

    *process =
        (phx_fmu_process){.socket = -1, .size = sizeof *process->shared + n_values * sizeof(double), .limit = limit};
    void *memory = mmap(NULL, process->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail(context, process, "shared memory");
    process->shared = memory;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return fail(context, process, "socket");
    phx_fmu_note_call(&(phx_fmu_calls){.shared = process->shared}, "the beginning");
    (void)fflush(NULL);
    process->pid = fork();
    if (process->pid < 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return fail(context, process, "process");
    }
    if (process->pid == 0)
        be_child(run, user, ends[1], process->shared);
    (void)close(ends[1]);
    process->socket = ends[0];
    return PHX_OK;
}

void phx_fmu_take_text(size_t size, const char *from, char *to)
{
    memcpy(to, from, size);
    to[size - 1] = '\0';
    for (char *c = to; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = ' ';
}

/* Told that nothing more comes, the child closes its end of the socket when it is done. */
static bool closes_in_time(const phx_fmu_process *process)
{
    enum { LATER = 1000 /* ms: its own timer goes off first */ };
    struct pollfd one = {.fd = process->socket, .events = POLLIN};
    int ready;

    (void)shutdown(process->socket, SHUT_WR);
    do {
        ready = poll(&one, 1, (int)fmin(1e3 * process->limit + LATER, 2e9));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* Ends the process: closes the connection and waits, or kills it if `ends` or if it does not end in time. True if it
 * ended by itself outside of a call of the FMU; otherwise fault tells what happened. */
bool phx_fmu_process_end(phx_fmu_process *process, bool ends, size_t size, char *fault)
{
    int status = 0;

    if (size > 0)
        *fault = '\0';
    if (process->pid <= 0)
        return true;
    if (!ends)
        ends = !closes_in_time(process);
    if (ends)
        (void)kill(process->pid, SIGKILL);
    (void)close(process->socket);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
    }
    char call[sizeof process->shared->call];
    phx_fmu_take_text(sizeof call, process->shared->call, call);
    const bool well = WIFEXITED(status) && !*call;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGKILL))
        snprintf(fault, size, "has not come back from %s after %g s", call, process->limit);
    else if (WIFSIGNALED(status))
        snprintf(fault, size, "crashed in %s (%s)", call, strsignal(WTERMSIG(status)));
    else if (!well)
        snprintf(fault, size, "ended the process in %s", call);
    (void)munmap(process->shared, process->size);
    *process = (phx_fmu_process){.socket = -1};
    return well;
}
