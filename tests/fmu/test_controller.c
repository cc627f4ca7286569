/* FMUs as controllers: a sampled law as an FMU of both versions moves a mechanism as the same law of Phlexor's, bit by
 * bit, with chosen and located steps, saved states and several threads; what fails in the FMU is told with controller,
 * time and call; files and names that do not fit are refused at their place. */
#define _POSIX_C_SOURCE 200809L
#include "support/testing.h"
#include "statespace/statespace.h"
#include "results/results.h"

#include <phlexor/fmu.h>
#include <phlexor/results.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

/* ---- the FMU ---- */
static const char description2[] =
    "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"pi\" guid=\"{pi}\">\n"
    "<CoSimulation modelIdentifier=\"pi\"/><DefaultExperiment stepSize=\"0.004\"/>\n<ModelVariables>\n"
#define REAL2(name, vr, more, real)                                                                                    \
    "<ScalarVariable name=\"" name "\" valueReference=\"" vr "\" " more "><Real" real "/></ScalarVariable>\n"
    REAL2("r", "0", "causality=\"input\"", " start=\"0\"") REAL2("y", "1", "causality=\"input\"", " start=\"0\"") REAL2(
        "w", "2", "causality=\"input\"", " start=\"0\"") REAL2("u", "3", "causality=\"output\"", "")
        REAL2("kp", "4", "causality=\"parameter\" variability=\"fixed\"", " start=\"0\"") REAL2(
            "kd", "5", "causality=\"parameter\" variability=\"fixed\"",
            " start=\"0\"") REAL2("b", "6", "causality=\"parameter\" variability=\"tunable\"",
                                  " start=\"0\"") REAL2("at", "7", "causality=\"parameter\" variability=\"fixed\"",
                                                        " start=\"1e9\"")
            REAL2("z", "8", "causality=\"local\" initial=\"exact\"", " start=\"0\"") REAL2(
                "der(z)", "9", "causality=\"local\"",
                "") "<ScalarVariable name=\"fault\" valueReference=\"20\" causality=\"parameter\" "
                    "variability=\"fixed\">"
                    "<Integer start=\"0\"/></ScalarVariable>\n"
                    "<ScalarVariable name=\"on\" valueReference=\"21\" causality=\"parameter\" variability=\"fixed\">"
                    "<Boolean start=\"true\"/></ScalarVariable>\n"
                    "<ScalarVariable name=\"label\" valueReference=\"22\" causality=\"parameter\" "
                    "variability=\"fixed\">"
                    "<String start=\"\"/></ScalarVariable>\n"
                    "</ModelVariables><ModelStructure><Outputs><Unknown index=\"4\"/></Outputs></ModelStructure>"
                    "</fmiModelDescription>\n";
static const char description3[] =
    "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"3.0\" modelName=\"pi\" instantiationToken=\"{pi}\">\n"
    "<CoSimulation modelIdentifier=\"pi\"/><DefaultExperiment stepSize=\"0.004\"/>\n<ModelVariables>\n"
    "<Float64 name=\"r\" valueReference=\"0\" causality=\"input\" start=\"0\"/>\n"
    "<Float64 name=\"y\" valueReference=\"1\" causality=\"input\" start=\"0\"/>\n"
    "<Float64 name=\"w\" valueReference=\"2\" causality=\"input\" start=\"0\"/>\n"
    "<Float64 name=\"u\" valueReference=\"3\" causality=\"output\"/>\n"
    "<Float64 name=\"kp\" valueReference=\"4\" causality=\"parameter\" variability=\"fixed\" start=\"0\"/>\n"
    "<Float64 name=\"kd\" valueReference=\"5\" causality=\"parameter\" variability=\"fixed\" start=\"0\"/>\n"
    "<Float64 name=\"b\" valueReference=\"6\" causality=\"parameter\" variability=\"tunable\" start=\"0\"/>\n"
    "<Float64 name=\"at\" valueReference=\"7\" causality=\"parameter\" variability=\"fixed\" start=\"1e9\"/>\n"
    "<Float64 name=\"z\" valueReference=\"8\" causality=\"local\" initial=\"exact\" start=\"0\"/>\n"
    "<Float64 name=\"many\" valueReference=\"10\" causality=\"input\" start=\"0 0\"><Dimension "
    "start=\"2\"/></Float64>\n"
    "<Int32 name=\"fault\" valueReference=\"20\" causality=\"parameter\" variability=\"fixed\" start=\"0\"/>\n"
    "<Boolean name=\"on\" valueReference=\"21\" causality=\"parameter\" variability=\"fixed\" start=\"true\"/>\n"
    "<String name=\"label\" valueReference=\"22\" causality=\"parameter\" variability=\"fixed\"><Start value=\"\"/>"
    "</String>\n"
    "<Enumeration name=\"mode\" valueReference=\"23\" causality=\"parameter\" variability=\"fixed\" "
    "declaredType=\"m\" start=\"1\"/>\n"
    "<UInt64 name=\"size\" valueReference=\"24\" causality=\"structuralParameter\" variability=\"fixed\" "
    "start=\"1\"/>\n"
    "</ModelVariables><ModelStructure><Output valueReference=\"3\"/></ModelStructure></fmiModelDescription>\n";

