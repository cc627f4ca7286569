/* Warnings of a model that can be meant as it is and rarely is. They are told once, when a file is read. */
#include "reader.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double TURN = 2.0 * 3.14159265358979323846;

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool phx_mentions(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = text ? strstr(text, name) : NULL; at; at = strstr(at + 1, name))
        if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[length]))
            return true;
    return false;
}

static void doubts_tell(const phx_reader *reader, phx_model_source where, const char *text)
{
    phx_log(reader->context, PHX_LOG_WARNING, "%s:%d:%d: %s", reader->model->path, where.line, where.column, text);
}

static void doubts_warn(const phx_reader *reader, const void *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void doubts_warn(const phx_reader *reader, const void *field, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    doubts_tell(reader, phx_model_where(reader->model, field), text);
}

/* Whether an angle is written with pi or deg, or made of parameters that are. */
static bool has_unit(const phx_reader *reader, const char *text)
{
    bool has = phx_mentions(text, "deg") || phx_mentions(text, "pi");

    for (int k = 0; k < reader->model->n_parameters && !has; k++) {
        const char *of = reader->content->parameter_texts[k];
        has = of && phx_mentions(text, reader->model->parameters[k].name) &&
              (phx_mentions(of, "deg") || phx_mentions(of, "pi"));
    }
    return has;
}

/* Warns of an angle, or of each in a list, beyond one turn whose text has neither `deg` nor `pi`. */
void phx_doubt_angle(phx_reader *reader, const phx_node *node)
{
    static const double BARELY = 1e-6; /* one turn that was written with few digits is no doubt */
    char text[200];
    double value = 0.0;

    for (int k = 0; node->kind == PHX_NODE_LIST && k < node->count; k++)
        phx_doubt_angle(reader, node->items[k]);
    if (node->kind != PHX_NODE_SCALAR || phx_evaluator_value(reader->evaluator, node->text, &value) ||
        !(fabs(value) > TURN * (1.0 + BARELY)) || has_unit(reader, node->text))
        return;
    snprintf(text, sizeof text, "the angle %.60s is %.4g rad, %.3g turns; write %.60s*deg if degrees are meant",
             node->text, value, value / TURN, node->text);
    doubts_tell(reader, node->source, text);
}

/* 2 max(fibre), or that of a rectangle with the same moments. */
static double extent_of(const phx_model_section *section)
{
    const double fibre = fmax(section->fibre[0], section->fibre[1]);

    return fibre > 0.0 ? 2.0 * fibre : sqrt(12.0 * fmax(section->inertia[0], section->inertia[1]) / section->area);
}

/* A beam whose section is far smaller than its length, or larger. */
static void doubt_section(const phx_reader *reader, const phx_model_body *body)
{
    static const double SLENDER = 5e4;
    const double extent = body->section.area > 0.0 ? extent_of(&body->section) : 0.0;
    char text[300];

    if (extent > 0.0 && body->length > SLENDER * extent)
        doubts_warn(reader, body,
                    "body '%.100s' is a beam of %.4g m with a section of %.4g m; check their units, 1 mm "
                    "is 1e-3 m",
                    body->name, body->length, extent);
    if (!(body->length > 0.0 && extent > body->length))
        return;
    snprintf(
        text, sizeof text,
        "body '%.100s' is a beam of %.4g m with a section of %.4g m, larger than its length; check their units, or "
        "take a solid",
        body->name, body->length, extent);
    doubts_tell(reader, phx_model_where(reader->model, body), text);
}

/* Units other than SI by their usual signs: g/cm^3, t/mm^3, GPa, MPa. Data of unit size are no doubt. */
static void doubt_material(const phx_reader *reader, const phx_model_material *material)
{
    static const double LIGHT = 30.0, HEAVIEST = 25e3;          /* kg/m^3: foam, osmium */
    static const double SOFTEST = 9e5, STIFFEST = 1e13;         /* Pa: rubber; ten times diamond */
    static const double HARD = 1e9, SOLID = 400.0, TINY = 1e-4; /* no foam: a modulus in Pa, kg/m^3; t/mm^3 */
    static const double SWELLS = 1e-3;                          /* 1/K: ten times rubber's */
    const double density = material->density, young = material->young;
    char text[300] = "";

    if (density > HEAVIEST || (density < LIGHT && young > HARD) || density < TINY)
        snprintf(text, sizeof text, "material '%.100s' has a density of %.4g kg/m^3, outside that of any material; %s",
                 material->name, density, density < TINY ? "t/mm^3 are 1e12 kg/m^3" : "g/cm^3 are 1000 kg/m^3");
    else if ((density > SOLID && young < SOFTEST) || young > STIFFEST)
        snprintf(text, sizeof text, "material '%.100s' has a modulus of %.4g Pa, %s than any solid; %s", material->name,
                 young, young > STIFFEST ? "stiffer" : "softer",
                 young > STIFFEST ? "check its unit"
                 : young < 2e3    ? "GPa are 1e9 Pa"
                                  : "MPa are 1e6 Pa");
    if (text[0])
        doubts_tell(reader, phx_model_where(reader->model, material), text);
    if (material->expansion.given && fabs(material->expansion.value) > SWELLS)
        doubts_warn(reader, material, "material '%.100s' expands by %.4g per K; 12e-6 is that of steel", material->name,
                    material->expansion.value);
}

/* The radius of gyration of a rigid body against the distances of its ports: kg mm^2 for kg m^2, or mm for m. */
static void doubt_inertia(const phx_reader *reader, const phx_model_body *body)
{
    static const double FAR = 500.0, WIDE = 100.0, LARGE = 1.0; /* m; a port may stand for an eccentricity */
    const int last = reader->model->dimension == 2 ? 0 : 8;
    double inertia = 0.0, farthest = 0.0;
    char text[300];

    for (int k = 0; k <= last; k += 4)
        inertia = fmax(inertia, body->inertia[k]);
    for (int p = 0; p < body->n_ports; p++) {
        double square = 0.0;
        for (int a = 0; a < reader->model->dimension; a++) {
            const double d = body->ports[p].position[a] - body->centre_of_mass[a];
            square += d * d;
        }
        farthest = fmax(farthest, sqrt(square));
    }
    const double radius = body->mass > 0.0 ? sqrt(inertia / body->mass) : 0.0;
    if (body->n_visuals > 0 || !(radius > 0.0 && farthest > 0.0) ||
        !((radius > LARGE && radius > WIDE * farthest) || farthest > FAR * radius))
        return;
    snprintf(
        text, sizeof text,
        "body '%.100s' has a radius of gyration of %.3g m and ports at up to %.3g m; check their units: kg mm^2 are "
        "1e-6 kg m^2, mm 1e-3 m",
        body->name, radius, farthest);
    doubts_tell(reader, phx_model_where(reader->model, body), text);
}

/* Percent for a ratio, and a stiffness damping that lets nothing oscillate. */
static void doubt_damping(const phx_reader *reader, const phx_model_body *body)
{
    static const double MUCH = 0.5, SLOW = 1.0; /* of critical; s */
    char text[300];

    if (body->damping.stiffness > SLOW)
        doubts_warn(reader, body,
                    "body '%.100s' has a stiffness damping of %.4g s; what oscillates faster than %.3g Hz is "
                    "overdamped",
                    body->name, body->damping.stiffness, 2.0 / (TURN * body->damping.stiffness));
    if (!body->damping.modal.given || !(body->damping.modal.value > MUCH))
        return;
    snprintf(text, sizeof text, "body '%.100s' has a modal damping of %.4g of critical; 2 %% are 0.02", body->name,
             body->damping.modal.value);
    doubts_tell(reader, phx_model_where(reader->model, body), text);
}

/* Gravity in mm/s^2 or cm/s^2. */
static void doubt_gravity(const phx_reader *reader)
{
    static const double LEAST = 9.7, MOST = 9.9;
    const double *g = reader->model->gravity;
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);

    for (int k = 0; k < 2; k++)
        if (size > LEAST * (k ? 100.0 : 1e3) && size < MOST * (k ? 100.0 : 1e3))
            doubts_warn(reader, g, "gravity is %.5g m/s^2; 9.81 if %s/s^2 are meant", size, k ? "cm" : "mm");
}

