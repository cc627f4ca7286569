/* Layer results, for the other layers of the library: recorders, tables, bundles; what is asked before and
 * beside the writing of files. */
#ifndef PHX_RESULTS_RESULTS_H
#define PHX_RESULTS_RESULTS_H

#include "statespace/statespace.h"

#include <phlexor/results.h>

#include <stdio.h>

/* ---- recorder: the result of a simulation ---- */

/* A column of a result. */
/* Entries of phx_scene.section for each body. */
enum { PHX_SCENE_SECTION = 5 };
void phx_scene_free(phx_scene *scene); /* frees what it owns, zeroes the fields; NULL is allowed */
/* The factors of the maps of all meshes, one mesh after the other. */
int phx_scene_factors(const phx_scene *scene); /* NULL: 0 */
/* A list of a scene, as PHX_SCENE_LISTS has it. */
typedef enum phx_scene_kind { PHX_SCENE_LIST_NAMES, PHX_SCENE_LIST_INTEGERS, PHX_SCENE_LIST_NUMBERS } phx_scene_kind;
typedef struct phx_scene_view {
    const char *name; /* behind the group in its path */
    phx_scene_kind kind;
    int count, width;
    const void *values; /* char *const *, const int *, const double *: count x width */
} phx_scene_view;
/* List k of those whose path begins with `group`, "/bodies/" for instance; false: there are not so many. */
bool phx_scene_list(const phx_scene *scene, int dimension, const char *group, int k, phx_scene_view *view);

/* The columns of a recording, and where it goes. */
typedef struct phx_recorder_def {
    const char *h5_path;  /* NULL: no HDF5 file */
    const char *csv_path; /* NULL: no csv file; "-": standard output; has the columns only */
    int dimension;        /* 2 or 3 */
    int n_columns;        /* at least 1: the first is the time, s */
    const phx_record_column *columns;
    int n_ledger;                   /* entries of the ledger, which HDF5 and results in memory have, csv has not */
    const phx_record_entry *ledger; /* those that supply first */
    int n_x, n_v;                   /* sizes of the state vectors; 0: not recorded */
    int n_bodies;
    const phx_record_body *bodies;
    const phx_scene *scene; /* NULL: none */
    const char *model_name; /* the title of pictures: no path. Texts may be NULL: "" */
    const char *model_text, *program_version, *integrator;
    int n_attributes;
    const phx_attribute *attributes;
    double checkpoint_interval; /* s, smallest interval between checkpoints; default 0.5 */
    double checkpoint_share; /* of the run that checkpoints may take, in (0, 1]; default 0.05; up to four times as much
                                where rows come so fast that there would be none */
    size_t buffer_bytes;     /* rows kept in memory before they go to disk; default 4 MiB */
    bool in_memory;          /* every row is kept as well, for phx_recorder_take */
} phx_recorder_def;
phx_recorder_def phx_recorder_def_default(void);

/* The HDF5 file of a result, for other programs (version 1 of the format):
 *   attributes of the root: format "phlexor result", format_version, status "complete" or "partial", reason (why it is
 *     partial), last_time, program_version, model_name, integrator, dimension, and the free-form ones
 *   /model: the model text
 *   /columns/N: a column, attributes name and unit; N is the name with '/' and '%' as %XX; in the order of the columns
 *   /states/x, /states/v: rows x n_x, rows x n_v
 *   /states/factors: rows x the factors of the scene (phx_scene_factors); absent without any
 *   /bodies/name, kind, x_start, x_count, v_start, v_count, n_points, deforms: one entry for each body
 *   /bodies/points, /bodies/shapes: points and, where deforms is 1, shapes of all bodies one after the other, flat
 *   the lists of phx_scene: /bodies/radius, mass, centre, section; /ports/name, body, position, rotation, shapes;
 *     /joints/name, kind, port_a, port_b, axis; /springs/name, port_a, port_b; /loads/name, kind, port;
 *     /sections/body, name, unit, maps; /parameters/name, value; /gravity; /meshes/body, stresses, nodes ... Older
 *     files have none of them.
 *   /ledger/supplied/N, /ledger/dissipated/N: the entries of the ledger, like columns. Absent without any
 *
 * A recorder collects rows. While it runs,
 *   NAME.partial      (HDF5) is absent or a readable result with the attribute status = "partial", replaced as a whole
 *                     at every checkpoint; it survives the death of the process
 *   NAME.partial.tmp  the next checkpoint being written; never to be read
 *   NAME.csv.partial  plain text, whole lines, at most a second behind
 * Checkpoints are made by phx_recorder_append, at first after `checkpoint_interval` and then as often as
 * `checkpoint_share` allows. Between them rows are kept in `buffer_bytes` of memory and in an unnamed file beside the
 * result. The disk must hold twice the size of the result. */
