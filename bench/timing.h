/* Time and memory of this process, and what it runs on. */
#ifndef PHX_BENCH_TIMING_H
#define PHX_BENCH_TIMING_H

#include <stdbool.h>
#include <stddef.h>

double bench_clock(void);       /* s, processor time of this process: other work on the machine counts little */
double bench_wall_clock(void);  /* s, for what runs on several threads */
double bench_peak_memory(void); /* MB, largest resident size so far */
/* Model of the processor, "unknown processor" when the system does not tell. */
void bench_processor(char *buffer, size_t size);
const char *bench_compiler(void);
/* Least processor time of one call of `work`, s, over several batches of calls; negative when a call fails. */
double bench_least_time(void *user, bool work(void *user));

#endif
