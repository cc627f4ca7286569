/* Phlexor, layer model, private: the reader at work. */
#ifndef PHLEXOR_MODEL_READER_H
#define PHLEXOR_MODEL_READER_H

#include "expression.h"
#include "schema.h"

/* Where a field was written: `size` bytes from `address` (1 for plain values). */
typedef struct phx_place {
    const char *address;
    unsigned size; /* bytes */
    int order;     /* of recording: outer ones first at the same address */
    phx_model_source source;
} phx_place;

/* A signal with what it was made of: an expression or a table. */
typedef struct phx_owned_signal {
    phx_signal *signal;
    const char *text; /* NULL: a table */
    phx_expression_use use;
    const phx_table_form *form;
} phx_owned_signal;

/* How the parameters are treated that an expression of time names. */
typedef enum phx_parameter_role {
    PHX_PARAMETER_IN_SIGNAL, /* they may stay open */
    PHX_PARAMETER_IN_NUMBER, /* the system is made with their values */
    PHX_PARAMETER_ELSEWHERE, /* in the defaults of an analysis: the mechanism knows nothing of them */
    PHX_PARAMETER_ROLES
} phx_parameter_role;
/* The uses of a parameter outside the other parameters. Constant expressions are PHX_PARAMETER_IN_NUMBER. */
enum { PHX_PARAMETER_PLACES = 3 };
typedef struct phx_parameter_use {
    int count[PHX_PARAMETER_ROLES];
    char numbers[PHX_PARAMETER_PLACES][80]; /* key paths of the first uses in numbers */
    char of_time[80];                       /* and of the first in an expression of time */
} phx_parameter_use;
/* A use of a parameter in a body or a material, or the stations of a body, as a list. */
typedef struct phx_parameter_owner {
    struct phx_parameter_owner *before;
    int parameter;        /* -1: the stations */
    int station;          /* of the `sections` of a body; -1: all of the owner */
    const char *name;     /* "bodies.crank", "materials.steel" */
    const void *stations; /* `count` of `size` bytes, each beginning with its place */
    int count;
    size_t size;
} phx_parameter_owner;

/* Memory that one evaluation of the document owns. */
typedef struct phx_content {
    phx_arena memory;
    phx_owned_signal *signals;
    int n_signals, signals_capacity;
    phx_place *places; /* ascending addresses once reading is done */
    int n_places, places_capacity;
    phx_parameter_use *uses;      /* of each parameter */
    phx_parameter_owner *owners;  /* the last one; uses.c */
    bool owners_lost;             /* memory was out */
    const char **parameter_texts; /* of each parameter: its expression; NULL: its value was set as a number */
    int n_overrides;              /* it was evaluated with these; 0: those of the reading */
    const phx_model_override *overrides;
    phx_names parameters, materials, bodies, joints;
    phx_names *ports;                /* of each body, then of the ground; made when first asked for */
    struct phx_segmented *segmented; /* segments.h */
    int n_segmented;
    phx_names segmented_names;
} phx_content;

/* A table read from a CSV file; it is read once for all evaluations of the document. */
typedef struct phx_file_table {
    phx_model_source source; /* of the signal */
    int count;
    double *times, *values;
    struct phx_file_table *next;
} phx_file_table;

/* The surface of a file, read once for all evaluations of the document. */
typedef struct phx_file_surface {
    const char *path;
    double scale;
    struct phx_surface *surface; /* owned */
    struct phx_file_surface *next;
} phx_file_surface;

/* A file that the model is made of, links in its name followed. */
typedef struct phx_named_file {
    const char *path;
    struct phx_named_file *next;
} phx_named_file;

/* A body read from a file, once for all evaluations of the document: sweeps evaluate on threads of their own, where
 * HDF5 must not be called. */
typedef struct phx_file_body {
    const char *path;
    phx_flex_source *source; /* owned */
    struct phx_file_body *next;
} phx_file_body;

struct phx_model_store {
    phx_arena document; /* texts of the tree, text, path, overrides, tables from files */
    phx_arena tree;     /* nodes */
    phx_file_table *tables;
    phx_file_body *bodies;
    phx_file_surface *surfaces;
    phx_named_file *files;
    const phx_node *root; /* NULL until phx_model_tree */
    int n_overrides;      /* of the reading */
    const phx_model_override *overrides;
    bool doubts; /* of the reader, in the first reading of a file */
    phx_content content;
    phx_evaluator *evaluator; /* of all readings: a parser is dear to make */
};

