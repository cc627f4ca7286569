/* Layer base, for the other layers of the library: errors, memory, words for messages, files, threads,
 * signals as the equations ask them. */
#ifndef PHX_BASE_BASE_H
#define PHX_BASE_BASE_H

#include <phlexor/base.h>

#include <stdatomic.h>

static const double NANOSECOND = 1e-9; /* s */

/* Whether the processor has AVX2, registers of four numbers. */
bool phx_cpu_has_avx2(void);
/* Whether it has AVX-512 (F, DQ, VL), registers of eight. */
bool phx_cpu_has_avx512(void);

/* The log sink that was set last. */
void phx_context_get_log(const phx_context *context, phx_log_fn **log, void **user);

/* Processes (phx_ranks) that compute together what is computed with this context; NULL, as at first: none. */
struct phx_ranks;
void phx_context_set_ranks(phx_context *context, const struct phx_ranks *ranks);
const struct phx_ranks *phx_context_ranks(const phx_context *context);

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
/* The nearest word where it is near enough to be meant, else NULL; "; did you mean 'x'?", else "". */
const char *phx_nearest_word(const phx_nearest *nearest);
phx_shown phx_nearest_hint(const phx_nearest *nearest);

/* Zeroed memory for count*size bytes, checked for overflow; count 0 gives a valid pointer. NULL on failure, with the
 * error recorded. Free with phx_free. */
void *phx_calloc(phx_context *context, size_t count, size_t size);
/* Grow to count*size bytes, the old bytes kept, the new ones not zeroed; on failure NULL and `pointer` stays valid. */
void *phx_realloc(phx_context *context, void *pointer, size_t count, size_t size);
char *phx_strdup(phx_context *context, const char *text);
/* An array of numbers to be made, and where it goes. */
typedef struct phx_array {
    double **at;
    size_t count;
} phx_array;
/* Zeros; PHX_ERR_MEMORY when one of them cannot be made. */
phx_status phx_arrays_create(phx_context *context, size_t n, const phx_array *arrays);
void phx_arrays_free(size_t n, double *const *arrays);
/* Number of allocations made through this context so far, for the test that a time step makes none. */
size_t phx_context_allocations(const phx_context *context);
/* Let the n-th allocation from now fail (0: the next one); negative: never. For tests. */
void phx_context_fail_allocation(phx_context *context, long n);

/* ---- files that are read and written ---- */
/* The question of phx_files_write for several outputs at once (NULL: none), also with respect to each other; lists
 * nothing. */
phx_status phx_files_check(phx_context *context, int count, const char *const *paths);
/* A file that phx_files_write has listed is not made after all. */
void phx_files_give_up(phx_context *context, const char *path);
/* The name that a path leads to, links followed, also where no file is there yet. Free with phx_free; NULL when memory
 * is out. */
char *phx_files_resolve(phx_context *context, const char *path);

/* ---- numbers in texts ---- */
/* Length of the number at `text`: digits with at most one point, and an exponent with digits; 0: there is none. */
int phx_number_length(const char *text);
/* A plain decimal number, whatever the locale; false when the text is more than that. */
bool phx_number_from_text(const char *text, double *value);

/* ---- libraries that are loaded when they are first used ----
 * Those that most runs do not need are not linked, so that a process starts without them (cmake/PhlexorLoaded.cmake).
 */
typedef struct phx_library {
    const char *file;         /* "libcairo.so.2", found as the system finds libraries */
    const char *title;        /* for messages: "Cairo" */
    const char *package;      /* Debian's package of it; NULL or "": not known */
    const char *const *names; /* functions and variables, then NULL */
    void *table;              /* an array of pointers, or a struct of nothing else: where they are, in that order */
    atomic_bool loaded;       /* false at first */
} phx_library;
/* Load it unless that was done, and fill its table; it stays until the process ends. From any thread.
 * PHX_ERR_LIBRARY when it is not there or lacks a name: the message says what to install. */
phx_status phx_library_load(phx_context *context, phx_library *library);

/* ---- work on several threads ----
 * A map of workers goes through numbered items that do not depend on each other; worker 0 is the calling thread. The
 * items are begun in order, computed on any worker and handed over in order on the calling thread, so that what is made
 * of them does not depend on the number of workers nor on time. */
typedef struct phx_ordered_map phx_ordered_map;
enum { PHX_ORDERED_MAP_LARGEST = 1024 };

/* 1 <= threads <= PHX_ORDERED_MAP_LARGEST. Threads are started by phx_ordered_map_run, as many as there are items at
 * most; where the system gives fewer the work is done by those. Errors: PHX_ERR_ARGUMENT, PHX_ERR_MEMORY,
 * PHX_ERR_LIBRARY. */
