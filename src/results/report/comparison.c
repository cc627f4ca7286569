/* Pages of comparisons: building them, and their verdicts. */
#include "comparison.h"

#include <math.h>
#include <string.h>

/* ---- verdicts ---- */

const char *phx_verdict_name(phx_verdict verdict)
{
    static const char *const names[PHX_VERDICTS] = {"shown", "pass", "explained", "fail"};
    return (int)verdict >= 0 && verdict < PHX_VERDICTS ? names[verdict] : "";
}

double phx_standard_distance(const phx_standard *standard, double value)
{
    return fabs(value - standard->value);
}

static bool is_met(const phx_standard *standard, double value)
{
    return phx_standard_distance(standard, value) <= standard->tolerance; /* false for NaN */
}

phx_verdict phx_comparison_judge(const phx_comparison_row *row)
{
    const bool printed = row->published.given, referred = row->reference.given;

    if (!isfinite(row->value) || (referred && !is_met(&row->reference, row->value)))
        return PHX_VERDICT_FAIL;
    if (printed && !is_met(&row->published, row->value))
        return row->reason && referred ? PHX_VERDICT_EXPLAINED : PHX_VERDICT_FAIL;
    return printed || referred ? PHX_VERDICT_PASS : PHX_VERDICT_SHOWN;
}

int phx_comparisons_count(const phx_comparisons *page, int item, phx_verdict verdict)
{
    int count = 0;
    for (int k = 0; k < page->n_items; k++)
        for (int r = 0; (item < 0 || item == k) && r < page->items[k].n_rows; r++)
            count += phx_comparison_judge(&page->items[k].rows[r]) == verdict;
    return count;
}

phx_verdict phx_comparisons_verdict(const phx_comparisons *page, int item)
{
    phx_verdict worst = PHX_VERDICT_SHOWN;
    for (int k = 0; k < page->n_items; k++) {
        if (item >= 0 && item != k)
            continue;
        if (page->items[k].failure)
            return PHX_VERDICT_FAIL;
        for (int r = 0; r < page->items[k].n_rows; r++) {
            const phx_verdict verdict = phx_comparison_judge(&page->items[k].rows[r]);
            worst = verdict > worst ? verdict : worst;
        }
    }
    return worst;
}

int phx_comparisons_items(const phx_comparisons *page)
{
    return page->n_items;
}

const char *phx_comparisons_name(const phx_comparisons *page, int item)
{
    return page->items[item].head.name;
}

int phx_comparisons_rows(const phx_comparisons *page, int item)
{
    return page->items[item].n_rows;
}

int phx_page_source_number(const phx_comparisons *page, const char *key)
{
    for (int k = 0; key && k < page->n_sources; k++)
        if (!strcmp(page->sources[k].key, key))
            return k + 1;
    return 0;
}

/* ---- building ---- */

static char *copied(phx_comparisons *page, const char *text)
{
    char *copy = text ? phx_strdup(page->context, text) : NULL;
    if (text && !copy)
        page->status = PHX_ERR_MEMORY;
    return copy;
}

/* Room for one more entry of a list of `count`, zeroed; NULL after a failure. */
static void *grown(phx_comparisons *page, void **list, int count, size_t size)
{
    if (page->status)
        return NULL;
    char *more = phx_realloc(page->context, *list, (size_t)count + 1, size);
    if (!more) {
        page->status = PHX_ERR_MEMORY;
        return NULL;
    }
    *list = more;
    return memset(more + (size_t)count * size, 0, size);
}

static phx_page_item *last_item(phx_comparisons *page)
{
    return page->status || page->n_items == 0 ? NULL : &page->items[page->n_items - 1];
}

phx_status phx_comparisons_create(phx_context *context, const char *title, phx_comparisons **page)
{
    if (!page)
        return phx_fail_null(context, __func__, "page");
    phx_comparisons *made = phx_calloc(context, 1, sizeof *made);
    *page = NULL;
    if (!made)
        return PHX_ERR_MEMORY;
    made->context = context;
    made->title = copied(made, title);
    if (made->status) {
        phx_comparisons_destroy(made);
        return PHX_ERR_MEMORY;
    }
    *page = made;
    return PHX_OK;
}

phx_status phx_comparisons_status(const phx_comparisons *page)
{
    return page->status;
}

void phx_comparisons_add_introduction(phx_comparisons *page, const char *text)
{
    if (page->status)
        return;
    phx_free(page->introduction);
    page->introduction = copied(page, text);
}

void phx_comparisons_add_source(phx_comparisons *page, const char *key, const char *citation, const char *url)
{
    void *list = page->sources;
    phx_page_source *source = grown(page, &list, page->n_sources, sizeof *source);
    page->sources = list;
    if (!source)
        return;
    page->n_sources++;
    *source = (phx_page_source){copied(page, key), copied(page, citation), copied(page, url)};
}

void phx_comparisons_add_missing(phx_comparisons *page, const char *source, const char *place, const char *why)
{
    void *list = page->missing;
    phx_page_missing *missing = grown(page, &list, page->n_missing, sizeof *missing);
    page->missing = list;
    if (!missing)
        return;
    page->n_missing++;
    *missing = (phx_page_missing){copied(page, source), copied(page, place), copied(page, why)};
}