typedef struct phx_recorder phx_recorder;

/* Everything of `def` is copied. Fails when a file cannot be created beside the results, before any computing. */
phx_status phx_recorder_create(phx_context *context, const phx_recorder_def *def, phx_recorder **recorder);
/* Add a row: n_columns values, behind them the n_ledger of the ledger and the factors of the scene, and the state n_x,
 * n_v (NULL allowed where the size is 0). A value that is not finite is refused (PHX_ERR_ANALYSIS, naming the column or
 * body) and the recorder stays as it was. Allocates only for a checkpoint and, `in_memory`, each time the rows have
 * doubled. After PHX_ERR_FILE nothing can be appended; abandon still keeps what it can. */
phx_status phx_recorder_append(phx_recorder *recorder, const double *row, const double *x, const double *v);
/* What events have switched, as bytes (copied), from the next row on; a run with events sets it before its first row.
 */
phx_status phx_recorder_set_switched(phx_recorder *recorder, size_t size, const void *bytes);
/* Complete the result (status = "complete", last_time, and the attributes given) under its name. On failure the older
 * result and the last checkpoint stay as they were. */
phx_status phx_recorder_finish(phx_recorder *recorder, int n_attributes, const phx_attribute *attributes);
/* Stop here: a last checkpoint with status = "partial", the reason and last_time. Nothing is left when there was no
 * row. On failure the last checkpoint stays. The context's message is kept when it succeeds. */
phx_status phx_recorder_abandon(phx_recorder *recorder, const char *reason);
/* Stop here and leave nothing: NAME.partial goes too. Destroy it afterwards. */
void phx_recorder_discard(phx_recorder *recorder);
/* The result of a recorder `in_memory` that is finished or abandoned, once: the result then has the rows, and reports
 * to `context`, which may be another than the recorder's. Its attributes are those of a file. The caller owns it.
 * PHX_ERR_ARGUMENT when there is nothing to take. */
phx_status phx_recorder_take(phx_recorder *recorder, phx_context *context, phx_result **result);
/* NULL is allowed. Neither finished nor abandoned nor discarded: the last checkpoint stays. */
void phx_recorder_destroy(phx_recorder *recorder);

/* ---- tables ---- */

/* A csv file that grows by rows, for what is listed over many runs. FILE.partial has every row appended, and whole
 * lines only. The path "-" is standard output. Allocates at the creation only. */
typedef struct phx_table phx_table;
/* Columns of numbers, then one of texts unless text_column is NULL. Everything is copied. */
phx_status phx_table_create(phx_context *context, const char *path, int n_columns, const char *const *columns,
                            const char *text_column, phx_table **table);
/* Columns of numbers with these units, NULL or "" where there is none, in this style. */
phx_status phx_table_create_styled(phx_context *context, const char *path, int n_columns, const char *const *columns,
                                   const char *const *units, const phx_table_style *style, phx_table **table);
/* n_columns values; NAN: an empty field. text NULL: empty. Line ends in the text become spaces. */
phx_status phx_table_append(phx_table *table, const double *values, const char *text);
/* The file is complete and gets its name. */
phx_status phx_table_finish(phx_table *table);
void phx_table_destroy(phx_table *table); /* NULL is allowed. Not finished: FILE.partial stays, if it has a row. */
/* A row as it stands in another table with the same columns. */
phx_status phx_table_append_line(phx_table *table, const char *line);
/* The line of names. */
const char *phx_table_header(const phx_table *table);

/* The lines of a table that is a file, without their ends; the first has the names. An unfinished last line is left
 * out. */