/* Whether a parameter is zero, which may switch off what it belongs to. */
static bool has_switch(const phx_model *model)
{
    for (int k = 0; k < model->n_parameters; k++)
        if (model->parameters[k].value == 0.0)
            return true;
    return false;
}

/* The largest coordinate or length in the model. */
static double model_extent(const phx_model *model)
{
    double extent = 0.0;

    for (int b = -1; b < model->n_bodies; b++) {
        const phx_model_body *body = b < 0 ? NULL : &model->bodies[b];
        const phx_model_port *ports = body ? body->ports : model->ground_ports;
        extent = fmax(extent, body ? body->length : 0.0);
        for (int a = 0; a < 3; a++) {
            extent = fmax(extent, body ? fabs(body->pose.position[a]) : 0.0);
            for (int p = 0; p < (body ? body->n_ports : model->n_ground_ports); p++)
                extent = fmax(extent, fabs(ports[p].position[a]));
        }
    }
    return extent;
}

/* A spring without any law, and a free length in mm. */
static void doubt_spring(const phx_reader *reader, const phx_model_spring *spring)
{
    static const double LONG = 100.0; /* times the model */
    const double extent = model_extent(reader->model);

    if (spring->stiffness == 0.0 && spring->damping == 0.0 && !spring->force && !spring->law.given &&
        !spring->damper.given && !has_switch(reader->model))
        doubts_warn(reader, spring, "spring '%.100s' does nothing: it has neither stiffness, damping nor force",
                    spring->name);
    if (extent > 0.0 && spring->length > LONG * extent)
        doubts_warn(reader, spring, "spring '%.100s' is %.4g m long and the model %.3g m; 1 mm is 1e-3 m", spring->name,
                    spring->length, extent);
}

