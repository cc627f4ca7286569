/* A small body for the readers of matrices: a block of two trilinear hexahedra, as other programs would write it. */
#ifndef PHLEXOR_TESTS_CONTINUUM_SAMPLE_H
#define PHLEXOR_TESTS_CONTINUUM_SAMPLE_H

#include "continuum/continuum.h"

enum { SAMPLE_NODES = 12, SAMPLE_UNKNOWNS = 3 * SAMPLE_NODES };

typedef struct sample {
    double x[SAMPLE_NODES][3];
    int label[SAMPLE_NODES]; /* neither consecutive nor ascending */
    double M[SAMPLE_UNKNOWNS][SAMPLE_UNKNOWNS], K[SAMPLE_UNKNOWNS][SAMPLE_UNKNOWNS];
    double mass, centre[3], inertia[3]; /* about the centre, of the principal axes x, y, z */
} sample;
/* labels: 1, 2, ... or others */
void sample_make(bool consecutive, sample *body);

/* A folder of its own for the files of a test, which the process goes to; false: there is none. */
bool enter_folder(void);
void leave_folder(void); /* and removes it with its files */
void write_text(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef enum sample_triangle { WHOLE, LOWER, UPPER } sample_triangle;
bool sample_has(sample_triangle triangle, int i, int j);

/* The nodes as a deck (.inp), as GRID lines, as a table. */
void write_deck(const char *path, const sample *body);
/* Matrices; `format` is that of a value. */
void write_coordinates(const char *path, double (*a)[SAMPLE_UNKNOWNS], sample_triangle triangle, const char *format);
void write_labelled(const char *path, const sample *body, double (*a)[SAMPLE_UNKNOWNS], sample_triangle triangle);
void write_market(const char *path, double (*a)[SAMPLE_UNKNOWNS], bool symmetric);
void write_market_array(const char *path, double (*a)[SAMPLE_UNKNOWNS], bool symmetric);
void write_dof(const char *path, const sample *body);
void write_table(const char *path, const sample *body);
typedef enum bulk_style { SMALL_FIELD, LARGE_FIELD, FREE_FIELD } bulk_style;
void write_bulk(const char *path, const sample *body, bulk_style style, sample_triangle triangle);
typedef enum op4_style { OP4_DENSE, OP4_STRINGS, OP4_BIG } op4_style;
void write_op4(const char *path, const sample *body, op4_style style);
/* modes: SAMPLE_UNKNOWNS/3 x 6 rows, `count` columns; lumped masses: row sums of M. */
void write_fem(const char *path, const sample *body, int count, double (*mode)[6 * SAMPLE_NODES], const double *M,
               const double *K);

/* Import files with the units of def (names end with NULL). */
phx_status import_files(phx_context *context, phx_import_def def, phx_elastic_model **model, ...);

#endif
