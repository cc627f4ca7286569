/* Phlexor, layer file, private: files that appear under their names when they are complete, and HDF5 without its types.
 */
#ifndef PHLEXOR_FILE_FILE_H
#define PHLEXOR_FILE_FILE_H

#include "base/base.h"

#include <stdio.h>

/* ---- names, durable renames, messages ---- */
/* Record PHX_ERR_FILE: "PATH: cannot ACTION: REASON; REMEDY", reason and remedy from an errno. */
phx_status phx_file_fail(phx_context *context, const char *path, const char *action, int error);

/* The path to which a result of this name is written: symbolic links followed, also one to a file that is not there
 * yet. `special` (may be NULL) tells that it is a device or a pipe, which is written directly. PHX_ERR_FILE for a
 * directory or an empty name, PHX_ERR_INPUT for "-". Free `target` with phx_free. */
phx_status phx_file_target(phx_context *context, const char *path, char **target, bool *special);

/* The same for a file that is made now: PHX_ERR_INPUT when that would overwrite one that is also read or written. */
phx_status phx_file_claim(phx_context *context, const char *path, char **target, bool *special);
/* A new empty file for reading and writing instead of whatever has this name; its descriptor, or -1 with errno. */
int phx_file_create(const char *path);

/* path + suffix; free with phx_free. NULL when memory is out, error recorded. */
char *phx_file_suffixed(phx_context *context, const char *path, const char *suffix);

/* Write count bytes; the errno of the failure, 0 when all are written. `written` (may be NULL): number of bytes
 * written. */
int phx_file_write(int descriptor, const char *bytes, size_t count, size_t *written);

/* Rename and make the new name durable. */
phx_status phx_file_publish(phx_context *context, const char *from, const char *to);

/* A function that writes a whole file of this name from `data`. */
typedef phx_status phx_file_writer(phx_context *context, const char *path, const void *data);
/* Let `write` make NAME.partial, make it durable and give it its name; on failure it is removed and an older NAME
 * stays. */
phx_status phx_file_replace(phx_context *context, const char *path, phx_file_writer *write, const void *data);
/* The same by a function that writes to an open stream. */
typedef phx_status phx_file_stream_writer(phx_context *context, const void *data, FILE *stream);
phx_status phx_file_replace_stream(phx_context *context, const char *path, phx_file_stream_writer *write,
                                   const void *data);

/* ---- tables in csv files ---- */
/* Named columns of finite numbers. */
typedef struct phx_csv {
    int n_columns;
    char **names;
    char **units; /* "force [N]" has the name "force" and the unit "N"; "": not told */
    size_t n_rows;
    double *values; /* n_rows x n_columns */
} phx_csv;

/* All columns of a file that Phlexor wrote; a last line without its end (of a run that was killed) is left out, and so
 * is a last column "message" of texts, with the rows of points that failed. With a `column`: rows of the first one,
 * time, which ascends, and this one (of time alone when it is the first); `names` are those of the file all the same.
 * PHX_ERR_FILE with "path:line" where a line is wrong. */
phx_status phx_csv_read(phx_context *context, const char *path, const char *column, phx_csv *csv);
void phx_csv_free(phx_csv *csv);
int phx_csv_find(const phx_csv *csv, const char *name); /* with or without its unit; -1: there is none */
void phx_csv_drop(phx_csv *csv, int column);

/* The text of a whole file with a zero behind it; free with phx_free. It is not listed as read (phx_files_read).
 * PHX_ERR_FILE when it cannot be read or is no text. */
phx_status phx_csv_load(phx_context *context, const char *path, char **text);

/* ---- HDF5 ----
 * Objects are named by their path in the file, "/" is the root; a link name made from a user's name goes through
 * phx_h5_link. Text is UTF-8 of variable length. */
typedef struct phx_h5 phx_h5;

/* A user's name as the last part of a path: group + "/" + name with '/', '%' and a leading '.' written as %XX. Free
 * with phx_free. */
char *phx_h5_link(phx_context *context, const char *group, const char *name);

phx_context *phx_h5_context(const phx_h5 *file);
const char *phx_h5_path(const phx_h5 *file);

/* ---- writing: the first failure sticks and comes back from phx_h5_finish ---- */
phx_status phx_h5_create(phx_context *context, const char *path, phx_h5 **file);
void phx_h5_make_group(phx_h5 *file, const char *path);
void phx_h5_set_text(phx_h5 *file, const char *object, const char *name, const char *text);
void phx_h5_set_number(phx_h5 *file, const char *object, const char *name, double value);
void phx_h5_set_integer(phx_h5 *file, const char *object, const char *name, int value);
void phx_h5_put_text(phx_h5 *file, const char *path, const char *text);
void phx_h5_put_names(phx_h5 *file, const char *path, int count, const char *const *names);
void phx_h5_put_integers(phx_h5 *file, const char *path, int count, const int *values);
/* A dataset of doubles, rows x cols, or one-dimensional when cols is 0; every row must then be put. */
void phx_h5_make_rows(phx_h5 *file, const char *path, size_t rows, size_t cols);
void phx_h5_put_rows(phx_h5 *file, const char *path, size_t first, size_t count, const double *values);
/* The same, its rows put by their place in the file, without HDF5: one after the other they stand from there on.
 * Returns that place in bytes; of no meaning without rows or after a failure. */