phx_status phx_ordered_map_create(phx_context *context, int threads, phx_ordered_map **map);
void phx_ordered_map_destroy(phx_ordered_map *map); /* NULL is allowed */
int phx_ordered_map_workers(const phx_ordered_map *map);
/* Places for results on their way from computation to handing over: 1 with one worker. */
int phx_ordered_map_slots(const phx_ordered_map *map);
/* Context of a worker, for all that this worker makes and uses; belongs to the map. */
phx_context *phx_ordered_map_context(const phx_ordered_map *map, int worker);

/* The work of phx_ordered_map_run. */
typedef struct phx_ordered_map_work {
    int count;        /* items 0 .. count-1 */
    const char *what; /* for phx_progress: "points" */
    void *user;
    /* Compute an item on a worker and leave the result in a slot. Several calls run at a time, with different workers,
     * items and slots; `context` is the worker's. Messages to its log are passed on when the item is handed over. */
    phx_status (*compute)(void *user, phx_context *context, int worker, int item, int slot);
    /* Take the result out of its slot: in the order of the items, on the calling thread. NULL: nothing to do. */
    phx_status (*deliver)(void *user, int item, int slot);
} phx_ordered_map_work;
/* The first failure in the order of the items ends the work: its status is returned with its message, the items before
 * it have been handed over, no item after it is. Progress is reported from the calling thread in items handed over (of
 * a single item: what it reports itself); PHX_INTERRUPTED as soon as all workers have noticed. Results that were not
 * handed over stay in their slots. */
phx_status phx_ordered_map_run(phx_ordered_map *map, const phx_ordered_map_work *work);

/* ---- several threads inside one piece of work ----
 * A pool goes through a range in as many contiguous parts as it has threads, the calling thread among them, and comes
 * back when all are done. The parts depend on the range and the number of threads only, never on time; which thread
 * takes a part is left open, so scratch goes by parts. Threads wait some microseconds for the next run, then they
 * sleep. For one calling thread at a time; a task does not run the pool that runs it. */
typedef struct phx_thread_pool phx_thread_pool;
/* Work on [first, end), not empty. `context` is for messages and belongs to the part. */
typedef phx_status phx_thread_pool_task(void *user, phx_context *context, int part, int first, int end);
/* 1 <= threads <= PHX_ORDERED_MAP_LARGEST; where the system gives fewer the work is done by those. Errors:
 * PHX_ERR_ARGUMENT, PHX_ERR_MEMORY, PHX_ERR_LIBRARY. */
phx_status phx_thread_pool_create(phx_context *context, int threads, phx_thread_pool **pool);
void phx_thread_pool_destroy(phx_thread_pool *pool);    /* NULL is allowed */
int phx_thread_pool_parts(const phx_thread_pool *pool); /* parts of every run; NULL: 1 */
/* Where part `part` of [0, count) begins, and part - 1 ends. */
int phx_thread_pool_first(const phx_thread_pool *pool, int count, int part);
/* All parts of [0, count), empty ones left out; without a pool (NULL) one part on the calling thread. Returns the
 * status, with its message in `context`, of the lowest part that failed; the others are worked on to their end. */
phx_status phx_thread_pool_run(phx_thread_pool *pool, phx_context *context, int count, phx_thread_pool_task *task,
                               void *user);

/* ---- archives ----
 * Values one after the other, written to memory or read from it. The functions are the same for both, so that what
 * describes a thing once does it for both: a value is written, or what is read replaces it. The first failure stays
 * and the calls after it do nothing; what they would have read is zero, or NULL. */
typedef struct phx_archive phx_archive;
/* An empty one, to be written; one that reads `bytes`, borrowed. */
phx_status phx_archive_create(phx_context *context, phx_archive **archive);
phx_status phx_archive_open(phx_context *context, size_t size, const void *bytes, phx_archive **archive);
/* n archives of one size read as one: its numbers are sums of weight times theirs; everything else must be the same in
 * all of them, else PHX_ERR_UNSUPPORTED. Bytes and weights are borrowed. */
phx_status phx_archive_open_sum(phx_context *context, int n, size_t size, const void *const *bytes,
                                const double *weight, phx_archive **archive);
