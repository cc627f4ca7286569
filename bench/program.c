/* Cost of a call of the program: processor time of short calls, peak memory of long chains per body.
 *
 *     bench_program [--program FILE] [--before FILE] [--repeats N] [--csv FILE]
 *
 * Each call is a process of its own, its processor time, of all threads, that of the system included. With --before a
 * second program, an older one, is called by turns with the first. Medians. */
#define _DEFAULT_SOURCE /* mkdtemp, wait4 */
#include "options.h"
#include "timing.h"

#include <phlexor/phlexor.h>

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORDS = 10, MOST_REPEATS = 1000, SIZES = 2 };

typedef struct call {
    const char *name;
    const char *words[MOST_WORDS]; /* after the program, then NULL */
} call;

static const call calls[] = {
    {"info", {"info"}},
    {"check", {"check", PHX_SOURCE_DIR "/bench/rigid_pendulum.yaml"}},
    {"simulate, no result",
     {"simulate", PHX_SOURCE_DIR "/bench/rigid_pendulum.yaml", "--sweep", "mass=1:1:1", "-o", "list.csv"}},
    {"simulate", {"simulate", PHX_SOURCE_DIR "/bench/rigid_pendulum.yaml", "-o", "pendulum.h5"}},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Chains that hang from the ground at one end, held out horizontally, 20 steps of a millisecond. */
typedef struct chain {
    const char *name;
    int dimension;
    const char *joint;
} chain;

static const chain chains[] = {{"rigid", 2, "revolute"}, {"rigid-ball", 3, "spherical"}};
static const int links[SIZES] = {1000, 10000};
enum { CHAINS = sizeof chains / sizeof *chains };

/* ---- processes ---- */
/* Processor time in ms and peak memory in kB; false when it fails. */
static bool run(const char *program, const char *const *words, double *time, double *memory)
{
    const char *arguments[MOST_WORDS + 2] = {program};
    posix_spawn_file_actions_t actions;
    struct rusage used;
    int status = 0;
    pid_t child;

    for (int k = 0; k < MOST_WORDS && words[k]; k++)
        arguments[k + 1] = words[k];
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const bool started = posix_spawn(&child, program, &actions, NULL, (char *const *)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!started || wait4(child, &status, 0, &used) < 0 || status != 0) {
        fprintf(stderr, "bench_program: %s %s has failed\n", program, words[0]);
        return false;
    }
    *time = 1e3 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    *memory = (double)used.ru_maxrss;
    return true;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(int count, double *values)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

/* ---- short calls ---- */
/* Medians of both programs, called by turns. */
static bool time_call(const call *which, const char *const program[2], int repeats, double medians[2])
{
    static double times[2][MOST_REPEATS];
    double memory;

    for (int k = 0; k < repeats; k++)
        for (int p = 0; p < 2; p++)
            if (program[p] && !run(program[p], which->words, &times[p][k], &memory))
                return false;
    for (int p = 0; p < 2; p++)
        medians[p] = program[p] ? median(repeats, times[p]) : 0.0;
    return true;
}

/* ---- chains ---- */
static bool write_chain(const chain *which, int count, const char *path)
{
    const char *more = which->dimension == 2 ? "" : ", 0";
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file, "phlexor: 1\ntitle: Chain\ndimension: %d\ngravity: [0%s, -9.81]\nbodies:\n", which->dimension, more);
    for (int k = 0; k < count; k++)
        fprintf(file,
                "  link%d: {kind: rigid, mass: 1, inertia: %s, pose: {position: [%d.5, 0%s]}, "
                "ports: {A: {position: [-0.5, 0%s]}, B: {position: [0.5, 0%s]}}}\n",
                k, which->dimension == 2 ? "0.0833" : "[0.01, 0.0833, 0.0833]", k, more, more, more);
    fprintf(file, "joints:\n  j0: {kind: %s, ports: [ground.O, link0.A]}\n", which->joint);
    for (int k = 1; k < count; k++)
        fprintf(file, "  j%d: {kind: %s, ports: [link%d.B, link%d.A]}\n", k, which->joint, k - 1, k);
    fprintf(file, "outputs: {tip: {position: link%d.B}}\n", count - 1);
    fprintf(file, "simulate: {end: 0.02, step: 1e-3, integrator: midpoint}\n");
    return fclose(file) == 0;
}

/* kB a body, from the difference of both sizes; 0: there is no such program. */
static bool weigh_chain(const chain *which, const char *program, double *per_body)
{
    static const char *const words[MOST_WORDS] = {"simulate", "chain.yaml", "-o", "chain.h5",
                                                  "--yes",    "--threads",  "1"};
    double time, memory[SIZES] = {0};

    for (int k = 0; k < SIZES && program; k++)
        if (!write_chain(which, links[k], "chain.yaml") || !run(program, words, &time, &memory[k]))
            return false;
    *per_body = (memory[1] - memory[0]) / (links[1] - links[0]);
    return true;
}

/* ---- all of it ---- */
static bool measure(const char *const program[2], int repeats, FILE *csv)
{
    double found[2];

    printf("processor time of a call, ms (median of %d)%s\n", repeats, program[1] ? ": now, before" : "");
    for (int k = 0; k < CALLS; k++) {
        if (!time_call(&calls[k], program, repeats, found))
            return false;
        printf("  %-22s %8.2f %8.2f\n", calls[k].name, found[0], found[1]);
        if (csv)
            fprintf(csv, "\"%s\",ms,%.2f,%.2f\n", calls[k].name, found[0], found[1]);
    }
    printf("peak memory of a simulation, kB a body\n");
    for (int k = 0; k < CHAINS; k++) {
        for (int p = 0; p < 2; p++)
            if (!weigh_chain(&chains[k], program[p], &found[p]))
                return false;
        printf("  %-22s %8.1f %8.1f\n", chains[k].name, found[0], found[1]);
        if (csv)
            fprintf(csv, "%s,kB,%.1f,%.1f\n", chains[k].name, found[0], found[1]);
    }
    return true;
}

/* Paths that hold in the folder for what the calls write. */
static bool resolve(const char *path, char whole[4096])
{
    char *found = path ? realpath(path, NULL) : NULL;
    const bool fits = found && strlen(found) < 4096;

    if (fits)
        strcpy(whole, found);
    free(found);
    if (!fits)
        fprintf(stderr, "bench_program: there is no program %s\n", path);
    return fits;
}

int main(int argc, char **argv)
{
    const char *path = "../bin/phlexor", *before = NULL, *csv_path = NULL;
    char programs[2][4096], processor[128], folder[] = "/tmp/bench_program_XXXXXX";
    int repeats = 40;
    const bench_option options[] = {{"--program", .text = &path},
                                    {"--before", .text = &before},
                                    {"--repeats", .count = &repeats},
                                    {"--csv", .text = &csv_path}};

    if (!bench_read_options(sizeof options / sizeof *options, options, argc, argv) || repeats < 1 ||
        repeats > MOST_REPEATS || !resolve(path, programs[0]) || (before && !resolve(before, programs[1])))
        return EXIT_FAILURE;
    FILE *csv = csv_path ? fopen(csv_path, "w") : NULL;
    if ((csv_path && !csv) || !mkdtemp(folder) || chdir(folder) != 0) {
        perror("bench_program");
        return EXIT_FAILURE;
    }
    bench_processor(processor, sizeof processor);
    if (csv)
        fprintf(csv,
                "# %s; %s; phlexor %s, %s\n# processor time of a call of the program, median of %d; peak memory of a "
                "simulation a body (%d and %d links); 0: not measured\nwhat,unit,now,before\n",
                processor, bench_compiler(), phx_version(), phx_build(), repeats, links[0], links[1]);
    bool done = measure((const char *const[]){programs[0], before ? programs[1] : NULL}, repeats, csv);
    for (const char *const *name = (const char *const[]){"list.csv", "pendulum.h5", "chain.yaml", "chain.h5", NULL};
         *name; name++)
        (void)unlink(*name);
    (void)rmdir(folder);
    if (csv && fclose(csv) != 0)
        done = false;
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
