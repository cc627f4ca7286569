/* Mode shapes: the beam clamped at its far end (figure 9 of the second paper), the four-bar mechanism (figures 14, 15).
 */
#include "item.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALONG = 41, DRAWN = 3, MOST_STATES = 16, TEXT_SIZE = 160 };

/* ---- modes of a model with their shapes in space ---- */
typedef struct shapes {
    phx_system *system;
    double *x;
    phx_mode_set set;
} shapes;

static phx_status find_shapes(phx_item *item, const phx_model *model, int count, shapes *found)
{
    phx_context *context = item->context;
    phx_modes_options options = phx_modes_options_default();
    phx_dae *dae = NULL;
    phx_modal *modal = NULL;
    phx_linear linear = {0};
    double *v = NULL;

    *found = (shapes){0};
    options.count = count;
    phx_status status = phx_model_build(context, model, NULL, &found->system);
    if (!status)
        status = phx_system_dae(found->system, context, &dae);
    if (!status) {
        found->x = phx_calloc(context, (size_t)dae->n_x, sizeof *found->x);
        v = phx_calloc(context, (size_t)dae->n_v, sizeof *v);
        status = found->x && v ? phx_system_start(found->system, NULL, found->x, v, NULL) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_system_linear(dae, 0.0, found->x, NULL, &linear);
    if (!status)
        status = phx_modal_create(context, &modal);
    if (!status)
        status = phx_modal_solve(modal, &linear, &options, &found->set);
    if (!status && found->set.count < count)
        status = phx_fail(context, PHX_ERR_ANALYSIS, "there are %d modes, wanted are %d", found->set.count, count);
    phx_linear_free(&linear);
    phx_modal_destroy(modal);
    phx_system_dae_destroy(dae);
    phx_free(v);
    return status;
}

static void free_shapes(shapes *found)
{
    phx_mode_set_free(&found->set);
    phx_free(found->x);
    phx_system_destroy(found->system);
}

/* Place of the point at fraction s of a planar beam, and its motion in a mode:  R (dr + dphi x p + phi dq). */
static phx_status place(phx_context *context, const shapes *found, int body, int mode, double s, double at[2],
                        double motion[2])
{
    phx_flex_point point = {0};
    int ix, iv;
    const phx_status status = phx_beam_point(phx_system_beam(found->system, body), context, s, &point);
    if (status)
        return status;
    phx_system_offsets(found->system, body, &ix, &iv);
    const double *x = found->x + ix, *shape = found->set.shapes + (size_t)mode * (size_t)found->set.n + iv;
    double local[2] = {shape[0] - shape[2] * point.x[1], shape[1] + shape[2] * point.x[0]};
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < point.n; i++)
            local[a] += point.phi[a * point.n + i] * shape[3 + point.dof[i]];
    const double c = x[2], d = x[3];
    at[0] = x[0] + c * point.x[0] - d * point.x[1];
    at[1] = x[1] + d * point.x[0] + c * point.x[1];
    motion[0] = c * local[0] - d * local[1];
    motion[1] = d * local[0] + c * local[1];
    phx_flex_point_free(&point);
    return PHX_OK;
}

/* ---- figure 9 ---- */

/* (15), l = 1 */
static void quintic(double x, double phi[4])
{
    const double x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
    phi[0] = 0.5 * x2 - 1.5 * x3 + 1.5 * x4 - 0.5 * x5;
    phi[1] = 10.0 * x3 - 15.0 * x4 + 6.0 * x5;
    phi[2] = -4.0 * x3 + 7.0 * x4 - 3.0 * x5;
    phi[3] = 0.5 * x3 - x4 + 0.5 * x5;
}

/* psi = -[1 x phi^T] [C_v; C_alpha; A([5:8], :)] v/omega^2, (22), of an eigenvector v, scaled to 1 at P. The states
 * are ux, then those of (14), then their rates. */
static void shape_of_vector(const phx_ss *block, const double *vectors, int column, double psi[ALONG])
{
    const int n = phx_ss_n(block), half = n / 2;
    const int outputs[2] = {phx_ss_find_output(block, "beam.P.ay"), phx_ss_find_output(block, "beam.P.alpha")};
    double motion[6][2] = {{0.0}};

    for (int r = 0; r < 6; r++) {
        const double *row = r < 2 ? phx_ss_C(block) + outputs[r] * n : phx_ss_A(block) + (half + r - 1) * n;
        for (int j = 0; j < n; j++)
            for (int part = 0; part < 2; part++)
                motion[r][part] += row[j] * vectors[2 * (j * n + column) + part];
    }
    const double size = motion[0][0] * motion[0][0] + motion[0][1] * motion[0][1];
    for (int k = 0; k < ALONG; k++) {
        const double x = (double)k / (ALONG - 1);
        double phi[4], value[2] = {motion[0][0] + x * motion[1][0], motion[0][1] + x * motion[1][1]};
        quintic(x, phi);
        for (int i = 0; i < 4; i++)
            for (int part = 0; part < 2; part++)
                value[part] += phi[i] * motion[2 + i][part];
        psi[k] = (value[0] * motion[0][0] + value[1] * motion[0][1]) / size; /* over the value at P */
    }
}