struct phx_reader {
    phx_context *context;
    phx_model *model;
    phx_content *content;
    phx_evaluator *evaluator;
    int n_overrides; /* all that count, the last of a name wins */
    const phx_model_override *overrides;
    phx_model_body *body; /* being read; NULL before the bodies */
    phx_model_source body_source;
    phx_names own_ports;     /* of that body, made when first asked for */
    phx_model_joint *joint;  /* being read, or the last one */
    const phx_node *item;    /* name of the item of a map that was begun last */
    phx_parameter_role role; /* of expressions of time */
    bool doubts;             /* they are told (doubts.c) */
    double sweep_points;     /* product of the counts so far */
    char key_path[200];      /* "bodies.crank.section", for messages */
    size_t key_path_length;
};

/* ---- doubts (doubts.c) ---- */
/* Warnings: of an angle beyond a turn without pi or deg; of the model that has been read: parameters that are used
 * nowhere, bodies that nothing holds, sections larger than their beam. */
void phx_doubt_angle(phx_reader *reader, const phx_node *node);
/* load_feedback.c: loads, actuators and springs of measurements become controllers; *root is replaced by a copy. */
phx_status phx_expand_feedback(phx_context *context, phx_arena *nodes, phx_arena *texts, const phx_node **root);
void phx_doubt_model(const phx_reader *reader);
/* Whether the name stands in an expression; text may be NULL. */
bool phx_mentions(const char *text, const char *name);

/* ---- bodies and materials that use parameters (uses.c) ---- */
/* Records that a parameter is used at the key path of the reader. */
void phx_note_owner(phx_reader *reader, int parameter);
phx_status phx_note_stations(phx_reader *reader, int count, const void *stations, size_t size);

