/* Phlexor, layer mesh, private: files in memory, places in them for messages, numbers. */
#ifndef PHLEXOR_MESH_INPUT_H
#define PHLEXOR_MESH_INPUT_H

#include "base/base.h"

typedef struct phx_input_file {
    char *path;
    char *bytes; /* size, and a zero behind them */
    size_t size;
    size_t base; /* place of its first byte */
    bool binary; /* messages count bytes, not lines */
} phx_input_file;

/* A file and those that it includes, all kept until the end. A place is a byte of any of them: base + offset. */
typedef struct phx_input {
    phx_context *context;
    int n_files;
    phx_input_file *files;
} phx_input;

/* Reads a regular file; `file` is its index. `place`: where another file names it, for the message, or PHX_NO_PLACE. */
#define PHX_NO_PLACE ((size_t)-1)
phx_status phx_input_load(phx_input *input, const char *path, size_t place, int *file);
phx_status phx_input_copy(phx_input *input, const char *path, const char *bytes, size_t size); /* the first file */
void phx_input_free(phx_input *input);

/* PHX_ERR_INPUT with "file:line: " or, in a binary file, "file: byte N: ". */
phx_status phx_input_fail(const phx_input *input, size_t place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "file:line" of a place, shortened from the left. */
phx_shown phx_input_place(const phx_input *input, size_t place);

/* The whole of `n` characters as a decimal number, as a whole number. Values beyond the largest double are infinite. */
bool phx_scan_number(const char *text, size_t n, double *value);
bool phx_scan_integer(const char *text, size_t n, long long *value);
/* The same in single quotes for a message. */
phx_shown phx_shown_part(const char *text, size_t n);

#endif