/* The lowest two modes of the block with all channels of bending inverted. */
static phx_status by_inversion(phx_item *item, const phx_model *model, double psi[2][ALONG])
{
    static const char *const inverted[] = {"beam.C.fy", "beam.C.tz", "beam.P.ay", "beam.P.alpha"};
    static const char *const ports[] = {"C"};
    phx_study_titop_options options = phx_study_titop_options_default();
    phx_linear_report report = {0};
    double re[MOST_STATES], im[MOST_STATES], vectors[2 * MOST_STATES * MOST_STATES];

    options.body = "beam";
    options.n_ports = 1;
    options.ports = ports;
    options.n_inverted = 4;
    options.inverted = inverted;
    phx_status status = phx_study_titop(item->context, model, &options, &report);
    if (!status && phx_ss_n(report.system) != 10)
        status = phx_fail(item->context, PHX_ERR_ANALYSIS, "the block has %d states, not 10", phx_ss_n(report.system));
    if (!status)
        status = phx_dense_eigen_general(item->context, 10, phx_ss_A(report.system), NULL, re, im, vectors);
    double above = 0.0;
    for (int mode = 0; mode < 2 && !status; mode++) {
        int next = -1;
        for (int k = 0; k < 10; k++)
            if (im[k] > above * (1.0 + 1e-6) && (next < 0 || im[k] < im[next]))
                next = k;
        if (next < 0)
            break;
        shape_of_vector(report.system, vectors, next, psi[mode]);
        above = im[next];
    }
    phx_linear_report_free(&report);
    return status;
}

/* (13) seen from the free end, scaled to 1 there; beta l: 1.8751, 4.6941. */
static void exact_shape(double beta, double phi[ALONG])
{
    const double ratio = (cos(beta) + cosh(beta)) / (sin(beta) + sinh(beta));
    for (int k = ALONG; k-- > 0;) {
        const double x = beta * (1.0 - (double)k / (ALONG - 1));
        phi[k] = cos(x) - cosh(x) - ratio * (sin(x) - sinh(x));
    }
    const double tip = phi[0];
    for (int k = 0; k < ALONG; k++)
        phi[k] /= tip;
}

