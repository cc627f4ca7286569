/* Events: what makes them and which joints they switch. */
#include "body_kinds.h"

#include <string.h>

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

phx_status phx_finish_event(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_event *event = object;
    const int all = event->n_attach + event->n_release + event->n_undrive;
    const bool crossing = event->rises_to.given || event->falls_to.given;

    if (all == 0)
        return phx_reader_fail(reader, node, "an event needs 'attach', 'release' or 'drive_off'");
    if (event->at.given == (event->output != NULL) || (event->output != NULL) != crossing ||
        (event->rises_to.given && event->falls_to.given))
        return phx_reader_fail(reader, node,
                               "an event happens either 'at' a time or when an 'output' comes to 'rises_to' or "
                               "'falls_to'");
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
    return status;
}
