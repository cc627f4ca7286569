/* Messages, the progress bar, and what Ctrl-C does. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "ranks/ranks.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_SIZE = 4096, HELP_SIZE = 128 };

/* Signal handlers leave no other way than a global. */
static volatile sig_atomic_t stop_asked;

/* ---- processes of mpirun ---- */
/* Rank 0 reports what all processes meet alike, the command line say; so before they are started. */
static phx_ranks *processes;
static bool met; /* at the end, or nearly */

static bool is_first(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};

    if (processes || phx_ranks_started() == 1)
        return phx_ranks_rank(processes) == 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]))
            return atoi(getenv(names[k])) == 0;
    return true;
}

phx_ranks *cli_ranks(void)
{
    return processes;
}

int cli_open_ranks(phx_context *context)
{
    const phx_status status = phx_ranks_open(context, &processes);

    return status ? cli_failed(context, status) : -1;
}

/* The message of a failure: by one process. Those that still work are ended. */
static void terminal_report(const char *code, const char *message, int status)
{
    bool abort = false;

    if (met)
        return;
    if (processes ? phx_ranks_reports(processes, true, &abort) : is_first())
        cli_put_message(CLI_ERROR, code, message, NULL);
    met = processes;
    if (abort)
        phx_ranks_abort(processes, status);
}

int cli_close_ranks(int status)
{
    bool abort;

    if (processes && !met)
        phx_ranks_reports(processes, false, &abort);
    phx_ranks_close(processes);
    processes = NULL;
    return status;
}

/* ---- messages ---- */
static int exit_status(phx_status status)
{
    switch (status) {
    case PHX_OK:
        return EXIT_DONE;
    case PHX_INTERRUPTED:
        return EXIT_INTERRUPTED;
    case PHX_ERR_INPUT:
    case PHX_ERR_UNSUPPORTED:
        return EXIT_USAGE;
    default:
        return EXIT_FAILED;
    }
}

int cli_failed(phx_context *context, phx_status status)
{
    const char *message = phx_context_message(context);

    cli_progress_done();
    terminal_report(cli_code_of(status), message[0] ? message : phx_status_text(status), exit_status(status));
    return exit_status(status);
}

int cli_usage_error(const cli_command *command, const char *format, ...)
{
    char text[TEXT_SIZE], help[HELP_SIZE] = "'phlexor --help' lists the commands";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (command)
        snprintf(help, sizeof help, "'phlexor %s --help' lists its arguments and options", command->name);
    if (is_first())
        cli_put_message(CLI_ERROR, "usage", text, help);
    return EXIT_USAGE;
}

void cli_say(cli_severity severity, const char *code, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_first())
        cli_put_message(severity, code, text, NULL);
}

int cli_output_failed(void)
{
    if (errno != EPIPE) /* whoever read has had enough */
        cli_say(CLI_ERROR, cli_code_of(PHX_ERR_FILE), "cannot write to standard output: %s",
                strerror(errno ? errno : EIO));
    return EXIT_FAILED;
}

int cli_close_output(int status)
{
    errno = 0;
    const bool whole = fflush(stdout) == 0 && !ferror(stdout);
    return whole || status != EXIT_DONE ? status : cli_output_failed();
}

static void print_log(void *user, phx_log_level level, const char *message)
{
    (void)user;
    cli_progress_done();
    cli_say(level == PHX_LOG_WARNING ? CLI_WARNING : CLI_NOTE, NULL, "%s", message);
}

/* ---- progress ---- */
typedef struct progress_bar {
    bool on, shown;
    const char *what;
    double begun, begun_at, drawn; /* clock at the start of this work, its `done` then, and the last drawing */
} progress_bar;
static progress_bar bar;

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + NANOSECOND * (double)now.tv_nsec;
}

static void print_duration(double seconds)
{
    if (!isfinite(seconds) || seconds > 1e7)
        fputs("", stderr);
    else if (seconds < 60.0)
        fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 3600.0)
        fprintf(stderr, ", %d min %02d s left", (int)(seconds / 60.0), (int)fmod(seconds, 60.0));
    else
        fprintf(stderr, ", %d h %02d min left", (int)(seconds / 3600.0), (int)(fmod(seconds, 3600.0) / 60.0));
}

/* Draws the progress bar on standard error: share done, rate per second and the time left at this rate. */
static void terminal_draw(const char *what, double done, double total, double now)
{
    enum { WIDTH = 24 };
    const double share = total > 0.0 ? fmin(fmax(done / total, 0.0), 1.0) : 0.0;
    const double rate = now > bar.begun ? (done - bar.begun_at) / (now - bar.begun) : 0.0;
    const int filled = (int)(share * WIDTH);

    fputs("\r\033[K[", stderr);
    for (int k = 0; k < WIDTH; k++)
        fputc(k < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f %%  %s %.4g of %.4g, %.3g a second", floor(100.0 * share), what, done, total, rate);
    if (rate > 0.0)
        print_duration((total - done) / rate);
    fflush(stderr);
    bar.shown = true;
    bar.drawn = now;
}

/* Callback of progress: draws at most ten times a second, and returns false to stop after an interrupt. */
static bool report_progress(void *user, const char *what, double done, double total)
{
    (void)user;
    if (stop_asked)
        return false;
    if (!bar.on)
        return true;
    const double now = wall_clock();
    if (what != bar.what) {
        bar.what = what;
        bar.begun = bar.drawn = now;
        bar.begun_at = done;
    }
    if (now - bar.drawn >= 0.1)
        terminal_draw(what, done, total, now);
    return true;
}

void cli_progress_done(void)
{
    if (bar.shown)
        fputs("\r\033[K", stderr);
    bar.shown = false;
}

void cli_progress_line(const char *format, ...)
{
    va_list arguments;

    if (!bar.on)
        return;
    cli_progress_done();
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* ---- interruption ---- */
/* The first signal asks; the second one finds the default again and kills. */
static void ask_to_stop(int number)
{
    stop_asked = 1;
    signal(number, SIG_DFL);
}

void cli_watch(phx_context *context)
{
    struct sigaction action = {0};

    bar.on = isatty(STDERR_FILENO) == 1 && is_first() && !cli_messages_are_json();
    phx_context_set_log(context, print_log, NULL);
    phx_context_set_progress(context, report_progress, NULL);
    action.sa_handler = ask_to_stop;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