typedef struct phx_table_lines {
    char *text; /* what they point into */
    int count;
    char **line;
} phx_table_lines;
/* PHX_ERR_FILE when it cannot be read. The file is not listed as read (phx_files_read). */
phx_status phx_table_read_lines(phx_context *context, const char *path, phx_table_lines *lines);
/* Those of FILE.partial, which a table that was not finished has left; none when it is not there. */
phx_status phx_table_read_partial(phx_context *context, const char *path, phx_table_lines *lines);
void phx_table_lines_free(phx_table_lines *lines); /* frees and zeroes the fields; NULL is allowed */
/* The number in field `column` of a line, NAN where there is none; texts stand in the last field alone. */
double phx_table_field(const char *line, int column);

/* ---- result ---- */
/* State of a row; x (n_x) or v (n_v) may be NULL. */
phx_status phx_result_state(const phx_result *result, size_t row, double *x, double *v);
/* What events had switched by the last row (phx_recorder_set_switched), freed by the caller; NULL: the run had none. */
phx_status phx_result_switched(const phx_result *result, size_t *size, unsigned char **bytes);
/* The last state, for a run that goes on from it: the bodies must be those of the result, in the same order with the
 * same names and ranges (drawing data does not matter), else PHX_ERR_INPUT names the first that differs. */
phx_status phx_result_last_state(const phx_result *result, int dimension, int n_bodies, const phx_record_body *bodies,
                                 double *t, double *x, double *v);

/* ---- tables of modes ---- */
/* The text formats to an open stream, which is flushed; `name` is for messages, e.g. "standard output". */
phx_status phx_modes_print(phx_context *context, const phx_modes_table *table, phx_modes_format format, FILE *stream,
                           const char *name);
/* Give a table that has none the bodies of its first point, and what else there is to see (scene; NULL: nothing).
 * Everything is copied; the states are the caller's to add. */
phx_status phx_modes_set_drawing(phx_context *context, int dimension, int n_bodies, const phx_record_body *bodies,
                                 const phx_scene *scene, phx_modes_table *table);

/* ---- exchange files ---- */
/* Can a file or folder of this name be made (NULL or "-": yes)? PHX_ERR_FILE with the reason: ask before computing. */
phx_status phx_output_check(phx_context *context, const char *path);

/* Adding copies; the first failure sticks, see phx_bundle. */
/* rows x cols, row-major; imaginary may be NULL; NULL for an empty matrix. */
void phx_bundle_add_matrix(phx_bundle *bundle, const char *name, int rows, int cols, const double *real,
                           const double *imaginary);
/* Matrices of one size, rows x cols each, one after the other. */
void phx_bundle_add_array(phx_bundle *bundle, const char *name, int pages, int rows, int cols, const double *values);
void phx_bundle_add_sparse(phx_bundle *bundle, const char *name, const phx_csr *matrix);
void phx_bundle_add_names(phx_bundle *bundle, const char *name, int count, const char *const *names);
void phx_bundle_add_text(phx_bundle *bundle, const char *name, const char *text);
void phx_bundle_add_number(phx_bundle *bundle, const char *name, double value);
/* A name for an item made of any text: `prefix`, then the text with '_' for what is no letter or digit of ASCII; no
 * word of MATLAB's language, at most 63 letters, and a number behind where the bundle has that name already. */
enum { PHX_BUNDLE_NAME_SIZE = 64 };
void phx_bundle_make_name(const phx_bundle *bundle, const char *prefix, const char *text,
                          char name[PHX_BUNDLE_NAME_SIZE]);
/* Description and unit of the item added last; either may be NULL. */
void phx_bundle_describe(phx_bundle *bundle, const char *meaning, const char *unit);
/* The file that the bundle was made of; the functions that write a bundle do not write over it. */
void phx_bundle_add_file(phx_bundle *bundle, const char *path);

/* phx_exchange_write in the format "mat", "h5", "json" or "mtx", whatever the name. */
phx_status phx_exchange_write_as(phx_context *context, const char *path, const char *format, const phx_bundle *bundle);
/* The ending is one that phx_exchange_write knows, else PHX_ERR_INPUT: ask before computing. */
phx_status phx_exchange_check(phx_context *context, const char *path);
/* A bundle as json to an open stream, which is flushed; `name` is for messages. */
phx_status phx_exchange_print(phx_context *context, const phx_bundle *bundle, FILE *stream, const char *name);

