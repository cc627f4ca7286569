/* Text files: buffered whole lines, the first failure sticks, the name comes last. */
#define _XOPEN_SOURCE 700
#include "output.h"

#include "results/results.h"

#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_BUFFER = 1 << 16 };

/* Checks before a long run that a file can be written: its name, its length with the temporary suffix, and permission
 * in its folder. Standard output always passes. */
phx_status phx_output_check(phx_context *context, const char *path)
{
    struct stat info;
    char *target = NULL, *longest = NULL;
    bool special = false;
    if (!path || !strcmp(path, "-"))
        return PHX_OK;
    const bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    phx_status status = folder ? PHX_OK : phx_file_target(context, path, &target, &special);
    if (folder && !(target = phx_files_resolve(context, path)))
        status = PHX_ERR_MEMORY;
    if (!status && !special && !(longest = phx_file_suffixed(context, target, ".partial.tmp")))
        status = PHX_ERR_MEMORY;
    if (!status && !special && lstat(longest, &info) != 0 && errno != ENOENT)
        status = phx_file_fail(context, path, "write", errno);
    if (!status && !special) {
        char *slash = strrchr(longest, '/');
        if (slash)
            slash[slash == longest] = '\0';
        if (access(slash ? longest : ".", W_OK | X_OK) != 0)
            status = phx_file_fail(context, path, "write", errno);
    }
    phx_free(target);
    phx_free(longest);
    return status;
}

/* A locale may put other bytes, one or more, where the point is. */
static void output_put_point(const char *raw, char *text)
{
    bool in_point = false;
    for (; *raw; raw++) {
        const bool plain = (*raw >= '0' && *raw <= '9') || strchr("+-einfa", *raw);
        if (plain)
            *text++ = *raw;
        else if (!in_point)
            *text++ = '.';
        in_point = !plain;
    }
    *text = '\0';
}

void phx_number_format(double value, int digits, char text[PHX_NUMBER_SIZE])
{
    char raw[PHX_NUMBER_SIZE];
    snprintf(raw, sizeof raw, "%.*g", digits, value);
    output_put_point(raw, text);
}

void phx_number_fixed(double value, int decimals, char text[PHX_NUMBER_SIZE])
{
    char raw[PHX_NUMBER_SIZE];
    snprintf(raw, sizeof raw, "%.*f", decimals < 18 ? decimals : 18, value);
    output_put_point(raw, text);
}

static phx_status output_init(phx_context *context, const char *name, phx_output *output)
{
    *output = (phx_output){.context = context, .descriptor = -1};
    output->path = phx_strdup(context, name);
    output->room = OUTPUT_BUFFER;
    output->buffer = phx_calloc(context, output->room, 1);
    if (output->path && output->buffer)
        return PHX_OK;
    phx_output_close(output, false);
    return PHX_ERR_MEMORY;
}

/* `claimed`: it is asked whether the file may be written, which is clear of one in a folder that is being made. */
static phx_status open_file(phx_context *context, const char *path, bool claimed, phx_output *output)
{
    char *target = NULL;
    bool special = false;
    *output = (phx_output){.context = context, .descriptor = -1};
    phx_status status =
        claimed ? phx_file_claim(context, path, &target, &special) : phx_file_target(context, path, &target, &special);
    if (status)
        goto cleanup;
    status = output_init(context, target, output);
    if (!status && claimed && !special && !(output->claim = phx_strdup(context, path)))
        status = PHX_ERR_MEMORY;
    if (status)
        goto cleanup;
    if (!special) {
        output->partial = phx_file_suffixed(context, target, ".partial");
        status = output->partial ? PHX_OK : PHX_ERR_MEMORY;
        if (status)
            goto cleanup;
    }
    const char *name = special ? target : output->partial;
    output->descriptor = special ? open(name, O_WRONLY | O_CLOEXEC) : phx_file_create(name);
    if (output->descriptor < 0)
        status = phx_file_fail(context, name, "create", errno);
cleanup:
    if (status)
        phx_output_close(output, true);
    phx_free(target);
    return status;
}

phx_status phx_text_write(phx_context *context, const char *path, const char *text)
{
    phx_output out;
    const phx_status status = phx_output_open(context, path, &out);

    if (status)
        return status;
    phx_output_text(&out, text);
    return phx_output_commit(&out);
}

phx_status phx_output_open(phx_context *context, const char *path, phx_output *output)
{
    if (!strcmp(path, "-"))
        return phx_output_open_stream(context, stdout, "standard output", output);
    return open_file(context, path, true, output);
}

