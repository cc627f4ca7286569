/* Pages of comparisons as html: one file with its style and figures, no script. */
#include "comparison.h"

#include <math.h>
#include <string.h>

/* The figures come with colours for white paper; in the dark their attributes are outvoted. */
static const char *const style[] = {
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c1e21;--soft:#5b6168;--line:#d9dde2;--band:#f4f6f8;",
    "--pass:#17703b;--explained:#8a5a00;--fail:#b3261e;--link:#0b57a4}",
    "@media (prefers-color-scheme:dark){:root{--paper:#16181b;--ink:#e6e8ea;--soft:#a2a9b1;--line:#363b41;",
    "--band:#1f2226;--pass:#63c58c;--explained:#e0b052;--fail:#ff8a80;--link:#7db7f0}}",
    "*{box-sizing:border-box}",
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,'Helvetica "
    "Neue',Arial,sans-serif}",
    "main{max-width:74rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}",
    "h1{font-size:1.7rem;line-height:1.25;margin:.5rem 0 .25rem}",
    "h2{font-size:1.25rem;line-height:1.3;margin:0 0 .25rem}",
    "section{border-top:1px solid var(--line);margin-top:2.5rem;padding-top:1.5rem}",
    "p{margin:.6rem 0;max-width:46rem}a{color:var(--link)}.soft{color:var(--soft)}",
    "code,pre{font:.86em/1.5 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}",
    "pre{background:var(--band);padding:.75rem 1rem;overflow-x:auto;border-radius:6px;white-space:pre}",
    ".scroll{overflow-x:auto;margin:1rem 0}",
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}",
    "th,td{padding:.3rem .7rem .3rem 0;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--line)}",
    "th{font-weight:600;color:var(--soft);vertical-align:bottom}td.n,th.n{text-align:right;white-space:nowrap}",
    "td.what{min-width:11rem}.rows td.what{min-width:15rem}.rows td.text{white-space:normal;min-width:8rem}",
    "th.first,td.first{padding-left:1.2rem}tr.reason td{padding-top:0;color:var(--soft);font-size:.85rem}",
    "tr.with td{border-bottom:0}.mark{font-weight:600;white-space:nowrap}",
    ".pass{color:var(--pass)}.explained{color:var(--explained)}.fail{color:var(--fail)}.shown{color:var(--soft)}",
    ".failure{border-left:4px solid var(--fail);padding:.25rem 0 .25rem 1rem}",
    ".note{border-left:3px solid var(--line);padding-left:1rem;color:var(--soft)}",
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:1rem}",
    "figure{margin:.5rem 0}figure svg{display:block;max-width:100%;height:auto}",
    "details{margin:.75rem 0}summary{cursor:pointer;color:var(--link)}",
    "@media (prefers-color-scheme:dark){svg>rect{fill:none}svg{fill:var(--ink)}",
    "svg [fill='#555555'],svg [fill='#808080']{fill:var(--soft)}svg [stroke='#E4E4E4']{stroke:#2b2f34}",
    "svg [stroke='#555555']{stroke:#7b828a}svg [stroke='#0072B2']{stroke:#5ab4f0}svg "
    "[stroke='#D55E00']{stroke:#ff9a56}",
    "svg [stroke='#009E73']{stroke:#3fd0a4}svg [stroke='#000000']{stroke:#e6e8ea}}",
    "@media print{body{font-size:10.5pt}main{max-width:none;padding:0}section{break-inside:auto;margin-top:1.5rem}",
    "figure,tr{break-inside:avoid}h2{break-after:avoid}a{color:inherit;text-decoration:none}",
    ".figures:has(figure+figure){grid-template-columns:1fr "
    "1fr}details:not([open]){display:none}.scroll{overflow:visible}}",
};
enum { STYLE_LINES = sizeof style / sizeof *style };

static const char *const marks[PHX_VERDICTS] = {"– shown", "✓ pass", "≈ explained", "✗ FAIL"};

/* ---- small pieces ---- */

static void comparison_html_put(phx_output *out, const char *text)
{
    phx_output_text(out, text);
    phx_output_line(out);
}

/* <tag attributes>text</tag>, the attributes with the blank before them */
static void put_element(phx_output *out, const char *tag, const char *attributes, const char *text)
{
    phx_output_format(out, "<%s%s>", tag, attributes);
    phx_output_xml(out, text);
    phx_output_format(out, "</%s>", tag);
}

