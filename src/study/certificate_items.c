/* The certificate in a report: each number with its meaning. */
#include "certificate_items.h"

#include <math.h>
#include <string.h>

static void certificate_items_add(phx_certificate_items *list, const char *name, double value, const char *unit,
                                  int good, const char *meaning)
{
    list->items[list->count++] =
        (phx_report_item){.name = name, .value = value, .unit = unit, .good = good, .meaning = meaning};
}

/* "2: pin row 3, hinge row 1", as many as fit. */
static void name_redundant(const phx_check_report *report, char *to)
{
    size_t used = (size_t)snprintf(to, REDUNDANT_TEXT, "%d", report->n_redundant);

    for (int k = 0; k < report->n_redundant && used < REDUNDANT_TEXT; k++)
        used += (size_t)snprintf(to + used, REDUNDANT_TEXT - used, "%s%s row %d", k ? ", " : ": ",
                                 report->redundant[k].joint, report->redundant[k].row);
    if (used >= REDUNDANT_TEXT)
        memcpy(to + REDUNDANT_TEXT - 5, " ...", 5);
}

/* Casimirs, as many as fit, and the worst matching condition. */
static void add_loops(const phx_check_report *report, phx_certificate_items *list)
{
    static const double MATCHED = 1e-6; /* relative to the largest term */
    size_t used = 0;
    double worst = 0.0;

    for (int k = 0; k < report->n_casimirs && used < CASIMIR_TEXT; k++)
        used += (size_t)snprintf(list->casimirs + used, CASIMIR_TEXT - used, "%s%s", k ? "; " : "",
                                 report->casimirs[k].text);
    if (report->n_casimirs > 0)
        list->items[list->count++] = (phx_report_item){
            .name = "Casimirs",
            .text = list->casimirs,
            .good = -1,
            .meaning = "Constant in the loops of port-Hamiltonian controllers, whatever the energies are."};
    for (int k = 0; k < report->n_matchings; k++)
        worst = fmax(worst, fmax(report->matchings[k].matching.potential, report->matchings[k].matching.kinetic));
    if (report->n_matchings > 0)
        certificate_items_add(
            list, "matching condition", worst, NULL, worst < MATCHED,
            "Largest part of the closed loop wanted (M_d, V_d, J_2) that no effort makes, over the largest of its "
            "terms, "
            "in the region given.");
}

/* Fills the list of items of the certificate with value, verdict and meaning for a page. Without a report it holds one
 * item with the reason. */
void phx_certificate_list(const phx_check_report *report, const char *reason, phx_certificate_items *list)
{
    static const double BALANCED = 1e-10; /* relative to the scale of the power */

    *list = (phx_certificate_items){0};
    if (!report) {
        list->items[list->count++] = (phx_report_item){
            .name = "certificate", .text = reason, .good = -1, .meaning = "It could not be computed for this page."};
        return;
    }
    const phx_certificate *c = &report->certificate;
    certificate_items_add(list, "|J + Jᵀ|", c->skew_residual, NULL, c->skew_residual == 0.0,
                          "The structure matrix is skew: joints and gyroscopic terms exchange power and make none.");
    certificate_items_add(
        list, "power residual", c->power_residual, NULL, c->power_residual < BALANCED,
        "Largest difference between the rate of the energy and the power of ports and losses, on random states, over "
        "its scale.");
    certificate_items_add(list, "smallest eigenvalue of mass", c->smallest_mass_eigenvalue, NULL,
                          c->smallest_mass_eigenvalue > 0.0, "Positive: every velocity carries kinetic energy.");
    list->items[list->count++] = (phx_report_item){
        .name = "lossless",
        .text = c->lossless ? "yes" : "no",
        .good = -1,
        .meaning = "Without dampers, material damping and simplified kinetics the energy that goes in "
                   "comes out again."};
    certificate_items_add(list, "degrees of freedom", c->degrees_of_freedom, NULL, -1,
                          "Velocities less independent constraints; drives take theirs, too.");
    list->items[list->count++] = (phx_report_item){.name = "free motions",
                                                   .text = report->free_names[0] ? report->free_names : NULL,
                                                   .value = report->n_free,
                                                   .good = -1,
                                                   .meaning = "Motions without deformation that nothing resists, and "
                                                              "the joints that move in them."};
    certificate_items_add(list, "constraints", c->constraints, NULL, -1, "Rows of the joints and drives.");
    name_redundant(report, list->redundant);
    list->items[list->count++] = (phx_report_item){
        .name = "redundant constraints",
        .text = list->redundant,
        .good = report->n_redundant == 0 ? 1 : -1,
        .meaning = "Rows that others imply; they are left out, and reactions are the least-norm ones."};
    for (int k = 0; k < report->n_moves && strlen(list->moved) < MOVED_TEXT - 100; k++) {
        const size_t used = strlen(list->moved);
        snprintf(list->moved + used, MOVED_TEXT - used, used ? "; " : "");
        phx_start_move_text(&report->moves[k], MOVED_TEXT - used - 2, list->moved + strlen(list->moved));
    }
    list->items[list->count++] = (phx_report_item){
        .name = "poses as written",
        .text = report->n_moves == 0 ? "kept" : list->moved,
        .good = report->n_moves == 0 ? 1 : -1, /* a pose is a first guess */
        .meaning = "Bodies that the assembly has moved to close the joints, by more than the rounding of their poses."};
    list->items[list->count++] = (phx_report_item){
        .name = "limits of validity",
        .text = report->n_limits == 0 ? "kept" : report->limits[0].text,
        .good = report->n_limits == 0,
        .meaning = "Rotations of sections, strains and axial forces at the start, against those up to which bodies of "
                   "small deformation are right."};
    if (report->has_loop)
        certificate_items_add(list, "growing modes of the loop", report->loop.divergent + report->loop.fluttering, NULL,
                              report->loop_period > 0.0 ? report->loop.growth <= 0.0 : -1,
                              "Of the controllers with the mechanism about the start; sampled ones from sample to "
                              "sample.");
    add_loops(report, list);
    certificate_items_add(list, "index", c->index, NULL, -1, "Of the differential-algebraic system.");
    certificate_items_add(list, "mass", c->mass, "kg", -1, "Of all bodies.");
    certificate_items_add(list, "energy at the start", phx_total_energy(&c->energy), "J", -1,
                          "Kinetic, elastic and potential; gravity counts from the inertial origin.");
}
