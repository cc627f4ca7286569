/* A body of a model in its basis, written to a file. */
#include "internal.h"

#include "continuum/continuum.h"
#include "ranks/ranks.h"

#include <string.h>

void phx_reduce_report_free(phx_reduce_report *report)
{
    if (!report)
        return;
    phx_free(report->frequency);
    *report = (phx_reduce_report){0};
}

/* Fills the report of a reduced body: mass, sizes, frequencies in Hz, errors of the basis and effective masses. Errors
 * that are not known are -1. */
static phx_status fill_report(phx_context *context, const phx_model_body *body, const phx_flex_source *source,
                              phx_reduce_report *report)
{
    static const double two_pi = 6.28318530717958647693;
    const phx_flex *flex = phx_flex_source_flex(source);
    const phx_basis_quality *known = phx_continuum_quality(source), none = {.frequency = -1.0, .flexibility = -1.0};
    const phx_basis_quality *quality = known ? known : &none;
    const phx_effective_mass *of_beam = phx_beam_effective_mass(source);
    const phx_effective_mass *effective = of_beam ? of_beam : &quality->effective;
    const phx_elastic_model *mesh = phx_continuum_model(source);

    report->frequency = phx_calloc(context, (size_t)flex->n + 1, sizeof *report->frequency);
    if (!report->frequency)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < flex->n; k++)
        report->frequency[k] = (mesh ? phx_continuum_frequencies(source)[k] : phx_flex_frequency(flex, k)) / two_pi;
    report->body = body->name;
    report->mass = flex->mass;
    report->coordinates = flex->n;
    report->ports = body->n_ports;
    report->nodes = mesh ? mesh->n_nodes : 0;
    report->frequency_error = quality->frequency;
    report->flexibility_error = quality->flexibility;
    memcpy(report->effective_mass, effective->mass, sizeof report->effective_mass);
    report->effective_share = effective->given ? effective->share : -1.0;
    return PHX_OK;
}

/* Writes body, ports and, for beams, section properties to a file of a reduced body. */
static phx_status write_body(phx_context *context, const phx_model *model, const phx_model_body *body,
                             const phx_flex_source *source, const char *path)
{
    phx_reduced_port *ports = phx_calloc(context, (size_t)body->n_ports + 1, sizeof *ports);
    double section[PHX_REDUCED_SECTION];

    if (!ports)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < body->n_ports; k++) {
        ports[k].name = body->ports[k].name;
        ports[k].location = &body->ports[k].location;
        memcpy(ports[k].rotation, body->ports[k].rotation.matrix, sizeof ports[k].rotation);
    }
    const phx_status status =
        phx_reduced_write(context, path, body->name, phx_model_body_kind_name(body->kind), source,
                          phx_model_write_section(model, body, section) ? section : NULL, body->n_ports, ports);
    phx_free(ports);
    return status;
}

/* Reduces one body of the model and writes it to a file; only rank 0 writes. Bodies without a mesh or a beam are
 * refused. */
phx_status phx_study_reduce(phx_context *context, const phx_model *model, const char *name, const char *path,
                            phx_reduce_report *report)
{
    phx_system *system = NULL;
    int index = -1;

    if (!model || !name || !path || !report)
        return phx_fail_null(context, __func__, "model, name, path or report");
    *report = (phx_reduce_report){0};
    phx_status status = phx_study_find_body(context, model, name, &index);
    const phx_model_body *body = status ? NULL : &model->bodies[index];
    if (!status)
        status = phx_model_build_body(context, model, index, &system);
    const phx_flex_source *source = status ? NULL : phx_system_source(system, 0);
    if (!status && (!source || !(phx_continuum_model(source) || phx_beam_definition(source))))
        status = phx_model_fail(context, model, body, PHX_ERR_INPUT,
                                "body '%s' is %s; a beam, a body on a mesh or of another program can be reduced",
                                body->name, phx_model_body_info_of(body)->is);
    if (!status && phx_ranks_rank(phx_context_ranks(context)) == 0)
        status = write_body(context, model, body, source, path);
    if (!status)
        status = fill_report(context, body, source, report);
    phx_system_destroy(system);
    if (status)
        phx_reduce_report_free(report);
    return phx_conclude(context, status);
}

phx_status phx_study_reduce_over(phx_context *context, const phx_model *model, const char *name, const char *path,
                                 phx_ranks *ranks, phx_ranks_method method, phx_reduce_report *report)
{
    if (!model || !name || !path || !ranks || !report)
        return phx_fail_null(context, __func__, "model, name, path, ranks or report");
    phx_ranks_set_method(ranks, method);
    phx_context_set_ranks(context, ranks);
    const phx_status status = phx_study_reduce(context, model, name, path, report);
    phx_context_set_ranks(context, NULL);
    return status;
}