/* An archive of a description with the shared object as `library`. */
static void make_archive(const char *path, const char *description, const char *library)
{
    int error = 0;
    remove(path);
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
    assert_non_null(archive);
    zip_source_t *text = zip_source_buffer(archive, description, strlen(description), 0);
    assert_true(zip_file_add(archive, "modelDescription.xml", text, 0) >= 0);
    assert_true(zip_file_add(archive, library, zip_source_file(archive, PHX_PI, 0, -1), 0) >= 0);
    assert_int_equal(zip_close(archive), 0);
}

static int setup(void **state)
{
    mkdir("unpacked", 0700);
    setenv("TMPDIR", "unpacked", 1);
    make_archive("pi2.fmu", description2, "binaries/linux64/pi.so");
    make_archive("pi3.fmu", description3, "binaries/" PHX_PLATFORM3 "/pi.so");
    return context_setup(state);
}

static int teardown(void **state)
{
    remove("pi2.fmu");
    remove("pi3.fmu");
    return context_teardown(state);
}

/* ---- models ---- */
static const char lever[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "parameters: {gain: 40}\n"
                            "bodies: {lever: {kind: rigid, mass: 2, inertia: 0.2, centre_of_mass: [0.5, 0],\n"
                            "  ports: {C: {position: [1, 0]}}}, box: {kind: rigid, mass: 0.5, inertia: 0.01}}\n"
                            "joints: {pin: {kind: revolute, ports: [ground.O, lever.P], angle: 0.2},\n"
                            "  grip: {kind: weld, ports: [lever.C, box.P]}}\n"
                            "outputs: {q: {coordinate: pin}, w: {rate: pin}, tip: {position: lever.C}}\n";
#define OWN(more)                                                                                                      \
    "controllers: {c: {kind: state_space, inputs: [q, w], outputs: [pin.effort], A: [[1]], B: [[-0.3, 0]],\n"          \
    "  C: [[1]], D: [[-40, -5]], reference: [\"0.3*sin(4*t)\", 0], " more "}}\n"
#define PARTNER_WITH(file, parameters, more)                                                                           \
    "controllers: {c: {kind: fmu, file: " file ", inputs: {y: y(q), w: y(w), r: \"0.3*sin(4*t)\"},\n"                  \
    "  outputs: {u: pin.effort}, parameters: {kp: gain, kd: 5, b: 0.3" parameters "}, time_limit: 2" more "}}\n"
#define PARTNER(file, parameters) PARTNER_WITH(file, parameters, "")
#define STEPS                     "simulate: {step: 1e-3}\n"

static phx_model *read_model(phx_context *context, const char *more)
{
    char text[4000];
    phx_model *model = NULL;
    assert_in_range(snprintf(text, sizeof text, "%s%s", lever, more), 1, sizeof text - 1);
    CHECK_OK(context, phx_model_read_text(context, "./lever.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

static phx_status run(phx_context *context, const char *more, double end, phx_result **result)
{
    phx_model *model = read_model(context, more);
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;

    options.end = (phx_model_optional){.given = true, .value = end};
    const phx_status status = phx_study_simulate_result(context, model, &options, &report, result);
    phx_model_destroy(model);
    return status;
}

static double value(phx_context *context, const phx_result *result, const char *name, size_t row)
{
    double found = NAN;
    const int c = phx_result_column_find(result, name);
    if (c < 0)
        fail_msg("no column '%s'", name);
    CHECK_OK(context, phx_result_column(result, c, row, 1, &found));
    return found;
}

/* Two runs with the same mechanism and law, in all rows and columns that both have: of the FMU no states are shown. */
static void check_same(phx_context *context, const char *own, const char *partner, double end)
{
    static const char *const names[] = {"t", "q", "w", "tip.x", "c.u1", "kinetic", "supplied", "residual"};
    phx_result *a = NULL, *b = NULL;

    CHECK_OK(context, run(context, own, end, &a));
    CHECK_OK(context, run(context, partner, end, &b));
    assert_int_equal(phx_result_rows(a), phx_result_rows(b));
    assert_true(phx_result_column_find(a, "c.z1") >= 0);
    assert_true(phx_result_column_find(b, "c.z1") < 0);
    for (size_t row = 0; row < phx_result_rows(a); row++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const double want = value(context, a, names[k], row), got = value(context, b, names[k], row);
            if (memcmp(&want, &got, sizeof got) != 0)
                fail_msg("%s, row %zu: %.17g, expected %.17g", names[k], row, got, want);
        }
    CHECK_BETWEEN(fabs(value(context, b, "c.u1", phx_result_rows(b) - 1)), 1e-3, 1e3, "the law acts");
    phx_result_destroy(a);
    phx_result_destroy(b);
}

/* ---- the same motion ---- */
#define LETS_GO "events: {low: {output: q, falls_to: 0.05, release: [grip]}}\n" STEPS

static void moves_as_its_law(void **state)
{
    static const char *const how[] = {STEPS, "simulate: {step: 3e-3}\n", "simulate: {rtol: 1e-6, step: 0.01}\n",
                                      LETS_GO};
    char own[2000], partner[2000];

    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        snprintf(own, sizeof own, "%s%s", OWN("sample: 4e-3"), how[k]);
        snprintf(partner, sizeof partner, "%s%s", PARTNER("pi2.fmu", ""), how[k]);
        check_same(*state, own, partner, 0.5);
        snprintf(partner, sizeof partner, "%s%s", PARTNER("pi3.fmu", ", on: true, label: good, mode: 1"), how[k]);
        check_same(*state, own, partner, 0.5);
    }
    check_same(*state, OWN("sample: 8e-3, delay: 2, limit: [-3, 2.5]") STEPS,
               PARTNER_WITH("pi2.fmu", "", ", sample: 8e-3, delay: 2, limit: [-3, 2.5]") STEPS, 0.5);
}

static void start_values_count(void **state)
{
    phx_result *result = NULL;

    CHECK_OK(*state, run(*state, PARTNER("pi2.fmu", ", on: false") STEPS, 0.02, &result));
    CHECK_SMALL(value(*state, result, "c.u1", 3), 0.0, "switched off");
    phx_result_destroy(result);
    CHECK_OK(*state, run(*state, PARTNER("pi3.fmu", ", z: 7") STEPS, 0.02, &result));
    CHECK_CLOSE(value(*state, result, "c.u1", 0), 7.0 - 40.0 * value(*state, result, "q", 0), 0.0, "the first sample");
    phx_result_destroy(result);
    CHECK_STATUS(*state, run(*state, PARTNER("pi3.fmu", ", label: wrong") STEPS, 0.02, &result), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(*state, "fmi3ExitInitializationMode returns fmi3Error: the label is wrong");
}

/* Phlexor's own FMU of a mechanism as a signal: what it gives at the samples is what a simulation of it gives. */
static void own_fmus_give_their_outputs(void **state)
{
    static const char swing[] = "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                                "bodies: {bob: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.7, 0]}}\n"
                                "joints: {pin: {kind: revolute, ports: [ground.O, bob.P], angle: 0.4}}\n"
                                "outputs: {swing: {coordinate: pin}}\n" STEPS;
    static const char driven[] =
        "controllers: {c: {kind: fmu, file: swing.fmu, outputs: {swing: pin.effort}, sample: 4e-3}}\n" STEPS;
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *want = NULL, *got = NULL;
    phx_model *model = NULL;

    CHECK_OK(*state, phx_model_read_text(*state, "swing.yaml", swing, strlen(swing), 0, NULL, &model));
    options.end = (phx_model_optional){.given = true, .value = 0.3};
    CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &want));
    for (int version = 2; version <= 3; version++) {
        phx_fmu_options how = phx_fmu_options_default();
        how.version = version;
        CHECK_OK(*state, phx_fmu_export(*state, model, &how, "swing.fmu", NULL));
        CHECK_OK(*state, run(*state, driven, 0.3, &got));
        assert_int_equal(phx_result_rows(got), phx_result_rows(want));
        for (size_t row = 1; row < phx_result_rows(got); row++) { /* recorded at a sample is what was held before */
            const double held = value(*state, want, "swing", (row - 1) / 4 * 4);
            CHECK_CLOSE(value(*state, got, "c.u1", row), held, 0.0, "FMI %d, row %zu", version, row);
        }
        phx_result_destroy(got);
    }
    phx_result_destroy(want);
    phx_model_destroy(model);
    remove("swing.fmu");
}

