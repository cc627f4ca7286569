/* Files in memory, places in them, numbers. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "input.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files ---- */
static phx_status cannot_read(const phx_input *input, const char *path, size_t place, const char *why)
{
    if (place == PHX_NO_PLACE)
        return phx_fail(input->context, PHX_ERR_FILE, "%s: cannot be read: %s", path, why);
    phx_input_fail(input, place, "the file %s cannot be read: %s", path, why);
    return PHX_ERR_FILE;
}

/* Only a regular file: a device or pipe may never end. */
static phx_status input_load(phx_input *input, const char *path, size_t place, phx_input_file *file)
{
    struct stat info;
    if (stat(path, &info))
        return cannot_read(input, path, place, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return cannot_read(input, path, place, "it is no regular file");
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return cannot_read(input, path, place, strerror(errno));
    const size_t size = (size_t)info.st_size;
    file->bytes = phx_calloc(input->context, size + 1, 1);
    file->path = phx_strdup(input->context, path);
    if (file->bytes)
        file->size = fread(file->bytes, 1, size, stream);
    const bool failed = ferror(stream);
    fclose(stream);
    if (!file->bytes || !file->path)
        return PHX_ERR_MEMORY;
    return failed ? cannot_read(input, path, place, "reading ended with an error") : PHX_OK;
}

/* The file is the input's from here on, also when this fails. */
static phx_status add_file(phx_input *input, phx_input_file *file)
{
    phx_input_file *grown = phx_realloc(input->context, input->files, (size_t)input->n_files + 1, sizeof *grown);
    if (!grown) {
        phx_free(file->bytes);
        phx_free(file->path);
        return PHX_ERR_MEMORY;
    }
    input->files = grown;
    const phx_input_file *before = input->n_files ? &grown[input->n_files - 1] : NULL;
    file->base = before ? before->base + before->size + 1 : 0;
    grown[input->n_files++] = *file;
    return PHX_OK;
}

phx_status phx_input_load(phx_input *input, const char *path, size_t place, int *index)
{
    phx_input_file file = {0};
    phx_status status = phx_files_read(input->context, path);
    if (!status)
        status = input_load(input, path, place, &file);
    if (status) {
        phx_free(file.bytes);
        phx_free(file.path);
        return status;
    }
    *index = input->n_files;
    return add_file(input, &file);
}

phx_status phx_input_copy(phx_input *input, const char *path, const char *bytes, size_t size)
{
    phx_input_file file = {.size = size};
    file.path = phx_strdup(input->context, path);
    file.bytes = phx_calloc(input->context, size + 1, 1);
    if (!file.path || !file.bytes) {
        phx_free(file.path);
        phx_free(file.bytes);
        return PHX_ERR_MEMORY;
    }
    if (size)
        memcpy(file.bytes, bytes, size);
    return add_file(input, &file);
}

void phx_input_free(phx_input *input)
{
    for (int k = 0; k < input->n_files; k++) {
        phx_free(input->files[k].path);
        phx_free(input->files[k].bytes);
    }
    phx_free(input->files);
    *input = (phx_input){.context = input->context};
}

/* ---- places ---- */
static const phx_input_file *file_at(const phx_input *input, size_t place)
{
    int k = input->n_files - 1;
    while (k > 0 && input->files[k].base > place)
        k--;
    return &input->files[k];
}

static int line_at(const phx_input_file *file, size_t place)
{
    const char *at = file->bytes, *end = file->bytes + (place - file->base);
    int line = 1;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        line++;
        at++;
    }
    return line;
}

phx_status phx_input_fail(const phx_input *input, size_t place, const char *format, ...)
{
    char message[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const phx_input_file *file = file_at(input, place);
    if (file->binary)
        return phx_fail(input->context, PHX_ERR_INPUT, "%s: byte %zu: %s", file->path, place - file->base, message);
    return phx_fail(input->context, PHX_ERR_INPUT, "%s:%d: %s", file->path, line_at(file, place), message);
}

phx_shown phx_input_place(const phx_input *input, size_t place)
{
    const phx_input_file *file = file_at(input, place);
    const size_t length = strlen(file->path);
    const char *name = length > 50 ? file->path + length - 50 : file->path;
    phx_shown shown;
    if (file->binary)
        snprintf(shown.text, sizeof shown.text, "byte %zu", place - file->base);
    else
        snprintf(shown.text, sizeof shown.text, "%s:%d", name, line_at(file, place));
    return shown;
}

phx_shown phx_shown_part(const char *text, size_t n)
{
    char copy[100];
    if (n > sizeof copy - 1)
        n = sizeof copy - 1;
    if (n)
        memcpy(copy, text, n);
    copy[n] = 0;
    return phx_shown_text(copy);
}

/* ---- numbers ---- */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parses all n characters as an integer of at most 18 digits; false if they are anything else. */
bool phx_scan_integer(const char *text, size_t n, long long *value)
{
    size_t i = n && (*text == '-' || *text == '+');
    if (i == n || n - i > 18)
        return false;
    *value = 0;
    for (; i < n; i++) {
        if (!is_digit(text[i]))
            return false;
        *value = 10 * *value + (text[i] - '0');
    }
    if (*text == '-')
        *value = -*value;
    return true;
}

/* strtod of a copy with the decimal point of the locale and the exponent of C. */
static bool scan_slowly(const char *text, size_t n, double *value)
{
    char copy[400];
    const char *point = localeconv()->decimal_point;
    const size_t length = strlen(point);
    size_t m = 0;
    for (size_t i = 0; i < n && m + length + 1 < sizeof copy; i++) {
        if (text[i] == '.') {
            memcpy(copy + m, point, length);
            m += length;
        } else {
            copy[m++] = text[i] == 'd' || text[i] == 'D' ? 'e' : text[i];
        }
    }
    copy[m] = 0;
    char *end;
    *value = strtod(copy, &end);
    return *end == 0;
}

/* Digits with at most one point: how many digits, how many behind the point, and their value while it is exact. */
static size_t scan_digits(const char *text, size_t n, int *digits, int *decimals, uint64_t *mantissa)
{
    bool point = false;
    size_t i = 0;
    for (; i < n && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        if (*digits < 18)
            *mantissa = 10 * *mantissa + (uint64_t)(text[i] - '0');
        *digits += *mantissa > 0;
        *decimals += point;
        if (*decimals > 300 || *digits > 300)
            break;
    }
    return i;
}

/* Parses all n characters as a decimal number, correctly rounded; exponents may have e or d. Numbers with few digits
 * are exact in two operations, others take the slow way. */
bool phx_scan_number(const char *text, size_t n, double *value)
{
    static const double power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int digits = 0, decimals = 0;
    uint64_t mantissa = 0;
    const size_t sign = n && (*text == '-' || *text == '+');
    size_t i = sign + scan_digits(text + sign, n - sign, &digits, &decimals, &mantissa);
    if (i == sign || (i == sign + 1 && text[sign] == '.'))
        return false;
    long long exponent = 0;
    if (i < n && text[i] && strchr("eEdD", text[i])) {
        if (!phx_scan_integer(text + i + 1, n - i - 1, &exponent))
            return false;
        i = n;
    }
    if (i < n)
        return false;
    exponent -= decimals;
    if (digits > 18 || mantissa > (1ull << 53) || exponent < -22 || exponent > 22)
        return scan_slowly(text, n, value);
    /* both are exact in double precision, so that their product or quotient is rounded once */
    *value = exponent < 0 ? (double)mantissa / power[-exponent] : (double)mantissa * power[exponent];
    if (*text == '-')
        *value = -*value;
    return true;
}
