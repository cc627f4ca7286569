/* Whether what drives and loads are given as functions of time is finite. */
#include "system/forces/forces.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* A signal and whose it is. */
typedef struct given {
    const phx_signal *signal;
    double s;               /* place on a beam */
    const char *who, *name; /* "joint 'pin'" */
    const char *what;       /* "speed" */
    int number;             /* of the component, from 1; 0: it has one only */
} given;

/* Fails if a signal is not finite or has a pole between t0 and t1; the message names its owner and the time. */
static phx_status signals_check(phx_context *context, const given *data, double t0, double t1)
{
    phx_signal_singularity singularity;
    char number[32] = "";

    if (!phx_signal_is_singular(data->signal, t0, t1, data->s, &singularity))
        return PHX_OK;
    if (data->number > 0)
        snprintf(number, sizeof number, " (component %d)", data->number);
    if (!isfinite(singularity.value))
        return phx_fail(context, PHX_ERR_ANALYSIS,
                        "%s '%s': the %s%s is %s at t = %.9g s, expected a finite value; give one that is finite at "
                        "all times, or let the run end before",
                        data->who, data->name, data->what, number,
                        isnan(singularity.value)  ? "not a number"
                        : singularity.value > 0.0 ? "infinite"
                                                  : "minus infinite",
                        singularity.t);
    return phx_fail(context, PHX_ERR_ANALYSIS,
                    "%s '%s': the %s%s has a pole at t = %.9g s, where it exceeds %.1g; give one that is finite at all "
                    "times, or let the run end before",
                    data->who, data->name, data->what, number, singularity.t, fabs(singularity.value));
}

/* Checks the speeds and efforts of all coordinates of a joint for finite values between t0 and t1. */
static phx_status check_joint(phx_context *context, const joint_slot *joint, double t0, double t1)
{
    phx_status status = PHX_OK;

    for (int c = 0; c < joint->n_coordinates && !status; c++) {
        const phx_coordinate_def *def = &joint->coordinates[c].def;
        given data = {.who = "joint", .name = joint->name, .number = joint->n_coordinates > 1 ? c + 1 : 0};
        data.signal = def->speed;
        data.what = "speed";
        status = signals_check(context, &data, t0, t1);
        data.signal = def->effort;
        data.what = "effort";
        if (!status)
            status = signals_check(context, &data, t0, t1);
    }
    return status;
}

/* A distributed load at its ends and in the middle: places are not searched, only times. */
static phx_status check_force(phx_context *context, const force_slot *force, double t0, double t1)
{
    const bool distributed = force->kind == FORCE_DISTRIBUTED;
    const double places[] = {0.0, 0.5, 1.0};
    phx_status status = PHX_OK;

    for (int k = 0; k < (distributed ? 3 : 1) && !status; k++) {
        for (int a = 0; a < 3 && !status; a++) {
            const given data = {.signal = force->signal[a],
                                .s = places[k],
                                .who = phx_sys_force_of(force)->noun,
                                .name = force->name,
                                .what = force->kind == FORCE_DRAG || force->kind == FORCE_WIND ? "wind"
                                        : distributed                                          ? "force per length"
                                        : force->kind == FORCE_LINE                            ? "force"
                                        : force->load.kind == PHX_LOAD_FORCE                   ? "force"
                                                                                               : "torque",
                                .number = a > 0 || force->signal[1] || force->signal[2] ? a + 1 : 0};
            status = signals_check(context, &data, t0, t1);
        }
    }
    return status;
}

bool phx_sys_varies(const phx_system *system)
{
    bool varies = false;

    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            const phx_coordinate_def *def = &system->joints[j].coordinates[c].def;
            varies = varies || !phx_signal_is_constant(def->speed) || !phx_signal_is_constant(def->effort);
        }
    for (int i = 0; i < system->n_forces; i++)
        for (int a = 0; a < 3; a++)
            varies = varies || !phx_signal_is_constant(system->forces[i].signal[a]);
    return varies;
}

/* Checks before a step that all signals are finite between t0 and t1, and updates the warnings about contacts, fast
 * rotation, strong dampers and fast signals. */
