/* Actuators of MJCF that act on joints: motors, and servos of position and velocity. */
#include "mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOTOR, POSITION, VELOCITY, GENERAL, SHORTCUTS };
static const char *const SHORTCUT[] = {"motor",    "position", "velocity", "general", "intvelocity", "damper",
                                       "cylinder", "muscle",   "adhesion", "plugin",  NULL};
static const char *const GAIN[] = {"fixed", "affine", "muscle", "user", NULL},
                         *const BIAS[] = {"none", "affine", "muscle", "user", NULL},
                         *const DYNAMICS[] = {"none", "integrator", "filter", "filterexact", "muscle", "user", NULL};

/* force = gain control + bias . (1, length, rate), length = gear coordinate, effort = gear force. */
typedef struct mjcf_actuator {
    int kind, gain_type, bias_type, dynamics, control_limited, force_limited;
    double gear[6], gain[10], bias[10], controls[2], forces[2], inherited, time;
} mjcf_actuator;

/* What an element or a default says, in the order of MuJoCo: the shortcuts set gain and bias of the general one. */
static phx_status mjcf_actuator_values(const mjcf_item *item, mjcf_actuator *actuator)
{
    double kp = actuator->gain[0], kv = 0.0, ratio = 0.0;
    mjcf_item own = *item;
    own.plain = true;
    const mjcf_value values[] = {{"ctrllimited", MJCF_AUTO, 0, &actuator->control_limited},
                                 {"forcelimited", MJCF_AUTO, 0, &actuator->force_limited},
                                 {"gaintype", GAIN, 0, &actuator->gain_type},
                                 {"biastype", BIAS, 0, &actuator->bias_type},
                                 {"dyntype", DYNAMICS, 0, &actuator->dynamics},
                                 {"ctrlrange", NULL, 2, actuator->controls},
                                 {"forcerange", NULL, 2, actuator->forces},
                                 {"kp", NULL, 1, &kp},
                                 {"kv", NULL, 1, &kv},
                                 {"dampratio", NULL, 1, &ratio},
                                 {"inheritrange", NULL, 1, &actuator->inherited},
                                 {"timeconst", NULL, 1, &actuator->time},
                                 {0}};
    actuator->kind = mjcf_word(SHORTCUT, item->element->name);
    phx_status status = actuator->kind < SHORTCUTS ? mjcf_values(&own, values) : PHX_OK;

    if (!status)
        status = mjcf_numbers(&own, "gear", 1, 6, actuator->gear);
    if (!status)
        status = mjcf_numbers(&own, "gainprm", 1, 10, actuator->gain);
    if (!status)
        status = mjcf_numbers(&own, "biasprm", 1, 10, actuator->bias);
    if (status || actuator->kind >= GENERAL)
        return status;
    actuator->gain_type = actuator->dynamics = 0;
    actuator->bias_type = actuator->kind != MOTOR;
    if (actuator->kind == MOTOR) {
        actuator->gain[0] = 1.0;
    } else if (actuator->kind == POSITION) {
        actuator->gain[0] = kp;
        actuator->bias[1] = -kp;
        actuator->bias[2] = robot_attribute(item->element, "kv") ? -kv : ratio > 0.0 ? ratio : actuator->bias[2];
    } else {
        actuator->gain[0] = robot_attribute(item->element, "kv") ? kv : actuator->gain[0];
        actuator->bias[0] = actuator->bias[1] = 0.0;
        actuator->bias[2] = -actuator->gain[0];
    }
    return PHX_OK;
}

/* The values of a default class, after those of the classes around it. */
static phx_status mjcf_actuator_class(mjcf_reader *reader, int class, mjcf_actuator *actuator)
{
    const phx_xml *element = reader->classes[class].element;
    const int around = reader->classes[class].parent;
    phx_status status = around >= 0 ? mjcf_actuator_class(reader, around, actuator) : PHX_OK;

    for (int k = 0; k < element->n_children && !status; k++) {
        const mjcf_item item = {.reader = reader, .element = &element->children[k]};
        if (SHORTCUT[mjcf_word(SHORTCUT, item.element->name)])
            status = mjcf_actuator_values(&item, actuator);
    }
    return status;
}

/* Whether a range holds; PHX_ERR_INPUT for one that is empty. */
static phx_status mjcf_limits(const mjcf_item *item, const char *key, int word, const double range[2], bool *limited)
{
    *limited = word == 2 || (word == 1 && item->reader->limits && (range[0] != 0.0 || range[1] != 0.0));
    return *limited && range[0] >= range[1] ? mjcf_refuse(item, "the lower limit must be below the upper one: ", key)
                                            : PHX_OK;
}

/* The range becomes the part of both. */
static void intersect(double range[2], double a, double b)
{
    range[0] = fmax(range[0], fmin(a, b));
    range[1] = fmin(range[1], fmax(a, b));
}

