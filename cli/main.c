/* The program: finds the command and runs it. */
#include "cli.h"

#include <phlexor/algebra.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const cli_command commands[] = {
    {"new", cli_new, "KIND", "Write a first model with comments, to begin from",
     "KIND: pendulum, crank-slider, robot, satellite, rotor, suspension, plate, imported (from another finite-element\n"
     "program), rod (large deformations) or controller. Each runs as it is.\n"},
    {"simulate", cli_simulate, "MODEL", "Simulate a model over time",
     "The result goes to RESULT.h5 (default: the model's name with .h5, in the current directory) with columns and\n"
     "states, and with --csv to a table of the columns; FILE '-' is standard output. A result appears under its name\n"
     "only when it is complete; a run that stops early, also by Ctrl-C, leaves NAME.partial.\n"
     "Numbers may be expressions of the model's parameters: --end '2*pi/speed'.\n"
     "With --sweep there is a result for each point, RESULT-0001.h5 ..., and RESULT-list.csv lists parameters,\n"
     "residuals, ends and ranges of the outputs; -o TABLE.csv makes the list alone. Exit status 1 when a point "
     "failed.\n"
     "Under mpirun its processes share the points of a sweep.\n"},
    {"inverse", cli_inverse, "MODEL", "Inverse dynamics and kinematics: efforts or motions of joints",
     "Simulates a model whose joints are driven (`motion`, `speed`) and writes a table of the efforts of the drives,\n"
     "coordinates and rates, whose columns are signals for actuators and for the feed-forward of controllers:\n"
     "{file: TABLE.csv, column: JOINT.effort, interpolation: spline}.\n"
     "With --place and --path it writes the motions of the joints that bring a port to places, of several solutions\n"
     "those of the least changes from row to row: {file: TABLE.csv, column: JOINT.coordinate, interpolation: "
     "spline}.\n"},
    {"static", cli_static, "MODEL", "Equilibrium at rest, critical loads, paths over the load",
     "Gravity, springs, loads and elasticity in balance, drives held where they start. A start that is nearly in\n"
     "equilibrium stays, stable or not; else a stable equilibrium is looked for, down in energy. Motions that nothing\n"
     "holds are named. The result has the columns of a simulation, a row for each step of the loads or point of a "
     "path.\n"},
    {"modes", cli_modes, "MODEL", "Frequencies and mode shapes",
     "About the assembled start configuration at rest with the drives locked, about the equilibrium at rest (--at\n"
     "static), or turning steadily with the drives. Without\n"
     "--sweep the model's own sweep is run, but for parameters that --set gives a value. FILE.h5 and json carry the\n"
     "mode shapes.\n"},
    {"optimize", cli_optimize, "MODEL", "Values of parameters that make the best of an objective",
     "Objective, variables and constraints are given by the key 'optimize' of the model file.\n"},
    {"sensitivity", cli_sensitivity, "MODEL", "Derivatives of numbers of an analysis by the parameters of a model",
     "An OBJECTIVE is a number that an analysis gives: modes.omega.1, model.mass, static(tip.y),\n"
     "simulate.integral(y(tip.x)^2), linearize.hinf. NAMES stand under 'parameters' of the model file.\n"},
    {"identify", cli_identify, "MODEL", "Parameters of a model from measurements, with confidence intervals",
     "The model's key `identify` names parameters, bounds and measurements: time series in csv files, frequencies,\n"
     "frequency responses. Combinations that the measurements do not determine are named.\n"},
    {"linearize", cli_linearize, "MODEL", "Linear model of the mechanism with named inputs and outputs",
     "About the assembled start configuration at rest, the equilibrium, or a steady rotation. Inputs are forces at "
     "ports (rod.C.fy), prescribed "
     "accelerations\n"
     "or rates of ports and joints, loads, actuators, drives; outputs are those of the model file, accelerations, "
     "rates\n"
     "and places of ports, coordinates and efforts of joints. FILE opens in MATLAB, Octave and Python.\n"},
    {"titop", cli_titop, "MODEL", "Linear model of one body, seen from its ports",
     "Accelerations of the port P and forces at the other ports in, forces at P and accelerations of the others out.\n"
     "Inverting a channel makes another boundary condition: rod.P.alpha a hinge at P, rod.C.fy a support at C. FILE\n"
     "opens in MATLAB, Octave and Python.\n"},
    {"check", cli_check, "MODEL", "Verify the structure of a model", NULL},
    {"plot", cli_plot, "FILE...", "Draw a result (RESULT.h5, MODES.csv, MODES.h5, MODEL.h5) as SVG, PDF or PNG",
     "Of a simulation: energies, residual, drift and every output, or chosen columns; of modes: frequencies over the\n"
     "sweep; of a linear model: a Bode diagram, poles, or the patterns of its matrices. The picture goes beside FILE\n"
     "unless -o says otherwise. Of several simulations the columns of the same names are drawn together, each file "
     "with "
     "its\ndashes. In LIST the name of an output means all its components: tip for tip.x and tip.y.\n"},
    {"compare", cli_compare, "FILE...", "Differences between results, output by output",
     "Of other models, steps, integrators or programs, and of measurements, against the first FILE (RESULT.h5 or "
     ".csv):\n"
     "the largest and the rms difference of each output, in parts of its range too, and that at the end. Exit status "
     "1\nwhen one is above its tolerance.\n"},
    {"export", cli_export, "FILE", "Write a result, a robot or the matrices of a model for other programs",
     "Of RESULT.h5: vtk and xdmf, a folder with the motion for ParaView (motion.pvd, motion.xmf); glb, the motion as\n"
     "glTF for Blender and other programs; mat, columns and\n"
     "states for MATLAB and Octave; csv and xlsx, the columns; json, a summary. Of MODES.h5: mat, csv, xlsx, json. Of "
     "a linear\n"
     "model: mat, json, mtx. Of a model file: mtx, a folder with a Matrix Market file for each matrix of the system\n"
     "at its start state and of its bodies; mat, json; urdf and mjcf, a tree of rigid bodies as a robot.\n"},
    {"stress", cli_stress, "FILE", "Hot spots of the solids and plates of a result",
     "Of RESULT.h5: the nodes whose largest von Mises stress over all recorded instants no neighbour exceeds, with "
     "their\nnumbers in the mesh file, places in the frame of the body, and times.\n"},
    {"loads", cli_loads, "MODEL RESULT", "Write what acts on a body at instants of a result as load cases",
     "For a finite-element program: forces of joints and on surfaces, and of inertia, on the nodes of a solid or an\n"
     "imported body, in equilibrium, with supports that carry nothing.\n"},
    {"report", cli_report, "FILE...", "Show RESULT.h5 or MODES.h5 as a page for any browser",
     "One html file that needs nothing else: the mechanism moving in space, forces along the beams, diagrams of\n"
     "energies, residual and outputs, mode shapes, the certificate of the structure, the model. Further results of "
     "simulations move with\nthe first as "
     "ghosts, and their curves are drawn dashed. Those of simulate --sweep get sliders over its parameters.\n"},
    {"view", cli_view, "MODEL", "Show the assembled model as a page for any browser",
     "The page of report, before any simulation. A model whose joints cannot be closed is shown as it is written, "
     "with\n"
     "the message; the exit status is then 1.\n"},
    {"import", cli_import, "FILE...",
     "Make a model of a robot (URDF, MJCF), or a body of another finite-element program",
     "Matrices and nodes of Abaqus, CalculiX, Nastran, MBDyn or in Matrix Market, or a mesh alone (.msh, .inp, and "
     "through\nthe program gmsh .geo, .step, .med, .unv): sizes, symmetry, what rigid motions cost, mass, centre of "
     "mass, inertia,\nfrequencies of the free body, and which groups can be ports. With -o this table goes to standard "
     "output and a\nmodel file with the body to MODEL; else the model file goes to standard output, with the table as "
     "comments.\nA robot (.urdf, .xml) becomes a model file with its links, joints, limits and shapes.\n"},
    {"reduce", cli_reduce, "MODEL", "Write an elastic body in its basis, so that simulations load it",
     "A plate, a solid or an imported body with its ports and point masses, in the basis and the frame that it has in "
     "the\nmodel. A body {kind: reduced, file: BODY.h5} then needs neither mesh nor matrices, and moves as it did.\n"},
    {"merge", cli_merge, "TABLE...", "Put the tables of the shards of a study together",
     "What 'phlexor simulate --sweep ... --shard I/N' has listed in TABLE-I-of-N.csv becomes the table that the study\n"
     "without shards would have written, byte by byte. A point that is missing or there twice is an error.\n"},
    {"fmu", cli_fmu, "MODEL", "Write a model as an FMU for Simulink, OpenModelica, Dymola and other masters",
     "FMI 2.0 or 3.0, co-simulation, with everything in it: no library but libc and libm is needed. Inputs are added "
     "to\nwhat the model gives; for each the FMU has what is conjugate to it and its power, means over a step, beside "
     "the\noutputs of the model and the ledger of energy.\n"
     "'phlexor fmu check FILE.fmu' looks at an FMU of any program: its archive, its description, and in a process of\n"
     "their own its calls, a second instance, the way back to a saved state. Exit status 1 when something is wrong.\n"},
    {"film", cli_film, "RESULT", "Film a result, or take a still of it, without a display",
     "RESULT is a file of 'phlexor simulate' or a page of 'phlexor report'. The page is drawn by a headless Chromium, "
     "and\nffmpeg encodes mp4, webm and gif. Both have to be installed; stills and folders of frames need no "
     "ffmpeg.\n"},
    {"reproduce", cli_reproduce, "", "Recompute the tables and figures of the papers",
     "One page with what Phlexor finds beside what the papers print and what independent programs find, with figures.\n"
     "Needs Python with NumPy. Exit status 1 when a value is not met that should be.\n"},
    {"guide", cli_guide, "", "Print how scripts and language models write, check and judge models",
     "A page of Markdown: commands with their JSON outputs, a model, common mistakes, codes of errors.\n"},
    {"mcp", cli_mcp, "", "Serve language models by the Model Context Protocol",
     "JSON-RPC 2.0 on standard input and output, with tools that run check, simulate, static, modes, linearize and\n"
     "view on the text or the file of a model, and return what these commands print as JSON.\n"},
    {"schema", cli_schema, "", "Print the keys of the model file",
     "The table of keys as Markdown, or a JSON Schema for editors.\n"},
    {"info", cli_info, "", "Print version, build and libraries", NULL},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *stream)
{
    fputs("Usage: phlexor COMMAND ... [OPTION]...\n\n"
          "Port-Hamiltonian flexible multibody dynamics: simulates models of rigid and flexible bodies.\n\nCommands:\n",
          stream);
    for (int k = 0; k < N_COMMANDS; k++)
        fprintf(stream, "  %-10s %-7s %s\n", commands[k].name, commands[k].arguments, commands[k].doc);
    fputs("\n'phlexor COMMAND --help' describes one. Exit status: 0 done, 1 the analysis failed, 2 the command line or "
          "the\nmodel file is wrong, 130 interrupted.\n",
          stream);
}

