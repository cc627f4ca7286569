#define _XOPEN_SOURCE 700 /* clock_gettime, getrusage */
#include "timing.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

double bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

void bench_processor(char *buffer, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(buffer, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(buffer, size, "%s", value + 2);
        break;
    }
    if (file)
        fclose(file);
}

const char *bench_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown compiler";
#endif
}

double bench_least_time(void *user, bool work(void *user))
{
    enum { BATCHES = 7 };
    const double batch = 0.03; /* s */
    double least = -1.0;

    for (int b = 0; b < BATCHES; b++) {
        const double start = bench_clock();
        double now = start;
        int calls = 0;
        for (int more = 1; calls < 3 || now - start < batch; more *= 2) { /* reading the clock takes time, too */
            for (int k = 0; k < more; k++)
                if (!work(user))
                    return -1.0;
            calls += more;
            now = bench_clock();
        }
        if (least < 0.0 || (now - start) / calls < least)
            least = (now - start) / calls;
    }
    return least;
}
