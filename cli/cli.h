/* Shared by the commands of the program. */
#ifndef PHLEXOR_CLI_H
#define PHLEXOR_CLI_H

#include "study/study.h"

#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* ---- the table of commands (main.c) ---- */
typedef struct cli_command cli_command;
/* Runs a command with the words after its name; returns the exit status. */
typedef int cli_run(const cli_command *command, phx_context *context, int argc, char **argv);
struct cli_command {
    const char *name;
    cli_run *run;
    const char *arguments; /* "MODEL", for the usage */
    const char *doc;       /* one line */
    const char *details;   /* more, for --help; may be NULL */
};
cli_run cli_simulate, cli_modes, cli_static, cli_titop, cli_linearize, cli_check, cli_info, cli_plot, cli_export,
    cli_compare, cli_report, cli_view, cli_import, cli_reduce, cli_merge, cli_fmu, cli_inverse, cli_film, cli_reproduce,
    cli_schema, cli_sensitivity, cli_identify, cli_optimize, cli_stress, cli_loads, cli_new, cli_guide, cli_mcp;

/* ---- options (options.c) ---- */
typedef enum cli_option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char * */
    OPTION_COUNT,  /* int, at least 1 */
    OPTION_CHOICE, /* const char *, one of the words in `value`, '|' between them */
    OPTION_LIST    /* cli_list, may be repeated */
} cli_option_kind;

typedef struct cli_list {
    int count;
    const char **items; /* room for all arguments; freed by cli_options_free */
} cli_list;

typedef struct cli_option {
    const char *name; /* "--end" */
    char letter;      /* 'o' for -o; 0: none */
    cli_option_kind kind;
    const char *value; /* what stands for the value in the help: "T" */
    const char *doc;
    void *target; /* as the kind says */
} cli_option;

typedef struct cli_arguments {
    const cli_option *options;
    int n_options;
    int wanted;          /* arguments that are no options */
    const char **places; /* `wanted` of them */
    cli_list *more;      /* instead of places: `wanted` or more of them; NULL: no more */
} cli_arguments;

/* Read the arguments of a command. Returns -1 to go on, else the exit status: 0 after --help, 2 after a message. */
int cli_parse(const cli_command *command, phx_context *context, const cli_arguments *arguments, int argc, char **argv);
/* The option called `length` characters of `word`, "--end" or "-o"; NULL: there is none. */
const cli_option *cli_find_option(const cli_arguments *arguments, const char *word, size_t length);
/* Option k of the command, of which the last is --messages; NULL after it. */
const cli_option *cli_option_at(const cli_arguments *arguments, int k);
void cli_options_free(const cli_arguments *arguments);
/* Of the words offered (an array that ends with NULL) the one nearest to a wrong one; NULL when none is near. */
const char *cli_nearest(const char *wrong, const char *const *words);

/* The words of a list with commas between them. */
typedef struct cli_words {
    int count;
    const char *const *words; /* NULL: the option was not given */
    char *text;               /* what they point into */
} cli_words;
/* Nothing when text is NULL; a word that is empty is an error. Returns -1, or the exit status after a message. */
int cli_split(const cli_command *command, phx_context *context, const char *option, const char *text, cli_words *words);
void cli_words_free(cli_words *words);

/* ---- linear models (linear.c) ---- */
/* Can a linear model be written to a file of this name (NULL: no file)? Returns -1, or the exit status after a message.
 */
int cli_exchange_name(phx_context *context, const char *output);
/* The file, when there is a name, and the summary on stdout: json (the model itself) or a table. */
phx_status cli_put_linear(phx_context *context, const phx_linear_report *report, const char *format,
                          const char *output);

/* ---- what shells ask for (complete.c) ---- */
/* Print what fits in place of word `index` of the n words behind the command. Returns the exit status. */
int cli_complete(const cli_command *command, phx_context *context, const cli_arguments *arguments, int index, int n,
                 char **words);
/* Print the command and its options as a table. Returns the exit status. */
int cli_print_tables(const cli_command *command, const cli_arguments *arguments);

/* ---- the model on the command line (input.c) ---- */
/* Read MODEL with the overrides of --set. Returns -1, or the exit status after a message. */
int cli_read_model(phx_context *context, const char *path, const cli_list *set, phx_model **model);
/* The model with these values as a file (phx_model_save); frees the values. */
phx_status cli_save_with(phx_context *context, phx_model *model, int count, phx_model_override *values,
                         const char *path);
/* A number greater than 0 given as an expression; nothing when text is NULL. Returns as above. */
int cli_positive(phx_context *context, const phx_model *model, const char *option, const char *text,
                 phx_model_optional *value);
