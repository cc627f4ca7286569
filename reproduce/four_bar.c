/* The four-bar mechanism: from TITOP blocks (section 4 of the second paper), from finite elements with joints (section
 * 6.1 of the first), its mode shapes, and the matrices of the blocks. */
#include "item.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINKS = 3, POINTS = 73, MODES = 6, DRAWN = 3, EVERY = 3, SHOWN = 1 + (POINTS - 1) / EVERY, TEXT_SIZE = 160 };
enum { STATES = 30 }; /* of the mechanism from blocks */

static const char *const links[LINKS] = {"crank", "coupler", "follower"};
static const double lengths[LINKS] = {0.108, 0.2794, 0.2705}, base = 0.254; /* m */

/* Pulsations over the turn of the crank. */
typedef struct turn_of_modes {
    double omega[POINTS][MODES];
} turn_of_modes;

static double angle_of(int point)
{
    return 2.0 * PHX_PI * point / (POINTS - 1);
}

/* ---- by joints ---- */

static phx_status by_joints(phx_item *item, const phx_model *model, turn_of_modes *omega)
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table = {0};
    phx_sweep *sweep = NULL;
    phx_status status = phx_sweep_from_model(item->context, model, &sweep);

    options.count = MODES;
    options.sweep = sweep;
    if (!status)
        status = phx_study_modes(item->context, model, &options, &table, NULL);
    if (!status && (table.n_points != POINTS || table.n_rows != POINTS * MODES))
        status = phx_fail(item->context, PHX_ERR_ANALYSIS, "%d modes at %d angles, wanted are %d at %d", table.n_rows,
                          table.n_points, POINTS * MODES, POINTS);
    for (int k = 0; k < POINTS * MODES && !status; k++)
        omega->omega[table.rows[k].point][table.rows[k].mode - 1] = table.rows[k].omega;
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    return status;
}

/* The same of an embedded model with so many elements a link; 0: the model has no such parameter. */
static phx_status by_elements(phx_item *item, const char *file, int elements, turn_of_modes *omega)
{
    const phx_model_override set = {"n", NULL, elements};
    phx_model *model = NULL;
    phx_status status = phx_item_model(item, file, NULL, elements > 0, &set, &model);

    if (!status)
        status = by_joints(item, model, omega);
    phx_model_destroy(model);
    return status;
}

/* ---- by blocks ---- */

/* Angles of the links, open branch: C lies above the ground. */
static void close_loop(double theta, double angle[LINKS])
{
    const double x = lengths[0] * cos(theta), y = lengths[0] * sin(theta);
    const double dx = base - x, dy = -y, d = hypot(dx, dy);
    const double along = (lengths[1] * lengths[1] - lengths[2] * lengths[2] + d * d) / (2.0 * d);
    const double across = sqrt(lengths[1] * lengths[1] - along * along);
    const double cx = x + (along * dx - across * dy) / d, cy = y + (along * dy + across * dx) / d;

    angle[0] = theta;
    angle[1] = atan2(cy - y, cx - x);
    angle[2] = atan2(-cy, base - cx);
}

/* Links hinged at P, the follower pinned at C too. Sizes and masses are those of the model. */
static phx_status make_blocks(phx_item *item, const phx_model *model, phx_linear_report block[LINKS])
{
    static const char *const ports[] = {"C"};
    phx_status status = PHX_OK;

    for (int k = 0; k < LINKS && !status; k++) {
        char hinge[TEXT_SIZE];
        const char *const inverted[] = {hinge, "follower.C.fx", "follower.C.fy"};
        phx_study_titop_options options = phx_study_titop_options_default();
        snprintf(hinge, sizeof hinge, "%s.P.alpha", links[k]);
        options.body = links[k];
        options.n_ports = 1;
        options.ports = ports;
        options.n_inverted = k == LINKS - 1 ? 3 : 1;
        options.inverted = inverted;
        status = phx_study_titop(item->context, model, &options, &block[k]);
    }
    return status;
}

/* C of link a with P of the next one, turned by `turn`:  a_P = R^T a_C,  F_C = R F_P  ([2] (25); the mass is in the
 * block of the next link). */
static int put_joint(char names[8][32], int a, double turn, phx_ss_link *made)
{
    const double R[2][2] = {{cos(turn), -sin(turn)}, {sin(turn), cos(turn)}};
    int count = 0;

    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "%s.C.a%c", links[a], "xy"[i]);
        snprintf(names[2 + i], sizeof names[i], "%s.C.f%c", links[a], "xy"[i]);
        snprintf(names[4 + i], sizeof names[i], "%s.P.a%c", links[a + 1], "xy"[i]);
        snprintf(names[6 + i], sizeof names[i], "%s.P.f%c", links[a + 1], "xy"[i]);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            made[count++] = (phx_ss_link){names[4 + i], names[j], R[j][i]};
            made[count++] = (phx_ss_link){names[2 + i], names[6 + j], R[i][j]};
        }
    return count;
}

