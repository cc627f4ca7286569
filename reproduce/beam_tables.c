/* Tables 1 and 3-11: pulsations of a beam under all boundary conditions, by channel inversion and by joints. */
#include "item.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4, WANTED = 4, LONG_CHANNELS = 6, JOINT_MODES = 8, TEXT_SIZE = 128 };
static const double LOWEST = 1.0, AXIAL = 1000.0; /* pulsations of bending lie between them */

/* Names of the channels 1-4 of the paper's model of bending. */
static const char *const channels[CHANNELS] = {"beam.C.fy", "beam.C.tz", "beam.P.ay", "beam.P.alpha"};

/* ---- beam theory ---- */

/* beta l: number k, from 1, of the positive roots of
 *   cos x = 1/cosh x,  tan x = tanh x,  sin x = 0,  tan x = -tanh x,  cos x = 0,  cos x = -1/cosh x */
typedef enum ends { FREE_FREE, PINNED_FREE, PINNED_PINNED, SLIDING_FREE, SLIDING_PINNED, CLAMPED_FREE } ends;

static double characteristic(ends kind, double x)
{
    switch (kind) {
    case FREE_FREE:
        return cos(x) - 1.0 / cosh(x);
    case PINNED_FREE:
        return sin(x) - cos(x) * tanh(x);
    case PINNED_PINNED:
        return sin(x);
    case SLIDING_FREE:
        return sin(x) + cos(x) * tanh(x);
    case SLIDING_PINNED:
        return cos(x);
    default:
        return cos(x) + 1.0 / cosh(x);
    }
}

static double theory(ends kind, int k)
{
    static const double shift[] = {0.5, 0.25, 0.0, -0.25, -0.5, -0.5};
    double low = (k + shift[kind]) * PHX_PI - 0.4, high = low + 0.8;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if ((characteristic(kind, low) > 0.0) == (characteristic(kind, middle) > 0.0))
            low = middle;
        else
            high = middle;
    }
    return low * low; /* omega = (beta l)^2 */
}

/* ---- pulsations ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lowest pulsations of bending of the block with channels inverted; NaN where there are no more. */
static phx_status by_inversion(phx_item *item, const phx_model *model, int count, const char *const *inverted,
                               double *omega)
{
    static const char *const ports[] = {"C"};
    phx_study_titop_options options = phx_study_titop_options_default();
    phx_linear_report report = {0};

    options.body = "beam";
    options.n_ports = 1;
    options.ports = ports;
    options.n_inverted = count;
    options.inverted = count > 0 ? inverted : NULL;
    const phx_status status = phx_study_titop(item->context, model, &options, &report);
    int found = 0;
    for (int k = 0; !status && k < phx_ss_n(report.system) && found < WANTED; k++)
        if (report.im[k] > 0.0 && report.omega[k] > LOWEST)
            omega[found++] = report.omega[k];
    while (found < WANTED)
        omega[found++] = NAN;
    phx_linear_report_free(&report);
    return status;
}

/* The same of the beam with joints to the ground, given as lines of the model file. */
static phx_status by_joints(phx_item *item, const char *joints, double *omega)
{
    const char *beam = phx_reproduce_file("beam.yaml");
    const size_t room = strlen(beam) + strlen(joints) + 1;
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table = {0};
    phx_model *model = NULL;
    char *text = phx_calloc(item->context, room, 1);

    if (!text)
        return PHX_ERR_MEMORY;
    snprintf(text, room, "%s%s", beam, joints);
    options.count = JOINT_MODES;
    phx_status status = phx_item_model(item, "beam.yaml", text, 0, NULL, &model);
    if (!status)
        status = phx_study_modes(item->context, model, &options, &table, NULL);
    int found = 0;
    for (int k = 0; !status && k < table.n_rows && found < WANTED; k++)
        if (table.rows[k].omega > LOWEST && table.rows[k].omega < AXIAL)
            omega[found++] = table.rows[k].omega;
    while (found < WANTED)
        omega[found++] = NAN;
    qsort(omega, WANTED, sizeof *omega, by_size);
    phx_modes_free(&table);
    phx_model_destroy(model);
    phx_free(text);
    return status;
}

/* ---- Tables 3-11 ---- */

#define WELD_P  "  P: {kind: weld, ports: [ground.O, beam.P]}\n"
#define HINGE_P "  P: {kind: revolute, ports: [ground.O, beam.P]}\n"
#define GUIDE_P "  P: {kind: prismatic, ports: [ground.O, beam.P], axis: [0, 1]}\n"
#define WELD_C  "  C: {kind: weld, ports: [ground.E, beam.C]}\n"
#define HINGE_C "  C: {kind: revolute, ports: [ground.E, beam.C]}\n"
#define GUIDE_C "  C: {kind: prismatic, ports: [ground.E, beam.C], axis: [0, 1]}\n"

/* The boundary conditions of Tables 3, 4 .. 11: P, then C. */
static const struct {
    ends theory;
    const char *joints;
} conditions[] = {
    {FREE_FREE, ""},
    {FREE_FREE, "joints:\n" WELD_P WELD_C},
    {PINNED_FREE, "joints:\n" HINGE_P},
    {PINNED_FREE, "joints:\n" HINGE_P WELD_C},
    {PINNED_PINNED, "joints:\n" HINGE_P HINGE_C},
    {SLIDING_FREE, "joints:\n" GUIDE_P},
    {SLIDING_FREE, "joints:\n" GUIDE_P WELD_C},
    {SLIDING_PINNED, "joints:\n" GUIDE_P HINGE_C},
    {PINNED_PINNED, "joints:\n" GUIDE_P GUIDE_C},
};
enum { FIRST_TABLE = 3, TABLES = sizeof conditions / sizeof *conditions };