/* A steady force that is the weight of its body, which gravity adds already. */
static void doubt_load(const phx_reader *reader, const phx_model_load *load)
{
    static const double SAME = 5e-3; /* of the weight: 9.8 for 9.81 */
    const phx_model *model = reader->model;
    const double mass = load->at.body >= 0 ? model->bodies[load->at.body].mass : 0.0;
    double weight = 0.0, off = 0.0;

    if (load->kind != PHX_MODEL_FORCE || load->frame != PHX_MODEL_INERTIAL || !(mass > 0.0))
        return;
    for (int a = 0; a < model->dimension; a++) {
        const phx_signal *force = load->component[a];
        if (force && !phx_signal_is_steady(force))
            return;
        weight = fmax(weight, fabs(mass * model->gravity[a]));
        off = fmax(off, fabs((force ? phx_signal_value(force, 0.0) : 0.0) - mass * model->gravity[a]));
    }
    if (weight > 0.0 && off < SAME * weight)
        doubts_warn(reader, load,
                    "load '%.100s' is the weight of body '%.100s', %.4g N, which gravity gives it already", load->name,
                    model->bodies[load->at.body].name, weight);
}

/* Degrees in the free angle of a spring or in end stops: whole numbers beyond one turn. */
static void doubt_degrees(const phx_reader *reader, const phx_model_joint *joint, double angle)
{
    if (fabs(angle) > TURN && angle == floor(angle))
        doubts_warn(reader, joint,
                    "joint '%.100s' has a spring or stop at %.6g rad, %.3g turns; write %.6g*deg if "
                    "degrees are meant",
                    joint->name, angle, angle / TURN, angle);
}

