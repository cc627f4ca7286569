/* Whether a run keeps the invariants of its method: the balance of energy and closed joints. */
#include "internal.h"

#include <float.h>
#include <math.h>

/* Allowed errors relative to the largest energy exchanged, the largest position, the largest velocity. EXACT: of
 * methods that keep a quantity up to the residual of Newton's iteration. ORDER: of other methods with fixed steps. With
 * tolerances the error of a run is up to TOLERANCES times them. */
static const double EXACT = 1e-9, ORDER = 1e-6, TOLERANCES = 100.0;
/* Rounding of a state and of sums over it; the drift that is always allowed, m (angles times 1 m) and m/s. */
static const double CREATED =
    0.1; /* of the energy, by Gauss' methods in steps that do not resolve the motion: runs away */
static const double ROUNDED = 64.0 * DBL_EPSILON, SMALL_DRIFT = 1e-11;

/* Creates the monitor of energy and joints: it allows round-off where the integrator conserves a quantity, else the
 * error that tolerance or order promise. */
phx_monitor phx_monitor_create(const phx_system *system, const phx_simulate_report *report)
{
    const phx_integrate_options *used = &report->used;
    const phx_integrator_traits *method = phx_integrator_get(used->integrator);
    const phx_keeping least = phx_system_deforms(system) ? PHX_KEEPS_EXACTLY : PHX_KEEPS_RIGID;
    const bool full = phx_system_balances(system); /* without, ports do not follow the deformation */
    const bool solved = used->iterations == 0;     /* Newton's iteration goes down to rounding */
    const double rtol = used->rtol > 0.0 ? used->rtol : method->rtol;
    const double inexact = rtol > 0.0 ? fmax(TOLERANCES * rtol, EXACT) : ORDER;
    phx_monitor monitor = {.system = system, .report = report};

    monitor.keeps_energy = method->energy == PHX_KEEPS_EXACTLY && full && solved;
    monitor.keeps_joints = method->joints >= least && full && solved;
    monitor.of_energy = monitor.keeps_energy ? EXACT : method->energy ? fmax(inexact, ORDER) : inexact;
    monitor.of_joints = monitor.keeps_joints ? EXACT : inexact;
    return monitor;
}

static void monitor_grow(double *largest, double value)
{
    *largest = fmax(*largest, fabs(value));
}

/* Update the largest energies exchanged so far between bodies, springs and the world, and the largest sizes. Rows may
 * all be recorded where nothing is exchanged, at turning points; what the integrator has seen at every step counts too.
 */
static void monitor_measure(phx_monitor *monitor, const double *row, const phx_sizes *sizes)
{
    if (!monitor->started) {
        monitor->started = true;
        monitor->potential0 = row[PHX_COLUMN_POTENTIAL];
        monitor->moving0 = row[PHX_COLUMN_KINETIC];
        monitor->drift0 = row[PHX_COLUMN_DRIFT];
        monitor->drift_rate0 = row[PHX_COLUMN_DRIFT_RATE];
    }
    monitor_grow(&monitor->energy, row[PHX_COLUMN_KINETIC]);
    monitor_grow(&monitor->energy, row[PHX_COLUMN_ELASTIC]);
    monitor_grow(&monitor->energy, row[PHX_COLUMN_POTENTIAL] - monitor->potential0);
    monitor_grow(&monitor->energy, row[PHX_COLUMN_SUPPLIED]);
    monitor_grow(&monitor->energy, row[PHX_COLUMN_DISSIPATED]);
    monitor_grow(&monitor->energy, monitor->report->stats.largest_kinetic);
    monitor_grow(&monitor->reach, sizes->reach);
    monitor_grow(&monitor->speed, sizes->speed);
}

/* Rounding error of the balance of energy, J: of the sums over the bodies, and of the velocities that are differences
 * of positions over a step. */
