/* Completion for shells: the words that fit at a place of the command line, and the tables of options. Both read the
 * tables by which the options are parsed, so that they hold for every option there is.
 *
 * `phlexor --complete INDEX COMMAND WORD...` prints what fits in place of word INDEX, COMMAND being word 0: a line for
 * each candidate, with a tab and its meaning behind it, or one line for files:
 *
 *     :files .yaml .yml     files with these endings; without endings any file
 *     :folders
 *
 * `phlexor --tables` prints, with tabs between the fields, for each command
 *
 *     command  NAME  ARGUMENTS  MEANING
 *     details  NAME  LINE                                        for each line of them
 *     option   NAME  --OPTION  LETTER  VALUE  MEANING  HOW       HOW: how its value is completed */
#include "offers.h"

#include <stdlib.h>
#include <string.h>

/* ---- how values are completed ---- */
typedef enum value_form { FORM_FREE, FORM_WORD, FORM_LIST } value_form;

/* The placeholder of a value in the help says how it is completed; the first row that fits holds. "X.h5" needs no row:
 * it is a file with this ending, nor does "a|b|c". */
static const struct value_kind {
    const char *command, *option; /* NULL: any */
    const char *value;
    const char *directive; /* ":files ...", ":folders" */
    offer_fn *offer;
    value_form form;
} kinds[] = {
    {"new", NULL, "KIND", NULL, offer_kinds, FORM_WORD},
    {"new", NULL, "FILE", ":files .yaml .yml", NULL, FORM_FREE},
    {"fmu", NULL, "MODEL", ":files .yaml .yml .fmu", NULL, FORM_FREE},
    {"fmu", "--identifier", "NAME", NULL, NULL, FORM_FREE},
    {"fmu", "--inputs", "LIST", NULL, offer_model_inputs, FORM_LIST},
    {"fmu", "--outputs", "LIST", NULL, offer_model_outputs, FORM_LIST},
    {"fmu", "--parameters", "LIST", NULL, offer_parameter_names, FORM_LIST},
    {NULL, NULL, "MODEL", ":files .yaml .yml", NULL, FORM_FREE},
    {"sensitivity", NULL, "OBJECTIVE", NULL, NULL, FORM_FREE},
    {"sensitivity", NULL, "NAMES", NULL, offer_parameter_names, FORM_LIST},
    {"identify", NULL, "FILE", ":files .csv", NULL, FORM_FREE},
    {"plot", "--output", "FILE", ":files", NULL, FORM_FREE},
    {"plot", NULL, "FILE...", ":files .h5 .csv .yaml .yml", NULL, FORM_FREE},
    {"plot", "--columns", "LIST", NULL, offer_columns, FORM_LIST},
    {"plot", "--matrices", "LIST", NULL, offer_matrices, FORM_LIST},
    {"plot", NULL, "COLUMN", NULL, offer_columns, FORM_WORD},
    {"plot", NULL, "NUMBER", NULL, NULL, FORM_FREE},
    {"plot", NULL, "LENGTH", NULL, NULL, FORM_FREE},
    {"plot", NULL, "WIDTHxHEIGHT", NULL, NULL, FORM_FREE},
    {"plot", NULL, "POINTS", NULL, NULL, FORM_FREE},
    {"plot", NULL, "TEXT", NULL, NULL, FORM_FREE},
    {"plot", NULL, "X,Y", NULL, NULL, FORM_FREE},
    {"compare", "--output", "FILE", ":files", NULL, FORM_FREE},
    {"compare", NULL, "FILE...", ":files .h5 .csv", NULL, FORM_FREE},
    {"compare", NULL, "LIST", NULL, offer_columns, FORM_LIST},
    {"compare", NULL, "NUMBER", NULL, NULL, FORM_FREE},
    {NULL, NULL, "COLUMN=OUTPUT", NULL, NULL, FORM_FREE},
    {"stress", NULL, "FILE", ":files .h5", NULL, FORM_FREE},
    {"stress", NULL, "NAME", NULL, NULL, FORM_FREE},
    {"loads", NULL, "RESULT", ":files .h5", NULL, FORM_FREE},
    {"loads", NULL, "TIME", NULL, NULL, FORM_FREE},
    {"export", NULL, "FILE", ":files .h5 .csv .yaml .yml", NULL, FORM_FREE},
    {"report", NULL, "FILE...", ":files .h5", NULL, FORM_FREE},
    {"import", NULL, "FILE...", ":files", NULL, FORM_FREE},
    {"import", NULL, "UNIT=VALUE", NULL, NULL, FORM_FREE},
    {"import", NULL, "NAME=DIR", NULL, NULL, FORM_FREE},
    {"import", NULL, "LINK[=OUTER,INNER[,MATERIAL]]|all", NULL, NULL, FORM_FREE},
    {"import", NULL, "TEXT", NULL, NULL, FORM_FREE},
    {NULL, NULL, "FILE", ":files", NULL, FORM_FREE},
    {"export", "--output", "NAME", ":files", NULL, FORM_FREE},
    {"simulate", NULL, "I/N", NULL, NULL, FORM_FREE},
    {"merge", NULL, "TABLE...", ":files .csv", NULL, FORM_FREE},
    {"merge", "--output", "TABLE.csv", ":files .csv", NULL, FORM_FREE},
    {"reproduce", "--only", "NAME", NULL, offer_reproductions, FORM_WORD},
    {"film", NULL, "RESULT", ":files .h5 .html", NULL, FORM_FREE},
    {"film", NULL, "FILM", ":files .mp4 .webm .gif .png", NULL, FORM_FREE},
    {"film", NULL, "VIEW", NULL, NULL, FORM_FREE},
    {"film", NULL, "QUANTITY", NULL, NULL, FORM_FREE},
    {"film", NULL, "RATE", NULL, NULL, FORM_FREE},
    {"film", NULL, "X", NULL, NULL, FORM_FREE},
    {"film", NULL, "TEXT", NULL, NULL, FORM_FREE},
    {"film", NULL, "WIDTHxHEIGHT", NULL, NULL, FORM_FREE},
    {"film", "--plots", "LIST", NULL, offer_columns, FORM_LIST},
    {NULL, NULL, "FOLDER", ":folders", NULL, FORM_FREE},
    {NULL, NULL, "NAME=VALUE", NULL, offer_parameters, FORM_WORD},
    {NULL, NULL, "NAME=FROM:TO:COUNT", NULL, offer_parameters, FORM_WORD},
    {NULL, NULL, "INTEGRATOR", NULL, offer_integrators, FORM_WORD},
    {NULL, NULL, "BODY", NULL, offer_bodies, FORM_WORD},
    {NULL, NULL, "PLACE", NULL, offer_points, FORM_WORD},
    {NULL, NULL, "PORT", NULL, offer_ports, FORM_WORD},
    {NULL, NULL, "PORTS", NULL, offer_ports, FORM_LIST},
    {"plot", "--inputs", "LIST", NULL, offer_inputs, FORM_LIST},
    {"plot", "--outputs", "LIST", NULL, offer_outputs, FORM_LIST},
    {"linearize", "--inputs", "LIST", NULL, offer_model_inputs, FORM_LIST},
    {"linearize", "--outputs", "LIST", NULL, offer_model_outputs, FORM_LIST},
    {"simulate", "--accuracy-of", "LIST", NULL, NULL, FORM_FREE},
    {"linearize", NULL, "CONTROLLER", NULL, NULL, FORM_FREE},
    {"linearize", "--points", "LIST", NULL, NULL, FORM_FREE},
    {"linearize", "--lft", "LIST", NULL, offer_parameter_names, FORM_LIST},
    {"linearize", "--lft-degree", "LIST", NULL, NULL, FORM_FREE},
    {"linearize", NULL, "FROM:TO", NULL, NULL, FORM_FREE},
    {"linearize", NULL, "ZETA", NULL, NULL, FORM_FREE},
    {NULL, NULL, "E", NULL, NULL, FORM_FREE},
    {"titop", "--inputs", "LIST", NULL, offer_body_inputs, FORM_LIST},
    {"titop", "--outputs", "LIST", NULL, offer_body_outputs, FORM_LIST},
    {"titop", "--invert", "LIST", NULL, offer_body_channels, FORM_LIST},
    {NULL, NULL, "N", NULL, NULL, FORM_FREE},
    {NULL, NULL, "T", NULL, NULL, FORM_FREE},
    {NULL, NULL, "FACTOR", NULL, NULL, FORM_FREE},
    {NULL, NULL, "D", NULL, NULL, FORM_FREE},
    {NULL, NULL, "H", NULL, NULL, FORM_FREE},
    {NULL, NULL, "R", NULL, NULL, FORM_FREE},
    {NULL, NULL, "A", NULL, NULL, FORM_FREE},
};