/* Pulsations with the crank free, from the torque on it to its acceleration, and clamped, by the inverse. */
static phx_status connect(phx_item *item, const phx_ss *all, double theta, double *unbound, double *clamped)
{
    const char *const torque[] = {"crank.P.tz"}, *const alpha[] = {"crank.P.alpha"};
    double angle[LINKS], omega[STATES];
    char names[2][8][32];
    phx_ss_link made[16];
    phx_ss *mechanism = NULL, *locked = NULL;

    close_loop(theta, angle);
    int count = put_joint(names[0], 0, angle[1] - angle[0], made);
    count += put_joint(names[1], 1, angle[2] - angle[1], made + count);
    phx_status status = phx_ss_connect(item->context, all, count, made, 1, alpha, 1, torque, &mechanism);
    if (!status)
        status = phx_ss_invert_channel(item->context, mechanism, 0, &locked);
    if (!status && (phx_ss_n(mechanism) != STATES || phx_ss_n(locked) != STATES))
        status = phx_fail(item->context, PHX_ERR_ANALYSIS, "the mechanism has %d states, not %d", phx_ss_n(mechanism),
                          STATES);
    if (!status)
        status = phx_ss_poles(item->context, mechanism, NULL, NULL, omega, NULL);
    for (int k = 0; k < MODES && !status; k++)
        unbound[k] = omega[2 * k];
    if (!status)
        status = phx_ss_poles(item->context, locked, NULL, NULL, omega, NULL);
    for (int k = 0; k < MODES && !status; k++)
        clamped[k] = omega[2 * k];
    phx_ss_destroy(mechanism);
    phx_ss_destroy(locked);
    return status;
}

static phx_status by_blocks(phx_item *item, turn_of_modes *unbound, turn_of_modes *clamped)
{
    phx_linear_report block[LINKS] = {{0}};
    phx_model *model = NULL;
    phx_ss *all = NULL;
    phx_status status = phx_item_model(item, "four_bar_quintic.yaml", NULL, 0, NULL, &model);

    if (!status)
        status = make_blocks(item, model, block);
    if (!status) {
        const phx_ss *const systems[LINKS] = {block[0].system, block[1].system, block[2].system};
        status = phx_ss_append(item->context, "four-bar", LINKS, systems, &all);
    }
    for (int point = 0; point < POINTS && !status; point++)
        status = connect(item, all, angle_of(point), unbound->omega[point], clamped->omega[point]);
    phx_ss_destroy(all);
    for (int k = 0; k < LINKS; k++)
        phx_linear_report_free(&block[k]);
    phx_model_destroy(model);
    return status;
}

/* ---- references ---- */

static phx_status read_reference(phx_item *item, const char *file, turn_of_modes *omega)
{
    phx_numbers table = {0};
    phx_status status = phx_numbers_read(item->context, file, &table);

    if (!status && (table.rows != POINTS || table.columns <= MODES))
        status =
            phx_fail(item->context, PHX_ERR_ARGUMENT, "%s has %d rows of %d columns", file, table.rows, table.columns);
    for (int point = 0; point < POINTS && !status; point++)
        for (int k = 0; k < MODES; k++)
            omega->omega[point][k] = phx_numbers_at(&table, point, 1 + k);
    phx_numbers_free(&table);
    return status;
}

/* Largest relative difference of the first modes over the turn. */
static double farthest(const turn_of_modes *a, const turn_of_modes *b, int modes)
{
    double largest = 0.0;
    for (int point = 0; point < POINTS; point++)
        for (int k = 0; k < modes; k++) {
            const double distance = fabs(a->omega[point][k] / b->omega[point][k] - 1.0);
            largest = distance > largest || isnan(distance) ? distance : largest;
        }
    return largest;
}

static void put_first(phx_item *item, const char *before, const turn_of_modes *omega, const turn_of_modes *reference,
                      double rtol)
{
    for (int k = 0; k < DRAWN; k++) {
        char what[TEXT_SIZE];
        snprintf(what, sizeof what, "%sω%d at θ₁ = 0°", before, k + 1);
        phx_item_row(item, what, "rad/s", omega->omega[0][k], phx_reference_near(reference->omega[0][k], rtol));
    }
}

