/* Drives and loads that vary faster than steps can see: a warning for each, once. A few steps are looked at, so a step
 * costs nothing worth speaking of. */
#include "system/forces/forces.h"

#include <math.h>

/* The FIRST steps are looked at, then each SOME-th. So many TURNS in a step, in STEPS of those looked at, are too many:
 * one or two are what a resolved signal has at its extremes, a pulse in a table also has more, but not again and again.
 */
enum { FIRST = 32, SOME = 16, TURNS = 3, STEPS = 3, MOST_HALVINGS = 100 };

struct watched_signal {
    const phx_signal *signal;
    double s; /* place on a beam */
    const char *who, *name, *what;
    double largest; /* so far */
    int fast;       /* steps with too many turns; -1: said */
};

static void signal_speed_add(signal_watch *watch, const watched_signal *one)
{
    if (!phx_signal_is_constant(one->signal))
        watch->signal[watch->n++] = *one;
}

/* Adds the signals of a load or actuator that vary in time to the watch. */
static void add_force(signal_watch *watch, const force_slot *force)
{
    const bool distributed = force->kind == FORCE_DISTRIBUTED;
    for (int a = 0; a < 3 && force->kind != FORCE_COORDINATE; a++)
        signal_speed_add(watch,
                         &(watched_signal){.signal = force->signal[a],
                                           .s = distributed ? 0.5 : 0.0,
                                           .who = phx_sys_force_of(force)->noun,
                                           .name = force->name,
                                           .what = force->kind == FORCE_DRAG || force->kind == FORCE_WIND ? "wind"
                                                   : distributed                        ? "force per length"
                                                   : force->kind == FORCE_LINE          ? "force"
                                                   : force->load.kind == PHX_LOAD_FORCE ? "force"
                                                                                        : "torque"});
}

/* Collects the signals of drives, actuators and loads that the watch observes. A system whose signals do not vary needs
 * no list. */
phx_status phx_sys_watch_signals(phx_context *context, const phx_system *system, signal_watch *watch)
{
    size_t most = 3 * (size_t)system->n_forces;

    if (!system->traits.varies)
        return PHX_OK;
    for (int j = 0; j < system->n_joints; j++)
        most += 2 * (size_t)system->joints[j].n_coordinates;
    watch->signal = phx_calloc(context, most, sizeof *watch->signal);
    if (!watch->signal)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            const phx_coordinate_def *def = &system->joints[j].coordinates[c].def;
            const char *name = system->joints[j].name;
            signal_speed_add(watch,
                             &(watched_signal){.signal = def->speed, .who = "joint", .name = name, .what = "speed"});
            signal_speed_add(watch,
                             &(watched_signal){.signal = def->effort, .who = "joint", .name = name, .what = "effort"});
        }
    for (int i = 0; i < system->n_forces; i++)
        add_force(watch, &system->forces[i]);
    return PHX_OK;
}

void phx_sys_watch_free(signal_watch *watch)
{
    phx_free(watch->signal);
}

/* The longest step, halved from the one given, in which the signal has one extreme at most. */
static double step_that_sees(const watched_signal *one, double t, double h)
{
    double largest = one->largest, range = 0.0;
    for (int k = 0; k < MOST_HALVINGS && phx_signal_turns(one->signal, t, t + h, one->s, &largest, &range) > 1; k++)
        h *= 0.5;
    return h;
}

/* Counts the direction changes of one signal between t0 and t1 and warns once, after STEPS steps with TURNS or more,
 * that the steps are too long for it. */
static void signal_speed_look(phx_context *context, watched_signal *one, double t0, double t1)
{
    double range = 0.0;

    if (one->fast < 0)
        return;
    const int turns = phx_signal_turns(one->signal, t0, t1, one->s, &one->largest, &range);
    if (turns < TURNS || ++one->fast < STEPS)
        return;
    one->fast = -1;
    phx_log(
        context, PHX_LOG_WARNING,
        "%s '%s': the %s varies faster than the steps can see: between t = %.9g s and %.9g s, one step of %.3g s, it "
        "changes direction %d times or more and by up to %.3g; motion and work are those of a few samples of it. Take "
        "steps of %.1g s at most, or leave out what is that fast",
        one->who, one->name, one->what, t0, t1, t1 - t0, turns, range, step_that_sees(one, t0, t1 - t0));
}

void phx_sys_look_at_signals(workspace *ws, double t0, double t1)
{
    signal_watch *watch = &ws->signals;
    const long steps = watch->steps++;

    if (steps >= FIRST && steps % SOME != 0)
        return;
    for (int i = 0; i < watch->n; i++)
        signal_speed_look(ws->base.context, &watch->signal[i], t0, t1);
}