/* Units of a coordinate other than rad, m/s and 1, and friction without a force. */
static void doubt_coordinate(const phx_reader *reader, const phx_model_joint *joint,
                             const phx_model_coordinate *coordinate)
{
    static const double RUBS = 3.0, FAST = 1000.0; /* the largest coefficient; m/s */
    const phx_model_friction *friction = &coordinate->friction;

    if (coordinate->angular) {
        const double lower = coordinate->stops.lower.value, upper = coordinate->stops.upper.value;
        doubt_degrees(reader, joint, coordinate->rest);
        doubt_degrees(reader, joint, fabs(lower) > TURN ? lower : upper);
    } else if (fabs(coordinate->rate.value) > FAST)
        doubts_warn(reader, joint, "joint '%.100s' slides with %.4g m/s; 1 mm/s is 1e-3 m/s", joint->name,
                    coordinate->rate.value);
    if (friction->given && friction->coefficient > RUBS)
        doubts_warn(reader, joint, "joint '%.100s' has a coefficient of friction of %.4g; 30 %% are 0.3", joint->name,
                    friction->coefficient);
    if (friction->given && friction->force == 0.0 && friction->coefficient == 0.0 && !friction->breakaway.given &&
        !has_switch(reader->model))
        doubts_warn(reader, joint, "the friction of joint '%.100s' does nothing: its force and coefficient are zero",
                    joint->name);
}

/* A pid without gains, and samples that come once or never. */
static void doubt_controller(const phx_reader *reader, const phx_model_controller *controller)
{
    const phx_model_simulate *run = &reader->model->simulate;

    if (controller->kind == PHX_MODEL_PID && controller->kp == 0.0 && controller->ki == 0.0 && controller->kd == 0.0 &&
        controller->n_feedforward == 0 && !has_switch(reader->model))
        doubts_warn(reader, controller, "controller '%.100s' does nothing: its gains are zero", controller->name);
    if (controller->sample.given && run->end.given && controller->sample.value > run->end.value)
        doubts_warn(reader, controller,
                    "controller '%.100s' samples every %.4g s, and the simulation ends at %.4g s; "
                    "1 ms is 1e-3 s",
                    controller->name, controller->sample.value, run->end.value);
}

/* Times that do not fit those of the simulation. */
static void doubt_times(const phx_reader *reader)
{
    static const double MOST_STEPS = 1e9;
    const phx_model *model = reader->model;
    const phx_model_optional end = model->simulate.end, step = model->simulate.step;

    if (end.given && step.given && (step.value > end.value || end.value / step.value > MOST_STEPS))
        doubts_warn(reader, &model->simulate.step,
                    "the simulation has %.3g steps of %.4g s until %.4g s; check their "
                    "units, 1 ms is 1e-3 s",
                    end.value / step.value, step.value, end.value);
    for (int k = 0; k < model->n_events && end.given; k++)
        if (model->events[k].at.given && model->events[k].at.value > end.value)
            doubts_warn(reader, &model->events[k],
                        "event '%.100s' at %.4g s is after the end of the simulation, %.4g s", model->events[k].name,
                        model->events[k].at.value, end.value);
}

/* Revolutions per minute for rad/s at the start or of a drive. */
static void doubt_rates(const phx_reader *reader, const phx_model_joint *joint)
{
    static const double FAST = 700.0; /* rad/s */
    char text[300];

    for (int c = 0; c < joint->n_coordinates; c++) {
        const phx_model_coordinate *coordinate = &joint->coordinates[c];
        const double rate = phx_signal_is_steady(coordinate->speed) && coordinate->speed
                                ? phx_signal_value(coordinate->speed, 0.0)
                                : coordinate->rate.value;
        doubt_coordinate(reader, joint, coordinate);
        if (!coordinate->angular || !(fabs(rate) > FAST) || fabs(rate) != floor(fabs(rate)))
            continue;
        snprintf(text, sizeof text,
                 "joint '%.100s' turns with %.6g rad/s, %.6g revolutions per minute; write %.6g*2*pi/60 "
                 "if these are meant",
                 joint->name, rate, rate * 60.0 / TURN, rate);
        doubts_tell(reader, phx_model_where(reader->model, joint), text);
    }
}

