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

/* A context carries the last error, the log sink and the progress callback of one thread of work. Every create
 * function takes the context it reports to; the context must outlive what was created with it. */
typedef struct phx_context phx_context;

/* Messages of the log, and the function that takes them. */
typedef enum phx_log_level { PHX_LOG_INFO, PHX_LOG_WARNING } phx_log_level;
typedef void phx_log_fn(void *user, phx_log_level level, const char *message);
/* Called between steps of long work: `done` of `total` in the units of `what`. Return false to stop the work, which
 * then ends with PHX_INTERRUPTED and keeps what was computed. */
typedef bool phx_progress_fn(void *user, const char *what, double done, double total);

/* A context without log sink and progress callback; destroy it last. */
phx_status phx_context_create(phx_context **context);
void phx_context_destroy(phx_context *context); /* NULL is allowed */
void phx_context_set_log(phx_context *context, phx_log_fn *log, void *user);
void phx_context_set_progress(phx_context *context, phx_progress_fn *progress, void *user);

/* Message of the last error, "" when there is none or the last call that makes or computes something has succeeded.
 * Valid until the next call with this context. */
const char *phx_context_message(const phx_context *context);

/* Memory that a declaration says to free so; NULL is allowed. */
void phx_free(void *pointer);

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

/* Processors that there are, at least 1. */
int phx_processors(void);

/* ---- signals ---- */
/* A signal: a real function of time (s) or of time and a normalised place s in [0,1]. */
typedef struct phx_signal phx_signal;
typedef double phx_signal_fn(const void *data, double t, double s);
typedef void phx_signal_free_fn(void *data);

/* The same value at all times. */
phx_status phx_signal_create_constant(phx_context *context, double value, phx_signal **signal);
/* Piecewise linear through (times[i], values[i]), constant outside; times strictly increasing; copied. */
phx_status phx_signal_create_table(phx_context *context, int count, const double *times, const double *values,
                                   phx_signal **signal);
/* Cubic, twice continuously differentiable, through at least two points; constant outside. The ends are those of the
 * cubics through the nearest points (the third derivative does not jump at the second and the last but one), or `rest`:
 * the rate is zero there. */
phx_status phx_signal_create_spline(phx_context *context, int count, const double *times, const double *values,
                                    bool rest, phx_signal **signal);
/* From one value, kept until t0, to another, kept from t1 on: x^3 (10 - 15 x + 6 x^2) between, twice continuously
 * differentiable. */
phx_status phx_signal_create_ramp(phx_context *context, double t0, double t1, double from, double to,
                                  phx_signal **signal);
/* The same at a rate that rises evenly for `rise`, is held, and falls evenly for `fall` (s, together at most t1 - t0).
 */
phx_status phx_signal_create_trapezoidal(phx_context *context, double t0, double t1, double from, double to,
                                         double rise, double fall, phx_signal **signal);
/* The signal owns `data` and frees it with `free_data` (may be NULL), also when the creation fails. `breaks` (may be
 * NULL) are times, ascending, where the function or its first derivative jumps; copied. */
phx_status phx_signal_create_function(phx_context *context, phx_signal_fn *function, void *data,
                                      phx_signal_free_fn *free_data, int n_breaks, const double *breaks,
                                      phx_signal **signal);
/* Input shapers for one mode of vibration. */
typedef enum phx_shaper_kind {
    PHX_SHAPER_ZV,  /* two impulses: no residual vibration at the frequency */
    PHX_SHAPER_ZVD, /* three: nor does it change there with the frequency */
    PHX_SHAPER_EI   /* three: `tolerance` at the frequency, none at a lower and a higher one */
} phx_shaper_kind;
typedef struct phx_shaper {
    phx_shaper_kind kind;
    double frequency, damping; /* of the mode: Hz, undamped; ratio, [0, 1) */
    double tolerance;          /* of ei: residual vibration over that without a shaper, [0, 1) */
} phx_shaper;
/* The sum of copies of `of` behind each other in time, with amplitudes that add up to 1; before t = 0 `of` rests at its
 * value there. `of` is taken over, on failure too. PHX_ERR_ARGUMENT for numbers out of range. */
phx_status phx_signal_create_shaped(phx_context *context, phx_signal *of, const phx_shaper *shaper,
                                    phx_signal **signal);
void phx_signal_destroy(phx_signal *signal); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
