/* phlexor plot */
#include "cli.h"

#include <phlexor/results.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct plot_arguments {
    const char *file, *output, *format, *title, *measured, *map;
    cli_list files;
    const char *against, *over, *from, *to, *logarithmic;
    const char *inputs, *outputs, *matrices, *plane;
    const char *size, *width, *font_size, *dpi;
    cli_list columns, set;
    bool spectrum, motion, poles, nyquist, nichols, decibels, spy, grey, difference;
} plot_arguments;

static const double COLUMN = 84.0, PAGE = 174.0; /* mm: a column and both of a page of two */

/* ---- numbers ---- */

/* Millimetres in the unit that the text is; 0: it is none. */
static double plot_unit_of(const char *text)
{
    static const struct {
        const char *name;
        double mm;
    } units[] = {{"", 1.0}, {"mm", 1.0}, {"cm", 10.0}, {"in", 25.4}, {"pt", 25.4 / 72.0}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (!strcmp(text, units[k].name))
            return units[k].mm;
    return 0.0;
}

static int read_width(const cli_command *command, const char *text, phx_page *page)
{
    char *end = NULL;
    if (!text)
        return -1;
    page->width = !strcmp(text, "column") ? COLUMN : !strcmp(text, "page") ? PAGE : strtod(text, &end);
    page->width *= end ? plot_unit_of(end) : 1.0;
    if (!(page->width > 0.0) || !isfinite(page->width))
        return cli_usage_error(command, "--width: expected 'column', 'page' or a length such as 84mm, found '%s'",
                               text);
    return -1;
}

/* WIDTHxHEIGHT and a unit for both. */
static int read_size(const cli_command *command, const char *text, phx_page *page)
{
    char *cross = NULL, *end = NULL;
    if (!text)
        return -1;
    page->width = strtod(text, &cross);
    page->height = *cross == 'x' ? strtod(cross + 1, &end) : 0.0;
    const double unit = end ? plot_unit_of(end) : 0.0;
    page->width *= unit;
    page->height *= unit;
    if (!(page->width > 0.0 && page->height > 0.0) || !isfinite(page->width) || !isfinite(page->height))
        return cli_usage_error(command, "--size: expected WIDTHxHEIGHT such as 84x60 or 84x60mm, found '%s'", text);
    return -1;
}

/* ---- what to draw ---- */

/* One picture at a time, and the options that go with it. */
static int choose_kind(const cli_command *command, const plot_arguments *given, phx_plot_options *options)
{
    const struct {
        bool is;
        const char *name;
        phx_plot_kind kind;
    } kinds[] = {{given->motion, "--motion", PHX_PLOT_MOTION},
                 {given->poles, "--poles", PHX_PLOT_POLES},
                 {given->nyquist, "--nyquist", PHX_PLOT_NYQUIST},
                 {given->nichols, "--nichols", PHX_PLOT_NICHOLS},
                 {given->spy, "--spy", PHX_PLOT_SPY},
                 {given->spectrum, "--spectrum", PHX_PLOT_SPECTRUM},
                 {given->columns.count && !given->spectrum, "--columns", PHX_PLOT_COLUMNS},
                 {(given->inputs || given->outputs) && !given->nyquist && !given->nichols, "--inputs and --outputs",
                  PHX_PLOT_ALL}};
    const char *first = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!kinds[k].is)
            continue;
        if (first)
            return cli_usage_error(command, "%s and %s draw different pictures; give only one of them", first,
                                   kinds[k].name);
        first = kinds[k].name;
        options->kind = kinds[k].kind;
    }
    if ((given->files.count > 1 || given->measured) && options->kind != PHX_PLOT_ALL &&
        options->kind != PHX_PLOT_COLUMNS)
        return cli_usage_error(command, "%s draws one file", first);
    if (given->difference && ((given->files.count < 2 && !given->measured) || given->against))
        return cli_usage_error(command, "--difference needs a second FILE or --with, and time along x");
    if (given->spectrum && !given->columns.count)
        return cli_usage_error(command, "--spectrum needs columns: --columns LIST --spectrum");
    if (given->over && ((options->kind != PHX_PLOT_ALL && options->kind != PHX_PLOT_COLUMNS) || given->against ||
                        given->inputs || given->outputs))
        return cli_usage_error(command, "--over draws a map; it goes with --columns alone");
    if (given->against && options->kind != PHX_PLOT_COLUMNS)
        return cli_usage_error(command, "--against needs --columns; it names the column along x");
    if (given->logarithmic && options->kind != PHX_PLOT_COLUMNS && options->kind != PHX_PLOT_SPECTRUM)
        return cli_usage_error(command, "--log needs --columns");
    if (given->plane && options->kind != PHX_PLOT_MOTION)
        return cli_usage_error(command, "--plane needs --motion");
    if ((given->from || given->to) && (given->poles || given->spy))
        return cli_usage_error(command, "--from and --to apply only to pictures over time, a parameter or frequency");
    if ((given->matrices || given->set.count) && options->kind != PHX_PLOT_SPY)
        return cli_usage_error(command, "%s needs --spy", given->matrices ? "--matrices" : "--set");
    return -1;
}