static void draw_turn(phx_item *item, const char *title, const turn_of_modes *omega, const turn_of_modes *reference)
{
    const phx_comparison_figure figure = {
        .title = title,
        .remark = "lines: Phlexor; crosses: continuous links, by an independent program. The paper prints no numbers.",
        .x_label = "crank angle θ₁ (degrees)",
        .y_label = "pulsation (rad/s)",
    };
    double x[POINTS], y[POINTS];

    phx_comparisons_add_figure(item->page, &figure);
    for (int k = 0; k < DRAWN; k++) {
        char label[TEXT_SIZE];
        snprintf(label, sizeof label, "ω%d", k + 1);
        for (int point = 0; point < POINTS; point++) {
            x[point] = 5.0 * point;
            y[point] = omega->omega[point][k];
        }
        phx_comparisons_add_line(item->page, label, false, POINTS, x, y);
    }
    for (int k = 0; k < DRAWN; k++) {
        for (int i = 0; i < SHOWN; i++) {
            x[i] = 5.0 * EVERY * i;
            y[i] = reference->omega[EVERY * i][k];
        }
        phx_comparisons_add_line(item->page, k == 0 ? "continuous links" : NULL, true, SHOWN, x, y);
    }
}

/* ---- the items ---- */

phx_status phx_item_titop_four_bar(phx_item *item)
{
    turn_of_modes unbound, clamped, jointed, known, known_free, exact;
    phx_status status = by_blocks(item, &unbound, &clamped);

    if (!status)
        status = by_elements(item, "four_bar_quintic.yaml", 0, &jointed);
    if (!status)
        status = read_reference(item, "fourbar_titop_clamped.csv", &known);
    if (!status)
        status = read_reference(item, "fourbar_titop_free.csv", &known_free);
    if (!status)
        status = read_reference(item, "fourbar_exact_clamped.csv", &exact);
    if (status)
        return status;
    put_first(item, "clamped, ", &clamped, &known, 1e-9);
    put_first(item, "free, ", &unbound, &known_free, 1e-9);
    phx_item_row(item, "clamped, 6 modes at 73 angles, largest relative difference", "",
                 farthest(&clamped, &known, MODES), phx_reference_zero(1e-9));
    phx_item_row(item, "free, 6 modes at 73 angles, largest relative difference", "",
                 farthest(&unbound, &known_free, MODES), phx_reference_zero(1e-9));
    phx_item_row(item, "clamped, with joints instead of blocks, the same", "", farthest(&jointed, &known, MODES),
                 phx_reference_zero(1e-9));
    phx_item_row(item, "clamped, 3 modes at 73 angles, largest relative distance from continuous links", "",
                 farthest(&clamped, &exact, DRAWN), phx_no_reference());
    draw_turn(item, "Pulsations with the crank clamped, links of one quintic element", &clamped, &exact);
    return status;
}

phx_status phx_item_four_bar(phx_item *item)
{
    turn_of_modes coarse, coarse_free, fine, unused, blocks, known, known_free, exact;
    phx_status status = by_elements(item, "four_bar.yaml", 4, &coarse);

    if (!status)
        status = by_elements(item, "four_bar_free.yaml", 4, &coarse_free);
    if (!status)
        status = by_elements(item, "four_bar.yaml", 16, &fine);
    if (!status)
        status = by_blocks(item, &unused, &blocks);
    if (!status)
        status = read_reference(item, "fourbar_n4_clamped.csv", &known);
    if (!status)
        status = read_reference(item, "fourbar_n4_free.csv", &known_free);
    if (!status)
        status = read_reference(item, "fourbar_exact_clamped.csv", &exact);
    if (status)
        return status;
    put_first(item, "", &coarse, &known, 1e-7);
    phx_item_row(item, "crank clamped, 6 modes at 73 angles, largest relative difference", "",
                 farthest(&coarse, &known, MODES), phx_reference_zero(1e-7));
    phx_item_row(item, "crank free, the same", "", farthest(&coarse_free, &known_free, MODES),
                 phx_reference_zero(1e-7));
    put_first(item, "16 elements, ", &fine, &exact, 2e-6);
    phx_item_row(item, "16 elements, ω3 at θ₁ = 45°", "rad/s", fine.omega[9][2],
                 phx_reference_near(exact.omega[9][2], 2e-6));
    phx_item_row(item, "3 modes at 73 angles, largest relative distance from the model of [2]", "",
                 farthest(&coarse, &blocks, DRAWN), phx_no_reference());
    draw_turn(item, "Pulsations with the crank clamped, 4 elements a link", &coarse, &exact);
    return status;
}