static double largest_difference(const double *a, const double *b)
{
    double largest = 0.0;
    for (int k = 0; k < ALONG; k++)
        largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

static void draw_beam(phx_item *item, int mode, const double *psi, const double *phi)
{
    char title[TEXT_SIZE];
    double x[ALONG], difference[ALONG];
    const phx_comparison_figure figure = {.title = title,
                                          .remark = "free at x = 0, clamped at x = l. The paper prints no numbers.",
                                          .x_label = "x / l",
                                          .y_label = "deflection over that of the free end"};

    snprintf(title, sizeof title, "Mode %d of the free-clamped beam", mode + 1);
    for (int k = 0; k < ALONG; k++) {
        x[k] = (double)k / (ALONG - 1);
        difference[k] = phi[k] - psi[k];
    }
    phx_comparisons_add_figure(item->page, &figure);
    phx_comparisons_add_line(item->page, "ψ, quintic block inverted", false, ALONG, x, psi);
    phx_comparisons_add_line(item->page, "φ, beam theory", true, ALONG, x, phi);
    phx_comparisons_add_line(item->page, "φ − ψ", false, ALONG, x, difference);
}

static phx_status put_beam_mode(phx_item *item, const shapes *found, int mode, const double *psi)
{
    static const double beta[2] = {1.8751040687119611664, 4.6940911329741745764};
    static const double known[2] = {3.5160206804337997, 22.157831407517822};
    double phi[ALONG], jointed[ALONG];
    char what[TEXT_SIZE];

    for (int k = 0; k < ALONG; k++) {
        double at[2], motion[2];
        const phx_status status = place(item->context, found, 0, mode, (double)k / (ALONG - 1), at, motion);
        if (status)
            return status;
        jointed[k] = motion[1];
    }
    for (int k = ALONG; k-- > 0;)
        jointed[k] /= jointed[0];
    exact_shape(beta[mode], phi);
    snprintf(what, sizeof what, "ω%d", mode + 1);
    phx_item_row(item, what, "", found->set.omega[mode], phx_reference_near(known[mode], 1e-8));
    snprintf(what, sizeof what, "ψ%d by (22) and with a weld at C: largest difference", mode + 1);
    phx_item_row(item, what, "", largest_difference(psi, jointed), phx_reference_zero(1e-9));
    snprintf(what, sizeof what, "largest |φ%d − ψ%d|", mode + 1, mode + 1);
    phx_item_row(item, what, "", largest_difference(phi, psi), phx_no_reference());
    draw_beam(item, mode, psi, phi);
    return PHX_OK;
}

phx_status phx_item_beam_shapes(phx_item *item)
{
    double psi[2][ALONG] = {{0.0}};
    char *text = NULL;
    phx_model *model = NULL, *welded = NULL;
    shapes found = {0};
    phx_status status = phx_item_model(item, "beam.yaml", NULL, 0, NULL, &model);

    if (!status)
        status = by_inversion(item, model, psi);
    if (!status)
        status = phx_item_edit(item->context, phx_reproduce_file("beam.yaml"),
                               "modes:", "joints:\n  C: {kind: weld, ports: [ground.E, beam.C]}\n\nmodes:", &text);
    if (!status)
        status = phx_item_model(item, "beam.yaml", text, 0, NULL, &welded);
    if (!status)
        status = find_shapes(item, welded, 2, &found);
    for (int mode = 0; mode < 2 && !status; mode++)
        status = put_beam_mode(item, &found, mode, psi[mode]);
    free_shapes(&found);
    phx_model_destroy(welded);
    phx_model_destroy(model);
    phx_free(text);
    return status;
}

/* ---- figures 14 and 15 ---- */

enum { LINKS = 3, OUTLINE = LINKS * ALONG };

/* A mode of the mechanism, link after link. */
typedef struct outline {
    double x[OUTLINE], y[OUTLINE], dx[OUTLINE], dy[OUTLINE];
} outline;

static phx_status trace(phx_item *item, const shapes *found, int mode, outline *drawn)
{
    for (int k = 0; k < OUTLINE; k++) {
        double at[2], motion[2];
        const double s = (double)(k % ALONG) / (ALONG - 1);
        const phx_status status = place(item->context, found, k / ALONG, mode, s, at, motion);
        if (status)
            return status;
        drawn->x[k] = at[0];
        drawn->y[k] = at[1];
        drawn->dx[k] = motion[0];
        drawn->dy[k] = motion[1];
    }
    return PHX_OK;
}

/* Over the largest motion: how far the shape opens the joints B and C and moves D. */
static double opening(const outline *drawn, double *largest)
{
    double gap = hypot(drawn->dx[OUTLINE - 1], drawn->dy[OUTLINE - 1]);
    *largest = 0.0;
    for (int k = 0; k < OUTLINE; k++)
        *largest = fmax(*largest, hypot(drawn->dx[k], drawn->dy[k]));
    for (int k = ALONG; k < OUTLINE; k += ALONG)
        gap = fmax(gap, hypot(drawn->dx[k] - drawn->dx[k - 1], drawn->dy[k] - drawn->dy[k - 1]));
    return gap / *largest;
}

static phx_status put_angle(phx_item *item, int degrees, const phx_numbers *known)
{
    const phx_model_override set = {"theta1", NULL, degrees * PHX_PI / 180.0};
    char title[TEXT_SIZE], what[TEXT_SIZE];
    const phx_comparison_figure figure = {.title = title,
                                          .remark = "largest motion drawn as 0.04 m. The paper prints no numbers.",
                                          .x_label = "x (m)",
                                          .y_label = "y (m)",
                                          .equal = true};
    phx_model *model = NULL;
    shapes found = {0};
    outline drawn;
    phx_status status = phx_item_model(item, "four_bar_quintic.yaml", NULL, 1, &set, &model);

    if (!status)
        status = find_shapes(item, model, DRAWN, &found);
    snprintf(title, sizeof title, "First three modes at θ₁ = %d°", degrees);
    if (!status)
        phx_comparisons_add_figure(item->page, &figure);
    for (int mode = 0; mode < DRAWN && !status; mode++) {
        double largest = 0.0;
        status = trace(item, &found, mode, &drawn);
        if (status)
            break;
        const double gap = opening(&drawn, &largest);
        snprintf(what, sizeof what, "ω%d at %d°", mode + 1, degrees);
        phx_item_row(item, what, "rad/s", found.set.omega[mode],
                     phx_reference_near(phx_numbers_at(known, degrees / 5, mode + 1), 1e-9));
        snprintf(what, sizeof what, "joints opened by mode %d at %d°, of its largest motion", mode + 1, degrees);
        phx_item_row(item, what, "", gap, phx_reference_zero(1e-11));
        if (mode == 0)
            phx_comparisons_add_line(item->page, "at rest", false, OUTLINE, drawn.x, drawn.y);
        for (int k = 0; k < OUTLINE; k++) {
            drawn.x[k] += 0.04 / largest * drawn.dx[k];
            drawn.y[k] += 0.04 / largest * drawn.dy[k];
        }
        snprintf(what, sizeof what, "mode %d", mode + 1);
        phx_comparisons_add_line(item->page, what, false, OUTLINE, drawn.x, drawn.y);
    }
    free_shapes(&found);
    phx_model_destroy(model);
    return status;
}

phx_status phx_item_four_bar_shapes(phx_item *item)
{
    phx_numbers known = {0};
    phx_status status = phx_numbers_read(item->context, "fourbar_titop_clamped.csv", &known);

    for (int degrees = 0; degrees <= 180 && !status; degrees += 180)
        status = put_angle(item, degrees, &known);
    phx_numbers_free(&known);
    return status;
}
