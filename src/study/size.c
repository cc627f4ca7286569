/* Estimates the size of a run before it begins: instants, points, bytes and seconds. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static const double MANY_INSTANTS = 1e8, MANY_BYTES = 1e11, MANY_POINTS = 1e6;
static const double WORTH_A_TRIAL = 1e6; /* instants or points below which no run is large */
enum { TRIAL_STEPS = 20 };

/* Bytes per recorded instant and seconds per step of one simulation, measured in its first steps. */
typedef struct trial {
    double bytes, seconds_per_step; /* NAN: unknown */
} trial;

static phx_simulate_options shortened(const phx_simulate_options *options, const phx_integrate_options *used)
{
    phx_simulate_options shorter = *options;
    const double step = used->step > 0.0 ? used->step : used->end / 100.0;

    shorter.end = (phx_model_optional){.given = true, .value = fmin(used->end, TRIAL_STEPS * step)};
    shorter.every = (phx_model_optional){.given = true, .value = shorter.end.value};
    shorter.h5_path = shorter.csv_path = NULL;
    return shorter;
}

/* Errors of the model are reported by the run itself; here they only mean that the size is unknown. */
static trial try_steps(const phx_model *model, const phx_simulate_options *options, const phx_integrate_options *used)
{
    const phx_simulate_options shorter = shortened(options, used);
    const phx_simulation_setup setup = {.options = &shorter};
    phx_context *silent = NULL;
    phx_simulate_report report;
    phx_simulation s = {0};
    trial found = {NAN, NAN};

    if (phx_context_create(&silent) != PHX_OK)
        return found;
    const phx_status status = phx_simulation_run(silent, model, &setup, &report, &s);
    if (s.system)
        found.bytes =
            8.0 * (PHX_FIXED_COLUMNS + phx_system_columns(s.system) + phx_system_controller_columns(s.system) +
                   phx_system_ledger(s.system) + phx_system_n_x(s.system) + phx_system_n_v(s.system));
    if (!status && report.stats.steps > 0)
        found.seconds_per_step = report.stats.wall_seconds / (double)report.stats.steps;
    phx_simulation_free(&s);
    phx_context_destroy(silent);
    return found;
}

static double intervals(double end, double interval)
{
    return interval > 0.0 ? ceil(end / interval) : 0.0;
}

/* Estimates instants, bytes and time of a simulation or a batch; large ones are timed by a few trial steps. Bytes and
 * time are NaN if no trial was made. */
phx_status phx_study_simulate_size(phx_context *context, const phx_model *model, const phx_simulate_options *options,
                                   const phx_sweep *sweep, phx_run_size *size)
{
    if (!model || !options || !size)
        return phx_fail_null(context, __func__, "model, options or size");
    phx_integrate_options used;
    phx_status status = phx_simulation_settle(context, model, options, &used);

    *size = (phx_run_size){.points = sweep ? phx_sweep_points(sweep) : 1.0, .bytes = NAN, .seconds = NAN};
    if (status)
        return status;
    const double steps = fmax(intervals(used.end, used.step), intervals(used.end, used.every));
    size->instants = 1.0 + (used.every > 0.0 ? intervals(used.end, used.every) : intervals(used.end, used.step));
    size->instants *= size->points;
    if (size->instants < WORTH_A_TRIAL && size->points < WORTH_A_TRIAL)
        return PHX_OK;
    const trial found = try_steps(model, options, &used);
    size->bytes = size->instants * found.bytes;
    size->seconds = size->points * steps * found.seconds_per_step;
    size->large = size->instants >= MANY_INSTANTS || size->points > MANY_POINTS || size->bytes >= MANY_BYTES;
    return PHX_OK;
}

static double wall_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + NANOSECOND * (double)now.tv_nsec;
}

/* Estimates points, bytes and time of a sweep of modes from the modes of the model itself. Bytes and time are NaN if
 * that is not worthwhile or fails. */
phx_status phx_study_modes_size(phx_context *context, const phx_model *model, const phx_study_modes_options *options,
                                phx_run_size *size)
{
    if (!model || !options || !size)
        return phx_fail_null(context, __func__, "model, options or size");
    phx_study_modes_options one = *options;
    phx_study_modes_report report;
    phx_modes_table table = {0};
    phx_context *silent = NULL;

    *size =
        (phx_run_size){.points = options->sweep ? phx_sweep_points(options->sweep) : 1.0, .bytes = NAN, .seconds = NAN};
    if (size->points < WORTH_A_TRIAL)
        return PHX_OK;
    one.sweep = NULL;
    one.threads = 1;
    const double begun = wall_clock();
    phx_status status = phx_context_create(&silent);
    if (status)
        return phx_fail(context, status, "out of memory for a trial of the modes");
    if (phx_study_modes(silent, model, &one, &table, &report) == PHX_OK) {
        size->seconds = size->points * (wall_clock() - begun);
        size->bytes = size->points * 8.0 * (table.n_rows * (5.0 + 2.0 * table.n_coordinates) + table.n_x);
    }
    phx_modes_free(&table);
    phx_context_destroy(silent);
    size->large = size->points > MANY_POINTS;
    return PHX_OK;
}

/* ---- in words ---- */
static const char *shown_bytes(double bytes, size_t size, char *text)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;

    for (bytes /= 1e3; bytes >= 1e3 && unit < 5; bytes /= 1e3)
        unit++;
    snprintf(text, size, "about %.3g %s", bytes, units[unit]);
    return text;
}

/* Formats a duration in the largest unit of which it has at least two; returns text. */
static const char *shown_time(double seconds, size_t size, char *text)
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {{2.0 * 31557600.0, 31557600.0, "years"},
                 {2.0 * 86400.0, 86400.0, "days"},
                 {2.0 * 3600.0, 3600.0, "hours"},
                 {120.0, 60.0, "minutes"},
                 {0.0, 1.0, "s"}};
    int k = 0;

    while (seconds < units[k].least)
        k++;
    snprintf(text, size, "about %.3g %s", seconds / units[k].unit, units[k].name);
    return text;
}

/* Fails with size, time and remedy if the run counts as large, else returns success. */
phx_status phx_run_size_refuse(phx_context *context, const phx_run_size *size, const char *remedy)
{
    if (!size || !remedy)
        return phx_fail_null(context, __func__, "size or remedy");
    char what[120] = "", bytes[40] = "an unknown size", seconds[40] = "an unknown time";
    int used = 0;

    if (!size->large)
        return PHX_OK;
    if (size->points > 1.0)
        used = snprintf(what, sizeof what, "%.0f points%s", size->points, size->instants > 0.0 ? " with " : "");
    if (size->instants > 0.0)
        snprintf(what + used, sizeof what - (size_t)used, "%.0f instants%s", size->instants,
                 size->points > 1.0 ? " in all" : "");
    if (isfinite(size->bytes))
        shown_bytes(size->bytes, sizeof bytes, bytes);
    if (isfinite(size->seconds))
        shown_time(size->seconds, sizeof seconds, seconds);
    return phx_fail(context, PHX_ERR_ARGUMENT, "this makes %s: %s of results and %s on one thread; %s", what, bytes,
                    seconds, remedy);
}
