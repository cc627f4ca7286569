/* Events: their conditions, and the joints and forces that they switch. */
#include "body_kinds.h"

#include <string.h>

/* Finds the numbers of named joints; an unknown name is refused with the closest one. */
static phx_status find_joints(phx_reader *reader, const phx_node *list, int count, const char *const *names,
                              int *numbers)
{
    for (int k = 0; k < count; k++) {
        phx_nearest nearest = phx_nearest_to(names[k]);
        numbers[k] = -1;
        for (int j = 0; j < reader->model->n_joints; j++) {
            phx_nearest_offer(&nearest, reader->model->joints[j].name);
            if (!strcmp(reader->model->joints[j].name, names[k]))
                numbers[k] = j;
        }
        if (numbers[k] < 0)
            return phx_reader_fail(reader, list, "there is no joint %s%s", phx_shown_text(names[k]).text,
                                   phx_nearest_hint(&nearest).text);
    }
    return PHX_OK;
}

/* Whether a spring, force or load has the name. */
static bool has_force(const phx_model *model, const char *name, phx_nearest *nearest)
{
    const struct {
        const void *items;
        int count;
        size_t size;
    } lists[] = {{model->springs, model->n_springs, sizeof *model->springs},
                 {model->forces, model->n_forces, sizeof *model->forces},
                 {model->loads, model->n_loads, sizeof *model->loads}};
    bool found = false;

    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (int k = 0; k < lists[l].count; k++) {
            const char *own = *(const char *const *)((const char *)lists[l].items + (size_t)k * lists[l].size);
            const size_t length = strlen(name);
            phx_nearest_offer(nearest, own);
            found = found || !strcmp(own, name) || (!strncmp(own, name, length) && !strcmp(own + length, "/1"));
        }
    return found;
}

static phx_status check_forces(phx_reader *reader, const phx_node *list, int count, const char *const *names)
{
    for (int k = 0; k < count; k++) {
        phx_nearest nearest = phx_nearest_to(names[k]);
        if (!has_force(reader->model, names[k], &nearest))
            return phx_reader_fail(reader, list, "there is no spring, force or load %s%s",
                                   phx_shown_text(names[k]).text, phx_nearest_hint(&nearest).text);
    }
    return PHX_OK;
}

/* A name of both lists, also as one part of a force of many; NULL: there is none. */
static const char *in_both(int n_a, const char *const *a, int n_b, const char *const *b)
{
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < n_b; k++) {
            const size_t n = strlen(a[i]), m = strlen(b[k]), common = n < m ? n : m;
            const char *longer = n < m ? b[k] : a[i];
            if (!strncmp(a[i], b[k], common) && (longer[common] == '\0' || longer[common] == '/'))
                return longer;
        }
    return NULL;
}

/* One event does not do a thing and its contrary. */
static phx_status check_contraries(phx_reader *reader, const phx_node *node, const phx_model_event *event)
{
    const char *joint = in_both(event->n_attach, (const char *const *)event->attach, event->n_release,
                                (const char *const *)event->release);
    const char *force =
        in_both(event->n_on, (const char *const *)event->on, event->n_off, (const char *const *)event->off);

    if (joint)
        return phx_reader_fail(reader, phx_node_find(node, "release"),
                               "the event attaches and releases joint %s; leave one of them out, or make two events",
                               phx_shown_text(joint).text);
    if (force)
        return phx_reader_fail(reader, phx_node_find(node, "switch_off"),
                               "the event switches %s on and off; leave one of them out, or make two events",
                               phx_shown_text(force).text);
    return PHX_OK;
}

/* Checks an event: at least one action, and either a time or one crossing of an output. Joints are found by name,
 * forces checked, and contrary actions refused. */
phx_status phx_finish_event(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_event *event = object;
    const int all = event->n_attach + event->n_release + event->n_undrive;
    const bool crossing = event->rises_to.given || event->falls_to.given;

    if (all + event->n_on + event->n_off == 0)
        return phx_reader_fail(reader, node,
                               "an event needs 'attach', 'release', 'drive_off', 'switch_on' or 'switch_off'");
    if (event->at.given == (event->output != NULL) || (event->output != NULL) != crossing ||
        (event->rises_to.given && event->falls_to.given))
        return phx_reader_fail(reader, node,
                               "an event happens either 'at' a time or when an 'output' comes to 'rises_to' or "
                               "'falls_to'");
    if (event->at.given && event->at.value < 0.0)
        return phx_reader_fail(reader, phx_node_find(node, "at"),
                               "the event is at %g s, before every run; the earliest time is 0", event->at.value);
    event->joints = phx_reader_calloc(reader, (size_t)all, sizeof *event->joints);
    if (!event->joints)
        return PHX_ERR_MEMORY;
    int *numbers = event->joints;
    phx_status status = find_joints(reader, phx_node_find(node, "attach"), event->n_attach, event->attach, numbers);
    if (!status)
        status = find_joints(reader, phx_node_find(node, "release"), event->n_release, event->release,
                             numbers + event->n_attach);
    if (!status)
        status = find_joints(reader, phx_node_find(node, "drive_off"), event->n_undrive, event->undrive,
                             numbers + event->n_attach + event->n_release);
    if (!status)
        status = check_forces(reader, phx_node_find(node, "switch_on"), event->n_on, event->on);
    if (!status)
        status = check_forces(reader, phx_node_find(node, "switch_off"), event->n_off, event->off);
    return status ? status : check_contraries(reader, node, event);
}