/* ---- back and forth ---- */
static phx_stepper *make_stepper(phx_context *context, const char *controller)
{
    phx_model *model = read_model(context, controller);
    phx_simulate_options options = phx_simulate_options_default();
    phx_stepper *stepper = NULL;

    CHECK_OK(context, phx_stepper_create(context, model, &options, 1, (const char *const[]){"pin.effort"}, &stepper));
    phx_model_destroy(model);
    return stepper;
}

static void advance(phx_context *context, phx_stepper *stepper, int steps, double *row)
{
    for (int k = 0; k < steps; k++)
        CHECK_OK(context, phx_stepper_step(context, stepper, 1.0 / 512));
    CHECK_OK(context, phx_stepper_measure(context, stepper, row));
}

/* On, back to a saved state twice, to the start, and on again; the last row, which is the same as on the first way. */
static void there_and_back(phx_context *context, phx_stepper *stepper, double *saved, double *row)
{
    enum { MOST = 60 };
    double start[MOST], first[MOST];

    assert_in_range(phx_stepper_state_size(stepper), 1, MOST);
    phx_stepper_save(stepper, start);
    advance(context, stepper, 10, row);
    phx_stepper_save(stepper, saved);
    advance(context, stepper, 30, first);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(context, phx_stepper_restore(context, stepper, k < 2 ? saved : start));
        advance(context, stepper, k < 2 ? 30 : 40, row);
        CHECK_VECTOR(phx_stepper_columns(stepper), row, first, 1e-12, "way %d", k + 1);
    }
}

