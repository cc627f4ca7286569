/* Names of the channels of a system. */
#include "channels.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names of the four channels of a motion, by motion_part: of points in the plane and in space, of joints. */
static const char *const plane_names[MOTION_PARTS][6] = {
    {"fx", "fy", "tz"}, {"ax", "ay", "alpha"}, {"vx", "vy", "omega"}, {"x", "y", "angle"}};
static const char *const space_names[MOTION_PARTS][6] = {{"fx", "fy", "fz", "tx", "ty", "tz"},
                                                         {"ax", "ay", "az", "alphax", "alphay", "alphaz"},
                                                         {"vx", "vy", "vz", "omegax", "omegay", "omegaz"},
                                                         {"x", "y", "z", "anglex", "angley", "anglez"}};
static const char *const joint_names[MOTION_PARTS] = {"effort", "acceleration", "rate", "coordinate"};

static phx_status catalog_make_room(phx_context *context, void **array, int *capacity, int count, int more, size_t size)
{
    if (count + more > *capacity) {
        const int wider = 2 * (count + more);
        void *bigger = phx_realloc(context, *array, (size_t)wider, size);
        if (!bigger)
            return PHX_ERR_MEMORY;
        *array = bigger;
        *capacity = wider;
    }
    return PHX_OK;
}

