/* Text files of other programs: line by line, word by word, with the place for messages. */
#ifndef PHLEXOR_CONTINUUM_IMPORTED_TEXT_H
#define PHLEXOR_CONTINUUM_IMPORTED_TEXT_H

#include "base/base.h"

/* A piece of the text, not ended by a zero. */
typedef struct import_word {
    const char *text;
    int length; /* 0: nothing there */
} import_word;

typedef struct import_text {
    phx_context *context;
    const char *path; /* borrowed */
    char *bytes;      /* size, and a zero behind them */
    size_t size;
    const char *next;  /* the line after the current one */
    const char *begin; /* the current line */
    const char *end;   /* its end, without the line break */
    const char *at;    /* in the current line: where the next word is looked for */
    long line;         /* of the current line, from 1; 0: none yet */
    int digits;        /* significant digits of the longest value so far */
} import_text;

/* PHX_ERR_FILE: it cannot be read; PHX_ERR_INPUT: it is no text. */
phx_status import_text_open(phx_context *context, const char *path, import_text *text);
void import_text_close(import_text *text);
void import_text_rewind(import_text *text);

/* Go on to the next line; false at the end of the file. */
bool import_next_line(import_text *text);
/* The same, over blank lines and those that begin with one of the characters of `comment`. */
bool import_next_data_line(import_text *text, const char *comment);
/* The next word of the line, parted by blanks, commas and semicolons; length 0 at the end of the line. */
import_word import_next_word(import_text *text);
/* A word of a fixed column [from, from + width) of the line, without the blanks around it. */
import_word import_column(const import_text *text, int from, int width);
/* The same letters, either case. */
bool import_word_is(import_word word, const char *other);
bool import_word_begins(import_word word, const char *prefix);

/* The number that a word means; exponents also with D or, as Nastran writes, none ("1.5+3"). */
bool import_integer_of(import_word word, int *value);
bool import_number_of(import_word word, double *value); /* finite ones only */
/* The next word of the line as a value; PHX_ERR_INPUT names `what` where it is none or not finite. */
phx_status import_integer(import_text *text, const char *what, int *value);
phx_status import_number(import_text *text, const char *what, double *value);
/* A word as a value of a matrix or a mode: counts its digits. */
phx_status import_value_of(import_text *text, import_word word, const char *what, double *value);
/* PHX_ERR_INPUT where the line goes on. */
phx_status import_line_ends(import_text *text);

/* PHX_ERR_INPUT "path:line: ...". */
phx_status import_fail(const import_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
phx_shown import_shown(import_word word);

#endif