static void goes_back(void **state)
{
    enum { MOST = 60 };
    double want[MOST], got[MOST], saved[MOST];
    phx_stepper *own = make_stepper(*state, OWN("sample: 1/256") STEPS),
                *partner = make_stepper(*state, PARTNER_WITH("pi3.fmu", "", ", sample: 1/256") STEPS);
    const size_t columns = (size_t)phx_stepper_columns(partner); /* without the law's state, the last of its own */

    assert_true(columns < MOST && phx_stepper_columns(own) == (int)columns + 1);
    there_and_back(*state, own, saved, want);
    there_and_back(*state, partner, saved, got);
    assert_memory_equal(want, got, columns * sizeof *want);
    phx_stepper_destroy(own);
    phx_stepper_destroy(partner);
    partner = make_stepper(*state, PARTNER_WITH("pi3.fmu", "", ", sample: 1/256")
                                       STEPS); /* another simulation does not know the state */
    CHECK_OK(*state, phx_stepper_restore(*state, partner, saved));
    CHECK_STATUS(*state, phx_stepper_step(*state, partner, 1.0 / 512), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "controller 'c': its state at t = 0.01953125 s is not known");
    phx_stepper_destroy(partner);
}

/* On one way, back, and on another one, by a torque of the program. */
static phx_status two_ways(phx_context *context, phx_stepper *stepper, double *row)
{
    static const double one = 1.0, other = -2.0;
    double *saved = calloc((size_t)phx_stepper_state_size(stepper), sizeof *saved);

    assert_non_null(saved);
    advance(context, stepper, 10, row);
    phx_stepper_save(stepper, saved);
    CHECK_OK(context, phx_stepper_act(context, stepper, &one));
    advance(context, stepper, 10, row);
    CHECK_OK(context, phx_stepper_restore(context, stepper, saved));
    CHECK_OK(context, phx_stepper_act(context, stepper, &other));
    free(saved);
    phx_status status = PHX_OK;
    for (int k = 0; k < 10 && !status; k++)
        status = phx_stepper_step(context, stepper, 1.0 / 512);
    return status ? status : phx_stepper_measure(context, stepper, row);
}

