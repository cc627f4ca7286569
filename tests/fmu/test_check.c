/* phx_fmu_check: the project's own FMUs are good; archives that lead out of their folder, descriptions that break
 * rules, shared objects that crash and damaged files are found, each with its reason, and harm nothing. */
#define _POSIX_C_SOURCE 200809L
#include "support/testing.h"

#include <phlexor/fmu.h>

#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

static const char lever[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "bodies: {lever: {kind: rigid, mass: 2, inertia: 0.2, ports: {C: {position: [1, 0]}}}}\n"
                            "joints: {pin: {kind: revolute, ports: [ground.O, lever.P], effort: 1}}\n"
                            "outputs: {tip: {position: lever.C}}\n"
                            "simulate: {step: 1e-3}\n";

static void export_lever(phx_context *context, int version, phx_fmu_kind kind, const char *path)
{
    phx_fmu_options options = phx_fmu_options_default();
    phx_model *model = NULL;

    options.version = version;
    options.kind = kind;
    CHECK_OK(context, phx_model_read_text(context, "lever.yaml", lever, strlen(lever), 0, NULL, &model));
    CHECK_OK(context, phx_fmu_export(context, model, &options, path, NULL));
    phx_model_destroy(model);
}

static bool finds(const phx_fmu_check_report *report, const char *part)
{
    for (int k = 0; k < report->n_findings; k++)
        if (strstr(report->findings[k], part))
            return true;
    return false;
}

static void check_finds(phx_context *context, const char *path, const char *part)
{
    phx_fmu_check_report report;
    CHECK_OK(context, phx_fmu_check(context, path, true, &report));
    if (!finds(&report, part)) {
        for (int k = 0; k < report.n_findings; k++)
            print_message("found: %s\n", report.findings[k]);
        fail_msg("not found: %s", part);
    }
    phx_fmu_check_report_free(&report);
}

/* Strains that are damped so fast that 1e-6 s is far too long for an explicit method. */
static const char strip[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "materials: {steel: {density: 7800, young: 2.1e11, poisson: 0.3}}\n"
                            "bodies: {strip: {kind: rod, material: steel, length: 0.1, elements: 3,\n"
                            "  section: {kind: rectangle, width: 0.02, height: 1e-3}, damping: {stiffness: 1e-3}}}\n"
                            "joints: {clamp: {kind: weld, ports: [ground.O, strip.P]}}\n"
                            "simulate: {step: 1e-3}\n";

static void export_exchange(phx_context *context, const char *text, int version, const char *path)
{
    phx_fmu_options options = phx_fmu_options_default();
    phx_model *model = NULL;

    options.version = version;
    options.kind = PHX_FMU_MODEL_EXCHANGE;
    CHECK_OK(context, phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_OK(context, phx_fmu_export(context, model, &options, path, NULL));
    phx_model_destroy(model);
}

static void stiff_ones_are_good(void **state)
{
    phx_fmu_check_report report;

    export_exchange(*state, strip, 2, "stiff.fmu");
    CHECK_OK(*state, phx_fmu_check(*state, "stiff.fmu", true, &report));
    for (int f = 0; f < report.n_findings; f++)
        fail_msg("%s", report.findings[f]);
    assert_int_equal(report.steps, 40);
    phx_fmu_check_report_free(&report);
    remove("stiff.fmu");
}

/* A bead that leaves its wire after 2e-5 s: what the FMU says of it is in the finding. */
static void reasons_are_told(void **state)
{
    static const char beads[] = "phlexor: 1\n"
                                "dimension: 2\n"
                                "materials: {rubber: {density: 1000, young: 1e6, poisson: 0.4}}\n"
                                "bodies:\n"
                                "  wire: {kind: rod, material: rubber, length: 1, elements: 1,\n"
                                "    section: {kind: rectangle, width: 0.02, height: 0.02}}\n"
                                "  bead: {kind: rigid, mass: 0.1, inertia: 1e-5, pose: {position: [0.9999, 0]}}\n"
                                "joints:\n"
                                "  clamp: {kind: weld, ports: [ground.O, wire.P]}\n"
                                "  bead: {kind: point_on, ports: [wire.P, bead.P], position: 0.9999, rate: 5}\n"
                                "simulate: {step: 1e-3}\n";

    for (int version = 2; version <= 3; version++) {
        export_exchange(*state, beads, version, "leaves.fmu");
        check_finds(*state, "leaves.fmu",
                    "completing a step fails with status 3: joint 'bead': its point leaves body 'wire' at the end C");
    }
    remove("leaves.fmu");
}

static void own_ones_are_good(void **state)
{
    for (int k = 0; k < 6; k++) {
        const int version = 2 + k % 2, kind = 1 + k / 2;
        phx_fmu_check_report report;
        export_lever(*state, version, (phx_fmu_kind)kind, "good.fmu");
        CHECK_OK(*state, phx_fmu_check(*state, "good.fmu", true, &report));
        for (int f = 0; f < report.n_findings; f++)
            fail_msg("FMI %d: %s", version, report.findings[f]);
        assert_int_equal(report.version, version);
        assert_int_equal(report.co_simulation, (kind & PHX_FMU_CO_SIMULATION) != 0);
        assert_int_equal(report.model_exchange, (kind & PHX_FMU_MODEL_EXCHANGE) != 0);
        assert_true(report.steps > 20);
        phx_fmu_check_report_free(&report);
    }
    remove("good.fmu");
    phx_fmu_check_report report;
    CHECK_STATUS(*state, phx_fmu_check(*state, "not_there.fmu", true, &report), PHX_ERR_FILE);
    CHECK_STATUS(*state, phx_fmu_check(*state, NULL, true, &report), PHX_ERR_ARGUMENT);
}

/* ---- archives made by hand ---- */
static const char head[] =
    "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"{1}\">\n"
    "<CoSimulation modelIdentifier=\"m\"/>\n";
static const char foot[] = "</fmiModelDescription>\n";

static zip_t *begin(const char *path)
{
    int error = 0;
    remove(path);
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
    assert_non_null(archive);
    return archive;
}

static zip_int64_t add(zip_t *archive, const char *name, const char *text)
{
    const zip_int64_t k = zip_file_add(archive, name, zip_source_buffer(archive, text, strlen(text), 0), 0);
    assert_true(k >= 0);
    return k;
}

static void archives_stay_in_their_folder(void **state)
{
    static const char *const names[] = {"../evil", "/tmp/phlexor_evil", "a/../../evil", "C:\\evil", "resources/.."};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        zip_t *archive = begin("evil.fmu");
        add(archive, names[k], "evil");
        assert_int_equal(zip_close(archive), 0);
        check_finds(*state, "evil.fmu", "leads out of its folder");
        assert_int_not_equal(access("../evil", F_OK), 0);
        assert_int_not_equal(access("/tmp/phlexor_evil", F_OK), 0);
    }
    zip_t *archive = begin("evil.fmu");
    const zip_int64_t link = add(archive, "resources/link", "/etc/passwd");
    zip_file_set_external_attributes(archive, (zip_uint64_t)link, 0, ZIP_OPSYS_UNIX, 0120777u << 16);
    assert_int_equal(zip_close(archive), 0);
    check_finds(*state, "evil.fmu", "is a link");
    remove("evil.fmu");
}

static void check_description(phx_context *context, const char *body, const char *part)
{
    char text[4000];
    zip_t *archive = begin("rules.fmu");
    snprintf(text, sizeof text, "%s%s%s", head, body, foot);
    add(archive, "modelDescription.xml", text);
    assert_int_equal(zip_close(archive), 0);
    check_finds(context, "rules.fmu", part);
    remove("rules.fmu");
}

#define VARIABLE(name, vr, more, real)                                                                                 \
    "<ScalarVariable name=\"" name "\" valueReference=\"" vr "\" " more "><Real" real "/></ScalarVariable>"
#define STRUCTURE(outputs, initial)                                                                                    \
    "<ModelStructure><Outputs>" outputs "</Outputs><InitialUnknowns>" initial "</InitialUnknowns></ModelStructure>"

static void rules_of_the_description(void **state)
{
    static const struct {
        const char *body, *part;
    } broken[] = {
        {"<ModelVariables>" VARIABLE("y", "0", "causality=\"output\"", "") "</ModelVariables><ModelStructure/>",
         "the output 'y' is listed 0 times"},
        {"<ModelVariables>" VARIABLE("y", "0", "causality=\"output\"",
                                     "") "</ModelVariables>" STRUCTURE("<Unknown index=\"1\"/>", ""),
         "'y' is missing among the initial unknowns"},
        {"<ModelVariables>" VARIABLE("u", "0", "causality=\"input\"", "") "</ModelVariables><ModelStructure/>",
         "'u' needs a start value"},
        {"<ModelVariables>" VARIABLE("u", "0", "causality=\"input\"", " start=\"0\"")
             VARIABLE("u", "1", "causality=\"input\"", " start=\"0\"") "</ModelVariables><ModelStructure/>",
         "two variables have the name 'u'"},
        {"<ModelVariables>" VARIABLE("u", "0", "causality=\"input\"",
                                     " start=\"0\" unit=\"N\"") "</ModelVariables><ModelStructure/>",
         "the unit 'N' is not defined"},
        {"<ModelVariables>" VARIABLE("u", "0", "causality=\"inputs\"",
                                     " start=\"0\"") "</ModelVariables><ModelStructure/>",
         "is none of the standard's"},
        {"<ModelVariables/>" STRUCTURE("<Unknown index=\"7\"/>", ""), "variable 7, which is not there"},
        {"<ModelVariables>" VARIABLE(
             "x", "0", "causality=\"local\"",
             "") "</ModelVariables><ModelStructure><Derivatives><Unknown index=\"1\"/></Derivatives></ModelStructure>",
         "'x' is listed among the derivatives"},
        {"<ModelVariables>" VARIABLE("p", "0", "causality=\"parameter\" variability=\"continuous\"",
                                     " start=\"0\"") "</ModelVariables><ModelStructure/>",
         "'p': the variability of a parameter is 'continuous', expected fixed or tunable"},
        {"<ModelVariables", "modelDescription.xml:"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++)
        check_description(*state, broken[k].body, broken[k].part);
    zip_t *archive = begin("rules.fmu");
    add(archive, "readme.txt", "no description");
    assert_int_equal(zip_close(archive), 0);
    check_finds(*state, "rules.fmu", "modelDescription.xml");
    remove("rules.fmu");
}

static void crashes_have_a_place(void **state)
{
    char text[1000];
    int error = 0;
    zip_t *archive = begin("crash.fmu");
    snprintf(text, sizeof text, "%s<ModelVariables/><ModelStructure/>%s", head, foot);
    add(archive, "modelDescription.xml", text);
    zip_source_t *library = zip_source_file(archive, PHX_CRASH, 0, -1);
    assert_true(zip_file_add(archive, "binaries/linux64/m.so", library, 0) >= 0);
    assert_int_equal(zip_close(archive), 0);
    (void)error;
    check_finds(*state, "crash.fmu", "crashed in loading the shared object");
    remove("crash.fmu");
}

/* ---- events of model exchange ---- */
static const char ball[] =
    "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"ball\" guid=\"%s\" "
    "numberOfEventIndicators=\"1\">\n"
    "<ModelExchange modelIdentifier=\"ball\" canGetAndSetFMUstate=\"true\"/>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"5\" stepSize=\"0.01\"/>\n<ModelVariables>\n"
    "<ScalarVariable name=\"h\" valueReference=\"0\" causality=\"output\" variability=\"continuous\" "
    "initial=\"exact\"><Real start=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"v\" valueReference=\"1\" causality=\"output\" variability=\"continuous\" "
    "initial=\"exact\"><Real start=\"0\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"der(h)\" valueReference=\"2\" causality=\"local\" variability=\"continuous\" "
    "initial=\"calculated\"><Real derivative=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"der(v)\" valueReference=\"3\" causality=\"local\" variability=\"continuous\" "
    "initial=\"calculated\"><Real derivative=\"2\"/></ScalarVariable>\n</ModelVariables>\n<ModelStructure>"
    "<Outputs><Unknown index=\"1\"/><Unknown index=\"2\"/></Outputs>"
    "<Derivatives><Unknown index=\"3\"/><Unknown index=\"4\"/></Derivatives>"
    "<InitialUnknowns><Unknown index=\"3\"/><Unknown index=\"4\"/></InitialUnknowns>"
    "</ModelStructure></fmiModelDescription>\n";

/* A ball that rebounds is driven to three rebounds, at which it asks for the end; each of its faults is found. */
static void events_are_driven(void **state)
{
    static const char *const faults[][2] = {
        {"none", NULL},
        {"silent", "changes state 1 without valuesOfContinuousStatesChanged"},
        {"nominal", "changes the nominal value of state 1 without nominalsOfContinuousStatesChanged"},
        {"endless", "iterations of an event do not come to an end"},
        {"past", "the next time event is at 0 s"},
        {"forgetful", "after going back over an event and on again the states or outputs differ"}};

    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        char text[3000];
        phx_fmu_check_report report;
        zip_t *archive = begin("ball.fmu");
        snprintf(text, sizeof text, ball, faults[k][0]);
        add(archive, "modelDescription.xml", text);
        zip_source_t *library = zip_source_file(archive, PHX_BALL, 0, -1);
        assert_true(zip_file_add(archive, "binaries/linux64/ball.so", library, 0) >= 0);
        assert_int_equal(zip_close(archive), 0);
        if (faults[k][1]) {
            check_finds(*state, "ball.fmu", faults[k][1]);
            continue;
        }
        CHECK_OK(*state, phx_fmu_check(*state, "ball.fmu", true, &report));
        for (int f = 0; f < report.n_findings; f++)
            fail_msg("%s", report.findings[f]);
        assert_int_equal(report.events, 3);
        phx_fmu_check_report_free(&report);
    }
    remove("ball.fmu");
}

/* The project's own: a joint attaches at a place, lets go at a time; friction sticks and slips; rigid contacts strike
 * and rub, to the most events that are driven. */
static void own_events_are_good(void **state)
{
    static const struct {
        const char *path;
        int version, events;
    } models[] = {{PHX_SOURCE_DIR "/examples/pick_up.yaml", 2, 2},
                  {PHX_SOURCE_DIR "/examples/pick_up.yaml", 3, 2},
                  {PHX_SOURCE_DIR "/examples/stick_slip.yaml", 3, 10},
                  {PHX_SOURCE_DIR "/examples/bouncing_table.yaml", 2, 20},
                  {PHX_SOURCE_DIR "/examples/billiards.yaml", 3, 20}};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        const int version = models[k].version;
        phx_fmu_options options = phx_fmu_options_default();
        phx_fmu_check_report report;
        phx_model *model = NULL;
        options.version = version;
        options.kind = PHX_FMU_MODEL_EXCHANGE;
        CHECK_OK(*state, phx_model_read(*state, models[k].path, 0, NULL, &model));
        CHECK_OK(*state, phx_fmu_export(*state, model, &options, "events.fmu", NULL));
        phx_model_destroy(model);
        CHECK_OK(*state, phx_fmu_check(*state, "events.fmu", true, &report));
        for (int f = 0; f < report.n_findings; f++)
            fail_msg("FMI %d: %s", version, report.findings[f]);
        assert_int_equal(report.events, models[k].events);
        phx_fmu_check_report_free(&report);
        remove("events.fmu");
    }
}

/* ---- damaged files ---- */
static unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Bytes changed at places that a fixed sequence chooses, in the whole file and in its last part, the directory; and
 * files that are cut off. What is found differs; nothing crashes. */
static void damaged_files(void **state)
{
    enum { COUNT = 60 };
    size_t size = 0;
    unsigned random = 12345;
    int found = 0;
    export_lever(*state, 2, PHX_FMU_CO_SIMULATION, "whole.fmu");
    unsigned char *bytes = read_bytes("whole.fmu", &size);

    for (int k = 0; k < COUNT; k++) {
        phx_fmu_check_report report;
        size_t length = size;
        random = 1664525u * random + 1013904223u;
        const size_t at = k % 2 ? size - 1 - random % 900 : random % size;
        const unsigned char before = bytes[at];
        if (k % 5 == 4)
            length = at;
        else
            bytes[at] ^= (unsigned char)(1u << random % 8 | 1u);
        FILE *file = fopen("damaged.fmu", "wb");
        assert_int_equal(fwrite(bytes, 1, length, file), length);
        fclose(file);
        bytes[at] = before;
        CHECK_OK(*state, phx_fmu_check(*state, "damaged.fmu", true, &report));
        found += report.n_findings > 0;
        phx_fmu_check_report_free(&report);
    }
    assert_true(found > COUNT / 2);
    free(bytes);
    remove("whole.fmu");
    remove("damaged.fmu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_ones_are_good),
        cmocka_unit_test(stiff_ones_are_good),
        cmocka_unit_test(reasons_are_told),
        cmocka_unit_test(archives_stay_in_their_folder),
        cmocka_unit_test(rules_of_the_description),
        cmocka_unit_test(crashes_have_a_place),
        cmocka_unit_test(events_are_driven),
        cmocka_unit_test(own_events_are_good),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
