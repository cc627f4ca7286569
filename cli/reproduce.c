/* phlexor reproduce */
#include "cli.h"

#include "reproduce/reproduce.h"

#include <errno.h>
#include <string.h>

static const char *const default_page = "reproduce.html";

typedef struct reproduce_arguments {
    const char *format, *output, *published;
    bool list;
    cli_list only;
} reproduce_arguments;

static void print_list(void)
{
    for (int k = 0; k < phx_reproduce_items(); k++)
        printf("%-16s %-60s %s\n", phx_reproduce_name(k), phx_reproduce_title(k), phx_reproduce_place(k));
}

/* The value of the option, else the end of the file's name. */
static phx_comparisons_format choose_format(const reproduce_arguments *given)
{
    if (given->format ? !strcmp(given->format, "json") : given->output && cli_ends_with(given->output, ".json"))
        return PHX_COMPARISONS_JSON;
    if (given->format ? !strcmp(given->format, "csv") : given->output && cli_ends_with(given->output, ".csv"))
        return PHX_COMPARISONS_CSV;
    return PHX_COMPARISONS_HTML;
}

static void reproduce_print_summary(const phx_comparisons *page, const char *path)
{
    int items[PHX_VERDICTS] = {0};

    printf("%-16s %-10s %6s %10s %6s\n", "", "", "pass", "explained", "fail");
    for (int k = 0; k < phx_comparisons_items(page); k++) {
        const phx_verdict verdict = phx_comparisons_verdict(page, k);
        items[verdict]++;
        printf("%-16s %-10s %6d %10d %6d\n", phx_comparisons_name(page, k), phx_verdict_name(verdict),
               phx_comparisons_count(page, k, PHX_VERDICT_PASS), phx_comparisons_count(page, k, PHX_VERDICT_EXPLAINED),
               phx_comparisons_count(page, k, PHX_VERDICT_FAIL));
    }
    printf("%d tables and figures: %d pass, %d pass with explained deviations, %d fail: %s\n",
           phx_comparisons_items(page), items[PHX_VERDICT_PASS] + items[PHX_VERDICT_SHOWN],
           items[PHX_VERDICT_EXPLAINED], items[PHX_VERDICT_FAIL], path);
}

/* The text of a file; free with phx_free. */
static phx_status read_text(phx_context *context, const char *path, char **text)
{
    size_t size = 0, room = 0, got = 0;
    FILE *file = fopen(path, "rb");

    *text = NULL;
    if (!file)
        return phx_fail(context, PHX_ERR_INPUT, "%s: cannot read: %s; check the name", path, strerror(errno));
    phx_status status = phx_files_read(context, path);
    if (status) {
        fclose(file);
        return status;
    }
    do {
        errno = 0;
        room = 2 * room + 4096;
        char *grown = phx_realloc(context, *text, room + 1, 1);
        if (!grown)
            break;
        *text = grown;
        got = fread(grown + size, 1, room - size, file);
        size += got;
    } while (size == room);
    const int error = errno;
    const bool complete = *text && size < room && !ferror(file);
    fclose(file);
    if (complete) {
        (*text)[size] = '\0';
        return PHX_OK;
    }
    phx_free(*text);
    *text = NULL;
    return phx_fail(context, PHX_ERR_INPUT, "%s: cannot read: %s", path, strerror(error ? error : EIO));
}

static int reproduce(phx_context *context, const reproduce_arguments *given)
{
    const phx_comparisons_format format = choose_format(given);
    const char *path = given->output ? given->output : format == PHX_COMPARISONS_HTML ? default_page : "-";
    phx_reproduce_options options = phx_reproduce_options_default();
    phx_comparisons *page = NULL;
    char *published = NULL;
    int status = -1;

    options.n_only = given->only.count;
    options.only = given->only.count > 0 ? given->only.items : NULL;
    phx_status result = given->published ? read_text(context, given->published, &published) : PHX_OK;
    options.published = published;
    status = result ? -1 : cli_writable(context, 1, &path);
    if (status >= 0) {
        phx_free(published);
        return status;
    }
    if (!result)
        result = phx_reproduce(context, &options, &page);
    cli_progress_done();
    if (!result)
        result = phx_comparisons_write(page, format, path);
    if (result)
        status = cli_failed(context, result);
    else
        status = phx_comparisons_verdict(page, -1) == PHX_VERDICT_FAIL ? EXIT_FAILED : EXIT_DONE;
    if (!result && strcmp(path, "-") != 0)
        reproduce_print_summary(page, path);
    phx_comparisons_destroy(page);
    phx_free(published);
    return status;
}

int cli_reproduce(const cli_command *command, phx_context *context, int argc, char **argv)
{
    reproduce_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE", "the page; default: reproduce.html; '-' is standard output",
         &given.output},
        {"--only", 0, OPTION_LIST, "NAME", "this table or figure; may be repeated", &given.only},
        {"--format", 0, OPTION_CHOICE, "html|json|csv", "default: what the name of FILE ends with, else html",
         &given.format},
        {"--published", 0, OPTION_TEXT, "TABLE.csv", "another table of published values", &given.published},
        {"--list", 0, OPTION_FLAG, NULL, "only list the tables and figures", &given.list},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 0, NULL, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0 && given.list) {
        print_list();
        status = EXIT_DONE;
    } else if (status < 0) {
        status = reproduce(context, &given);
    }
    cli_options_free(&arguments);
    return status;
}