static const struct value_kind *kind_of(const cli_command *command, const char *option, const char *value,
                                        size_t length)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct value_kind *kind = &kinds[k];
        if ((!kind->command || !strcmp(kind->command, command->name)) &&
            (!kind->option || (option && !strcmp(kind->option, option))) && strlen(kind->value) == length &&
            !strncmp(kind->value, value, length))
            return kind;
    }
    return NULL;
}

static void offer_choices(const place *at, const char *choices)
{
    char word[64];

    for (const char *c = choices; *c; c += c[strcspn(c, "|")] ? strcspn(c, "|") + 1 : strlen(c)) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(c, "|"), c);
        offer(at, word, "", "");
    }
}

/* A value that stands as `value` in the help (`length` characters of it); option NULL: an argument. */
static void offer_value(place *at, const char *option, const char *value, size_t length)
{
    const struct value_kind *kind = kind_of(at->command, option, value, length);
    const char *comma = kind && kind->form == FORM_LIST ? strrchr(at->typed, ',') : NULL;

    if (comma) {
        at->before_length = (int)(comma + 1 - at->before);
        at->typed = comma + 1;
    }
    if (kind && kind->directive)
        puts(kind->directive);
    else if (kind && kind->offer)
        kind->offer(at);
    else if (!kind && memchr(value, '.', length))
        printf(":files %.*s\n", (int)(length - strcspn(value, ".")), value + strcspn(value, "."));
}

