/* Phlexor, layer base: status and messages, context, memory, progress, signals of time.
 *
 * Units are SI and radians everywhere. Nothing in the library prints, exits or keeps global mutable state. */
#ifndef PHLEXOR_BASE_H
#define PHLEXOR_BASE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One list makes the codes and their texts. Zero is success. A positive code can be retried: the objects passed are
 * unchanged. A negative code is fatal for the call: outputs are unset, inputs are unchanged, objects passed as
 * workspace may only be destroyed. */
#define PHX_STATUS_LIST(X)                                                                                             \
    X(PHX_OK, 0, "success")                                                                                            \
    X(PHX_NOT_CONVERGED, 1, "the iteration did not converge")                                                          \
    X(PHX_SINGULAR, 2, "a matrix is singular to working precision")                                                    \
    X(PHX_INTERRUPTED, 3, "interrupted")                                                                               \
    X(PHX_REJECTED, 4, "the step was rejected")                                                                        \
    X(PHX_ERR_ARGUMENT, -1, "an argument is out of range")                                                             \
    X(PHX_ERR_MEMORY, -2, "out of memory")                                                                             \
    X(PHX_ERR_INPUT, -3, "the model is wrong")                                                                         \
    X(PHX_ERR_FILE, -4, "a file cannot be read or written")                                                            \
    X(PHX_ERR_ASSEMBLY, -5, "the joints cannot be closed")                                                             \
    X(PHX_ERR_ANALYSIS, -6, "the analysis failed")                                                                     \
    X(PHX_ERR_UNSUPPORTED, -7, "not available for this model")                                                         \
    X(PHX_ERR_LIBRARY, -8, "a library Phlexor runs on reported an error")

/* Status of a call: PHX_STATUS_LIST. */
typedef enum phx_status {
#define PHX_STATUS_ENUM(name, value, text) name = value,
    PHX_STATUS_LIST(PHX_STATUS_ENUM)
#undef PHX_STATUS_ENUM
} phx_status;

/* Text of a code; never NULL. */
const char *phx_status_text(phx_status status);

/* Version of the library, "major.minor.patch", and how it was built, e.g. "Release, GNU 12.2.0". */
const char *phx_version(void);
const char *phx_build(void);
/* Whether the processor has AVX2, registers of four numbers. */
bool phx_cpu_has_avx2(void);
/* Whether it has AVX-512 (F, DQ, VL), registers of eight. */
bool phx_cpu_has_avx512(void);

/* A context carries the last error, the log sink and the progress callback of one thread of work. Every create
 * function takes the context it reports to; the context must outlive what was created with it. */
typedef struct phx_context phx_context;

/* What is sent to the log sink, and who takes it. */
typedef enum phx_log_level { PHX_LOG_INFO, PHX_LOG_WARNING } phx_log_level;
typedef void phx_log_fn(void *user, phx_log_level level, const char *message);
/* Called between steps of long work: `done` of `total` in the units of `what`. Return false to stop the work, which
 * then ends with PHX_INTERRUPTED and keeps what was computed. */
typedef bool phx_progress_fn(void *user, const char *what, double done, double total);

/* A context without log sink and progress callback; destroy it last. */
phx_status phx_context_create(phx_context **context);
void phx_context_destroy(phx_context *context); /* NULL is allowed */
void phx_context_set_log(phx_context *context, phx_log_fn *log, void *user);
void phx_context_get_log(const phx_context *context, phx_log_fn **log, void **user); /* what was set last */
void phx_context_set_progress(phx_context *context, phx_progress_fn *progress, void *user);

/* Message of the last error, "" when there is none or the last call that makes or computes something has succeeded.
 * Valid until the next call with this context. */
const char *phx_context_message(const phx_context *context);
/* Forget the last error. */
void phx_context_clear(phx_context *context);

/* Record an error: what (names of body, joint, key), the offending value, the expected range, the remedy; for model
 * files "file:line:column: " first. Returns `status`, so that `return phx_fail(...)` reads well. A NULL context only
 * returns the status. */