phx_status phx_sys_op_check_signals(phx_dae *dae, double t0, double t1)
{
    const phx_system *system = phx_system_of(dae);
    phx_status status = PHX_OK;

    phx_sys_look_at_contacts((workspace *)dae, t0, t1);
    phx_sys_look_at_turns((workspace *)dae, t0);
    phx_sys_look_at_dampers((workspace *)dae, t0, t1);
    if (!system->traits.varies)
        return PHX_OK;
    for (int j = 0; j < system->n_joints && !status; j++)
        status = check_joint(dae->context, &system->joints[j], t0, t1);
    for (int i = 0; i < system->n_forces && !status; i++)
        if (system->forces[i].kind != FORCE_COORDINATE)
            status = check_force(dae->context, &system->forces[i], t0, t1);
    if (!status)
        phx_sys_look_at_signals((workspace *)dae, t0, t1);
    return status;
}

typedef phx_status breaks_fn(phx_context *context, phx_signal *signal, double from, double to);

/* `find` of all that drives and loads are given as. */
static phx_status of_all(phx_system *system, breaks_fn *find, double from, double to)
{
    phx_context *context = system->context;
    phx_status status = PHX_OK;

    for (int j = 0; j < system->n_joints && system->traits.varies; j++)
        for (int c = 0; c < system->joints[j].n_coordinates && !status; c++) {
            const phx_coordinate_def *def = &system->joints[j].coordinates[c].def;
            status = find(context, def->speed, from, to);
            if (!status)
                status = find(context, def->effort, from, to);
        }
    for (int i = 0; i < system->n_forces && system->traits.varies; i++)
        for (int a = 0; a < 3 && !status && system->forces[i].kind != FORCE_COORDINATE; a++)
            status = find(context, system->forces[i].signal[a], from, to);
    return status;
}

phx_status phx_system_find_breaks(phx_system *system, double from, double to)
{
    return of_all(system, phx_signal_find_breaks, from, to);
}

phx_status phx_system_renew_breaks(phx_system *system, double from, double to)
{
    return of_all(system, phx_signal_renew_breaks, from, to);
}

/* Fails if a drive whose motion is given as a function of time begins at another place than the one the mechanism was
 * assembled at. */
phx_status phx_system_check_motions(const phx_system *system)
{
    static const double ROUNDING = 1e-12; /* relative */

    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            const phx_coordinate_def *def = &system->joints[j].coordinates[c].def;
            const phx_signal *motion = phx_signal_primitive(def->speed);
            const double begin = phx_signal_value(motion, 0.0);
            if (motion && !(fabs(begin - def->start) <= ROUNDING * (fabs(begin) + fabs(def->start))))
                return phx_fail(system->context, PHX_ERR_ANALYSIS,
                                "joint '%s': the motion begins at %.10g with these parameters, and the mechanism was "
                                "assembled at %.10g; choose them so that it begins there",
                                system->joints[j].name, begin, def->start);
        }
    return PHX_OK;
}

/* First time after t at which a signal or its derivative jumps or a controller samples; HUGE_VAL if there is none. */
double phx_sys_op_next_break(const phx_dae *dae, double t)
{
    const phx_system *system = phx_system_of(dae);
    double next = phx_sys_op_next_sample(dae, t);

    for (int j = 0; j < system->n_joints && system->traits.varies; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            const phx_coordinate_def *def = &system->joints[j].coordinates[c].def;
            next = fmin(next, phx_signal_next_break(def->speed, t));
            next = fmin(next, phx_signal_next_break(def->effort, t));
        }
    for (int i = 0; i < system->n_forces && system->traits.varies; i++)
        for (int a = 0; a < 3 && system->forces[i].kind != FORCE_COORDINATE; a++)
            next = fmin(next, phx_signal_next_break(system->forces[i].signal[a], t));
    return next;
}

/* The first time after t, up to `end`, at which the rate of a driven coordinate jumps; HUGE_VAL if absent. */
double phx_system_next_jump(const phx_system *system, double t, double end)
{
    static const double SAME = 1e-9;                /* relative: rates on both sides of a kink */
    static const double BEFORE = 8.0 * DBL_EPSILON; /* of a time: on the near side of a break */
    double next = HUGE_VAL;

    for (int j = 0; j < system->n_joints && system->traits.varies; j++)
        for (int c = 0; c < system->joints[j].n_coordinates && phx_system_joint_drives(system, j); c++) {
            const phx_signal *speed = system->joints[j].coordinates[c].def.speed;
            for (double at = phx_signal_next_break(speed, t); at <= fmin(end, next);
                 at = phx_signal_next_break(speed, at)) {
                const double before = phx_signal_value(speed, at - BEFORE * fabs(at));
                const double after = phx_signal_value(speed, at);
                if (fabs(after - before) > SAME * fmax(fabs(before), fabs(after)))
                    next = at;
            }
        }
    return next;
}