phx_status phx_output_open_in_folder(phx_context *context, const char *path, phx_output *output)
{
    return open_file(context, path, false, output);
}

phx_status phx_output_open_stream(phx_context *context, FILE *stream, const char *name, phx_output *output)
{
    phx_status status = output_init(context, name ? name : "output", output);
    if (!status)
        output->stream = stream;
    return status;
}

phx_status phx_output_open_memory(phx_context *context, phx_output *output)
{
    phx_status status = output_init(context, "memory", output);
    if (!status)
        output->in_memory = true;
    return status;
}

static void fail(phx_output *output, int error)
{
    output->status = phx_file_fail(output->context, output->partial ? output->partial : output->path, "write", error);
}

/* After a failed write of `written` bytes: cut the file behind its last whole line. */
static void cut_behind_line(phx_output *output, size_t written)
{
    while (written > 0 && output->buffer[written - 1] != '\n')
        written--;
    output->written += (off_t)written;
    if (output->partial && ftruncate(output->descriptor, output->written) != 0)
        return; /* the write error is what is reported */
}

/* Writes `count` bytes of the buffer to stream or file and moves the rest to its beginning. After an error an
 * incomplete last line is cut off and nothing more is written. */
static void write_out(phx_output *output, size_t count)
{
    if (!output->status && output->stream) {
        errno = 0;
        if (fwrite(output->buffer, 1, count, output->stream) != count)
            fail(output, errno);
    } else if (!output->status) {
        size_t written = 0;
        const int error = phx_file_write(output->descriptor, output->buffer, count, &written);
        if (error) {
            cut_behind_line(output, written);
            fail(output, error);
        } else {
            output->written += (off_t)written;
        }
    }
    output->used -= count;
    output->whole -= count < output->whole ? count : output->whole;
    memmove(output->buffer, output->buffer + count, output->used);
}

/* Room for `count` bytes more. */
static void output_grow(phx_output *output, size_t count)
{
    const size_t room = output->used + count > 2 * output->room ? output->used + count : 2 * output->room;
    char *buffer = phx_realloc(output->context, output->buffer, room, 1);
    if (!buffer) {
        output->status = PHX_ERR_MEMORY;
        return;
    }
    output->buffer = buffer;
    output->room = room;
}

/* Appends bytes to the buffer, which is written out when full, up to the last whole line if there is one. In memory
 * the buffer grows instead. */
static void output_append(phx_output *output, const char *bytes, size_t count)
{
    if (output->in_memory && count > output->room - output->used)
        output_grow(output, count);
    if (output->in_memory && output->status)
        return;
    while (count > 0) {
        size_t room = output->room - output->used;
        if (room == 0) {
            write_out(output, output->whole ? output->whole : output->used);
            continue;
        }
        size_t part = count < room ? count : room;
        memcpy(output->buffer + output->used, bytes, part);
        output->used += part;
        bytes += part;
        count -= part;
    }
}

void phx_output_text(phx_output *output, const char *text)
{
    output_append(output, text, strlen(text));
}

void phx_output_bytes(phx_output *output, const char *bytes, size_t count)
{
    output_append(output, bytes, count);
}

void phx_output_format(phx_output *output, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (count > 0)
        output_append(output, text, (size_t)count < sizeof text ? (size_t)count : sizeof text - 1);
}

void phx_output_number(phx_output *output, double value)
{
    char text[PHX_NUMBER_SIZE];
    phx_number_format(value, 17, text);
    phx_output_text(output, text);
}

void phx_output_line(phx_output *output)
{
    output_append(output, "\n", 1);
    output->whole = output->used;
}

void phx_output_csv(phx_output *output, const char *text)
{
    const size_t length = strlen(text);
    const bool padded = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
    if (!padded && length > 0 && !strpbrk(text, ",;\"\r\n")) {
        output_append(output, text, length);
        return;
    }
    output_append(output, "\"", 1);
    for (; *text; text++)
        output_append(output, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    output_append(output, "\"", 1);
}

/* Bytes of the character of UTF-8 that starts here, 0 when there is none. */
static size_t character_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    const size_t bytes = c[0] < 0x80 ? 1 : c[0] >= 0xC2 && c[0] < 0xE0 ? 2 : c[0] >= 0xE0 && c[0] < 0xF0 ? 3 : 4;
    if (bytes == 4 && (c[0] < 0xF0 || c[0] > 0xF4))
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    const bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    const bool outside = (c[0] == 0xED && c[1] >= 0xA0) || (c[0] == 0xF4 && c[1] >= 0x90);
    return overlong || outside ? 0 : bytes;
}