/* Characters of a text, its ends of lines kept or made blanks. */
static void put_characters(phx_output *out, const char *text, size_t length, bool lines)
{
    char character[5] = "";
    for (size_t i = 0, used = 0; i < length; i++) {
        if (lines && text[i] == '\n') {
            phx_output_line(out);
            continue;
        }
        character[used++] = text[i];
        const bool goes_on = i + 1 < length && ((unsigned char)text[i + 1] & 0xC0) == 0x80;
        if (goes_on && used < sizeof character - 1)
            continue;
        character[used] = '\0';
        phx_output_xml(out, character);
        used = 0;
    }
}

/* Text between backquotes is code. */
static void put_rich(phx_output *out, const char *text, size_t length)
{
    bool code = false;
    for (size_t start = 0, i = 0; i <= length; i++) {
        if (i < length && text[i] != '`')
            continue;
        put_characters(out, text + start, i - start, false);
        start = i + 1;
        if (code || i < length)
            phx_output_text(out, code ? "</code>" : "<code>");
        code = !code;
    }
}

static void put_preformatted(phx_output *out, const char *text)
{
    phx_output_text(out, "<pre>");
    put_characters(out, text, strlen(text), true);
    comparison_html_put(out, "</pre>");
}

static void put_paragraphs(phx_output *out, const char *class, const char *text)
{
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        phx_output_format(out, "<p%s>", class);
        put_rich(out, text, length);
        comparison_html_put(out, "</p>");
        text = end ? end + 2 : NULL;
    }
}

static void put_mark(phx_output *out, phx_verdict verdict)
{
    phx_output_format(out, "<span class=\"mark %s\">%s</span>", phx_verdict_name(verdict), marks[verdict]);
}

static void put_number_cell(phx_output *out, const char *class, bool given, double value, int digits)
{
    char text[PHX_NUMBER_SIZE] = "";
    if (given && isfinite(value))
        phx_number_format(value, digits, text);
    phx_output_format(out, "<td class=\"n%s\">%s</td>", class, given && !isfinite(value) ? "not a number" : text);
}

static void put_seconds(phx_output *out, double seconds)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_fixed(seconds, seconds < 10.0 ? 2 : 0, text);
    phx_output_format(out, "%s s", text);
}

/* "[1] Figure 8", the number a link to the list of sources */
static void put_place(phx_output *out, const phx_comparisons *page, const char *source, const char *place)
{
    const int number = phx_page_source_number(page, source);
    if (number > 0)
        phx_output_format(out, "<a href=\"#source-%d\">[%d]</a> ", number, number);
    phx_output_xml(out, place ? place : "");
}

/* ---- rows ---- */

/* Which columns a table has. */
typedef struct table_columns {
    bool published, reference;
} table_columns;

static table_columns find_columns(const phx_page_item *item)
{
    table_columns columns = {false, false};
    for (int r = 0; r < item->n_rows; r++) {
        columns.published = columns.published || item->rows[r].published.given;
        columns.reference = columns.reference || item->rows[r].reference.given;
    }
    return columns;
}

static void put_standard_cells(phx_output *out, const phx_standard *standard, double value)
{
    if (standard->given && standard->text)
        put_element(out, "td", " class=\"n first text\"", standard->text);
    else
        put_number_cell(out, " first", standard->given, standard->value, 10);
    put_number_cell(out, "", standard->given, phx_standard_distance(standard, value), 2);
    put_number_cell(out, "", standard->given, standard->tolerance, 2);
}

/* Two digits are enough for a difference that should be zero. */
static int digits_of(const phx_comparison_row *row)
{
    const bool difference =
        (row->published.given && row->published.value == 0.0) || (row->reference.given && row->reference.value == 0.0);
    return difference ? 2 : row->published.given || row->reference.given ? 10 : 4;
}

