/* A page of a report taken apart again: the manifest as a document, the arrays as bytes. */
#ifndef PHX_TESTS_RESULTS_REPORT_PAGE_H
#define PHX_TESTS_RESULTS_REPORT_PAGE_H

#include "support/testing.h"

#include <libfyaml.h>
#include <zlib.h>

typedef struct report_page {
    char *html, *manifest;
    size_t html_size;
    struct fy_document *document;
    unsigned char *bytes;
    size_t n_bytes;
} report_page;

/* The text between `start` and the next "</script>", copied; free with free. */
static inline char *page_element(const char *html, const char *start)
{
    const char *from = strstr(html, start);
    if (!from)
        fail_msg("the page has no '%s'", start);
    from += strlen(start);
    const char *end = strstr(from, "</script>");
    assert_non_null(end);
    char *text = calloc((size_t)(end - from) + 1, 1);
    memcpy(text, from, (size_t)(end - from));
    return text;
}

static inline int page_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static inline void page_inflate(report_page *page, const char *text)
{
    const size_t length = strlen(text);
    unsigned char *packed = calloc(length, 1);
    size_t n = 0;
    unsigned long bits = 0;
    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        assert_true(page_digit(text[i]) >= 0);
        bits = bits << 6 | (unsigned long)page_digit(text[i]);
        if (i % 4 > 0)
            packed[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)) & 255);
    }
    z_stream stream = {.next_in = packed, .avail_in = (uInt)n};
    size_t room = 1 << 20;
    int result = inflateInit(&stream);
    page->bytes = malloc(room);
    while (result == Z_OK) {
        if (page->n_bytes == room)
            page->bytes = realloc(page->bytes, room *= 2);
        stream.next_out = page->bytes + page->n_bytes;
        stream.avail_out = (uInt)(room - page->n_bytes);
        result = inflate(&stream, Z_NO_FLUSH);
        page->n_bytes = room - stream.avail_out;
    }
    assert_int_equal(result, Z_STREAM_END);
    inflateEnd(&stream);
    free(packed);
}

static inline report_page page_read(const char *path)
{
    report_page page = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    page.html_size = (size_t)ftell(file);
    rewind(file);
    page.html = calloc(page.html_size + 1, 1);
    assert_int_equal(fread(page.html, 1, page.html_size, file), page.html_size);
    fclose(file);
    page.manifest = page_element(page.html, "<script id=\"phlexor-manifest\" type=\"application/json\">");
    char *arrays = page_element(page.html, "<script id=\"phlexor-arrays\" type=\"text/plain\">");
    assert_null(strchr(page.manifest, '<'));
    page.document = fy_document_build_from_string(NULL, page.manifest, FY_NT);
    if (!page.document)
        fail_msg("%s: the manifest cannot be read: %.300s", path, page.manifest);
    page_inflate(&page, arrays);
    free(arrays);
    return page;
}

static inline void page_free(report_page *page)
{
    fy_document_destroy(page->document);
    free(page->html);
    free(page->manifest);
    free(page->bytes);
}

/* The text at "/bodies/0/name"; NULL when there is none. Free with free. */
static inline char *page_text(const report_page *page, const char *path)
{
    struct fy_node *node = fy_node_by_path(fy_document_root(page->document), path, FY_NT, FYNWF_DONT_FOLLOW);
    size_t length = 0;
    const char *text = node ? fy_node_get_scalar(node, &length) : NULL;
    char *copy = text ? calloc(length + 1, 1) : NULL;
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

static inline void page_says(const report_page *page, const char *path, const char *wanted)
{
    char *text = page_text(page, path);
    if (!text || strcmp(text, wanted) != 0)
        fail_msg("%s is '%s', expected '%s'", path, text ? text : "absent", wanted);
    free(text);
}

static inline double page_number(const report_page *page, const char *path)
{
    char *text = page_text(page, path);
    if (!text)
        fail_msg("the manifest has no %s", path);
    const double value = strtod(text, NULL);
    free(text);
    return value;
}

/* Number i of the array that the manifest refers to at `path`. */
static inline double page_value(const report_page *page, const char *path, size_t i)
{
    char part[300];
    snprintf(part, sizeof part, "%s/type", path);
    char *type = page_text(page, part);
    snprintf(part, sizeof part, "%s/at", path);
    const size_t at = (size_t)page_number(page, part), size = !strcmp(type, "f64") ? 8 : 4;
    snprintf(part, sizeof part, "%s/count", path);
    const size_t count = (size_t)page_number(page, part);
    if (i >= count || at % 8 != 0 || at + count * size > page->n_bytes)
        fail_msg("number %zu of %s: %zu numbers from byte %zu of %zu", i, path, count, at, page->n_bytes);
    const unsigned char *bytes = page->bytes + at + i * size;
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++)
        bits |= (uint64_t)bytes[k] << 8 * k;
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    value = !strcmp(type, "f64") ? value : !strcmp(type, "u32") ? (double)low : (double)single;
    free(type);
    return value;
}

#endif