void phx_archive_destroy(phx_archive *archive); /* NULL is allowed */
/* The bytes written so far; they belong to the archive. */
const void *phx_archive_bytes(const phx_archive *archive, size_t *size);
bool phx_archives_agree(const phx_archive *one, const phx_archive *other); /* whether both have the same bytes */
phx_context *phx_archive_context(const phx_archive *archive);
bool phx_archive_reads(const phx_archive *archive);
phx_status phx_archive_status(const phx_archive *archive);
/* A failure of the caller's (PHX_OK: none). */
void phx_archive_fail(phx_archive *archive, phx_status status);
void phx_archive_int(phx_archive *archive, int *value);
void phx_archive_long(phx_archive *archive, long *value);
void phx_archive_bool(phx_archive *archive, bool *value);
void phx_archive_double(phx_archive *archive, double *value);
/* A number that must be in 0 .. most; how many things follow, each of a byte at least. */
void phx_archive_choice(phx_archive *archive, int most, int *value);
void phx_archive_count(phx_archive *archive, int *count);
/* So many values where they are. */
void phx_archive_ints(phx_archive *archive, size_t count, int *values);
void phx_archive_doubles(phx_archive *archive, size_t count, double *values);
void phx_archive_block(phx_archive *archive, size_t size, void *block); /* bytes, as another archive has them */
/* Arrays and texts that may be NULL; those that are read are allocated. */
void phx_archive_int_array(phx_archive *archive, size_t count, int **values);
void phx_archive_double_array(phx_archive *archive, size_t count, double **values);
void phx_archive_text(phx_archive *archive, char **text);
/* The values of parameters, for programs that are read from here on; borrowed by them. */
void phx_archive_take_parameters(phx_archive *archive, int count, const double *values);
const double *phx_archive_parameters(const phx_archive *archive, int *count);

/* ---- compiled expressions ----
 * Postfix code on a stack of numbers. Made by its steps in order: what an operator or a function takes comes before it.
 * Not for several threads. */
typedef struct phx_program phx_program;
typedef enum phx_program_operation {
    PHX_PROGRAM_NUMBER,
    PHX_PROGRAM_VARIABLE,
    PHX_PROGRAM_PARAMETER,
    PHX_PROGRAM_NEGATE,
    PHX_PROGRAM_ADD,
    PHX_PROGRAM_SUBTRACT,
    PHX_PROGRAM_MULTIPLY,
    PHX_PROGRAM_DIVIDE,
    PHX_PROGRAM_POWER,
    PHX_PROGRAM_LESS,
    PHX_PROGRAM_LESS_EQUAL,
    PHX_PROGRAM_GREATER,
    PHX_PROGRAM_GREATER_EQUAL,
    PHX_PROGRAM_EQUAL,
    PHX_PROGRAM_NOT_EQUAL,
    PHX_PROGRAM_AND,
    PHX_PROGRAM_OR,
    PHX_PROGRAM_CALL,
    PHX_PROGRAM_OPERATIONS
} phx_program_operation;
phx_status phx_program_create(phx_context *context, phx_program **program);
void phx_program_destroy(phx_program *program); /* NULL is allowed */
phx_status phx_program_number(phx_program *program, double value);
phx_status phx_program_variable(phx_program *program, int variable);
/* The value of a parameter, number `parameter` of `values`, which the program borrows and which may change; all of a
 * program stand in the same array. */
phx_status phx_program_parameter(phx_program *program, int parameter, const double *values);
phx_status phx_program_operate(phx_program *program, phx_program_operation operation);
phx_status phx_program_call(phx_program *program, int function, int count);
/* Its value; nothing is allocated. */
double phx_program_value(const phx_program *program, const double *variables);
/* The same with the first two derivatives by variable 0; where a comparison jumps, those of the side it takes. */
void phx_program_derivatives(const phx_program *program, const double *variables, double jet[3]);
/* The same by any variable. */
void phx_program_partial(const phx_program *program, int variable, const double *variables, double jet[3]);
/* Whether it names a variable. */
bool phx_program_varies(const phx_program *program);
/* Its conditions, the numbers whose signs decide which piece of it holds: x - y of a comparison, x of abs, sign and
 * step, x_i - x_j of min and max, t - t0 and t - t1 of a ramp. NaN: another variable than the first has a part in it.
 * Returns their number, which is always the same; writes `most` at most. 0 also where a function has too many
 * arguments.
 */
int phx_program_conditions(const phx_program *program, const double *variables, int most, double *condition);
/* Whether one of its conditions follows a parameter. */
bool phx_program_conditions_move(const phx_program *program);
/* The roots of the conditions that are affine functions of the first variable alone, as far as their values at 0, 1, 2
 * and 3 tell: ascending, each once, at most PHX_PROGRAM_MOST_BREAKS. Returns their number. */