/* ---- reports ---- */
/* A configuration of a mechanism without a motion. */
typedef struct phx_report_pose {
    const char *title, *model_text;
    const char *reason; /* why it is not what it should be; NULL: it is */
    int dimension, n_bodies;
    const phx_record_body *bodies;
    const phx_scene *scene; /* NULL: none */
    int n_x;
    const double *x;                     /* n_x */
    const double *factors;               /* of the scene; NULL where it has none */
    const struct phx_report_pose *other; /* shown with it, named by `other_name` of the options; NULL: none */
} phx_report_pose;

/* There is a page for reports with these options (NULL: none), else PHX_ERR_LIBRARY says why not: ask before computing.
 */
phx_status phx_report_check(phx_context *context, const phx_report_options *options);
/* The page of a configuration, as phx_report_result makes that of a result. */
phx_status phx_report_model(phx_context *context, const phx_report_pose *pose, const phx_report_options *options,
                            const char *html_path, phx_report_size *size);
/* The content of an HDF5 file: "phlexor result", "phlexor modes", "phlexor exchange". PHX_ERR_FILE when it is none of
 * them. Free `format` with phx_free. */
phx_status phx_file_format(phx_context *context, const char *path, char **format);

/* ---- other programs ---- */

/* The formats that results are exported to. */
typedef struct phx_export_format {
    const char *name;   /* "vtk" */
    const char *ending; /* of the usual name of what is written: "_vtk", a folder, or ".mat", a file */
    const char *opens;  /* what of a folder other programs open; NULL: it is a file */
} phx_export_format;
/* The format of that name, NULL: the first that there is of such a file. PHX_ERR_INPUT for a format that there is not,
 * or not of such a file; PHX_ERR_FILE when the file cannot be read. Ask before computing. */
phx_status phx_export_choose(phx_context *context, const char *path, const char *format,
                             const phx_export_format **chosen);
/* Of a bundle that is no file yet: the formats of phx_exchange_write_as but h5; NULL: mtx. */
phx_status phx_export_choose_exchange(phx_context *context, const char *format, const phx_export_format **chosen);

/* A simulation in short, as json to an open stream, which is flushed: what it is of, whether and why it is incomplete,
 * settings and counts, the largest energy, residual and drift, the ledger at the end, and of each column unit, first
 * and last value, least and largest with their times. */
phx_status phx_result_summary(phx_context *context, const char *path, FILE *stream, const char *name);
/* Lines with the least and largest value of each output, and the mean powers between instants of what supplies work,
 * with their times. */
phx_status phx_result_extremes(phx_context *context, const char *path, FILE *stream);

/* ---- comparison ---- */
typedef struct phx_tolerance {
    double value;
    const char *unit; /* of the outputs that it holds for; "": relative to the range of the first result, for all */
} phx_tolerance;
typedef struct phx_compare_options {
    phx_plot_options sources; /* others, measured, maps, from, to; columns, none: the outputs that the first has */
    int n_tolerances;
    const phx_tolerance *tolerances; /* those that hold for an output add up; none: no output is above */
    const char *format;              /* "text", "csv", "json" */
} phx_compare_options;
/* Write a table of the differences between results and a first one, output by output: the largest with its time, the
 * root mean square, that at the end (compare/timeline.h). "-" is standard output. *rows: how many differences, *above:
 * how many of them are above their tolerance. What some have and others have not is a warning, of columns that are
 * named PHX_ERR_INPUT; so are unequal units, times that do not overlap, nothing in common, a tolerance of a unit that
 * no output has. */
phx_status phx_compare(phx_context *context, const char *path, const phx_compare_options *options, const char *output,
                       int *rows, int *above);

