/* Text files of other programs. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the file ---- */
static phx_status cannot_read(const import_text *text, const char *why)
{
    return phx_fail(text->context, PHX_ERR_FILE, "%s: cannot read: %s", text->path, why);
}

/* Only a regular file: a device or a pipe may never end. */
static phx_status text_load(import_text *text)
{
    struct stat info;
    if (stat(text->path, &info))
        return cannot_read(text, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return cannot_read(text, "it is no regular file");
    text->bytes = phx_calloc(text->context, (size_t)info.st_size + 1, 1);
    if (!text->bytes)
        return PHX_ERR_MEMORY;
    FILE *file = fopen(text->path, "rb");
    if (!file)
        return cannot_read(text, strerror(errno));
    text->size = fread(text->bytes, 1, (size_t)info.st_size, file);
    const bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? cannot_read(text, "reading ended with an error") : PHX_OK;
}

/* Opens a text file as a whole; fails for a binary file. */
phx_status import_text_open(phx_context *context, const char *path, import_text *text)
{
    *text = (import_text){.context = context, .path = path};
    phx_status status = text_load(text);
    if (!status)
        status = phx_files_read(context, path);
    if (!status && memchr(text->bytes, '\0', text->size))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: this is a binary file; matrices of other programs are read from text files", path);
    if (status)
        import_text_close(text);
    else
        import_text_rewind(text);
    return status;
}

void import_text_close(import_text *text)
{
    phx_free(text->bytes);
    text->bytes = NULL;
    text->size = 0;
}

void import_text_rewind(import_text *text)
{
    text->next = text->begin = text->end = text->at = text->bytes;
    text->line = 0;
    text->digits = 0;
}

/* ---- lines and words ---- */
bool import_next_line(import_text *text)
{
    const char *last = text->bytes + text->size;
    text->begin = text->at = text->end = text->next;
    if (text->next == last)
        return false;
    const char *end = memchr(text->begin, '\n', (size_t)(last - text->begin));
    text->next = end ? end + 1 : last;
    text->end = end ? end : last;
    if (text->end > text->begin && text->end[-1] == '\r')
        text->end--;
    text->line++;
    return true;
}

static bool parts_words(char c)
{
    return c == ' ' || c == ',' || c == ';' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool import_next_data_line(import_text *text, const char *comment)
{
    while (import_next_line(text)) {
        const char *c = text->begin;
        while (c < text->end && parts_words(*c))
            c++;
        if (c < text->end && !strchr(comment, *c))
            return true;
    }
    return false;
}

import_word import_next_word(import_text *text)
{
    while (text->at < text->end && parts_words(*text->at))
        text->at++;
    const char *from = text->at;
    while (text->at < text->end && !parts_words(*text->at))
        text->at++;
    const ptrdiff_t length = text->at - from;
    return (import_word){from, length < INT_MAX ? (int)length : INT_MAX};
}

import_word import_column(const import_text *text, int from, int width)
{
    const ptrdiff_t length = text->end - text->begin;
    const char *first = text->begin + (from < length ? from : length);
    const char *last = text->begin + (from + width < length ? from + width : length);
    while (first < last && isspace((unsigned char)*first))
        first++;
    while (first < last && isspace((unsigned char)last[-1]))
        last--;
    return (import_word){first, (int)(last - first)};
}

bool import_word_begins(import_word word, const char *prefix)
{
    int k = 0;
    while (prefix[k] && k < word.length && tolower((unsigned char)word.text[k]) == tolower((unsigned char)prefix[k]))
        k++;
    return !prefix[k];
}

bool import_word_is(import_word word, const char *other)
{
    return word.length == (int)strlen(other) && import_word_begins(word, other);
}

/* ---- values ---- */
bool import_integer_of(import_word word, int *value)
{
    long number = 0;
    int k = word.length > 1 && (word.text[0] == '+' || word.text[0] == '-');
    if (word.length < 1 || word.length - k > 10)
        return false;
    for (int i = k; i < word.length; i++) {
        if (!isdigit((unsigned char)word.text[i]))
            return false;
        number = 10 * number + (word.text[i] - '0');
    }
    if (number > INT_MAX)
        return false;
    *value = word.text[0] == '-' ? -(int)number : (int)number;
    return true;
}

/* A copy for strtod: the decimal point of the locale, e for the exponent. Only digits, signs, a point and an exponent
 * pass. Empty where the word is no number. */
static void plain_number(import_word word, char *copy, size_t room)
{
    const char *point = localeconv()->decimal_point;
    const size_t point_length = strlen(point);
    char *out = copy;
    bool digits = false, exponent = false;
    for (int k = 0; k < word.length; k++) {
        const char c = word.text[k];
        if ((size_t)(out - copy) + point_length + 3 > room)
            break;
        if (isdigit((unsigned char)c)) {
            *out++ = c;
            digits = true;
        } else if (c == '.' && !exponent) {
            memcpy(out, point, point_length);
            out += point_length;
        } else if (digits && !exponent && strchr("eEdD+-", c)) {
            *out++ = 'e';
            if (c == '+' || c == '-')
                *out++ = c;
            exponent = true;
        } else if ((c == '+' || c == '-') && (k == 0 || (exponent && out[-1] == 'e'))) {
            *out++ = c;
        } else {
            out = copy;
            break;
        }
    }
    *out = '\0';
}

/* 0: no number; 1: not finite; 2: finite */
static int parse_number(import_word word, double *value)
{
    char copy[80], *end;
    const int sign = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+');
    const import_word unsigned_word = {word.text + sign, word.length - sign};
    if (import_word_begins(unsigned_word, "nan") || import_word_begins(unsigned_word, "inf"))
        return 1;
    if (word.length < 1 || word.length > 70)
        return 0;
    plain_number(word, copy, sizeof copy);
    if (!copy[0])
        return 0;
    *value = strtod(copy, &end);
    return *end ? 0 : isfinite(*value) ? 2 : 1;
}

bool import_number_of(import_word word, double *value)
{
    return parse_number(word, value) == 2;
}

phx_status import_integer(import_text *text, const char *what, int *value)
{
    const import_word word = import_next_word(text);
    if (import_integer_of(word, value))
        return PHX_OK;
    if (word.length == 0)
        return import_fail(text, "the line ends before %s", what);
    return import_fail(text, "%s must be a whole number, here it is %s", what, import_shown(word).text);
}

static phx_status fail_number(const import_text *text, import_word word, const char *what, bool number)
{
    if (word.length == 0)
        return import_fail(text, "the line ends before %s", what);
    if (number)
        return import_fail(text, "%s must be finite, here it is %s", what, import_shown(word).text);
    return import_fail(text, "%s must be a number, here it is %s", what, import_shown(word).text);
}

phx_status import_number(import_text *text, const char *what, double *value)
{
    const import_word word = import_next_word(text);
    const int kind = parse_number(word, value);
    return kind == 2 ? PHX_OK : fail_number(text, word, what, kind == 1);
}

static int count_digits(import_word word)
{
    int digits = 0;
    for (int k = 0; k < word.length; k++) {
        const char c = word.text[k];
        if (isdigit((unsigned char)c))
            digits += digits > 0 || c != '0';
        else if (c != '.' && k > 0)
            break;
    }
    return digits;
}

phx_status import_value_of(import_text *text, import_word word, const char *what, double *value)
{
    const int kind = parse_number(word, value);
    if (kind != 2)
        return fail_number(text, word, what, kind == 1);
    const int digits = count_digits(word);
    if (digits > text->digits)
        text->digits = digits;
    return PHX_OK;
}

phx_status import_line_ends(import_text *text)
{
    const import_word word = import_next_word(text);
    return word.length == 0 ? PHX_OK : import_fail(text, "the line goes on with %s", import_shown(word).text);
}

/* ---- messages ---- */
phx_status import_fail(const import_text *text, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return phx_fail(text->context, PHX_ERR_INPUT, "%s:%ld: %s", text->path, text->line > 0 ? text->line : 1, message);
}

phx_shown import_shown(import_word word)
{
    char copy[80];
    snprintf(copy, sizeof copy, "%.*s", word.length < 79 ? word.length : 79, word.text);
    return phx_shown_text(copy);
}