void phx_comparisons_add_item(phx_comparisons *page, const phx_comparison_item *item)
{
    void *list = page->items;
    phx_page_item *added = grown(page, &list, page->n_items, sizeof *added);
    page->items = list;
    if (!added)
        return;
    page->n_items++;
    added->head = (phx_comparison_item){
        .name = copied(page, item->name),
        .title = copied(page, item->title),
        .source = copied(page, item->source),
        .place = copied(page, item->place),
        .text = copied(page, item->text),
        .command = copied(page, item->command),
        .model_name = copied(page, item->model_name),
        .model = copied(page, item->model),
    };
}

static phx_standard copied_standard(phx_comparisons *page, const phx_standard *standard)
{
    phx_standard copy = *standard;
    copy.text = copied(page, standard->text);
    return copy;
}

void phx_comparisons_add_row(phx_comparisons *page, const phx_comparison_row *row)
{
    phx_page_item *item = last_item(page);
    if (!item)
        return;
    void *list = item->rows;
    phx_comparison_row *added = grown(page, &list, item->n_rows, sizeof *added);
    item->rows = list;
    if (!added)
        return;
    item->n_rows++;
    *added = (phx_comparison_row){
        .what = copied(page, row->what),
        .unit = copied(page, row->unit ? row->unit : ""),
        .value = row->value,
        .published = copied_standard(page, &row->published),
        .reference = copied_standard(page, &row->reference),
        .reason = copied(page, row->reason),
    };
}

void phx_comparisons_add_note(phx_comparisons *page, const char *text)
{
    phx_page_item *item = last_item(page);
    if (!item)
        return;
    void *list = item->notes;
    char **note = grown(page, &list, item->n_notes, sizeof *note);
    item->notes = list;
    if (!note)
        return;
    item->n_notes++;
    *note = copied(page, text);
}

void phx_comparisons_add_figure(phx_comparisons *page, const phx_comparison_figure *figure)
{
    phx_page_item *item = last_item(page);
    if (!item)
        return;
    void *list = item->figures;
    phx_chart *chart = grown(page, &list, item->n_figures, sizeof *chart);
    item->figures = list;
    if (!chart)
        return;
    item->n_figures++;
    page->status = phx_chart_create(page->context, figure->title, figure->remark ? figure->remark : "", chart);
    phx_panel *panel = page->status ? NULL : phx_chart_add_panel(chart, figure->y_label, figure->x_label);
    if (!panel) {
        page->status = PHX_ERR_MEMORY;
        return;
    }
    panel->logarithmic = figure->logarithmic;
    panel->x_logarithmic = figure->x_logarithmic;
    panel->equal = figure->equal;
}

void phx_comparisons_add_line(phx_comparisons *page, const char *label, bool points, int count, const double *x,
                              const double *y)
{
    phx_page_item *item = last_item(page);
    if (!item || item->n_figures == 0)
        return;
    phx_chart *chart = &item->figures[item->n_figures - 1];
    int drawn = 0; /* lines before, which have the colours before */
    for (int k = 0; k < chart->panels[0].n_lines; k++)
        drawn += !chart->panels[0].lines[k].points;
    phx_line *line = phx_panel_add_line(chart, &chart->panels[0], label, (size_t)count);
    if (!line) {
        page->status = PHX_ERR_MEMORY;
        return;
    }
    line->colour = points ? PHX_CHART_BLACK : drawn;
    line->points = points;
    memcpy(line->x, x, (size_t)count * sizeof *x);
    memcpy(line->y, y, (size_t)count * sizeof *y);
}

void phx_comparisons_fail_item(phx_comparisons *page, const char *message)
{
    phx_page_item *item = last_item(page);
    if (!item || item->failure)
        return;
    item->failure = copied(page, message);
}

void phx_comparisons_set_seconds(phx_comparisons *page, double seconds)
{
    phx_page_item *item = last_item(page);
    if (item)
        item->seconds = seconds;
}

/* ---- freeing ---- */

static void free_item(phx_page_item *item)
{
    const phx_comparison_item *head = &item->head;
    const char *const texts[] = {head->name, head->title,   head->source,     head->place,
                                 head->text, head->command, head->model_name, head->model};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        phx_free((void *)texts[k]);
    for (int r = 0; r < item->n_rows; r++) {
        const phx_comparison_row *row = &item->rows[r];
        phx_free((void *)row->what);
        phx_free((void *)row->unit);
        phx_free((void *)row->published.text);
        phx_free((void *)row->reference.text);
        phx_free((void *)row->reason);
    }
    phx_free(item->rows);
    for (int k = 0; k < item->n_notes; k++)
        phx_free(item->notes[k]);
    phx_free(item->notes);
    for (int k = 0; k < item->n_figures; k++)
        phx_chart_free(&item->figures[k]);
    phx_free(item->figures);
    phx_free(item->failure);
}

void phx_comparisons_destroy(phx_comparisons *page)
{
    if (!page)
        return;
    for (int k = 0; k < page->n_items; k++)
        free_item(&page->items[k]);
    for (int k = 0; k < page->n_sources; k++) {
        phx_free(page->sources[k].key);
        phx_free(page->sources[k].citation);
        phx_free(page->sources[k].url);
    }
    for (int k = 0; k < page->n_missing; k++) {
        phx_free(page->missing[k].source);
        phx_free(page->missing[k].place);
        phx_free(page->missing[k].why);
    }
    phx_free(page->items);
    phx_free(page->sources);
    phx_free(page->missing);
    phx_free(page->title);
    phx_free(page->introduction);
    phx_free(page);
}
