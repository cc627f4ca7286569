/* Shared by the items of the page; private to this folder. */
#ifndef PHX_REPRODUCE_ITEM_H
#define PHX_REPRODUCE_ITEM_H

#include "reproduce.h"

#define PHX_PI 3.14159265358979323846

/* ---- files compiled in (cmake/PhlexorEmbed.cmake) ---- */
typedef struct phx_embedded {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} phx_embedded;
extern const phx_embedded phx_reproduce_files[];
/* Text of a file; NULL when there is none of that name. */
const char *phx_reproduce_file(const char *name);

/* ---- published values (table.c) ---- */
typedef struct phx_published_value {
    char *item, *quantity, *printed, *reason; /* reason NULL: none */
    double value, tolerance;
    bool used;
} phx_published_value;

typedef struct phx_published {
    int count;
    phx_published_value *values;
} phx_published;
phx_status phx_published_read(phx_context *context, const char *text, phx_published *published);
void phx_published_free(phx_published *published);

/* ---- tables of numbers (table.c): csv with a line of names; lines that begin with # are left out ---- */
typedef struct phx_numbers {
    int rows, columns;
    char **names;
    double *values; /* rows x columns; NaN where the field is no number */
} phx_numbers;
phx_status phx_numbers_read(phx_context *context, const char *file, phx_numbers *table);
void phx_numbers_free(phx_numbers *table);
/* Column of that name, -1: none. */
int phx_numbers_find(const phx_numbers *table, const char *name);
double phx_numbers_at(const phx_numbers *table, int row, int column);

/* ---- an item at work ---- */
typedef struct phx_item {
    phx_context *context;
    phx_comparisons *page;
    phx_published *published;
    const char *name;
} phx_item;

/* The model of an embedded file; `text` replaces the file's text where it is not NULL. */
phx_status phx_item_model(phx_item *item, const char *file, const char *text, int n_set, const phx_model_override *set,
                          phx_model **model);
/* The text with `from` replaced once by `to`; free with phx_free. PHX_ERR_ARGUMENT when there is no `from`. */
phx_status phx_item_edit(phx_context *context, const char *text, const char *from, const char *to, char **edited);

/* A row; the published value is looked up by `what`. */
void phx_item_row(phx_item *item, const char *what, const char *unit, double value, phx_standard reference);
phx_standard phx_no_reference(void);
phx_standard phx_reference_near(double value, double relative);
phx_standard phx_reference_within(double value, double tolerance);
/* A value that has to be zero, up to the tolerance. */
phx_standard phx_reference_zero(double tolerance);

/* ---- simulations (model.c) ---- */
/* A column of a result by name, `rows` values times `factor`; free with phx_free. PHX_ERR_ARGUMENT when there is none.
 */
phx_status phx_item_column(phx_item *item, const phx_result *result, const char *name, double factor, double **values);

/* ---- the items ---- */
typedef phx_status phx_item_compute(phx_item *item);
/* beam_tables.c */
phx_item_compute phx_item_table_1;
phx_item_compute phx_item_table; /* the number behind "table-" */
/* matrices.c */
phx_item_compute phx_item_matrices;
/* shapes.c */
phx_item_compute phx_item_beam_shapes;
phx_item_compute phx_item_four_bar_shapes;
/* four_bar.c */
phx_item_compute phx_item_titop_four_bar;
phx_item_compute phx_item_four_bar;
/* joint.c */
phx_item_compute phx_item_joint;
/* mechanisms.c */
phx_item_compute phx_item_crank_slider;
phx_item_compute phx_item_hinged_beam;
phx_item_compute phx_item_energy;
phx_item_compute phx_item_drift;
/* convergence.c */
phx_item_compute phx_item_convergence;

#endif
