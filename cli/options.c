/* Options of the command line: reading, help. */
#include "cli.h"
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *cli_nearest(const char *wrong, const char *const *words)
{
    phx_nearest nearest = phx_nearest_to(wrong);

    for (; *words; words++)
        phx_nearest_offer(&nearest, *words);
    return phx_nearest_word(&nearest);
}

/* ---- help ---- */
static void print_option(const char *name, char letter, const char *value, const char *doc)
{
    char left[80];

    if (letter && !name)
        snprintf(left, sizeof left, "-%c%s%s", letter, value ? " " : "", value ? value : "");
    else if (letter)
        snprintf(left, sizeof left, "-%c, %s%s%s", letter, name, value ? " " : "", value ? value : "");
    else
        snprintf(left, sizeof left, "%s%s%s", name, value ? " " : "", value ? value : "");
    if (strlen(left) > 26)
        printf("  %s\n  %-26s  %s\n", left, "", doc);
    else
        printf("  %-26s  %s\n", left, doc);
}

static void print_help(const cli_command *command, const cli_arguments *arguments)
{
    printf("Usage: phlexor %s %s%s[OPTION]...\n\n%s.\n", command->name, command->arguments,
           command->arguments[0] ? " " : "", command->doc);
    if (command->details)
        fputs(command->details, stdout);
    fputs("\nOptions:\n", stdout);
    for (int k = 0; cli_option_at(arguments, k); k++) {
        const cli_option *option = cli_option_at(arguments, k);
        print_option(option->name, option->letter, option->value, option->doc);
    }
    print_option("--help", 'h', NULL, "this text");
}

/* ---- reading ---- */
static int unknown_option(const cli_command *command, const cli_arguments *arguments, const char *word)
{
    const char *words[64] = {"--help"};
    char name[64];
    int n = 1;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (int k = 0; cli_option_at(arguments, k) && n < 62; k++)
        words[n++] = cli_option_at(arguments, k)->name;
    const char *nearest = cli_nearest(name, words);
    return nearest ? cli_usage_error(command, "unknown option '%s'; did you mean '%s'?", name, nearest)
                   : cli_usage_error(command, "unknown option '%s'", name);
}

const cli_option *cli_find_option(const cli_arguments *arguments, const char *word, size_t length)
{
    for (int k = 0; cli_option_at(arguments, k); k++) {
        const cli_option *option = cli_option_at(arguments, k);
        if (strlen(option->name) == length && !strncmp(option->name, word, length))
            return option;
        if (length == 2 && word[0] == '-' && option->letter && word[1] == option->letter)
            return option;
    }
    return NULL;
}

static bool is_choice(const char *choices, const char *value)
{
    const size_t length = strlen(value);
    for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
        if (strcspn(c, "|") == length && !strncmp(c, value, length))
            return true;
    return false;
}

static int set_count(const cli_command *command, const cli_option *option, const char *value)
{
    char *end = NULL;
    errno = 0;
    const long number = strtol(value, &end, 10);

    if (end == value || *end || errno || number < 1 || number > 1000000)
        return cli_usage_error(command, "%s: expected a whole number from 1 to 1000000, found '%s'", option->name,
                               value);
    *(int *)option->target = (int)number;
    return -1;
}

/* Endings of what --output writes, where the placeholder of its value does not say them: "X.h5" does. */
static const struct {
    const char *command, *endings;
} formats[] = {{"simulate", ".h5 or .csv"},
               {"modes", ".h5, .csv, .xlsx, .json or .txt"},
               {"static", ".h5, .csv or .json"},
               {"linearize", ".mat, .h5, .json, or _mtx for a folder"},
               {"titop", ".mat, .h5, .json, or _mtx for a folder"},
               {"compare", ".txt, .csv or .json"},
               {"stress", ".txt, .csv or .json"},
               {"plot", ".svg, .pdf or .png"},
               {"reproduce", ".html, .csv or .json"}};

static const char *endings_of(const cli_command *command, const cli_option *option)
{
    const char *dot = strchr(option->value, '.');

    for (size_t k = 0; k < sizeof formats / sizeof *formats && !strcmp(option->name, "--output"); k++)
        if (!strcmp(formats[k].command, command->name))
            return formats[k].endings;
    return dot ? dot : "";
}

/* A file whose name has an ending has one of those that the option is for: what is written goes by it. */
static int check_ending(const cli_command *command, const cli_option *option, const char *value)
{
    const char *endings = endings_of(command, option);
    bool fits = !endings[0] || !cli_ending(value);
    char one[16];

    for (const char *e = endings; *e && !fits; e += strcspn(e, " "), e += strspn(e, " ")) {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(e, " ,"), e);
        fits = one[0] == '.' && cli_ends_with(value, one);
    }
    return fits ? -1
                : cli_usage_error(command, "%s %s: unknown ending '.%s', expected %s", option->name, value,
                                  cli_ending(value), endings);
}

/* Stores a value of an option in its target; -1, or a usage error if the value is empty or none of the choices. */
static int set_option(const cli_command *command, const cli_option *option, const char *value)
{
    cli_list *list = option->target;

    switch (option->kind) {
    case OPTION_COUNT:
        return set_count(command, option, value);
    case OPTION_CHOICE:
        if (!is_choice(option->value, value))
            return cli_usage_error(command, "%s: expected one of %s, found '%s'", option->name, option->value, value);
        *(const char **)option->target = value;
        return -1;
    case OPTION_LIST:
        list->items[list->count++] = value;
        return -1;
    case OPTION_FLAG:
        *(bool *)option->target = true;
        return -1;
    default:
        if (!value[0] && strcmp(option->value, "TEXT") != 0) /* an empty title is none */
            return cli_usage_error(command, "%s: its value is empty", option->name);
        *(const char **)option->target = value;
        return check_ending(command, option, value);
    }
}

