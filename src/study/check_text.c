/* The certificate as text. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static phx_status flush(phx_context *context, FILE *stream)
{
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return PHX_OK;
    return phx_fail(context, PHX_ERR_FILE, "cannot write the certificate: %s", strerror(errno));
}

/* ---- json ---- */
void phx_put_json(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(stream, "\\u%04x", *c);
        else
            fputc(*c, stream);
    }
    fputc('"', stream);
}

static void put_numbers(FILE *stream, int n, const double *values)
{
    fputc('[', stream);
    for (int i = 0; i < n; i++)
        fprintf(stream, "%s%.17g", i ? ", " : "", values[i]);
    fputc(']', stream);
}

/* Plane: a number about the z axis. Space: three rows. */
static void put_inertia(FILE *stream, int dim, const double *inertia)
{
    if (dim == 2) {
        fprintf(stream, "%.17g", inertia[0]);
        return;
    }
    fputc('[', stream);
    for (int i = 0; i < 3; i++) {
        fputs(i ? ", " : "", stream);
        put_numbers(stream, 3, inertia + 3 * i);
    }
    fputc(']', stream);
}

static void put_moves(FILE *stream, const phx_check_report *report)
{
    fputs(",\n  \"moved_by_assembly\": [", stream);
    for (int k = 0; k < report->n_moves; k++) {
        const phx_start_move *move = &report->moves[k];
        fputs(k ? ",\n    {\"body\": " : "\n    {\"body\": ", stream);
        phx_put_json(stream, move->body);
        fprintf(stream, ", \"distance\": %.17g, \"angle\": %.17g, \"joint\": ", move->distance, move->angle);
        phx_put_json(stream, move->joint ? move->joint : "");
        fprintf(stream, ", \"gap\": %.17g, \"gap_angle\": %.17g}", move->gap, move->gap_angle);
    }
    fputs(report->n_moves ? "\n  ]" : "]", stream);
}

/* Writes the member "limits" with all exceeded limits of validity as JSON and closes the document. */
static void put_limits(FILE *stream, const phx_check_report *report)
{
    fputs(",\n  \"limits\": [", stream);
    for (int k = 0; k < report->n_limits; k++) {
        const phx_limit_finding *finding = &report->limits[k];
        fputs(k ? ",\n    {\"body\": " : "\n    {\"body\": ", stream);
        phx_put_json(stream, finding->body);
        fprintf(stream, ", \"kind\": \"%s\", \"of\": \"%s\", \"value\": %.17g, \"limit\": %.17g, \"text\": ",
                phx_limit_kind_name(finding->kind), finding->quasi_static ? "loads" : "start", finding->worst,
                phx_limit_of(finding->kind));
        phx_put_json(stream, finding->text);
        fputc('}', stream);
    }
    fputs("]\n}\n", stream);
}

static void check_text_put_number(FILE *stream, const char *name, double value)
{
    fprintf(stream, isfinite(value) ? ", \"%s\": %.17g" : ", \"%s\": null", name, value);
}

static void check_text_put_modes(FILE *stream, const phx_check_report *report)
{
    for (int k = 0; k < report->n_modes; k++) {
        const phx_check_modes *modes = &report->modes[k];
        fputs(k ? ",\n    {\"body\": " : ",\n  \"beams_in_modes\": [\n    {\"body\": ", stream);
        phx_put_json(stream, modes->body);
        fprintf(stream, ", \"modes\": %d, \"followers\": %d", modes->modes, modes->followers);
        check_text_put_number(stream, "error", modes->error);
        fputs(k + 1 < report->n_modes ? "}" : "}\n  ]", stream);
    }
}

/* Casimirs and matching conditions, where there are any. */
static void put_loops(FILE *stream, const phx_check_report *report)
{
    for (int k = 0; k < report->n_casimirs; k++) {
        fputs(k ? ",\n    {\"controller\": " : ",\n  \"casimirs\": [\n    {\"controller\": ", stream);
        phx_put_json(stream, report->casimirs[k].controller);
        fputs(", \"constant\": ", stream);
        phx_put_json(stream, report->casimirs[k].text);
        check_text_put_number(stream, "residual", report->casimirs[k].residual);
        fputs(k + 1 < report->n_casimirs ? "}" : "}\n  ]", stream);
    }
    for (int k = 0; k < report->n_matchings; k++) {
        const phx_loop_matching *matching = &report->matchings[k];
        fputs(k ? ",\n    {\"controller\": " : ",\n  \"matching\": [\n    {\"controller\": ", stream);
        phx_put_json(stream, matching->controller);
        fprintf(stream, ", \"places\": %d, \"indefinite\": %d", matching->matching.places,
                matching->matching.indefinite);
        check_text_put_number(stream, "potential", matching->matching.potential);
        check_text_put_number(stream, "kinetic", matching->matching.kinetic);
        check_text_put_number(stream, "mass", matching->mass);
        fputs(k + 1 < report->n_matchings ? "}" : "}\n  ]", stream);
    }
}