unsigned long long phx_h5_place_rows(phx_h5 *file, const char *path, size_t rows, size_t cols);
/* Put `count` numbers behind the first `before` at a place. */
void phx_h5_put_at(phx_h5 *file, unsigned long long place, size_t before, size_t count, const double *values);
/* A matrix, rows x cols row-major, either may be 0; `imaginary` not NULL: complex, as a compound of r and i. */
void phx_h5_put_matrix(phx_h5 *file, const char *path, size_t rows, size_t cols, const double *real,
                       const double *imaginary);
/* Real matrices of one size, pages x rows x cols. */
void phx_h5_put_array(phx_h5 *file, const char *path, size_t pages, size_t rows, size_t cols, const double *values);
void phx_h5_put_number(phx_h5 *file, const char *path, double value);
/* Everything is on the disk and the file closed. `file` is freed in any case. */
phx_status phx_h5_finish(phx_h5 *file);

/* ---- reading ---- */
phx_status phx_h5_open(phx_context *context, const char *path, phx_h5 **file);
/* Whether the first bytes are those of an HDF5 file; false when it cannot be read. */
bool phx_h5_is_hdf5(const char *path);
/* The file has the attribute format = `format` in a version known here, else PHX_ERR_FILE says what it is. */
phx_status phx_h5_expect(phx_h5 *file, const char *format);
bool phx_h5_has(phx_h5 *file, const char *path);
bool phx_h5_has_attribute(phx_h5 *file, const char *object, const char *name);
phx_status phx_h5_get_text(phx_h5 *file, const char *object, const char *name, char **text);
phx_status phx_h5_get_integer(phx_h5 *file, const char *object, const char *name, int *value);
/* Calls the visitor for every attribute of the root that is a text or a number (text NULL), in the order of their
 * names, until it fails. */
typedef phx_status phx_h5_visitor(void *user, const char *name, const char *text, double number);
phx_status phx_h5_visit_attributes(phx_h5 *file, phx_h5_visitor *visitor, void *user);
/* Paths of what a group holds, in the order of creation; free with phx_h5_free_names. */
phx_status phx_h5_list(phx_h5 *file, const char *group, int *count, char ***paths);
phx_status phx_h5_read_text(phx_h5 *file, const char *path, char **text);
phx_status phx_h5_read_names(phx_h5 *file, const char *path, int *count, char ***names);
void phx_h5_free_names(int count, char **names);
/* Extent of a numerical dataset; cols is 0 when it is one-dimensional. */
phx_status phx_h5_extent(phx_h5 *file, const char *path, size_t *rows, size_t *cols);
phx_status phx_h5_read_integers(phx_h5 *file, const char *path, int count, int *values);
phx_status phx_h5_read_rows(phx_h5 *file, const char *path, size_t first, size_t count, double *values);
/* The kind of an object, by the type and rank of its values. */
typedef enum phx_h5_kind {
    PHX_H5_OTHER,
    PHX_H5_GROUP,
    PHX_H5_TEXT,
    PHX_H5_NAMES,
    PHX_H5_NUMBER,
    PHX_H5_LIST,
    PHX_H5_MATRIX,
    PHX_H5_COMPLEX, /* a matrix of r and i */
    PHX_H5_ARRAY    /* matrices */
} phx_h5_kind;
/* extent: rows and columns, of an array pages, rows and columns; 1 where there are none. */
phx_h5_kind phx_h5_describe(phx_h5 *file, const char *path, size_t extent[3]);
/* All values of a matrix of that extent (an array: its pages below each other); `imaginary` NULL: of a real one, else
 * of a complex one. */
phx_status phx_h5_read_matrix(phx_h5 *file, const char *path, size_t rows, size_t cols, double *real,
                              double *imaginary);
phx_status phx_h5_read_number(phx_h5 *file, const char *path, double *value);
void phx_h5_close(phx_h5 *file); /* NULL is allowed; a file being written is given up */

enum { PHX_FORMAT_VERSION = 1 };
#define PHX_FORMAT_RESULT   "phlexor result"
#define PHX_FORMAT_MODES    "phlexor modes"
#define PHX_FORMAT_EXCHANGE "phlexor exchange"
#define PHX_FORMAT_BODY     "phlexor body"

#endif
