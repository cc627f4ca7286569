/* Lines of a deck, keywords and fields. */
#define _POSIX_C_SOURCE 200809L /* access */
#include "deck.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 1000 };

/* ---- slices ---- */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static phx_slice trimmed(phx_slice a)
{
    while (a.length && is_blank(*a.text)) {
        a.text++;
        a.length--;
    }
    while (a.length && is_blank(a.text[a.length - 1]))
        a.length--;
    return a;
}

static phx_slice unquoted(phx_slice a)
{
    if (a.length >= 2 && (*a.text == '"' || *a.text == '\'') && a.text[a.length - 1] == *a.text)
        return (phx_slice){a.text + 1, a.length - 2};
    return a;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool phx_slice_is(phx_slice a, const char *word)
{
    for (size_t k = 0; k < a.length; k++)
        if (!is_blank(a.text[k]) && (*word == 0 || upper(a.text[k]) != *word++))
            return false;
    return *word == 0;
}

bool phx_slice_same(phx_slice a, phx_slice b)
{
    if (a.length != b.length)
        return false;
    for (size_t k = 0; k < a.length; k++)
        if (upper(a.text[k]) != upper(b.text[k]))
            return false;
    return true;
}

char *phx_slice_copy(phx_context *context, phx_slice a)
{
    char *copy = phx_calloc(context, a.length + 1, 1);
    if (copy && a.length)
        memcpy(copy, a.text, a.length);
    return copy;
}

/* ---- texts ---- */
phx_status phx_deck_push(phx_deck_reader *r, phx_deck_text text, size_t place)
{
    if (r->lines.depth == PHX_DECK_DEPTH)
        return DECK_FAIL(r, place, "files include one another more than %d deep", PHX_DECK_DEPTH);
    r->lines.text[r->lines.depth++] = text;
    return PHX_OK;
}

/* A whole file, without a byte order mark of UTF-8. */
phx_status phx_deck_push_file(phx_deck_reader *r, int index, size_t place)
{
    const phx_input_file *file = &r->b->input->files[index];
    const char *zero = memchr(file->bytes, 0, file->size);
    if (zero)
        return DECK_FAIL(r, file->base + (size_t)(zero - file->bytes),
                         "a byte that is zero; a text file (ASCII, UTF-8) is expected");
    const size_t mark = file->size >= 3 && !memcmp(file->bytes, "\xEF\xBB\xBF", 3) ? 3 : 0;
    return phx_deck_push(r, (phx_deck_text){index, file->bytes + mark, file->bytes + file->size}, place);
}

/* folder(of) + name */
static char *beside(phx_deck_reader *r, const char *of, phx_slice name)
{
    const char *slash = name.length && *name.text == '/' ? NULL : strrchr(of, '/');
    const size_t folder = slash ? (size_t)(slash - of) + 1 : 0;
    char *path = phx_calloc(r->context, folder + name.length + 1, 1);
    if (path) {
        memcpy(path, of, folder);
        memcpy(path + folder, name.text, name.length);
    }
    return path;
}

/* Beside the deck, else beside the file that names it. */
phx_status phx_deck_open(phx_deck_reader *r, phx_slice name, size_t place)
{
    phx_input *input = r->b->input;
    if (input->n_files == MOST_FILES)
        return DECK_FAIL(r, place, "more than %d files are included", MOST_FILES);
    if (name.length == 0)
        return DECK_FAIL(r, place, "the name of a file is expected");
    char *path = beside(r, input->files[0].path, name);
    if (path && r->lines.depth && access(path, F_OK) != 0) {
        phx_free(path);
        path = beside(r, input->files[r->lines.text[r->lines.depth - 1].file].path, name);
    }
    int file;
    phx_status status = path ? phx_input_load(input, path, place, &file) : PHX_ERR_MEMORY;
    phx_free(path);
    if (status)
        return status;
    return phx_deck_push_file(r, file, place);
}

/* ---- lines ---- */
static void take_line(phx_deck_reader *r, phx_deck_text *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    if (!end)
        end = text->end;
    const phx_input_file *file = &r->b->input->files[text->file];
    r->lines.line.begin = text->at;
    r->lines.line.text = trimmed((phx_slice){text->at, (size_t)(end - text->at)});
    r->lines.line.place = file->base + (size_t)(r->lines.line.text.text - file->bytes);
    text->at = end < text->end ? end + 1 : end;
}

const phx_deck_line *phx_deck_peek(phx_deck_reader *r)
{
    while (!r->lines.has_line) {
        while (r->lines.depth > r->lines.base &&
               r->lines.text[r->lines.depth - 1].at == r->lines.text[r->lines.depth - 1].end)
            r->lines.depth--;
        if (r->lines.depth == r->lines.base)
            return NULL;
        take_line(r, &r->lines.text[r->lines.depth - 1]);
        const phx_slice text = r->lines.line.text;
        r->lines.has_line = text.length && !(text.length > 1 && text.text[0] == '*' && text.text[1] == '*');
    }
    return &r->lines.line;
}

const phx_deck_line *phx_deck_data(phx_deck_reader *r)
{
    const phx_deck_line *line = phx_deck_peek(r);
    if (!line || *line->text.text == '*')
        return NULL;
    r->lines.has_line = false;
    return line;
}

/* ---- fields ---- */
/* Up to the next comma that is not inside of quotes. */
bool phx_next_field(phx_slice *rest, phx_slice *field)
{
    if (rest->length == 0)
        return false;
    size_t n = 0;
    char quote = 0;
    for (; n < rest->length && (quote || rest->text[n] != ','); n++)
        if (quote)
            quote = rest->text[n] == quote ? 0 : quote;
        else if (rest->text[n] == '"')
            quote = rest->text[n];
    *field = trimmed((phx_slice){rest->text, n});
    const size_t taken = n < rest->length ? n + 1 : n;
    *rest = trimmed((phx_slice){rest->text + taken, rest->length - taken});
    *field = unquoted(*field);
    return true;
}

phx_status phx_deck_number(phx_deck_reader *r, phx_slice field, size_t place, const char *what, double *value)
{
    *value = 0.0;
    if (field.length == 0)
        return PHX_OK;
    if (!phx_scan_number(field.text, field.length, value) || !isfinite(*value))
        return DECK_FAIL(r, place, "%s is expected, a number; found %s", what,
                         phx_shown_part(field.text, field.length).text);
    return PHX_OK;
}

/* ---- keywords ---- */
static phx_status take_keys(phx_deck_reader *r, phx_keyword *k, phx_slice rest)
{
    phx_slice field;
    while (phx_next_field(&rest, &field)) {
        if (field.length == 0)
            continue;
        if (k->n_keys == PHX_DECK_KEYS)
            return DECK_FAIL(r, k->place, "*%s has more than %d parameters", k->name, PHX_DECK_KEYS);
        const char *equals = memchr(field.text, '=', field.length);
        phx_slice value = {NULL, 0};
        if (equals) {
            const size_t n = (size_t)(equals - field.text);
            value = unquoted(trimmed((phx_slice){equals + 1, field.length - n - 1}));
            field.length = n;
        }
        k->key[k->n_keys] = trimmed(field);
        k->value[k->n_keys++] = value;
    }
    return PHX_OK;
}

/* Reads a keyword and its parameters, which go on over lines that end with a comma. */
phx_status phx_deck_keyword(phx_deck_reader *r, phx_keyword *k)
{
    phx_slice rest = r->lines.line.text, field = {NULL, 0};
    bool more = rest.text[rest.length - 1] == ',';
    *k = (phx_keyword){.place = r->lines.line.place};
    r->lines.has_line = false;
    phx_next_field(&rest, &field);
    size_t n = 0;
    for (size_t i = 1; i < field.length; i++)
        if (!is_blank(field.text[i]) && n < PHX_DECK_NAME - 1)
            k->name[n++] = upper(field.text[i]);
    phx_status status = take_keys(r, k, rest);
    while (!status && more) {
        const phx_deck_line *line = phx_deck_data(r);
        if (!line)
            break;
        more = line->text.text[line->text.length - 1] == ',';
        status = take_keys(r, k, line->text);
    }
    return status;
}

const phx_slice *phx_keyword_value(const phx_keyword *k, const char *key)
{
    for (int i = 0; i < k->n_keys; i++)
        if (phx_slice_is(k->key[i], key))
            return &k->value[i];
    return NULL;
}
