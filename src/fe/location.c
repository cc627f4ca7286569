/* Places on a body, as they are said and read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fe/fe.h"

static const char *const sort_texts[PHX_LOCATION_SORTS] = {[PHX_LOCATION_ORIGIN] = "origin",
                                                           [PHX_LOCATION_FRACTION] = "fraction of the length",
                                                           [PHX_LOCATION_PLACE] = "place in body axes",
                                                           [PHX_LOCATION_NODE] = "number of a node",
                                                           [PHX_LOCATION_NAME] = "name"};

/* Returns true if two places are given in the same way and are equal. */
bool phx_location_same(const phx_location *a, const phx_location *b)
{
    if (a->sort != b->sort)
        return false;
    switch (a->sort) {
    case PHX_LOCATION_FRACTION:
        return a->fraction == b->fraction;
    case PHX_LOCATION_PLACE:
        return a->place[0] == b->place[0] && a->place[1] == b->place[1] && a->place[2] == b->place[2];
    case PHX_LOCATION_NODE:
        return a->node == b->node;
    case PHX_LOCATION_NAME:
        return strcmp(a->name, b->name) == 0;
    default:
        return true;
    }
}

phx_shown phx_location_sorts_text(unsigned sorts)
{
    phx_shown shown = {.text = ""};
    size_t n = 0;
    for (int k = 0; k < PHX_LOCATION_SORTS && n < sizeof shown.text; k++)
        if (sorts >> k & 1u)
            n += (size_t)snprintf(shown.text + n, sizeof shown.text - n, "%s%s", n ? ", " : "", sort_texts[k]);
    return n ? shown : (phx_shown){.text = "nothing"};
}

/* Reads a place from text as a fraction, node or name, whichever `sorts` allows; the name is borrowed. Fails with the
 * forms allowed. */
phx_status phx_location_read(phx_context *context, unsigned sorts, const char *text, phx_location *location)
{
    if (!text || !location)
        return phx_fail_null(context, __func__, "text or location");
    char *end = NULL;
    const double value = strtod(text, &end);
    const bool number = end != text && *end == '\0';
    *location = (phx_location){.sort = PHX_LOCATION_SORTS, .name = text};
    if (number && (sorts >> PHX_LOCATION_FRACTION & 1u))
        *location = phx_location_at_fraction(value);
    else if (number && (sorts >> PHX_LOCATION_NODE & 1u) && value == floor(value) && fabs(value) < 1e9)
        *location = (phx_location){.sort = PHX_LOCATION_NODE, .node = (int)value};
    else if (!number && (sorts >> PHX_LOCATION_NAME & 1u))
        location->sort = PHX_LOCATION_NAME;
    else
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s is no point of this body; its points are given by: %s",
                        phx_shown_text(text).text, phx_location_sorts_text(sorts).text);
    return PHX_OK;
}

double phx_station_place(const void *stations, size_t size, int k)
{
    double at;
    memcpy(&at, (const char *)stations + (size_t)k * size, sizeof at);
    return at;
}

int phx_station_before(int count, const void *stations, size_t size, double s, double *part)
{
    int k = 0;

    while (k + 2 < count && phx_station_place(stations, size, k + 1) <= s)
        k++;
    const double from = phx_station_place(stations, size, k), to = phx_station_place(stations, size, k + 1);
    *part = to > from ? (s - from) / (to - from) : 1.0; /* a step at the end */
    return k;
}