/* Reads kind, ranges, page, scales, plane and columns of a picture; -1, or a usage error. */
static int read_options(const cli_command *command, const plot_arguments *given, phx_plot_options *options)
{
    int status = choose_kind(command, given, options);
    if (status < 0)
        status = cli_read_number(command, "--from", given->from, &options->from);
    if (status < 0)
        status = cli_read_number(command, "--to", given->to, &options->to);
    if (status < 0)
        status = read_width(command, given->width, &options->page);
    if (status < 0)
        status = read_size(command, given->size, &options->page);
    if (status < 0)
        status = cli_read_number(command, "--font-size", given->font_size, &options->page.font_size);
    if (status < 0)
        status = cli_read_number(command, "--dpi", given->dpi, &options->page.resolution);
    if (given->logarithmic) {
        options->x_scale = strchr(given->logarithmic, 'x') ? PHX_SCALE_LOGARITHMIC : PHX_SCALE_LINEAR;
        options->y_scale = strchr(given->logarithmic, 'y') ? PHX_SCALE_LOGARITHMIC : PHX_SCALE_LINEAR;
    }
    if (given->plane)
        options->plane = given->plane[1] == 'y' ? PHX_PLANE_XY : given->plane[0] == 'x' ? PHX_PLANE_XZ : PHX_PLANE_YZ;
    options->against = given->against;
    options->columns = given->columns.items;
    options->n_columns = given->columns.count;
    options->difference = given->difference;
    options->decibels = given->decibels;
    options->page.format = given->format;
    options->page.title = given->title;
    options->page.grey = given->grey;
    return status;
}

/* ---- drawing ---- */

/* The name of the picture when none is given: beside the file, by what is drawn. */
static char *default_name(phx_context *context, const plot_arguments *given, phx_plot_kind kind)
{
    static const char *const parts[] = {"",       "_columns", "_spectrum", "_motion",
                                        "_poles", "_spy",     "_nyquist",  "_nichols"};
    char ending[32];
    snprintf(ending, sizeof ending, "%s.%s", parts[kind], given->format ? given->format : "svg");
    return cli_name(context, given->file, true, ending);
}

/* The matrices of a model. */
static int draw_model(phx_context *context, const plot_arguments *given, const phx_plot_options *options,
                      const char *output)
{
    phx_bundle *bundle = NULL;
    phx_model *model = NULL;
    int code = cli_read_model(context, given->file, &given->set, &model);
    if (code < 0) {
        phx_status status = phx_bundle_create(context, &bundle);
        if (!status)
            status = phx_study_matrices(context, model, bundle);
        if (!status)
            status = phx_plot_bundle(context, bundle, given->file, output, options);
        code = status ? cli_failed(context, status) : EXIT_DONE;
    }
    phx_bundle_destroy(bundle);
    phx_model_destroy(model);
    return code;
}

static bool is_model(const char *file)
{
    return cli_ends_with(file, ".yaml") || cli_ends_with(file, ".yml");
}

/* Draws the picture of a file, or the matrix patterns of a model, and prints its name; the exit status. */
static int plot_draw(phx_context *context, const plot_arguments *given, const phx_plot_options *options)
{
    char *name = given->output ? NULL : default_name(context, given, options->kind);
    const char *output = given->output ? given->output : name;
    int code = output ? EXIT_DONE : cli_failed(context, PHX_ERR_MEMORY);
    if (output && options->kind == PHX_PLOT_SPY && is_model(given->file)) {
        code = draw_model(context, given, options, output);
    } else if (output) {
        const phx_status status = phx_plot(context, given->file, output, options);
        code = status ? cli_failed(context, status) : EXIT_DONE;
    }
    if (code == EXIT_DONE && strcmp(output, "-") != 0)
        printf("%s\n", output);
    phx_free(name);
    return code;
}