static void numbered(char text[TEXT_SIZE], const char *before, int k)
{
    snprintf(text, TEXT_SIZE, "%sω%d", before, k);
}

static void put_table(phx_item *item, int table, const phx_numbers *reference, const double *inverted,
                      const double *jointed)
{
    char what[TEXT_SIZE], column[TEXT_SIZE];
    double exact[2], known[2], w[WANTED] = {0};
    const int row = table - FIRST_TABLE;

    for (int k = 0; k < WANTED; k++) {
        snprintf(column, sizeof column, "w%d", k + 1);
        w[k] = phx_numbers_at(reference, row, phx_numbers_find(reference, column));
    }
    for (int k = 0; k < 2; k++) {
        snprintf(column, sizeof column, "ref%d", k + 1);
        known[k] = phx_numbers_at(reference, row, phx_numbers_find(reference, column));
        exact[k] = theory(conditions[row].theory, k + 1);
        numbered(what, "beam theory, ", k + 1);
        phx_item_row(item, what, "", exact[k], phx_reference_near(known[k], 1e-12));
    }
    for (int k = 0; k < WANTED && w[k] > 0.0; k++) {
        numbered(what, "", k + 1);
        phx_item_row(item, what, "", inverted[k], phx_reference_near(w[k], 1e-8));
    }
    for (int k = 0; k < 2; k++) {
        numbered(what, "Δ", k + 1);
        phx_item_row(item, what, "%", 100.0 * fabs(inverted[k] - exact[k]) / exact[k],
                     phx_reference_within(100.0 * fabs(w[k] - known[k]) / known[k], 2e-6));
    }
    for (int k = 0; k < WANTED && w[k] > 0.0; k++) {
        numbered(what, "with joints, ", k + 1);
        phx_item_row(item, what, "", jointed[k], phx_reference_near(w[k], 1e-8));
    }
}

phx_status phx_item_table(phx_item *item)
{
    const int table = atoi(item->name + strlen("table-")), row = table - FIRST_TABLE;
    const char *inverted[CHANNELS];
    double by_channels[WANTED], with_joints[WANTED];
    phx_numbers reference = {0};
    phx_model *model = NULL;
    phx_status status = phx_numbers_read(item->context, "titop_tables.csv", &reference);

    if (!status && (row < 0 || row >= TABLES || phx_numbers_at(&reference, row, 0) != table))
        status = phx_fail(item->context, PHX_ERR_ARGUMENT, "there are no reference values of table %d", table);
    if (!status)
        status = phx_item_model(item, "beam.yaml", NULL, 0, NULL, &model);
    if (!status) { /* digits: 124 inverts the channels 1, 2 and 4 */
        int count = 0;
        for (int digits = (int)phx_numbers_at(&reference, row, 1); digits > 0; digits /= 10)
            inverted[count++] = channels[digits % 10 - 1];
        status = by_inversion(item, model, count, inverted, by_channels);
    }
    if (!status)
        status = by_joints(item, conditions[row].joints, with_joints);
    if (!status)
        put_table(item, table, &reference, by_channels, with_joints);
    phx_model_destroy(model);
    phx_numbers_free(&reference);
    return status;
}

/* ---- Table 1 ---- */

static const char *const all_channels[LONG_CHANNELS] = {"beam.C.fx", "beam.C.fy", "beam.C.tz",
                                                        "beam.P.ax", "beam.P.ay", "beam.P.alpha"};

/* Two rows of the block and two of its inverse, against values that are known otherwise. */
static phx_status put_pair(phx_item *item, const phx_model *model, const char *name, const double *direct,
                           const double *inverse, double rtol)
{
    char what[TEXT_SIZE];

    for (int side = 0; side < 2; side++) {
        const double *known = side ? inverse : direct;
        double omega[WANTED];
        const phx_status status = by_inversion(item, model, side ? LONG_CHANNELS : 0, all_channels, omega);
        if (status)
            return status;
        for (int k = 0; k < 2; k++) {
            snprintf(what, sizeof what, "%s%s, ω%d", name, side ? " inverted" : "", k + 1);
            phx_item_row(item, what, "", omega[k], phx_reference_near(known[k], side ? rtol : 1e-9));
        }
    }
    return PHX_OK;
}

phx_status phx_item_table_1(phx_item *item)
{
    static const double polynomials[2] = {3.5160206804337997, 22.157831407517822},
                        known[2] = {3.5160152685, 22.0344915647};
    static const struct {
        int modes;
        double inverse[2];
    } assumed[] = {{4, {4.3895304, 28.019438}}, {8, {3.9078325, 24.595080}}, {16, {3.7025969, 23.227501}}};
    const double exact[2] = {theory(CLAMPED_FREE, 1), theory(CLAMPED_FREE, 2)};
    char name[TEXT_SIZE];
    phx_model *model = NULL;

    for (int k = 0; k < 2; k++) {
        numbered(name, "beam theory, ", k + 1);
        phx_item_row(item, name, "", exact[k], phx_reference_near(known[k], 1e-10));
    }
    phx_status status = phx_item_model(item, "beam.yaml", NULL, 0, NULL, &model);
    if (!status)
        status = put_pair(item, model, "polynomials", polynomials, polynomials, 1e-8);
    phx_model_destroy(model);
    for (int k = 0; k < 3 && !status; k++) {
        const phx_model_override set = {"n", NULL, assumed[k].modes};
        model = NULL;
        status = phx_item_model(item, "beam_assumed.yaml", NULL, 1, &set, &model);
        snprintf(name, sizeof name, "%d assumed modes", assumed[k].modes);
        if (!status)
            status = put_pair(item, model, name, exact, assumed[k].inverse, 3e-8);
        phx_model_destroy(model);
    }
    return status;
}
