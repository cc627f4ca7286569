/* phlexor new */
#include "cli.h"
#include "templates.h"

#include "results/results.h"

#include <stdio.h>
#include <string.h>

/* Where the files of a kind go: `output` is the model, others stand beside it with its name in front. */
typedef struct new_files {
    const char *kind, *output;
    size_t folder, stem; /* lengths in `output`: of its folder, of that and its name without the ending */
} new_files;

/* Whether a template belongs to the kind: "imported.yaml", "imported_K.mtx". */
static bool is_of(const phx_embedded *file, const char *kind)
{
    const size_t length = strlen(kind);

    return !strncmp(file->name, kind, length) && (file->name[length] == '.' || file->name[length] == '_');
}

static bool is_model(const phx_embedded *file)
{
    return strstr(file->name, ".yaml") != NULL;
}

bool cli_new_kind(int k, cli_kind *kind)
{
    for (const phx_embedded *file = phx_templates; file->name; file++) {
        const char *line = (const char *)file->bytes + 2; /* behind "# " */
        if (!is_model(file) || k-- > 0)
            continue;
        snprintf(kind->name, sizeof kind->name, "%.*s", (int)strcspn(file->name, "."), file->name);
        snprintf(kind->text, sizeof kind->text, "%.*s", (int)strcspn(line, "\n"), line);
        return true;
    }
    return false;
}

static void list_kinds(void)
{
    cli_kind kind;

    for (int k = 0; cli_new_kind(k, &kind); k++)
        if (cli_messages_are_json())
            cli_say(CLI_NOTE, NULL, "%s: %s", kind.name, kind.text);
        else
            fprintf(stderr, "  %-14s %s\n", kind.name, kind.text);
}

/* Name of the file that a template becomes; false: it is too long. */
static bool name_of(const new_files *files, const phx_embedded *file, size_t size, char *name)
{
    const size_t kind = strlen(files->kind);
    const int length = is_model(file)
                           ? snprintf(name, size, "%s", files->output)
                           : snprintf(name, size, "%.*s%s", (int)files->stem, files->output, file->name + kind);

    return length > 0 && (size_t)length < size;
}

/* The text with the names of the files beside the model in place of those of the templates; phx_free. */
static char *fill_in(phx_context *context, const new_files *files, const phx_embedded *file)
{
    const char *base = files->output + files->folder, *at = (const char *)file->bytes;
    const size_t stem = files->stem - files->folder, kind = strlen(files->kind);
    char *text = phx_calloc(context, 2 * file->size + 40 * (stem + 1), 1), *to = text;

    while (text && *at) {
        if (!strncmp(at, files->kind, kind) && (at[kind] == '_' || !strncmp(at + kind, ".yaml", 5))) {
            memcpy(to, base, stem);
            to += stem;
            at += kind;
        } else {
            *to++ = *at++;
        }
    }
    return text;
}

/* Whether all files of a kind can be written, none of which may be there: -1, or the exit status after a message. */
static int check_files(phx_context *context, const new_files *files)
{
    char name[4096];
    const char *const path = name;
    int code = -1;

    for (const phx_embedded *file = phx_templates; file->name && code < 0; file++) {
        if (!is_of(file, files->kind))
            continue;
        if (!name_of(files, file, sizeof name, name))
            return cli_failed(context, phx_fail(context, PHX_ERR_INPUT, "%s: the name is too long", files->output));
        FILE *there = fopen(name, "r");
        if (there) {
            fclose(there);
            return cli_failed(context, phx_fail(context, PHX_ERR_INPUT,
                                                "%s: it is there already; delete it, or take another name", name));
        }
        code = cli_writable(context, 1, &path);
    }
    return code;
}

/* Writes the files of a kind and says what to do with them. */
static int write_files(phx_context *context, const new_files *files)
{
    char name[4096];
    phx_status status = PHX_OK;

    for (const phx_embedded *file = phx_templates; file->name && !status; file++) {
        if (!is_of(file, files->kind))
            continue;
        char *text = fill_in(context, files, file);
        name_of(files, file, sizeof name, name);
        status = text ? phx_text_write(context, name, text) : PHX_ERR_MEMORY;
        phx_free(text);
    }
    if (status)
        return cli_failed(context, status);
    printf(
        "%s is written. Next:\n  phlexor view %s       the model as a page\n  phlexor simulate %s   its motion; then "
        "phlexor report %.*s.h5\n",
        files->output, files->output, files->output, (int)(files->stem - files->folder), files->output + files->folder);
    return EXIT_DONE;
}

/* phlexor new: writes a commented first model of a kind; the exit status. */
int cli_new(const cli_command *command, phx_context *context, int argc, char **argv)
{
    enum { KINDS = 32 };
    cli_kind kinds[KINDS]; /* the nearest is one of them */
    new_files files = {.kind = NULL};
    char name[sizeof kinds->name + sizeof ".yaml"];
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE", "default: KIND.yaml", &files.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &files.kind, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);
    phx_nearest nearest = phx_nearest_to(files.kind ? files.kind : "");
    bool known = false;

    for (int k = 0; status < 0 && k < KINDS && cli_new_kind(k, &kinds[k]); k++) {
        known = known || !strcmp(kinds[k].name, files.kind);
        phx_nearest_offer(&nearest, kinds[k].name);
    }
    if (status < 0 && !known) {
        status = cli_usage_error(command, "there is no model of kind '%s', the kinds follow%s", files.kind,
                                 phx_nearest_hint(&nearest).text);
        list_kinds();
    }
    if (status < 0 && !files.output) {
        snprintf(name, sizeof name, "%s.yaml", files.kind);
        files.output = name;
    }
    if (status < 0) {
        const char *slash = strrchr(files.output, '/'), *dot = strrchr(files.output, '.');
        files.folder = slash ? (size_t)(slash + 1 - files.output) : 0;
        files.stem = dot && (!slash || dot > slash) ? (size_t)(dot - files.output) : strlen(files.output);
        if (strcspn(files.output + files.folder, ",:#[]{}'\"\\& *!|>%@`") + files.folder < files.stem)
            status = cli_usage_error(
                command, "--output %s: a name of letters, digits, '-' and '_' can stand in a model", files.output);
    }
    if (status < 0)
        status = check_files(context, &files);
    if (status < 0)
        status = write_files(context, &files);
    cli_options_free(&arguments);
    return status;
}
