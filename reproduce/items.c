/* Going through the items: the rows, their published values, the page. */
#include "catalog.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT_SIZE = 256 };

/* ---- rows ---- */

phx_standard phx_no_reference(void)
{
    return (phx_standard){0};
}

phx_standard phx_reference_within(double value, double tolerance)
{
    return (phx_standard){true, NULL, value, tolerance};
}

phx_standard phx_reference_near(double value, double relative)
{
    return phx_reference_within(value, relative * (value < 0.0 ? -value : value));
}

phx_standard phx_reference_zero(double tolerance)
{
    return phx_reference_within(0.0, tolerance);
}

void phx_item_row(phx_item *item, const char *what, const char *unit, double value, phx_standard reference)
{
    phx_comparison_row row = {.what = what, .unit = unit, .value = value, .reference = reference};

    for (int k = 0; k < item->published->count; k++) {
        phx_published_value *printed = &item->published->values[k];
        if (strcmp(printed->item, item->name) != 0 || strcmp(printed->quantity, what) != 0)
            continue;
        row.published = (phx_standard){true, printed->printed, printed->value, printed->tolerance};
        row.reason = printed->reason;
        printed->used = true;
    }
    phx_comparisons_add_row(item->page, &row);
}

/* ---- asking ---- */

int phx_reproduce_items(void)
{
    return phx_catalog_size;
}

const char *phx_reproduce_name(int k)
{
    return phx_catalog[k].head.name;
}

const char *phx_reproduce_title(int k)
{
    return phx_catalog[k].head.title;
}

const char *phx_reproduce_place(int k)
{
    return phx_catalog[k].where;
}

phx_status phx_reproduce_find(phx_context *context, const char *name, int *k)
{
    if (!name || !k)
        return phx_fail_null(context, __func__, "name or k");
    phx_nearest nearest = phx_nearest_to(name);

    for (*k = 0; *k < phx_catalog_size; (*k)++) {
        if (!strcmp(name, phx_catalog[*k].head.name))
            return PHX_OK;
        phx_nearest_offer(&nearest, phx_catalog[*k].head.name);
    }
    return phx_conclude(context, phx_fail(context, PHX_ERR_INPUT, "there is no table or figure %s%s",
                                          phx_shown_text(name).text, phx_nearest_hint(&nearest).text));
}

const char *phx_reproduce_published(void)
{
    return phx_reproduce_file("published.csv");
}

phx_reproduce_options phx_reproduce_options_default(void)
{
    return (phx_reproduce_options){0};
}

/* ---- going through them ---- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

/* Published values of an item that the item did not compute. */
static void find_unused(phx_item *item)
{
    for (int k = 0; k < item->published->count; k++) {
        const phx_published_value *printed = &item->published->values[k];
        char message[TEXT_SIZE];
        if (printed->used || strcmp(printed->item, item->name) != 0)
            continue;
        snprintf(message, sizeof message, "nothing was computed for the published value '%s'", printed->quantity);
        phx_comparisons_fail_item(item->page, message);
    }
}

static phx_status compute(phx_item *item, const phx_catalog_row *row)
{
    struct timespec start;
    phx_comparison_item head = row->head;

    timespec_get(&start, TIME_UTC);
    head.model = head.model_name ? phx_reproduce_file(head.model_name) : NULL;
    phx_comparisons_add_item(item->page, &head);
    item->name = head.name;
    phx_status status = row->compute(item);
    if (status == PHX_INTERRUPTED || status == PHX_ERR_MEMORY)
        return status;
    if (status) {
        const char *message = phx_context_message(item->context);
        phx_comparisons_fail_item(item->page, message[0] ? message : phx_status_text(status));
    }
    for (int k = 0; k < PHX_CATALOG_NOTES && row->notes[k]; k++)
        phx_comparisons_add_note(item->page, row->notes[k]);
    find_unused(item);
    phx_comparisons_set_seconds(item->page, seconds_since(&start));
    return phx_comparisons_status(item->page);
}

static phx_status choose(phx_context *context, const phx_reproduce_options *options, bool *chosen)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < phx_catalog_size; k++)
        chosen[k] = !options->only;
    for (int i = 0; options->only && i < options->n_only && !status; i++) {
        int k = 0;
        status = phx_reproduce_find(context, options->only[i], &k);
        if (!status)
            chosen[k] = true;
    }
    return status;
}

/* The published values are of items that there are. */
static phx_status check_items(phx_context *context, const phx_published *published)
{
    for (int i = 0; i < published->count; i++) {
        int k = 0;
        const phx_status status = phx_reproduce_find(context, published->values[i].item, &k);
        if (status)
            return phx_fail_prefix(context, status, "published values: ");
    }
    return PHX_OK;
}

static phx_status go_through(phx_item *item, const bool *chosen)
{
    int total = 0, done = 0;
    phx_status status = PHX_OK;

    for (int k = 0; k < phx_catalog_size; k++)
        total += chosen[k];
    for (int k = 0; k < phx_catalog_size && !status; k++) {
        if (!chosen[k])
            continue;
        status = phx_progress(item->context, "tables and figures", done++, total);
        if (!status)
            status = compute(item, &phx_catalog[k]);
    }
    return status;
}

phx_status phx_reproduce(phx_context *context, const phx_reproduce_options *options, phx_comparisons **page)
{
    if (!page)
        return phx_fail_null(context, __func__, "page");
    phx_published published = {0};
    phx_item item = {.context = context, .published = &published};
    bool *chosen = phx_calloc(context, (size_t)phx_catalog_size, sizeof *chosen);
    phx_status status = chosen ? choose(context, options, chosen) : PHX_ERR_MEMORY;

    *page = NULL;
    if (!status)
        status = phx_published_read(context, options->published ? options->published : phx_reproduce_published(),
                                    &published);
    if (!status)
        status = check_items(context, &published);
    if (!status)
        status = phx_comparisons_create(context, phx_catalog_title, &item.page);
    if (!status) {
        phx_catalog_frame(item.page);
        status = go_through(&item, chosen);
    }
    if (!status)
        status = phx_comparisons_status(item.page);
    if (status)
        phx_comparisons_destroy(item.page);
    else
        *page = item.page;
    phx_published_free(&published);
    phx_free(chosen);
    return phx_conclude(context, status);
}
