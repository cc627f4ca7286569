/* The table of the sorts of force, and what they share. */
#include "forces.h"

#include <string.h>

#define POINTER(NAME, name) [FORCE_##NAME] = &phx_sys_force_##name,
static const force_operations *const sorts[FORCE_KINDS] = {PHX_SYS_FORCE_LIST(POINTER)};
#undef POINTER

const force_operations *phx_sys_force_sort(const force_slot *force)
{
    return sorts[force->kind];
}

/* ---- forces that do not act ---- */
static phx_status nothing(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    (void)ws, (void)pair, (void)force, (void)t, (void)linear, (void)res;
    return PHX_OK;
}

static const force_operations off = {
    .noun = "force", .evaluate = nothing, .supplies = phx_sys_force_never, .dissipates = phx_sys_force_never};

const force_operations *phx_sys_force_of(const force_slot *force)
{
    return force->off ? &off : phx_sys_force_sort(force);
}

/* `name` itself or a piece of it, name/1, ... */
static bool belongs_to(const char *own, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(own, name, length) && (own[length] == '\0' || own[length] == '/');
}

static bool can_be_switched(const force_slot *force, const char *name)
{
    return force->kind != FORCE_COORDINATE && belongs_to(force->name, name);
}

/* Switches all springs, loads and forces of a name on or off. Fails if no element has the name or elements of different
 * kinds share it. Every dae of the system must have been destroyed before. */
phx_status phx_system_switch_force(phx_system *system, const char *name, bool acts)
{
    if (!system || !name)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or name");
    const char *noun = NULL;

    if (!system->building.finalised)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "the system must be finalised first");
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        if (!can_be_switched(force, name))
            continue;
        const char *other = phx_sys_force_sort(force)->noun;
        if (noun && strcmp(noun, other) != 0)
            return phx_fail(system->context, PHX_ERR_ARGUMENT,
                            "a %s and a %s have the name '%s'; give each its own, so that it can be switched", noun,
                            other, name);
        noun = other;
    }
    for (int i = 0; i < system->n_forces; i++)
        if (can_be_switched(&system->forces[i], name)) {
            system->forces[i].off = !acts;
            system->forces[i].switched = true;
        }
    if (!noun)
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "there is no spring, load or force '%s' that could be switched (a rigid contact cannot)", name);
    return phx_conclude(system->context, phx_sys_components(system));
}

/* ---- forces without a potential ---- */
bool phx_system_has_potential(const phx_system *system, double t)
{
    for (int i = 0; i < system->n_forces; i++) {
        const force_operations *sort = phx_sys_force_of(&system->forces[i]);
        if (sort->circulatory && sort->circulatory(system, &system->forces[i], t))
            return false;
    }
    return true;
}

/* ---- shared ---- */

bool phx_sys_force_never(const phx_system *system, const force_slot *force)
{
    (void)system, (void)force;
    return false;
}

bool phx_sys_force_always(const phx_system *system, const force_slot *force)
{
    (void)system, (void)force;
    return true;
}

bool phx_sys_force_is_given(const phx_system *system, const force_slot *force, double t)
{
    (void)system, (void)t;
    return force->signal[0] || force->signal[1] || force->signal[2];
}

void phx_sys_add_effort(workspace *ws, phx_port_id id, double alpha, const double *effort)
{
    if (id < 0)
        return;
    double *total = ws->ports.effort + (size_t)id * PHX_PORT_MAX;
    for (int i = 0; i < phx_port_size(ws->system->dim); i++)
        total[i] += alpha * effort[i];
}

void phx_sys_take_part(double part, const phx_load_result *without, phx_load_result *result)
{
    for (int i = 0; i < PAIR_SIZE; i++)
        result->effort[i] = part * result->effort[i] + (1.0 - part) * without->effort[i];
    for (int i = 0; i < PAIR_SIZE * PAIR_SIZE; i++) {
        result->tangent[i] = part * result->tangent[i] + (1.0 - part) * without->tangent[i];
        result->rate_tangent[i] = part * result->rate_tangent[i] + (1.0 - part) * without->rate_tangent[i];
    }
}