static double rounding(const phx_monitor *monitor, const double *row, const phx_sizes *sizes)
{
    const phx_integrate_stats *stats = &monitor->report->stats;
    const double h = stats->smallest_step > 0.0 ? stats->smallest_step : monitor->report->used.step;
    const double speed = h > 0.0 ? ROUNDED / h : 0.0;

    return ROUNDED * sqrt(1.0 + (double)stats->steps) * (sizes->weight + fabs(row[PHX_COLUMN_POTENTIAL])) +
           sizes->inertia * speed * speed + DBL_MIN;
}

static const char *method_of(const phx_monitor *monitor)
{
    return phx_integrator_name(monitor->report->used.integrator);
}

static const char *remedy_of(const phx_monitor *monitor)
{
    const phx_integrate_options *used = &monitor->report->used;

    return used->rtol > 0.0 ? "a smaller rtol" : used->iterations > 0 ? "more iterations" : "a smaller step";
}

/* A method that keeps joints closed. */
static const char *closes_of(const phx_monitor *monitor)
{
    return monitor->report->used.iterations > 0 ? "midpoint without iterations" : "midpoint";
}

static phx_status stop(const phx_monitor *monitor, phx_context *context, double t, const char *what, double value,
                       const char *unit, double relative, const char *of)
{
    return phx_fail(context, PHX_ERR_ANALYSIS,
                    "%s stopped at t = %.9g s: %s by %.2g %s, %.2g of %s, but %s should keep it below %.0e; try %s, or "
                    "another start",
                    method_of(monitor), t, what, value, unit, relative, of, method_of(monitor), EXACT,
                    remedy_of(monitor));
}

/* NaN counts as more than allowed. */
static bool exceeds(double value, double allowed)
{
    return !(value <= allowed);
}

static double allowed_residual(const phx_monitor *monitor)
{
    return monitor->of_energy * monitor->energy + monitor->rounding;
}

static double allowed_drift(const phx_monitor *monitor)
{
    return monitor->drift0 + monitor->of_joints * monitor->reach + SMALL_DRIFT;
}

static double allowed_drift_rate(const phx_monitor *monitor)
{
    return monitor->drift_rate0 + monitor->of_joints * monitor->speed + SMALL_DRIFT;
}

static void keep_largest(double *largest, double *at, double value, double t)
{
    if (value <= *largest)
        return;
    *largest = value;
    *at = t;
}

/* Accounts for one output row and records the largest residuals. Fails if a quantity that the integrator conserves is
 * off by more than round-off, or if it has created energy. */
phx_status phx_monitor_look(phx_monitor *monitor, phx_context *context, const double *row, const double *x,
                            const double *v)
{
    const double t = row[PHX_COLUMN_T], residual = fabs(row[PHX_COLUMN_RESIDUAL]);
    const double drift = row[PHX_COLUMN_DRIFT], rate = row[PHX_COLUMN_DRIFT_RATE];
    phx_sizes sizes;

    phx_system_sizes(monitor->system, x, v, &sizes);
    monitor_measure(monitor, row, &sizes);
    monitor_grow(&monitor->rounding, rounding(monitor, row, &sizes));
    keep_largest(&monitor->residual, &monitor->residual_t, residual, t);
    keep_largest(&monitor->drift, &monitor->drift_t, drift, t);
    keep_largest(&monitor->drift_rate, &monitor->drift_rate_t, rate, t);
    if (monitor->keeps_energy && exceeds(residual, allowed_residual(monitor))) /* rarely asked, as it takes a while */
        monitor_grow(&monitor->rounding,
                     rounding(monitor, row, &sizes) + ROUNDED * sqrt(1.0 + (double)monitor->report->stats.steps) *
                                                          phx_system_force_work(monitor->system, x, v));
    if ((monitor->keeps_energy || isnan(residual)) && exceeds(residual, allowed_residual(monitor)))
        return stop(monitor, context, t, "the balance of energy is open", residual, "J", residual / monitor->energy,
                    "the energy");
    const phx_integrate_options *used = &monitor->report->used;
    if (phx_integrator_get(used->integrator)->energy == PHX_KEEPS_RIGID && used->rtol == 0.0 &&
        monitor->moving0 > 0.0 && row[PHX_COLUMN_RESIDUAL] > CREATED * monitor->energy + monitor->rounding)
        return phx_fail(context, PHX_ERR_ANALYSIS,
                        "%s stopped at t = %.9g s: it created %.2g J, %.2g of the energy, by numerical error; try %s, "
                        "or midpoint, which preserves the energy at any step",
                        method_of(monitor), t, residual, residual / monitor->energy, remedy_of(monitor));
    if ((monitor->keeps_joints || isnan(drift)) && exceeds(drift, allowed_drift(monitor)))
        return stop(monitor, context, t, "a joint is open", drift, "m", drift / monitor->reach,
                    "the mechanism's reach");
    if ((monitor->keeps_joints || isnan(rate)) && exceeds(rate, allowed_drift_rate(monitor)))
        return stop(monitor, context, t, "a joint slides", rate, "m/s", rate / monitor->speed, "the mechanism's speed");
    return PHX_OK;
}