/* ---- messages ---- */
/* PHX_ERR_INPUT with "file:line:column: key_path: ". */
phx_status phx_reader_fail(phx_reader *reader, const phx_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
phx_status phx_reader_fail_at(phx_reader *reader, phx_model_source source, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The last message of the context, now with its place in the file. */
phx_status phx_reader_fail_again(phx_reader *reader, const phx_node *node, phx_status failure);
/* "expected EXPECTED, found ...". */
phx_status phx_reader_expected(phx_reader *reader, const phx_node *node, const char *expected);
/* The error of the evaluator's last expression, at its place in the node. */
phx_status phx_reader_fail_expression(phx_reader *reader, const phx_node *node);
/* Append a step to the key_path; returns its former length for phx_key_path_pop. index < 0: a name, else an entry of a
 * list.
 */
size_t phx_key_path_push(phx_reader *reader, const char *name, int index);
void phx_key_path_pop(phx_reader *reader, size_t length);

/* ---- reading ---- */
/* The tree of the document. The nodes are dropped once a model has been read, and made again, to stay, for whoever asks
 * later: other parameters, the keys of bodies on meshes. */
phx_status phx_model_tree(phx_context *context, const phx_model *model, const phx_node **root);
/* PHX_PLANE, PHX_SPACE, or PHX_BOTH until the dimension is known. */
unsigned phx_reader_dims(const phx_reader *reader);
/* The row of a key that applies to this kind (-1: unknown) and dimension, NULL. */
const phx_key *phx_object_key(const phx_object *object, const char *name, int kind, unsigned dims);
phx_status phx_read_object(phx_reader *reader, const phx_object *object, const phx_node *node, void *target);
phx_status phx_read_number(phx_reader *reader, const phx_node *node, const phx_range *range, double *value);
/* *node, the name of a list of parameters, becomes a list of its entries; any other node stays. */
phx_status phx_reader_list(phx_reader *reader, const phx_node **node);
/* A list of exactly `count` numbers, or the name of a list of parameters. */
phx_status phx_read_numbers(phx_reader *reader, const phx_node *node, const phx_range *range, int count,
                            double *values);
/* An expression or a table; the model owns the signal. */
phx_status phx_read_signal(phx_reader *reader, const phx_node *node, phx_expression_use use, phx_signal **signal);
/* Value of a word in a table; the message lists the words. */
phx_status phx_read_word(phx_reader *reader, const phx_node *node, const phx_word *words, const char *what, int *value);
/* `expected` for what stands in an object's map, "" etc. A text that is not empty, with its copy. */
phx_status phx_read_text(phx_reader *reader, const phx_node *node, const char *expected, const char **text);
/* Is this a name for a thing? Letters, digits and most signs; not . @ / , and quotes, which references, columns and
 * result files use. */
phx_status phx_check_name(phx_reader *reader, const phx_node *key);

/* A map into an array with `reserved` items in front; `field` receives the array, `count` the number of all items. */
phx_status phx_read_map(phx_reader *reader, const phx_key *key, const phx_node *node, int reserved, void *field,
                        void *count);

/* The number of the parameter that bears the name of the item of the map that was begun last; of a list, its first
 * entry. */
phx_status phx_find_item_parameter(phx_reader *reader, int *parameter);
/* Remember that the bytes at `address` were written at the node. */
phx_status phx_reader_place(phx_reader *reader, const void *address, size_t size, phx_model_source source);
phx_model_source phx_content_where(const phx_content *content, const void *field);
/* Once reading is done: places and signals by their addresses, for the two functions that look them up. */
void phx_content_sort(phx_content *content);
/* The text or table of a signal; NULL: it is not of this content. */
const phx_owned_signal *phx_content_find_signal(const phx_content *content, const phx_signal *signal);
void phx_content_free(phx_content *content);
/* The signal belongs to the model from here on, also when this fails. */
phx_status phx_reader_own_signal(phx_reader *reader, const phx_owned_signal *signal);

void *phx_reader_calloc(phx_reader *reader, size_t count, size_t size); /* in the content */

/* Index of the names of an array of the model, made when first asked for. */
phx_status phx_reader_names(phx_reader *reader, phx_names *names, const void *items, size_t size, int count);

/* The text behind '@' on a body whose points are given by these sorts (bits): a name where names are among them and
 * it does not begin like a number, else the expression of a fraction or of the number of a node. */
phx_status phx_read_location(phx_reader *reader, const phx_node *node, const char *text, unsigned sorts,
                             phx_location *location);
/* A point: `body.PORT`, `ground.PORT`, `body@0.25`. */
phx_status phx_read_point(phx_reader *reader, const phx_node *node, phx_model_point *point);
const char *phx_point_owner(const phx_reader *reader, const phx_model_point *point); /* name of the body, "ground" */

/* Fill a table from a CSV file: a line of names, then numbers; the first column is time. The numbers go to `arena`.
 * Errors stand at the node (where the file is named) and say the line of the CSV file. */
phx_status phx_read_csv(phx_reader *reader, const phx_node *node, const char *path, const char *column,
                        phx_arena *arena, phx_file_table *table);
/* Matrices of a file, .mat (version 5) or .json (one object: rows of numbers, or rows, cols, row, col, value), into the
 * matrices that are named; one that is not in the file stays as it is. Errors stand at the node. */
typedef struct phx_named_matrix {
    const char *name;
    phx_model_matrix *matrix;
} phx_named_matrix;
phx_status phx_read_matrices(phx_reader *reader, const phx_node *node, const char *path, int count,
                             const phx_named_matrix *matrices);
/* Expressions of t and y(NAME), the values of a map: the names and texts to `names` and `texts`, NAMEs to the inputs of
 * the controller. `expected` describes the map. */
phx_status phx_read_feedback(phx_reader *reader, const phx_node *node, const char *expected,
                             phx_model_controller *controller, const char ***names, const char ***texts);
/* A node of a map, the map itself where it has no such key. */
const phx_node *phx_node_of(const phx_node *map, const char *key);
/* Of an fmu, once its keys are read: whether the file has its variables (controller_fmu.c). */
phx_status phx_finish_fmu(phx_reader *reader, const phx_node *node, phx_model_controller *controller);
/* The model is made of this file. */
phx_status phx_model_names_file(phx_context *context, struct phx_model_store *store, const char *path);
/* `name` relative to the folder of the model file, in the content's memory; NULL without memory. */
char *phx_reader_path(phx_reader *reader, const char *name);

/* The words of enums (schema.c). */
extern const phx_word phx_words_body[], phx_words_force[], phx_words_section[], phx_words_joint[], phx_words_load[],
    phx_words_quantity[], phx_words_integrator[];

#endif