static void comparison_html_put_row(phx_output *out, const phx_comparison_row *row, table_columns columns)
{
    const phx_verdict verdict = phx_comparison_judge(row);
    const bool told = row->reason && verdict != PHX_VERDICT_PASS;
    phx_output_text(out, told ? "<tr class=\"with\"><td>" : "<tr><td>");
    put_mark(out, verdict);
    phx_output_text(out, "</td>");
    put_element(out, "td", " class=\"what\"", row->what);
    put_number_cell(out, "", true, row->value, digits_of(row));
    put_element(out, "td", "", row->unit);
    if (columns.published)
        put_standard_cells(out, &row->published, row->value);
    if (columns.reference)
        put_standard_cells(out, &row->reference, row->value);
    comparison_html_put(out, "</tr>");
    if (told) {
        phx_output_format(out, "<tr class=\"reason\"><td></td><td colspan=\"%d\">",
                          3 + 3 * (columns.published + columns.reference));
        put_rich(out, row->reason, strlen(row->reason));
        comparison_html_put(out, "</td></tr>");
    }
}

static void put_table(phx_output *out, const phx_page_item *item)
{
    static const char *const distance = "<th class=\"n\">difference</th><th class=\"n\">allowed</th>";
    const table_columns columns = find_columns(item);
    if (item->n_rows == 0)
        return;
    phx_output_text(out, "<div class=\"scroll rows\"><table><thead><tr><th>Result</th><th>Quantity</th><th "
                         "class=\"n\">Phlexor</th><th></th>");
    if (columns.published)
        phx_output_format(out, "<th class=\"n first\">Published</th>%s", distance);
    if (columns.reference)
        phx_output_format(out, "<th class=\"n first\">Reference</th>%s", distance);
    comparison_html_put(out, "</tr></thead><tbody>");
    for (int r = 0; r < item->n_rows; r++)
        comparison_html_put_row(out, &item->rows[r], columns);
    comparison_html_put(out, "</tbody></table></div>");
}

/* ---- items ---- */

static void put_by_hand(phx_output *out, const phx_comparison_item *head)
{
    if (head->command) {
        comparison_html_put(out, "<p>By hand:</p>");
        put_preformatted(out, head->command);
    }
    if (head->model) {
        phx_output_text(out, "<details><summary>The model, <code>");
        phx_output_xml(out, head->model_name ? head->model_name : "model.yaml");
        phx_output_text(out, "</code></summary>");
        put_preformatted(out, head->model);
        comparison_html_put(out, "</details>");
    }
}

static void put_item(phx_output *out, const phx_comparisons *page, int k)
{
    const phx_page_item *item = &page->items[k];
    phx_output_format(out, "<section id=\"%s\"><h2>", item->head.name);
    phx_output_xml(out, item->head.title);
    phx_output_text(out, "</h2><p class=\"soft\">");
    put_place(out, page, item->head.source, item->head.place);
    phx_output_text(out, " · ");
    put_mark(out, phx_comparisons_verdict(page, k));
    phx_output_text(out, " · ");
    put_seconds(out, item->seconds);
    phx_output_format(out, " · <code>phlexor reproduce --only %s</code></p>", item->head.name);
    phx_output_line(out);
    put_paragraphs(out, "", item->head.text);
    if (item->failure) {
        phx_output_text(out, "<p class=\"failure\">The computation failed: ");
        phx_output_xml(out, item->failure);
        comparison_html_put(out, "</p>");
    }
    put_table(out, item);
    for (int n = 0; n < item->n_notes; n++)
        put_paragraphs(out, " class=\"note\"", item->notes[n]);
    phx_output_text(out, item->n_figures > 0 ? "<div class=\"figures\">" : "");
    for (int f = 0; f < item->n_figures; f++) {
        comparison_html_put(out, "<figure>");
        phx_chart_put(out, &item->figures[f]);
        comparison_html_put(out, "</figure>");
    }
    phx_output_text(out, item->n_figures > 0 ? "</div>" : "");
    put_by_hand(out, &item->head);
    comparison_html_put(out, "</section>");
}

/* ---- the page ---- */

static void put_counts(phx_output *out, const phx_comparisons *page)
{
    int items[PHX_VERDICTS] = {0};
    const bool fails = phx_comparisons_verdict(page, -1) == PHX_VERDICT_FAIL;
    for (int k = 0; k < page->n_items; k++)
        items[phx_comparisons_verdict(page, k)]++;
    phx_output_format(out, "<p><span class=\"mark %s\">%s</span> ", fails ? "fail" : "pass",
                      fails ? "✗ Something fails." : "✓ Nothing fails.");
    phx_output_format(out, "Of %d tables and figures %d pass, %d pass but for published values whose deviation is ",
                      page->n_items, items[PHX_VERDICT_PASS] + items[PHX_VERDICT_SHOWN], items[PHX_VERDICT_EXPLAINED]);
    phx_output_format(out, "explained, %d fail. ", items[PHX_VERDICT_FAIL]);
    phx_output_format(
        out, "Of their values %d pass, %d are explained, %d fail; %d are only shown.",
        phx_comparisons_count(page, -1, PHX_VERDICT_PASS), phx_comparisons_count(page, -1, PHX_VERDICT_EXPLAINED),
        phx_comparisons_count(page, -1, PHX_VERDICT_FAIL), phx_comparisons_count(page, -1, PHX_VERDICT_SHOWN));
    comparison_html_put(out, "</p>");
}