/* The FMU begins anew and gets the samples again, in which it must repeat itself. */
static void takes_another_way(void **state)
{
    enum { MOST = 60 };
    double want[MOST], got[MOST];
    phx_stepper *own = make_stepper(*state, OWN("sample: 1/256") STEPS),
                *partner = make_stepper(*state, PARTNER_WITH("pi2.fmu", "", ", sample: 1/256") STEPS);
    const size_t columns = (size_t)phx_stepper_columns(partner); /* without the law's state, the last of its own */

    assert_true(columns < MOST && phx_stepper_columns(own) == (int)columns + 1);
    CHECK_OK(*state, two_ways(*state, own, want));
    CHECK_OK(*state, two_ways(*state, partner, got));
    assert_memory_equal(want, got, columns * sizeof *want);
    phx_stepper_destroy(own);
    phx_stepper_destroy(partner);
    setenv("PHLEXOR_TEST_COUNT", "starts.txt", 1);
    partner = make_stepper(*state, PARTNER_WITH("pi2.fmu", ", fault: 8", ", sample: 1/256") STEPS);
    CHECK_STATUS(*state, two_ways(*state, partner, got), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(*state, "controller 'c': it does not repeat itself");
    phx_stepper_destroy(partner);
    unsetenv("PHLEXOR_TEST_COUNT");
    remove("starts.txt");
}

/* ---- faults ---- */
static void check_fault(phx_context *context, const char *controller, const char *part)
{
    phx_result *result = NULL;

    CHECK_STATUS(context, run(context, controller, 0.5, &result), PHX_ERR_ANALYSIS);
    assert_true(result && !phx_result_is_complete(result)); /* up to there */
    phx_result_destroy(result);
    CHECK_MESSAGE(context, "controller 'c': ");
    CHECK_MESSAGE(context, part);
}

static void faults_are_told(void **state)
{
    check_fault(*state, PARTNER("pi2.fmu", ", fault: 1, at: 0.1") STEPS,
                "pi2.fmu' at t = 0.1 s: it crashed in fmi2DoStep (Segmentation fault)");
    check_fault(*state, PARTNER("pi3.fmu", ", fault: 2, at: 0.1") STEPS,
                "pi3.fmu' at t = 0.1 s: it has not come back from fmi3DoStep after 2 s");
    check_fault(*state, PARTNER("pi2.fmu", ", fault: 3, at: 0.1") STEPS,
                "pi2.fmu' at t = 0.1 s: it ended the process in fmi2DoStep");
    check_fault(*state, PARTNER("pi2.fmu", ", fault: 4, at: 0.1") STEPS,
                "at t = 0.1 s: fmi2DoStep returns fmi2Error: the motor is hot (4)");
    check_fault(*state, PARTNER("pi3.fmu", ", fault: 4, at: 0.1") STEPS,
                "at t = 0.1 s: fmi3DoStep returns fmi3Error: the motor is hot");
    check_fault(*state, PARTNER("pi3.fmu", ", fault: 5, at: 0.1") STEPS, "fmi3DoStep returns fmi3Discard");
    check_fault(*state, PARTNER("pi2.fmu", ", fault: 7, at: 0.1") STEPS, "its output 1 is inf at t = 0.104 s");
}

/* The output of an FMU is not part of the output of the program. */
static void prints_go_nowhere(void **state)
{
    phx_result *result = NULL;
    struct stat printed;
    const int before[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    const int file = open("printed.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(file >= 0 && before[0] >= 0 && before[1] >= 0);
    fflush(NULL);
    (void)dup2(file, STDOUT_FILENO);
    (void)dup2(file, STDERR_FILENO);
    const phx_status status = run(*state, PARTNER("pi2.fmu", ", fault: 6") STEPS, 0.1, &result);
    fflush(NULL);
    (void)dup2(before[0], STDOUT_FILENO);
    (void)dup2(before[1], STDERR_FILENO);
    CHECK_OK(*state, status);
    assert_int_equal(fstat(file, &printed), 0);
    assert_int_equal(printed.st_size, 0);
    phx_result_destroy(result);
    close(file);
    close(before[0]);
    close(before[1]);
    remove("printed.txt");
}

/* ---- what does not fit ---- */
static void check_refused(phx_context *context, const char *more, const char *part)
{
    char text[4000];
    phx_model *model = NULL;

    snprintf(text, sizeof text, "%s%s", lever, more);
    CHECK_STATUS(context, phx_model_read_text(context, "./lever.yaml", text, strlen(text), 0, NULL, &model),
                 PHX_ERR_INPUT);
    assert_null(model);
    CHECK_MESSAGE(context, part);
}
#define FMU(file, rest) "controllers: {c: {kind: fmu, file: " file ", " rest "}}\n"

static void names_are_checked(void **state)
{
    check_refused(*state, FMU("pi2.fmu", "outputs: {v: pin.effort}"),
                  "lever.yaml:10:55: controllers.c: the FMU has no variable 'v'");
    check_refused(*state, FMU("pi2.fmu", "inputs: {kq: y(q)}, outputs: {u: pin.effort}"),
                  "the FMU has no variable 'kq'");
    check_refused(*state, FMU("pi3.fmu", "outputs: {u: pin.effort}, parameters: {lable: x}"),
                  "the FMU has no variable 'lable'; did you mean 'label'?");
    check_refused(*state, FMU("pi2.fmu", "inputs: {u: y(q)}, outputs: {u: pin.effort}"),
                  "'u' of the FMU is an output; expected an input");
    check_refused(*state, FMU("pi2.fmu", "outputs: {kp: pin.effort}"),
                  "'kp' of the FMU is a parameter; expected an output");
    check_refused(
        *state, FMU("pi2.fmu", "outputs: {u: pin.effort}, parameters: {der(z): 1}"),
        "'der(z)' of the FMU is a local variable; expected a parameter or another variable with a start value");
    check_refused(*state, FMU("pi3.fmu", "outputs: {u: pin.effort}, parameters: {size: 2}"),
                  "'size' of the FMU is a structural parameter");
    check_refused(*state, FMU("pi3.fmu", "inputs: {many: y(q)}, outputs: {u: pin.effort}"),
                  "'many' of the FMU is an array; expected a real number");
    check_refused(*state, FMU("pi3.fmu", "outputs: {u: pin.effort}, parameters: {fault: 1.5}"),
                  "'fault' of the FMU is a whole number, found 1.5");
    check_refused(*state, FMU("pi3.fmu", "outputs: {u: pin.effort}, parameters: {on: 3}"),
                  "'on' of the FMU is true (1) or false (0), found 3");
    check_refused(*state, FMU("pi4.fmu", "outputs: {u: pin.effort}"), "pi4.fmu");
}

/* A description with one part of it put otherwise. */
static void pack_with(const char *from, const char *to, const char *library)
{
    char text[8000];
    const char *at = strstr(description2, from);

    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - description2), description2, to, at + strlen(from));
    make_archive("other.fmu", text, library);
}

static void files_are_checked(void **state)
{
    static const char *const model = FMU("other.fmu", "outputs: {u: pin.effort}");

    pack_with("CoSimulation", "ModelExchange", "binaries/linux64/pi.so");
    check_refused(*state, model, "other.fmu: the FMU is for model exchange only");
    pack_with("<CoSimulation ", "<CoSimulation needsExecutionTool=\"true\" ", "binaries/linux64/pi.so");
    check_refused(*state, model, "needs the program that it was made with");
    make_archive("other.fmu", description2, "binaries/win64/pi.dll");
    check_refused(*state, model,
                  "no shared object for this computer (binaries/linux64/pi.so); it is made for: 'win64'");
    pack_with("stepSize=\"0.004\"", "", "binaries/linux64/pi.so");
    check_refused(*state, model, "the FMU says no step size; give `sample`");
    pack_with("modelIdentifier=\"pi\"", "modelIdentifier=\"../pi\"", "binaries/linux64/pi.so");
    check_refused(*state, model, "is no name of C");
    make_archive("other.fmu", description2, "../pi.so");
    check_refused(*state, model, "leads out of its folder");
    make_archive("other.fmu", description2, "/tmp/pi.so");
    check_refused(*state, model, "leads out of its folder");
    make_archive("other.fmu", "<fmiModelDescription", "binaries/linux64/pi.so");
    check_refused(*state, model, "modelDescription.xml:1");
    FILE *file = fopen("other.fmu", "w");
    fputs("no archive", file);
    fclose(file);
    check_refused(*state, model, "this is no zip archive");
    remove("other.fmu");
}

/* ---- what else is made of such models ---- */
/* Points of a sweep on two threads, a process each, are those on one. */
static void threads_agree(void **state)
{
    phx_model *model = read_model(*state, PARTNER("pi3.fmu", "") "simulate: {step: 1e-3, end: 0.1}\n");
    phx_sweep *sweep = NULL;
    CHECK_OK(*state, phx_sweep_create(*state, &sweep));
    CHECK_OK(*state, phx_sweep_add_values(sweep, "gain", 4, (const double[]){20.0, 30.0, 40.0, 50.0}));
    for (int threads = 1; threads <= 2; threads++) {
        phx_study_batch_options options = phx_study_batch_options_default();
        phx_study_batch_report report;
        options.table_path = threads == 1 ? "one.csv" : "two.csv";
        options.threads = threads;
        options.sweep = sweep;
        CHECK_OK(*state, phx_study_batch(*state, model, &options, &report));
        assert_int_equal(report.failed, 0);
    }
    phx_model_destroy(model);
    phx_sweep_destroy(sweep);
    char text[2][4000];
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(k ? "two.csv" : "one.csv", "r");
        assert_non_null(file);
        text[k][fread(text[k], 1, sizeof text[k] - 1, file)] = '\0';
        fclose(file);
    }
    assert_true(strlen(text[0]) > 100);
    assert_string_equal(text[0], text[1]);
    remove("one.csv");
    remove("two.csv");
}