phx_status phx_fail(phx_context *context, phx_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* PHX_ERR_ARGUMENT for an argument that is NULL and must not be: "phx_f: a, b or c is NULL". Every function of the
 * library that returns a status answers so, but for pointers that its declaration allows to be NULL. */
phx_status phx_fail_null(phx_context *context, const char *function, const char *arguments);
/* Put text in front of the recorded message (an outer layer that knows more); returns `status`. */
phx_status phx_fail_prefix(phx_context *context, phx_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The end of a call: a success leaves no message, neither of an earlier failure nor of what was tried on the way.
 * Returns `status`. */
phx_status phx_conclude(phx_context *context, phx_status status);
/* Send a message to the log sink; does nothing without one. */
void phx_log(phx_context *context, phx_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Report progress; PHX_INTERRUPTED when the callback asks to stop, else PHX_OK. */
phx_status phx_progress(phx_context *context, const char *what, double done, double total);

/* A text in single quotes for a message: one line, control characters as '?', shortened when long. */
typedef struct phx_shown {
    char text[80];
} phx_shown;
phx_shown phx_shown_text(const char *text);

/* The valid word nearest to a wrong one (fewest insertions, deletions, replacements and swaps of neighbours, letters
 * compared without case). Offer all valid words in turn; both are borrowed. */
typedef struct phx_nearest {
    const char *wrong;
    const char *best; /* NULL until one was offered */
    int distance;
} phx_nearest;
phx_nearest phx_nearest_to(const char *wrong);
void phx_nearest_offer(phx_nearest *nearest, const char *word);
/* "; did you mean 'x'?" when it is near, "; the nearest valid word is 'x'" when not, "" without any. */
phx_shown phx_nearest_hint(const phx_nearest *nearest);

/* Zeroed memory for count*size bytes, checked for overflow; count 0 gives a valid pointer. NULL on failure, with the
 * error recorded. Free with phx_free. */
void *phx_calloc(phx_context *context, size_t count, size_t size);
/* Grow to count*size bytes, the old bytes kept, the new ones not zeroed; on failure NULL and `pointer` stays valid. */
void *phx_realloc(phx_context *context, void *pointer, size_t count, size_t size);
char *phx_strdup(phx_context *context, const char *text);
void phx_free(void *pointer);
/* Number of allocations made through this context so far, for the test that a time step makes none. */
size_t phx_context_allocations(const phx_context *context);
/* Let the n-th allocation from now fail (0: the next one); negative: never. For tests. */
void phx_context_fail_allocation(phx_context *context, long n);

/* ---- files that are read and written ----
 * Between phx_files_begin and phx_files_end a context lists the files that are read and written with it, and nothing is
 * written over one of them: whatever opens a file tells the list, and whatever makes one asks it. Files are the same
 * when they have one device and inode (links of either kind), or, where nothing is there yet, one name in one folder
 * with all links followed. An output also has the names that it bears until it is complete, NAME.partial and
 * NAME.partial.tmp. Devices, pipes and "-" do not count. Pairs nest; the list is forgotten with the outermost one. What
 * writes a file from files that it is given the names of has such a pair of its own. */
void phx_files_begin(phx_context *context);
void phx_files_end(phx_context *context);
/* The file of this name is read: it must not be written over. Nothing to do for NULL and outside a pair. */
phx_status phx_files_read(phx_context *context, const char *path);
/* A file of this name is to be written: PHX_ERR_INPUT when that would destroy a listed one, else it is listed. Always
 * succeeds for NULL and outside a pair. */
phx_status phx_files_write(phx_context *context, const char *path);
/* The same question for several outputs at once (NULL: none), also with respect to each other; lists nothing. */
phx_status phx_files_check(phx_context *context, int count, const char *const *paths);
/* A file that phx_files_write has listed is not made after all. */
void phx_files_give_up(phx_context *context, const char *path);
/* The name that a path leads to, links followed, also where no file is there yet. Free with phx_free; NULL when memory
 * is out. */
char *phx_files_resolve(phx_context *context, const char *path);

/* ---- work on several threads ----
 * A team of workers goes through numbered items that do not depend on each other; worker 0 is the calling thread. The
 * items are begun in order, computed on any worker and handed over in order on the calling thread, so that what is made
 * of them does not depend on the number of workers nor on time. */
typedef struct phx_team phx_team;
enum { PHX_TEAM_LARGEST = 1024 };

/* Processors that there are, at least 1. */
int phx_processors(void);
/* 1 <= threads <= PHX_TEAM_LARGEST. Threads are started by phx_team_run, as many as there are items at most; where the
 * system gives fewer the work is done by those. Errors: PHX_ERR_ARGUMENT, PHX_ERR_MEMORY, PHX_ERR_LIBRARY. */
phx_status phx_team_create(phx_context *context, int threads, phx_team **team);
void phx_team_destroy(phx_team *team); /* NULL is allowed */
int phx_team_workers(const phx_team *team);
/* Places for results on their way from computation to handing over: 1 with one worker. */
int phx_team_slots(const phx_team *team);
/* Context of a worker, for all that this worker makes and uses; belongs to the team. */
phx_context *phx_team_context(const phx_team *team, int worker);

/* What phx_team_run is to do. */
typedef struct phx_team_work {
    int count;        /* items 0 .. count-1 */
    const char *what; /* for phx_progress: "points" */
    void *user;
    /* Compute an item on a worker and leave the result in a slot. Several calls run at a time, with different workers,
     * items and slots; `context` is the worker's. Messages to its log are passed on when the item is handed over. */
    phx_status (*compute)(void *user, phx_context *context, int worker, int item, int slot);
    /* Take the result out of its slot: in the order of the items, on the calling thread. NULL: nothing to do. */
    phx_status (*deliver)(void *user, int item, int slot);
} phx_team_work;
/* The first failure in the order of the items ends the work: its status is returned with its message, the items before
 * it have been handed over, no item after it is. Progress is reported from the calling thread in items handed over (of
 * a single item: what it reports itself); PHX_INTERRUPTED as soon as all workers have noticed. Results that were not
 * handed over stay in their slots. */
phx_status phx_team_run(phx_team *team, const phx_team_work *work);

/* ---- several threads inside one piece of work ----
 * A crew goes through a range in as many contiguous parts as it has threads, the calling thread among them, and comes
 * back when all are done. The parts depend on the range and the number of threads only, never on time; which thread
 * takes a part is left open, so scratch goes by parts. Threads wait some microseconds for the next run, then they
 * sleep. For one calling thread at a time; a task does not run the crew that runs it. */
typedef struct phx_crew phx_crew;
/* Work on [first, end), not empty. `context` is for messages and belongs to the part. */
typedef phx_status phx_crew_task(void *user, phx_context *context, int part, int first, int end);
/* 1 <= threads <= PHX_TEAM_LARGEST; where the system gives fewer the work is done by those. Errors: PHX_ERR_ARGUMENT,
 * PHX_ERR_MEMORY, PHX_ERR_LIBRARY. */
phx_status phx_crew_create(phx_context *context, int threads, phx_crew **crew);
void phx_crew_destroy(phx_crew *crew);    /* NULL is allowed */
int phx_crew_parts(const phx_crew *crew); /* parts of every run; NULL: 1 */
/* Where part `part` of [0, count) begins, and part - 1 ends. */
int phx_crew_first(const phx_crew *crew, int count, int part);
/* All parts of [0, count), empty ones left out; without a crew (NULL) one part on the calling thread. Returns the
 * status, with its message in `context`, of the lowest part that failed; the others are worked on to their end. */
phx_status phx_crew_run(phx_crew *crew, phx_context *context, int count, phx_crew_task *task, void *user);

/* A signal: a real function of time (s) or of time and a normalised place s in [0,1]. */
typedef struct phx_signal phx_signal;
typedef double phx_signal_fn(const void *data, double t, double s);
typedef void phx_signal_free_fn(void *data);

/* The same value at all times. */
phx_status phx_signal_create_constant(phx_context *context, double value, phx_signal **signal);
/* Piecewise linear through (times[i], values[i]), constant outside; times strictly increasing; copied. */
phx_status phx_signal_create_table(phx_context *context, int count, const double *times, const double *values,
                                   phx_signal **signal);
/* The signal owns `data` and frees it with `free_data` (may be NULL), also when the creation fails. `breaks` (may be
 * NULL) are times, ascending, where the function or its first derivative jumps; copied. */
phx_status phx_signal_create_function(phx_context *context, phx_signal_fn *function, void *data,
                                      phx_signal_free_fn *free_data, int n_breaks, const double *breaks,
                                      phx_signal **signal);
void phx_signal_destroy(phx_signal *signal);                              /* NULL is allowed */
double phx_signal_value(const phx_signal *signal, double t);              /* s = 0; a NULL signal is 0 */
double phx_signal_value_at(const phx_signal *signal, double t, double s); /* a NULL signal is 0 */
/* (1/(t1-t0)) ∫ signal dt by 5-point Gauss between breaks, in either direction; the value when t0 = t1. */
double phx_signal_mean(const phx_signal *signal, double t0, double t1);
/* The first declared break of a function after t, s; HUGE_VAL: none. Those of a table are not told. NULL has none. */
double phx_signal_next_break(const phx_signal *signal, double t);
/* Time derivative; on a break, that of the piece after it. Analytic for constants and tables, else by extrapolated
 * difference quotients that stay between breaks. */
double phx_signal_rate(const phx_signal *signal, double t);
bool phx_signal_is_constant(const phx_signal *signal);
/* How often the signal changes direction between t0 and t1 at the place s, as far as 13 samples tell, by more than 2 %
 * of
 * `*largest`, the largest |value| seen so far, which is kept; `range`: of the samples. 0 where a break of a function
 * lies between. */
int phx_signal_turns(const phx_signal *signal, double t0, double t1, double s, double *largest, double *range);
/* A time at which a signal has no finite value, or beside which it grows beyond all bounds. */
typedef struct phx_signal_gap {
    double t;     /* s; of a pole to the last digits */
    double value; /* there: not a number, infinite, or as large as it is beside the pole */
} phx_signal_gap;
/* Whether there is one between t0 and t1, at the place s. A value that is not finite is found where it is sampled, a
 * pole between samples when it stands out from them: seven on each smooth piece, as an integrator takes them in a step.
 * One too narrow for that is not seen, nor is a logarithm's. `gap` may be NULL. */
bool phx_signal_has_gap(const phx_signal *signal, double t0, double t1, double s, phx_signal_gap *gap);

#ifdef __cplusplus
}
#endif
#endif