static void put_contents(phx_output *out, const phx_comparisons *page)
{
    comparison_html_put(
        out, "<div class=\"scroll\"><table><thead><tr><th>Result</th><th>What</th><th>Where published</th>"
             "<th class=\"n\">pass</th><th class=\"n\">explained</th><th class=\"n\">fail</th><th class=\"n\">time</th>"
             "</tr></thead><tbody>");
    for (int k = 0; k < page->n_items; k++) {
        const phx_page_item *item = &page->items[k];
        phx_output_text(out, "<tr><td>");
        put_mark(out, phx_comparisons_verdict(page, k));
        phx_output_format(out, "</td><td class=\"what\"><a href=\"#%s\">", item->head.name);
        phx_output_xml(out, item->head.title);
        phx_output_text(out, "</a></td><td>");
        put_place(out, page, item->head.source, item->head.place);
        phx_output_text(out, "</td>");
        for (int verdict = PHX_VERDICT_PASS; verdict <= PHX_VERDICT_FAIL; verdict++)
            phx_output_format(out, "<td class=\"n\">%d</td>", phx_comparisons_count(page, k, (phx_verdict)verdict));
        phx_output_text(out, "<td class=\"n\">");
        put_seconds(out, item->seconds);
        comparison_html_put(out, "</td></tr>");
    }
    comparison_html_put(out, "</tbody></table></div>");
}

static void put_missing(phx_output *out, const phx_comparisons *page)
{
    if (page->n_missing == 0)
        return;
    comparison_html_put(out, "<section id=\"missing\"><h2>What is not here</h2><ul>");
    for (int k = 0; k < page->n_missing; k++) {
        phx_output_text(out, "<li>");
        put_place(out, page, page->missing[k].source, page->missing[k].place);
        phx_output_text(out, ": ");
        put_rich(out, page->missing[k].why, strlen(page->missing[k].why));
        comparison_html_put(out, "</li>");
    }
    comparison_html_put(out, "</ul></section>");
}

static void put_sources(phx_output *out, const phx_comparisons *page)
{
    comparison_html_put(out, "<section id=\"sources\"><h2>Sources</h2><ol>");
    for (int k = 0; k < page->n_sources; k++) {
        const phx_page_source *source = &page->sources[k];
        phx_output_format(out, "<li id=\"source-%d\">", k + 1);
        phx_output_xml(out, source->citation);
        if (source->url) {
            phx_output_text(out, " <a href=\"");
            phx_output_xml(out, source->url);
            phx_output_text(out, "\">");
            phx_output_xml(out, source->url);
            phx_output_text(out, "</a>");
        }
        comparison_html_put(out, "</li>");
    }
    comparison_html_put(out, "</ol></section>");
}

void phx_page_put_html(phx_output *out, const phx_comparisons *page)
{
    comparison_html_put(out, "<!DOCTYPE html>");
    comparison_html_put(out, "<html lang=\"en\"><head><meta charset=\"utf-8\">"
                             "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    put_element(out, "title", "", page->title);
    comparison_html_put(out, "<style>");
    for (int k = 0; k < STYLE_LINES; k++)
        comparison_html_put(out, style[k]);
    comparison_html_put(out, "</style></head><body><main>");
    phx_output_format(out, "<p class=\"soft\">Phlexor %s</p>", phx_version());
    put_element(out, "h1", "", page->title);
    phx_output_line(out);
    put_counts(out, page);
    put_paragraphs(out, "", page->introduction);
    put_contents(out, page);
    for (int k = 0; k < page->n_items; k++)
        put_item(out, page, k);
    put_missing(out, page);
    put_sources(out, page);
    comparison_html_put(out, "</main></body></html>");
}