/* A result has no states of an FMU; a snapshot has no FMU. */
static void states_stay_with_the_run(void **state)
{
    phx_model *model = read_model(*state, PARTNER("pi2.fmu", "") STEPS);
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;

    options.end = (phx_model_optional){.given = true, .value = 0.1};
    options.h5_path = "part.h5";
    CHECK_OK(*state, phx_study_simulate(*state, model, &options, &report));
    phx_fmu_options export = phx_fmu_options_default();
    CHECK_STATUS(*state, phx_fmu_export(*state, model, &export, "in.fmu", NULL), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "controller 'c' runs beside the simulation");
    assert_int_not_equal(access("in.fmu", F_OK), 0);
    phx_model_destroy(model);
    model = read_model(*state, PARTNER("pi2.fmu", "") "initial: {from: part.h5}\n" STEPS);
    options.end.value = 0.2;
    options.h5_path = "whole.h5";
    CHECK_STATUS(*state, phx_study_simulate(*state, model, &options, &report), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "controller 'c': its state at t = 0.1 s is not known");
    CHECK_MESSAGE(*state, "simulate from the start on in one run");
    assert_int_not_equal(access("whole.h5", F_OK), 0);
    phx_model_destroy(model);
    remove("part.h5");
    remove("whole.h5.partial");
}

