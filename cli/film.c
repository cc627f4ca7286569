/* phlexor film: a command in Python */
#include "cli.h"

typedef struct film_arguments {
    const char *result, *output, *at, *size, *fps, *speed, *from, *to, *camera, *colour, *magnify, *plots, *title,
        *theme;
} film_arguments;

/* phlexor film: checks options and files, then runs the Python module of the command; the exit status. */
int cli_film(const cli_command *command, phx_context *context, int argc, char **argv)
{
    film_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILM",
         "NAME.mp4, .webm, .gif, .png or FOLDER/; default: RESULT with .mp4 or .png", &given.output},
        {"--at", 0, OPTION_TEXT, "T", "a still of this instant (s) in place of a film", &given.at},
        {"--from", 0, OPTION_TEXT, "T", "first instant of the film (s)", &given.from},
        {"--to", 0, OPTION_TEXT, "T", "last instant of the film (s)", &given.to},
        {"--speed", 0, OPTION_TEXT, "X", "1 is real time; default: 1 for 3 to 60 s, else a film of about 10 s",
         &given.speed},
        {"--fps", 0, OPTION_TEXT, "RATE", "frames a second; default: 30", &given.fps},
        {"--size", 0, OPTION_TEXT, "WIDTHxHEIGHT", "pixels; default: 1280x720", &given.size},
        {"--camera", 0, OPTION_TEXT, "VIEW", "front, side, top, iso, X,Y,Z or AZIMUTH/ELEVATION; default: iso",
         &given.camera},
        {"--colour", 0, OPTION_TEXT, "QUANTITY", "colour by this quantity of the page, such as von_mises",
         &given.colour},
        {"--magnify", 0, OPTION_TEXT, "FACTOR", "magnify the deformation", &given.magnify},
        {"--plots", 0, OPTION_TEXT, "LIST", "plots of these columns beside the scene", &given.plots},
        {"--title", 0, OPTION_TEXT, "TEXT", "default: the title of the result", &given.title},
        {"--theme", 0, OPTION_CHOICE, "light|dark", "default: light", &given.theme},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.result, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    const bool is_file = given.output && cli_ending(given.output);
    if (status < 0)
        status = cli_readable(given.result);
    if (status < 0 && phx_files_read(context, given.result) != PHX_OK)
        status = cli_failed(context, PHX_ERR_MEMORY);
    if (status < 0 && is_file)
        status = cli_writable(context, 1, &given.output);
    return status < 0 ? cli_run_python(command, context, argc, argv) : status;
}