/* Several of them, up to the first that is wrong. */
typedef struct cli_number {
    const char *option, *text;
    phx_model_optional *value;
} cli_number;
int cli_positives(phx_context *context, const phx_model *model, size_t count, const cli_number *numbers);
/* The number that an option has; nothing when text is NULL. Returns as above. */
int cli_read_number(const cli_command *command, const char *option, const char *text, double *value);
/* The value of --integrator; nothing when text is NULL. Returns as above. */
int cli_choose_integrator(const cli_command *command, const char *name, phx_simulate_options *options);
/* The points of --sweep name=from:to:count; several multiply. */
phx_status cli_make_sweep(phx_context *context, const phx_model *model, const cli_list *list, phx_sweep **sweep);
/* Refuse a run that is large unless --yes is given; `remedy` says what would make it smaller. Returns as above. */
int cli_agree(phx_context *context, const phx_run_size *size, bool yes, const char *remedy);
/* The value of --at; NULL, not given: the start. */
phx_model_modes_at cli_at(const char *given);
/* The value of --threads; 0, not given: all processors. */
int cli_threads(int given);
/* Simulations at every point of --sweep; `options` has the numbers and the csv path. Returns the exit status. */
typedef struct cli_batch {
    const char *model;
    const char *output; /* RESULT.h5, TABLE.csv or "-"; NULL: after the model */
    const cli_list *sweep;
    int threads; /* 0: all processors */
    bool stop, yes, resume;
    int shard, shards; /* shards 0: all points */
} cli_batch;
int cli_simulate_batch(phx_context *context, const phx_model *model, const cli_batch *batch,
                       const phx_simulate_options *options);
/* Several results and a measured table, of which the first is read by the caller: whether all can be read, and the
 * fields of the options. `maps` has room for the words of --map, freed by the caller. Returns as above. */
int cli_read_others(const cli_command *command, phx_context *context, const cli_list *files, const char *measured,
                    const char *map, cli_words *maps, phx_plot_options *options);
/* Can this file be read? Returns -1, or the exit status after a message. */
int cli_readable(const char *path);
/* Can files of these names be written (NULL or "-": yes), without destroying one another or what has been read? Ask
 * before computing. Returns as above. */
int cli_writable(phx_context *context, int count, const char *const *paths);
/* The file's name without folder and extension, with another ending; in the folder of `path` or in the current one.
 * Free with phx_free. */
char *cli_name(phx_context *context, const char *path, bool same_folder, const char *ending);
/* Does the name end with this ("." and letters, capitals or not)? */
bool cli_ends_with(const char *name, const char *ending);
/* The options --units and --decimal of tables, with `units` and `decimal` of the arguments, and what they make of a
 * file of that name (may be NULL). */
#define CLI_TABLE_OPTIONS(given)                                                                                       \
    {"--units", 0, OPTION_FLAG, NULL, "csv: names with their units, \"tip.x [m]\"", &(given).units},                   \
    {                                                                                                                  \
        "--decimal", 0, OPTION_CHOICE, "point|comma", "csv: decimal commas, between semicolons", &(given).decimal      \
    }
phx_table_style cli_table_style(bool units, const char *decimal, const char *name);
/* Letters behind the last point of a file's name; NULL: it has none. */
const char *cli_ending(const char *name);
/* *format: where NULL, that of the ending of the output (may be NULL), else "text". -1, or EXIT_USAGE after a message
 * where they differ. */
int cli_choose_table(const cli_command *command, const char *output, const char **format);

/* ---- first models (new.c) ---- */
typedef struct cli_kind {
    char name[40], text[160]; /* text: its first line */
} cli_kind;
/* Kind k of a first model, from 0; false: there are not so many. */
bool cli_new_kind(int k, cli_kind *kind);

/* ---- messages as text or JSON (messages.c) ---- */
typedef enum cli_severity { CLI_ERROR, CLI_WARNING, CLI_NOTE } cli_severity;
/* Whether --messages json is among the words, before they are parsed: their errors are messages too. */
void cli_look_for_messages(int argc, char **argv);
bool cli_messages_are_json(void);
/* Name of a status, the code of its message. */
const char *cli_code_of(phx_status status);
void cli_put_message(cli_severity severity, const char *code, const char *message, const char *help);

/* ---- messages, progress, interruption (terminal.c) ---- */
/* Print a message that is none of a status, from one process; `code` may be NULL. */
void cli_say(cli_severity severity, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Print the context's message for a status; returns the exit status that belongs to it. */
int cli_failed(phx_context *context, phx_status status);
/* Print a message about the command line and where help is; command NULL: about the program. Returns EXIT_USAGE. */
int cli_usage_error(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Warnings and notes on stderr, a progress bar there when it is a terminal, SIGINT and SIGTERM that stop the work. */
void cli_watch(phx_context *context);
/* Take the progress bar away. */
void cli_progress_done(void);
/* A line of progress, on a terminal alone. */
void cli_progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Say that a write to stdout failed, for the reason in errno; returns EXIT_FAILED. */
int cli_output_failed(void);
/* Write what is left in stdout; EXIT_FAILED with a message when it cannot be written, else `status`. */
int cli_close_output(int status);

/* ---- processes of mpirun (terminal.c) ---- */
/* Start them. What fails on all is then reported by one of them, and what fails on one ends all. Returns -1, or the
 * exit status after a message. */
int cli_open_ranks(phx_context *context);
phx_ranks *cli_ranks(void); /* NULL: not started */
/* The end of all, in which each waits for the others. Returns the exit status. */
int cli_close_ranks(int status);

/* ---- commands in Python (python.c) ---- */
/* Become the Python that runs the command; returns the exit status after a message where there is none. */
int cli_run_python(const cli_command *command, phx_context *context, int argc, char **argv);
/* What `python3 -m phlexor ARGUMENTS` prints, to be closed by pclose; NULL or empty where it cannot run. */
FILE *cli_ask_python(phx_context *context, const char *arguments);

/* ---- libraries.c ---- */
/* PHX_ERR_LIBRARY when one that is to be loaded cannot be. */
phx_status cli_print_libraries(phx_context *context, bool load, FILE *stream);

#endif