static const cli_command *main_find(const char *name)
{
    for (int k = 0; k < N_COMMANDS; k++)
        if (!strcmp(commands[k].name, name))
            return &commands[k];
    return NULL;
}

static int main_unknown(const char *name)
{
    const char *words[N_COMMANDS + 1] = {NULL};
    for (int k = 0; k < N_COMMANDS; k++)
        words[k] = commands[k].name;
    const char *nearest = cli_nearest(name, words);
    return nearest ? cli_usage_error(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest)
                   : cli_usage_error(NULL, "unknown command '%s'", name);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static void print_fitting(const char *word, const char *typed, const char *doc)
{
    if (!strncmp(word, typed, strlen(typed)))
        printf("%s\t%s\n", word, doc);
}

/* --complete INDEX COMMAND WORD...: the commands that fit, or what the command says. */
static int main_complete(phx_context *context, int argc, char **argv)
{
    const int index = argc < 3 ? -1 : atoi(argv[1]);
    const bool of_help = index == 1 && argc > 3 && !strcmp(argv[2], "help");

    if (index < 0)
        return EXIT_USAGE;
    if (index > 0 && !of_help) {
        const cli_command *command = main_find(argv[2]);
        return command ? command->run(command, context, argc, argv) : EXIT_DONE;
    }
    for (int k = 0; k < N_COMMANDS; k++)
        print_fitting(commands[k].name, argv[2 + index], commands[k].doc);
    if (!of_help && argv[2][0] == '-') {
        print_fitting("--help", argv[2], "the commands");
        print_fitting("--version", argv[2], "the version");
    }
    return EXIT_DONE;
}

static int print_tables(phx_context *context, char **argv)
{
    int status = EXIT_DONE;
    for (int k = 0; k < N_COMMANDS && status == EXIT_DONE; k++)
        status = commands[k].run(&commands[k], context, 1, argv);
    return status;
}

/* Answers --version, --help and the calls of shells, or runs the command that argv[1] names; the exit status. */
static int main_run(phx_context *context, int argc, char **argv)
{
    static char help[] = "--help";
    char *ask[] = {help};

    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (is_one_of(argv[1], "--version", "-V", "version")) {
        printf("phlexor %s\n", phx_version());
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "--complete"))
        return main_complete(context, argc - 1, argv + 1);
    if (!strcmp(argv[1], "--tables"))
        return print_tables(context, argv + 1);
    const bool wants_help = is_one_of(argv[1], "--help", "-h", "help");
    if (wants_help && argc == 2) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    const cli_command *command = main_find(argv[wants_help ? 2 : 1]);
    if (!command)
        return main_unknown(argv[wants_help ? 2 : 1]);
    return wants_help ? command->run(command, context, 1, ask) : command->run(command, context, argc - 2, argv + 2);
}

/* Runs one command in one context, with signals of full disks and closed pipes turned into errors of the calls. */
int main(int argc, char **argv)
{
    phx_context *context = NULL;

    /* a full disk and a closed pipe are reported by the calls that meet them */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    phx_algebra_set_threads(1);
    cli_look_for_messages(argc, argv);
    if (phx_context_create(&context) != PHX_OK) {
        cli_say(CLI_ERROR, cli_code_of(PHX_ERR_MEMORY), "%s", phx_status_text(PHX_ERR_MEMORY));
        return EXIT_FAILED;
    }
    cli_watch(context);
    phx_files_begin(context); /* a command writes over nothing that it reads */
    const int status = cli_close_ranks(cli_close_output(main_run(context, argc, argv)));
    phx_context_destroy(context);
    return status;
}