/* The motor of a coordinate q of the model: that of the file is reference + sign q. */
static phx_status mjcf_motor(const mjcf_item *item, mjcf_actuator *actuator, double control, robot_motor *motor)
{
    const mjcf_start *start = &item->reader->starts[motor->joint];
    const robot_joint *joint = &item->reader->robot->joints[motor->joint];
    const robot_coordinate *coordinate = &joint->coordinates[motor->coordinate];
    const double sign = motor->coordinate == 2 ? start->sign : 1.0, reference = start->reference[motor->coordinate];
    const double *bias = actuator->bias, *forces = actuator->forces, gear = sign * actuator->gear[0];
    double *controls = actuator->controls, range[2] = {-INFINITY, INFINITY};
    const bool affine = actuator->bias_type == 1;
    bool by_control = false, by_force = false;

    for (int k = 0; k < 2 && actuator->inherited > 0.0 && coordinate->limited; k++)
        controls[k] = reference + 0.5 * sign * (coordinate->lower + coordinate->upper) +
                      (k - 0.5) * actuator->inherited * (coordinate->upper - coordinate->lower);
    phx_status status = mjcf_limits(item, "ctrlrange", actuator->control_limited, controls, &by_control);
    if (!status)
        status = mjcf_limits(item, "forcerange", actuator->force_limited, forces, &by_force);
    if (by_control)
        control = fmin(fmax(control, controls[0]), controls[1]);
    double force = actuator->gain[0] * control;
    if (affine) {
        force += bias[0] + bias[1] * actuator->gear[0] * reference;
        motor->stiffness = -bias[1] * gear * gear;
        motor->ratio = bias[2] > 0.0 && actuator->gain[0] == -bias[1] ? bias[2] : 0.0;
        motor->damping = -bias[2] * gear * gear;
    }
    if (motor->stiffness != 0.0)
        motor->reference = force / (-bias[1] * gear);
    else
        motor->force = gear * force;
    if (by_force)
        intersect(range, gear * forces[0], gear * forces[1]);
    if (by_control && !affine)
        intersect(range, gear * actuator->gain[0] * controls[0], gear * actuator->gain[0] * controls[1]);
    if (joint->effort > 0.0)
        intersect(range, -joint->effort, joint->effort);
    motor->limited = isfinite(range[0]) && range[0] < range[1];
    motor->lower = range[0];
    motor->upper = range[1];
    return !status && !isfinite(motor->stiffness + motor->damping + motor->reference + motor->force)
               ? mjcf_refuse(item, "its gains are too large", NULL)
               : status;
}

/* Enters an actuator; one that is no motor of a coordinate is reported. */
static phx_status mjcf_actuator_of(const mjcf_item *item, double control)
{
    mjcf_reader *reader = item->reader;
    phx_robot *robot = reader->robot;
    mjcf_actuator actuator = {.gear = {1.0}, .gain = {1.0}, .control_limited = 1, .force_limited = 1};
    const char *name = robot_attribute(item->element, "name"), *class = robot_attribute(item->element, "class");
    const char *key = mjcf_text(item, "joint") ? "joint" : "jointinparent";
    robot_motor motor = {.path = item->element->path, .line = item->element->line};
    phx_status status = mjcf_check_classes(reader, item->element);

    for (int k = 0; k < reader->n_classes && !status; k++)
        if (reader->classes[k].parent < 0)
            status = mjcf_actuator_class(reader, k, &actuator);
    const int own = mjcf_class_of(reader, class);
    if (!status && own >= 0)
        status = mjcf_actuator_class(reader, own, &actuator);
    if (!status)
        status = mjcf_actuator_values(item, &actuator);
    if (status)
        return status;
    if (actuator.kind >= SHORTCUTS || actuator.gain_type > 0 || actuator.bias_type > 1 || actuator.dynamics > 0 ||
        actuator.time > 0.0 || !mjcf_text(item, key)) {
        mjcf_warn(item, name, "left out: only motor, position, velocity and affine general ones of joints are read");
        return PHX_OK;
    }
    status = mjcf_find_joint(item, key, &motor.joint, &motor.coordinate);
    if (!status && motor.joint < 0) {
        mjcf_warn(item, name, "left out: it acts on a ball or free joint");
        return PHX_OK;
    }
    for (int k = 0; k < robot->n_motors && name && !status; k++)
        if (!strcmp(robot->motors[k].name, name))
            status = mjcf_refuse(item, "there is already one of the name ", name);
    if (status)
        return status;
    status = mjcf_motor(item, &actuator, control, &motor);
    if (!status && actuator.gear[0] != 0.0)
        status = mjcf_name(item, name ? name : mjcf_text(item, key), false, false, &motor.name);
    if (!status && motor.name)
        robot->motors[robot->n_motors++] = motor;
    return status;
}

/* Controls count all elements of <actuator>, also those that are left out. */
phx_status mjcf_actuators(mjcf_reader *reader)
{
    const phx_xml *first = mjcf_entry(reader, "actuator", 0), *key = mjcf_entry(reader, "keyframe", 0), *element;
    int count = 0;

    while (mjcf_entry(reader, "actuator", count))
        count++;
    if (count > 0 && reader->options->drive != PHX_ROBOT_FREE) {
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <actuator>: --drive takes the place of %d element%s",
                first->path, first->line, count, count > 1 ? "s" : "");
        return PHX_OK;
    }
    double *controls = phx_calloc(reader->context, (size_t)count + 1, sizeof *controls);
    reader->robot->motors = phx_calloc(reader->context, (size_t)count + 1, sizeof *reader->robot->motors);
    phx_status status = controls && reader->robot->motors ? PHX_OK : PHX_ERR_MEMORY;
    if (!status && key)
        status = robot_numbers(reader->context, key, "ctrl", robot_attribute(key, "ctrl"), count, count, controls);
    for (int n = 0; (element = mjcf_entry(reader, "actuator", n)) != NULL && !status; n++) {
        const mjcf_item item = {.reader = reader, .element = element};
        status = mjcf_actuator_of(&item, controls[n]);
    }
    phx_free(controls);
    return status;
}