enum { PHX_PROGRAM_MOST_BREAKS = 64 };
int phx_program_breaks(const phx_program *program, double breaks[PHX_PROGRAM_MOST_BREAKS]);
/* One of so many variables; allocated when it is read. */
void phx_program_archive(phx_archive *archive, int n_variables, phx_program **program);

/* The functions of expressions: their names, NULL past the end, and how many values they take. */
const char *phx_function_name(int index);
void phx_function_arity(int index, int *least, int *most);

/* ---- signals ---- */
/* A signal of t and s, the two variables of a program, which is taken over. Its breaks are phx_program_breaks. */
phx_status phx_signal_create_program(phx_context *context, phx_program *program, phx_signal **signal);
/* An input that a program around the library adds to a signal: value + slope (t - since). */
typedef struct phx_signal_input {
    double value, slope, since;
} phx_signal_input;
/* *signal (NULL: zero) becomes the sum of itself and the input, which is borrowed and may change between two
 * intervals. */
phx_status phx_signal_add_input(phx_context *context, const phx_signal_input *input, phx_signal **signal);
/* Any signal, NULL too; allocated when it is read. PHX_ERR_UNSUPPORTED for a function of the caller's. */
void phx_signal_archive(phx_archive *archive, phx_signal **signal);
/* (1/(t1-t0)) ∫ signal dt by 5-point Gauss between breaks, in either direction; the value when t0 = t1. */
double phx_signal_mean(const phx_signal *signal, double t0, double t1);
/* The first declared break of a function after t, s; HUGE_VAL: none. Those of a table are not told. NULL has none. */
double phx_signal_next_break(const phx_signal *signal, double t);
/* The places in (from, to] where a condition of an expression changes its sign become breaks, beside those that its
 * text told. A condition that changes faster than a 65537th of the time has none; two changes within a thousandth may
 * be missed. */
phx_status phx_signal_find_breaks(phx_context *context, phx_signal *signal, double from, double to);
/* The same from the beginning, of an expression whose conditions follow a parameter; nothing happens to others. */
phx_status phx_signal_renew_breaks(phx_context *context, phx_signal *signal, double from, double to);
/* Time derivative; on a break, that of the piece after it. Analytic for constants and tables, else by extrapolated
 * difference quotients that stay between breaks. */
double phx_signal_rate(const phx_signal *signal, double t);
bool phx_signal_is_constant(const phx_signal *signal);
/* Whether it is constant but for parameters. */
bool phx_signal_is_steady(const phx_signal *signal);
/* The points of a table, borrowed: their number, 0 for any other signal. `times`, `values` may be NULL. */
int phx_signal_points(const phx_signal *signal, const double **times, const double **values);

/* The derivative of order 0, 1 or 2: exact for tables, polynomials and programs; that of a function is by difference
 * quotients, 0 for order 2. */
double phx_signal_derivative(const phx_signal *signal, double t, int order);
/* The time derivative of a signal, which it takes over, also on failure. Its mean over an interval is the exact
 * increment of that signal over its length. */
phx_status phx_signal_create_derivative(phx_context *context, phx_signal *of, phx_signal **signal);
const phx_signal *phx_signal_primitive(const phx_signal *signal); /* what it is the derivative of; NULL: of none */
/* How often the signal changes direction between t0 and t1 at the place s, as far as 13 samples tell, by more than 2 %
 * of
 * `*largest`, the largest |value| seen so far, which is kept; `range`: of the samples. 0 where a break of a function
 * lies between. */
int phx_signal_turns(const phx_signal *signal, double t0, double t1, double s, double *largest, double *range);
/* A time at which a signal has no finite value, or beside which it grows beyond all bounds. */
typedef struct phx_signal_singularity {
    double t;     /* s; of a pole to the last digits */
    double value; /* there: not a number, infinite, or as large as it is beside the pole */
} phx_signal_singularity;
/* Whether there is one between t0 and t1, at the place s. A value that is not finite is found where it is sampled, a
 * pole between samples when it stands out from them: seven on each smooth piece, as an integrator takes them in a step.
 * One too narrow for that is not seen, nor is a logarithm's. `singularity` may be NULL. */
bool phx_signal_is_singular(const phx_signal *signal, double t0, double t1, double s,
                            phx_signal_singularity *singularity);

/* The entry `count` behind the start of a block that several arrays share; NULL where there is no block. */
static inline double *phx_behind(double *block, size_t count)
{
    return block ? block + count : NULL;
}

/* ---- values of signals ---- */
double phx_signal_value(const phx_signal *signal, double t);              /* s = 0; a NULL signal is 0 */
double phx_signal_value_at(const phx_signal *signal, double t, double s); /* a NULL signal is 0 */

#endif