double phx_monitor_error(const phx_monitor *monitor)
{
    const double of[3][3] = {{monitor->residual, allowed_residual(monitor), monitor->energy},
                             {monitor->drift, allowed_drift(monitor), monitor->reach},
                             {monitor->drift_rate, allowed_drift_rate(monitor), monitor->speed}};
    double largest = 0.0;

    for (int k = 0; k < 3; k++)
        if (exceeds(of[k][0], of[k][1]))
            largest = fmax(largest, isnan(of[k][0]) ? HUGE_VAL : of[k][0] / fmax(of[k][2], DBL_MIN));
    return largest;
}

/* Warns at the end of a run if energy balance, joint positions or joint rates were violated beyond what the settings
 * promise, and names a remedy. */
void phx_monitor_conclude(const phx_monitor *monitor, phx_context *context)
{
    const char *remedy = remedy_of(monitor), *closes = closes_of(monitor);
    const double damped = monitor->report->used.step * phx_system_damper_rate(context, monitor->system);
    const char *other = !phx_system_balances(monitor->system) ? "kinetics: full"
                        : damped > 2.0 ? "leave it: midpoint closes it, but a damper is too strong for it at this step"
                        : monitor->report->used.integrator != PHX_MIDPOINT ? "midpoint, which closes it"
                                                                           : closes;
    const char *name = phx_integrator_name(monitor->report->used.integrator);

    if (exceeds(monitor->residual, allowed_residual(monitor)))
        phx_log(context, PHX_LOG_WARNING,
                "%s violates the energy balance by up to %.2g J (t = %.9g s), %.2g of the energy, more than the %.0e "
                "expected from its settings; try %s, or %s",
                name, monitor->residual, monitor->residual_t, monitor->residual / monitor->energy, monitor->of_energy,
                remedy, other);
    if (exceeds(monitor->drift, allowed_drift(monitor)))
        phx_log(context, PHX_LOG_WARNING,
                "%s opens a joint by up to %.2g m (t = %.9g s), %.2g of the mechanism's size, more than the %.0e "
                "expected from its settings; try %s, or %s, which keeps it closed",
                name, monitor->drift, monitor->drift_t, monitor->drift / monitor->reach, monitor->of_joints, remedy,
                closes);
    if (exceeds(monitor->drift_rate, allowed_drift_rate(monitor)))
        phx_log(context, PHX_LOG_WARNING,
                "%s lets a joint slide with up to %.2g m/s (t = %.9g s), %.2g of the mechanism's speed, more than the "
                "%.0e expected from its settings; try %s, or %s, which keeps it closed",
                name, monitor->drift_rate, monitor->drift_rate_t, monitor->drift_rate / monitor->speed,
                monitor->of_joints, remedy, closes);
}