/* A sampled controller has no part in linear models. */
static void linear_models_leave_it_out(void **state)
{
    static const char *const models[] = {PARTNER("pi2.fmu", ""), ""};
    double poles[2][2];

    for (int k = 0; k < 2; k++) {
        phx_model *model = read_model(*state, models[k]);
        phx_study_linearize_options options = phx_study_linearize_options_default();
        phx_linear_report report;
        double re[8], im[8];
        options.channels.inputs = (const char *const[]){"pin.effort"};
        options.channels.n_inputs = 1;
        CHECK_OK(*state, phx_study_linearize(*state, model, &options, &report));
        assert_int_equal(phx_ss_n(report.system), 2);
        CHECK_OK(*state, phx_ss_poles(*state, report.system, re, im, NULL, NULL));
        memcpy(poles[k], (double[]){fabs(re[0]), fabs(im[0])}, sizeof poles[k]); /* a pair, or two of one size */
        phx_linear_report_free(&report);
        phx_model_destroy(model);
    }
    CHECK_VECTOR(2, poles[0], poles[1], 1e-14, "poles");
}

/* ---- damaged files ---- */
/* Bits changed in the archive, at places that a fixed sequence chooses: the model is refused with a message, or runs,
 * or the run fails with one. */
static void damaged_files(void **state)
{
    enum { COUNT = 60 };
    static const char text[] = PARTNER("damaged.fmu", "") STEPS;
    char whole[4000];
    phx_model *model = NULL;
    unsigned random = 2463534242u;
    struct stat stat_of;
    phx_result *result = NULL;
    int refused = 0;

    assert_int_equal(stat("pi2.fmu", &stat_of), 0);
    const size_t size = (size_t)stat_of.st_size;
    unsigned char *bytes = malloc(size);
    FILE *file = fopen("pi2.fmu", "rb");
    assert_true(bytes && file);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    snprintf(whole, sizeof whole, "%s%s", lever, text);
    for (int k = 0; k < COUNT; k++) {
        random = 1664525u * random + 1013904223u;
        const size_t at = k % 3 == 0 ? random % size : k % 3 == 1 ? random % 1200 : size - 1 - random % 300;
        const unsigned char before = bytes[at];
        bytes[at] ^= (unsigned char)(1u << random % 8 | 1u);
        file = fopen("damaged.fmu", "wb");
        assert_true(file && fwrite(bytes, 1, size, file) == size);
        fclose(file);
        bytes[at] = before;
        phx_status status = phx_model_read_text(*state, "./lever.yaml", whole, strlen(whole), 0, NULL, &model);
        if (status) {
            assert_int_equal(status, PHX_ERR_INPUT);
            CHECK_MESSAGE(*state, "lever.yaml:");
            refused++;
            continue;
        }
        phx_model_destroy(model);
        status = run(*state, text, 0.01, &result);
        assert_true(status == PHX_OK || status == PHX_ERR_ANALYSIS || status == PHX_ERR_INPUT);
        phx_result_destroy(result);
        result = NULL;
    }
    assert_in_range(refused, COUNT / 6, COUNT - 1);
    free(bytes);
    remove("damaged.fmu");
}

/* After all of that no process and no folder is left. */
static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(rmdir("unpacked"), 0);
}

/* In C: a definition that is not complete. */
static void definitions_are_checked(void **state)
{
    static const phx_controller_external none = {0};
    phx_system *system = NULL;
    phx_controller_def def = phx_controller_def_default();

    CHECK_OK(*state, phx_system_create(*state, 2, (const double[]){0.0, 0.0}, &system));
    def.name = "c";
    def.kind = PHX_CONTROLLER_EXTERNAL;
    def.n_outputs = 1;
    def.outputs = (const char *const[]){"pin.effort"};
    def.external = &none;
    def.sample = 1e-3;
    CHECK_STATUS(*state, phx_system_add_controller(system, &def), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "controller 'c': its functions are missing");
    phx_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_its_law),
        cmocka_unit_test(start_values_count),
        cmocka_unit_test(own_fmus_give_their_outputs),
        cmocka_unit_test(goes_back),
        cmocka_unit_test(takes_another_way),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(prints_go_nowhere),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(files_are_checked),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(states_stay_with_the_run),
        cmocka_unit_test(linear_models_leave_it_out),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(definitions_are_checked),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