static void offer_option_value(place *at, const cli_option *option)
{
    if (option->kind == OPTION_CHOICE)
        offer_choices(at, option->value);
    else
        offer_value(at, option->name, option->value, strlen(option->value));
}

/* ---- the command line ---- */
static bool was_given(const cli_option *option, int index, int n, char **words)
{
    for (int k = 0; k < n; k++)
        if (k != index && !strncmp(words[k], option->name, strlen(option->name)) &&
            strchr("=", words[k][strlen(option->name)]))
            return option->kind != OPTION_LIST;
    return false;
}

static void offer_options(const place *at, const cli_arguments *arguments, int index, int n, char **words)
{
    for (int k = 0; cli_option_at(arguments, k); k++) {
        const cli_option *option = cli_option_at(arguments, k);
        if (!was_given(option, index, n, words))
            offer(at, option->name, "", option->doc);
    }
    offer(at, "--help", "", "what the command does");
}

/* The word at the place: an option, with a value or without, or an argument, the found-th. */
static void complete_word(place *at, const cli_arguments *arguments, int found, int index, int n, char **words)
{
    const size_t name = strcspn(at->typed, "=");
    const cli_option *option = at->typed[0] == '-' ? cli_find_option(arguments, at->typed, name) : NULL;

    if (option && at->typed[name] && option->kind != OPTION_FLAG) {
        at->before_length = (int)name + 1;
        at->typed += name + 1;
        offer_option_value(at, option);
        return;
    }
    if (at->typed[0] == '-' || (found >= arguments->wanted && !arguments->more)) {
        offer_options(at, arguments, index, n, words);
        return;
    }
    const char *argument = at->command->arguments;
    for (int k = 0; k < found && !arguments->more; k++)
        argument += strcspn(argument, " ") + strspn(argument + strcspn(argument, " "), " ");
    offer_value(at, NULL, argument, strcspn(argument, " "));
}

/* Prints completions of words[index]: values of the option before it, else options or files that the command accepts
 * there. */
int cli_complete(const cli_command *command, phx_context *context, const cli_arguments *arguments, int index, int n,
                 char **words)
{
    place at = {.context = context, .command = command};
    const cli_option *wants_value = NULL, *asked = NULL;
    int found = 0, found_before = 0;

    if (index < 0 || index >= n)
        return EXIT_USAGE;
    phx_context_set_log(context, NULL, NULL);
    for (int k = 0; k < n; k++) {
        const char *word = words[k];
        const bool is_option = word[0] == '-' && word[1];
        if (k == index) {
            asked = wants_value;
            found_before = found;
        }
        if (wants_value) {
            at.body = strcmp(wants_value->name, "--body") ? at.body : word;
            wants_value = NULL;
        } else if (is_option) {
            const cli_option *option = cli_find_option(arguments, word, strlen(word));
            wants_value = option && option->kind != OPTION_FLAG ? option : NULL;
        } else if (k != index) {
            at.path = found++ == 0 ? word : at.path;
        }
    }
    at.before = at.typed = words[index];
    if (asked)
        offer_option_value(&at, asked);
    else
        complete_word(&at, arguments, found_before, index, n, words);
    return EXIT_DONE;
}

/* ---- the tables ---- */
static const char *how_completed(const cli_command *command, const cli_option *option)
{
    if (option->kind == OPTION_FLAG)
        return "none";
    if (option->kind == OPTION_CHOICE)
        return "words";
    const struct value_kind *kind = kind_of(command, option->name, option->value, strlen(option->value));
    if (!kind)
        return strchr(option->value, '.') ? "files" : "unknown";
    return kind->directive ? kind->directive + 1 : kind->offer ? "words" : "free";
}

/* Prints name, details and options of the command as lines of tab-separated fields, from which man pages are made. */
int cli_print_tables(const cli_command *command, const cli_arguments *arguments)
{
    const char *line = command->details ? command->details : "";

    printf("command\t%s\t%s\t%s\n", command->name, command->arguments, command->doc);
    for (size_t length; *line; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        printf("details\t%s\t%.*s\n", command->name, (int)length, line);
    }
    for (int k = 0; cli_option_at(arguments, k); k++) {
        const cli_option *option = cli_option_at(arguments, k);
        const char letter[2] = {option->letter, '\0'};
        printf("option\t%s\t%s\t%s\t%s\t%s\t%s\n", command->name, option->name, letter,
               option->value ? option->value : "", option->doc, how_completed(command, option));
    }
    return EXIT_DONE;
}