/* Answers the completion of a shell instead of running the command; -1: nothing was asked. */
static int answer_shell(const cli_command *command, phx_context *context, const cli_arguments *arguments, int argc,
                        char **argv)
{
    if (argc == 1 && !strcmp(argv[0], "--tables"))
        return cli_print_tables(command, arguments);
    if (argc >= 4 && !strcmp(argv[0], "--complete")) /* --complete INDEX COMMAND WORD... */
        return cli_complete(command, context, arguments, atoi(argv[1]) - 1, argc - 3, argv + 3);
    return -1;
}

/* An option at argv[*k], its value behind '=' or in the next argument; *k moves to the last one used. */
static int read_option(const cli_command *command, const cli_arguments *arguments, int argc, char **argv, int *k)
{
    const char *word = argv[*k];
    const size_t length = word[1] == '-' ? strcspn(word, "=") : 2;
    const cli_option *option = cli_find_option(arguments, word, length);
    const char *value = NULL;

    if (!option)
        return unknown_option(command, arguments, word);
    if (word[length])
        value = word + length + (word[1] == '-' ? 1 : 0); /* --end=1, -oFILE */
    if (option->kind == OPTION_FLAG)
        return value ? cli_usage_error(command, "%s takes no value, found '%s'", option->name, value)
                     : set_option(command, option, "");
    if (!value && *k + 1 < argc)
        value = argv[++*k];
    else if (!value)
        return cli_usage_error(command, "%.*s needs a value: %.*s %s", (int)length, word, (int)length, word,
                               option->value);
    if (!strncmp(value, "--", 2) && cli_find_option(arguments, value, strcspn(value, "=")))
        return cli_usage_error(command, "%.*s needs a value: %.*s %s; found the option '%s'", (int)length, word,
                               (int)length, word, option->value, value);
    return set_option(command, option, value);
}

static int prepare_list(phx_context *context, cli_list *list, int argc)
{
    *list = (cli_list){.items = phx_calloc(context, (size_t)argc + 1, sizeof *list->items)};
    return list->items ? -1 : cli_failed(context, PHX_ERR_MEMORY);
}

static int prepare_lists(phx_context *context, const cli_arguments *arguments, int argc)
{
    int status = arguments->more ? prepare_list(context, arguments->more, argc) : -1;

    for (int k = 0; k < arguments->n_options && status < 0; k++)
        if (arguments->options[k].kind == OPTION_LIST)
            status = prepare_list(context, arguments->options[k].target, argc);
    return status;
}

/* Reads the words of a command into the targets of its options and its places; -1 to go on, else the exit status
 * after help, completion or a usage error. */
int cli_parse(const cli_command *command, phx_context *context, const cli_arguments *arguments, int argc, char **argv)
{
    bool options_end = false;
    int found = 0, status = answer_shell(command, context, arguments, argc, argv);

    if (status < 0)
        status = prepare_lists(context, arguments, argc);
    for (int k = 0; k < argc && status < 0; k++) {
        const char *word = argv[k];
        if (!options_end && !strcmp(word, "--")) {
            options_end = true;
        } else if (!options_end && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
            print_help(command, arguments);
            return EXIT_DONE;
        } else if (!options_end && word[0] == '-' && word[1]) {
            status = read_option(command, arguments, argc, argv, &k);
        } else if (arguments->more) {
            arguments->more->items[found++] = word;
            arguments->more->count = found;
        } else if (found == arguments->wanted) {
            status = cli_usage_error(command, "unexpected argument '%s'", word);
        } else {
            arguments->places[found++] = word;
        }
    }
    if (status < 0 && found < arguments->wanted)
        status = cli_usage_error(command, "%s is missing", command->arguments);
    return status;
}

void cli_options_free(const cli_arguments *arguments)
{
    if (arguments->more)
        phx_free((void *)arguments->more->items);
    for (int k = 0; k < arguments->n_options; k++)
        if (arguments->options[k].kind == OPTION_LIST)
            phx_free((void *)((cli_list *)arguments->options[k].target)->items);
}

/* ---- lists ---- */
int cli_split(const cli_command *command, phx_context *context, const char *option, const char *text, cli_words *words)
{
    size_t most = 1;
    int status = -1;

    *words = (cli_words){0};
    if (!text)
        return -1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    const char **list = phx_calloc(context, most, sizeof *list);
    words->words = list;
    words->text = phx_strdup(context, text);
    if (!list || !words->text)
        return cli_failed(context, PHX_ERR_MEMORY);
    for (char *word = words->text, *next; word && status < 0; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (!*word)
            status = cli_usage_error(command, "%s: a word of the list '%s' is empty", option, text);
        list[words->count++] = word;
    }
    return status;
}

void cli_words_free(cli_words *words)
{
    phx_free((void *)words->words);
    phx_free(words->text);
}

int cli_read_number(const cli_command *command, const char *option, const char *text, double *value)
{
    char *end = NULL;
    if (!text)
        return -1;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value))
        return cli_usage_error(command, "%s: expected a number, found '%s'", option, text);
    return -1;
}