/* ---- hot spots ---- */
typedef struct phx_hot_spot_options {
    const char *body;   /* NULL: all that have stresses */
    const char *set;    /* NULL: at all nodes; else those of this set of the mesh */
    int count;          /* of each body at most */
    const char *format; /* "text", "csv", "json" */
} phx_hot_spot_options;
/* Write a table of hot spots: nodes whose largest von Mises stress over the recorded instants no node of their cells
 * exceeds, in the order of that stress: body, number of the node in its mesh file, place in the body's frame, time,
 * value, surface of a plate. "-" is standard output. PHX_ERR_INPUT where no such body has stresses on a mesh. */
phx_status phx_hot_spots(phx_context *context, const char *path, const phx_hot_spot_options *options,
                         const char *output);

/* The instants of the hot spots of a body, at most `count`, each once, that of the largest stress first. */
phx_status phx_hot_instants(phx_context *context, const char *path, const char *body, int count, double *times,
                            int *found);

/* A line that says at which node and when the output `column`, the largest von Mises stress of a body, is largest. */
phx_status phx_hot_node_text(phx_context *context, const char *path, const char *body, const char *column,
                             FILE *stream);

/* A text file, which appears when it is complete. PHX_ERR_FILE. */
phx_status phx_text_write(phx_context *context, const char *path, const char *text);
enum { PHX_JSON_SIZE = 8 }; /* room for a character, escaped, and a zero */
/* The first character of a text as in a string of JSON, U+FFFD if it is invalid. Returns the rest of the text. */
const char *phx_json_next(const char *text, char character[PHX_JSON_SIZE]);

/* ---- load cases for other finite-element programs ---- */
/* What acts on a body at a port: N, N m, body axes. */
typedef struct phx_case_port {
    char name[100]; /* "port bore", "node 17" */
    double force[3], moment[3];
} phx_case_port;
typedef struct phx_load_case {
    double t, unbalanced, truncation; /* as in phx_case_report */
    double *force;                    /* n */
    int n_ports;
    phx_case_port *ports;
} phx_load_case;
typedef struct phx_load_cases {
    const char *model, *body;
    double length, force_unit; /* of the files: m, N */
    int n;
    int *label, *component; /* n: node, and 1 to 3 forces, 4 to 6 moments (N, N m) */
    int *direction;         /* n: as the files count it; CalculiX has moments of 1 to 3 at nodes that are rotations */
    int support[6];         /* six of these that hold the body and nothing more */
    int n_cases;
    phx_load_case *cases;
} phx_load_cases;
void phx_load_cases_free(phx_load_cases *cases); /* frees and zeroes the fields */
/* format "calculix": steps *STATIC with *BOUNDARY and *CLOAD, for *INCLUDE in a deck of CalculiX or Abaqus; "nastran":
 * FORCE, MOMENT and SPC1 of bulk data, set k for case k, set 1 for the supports. path "-" is standard output. */
phx_status phx_load_cases_write(phx_context *context, const phx_load_cases *cases, const char *format,
                                const char *path);

/* ---- contents of a result, one by one (phx_result_about) ---- */
int phx_result_column_find(const phx_result *result, const char *name); /* -1: there is none */
/* Whether the run came to its end; numbers of rows, columns, states, bodies; what they are called. */
bool phx_result_is_complete(const phx_result *result);
size_t phx_result_rows(const phx_result *result);
int phx_result_dimension(const phx_result *result);
int phx_result_columns(const phx_result *result);
const char *phx_result_column_name(const phx_result *result, int column);
const char *phx_result_column_unit(const phx_result *result, int column); /* "": none */
int phx_result_n_x(const phx_result *result);
int phx_result_n_v(const phx_result *result);
int phx_result_bodies(const phx_result *result);
const phx_record_body *phx_result_body(const phx_result *result, int body);
const phx_scene *phx_result_scene(const phx_result *result); /* NULL: the file has none */
/* Every attribute, those of the file format too, in the order of their names. */
int phx_result_attributes(const phx_result *result);
const phx_attribute *phx_result_attribute(const phx_result *result, int k);
/* Text of an attribute; NULL when there is none of that name or it is a number. */
const char *phx_result_text(const phx_result *result, const char *name);
const char *phx_result_model_text(const phx_result *result);
int phx_result_ledger(const phx_result *result);
const phx_record_entry *phx_result_ledger_entry(const phx_result *result, int entry);

#endif
