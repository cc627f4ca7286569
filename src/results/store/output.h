/* Text files: csv, json, svg, tables; private to the layer results.
 *
 * An output goes to NAME.partial and gets its name by phx_output_publish, or straight to a device or an open stream, or
 * stays in memory.
 * The first failure sticks: later calls go on as usual, and phx_output_finish returns it. */
#ifndef PHX_RESULTS_OUTPUT_H
#define PHX_RESULTS_OUTPUT_H

#include "base/base.h"
#include <stdio.h>
#include <sys/types.h>

typedef struct phx_output {
    phx_context *context;
    char *path;     /* the name it gets; for a stream its name in messages */
    char *claim;    /* the name that phx_files_write knows; NULL: none */
    char *partial;  /* the file written meanwhile; NULL: written directly */
    FILE *stream;   /* NULL: a file */
    int descriptor; /* -1: none */
    bool in_memory; /* all of it stays in the buffer, which grows */
    size_t room;    /* bytes of the buffer */
    char *buffer;
    size_t used;   /* bytes in the buffer */
    size_t whole;  /* of them, those that end with a whole line */
    off_t written; /* bytes in the file */
    phx_status status;
} phx_output;

enum { PHX_NUMBER_SIZE = 40 }; /* room for a formatted number */

/* A finite number with `digits` significant digits and a point, whatever the locale. */
void phx_number_format(double value, int digits, char text[PHX_NUMBER_SIZE]);
/* The same with a fixed number of decimals, for |value| < 1e15. */
void phx_number_fixed(double value, int decimals, char text[PHX_NUMBER_SIZE]);

/* ---- UTF-8 ---- */
enum { PHX_UTF8_SIZE = 8 }; /* room for a character and a zero */
/* The first character of a text, a space instead of a control character, U+FFFD instead of an invalid one. Returns the
 * rest of the text. */
const char *phx_utf8_next(const char *text, char character[PHX_UTF8_SIZE]);
/* Whether the text has no character to replace. */
bool phx_utf8_is_plain(const char *text);
/* The text with these replacements; free with phx_free. NULL when memory is out. */
char *phx_utf8_cleaned(phx_context *context, const char *text);

/* On failure `output` may be passed to phx_output_close, and need not. */
phx_status phx_output_open(phx_context *context, const char *path, phx_output *output);
/* A file of a folder that is being made (folder.h). */
phx_status phx_output_open_in_folder(phx_context *context, const char *path, phx_output *output);
phx_status phx_output_open_stream(phx_context *context, FILE *stream, const char *name, phx_output *output);
/* In memory: `used` bytes at `buffer`, when `status` is PHX_OK. Ends with phx_output_close. */
phx_status phx_output_open_memory(phx_context *context, phx_output *output);

void phx_output_text(phx_output *output, const char *text);
void phx_output_bytes(phx_output *output, const char *bytes, size_t count);
void phx_output_format(phx_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
void phx_output_number(phx_output *output, double value); /* 17 digits */
/* End of a line: what came before may be brought to the file. */
void phx_output_line(phx_output *output);
/* A field of a csv line, quoted where it has to be (RFC 4180). */
void phx_output_csv(phx_output *output, const char *text);
/* A string of JSON with its quotes. */
void phx_output_json(phx_output *output, const char *text);
/* Text of XML, its special characters escaped, what XML does not allow left out. */
void phx_output_xml(phx_output *output, const char *text);

/* Write whole lines to the file, so that another program can read them. */
phx_status phx_output_flush(phx_output *output);
/* Everything is on the disk and the file closed; the first failure, if there was one. */
phx_status phx_output_finish(phx_output *output);
/* The finished file gets its name. */
phx_status phx_output_publish(phx_output *output);
/* Finish and publish; on failure the unfinished file is removed. */
phx_status phx_output_commit(phx_output *output);
/* Free; closes without finishing. `keep`: the partial file stays. */
void phx_output_close(phx_output *output, bool keep);

#endif
