/* Load cases as input of finite-element programs. */
#include "results/results.h"
#include "results/store/output.h"

#include <math.h>
#include <string.h>

void phx_load_cases_free(phx_load_cases *cases)
{
    for (int k = 0; cases->cases && k < cases->n_cases; k++) {
        phx_free(cases->cases[k].force);
        phx_free(cases->cases[k].ports);
    }
    phx_free(cases->cases);
    phx_free(cases->label);
    phx_free(cases->component);
    phx_free(cases->direction);
    *cases = (phx_load_cases){0};
}

/* In the units of the file; nothing for what a field of sixteen columns cannot hold. */
static double load_of(const phx_load_cases *cases, const phx_load_case *load, int j)
{
    static const double TINY = 1e-90;

    return fabs(load->force[j]) < TINY
               ? 0.0
               : load->force[j] / (cases->force_unit * (cases->component[j] > 3 ? cases->length : 1.0));
}

/* Comments on case k, each line behind `sign`. */
static void put_case_text(const phx_load_cases *cases, int k, const char *sign, phx_output *out)
{
    const phx_load_case *load = &cases->cases[k];

    phx_output_format(out, "%s t = %.10g s; inertia relief takes %.2g of the forces, the basis leaves out %.2g\n", sign,
                      load->t, load->unbalanced, load->truncation);
    for (int p = 0; p < load->n_ports; p++) {
        const double *f = load->ports[p].force, *m = load->ports[p].moment;
        phx_output_format(out, "%s %s: force %.6g %.6g %.6g N, moment %.6g %.6g %.6g N m\n", sign, load->ports[p].name,
                          f[0], f[1], f[2], m[0], m[1], m[2]);
    }
}

static void put_head(const phx_load_cases *cases, const char *sign, phx_output *out)
{
    phx_output_format(out,
                      "%s Loads on '%s' of '%s', by Phlexor %s: forces of joints and on surfaces, and of inertia.\n",
                      sign, cases->body, cases->model, phx_version());
    phx_output_format(out, "%s In the axes of the mesh; unit of length %.10g m, of force %.10g N.\n", sign,
                      cases->length, cases->force_unit);
    phx_output_format(out, "%s The loads balance, so that the supports carry nothing.\n", sign);
}

/* A field of CalculiX has twenty columns at most. */
static void put_calculix(const phx_load_cases *cases, phx_output *out)
{
    put_head(cases, "**", out);
    phx_output_format(out, "** Behind the model: *INCLUDE, INPUT=this file\n");
    for (int k = 0; k < cases->n_cases; k++) {
        put_case_text(cases, k, "**", out);
        phx_output_text(out, "*STEP\n*STATIC\n*BOUNDARY\n");
        for (int s = 0; s < 6 && k == 0; s++)
            phx_output_format(out, "%d, %d, %d\n", cases->label[cases->support[s]], cases->direction[cases->support[s]],
                              cases->direction[cases->support[s]]);
        phx_output_text(out, "*CLOAD, OP=NEW\n");
        for (int j = 0; j < cases->n; j++)
            if (load_of(cases, &cases->cases[k], j) != 0.0)
                phx_output_format(out, "%d, %d, %.13e\n", cases->label[j], cases->direction[j],
                                  load_of(cases, &cases->cases[k], j));
        phx_output_text(out, "*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n");
    }
}

/* Fields of sixteen columns: ten digits. Rows of a node stand side by side. */
static void put_nastran_node(const phx_load_cases *cases, int k, int first, int end, phx_output *out)
{
    for (int moment = 0; moment < 2; moment++) {
        double value[3] = {0.0, 0.0, 0.0};
        bool acts = false;
        for (int j = first; j < end; j++)
            if ((cases->component[j] > 3) == (moment == 1)) {
                value[(cases->component[j] - 1) % 3] = load_of(cases, &cases->cases[k], j);
                acts = acts || value[(cases->component[j] - 1) % 3] != 0.0;
            }
        if (acts)
            phx_output_format(out, "%-8s%16d%16d%16d%16s\n%-8s%16.9E%16.9E%16.9E\n", moment ? "MOMENT*" : "FORCE*",
                              k + 1, cases->label[first], 0, "1.0", "*", value[0], value[1], value[2]);
    }
}

/* Supports as set 1, then the cards of each case; the rows of a node stand side by side. */
static void put_nastran(const phx_load_cases *cases, phx_output *out)
{
    put_head(cases, "$", out);
    for (int s = 0; s < 6; s++)
        phx_output_format(out, "SPC1,1,%d,%d\n", cases->component[cases->support[s]], cases->label[cases->support[s]]);
    for (int k = 0; k < cases->n_cases; k++) {
        phx_output_format(out, "$ LOAD = %d\n", k + 1);
        put_case_text(cases, k, "$", out);
        for (int first = 0, end; first < cases->n; first = end) {
            for (end = first + 1; end < cases->n && cases->label[end] == cases->label[first];)
                end++;
            put_nastran_node(cases, k, first, end, out);
        }
    }
}

phx_status phx_load_cases_write(phx_context *context, const phx_load_cases *cases, const char *format, const char *path)
{
    phx_output out;
    const phx_status status = phx_output_open(context, path, &out);

    if (status)
        return status;
    if (!strcmp(format, "nastran"))
        put_nastran(cases, &out);
    else
        put_calculix(cases, &out);
    return phx_output_commit(&out);
}
