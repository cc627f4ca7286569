/* Pages of comparisons as files: json, csv; the html page is drawn in comparison_html.c. */
#include "comparison.h"

#include <math.h>

/* ---- json ---- */

static void put_member(phx_output *out, const char *name, const char *text)
{
    phx_output_format(out, "\"%s\": ", name);
    if (text)
        phx_output_json(out, text);
    else
        phx_output_text(out, "null");
    phx_output_text(out, ", ");
}

static void put_value(phx_output *out, double value)
{
    if (isfinite(value))
        phx_output_number(out, value);
    else
        phx_output_text(out, "null");
}

static void put_standard(phx_output *out, const char *name, const phx_standard *standard, double value)
{
    phx_output_format(out, "\"%s\": ", name);
    if (!standard->given) {
        phx_output_text(out, "null, ");
        return;
    }
    phx_output_text(out, "{");
    put_member(out, "text", standard->text);
    phx_output_text(out, "\"value\": ");
    put_value(out, standard->value);
    phx_output_text(out, ", \"tolerance\": ");
    put_value(out, standard->tolerance);
    phx_output_text(out, ", \"difference\": ");
    put_value(out, phx_standard_distance(standard, value));
    phx_output_text(out, "}, ");
}

static void comparison_file_put_row(phx_output *out, const phx_comparison_row *row)
{
    phx_output_text(out, "{");
    put_member(out, "what", row->what);
    put_member(out, "unit", row->unit);
    phx_output_text(out, "\"value\": ");
    put_value(out, row->value);
    phx_output_text(out, ", ");
    put_standard(out, "published", &row->published, row->value);
    put_standard(out, "reference", &row->reference, row->value);
    put_member(out, "reason", row->reason);
    phx_output_format(out, "\"verdict\": \"%s\"}", phx_verdict_name(phx_comparison_judge(row)));
}

static const char *separator(int k, int count)
{
    return k + 1 < count ? "," : "";
}

static void put_item(phx_output *out, const phx_comparisons *page, int k)
{
    const phx_page_item *item = &page->items[k];
    phx_output_text(out, "  {");
    put_member(out, "name", item->head.name);
    put_member(out, "title", item->head.title);
    put_member(out, "source", item->head.source);
    put_member(out, "place", item->head.place);
    put_member(out, "model", item->head.model_name);
    put_member(out, "command", item->head.command);
    put_member(out, "failure", item->failure);
    phx_output_format(out, "\"verdict\": \"%s\", \"seconds\": ", phx_verdict_name(phx_comparisons_verdict(page, k)));
    put_value(out, item->seconds);
    phx_output_text(out, ", \"notes\": [");
    for (int n = 0; n < item->n_notes; n++) {
        phx_output_json(out, item->notes[n]);
        phx_output_text(out, separator(n, item->n_notes));
    }
    phx_output_text(out, "], \"rows\": [");
    phx_output_line(out);
    for (int r = 0; r < item->n_rows; r++) {
        phx_output_text(out, "    ");
        comparison_file_put_row(out, &item->rows[r]);
        phx_output_text(out, separator(r, item->n_rows));
        phx_output_line(out);
    }
    phx_output_format(out, "  ]}%s", separator(k, page->n_items));
    phx_output_line(out);
}

static void put_json(phx_output *out, const phx_comparisons *page)
{
    phx_output_text(out, "{");
    put_member(out, "title", page->title);
    put_member(out, "program_version", phx_version());
    phx_output_format(out, "\"verdict\": \"%s\", \"sources\": [", phx_verdict_name(phx_comparisons_verdict(page, -1)));
    phx_output_line(out);
    for (int k = 0; k < page->n_sources; k++) {
        const phx_page_source *source = &page->sources[k];
        phx_output_text(out, "  {");
        put_member(out, "key", source->key);
        put_member(out, "url", source->url);
        phx_output_text(out, "\"citation\": ");
        phx_output_json(out, source->citation);
        phx_output_format(out, "}%s", separator(k, page->n_sources));
        phx_output_line(out);
    }
    phx_output_text(out, "], \"missing\": [");
    phx_output_line(out);
    for (int k = 0; k < page->n_missing; k++) {
        phx_output_text(out, "  {");
        put_member(out, "source", page->missing[k].source);
        put_member(out, "place", page->missing[k].place);
        phx_output_text(out, "\"why\": ");
        phx_output_json(out, page->missing[k].why);
        phx_output_format(out, "}%s", separator(k, page->n_missing));
        phx_output_line(out);
    }
    phx_output_text(out, "], \"items\": [");
    phx_output_line(out);
    for (int k = 0; k < page->n_items; k++)
        put_item(out, page, k);
    phx_output_text(out, "]}");
    phx_output_line(out);
}

/* ---- csv ---- */

static void put_field(phx_output *out, const char *text)
{
    phx_output_csv(out, text ? text : "");
    phx_output_text(out, ",");
}

static void comparison_file_put_number(phx_output *out, bool given, double value)
{
    if (given && isfinite(value))
        phx_output_number(out, value);
    phx_output_text(out, ",");
}

static void put_csv_row(phx_output *out, const phx_page_item *item, const phx_comparison_row *row)
{
    put_field(out, item->head.name);
    put_field(out, item->head.source);
    put_field(out, item->head.place);
    put_field(out, row->what);
    put_field(out, row->unit);
    comparison_file_put_number(out, true, row->value);
    put_field(out, row->published.text);
    comparison_file_put_number(out, row->published.given, row->published.value);
    comparison_file_put_number(out, row->published.given, row->published.tolerance);
    comparison_file_put_number(out, row->reference.given, row->reference.value);
    comparison_file_put_number(out, row->reference.given, row->reference.tolerance);
    put_field(out, phx_verdict_name(phx_comparison_judge(row)));
    phx_output_csv(out, row->reason ? row->reason : "");
    phx_output_line(out);
}

/* An item whose computing failed has a last row that says so. */
static void put_csv(phx_output *out, const phx_comparisons *page)
{
    phx_output_text(out, "item,source,place,what,unit,value,printed,published,published_tolerance,reference,"
                         "reference_tolerance,verdict,reason");
    phx_output_line(out);
    for (int k = 0; k < page->n_items; k++) {
        const phx_page_item *item = &page->items[k];
        for (int r = 0; r < item->n_rows; r++)
            put_csv_row(out, item, &item->rows[r]);
        if (item->failure) {
            const phx_comparison_row row = {"computing", "", NAN, {0}, {0}, item->failure};
            put_csv_row(out, item, &row);
        }
    }
}

phx_status phx_comparisons_write(const phx_comparisons *page, phx_comparisons_format format, const char *path)
{
    if (!page || !path)
        return phx_fail_null(page ? page->context : NULL, __func__, "page or path");
    phx_output out;
    phx_status status = page->status ? page->status : phx_output_open(page->context, path, &out);
    if (status)
        return status;
    if (format == PHX_COMPARISONS_JSON)
        put_json(&out, page);
    else if (format == PHX_COMPARISONS_CSV)
        put_csv(&out, page);
    else
        phx_page_put_html(&out, page);
    return phx_output_commit(&out);
}