const char *phx_utf8_next(const char *text, char character[PHX_UTF8_SIZE])
{
    const size_t bytes = character_bytes(text);
    const bool control = (unsigned char)*text < 0x20;
    memset(character, 0, PHX_UTF8_SIZE);
    if (bytes && !control)
        memcpy(character, text, bytes);
    else
        strcpy(character, control ? " " : "\xEF\xBF\xBD");
    return text + (bytes ? bytes : 1);
}

bool phx_utf8_is_plain(const char *text)
{
    while (*text) {
        char character[PHX_UTF8_SIZE];
        const char *next = phx_utf8_next(text, character);
        if (strncmp(character, text, (size_t)(next - text)) != 0)
            return false;
        text = next;
    }
    return true;
}

char *phx_utf8_cleaned(phx_context *context, const char *text)
{
    char *cleaned = phx_calloc(context, 3 * strlen(text) + 1, 1), *end = cleaned;
    while (cleaned && *text) {
        char character[PHX_UTF8_SIZE];
        text = phx_utf8_next(text, character);
        memcpy(end, character, strlen(character));
        end += strlen(character);
    }
    return cleaned;
}

/* Append the character that starts at `text`, a replacement when it is invalid; returns the rest of the text. */
static const char *append_character(phx_output *output, const char *text)
{
    char character[PHX_UTF8_SIZE];
    const char *next = phx_utf8_next(text, character);
    phx_output_text(output, character);
    return next;
}

const char *phx_json_next(const char *text, char character[PHX_JSON_SIZE])
{
    const int first = (unsigned char)*text;

    if (first != '"' && first != '\\' && first >= 0x20)
        return phx_utf8_next(text, character);
    snprintf(character, PHX_JSON_SIZE, first < 0x20 ? "\\u%04x" : "\\%c", first);
    return text + 1;
}

void phx_output_json(phx_output *output, const char *text)
{
    char character[PHX_JSON_SIZE];

    output_append(output, "\"", 1);
    while (*text) {
        text = phx_json_next(text, character);
        phx_output_text(output, character);
    }
    output_append(output, "\"", 1);
}

/* Writes text with XML entities; control characters become blanks. */
void phx_output_xml(phx_output *output, const char *text)
{
    while (*text) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (!entity && (unsigned char)*text >= 0x20) {
            text = append_character(output, text);
            continue;
        }
        output_append(output, entity ? entity : " ", entity ? strlen(entity) : 1);
        text++;
    }
}

phx_status phx_output_flush(phx_output *output)
{
    if (output->whole > 0)
        write_out(output, output->whole);
    return output->status;
}

/* Writes the rest of the buffer and closes the file, after the disk has it if it is to be published; a stream is only
 * flushed. Returns the first error. */
phx_status phx_output_finish(phx_output *output)
{
    if (output->used > 0)
        write_out(output, output->used);
    errno = 0;
    if (output->stream) {
        if (fflush(output->stream) != 0 && !output->status)
            fail(output, errno);
        return output->status;
    }
    if (output->descriptor < 0)
        return output->status;
    if (output->partial && fsync(output->descriptor) != 0 && !output->status)
        fail(output, errno);
    const int closed = close(output->descriptor);
    output->descriptor = -1;
    if (closed != 0 && errno != EINTR && !output->status)
        fail(output, errno);
    return output->status;
}

phx_status phx_output_publish(phx_output *output)
{
    if (!output->status && output->partial) {
        output->status = phx_file_publish(output->context, output->partial, output->path);
        if (!output->status) {
            phx_free(output->partial);
            output->partial = NULL;
        }
    }
    return output->status;
}

phx_status phx_output_commit(phx_output *output)
{
    phx_status status = phx_output_finish(output);
    if (!status)
        status = phx_output_publish(output);
    phx_output_close(output, false);
    return status;
}

void phx_output_close(phx_output *output, bool keep)
{
    if (output->descriptor >= 0)
        close(output->descriptor);
    if (output->partial && !keep)
        (void)unlink(output->partial);
    if (output->partial && output->claim)
        phx_files_give_up(output->context, output->claim);
    phx_free(output->claim);
    phx_free(output->partial);
    phx_free(output->path);
    phx_free(output->buffer);
    *output = (phx_output){.descriptor = -1};
}