static phx_status put_entry(catalog *list, entry_kind kind, int index, int part, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Appends an entry with a formatted name to the catalog. */
static phx_status put_entry(catalog *list, entry_kind kind, int index, int part, const char *format, ...)
{
    phx_context *context = list->system->context;
    entry *next = NULL;
    va_list arguments;
    phx_status status = catalog_make_room(context, (void **)&list->entries, &list->cap_entries, list->n_entries, 1,
                                          sizeof *list->entries);

    if (status)
        return status;
    next = &list->entries[list->n_entries];
    *next = (entry){.kind = kind, .index = index, .part = part};
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    next->name = phx_calloc(context, (size_t)length + 1, 1);
    if (!next->name)
        return PHX_ERR_MEMORY;
    va_start(arguments, format);
    vsnprintf(next->name, (size_t)length + 1, format, arguments);
    va_end(arguments);
    list->n_entries++;
    return PHX_OK;
}

static phx_status put_motion(catalog *list, int point, int component, int joint, int coordinate)
{
    const phx_status status = catalog_make_room(list->system->context, (void **)&list->motions, &list->cap_motions,
                                                list->n_motions, 1, sizeof *list->motions);
    if (!status)
        list->motions[list->n_motions++] = (motion){point, component, joint, coordinate, -1, -1};
    return status;
}

/* ---- what has channels ---- */
/* Adds the point "BODY.PORT" or "BODY@S", with `separator` between body and name. */
static phx_status catalog_put_point(catalog *list, const char *body, char separator, const char *name,
                                    const port_slot *place, port_slot *own)
{
    const phx_system *system = list->system;
    const size_t room = strlen(body) + strlen(name) + 2;
    phx_status status = catalog_make_room(system->context, (void **)&list->points, &list->cap_points, list->n_points, 1,
                                          sizeof *list->points);
    char *full = status ? NULL : phx_calloc(system->context, room, 1);

    if (!full)
        return PHX_ERR_MEMORY;
    snprintf(full, room, "%s%c%s", body, separator, name);
    list->points[list->n_points++] = (struct catalog_point){full, place, own};
    for (int c = 0; c < system->dim + system->n_rot && !status; c++) {
        status = put_motion(list, list->n_points - 1, c, -1, -1);
        for (int part = 0; part < MOTION_PARTS && !status; part++)
            status = put_entry(list, ENTRY_MOTION, list->n_motions - 1, part, "%s.%s", full,
                               system->dim == 2 ? plane_names[part][c] : space_names[part][c]);
    }
    return status;
}

/* Appends the coordinates of joint j with all their parts (position, rate, acceleration, effort). */
static phx_status put_joint(catalog *list, int j)
{
    const joint_slot *joint = &list->system->joints[j];
    phx_status status = PHX_OK;

    list->first_motion[j] = list->n_motions;
    for (int c = 0; c < joint->n_coordinates && !status; c++) {
        char number[16] = "";
        if (joint->n_coordinates > 1)
            snprintf(number, sizeof number, "%d", c + 1);
        status = put_motion(list, -1, -1, j, c);
        for (int part = 0; part < MOTION_PARTS && !status; part++)
            status = put_entry(list, ENTRY_MOTION, list->n_motions - 1, part, "%s.%s%s", joint->name, joint_names[part],
                               number);
    }
    return status;
}

/* Appends the components of a load or line force by name; other forces have no entry. */
static phx_status put_force(catalog *list, int i)
{
    const phx_system *system = list->system;
    const force_slot *force = &system->forces[i];
    const bool torque = force->kind == FORCE_PORT && force->load.kind == PHX_LOAD_TORQUE;
    const int first = torque ? system->dim : 0, count = torque ? system->n_rot : system->dim;
    phx_status status = PHX_OK;

    if (force->n_fields == 1)
        return put_entry(list, ENTRY_LOAD, i, 0, "%s.pressure", force->name);
    if (force->kind == FORCE_LINE)
        return put_entry(list, ENTRY_LOAD, i, 0, "%s.force", force->name);
    if (force->kind != FORCE_PORT && force->kind != FORCE_DISTRIBUTED)
        return PHX_OK;
    for (int c = 0; c < count && !status; c++)
        status =
            put_entry(list, ENTRY_LOAD, i, c, "%s.%s", force->name,
                      system->dim == 2 ? plane_names[PART_EFFORT][first + c] : space_names[PART_EFFORT][first + c]);
    return status;
}

/* Lists the names of all channels of a system: output columns, loads, coordinates of joints and points. After an error
 * the catalog is empty. */
phx_status phx_sys_catalog_create(const phx_system *system, catalog *list)
{
    char name[256];
    phx_status status = PHX_OK;

    *list = (catalog){.system = system};
    list->first_motion = phx_calloc(system->context, (size_t)system->n_joints, sizeof *list->first_motion);
    if (!list->first_motion)
        status = PHX_ERR_MEMORY;
    for (int c = 0; c < system->channels.n_columns && !status;
         c++) { /* first: names the user gave come before others */
        phx_system_column_name(system, c, name, sizeof name);
        status = put_entry(list, ENTRY_COLUMN, c, 0, "%s", name);
    }
    for (int i = 0; i < system->n_forces && !status; i++)
        status = put_force(list, i);
    for (int j = 0; j < system->n_joints && !status; j++)
        status = put_joint(list, j);
    for (int i = 0; i < system->points.n && !status; i++)
        status = catalog_put_point(list, phx_body_name(system->bodies[system->points.slot[i].place.body].body), '.',
                                   system->points.slot[i].name, &system->points.slot[i].place, NULL);
    if (status)
        phx_sys_catalog_free(list);
    return status;
}

/* Frees a catalog and leaves it empty. */
void phx_sys_catalog_free(catalog *list)
{
    for (int i = 0; i < list->n_entries; i++)
        phx_free(list->entries[i].name);
    for (int i = 0; i < list->n_points; i++) {
        phx_free(list->points[i].name);
        if (list->points[i].own)
            phx_sys_place_free(list->points[i].own);
        phx_free(list->points[i].own);
    }
    phx_free(list->entries);
    phx_free(list->motions);
    phx_free(list->points);
    phx_free(list->first_motion);
    *list = (catalog){0};
}

/* ---- looking up ---- */
static bool can_be(const entry *item, bool input)
{
    return item->kind == ENTRY_MOTION || (item->kind == ENTRY_LOAD) == input;
}

static const entry *look_up(const catalog *list, const char *name, bool input)
{
    for (int i = 0; i < list->n_entries; i++)
        if (can_be(&list->entries[i], input) && strcmp(list->entries[i].name, name) == 0)
            return &list->entries[i];
    return NULL;
}

/* Adds the point of the name "BODY@S.MOTION", unless the catalog has it. */
static phx_status put_location(catalog *list, const char *name)
{
    const phx_system *system = list->system;
    const char *at = strchr(name, '@'), *dot = strrchr(name, '.');
    char text[64];
    phx_status status = PHX_OK;

    if (!at || !dot || dot < at + 2 || (size_t)(dot - at) >= sizeof text)
        return PHX_OK;
    memcpy(text, at + 1, (size_t)(dot - at - 1));
    text[dot - at - 1] = '\0';
    for (int b = 0; b < system->n_bodies; b++) {
        const char *body = phx_body_name(system->bodies[b].body);
        port_slot *own = NULL;
        if (strlen(body) != (size_t)(at - name) || strncmp(body, name, (size_t)(at - name)) != 0)
            continue;
        own = phx_calloc(system->context, 1, sizeof *own);
        if (!own)
            return PHX_ERR_MEMORY;
        place_def def = {.body = b};
        status = phx_location_read(system->context, phx_sys_location_sorts(system, b), text, &def.location);
        if (!status)
            status = phx_sys_place(system, &def, own);
        if (status) {
            phx_free(own);
            return phx_fail_prefix(system->context, status == PHX_ERR_MEMORY ? status : PHX_ERR_INPUT,
                                   "channel '%s': ", name);
        }
        return catalog_put_point(list, body, '@', text, own, own);
    }
    return PHX_OK;
}

const entry *phx_sys_catalog_find(catalog *list, const char *name, bool input, phx_status *status)
{
    const entry *found = look_up(list, name, input);

    *status = PHX_OK;
    if (found)
        return found;
    *status = put_location(list, name);
    return *status ? NULL : look_up(list, name, input);
}

phx_shown phx_sys_catalog_hint(const catalog *list, const char *name, bool input)
{
    phx_nearest nearest = phx_nearest_to(name);

    for (int i = 0; i < list->n_entries; i++)
        if (can_be(&list->entries[i], input))
            phx_nearest_offer(&nearest, list->entries[i].name);
    return phx_nearest_hint(&nearest);
}