/* Reads options and lists of names, checks the files, and draws; the exit status. */
static int plot(const cli_command *command, phx_context *context, const plot_arguments *given)
{
    phx_plot_options options = phx_plot_options_default();
    cli_words inputs = {0}, outputs = {0}, matrices = {0}, maps = {0}, over = {0};
    int code = read_options(command, given, &options);

    if (code < 0)
        code = cli_split(command, context, "--inputs", given->inputs, &inputs);
    if (code < 0)
        code = cli_split(command, context, "--over", given->over, &over);
    if (code < 0 && given->over && over.count != 2)
        code = cli_usage_error(command, "--over: expected two parameters such as n,speed, found '%s'", given->over);
    if (code < 0)
        code = cli_split(command, context, "--outputs", given->outputs, &outputs);
    if (code < 0)
        code = cli_split(command, context, "--matrices", given->matrices, &matrices);
    if (code < 0)
        code = cli_read_others(command, context, &given->files, given->measured, given->map, &maps, &options);
    if (code < 0)
        code = cli_writable(context, 1, &given->output);
    if (code < 0) {
        options.over = over.words;
        options.n_over = over.count;
        options.inputs = inputs.words;
        options.n_inputs = inputs.count;
        options.outputs = outputs.words;
        options.n_outputs = outputs.count;
        options.matrices = matrices.words;
        options.n_matrices = matrices.count;
        code = plot_draw(context, given, &options);
    }
    cli_words_free(&inputs);
    cli_words_free(&outputs);
    cli_words_free(&matrices);
    cli_words_free(&maps);
    cli_words_free(&over);
    return code;
}

/* phlexor plot: reads the options, then draws a result, modes or a linear model; the exit status. */
int cli_plot(const cli_command *command, phx_context *context, int argc, char **argv)
{
    plot_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE", "the picture, .svg, .pdf or .png; '-' is standard output",
         &given.output},
        {"--format", 0, OPTION_CHOICE, "svg|pdf|png", "whatever the ending of its name", &given.format},
        {"--columns", 0, OPTION_LIST, "LIST", "columns of a result; again for a further panel", &given.columns},
        {"--against", 0, OPTION_TEXT, "COLUMN", "over this column instead of time", &given.against},
        {"--over", 0, OPTION_TEXT, "X,Y", "a map of a study's list or of modes over two parameters", &given.over},
        {"--with", 0, OPTION_TEXT, "MEASURED.csv", "a measurement too; its first column is time, s", &given.measured},
        {"--map", 0, OPTION_TEXT, "COLUMN=OUTPUT",
         "of MEASURED.csv: which column is which output; commas between several", &given.map},
        {"--difference", 0, OPTION_FLAG, NULL, "of several files: the difference to the first", &given.difference},
        {"--spectrum", 0, OPTION_FLAG, NULL, "amplitudes of the columns over the frequency", &given.spectrum},
        {"--log", 0, OPTION_CHOICE, "x|y|xy|none", "logarithmic axes of columns", &given.logarithmic},
        {"--motion", 0, OPTION_FLAG, NULL, "snapshots of the moving bodies", &given.motion},
        {"--plane", 0, OPTION_CHOICE, "xy|xz|yz", "of a motion in space: seen along the third axis; default: xy",
         &given.plane},
        {"--from", 0, OPTION_TEXT, "NUMBER", "from this time (s), parameter of a sweep, or frequency (rad/s)",
         &given.from},
        {"--to", 0, OPTION_TEXT, "NUMBER", "to this one", &given.to},
        {"--poles", 0, OPTION_FLAG, NULL, "of a linear model: its poles", &given.poles},
        {"--nyquist", 0, OPTION_FLAG, NULL, "of a linear model: its responses in the complex plane", &given.nyquist},
        {"--nichols", 0, OPTION_FLAG, NULL, "of a linear model: magnitude over phase", &given.nichols},
        {"--decibels", 0, OPTION_FLAG, NULL, "of a Bode diagram (default of a loop)", &given.decibels},
        {"--inputs", 0, OPTION_TEXT, "LIST", "of a linear model: inputs of the Bode diagram", &given.inputs},
        {"--outputs", 0, OPTION_TEXT, "LIST", "and its outputs (default: all, up to 12 responses)", &given.outputs},
        {"--spy", 0, OPTION_FLAG, NULL, "of a linear model or a MODEL.yaml: patterns of its matrices", &given.spy},
        {"--matrices", 0, OPTION_TEXT, "LIST", "these (default: all that are not empty)", &given.matrices},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "of a MODEL.yaml: value of a parameter", &given.set},
        {"--width", 0, OPTION_TEXT, "LENGTH", "for print: column (84 mm), page (174 mm), 120mm", &given.width},
        {"--size", 0, OPTION_TEXT, "WIDTHxHEIGHT", "the same with a height: 84x60 (mm), 3.3x2.4in", &given.size},
        {"--font-size", 0, OPTION_TEXT, "POINTS", "size of letters; default: 9, for print 8", &given.font_size},
        {"--dpi", 0, OPTION_TEXT, "NUMBER", "of PNG; default: 300", &given.dpi},
        {"--title", 0, OPTION_TEXT, "TEXT", "default: the model's title, for print none", &given.title},
        {"--grey", 0, OPTION_FLAG, NULL, "black, greys and dashes instead of colours", &given.grey},
    };
    const cli_arguments arguments = {
        .options = options, .n_options = (int)(sizeof options / sizeof *options), .wanted = 1, .more = &given.files};
    int status = cli_parse(command, context, &arguments, argc, argv);

    given.file = status < 0 ? given.files.items[0] : NULL;
    if (status < 0)
        status = plot(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
