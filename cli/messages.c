/* Messages on standard error: as text, or with --messages json as one JSON object a line. Nothing here allocates:
 * memory may be what is out. */
#include "cli.h"

#include "results/results.h"

#include <ctype.h>
#include <string.h>

static const char *form = "text";
static const cli_option messages_option = {
    "--messages", 0, OPTION_CHOICE, "text|json", "errors and warnings on stderr: json is an object a line", &form};

const cli_option *cli_option_at(const cli_arguments *arguments, int k)
{
    return k < arguments->n_options ? &arguments->options[k] : k == arguments->n_options ? &messages_option : NULL;
}

void cli_look_for_messages(int argc, char **argv)
{
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (!strcmp(argv[k], "--messages=json") ||
            (!strcmp(argv[k], "--messages") && k + 1 < argc && !strcmp(argv[k + 1], "json")))
            form = "json";
}

bool cli_messages_are_json(void)
{
    return !strcmp(form, "json");
}

const char *cli_code_of(phx_status status)
{
    switch (status) {
#define CODE_CASE(name, value, text)                                                                                   \
    case name:                                                                                                         \
        return #name;
        PHX_STATUS_LIST(CODE_CASE)
#undef CODE_CASE
    }
    return NULL;
}

/* ---- parts of a message ---- */
typedef struct place_of_message {
    size_t file; /* length of the file's name, with which the message begins */
    int line, column;
} place_of_message;

/* Splits "FILE:LINE:COLUMN: TEXT" or "FILE:LINE: TEXT". Returns the text, which is the whole message without a place.
 */
static const char *split_place(const char *message, place_of_message *at)
{
    for (const char *colon = strchr(message, ':'); colon && colon[1] != ' '; colon = strchr(colon + 1, ':')) {
        int length = 0;

        *at = (place_of_message){.file = (size_t)(colon - message)};
        sscanf(colon, ":%9d:%9d: %n", &at->line, &at->column, &length);
        if (length == 0) {
            at->column = 0;
            sscanf(colon, ":%9d: %n", &at->line, &length);
        }
        if (length > 0)
            return colon + length;
    }
    *at = (place_of_message){0};
    return message;
}

/* Length of the remedy: what follows the question for a word, a list of all keys, is no part of it. */
static size_t remedy_length(const char *remedy)
{
    return strncmp(remedy, "did you mean", 12) ? strlen(remedy) : strcspn(remedy, "?") + 1;
}

/* The remedy of a message is the rest of it from the first verb after a semicolon; NULL if absent. */
static const char *find_remedy(const char *text)
{
    static const char *const verbs[] = {
        "act",      "add",        "ask",    "begin",   "build",  "call",    "check",     "choose",
        "combine",  "connect",    "copy",   "correct", "create", "delete",  "did",       "eliminate",
        "exchange", "export",     "free",   "give",    "hold",   "install", "keep",      "leave",
        "let",      "linearise",  "make",   "measure", "name",   "open",    "prescribe", "quote",
        "reduce",   "regularise", "remove", "rename",  "reset",  "run",     "save",      "say",
        "set",      "simulate",   "start",  "take",    "try",    "turn",    "use",       "write"};

    for (const char *s = strstr(text, "; "); s; s = strstr(s + 2, "; "))
        for (size_t k = 0; k < sizeof verbs / sizeof *verbs; k++) {
            const size_t length = strlen(verbs[k]);
            if (!strncmp(s + 2, verbs[k], length) && s[2 + length] == ' ')
                return s + 2;
        }
    return NULL;
}

/* ---- printing ---- */
static void put_text_field(const char *key, const char *text, size_t length)
{
    const char *const end = text + length;
    char character[PHX_JSON_SIZE];

    fprintf(stderr, ", \"%s\": \"", key);
    while (text < end) {
        text = phx_json_next(text, character);
        fputs(character, stderr);
    }
    fputc('"', stderr);
}

static void put_number_field(const char *key, int number)
{
    if (number > 0)
        fprintf(stderr, ", \"%s\": %d", key, number);
}

/* Prints the code in lowercase letters, without the prefix of the library: PHX_ERR_INPUT is "input". */
static void put_code(const char *code)
{
    for (size_t k = 0; k < 2; k++) {
        const char *const prefix = k == 0 ? "PHX_" : "ERR_";
        code += strncmp(code, prefix, 4) ? 0 : 4;
    }
    fputs(", \"code\": \"", stderr);
    for (; *code; code++)
        fputc(tolower((unsigned char)*code), stderr);
    fputc('"', stderr);
}

/* Prints one message. `code` and `help`, a line that follows the text and is the remedy of a message without one, may
 * be NULL. */
void cli_put_message(cli_severity severity, const char *code, const char *message, const char *help)
{
    static const char *const names[] = {"error", "warning", "note"};
    place_of_message at;

    if (!cli_messages_are_json()) {
        fprintf(stderr, "phlexor: %s%s\n", severity == CLI_WARNING ? "warning: " : "", message);
        if (help)
            fprintf(stderr, "%s.\n", help);
        return;
    }
    const char *const text = split_place(message, &at), *const remedy = find_remedy(text);
    fprintf(stderr, "{\"severity\": \"%s\"", names[severity]);
    if (code)
        put_code(code);
    if (at.file > 0)
        put_text_field("file", message, at.file);
    put_number_field("line", at.line);
    put_number_field("column", at.column);
    put_text_field("message", text, strlen(text));
    if (remedy || help)
        put_text_field("remedy", remedy ? remedy : help, remedy ? remedy_length(remedy) : strlen(help));
    fputs("}\n", stderr);
}