static bool has_point(const phx_model_point *points, int count, int body)
{
    for (int k = 0; k < count; k++)
        if (points[k].body == body)
            return true;
    return false;
}

/* Whether anything of the model is at the body. */
static bool is_held(const phx_model *model, int b)
{
    bool held = false;

    for (int k = 0; k < model->n_joints && !held; k++)
        held = has_point(model->joints[k].ports, 2, b);
    for (int k = 0; k < model->n_springs && !held; k++)
        held = has_point(model->springs[k].ports, 2, b);
    for (int k = 0; k < model->n_forces && !held; k++)
        held = has_point(model->forces[k].ports, model->forces[k].n_ports, b);
    for (int k = 0; k < model->n_loads && !held; k++)
        held = model->loads[k].on == b || (model->loads[k].on < 0 && model->loads[k].at.body == b);
    return held;
}

/* A body that neither moves nor is held falls, or stays where it is beside a mechanism. */
static void doubt_body(const phx_reader *reader, int b)
{
    const phx_model *model = reader->model;
    const phx_model_body *body = &model->bodies[b];
    double moves = 0.0, pull = 0.0;
    char text[300];

    for (int a = 0; a < 3; a++) {
        moves += fabs(body->velocity.linear[a]) + fabs(body->velocity.angular[a]);
        pull += fabs(model->gravity[a]);
    }
    if (moves > 0.0 || (!(pull > 0.0) && model->n_joints + model->n_springs + model->n_forces == 0) ||
        is_held(model, b))
        return;
    snprintf(text, sizeof text, "nothing holds body '%.100s'%s; give it a joint, or a velocity if it is to fly",
             body->name, pull > 0.0 ? ", which falls" : "");
    doubts_tell(reader, phx_model_where(model, body), text);
}

/* Warns of a parameter, or of a list from its first entry on, that neither a key nor another parameter names. Returns
 * the number of its entries, 1 for a number. */
static int doubt_parameter(const phx_reader *reader, int k)
{
    const phx_model *model = reader->model;
    char text[200], name[PHX_MAX_PARAMETER + 1];
    bool used = false;
    int first;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(model->parameters[k].name, "["), model->parameters[k].name);
    const int count = phx_names_range(&reader->content->parameters, name, &first);
    for (int entry = k; entry < k + count && !used; entry++)
        for (int role = 0; role < PHX_PARAMETER_ROLES; role++)
            used = used || reader->content->uses[entry].count[role] > 0;
    for (int other = 0; other < model->n_parameters && !used; other++)
        used = (other < k || other >= k + count) && phx_mentions(reader->content->parameter_texts[other], name);
    if (used)
        return count;
    snprintf(text, sizeof text, "the parameter '%.100s' is used nowhere", name);
    doubts_tell(reader, phx_model_where(model, &model->parameters[k]), text);
    return count;
}

/* All doubts, object by object. */
void phx_doubt_model(const phx_reader *reader)
{
    const phx_model *model = reader->model;

    for (int k = 0; k < model->n_parameters;)
        k += doubt_parameter(reader, k);
    for (int b = 0; b < model->n_bodies; b++) {
        const phx_model_body *body = &model->bodies[b];
        doubt_section(reader, body);
        doubt_inertia(reader, body);
        doubt_damping(reader, body);
        doubt_body(reader, b);
    }
    for (int k = 0; k < model->n_materials; k++)
        doubt_material(reader, &model->materials[k]);
    for (int k = 0; k < model->n_joints; k++)
        doubt_rates(reader, &model->joints[k]);
    for (int k = 0; k < model->n_springs; k++)
        doubt_spring(reader, &model->springs[k]);
    for (int k = 0; k < model->n_loads; k++)
        doubt_load(reader, &model->loads[k]);
    for (int k = 0; k < model->n_controllers; k++)
        doubt_controller(reader, &model->controllers[k]);
    doubt_times(reader);
    doubt_gravity(reader);
}