/* Writes the report of a check as one JSON object. */
phx_status phx_check_report_json(phx_context *context, const phx_check_report *report, FILE *stream)
{
    if (!report || !stream)
        return phx_fail_null(context, __func__, "report or stream");
    const phx_certificate *c = &report->certificate;

    fprintf(stream, "{\n  \"coordinates\": %d,\n  \"velocities\": %d,\n  \"constraints\": %d,\n", c->coordinates,
            c->velocities, c->constraints);
    fputs("  \"redundant\": [", stream);
    for (int k = 0; k < report->n_redundant; k++) {
        fputs(k ? ", {\"joint\": " : "{\"joint\": ", stream);
        phx_put_json(stream, report->redundant[k].joint);
        fprintf(stream, ", \"row\": %d}", report->redundant[k].row);
    }
    fprintf(stream, "],\n  \"degrees_of_freedom\": %d,\n", c->degrees_of_freedom);
    fprintf(stream,
            "  \"skew_residual\": %.17g,\n  \"smallest_mass_eigenvalue\": %.17g,\n  \"power_residual\": %.17g,\n",
            c->skew_residual, c->smallest_mass_eigenvalue, c->power_residual);
    fprintf(stream, "  \"lossless\": %s,\n  \"constraint_rank\": %d,\n  \"index\": %d,\n  \"mass\": %.17g,\n",
            c->lossless ? "true" : "false", c->constraint_rank, c->index, c->mass);
    fputs("  \"centre_of_mass\": ", stream);
    put_numbers(stream, report->dimension, c->centre_of_mass);
    fputs(",\n  \"inertia\": ", stream);
    put_inertia(stream, report->dimension, c->inertia);
    fprintf(stream, ",\n  \"energy\": {\"kinetic\": %.17g, \"elastic\": %.17g, \"potential\": %.17g, \"total\": %.17g}",
            c->energy.kinetic, c->energy.elastic, c->energy.potential, phx_total_energy(&c->energy));
    if (report->sampling_limit > 0.0)
        fprintf(stream, ",\n  \"sampling_limit\": %.17g", report->sampling_limit);
    fprintf(stream, ",\n  \"free_motions\": %d,\n  \"free\": ", report->n_free);
    phx_put_json(stream, report->free_names);
    if (report->has_loop) {
        fprintf(stream, ",\n  \"loop\": {\"period\": %.17g, \"growing_modes\": %d", report->loop_period,
                report->loop.divergent + report->loop.fluttering);
        check_text_put_number(stream, "growth", report->loop.growth);
        check_text_put_number(stream, "angular_frequency", report->loop.frequency);
        fputs("}", stream);
    }
    check_text_put_modes(stream, report);
    put_loops(stream, report);
    put_moves(stream, report);
    put_limits(stream, report);
    return phx_conclude(context, flush(context, stream));
}

/* ---- table ---- */
static void put_count(FILE *stream, const char *what, int value)
{
    fprintf(stream, "%-26s %d\n", what, value);
}

static void put_value(FILE *stream, const char *what, double value, const char *unit)
{
    fprintf(stream, "%-26s %.10g%s%s\n", what, value, unit[0] ? " " : "", unit);
}