void phx_sys_take_result(workspace *ws, int pair, const force_slot *force, bool linear, const phx_load_result *result)
{
    phx_sys_add_effort(ws, force->a, 1.0, result->effort);
    phx_sys_add_effort(ws, force->b, 1.0, result->effort + PHX_PORT_MAX);
    ws->forces.power.supplied += result->supplied;
    ws->forces.power.dissipated += result->dissipated;
    if (linear && result->has_tangent)
        ws->by->pair_add(ws, pair, -1.0, result->tangent);
    if (linear && result->has_rate_tangent)
        ws->by->pair_rate_add(ws, pair, -1.0, result->rate_tangent);
}

/* ---- archives ---- */
void phx_sys_archive_ports(phx_archive *archive, phx_system *system, int n_ports, force_slot *force)
{
    phx_sys_archive_member(archive, system->n_ports, &force->a);
    if (n_ports > 1)
        phx_sys_archive_member(archive, system->n_ports, &force->b);
    else
        force->b = -1;
}

void *phx_sys_archive_own(phx_archive *archive, size_t size, force_slot *force)
{
    if (phx_archive_reads(archive) && !force->own) {
        force->own = phx_calloc(phx_archive_context(archive), 1, size);
        phx_archive_fail(archive, force->own ? PHX_OK : PHX_ERR_MEMORY);
    }
    return phx_archive_status(archive) ? NULL : force->own;
}

/* Writes or reads the integration points of a load over a body; for a body whose frames are the points only this fact
 * is stored. Arrays that are read belong to the force. */
void phx_sys_archive_quadrature(phx_archive *archive, phx_system *system, force_slot *force)
{
    const bool reads = phx_archive_reads(archive);
    double *fractions = (double *)force->fractions, *weights = (double *)force->weights;

    bool frames = force->frame_points != NULL; /* of the body itself */

    phx_sys_archive_member(archive, system->n_bodies, &force->body);
    phx_archive_bool(archive, &frames);
    if (phx_archive_status(archive))
        return;
    if (frames) {
        force->n_points = phx_body_length_points(system->bodies[force->body].body, &force->frame_points);
        return;
    }
    phx_archive_count(archive, &force->n_points);
    if (reads) {
        force->points = phx_calloc(phx_archive_context(archive), (size_t)force->n_points, sizeof *force->points);
        if (!force->points) {
            force->n_points = 0;
            phx_archive_fail(archive, PHX_ERR_MEMORY);
        }
    }
    for (int k = 0; k < force->n_points && !phx_archive_status(archive); k++)
        phx_sys_archive_point(archive, system, force->body, &force->points[k]);
    phx_archive_double_array(archive, (size_t)force->n_points, &fractions);
    phx_archive_double_array(archive, (size_t)force->n_points, &weights);
    force->fractions = fractions;
    force->weights = weights;
    force->owns_quadrature = reads;
    if (force->n_points > 0 && (!fractions || !weights) && !phx_archive_status(archive))
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "a load over a body lacks the weights of its points"));
}

/* Writes or reads a force of any sort that is added to a system: its kind, name and signals, then what its sort has. */
void phx_sys_archive_force(phx_archive *archive, phx_system *system, force_slot *force)
{
    int kind = (int)force->kind;

    phx_archive_choice(archive, FORCE_KINDS - 1, &kind);
    force->kind = (force_kind)kind;
    if (phx_archive_status(archive))
        return;
    if (!phx_sys_force_sort(force)->archive) {
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "a force along a coordinate stands among the others"));
        return;
    }
    phx_archive_text(archive, &force->name);
    for (int k = 0; k < 3; k++)
        phx_signal_archive(archive, &force->signal[k]);
    phx_archive_bool(archive, &force->off);
    phx_sys_force_sort(force)->archive(archive, system, force);
}

bool phx_sys_links_follow(const phx_system *system)
{
    for (int i = 0; i < system->n_forces; i++) {
        const force_operations *sort = phx_sys_force_sort(&system->forces[i]);
        const int links = sort->links ? sort->links(&system->forces[i]) : 0;
        for (int k = 1; k <= links; k++)
            if (i + k >= system->n_forces || system->forces[i + k].kind != FORCE_LINK)
                return false;
    }
    return true;
}