/* Writes the dimensions, redundant constraints and structural residuals of the certificate as lines of text. */
static void put_structure(FILE *stream, const phx_check_report *report)
{
    const phx_certificate *c = &report->certificate;

    put_count(stream, "coordinates", c->coordinates);
    put_count(stream, "velocities", c->velocities);
    put_count(stream, "constraints", c->constraints);
    put_count(stream, "constraint rank", c->constraint_rank);
    fprintf(stream, "%-26s %d", "redundant constraints", report->n_redundant);
    for (int k = 0; k < report->n_redundant; k++)
        fprintf(stream, "%s%s row %d", k ? ", " : "  ", report->redundant[k].joint, report->redundant[k].row);
    fputc('\n', stream);
    put_count(stream, "degrees of freedom", c->degrees_of_freedom);
    fprintf(stream, "%-26s %d%s%s\n", "free motions", report->n_free, report->free_names[0] ? ": " : "",
            report->free_names);
    put_count(stream, "index", c->index);
    put_value(stream, "skew residual |J + J^T|", c->skew_residual, "");
    put_value(stream, "power residual", c->power_residual, "");
    put_value(stream, "smallest mass eigenvalue", c->smallest_mass_eigenvalue, "");
    fprintf(stream, "%-26s %s\n", "lossless", c->lossless ? "yes" : "no");
}

/* Writes the report of a check as text, one quantity a line. */
phx_status phx_check_report_text(phx_context *context, const phx_check_report *report, FILE *stream)
{
    if (!report || !stream)
        return phx_fail_null(context, __func__, "report or stream");
    const phx_certificate *c = &report->certificate;
    const int dim = report->dimension;

    put_structure(stream, report);
    put_value(stream, "mass", c->mass, "kg");
    fprintf(stream, "%-26s", "centre of mass");
    for (int a = 0; a < dim; a++)
        fprintf(stream, " %.10g", c->centre_of_mass[a]);
    fprintf(stream, " m\n%-26s", "inertia about it");
    for (int k = 0; k < (dim == 2 ? 1 : 9); k++)
        fprintf(stream, " %.10g", c->inertia[k]);
    fputs(" kg m^2\n", stream);
    put_value(stream, "kinetic energy", c->energy.kinetic, "J");
    put_value(stream, "elastic energy", c->energy.elastic, "J");
    put_value(stream, "potential energy", c->energy.potential, "J");
    if (report->sampling_limit > 0.0)
        fprintf(stream,
                "%-26s %.10g s: by gains of rates, delay and mobility alone; with flexible modes the loop may be "
                "unstable below it\n",
                "bound of sampling period", report->sampling_limit);
    if (report->has_loop && report->loop.growth > 0.0)
        fprintf(stream, "%-26s %d growing mode%s about the start, the fastest by exp(%.4g t) at %.4g Hz\n",
                report->loop_period > 0.0 ? "sampled loop" : "loop of controllers",
                report->loop.divergent + report->loop.fluttering,
                report->loop.divergent + report->loop.fluttering > 1 ? "s" : "", report->loop.growth,
                report->loop.frequency / 6.283185307179586);
    else if (report->has_loop)
        fprintf(stream, "%-26s no growing mode about the start\n",
                report->loop_period > 0.0 ? "sampled loop" : "loop of controllers");
    for (int k = 0; k < report->n_modes; k++) {
        const phx_check_modes *found = &report->modes[k];
        char what[60];
        snprintf(what, sizeof what, "modes of %.40s", found->body);
        fprintf(stream,
                "%-26s %d, followed by %d axial shapes; pulled at 3 times the buckling load first frequencies err by "
                "%.2g %%\n",
                what, found->modes, found->followers, 100.0 * found->error);
    }
    for (int k = 0; k < report->n_casimirs; k++)
        fprintf(stream, "%-26s %s = const (residual %.2g)\n", k ? "" : "Casimirs", report->casimirs[k].text,
                report->casimirs[k].residual);
    for (int k = 0; k < report->n_matchings; k++) {
        const phx_loop_matching *found = &report->matchings[k];
        char what[60];
        snprintf(what, sizeof what, "matching of %.40s", found->controller);
        fprintf(stream, "%-26s off by %.2g (potential), %.2g (kinetic) at %d places; M off by %.2g\n", what,
                found->matching.potential, found->matching.kinetic, found->matching.places, found->mass);
    }
    fprintf(stream, "%-26s %s\n", "poses as written",
            report->n_moves ? "moved by the assembly:" : "kept by the assembly");
    for (int k = 0; k < report->n_moves; k++) {
        char text[360];
        phx_start_move_text(&report->moves[k], sizeof text, text);
        fprintf(stream, "  %s\n", text);
    }
    fprintf(stream, "%-26s %s\n", "limits of validity",
            report->n_limits ? "exceeded:" : "kept by the start and its loads");
    for (int k = 0; k < report->n_limits; k++)
        fprintf(stream, "  %s\n", report->limits[k].text);
    return phx_conclude(context, flush(context, stream));
}
